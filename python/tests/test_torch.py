"""Layouts of PyTorch's views, and of DTensors; skipped if PyTorch is not installed."""

from types import SimpleNamespace

import numpy as np
import pytest
from conftest import lines

from tensor_layout import Layout, Sharding


def test_strided_views_say_where_their_elements_are(rng):
    torch = pytest.importorskip("torch")
    storage = torch.arange(5000)
    for _ in range(200):
        rank = rng.randint(0, 4)
        shape = [rng.randint(1, 5) for _ in range(rank)]
        strides = [rng.randint(0, 60) for _ in range(rank)]
        view = storage.as_strided(shape, strides, rng.randint(0, 50))
        layout = Layout.of(view)
        for index in np.ndindex(*shape):
            assert layout.locate(*index)["Addr"] == view[index].item()


def test_permuted_and_expanded_tensors_are_read():
    torch = pytest.importorskip("torch")
    tensor = torch.arange(24).reshape(2, 3, 4)
    images = torch.zeros(2, 3, 4, 5).to(memory_format=torch.channels_last)
    assert Layout.of(tensor.permute(2, 0, 1)).locate(3, 1, 2) == {"Addr": 23}
    assert Layout.of(tensor[1]).locate(0, 0) == {"Addr": 12}
    assert Layout.of(images).to("strided") == "shape=(2, 3, 4, 5), strides=(60, 1, 15, 3)"
    assert Layout.of(torch.zeros(3, 1).expand(3, 4)).locate(2, 3) == {"Addr": 2}


def test_placements_and_meshes_are_those_that_pytorch_makes():
    torch = pytest.importorskip("torch")
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.tensor import Partial, Replicate, Shard
    from torch.distributed.tensor.placement_types import _StridedShard

    ranks = torch.tensor([[0, 2], [1, 3]])
    mesh = DeviceMesh("cpu", ranks, mesh_dim_names=("dp", "tp"), _init_backend=False, _rank=0)
    for placements in [(Shard(0), Replicate()), (_StridedShard(0, split_factor=2), Shard(0)), (Partial("avg"), Shard(1))]:
        given = Sharding(placements, mesh=mesh)
        assert given == Sharding(str(list(map(repr, placements))).replace("'", ""), mesh=mesh)
    assert Sharding((Shard(0), Replicate()), mesh=mesh).shard((4, 4), 2) == (slice(0, 2), slice(0, 4))
    assert "avg" in str(Sharding((Partial("avg"), Shard(1)), mesh=mesh))


class Placement:
    """A placement of PyTorch, reduced to its answers."""

    def __init__(self, text):
        self.dim = int(text[6:-1]) if text.startswith("Shard") else None
        self.reduce_op = text[8:-1] if text.startswith("Partial") else None

    def is_shard(self):
        return self.dim is not None

    def is_replicate(self):
        return self.dim is None and self.reduce_op is None

    def is_partial(self):
        return self.reduce_op is not None


def test_dtensors_lie_where_pytorch_puts_their_parts():
    # Stored answers of PyTorch's compute_local_shape_and_global_offset, from the data of the crate.
    read = 0
    for line in lines("placements.txt"):
        placements, mesh, extents, ranges = line.split("|")
        names = [axis.split("=") for axis in mesh.split(",")]
        shape = tuple(int(extent) for extent in extents.split(",") if extent)
        parts = [
            [[int(bound) for bound in bounds.split(":")] for bounds in part.split(",") if bounds]
            for part in ranges.split(";")
        ]
        local = np.zeros([end - start for start, end in parts[0]])
        x = SimpleNamespace(
            shape=shape,
            placements=[Placement(of.strip()) for of in placements[1:-1].split(", ")],
            device_mesh=SimpleNamespace(
                mesh_dim_names=[name for name, _ in names],
                shape=[int(size) for _, size in names],
                ndim=len(names),
            ),
            to_local=lambda local=local: SimpleNamespace(
                shape=local.shape,
                stride=lambda: [stride // 8 for stride in local.strides],
                is_contiguous=lambda: True,
            ),
        )
        try:
            layout = Layout.of(x)
        except ValueError:
            continue
        read += 1
        sizes = [int(size) for _, size in names]
        for number, part in enumerate(parts):
            at = dict(zip((name for name, _ in names), np.unravel_index(number, sizes)))
            if any(end <= start for start, end in part) or 0 in shape:
                continue
            for index in [[start for start, _ in part], [end - 1 for _, end in part]]:
                units = [{n: p[n] for n in at} for p in layout.locate_all(*index)]
                assert {name: int(at[name]) for name in at} in units, line
    assert read > 250
