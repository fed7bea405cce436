"""What drafting gains, beside plain decoding and beside llama-server, on models of realistic shape.

    python -m tests.bench.drafting_speed LLAMA_SERVER|none [threads] [tokens] [KIND ...]

KIND is f16, q8_0 or q4_0; f16 by default. Small random models are inflated with zeros to 140 and 12 million parameters
(`tests.bench.inflated`), so that the draft model is right as often as the noise on its weights lets it. Seconds are the
programs' own processor time with one thread, and of the clock with more: compare the ratios. What plain decoding takes
for the prompt is left out. What a draft model reads of it is not: it is part of what drafting costs, in both programs.
"""

import json
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import gguf
import psutil

from app.core.cancel import CancelFlag
from app.core.events import Finished, TextDelta
from app.core.loading import FlashAttention, Loading
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.binding.context import Context
from app.engine.binding.grammar import Grammar
from app.engine.binding.sampler import SamplerChain
from app.engine.binding.vocab import Vocab
from app.engine.drafting.controller import Controller
from app.engine.drafting.opening import DraftPlan
from app.engine.loader import open_session
from app.engine.session import Session
from tests.bench.drafting_server import noisy
from tests.bench.inflated import DRAFT, LARGE, inflate, letters
from tests.bench.programs import Program, llama_server
from tests.tiny_models import llama

_TURNS = 3
_NOISES = {"good": 0.02, "poor": 0.25}
_PROSE = (
    "The river runs through the valley and over the stones, and nobody asks it why. ",
    "What does the mountain say to that, when the evening comes in and the others are on the hill? ",
    "It was a morning like no other, with a sky that had forgotten what colour it should be. ",
)
_CODE = """
class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance
        self.history = []

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("the amount must be positive")
        self.balance = self.balance + amount
        self.history.append(amount)

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("there is not enough on the account")
        self.balance = self.balance - amount
        self.history.append(-amount)
"""
_EDITED = (
    _CODE.replace("balance", "total")
    .replace("if amount > self.total:", "if amount <= 0 or amount > self.total:")
    .replace("    def withdraw", "    def is_empty(self):\n        return self.total == 0\n\n    def withdraw")
)


@dataclass(frozen=True)
class Timed:
    tokens: int
    seconds: float
    drafted: int = 0
    accepted: int = 0

    @property
    def per_second(self) -> float:
        return self.tokens / self.seconds


Clock = Callable[[], float]


def clock_of(threads: int, process: psutil.Process) -> Clock:
    return (lambda: float(sum(process.cpu_times()[:2]))) if threads == 1 else time.perf_counter


def timed(session: Session, requests: Sequence[ChatRequest], threads: int) -> Timed:
    clock = time.process_time if threads == 1 else time.perf_counter
    tokens, seconds, drafted, accepted = 0, 0.0, 0, 0
    for request in requests:
        session.slot.forget()
        began, last = 0.0, None
        for event in session.reply(request):
            # From the first token on: reading the prompt is not what is compared.
            began = began or (clock() if isinstance(event, TextDelta) else 0.0)
            last = event
        assert isinstance(last, Finished)
        seconds += clock() - began
        tokens += last.timings.predicted_n - 1
        drafted, accepted = drafted + last.timings.draft_n, accepted + last.timings.draft_n_accepted
    return Timed(tokens, seconds, drafted, accepted)


def compared(plain: Session, drafted: Session, requests: Sequence[ChatRequest], threads: int) -> list[Timed]:
    """Plain decoding, the first drafted answers, which may try in vain, and later ones.

    In turns, request by request, and of the plain and the later ones the quickest of as many: so that a machine with
    other work tells the truth.
    """
    times = [[timed(session, [request], threads) for session in (plain, drafted)] for request in [*requests] * _TURNS]
    size = len(requests)

    def quickest(which: int, start: int) -> Timed:
        return _sum(
            min((times[at][which] for at in range(start + index, len(times), size)), key=_seconds)
            for index in range(size)
        )

    return [quickest(0, size), _sum(each[1] for each in times[:size]), quickest(1, size)]


def _seconds(of: Timed) -> float:
    return of.seconds


def _sum(parts: Iterable[Timed]) -> Timed:
    each = tuple(parts)
    return Timed(*(sum(getattr(part, name) for part in each) for name in ("tokens", "seconds", "drafted", "accepted")))


def server_timed(server: Program, prompts: Sequence[Sequence[int]], tokens: int, clock: Clock) -> Timed:
    """Answers of so many tokens, with what is read before them; of three times the quickest for each prompt."""
    parts = []
    for prompt in prompts:
        body = {"prompt": list(prompt), "n_predict": tokens, "temperature": 0, "cache_prompt": False}
        times = []
        for _ in range(_TURNS):
            request = urllib.request.Request(
                f"{server.base}/completion", json.dumps(body).encode(), {"Content-Type": "application/json"}
            )
            began = clock()
            with urllib.request.urlopen(request, timeout=900) as response:
                told = json.load(response)["timings"]
            seconds = clock() - began
            times.append(Timed(told["predicted_n"], seconds, told.get("draft_n", 0), told.get("draft_n_accepted", 0)))
        parts.append(min(times, key=_seconds))
    return _sum(parts)


def less(whole: Timed, reading: Timed) -> Timed:
    """Without what plain decoding takes for the prompts and the first tokens, so that reading for drafts counts."""
    return replace(whole, tokens=whole.tokens - reading.tokens, seconds=whole.seconds - reading.seconds)


def opened(path: Path, loading: Loading, asked: Speculation | None) -> Session:
    made = open_session(path, loading, cancel=CancelFlag(), drafts=DraftPlan(asked) if asked is not None else None)
    assert made is not None
    return made[0]


def prompts_of(session: Session) -> list[tuple[int, ...]]:
    vocab = session._model.vocab
    return [(vocab.bos, *vocab.tokenize(text)) for text in _PROSE]


class Dictated(SamplerChain):
    """Draws as always, and then says what it was told: a model of random weights revises no code by itself.

    A grammar that allows one text alone would do the same, at many times the cost of the model's own work.
    """

    text: ClassVar[tuple[int, ...]] = ()

    def __init__(self, vocab: Vocab, sampling: Sampling, n_ctx: int, bias: Sequence[tuple[int, float]] = ()) -> None:
        super().__init__(vocab, sampling, n_ctx, bias)
        self._said = 0

    def sample(self, context: Context, grammar: Grammar | None = None, index: int = -1) -> int | None:
        drawn = super().sample(context, grammar, index)
        if not self.text:
            return drawn
        if self._said == len(self.text):
            return None
        self._said += 1
        return self.text[self._said - 1]


def run(server_program: Path | None, threads: int, tokens: int, kind: str, folder: Path) -> None:
    loading = Loading(ctx_size=2048, gpu_layers=0, threads=threads, flash_attn=FlashAttention.AUTO)
    tokenizer, dtype = letters(), gguf.GGMLQuantizationType[kind.upper()]
    small = llama(folder / "small.gguf", tokenizer=tokenizer)
    large = inflate(small, folder / f"large-{kind}.gguf", LARGE, dtype, tokenizer)
    greedy = Sampling(temperature=0.0, max_tokens=tokens)
    plain = opened(large, loading, None)
    prompts = prompts_of(plain)
    prose = [ChatRequest((), greedy, prompt=prompt) for prompt in prompts]
    vocab = plain._model.vocab
    asked_for = (vocab.bos, *vocab.tokenize(_CODE + "\nThe same, with other names:\n"))
    code = [ChatRequest((), Sampling(temperature=0.0), prompt=asked_for)]
    cases: list[tuple[str, Path | None, list[ChatRequest]]] = [
        ("n-gram, prose", None, prose),
        ("n-gram, code", None, code),
    ]
    for name, noise in _NOISES.items():
        draft = inflate(
            noisy(small, folder / f"{name}.gguf", noise), folder / f"{name}-{kind}.gguf", DRAFT, dtype, tokenizer
        )
        cases.append((f"draft model, {name}", draft, prose))
    timed(plain, prose[:1], threads)
    print(f"{kind} flash attention: {plain.info.flash_attn}", flush=True)
    for name, path, requests in cases:
        asked = Speculation(ngram=path is None, draft_model=str(path or ""))
        drafted = opened(large, loading, asked)
        Dictated.text = tuple(vocab.tokenize(_EDITED)) if requests is code else ()
        assert not drafted.info.drafting.problems, drafted.info.drafting.problems
        usual, with_drafts, once_more = compared(plain, drafted, requests, threads)
        assert drafted.drafting is not None
        costs = drafted.drafting.policy.costs if isinstance(drafted.drafting.policy, Controller) else None
        told = " ".join(f"t({n}) {costs.times(n):.1f}" for n in (2, 5, 17)) if costs else ""
        first, later = (each.per_second for each in (with_drafts, once_more))
        print(
            f"{kind} {threads} thread(s) {name:20} plain {usual.per_second:6.1f} tok/s, drafting {first:6.1f} "
            f"({first / usual.per_second:.2f}), again {later:6.1f} ({later / usual.per_second:.2f}), "
            f"{once_more.accepted}/{once_more.drafted} taken; {told}",
            flush=True,
        )
        drafted.close()
    plain.close()
    if server_program is not None:
        options = ["-md", str(folder / f"good-{kind}.gguf"), "--spec-type", "draft-simple", "--spec-draft-n-max", "4"]
        options += ["-ngld", "0", "-td", str(threads)]
        # Its own choice about flash attention, and without, which is Hearth's own choice on a processor.
        for flash in (FlashAttention.AUTO, FlashAttention.OFF):
            rates = []
            reading: Timed | None = None
            for more in ([], options):
                given = replace(loading, flash_attn=flash)
                with llama_server(server_program, large, given, folder / "log", *more) as server:
                    clock = clock_of(threads, psutil.Process().children()[0])
                    server_timed(server, prompts[:1], 16, clock)
                    reading = reading or server_timed(server, prompts, 1, clock)
                    rates.append(less(server_timed(server, prompts, tokens, clock), reading))
            print(
                f"{kind} {threads} thread(s) llama-server, good, -fa {flash}  plain {rates[0].per_second:6.1f} tok/s, "
                f"drafting {rates[1].per_second:6.1f} ({rates[1].per_second / rates[0].per_second:.2f}), "
                f"{rates[1].accepted}/{rates[1].drafted} taken",
                flush=True,
            )


def main() -> None:
    program, *more = sys.argv[1:]
    threads, tokens = [*map(int, more[:2]), *(1, 120)[len(more[:2]) :]]
    for kind in more[2:] or ["f16"]:
        with tempfile.TemporaryDirectory() as folder, patch("app.engine.session.SamplerChain", Dictated):
            run(None if program == "none" else Path(program), threads, tokens, kind, Path(folder))


if __name__ == "__main__":
    main()
