"""What JAX puts on its devices against `explain` and `pack`, and its compiled programs against the
stream of instructions.

Eight virtual CPU devices. For every sharding: the bytes of each of `addressable_shards`, and the
files that `tensor-layout pack` writes for each device, element by element.
"""

import json
import os
import random
import subprocess
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
TOOL = os.path.join(TARGET, "debug", "tensor-layout")


def tool(*arguments):
    return subprocess.run([TOOL, *arguments], check=True, capture_output=True, text=True).stdout


def spec(r, rank, names):
    names = list(names)
    r.shuffle(names)
    dims = [[] for _ in range(rank)]
    for name in names:
        if r.random() < 0.7:
            r.choice(dims).append(name)
    return PartitionSpec(*[tuple(dim) if dim else None for dim in dims])


def shards(r):
    sizes, names = r.choice([((2, 4), "xy"), ((8,), "x"), ((2, 2, 2), "xyz"), ((4, 2), "xy")])
    devices = jax.devices()
    mesh = Mesh(np.array(devices).reshape(sizes), tuple(names))
    rank = r.randint(1, 3)
    shape = [r.choice([8, 16, 24]) for _ in range(rank)]
    sharding = NamedSharding(mesh, spec(r, rank, names))
    array = jax.device_put(np.arange(np.prod(shape), dtype=np.int32).reshape(shape), sharding)
    text = f"s32[{','.join(map(str, shape))}], sharding={sharding._to_xla_hlo_sharding(rank)}"
    by_axes = f"s32[{','.join(map(str, shape))}], sharding={sharding!r}"
    said = json.loads(tool("explain", "--json", by_axes))
    again = json.loads(tool("explain", "--json", text))
    assert said["device_bytes"] == again["device_bytes"], text
    with tempfile.TemporaryDirectory() as folder:
        whole = os.path.join(folder, "whole.npy")
        np.save(whole, np.asarray(array))
        tool("pack", whole, text, "--machine", "Device=8", "-o", folder + "/out/")
        for shard in array.addressable_shards:
            number = devices.index(shard.device)
            data = np.asarray(shard.data)
            assert said["device_bytes"] == data.nbytes, (text, said, data.nbytes)
            found = np.load(os.path.join(folder, "out", f"Device={number}.npy"))
            assert np.array_equal(found.reshape(data.shape), data), (text, number)


def program():
    mesh = Mesh(np.array(jax.devices()).reshape(2, 4), ("x", "y"))
    at = lambda *axes: NamedSharding(mesh, PartitionSpec(*axes))

    def step(x, w, v):
        h = jax.nn.relu(x @ w)
        y = jax.lax.with_sharding_constraint(h @ v, at("y", "x"))
        return y.sum(), y

    arrays = jnp.ones((16, 32)), jnp.ones((32, 64)), jnp.ones((64, 32))
    where = at("x", None), at(None, "y"), at("y", None)
    text = jax.jit(step, in_shardings=where).lower(*arrays).compile().as_text()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as dump:
        dump.write(text)
        dump.flush()
        said = tool("hlo", dump.name, "--strict", "--collectives", "HOST=2,CHIP=4")
    wanted = sum(
        line.count(f" {op}(") + line.count(f" {op}-start(")
        for line in text.splitlines()
        for op in ("all-gather", "all-reduce", "reduce-scatter", "all-to-all", "collective-permute")
    )
    assert wanted > 0 and f"{wanted} collectives" in said, (wanted, said)


def main():
    subprocess.run(["cargo", "build"], cwd=ROOT, check=True)
    r = random.Random(4)
    for _ in range(40):
        shards(r)
    program()
    print("40 arrays lie on their devices as said; a compiled program is read without an unread line")


if __name__ == "__main__":
    main()
