"""Compiler dumps against XLA: its parser, its memory analysis and its live ranges.

Generated modules with loops, branches, fusions, asynchronous pairs, tuples, aliases, attributes in
the form of Pallas, strings with brackets, and arbitrary line breaks: every computation, instruction,
operand and result matches XLA's parser. Programs for eight virtual CPU devices: arguments, results
and aliases match `memory_analysis()`, and the peak is the greatest sum over XLA's live ranges.
"""

import glob
import json
import os
import random
import re
import shutil
import subprocess
import tempfile

DUMPS = tempfile.TemporaryDirectory()
os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count=8 --xla_dump_to={DUMPS.name} --xla_dump_hlo_as_text"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P

try:
    from jaxlib import _hlo
except ImportError:
    print("skipped: this jaxlib does not have XLA's readers in `_hlo`")
    raise SystemExit(0) from None

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
TOOL = os.path.join(TARGET, "debug", "tensor-layout")
LISTER = os.path.join(TARGET, "debug", "examples", "xla_instructions")

ATTRIBUTES = [
    'metadata={op_name="jit(f)/a{b" source_file="x}.py" source_line=3}',
    'frontend_attributes={kernel_metadata={\n"xprof_metadata":"{\\"q\\": 1}"\n}}',
    'frontend_attributes={a="x}\\"{",b={"k":"}"},c={}}',
    'sharding={replicated}',
    'backend_config={\n"n":"} ROOT %x = f32[] add("}',
    'metadata={op_type="t", op_name="// /* "}',
]


class Module:
    """Text of a module that XLA's parser accepts."""

    def __init__(self, r):
        self.r, self.count, self.computations = r, 0, []

    def name(self, stem):
        self.count += 1
        return self.r.choice([f"{stem}.{self.count}", f"{stem}-{self.count}_x", f"{stem}{self.count}"])

    def attributes(self, taken):
        """Some attributes, each key once."""
        chosen = {}
        for attribute in self.r.sample(ATTRIBUTES, self.r.choice([0, 0, 0, 1, 2])):
            chosen.setdefault(attribute.split("=")[0], attribute)
        return [each for key, each in chosen.items() if key not in taken]

    def instruction(self, shape, opcode, arguments, *attributes):
        name = self.name(opcode)
        more = self.attributes([each.split("=")[0] for each in attributes])
        extra = "".join(", " + each for each in [*attributes, *more])
        names = ", ".join(f"%{each}" for each in arguments) if isinstance(arguments, list) else arguments
        self.lines.append((name, f"%{name} = {shape} {opcode}({names}){extra}"))
        return name

    def computation(self, kind, depth, is_entry=False):
        """One f32[8] in, one out."""
        outer, self.lines = getattr(self, "lines", []), []
        known = [self.instruction("f32[8]{0}", "parameter", "0")]
        if kind == "sum":
            self.lines = []
            a, b = self.instruction("f32[]", "parameter", "0"), self.instruction("f32[]", "parameter", "1")
            known = [self.instruction("f32[]", "add", [a, b])]
        for _ in range(0 if kind == "sum" else self.r.randint(1, 7)):
            known.append(self.any(known, depth))
        if kind == "predicate":
            constant = self.instruction("f32[8]{0}", "constant", "{1, 2, -inf, nan, 1e-3, 0, 0, 1}")
            bools = self.instruction("pred[8]{0}", "compare", [known[-1], constant], "direction=LT")
            known.append(self.instruction("pred[]", "bitcast", [bools]))
        shape = {"sum": "f32[]", "predicate": "pred[]"}.get(kind, "f32[8]{0}")
        name = self.name(kind)
        root = known[-1] if kind != "any" else self.r.choice(known)
        body = [f"ROOT {line}" if each == root else line for each, line in self.lines]
        parameters = "a: f32[], b: f32[]" if kind == "sum" else "p: f32[8]"
        shape = shape.split("{")[0]
        head = f"%{name} ({parameters}) -> {shape} {{"
        self.computations.append(("ENTRY " if is_entry else "") + "\n  ".join([head, *body]) + "\n}")
        self.lines = outer
        return name

    def any(self, known, depth):
        r, of = self.r, self.r.choice(known)
        array = "f32[8]{0}"
        groups = "replica_groups={{0,1,2,3},{4,5,6,7}}"
        ways = "channel_id=1", groups, "use_global_device_ids=true"
        choice = r.randrange(12 if depth else 8)
        if choice == 0:
            both = self.instruction(f"({array}, /*index=1*/{array})", "tuple", [of, r.choice(known)])
            return self.instruction(array, "get-tuple-element", [both], "index=1")
        if choice == 1:
            start = self.instruction(f"({array}, {array}, u32[])", "copy-start", [of])
            return self.instruction(array, "copy-done", [start])
        if choice == 2:
            start = self.instruction(f"({array}, f32[32]{{0}})", "all-gather-start", [of], *ways, "dimensions={0}")
            whole = self.instruction("f32[32]{0}", "all-gather-done", [start])
            return self.instruction(array, "slice", [whole], "slice={[0:8]}")
        if choice == 3:
            return self.instruction(array, "all-reduce", [of], *ways, f"to_apply=%{self.computation('sum', 0)}")
        if choice == 4:
            pairs = "source_target_pairs={{0,1},{1,0}}"
            return self.instruction(array, "collective-permute", [of], "channel_id=2", pairs)
        if choice == 5:
            target = 'custom_call_target="tpu_custom_call"'
            alias = r.choice([(), ("output_to_operand_aliasing={{}: (0, {})}",)])
            return self.instruction(array, "custom-call", [of], target, *alias)
        if choice == 6:
            return self.instruction(array, "constant", "{1, 2, 3, 4, 5, 6, 7, 8}")
        if choice == 7:
            return self.instruction(array, "add", [of, r.choice(known)])
        callee = self.computation("any", depth - 1)
        if choice == 8:
            return self.instruction(array, "fusion", [of], "kind=kLoop", f"calls=%{callee}")
        if choice == 9:
            condition = self.computation("predicate", depth - 1)
            trips = 'backend_config={"known_trip_count":{"n":"5"}}'
            return self.instruction(array, "while", [of], f"condition=%{condition}", f"body=%{callee}")
        if choice == 10:
            index = self.instruction("s32[]", "constant", "0")
            other = self.computation("any", depth - 1)
            branches = f"branch_computations={{%{callee}, %{other}}}"
            return self.instruction(array, "conditional", [index, of, r.choice(known)], branches)
        start = self.instruction(f"(({array}), {array}, u32[])", "async-start", [of], f"calls=%{callee}")
        return self.instruction(array, "async-done", [start])

    def text(self):
        self.computation("any", 2, is_entry=True)
        head = "HloModule m, is_scheduled=true, num_partitions=8"
        if self.r.random() < 0.5:
            head += ", input_output_alias={ {}: (0, {}, may-alias) }"
        return head + "\n\n" + "\n\n".join(self.computations) + "\n"


def broken(r, text):
    """Replaces blanks outside strings by line ends, comments and more blanks."""
    parts = re.split(r'("(?:[^"\\]|\\.)*")', text)
    gap = lambda match: r.choice([" ", " ", " ", "\n", "\r\n  ", " /* } */ ", "\t"]) if match else " "
    return "".join(part if at % 2 else re.sub(" ", gap, part) for at, part in enumerate(parts))


def parsed_by_xla(text):
    """Computation, name, opcode, operands and shape of every instruction, and whether it is the root."""
    found = set()
    module = _hlo.hlo_module_from_text(text)
    printed = module.to_string()
    roots = set(re.findall(r"^ *ROOT %(\S+) = ", printed, re.M))
    for computation in module.computations():
        # The computation of an asynchronous start is printed as part of it, without its root.
        is_printed = f"%{computation.name} (" in printed
        for of in computation.instructions():
            operands = " ".join(each.name for each in of.operands())
            shape = re.match(r"%\S+ = (\(.*?\)|\S+) [a-z0-9-]+\(", of.to_string()).group(1)
            opcode = re.sub("[A-Z]", lambda each: "-" + each.group().lower(), of.opcode.name[1:])[1:]
            is_root = of.name in roots if is_printed else None
            found.add((computation.name, of.name, opcode, operands, is_root, shape))
    return found


def compare(texts):
    with tempfile.TemporaryDirectory() as folder:
        files = []
        for number, text in enumerate(texts):
            files.append(os.path.join(folder, f"{number}.txt"))
            with open(files[-1], "w", newline="") as out:
                out.write(text)
        lines = subprocess.run([LISTER, *files], check=True, capture_output=True, text=True).stdout
    ours = lines.split("end\n")[:-1]
    assert len(ours) == len(texts)
    count = 0
    for text, found in zip(texts, ours):
        rows = [line.split("\t") for line in found.splitlines()]
        theirs = {(*row[:5], plain(row[5])) for row in parsed_by_xla(text)}
        rootless = {row[0] for row in theirs if row[4] is None}
        is_root = lambda row: None if row[0] in rootless else row[4] == "true"
        mine = {(*row[:4], is_root(row), plain(row[5])) for row in rows if row[0] != "unread"}
        assert mine == theirs, (text, sorted(mine - theirs)[:3], sorted(theirs - mine)[:3])
        assert all(row[0] != "unread" for row in rows), text
        count += len(mine)
    return count


def plain(shape):
    """Removes comments and blanks; XLA writes the layout of a vector, which may be omitted."""
    return re.sub(r"/\*.*?\*/|\s", "", shape)


def programs():
    devices = np.array(jax.devices())
    mesh = Mesh(devices.reshape(2, 4), ("x", "y"))
    at = lambda *axes: NamedSharding(mesh, P(*axes))
    constrain = jax.lax.with_sharding_constraint
    f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)

    def loop(x, w):
        body = lambda carry, _: (jnp.tanh(carry @ w), carry.sum())
        return jax.lax.scan(body, x, length=5)

    def nest(x, w):
        inner = lambda carry, _: (jnp.sin(carry @ w), None)
        outer = lambda carry, _: (jax.lax.scan(inner, carry, length=3)[0] + 1, carry[0])
        return jax.lax.scan(outer, x, length=4)

    def branch(x, w):
        return jax.lax.cond(x.sum() > 0, lambda x: jnp.sin(x) @ w, lambda x: x + 1.0, x), x * 2

    def until(x, w):
        return jax.lax.while_loop(lambda x: x.sum() < 9, lambda x: jnp.cos(x @ w), x)

    def update(x, w):
        return x.at[3].set(w[0]), w.at[:, 2].add(1.0)

    def step(x, w):
        gradient = jax.grad(lambda w: ((jnp.tanh(x @ w) @ w) ** 2).sum())(w)
        return x, w - 0.1 * gradient

    def gathered(x, w):
        return constrain(x @ constrain(w, at(None, None)), at("x", "y")), w + 1

    def sorted_rows(x, w):
        return jnp.sort(x, axis=1), jnp.argsort(w, axis=0)

    one, two = at("x", "y"), at("y", None)
    square, halves = (f32(64, 64), f32(64, 64)), (f32(32, 128), f32(128, 128))
    for function in [loop, nest, branch, until, update, step, gathered, sorted_rows]:
        for arguments in [square, halves]:
            for donated in [(), (0,), (0, 1)]:
                yield function, arguments, None, donated
                yield function, arguments, (one, two), donated


def kernels():
    """Programs on one device, with the fusions of usual networks: a result may take the place of an operand."""
    f32 = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.float32)
    index = lambda *shape: jax.ShapeDtypeStruct(shape, jnp.int32)
    relu = lambda x: jnp.maximum(x, 0)
    into, outof, square = (f32(512, 64), f32(64, 1024)), (f32(1024, 64),), (f32(256, 256),)

    def residual(x, a, b):
        h = x @ a
        return relu(h) + jnp.tanh(h) * 2, h @ b

    def norm(x, g, b):
        mean = x.mean(-1, keepdims=True)
        return (x - mean) / jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + 1e-5) * g + b

    def adam(p, m, v, g):
        m, v = 0.9 * m + 0.1 * g, 0.99 * v + 0.01 * g * g
        return p - 0.01 * m / (jnp.sqrt(v) + 1e-8), m, v

    def attend(x, q, k, v, o):
        scores = jnp.where(jnp.tril(jnp.ones((256, 256), bool)), (x @ q) @ (x @ k).T / 8, -1e9)
        return x + jax.nn.softmax(scores, -1) @ (x @ v) @ o

    def convolve(x, k, l):
        of = lambda x, k: jax.lax.conv_general_dilated(x, k, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        return of(relu(of(x, k)), l)

    def rows(x, a):
        h = jnp.exp(x @ a)
        return h / h.sum(-1, keepdims=True)

    def both(x, a):
        h = x @ a
        return jnp.sin(h), jnp.cos(h)

    def loop(x, w):
        return jax.lax.scan(lambda c, _: (jnp.tanh(c @ w) + c, c.sum()), x, length=5)

    def branch(x, w):
        return jax.lax.cond(x.sum() > 0, lambda x: jnp.sin(x @ w) + 1, lambda x: x @ w + 1.0, x)

    def until(x, w):
        return jax.lax.while_loop(lambda x: x.sum() < 9, lambda x: relu(x @ w) * 2, x)

    def write(x, a, i):
        return jax.lax.dynamic_update_slice(x @ a, relu(x[:8, :] @ a), (i, 0)) @ a.T

    def gradient(x, a, b):
        return jax.grad(lambda a, b: ((relu(x @ a) @ b) ** 2).sum(), (0, 1))(a, b)

    elementwise = lambda x, y: jnp.sin(jnp.cos(x) + y)
    layers = into + (f32(1024, 1024), f32(1024, 32))
    for function, arguments, donated in [
        (lambda x, a, b: relu(x @ a) @ b, into + outof, ()),
        (lambda x, a, b, c: relu(relu(x @ a) @ b) @ c, layers, ()),
        (residual, square * 3, ()),
        (lambda q, k, v: jax.nn.softmax(q @ k.T, -1) @ v, (f32(512, 64),) * 3, ()),
        (norm, (f32(512, 256), f32(256), f32(256)), ()),
        (lambda x, a, b: jax.nn.gelu(x @ a) @ b, into + outof, ()),
        (lambda x, a, b, c: (jax.nn.silu(x @ a) * (x @ b)) @ c, into + into[1:] + outof, ()),
        (gradient, into + outof, ()),
        (adam, square * 4, ()),
        (adam, square * 4, (0, 1, 2)),
        (loop, square * 2, ()),
        (loop, square * 2, (0,)),
        (until, square * 2, ()),
        (branch, square * 2, ()),
        (lambda x, a: relu(x @ a).T @ x, into, ()),
        (lambda x, a, b: relu((x @ a).astype(jnp.bfloat16)).astype(jnp.float32) @ b, into + outof, ()),
        (write, into + (index(),), ()),
        (lambda x, a: jnp.sort(x @ a, axis=1) @ a.T, into, ()),
        (rows, into, ()),
        (lambda x, a, b: (x @ a + b[None, :]) @ a.T, into + (f32(1024),), ()),
        (both, into, ()),
        (lambda x, a: jnp.where(x @ a > 0, x @ a, 0.1 * (x @ a)) @ a.T, into, ()),
        (convolve, (f32(4, 32, 32, 8), f32(3, 3, 8, 64), f32(3, 3, 64, 8)), ()),
        (lambda x, a: jnp.clip(x @ a, -1, 1) @ a.T, into, ()),
        (lambda x, a: jnp.cumsum(x @ a, axis=0) @ a.T, into, ()),
        (attend, square * 5, ()),
        (lambda x, a, i: (x @ a).at[i].add(1.0) @ a.T, into + (index(16),), ()),
        (elementwise, square * 2, ()),
        (elementwise, square * 2, (0,)),
        (lambda x, a, i: relu((x @ a)[i]) @ a.T, into + (index(300),), ()),
    ]:
        yield function, arguments, None, donated


def memory(function, arguments, where, donated):
    """Arguments, results and aliases match XLA; the peak is what XLA's places hold, and at most what it allocates."""
    for file in glob.glob(os.path.join(DUMPS.name, "*")):
        shutil.rmtree(file) if os.path.isdir(file) else os.remove(file)
    options = {"in_shardings": where} if where else {}
    compiled = jax.jit(function, donate_argnums=donated, **options).lower(*arguments).compile()
    [dump] = glob.glob(os.path.join(DUMPS.name, "*cpu_after_optimizations.txt"))
    said = json.loads(subprocess.run([TOOL, "hlo", dump, "--strict", "--json", "--memory"], check=True,
                                     capture_output=True, text=True).stdout)
    [module] = said["modules"]
    bytes_of, stats = module["interface"]["HBM"], compiled.memory_analysis()
    mine = [bytes_of[key] for key in ("argument_bytes", "output_bytes", "alias_bytes")]
    theirs = [stats.argument_size_in_bytes, stats.output_size_in_bytes, stats.alias_size_in_bytes]
    assert mine == theirs, (function, donated, mine, theirs)
    [peak] = module["peak"]
    found, (wanted, constants) = peak["allocated_bytes"], live_by_xla(dump)
    assert found == wanted, (function, donated, where, found, wanted)
    # `memory_analysis()` does not count constants.
    total = mine[0] + mine[1] - mine[2] + stats.temp_size_in_bytes + constants
    assert found <= total, (function, donated, where, found, total)
    return found == total


VALUE = re.compile(r"^allocation (\d+): |value: <\d+ (\S+)(?: \(phi\))? @\d+> \(size=(\d+),offset=(\d+)\): (.)", re.M)


def live_by_xla(dump):
    """The greatest sum over the places that XLA gave to live values, and the bytes of constants.

    Values that are live together at one place share it: what loops pass on, updates in place,
    donations, and results in the place of an operand that ends there. Tables of tuples are omitted.
    """
    stem = dump.removesuffix(".txt")
    places, allocation = {}, None
    with open(stem + "-buffer-assignment.txt") as file:
        text = file.read()
    for number, name, size, offset, shape in VALUE.findall(text):
        allocation = number or allocation
        if name and shape != "(":
            places[name if name.endswith("}") else name + "{}"] = (allocation, int(offset)), int(size)
    constants = sum(map(int, re.findall(r"^allocation \d+: size (\d+), constant", text, re.M)))
    with open(stem + "-live-range.txt") as file:
        ranges = re.findall(r"^    (\S+\{[\d,]*\}):(\d+)-(\d+)$", file.read(), re.M)
    ranges = [(*places[name], int(start), int(end)) for name, start, end in ranges if name in places]
    greatest = 0
    for time in {start for *_, start, _ in ranges}:
        live = {}
        for place, size, start, end in ranges:
            if start <= time <= end:
                live[place] = max(live.get(place, 0), size)
        greatest = max(greatest, sum(live.values()))
    return greatest, constants


def main():
    # As `cargo test` builds them: for one package alone, with its features, the library would be built once more.
    subprocess.run(["cargo", "build", "--quiet", "--tests", "--examples"], cwd=ROOT, check=True)
    r = random.Random(7)
    texts = []
    while len(texts) < 300:
        text = Module(r).text()
        texts.append(broken(r, text) if r.random() < 0.7 else text)
    print(f"300 modules are read as XLA reads them: {compare(texts)} instructions")
    equal = [memory(*each) for each in [*programs(), *kernels()]]
    print(f"{len(equal)} programs have the arguments, results, aliases and peak of XLA's places; "
          f"{sum(equal)} peaks are all that XLA allocates")


if __name__ == "__main__":
    main()
