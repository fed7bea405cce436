"""A grammar that makes a model call tools, with arguments that fit their schemas."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import assert_never, cast

from app.core.errors import UserError
from app.engine.output.bare_calls import BareCalls
from app.engine.output.call_syntax import Schema, Schemas
from app.engine.output.format import OutputFormat
from app.engine.output.gbnf import Rules, choice, literal
from app.engine.output.gemma_calls import GemmaCalls
from app.engine.output.json_calls import JsonCalls
from app.engine.output.literals import GEMMA
from app.engine.output.named_calls import NamedCalls
from app.engine.output.nested_calls import NestedCalls
from app.engine.output.nested_grammar import nested_call
from app.engine.output.python_calls import PythonCalls
from app.engine.output.schema_errors import reported
from app.engine.output.schema_grammar import SchemaGrammar
from app.engine.output.tagged_calls import TaggedCalls
from app.engine.output.tagged_grammar import tagged_call

_BLANKS = r"[ \n]{0,4}"
_NAME = re.compile(r"[\w.\-]+")
_HARMONY_OPENING = ("<|channel|>commentary to=functions.",)
_Syntax = BareCalls | GemmaCalls | JsonCalls | NamedCalls | NestedCalls | PythonCalls | TaggedCalls


@dataclass(frozen=True, slots=True)
class CallGrammar:
    text: str
    """GBNF; its root is `root`."""
    after: tuple[str, ...] = ()
    """It holds from behind the first of these texts on; from the beginning where there is none."""


def grammar_for(
    format: OutputFormat,
    tools: Schemas,
    *,
    name: str | None = None,
    parallel: bool = False,
    thinking_open: bool = False,
) -> CallGrammar:
    """What an answer must keep to that has to call one of `tools`, or the one called `name`.

    It may think before; several calls are possible where `parallel` says so and the format can. Raises UserError for
    a name that isn't offered, and for what a schema demands and a grammar can't.
    """
    offered = tools if name is None else {known: schema for known, schema in tools.items() if known == name}
    if not offered:
        raise UserError("The request demands a tool that it doesn't offer. Offer it, or demand another.")
    rules = Rules()
    with reported():
        calls = _harmony(offered, rules) if format.channels else _calls(format, offered, rules, parallel)
    if thinking_open:
        return CallGrammar(rules.grammar(calls), format.reasoning.ends)
    start, end = format.reasoning.starts[0], format.reasoning.ends[0]
    blank = '" "? ' if format.heads else ""
    return CallGrammar(rules.grammar(f"({blank}{literal(start)} {rules.until(end)})? {calls}"))


def openings_of(format: OutputFormat) -> tuple[str, ...]:
    """Texts that only a call begins with; none where calls stand bare, or begin in a message's head."""
    if format.channels:
        return _HARMONY_OPENING
    if format.heads or format.opened:
        return ()
    # Some are plain words, such as "Action:", which people's questions are answered with, too.
    return tuple(each for each in format.calls.openings if "<" in each or "[" in each)


def grammar_of_calls(format: OutputFormat, tools: Schemas, *, parallel: bool) -> str:
    """GBNF of one call or several, with what opens them. A tool whose arguments can't be enforced may have any, where
    they are JSON. Raises UserError where they are not, and for its name.
    """
    known = dict(tools)
    for name, schema in tools.items():
        try:
            grammar_for(format, {name: schema})
        except UserError:
            if isinstance(format.calls, TaggedCalls | NestedCalls | PythonCalls):
                raise
            known[name] = {}
    return grammar_for(format, known, parallel=parallel, thinking_open=True).text


def _calls(format: OutputFormat, tools: Schemas, rules: Rules, parallel: bool) -> str:
    syntax = cast(_Syntax, format.calls)
    match syntax:
        case JsonCalls():
            return _json(syntax, tools, rules, parallel)
        case BareCalls():
            call = _each(tools, rules, lambda name, schema: _object(syntax, name, schema, rules))
            return f"{_BLANKS} {_several(call, literal('; '), parallel)}"
        case NamedCalls():
            return _named(syntax, tools, rules, parallel, format.opened)
        case NestedCalls():
            call = _each(tools, rules, lambda name, schema: nested_call(syntax, _plain(name), schema, rules))
            begin, end = literal(syntax.section[0] + "\n"), literal(syntax.section[1])
            return f"{literal(format.reasoning.ends[0])}? {begin} {_several(call, literal(''), parallel)} {end}"
        case TaggedCalls() if format.heads:
            return _addressed(format, syntax, tools, rules, parallel)
        case TaggedCalls():
            call = _each(tools, rules, lambda name, schema: tagged_call(syntax, _plain(name), schema, rules))
            begin, end = map(literal, syntax.section)
            if not syntax.call[0]:
                return f"{_BLANKS} {_several(call, _BLANKS, parallel)}"
            return f"{_BLANKS} {_several(f'{begin} {_BLANKS} {call} {_BLANKS} {end}', _BLANKS, parallel)}"
        case GemmaCalls():
            call = _each(tools, rules, lambda name, schema: _gemma(syntax, _plain(name), schema, rules))
            return f"{_BLANKS} {_several(call, literal(''), parallel)}"
        case PythonCalls():
            call = _each(tools, rules, lambda name, schema: _python(_plain(name), schema, rules))
            begin, end = literal(syntax.opening + "["), literal("]" + syntax.closing)
            return f"{_BLANKS} {begin} {_several(call, literal(', '), parallel)} {end}"
        case _:
            assert_never(syntax)


def _each(tools: Schemas, rules: Rules, made: Callable[[str, Schema], str]) -> str:
    return rules.add(choice(rules.add(made(name, schema), f"call-{name}") for name, schema in tools.items()), "call")


def _several(call: str, separator: str, parallel: bool) -> str:
    return f"{call} ({separator} {call})*" if parallel else call


def _plain(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise UserError("A tool's name must be of letters, digits, dots, hyphens and underscores. Rename the tool.")
    return name


def _arguments(schema: Schema, rules: Rules) -> str:
    return SchemaGrammar(schema, rules).value({"type": "object", **schema}, "arguments")


def _object(syntax: JsonCalls | BareCalls, name: str, schema: Schema, rules: Rules) -> str:
    written = json.dumps(name, ensure_ascii=False)
    if isinstance(syntax, JsonCalls) and syntax.name_is_key:
        head = f"{{{written}: "
    else:
        name_key = syntax.name_key if isinstance(syntax, JsonCalls) else "name"
        head = f"{{{json.dumps(name_key)}: {written}, {json.dumps(syntax.arguments_key)}: "
    return f"{literal(head)} {_arguments(schema, rules)} {literal('}')}"


def _json(syntax: JsonCalls, tools: Schemas, rules: Rules, parallel: bool) -> str:
    call = _each(tools, rules, lambda name, schema: _object(syntax, name, schema, rules))
    begin, end = literal(syntax.opening), literal(syntax.closing)
    if syntax.array:
        comma = f'"," {_BLANKS}'
        return f'{_BLANKS} {begin} {_BLANKS} "[" {_BLANKS} {_several(call, comma, parallel)} {_BLANKS} "]" {end}'
    return f"{_BLANKS} {_several(f'{begin} {_BLANKS} {call} {_BLANKS} {end}', _BLANKS, parallel)}"


def _addressed(format: OutputFormat, syntax: TaggedCalls, tools: Schemas, rules: Rules, parallel: bool) -> str:
    """Each call in a message of its own, whose head says whom it is for; the template has begun the first one."""
    later, first = format.heads
    begun = literal(later.removesuffix(first))
    begin, end = map(literal, syntax.section)

    def made(name: str, schema: Schema) -> str:
        head, called = literal(first.format(_plain(name))), tagged_call(syntax, name, schema, rules)
        return f"{head} {begin} {_BLANKS} {called} {_BLANKS} {end}"

    call = _each(tools, rules, made)
    return f"{begun}? {_several(call, f'{literal(format.hidden[0])} {begun}', parallel)}"


def _named(syntax: NamedCalls, tools: Schemas, rules: Rules, parallel: bool, opened: str = "") -> str:
    if syntax.writes_objects:
        return _json(JsonCalls(syntax.opening, "", array=True), tools, rules, parallel)
    before, behind = syntax.written
    fence, fence_end = (literal("```json\n"), literal("\n```")) if syntax.fenced else ('""', '""')
    opening = syntax.opening.removeprefix(opened)
    head, separator, end = literal(opening + syntax.prefix), literal(syntax.separator), literal(syntax.closing)

    def made(name: str, schema: Schema) -> str:
        called = f"{head} {before} {literal(_plain(name))} {behind} {separator}"
        return f"{called} {fence} {_arguments(schema, rules)} {fence_end} {end}"

    call = _each(tools, rules, made)
    section, section_end = map(literal, syntax.section)
    before, between = ('""', literal(opened)) if opened else (_BLANKS, _BLANKS)
    return f"{before} {section} {_several(call, between, parallel)} {section_end}"


def _gemma(syntax: GemmaCalls, name: str, schema: Schema, rules: Rules) -> str:
    arguments = GemmaGrammar(schema, rules).value({"type": "object", **schema}, "arguments")
    return f"{literal(syntax.opening + 'call:' + name)} {arguments} {literal(syntax.closing)}"


def _python(name: str, schema: Schema, rules: Rules) -> str:
    made = SchemaGrammar(schema, rules)
    properties, required = made.parameters()
    members = [
        (f"{literal(_plain(key) + '=')} {made.value(each, key)}", key in required) for key, each in properties.items()
    ]
    return f"{literal(name + '(')} {made.members(members, literal(', '))} {literal(')')}"


def _harmony(tools: Schemas, rules: Rules) -> str:
    def made(name: str, schema: Schema) -> str:
        head = f"<|channel|>commentary to=functions.{_plain(name)} <|constrain|>json<|message|>"
        return f"{literal(head)} {_arguments(schema, rules)}"

    return f"{literal('<|start|>assistant')}? {_each(tools, rules, made)}"


_QUOTE = GEMMA.quotes[0]
_KEY = re.compile(r"[\w.\-]+")


class GemmaGrammar(SchemaGrammar):
    """Keys stand without quotes, strings between marks of their own, with nothing escaped."""

    def constant(self, value: object) -> str:
        return literal(_written(value)) if not isinstance(value, int | float | None) else super().constant(value)

    def key(self, name: str) -> str:
        return literal(f"{_key(name)}:")

    def string(self, schema: Schema) -> str:
        if not schema.keys() & {"minLength", "maxLength", "pattern", "format"}:
            return f"{literal(_QUOTE)} {self.rules.until(_QUOTE)}"
        return f"{literal(_QUOTE)} {self.string_inside(schema, '[^<]', raw='<')} {literal(_QUOTE)}"


def _key(name: str) -> str:
    return name if _KEY.fullmatch(name) else f"{_QUOTE}{name}{_QUOTE}"


def _written(value: object) -> str:
    match value:
        case str():
            return f"{_QUOTE}{value}{_QUOTE}"
        case Mapping():
            return "{" + ",".join(f"{_key(str(key))}:{_written(each)}" for key, each in value.items()) + "}"
        case list():
            return "[" + ",".join(map(_written, value)) + "]"
        case bool():
            return "true" if value else "false"
        case None:
            return "null"
        case _:
            return str(value)
