"""Layouts of what other libraries have in memory; none of them is imported.

Objects are recognised by what they have, in this order: DTensors by `placements`, JAX arrays by
`format`, PyTorch tensors by `stride()`, layouts of CuTe and of Meta's tensor-layouts by `stride`,
NumPy arrays and what looks like one by `strides`.
"""

from __future__ import annotations

import operator
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
        raise LayoutError("the mask of a masked array is no part of a layout: take `a.data` and `a.mask` apart")
    if hasattr(x, "shape") and callable(getattr(x, "stride", None)):
        refuse_sparse(x)
        return strided(tuple(x.shape), tuple(x.stride()), int(x.storage_offset()))
    if hasattr(x, "shape") and hasattr(x, "stride"):
        return _of_cute(x)
    if hasattr(x, "shape") and hasattr(x, "strides"):
        return _of_numpy(x)
    raise TypeError(
        f"{type(x).__name__} has neither `strides` nor `stride` nor `format`: a layout is read off "
        "arrays of NumPy, PyTorch and JAX and off layouts of CuTe"
    )


def refuse_sparse(tensor: Any) -> None:
    """Refuses tensors of PyTorch whose memory is not given by strides."""
    layout = str(getattr(tensor, "layout", "torch.strided"))
    if layout != "torch.strided":
        raise LayoutError(f"the tensor is {layout}, which has no strides: `to_dense()` makes one that has")


def shape_text(shape: Any, strides: Any) -> tuple[str, str]:
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
    if isinstance(shape, tuple | list) and not any(isinstance(of, tuple | list) for of in shape):
        return _strided(tuple(map(operator.index, shape)), tuple(map(operator.index, strides))), "strided"
    return f"{_mode(shape)}:{_mode(strides)}", "cute"


def _profile(mode: Any) -> Any:
    """How a tuple is nested."""
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
            raise LayoutError("the sharding has a mesh of its own: give one of the two")
        return _spec(sharding.spec), mesh_text(sharding.mesh)
    if type(sharding).__name__ == "PartitionSpec":
        return _spec(sharding), None if mesh is None else mesh_text(mesh)
    if isinstance(sharding, tuple | list) and all(hasattr(of, "is_shard") for of in sharding):
        placements = ", ".join(_placement(of) for of in sharding)
        return f"[{placements}]", None if mesh is None else mesh_text(mesh)
    raise TypeError(
        f"expected a text, a PartitionSpec, a NamedSharding or placements of PyTorch, not "
        f"{type(sharding).__name__}"
    )


def mesh_text(mesh: Any) -> str:
    """`x=2,y=4` of a text, a dict, or a mesh of JAX or PyTorch."""
    if isinstance(mesh, str):
        return mesh
    names = getattr(mesh, "mesh_dim_names", None)
    if names is not None or hasattr(mesh, "device_type"):
        sizes = dict(zip(names or [f"d{axis}" for axis in range(mesh.ndim)], mesh.shape, strict=True))
    else:
        sizes = mesh if isinstance(mesh, Mapping) else getattr(mesh, "shape", None)
    if not isinstance(sizes, Mapping):
        raise TypeError(f"expected a mesh such as 'x=2,y=4' or a dict, not {type(mesh).__name__}")
    return ",".join(f"{name}={operator.index(size)}" for name, size in sizes.items())


def _spec(spec: Any) -> str:
    """A PartitionSpec as text."""
    entries = (repr(of) if of is None or isinstance(of, str | tuple) else str(of) for of in spec)
    return f"P({', '.join(entries)})"


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
    # The stride of an axis that does not step says nothing.
    strides = [max(stride, 0) for stride in strides]
    text = f"shape={_tuple(shape)}, strides={_tuple(strides)}"
    return text + (f", offset={offset}" if offset else "")


def _tuple(numbers: Sequence[int]) -> str:
    return str(tuple(int(number) for number in numbers))


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


def _of_cute(x: Any) -> Layout:
    from ._native import Layout

    if getattr(x, "swizzle", None) is not None:
        raise LayoutError("the layout swizzles (XOR), which the algebra does not express")
    return Layout(f"{_mode(x.shape)}:{_mode(x.stride)}", notation="cute")


def _mode(mode: Any) -> str:
    """A number or a nested tuple, as CuTe writes it."""
    if isinstance(mode, tuple | list):
        return f"({','.join(_mode(part) for part in mode)})"
    return str(int(mode))


def _of_dtensor(x: Any) -> Layout:
    from ._native import Sharding

    shape = tuple(x.shape)
    sharding = Sharding(tuple(x.placements), mesh=x.device_mesh)
    local = x.to_local()
    whole = sharding.shard_shape(shape)
    if tuple(local.shape) == whole:
        # Where the shard lies in its own storage is a matter of its device.
        return sharding.layout(shape, strided(whole, tuple(local.stride())))
    if not local.is_contiguous():
        raise LayoutError("the shard here is short and not contiguous: its strides say too little")
    return sharding.layout(shape)


def _placement(placement: Any) -> str:
    if placement.is_shard():
        return f"Shard({placement.dim})"
    return "Replicate()" if placement.is_replicate() else "Partial()"
