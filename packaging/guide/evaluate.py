"""The converted guide, asked what it was never taught the wording of, through Hearth's own engine."""

import hashlib
import io
import math
import re
import shutil
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

from PIL.Image import Image

from app.core.cancel import CancelFlag
from app.core.events import Finished
from app.core.loading import Loading
from app.core.messages import Generation, ImagePart, Message, Role, TextPart
from app.core.requests import ChatRequest
from app.core.sampling import Sampling
from app.engine.loading.loader import open_session
from app.engine.media.embeddings import EmbeddingCache
from app.engine.media.images import read_picture
from app.engine.media.media import MediaStores, NoMedia
from app.engine.media.projector_loader import Projector
from app.engine.reply.session import Session
from guide.dialogue import Check, Dialogue, Turn
from guide.form import MMPROJ_FILE, MODEL_FILE, answer_text
from guide.intents import load_intents
from guide.pasted import held_out_pasted
from guide.pictures.dialogues import held_out_pictures
from guide.talk import held_out_dialogues
from guide.unclear import UNCLEAR, UNSURE

LONGEST = 160
"""Tokens of an answer."""
_CACHE = 64 << 20
_SCORES, _UNSURE = "scores", "unsure"
"""What the two tables of a model card stand between: `<!-- scores -->` and `<!-- end of scores -->`."""
_OPENING = 4
"""Tokens of an answer that tell how sure the guide is of what it was asked: the rest follows from them."""
_THRESHOLDS = (0.0, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
_END_OF_REASONING = "</think>"


@dataclass(frozen=True)
class Judged:
    dialogue: Dialogue
    group: str
    """The row of the table."""
    answer: str
    wrong: str
    """What is wrong with it, or nothing."""
    sure: float = 1.0
    """How probable the answer's first tokens were together."""

    @property
    def check(self) -> str:
        """What the question is about, or nothing."""
        return self.dialogue.check.intent if self.dialogue.check else ""

    def is_unsure(self, least: float) -> bool:
        """Whether it says so, or begins less probably than `least`."""
        return UNSURE in self.answer or self.sure < least


def questions() -> Iterator[tuple[str, Dialogue]]:
    """Everything that is asked, each with its row of the table; text first."""
    for intent in load_intents():
        for text in intent.held_out:
            yield intent.group, Dialogue((Turn("user", text),), check=intent.check(), kind="hearth")
    for dialogue in (*held_out_dialogues(), *held_out_pictures()):
        yield dialogue.check.intent if dialogue.check else dialogue.kind, dialogue
    for dialogue in held_out_pasted():
        yield "short texts" if dialogue.kind == "brief" else "texts and files", dialogue
    for text in UNCLEAR:
        check = Check("unclear", ((UNSURE,),))
        yield "unclear questions", Dialogue((Turn("user", text),), check=check, kind="unclear")


def judge(dialogue: Dialogue, answer: str) -> str:
    """What is wrong with an answer by the dialogue's check: one line, empty where nothing is."""
    check = dialogue.check
    if check is None:
        return ""
    said = answer.rpartition(_END_OF_REASONING)[2]
    if dialogue.thinking and _END_OF_REASONING not in answer:
        return "the reasoning never ends"
    for alternatives in check.facts:
        if not any(re.search(fact, said, re.IGNORECASE) for fact in alternatives):
            return f"{check.intent}: lacks {' or '.join(alternatives)}"
    for never in check.never:
        if re.search(never, said, re.IGNORECASE):
            return f"{check.intent}: has {never}"
    return ""


class Guide:
    """The two files, loaded. Greedy, one thread; each question is a conversation of its own."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._sampling = Sampling(temperature=0.0, max_tokens=LONGEST)

    @staticmethod
    def open(folder: Path, stack: ExitStack) -> "Guide":
        """Load the files in `folder`; freed with `stack`. Raises UserError."""
        scratch = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        # Copies, for Hearth hands its own guide no long texts: here it shall answer them.
        model, eye = (Path(shutil.copy(folder / name, scratch)) for name in (MODEL_FILE, MMPROJ_FILE))
        cache = EmbeddingCache(_CACHE, scratch, 0)
        stack.callback(cache.close)
        opened = open_session(
            model,
            Loading(threads=1, gpu_layers=0, ctx_size=4096),
            cancel=CancelFlag(),
            projector=Projector(eye, MediaStores(NoMedia(), cache)),
        )
        if opened is None:
            raise RuntimeError("Loading was cancelled by nobody.")
        session, notes = opened
        stack.callback(session.close)
        for note in (*notes, session.info.projector_problem):
            if note:
                print(note)
        return Guide(session)

    def answer(self, dialogue: Dialogue) -> tuple[str, float]:
        """The greedy answer to the last turn, and how probable its opening is."""
        arguments: dict[str, object] = {"enable_thinking": dialogue.thinking}
        if dialogue.tools:
            arguments["tools"] = [dict(tool) for tool in dialogue.tools]
        messages = tuple(self._message(turn) for turn in dialogue.turns)
        request = ChatRequest(messages, self._sampling, template_args=arguments, top_logprobs=0)
        text, sure = "", 0.0
        with closing(self._session.reply(request)) as events:
            for event in events:
                if isinstance(event, Finished):
                    text = self._written(event.generation)
                    sure = math.exp(sum(each.chosen.logprob for each in event.logprobs[:_OPENING]))
        return text.strip(), sure

    def _written(self, generation: Generation) -> str:
        """With the marks around reasoning and tool calls, which are judged too."""
        pieces = map(self._session._model.vocab.piece, generation.tokens)
        return b"".join(pieces).decode("utf-8", "replace")

    def _message(self, turn: Turn) -> Message:
        text = answer_text(turn) if turn.speaker == "assistant" else turn.text
        message = Message(Role(turn.speaker), (*map(_part, turn.pictures), TextPart(text)))
        if turn.calls:
            # What the guide said itself goes back as the tokens that it said, tags and all.
            return replace(message, generation=self._generation(text))
        return message

    def _generation(self, text: str) -> Generation:
        vocab = self._session._model.vocab
        return Generation(self._session.info.vocab, tuple(vocab.tokenize(text, parse_special=True)))


def _part(picture: Image) -> ImagePart:
    """A picture as a command line would hand it over: as a PNG file."""
    file = io.BytesIO()
    picture.save(file, "PNG")
    data = file.getvalue()
    seen = read_picture(data)
    return ImagePart(hashlib.sha256(data).hexdigest(), "", seen.width, seen.height, seen.digest, data)


def run(folder: Path, kinds: Sequence[str], table: Path | None) -> int:
    """Ask everything of `kinds` (empty: all); print failures and the table of scores.

    The table goes into the file `table` too: between the marks of a model card, or as all of it.
    """
    judged: list[Judged] = []
    began = time.monotonic()
    with ExitStack() as stack:
        guide = Guide.open(folder, stack)
        for group, dialogue in questions():
            if kinds and dialogue.kind not in kinds:
                continue
            answer, sure = guide.answer(dialogue)
            judged.append(Judged(dialogue, group, answer, judge(dialogue, answer), sure))
            if judged[-1].wrong:
                print(told(judged[-1]), flush=True)
    scores = table_of(judged)
    print(scores)
    print(f"{len(judged)} questions in {time.monotonic() - began:.0f} seconds.")
    doubts = doubts_of(judged)
    print(doubts)
    if table is not None:
        _put(scores, _SCORES, table)
        _put(doubts, _UNSURE, table)
    return 0


def _put(table: str, name: str, file: Path) -> None:
    """Write the table between its marks, or behind everything where the file has none."""
    text = file.read_text(encoding="utf-8") if file.exists() else ""
    before, mark, rest = text.partition(f"<!-- {name} -->")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    whole = f"{before}{mark}\n{table}\n{end}{after}" if mark and end else f"{text}{table}\n"
    file.write_text(whole, encoding="utf-8")


def doubts_of(judged: Sequence[Judged]) -> str:
    """How often the guide says that it is not sure, as a Markdown table: of unclear questions, where it should, and
    of an intent's questions, right and wrong, where it should rather not.

    The first row is what it says by itself. The others count an answer as unsure, too, whose opening was less probable.
    """
    unclear = [each for each in judged if each.dialogue.kind == "unclear"]
    clear = [each for each in judged if each.dialogue.kind == "hearth" and each.check != "unsure"]
    groups = (unclear, [each for each in clear if not each.wrong], [each for each in clear if each.wrong])
    lines = [
        "| unsure below | unclear questions | rightly answered | wrongly answered |",
        "|---:|---:|---:|---:|",
    ]
    for least in _THRESHOLDS:
        found = (sum(each.is_unsure(least) for each in group) for group in groups)
        shares = (f"{number} of {len(group)}" for number, group in zip(found, groups, strict=True))
        lines.append(f"| {f'{least:.1f}' if least else 'as it says'} | {' | '.join(shares)} |")
    return "\n".join(lines)


def told(judged: Judged) -> str:
    """A failure, word for word."""
    lines = [f"{judged.group}: {judged.wrong}"]
    for turn in judged.dialogue.turns:
        pictures = f"[{len(turn.pictures)} pictures] " if turn.pictures else ""
        lines.append(f"    {turn.speaker}: {pictures}{answer_text(turn)}")
    return "\n".join((*lines, f"    -> {judged.answer}"))


def table_of(judged: Sequence[Judged]) -> str:
    """Right answers of each group and kind, as a Markdown table."""
    chosen: dict[str, list[Judged]] = {}
    for each in judged:
        chosen.setdefault(each.group, []).append(each)
    for each in judged:
        chosen.setdefault(f"**all of {each.dialogue.kind}**", []).append(each)
    lines = ["| group | right | asked | share |", "|---|---:|---:|---:|"]
    for title, asked in chosen.items():
        right = sum(not each.wrong for each in asked)
        lines.append(f"| {title} | {right} | {len(asked)} | {right / len(asked):.0%} |")
    return "\n".join(lines)
