"""Speculative decoding on the command line: llama.cpp's one option for all kinds, and what is told afterwards."""

import argparse
from dataclasses import replace

from app.cli.arguments import section_from_arguments
from app.core.draft_record import drafts_to
from app.core.events import Finished
from app.core.speculation import DrafterStats, DraftFigures, Speculation


def speculation_from(namespace: argparse.Namespace, settings: Speculation) -> Speculation:
    """`settings` with what the command line changes. Named kinds are the only ones, but for what has an option of its
    own.
    """
    kinds = getattr(namespace, "spec_type", None)
    if kinds is not None:
        wants_model = "draft-simple" in kinds
        settings = replace(
            settings,
            ngram="ngram-simple" in kinds,
            mtp="draft-mtp" in kinds,
            draft_model=settings.draft_model if wants_model else "",
        )
    return section_from_arguments(namespace, settings)


def _stats_part(stats: DrafterStats) -> str:
    right = ", ".join(f"{right / guessed:.0%}" for guessed, right in stats.places if guessed)
    return (
        f"{stats.kind}: begin {stats.begin_n:,} in {stats.begin_ms:.1f} ms, draft {stats.draft_n:,} in "
        f"{stats.draft_ms:.1f} ms, accept {stats.accept_n:,} in {stats.accept_ms:.1f} ms, right by place {right or '-'}"
    )


def drafts_json(figures: DraftFigures) -> dict[str, object]:
    return {**drafts_to(figures), "gain": round(figures.gain, 3), "mean_run": round(figures.mean_run, 2)}


def figures_line(finished: Finished) -> str:
    """All figures of an answer in one line."""
    timings, drafts = finished.timings, finished.drafting
    parts = [
        f"{_count(timings.cache_n)} reused and {_count(timings.prompt_n)} read{_rate(timings.prompt_per_second)}",
        f"{_count(timings.predicted_n)} written{_rate(timings.predicted_per_second)}",
    ]
    if drafts.drafted:
        kinds = ", ".join(drafts.kinds)
        same = "identical output" if drafts.identical else "same distribution"
        parts.append(f"{drafts.accepted:,} of {drafts.drafted:,} drafted tokens accepted ({kinds})")
        parts.append(f"{drafts.mean_run:.1f} a round, about {drafts.gain:.2f} times as fast, {same}")
        parts += [_stats_part(each) for each in drafts.stats if each.draft_n]
    elif drafts.off:
        parts.append(f"no drafts: {drafts.off[:1].lower()}{drafts.off[1:].rstrip('.')}")
    return "; ".join(parts)


def _count(n: int | None) -> str:
    return "(not told)" if n is None else f"{n:,}"


def _rate(rate: float | None) -> str:
    return "" if rate is None else f" ({rate:.1f} tok/s)"
