from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextLayout, QTextOption
from pytestqt.qtbot import QtBot

from app.core.draft_record import drafts_to
from app.core.events import FinishReason
from app.core.speculation import DrafterKind, DrafterStats, DraftFigures
from app.ui.formatting.numbers import answer_details, answer_line, compact, duration, reading, size_text, speed_text
from app.ui.formatting.prefill_clock import PrefillNow

FIGURES = {
    "predicted_n": 412,
    "predicted_ms": 10_000.0,
    "prompt_n": 96,
    "prompt_ms": 1000.0,
    "cache_n": 6880,
    "seed": 42,
    "model": "Qwen",
    "reuse": "Kept 6,880.",
}


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (999, "999"), (4100, "4.1k"), (8192, "8k"), (32768, "32k"), (131072, "128k"), (123_456, "123k")],
)
def test_compact(number: int, text: str) -> None:
    assert compact(number) == text


def test_reading_tells_what_is_left(qtbot: QtBot) -> None:
    assert reading(PrefillNow(512, 1024, 3.0, 3.0)) == "Reading 512 of 1,024 tokens · about 3 s left"


@pytest.mark.parametrize(
    ("left", "told"), [(0.2, "1 s"), (89.0, "89 s"), (95.0, "2 min"), (1800.0, "30 min"), (9000.0, "2.5 h")]
)
def test_long_reading_is_told_in_minutes_and_hours(qtbot: QtBot, left: float, told: str) -> None:
    assert reading(PrefillNow(100, 200, left, left)) == f"Reading 100 of 200 tokens · about {told} left"


def test_reading_before_anything_was_read(qtbot: QtBot) -> None:
    assert reading(PrefillNow(0, 10, None, 0.0)) == "Reading 10 tokens"
    assert reading(PrefillNow(0, 10, None, 4.0)) == "Reading 10 tokens · 4 s so far"


def test_figures_of_an_answer(qtbot: QtBot) -> None:
    assert answer_line(FIGURES) == "412 tokens in 10 s, 41 tokens/s"
    assert dict(answer_details({**FIGURES, "reason": "length", "reasoning_ms": 2500.0})) == {
        "Model": "Qwen",
        "First word": "after 3.5 s",
        "Answer": "412 tokens in 10 s, 41 tokens/s",
        "Ended": "at the limit on its length",
        "Reasoning": "2.5 s",
        "Read": "96 of 6,976 tokens in 1.0 s, 96 tokens/s",
        "Remembered": "6,880 tokens",
        "What was kept": "Kept 6,880.",
        "Seed": "42",
    }


@pytest.mark.parametrize("reason", list(FinishReason))
def test_why_an_answer_ended_is_said_in_words(qtbot: QtBot, reason: FinishReason) -> None:
    told = dict(answer_details({"reason": reason.value}))["Ended"]
    assert told and "_" not in told and "<" not in told


def test_figures_of_drafts(qtbot: QtBot) -> None:
    drafts = DraftFigures((DrafterKind.NGRAM, DrafterKind.MTP), 400, 1600, 1240, 1.376)
    details = dict(answer_details({**FIGURES, "drafting": drafts_to(drafts)}))
    assert details["Drafts"] == "1,240 of 1,600 tokens were right (n-gram, MTP), 4.1 tokens a round"
    gain = "about 1.38 times as fast as without; "
    assert details["With drafts"] == gain + "same distribution; wording may differ by rounding"
    stats = DrafterStats(DrafterKind.MTP, 1, 0.5, 400, 812.4, 390, 1.25, ((400, 360), (380, 190)))
    timed = dict(answer_details({"drafting": drafts_to(replace(drafts, stats=(stats,)))}))
    assert timed["Drafts of MTP"] == "400 in 812 ms; begun in 1 ms, taken over in 1 ms"
    assert timed["Right by place, MTP"] == "90%, 50%"
    same = dict(answer_details({"drafting": drafts_to(replace(drafts, identical=True))}))
    assert same["With drafts"] == gain + "identical output"


def test_drafts_that_were_off_say_why(qtbot: QtBot) -> None:
    assert list(answer_details({"drafting": drafts_to(DraftFigures(off="It is slow."))})) == [
        ("Drafts", "off. It is slow.")
    ]
    assert list(answer_details({"drafting": drafts_to(DraftFigures())})) == []


def test_odd_figures_say_nothing(qtbot: QtBot) -> None:
    assert answer_line({"predicted_n": "many", "predicted_ms": None}) == ""
    assert list(answer_details({"reason": 7})) == []


@pytest.mark.parametrize(("seconds", "text"), [(0.01, "0.1 s"), (9.9, "9.9 s"), (12.4, "12 s"), (185.0, "3 min 5 s")])
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


@pytest.mark.parametrize(("speed", "text"), [(2.46, "2.5 tokens/s"), (38.2, "38 tokens/s")])
def test_speeds(speed: float, text: str) -> None:
    assert speed_text(speed) == text


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 KiB"), (19, "1 KiB"), (2048, "2 KiB"), (612 << 20, "612 MiB"), (3 << 29, "1.5 GiB")],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.mark.usefixtures("mirrored")
def test_numbers_stand_before_their_units_where_all_else_is_mirrored() -> None:
    told = answer_line({"predicted_n": 412, "predicted_ms": 10_000.0})
    layout = QTextLayout(told)
    option = QTextOption()
    option.setTextDirection(Qt.LayoutDirection.RightToLeft)
    layout.setTextOption(option)
    layout.beginLayout()
    line = layout.createLine()
    line.setLineWidth(1000)
    layout.endLayout()

    def left(part: str) -> float:
        at = line.cursorToX(told.rindex(part) + 1)
        assert isinstance(at, tuple)
        return float(at[0])

    order = sorted(("412", "41"), key=left)
    assert order == ["41", "412"]


@pytest.mark.usefixtures("mirrored")
def test_a_number_with_its_unit_is_a_run_of_its_own() -> None:
    for told in (size_text(3 << 30), size_text(5), speed_text(2.5), duration(3)):
        assert told.startswith("\u2068") and told.endswith("\u2069")


def test_nothing_is_added_where_text_runs_from_left_to_right() -> None:
    assert size_text(3 << 30) == "3.0 GiB" and answer_line({"predicted_n": 1}) == "1 tokens"
