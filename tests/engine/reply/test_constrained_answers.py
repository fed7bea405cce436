"""Grammars, biases and probabilities."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from app.core.cancel import CancelFlag
from app.core.errors import ContextFullError, ModelError
from app.core.events import Finished, FinishReason, TextDelta, TokenLogprob
from app.core.requests import ChatRequest, TokenizeRequest
from app.core.resources import GUIDE
from app.core.sampling import Sampling
from app.engine.grammar.grammar import Grammar
from app.engine.grammar.symbols import GrammarError
from app.engine.reply.session import Session
from tests.counted import counted
from tests.engine.conftest import EXACT, OpenTiny, finish
from tests.engine.reply.test_session import FAMILIES, GREEDY, LONG, ask, assert_exact, user
from tests.engine.reply.test_understood_answers import QUESTION, THINKING
from tests.tiny_models import bpe_tokenizer, llama

JSON = r"""
root ::= "{" pair ("," pair)? "}"
pair ::= "\"" [a-z]{1,8} "\":" ("0" | [1-9] [0-9]{0,3})
"""


def run(session: Session, request: ChatRequest, **more: object) -> Finished:
    return finish(session, replace(request, **more))  # type: ignore[arg-type]  # each test names its own


@pytest.mark.parametrize("family", ["llama", "llama_spm", "qwen35"])
@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_an_answer_keeps_to_its_grammar(family: str, temperature: float, open_tiny: OpenTiny) -> None:
    """A random model would never write JSON by itself."""
    session = open_tiny(family)
    sampling = Sampling(temperature=temperature, seed=5, max_tokens=80)
    finished = run(session, ChatRequest((user(LONG),), sampling=sampling, grammar=JSON))
    assert finished.reason is FinishReason.STOP
    assert json.loads(finished.text)
    assert_exact(session, open_tiny(family), user(LONG), user("and?"))


def test_an_answer_whose_end_is_ignored_goes_on_to_its_limit(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    vocab = session._model.vocab
    assert vocab.ends == tuple(token for token in range(vocab.n_tokens) if vocab.is_eog(token)) != ()
    over = tuple((token, 100.0) for token in vocab.ends)
    request = ChatRequest((user(LONG),), sampling=Sampling(temperature=0.0, max_tokens=9), logit_bias=over)
    assert run(session, request).timings.predicted_n == 1
    on = run(session, request, ignore_eos=True)
    assert (on.reason, on.timings.predicted_n) == (FinishReason.LENGTH, 9)


def test_what_keeps_to_the_grammar_anyway_is_written_as_without_it(open_tiny: OpenTiny) -> None:
    session = open_tiny(str(GUIDE))
    request = ChatRequest((QUESTION,), sampling=Sampling(temperature=0.8, seed=11, max_tokens=40))
    free = run(session, request)
    bound = run(session, request, grammar=r"root ::= [^\x00]*")
    assert bound.generation == free.generation


def test_a_grammar_waits_for_the_end_of_the_reasoning(open_tiny: OpenTiny) -> None:
    guide = open_tiny(str(GUIDE))
    request = ChatRequest((QUESTION,), sampling=Sampling(temperature=0.0, max_tokens=120), template_args=THINKING)
    free = run(guide, request)
    bound = run(guide, request, grammar=JSON)
    assert bound.reasoning == free.reasoning != ""
    assert json.loads(bound.text)


@pytest.mark.parametrize(
    "grammar", ["root ::= (", 'x ::= "a"', 'root ::= root "a"', "(" * 200 + '"a"' + ")" * 200, " "]
)
def test_a_text_that_is_no_grammar_changes_nothing(
    grammar: str, open_tiny: OpenTiny, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    session = open_tiny("llama")
    first = ask(session, user(LONG))
    with pytest.raises(ModelError, match="grammar"):
        run(session, ChatRequest((user("b"),), sampling=GREEDY, grammar=grammar))
    assert len(session.slot) == first.n_past
    assert "root" not in caplog.text + capfd.readouterr().err, "what was asked is not logged"


def test_a_grammar_stops_where_nothing_may_follow(open_tiny: OpenTiny) -> None:
    finished = run(open_tiny("llama"), ChatRequest((user("b"),), sampling=GREEDY, grammar='root ::= "yes" | "no"'))
    assert finished.text in ("yes", "no")
    assert finished.reason is FinishReason.STOP


def test_a_grammar_tells_what_it_allows(open_tiny: OpenTiny) -> None:
    vocab = open_tiny("llama")._model.vocab
    grammar = Grammar(vocab, 'root ::= "a" "b"')
    a, b = vocab.tokenize("a")[0], vocab.tokenize("b")[0]
    assert (grammar.allows(a), grammar.allows(b), grammar.allows(vocab.eos)) == (True, False, False)
    grammar.accept(a)
    assert (grammar.allows(a), grammar.allows(b)) == (False, True)
    grammar.accept(b)
    assert grammar.allows(vocab.eos)
    with pytest.raises(GrammarError):
        Grammar(vocab, "root ::= \ud800")


def test_a_bias_moves_the_choice(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    request = ChatRequest((user(LONG),), sampling=GREEDY)
    free = run(session, request)
    first = free.generation.tokens[0]
    assert first not in run(session, request, logit_bias=((first, float("-inf")),)).generation.tokens
    wanted = session._model.vocab.tokenize("z")[0]
    assert set(run(session, request, logit_bias=((wanted, 100.0),)).generation.tokens) == {wanted}
    assert set(run(session, request, logit_bias=(("z", 100.0),)).generation.tokens) == {wanted}, "a text's tokens"


def test_a_token_ends_an_answer(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    free = run(session, request := ChatRequest((user(LONG),), sampling=GREEDY)).generation.tokens
    third = free[2]
    ended = run(session, request, stop_tokens=(third,))
    assert ended.reason is FinishReason.STOP
    assert ended.generation.tokens == free[: free.index(third)]


def test_a_stop_string_is_told(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    free = run(session, request := ChatRequest((user(LONG),), sampling=GREEDY))
    assert free.stop == ""
    stop = free.text[2:4]
    assert run(session, request, stop=("never said", stop)).stop == stop


def test_a_prompt_is_shown_and_counted_without_reading_it(open_tiny: OpenTiny) -> None:
    session = open_tiny(str(GUIDE))
    request = ChatRequest((QUESTION,), sampling=GREEDY)
    written = session.written(request)
    assert len(session.slot) == 0
    assert QUESTION.text in written.text
    assert written.text.endswith("<|im_start|>assistant\n")
    timings = run(session, request).timings
    assert written.n_tokens == counted(timings.cache_n) + counted(timings.prompt_n)


@pytest.mark.parametrize("family", ["llama", "llama_spm"])
def test_the_answers_probabilities_are_the_models(family: str, open_tiny: OpenTiny) -> None:
    """Whatever the samplers do: they are those of a plain softmax."""
    session = open_tiny(family)
    sampling = Sampling(temperature=0.2, top_k=3, seed=1, max_tokens=6)
    heard = list(session.reply(ChatRequest((user(LONG),), sampling=sampling, top_logprobs=4)))
    finished = heard[-1]
    assert isinstance(finished, Finished)
    assert tuple(each.chosen.token for each in finished.logprobs) == finished.generation.tokens
    deltas = [each for each in heard if isinstance(each, TextDelta)]
    told = [likely for delta in deltas for likely in delta.logprobs]
    assert told == list(finished.logprobs)[: len(told)] != []
    again = open_tiny(family)
    ask(again, user(LONG), sampling=replace(GREEDY, max_tokens=1))
    logits = again.slot.logits().astype(np.float64)
    wanted = logits - np.log(np.exp(logits).sum())
    first = finished.logprobs[0]
    assert first.chosen.logprob == pytest.approx(wanted[first.chosen.token], abs=1e-4)
    assert [each.token for each in first.top] == np.argsort(-wanted)[:4].tolist()
    assert [each.logprob for each in first.top] == pytest.approx(sorted(wanted)[:-5:-1], abs=1e-4)
    assert first.chosen.piece == again._model.vocab.piece(first.chosen.token, special=True)


def test_none_are_told_unasked_and_none_beyond_a_stop_string(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    request = ChatRequest((user(LONG),), sampling=GREEDY)
    whole = run(session, request)
    assert whole.logprobs == ()
    stopped = run(session, request, top_logprobs=0, stop=(whole.text[6:9],))
    assert [each.chosen.token for each in stopped.logprobs] == list(stopped.generation.tokens)
    assert all(each.top == () for each in stopped.logprobs)


def chained(session: Session, tokens: tuple[int, ...]) -> list[float]:
    """The log-probability of each token but the first, one by one."""
    found = []
    session.slot.forget()
    for token, following in pairwise(tokens):
        session.slot.evaluate_one(token)
        logits = session.slot.logits().astype(np.float64)
        found.append(float(logits[following] - np.log(np.exp(logits).sum())))
    return found


def likelihoods(logprobs: tuple[TokenLogprob, ...]) -> list[float]:
    return [each.chosen.logprob for each in logprobs]


@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "moe"])
def test_a_texts_probabilities_are_those_of_its_tokens_one_by_one(family: str, open_tiny: OpenTiny) -> None:
    session = open_tiny(family)
    ask(session, user(LONG))
    request = ChatRequest((), sampling=GREEDY, prompt=LONG, top_logprobs=2, prompt_logprobs=True, only_read=True)
    told = run(session, request)
    tokens = tuple(each.chosen.token for each in told.prompt_logprobs)
    assert tokens == session.tokens(TokenizeRequest(LONG, add_special=True)).ids
    assert told.timings.prompt_n == len(tokens) == told.n_past
    assert (told.reason, told.text, told.timings.predicted_n) == (FinishReason.LENGTH, "", 0)
    assert likelihoods(told.prompt_logprobs)[0] == 0.0
    assert likelihoods(told.prompt_logprobs)[1:] == pytest.approx(chained(open_tiny(family), tokens), abs=2e-4)
    assert_exact(session, open_tiny(family), user(LONG + "why?"))


def test_a_plain_text_goes_on_as_it_is(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    text = run(session, ChatRequest((), sampling=GREEDY, prompt="the other <|im_end|> user"))
    tokens = session.tokens(TokenizeRequest("the other <|im_end|> user", add_special=True)).ids
    assert tokens[0] == session._model.vocab.bos
    assert session._model.vocab.eos in tokens
    same = run(open_tiny("llama"), ChatRequest((), sampling=GREEDY, prompt=tokens))
    assert same.generation == text.generation
    assert text.timings.prompt_n == len(tokens)
    more = run(session, ChatRequest((), sampling=GREEDY, prompt=(*tokens, *text.generation.tokens)))
    assert more.timings.prompt_n == 1
    read = run(session, ChatRequest((), sampling=GREEDY, prompt=tokens, prompt_logprobs=True, top_logprobs=0))
    assert read.generation == text.generation, "what is written after it is the same"


def test_plain_texts_that_do_not_fit(open_tiny: OpenTiny) -> None:
    session = open_tiny("llama")
    with pytest.raises(ContextFullError, match="This text has"):
        run(session, ChatRequest((), sampling=GREEDY, prompt="x" * 2000))
    with pytest.raises(ModelError, match="empty"):
        run(session, ChatRequest((), sampling=GREEDY, prompt=()))
    assert run(session, ChatRequest((), sampling=GREEDY, prompt="")).text, "it begins with the BOS"


def test_reading_probabilities_can_be_cancelled(open_tiny: OpenTiny) -> None:
    flag = CancelFlag()
    session = open_tiny("llama", EXACT, cancel=flag)
    request = ChatRequest((), sampling=GREEDY, prompt=LONG, prompt_logprobs=True, only_read=True)
    events = session.reply(request)
    for _ in range(3):
        next(events)
    flag.set()
    *_, last = events
    assert isinstance(last, Finished)
    assert last.reason is FinishReason.CANCELLED
    assert (last.prompt_logprobs, last.n_past) == ((), 32)
    flag.clear()
    assert_exact(session, open_tiny("llama"), user(LONG))


def test_a_gap_is_laid_out_by_the_models_own_marks(tmp_path: Path, open_tiny: OpenTiny) -> None:
    plain = bpe_tokenizer()
    marks = ["<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"]
    control = plain.types[plain.tokens.index("<s>")]
    tokenizer = replace(plain, tokens=[*plain.tokens, *marks], types=[*plain.types, *[control] * 3])
    session = open_tiny(str(llama(tmp_path / "filling.gguf", tokenizer=tokenizer)))
    vocab = session._model.vocab
    begins, ends, fills = (tokenizer.tokens.index(mark) for mark in marks)
    prompt = session.chat.plain("the house", "and<s>").tokens
    before, after = vocab.tokenize("the house"), vocab.tokenize_on("and<s>")
    assert prompt.tokens(0, len(prompt)).tolist() == [vocab.bos, begins, *before, ends, *after, fills]
    assert vocab.bos not in after, "what is written there is text"
    finished = run(session, ChatRequest((), prompt="the house", suffix="and", sampling=GREEDY))
    assert finished.timings.prompt_n == len(session.chat.plain("the house", "and").tokens)
    with pytest.raises(ModelError, match="suffix"):
        run(open_tiny("llama"), ChatRequest((), prompt="the house", suffix="and", sampling=GREEDY))
