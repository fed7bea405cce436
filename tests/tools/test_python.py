"""Python that models write: what it can do, and what it can't."""

import asyncio
import io
import subprocess
import sys
from pathlib import Path

import pytest
from PIL import Image

from app.core.program import own_command
from app.tools.built_in.python import Python
from app.tools.built_in.python_child import COMMAND
from app.tools.built_in.source import Here
from app.tools.tool import ToolResult

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


async def plotted(compiled: Path, code: str) -> ToolResult:
    return await python(compiled).run("python", {"code": f"import matplotlib.pyplot as plt\n{code}"}, Here())


def sizes(result: ToolResult) -> list[tuple[int, int]]:
    return [Image.open(io.BytesIO(each.data)).size for each in result.pictures]


MANY_WAYS = """
import datetime, math
days = [datetime.date(2026, 1, 1) + datetime.timedelta(days=n) for n in range(9)]
fig, axs = plt.subplots(2, 3, figsize=(9, 6))
axs[0, 0].plot(days, range(9), "r--o", label="a")
axs[0, 1].bar(["x", "y"], [1, 2], yerr=[0.1, 0.2], color=["red", "blue"])
axs[0, 2].hist([[1, 2, 2], [3]], bins=3, label=["one", "two"], stacked=True)
axs[1, 0].scatter([1, 2, 3], [4, 5, 6], c=[1, 2, 3], s=[10, 20, 30], cmap="hot")
axs[1, 1].pie([1, 2], labels=["p", "q"], autopct="%.0f%%")
axs[1, 2].boxplot([[1, 2, 3, 9], [2, 3, 4]], labels=["s", "t"])
for ax in axs.flat[:3]:
    ax.legend()
plt.figure()
plt.fill_between([0, 1, 2], [0, 1, 0], where=[True, True, False])
plt.stackplot([0, 1], [1, 2], [3, 4], labels=["m", "n"])
plt.axhline(1); plt.axvspan(0.2, 0.4, alpha=0.3); plt.annotate("here", (1, 1), (0.5, 2), arrowprops={})
plt.semilogy(); plt.step([0, 1], [1, 2]); plt.imshow([[0, 1], [1, 0]]); plt.colorbar(label="heat")
plt.xlim(0, 3); plt.xticks([0, 1], ["zero", "one"], rotation=45); plt.grid(True); plt.tight_layout()
plt.savefig("a.png"); plt.savefig("a.pdf"); plt.close()
print(math.pi > 3)
"""


async def test_what_code_draws_is_a_picture(compiled: Path) -> None:
    result = await plotted(compiled, MANY_WAYS)
    assert result.text == "True\n[Shown to the user: 2 plot(s)]", "one that was saved twice is one"
    assert sorted(sizes(result)) == [(960, 720), (1350, 900)]
    assert [each.name for each in result.pictures] == ["plot 1.png", "plot 2.png"]


WRONG = """
def tried(act):
    try:
        act()
    except Exception as error:
        print(error)
tried(lambda: plt.contourf([[1]]))
tried(lambda: plt.plot([1], [2], wobble=3))
tried(lambda: plt.plot([1, 2], [3]))
tried(lambda: plt.subplot(projection="polar"))
tried(lambda: __import__("matplotlib.patches"))
plt.plot([1], color="nosuch")
"""


async def test_what_can_not_be_drawn_is_told(compiled: Path) -> None:
    result = await plotted(compiled, WRONG)
    told = result.text.splitlines()
    assert told[0].startswith("matplotlib.pyplot here is small and has no contourf. It has: annotate, axhline, ")
    assert told[1:5] == [
        "matplotlib here does not know the option wobble",
        "x and y must have same first dimension, but have 2 and 1",
        "matplotlib here draws no polar and no 3D plots",
        "No module named 'matplotlib.patches'",
    ]
    assert (
        told[-1].startswith("[A plot could not be drawn: ValueError: unknown color specifier") and not result.pictures
    )


async def test_what_was_drawn_before_an_error_is_shown(compiled: Path) -> None:
    result = await plotted(compiled, "plt.plot([1, 2])\nplt.show()\n1 / 0")
    assert "ZeroDivisionError" in result.text and len(result.pictures) == 1


async def test_large_and_hostile_figures_have_an_end(compiled: Path) -> None:
    points = "x = range(20_000)\nplt.plot(x, [n % 977 for n in x])\nplt.figure()\nplt.show()"
    assert sizes(await plotted(compiled, points)) == [(960, 720)]
    many = "for n in range(20):\n    plt.figure(figsize=(1e9, 0)); plt.plot([n])"
    assert sizes(await plotted(compiled, many)) == [(2400, 300)] * 8
    for forged in ("'no JSON'", "'[7]'", '\'[{"size": [1e999, 1], "title": 0, "axes": [7]}]\'', "1 / 0"):
        result = await plotted(compiled, f"import sys\nsys.modules['plots.pyplot'].drawn = lambda: {forged}")
        assert "[A plot could not be drawn: " in result.text and not result.pictures
