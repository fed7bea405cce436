"""Questions that lean on the last answer: well made, apart from one another, true of the settings, and composed.

And shortcuts asked one after the other.
"""

import random
import re
from collections import Counter
from pathlib import Path

import pytest
from guide import asking_on, conversations, shortcuts, threads
from guide.asking_on import UNNAMED, ask_another, ask_on, ask_unnamed
from guide.conversations import by_name
from guide.follow_ups import FOLDER, FollowUp, follow_ups_of, load_follow_ups, load_wordings
from guide.intents import load_intents, references
from guide.names import HELD_OUT, TRAINING
from guide.phrasing import matcher, parse, plain
from guide.reasoning import thinking_dialogue
from guide.talk import held_out_dialogues, question_dialogue, talk_dialogue
from guide.threads import Conversation, intent_exchange, key_of
from guide.topics import topic_of

from app.core.settings import Settings
from tests.packaging.test_guide_talk import meets

MOST_WORDS = 35
SETTINGS = Settings()
DEFAULTS: dict[tuple[str, str], object] = {
    ("checkpoints", "limit"): SETTINGS.checkpoints.ctx_checkpoints,
    ("checkpoints", "memory"): SETTINGS.checkpoints.budget,
    ("conversation_memory", "default"): SETTINGS.checkpoints.cache_ram,
    ("warm_on_disk", "limit"): SETTINGS.snapshots.disk,
    ("context_size", "default"): SETTINGS.loading.ctx_size,
    ("gpu_layers", "default"): SETTINGS.loading.gpu_layers,
    ("threads", "default"): SETTINGS.loading.threads,
    ("kv_cache_type", "default"): SETTINGS.loading.cache_type_k.value,
    ("batch_size", "best"): SETTINGS.loading.batch_size,
    ("temperature", "default"): SETTINGS.sampling.temperature,
    ("top_k", "default"): SETTINGS.sampling.top_k,
    ("top_p", "default"): SETTINGS.sampling.top_p,
    ("min_p", "default"): SETTINGS.sampling.min_p,
    ("seed", "default"): SETTINGS.sampling.seed,
    ("longest_answer", "default"): SETTINGS.sampling.max_tokens,
    ("font_size", "default"): SETTINGS.interface.text_size,
    ("hearth_serve", "where"): SETTINGS.local_api.port,
    ("send_picture", "memory"): SETTINGS.pictures.image_max_tokens,
}
ON = {
    ("warm_on_disk", "default"): SETTINGS.snapshots.on_disk,
    ("speculative_decoding", "default"): SETTINGS.speculation.ngram,
    ("mtp", "default"): SETTINGS.speculation.mtp,
    ("idle_unload", "default"): bool(SETTINGS.loading.idle_unload),
    ("repeat_penalty", "default"): SETTINGS.sampling.penalty_repeat != 1.0,
    ("hearth_serve", "default"): SETTINGS.local_api.enabled,
}


def said(follow_up: FollowUp) -> str:
    return f"{follow_up.asks} of {follow_up.subject}"


def test_there_are_many() -> None:
    assert len({each.subject for each in load_follow_ups()}) >= 60
    assert len(load_follow_ups()) >= 300
    assert {each.asks for each in load_follow_ups()} == set(load_wordings())


@pytest.mark.parametrize("follow_up", load_follow_ups(), ids=said)
def test_a_follow_up_is_well_made(follow_up: FollowUp) -> None:
    assert follow_up.subject in by_name()
    assert meets(follow_up.check(), follow_up.reply)
    assert follow_up.reply.isascii()
    assert len(follow_up.reply.split()) <= MOST_WORDS
    assert follow_up.reply[-1] == "."
    assert not re.search(r"[{}]|  ", follow_up.reply)
    others = follow_ups_of(follow_up.subject).values()
    assert [said(each) for each in others if meets(follow_up.check(), each.reply)] == [
        said(each) for each in others if each.reply == follow_up.reply
    ]


@pytest.mark.parametrize("case", DEFAULTS, ids=str)
def test_a_default_is_the_programs(case: tuple[str, str]) -> None:
    subject, asks = case
    number = re.escape(str(DEFAULTS[case]))
    assert re.search(rf"(?<![\d.]){number}(?![\d]|\.\d)", follow_ups_of(subject)[asks].reply)


@pytest.mark.parametrize("case", ON, ids=str)
def test_what_is_on_by_default_is_on(case: tuple[str, str]) -> None:
    subject, asks = case
    assert ("on" if ON[case] else "off") + " by default" in follow_ups_of(subject)[asks].reply


def test_names_in_them_are_compared_with_the_program() -> None:
    named = {(each.where, each.target) for each in references()}
    assert ("speculative_decoding", "Exact") in named
    assert ("presets", "Edit presets") in named


def test_no_question_has_two_senses() -> None:
    owners: dict[str, set[str]] = {}
    for name, wordings in load_wordings().items():
        for line in wordings.ask:
            choice, rng = parse(line), random.Random(line)
            for _ in range(min(3 * choice.size(), 200)):
                owners.setdefault(plain(choice.draw(rng)), set()).add(name)
    assert not {text: names for text, names in owners.items() if len(names) > 1}


def test_nothing_that_is_held_out_can_be_drawn() -> None:
    lines = [line for wordings in load_wordings().values() for line in wordings.ask]
    lines += [line for intent in load_intents() for line in intent.ask]
    matches = matcher((*lines, *asking_on._ANOTHER))
    held_out = [text for wordings in load_wordings().values() for text in wordings.held_out]
    assert len(set(held_out)) == len(held_out)
    assert not [text for text in (*held_out, *asking_on._ANOTHER_HELD_OUT) if matches(text)]


def test_training_never_asks_in_the_evaluations_words() -> None:
    rng = random.Random(5)
    kept_out = {plain(text) for wordings in load_wordings().values() for text in wordings.held_out}
    asked = [turn.text for _ in range(600) for turn in talk_dialogue(rng).turns if turn.speaker == "user"]
    assert not kept_out & set(map(plain, asked))


def test_training_asks_on_often_and_evenly() -> None:
    rng = random.Random(6)
    replies = {each.reply: each for each in load_follow_ups()}
    found: Counter[str] = Counter()
    for _ in range(1500):
        for dialogue in (talk_dialogue(rng), question_dialogue(rng)):
            answers = [turn.text for turn in dialogue.turns if turn.speaker == "assistant"]
            asked_on = [replies[text].subject for text in answers[1:] if text in replies]
            found.update(asked_on)
    assert found.total() > 900
    assert len(found) > 55
    assert max(found.values()) < found.total() / 10


def test_a_question_comes_after_its_subject() -> None:
    rng = random.Random(7)
    talk = Conversation(rng, TRAINING)
    conversations.ask_on(talk, 3)
    first, *others = talk.exchanges
    assert 1 <= len(others) <= 3
    assert {each.answer for each in others} <= {each.reply for each in follow_ups_of(first.offers).values()}


def test_another_one_is_never_one_that_was_told() -> None:
    for seed in range(40):
        talk = Conversation(random.Random(seed), TRAINING)
        joke = by_name()["joke"]
        intent_exchange(talk, joke)
        for _ in range(3):
            ask_another(talk, joke)
        *told, last = (exchange.answer for exchange in talk.exchanges)
        assert sorted(told) == sorted(joke.replies())
        assert last.startswith("Those were all the jokes")


def test_any_joke_that_was_not_told_is_right() -> None:
    talk = Conversation(random.Random(2), TRAINING)
    joke = by_name()["joke"]
    told = intent_exchange(talk, joke).answer
    check = ask_another(talk, joke).check
    assert all(meets(check, each) == (each != told) for each in joke.replies())
    assert told and any(re.search(each, told) for each in check.never)


def test_another_joke_that_is_asked_for_by_name_is_another_one() -> None:
    for seed in range(20):
        talk = Conversation(random.Random(seed), TRAINING)
        for _ in range(3):
            intent_exchange(talk, by_name()["joke"])
        assert len({exchange.answer for exchange in talk.exchanges}) == 3


def test_there_is_one_poem_alone() -> None:
    talk = Conversation(random.Random(1), TRAINING)
    intent_exchange(talk, by_name()["poem"])
    assert ask_another(talk, by_name()["poem"]).answer.startswith("That is the only poem")


def test_what_has_a_reason_is_not_all_i_know() -> None:
    assert "why" in follow_ups_of("checkpoints")
    for seed in range(200):
        talk = Conversation(random.Random(seed), TRAINING)
        intent_exchange(talk, by_name()["checkpoints"])
        assert "why" not in threads.ask_more(talk).ask.lower()


def test_it_without_a_subject_is_asked_back() -> None:
    owned = matcher([line for intent in load_intents() for line in intent.ask])
    for seed in range(200):
        exchange = ask_unnamed(Conversation(random.Random(seed), TRAINING))
        assert exchange.answer == UNNAMED
        assert not owned(exchange.ask)


def test_the_evaluation_asks_on_in_words_of_its_own() -> None:
    dialogues = [each for each in held_out_dialogues() if each.kind == "follow_up"]
    assert len(dialogues) == 52
    assert held_out_dialogues()[-52:] == tuple(dialogues)
    held_out = {plain(text) for wordings in load_wordings().values() for text in wordings.held_out}
    assert sum(plain(each.turns[-1].text) in held_out for each in dialogues) == 48
    assert {each.check.intent for each in dialogues if each.check} == {"follow_up"}


def test_held_out_words_are_used_when_asked_for() -> None:
    follow_up = follow_ups_of("checkpoints")["memory"]
    talk = Conversation(random.Random(1), HELD_OUT, held_out=True)
    assert ask_on(talk, follow_up).ask in load_wordings()["memory"].held_out


def test_a_brief_thought_says_at_once_what_it_is_about() -> None:
    rng = random.Random(8)
    made = [thinking_dialogue(rng) for _ in range(400)]
    known = {topic_of(intent.name) for intent in load_intents()}
    brief = [dialogue for dialogue in made if dialogue.brief]
    assert len(brief) > 80
    for dialogue in brief:
        assert dialogue.turns[-1].reasoning.partition(": ")[2].partition(".")[0] in known


@pytest.mark.parametrize(
    ("subject", "sentence"),
    [
        ('after = ["joke"]\nsize = { answer = "Big.", facts = ["big"] }', "size of joke means nothing"),
        ('after = ["joke"]\nwhy = { answer = "So." }', "why of joke means nothing"),
        ('after = "joke"\nwhy = { answer = "So.", facts = ["so"] }', "should be a list"),
        ('after = ["joke", "joke"]\nwhy = { answer = "So.", facts = ["so"] }', "is there twice"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(subject: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "questions.toml").write_bytes((FOLDER / "questions.toml").read_bytes())
    (tmp_path / "a.toml").write_text(f"[[subject]]\n{subject}\n", encoding="utf-8")
    with pytest.raises(ValueError, match=rf"a\.toml: .*{sentence}"):
        load_follow_ups(tmp_path)


def test_each_deed_has_one_key() -> None:
    known = by_name()
    assert all(key_of(known[name]) for name in shortcuts.DEEDS)


def test_no_deed_stands_for_two_shortcuts() -> None:
    said = [plain(text) for line in shortcuts.DEEDS.values() for text in _texts(line)]
    assert len(said) == len(set(said))


def test_a_shortcut_is_asked_for_once_and_answered_with_its_key() -> None:
    known = by_name()
    held_out = {plain(text) for intent in load_intents() for text in intent.held_out}
    for seed in range(60):
        talk = Conversation(random.Random(seed), TRAINING)
        made = [shortcuts.ask_shortcut(talk) for _ in range(4)]
        assert len({exchange.offers for exchange in made}) == 4
        for exchange in made:
            assert key_of(known[exchange.offers]) in exchange.answer
            assert plain(exchange.ask) not in held_out


def _texts(line: str) -> set[str]:
    choice = parse(line)
    return {choice.draw(random.Random(seed)) for seed in range(60)}
