"""An agent's session with a date in its system prompt: entries read in each turn, and the time to its first token.

    python -m tests.bench.context.agent_session [--turns 40] [--tools 30] [--entries 30000] [--llama-server FILE]

A tiny model, greedy, one thread, tools behind the system prompt, the date new in each request. Requests are sent to
`hearth serve` as it is, to one that may move what changes, and to llama-server, with the date in its place and with a
client that says it behind its questions, turn by turn, so that a busy machine meets all. Those that read all of it
again in each turn are asked `--slow-turns` times. Told are medians over the turns behind the second, by which what
changes is known.
"""

import argparse
import contextlib
import http.client
import json
import socket
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests import tiny_models
from tests.hearth_process import HearthProcess
from tests.serve_process import serving

_TEMPLATE = (
    "{%- for m in messages -%}{{- '<|im_start|>' + m.role + '\\n' + m.content -}}"
    "{%- if loop.first and tools -%}{%- for each in tools -%}{{- '\\n' + each | tojson -}}{%- endfor -%}{%- endif -%}"
    "{{- '<|im_end|>\\n' -}}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}"
)
"""Tools behind the system prompt, as many models have them."""
_WORDS = "Read the file before you change it, run the tests after it, and say what you did in one line. "


@dataclass
class Agent:
    """One client, with its own conversation."""

    name: str
    port: int
    system: list[str]
    tools: list[dict[str, Any]]
    itself: bool = False
    """Says the date behind its questions, as the server is to do for the others."""
    messages: list[dict[str, str]] = field(default_factory=list)
    read: list[int] = field(default_factory=list)
    """Entries, by turn."""
    waited: list[float] = field(default_factory=list)
    """Seconds to the first token, by turn."""

    def turn(self, number: int) -> None:
        date = f"Now it is 2026-11-24 {number // 60 + 9:02}:{number % 60:02}."
        question = f"{number}: {_WORDS}{_WORDS}"
        self.messages.append({"role": "user", "content": f"{question}\n\n{date}" if self.itself else question})
        system = "\n".join(self.system if self.itself else [*self.system[:3], date, *self.system[3:]])
        body = {
            "messages": [{"role": "system", "content": system}, *self.messages],
            "tools": self.tools,
            "temperature": 0,
            "stream": True,
            "max_tokens": 24,
            "stream_options": {"include_usage": True},
        }
        self.messages.append({"role": "assistant", "content": self._ask(body)})

    def _ask(self, body: dict[str, Any]) -> str:
        connection, began, said = (
            http.client.HTTPConnection("127.0.0.1", self.port, timeout=600),
            time.perf_counter(),
            "",
        )
        with contextlib.closing(connection):
            connection.request("POST", "/v1/chat/completions", json.dumps(body), {"Content-Type": "application/json"})
            for line in connection.getresponse():
                if not line.startswith(b"data: {"):
                    continue
                told = json.loads(line[6:])
                words = "".join(each["delta"].get("content") or "" for each in told.get("choices", ()))
                if words and not said:
                    self.waited.append(time.perf_counter() - began)
                said += words
                if told.get("usage") and told.get("timings"):
                    self.read.append(told["timings"]["prompt_n"])
        return said


def _session(n_tools: int, entries: int) -> tuple[list[str], list[dict[str, Any]]]:
    """Lines of a system prompt, and tools, of about so many entries together: the model has one for a character."""
    each = entries // (n_tools + 10)
    system = [f"Rule {number}. {_WORDS}" for number in range(each * 10 // (len(_WORDS) + 10))]
    told = (_WORDS * (each // len(_WORDS) + 1))[: max(0, each - 200)]
    parameters = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    functions = [{"name": f"tool_{number}", "description": told, "parameters": parameters} for number in range(n_tools)]
    return system, [{"type": "function", "function": function} for function in functions]


@contextlib.contextmanager
def _llama_server(program: Path, model: Path, size: int) -> Iterator[int]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    options = ["-m", model, "--port", port, "-t", 1, "-c", size, "-np", 1, "--jinja", "--no-webui"]
    with subprocess.Popen(
        [program, *map(str, options)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        try:
            while not _is_ready(port):
                time.sleep(0.1)
            yield port
        finally:
            process.kill()


def _is_ready(port: int) -> bool:
    with contextlib.suppress(OSError), contextlib.closing(http.client.HTTPConnection("127.0.0.1", port)) as connection:
        connection.request("GET", "/health")
        return connection.getresponse().status == 200
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=40)
    parser.add_argument("--tools", type=int, default=30)
    parser.add_argument("--entries", type=int, default=30_000)
    parser.add_argument("--slow-turns", type=int, default=5)
    parser.add_argument("--llama-server", type=Path)
    asked = parser.parse_args()
    size = asked.entries + asked.turns * 300 + 2048
    tiny_models.CONTEXT = size
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        model = tiny_models.llama(Path(folder) / "tiny.gguf", template=_TEMPLATE)
        options = ("-m", model, "-t", "1", "-c", str(size))
        names = {"told": (), "moved": ("--move-changes",)}
        ports = {
            name: stack.enter_context(serving(HearthProcess(Path(folder) / name, qt=True), *options, *more)).port
            for name, more in names.items()
        }
        for name in ("llama-server", "llama-server, date behind") if asked.llama_server else ():
            ports[name] = stack.enter_context(_llama_server(asked.llama_server, model, size))
        told = _session(asked.tools, asked.entries)
        agents = [Agent(name, port, *told, itself="behind" in name) for name, port in ports.items()]
        for number in range(asked.turns):
            _take_turns(agents, number, asked.slow_turns)
        _tell(agents)


def _take_turns(agents: list[Agent], number: int, slow_turns: int) -> None:
    for agent in agents:
        if number < slow_turns or agent.name == "moved" or agent.itself:
            agent.turn(number)
            print(f"{number:3} {agent.name:26} {agent.read[-1]:7} {agent.waited[-1]:8.2f} s", flush=True)


def _tell(agents: list[Agent]) -> None:
    moved = statistics.median(next(each.waited[2:] for each in agents if each.name == "moved"))
    for each in agents:
        read, wait = statistics.median(each.read[2:]), statistics.median(each.waited[2:])
        print(f"{each.name:26} {len(each.read):3} turns, {read:7.0f} read, {wait:6.2f} s, {wait / moved:5.1f} times")


if __name__ == "__main__":
    main()
