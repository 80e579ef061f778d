"""NumPy's side of the package: shapes, types and memory; the numbers come from Rust."""

from __future__ import annotations

import enum
import itertools
import math
import operator
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import empty
from numpy.typing import ArrayLike, NDArray

from ._page import Page
from ._sources import of

if TYPE_CHECKING:
    from ._native import Layout, Machine, Placement, Places, Sharding, XlaShape

__all__ = [
    "Empty",
    "Page",
    "element",
    "empty",
    "lenient_shape",
    "locate",
    "of",
    "pack",
    "placed",
    "sharding",
    "signed",
    "structured",
    "unpack",
    "unsigned",
]

Progress = Callable[[int, int], object]
Array = NDArray[Any]

#: Cells of these types are moved, whatever is in them.
_CELLS: dict[int, type[np.generic]] = {
    1: np.uint8,
    2: np.uint16,
    4: np.uint32,
    8: np.uint64,
    16: np.complex128,
}


class Empty(enum.IntEnum):
    """Why a place holds no element; the numbers stand in tables."""

    HOLE = -1
    PADDING = -2
    OUTSIDE = -3

    def __bool__(self) -> bool:
        return False


def _indexes(shape: tuple[int, ...], index: tuple[ArrayLike, ...]) -> tuple[Array, tuple[int, ...]]:
    """The indexes of points, one after the other, and the shape of the answer."""
    points: Array
    if len(index) == len(shape):
        entries = (_unsigned(np.asarray(entry), "an index") for entry in index)
        points = np.stack(np.broadcast_arrays(*entries), axis=-1)
    elif len(index) == 1:
        points = np.asarray(index[0])
        if points.ndim == 0 or points.shape[-1] != len(shape):
            raise ValueError(
                f"indexes are an array per axis, or one array whose last dimension is {len(shape)}, "
                f"not {points.shape}"
            )
    else:
        raise ValueError(f"there are {len(index)} indexes, but the layout has {len(shape)} axes")
    return _unsigned(points, "an index"), points.shape[:-1]


def _unsigned(numbers: Array, what: str) -> Array:
    """The numbers with 64 bits, in C order."""
    # An empty list is of floats to NumPy.
    if numbers.size and not np.issubdtype(numbers.dtype, np.integer):
        raise TypeError(f"{what} is an integer, not {numbers.dtype}")
    if numbers.size and numbers.min() < 0:
        raise ValueError(f"{what} cannot be negative, but {numbers.min()} is")
    return np.ascontiguousarray(numbers, dtype=np.uint64)


def locate(places: Places, index: tuple[ArrayLike, ...]) -> dict[str, Array]:
    """Coordinates of many elements, level by level."""
    points, shape = _indexes(places.shape, index)
    numbers = np.empty(int(np.prod(shape, dtype=np.int64)), dtype=np.uint64)
    places._places(points.reshape(-1), numbers)
    coordinates = np.unravel_index(numbers, places.image_shape) if numbers.size else None
    return {
        level: np.empty(shape, np.uint64)
        if coordinates is None
        else coordinates[at].astype(np.uint64).reshape(shape)
        for at, level in enumerate(places.levels)
    }


def element(
    places: Places, place: Mapping[str, ArrayLike] | str | None, more: Mapping[str, ArrayLike] | None
) -> Array:
    """The indexes of the elements at many places; negative where there is none."""
    from ._native import Location

    at, more = Location(place) if isinstance(place, str) else place or {}, more or {}
    for level in at:
        if level in more:
            raise ValueError(f"`{level}` is given twice")
    given = {**at, **more}
    levels = places.levels
    unknown = sorted(set(given) - set(levels))
    missing = [level for level in levels if level not in given]
    if unknown or missing:
        raise ValueError(f"places have the levels {', '.join(levels)}, not {', '.join(given)}")
    names = [_unsigned(np.asarray(given[level]), f"a coordinate in {level}") for level in levels]
    columns = np.broadcast_arrays(*names)
    numbers = np.zeros(columns[0].shape, np.uint64)
    # A memory may have more addresses than the layout reaches.
    outside, beyond = np.zeros((2, *numbers.shape), bool)
    for column, size, room in zip(columns, places.image_shape, places._rooms, strict=True):
        outside |= column >= room
        beyond |= column >= size
        numbers = numbers * np.uint64(size) + column
    found: Array = np.empty(numbers.size, np.int64)
    places._elements(np.where(beyond, 0, numbers).astype(np.uint64).reshape(-1), found)
    found = np.where(beyond, Empty.HOLE, found.reshape(numbers.shape))
    found = np.where(outside, Empty.OUTSIDE, found)
    # Without axes there is no index for the marks to stand in: the number of the element is it.
    shape = places.shape or (1,)
    indexes = np.unravel_index(np.maximum(found, 0), shape) if places.size else [found] * len(shape)
    return np.stack([np.where(found < 0, found, entry) for entry in indexes], axis=-1)


def unsigned(out: Array) -> Array:
    """The same memory as unsigned integers."""
    if out.dtype.kind not in "iu":
        raise TypeError(f"an inverse table is of integers, not of {out.dtype}")
    if not out.dtype.isnative:
        raise TypeError(f"`out` is of {out.dtype}, whose bytes are not in the order of this machine")
    return out.view(np.dtype(f"u{out.dtype.itemsize}"))


def signed(table: Array) -> Array:
    """The same memory as signed integers: the greatest numbers, which are marks, are negative."""
    return table.view(np.dtype(f"i{table.dtype.itemsize}"))


def structured(columns: Mapping[str, Array]) -> Array:
    """Columns as the fields of one array."""
    length = min((len(column) for column in columns.values()), default=0)
    rows = np.empty(length, [(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        rows[name] = column
    return rows


def _cells(array: Array) -> Array:
    """The memory of an array in C order as flat cells of its width."""
    cell = _CELLS.get(array.dtype.itemsize)
    if cell is None or array.dtype.hasobject:
        raise TypeError(
            f"elements of {array.dtype} are not moved: their width is not 1, 2, 4, 8 or 16 bytes, "
            "or they are objects; view them as bytes, with one more axis"
        )
    return array.reshape(-1).view(cell)


def _is_regrouped(given: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether axes of the one are those of the other, cut or merged; transposed ones are not."""
    steps, wanted = _steps(given), _steps(shape)
    return math.prod(given) == math.prod(shape) and (steps <= wanted or wanted <= steps)


def _steps(shape: tuple[int, ...]) -> set[int]:
    """The strides of an array in C order, and its size."""
    return {1, *itertools.accumulate(reversed(shape), operator.mul)}


def _output(out: Array | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Array:
    """The array to write to: the caller's, if it fits, or a new one."""
    if out is None:
        return np.empty(shape, dtype)
    if out.dtype != dtype:
        raise TypeError(f"`out` is of {out.dtype}, but {dtype} is needed")
    if not _is_regrouped(out.shape, shape):
        raise ValueError(f"`out` has the shape {out.shape}, but {shape} is needed")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise ValueError("`out` is not in C order, or is read-only")
    return out


def pack(
    places: Places, tensor: ArrayLike, fill: Any, out: Array | None, progress: Progress | None
) -> Array:
    """Moves a tensor into the image of memories."""
    source = np.asarray(tensor, order="C")
    if source.shape != places.shape:
        raise ValueError(f"the tensor has the shape {source.shape}, but the layout {places.shape}")
    image = _output(out, places.image_shape, source.dtype)
    if out is not None and np.may_share_memory(source, image):
        source = source.copy()
    one = np.zeros(1, source.dtype)
    if fill is not None:
        one[0] = fill
    places._pack(_cells(source), _cells(image), _cells(one), progress)
    return image


def unpack(places: Places, image: ArrayLike, out: Array | None, progress: Progress | None) -> Array:
    """Moves the image of memories back into a tensor."""
    source = np.asarray(image, order="C")
    if not _is_regrouped(source.shape, places.image_shape):
        raise ValueError(
            f"the image has the shape {source.shape}, but the layout needs {places.image_shape}"
        )
    tensor = _output(out, places.shape, source.dtype)
    if out is not None and np.may_share_memory(source, tensor):
        source = source.copy()
    places._unpack(_cells(source), _cells(tensor), progress)
    return tensor


def placed(
    layout: Layout,
    machine: Machine | None,
    rest: tuple[tuple[str | None, int | None, str | None], int, bool, bool],
) -> Placement:
    """A placement from its pickle."""
    return layout._placed(machine, *rest)


def lenient_shape(text: str) -> XlaShape:
    """A shape from its pickle: what was read once is read again."""
    from ._native import XlaShape

    return XlaShape(text, lenient=True)


def sharding(text: str, mesh: str | None) -> Sharding:
    """A sharding from its pickle."""
    from ._native import Sharding

    return Sharding(text, mesh=mesh)
