"""Shardings of `plan --mesh` against what XLA compiles of them, on eight virtual CPU devices.

Programs without annotations, as JAX prints them: training steps of an MLP, of attention with grouped heads, of a transformer
block with its optimizer, of a mixture of experts, of a convolution net, and the gradient of four blocks in a `scan`. For each
of them and the mesh 4 x 2, with `EVERY_MESH` in the environment also 8 and 2 x 2 x 2: the plan is written into the program and
compiled; the collectives of the compiled text have the bytes that the plan says, within 5 percent; the outputs are those of the
program on one device; and with rates at which products decide, devices send at most the bytes of the usual shardings by hand (data parallel, Megatron, FSDP), compiled too.

`--exhaustive` compiles two small programs with every sharding of their arguments, and compares the best of them with the plan by
the operations and bytes of what was compiled.

`--write` records the programs, and the bytes that XLA compiled, for the tests in Rust.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=8"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import jax.numpy as jnp
import numpy as np
from jax._src import xla_bridge
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jax.sharding import NamedSharding, PartitionSpec as P
from jaxlib.mlir import ir

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
TOOL = TARGET / "debug" / "tensor-layout"
DATA = ROOT / "crates" / "plan" / "tests" / "data" / "stablehlo"
MESHES = ("x=8", "x=4,y=2", "x=2,y=2,z=2")
#: Products decide, then bytes between devices.
RATES = "operations=2e13,memory=1e18,links=1e11,latency=1"
F32 = jnp.float32


def struct(*shape, dtype=F32):
    return jax.ShapeDtypeStruct(shape, dtype)


def mlp(params, x, y):
    def loss(params):
        hidden = jax.nn.relu(x @ params[0])
        return jnp.mean((hidden @ params[1] - y) ** 2)

    value, grads = jax.value_and_grad(loss)(params)
    return value, [p - 0.1 * g for p, g in zip(params, grads, strict=True)]


def norm(x, scale):
    return x * jax.lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * scale


def attend(p, x, heads=8, groups=4):
    rows, length, _ = x.shape
    split = lambda of, count: of.reshape(rows, length, count, -1)
    q, k, v = split(x @ p["q"], heads), split(x @ p["k"], groups), split(x @ p["v"], groups)
    q = q.reshape(rows, length, groups, heads // groups, -1)
    scores = jnp.einsum("bskgd,btkd->bkgst", q, k) / 8.0
    scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -1e9)
    mixed = jnp.einsum("bkgst,btkd->bskgd", jax.nn.softmax(scores, -1), v)
    return mixed.reshape(rows, length, -1) @ p["o"]


def block(p, x):
    x = x + attend(p, norm(x, p["n1"]))
    h = norm(x, p["n2"])
    return x + (jax.nn.silu(h @ p["g"]) * (h @ p["u"])) @ p["d"]


def attention(p, x, y):
    grads = jax.grad(lambda p: jnp.mean((attend(p, x) - y) ** 2))(p)
    return jax.tree.map(lambda p, g: p - 0.1 * g, p, grads)


def step(p, m, v, x, y):
    value, grads = jax.value_and_grad(lambda p: jnp.mean((block(p, x) - y) ** 2))(p)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
    v = jax.tree.map(lambda v, g: 0.99 * v + 0.01 * g * g, v, grads)
    p = jax.tree.map(lambda p, m, v: p - 1e-3 * m / (jnp.sqrt(jnp.abs(v)) + 1e-3), p, m, v)
    return value, p, m, v


def experts(p, x, y):
    def loss(p):
        weights, chosen = jax.lax.top_k(jax.nn.softmax(x @ p["r"], -1), 2)
        mix = jnp.sum(jax.nn.one_hot(chosen, 8) * weights[..., None], 1)
        hidden = jax.nn.gelu(jnp.einsum("bd,edf->ebf", x, p["a"]))
        out = jnp.einsum("ebf,efd->ebd", hidden, p["b"])
        return jnp.mean((jnp.einsum("ebd,be->bd", out, mix) - y) ** 2)

    return jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(loss)(p))


def convolutions(p, x, y):
    def loss(p):
        h, names = x, ("NHWC", "HWIO", "NHWC")
        for at, w in enumerate(p[:-1]):
            h = jax.lax.conv_general_dilated(h, w, (1 + at % 2,) * 2, "SAME", dimension_numbers=names)
            h = jax.nn.relu(h)
        h = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
        logits = jnp.mean(h, (1, 2)) @ p[-1]
        return -jnp.mean(jnp.sum(jax.nn.log_softmax(logits) * jax.nn.one_hot(y, 16), -1))

    return jax.tree.map(lambda p, g: p - 0.1 * g, p, jax.grad(loss)(p))


def scan(p, tokens):
    x, _ = jax.lax.scan(lambda x, w: (block(w, x), None), p["e"][tokens], p["l"])
    logits = x @ p["e"].T
    right = jnp.take_along_axis(logits, tokens[..., None], -1)[..., 0]
    return jnp.mean(jax.nn.logsumexp(logits, -1) - right)


HEADS = {"q": struct(512, 512), "k": struct(512, 256), "v": struct(512, 256), "o": struct(512, 512)}
BLOCK = {**HEADS, "n1": struct(512), "n2": struct(512), "g": struct(512, 2048), "u": struct(512, 2048), "d": struct(2048, 512)}
LAYERS = jax.tree.map(lambda of: struct(4, *of.shape), BLOCK)
X = struct(8, 128, 512)
EXPERTS = {"r": struct(256, 8), "a": struct(8, 256, 512), "b": struct(8, 512, 256)}
KERNELS = [struct(3, 3, 8, 32), struct(3, 3, 32, 64), struct(3, 3, 64, 64), struct(64, 16)]
TOKENS = struct(8, 128, dtype=jnp.int32)

#: Name: the function, its arguments, and those that it takes over.
PROGRAMS = {
    "mlp": (mlp, ([struct(256, 1024), struct(1024, 256)], struct(512, 256), struct(512, 256)), (0,)),
    "attention": (attention, (HEADS, X, X), (0,)),
    "block": (step, (BLOCK, BLOCK, BLOCK, X, X), (0, 1, 2)),
    "moe": (experts, (EXPERTS, struct(1024, 256), struct(1024, 256)), (0,)),
    "conv": (convolutions, (KERNELS, struct(32, 32, 32, 8), struct(32, dtype=jnp.int32)), (0,)),
    "scan": (jax.grad(scan), ({"e": struct(1024, 512), "l": LAYERS}, TOKENS), ()),
}

#: The dimensions that Megatron cuts.
COLUMNS = {"q": 1, "k": 1, "v": 1, "o": 0, "g": 1, "u": 1, "d": 0, "a": 0, "b": 0, 0: 1, 1: 0}


def by_hand(name, arguments, axes):
    """The specs that people write: data parallel, Megatron, FSDP."""
    whole = tuple(axes.split(","))
    axes = tuple(axis.split("=")[0] for axis in whole)
    count = PROGRAMS[name][2]
    parameters = [at in count for at in range(len(arguments))]

    def leaf(kind, path, of):
        key = getattr(path[-1], "key", getattr(path[-1], "idx", None)) if path else None
        if kind == "megatron" and key in COLUMNS and of.ndim > COLUMNS[key]:
            cut = COLUMNS[key]
        elif kind == "fsdp" and of.ndim > 0:
            cut = next((at for at, extent in enumerate(of.shape) if extent % 8 == 0), None)
        else:
            cut = None
        return P(*([None] * cut + [axes])) if cut is not None else P()

    def batch(of):
        return P(axes) if of.ndim > 0 else P()

    for kind in ("data parallel", "megatron", "fsdp"):
        specs = []
        for is_parameter, argument in zip(parameters, arguments, strict=True):
            if is_parameter:
                specs.append(jax.tree_util.tree_map_with_path(lambda path, of, kind=kind: leaf(kind, path, of), argument))
            else:
                specs.append(jax.tree.map(lambda of: P() if kind == "megatron" else batch(of), argument))
        yield kind, tuple(specs)


def tool(*arguments, text=None):
    run = subprocess.run([TOOL, *arguments], input=text, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout


def sent(hlo):
    """The bytes that a device sends, by the kind of the collective."""
    sums = {}
    for of in json.loads(tool("hlo", "-", "--collectives", "D=8", "--json", text=hlo))["collectives"]:
        sums[of["opcode"]] = sums.get(of["opcode"], 0) + of["sent_bytes"] * of["runs"]
    return sums


def compiled(text):
    """A program with its shardings, compiled for eight devices."""
    options = xla_client.CompileOptions()
    options.num_partitions = 8
    build = options.executable_build_options
    build.use_spmd_partitioning = build.use_shardy_partitioner = True
    build.num_partitions = 8
    build.device_assignment = xla_client.DeviceAssignment.create(np.arange(8).reshape(1, 8))
    backend = xla_bridge.get_backend("cpu")
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        return backend.compile_and_load(module, xla_client.DeviceList(tuple(backend.devices())), options)


def planned(text, axes, *options):
    with tempfile.TemporaryDirectory() as folder:
        module = Path(folder) / "sharded.mlir"
        arguments = ("plan", "-", "--mesh", axes, "--backend", "cpu", "--json", "--module", str(module))
        report = json.loads(tool(*arguments, *options, text=text))
        return report, module.read_text()


def arrays(arguments, seed=0):
    random = np.random.default_rng(seed)

    def array(of):
        if of.dtype == jnp.int32:
            return random.integers(0, 16, of.shape, np.int32)
        return (random.standard_normal(of.shape) * 0.05).astype(of.dtype)

    return jax.tree.map(array, arguments)


def run(executable, report, mesh, values):
    """The outputs of a compiled plan."""
    specs = [P(*(tuple(axes) or None for axes in of["axes"])) for of in report["arguments"]]
    placed = [jax.device_put(of, NamedSharding(mesh, spec)) for of, spec in zip(values, specs, strict=True)]
    outputs = executable.execute_sharded(placed).disassemble_into_single_device_arrays()
    whole = []
    for shards, of in zip(outputs, report["results"], strict=True):
        spec = P(*(tuple(axes) or None for axes in of["axes"]))
        sharding = NamedSharding(mesh, spec)
        shape = tuple(int(extent) for extent in of["tensor"][7:-1].split("x")[:-1])
        whole.append(np.asarray(jax.make_array_from_single_device_arrays(shape, sharding, shards)))
    return whole


def meshes(name):
    """Two axes or, with `EVERY_MESH`, one and three as well; three take a minute where a loop has all layers."""
    if "EVERY_MESH" in os.environ or "--write" in sys.argv:
        return MESHES if name != "scan" else MESHES[:2]
    return MESHES[1:2]


def check(name, recorded, failures):
    function, arguments, donated = PROGRAMS[name]
    text = jax.jit(function, donate_argnums=donated).lower(*arguments).as_text()
    values = arrays(arguments)
    expected = jax.tree.leaves(jax.jit(function)(*values))
    recorded[name] = {}
    for axes in meshes(name):
        sizes = [int(of.split("=")[1]) for of in axes.split(",")]
        mesh = jax.make_mesh(sizes, tuple(of.split("=")[0] for of in axes.split(",")))
        report, module = planned(text, axes)
        executable = compiled(module)
        found = sent(executable.hlo_modules()[0].to_string())
        recorded[name][axes] = found
        predicted, actual = sum(of for _, of in report["sent"]), sum(found.values())
        if abs(predicted - actual) > 0.05 * max(predicted, actual) + 64:
            failures.append(f"{name} on {axes}: {predicted} bytes planned, {actual} compiled: {found}")
        outputs = run(executable, report, mesh, jax.tree.leaves(values))
        for output, right in zip(outputs, expected, strict=True):
            np.testing.assert_allclose(output, right, rtol=2e-4, atol=2e-5)
        stats = executable.get_compiled_memory_stats()
        peak = stats.argument_size_in_bytes + stats.output_size_in_bytes - stats.alias_size_in_bytes + stats.temp_size_in_bytes
        line = f"{name} on {axes}: planned {predicted}, compiled {actual}; memory {report['peak']}, compiled {peak}"
        # With products first, against people.
        report, module = planned(text, axes, "--rates", RATES)
        ours = sum(sent(compiled(module).hlo_modules()[0].to_string()).values())
        for kind, specs in by_hand(name, arguments, axes) if donated else ():
            shardings = jax.tree.map(lambda spec: NamedSharding(mesh, spec), specs, is_leaf=lambda of: isinstance(of, P))
            results = jax.eval_shape(function, *arguments)
            out = outs(name, shardings, results, mesh)
            try:
                hand = jax.jit(function, donate_argnums=donated, in_shardings=shardings, out_shardings=out)
                theirs = sum(sent(hand.lower(*arguments).compile().as_text()).values())
            except ValueError as error:
                line += f"; {kind}: {str(error).splitlines()[0][:60]}"
                continue
            line += f"; {kind} {theirs}"
            if ours > theirs * 1.001 + 64:
                failures.append(f"{name} on {axes}: {ours} bytes, {kind} has {theirs}")
        print(f"{line}; with products first {ours}")


def outs(name, shardings, results, mesh):
    """Parameters stay where they are; other results are whole."""
    whole = NamedSharding(mesh, P())
    if name == "mlp":
        return (whole, shardings[0])
    if name == "block":
        return (whole, *shardings[:3])
    del results
    return shardings[0]


def two_products(x, up, down):
    return jax.nn.relu(x @ up) @ down


def three_ways(x, q, k):
    return jnp.mean(jax.nn.softmax((x @ q) @ (x @ k).T, -1), 0)


def exhaustive(failures):
    """Every sharding of the arguments, the result whole on every device."""
    axes, mesh = "x=4,y=2", jax.make_mesh((4, 2), ("x", "y"))
    pairs = [P(*(tuple(dims) or None for dims in spec)) for spec in cuts()]
    for function, arguments in (
        (two_products, (struct(256, 512), struct(512, 1024), struct(1024, 64))),
        (three_ways, (struct(512, 256), struct(256, 128), struct(256, 128))),
    ):
        lowered = jax.jit(function).lower(*arguments)
        _, module = planned(lowered.as_text(), axes, "--rates", RATES)
        ours = score(compiled(module))
        best, count = float("inf"), 0
        for specs in itertools.product(pairs, repeat=len(arguments)):
            shardings = tuple(NamedSharding(mesh, spec) for spec in specs)
            # The plan leaves the result where it is made, and so may everybody.
            run = jax.jit(function, in_shardings=shardings).lower(*arguments).compile()
            best, count = min(best, score(run.runtime_executable())), count + 1
        print(f"{function.__name__}: {count} compiled, the best takes {best:.3f} us, the plan {ours:.3f}")
        if ours > best * 1.02:
            failures.append(f"{function.__name__}: {ours} after {best}")


def cuts():
    """Each of two axes cuts a dimension, or none."""
    for x, y in itertools.product(range(3), repeat=2):
        spec = [[], [], []]
        spec[x].append("x")
        spec[y].append("y")
        yield spec[:2]


def score(executable):
    """Microseconds by the rates."""
    module = executable.hlo_modules()[0]
    products = sum(float(of) for of in [executable.cost_analysis()["flops"]]) / 2e13
    return 1e6 * (products + sum(sent(module.to_string()).values()) / 1e11)


def main():
    if not hasattr(xla_bridge.get_backend("cpu"), "compile_and_load") or not hasattr(xla_client, "DeviceList"):
        print("skipped: this jaxlib compiles in another way")
        return
    recorded, failures = {}, []
    if "--exhaustive" in sys.argv:
        exhaustive(failures)
        raise SystemExit("\n".join(failures) or None)
    for name in PROGRAMS:
        check(name, recorded, failures)
    if "--write" in sys.argv:
        for name, (function, arguments, donated) in PROGRAMS.items():
            text = jax.jit(function, donate_argnums=donated).lower(*arguments).as_text()
            (DATA / f"{name}.mlir").write_text(text)
        (DATA / "compiled.json").write_text(json.dumps(recorded, indent=1) + "\n")
    if failures:
        raise SystemExit("\n".join(failures))
    print(f"{sum(map(len, recorded.values()))} plans are compiled to what they say")


if __name__ == "__main__":
    main()
