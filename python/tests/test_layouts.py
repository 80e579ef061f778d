"""Layouts, checked against their definition: corpora of the crate, and random layouts."""

import copy
import pickle

import numpy as np
import pytest
from conftest import DATA, drawn, lines

from tensor_layout import Empty, Layout, LayoutError, Location, Machine, OutOfRange, ParseError

CORPUS = [line.split("\t")[0] for line in lines("pad_layouts.txt") + lines("tpu_shapes.txt")]
SMALL = 5000


def readable(text):
    try:
        return Layout(text)
    except ParseError:
        return None


def test_corpus_prints_what_it_read():
    read = [layout for layout in map(readable, CORPUS) if layout is not None]
    assert len(read) > 100
    for layout in read:
        again = Layout(str(layout))
        assert again == layout and hash(again) == hash(layout)
        assert again.same(layout)


def test_corpus_points_into_the_text_that_it_refuses():
    refused = (DATA / "refusals.txt").read_text(encoding="utf-8").splitlines()
    texts = [line[4:] for line in refused if line.startswith("### ")]
    assert len(texts) > 50
    kinds = set()
    for text in texts:
        try:
            Layout(text)
        except ParseError as error:
            start, end = error.span
            assert 0 <= start <= end <= len(error.text), text
            assert "^" in str(error)
            kinds.add(error.kind)
            assert issubclass(ParseError, ValueError)
            again = pickle.loads(pickle.dumps(error))
            assert (str(again), again.span, again.help) == (str(error), error.span, error.help)
    assert len(kinds) > 5


def test_element_is_the_inverse_of_every_copy(rng):
    for _ in range(200):
        layout = Layout(drawn(rng))
        for index in np.ndindex(layout.shape):
            places = layout.locate_all(*index)
            assert places[0] == layout.locate(*index) and len(places) == layout.copies
            assert all(layout.element(place) == index for place in places)


def test_tables_say_what_points_say(rng):
    for _ in range(100):
        layout = Layout(drawn(rng))
        if not 0 < layout.size < SMALL:
            continue
        packed, sizes = layout.packed(), layout.image_shape
        assert packed.shape == layout.shape and packed.dtype == np.int64
        weights = np.cumprod((1, *sizes[:0:-1]), dtype=np.int64)[::-1]
        for index in np.ndindex(layout.shape):
            place = layout.locate(*index)
            wanted = sum(place.get(level, 0) * int(w) for level, w in zip(layout.levels, weights))
            assert packed[index] == wanted
        for dtype in (np.uint64, np.uint32, np.uint16):
            if np.prod(sizes) <= np.iinfo(dtype).max:
                assert (layout.packed(dtype=dtype) == packed).all()
        inverse = layout.inverse()
        assert inverse.shape == sizes
        assert (inverse.reshape(-1)[packed] == np.arange(layout.size).reshape(layout.shape)).all()
        assert np.count_nonzero(inverse >= 0) == layout.size * layout.copies


def test_arrays_of_indexes_and_of_places_are_points(rng):
    for _ in range(100):
        layout = Layout(drawn(rng))
        indexes = np.array(list(np.ndindex(layout.shape)), dtype=np.int64)
        if not 0 < len(indexes) < SMALL or layout.ndim == 0:
            continue
        by_level = layout.locate(indexes if layout.ndim > 1 else indexes[:, 0])
        by_axis = layout.locate(*indexes.T)
        for at, index in enumerate(indexes):
            place = layout.locate(*index)
            assert {level: column[at] for level, column in by_level.items()} == dict(place)
        assert all(np.array_equal(by_axis[level], by_level[level]) for level in by_level)
        found = np.asarray(layout.element(by_level))
        assert np.array_equal(found.reshape(indexes.shape), indexes)


def test_places_without_an_element_tell_why():
    layout = Layout("(10,7)/((3:7, 4_PE), (7:1))").on("PE=4")
    assert layout.element(PE=3, Addr=14) is Empty.PADDING
    assert layout.element({"PE": 9, "Addr": 0}) is Empty.OUTSIDE
    assert Layout("((2_PE:2))").element("PE=1,Addr=0") is Empty.HOLE
    assert not Empty.PADDING and not layout.element(PE=3, Addr=14)
    many = layout.element(PE=np.array([[0, 3], [9, 1]]), Addr=np.array([8, 14]))
    assert many[0, 0].tolist() == [4, 1] and many[0, 1].tolist() == [-2, -2]
    assert many[1, 0].tolist() == [-3, -3]
    for refused in ({"PE": np.array([0])}, {"PE": np.array([0]), "Addr": 0, "X": 1}):
        with pytest.raises(ValueError, match="levels PE, Addr"):
            layout.element(refused)  # type: ignore[arg-type]


def test_indexing_is_that_of_numpy(rng):
    for _ in range(300):
        layout = Layout(drawn(rng))
        if not 0 < layout.size < SMALL:
            continue
        table = layout.packed()
        key = tuple(index_of(rng, extent) for extent in layout.shape[: rng.randint(0, layout.ndim)])
        key += rng.choice([(), (...,), (None,)])
        wanted = table[key]
        part = layout[key]
        if isinstance(part, Location):
            assert part == layout.locate(*np.argwhere(table == wanted)[0])
            continue
        assert part.shape == wanted.shape
        for index in np.ndindex(part.shape):
            place = layout.locate(*np.argwhere(table == wanted[index])[0])
            assert dict(part.locate(*index)) == dict(place), (layout, key)


def index_of(rng, extent):
    at = rng.randrange(extent)
    bound = lambda: rng.choice([None, rng.randint(-extent - 1, extent + 1)])
    return rng.choice([at, at - extent, slice(bound(), bound(), rng.choice([None, 1, 2, 3]))])


def test_edits_are_those_of_arrays(rng):
    for _ in range(150):
        layout = Layout(drawn(rng))
        if not 0 < layout.size < SMALL:
            continue
        table = layout.packed()
        order = rng.sample(range(layout.ndim), layout.ndim)
        pairs = [
            (layout.T, table.T),
            (layout.transpose(*order), table.transpose(order)),
            (layout.transpose(order), table.transpose(order)),
            (layout.reshape(-1), table.reshape(-1)),
            (layout.reshape(1, layout.size), table.reshape(1, -1)),
            (layout.squeeze(), table.squeeze()),
            (layout.insert_axis(-1), table[..., None]),
        ]
        for edited, wanted in pairs:
            assert edited.shape == wanted.shape
            for index, number in zip(np.ndindex(wanted.shape), wanted.reshape(-1)):
                place = layout.locate(*np.argwhere(table == number)[0])
                assert dict(edited.locate(*index)) == dict(place)


def test_pickles_copies_and_hashes_are_the_layout(rng):
    # No notation can express fused and sliced axes, so they are kept as parts.
    odd = Layout("f32[30,50]{1,0:T(*,128)}")[3:20:2]
    assert odd.text is None
    for layout in [odd, *(Layout(drawn(rng)) for _ in range(100))]:
        for again in (pickle.loads(pickle.dumps(layout)), copy.copy(layout), copy.deepcopy(layout)):
            assert again == layout and hash(again) == hash(layout)
            assert again.same(layout)
    machine = Machine("L2B=8,MAB=8,PE=8")
    placement = Layout("((4_PE, 3:8), (8:1))").on(machine, memory="LM0", dtype="f16", base=2)
    again = pickle.loads(pickle.dumps(placement))
    assert again == placement and hash(again) == hash(placement)
    assert (again.machine, again.memory, again.element_bits, again.base) == (machine, "LM0", 16, 2)
    assert again.locate(0, 0) == placement.locate(0, 0)
    assert pickle.loads(pickle.dumps(Location(PE=1, Addr=2))) == Location(PE=1, Addr=2)
    assert pickle.loads(pickle.dumps(machine)) == machine


def test_same_has_a_witness(rng):
    for _ in range(100):
        first, second = Layout(drawn(rng)), Layout(drawn(rng))
        assert first.same(first)
        same = first.same(second)
        if same.index is not None:
            assert same.first == first.locate_all(*same.index)
            assert same.second == second.locate_all(*same.index)
        assert bool(same) == (same.reason == "")


def test_composition_is_substitution():
    outer = Layout("((4_PE, 3:8), (8:1))")
    inner = Layout("((3_i0:4, 4_i1:2))")
    composed = outer @ inner
    for i in range(12):
        place = inner.locate(i)
        assert composed.locate(i) == outer.locate(place["i0"], place["i1"])
    assert composed == outer.compose("((3_i0:4, 4_i1:2))")


def test_texts_go_from_notation_to_notation():
    shape = Layout("f32[3,5]{1,0:T(2,2)}")
    assert shape.to("pad-layout") == "(3,5)/((2:12, 2:2), (3:4, 2:1))"
    assert Layout(shape.to("pad-layout")).to("xla") == "f32[3,5]{1,0:T(2,2)}"
    assert Layout("(3,4):(4,1)").to("strided") == "shape=(3, 4), strides=(4, 1)"
    with pytest.warns(UserWarning, match="padding is omitted"):
        assert Layout("((4:8), (8:1))")[1:3].to("cute") == "S<0,4,3> o 8 o (2,8):(8,1)"
    with pytest.raises(ValueError, match="is not a notation"):
        shape.to("latin")  # type: ignore[arg-type]


def test_refusals_say_what_to_do():
    layout = Layout("((4_PE, 3:8), (8:1))")
    with pytest.raises(OutOfRange, match="index 12"):
        layout.locate(12, 0)
    with pytest.raises(IndexError):
        layout[0, -9]
    for call, what in [
        (lambda: layout.locate(-13, 0), "index -13 is out of range for axis 0"),
        (lambda: layout.locate(1), "1 entry, but the layout has 2 axes"),
        (lambda: layout[::-1], "negative"),
        (lambda: layout.on("mn-cor"), "did you mean `mn-core`"),
        (lambda: layout.on("PE=2"), "PE"),
        (lambda: layout.reshape(5, -1), "elements"),
        (lambda: layout.transpose(0, 0), "axes|order|permut"),
        (lambda: layout.squeeze(0), "extent"),
        (lambda: layout.split(7, (2, 2)), "axis 7 does not exist"),
        (lambda: Layout("((12:8), (8:1)) @LM0").on("PE=4", memory="LM1"), "contradicts"),
        (lambda: layout.same("((1:1))", up_to="now"), "up_to"),  # type: ignore[arg-type]
    ]:
        with pytest.raises(ValueError, match=what):
            call()
    for call in (lambda: layout.locate(0.5, 0), lambda: layout.locate("a", 0), lambda: iter(layout)):
        with pytest.raises(TypeError):
            call()


def test_refusals_point_into_the_text_as_long_as_it_is_the_layout():
    layout = Layout("((4_PE, 3:8), (8:1))")
    with pytest.raises(ParseError, match="PE") as refusal:
        layout.on("PE=2")
    assert refusal.value.text == str(layout)
    assert refusal.value.text[slice(*refusal.value.span)] == "4_PE"
    with pytest.raises(LayoutError, match="PE"):
        layout.T.on("PE=2")


def test_a_layout_that_shares_places_points_to_it():
    with pytest.raises(ParseError, match="are both stored at") as refusal:
        Layout("((4:1), (2:3))")
    assert refusal.value.text == "((4:1), (2:3))" and "stride" in str(refusal.value.help)
