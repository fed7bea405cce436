"""What a block says and how much room it takes, without a widget for it."""

from collections.abc import Sequence

from app.ui.richtext.document_text import anchors_of, whole
from app.ui.richtext.formulas import readable
from app.ui.richtext.markdown_blocks import Block, Code, Prose
from app.ui.richtext.safe_document import SafeDocument

GAP = 12
_HEADING_GAP, _ABOVE_HEADING = 4, 22
"""Pixels below a block, below a heading, and above one: it belongs to what follows it."""
_CODE_CHROME = 66
_CODE_LINE = 20
_PROSE_LINE = 23
_PROSE_GAP = 12
_LETTER = 7.3


def plain_text(block: Block) -> str:
    """As it would be copied from the screen."""
    return block.text if isinstance(block, Code) else whole(document_of(block))


def raw_text(block: Block) -> str:
    """One UTF-16 unit for each place in the block's document: what places are looked up in."""
    return block.text if isinstance(block, Code) else document_of(block).toPlainText()


def note_place(block: Block, name: str) -> int | None:
    """Where the footnote `name` begins, if it is here."""
    if isinstance(block, Code) or f'name="{name}"' not in block.html:
        return None
    return anchors_of(document_of(block)).get(name, 0)


def note_text(blocks: Sequence[Block], name: str) -> str:
    """What the footnote `name` says; empty where there is none."""
    found = (each for each in reversed(blocks) if note_place(each, name) is not None)
    block = next(found, None)
    return plain_text(block).strip() if block is not None else ""


def gap_below(block: Block, following: Block | None, *, is_line: bool) -> int:
    """Pixels between a block and the one on screen below it. A line is what a fold is opened by."""
    if isinstance(following, Prose) and following.is_rest:
        return 0
    if _is_heading(following):
        return _ABOVE_HEADING
    return _HEADING_GAP if is_line or _is_heading(block) else GAP


def _is_heading(block: Block | None) -> bool:
    return isinstance(block, Prose) and block.html.startswith('<p class="h')


def estimated_height(block: Block, width: int) -> int:
    """Pixels; a guess that costs next to nothing."""
    if isinstance(block, Code):
        return _CODE_CHROME + (block.text.count("\n") + 1) * _CODE_LINE
    source = block.source or block.html
    per_line = max(10.0, width / _LETTER)
    lines = source.count("\n") + len(source) / per_line
    return int((lines + 0.7) * _PROSE_LINE) + _PROSE_GAP


def document_of(block: Prose) -> SafeDocument:
    """The block as it is on screen, but for sizes and colours: with the same places."""
    made = SafeDocument()
    made.setHtml(readable(block.html) if "<img" in block.html else block.html)
    return made
