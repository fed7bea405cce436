"""What was reused of a prompt, by the counters of a server that tells nothing of a single answer."""

import pytest

from app.remote.counters import Counted, reused
from app.remote.server import ServerKind
from tests.remote.asking import answer_of, engine_of
from tests.remote.scripted_server import Caller, ScriptedServer, ends, events, head, says, sending

_USAGE = {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": None}
_QUERIES, _HITS = "vllm:prefix_cache_queries_total", "vllm:prefix_cache_hits_total"


def counters(queries: object, hits: object) -> bytes:
    """As vLLM writes them, beside what it also counts."""
    labels = '{engine="0",model_name="m"}'
    lines = ["# HELP vllm:num_requests_running Requests.", f"vllm:num_requests_running{labels} 0.0"]
    lines += [f"{_QUERIES}{labels} {queries}", f"{_HITS}{labels} {hits}", "vllm:prefix_cache_hits_created 1.7e9"]
    return head(200, "text/plain") + "\n".join(lines).encode()


class Counting:
    """Answers, and counts for it."""

    def __init__(self, server: ScriptedServer, *, queries: int = 30, hits: int = 16) -> None:
        self._server, self._queries, self._hits = server, queries, hits
        server.routes["/metrics"] = counters(1000.0, 500.0)
        server.scripts.append(self._answer)

    def _answer(self, caller: Caller) -> None:
        self._server.routes["/metrics"] = counters(1000.0 + self._queries, 500.0 + self._hits)
        caller.send(events(says("x"), ends(usage=_USAGE), "[DONE]"))


def test_what_the_counters_say_is_told(server: ScriptedServer) -> None:
    Counting(server)
    last = answer_of(engine_of(server, ServerKind.VLLM))
    assert (last.timings.cache_n, last.timings.prompt_n) == (16, 14)
    assert last.reuse == "The server reused 16 of 30 entries."


def test_nothing_is_told_where_others_asked_meanwhile(server: ScriptedServer) -> None:
    Counting(server, queries=75, hits=40)
    assert answer_of(engine_of(server, ServerKind.VLLM)).timings.cache_n is None


@pytest.mark.parametrize("said", [head(404), counters("NaN", "x"), head(200, "text/plain") + b"\xff\0 {", b""])
def test_other_words_are_not_told(server: ScriptedServer, said: bytes) -> None:
    server.routes["/metrics"] = said
    server.scripts.append(sending(events(says("x"), ends(usage=_USAGE), "[DONE]")))
    last = answer_of(engine_of(server, ServerKind.VLLM))
    assert (last.text, last.timings.cache_n) == ("x", None)


def test_who_tells_by_itself_is_not_asked_again(server: ScriptedServer) -> None:
    server.routes["/metrics"] = counters(1, 1)
    usage = {**_USAGE, "prompt_tokens_details": {"cached_tokens": 20}}
    server.scripts.append(sending(events(says("x"), ends(usage=usage), "[DONE]")))
    for _ in range(2):
        assert answer_of(engine_of(server, ServerKind.VLLM)).timings.cache_n == 20
    assert [each.path for each in server.asked].count("/metrics") == 1


def test_other_kinds_are_not_asked(server: ScriptedServer) -> None:
    Counting(server)
    assert answer_of(engine_of(server, ServerKind.OTHER)).timings.cache_n is None
    assert "/metrics" not in [each.path for each in server.asked]


def test_a_server_that_began_anew_tells_nothing() -> None:
    assert reused(Counted(100, 50), Counted(130, 40), 30) is None
    assert reused(Counted(100, 50), Counted(30, 0), 30) is None
