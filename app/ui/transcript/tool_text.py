"""What a tool call shows: its arguments, and what the tool gave."""

import json
from collections.abc import Iterator, Mapping, Sequence

from app.core.messages import ToolCall
from app.ui.richtext.markdown_blocks import Code


def pretty(text: str) -> Code:
    """JSON with a line for each entry; anything else as it is."""
    try:
        return Code("json", json.dumps(json.loads(text), indent=2, ensure_ascii=False))
    except ValueError:
        return Code("", text)


def shown_texts(calls: Sequence[ToolCall], results: Mapping[str, str]) -> Iterator[tuple[int, str]]:
    """Each text with its number: of call n, 2n has the arguments and 2n + 1 the result, where there is one."""
    for number, call in enumerate(calls):
        yield 2 * number, pretty(call.arguments).text
        if (result := results.get(call.id)) is not None:
            yield 2 * number + 1, pretty(result).text
