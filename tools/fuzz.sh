#!/usr/bin/env bash
# Fuzzes every parser for a while, each from the corpus that its script in tests/fuzz makes.
#
#   tools/fuzz.sh [NAME...]     all of them when none is named
#   FUZZ_SECONDS=60             time for each
#
# New inputs stay in build/fuzz/corpus/<name>, what crashed in build/fuzz/crashes/<name>-*.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

names=("$@")
((${#names[@]})) || for harness in tests/fuzz/*_fuzz.cc; do names+=("$(basename "$harness" .cc)"); done
cmake --build build/fuzz --target "${names[@]}"

mkdir -p build/fuzz/crashes
for name in "${names[@]}"; do
  corpus=build/fuzz/corpus/$name
  mkdir -p "$corpus"
  script=tests/fuzz/${name%_fuzz}_corpus.py
  [[ ! -f $script ]] || python3 "$script" "$corpus"
  echo "=== $name: ${FUZZ_SECONDS:-60} s from $(find "$corpus" -type f | wc -l) inputs"
  "build/fuzz/fuzz/$name" -max_total_time="${FUZZ_SECONDS:-60}" -print_final_stats=1 -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="build/fuzz/crashes/$name-" "$corpus"
done
