"""llama.cpp's own tests of llama-server, run against `hearth serve` and, beside it, against llama-server.

    python -m tests.bench.llama_server_tests LLAMA.CPP/tools/server [--llama-server FILE] [--only FILE.py]

They are copied, and started from the copy: nothing is downloaded, so tiny models stand in for those that they name.
Names of options are translated, and what llama-server's options say of a template is written into a copy of the model.
It needs pytest, requests, filelock and openai in `--python`. llama-server's turn comes first, and `hearth serve` has to
pass what that passes (all, where it is not given); told are the counts for each file, and then what it fails. What
models say is random here, so tests that look for words fail on both sides.

Left out are those of llama-server's router, and of what its own page needs: MCP servers, tools, a proxy.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import gguf

from tests import tiny_models, tiny_vision
from tests.bench.talkers import speak_ascii
from tests.tiny_adapters import make_adapter
from tests.tiny_models import CHATML, bpe_tokenizer, llama
from tests.tiny_vectors import bert

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    *("test_basic.py", "test_chat_completion.py", "test_completion.py", "test_compat_anthropic.py"),
    *("test_compat_oai_responses.py", "test_ignore_eos.py", "test_metrics.py", "test_template.py"),
    *("test_tokenize.py", "test_tool_call.py", "test_security.py", "test_slot_save.py", "test_ctx_shift.py"),
    *("test_embedding.py", "test_rerank.py", "test_infill.py", "test_vision_api.py", "test_speculative.py"),
    *("test_lora.py", "test_kv_keep_only_active.py", "test_compat_gcp.py", "test_sleep.py"),
)
_SAME = (
    *("--port", "--host", "--temp", "--seed", "--api-key", "--slot-save-path", "-ctk", "-ctv", "-fa", "--cache-ram"),
    *("--spec-draft-n-max", "--spec-draft-n-min", "--batch-size", "--ubatch-size", "--threads", "--n-predict"),
    *("--pooling", "--spec-type", "--model-draft"),
)
_BARE = ("--embedding", "--reranking", "--swa-full")
_VALUED = (
    *("--hf-repo", "--hf-file", "--model", "--alias", "--tags", "--ctx-size", "--parallel", "--chat-template"),
    *("--chat-template-file", "--reasoning", "--reasoning-format", "--lora", "--mmproj-url"),
    *("--media-path", "--sleep-idle-seconds", "--n-gpu-layers", "--cors-origins"),
)
_TEMPLATES = {
    "chatml": CHATML,
    "llama3": "{{ bos_token }}{% for m in messages %}{{ '<|start_header_id|>' + m.role + '<|end_header_id|>\n\n' }}"
    "{{ m.content | trim }}{{ '<|eot_id|>' }}{% endfor %}{% if add_generation_prompt %}"
    "{{ '<|start_header_id|>assistant<|end_header_id|>\n\n' }}{% endif %}",
    "command-r": "{% for m in messages %}{{ '<|START_OF_TURN_TOKEN|><|' + {'system': 'SYSTEM', 'user': 'USER', "
    "'assistant': 'CHATBOT'}[m.role] + '_TOKEN|>' + m.content + '<|END_OF_TURN_TOKEN|>' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{% endif %}",
}
"""llama-server's built-in ones, which it has no Jinja of."""


_STAND_INS = {"bert": "bert", "jina": "ranks", "infill": "fills", "MOE": "experts", "gemma3": "sees"}
"""The models, by a part of the names of those that they stand for."""
_DOWNLOAD = """
import os, shutil

def download(url, out):
    os.makedirs(os.path.dirname(out), exist_ok=True)
    shutil.copy({0!r} + ("adapter.gguf" if "shakespeare" in url else "draft.gguf"), out)
"""


def make_models(folder: Path) -> None:
    folder.mkdir()
    speak_ascii(llama(folder / "model.gguf"))
    bert(folder / "bert.gguf", "mean")
    bert(folder / "ranks.gguf", "rank")
    plain = bpe_tokenizer()
    tokens, types = [*plain.tokens, *_FIM], [*plain.types, *[gguf.TokenType.CONTROL] * len(_FIM)]
    speak_ascii(llama(folder / "fills.gguf", tokenizer=replace(plain, tokens=tokens, types=types)))
    speak_ascii(llama(folder / "experts.gguf", seed=1))
    make_adapter(folder / "adapter.gguf")
    llama(folder / "draft.gguf", seed=2)
    tiny_models.gemma3(folder / "sees.gguf", tokenizer=tiny_vision.picture_tokenizer())
    tiny_vision.gemma3(folder / "sees.mmproj")


_FIM = ("<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>")


def stand_in(models: Path, said: Mapping[str, str]) -> tuple[Path, list[str]]:
    """A model for what llama-server's arguments name, and the arguments of its projector."""
    named = said.get("--hf-repo", "") + said.get("--hf-file", "")
    name = next((stands for part, stands in _STAND_INS.items() if part in named), "model")
    projector = models / f"{name}.mmproj"
    return models / f"{name}.gguf", ["--mmproj", str(projector)] if projector.exists() else []


def serve(models: Path, arguments: list[str]) -> None:
    """Become `hearth serve` with what llama-server's arguments mean."""
    said: dict[str, str] = {}
    kept: list[str] = []
    rest = iter(arguments)
    for name in rest:
        if name in _SAME:
            value = next(rest)
            kept += ["-n", "0" if value == "-1" else value] if name == "--n-predict" else [name, value]
        elif name in _VALUED:
            said[name] = next(rest)
        elif name in _BARE:
            kept.append(name)
    model, projector = stand_in(models, said)
    template = said.get("--chat-template", "")
    if file := said.get("--chat-template-file"):
        template = Path(file).read_text("utf-8")
    template = _TEMPLATES.get(template, template)
    # One home and one copy for all tests, so that a file is tried once.
    home = Path.cwd() / "home" / hashlib.sha256(f"{model.stem}{template}".encode()).hexdigest()[:8]
    made = home / f"{said.get('--alias', 'model').split(',')[0]}.gguf"
    if not made.exists():
        home.mkdir(parents=True, exist_ok=True)
        _copy(model, made, template)
    if seconds := said.get("--sleep-idle-seconds"):
        kept += ["--idle-unload", seconds]
    if how := said.get("--reasoning"):
        kept += ["--reasoning", "off" if how == "off" else "on"]  # its third, auto, is on for what can think
    slots = 1 if "--kv-unified" in arguments else int(said.get("--parallel", "1"))
    size = int(said.get("--ctx-size", "0")) // slots
    kept += ["-np", said.get("--parallel", "1")]
    os.environ |= {"HEARTH_HOME": str(home), "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "app", "serve", "-m", str(made), "-c", str(size), *projector, *kept]
    os.execv(sys.executable, command)


def _copy(model: Path, made: Path, template: str) -> None:
    """With another chat template, where one is given."""
    if not template:
        made.symlink_to(model)
        return
    reader = gguf.GGUFReader(model)
    writer = gguf.GGUFWriter(made, str(reader.fields["general.architecture"].contents()))
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name not in ("general.architecture", "tokenizer.chat_template"):
            kind = field.types[-1] if field.types[0] is gguf.GGUFValueType.ARRAY else None
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=kind)
    writer.add_chat_template(template)
    for tensor in reader.tensors:
        writer.add_tensor(tensor.name, tensor.data, raw_dtype=tensor.tensor_type)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _program(path: Path, *words: str | Path) -> Path:
    """A program that passes its arguments on to this file, behind these words."""
    quoted = " ".join(f"'{word}'" for word in words)
    # Without the folder of this file in the path: a neighbour is called as a module of Python's.
    here = f"env PYTHONPATH='{ROOT}' '{sys.executable}' -P -m tests.bench.llama_server_tests"
    path.write_text(f'#!/bin/sh\nexec {here} {quoted} "$@"\n')
    path.chmod(0o755)
    return path


def run(copy: Path, python: str, server: Path, port: int, only: Iterable[str]) -> dict[str, str]:
    """What became of each test, by file and name: passed, failed or skipped."""
    report, wanted = copy / f"{server.name}.xml", copy / f"{server.name}.txt"
    environment = {**os.environ, "LLAMA_SERVER_BIN_PATH": str(server), "PORT": str(port)}
    wanted.write_text("".join(f"unit/{each}\n" for each in only))
    subprocess.run(
        [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", f"@{wanted}"],
        cwd=copy,
        env=environment,
        check=False,
    )
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        found[f"{case.get('classname', '').rpartition('.')[2]}.py::{case.get('name')}"] = outcome
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--llama-server", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", action="append")
    asked = parser.parse_args()
    only = asked.only or list(FILES)
    with tempfile.TemporaryDirectory(prefix="llama-server-tests-") as folder:
        copy = Path(folder) / "tools" / "server" / "tests"
        shutil.copytree(asked.source / "tests", copy)
        (Path(folder) / "models").symlink_to(asked.source.resolve().parents[1] / "models")
        make_models(models := Path(folder) / "tiny")
        (copy / "wget.py").write_text(_DOWNLOAD.format(f"{models}/"))
        fixture = copy / "conftest.py"
        fixture.write_text(fixture.read_text().replace("ServerPreset.load_all()", "pass"))
        if asked.llama_server:
            there = _program(copy / "llama", "--theirs", models, asked.llama_server.resolve())
            theirs = run(copy, asked.python, there, 18280, only)
            only = [name for name, outcome in theirs.items() if outcome == "passed"]
        seen = run(copy, asked.python, _program(copy / "hearth", "--serve", models), 18180, only)
    _tell(seen)


def _tell(seen: Mapping[str, str]) -> None:
    wanted = Counter(name.split("::")[0] for name in seen)
    passed = Counter(name.split("::")[0] for name, outcome in seen.items() if outcome == "passed")
    for file, count in wanted.items():
        print(f"{file:32} {count:4} {passed[file]:4}")
    print(f"{'together':32} {wanted.total():4} {passed.total():4}")
    for name, outcome in seen.items():
        if outcome != "passed":
            print(f"{outcome}: {name}")


def _become(models: Path, program: str, arguments: list[str]) -> None:
    """llama-server, with a model that is here."""
    said, left = {}, []
    rest = iter(arguments)
    for name in rest:
        if name in ("--hf-repo", "--hf-file"):
            said[name] = next(rest)
        elif name != "--offline":
            left.append(name)
    model, projector = stand_in(models, said)
    os.execv(program, [program, "-m", str(model), *projector, *left])


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["--serve", folder, *arguments]:
            serve(Path(folder), arguments)
        case ["--theirs", folder, program, *arguments]:
            _become(Path(folder), program, arguments)
        case _:
            main()
