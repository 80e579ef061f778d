"""Layouts printed as code, checked with MLIR, isl, a C compiler, rustc and Python itself.

Each layout is printed by `convert --to ..`, evaluated by the other tool at every index and copy,
and compared with the rows of `table`. Needs islpy, jaxlib (for its MLIR) and cc; builds nothing:
the command is taken from TENSOR_LAYOUT or from the target directory.
"""

import itertools
import math
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import islpy
from jaxlib.mlir import ir

ROOT = Path(__file__).resolve().parents[2]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
COMMAND = os.environ.get("TENSOR_LAYOUT", str(TARGET / "debug/tensor-layout"))
MOST_ROWS = 1500
CASES = 200


def run(*arguments):
    """The output of the command, or None if it fails."""
    done = subprocess.run([COMMAND, *arguments], capture_output=True, text=True)
    if done.returncode not in (0, 1):
        assert done.returncode == 2, (arguments, done.stderr)
        return None
    return done.stdout


def listed_table(layout):
    """The lines of `table --padding`; None if it fails, or has more than MOST_ROWS rows."""
    arguments = [COMMAND, "table", layout, "--padding"]
    pipe = subprocess.PIPE
    with subprocess.Popen(arguments, stdout=pipe, stderr=subprocess.DEVNULL, text=True) as table:
        lines = list(itertools.islice(table.stdout, MOST_ROWS + 2))
        if len(lines) > MOST_ROWS + 1:
            table.kill()
            return None
    assert table.returncode in (0, 2), layout
    return [line.rstrip("\n") for line in lines] if table.returncode == 0 else None


def rows(layout):
    """The columns of `table`, and its rows as (place, index); index None for padding."""
    table = listed_table(layout)
    if table is None:
        return None
    header, *lines = table
    names = header.split(",")
    places = [name for name in names if not (name[0] == "i" and name[1:].isdigit())]
    rank = len(names) - len(places)
    # At rank 0, cells do not distinguish padding from the element.
    elements = lines if rank else run("table", layout).splitlines()[1:]
    table = set()
    for line in lines:
        cells = line.split(",")
        place, index = cells[: len(places)], cells[len(places) :]
        is_padding = index[0] == "" if rank else line not in elements
        index = None if is_padding else tuple(map(int, index))
        table.add((tuple(map(int, place)), index))
    return places, rank, table


# Layouts of all notations, small enough to be listed.


def xla(rng):
    rank = rng.randint(0, 4)
    dims = [rng.randint(1, 9) for _ in range(rank)]
    order = rng.sample(range(rank), rank)
    entries = [1, 2, 3, 4, 5, "*"]
    tiles = []
    for _ in range(rng.randint(0, 3)):
        tile = [rng.choice(entries) for _ in range(rng.randint(1, 3))]
        if tile[-1] == "*":
            tile[-1] = 3
        tiles.append("(" + ",".join(map(str, tile)) + ")")
    tiled = ":T" + "".join(tiles) if tiles else ""
    return f"f32[{','.join(map(str, dims))}]{{{','.join(map(str, order))}{tiled}}}"


def pad_layout(rng):
    levels, digits, replicas = ["", "_PE", "_L2B", "_W", "_Core", "_b", "_a"], [], []
    free = dict.fromkeys(levels, 1)
    slots = 1
    for _ in range(rng.randint(0, 5)):
        size, level = rng.randint(1, 5), rng.choice(levels)
        if slots * size > MOST_ROWS:
            continue
        slots *= size
        step = free[level] + rng.choice([0, 0, 1])
        free[level] = step * size
        digits.append(f"{size}{level}:{step}")
        if level and rng.random() < 0.15:
            replicas.append(digits.pop())
    rng.shuffle(digits)
    axes = [[] for _ in range(rng.randint(1, 3))]
    for digit in digits:
        rng.choice(axes).append(digit)
    sizes = [math.prod(int(re.match(r"\d+", digit)[0]) for digit in axis) for axis in axes]
    shape = [max(1, size - rng.randint(0, 2)) for size in sizes]
    body = ", ".join("(" + ", ".join(axis) + ")" for axis in axes)
    copies = f"; B@[{','.join(replicas)}]" if replicas else ""
    return f"({','.join(map(str, shape))})/({body}{copies})"


def cute(rng):
    def tree(depth):
        if depth == 0 or rng.random() < 0.5:
            return rng.randint(1, 5), rng.randint(0, 9)
        parts = [tree(depth - 1) for _ in range(rng.randint(1, 3))]
        return [p[0] for p in parts], [p[1] for p in parts]

    def text(part):
        return "(" + ",".join(map(text, part)) + ")" if isinstance(part, list) else str(part)

    shape, stride = tree(2)
    return f"{text(shape)}:{text(stride)}"


def strided(rng):
    rank = rng.randint(0, 3)
    shape = tuple(rng.randint(1, 6) for _ in range(rank))
    strides = tuple(rng.randint(0, 9) for _ in range(rank))
    return f"shape={shape}, strides={strides}, offset={rng.randint(0, 5)}"


def layouts():
    rng = random.Random(20261121)
    for corpus in ["pad_layouts.txt", "xla_shapes.txt"]:
        for line in (ROOT / "tests/data" / corpus).read_text().splitlines():
            if not line.startswith("#"):
                yield line.split("\t")[0]
    for _ in range(CASES):
        yield rng.choice([xla, xla, pad_layout, pad_layout, cute, strided])(rng)


# The oracles.


AFFINE = [ir.AffineDimExpr, ir.AffineConstantExpr, ir.AffineAddExpr, ir.AffineMulExpr, ir.AffineModExpr, ir.AffineFloorDivExpr]


def of_its_kind(expression):
    """An affine expression by its own class; older bindings give it as the base class."""
    if type(expression) in AFFINE:
        return expression
    return next(kind(expression) for kind in AFFINE if kind.isinstance(expression))


def evaluate(expression, dims):
    """An affine expression of MLIR at a point."""
    expression = of_its_kind(expression)
    if isinstance(expression, ir.AffineDimExpr):
        return dims[expression.position]
    if isinstance(expression, ir.AffineConstantExpr):
        return expression.value
    a, b = evaluate(expression.lhs, dims), evaluate(expression.rhs, dims)
    kinds = [
        (ir.AffineAddExpr, lambda: a + b),
        (ir.AffineMulExpr, lambda: a * b),
        (ir.AffineModExpr, lambda: a % b),
        (ir.AffineFloorDivExpr, lambda: a // b),
    ]
    return next(value() for kind, value in kinds if isinstance(expression, kind))


def check_affine_map(text, places, rank, table):
    comment, text = text.split("\n", 1)
    names, bounds = comment[3:].split(" -> (")[1].split(")", 1)
    assert names.split(", ") == places, comment
    bounds = [int(bound.split("< ")[1]) for bound in bounds.split(", ")[1:]]
    map_ = ir.Attribute.parse(text).value
    assert map_.n_dims == len(bounds)
    found = set()
    for point in itertools.product(*map(range, bounds)):
        found.add((tuple(evaluate(result, point) for result in map_.results), point[:rank]))
    assert found == table


def check_isl(text, padding, places, rank, table, padded):
    relation = islpy.Map(text)
    found = set()

    def note(point):
        at = [point.get_coordinate_val(islpy.dim_type.set, d) for d in range(rank + len(places))]
        at = tuple(value.to_python() for value in at)
        found.add((at[rank:], at[:rank]))

    relation.wrap().flatten().foreach_point(note)
    assert found == table
    held = set()
    islpy.Set(padding).foreach_point(
        lambda point: held.add(
            tuple(
                point.get_coordinate_val(islpy.dim_type.set, d).to_python()
                for d in range(len(places))
            )
        )
    )
    assert held == padded - {place for place, _ in table}
    return relation


def check_python(text, places, rank, table):
    names = {}
    exec(text, names)
    place_of, index_of = names["place_of"], names.get("index_of")
    for place, index in table:
        copies = place_of.__code__.co_argcount - rank
        if not copies:
            assert place_of(*index) == place, (index, place)
        if index_of:
            assert index_of(*place) == index, (index, place)
    return index_of is not None


def c_program(text, number, places, rank, table):
    """A check of one layout as a C function; the other oracles check the copies."""
    text = text.replace("#include <stdint.h>\n", "")
    text = text.replace("place_of(", f"place_of_{number}(").replace("index_of(", f"index_of_{number}(")
    has_inverse = f"index_of_{number}(" in text
    arguments = text.split(f"place_of_{number}(")[1].split(")")[0]
    has_copies = "uint64_t c0" in arguments
    lines = [text, f"static int check_{number}(void) {{"]
    columns = len(places)
    for place, index in sorted(table):
        at, i = [f"at[{k}]" for k in range(columns)], [f"i[{k}]" for k in range(rank)]
        same_place = " || ".join(f"{a} != {v}" for a, v in zip(at, place)) or "0"
        same_index = " || ".join(f"{a} != {v}" for a, v in zip(i, index)) or "0"
        if not has_copies:
            given = [str(v) for v in index] + [f"&{a}" for a in at]
            lines.append(
                f"    {{ uint64_t at[{columns}]; place_of_{number}({', '.join(given)});"
                f" if ({same_place}) return 1; }}"
            )
        if has_inverse:
            given = [str(v) for v in place] + [f"&{a}" for a in i]
            lines.append(
                f"    {{ uint64_t i[{max(rank, 1)}] = {{0}}; index_of_{number}({', '.join(given)});"
                f" (void)i; if ({same_index}) return 2; }}"
            )
    lines += ["    return 0;", "}"]
    return "\n".join(lines)


def check_c(programs, folder):
    source = ["#include <stdint.h>", "#include <stdio.h>", *programs.values(), "int main(void) {"]
    for number in programs:
        source.append(f'    if (check_{number}()) {{ printf("{number}\\n"); return 1; }}')
    source += ["    return 0;", "}"]
    path = Path(folder) / "layouts.c"
    path.write_text("\n".join(source))
    flags = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-O0"]
    subprocess.run(["cc", *flags, "-o", path.with_suffix(""), path], check=True)
    done = subprocess.run([path.with_suffix("")], capture_output=True, text=True)
    assert done.returncode == 0, list(programs)[0] if not done.stdout else done.stdout


def rust_module(text, number, rank, table):
    """The functions of one layout, and their check: every place and every index, without copies."""
    arguments = text.split("place_of(")[1].split(")")[0]
    has_copies, has_inverse = "c0: u64" in arguments, "index_of(" in text
    lines = [f"pub mod layout_{number} {{", text, "pub fn check() {"]
    for place, index in sorted(table):
        place, at = list(place), ", ".join(map(str, place))
        if not has_copies:
            lines.append(f"    assert_eq!(place_of({', '.join(map(str, index))}), {place});")
        if has_inverse:
            expected = list(index) if rank else "[0_u64; 0]"
            lines.append(f"    assert_eq!(index_of({at}), {expected});")
    return "\n".join([*lines, "}", "}"])


def check_rust(modules, folder):
    """The code compiles without warnings, and runs both ways."""
    calls = [f"    layout_{number}::check();" for number in modules]
    source = ["#![deny(warnings)]", *modules.values(), "fn main() {", *calls, "}"]
    path = Path(folder) / "layouts.rs"
    path.write_text("\n".join(source))
    program = path.with_suffix(".run")
    subprocess.run(["rustc", "--edition", "2024", "-o", program, path], check=True)
    subprocess.run([program], check=True)


def main():
    counts = dict.fromkeys(["layouts", "derived", "inverse", "same", "differ"], 0)
    programs, rust, relations = {}, {}, []
    with ir.Context():
        for number, layout in enumerate(layouts()):
            listed = rows(layout)
            if listed is None:
                continue
            places, rank, table = listed
            padded = {place for place, index in table if index is None}
            listed = places, rank, {(place, index) for place, index in table if index is not None}
            code = {
                to: run("convert", layout, "--to", to)
                for to in ["affine-map", "isl", "c", "rust", "python"]
            }
            assert None not in code.values(), (layout, code)
            try:
                check_affine_map(code["affine-map"], *listed)
                relation = check_isl(
                    code["isl"], run("convert", layout, "--to", "isl", "--padding"), *listed, padded
                )
                counts["inverse"] += check_python(code["python"], *listed)
                programs[number] = c_program(code["c"], number, *listed)
                rust[number] = rust_module(code["rust"], number, *listed[1:])
            except AssertionError as error:
                sys.exit(f"{layout}: {error}\n{code}")
            counts["layouts"] += 1
            counts["derived"] += "exists (v" in code["isl"] or "exists (c" in code["isl"]
            relations.append((layout, relation, listed[:2]))
    # isl's equality and `same --up-to padding` agree.
    rng = random.Random(7)
    alike = {}
    for layout, relation, names in relations:
        alike.setdefault(str(names), []).append((layout, relation))
    pairs = [(pair, rng.choice(group)) for group in alike.values() for pair in group]
    # An equal pair: the layout after a round trip through XLA or a PadLayout.
    for layout, relation, _ in relations[::4]:
        text = run("convert", layout, "--to", "pad-layout")
        if text is not None:
            text = text.strip()
            again = run("convert", text, "--to", "isl")
            # PadLayout text whose elements share places does not parse.
            if again is not None:
                pairs.append(((layout, relation), (text, islpy.Map(again))))
    for (a, first), (b, second) in pairs:
        if rng.random() < 0.5:
            equal = first.is_equal(second)
            said = run("same", a, b, "--up-to", "padding")
            assert said is not None and (said.strip() == "same up to padding") == equal, (a, b, said)
            counts["same" if equal else "differ"] += 1
    with tempfile.TemporaryDirectory() as folder:
        check_c(programs, folder)
        if shutil.which("rustc"):
            check_rust(rust, folder)
    assert counts["layouts"] >= 200, counts
    print(counts)


main()
