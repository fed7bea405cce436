"""The same conversations with pictures on llama-server and on Hearth: entries reused, pictures encoded, first tokens.

    python -m tests.bench.context.pictures --server LLAMA_SERVER [--family NAME ...] [--pairs N] [--skip reuse|time]

llama-server must be of the llama.cpp commit that Hearth is built with. The conversations run on tiny random models of
each family, one after the other in one process on either side, so that both may use all that they keep; histories are
the server's own answers, as text. A picture counts once, in however many slices it is encoded, and whether one by one
or all at once. Times to the first token are of text follow-ups to a 12-megapixel photo, over HTTP on
both sides, with the model that comes with Hearth. Exits with 1 where Hearth reuses less or looks at more in all, or
where its first token takes more than a third of the server's.
"""

import argparse
import io
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import Loading
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.resources import GUIDE
from app.core.sampling import Sampling
from app.engine.loading.loader import open_session
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.reply.session import Session
from tests.bench.context.conversations import (
    ELSEWHERE,
    FIRST,
    FOURTH,
    PICTURES,
    SECOND,
    SYSTEM,
    THIRD,
    Content,
    message_parts,
    shown,
)
from tests.bench.context.server import LOADING
from tests.bench.serving.programs import Program, hearth_serve, llama_server
from tests.counted import counted
from tests.tiny_vision import VISION_MAKERS

_N_PREDICT = 16
_TOKENS = 64
_ENCODING = ("encoding mtmd batch", "encoding image", "encoding image slice")
Chat = list[dict[str, Any]]


def photo() -> bytes:
    """12 megapixels of soft noise, as a camera's JPEG."""
    coarse = np.random.default_rng(0).integers(0, 256, (60, 80, 3), dtype=np.uint8)
    written = io.BytesIO()
    Image.fromarray(coarse).resize((4000, 3000), Image.Resampling.BICUBIC).save(written, "JPEG", quality=90)
    return written.getvalue()


A, B, C = PICTURES


@dataclass
class OwnSide:
    """Hearth in this process."""

    session: Session

    def ask(self, chat: Chat) -> Finished:
        messages = tuple(Message(Role(each["role"]), tuple(message_parts(each["content"]))) for each in chat)
        *_, finished = self.session.reply(ChatRequest(messages, Sampling(temperature=0.0, max_tokens=_N_PREDICT)))
        assert isinstance(finished, Finished)
        return finished

    @property
    def encodes(self) -> int:
        assert self.session._media is not None
        return self.session._media.mtmd.encodes


@dataclass
class Step:
    name: str
    total: int
    server: int
    own: int
    server_encodes: int
    own_encodes: int
    prompts_differ: bool


@dataclass
class Both:
    """One conversation after the other, on both sides."""

    server: Program
    log: Path
    own: OwnSide
    chat: Chat = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)

    def say(self, name: str, content: Content) -> None:
        self.chat.append({"role": "user", "content": content})
        text = self.ask(name, self.chat)
        self.chat.append({"role": "assistant", "content": text})

    def ask(self, name: str, chat: Chat) -> str:
        looked, own_looked = self._server_encodes(), self.own.encodes
        reply = self.server.ask(chat, _N_PREDICT)
        finished = self.own.ask(chat)
        timings = finished.timings
        differ = reply.total != counted(timings.cache_n) + counted(timings.prompt_n)
        encodes = self._server_encodes() - looked, self.own.encodes - own_looked
        self.steps.append(Step(name, reply.total, reply.reused, counted(timings.cache_n), *encodes, differ))
        return reply.text

    def _server_encodes(self) -> int:
        lines = self.log.read_text(errors="replace").splitlines()
        return sum(any(sign in line for sign in _ENCODING) for line in lines)


def play(talk: Both, *, system: bool) -> None:
    """What people do with pictures in a conversation, each step as one line of the table."""
    opening: Chat = [{"role": "system", "content": SYSTEM}] if system else []
    talk.chat = list(opening)
    talk.say("cold, picture A", shown(A, FIRST))
    talk.say("text follow-up", SECOND)
    talk.say("picture B in turn 3", shown(B, THIRD))
    talk.ask("regenerate", talk.chat[:-1])
    whole = list(talk.chat)
    n = len(opening)
    talk.ask("edit after the last picture", [*whole[:-2], {"role": "user", "content": shown(B, "No: " + THIRD)}])
    edited = {"role": "user", "content": SECOND[: len(SECOND) // 2] + "and why? "}
    talk.ask("edit between A and B", [*whole[: n + 2], edited, *whole[n + 3 : -1]])
    before = {"role": "user", "content": shown("So. ", A, FIRST)}
    talk.ask("edit before A", [*opening, before, *whole[n + 1 : -1]])
    talk.ask("another conversation, text", [*opening, {"role": "user", "content": ELSEWHERE}])
    talk.ask("and back", [*whole, {"role": "user", "content": FOURTH}])
    talk.ask("new conversation, picture A", [*opening, {"role": "user", "content": shown(A, ELSEWHERE)}])
    talk.ask("A twice in one message", [*opening, {"role": "user", "content": shown(A, "and ", A, SECOND)}])
    last: Chat = [*opening, {"role": "user", "content": shown(SECOND, C)}]
    talk.ask("picture C ends the message", last)
    talk.ask("regenerate", last)
    talk.ask("C replaced by B", [*opening, {"role": "user", "content": shown(SECOND, B)}])
    talk.ask("back to turn 2", whole[: n + 3])


@contextmanager
def own_side(model: Path, mmproj: Path, loading: Loading) -> Iterator[OwnSide]:
    stores = MediaStores(NoMedia(), EmbeddingCache(1 << 28, None, 0))
    opened = open_session(model, loading, cancel=CancelFlag(), projector=Projector(mmproj, stores, _TOKENS))
    assert opened is not None
    try:
        yield OwnSide(opened[0])
    finally:
        opened[0].close()


def compare(program: Path, family: str, folder: Path) -> bool:
    model, mmproj = VISION_MAKERS[family](folder)
    log = folder / "server.log"
    log.touch()
    # Non-causal pictures must fit a micro-batch on both sides.
    loading = replace(LOADING, ubatch_size=512)
    more = ("--mmproj", str(mmproj), "--image-max-tokens", str(_TOKENS), "-lv", "4")
    with llama_server(program, model, loading, log, *more) as server, own_side(model, mmproj, loading) as own:
        talk = Both(server, log, own)
        play(talk, system=own.session.chat.chat_format().template.supports_system)
    # The first step looks at one picture.
    per_picture = talk.steps[0].server_encodes, talk.steps[0].own_encodes
    for step in talk.steps:
        step.server_encodes //= per_picture[0]
        step.own_encodes //= per_picture[1]
    print(f"\n{family}\n{'':32} {'prompt':>7} {'server':>7} {'hearth':>7}  pictures encoded")
    for step in talk.steps:
        behind = ("  BEHIND" if step.own < step.server else "") + ("  PROMPTS DIFFER" if step.prompts_differ else "")
        runs = f"{step.server_encodes:3} {step.own_encodes:3}"
        print(f"{step.name:32} {step.total:7} {step.server:7} {step.own:7}  {runs}{behind}")
    sums = [sum(map(of, talk.steps)) for of in _SUMS]
    print(f"{'sum':32} {'':7} {sums[0]:7} {sums[1]:7}  {sums[2]:3} {sums[3]:3}", flush=True)
    return sums[1] >= sums[0] and sums[3] <= sums[2]


_SUMS: tuple[Callable[[Step], int], ...] = (
    lambda step: step.server,
    lambda step: step.own,
    lambda step: step.server_encodes,
    lambda step: step.own_encodes,
)


def time_follow_ups(program: Path, pairs: int, folder: Path) -> bool:
    """Text follow-ups in a conversation with a large photo, alternating between both."""
    mmproj = GUIDE.with_name("mmproj-guide.gguf")
    loading = Loading(ctx_size=2048, gpu_layers=0, threads=1)
    log = folder / "server.log"
    asked = shown(photo(), "What do you see?")
    ratios = []
    with (
        llama_server(program, GUIDE, loading, log, "--mmproj", str(mmproj)) as server,
        hearth_serve(GUIDE, loading, folder / "home") as own,
    ):
        chat: Chat = [{"role": "user", "content": asked}]
        for side in (server, own):
            side.ask(chat, _N_PREDICT)
        for number in range(pairs):
            chat = [
                *chat,
                {"role": "assistant", "content": "A picture."},
                {"role": "user", "content": f"And {number}?"},
            ]
            times = [side.time_to_first(chat, 4)[0] for side in (server, own)]
            ratios.append(times[1] / times[0])
            print(f"first token: server {times[0] * 1000:7.1f} ms, hearth {times[1] * 1000:7.1f} ms", flush=True)
    median = statistics.median(ratios)
    print(f"ratio, median of {pairs}: {median:.2f} ({min(ratios):.2f} to {max(ratios):.2f})")
    return median <= 1 / 3


def main() -> int:
    parser = argparse.ArgumentParser(description="Compare with llama-server, with pictures.")
    parser.add_argument("--server", type=Path, required=True)
    parser.add_argument("--family", action="append", choices=VISION_MAKERS)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--skip", choices=("reuse", "time"))
    given = parser.parse_args()
    good = True
    with tempfile.TemporaryDirectory() as folder:
        if given.skip != "reuse":
            for family in given.family or VISION_MAKERS:
                place = Path(folder) / family
                place.mkdir()
                good = compare(given.server, family, place) and good
        if given.skip != "time":
            good = time_follow_ups(given.server, given.pairs, Path(folder)) and good
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
