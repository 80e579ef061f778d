"""Layouts of JAX: the order and tiling of `format` and the parts of `sharding`, as one map."""

from __future__ import annotations

import ctypes
import sys
import warnings
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, overload

import numpy as np

from .errors import LayoutError

if TYPE_CHECKING:
    from ._native import Layout, Sharding

#: The size in bytes of the largest buffer that is read to find out its order.
_MOST_READ = 1 << 24

#: XLA's names for types that NumPy names differently.
_NAMES = {"bool": "pred", "bfloat16": "bf16"}
_KINDS = {"int": "s", "uint": "u", "float": "f", "complex": "c"}


class JaxFormats(NamedTuple):
    """The layouts of a compiled program, in the trees of its arguments and results."""

    inputs: Any
    outputs: Any


class _Compiled(Protocol):
    """The attributes of a compiled JAX program."""

    @property
    def input_formats(self) -> Any: ...


@overload
def from_jax(x: _Compiled, *, unit: Literal["byte", "element"] = "byte") -> JaxFormats: ...
@overload
def from_jax(x: Any, *, unit: Literal["byte", "element"] = "byte") -> Layout: ...
def from_jax(x: Any, *, unit: Literal["byte", "element"] = "byte") -> Layout | JaxFormats:
    """The layout of a JAX array, from its global index to device and byte.

    Order and tiling come from `x.format`, devices from `x.sharding`. The levels are the mesh axes,
    or `Device`, the position in the device assignment. On CPU, where JAX reports tilings that
    buffers do not have, the buffer is read to determine its order.

    For a compiled program this returns `JaxFormats`: the layouts of `input_formats` and `output_formats`.
    `unit="element"` counts elements instead of bytes.

    >>> from types import SimpleNamespace as Fake
    >>> layout = Fake(major_to_minor=(1, 0), tiling=((8, 128),), sub_byte_element_size_in_bits=0)
    >>> x = Fake(shape=(10, 200), dtype="float32", format=Fake(layout=layout), sharding=None)
    >>> from_jax(x, unit="element")
    Layout('f32[10,200]{0,1:T(8,128)}')
    """
    if hasattr(x, "input_formats"):
        return _of_compiled(x, unit)
    if not hasattr(x, "format") or not hasattr(x, "sharding"):
        raise TypeError(
            f"expected an array of JAX or a compiled program, not {type(x).__name__}; "
            "`Layout.of` reads arrays of other libraries"
        )
    return _in_unit(_of_array(x), x.dtype, unit)


def _of_compiled(compiled: Any, unit: Literal["byte", "element"]) -> JaxFormats:
    tree = sys.modules["jax"].tree_util

    def layout(info: Any, format: Any) -> Any:
        reported = _reported(info.shape, info.dtype, format.layout, _platform(format.sharding))
        return _in_unit(_sharded(info.shape, reported, format.sharding), info.dtype, unit)

    def layouts(infos: Any, formats: Any) -> Any:
        return tree.tree_map(layout, infos, formats)

    args, outputs = compiled.args_info, compiled.out_info
    return JaxFormats(layouts(args, compiled.input_formats), layouts(outputs, compiled.output_formats))


def _in_unit(layout: Layout, dtype: Any, unit: Literal["byte", "element"]) -> Layout:
    if unit == "element":
        return layout
    if unit != "byte":
        raise LayoutError(f"`unit` is 'byte' or 'element', not {unit!r}")
    # The first byte of every element.
    first: Layout = layout.in_bytes(_bits(dtype))[..., 0]
    return first


def _of_array(x: Any) -> Layout:
    platform = _platform(x.sharding)
    order = x.format.layout if x.format is not None else None
    if platform == "cpu" and hasattr(x, "addressable_shards"):
        shard = _read(x, order)
    else:
        shard = _reported(x.shape, x.dtype, order, platform)
    return _sharded(x.shape, shard, x.sharding)


class _Shape(NamedTuple):
    """An XLA shape without its dimensions: the element type and the layout after the brackets."""

    dtype: str
    layout: str

    def text(self, shape: tuple[int, ...]) -> str:
        return f"{self.dtype}[{','.join(map(str, shape))}]{self.layout}"


def _reported(shape: tuple[int, ...], dtype: Any, order: Any, platform: str) -> _Shape:
    """The layout as JAX reports it, ignoring tilings on CPU."""
    tiling = _told(order, "tiling") or ()
    if tiling and platform == "cpu":
        warnings.warn(f"JAX reports the tiling {tiling} on CPU, whose buffers have none", stacklevel=4)
        tiling = ()
    major = _told(order, "major_to_minor")
    return _shape(dtype, tuple(range(len(shape))) if major is None else major, tiling, order)


def _shape(dtype: Any, major: Any, tiling: Any, order: Any) -> _Shape:
    minor = ",".join(str(axis) for axis in reversed(major))
    tiles = "".join(f"({','.join(_entry(entry) for entry in tile)})" for tile in tiling)
    bits = _told(order, "sub_byte_element_size_in_bits") or 0
    extra = (f"T{tiles}" if tiles else "") + (f"E({bits})" if bits else "")
    layout = minor + (f":{extra}" if extra else "")
    return _Shape(_name(dtype), f"{{{layout}}}" if layout else "")


def _told(order: Any, name: str) -> Any:
    """An attribute of a layout of JAX, if there is one; until 0.9 some are not public."""
    for found in (name, f"_{name}"):
        if order is None or hasattr(order, found):
            return getattr(order, found, None)
    raise LayoutError(f"a layout of this JAX has no `{name}`: JAX 0.7.1 or later is needed")


def _entry(entry: int) -> str:
    """An entry of a tile; the least 64-bit integer means that the dimension is combined."""
    return "*" if entry < 0 else str(entry)


def _read(x: Any, order: Any) -> _Shape:
    """The layout of a CPU buffer: the first candidate that matches its contents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reported = _reported(x.shape, x.dtype, order, "cpu")
    rows = _shape(x.dtype, range(len(x.shape)), (), None)
    if reported == rows and not _told(order, "tiling"):
        return reported
    # If no buffer can be read, use the reported layout.
    shards = [shard.data for shard in x.addressable_shards[:1]]
    buffers = [buffer for buffer in map(_buffer, shards) if buffer is not None]
    if not buffers:
        return reported
    for candidate in (reported, rows):
        if _has(buffers[0], np.asarray(shards[0]), candidate):
            return candidate
    raise LayoutError(
        f"the buffer of the array is neither in the order {reported.layout} that JAX reports nor "
        "in row-major order"
    )


def _buffer(array: Any) -> bytes | None:
    """The bytes of a single-device array, if they can be read."""
    try:
        size = array.nbytes
        return ctypes.string_at(array.unsafe_buffer_pointer(), size) if size <= _MOST_READ else None
    except (AttributeError, NotImplementedError, RuntimeError):
        return None


def _has(buffer: bytes, values: np.ndarray[Any, Any], candidate: _Shape) -> bool:
    from ._native import Layout

    layout = Layout(candidate.text(values.shape))
    return bool(layout.pack(values).tobytes() == buffer)


def _sharded(shape: tuple[int, ...], shard: _Shape, sharding: Any) -> Layout:
    """The layout of all shards."""
    from ._native import Layout

    spread = _sharding(sharding, len(shape))
    if spread is None:
        return Layout(shard.text(shape))
    return spread.layout(shape, shard.text(spread.shard_shape(shape)))


def _sharding(sharding: Any, rank: int) -> Sharding | None:
    """A JAX sharding; None for a single device."""
    from ._native import Sharding

    if sharding is None or (hasattr(sharding, "device_set") and len(sharding.device_set) == 1):
        return None
    if hasattr(sharding, "spec") and hasattr(sharding, "mesh"):
        return Sharding(sharding)
    return Sharding(str(sharding._to_xla_hlo_sharding(rank)))


def _platform(sharding: Any) -> str:
    devices = getattr(sharding, "device_set", None)
    return next(iter(devices)).platform if devices else ""


def _name(dtype: Any) -> str:
    """XLA's name for a type: `f32`, `s8`, `bf16`, `f8e4m3fn`."""
    name = str(dtype)
    if name in _NAMES:
        return _NAMES[name]
    kind = name.rstrip("0123456789")
    if kind in _KINDS:
        return _KINDS[kind] + name[len(kind) :]
    # The small floats of ml_dtypes: float8_e4m3fn.
    return name.replace("float", "f").replace("_", "")


def _bits(dtype: Any) -> int:
    """The width of an element in memory."""
    from ._native import XlaShape

    return XlaShape(f"{_name(dtype)}[8]").sizes.unpadded_bytes
