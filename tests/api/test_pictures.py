"""Pictures and recordings of requests: what comes through the door, and what is refused in a sentence."""

import base64
import io
from dataclasses import replace
from typing import Any

import pytest
from PIL import Image

from app.core.capabilities import Capabilities
from app.core.messages import AudioPart, ImagePart, TextPart
from tests.api.test_server import CHAT, MODEL, QUESTION, FakeReplies, answer, served
from tests.audio_files import noise, sound_file


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


async def heard(data: object, seconds: float = 60, **more: object) -> tuple[int, dict[str, Any], FakeReplies]:
    """What comes of a request with a recording, of a model that hears."""
    can = Capabilities(hears=bool(seconds), hears_seconds=seconds)
    replies = FakeReplies(answer("a bell"), model=replace(MODEL, capabilities=can))
    part = {"type": "input_audio", "input_audio": {"data": data, **more}}
    body = {"messages": [{"role": "user", "content": [part, {"type": "text", "text": "what?"}]}]}
    async with served(replies) as client:
        response = await client.post(CHAT, json=body)
        return response.status, await response.json(), replies


@pytest.mark.parametrize("before", ["", "data:audio/wav;base64,"])
async def test_input_audio_becomes_a_recording_with_its_identity(before: str) -> None:
    data = sound_file(noise(1), 16_000)
    status, _, replies = await heard(before + base64.b64encode(data).decode(), format="wav")
    assert status == 200
    part, text = replies.asked[0].messages[0].parts
    assert isinstance(part, AudioPart) and text == TextPart("what?")
    assert (part.rate, part.n_samples, len(part.digest), part.data) == (16_000, 16_000, 64, data)
    assert part.in_memory


@pytest.mark.parametrize(
    ("data", "seconds", "code", "told"),
    [
        (base64.b64encode(b"\0\0\0 ftypM4A ").decode(), 60, "invalid_audio", "M4A"),
        ("%%%", 60, "invalid_audio", "base64"),
        (base64.b64encode(sound_file(noise(1), 16_000)).decode(), 0, "audio_input_not_supported", "can't hear"),
        (base64.b64encode(sound_file(noise(1, 9), 16_000)).decode(), 8, "audio_input_not_supported", "at most 8 sec"),
    ],
)
async def test_what_can_not_be_heard_is_refused_in_a_sentence(data: str, seconds: float, code: str, told: str) -> None:
    status, body, replies = await heard(data, seconds)
    assert (status, body["error"]["code"]) == (400, code)
    assert told in body["error"]["message"] and body["error"]["message"].endswith(".")
    assert replies.asked == []
