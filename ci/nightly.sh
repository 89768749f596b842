#!/bin/sh
# What takes too long for every change: random inputs through all exact methods, fuzz targets, long tests.
#
#   ci/nightly.sh [SECONDS for each kind and target, 1800 unless given]
#
# PIDLAB=path   takes that program instead of building the checkout
# The seed is the day, so that every night sees other cases; it is printed, and a finding names its own.
set -eu
seconds=${1:-1800}
seed=$(date +%Y%m%d)
if [ -z "${PIDLAB:-}" ]; then
    cargo build --release --bin pidlab
    PIDLAB=target/release/pidlab
fi
found=0
for kind in pairs nets heap cover; do
    echo "fuzz $kind, seed $seed"
    "$PIDLAB" fuzz "$kind" --seconds "$seconds" --seed "$seed" || found=1
done
if cargo fuzz --version > /dev/null 2>&1; then
    ci/fuzz.sh "$seconds" || found=1
else
    echo "fuzz targets: skipped, there is no cargo-fuzz (cargo install cargo-fuzz)"
fi
cargo test --release --workspace --no-fail-fast -- --ignored || found=1
# builds every crate from what would be published of it
cargo package --workspace --allow-dirty || found=1
exit $found
