"""llama.cpp's own tests of llama-server, run against `hearth serve` and, beside it, against llama-server.

    python -m tests.bench.serving.llama_server_tests LLAMA.CPP/tools/server [--llama-server FILE] [--only FILE.py]

They are copied, and started from the copy: nothing is downloaded, so tiny models stand in for those that they name.
Names of options are translated, and what llama-server's options say of a template is written into a copy of the model.
It needs pytest, requests, filelock and openai in `--python`. Both are tested at once, and `hearth serve` has to pass
what llama-server passes (all, where that is not given); told are the counts for each file, and then what it fails, and
why, where that is meant. What models say is random here, so tests that look for words fail on both sides.

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
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from tests import tiny_models, tiny_vision
from tests.bench.serving import infill
from tests.bench.serving.talkers import speak_ascii
from tests.tiny_adapters import make_adapter
from tests.tiny_models import llama
from tests.tiny_vectors import bert

ROOT = Path(__file__).resolve().parents[3]
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
    here = f"env PYTHONPATH='{ROOT}' '{sys.executable}' -P -m tests.bench.serving.llama_server_program"
    path.write_text(f'#!/bin/sh\nexec {here} {quoted} "$@"\n')
    path.chmod(0o755)
    return path


def run(copy: Path, python: str, server: Path, port: int, only: Iterable[str]) -> dict[str, str]:
    """What became of each test, by file and name: passed, failed or skipped."""
    report, wanted = copy / f"{server.name}.xml", copy / f"{server.name}.txt"
    environment = {**os.environ, "LLAMA_SERVER_BIN_PATH": str(server), "PORT": str(port)}
    wanted.write_text("".join(f"unit/{each}\n" for each in only))
    # Without the slow ones, as their own `tests.sh`: they are questions to models that are not here.
    words = ("-q", "-p", "no:cacheprovider", "-m", "not slow", f"--junitxml={report}", f"@{wanted}")
    subprocess.run([python, "-m", "pytest", *words], cwd=copy, env=environment, check=False)
    found = {}
    for case in ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case}
        outcome = "failed" if kinds & {"failure", "error"} else "skipped" if "skipped" in kinds else "passed"
        found[f"{case.get('classname', '').rpartition('.')[2]}.py::{case.get('name')}"] = outcome
    return found


def _copied(source: Path, folder: Path, models: Path) -> Path:
    """The tests, for one server alone: they write beside themselves."""
    copy = folder / "tools" / "server" / "tests"
    shutil.copytree(source / "tests", copy)
    (folder / "models").symlink_to(source.resolve().parents[1] / "models")
    (copy / "wget.py").write_text(_DOWNLOAD.format(f"{models}/"))
    fixture = copy / "conftest.py"
    fixture.write_text(fixture.read_text().replace("ServerPreset.load_all()", "pass"))
    return copy


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("--llama-server", type=Path)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--only", action="append")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="llama-server-tests-") as name, ThreadPoolExecutor() as pool:
        folder = Path(name)
        make_models(models := folder / "tiny")

        def begin(name: str, port: int, *words: str | Path) -> "Future[dict[str, str]]":
            copy = _copied(asked.source, folder / name, models)
            return pool.submit(run, copy, asked.python, _program(copy / name, *words), port, asked.only or FILES)

        ours = theirs = begin("hearth", 18180, "--serve", models)
        if asked.llama_server:
            theirs = begin("llama", 18280, "--theirs", models, asked.llama_server.resolve())
        _tell(ours.result(), theirs.result())


def _tell(ours: Mapping[str, str], theirs: Mapping[str, str]) -> None:
    """Of what llama-server passes; and what else is passed."""
    wanted = [name for name, outcome in theirs.items() if outcome == "passed" or theirs is ours]
    counts = (
        Counter(name.split("::")[0] for name in names)
        for names in (theirs, wanted, [name for name in wanted if ours.get(name) == "passed"])
    )
    every, there, here = counts
    print(f"{'file':32} tests there here")
    for file, count in every.items():
        print(f"{file:32} {count:5} {there[file]:5} {here[file]:4}")
    print(f"{'together':32} {every.total():5} {there.total():5} {here.total():4}")
    for name in wanted:
        if ours.get(name) != "passed":
            why = next((told for begins, told in _REASONS.items() if name.partition("::")[2].startswith(begins)), "?")
            print(f"{ours.get(name)}: {name}: {why}")
    print("here alone:", *(name for name, outcome in ours.items() if outcome == "passed" and name not in wanted))


if __name__ == "__main__":
    main()
