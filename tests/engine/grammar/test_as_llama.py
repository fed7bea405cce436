"""What may come next is what llama.cpp's own grammar sampler says, token by token."""

import ctypes
import random

import numpy as np
import pytest
from llama_cpp import llama_cpp as api

from app.engine.binding.sampler import Candidates
from app.engine.binding.vocab import Vocab
from app.engine.grammar.grammar import Grammar
from app.engine.grammar.symbols import GrammarError
from app.engine.output.schema_grammar import json_grammar

GRAMMARS = {
    "choice": 'root ::= "yes" | "no" | "" | "nobody"',
    "repetitions": 'root ::= "ab"{2,3} [c-e]* ("x" | "yz"){1,} "end"? "!"{2}',
    "nested repetitions": 'root ::= (("a"{0,3} "b"?){1,2} "c"*){0,2} "d"',
    "comments and lines": 'root ::= ( # one\n  "a" |\n "b"\n ) x # two\nx ::= "c" | # three\n   "d"\n',
    "arithmetic": 'root ::= (expr "=" ws num "\\n")+\nexpr ::= term ([-+*/] term)*\n'
    'term ::= num | "(" ws expr ")" ws\nnum ::= [0-9]+ ws\nws ::= [ \\t\\n]*',
    "list": 'root ::= item+\nitem ::= "- " [^\\r\\n\\x0b\\x0c\\x85\\u2028\\u2029]+ "\\n"',
    "letters of all kinds": "root ::= [äöüß]+ [\\u0400-\\u04FF]{1,3} [^\\x00-\\U0001F5FF] . [\\u3040-\\u30ff一-龯]*",
    "negated": 'root ::= [^a-zA-Z0-9 ]{1,4} "ü" [^\\u0080-\\uFFFF]* "é"',
    "escapes": 'root ::= "\\"\\\\\\n\\x41\\u00e4" [\\]\\[\\-a^-]+ "|"',
    "middle recursion": 'root ::= "(" root ")" | "[" root* "]" | "x"',
    "token by number": "root ::= <[300]> [a-z]* !<[301]> <[302]>*",
    "two ways to the same": 'root ::= a b\na ::= "x"* "y"?\nb ::= "x"* "y" | "xx" b | ""',
    "schema": json_grammar(
        {
            "type": "object",
            "properties": {
                "name": {"type": "string", "maxLength": 9},
                "kind": {"enum": ["alpha", "alpine", "ü"]},
                "at": {"type": "array", "items": {"type": "number", "minimum": -3}, "maxItems": 3},
                "id": {"type": "string", "pattern": "^[A-Z]{2}(-\\d{1,3}){0,2}$"},
            },
        }
    ),
}


class Llamas:
    """llama.cpp's own."""

    def __init__(self, vocab: Vocab, text: str) -> None:
        self._sampler = api.llama_sampler_init_grammar(vocab.handle, text.encode(), b"root")
        assert self._sampler
        self._n_tokens = vocab.n_tokens

    def allowed(self) -> "np.ndarray[tuple[int], np.dtype[np.bool_]]":
        candidates = Candidates(self._n_tokens)
        candidates.fill(np.zeros(self._n_tokens, dtype=np.float32))
        api.llama_sampler_apply(self._sampler, ctypes.byref(candidates._array))
        found: np.ndarray[tuple[int], np.dtype[np.bool_]] = np.isfinite(candidates._cells["logit"])
        return found

    def accept(self, token: int) -> None:
        api.llama_sampler_accept(self._sampler, token)

    def close(self) -> None:
        api.llama_sampler_free(self._sampler)


def whole(text: bytes) -> bool:
    try:
        text.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.parametrize("name", GRAMMARS)
def test_each_step_allows_the_same(name: str, vocab: Vocab) -> None:
    """Of tokens that leave characters whole: of halves llama.cpp takes some that nothing can come of, and leaves out
    others."""
    chance, compared = random.Random(name), 0
    for _ in range(6):
        ours, theirs, half = Grammar(vocab, GRAMMARS[name]), Llamas(vocab, GRAMMARS[name]), b""
        for _ in range(25):
            mine, allowed = ours.allowed(), theirs.allowed()
            pieces = [vocab.piece(token, special=True) for token in range(vocab.n_tokens)]
            comparable = np.array([whole(half + piece) for piece in pieces])
            assert np.flatnonzero(comparable & (mine != allowed)).tolist() == []
            compared += int((comparable & allowed).any())
            on = [token for token in np.flatnonzero(mine & allowed).tolist() if not vocab.is_eog(token)]
            tried = chance.sample(range(vocab.n_tokens), 20) + on[:20] + list(vocab.ends)
            assert [ours.allows(token) for token in tried] == mine[tried].tolist()
            if not on:
                break
            # Letters beyond ASCII are rare among tokens, and of several tokens each.
            rare = [token for token in on if not pieces[token].isascii()]
            token = chance.choice(rare if rare and (half or chance.random() < 0.4) else on)
            half = b"" if whole(half + pieces[token]) else half + pieces[token]
            ours.accept(token)
            theirs.accept(token)
        theirs.close()
    assert compared >= 6


@pytest.mark.parametrize(
    "text",
    [
        "root ::= (",
        'root ::= "a',
        "root ::= [a",
        "root ::= a",
        'x ::= "a"',
        'root ::= root "a" | "b"',
        'root ::= a\na ::= b?  a "x"\nb ::= "y"',
        'root := "a"',
        'root ::= * "a"',
        'root ::= "a"{3,2}',
        'root ::= "a"{x}',
        'root ::= "\\q"',
        "root ::= <no such token>",
        'root ::= "a" ) "b"',
        '"a"',
    ],
)
def test_what_is_no_grammar_is_refused(text: str, vocab: Vocab) -> None:
    with pytest.raises(GrammarError):
        Grammar(vocab, text)
