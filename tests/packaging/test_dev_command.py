"""What belongs to dev.py on its command line, and what goes through."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from devtools.command import Request, UsageError, main, parse

DEV = Path(__file__).parents[2] / "packaging" / "dev.py"


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        (["run"], Request("run")),
        (["run", "ask", "hello you"], Request("run", ("ask", "hello you"))),
        (["run", "--wheels", "cpu", "ask", "--wheels"], Request("run", ("ask", "--wheels"), "cpu")),
        (["--wheels=rocm", "run", "--help"], Request("run", ("--help",), "rocm")),
        (["--wheels", "build", "setup"], Request("setup", (), "build")),
        (["run", "--", "--wheels", "cpu"], Request("run", ("--wheels", "cpu"))),
        (["run", "run", "test"], Request("run", ("run", "test"))),
        (["run", "--onscreen"], Request("run", ("--onscreen",))),
        (["test", "-k", "reuse"], Request("test", ("-k", "reuse"))),
        (["test", "-x", "--onscreen", "-k", "run"], Request("test", ("-x", "-k", "run"), onscreen=True)),
        (["--onscreen", "test"], Request("test", onscreen=True)),
        (["lock", "--upgrade"], Request("lock", upgrade=True)),
    ],
)
def test_options_around_the_command_are_ours_and_the_rest_goes_through(line: list[str], request_: Request) -> None:
    assert parse(line) == request_


@pytest.mark.parametrize(
    "line", [["dance"], ["--wheels", "gpu", "run"], ["run", "--wheels"], ["--wheels", "cpu"], ["setup", "x"]]
)
def test_wrong_usage_is_told_and_ends_with_2(line: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UsageError):
        parse(line)
    assert main(line) == 2
    assert "Usage:" in capsys.readouterr().err


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--help"]) == 0
    shown = capsys.readouterr().out
    assert all(f"  {command} " in shown for command in ("run", "test", "setup", "lock"))


def test_an_older_python_reaches_the_sentence_about_it() -> None:
    ast.parse(DEV.read_text(encoding="utf-8"), feature_version=(3, 8))
    pretend = "import sys; sys.version_info = (3, 8, 1, 'final', 0); import runpy; runpy.run_path({!r})"
    done = subprocess.run([sys.executable, "-c", pretend.format(str(DEV))], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Hearth needs Python 3.11 or newer, and this is Python 3.8:")
    assert len(done.stderr.splitlines()) == 1


def test_the_guides_own_arguments_are_passed_on() -> None:
    assert parse(["guide", "evaluate", "--kind", "picture"]) == Request("guide", ("evaluate", "--kind", "picture"))
    assert parse(["guide"]) == Request("guide")
