"""Questions of a planner: candidates, operations, prices; and their answers as data frames."""

import heapq
import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from conftest import DATA, drawn_digits

from tensor_layout import (
    Candidates,
    Cost,
    Layout,
    LayoutError,
    Machine,
    Pricer,
    check_spec,
    einsum,
    read_hlo,
    relayout,
)

MACHINE = "L2B=5,MAB=2,PE=5"


def test_a_pricer_prices_what_a_relayout_counts(rng):
    pricer = Pricer(MACHINE, "f64", rates={"L2B": 4, "PE": 1})
    asked: set[tuple[str, str]] = set()
    while len(asked) < 100:
        drawn = drawn_digits(rng)
        first, second = drawn.text(), drawn._replace(axes=drawn.axes[::-1], shape=drawn.shape[::-1]).text()
        second = str(Layout(second).T) if drawn.shape else second
        try:
            move = relayout(first, second, MACHINE)
        except LayoutError:
            continue
        traffic = pricer.traffic(first, second)
        assert {level: of["into"] for level, of in traffic.items()} == move.into
        assert {level: of["out_of"] for level, of in traffic.items()} == move.out_of
        cost = pricer.cost(first, second)
        assert cost <= pricer.busiest_cost(first, second) and bool(cost.steps) == (cost.level is not None)
        parts = pricer.part(first), pricer.part(Layout(second).on(MACHINE))
        assert pricer.cost(*parts) == cost and hash(parts[0]) == hash(pricer.part(first))
        asked.add((first, second))
    assert pricer.statistics()["parts"] <= 2 * len(asked)


def test_rates_and_latencies_are_steps():
    move = "((1_PE, 12:1))", "((4_PE:1, 3:1))"
    # Nine long words leave one PE, three enter each of the others.
    steps: dict[Any, int] = {
        1: 9,
        np.int32(3): 3,
        Fraction(1, 2): 18,
        (1, 9): 3,
        (Fraction(3, 7), 9): 7,
    }
    for rate, expected in steps.items():
        assert Pricer("PE=4", "f64", rates={"PE": rate}).cost(*move).steps == expected, rate
    late = Pricer("PE=4", "f64", rates={"PE": 1}, latency={"PE": 5})
    assert repr(late.cost(*move)) == "Cost(steps=14, level='PE')" and isinstance(late.cost(*move), Cost)
    assert repr(late.cost(move[0], move[0])) == "Cost(steps=0, level=None)"
    both = {"L2B": 1, "PE": 1}
    pair = "((1_PE, 1_L2B, 64:1))", "((2_L2B:1, 4_PE:1, 8:1))"
    together, apart = (Pricer("L2B=2,PE=4", "f64", rates=both, in_sequence=of).cost(*pair) for of in (False, True))
    assert apart > together
    rated = Machine.from_toml('name = "m"\n[levels]\nPE = 4\n[bandwidth]\nPE = 3\n')
    assert Pricer(rated, "f64").cost(*move).steps == relayout(*move, rated, dtype="f64").steps == 3


@pytest.mark.parametrize("rate", [0, -1, 1.5, True, None, "1", (1, 2, 3), (1, 0)])
def test_what_is_not_a_rate_is_refused(rate):
    with pytest.raises((LayoutError, TypeError)):
        Pricer("PE=4", "f64", rates={"PE": rate})


def test_a_pricer_needs_rates_and_its_own_parts():
    with pytest.raises(LayoutError, match="bandwidth"):
        Pricer("PE=4", "f64")
    with pytest.raises(LayoutError, match="MAB"):
        Pricer("PE=4", "f64", rates={"MAB": 1})
    one, other = (Pricer("PE=4", "f64", rates={"PE": 1}) for _ in range(2))
    with pytest.raises(LayoutError):
        one.cost(other.part("((4_PE:1))"), "((4_PE:1))")
    with pytest.raises(LayoutError, match="machine"):
        one.cost(Layout("((2_PE:1))").on("PE=2"), "((2_PE:1))")


def test_few_answers_are_kept_where_few_may_be():
    pricer = Pricer("PE=4", "f64", rates={"PE": 1}, most_answers=1)
    layouts = ["((4_PE, 3:1))", "((3:1, 4_PE))", "((1_PE, 12:1))"]
    for pair in itertools.product(layouts, layouts):
        pricer.cost(*pair)
    assert pricer.statistics()["kept"] <= 1 < pricer.statistics()["counted"]


def test_samples_are_candidates_and_bounds_hold():
    candidates = Candidates("L2B=2,PE=4", (8, 8), padding_percent=0, level_parts=2)
    every = {of.layout for of in candidates}
    least, most = candidates.count_range()
    assert least <= candidates.count() == len(every) <= most
    drawn = [of.layout for of in itertools.islice(candidates.samples(7), 200)]
    assert set(drawn) <= every and len(set(drawn)) > 50
    assert drawn == [of.layout for of in itertools.islice(candidates.samples(7), 200)]
    assert drawn != [of.layout for of in itertools.islice(candidates.samples(8), 200)]
    assert next(candidates.samples()).placement.machine == Machine("L2B=2,PE=4")


def test_the_best_candidates_are_those_of_the_least_prices():
    candidates = Candidates("L2B=2,PE=4", (8, 6))
    pricer = Pricer("L2B=2,PE=4", "f64", rates={"L2B": 2, "PE": 1})
    price = lambda of: pricer.cost("((8:6), (6:1))", of.placement)
    best = heapq.nsmallest(3, candidates, key=price)
    assert [price(of) for of in best] == sorted(map(price, candidates))[:3]


def test_time_cuts_as_many_axes_as_may_be():
    slices = lambda **options: [
        sum("Time" in axis for axis in str(of.layout).split("), ("))
        for of in Candidates("PE=2", (4, 4), time=[4], padding_percent=0, **options)
    ]
    assert set(slices()) == {1} and set(slices(time_axes=2)) == {1, 2}


def test_loops_are_a_result_and_its_sums():
    whole = einsum("bk,kn->bn", loops="((4_L2B:1), (8_MAB:1), (4_PE:1, 32:1))")
    apart = einsum("bk,kn->bn", "((4_L2B:1), (8_MAB:1))", k="((4_PE:1, 32:1))")
    assert whole.operands == apart.operands and whole.result == apart.result == Layout("((4_L2B:1), (8_MAB:1))")
    machine = "L2B=4,MAB=8,PE=4"
    assert whole.is_served_by(whole.operands, machine)
    assert not whole.is_served_by([whole.operands[0], "((32:1, 4_PE:1), (8:32))"], machine)
    # Each sum is in every PE that had a part, or, if scattered, in one of them.
    assert whole.summed().copies == 4 and whole.summed(scattered=True).copies == 1
    for refused in (
        lambda: einsum("k->", loops="((4:1))", k="((4:1))"),
        lambda: einsum("k->", "()", loops="((4:1))"),
        lambda: einsum("k->"),
        lambda: whole.is_served_by(whole.operands[:1], machine),
    ):
        with pytest.raises(LayoutError):
            refused()


@pytest.mark.parametrize("size", [1, 2, 3, 5])
@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("dilation", [1, 2])
def test_windows_are_those_of_numpy(size, stride, dilation):
    layout = Layout("(11,3)/((4_PE, 3:3), (3:1))")
    rows = np.lib.stride_tricks.sliding_window_view(np.arange(11), (size - 1) * dilation + 1)[::stride, ::dilation]
    windows = layout.windows(0, size, stride=stride, dilation=dilation)
    assert windows.shape == (*rows.shape, 3)
    window, tap = np.indices(rows.shape)
    ours, theirs = windows.locate(window, tap, 1), layout.locate(rows, 1)
    assert all(np.array_equal(ours[level], theirs[level]) for level in theirs)
    assert layout.windows(-2, size, stride=stride, dilation=dilation).same(windows)


def test_a_window_has_a_size_and_an_axis():
    layout = Layout("(11,3)/((4_PE, 3:3), (3:1))")
    for refused in ((0, 0), (2, 1), (-3, 1)):
        with pytest.raises(LayoutError):
            layout.windows(*refused)
    with pytest.raises(LayoutError):
        layout.windows(0, 3, stride=0)


def test_a_streamed_tensor_at_rest_has_no_slices():
    streamed = Layout("((2_Time, 4_PE, 8:1))")
    assert "Time" not in streamed.at_rest().locate(0)
    places = {tuple(streamed.at_rest().locate(i).items()) for i in range(64)}
    assert len(places) == 64


def test_traffic_is_a_frame():
    polars, pandas = pytest.importorskip("polars"), pytest.importorskip("pandas")
    move = relayout("((1_PE, 12:1))", "((2_L2B, 2_PE, 3:1))", "L2B=2,PE=2")
    frame = polars.DataFrame(move)
    assert frame.columns == ["level", "into", "out_of"]
    assert dict(zip(frame["level"], frame["into"])) == move.into
    assert pandas.DataFrame.from_arrow(move)["into"].tolist() == list(move.into.values())
    copies = relayout("((1:1, 4:1); B@[2_PE])", "((4_PE:1))", "PE=4")
    assert polars.DataFrame(copies)["out_of"].to_list() == list(copies.out_of.values())


def test_records_of_a_dump_are_a_frame():
    polars, pyarrow = pytest.importorskip("polars"), pytest.importorskip("pyarrow")
    records = read_hlo(DATA.parents[1] / "crates/hlo/tests/data/mlp.txt")
    columns = records.columns()
    assert pyarrow.table(records).to_pydict() == columns
    frame = polars.DataFrame(records)
    assert frame.columns == list(columns) and frame["operands"].to_list() == columns["operands"]
    assert frame.filter(polars.col("opcode") == "parameter").height > 0


def test_a_machine_with_movements_needs_no_rates():
    pair = "((8_L2B, 8_L1B, 64:1))", "((8_L2B, 64:1, 8_L1B))"
    cost = Pricer("mn-core-2", "f64").cost(*pair)
    assert cost.unit == "cycle" and cost.steps > 0 and repr(cost) == f"Cost(cycles={cost.steps}, level={cost.level!r})"
    source, destination = (f"{text}@LM0 / Double" for text in pair)
    moved = relayout(source, destination, machine="mn-core-2")
    # A relayout knows the addresses of its layouts, a pricer does not: copies that are read in step take longer.
    assert moved.cost is not None and moved.cost.unit == "cycle" and moved.cost.steps >= cost.steps
    assert moved.steps is None
    assert relayout("((4_PE, 8:1))", "((8:1, 4_PE))", machine="PE=4").cost is None


def test_a_change_of_lanes_or_of_addresses_alone_costs_what_it_is_given():
    pricer = Pricer("mn-core-2", "Half", price_of_lanes=1000, price_of_addresses=7)
    rows, packed, moved = "((4_PE, 8:1), (4_W))", "((4_PE, 2:1, 4_W), (4:2))", "((4_PE, 2:1, 4:2), (4_W))"
    assert [pricer.cost(rows, to).steps for to in (rows, moved, packed)] == [0, 7, 1007]
    assert Pricer("mn-core-2", "Half").cost(rows, packed).steps == 0


def test_pinned_layouts_are_checked():
    entry = '{"trigger": "FixOutput", "op_type": "Add", "shape": [1025], "layout": "((4_PE, 64:1, 4_W))"}'
    report = check_spec(f"[{entry}]", "mn-core-2")
    assert "1025" in report["entries"][0]["tensors"][0]["findings"][0]
    with pytest.raises(LayoutError, match="entry 1: unknown field"):
        check_spec('[{"key": "a", "A": "", "BT": "", "C": "", "D": ""}]')
