#!/usr/bin/env bash
# Runs every check_*.py here in a virtual environment with what requirements.txt names.
# Without Python, or without the package index, there is nothing to compare with: it says so and
# ends well, since `cargo test` has the results as data.
set -euo pipefail
cd "$(dirname "$0")"
venv="${TENSOR_LAYOUT_VENV:-../../target/python}"
if ! command -v python3 >/dev/null; then
    echo "skipped: there is no python3"
    exit 0
fi
if ! { [ -x "$venv/bin/python" ] || python3 -m venv "$venv"; }; then
    echo "skipped: this Python makes no virtual environments"
    exit 0
fi
if ! "$venv/bin/python" -m pip install --quiet --requirement requirements.txt; then
    echo "skipped: requirements.txt cannot be installed"
    exit 0
fi
for check in check_*.py; do
    echo "-- $check"
    "$venv/bin/python" "$check"
done
