"""Numbers as people read them: tokens, speeds, seconds, and the figures of an answer."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtGui import QGuiApplication

from app.core.draft_record import drafts_from
from app.core.events import Looking, ModelInfo, PromptProgress
from app.core.resources import GUIDE, GUIDE_NAME
from app.core.speculation import DraftFigures
from app.ui.draft_words import kind_names, sameness

DOT = " · "
"""Between the parts of a line of figures."""


def _tr(text: str) -> str:
    return QCoreApplication.translate("figures", text)


def isolated(text: str) -> str:
    """A number with its unit, for a window that runs from right to left: there the two would change places."""
    if QGuiApplication.layoutDirection() != Qt.LayoutDirection.RightToLeft:
        return text
    return f"\u2068{text}\u2069"


def line_of(parts: Iterable[str]) -> str:
    """Those that say anything, with dots between them."""
    return DOT.join(isolated(each) for each in parts if each)


def count(number: int) -> str:
    """1,024: with the separators of the user's country."""
    here = QLocale()
    return (QLocale(QLocale.Language.English) if here.language() == QLocale.Language.C else here).toString(number)


def compact(number: int) -> str:
    """4100 is 4.1k, and 8192, as contexts go, 8k."""
    if number < 1000:
        return str(number)
    if number >= 1024 and number % 1024 == 0:
        return f"{number // 1024}k"
    thousands = number / 1000
    return f"{thousands:.1f}k" if thousands < 99.95 else f"{thousands:.0f}k"


def size_text(size: float) -> str:
    """Bytes, with the unit in which they are easily read: 1.5 GiB."""
    if size >= 1 << 30:
        return isolated(_tr("{size} GiB").format(size=f"{size / 2**30:.1f}"))
    if size >= 1 << 20:
        return isolated(_tr("{size} MiB").format(size=f"{size / 2**20:.0f}"))
    # What is there is never nothing.
    return isolated(_tr("{size} KiB").format(size=max(round(size / 2**10), int(size > 0))))


def speed(tokens_per_second: float) -> str:
    return isolated(_tr("{speed} tok/s").format(speed=f"{tokens_per_second:.1f}"))


def context_used(n_past: int, n_ctx: int) -> str:
    return isolated(_tr("{used} / {size} tokens").format(used=compact(n_past), size=compact(n_ctx)))


def reading(progress: PromptProgress, since: float = 0.0) -> str:
    """What is being read, what was warm, and how long it will still take, `since` seconds after that was said."""
    to_read = max(0, progress.total - progress.reused)
    parts = [_tr("Reading {read} of {total}").format(read=count(progress.read), total=count(to_read))]
    if progress.reused:
        parts.append(_tr("reused {reused}").format(reused=count(progress.reused)))
    if progress.read and progress.elapsed > 0:
        left = progress.elapsed / progress.read * (to_read - progress.read)
        parts.append(_left(left - since))
    return line_of(parts)


def _left(seconds: float) -> str:
    if seconds < 90:
        return _tr("{seconds} s left").format(seconds=max(1, round(seconds)))
    if seconds < 5400:
        return _tr("{minutes} min left").format(minutes=round(seconds / 60))
    return _tr("{hours} h left").format(hours=f"{seconds / 3600:.1f}")


def looking_at(looking: Looking) -> str:
    """Which picture is being looked at, while no progress is known."""
    if looking.count == 1:
        return _tr("Looking at the picture…")
    return _tr("Looking at picture {number} of {count}…").format(number=looking.number, count=looking.count)


def answer_line(figures: Mapping[str, object]) -> str:
    """The short line below an answer: how much was written and how fast; empty where nothing is known."""
    parts = []
    written = number(figures, "predicted_n")
    if written:
        parts.append(_tr("{written} tokens").format(written=count(int(written))))
        if milliseconds := number(figures, "predicted_ms"):
            parts.append(speed(written / milliseconds * 1000))
    return line_of(parts)


def answer_details(figures: Mapping[str, object]) -> str:
    """All figures of an answer, one to a line, as plain text."""
    lines = []
    if model := figures.get("model"):
        lines.append(_tr("Model: {model}").format(model=model))
    warm, read, milliseconds = (int(number(figures, key)) for key in ("cache_n", "prompt_n", "prompt_ms"))
    if warm or read:
        line = _tr("Prompt: {warm} tokens reused, {read} read").format(warm=count(warm), read=count(read))
        if milliseconds and read:
            line += f" ({speed(read / milliseconds * 1000)})"
        lines.append(line)
    if answer := answer_line(figures):
        lines.append(_tr("Answer: {answer}").format(answer=answer))
    if milliseconds := int(number(figures, "reasoning_ms")):
        lines.append(_tr("Reasoning: {seconds} s").format(seconds=f"{milliseconds / 1000:.1f}"))
    lines += _draft_lines(drafts_from(figures.get("drafting")) or DraftFigures())
    if reuse := figures.get("reuse"):
        lines.append(str(reuse))
    if sampler := figures.get("sampler"):
        lines.append(_tr("Sampler: {sampler}").format(sampler=sampler))
    if figures.get("seed") is not None:
        lines.append(_tr("Seed: {seed}").format(seed=figures["seed"]))
    return "\n".join(lines)


def _draft_lines(figures: DraftFigures) -> Iterator[str]:
    if not figures.drafted:
        if figures.off:
            yield _tr("Drafts: off. {reason}").format(reason=figures.off)
        return
    yield _tr("Drafts ({drafters}): {drafted} tokens, {accepted} of them accepted, {run} tokens a round").format(
        drafters=kind_names(figures),
        drafted=count(figures.drafted),
        accepted=count(figures.accepted),
        run=f"{figures.mean_run:.1f}",
    )
    gain = f"{figures.gain:.2f}"
    yield _tr("With drafts: about {gain} times as fast as without, as estimated; {sameness}").format(
        gain=gain, sameness=sameness(identical=figures.identical)
    )


def number(figures: Mapping[str, object], key: str) -> float:
    """0 for what is missing or is no number: the figures come from a file."""
    value = figures.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0


def model_name(info: ModelInfo) -> str:
    return info.name or info.path.stem


def file_title(path: Path) -> str:
    """What people know a model's file by."""
    return GUIDE_NAME if path == GUIDE else path.stem
