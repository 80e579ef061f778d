"""Data in NumPy's memory: packed, unpacked, strided, of every type."""

import itertools
import signal
import threading
import time
import tracemalloc

import ml_dtypes
import numpy as np
import pytest
from conftest import drawn

from tensor_layout import Layout

DTYPES = [
    "u1", "i1", "?", "u2", "i2", "f2", "u4", "i4", "f4", "u8", "i8", "f8", "c8", "c16", "M8[s]", "m8[ms]", ">f4", ">i2",
    ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.int4,
]


def test_packing_is_the_table_for_every_type(rng):
    for number, _ in enumerate(range(150)):
        layout = Layout(drawn(rng))
        dtype = np.dtype(DTYPES[number % len(DTYPES)])
        tensor = np.arange(layout.size).astype("u1").astype(dtype).reshape(layout.shape)
        image = layout.pack(tensor)
        assert image.shape == layout.image_shape and image.dtype == dtype
        assert (image.reshape(-1)[layout.packed()] == tensor).all()
        inverse = layout.inverse()
        assert (image[inverse < 0] == np.zeros((), dtype)).all()
        assert (image[inverse >= 0] == tensor.reshape(-1)[inverse[inverse >= 0]]).all()
        back = layout.unpack(image)
        assert back.dtype == dtype and (back == tensor).all()


def test_fill_stands_where_no_element_is():
    layout = Layout("(3)/((2:1, 2_PE))")
    image = layout.pack(np.array([1, 2, 3], ml_dtypes.bfloat16), fill=-1)
    assert image.tolist() == [[1, 3], [2, -1]]


def test_views_are_packed_as_they_look(rng):
    for _ in range(50):
        layout = Layout(drawn(rng))
        base = np.arange(layout.size * 3).reshape((*layout.shape[::-1], 3))
        view = base[..., 1].T
        assert (layout.unpack(layout.pack(view)) == view).all()


def test_layouts_of_views_say_where_their_elements_are(rng):
    for _ in range(200):
        shape = tuple(rng.randint(1, 5) for _ in range(rng.randint(1, 4)))
        base = np.arange(np.prod(shape), dtype=rng.choice([np.int8, np.int32, np.float64]))
        view = base.reshape(shape).transpose(rng.sample(range(len(shape)), len(shape)))
        view = view[tuple(slice(rng.randint(0, 1), None, rng.randint(1, 2)) for _ in shape)]
        if view.size == 0:
            continue
        layout = Layout.of(view)
        assert layout.shape == view.shape
        first = int(view.reshape(-1)[0])
        for index in np.ndindex(view.shape):
            assert base[first + layout.locate(*index)["Addr"]] == view[index]


def test_broadcasts_share_places():
    layout = Layout.of(np.broadcast_to(np.arange(3), (4, 3)))
    assert layout.locate(0, 2) == layout.locate(3, 2) == {"Addr": 2}
    with pytest.raises(ValueError, match="both stored at"):
        layout.pack(np.zeros((4, 3)))


def test_every_transpose_is_made_contiguous():
    tensor = np.arange(2 * 3 * 5 * 7, dtype=np.int32).reshape(2, 3, 5, 7)
    for order in itertools.permutations(range(4)):
        view = tensor.transpose(order)
        # Packing by the layout of the copy produces the buffer of the copy.
        copied = np.ascontiguousarray(view)
        assert (Layout.of(copied).pack(view) == copied.reshape(-1)).all()
        # Packing by the layout of the view produces the buffer of the tensor.
        assert (Layout.of(view).pack(view) == tensor.reshape(-1)).all()


def test_out_is_written_and_returned():
    layout = Layout("((4_PE, 3:8), (8:1))")
    tensor = np.arange(96, dtype=np.float32).reshape(12, 8)
    image, back = np.empty(layout.image_shape, np.float32), np.empty((12, 8), np.float32)
    assert layout.pack(tensor, out=image) is image
    assert layout.unpack(image, out=back) is back and (back == tensor).all()
    table = np.empty((12, 8), np.uint16)
    assert layout.packed(out=table) is table and (table == layout.packed()).all()
    inverse = np.empty((4, 24), np.int64)
    assert (layout.inverse(out=inverse) == layout.inverse()).all()
    assert (inverse == layout.inverse()).all()
    # The tensor's own memory may be the image.
    square = Layout("((3:1), (3:3))")
    both = np.arange(9).reshape(3, 3)
    square.pack(both, out=both)
    assert (both == np.arange(9).reshape(3, 3).T).all()


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda layout: layout.pack(np.zeros((8, 12))), "shape"),
        (lambda layout: layout.unpack(np.zeros(5)), "shape"),
        (lambda layout: layout.pack(np.zeros((12, 8)), out=np.zeros((4, 24), "f4")), "float32"),
        (lambda layout: layout.pack(np.zeros((12, 8)), out=np.zeros((24, 4)).T), "C order"),
        (lambda layout: layout.pack(np.zeros((12, 8), object)), "objects"),
        (lambda layout: layout.pack(np.zeros((12, 8), "S3")), "width"),
        (lambda layout: layout.packed(out=np.zeros((12, 8))), "integers"),
        (lambda layout: layout.packed(out=np.zeros((8, 12), "u4").T), "C order"),
        (lambda layout: layout.packed(out=np.zeros(3, "u4")), "shape"),
        (lambda layout: layout.packed(out=np.zeros((12, 8), "u4"), dtype="u4"), "not both"),
        (lambda layout: layout.inverse(out=np.zeros((4, 24))), "integers"),
        (lambda layout: layout.element(PE=np.array([0, -1]), Addr=0), "cannot be negative"),
        (lambda layout: layout.locate(np.array([[0.5, 1]])), "integer"),
        (lambda layout: Layout.of(np.zeros((3, 4))[::-1]), "negative"),
        (lambda layout: Layout.of(np.zeros(3, [("a", "u1"), ("b", "f4")])["b"]), "multiple"),
        (lambda layout: Layout.of(7), "neither"),
    ],
)
def test_what_does_not_fit_is_refused(call, what):
    with pytest.raises((ValueError, TypeError), match=what):
        call(Layout("((4_PE, 3:8), (8:1))"))


#: Long enough to be processed in parts: 2^26 elements.
LONG = "((16_L2B, 8_L1B, 64:128), (16_MAB, 128:1, 4_PE))"


def test_long_calls_tell_how_far_they_are():
    layout = Layout(LONG)
    tensor = np.empty(layout.shape, np.uint8)
    said = []
    layout.pack(tensor, progress=lambda *step: said.append(step))
    assert len(said) > 3 and said[-1] == (layout.size, layout.size)
    assert [done for done, _ in said] == sorted(done for done, _ in said)

    def enough(done, _):
        raise KeyError(done)

    with pytest.raises(KeyError):
        layout.packed(progress=enough)


def test_parts_are_the_whole():
    # More than one part, with padding and odd sizes, compared with the table.
    layout = Layout("(4000,3001)/((4_PE, 1000:3002), (3002:1))")
    packed = layout.packed()
    tensor = np.arange(layout.size, dtype=np.uint32).reshape(layout.shape)
    image = layout.pack(tensor, fill=7)
    assert (image.reshape(-1)[packed] == tensor).all()
    assert np.count_nonzero(layout.inverse() < 0) == image.size - tensor.size
    assert (layout.unpack(image) == tensor).all()


def test_windows_are_parts_of_the_table(rng):
    for _ in range(50):
        layout = Layout(drawn(rng))
        bounds = [tuple(sorted(rng.choices(range(extent + 1), k=2))) for extent in layout.shape]
        wanted = layout.packed()[tuple(slice(*pair) for pair in bounds)]
        assert (layout.packed(window=bounds) == wanted).all()
    # Even for a tensor that is too large for any memory.
    huge = Layout("((16_L2B, 65536:65536), (65536:1))")
    assert huge.packed(window=[(1048575, 1048576), (65535, 65536)])[0, 0] == 2**36 - 1
    with pytest.raises(ValueError, match="must be below"):
        huge.packed(window=[(0, 1048577), (0, 1)])


def test_other_threads_run_meanwhile():
    layout = Layout(LONG)
    done, turns = threading.Event(), 0

    def work():
        layout.packed()
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        turns += 1
        time.sleep(0)
    thread.join()
    assert turns > 100


@pytest.fixture
def interrupts():
    """Raises on interrupts also where a shell runs the tests in the background, which ignores them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interrupts")
def test_interrupts_end_long_calls():
    layout = Layout(LONG)
    out = np.empty(layout.shape, np.uint32)
    main = threading.main_thread().ident or 0
    timer = threading.Timer(0.02, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    started = time.monotonic()
    with pytest.raises(KeyboardInterrupt):
        while time.monotonic() - started < 30:
            layout.packed(out=out)


def test_packing_takes_no_memory_but_that_of_the_image():
    layout = Layout("((4_PE, 512:1024), (1024:1))")
    tensor = np.zeros(layout.shape, np.float32)
    layout.pack(tensor)
    tracemalloc.start()
    image = layout.pack(tensor)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert image.nbytes <= peak < image.nbytes + (1 << 16)
    tracemalloc.start()
    layout.pack(tensor, out=image)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 16


def test_arrays_of_places_in_a_memory_of_several_units_are_those_of_single_calls():
    # The PDM of mn-core-2 belongs to two L2Bs.
    placed = Layout("((4_L2B:2, 64:1))@PDM").on("mn-core-2")
    every = np.arange(256)
    found = placed.locate(every)
    assert [dict(placed.locate(at)) for at in every.tolist()] == [
        {level: int(column[at]) for level, column in found.items()} for at in every.tolist()
    ]
    units, addresses = (np.arange(8 * 70) // 70, np.arange(8 * 70) % 70)
    single = [placed.element(L2B=unit, Addr=at) for unit, at in zip(units.tolist(), addresses.tolist(), strict=True)]
    many = placed.element(L2B=units, Addr=addresses)
    assert [at[0] if isinstance(at, tuple) else int(at) for at in single] == many[:, 0].tolist()
    assert (placed.element(found)[:, 0] == every).all()
