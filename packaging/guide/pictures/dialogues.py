"""Talk about drawn pictures and photo-like ones, for training and for evaluation."""

import random
from collections.abc import Sequence

from PIL.Image import Image

from guide.dialogue import Dialogue, Turn
from guide.judging import DECISIVE
from guide.pictures.captions import ABILITY, NO_PICTURE, PLACES, Saying, an, plural, scene_sayings
from guide.pictures.comparisons import is_alike, pair_sayings, random_pair
from guide.pictures.evaluation import held_out_pictures
from guide.pictures.photo_captions import photo_sayings
from guide.pictures.photos import photo
from guide.pictures.questions import MISSING, NEED_PICTURE, ask
from guide.pictures.scenes import CELLS, COLOURS, SHAPES, compose, scene

__all__ = ["held_out_pictures", "picture_dialogue"]

_WEIGHTS = {
    "describe": 24,
    "colour": 16,
    "shape": 14,
    "count": 18,
    "count_all": 6,
    "where": 12,
    "exists": 5,
    "exists_colour": 4,
    "light": 7,
    "background": 7,
    "place": 7,
    "photo": 4,
    "beyond": 3,
    "read": 1,
    "colour_of": 9,
    "size": 3,
}
_COMPARED = {"compare_same": 3, "compare_changed": 4, "compare_darker": 2, "compare_brighter": 2}
_ALIKE = 0.3
"""What is left of that weight where two pictures are as bright as each other, as most pairs are."""
_DRILLS = 0.5
"""Share of the talk about drawings that begins with a number or a place, in pictures drawn for it."""
_HERE = (
    "here",
    "Here it is.",
    "here you go",
    "there",
    "now?",
    "Here.",
    "ok here it is",
    "sorry, here",
    "done",
    "and now?",
)
_ASKED_ON = {"where": ("where_it", 4), "colour_of": ("colour_it", 3), "size": ("size_it", 2), "shape": ("shape_it", 2)}
"""Topics that are asked for with a pronoun too, with the wordings for that and a weight."""
_SMALL_TALK = (
    (("thanks", "thank you", "Thanks!", "thx", "great, thanks", "Thank you very much."), ("You are welcome.",)),
    (("nice", "cool", "Great!", "wow", "well done", "that is right", "correct", "Good."), ("I am glad to hear that.",)),
    (("bye", "Goodbye!", "see you", "that is all"), ("Goodbye. Come back when you like.",)),
)
_GREETINGS = (
    (("hi", "hello", "Hello!", "hey", "Hi there", "good morning"), ("Hello. What can I do for you?",)),
    (("how are you?", "how are you", "How are you today?"), ("I am fine. What can I do for you?",)),
)
_Subject = tuple[Image, list[Saying]]


def picture_dialogue(rng: random.Random) -> Dialogue:
    """A random dialogue of one to five questions, about one or two pictures or about one that is missing."""
    draw = rng.random()
    if draw < 0.11:
        turns = _without_picture(rng)
    elif draw < 0.45:
        turns = _comparison(rng)
    elif draw < 0.6:
        turns = _asking_on(rng)
    elif rng.random() < _DRILLS:
        turns = _drill(rng)
    else:
        turns = _about(rng, _subject(rng))
    return Dialogue(tuple(turns), kind="picture")


def _subject(rng: random.Random) -> _Subject:
    if rng.random() < 0.18:
        taken = photo(rng)
        return taken.image, photo_sayings(taken)
    drawn = scene(rng)
    return drawn.image, scene_sayings(drawn)


def _drill(rng: random.Random) -> list[Turn]:
    """A number or a place first: one to six shapes, all equally often, or one to three anywhere; then more questions.

    In any picture there would be one shape too often, and too often in the middle.
    """
    topic = "count" if rng.random() < 0.5 else "where"
    if topic == "count":
        drawn = compose(rng, rng.randint(1, 6), equal=True if rng.random() < 0.8 else None)
    else:
        number = rng.choice((1, 1, 2, 2, 3))
        drawn = compose(rng, number, equal=False, cell=rng.choice(CELLS))
    sayings = scene_sayings(drawn)
    there = [saying for saying in sayings if saying.topic == topic and not saying.absent]
    rng.shuffle(there)
    turns = _exchange(rng, there[0], (drawn.image,))
    for saying in there[1:]:
        turns += _exchange(rng, saying)
    asked = {topic}
    for _ in range(rng.choice((0, 1, 1, 2))):
        turns += _exchange(rng, _choose(rng, sayings, asked))
    return turns


def _asking_on(rng: random.Random) -> list[Turn]:
    """A shape is named by the picture's first question or its answer, and is "it" in those that follow."""
    drawn = compose(rng, rng.choice((1, 1, 1, 1, 2, 3)), equal=False, cell=rng.choice(CELLS))
    sayings = scene_sayings(drawn)
    if len(drawn.objects) == 1:
        turns = _shown(rng, (drawn.image, sayings), set())
        named = drawn.objects[0].shape
    else:
        named = rng.choice([item.shape for item in drawn.objects])
        about = [each for each in sayings if each.topic in ("exists", "count") and each.slots["shape"] == named]
        turns = _exchange(rng, rng.choice(about), (drawn.image,))
    left = [each for each in sayings if each.topic in _ASKED_ON and each.slots.get("shape", named) == named]
    if len(drawn.objects) > 1:  # its shape was said, and the size is that of a single one
        left = [each for each in left if each.topic in ("where", "colour_of")]
    for _ in range(rng.choice((1, 2, 2, 3, 3))):
        if not left:
            break
        saying = rng.choices(left, [_ASKED_ON[each.topic][1] for each in left])[0]
        left.remove(saying)
        words = ask(rng, _ASKED_ON[saying.topic][0], saying.slots)
        turns += [Turn("user", words), Turn("assistant", _answer(rng, saying))]
    if rng.random() < 0.3:
        turns += _exchange(rng, _choose(rng, [each for each in sayings if each.topic in _ELSE], set()))
    return turns


_ELSE = ("count_all", "background", "light")
"""What is asked after a shape: the picture, without its name."""


def _choose(rng: random.Random, sayings: Sequence[Saying], asked: set[str]) -> Saying:
    """A saying by the weight of its topic, of a topic not yet asked about; of several of one topic, any."""
    topics = sorted({saying.topic for saying in sayings} - asked)
    topic = rng.choices(topics, [_WEIGHTS[name] for name in topics])[0]
    asked.add(topic)
    fitting = [saying for saying in sayings if saying.topic == topic]
    there = [saying for saying in fitting if not saying.absent]
    if there and rng.random() < (0.85 if topic in ("count", "where") else 0.5):
        fitting = there
    return rng.choice(fitting)


def _answer(rng: random.Random, saying: Saying) -> str:
    return rng.choices(saying.answers, [3, 1][: len(saying.answers)])[0]


def _exchange(rng: random.Random, saying: Saying, pictures: tuple[Image, ...] = ()) -> list[Turn]:
    decisive = DECISIVE if saying.topic in _COMPARED else ""
    answer = Turn("assistant", _answer(rng, saying), decisive=decisive)
    return [Turn("user", ask(rng, saying.topic, saying.slots), pictures), answer]


def _chat(rng: random.Random, table: Sequence[tuple[tuple[str, ...], tuple[str, ...]]]) -> list[Turn]:
    asked, answered = rng.choice(table)
    return [Turn("user", rng.choice(asked)), Turn("assistant", rng.choice(answered))]


def _missing(rng: random.Random) -> list[Turn]:
    shape = rng.choice(SHAPES)
    slots = {"shape": shape, "shapes": plural(shape), "a_shape": an(shape)}
    slots |= {"colour": rng.choice(COLOURS), "place": rng.choice(PLACES)}
    topic = MISSING if rng.random() < 0.5 else rng.choice(NEED_PICTURE)
    return [Turn("user", ask(rng, topic, slots)), Turn("assistant", rng.choice(NO_PICTURE))]


def _ability(rng: random.Random) -> list[Turn]:
    return [Turn("user", ask(rng, "ability")), Turn("assistant", rng.choice(ABILITY))]


def _without_picture(rng: random.Random) -> list[Turn]:
    turns = _chat(rng, _GREETINGS) if rng.random() < 0.25 else []
    turns += _ability(rng) if rng.random() < 0.2 else _missing(rng)
    if rng.random() < 0.25:
        turns += _missing(rng)
    return turns


def _shown(rng: random.Random, subject: _Subject, asked: set[str]) -> list[Turn]:
    """The turn that brings the picture, with a question, a word or nothing; without a question it is described."""
    picture, sayings = subject
    if rng.random() < 0.12:
        asked.add("describe")
        describe = next(saying for saying in sayings if saying.topic == "describe")
        text = "" if rng.random() < 0.6 else rng.choice(_HERE)
        return [Turn("user", text, (picture,)), Turn("assistant", _answer(rng, describe))]
    return _exchange(rng, _choose(rng, sayings, asked), (picture,))


def _about(rng: random.Random, subject: _Subject) -> list[Turn]:
    asked: set[str] = set()
    draw = rng.random()
    turns: list[Turn] = []
    if draw < 0.05:
        turns += _missing(rng)
    elif draw < 0.08:
        turns += _ability(rng)
    elif draw < 0.12:
        turns += _chat(rng, _GREETINGS)
    turns += _shown(rng, subject, asked)
    for _ in range(rng.choices((0, 1, 2, 3, 4), (24, 27, 25, 15, 9))[0]):
        if rng.random() < 0.08:
            turns += _chat(rng, _SMALL_TALK)
        elif rng.random() < 0.08 and sum(len(turn.pictures) for turn in turns) < 2:
            subject, asked = _subject(rng), set()
            turns += _shown(rng, subject, asked)
        else:
            turns += _exchange(rng, _choose(rng, subject[1], asked))
    return turns


def _comparison(rng: random.Random) -> list[Turn]:
    """Both pictures in one turn, or the second after talk about the first."""
    pair = random_pair(rng)
    sayings = pair_sayings(pair)
    first, *others = _mixed(rng, sayings)
    if rng.random() < 0.45:
        turns = _exchange(rng, first, (pair.first.image, pair.second.image))
    else:
        turns = _shown(rng, (pair.first.image, scene_sayings(pair.first)), set())
        turns += _exchange(rng, first, (pair.second.image,))
    for saying in others[: rng.choice((0, 1, 2, 2))]:
        turns += _exchange(rng, saying)
    return turns


def _mixed(rng: random.Random, sayings: Sequence[Saying]) -> list[Saying]:
    """In an order drawn by the weights of their topics."""
    left, mixed = list(sayings), []
    while left:
        weights = [_COMPARED[saying.topic] * (_ALIKE if is_alike(saying) else 1) for saying in left]
        mixed.append(rng.choices(left, weights)[0])
        left.remove(mixed[-1])
    return mixed
