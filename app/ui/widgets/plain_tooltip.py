"""Tooltips of text that somebody else wrote. Qt has no plain format for them: what looks like HTML is read as such."""

from html import escape

_SHORT = 60
"""Characters. Qt would break even two words, for the sake of a box that is as high as it is wide."""


def plain_tip(text: str, *, wraps: bool = True) -> str:
    """A tooltip that shows `text` as it is, with its line breaks; empty for none.

    `wraps`: long lines are broken, if there are any.
    """
    if not text:
        return ""
    is_long = any(len(line) > _SHORT for line in text.split("\n"))
    style = "" if wraps and is_long else " style='white-space:pre'"
    return f"<p{style}>" + escape(text, quote=False).replace("\n", "<br>") + "</p>"
