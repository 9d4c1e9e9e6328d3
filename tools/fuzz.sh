#!/usr/bin/env bash
# Fuzzes every parser under the address and undefined behaviour sanitizers, as many fuzzers at once as there are
# cores, each from the corpus that its script in tests/fuzz makes; tells at the end what they tried and reached.
#
#   tools/fuzz.sh [NAME...]     all of them when none is named
#   FUZZ_MINUTES=30             time for all together
#   FUZZ_JOBS=2                 fuzzers at once, instead of the number of cores
#
# New inputs stay in build/fuzz/corpus/<name>, what crashed in build/fuzz/crashes/<name>-*, the output of each
# fuzzer in build/fuzz/logs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

names=("$@")
((${#names[@]})) || for harness in tests/fuzz/*_fuzz.cc; do names+=("$(basename "$harness" .cc)"); done
jobs=${FUZZ_JOBS:-$(nproc)}
turns=$(((${#names[@]} + jobs - 1) / jobs))
export seconds=$((${FUZZ_MINUTES:-30} * 60 / turns))
# Without a name for the sanitizers' symbolizer there are no places in reports.
symbolizer=$(command -v llvm-symbolizer-16 || command -v llvm-symbolizer || command -v addr2line)
export ASAN_OPTIONS=allow_addr2line=1:external_symbolizer_path=$symbolizer
cmake --build build/fuzz --target "${names[@]}"

fuzz_one() {
  local corpus=build/fuzz/corpus/$1 log=build/fuzz/logs/$1.log script=tests/fuzz/${1%_fuzz}_corpus.py
  mkdir -p "$corpus"
  [[ ! -f $script ]] || python3 "$script" "$corpus"
  rm -f "$log.coverage"
  echo "=== $1: $seconds s from $(find "$corpus" -type f | wc -l) inputs"
  "build/fuzz/fuzz/$1" -max_total_time="$seconds" -print_final_stats=1 -timeout=25 -rss_limit_mb=2048 \
    -artifact_prefix="build/fuzz/crashes/$1-" "$corpus" >"$log" 2>&1 || { echo "=== $1: FAILED, see $log"; return 1; }
  # What the corpus reaches, function by function.
  "build/fuzz/fuzz/$1" -runs=0 -print_coverage=1 "$corpus" >"$log.coverage" 2>&1
}
export -f fuzz_one

mkdir -p build/fuzz/crashes build/fuzz/logs
status=0
printf '%s\n' "${names[@]}" | xargs -P "$jobs" -I{} bash -c 'fuzz_one {}' || status=1
python3 tests/fuzz/report.py build/fuzz/logs "${names[@]}"
exit "$status"
