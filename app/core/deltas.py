"""Deltas of an answer, put together: the one place that knows how."""

from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, groupby

from app.core.events import DeltaKind, TextDelta, ToolCallDelta
from app.core.messages import ToolCall

Delta = TextDelta | ToolCallDelta


def joined_deltas(deltas: Iterable[Delta]) -> list[Delta]:
    """Neighbours that are text of one kind, or pieces of one tool call, as one each."""
    return [_joined(list(run)) for _, run in groupby(deltas, _belongs_to)]


def _belongs_to(delta: Delta) -> DeltaKind | int:
    return delta.kind if isinstance(delta, TextDelta) else delta.index


def _joined(run: list[Delta]) -> Delta:
    first, predicted_n = run[0], run[-1].predicted_n
    if isinstance(first, TextDelta):
        texts = [each for each in run if isinstance(each, TextDelta)]
        logprobs = tuple(chain.from_iterable(each.logprobs for each in texts))
        return TextDelta("".join(each.text for each in texts), predicted_n, first.kind, logprobs)
    arguments = "".join(each.arguments for each in run if isinstance(each, ToolCallDelta))
    return replace(first, arguments=arguments, predicted_n=predicted_n)


def grow_calls(calls: list[ToolCall], delta: ToolCallDelta) -> None:
    """Put a piece of a tool call where it belongs."""
    if delta.index >= len(calls):
        calls.append(ToolCall(delta.id, delta.name, delta.arguments))
    else:
        call = calls[delta.index]
        calls[delta.index] = replace(call, arguments=call.arguments + delta.arguments)
