"""A model that is free to call: from a call's opening on it names what is there, with valid arguments."""

import json
from dataclasses import replace

import pytest

from app.core.errors import UserError
from app.core.requests import ChatRequest, ToolChoice
from app.core.resources import GUIDE
from app.engine.binding.vocab import Vocab
from app.engine.grammar.grammar import Grammar
from app.engine.grammar.symbols import GrammarError
from app.engine.output.call_grammar import grammar_of_calls, openings_of
from app.engine.reply.constraint import CallConstraint, Constraint
from tests.engine.conftest import OpenTiny, finish
from tests.engine.output.outputs import TEMPLATES, family
from tests.engine.output.test_call_grammar import PLAIN_CALLS, TOOLS
from tests.engine.reply.test_session import GREEDY, user

LAZY = [name for name in PLAIN_CALLS if openings_of(family(name)) and name != "llama"]


def waiting(vocab: Vocab, name: str, *, thinks: bool = False, begun: str = "") -> CallConstraint:
    def made() -> Grammar:
        return Grammar(vocab, grammar_of_calls(family(name), TOOLS, parallel=False))

    return CallConstraint(made, family(name), vocab, thinks=thinks, begun=begun)


def write(constraint: Constraint, vocab: Vocab, text: str) -> bool:
    """Whether all of it may be written."""
    for token in vocab.tokenize_on(text):
        held = constraint.grammar
        if held is not None:
            if not held.allows(token):
                return False
            held.accept(token)
        constraint.saw(vocab.piece(token, special=True))
    return True


def may_end(constraint: CallConstraint, vocab: Vocab) -> bool:
    """Whether something holds, and is at its end."""
    return constraint.grammar is not None and constraint.grammar.allows(vocab.ends[0])


def test_most_formats_have_an_opening_that_is_no_plain_word() -> None:
    found = [name for name in TEMPLATES if openings_of(family(name))]
    assert len(found) >= 28 and not {"command-r-plus", "functools", "plain"} & {*found}


@pytest.mark.parametrize("name", LAZY)
def test_from_the_opening_on_only_calls_of_what_is_there(name: str, vocab: Vocab) -> None:
    constraint = waiting(vocab, name)
    assert write(constraint, vocab, "Let me look. ") and not may_end(constraint, vocab)
    assert write(constraint, vocab, PLAIN_CALLS[name]) and may_end(constraint, vocab)
    other = PLAIN_CALLS[name].replace("now", "then").replace("weather", "climate")
    assert not write(waiting(vocab, name), vocab, other)


def test_thoughts_and_quotations_are_free(vocab: Vocab) -> None:
    call, wrong = PLAIN_CALLS["hermes"], '<tool_call>\n{"name": "nothing", "arguments": {}}\n</tool_call>'
    for before, thinks in (("", True), ("\n<think>", False)):
        constraint = waiting(vocab, "hermes", thinks=thinks)
        assert write(constraint, vocab, f"{before}I could {wrong} or so.</think>\n\n") and constraint.grammar is None
        assert write(constraint, vocab, call) and not write(constraint, vocab, "more")
    assert write(waiting(vocab, "hermes"), vocab, f"Models write `{wrong}`.")
    assert not write(waiting(vocab, "hermes", begun='<tool_call>\n{"name": "now'), vocab, 'here"')


def test_what_cannot_be_enforced_costs_that_tool_alone(vocab: Vocab) -> None:
    tools = {**TOOLS, "odd": {"properties": {"n": {"type": "integer", "multipleOf": 2}}}}
    grammar = Grammar(vocab, grammar_of_calls(family("hermes"), tools, parallel=False))
    assert grammar.follow(b'<tool_call>\n{"name": "odd", "arguments": {"n": 2, "more": [1]}}\n</tool_call>')
    with pytest.raises(UserError):
        grammar_of_calls(family("glm"), tools, parallel=False)


def test_too_much_leaves_the_answer_free(vocab: Vocab, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> bool:
        raise GrammarError("it is too much")

    constraint = waiting(vocab, "hermes")
    assert write(constraint, vocab, "<tool_call>") and constraint.grammar is not None
    monkeypatch.setattr(Grammar, "allows", refuse)
    assert write(constraint, vocab, "\nwhatever it is") and constraint.grammar is None


def test_a_model_that_calls_by_itself_keeps_to_the_schema(open_tiny: OpenTiny) -> None:
    """The guide would look up the weather of the town that is asked about."""
    guide = open_tiny(str(GUIDE))
    cities = ["Oslo", "Rome"]
    function = {
        "name": "get_weather",
        "description": "The weather of a city.",
        "parameters": {"type": "object", "properties": {"city": {"enum": cities}}, "required": ["city"]},
    }
    request = ChatRequest(
        (user("What is the weather in Paris?"),), GREEDY, tools=({"type": "function", "function": function},)
    )
    (call,) = finish(guide, request).tool_calls
    assert call.name == "get_weather" and json.loads(call.arguments)["city"] in cities
    assert not finish(guide, replace(request, tool_choice=ToolChoice.NONE)).tool_calls
