"""`dev.py bundle`: the program as people download it, made, tried, and packed."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from devtools.bundle_contents import version_of
from devtools.bundle_engine import FLAVOURS, default_flavour, portable_engine, portable_wheel
from devtools.bundle_environment import prepare
from devtools.bundle_identity import windows_version
from devtools.bundle_layout import BundleLayout, room_for
from devtools.bundle_linux import pack_deb, pack_tar
from devtools.console import say
from devtools.errors import SetUpError
from devtools.exclusive import exclusive
from devtools.logged import Command, run_logged
from devtools.system import prepare_system

USAGE = f"""Usage: python3 packaging/dev.py bundle [--flavour {"|".join(FLAVOURS)}] [--folder-only]"""
FILES = "files.txt"
"""Beside the program's parts: all that came with it. `hearth selftest` reads it."""
_SECONDS = 90.0
_SELFTEST_SECONDS = 120


def make_bundle(root: Path, arguments: Sequence[str]) -> int:
    """Everything from the engine to the packed files in `dist`. Returns the exit code. Raises SetUpError.

    `--folder-only` leaves the packing out; `--flavour` says what the engine can compute with.
    """
    layout = BundleLayout(root)
    flavour, packs = _options(arguments)
    with exclusive(layout.build / "bundle.lock"):
        engine = portable_engine(layout, flavour)
        prepare_system(layout.root, layout.logs, builds=True)
        _need_pip(layout)
        say(f"[1/5] the engine, {engine.key}")
        wheel = portable_wheel(layout, engine)
        say("[2/5] the environment that the bundle is made of")
        prepare(layout, wheel)
        say("[3/5] icons, and the bundle")
        icons = _draw_icons(layout)
        _freeze(layout)
        say("[4/5] its self-test")
        self_test(layout.program)
        if not packs:
            return 0
        say("[5/5] packing")
        version = version_of(root) + ("" if flavour == default_flavour() else f"+{flavour}")
        for path in _pack(layout, icons, version):
            say(f"    {path.relative_to(root)}  {path.stat().st_size / 1e6:.0f} MB")
    return 0


def self_test(program: Path) -> None:
    """Runs `hearth selftest` of a bundle, with nothing in its environment. Raises SetUpError."""
    home = tempfile.mkdtemp(prefix="hearth-selftest-")
    kept = ("SYSTEMROOT", "TEMP", "TMP") if os.name == "nt" else ()
    environment = {name: os.environ[name] for name in kept if name in os.environ} | {"HEARTH_HOME": home}
    try:
        done = subprocess.run(
            [str(program), "selftest"],
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            cwd=program.parent.parent,
            env=environment,
            timeout=_SELFTEST_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise SetUpError("The bundle does not start:", str(error)) from None
    finally:
        shutil.rmtree(home, ignore_errors=True)
    for line in done.stdout.splitlines():
        say(f"    {line}")
    if done.returncode:
        raise SetUpError(f"The bundle's self-test ended with code {done.returncode}.", done.stderr.strip())


def write_file_list(contents: Path) -> None:
    """Names every file below `contents`, one a line with `/`, in `FILES`; itself too."""
    listed = room_for(contents, FILES)
    listed.write_text("", encoding="utf-8")
    listed.write_text("".join(f"{name}\n" for name in sorted(_names(contents))), encoding="utf-8", newline="\n")


def _names(contents: Path) -> Iterator[str]:
    """Goes through links to folders too, of which a .app is full; into each folder once."""
    seen: set[Path] = set()
    for folder, folders, files in os.walk(contents, followlinks=True):
        here = Path(folder)
        yield from ((here / file).relative_to(contents).as_posix() for file in files)
        new = {each: (here / each).resolve() for each in sorted(folders)}
        folders[:] = [each for each, real in new.items() if real not in seen]
        seen |= set(new.values())


def _options(arguments: Sequence[str]) -> tuple[str, bool]:
    flavour, packs = default_flavour(), True
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if word == "--folder-only":
            packs = False
        elif word == "--flavour" and rest and rest[0] in FLAVOURS:
            flavour = rest.pop(0)
        else:
            raise SetUpError(f"`bundle` does not know {word}.", USAGE)
    return flavour, packs


def _need_pip(layout: BundleLayout) -> None:
    """The engine's build borrows pip from the bundle's environment, which therefore comes first."""
    from devtools.environment import create

    if not layout.python.exists():
        create(layout.venv, layout.logs / "bundle-environment.log")


def _draw_icons(layout: BundleLayout) -> Path:
    target = layout.work / "icons"
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    argv = [str(layout.python), "-m", "devtools.bundle_icons", str(layout.root), str(target)]
    environment = {**os.environ, "PYTHONPATH": str(layout.root / "packaging"), "QT_QPA_PLATFORM": "offscreen"}
    run_logged(Command(argv, "Drawing the icons", layout.logs / "bundle-icons.log", 5.0, environment))
    for file in (*target.glob("*.ico"), *target.glob("*.icns")):
        shutil.copyfile(file, layout.work / file.name)
    return target


def _freeze(layout: BundleLayout) -> None:
    (layout.work / "version.txt").write_text(windows_version(version_of(layout.root)), encoding="utf-8")
    shutil.rmtree(layout.folder, ignore_errors=True)
    spec = str(layout.root / "packaging" / "hearth.spec")
    places = ["--distpath", str(layout.packed), "--workpath", str(layout.work / "pyinstaller")]
    argv = [str(layout.python), "-m", "PyInstaller", "--noconfirm", *places, spec]
    # The checkout's folder `packaging` must not hide the package of that name, so it is not on the path.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    run_logged(Command(argv, "PyInstaller", layout.logs / "bundle.log", _SECONDS, environment))
    _collect_licences(layout, layout.contents)
    write_file_list(layout.contents)
    if sys.platform == "win32":
        # Typed as `hearth`, a terminal finds .com before .exe: the program with a console.
        (layout.folder / "hearth-console.exe").rename(layout.folder / "hearth.com")


def _collect_licences(layout: BundleLayout, contents: Path) -> None:
    argv = [str(layout.python), "-P", "-m", "devtools.licences", str(layout.root), str(contents)]
    argv.append(str(layout.work / "pyinstaller" / "hearth"))
    environment = {**os.environ, "PYTHONPATH": str(layout.root / "packaging")}
    run_logged(Command(argv, "Collecting the licences", layout.logs / "bundle-licences.log", 10.0, environment))


def _pack(layout: BundleLayout, icons: Path, version: str) -> list[Path]:
    root, folder = layout.root, layout.folder
    if sys.platform == "win32":
        name = root / "dist" / f"hearth-{version}-windows"
        return [Path(shutil.make_archive(str(name), "zip", folder.parent, folder.name))]
    if sys.platform == "darwin":
        say("    dist/Hearth.app is made; packaging/macos signs and packs it.")
        return []
    target = layout.work / "packed"
    target.mkdir(exist_ok=True)
    return [pack_tar(root, folder, icons, target, version), pack_deb(root, folder, icons, target, version)]
