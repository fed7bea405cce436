"""Small grammars that ask for very much: they are done, or refused, in bounded work, and can always be broken off.

llama.cpp's own sampler does not come back from most of them.
"""

import pytest

from app.core.cancel import CancelFlag
from app.core.errors import ModelError
from app.core.events import Finished, FinishReason
from app.core.requests import ChatRequest
from app.core.resources import GUIDE
from app.core.sampling import Sampling
from app.engine.binding.vocab import Vocab
from app.engine.grammar.automaton import Automaton
from app.engine.grammar.grammar import Grammar
from app.engine.grammar.program import Program
from app.engine.grammar.reader import read_grammar
from app.engine.grammar.symbols import GrammarCancelledError, GrammarError
from app.engine.output.schema_grammar import json_grammar
from tests.engine.conftest import OpenTiny
from tests.engine.reply.test_session import GREEDY, LONG, assert_exact, user
from tests.work import assert_quick

LONG_AGO = 20.0
"""Seconds, of processor time: many times what any of these takes, and far below what unbounded work would."""


def chain(links: int, link: str) -> str:
    return "\n".join([*(link.format(n=n, on=n + 1) for n in range(links)), f'r{links} ::= "a"?', "root ::= r0"])


def pattern(text: str) -> str:
    return json_grammar({"type": "string", "pattern": text})


DONE = {
    "a pattern of words": (pattern("^([a-z]{0,50} ?){0,50}$"), '"abc de f" '),
    "three repetitions": ('root ::= ((a{0,50}){0,50}){0,50}\na ::= "a"', "a" * 60),
    "three in a pattern": (pattern("^((a{0,50}){0,50}){0,50}$"), '"' + "a" * 60),
    "many options": ("root ::= " + '"a"? ' * 2000, "a" * 8),
    "a million times": ('root ::= "ab"{1000000,} | "a"{999999999}', "a"),
    "without end": ('root ::= (("a"*)*)* "b"', "aaab"),
    "of nothing": ('root ::= (("" | "x"?){0,900}){0,900} "b"', "xxb"),
    "options of options": ("root ::= " + "(" * 90 + '"a"' + ")?" * 90, "a"),
    "repetitions in a row": ('root ::= "a"' + "{0,9}" * 900, "aaaa"),
    "exact repetitions in a row": ('root ::= "a"' + "{2}" * 40 + ' | "b"', "b"),
    "references": (chain(5000, 'r{n} ::= r{on} "x"'), "a" + "x" * 8),
    "a long choice": ("root ::= " + " | ".join(f'"w{n}"' for n in range(9000)), "w77"),
    "letters": ("root ::= " + "[\\u0100-\\uFFFE]{0,400} " * 4, "ы" * 30),
    "a large class": ("root ::= [" + "".join(map(chr, range(0x4E00, 0x9000, 2))) + "]*", "一丂"),
    "four repetitions": ('root ::= (((("a"{0,50} "b"?){0,50} "c"?){0,50}) "d"?){0,50}', "a" * 60),
    "brackets": ('root ::= "(" root? ")"', "(" * 300),
}
REFUSED = {
    "nests of options": (chain(60, "r{n} ::= r{on} r{on}"), ""),
    "choices that meet": (chain(60, 'r{n} ::= r{on} ("a" | "") r{on}'), ""),
    "its own beginning": ('root ::= root "a" | "b"', ""),
    "its own beginning, far away": (chain(3000, "r{n} ::= r{on}") + '\nr1500 ::= r7 "x"', ""),
    "too long": ("root ::= " + '"a" ' * 70_000, ""),
    "too deep": ("root ::= " + "(" * 5000 + '"a"' + ")" * 5000, ""),
}


def written(vocab: Vocab, grammar: str, text: str) -> None:
    """`text` as an answer would be written: at each token what else would be possible is looked at, too."""
    made = Grammar(vocab, grammar)
    for token in vocab.tokenize_on(text.strip()):
        assert made.allowed()[token]
        assert made.allows(token)
        made.accept(token)
    made.allowed()


@pytest.mark.parametrize("name", DONE)
def test_it_is_done(name: str, vocab: Vocab) -> None:
    assert_quick(LONG_AGO, lambda: written(vocab, *DONE[name]))


@pytest.mark.parametrize("name", REFUSED)
def test_it_is_refused(name: str, vocab: Vocab) -> None:
    def write() -> None:
        with pytest.raises(GrammarError):
            written(vocab, *REFUSED[name])

    assert_quick(LONG_AGO, write)


def test_what_is_remembered_is_bounded(vocab: Vocab, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also of a text that never comes to the same state again; and what is forgotten is made again, the same."""
    monkeypatch.setattr("app.engine.grammar.automaton._MOST_STATES", 40)
    monkeypatch.setattr("app.engine.grammar.automaton._MOST_KEPT", 4000)
    text = '"' + "many words in lines of some length " * 6
    grammar = json_grammar({"type": "string", "maxLength": len(text)})
    made, fresh = Grammar(vocab, grammar), Grammar(vocab, grammar)
    monkeypatch.setattr(fresh._automaton, "begin", lambda state: state)
    largest = 0
    for token in vocab.tokenize_on(text):
        assert (made.allowed() == fresh.allowed()).all()
        made.accept(token)
        fresh.accept(token)
        largest = max(largest, len(made._automaton._open))
    assert largest < len(fresh._automaton._open) // 2


def test_a_cancel_breaks_it_off(vocab: Vocab) -> None:
    cancel = CancelFlag()
    made = Grammar(vocab, "root ::= " + '"a"? ' * 2000, cancel)
    cancel.set()
    with pytest.raises(GrammarCancelledError):
        made.allowed()
    with pytest.raises(GrammarCancelledError):
        Automaton(Program(read_grammar('root ::= "a"', lambda _: None)), cancel)


def test_an_answer_ends_where_its_client_leaves_a_grammar_that_takes_long(open_tiny: OpenTiny) -> None:
    session = open_tiny(str(GUIDE))
    request = ChatRequest((user("Hello"),), sampling=Sampling(max_tokens=40), grammar="root ::= " + '"a"? ' * 2000)
    reply = session.reply(request)
    seen = next(reply)
    session._cancel.set()
    try:
        *_, last = reply
    finally:
        session._cancel.clear()
    assert not isinstance(seen, Finished)
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.CANCELLED


def test_an_answer_ends_where_its_grammar_comes_to_ask_too_much(open_tiny: OpenTiny) -> None:
    """With a sentence; and what follows is exact."""
    session = open_tiny("llama")
    grammar = chain(60, "r{n} ::= r{on} r{on}").replace("root ::= r0", r"root ::= [^\x00] r0")
    with pytest.raises(ModelError, match="too much is possible at once"):
        list(session.reply(ChatRequest((user(LONG),), sampling=GREEDY, grammar=grammar)))
    assert len(session.slot)
    assert_exact(session, open_tiny("llama"), user(LONG), user("and?"))
