"""The guide's conversations: what is told comes back, what is asked for is called, evaluation asks what is new."""

import json
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise

import pytest
from guide import conversations, names, tool_talk
from guide.conversations import compose_short
from guide.dialogue import Check, Dialogue, Turn
from guide.intents import load_intents
from guide.known_tools import KNOWN
from guide.names import HELD_OUT, TRAINING
from guide.phrasing import plain
from guide.talk import held_out_dialogues, talk_dialogue, thinking_dialogue, tool_dialogue
from guide.threads import COUNTS
from guide.tool_talk import NO_TOOL, argument_facts

COMPOSERS = (talk_dialogue, tool_dialogue, thinking_dialogue)
N = 1200


@cache
def many(compose: Callable[[random.Random], Dialogue], seed: int = 1) -> list[Dialogue]:
    rng = random.Random(seed)
    return [compose(rng) for _ in range(N)]


def said(dialogue: Dialogue, speaker: str) -> list[str]:
    return [turn.text for turn in dialogue.turns if turn.speaker == speaker]


def exchanges(compose: Callable[[random.Random], Dialogue]) -> Iterator[tuple[list[Turn], Turn, Turn]]:
    """What came before, a question, and its answer."""
    for dialogue in many(compose):
        turns = list(dialogue.turns)
        for at in range(len(turns) - 1):
            if turns[at].speaker == "user":
                yield turns[:at], turns[at], turns[at + 1]


def meets(check: Check, text: str) -> bool:
    found = all(any(re.search(each, text, re.IGNORECASE) for each in group) for group in check.facts)
    return found and not any(re.search(each, text, re.IGNORECASE) for each in check.never)


@pytest.mark.parametrize("compose", COMPOSERS)
def test_dialogues_are_well_formed(compose: Callable[[random.Random], Dialogue]) -> None:
    for dialogue in many(compose):
        speakers = [turn.speaker for turn in dialogue.turns]
        assert speakers[-1] == "assistant"
        assert "system" not in speakers[1:]
        order = [speaker for speaker in speakers if speaker != "system"]
        assert order[0] == "user"
        assert all(first != second for first, second in pairwise(order)), order
        for turn in dialogue.turns:
            text = turn.text + turn.reasoning
            assert text.isascii() or turn.speaker == "user", "people write in any language"
            assert "{" not in turn.text or turn.speaker == "tool", turn.text
            assert "  " not in text
            assert turn.text or turn.calls
            if turn.speaker == "assistant" and turn.text:
                assert turn.text[-1] in ".?!", turn.text


@pytest.mark.parametrize("compose", COMPOSERS)
def test_the_same_seed_gives_the_same_dialogues(compose: Callable[[random.Random], Dialogue]) -> None:
    first, again, other = random.Random(1), random.Random(1), random.Random(2)
    made = [compose(first) for _ in range(40)]
    assert made == [compose(again) for _ in range(40)]
    assert made != [compose(other) for _ in range(40)]


def test_a_name_is_given_back_and_only_then() -> None:
    recalled = unknown = 0
    for before, question, answer in exchanges(talk_dialogue):
        if found := re.fullmatch(r"(?:Your name is|You are|You told me that your name is) (\w+)\.", answer.text):
            earlier = " ".join(turn.text for turn in before if turn.speaker in ("user", "system"))
            assert found[1].lower() in earlier.lower(), (earlier, question.text)
            recalled += 1
        if answer.text == "You have not told me your name yet.":
            assert not any(re.match(r"(Hello|Nice to meet you|All right), [A-Z]\w+[!.]", turn.text) for turn in before)
            unknown += 1
    assert recalled > 60
    assert unknown > 5


def test_the_latest_name_counts() -> None:
    changed = 0
    for dialogue in many(talk_dialogue):
        name = ""
        for turn in dialogue.turns:
            if turn.speaker == "assistant":
                if found := re.match(r"(?:Hello|Nice to meet you|All right), ([A-Z]\w+)(?:! What|\. I)", turn.text):
                    changed += bool(name and name != found[1])
                    name = found[1]
                elif found := re.fullmatch(r"Your name is (\w+)\.", turn.text):
                    assert name in ("", found[1])
    assert changed > 3


def test_messages_are_counted() -> None:
    counts = set()
    for before, _, answer in exchanges(talk_dialogue):
        if found := re.fullmatch(r"With this one, (\d) \((\w+)\)\.", answer.text):
            count = 1 + sum(turn.speaker == "user" for turn in before)
            assert (int(found[1]), found[2]) == (count, COUNTS[count])
            counts.add(count)
    # To count is seldom the first thing that is asked.
    assert set(range(2, 9)) <= counts <= set(range(1, 9))


def test_messages_are_quoted() -> None:
    quoted = {"First you wrote": 0, "Before this you wrote": -1}
    seen = set()
    for before, _, answer in exchanges(talk_dialogue):
        if (found := re.fullmatch(r'([A-Z][\w ]+): "(.*)"\.', answer.text)) and found[1] in quoted:
            assert found[2] == [turn.text for turn in before if turn.speaker == "user"][quoted[found[1]]]
            seen.add(found[1])
    assert seen == set(quoted)
    assert (
        sum(text.startswith("First you wrote") for each in many(talk_dialogue) for text in said(each, "assistant")) > 80
    )


def test_things_told_come_back_word_for_word() -> None:
    recalled = 0
    for before, _, answer in exchanges(talk_dialogue):
        told = {
            turn.text.split(": ", 1)[1].lower() for turn in before if re.match(r"(Noted|Good to know): ", turn.text)
        }
        recalled += answer.text.lower() in told
    assert recalled > 60


def test_calls_fit_their_declaration_and_their_question() -> None:
    called = 0
    for dialogue in many(tool_dialogue):
        functions = [tool["function"] for tool in dialogue.tools]
        declared = {each["name"]: each["parameters"]["properties"] for each in functions if isinstance(each, dict)}
        assert len(declared) == len(dialogue.tools) <= 4
        for at, turn in enumerate(dialogue.turns):
            for call in turn.calls:
                assert set(call.arguments) == set(declared[call.name])
                for name, value in call.arguments.items():
                    assert isinstance(value, int) == (declared[call.name][name]["type"] == "integer")
                    assert str(value) in dialogue.turns[at - 1].text
                assert dialogue.turns[at + 1].speaker == "tool"
                called += 1
    assert called > N / 2


def test_names_of_tools_are_many() -> None:
    names = [call.name for dialogue in many(tool_dialogue) for turn in dialogue.turns for call in turn.calls]
    assert len(names) > 1500
    assert len(set(names)) > 480


def test_a_tools_word_is_passed_on() -> None:
    for dialogue in many(tool_dialogue):
        for at, turn in enumerate(dialogue.turns):
            if turn.speaker == "tool" and turn.text.startswith("{"):
                values = [str(value) for value in json.loads(turn.text).values()]
                answer = dialogue.turns[at + 1].text
                assert all(value in answer for value in values if value != "true"), (turn.text, answer)


def test_without_a_fitting_tool_nothing_is_called() -> None:
    refused = [dialogue for dialogue in many(tool_dialogue) if NO_TOOL in said(dialogue, "assistant")]
    assert len(refused) > N / 20
    assert not any(turn.calls for dialogue in refused for turn in dialogue.turns)
    assert any(dialogue.tools for dialogue in refused)


def test_only_the_last_answer_is_thought_over() -> None:
    for dialogue in many(thinking_dialogue):
        assert dialogue.thinking
        assert dialogue.turns[-1].reasoning.endswith(".")
        assert 1 <= len(re.findall(r"[.](?: |$)", dialogue.turns[-1].reasoning)) <= 3
        assert not any(turn.reasoning for turn in dialogue.turns[:-1])


def size(dialogue: Dialogue) -> int:
    return sum(len(turn.text) for turn in dialogue.turns) + sum(len(json.dumps(tool)) for tool in dialogue.tools)


@pytest.mark.parametrize("compose", COMPOSERS)
def test_dialogues_fit_the_training(compose: Callable[[random.Random], Dialogue]) -> None:
    """1,400 characters are fewer than 512 tokens, with what the template adds."""
    assert max(map(size, many(compose))) <= 1400


def test_longer_dialogues_are_composed_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(6)
    monkeypatch.setattr(conversations, "CHARACTERS", 400)
    monkeypatch.setattr(tool_talk, "CHARACTERS", 700)
    assert max(size(talk_dialogue(rng)) for _ in range(200)) <= 400
    assert max(size(tool_dialogue(rng)) for _ in range(200)) <= 700


def test_training_and_evaluation_share_no_words_to_copy() -> None:
    assert len(TRAINING.names) >= 300
    assert len(HELD_OUT.names) == 40
    for field in ("names", "places", "colours", "animals", "jobs", "foods", "hobbies", "words"):
        assert not set(getattr(TRAINING, field)) & set(getattr(HELD_OUT, field)), field


def test_what_is_invented_is_not_held_out(monkeypatch: pytest.MonkeyPatch) -> None:
    made = iter(["Pelle", "Lantern", "Boro"])
    monkeypatch.setattr(names, "invented", lambda rng: next(made))
    assert replace(TRAINING, invents=1.0).name(random.Random(1)) == "Boro"


def test_the_evaluation_is_fixed_and_judged() -> None:
    dialogues = held_out_dialogues()
    assert len(dialogues) == 272
    assert dialogues == held_out_dialogues()
    for dialogue in dialogues:
        assert dialogue.turns[-1].speaker in ("user", "tool")
        assert dialogue.check is not None
        assert dialogue.check.facts
        assert not meets(dialogue.check, "")
    assert {each.kind for each in dialogues} >= {"talk", "tool", "thinking"}


def test_the_evaluations_names_are_not_said_again_by_the_answers_asked_for() -> None:
    recalls = [each for each in held_out_dialogues() if each.check and each.check.intent == "name_recall"]
    assert len(recalls) >= 30
    for each in recalls:
        assert each.check is not None
        assert meets(each.check, f"Your name is {next(name for name in HELD_OUT.names if meets(each.check, name))}.")
        assert not meets(each.check, "Your name is Ada.")


def test_a_call_is_judged_on_its_raw_text() -> None:
    timer = next(tool for tool in KNOWN if tool.name == "set_timer")
    check = Check("tool_call", argument_facts(timer, {"minutes": 12}))
    call = '<tool_call>\n{"name": "%s", "arguments": {"%s": %s}}\n</tool_call>'
    assert meets(check, call % ("set_timer", "minutes", 12))
    for wrong in (("get_time", "minutes", 12), ("set_timer", "minutes", 120), ("set_timer", "hours", 12)):
        assert not meets(check, call % wrong)
    calls = [each for each in held_out_dialogues() if each.check and each.check.intent == "tool_call"]
    assert len(calls) == 30
    for each in calls:
        assert each.check is not None
        assert meets(Check("", each.check.facts[:1]), json.dumps(each.tools))
        assert not meets(each.check, json.dumps(each.tools))


def test_every_answer_passes_its_own_check() -> None:
    rng = random.Random(4)
    for exchange in (each for _ in range(N) for each in compose_short(rng).exchanges):
        assert meets(exchange.check, exchange.answer), exchange


def test_training_never_asks_in_the_evaluations_words() -> None:
    kept_out = {plain(text) for intent in load_intents() for text in intent.held_out}
    asked = [plain(text) for compose in COMPOSERS for dialogue in many(compose) for text in said(dialogue, "user")]
    same = sum(text in kept_out for text in asked)
    # An answer to a question of the guide's own ("fine", "great") may be as short as a held-out one.
    assert same <= len(asked) / 200
