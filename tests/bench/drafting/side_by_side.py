"""Programs that answer the same prompts side by side, a little of each in turns, and what is said of their times.

Sessions of one process take a token each in turns: a machine's moods may be shorter than a second. With slices of a
fifth of a second the times of two equal sessions were 3 % apart (standard deviation, answers of 64 tokens), and 1.3 %
token by token. llama-server is stopped in between, so it gets slices, and is compared with what gets slices too.

Where in memory a session comes to lie makes it faster or slower for as long as it is open, and that changes slowly: two
equal ones were 3.3 % apart (standard deviation of 12 openings, Q8_0). So they write each answer twice, first without
drafts, and what they are apart then is taken out. The two writings of an answer of 64 tokens still differ by 2 %.
"""

import json
import time
import urllib.request
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from unittest.mock import patch

import psutil

from app.core.cancel import CancelFlag
from app.core.events import Finished, TextDelta
from app.core.loading import FlashAttention, Loading
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import DrafterKind, Speculation
from app.engine.binding import nextn
from app.engine.drafting.drafting import Drafted, Drafting
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.bench.serving.programs import Program, llama_server
from tests.counted import counted

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
    return Timed(
        counted(told.predicted_n) - 1, seconds, counted(told.draft_n), counted(told.draft_n_accepted), sum(choosing)
    )


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


@contextmanager
def sessions_of(path: Path, loading: Loading, asked: Mapping[str, Speculation | None]) -> Iterator[dict[str, Session]]:
    """That know nothing yet, by name of what drafts for them."""
    with ExitStack() as stack:
        made = dict[str, Session]()
        for name, each in asked.items():
            made[name] = stack.enter_context(closing(opened(path, loading, each)))
            assert not made[name].info.drafting.problems, made[name].info.drafting.problems
        yield made


Served = Callable[[Sequence[int], int], Answering]
"""Answers a prompt with so many tokens."""


@contextmanager
def servers_of(
    program: Path | None,
    path: Path,
    loading: Loading,
    log: Path,
    prompt: Sequence[int],
    options: Mapping[str, Sequence[str]],
) -> Iterator[dict[str, Served]]:
    """llama-server, plain and with these `options`, by `server_` and name; nothing where there is no program."""
    if program is None:
        yield {}
        return
    with ExitStack() as stack:
        started = {
            name: stack.enter_context(server_of(program, path, loading, log, *each))
            for name, each in ({"plain": ()} | dict(options)).items()
        }
        for each in started.values():
            each.answered(prompt, 8)  # the first one pays for what is not read yet of the files

        def served(server: Server) -> Served:
            return lambda prompt, tokens: server.after(started["plain"].answered(prompt, 1), prompt, tokens)

        yield {f"server_{name}": served(each) for name, each in started.items()}


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
    """Sessions that answer the same prompts side by side."""

    def __init__(self, prompts: Sequence[Sequence[int]], tokens: int, threads: int) -> None:
        self._prompts = prompts
        self._tokens = tokens
        self._threads = threads
        self._turns: list[dict[str, Timed]] = []
        self._anyhow: list[dict[str, Timed]] = []
        """The same without drafts."""

    def take_turn(self, sessions: Mapping[str, Session], servers: Mapping[str, Served] | None = None) -> None:
        """`servers` answer a slice at a time, and so does the session `plain`, once more, to be compared with them.

        Each turn begins with another prompt: the first guesses of a program that knows nothing decide on many more.
        """
        anyhow, turn = list[dict[str, Timed]](), list[dict[str, Timed]]()
        begins = len(self._turns) % len(self._prompts)
        for prompt in [*self._prompts[begins:], *self._prompts[:begins]]:
            with without_drafts(sessions.values()):
                anyhow.append(side_by_side(self._answers(sessions, prompt)))
            found = side_by_side(self._answers(sessions, prompt))
            if servers:
                theirs = {name: each(prompt, self._tokens) for name, each in servers.items()}
                theirs |= self._answers({"beside": sessions["plain"]}, prompt)
                found |= side_by_side(theirs, _SLICE)
            turn.append(found)
        self._anyhow.append(_sums(anyhow))
        self._turns.append(_sums(turn))

    def _answers(self, sessions: Mapping[str, Session], prompt: Sequence[int]) -> dict[str, Answering]:
        request = ChatRequest((), Sampling(temperature=0.0, max_tokens=self._tokens), prompt=tuple(prompt))
        return {name: timed(each, request, self._threads) for name, each in sessions.items()}

    def middle(self, name: str, to: str) -> float:
        return median(self.proportions(name, to))

    def proportions(self, name: str, to: str) -> list[float]:
        """Of each turn, as they were measured."""
        return [_proportion(turn, name, to) for turn in self._turns]

    def gains(self, name: str, to: str) -> list[float]:
        """Of each turn, without what the two are apart anyhow."""
        anyhow = (_proportion(turn, name, to) for turn in self._anyhow)
        return [each / other for each, other in zip(self.proportions(name, to), anyhow, strict=True)]

    def undisturbed(self, name: str) -> list[float]:
        """Of the time, what did not go into drafts. Where none was checked, all the rest is plain decoding."""
        return [1 - turn[name].choosing / turn[name].seconds for turn in self._turns if not turn[name].drafted]

    def taken(self, name: str) -> str:
        last = self._turns[-1][name]
        return f"{last.accepted}/{last.drafted} taken" if last.drafted else ""


def _proportion(turn: Mapping[str, Timed], name: str, to: str) -> float:
    return turn[name].per_second / turn[to].per_second


def _sums(answers: Sequence[Mapping[str, Timed]]) -> dict[str, Timed]:
    return {name: _sum(each[name] for each in answers) for name in answers[0]}


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
