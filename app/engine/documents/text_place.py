"""Finding a text again where its blanks and ends of lines may be others."""

_SAME = str.maketrans({"\ufffe": "-", "\x02": "-", "\xad": None, "\0": None})
"""What readers make of PDFium's hyphens, and leave out."""


def place_of(text: str, page: str) -> tuple[int, int]:
    """From which character of a page to before which a text stands there; (0, 0) where it does not."""
    wanted = "".join(text.translate(_SAME).split())
    letters, places = [], []
    for place, letter in enumerate(page):
        if said := letter.translate(_SAME).strip():
            letters.append(said)
            places.append(place)
    at = "".join(letters).find(wanted) if wanted else -1
    return (places[at], places[at + len(wanted) - 1] + 1) if at >= 0 else (0, 0)
