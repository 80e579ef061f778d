#!/usr/bin/env bash
# Builds and installs the library with CMake; a project finds it by `find_package` and by pkg-config, with the static library and the
# shared one, and contains it as a subdirectory. CMake comes from the variable, the system, or Python's package index.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/../../target}"
work="$CARGO_TARGET_DIR/capi-package"

skip() { echo "skipped: $*"; exit 0; }

command -v c++ >/dev/null || skip "there is no compiler for C++"
cmake="${CMAKE:-$(command -v cmake || true)}"
if [ -z "$cmake" ]; then
    venv="$CARGO_TARGET_DIR/cmake"
    cmake="$venv/bin/cmake"
    [ -x "$cmake" ] || { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check cmake==4.4.5; } ||
        skip "there is no CMake"
fi

say() { printf -- '-- %s\n' "$*"; }

run() {
    for program in planner loader; do
        "$1/$program" | diff - "examples/$program.txt"
    done
}

rm -rf "$work"
target=(-DTENSOR_LAYOUT_TARGET_DIR="$CARGO_TARGET_DIR" -DTENSOR_LAYOUT_PROFILE="${PROFILE:-dev}")

say "installed"
"$cmake" -S . -B "$work/build" "${target[@]}" >/dev/null
"$cmake" --build "$work/build"
"$cmake" --install "$work/build" --prefix "$work/first" >/dev/null
# The tree may be moved.
mv "$work/first" "$work/prefix"
for shared in OFF ON; do
    "$cmake" -S tests/consumer -B "$work/installed-$shared" -DCMAKE_PREFIX_PATH="$work/prefix" -DBUILD_SHARED_LIBS=$shared >/dev/null
    "$cmake" --build "$work/installed-$shared" >/dev/null
    run "$work/installed-$shared"
done

if command -v pkg-config >/dev/null; then
    say "by pkg-config"
    PKG_CONFIG_PATH="$(dirname "$(find "$work/prefix" -name tensor-layout.pc)")"
    export PKG_CONFIG_PATH
    libraries="$(pkg-config --variable=libdir tensor-layout)"
    # shellcheck disable=SC2046
    cc -std=c11 examples/loader.c $(pkg-config --cflags --libs tensor-layout) -o "$work/loader"
    # shellcheck disable=SC2046
    c++ -std=c++17 examples/planner.cpp $(pkg-config --cflags --libs tensor-layout) -o "$work/planner"
    LD_LIBRARY_PATH="$libraries" run "$work"
fi

say "as a part of another project"
"$cmake" -S tests/consumer -B "$work/inside" -DTENSOR_LAYOUT="$PWD" "${target[@]}" >/dev/null
"$cmake" --build "$work/inside" >/dev/null
run "$work/inside"

say "symbols"
others="$(nm -D --defined-only "$work"/prefix/lib*/libtensor_layout_c.so | awk '{print $3}' | grep -v '^tl0_' || true)"
[ -z "$others" ] || { echo "symbols of others: $others"; exit 1; }
