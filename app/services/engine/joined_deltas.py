"""Deltas of an answer that come faster than anybody looks."""

from app.core.events import TextDelta, ToolCallDelta


def joined_deltas(
    first: TextDelta | ToolCallDelta, then: TextDelta | ToolCallDelta
) -> TextDelta | ToolCallDelta | None:
    """Both as one, where they are text of one kind or pieces of one tool call; otherwise None."""
    match first, then:
        case TextDelta(text, _, kind, logprobs), TextDelta(more, predicted, other, further) if kind is other:
            return TextDelta(text + more, predicted, kind, logprobs + further)
        case ToolCallDelta(index, number, name, text), ToolCallDelta(other_index, _, _, more, predicted) if (
            index == other_index
        ):
            return ToolCallDelta(index, number, name, text + more, predicted)
    return None
