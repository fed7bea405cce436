"""Exports with the list of what was cited, and without: in Markdown, as a page and as a PDF."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pypdfium2
import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.core.messages import DocumentPart, Message, PassagePart, Role, TextPart
from app.core.paths import Paths
from app.services.exchange.exchange import Exchange
from app.services.exchange.export_plans import ExportFormat, Writers
from app.storage.conversations import ConversationStore
from app.storage.database import Database
from app.ui.exporting.export_dialog import ExportDialog
from app.ui.exporting.html_export import HtmlExport
from app.ui.exporting.pdf_export import write_pdf
from app.ui.theme.appearance import Appearance
from tests.waits import WAIT

_WHOLE = DocumentPart("cd" * 32, "pumps.pdf", "[Page 1]\nPrime them.\n\n[Page 2]\nOil them.", starts=(0, 21), number=1)
_PASSAGE = PassagePart(3, "ab" * 32, "rain.pdf", "It rained.", 12)
_SAID = (
    Message(Role.USER, (_WHOLE, _PASSAGE, TextPart("When did it rain, by a[1]?"))),
    Message.of(Role.ASSISTANT, "In May [3], and pumps want oil [2]. See a[1] and [9]."),
)

Export = Callable[[ExportFormat, bool], str]


@pytest.fixture
def export(tmp_path: Path, appearance: Appearance, qtbot: QtBot) -> Iterator[Export]:
    """Writes a conversation with citations, and reads what came."""
    data = tmp_path / "data"
    data.mkdir()
    paths, window = Paths(data, data, data / "logs"), QWidget()
    qtbot.addWidget(window)
    with Database.open(paths.database) as database:
        store, head = ConversationStore(database), None
        talk = store.create("Rain")
        for message in _SAID:
            head = store.append(talk.id, head, message).id
        exchange = Exchange(paths, Writers(HtmlExport, lambda: write_pdf))

        def export(format: ExportFormat, citations: bool) -> str:
            path = tmp_path / "out"
            dialog = ExportDialog(exchange, talk.id, "Rain", 1, window)
            dialog.open()
            dialog.formats[format].click()
            dialog.citations.setChecked(citations)
            with qtbot.waitSignal(dialog.exported, timeout=WAIT):
                dialog.write(path)
            return _pages(path) if format is ExportFormat.PDF else path.read_text("utf-8")

        yield export
        exchange.close()


def _pages(path: Path) -> str:
    document = pypdfium2.PdfDocument(path)
    try:
        return " ".join(page.get_textpage().get_text_bounded() for page in document)
    finally:
        document.close()


@pytest.mark.parametrize("format", [ExportFormat.MARKDOWN, ExportFormat.HTML, ExportFormat.PDF])
def test_sources_are_listed_or_left_out(export: Export, format: ExportFormat) -> None:
    told, plain = (_squeezed(export(format, citations)) for citations in (True, False))
    assert "InMay[3],andpumpswantoil[2].Seea[1]and[9]." in told
    assert "Sources:" in told and "[1]to[2]pumps.pdf;[3]rain.pdf,page12" in told
    assert "InMay,andpumpswantoil.Seea[1]and[9]." in plain, "what is no citation stays"
    assert "Whendiditrain,bya[1]?" in plain and "Sources" not in plain and "rain.pdf" not in plain


def _squeezed(text: str) -> str:
    """Without blanks, which readers of PDF files guess, and without Markdown's own signs."""
    return "".join(text.replace("\\", "").replace("*", "").split())


def test_json_has_them_in_any_case(export: Export) -> None:
    assert export(ExportFormat.JSON, False).count('"passage"') == 1
