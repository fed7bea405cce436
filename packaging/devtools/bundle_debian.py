"""Tries the .deb on a Debian 12 that has nothing but what the package itself asks for.

    python3 packaging/devtools/bundle_debian.py FOLDER [--deb FILE] [--pictures FOLDER]

`FOLDER` holds the bare system; debootstrap makes it where it is missing. apt installs the package there with its
dependencies and no recommendations; the self-test runs inside, and the window opens on a screen outside and answers.
Needs root, debootstrap, a mirror, Xvfb and xdotool.
"""

import argparse
import contextlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

from devtools.bundle_check import question, selftest  # noqa: E402
from devtools.bundle_contents import version_of  # noqa: E402
from devtools.bundle_examination import Examination  # noqa: E402
from devtools.bundle_screen import CheckFailedError, screen  # noqa: E402
from devtools.bundle_subject import Subject  # noqa: E402

_RELEASE = "bookworm"
_APT = ("env", "DEBIAN_FRONTEND=noninteractive", "apt-get", "install", "-y", "--no-install-recommends")


def main(arguments: list[str]) -> int:
    """Exit code 0 when all of it works."""
    parser = argparse.ArgumentParser(description="Try the .deb on a bare Debian.")
    parser.add_argument("system", type=Path, metavar="FOLDER")
    parser.add_argument("--deb", type=Path, default=ROOT / "dist" / f"hearth_{version_of(ROOT)}_amd64.deb")
    parser.add_argument("--pictures", type=Path, help="where to leave photographs of the screen")
    given = parser.parse_args(arguments)
    system: Path = given.system.resolve()
    try:
        if not (system / "etc" / "debian_version").exists():
            _run(["debootstrap", "--variant=minbase", _RELEASE, str(system)])
        with _mounted(system), screen() as shown:
            before = _packages(system)
            _install(system, given.deb)
            print(f"installed beside hearth: {' '.join(sorted(_packages(system) - before - {'hearth'}))}")
            home = system / "home" / "somebody"
            shutil.rmtree(home, ignore_errors=True)
            home.mkdir(parents=True)
            subject = Subject(system / "usr" / "lib" / "hearth", home, system)
            this = Examination(subject, shown, system / "tmp", pictures=given.pictures)
            print(f"ok      selftest: {selftest(this)}")
            print(f"ok      question: {question(this)}")
    except (CheckFailedError, subprocess.TimeoutExpired) as error:
        print(f"FAILED  {error}")
        return 1
    return 0


def _install(system: Path, deb: Path) -> None:
    shutil.copyfile("/etc/resolv.conf", system / "etc" / "resolv.conf")
    shutil.copyfile(deb, system / "tmp" / deb.name)
    _run(["chroot", str(system), "apt-get", "update"])
    _run(["chroot", str(system), *_APT, "--reinstall", "--allow-downgrades", f"/tmp/{deb.name}"])


def _packages(system: Path) -> set[str]:
    argv = ["chroot", str(system), "dpkg-query", "-W", "-f", "${Package}\\n"]
    return set(subprocess.run(argv, capture_output=True, text=True, check=True).stdout.split())


@contextlib.contextmanager
def _mounted(system: Path) -> Iterator[None]:
    """With /proc and the sockets of this machine's screens, and nothing else of it."""
    sockets = Path("/tmp/.X11-unix")
    sockets.mkdir(mode=0o1777, exist_ok=True)
    seen = system / sockets.relative_to("/")
    seen.mkdir(parents=True, exist_ok=True)
    places = ((["-t", "proc", "proc"], system / "proc"), (["--bind", str(sockets)], seen))
    with contextlib.ExitStack() as undo:
        for what, place in places:
            _run(["mount", *what, str(place)])
            undo.callback(subprocess.run, ["umount", str(place)], check=False)
        yield


def _run(argv: list[str]) -> None:
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CheckFailedError(f"{' '.join(argv)} ended with code {done.returncode}: {done.stderr.strip()[-500:]}")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
