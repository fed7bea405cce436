"""From a dialogue to what the network learns from: token ids, weights of the loss, places of pictures."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Protocol

import jinja2
import numpy as np
from numpy.typing import NDArray
from PIL.Image import Image

from guide.dialogue import Dialogue, Turn
from guide.form import TURN_END, TURN_START

TEMPLATE_FILE = Path(__file__).with_name("template.jinja")
PICTURE = -1
"""Stands in `Sample.tokens` where an entry of a picture goes."""
PICTURE_ENTRIES = 64
BRIEF = 14
"""Tokens of a brief dialogue's last answer."""
OPENING_WEIGHT, OPENING = 3.0, 4
"""The first tokens of an answer decide what it is about; the others mostly follow from them."""
DECISIVE_WEIGHT = 4.0
USER_WEIGHT = 0.1
"""Loss on what people write: a little helps the network to know their words."""
_MARKER = "\ufffc"
_ANSWER = f"{TURN_START}assistant\n"
_THINK = "<think>\n"


class Encodes(Protocol):
    """Text to ids; the vocabulary, for one."""

    def encode(self, text: str) -> list[int]: ...


@dataclass(frozen=True)
class Sample:
    """One dialogue for the network. All arrays have the length n of the dialogue in entries."""

    tokens: NDArray[np.int32]
    """Ids; PICTURE for each entry of a picture."""
    weights: NDArray[np.float32]
    """How much the prediction of this very entry from those before it counts."""
    starts: tuple[int, ...]
    """Where turns begin."""
    topics: tuple[tuple[int, str], ...] = ()
    """Entries after which an answer begins that belongs to an intent, and its name."""
    pictures: tuple[Image, ...] = ()


def prompt_text(dialogue: Dialogue) -> str:
    """What the model reads before it answers; each picture is one U+FFFC."""
    return _render(dialogue, generate=True)


def prompt_ids(dialogue: Dialogue, vocabulary: Encodes) -> list[int]:
    """`prompt_text` as ids, with PICTURE for each entry of a picture."""
    return _with_pictures(prompt_text(dialogue), vocabulary)


def sample(dialogue: Dialogue, vocabulary: Encodes) -> Sample:
    """A dialogue that ends with an answer, as the network learns it."""
    answers = [turn for turn in dialogue.turns if turn.speaker == "assistant"]
    text = full_text(dialogue)
    tokens: list[int] = []
    weights: list[float] = []
    starts: list[int] = []
    topics: list[tuple[int, str]] = []
    seen = 0
    for piece in text.split(TURN_START)[1:]:
        body = TURN_START + piece
        ids = _with_pictures(body, vocabulary)
        starts.append(len(tokens))
        if body.startswith(_ANSWER):
            opening = _ANSWER + _THINK if body.startswith(_ANSWER + _THINK) else _ANSWER
            n_opening = len(vocabulary.encode(opening))
            answer = answers[seen]
            seen += 1
            learn = 1.0 if answer.learn else 0.0
            if answer.topic and answer.learn:
                topics.append((len(tokens) + n_opening - 1, answer.topic))
            if dialogue.brief and seen == len(answers):
                # And one more, which is not learnt.
                ids = ids[: n_opening + BRIEF + 1]
            # The newline after an answer's end is written by the template, never by the model.
            n_said = len(ids) - n_opening - 1
            n_first = min(OPENING, n_said)
            said = [0.0] * n_opening + [OPENING_WEIGHT * learn] * n_first + [learn] * (n_said - n_first) + [0.0]
            for at in _decisive(body, answer.decisive, vocabulary):
                said[at] = DECISIVE_WEIGHT
            weights += said
        else:
            weights += [USER_WEIGHT if token != PICTURE else 0.0 for token in ids]
        tokens += ids
    # Before the first entry there is nothing to predict it from, and after a picture the ViT's entry stands in.
    weights[0] = 0.0
    pictures = tuple(picture for turn in dialogue.turns for picture in turn.pictures)
    return Sample(np.array(tokens, np.int32), np.array(weights, np.float32), tuple(starts), tuple(topics), pictures)


def _decisive(body: str, pattern: str, vocabulary: Encodes) -> Iterator[int]:
    """Which tokens of a turn belong to matches of the pattern."""
    start = at = 0
    for match in re.finditer(pattern, body) if pattern else ():
        at += len(vocabulary.encode(body[start : match.start()]))
        start = match.end()
        n = len(vocabulary.encode(match.group()))
        yield from range(at, at + n)
        at += n


def full_text(dialogue: Dialogue) -> str:
    """The whole dialogue as the template writes it. Raises ValueError where it does not end with an answer."""
    if not dialogue.turns or dialogue.turns[-1].speaker != "assistant":
        raise ValueError("A dialogue to learn from ends with an answer.")
    said = (text for turn in dialogue.turns for text in (turn.text, turn.reasoning))
    if any(mark in text for text in said for mark in (TURN_START, TURN_END, _MARKER)):
        raise ValueError("A dialogue's own texts hold no control tokens.")
    return _render(dialogue, generate=False)


def _render(dialogue: Dialogue, *, generate: bool) -> str:
    return _template().render(
        messages=[_message(turn) for turn in dialogue.turns],
        tools=[dict(tool) for tool in dialogue.tools] or None,
        add_generation_prompt=generate,
        enable_thinking=dialogue.thinking,
    )


def _message(turn: Turn) -> dict[str, object]:
    message: dict[str, object] = {"role": turn.speaker, "content": _MARKER * len(turn.pictures) + turn.text}
    if turn.reasoning:
        message["reasoning_content"] = turn.reasoning
    if turn.calls:
        message["tool_calls"] = [
            {"function": {"name": call.name, "arguments": _plain(call.arguments)}} for call in turn.calls
        ]
    return message


def _plain(arguments: Mapping[str, object]) -> dict[str, object]:
    return dict(arguments)


def _with_pictures(text: str, vocabulary: Encodes) -> list[int]:
    ids: list[int] = []
    for index, part in enumerate(text.split(_MARKER)):
        ids += [PICTURE] * (PICTURE_ENTRIES if index else 0)
        ids += vocabulary.encode(part) if part else []
    return ids


@cache
def _template() -> jinja2.Template:
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True, autoescape=False)
    environment.filters["tojson"] = _tojson
    return environment.from_string(TEMPLATE_FILE.read_text())


def _tojson(value: object) -> str:
    # As in Hugging Face's templates and in Hearth: nothing is escaped for HTML.
    return json.dumps(value, ensure_ascii=False)
