"""Programs that are started as llama.cpp's tests of llama-server start it: `hearth serve`, and llama-server itself.

They run once for each test, so what is large is imported only where it is needed.
"""

import hashlib
import os
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
_SAME = (
    *("--port", "--host", "--temp", "--seed", "--api-key", "--slot-save-path", "-ctk", "-ctv", "-fa", "--cache-ram"),
    *("--spec-draft-n-max", "--spec-draft-n-min", "--batch-size", "--ubatch-size", "--threads", "--n-predict"),
    *("--pooling", "--spec-type", "--model-draft", "--cors-origins"),
    "--sleep-idle-seconds",
)
_BARE = ("--no-slots", "--embedding", "--reranking", "--swa-full")
_VALUED = (
    *("--hf-repo", "--hf-file", "--model", "--alias", "--tags", "--ctx-size", "--parallel", "--chat-template"),
    *("--chat-template-file", "--reasoning", "--reasoning-format", "--lora", "--mmproj-url"),
    *("--media-path", "--n-gpu-layers"),
)
_TEMPLATES = {
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
    if template == "chatml":
        from tests.tiny_models import CHATML

        template = CHATML
    template = _TEMPLATES.get(template, template)
    # One home and one copy for all tests, so that a file is tried once.
    home = Path.cwd() / "home" / hashlib.sha256(f"{model.stem}{template}".encode()).hexdigest()[:8]
    made = home / f"{said.get('--alias', 'model').split(',')[0]}.gguf"
    if not made.exists():
        home.mkdir(parents=True, exist_ok=True)
        _copy(model, made, template)
    # What llama-server does unless it is told not to, and what it does only where it is told to.
    kept += ["--continue-answers"]
    kept += [] if "--metrics" in arguments else ["--no-metrics"]
    kept += ["--tell-prompts"] if "--verbose" in arguments else []
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
    import gguf

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


def become(models: Path, program: str, arguments: list[str]) -> None:
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
            become(Path(folder), program, arguments)
