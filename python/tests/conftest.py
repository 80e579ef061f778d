"""Shared by the tests: the corpora of the crate, and random layouts."""

import os
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

# Eight devices, before anything imports JAX.
os.environ.setdefault("XLA_FLAGS", "--xla_force_host_platform_device_count=8")
os.environ.setdefault("JAX_PLATFORMS", "cpu")

DATA = Path(__file__).parents[2] / "tests" / "data"


def lines(name: str) -> list[str]:
    """The entries of a corpus, without comments."""
    text = (DATA / name).read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


class Drawn(NamedTuple):
    """A PadLayout as numbers: shape, and (size, level, stride) of the digits of every axis, major to minor."""

    shape: list[int]
    axes: list[list[tuple[int, str, int]]]
    copies: str

    def text(self) -> str:
        """The layout as its text."""
        digit = lambda size, level, stride: f"{size}:{stride}" if level == "Addr" else f"{size}_{level}:{stride}"
        axes = ", ".join(f"({', '.join(digit(*of) for of in axis)})" for axis in self.axes)
        return f"({','.join(map(str, self.shape))})/({axes}{self.copies})"


def drawn_digits(random: random.Random) -> Drawn:
    """A PadLayout of rank 0 to 4, with odd sizes, padding and copies; strides nest."""
    rank = random.randint(0, 4)
    digits = [
        (axis, random.choice([1, 2, 3, 4, 5]), random.choice(["L2B", "PE", "Addr", "Addr"]))
        for axis in range(rank)
        for _ in range(random.randint(1, 2))
    ]
    strides: dict[int, int] = {}
    reach: dict[str, int] = {}
    for at in random.sample(range(len(digits)), len(digits)):
        _, size, level = digits[at]
        strides[at] = reach.get(level, 1) + random.choice([0, 0, 1])
        reach[level] = strides[at] * size
    axes = [
        [(size, level, strides[at]) for at, (of, size, level) in enumerate(digits) if of == axis]
        for axis in range(rank)
    ]
    slots = [int(np.prod([size for size, _, _ in axis])) for axis in axes]
    shape = [max(1, slot - random.choice([0, 0, 1])) for slot in slots]
    copies = "; B@[2_MAB:1]" if random.random() < 0.3 else ""
    return Drawn(shape, axes, copies)


def drawn(random: random.Random) -> str:
    """The text of a PadLayout as `drawn_digits` draws it."""
    return drawn_digits(random).text()


@pytest.fixture
def rng() -> random.Random:
    return random.Random(19)
