"""Layouts of CuTe (pycute) and of Meta's tensor-layouts, converted and compared point by point."""

import random

import numpy as np
import pytest

from tensor_layout import Layout


def nested(rng: random.Random, depth: int = 2):
    """A nested shape and strides of the same form, as in CuTe."""
    if depth == 0 or rng.random() < 0.4:
        return rng.choice([1, 2, 3, 4, 5]), rng.choice([0, 1, 2, 3, 5, 8, 24])
    parts = [nested(rng, depth - 1) for _ in range(rng.randint(1, 3))]
    return tuple(shape for shape, _ in parts), tuple(stride for _, stride in parts)


def size(shape) -> int:
    return int(np.prod([size(part) for part in shape])) if isinstance(shape, tuple) else shape


def test_pycute_layouts_are_the_same_function(rng):
    pycute = pytest.importorskip("pycute")
    if not hasattr(pycute, "Layout"):
        pytest.skip("another pycute")
    for _ in range(300):
        shape, stride = nested(rng)
        theirs = pycute.Layout(shape, stride)
        ours = Layout.of(theirs)
        assert ours.shape == tuple(map(size, shape if isinstance(shape, tuple) else (shape,)))
        # In CuTe the first mode is the fastest.
        for number, index in enumerate(np.ndindex(ours.shape[::-1])):
            assert ours.locate(*index[::-1])["Addr"] == theirs(number), theirs
        # Python writes a comma into tuples of one, which CuTe does not.
        assert Layout(str(theirs).replace(",)", ")")).same(ours)


def test_layouts_of_meta_are_the_same_function(rng):
    theirs_of = pytest.importorskip("tensor_layouts")
    for _ in range(300):
        shape, stride = nested(rng)
        theirs = theirs_of.Layout(shape, stride)
        ours = Layout.of(theirs)
        for number, index in enumerate(np.ndindex(ours.shape[::-1])):
            assert ours.locate(*index[::-1])["Addr"] == theirs(number), theirs
        # Python writes a comma into tuples of one, which CuTe does not.
        assert Layout(str(theirs).replace(",)", ")")).same(ours)
    swizzled = theirs_of.compose(theirs_of.Swizzle(3, 0, 3), theirs_of.Layout((8, 8), (8, 1)))
    ours = Layout.of(swizzled)
    for number, index in enumerate(np.ndindex(8, 8)):
        assert ours.locate(*index[::-1])["Addr"] == swizzled(number)
