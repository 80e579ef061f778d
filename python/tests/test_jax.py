"""Layouts of JAX against the data that JAX puts on eight virtual CPU devices."""

import ctypes
import itertools
from typing import Any

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp
from jax.experimental.layout import Format
from jax.experimental.layout import Layout as Order
from jax.sharding import Mesh, NamedSharding, PartitionSpec, SingleDeviceSharding

import tensor_layout
from tensor_layout import Layout, LayoutError, Sharding, from_jax, read_hlo

MESHES = [((2, 4), "xy"), ((8,), "x"), ((2, 2, 2), "xyz"), ((4, 2), "xy")]


def specs(rng, rank, names):
    """A PartitionSpec that uses some of the axes, in any order, on any dimension."""
    dims: list[list[str]] = [[] for _ in range(rank)]
    for name in rng.sample(names, len(names)):
        if rng.random() < 0.7:
            rng.choice(dims).append(name)
    entries = [None if not dim else dim[0] if len(dim) == 1 else tuple(dim) for dim in dims]
    return PartitionSpec(*entries)


def arrays(rng, count):
    for _ in range(count):
        sizes, names = rng.choice(MESHES)
        devices = rng.sample(jax.devices(), 8) if rng.random() < 0.5 else jax.devices()
        mesh = Mesh(np.array(devices).reshape(sizes), tuple(names))
        shape = tuple(rng.choice([8, 16, 24]) for _ in range(rng.randint(1, 3)))
        sharding = NamedSharding(mesh, specs(rng, len(shape), list(names)))
        dtype = rng.choice([np.int32, np.float16, jnp.bfloat16, np.uint8])
        values = np.arange(np.prod(shape)).astype(dtype).reshape(shape)
        yield jax.device_put(values, sharding), values


def test_shards_and_index_maps_are_those_of_addressable_shards(rng):
    for array, _ in arrays(rng, 40):
        sharding, shape = array.sharding, array.shape
        spec = str(sharding.spec).replace("PartitionSpec", "P")
        sizes = ",".join(f"{name}={size}" for name, size in sharding.mesh.shape.items())
        ours = Sharding(spec, mesh=sizes)
        assert ours.shard_shape(shape) == sharding.shard_shape(shape)
        numbers = {device: number for number, device in enumerate(sharding.mesh.devices.flat)}
        for shard in array.addressable_shards:
            part = ours.shard(shape, numbers[shard.device])
            whole = [slice(*index.indices(extent)[:2]) for index, extent in zip(shard.index, shape)]
            assert part is not None and list(part) == whole


def test_every_element_is_on_its_devices_at_its_byte(rng):
    for array, values in arrays(rng, 40):
        layout = from_jax(array)
        mesh = array.sharding.mesh
        buffers = {
            shard.device: ctypes.string_at(shard.data.unsafe_buffer_pointer(), shard.data.nbytes)
            for shard in array.addressable_shards
        }
        holders = 0
        for _ in range(30):
            index = tuple(rng.randrange(extent) for extent in values.shape)
            for place in layout.locate_all(*index):
                device = mesh.devices[tuple(place[name] for name in mesh.axis_names)]
                at = place["Addr"]
                found = np.frombuffer(buffers[device][at : at + values.itemsize], values.dtype)[0]
                assert found == values[index], (array.sharding, index, place)
                holders += 1
        replicas = {shard.replica_id for shard in array.addressable_shards}
        assert holders == 30 * len(replicas)


def test_packing_gives_the_buffers_of_all_shards(rng):
    for array, values in arrays(rng, 20):
        mesh = array.sharding.mesh
        # With the mesh as the machine, the levels are its axes in order.
        sizes = ",".join(f"{name}={size}" for name, size in mesh.shape.items())
        image = Layout.of(array).on(sizes).pack(values)
        for shard in array.addressable_shards:
            at = tuple(int(entry[0]) for entry in np.where(mesh.devices == shard.device))
            assert (image[at].reshape(shard.data.shape) == np.asarray(shard.data)).all()


def test_order_is_that_of_the_buffer():
    values = np.arange(24, dtype=np.int32).reshape(2, 3, 4)
    for order in itertools.permutations(range(3)):
        format = Format(Order(order), SingleDeviceSharding(jax.devices()[0]))
        array = jax.device_put(values, format)
        buffer = ctypes.string_at(array.unsafe_buffer_pointer(), array.nbytes)
        layout = from_jax(array, unit="element")
        for index in np.ndindex(values.shape):
            at = layout.locate(*index)["Addr"]
            assert np.frombuffer(buffer, np.int32)[at] == values[index], order


class Fake:
    """An array of a platform that is not available, with a format of JAX."""

    def __init__(self, shape, dtype, order, tiling, platform, buffer=None):
        self.shape, self.dtype = shape, dtype
        device = type("Device", (), {"platform": platform})()
        self.sharding = type("Sharding", (), {"device_set": {device}})()
        reported = Order(major_to_minor=order, tiling=tiling, sub_byte_element_size_in_bits=0)
        self.format = Format(reported, SingleDeviceSharding(jax.devices()[0]))
        if buffer is not None:
            self.addressable_shards = [type("Shard", (), {"data": buffer})()]


class Buffer:
    """The bytes of an array on one device, and the values that it would show."""

    def __init__(self, values, buffer):
        self.values, self.buffer, self.nbytes = values, np.ascontiguousarray(buffer), values.nbytes

    def unsafe_buffer_pointer(self):
        return self.buffer.ctypes.data

    def __array__(self, dtype=None, copy=None):
        return self.values


def test_tilings_are_those_of_the_platform():
    tiled = ((10, 200), "bfloat16", (0, 1), ((8, 128), (2, 1)))
    on_tpu = from_jax(Fake(*tiled, "tpu"), unit="element")
    assert str(on_tpu) == "bf16[10,200]{1,0:T(8,128)(2,1)}"
    assert from_jax(Fake(*tiled, "tpu")).locate(1, 0) == {"Addr": 2}
    # On CPU, JAX reports tilings that the buffers do not have.
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    rows, columns = Buffer(values, values), Buffer(values, values.T)
    reported = ((2, 3), "float32", (1, 0), ((2, 2),))
    assert str(from_jax(Fake(*reported, "cpu", rows), unit="element")) == "f32[2,3]{1,0}"
    assert str(from_jax(Fake(*reported, "cpu", columns), unit="element")) == "f32[2,3]{0,1}"
    with pytest.raises(ValueError, match="neither in the order"):
        from_jax(Fake(*reported, "cpu", Buffer(values, values[::-1])), unit="element")


def test_specs_are_taken_by_what_they_are():
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    for spec in [PartitionSpec("x"), PartitionSpec(None, ("x", "y")), PartitionSpec(PartitionSpec.UNCONSTRAINED, "y"), PartitionSpec()]:
        given = Sharding(spec, mesh=mesh)
        assert given == Sharding(NamedSharding(mesh, spec)) == Sharding(str(spec), mesh={"x": 2, "y": 4})

    class Other:
        pass

    Other.__name__ = "PartitionSpec"
    with pytest.raises(TypeError, match="not PartitionSpec"):
        Sharding(Other(), mesh=mesh)  # type: ignore[arg-type]


def test_axes_that_hold_parts_of_sums_or_belong_to_the_program_stay_so():
    axis_types = (jax.sharding.AxisType.Manual, jax.sharding.AxisType.Explicit)
    mesh = jax.sharding.AbstractMesh((2, 4), ("x", "y"), axis_types=axis_types)
    named = NamedSharding(mesh, PartitionSpec(None, "y"))
    assert Sharding(named).to("hlo", rank=2) == Sharding(str(named)).to("hlo", rank=2)
    assert Sharding(named.spec, mesh=mesh).to("hlo", rank=2) == Sharding(named).to("hlo", rank=2)
    assert "manual" in Sharding(named).to("hlo", rank=2)
    if hasattr(PartitionSpec(), "unreduced"):
        spec = PartitionSpec("y", unreduced={"x"})
        assert "unreduced" in Sharding(spec, mesh="x=2,y=4").to("hlo", rank=1)


def test_every_print_of_a_mesh_is_read():
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    for text in {repr(mesh), repr(mesh.shape), repr(dict(mesh.shape)), repr(mesh.abstract_mesh)}:
        assert Sharding("P('x', 'y')", mesh=text).devices((8, 8)) == 8, text


def test_compiled_programs_have_layouts_of_arguments_and_results():
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    rows = NamedSharding(mesh, PartitionSpec("x", None))
    step = jax.jit(lambda x, w: {"y": x @ w["w"]}, in_shardings=(rows, None), out_shardings=rows)
    arguments = jnp.ones((16, 32)), {"w": jnp.ones((32, 64))}
    formats = from_jax(step.lower(*arguments).compile(), unit="element")
    (x, w), _ = formats.inputs
    assert x.shape == (16, 32) and x.locate(15, 3)["x"] == 1
    assert w["w"].shape == (32, 64)
    result = formats.outputs["y"]
    array = step(*arguments)["y"]
    assert result.same(Layout.of(array))


@pytest.mark.parametrize("unit", ["bit", ""])
def test_units_are_bytes_or_elements(unit):
    with pytest.raises(ValueError, match="unit"):
        from_jax(jnp.zeros(3), unit=unit)


def test_arrays_without_axes_have_a_layout():
    assert from_jax(jnp.float32(3)).locate() == {"Addr": 0}
    assert Layout.of(jnp.int8(3)).text == "s8[]"
    spread = jax.device_put(jnp.float32(3), NamedSharding(Mesh(np.array(jax.devices()), ("x",)), PartitionSpec()))
    assert from_jax(spread).copies == 8


def _step(params, unused, x, y):
    del unused

    def loss(params):
        hidden = jax.nn.relu(x @ params["up"])
        return jnp.mean((hidden @ params["down"] - y) ** 2)

    value, grads = jax.value_and_grad(loss)(params)
    return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, grads)


def _struct(*shape):
    return jax.ShapeDtypeStruct(shape, jnp.float32)


_ARGUMENTS = ({"up": _struct(256, 1024), "down": _struct(1024, 256)}, _struct(3), _struct(512, 256), _struct(512, 256))


def test_a_plan_gives_jit_the_shardings_of_arguments_and_results():
    mesh = jax.make_mesh((4, 2), ("data", "model"))
    lowered = jax.jit(_step, donate_argnums=0).lower(*_ARGUMENTS)
    plan = tensor_layout.plan(lowered, mesh)
    assert plan.report["backend"] == "cpu"
    assert plan.in_shardings[0] == plan.out_shardings[1]
    assert plan.in_shardings[0]["up"].spec == PartitionSpec(None, ("data", "model"))
    assert plan.in_shardings[1].spec == PartitionSpec()
    jitted = jax.jit(_step, donate_argnums=0, in_shardings=plan.in_shardings, out_shardings=plan.out_shardings)
    text = jitted.lower(*_ARGUMENTS).compile().as_text()
    assert "all-reduce" in text and "all-gather" not in text
    assert str(plan).startswith("jit__step on data=4,model=2") and "sdy.sharding_constraint" in (plan.module or "")


def test_a_planned_step_runs_on_its_own_results():
    # `make_mesh` of newer JAX gives axes of type `Explicit`.
    mesh = jax.make_mesh((4, 2), ("data", "model"))
    plan = tensor_layout.plan(jax.jit(_step, donate_argnums=0).lower(*_ARGUMENTS), mesh)
    jitted = jax.jit(_step, donate_argnums=0, in_shardings=plan.in_shardings, out_shardings=plan.out_shardings)
    params, *rest = jax.tree.map(lambda of: jnp.full(of.shape, 0.01), _ARGUMENTS)
    alone = params
    for _ in range(3):
        expected, alone = jax.jit(_step)(alone, *rest)
        params = jax.device_put(params, plan.in_shardings[0])
        found, params = jitted(params, *rest)
        assert jnp.allclose(found, expected, rtol=1e-4)


def test_a_mesh_of_names_and_sizes_gives_partition_specs():
    lowered = jax.jit(_step, donate_argnums=0).lower(*_ARGUMENTS)
    plan = tensor_layout.plan(lowered, {"x": 256}, rates="links=1e9", device_memory=1 << 30)
    assert plan.report["backend"] == "gpu and tpu"
    assert plan.in_shardings[1] == PartitionSpec()


def test_shardings_that_a_program_has_are_kept_or_compared():
    mesh = jax.sharding.Mesh(jax.make_mesh((4, 2), ("data", "model")).devices, ("data", "model"))

    def placed(*spec):
        return jax.sharding.NamedSharding(mesh, PartitionSpec(*spec))

    def step(params, key, x, y):
        return _step(params, key, jax.lax.with_sharding_constraint(x, placed("data")), y)

    by_hand = ({"up": placed(), "down": placed()}, placed(), placed("data"), placed("data"))
    lowered = jax.jit(step, in_shardings=by_hand, donate_argnums=0).lower(*_ARGUMENTS)
    kept = tensor_layout.plan(lowered, mesh, keep_shardings=True)
    assert kept.in_shardings == by_hand
    report = tensor_layout.plan(lowered, mesh, against_shardings=True).report
    ours, theirs = report["against"]["sent"]
    assert ours < theirs
    assert theirs == sum(sent for _, sent in kept.report["sent"])


def test_what_is_no_mesh_or_no_rate_is_refused():
    lowered = jax.jit(_step).lower(*_ARGUMENTS)
    cases: list[tuple[Any, dict[str, Any], str]] = [
        ("mn-core-2", {}, "give a Mesh of JAX"),
        ({}, {}, "give a Mesh of JAX"),
        ({"x": 8}, {"backend": "xpu"}, "cpu, gpu or tpu"),
        ({"x": 8}, {"rates": "speed=1"}, "neither an axis"),
        ({"x": 8}, {"device_memory": 1000}, "at most 1000 bytes"),
    ]
    for mesh, options, says in cases:
        with pytest.raises(ValueError, match=says):
            tensor_layout.plan(lowered, mesh, **options)


def test_dumps_are_read_from_programs():
    lowered = jax.jit(lambda x: x @ x.T).lower(jnp.ones((8, 16)))
    compiled = lowered.compile()
    entry = [record.opcode for record in read_hlo(lowered) if record.is_entry]
    assert entry[0] == "parameter" and "dot" in entry
    names = [record.name for record in read_hlo(compiled)]
    assert names and names == [record.name for record in read_hlo(compiled.as_text())]
    with pytest.raises(LayoutError, match="StableHLO"):
        read_hlo(lowered.as_text())


def test_an_unconstrained_dimension_is_left_to_the_compiler():
    spec = PartitionSpec(PartitionSpec.UNCONSTRAINED, "x")
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    for sharding in [Sharding(spec, mesh=mesh), Sharding(NamedSharding(mesh, spec)), Sharding(str(spec).replace("PartitionSpec", "P"), mesh="x=2,y=4")]:
        assert sharding.shard_shape((4, 4)) == (4, 2)
