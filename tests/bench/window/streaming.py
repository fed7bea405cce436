"""How long the window's event loop stands still while an answer streams, and how long conversations take to open.

    python -m tests.bench.window.streaming [--tokens 20000] [--rate 400] [--only mixed] [--frames]

A timer of one millisecond is the heartbeat; a stall is the time between two of its beats. Beside the wall clock the
thread's own processor time is told, which other programs on the machine can't make longer. The idle heartbeat of the
same process is measured first. On a busy machine frames come late and in lumps; so every frame is also timed one by
one, in processor time, and the stalls that these would make are told. Everything is the product's own but the model.
"""

import argparse
import gc
import os
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from app.core.messages import Message, Role, TextPart
from app.services.engine.states import OpenConversation
from app.storage.conversations import Conversation, MessageState, StoredMessage
from app.ui.richtext.render_throttle import FRAME_MS
from app.ui.theme.appearance import Appearance
from app.ui.transcript.message_view import AnswerView
from app.ui.transcript.transcript import Transcript

CHARS = 4
"""Of one token."""
_BATCH = 1 / 60
_DRAWN = 0.5
"""Milliseconds; a turn of the event loop that takes less has drawn nothing."""
_WORDS = (
    *(
        "the",
        "model",
        "reads",
        "a",
        "prompt",
        "in",
        "batches",
        "and",
        "keeps",
        "what",
        "it",
        "has",
        "worked",
        "through",
    ),
    *("attention", "score", "matrix", "sequence", "length", "memory", "cache", "token", "position", "window", "state"),
)


def mixed(length: int, seed: int = 1) -> str:
    """An answer as models write them: headings, paragraphs, lists, tables, code and formulas."""
    chance = random.Random(seed)

    def words(count: int) -> str:
        made = [chance.choice(_WORDS) for _ in range(count)]
        for place in range(4, count, 9):
            made[place] = chance.choice(("**{}**", "*{}*", "`{}`", "[{}](https://example.org)")).format(made[place])
        return " ".join(made).capitalize() + "."

    def piece(number: int) -> str:
        match number % 8:
            case 0:
                return f"## {words(4)}"
            case 3:
                return "\n".join(f"- {words(9)}" for _ in range(6))
            case 4:
                return (
                    "```python\n"
                    + "\n".join(f"    value_{i} = compute({i}, 'text')  # note" for i in range(12))
                    + "\n```"
                )
            case 5:
                return "\n".join(
                    ["| a | b | c |", "|---|:-:|--:|", *(f"| {words(2)} | {i} | {i * i} |" for i in range(5))]
                )
            case 6:
                return f"With $x_{{{number}}} = \\frac{{{number}}}{{n}}$ it follows that {words(20)}"
        return words(45)

    text, number = "", 0
    while len(text) < length:
        text += piece(number) + "\n\n"
        number += 1
    return text[:length]


def code(length: int) -> str:
    line = "    value_{0} = compute(x, {0}, 'some text')  # a note about line {0}\n"
    return "```python\n" + "".join(line.format(i) for i in range(length // 60 + 1))[:length]


def listing(length: int) -> str:
    return "".join(f"{i}. Item **{i}** says something that takes `a few` words.\n" for i in range(1, length // 45))[
        :length
    ]


def table(length: int) -> str:
    return (
        "| name | value | note |\n|---|:-:|--:|\n"
        + "".join(f"| row {i} | *{i}* | some words {i * i} |\n" for i in range(length // 25))
    )[:length]


KINDS: dict[str, Callable[[int], str]] = {"mixed": mixed, "code": code, "list": listing, "table": table}


@dataclass
class Heartbeat:
    """Beats once a millisecond, if it is let."""

    wall: list[float] = field(default_factory=list)
    cpu: list[float] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    _last: tuple[float, float] = (0.0, 0.0)

    def start(self) -> None:
        self.timer = QTimer()
        self.timer.setTimerType(Qt.TimerType.PreciseTimer)
        self.timer.setInterval(1)
        self.timer.timeout.connect(self._beat)
        self._last = (time.perf_counter(), time.thread_time())
        self.timer.start()

    def stop(self) -> None:
        self.timer.stop()

    def mark(self) -> None:
        self.marks.append(len(self.wall))

    def _beat(self) -> None:
        now = (time.perf_counter(), time.thread_time())
        self.wall.append((now[0] - self._last[0]) * 1000)
        self.cpu.append((now[1] - self._last[1]) * 1000)
        self._last = now


def percentile(values: list[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0


def line(name: str, values: list[float]) -> str:
    told = " ".join(f"{percentile(values, share):7.2f}" for share in (0.5, 0.95, 0.99, 0.999))
    over = sum(1 for each in values if each > 16) / max(1, len(values)) * 100
    return f"{name:<40} {told} {max(values, default=0):8.2f} {over:6.2f} %"


def run(milliseconds: int) -> None:
    loop = QEventLoop()
    QTimer.singleShot(milliseconds, loop.quit)
    loop.exec()


def stored(number: int, role: Role, text: str, state: MessageState = MessageState.COMPLETE) -> StoredMessage:
    parts = (TextPart(text),) if text else ()
    return StoredMessage(number, 1, number - 1 or None, Message(role, parts), state, 0.0, None)


def conversation(count: int) -> tuple[StoredMessage, ...]:
    """`count` messages: short questions, and answers of two kilobytes."""
    answers = [mixed(2000, seed) for seed in range(20)]
    return tuple(
        stored(n, Role.ASSISTANT, answers[n % 20])
        if n % 2 == 0
        else stored(n, Role.USER, f"Question {n}? " * (n % 5 + 1))
        for n in range(1, count + 1)
    )


def opened(messages: tuple[StoredMessage, ...]) -> OpenConversation:
    return OpenConversation(Conversation(1, "A", None, 0.0, 0.0), messages)


def settle(transcript: Transcript) -> None:
    while not transcript.scroll_area.is_settled:
        QCoreApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def stream(transcript: Transcript, text: str, rate: float) -> Heartbeat:
    """Feed `text` as the engine does, sixty times a second; the first and the last thousand tokens are marked."""
    answer = stored(9_000_001, Role.ASSISTANT, "", MessageState.WRITING)
    transcript.show_conversation(opened((*conversation(200), stored(9_000_000, Role.USER, "Go on"), answer)))
    settle(transcript)
    gc.collect()
    heart, loop, begun = Heartbeat(), QEventLoop(), time.perf_counter()
    sent, n_tokens = 0, len(text) / CHARS
    feeder = QTimer()
    feeder.setTimerType(Qt.TimerType.PreciseTimer)

    def feed() -> None:
        nonlocal sent
        due = min(len(text), int((time.perf_counter() - begun) * rate * CHARS))
        if due > sent:
            if sent < 1000 * CHARS <= due or sent < (n_tokens - 1000) * CHARS <= due:
                heart.mark()
            transcript.append_text(answer.id, text[sent:due])
            sent = due
        if sent >= len(text):
            loop.quit()

    feeder.timeout.connect(feed)
    feeder.start(round(_BATCH * 1000))
    heart.start()
    loop.exec()
    feeder.stop()
    heart.stop()
    done = stored(answer.id, Role.ASSISTANT, text)
    before = time.perf_counter()
    transcript.change_message(done)
    print(f"    the end took {(time.perf_counter() - before) * 1000:.1f} ms")
    return heart


def frames(transcript: Transcript, text: str, rate: float) -> list[float]:
    """Processor milliseconds of each frame, from text to paint, as if the machine had nothing else to do."""
    answer = stored(9_000_001, Role.ASSISTANT, "", MessageState.WRITING)
    transcript.show_conversation(opened((*conversation(200), stored(9_000_000, Role.USER, "Go on"), answer)))
    settle(transcript)
    view = transcript.view_of(answer.id)
    assert isinstance(view, AnswerView)
    took = []
    size = max(1, int(rate * CHARS * FRAME_MS / 1000))
    for begin in range(0, len(text), size):
        started = time.thread_time()
        transcript.append_text(answer.id, text[begin : begin + size])
        view.blocks_view.flush()
        QCoreApplication.processEvents()
        took.append((time.thread_time() - started) * 1000)
    return took


def beats(took: list[float]) -> list[float]:
    """What a heartbeat of a millisecond would find between frames of this length."""
    quiet = [1.0] * round(sum(max(0.0, FRAME_MS - each) for each in took))
    return [*took, *quiet]


def memory() -> float:
    """Resident megabytes now."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * resource.getpagesize() / 2**20
    except OSError:
        return 0.0


def open_times(
    transcript: Transcript, counts: tuple[int, ...], rounds: int = 7
) -> Iterator[tuple[int, float, float, float]]:
    """Messages, milliseconds until painted and until all is settled (both the best of `rounds`), megabytes more."""
    for count in counts:
        messages = conversation(count)
        shown, whole = [], []
        gc.collect()
        before = memory()
        for _ in range(rounds):
            transcript.show_conversation(None)
            settle(transcript)
            begun = time.thread_time()
            transcript.show_conversation(opened(messages))
            transcript.grab()
            shown.append(time.thread_time() - begun)
            settle(transcript)
            whole.append(time.thread_time() - begun)
        yield count, min(shown) * 1000, min(whole) * 1000, memory() - before


def scroll_times(transcript: Transcript) -> list[float]:
    """Processor milliseconds of steps of 120 pixels, and of their painting."""
    transcript.show_conversation(opened(conversation(10_000)))
    settle(transcript)
    bar = transcript.scroll_area.verticalScrollBar()
    took = []
    for _ in range(150):
        begun = time.thread_time()
        bar.setValue(bar.value() - 120)
        QCoreApplication.processEvents()
        took.append((time.thread_time() - begun) * 1000)
    return took


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", type=int, default=20_000)
    parser.add_argument("--rate", type=float, default=400)
    parser.add_argument("--frames", action="store_true", help="only the frames one by one: no waiting")
    parser.add_argument("--only", choices=[*KINDS, "open", "scroll"])
    options = parser.parse_args()
    os.environ.setdefault("HEARTH_HOME", tempfile.mkdtemp())
    sys.setswitchinterval(0.001)
    application = QApplication([])
    transcript = Transcript(Appearance(application), QWidget())
    transcript.resize(900, 800)
    transcript.show()
    run(300)
    print(f"{'milliseconds':<40} {'p50':>7} {'p95':>7} {'p99':>7} {'p99.9':>7} {'max':>8}  > 16 ms")
    idle = Heartbeat()
    idle.start()
    run(3000)
    idle.stop()
    print(line("idle, wall", idle.wall))
    print(line("idle, processor", idle.cpu))
    for name, make in KINDS.items():
        if options.only in (None, name):
            text = make(options.tokens * CHARS)
            each = frames(transcript, text, options.rate)
            size = max(1, len(each) * 1000 // options.tokens)
            print(line(f"{name}, frames one by one, processor", each))
            print(line("    first 1,000 tokens", each[:size]))
            print(line("    last 1,000 tokens", each[-size:]))
            print(line("    stalls between them", beats(each)))
            if options.frames:
                continue
            heart = stream(transcript, text, options.rate)
            first, last, *_ = *heart.marks, 0, 0
            print(line(f"{name}, wall", heart.wall))
            print(line(f"{name}, processor", heart.cpu))
            for part, turns in (
                ("all", heart.cpu),
                ("first 1,000", heart.cpu[:first]),
                ("last 1,000", heart.cpu[last:]),
            ):
                print(line(f"    turns that drew, {part} tokens", [turn for turn in turns if turn > _DRAWN]))
    if options.only in (None, "open"):
        for count, shown, whole, more in open_times(transcript, (10, 200, 2000, 10_000)):
            print(f"open {count:>6} messages: painted {shown:7.1f} ms, settled {whole:7.1f} ms, memory {more:+6.1f} MB")
    if options.only in (None, "scroll"):
        print(line("scroll 120 px of 10,000, processor", scroll_times(transcript)))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
