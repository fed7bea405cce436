"""How the guide's answers are judged and counted; what it says is not tried here."""

from pathlib import Path

import pytest
from guide import evaluate
from guide.dialogue import Check, Dialogue, Turn
from guide.evaluate import Judged, judge, table_of

from app.core.messages import Message, Role
from app.engine.marked_text import plain
from app.engine.template import ChatTemplate

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
    evaluate._put("| new |", card)
    assert card.read_text() == "# A\n<!-- scores -->\n| new |\n<!-- end of scores -->\n# B\n"
    evaluate._put("| new |", tmp_path / "table.md")
    assert (tmp_path / "table.md").read_text() == "| new |\n"


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
