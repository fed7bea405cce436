"""Asks a model of a server, in tests."""

import threading
from contextlib import closing

from app.core.events import Finished, ReplyEvent, TextDelta
from app.core.messages import Message, Role
from app.core.requests import ChatRequest
from app.remote.engine import RemoteEngine, Retries
from app.remote.exchange import Patience
from app.remote.server import Abilities, Server, ServerKind, ServerModel
from app.remote.shapes import SHAPES
from app.remote.stop_signal import StopSignal
from tests.remote.scripted_server import ScriptedServer

QUESTION = ChatRequest((Message.of(Role.USER, "Who is there?"),))
PATIENT = Patience(connect=5.0, write=5.0, first=20.0, between=20.0)
SOON = Retries(first_wait=0.01)


def engine_of(
    server: ScriptedServer,
    kind: ServerKind = ServerKind.LLAMA_SERVER,
    *,
    key: str = "",
    context: int | None = None,
    abilities: Abilities | None = None,
    patience: Patience = PATIENT,
    retries: Retries = SOON,
    secret: bytes = b"",
    n_ctx: int | None = None,
) -> RemoteEngine:
    model = ServerModel("tiny", context=context, abilities=abilities or SHAPES[kind].abilities)
    there = Server(server.address, kind, key)
    return RemoteEngine(there, model, patience=patience, retries=retries, secret=secret, n_ctx=n_ctx)


def all_of(engine: RemoteEngine, request: ChatRequest = QUESTION, stop: StopSignal | None = None) -> list[ReplyEvent]:
    """Every event, of which the last is the only one that is Finished."""
    with closing(engine.reply(request, stop or StopSignal())) as events:
        told = list(events)
    assert [isinstance(each, Finished) for each in told] == [False] * (len(told) - 1) + [True]
    return told


def answer_of(engine: RemoteEngine, request: ChatRequest = QUESTION, stop: StopSignal | None = None) -> Finished:
    """The end, which must hold what was said before."""
    *before, last = all_of(engine, request, stop)
    assert isinstance(last, Finished)
    assert last.text + last.reasoning == "".join(sorted_texts(before))
    return last


def sorted_texts(events: list[ReplyEvent]) -> list[str]:
    """What was said, content first."""
    deltas = [each for each in events if isinstance(each, TextDelta)]
    return [each.text for kind in ("content", "reasoning") for each in deltas if each.kind == kind]


def stop_later(stop: StopSignal, when: threading.Event) -> threading.Thread:
    """Sets it as soon as `when` is set."""

    def run() -> None:
        assert when.wait(90)
        stop.set()

    thread = threading.Thread(target=run)
    thread.start()
    return thread
