"""Integers of every public call: True is not 1, and a number that does not fit has a clear error message."""

from typing import Any

import numpy as np
import pytest

from tensor_layout import Candidates, Layout, Location, Sharding, read_hlo

SMALL = Layout("((4_PE, 3:8), (8:1))")
SHARDING = Sharding("{devices=[2,4]<=[8]}")

#: Calls with one integer argument left open.
CALLS = [
    lambda n: SMALL.reshape(n, 96),
    lambda n: SMALL.reshape([n, 96]),
    lambda n: SMALL.pad_to(n, 8),
    lambda n: SMALL.transpose(n, 0),
    lambda n: SMALL.insert_axis(n),
    lambda n: SMALL.squeeze(n),
    lambda n: SMALL.split(n, (1, 1)),
    lambda n: SMALL.split(0, (n, 12)),
    lambda n: SMALL.merge(n),
    lambda n: SMALL.merge(0, n),
    lambda n: SMALL.insert_axis(0).expand(n, 3),
    lambda n: SMALL.insert_axis(0).expand(0, n),
    lambda n: SMALL.tile(n, 2),
    lambda n: SMALL.tile(0, n),
    lambda n: SMALL.in_bytes(n),
    lambda n: SMALL.with_offset(n),
    lambda n: SMALL.complement(n),
    lambda n: SMALL.restrict(PE=n),
    lambda n: SMALL.locate(n, 0),
    lambda n: SMALL.locate([n, 0]),
    lambda n: SMALL.locate_all(n, 0),
    lambda n: SMALL[n, 0],
    lambda n: SMALL[n],
    lambda n: SMALL.element(PE=n, Addr=0),
    lambda n: SMALL.table(part=(n, 2)),
    lambda n: SMALL.table(part=(0, n)),
    lambda n: SMALL.packed(window=[(n, 12), (0, 8)]),
    lambda n: SMALL.on("PE=4", base=n),
    lambda n: SMALL.draw(slice={n: (0, 1)}),
    lambda n: SMALL.draw(slice={0: (n, 4)}),
    lambda n: SMALL.draw(zoom={0: n}),
    lambda n: SMALL.draw(blocks=n),
    lambda n: SMALL.draw(panels=n),
    lambda n: SMALL.draw().to_text(n),
    lambda n: SMALL.explore(height=n),
    lambda n: Layout("((3:1))", shape=[n]),
    lambda n: Location(PE=n),
    lambda n: Location({"PE": n}),
    lambda n: SHARDING.shard((n, 7), 0),
    lambda n: SHARDING.shard((10, 7), n),
    lambda n: SHARDING.shard_shape((n, 7)),
    lambda n: SHARDING.devices((n, 7)),
    lambda n: SHARDING.locate((10, 7), (n, 3)),
    lambda n: SHARDING.layout((n, 7)),
    lambda n: SHARDING.to("hlo", rank=n),
    lambda n: Candidates("PE=4", (n,)),
    lambda n: Candidates("PE=4", (4,), base=n),
    lambda n: Candidates("PE=4", (4,), level_parts=n),
    lambda n: Candidates("PE=4", (4,), alignment=n),
    lambda n: Candidates("PE=4", (4,), capacity_words=n),
    lambda n: Candidates("PE=4", (4,), padding_percent=n),
    lambda n: Candidates("PE=4", (4,), time=[n]),
    lambda n: Candidates("PE=4", (4,), never={n: "PE"}),
    lambda n: Candidates("PE=4", (4,), fixed={n: ["PE"]}),
    lambda n: Candidates("PE=4", (4,), contiguous={0: n}),
]


@pytest.mark.parametrize("call", range(len(CALLS)))
def test_numbers_that_are_none_are_refused_in_plain_words(call):
    for bool_ in (True, False, np.True_):
        with pytest.raises((TypeError, ValueError), match="integer|not bool"):
            CALLS[call](bool_)
    with pytest.raises((TypeError, ValueError)):
        CALLS[call]("1")
    for number in (2**64, -(2**64), 2**128, -(2**128), 10**5000):
        # Not an OverflowError: that is not a ValueError.
        with pytest.raises((ValueError, IndexError)) as refusal:
            CALLS[call](number)
        assert "convert" not in str(refusal.value)


@pytest.mark.parametrize("call", range(len(CALLS)))
def test_a_negative_number_is_an_answer_or_a_refusal(call):
    try:
        CALLS[call](-1)
    except (ValueError, IndexError) as refusal:
        assert "convert" not in str(refusal)


def test_numbers_of_numpy_are_integers():
    integer: Any
    for integer in (np.int64, np.uint8, np.uint64):
        assert SMALL.reshape(integer(8), integer(12)).shape == (8, 12)
        assert SMALL.tile(integer(1), integer(2)).shape == (12, 16)
        assert Location(PE=integer(1)) == {"PE": 1}
    shape: Any = np.array([8, -1])
    assert SMALL.reshape(shape).shape == (8, 12)


def test_refusals_say_what_a_number_may_be():
    for call, refusal in (
        (lambda: SMALL.reshape(True, 96), "expected an integer, not bool"),
        (lambda: SMALL.reshape(2**64, 1), "extents are from 0 to 2**64 - 1, and one may be -1; 1844674407"),
        (lambda: SMALL.tile(0, -1), "expected an integer from 0 to 2**64 - 1, not -1"),
        (lambda: SMALL[2**64, 0], "index 18446744073709551616 is out of range for axis 0"),
        (lambda: SMALL[-13, 0], "index -13 is out of range for axis 0: it must be at least -12 and below 12"),
        (lambda: SMALL.insert_axis(2**64), "axis 18446744073709551616 does not exist"),
    ):
        with pytest.raises((ValueError, TypeError, IndexError)) as raised:
            call()
        assert refusal in str(raised.value)


def test_a_level_that_is_given_twice_is_refused():
    for call in (
        lambda: Location("PE=1", PE=2),
        lambda: Location({"PE": 1}, PE=1),
        lambda: SMALL.restrict("PE=1", PE=2),
        lambda: SMALL.element(Location(PE=1, Addr=0), PE=2),
        lambda: SMALL.element({"PE": 1, "Addr": np.arange(2)}, PE=2),
    ):
        with pytest.raises(ValueError, match="`PE` is given twice"):
            call()
    assert Location("PE=1", Addr=2) == {"PE": 1, "Addr": 2}


def test_records_of_a_dump_are_counted_as_those_of_a_list():
    import io

    records = read_hlo(io.StringIO("HloModule m\n\nadd {\n  ROOT x = f32[3] parameter(0)\n}\n"))
    assert records[-1].name == "x"
    for at in (1, -2, 2**64, -(2**200)):
        with pytest.raises(IndexError):
            records[at]


def test_an_array_that_another_call_writes_to_is_refused():
    layout = Layout("((8:1))")
    tensor, out = np.arange(8), np.empty(8, np.int64)
    with pytest.raises(ValueError, match="another call that has not ended uses this array"):
        layout.pack(tensor, out=out, progress=lambda *_: layout.pack(tensor, out=out))
    packed = np.empty(8, np.uint32)
    with pytest.raises(ValueError, match="another call that has not ended uses this array"):
        layout.packed(out=packed, progress=lambda *_: layout.packed(out=packed))
    with pytest.raises(ValueError, match="another call that has not ended uses this array"):
        layout.unpack(tensor, out=out, progress=lambda *_: layout.pack(tensor, out=out))
