from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.cli.arguments import parse
from app.cli.drafting import figures_line, speculation_from
from app.core.events import Finished, FinishReason, Timings
from app.core.messages import Generation
from app.core.speculation import DrafterKind, DrafterStats, DraftFigures, Speculation
from tests.cli.test_ask import figures
from tests.hearth_process import HearthProcess

KEPT = Speculation(mtp=True, draft_model="kept.gguf", draft_max=7)
QUESTION = "Say it again and again."


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("", KEPT),
        ("--spec-type none", replace(KEPT, ngram=False, mtp=False, draft_model="")),
        ("--spec-type ngram-simple", replace(KEPT, mtp=False, draft_model="")),
        ("--spec-type draft-mtp,draft-simple", replace(KEPT, ngram=False)),
        (
            "--spec-type none -md mine.gguf --draft-max 3",
            Speculation(ngram=False, draft_model="mine.gguf", draft_max=3),
        ),
        ("--spec-type draft-mtp --spec-ngram --draft-min 2", Speculation(mtp=True, draft_max=7, draft_min=2)),
    ],
)
def test_which_drafts_are_made(line: str, wanted: Speculation) -> None:
    assert speculation_from(parse(["ask", "x", *line.split()]), KEPT) == wanted


def test_kinds_that_there_are_not_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["serve", "--spec-type", "draft-mtp,draft-eagle3"])
    assert "'draft-eagle3' is not one of none, ngram-simple, draft-mtp, draft-simple" in capsys.readouterr().err


def finished(drafting: DraftFigures) -> Finished:
    timings = Timings(6880, 96, 1000.0, 412, 10_000.0, drafting.drafted, drafting.accepted)
    return Finished(FinishReason.STOP, "", Generation("v", ()), timings, 1, 9, drafting=drafting)


def test_the_line_of_figures() -> None:
    drafts = DraftFigures((DrafterKind.MTP, DrafterKind.NGRAM), 400, 1600, 1240, 1.376)
    assert figures_line(finished(drafts)) == (
        "6,880 reused and 96 read (96.0 tok/s); 412 written (41.2 tok/s); 1,240 of 1,600 drafted tokens accepted "
        "(mtp, ngram); 4.1 a round, about 1.38 times as fast, same distribution"
    )
    assert figures_line(finished(replace(drafts, identical=True))).endswith("identical output")
    stats = DrafterStats(DrafterKind.MTP, 1, 0.5, 400, 812.4, 390, 1.25, ((400, 360), (380, 190), (0, 0)))
    assert figures_line(finished(replace(drafts, stats=(stats, DrafterStats(DrafterKind.NGRAM, 1))))).endswith(
        "same distribution; mtp: begin 1 in 0.5 ms, draft 400 in 812.4 ms, accept 390 in 1.2 ms, "
        "right by place 90%, 50%"
    )
    off = figures_line(finished(DraftFigures(off="Nothing guesses: all ways of it are switched off.")))
    assert off.endswith("412 written (41.2 tok/s); no drafts: nothing guesses: all ways of it are switched off")


@pytest.fixture(scope="module")
def ask_endless(hearth: HearthProcess, endless: Path) -> Any:
    def ask(*arguments: str) -> Any:
        more = ("--temp", "0", "--seed", "1", "-n", "60", "-t", "1", *arguments)
        return hearth.run("ask", "-m", endless, *more, QUESTION)

    return ask


def test_a_model_drafts_for_itself_and_says_the_same(ask_endless: Any, endless: Path) -> None:
    plain = figures(ask_endless("--json", "--spec-type", "none"))
    assert plain["drafting"]["drafted"] == plain["timings"]["draft_n"] == 0
    assert plain["drafting"]["off"] == "Nothing guesses: all ways of it are switched off."
    drafted = figures(ask_endless("--json", "--spec-type", "none", "-md", str(endless)))
    assert drafted["text"] == plain["text"]
    assert drafted["drafting"]["drafted"] == drafted["timings"]["draft_n"]


def test_the_figures_come_after_the_answer(ask_endless: Any) -> None:
    done = ask_endless("--figures", "--spec-type", "none")
    assert done.returncode == 0
    [line] = done.stderr.decode().splitlines()
    assert line.startswith("hearth: 0 reused and ")
    assert "60 written" in line
    assert line.endswith("no drafts: nothing guesses: all ways of it are switched off")


def test_a_draft_model_that_is_not_there_is_told(ask_endless: Any) -> None:
    done = ask_endless("-md", "nowhere.gguf")
    assert done.returncode == 0
    assert b"nowhere.gguf" in done.stderr


@pytest.mark.parametrize("drafts", [("--spec-mtp",), ("-md", "gone.gguf")])
def test_what_is_wrong_with_a_drafter_is_told_once(ask_endless: Any, drafts: tuple[str, ...]) -> None:
    done = ask_endless("--spec-type", "none", *drafts)
    assert done.returncode == 0
    [line] = done.stderr.decode().splitlines()
    assert "The model answers without it" in line
