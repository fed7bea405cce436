"""What a model's own head gains, beside plain decoding and beside llama-server, on a model of realistic shape.

    python -m tests.bench.mtp_speed LLAMA_SERVER|none [threads] [tokens] [turns] [KIND ...]

A tiny model with a head is inflated to 250 million parameters (`tests.bench.inflated_head`); the more its layers
disturb its text, the less often the head is right. How times are taken, what the lines say, and when it exits with 1:
see `tests.bench.drafting_speed`.
"""

import logging
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import gguf

from app.core.loading import FlashAttention, Loading
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.session import Session
from tests import tiny_mtp
from tests.bench.inflated_head import inflate_head
from tests.bench.side_by_side import (
    AS_SERVER,
    NO_LOSS,
    Answer,
    Case,
    Server,
    Table,
    opened,
    server_of,
    timed,
    without_drafts,
)

_DISTURBING = {"perfect": 0.5, "good": 0.8, "fair": 1.1, "poor": 2.5}
_N_MAX = 3
_TEXTS = ("ABCDEFGHIJKL and then some more of it", "the rain in the mountains is heard on another hill", "Q, and so")
_SERVER = ("--spec-type", "draft-mtp", "--spec-draft-n-max", str(_N_MAX))


def run(program: Path | None, threads: int, tokens: int, turns: int, kind: str, folder: Path) -> bool:
    """Whether all bars are reached."""
    table = Table()
    print(f"MTP, {kind}, {threads} thread(s), {turns} turns", flush=True)
    small = tiny_mtp.mimo2(folder / "small.gguf", heads=1, turning=False)
    for name, disturbing in _DISTURBING.items():
        model = inflate_head(small, folder / f"{name}.gguf", gguf.GGMLQuantizationType[kind.upper()], disturbing)
        before, first, again, after = (Case(len(_TEXTS)) for _ in range(4))
        for _ in range(turns):
            with _contestants(program, model, threads, tokens, folder / "log") as (sessions, ours, servers):
                with without_drafts(sessions):
                    before.take_turn(ours)
                first.take_turn(ours, servers)
                again.take_turn(ours, servers)
                with without_drafts(sessions):
                    after.take_turn(ours)
        for when, case in {"first": first, "again": again}.items():
            bar, more = NO_LOSS, f"{case.middle('mtp', 'plain'):.2f} as they lay; {case.taken('mtp')}"
            if program is not None:
                theirs = case.middle("server_mtp", "server_plain")
                more += f"; llama-server {theirs:.2f}, {case.taken('server_mtp')}"
                bar = max(bar, AS_SERVER * theirs)
            table.line(f"MTP, {name}, {when}", case.proportions("mtp", "plain", (before, after)), bar, more)
            if undisturbed := case.undisturbed("mtp"):
                table.line(f"MTP, {name}, {when}: left by drafts, none checked", undisturbed, NO_LOSS)
        for when, case in {"before": before, "after": after}.items():
            table.line(f"MTP, {name}, without drafts, {when}", case.proportions("mtp", "plain"), 0)
        model.unlink()
    return not table.missed


@contextmanager
def _contestants(
    program: Path | None, model: Path, threads: int, tokens: int, log: Path
) -> Iterator[tuple[tuple[Session, ...], dict[str, Answer], dict[str, Answer]]]:
    """Sessions, of which the one that drafts knows nothing yet; and all that answer, by name: they and llama-server."""
    loading = Loading(ctx_size=2048, gpu_layers=0, threads=threads, flash_attn=FlashAttention.AUTO)
    greedy = Sampling(temperature=0.0, max_tokens=tokens)
    with ExitStack() as stack:
        plain = opened(model, loading, None)
        stack.callback(plain.close)
        drafted = opened(model, loading, Speculation(ngram=False, mtp=True, draft_max=_N_MAX))
        stack.callback(drafted.close)
        assert not drafted.info.drafting.problems, drafted.info.drafting.problems
        vocab = plain._model.vocab
        prompts = [(*([vocab.bos] if vocab.add_bos else []), *vocab.tokenize(text)) for text in _TEXTS]

        def hearth(which: Session) -> Answer:
            return lambda number: timed(which, ChatRequest((), greedy, prompt=prompts[number]), threads)

        servers: dict[str, Server] = {}
        if program is not None:
            servers = {
                "plain": stack.enter_context(server_of(program, model, loading, log)),
                "mtp": stack.enter_context(server_of(program, model, loading, log, *_SERVER)),
            }
            for server in servers.values():
                server.answered(prompts[0], 8)  # the first one pays for what is not read yet of the file

        def theirs(which: Server) -> Answer:
            return lambda number: which.after(servers["plain"].answered(prompts[number], 1), prompts[number], tokens)

        ours = {"plain": hearth(plain), "mtp": hearth(drafted)}
        yield (plain, drafted), ours, {f"server_{name}": theirs(server) for name, server in servers.items()}


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
