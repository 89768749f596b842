#!/bin/sh
# An experiment in N shards, N processes on this machine, and the run that they make; a second call continues.
#
#   ci/shards.sh EXPERIMENT OUT N [options of pidlab run]
#
# WORKERS=K      worker processes of each shard [default: 1]
# PIDLAB=path    another program than the pidlab of the path
set -eu
usage="usage: ci/shards.sh EXPERIMENT OUT N [options of pidlab run]"
experiment=${1:?"$usage"}
out=${2:?"$usage"}
shards=${3:?"$usage"}
shift 3
processes=
folders=
shard=1
while [ "$shard" -le "$shards" ]; do
    # on other machines: ssh "host$shard" pidlab run …
    "${PIDLAB:-pidlab}" run "$experiment" --shard "$shard/$shards" --out "$out-$shard" --workers "${WORKERS:-1}" "$@" &
    processes="$processes $!"
    folders="$folders $out-$shard"
    shard=$((shard + 1))
done
for process in $processes; do
    wait "$process"
done
# shellcheck disable=SC2086  # the folders are words
exec "${PIDLAB:-pidlab}" merge $folders --out "$out"
