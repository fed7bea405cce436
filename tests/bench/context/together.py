"""Every architecture that llama.cpp can write a test model of: is each of three answers at once what it is alone?

    python -m tests.bench.context.together FOLDER [PATTERN]

FOLDER is what llama.cpp's `test-llama-archs -o FOLDER` wrote; PATTERN picks files, such as "qwen*". Each model runs in
a child process. Three conversations join one another, end, and go on, in batches of any size, with F32 cells, without
flash attention, greedy. Told are how many answers have the tokens that a context of its own gives, and the largest
difference of two logits of a step, beside the difference between such contexts that read in other micro-batches. Exits
with 1 where tokens differ, and logits by more than that.
"""

import json
import random
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from app.core.cancel import CancelFlag
from app.core.events import Finished, ReplyEvent, TextDelta
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.loading.loader import open_session
from app.engine.reply.live_reply import Ended
from app.engine.reply.scheduler import Scheduler
from app.engine.reply.session import Session
from app.engine.reply.step_costs import StepCosts
from tests.bench.context.exactness import EXACT, Answer, ask, lengthened
from tests.bench.context.numbers import NumbersChat, numbers

_PATIENCE = 600
_SIZES = (24, 40, 9)
"""Numbers that are asked about: some architectures know few places."""
_STEPS = 5
_FLOOR = 1e-5
_GREEDY = Sampling(temperature=0.0, max_tokens=16)


class AnySize(StepCosts):
    def __init__(self) -> None:
        super().__init__()
        self._rng = random.Random(0)

    def cheapest(self, n: int) -> int:
        return self._rng.randint(1, n)


@dataclass(eq=False)
class Asked:
    request: ChatRequest
    cancelled: bool = False
    goes_first: bool = False
    rows: list[np.ndarray[tuple[int, ...], np.dtype[np.float32]]] = field(default_factory=list)
    ended: Ended | None = None
    finished: Finished | None = None

    @property
    def answer(self) -> Answer:
        if self.finished is None:
            raise ValueError("it has no end") from (self.ended.error if self.ended else None)
        return Answer(self.finished, self.rows)


class Several:
    """A session that writes three answers at once."""

    def __init__(self, session: Session, flag: CancelFlag) -> None:
        session.step_costs = AnySize()
        self.session = session
        self.all: list[Asked] = []
        self._scheduler = Scheduler[Asked](session, lambda _: flag.clear(), self._hear)

    def ask(self, *messages: Message) -> Asked:
        while not self._scheduler.make_room():
            if not self._scheduler.is_busy:
                raise ValueError("this architecture has one sequence alone")
            self._scheduler.step()
        asked = Asked(ChatRequest(messages, _GREEDY, conversation=messages[0].text[:40]))
        self.all.append(asked)
        self._scheduler.add(asked, asked.request)
        return asked

    def run(self, steps: int = sys.maxsize) -> None:
        while self._scheduler.is_busy and steps:
            self._scheduler.step()
            steps -= 1

    def run_to_end_of(self, asked: Asked) -> None:
        while asked.ended is None:
            self._scheduler.step()

    def _hear(self, asked: Asked, said: ReplyEvent | Ended) -> None:
        if isinstance(said, Ended):
            asked.ended = said
        elif isinstance(said, TextDelta):
            slot = next(live.slot for live in self._scheduler._live if live.asker is asked)
            asked.rows.append(slot.logits())
        elif isinstance(said, Finished):
            asked.finished = said


def opened(path: Path, parallel: int, ubatch_size: int = EXACT.ubatch_size) -> tuple[Session, CancelFlag]:
    loading = replace(EXACT, parallel=parallel, ubatch_size=ubatch_size)
    made = open_session(path, loading, cancel=(flag := CancelFlag()))
    assert made is not None
    made[0].chat = NumbersChat(made[0]._model.vocab)
    return made[0], flag


def alone(path: Path, asked: Asked, ubatch_size: int = EXACT.ubatch_size) -> Answer:
    session, _ = opened(path, 1, ubatch_size)
    try:
        return ask(session, asked.request.messages)
    finally:
        session.close()


def tried(path: Path) -> dict[str, object]:
    session, flag = opened(path, 3)
    several = Several(session, flag)
    try:
        first, *others = (Message.of(Role.USER, numbers(size, seed)) for seed, size in enumerate(_SIZES, 1))
        begun = several.ask(first)
        several.run(_STEPS)
        for other in others:
            several.ask(other)
            several.run(_STEPS)
        several.run_to_end_of(begun)
        several.ask(first, begun.answer.message, Message.of(Role.USER, numbers(5, 9)))
        several.run()
        at_once = session.slot.context.n_seq
    finally:
        session.close()
    equal, difference, noise = 0, 0.0, 0.0
    for asked in several.all:
        cold = alone(path, asked)
        equal += asked.answer.finished.generation.tokens == cold.finished.generation.tokens
        difference = max(difference, asked.answer.difference(cold))
        noise = max(noise, *(cold.difference(alone(path, asked, size)) for size in (1, 20)))
    return {"at_once": at_once, "all": len(several.all), "equal": equal, "difference": difference, "noise": noise}


def judged(path: Path) -> tuple[str, str]:
    """A line, and the verdict."""
    command = [sys.executable, "-m", "tests.bench.context.together", "--one", str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return f"it did not end within {_PATIENCE} s", "not tried"
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        return (lines[-1] if lines else f"exit code {done.returncode}")[:110], "not tried"
    told = json.loads(done.stdout.splitlines()[-1])
    difference, noise = told["difference"], told["noise"]
    line = f"{told['equal']} of {told['all']} equal, largest difference {difference:.0e}, noise {noise:.0e}"
    if told["equal"] == told["all"]:
        return line, "equal"
    return line, "other tokens within rounding" if difference <= max(_FLOOR, 2 * noise) else "WRONG"


def main() -> None:
    if sys.argv[1] == "--one":
        with tempfile.TemporaryDirectory() as copies:
            print(json.dumps(tried(lengthened(Path(sys.argv[2]), Path(copies)))))
        return
    folder, *patterns = sys.argv[1:]
    totals: Counter[str] = Counter()
    for path in sorted(Path(folder).glob((patterns or ["*"])[0] + ".gguf")):
        line, verdict = judged(path)
        totals[verdict] += 1
        print(f"{path.stem:26} {verdict:10} {line}", flush=True)
    print(f"\n{totals.total()} models: " + ", ".join(f"{count} {verdict}" for verdict, count in totals.most_common()))
    sys.exit(totals["WRONG"] > 0)


if __name__ == "__main__":
    main()
