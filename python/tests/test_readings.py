"""Defects that careful readers found, each in its shortest form."""

import copy
import pickle

import numpy as np
import pytest

from tensor_layout import (
    Candidates,
    Empty,
    Layout,
    LayoutError,
    Location,
    Machine,
    OutOfRange,
    Sharding,
    relayout,
)

GRID = Layout("((4_PE, 3:8), (8:1))")


def test_a_placement_of_an_edited_layout_has_its_text() -> None:
    square = Layout("((4:1),(4:4))")
    placed = square.T.on()
    assert placed.locate(1, 0)["Addr"] == square.T.locate(1, 0)["Addr"]
    assert str(placed) != str(square.on())


def test_a_table_with_two_columns_of_one_name_is_refused() -> None:
    table = Layout("((4_i0:2), (2:1))").table()
    with pytest.raises(LayoutError):
        table.columns()


def test_a_signed_inverse_table_has_room_for_its_numbers() -> None:
    with pytest.raises(ValueError):
        Layout("(200:1)").inverse(out=np.empty(200, np.int8))
    with pytest.raises(LayoutError, match="use a signed type"):
        Layout("(100:1)").inverse(out=np.empty(100, np.uint8))
    with pytest.raises(LayoutError, match="use a signed type"):
        Layout("(100:1)").inverse(dtype=np.uint16)
    numbers = Layout("(100:1)").inverse(out=np.empty(100, np.int8))
    assert numbers[99] == 99


def test_indexes_of_different_integers_go_together() -> None:
    places = Layout("(4:2,2:1)").locate(np.arange(2), np.arange(2, dtype=np.uint64))
    assert places["Addr"].tolist() == [0, 3]


def test_a_relayout_keeps_what_a_placement_without_a_machine_was_made_with() -> None:
    rows, cores = Layout("((12:8), (8:1))"), "mn-core-2"
    first = next(relayout(rows.on(base=100), str(rows), "PE=4").transfers())
    assert (first.read, first.write, first.length) == ((100, 1), (0, 1), 96)
    between = relayout(rows.on(memory="LM0"), rows.on(memory="LM1"), cores)
    assert between.by_distance["memory"] == between.elements * between.copies
    placed = rows.on(memory="LM0", dtype="f64", base=3)
    assert not relayout(placed, rows.on(cores, memory="LM0", dtype="f64", base=3))
    with pytest.raises(ValueError, match="dtype=32 bits contradicts 64 bits"):
        relayout(placed, placed, cores, dtype="f32")
    wide = Layout("((12_PE:1), (8:1))")
    assert relayout(wide.on(oversized=True), str(rows), "PE=4").elements == 96
    with pytest.raises(ValueError, match="PE"):
        relayout(wide.on(), str(rows), "PE=4")


def test_a_picture_of_two_keeps_the_base_of_a_placement() -> None:
    rows = Layout("((3:8), (8:1))")
    moved = rows.on(base=500).draw(rows).to_text(120)
    assert "500" in moved and "1000" not in moved
    assert moved != rows.draw(rows).to_text(120)


def test_what_is_asked_of_a_relayout_of_placements_is_not_dropped() -> None:
    machine = Machine.from_toml('name = "m"\n[levels]\nPE = 4\n[bandwidth]\nPE = 1\n')
    texts = str(GRID), "((12:2), (4_PE, 2:1))"
    first, second = (Layout(text).on(machine) for text in texts)
    assert relayout(first, second, dtype="f64").steps == 18
    assert relayout(*texts, machine, dtype="f64").steps == 18
    with pytest.raises(ValueError, match="contradicts"):
        relayout(first, second, "PE=8")
    with pytest.raises(ValueError, match="`nope` is not a memory"):
        relayout(first, second, memory="nope")


def test_a_sharding_that_was_placed_stays_on_its_machine() -> None:
    sharded = Layout("f32[8]{0}, sharding={devices=[4]<=[4]}")
    for placed in (sharded.on(base=2), sharded.on("HOST=2,CHIP=2", base=2)):
        assert not relayout(placed, placed, dtype="f32")


EDITED = [
    Layout("(8,4):(1,8)")[2:5],
    Layout("(8,4):(1,8)")[2:5].T,
    Layout("(4,2):(2,1)").left_inverse(),
    Layout("((2,2),3):((1,6),2)")[1:, ::2],
    Layout("shape=(4, 2), strides=(1, 0), offset=3")[1:3],
    Layout("((4:8), (8:1))@LM0 / Half")[1:3],
    Layout("((4:8), (8:1))@LM0 / Half").T,
    Layout("bf16[30,50]{1,0:T(*,128)}")[3:20:2],
]


@pytest.mark.parametrize("layout", EDITED)
def test_pickles_number_elements_as_the_layout_does(layout: Layout) -> None:
    tile = "4:1" if layout.size % 4 == 0 else "3:1"
    for again in (pickle.loads(pickle.dumps(layout)), copy.deepcopy(layout)):
        assert again == layout and hash(again) == hash(layout) and again.text == layout.text
        assert (again @ f"({tile})") == (layout @ f"({tile})")
        assert again.on().memory == layout.on().memory
        assert again.on().element_bits == layout.on().element_bits
        assert pickle.loads(pickle.dumps(again.on())) == layout.on()


def test_layouts_that_number_elements_differently_are_not_equal() -> None:
    columns, rows = Layout("(8,4):(1,8)")[2:5], Layout("((8:1), (4:8))")[2:5]
    assert columns.same(rows) and columns != rows
    assert (columns @ "(4:1)").locate(1) != (rows @ "(4:1)").locate(1)
    placed = columns.on()
    assert placed.layout == columns and placed != rows.on()


def test_an_edited_layout_keeps_its_memory_and_type() -> None:
    part = Layout("((4:8), (8:1))@LM0 / Half")[1:3].on("mn-core-2")
    assert (part.memory, part.element_bits) == ("LM0", 16)
    assert Layout("((4:8), (8:1))@LM0 / Half").T.to("xla") == "f16[8,4]{0,1}"


def test_placements_without_a_machine_differ_in_memory_and_width() -> None:
    assert GRID.on(memory="LM0") != GRID.on(memory="LM1") and GRID.on(dtype="f32") != GRID.on(dtype="f64")
    named = GRID.on("mn-core-2", memory="LM0", dtype="Half")
    assert pickle.loads(pickle.dumps(named)).explore().html == named.explore().html


def test_a_candidate_in_a_pickle_has_its_base_once() -> None:
    for candidate in Candidates("PE=4", (4,), base=5):
        placed = candidate.placement
        again = pickle.loads(pickle.dumps(placed))
        assert again == placed and again.locate(0) == placed.locate(0) and placed.locate(0)["Addr"] == 5
        assert placed.layout == candidate.layout


def test_arrays_tell_elements_from_holes_without_axes() -> None:
    point = Layout("(1_PE:1, 1:5)")[0, ..., 0]
    assert point.shape == ()
    held = point.element(PE=[0, 1], Addr=[[0], [5]])
    assert held.tolist() == [[[0], [-3]], [[-3], [-3]]]
    cores = point.on("mn-core-2", memory="LM0")
    unit = {level: 0 for level in cores.levels}
    held = cores.element({**unit, "PE": np.arange(5), "Addr": [[0], [1]]})
    assert held[..., 0].tolist() == [[0, -1, -1, -1, -3], [-1, -1, -1, -1, -3]]
    assert cores.element({**unit, "Addr": 1}) is Empty.HOLE


def test_arrays_of_places_say_what_points_say_of_a_larger_memory() -> None:
    placed = GRID.on("mn-core-2", memory="LM0")
    place = {level: 0 for level in placed.levels}
    for address, why in [(100, Empty.HOLE), (2047, Empty.HOLE), (2048, Empty.OUTSIDE)]:
        assert placed.element({**place, "Addr": address}) is why
        assert placed.element({**place, "Addr": np.array([address])}).tolist() == [[why, why]]


def test_a_place_is_a_text_beside_arrays_too() -> None:
    assert GRID.element("PE=1", Addr=np.array([1, 2])).tolist() == [[3, 1], [3, 2]]


def test_no_indexes_are_no_places() -> None:
    assert {level: at.shape for level, at in GRID.locate([], []).items()} == {"PE": (0,), "Addr": (0,)}


def test_true_is_neither_an_index_nor_a_coordinate() -> None:
    for call in (
        lambda: GRID[True, 0],
        lambda: GRID[True],
        lambda: GRID.locate(True, 0),
        lambda: GRID.element(PE=True, Addr=0),
        lambda: Location(PE=True),
    ):
        with pytest.raises(TypeError, match="bool"):
            call()


def test_an_index_beyond_is_named_as_it_was_written() -> None:
    with pytest.raises(OutOfRange, match="index -9 is out of range for axis 1: it must be at least -8 and below 8"):
        GRID[0, -9]
    with pytest.raises(OutOfRange, match="index 8 is out of range for axis 1"):
        GRID[:, 8]
    with pytest.raises(ValueError, match="step -1 of axis 1"):
        GRID[0, ::-1]
    with pytest.raises(IndexError, match="at most one"):
        GRID[..., 0, ...]


def test_images_and_memory_in_another_order_of_axes_are_refused() -> None:
    image = GRID.pack(np.arange(96).reshape(12, 8))
    for same in (image.reshape(-1), image.reshape(2, 2, 24), image.reshape(4, 3, 8)):
        assert (GRID.unpack(same) == np.arange(96).reshape(12, 8)).all()
    for other in (image.T, image.reshape(24, 4), image.reshape(8, 12)):
        with pytest.raises(ValueError, match="shape"):
            GRID.unpack(other)
    with pytest.raises(ValueError, match="shape"):
        GRID.pack(np.zeros((12, 8)), out=np.zeros((24, 4)))


def test_an_inverse_table_is_not_written_in_another_order_of_bytes() -> None:
    with pytest.raises(TypeError, match="order of this machine"):
        GRID.inverse(out=np.zeros((4, 24), np.dtype(np.int32).newbyteorder()))


def test_pictures_do_not_drop_what_is_asked() -> None:
    for refused, what in [
        (lambda: GRID.draw(at="PE=1"), "view='machine'"),
        (lambda: GRID.draw(view="machine", by="PE"), "view='tensor'"),
        (lambda: GRID.draw(view="machine", slice={0: (0, 2)}), "view='tensor'"),
        (lambda: GRID.draw(view="machine", at="PE=9"), "out of range"),
        (lambda: GRID.draw(view="machine", at="Addr=1"), "does not name a unit"),
        (lambda: GRID.draw(view="machine", at="X=1"), "`X` is not a level"),
        (lambda: GRID.draw(by="X"), "`X` is not a level"),
        (lambda: GRID.draw(labels=["X"]), "`X` is not a level"),
        (lambda: GRID.draw(labels=["thread"]), "`LANE` is not a level"),
        (lambda: Layout("((8:1))").draw(labels=["unit"]), "no units"),
        (lambda: Layout("((8_LANE))").draw(by="bank"), "one of lanes"),
        (lambda: GRID.draw(dtype="f16"), "by='bank'"),
        (lambda: Layout("f16[8]{0}").draw(by="bank", dtype="f32"), "contradict the 16 bits"),
        (lambda: GRID.draw(blocks=1), "2 to 64"),
        (lambda: GRID.draw(blocks=65), "2 to 64"),
        (lambda: GRID.draw(panels=0), "at least one"),
        (lambda: GRID.draw(title="rows", caption=False), "part of the caption"),
        (lambda: GRID.draw(background="red"), "white, dark, none"),  # type: ignore[arg-type]
        (lambda: GRID.on("PE=4").explore(GRID.on("PE=4", base=7)), "the same machine, memory and base"),
        (lambda: GRID.on("PE=4").explore(GRID.on("PE=8")), "the same machine, memory and base"),
    ]:
        with pytest.raises(ValueError, match=what):
            refused()


def test_numbers_beyond_63_bits_are_not_clamped() -> None:
    assert Sharding("{devices=[2]<=[2]}").shard((2**64 - 1,), 1) == (slice(2**63, 2**64 - 1),)
    assert Layout(f"(({2**63 + 2}:1))")[:].shape == (2**63 + 2,)
    assert Layout(f"(({2**63 + 2}:1))")[-1:].locate(0)["Addr"] == 2**63 + 1


def test_a_rank_that_no_tensor_has_is_refused() -> None:
    with pytest.raises(ValueError, match="number of axes"):
        Sharding("{replicated}").to("hlo", rank=2**45)


def test_bytes_have_the_type_of_no_element():
    halves = Layout("((4:1), (2:4))@LM0 / Half").in_bytes(16)
    assert str(halves) == "((4:2), (2:8), (2:1))"
    assert "bf16" not in str(Layout("bf16[4,2]{0,1}").in_bytes(16))
    assert str(Layout("(3,4):(1,3)").in_bytes(32)) == "(3,4,4):(4,12,1)"
