"""Packing compared with C: the loops written by hand, `cc -O3`, in one run.

`python bench/loops.py` needs a C compiler and a wheel that was built for release. Every line has the best
of several turns of both sides, taken one after the other.
"""

import ctypes
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from speed import K1, K8, best, line

from tensor_layout import Layout

Array = NDArray[Any]

#: Idiomatic loops for each layout: blocks if one side would stride, runs if there are any.
SOURCE = """
#include <stdint.h>
#include <string.h>

void table_1k(uint32_t *restrict out) {
    uint32_t vector[512];
    for (int j = 0; j < 512; j++) vector[j] = j / 32 * 256 + j % 4 * 64 + j / 4 % 8;
    for (int i = 0; i < 1024; i++) {
        uint32_t base = i / 8 * 4096 + i % 8 * 8;
        for (int j = 0; j < 512; j++) out[i * 512 + j] = base + vector[j];
    }
}

/* rows x 16 x inner x 4 -> 16 x 4 x rows x inner, per group of rows */
static void deal(const float *restrict in, float *restrict out, int groups, int rows, int inner) {
    for (int g = 0; g < groups; g++)
        for (int r = 0; r < rows; r++)
            for (int m = 0; m < 16; m++) {
                const float *from = in + ((g * rows + r) * 16 + m) * (long)inner * 4;
                float *to = out + ((long)g * 16 + m) * 4 * rows * inner + r * inner;
                float *restrict a = to, *restrict b = to + rows * inner;
                float *restrict c = to + 2 * rows * inner, *restrict d = to + 3 * rows * inner;
                for (int x = 0; x < inner; x++) {
                    a[x] = from[4 * x];
                    b[x] = from[4 * x + 1];
                    c[x] = from[4 * x + 2];
                    d[x] = from[4 * x + 3];
                }
            }
}
void pack_1k(const float *in, float *out) { deal(in, out, 128, 8, 8); }
void pack_8k(const float *in, float *out) { deal(in, out, 128, 64, 128); }

/* (512, 4) x (16, 2, 64) -> 2, 16, 4, 512, 64: runs of 64 */
void pack_blocks(const float *restrict in, float *restrict out) {
    for (int l = 0; l < 2; l++)
        for (int m = 0; m < 16; m++)
            for (int p = 0; p < 4; p++)
                for (int r = 0; r < 512; r++)
                    memcpy(out + (((l * 16L + m) * 4 + p) * 512 + r) * 64,
                           in + ((r * 4L + p) * 32 + m * 2 + l) * 64, 256);
}

#define TRANSPOSE(name, type, rows, columns, side)                                         \\
    void name(const type *restrict in, type *restrict out) {                               \\
        for (int i = 0; i < rows; i += side)                                               \\
            for (int j = 0; j < columns; j += side)                                        \\
                for (int y = j; y < j + side && y < columns; y++)                          \\
                    for (int x = i; x < i + side && x < rows; x++)                         \\
                        out[(long)y * rows + x] = in[(long)x * columns + y];               \\
    }
TRANSPOSE(transpose_2k, float, 2048, 1024, 16)
TRANSPOSE(transpose_1000, uint8_t, 1000, 1000, 40)
#define OF_8K(side)                                         \\
    TRANSPOSE(words_##side, uint32_t, 8192, 8192, side)     \\
    TRANSPOSE(halves_##side, uint16_t, 8192, 8192, side)    \\
    TRANSPOSE(bytes_##side, uint8_t, 8192, 8192, side)
OF_8K(16)
OF_8K(64)
"""

SQUARE = "((8192:1), (8192:8192))"

LOOPS: list[tuple[str, str, str, str]] = [
    ("pack 1k", K1, "f4", "pack_1k"),
    ("pack 8k", K8, "f4", "pack_8k"),
    ("pack blocks", "((512:64, 4_PE), (16_MAB, 2_L2B, 64:1))", "f4", "pack_blocks"),
    ("pack 2k transposed", "((2048:1), (1024:2048))", "f4", "transpose_2k"),
    ("pack 1000 transposed", "((1000:1), (1000:1000))", "u1", "transpose_1000"),
    *(
        (f"pack 8k transposed, {cells}", SQUARE, dtype, f"{cells}_{side}")
        for cells, dtype in (("words", "f4"), ("halves", "u2"), ("bytes", "u1"))
        for side in (16, 64)
    ),
]


def compiled() -> ctypes.CDLL:
    with tempfile.TemporaryDirectory() as folder:
        source, library = Path(folder) / "loops.c", Path(folder) / "loops.so"
        source.write_text(SOURCE)
        subprocess.run(["cc", "-O3", "-shared", "-fPIC", source, "-o", library], check=True)
        return ctypes.CDLL(str(library))


def main() -> None:
    library = compiled()

    def pointer(array: Array) -> ctypes.c_void_p:
        return ctypes.c_void_p(array.ctypes.data)

    placement = Layout(K1).on("mn-core")
    table, by_c = np.empty((1024, 512), np.uint32), np.empty((1024, 512), np.uint32)
    place = pointer(by_c)
    ours, theirs = best([lambda: placement.packed(out=table), lambda: library.table_1k(place)])
    assert (table == by_c).all()
    line("packed 1k", ours, theirs, "C")
    for name, text, dtype, loop in LOOPS:
        layout, function = Layout(text), getattr(library, loop)
        tensor = np.arange(layout.size, dtype="u4").astype("u1").astype(dtype).reshape(layout.shape)
        image = layout.pack(tensor)
        other = np.empty_like(image)
        source, target = pointer(tensor), pointer(other)
        ours, theirs = best(
            [lambda: layout.pack(tensor, out=image), lambda: function(source, target)]
        )
        assert (image == other).all(), name
        line(name, ours, theirs, f"C, {loop}")


if __name__ == "__main__":
    main()
