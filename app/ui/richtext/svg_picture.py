"""SVG files as pictures. What is drawn is what the file itself holds: nothing else is opened for it."""

import base64
import binascii
import re

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF, QXmlStreamReader, QXmlStreamWriter
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtSvg import QSvgRenderer, QtSvg

from app.core.errors import UserError
from app.services.pictures.reader import as_png

SIDE = 1024
"""Pixels of the longer side."""
_MOST_BYTES = 16 << 20
_MOST_ELEMENTS = 50_000
"""As they are drawn, whatever is repeated by <use> counted as often."""
_MOST_EFFECTS = 8
"""Filters, masks and patterns, of which each may take 0.1 s; with more of them, none is drawn."""
_EFFECTS = frozenset({"filter", "mask", "pattern"})
_EMBEDDED = re.compile(r"\s*data:image/[\w.+-]+;base64,([A-Za-z0-9+/\s]{16})")
_BITMAPS = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF8")
_REFUSED = "This SVG file cannot be drawn; save the picture as PNG, and add that."


def paint_svg(data: bytes) -> bytes:
    """`data`, an SVG file, as a PNG file on white. Raises UserError. For any thread that may draw on a QImage."""
    if len(data) > _MOST_BYTES:
        raise UserError(_REFUSED, detail=f"{len(data)} bytes")
    cleaned, effects = _cleaned(data)
    renderer = QSvgRenderer()
    simple = QtSvg.Option.DisableSMILAnimations | QtSvg.Option.DisableCSSAnimations
    renderer.setOptions(simple | QtSvg.Option.Tiny12FeaturesOnly if effects > _MOST_EFFECTS else simple)
    if not renderer.load(cleaned):
        raise UserError(_REFUSED, detail="QtSvg does not read it")
    size = renderer.viewBoxF().size() if not renderer.viewBoxF().isEmpty() else renderer.defaultSize().toSizeF()
    if size.isEmpty():
        raise UserError(_REFUSED, detail="it has no size")
    scale = SIDE / max(size.width(), size.height())
    image = QImage(
        max(1, round(size.width() * scale)), max(1, round(size.height() * scale)), QImage.Format.Format_RGB32
    )
    image.fill(QColor("white"))
    painter = QPainter(image)
    renderer.render(painter, QRectF(0, 0, image.width(), image.height()))
    painter.end()
    return as_png(image)


def _cleaned(data: bytes) -> tuple[QByteArray, int]:
    """The file without references to other files, and the number of its effects.

    QtSvg opens paths in `href`, style sheets in processing instructions, and whatever an embedded SVG names again.
    The reader resolves entities, with a limit on how far they expand; the writer gets elements and text alone.
    """
    source = QBuffer()
    source.setData(data)
    source.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QXmlStreamReader(source)
    cleaned = QByteArray()
    writer = QXmlStreamWriter(cleaned)
    writer.setAutoFormatting(False)
    count = _Count()
    effects = 0
    while not reader.atEnd():
        token = reader.readNext()
        if token == QXmlStreamReader.TokenType.StartElement:
            writer.writeStartElement(reader.qualifiedName())
            for space in reader.namespaceDeclarations():
                name = f"xmlns:{space.prefix()}" if space.prefix() else "xmlns"
                writer.writeAttribute(name, space.namespaceUri())
            target = identity = ""
            attributes = reader.attributes()
            for attribute in (attributes.at(index) for index in range(attributes.size())):
                value = attribute.value()
                if attribute.name().lower() == "href":
                    value = _own_reference(value)
                    target = value
                elif attribute.name() == "id":
                    identity = value
                effects += attribute.name() in _EFFECTS or "filter:" in value or "mask:" in value
                writer.writeAttribute(attribute.qualifiedName(), value)
            count.begin(identity, target if reader.name() == "use" else "")
        elif token == QXmlStreamReader.TokenType.EndElement:
            writer.writeEndElement()
            count.end()
        elif token == QXmlStreamReader.TokenType.Characters:
            writer.writeCharacters(reader.text())
    if reader.hasError():
        raise UserError(_REFUSED, detail=reader.errorString())
    if count.drawn() > _MOST_ELEMENTS:
        raise UserError(_REFUSED, detail=f"more than {_MOST_ELEMENTS} elements")
    return cleaned, effects


def _own_reference(value: str) -> str:
    """`value` where it leads to a place in the same file or is an embedded bitmap, and nothing otherwise."""
    if value.lstrip().startswith("#"):
        return value
    if (found := _EMBEDDED.match(value)) is not None:
        try:
            head = base64.b64decode(found[1][:16].encode("ascii"), validate=True)
        except binascii.Error:
            return ""
        if head.startswith(_BITMAPS):
            return value
    return ""


class _Count:
    """How many elements are drawn when every <use> draws its target again."""

    def __init__(self) -> None:
        self._total = 0
        self._open: list[tuple[str, int, int]] = []
        self._uses: list[str] = []
        self._of: dict[str, tuple[int, tuple[str, ...]]] = {}
        """By id: the elements inside, and the targets of the uses inside."""

    def begin(self, identity: str, target: str) -> None:
        self._open.append((identity, self._total, len(self._uses)))
        self._total += 1
        if target:
            self._uses.append(target.strip().removeprefix("#"))

    def end(self) -> None:
        identity, elements, uses = self._open.pop()
        if identity:
            self._of[identity] = (self._total - elements, tuple(self._uses[uses:]))

    def drawn(self) -> int:
        """Stops counting beyond the limit."""
        known: dict[str, int] = {}
        total = self._total
        for target in self._uses:
            total += self._weight(target, known, 0)
            if total > _MOST_ELEMENTS:
                break
        return total

    def _weight(self, identity: str, known: dict[str, int], depth: int) -> int:
        if identity in known:
            return known[identity]
        if identity not in self._of or depth > 64:
            return 0
        # Met again inside itself, it counts nothing: QtSvg refuses to draw a circle of references.
        known[identity] = 0
        elements, uses = self._of[identity]
        known[identity] = elements + sum(self._weight(each, known, depth + 1) for each in uses)
        return known[identity]
