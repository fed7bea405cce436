"""Conversations that are played on llama-server and on Hearth at once, and the ways in which they go on."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from app.core.events import Finished
from app.core.messages import Generation, Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.reply.session import Session
from tests.bench.programs import Chat, Program, Reply

_N_PREDICT = 24
_GREEDY = Sampling(temperature=0.0, max_tokens=_N_PREDICT)

SYSTEM = "You are a river, and you answer as rivers do: slowly, and always on the way to somewhere else. "
FIRST = "".join(f"In the year {year} the water rose to the {year % 7} th mark on the old stone. " for year in range(20))
SECOND = "What did the people on the hill say to that, and what did the others do when the evening came? "
THIRD = "And then, when the rain was over, who was the first to go down to the bridge again? "
FOURTH = "Who built the bridge? "
ELSEWHERE = "How many apples are in a basket when you take out three and put in nine, and who is counting? " * 4


class OwnSide:
    """Hearth in this process, with the answers either as text or as they were generated."""

    def __init__(self, session: Session, *, recorded: bool) -> None:
        self._session = session
        self._recorded = recorded
        self._said: dict[str, Generation] = {}

    def ask(self, chat: Chat) -> Reply:
        messages = tuple(self._message(each) for each in chat)
        *_, finished = self._session.reply(ChatRequest(messages, _GREEDY))
        assert isinstance(finished, Finished)
        if self._recorded:
            self._said[finished.text] = finished.generation
        timings = finished.timings
        return Reply(finished.text, timings.cache_n + timings.prompt_n, timings.cache_n)

    def _message(self, each: dict[str, str]) -> Message:
        role = Role(each["role"])
        generation = self._said.get(each["content"]) if role is Role.ASSISTANT else None
        return Message(role, (TextPart(each["content"]),), generation)


@dataclass(frozen=True)
class Compared:
    """One request on all sides."""

    server: Reply
    http: Reply
    window: Reply

    @property
    def remark(self) -> str:
        if self.server.total != self.http.total:
            return f"prompts differ: {self.server.total} and {self.http.total}"
        return "" if self.server.text == self.http.text else "answers differ"


class Talk:
    """A conversation with all sides at once."""

    def __init__(self, server: Program, http: OwnSide, window: OwnSide) -> None:
        self._server, self._http, self._window = server, http, window
        self.chat: Chat = []

    def say(self, first: str, *others: str) -> Compared:
        """Ask one question after the other, with the answers in between; the figures are the last one's."""
        self.chat.append({"role": "user", "content": first})
        compared = self.ask(self.chat)
        self.chat.append({"role": "assistant", "content": compared.server.text})
        return self.say(*others) if others else compared

    def ask(self, chat: Chat) -> Compared:
        """One request, which leaves the conversation as it is."""
        return Compared(self._server.ask(chat, _N_PREDICT), self._http.ask(chat), self._window.ask(chat))


Scenario = Callable[[Talk], Iterator[Compared]]


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
    yield talk.ask([*talk.chat[:-2], {"role": "user", "content": THIRD}])


def edit_end_of_last(talk: Talk) -> Iterator[Compared]:
    """A long question, changed near its end."""
    talk.say(SECOND, FIRST)
    yield talk.ask([*talk.chat[:-2], {"role": "user", "content": FIRST[:-30] + "and no more."}])


def edit_early(talk: Talk) -> Iterator[Compared]:
    """The second of four questions, from its middle on."""
    talk.say(FIRST, SECOND, THIRD, FOURTH)
    at = next(index for index, each in enumerate(talk.chat) if each["content"] == SECOND)
    changed = {"role": "user", "content": SECOND[: len(SECOND) // 2] + "and why? "}
    yield talk.ask([*talk.chat[:at], changed])


def edit_first(talk: Talk) -> Iterator[Compared]:
    """The first, long question, at 70 % and at 30 %."""
    talk.say(FIRST, SECOND, THIRD)
    at = next(index for index, each in enumerate(talk.chat) if each["content"] == FIRST)
    for tenths in (7, 3):
        cut = len(FIRST) * tenths // 10
        yield talk.ask([*talk.chat[:at], {"role": "user", "content": FIRST[:cut] + "or so. " + FIRST[cut:]}])


def shorter(talk: Talk) -> Iterator[Compared]:
    """Back to the first question, and less of it."""
    talk.say(FIRST, SECOND)
    at = next(index for index, each in enumerate(talk.chat) if each["content"] == FIRST)
    yield talk.ask([*talk.chat[:at], {"role": "user", "content": FIRST[: len(FIRST) * 6 // 10]}])


def back_to_first(talk: Talk) -> Iterator[Compared]:
    """Back to the first question as it was."""
    talk.say(FIRST, SECOND, THIRD)
    at = next(index for index, each in enumerate(talk.chat) if each["content"] == FIRST)
    yield talk.ask(talk.chat[: at + 1])


def there_and_back(talk: Talk) -> Iterator[Compared]:
    """Another conversation in between."""
    talk.say(FIRST, SECOND)
    yield talk.ask([*talk.chat[:0], {"role": "user", "content": ELSEWHERE}])
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
