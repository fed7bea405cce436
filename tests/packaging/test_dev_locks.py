"""The lock files in the repository are complete and agree with pyproject.toml."""

import re
import tomllib
from pathlib import Path

import pytest
from devtools.environment import count_requirements, reading_of_pip

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "packaging" / "requirements"
NAMES = ("run", "test", "engine", "build", "bundle")


def pinned(name: str) -> dict[str, str]:
    """Version by package, of a lock file."""
    text = (FOLDER / f"{name}.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([a-z0-9-]+)==([^\s\\;]+)", text, re.MULTILINE))


def normal(requirement: str) -> str:
    found = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert found is not None
    return re.sub(r"[-_.]+", "-", found[0]).lower()


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_pinned_by_hash_and_nothing_names_an_index(name: str) -> None:
    text = (FOLDER / f"{name}.lock").read_text(encoding="utf-8")
    assert "://" not in text
    assert "--index" not in text
    assert "--find-links" not in text
    entries = [entry for entry in re.split(r"^(?=[a-z0-9])", text, flags=re.MULTILINE) if not entry.startswith("#")]
    assert len(entries) == count_requirements(text) > 0
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


def test_each_dependency_of_the_project_is_locked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    needed = project["project"]["dependencies"]
    running = pinned("run") | pinned("engine")
    testing = pinned("test")
    assert {normal(each) for each in needed} <= set(running)
    assert {normal(each) for each in project["dependency-groups"]["test"]} <= set(testing)
    exact = {normal(name): version for name, _, version in (each.partition("==") for each in needed) if version}
    assert {name: running[name] for name in exact} == exact


def test_the_lock_for_tests_holds_the_one_for_running() -> None:
    assert pinned("run").items() <= pinned("test").items()


def test_the_engine_is_built_apart() -> None:
    assert list(pinned("engine")) == ["llama-cpp-python"]
    assert "llama-cpp-python" not in pinned("test")
    assert {"cmake", "ninja", "scikit-build-core"} <= set(pinned("build"))


def test_a_package_for_every_platform_has_more_hashes_than_one_platform_has() -> None:
    """A lock made from what one machine has cached would list a file or two."""
    text = (FOLDER / "run.lock").read_text(encoding="utf-8")
    for name, least in (("numpy", 20), ("pillow", 20), ("pyside6-essentials", 4), ("shiboken6", 4), ("psutil", 8)):
        entry = text.split(f"\n{name}==", 1)[1]
        hashes = re.match(r"[^\n]*\n(?:    --hash=[^\n]*\n)*", entry)
        assert hashes is not None
        assert hashes[0].count("--hash=") >= least, name


def test_pip_is_followed_by_what_it_collects() -> None:
    read = reading_of_pip(4)
    assert read("Looking in indexes: x\n") is None
    assert read("Collecting numpy==2.4.6 (from -r run.lock (line 3))\n") == (0.1875, "numpy")
    assert read("Collecting pillow==13.0.0\n") == (0.375, "pillow")
    assert read("Installing collected packages: numpy, pillow\n") == (0.75, "unpacking")
