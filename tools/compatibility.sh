#!/usr/bin/env bash
# Records what each client asks the server for in the end-to-end tests, and makes docs/compatibility.md of it.
#
#   tools/compatibility.sh [PYTEST ARGUMENT...]
#
# Left out are tests that kill servers, time them, or load them: relays would only slow them down.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

names=(behaviours cli cli_keys cli_partitions cli_tail cluster evolution iceberg java kv_engines kv_java kv_pyfluss
  kv_raw kv_scan lake lake_formats lake_java lake_tables log_protocol login partitions producers protocol
  pushdown pyfluss remote_log rights sql table_options tiering_role)
files=("${names[@]/#/tests/e2e/test_}")
LAKESTREAM_RECORD=tests/e2e/compatibility.tsv build/deps/venv/bin/python -m pytest -k "not flights and not kill" "$@" \
  "${files[@]/%/.py}"
tools/gen_compatibility.py
