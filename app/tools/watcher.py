"""Ends servers that would outlive Hearth: after a kill -9 nobody else could."""

import os
import subprocess
import sys
from contextlib import suppress
from typing import Any

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


APART: dict[str, Any] = {}
"""For a child that is begun: a Ctrl+C in the terminal is for this program; what the child begins is of its group."""
if sys.platform == "win32":
    from app.tools.windows_job import Job

    APART["creationflags"] = subprocess.CREATE_NO_WINDOW | subprocess.CREATE_NEW_PROCESS_GROUP
else:
    APART["start_new_session"] = True


class Watcher:
    """One small shell, begun with the first server. On Windows each server is in a job that ends with this program."""

    def __init__(self) -> None:
        self.grace = 1.0
        """Seconds that a server has to end by itself once its input is closed, and once more after SIGTERM."""
        self._shell: subprocess.Popen[bytes] | None = None
        if sys.platform == "win32":
            self._jobs: dict[int, Job] = {}

    def add(self, group: int) -> None:
        """A process group that must not outlive this program; on Windows, the process that would lead it."""
        if sys.platform == "win32":
            # One that is gone already left nothing that can be found.
            with suppress(OSError):
                self._jobs[group] = Job(group)
        elif self._shell is None or self._shell.poll() is not None:
            self._shell = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._tell(f"+ {group}\n")

    def remove(self, group: int) -> None:
        """It has ended, and what it left ends now on Windows."""
        if sys.platform == "win32" and (job := self._jobs.pop(group, None)) is not None:
            job.end()
        self._tell(f"- {group}\n")

    def hurry(self) -> None:
        """The program ends: servers have less time for it from now on."""
        self.grace = 0.2

    def close(self) -> None:
        """End all that are left. It takes a moment where there are none."""
        if sys.platform == "win32":
            for group in tuple(self._jobs):
                self.remove(group)
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
