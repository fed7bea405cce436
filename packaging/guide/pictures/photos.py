"""Photo-like pictures and pages of text, and what can truly be said about the colours of any picture."""

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter, ImageFont

from guide.pictures.colours import PIXEL_NAMES, RGB, luminance, name_pixels
from guide.pictures.drawing import gradient
from guide.pictures.scenes import add_noise, compressed, random_size

SAMPLES = 30
"""A picture is judged by this many averaged pixels a side; divisible by three."""
BRIGHT, DARK = 0.6, 0.35
"""From and up to which mean luminance a picture is called bright and dark."""


@dataclass(frozen=True)
class Impression:
    """What the pixels of a picture say; names are of PIXEL_NAMES."""

    most: str
    top: str
    bottom: str
    left: str
    right: str
    middle: str
    surroundings: str
    luminance: float
    """From 0 to 1."""
    sure: float
    """Share of the name in its third, the lower one of top and bottom: how clear the description is."""

    @property
    def brightness(self) -> str:
        """bright, dark or medium"""
        return "bright" if self.luminance > BRIGHT else "dark" if self.luminance < DARK else "medium"


def impression(picture: Image.Image) -> Impression:
    """The dominating colours of the thirds of any RGB picture, and its brightness."""
    small = np.asarray(picture.resize((SAMPLES, SAMPLES), Image.Resampling.BOX))
    names = name_pixels(small)
    third = SAMPLES // 3
    inside = np.zeros((SAMPLES, SAMPLES), bool)
    inside[third - 1 : 1 - third, third - 1 : 1 - third] = True
    top, sure_top = _dominating(names[:third])
    bottom, sure_bottom = _dominating(names[-third:])
    return Impression(
        most=_dominating(names)[0],
        top=top,
        bottom=bottom,
        left=_dominating(names[:, :third])[0],
        right=_dominating(names[:, -third:])[0],
        middle=_dominating(names[inside])[0],
        surroundings=_dominating(names[~inside])[0],
        luminance=luminance(small),
        sure=min(sure_top, sure_bottom),
    )


def _dominating(names: NDArray[np.int64]) -> tuple[str, float]:
    index, number = Counter(names.ravel().tolist()).most_common(1)[0]
    return PIXEL_NAMES[index], number / names.size


@dataclass(frozen=True)
class Photo:
    image: Image.Image
    """RGB."""
    page: bool = False
    """Whether it shows lines of text rather than a photo-like thing."""


# Colours of the top and of the bottom of each part; a picture takes a shade near them.
_SKIES: dict[str, tuple[RGB, RGB]] = {
    "clear": ((70, 130, 215), (150, 195, 240)),
    "deep": ((35, 85, 185), (95, 150, 225)),
    "cloudy": ((160, 163, 168), (205, 207, 210)),
    "pale": ((232, 234, 238), (248, 248, 250)),
    "sunset": ((225, 100, 30), (250, 170, 50)),
    "glow": ((235, 120, 150), (250, 175, 180)),
    "dusk": ((85, 40, 125), (150, 75, 165)),
    "night": ((6, 7, 14), (16, 17, 26)),
}
_GROUNDS: dict[str, tuple[RGB, RGB]] = {
    "grass": ((95, 160, 55), (50, 115, 30)),
    "forest": ((35, 90, 40), (20, 62, 26)),
    "sand": ((228, 203, 150), (212, 182, 125)),
    "earth": ((125, 80, 42), (92, 56, 28)),
    "sea": ((35, 95, 165), (15, 60, 125)),
    "snow": ((246, 248, 250), (232, 235, 240)),
    "street": ((120, 121, 124), (88, 89, 92)),
    "field": ((238, 205, 55), (215, 178, 40)),
    "shadow": ((20, 20, 22), (8, 8, 9)),
    "flowers": ((205, 40, 45), (170, 25, 35)),
}


def photo(rng: random.Random) -> Photo:
    """A random photo-like picture or, now and then, a page."""
    kinds: tuple[tuple[Callable[[random.Random], Photo], float], ...] = (
        (_landscape, 0.52),
        (_close_up, 0.14),
        (_portrait, 0.12),
        (_room, 0.12),
        (page, 0.1),
    )
    made = rng.choices([kind for kind, _ in kinds], [weight for _, weight in kinds])[0](rng)
    if made.page or rng.random() < 0.3:
        return made
    return Photo(compressed(made.image, rng.randint(55, 92)))


def page(rng: random.Random) -> Photo:
    """Lines of text on a light or dark ground, as on a screenshot or a scanned page."""
    width, height = random_size(rng)
    width, height = max(width, 128), max(height, 128)
    dark = rng.random() < 0.3
    ground, ink = ((rng.randint(10, 32),) * 3, (215,) * 3) if dark else ((rng.randint(240, 255),) * 3, (25,) * 3)
    picture = Image.new("RGB", (width, height), ground)
    draw = ImageDraw.Draw(picture)
    size = rng.randint(8, 13) * max(width, height) / 200
    font = ImageFont.load_default(size)
    margin = round(width * rng.uniform(0.04, 0.12))
    y = float(margin)
    if rng.random() < 0.5:
        draw.rectangle((0, 0, width, y), fill=tuple(rng.randint(60, 200) for _ in range(3)))
        y *= 1.6
    while y < height - margin - size:
        if rng.random() < 0.15:
            y += size
        words = " ".join(
            "".join(rng.choices("aeioutnrsldhcmg", k=rng.randint(2, 9))) for _ in range(rng.randint(3, 14))
        )
        length = round((width - 2 * margin) / (0.5 * size))
        draw.text((margin, y), words[:length], fill=ink, font=font)
        y += size * rng.uniform(1.3, 1.4)
    return Photo(picture, page=True)


def _near(rng: random.Random, colour: RGB, by: int = 9) -> RGB:
    shift = rng.randint(-by, by)
    red, green, blue = (min(max(part + shift + rng.randint(-4, 4), 0), 255) for part in colour)
    return red, green, blue


def _landscape(rng: random.Random) -> Photo:
    size = width, height = random_size(rng)
    sky = rng.choice(list(_SKIES))
    ground = rng.choice([name for name in _GROUNDS if sky != "night" or name in ("shadow", "forest", "street", "sea")])
    over, under = ([_near(rng, part) for part in parts] for parts in (_SKIES[sky], _GROUNDS[ground]))
    horizon = round(height * rng.uniform(0.38, 0.62))
    picture = gradient(size, over[0], over[1])
    draw = ImageDraw.Draw(picture)
    if sky in ("clear", "deep", "sunset") and rng.random() < 0.5:
        for _ in range(rng.randint(1, 5)):
            x, y, r = rng.uniform(0, width), rng.uniform(0, horizon * 0.7), rng.uniform(0.03, 0.1) * width
            draw.ellipse((x - 2 * r, y - r / 2, x + 2 * r, y + r / 2), fill=_near(rng, (238, 240, 243)))
    if sky in ("sunset", "glow", "clear", "night") and rng.random() < 0.5:
        x, y, r = rng.uniform(0.15, 0.85) * width, rng.uniform(0.3, 0.9) * horizon, rng.uniform(0.02, 0.07) * width
        draw.ellipse((x - r, y - r, x + r, y + r), fill=_near(rng, (252, 240, 190)))
    if sky == "night":
        for _ in range(rng.randint(0, 30)):
            picture.putpixel((rng.randrange(width), rng.randrange(horizon)), (230, 230, 220))
    _hills(rng, draw, size, horizon, under[0], under[1])
    picture = picture.filter(ImageFilter.GaussianBlur(max(width, height) / 150))
    return Photo(add_noise(rng, picture, rng.uniform(2, 9)))


def _hills(
    rng: random.Random, draw: ImageDraw.ImageDraw, size: tuple[int, int], horizon: int, far: RGB, near: RGB
) -> None:
    """Ground from the horizon down, in bands that grow closer, with tufts or waves on it."""
    width, height = size
    bands = rng.randint(3, 6)
    rough = rng.choice((0, 0.02, 0.06)) * height
    for band in range(bands):
        part = band / (bands - 1)
        ink = tuple(round(a + (b - a) * part) for a, b in zip(far, near, strict=True))
        y = horizon + (height - horizon) * band / bands
        step = width / 6
        edge = [(x * step, y + rng.uniform(-rough, rough)) for x in range(8)]
        draw.polygon([*edge, (width + step, height), (0, height)], fill=ink)
    for _ in range(rng.randint(0, 40)):
        x, y, r = rng.uniform(0, width), rng.uniform(horizon + rough, height), rng.uniform(0.005, 0.02) * width
        draw.ellipse((x - 2 * r, y - r, x + 2 * r, y + r), fill=_near(rng, near, 16))


def _blobs(rng: random.Random, size: tuple[int, int], colour: RGB, spread: int) -> Image.Image:
    """Soft patches of shades of one colour, as leaves, fur or water have."""
    small = (max(size[0] // 14, 4), max(size[1] // 14, 4))
    noise = np.random.default_rng(rng.getrandbits(32))
    light = noise.normal(0, spread, (small[1], small[0], 1)) + noise.normal(0, 3, (small[1], small[0], 3))
    factor = 1 + light / 128
    tones = np.clip(np.array(colour) * factor, 0, 255).astype(np.uint8)
    return Image.fromarray(tones).resize(size, Image.Resampling.BICUBIC)


def _any_tone(rng: random.Random) -> RGB:
    tones = [tone for pair in (*_SKIES.values(), *_GROUNDS.values()) for tone in pair]
    return _near(rng, rng.choice(tones))


def _close_up(rng: random.Random) -> Photo:
    size = random_size(rng)
    picture = _blobs(rng, size, _any_tone(rng), rng.randint(6, 20))
    return Photo(add_noise(rng, picture, rng.uniform(2, 8)))


def _portrait(rng: random.Random) -> Photo:
    """Head and shoulders, or any one thing in the middle, before a blurred ground."""
    size = width, height = random_size(rng)
    picture = _blobs(rng, size, _any_tone(rng), rng.randint(3, 14))
    draw = ImageDraw.Draw(picture)
    skin = rng.choice(((225, 180, 150), (200, 150, 110), (120, 80, 50), (90, 55, 35)))
    x, y, r = width * rng.uniform(0.44, 0.56), height * rng.uniform(0.38, 0.46), min(width, height) * 0.2
    hair, cloth = _near(rng, rng.choice(((25, 20, 18), (90, 60, 30), (190, 150, 80)))), _any_tone(rng)
    draw.ellipse((x - 2 * r, y + 1.1 * r, x + 2 * r, height + 2 * r), fill=cloth)
    draw.ellipse((x - 1.05 * r, y - 1.45 * r, x + 1.05 * r, y + 0.7 * r), fill=hair)
    draw.ellipse((x - 0.85 * r, y - 1.1 * r, x + 0.85 * r, y + 1.2 * r), fill=_near(rng, skin))
    picture = picture.filter(ImageFilter.GaussianBlur(max(size) / 110))
    return Photo(add_noise(rng, picture, rng.uniform(2, 7)))


def _room(rng: random.Random) -> Photo:
    """A wall, a floor and blocks before them."""
    size = width, height = random_size(rng)
    wall, floor = (_any_tone(rng) for _ in range(2))
    picture = gradient(size, _near(rng, wall, 4), wall, sideways=True)
    draw = ImageDraw.Draw(picture)
    edge = round(height * rng.uniform(0.55, 0.68))
    draw.rectangle((0, edge, width, height), fill=floor)
    for _ in range(rng.randint(1, 4)):
        x, w, h = rng.uniform(-0.1, 0.8) * width, rng.uniform(0.12, 0.35) * width, rng.uniform(0.1, 0.4) * height
        base = edge + rng.uniform(-0.3, 0.2) * height
        draw.rectangle((x, base - h, x + w, base), fill=_any_tone(rng))
    picture = picture.filter(ImageFilter.GaussianBlur(max(size) / 170))
    return Photo(add_noise(rng, picture, rng.uniform(2, 8)))
