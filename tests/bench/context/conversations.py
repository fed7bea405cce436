"""Conversations that are played on several programs at once, and the ways in which they go on."""

import base64
import hashlib
import io
from collections.abc import Callable, Iterator
from typing import Any, Protocol

import numpy as np
from PIL import Image

from app.core.events import Finished
from app.core.messages import AudioPart, Generation, ImagePart, Message, Part, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.media.images import read_picture
from app.engine.reply.session import Session
from tests.bench.serving.programs import Chat, Reply
from tests.counted import counted

_N_PREDICT = 24
Content = str | list[dict[str, Any]]


def picture(seed: int) -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (48, 64, 3), dtype=np.uint8)
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "PNG")
    return written.getvalue()


def shown(*parts: str | bytes) -> list[dict[str, Any]]:
    """What a client sends of texts and pictures."""
    return [
        {"type": "text", "text": part}
        if isinstance(part, str)
        else {"type": "image_url", "image_url": {"url": "data:image/*;base64," + base64.b64encode(part).decode()}}
        for part in parts
    ]


def heard(sound: bytes) -> dict[str, Any]:
    """What a client sends of a WAV file."""
    return {"type": "input_audio", "input_audio": {"data": base64.b64encode(sound).decode(), "format": "wav"}}


def message_parts(content: Content) -> Iterator[Part]:
    for each in shown(content) if isinstance(content, str) else content:
        if each["type"] == "text":
            yield TextPart(each["text"])
        elif each["type"] == "input_audio":
            data = base64.b64decode(each["input_audio"]["data"])
            yield AudioPart(hashlib.sha256(data).hexdigest(), data=data)
        else:
            data = base64.b64decode(each["image_url"]["url"].partition(",")[2])
            seen = read_picture(data)
            yield ImagePart(hashlib.sha256(data).hexdigest(), "", seen.width, seen.height, seen.digest, data)


SYSTEM = "You are a river, and you answer as rivers do: slowly, and always on the way to somewhere else. "
FIRST = "".join(f"In the year {year} the water rose to the {year % 7} th mark on the old stone. " for year in range(20))
SECOND = "What did the people on the hill say to that, and what did the others do when the evening came? "
THIRD = "And then, when the rain was over, who was the first to go down to the bridge again? "
FOURTH = "Who built the bridge? "
RESULTS = [
    f"Station {n}: level {n * 37 % 90} cm, {n * 11 % 30} degrees, no rain since the {n + 3} th. " * 3 for n in range(5)
]
PICTURES = [picture(seed) for seed in range(1, 4)]
N_TURNS = 200
ELSEWHERE = "How many apples are in a basket when you take out three and put in nine, and who is counting? " * 4


def short(number: int) -> str:
    return f"Why {number}?"


class Side(Protocol):
    """One of the programs."""

    def ask(self, messages: Chat, n_predict: int) -> Reply: ...


class OwnSide:
    """Hearth in this process, with the answers either as text or as they were generated."""

    def __init__(self, session: Session, *, recorded: bool, says: str = "") -> None:
        """`says`: a token that it repeats for an answer; empty is the model's own words."""
        self._session = session
        self._recorded = recorded
        self._biases = ((says, 1000.0),) if says else ()
        self._said: dict[str, Generation] = {}

    def ask(self, messages: Chat, n_predict: int) -> Reply:
        greedy = Sampling(temperature=0.0, max_tokens=n_predict)
        asked = ChatRequest(tuple(map(self._message, messages)), greedy, logit_bias=self._biases)
        *_, finished = self._session.reply(asked)
        assert isinstance(finished, Finished)
        if self._recorded:
            self._said[finished.text] = finished.generation
        timings = finished.timings
        return Reply(finished.text, counted(timings.cache_n) + counted(timings.prompt_n), counted(timings.cache_n))

    def _message(self, each: dict[str, Any]) -> Message:
        role = Role(each["role"])
        generation = self._said.get(each["content"]) if role is Role.ASSISTANT else None
        return Message(role, tuple(message_parts(each["content"])), generation)


Compared = tuple[Reply, ...]
"""One request on all sides."""


class Talk:
    """A conversation with all sides at once. The answers are the first side's."""

    def __init__(self, *sides: Side) -> None:
        self._sides = sides
        self.chat: Chat = []

    def say(self, *said: Content, role: str = "user", n_predict: int = _N_PREDICT) -> Compared:
        """Say one thing after the other, with the answers in between; the figures are the last one's."""
        compared: Compared = ()
        for each in said:
            self.chat.append({"role": role, "content": each})
            compared = self.ask(self.chat, n_predict)
            self.chat.append({"role": "assistant", "content": compared[0].text})
        return compared

    def ask(self, chat: Chat, n_predict: int = _N_PREDICT) -> Compared:
        """One request, which leaves the conversation as it is."""
        return tuple(side.ask(chat, n_predict) for side in self._sides)

    def before(self, said: Content) -> Chat:
        """What came before somebody said that."""
        return self.chat[: next(index for index, each in enumerate(self.chat) if each["content"] == said)]


Scenario = Callable[[Talk], Iterator[Compared]]


def user(content: Content) -> dict[str, Any]:
    return {"role": "user", "content": content}


def cold(talk: Talk) -> Iterator[Compared]:
    yield talk.say(FIRST)


def follow_up(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST)
    yield talk.say(SECOND)
    yield talk.say(THIRD)


def regenerate(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST, SECOND)
    yield talk.ask(talk.chat[:-1])
    yield talk.ask(talk.chat[:-1])


def after_regenerate(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST, SECOND)
    talk.ask(talk.chat[:-1])
    yield talk.say(THIRD)


def edit_last(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST, SECOND)
    yield talk.ask([*talk.chat[:-2], user(THIRD)])


def edit_end_of_last(talk: Talk) -> Iterator[Compared]:
    """A long question, changed near its end."""
    talk.say(SECOND, FIRST)
    yield talk.ask([*talk.chat[:-2], user(FIRST[:-30] + "and no more.")])


def edit_early(talk: Talk) -> Iterator[Compared]:
    """The second of four questions, from its middle on."""
    talk.say(FIRST, SECOND, THIRD, FOURTH)
    yield talk.ask([*talk.before(SECOND), user(SECOND[: len(SECOND) // 2] + "and why? ")])


def edit_first(talk: Talk) -> Iterator[Compared]:
    """The first, long question, at 70 % and at 30 %."""
    talk.say(FIRST, SECOND, THIRD)
    for tenths in (7, 3):
        cut = len(FIRST) * tenths // 10
        yield talk.ask([*talk.before(FIRST), user(FIRST[:cut] + "or so. " + FIRST[cut:])])


def shorter(talk: Talk) -> Iterator[Compared]:
    """Back to the first question, and less of it."""
    talk.say(FIRST, SECOND)
    yield talk.ask([*talk.before(FIRST), user(FIRST[: len(FIRST) * 6 // 10])])


def back_to_first(talk: Talk) -> Iterator[Compared]:
    """Back to the first question as it was."""
    talk.say(FIRST, SECOND, THIRD)
    yield talk.ask([*talk.before(FIRST), user(FIRST)])


def there_and_back(talk: Talk) -> Iterator[Compared]:
    """Another conversation in between."""
    talk.say(FIRST, SECOND)
    yield talk.ask([user(ELSEWHERE)])
    yield talk.say(THIRD)


def changed_system(talk: Talk) -> Iterator[Compared]:
    talk.say(FIRST, SECOND)
    assert talk.chat[0]["role"] == "system"
    talk.chat[0] = {"role": "system", "content": SYSTEM + "Today is Friday."}
    yield talk.say(THIRD)


def answer_replaced(talk: Talk) -> Iterator[Compared]:
    """The history holds less than the model wrote, as where reasoning is dropped."""
    talk.say(FIRST)
    talk.chat[-1] = {"role": "assistant", "content": "Yes, it was so."}
    yield talk.say(SECOND)
    talk.chat[-1] = {"role": "assistant", "content": "They went home."}
    yield talk.say(THIRD)


def tool_results(talk: Talk) -> Iterator[Compared]:
    """Two calls, and a question after them."""
    talk.say(SECOND)
    yield talk.say(RESULTS[0], role="tool")
    yield talk.say(RESULTS[1], role="tool")
    yield talk.say(THIRD)


def tool_result_changed(talk: Talk) -> Iterator[Compared]:
    """The same call again, with another result."""
    talk.say(SECOND)
    talk.say(*RESULTS[:2], role="tool")
    yield talk.ask([*talk.chat[:-2], {"role": "tool", "content": RESULTS[4]}])


def tools_from_the_third(talk: Talk) -> Iterator[Compared]:
    """The third of five results is another one."""
    talk.say(SECOND)
    talk.say(*RESULTS[:5], role="tool")
    talk.say(THIRD)
    yield talk.ask([*talk.before(RESULTS[2]), {"role": "tool", "content": "There was no answer."}])


def picture_follow_up(talk: Talk) -> Iterator[Compared]:
    yield talk.say(shown(PICTURES[0], SECOND))
    yield talk.say(THIRD)


def edit_after_picture(talk: Talk) -> Iterator[Compared]:
    """What is asked about a picture that was asked about."""
    talk.say(FOURTH, shown(PICTURES[0], SECOND), THIRD)
    yield talk.ask([*talk.chat[:-2], user(FOURTH)])
    yield talk.ask([*talk.chat[:-4], user(shown(PICTURES[0], THIRD))])


def picture_replaced(talk: Talk) -> Iterator[Compared]:
    """The second picture of two."""
    talk.say(shown(PICTURES[0], SECOND), shown(PICTURES[1], THIRD))
    yield talk.ask([*talk.chat[:-2], user(shown(PICTURES[2], THIRD))])


def _edits_ever_earlier(talk: Talk) -> Iterator[Compared]:
    for number in (N_TURNS, N_TURNS // 2, 1):
        talk.chat = [*talk.before(short(number)), user(f"So {number}?")]
        yield talk.ask(talk.chat)


def long_talk(talk: Talk) -> Iterator[Compared]:
    """Many turns, one after the other, and one more."""
    talk.say(*map(short, range(1, N_TURNS + 1)), n_predict=4)
    yield talk.say(THIRD)


def long_talk_edited(talk: Talk) -> Iterator[Compared]:
    """Many turns, one after the other, then other questions in their places."""
    talk.say(*map(short, range(1, N_TURNS + 1)), n_predict=4)
    yield from _edits_ever_earlier(talk)


def _old_talk(talk: Talk) -> Compared:
    for number in range(1, N_TURNS + 1):
        talk.chat += [user(short(number)), {"role": "assistant", "content": "xxxx"}]
    return talk.say(THIRD)


def old_talk(talk: Talk) -> Iterator[Compared]:
    """Many turns that are read at once, and one more."""
    yield _old_talk(talk)
    yield talk.say(FOURTH)


def old_talk_edited(talk: Talk) -> Iterator[Compared]:
    """Many turns that are read at once, then other questions in their places."""
    _old_talk(talk)
    yield from _edits_ever_earlier(talk)


def version_and_back(talk: Talk) -> Iterator[Compared]:
    """Another second question, two turns of that, and back to the first version."""
    talk.say(FIRST, SECOND, THIRD)
    here = list(talk.chat)
    talk.chat = talk.before(SECOND)
    yield talk.say(FOURTH)
    yield talk.say(SECOND)
    talk.chat = here
    yield talk.say(FOURTH)


def answer_edited(talk: Talk) -> Iterator[Compared]:
    """The first of two answers is written by hand."""
    talk.say(FIRST, SECOND)
    talk.chat[-3] = {"role": "assistant", "content": "They went home."}
    yield talk.say(THIRD)


SCENARIOS: dict[str, Scenario] = {
    "cold": cold,
    "follow-up": follow_up,
    "regenerate": regenerate,
    "follow-up after regenerate": after_regenerate,
    "edit last": edit_last,
    "edit the end of a long last": edit_end_of_last,
    "edit early": edit_early,
    "edit first": edit_first,
    "shorter": shorter,
    "back to the first": back_to_first,
    "another conversation and back": there_and_back,
    "changed system prompt": changed_system,
    "reasoning dropped": answer_replaced,
}
MORE_SCENARIOS: dict[str, Scenario] = {
    "tool results": tool_results,
    "tool result changed": tool_result_changed,
    "third tool result of five changed": tools_from_the_third,
    "picture, follow-up": picture_follow_up,
    "edit after a picture": edit_after_picture,
    "picture replaced": picture_replaced,
    "200 turns, follow-up": long_talk,
    "200 turns, edits ever earlier": long_talk_edited,
    "200 old turns, follow-up": old_talk,
    "200 old turns, edits ever earlier": old_talk_edited,
    "another version and back": version_and_back,
    "answer edited": answer_edited,
}
