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
found=0
for target; do
    features=()
    [[ $of_runs != *" $target "* ]] || features=(--features harness)
    mkdir -p "fuzz/corpus/$target" "fuzz/seeds/$target"
    cargo fuzz build --sanitizer "$sanitizer" "${features[@]}" "$target"
    log=$(mktemp)
    executions=0 cpu=0 finding=none
    # what others do on the machine must not count: run until the CPU time is spent
    while [ "$cpu" -lt "$seconds" ] && [ "$finding" = none ]; do
        spent=$({ time cargo fuzz run --sanitizer "$sanitizer" "${features[@]}" "$target" \
            "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
            -max_total_time=$((seconds - cpu)) -print_final_stats=1 2> "$log"; } 2>&1) || finding=found
        cpu=$(awk -v before="$cpu" '{ print int(before + $1 + $2 + 0.5) }' <<< "${spent##*$'\n'}")
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
        executions=$((executions + ${runs:-0}))
    done
    if [ "$finding" = found ]; then
        found=1
        grep -E 'panicked|ERROR|SUMMARY|Test unit written' "$log" || tail -20 "$log"
    fi
    rm -f "$log"
    [ -e fuzz/record.csv ] || echo target,commit,date,sanitizer,cpu_seconds,executions,finding > fuzz/record.csv
    echo "$target,$commit,$(date -u +%F),$sanitizer,$cpu,$executions,$finding" | tee -a fuzz/record.csv
done
exit $found
