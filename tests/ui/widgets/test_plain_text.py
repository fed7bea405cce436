"""Tooltips of text that somebody else wrote."""

from PySide6.QtGui import QTextDocument

from app.ui.widgets.plain_text import plain_tip

HOSTILE = '<img src=x>\n& <b>bold</b> "it\'s"'


def shown(tip: str) -> str:
    document = QTextDocument()
    document.setHtml(tip)
    return document.toPlainText()


def test_it_is_shown_as_it_is(qapp: object) -> None:
    assert shown(plain_tip(HOSTILE)) == HOSTILE
    assert shown(plain_tip(HOSTILE, wraps=False)) == HOSTILE


def test_only_long_lines_that_may_are_broken() -> None:
    assert "white-space:pre" not in plain_tip("a\n" + "word " * 20)
    assert "white-space:pre" in plain_tip("word " * 20, wraps=False)
    assert "white-space:pre" in plain_tip("two words\nand two more")


def test_none_stays_none() -> None:
    assert plain_tip("") == ""
