from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.capabilities import Capabilities, MemoryKind
from app.core.events import Peeked, SlotStatus
from app.core.overflow import Overflow
from app.ui.composer.context_popover import ContextPopover
from app.ui.theme.appearance import Appearance
from tests.ui.fakes import MODEL, THERE

HYBRID = replace(MODEL, capabilities=Capabilities(memory=MemoryKind.HYBRID))
MIB = 1 << 20


@pytest.fixture
def anchor(qtbot: QtBot, appearance: Appearance) -> Iterator[QWidget]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(700, 700)
    button = QPushButton("gauge", window)
    button.move(600, 650)
    with qtbot.waitExposed(window):
        window.show()
    yield button
    window.close()


@pytest.fixture
def popover(qtbot: QtBot, anchor: QWidget) -> ContextPopover:
    made = ContextPopover(anchor.window())
    made.show_policy(Overflow.STOP)
    return made


def test_nothing_is_said_of_what_a_server_remembers(popover: ContextPopover, anchor: QWidget) -> None:
    popover.open_above(anchor)
    popover.show_slot(None, THERE)
    assert not popover.warm.isVisible() and not popover.places.isVisible()
    assert "remembered" not in popover.accessibleDescription()
    popover.show_slot(None, MODEL)
    assert popover.warm.isVisible() and popover.places.isVisible()


def test_what_is_warm_and_what_would_be_read(popover: ContextPopover) -> None:
    popover.show_slot(None, MODEL)
    assert popover.warm.text() == "Nothing is remembered yet."
    popover.show_slot(SlotStatus(4096, 8192), MODEL)
    assert popover.warm.text() == "4,096 tokens are remembered and need not be read again."
    popover.show_peeked(Peeked(total=4133, keep=4096, told="Reused 4,096 of 4,133 tokens."))
    assert popover.warm.text() == "4,096 tokens are remembered; sending this would read 37 more."
    assert popover.lost.text() == ""


def test_why_something_warm_would_be_read_again(popover: ContextPopover) -> None:
    popover.show_slot(SlotStatus(4096, 8192), MODEL)
    popover.show_peeked(Peeked(total=4133, keep=12, told="The system prompt is another one."))
    assert popover.warm.text() == "12 tokens are remembered; sending this would read 4,121 more."
    assert popover.lost.text() == "The system prompt is another one."
    popover.show_slot(SlotStatus(4133, 8192), MODEL)
    assert (popover.warm.text(), popover.lost.text()) == ("4,133 tokens are remembered and need not be read again.", "")


def test_what_cannot_be_sent_says_why(popover: ContextPopover) -> None:
    popover.show_slot(SlotStatus(4096, 8192), MODEL)
    popover.show_peeked(Peeked(0, 0, "The chat template refuses this."))
    assert (popover.warm.text(), popover.lost.text()) == ("The chat template refuses this.", "")


@pytest.mark.parametrize(
    ("slot", "told"),
    [
        (None, "None has been taken yet."),
        (SlotStatus(9, 99), "None has been taken yet."),
        (SlotStatus(9, 99, (512,), 3 * MIB), "One, at 512; it takes 3 MiB."),
        (SlotStatus(9, 99, (512, 1024), 6 * MIB), "2, at 512, 1,024; they take 6 MiB."),
        (SlotStatus(9, 99, (1, 2, 3, 4, 5), 6 * MIB), "5, the last at 2, 3, 4, 5; they take 6 MiB."),
    ],
)
def test_checkpoints(popover: ContextPopover, slot: SlotStatus | None, told: str) -> None:
    popover.show_slot(slot, HYBRID)
    assert popover.places.text() == told


def test_a_model_that_needs_no_checkpoints_says_so(popover: ContextPopover) -> None:
    popover.show_slot(SlotStatus(9, 99), MODEL)
    assert popover.places.text() == "This model needs none: it can go back to any place."


def test_why_something_was_read_again(popover: ContextPopover, anchor: QWidget) -> None:
    popover.open_above(anchor)
    popover.show_last({"reuse": "Reused 12 of 40 tokens; the first message was edited."})
    assert popover.reuse.text() == "Reused 12 of 40 tokens; the first message was edited."
    assert popover.reuse.text() in popover.accessibleDescription()
    popover.show_last(None)
    assert popover.reuse.text() == ""


def test_the_policy_is_chosen_by_key(qtbot: QtBot, popover: ContextPopover, anchor: QWidget) -> None:
    popover.open_above(anchor)
    assert popover.focusWidget() is popover.policies[Overflow.STOP]
    with qtbot.waitSignal(popover.policy_chosen) as caught:
        QTest.keyClick(popover.policies[Overflow.STOP], Qt.Key.Key_Down)
    assert caught.args == [Overflow.DROP_OLDEST]


def test_showing_a_policy_chooses_nothing(qtbot: QtBot, popover: ContextPopover) -> None:
    with qtbot.assertNotEmitted(popover.policy_chosen):
        for policy in Overflow:
            popover.show_policy(policy)
            assert popover.policies[policy].isChecked()


def test_each_policy_has_its_sentence(popover: ContextPopover) -> None:
    assert [button.text() for button in popover.policies.values()] == [
        "Stop and say so",
        "Drop the oldest turns, keep the system prompt",
        "Drop the middle, keep the first turns and the last",
    ]
    assert all(button.accessibleName() for button in popover.policies.values())


def test_escape_closes(popover: ContextPopover, anchor: QWidget) -> None:
    popover.open_above(anchor)
    assert popover.isVisible()
    QTest.keyClick(popover, Qt.Key.Key_Escape)
    assert not popover.isVisible()


def test_it_stands_above_its_button_and_grows_upwards(popover: ContextPopover, anchor: QWidget) -> None:
    popover.open_above(anchor)
    bottom = popover.geometry().bottom()
    assert bottom < anchor.mapToGlobal(anchor.rect().topLeft()).y()
    height = popover.height()
    popover.show_last({"reuse": "A sentence that is long enough to need several lines. " * 5})
    assert popover.height() > height
    assert popover.geometry().bottom() == bottom
    assert anchor.screen().availableGeometry().contains(popover.geometry())
