"""Layouts of objects of other libraries, none of which is imported.

Objects are recognised by their attributes or as instances of a class of a library that the program has
imported, never by the name of their class, in this order: DTensors by `placements`, JAX arrays by
`format`, PyTorch tensors by `stride()`, layouts of CuTe and of Meta's tensor-layouts by `stride`
or by the two layouts that they compose, NumPy arrays and array-likes by `strides`.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import LayoutError

if TYPE_CHECKING:
    from ._native import Layout


def of(x: Any) -> Layout:
    """The layout of an object; `Layout.of` is the public name."""
    from ._native import Layout, Placement

    if isinstance(x, Layout):
        return x
    if isinstance(x, Placement):
        return x.layout
    if isinstance(x, str):
        return Layout(x)
    if hasattr(x, "placements") and hasattr(x, "device_mesh"):
        return _of_dtensor(x)
    if hasattr(x, "format") and hasattr(x, "sharding"):
        from ._jax import from_jax

        layout: Layout = from_jax(x, unit="element")
        return layout
    if isinstance(x, np.ma.MaskedArray):
        raise LayoutError("the mask of a masked array is not part of a layout: take the layouts of `a.data` and `a.mask`")
    if hasattr(x, "shape") and callable(getattr(x, "stride", None)):
        refuse_sparse(x)
        return strided(tuple(x.shape), tuple(x.stride()), int(x.storage_offset()))
    theirs = foreign(x)
    if theirs is not None:
        return theirs
    if hasattr(x, "shape") and hasattr(x, "strides"):
        return _of_numpy(x)
    raise TypeError(
        f"{type(x).__name__} has neither `strides` nor `stride` nor `format`: a layout is read off "
        "arrays of NumPy, PyTorch and JAX and off layouts of CuTe"
    )


def refuse_sparse(tensor: Any) -> None:
    """Rejects PyTorch tensors whose memory is not described by strides."""
    strided = _of_module("torch", "strided")
    layout = getattr(tensor, "layout", strided)
    if layout is not strided:
        raise LayoutError(f"the tensor is {layout}, which has no strides: `to_dense()` makes one that has")


def shape_text(shape: Any, strides: Any, notation: str | None) -> tuple[str, str]:
    """Shape and strides as text, and its notation: nested ones are CuTe's, flat ones those of arrays."""
    if strides is None:
        if isinstance(shape, tuple | list):
            raise TypeError("a shape needs its strides: Layout((4, 8), (8, 1))")
        raise TypeError(
            f"expected a text, or shape and strides, not {type(shape).__name__}; `Layout.of` makes "
            "layouts of arrays and of layouts of other libraries"
        )
    if _profile(shape) != _profile(strides):
        raise LayoutError(f"shape {shape} and strides {strides} are not nested alike")
    is_flat = isinstance(shape, tuple | list) and not any(isinstance(of, tuple | list) for of in shape)
    if is_flat and notation != "cute":
        return _strided(tuple(map(_number, shape)), tuple(map(_number, strides))), "strided"
    return f"{_mode(shape)}:{_mode(strides)}", "cute"


def _profile(mode: Any) -> Any:
    """The nesting of a tuple."""
    return tuple(_profile(part) for part in mode) if isinstance(mode, tuple | list) else None


def sharding_text(sharding: Any, mesh: Any) -> tuple[str, str | None]:
    """The texts of a sharding and of its mesh."""
    from ._native import Sharding

    if isinstance(sharding, Sharding):
        sharding, own = sharding._texts
        return sharding, own if mesh is None else mesh_text(mesh)
    if isinstance(sharding, str):
        return sharding, None if mesh is None else mesh_text(mesh)
    if hasattr(sharding, "spec") and hasattr(sharding, "mesh"):
        if mesh is not None:
            raise LayoutError("the sharding already has a mesh: leave out `mesh`")
        return _on_mesh(sharding.spec, sharding.mesh)
    if _is_spec(sharding):
        return _on_mesh(sharding, mesh)
    if isinstance(sharding, tuple | list) and all(hasattr(of, "is_shard") for of in sharding):
        placements = ", ".join(_placement(of) for of in sharding)
        return f"[{placements}]", None if mesh is None else mesh_text(mesh)
    raise TypeError(
        f"expected a text, a PartitionSpec, a NamedSharding or placements of PyTorch, not "
        f"{type(sharding).__name__}"
    )


def mesh_text(mesh: Any) -> str:
    """A mesh as text (`x=2,y=4`), from a text, a dict, or a mesh of JAX or PyTorch."""
    if isinstance(mesh, str):
        return mesh
    names = getattr(mesh, "mesh_dim_names", None)
    if names is not None or hasattr(mesh, "device_type"):
        sizes: Any = dict(zip(names or [f"d{axis}" for axis in range(mesh.ndim)], mesh.shape, strict=True))
    else:
        sizes = mesh if isinstance(mesh, Mapping) else getattr(mesh, "shape", None)
    if not isinstance(sizes, Mapping):
        raise TypeError(f"expected a mesh such as 'x=2,y=4' or a dict, not {type(mesh).__name__}")
    ranks = _ranks(mesh)
    if ranks is not None:
        axes = ",".join(f"{name!r}={_number(size)}" for name, size in sizes.items())
        return f"mesh[{axes}], device_ids=({','.join(map(str, ranks))})"
    return ",".join(f"{name}={_number(size)}" for name, size in sizes.items())


def _ranks(mesh: Any) -> list[int] | None:
    """The devices of a mesh of PyTorch, numbered in the order of their ranks; None in that order."""
    if not hasattr(mesh, "device_type") or not hasattr(mesh, "mesh"):
        return None
    ranks = [int(rank) for rank in mesh.mesh.flatten().tolist()]
    # A part of the devices is numbered by itself.
    numbers = [sorted(ranks).index(rank) for rank in ranks]
    return None if numbers == sorted(numbers) else numbers


def _of_module(name: str, *path: str) -> Any:
    """A name of a library that the program has imported; None if it has not, or if the library lacks it."""
    found: Any = sys.modules.get(name)
    for part in path:
        found = getattr(found, part, None)
    return found


def _is_spec(x: Any) -> bool:
    """True for a PartitionSpec, whose class has had several names."""
    kind = _of_module("jax.sharding", "PartitionSpec")
    return kind is not None and isinstance(x, kind)


def _spec(spec: Any) -> str:
    """A PartitionSpec as text, with the axes that it lists as reduced or not."""
    # Iteration leaves out these lists, or is an error where there are any.
    entries = getattr(spec, "partitions", None)
    if entries is None:
        entries = getattr(spec, "_partitions", None)
    if entries is None:
        entries = tuple(spec)
    written = [_spec_entry(of) for of in entries]
    for key in ("unreduced", "reduced"):
        if axes := sorted(getattr(spec, key, ())):
            written.append(f"{key}={{{', '.join(map(repr, axes))}}}")
    return f"P({', '.join(written)})"


def _spec_entry(entry: Any) -> str:
    names = entry if isinstance(entry, tuple) else (entry,)
    if entry is None or all(isinstance(name, str) for name in names):
        return repr(entry)
    if entry is _of_module("jax.sharding", "PartitionSpec", "UNCONSTRAINED"):
        return "UNCONSTRAINED"
    raise TypeError(f"the axes of a PartitionSpec are named by strings, not {type(entry).__name__}")


def _on_mesh(of: Any, mesh: Any) -> tuple[str, str | None]:
    """A spec and its mesh, in one text where the program itself cuts along some axes."""
    spec = _spec(of)
    manual = _of_module("jax.sharding", "AxisType", "Manual")
    types = tuple(getattr(mesh, "axis_types", None) or ())
    if manual is None or manual not in types:
        return spec, None if mesh is None else mesh_text(mesh)
    axes = ", ".join(f"{name!r}: {_number(size)}" for name, size in mesh.shape.items())
    kinds = ", ".join("Manual" if of is manual else "Auto" for of in types)
    return f"NamedSharding(mesh=Mesh({axes}, axis_types=({kinds},)), spec={spec})", None


def strided(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> Layout:
    """The layout of shape and strides, in elements."""
    from ._native import Layout

    return Layout(_strided(shape, strides, offset), notation="strided")


def _strided(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> str:
    negative = [axis for axis, stride in enumerate(strides) if stride < 0 and shape[axis] > 1]
    if negative:
        raise LayoutError(
            f"axis {negative[0]} has the stride {strides[negative[0]]}: layouts with negative "
            "strides are not supported; take the layout of the array before it was flipped"
        )
    # The stride of an axis of extent 0 or 1 is meaningless.
    strides = [max(stride, 0) for stride in strides]
    text = f"shape={_tuple(shape)}, strides={_tuple(strides)}"
    return text + (f", offset={offset}" if offset else "")


def _tuple(numbers: Sequence[int]) -> str:
    return str(tuple(map(_number, numbers)))


def _number(number: Any) -> int:
    """An integer of any library; True is not 1 here."""
    if isinstance(number, bool | np.bool_):
        raise TypeError("expected an integer, not bool")
    return operator.index(number)


def _of_numpy(x: Any) -> Layout:
    itemsize = getattr(x, "itemsize", None) or x.dtype.itemsize
    if not itemsize:
        raise LayoutError(f"elements of {x.dtype} have no width, so that strides do not count them")
    uneven = [
        axis
        for axis, stride in enumerate(x.strides)
        if stride % itemsize and x.shape[axis] > 1
    ]
    if uneven:
        raise LayoutError(
            f"axis {uneven[0]} steps {x.strides[uneven[0]]} bytes, which is not a multiple of the "
            f"{itemsize} bytes of an element: view the array as bytes, with one more axis"
        )
    return strided(x.shape, [stride // itemsize for stride in x.strides])


def foreign(x: Any) -> Layout | None:
    """A layout of CuTe or of Meta's tensor-layouts, including composed ones; None for anything else."""
    from ._native import Layout

    text = _cute(x)
    return None if text is None else Layout(text, notation="cute")


def _cute(x: Any) -> str | None:
    """A layout of another library in CuTe's notation."""
    if hasattr(x, "shape") and hasattr(x, "stride") and not callable(x.stride):
        layout = f"{_mode(x.shape)}:{_mode(x.stride)}"
        # Meta's until 0.3.1 keep a swizzle beside the strides.
        swizzle = getattr(x, "swizzle", None)
        return layout if swizzle is None else f"{_map(swizzle)} o 0 o {layout}"
    # The names of Meta since then, and those of pycute.
    for outer, inner in (("outer", "inner"), ("layoutB", "layoutA")):
        if hasattr(x, outer) and hasattr(x, "offset"):
            return f"{_map(getattr(x, outer))} o {_mode(x.offset)} o {_cute(getattr(x, inner))}"
    return None


def _map(x: Any) -> str | None:
    """The outer map of a composed layout, which transforms its addresses."""
    if hasattr(x, "bits") and hasattr(x, "base") and hasattr(x, "shift"):
        return f"S<{x.bits},{x.base},{x.shift}>"
    return _cute(x)


def _mode(mode: Any) -> str:
    """A number or a nested tuple in CuTe's notation."""
    if isinstance(mode, tuple | list):
        return f"({','.join(_mode(part) for part in mode)})"
    return str(_number(mode))


def _of_dtensor(x: Any) -> Layout:
    from ._native import Sharding

    shape = tuple(x.shape)
    sharding = Sharding(tuple(x.placements), mesh=x.device_mesh)
    local = x.to_local()
    whole = sharding.shard_shape(shape)
    if tuple(local.shape) == whole:
        # The offset of a shard in its own storage concerns only its device.
        return sharding.layout(shape, strided(whole, tuple(local.stride())))
    if not local.is_contiguous():
        raise LayoutError("the shard here is short and not contiguous: its strides say too little")
    return sharding.layout(shape)


def _placement(placement: Any) -> str:
    """A placement of PyTorch, by what it says of itself."""
    if hasattr(placement, "split_factor"):
        return f"_StridedShard(dim={_number(placement.dim)}, sf={_number(placement.split_factor)})"
    if placement.is_shard():
        return f"Shard({_number(placement.dim)})"
    if placement.is_replicate():
        return "Replicate()"
    if placement.is_partial():
        return f"Partial({getattr(placement, 'reduce_op', 'sum')})"
    raise LayoutError(f"the placement {placement} is not supported")
