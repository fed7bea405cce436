"""What drafting gains, beside plain decoding and beside llama-server, on models of realistic shape.

    python -m tests.bench.drafting.speed LLAMA_SERVER|none [threads] [tokens] [turns] [KIND ...]

KIND is f16, q8_0 or q4_0; f16 by default. Small random models are inflated with zeros to 140 and 12 million parameters
(`tests.bench.drafting.inflated`), so that the draft model is right as often as the noise on its weights lets it.
Seconds are the programs' own processor time with one thread, and of the clock with more. All that is compared answers
the same prompts side by side (`tests.bench.drafting.side_by_side`), llama-server a fifth of a second at a time, stopped
in between (SIGSTOP). Each line gives the middle one of the turns' proportions, and the worst and the best. What plain
decoding takes for the prompt is left out. What a draft model reads of it is not: it is part of what drafting costs, in
both programs. "first" are answers by a program that was just opened and knows nothing of the draft model yet, "again"
those that follow. All sessions write each answer without drafts first, and what they are apart there is taken out; "as
they lay" says what the proportion was with it. Where no draft was checked, another line says which share of the time
drafts left to plain decoding: the same comparison, without the moods of the machine. Exits with 1 where a bar is
missed: as fast as plain decoding (0.98), as much gained as llama-server gains (0.97 of it), as fast as llama-server
without drafts (0.97), and 1.5 for revised code.
"""

import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import ClassVar
from unittest.mock import patch

import gguf

from app.core.loading import FlashAttention, Loading
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.binding.context import Context
from app.engine.binding.sampler import SamplerChain, TokenFilter
from app.engine.binding.vocab import Vocab
from tests.bench.drafting.inflated import DRAFT, LARGE, inflate, letters
from tests.bench.drafting.server import noisy
from tests.bench.drafting.side_by_side import AS_SERVER, NO_LOSS, Case, Table, opened, servers_of, sessions_of
from tests.tiny_models import llama

_NOISES = {"good": 0.02, "fair": 0.06, "poor": 0.25}
_SERVED = ("good", "fair")
"""For which llama-server drafts too."""
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


class Dictated(SamplerChain):
    """Draws as always, and then says what it was told: a model of random weights revises no code by itself.

    A grammar that allows one text alone would do the same, at many times the cost of the model's own work.
    """

    text: ClassVar[tuple[int, ...]] = ()

    def __init__(self, vocab: Vocab, sampling: Sampling, n_ctx: int, bias: Sequence[tuple[int, float]] = ()) -> None:
        super().__init__(vocab, sampling, n_ctx, bias)
        self._said = 0

    def sample(self, context: Context, grammar: TokenFilter | None = None, index: int = -1) -> int | None:
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
    asked: dict[str, Speculation | None] = {"plain": None, "ngram": Speculation()}
    asked |= {name: Speculation(ngram=False, draft_model=str(path)) for name, path in drafts.items()}
    common = ("--spec-type", "draft-simple", "--spec-draft-n-max", "4", "-ngld", "0", "-td", str(threads))
    options = {name: ("-md", str(drafts[name]), *common) for name in _SERVED}
    with closing(opened(large, loading, None)) as session:
        vocab, flash = session._model.vocab, session.info.flash_attn
        prompts = [(vocab.bos, *vocab.tokenize(text)) for text in _PROSE]
        to_revise = (vocab.bos, *vocab.tokenize(_CODE + "\nThe same, with other names:\n"))
        revised = tuple(vocab.tokenize(_EDITED))
    print(f"{kind}, {threads} thread(s), flash attention {flash}, {turns} turns", flush=True)
    first, again = (Case(prompts, tokens, threads) for _ in range(2))
    long, code = Case(prompts[:1], _LONG * tokens, threads), Case([to_revise], len(revised) + 1, threads)
    for _ in range(turns):
        with (
            sessions_of(large, loading, asked) as sessions,
            servers_of(server_program, large, loading, folder / "log", prompts[0], options) as servers,
        ):
            first.take_turn(sessions, servers)
            again.take_turn(sessions, servers)
            few = {name: each for name, each in servers.items() if name.removeprefix("server_") in _AT_LENGTH}
            long.take_turn({name: sessions[name] for name in _AT_LENGTH}, few)
        with sessions_of(large, loading, {name: asked[name] for name in ("plain", "ngram")}) as sessions:
            Dictated.text = revised
            code.take_turn(sessions)
            Dictated.text = ()
    _tell(table, {"first": first, "again": again, f"{_LONG} times as long": long}, server_program is not None)
    table.line("n-gram, code", code.gains("ngram", "plain"), _CODE_GAIN, code.taken("ngram"))
    return not table.missed


def _tell(table: Table, cases: Mapping[str, Case], has_server: bool) -> None:
    for when, case in cases.items():
        for name in ("ngram", *_NOISES) if "long" not in when else ("good",):
            bar, more = NO_LOSS, f"{case.middle(name, 'plain'):.2f} as they lay; {case.taken(name)}"
            if has_server and name in _SERVED:
                theirs = case.middle(f"server_{name}", "server_plain")
                more += f"; llama-server {theirs:.2f}, {case.taken(f'server_{name}')}"
                bar = max(bar, AS_SERVER * theirs)
            table.line(f"{name}, {when}", case.gains(name, "plain"), bar, more)
            if undisturbed := case.undisturbed(name):
                table.line(f"{name}, {when}: left by drafts, none checked", undisturbed, NO_LOSS)
        if has_server:
            table.line(f"plain to llama-server, {when}", case.proportions("beside", "server_plain"), AS_SERVER)


def main() -> None:
    program, *more = sys.argv[1:]
    threads, tokens, turns = [*map(int, more[:3]), *(1, 128, 9)[len(more[:3]) :]]
    reached = True
    for kind in more[3:] or ["f16"]:
        with tempfile.TemporaryDirectory() as folder, patch("app.engine.reply.session.SamplerChain", Dictated):
            reached &= run(None if program == "none" else Path(program), threads, tokens, turns, kind, Path(folder))
    sys.exit(not reached)


if __name__ == "__main__":
    main()
