"""Where files lie, and what they are called: so that somebody who knows Qt and llama.cpp finds them by name."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PRIVATE = {"door", "desk", "shelf", "keeper", "wish", "paper", "voice", "manner", "habit", "outlet"}
FOLDERS = sorted({file.parent.relative_to(ROOT).as_posix() for file in (ROOT / "app").rglob("*.py")})


def words(name: str) -> set[str]:
    """Of a name in snake_case or CamelCase, in lower case and without a plural's s."""
    split = "".join(f"_{each}" if each.isupper() else each for each in name)
    return {each.lower().removesuffix("s") for each in split.split("_") if each}


@pytest.mark.parametrize("folder", FOLDERS)
def test_a_folder_holds_no_more_than_can_be_seen_at_once(folder: str) -> None:
    assert len(list((ROOT / folder).glob("*.py"))) <= 40


def test_names_are_the_field_s_own() -> None:
    found = []
    for file in (ROOT / "app").rglob("*.py"):
        classes = [each.name for each in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(each, ast.ClassDef)]
        found += [f"{file.name}: {name}" for name in (file.stem, *classes) if words(name) & PRIVATE]
    assert found == []
