#!/bin/sh
#SBATCH --job-name=pidlab
#SBATCH --exclusive
#SBATCH --requeue
# An experiment in shards, one task of a Slurm array each; a task that is started again continues its shard.
#
#   sbatch --array=1-8 ci/slurm-array.sh EXPERIMENT OUT [options of pidlab run]
#   pidlab merge OUT-* --out OUT        # when all tasks are done
#
# SHARDS=N       the number of shards, where only some of them are started again (--array=3,5)
# PIDLAB=path    another program than the pidlab of the path
set -eu
usage="usage: sbatch --array=1-N ci/slurm-array.sh EXPERIMENT OUT [options of pidlab run]"
experiment=${1:?"$usage"}
out=${2:?"$usage"}
task=${SLURM_ARRAY_TASK_ID:?"$usage"}
shift 2
exec "${PIDLAB:-pidlab}" run "$experiment" --shard "$task/${SHARDS:-$SLURM_ARRAY_TASK_COUNT}" --out "$out-$task" "$@"
