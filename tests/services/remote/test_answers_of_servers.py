"""A conversation with a server's model: the same path as with one of this computer, whatever the server does."""

import threading
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.core.messages import ImagePart, Role
from app.core.model_ref import ModelRef
from app.services.engine.states import ModelReady, Waiting
from app.services.remote.model_servers import ModelServers
from app.services.remote.states import ServerState
from app.storage.attachments import AttachmentStore
from app.storage.conversations import MessageState
from tests.picture_files import png
from tests.remote.scripted_server import Caller, ScriptedServer, ends, event, events, head, says, sending, whole
from tests.services.chatting import Chat
from tests.services.conftest import Load
from tests.services.remote.conftest import SlowKeyring
from tests.waits import WAIT

USAGE = {"prompt_tokens": 30, "completion_tokens": 4, "prompt_tokens_details": {"cached_tokens": 20}}


def test_questions_are_answered_with_the_conversation_and_the_figures_that_were_told(
    talk: Chat, server: ScriptedServer
) -> None:
    server.scripts.append(sending(events(says("It "), says("rains."), ends(usage=USAGE), "[DONE]")))
    talk.say("How is the weather?")
    assert talk.texts == ["How is the weather?", "It rains."] and talk.state is MessageState.COMPLETE
    figures = talk.figures
    assert (figures["cache_n"], figures["prompt_n"], figures["predicted_n"], figures["n_past"]) == (20, 10, 4, 34)
    assert figures["model"] == "Rain-8B · Attic" and figures["seed"] is None
    assert talk.last.message.generation is None, "a later answer of a local model reads the text"
    server.scripts.append(sending(events(says("So it does."), ends(), "[DONE]")))
    server.scripts.popleft()
    talk.say("Still?")
    told = server.asked[-1].json
    assert [(each["role"], each["content"]) for each in told["messages"]] == [
        ("user", "How is the weather?"),
        ("assistant", "It rains."),
        ("user", "Still?"),
    ]
    assert (told["model"], told["temperature"], told["max_tokens"]) == ("Rain-8B", 0.0, 40)
    assert "top_p" not in told, "the server's own holds where nobody set another"
    assert talk.figures["cache_n"] is None, "not told, and not 0"
    assert not talk.errors and not talk.notices and talk.titles == ["How is the weather?"]
    assert len(server.asked) == 2, "and no title was asked for"


def test_an_answer_that_is_stopped_stays_as_far_as_it_came_and_the_server_hears_it(
    talk: Chat, server: ScriptedServer
) -> None:
    def endless(caller: Caller) -> None:
        caller.send(events(says("It rains")))
        caller.wait_for_hang_up()

    server.scripts.append(endless)
    talk.begin("How is the weather?")
    talk.replies.stop()
    talk.rest()
    assert (talk.last.message.text, talk.state) == ("It rains", MessageState.CANCELLED)
    talk.until(server.callers[-1].hung_up.is_set)
    server.scripts.append(sending(events(says(" and rains."), ends(usage=USAGE), "[DONE]")))
    server.scripts.popleft()
    talk.controller.continue_answer()
    talk.rest()
    assert (talk.last.message.text, talk.state) == ("It rains and rains.", MessageState.COMPLETE)
    assert talk.figures["predicted_n"] is None, "of its beginning nobody told"


def test_an_answer_is_stopped_while_the_keyring_waits_for_its_password(
    talk: Chat, server: ScriptedServer, slow: SlowKeyring
) -> None:
    assert talk.controller.send("How is the weather?")
    assert slow.asked.wait(WAIT / 1000)
    talk.replies.stop()
    talk.rest()
    assert talk.state is MessageState.CANCELLED and not slow.has_told and not talk.errors
    slow.password.set()
    server.scripts.append(sending(events(says("It rains."), ends(), "[DONE]")))
    talk.say("And now?")
    assert talk.texts[-1] == "It rains." and len(server.asked) == 1, "what was stopped asked nobody"


def test_a_server_that_goes_away_in_mid_answer_leaves_the_part_and_a_sentence(
    talk: Chat, server: ScriptedServer
) -> None:
    server.scripts.append(sending(events(says("It rains"))))
    talk.say("How is the weather?")
    assert (talk.last.message.text, talk.state) == ("It rains", MessageState.FAILED)
    assert "ended the connection in the middle" in talk.figures["error"] and talk.figures["server"]
    assert not talk.errors and not talk.notices, "it stands below the answer"
    assert talk.kept()[-1].message.text == "It rains"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (whole({"error": {"message": "Incorrect API key"}}, 401), "wants a key"),
        (whole({"detail": "The model `Rain-8B` does not exist."}, 404), "choose another one"),
        (whole({"error": {"message": "out of memory"}}, 500), "failed by itself"),
        (head(200, "text/html") + b"<!doctype html><p>Log in", "a web page"),
    ],
)
def test_what_a_server_says_instead_of_an_answer_is_one_sentence(
    talk: Chat, there: ModelRef, server: ScriptedServer, answer: bytes, told: str
) -> None:
    server.scripts.append(sending(answer))
    talk.say("How is the weather?")
    assert talk.state is MessageState.FAILED and told in talk.figures["error"]
    assert talk.figures["server"] == there.server
    assert talk.texts[0] == "How is the weather?", "nothing is lost"


def test_a_server_with_too_much_to_do_is_asked_again_and_says_why(talk: Chat, server: ScriptedServer) -> None:
    server.scripts.append(sending(whole({"error": {"message": "busy"}}, 429, Retry_After="1")))
    server.scripts.append(sending(events(says("It rains."), ends(), "[DONE]")))
    talk.say("How is the weather?")
    assert (talk.last.message.text, talk.state) == ("It rains.", MessageState.COMPLETE)
    assert any(isinstance(each, Waiting) and "too much to do" in each.why for each in talk.activities)


def test_several_conversations_are_answered_at_once_also_with_a_model_of_this_computer(
    talk: Chat, server: ScriptedServer, load: Load
) -> None:
    go = threading.Event()

    def waiting(caller: Caller) -> None:
        caller.send(events(says("One")))
        assert go.wait(WAIT / 1000)
        caller.send(event(says(", two.")) + event(ends()) + event("[DONE]"))

    server.scripts.append(waiting)
    talk.begin("First")
    first = talk.last
    talk.controller.new_conversation()
    talk.begin("Second")
    second = talk.last
    talk.controller.new_conversation()
    assert isinstance(load("llama"), ModelReady)
    talk.controller.send("Third")
    talk.until(lambda: talk.state is MessageState.COMPLETE)
    assert talk.figures["model"] == "llama" and talk.replies.is_busy
    go.set()
    talk.rest()
    for stored in (first, second):
        answer = talk.store.path(stored.conversation_id)[-1]
        assert (answer.message.text, answer.state) == ("One, two.", MessageState.COMPLETE)
        assert (answer.figures or {})["model"] == "Rain-8B · Attic", "another model was chosen since"


def test_pictures_go_along_without_what_a_camera_wrote_and_are_refused_where_the_server_takes_none(
    talk: Chat, server: ScriptedServer, servers: ModelServers, tmp_path: Path
) -> None:
    data = png(8, 8, "red")
    picture = ImagePart(AttachmentStore(tmp_path / "kept").put(data), "red.png")
    server.scripts.append(sending(events(says("Red."), ends(), "[DONE]")))
    talk.say("Which colour?", (picture,))
    [question] = server.asked[-1].json["messages"]
    [shown] = [each for each in question["content"] if each["type"] == "image_url"]
    assert shown["image_url"]["url"].startswith("data:image/png;base64,")
    server.routes["/v1/models"] = whole({"data": [{"id": "Rain-8B", "owned_by": "me"}]})
    server.routes["/openapi.json"] = whole({"info": {"title": "llama.cpp Python API"}, "paths": {}})
    servers.refresh_all()
    talk.until(lambda: [each.state for each in servers.all] == [ServerState.THERE])
    n_asked = len(server.asked)
    assert not talk.controller.send("And this?", (picture,))
    assert len(server.asked) == n_asked
    assert "can't be shown pictures" in talk.errors[-1].sentence


def test_another_model_answers_where_an_answer_stands_from_here_to_there_and_back(
    talk: Chat, server: ScriptedServer, load: Load, there: ModelRef, qtbot: QtBot
) -> None:
    load("llama")
    talk.say("How is the weather?")
    server.scripts.append(sending(events(says("It rains."), ends(), "[DONE]")))
    with qtbot.waitSignal(talk.controller.answer_with.answered, timeout=WAIT) as caught:
        talk.controller.answer_with.answer(talk.last.id, there)
    talk.rest()
    [replaced] = caught.args
    assert (talk.last.message.text, talk.places) == ("It rains.", ["1/1", "2/2"])
    with talk.becomes(ModelReady):
        talk.controller.answer_with.back(replaced)
    talk.say("And now?")
    assert [role for role, _ in talk.talk] == [Role.USER, Role.ASSISTANT] * 2 and talk.figures["model"] == "llama"
    assert talk.figures["prompt_n"] > 0, "it has read the other's answer as a text"


def test_what_is_being_written_when_the_program_ends_is_kept(
    talk: Chat, server: ScriptedServer, servers: ModelServers
) -> None:
    def endless(caller: Caller) -> None:
        caller.send(events(says("It rains")))
        caller.wait_for_hang_up()

    server.scripts.append(endless)
    talk.begin("How is the weather?")
    talk.replies.stop_all()
    servers.close()
    talk.replies.finish()
    assert (talk.kept()[-1].message.text, talk.kept()[-1].state) == ("It rains", MessageState.CANCELLED)
