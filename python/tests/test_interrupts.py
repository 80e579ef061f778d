"""Ctrl-C ends every long call, and a result that does not fit in memory fails immediately."""

import signal
import time

import numpy as np
import pytest

from tensor_layout import Candidates, Layout

#: More than a slow machine needs; without checks for signals the calls take many times as long.
PATIENCE = 5.0


def assert_ends(call):
    """Asserts that a call ends when Ctrl-C arrives shortly after its start."""
    # A system timer: a Python timer would wait for a call that holds the interpreter lock.
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    started = time.monotonic()
    # Repeatedly: an exception raised in a callback of the garbage collector (JAX has one) is lost.
    signal.setitimer(signal.ITIMER_REAL, 0.3, 0.5)
    try:
        with pytest.raises(KeyboardInterrupt):
            try:
                call()
            except Exception as raised:
                # PyArrow raises its own error, which wraps the KeyboardInterrupt.
                assert "KeyboardInterrupt" in str(raised)
                time.sleep(PATIENCE)
        assert time.monotonic() - started < 0.3 + PATIENCE
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_interrupts_end_packing_of_many_copies():
    layout = Layout("((1048576:1); B@[2048_PE])")
    tensor = np.zeros(layout.shape, np.uint8)
    out = np.empty(layout.image_shape, np.uint8)

    def work():
        while True:
            layout.pack(tensor, out=out)

    assert_ends(work)
    one = Layout("(1)/((1:1); B@[8388608_Addr:1])")
    assert (one.pack(np.ones(1, np.uint8)) == 1).all()


def test_interrupts_end_tables():
    table = Layout("((8192_PE, 1024:1), (8:1024))").table()
    assert_ends(table.columns)


def test_interrupts_end_exports_by_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    # Rows that arrive in batches, and rows whose places are all sorted first.
    for text in ("((8192_PE, 1024:1), (8:1024))", "((3:2, 5000000:3))"):
        table = Layout(text).table()
        assert_ends(lambda table=table: pyarrow.table(table))


def test_interrupts_end_counts_and_walks_of_candidates():
    candidates = Candidates("mn-core-2", (4096, 4096, 4096), level_parts=3)
    assert_ends(candidates.count)
    assert_ends(lambda: list(candidates))


def test_more_rows_than_memory_holds_are_refused_at_once():
    huge = Layout("((1048576_PE:1), (1048576:1))")
    for call in (huge.table().to_numpy, huge.table().columns, huge.table().tolist):
        started = time.monotonic()
        with pytest.raises(MemoryError, match="1099511627776 rows of 4 numbers"):
            call()
        assert time.monotonic() - started < PATIENCE
    # Its parts and units are small.
    assert len(huge.table(part=(7, 1 << 30)).to_numpy()) == 1024
    assert len(huge.table(at="PE=3").columns()["i1"]) == 1 << 20
    with pytest.raises(MemoryError):
        Layout("((4:1); B@[1099511627776_PE:1])").locate_all(1)
