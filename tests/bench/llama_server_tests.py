"""llama.cpp's own tests of llama-server, run against `hearth serve` and, beside it, against llama-server.

    python -m tests.bench.llama_server_tests LLAMA.CPP/tools/server [--llama-server FILE] [--only FILE.py]

They are copied, and started from the copy: nothing is downloaded, so tiny models stand in for those that they name.
Names of options are translated, and what llama-server's options say of a template is written into a copy of the model.
It needs pytest, requests, filelock and openai in `--python`. llama-server's turn comes first, and `hearth serve` has to
pass what that passes (all, where it is not given); told are the counts for each file, and then what it fails, and why,
where that is meant. What models say is random here, so tests that look for words fail on both sides.

Left out are those of llama-server's router, and of what its own page needs: MCP servers, tools, a proxy.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from tests import tiny_models, tiny_vision
from tests.bench import infill
from tests.bench.talkers import speak_ascii
from tests.tiny_adapters import make_adapter
from tests.tiny_models import llama
from tests.tiny_vectors import bert

ROOT = Path(__file__).resolve().parents[2]
FILES = (
    *("test_basic.py", "test_chat_completion.py", "test_completion.py", "test_compat_anthropic.py"),
    *("test_compat_oai_responses.py", "test_ignore_eos.py", "test_metrics.py", "test_template.py"),
    *("test_tokenize.py", "test_tool_call.py", "test_security.py", "test_slot_save.py", "test_ctx_shift.py"),
    *("test_embedding.py", "test_rerank.py", "test_infill.py", "test_vision_api.py", "test_speculative.py"),
    *("test_lora.py", "test_kv_keep_only_active.py", "test_compat_gcp.py", "test_sleep.py"),
)
_REASONS = {
    "test_server_model_aliases_and_tags": "a model has one name, its file's",
    "test_chat_template_assistant_prefill[prefill1": "parts of an answer are joined by nothing, there by two new lines",
    "test_n_probs_post_backend_sampling": "probabilities after sampling are not offered, and refused",
    "test_anthropic_tool_result_with_image": "what the model can't see is the request's fault: 400, and not 500",
    "test_anthropic_vision_format_accepted": "what the model can't see is the request's fault: 400, and not 500",
    "test_anthropic_empty_messages": "refused as Anthropic does",
    "test_responses_stream_with_llama_telemetry": "a cut answer ends as OpenAI's, with response.incomplete",
    "test_cors_options": "no page is let in whom nobody named",
    "test_cors_origins_defaults_to_localhost_with_tools": "no page is let in whom nobody named; no tools",
    "test_cors_proxy": "no proxy for pages",
    "test_clear_and_restore": "reads llama-server's log",
    "test_gcp_predict": "Vertex AI's form is not spoken",
    "test_with_and_without_draft": "drafts are made only where they pay, which two random models may or may not",
    "test_synth": "no drafts by invented odds",
    "test_server_sleep_metrics_buckets": "speeds are averages since the start, not since somebody looked last",
}
"""Why these are not passed, by the beginnings of their names."""
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
    infill.write_model(folder / "fills.gguf", *infill.MARKS)
    speak_ascii(llama(folder / "experts.gguf", seed=1))
    make_adapter(folder / "adapter.gguf")
    llama(folder / "draft.gguf", seed=2)
    tiny_models.gemma3(folder / "sees.gguf", tokenizer=tiny_vision.picture_tokenizer())
    tiny_vision.gemma3(folder / "sees.mmproj")


def _program(path: Path, *words: str | Path) -> Path:
    """A program that passes its arguments on to `llama_server_program`, behind these words."""
    quoted = " ".join(f"'{word}'" for word in words)
    # Without the folder of this file in the path: a neighbour is called as a module of Python's.
    here = f"env PYTHONPATH='{ROOT}' '{sys.executable}' -P -m tests.bench.llama_server_program"
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
            why = next((told for begins, told in _REASONS.items() if name.partition("::")[2].startswith(begins)), "?")
            print(f"{outcome}: {name}: {why}")


if __name__ == "__main__":
    main()
