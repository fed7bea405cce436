"""Small office documents, written by hand: as the programs write them, with little in them."""

import io
import zipfile
from collections.abc import Mapping

_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_RELS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KIND = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_ODF = " ".join(
    f'xmlns:{name}="urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"' for name in ("office", "text", "table", "draw")
)


def package(parts: Mapping[str, str]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, text)
    return kept.getvalue()


def docx(body: str = "", **more: str) -> bytes:
    """`body` is what stands in `w:body`; `more` are other parts of the folder `word`, without their ending."""
    heading = '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>'
    parts = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f"<w:document {_W}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {_W}>{heading}</w:styles>",
    }
    return package({**parts, **{f"word/{name}.xml": f"<w:x {_W}>{text}</w:x>" for name, text in more.items()}})


def paragraph(text: str, *, style: str = "", is_item: bool = False) -> str:
    told = f'<w:pStyle w:val="{style}"/>' if style else ""
    told += "<w:numPr/>" if is_item else ""
    return f"<w:p><w:pPr>{told}</w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>"


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{each}</w:tr>' for each in cells)}</w:tbl>"


def _rels(*targets: tuple[str, str]) -> str:
    links = (
        f'<Relationship Id="rId{number}" Type="{_KIND}/{kind}" Target="{target}"/>'
        for number, (kind, target) in enumerate(targets, 1)
    )
    return f'<Relationships xmlns="{_RELS}">{"".join(links)}</Relationships>'


def xlsx(*rows: str) -> bytes:
    """One sheet, Budget, with these rows' cells as XML. String 0 is "Äpfel"; style 1 a date, 2 one of its own."""
    formats = '<numFmts><numFmt numFmtId="164" formatCode="dd\\.mm\\.yyyy"/></numFmts>'
    styles = '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs>'
    return package(
        {
            "xl/workbook.xml": f'<workbook {_R}><sheets><sheet name="Budget" r:id="rId1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": _rels(("worksheet", "worksheets/sheet1.xml")),
            "xl/sharedStrings.xml": "<sst><si><r><t>Äp</t></r><r><t>fel</t></r><rPh><t>no</t></rPh></si></sst>",
            "xl/styles.xml": f"<styleSheet>{formats}{styles}</styleSheet>",
            "xl/worksheets/sheet1.xml": f"<worksheet><sheetData>{''.join(rows)}</sheetData></worksheet>",
        }
    )


def pptx(*slides: tuple[str, str], notes: str = "") -> bytes:
    """Titles and texts; `notes` are those of the first slide. They lie in the file the other way round."""
    ids = "".join(f'<p:sldId id="{256 + n}" r:id="rId{n + 1}"/>' for n in range(len(slides)))
    names = [f"slide{len(slides) - n}.xml" for n in range(len(slides))]
    space = 'xmlns:p="p" xmlns:a="a"'
    parts = {
        "ppt/presentation.xml": f"<p:presentation {space} {_R}>{ids}</p:presentation>",
        "ppt/_rels/presentation.xml.rels": _rels(*(("slide", f"slides/{name}") for name in names)),
        f"ppt/slides/_rels/{names[0]}.rels": _rels(("notesSlide", "../notesSlides/notes.xml")),
        "ppt/notesSlides/notes.xml": f"<p:notes {space}><p:sp><a:p><a:t>{notes}</a:t></a:p></p:sp></p:notes>",
    }
    for name, (title, text) in zip(names, slides, strict=True):
        shapes = (
            f'<p:sp><p:ph type="title"/><a:p><a:t>{title}</a:t></a:p></p:sp><p:sp><a:p><a:t>{text}</a:t></a:p></p:sp>'
        )
        number = '<p:sp><p:ph type="sldNum"/><a:p><a:t>7</a:t></a:p></p:sp>'
        parts[f"ppt/slides/{name}"] = f"<p:sld {space}>{shapes}{number}</p:sld>"
    return package(parts)


def odf(body: str) -> bytes:
    """`body` is what stands in `office:body`."""
    return package({"content.xml": f"<office:document-content {_ODF}>{body}</office:document-content>"})


def epub(*chapters: str) -> bytes:
    """Chapters as HTML; the spine has them the other way round than the file."""
    items = "".join(
        f'<item id="c{n}" href="text/{n}.xhtml" media-type="application/xhtml+xml"/>' for n in range(len(chapters))
    )
    spine = "".join(f'<itemref idref="c{n}"/>' for n in range(len(chapters)))
    texts = {f"OPS/text/{n}.xhtml": chapters[n] for n in reversed(range(len(chapters)))}
    return package(
        {
            "META-INF/container.xml": '<container><rootfile full-path="OPS/book.opf"/></container>',
            "OPS/book.opf": f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>",
            **texts,
        }
    )
