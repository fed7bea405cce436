import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.ui.widgets.fuzzy_match import find, folded


def best(wanted: str, *texts: str) -> str:
    rated = {text: found.score for text in texts if (found := find(folded(wanted), folded(text))) is not None}
    return max(rated, key=lambda text: rated[text])


def test_letters_in_order_are_enough_and_others_are_not() -> None:
    assert find("nwch", "new chat") is not None
    assert find("chnw", "new chat") is None
    assert find("x", "new chat") is None
    long = "write <details><summary>more</summary>hidden</details> h<sub>2</sub>o"
    assert find("trash", long) is None, "scattered letters fit any long title"


@pytest.mark.parametrize(
    ("wanted", "meant", "others"),
    [
        ("new", "New chat", ("Answer now", "Knowing better")),
        ("con", "Continue the last answer", ("Search conversations", "Second opinion")),
        ("chat", "New chat", ("Caching that thing",)),
        ("chat new", "New chat", ("Rename chat",)),
        ("re", "Rename chat", ("Core dump",)),
        ("sc", "Show the context", ("Discuss",)),
        ("café", "Cafe in Paris", ("Calling a free editor",)),
        ("sett", "Settings", ("Settings of a very long kind that nobody means",)),
    ],
)
def test_what_is_meant_comes_first(wanted: str, meant: str, others: tuple[str, ...]) -> None:
    assert best(wanted, *others, meant) == meant


def test_case_and_accents_do_not_matter_and_places_stay() -> None:
    assert folded("Éß京 İ") == "eß京 i"
    found = find(folded("ete"), folded("L'été"))
    assert found is not None
    assert found.places == (2, 3, 4)


@given(st.text(max_size=40))
def test_folding_keeps_every_letter_in_its_place(text: str) -> None:
    assert len(folded(text)) == len(text)


@given(st.text(max_size=8), st.text(max_size=30))
def test_the_places_hold_the_letters_that_were_wanted(wanted: str, text: str) -> None:
    found = find(folded(wanted), folded(text))
    if found is not None:
        assert all(place < len(text) for place in found.places)
        assert {folded(text)[place] for place in found.places} == set("".join(folded(wanted).split()))
