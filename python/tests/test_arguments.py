"""Arguments that each public call accepts and rejects: the table of docs/python-reference.md, row by row."""

# Half of the calls here violate the type hints.
# mypy: ignore-errors

import sys
from collections import OrderedDict
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from tensor_layout import Layout, LayoutError, Location, Machine, OutOfRange, Sharding, relayout

GRID = Layout("((4_PE, 3:8), (8:1))")
ROWS = Layout("((12:1), (8:12))")
TENSOR = np.arange(96).reshape(12, 8)

#: The number 1 in every type that counts as an integer, and values that do not.
INTEGERS: list[Any] = [1, *(np.dtype(of).type(1) for of in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8")), np.array(1)]
OTHERS: list[Any] = [True, np.True_, 1.0, np.float32(1), "1", b"1", None, Fraction(1), 1j, [1.0], object()]

INTEGER_CALLS = [
    lambda n: GRID.locate(n, 0),
    lambda n: GRID.locate((n, 0)),
    lambda n: GRID.locate([n, 0]),
    lambda n: GRID[n, 0],
    lambda n: GRID.locate_all(n, 0),
    lambda n: GRID.element(PE=n, Addr=0),
    lambda n: GRID.element({"PE": n, "Addr": 0}),
    lambda n: Location(PE=n),
    lambda n: GRID.restrict(PE=n),
    lambda n: GRID.reshape(n, 96),
    lambda n: GRID.transpose(n, 0),
    lambda n: GRID.insert_axis(n),
    lambda n: GRID.split(0, (n, 12)),
    lambda n: GRID.tile(0, n),
    lambda n: GRID.with_offset(n),
    lambda n: GRID.on("PE=4", base=n),
    lambda n: Layout("8:1").divide(n),
    lambda n: Layout("8:1").product(n),
    lambda n: Layout((n, 8), (8, n)),
    lambda n: Sharding("{devices=[2,4]<=[8]}").shard((10, 7), n),
    lambda n: Sharding("P('x')", mesh={"x": n}),
]


@pytest.mark.parametrize("call", range(len(INTEGER_CALLS)))
def test_an_integer_is_one_of_any_width_and_nothing_else(call):
    first = INTEGER_CALLS[call](1)
    for integer in INTEGERS[:-1]:
        again = INTEGER_CALLS[call](integer)
        assert type(again) is type(first) and (again == first or repr(again) == repr(first)), integer
    for other in OTHERS:
        # None means a new axis in NumPy, and an unchanged mode in CuTe.
        with pytest.raises((TypeError, ValueError)):
            made = INTEGER_CALLS[call](other)
            if other is None and isinstance(made, Layout):
                raise TypeError("an axis")


@pytest.mark.parametrize("call", [lambda i, j: GRID.locate(i, j), lambda i, j: GRID.locate((i, j)), lambda i, j: GRID[i, j]])
def test_one_rule_counts_indexes_from_the_end(call):
    assert call(-1, -8) == GRID.locate(11, 0)
    for i, j in [(12, 0), (-13, 0), (0, 8), (0, -9), (2**64, 0), (-(2**200), 0)]:
        with pytest.raises(IndexError):
            call(i, j)
    many = GRID.locate(np.array([-1, 3]), -8)
    assert many["Addr"].tolist() == [GRID.locate(11, 0)["Addr"], GRID.locate(3, 0)["Addr"]]
    for index in (np.array([12, 0]), np.array([-13]), np.array([2**63], np.uint64)):
        with pytest.raises(OutOfRange):
            GRID.locate(index, 0)


def test_places_are_never_counted_from_the_end():
    for call in (
        lambda: GRID.element(PE=-1, Addr=0),
        lambda: GRID.element(PE=np.array([-1]), Addr=0),
        lambda: GRID.restrict(PE=-1),
        lambda: GRID.table("PE=-1"),
        lambda: GRID.packed(window=[(-2, 12), (0, 8)]),
    ):
        with pytest.raises(ValueError):
            call()


ARRAYS: list[Any] = [np.array([0, 3], of) for of in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", ">i8", ">u2")]


def test_arrays_of_indexes_are_of_any_integer_type():
    wanted = GRID.locate(np.array([0, 3]), 1)["Addr"].tolist()
    read_only = np.array([0, 3])
    read_only.flags.writeable = False
    for index in [*ARRAYS, [0, 3], (0, 3), range(0, 4, 3), read_only, np.array([0, 9, 3])[::2]]:
        found = GRID.locate(index, 1)["Addr"]
        assert found.tolist() == wanted and found.dtype == np.int64
        held = GRID.element(PE=index, Addr=1)
        assert held.dtype == np.int64 and held.shape == (2, 2)
    for index in (np.array([0.0]), np.array([True]), np.array(["0"]), np.array([0], object), np.array([1j]), np.array([3], "m8[s]")):
        with pytest.raises(TypeError, match="integer"):
            GRID.locate(index, 0)
        with pytest.raises(TypeError, match="integer"):
            GRID.element(PE=index, Addr=0)
    with pytest.raises(LayoutError, match="masked"):
        GRID.locate(np.ma.masked_equal([0, 3], 3), 0)


def test_arrays_of_other_libraries_are_indexes():
    for module, make in (("torch", "tensor"), ("jax.numpy", "array")):
        library = pytest.importorskip(module) if module in sys.modules else None
        if library is None:
            try:
                library = __import__(module, fromlist=["array"])
            except ImportError:
                continue
        index = getattr(library, make)([0, 3])
        assert GRID.locate(index, 1)["PE"].tolist() == [0, 1]
        assert GRID.element(PE=index, Addr=1).shape == (2, 2)


def test_a_shape_is_integers_or_one_sequence_of_them():
    for shape in [(8, 12), ((8, 12),), ([8, 12],), (np.array([8, 12]),), (np.int8(8), -1), ((8, -1),)]:
        assert GRID.reshape(*shape).shape == (8, 12)
    for shape in [((8.0, 12),), ("8,12",), ((8, None),), (None,), ((8, True),), ({8: 12},)]:
        with pytest.raises((TypeError, ValueError)):
            GRID.reshape(*shape)


def test_a_place_is_a_mapping_a_text_or_keywords():
    for place in ("PE=1,Addr=9", {"PE": 1, "Addr": 9}, Location(PE=1, Addr=9), OrderedDict(PE=1, Addr=9), MappingProxyType({"PE": 1, "Addr": 9})):
        assert GRID.element(place) == (4, 1)
    assert GRID.element(PE=1, Addr=9) == GRID.element("PE=1", Addr=9) == (4, 1)
    assert GRID.element(np.array([(1, 9)], [("PE", int), ("Addr", int)])[0].item() and {"PE": 1, "Addr": 9}) == (4, 1)
    for place in ([1, 9], 9, (1, 9), b"PE=1", np.array([1, 9])):
        with pytest.raises((TypeError, ValueError)):
            GRID.element(place)


def test_layouts_are_taken_from_texts_and_from_other_libraries():
    class Theirs:
        shape, stride = (12, 8), (1, 12)

    for other in (ROWS, str(ROWS), ROWS.on(), Theirs()):
        assert relayout(ROWS, other).elements == 96
        assert GRID.same(other).reason is not None
    for other in (TENSOR, 7, None, ("12:1",), b"12:1"):
        with pytest.raises(TypeError, match="Layout"):
            GRID.same(other)


def test_what_has_shape_and_strides_is_a_layout():
    for x in (TENSOR, TENSOR[:, ::2], np.float32(3), np.zeros((0, 3)), np.zeros(3, np.void(b"ab").dtype), memoryview(TENSOR)):
        assert Layout.of(x).shape == x.shape
    for x in (7, None, [1, 2], object()):
        with pytest.raises(TypeError):
            Layout.of(x)
    for x in (np.ma.zeros(3), np.zeros((2, 3))[::-1], np.zeros(2, "V0")):
        with pytest.raises(LayoutError):
            Layout.of(x)
    assert Layout((12, 8), (1, 12)) == Layout([12, 8], [1, 12]) == Layout.of(TENSOR.T.copy().T)
    assert Layout(12, 2) == Layout("12:2") and Layout((), ()).shape == ()
    for arguments in [((12, 8),), ((12, 8), (1,)), ((12, 8), 1), (12,), ("12:1", 1), ((12, 8.0), (1, 12)), (None,), ((12, True), (1, 12)), ((-12,), (1,)), ((12,), (-1,))]:
        with pytest.raises((TypeError, ValueError)):
            Layout(*arguments)


def outcome(call):
    """The layout and its texts, or the error."""
    try:
        layout = call()
    except (TypeError, ValueError) as error:
        return type(error), str(error)
    return layout, layout.text, layout.shape, repr(layout), str(layout)


def test_tuples_of_plain_integers_make_the_layout_that_other_integers_make():
    # The plain ones are read without a text, the others by one.
    random, numbers = Random(72), (0, 1, 2, 3, 4, 8, 31, 2**31, 2**63, 2**64, -1)

    def mode(depth: int, leaf):
        return tuple(mode(depth - 1, leaf) for _ in range(random.randint(0, 3))) if depth and random.random() < 0.7 else leaf()

    def like(shape, leaf):
        return tuple(like(part, leaf) for part in shape) if isinstance(shape, tuple) and random.random() < 0.98 else leaf()

    def foreign(of):
        return tuple(map(foreign, of)) if isinstance(of, tuple) else Index(of)

    def small():
        return random.choice(numbers[:6])

    kinds = set()
    for case in range(2000):
        leaf = small if case % 3 else lambda: random.choice(numbers)
        shape = mode(3, leaf)
        strides = like(shape, leaf)
        for notation in (None, "cute", "strided"):
            plain, other = (outcome(lambda a=a, b=b, n=notation: Layout(a, b, notation=n)) for a, b in [(shape, strides), (foreign(shape), foreign(strides))])
            assert plain == other, (shape, strides, notation)
            kinds.add(plain[0] if isinstance(plain[0], type) else Layout)
    assert Layout in kinds and any(issubclass(kind, ValueError) for kind in kinds)


class Index:
    """An integer of another library."""

    def __init__(self, number):
        self.number = number

    def __index__(self):
        return self.number

    def __repr__(self):
        return repr(self.number)


def test_tensors_are_taken_as_numpy_takes_them():
    image = GRID.pack(TENSOR)
    read_only = TENSOR.copy()
    read_only.flags.writeable = False
    for tensor in (TENSOR.tolist(), read_only, np.asfortranarray(TENSOR), TENSOR[::-1][::-1], memoryview(TENSOR)):
        assert (GRID.pack(tensor) == image).all()
    for tensor in (TENSOR.T, TENSOR.reshape(-1), 7, "a", None):
        with pytest.raises((LayoutError, TypeError)):
            GRID.pack(tensor)
    with pytest.raises(LayoutError, match="mask"):
        GRID.pack(np.ma.masked_equal(TENSOR, 3))
    with pytest.raises(TypeError, match="objects"):
        GRID.pack(TENSOR.astype(object))


def test_memory_to_write_to_fits_exactly():
    image = np.empty(GRID.image_shape, int)
    assert GRID.pack(TENSOR, out=image) is image
    read_only = np.empty(GRID.image_shape, int)
    read_only.flags.writeable = False
    for out in (np.empty(GRID.image_shape, np.int32), np.empty((24, 4), int), np.empty((4, 48), int)[:, ::2], read_only, [[0]], None and 0):
        if out is None:
            continue
        with pytest.raises((LayoutError, TypeError)):
            GRID.pack(TENSOR, out=out)
    for dtype in ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8"):
        table = np.empty((12, 8), dtype)
        assert GRID.packed(out=table) is table and (table == GRID.packed()).all()
        if dtype[0] == "i":
            inverse = np.empty((4, 24), dtype)
            assert GRID.inverse(out=inverse) is inverse and (inverse == GRID.inverse()).all()
    for table in (np.empty((12, 8)), np.empty((12, 8), ">i8"), np.empty((12, 8), bool), np.empty((8, 12), int)):
        with pytest.raises((LayoutError, TypeError)):
            GRID.packed(out=table)


def test_machines_shardings_and_meshes_are_texts_or_objects():
    machine = Machine("PE=4")
    assert GRID.on(machine) == GRID.on("PE=4")
    for other in (4, None and 0, ["PE=4"], {"PE": 4}):
        if other is not None:
            with pytest.raises((TypeError, ValueError)):
                GRID.on(other)
    sharding = Sharding("P('x', None)", mesh="x=2,y=4")
    for mesh in ({"x": 2, "y": 4}, {"x": np.int64(2), "y": 4}, MappingProxyType({"x": 2, "y": 4})):
        assert Sharding("P('x', None)", mesh=mesh) == sharding
    assert Sharding(sharding) == sharding
    for text, mesh in [("P('z')", "x=2"), ("P('x')", {"x": 0}), ("P('x')", {"x": -2}), ("P('x'", "x=2"), ("P('x')", "x")]:
        with pytest.raises(LayoutError):
            Sharding(text, mesh=mesh)
    for arguments in [(7, None), ("P('x')", 7), (None, "x=2"), ("P('x')", [("x", 2)]), ("P('x')", {"x": 2.0})]:
        with pytest.raises(TypeError):
            Sharding(arguments[0], mesh=arguments[1])


def test_refusals_are_of_one_hierarchy():
    for refusal in (
        lambda: Layout("((4_PE:1 2:4))"),
        lambda: GRID.locate(12, 0),
        lambda: GRID.reshape(5, -1),
        lambda: GRID.on("PE=2"),
        lambda: GRID.to("latin"),  # type: ignore[arg-type]
        lambda: Layout("(2:1); B@[2_X:1]").to("cute"),
        lambda: Sharding("{devices=[2]<=[2]}").shard((4,), 2),
        lambda: Machine("PE"),
        lambda: GRID.pack(np.zeros(3)),
    ):
        with pytest.raises(LayoutError) as raised:
            refusal()
        assert isinstance(raised.value, ValueError) and hasattr(raised.value, "kind") and hasattr(raised.value, "help")
