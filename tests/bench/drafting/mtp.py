"""Drafting with models' own heads, on llama-server and on Hearth: tokens, drafted and accepted.

    python -m tests.bench.drafting.mtp LLAMA_SERVER [FOLDER]

llama-server must be of the llama.cpp commit that Hearth is built with. The models are tiny ones that the bench makes in
FOLDER, or in one that is removed. Both answer the same prompts, always with the longest drafts, and a second turn of
each after the first: Hearth out of its warm slot, llama-server started anew. Exits with 1 where texts differ, or
counts; for memories that can't go back, counts that differ are only told. One of 84 does, of qwen3next: where
llama-server puts the memory back after a wrong draft, it keeps the hidden row of that draft's last token, and gives it
to the head with the first token that it decodes again (`pending_h` in common/speculative.cpp, which no checkpoint
holds). With a llama-server that puts that row back too, all 84 are equal.
"""

import argparse
import json
import sys
import tempfile
import urllib.request
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import CacheType, FlashAttention, Loading
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import Rollback, Speculation
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.loader import open_session
from app.engine.reply.session import Session
from tests import tiny_mtp
from tests.bench.drafting.as_server import AsServer
from tests.bench.serving.programs import Program, llama_server

LOADING = Loading(
    ctx_size=1024,
    gpu_layers=0,
    threads=1,
    batch_size=256,
    ubatch_size=64,
    flash_attn=FlashAttention.OFF,
    cache_type_k=CacheType.F32,
    cache_type_v=CacheType.F32,
)
ASKED = Speculation(
    ngram=False, mtp=True, draft_max=3, cache_type_k_draft=CacheType.F32, cache_type_v_draft=CacheType.F32
)
N_PREDICT = 120
PROMPTS = (
    "the rain in the mountains is heard on another hill, and so is the river under it. ",
    "ABCDEFGHIJKL and then some more of it, until nobody knows what comes next: ",
    "Something about a ship and a whale on the sea. " * 6,
)


@dataclass(frozen=True)
class Counted:
    text: str
    drafted: int
    accepted: int

    def __str__(self) -> str:
        return f"{self.accepted:4}/{self.drafted:4}"


def of_server(server: Program, prompt: str) -> Counted:
    body = {"prompt": prompt, "n_predict": N_PREDICT, "temperature": 0.0, "cache_prompt": False}
    request = urllib.request.Request(
        f"{server.base}/completion", json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request) as response:
        answer = json.load(response)
    timings = answer["timings"]
    return Counted(answer["content"], timings.get("draft_n", 0), timings.get("draft_n_accepted", 0))


def of_session(session: Session, prompt: str) -> Counted:
    *_, last = session.reply(ChatRequest((), Sampling(temperature=0.0, max_tokens=N_PREDICT), prompt=prompt))
    assert isinstance(last, Finished)
    return Counted(last.text, last.drafting.drafted, last.drafting.accepted)


def compare(program: Path, kind: str, folder: Path) -> bool:
    """Print what both counted; whether it was the same."""
    model, head = tiny_mtp.PAIRS[kind](folder)
    log = folder / f"{kind}.log"
    options = ["--spec-type", "draft-mtp", "--spec-draft-n-max", str(ASKED.draft_max), "-ctkd", "f32", "-ctvd", "f32"]
    options += ["-md", str(head)] if head else []
    asked = replace(ASKED, draft_model=str(head or ""))
    opened = open_session(model, LOADING, cancel=CancelFlag(), drafts=DraftPlan(asked))
    assert opened is not None
    same = True
    with closing(opened[0]) as session:
        assert session.drafting is not None
        rollback = session.info.drafting.rollback
        session.drafting.policy = AsServer(Rollback.TRIM if rollback is Rollback.SNAPSHOT else rollback)
        for number, opening in enumerate(PROMPTS):
            prompt = opening
            for turn in range(2):
                # A server that has answered before begins the next prompt with a hidden row of the last one.
                with llama_server(program, model, LOADING, log, *options) as server:
                    theirs = of_server(server, prompt)
                ours = of_session(session, prompt)
                told = "" if theirs == ours else "other counts" if theirs.text == ours.text else "OTHER TEXT"
                same &= not told or (told == "other counts" and rollback is Rollback.CHECKPOINT)
                print(
                    f"{kind:12} prompt {number + 1} turn {turn + 1}: server {theirs}, hearth {ours}  {told}", flush=True
                )
                prompt += theirs.text + "\nand then? "
    return same


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("server", type=Path)
    options.add_argument("folder", type=Path, nargs="?")
    given = options.parse_args()
    with ExitStack() as stack:
        folder = given.folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        same = [compare(given.server, kind, folder) for kind in tiny_mtp.KINDS]
    sys.exit(not all(same))


if __name__ == "__main__":
    main()
