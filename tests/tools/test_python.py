"""Python that models write: what it can do, and what it can't."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from app.core.program import own_command
from app.tools.built_in.python import Python
from app.tools.built_in.python_child import COMMAND
from app.tools.built_in.source import Here

PREPARING = "Preparing Python, once on this computer…"
SLOW = """
import json, pathlib, sys, time
go = pathlib.Path(sys.argv[2], "go")
print(json.dumps({"compiles": True}), flush=True)
while not go.exists():
    time.sleep(0.01)
print(json.dumps({"ready": True}), flush=True)
if "ahead" not in sys.argv:
    sys.stdin.readline()
    print(json.dumps({"text": "4"}), flush=True)
"""
"""A child that compiles until it is told that that is enough."""


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Compiling takes ten seconds of a processor, once, and people are told so."""
    folder, told = tmp_path_factory.mktemp("compiled"), list[str]()
    asyncio.run(python(folder).run("python", {"code": ""}, Here(tell=told.append)))
    assert told == [PREPARING]
    return folder


def python(compiled: Path, *command: str, seconds: float = 60.0) -> Python:
    return Python(command or own_command(), compiled, seconds)


async def ran(compiled: Path, code: str, seconds: float = 60.0) -> str:
    return (await python(compiled, seconds=seconds).run("python", {"code": code}, Here())).text


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("print('a')\n2 ** 100", f"a\n{2**100}\n"),
        ("import statistics, fractions\nprint(statistics.median([1, 9, 5]), fractions.Fraction(1, 3) * 3)", "5 1\n"),
        ("def f():\n    yield from 'ab'\nlist(f())", "['a', 'b']\n"),
        ("from datetime import datetime\ndatetime.strptime('2026-11-24', '%Y-%m-%d').strftime('%A')", "'Tuesday'\n"),
        ("x = 1", "It printed nothing."),
        ("def f(:", '  File "<code>", line 1\n    def f(:\n          ^\nSyntaxError: invalid syntax\n'),
        ("print(1)\n1 / 0", '1\nTraceback (most recent call last):\n  File "<code>", line 2, in <module>\n'
         "ZeroDivisionError: division by zero\n"),
        ("import sys\nsys.exit('enough')", "enough\n"),
        ("import os\nos._exit(1)", "It printed nothing."),
    ],
)  # fmt: skip
async def test_what_comes_of_code(compiled: Path, code: str, text: str) -> None:
    assert await ran(compiled, code) == text


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("open('/etc/passwd')", "FileNotFoundError"),
        ("open('x', 'w')", "FileNotFoundError"),
        ("import os\nos.listdir('/')", "FileNotFoundError"),
        ("import os\nprint(dict(os.environ))", "{}"),
        ("import socket", "ModuleNotFoundError"),
        ("import subprocess\nsubprocess.run('ls')", "Error"),
        ("import ctypes", "ModuleNotFoundError"),
        ("x = [0] * 10**9", "MemoryError"),
        ("def f(): f()\nf()", "RecursionError"),
        ("(" * 5000, "nests too deeply"),
        ("input()", "EOFError"),
    ],
)
async def test_it_reaches_nothing_and_has_an_end(compiled: Path, code: str, told: str) -> None:
    assert told in await ran(compiled, code)


@pytest.mark.parametrize("code", ["while True: pass", "import time\ntime.sleep(60)"])
async def test_what_takes_too_long_is_stopped(compiled: Path, code: str) -> None:
    assert "longer than 2 seconds" in await ran(compiled, code, 2.0)


async def test_what_is_printed_without_end_is_cut(compiled: Path) -> None:
    assert len(await ran(compiled, "for _ in range(1000):\n    print('x' * 10_000)")) == 2_000_000
    # As JSON, it is far longer.
    assert len(await ran(compiled, "print('\N{GRINNING FACE}' * 3_000_000)")) == 2_000_000


async def test_what_is_compiled_is_not_compiled_again(compiled: Path) -> None:
    told: list[str] = []
    (code,) = compiled.glob("*.cwasm")
    made = code.stat().st_mtime_ns
    await python(compiled).prepare()
    assert (await python(compiled).run("python", {"code": "2 + 2"}, Here(tell=told.append))).text == "4\n"
    assert not told and code.stat().st_mtime_ns == made


async def test_a_call_waits_for_what_is_prepared_and_is_stopped_alone(tmp_path: Path) -> None:
    slow, told = python(tmp_path, sys.executable, "-c", SLOW), list[str]()
    ahead = asyncio.create_task(slow.prepare())
    await asyncio.sleep(0)
    calls = [asyncio.create_task(slow.run("python", {"code": ""}, Here(tell=told.append))) for _ in range(2)]
    while len(told) < 2:
        await asyncio.sleep(0.01)
    calls[0].cancel()
    with pytest.raises(asyncio.CancelledError):
        await calls[0]
    assert not ahead.done() and told == [PREPARING, PREPARING]
    (tmp_path / "go").touch()
    assert (await calls[1]).text == "4" and ahead.done()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_it_ends_with_the_program(compiled: Path) -> None:
    child = subprocess.Popen(
        [*own_command(), COMMAND, str(compiled), "60"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    with child:
        assert child.stdin is not None and child.stdout is not None
        child.stdout.readline()
        child.stdin.write(b'{"code": "import time\\ntime.sleep(60)"}\n')
        child.stdin.close()
        assert child.wait(timeout=45) == 1
