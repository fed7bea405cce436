"""The built-in model makes nothing of documents and long texts, and says so before anything is read."""

from dataclasses import replace
from pathlib import Path

import pytest

from app.core.errors import ContextFullError
from app.core.messages import DocumentPart, Message, Part, Role, TextPart
from app.core.requests import ChatRequest
from app.core.resources import GUIDE, GUIDE_LONGEST
from app.core.sampling import Sampling
from app.engine.reply.session import Session
from tests.engine.conftest import EXACT, OpenPath
from tests.engine.reply.test_session import ask, user

SHORT = Sampling(temperature=0.0, max_tokens=3)


@pytest.fixture
def guide(open_path: OpenPath) -> Session:
    return open_path(GUIDE)


@pytest.mark.parametrize(
    "parts",
    [
        (DocumentPart("hash", "notes.txt", "Two words."), TextPart("Summarise this file")),
        (TextPart("the rain in the mountains is heard on another hill. " * 60),),
    ],
)
def test_what_is_too_much_for_the_guide_is_refused_at_once(guide: Session, parts: tuple[Part, ...]) -> None:
    asked = Message(Role.USER, parts)
    for messages in ((asked,), (asked, Message.of(Role.ASSISTANT, "I see."), Message.of(Role.USER, "and then?"))):
        with pytest.raises(ContextFullError, match="too much for the guide; a larger model can read it"):
            next(guide.reply(ChatRequest(messages, SHORT)))
    assert len(guide.slot) == 0, "nothing was read"
    ask(guide, user("What can you do?"), sampling=SHORT)


def test_other_models_take_what_their_context_holds(
    guide: Session, open_path: OpenPath, tiny_models: dict[str, Path]
) -> None:
    assert guide.info.longest_message == GUIDE_LONGEST
    other = open_path(tiny_models["llama"], replace(EXACT, ctx_size=2048))
    assert not other.info.longest_message
    document = Message(Role.USER, (DocumentPart("hash", "notes.txt", "Two words."), TextPart("Summarise this")))
    ask(other, document, sampling=SHORT)
