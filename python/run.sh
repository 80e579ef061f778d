#!/usr/bin/env bash
# Builds the wheel, installs it where there is no compiler, and runs everything that tests it.
# What a bare Debian or Ubuntu lacks is installed, by root alone. Where that, or the package index, is
# out of reach, the package cannot be built: it says so and ends well.
set -euo pipefail
cd "$(dirname "$0")"
root="$(cd .. && pwd)"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}"
# make_stubs.py reads types by the symbols of the library. One build serves it and the wheel, which is stripped of them.
export CARGO_PROFILE_RELEASE_STRIP=debuginfo
work="$CARGO_TARGET_DIR/python-package"
# The environment of tests/python, too.
venv="${TENSOR_LAYOUT_VENV:-$root/target/python}"
# Of the profile `release`, which is soon built; the wheel of a release (`dist`) is a tenth smaller.
most_bytes=12000000

say() { printf -- '-- at %d s: %s\n' "$SECONDS" "$*"; }

skip() { echo "skipped: $*"; exit 0; }

install() {
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || return 1
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y "$@" >/dev/null
}

make_venv() { rm -rf "$2" && "$1" -m venv "$2"; }

# Isolated builds take their versions from the variable.
export PIP_CONSTRAINT="$PWD/constraints.txt"

# What is imported is compiled then; most of it is not.
pip() { "$1/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile "${@:2}"; }

# Without the compiler, as users have it.
without_rust() { env PATH="$1/bin:/usr/bin:/bin" RUSTUP_HOME=/nowhere "${@:2}"; }

command -v python3 >/dev/null || install python3 python3-venv || skip "there is no python3"
command -v cc >/dev/null || install gcc libc6-dev || skip "there is no C compiler"
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip "python3 is older than 3.11"
mkdir -p "$work"
[ -x "$venv/bin/pip" ] || make_venv python3 "$venv" || { install python3-venv && make_venv python3 "$venv"; } ||
    skip "this Python makes no virtual environments"
make_venv python3 "$work/build"
pip "$work/build" maturin twine wheel numpy || skip "the package index is out of reach"
pip "$venv" --requirement requirements.txt || skip "requirements.txt cannot be installed"
# pycute is part of a package whose dependencies need a GPU.
pip "$venv" --no-deps nvidia-cutlass==4.2.0.0 || echo "pycute is not compared: it cannot be installed"

say "wheel"
rm -rf "$work"/{built,dist,source} && mkdir "$work"/{built,dist,source}
"$work/build/bin/python" -m pip wheel --quiet --no-deps --wheel-dir "$work/built" "$root/python"
"$work/build/bin/wheel" unpack --dest "$work/built" "$work"/built/*.whl
strip "$work"/built/*/tensor_layout/*.so
"$work/build/bin/wheel" pack --dest-dir "$work/dist" "$work"/built/*/

say "source distribution: every file that the wheel was built from, unchanged"
"$work/build/bin/maturin" sdist --out "$work/dist"
tar xzf "$work"/dist/*.tar.gz --strip-components 1 -C "$work/source"
read -ra sources < <(head -n 1 "$CARGO_TARGET_DIR/release/lib_native.d" | sed 's/^[^:]*: //')
for file in "$root/Cargo.lock" "${sources[@]}"; do
    cmp "$file" "$work/source/${file#"$root/"}"
done
diff -r --exclude '*.so' --exclude __pycache__ tensor_layout "$work/source/tensor_layout"
(cd "$work/source" && "$work/build/bin/maturin" pep517 write-dist-info --metadata-directory "$work/source")
"$work/build/bin/twine" check --strict "$work"/dist/*
wheel="$(echo "$work"/dist/*.whl)"
case "$wheel" in *-cp311-abi3-*) ;; *) echo "$wheel is not for every Python from 3.11 on"; exit 1 ;; esac
bytes="$(wc -c < "$wheel")"
echo "$(basename "$wheel"): $bytes bytes"
[ "$bytes" -le "$most_bytes" ] || { echo "the wheel has more than $most_bytes bytes"; exit 1; }

say "pip install ./python"
pip "$work/build" "$root/python"
(cd "$work" && "$work/build/bin/python" -c 'import tensor_layout; print(tensor_layout.Layout("((4_PE, 3:8), (8:1))")[4, 1])')

say "types: those of the code, those of Python, and mypy's opinion"
PATH="$work/build/bin:$PATH" "$work/build/bin/python" make_stubs.py --check
pip "$venv" --force-reinstall --no-deps "$wheel"
"$venv/bin/python" -m mypy tensor_layout examples/dask_table.py bench/speed.py make_stubs.py
"$venv/bin/python" notebooks/as_python.py "$work/notebooks"
"$venv/bin/python" -m mypy --strict "$work/notebooks"
# It fetches its program from another index, which may be out of reach.
if "$venv/bin/pyright" --version >/dev/null 2>&1; then
    "$venv/bin/pyright" --pythonpath "$venv/bin/python" "$work/notebooks" bench/speed.py
else
    echo "pyright is not run: it cannot be installed"
fi
(cd tests && "$venv/bin/python" -m mypy --config-file= --check-untyped-defs --ignore-missing-imports .)
(cd "$work" && without_rust "$venv" "$venv/bin/python" -m mypy.stubtest tensor_layout --ignore-disjoint-bases)

suite() { (cd "$work" && without_rust "$1" "$1/bin/pytest" "$root/python" -p no:cacheprovider); }

say "tests, examples, notebooks, with two versions of Python at the same time"
ours="$(python3 -c 'import sys; print(sys.version_info[:2])')"
other=""
for python in python3.14 python3.13 python3.12 python3.11 "$HOME"/.pyenv/versions/*/bin/python3; do
    found="$("$python" -c 'import sys; print(sys.version_info[:2]) if sys.version_info >= (3, 11) else 0' 2>/dev/null)" || continue
    [ -n "$found" ] && [ "$found" != "$ours" ] && make_venv "$python" "$work/other" && other="$found" && break
done
if [ -n "$other" ]; then
    pip "$work/other" "$wheel" pytest ml_dtypes
    suite "$work/other" >"$work/other.txt" 2>&1 &
fi
suite "$venv"
if [ -n "$other" ]; then
    wait "$!" && passed=true || passed=false
    echo "Python $other"
    cat "$work/other.txt"
    "$passed"
else
    echo "there is no second Python here: one version was run"
fi
