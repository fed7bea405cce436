"""One loaded model with one persistent context: replies as a stream of events."""

import logging
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.core.adapters import Adapter
from app.core.cancel import CancelFlag
from app.core.checkpointing import Checkpointing
from app.core.errors import UserError
from app.core.events import Finished, FinishReason, HeldState, ModelInfo, Peeked, ReplyEvent, SavedState
from app.core.likelihood import LikelihoodEvent, LikelihoodRequest, TextToScore
from app.core.loading import FlashAttention
from app.core.messages import MediaPart, Part
from app.core.requests import (
    ChatRequest,
    PromptText,
    TokenRequest,
    Tokens,
)
from app.core.sentence import Sentence
from app.core.speculation import DraftFigures, DraftLimits, Speculation
from app.engine.binding.model import Model
from app.engine.binding.sampler import SamplerChain
from app.engine.binding.vocab import Vocab
from app.engine.drafting.drafting import Drafting
from app.engine.drafting.rounds import DraftedSteps, PlainSteps, Steps
from app.engine.media.media import Media
from app.engine.memory.remaking import remake
from app.engine.memory.reuse import ReuseAction, ReusePlan
from app.engine.memory.slot import Slot
from app.engine.memory.snapshot_disk import ModelSnapshots
from app.engine.memory.snapshot_identity import SnapshotIdentity
from app.engine.memory.state_files import StateNotes, read_state, refused, save_state
from app.engine.memory.turns import OwnTurn, Working, alone
from app.engine.prompt.chat_prompt import ChatPrompt
from app.engine.prompt.prompt import Prompt
from app.engine.prompt.prompt_tokens import PromptTokens
from app.engine.reply.adapters import Adapters
from app.engine.reply.finished import finished
from app.engine.reply.flash_choice import FlashChoice, Reading, Worked
from app.engine.reply.generation import TokenGenerator
from app.engine.reply.part_size import part_size
from app.engine.reply.perplexity import LikelihoodReader
from app.engine.reply.prefill import Prefill, PromptReader
from app.engine.reply.request_answers import RequestAnswers
from app.engine.reply.request_prompts import RequestPrompts, tokens_of, written
from app.engine.reply.step_costs import StepCosts

_log = logging.getLogger(__name__)


class Session:
    """Owns a model, its context and the record of what the context holds (the slot).

    Lives on one thread, the engine's. Only the cancel flag may be touched from others.
    """

    def __init__(
        self,
        model: Model,
        slot: Slot,
        chat: ChatPrompt,
        info: ModelInfo,
        cancel: CancelFlag,
        identify: Callable[[str], SnapshotIdentity],
        media: Media | None = None,
        drafting: Drafting | None = None,
        kept_with: Callable[[str], ModelSnapshots | None] = lambda _: None,
        *,
        changes_flash: bool = False,
    ) -> None:
        """Without `drafting`, the slot's companion, every token is decoded by itself. `identify` says what a state
        depends on with adapters of that identity, and `kept_with` what is on disk for it. `changes_flash`: the context
        may be made anew with flash attention, or without.
        """
        self.drafting = drafting
        self.info = info
        self.chat = chat
        self._model = model
        self.slot = slot
        self._cancel = cancel
        self._identify = identify
        self._media = media
        self._prompts = RequestPrompts(chat, media, model.vocab, slot.context.n_ctx, info.longest_message)
        self._answers = RequestAnswers(chat, model.vocab, slot.context.n_ctx, cancel)
        self._adapters = Adapters(model, slot.context, *(drafting.heads if drafting is not None else ()))
        self._kept_with = kept_with
        self._steps: dict[int, Steps] = {}
        """Those of the answer that was begun last in each sequence."""
        self.step_costs = StepCosts()
        self._flash = FlashChoice() if changes_flash else None
        self.n_parallel = info.n_parallel
        """Replies that can be written at once, as far as is known."""

    @property
    def drafted(self) -> DraftFigures | None:
        """What drafting does for the answer that is being written, so far; None before one was begun."""
        return self.drafted_in(self.slot)

    def drafted_in(self, slot: Slot) -> DraftFigures | None:
        """The same for one of several that are being written."""
        steps = self._steps.get(slot.context.seq)
        return steps.figures() if steps is not None else None

    @property
    def _is_exact(self) -> bool:
        return self.drafting is not None and self.drafting.settings.exact

    @property
    def shares_batches(self) -> bool:
        """Whether tokens of several sequences can be evaluated together."""
        return not self.slot.traits.last_alone

    def take_slot(self, slot: Slot) -> None:
        """Go on with this one, of the same context: the last that was written in, as all others are empty."""
        self.slot = slot

    def begin_alone(self) -> None:
        """Nobody else writes: drafts may be made."""
        if self.slot.companion is not self.drafting:
            self.slot.accompany(self.drafting)

    def widen(self, holding: Slot) -> bool:
        """Let the context have room for `n_parallel` replies, or for as many as there is memory for, where only
        `holding` holds anything, and that may be in the midst of one. False where it can't; that is not tried again.
        """
        context = holding.context
        if context.n_seq < self.n_parallel:
            self._remake([holding], self.n_parallel, flash=context.has_flash)
            self.n_parallel = context.n_seq
        return self.n_parallel > 1

    def choose_flash(self, holding: Sequence[Slot], work: Sequence[Worked] | Reading) -> bool:
        """A batch was evaluated, or is about to be. Make the context anew, where it had better have flash attention and
        has none, or the other way round; only these slots hold anything, and they keep it. Whether that was tried.
        """
        if self._flash is None:
            return False
        context, own, held = holding[0].context, self._flash, sum(map(len, holding))
        is_due = own.pays_ahead(context, work, held) if isinstance(work, Reading) else own.add(context, work, held)
        if self._is_exact:
            # What gives equal bits was tried with what it began with.
            is_due = context.has_flash is not (self.info.flash_attn is FlashAttention.ON)
        if is_due and not self._remake(holding, context.n_seq, flash=not context.has_flash):
            self._flash = None  # nor would the next try do
        return is_due

    def left_others(self, slot: Slot, n: int) -> None:
        """What a slot holds, `n` entries of it written, is about to be copied away, while others write."""
        if self._flash is not None:
            self._flash.left(slot.context, n)

    def _remake(self, holding: Sequence[Slot], n_seq: int, *, flash: bool) -> bool:
        context, began = holding[0].context, time.thread_time()
        try:
            done = remake(holding, n_seq, flash=flash)
            took = time.thread_time() - began
            _log.info("Made the context anew (%s): %d sequences, flash %s, %.2f s", done, n_seq, flash, took)
            if done and self._flash is not None:
                self._flash.made(context, sum(map(len, holding)), took)
            return done
        finally:
            self.step_costs.clear()
            if context.is_open:
                self._adapters.attach_again()

    def close(self) -> None:
        """Free everything. No reply may be open."""
        self.leave_model().close()

    def leave_model(self) -> Model:
        """Free all but the model, which is the caller's now."""
        if self._media is not None:
            self._media.close()
        if self.drafting is not None:
            self.drafting.close()
        self.slot.close()
        self._adapters.close()
        return self._model

    @property
    def identity(self) -> SnapshotIdentity:
        """What its states depend on. Raises OSError."""
        return self._identify(self._adapters.identity)

    def change_adapters(self, wanted: Iterable[Adapter]) -> tuple[str, ...]:
        """Let these adapters work from now on, and no others; a sentence for each that can't be used.

        The model stays in memory. What the context holds is kept on disk, where that is wanted, and forgotten.
        """
        changed, problems = self._adapters.change(wanted)
        if changed:
            self.slot.renew(self._kept_with(self._adapters.identity))
            self.info = replace(self.info, adapters=self._adapters.in_force)
        return problems

    def took(self, *, load_ms: float, activate_ms: float) -> None:
        """How long its weights and its context took, which only who opened both can tell."""
        self.info = replace(self.info, load_ms=load_ms, activate_ms=activate_ms)

    def take_checkpointing(self, settings: Checkpointing) -> None:
        """Keep checkpoints by these settings from now on, in this slot and in those that are made beside it."""
        self.slot.checkpoints.take(settings)

    def take_speculation(self, settings: Speculation) -> None:
        """Draft by these settings from now on; what needs the model to be loaded again has no effect. Not while an
        answer is written.
        """
        if self.drafting is not None:
            self.drafting.take(replace(settings, exact=settings.exact or self.info.loading.exact))

    def try_one_token(self) -> None:
        """Decode one token and forget it: what a preflight must have survived. Raises what decoding raises."""
        self.slot.evaluate_one(max(self._model.vocab.bos, 0))
        self.slot.logits()
        self.slot.forget()

    def try_draft(self) -> None:
        """Let every drafter guess after two tokens, and forget them: what a preflight must have survived."""
        first = max(self._model.vocab.bos, 0)
        if self.drafting is not None:
            self.slot.evaluate([first, first])
            for drafter in self.drafting.active():
                drafter.draft(self.slot.ids(), first, drafter.n_max)
            self.slot.forget()

    def encode(self, part: MediaPart) -> bool:
        """Look at it before it is asked about. False when cancelled, or when this model sees nothing.

        Raises UserError where it is gone or damaged.
        """
        return self._media is not None and self._media.encode(part, self._cancel)

    def size_of(self, part: Part, cancelled: Callable[[], bool]) -> int | None:
        """Entries that a part of a message takes by itself; None when `cancelled` said so meanwhile."""
        return part_size(part, self._model.vocab, self._media, cancelled)

    def tokens(self, request: TokenRequest) -> Tokens:
        """Tokens of a text, or of those that are given, with their texts."""
        return tokens_of(self._model.vocab, request)

    def another_chat(self) -> ChatPrompt:
        """For another thread, as long as the model is there."""
        return ChatPrompt(self._model, Vocab(self._model.vocab.handle))

    def reply(self, request: ChatRequest) -> Generator[ReplyEvent, None, None]:
        """Answer the last message: PromptProgress, then TextDelta and ToolCallDelta, and Finished as the last event.

        Cancelling ends it with FinishReason.CANCELLED and what was written so far. The generator may be
        closed at any event; the slot then holds what was evaluated, and the next reply is exact.
        Raises ContextFullError, and a UserError for what the template refuses and for a grammar that is none, before
        anything is evaluated.
        """
        held = len(self.slot)

        def choose_flash() -> None:
            nonlocal held
            grown, held = len(self.slot) - held, len(self.slot)
            if grown > 0:
                self.choose_flash([self.slot], [Worked(grown, held)])

        return alone(self.reply_in(self.slot, request), choose_flash)

    def reply_in(self, slot: Slot, request: ChatRequest) -> Working[ReplyEvent, None]:
        """`reply` in any slot of the context, which asks for turns."""
        prompt, messages, notes = self._prompts.fitting(request)
        if request.only_documents:
            prompt = prompt.up_to_documents()
        tokens, vocab, n_ctx = prompt.tokens, self._model.vocab, slot.context.n_ctx
        constraint = self._answers.constraint(request, prompt)
        with SamplerChain(vocab, request.sampling, n_ctx, self._answers.biases(request)) as chain:
            if not (yield OwnTurn(tokens)):
                unread = Prefill(ReusePlan(ReuseAction.CLEAR, 0, 0, 0), "", notes)
                nothing = self._answers.answer(request, prompt)
                yield finished(self.info.vocab, slot, FinishReason.CANCELLED, nothing, unread, chain.seed)
                return
            chosen = self._plan(slot, tokens, request)
            where = slot.divergence(prompt, messages, chosen, vocab)
            chosen = slot.apply(chosen, request.conversation, keep_on_disk=request.keep_on_disk)
            reading = Prefill(chosen, Sentence.joined(str(chosen), where), notes)
            _log.info("%s", chosen.logged(Counter(type(part).__name__ for each in messages for part in each.media)))
            complete = yield from self._read(slot, prompt, reading, request)
            answer = self._answers.answer(request, prompt)
            if not complete or request.only_read or constraint is None:
                reason = FinishReason.LENGTH if complete and constraint is not None else FinishReason.CANCELLED
                yield finished(self.info.vocab, slot, reason, answer, reading, chain.seed)
                return
            recent = tokens.tokens(max(0, len(tokens) - chain.window), len(tokens))
            chain.remember(recent[recent >= 0].tolist())
            params = self._answers.params(request, chain, constraint)
            steps = self._steps[slot.context.seq] = self._steps_for(slot, request.drafts)
            reason = yield from TokenGenerator(slot, self._model.vocab, self._cancel, steps).write(answer, params)
            yield from answer.end(cut=reason is not FinishReason.STOP)
            if reason is FinishReason.STOP and answer.tool_calls:
                reason = FinishReason.TOOL_CALLS
            yield finished(self.info.vocab, slot, reason, answer, reading, chain.seed, steps.figures())

    def logits_after(self, request: ChatRequest) -> NDArray[np.float32] | None:
        """Logits after the prompt that `reply` would read, before any sampler: float32 of shape (n_vocab,).

        None when cancelled. Raises as `reply` does.
        """
        *_, last = self.reply(replace(request, only_read=True))
        done = isinstance(last, Finished) and last.reason is not FinishReason.CANCELLED
        return self.slot.logits() if done else None

    def peek(self, request: ChatRequest) -> Peeked:
        """What `reply` would read, without doing it. Raises as `reply` does."""
        prompt, messages, _ = self._prompts.fitting(request)
        chosen = self.slot.plan(prompt.tokens)
        where = self.slot.divergence(prompt, messages, chosen, self._model.vocab)
        return Peeked(chosen.total, chosen.keep, Sentence.joined(str(chosen), where))

    def likelihood(self, request: LikelihoodRequest) -> Generator[LikelihoodEvent, None, None]:
        """How likely a text or an answer is: progress, and Likelihood as the last event; cancelled, it ends without.

        Closing the generator is safe, as with `reply`. Raises as `reply` does, and UserError for too little text.
        """
        prompts = PromptReader(self.slot, self._media, self._cancel)
        reader = LikelihoodReader(self.slot, self._model.vocab, prompts, self._cancel)
        if isinstance(request, TextToScore):
            return reader.of_text(request)
        whole, before = self._prompts.to_score(request.chat)
        return reader.of_answer(before, whole, request.chat)

    def save_state(self, path: Path, more: Mapping[str, object], conversation: str = "") -> SavedState | None:
        """Write what is held of a conversation, in the context or aside, into a file; `more` is JSON that goes with it.
        Empty is what the context holds, whosever it is. None when cancelled. Raises UserError.
        """
        snapshot = self.slot.snapshot_of(conversation)
        if snapshot is None:
            raise UserError("The model holds nothing of this conversation yet. Ask something in it first.")
        notes = StateNotes(self.info.name, more)
        n_bytes = save_state(path, snapshot, self.identity, notes, lambda: not self._cancel.is_set())
        return SavedState(len(snapshot.entries), n_bytes, more) if n_bytes else None

    def restore_state(
        self, path: Path, conversation: str = "", *, keep_on_disk: bool = False, foreign: bool = False
    ) -> SavedState:
        """Let the context hold what a file says, as this conversation's. What it held is kept aside, as when another
        conversation takes it over. Of a `foreign` one only that is taken which `try_state` tries. Raises StateError;
        the context is what it was then, or empty.
        """
        snapshot, notes = read_state(path, self.identity, self.slot.context.n_ctx)
        snapshot = snapshot.without_extras() if foreign else snapshot
        if not self.slot.take_over(snapshot, conversation, keep_on_disk=keep_on_disk):
            raise refused(path, notes)
        return SavedState(notes.n_entries, notes.n_bytes, notes.more)

    def try_state(self, path: Path) -> None:
        """Hold what a file says, with each of its checkpoints, and decode a token after it: what a preflight must have
        survived. Whether it was made for this model is not asked. Raises StateError.
        """
        # Some states end the process only where the context has room for several replies.
        self.widen(self.slot)
        snapshot, notes = read_state(path, None, self.slot.context.n_ctx)
        if not self.slot.take_over(snapshot, "", keep_on_disk=False):
            raise refused(path, notes)
        self.slot.evaluate_one(max(self._model.vocab.bos, 0))
        self.slot.logits()
        self.slot.try_checkpoints()

    def held_state(self, conversation: str) -> HeldState:
        """What is held of a conversation, by a copy of it. Raises OSError."""
        snapshot = self.slot.snapshot_of(conversation) if conversation else None
        n_entries, n_bytes = (len(snapshot.entries), snapshot.n_bytes) if snapshot is not None else (0, 0)
        return HeldState(self.identity.text.hex(), n_entries, n_bytes, self.slot.rates.reading.per_second)

    def written(self, request: ChatRequest) -> PromptText:
        """The prompt that `reply` would read, of whatever length. Raises what the template raises."""
        return written(self.chat, self._media, request)

    def _plan(self, slot: Slot, tokens: PromptTokens, request: ChatRequest) -> ReusePlan:
        if not request.prompt_logprobs:
            return slot.settle(tokens)
        return ReusePlan(ReuseAction.CLEAR, 0, len(tokens), 0, "the probabilities of all its tokens were asked for")

    def _read(self, slot: Slot, prompt: Prompt, reading: Prefill, request: ChatRequest) -> Working[ReplyEvent, bool]:
        reader = PromptReader(slot, self._media, self._cancel)
        if not request.prompt_logprobs:
            return (yield from reader.read(prompt, reading))
        return (yield from reader.read_with_logprobs(prompt, reading, self._model.vocab, request.top_logprobs or 0))

    def _steps_for(self, slot: Slot, limits: DraftLimits) -> Steps:
        if (drafting := self.drafting) is None:
            return PlainSteps(slot, "This model was loaded without anything that guesses.")
        if slot.companion is None:
            return PlainSteps(slot, "Other answers were being written at the same time.")
        drafting.limit(limits)
        return DraftedSteps(slot, drafting) if drafting.is_on else PlainSteps(slot, drafting.why_off())
