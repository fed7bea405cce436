"""Batches for training: dialogues packed into rows."""

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from guide.corpus import GOING_ON, SHARES
from guide.pictures.vision_network import pixels
from guide.rendering import PICTURE, Sample, sample
from guide.tokenizer import Vocabulary

LENGTHS = (256, 512)
"""Entries of a row. The long kind is for long dialogues alone, because attention costs the row's square."""
ENTRIES = 2560
"""Entries of a batch, about."""
CONTEXT = 4096
NO_TOPIC = -1
GAPPED = 0.35
"""Share of dialogues of several turns in whose positions there are gaps, as if more had been said between."""


@dataclass(frozen=True)
class Rows:
    """Dialogues side by side in rows of one length. Arrays of shape (rows, length) unless said otherwise."""

    tokens: NDArray[np.int64]
    """Ids; PICTURE where an entry of a picture goes, in the order of `pictures`; 0 behind a row's last dialogue."""
    targets: NDArray[np.int64]
    """The entry that follows each."""
    weights: NDArray[np.float32]
    """How much the prediction of the target counts."""
    positions: NDArray[np.int64]
    documents: NDArray[np.int64]
    """Which dialogue of the row an entry belongs to, from 1 on; none sees another's. 0 where there is none."""
    pictures: NDArray[np.uint8]
    """Shape (n, 3, size, size)."""
    topics: NDArray[np.int64]
    """Which of the composer's topics the answer after an entry belongs to; -1 where there is none."""

    @property
    def n_tokens(self) -> int:
        return int((self.documents > 0).sum())


@dataclass(frozen=True)
class BatchComposer:
    """Batch k of a seed is always the same, as long as the corpus is."""

    vocabulary: Path
    seed: int
    topics: tuple[str, ...] = ()
    entries: int = ENTRIES
    going_on: bool = False
    """The mixture for a network that was restored from the shipped files."""

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary.load(self.vocabulary)

    @cached_property
    def _numbers(self) -> Mapping[str, int]:
        return {name: number for number, name in enumerate(self.topics)}

    def batch(self, index: int) -> tuple[Rows, ...]:
        """One set of rows for each of LENGTHS that is needed, the long one first."""
        rng = random.Random(f"{self.seed}/{index}")
        short, long = LENGTHS
        samples = sorted(self._samples(rng), key=lambda each: -len(each.tokens))
        # Rows for the long ones first; short ones fill what they leave.
        rows, left = pack(samples, long, lambda each: len(each.tokens) > short)
        parts = [lay_out(rows, long, rng, self._numbers)] if rows else []
        if left:
            parts.append(lay_out(pack(left, short, lambda _: True)[0], short, rng, self._numbers))
        return tuple(parts)

    def _samples(self, rng: random.Random) -> list[Sample]:
        """Of each kind its share of the entries, on average."""
        found: list[Sample] = []
        for compose, share in GOING_ON if self.going_on else SHARES:
            left = self.entries * share
            while left > 0:
                drawn = sample(compose(rng), self._vocabulary)
                n = len(drawn.tokens)
                if n > LENGTHS[-1]:
                    continue
                # The last one comes with the chance that makes the share right on average.
                if left >= n or rng.random() < left / n:
                    found.append(drawn)
                left -= n
        return found


def pack(
    samples: list[Sample], length: int, opens: Callable[[Sample], bool]
) -> tuple[list[list[Sample]], list[Sample]]:
    """Best fit into rows of `length` entries, in the order given; a row is begun only for what `opens` says so of.

    Returns the rows, and what fitted nowhere.
    """
    rows: list[list[Sample]] = []
    free: list[int] = []
    left: list[Sample] = []
    for each in samples:
        fitting = [index for index, room in enumerate(free) if room >= len(each.tokens)]
        if fitting:
            row = min(fitting, key=lambda index: free[index])
        elif opens(each):
            row = len(rows)
            rows.append([])
            free.append(length)
        else:
            left.append(each)
            continue
        rows[row].append(each)
        free[row] -= len(each.tokens)
    return rows, left


def lay_out(rows: list[list[Sample]], length: int, rng: random.Random, numbers: Mapping[str, int]) -> Rows:
    """The arrays of packed rows; positions are drawn with `rng`, and `numbers` are the topics'."""
    shape = (len(rows), length)
    made = Rows(
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.float32),
        np.zeros(shape, np.int64),
        np.zeros(shape, np.int64),
        pixels([picture for row in rows for each in row for picture in each.pictures]),
        np.full(shape, NO_TOPIC, np.int64),
    )
    for index, row in enumerate(rows):
        start = 0
        for number, each in enumerate(row, 1):
            n = len(each.tokens)
            here = (index, slice(start, start + n))
            before_next = (index, slice(start, start + n - 1))
            made.tokens[here] = each.tokens
            made.targets[before_next] = each.tokens[1:]
            made.weights[before_next] = each.weights[1:]
            made.positions[here] = positions(each, rng)
            made.documents[here] = number
            for at, topic in each.topics:
                made.topics[index, start + at] = numbers.get(topic, NO_TOPIC)
            start += n
    # A picture's entry is never predicted; its weight is 0 and any id will do.
    made.targets[made.targets == PICTURE] = 0
    return made


def positions(each: Sample, rng: random.Random) -> NDArray[np.int64]:
    """0, 1, 2 ..., in some dialogues with gaps before some turns, up to the context's length."""
    steps = np.ones(len(each.tokens), np.int64)
    steps[0] = 0
    if len(each.starts) > 2 and rng.random() < GAPPED:
        room = CONTEXT - len(each.tokens)
        for start in rng.sample(each.starts[1:], rng.randint(1, min(3, len(each.starts) - 1))):
            # As many short gaps as long ones, by orders of magnitude.
            gap = min(room, int(2 ** rng.uniform(0, 11.5)))
            steps[start] += gap
            room -= gap
    return np.cumsum(steps)
