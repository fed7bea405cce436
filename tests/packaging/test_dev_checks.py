"""Which tests run where, and what their exit codes come to."""

import os
import sys
from pathlib import Path

import pytest
from devtools.background import BackgroundProgram
from devtools.checks import WALK, Check, Result, _run_all, environment_for, exit_code, pytest_parts
from devtools.errors import SetUpError
from devtools.layout import Layout


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    for name in ("core", "cli", "ui", "bench", "__pycache__"):
        (tmp_path / "tests" / name).mkdir(parents=True)
        (tmp_path / "tests" / name / "test_it.py").touch()
    (tmp_path / "tests" / "__pycache__" / "test_it.py").unlink()
    (tmp_path / "tests" / "test_bootstrap.py").touch()
    return Layout(tmp_path)


def paths(check: Check) -> list[str]:
    return [argument for argument in check.argv if argument.startswith("tests/")]


def codes(*numbers: int) -> list[Result]:
    return [Result("x", number, 0.0) for number in numbers]


def test_all_folders_that_exist_are_in_one_of_the_parts(layout: Layout) -> None:
    headless, qt = pytest_parts(layout, [], onscreen=False)
    assert paths(headless) == ["tests/core", "tests/cli"]
    assert paths(qt) == ["tests/ui", "tests/test_bootstrap.py"]
    assert "no:pytest-qt" in headless.argv
    assert "no:pytest-qt" not in qt.argv


def test_a_folder_of_tests_that_nobody_runs_is_refused(layout: Layout) -> None:
    (layout.root / "tests" / "enginee").mkdir()
    (layout.root / "tests" / "enginee" / "test_it.py").touch()
    with pytest.raises(SetUpError, match="tests/enginee belongs to no part"):
        pytest_parts(layout, [], onscreen=False)


def test_named_paths_go_to_their_own_part(layout: Layout) -> None:
    only = pytest_parts(layout, ["-x", "tests/core/test_it.py::test_a", "-k", "tests"], onscreen=False)
    assert [check.name for check in only] == ["pytest, headless"]
    assert only[0].argv[3:] == (
        "-x", "-k", "tests", "-p", "tests.headless_plugin", "-p", "no:pytest-qt",
        "-o", "cache_dir=.pytest_cache/headless", "tests/core/test_it.py::test_a",
    )  # fmt: skip
    both = pytest_parts(layout, ["tests/core", "tests/ui"], onscreen=False)
    assert [paths(check) for check in both] == [["tests/core"], ["tests/ui"]]


def test_the_walk_is_a_part_of_its_own_where_all_tests_run(layout: Layout) -> None:
    assert (Path(__file__).parents[2] / WALK).exists()
    (layout.root / WALK).parent.mkdir()
    (layout.root / WALK).touch()
    _, walk, qt = pytest_parts(layout, [], onscreen=False)
    assert paths(walk) == [WALK]
    assert paths(qt) == ["tests/ui", "tests/e2e", "tests/test_bootstrap.py"]
    assert f"--ignore={WALK}" in qt.argv
    for named in (["tests/e2e"], ["-k", "walk"]):
        assert not any(f"--ignore={WALK}" in check.argv for check in pytest_parts(layout, named, onscreen=False))


# Ends once all of them have begun, and only then.
MEETING = """
import sys
from pathlib import Path
mine, *others = sys.argv[1:]
print(mine, "begins", flush=True)
Path(mine).touch()
while not all(Path(other).exists() for other in others):
    pass
print(mine, "ends")
sys.exit(len(mine))
"""


def test_parts_run_side_by_side_and_print_one_after_another(
    layout: Layout, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(layout.root)
    names = ("a", "bb", "ccc")
    parts = [Check(name, (sys.executable, "-c", MEETING, name, *names)) for name in names]
    results = _run_all(layout, [Check("static", (sys.executable, "-c", "print('static')"))], parts)
    assert [(result.name, result.code) for result in results] == [("static", 0), ("a", 1), ("bb", 2), ("ccc", 3)]
    assert all(result.seconds > 0 for result in results)
    told = [line for line in capfd.readouterr().out.splitlines() if line and not line.startswith("[")]
    assert told == ["static", "ccc begins", "ccc ends", "a begins", "a ends", "bb begins", "bb ends"]


def test_an_interruption_ends_what_runs_in_the_background_and_shows_what_it_said(
    layout: Layout, capfd: pytest.CaptureFixture[str]
) -> None:
    begun = layout.root / "begun"
    waits = (sys.executable, "-c", MEETING, str(begun), "never")
    with pytest.raises(KeyboardInterrupt), BackgroundProgram(waits, layout.root, os.environ) as program:
        while not begun.exists():
            pass
        raise KeyboardInterrupt
    assert program.wait() != 0, "or this would not end"
    assert capfd.readouterr().out == f"{begun} begins\n"


def test_qt_draws_into_memory_unless_it_is_watched() -> None:
    hidden, shown = Check("a", ()), Check("a", (), onscreen=True)
    assert environment_for(hidden, {"QT_QPA_PLATFORM": "xcb"})["QT_QPA_PLATFORM"] == "offscreen"
    assert environment_for(shown, {"QT_QPA_PLATFORM": "xcb"})["QT_QPA_PLATFORM"] == "xcb"
    assert "QT_QPA_PLATFORM" not in environment_for(shown, {"QT_QPA_PLATFORM": "offscreen"})


def test_children_find_compiled_what_they_import() -> None:
    assert "PYTHONDONTWRITEBYTECODE" not in environment_for(Check("a", ()), {"PYTHONDONTWRITEBYTECODE": "1"})


@pytest.mark.parametrize(
    ("given", "selective", "code"),
    [
        ((0, 0), False, 0),
        ((0, 1, 2), False, 1),
        ((0, 5), True, 0),
        ((5, 0), True, 0),
        ((5, 5), True, 5),
        ((5, 1), True, 5),
        ((0, 5), False, 5),
        ((0, -6), False, 134),
        ((-6, 5), True, 134),
    ],
)
def test_the_exit_code_is_zero_only_when_everything_passed(given: tuple[int, ...], selective: bool, code: int) -> None:
    assert exit_code(codes(*given), selective=selective) == code
    assert (code == 0) == (exit_code(codes(*given), selective=selective) == 0)


def test_an_abort_after_passed_tests_has_a_name() -> None:
    assert Result("x", -6, 0.0).word == "died of SIGABRT"
