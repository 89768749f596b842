#!/bin/sh
# Fails with exit code 1 if this checkout is slower than BASE, a commit or a program built before.
#
#   ci/regression.sh BASE [options of pidlab compare]
#
# PIDLAB=path              takes that program as the new one instead of building the checkout
# PIDLAB_COMPARE_OPTIONS   more options, for variables of a CI system
set -eu
base=${1:?"usage: ci/regression.sh BASE [options of pidlab compare]"}
shift
if [ -z "${PIDLAB:-}" ]; then
    # the directory in which `pidlab compare` builds BASE: dependencies are compiled once
    cargo build --release --bin pidlab --target-dir target/compare/target
    cp target/compare/target/release/pidlab target/compare/pidlab-new
    PIDLAB=target/compare/pidlab-new
fi
# shellcheck disable=SC2086  # the options are words
exec "$PIDLAB" compare "$base" "$PIDLAB" ${PIDLAB_COMPARE_OPTIONS:-} "$@"
