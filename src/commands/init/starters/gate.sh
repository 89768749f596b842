#!/bin/sh
# A gate for continuous integration: fails with exit code 1 if an experiment takes longer than it did.
#
#   sh gate.sh keep      measures, and keeps the run as the one to compare with: keep the folder gate/base, too
#   sh gate.sh           measures again; exit code 1 if some backend is slower, with confidence and above THRESHOLD
#
# EXPERIMENT is a name of `pidlab experiments`, `regression`, or a file of your own with your own backend;
# times of two machines are never compared. Two builds of pidlab itself: see `pidlab compare --help`.
set -eu
experiment=${EXPERIMENT:-regression}
scale=${SCALE:-small}
threshold=${THRESHOLD:-10%}

measure() {
    pidlab run "$experiment" --scale "$scale" --out "$1" --fresh
}

case "${1:-}" in
keep) measure gate/base ;;
"")
    measure gate/new
    exec pidlab compare gate/base gate/new --threshold "$threshold" --out gate/again
    ;;
*)
    echo "usage: sh gate.sh [keep]" >&2
    exit 2
    ;;
esac
