"""What a resting model took is free: measured from outside, as a process's resident memory.

Weights are mapped files, whose pages count as resident once a reply has touched them; that is why one is written
before anything is measured. The first load and the first rest are with a tiny model, so that libraries and whatever
stays after any load are not counted.
"""

import json
import subprocess
import sys
from pathlib import Path

import gguf
import numpy as np

from tests.gguf_files import finish
from tests.tiny_models import CHATML, bpe_tokenizer

_MIB = 1 << 20
_WIDTH, _FEED, _LAYERS = 512, 4096, 4
_KV = 4 * 8192 * 2 * _WIDTH * 2
"""Bytes: layers, context, K and V, width, f16."""

CHILD = """
import json, os, sys
from pathlib import Path

import psutil
from PySide6.QtCore import QCoreApplication

from app.core.loading import Loading
from app.core.messages import Message, Role
from app.core.model_ref import ModelRef
from app.core.program import own_command
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.services.engine.service import EngineService
from app.services.engine.plans import PreflightPlan
from app.services.runtime.settings_service import SettingsService
from app.services.engine.states import ModelFailed, ModelReady, ModelResting

folder, tiny, large = map(Path, sys.argv[1:])
application = QCoreApplication([])
settings = SettingsService(folder / "settings.toml")
settings.update(Loading, threads=1, gpu_layers=0, ctx_size=8192)
engine = EngineService(settings, PreflightPlan(folder / "tried.json", own_command()))

def until(holds):
    while not holds() or engine.is_busy:
        application.processEvents()
        assert not isinstance(engine.state, ModelFailed), engine.state

def rss():
    return psutil.Process().memory_info().rss

def use(path):
    engine.load(ModelRef.of_file(path))
    until(lambda: isinstance(engine.state, ModelReady))
    request = ChatRequest((Message.of(Role.USER, "the rain"),), Sampling(temperature=0.0, max_tokens=2))
    engine.generate(request, lambda said: None)
    until(lambda: True)
    used = rss()
    engine.rest()
    assert isinstance(engine.state, ModelResting)
    # Jobs are done in order: when this one is answered, the memory has been given back.
    engine.ask(lambda session, cancelled: None, lambda said: None)
    until(lambda: True)
    return used, rss()

use(tiny)
before = rss()
used, after = use(large)
again = use(large)[1]
print(json.dumps([before, used, after, again]))
closed = []
engine.closed.connect(lambda: closed.append(True))
engine.close()
while not closed:
    application.processEvents()
"""


def large_model(path: Path) -> Path:
    """About 120 MiB of weights."""
    rng, tokenizer = np.random.default_rng(0), bpe_tokenizer()
    w = gguf.GGUFWriter(str(path), "llama")
    w.add_context_length(8192)
    w.add_embedding_length(_WIDTH)
    w.add_block_count(_LAYERS)
    w.add_feed_forward_length(_FEED)
    w.add_head_count(8)
    w.add_layer_norm_rms_eps(1e-5)
    w.add_vocab_size(len(tokenizer.tokens))
    w.add_tokenizer_model(tokenizer.model)
    w.add_tokenizer_pre("gpt-2")
    w.add_token_list(tokenizer.tokens)
    w.add_token_types(tokenizer.types)
    w.add_token_merges(tokenizer.merges)
    w.add_eos_token_id(tokenizer.id("<|im_end|>"))
    w.add_chat_template(CHATML)
    shapes = {"token_embd": (len(tokenizer.tokens), _WIDTH), "output": (len(tokenizer.tokens), _WIDTH)}
    for layer in range(_LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            shapes[f"blk.{layer}.{name}"] = (_WIDTH, _WIDTH)
        shapes |= {f"blk.{layer}.{name}": (_FEED, _WIDTH) for name in ("ffn_gate", "ffn_up")}
        shapes[f"blk.{layer}.ffn_down"] = (_WIDTH, _FEED)
        for name in ("attn_norm", "ffn_norm"):
            w.add_tensor(f"blk.{layer}.{name}.weight", np.ones(_WIDTH, np.float32))
    w.add_tensor("output_norm.weight", np.ones(_WIDTH, np.float32))
    for name, shape in shapes.items():
        w.add_tensor(f"{name}.weight", rng.standard_normal(shape, np.float32) * np.float32(0.05))
    finish(w)
    return path


def test_a_resting_model_takes_no_memory(tmp_path: Path, tiny_models: dict[str, Path]) -> None:
    model = large_model(tmp_path / "large.gguf")
    ran = subprocess.run(
        [sys.executable, "-c", CHILD, str(tmp_path), str(tiny_models["llama"]), str(model)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    before, used, after, again = json.loads(ran.stdout.splitlines()[-1])
    told = [each // _MIB for each in (before, used, after, again)]
    taken = model.stat().st_size + _KV
    assert used - before > 0.9 * taken, f"{told} MiB: it was there"
    assert after - before < 0.1 * taken, f"{told} MiB: it is gone"
    assert again - after < 0.05 * taken, f"{told} MiB: and the next time too"
