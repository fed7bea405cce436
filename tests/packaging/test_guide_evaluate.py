"""How the guide's answers are judged and counted; what it says is not tried here."""

from pathlib import Path

import pytest
from guide import evaluate
from guide.dialogue import Check, Dialogue, Turn
from guide.evaluate import Judged, doubts_of, judge, table_of
from guide.intents import load_intents
from guide.phrasing import matcher
from guide.unclear import UNCLEAR, UNSURE

from app.core.messages import Message, Role
from app.engine.template.chat_template import ChatTemplate
from app.engine.template.marked_text import plain

TEMPLATE = Path(evaluate.__file__).with_name("template.jinja").read_text(encoding="utf-8")


def dialogue(*facts: tuple[str, ...], never: tuple[str, ...] = (), thinking: bool = False) -> Dialogue:
    return Dialogue((Turn("user", "?"),), check=Check("colours", facts, never), thinking=thinking, kind="picture")


@pytest.mark.parametrize(
    ("asked", "answer", "is_right"),
    [
        (dialogue(("red", "crimson"), ("circle",)), "A RED circle.", True),
        (dialogue(("red", "crimson"), ("circle",)), "A crimson circle.", True),
        (dialogue(("red",), ("circle",)), "A red square.", False),
        (dialogue(("red",), never=("blue",)), "It is red or blue.", False),
        (dialogue((r"\bred\b",)), "It is reddish.", False),
        (dialogue(("red",), thinking=True), "It may be blue.\n</think>\n\nIt is red.", True),
        (dialogue(("red",), thinking=True), "It may be red.\n</think>\n\nIt is blue.", False),
        (dialogue(("red",), thinking=True), "It may be red.", False),
    ],
)
def test_an_answer_is_judged_by_its_facts(asked: Dialogue, answer: str, is_right: bool) -> None:
    assert (judge(asked, answer) == "") is is_right


def test_the_table_counts_groups_and_kinds() -> None:
    asked = dialogue(("red",))
    judged = [Judged(asked, "colour", "red", ""), Judged(asked, "colour", "blue", "lacks red")]
    assert table_of(judged).splitlines()[2:] == [
        "| colour | 1 | 2 | 50% |",
        "| **all of picture** | 1 | 2 | 50% |",
    ]


def test_the_table_goes_between_the_marks_of_a_card(tmp_path: Path) -> None:
    card = tmp_path / "card.md"
    card.write_text("# A\n<!-- scores -->\nold\n<!-- end of scores -->\n# B\n")
    evaluate._put("| new |", "scores", card)
    assert card.read_text() == "# A\n<!-- scores -->\n| new |\n<!-- end of scores -->\n# B\n"
    for name in ("scores", "unsure"):
        evaluate._put(f"| {name} |", name, tmp_path / "table.md")
    assert (tmp_path / "table.md").read_text() == "| scores |\n| unsure |\n"


def test_doubts_are_counted_by_threshold() -> None:
    unclear = Dialogue((Turn("user", "?"),), check=Check("unclear", ((UNSURE,),)), kind="unclear")
    clear = Dialogue((Turn("user", "?"),), check=Check("kettle", (("water",),)), kind="hearth")
    judged = [
        Judged(unclear, "u", f"I am {UNSURE}.", "", 0.9),
        Judged(unclear, "u", "Boil it.", "wrong", 0.25),
        Judged(unclear, "u", "Boil it.", "wrong", 0.9),
        Judged(clear, "c", "Water.", "", 0.35),
        Judged(clear, "c", "Water.", "", 0.9),
        Judged(clear, "c", "Wood.", "wrong", 0.1),
    ]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in doubts_of(judged).splitlines()[2:]]
    assert rows[0] == ["as it says", "1 of 3", "0 of 2", "0 of 1"]
    assert rows[1] == ["0.2", "1 of 3", "0 of 2", "1 of 1"]
    assert rows[2] == ["0.3", "2 of 3", "0 of 2", "1 of 1"]
    assert rows[3] == ["0.4", "2 of 3", "1 of 2", "1 of 1"]


def test_nothing_unclear_is_taught() -> None:
    """The guide learns to be unsure from other questions than those by which that is judged."""
    taught = {intent.name: matcher(intent.ask) for intent in load_intents()}
    held_out = {text for intent in load_intents() for text in intent.held_out}
    assert len(set(UNCLEAR)) == len(UNCLEAR) >= 40
    assert not [(text, name) for text in UNCLEAR for name, matches in taught.items() if matches(text)]
    assert not held_out & set(UNCLEAR)


def test_everything_that_is_asked_has_facts_and_a_row() -> None:
    asked = list(evaluate.questions())
    assert len(asked) > 1000
    for group, each in asked:
        assert group
        assert each.check is not None and each.check.facts
        assert each.turns[-1].speaker in ("user", "tool")


def test_its_template_offers_tools_and_opens_the_reasoning() -> None:
    template = ChatTemplate(TEMPLATE)
    messages = [Message.of(Role.SYSTEM, "Be brief."), Message.of(Role.USER, "Hi")]
    assert plain(template.render(messages)) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n"
    )
    assert plain(template.render(messages, enable_thinking=True)).endswith("<|im_start|>assistant\n<think>\n")
    offered = plain(template.render(messages, tools=[{"type": "function", "function": {"name": "get_time"}}]))
    assert offered.startswith("<|im_start|>system\nBe brief.\n\nYou may call these tools:\n<tools>\n{")
    assert offered.count("Be brief.") == 1
    thought = Message.of(Role.ASSISTANT, "<think>\nhm\n</think>\n\nHello.")
    assert "hm" not in plain(template.render([*messages, thought, Message.of(Role.USER, "And?")]))
