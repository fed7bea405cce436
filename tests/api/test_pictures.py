"""Pictures of requests: what comes through the door, and what is refused in a sentence."""

import base64
import io
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from app.core.capabilities import Capabilities
from app.core.messages import ImagePart, TextPart
from tests.api.test_server import CHAT, MODEL, QUESTION, FakeReplies, answer, served


def png(colour: str = "red") -> bytes:
    written = io.BytesIO()
    Image.new("RGB", (4, 3), colour).save(written, "PNG")
    return written.getvalue()


def url(data: bytes, kind: str = "image/png") -> str:
    return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def asked(*urls: Any) -> dict[str, Any]:
    images = [{"type": "image_url", "image_url": {"url": each}} for each in urls]
    return {"messages": [{"role": "user", "content": [{"type": "text", "text": "what?"}, *images]}]}


SEEING = replace(MODEL, capabilities=Capabilities(sees=True))


async def test_a_data_url_becomes_a_picture_with_its_identity() -> None:
    replies = FakeReplies(answer("red"), answer("red"), model=SEEING)
    async with served(replies) as client:
        for _ in range(2):
            assert (await client.post(CHAT, json=asked(url(png())))).status == 200
    text, picture = replies.asked[0].messages[0].parts
    assert text == TextPart("what?")
    assert isinstance(picture, ImagePart)
    assert (picture.width, picture.height, len(picture.digest), picture.data) == (4, 3, 64, png())
    assert replies.asked[1].messages[0].parts[1] == picture
    assert picture.in_memory, "nothing of a client's picture goes to the disk"


async def test_the_url_may_stand_without_its_object() -> None:
    replies = FakeReplies(answer("red"), model=SEEING)
    body = {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": url(png())}]}]}
    async with served(replies) as client:
        assert (await client.post(CHAT, json=body)).status == 200


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("https://example.org/cat.png", "fetches nothing"),
        ("file:///etc/passwd", "data URL"),
        ("data:image/png;base64,%%%", "base64"),
        ("data:image/png,abc", "base64"),
        (url(b"no picture at all"), "."),
        (url(png()[:30]), "."),
        (7, "text"),
        (None, "text"),
    ],
)
async def test_what_is_no_picture_is_refused_in_a_sentence(given: object, told: str) -> None:
    replies = FakeReplies(answer("red"), model=SEEING)
    async with served(replies) as client:
        response = await client.post(CHAT, json=asked(given))
        error = (await response.json())["error"]
        assert response.status == 400
        assert told in error["message"]
        assert error["message"].endswith(".")
    assert replies.asked == []


async def test_a_model_that_sees_nothing_says_so() -> None:
    replies = FakeReplies(answer("red"))
    async with served(replies) as client:
        response = await client.post(CHAT, json=asked(url(png())))
        assert response.status == 400
        assert (await response.json())["error"]["code"] == "image_input_not_supported"
    assert replies.asked == []


async def test_it_gets_the_text_alone_where_that_is_wanted_and_a_header_tells_it() -> None:
    replies = FakeReplies(answer("red"), answer("red"))
    async with served(replies, strip_images=True) as client:
        response = await client.post(CHAT, json=asked(url(png())))
        assert response.status == 200
        assert response.headers["Hearth-Stripped-Images"] == "1"
        plain = await client.post(CHAT, json=QUESTION)
        assert "Hearth-Stripped-Images" not in plain.headers
    assert len(replies.asked) == 2
