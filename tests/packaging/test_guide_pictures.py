"""Drawn pictures show what is said of them, and the evaluation asks what training never asked."""

import random
import re
from collections import Counter

import numpy as np
import pytest
from guide.dialogue import Dialogue
from guide.phrasing import plain
from guide.pictures import captions, dialogues, questions
from guide.pictures.captions import scene_sayings
from guide.pictures.colours import COLOURS, PIXEL_NAMES, TINTS, base_colour, is_held_out, name_pixels, shade
from guide.pictures.comparisons import is_alike, pair_sayings, random_pair
from guide.pictures.dialogues import held_out_pictures, picture_dialogue
from guide.pictures.drawing import SHAPES
from guide.pictures.photo_captions import colour_layout, photo_sayings
from guide.pictures.photos import Photo, impression, photo
from guide.pictures.scenes import CELLS, Background, Item, Scene, compose, render, scene
from PIL import Image

NUMBER = re.compile(r"(One|Two|Three|Four|Five|Six) \w+\.")
PLACE = re.compile(r"(In the middle|(On|At|In) the [a-z ]+)\.")
WHITE, RED, BLUE = (255, 255, 255), (255, 0, 0), (0, 0, 255)


@pytest.fixture
def rng() -> random.Random:
    return random.Random(5)


@pytest.fixture(scope="module")
def evaluation() -> tuple[Dialogue, ...]:
    return held_out_pictures()


def drawn(*items: Item, size: tuple[int, int] = (160, 160)) -> Scene:
    return render(random.Random(1), items, Background("white", (WHITE, WHITE)), size)


def item(shape: str, x: float = 0.5, y: float = 0.5, radius: float = 0.2) -> Item:
    return Item(shape, "red", (RED, RED), x, y, radius)


@pytest.mark.parametrize("name", [*COLOURS, *TINTS])
@pytest.mark.parametrize("held_out", [False, True])
def test_a_shade_has_the_name_it_was_drawn_for(rng: random.Random, name: str, held_out: bool) -> None:
    shades = [shade(rng, name, held_out=held_out) for _ in range(200)]
    assert {is_held_out(found) for found in shades} == {held_out}
    named = name_pixels(np.array(shades, np.uint8))
    assert {PIXEL_NAMES[index] for index in named} == {base_colour(name)}


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape_is_painted_in_its_colour_where_it_is_said_to_be(rng: random.Random, shape: str) -> None:
    for cell in CELLS:
        made = compose(rng, 1, cell=cell, shape=shape, colour="red", background="white")
        pixels = np.asarray(made.image)
        rows, columns = np.nonzero(name_pixels(pixels) == COLOURS.index("red"))
        assert made.objects[0].cell == cell
        middle = (
            (columns.min() + columns.max()) / 2 / pixels.shape[1],
            (rows.min() + rows.max()) / 2 / pixels.shape[0],
        )
        assert middle == pytest.approx((made.objects[0].x, made.objects[0].y), abs=0.09)


def test_shapes_of_one_picture_are_apart_and_inside(rng: random.Random) -> None:
    for _ in range(300):
        made = scene(rng)
        width, height = (side / max(made.image.size) for side in made.image.size)
        for number, one in enumerate(made.objects):
            assert one.radius * 0.99 <= one.x * width <= width - one.radius * 0.99
            assert one.radius * 0.99 <= one.y * height <= height - one.radius * 0.99
            for other in made.objects[:number]:
                apart = ((one.x - other.x) * width) ** 2 + ((one.y - other.y) * height) ** 2
                assert apart**0.5 > 0.85 * (one.radius + other.radius)


def test_scenes_vary_in_number_size_shape_and_colour(rng: random.Random) -> None:
    made = [scene(rng) for _ in range(500)]
    assert {len(one.objects) for one in made} == set(range(7))
    assert {thing.shape for one in made for thing in one.objects} == set(SHAPES)
    assert {thing.colour for one in made for thing in one.objects} == set(COLOURS)
    for one in made:
        assert 64 <= min(one.image.size) <= max(one.image.size) <= min(1200, 2 * min(one.image.size) + 1)
        assert one.image.mode == "RGB"


def test_the_grid_marks_the_patches_of_a_shape_in_the_padded_input() -> None:
    shapes, colours = drawn(item("square", 0.25, 0.5, 0.15), size=(200, 100)).grid()
    square, red, white = SHAPES.index("square") + 1, COLOURS.index("red") + 1, COLOURS.index("white") + 1
    assert shapes.shape == colours.shape == (8, 8)
    assert not colours[:2].any()
    assert not colours[6:].any()
    assert (shapes == square).sum() == 4
    assert (shapes[3:5, 1:3] == square).all()
    assert (colours[3:5, 1:3] == red).all()
    assert (colours[2:6, 4:] == white).all()


def test_a_patch_tells_how_many_of_its_shape_there_are() -> None:
    made = drawn(item("square", 0.2, 0.2, 0.1), item("square", 0.8, 0.2, 0.1), item("star", 0.5, 0.8, 0.1))
    shapes, _ = made.grid()
    counts = made.counts(shapes)
    assert set(counts[shapes == SHAPES.index("square") + 1]) == {2}
    assert set(counts[shapes == SHAPES.index("star") + 1]) == {1}
    assert set(counts[shapes == 0]) == {3}
    assert set(np.unique(shapes)) == {0, SHAPES.index("square") + 1, SHAPES.index("star") + 1}


def test_numbers_and_places_are_asked_for_often_and_evenly(rng: random.Random) -> None:
    answers = [turn.text for _ in range(600) for turn in picture_dialogue(rng).turns if turn.speaker == "assistant"]
    numbers = [found[1] for text in answers if (found := NUMBER.fullmatch(text))]
    places = [text for text in answers if PLACE.fullmatch(text)]
    assert len(numbers) > len(answers) / 16
    assert len(places) > len(answers) / 12
    for word in ("One", "Two", "Three", "Four", "Five", "Six"):
        assert numbers.count(word) > len(numbers) / 20, word
    assert places.count("In the middle.") < len(places) / 3


def test_every_shape_has_a_patch_of_the_grid_however_small(rng: random.Random) -> None:
    for _ in range(200):
        made = scene(rng)
        shapes, colours = made.grid()
        assert {SHAPES[index - 1] for index in np.unique(shapes) if index} == {one.shape for one in made.objects}
        assert {one.colour for one in made.objects} <= {COLOURS[index - 1] for index in np.unique(colours) if index}


def test_the_same_seed_draws_the_same_picture() -> None:
    one, other = scene(random.Random(3)), scene(random.Random(3))
    assert one.image.tobytes() == other.image.tobytes()
    assert one.objects == other.objects


def test_descriptions_name_the_main_facts() -> None:
    left, right = item("circle", 0.2), item("star", 0.8)
    assert captions.description(drawn(item("circle")))[0] == "I see a red circle in the middle on a white background."
    assert captions.description(drawn(item("cross", 0.2, 0.2), item("cross", 0.8)))[0] == (
        "There are two red crosses on a white background."
    )
    assert captions.description(drawn(left, right))[0] == (
        "Two shapes: a red circle on the left and a red star on the right, on a white background."
    )
    assert captions.description(drawn())[0] == "I see a plain white picture without any shape."


def test_what_is_not_there_is_denied() -> None:
    sayings = [saying for saying in scene_sayings(drawn(item("circle"))) if saying.topic == "exists"]
    answers = {saying.slots["shape"]: saying.answers[0] for saying in sayings}
    assert answers["circle"] == "Yes, there is a red circle in the middle."
    assert answers["star"].startswith("No, there is no star.")


def test_a_photo_is_described_by_its_pixels() -> None:
    picture = Image.new("RGB", (90, 60), (40, 150, 40))
    picture.paste((90, 140, 220), (0, 0, 90, 30))
    appearance = impression(picture)
    assert colour_layout(appearance) == "mostly blue at the top and green at the bottom"
    described = next(saying for saying in photo_sayings(Photo(picture)) if saying.topic == "describe")
    assert described.answers[0].endswith("It may be a landscape.")
    assert impression(Image.new("RGB", (40, 40), (250, 250, 250))).brightness == "bright"
    assert impression(Image.new("RGB", (40, 40), (20, 20, 30))).brightness == "dark"


def meets(answer: str, facts: tuple[tuple[str, ...], ...], never: tuple[str, ...]) -> bool:
    def found(pattern: str) -> bool:
        return re.search(pattern, answer, re.IGNORECASE) is not None

    return all(any(map(found, group)) for group in facts) and not any(map(found, never))


def test_every_answer_meets_its_own_check(rng: random.Random) -> None:
    for _ in range(50):
        sayings = [*scene_sayings(scene(rng)), *photo_sayings(photo(rng)), *pair_sayings(random_pair(rng))]
        for saying in sayings:
            for answer in saying.answers:
                assert answer.isascii()
                assert answer.endswith(".")
                assert len(answer.split()) <= 45
                assert meets(answer, saying.facts, saying.never), (saying.topic, answer)


def one_of(made: Scene, topic: str) -> object:
    first = made.objects[0]
    values = {"colour": first.colour, "shape": first.shape, "count": len(made.objects), "where": first.cell}
    return values[topic]


@pytest.mark.parametrize("topic", ["colour", "shape", "count", "where"])
def test_a_check_refuses_the_answers_that_are_wrong(rng: random.Random, topic: str) -> None:
    made = [compose(rng, rng.randint(1, 6) if topic == "count" else 1, equal=True) for _ in range(40)]
    sayings = [next(saying for saying in scene_sayings(one) if saying.topic == topic) for one in made]
    refused = 0
    for asked, one in zip(made, sayings, strict=True):
        for other, answered in zip(made, sayings, strict=True):
            if one_of(asked, topic) != one_of(other, topic) and base_colour(asked.background.name) != one_of(
                other, topic
            ):
                refused += 1
                assert not any(meets(answer, one.facts, one.never) for answer in answered.answers)
                hedged = f"{one.answers[0]} {answered.answers[0]}"
                # "on the left" beside "in the top left corner" adds nothing that is wrong.
                assert topic == "where" or not meets(hedged, one.facts, one.never)
    assert refused > 500


def test_the_difference_between_two_pictures_is_named(rng: random.Random) -> None:
    for _ in range(100):
        pair = random_pair(rng)
        same = pair.first.objects == pair.second.objects and pair.first.background == pair.second.background
        assert same == (pair.change == "")
        for saying in pair_sayings(pair):
            if saying.topic == "compare_darker" and not is_alike(saying):
                levels = [impression(one.image).luminance for one in (pair.first, pair.second)]
                assert ("first picture is darker" in saying.answers[0]) == (levels[0] < levels[1])


def test_dialogues_alternate_and_vary(rng: random.Random) -> None:
    made = [picture_dialogue(rng) for _ in range(250)]
    for one in made:
        assert [turn.speaker for turn in one.turns] == ["user", "assistant"] * (len(one.turns) // 2)
        assert 1 <= len(one.turns) // 2 <= 6
        assert sum(len(turn.pictures) for turn in one.turns) <= 2
        assert one.check is None
        assert one.kind == "picture"
        for turn in one.turns:
            assert turn.text or turn.pictures
            assert "{" not in turn.text
            assert "PICTURE" not in turn.text or turn.text.isupper()
            if turn.speaker == "assistant" and turn.text.startswith(captions.NO_PICTURE):
                assert not any(earlier.pictures for earlier in one.turns[: one.turns.index(turn)])
    assert Counter(len(one.turns) for one in made).keys() >= {2, 4, 6, 8}


def test_it_is_the_shape_that_was_named(rng: random.Random) -> None:
    asked = Counter[str]()
    for _ in range(300):
        turns = dialogues._asking_on(rng)
        assert turns[0].pictures
        assert not any(turn.pictures for turn in turns[1:])
        questions = [plain(turn.text) for turn in turns[2::2]]
        asked.update(word for text in questions for word in ("where", "colour", "shape", "big") if word in text)
    assert min(asked[word] for word in ("where", "colour", "shape", "big")) > 10


def test_a_size_is_told_only_where_it_is_plain() -> None:
    def sizes(radius: float) -> list[str]:
        sayings = scene_sayings(drawn(item("circle", radius=radius)))
        return [saying.answers[0] for saying in sayings if saying.topic == "size"]

    assert sizes(0.3) == ["The circle is large."]
    assert sizes(0.09) == ["The circle is small."]
    assert sizes(0.17) == ["The circle is of middle size."]
    assert sizes(captions.LARGE) == sizes(captions.SMALL) == []


@pytest.mark.parametrize("topic", questions.ASK)
def test_there_are_many_ways_to_ask(topic: str) -> None:
    rng = random.Random(2)
    assert len({plain(questions.ask(rng, topic)) for _ in range(400)}) >= 80


def test_the_evaluation_has_its_own_words_and_shades(evaluation: tuple[Dialogue, ...]) -> None:
    held_out = [line for lines in questions.HELD_OUT.values() for line in lines]
    rng = random.Random(4)
    for line in held_out:
        assert not any(questions.can_be_asked(topic, line) for topic in questions.ASK), line
    asked = {plain(questions.ask(rng, topic)) for topic in questions.ASK for _ in range(500)}
    assert not asked & {plain(line.format(shape="shape", shapes="shapes")) for line in held_out}
    assert all(is_held_out(ink) for _ in range(50) for one in scene(rng, held_out=True).objects for ink in one.inks)


def test_the_evaluation_is_fixed_and_complete(evaluation: tuple[Dialogue, ...]) -> None:
    again = held_out_pictures()
    assert [one.turns[-1].text for one in again] == [one.turns[-1].text for one in evaluation]
    assert [[picture.tobytes() for turn in one.turns for picture in turn.pictures] for one in again] == [
        [picture.tobytes() for turn in one.turns for picture in turn.pictures] for one in evaluation
    ]
    intents = Counter(one.check.intent for one in evaluation if one.check)
    assert intents == {
        "picture_colour": 60,
        "picture_shape": 60,
        "picture_count": 40,
        "picture_where": 40,
        "picture_light": 30,
        "picture_photo": 30,
        "picture_compare": 40,
        "picture_none": 20,
    }
    for one in evaluation:
        assert one.turns[-1].speaker == "user"
        assert one.check
        assert one.check.facts
        assert "{" not in one.turns[-1].text
        assert bool(one.turns[-1].pictures) == (one.check.intent != "picture_none")
