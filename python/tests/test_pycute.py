"""The questions of pycute's own tests, and random ones: pycute and this package agree, or a law of CuTe decides.

pycute may give a wrong answer where it lacks an assertion; this package raises an error. Laws decide by the
definition, number by number, and the cases of each kind are counted.
"""

# mypy: disable-error-code="misc"

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from test_cute import nested, size

from tensor_layout import Layout

pycute: Any = pytest.importorskip("pycute")
if not hasattr(pycute, "Layout"):
    pytest.skip("another pycute", allow_module_level=True)

Pair = tuple[Any, Any]
Of = pycute.Layout

#: The layouts of pycute's test_composition.py.
COMPOSED = [
    ((1, 0), (1, 0)), ((1, 0), (1, 1)), ((1, 1), (1, 0)), ((1, 1), (1, 1)), ((4,), (4,)), ((4, 2), (4,)), ((4,), (4, 2)),
    ((4, 0), (4,)), ((4,), (4, 0)), ((1, 0), (4,)), ((4,), (1, 0)), ((4,), (2,)), ((4, 2), (2,)), ((4,), (2, 2)),
    ((4, 2), (2, 2)), ((12,), ((4, 3),)), ((12, 2), ((4, 3),)), ((12,), ((4, 3), (3, 1))), ((12, 2), ((4, 3), (3, 1))),
    ((12,), ((2, 3), (2, 4))), (((4, 3),), ((4, 3),)), (((4, 3),), (12,)), (((4, 3),), (6, 2)),
    (((4, 3),), ((6, 2), (2, 1))), (((4, 3), (3, 1)), ((4, 3),)), (((4, 3), (3, 1)), (12,)), (((4, 3), (3, 1)), (6, 2)),
    (((4, 3), (3, 1)), ((6, 2), (2, 1))), (((8, 8),), (((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32)))),
    (((8, 8), (8, 1)), (((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32)))),
    ((((2, 2, 2), (2, 2, 2)), ((1, 16, 4), (8, 2, 32))), (8, 4)), (((4, 2), (1, 16)), ((4, 2), (2, 1))),
    (((2, 2), (2, 1)), ((2, 2), (2, 1))), (((4, 8, 2),), ((2, 2, 2), (2, 8, 1))),
    (((4, 8, 2), (2, 8, 1)), ((2, 2, 2), (1, 8, 2))), (((4, 8, 2), (2, 8, 1)), ((4, 2, 2), (2, 8, 1))),
    (((4, 6, 8), (1, 4, 7)), (6, 1)), (((4, 6, 8, 10), (2, 3, 5, 7)), (6, 12)),
]

#: The layouts of test_complement.py, test_left_inverse.py, test_right_inverse.py and test_coalesce.py.
SINGLE = [
    (1, 0), (1, 1), (4, 0), (4, 1), (4, 2), ((1, 1), (0, 0)), ((3, 7), (0, 0)), ((2, 4), (1, 2)), ((2, 3), (1, 2)),
    ((2, 4), (1, 4)), ((2, 4), (0, 2)), ((8, 4), (1, 8)), ((8, 4), (4, 1)), ((2, 4, 6), (1, 2, 8)),
    ((2, 4, 6), (4, 1, 8)), ((4, 2), (1, 16)), ((2, 4, 8), (8, 1, 64)), (((2, 2), (2, 2)), ((1, 4), (8, 32))),
    ((2, (3, 4)), (3, (1, 6))), ((4, 6), (1, 6)), ((4, 10), (1, 10)), ((2, 4),), ((2, 4, 6),), ((2, 4, 6), (1, 6, 2)),
    ((2, 1, 6), (1, 7, 2)), ((2, 1, 6), (4, 7, 8)), ((2, (4, 6)),), ((2, 4), (4, 1)), ((2, 4, 6), (24, 6, 1)),
    ((2, 1, 3), (2, 4, 4)),
]

#: The pairs of test_product.py and test_logical_product.py.
MULTIPLIED = [
    ((1, 0), (1, 0)), ((1, 1), (1, 0)), ((1, 0), (1, 1)), ((1, 1), (1, 1)), ((3, 1), (4, 0)), ((3, 0), (4, 1)),
    ((3, 0), (4, 0)), ((3, 2), (4, 1)), ((3,), ((2, 4),)), (((2, 5), (5, 1)), (4,)), ((3, 2), (4,)), ((4, 1), (3,)),
    (((4, 8), (1, 4)), (16,)), ((((2, 2), (2, 2)), ((1, 4), (8, 32))), (4,)),
]


class Answer:
    """The answer of one side: the values of all numbers, and the sizes of the modes; empty if it refuses."""

    def __init__(self, make: Callable[[], Any]) -> None:
        self.values: list[int] | None = None
        try:
            layout = make()
        except (AssertionError, ValueError, ZeroDivisionError, IndexError, TypeError):
            return
        if isinstance(layout, Layout):
            self.modes = list(layout.shape)
            numbers = range(layout.size)
            self.values = [
                layout.locate(*map(int, np.unravel_index(number, layout.shape, order="F")))["Addr"] for number in numbers
            ]
        else:
            self.modes = [size(of) for of in (layout.shape if isinstance(layout.shape, tuple) else (layout.shape,))]
            self.values = [layout(number) for number in range(size(layout.shape))]


Law = Callable[[list[int]], bool]


def compared(counts: Counter[str], ours: Answer, theirs: Answer, law: Law, name: object) -> None:
    """Counts agreeing answers; this package must not break a law, nor refuse where pycute answers lawfully."""
    lawful = theirs.values is not None and law(theirs.values)
    if ours.values is None:
        assert not lawful, f"{name} is refused, but pycute has an answer"
        counts["both refuse" if theirs.values is None else "pycute breaks the law"] += 1
        return
    assert law(ours.values), name
    if theirs.values == ours.values:
        counts["the same"] += 1
    else:
        counts["both lawful" if lawful else "pycute refuses" if theirs.values is None else "pycute breaks the law"] += 1


def pairs(rng: random.Random, own: list[Pair], count: int) -> list[Pair]:
    return [(Of(*a), Of(*b)) for a, b in own] + [(Of(*nested(rng, 1)), Of(*nested(rng, 1))) for _ in range(count)]


def test_compositions(rng):
    counts: Counter[str] = Counter()
    for a, b in pairs(rng, COMPOSED, 500):
        numbers = [b(number) for number in range(size(b.shape))]
        if max(numbers) >= size(a.shape):
            continue
        wanted = [a(number) for number in numbers]
        ours = Answer(lambda a=a, b=b: Layout.of(a) @ b)
        compared(counts, ours, Answer(lambda a=a, b=b: pycute.composition(a, b)), wanted.__eq__, (a, b))
    assert counts["the same"] > 100 and counts["both refuse"] == 0, counts


def is_complement(of: Any, space: int) -> Law:
    """A law: every number of the space is the sum of one of the layout's and one of the complement's."""
    own = sorted({of(number) for number in range(size(of.shape))})
    return lambda rest: sorted(a + b for a in own for b in set(rest)) == list(range(space))


def singles(rng: random.Random, count: int) -> list[Any]:
    return [Of(*of) for of in SINGLE] + [Of(*nested(rng, 1)) for _ in range(count)]


def filled(of: Any) -> int:
    """The numbers up to the end of the last repetition of a digit."""
    digits = zip(pycute.flatten(of.shape), pycute.flatten(of.stride), strict=True)
    return max([1, *(n * by for n, by in digits if n > 1)])


def has_complement(of: Any) -> bool:
    rest = Answer(lambda: pycute.complement(of, filled(of)))
    return rest.values is not None and is_complement(of, filled(of))(rest.values)


def test_complements(rng):
    counts: Counter[str] = Counter()
    for of in singles(rng, 500):
        space = filled(of) * rng.choice([1, 2, 3])
        ours = Answer(lambda of=of, space=space: Layout.of(of).complement(space))
        theirs = Answer(lambda of=of, space=space: pycute.complement(of, space))
        compared(counts, ours, theirs, is_complement(of, space), (of, space))
    assert counts["the same"] > 100 and counts["both lawful"] == 0, counts


def test_left_inverses(rng):
    counts: Counter[str] = Counter()
    for of in singles(rng, 500):
        numbers = [of(number) for number in range(size(of.shape))]

        def law(inverse: list[int], numbers: list[int] = numbers) -> bool:
            return max(numbers) < len(inverse) and all(inverse[at] == number for number, at in enumerate(numbers))

        ours = Answer(lambda of=of: Layout.of(of).left_inverse())
        theirs = Answer(lambda of=of: pycute.left_inverse(of))
        compared(counts, ours, theirs, law, of)
    assert counts["the same"] > 50, counts


def test_right_inverses(rng):
    counts: Counter[str] = Counter()
    for of in singles(rng, 500):

        def law(inverse: list[int], of: Any = of) -> bool:
            return [of(number) for number in inverse] == list(range(len(inverse))) and max(inverse) < size(of.shape)

        ours = Answer(lambda of=of: Layout.of(of).right_inverse())
        theirs = Answer(lambda of=of: pycute.right_inverse(of))
        compared(counts, ours, theirs, law, of)
        # If both are lawful, ours is at least as long.
        if theirs.values is not None and law(theirs.values):
            assert len(ours.values or []) >= len(theirs.values), of
    assert counts["the same"] > 200, counts


def test_products(rng):
    counts: Counter[str] = Counter()
    for a, b in pairs(rng, MULTIPLIED, 700):
        own = [a(number) for number in range(size(a.shape))]
        copies = [b(number) for number in range(size(b.shape))]

        def law(product: list[int], own: list[int] = own, copies: list[int] = copies) -> bool:
            # Every copy is the layout shifted as the pattern says, and no two copies overlap.
            if len(product) != len(own) * len(copies):
                return False
            moved = [product[at : at + len(own)] for at in range(0, len(product), len(own))]
            shifts = [part[0] - own[0] for part in moved]
            by_copy = dict(zip(copies, shifts, strict=True))
            whole = all([at + shift for at in own] == part for part, shift in zip(moved, shifts, strict=True))
            apart = len({at + shift for at in own for shift in by_copy.values()}) == len(set(own)) * len(by_copy)
            return whole and apart and shifts == [by_copy[copy] for copy in copies]

        ours = Answer(lambda a=a, b=b: Layout.of(a).product(b))
        if ours.values is None and not has_complement(a):
            # If copies are found without a complement, that is luck.
            counts["no complement"] += 1
            continue
        theirs = Answer(lambda a=a, b=b: pycute.logical_product(a, b))
        compared(counts, ours, theirs, law, (a, b))
        if ours.values is not None:
            assert ours.modes == [size(a.shape), size(b.shape)]
    assert counts["the same"] > 200 and counts["both lawful"] == 0, counts


def test_divisions(rng):
    counts: Counter[str] = Counter()
    for a, b in pairs(rng, COMPOSED, 900):
        tile = [b(number) for number in range(size(b.shape))]

        def law(divided: list[int], a: Any = a, tile: list[int] = tile) -> bool:
            # Each number of the layout, and those up to the end of the last tile, occur exactly once.
            count = len(divided) // len(tile)
            whole = pycute.coalesce(a)
            rest = pycute.complement(b, size(a.shape)) if count > 1 else Of(1, 0)
            numbers = [at + rest(copy) for copy in range(count) for at in tile]
            covered = set(numbers) == set(range(len(set(numbers))))
            return covered and numbers != [] and divided == [whole(number) for number in numbers]

        ours = Answer(lambda a=a, b=b: Layout.of(a).divide(b, "logical"))
        theirs = Answer(lambda a=a, b=b: pycute.logical_divide(a, b))
        compared(counts, ours, theirs, law, (a, b))
        if ours.values is not None:
            assert ours.modes == [size(b.shape), len(ours.values) // size(b.shape)]
    assert counts["the same"] > 100, counts


@pytest.mark.parametrize("tile", [4, 3, (4, None), (None, 2), (2, 3), ((2, 1), 2)])
def test_divisions_by_integers_and_tuples_are_those_of_pycute(tile):
    theirs = Of((12, 6), (6, 1))
    as_theirs = tuple(Of(*of) if isinstance(of, tuple) else of for of in tile) if isinstance(tile, tuple) else tile
    as_ours = tuple(Of(*of) if isinstance(of, tuple) else of for of in tile) if isinstance(tile, tuple) else tile
    for name, divide in [("logical", pycute.logical_divide), ("zipped", pycute.zipped_divide), ("tiled", pycute.tiled_divide)]:
        ours = Answer(lambda name=name: Layout.of(theirs).divide(as_ours, name))
        wanted = Answer(lambda divide=divide: divide(theirs, as_theirs))
        assert (ours.modes, ours.values) == (wanted.modes, wanted.values), name


@pytest.mark.parametrize("pattern", [(Of(4, 1), None), (None, Of(2, 1)), (Of(2, 1), Of((3, 2), (2, 1))), (Of(3, 1),)])
def test_products_by_tuples_are_those_of_pycute(pattern):
    theirs = Of((2, 4), (4, 1))
    for name, multiply in [("logical", pycute.logical_product), ("zipped", pycute.zipped_product), ("tiled", pycute.tiled_product)]:
        ours = Answer(lambda name=name: Layout.of(theirs).product(pattern, name))
        wanted = Answer(lambda multiply=multiply: multiply(theirs, pattern))
        assert wanted.values is not None
        assert (ours.modes, ours.values) == (wanted.modes, wanted.values), name


def test_composed_layouts_are_read_with_their_swizzles(rng):
    for _ in range(60):
        bits, base = rng.randint(1, 3), rng.randint(0, 3)
        swizzle = pycute.Swizzle(bits, base, rng.randint(bits, 4))
        inner = Of((8, 32), rng.choice([(32, 1), (1, 8)]))
        theirs = pycute.ComposedLayout(swizzle, rng.choice([0, 0, 4]), inner)
        ours = Layout.of(theirs)
        assert Answer(lambda ours=ours: ours).values == [theirs(number) for number in range(256)], theirs
        assert (ours @ "4:2").locate(3)["Addr"] == theirs(6)
