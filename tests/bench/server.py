"""The same conversations on llama-server and on Hearth: entries reused, and time to the first token.

    python -m tests.bench.server MODEL.gguf [MODEL.gguf ...] --server LLAMA_SERVER [--skip reuse|time] [--pairs N]

llama-server must be of the llama.cpp commit that Hearth is built with; without --server nothing is done. Each
scenario starts both afresh. Both histories are the server's own answers, as text. The column "window" is Hearth with
the tokens that it generated an answer with, as the window and the terminal keep them; a client of the HTTP API has
the text alone. `tests.bench.talkers` writes small models of each kind of memory.
"""

import argparse
import logging
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.messages import Generation, Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.loader import open_session
from app.engine.session import Session
from tests.bench.programs import Chat, Program, Reply, hearth_serve, llama_server

LOADING = Loading(
    ctx_size=4096,
    gpu_layers=0,
    threads=1,
    flash_attn=FlashAttention.OFF,
    cache_type_k=CacheType.F32,
    cache_type_v=CacheType.F32,
)
N_PREDICT = 24
_GREEDY = Sampling(temperature=0.0, max_tokens=N_PREDICT)

SYSTEM = "You are a river, and you answer as rivers do: slowly, and always on the way to somewhere else. "
FIRST = "".join(f"In the year {year} the water rose to the {year % 7} th mark on the old stone. " for year in range(20))
SECOND = "What did the people on the hill say to that, and what did the others do when the evening came? "
THIRD = "And then, when the rain was over, who was the first to go down to the bridge again? "
FOURTH = "Who built the bridge? "
ELSEWHERE = "How many apples are in a basket when you take out three and put in nine, and who is counting? " * 4


class OwnSide:
    """Hearth in this process, with the answers either as text or as they were generated."""

    def __init__(self, session: Session, *, recorded: bool) -> None:
        self._session = session
        self._recorded = recorded
        self._said: dict[str, Generation] = {}

    def ask(self, chat: Chat) -> Reply:
        messages = tuple(self._message(each) for each in chat)
        *_, finished = self._session.reply(ChatRequest(messages, _GREEDY))
        assert isinstance(finished, Finished)
        if self._recorded:
            self._said[finished.text] = finished.generation
        timings = finished.timings
        return Reply(finished.text, timings.cache_n + timings.prompt_n, timings.cache_n)

    def _message(self, each: dict[str, str]) -> Message:
        role = Role(each["role"])
        generation = self._said.get(each["content"]) if role is Role.ASSISTANT else None
        return Message(role, (TextPart(each["content"]),), generation)


@dataclass(frozen=True)
class Compared:
    """One request on all sides."""

    server: Reply
    http: Reply
    window: Reply

    @property
    def remark(self) -> str:
        if self.server.total != self.http.total:
            return f"prompts differ: {self.server.total} and {self.http.total}"
        return "" if self.server.text == self.http.text else "answers differ"


class Talk:
    """A conversation with all sides at once."""

    def __init__(self, server: Program, http: OwnSide, window: OwnSide) -> None:
        self._server, self._http, self._window = server, http, window
        self.chat: Chat = []

    def say(self, first: str, *others: str) -> Compared:
        """Ask one question after the other, with the answers in between; the figures are the last one's."""
        self.chat.append({"role": "user", "content": first})
        compared = self.ask(self.chat)
        self.chat.append({"role": "assistant", "content": compared.server.text})
        return self.say(*others) if others else compared

    def ask(self, chat: Chat) -> Compared:
        """One request, which leaves the conversation as it is."""
        return Compared(self._server.ask(chat, N_PREDICT), self._http.ask(chat), self._window.ask(chat))


Scenario = Callable[[Talk], Iterator[Compared]]


def cold(talk: Talk) -> Iterator[Compared]:
    yield talk.say(FIRST)


def follow_up(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST)
    yield talk.say(SECOND)
    yield talk.say(THIRD)


def regenerate(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST, SECOND)
    yield talk.ask(talk.chat[:-1])
    yield talk.ask(talk.chat[:-1])


def after_regenerate(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST, SECOND)
    talk.ask(talk.chat[:-1])
    yield talk.say(THIRD)


def edit_last(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST, SECOND)
    yield talk.ask([*talk.chat[:-2], {"role": "user", "content": THIRD}])


def edit_end_of_last(talk: Talk) -> Iterator[Compared]:
    """A long question, changed near its end."""
    talk.say(SECOND, FIRST)
    yield talk.ask([*talk.chat[:-2], {"role": "user", "content": FIRST[:-30] + "and no more."}])


def edit_early(talk: Talk) -> Iterator[Compared]:
    """The second of four questions, from its middle on."""
    talk.say(FIRST, SECOND, THIRD, FOURTH)
    at = next(index for index, each in enumerate(talk.chat) if each["content"] == SECOND)
    changed = {"role": "user", "content": SECOND[: len(SECOND) // 2] + "and why? "}
    yield talk.ask([*talk.chat[:at], changed])


def edit_first(talk: Talk) -> Iterator[Compared]:
    """The first, long question, at 70 % and at 30 %."""
    talk.say(FIRST, SECOND, THIRD)
    at = next(index for index, each in enumerate(talk.chat) if each["content"] == FIRST)
    for tenths in (7, 3):
        cut = len(FIRST) * tenths // 10
        yield talk.ask([*talk.chat[:at], {"role": "user", "content": FIRST[:cut] + "or so. " + FIRST[cut:]}])


def shorter(talk: Talk) -> Iterator[Compared]:
    """Back to the first question, and less of it."""
    talk.say(FIRST, SECOND)
    at = next(index for index, each in enumerate(talk.chat) if each["content"] == FIRST)
    yield talk.ask([*talk.chat[:at], {"role": "user", "content": FIRST[: len(FIRST) * 6 // 10]}])


def back_to_first(talk: Talk) -> Iterator[Compared]:
    """Back to the first question as it was."""
    talk.say(FIRST, SECOND, THIRD)
    at = next(index for index, each in enumerate(talk.chat) if each["content"] == FIRST)
    yield talk.ask(talk.chat[: at + 1])


def there_and_back(talk: Talk) -> Iterator[Compared]:
    """Another conversation in between."""
    talk.say(FIRST, SECOND)
    yield talk.ask([*talk.chat[:0], {"role": "user", "content": ELSEWHERE}])
    yield talk.say(THIRD)


def changed_system(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST, SECOND)
    assert talk.chat[0]["role"] == "system"
    talk.chat[0] = {"role": "system", "content": SYSTEM + "Today is Friday."}
    yield talk.say(THIRD)


def answer_replaced(talk: Talk) -> Iterator[Compared]:
    """The history holds less than the model wrote, as where reasoning is dropped."""
    talk.say(FIRST)
    talk.chat[-1] = {"role": "assistant", "content": "Yes, it was so."}
    yield talk.say(SECOND)
    talk.chat[-1] = {"role": "assistant", "content": "They went home."}
    yield talk.say(THIRD)


SCENARIOS: dict[str, Scenario] = {
    "cold": cold,
    "follow-up": follow_up,
    "regenerate": regenerate,
    "follow-up after regenerate": after_regenerate,
    "edit last": edit_last,
    "edit the end of a long last": edit_end_of_last,
    "edit early": edit_early,
    "edit first": edit_first,
    "shorter": shorter,
    "back to the first": back_to_first,
    "another conversation and back": there_and_back,
    "changed system prompt": changed_system,
    "reasoning dropped": answer_replaced,
}


def compare(program: Path, model: Path, log: Path) -> tuple[int, int, int]:
    """Print a table for one model; returns the sums of entries reused: server, over HTTP, in the window."""
    print(f"\n{model.stem}\n{'scenario':32} {'prompt':>7} {'server':>7} {'hearth':>7} {'window':>7}")
    opened = open_session(model, LOADING, cancel=CancelFlag())
    assert opened is not None
    takes_system = _takes_system(opened[0])
    opened[0].close()
    sums = (0, 0, 0)
    for name, scenario in SCENARIOS.items():
        if scenario is changed_system and not takes_system:
            print(f"{name:32} the template takes no system prompt")
            continue
        steps = _played(program, model, log, scenario, system=takes_system)
        reused = _sum(step.server for step in steps), _sum(step.http for step in steps), _sum(s.window for s in steps)
        sums = (sums[0] + reused[0], sums[1] + reused[1], sums[2] + reused[2])
        total = sum(step.server.total for step in steps)
        remarks = {step.remark for step in steps if step.remark}
        behind = "BEHIND " if reused[1] < reused[0] else ""
        figures = " ".join(f"{figure:7}" for figure in (total, *reused))
        print(f"{name:32} {figures}  {behind}{'; '.join(sorted(remarks))}", flush=True)
    print(f"{'sum':32} {'':7} " + " ".join(f"{figure:7}" for figure in sums))
    return sums


def _sum(replies: Iterator[Reply]) -> int:
    return sum(reply.reused for reply in replies)


def _takes_system(session: Session) -> bool:
    """Where a template has no place for it, both put it before the first question, but not with the same blanks."""
    return session.chat._template.supports_system


def _played(program: Path, model: Path, log: Path, scenario: Scenario, *, system: bool) -> list[Compared]:
    sessions = []
    for _ in range(2):
        opened = open_session(model, LOADING, cancel=CancelFlag())
        assert opened is not None
        sessions.append(opened[0])
    try:
        with llama_server(program, model, LOADING, log) as server:
            talk = Talk(server, OwnSide(sessions[0], recorded=False), OwnSide(sessions[1], recorded=True))
            if system:
                talk.chat.append({"role": "system", "content": SYSTEM + "Today is Monday."})
            return list(scenario(talk))
    finally:
        for session in sessions:
            session.close()


def race(program: Path, model: Path, folder: Path, pairs: int) -> float:
    """Time to the first token of follow-ups on a long prompt, both over HTTP; returns the median ratio."""
    small = model.stat().st_size < 64 << 20
    loading = replace(LOADING, ctx_size=8192 if small else 4096)
    question = FIRST * 4 if small else FIRST + FIRST[: len(FIRST) // 2]
    times: list[tuple[float, float]] = []
    beyond: list[tuple[float, float]] = []
    with (
        llama_server(program, model, loading, folder / "server.log") as server,
        hearth_serve(model, loading, folder / "home") as own,
    ):
        sides = [(server, [{"role": "user", "content": question}]), (own, [{"role": "user", "content": question}])]
        colds = [side.time_to_first(chat, 4) for side, chat in sides]
        replies = [reply for _, reply in colds]
        for number in range(pairs):
            taken = {}
            for index in (0, 1) if number % 2 else (1, 0):
                side, chat = sides[index]
                chat += [
                    {"role": "assistant", "content": replies[index].text},
                    {"role": "user", "content": f"And what came {number} days after that?"},
                ]
                taken[index], replies[index] = side.time_to_first(chat, 4)
            times.append((taken[0], taken[1]))
            beyond.append((taken[0] * 1000 - replies[0].read_ms, taken[1] * 1000 - replies[1].read_ms))
    ratios = sorted(own / server for server, own in times)
    medians = [statistics.median(column) * 1000 for column in zip(*times, strict=True)]
    rest = [statistics.median(column) for column in zip(*beyond, strict=True)]
    print(
        f"{model.stem:20} {colds[0][1].total:6} entries  cold {colds[0][0]:6.2f} and {colds[1][0]:6.2f} s  "
        f"follow-up {medians[0]:7.1f} and {medians[1]:7.1f} ms  ratio {statistics.median(ratios):.2f} "
        f"({ratios[0]:.2f} to {ratios[-1]:.2f})  of that not reading {rest[0]:.1f} and {rest[1]:.1f} ms  last reused {replies[0].reused}/{replies[0].total} "
        f"and {replies[1].reused}/{replies[1].total}",
        flush=True,
    )
    return statistics.median(ratios)


def main() -> None:
    parser = argparse.ArgumentParser(description="Compare with llama-server.")
    parser.add_argument("models", type=Path, nargs="+", metavar="MODEL.gguf")
    parser.add_argument("--server", type=Path, help="llama-server of the same llama.cpp commit")
    parser.add_argument("--skip", choices=["reuse", "time"], help="leave out a part")
    parser.add_argument("--pairs", type=int, default=15)
    options = parser.parse_args()
    if options.server is None:
        print("Nothing is compared without --server LLAMA_SERVER.")
        return
    logging.disable(logging.WARNING)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if options.skip != "reuse":
            sums = [compare(options.server, model, folder / "server.log") for model in options.models]
            server, http, window = (sum(column) for column in zip(*sums, strict=True))
            print(f"\nReused in all: llama-server {server:,}, Hearth over HTTP {http:,}, in the window {window:,}")
        if options.skip != "time":
            print("\nTime to the first token, llama-server and Hearth, both over HTTP")
            ratios = [race(options.server, model, folder, options.pairs) for model in options.models]
            sys.exit(any(ratio > 1 for ratio in ratios))


if __name__ == "__main__":
    main()
