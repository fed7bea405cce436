import json

import pytest

from app.core.draft_record import drafts_from, drafts_to, drafts_together
from app.core.speculation import DrafterKind, DrafterStats, DraftFigures

STATS = (
    DrafterStats(DrafterKind.MTP, 1, 0.5, 10, 80.0, 9, 0.25, ((10, 9), (8, 6))),
    DrafterStats(DrafterKind.NGRAM, 1, 2.0),
)
WORKED = DraftFigures((DrafterKind.MTP, DrafterKind.NGRAM), 10, 40, 30, 1.5, identical=True, stats=STATS)
OFF = DraftFigures(off="Nothing guesses.")


@pytest.mark.parametrize("figures", [WORKED, OFF, DraftFigures()])
def test_comes_back_from_a_file(figures: DraftFigures) -> None:
    kept = json.loads(json.dumps(drafts_to(figures)))
    assert kept == drafts_to(figures)
    assert drafts_from(kept) == figures


@pytest.mark.parametrize("told", [None, 3, "drafts", [1], ()])
def test_nothing_is_known_of_what_is_no_object(told: object) -> None:
    assert drafts_from(told) is None


def test_what_is_wrong_counts_as_not_told() -> None:
    odd = {
        "kinds": ["mtp", "magic", 3, None],
        "rounds": -1,
        "drafted": True,
        "accepted": 7,
        "gain": float("nan"),
        "off": 3,
        "identical": "yes",
        "stats": [3, {"kind": "magic"}, {"kind": ["mtp"]}, "mtp"],
    }
    assert drafts_from(odd) == DraftFigures((DrafterKind.MTP,))
    assert drafts_from({"kinds": "mtp", "gain": 10**400}) == DraftFigures()


def test_two_parts_are_one_answer() -> None:
    then = DraftFigures((DrafterKind.NGRAM, DrafterKind.DRAFT_MODEL), 5, 10, 4, 1.1)
    both = drafts_together(WORKED, 3.0, then, 1.0)
    assert both.kinds == (DrafterKind.MTP, DrafterKind.NGRAM, DrafterKind.DRAFT_MODEL)
    assert (both.rounds, both.drafted, both.accepted) == (15, 50, 34)
    assert both.gain == pytest.approx(1.4)
    assert not both.identical
    assert drafts_together(WORKED, 3.0, WORKED, 1.0).identical


def test_a_part_without_drafts_takes_its_share_of_the_gain() -> None:
    both = drafts_together(WORKED, 1.0, OFF, 1.0)
    assert (both.drafted, both.off) == (40, "")
    assert both.gain == pytest.approx(1.25)
    assert drafts_together(OFF, 1.0, WORKED, 1.0) == both
    assert drafts_together(OFF, 1.0, OFF, 1.0) == OFF


def test_odd_stats_count_as_not_told() -> None:
    odd = {"kind": "mtp", "draft_n": -1, "draft_ms": float("nan"), "places": [[3, 5], [1], "no", [True, 2]]}
    told = drafts_from({"stats": [odd]})
    assert told is not None
    assert told.stats == (DrafterStats(DrafterKind.MTP, places=((3, 3), (0, 0), (0, 0), (0, 0))),)


def test_stats_of_two_parts_are_added_up_by_drafter() -> None:
    more = DrafterStats(DrafterKind.MTP, 1, 0.5, 5, 20.0, 5, 0.25, ((5, 5), (5, 1), (2, 0)))
    then = DraftFigures((DrafterKind.MTP,), 5, 12, 6, 1.1, stats=(more,))
    both = drafts_together(WORKED, 3.0, then, 1.0)
    added = DrafterStats(DrafterKind.MTP, 2, 1.0, 15, 100.0, 14, 0.5, ((15, 14), (13, 7), (2, 0)))
    assert both.stats == (added, STATS[1])
