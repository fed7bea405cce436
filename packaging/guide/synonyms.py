"""Words that mean the same in a question about Hearth, so that what is learnt with one is learnt with all."""

import random
import re
from collections.abc import Iterable

# Only what is right in nearly every sentence. A word of many senses (know, get, run, work, book) teaches rubbish.
_GROUPS = """
delete, erase
deleted, erased
deleting, erasing
get rid of > remove
picture, image, photo
pictures, images, photos
conversation > chat
conversations, chats
computer > pc, machine, laptop
pc > computer
laptop > computer, notebook
program > app, application
programs, apps, applications
change the > modify the, alter the
changed > modified, altered
changing > modifying, altering
setting > option
settings > options, preferences
stop > halt
slow > sluggish
faster, quicker
bigger, larger
biggest, largest
huge > enormous, very large
tiny > very small
problem > issue
problems > issues
kept > stored, saved
stored > saved
folder > directory
directory > folder
company > firm
create > make
creating > making
buy > purchase
color, colour
colors, colours
favorite, favourite
license, licence
rename > retitle
the answer, the reply
an answer, a reply
this answer, this reply
answers > replies
replies > answers
answering > replying
again > once more
smart, clever
smarter, cleverer
strange > odd, weird
latest, newest
often > frequently
usually > normally
sometimes > occasionally, now and then
choose > pick, select
chosen > picked, selected
choosing > picking, selecting
hello > hi, hey
bye > goodbye
kids, children
boss > manager
everybody, everyone
somebody, someone
lots of > many, plenty of
maybe, perhaps
possible > doable
allowed > permitted
information > info
kinds > sorts
kind of > sort of
easy > simple
vanished, disappeared
vanish, disappear
recover > get back, restore
restored > brought back
at the same time > simultaneously
instead of > rather than
by itself > on its own, automatically
on its own > by itself
without internet > offline
quit > exit
maximum > max
beginner > newbie, novice
microphone > mic
mobile phone > phone, smartphone
smartphone > phone, mobile phone
graphics card > gpu, video card
video card > graphics card, gpu
processor, cpu
ram > memory
hard drive > hard disk, disk
web page > website
web site > website
language model > llm
language models, llms
shortcut > hotkey, key combination
keyboard shortcut > shortcut, hotkey
shortcuts > hotkeys
hotkey > shortcut
""".strip()
_ALIKE: dict[str, tuple[str, ...]] = {}


def _read(lines: Iterable[str]) -> None:
    """`a, b, c` may stand for each other; with `a > b, c` the first alone is exchanged."""
    for line in lines:
        first, arrow, rest = line.partition(" > ")
        members = (rest if arrow else line).split(", ")
        for each in (first,) if arrow else members:
            _ALIKE[each] = tuple(other for other in members if other != each)


_read(_GROUPS.splitlines())
_KNOWN = re.compile(
    r"(?P<article>\ban? )?(?<![-_.'])\b(?P<word>"
    + "|".join(map(re.escape, sorted(_ALIKE, key=len, reverse=True)))
    + r")\b(?![-_']|\.\w)"
)


def reworded(text: str, rng: random.Random) -> str:
    """The text with one or two of its words said by others, where any are known. In lower case as it came."""
    places = list(_KNOWN.finditer(text))
    for found in sorted(rng.sample(places, min(len(places), rng.choice((1, 1, 2)))), key=lambda each: -each.start()):
        word = rng.choice(_ALIKE[found["word"]])
        article = found["article"] and ("an " if word[0] in "aeiou" else "a ")
        text = text[: found.start()] + (article or "") + word + text[found.end() :]
    return text
