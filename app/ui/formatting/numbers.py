"""Numbers as people read them: tokens, speeds, seconds, and the figures of an answer."""

from collections.abc import Iterable, Iterator, Mapping

from PySide6.QtCore import QCoreApplication, QLocale, Qt
from PySide6.QtGui import QGuiApplication

from app.core.draft_record import drafts_from
from app.core.events import FinishReason, Looking
from app.core.speculation import DrafterStats, DraftFigures
from app.ui.formatting.drafting_text import kind_name, kind_names, sameness
from app.ui.formatting.prefill_clock import PrefillNow
from app.ui.formatting.sentences import translated

DOT = " · "
"""Between the parts of a line of figures."""
Detail = tuple[str, str]
"""What it is, and what of it is known; plain text."""


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


def speed_text(tokens_per_second: float) -> str:
    """38 tokens a second; below ten, where it matters, with a tenth."""
    shown = f"{tokens_per_second:.0f}" if tokens_per_second >= 9.95 else f"{tokens_per_second:.1f}"
    return isolated(_tr("{speed} tokens/s").format(speed=shown))


def duration(seconds: float) -> str:
    """0.4 s, 12 s, 3 min 5 s."""
    if seconds < 9.95:
        return isolated(_tr("{seconds} s").format(seconds=f"{max(seconds, 0.1):.1f}"))
    if seconds < 59.5:
        return isolated(_tr("{seconds} s").format(seconds=round(seconds)))
    minutes, rest = divmod(round(seconds), 60)
    return isolated(_tr("{minutes} min {seconds} s").format(minutes=minutes, seconds=rest))


def short_time(milliseconds: float) -> str:
    """85 ms, 2.4 s."""
    if milliseconds >= 1000:
        return duration(milliseconds / 1000)
    return isolated(_tr("{n} ms").format(n=max(1, round(milliseconds))))


def reading(now: PrefillNow) -> str:
    """How much of a prompt is read, and how long the rest will take; what was remembered is no part of it."""
    total = count(now.to_read)
    if now.read:
        told = _tr("Reading {read} of {total} tokens").format(read=count(now.read), total=total)
    else:
        told = _tr("Reading {total} tokens").format(total=total)
    if now.left is not None:
        return line_of((told, _left(now.left)))
    return line_of((told, _tr("{seconds} s so far").format(seconds=round(now.elapsed)) if now.elapsed >= 1 else ""))


def _left(seconds: float) -> str:
    if seconds < 90:
        return _tr("about {seconds} s left").format(seconds=max(1, round(seconds)))
    if seconds < 5400:
        return _tr("about {minutes} min left").format(minutes=round(seconds / 60))
    return _tr("about {hours} h left").format(hours=f"{seconds / 3600:.1f}")


def looking_at(looking: Looking) -> str:
    """What is being looked at or listened to, while no progress is known."""
    if looking.listens:
        return (
            _tr("Listening…")
            if looking.count == 1
            else _tr("Listening, {number} of {count}…").format(number=looking.number, count=looking.count)
        )
    if looking.count == 1:
        return _tr("Looking at the picture…")
    return _tr("Looking at picture {number} of {count}…").format(number=looking.number, count=looking.count)


def play_time(seconds: float) -> str:
    """Minutes and seconds, as players show them."""
    whole = max(1, round(seconds)) if seconds else 0
    return f"{whole // 60}:{whole % 60:02}"


def n_tokens(number: int) -> str:
    return isolated(_tr("{n} tokens").format(n=count(number)))


def answer_line(figures: Mapping[str, object]) -> str:
    """How much was written, how long that took, and how fast; empty where nothing is known."""
    written, milliseconds = int(number(figures, "predicted_n")), number(figures, "predicted_ms")
    if not written:
        return duration(milliseconds / 1000) if milliseconds and is_untold(figures, "predicted_n") else ""
    if not milliseconds:
        return n_tokens(written)
    told = _tr("{tokens} in {time}, {speed}")
    fast = speed_text(written / milliseconds * 1000)
    return told.format(tokens=n_tokens(written), time=duration(milliseconds / 1000), speed=fast)


def answer_details(figures: Mapping[str, object]) -> Iterator[Detail]:
    """All that is known of an answer."""
    if model := figures.get("model"):
        yield _tr("Model"), str(model)
    if first := number(figures, "prompt_ms"):
        seconds = (first + number(figures, "reasoning_ms")) / 1000
        yield _tr("First word"), _tr("after {time}").format(time=duration(seconds))
    if line := answer_line(figures):
        yield _tr("Answer"), line
    if ended := _end(figures.get("reason")):
        yield _tr("Ended"), ended
    if milliseconds := number(figures, "reasoning_ms"):
        yield _tr("Reasoning"), duration(milliseconds / 1000)
    yield from _reading_details(figures)
    yield from _draft_details(drafts_from(figures.get("drafting")) or DraftFigures())
    if sampler := figures.get("sampler"):
        yield _tr("Sampling"), str(sampler)
    if figures.get("seed") is not None:
        yield _tr("Seed"), str(figures["seed"])


def _end(reason: object) -> str:
    """Why an answer ended; empty where nobody knows."""
    match reason:
        case FinishReason.STOP:
            return _tr("by itself")
        case FinishReason.TOOL_CALLS:
            return _tr("by itself, to ask for tools")
        case FinishReason.LENGTH:
            return _tr("at the limit on its length")
        case FinishReason.CONTEXT_FULL:
            return _tr("because the context was full")
        case FinishReason.CANCELLED:
            return _tr("because it was stopped")
        case FinishReason.REPETITION:
            return _tr("because it only repeated itself")
        case FinishReason.BROKEN_OFF:
            return _tr("because the server broke off")
    return ""


def _reading_details(figures: Mapping[str, object]) -> Iterator[Detail]:
    warm, read, milliseconds = (int(number(figures, key)) for key in ("cache_n", "prompt_n", "prompt_ms"))
    if not warm and not read:
        return
    told = _tr("{n} of {total} tokens").format(n=count(read), total=count(warm + read))
    if milliseconds and read:
        told += _tr(" in {time}, {speed}").format(
            time=duration(milliseconds / 1000), speed=speed_text(read / milliseconds * 1000)
        )
    yield _tr("Read"), told
    if warm:
        yield _tr("Remembered"), n_tokens(warm)
    elif is_untold(figures, "cache_n"):
        yield _tr("Remembered"), _tr("not told")
    if reuse := figures.get("reuse"):
        yield _tr("What was kept"), str(reuse)


def _draft_details(figures: DraftFigures) -> Iterator[Detail]:
    if not figures.drafted:
        if figures.off:
            yield _tr("Drafts"), _tr("off. {reason}").format(reason=translated(figures.off))
        return
    yield (
        _tr("Drafts"),
        _tr("{accepted} of {drafted} tokens were right ({drafters}), {run} tokens a round").format(
            drafters=kind_names(figures),
            drafted=count(figures.drafted),
            accepted=count(figures.accepted),
            run=f"{figures.mean_run:.1f}",
        ),
    )
    gain = f"{figures.gain:.2f}"
    yield (
        _tr("With drafts"),
        _tr("about {gain} times as fast as without; {sameness}").format(
            gain=gain, sameness=sameness(identical=figures.identical)
        ),
    )
    for stats in figures.stats:
        if stats.draft_n:
            yield from _drafter_details(stats)


def _drafter_details(stats: DrafterStats) -> Iterator[Detail]:
    name = kind_name(stats.kind)
    yield (
        _tr("Drafts of {drafter}").format(drafter=name),
        _tr("{n} in {time}; begun in {begun}, taken over in {taken}").format(
            n=count(stats.draft_n),
            time=short_time(stats.draft_ms),
            begun=short_time(stats.begin_ms),
            taken=short_time(stats.accept_ms),
        ),
    )
    rates = [f"{right / guessed:.0%}" for guessed, right in stats.places if guessed]
    if rates:
        yield _tr("Right by place, {drafter}").format(drafter=name), ", ".join(rates)


def is_untold(figures: Mapping[str, object], key: str) -> bool:
    """Whether it was a server's to tell, which did not."""
    return key in figures and figures[key] is None


def number(figures: Mapping[str, object], key: str) -> float:
    """0 for what is missing or is no number: the figures come from a file."""
    value = figures.get(key)
    return value if isinstance(value, (int, float)) and not isinstance(value, bool) else 0
