"""The examples: Dask on a local cluster against one process, and the notebooks."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

PYTHON = Path(__file__).parents[1]


def test_dask_writes_the_table_of_one_process(tmp_path):
    pytest.importorskip("distributed")
    dataset = pytest.importorskip("pyarrow.dataset")
    example = PYTHON / "examples" / "dask_table.py"
    command = [sys.executable, example, "--elements", "2**16", "--rows", "100", "--out", tmp_path]
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout.startswith("65536 rows in 3 files")
    placement = runpy.run_path(str(example))["placed"](2**16)
    names = [*placement.levels, "i0", "i1"]
    rows = dataset.dataset(tmp_path).to_table(columns=names).to_pydict()
    found = sorted(zip(*(rows[name] for name in names), strict=True))
    assert found == placement.table().tolist()


@pytest.mark.parametrize("name", ["mn-core", "tpu", "gpu", "cute", "planner", "plan", "mesh"])
def test_notebooks_run(name, tmp_path):
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    if name == "plan":
        pytest.importorskip("onnx")
        pytest.importorskip("pandas")
    if name == "mesh":
        pytest.importorskip("jax")
        pytest.importorskip("pandas")
    book = nbformat.read(PYTHON / "notebooks" / f"{name}.ipynb", as_version=4)
    # In another folder, so that the installed package is imported.
    nbclient.NotebookClient(book, timeout=120, resources={"metadata": {"path": tmp_path}}).execute()
    outputs = [output for cell in book.cells if cell.cell_type == "code" for output in cell.outputs]
    kinds = [kind for output in outputs for kind in output.get("data", {})]
    assert kinds.count("image/svg+xml") >= (1 if name == "mesh" else 2) and "text/html" in kinds
    assert not [output for output in outputs if output.get("name") == "stderr"]
