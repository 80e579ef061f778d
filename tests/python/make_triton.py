"""Random encodings of Triton with the bases that Triton itself has for them: lines of tests/data/triton.txt.

Needs the wheel `triton` (3.9.0), no GPU. Usage: python tests/python/make_triton.py COUNT [SEED]

A line is a type as Triton prints it, a tab, and the bases of its inputs: of register, lane, warp and block, of offset
and block, or of row and col. Types without a layout in Triton are left out.
"""

import os
import random
import re
import resource
import signal
import sys
import tempfile

from triton._C.libtriton import gluon_ir, ir

CONTEXT = ir.context()
ir.load_dialects(CONTEXT)
BUILDER = gluon_ir.GluonOpBuilder(CONTEXT)


def bases_of(text):
    """The bases of each input of a type, or None where Triton refuses it."""
    with tempfile.NamedTemporaryFile("w", suffix=".mlir") as file:
        file.write(f"module {{tt.func @f(%a: {text}) {{tt.return}}}}")
        file.flush()
        module = ir.parse_mlir_module(file.name, CONTEXT)
    value = module.get_function("f").args(0)
    is_memory = text.startswith("!ttg.memdesc")
    of_memory, of_tensor = BUILDER.get_gluon_layout_from_memdesc, BUILDER.get_gluon_layout_from_tensor
    layout = of_memory(value) if is_memory else of_tensor(value)
    shape = [int(extent) for extent in re.findall(r"(\d+)x", text.split("<", 1)[1].split(",")[0])]
    encoding = layout._to_ir(BUILDER)
    if order := re.search(r"blockRepOrder = (\w+)", text):
        # The layout object does not keep this order.
        encoding = BUILDER.get_tensor_memory_scales_layout(layout.cga_layout, order[1])
    linear = BUILDER.to_linear_layout(encoding, shape)
    for keys in (["reg_bases", "lane_bases", "warp_bases", "block_bases"], ["offset_bases", "block_bases"], ["rows", "cols"]):
        if hasattr(linear, keys[0]):
            return [getattr(linear, key) for key in keys]
    return None


def lines_of(texts):
    """The line of each type, or None: Triton aborts where it has no layout, so that a process answers until it dies."""
    texts = list(texts)
    while texts:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            answer(texts, write)
        os.close(write)
        with os.fdopen(read) as answers:
            found = answers.read().splitlines()
        os.waitpid(child, 0)
        yield from (line or None for line in found)
        if len(found) < len(texts):
            yield None
        texts = texts[len(found) + 1 :]


def answer(texts, write):
    """Writes a line for each type, an empty one where Triton refuses it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    # Neither traces nor dumps of the aborts.
    signal.signal(signal.SIGABRT, signal.SIG_DFL)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    for text in texts:
        try:
            inputs = bases_of(text)
            written = "|".join(" ".join(",".join(map(str, basis)) for basis in bases) for bases in inputs)
            os.write(write, f"{text}\t{written}\n".encode())
        except Exception:  # noqa: BLE001
            os.write(write, b"\n")
    os._exit(0)


class Random(random.Random):
    def power(self, low, high):
        return 1 << self.randint(low, high)

    def extents(self, rank, low=0, high=8):
        return [self.power(low, high) for _ in range(rank)]

    def warps(self, rank, most=3):
        """The number of warps per dimension, up to 2^most together."""
        left, counts = self.randint(0, most), []
        for _ in range(rank):
            bits = self.randint(0, left)
            counts.append(1 << bits)
            left -= bits
        self.shuffle(counts)
        return counts


def tensor(shape, encoding, element="f16"):
    return f"tensor<{'x'.join(map(str, shape))}x{element}, {encoding}>"


def memory(shape, encoding, space="#ttg.shared_memory", element="f16"):
    return f"!ttg.memdesc<{'x'.join(map(str, shape))}x{element}, {encoding}, {space}, mutable>"


def flag(value):
    return "true" if value else "false"


def mfma(rng, rank):
    size = rng.choice([[32, 32], [16, 16], [16, 16], [64, 4], [4, 64]])
    wide = size == [16, 16] and rng.random() < 0.3
    transposed = size == [64, 4] or (size != [4, 64] and rng.random() < 0.5)
    tiles = rng.choice([None, [1] * (rank - 2) + rng.extents(2, 0, 2)])
    keys = f"version = {rng.choice([1, 2, 3, 4])}, warpsPerCTA = {rng.warps(rank)}, instrShape = {size + [rng.choice([4, 8, 16])]}, isTransposed = {flag(transposed)}"
    keys += f", tilesPerWarp = {tiles}" if tiles else ""
    return f"#ttg.amd_mfma<{{{keys}{', elementBitWidth = 64' if wide else ''}}}>"


def bits_of(rng, rank, dims, most):
    """Bases that each step one bit of a dimension, in random order, nothing left out."""
    bits = {dim: rng.randint(0, most) for dim in dims}
    bases = [[1 << bit if d == dim else 0 for d in range(rank)] for dim in dims for bit in range(bits[dim])]
    rng.shuffle(bases)
    return bases


def wmma(rng, rank):
    version = rng.choice([1, 2, 3, 3])
    shape = rng.choice([[16, 16, 16]] if version < 3 else [[16, 16, 4], [16, 16, 32], [16, 16, 64], [16, 16, 128], [32, 16, 128]])
    bases = bits_of(rng, rank, range(rank - 2, rank), 2)
    cut = rng.randint(0, len(bases))
    warps = bases[:cut] + [[0] * rank] * rng.choice([0, 0, 0, 1])
    if rank == 3 and rng.random() < 0.5:
        warps.append([1, 0, 0])
    registers = f"register = {bases[cut:]}, " if bases[cut:] else ""
    keys = f"version = {version}, isTranspose = {flag(rng.random() < 0.5)}, ctaLayout = {{{registers}warp = {warps}}}"
    shape = f", instrShape = {shape}" if shape != [16, 16, 16] else ""
    return f"#ttg.amd_wmma<{{{keys}{shape}}}>"


def nvidia(rng, rank):
    if rank == 2 and rng.random() < 0.3:
        keys = f"versionMajor = 3, versionMinor = 0, warpsPerCTA = [{rng.choice([4, 8])}, {rng.choice([1, 2])}], instrShape = [16, {rng.power(3, 8)}, 16]"
    else:
        shape = [1] * (rank - 2) + rng.choice([[16, 8], [8, 8]])
        keys = f"versionMajor = 2, versionMinor = 0, warpsPerCTA = {rng.warps(rank)}, instrShape = {shape}"
    return f"#ttg.nvidia_mma<{{{keys}}}>"


def generic(rng, rank):
    bits = rng.randint(1, 4)
    free = [[1 << bit if d == dim else 0 for d in range(rank)] for dim in range(rank) for bit in range(bits)]
    rng.shuffle(free)
    cuts = sorted(rng.randint(0, len(free)) for _ in range(2))
    registers, lanes, warps = free[: cuts[0]], free[cuts[0] : cuts[1]], free[cuts[1] :]
    for basis in warps:
        if rng.random() < 0.7:
            dim = rng.randrange(rank)
            basis[dim] ^= rng.choice([b for b in (1, 2, 4, 8) if b < 1 << bits])
    lanes = lanes[:5] + [[0] * rank] * (5 - len(lanes[:5]))
    shape = [(1 << bits) * rng.choice([1, 1, 1, 2]) for _ in range(rank)]
    keys = f"register = {registers}, lane = {lanes}, warp = {warps}, block = []"
    return shape, f"#ttg.generic_linear<{{{keys}}}>"


def cluster(rng):
    return rng.choice(["", "", ", CGALayout = [[1, 0]]", ", CGALayout = [[0, 1]]", ", CGALayout = [[0, 0]]"])


def tensor_memory(rng):
    rows, columns = rng.choice([64, 128]), rng.power(1, 8)
    shape = [rows * rng.choice([1, 1, 2, 4]), columns * rng.choice([1, 1, 2])]
    stride = rng.choice([1, 1, 2])
    keys, split = f"blockM = {rows}, blockN = {columns}, colStride = {stride}", cluster(rng)
    if "[1, 0]" in split and rng.random() < 0.5:
        split += ", twoCTAs = true"
    padded = ", fp4Padded = true" if stride == 1 and rng.random() < 0.2 else ""
    encoding = f"#ttng.tensor_memory_encoding<{keys}{split}{padded}>"
    return memory(shape, encoding, "#ttng.tensor_memory", "i8" if padded else "f16")


def scales(rng):
    split = cluster(rng).removeprefix(", ")
    order = rng.choice(["", "", "blockRepOrder = kThenMn"])
    keys = ", ".join(key for key in (split, order) if key)
    return memory(rng.extents(2, 0, 8), f"#ttng.tensor_memory_scales_encoding<{keys}>", "#ttng.tensor_memory", "i8")


def nvmma(rng):
    rank = rng.choice([2, 2, 3])
    width, padded = rng.choice([(0, False), (32, False), (64, False), (128, False), (128, True)])
    bits = 8 if padded else rng.choice([8, 16, 32])
    keys = f"swizzlingByteWidth = {width}, transposed = {flag(rank == 2 and rng.random() < 0.3)}, elementBitWidth = {bits}"
    keys += ", fp4Padded = true" if padded else ""
    keys += f", rank = {rank}" if rank != 2 else ""
    return memory(rng.extents(rank, 0, 8), f"#ttg.nvmma_shared<{{{keys}}}>", element=f"i{bits}")


def partitioned(rng):
    rank = 2
    inner = f"#ttg.swizzled_shared<{{vec = {rng.power(0, 3)}, perPhase = {rng.power(0, 2)}, maxPhase = {rng.power(0, 3)}, order = {rng.choice([[1, 0], [0, 1]])}}}>"
    keys = f"numPartitions = {rng.power(0, 2)}, numGroups = {rng.power(0, 2)}, partitionDim = {rng.randrange(rank)}, partitionLayout = {inner}"
    return memory(rng.extents(rank, 3, 7), f"#ttg.partitioned_shared<{{{keys}}}>")


def blocked(rng, rank):
    threads = rng.choice([[8, 4], [4, 8], [1, 32]])
    keys = f"sizePerThread = {rng.extents(2, 0, 2)}, threadsPerWarp = {threads}, warpsPerCTA = {rng.warps(2)}"
    return f"#ttg.blocked<{{{keys}, order = {rng.choice([[1, 0], [0, 1]])}}}>"


def operand(rng, parent, rank):
    number = rng.randint(0, 1)
    if rank == 2:
        parent = parent.removesuffix("}>") + cluster(rng) + "}>"
    if parent.startswith("#ttg.blocked"):
        return f"#ttg.dot_op<{{opIdx = {number}, parent = {parent}}}>"
    width = rng.choice([1, 2, 4, 8, 16])
    return f"#ttg.dot_op<{{opIdx = {number}, parent = {parent}, kWidth = {width}}}>"


def random_type(rng):
    kind = rng.choice("mfma mfma wmma wmma nvidia operand operand operand generic generic memory memory scales nvmma partitioned slice".split())
    rank = rng.choice([2, 2, 2, 3])
    shape = rng.extents(rank - 2, 0, 2) + rng.extents(2, 3, 8)
    maker = {"mfma": mfma, "wmma": wmma, "nvidia": nvidia}
    if kind in maker:
        return tensor(shape, maker[kind](rng, rank))
    if kind == "operand":
        parents = [mfma, wmma, nvidia] + [blocked] * (rank == 2)
        return tensor(shape, operand(rng, rng.choice(parents)(rng, rank), rank))
    if kind == "slice":
        parent = rng.choice([mfma, wmma, nvidia])(rng, rank)
        return tensor(shape[1:], f"#ttg.slice<{{dim = {rng.randrange(rank)}, parent = {parent}}}>")
    if kind == "generic":
        return tensor(*generic(rng, rng.choice([1, 2, 2, 3])))
    return {"memory": tensor_memory, "scales": scales, "nvmma": nvmma, "partitioned": partitioned}[kind](rng)


def cases(count, seed):
    """Lines of different random types."""
    rng, seen = Random(seed), set()
    while len(seen) < count:
        drawn = {random_type(rng): None for _ in range(200)}
        for line in lines_of(text for text in drawn if text not in seen):
            if line and len(seen) < count:
                seen.add(line.split("\t")[0])
                yield line


def main():
    for line in cases(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0):
        print(line, flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
