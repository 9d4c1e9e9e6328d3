#!/usr/bin/env bash
# Simulated machines that lose power, over many seeds; what a run leaves behind is freed between parts.
#
#   tools/sim.sh            seeds 0 to 9,999
#   SEEDS=50000             so many
#   SEED=17                 this one alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

program=build/release/tests/sim_test
if [[ ${SEED:-} ]]; then
  LAKESTREAM_SIM_SEED=$SEED exec "$program"
fi
seeds=${SEEDS:-10000}
for ((first = 0; first < seeds; first += 500)); do
  last=$((first + 500 < seeds ? first + 500 : seeds))
  printf 'seeds %d to %d ... ' "$first" $((last - 1))
  if ! LAKESTREAM_SIM_SEEDS=$first:$last "$program" > build/sim.log 2>&1; then
    printf 'FAILED\n'
    tail -20 build/sim.log
    exit 1
  fi
  printf 'passed\n'
done
