#!/usr/bin/env bash
# The real binary under load, with an outside record of what was acknowledged: kill -9, 200 times with log tables and as
# often with primary-key tables; then two minutes of tables that change while they are written and read.
#
#   KILL_ROUNDS=1000        so many
#   LIVING_SECONDS=3600     so long
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export LAKESTREAM_KILL_ROUNDS=${KILL_ROUNDS:-200}
export LAKESTREAM_KV_KILL_ROUNDS=$LAKESTREAM_KILL_ROUNDS
export LAKESTREAM_LIVING_SECONDS=${LIVING_SECONDS:-120}
exec build/deps/venv/bin/python -m pytest -v -s -k "test_kills or test_everything_at_once" \
  tests/e2e/test_lifecycle.py tests/e2e/test_kv_lifecycle.py tests/e2e/test_kv_kills.py tests/e2e/test_living.py
