"""Formulas as pictures: ziamath draws them once each, in a thread of its own, and documents show them.

ziamath is pure Python and takes some milliseconds for a formula, and a tenth of a second to be imported; neither
may be felt. Until a formula is drawn its TeX stands in its place, and for ever where it can't be read.
"""

import logging
import re
import threading
import warnings
from collections import OrderedDict
from dataclasses import dataclass
from functools import cache
from html import escape
from queue import Empty, SimpleQueue

from PySide6.QtCore import QObject, QPointF, QRect, QRectF, QSizeF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QImage,
    QPainter,
    QPyTextObject,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFormat,
)

from app.ui.richtext.document_text import fragments_of
from app.ui.theme.appearance import Appearance
from app.ui.theme.fonts import READING_SIZE, SMALL_SIZE, UI_SIZE, code_font, text_font
from app.ui.theme.svg_image import svg_image
from app.ui.widgets.markdown_links import formula_of, formula_source, tail_of, without_tail

_log = logging.getLogger(__name__)

SIZE, DISPLAY_SIZE = 17, 19
"""Pixels of the letters; those of the formulas' typeface are smaller than Inter's."""
QUIET = "quiet"
"""The property of documents whose text stands back, and their formulas with it."""
_LONGEST_SOURCE = 60
_WIDEST, _HIGHEST = 6000, 3000
_KEPT = 2000
"""Formulas, a few kB each."""
_DRAWN = 300
"""Pictures that are kept ready to be painted."""
_VIEW_BOX = re.compile(r'viewBox="([-\d.e]+) ([-\d.e]+) ([-\d.e]+) ([-\d.e]+)"')


@dataclass(frozen=True, slots=True)
class Formula:
    svg: bytes
    """Empty for what can't be read as LaTeX."""
    width: float = 0
    ascent: float = 0
    """Above the line that letters stand on; pixels as `width`."""
    descent: float = 0


def draw(tex: str, *, display: bool) -> Formula:
    """Slow. A formula without a picture is one that can't be read."""
    size = DISPLAY_SIZE if display else SIZE
    try:
        with warnings.catch_warnings():
            # It finds its fonts in a way that Python calls old.
            warnings.simplefilter("ignore", DeprecationWarning)
            import ziamath

            # QtSvg draws nothing of <symbol> and <use>.
            ziamath.config.svg2 = False
            svg = ziamath.Latex(tex, size=size, color="#000000", inline=not display).svg()
    except Exception as error:  # noqa: BLE001 - whatever the library meets in a text, the text is shown instead
        _log.debug("not drawn: %r", error)
        return Formula(b"")
    box = _VIEW_BOX.search(svg)
    if box is None:
        return Formula(b"")
    top, width, height = (float(box[number]) for number in (2, 3, 4))
    if not (0 < width < _WIDEST and 0 < height < _HIGHEST):
        return Formula(b"")
    return Formula(svg.encode(), width, -top, height + top)


class Formulas(QObject):
    """GUI thread. All documents share one, so that a formula is drawn once however often it comes."""

    drawn = Signal(str)
    """The name (`markdown_links.formula_link`) of a formula that is known by now"""
    _made = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self._known: OrderedDict[str, Formula] = OrderedDict()
        self._asked: set[str] = set()
        self._queue: SimpleQueue[str] = SimpleQueue()
        self._lock = threading.Lock()
        self._works = False
        self._made.connect(self._keep)

    def get(self, name: str) -> Formula | None:
        """None while it is being drawn; `drawn` tells."""
        known = self._known.get(name)
        if known is not None:
            self._known.move_to_end(name)
        elif name not in self._asked:
            self._asked.add(name)
            self._queue.put(name)
            with self._lock:
                if not self._works:
                    self._works = True
                    threading.Thread(target=self._work, name="formulas", daemon=True).start()
        return known

    def known(self, name: str) -> Formula | None:
        """None for one that was not drawn."""
        return self._known.get(name)

    def _work(self) -> None:
        """In the thread, which ends when there is nothing left to draw."""
        while True:
            try:
                name = self._queue.get_nowait()
            except Empty:
                with self._lock:
                    if self._queue.empty():
                        self._works = False
                        return
                continue
            formula = formula_of(name)
            made = draw(formula[0], display=formula[1]) if formula is not None else Formula(b"")
            try:
                self._made.emit(name, made)
            except RuntimeError:
                # The program has ended meanwhile.
                return

    def _keep(self, name: str, formula: Formula) -> None:
        self._asked.discard(name)
        self._known[name] = formula
        while len(self._known) > _KEPT:
            self._known.popitem(last=False)
        self.drawn.emit(name)


@cache
def formulas() -> Formulas:
    return Formulas()


_IMAGE = re.compile(r'<img src="(math:[^"]*)">')


def names_in(html: str) -> set[str]:
    """Of the formulas of a piece of HTML, without what follows them."""
    return {without_tail(each) for each in _IMAGE.findall(html)}


def readable(html: str) -> str:
    """The same with the TeX of those that are known to be no formulas."""

    def shown(found: re.Match[str]) -> str:
        formula = formulas().known(without_tail(found[1]))
        if formula is None or formula.svg:
            return found[0]
        return f"<code>{escape(formula_source(found[1]))}</code>{escape(tail_of(found[1]))}"

    return _IMAGE.sub(shown, html)


class FormulaHandler(QPyTextObject):
    """Stands in for Qt's own handler of pictures in a document, so that formulas are all that is ever drawn there."""

    def __init__(self, appearance: Appearance, parent: QObject) -> None:
        super().__init__(parent)
        self._appearance = appearance
        self._images: OrderedDict[tuple[str, str, float], QImage] = OrderedDict()

    def intrinsicSize(self, doc: QTextDocument, position: int, format: QTextFormat) -> QSizeF:
        name = format.toImageFormat().name()
        asked = formula_of(name)
        if asked is None:
            return QSizeF(0, 0)
        tex, display = asked
        tail = QFontMetricsF(_tail_font(doc)).horizontalAdvance(tail_of(name)) if tail_of(name) else 0.0
        formula = formulas().get(without_tail(name))
        if formula is None or not formula.svg:
            metrics = QFontMetricsF(code_font(SMALL_SIZE))
            return QSizeF(metrics.horizontalAdvance(_shortened(tex)) + tail, metrics.ascent())
        # A picture in a line stands on it; what of the formula is below is drawn below, where lines leave room.
        grown = _growth(doc)
        whole = display or format.toCharFormat().verticalAlignment() == _SUNK
        return QSizeF(formula.width * grown + tail, (formula.ascent + (formula.descent if whole else 0)) * grown)

    def drawObject(
        self, painter: QPainter, rect: QRectF | QRect, doc: QTextDocument, position: int, format: QTextFormat
    ) -> None:
        name = format.toImageFormat().name()
        asked = formula_of(name)
        if asked is None:
            return
        alone, tail = without_tail(name), tail_of(name)
        formula = formulas().get(alone)
        ink = self._appearance.tokens.muted if doc.property(QUIET) else self._appearance.tokens.text
        wide = QFontMetricsF(_tail_font(doc)).horizontalAdvance(tail) if tail else 0.0
        to_left = doc.findBlock(position).textDirection() == Qt.LayoutDirection.RightToLeft
        left = rect.left() + (wide if to_left else 0.0)
        line = float(rect.top() + rect.height())
        if formula is None or not formula.svg:
            _write(
                painter, QPointF(left, line), _shortened(asked[0]), code_font(SMALL_SIZE), self._appearance.tokens.muted
            )
        else:
            grown = _growth(doc)
            place = QRectF(left, rect.top(), formula.width * grown, (formula.ascent + formula.descent) * grown)
            painter.drawImage(place, self._image(alone, formula, ink, painter.device().devicePixelRatio() * grown))
            line = rect.top() + formula.ascent * grown
        if tail:
            painter.setLayoutDirection(Qt.LayoutDirection.RightToLeft if to_left else Qt.LayoutDirection.LeftToRight)
            begin = rect.left() if to_left else rect.left() + rect.width() - wide
            _write(painter, QPointF(begin, line), tail, _tail_font(doc), ink)

    def _image(self, name: str, formula: Formula, colour: str, ratio: float) -> QImage:
        key = (name, colour, ratio)
        image = self._images.get(key)
        if image is None:
            image = self._images[key] = _painted(formula, colour, ratio)
            while len(self._images) > _DRAWN:
                self._images.popitem(last=False)
        else:
            self._images.move_to_end(key)
        return image


def formula_handler(appearance: Appearance) -> FormulaHandler:
    """The one for all documents that look like this."""
    found = appearance.findChild(FormulaHandler)
    return found if isinstance(found, FormulaHandler) else FormulaHandler(appearance, appearance)


def sink_in_tables(document: QTextDocument) -> None:
    """Give formulas in cells room below the line that letters stand on: lines of a table leave none.

    Qt lets a picture reach as far below the line as letters of its own font do, so that is what their fonts are for.
    """
    cursor = QTextCursor(document)
    for fragment in tuple(fragments_of(document)):
        known = formulas().known(without_tail(fragment.charFormat().toImageFormat().name()))
        cursor.setPosition(fragment.position())
        if known is not None and known.svg and cursor.currentTable() is not None:
            _sink(document, fragment.position(), fragment.length(), known.descent * _growth(document))


_SUNK = QTextCharFormat.VerticalAlignment.AlignBaseline


def _sink(document: QTextDocument, begin: int, length: int, descent: float) -> None:
    shape = QTextCharFormat()
    shape.setVerticalAlignment(_SUNK)
    shape.setFont(_font_reaching(round(descent)))
    cursor = QTextCursor(document)
    cursor.setPosition(begin)
    cursor.setPosition(begin + length, QTextCursor.MoveMode.KeepAnchor)
    cursor.mergeCharFormat(shape)


@cache
def _font_reaching(descent: int) -> QFont:
    """The smallest whose letters reach as many pixels below their line."""
    font = text_font()
    for size in range(1, 1 + 8 * max(1, descent)):
        font.setPixelSize(size)
        if QFontMetrics(font).descent() >= descent:
            break
    return font


def _tail_font(document: QTextDocument) -> QFont:
    return text_font(UI_SIZE if document.property(QUIET) else READING_SIZE)


def _growth(document: QTextDocument) -> float:
    """How much larger than usual the text around a formula is, and so the formula."""
    return _tail_font(document).pixelSize() / READING_SIZE


def _write(painter: QPainter, place: QPointF, text: str, font: QFont, colour: str) -> None:
    """From `place` on, which is on the line that letters stand on."""
    painter.save()
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(place, text)
    painter.restore()


def _painted(formula: Formula, colour: str, ratio: float) -> QImage:
    wide, high = (round(each * ratio) for each in (formula.width, formula.ascent + formula.descent))
    return svg_image(formula.svg, wide, high, colour)


def _shortened(tex: str) -> str:
    return tex if len(tex) <= _LONGEST_SOURCE else tex[: _LONGEST_SOURCE - 1] + "…"
