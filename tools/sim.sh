#!/usr/bin/env bash
# Simulated machines that lose power, over many seeds, with log tables and with primary-key tables, and tables that are
# copied to each kind of lake meanwhile, over a quarter of the seeds; what a run leaves behind is freed between parts.
#
#   tools/sim.sh            seeds 0 to 9,999
#   SEEDS=50000             so many
#   TIERING_SEEDS=10000     so many with a lake
#   SEED=17                 this one alone
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export program=build/release/tests/sim_test
if [[ ${SEED:-} ]]; then
  LAKESTREAM_SIM_SEED=$SEED exec "$program"
fi
export seeds=${SEEDS:-10000} part=250
export tiering_seeds=${TIERING_SEEDS:-$((seeds / 4))}

run_part() {
  local first=$1 last=$(($1 + part < seeds ? $1 + part : seeds))
  local log=build/sim-$first.log
  local tests=*
  ((first < tiering_seeds)) || tests=-Tiering.*
  if LAKESTREAM_SIM_SEEDS=$first:$last "$program" --gtest_filter="$tests" > "$log" 2>&1; then
    printf 'seeds %d to %d passed\n' "$first" $((last - 1))
    rm "$log"
  else
    printf 'seeds %d to %d FAILED, see %s\n' "$first" $((last - 1)) "$log"
    tail -20 "$log"
    exit 255  # no further parts
  fi
}
export -f run_part
seq 0 "$part" $((seeds - 1)) | xargs -P "$(nproc)" -I{} bash -c 'run_part {}'
