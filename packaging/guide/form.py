"""What the guide's training and its use both must know: file names, tokens, and how an answer calls a tool."""

import json

from guide.dialogue import ToolCall, Turn

MODEL_FILE, MMPROJ_FILE = "guide.gguf", "mmproj-guide.gguf"
END_OF_TEXT, TURN_START, TURN_END = CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
TAGS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tools>", "</tools>")
"""User-defined tokens: text like any other, but each one token."""


def answer_text(turn: Turn) -> str:
    """An answer with its calls, as the model writes it; without reasoning."""
    return "\n".join(part for part in (turn.text, *map(_call_text, turn.calls)) if part)


def _call_text(call: ToolCall) -> str:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    return f'<tool_call>\n{{"name": "{call.name}", "arguments": {arguments}}}\n</tool_call>'
