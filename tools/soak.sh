#!/usr/bin/env bash
# kill -9 of the real binary under load, 200 times, with an outside record of what was acknowledged.
#
#   KILL_ROUNDS=1000        so many
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

export LAKESTREAM_KILL_ROUNDS=${KILL_ROUNDS:-200}
exec build/deps/venv/bin/python -m pytest tests/e2e/test_lifecycle.py -k test_kills -v
