"""Many questions through a proxy that does something else to each answer."""

import random
import time
from collections import Counter
from collections.abc import Callable

from app.core.errors import UserError
from app.core.events import Finished, FinishReason
from app.core.requests import ChatRequest
from app.remote.engine import RemoteEngine, Retries
from app.remote.exchange import Patience
from app.remote.server import Server, ServerModel
from app.remote.stop_signal import StopSignal
from tests.remote.asking import sorted_texts
from tests.remote.faults import FAULTS, HARMLESS, Fault, falls_silent
from tests.remote.scripted_server import Asked, Caller, ScriptedServer

_PATIENT = Patience(connect=20.0, write=20.0, first=60.0, between=60.0)
_IMPATIENT = Patience(connect=20.0, write=20.0, first=0.5, between=0.5)
_RETRIES = Retries(busy=2, first_wait=0.01)
_LONGEST = 40.0
"""Seconds for one question, with all tries: less than what is waited for where nothing comes."""


class FaultyProxy(ScriptedServer):
    """Sends on what its source answers, with a fault that is chosen for each request."""

    def __init__(self, source: Callable[[Asked], bytes], chance: random.Random) -> None:
        super().__init__()
        self._source = source
        self._chance = chance
        self.fault: Fault = FAULTS[0]

    def answer(self, asked: Asked, caller: Caller) -> None:
        self.callers.append(caller)
        self.fault(caller, self._source(asked), self._chance)


def ask_through(
    proxy: FaultyProxy, server: Server, model: ServerModel, request: ChatRequest, told: str, n: int
) -> Counter[str]:
    """How often each thing came of it. Whatever the fault, what came is a beginning of what was `told`, nothing is lost
    that came, and a sentence says what was wrong.
    """
    outcomes: Counter[str] = Counter()
    for number in range(n):
        proxy.fault = FAULTS[number % len(FAULTS)]
        patience = _IMPATIENT if proxy.fault is falls_silent else _PATIENT
        engine = RemoteEngine(server, model, patience=patience, retries=_RETRIES)
        began = time.monotonic()
        outcomes[_ask(engine, request, told, proxy.fault)] += 1
        assert time.monotonic() - began < _LONGEST, proxy.fault.__name__
    return outcomes


def _ask(engine: RemoteEngine, request: ChatRequest, told: str, fault: Fault) -> str:
    name = fault.__name__
    try:
        *before, last = engine.reply(request, StopSignal())
    except UserError as error:
        assert fault not in HARMLESS, (name, error.logged)
        assert error.sentence.endswith(".") and " " in error.sentence, (name, error.sentence)
        return "refused in a sentence"
    assert isinstance(last, Finished)
    assert last.text == "".join(sorted_texts(before)), name
    if last.reason is FinishReason.BROKEN_OFF:
        assert fault not in HARMLESS, (name, last.notes)
        assert told.startswith(last.text) and len(last.notes) == 1, (name, last.text, last.notes)
        return "broken off, the part kept"
    assert last.text == told, (name, last.text)
    return "answered"
