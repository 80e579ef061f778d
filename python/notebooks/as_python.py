"""Writes the code of the notebooks as modules, for type checkers: `python as_python.py FOLDER`."""

import json
import sys
from pathlib import Path

#: A cell shows the value of its last line.
HEAD = "# pyright: strict, reportUnusedExpression=false\n"


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for notebook in sorted(Path(__file__).parent.glob("*.ipynb")):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        name = notebook.stem.replace("-", "_") + "_notebook.py"
        (folder / name).write_text(HEAD + "\n\n".join(code) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
