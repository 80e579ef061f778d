"""Random layouts from every source against the index arithmetic of NumPy; every resulting number is signed."""

import random
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from conftest import drawn_digits

from tensor_layout import Layout

Places = dict[str, np.ndarray[Any, Any]]
#: From arrays of indexes, one per axis, to coordinates.
Arithmetic = Callable[[list[Any]], Places]

INDEX_TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i4"]


def digits(entry: Any, sizes: list[int]) -> list[Any]:
    """Mixed radix, major to minor."""
    if not sizes:
        return []
    values = []
    for size in reversed(sizes):
        entry, value = entry // size, entry % size
        values.append(value)
    return values[::-1]


def pad_layout(rng: random.Random) -> tuple[Layout, Arithmetic]:
    of = drawn_digits(rng)

    def places(index: list[Any]) -> Places:
        at: Places = {}
        for entry, axis in zip(index, of.axes, strict=True):
            for value, (_, level, stride) in zip(digits(entry, [n for n, _, _ in axis]), axis, strict=True):
                at[level] = at.get(level, 0) + value * stride
        return at

    return Layout(of.text()), places


def strides_of(rng: random.Random, rank: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    shape = tuple(rng.choice([1, 2, 3, 5, 7]) for _ in range(rank))
    return shape, tuple(rng.choice([0, 1, 2, 3, 8, 40]) for _ in range(rank))


def strided(rng: random.Random) -> tuple[Layout, Arithmetic]:
    shape, strides = strides_of(rng, rng.choice([0, 1, 2, 3, 6]))
    layout = Layout(shape, strides)
    return layout, lambda index: {"Addr": sum((of * by for of, by in zip(index, strides, strict=True)), 0)}


def cute(rng: random.Random) -> tuple[Layout, Arithmetic]:
    modes = [strides_of(rng, rng.randint(1, 3)) for _ in range(rng.randint(1, 3))]
    layout = Layout(tuple(shape for shape, _ in modes), tuple(strides for _, strides in modes))

    def places(index: list[Any]) -> Places:
        total: Any = 0
        for entry, (shape, strides) in zip(index, modes, strict=True):
            # The first leaf of a mode is the fastest.
            values = digits(entry, list(shape[::-1]))[::-1]
            total = total + sum(value * by for value, by in zip(values, strides, strict=True))
        return {"Addr": total}

    return layout, places


def view(rng: random.Random) -> tuple[Layout, Arithmetic]:
    dtype = np.dtype(rng.choice(["i1", "f2", "i4", "f8", "c16", "M8[s]", "S3"]))
    shape = tuple(rng.randint(2, 6) for _ in range(rng.randint(1, 4)))
    base = np.zeros(shape, dtype)
    part = base[tuple(slice(rng.randint(0, 1), None, rng.randint(1, 2)) for _ in shape)]
    part = part.transpose(rng.sample(range(part.ndim), part.ndim))
    if rng.random() < 0.3:
        part = np.broadcast_to(part, (3, *part.shape))
    steps = [by // dtype.itemsize for by in part.strides]
    return Layout.of(part), lambda index: {"Addr": sum(of * by for of, by in zip(index, steps, strict=True))}


def shards(rng: random.Random) -> tuple[Layout, Arithmetic]:
    from tensor_layout import Sharding

    rows, columns = rng.choice([2, 3, 4]), rng.choice([1, 2, 5])
    shape = rows * rng.randint(1, 4), columns * rng.randint(1, 4)
    layout = Sharding(f"{{devices=[{rows},{columns}]<=[{rows * columns}]}}").layout(shape)
    height, width = shape[0] // rows, shape[1] // columns

    def places(index: list[Any]) -> Places:
        i, j = index
        return {"Device": i // height * columns + j // width, "Addr": i % height * width + j % width}

    return layout, places


SOURCES = [pad_layout, strided, cute, view, shards]


def drawn_indexes(rng: random.Random, shape: tuple[int, ...]) -> list[Any]:
    """Indexes of any integer type, some of which count from the end, broadcast against each other."""
    count = rng.randint(0, 7)
    indexes = []
    for extent in shape:
        dtype = np.dtype(rng.choice(INDEX_TYPES) if extent < 128 else "i8")
        low = -extent if dtype.kind == "i" else 0
        entries = [rng.randrange(low, extent) for _ in range(count)]
        array: Any = np.array(entries, dtype)
        kind = rng.randrange(4)
        if kind == 1 and count:
            array = int(array[0])
        elif kind == 2:
            array = np.array(entries, dtype)[:, None]
        elif kind == 3:
            array = np.repeat(np.array(entries, dtype), 2)[::2]
        indexes.append(array)
    if indexes and not any(isinstance(entry, np.ndarray) for entry in indexes):
        indexes[0] = np.array([indexes[0]])
    return indexes


@pytest.mark.parametrize("source", SOURCES)
def test_coordinates_are_those_of_index_arithmetic_and_signed(source, rng):
    for _ in range(300):
        layout, arithmetic = source(rng)
        if layout.ndim == 0:
            assert dict(layout.locate()) == {level: 0 for level in layout.levels}
            continue
        index = drawn_indexes(rng, layout.shape)
        plain = [np.where(np.asarray(of) < 0, np.asarray(of, int) + extent, of).astype(int)
                 for of, extent in zip(index, layout.shape, strict=True)]
        wanted = arithmetic(np.broadcast_arrays(*plain))
        found = layout.locate(*index)
        assert found.keys() == set(layout.levels)
        for level, coordinates in found.items():
            assert coordinates.dtype == np.int64
            assert (coordinates == wanted.get(level, 0)).all(), (layout, index)
            # Differences may be negative.
            assert np.diff(coordinates.reshape(-1)).dtype == np.int64
        if layout.ndim == 1:
            # A bare array holds the indexes of a single axis.
            continue
        stacked = np.stack(np.broadcast_arrays(*plain), axis=-1)
        for level, coordinates in layout.locate(stacked).items():
            assert coordinates.dtype == np.int64 and (coordinates == found[level]).all()


@pytest.mark.parametrize("source", SOURCES)
def test_tables_of_numbers_are_those_of_index_arithmetic_and_signed(source, rng):
    for _ in range(150):
        layout, arithmetic = source(rng)
        sizes = layout.image_shape
        places = arithmetic(list(np.indices(layout.shape)))
        wanted = np.zeros(layout.shape, int)
        for level, size in zip(layout.levels, sizes, strict=True):
            wanted = wanted * size + places.get(level, 0)
        packed = layout.packed()
        assert packed.dtype == np.int64 and (packed == wanted).all()
        for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
            if np.prod(sizes, dtype=float) - 1 > np.iinfo(dtype).max:
                with pytest.raises(ValueError, match="wider"):
                    layout.packed(dtype=dtype)
            else:
                narrow = layout.packed(dtype=dtype)
                assert narrow.dtype == dtype and (narrow == wanted).all()


@pytest.mark.parametrize("source", SOURCES)
def test_elements_of_places_are_those_whose_places_they_are_and_signed(source, rng):
    for _ in range(150):
        layout, arithmetic = source(rng)
        packed = layout.packed()
        if layout.ndim == 0 or packed.size != np.unique(packed).size:
            continue
        inverse = layout.inverse()
        assert inverse.dtype == np.int64
        assert (inverse.reshape(-1)[packed] == np.arange(layout.size).reshape(layout.shape)).all()
        places = arithmetic(list(np.indices(layout.shape)))
        given = {level: places.get(level, np.zeros((), int)) for level in layout.levels}
        found = layout.element({level: np.asarray(at).astype(rng.choice(["i4", "u4", "u8"])) for level, at in given.items()})
        assert found.dtype == np.int64
        wanted = np.broadcast_to(np.moveaxis(np.indices(layout.shape), 0, -1), found.shape)
        assert (found == wanted).all()
        for name, column in layout.table().columns().items():
            assert column.dtype == np.int64, name


def test_packing_moves_what_index_arithmetic_says_for_every_type(rng):
    types = ["?", "i1", "u1", "i2", "u2", "f2", "i4", "u4", "f4", "i8", "u8", "f8", "c8", "c16", ">i2", ">f8", "M8[ns]", "m8[s]", "S4", "U1", "V8"]
    for at in range(len(types) * 12):
        layout, _ = pad_layout(rng)
        if layout.ndim == 0:
            # An array indexed with a number becomes a scalar, which does not have a byte order.
            continue
        dtype = np.dtype(types[at % len(types)])
        bits = np.random.default_rng(at).integers(0, 2, layout.size * dtype.itemsize, np.uint8)
        tensor = bits.view(dtype).reshape(layout.shape)
        image = layout.pack(tensor)
        moved = image.reshape(-1)[layout.packed()]
        assert moved.dtype == dtype and moved.tobytes() == tensor.tobytes()
        assert layout.unpack(image).tobytes() == tensor.tobytes()


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8"])
def test_tables_index_tensors_of_pytorch(dtype, rng):
    if "torch" not in sys.modules:
        pytest.importorskip("torch")
    torch = sys.modules["torch"]
    layout = Layout("((2_PE, 2:3), (3:1))")
    image = torch.from_numpy(layout.pack(np.arange(12).reshape(4, 3)).reshape(-1))
    table = torch.from_numpy(layout.packed())
    assert image[table].tolist() == np.arange(12).reshape(4, 3).tolist()
    assert layout.packed(dtype=dtype).dtype == dtype


def test_numbers_beyond_63_bits_are_refused_in_arrays_and_given_one_by_one():
    huge = Layout(f"(({2**63 + 2}:1))")
    assert huge.locate(2**63 + 1) == {"Addr": 2**63 + 1}
    with pytest.raises(ValueError, match="63 bits"):
        huge.locate(np.arange(3))
    with pytest.raises(IndexError, match="below 2\\*\\*63"):
        Layout(f"(({2**62}:1))").locate(np.array([2**63], np.uint64))
