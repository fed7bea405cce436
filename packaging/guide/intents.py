"""The intents: what is asked, in many words, and what is answered. They are written in `intents/*.toml`."""

import random
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from guide.dialogue import Check
from guide.follow_ups import load_follow_ups
from guide.phrasing import Choice, parse, plain, vary
from guide.references import Reference, find_references, strip_marking

FOLDER = Path(__file__).parent / "intents"
_KEYS = frozenset({"name", "group", "ask", "held_out", "answer", "facts", "follow_up"})


@dataclass(frozen=True)
class Intent:
    name: str
    group: str
    """A row of the table of scores."""
    ask: tuple[str, ...]
    """Training questions in lower case, with alternatives `(a|b|)`."""
    held_out: tuple[str, ...]
    """Questions for evaluation alone."""
    answer: tuple[str, ...]
    """Variants that say the same, with the program's names marked."""
    facts: tuple[tuple[str, ...], ...]
    """As in `guide.dialogue.Check`."""
    follow_up: tuple[str, ...] = ()
    """Names of the intents whose question naturally comes next."""

    def phrase(self, rng: random.Random) -> str:
        """A question for training; never one of `held_out`, in whatever case and punctuation."""
        kept_out = {plain(text) for text in self.held_out}
        while True:
            drawn = vary(rng.choice(_choices(self.ask)).draw(rng), rng)
            if plain(drawn) not in kept_out:
                return drawn

    def reply(self, rng: random.Random) -> str:
        """One of the answers, as a reader sees it."""
        return strip_marking(rng.choice(self.answer))

    def replies(self) -> tuple[str, ...]:
        """All answers, as a reader sees them."""
        return tuple(strip_marking(text) for text in self.answer)

    def check(self) -> Check:
        return Check(self.name, self.facts)


@cache
def load_intents(folder: Path = FOLDER) -> tuple[Intent, ...]:
    """Every intent, by file and then as it stands there. Raises ValueError naming the file and what is wrong."""
    found: dict[str, Intent] = {}
    for file in sorted(folder.glob("*.toml")):
        try:
            made = [_intent(entry) for entry in tomllib.loads(file.read_text(encoding="utf-8")).get("intent", ())]
            for intent in made:
                if intent.name in found:
                    raise ValueError(f"{intent.name} is there twice.")
                found[intent.name] = intent
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{file.name}: {error}") from error
    return tuple(found.values())


def references(folder: Path = FOLDER) -> tuple[Reference, ...]:
    """Every name of the program's own that an answer marks, in what may be asked on about it too."""
    said = [(intent.name, text) for intent in load_intents(folder) for text in intent.answer]
    said += [(each.subject, each.answer) for each in load_follow_ups(folder.parent / "follow_ups")]
    return tuple(reference for name, text in said for reference in find_references(text, name))


def _intent(entry: Mapping[str, Any]) -> Intent:
    name = str(entry["name"])
    if strange := set(entry) - _KEYS:
        raise ValueError(f"{name} has {', '.join(sorted(strange))}, which means nothing.")
    made = Intent(
        name=name,
        group=str(entry["group"]),
        ask=_texts(entry["ask"], name),
        held_out=_texts(entry["held_out"], name),
        answer=_texts(entry["answer"], name),
        facts=tuple(_texts(group, name) for group in entry["facts"]),
        follow_up=_texts(entry.get("follow_up", ()), name),
    )
    _choices(made.ask)
    made.replies()
    return made


def _texts(values: object, name: str) -> tuple[str, ...]:
    if not isinstance(values, (list, tuple)) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"{name}: {values!r} should be a list of texts.")
    return tuple(values)


@cache
def _choices(lines: tuple[str, ...]) -> tuple[Choice, ...]:
    return tuple(parse(line) for line in lines)
