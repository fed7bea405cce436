"""Calls through the chat templates that model makers published, with their own control tokens.

The templates lie in the source of llama.cpp. The set-up keeps those of the source that it built the engine from;
otherwise the test looks where `LLAMA_CPP_SOURCE` says, and where uv keeps what it built.
"""

import codecs
import json
import os
import re
from importlib.metadata import version
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from app.core.messages import Message, Role, ToolCall
from app.engine.output.call_syntax import schemas
from app.engine.output.detect import detect
from app.engine.output.parser import OutputParser, ParsedOutput, joined
from app.engine.template.chat_template import ChatTemplate
from app.engine.template.marked_text import plain


class Published(NamedTuple):
    file: str
    format: str
    said: str = ""
    """Two calls, where the template writes none of an answer, but tells the model how."""
    n_calls: int = 2
    """That one answer may make."""


def _array(name: str, arguments: str) -> str:
    calls = ({name: "weather", arguments: WANTED[0][1]}, {name: "now", arguments: WANTED[1][1]})
    return json.dumps(calls, ensure_ascii=False)


WANTED: tuple[tuple[str, dict[str, Any]], ...] = (
    ("weather", {"city": 'Ås "x" <b', "days": 2}),
    ("now", {"zone": "CET"}),
)
PUBLISHED = (
    Published("HuggingFaceTB-SmolLM3-3B", "plain", f'{{"name": "now", "arguments": {json.dumps(WANTED[1][1])}}}'),
    Published("Qwen-Qwen3-0.6B", "hermes"),
    Published("Qwen3-Coder", "qwen3-coder"),
    Published("GLM-4.6", "glm"),
    Published("tencent-Hy3", "glm"),
    Published("ByteDance-Seed-OSS", "seed"),
    Published("MiniMax-M2", "minimax"),
    Published("MiniMax-M3", "minimax-m3"),
    Published("openbmb-MiniCPM5-1B", "minicpm"),
    Published("meta-llama-Llama-3.3-70B-Instruct", "llama", n_calls=1),
    Published("mistralai-Ministral-3-14B-Reasoning-2512", "mistral"),
    Published("Mistral-Small-3.2-24B-Instruct-2506", "mistral"),
    Published("mistralai-Mistral-Nemo-Instruct-2407", "mistral"),
    Published("openai-gpt-oss-120b", "harmony", n_calls=1),
    Published("google-gemma-4-31B-it", "gemma"),
    Published("deepseek-ai-DeepSeek-R1-Distill-Qwen-32B", "deepseek-r1"),
    Published("deepseek-ai-DeepSeek-V3.1", "deepseek-v3.1"),
    Published("deepseek-ai-DeepSeek-V3.2", "deepseek-v3.2"),
    Published("deepseek-ai-DeepSeek-V4", "deepseek-v4"),
    Published("muse-glimmer", "atem"),
    Published("moonshotai-Kimi-K2", "kimi"),
    Published("Kimi-K3", "kimi-k3"),
    Published("upstage-Solar-Open-100B", "solar"),
    Published("CohereForAI-c4ai-command-r7b-12-2024-tool_use", "command-r"),
    Published(
        "CohereForAI-c4ai-command-r-plus-tool_use",
        "command-r-plus",
        f"Action: ```json\n{_array('tool_name', 'parameters')}\n```",
    ),
    Published("LFM2.5-8B-A1B", "lfm2"),
    Published("Apertus-8B-Instruct", "apertus"),
    Published("NVIDIA-Nemotron-Nano-v2", "nemotron", f"<TOOLCALL>{_array('name', 'arguments')}</TOOLCALL>"),
    Published("unsloth-Apriel-1.5", "tool-calls-array"),
    Published("MiniMax-M1", "tool-calls"),
    Published("ibm-granite-granite-3.3-2B-Instruct", "granite", f"<|tool_call|>{_array('name', 'arguments')}"),
    Published("fireworks-ai-llama-3-firefunction-v2", "functools", f" functools{_array('name', 'arguments')}"),
    Published("meetkai-functionary-medium-v3.1", "functionary"),
    Published("meetkai-functionary-medium-v3.2", "functionary-v3.2"),
    Published("GigaChat3-10B-A1.8B", "gigachat", n_calls=1),
    Published("GigaChat3.1-10B-A1.8B", "gigachat-3.1", n_calls=1),
)
"""One at least of each format. Phi-4-mini's, `phi`, is not among llama.cpp's."""
_CONTROL = re.compile(r"<[|｜][^<>]*[|｜]>|\[/?[A-Z_]+\]|\]<\]\w+\[>\[")
_QUESTION = "How is it there?"


def _parameters(**named: str) -> dict[str, Any]:
    told = {name: {"type": kind, "description": name} for name, kind in named.items()}
    return {"type": "object", "properties": told, "required": list(named)}


TOOLS: list[dict[str, Any]] = [
    {"type": "function", "function": {"name": name, "description": name, "parameters": parameters}}
    for name, parameters in (
        ("weather", _parameters(city="string", days="integer")),
        ("now", _parameters(zone="string")),
    )
]


def templates() -> Path | None:
    release = version("llama-cpp-python")
    own = Path(__file__).parents[3].glob(f"build/wheels/{release}-*/templates")
    kept = Path(os.environ.get("UV_CACHE_DIR", "~/.cache/uv")).expanduser()
    built = kept.glob(f"sdists-*/pypi/llama-cpp-python/{release}/*/src/vendor/llama.cpp")
    sources = (each / "models" / "templates" for each in (Path(os.environ.get("LLAMA_CPP_SOURCE", "")), *built))
    return next((each for each in (*own, *sources) if each.is_dir()), None)


FOLDER = templates()
pytestmark = pytest.mark.skipif(FOLDER is None, reason="llama.cpp's source is not here: name it in LLAMA_CPP_SOURCE")


def answer_of(published: Published, source: str) -> str:
    """What a model would write: the template's own history of the calls, from where the answer begins."""
    if published.said:
        return published.said
    template = ChatTemplate(source, bos_token="<bos>", eos_token="<eos>")
    calls = tuple(
        ToolCall(f"call0000{number}", name, json.dumps(arguments, ensure_ascii=False))
        for number, (name, arguments) in enumerate(WANTED[: published.n_calls])
    )
    asked = Message.of(Role.USER, _QUESTION)
    told = (asked, Message(Role.ASSISTANT, tool_calls=calls))
    prompt = plain(template.render([asked], tools=TOOLS))
    whole = plain(template.render(told, tools=TOOLS, add_generation_prompt=False))
    begins = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(prompt, whole, strict=False)))
    openings = [whole.find(each, whole.find(_QUESTION)) for each in detect(source).calls.openings]
    # The prompt may end in the middle of a mark with which the history goes on otherwise.
    return whole[min([begins, *(place for place in openings if place >= 0)]) :]


@pytest.mark.parametrize("published", PUBLISHED, ids=lambda each: each.file)
def test_calls_come_back_from_what_the_template_writes_of_them(published: Published) -> None:
    assert FOLDER is not None
    source = (FOLDER / f"{published.file}.jinja").read_text(encoding="utf-8")
    form, answer = detect(source), answer_of(published, source)
    assert form.name == published.format

    def read(*pieces: bytes) -> ParsedOutput:
        parser = OutputParser(form, tools=schemas(TOOLS), new_id=lambda: "id")
        decoder = codecs.getincrementaldecoder("utf-8")()
        return joined([*(each for piece in pieces for each in parser.feed(decoder.decode(piece))), *parser.finish()])

    data = answer.encode()
    whole = read(data)
    wanted = WANTED[1:] if published.format == "plain" else WANTED[: published.n_calls]
    assert [(call.name, json.loads(call.arguments)) for call in whole.tool_calls] == list(wanted)
    assert "Ås" not in whole.content
    seen = _CONTROL.sub(lambda token: token[0] if token[0] in form.preserved else "", answer)
    assert read(seen.encode()).tool_calls == whole.tool_calls, "all control tokens of a call are shown to the parser"
    assert read(*(data[at : at + 1] for at in range(len(data)))) == whole
    for cut in range(len(data)):
        assert read(data[:cut], data[cut:]) == whole
