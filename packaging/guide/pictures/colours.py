"""The colours that have a name, their shades, and the name of any pixel."""

import colorsys
import random
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

RGB = tuple[int, int, int]
Range = tuple[float, float]

COLOURS = ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "grey")
"""What a shape or a background can be; a grid's colour id is the index plus one, 0 is padding."""

PIXEL_NAMES = (*COLOURS, "beige")
"""What a pixel of any picture can be called."""

# Hue in degrees, saturation and value from 0 to 1. Between two names there is a gap, so that nobody disputes one.
_SHADES: dict[str, tuple[tuple[Range, Range, Range], ...]] = {
    "red": (((-7, 6), (0.8, 1), (0.72, 1)),),
    "orange": (((23, 37), (0.84, 1), (0.92, 1)),),
    "yellow": (((50, 60), (0.72, 1), (0.92, 1)),),
    "green": (((98, 148), (0.5, 1), (0.42, 0.88)), ((108, 132), (0.7, 1), (0.88, 1))),
    "blue": (((204, 240), (0.6, 1), (0.55, 1)),),
    "purple": (((268, 288), (0.5, 1), (0.5, 0.85)), ((288, 298), (0.6, 1), (0.46, 0.62))),
    "pink": (((322, 348), (0.3, 0.58), (0.94, 1)),),
    "brown": (((17, 30), (0.55, 0.88), (0.34, 0.54)),),
    "black": (((0, 360), (0, 0.2), (0, 0.08)),),
    "white": (((0, 360), (0, 0.015), (0.97, 1)),),
    "grey": (((0, 360), (0, 0.06), (0.4, 0.66)),),
}
_TINTS: dict[str, tuple[Range, Range, Range]] = {
    "light blue": ((200, 228), (0.2, 0.42), (0.9, 1)),
    "light green": ((98, 140), (0.22, 0.45), (0.85, 1)),
    "light grey": ((0, 360), (0, 0.025), (0.76, 0.86)),
    "dark blue": ((215, 240), (0.6, 1), (0.26, 0.42)),
    "dark green": ((105, 145), (0.55, 1), (0.22, 0.34)),
    "dark grey": ((0, 360), (0, 0.04), (0.235, 0.32)),
}
# What drawing programs offer; all of them are in the training's part.
_PURE: dict[str, tuple[RGB, ...]] = {
    "red": ((255, 0, 0),),
    "orange": ((255, 165, 0), (255, 128, 0)),
    "yellow": ((255, 255, 0),),
    "green": ((0, 255, 0), (0, 128, 0)),
    "blue": ((0, 0, 255),),
    "purple": ((128, 0, 128),),
    "pink": ((255, 192, 203), (255, 105, 180)),
    "brown": ((139, 69, 19),),
    "black": ((0, 0, 0),),
    "white": ((255, 255, 255),),
    "grey": ((128, 128, 128),),
}
TINTS = tuple(_TINTS)
"""Names of backgrounds beside COLOURS."""


def base_colour(name: str) -> str:
    """The entry of COLOURS that a background's name ends with."""
    return name.split()[-1]


def is_held_out(shade: RGB) -> bool:
    """Whether a shade is kept from training: about one in five, in small cubes spread over all colours."""
    red, green, blue = (channel // 6 for channel in shade)
    return (red + 2 * green + 3 * blue) % 5 == 3


def shade(rng: random.Random, name: str, *, held_out: bool = False) -> RGB:
    """A shade of one of COLOURS or TINTS, from the training's part of the colours or from the other one."""
    if not held_out and name in _PURE and rng.random() < 0.2:
        return rng.choice(_PURE[name])
    ranges = (_TINTS[name],) if name in _TINTS else _SHADES[name]
    while True:
        hue, saturation, value = (rng.uniform(*limits) for limits in rng.choice(ranges))
        red, green, blue = colorsys.hsv_to_rgb(hue % 360 / 360, saturation, value)
        found = (round(red * 255), round(green * 255), round(blue * 255))
        if is_held_out(found) == held_out:
            return found


def distance(one: RGB, other: RGB) -> float:
    """How different two shades look, 0 to about 765: the "redmean" approximation of CompuPhase."""
    mean = (one[0] + other[0]) / 2
    red, green, blue = (a - b for a, b in zip(one, other, strict=True))
    return float(((2 + mean / 256) * red**2 + 4 * green**2 + (2 + (255 - mean) / 256) * blue**2) ** 0.5)


def contrasts(one: RGB, others: Iterable[RGB], least: float) -> bool:
    return all(distance(one, other) >= least for other in others)


def name_pixels(pixels: NDArray[np.uint8]) -> NDArray[np.int64]:
    """The index in PIXEL_NAMES of every pixel; `pixels` is [..., 3], RGB."""
    rgb = pixels.astype(np.float32) / 255
    value, low = rgb.max(-1), rgb.min(-1)
    chroma = value - low
    saturation = chroma / np.maximum(value, 1e-6)
    red, green, blue = rgb[..., 0], rgb[..., 1], rgb[..., 2]
    spread = np.maximum(chroma, 1e-6)
    hue = np.where(
        value == red,
        (green - blue) / spread % 6,
        np.where(value == green, (blue - red) / spread + 2, (red - green) / spread + 4),
    )
    hue = hue * 60
    warm, reddish = (hue >= 12) & (hue < 46), (hue < 12) | (hue >= 349)
    pale = (saturation < 0.62) & (value > 0.75)
    rules = [  # the first that holds
        (value < 0.13, "black"),
        ((value < 0.22) & (saturation < 0.5), "black"),
        ((saturation < 0.1) & (value > 0.87), "white"),
        (saturation < 0.12, "grey"),
        (chroma < 0.09, "grey"),
        (reddish & pale, "pink"),
        (reddish & ((value < 0.6) & (saturation < 0.7)), "brown"),
        (reddish, "red"),
        (warm & (saturation < 0.55) & (value > 0.7), "beige"),
        (warm & (value < 0.72), "brown"),
        (warm, "orange"),
        ((hue < 68) & (saturation < 0.42) & (value > 0.7), "beige"),
        ((hue < 68) & (value > 0.68), "yellow"),
        (hue < 55, "brown"),
        (hue < 178, "green"),
        (hue < 256, "blue"),
        (hue < 312, "purple"),
        (value > 0.6, "pink"),
    ]
    conditions = [condition for condition, _ in rules]
    names = [PIXEL_NAMES.index(name) for _, name in rules]
    return np.select(conditions, names, PIXEL_NAMES.index("purple"))


def luminance(pixels: NDArray[np.uint8]) -> float:
    """Mean brightness as people see it, from 0 to 1: Rec. 601 luma of RGB pixels [..., 3]."""
    return float((pixels.reshape(-1, 3).mean(0) @ np.array([0.299, 0.587, 0.114])) / 255)
