#!/bin/bash
# Builds the release programs of bench/ and runs them all: tools/bench.sh [build directory]
set -euo pipefail
cd "$(dirname "$0")/.."
build=${1:-build/release}

cmake --preset release -B "$build" > /dev/null
programs=()
for source in bench/*.cc; do programs+=("$(basename "$source" .cc)"); done
ninja -C "$build" lakestream "${programs[@]/#/bench_}" > /dev/null

echo "processor: $(lscpu | sed -n 's/^Model name: *//p' | head -1), $(nproc) cores"
echo "kernel:    $(uname -sr)"
echo "date:      $(date -u +%Y-%m-%d)"
echo "revision:  $(git rev-parse --short HEAD 2> /dev/null || echo unknown)"
echo "load:      $(cut -d ' ' -f 1-3 /proc/loadavg) before"
status=0
for program in "${programs[@]}"; do
  echo
  "$build/bench/$program" || status=1
done
exit $status
