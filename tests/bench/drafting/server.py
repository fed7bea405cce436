"""Drafts that are right: as many in Hearth as in llama-server, with the same draft model and the same prompts?

    python -m tests.bench.drafting.server LLAMA_SERVER [TARGET.gguf DRAFT.gguf]

Without files small random pairs of each kind of memory are made: a model, and a copy of it with noise on its weights.
llama-server must be of the llama.cpp commit that Hearth is built with. Exits with 1 where a count differs. Both draft
where llama-server does (`tests.bench.drafting.as_server`).
"""

import json
import shutil
import sys
import tempfile
import urllib.request
from pathlib import Path

import gguf
import numpy as np

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests.bench.drafting.as_server import AsServer
from tests.bench.serving.programs import Program, llama_server
from tests.counted import counted
from tests.tiny_models import MAKERS

LOADING = Loading(
    ctx_size=2048,
    gpu_layers=0,
    threads=1,
    flash_attn=FlashAttention.OFF,
    cache_type_k=CacheType.F32,
    cache_type_v=CacheType.F32,
)
_FAMILIES = {"llama": 0.06, "gemma3": 0.06, "deepseek2": 0.03, "qwen35": 0.06, "lfm2": 0.06, "mamba": 0.06}
_TOKENS = 160
_PROMPTS = (
    "The river runs through the valley and over the stones, and nobody asks it why.",
    "What does the mountain say to that, when the evening comes in?",
    "def line(a, b):\n    return a + b\n\n" * 6,
)


def noisy(model: Path, path: Path, share: float) -> Path:
    """A copy whose matrices are off by `share` of their spread."""
    shutil.copy(model, path)
    rng = np.random.default_rng(1)
    reader = gguf.GGUFReader(path, "r+")
    for tensor in reader.tensors:
        if tensor.tensor_type == gguf.GGMLQuantizationType.F32 and len(tensor.shape) > 1:
            tensor.data[:] += (rng.standard_normal(tensor.data.shape) * share * tensor.data.std()).astype(np.float32)
    del reader
    return path


def of_server(server: Program, prompt: tuple[int, ...]) -> tuple[tuple[int, ...], int, int]:
    """The tokens of its answer, and how many were drafted and taken."""
    body = {
        "prompt": list(prompt),
        "n_predict": _TOKENS,
        "temperature": 0,
        "ignore_eos": False,
        "return_tokens": True,
        "cache_prompt": False,
    }
    request = urllib.request.Request(
        f"{server.base}/completion", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=600) as response:
        answer = json.load(response)
    timings = answer["timings"]
    return tuple(answer["tokens"]), timings.get("draft_n", 0), timings.get("draft_n_accepted", 0)


def of_hearth(session: Session, prompt: tuple[int, ...]) -> tuple[tuple[int, ...], int, int]:
    session.slot.forget()
    request = ChatRequest((), Sampling(temperature=0.0, max_tokens=_TOKENS), prompt=prompt)
    *_, last = session.reply(request)
    assert isinstance(last, Finished)
    return last.generation.tokens, counted(last.timings.draft_n), counted(last.timings.draft_n_accepted)


def compared(program: Path, target: Path, draft: Path, log: Path, n_max: int) -> bool:
    """Print a line for each prompt; whether all counts are equal."""
    asked = Speculation(
        ngram=False,
        draft_model=str(draft),
        draft_max=n_max,
        cache_type_k_draft=CacheType.F32,
        cache_type_v_draft=CacheType.F32,
    )
    opened = open_session(target, LOADING, cancel=CancelFlag(), drafts=DraftPlan(asked))
    assert opened is not None
    session = opened[0]
    assert session.drafting is not None
    assert not session.info.drafting.problems, session.info.drafting.problems
    # With a draft model llama-server keeps no states to go back by.
    session.drafting.policy = AsServer(session.info.drafting.rollback)
    vocab = session._model.vocab
    options = ["-md", str(draft), "--spec-type", "draft-simple", "--spec-draft-n-max", str(n_max)]
    options += ["-ctkd", "f32", "-ctvd", "f32", "-ngld", "0", "-td", "1"]
    same = True
    try:
        with llama_server(program, target, LOADING, log, *options) as server:
            for number, text in enumerate(_PROMPTS):
                prompt = tuple(([vocab.bos] if vocab.add_bos else []) + vocab.tokenize(text))
                theirs, mine = of_server(server, prompt), of_hearth(session, prompt)
                equal = theirs[1:] == mine[1:]
                same &= equal
                words = "same tokens" if theirs[0][: len(mine[0])] == mine[0] else "other tokens"
                print(
                    f"{target.stem:12} {session.info.drafting.rollback:10} n {n_max}, prompt {number}: llama-server "
                    f"{theirs[2]:3}/{theirs[1]:3}, Hearth {mine[2]:3}/{mine[1]:3}, {words}"
                    f"{'' if equal else ', OTHER COUNTS'}",
                    flush=True,
                )
    finally:
        session.close()
    return same


def main() -> None:
    program, *files = map(Path, sys.argv[1:])
    same = True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "server.log"
        if files:
            pairs = [(files[0], files[1])]
        else:
            pairs = []
            for family, share in _FAMILIES.items():
                target = MAKERS[family](folder / f"{family}.gguf")
                pairs.append((target, noisy(target, folder / f"{family}-draft.gguf", share)))
        for target, draft in pairs:
            for n_max in (3, 8):
                same &= compared(program, target, draft, log, n_max)
    sys.exit(not same)


if __name__ == "__main__":
    main()
