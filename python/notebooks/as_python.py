"""Writes the code of the notebooks as modules, for type checkers: `python as_python.py FOLDER`."""

import json
import sys
from pathlib import Path

#: A cell shows the value of its last line.
HEAD = "# pyright: strict, reportUnusedExpression=false\n"
#: JAX has types for a part of itself.
HEAD_WITH_JAX = "# pyright: basic, reportUnusedExpression=false\n# mypy: allow-untyped-calls\n"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for notebook in sorted(Path(__file__).parent.glob("*.ipynb")):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        name = notebook.stem.replace("-", "_") + "_notebook.py"
        head = HEAD_WITH_JAX if any("import jax\n" in cell for cell in code) else HEAD
        (folder / name).write_text(head + "\n\n".join(code) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
