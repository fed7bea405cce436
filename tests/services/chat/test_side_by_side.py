"""Several answers to one question: read once, each as it would be alone, one of them kept, and none lost."""

import pytest

from app.core.loading import Loading
from app.core.messages import Message, Role
from app.core.preset import Preset
from app.core.sampling import Sampling
from app.services.chat.side_by_side import Column, SideBySide
from app.services.drafts.drafts import Drafts
from app.services.drafts.outbox import Outbox
from app.services.engine.states import Stopping
from app.services.runtime.settings_service import SettingsService
from app.storage.conversations import MessageState
from app.storage.database import Database
from app.storage.drafts import DraftStore
from tests.services.chatting import Chat

LONG = "Why is the sky blue, and the sea, and why is neither of them at night? " * 8


@pytest.fixture
def talk(chat: Chat, settings: SettingsService) -> Chat:
    settings.update(Loading, ctx_size=4096)
    chat.load("llama")
    chat.say(LONG)
    return chat


@pytest.fixture
def beside(talk: Chat) -> SideBySide:
    return talk.controller.side_by_side


def columns(talk: Chat) -> list[Column]:
    return list(talk.controller.side_by_side.columns)


def test_two_answers_come_from_one_reading(talk: Chat, beside: SideBySide) -> None:
    told = list[object]()
    beside.changed.connect(told.append)
    question, first = talk.messages
    assert beside.begin_last((None, None, None))
    assert len(told) == 1 and len(columns(talk)) == 3, "before the messages change"
    assert [each.id for each in talk.messages] == [question.id, columns(talk)[0].answer.id]
    talk.rest()
    answers = [each.answer for each in columns(talk)]
    assert {each.message.text for each in answers} == {first.message.text}, "nothing differs but the place"
    read = [(each.figures or {})["prompt_n"] for each in answers]
    assert read == [1, 1, 1], "what the first answer read is there"
    assert all(each.state is MessageState.COMPLETE for each in answers)
    assert len(talk.store.children(question.id, question.conversation_id)) == 4


def test_the_first_reads_for_all(talk: Chat, beside: SideBySide) -> None:
    pirate = Preset("Pirate", "Talk like a pirate, and like one who has seen many ships.")
    assert beside.begin_last((pirate, pirate))
    talk.rest()
    first, second = [each.answer.figures or {} for each in columns(talk)]
    assert int(str(first["prompt_n"])) > 100 and second["prompt_n"] == 1
    assert columns(talk)[0].answer.message.text == columns(talk)[1].answer.message.text


def test_they_go_with_their_conversation(talk: Chat, beside: SideBySide) -> None:
    assert beside.begin_last((None, None))
    talk.rest()
    number = talk.messages[0].conversation_id
    seen = []
    for gone in (number + 1, number):
        talk.controller.new_conversation()
        beside.forget(frozenset((gone,)))
        talk.controller.open_conversation(number)
        seen.append(len(columns(talk)))
    assert seen == [2, 0]


def test_what_is_kept_is_the_answer_and_the_others_its_versions(
    talk: Chat, beside: SideBySide, settings: SettingsService
) -> None:
    settings.update(Sampling, max_tokens=0)
    assert beside.begin_last((None, None))
    one, other = columns(talk)
    talk.until(lambda: all(each.answer.message.text for each in columns(talk)))
    beside.keep(other.answer.id)
    assert columns(talk) == [] and talk.last.id == other.answer.id and talk.places[-1] == "3/3"
    written = talk.last.message.text
    assert talk.state == "writing" and written, "it goes on"
    talk.until(
        lambda: [each.message_id for each in talk.replies.answers_in(talk.last.conversation_id)] == [talk.last.id]
    )
    talk.replies.stop()
    talk.rest()
    assert talk.last.message.text.startswith(written)
    talk.versions.walk(talk.last.id, -1)
    assert talk.last.id == one.answer.id and talk.state == "cancelled" and talk.last.message.text


def test_what_is_queued_goes_on_after_the_one_that_is_kept(
    talk: Chat, beside: SideBySide, settings: SettingsService, database: Database
) -> None:
    outbox = Outbox(talk.controller, Drafts(DraftStore(database)))
    outbox.show_conversation(talk.last.conversation_id)
    settings.update(Sampling, max_tokens=0)
    assert beside.begin_last((None, Preset("Short", sampling={"max_tokens": 5})))
    one, other = columns(talk)
    talk.until(lambda: columns(talk)[1].answer.state is MessageState.COMPLETE)
    talk.until(lambda: bool(columns(talk)[0].answer.message.text))
    assert outbox.must_wait
    settings.update(Sampling, max_tokens=5)
    outbox.add(Message.of(Role.USER, "And the sea?"))
    beside.keep(other.answer.id)
    assert talk.replies.activity_of(one.answer.id) == Stopping()
    talk.until(lambda: not outbox.queue.messages or outbox.queue.hold is not None)
    assert outbox.queue.hold is None
    talk.rest()
    assert talk.messages[-2].message.text == "And the sea?"
    assert talk.messages[-3].id == other.answer.id, "below the one that is kept"


def test_one_is_stopped_and_the_other_goes_on(talk: Chat, beside: SideBySide, settings: SettingsService) -> None:
    settings.update(Sampling, max_tokens=0)
    assert beside.begin_last((None, None))
    one, other = columns(talk)
    talk.until(lambda: all(each.answer.message.text for each in columns(talk)))
    beside.stop(one.answer.id)
    talk.until(lambda: columns(talk)[0].answer.state is MessageState.CANCELLED)
    assert columns(talk)[1].answer.state is MessageState.WRITING
    assert not talk.controller.send("And now?"), "an answer is being written here"
    talk.replies.stop()
    talk.rest()
    assert columns(talk)[1].answer.id == other.answer.id and columns(talk)[1].answer.message.text


def test_each_has_a_preset_of_its_own(talk: Chat, beside: SideBySide) -> None:
    short, tall = Preset("Short", sampling={"max_tokens": 5}), Preset("Pirate", "Talk like a pirate.")
    assert beside.begin_last((short, tall))
    talk.rest()
    one, other = columns(talk)
    assert (one.preset, other.preset) == (short, tall)
    assert (one.answer.figures or {})["predicted_n"] == 5
    assert (other.answer.figures or {})["predicted_n"] == 40
    assert (one.answer.figures or {})["prompt_n"] == 1 != (other.answer.figures or {})["prompt_n"]
    talk.say("And?")
    assert talk.figures["predicted_n"] == 40, "the chat is set as it was"


def test_they_wait_for_who_looks_elsewhere(talk: Chat, beside: SideBySide, settings: SettingsService) -> None:
    settings.update(Sampling, max_tokens=0)
    number = talk.last.conversation_id
    assert beside.begin_last((None, None))
    talk.until(lambda: all(each.answer.message.text for each in columns(talk)))
    talk.controller.new_conversation()
    assert columns(talk) == []
    before = {each.message_id: each.stored.message.text for each in talk.replies.answers_in(number)}
    talk.until(
        lambda: all(
            len(each.stored.message.text) > len(before[each.message_id]) for each in talk.replies.answers_in(number)
        )
    )
    talk.replies.stop_in(number)
    talk.rest()
    talk.controller.open_conversation(number)
    assert [each.answer.state for each in columns(talk)] == [MessageState.CANCELLED] * 2
    assert all(len(each.answer.message.text) > len(before[each.answer.id]) for each in columns(talk))


def test_who_goes_on_has_kept_the_first(talk: Chat, beside: SideBySide) -> None:
    assert beside.begin_last((None, None))
    talk.rest()
    first = columns(talk)[0].answer.id
    talk.say("And now?")
    assert columns(talk) == []
    assert [each.id for each in talk.messages][1] == first
    assert [each.message.role for each in talk.messages] == [Role.USER, Role.ASSISTANT] * 2
    assert talk.kept() == tuple(talk.messages)


def test_a_seed_that_is_set_counts_up(talk: Chat, beside: SideBySide, settings: SettingsService) -> None:
    settings.update(Sampling, temperature=1.0, seed=7)
    assert beside.begin_last((None, None))
    talk.rest()
    assert [(each.answer.figures or {})["seed"] for each in columns(talk)] == [7, 8]
    assert len({each.answer.message.text for each in columns(talk)}) == 2


def test_one_at_a_time_is_enough(chat: Chat, settings: SettingsService) -> None:
    settings.update(Loading, parallel=1)
    chat.load("llama")
    chat.say("Why?")
    assert chat.controller.side_by_side.begin_last((None, None))
    chat.rest()
    assert [each.answer.state for each in columns(chat)] == [MessageState.COMPLETE] * 2


def test_a_disk_without_room_for_all_takes_none(talk: Chat, beside: SideBySide, database: Database) -> None:
    before, head = list(talk.messages), talk.last
    database.execute("CREATE TABLE ballast (bytes)")
    database.execute(
        "CREATE TRIGGER fills AFTER INSERT ON message BEGIN INSERT INTO ballast VALUES (zeroblob(1000000)); END"
    )
    (pages,), (size,) = database.query("PRAGMA page_count")[0], database.query("PRAGMA page_size")[0]
    database.execute(f"PRAGMA max_page_count = {pages + 1_500_000 // size}")
    assert not beside.begin_last((None, None))
    assert [each.sentence for each in talk.errors] and not columns(talk) and not talk.replies.is_busy
    assert list(talk.store.path(head.conversation_id)) == before
    assert database.query("SELECT count(*) FROM message WHERE state = 'writing'") == [(0,)]
