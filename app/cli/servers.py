"""Models of servers on the command line: what a server has, and one of its models asked in a local one's place."""

import argparse
import json
import os
from collections.abc import Generator
from dataclasses import replace
from functools import partial

from app.cli import terminal
from app.core.errors import UserError
from app.core.events import ModelInfo, ReplyEvent
from app.core.messages import ImagePart
from app.core.model_ref import ModelRef
from app.core.paths import Paths
from app.core.requests import ChatRequest
from app.remote.address import ServerAddress
from app.remote.engine import RemoteEngine
from app.remote.model_list import list_models
from app.remote.recognise import recognise
from app.remote.server import Server, ServerModel, Verdict
from app.remote.shapes import unlisted
from app.remote.stop_signal import StopSignal
from app.services.remote.remote_info import context_of, model_info
from app.services.remote.saved_servers import SavedServer
from app.services.remote.sendable_media import sendable
from app.storage.attachments import AttachmentStore

KEY = "HEARTH_SERVER_KEY"
"""The variable that holds a server's key: what stands on a command line, every program can read."""


class ServerSession:
    """A server's model, asked as a `Session` is."""

    def __init__(self, engine: RemoteEngine, info: ModelInfo, stop: StopSignal) -> None:
        self._engine = engine
        self.info = info
        self._stop = stop

    def reply(self, request: ChatRequest) -> Generator[ReplyEvent, None, None]:
        return self._engine.reply(request, self._stop)


def open_server(namespace: argparse.Namespace, paths: Paths, stop: StopSignal) -> ServerSession:
    """The model that `--server` and `--server-model` name. Raises UserError."""
    server, models = _asked(namespace.server, stop)
    model = _chosen(models, namespace.server_model, server)
    saved = SavedServer("asked", server.address.shown, server.address, server.kind, server.version, tuple(models))
    info = model_info(ModelRef.of_server(saved.id, model.id), saved, f"{model.name} · {saved.name}")
    media = partial(sendable, AttachmentStore(paths.attachments))
    return ServerSession(RemoteEngine(server, model, media=media, n_ctx=context_of(server.kind, model)), info, stop)


def without_pictures(request: ChatRequest) -> ChatRequest:
    """For `--strip-images`."""
    kept = (
        replace(each, parts=tuple(part for part in each.parts if not isinstance(part, ImagePart)))
        for each in request.messages
    )
    return replace(request, messages=tuple(kept))


def run(namespace: argparse.Namespace) -> int:
    """`hearth models --server URL`: print its models; 0 also where there is none. Raises UserError."""
    server, models = _asked(namespace.server, StopSignal())
    if namespace.json:
        told = {"server": server.address.base, "kind": server.kind.value, "version": server.version}
        listed = [_json(each) for each in models]
        terminal.write(json.dumps({**told, "models": listed}, ensure_ascii=False, indent=2) + "\n")
        return 0
    for each in models:
        terminal.write(_line(each) + "\n")
    if not models:
        terminal.warn(f"{server.title} lists no model that chats.")
    return 0


def _asked(address: str, stop: StopSignal) -> tuple[Server, list[ServerModel]]:
    place = ServerAddress.typed(address)
    key = os.environ.get(KEY, "").strip()
    if key and place.tells_key:
        terminal.warn(f"{place.shown} is not encrypted, and lies outside your own network: others can read the key.")
    server = recognise(place, key, stop)
    return server, list_models(server, stop)


def _chosen(models: list[ServerModel], wanted: str, server: Server) -> ServerModel:
    if wanted:
        # One that it does not list may be there all the same, such as Transformers'.
        return next((each for each in models if wanted in (each.id, each.name)), unlisted(server.kind, wanted))
    if len(models) == 1:
        return models[0]
    if not models:
        raise UserError("{server} lists no model that chats. Name one with --server-model.", server=server.title)
    names = ", ".join(each.id for each in models[:10])
    raise UserError(
        "{server} has several models. Name one with --server-model: {names}", server=server.title, names=names
    )


def _line(model: ServerModel) -> str:
    context = f"  context {model.context:,}" if model.context else ""
    can = model.abilities
    told = {"sees": can.pictures, "hears": can.recordings, "tools": can.tools, "reasons": can.reasons}
    words = [name for name, ability in told.items() if ability.verdict is Verdict.YES]
    return f"{model.id}{context}{'  ' + ', '.join(words) if words else ''}"


def _json(model: ServerModel) -> dict[str, object]:
    can = model.abilities
    told = {
        name: getattr(can, name).verdict.value
        for name in ("pictures", "recordings", "tools", "grammar", "schema", "continues", "reasons")
    }
    return {"id": model.id, "name": model.name, "context": model.context, "loaded": model.is_loaded, "abilities": told}
