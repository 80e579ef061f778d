"""What careful readers found, each in its shortest form."""

import numpy as np
import pytest

from tensor_layout import Layout, LayoutError


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
    numbers = Layout("(100:1)").inverse(out=np.empty(100, np.int8))
    assert numbers[99] == 99


def test_indexes_of_different_integers_go_together() -> None:
    places = Layout("(4:2,2:1)").locate(np.arange(2), np.arange(2, dtype=np.uint64))
    assert places["Addr"].tolist() == [0, 3]
