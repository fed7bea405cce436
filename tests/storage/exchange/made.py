"""Conversations of every kind, as records."""

from hypothesis import strategies as st

from app.core.messages import (
    AudioPart,
    DocumentPart,
    Generation,
    ImagePart,
    Message,
    Part,
    PassagePart,
    Role,
    TextPart,
    ToolCall,
)
from app.storage.conversations import MessageState, TitledBy
from app.storage.database import Database
from app.storage.exchange.reader import conversation_ids, records
from app.storage.exchange.records import ConversationRecord, MessageRecord

PNG = b"\x89PNG a picture"


def stored_records(database: Database) -> list[ConversationRecord]:
    return list(records(database, conversation_ids(database)))


_texts = st.text(max_size=20)
_times = st.floats(0, 4e9)
_json = st.dictionaries(_texts, st.one_of(st.integers(-(2**53), 2**53), _texts, st.booleans()), max_size=3)
_parts: st.SearchStrategy[Part] = st.one_of(
    st.builds(TextPart, _texts),
    st.builds(ImagePart, st.just("12" * 32), _texts),
    st.builds(ImagePart, st.just("34" * 32), _texts, st.integers(1, 9), st.integers(1, 9), st.just("56" * 32)),
    st.builds(AudioPart, st.just("12" * 32), _texts),
    st.builds(AudioPart, st.just("34" * 32), _texts, st.integers(1, 9), st.integers(1, 9), st.just("56" * 32)),
    st.builds(DocumentPart, st.just(""), _texts, _texts, by_passages=st.booleans()),
    st.builds(PassagePart, st.integers(1, 99), st.just("ab" * 32), _texts, _texts, st.none(), heading=_texts),
)
_generations = st.builds(Generation, _texts, st.lists(st.integers(-(2**31), 2**31 - 1), max_size=5).map(tuple))
_messages = st.builds(
    Message,
    st.sampled_from(Role),
    st.lists(_parts, max_size=3).map(tuple),
    st.none() | _generations,
    _texts,
    st.lists(st.builds(ToolCall, _texts, _texts, _texts), max_size=2).map(tuple),
    _texts,
    _texts,
)


@st.composite
def conversation_records(draw: st.DrawFn) -> ConversationRecord:
    """As our own program makes them: what an answer says is final, and titles are one line."""
    n_messages = draw(st.integers(1, 8))
    states = [state for state in MessageState if state is not MessageState.WRITING]
    parents = [draw(st.none() | st.integers(0, place - 1)) if place else None for place in range(n_messages)]
    children: dict[int | None, list[int]] = {}
    for place, parent in enumerate(parents):
        children.setdefault(parent, []).append(place)
    made = tuple(
        MessageRecord(
            parent,
            draw(_messages),
            draw(st.sampled_from(states)),
            draw(_times),
            draw(st.none() | _json),
            draw(st.sampled_from([None, *children.get(place, [])])),
        )
        for place, parent in enumerate(parents)
    )
    title = " ".join(draw(st.text("abc äü日", max_size=12)).split())
    options = draw(st.just({}) | st.just({"sampling": {"top_k": 3}}))
    head = draw(st.integers(0, n_messages - 1))
    folder, pinned_at, archived_at = (
        draw(st.sampled_from(["", "Work"])),
        draw(st.none() | _times),
        draw(st.none() | _times),
    )
    return ConversationRecord(
        title,
        draw(_times),
        draw(_times),
        made,
        head,
        options,
        folder,
        pinned_at,
        archived_at,
        draw(st.sampled_from(TitledBy)),
    )
