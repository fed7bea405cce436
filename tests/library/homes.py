"""Homes as other programs lay them out, each with models in it."""

import hashlib
import json
from pathlib import Path

from app.library.model_sources import HostFolders


def machine(home: Path, system: str = "linux", **environment: str) -> HostFolders:
    return HostFolders(system, home, environment)


def put(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def ollama(models: Path, name: str, tag: str, model: bytes, projector: bytes = b"") -> Path:
    """The blob of `model` under `models`, with a manifest that tells its layers."""
    layers = []
    for kind, data in (("model", model), ("projector", projector), ("template", b"{{ .Prompt }}"), ("params", b"{}")):
        if data:
            digest = hashlib.sha256(data).hexdigest()
            put(models / "blobs" / f"sha256-{digest}", data)
            media = f"application/vnd.ollama.image.{kind}"
            layers.append({"mediaType": media, "digest": f"sha256:{digest}", "size": len(data)})
    manifest = {"schemaVersion": 2, "config": {"digest": "sha256:0"}, "layers": layers}
    put(models / "manifests" / "registry.ollama.ai" / name / tag, json.dumps(manifest).encode())
    return models / "blobs" / f"sha256-{hashlib.sha256(model).hexdigest()}"


def hub(cache: Path, repo: str, name: str, data: bytes, revision: str = "abc123") -> Path:
    """A file in huggingface_hub's layout: a link in the snapshot to a blob that is named by its hash."""
    folder = cache / f"models--{repo.replace('/', '--')}"
    blob = put(folder / "blobs" / hashlib.sha256(data).hexdigest(), data)
    link = folder / "snapshots" / revision / name
    link.parent.mkdir(parents=True, exist_ok=True)
    link.symlink_to(Path("../" * len(link.relative_to(folder).parts[:-1])) / "blobs" / blob.name)
    return link


def jan(data: Path, name: str, model: bytes, projector: bytes = b"") -> Path:
    folder = data / "llamacpp" / "models" / name
    path = put(folder / "model.gguf", model)
    lines = [f"model_path: llamacpp/models/{name}/model.gguf", f"name: {name}", f"size_bytes: {len(model)}"]
    if projector:
        put(folder / "mmproj.gguf", projector)
        lines.append(f"mmproj_path: llamacpp/models/{name}/mmproj.gguf")
    put(folder / "model.yml", "\n".join(lines).encode())
    return path
