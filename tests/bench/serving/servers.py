"""What servers of engines do with what Hearth asks of them: a table, from real ones.

    python -m tests.bench.serving.servers [--hearth] [--llama-server PROGRAM] [--llama-cpp-python PYTHON]
                                  [--transformers PYTHON] [--vllm PYTHON]

`--llama-cpp-python`, `--transformers` and `--vllm` name interpreters of environments that hold those servers; of vLLM
one that computes on processors. The models are tiny
ones with random weights: what they say means nothing, and how fast they are says nothing of others.
"""

import argparse
import logging
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from app.remote.server import ServerKind
from tests.endless_model import make_repeating
from tests.engine_servers import EngineServer, engine_server, free_port, llama_server
from tests.hearth_process import HearthProcess
from tests.serve_process import serving
from tests.server_checks import CHECKS, Subject

_HF_MODEL = """
import sys
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM
letters = pre_tokenizers.ByteLevel.alphabet()
vocab = {each: n for n, each in enumerate([*sorted(letters), "<|im_start|>", "<|im_end|>", "<pad>"])}
made = Tokenizer(models.BPE(vocab, []))
made.pre_tokenizer, made.decoder = pre_tokenizers.ByteLevel(add_prefix_space=False), decoders.ByteLevel()
marks = {"eos_token": "<|im_end|>", "pad_token": "<pad>", "additional_special_tokens": ["<|im_start|>"]}
tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, **marks)
tokenizer.chat_template = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\\n{{ m.content }}<|im_end|>\\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\\n{% endif %}"
)
config = Qwen3Config(
    vocab_size=len(vocab), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=2,
    num_key_value_heads=2, head_dim=32, max_position_embeddings=4096, eos_token_id=vocab["<|im_end|>"],
    pad_token_id=vocab["<pad>"],
)
Qwen3ForCausalLM(config).save_pretrained(sys.argv[1])
tokenizer.save_pretrained(sys.argv[1])
"""

_WITH_TOOLS = Path(__file__).parents[2] / "engine" / "chat_templates" / "chatml.jinja"


@contextmanager
def of_llama_server(program: Path, folder: Path) -> Iterator[Subject]:
    with llama_server(program, make_repeating(folder / "repeating.gguf"), folder / "llama-server.log") as server:
        yield Subject(server, ServerKind.LLAMA_SERVER)


@contextmanager
def of_tools(program: Path, folder: Path) -> Iterator[Subject]:
    """A model whose template knows tools."""
    model, template = make_repeating(folder / "repeating.gguf"), ("--chat-template-file", str(_WITH_TOOLS))
    with llama_server(program, model, folder / "tools.log", *template) as server:
        yield Subject(server, ServerKind.LLAMA_SERVER)


@contextmanager
def of_llama_cpp_python(python: Path, folder: Path) -> Iterator[Subject]:
    port = free_port()
    model = make_repeating(folder / "repeating.gguf")
    argv = [
        python,
        "-m",
        "llama_cpp.server",
        "--model",
        model,
        "--n_ctx",
        2048,
        "--model_alias",
        "tiny",
        "--port",
        port,
    ]
    with engine_server([*map(str, argv), "--n_threads", "1"], port, folder / "llama-cpp-python.log") as server:
        yield Subject(server, ServerKind.LLAMA_CPP_PYTHON)


@contextmanager
def of_transformers(python: Path, folder: Path) -> Iterator[Subject]:
    port, model, home = free_port(), folder / "hf-model", folder / "hf-home"
    (home / "hub").mkdir(parents=True)
    subprocess.run([python, "-c", _HF_MODEL, model], check=True)
    argv = [python.parent / "transformers", "serve", model, "--device", "cpu", "--port", port]
    environ = {"HF_HUB_OFFLINE": "1", "HF_HOME": str(home), "OMP_NUM_THREADS": "1"}
    with engine_server([*map(str, argv)], port, folder / "transformers.log", environ) as server:
        yield Subject(server, ServerKind.TRANSFORMERS, str(model))


@contextmanager
def of_vllm(python: Path, folder: Path) -> Iterator[Subject]:
    port, model = free_port(), folder / "hf-model"
    subprocess.run([python, "-c", _HF_MODEL, model], check=True)
    argv = [python.parent / "vllm", "serve", model, "--port", port, "--max-model-len", 2048, "--enforce-eager"]
    argv += ["--dtype", "float32", "--enable-prompt-tokens-details", "--enable-auto-tool-choice"]
    argv += ["--tool-call-parser", "hermes"]
    environ = {
        "VLLM_CPU_KVCACHE_SPACE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "HF_HUB_OFFLINE": "1",
        "OMP_NUM_THREADS": "1",
        "PATH": f"{python.parent}:{os.environ['PATH']}",
    }
    with engine_server([*map(str, argv)], port, folder / "vllm.log", environ) as server:
        yield Subject(server, ServerKind.VLLM)


@contextmanager
def of_hearth(folder: Path) -> Iterator[Subject]:
    model = make_repeating(folder / "repeating.gguf")
    with serving(HearthProcess(folder / "home", qt=True), "-m", model, "-c", "2048", "-t", "1") as served:
        yield Subject(EngineServer(served.port, served.process, folder / "none"), ServerKind.HEARTH)


def column(subject: Subject) -> list[str]:
    told = []
    for check in CHECKS:
        try:
            said = check(subject)
        except Exception as error:  # a table tells all of it
            logging.exception("%s", check.__name__)
            said = f"FAILED: {error}"
        print(f"  {check.__name__.replace('_', ' '):26} {said}", flush=True)
        told.append(said)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--llama-server", type=Path)
    parser.add_argument("--llama-cpp-python", type=Path)
    parser.add_argument("--transformers", type=Path)
    parser.add_argument("--vllm", type=Path)
    parser.add_argument("--hearth", action="store_true")
    asked = parser.parse_args()
    failed = False
    makers = {
        "llama-server": partial(of_llama_server, asked.llama_server) if asked.llama_server else None,
        "llama-server, a template with tools": partial(of_tools, asked.llama_server) if asked.llama_server else None,
        "llama-cpp-python": partial(of_llama_cpp_python, asked.llama_cpp_python) if asked.llama_cpp_python else None,
        "transformers": partial(of_transformers, asked.transformers) if asked.transformers else None,
        "vllm": partial(of_vllm, asked.vllm) if asked.vllm else None,
        "hearth": of_hearth if asked.hearth else None,
    }
    for name, made in makers.items():
        if made:
            with tempfile.TemporaryDirectory() as folder, made(Path(folder)) as subject:
                print(name)
                failed = any("FAILED" in each for each in column(subject)) or failed
    sys.exit(failed)


if __name__ == "__main__":
    main()
