"""Where a new prompt leaves what the slot holds, in words."""

from app.core.messages import Message, Role
from app.core.sentence import Sentence
from app.engine.binding.vocab import Vocab
from app.engine.prompt.prompt import Prompt
from app.engine.prompt.prompt_tokens import PromptTokens

_SHOWN = 8
_MEDIUM, _END = b"[picture or sound]", b" [end of the message] "
_WHO = {
    Role.SYSTEM: "the system prompt",
    Role.USER: "question",
    Role.ASSISTANT: "answer",
    Role.TOOL: "tool result",
}


def describe(slot: PromptTokens, prompt: Prompt, messages: tuple[Message, ...], common: int, vocab: Vocab) -> str:
    """One sentence, or nothing where the prompt goes on from the slot's end. Holds what people said: never log it."""
    if common in (len(slot), len(prompt.tokens)) or not common:
        return ""
    was, now = (_quoted(each, common, vocab) for each in (slot, prompt.tokens))
    return Sentence(
        "It differs from before in {place}: “{was}” is now “{now}”.",
        place=_place(prompt, messages, common),
        was=was,
        now=now,
    )


def _place(prompt: Prompt, messages: tuple[Message, ...], common: int) -> str:
    inside = [index for index, start in prompt.turns if start <= common]
    if not inside:
        return "what the chat template writes first"
    role = messages[inside[-1]].role
    if role is Role.SYSTEM:
        return _WHO[role]
    number = sum(message.role is role for message in messages[: inside[-1] + 1])
    return f"{_WHO[role]} {number}"


def _quoted(tokens: PromptTokens, start: int, vocab: Vocab) -> str:
    pieces: list[bytes] = []
    for token in tokens.tokens(start, min(start + _SHOWN, len(tokens))).tolist():
        if token >= 0:
            # People do not know the marks that templates write.
            pieces.append(vocab.piece(token) or (_END if vocab.is_eog(token) else b" "))
        elif pieces[-1:] != [_MEDIUM]:
            pieces.append(_MEDIUM)
    text = b"".join(pieces).decode("utf-8", "replace")
    more = "…" if start + _SHOWN < len(tokens) else ""
    return " ".join(text.split()) + more
