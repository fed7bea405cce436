"""Documents of every kind, and what damage and ill will make of them."""

import random

from tests.document_files import locked_pdf, pdf
from tests.office_files import docx, epub, odf, package, paragraph, pptx, table, xlsx

_TEXT = "Pumps want to be primed with water. " * 40
_HTML = f"<html><head><title>Pumps</title></head><body>{'<div><p class=a>' * 60}{_TEXT}<table><tr><td>1</table></body>"
_MAIL = f"From: a@b.example\nSubject: Pumps\nContent-Type: text/html\n\n{_HTML}"
_ENTITIES = f'<!ENTITY b "{"x" * 5000}"><!ENTITY c "{"&b;" * 5000}">'
_BOMB = f"<!DOCTYPE a [{_ENTITIES}]><a>&c;</a>"
SOUND = {
    "a.pdf": pdf(_TEXT, "Two", _TEXT),
    "locked.pdf": locked_pdf(),
    "a.docx": docx(paragraph(_TEXT) * 5 + table(("a", "b"), ("c", "d"))),
    "a.xlsx": xlsx("<c r='A1'><v>1</v></c>", "<c r='XFD1048576'><v>2</v></c>"),
    "a.pptx": pptx(("Pumps", _TEXT), ("Valves", _TEXT)),
    "a.odt": odf(f"<text:p>{_TEXT}</text:p>"),
    "a.epub": epub(_HTML, _HTML),
    "a.html": _HTML.encode(),
    "a.eml": _MAIL.encode(),
    "a.csv": b"a;b;c\n" * 500,
    "a.md": f"# Pumps\n\n{_TEXT}\n```py\n".encode(),
    "bomb.docx": package({"word/document.xml": _BOMB}),
    "deep.docx": docx("<w:tbl><w:tr><w:tc>" * 3000),
    "deep.html": b"<div>" * 300_000,
    "attributes.html": b"<p " + b"a=b " * 300_000 + b">x",
}


def damaged(data: bytes, chance: random.Random) -> bytes:
    """Cut, with bytes changed, taken out or doubled."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 3, 20, 200))):
        at = chance.randrange(len(made) or 1)
        size = chance.randrange(1, 64)
        match chance.randrange(5):
            case 0:
                made[at : at + size] = chance.randbytes(size)
            case 1:
                del made[at : at + size]
            case 2:
                made[at:at] = made[at : at + size]
            case 3 if made:
                made[at % len(made)] ^= 1 << chance.randrange(8)
            case 4 if chance.random() < 0.05:
                del made[at:]
    return bytes(made)
