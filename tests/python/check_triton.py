"""Random encodings of all kinds against the bases that Triton itself has for them.

The encodings are those of `make_triton.py`, the comparison is the one of `cargo test`. Usage: python check_triton.py [COUNT] [SEED];
1,000 by default. Where Triton is not installed, nothing is compared.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def main():
    try:
        import make_triton
    except ImportError as error:
        print(f"skipped: {error}")
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 9
    # The child that asks Triton about a type dies where there is no answer; the lines are written by this process.
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.writelines(line + "\n" for line in make_triton.cases(count, seed))
        file.flush()
        environment = dict(os.environ, TENSOR_LAYOUT_TRITON=file.name)
        test = ["cargo", "test", "--quiet", "--test", "all", "--", "triton::encodings", "triton::places"]
        subprocess.run(test, cwd=ROOT, env=environment, check=True)
    print(f"{count} random encodings have the bases that Triton has")


if __name__ == "__main__":
    main()
