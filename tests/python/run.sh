#!/usr/bin/env bash
# Runs every check_*.py here in a virtual environment with what requirements.txt names.
# What a bare Debian or Ubuntu lacks (Python, a C compiler) is installed, by root alone. Where that, or the
# package index, is out of reach there is nothing to compare with: it says so and ends well, since
# `cargo test` has the results as data.
set -euo pipefail
cd "$(dirname "$0")"
venv="${TENSOR_LAYOUT_VENV:-../../target/python}"

skip() { echo "skipped: $*"; exit 0; }

install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "$@" >/dev/null
}

make_venv() { rm -rf "$venv" && python3 -m venv "$venv"; }

command -v python3 >/dev/null || install python3 python3-venv || skip "there is no python3"
command -v cc >/dev/null || install gcc libc6-dev || skip "there is no C compiler"
[ -x "$venv/bin/pip" ] || make_venv || { install python3-venv && make_venv; } ||
    skip "this Python makes no virtual environments"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile --requirement requirements.txt ||
    skip "requirements.txt cannot be installed"

# As `cargo test` builds them: with the features of what tests depend on, another build is another command.
cargo build --quiet --tests --examples
# At the same time; their output follows one by one.
logs="$(mktemp -d)"
trap 'rm -rf "$logs"' EXIT
for check in check_*.py; do
    { "$venv/bin/python" "$check" >"$logs/$check" 2>&1 || echo "$check" >>"$logs/failed"; } &
done
wait
for check in check_*.py; do
    echo "-- $check"
    cat "$logs/$check"
done
[ ! -e "$logs/failed" ] || { echo "failed: $(paste -sd ' ' "$logs/failed")"; exit 1; }
