"""Small PDF files, written by hand so that every byte of them is known."""

from collections.abc import Sequence


def pdf(*pages: str, picture: bool = False) -> bytes:
    """One page for each text, Latin-1; an empty text makes a page without one. `picture` draws a grey box instead."""
    objects: list[bytes] = [b"<< /Type /Catalog /Pages 2 0 R >>", b""]
    kids: list[int] = []
    font = b"<< /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    for text in pages:
        drawn = _boxes() if picture or not text else _lines(text.splitlines())
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn))
        contents = len(objects)
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 400] /Contents %d 0 R /Resources %s >>" % (contents, font)
        )
        kids.append(len(objects))
    objects[1] = b"<< /Type /Pages /Count %d /Kids [%s] >>" % (
        len(kids),
        b" ".join(b"%d 0 R" % each for each in kids),
    )
    return _file(objects)


def locked_pdf() -> bytes:
    """A file that wants a password: its keys are nonsense, and no password opens it."""
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Count 0 /Kids [] >>",
        b"<< /Filter /Standard /V 1 /R 2 /P -44 /O <%s> /U <%s> >>" % (b"41" * 32, b"42" * 32),
    ]
    return _file(objects, trailer=b" /Encrypt 3 0 R /ID [<00> <00>]")


def _lines(lines: Sequence[str]) -> bytes:
    shown = b"".join(b"(%s) Tj T* " % _escaped(line) for line in lines)
    return b"BT /F1 12 Tf 14 TL 20 370 Td " + shown + b"ET"


def _boxes() -> bytes:
    return b"0.5 g 50 50 200 300 re f"


def _escaped(line: str) -> bytes:
    return line.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)").encode("latin-1")


def _file(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    made = bytearray(b"%PDF-1.4\n")
    places = []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    start = len(made)
    made += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    made += b"".join(b"%010d 00000 n \n" % place for place in places)
    made += b"trailer\n<< /Size %d /Root 1 0 R%s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(made)
