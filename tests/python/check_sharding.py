"""Shardings against XLA's own HloSharding, and against the shards that its partitioner makes.

Writes XLA's answers for random shardings, one line each, for comparison by `cargo test`:

    text | extents | XLA's text | FNV-1a of what the devices hold

The hash covers the devices in numerical order, separated by ";"; each has `start x limit` per dimension,
separated by ",". If XLA does not report places, the last field is empty.

Usage: check_sharding.py [number of cases] [file]. Without a file the lines go to a temporary one,
and the test `sharding::` is run on it. The file in tests/data was written with 3000 cases.
"""

import itertools
import os
import random
import subprocess
import sys
import tempfile

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


try:
    from jaxlib import _hlo as h
except ImportError:
    print("skipped: this jaxlib does not have XLA's readers in `_hlo`")
    raise SystemExit(0) from None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def factors(random_, most, parts):
    """Sizes whose product is at most `most`."""
    sizes, left = [], most
    for _ in range(parts):
        size = random_.choice([f for f in (1, 1, 2, 2, 3, 4, 5, 6, 7, 8) if f <= left])
        sizes.append(size)
        left //= size
    random_.shuffle(sizes)
    return sizes


def split(random_, number):
    """A shape of `number` elements."""
    shape = []
    while number > 1:
        divisors = [d for d in range(2, number + 1) if number % d == 0]
        size = random_.choice(divisors)
        shape.append(size)
        number //= size
    return shape or [1]


def tiled(r):
    rank = r.randint(1, 5)
    dims = factors(r, 48, rank)
    last = ""
    kind = r.random()
    if kind < 0.3:
        dims.append(r.choice([1, 2, 3, 4]))
        last = " last_tile_dim_replicate"
    elif kind < 0.45:
        kinds = [r.choice(["manual", "replicated", "unreduced"]) for _ in range(r.randint(1, 3))]
        dims += [r.choice([1, 2, 3]) for _ in kinds]
        last = " last_tile_dims={" + ", ".join(kinds) + "}"
    number = 1
    for size in dims:
        number *= size
    text = "[" + ",".join(map(str, dims)) + "]"
    if r.random() < 0.2 and number > 1:
        devices = list(range(number))
        if r.random() < 0.7:
            r.shuffle(devices)
        return rank, "{devices=" + text + ",".join(map(str, devices)) + last + "}"
    shape = split(r, number)
    if len(shape) == 1:
        return rank, "{devices=" + text + f"<=[{number}]" + last + "}"
    order = list(range(len(shape)))
    r.shuffle(order)
    iota = "[" + ",".join(map(str, shape)) + "]T(" + ",".join(map(str, order)) + ")"
    return rank, "{devices=" + text + "<=" + iota + last + "}"


def named(r):
    """A mesh, some of its axes cut in two parts, spread over dimensions and lists."""
    sizes = [r.choice([1, 2, 3, 4, 6, 8]) for _ in range(r.randint(1, 4))]
    names = r.sample(["x", "y", "z", "data", "fsdp_transpose", "axis_0"], len(sizes))
    parts = []
    for at, (name, size) in enumerate(zip(names, sizes)):
        inner = [d for d in range(2, size) if size % d == 0]
        if inner and r.random() < 0.4:
            pre = r.choice(inner)
            parts += [(at, 1, f"'{name}':(1){pre}"), (at, pre, f"'{name}':({pre}){size // pre}")]
        else:
            parts.append((at, 1, f"'{name}'"))
    rank = r.randint(0, 4)
    places = [[] for _ in range(rank + 3)]
    r.shuffle(parts)
    for part in parts:
        place = r.randint(0, rank + 3)
        if place < rank:
            # Two parts of one axis must not be adjacent in their original order.
            before = places[place][-1:]
            if before and before[0][0] == part[0] and before[0][1] < part[1]:
                continue
        if place < rank or place < rank + 3 and r.random() < 0.3:
            places[place].append(part)
    for at in range(rank, rank + 3):
        places[at].sort()
        for first, second in zip(places[at], places[at][1:]):
            if first[0] == second[0]:
                places[at].remove(second)
                break
    mesh = "mesh[" + ",".join(f"'{n}'={s}" for n, s in zip(names, sizes)) + "]"
    number = 1
    for size in sizes:
        number *= size
    if number > 2 and r.random() < 0.3:
        devices = list(range(number))
        while devices == list(range(number)):
            r.shuffle(devices)
        mesh += ", device_ids=(" + ",".join(map(str, devices)) + ")"
    dims = ["{" + ", ".join([p[2] for p in place] + (["?"] if r.random() < 0.1 else [])) + "}" for place in places[:rank]]
    text = "{" + mesh + ", [" + ", ".join(dims) + "]"
    for word, place in zip(("replicated", "unreduced", "manual"), places[rank:]):
        if place:
            text += f", {word}={{" + ", ".join(p[2] for p in place) + "}"
    return rank, text + "}"


def said(text, extents):
    """XLA's answer: its V2 text, and the part of every device."""
    s = h.HloSharding.from_string(text).v3_to_v2_sharding()
    printed = str(s)
    if not printed.startswith("{devices"):
        return printed, ""
    if any("MANUAL" in str(t) or "UNREDUCED" in str(t) for t in s.subgroup_types()):
        return printed, ""
    rank = len(extents)
    dims = list(s.tile_assignment_dimensions())
    devices = list(s.tile_assignment_devices())
    shape = h.Shape("f32[" + ",".join(map(str, extents)) + "]")
    size = list(s.tile(shape).dimensions())
    parts = {}
    for position, device in enumerate(devices):
        tile, rest = [], position
        for dim in reversed(dims):
            tile.append(rest % dim)
            rest //= dim
        tile = tile[::-1][:rank]
        ranges = []
        for t, c, d in zip(tile, size, extents):
            ranges.append(f"{min(t * c, d)}x{min((t + 1) * c, d)}")
        parts[device] = ",".join(ranges)
    return printed, ";".join(parts[d] for d in sorted(parts))


def fnv(text):
    """FNV-1a of 64 bits."""
    state = 0xCBF29CE484222325
    for byte in text.encode():
        state = (state ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{state:016x}" if text else ""


def cases(count):
    r = random.Random(16)
    for _ in range(count):
        rank, text = tiled(r) if r.random() < 0.6 else named(r)
        extents = [r.choice([1, 2, 3, 5, 7, 8, 10, 12, 13, 16, 31]) for _ in range(rank)]
        printed, parts = said(text, extents)
        yield "|".join([text, ",".join(map(str, extents)), printed, fnv(parts)])


def executions(r):
    """Shards that XLA's partitioner makes on eight CPU devices of a tensor of element numbers.

    Endless: text of the sharding, the tensor, the shards by device, and the ranges that XLA's
    HloSharding says they hold.
    """
    import jax
    import numpy as np
    from jax._src.lib import xla_client as xc
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    backend = jax.devices()[0].client
    while True:
        rank, text = tiled(r)
        extents = [r.choice([2, 3, 5, 7, 8, 10]) for _ in range(rank)]
        printed, parts = said(text, extents)
        if len(parts.split(";")) != 8:
            continue
        dims = "x".join(map(str, extents))
        number = int(np.prod(extents))
        module = f"""module @m attributes {{mhlo.num_partitions = 8 : i32, mhlo.num_replicas = 1 : i32}} {{
          func.func public @main() -> (tensor<{dims}xi32> {{mhlo.sharding = "{text}"}}) {{
            %0 = stablehlo.iota dim = 0 : tensor<{number}xi32>
            %1 = stablehlo.reshape %0 : (tensor<{number}xi32>) -> tensor<{dims}xi32>
            return %1 : tensor<{dims}xi32>
          }} }}"""
        with mlir.make_ir_context():
            code = mlir.module_to_bytecode(ir.Module.parse(module))
        options = xc.CompileOptions()
        options.num_partitions = 8
        options.num_replicas = 1
        build = options.executable_build_options
        build.num_partitions = 8
        build.num_replicas = 1
        build.use_spmd_partitioning = True
        build.use_shardy_partitioner = False
        build.device_assignment = xc.DeviceAssignment.create(np.arange(8).reshape(1, 8))
        devices = xc.DeviceList(tuple(jax.devices()))
        program = backend.compile_and_load(code, devices, options)
        shards = program.execute_sharded([]).disassemble_into_single_device_arrays()[0]
        ranges = [[tuple(map(int, p.split("x"))) for p in part.split(",")] for part in parts.split(";")]
        yield text, np.arange(number, dtype=np.int32).reshape(extents), [np.asarray(s) for s in shards], ranges


def executed():
    """The shards that XLA's partitioner makes on eight CPU devices hold what its HloSharding says."""
    for text, whole, shards, ranges in itertools.islice(executions(random.Random(8)), 300):
        for shard, part in zip(shards, ranges):
            wanted = whole[tuple(slice(a, b) for a, b in part)]
            found = shard[tuple(slice(0, b - a) for a, b in part)]
            assert (wanted == found).all() and wanted.shape == found.shape, (text, part, found)
    print("300 shardings executed on eight devices hold what HloSharding says")


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w") as out:
            out.writelines(line + "\n" for line in cases(count))
        return
    executed()
    with tempfile.NamedTemporaryFile("w", suffix=".txt", delete=False) as out:
        out.writelines(line + "\n" for line in cases(count))
    environment = dict(os.environ, TENSOR_LAYOUT_XLA_SHARDINGS=out.name)
    test = ["cargo", "test", "--test", "all", "--", "sharding::"]
    subprocess.run(test, cwd=ROOT, env=environment, check=True)
    os.unlink(out.name)
    print(f"{count} random shardings are as XLA says")


if __name__ == "__main__":
    main()
