"""Questions that lean on what was just answered ("is it on by default?"). They are written in `follow_ups/*.toml`."""

import random
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from guide.dialogue import Check
from guide.phrasing import Choice, parse, plain, vary
from guide.references import strip_marking

FOLDER = Path(__file__).parent / "follow_ups"
_QUESTIONS = "questions.toml"
_OPENING = 6
"""Words."""


@dataclass(frozen=True)
class Wordings:
    """One question in many words, none of which says what it is about."""

    name: str
    ask: tuple[str, ...]
    """As an intent's."""
    held_out: tuple[str, ...]

    def phrase(self, rng: random.Random) -> str:
        """A question for training; never one that is held out of any."""
        while True:
            drawn = vary(rng.choice(_choices(self.ask)).draw(rng), rng)
            if plain(drawn) not in _kept_out():
                return drawn


@dataclass(frozen=True)
class FollowUp:
    subject: str
    """The intent that was just answered."""
    asks: str
    """The name of the wordings."""
    answer: str
    """With the program's names marked."""
    facts: tuple[tuple[str, ...], ...]
    """As in `guide.dialogue.Check`."""

    @property
    def reply(self) -> str:
        """The answer as a reader sees it."""
        return strip_marking(self.answer)

    def check(self) -> Check:
        """The facts, and how the answer begins: many things are on by default, or on the page Model."""
        opening = re.escape(" ".join(self.reply.split()[:_OPENING]).rstrip(".,;:"))
        return Check("follow_up", ((opening,), *self.facts))


@cache
def load_wordings(folder: Path = FOLDER) -> Mapping[str, Wordings]:
    """By name. Raises ValueError where something means nothing."""
    told = tomllib.loads((folder / _QUESTIONS).read_text(encoding="utf-8"))
    return {name: Wordings(name, tuple(each["ask"]), tuple(each["held_out"])) for name, each in told.items()}


@cache
def load_follow_ups(folder: Path = FOLDER) -> tuple[FollowUp, ...]:
    """Every question on every subject, by file and then as it stands there; none where there is no such folder.

    Raises ValueError naming the file and what is wrong.
    """
    found: dict[tuple[str, str], FollowUp] = {}
    for file in sorted(folder.glob("*.toml")):
        if file.name == _QUESTIONS:
            continue
        for entry in tomllib.loads(file.read_text(encoding="utf-8"))["subject"]:
            for each in _subject(entry, load_wordings(folder), file.name):
                if (each.subject, each.asks) in found:
                    raise ValueError(f"{file.name}: {each.asks} of {each.subject} is there twice.")
                found[each.subject, each.asks] = each
    return tuple(found.values())


@cache
def follow_ups_of(subject: str) -> Mapping[str, FollowUp]:
    """What can be asked on after an intent, by the name of the wordings."""
    return {each.asks: each for each in load_follow_ups() if each.subject == subject}


def _subject(entry: Mapping[str, object], known: Mapping[str, Wordings], file: str) -> list[FollowUp]:
    after = entry["after"]
    if not isinstance(after, list):
        raise ValueError(f"{file}: after {after!r} should be a list of intents.")
    made = []
    for subject in after:
        for asks, given in entry.items():
            if asks == "after":
                continue
            # The name of other wordings of the same subject: what answers these answers those.
            told = entry[given] if isinstance(given, str) else given
            if asks not in known or not isinstance(told, Mapping) or set(told) != {"answer", "facts"}:
                raise ValueError(f"{file}: {asks} of {subject} means nothing.")
            facts = tuple((fact,) for fact in told["facts"])
            made.append(FollowUp(subject, asks, told["answer"], facts))
            strip_marking(told["answer"])
    return made


@cache
def _choices(lines: tuple[str, ...]) -> tuple[Choice, ...]:
    return tuple(parse(line) for line in lines)


@cache
def _kept_out() -> frozenset[str]:
    return frozenset(plain(text) for each in load_wordings().values() for text in each.held_out)
