"""What a model's own head gains, beside plain decoding and beside llama-server, on a model of realistic shape.

    python -m tests.bench.drafting.mtp_speed LLAMA_SERVER|none [threads] [tokens] [turns] [KIND ...]

A tiny model with a head is inflated to 250 million parameters (`tests.bench.drafting.inflated_head`); the more its
layers disturb its text, the less often the head is right. How times are taken, what the lines say, and when it exits
with 1: see `tests.bench.drafting.speed`.
"""

import logging
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import gguf

from app.core.loading import FlashAttention, Loading
from app.core.speculation import Speculation
from tests import tiny_mtp
from tests.bench.drafting.inflated_head import inflate_head
from tests.bench.drafting.side_by_side import AS_SERVER, NO_LOSS, Case, Table, opened, servers_of, sessions_of

_DISTURBING = {"perfect": 0.5, "good": 0.8, "fair": 1.1, "poor": 2.5}
_N_MAX = 3
_TEXTS = ("ABCDEFGHIJKL and then some more of it", "the rain in the mountains is heard on another hill", "Q, and so")
_SERVER = ("--spec-type", "draft-mtp", "--spec-draft-n-max", str(_N_MAX))


def run(program: Path | None, threads: int, tokens: int, turns: int, kind: str, folder: Path) -> bool:
    """Whether all bars are reached."""
    table = Table()
    loading = Loading(ctx_size=2048, gpu_layers=0, threads=threads, flash_attn=FlashAttention.AUTO)
    asked = {"plain": None, "mtp": Speculation(ngram=False, mtp=True, draft_max=_N_MAX)}
    print(f"MTP, {kind}, {threads} thread(s), {turns} turns", flush=True)
    small = tiny_mtp.mimo2(folder / "small.gguf", heads=1, turning=False)
    for name, disturbing in _DISTURBING.items():
        model = inflate_head(small, folder / f"{name}.gguf", gguf.GGMLQuantizationType[kind.upper()], disturbing)
        prompts = _prompts(model, loading)
        first, again = (Case(prompts, tokens, threads) for _ in range(2))
        for _ in range(turns):
            with (
                sessions_of(model, loading, asked) as sessions,
                servers_of(program, model, loading, folder / "log", prompts[0], {"mtp": _SERVER}) as servers,
            ):
                first.take_turn(sessions, servers)
                again.take_turn(sessions, servers)
        for when, case in {"first": first, "again": again}.items():
            bar, more = NO_LOSS, f"{case.middle('mtp', 'plain'):.2f} as they lay; {case.taken('mtp')}"
            if program is not None:
                theirs = case.middle("server_mtp", "server_plain")
                more += f"; llama-server {theirs:.2f}, {case.taken('server_mtp')}"
                bar = max(bar, AS_SERVER * theirs)
            table.line(f"MTP, {name}, {when}", case.gains("mtp", "plain"), bar, more)
            if undisturbed := case.undisturbed("mtp"):
                table.line(f"MTP, {name}, {when}: left by drafts, none checked", undisturbed, NO_LOSS)
        model.unlink()
    return not table.missed


def _prompts(path: Path, loading: Loading) -> list[tuple[int, ...]]:
    with closing(opened(path, loading, None)) as session:
        vocab = session._model.vocab
        return [(*([vocab.bos] if vocab.add_bos else []), *vocab.tokenize(text)) for text in _TEXTS]


def main() -> None:
    program, *more = sys.argv[1:]
    threads, tokens, turns = [*map(int, more[:3]), *(1, 128, 5)[len(more[:3]) :]]
    reached = True
    logging.disable(logging.WARNING)  # of the head's tensors, which plain decoding leaves alone
    for kind in more[3:] or ["f16"]:
        with tempfile.TemporaryDirectory() as folder:
            reached &= run(None if program == "none" else Path(program), threads, tokens, turns, kind, Path(folder))
    sys.exit(not reached)


if __name__ == "__main__":
    main()
