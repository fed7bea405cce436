"""What can be asked about a photo or a page and what is then answered: what its pixels say, and no more."""

import re

from guide.pictures.captions import (
    PLACES,
    THINGS,
    Saying,
    an,
    beyond_saying,
    brightness,
    light_saying,
    other_colours,
    plural,
    spot,
    word,
)
from guide.pictures.colours import PIXEL_NAMES
from guide.pictures.drawing import SHAPES
from guide.pictures.photos import Impression, Photo, impression


def colour_layout(look: Impression) -> str:
    """ "mostly blue at the top and green at the bottom", true of any picture with that impression"""
    if look.top != look.bottom:
        return f"mostly {look.top} at the top and {look.bottom} at the bottom"
    if look.left != look.right:
        return f"mostly {look.left} on the left and {look.right} on the right"
    if look.middle != look.top:
        return f"mostly {look.top}, with {look.middle} in the middle"
    return f"mostly {look.top}"


_SKY = ("blue", "white", "grey", "orange", "pink", "purple", "black")
_GROUND = ("green", "brown", "beige", "yellow", "blue", "white", "grey", "black")


def photo_description(photo: Photo, look: Impression) -> tuple[str, ...]:
    """What may be said about any photo: colours, layout, brightness, and at most a cautious guess."""
    if photo.page:
        return (f"It looks like a page or a screenshot with text, {colour_layout(look)}. I cannot read it.",)
    guess = ""
    if look.top in _SKY and look.bottom in _GROUND and look.top != look.bottom:
        guess = " It may be a landscape."
    return (
        f"It looks like a photo. It is {colour_layout(look)}, and {brightness(look)}.{guess}",
        f"I see a photo, {colour_layout(look)}. It is {brightness(look)}.{guess}",
    )


def photo_sayings(photo: Photo) -> list[Saying]:
    """Everything that can be asked about a photo or a page."""
    look = impression(photo.image)
    seen, layout = photo_description(photo, look), colour_layout(look)
    kind = "a page or a screenshot with text" if photo.page else "a photo"
    named = tuple(dict.fromkeys(re.findall("|".join(PIXEL_NAMES), layout)))
    facts, never = tuple((word(name),) for name in named), other_colours(*named)
    parts = dict(zip(PLACES, (look.left, look.right, look.top, look.bottom, look.middle), strict=True))
    no_shape = f"It looks like {kind}, {layout}."
    return [
        Saying("describe", seen, facts, never),
        Saying("colour", (f"It is {layout}.",), facts, never),
        Saying("background", (no_shape,)),
        light_saying(look),
        Saying("photo", (f"It looks like {kind}, not a drawing.",)),
        Saying("shape", (f"I see no simple shape. {no_shape}",)),
        Saying("count_all", (f"I see no simple shapes to count. {no_shape}",)),
        *(
            Saying("place", (f"It is mostly {name} {spot(where)}.",), slots={"place": where})
            for where, name in parts.items()
        ),
        *(_no_such_shape(shape, no_shape) for shape in SHAPES),
        *(beyond_saying(thing, no_shape) for thing in THINGS),
    ]


def _no_such_shape(shape: str, seen: str) -> Saying:
    slots = {"shape": shape, "shapes": plural(shape), "a_shape": an(shape)}
    return Saying("exists", (f"I see no {shape}. {seen}",), slots=slots, absent=True)
