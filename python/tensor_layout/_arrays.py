"""NumPy's side of the package: shapes, types and memory; the numbers come from Rust."""

from __future__ import annotations

import enum
import itertools
import math
import operator
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy import empty
from numpy.typing import ArrayLike, NDArray

from ._page import Page
from ._sources import foreign, of, refuse_sparse, shape_text, sharding_text
from .errors import LayoutError, OutOfRange

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ._native import Layout, Machine, Placement, Places, Sharding, Table, XlaShape

__all__ = [
    "Empty",
    "Page",
    "element",
    "empty",
    "foreign",
    "lenient_shape",
    "locate",
    "numbers",
    "of",
    "pack",
    "placed",
    "rows",
    "shape_text",
    "sharding",
    "sharding_text",
    "structured",
    "typed",
    "unpack",
    "unsigned",
]

Progress = Callable[[int, int], object]
Array = NDArray[Any]

#: Data is moved as cells of these types, whatever its element type.
_CELLS: dict[int, type[np.generic]] = {
    1: np.uint8,
    2: np.uint16,
    4: np.uint32,
    8: np.uint64,
    16: np.complex128,
}


class Empty(enum.IntEnum):
    """The reason why a place holds no element; tables contain these numbers."""

    HOLE = -1
    PADDING = -2
    OUTSIDE = -3

    def __bool__(self) -> bool:
        return False


def _indexes(shape: tuple[int, ...], index: tuple[ArrayLike, ...]) -> tuple[Array, tuple[int, ...]]:
    """The indexes of points, a row for each axis, and the shape of the result."""
    points: Array
    if len(index) == len(shape):
        entries = [_signed(entry, "an index") for entry in index]
        points = np.empty((len(shape), *np.broadcast_shapes(*(entry.shape for entry in entries))), np.int64)
        for axis, entry in enumerate(entries):
            points[axis] = entry
        return points.reshape(len(shape), math.prod(points.shape[1:])), points.shape[1:]
    if len(index) != 1:
        raise LayoutError(f"there are {len(index)} indexes, but the layout has {len(shape)} axes")
    points = _signed(index[0], "an index")
    if points.ndim == 0 or points.shape[-1] != len(shape):
        raise LayoutError(
            f"indexes are an array per axis, or one array whose last dimension is {len(shape)}, "
            f"not {points.shape}"
        )
    given = points.shape[:-1]
    return np.ascontiguousarray(points.reshape(math.prod(given), len(shape)).T), given


def _integers(given: ArrayLike, what: str) -> Array:
    """The numbers as an array of integers."""
    if isinstance(given, np.ma.MaskedArray):
        raise LayoutError(f"{what} may not be masked: pass what `compressed()` or `filled()` makes")
    numbers = np.asarray(given)
    # NumPy makes an empty list an array of floats.
    if numbers.size and numbers.dtype.kind not in "iu":
        raise TypeError(f"{what} is an integer, not {numbers.dtype}")
    return numbers


def _signed(given: ArrayLike, what: str) -> Array:
    """The numbers as signed 64-bit integers, in C order."""
    numbers = _integers(given, what)
    if numbers.dtype == np.uint64 and numbers.size and int(numbers.max()) >> 63:
        raise OutOfRange(f"{what} is below 2**63 in arrays, but {numbers.max()} is not")
    return np.ascontiguousarray(numbers, dtype=np.int64)


def _unsigned(given: ArrayLike, what: str) -> Array:
    """The numbers as unsigned 64-bit integers, in C order."""
    numbers = _integers(given, what)
    if numbers.size and numbers.min() < 0:
        raise LayoutError(f"{what} cannot be negative, but {numbers.min()} is")
    return np.ascontiguousarray(numbers, dtype=np.uint64)


def locate(places: Places, index: tuple[ArrayLike, ...]) -> dict[str, Array]:
    """Coordinates of many elements, level by level."""
    levels = places.levels
    points, shape = _indexes(places.shape, index)
    coordinates = np.empty((len(levels), math.prod(shape)), np.int64)
    places._coordinates(points, coordinates)
    return {level: coordinates[at].reshape(shape) for at, level in enumerate(levels)}


def element(
    places: Places, place: Mapping[str, ArrayLike] | str | None, more: Mapping[str, ArrayLike] | None
) -> Array:
    """The indexes of the elements at many places; negative where there is no element."""
    from ._native import Location

    at, more = Location(place) if isinstance(place, str) else place or {}, more or {}
    for level in at:
        if level in more:
            raise LayoutError(f"`{level}` is given twice")
    given = {**at, **more}
    levels = places.levels
    unknown = sorted(set(given) - set(levels))
    missing = [level for level in levels if level not in given]
    if unknown:
        Location({unknown[0]: 0})  # an error of its own for a level in the wrong case
        raise LayoutError(f"`{unknown[0]}` is not one of the levels {', '.join(levels)}")
    if missing:
        raise LayoutError(f"`{missing[0]}` is missing: places have the levels {', '.join(levels)}")
    names = [_unsigned(given[level], f"a coordinate in {level}") for level in levels]
    columns = np.broadcast_arrays(*names)
    numbers = np.zeros(columns[0].shape, np.uint64)
    # A memory may have more addresses than the layout reaches.
    outside, beyond = np.zeros((2, *numbers.shape), bool)
    sizes = zip(columns, places.image_shape, places._rooms, places._units_per_memory, strict=True)
    for column, size, room, step in sizes:
        outside |= column >= room
        memory = column // np.uint64(step)
        beyond |= memory >= size
        numbers = numbers * np.uint64(size) + memory
    found: Array = np.empty(numbers.size, np.int64)
    places._elements(np.where(beyond, 0, numbers).astype(np.uint64).reshape(-1), found)
    found = np.where(beyond, Empty.HOLE, found.reshape(numbers.shape))
    found = np.where(outside, Empty.OUTSIDE, found)
    # Without axes there is no index to hold the markers: the number of the element takes its place.
    shape = places.shape or (1,)
    indexes = np.unravel_index(np.maximum(found, 0), shape) if places.size else [found] * len(shape)
    return np.stack([np.where(found < 0, found, entry) for entry in indexes], axis=-1)


def _is_signed(table: Array) -> bool:
    """True if a table has signed integers; raises an error for other types than integers."""
    if table.dtype.kind not in "iu":
        raise TypeError(f"tables are of integers of 8 to 64 bits, not of {table.dtype}")
    if not table.dtype.isnative:
        raise TypeError(f"tables are of integers in the byte order of this machine, not of {table.dtype}")
    return table.dtype.kind == "i"


def unsigned(table: Array) -> Array:
    """A view of the table as unsigned integers."""
    return table.view(np.dtype(f"u{table.dtype.itemsize}")) if _is_signed(table) else table


def rows(table: Table, pieces: int) -> Iterator[tuple[int, ...]]:
    """The rows of a table, piece by piece."""
    for piece in range(pieces):
        yield from table._piece(piece, pieces).tolist()


def structured(columns: Mapping[str, Array]) -> Array:
    """A structured array with the columns as fields."""
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
    """True if one shape results from splitting or merging axes of the other, without transposing."""
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
        raise LayoutError(f"`out` has the shape {out.shape}, but {shape} is needed")
    if not out.flags.c_contiguous or not out.flags.writeable:
        raise LayoutError("`out` is not in C order, or is read-only")
    return out


class _Numpy:
    """Data as a NumPy array; results are NumPy arrays, too."""

    def __init__(self, data: ArrayLike) -> None:
        if isinstance(data, np.ma.MaskedArray):
            raise LayoutError(
                "the mask of a masked array would be lost: move `a.filled(..)`, or `a.data` and `a.mask` separately"
            )
        self.array: Array = np.require(data, requirements=["C", "A", "E"])

    def fill(self, fill: Any) -> Array:
        one = np.zeros(1, self.array.dtype)
        if fill is not None:
            one[0] = fill
        return one

    def output(self, out: Any) -> Array | None:
        return out if out is None or isinstance(out, np.ndarray) else np.asarray(out)

    def made(self, array: Array) -> Any:
        return array


class _Torch:
    """A PyTorch tensor as raw bits, because NumPy may lack its type; results are tensors."""

    def __init__(self, torch: Any, tensor: Any) -> None:
        self.torch, self.dtype, self.device = torch, tensor.dtype, tensor.device
        refuse_sparse(tensor)
        self.cells = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}.get(
            tensor.dtype.itemsize, torch.complex128
        )
        self.array: Array = self._bits(tensor.detach().resolve_conj().resolve_neg().cpu().contiguous())

    def _bits(self, tensor: Any) -> Array:
        array: Array = tensor.view(self.cells).numpy()
        return array

    def fill(self, fill: Any) -> Array:
        return self._bits(self.torch.tensor([0 if fill is None else fill]).to(self.dtype))

    def output(self, out: Any) -> Array | None:
        if out is None:
            return None
        if not isinstance(out, self.torch.Tensor) or out.dtype != self.dtype:
            raise TypeError(f"`out` must be a tensor of {self.dtype}, like the data written to it")
        if not out.is_contiguous() or out.device.type != "cpu":
            raise LayoutError("`out` is not contiguous, or is not in the memory of the CPU")
        return self._bits(out.detach())

    def made(self, array: Array) -> Any:
        return self.torch.from_numpy(array).view(self.dtype).to(self.device)


def _data(data: Any) -> _Numpy | _Torch:
    torch = sys.modules.get("torch")
    if torch is not None and isinstance(data, torch.Tensor):
        return _Torch(torch, data)
    return _Numpy(data)


def pack(
    places: Places, tensor: ArrayLike, fill: Any, out: Array | None, progress: Progress | None
) -> Any:
    """Packs a tensor into a memory image."""
    data = _data(tensor)
    source = data.array
    if source.shape != places.shape:
        raise LayoutError(f"the tensor has the shape {source.shape}, but the layout {places.shape}")
    image = _output(data.output(out), places.image_shape, source.dtype)
    if out is not None and np.may_share_memory(source, image):
        source = source.copy()
    places._pack(_cells(source), _cells(image), _cells(data.fill(fill)), progress)
    return data.made(image) if out is None else out


def unpack(places: Places, image: ArrayLike, out: Array | None, progress: Progress | None) -> Any:
    """Unpacks a memory image into a tensor."""
    data = _data(image)
    source = data.array
    if not _is_regrouped(source.shape, places.image_shape):
        raise LayoutError(
            f"the image has the shape {source.shape}, but the layout needs {places.image_shape}"
        )
    tensor = _output(data.output(out), places.shape, source.dtype)
    if out is not None and np.may_share_memory(source, tensor):
        source = source.copy()
    places._unpack(_cells(source), _cells(tensor), progress)
    return data.made(tensor) if out is None else out


def numbers(given: ArrayLike) -> tuple[Array, tuple[int, ...]]:
    """The numbers of an input of a model, one after another, and its shape."""
    if isinstance(given, np.ma.MaskedArray):
        raise LayoutError("an input may not be masked: pass what `filled()` makes")
    array = np.asarray(given)
    return np.ascontiguousarray(array.astype(np.float64, casting="same_kind")).reshape(-1), array.shape


def typed(numbers: Array, shape: tuple[int, ...], dtype: str) -> Array:
    """Numbers in a shape and a type of a model; bf16, which NumPy lacks, becomes f32."""
    kind, bits = dtype[0], dtype[1:]
    if dtype == "bool":
        name = dtype
    elif dtype == "bf16":
        name = "float32"
    else:
        name = {"f": "float", "i": "int", "u": "uint"}[kind] + str(max(8, int(bits)))
    return numbers.astype(name).reshape(shape)


def placed(
    layout: Layout,
    machine: Machine | None,
    rest: tuple[tuple[str | None, int | None, str | None], int, bool, bool],
) -> Placement:
    """Unpickles a placement."""
    return layout._placed(machine, *rest)


def lenient_shape(text: str) -> XlaShape:
    """Unpickles a shape by parsing its text again."""
    from ._native import XlaShape

    return XlaShape(text, lenient=True)


def sharding(text: str, mesh: str | None) -> Sharding:
    """Unpickles a sharding."""
    from ._native import Sharding

    return Sharding(text, mesh=mesh)
