#!/bin/sh
# own.sh PYTHON RUNNER ARGUMENT...: makes the tests of own.py and runs them; skipped where Python has no numpy.
set -e
python=$1
runner=$2
shift 2
"$python" -c 'import numpy' 2>/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
PYTHONDONTWRITEBYTECODE=1 "$python" "$(dirname "$0")/own.py" "$work/own"
"$runner" "$@" "$work/own"
