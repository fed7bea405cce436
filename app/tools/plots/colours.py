"""Colours as matplotlib names them."""

import re
from typing import Any

from PIL import ImageColor

Colour = tuple[int, int, int, int]
"""Red, green, blue, and how much one does not see through it."""

_CYCLE = ("#1f77b4", "#ff7f0e", "#2ca02c", "#d62728", "#9467bd", "#8c564b", "#e377c2", "#7f7f7f", "#bcbd22", "#17becf")
_TABLEAU = ("blue", "orange", "green", "red", "purple", "brown", "pink", "gray", "olive", "cyan")
_LETTERS = {"b": "#0000ff", "g": "#008000", "r": "#ff0000", "c": "#00bfbf"}
_LETTERS |= {"m": "#bf00bf", "y": "#bfbf00", "k": "#000000", "w": "#ffffff"}
_MAPS = {
    "viridis": ("#440154", "#3b528b", "#21918c", "#5ec962", "#fde725"),
    "plasma": ("#0d0887", "#7e03a8", "#cc4778", "#f89540", "#f0f921"),
    "hot": ("#0b0000", "#ff0000", "#ffff00", "#ffffff"),
    "gray": ("#000000", "#ffffff"),
    "Blues": ("#f7fbff", "#6baed6", "#08306b"),
    "coolwarm": ("#3b4cc0", "#dddddd", "#b40426"),
}


def colour_of(told: Any, alpha: Any = None) -> Colour:
    """As matplotlib names colours. Raises ValueError."""
    opacity = round(255 * min(max(float(alpha), 0), 1)) if alpha is not None else 255
    match told:
        case [str(name), int() | float() as place]:
            return (*mapped(name, float(place))[:3], opacity)
        case [*parts]:
            red, green, blue = (round(255 * min(max(float(each), 0), 1)) for each in parts[:3])
            own = round(255 * min(max(float(parts[3]), 0), 1)) if len(parts) > 3 and alpha is None else opacity
            return red, green, blue, own
    name = str(told)
    if name == "none":
        return 0, 0, 0, 0
    if re.fullmatch(r"C\d+", name):
        name = _CYCLE[int(name[1:]) % len(_CYCLE)]
    elif name.startswith("tab:"):
        name = _CYCLE[_TABLEAU.index(name[4:].replace("grey", "gray"))]
    elif re.fullmatch(r"[01]?\.\d+|[01]", name):
        name = "#" + f"{round(255 * float(name)):02x}" * 3
    red, green, blue, own = (*ImageColor.getrgb(_LETTERS.get(name, name)), 255)[:4]
    return red, green, blue, own if alpha is None else opacity


def mapped(name: str, place: float) -> Colour:
    """A colour of a map, from 0 to 1; of maps that are not here, viridis'."""
    is_reversed = name.endswith("_r")
    stops = _MAPS.get(name.removesuffix("_r"), _MAPS["viridis"])
    place = min(max(1 - place if is_reversed else place, 0.0), 1.0) * (len(stops) - 1)
    first = min(int(place), len(stops) - 2)
    a, b = (ImageColor.getrgb(each) for each in stops[first : first + 2])
    red, green, blue = (round(low + (high - low) * (place - first)) for low, high in zip(a[:3], b[:3], strict=True))
    return red, green, blue, 255
