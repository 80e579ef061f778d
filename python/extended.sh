#!/usr/bin/env bash
# The tests that need other packages, with the oldest and with the newest versions that are promised, each in an
# environment of its own. A version that the package index lacks, or that does not fit this Python, is an error here.
# PyTorch brings 3 GB of libraries for GPUs: `WITHOUT="torch" .ci/run extended` leaves it out, and says so.
set -euo pipefail
cd "$(dirname "$0")"
root="$(cd .. && pwd)"
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$root/target}"
without="${WITHOUT:-}"

# The packages of one column, as pip takes them.
promised() {
    while read -r package oldest newest; do
        case " # $without " in *" $package "*) continue ;; esac
        [ "$1" = oldest ] && echo "$package==$oldest" || echo "$package==$newest"
    done < versions.txt
}

wheel() { echo "$CARGO_TARGET_DIR"/python-package/dist/*.whl; }

tested() {
    local venv="$CARGO_TARGET_DIR/extended-$1"
    rm -rf "$venv" && python3 -m venv "$venv"
    promised "$1" >"$venv/promised.txt"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-compile \
        pytest highspy islpy onnx onnxruntime "$(wheel)" --requirement "$venv/promised.txt"
    echo "-- $1: $(paste -sd ' ' "$venv/promised.txt")"
    # Skips are listed: a package that is promised must not be among their reasons.
    (cd "$CARGO_TARGET_DIR" && "$venv/bin/python" -m pytest "$root/python/tests" -p no:cacheprovider -q -rs \
        --deselect "$root/python/tests/test_examples.py")
    for check in "$root"/tests/python/check_*.py; do
        echo "-- $1: $(basename "$check")"
        EVERY_MESH=1 "$venv/bin/python" "$check"
    done
}

# A wheel that is older than a source would be another program.
is_new() {
    [ -e "$(wheel)" ] && [ -z "$(find "$root"/{src,crates,Cargo.lock} src tensor_layout -type f -newer "$(wheel)" -print -quit)" ]
}

is_new || ./run.sh
tested newest
tested oldest
[ -z "$without" ] || echo "left out: $without"
# Versions that came after the promise are listed; they are no failure.
while read -r package _ newest; do
    [ "$package" = "#" ] && continue
    last="$("$CARGO_TARGET_DIR/extended-newest/bin/python" -m pip index versions "$package" 2>/dev/null | sed -n '1s/.*(\(.*\))/\1/p')"
    [ "$last" = "$newest" ] || echo "newer than promised: $package $last"
done < versions.txt
