#!/usr/bin/env bash
# Runs fuzz targets one after the other and writes down what was run in fuzz/record.csv: a fault that is found in a
# target, or a change of what it reads, is a reason to run it again.
#
#   ci/fuzz.sh SECONDS [TARGET …]    all targets unless some are named; SECONDS of CPU time for each
#
# SANITIZER=none   builds in a third of the time, and runs faster; faults of unsafe code may then go unseen
#                  (default: address)
# Exit code 1 if a target found something; the input is below fuzz/artifacts.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?how many seconds for each target?}
shift
sanitizer=${SANITIZER:-address}
commit=$(git rev-parse --short=12 HEAD)
# the targets of runs need polars
of_runs=" analysis claims experiment history manifest rows segments "
export RUSTC_BOOTSTRAP=1 TIMEFORMAT='%U %S'
[ $# -gt 0 ] || set -- $(cargo fuzz list)
[ -e fuzz/record.csv ] || echo target,commit,date,sanitizer,cpu_seconds,executions,finding > fuzz/record.csv
# seconds after which a run is written down and goes on with what it found; a kill loses no more
turn=300
found=0
for target; do
    features=()
    [[ $of_runs != *" $target "* ]] || features=(--features harness)
    mkdir -p "fuzz/corpus/$target" "fuzz/seeds/$target"
    cargo fuzz build --sanitizer "$sanitizer" "${features[@]}" "$target"
    log=$(mktemp)
    cpu=0 finding=none
    # what others do on the machine must not count: run until the CPU time is spent
    while [ "$cpu" -lt "$seconds" ] && [ "$finding" = none ]; do
        left=$((seconds - cpu))
        spent=$({ time cargo fuzz run --sanitizer "$sanitizer" "${features[@]}" "$target" \
            "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
            -max_total_time=$((left < turn ? left : turn)) -print_final_stats=1 2> "$log"; } 2>&1) || finding=found
        spent=$(awk '{ print int($1 + $2 + 0.5) }' <<< "${spent##*$'\n'}")
        cpu=$((cpu + (spent > 0 ? spent : 1)))
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
        echo "$target,$commit,$(date -u +%F),$sanitizer,$spent,${runs:-0},$finding" | tee -a fuzz/record.csv
    done
    if [ "$finding" = found ]; then
        found=1
        grep -E 'panicked|ERROR|SUMMARY|Test unit written' "$log" || tail -20 "$log"
    fi
    rm -f "$log"
done
exit $found
