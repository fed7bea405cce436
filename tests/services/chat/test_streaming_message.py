"""An answer in the making, and the deltas that it is made of."""

from dataclasses import replace

from app.core.draft_record import drafts_from
from app.core.events import DeltaKind, Finished, FinishReason, Timings, ToolCallDelta
from app.core.messages import Generation, Message, Role, TextPart, ToolCall
from app.core.speculation import DrafterKind, DraftFigures
from app.services.chat.streaming_message import StreamingMessage
from app.storage.conversations import ConversationStore, MessageState, StoredMessage

CALL = ToolCall("c1", "get_weather", '{"city": "Paris"}')


def begin(store: ConversationStore, message: Message | None = None) -> StoredMessage:
    conversation = store.create()
    question = store.append(conversation.id, None, Message.of(Role.USER, "a"))
    return store.append(conversation.id, question.id, message or Message(Role.ASSISTANT), MessageState.WRITING)


def on_disk(store: ConversationStore, stored: StoredMessage) -> StoredMessage:
    return store.path(stored.conversation_id)[-1]


def finished(text: str, **more: object) -> Finished:
    timings = Timings(predicted_n=4, predicted_ms=8.0)
    return Finished(FinishReason.STOP, text, Generation("v", (1, 2)), timings, 1, 9, **more)  # type: ignore[arg-type]  # each test names its own


def test_thought_words_and_calls_are_on_disk_while_they_come(store: ConversationStore) -> None:
    stored = begin(store)
    answer = StreamingMessage(store, stored)
    answer.add("Hm", DeltaKind.REASONING)
    answer.add("m.", DeltaKind.REASONING)
    assert answer.save() is None
    assert on_disk(store, stored).message == Message(Role.ASSISTANT, reasoning="Hmm.")
    answer.add("Let me see.")
    answer.add_call(ToolCallDelta(0, "c1", "get_weather"))
    answer.add_call(ToolCallDelta(0, arguments='{"city": '))
    answer.add_call(ToolCallDelta(0, arguments='"Paris"}'))
    answer.add_call(ToolCallDelta(1, "c2", "stop", "{}"))
    answer.save()
    message = on_disk(store, stored).message
    assert message.tool_calls == (CALL, ToolCall("c2", "stop", "{}")) == answer.tool_calls
    assert (message.text, message.reasoning) == ("Let me see.", "Hmm.")


def test_the_end_is_what_the_engine_says(store: ConversationStore) -> None:
    stored = begin(store)
    answer = StreamingMessage(store, stored)
    answer.add("Hm", DeltaKind.REASONING)
    answer.finish(finished("", reasoning="Hm.", reasoning_ms=12.5, tool_calls=(CALL,)), "tiny", "greedy")
    kept = on_disk(store, stored)
    assert kept.message == Message(Role.ASSISTANT, reasoning="Hm.", tool_calls=(CALL,))
    assert kept.message.generation == Generation("v", (1, 2))
    assert kept.figures is not None
    assert kept.figures["reasoning_ms"] == 12.5


def test_without_reasoning_no_figure_tells_of_it(store: ConversationStore) -> None:
    stored = begin(store)
    StreamingMessage(store, stored).finish(finished("Hi."), "tiny", "greedy")
    figures = on_disk(store, stored).figures
    assert figures is not None
    assert "reasoning_ms" not in figures


def test_an_answer_that_goes_on_keeps_what_it_had(store: ConversationStore) -> None:
    first = begin(store)
    StreamingMessage(store, first).finish(finished("", reasoning="Hm", reasoning_ms=5.0), "tiny", "greedy")
    before = on_disk(store, first)
    answer = StreamingMessage(store, before, before)
    answer.add("m.", DeltaKind.REASONING)
    answer.add("Hi.")
    assert answer.stored.message.reasoning == "Hmm."
    answer.finish(finished("Hi.", reasoning="m.", reasoning_ms=2.0), "tiny", "greedy")
    after = on_disk(store, first)
    assert after.message == Message(Role.ASSISTANT, (TextPart("Hi."),), reasoning="Hmm.")
    assert after.figures is not None
    assert after.figures["reasoning_ms"] == 7.0


def test_what_drafting_did_is_kept(store: ConversationStore) -> None:
    first = begin(store)
    figures = DraftFigures((DrafterKind.NGRAM,), 3, 12, 9, 1.5, identical=True)
    timings = Timings(predicted_n=4, predicted_ms=8.0, draft_n=12, draft_n_accepted=9)
    StreamingMessage(store, first).finish(replace(finished("Hi", drafting=figures), timings=timings), "tiny", "greedy")
    before = on_disk(store, first)
    assert drafts_from((before.figures or {}).get("drafting")) == figures
    then = DraftFigures((DrafterKind.NGRAM,), 1, 4, 1, 1.1)
    timings = replace(timings, draft_n=4, draft_n_accepted=1)
    StreamingMessage(store, before, before).finish(
        replace(finished(" there.", drafting=then), timings=timings), "tiny", "greedy"
    )
    whole = on_disk(store, first).figures or {}
    assert drafts_from(whole.get("drafting")) == DraftFigures((DrafterKind.NGRAM,), 4, 16, 10, 1.3)
    assert (whole["draft_n"], whole["draft_n_accepted"]) == (16, 10)


def test_giving_up_a_continuation_that_never_came_leaves_it_as_it_was(store: ConversationStore) -> None:
    first = begin(store)
    StreamingMessage(store, first).finish(finished("Hi.", reasoning="Hm."), "tiny", "greedy")
    before = on_disk(store, first)
    stored, _ = StreamingMessage(store, before, before).give_up(MessageState.CANCELLED)
    assert stored == before
    assert stored.message.generation == Generation("v", (1, 2))
    thought = StreamingMessage(store, before, before)
    thought.add("!", DeltaKind.REASONING)
    assert thought.give_up(MessageState.CANCELLED)[0].message.reasoning == "Hm.!"


def test_an_answer_whose_conversation_was_removed_for_good_ends_all_the_same(store: ConversationStore) -> None:
    stored = begin(store)
    answer = StreamingMessage(store, stored)
    answer.add("Hi.")
    store.delete(stored.conversation_id)
    store.remove(stored.conversation_id)
    assert answer.save() is None
    kept, problem = answer.finish(finished("Hi."), "tiny", "greedy")
    assert kept.message.text == "Hi."
    assert problem is None
