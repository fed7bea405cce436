"""How many entries each change of a conversation costs, on every kind of memory.

    python -m tests.bench.context.entries [--server LLAMA_SERVER] [--kind NAME ...] [--scenario TEXT ...]

Beside a model whose memory goes back to wherever one likes (full attention), with the same prompts, and beside
llama-server, of the llama.cpp commit that Hearth is built with. Answers are one token again and again, so that all
have the same histories. Exits with 1 where Hearth reads more than `NEAR` entries beyond llama-server, or in all more
than `SHARE` of what the attention model reads.
"""

import argparse
import logging
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from app.core.cancel import CancelFlag
from app.engine.loading.loader import open_session
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.reply.session import Session
from tests import tiny_models, tiny_vision
from tests.bench.context.conversations import (
    MORE_SCENARIOS,
    SCENARIOS,
    SYSTEM,
    OwnSide,
    Scenario,
    Side,
    Talk,
    changed_system,
)
from tests.bench.context.server import LOADING as SHORT
from tests.bench.serving.programs import llama_server
from tests.tiny_vision import picture_tokenizer

NEAR, SHARE = 3, 1.02
LOADING = replace(SHORT, ctx_size=8192)
_TOKENS = 64
"""Most entries of a picture."""
_SAYS = "x"


Pair = tuple[Path, Path]
"""A model and its projector."""


@dataclass(frozen=True)
class Kind:
    """A kind of memory: a model that has it, one that has full attention, and what sees for them."""

    model: Callable[[Path], Path]
    attention: Callable[[Path], Path]
    projector: Callable[[Path], Path]
    attention_projector: Callable[[Path], Path] | None = None
    """Another one; it must make as many entries of a picture."""

    def write(self, folder: Path) -> tuple[Pair, Pair]:
        """The model and its twin."""
        folder.mkdir()
        mmproj = self.projector(folder / "mmproj.gguf")
        other = self.attention_projector(folder / "other.gguf") if self.attention_projector else mmproj
        return (self.model(folder / "model.gguf"), mmproj), (self.attention(folder / "attention.gguf"), other)


def _seeing(make: Callable[..., Path], **more: object) -> Callable[[Path], Path]:
    return partial(make, tokenizer=picture_tokenizer(), **more)


_llama = _seeing(tiny_models.llama)
KINDS = {
    "attention": Kind(_llama, _llama, tiny_vision.mlp),
    # A window that is wider than the context forgets nothing.
    "window": Kind(
        _seeing(tiny_models.gemma3), _seeing(tiny_models.gemma3, n_swa=LOADING.ctx_size), tiny_vision.gemma3
    ),
    "hybrid": Kind(
        _seeing(tiny_models.qwen35),
        tiny_vision.qwen3vl,
        partial(tiny_vision.qwen3vl_merger, deepstack=0),
        partial(tiny_vision.qwen3vl_merger, deepstack=1),
    ),
    "recurrent": Kind(_seeing(tiny_models.mamba), _llama, tiny_vision.mlp),
}


@contextmanager
def own_session(model: Path, mmproj: Path) -> Iterator[Session]:
    projector = Projector(mmproj, MediaStores(NoMedia(), EmbeddingCache(1 << 28, None, 0)), _TOKENS)
    opened = open_session(model, LOADING, cancel=CancelFlag(), projector=projector)
    assert opened is not None
    assert not opened[0].info.projector_problem, opened[0].info.projector_problem
    with closing(opened[0]):
        yield opened[0]


@dataclass
class Row:
    """Entries that one scenario read, request by request."""

    attention: list[int]
    own: list[int]
    server: list[int]

    @property
    def beyond_server(self) -> int:
        return max((own - server for own, server in zip(self.own, self.server, strict=False)), default=0)


def play(files: tuple[Pair, Pair], scenario: Scenario, server: Path | None, log: Path) -> Row | None:
    """None where the model's template takes no system prompt, and the scenario needs one."""
    (model, mmproj), attention = files
    with ExitStack() as stack:
        sessions = [stack.enter_context(own_session(*each)) for each in (attention, (model, mmproj))]
        sides: list[Side] = [OwnSide(each, recorded=False, says=_SAYS) for each in sessions]
        if server is not None:
            more = ("--mmproj", str(mmproj), "--image-max-tokens", str(_TOKENS))
            sides.append(replace(stack.enter_context(llama_server(server, model, LOADING, log, *more)), says=_SAYS))
        talk = Talk(*sides)
        if sessions[0].chat.chat_format().template.supports_system:
            talk.chat.append({"role": "system", "content": SYSTEM + "Today is Monday."})
        elif scenario is changed_system:
            return None
        read = [[reply.total - reply.reused for reply in step] for step in scenario(talk)]
    columns = list(zip(*read, strict=True))
    return Row(list(columns[0]), list(columns[1]), list(columns[2]) if server is not None else [])


def compare(name: str, server: Path | None, wanted: dict[str, Scenario], folder: Path) -> bool:
    """Print a table for one kind of memory; whether it is as good as it should be."""
    files = KINDS[name].write(folder / name)
    print(f"\n{name}\n{'':34} {'attention':>24} {'llama-server':>24} {'Hearth':>24}")
    sums, good = [0, 0, 0], True
    for title, scenario in wanted.items():
        row = play(files, scenario, server, folder / "server.log")
        if row is None:
            print(f"{title:34} the template takes no system prompt")
            continue
        columns = (row.attention, row.server, row.own)
        sums = [total + sum(column) for total, column in zip(sums, columns, strict=True)]
        behind = "  BEHIND" if row.beyond_server > NEAR else ""
        good = good and not behind
        print(f"{title:34} " + " ".join(f"{' '.join(map(str, each)):>24}" for each in columns) + behind, flush=True)
    share = sums[2] / sums[0]
    print(f"{'sum':34} " + " ".join(f"{each:24,}" for each in sums) + f"  {share:.3f} of attention's", flush=True)
    return good and share <= SHARE


def main() -> int:
    parser = argparse.ArgumentParser(description="Count the entries that are read.")
    parser.add_argument("--server", type=Path, help="llama-server of the same llama.cpp commit")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--scenario", action="append", help="those whose names contain this")
    given = parser.parse_args()
    logging.disable(logging.WARNING)
    every = SCENARIOS | MORE_SCENARIOS
    wanted = {name: each for name, each in every.items() if any(part in name for part in given.scenario or ("",))}
    with tempfile.TemporaryDirectory() as folder:
        good = [compare(name, given.server, wanted, Path(folder)) for name in given.kind or KINDS]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
