"""How a bundle's size and speed are judged; the bundle itself is measured by hand."""

import statistics
import sys
from pathlib import Path

import pytest
from devtools import bundle_measures
from devtools.bundle_examination import Examination
from devtools.bundle_measures import size, stated_size
from devtools.bundle_screen import CheckFailedError, Screen
from devtools.bundle_subject import Subject

ROOT = Path(__file__).parents[2]
README = "It takes 3 MB (2 as a tar.gz). `--flavour vulkan` adds\ngraphics cards and 1 MB; it needs an SDK."
PROGRAM = """
import json, sys, time
tokens = int(sys.argv[2])
end = time.process_time() + {start} + {token} * tokens
while time.process_time() < end:
    pass
print(json.dumps({{"timings": {{"predicted_n": min(tokens, {most})}}}}))
"""


def examination(folder: Path) -> Examination:
    (folder / "bundle").mkdir()
    return Examination(Subject(folder / "bundle", folder), Screen(":0", folder), folder)


def test_the_readme_says_how_large_it_is() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert 100 < stated_size(readme, vulkan=False) < stated_size(readme, vulkan=True) < 1000
    assert (stated_size(README, vulkan=False), stated_size(README, vulkan=True)) == (3, 4)
    with pytest.raises(CheckFailedError, match="does not say"):
        stated_size("It is small.", vulkan=False)


def test_one_that_is_larger_than_the_readme_says_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    this = examination(tmp_path)
    (tmp_path / "README.md").write_text(README, encoding="utf-8")
    monkeypatch.setattr(bundle_measures, "ROOT", tmp_path)
    (this.subject.folder / "a").write_bytes(bytes(3_000_000))
    assert size(this) == "3 MB in 1 files; the README says 3"
    (this.subject.folder / "b").write_bytes(bytes(900_000))
    with pytest.raises(CheckFailedError, match="4 MB in 2 files"):
        size(this)
    this.libraries.mkdir(parents=True)
    (this.libraries / "libggml-vulkan.so").touch()
    assert size(this) == "4 MB in 3 files; the README says 4"


def test_a_tokens_cost_is_the_processors_without_start_and_prompt(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(start=0.3, token=0.006, most=100), encoding="utf-8")
    costs = [bundle_measures._a_token([sys.executable, "-I", str(program)], {}, tmp_path) for _ in range(3)]
    # Of three, since a machine that stands still for a moment counts as work.
    assert statistics.median(costs) == pytest.approx(0.006, rel=0.5)


def test_an_answer_that_ends_early_is_not_measured(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(PROGRAM.format(start=0, token=0, most=20), encoding="utf-8")
    with pytest.raises(CheckFailedError, match="ended after 20 tokens"):
        bundle_measures._a_token([sys.executable, "-I", str(program)], {}, tmp_path)
