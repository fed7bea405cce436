"""Rows of boxes that break like words."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QSize


def flow(sizes: Sequence[QSize], width: int, gap: int, *, to_right: bool = False) -> tuple[list[QPoint], int]:
    """Where each box goes in rows of `width` pixels, `gap` apart, and the height of all rows.

    A box that is wider than a row has one of its own. `to_right` moves each row to the right end.
    """
    rows: list[list[int]] = []
    used = 0
    for index, size in enumerate(sizes):
        if rows and used + gap + size.width() <= width:
            rows[-1].append(index)
            used += gap + size.width()
        else:
            rows.append([index])
            used = size.width()
    places = [QPoint()] * len(sizes)
    top = 0
    for number, row in enumerate(rows):
        top += gap if number else 0
        taken = sum(sizes[index].width() for index in row) + gap * (len(row) - 1)
        left = max(0, width - taken) if to_right else 0
        for index in row:
            places[index] = QPoint(left, top)
            left += sizes[index].width() + gap
        top += max(sizes[index].height() for index in row)
    return places, top
