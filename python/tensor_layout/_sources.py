"""Layouts of what other libraries have in memory; none of them is imported.

Objects are recognised by what they have, in this order: DTensors by `placements`, JAX arrays by
`format`, PyTorch tensors by `stride()`, layouts of CuTe and of Meta's tensor-layouts by `stride`,
NumPy arrays and what looks like one by `strides`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

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
    if hasattr(x, "shape") and callable(getattr(x, "stride", None)):
        return strided(tuple(x.shape), tuple(x.stride()), int(x.storage_offset()))
    if hasattr(x, "shape") and hasattr(x, "stride"):
        return _of_cute(x)
    if hasattr(x, "shape") and hasattr(x, "strides"):
        return _of_numpy(x)
    raise TypeError(
        f"{type(x).__name__} has neither `strides` nor `stride` nor `format`: a layout is read off "
        "arrays of NumPy, PyTorch and JAX and off layouts of CuTe"
    )


def strided(shape: Sequence[int], strides: Sequence[int], offset: int = 0) -> Layout:
    """The layout of shape and strides, in elements."""
    from ._native import Layout

    negative = [axis for axis, stride in enumerate(strides) if stride < 0 and shape[axis] > 1]
    if negative:
        raise ValueError(
            f"axis {negative[0]} has the stride {strides[negative[0]]}: layouts with negative "
            "strides are not supported; take the layout of the array before it was flipped"
        )
    # The stride of an axis that does not step says nothing.
    strides = [max(stride, 0) for stride in strides]
    text = f"shape={_tuple(shape)}, strides={_tuple(strides)}"
    return Layout(text + (f", offset={offset}" if offset else ""), notation="strided")


def _tuple(numbers: Sequence[int]) -> str:
    return str(tuple(int(number) for number in numbers))


def _of_numpy(x: Any) -> Layout:
    itemsize = getattr(x, "itemsize", None) or x.dtype.itemsize
    uneven = [
        axis
        for axis, stride in enumerate(x.strides)
        if stride % itemsize and x.shape[axis] > 1
    ]
    if uneven:
        raise ValueError(
            f"axis {uneven[0]} steps {x.strides[uneven[0]]} bytes, which is not a multiple of the "
            f"{itemsize} bytes of an element: view the array as bytes, with one more axis"
        )
    return strided(x.shape, [stride // itemsize for stride in x.strides])


def _of_cute(x: Any) -> Layout:
    from ._native import Layout

    if getattr(x, "swizzle", None) is not None:
        raise ValueError("the layout swizzles (XOR), which the algebra does not express")
    return Layout(f"{_mode(x.shape)}:{_mode(x.stride)}", notation="cute")


def _mode(mode: Any) -> str:
    """A number or a nested tuple, as CuTe writes it."""
    if isinstance(mode, tuple | list):
        return f"({','.join(_mode(part) for part in mode)})"
    return str(int(mode))


def _of_dtensor(x: Any) -> Layout:
    from ._native import Sharding

    mesh, shape = x.device_mesh, tuple(x.shape)
    names = mesh.mesh_dim_names or [f"d{axis}" for axis in range(mesh.ndim)]
    sizes = ",".join(f"{name}={size}" for name, size in zip(names, mesh.shape, strict=True))
    sharding = Sharding(f"[{', '.join(_placement(of) for of in x.placements)}]", mesh=sizes)
    local = x.to_local()
    whole = sharding.shard_shape(shape)
    if tuple(local.shape) == whole:
        # Where the shard lies in its own storage is a matter of its device.
        return sharding.layout(shape, strided(whole, tuple(local.stride())))
    if not local.is_contiguous():
        raise ValueError("the shard here is short and not contiguous: its strides say too little")
    return sharding.layout(shape)


def _placement(placement: Any) -> str:
    if placement.is_shard():
        return f"Shard({placement.dim})"
    return "Replicate()" if placement.is_replicate() else "Partial()"
