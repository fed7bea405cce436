"""Linux: what tells a desktop about the program, and the two forms in which people download it."""

import os
import shutil
import subprocess
import tarfile
import time
from collections.abc import Iterator
from pathlib import Path

from devtools.bundle_contents import APP_ID, SUMMARY
from devtools.bundle_elf import debian_packages, oldest_glibc, recommended_packages, system_libraries
from devtools.errors import SetUpError

_SHARE = {"hearth.desktop": "applications/hearth.desktop", "hearth.xml": "mime/packages/hearth.xml"}
_PROGRAM = Path("usr/lib/hearth")
_RENAMED = {"libglib2.0-0": "libglib2.0-0 | libglib2.0-0t64"}
_DEBIAN = {"x86_64": "amd64", "aarch64": "arm64"}
_README = """Hearth {version}

Start it with a double-click on `hearth`, or with ./hearth in a terminal; ./hearth --help tells the rest.
./install.sh puts it into the menu of this user's desktop, for .gguf files too; ./install.sh --remove undoes that.

It needs a system with glibc {glibc} or newer, and these packages, which most desktops have:

    {packages}

What these are for, printers and the like, it does without where they are missing:

    {recommended}
"""


def stamp(root: Path) -> int:
    """The time that packed files bear, in seconds: that of the last commit, so that the same source gives the same."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given:
        return int(given)
    told = subprocess.run(
        ["git", "-C", str(root), "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False
    )
    return int(told.stdout) if told.stdout.strip().isdigit() else int(time.time())


def share(root: Path, icons: Path, target: Path, version: str) -> None:
    """Writes the tree `share/`: desktop entry, icons, MIME type, and AppStream's description."""
    source = root / "packaging" / "linux"
    for name, place in _SHARE.items():
        (target / place).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / name, target / place)
    shutil.copytree(icons / "hicolor", target / "icons" / "hicolor", dirs_exist_ok=True)
    metainfo = target / "metainfo" / f"{APP_ID}.metainfo.xml"
    metainfo.parent.mkdir(parents=True, exist_ok=True)
    metainfo.write_text(metainfo_text(source / "metainfo.xml", version, stamp(root)), encoding="utf-8")


def metainfo_text(template: Path, version: str, seconds: int) -> str:
    date = time.strftime("%Y-%m-%d", time.gmtime(seconds))
    text = template.read_text(encoding="utf-8")
    for name, value in (("APP_ID", APP_ID), ("VERSION", version), ("DATE", date)):
        text = text.replace(f"@{name}@", value)
    return text


def pack_tar(root: Path, folder: Path, icons: Path, target: Path, version: str) -> Path:
    """`hearth-VERSION-linux-MACHINE.tar.gz`, which unpacks into one folder."""
    libraries = system_libraries(folder)
    packages, recommended = " ".join(debian_packages(libraries)), " ".join(recommended_packages(libraries))
    named = f"hearth-{version}-linux-{os.uname().machine}"
    shutil.rmtree(target.parent / named, ignore_errors=True)
    extra = target / "tar"
    shutil.rmtree(extra, ignore_errors=True)
    share(root, icons, extra / "share", version)
    shutil.copyfile(root / "packaging" / "linux" / "install.sh", extra / "install.sh")
    (extra / "install.sh").chmod(0o755)
    told = _README.format(version=version, glibc=oldest_glibc(folder), packages=packages, recommended=recommended)
    (extra / "README.txt").write_text(told, encoding="utf-8")
    archive = root / "dist" / f"{named}.tar.gz"
    seconds = stamp(root)

    def plain(info: tarfile.TarInfo) -> tarfile.TarInfo:
        info.uid = info.gid = 0
        info.uname = info.gname = ""
        info.mtime = seconds
        return info

    with tarfile.open(archive, "w:gz", compresslevel=6) as tar:
        for source in (folder, extra):
            for file in sorted(source.rglob("*")):
                if file.is_file() or file.is_symlink():
                    tar.add(file, f"{named}/{file.relative_to(source).as_posix()}", filter=plain)
    return archive


def pack_deb(root: Path, folder: Path, icons: Path, target: Path, version: str) -> Path:
    """`hearth_VERSION_ARCHITECTURE.deb`, made by dpkg-deb. Raises SetUpError without it."""
    if shutil.which("dpkg-deb") is None:
        raise SetUpError("A .deb is made by dpkg-deb, and it is not here: install the package dpkg.")
    tree = target / "deb"
    shutil.rmtree(tree, ignore_errors=True)
    shutil.copytree(folder, tree / _PROGRAM, symlinks=True)
    share(root, icons, tree / "usr" / "share", version)
    command = tree / "usr" / "bin" / "hearth"
    command.parent.mkdir(parents=True)
    command.symlink_to("../lib/hearth/hearth")
    copyright_ = tree / "usr" / "share" / "doc" / "hearth" / "copyright"
    copyright_.parent.mkdir(parents=True)
    shutil.copyfile(root / "LICENSE", copyright_)
    shutil.copytree(folder / "_internal" / "licences", copyright_.parent / "licences")
    machine = os.uname().machine
    architecture = _DEBIAN.get(machine, machine)
    control = tree / "DEBIAN" / "control"
    control.parent.mkdir()
    libraries = system_libraries(folder)
    packages, recommended = debian_packages(libraries), recommended_packages(libraries)
    told = control_text(version, architecture, packages, recommended, oldest_glibc(folder), _kilobytes(tree))
    control.write_text(told, encoding="utf-8")
    _permit(tree)
    package = root / "dist" / f"hearth_{version}_{architecture}.deb"
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(stamp(root))}
    argv = ["dpkg-deb", "--root-owner-group", "-Zzstd", "-z6", "--build", str(tree), str(package)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        raise SetUpError("dpkg-deb could not make the package:", done.stderr.strip())
    shutil.rmtree(tree)
    return package


def maintainer() -> str:
    """Who answers for the package: as Debian's own tools are told, and nobody who can be reached without that."""
    told = os.environ.get
    return f"{told('DEBFULLNAME') or 'The Hearth authors'} <{told('DEBEMAIL') or 'hearth@invalid'}>"


def control_text(
    version: str, architecture: str, packages: list[str], recommended: list[str], glibc: str, kilobytes: int
) -> str:
    """Debian's description of the package."""
    more = ["fonts-noto-core", "fonts-noto-color-emoji", "xdg-utils"]
    depends = ", ".join([f"libc6 (>= {glibc})", *(_RENAMED.get(each, each) for each in packages)])
    return (
        f"Package: hearth\nVersion: {version}\nArchitecture: {architecture}\nSection: utils\nPriority: optional\n"
        f"Maintainer: {maintainer()}\nInstalled-Size: {kilobytes}\nDepends: {depends}\n"
        f"Recommends: {', '.join([*recommended, *more])}\n"
        f"Description: {SUMMARY}\n"
        " Hearth opens a model file in the GGUF format and answers, with llama.cpp and without a network.\n"
        " A very small model comes with it.\n"
    )


def _kilobytes(tree: Path) -> int:
    return sum(file.stat().st_size for file in _files(tree)) // 1024


def _files(tree: Path) -> Iterator[Path]:
    return (file for file in tree.rglob("*") if file.is_file() and not file.is_symlink())


def _permit(tree: Path) -> None:
    """What everybody may read and only root may change, whatever the umask was."""
    for path in [tree, *tree.rglob("*")]:
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)
