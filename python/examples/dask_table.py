"""The table of a tensor of any size, made by a Dask cluster: each task writes one Parquet file.

    python examples/dask_table.py --elements 2**36 --out table      # a cluster's worth
    python examples/dask_table.py --elements 2**18 --out table      # a try

Every task compiles the layout (microseconds), takes a window of the tensor, and writes its elements
with their places. No task needs to know of the others, and none holds more than its window.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from dask.delayed import delayed
from dask.distributed import Client, LocalCluster

from tensor_layout import Layout, Placement

Ranges = list[tuple[int, int]]


def placed(elements: int) -> Placement:
    """A matrix of 256 columns on MN-Core: rows over L2B and L1B, columns over MAB and PE."""
    rows = elements // 256 // 128
    text = f"((16_L2B, 8_L1B, {rows}:4), (16_MAB, 4:1, 4_PE))"
    return Layout(text).on("mn-core")


def windows(shape: tuple[int, ...], rows: int) -> list[Ranges]:
    """Blocks of whole rows."""
    starts = range(0, shape[0], rows)
    return [[(start, min(start + rows, shape[0])), (0, shape[1])] for start in starts]


def table(placement: Placement, window: Ranges) -> pa.Table:
    """The elements of a window with their places."""
    packed = placement.packed(window=window)
    places = np.unravel_index(packed.reshape(-1), placement.image_shape)
    index = np.unravel_index(np.arange(packed.size), packed.shape)
    columns = dict(zip(placement.levels, places, strict=True))
    for axis, (entry, (start, _)) in enumerate(zip(index, window, strict=True)):
        columns[f"i{axis}"] = entry + start
    return pa.table(columns)


def write(elements: int, window: Ranges, path: Path) -> int:
    """One task: the file of one window."""
    part = table(placed(elements), window)
    pq.write_table(part, path)
    return int(part.num_rows)


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    arguments.add_argument("--elements", default="2**18", help="a power of two from 2**15 on")
    arguments.add_argument("--rows", type=int, default=256, help="rows of a window")
    arguments.add_argument("--workers", type=int, default=2)
    arguments.add_argument("--out", type=Path, default=Path("table"))
    said = arguments.parse_args()
    base, _, power = said.elements.partition("**")
    elements = int(base) ** int(power or 1)
    said.out.mkdir(parents=True, exist_ok=True)
    parts = windows(placed(elements).shape, said.rows)
    with LocalCluster(n_workers=said.workers, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            tasks = [
                delayed(write)(elements, window, said.out / f"part-{number:06}.parquet")
                for number, window in enumerate(parts)
            ]
            rows = sum(client.gather(client.compute(tasks)))
    print(f"{rows} rows in {len(parts)} files in {said.out}")


if __name__ == "__main__":
    main()
