"""PyTorch's answers for random DTensor placements: the lines of tests/data/placements.txt.

    python make_placements.py > ../data/placements.txt

A line is `placements|mesh|shape|shards`: for every device, row-major over the mesh, the range of
each dimension that it holds. PyTorch is large, so the results are stored and CI does not
regenerate them. Made with torch 2.15.0.
"""

import itertools
import math
import random

from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor._utils import _compute_local_shape_and_global_offset

CASES = 400
MOST_DEVICES = 24


def case(rng):
    """A shape, a mesh and a placement for each of its dimensions."""
    while True:
        shape = [rng.choice([0, 1, 2, 3, 5, 7, 8, 12, 13, 16, 31]) for _ in range(rng.randint(0, 4))]
        mesh = [rng.choice([1, 2, 2, 3, 4, 5]) for _ in range(rng.randint(1, 3))]
        if math.prod(mesh) <= MOST_DEVICES:
            break
    cut = [rng.randrange(len(shape)) if shape and rng.random() < 0.75 else None for _ in mesh]
    # A repeated dimension is where other systems differ.
    if len(mesh) > 1 and shape and rng.random() < 0.4:
        cut[1] = cut[0]
    return shape, mesh, cut


def shards(shape, mesh, cut):
    """The range of every dimension, for every device."""
    placements = [Replicate() if dim is None else Shard(dim) for dim in cut]
    for at in itertools.product(*map(range, mesh)):
        sizes, offsets = _compute_local_shape_and_global_offset(shape, mesh, list(at), placements)
        yield [(offset, offset + size) for offset, size in zip(offsets, sizes)]


def main():
    rng = random.Random(16)
    for _ in range(CASES):
        shape, mesh, cut = case(rng)
        text = ", ".join("Replicate()" if dim is None else f"Shard({dim})" for dim in cut)
        names = ",".join(f"{name}={size}" for name, size in zip("xyz", mesh))
        held = ";".join(
            ",".join(f"{start}:{stop}" for start, stop in held) for held in shards(shape, mesh, cut)
        )
        print(f"[{text}]|{names}|{','.join(map(str, shape))}|{held}")


main()
