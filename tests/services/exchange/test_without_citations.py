"""What goes with the numbers of passages, and what stays."""

from app.core.messages import DocumentPart, Message, PassagePart, Role, TextPart
from app.services.exchange.without_citations import without_citations
from app.storage.conversations import MessageState
from app.storage.exchange.records import ConversationRecord, MessageRecord


def test_of_another_version_nothing_is_taken() -> None:
    passage = PassagePart(3, "ab" * 32, "rain.pdf", "It rained.", 12)
    whole = DocumentPart("", "pumps.pdf", "Oil them.", starts=(0,), number=1)
    said = (
        Message(Role.USER, (whole, passage, TextPart("When, by [3]?"))),
        Message.of(Role.ASSISTANT, "In May [3], and oil them [1]. See a[1] and [9]."),
        Message.of(Role.ASSISTANT, "In June [3]."),
    )
    records = tuple(MessageRecord(0 if at else None, each, MessageState.COMPLETE, 0.0) for at, each in enumerate(said))
    made = without_citations(ConversationRecord("Rain", 0.0, 0.0, records, head=1))
    assert [each.message.text for each in made.messages] == [
        "When, by [3]?",
        "In May, and oil them. See a[1] and [9].",
        "In June [3].",
    ]
    assert not made.messages[0].message.passages and not made.messages[0].message.documents[0].starts
