"""What drafting gains, beside plain decoding and beside llama-server, on models of realistic shape.

    python -m tests.bench.drafting_speed LLAMA_SERVER|none [threads] [tokens] [turns] [KIND ...]

KIND is f16, q8_0 or q4_0; f16 by default. Small random models are inflated with zeros to 140 and 12 million parameters
(`tests.bench.inflated`), so that the draft model is right as often as the noise on its weights lets it. Seconds are the
programs' own processor time with one thread, and of the clock with more. All that is compared answers the same prompts
side by side (`tests.bench.side_by_side`), llama-server a fifth of a second at a time, stopped in between (SIGSTOP).
Each line gives the middle one of the turns' proportions, and the worst and the best. What plain decoding takes for the
prompt is left out. What a draft model reads of it is not: it is part of what drafting costs, in both programs. "first"
are answers by a program that was just opened and knows nothing of the draft model yet, "again" those that follow. All
sessions write the same without drafts before and after it, and what they are apart there is taken out; "as they lay"
says what the proportion was with it. Where no draft was checked, another line says which share of the time drafts left
to plain decoding: the same comparison, without the moods of the machine. Exits with 1 where a bar is missed: as fast as
plain decoding (0.98), as much gained as llama-server gains (0.97 of it), as fast as llama-server without drafts (0.97),
and 1.5 for revised code.
"""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import gguf

from app.core.loading import FlashAttention, Loading
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.binding.context import Context
from app.engine.binding.grammar import Grammar
from app.engine.binding.sampler import SamplerChain
from app.engine.binding.vocab import Vocab
from app.engine.session import Session
from tests.bench.drafting_server import noisy
from tests.bench.inflated import DRAFT, LARGE, inflate, letters
from tests.bench.side_by_side import (
    AS_SERVER,
    NO_LOSS,
    Answer,
    Case,
    Server,
    Table,
    opened,
    server_of,
    side_by_side,
    timed,
    without_drafts,
)
from tests.tiny_models import llama

_NOISES = {"good": 0.02, "fair": 0.06, "poor": 0.25}
_LONG = 4
"""How many times as long answers are written with the good one."""
_AT_LENGTH = ("plain", "good")
_CODE_GAIN = 1.5
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


def run(server_program: Path | None, threads: int, tokens: int, turns: int, kind: str, folder: Path) -> bool:
    """Whether all bars are reached."""
    loading = Loading(ctx_size=2048, gpu_layers=0, threads=threads, flash_attn=FlashAttention.AUTO)
    tokenizer, dtype, table = letters(), gguf.GGMLQuantizationType[kind.upper()], Table()
    small = llama(folder / "small.gguf", tokenizer=tokenizer)
    large = inflate(small, folder / f"large-{kind}.gguf", LARGE, dtype, tokenizer)
    drafts = {
        name: inflate(
            noisy(small, folder / f"{name}.gguf", noise), folder / f"{name}-{kind}.gguf", DRAFT, dtype, tokenizer
        )
        for name, noise in _NOISES.items()
    }
    before, first, again, after, long, code = *(Case(len(_PROSE)) for _ in range(4)), Case(1), Case(1)
    for number in range(turns):
        with _opened(server_program, large, drafts, loading, folder / "log") as (sessions, servers):
            plain = sessions["plain"]
            if not number:
                print(
                    f"{kind}, {threads} thread(s), flash attention {plain.info.flash_attn}, {turns} turns", flush=True
                )
            prompts = prompts_of(plain)
            everybody = {name: _answers(each, prompts, tokens, threads) for name, each in sessions.items()}
            with without_drafts(sessions.values()):
                before.take_turn(everybody)
            for case, size, names in ((first, tokens, None), (again, tokens, None), (long, _LONG * tokens, _AT_LENGTH)):
                each = {name: sessions[name] for name in names or sessions}
                ours = {name: _answers(session, prompts, size, threads) for name, session in each.items()}
                theirs = {
                    f"server_{name}": _served(servers["plain"], server, prompts, size)
                    for name, server in servers.items()
                    if name in (names or servers)
                }
                case.take_turn(ours, theirs | {"beside": ours["plain"]} if theirs else {})
            with without_drafts(sessions.values()):
                after.take_turn(everybody)
    cases = {"first": first, "again": again, f"{_LONG} times as long": long}
    _tell(table, cases, (before, after), server_program is not None)

    for _ in range(turns):
        with _opened(None, large, {}, loading, folder / "log") as (sessions, _):
            vocab = sessions["plain"]._model.vocab
            asked_for = (vocab.bos, *vocab.tokenize(_CODE + "\nThe same, with other names:\n"))
            Dictated.text = tuple(vocab.tokenize(_EDITED))
            limit = len(Dictated.text) + 1
            code.take_turn({name: _answers(each, [asked_for], limit, threads) for name, each in sessions.items()})
            Dictated.text = ()
    table.line("n-gram, code", code.proportions("ngram", "plain"), _CODE_GAIN, code.taken("ngram"))
    return not table.missed


def _answers(session: Session, prompts: Sequence[tuple[int, ...]], size: int, threads: int) -> Answer:
    greedy = Sampling(temperature=0.0, max_tokens=size)
    return lambda number: timed(session, ChatRequest((), greedy, prompt=prompts[number]), threads)


def _served(plain: Server, server: Server, prompts: Sequence[tuple[int, ...]], size: int) -> Answer:
    return lambda number: server.after(plain.answered(prompts[number], 1), prompts[number], size)


@contextmanager
def _opened(
    program: Path | None, large: Path, drafts: Mapping[str, Path], loading: Loading, log: Path
) -> Iterator[tuple[dict[str, Session], dict[str, Server]]]:
    """Sessions that know nothing yet, by what drafts for them, and servers."""
    asked: dict[str, Speculation | None] = {"plain": None, "ngram": Speculation()}
    asked |= {name: Speculation(ngram=False, draft_model=str(path)) for name, path in drafts.items()}
    with ExitStack() as stack:
        sessions, servers = dict[str, Session](), dict[str, Server]()
        for name, each in asked.items():
            sessions[name] = made = opened(large, loading, each)
            stack.callback(made.close)
            assert not made.info.drafting.problems, made.info.drafting.problems
        prompts = prompts_of(sessions["plain"])
        for name in ("plain", "good", "fair") if program is not None else ():
            assert program is not None
            options: list[str] = []
            if name in drafts:
                options = ["-md", str(drafts[name]), "--spec-type", "draft-simple", "--spec-draft-n-max", "4"]
                options += ["-ngld", "0", "-td", str(loading.threads)]
            servers[name] = stack.enter_context(server_of(program, large, loading, log, *options))
            # The first answer pays for what is not read yet of the files.
            servers[name].answered(prompts[0], 8)
        side_by_side({"": _answers(sessions["plain"], prompts, 8, 1)(0)})
        yield sessions, servers


def _tell(table: Table, cases: Mapping[str, Case], controls: Sequence[Case], has_server: bool) -> None:
    for when, case in cases.items():
        for name in ("ngram", *_NOISES) if "long" not in when else ("good",):
            bar, more = NO_LOSS, f"{case.middle(name, 'plain'):.2f} as they lay; {case.taken(name)}"
            found = case.proportions(name, "plain", controls)
            if has_server and name in ("good", "fair"):
                theirs = case.middle(f"server_{name}", "server_plain")
                more += f"; llama-server {theirs:.2f}, {case.taken(f'server_{name}')}"
                bar = max(bar, AS_SERVER * theirs)
            table.line(f"{name}, {when}", found, bar, more)
            if undisturbed := case.undisturbed(name):
                table.line(f"{name}, {when}: left by drafts, none checked", undisturbed, NO_LOSS)
        if has_server:
            table.line(f"plain to llama-server, {when}", case.proportions("beside", "server_plain"), AS_SERVER)
    for name in ("ngram", *_NOISES):
        for when, case in zip(("before", "after"), controls, strict=True):
            table.line(f"{name}, without drafts, {when}", case.proportions(name, "plain"), 0)


def main() -> None:
    program, *more = sys.argv[1:]
    threads, tokens, turns = [*map(int, more[:3]), *(1, 128, 9)[len(more[:3]) :]]
    reached = True
    for kind in more[3:] or ["f16"]:
        with tempfile.TemporaryDirectory() as folder, patch("app.engine.session.SamplerChain", Dictated):
            reached &= run(None if program == "none" else Path(program), threads, tokens, turns, kind, Path(folder))
    sys.exit(not reached)


if __name__ == "__main__":
    main()
