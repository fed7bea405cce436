"""What answers at an address: two harmless questions, judged by the shapes of their answers."""

from app.core.errors import UserError
from app.remote.address import ServerAddress
from app.remote.asking import Asker, Told
from app.remote.server import Server, ServerKind
from app.remote.stop_signal import StopSignal
from app.remote.told_fields import objects, text

_OWNERS = {
    "hearth": ServerKind.HEARTH,
    "llamacpp": ServerKind.LLAMA_SERVER,
    "vllm": ServerKind.VLLM,
    "sglang": ServerKind.SGLANG,
    "organization_owner": ServerKind.LM_STUDIO,
}
"""`owned_by` of the models that they list."""
_VERSIONS = {
    ServerKind.VLLM: ("/version", "version"),
    ServerKind.SGLANG: ("/get_server_info", "version"),
    ServerKind.LLAMA_SERVER: ("/props", "build_info"),
    ServerKind.HEARTH: ("/props", "build_info"),
}


def recognise(address: ServerAddress, key: str, stop: StopSignal | None = None) -> Server:
    """Asks for the list of models, and then for what tells the likeliest kind from others. Wakes no model.

    Blocks for half a minute at most. Raises UserError with a sentence where no engine answers, and StoppedError.
    """
    asker = Asker(address, key, stop or StopSignal())
    listed = asker.ask("/v1/models")
    kind = _by_list(listed)
    if kind in _VERSIONS:
        path, name = _VERSIONS[kind]
        told = asker.ask(path)
        return Server(address, kind, key, text(told.body, name) if told.ok else "")
    if kind is not None:
        return Server(address, kind, key)
    if listed.head.status in (401, 403):
        raise asker.refusal(listed)
    return _by_further(address, key, asker, listed)


def _by_list(listed: Told) -> ServerKind | None:
    if listed.head.headers.get("server", "").lower().startswith("llama.cpp"):
        return ServerKind.LLAMA_SERVER
    owners = {text(each, "owned_by") for each in objects(listed.body, "data")}
    return next((kind for owner, kind in _OWNERS.items() if owner in owners), None)


def _by_further(address: ServerAddress, key: str, asker: Asker, listed: Told) -> Server:
    """Never by `/api/tags`: others answer to that in Ollama's shape, too."""
    version = asker.ask("/api/version")
    if version.ok and text(version.body, "version"):
        return Server(address, ServerKind.OLLAMA, key, text(version.body, "version"))
    described = asker.ask("/openapi.json")
    kind = _by_description(described)
    if kind is not None:
        return Server(address, kind, key, text(described.body, "info", "version"))
    if listed.ok and isinstance(listed.body.get("data"), list):
        return Server(address, ServerKind.OTHER, key)
    raise _no_engine(asker, address, listed)


def _by_description(described: Told) -> ServerKind | None:
    """Of servers that describe their routes."""
    paths = described.body.get("paths")
    if not described.ok or not isinstance(paths, dict):
        return None
    if text(described.body, "info", "title") == "llama.cpp Python API" or "/extras/tokenize" in paths:
        return ServerKind.LLAMA_CPP_PYTHON
    if "/load_model" in paths and "/v1/chat/completions" in paths:
        return ServerKind.TRANSFORMERS
    return ServerKind.OTHER if "/v1/chat/completions" in paths else None


def _no_engine(asker: Asker, address: ServerAddress, listed: Told) -> UserError:
    if listed.ok or listed.head.status != 404:
        return asker.refusal(listed)
    told = "Something answers at {server}, but it is no engine that Hearth knows. Check address and port."
    return UserError(told, server=address.shown)
