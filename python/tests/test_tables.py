"""Tables as NumPy, Arrow, pandas and Polars read them."""

import numpy as np
import pytest
from conftest import drawn

from tensor_layout import Layout


def rows_by_definition(layout):
    rows = []
    for index in np.ndindex(layout.shape):
        for place in layout.locate_all(*index):
            rows.append((*(place.get(level, 0) for level in layout.levels), *index))
    return sorted(rows)


def test_rows_are_all_elements_with_all_their_places(rng):
    for _ in range(100):
        layout = Layout(drawn(rng))
        table = layout.table()
        wanted = rows_by_definition(layout)
        assert table.tolist() == wanted
        parts = [layout.table(part=(part, 3)).tolist() for part in range(3)]
        assert sum(parts, []) == wanted
        assert np.asarray(table).dtype.names == table.names


def test_slices_are_rows_of_the_table(rng):
    for _ in range(100):
        table = Layout(drawn(rng)).table()
        rows = table.tolist()
        for at in [slice(None), slice(2), slice(0), slice(1, 5, 2), slice(-2, None), slice(None, None, -1), slice(3, -1), slice(5, 2)]:
            assert table[at].tolist() == rows[at] and table[at].dtype.names == table.names
    # Rows behind the end of a slice are not computed.
    assert Layout("((4_PE, 1099511627776:1))").table()[:2].tolist() == [(0, 0, 0), (0, 1, 1)]
    with pytest.raises(TypeError, match="columns by name and rows by slices, not by int"):
        table[0]  # type: ignore[call-overload]


def test_pandas_reads_the_rows_of_a_slice():
    pandas = pytest.importorskip("pandas")
    table = Layout("((2_PE, 2:1), (3:2))").table()
    frame = pandas.DataFrame(table[:])
    assert tuple(frame.columns) == table.names and frame.to_records(index=False).tolist() == table.tolist()


def test_units_and_padding_are_asked_for():
    layout = Layout("(3)/((2:1, 2_PE))").on("PE=2")
    assert layout.table("PE=1", padding=True).tolist() == [(1, 0, 1), (1, 1, -1)]
    assert layout.table({"PE": 0}).tolist() == [(0, 0, 0), (0, 1, 2)]
    with pytest.raises(ValueError, match="L2B"):
        layout.table("L2B=1")
    with pytest.raises(ValueError, match="part"):
        layout.table(part=(3, 3))


def test_data_frames_take_tables_by_arrow():
    pyarrow = pytest.importorskip("pyarrow")
    layout = Layout("((4_PE, 3:8), (8:1))").on("mn-core-2")
    table = layout.table()
    arrow = pyarrow.table(table)
    assert arrow.num_rows == 96 * layout.copies and arrow.column_names == list(table.names)
    for name in table.names:
        assert (arrow[name].to_numpy() == table[name]).all()
    padded = pyarrow.table(Layout("(3)/((2:1, 2_PE))").table(padding=True))
    assert padded["i0"].to_pylist() == [0, 2, 1, None]
    polars = pytest.importorskip("polars")
    assert (polars.DataFrame(table)["Addr"].to_numpy() == table["Addr"]).all()
    pandas = pytest.importorskip("pandas")
    assert (pandas.DataFrame.from_arrow(table)["i1"].to_numpy() == table["i1"]).all()
    assert (pandas.DataFrame(table.columns())["PE"].to_numpy() == table["PE"]).all()


def test_arrow_reads_batch_by_batch():
    pyarrow = pytest.importorskip("pyarrow")
    layout = Layout("((4_PE, 512:1024), (1024:1))")
    reader = pyarrow.RecordBatchReader.from_stream(layout.table())
    batches = [batch.num_rows for batch in reader]
    assert sum(batches) == layout.size and len(batches) > 4
    said = []
    layout.table().columns(progress=lambda *step: said.append(step))
    assert len(said) > 4


def test_xarray_takes_columns():
    xarray = pytest.importorskip("xarray")
    table = Layout("((2_PE, 2:1), (3:2))").table()
    columns = table.columns()
    data = xarray.Dataset({name: ("row", column) for name, column in columns.items()})
    assert data.sizes == {"row": 12}
    assert np.shares_memory(data["Addr"].to_numpy(), columns["Addr"])
