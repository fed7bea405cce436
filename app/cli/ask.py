"""`hearth ask`: one reply on standard output."""

import argparse
import hashlib
import json
import signal
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from app.cli import states, terminal
from app.cli.arguments import section_from_arguments
from app.cli.drafting import drafts_json, figures_line
from app.cli.models import ProgressLine, open_model
from app.core.cancel import CancelFlag
from app.core.errors import UserError
from app.core.events import (
    DeltaKind,
    Finished,
    FinishReason,
    Looking,
    ModelInfo,
    PromptProgress,
    Queued,
    Retrying,
    TextDelta,
    ToolCallDelta,
)
from app.core.messages import Attachment, AudioPart, DocumentPart, ImagePart, MediaPart, Message, Role, TextPart
from app.core.paths import Paths
from app.core.program import EXIT_ENVIRONMENT, EXIT_INTERRUPTED
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.core.settings import Settings
from app.engine.media.audio import read_audio
from app.engine.media.audio_limits import looks_like_audio
from app.engine.reply.session import Session
from app.storage.model_options import stored_options

if TYPE_CHECKING:
    from app.cli.servers import ServerSession
    from app.cli.tools import AskedTools

# What few questions need is imported where it is needed: all of it took a quarter of the start.


def run(namespace: argparse.Namespace, settings: Settings, paths: Paths, command: list[str]) -> int:
    """Exit code: 0, or 130 after Ctrl+C. Raises UserError."""
    before = states.messages_in(namespace.state)
    request = _request(namespace, settings, before, _prompt(namespace.prompt), _attached(namespace))
    media = [part for each in request.messages for part in each.media]
    if namespace.strip_images:
        media = [part for part in media if not isinstance(part, ImagePart)]
    if namespace.server:
        return _ask_server(namespace, settings, paths, command, request, media)
    cancel = CancelFlag()
    cancel_on_interrupt(cancel.set)
    with (
        _tools(namespace, settings, paths, command, cancel) as tools,
        open_model(namespace, settings, paths, command, cancel, media=media) as session,
    ):
        if session is None:
            return EXIT_INTERRUPTED
        own = stored_options(paths.database, session.info.ref).of(Sampling)
        request = replace(request, sampling=_advised(namespace, settings, session.info, own))
        states.restore(session, namespace.state)
        if request.messages[-1].documents:
            from app.cli.passages import with_found_passages

            request = with_found_passages(request, session, command)
        finished, request = _answered(session, request, _silent if namespace.json else terminal.write, tools)
        info = session.info
        if finished.reason is not FinishReason.CANCELLED:
            states.save(session, namespace.save_state, request.messages, finished)
    return _tell(namespace, finished, info, tools, request.messages)


def _ask_server(
    namespace: argparse.Namespace,
    settings: Settings,
    paths: Paths,
    command: list[str],
    request: ChatRequest,
    media: Sequence[MediaPart],
) -> int:
    from app.cli import servers
    from app.remote.stop_signal import StopSignal

    if namespace.model is not None or namespace.state or namespace.save_state:
        raise UserError("--server asks a model elsewhere: -m, --state and --save-state are for models here.")
    stop, cancel = StopSignal(), CancelFlag()

    def interrupt() -> None:
        cancel.set()
        stop.set()

    cancel_on_interrupt(interrupt)
    with _tools(namespace, settings, paths, command, cancel) as tools:
        session = servers.open_server(namespace, paths, stop)
        if why := session.info.refusal(media):
            raise UserError(f"{why} Name another model with --server-model, or leave it out.")
        if namespace.strip_images:
            request = servers.without_pictures(request)
        request = replace(request, sampling=_advised(namespace, settings, session.info, {}))
        finished, request = _answered(session, request, _silent if namespace.json else terminal.write, tools)
    return _tell(namespace, finished, session.info, tools, ())


def _tell(
    namespace: argparse.Namespace,
    finished: Finished,
    info: ModelInfo,
    tools: "AskedTools | None",
    messages: Sequence[Message],
) -> int:
    """What is said beside the answer. The exit code: 1 where a server broke it off."""
    if namespace.json:
        calls = {"calls": tools.told} if tools is not None else {}
        terminal.write(json.dumps(_figures(finished, info) | calls, ensure_ascii=False))
    terminal.write("\n")
    if any(each.passages or each.documents for each in messages):
        from app.cli.passages import tell_sources

        tell_sources(messages, finished.text)
    for note in finished.notes:
        terminal.warn(note)
    if finished.reason is FinishReason.REPETITION:
        terminal.warn("The answer only repeated itself, so it was stopped. --no-stop-repetition lets it go on.")
    if namespace.figures:
        terminal.warn(figures_line(finished))
    ends = {FinishReason.CANCELLED: EXIT_INTERRUPTED, FinishReason.BROKEN_OFF: EXIT_ENVIRONMENT}
    return ends.get(finished.reason, 0)


def cancel_on_interrupt(cancel: Callable[[], None]) -> None:
    """The first Ctrl+C ends the answer in good order, a second one the program."""

    def interrupt(*_: object) -> None:
        cancel()
        signal.signal(signal.SIGINT, signal.default_int_handler)

    signal.signal(signal.SIGINT, interrupt)


def _tools(
    namespace: argparse.Namespace, settings: Settings, paths: Paths, command: list[str], cancel: CancelFlag
) -> "AbstractContextManager[AskedTools | None]":
    """Raises UserError for a name that nothing has."""
    if namespace.tools is None:
        return nullcontext()
    from app.cli.tools import asked_tools

    return asked_tools(namespace, settings, paths, command, cancel)


def _prompt(given: str) -> str:
    text = terminal.read_all() if given == "-" else given
    if not text.strip():
        raise UserError('There is nothing to ask. Write a prompt, or "-" and pipe one in.')
    return text


def _advised(namespace: argparse.Namespace, settings: Settings, info: ModelInfo, own: Mapping[str, object]) -> Sampling:
    """What the command line says, then what is set for the model alone, then what the settings say, then what the
    model's file advises.
    """
    return section_from_arguments(namespace, settings.sampling.layered(info.sampling, own))


def _attached(namespace: argparse.Namespace) -> tuple[Attachment, ...]:
    """Decoded once here, so that a bad file is told before a model is loaded. Raises UserError."""
    return (*map(_medium, namespace.image), *map(_document, namespace.document))


def _data(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise UserError(f"{file} can't be read: {error.strerror or error}.") from error


def _document(file: Path) -> DocumentPart:
    from app.engine.documents.document_process import document_text

    data = _data(file)
    return DocumentPart(hashlib.sha256(data).hexdigest(), file.name, document_text(data, file.name))


def _medium(file: Path) -> MediaPart:
    data = _data(file)
    digest = hashlib.sha256(data).hexdigest()
    if looks_like_audio(data, file.suffix):
        heard = read_audio(data, file.name)
        return AudioPart(digest, file.name, heard.rate, len(heard.samples), heard.digest, data)
    from app.engine.media.images import read_picture  # only here: with Pillow it takes 50 ms to import

    seen = read_picture(data, file.name)
    if seen.note:
        terminal.warn(seen.note)
    return ImagePart(digest, file.name, seen.width, seen.height, seen.digest, data)


def _request(
    namespace: argparse.Namespace,
    settings: Settings,
    before: Sequence[Message],
    prompt: str,
    attached: tuple[Attachment, ...],
) -> ChatRequest:
    messages = [*before, Message(Role.USER, (*attached, TextPart(prompt)))]
    if namespace.system:
        messages = [each for each in messages if each.role is not Role.SYSTEM]
        messages.insert(0, Message.of(Role.SYSTEM, namespace.system))
    stops = settings.interface.stop_repetition and not namespace.no_stop_repetition
    sampling = section_from_arguments(namespace, settings.sampling)
    return ChatRequest(tuple(messages), sampling, stop_repetition=stops)


def _answered(
    session: "Session | ServerSession",
    request: ChatRequest,
    write: Callable[[str], None],
    tools: "AskedTools | None",
) -> tuple[Finished, ChatRequest]:
    """The last answer, and what it answers: the question, and what tools gave."""
    if tools is None or not session.info.capabilities.tools:
        if tools is not None:
            terminal.warn(f"{session.info.name} does not know how to use tools. It answers without them.")
        return _answer(session, request, write), request
    request = replace(request, tools=tools.declarations)
    while True:
        finished = _answer(session, request, write)
        if finished.reason is not FinishReason.TOOL_CALLS:
            return finished, request
        if finished.text:
            write("\n")
        more = tools.go_on(finished, request.messages, session.info.n_ctx)
        if not more:
            return finished, request
        request = replace(request, messages=(*request.messages, *more))


def _answer(session: "Session | ServerSession", request: ChatRequest, write: Callable[[str], None]) -> Finished:
    line = ProgressLine()
    last: Finished | None = None
    # Closed before the session is, also when the output fails: it still uses the context.
    with closing(session.reply(request)) as events:
        for event in events:
            match event:
                case PromptProgress(total, reused, read):
                    line.say(f"Reading {reused + read:,} of {total:,}")
                case Looking(number, count, listens=listens):
                    line.say(f"{'Listening' if listens else 'Looking'}, {number} of {count}")
                case Retrying(why):
                    line.say(why)
                case Queued():  # nobody else is there
                    pass
                case TextDelta(predicted_n=written, kind=DeltaKind.REASONING):
                    line.say("Thinking" if written is None else f"Thinking, {written:,} tokens")
                case TextDelta(text):
                    line.clear()
                    write(text)
                case ToolCallDelta():  # told when it is whole
                    pass
                case Finished():
                    line.clear()
                    last = event
                case _:
                    assert_never(event)
    assert last is not None
    return last


def _silent(_text: str) -> None:
    pass


def _figures(finished: Finished, info: ModelInfo) -> dict[str, object]:
    return {
        "text": finished.text,
        **({"reasoning": finished.reasoning} if finished.reasoning else {}),
        "finish_reason": finished.reason.value,
        "model": info.name,
        "seed": finished.seed,
        "timings": {
            **asdict(finished.timings),
            "prompt_per_second": _rounded(finished.timings.prompt_per_second),
            "predicted_per_second": _rounded(finished.timings.predicted_per_second),
        },
        "drafting": drafts_json(finished.drafting),
        **({"notes": list(finished.notes)} if finished.notes else {}),
    }


def _rounded(rate: float | None) -> float | None:
    return None if rate is None else round(rate, 2)
