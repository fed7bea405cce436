"""Streams to clients that are old, or slow, or know how to ask from a browser."""

import asyncio
import json
import socket
from dataclasses import replace

import pytest
from aiohttp import web

from app.api.limits import Limits
from app.core.events import Finished
from app.core.messages import Generation
from tests.api.test_server import CHAT, QUESTION, FakeReplies, answer, events, served, told
from tests.waits import WAIT

SMALL = 2048
"""Bytes of a socket's buffer; the system takes what is the least for it."""


def request(version: str, **more: object) -> bytes:
    body = json.dumps({**QUESTION, "stream": True, **more})
    lines = (
        f"POST {CHAT} HTTP/{version}",
        "Host: 127.0.0.1",
        "Connection: keep-alive",
        "Content-Type: application/json",
        f"Content-Length: {len(body)}",
    )
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


async def test_a_stream_of_http_1_0_ends_with_its_connection() -> None:
    async with served(FakeReplies(answer("It ", "rains."))) as client:
        reader, writer = await asyncio.open_connection("127.0.0.1", client.port)
        writer.write(request("1.0"))
        head, _, body = (await reader.read()).decode().partition("\r\n\r\n")
        assert "chunked" not in head
        assert events(body)[-1] == "[DONE]"
        writer.close()


async def test_a_client_that_reads_nothing_of_the_end_lets_go_of_its_turn() -> None:
    """The last bytes are written where the stream is ended, and there too nobody waits for ever."""
    replies = FakeReplies(answer("x" * 30_000), answer("next"))

    async def hold_nothing(asked: web.Request, _response: web.StreamResponse) -> None:
        # Whatever the other side doesn't take is felt at once.
        assert asked.transport is not None
        asked.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL)
        asked.transport.set_write_buffer_limits(high=0)

    async with served(replies, limits=Limits(stalled=0.3), prepare=hold_nothing) as client:
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        slow.setblocking(False)
        await asyncio.get_running_loop().sock_connect(slow, ("127.0.0.1", client.port))
        await asyncio.get_running_loop().sock_sendall(slow, request("1.1"))
        await replies.closed.wait()
        body = await told(await client.post(CHAT, json=QUESTION))
        assert body["choices"][0]["message"]["content"] == "next"
        slow.close()


async def test_a_client_that_stops_reading_in_the_midst_lets_go_of_its_turn() -> None:
    replies = FakeReplies(answer(*["x" * 30_000] * 400), answer("next"))

    async def hold_little(asked: web.Request, _response: web.StreamResponse) -> None:
        assert asked.transport is not None
        asked.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SMALL)

    async with served(replies, limits=Limits(stalled=0.3, unread=1 << 18), prepare=hold_little) as client:
        slow = socket.socket()
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL)
        slow.setblocking(False)
        await asyncio.get_running_loop().sock_connect(slow, ("127.0.0.1", client.port))
        await asyncio.get_running_loop().sock_sendall(slow, request("1.1"))
        async with asyncio.timeout(WAIT / 1000):
            await replies.closed.wait()
        body = await told(await client.post(CHAT, json=QUESTION))
        assert body["choices"][0]["message"]["content"] == "next"
        slow.close()


async def test_openais_client_may_ask_from_a_page_that_is_allowed() -> None:
    headers = {
        "Origin": "https://chat.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type,x-stainless-lang,x-stainless-os",
    }
    async with served(FakeReplies(), api_key="key", origins=("https://chat.example",)) as client:
        answered = await client.options(CHAT, headers=headers)
        assert answered.headers["Access-Control-Allow-Headers"] == headers["Access-Control-Request-Headers"]
        other = await client.options(CHAT, headers={**headers, "Origin": "https://evil.example"})
        assert "Access-Control-Allow-Headers" not in other.headers


@pytest.mark.parametrize("stream", [True, False])
async def test_an_answer_that_goes_on_is_not_remembered_by_its_end(stream: bool) -> None:
    *_, last = answer("two.")
    assert isinstance(last, Finished)
    both = replace(last, generation=Generation("v", (1, 2, 3)))
    replies = FakeReplies([both], answer("Yes."))
    async with served(replies) as client:
        begun = [*QUESTION["messages"], {"role": "assistant", "content": "One, "}]
        body = {"messages": begun, "continue_final_message": True, "stream": stream}
        await (await client.post(CHAT, json=body)).read()
        later = [*QUESTION["messages"], {"role": "assistant", "content": "two."}, *QUESTION["messages"]]
        await told(await client.post(CHAT, json={"messages": later}))
    assert replies.asked[0].continues
    assert replies.asked[1].messages[1].generation is None
