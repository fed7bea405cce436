"""What the style sheet of documents says of lists."""

from PySide6.QtGui import QTextListFormat
from pytestqt.qtbot import QtBot

from app.ui.richtext.safe_document import SafeDocument, prose_css
from app.ui.theme.palette import LIGHT

Style = QTextListFormat.Style


def test_no_mark_is_drawn_by_qt_and_only_numbers_have_a_full_stop(qtbot: QtBot) -> None:
    document = SafeDocument()
    document.setDefaultStyleSheet(prose_css(LIGHT))
    document.setHtml(
        '<ul class="contains-task-list"><li>box<ol><li>number</li></ol><ul><li>dot</li></ul>'
        '<ul class="contains-task-list"><li>inner box</li></ul></li></ul>'
    )
    found = {}
    block = document.begin()
    while block.isValid():
        listed = block.textList()
        found[block.text()] = listed.format().style(), listed.format().numberSuffix()
        block = block.next()
    assert found == {
        "box": (Style.ListStyleUndefined, ""),
        "number": (Style.ListStyleUndefined, "."),
        "dot": (Style.ListStyleUndefined, ""),
        "inner box": (Style.ListStyleUndefined, ""),
    }
