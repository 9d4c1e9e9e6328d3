#!/usr/bin/env bash
# kill -9 of the real binary under load, 200 times with log tables and as often with primary-key tables, with an outside
# record of what was acknowledged.
#
#   KILL_ROUNDS=1000        so many
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export LAKESTREAM_KILL_ROUNDS=${KILL_ROUNDS:-200}
export LAKESTREAM_KV_KILL_ROUNDS=$LAKESTREAM_KILL_ROUNDS
exec build/deps/venv/bin/python -m pytest -v -k test_kills \
  tests/e2e/test_lifecycle.py tests/e2e/test_kv_lifecycle.py tests/e2e/test_kv_kills.py
