"""Tooltips of text that somebody else wrote. Qt has no plain format for them: what looks like HTML is read as such."""

from html import escape


def plain_tip(text: str, *, wraps: bool = True) -> str:
    """A tooltip that shows `text` as it is, with its line breaks; empty for none.

    `wraps`: long lines are broken.
    """
    if not text:
        return ""
    style = "" if wraps else " style='white-space:pre'"
    return f"<p{style}>" + escape(text, quote=False).replace("\n", "<br>") + "</p>"
