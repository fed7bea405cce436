"""Which client libraries and programs work with `hearth serve`, step by step.

    python -m tests.bench.serving.client_programs CLIENT=PYTHON ... [ai-sdk=FOLDER]

CLIENT is a function of `client_scripts`, PYTHON that of an environment which has its library, FOLDER one with the AI
SDK in its node_modules. They ask the built-in guide, greedily; aider, whose prompts are long, a tiny model.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests import tiny_models
from tests.e2e.conftest import KEY, drawn
from tests.hearth_process import HearthProcess
from tests.serve_process import serving

_HERE = Path(__file__).parent
_LIMIT = 900


def steps_of(client: str, where: str, address: str, folder: Path) -> list[tuple[str, str]]:
    """The name of each step, and what became of it."""
    picture = folder / "red.png"
    picture.write_bytes(drawn("circle", "red"))
    command: list[str | Path] = [where, "-P", _HERE / "client_scripts.py", client, address, picture]
    if client == "ai-sdk":
        command = ["node", _HERE / "client_scripts.mjs", address, picture]
    done = subprocess.run(
        command,
        cwd=where if client == "ai-sdk" else folder,
        env={**os.environ, "LLM_USER_PATH": str(folder), "AI_SDK_LOG_WARNINGS": "false"},
        capture_output=True,
        text=True,
        timeout=_LIMIT,
        check=False,
    )
    told = [line.split(" ", 2) for line in done.stdout.splitlines() if line.startswith("STEP ")]
    return [(step, what) for _, step, what in told] or [("start", done.stderr[-300:])]


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tiny_models.CONTEXT = 1 << 15
        tiny = tiny_models.llama(folder / "tiny.gguf")
        for client, where in (each.split("=", 1) for each in sys.argv[1:]):
            options = ("-m", tiny, "-c", "32768", "-n", "100") if client == "aider" else ("-n", "200")
            hearth = HearthProcess(folder / "home", qt=True)
            with serving(hearth, "-t", "1", "--temp", "0", "--api-key", KEY, *options) as server:
                for step, what in steps_of(client, where, server.address, folder):
                    print(f"{client:18} {step:20} {what}", flush=True)


if __name__ == "__main__":
    main()
