#!/usr/bin/env bash
# Checks every proof from the beginning, and that none assumes anything; then the model, extracted, computes again what the
# library prints about generated layouts: `.ci/run proofs`. What a bare Debian or Ubuntu lacks is installed, by root alone.
set -euo pipefail
cd "$(dirname "$0")"

say() { printf -- '-- %s\n' "$*"; }

if ! command -v coqc >/dev/null || ! command -v ocamlfind >/dev/null; then
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends coq ocaml-nox ocaml-findlib >/dev/null
    say "$SECONDS s: installed"
fi

# The library is built beside the proofs.
bridge=(cargo test --quiet --manifest-path ../Cargo.toml --test bridge)
"${bridge[@]}" --no-run &
building=$!
trap 'kill $building 2>/dev/null || true' EXIT

began=$SECONDS
make --silent clean
make --silent
say "$((SECONDS - began)) s: proofs"

if grep -nE '\b(Admitted|admit|Axiom|Conjecture)\b' ./*.v; then
    echo "nothing may be assumed"
    exit 1
fi
if grep -vx 'Closed under the global context' build/*.out; then
    echo "each theorem must be closed"
    exit 1
fi
# Every theorem is asked: its name is in both lists, and the question is there.
asked() { perl -0777 -ne 'print "$1\n" if /^Definition theorems := \((.*?)\)\.\nPrint Assumptions theorems\.$/ms' "$1" | grep -oP '@\K\w+'; }
for file in ./*.v; do
    if ! diff <(grep -oP '^Theorem \K\w+' "$file" | sort) <(asked "$file" | sort); then
        echo "$file: the tuple of its theorems must name each, and \`Print Assumptions\` follow"
        exit 1
    fi
done

wait "$building"
trap - EXIT
began=$SECONDS
"${bridge[@]}" -- "${BRIDGE_LINES:-100000}" | build/bridge
say "$((SECONDS - began)) s: bridge"
