"""What networks, proxies and servers do to an answer: each fault gets the bytes of a whole one, and sends something."""

import gzip
import random
import time
from collections.abc import Callable

from tests.remote.scripted_server import Caller, event, head, whole

Fault = Callable[[Caller, bytes, random.Random], None]
"""Sends something of a whole answer."""


def none(caller: Caller, answer: bytes, _chance: random.Random) -> None:
    caller.send(answer)


def one_byte_at_a_time(caller: Caller, answer: bytes, _chance: random.Random) -> None:
    for at in range(len(answer)):
        caller.send(answer[at : at + 1])


def delays(caller: Caller, answer: bytes, chance: random.Random) -> None:
    for at in range(0, len(answer), 200):
        caller.send(answer[at : at + 200])
        time.sleep(chance.random() * 0.01)


def drops_at_once(_caller: Caller, _answer: bytes, _chance: random.Random) -> None:
    pass


def truncates(caller: Caller, answer: bytes, chance: random.Random) -> None:
    caller.send(answer[: chance.randrange(len(answer))])


def falls_silent(caller: Caller, answer: bytes, chance: random.Random) -> None:
    caller.send(answer[: chance.randrange(answer.index(b"\r\n\r\n") + 4, len(answer))])
    caller.wait_for_hang_up()


def repeats_the_end(caller: Caller, answer: bytes, _chance: random.Random) -> None:
    """All of it comes again behind the chunk that ended it."""
    caller.send(answer.replace(b"data: [DONE]\n\n", b"") + answer[answer.index(b"\r\n\r\n") + 4 :])


def compresses(caller: Caller, answer: bytes, _chance: random.Random) -> None:
    top, body = answer.split(b"\r\n\r\n", 1)
    caller.send(top + b"\r\nContent-Encoding: gzip\r\n\r\n" + gzip.compress(body))


def announces_more(caller: Caller, answer: bytes, _chance: random.Random) -> None:
    top, body = answer.split(b"\r\n\r\n", 1)
    caller.send(top + b"\r\nContent-Length: %d\r\n\r\n" % (len(body) + 100) + body)


def adds_signs_of_life(caller: Caller, answer: bytes, _chance: random.Random) -> None:
    top, body = answer.split(b"\r\n\r\n", 1)
    caller.send(top + b"\r\n\r\n" + b": still here\r\n\r\n" + body.replace(b"\n\n", b"\r\n\r\n: ping\r\n\r\n"))


def rubbish_inside(caller: Caller, answer: bytes, chance: random.Random) -> None:
    top, body = answer.split(b"\r\n\r\n", 1)
    events = body.split(b"\n\n")
    events.insert(chance.randrange(len(events)), b"data: " + chance.randbytes(40).replace(b"\n", b" "))
    caller.send(top + b"\r\n\r\n" + b"\n\n".join(events))


def rubbish_alone(caller: Caller, _answer: bytes, chance: random.Random) -> None:
    caller.send(chance.randbytes(300))


def floods(caller: Caller, answer: bytes, _chance: random.Random) -> None:
    """A line that does not end."""
    caller.send(answer[: answer.index(b"\r\n\r\n") + 4] + b"data: ")
    while not caller.hung_up.is_set():
        caller.send(b"x" * (1 << 20))


def fails_inside(caller: Caller, answer: bytes, chance: random.Random) -> None:
    top, body = answer.split(b"\r\n\r\n", 1)
    events = body.split(b"\n\n")
    at = chance.randrange(1, len(events))
    error = event({"error": {"code": 500, "message": "out of memory", "type": "server_error"}})
    caller.send(top + b"\r\n\r\n" + b"\n\n".join(events[:at]) + b"\n\n" + error)


def is_busy(caller: Caller, _answer: bytes, _chance: random.Random) -> None:
    caller.send(whole({"error": {"message": "slow down"}}, 429, Retry_After="0"))


def is_overloaded(caller: Caller, _answer: bytes, _chance: random.Random) -> None:
    caller.send(whole({"detail": "no worker"}, 503))


def fails(caller: Caller, _answer: bytes, _chance: random.Random) -> None:
    caller.send(head(500, "text/plain") + b"Internal Server Error")


def is_a_gateway(caller: Caller, _answer: bytes, _chance: random.Random) -> None:
    caller.send(head(502, "text/html") + b"<html><h1>502 Bad Gateway</h1></html>")


def wants_a_login(caller: Caller, _answer: bytes, _chance: random.Random) -> None:
    caller.send(head(200, "text/html") + b"<!doctype html><title>Welcome to the hotel</title>")


def leads_elsewhere(caller: Caller, _answer: bytes, _chance: random.Random) -> None:
    caller.send(head(307, "text/plain", Location="http://127.0.0.1:9/elsewhere"))


def answers_something_else(caller: Caller, _answer: bytes, _chance: random.Random) -> None:
    caller.send(whole(["unexpected"]))


FAULTS: tuple[Fault, ...] = (
    none,
    one_byte_at_a_time,
    delays,
    drops_at_once,
    truncates,
    falls_silent,
    repeats_the_end,
    compresses,
    announces_more,
    adds_signs_of_life,
    rubbish_inside,
    rubbish_alone,
    floods,
    fails_inside,
    is_busy,
    is_overloaded,
    fails,
    is_a_gateway,
    wants_a_login,
    leads_elsewhere,
    answers_something_else,
)
HARMLESS = (none, one_byte_at_a_time, delays, repeats_the_end, compresses, announces_more, adds_signs_of_life)
"""The whole answer comes all the same."""
