"""Damaged documents of every kind through the readers.

    python -m tests.bench.documents.hostile_documents [--files 1000]

Each is either read or refused in a sentence; none may take longer than the readers' patience, or raise anything else.
The longest time is the processor's, of this process and its children: a busy machine does not count.
"""

import argparse
import os
import random
from collections import Counter

from app.core.errors import UserError
from app.services.documents.reading import read_document
from tests.damaged_documents import SOUND, damaged


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    wanted = parser.parse_args()
    chance = random.Random(wanted.seed)
    told: Counter[str] = Counter()
    longest = (0.0, "")
    for number in range(wanted.files):
        name = chance.choice(list(SOUND))
        data = SOUND[name] if number < len(SOUND) else damaged(SOUND[name], chance)
        began = _worked()
        told[_outcome(data, name)] += 1
        longest = max(longest, (_worked() - began, name))
    for sentence, times in told.most_common():
        print(f"{times:5}  {sentence}")
    print(f"longest: {longest[0]:.1f} s, {longest[1]}")


def _worked() -> float:
    return sum(os.times()[:4])


def _outcome(data: bytes, name: str) -> str:
    try:
        read_document(data, name)
    except UserError as error:
        return getattr(error.sentence, "template", error.sentence)
    return "read"


if __name__ == "__main__":
    main()
