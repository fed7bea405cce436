"""The last event of a reply: what was written, and its figures."""

import time

from app.core.events import Finished, FinishReason, Timings
from app.core.messages import Generation
from app.core.speculation import DraftFigures
from app.engine.memory.slot import Slot
from app.engine.reply.answer import Answer
from app.engine.reply.prefill import Prefill


def finished(
    vocab: str,
    slot: Slot,
    reason: FinishReason,
    answer: Answer,
    reading: Prefill,
    seed: int,
    drafting: DraftFigures | None = None,
) -> Finished:
    drafting = drafting or DraftFigures(off="Nothing was written.")
    return Finished(
        reason,
        answer.text,
        Generation(vocab, answer.covered_tokens()),
        _timings(slot, answer, reading, drafting),
        seed,
        len(slot),
        reading.told,
        reading.notes,
        slot.status(),
        reasoning=answer.reasoning,
        reasoning_ms=answer.reasoning_ms,
        tool_calls=answer.tool_calls,
        reasoning_n=answer.reasoning_n,
        logprobs=tuple(answer.logprobs),
        prompt_logprobs=reading.logprobs,
        drafting=drafting,
        stop=answer.stream.stopped_by or "",
    )


def _timings(slot: Slot, answer: Answer, reading: Prefill, drafting: DraftFigures) -> Timings:
    now, kept = time.perf_counter(), reading.plan.keep
    # The slot may hold what others asked, of which this one's plan knows nothing.
    read = reading.plan.total if reading.ended else min(reading.plan.total, max(kept, len(slot)))
    return Timings(
        cache_n=kept,
        prompt_n=read - kept,
        prompt_ms=((reading.ended or now) - reading.began) * 1000,
        predicted_n=answer.predicted,
        predicted_ms=(now - reading.ended) * 1000 if reading.ended else 0.0,
        draft_n=drafting.drafted,
        draft_n_accepted=drafting.accepted,
    )
