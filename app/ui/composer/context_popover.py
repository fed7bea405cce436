"""What is in the context: what is warm, where it can go back to, and what happens when it is full."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QLabel, QLayout, QProgressBar, QRadioButton, QWidget

from app.core.events import ModelInfo, Peeked, SlotStatus
from app.core.overflow import Overflow
from app.ui.formatting.numbers import count, size_text
from app.ui.formatting.sentences import translated
from app.ui.widgets.layouts import vbox
from app.ui.widgets.plain_text import plain_label, tell
from app.ui.widgets.popover import Popover

_WIDTH = 380
_MOST_PLACES = 4


class ContextPopover(Popover):
    """Closes by Esc and by a click elsewhere. Everything it shows is told to it."""

    policy_chosen = Signal(object)
    """Overflow"""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName(self.tr("Context"))
        self._anchor: QWidget | None = None
        self._slot: SlotStatus | None = None
        self._info: ModelInfo | None = None
        self._peeked: Peeked | None = None
        self._used, self.warm, self.places = (plain_label("", self, wraps=True) for _ in range(3))
        self.lost, self.reuse = (plain_label("small", self, wraps=True) for _ in range(2))
        """Why something that is warm would be read again, empty where nothing would; and what was reused last."""
        self._bar = QProgressBar(self)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(self.tr("Context used"))
        self._here = self._title(self.tr("Remembered")), self._title(self.tr("Places to go back to"))
        """What is told of a model on this computer alone."""
        self._last_title = plain_label("section", self, self.tr("Last time"), wraps=True)
        self._group = QButtonGroup(self)
        self.policies = {policy: QRadioButton(text, self) for policy, text in self._policy_texts().items()}
        self._lay_out()
        self._group.idClicked.connect(self._choose)

    def open_above(self, anchor: QWidget) -> None:
        self._anchor = anchor
        for child in self.findChildren(QWidget):
            # Their sizes are known only when they have their style.
            child.ensurePolished()
        self._place()
        self.show()
        # Some platforms give even a popup a frame, which is known only now.
        self._place()
        chosen = self._group.checkedButton()
        if chosen is not None:
            chosen.setFocus(Qt.FocusReason.PopupFocusReason)

    def show_used(self, sentence: str, used: int, n_ctx: int) -> None:
        self._used.setText(sentence)
        self._bar.setRange(0, max(1, n_ctx))
        self._bar.setValue(min(used, n_ctx))
        self._changed()

    def show_slot(self, slot: SlotStatus | None, info: ModelInfo | None) -> None:
        """What the context holds; whatever was foreseen before is forgotten. A server's model remembers what its server
        likes: nothing is told of that.
        """
        for each in (*self._here, self.warm, self.places):
            each.setVisible(info is None or info.ref.is_file)
        self._slot, self._info, self._peeked = slot, info, None
        self.places.setText(self._checkpoint_words())
        self._show_warm()

    def show_peeked(self, peeked: Peeked) -> None:
        self._peeked = peeked
        self._show_warm()

    def show_last(self, figures: Mapping[str, object] | None) -> None:
        """Figures of the last answer: what was read again, and why."""
        told = str((figures or {}).get("reuse") or "")
        tell(self.reuse, told)
        self._last_title.setVisible(bool(told))
        self._changed()

    def show_policy(self, policy: Overflow) -> None:
        self.policies[policy].setChecked(True)

    def _show_warm(self) -> None:
        held = self._slot.n_past if self._slot else 0
        if self._peeked is None:
            told = (
                self.tr("{n} tokens are remembered and need not be read again.").format(n=count(held))
                if held
                else self.tr("Nothing is remembered yet.")
            )
        elif not self._peeked.total:
            # What was written cannot be sent as it is; the sentence says why.
            told = translated(self._peeked.told)
        else:
            told = self.tr("{n} tokens are remembered; sending this would read {read} more.").format(
                n=count(self._peeked.keep), read=count(self._peeked.total - self._peeked.keep)
            )
        shorter = self._peeked is not None and self._peeked.total and self._peeked.keep < held
        why = translated(self._peeked.told) if self._peeked is not None and shorter else ""
        self.warm.setText(told)
        tell(self.lost, why)
        self._changed()

    def _checkpoint_words(self) -> str:
        if self._info is not None and not self._info.needs_checkpoints:
            return self.tr("This model needs none: it can go back to any place.")
        if self._slot is None or not self._slot.checkpoints:
            return self.tr("None has been taken yet.")
        places = self._slot.checkpoints
        if len(places) == 1:
            words = self.tr("One, at {places}; it takes {size}.")
        elif len(places) > _MOST_PLACES:
            words = self.tr("{number}, the last at {places}; they take {size}.")
        else:
            words = self.tr("{number}, at {places}; they take {size}.")
        return words.format(
            number=count(len(places)), places=_listed(places), size=size_text(self._slot.checkpoint_bytes)
        )

    def _policy_texts(self) -> dict[Overflow, str]:
        return {
            Overflow.STOP: self.tr("Stop and say so"),
            Overflow.DROP_OLDEST: self.tr("Drop the oldest turns, keep the system prompt"),
            Overflow.DROP_MIDDLE: self.tr("Drop the middle, keep the first turns and the last"),
        }

    def _choose(self, number: int) -> None:
        self.policy_chosen.emit(list(self.policies)[number])

    def _changed(self) -> None:
        texts = (self._used, self.warm, self.lost, self.places, self.reuse)
        self.setAccessibleDescription(
            " ".join(label.text() for label in texts if label.text() and not label.isHidden())
        )
        if self.isVisible():
            self._place()

    def _place(self) -> None:
        layout = self.layout()
        if self._anchor is None or layout is None:
            return
        layout.activate()
        wide = max(_WIDTH, layout.totalMinimumSize().width())
        self.resize(wide, layout.totalHeightForWidth(wide))
        self.put_at(self._anchor, ends=True)

    def _lay_out(self) -> None:
        column = vbox(
            self._used, self._bar,
            8, self._here[0], self.warm, self.lost,
            8, self._here[1], self.places,
            8, self._last_title, self.reuse,
            8, self._title(self.tr("When the context is full")), *self.policies.values(),
            on=self, gap=6, margins=(18, 16, 18, 16),
        )  # fmt: skip
        column.setSizeConstraint(QLayout.SizeConstraint.SetNoConstraint)
        for number, button in enumerate(self.policies.values()):
            button.setAccessibleName(button.text())
            self._group.addButton(button, number)

    def _title(self, text: str) -> QLabel:
        return plain_label("section", self, text)


def _listed(places: Sequence[int]) -> str:
    """The last few of them."""
    return ", ".join(count(each) for each in places[-_MOST_PLACES:])
