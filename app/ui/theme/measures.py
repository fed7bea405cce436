"""Widths that several parts of the window share; nothing is imported here, for the first paint needs them."""

SIDEBAR = 250
"""Pixels, at the usual size of text."""
NARROW = 720
"""Pixels of the window's width below which there is no room for sidebar and conversation beside each other."""
COLUMN = 720
"""Pixels; the widest a line of the conversation gets."""
MARGIN = 24
"""Pixels at each side of the column, where it takes the whole width."""
_TIGHT = 560
"""Pixels of width below which the boxes at the lower end have smaller margins."""


def side_margin(width: int) -> int:
    """Pixels at each side of a box at the lower end, within `width`."""
    return max(MARGIN if width >= _TIGHT else MARGIN // 2, (width - COLUMN) // 2)
