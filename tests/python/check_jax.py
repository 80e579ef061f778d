"""Data that JAX puts on its devices against `explain` and `pack`, and its compiled programs against `hlo`.

Eight virtual CPU devices. For every sharding: the bytes of each of `addressable_shards`, and the
files that `tensor-layout pack` writes for each device, element by element. JAX only accepts
even shardings; uneven ones are run by XLA's partitioner, as in check_sharding.py. For every
program: no line is left unread, every collective is counted, and the parameters and results of
the compiled text have the bytes of the shards that go in and come out.
"""

import json
import os
import random
import subprocess
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.sharding_impls import GSPMDSharding
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

try:
    from jaxlib import _hlo
except ImportError:
    print("skipped: this jaxlib does not have XLA's readers in `_hlo`")
    raise SystemExit(0) from None

import check_sharding

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
TOOL = os.path.join(TARGET, "debug", "tensor-layout")
COLLECTIVES = ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")


def tool(*arguments):
    return subprocess.run([TOOL, *arguments], check=True, capture_output=True, text=True).stdout


def packed(whole, text, files, *options):
    """The files that `pack` cuts a tensor into, by the names of their units."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "whole.npy"), os.path.join(folder, "out/")
        np.save(source, whole)
        tool("pack", source, text, *options, "-o", target)
        written = sum(len(names) for _, _, names in os.walk(target))
        assert written == len(files), (text, written)
        return [np.load(os.path.join(target, file)) for file in files]


def device_bytes(text):
    return json.loads(tool("explain", "--json", text))["device_bytes"]


def shape_text(shape, sharding):
    return f"s32[{','.join(map(str, shape))}], sharding={sharding}"


def spec(r, rank, names):
    names = list(names)
    r.shuffle(names)
    dims = [[] for _ in range(rank)]
    for name in names:
        if r.random() < 0.7:
            r.choice(dims).append(name)
    return P(*[tuple(dim) if dim else None for dim in dims])


def on_mesh(r):
    """Axes of a mesh whose devices may be in transposed order; unused axes are copies."""
    sizes, names = r.choice([((2, 4), "xy"), ((8,), "x"), ((2, 2, 2), "xyz"), ((4, 2), "xy")])
    devices = np.array(jax.devices())
    if r.random() < 0.5:
        devices = devices.reshape(r.choice([(2, 4), (4, 2)])).T
    mesh = Mesh(devices.reshape(sizes), tuple(names))
    rank = r.randint(1, 3)
    shape = [r.choice([8, 16, 24]) for _ in range(rank)]
    sharding = NamedSharding(mesh, spec(r, rank, names))
    array = jax.device_put(np.arange(np.prod(shape), dtype=np.int32).reshape(shape), sharding)
    compare(array, str(sharding._to_xla_hlo_sharding(rank)), list(mesh.devices.flat))
    # With the axes of the mesh, the files are named after places in it.
    by_axes = shape_text(shape, repr(sharding))
    at = {device: place for place, device in np.ndenumerate(mesh.devices)}
    places = [at[shard.device] for shard in array.addressable_shards]
    files = ["/".join(f"{n}={i}" for n, i in zip(names, place)) + ".npy" for place in places]
    for shard, found in zip(array.addressable_shards, packed(np.asarray(array), by_axes, files)):
        assert device_bytes(by_axes) == shard.data.nbytes, by_axes
        assert np.array_equal(found, np.asarray(shard.data).ravel()), (by_axes, shard.device)


def on_devices(r):
    """Tiles in transposed order, copies, and parts of axes, which JAX accepts as HLO text."""
    while True:
        rank, text = check_sharding.tiled(r)
        sharding = _hlo.HloSharding.from_string(text)
        dims = str(sharding)
        tiled = dims.startswith("{devices=[") and "last_tile_dims" not in dims
        # An irregular device list is rejected, with that reason.
        if tiled and "<=" in dims and sharding.num_devices() == 8:
            break
    tiles = list(sharding.tile_assignment_dimensions())[:rank]
    shape = [tile * r.choice([1, 2, 3]) for tile in tiles]
    whole = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
    devices = jax.devices()
    r.shuffle(devices)
    compare(jax.device_put(whole, GSPMDSharding(tuple(devices), sharding)), text, devices)


def compare(array, sharding, devices):
    """The shards of a JAX array match the files of `pack`, by the logical number of the device."""
    if sharding == "{replicated}":
        # A replicated sharding does not specify the number of devices.
        return
    text = shape_text(array.shape, sharding)
    shards = array.addressable_shards
    files = [f"Device={devices.index(shard.device)}.npy" for shard in shards]
    for shard, found in zip(shards, packed(np.asarray(array), text, files, "--machine", "Device=8")):
        assert device_bytes(text) == shard.data.nbytes, (text, shard.data.nbytes)
        assert np.array_equal(found, np.asarray(shard.data).ravel()), (text, shard.device)


def uneven(count):
    """Shards that XLA's partitioner makes if tiles are short or empty."""
    cases = ((text, whole, shards, parts) for text, whole, shards, parts in
             check_sharding.executions(random.Random(5)) if "last_tile_dims" not in text)
    while count:
        text, whole, shards, parts = next(cases)
        sizes = {np.prod([b - a for a, b in part]) for part in parts}
        if len(sizes) == 1 or "<=" not in str(_hlo.HloSharding.from_string(text)):
            continue
        sharded = shape_text(whole.shape, text)
        files = [f"Device={number}.npy" for number in range(8)]
        found = packed(whole, sharded, files, "--machine", "Device=8")
        for part, shard, file in zip(parts, shards, found):
            valid = tuple(slice(0, b - a) for a, b in part)
            assert device_bytes(sharded) == shard.nbytes, sharded
            assert np.array_equal(file.reshape(shard.shape)[valid], shard[valid]), (sharded, part)
        count -= 1


def programs():
    """Functions, their arguments and the shardings of the arguments."""
    devices = np.array(jax.devices())
    mesh = Mesh(devices.reshape(2, 4), ("x", "y"))
    turned = Mesh(devices.reshape(4, 2).T, ("x", "y"))
    at = lambda *axes: NamedSharding(mesh, P(*axes))
    turned_at = lambda *axes: NamedSharding(turned, P(*axes))
    constrain = jax.lax.with_sharding_constraint

    def perceptron(x, w, v):
        y = constrain(jax.nn.relu(x @ w) @ v, at("y", "x"))
        return y.sum(), y

    def loop(x, w):
        body = lambda carry, _: (constrain(jnp.tanh(carry @ w), at("x", "y")), carry.sum())
        return jax.lax.scan(body, x, length=3)

    def reshard(x):
        y = constrain(x * 2, turned_at("y", "x"))
        return constrain(y + 1, turned_at(("y", "x"), None))

    def ragged(x):
        y = constrain(jnp.cumsum(x[:10, :7], axis=0), at("x", "y"))
        return constrain(y.T @ y, at(None, None))

    def manual(x):
        def each(part):
            whole = jax.lax.all_gather(part, "y", axis=1, tiled=True)
            pieces = jax.lax.all_to_all(whole, "y", 0, 1, tiled=True)
            pieces = jax.lax.ppermute(pieces, "y", [(i, (i + 1) % 4) for i in range(4)])
            return jax.lax.psum(jax.lax.psum_scatter(pieces, "y", tiled=True), "x")
        return jax.shard_map(each, mesh=mesh, in_specs=P("x", "y"), out_specs=P("y"))(x)

    ones = lambda *shape: jnp.ones(shape)
    yield perceptron, [ones(16, 32), ones(32, 64), ones(64, 32)], [at("x", None), at(None, "y"), at("y", None)]
    yield loop, [ones(16, 32), ones(32, 32)], [at("x", None), at(None, "y")]
    yield reshard, [ones(16, 16)], [turned_at("x", "y")]
    yield ragged, [ones(16, 16)], [at("x", "y")]
    yield manual, [ones(64, 16)], [at("x", "y")]


def program(function, arguments, where):
    placed = [jax.device_put(argument, at) for argument, at in zip(arguments, where)]
    compiled = jax.jit(function, in_shardings=tuple(where)).lower(*placed).compile()
    text = compiled.as_text()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as dump:
        dump.write(text)
        dump.flush()
        said = json.loads(tool("hlo", dump.name, "--strict", "--json"))
        moved = json.loads(tool("hlo", dump.name, "--strict", "--json", "--collectives", "HOST=2,CHIP=4"))
    assert said["unread_lines"] == [] and moved["unread_lines"] == []
    wanted = sum(text.count(f" {name}(") + text.count(f" {name}-start(") for name in COLLECTIVES)
    assert wanted == len(moved["collectives"]) > 0, (function, wanted, moved)
    on_first = lambda array: array.addressable_shards[0].data.nbytes
    given, made = sum(map(on_first, placed)), sum(map(on_first, jax.tree.leaves(compiled(*placed))))
    assert said["entry"]["parameters"]["unpadded_bytes"] == given, (function, said["entry"], given)
    assert said["entry"]["results"]["unpadded_bytes"] == made, (function, said["entry"], made)
    return wanted


def main():
    # As `cargo test` builds the command.
    subprocess.run(["cargo", "build", "--quiet", "--tests"], cwd=ROOT, check=True)
    r = random.Random(4)
    for _ in range(20):
        on_mesh(r)
        on_devices(r)
    uneven(20)
    print("60 arrays lie on their devices as said, 20 of them with short or empty shards")
    counts = [program(*each) for each in programs()]
    print(f"{len(counts)} compiled programs are read without an unread line: {sum(counts)} collectives")


if __name__ == "__main__":
    main()
