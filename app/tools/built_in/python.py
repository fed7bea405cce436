"""Running Python code that a model has written, where it can reach nothing."""

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

from app.core.errors import UserError
from app.core.messages import ImagePart
from app.core.sentence import Sentence
from app.tools.built_in.python_child import AHEAD, COMMAND
from app.tools.built_in.source import Here, Source, source_name, tool
from app.tools.tool import Capability, Nature, ToolResult, to_model
from app.tools.watcher import APART

_SECONDS = 20.0
_UNTIL_READY = 600.0
"""Seconds: the first time on a machine it is compiled."""
_GRACE = 2.0
_PREPARING = Sentence("Preparing Python, once on this computer…")
_LINE = 32 << 20
"""Bytes: two million characters come out of it, which JSON may write with twelve each."""
_TRAPS = {
    "interrupt": "It ran longer than {seconds} seconds and was stopped.",
    "call stack": "It nests too deeply.",
}


class Python(Source):
    """`command` starts this program; `folder` is where machine code is kept that is made once."""

    name = source_name("python")
    tools = (
        tool(
            "python",
            to_model(
                "Runs Python code and gives what it prints, and the value of its last line. Python's standard library "
                "is there; files, the network and other packages are not. Each run begins anew. What a small "
                "matplotlib.pyplot draws (lines, bars, points, histograms, pies, boxes, heat maps) the user is shown; "
                "numpy is not there."
            ),
            Nature(frozenset({Capability.RUNS}), outside=False),
            code="Python 3",
        ),
    )

    def __init__(self, command: Sequence[str], folder: Path, seconds: float = _SECONDS) -> None:
        self._command = tuple(command)
        self._folder = folder
        self._seconds = seconds
        self._preparing = asyncio.Lock()

    async def prepare(self) -> None:
        """Compile ahead, in a child that lets others have the processor. Raises UserError."""
        async with self._preparing, self._child(AHEAD) as child:
            await _ready(child, lambda _: None)

    async def run(self, name: str, arguments: Mapping[str, Any], here: Here) -> ToolResult:
        if self._preparing.locked():
            here.tell(_PREPARING)
            # A call that is stopped does not stop what later ones need too.
            async with self._preparing:
                pass
        told = await self._told(str(arguments["code"]), here.tell)
        if "trap" in told:
            known = (sentence for mark, sentence in _TRAPS.items() if mark in told["trap"])
            return ToolResult(to_model(next(known, "It ended: {trap}."), seconds=int(self._seconds), **told), True)
        # What the code raises is a result like any other: the model reads it, and mends its code.
        text, plots = told["text"], told.get("plots", [])
        if plots:
            text += to_model("[Shown to the user: {n} plot(s)]", n=len(plots))
        if problem := told.get("problem"):
            text += to_model("[A plot could not be drawn: {problem}]", problem=problem)
        pictures = (ImagePart("", _name(n), data=base64.b64decode(plot)) for n, plot in enumerate(plots, 1))
        return ToolResult(text or to_model("It printed nothing."), pictures=tuple(pictures))

    async def _told(self, code: str, tell: Callable[[str], None]) -> dict[str, Any]:
        async with self._child() as child:
            await _ready(child, tell)
            assert child.stdin is not None
            child.stdin.write(json.dumps({"code": code}).encode() + b"\n")
            return await _line(child, self._seconds + _GRACE) or {"trap": "interrupt"}

    @asynccontextmanager
    async def _child(self, *more: str) -> AsyncIterator[asyncio.subprocess.Process]:
        child = await asyncio.create_subprocess_exec(
            *self._command, COMMAND, str(self._folder), str(self._seconds), *more,
            stdin=PIPE, stdout=PIPE, stderr=PIPE, limit=_LINE, **APART,
        )  # fmt: skip
        try:
            yield child
        finally:
            if child.returncode is None:
                child.kill()
            await child.wait()


async def _ready(child: asyncio.subprocess.Process, tell: Callable[[str], None]) -> None:
    """Raises UserError where it does not begin."""
    told = await _line(child, _UNTIL_READY)
    if "compiles" in told:
        tell(_PREPARING)
        told = await _line(child, _UNTIL_READY)
    if "ready" not in told:
        child.kill()
        _, words = await child.communicate()
        raise UserError("Python could not be begun.", detail=words.decode(errors="replace"))


async def _line(child: asyncio.subprocess.Process, seconds: float) -> dict[str, Any]:
    """Empty where none came in time."""
    assert child.stdout is not None
    try:
        async with asyncio.timeout(seconds):
            line = await child.stdout.readline()
    except TimeoutError:
        return {}
    try:
        told = json.loads(line)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}


def _name(number: int) -> str:
    return to_model("plot {n}.png", n=number)
