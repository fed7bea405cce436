"""What a bundle is made of: an environment with exactly the locked packages of a running Hearth, and PyInstaller."""

import hashlib
import os
import shutil
from pathlib import Path

from devtools.bundle_layout import BundleLayout
from devtools.console import say
from devtools.environment import create, install, pip_command, pip_environment
from devtools.logged import Command, run_logged
from devtools.stamps import Stamps

_LOCKS = ("run", "bundle")
_INSTALL_SECONDS = 5.0


def prepare(layout: BundleLayout, wheel: Path) -> None:
    """Brings the environment to what the locks and `wheel` say; quick where it is so. Raises SetUpError."""
    stamps = Stamps(layout.stamps)
    locks = [layout.requirements / f"{name}.lock" for name in _LOCKS]
    key = hashlib.sha256(b"\n".join([str(layout.root).encode(), *(lock.read_bytes() for lock in locks)])).hexdigest()
    if stamps.unfinished or not stamps.matches("packages", key):
        say("    installing the packages that go into the bundle")
        shutil.rmtree(layout.venv, ignore_errors=True)
        stamps.begin("packages")
        create(layout.venv, layout.logs / "bundle-environment.log")
        for lock in locks:
            install(layout.python, lock, layout.logs / f"bundle-{lock.stem}.log")
        stamps.finish("packages", key)
    if not stamps.matches("engine", str(wheel)):
        stamps.begin("engine")
        options = ["--no-deps", "--force-reinstall", "--no-index"]
        argv = [*pip_command(layout.python), "install", *options, str(wheel)]
        log = layout.logs / "bundle-engine.log"
        run_logged(Command(argv, f"Installing {wheel.name}", log, _INSTALL_SECONDS, pip_environment(os.environ)))
        stamps.finish("engine", str(wheel))
