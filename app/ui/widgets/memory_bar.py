"""The memory that a model would take, as a bar of its parts, with numbers."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from app.core.loading import FlashAttention
from app.core.memory import MemoryEstimate
from app.ui.formatting.numbers import size_text
from app.ui.theme.appearance import Appearance

_HEIGHT = 12
_CHIP = 10


class Part(NamedTuple):
    role: str
    """The token that colours it."""
    name: str
    size: int


class StackedBar(QWidget):
    """Parts side by side, on a track as long as `whole`. It says nothing; the words stand beside it."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._parts: Sequence[Part] = ()
        self._whole = 0
        self._limit = 0
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        appearance.changed.connect(self.update)

    def show_parts(self, parts: Sequence[Part], limit: int) -> None:
        """`limit` is where a mark stands: what there is. 0 for unknown."""
        self._parts = parts
        self._limit = limit
        self._whole = max(limit, sum(part.size for part in parts), 1)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(300, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        track = QPainterPath()
        track.addRoundedRect(QRectF(self.rect()), _HEIGHT / 2, _HEIGHT / 2)
        painter.setClipPath(track)
        painter.fillPath(track, QColor(self._appearance.tokens.hover))
        left = 0.0
        for part in self._parts:
            wide = self.width() * part.size / self._whole
            painter.fillRect(
                self._turned(QRectF(left, 0, wide, _HEIGHT)), QColor(getattr(self._appearance.tokens, part.role))
            )
            left += wide
        if self._limit and self._limit < self._whole:
            place = self.width() * self._limit / self._whole
            painter.fillRect(self._turned(QRectF(place - 1.5, 0, 3, _HEIGHT)), QColor(self._appearance.tokens.text))
        painter.end()

    def _turned(self, place: QRectF) -> QRectF:
        if self.layoutDirection() == Qt.LayoutDirection.RightToLeft:
            place.moveLeft(self.width() - place.right())
        return place


class _Chip(QWidget):
    def __init__(self, appearance: Appearance, role: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._role = role
        self.setFixedSize(_CHIP, _CHIP)
        appearance.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(self._appearance.tokens, self._role)))
        painter.drawRoundedRect(self.rect(), 3, 3)
        painter.end()


class MemoryPanel(QWidget):
    """Shows an estimate against the bytes that there are, and says in a sentence whether it fits."""

    def __init__(self, appearance: Appearance, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bar = StackedBar(appearance, self)
        self._sentence = QLabel(self)
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self._sentence.setWordWrap(True)
        self._parts = {role: QLabel(self) for role in ("weights", "kv", "compute", "checkpoints")}
        self._lay_out(appearance)
        self.setAccessibleName(self.tr("Memory"))
        self.show_nothing()

    @property
    def sentence(self) -> str:
        return self._sentence.text()

    @property
    def part_texts(self) -> tuple[str, ...]:
        return tuple(label.text() for label in self._parts.values())

    @property
    def is_too_much(self) -> bool:
        return bool(self._sentence.property("tone") == "danger")

    def show_nothing(self) -> None:
        """No model is loaded, so nothing is known."""
        self._bar.show_parts((), 0)
        self._legend.hide()
        self._say(self.tr("Load a model to see here how much memory it would take with these settings."))

    def show_estimate(self, estimate: MemoryEstimate, room: int) -> None:
        """`room`: bytes that there are for this model; 0 for unknown."""
        parts = self._named(estimate)
        self._bar.show_parts(parts, room)
        for part, label in zip(parts, self._parts.values(), strict=True):
            size = size_text(part.size)
            at_most = part.size and (part.role == "part_checkpoints" or (part.role == "part_kv" and not estimate.exact))
            told = self.tr("at most {size}").format(size=size) if at_most else size
            if part.role == "part_weights" and estimate.draft:
                sizes = {"size": size_text(estimate.weights), "draft": size_text(estimate.draft)}
                told = self.tr("{size}, with {draft} for drafts").format(**sizes)
            if part.role == "part_compute" and estimate.flash_attn is FlashAttention.OFF:
                told = self.tr("{size}, without flash attention").format(size=size)
            label.setText(self.tr("{part}: {size}").format(part=part.name, size=told))
        self._legend.show()
        self._say(self._verdict(estimate, room), too_much=bool(room) and estimate.total > room)

    def _named(self, estimate: MemoryEstimate) -> tuple[Part, ...]:
        return (
            Part("part_weights", self.tr("Weights"), estimate.weights + estimate.draft),
            Part("part_kv", self.tr("KV cache"), estimate.kv),
            Part("part_compute", self.tr("Computing"), estimate.compute),
            Part("part_checkpoints", self.tr("Checkpoints"), estimate.checkpoints),
        )

    def _verdict(self, estimate: MemoryEstimate, room: int) -> str:
        at_most = not estimate.exact or estimate.checkpoints
        total = size_text(estimate.total)
        if not room:
            words = self.tr("Takes at most {total}.") if at_most else self.tr("Takes about {total}.")
        elif estimate.total > room:
            words = self.tr(
                "This does not fit: it takes up to {total}, and {room} is free for it. "
                "A smaller context, or q8_0 as KV cache type, takes less."
            )
        elif at_most:
            words = self.tr("Takes at most {total} of the {room} that is free for it.")
        else:
            words = self.tr("Takes about {total} of the {room} that is free for it.")
        return words.format(total=total, room=size_text(room))

    def _say(self, sentence: str, *, too_much: bool = False) -> None:
        self._sentence.setText(sentence)
        self._sentence.setProperty("tone", "danger" if too_much else "muted")
        self._sentence.style().unpolish(self._sentence)
        self._sentence.style().polish(self._sentence)
        parts = self.part_texts if self._legend.isVisibleTo(self) else ()
        self.setAccessibleDescription(" ".join((sentence, *parts)))

    def _lay_out(self, appearance: Appearance) -> None:
        self._legend = QWidget(self)
        grid = QGridLayout(self._legend)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(4)
        for number, (role, label) in enumerate(self._parts.items()):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setProperty("tone", "small")
            row, column = divmod(number, 2)
            grid.addWidget(_Chip(appearance, f"part_{role}", self._legend), row, 2 * column)
            grid.addWidget(label, row, 2 * column + 1)
            grid.setColumnStretch(2 * column + 1, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(8)
        box.addWidget(self._bar)
        box.addWidget(self._legend)
        box.addWidget(self._sentence)
