"""Values of the package as values of Python: equality and hashes, texts that parse back, pickles, lengths, weak references."""

import copy
import pickle
import re
import weakref
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from conftest import drawn

import tensor_layout
from tensor_layout import (
    Candidates,
    Empty,
    Layout,
    LayoutError,
    Location,
    Machine,
    Pricer,
    Sharding,
    XlaShape,
    access,
    relayout,
)

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


def test_answers_are_pickled_by_the_call_that_made_them():
    move = relayout(GRID, "((12:2), (4_PE, 2:1))", "PE=4", dtype="f16")
    table = Layout("(3)/((2:1, 2_PE))").on("PE=2").table("PE=1", padding=True)
    pricer = Pricer("L2B=2,PE=4", "f64", rates={"L2B": 8, "PE": (1, Fraction(1, 2))}, latency={"PE": 3}, in_sequence=True)
    pair = ("((2_L2B, 4_PE, 64:1))", "((64:8, 4_PE:1, 2_L2B:1))")
    for again in (copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))):
        assert str(again(move)) == str(move) and again(move).source == move.source
        assert again(table).tolist() == table.tolist() == [(1, 0, 1), (1, 1, -1)]
        assert again(pricer).cost(*pair) == pricer.cost(*pair)


def test_what_cannot_be_pickled_says_what_can():
    part = Pricer("PE=4", "f64", rates={"PE": 8}).part(GRID)
    for value, remedy in [(part, "layout"), (GRID.draw(), "to_svg"), (GRID.film(), "to_svg")]:
        assert copy.copy(value) is value and copy.deepcopy([value])[0] is value
        with pytest.raises(TypeError, match=remedy):
            pickle.dumps(value)


def test_a_repr_reads_back_as_the_sharding():
    meshes = ["x=2,y=2", "mesh['x'=2,'y'=2], device_ids=(3,2,1,0)", {"x": 2, "y": 2}]
    for sharding in [Sharding("{devices=[2,4]<=[8]}"), *(Sharding("P('x', None)", mesh=mesh) for mesh in meshes)]:
        assert eval(repr(sharding)) == sharding


def test_files_that_cannot_be_written_are_errors_of_files():
    saves = [(GRID.draw().save, "grid.svg"), (GRID.film().save, "grid.html"), (GRID.explore().save, "grid.html")]
    for save, name in saves:
        with pytest.raises(FileNotFoundError, match="nowhere") as error:
            save(f"nowhere/{name}")
        assert error.value.errno == 2 and error.value.filename == f"nowhere/{name}"


def test_a_tensor_without_elements_has_no_bytes():
    for text in ["f32[0,3]{1,0:T(8,128)}", "f32[3,0]", "f32[0]{0:T(8)L(1024)}"]:
        placement = Layout(text).on("PE=1", dtype="f32")
        sizes = XlaShape(text).sizes
        assert (sizes.unpadded_bytes, sizes.allocated_bytes, placement.footprint_words) == (0, 0, 0)
        assert "footprint  0 " in str(placement.report())


def test_a_level_in_the_wrong_case_is_named():
    placed = GRID.on("PE=4")
    asked = [
        lambda: placed.element(Pe=1, Addr=0),
        lambda: placed.element(Pe=np.array([1]), Addr=np.array([0])),
        lambda: GRID.element({"Pe": 1, "Addr": 0}),
        lambda: GRID.restrict(Pe=1),
        lambda: placed.table({"Pe": 1}),
    ]
    for ask in asked:
        with pytest.raises(LayoutError, match=r"Pe=[01][\s\S]*level names are case-sensitive: `PE`"):
            ask()
    with pytest.raises(LayoutError, match="`Core` is not one of the levels PE, Addr"):
        placed.element(Core=np.array([1]), Addr=0)
    with pytest.raises(LayoutError, match="`Addr` is missing"):
        placed.element(PE=np.array([1]))


def test_a_type_in_the_other_byte_order_is_named():
    for table in (GRID.packed, GRID.inverse):
        with pytest.raises(TypeError, match="byte order of this machine, not of >i4"):
            table(dtype=">i4")
