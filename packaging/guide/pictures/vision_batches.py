"""Drawn scenes with what each patch shows: with them the eye learns to see before it learns to speak."""

import random
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from guide.pictures.scenes import COLOURS, SHAPES, scene
from guide.pictures.vision_network import pixels

N_SHAPES, N_COLOURS = len(SHAPES) + 1, len(COLOURS) + 1


@dataclass(frozen=True)
class VisionBatch:
    pictures: NDArray[np.uint8]
    """Shape (n, 3, size, size)."""
    shapes: NDArray[np.int64]
    """Shape (n, patches): 0 where there is no object."""
    colours: NDArray[np.int64]
    """Shape (n, patches): 0 where the picture is filled up to a square."""


@dataclass(frozen=True)
class VisionComposer:
    """Batch k of a seed is always the same, as long as the drawings are."""

    seed: int
    count: int

    def batch(self, index: int) -> VisionBatch:
        rng = random.Random(f"scenes {self.seed}/{index}")
        drawn = [scene(rng) for _ in range(self.count)]
        grids = [each.grid() for each in drawn]
        return VisionBatch(
            pixels([each.image for each in drawn]),
            np.stack([shapes.reshape(-1) for shapes, _ in grids]),
            np.stack([colours.reshape(-1) for _, colours in grids]),
        )
