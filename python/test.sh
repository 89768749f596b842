#!/usr/bin/env bash
# Builds the wheel of the Python package and tests it in an environment of its own.
# Usage: python/test.sh [arguments of pytest]; the environment is kept in $PIDLAB_VENV if that is set.
set -euo pipefail
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
usable='import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))'
if ! "$python" -c "$usable" > /dev/null 2>&1; then
    echo "python/test.sh: skipped, there is no Python 3.10 or later with venv on this machine"
    exit 0
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
venv=${PIDLAB_VENV:-$work/venv}
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r python/tests/requirements.txt

(cd python && cargo fmt --check && cargo clippy --locked --release -- -D warnings)
"$venv/bin/maturin" build --locked --release --manifest-path python/Cargo.toml --out "$work/dist"
size=$(wc -c < "$work"/dist/pidlab-*.whl)
echo "wheel: $(basename "$work"/dist/pidlab-*.whl), $size bytes"
if [ "$size" -gt 10000000 ]; then
    echo "python/test.sh: the wheel is larger than 10 MB" >&2
    exit 1
fi
"$venv/bin/python" -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps "$work"/dist/pidlab-*.whl
"$venv/bin/python" -m pytest --quiet -c python/pyproject.toml python/tests "$@"
