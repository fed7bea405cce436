"""The documents of the bench of passages: manuals out of Debian's packages, fetched by apt, one package each."""

import hashlib
import random
import subprocess
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
}
"""Which files, and how many of them at most, drawn by a fixed seed."""
_LARGEST = 600_000
"""Bytes"""


def fetch(folder: Path) -> None:
    """Each package into a folder of its own; what is there already stays. Raises CalledProcessError."""
    for package in PACKAGES:
        inside = folder / package
        if not inside.exists():
            inside.mkdir(parents=True)
            subprocess.run(["apt-get", "download", package], cwd=inside, check=True, stdout=subprocess.DEVNULL)
            for archive in inside.glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", archive, inside], check=True)


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
    return is_file and path.stat().st_size < _LARGEST
