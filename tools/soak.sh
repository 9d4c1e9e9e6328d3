#!/usr/bin/env bash
# The real binary under load, with an outside record of what was acknowledged. An hour of all operations by clients of
# every kind, such as die and such as lie, in one life of a server: flat memory, nothing left of what is gone. Kill -9,
# 200 times with log tables and as often with primary-key tables; then two minutes of tables that change while they are
# written and read, 1,200 steps of writes, kills and queries while tables are copied to the lake, and 500 ends between
# two steps on the way there.
#
#   SOAK_SECONDS=600        so long, a line each minute; LAKESTREAM_SOAK_SEED and _PACE: see tests/e2e/test_soak.py
#   KILL_ROUNDS=1000        so many
#   LIVING_SECONDS=3600     so long
#   LAKE_STEPS=5000         so many, twice
#   FAILPOINT_ROUNDS=2000   so many
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export LAKESTREAM_SOAK_SECONDS=${SOAK_SECONDS:-3600}
export LAKESTREAM_KILL_ROUNDS=${KILL_ROUNDS:-200}
export LAKESTREAM_KV_KILL_ROUNDS=$LAKESTREAM_KILL_ROUNDS
export LAKESTREAM_LIVING_SECONDS=${LIVING_SECONDS:-120}
export LAKESTREAM_LAKE_STEPS=${LAKE_STEPS:-600}
export LAKESTREAM_FAILPOINT_ROUNDS=${FAILPOINT_ROUNDS:-500}
rounds="test_soak or test_kills or test_everything_at_once or test_queries_see_the_model"
exec build/deps/venv/bin/python -m pytest -v -s -k "$rounds" \
  tests/e2e/test_soak.py tests/e2e/test_lifecycle.py tests/e2e/test_kv_lifecycle.py tests/e2e/test_kv_kills.py \
  tests/e2e/test_living.py tests/e2e/test_lake.py tests/e2e/test_lake_model.py tests/e2e/test_lake_failpoints.py
