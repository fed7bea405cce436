"""Drawn scenes for the eye that also say how many shapes there are, where, and how light the picture is: these are
hard to learn from answers alone."""

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guide.pictures.photos import impression
from guide.pictures.scenes import CELLS, scene
from guide.pictures.vision_batches import VisionBatch, VisionComposer
from guide.pictures.vision_network import pixels

N_COUNTS = 7
"""None to six, as many as a scene holds."""
N_CELLS = len(CELLS) + 1


@dataclass(frozen=True)
class CountedBatch(VisionBatch):
    counts: NDArray[np.int64]
    """Shape (n, patches): as Scene.counts."""
    cells: NDArray[np.int64]
    """Shape (n, patches): as Scene.cells."""
    light: NDArray[np.float32]
    """Shape (n,): mean luminance of each picture, from 0 to 1."""


@dataclass(frozen=True)
class CountedComposer(VisionComposer):
    """As its base, with counts, places and light."""

    def batch(self, index: int) -> CountedBatch:
        rng = random.Random(f"scenes {self.seed}/{index}")
        drawn = [scene(rng) for _ in range(self.count)]
        grids = [each.grid() for each in drawn]
        return CountedBatch(
            pixels([each.image for each in drawn]),
            np.stack([shapes.reshape(-1) for shapes, _ in grids]),
            np.stack([colours.reshape(-1) for _, colours in grids]),
            np.stack([each.counts(shapes).reshape(-1) for each, (shapes, _) in zip(drawn, grids, strict=True)]),
            np.stack([each.cells().reshape(-1) for each in drawn]),
            np.array([impression(each.image).luminance for each in drawn], np.float32),
        )
