"""The command `tensor-layout`: `python -m tensor_layout explain ..`."""

import signal
import sys

from ._native import command


def main() -> int:
    """Runs the command with the arguments of this process."""
    # The command handles signals itself: Python's handlers would wait until it is done.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    program = [sys.executable, "-m", "tensor_layout"]
    return command(["tensor-layout", *sys.argv[1:]], program)


if __name__ == "__main__":
    sys.exit(main())
