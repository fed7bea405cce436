"""What can be asked about a picture and what is then answered, with the facts that the answer must hold."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from guide.pictures.colours import COLOURS, PIXEL_NAMES, base_colour
from guide.pictures.drawing import SHAPES
from guide.pictures.photos import Impression, impression
from guide.pictures.scenes import Cell, Item, Scene

NUMBERS = ("no", "one", "two", "three", "four", "five", "six")
PLACES = ("left", "right", "top", "bottom", "middle")
NO_PICTURE = (
    "I see no picture yet. Drop one on the window and ask again.",
    "There is no picture yet. Drop one on the window and ask again.",
)
ABILITY = (
    "Yes. Drop a picture on the window and ask about it. I see colours, simple shapes and whether it is light or dark.",
    "Yes, I can look at pictures. Drop one on the window. I see colours, simple shapes and light or dark.",
)


@dataclass(frozen=True)
class Saying:
    """A question that a picture can answer; the question's words are in `guide.pictures.questions`."""

    topic: str
    answers: tuple[str, ...]
    """Variants; the first is the more usual one."""
    facts: tuple[tuple[str, ...], ...] = ()
    never: tuple[str, ...] = ()
    slots: Mapping[str, str] = field(default_factory=dict)
    """What the question's blanks are filled with: shape, shapes, a_shape, colour, place, thing."""
    absent: bool = False
    """Whether the question is about something that is not there."""


def an(words: str) -> str:
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def listed(parts: list[str]) -> str:
    """one, "one and two" or "one, two and three" """
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def plural(shape: str) -> str:
    return f"{shape}es" if shape == "cross" else f"{shape}s"


def counted(number: int, shape: str) -> str:
    return f"{NUMBERS[number]} {shape if number == 1 else plural(shape)}"


def place(cell: Cell) -> str:
    row, column = cell
    if row and column:
        return f"in the {row} {column} corner"
    return f"at the {row}" if row else f"on the {column}" if column else "in the middle"


def spot(where: str) -> str:
    """One of PLACES as a phrase."""
    return "in the middle" if where == "middle" else f"{'on' if where in ('left', 'right') else 'at'} the {where}"


def word(name: str) -> str:
    """A regular expression for a colour or a shape, alone or as a plural."""
    name = base_colour(name)
    return r"\bgr[ae]y\b" if name == "grey" else rf"\b{name}(?:s|es)?\b"


def other_colours(*allowed: str) -> tuple[str, ...]:
    bases = {base_colour(name) for name in allowed}
    return tuple(word(name) for name in PIXEL_NAMES if name not in bases)


def other_shapes(*allowed: str) -> tuple[str, ...]:
    return tuple(word(name) for name in SHAPES if name not in allowed)


def _ordered(objects: tuple[Item, ...]) -> list[Item]:
    """As one reads, by thirds of the picture."""
    return sorted(objects, key=lambda item: (("top", "", "bottom").index(item.cell[0]), item.x))


def _groups(scene: Scene) -> list[tuple[int, str, str]]:
    """(number, colour, shape) of the kinds, the most frequent first."""
    kinds = Counter((item.colour, item.shape) for item in scene.objects)
    return sorted(((number, *kind) for kind, number in kinds.items()), key=lambda kind: (-kind[0], *kind[1:]))


def _things(scene: Scene) -> str:
    """ "a red circle", "two red circles and a blue star" """
    return listed(
        [an(f"{colour} {shape}") if number == 1 else f"{NUMBERS[number]} {colour} {plural(shape)}"
         for number, colour, shape in _groups(scene)]
    )  # fmt: skip


def description(scene: Scene) -> tuple[str, ...]:
    """The main facts in one sentence, in two wordings."""
    ground = f"on {an(scene.background.name)} background"
    if not scene.objects:
        name = scene.background.name
        return f"I see a plain {name} picture without any shape.", f"The picture is plain {name}, without any shape."
    if len(scene.objects) == 1:
        thing = f"{an(f'{scene.objects[0].colour} {scene.objects[0].shape}')} {place(scene.objects[0].cell)}"
        return f"I see {thing} {ground}.", f"There is {thing} {ground}."
    groups = _groups(scene)
    if len(groups) == len(scene.objects) <= 3:
        each = [f"{an(f'{item.colour} {item.shape}')} {place(item.cell)}" for item in _ordered(scene.objects)]
        number = NUMBERS[len(each)]
        return f"{number.capitalize()} shapes: {listed(each)}, {ground}.", f"I see {listed(each)}, {ground}."
    verb = "is" if groups[0][0] == 1 else "are"
    return f"There {verb} {_things(scene)} {ground}.", f"I see {_things(scene)} {ground}."


def brightness(look: Impression) -> str:
    words = {"bright": "rather bright", "dark": "rather dark", "medium": "neither bright nor dark"}
    return words[look.brightness]


def scene_sayings(scene: Scene) -> list[Saying]:
    """Everything that can be asked about a scene."""
    name, look = scene.background.name, impression(scene.image)
    shapes = Counter(item.shape for item in scene.objects)
    found = [
        Saying("describe", description(scene)),
        Saying("background", (f"The background is {name}.", f"It has {an(name)} background."), ((word(name),),)),
        light_saying(look),
        Saying(
            "photo", ("It is a drawing of simple shapes, not a photo.", "It looks like a simple drawing, not a photo.")
        ),
        Saying("count_all", _how_many(scene)),
        *_sizes(scene),
        *_colours(scene),
        *_shapes(scene),
        *(_place_saying(scene, where) for where in PLACES),
        *(_exists(scene, shape) for shape in SHAPES),
        *(_exists_colour(scene, colour) for colour in COLOURS if colour != base_colour(name)),
        *(beyond_saying(thing, description(scene)[0]) for thing in THINGS),
    ]
    for shape, number in shapes.items():
        wrong = tuple(rf"\b{other}\b" for other in NUMBERS[1:] if other != NUMBERS[number])
        found.append(
            Saying(
                "count",
                (f"{counted(number, shape).capitalize()}.",),
                ((rf"\b{NUMBERS[number]}\b", rf"\b{number}\b"),),
                wrong,
                {"shape": shape, "shapes": plural(shape)},
            )
        )
        if number == 1:
            item = next(item for item in scene.objects if item.shape == shape)
            found += [_where(item), _colour_of(item, name)]
    for missing in (shape for shape in SHAPES if shape not in shapes):
        slots = {"shape": missing, "shapes": plural(missing)}
        found.append(Saying("count", (f"No {plural(missing)}. {description(scene)[0]}",), slots=slots, absent=True))
        absent = (f"There is no {missing}. {description(scene)[0]}",)
        found.append(Saying("where", absent, slots=slots, absent=True))
    return found


def _how_many(scene: Scene) -> tuple[str, ...]:
    if not scene.objects:
        return (description(scene)[0],)
    number = len(scene.objects)
    return (f"{counted(number, 'shape').capitalize()}: {_things(scene)}.",)


LARGE, SMALL = 0.22, 0.12
"""Radii from which and to which a shape is called large and small, as parts of the picture's longer side."""
_UNSURE = 0.02
"""Nothing is asked about a size so near to one of them."""


def _sizes(scene: Scene) -> list[Saying]:
    """The size of a single shape, where it is plain."""
    if len(scene.objects) != 1:
        return []
    (item,) = scene.objects
    if min(abs(item.radius - LARGE), abs(item.radius - SMALL)) < _UNSURE:
        return []
    size = "large" if item.radius > LARGE else "small" if item.radius < SMALL else "of middle size"
    return [Saying("size", (f"The {item.shape} is {size}.", f"It is {size}."), ((rf"\b{size}\b",),))]


def light_saying(look: Impression) -> Saying:
    words = brightness(look)
    right = {"bright": (r"\bbright\b", r"\blight\b"), "dark": (r"\bdark\b",), "medium": (r"\bneither\b",)}
    wrong = {"bright": (r"\bdark\b", "neither"), "dark": (r"\bbright\b", r"\blight\b"), "medium": ()}
    return Saying(
        "light",
        (f"The picture is {words}.", f"It is {words}."),
        (right[look.brightness],),
        wrong[look.brightness],
    )


def _colours(scene: Scene) -> list[Saying]:
    groups = _groups(scene)
    if not groups:
        return [Saying("colour", description(scene))]
    colours = {colour for _, colour, _ in groups}
    if len(groups) == 1:
        number, colour, shape = groups[0]
        answers = (
            (f"The {shape} is {colour}.", f"It is {colour}: {an(f'{colour} {shape}')}.")
            if number == 1
            else (f"The {plural(shape)} are {colour}.", f"They are {colour}: {_things(scene)}.")
        )
        return [Saying("colour", answers, ((word(colour),),), other_colours(colour, scene.background.name))]
    if len(colours) == 1:
        return [Saying("colour", (f"All shapes are {colours.pop()}: {_things(scene)}.",))]
    each = [
        f"the {shape if number == 1 else plural(shape)} {'is' if number == 1 else 'are'} {colour}"
        for number, colour, shape in groups
    ]
    return [Saying("colour", (f"{listed(each).capitalize()}.",))]


def _colour_of(item: Item, ground: str) -> Saying:
    return Saying(
        "colour_of",
        (f"The {item.shape} is {item.colour}.",),
        ((word(item.colour),),),
        other_colours(item.colour, ground),
        {"shape": item.shape},
    )


def _shapes(scene: Scene) -> list[Saying]:
    groups = _groups(scene)
    if not groups:
        return [Saying("shape", (f"There is no shape. The picture is plain {scene.background.name}.",))]
    if len(groups) == 1:
        number, colour, shape = groups[0]
        answers = (
            (f"It is {an(shape)}.", f"It is {an(f'{colour} {shape}')}.")
            if number == 1
            else (f"They are {plural(shape)}. There are {NUMBERS[number]}.",)
        )
        return [Saying("shape", answers, ((word(shape),),), other_shapes(shape))]
    return [Saying("shape", (f"I see {_things(scene)}.",))]


def _where(item: Item) -> Saying:
    # The place comes first, as a number does where things are counted: the first tokens are learnt best.
    row, column = item.cell
    words = [part for part in (row, column) if part]
    middle = ("middle", "cent(?:re|er)")
    return Saying(
        "where",
        (f"{place(item.cell).capitalize()}.",),
        tuple((rf"\b{part}\b",) for part in words) or (middle,),
        tuple(rf"\b{part}\b" for part in PLACES if part not in (words or middle)),
        {"shape": item.shape},
    )


def _is_at(item: Item, where: str) -> bool:
    return item.cell == ("", "") if where == "middle" else where in item.cell


def _place_saying(scene: Scene, where: str) -> Saying:
    here = [item for item in _ordered(scene.objects) if _is_at(item, where)]
    if not here:
        sentence = f"There is no shape {spot(where)}."
        rest = f" {description(scene)[0]}" if scene.objects else f" The picture is plain {scene.background.name}."
        return Saying("place", (sentence + rest,), slots={"place": where}, absent=True)
    part = Scene(scene.image, tuple(here), scene.background)
    verb = "is" if _groups(part)[0][0] == 1 else "are"
    return Saying("place", (f"There {verb} {_things(part)} {spot(where)}.",), slots={"place": where})


def _exists(scene: Scene, shape: str) -> Saying:
    here = [item for item in scene.objects if item.shape == shape]
    slots = {"shape": shape, "shapes": plural(shape), "a_shape": an(shape)}
    if not here:
        return Saying("exists", (f"No, there is no {shape}. {description(scene)[0]}",), slots=slots, absent=True)
    if len(here) == 1:
        return Saying(
            "exists", (f"Yes, there is {an(f'{here[0].colour} {shape}')} {place(here[0].cell)}.",), slots=slots
        )
    part = Scene(scene.image, tuple(here), scene.background)
    return Saying("exists", (f"Yes, there are {_things(part)}.",), slots=slots)


def _exists_colour(scene: Scene, colour: str) -> Saying:
    here = tuple(item for item in scene.objects if item.colour == colour)
    if not here:
        return Saying(
            "exists_colour",
            (f"No, nothing is {colour}. {description(scene)[0]}",),
            slots={"colour": colour},
            absent=True,
        )
    part = Scene(scene.image, here, scene.background)
    verb = "is" if _groups(part)[0][0] == 1 else "are"
    return Saying("exists_colour", (f"Yes, there {verb} {_things(part)}.",), slots={"colour": colour})


THINGS = ("person", "face", "dog", "cat", "car", "tree", "house", "text", "word", "bird", "flower", "name", "animal")
"""What the guide cannot recognise and says so."""


def beyond_saying(thing: str, seen: str) -> Saying:
    if thing in ("text", "word", "name"):
        return Saying("read", (f"I cannot read text in a picture. {seen}",))
    return Saying(
        "beyond",
        (f"I cannot tell. I know only colours and simple shapes. {seen}",),
        slots={"thing": thing},
    )
