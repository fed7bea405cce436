"""Reads LM Studio's conversations: one JSON file each, with the versions of each message in a list."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from app.core.messages import Message, Part, Role
from app.storage.conversations import MessageState
from app.storage.exchange.pieces import Pieces, dicts_in, fenced, seconds_of
from app.storage.exchange.records import ConversationRecord, MessageRecord
from app.storage.exchange.stage import Stage, missing_file

Attached = Callable[[str], bytes | None]
"""The bytes of a file by the name that a message has for it."""
_TICKS = 1000
"""Of a second: times are milliseconds."""
_ROLES = {"user": Role.USER, "assistant": Role.ASSISTANT, "system": Role.SYSTEM}


def is_conversation(members: Mapping[str, object]) -> bool:
    messages = members.get("messages")
    return isinstance(messages, list) and all(isinstance(each, dict) and "versions" in each for each in messages)


def read_conversation(told: Mapping[str, Any], stage: Stage, attached: Attached, now: float) -> None:
    """Add it to `stage`, or say there why not."""
    created_at = seconds_of(told.get("createdAt"), now, _TICKS)
    messages: list[MessageRecord] = []
    head: int | None = None
    if prompt := _system_prompt(told):
        messages.append(MessageRecord(None, Message.of(Role.SYSTEM, prompt), MessageState.COMPLETE, created_at))
        head = 0
    n_said = 0
    for slot in told["messages"]:
        versions = enumerate(dicts_in(slot.get("versions")))
        read = [(number, _message(each, stage, attached), _figures(each)) for number, each in versions]
        said = [(number, message, figures) for number, message, figures in read if message is not None]
        if not said:
            continue
        n_said += 1
        selected = slot.get("currentlySelected")
        first = len(messages)
        shown = next((index for index, (number, *_) in enumerate(said) if number == selected), len(said) - 1)
        messages += [
            MessageRecord(head, message, MessageState.COMPLETE, created_at, figures) for _, message, figures in said
        ]
        if head is not None:
            messages[head] = replace(messages[head], next=first + shown)
        head = first + shown
    if not n_said:
        stage.skip("it has no messages")
        return
    changed = (told.get("assistantLastMessagedAt"), told.get("userLastMessagedAt"))
    updated_at = max(seconds_of(each, created_at, _TICKS) for each in changed)
    stage.add(ConversationRecord(str(told.get("name") or ""), created_at, updated_at, tuple(messages), head))


def _message(version: Mapping[str, Any], stage: Stage, attached: Attached) -> Message | None:
    role = _ROLES.get(str(version.get("role")))
    if role is None:
        return None
    pieces = Pieces()
    if version.get("type") == "multiStep":
        for step in dicts_in(version.get("steps")):
            if step.get("type") == "contentBlock":
                style = step.get("style")
                thinks = isinstance(style, dict) and style.get("type") == "thinking"
                _read_content(step.get("content"), pieces, stage, attached, thinks=thinks)
    else:
        _read_content(version.get("content"), pieces, stage, attached)
    return pieces.message(role)


def _read_content(content: object, pieces: Pieces, stage: Stage, attached: Attached, *, thinks: bool = False) -> None:
    for each in dicts_in(content):
        match each:
            case {"type": "text", "text": str(text)}:
                (pieces.thought if thinks else pieces.text)(text)
            case {"type": "file", "fileIdentifier": str(name)}:
                pieces.part(_file(name, each, stage, attached))
            case {"type": "toolCallRequest", "name": str(name)}:
                pieces.text(f"{name}:")
                pieces.code(_json_text(each.get("parameters")), "json")
            case {"type": "toolCallResult", "content": result}:
                pieces.text(fenced(_result_text(result)))


def _file(identifier: str, told: Mapping[str, Any], stage: Stage, attached: Attached) -> Part:
    name = str(told.get("fileName") or told.get("name") or identifier)
    data = attached(identifier)
    return missing_file(name) if data is None else stage.file_part(data, name)


def _system_prompt(told: Mapping[str, Any]) -> str:
    prompt = told.get("systemPrompt")
    if isinstance(prompt, str) and prompt.strip():
        return prompt
    config = told.get("perChatPredictionConfig")
    for each in dicts_in(config.get("fields") if isinstance(config, dict) else None):
        if each.get("key") == "llm.prediction.systemPrompt" and isinstance(each.get("value"), str):
            return str(each["value"]).strip()
    return ""


def _figures(version: Mapping[str, Any]) -> dict[str, object] | None:
    """Which model it was; LM Studio's other figures mean other things than ours."""
    match version.get("senderInfo"):
        case {"senderName": str(name)} if version.get("role") == "assistant":
            return {"model": name}
    return None


def _result_text(result: object) -> str:
    match result:
        case str():
            return result
        case [{"type": "text", "text": str(text)}]:
            return text
    return _json_text(result)


def _json_text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
