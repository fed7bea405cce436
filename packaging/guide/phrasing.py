"""Ways to type one question: alternatives written in a line, and what people's fingers make of it."""

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from guide.synonyms import reworded

TYPO_SHARE = 0.12
REWORDED_SHARE = 0.35
DROPPED_SHARE = 0.08

_PART = re.compile(r"[()|]|[^()|]+")
_QUESTION = re.compile(
    r"(?:and |so |but |ok )?(?:what|whats|what's|how|hows|why|where|wheres|which|who|when|can|could|do|does|did|is|are|"
    r"will|would|should|may|am|has|have|any|isn't|doesn't|don't|can't)\b"
)
_ACRONYMS = re.compile(r"\b(?:kv|gguf|ram|vram|gpu|cpu|api|llm|ai|url|pdf|json|http|ssd|gb|ui|usb)s?\b")
_SMALL = frozenset({"the", "a", "an", "is", "to", "my", "of", "it", "do", "does", "are", "i", "for", "in", "me"})
_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_OPENINGS: tuple[tuple[str, ...], ...] = (
    ("how do i", "how can i", "how to", "how would i", "how could i", "how does one", "how should i", "how do you"),
    ("what is", "what's", "whats", "what exactly is", "so what is", "what on earth is", "can you tell me what is"),
    ("what are", "what exactly are", "tell me what are", "so what are"),
    ("what does", "what exactly does", "what do you think does", "so what does"),
    ("why is", "why's", "how come", "why exactly is", "what is the reason why"),
    ("where is", "where's", "wheres", "where do i find", "where can i find", "where exactly is"),
    (
        "can i",
        "could i",
        "may i",
        "is it possible to",
        "am i able to",
        "is there a way to",
        "can one",
        "can you let me",
    ),
    ("can you", "could you", "are you able to", "do you know how to", "will you"),
    ("i want to", "i would like to", "i'd like to", "i need to", "i wanna", "i have to", "let me", "help me to"),
    ("tell me about", "explain", "describe", "say something about", "what can you tell me about", "teach me about"),
    ("explain", "please explain", "can you explain", "could you explain", "i do not understand", "help me understand"),
    ("does hearth", "does the program", "does this program", "does this app", "does this"),
    ("can hearth", "can the program", "can this app", "can this program"),
)
_SHORTER: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("do not", ("don't", "dont")),
    ("does not", ("doesn't", "doesnt")),
    ("did not", ("didn't", "didnt")),
    ("is not", ("isn't", "isnt")),
    ("can not", ("can't", "cant", "cannot")),
    ("cannot", ("can't", "cant")),
    ("i am", ("i'm", "im")),
    ("it is", ("it's", "its")),
    ("i have", ("i've", "ive")),
    ("that is", ("that's", "thats")),
    ("will not", ("won't", "wont")),
    ("you are", ("you're", "youre")),
    ("you", ("u",)),
    ("please", ("pls", "plz")),
    ("because", ("cause", "cuz")),
)
_BEFORE = (
    "hi, ", "hello, ", "hey, ", "hey ", "hi! ", "hello! ", "please, ", "sorry, ", "quick question: ",
    "one question: ", "ok, ", "okay ", "so ", "um, ", "hmm, ", "i have a question: ", "excuse me, ",
    "another thing: ", "and ", "well, ", "now ", "i am new here, ", "good morning, ", "tell me: ", "just wondering, ",
    "also, ", "hey so ", "i was wondering, ", "sorry to bother you, ", "maybe a silly question, ", "i'm a bit lost, ",
    "my son asks, ", "a friend asked me, ", "for a colleague: ", "before i forget, ", "by the way, ",
    "one more thing, ", "since you are here, ", "seriously, ", "honestly, ", "oh, ", "wait, ", "right, ", "yo ",
    "dear guide, ", "hearth, ", "listen, ", "u know, ", "no idea, ",
)  # fmt: skip
_AFTER = (
    " please", ", please", " thanks", ", thanks", " thank you", ", thank you", " pls", " here", " in hearth",
    " exactly", ", do you know", " then", " btw", " if i may ask", " now", " in this program", ", can u help",
    ", any idea", ", i forgot", ", just asking", ", i am curious", " on my computer", " these days", ", friend",
    " again", ", right", " actually", ", it's urgent", ", no hurry", " in a few words", " for a beginner",
    ", tell me", " by any chance",
)  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """One of several texts, each a row of literal text and further choices."""

    options: tuple[tuple["str | Choice", ...], ...]

    def draw(self, rng: random.Random) -> str:
        parts = rng.choice(self.options)
        return "".join(part if isinstance(part, str) else part.draw(rng) for part in parts)

    def regex(self) -> str:
        """Matches each text that can be drawn, once it is in lower case and without blanks."""
        texts = (
            "".join(re.escape(_unspaced(part.lower())) if isinstance(part, str) else part.regex() for part in option)
            for option in self.options
        )
        return f"(?:{'|'.join(texts)})"

    def size(self) -> int:
        """How many texts can be drawn, equal ones counted again."""
        total = 0
        for option in self.options:
            product = 1
            for part in option:
                product *= 1 if isinstance(part, str) else part.size()
            total += product
        return total


def parse(line: str) -> Choice:
    """A line with alternatives `(a|b|)`, nested as one likes. Raises ValueError for brackets that do not match."""
    parts = _PART.findall(line)
    choice, end = _parse_options(parts, 0)
    if end != len(parts):
        raise ValueError(f"A bracket closes that was never opened: {line!r}")
    return choice


def _parse_options(parts: Sequence[str], start: int, *, inside: bool = False) -> tuple[Choice, int]:
    options: list[tuple[str | Choice, ...]] = []
    row: list[str | Choice] = []
    at = start
    while at < len(parts) and parts[at] != ")":
        if parts[at] == "(":
            nested, at = _parse_options(parts, at + 1, inside=True)
            row.append(nested)
        elif parts[at] == "|":
            options.append(tuple(row))
            row = []
        else:
            row.append(parts[at])
        at += 1
    if inside and at == len(parts):
        raise ValueError(f"A bracket is never closed: {''.join(parts)!r}")
    return Choice((*options, tuple(row))), at


def plain(text: str) -> str:
    """What two phrasings are compared by: lower case, one blank between words, no punctuation."""
    return " ".join(re.findall(r"[\w.+']+", text.lower())).rstrip(".")


def matcher(lines: Sequence[str]) -> Callable[[str], bool]:
    """Tells whether a text can be drawn from one of the lines, but for case, blanks and final punctuation."""
    patterns = [_pattern(line) for line in lines]

    def matches(text: str) -> bool:
        unspaced = _unspaced(text.lower().rstrip("?!. "))
        return any(pattern.fullmatch(unspaced) for pattern in patterns)

    return matches


@cache
def _pattern(line: str) -> re.Pattern[str]:
    return re.compile(parse(line).regex())


def vary(line: str, rng: random.Random) -> str:
    """The line as somebody might type it: another opening, polite or not, in capitals or not, with a slip or none."""
    text = " ".join(line.split())
    for share, change in (
        (0.25, _another_opening),
        (REWORDED_SHARE, reworded),
        (0.30, _shortened),
        (0.20, _politely),
        (DROPPED_SHARE, _without_small_words),
    ):
        if rng.random() < share:
            text = change(text, rng)
    question = _QUESTION.match(text) is not None
    if rng.random() < TYPO_SHARE:
        text = _mistyped(text, rng)
    return _punctuated(_cased(text, rng), rng, question=question)


def _another_opening(text: str, rng: random.Random) -> str:
    fitting = [group for group in _OPENINGS if text.startswith(group[0] + " ")]
    if not fitting:
        return text
    group = rng.choice(fitting)
    return rng.choice(group[1:]) + text[len(group[0]) :]


def _shortened(text: str, rng: random.Random) -> str:
    for long, shorts in _SHORTER:
        if rng.random() < 0.6:
            text = re.sub(rf"\b{long}\b", rng.choice(shorts), text)
    return text


def _politely(text: str, rng: random.Random) -> str:
    if len(text.split()) < 3:
        return text
    return rng.choice(_BEFORE) + text if rng.random() < 0.6 else text + rng.choice(_AFTER)


def _without_small_words(text: str, rng: random.Random) -> str:
    words = text.split()
    small = [at for at, word in enumerate(words) if word in _SMALL]
    if len(words) < 4 or not small:
        return text
    dropped = set(rng.sample(small, min(len(small), rng.choice((1, 1, 2)))))
    return " ".join(word for at, word in enumerate(words) if at not in dropped)


def _mistyped(text: str, rng: random.Random) -> str:
    words = text.split()
    long = [at for at, word in enumerate(words) if len(word) >= 4 and word.isalpha()]
    for at in rng.sample(long, min(len(long), rng.choice((1, 1, 1, 2)))):
        words[at] = rng.choice(_SLIPS)(words[at], rng)
    return " ".join(words)


def _swap(word: str, rng: random.Random) -> str:
    at = rng.randrange(len(word) - 1)
    return word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _skip(word: str, rng: random.Random) -> str:
    at = rng.randrange(1, len(word))
    return word[:at] + word[at + 1 :]


def _double(word: str, rng: random.Random) -> str:
    at = rng.randrange(len(word))
    return word[: at + 1] + word[at:]


def _neighbour(word: str, rng: random.Random) -> str:
    at = rng.randrange(len(word))
    for row in _ROWS:
        if (place := row.find(word[at])) >= 0:
            beside = row[max(place - 1, 0) : place] + row[place + 1 : place + 2]
            return word[:at] + rng.choice(beside) + word[at + 1 :]
    return word


_SLIPS: tuple[Callable[[str, random.Random], str], ...] = (_swap, _skip, _double, _neighbour)


def _cased(text: str, rng: random.Random) -> str:
    drawn = rng.random()
    if drawn < 0.45:
        return text
    if drawn < 0.47:
        return text.upper()
    text = re.sub(r"\bi\b", "I", text)
    text = re.sub(r"\bhearth\b", "Hearth", text)
    if rng.random() < 0.6:
        text = _ACRONYMS.sub(lambda found: found.group().upper(), text)
    return text[:1].upper() + text[1:]


def _punctuated(text: str, rng: random.Random, *, question: bool) -> str:
    if text[-1:] in ".?!":
        return text
    ends, weights = (
        (("?", "", "??", ".", " ?"), (58, 34, 3, 3, 2)) if question else (("", ".", "?", "!"), (56, 27, 11, 6))
    )
    return text + rng.choices(ends, weights)[0]


def _unspaced(text: str) -> str:
    return "".join(text.split())
