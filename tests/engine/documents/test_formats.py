"""Office documents become text; hostile ones a sentence."""

import random
from unittest.mock import patch

import pytest

from app.engine.documents import formats, package
from app.engine.documents.documents import DocumentError
from app.engine.documents.formats import is_office, read_office
from app.engine.documents.package import resolved
from tests.office_files import docx, epub, odf, paragraph, pptx, table, xlsx
from tests.office_files import package as packed

LETTER = (
    b"From: Ada <ada@example.org>\r\nTo: Grace\r\nSubject: =?utf-8?q?Gr=C3=B6=C3=9Fe?=\r\n"
    b"Content-Type: multipart/mixed; boundary=x\r\n\r\n--x\r\nContent-Type: text/html\r\n\r\n<p>Dear <b>you</b></p>\r\n"
    b"--x\r\nContent-Disposition: attachment; filename=plan.pdf\r\n\r\nzzz\r\n--x--\r\n"
)


def test_a_word_document_keeps_its_order() -> None:
    body = (
        paragraph("Plan", style="berschrift1")
        + paragraph("Three things:")
        + paragraph("one", is_item=True)
        + paragraph("two", is_item=True)
        + table(("Name", "Age"), ("Ada", "36"), ("", ""))
        + "<mc:x xmlns:mc='mc'><mc:Fallback>"
        + paragraph("said twice")
        + "</mc:Fallback></mc:x>"
        + "<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:delText>gone</w:delText><w:t>c</w:t></w:r></w:p>"
    )
    read = read_office(docx(body, footnotes=paragraph("A note.")), "a.docx")
    assert read == "# Plan\n\nThree things:\n\n- one\n- two\n\nName | Age\nAda | 36\n\na\tb\nc\n\nA note.\n"


def test_a_table_in_a_cell_is_part_of_it() -> None:
    cells = (paragraph("outer") + table(("in", "side")), paragraph("next"))
    row = "".join(f"<w:tc>{each}</w:tc>" for each in cells)
    assert read_office(docx(f"<w:tbl><w:tr>{row}</w:tr></w:tbl>"), "a.docx") == "outer in side | next\n"


def test_a_workbook_shows_values_and_dates() -> None:
    data = xlsx(
        '<row><c r="A1" t="s"><v>0</v></c><c r="C1"><v>1.5</v></c>'
        '<c r="XFD1" t="inlineStr"><is><t>far</t></is></c></row>',
        '<row><c r="A2" s="1"><v>46350</v></c><c r="B2" s="2"><v>46350.5</v></c><c r="C2" s="1"><v>0.25</v></c></row>',
        '<row><c r="A3" t="b"><v>1</v></c><c r="B3" t="e"><v>#DIV/0!</v></c><c r="C3" t="s"><v>9</v></c></row>',
    )
    first, second, third = read_office(data, "a.xlsx").splitlines()[2:]
    assert first.startswith("Äpfel |  | 1.5 | ") and first.endswith("| far") and len(first) < 150
    assert second == "2026-11-24 | 2026-11-24 12:00:00 | 06:00:00"
    assert third == "TRUE | #DIV/0!"


def test_slides_are_pages_in_their_order() -> None:
    read = read_office(pptx(("First", "hello"), ("Second", "bye"), notes="Smile."), "a.pptx")
    assert read == "[Page 1]\n# First\n\nhello\n\nNotes: Smile.\n\n[Page 2]\n# Second\n\nbye\n"


def test_open_documents() -> None:
    text = (
        '<office:text><text:h text:outline-level="2">Head</text:h><text:p>a<text:s text:c="3"/>b<text:tab/>c</text:p>'
        "<text:list><text:list-item><text:p>one</text:p></text:list-item></text:list>"
        "<text:tracked-changes><text:p>gone</text:p></text:tracked-changes></office:text>"
    )
    assert read_office(odf(text), "a.odt") == "## Head\n\na   b\tc\n\n- one\n"
    cells = '<table:table-cell table:number-columns-repeated="2"><text:p>x</text:p></table:table-cell>'
    more = '<table:table-cell table:number-columns-repeated="16380"/>'
    rows = f'<table:table table:name="Sheet"><table:table-row>{cells}{more}</table:table-row></table:table>'
    assert read_office(odf(f"<office:spreadsheet>{rows}</office:spreadsheet>"), "a.ods") == "# Sheet\n\nx | x\n"
    slides = "<draw:page><text:p>one</text:p></draw:page><draw:page><text:p>two</text:p></draw:page>"
    assert read_office(odf(f"<office:presentation>{slides}</office:presentation>"), "a.odp").startswith("[Page 1]\none")


def test_a_book_is_read_in_the_order_of_its_spine() -> None:
    read = read_office(epub("<h1>One</h1><p>a <a href='b.xhtml'>link</a></p>", "<h1>Two</h1><p>b</p>"), "a.epub")
    assert read == "# One\n\na link\n\n# Two\n\nb\n"


def test_a_letter_tells_who_wrote_what() -> None:
    assert is_office(LETTER, "a.eml") and not is_office(LETTER, "a.txt")
    assert read_office(LETTER, "a.eml") == (
        "From: Ada <ada@example.org>\nTo: Grace\nSubject: Größe\n\nDear you\n\nAttached: plan.pdf\n"
    )


@pytest.mark.parametrize(
    ("data", "name", "sentence"),
    [
        (b"PK\x03\x04\0\0", "a.docx", "a.docx is damaged, or not what its name says; use another copy."),
        (packed({"a.txt": "hello"}), "a.zip", "Hearth finds no document in a.zip; use the files that are in it."),
        (
            LETTER.replace(b"text/html", b"text/html; charset=nope"),
            "a.eml",
            "a.eml is damaged, or not what its name says; use another copy.",
        ),
        (docx(), "a.docx", "a.docx has no text in it; where it shows some, attach pictures of it to a chat."),
        (
            b"\xd0\xcf\x11\xe0" + bytes(99),
            "a.doc",
            "a.doc is locked with a password, or of an old Office; save it anew without one, and use that.",
        ),
        (
            packed({"word/document.xml": '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><x>&b;</x>'}),
            "a.docx",
            "a.docx is damaged, or not what its name says; use another copy.",
        ),
        (
            packed({"word/document.xml": "<a>" * 5000 + "</a>" * 5000}),
            "a.docx",
            "a.docx is damaged, or not what its name says; use another copy.",
        ),
        (
            packed({"META-INF/container.xml": "<x/>", "META-INF/rights.xml": "<x/>"}),
            "a.epub",
            "a.epub is protected against copying; use another copy.",
        ),
    ],
)
def test_what_cannot_be_read_is_one_sentence(data: bytes, name: str, sentence: str) -> None:
    with pytest.raises(DocumentError) as caught:
        read_office(data, name)
    assert caught.value.sentence == sentence


def test_what_unpacks_to_too_much_is_refused_while_it_unpacks() -> None:
    bomb = docx(paragraph("a" * 3_000_000))
    assert len(bomb) < 10_000
    with patch.object(package, "MOST_BYTES", 1 << 20), pytest.raises(DocumentError, match="is damaged"):
        read_office(bomb, "a.docx")
    with patch.object(formats, "MAX_CHARS", 9), pytest.raises(DocumentError, match="more than 9 characters"):
        read_office(docx(paragraph("a" * 2_100_000) * 2), "a.docx")


def test_a_list_of_too_many_parts_is_not_read() -> None:
    data = bytearray(docx(paragraph("x")))
    end = data.rfind(b"PK\x05\x06")
    data[end + 10 : end + 12] = b"\xff\xff"
    with pytest.raises(DocumentError, match="is damaged"):
        read_office(bytes(data), "a.docx")


def test_names_of_parts_stay_in_the_file() -> None:
    assert resolved("ppt/slides/a.xml", "../../../../etc/passwd") == "etc/passwd"
    assert resolved("xl/workbook.xml", "/xl/a.xml") == "xl/a.xml"


def test_a_thousand_damaged_files_are_texts_or_sentences() -> None:
    rng = random.Random(7)
    whole = {
        "a.docx": docx(paragraph("one") * 9 + table(("a", "b"))),
        "a.xlsx": xlsx('<row><c r="A1" t="s"><v>0</v></c><c r="B1"><v>1</v></c></row>'),
        "a.pptx": pptx(("T", "x"), ("U", "y"), notes="n"),
        "a.odt": odf("<office:text><text:p>x</text:p></office:text>"),
        "a.epub": epub("<p>x</p>", "<table><tr><td>y"),
        "a.eml": LETTER,
    }
    refused = 0
    for n in range(1000):
        name, data = list(whole.items())[n % len(whole)]
        spoilt = bytearray(data)
        for _ in range(rng.randrange(1, 6)):
            spoilt[rng.randrange(4, len(spoilt))] = rng.randrange(256)
        if rng.random() < 0.3:
            del spoilt[rng.randrange(4, len(spoilt)) :]
        try:
            read_office(bytes(spoilt), name)
        except DocumentError as error:
            refused += 1
            assert error.sentence.endswith(".")
    assert refused > 300


def test_damaged_xml_in_whole_files_is_a_text_or_a_sentence() -> None:
    rng = random.Random(8)
    body = paragraph("one", style="berschrift1") + table(("a", "b")) + paragraph("two", is_item=True)
    tokens = [
        "<w:tbl>",
        "</w:tbl>",
        "<w:tc>",
        "<w:p>",
        "</w:p>",
        "<",
        ">",
        '"',
        "&",
        "\0",
        "<w:outlineLvl w:val='99'/>",
    ]
    for _ in range(300):
        place = rng.randrange(len(body))
        spoilt = body[:place] + rng.choice(tokens) + body[place + rng.randrange(9) :]
        try:
            assert read_office(docx(spoilt), "a.docx").strip()
        except DocumentError as error:
            assert error.sentence.endswith(".")
