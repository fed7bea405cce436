"""An answer can cite only passages that were brought."""

from dataclasses import replace

import numpy as np
import pytest

from app.core.messages import DocumentPart, Message, PassagePart, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.binding.vocab import Vocab
from app.engine.grammar.grammar import Grammar
from app.engine.output.citations import citations
from app.engine.reply.citing import CitingConstraint, cited_numbers
from app.engine.reply.constraint import Constraint
from app.engine.reply.session import Session
from tests.engine.conftest import OpenTiny, finish
from tests.engine.drafting.guesses import Guesser, let_guess
from tests.engine.output.outputs import family
from tests.engine.reply.test_call_constraint import write


def passage(number: int) -> PassagePart:
    return PassagePart(number, "0" * 64, "rain.txt", f"On day {number} it rained.")


def question(*numbers: int) -> Message:
    return Message(Role.USER, (*map(passage, numbers), TextPart("When did it rain?")))


def citing(vocab: Vocab, name: str = "plain", *, thinks: bool = False, calls: bool = False) -> CitingConstraint:
    spelling = lambda token: vocab.piece(token, special=True)  # noqa: E731
    return CitingConstraint(Constraint(), {1, 2, 12}, family(name), vocab, spelling, thinks=thinks, calls=calls)


def biased(session: Session, letters: str) -> ChatRequest:
    """A random model writes nothing but these."""
    bias = tuple((session._model.vocab.tokenize_on(letter)[-1], 60.0) for letter in letters)
    sampling = Sampling(temperature=1.5, seed=3, max_tokens=160)
    return ChatRequest((question(1, 2, 12),), sampling=sampling, logit_bias=bias)


@pytest.mark.parametrize("name", ["llama", "llama_spm", "qwen35"])
def test_a_model_that_would_write_any_number_writes_those_that_exist(name: str, open_tiny: OpenTiny) -> None:
    session = open_tiny(name)
    request = replace(biased(session, "[]129 "), sampling=Sampling(temperature=30.0, seed=3, max_tokens=400))
    text = finish(session, request).text
    cited = citations(text, {1, 2, 12})
    assert len(cited) > 2 and cited == citations(text, range(10_000))
    free = finish(session, replace(request, messages=(Message.of(Role.USER, "When?"),))).text
    assert citations(free, range(10_000)) != citations(free, {1, 2, 12})


@pytest.mark.parametrize("name", ["llama", "qwen35"])
def test_a_draft_ends_where_it_cites_what_does_not_exist(name: str, open_tiny: OpenTiny) -> None:
    plain, free, drafted = (open_tiny(name) for _ in range(3))
    request = replace(biased(plain, "[]0129 "), sampling=Sampling(temperature=0.0, max_tokens=60))
    written = finish(plain, request)
    guessed = finish(free, replace(request, messages=(Message.of(Role.USER, "When?"),))).generation.tokens
    truth = [token for pair in zip(written.generation.tokens, guessed, strict=False) for token in pair]
    guesser = let_guess(drafted, Guesser(truth, wrong=0.5))
    assert finish(drafted, request).generation == written.generation and guesser.drafted > guesser.accepted


def test_the_mask_is_what_is_allowed_one_by_one(vocab: Vocab) -> None:
    for text in ["", "so ", "so [", "so [1", "so [12", "so [1,", "so [1, ", "so [1]", "a", "`", "```\n[9"]:
        constraint = citing(vocab)
        assert write(constraint, vocab, text)
        one_by_one = [constraint.allows(token) or not vocab.columns.piece(token) for token in range(vocab.n_tokens)]
        mask = constraint.allowed()
        spoken = np.zeros(vocab.n_tokens, dtype=np.bool_)
        spoken[vocab.columns.tokens] = True
        assert mask[spoken].tolist() == np.array(one_by_one)[spoken].tolist(), text


def test_in_thoughts_nothing_holds(vocab: Vocab) -> None:
    thinking = citing(vocab, "hermes", thinks=True)
    assert write(thinking, vocab, "maybe [99]</think>\n\nSo [1]") and not write(thinking, vocab, " [99]")
    later = citing(vocab, "hermes")
    assert write(later, vocab, "<think>[99]</think>[2]") and not write(later, vocab, " [99]")


def test_in_calls_nothing_holds(vocab: Vocab) -> None:
    call = '<tool_call>\n{"name": "add", "arguments": {"numbers": [98, 99]}}\n</tool_call>'
    assert write(citing(vocab, "hermes", calls=True), vocab, f"Let me add [1]. {call}")
    assert write(citing(vocab, "llama", calls=True), vocab, '{"name": "add", "parameters": {"numbers": [ [98], 99]}}')


def test_another_constraint_holds_alone(vocab: Vocab) -> None:
    inner = Constraint(Grammar(vocab, 'root ::= "[99]"'))
    constraint = CitingConstraint(inner, {1}, family("plain"), vocab, vocab.piece, thinks=False, calls=False)
    assert constraint.grammar is inner.grammar and write(constraint, vocab, "[99]")


def test_parts_of_whole_documents_can_be_cited() -> None:
    document = DocumentPart("0" * 64, "a.pdf", "[Page 1]\nx\n[Page 2]\ny\n", starts=(0, 11), number=3)
    assert cited_numbers((question(1, 2), Message(Role.USER, (document,)))) == {1, 2, 3, 4}
    by_passages = replace(document, by_passages=True)
    assert cited_numbers((Message(Role.USER, (by_passages,)),)) == frozenset()
