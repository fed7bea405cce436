"""Programs that answer the same prompts side by side, a little of each in turns, and what is said of their times.

Sessions of one process take a token each in turns: a machine's moods may be shorter than a second. With slices of a
fifth of a second the times of two equal sessions were 3 % apart (standard deviation, answers of 64 tokens), and 1.3 %
token by token. llama-server is stopped in between, so it gets slices, and is compared with what gets slices too.

Where in memory a session comes to lie makes it faster or slower for as long as it is open: two equal ones were 3.3 %
apart (standard deviation of 12 openings, Q8_0). So they write without any drafts before and after what is compared, and
what they are apart then is taken out of what is said of drafts (`without_drafts`, `Case.proportions`).
"""

import json
import time
import urllib.request
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean, median
from unittest.mock import patch

import psutil

from app.core.cancel import CancelFlag
from app.core.events import Finished, TextDelta
from app.core.loading import FlashAttention, Loading
from app.core.requests import ChatRequest
from app.core.speculation import DrafterKind, Speculation
from app.engine.binding import nextn
from app.engine.drafting.drafting import Drafted, Drafting
from app.engine.drafting.opening import DraftPlan
from app.engine.loader import open_session
from app.engine.session import Session
from tests.bench.programs import Program, llama_server

NO_LOSS, AS_SERVER = 0.98, 0.97
"""Bars: as fast as plain decoding, and as much gained as llama-server gains."""
_SLICE = 0.2
"""Seconds, of programs that are stopped in between."""


@dataclass(frozen=True)
class Timed:
    tokens: int
    seconds: float
    drafted: int = 0
    accepted: int = 0
    choosing: float = 0.0
    """Of the seconds, those in which it was decided on drafts, and drafts were made."""

    @property
    def per_second(self) -> float:
        return self.tokens / self.seconds


Clock = Callable[[], float]
Answering = Generator[None, None, Timed]
"""Answers a little at a time."""


def clock_of(threads: int, process: psutil.Process) -> Clock:
    """With one thread the processor time of another process, which Linux numbers the clocks of by its id."""
    clock = (~process.pid << 3) | 2
    return (lambda: time.clock_gettime(clock)) if threads == 1 else time.perf_counter


def timed(session: Session, request: ChatRequest, threads: int) -> Answering:
    clock = time.process_time if threads == 1 else time.perf_counter
    session.slot.forget()
    seconds, began, last = 0.0, None, None
    with choosing_timed(session.drafting, clock) as choosing:
        for event in session.reply(request):
            now, last = clock(), event
            if began is None:
                # From the first token on: reading the prompt is not what is compared.
                began = now if isinstance(event, TextDelta) else None
            else:
                seconds += now - began
                yield
                began = clock()
    assert began is not None
    assert isinstance(last, Finished)
    seconds += clock() - began
    told = last.timings
    return Timed(told.predicted_n - 1, seconds, told.draft_n, told.draft_n_accepted, sum(choosing))


@contextmanager
def choosing_timed(drafting: Drafting | None, clock: Clock) -> Iterator[list[float]]:
    """Seconds of each choice of a draft, with the making of it."""
    spent: list[float] = []
    if drafting is None:
        yield spent
        return
    choose = drafting.choose

    def timing(history: Sequence[int], last: int, room: int, pending: int) -> Drafted | None:
        began = clock()
        try:
            return choose(history, last, room, pending)
        finally:
            spent.append(clock() - began)

    with patch.object(drafting, "choose", timing):
        yield spent


def _sum(parts: Iterable[Timed]) -> Timed:
    each = tuple(parts)
    names = ("tokens", "seconds", "drafted", "accepted", "choosing")
    return Timed(*(sum(getattr(part, name) for part in each) for name in names))


@dataclass(frozen=True)
class Server:
    """llama-server, and what it has spent."""

    program: Program
    process: psutil.Process
    clock: Clock

    def after(self, reading: Timed, prompt: Sequence[int], tokens: int) -> Answering:
        """`answered` without what plain decoding takes for the prompt and its first token, and stopped in between.

        So what is read for drafts counts. `reading` is best measured right before, while no server is stopped.
        """
        seconds = -reading.seconds
        with ThreadPoolExecutor(1) as pool:
            answer = pool.submit(self.answered, prompt, tokens)
            while not answer.done():
                self.process.resume()
                began = self.clock()
                while self.clock() < began + _SLICE and not answer.done():
                    time.sleep(_SLICE / 100)
                self.process.suspend()
                seconds += self.clock() - began
                yield
            self.process.resume()
            whole = answer.result()
        return replace(whole, tokens=whole.tokens - reading.tokens, seconds=seconds)

    def answered(self, prompt: Sequence[int], tokens: int) -> Timed:
        body = {"prompt": list(prompt), "n_predict": tokens, "temperature": 0, "cache_prompt": False}
        request = urllib.request.Request(
            f"{self.program.base}/completion", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        began = self.clock()
        with urllib.request.urlopen(request, timeout=900) as response:
            told = json.load(response)["timings"]
        seconds = self.clock() - began
        return Timed(told["predicted_n"], seconds, told.get("draft_n", 0), told.get("draft_n_accepted", 0))


@contextmanager
def server_of(program: Path, model: Path, loading: Loading, log: Path, *options: str) -> Iterator[Server]:
    """Without flash attention, which is Hearth's own choice on a processor."""
    before = {each.pid for each in psutil.Process().children()}
    with llama_server(program, model, replace(loading, flash_attn=FlashAttention.OFF), log, *options) as server:
        (process,) = (each for each in psutil.Process().children() if each.pid not in before)
        yield Server(server, process, clock_of(loading.threads, process))


def opened(path: Path, loading: Loading, asked: Speculation | None) -> Session:
    made = open_session(path, loading, cancel=CancelFlag(), drafts=DraftPlan(asked) if asked is not None else None)
    assert made is not None
    return made[0]


@contextmanager
def without_drafts(sessions: Iterable[Session]) -> Iterator[None]:
    """They write as if they had been opened without, in the memory where they lie. It teaches them nothing."""
    with ExitStack() as stack:
        for session in sessions:
            if session.drafting is not None and DrafterKind.MTP in session.info.drafting.ready:
                nextn.give_rows(session.slot.context, wanted=False)
                stack.callback(nextn.give_rows, session.slot.context, wanted=True)
            stack.enter_context(patch.object(session, "drafting", None))
            stack.enter_context(patch.object(session.slot, "companion", None))
        yield


Answer = Callable[[int], Answering]
"""Answers the prompt of that number."""


def side_by_side(answers: Mapping[str, Answering], slices: float = 0.0) -> dict[str, Timed]:
    """All of them, in turns, for `slices` seconds each; a token each if that is 0."""
    found: dict[str, Timed] = {}
    while len(found) < len(answers):
        for name, answer in answers.items():
            until = time.perf_counter() + slices
            while name not in found:
                try:
                    next(answer)
                except StopIteration as done:
                    found[name] = done.value
                if time.perf_counter() >= until:
                    break
    return found


class Case:
    """Contestants that answer the same prompts side by side."""

    def __init__(self, n_prompts: int) -> None:
        self._n_prompts = n_prompts
        self._turns: list[dict[str, Timed]] = []

    def take_turn(self, ours: Mapping[str, Answer], in_slices: Mapping[str, Answer] | None = None) -> None:
        """`ours`: of this process. `in_slices`: llama-server, and what is compared with it."""
        parts: dict[str, list[Timed]] = {}
        for number in range(self._n_prompts):
            found = side_by_side({name: each(number) for name, each in ours.items()})
            found |= side_by_side({name: each(number) for name, each in (in_slices or {}).items()}, _SLICE)
            for name, took in found.items():
                parts.setdefault(name, []).append(took)
        self._turns.append({name: _sum(each) for name, each in parts.items()})

    def middle(self, name: str, to: str) -> float:
        return median(self.proportions(name, to))

    def proportions(self, name: str, to: str, controls: "Sequence[Case]" = ()) -> list[float]:
        """Of each turn. What they are apart in the same turn of `controls`, in the middle, is no part of it."""
        found = [turn[name].per_second / turn[to].per_second for turn in self._turns]
        anyhow = [each.proportions(name, to) for each in controls] or [[1.0] * len(found)]
        return [each / fmean(others) for each, *others in zip(found, *anyhow, strict=True)]

    def undisturbed(self, name: str) -> list[float]:
        """Of the time, what did not go into drafts. Where none was checked, all the rest is plain decoding."""
        return [1 - turn[name].choosing / turn[name].seconds for turn in self._turns if not turn[name].drafted]

    def taken(self, name: str) -> str:
        last = self._turns[-1][name]
        return f"{last.accepted}/{last.drafted} taken" if last.drafted else ""


class Table:
    """Prints a line for each proportion, and knows whether one misses its bar."""

    def __init__(self) -> None:
        self.missed = False

    def line(self, what: str, found: Sequence[float], bar: float, more: str = "") -> None:
        middle = median(found)
        self.missed |= middle < bar
        verdict = "  ok  " if middle >= bar else "MISSED" if bar else ""
        spread = f"({min(found):.2f} to {max(found):.2f})"
        print(f"{what:44} {middle:5.2f} {spread:16} bar {bar:4.2f} {verdict} {more}", flush=True)
