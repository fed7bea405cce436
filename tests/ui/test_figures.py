from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QTextLayout, QTextOption
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.draft_record import drafts_to
from app.core.events import PromptProgress
from app.core.speculation import DrafterKind, DraftFigures
from app.ui.figures import answer_details, answer_line, compact, context_used, reading, size_text, speed

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
    progress = PromptProgress(total=7904, reused=6880, read=512, elapsed=3.0)
    assert reading(progress) == "Reading 512 of 1,024 · reused 6,880 · 3 s left"


@pytest.mark.parametrize(
    ("elapsed", "left"), [(1.0, "1 s"), (89.0, "89 s"), (95.0, "2 min"), (1800.0, "30 min"), (9000.0, "2.5 h")]
)
def test_long_reading_is_told_in_minutes_and_hours(qtbot: QtBot, elapsed: float, left: str) -> None:
    progress = PromptProgress(total=200, reused=0, read=100, elapsed=elapsed)
    assert reading(progress) == f"Reading 100 of 200 · {left} left"


def test_reading_before_anything_was_read(qtbot: QtBot) -> None:
    assert reading(PromptProgress(total=10, reused=0, read=0, elapsed=0.0)) == "Reading 0 of 10"


def test_figures_of_an_answer(qtbot: QtBot) -> None:
    assert answer_line(FIGURES) == "412 tokens · 41.2 tok/s"
    details = answer_details(FIGURES)
    for part in ("Qwen", "6,880 tokens reused, 96 read (96.0 tok/s)", "Kept 6,880.", "Seed: 42"):
        assert part in details


def test_figures_of_drafts(qtbot: QtBot) -> None:
    drafts = DraftFigures((DrafterKind.NGRAM, DrafterKind.MTP), 400, 1600, 1240, 1.376)
    details = answer_details({**FIGURES, "drafting": drafts_to(drafts)}).splitlines()
    assert "Drafts (n-gram, MTP): 1,600 tokens, 1,240 of them accepted, 4.1 tokens a round" in details
    gain = "With drafts: about 1.38 times as fast as without, as estimated; "
    assert gain + "same distribution; wording may differ by rounding" in details
    same = answer_details({"drafting": drafts_to(replace(drafts, identical=True))}).splitlines()
    assert gain + "identical output" in same


def test_drafts_that_were_off_say_why(qtbot: QtBot) -> None:
    assert answer_details({"drafting": drafts_to(DraftFigures(off="It is slow."))}) == "Drafts: off. It is slow."
    assert answer_details({"drafting": drafts_to(DraftFigures())}) == ""


def test_odd_figures_say_nothing(qtbot: QtBot) -> None:
    assert answer_line({"predicted_n": "many", "predicted_ms": None}) == ""
    assert answer_details({}) == ""


def test_context_used(qtbot: QtBot) -> None:
    assert context_used(4100, 8192) == "4.1k / 8k tokens"


@pytest.mark.parametrize(
    ("size", "text"),
    [(0, "0 KiB"), (19, "1 KiB"), (2048, "2 KiB"), (612 << 20, "612 MiB"), (3 << 29, "1.5 GiB")],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@pytest.fixture
def mirrored(qapp: QApplication) -> Iterator[None]:
    """A window that runs from right to left."""
    qapp.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
    yield
    qapp.setLayoutDirection(Qt.LayoutDirection.LeftToRight)


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

    order = sorted(("412", "tokens", "41.2", "tok/s"), key=left)
    assert order == ["41.2", "tok/s", "412", "tokens"]


@pytest.mark.usefixtures("mirrored")
def test_a_number_with_its_unit_is_a_run_of_its_own() -> None:
    for told in (size_text(3 << 30), size_text(5), speed(2.5), context_used(10, 4096)):
        assert told.startswith("\u2068") and told.endswith("\u2069")


def test_nothing_is_added_where_text_runs_from_left_to_right() -> None:
    assert size_text(3 << 30) == "3.0 GiB" and answer_line({"predicted_n": 1}) == "1 tokens"
