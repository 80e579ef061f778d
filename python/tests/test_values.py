"""Values of the package as values of Python: equality and hashes, texts that parse back, pickles, lengths, weak references."""

import copy
import pickle
import re
import weakref
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from conftest import drawn

import tensor_layout
from tensor_layout import Candidates, Empty, Layout, LayoutError, Location, Machine, Sharding, XlaShape, access, relayout

GRID = Layout("((4_PE, 3:8), (8:1))")


def test_layouts_are_equal_where_they_are_the_same_map_numbered_alike(rng):
    for _ in range(200):
        layout = Layout(drawn(rng))
        again = [layout.T.T, layout.transpose(*range(layout.ndim)), layout.simplified()]
        if layout.ndim > 0:
            again += [layout[...], layout[(slice(None),) * layout.ndim]]
        for other in again:
            assert other == layout and hash(other) == hash(layout), (layout, other)
        if layout.size > 1 and layout.ndim > 0:
            assert layout.reshape(-1) != layout or layout.ndim == 1
            assert layout.with_offset(1) != layout
    assert Layout("(4,8):(1,4)") != Layout("((4:1), (8:4))") and Layout("(4,8):(1,4)") == Layout("((2,2),8):((1,2),4)")
    assert GRID != str(GRID) and GRID.text == "((4_PE, 3:8), (8:1))"


def test_a_repr_reads_back_as_the_layout(rng):
    notations = ["(8,4):(1,8)", "shape=(4, 2), strides=(1, 0), offset=3", "bf16[30,50]{1,0:T(8,128)(2,1)}", "S<2,0,3> o 0 o (8,32):(32,1)"]
    for text in [*notations, *(drawn(rng) for _ in range(100))]:
        layout = Layout(text)
        parts = [layout, layout.T, layout[::2] if layout.ndim else layout, layout[..., None], layout.reshape(-1)]
        parts += [layout[..., :-1]] if layout.ndim and layout.shape[-1] > 1 else []
        for part in parts:
            again = eval(repr(part))
            assert again == part and hash(again) == hash(part) and again.text == part.text
            assert pickle.loads(pickle.dumps(part)) == copy.deepcopy(part) == part


def test_a_location_is_a_mapping():
    place = GRID.locate(4, 1)
    assert isinstance(place, Mapping) and dict(place) == {**place} == {"PE": 1, "Addr": 9}
    assert list(place.keys()) == ["PE", "Addr"] and sorted(place.values()) == [1, 9] and len(place.items()) == 2
    assert "PE" in place and place.get("X") is None and place == {"Addr": 9, "PE": 1}
    match place:
        case {"PE": pe}:
            assert pe == 1


def test_everything_is_weakly_referenced_and_the_version_is_that_of_the_crate():
    shape = XlaShape("f32[3]")
    for value in (GRID, GRID.on(), GRID.table(), GRID.report(), GRID.draw(), relayout(GRID, GRID), access("32:1", "((32_LANE))", dtype="f32"), Machine("PE=4"), Sharding("{replicated}"), Candidates("PE=4", (4,))):
        assert weakref.ref(value)() is value
    cargo = (Path(__file__).parents[1] / "Cargo.toml").read_text(encoding="utf-8")
    assert f'version = "{tensor_layout.__version__}"' in cargo and shape.sizes.unpadded_bytes == 12


def test_reports_sizes_and_shardings_are_pickled():
    sizes = XlaShape("bf16[10,130]{1,0:T(8,128)(2,1)}").sizes
    for value in (GRID.report(), GRID.on("PE=4").report(), sizes, Sharding("P('x', None)", mesh="x=2"), Empty.HOLE, Location(PE=1)):
        again = pickle.loads(pickle.dumps(value))
        assert again == value and repr(again) == repr(value)


def test_a_table_has_a_length_rows_and_an_array(rng):
    for _ in range(100):
        layout = Layout(drawn(rng))
        for table in (layout.table(), layout.table(padding=True), layout.table(part=(1, 3))):
            rows = table.tolist()
            assert len(table) == len(rows) and list(table) == rows
            assert np.asarray(table).tolist() == rows
    with pytest.raises(ValueError, match="computed anew"):
        np.array(GRID.table(), copy=False)


def test_long_tables_are_iterated_piece_by_piece():
    table = Layout("((1048576_PE:1), (1048576:1))").table()
    assert len(table) == 1 << 40
    rows = iter(table)
    assert [next(rows) for _ in range(3)] == [(0, 0, 0, 0), (0, 1, 0, 1), (0, 2, 0, 2)]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: GRID.in_bytes(0), "0"),
        (lambda: GRID.on(dtype=np.dtype("V0")), "no width"),
        (lambda: Layout.of(np.zeros(3, "V0")), "no width"),
        (lambda: Sharding("{devices=[2,4]<=[8]}").shard((10, 7), 8), "one of the 8 devices, 0 to 7"),
        (lambda: Sharding("P('z')", mesh="x=2"), "'z' is not an axis of the mesh"),
        (lambda: Layout("((2:1))").locate(-3), "is out of range for axis 0"),
        (lambda: Layout("((2:1))")[-3], "is out of range for axis 0"),
    ],
)
def test_what_is_refused_is_said_in_words(call, words):
    with pytest.raises(LayoutError, match=words) as refused:
        call()
    assert not re.search("convert|unwrap|panic", str(refused.value))
