#!/usr/bin/env bash
# Ratios of the package to numpy, after run.sh has installed it: nothing else should run at the same time.
set -euo pipefail
cd "$(dirname "$0")"
python="${TENSOR_LAYOUT_VENV:-$PWD/../target/python}/bin/python"
# Elsewhere, so that the package is the one that is installed.
cd /tmp
"$python" -c 'import tensor_layout, numpy' 2>/dev/null || { echo "skipped: the package is not installed"; exit 0; }
exec "$python" "$OLDPWD/bench/speed.py" --gate
