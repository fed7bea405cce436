"""How much colours stand out from each other, and which of the themes' must."""

from functools import cache

TEXT_PAIRS = (
    *(("text", ground) for ground in ("window", "sidebar", "raised", "code", "bubble", "selected", "hover")),
    *(("text", ground) for ground in ("danger_soft", "selection", "found")),
    ("on_found", "found_now"),
    *(("muted", ground) for ground in ("window", "sidebar", "raised", "code", "hover", "selected")),
    *(("link", ground) for ground in ("window", "bubble", "raised", "hover", "selected")),
    *(("danger", ground) for ground in ("window", "danger_soft", "raised", "hover")),
    *(("warning", ground) for ground in ("window", "raised", "hover")),
    ("on_accent", "accent"),
    ("on_accent", "accent_hover"),
    *((f"code_{role}", "code") for role in ("keyword", "function", "string", "number", "comment", "type")),
)
"""Every pair (letters, ground) that the window draws; each has a contrast of at least 4.5:1."""

GRAPHIC_PAIRS = (
    *((f"part_{part}", "window") for part in ("weights", "kv", "compute", "checkpoints")),
    *((role, "raised") for role in ("accent", "warning", "danger", "muted")),
)
"""Shapes that say something; each has a contrast of at least 3:1 to its ground."""


def contrast(first: str, second: str) -> float:
    """WCAG 2 contrast ratio of two colours, 1 to 21."""
    lighter, darker = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


@cache
def _luminance(colour: str) -> float:
    channels = (int(colour[index : index + 2], 16) / 255 for index in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
