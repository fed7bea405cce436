"""What is asked of every server of an engine, whichever it is: each check says in a few words what came of it."""

import json
import re
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace

import psutil

from app.core.errors import ContextFullError, UserError
from app.core.events import Finished, FinishReason, TextDelta
from app.core.messages import ImagePart, Message, Role, TextPart
from app.core.requests import ChatRequest, ToolChoice
from app.core.sampling import Sampling
from app.remote.engine import RemoteEngine
from app.remote.model_list import list_models
from app.remote.recognise import recognise
from app.remote.refusals import refuse
from app.remote.server import Abilities, Server, ServerKind, ServerModel
from app.remote.stop_signal import StopSignal
from tests.engine_servers import EngineServer
from tests.picture_files import png

SHORT = Sampling(temperature=0.0, seed=3, max_tokens=12)
ENDLESS = Sampling(temperature=0.0, seed=3, max_tokens=0)
SCHEMA = {
    "type": "object",
    "properties": {"a": {"type": "integer", "minimum": 0, "maximum": 9}},
    "required": ["a"],
    "additionalProperties": False,
}
_BEGUN = re.compile(r'\s*\{\s*("(a("\s*(:\s*(\d\s*)?)?)?)?)?')
"""An object that keeps to it, cut off anywhere."""
TOOL = {"type": "function", "function": {"name": "look", "description": "Looks.", "parameters": SCHEMA}}
_QUIET = 30.0
"""Seconds until an engine must be at rest."""


@dataclass(frozen=True)
class Subject:
    """One server, as it was recognised."""

    running: EngineServer
    kind: ServerKind
    model_name: str = ""
    """Where it lists none."""

    @property
    def server(self) -> Server:
        return recognise(self.running.address, "")

    @property
    def model(self) -> ServerModel:
        found = list_models(self.server)
        return found[0] if found else ServerModel(self.model_name, abilities=self.open.model.abilities)

    @property
    def engine(self) -> RemoteEngine:
        return RemoteEngine(self.server, self.model)

    @property
    def open(self) -> RemoteEngine:
        """It is asked for what we would refuse."""
        return RemoteEngine(self.server, ServerModel(self.model_name or self.model.id, abilities=Abilities()))


def question(text: str = "Who is there?", sampling: Sampling = SHORT) -> ChatRequest:
    return ChatRequest((Message.of(Role.USER, text),), sampling=sampling)


def answer(engine: RemoteEngine, request: ChatRequest) -> Finished:
    *before, last = engine.reply(request, StopSignal())
    assert isinstance(last, Finished)
    assert not any(isinstance(each, Finished) for each in before)
    return last


def is_recognised(subject: Subject) -> str:
    server = subject.server
    assert server.kind is subject.kind
    models = list_models(server)
    return f"{server.version or 'yes'}; {len(models)} models, context {models[0].context if models else None}"


def answers_with_figures(subject: Subject) -> str:
    last = answer(subject.engine, question())
    assert last.text and last.reason in (FinishReason.LENGTH, FinishReason.STOP)
    return f"{told(last.timings.prompt_total)} read, {told(last.timings.predicted_n)} written"


def tells_what_it_reused(subject: Subject) -> str:
    request = question("Tell me of the sea, the hills and the sky. " * 8)
    answer(subject.engine, request)
    again = answer(subject.engine, request).timings
    return told(again.cache_n) if again.cache_n is None else f"{again.cache_n} of {again.prompt_total}"


def streams(subject: Subject) -> str:
    n = sum(isinstance(each, TextDelta) for each in subject.engine.reply(question(), StopSignal()))
    assert n > 1
    return f"{n} pieces"


def stops(subject: Subject) -> str:
    """Seen in the server's own use of the processor, which is otherwise all that it gets."""
    stop = StopSignal()
    with closing(subject.engine.reply(question(sampling=ENDLESS), stop)) as events:
        for each in events:
            if isinstance(each, TextDelta):
                break
        began = time.perf_counter()
        stop.set()
        *_, last = events
        ours = time.perf_counter() - began
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.CANCELLED
    theirs = seconds_until_quiet(subject.running.process.pid)
    return f"here {ours * 1000:.0f} ms, there within {theirs:.1f} s" if theirs < _QUIET else "there it goes on"


def seconds_until_quiet(pid: int) -> float:
    """Until a process and its children use less than a tenth of a processor."""
    began = time.monotonic()
    while time.monotonic() - began < _QUIET:
        before = cpu_seconds(pid)
        time.sleep(0.5)
        if cpu_seconds(pid) - before < 0.05:
            break
    return time.monotonic() - began


def cpu_seconds(pid: int) -> float:
    process = psutil.Process(pid)
    return sum(sum(each.cpu_times()[:2]) for each in (process, *process.children(recursive=True)))


def sees_no_picture(subject: Subject) -> str:
    picture = Message(Role.USER, (ImagePart("", "a.png", data=png(4, 4)), TextPart("What is it?")))
    request = replace(question(), messages=(picture,))
    return f"{outcome(subject.engine, request)}; sent all the same: {outcome(subject.open, request)}"


def keeps_to_a_schema(subject: Subject) -> str:
    request = replace(question(sampling=replace(SHORT, max_tokens=60)), schema=SCHEMA)
    said = outcome(subject.engine, request)
    if said == "answers":
        last = answer(subject.engine, request)
        if last.reason is FinishReason.LENGTH:  # some allow spaces without end, which a model of random weights likes
            assert _BEGUN.fullmatch(last.text), last.text
            return "kept as far as it came"
        assert set(json.loads(last.text)) == {"a"}
        return "kept"
    return said


def keeps_to_a_grammar(subject: Subject) -> str:
    request = replace(question(), grammar='root ::= "yes" | "no"')
    said = outcome(subject.engine, request)
    if said == "answers":
        assert answer(subject.engine, request).text in ("yes", "no")
        return "kept"
    return said


def calls_a_tool(subject: Subject) -> str:
    request = replace(question(sampling=replace(SHORT, max_tokens=200)), tools=(TOOL,), tool_choice=ToolChoice.REQUIRED)
    said = outcome(subject.engine, request)
    if said != "answers":
        return said
    last = answer(subject.engine, request)
    if not last.tool_calls:
        return "no call"
    assert (last.reason, last.tool_calls[0].name) == (FinishReason.TOOL_CALLS, "look")
    return f"called with {last.tool_calls[0].arguments}"


def goes_on(subject: Subject) -> str:
    request = question()
    begun = Message.of(Role.ASSISTANT, "I am")
    return outcome(subject.engine, replace(request, messages=(*request.messages, begun), continues=True))


def says_what_is_too_long(subject: Subject) -> str:
    try:
        answer(subject.engine, question("word " * 20_000))
    except ContextFullError as error:
        return f"{error.n_tokens or 'not told'} of {error.n_ctx or 'not told'}"
    except UserError as error:
        return error.sentence
    return "reads on"


def outcome(engine: RemoteEngine, request: ChatRequest) -> str:
    try:
        refuse(request, engine.server, engine.model)
    except UserError:
        return "refused here"
    try:
        last = answer(engine, request)
    except UserError:
        return "refused there"
    return "answers" if last.reason is not FinishReason.BROKEN_OFF else "breaks off"


def told(n: int | None) -> str:
    return "not told" if n is None else str(n)


CHECKS: tuple[Callable[[Subject], str], ...] = (
    is_recognised,
    answers_with_figures,
    tells_what_it_reused,
    streams,
    stops,
    sees_no_picture,
    keeps_to_a_schema,
    keeps_to_a_grammar,
    calls_a_tool,
    goes_on,
    says_what_is_too_long,
)
