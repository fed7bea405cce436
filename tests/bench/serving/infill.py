"""Gaps that are filled beside llama-server: the same prompts, and the same greedy text?

    python -m tests.bench.serving.infill LLAMA_SERVER

llama-server must be of the llama.cpp commit that Hearth is built with. Models without the tokens of other files
(`<|repo_name|>`, `<|file_sep|>`) and with them are asked. Exits with 1 where an answer differs.
"""

import json
import sys
import tempfile
import urllib.request
from dataclasses import replace
from pathlib import Path
from typing import Any

import gguf

from app.core.loading import CacheType, FlashAttention, Loading
from tests.bench.serving.programs import Program, hearth_serve, llama_server
from tests.bench.serving.talkers import speak_ascii
from tests.tiny_models import bpe_tokenizer, llama

_LOADING = Loading(
    ctx_size=2048,
    batch_size=256,
    ubatch_size=256,
    threads=1,
    gpu_layers=0,
    flash_attn=FlashAttention.OFF,
    cache_type_k=CacheType.F32,
    cache_type_v=CacheType.F32,
)
MARKS = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")
_OF_FILES = ("<|repo_name|>", "<|file_sep|>")
_PREFIX, _SUFFIX = "import sys\n\ndef main() -> int:\n", "\n\nsys.exit(main())\n"
_EXTRA = [{"filename": f"file{n}.py", "text": f"def f{n}() -> int:\n    return {n}\n"} for n in range(3)]
_CASES: dict[str, dict[str, Any]] = {
    "plain": {"input_prefix": _PREFIX, "input_suffix": _SUFFIX},
    "typed already": {"input_prefix": _PREFIX, "input_suffix": _SUFFIX, "prompt": "    print("},
    "no suffix": {"input_prefix": _PREFIX, "input_suffix": ""},
    "nothing": {"input_prefix": "", "input_suffix": ""},
    "control tokens as text": {"input_prefix": "<s><|fim_middle|>", "input_suffix": "<|im_end|>"},
    "other files": {"input_prefix": _PREFIX, "input_suffix": _SUFFIX, "input_extra": _EXTRA},
    "long": {"input_prefix": _PREFIX * 20, "input_suffix": _SUFFIX * 20, "input_extra": _EXTRA},
    "more files than fit": {"input_prefix": _PREFIX, "input_suffix": _SUFFIX, "input_extra": _EXTRA * 30},
}


def write_model(path: Path, *marks: str) -> Path:
    """A tiny model with these control tokens."""
    plain = bpe_tokenizer()
    types = [*plain.types, *[gguf.TokenType.CONTROL] * len(marks)]
    return speak_ascii(llama(path, tokenizer=replace(plain, tokens=[*plain.tokens, *marks], types=types)))


def _told(server: Program, body: dict[str, Any]) -> tuple[str, int, str]:
    """The prompt as text, its tokens, and the answer."""
    asked = {**body, "temperature": 0, "n_predict": 24, "cache_prompt": False}
    sent = urllib.request.Request(
        f"{server.base}/infill", json.dumps(asked).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(sent, timeout=600) as response:
        told = json.load(response)
    return told["prompt"], told["tokens_evaluated"], told["content"]


def main() -> int:
    program, well = Path(sys.argv[1]), True
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for marks in (MARKS, (*MARKS, *_OF_FILES)):
            model = write_model(folder / f"{len(marks)}.gguf", *marks)
            with (
                llama_server(program, model, _LOADING, folder / "log") as theirs,
                hearth_serve(model, _LOADING, folder / "home") as ours,
            ):
                for case, body in _CASES.items():
                    (prompt, n_tokens, text), own = _told(theirs, body), _told(ours, body)
                    same = [prompt == own[0], n_tokens == own[1], text == own[2]]
                    well &= all(same)
                    print(
                        f"{len(marks)} control tokens, {case:24} {n_tokens:5} {own[1]:5}  prompt, count, text: {same}"
                    )
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
