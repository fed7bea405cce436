"""Ends servers that would outlive Hearth: after a kill -9 nobody else could."""

import os
import subprocess
import sys

# Told "+ GROUP" and "- GROUP" on a pipe that Hearth alone holds; when the pipe breaks, the groups that are left end.
_SCRIPT = """
trap "" INT TERM HUP
groups=
while read -r act group; do
    case $act in
        +) groups="$groups $group" ;;
        -) left=
           for each in $groups; do [ "$each" = "$group" ] || left="$left $each"; done
           groups=$left ;;
    esac
done
for each in $groups; do kill -TERM -"$each"; done
[ -z "$groups" ] || sleep 1
for each in $groups; do kill -KILL -"$each"; done
"""

_END_WITHIN = 0.3


class Watcher:
    """One small shell, begun with the first server. Windows has none: there, servers see that their pipes break."""

    grace = 1.0
    """Seconds that a server has to end by itself once its input is closed, and once more after SIGTERM."""

    def __init__(self) -> None:
        self._shell: subprocess.Popen[bytes] | None = None

    def add(self, group: int) -> None:
        """A process group that must not outlive this program."""
        if sys.platform == "win32":
            return
        if self._shell is None or self._shell.poll() is not None:
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._tell(f"+ {group}\n")

    def remove(self, group: int) -> None:
        """It has ended."""
        self._tell(f"- {group}\n")

    def close(self) -> None:
        """End all that are left. It takes a moment where there are none."""
        if self._shell is None or self._shell.stdin is None:
            return
        self._shell.stdin.close()
        try:
            self._shell.wait(_END_WITHIN)
        except subprocess.TimeoutExpired:
            # It sleeps before it kills what is stubborn; Python is not to complain about it.
            self._shell.returncode = 0
        self._shell = None

    def _tell(self, line: str) -> None:
        if self._shell is not None and self._shell.stdin is not None:
            try:
                os.write(self._shell.stdin.fileno(), line.encode())
            except OSError:
                self._shell = None
