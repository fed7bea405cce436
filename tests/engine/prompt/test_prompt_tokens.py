"""Entries and positions of prompts with pictures."""

from hypothesis import given
from hypothesis import strategies as st

from app.engine.binding.mtmd_chunks import MediaChunk
from app.engine.memory.reuse import MemoryTraits, ReuseAction, plan
from app.engine.prompt.prompt_tokens import PromptTokens

Item = int | tuple[str, int, int]


def chunk(name: str, n_tokens: int = 12, n_pos: int = 4, ordinal: int = 0) -> MediaChunk:
    key = name.encode().ljust(32, b"\0")
    return MediaChunk(key, n_tokens, n_pos, name, ordinal, non_causal=False, saved=b"")


def tokens(*items: int | MediaChunk) -> PromptTokens:
    made = PromptTokens()
    for item in items:
        if isinstance(item, int):
            made.append(item)
        else:
            made.append_media(item)
    return made


def test_a_picture_moves_the_positions_by_its_own_measure() -> None:
    made = tokens(1, 2, chunk("a"), 3, chunk("b", 5, 5), 4)
    assert len(made) == 2 + 12 + 1 + 5 + 1
    assert [made.position_at(n) for n in (0, 2, 14, 15, 20, 21)] == [0, 2, 6, 7, 12, 13]
    assert made.position == 13
    assert made.newest_positions(14) == range(2, 6), "with M-RoPE all cells stand where the picture begins"
    assert made.newest_positions(15) == range(6, 7)
    assert made.newest_positions(0) == range(-1, 0)


def test_no_cut_goes_through_a_picture() -> None:
    made = tokens(1, chunk("a"), 2)
    assert [made.whole(n) for n in (0, 1, 2, 12, 13, 14)] == [0, 1, 1, 1, 13, 14]
    made.truncate(13)
    assert made.position == 5
    made.truncate(1)
    assert (len(made), made.position, made.groups) == (1, 1, ())


def test_a_cut_through_a_picture_is_a_bug() -> None:
    made = tokens(1, chunk("a"), 2)
    try:
        made.truncate(5)
    except ValueError:
        assert len(made) == 14
    else:
        raise AssertionError("a part of a picture stayed")


def test_another_picture_ends_what_is_common_before_it() -> None:
    here = tokens(1, 2, chunk("a"), 3)
    assert here.common_prefix(tokens(1, 2, chunk("b"), 3)) == 2
    assert here.common_prefix(tokens(1, 2, chunk("a"), 4)) == 14
    assert here.common_prefix(tokens(1, 2, chunk("a", 6), 3)) == 2
    assert here == tokens(1, 2, chunk("a"), 3)
    assert here != tokens(1, 2, chunk("a"), 4)


def test_pictures_whose_short_ids_agree_are_still_told_apart() -> None:
    """The cells' ids hold 31 bits of the key."""
    assert tokens(1, chunk("same-a"), 3).common_prefix(tokens(1, chunk("same-b"), 3)) == 1


def test_the_same_picture_twice_is_two_groups() -> None:
    assert tokens(chunk("a"), chunk("a")).common_prefix(tokens(chunk("a"), 7)) == 12
    assert list(tokens(1, chunk("a"), chunk("a"), 2).media_bounds()) == [(1, 13), (13, 25)]


def test_the_slices_of_a_picture_belong_together() -> None:
    tiled = tokens(1, chunk("a", 4, 4), 9, chunk("a", 4, 4, 1), 9, chunk("a", 4, 4, 2), 2, chunk("b", 4, 4), 3)
    assert list(tiled.media_bounds()) == [(1, 15), (16, 20)]


def test_stretches_of_text_and_pictures_in_order() -> None:
    made = tokens(1, 2, chunk("a"), chunk("b", 3, 3), 4)
    assert [(stop, each and each.media_id) for stop, each in made.spans(0)] == [
        (2, None),
        (14, "a"),
        (17, "b"),
        (18, None),
    ]
    assert [stop for stop, _ in made.spans(14)] == [17, 18]
    assert list(made.spans(18)) == []


def test_a_prompt_that_ends_with_a_picture_evaluates_all_of_it() -> None:
    made = tokens(1, 2, chunk("a"))
    chosen = plan(made, made.copy(), MemoryTraits(), 0)
    assert (chosen.action, chosen.keep) == (ReuseAction.TRIM, 2)


def test_a_window_is_weighed_in_positions() -> None:
    """Twelve entries of four positions: in entries the window would seem to have moved on."""
    slot = tokens(*range(10), chunk("a"), *range(10, 20))
    prompt = tokens(*range(10), chunk("a"), *range(10, 15), 99, 99)
    chosen = plan(slot, prompt, MemoryTraits(n_swa=8), 12)
    assert chosen.action is ReuseAction.TRIM
    assert plan(slot, prompt, MemoryTraits(n_swa=8), 13).action is ReuseAction.CLEAR


ITEMS = st.lists(st.one_of(st.integers(0, 3), st.sampled_from([chunk("a", 3, 1), chunk("b", 2, 2), chunk("c", 4, 2)])))


@given(ITEMS, ITEMS)
def test_a_common_prefix_is_one_item_by_item(left: list[int | MediaChunk], right: list[int | MediaChunk]) -> None:
    expected = 0
    for mine, theirs in zip(left, right, strict=False):
        if mine != theirs:
            break
        expected += mine.n_tokens if isinstance(mine, MediaChunk) else 1
    assert tokens(*left).common_prefix(tokens(*right)) == expected


@given(ITEMS, ITEMS)
def test_all_of_another_s_entries_at_the_end(left: list[int | MediaChunk], right: list[int | MediaChunk]) -> None:
    joined = tokens(*left)
    joined.append_all(tokens(*right))
    assert joined == tokens(*left, *right)
    assert joined.position == tokens(*left, *right).position
    joined.truncate(len(tokens(*left)))
    assert joined == tokens(*left)
    assert joined.position == tokens(*left).position
