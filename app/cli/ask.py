"""`hearth ask`: one reply on standard output."""

import argparse
import json
import signal
import sys
from collections.abc import Callable
from dataclasses import asdict
from typing import assert_never

from app.cli.arguments import section_from_arguments
from app.cli.models import ProgressLine, open_model
from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import Finished, FinishReason, ModelInfo, PromptProgress, TextDelta
from app.core.messages import Message, Role
from app.core.paths import Paths
from app.core.requests import ChatRequest
from app.core.settings import Settings
from app.engine.session import Session

_INTERRUPTED = 130


def run(namespace: argparse.Namespace, settings: Settings, paths: Paths, command: list[str]) -> int:
    """Exit code: 0, or 130 after Ctrl+C. Raises UserError."""
    prompt = _prompt(namespace.prompt)
    cancel = CancelFlag()
    signal.signal(signal.SIGINT, lambda *_: cancel.set())
    session = open_model(namespace, settings, paths, command, cancel)
    if session is None:
        return _INTERRUPTED
    try:
        finished = _answer(session, _request(namespace, settings, prompt), _silent if namespace.json else _write)
    finally:
        session.close()
    if namespace.json:
        print(json.dumps(_figures(finished, session.info), ensure_ascii=False))
    else:
        print()
    return _INTERRUPTED if finished.reason is FinishReason.CANCELLED else 0


def _prompt(given: str) -> str:
    text = sys.stdin.read() if given == "-" else given
    if not text.strip():
        raise UserError('There is nothing to ask. Write a prompt, or "-" and pipe one in.')
    return text


def _request(namespace: argparse.Namespace, settings: Settings, prompt: str) -> ChatRequest:
    messages = [Message.of(Role.USER, prompt)]
    if namespace.system:
        messages.insert(0, Message.of(Role.SYSTEM, namespace.system))
    return ChatRequest(tuple(messages), section_from_arguments(namespace, settings.sampling))


def _answer(session: Session, request: ChatRequest, write: Callable[[str], None]) -> Finished:
    line = ProgressLine()
    last: Finished | None = None
    for event in session.reply(request):
        match event:
            case PromptProgress(total, reused, read):
                line.say(f"Reading {reused + read:,} of {total:,}")
            case TextDelta(text):
                line.clear()
                write(text)
            case Finished():
                line.clear()
                last = event
            case _:
                assert_never(event)
    assert last is not None
    return last


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _silent(_text: str) -> None:
    pass


def _figures(finished: Finished, info: ModelInfo) -> dict[str, object]:
    return {
        "text": finished.text,
        "finish_reason": finished.reason.value,
        "model": info.name,
        "seed": finished.seed,
        "timings": {
            **asdict(finished.timings),
            "prompt_per_second": round(finished.timings.prompt_per_second, 2),
            "predicted_per_second": round(finished.timings.predicted_per_second, 2),
        },
    }
