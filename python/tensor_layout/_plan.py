"""Plans: of ONNX models on MN-Core, and of programs of JAX on meshes of devices."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from . import _native
from .errors import LayoutError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from ._native import Machine


class _Lowered(Protocol):
    """What `jax.jit(f).lower(..)` returns."""

    @property
    def in_tree(self) -> Any: ...
    @property
    def out_tree(self) -> Any: ...
    def as_text(self) -> str: ...


@dataclass(frozen=True)
class ShardingPlan:
    """A sharding for every tensor of a program.

    `in_shardings` and `out_shardings` are what `jax.jit` takes: trees of `NamedSharding`, whose axes are of type `Auto`,
    or, of a mesh that was given as a dictionary, of `PartitionSpec`. Those of an ONNX model are dictionaries of names and the placements of a
    `DTensor`, as text. `report` has the keys of the command `plan --mesh --json`. `module` is the
    program in StableHLO with the shardings in it, inner values included; `None` for an ONNX model. `str()` is a page.
    """

    in_shardings: Any = field(repr=False)
    out_shardings: Any = field(repr=False)
    report: dict[str, Any] = field(repr=False)
    module: str | None = field(repr=False)
    page: str = field(repr=False)

    def __str__(self) -> str:
        return self.page


@overload
def plan(
    model: _Lowered,
    machine: Mapping[str, int] | Any,
    *,
    backend: Literal["cpu", "gpu", "tpu"] | None = None,
    rates: str | None = None,
    device_memory: int | None = None,
    keep_shardings: bool = False,
    against_shardings: bool = False,
    seed: int = 0,
    seconds: float | None = None,
) -> ShardingPlan: ...
@overload
def plan(
    model: str | os.PathLike[str] | bytes | Any,
    machine: Mapping[str, int],
    *,
    dims: dict[str, int] | None = None,
    backend: Literal["cpu", "gpu", "tpu"] | None = None,
    rates: str | None = None,
    device_memory: int | None = None,
    seed: int = 0,
    seconds: float | None = None,
) -> ShardingPlan: ...
@overload
def plan(
    model: str | os.PathLike[str] | bytes | Any,
    machine: Machine | str | None = None,
    *,
    dims: dict[str, int] | None = None,
    pins: Any = None,
    keep: int = 64,
    penalty: int = 1000,
    sram_budget: int = 100,
    routes: bool = True,
    seed: int = 0,
    seconds: float | None = None,
) -> dict[str, Any]: ...
def plan(model: Any, machine: Any = None, **options: Any) -> Any:
    """Plans a layout for every value of a model, or a sharding for every tensor of a program of JAX.

    With an ONNX model, a file, its bytes, or an object that has them (an `onnx.ModelProto`, or what `torch.onnx.export`
    returns), the plan is for a `machine`, `mn-core-2` unless another one is given, and has the least cycles of
    everything together. The dictionary has the keys of the command `plan --json`: `totals`, the cycles of the plan and of
    others; `values`, each with its layout, its own cycles and the switches of its operands; `uncovered`, the operators
    that no rule covers. `dims` has the numbers of symbolic extents.

    `pins` are layouts that the plan has to have: files as `plan --pins` reads them, or their entries as dictionaries with
    the same keys, a name and a list of layouts for example. `keep` is the most choices that an operation keeps,
    `sram_budget` the percentage of a PE's memory that values may take. `routes` looks for the movements of every switch;
    one without movements costs `penalty` more.

    With `jax.jit(f).lower(..)` and a mesh of JAX, or a dictionary of names and sizes, the plan is a `ShardingPlan`; so it is
    with an ONNX model and such a dictionary. `backend` says whose collectives are counted, that of the mesh's devices
    unless it is given; `rates` are those of `plan --rates`, `device_memory` the bytes that tensors may take of a device;
    with `keep_shardings`, arguments, results and constraints keep the shardings that the program has, and with
    `against_shardings` the report has what is better or worse than with those.

    The same arguments give the same plan, unless `seconds` ends its search: reading the model and the first solution come
    before. An interrupt returns at once, while a thread ends what it began.
    """
    if hasattr(model, "as_text") and hasattr(model, "in_tree"):
        return _sharded(model, machine, **options)
    if hasattr(machine, "items"):
        return _sharded_model(model, machine, **options)
    return _native.plan(model, machine, **options)


def _sharded(
    lowered: _Lowered,
    mesh: Any,
    *,
    backend: Literal["cpu", "gpu", "tpu"] | None = None,
    rates: str | None = None,
    device_memory: int | None = None,
    keep_shardings: bool = False,
    against_shardings: bool = False,
    seed: int = 0,
    seconds: float | None = None,
) -> ShardingPlan:
    from jax import tree, tree_util
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    is_plain = hasattr(mesh, "items")
    axes = dict(mesh) if is_plain else dict(getattr(mesh, "shape", None) or {})
    if not axes:
        raise LayoutError("a program is planned for a mesh: give a Mesh of JAX, or names and sizes as in {'x': 8}")
    platform = None if is_plain else _platform(mesh)
    if isinstance(mesh, Mesh):
        # With axes of type `Explicit`, arrays on them would have shardings in their types, and products would need theirs.
        mesh = Mesh(mesh.devices, mesh.axis_names)
    leaves = lowered.in_tree.num_leaves
    kept = _kept(lowered)
    paths, _ = tree_util.tree_flatten_with_path(tree.unflatten(lowered.in_tree, range(leaves)))
    text, page, module = _native.shard(
        lowered.as_text(),
        list(axes.items()),
        is_text=True,
        # Of positional and keyword arguments the former.
        names=[f"args{tree_util.keystr(paths[at][0][1:])}" for at in kept],
        backend=backend or platform or "tpu",
        rates=rates,
        device_memory=device_memory,
        keep_shardings=keep_shardings,
        against_shardings=against_shardings,
        seed=seed,
        seconds=seconds,
    )
    report = json.loads(text)
    if len(report["arguments"]) != len(kept):
        raise LayoutError(
            f"the text has {len(report['arguments'])} of {leaves} arguments, and this JAX does not say which: "
            "use jax.jit(f, keep_unused=True)"
        )
    # JAX has no types for it.
    partitioned: Any = PartitionSpec

    def sharding(dims: list[list[str]]) -> Any:
        parts = [tuple(names) if len(names) > 1 else (names[0] if names else None) for names in dims]
        while parts and parts[-1] is None:
            parts.pop()
        spec = partitioned(*parts)
        return spec if is_plain else NamedSharding(mesh, spec)

    inputs = [sharding([])] * leaves
    for at, of in zip(kept, report["arguments"], strict=True):
        inputs[at] = sharding(of["axes"])
    outputs = [sharding(of["axes"]) for of in report["results"]]
    arguments, keywords = tree.unflatten(lowered.in_tree, inputs)
    if keywords:
        raise LayoutError("`jax.jit` takes shardings of positional arguments alone: lower it without keywords")
    return ShardingPlan(arguments, tree.unflatten(lowered.out_tree, outputs), report, module, page)


def _sharded_model(model: Any, axes: Mapping[str, int], **options: Any) -> ShardingPlan:
    options = {name: value for name, value in options.items() if value is not None}
    text, page, module = _native.shard(model, list(axes.items()), is_text=False, **options)
    report = json.loads(text)
    inputs, outputs = ({of["name"]: of["placements"] for of in report[part]} for part in ("arguments", "results"))
    return ShardingPlan(inputs, outputs, report, module, page)


def _platform(mesh: Any) -> Literal["cpu", "gpu", "tpu"] | None:
    devices = getattr(mesh, "devices", None)
    name = None if devices is None else devices.flat[0].platform
    return name if name in ("cpu", "gpu", "tpu") else None


def _kept(lowered: Any) -> list[int]:
    """The places of the arguments that the text has: JAX leaves out those that nothing reads."""
    compile_args = getattr(getattr(lowered, "_lowering", None), "compile_args", {})
    return sorted(compile_args.get("kept_var_idx", range(lowered.in_tree.num_leaves)))
