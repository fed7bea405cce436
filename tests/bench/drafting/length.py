"""What the length of drafts does: a model's own head, always asked for so many tokens, beside plain decoding.

    python -m tests.bench.drafting.length [TOKENS]

The models are a tiny one with a head, and the same inflated to 250 million parameters
(`tests.bench.drafting.inflated_head`) by quantisation; how often their head is right is set by what their layers
disturb, as no trained one is at hand. Times are the processor's, on one thread.
"""

import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path

import gguf

from app.core.cancel import CancelFlag
from app.core.events import Finished, PromptProgress
from app.core.loading import FlashAttention, Loading
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.speculation import Speculation
from app.engine.drafting.opening import DraftPlan
from app.engine.loading.loader import open_session
from tests import tiny_mtp
from tests.bench.drafting.inflated_head import inflate_head
from tests.counted import counted
from tests.engine.drafting.always import Always

_LENGTHS = (1, 2, 3, 4, 6)
_LOADING = Loading(ctx_size=1024, gpu_layers=0, threads=1, flash_attn=FlashAttention.OFF)
_QUESTION = Message.of(Role.USER, "the rain in the mountains is heard on another hill")


def written(model: Path, length: int, tokens: int) -> tuple[float, Finished]:
    """Seconds of the processor's for a token, and what was written; a length of 0 drafts nothing."""
    asked = Speculation(ngram=False, mtp=bool(length), draft_max=max(length, 1))
    made = open_session(model, _LOADING, cancel=CancelFlag(), drafts=DraftPlan(asked))
    assert made is not None
    with closing(made[0]) as session:
        if session.drafting is not None and length:
            session.drafting.policy = Always()
        request = ChatRequest((_QUESTION,), Sampling(temperature=0.0, max_tokens=tokens), ignore_eos=True)
        began = 0.0
        for event in session.reply(request):
            if isinstance(event, PromptProgress):
                began = time.process_time()
        assert isinstance(event, Finished)
        return (time.process_time() - began) / counted(event.timings.predicted_n), event


def main() -> None:
    tokens = int(sys.argv[1]) if len(sys.argv) > 1 else 48
    with tempfile.TemporaryDirectory(prefix="hearth-lengths-") as name:
        folder = Path(name)
        small = tiny_mtp.mimo2(folder / "tiny.gguf", heads=1, turning=False)
        kinds = {"Q8_0": gguf.GGMLQuantizationType.Q8_0, "Q4_0": gguf.GGMLQuantizationType.Q4_0}
        models = {"tiny, F32": small}
        for kind, value in kinds.items():
            models[f"250 M, {kind}"] = inflate_head(small, folder / f"{kind}.gguf", value, 0.8)
        for title, model in models.items():
            plain, _ = written(model, 0, tokens)
            for length in _LENGTHS:
                seconds, told = written(model, length, tokens)
                [stats] = told.drafting.stats
                rates = " ".join(f"{right / guessed:.0%}" for guessed, right in stats.places if guessed)
                print(
                    f"{title:12} {length}  {plain / seconds:5.2f} times as fast  {told.drafting.mean_run:.2f} a round  "
                    f"draft {stats.draft_ms / max(1, stats.draft_n):7.2f} ms  right by place {rates}",
                    flush=True,
                )


if __name__ == "__main__":
    main()
