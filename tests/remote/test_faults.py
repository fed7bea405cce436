"""Questions through a proxy that drops, delays, truncates, repeats, and answers what is no answer."""

import random

from app.remote.server import Server, ServerKind, ServerModel
from tests.remote.asking import QUESTION
from tests.remote.fault_run import FaultyProxy, ask_through
from tests.remote.faults import FAULTS
from tests.remote.scripted_server import ends, events, says, served

WORDS = [f"Satz {n}: é, \u2028, 🙂. " for n in range(12)]
ANSWER = events(*map(says, WORDS), ends(usage={"prompt_tokens": 9, "completion_tokens": 40}), "[DONE]")


def test_nothing_is_lost_and_nothing_stalls_whatever_happens_on_the_way() -> None:
    """Each fault three times; `tests.bench.serving.server_faults` does five hundred, with a real server behind it."""
    chance = random.Random(31)
    proxy = FaultyProxy(lambda _: ANSWER, chance)
    with served(proxy):
        server = Server(proxy.address, ServerKind.OTHER)
        outcomes = ask_through(proxy, server, ServerModel("tiny"), QUESTION, "".join(WORDS), 3 * len(FAULTS))
    assert set(outcomes) == {"answered", "broken off, the part kept", "refused in a sentence"}
