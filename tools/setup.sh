#!/usr/bin/env bash
# Sets up a Debian 12 machine for building and testing Lakestream.
#
#   tools/setup.sh build    what `make build` needs: system packages, Arrow and the SQL engine
#   tools/setup.sh lake     only a reader of Paimon tables, which the quickstart uses
#   tools/setup.sh iceberg  only a reader of Iceberg tables, which the quickstart can use instead
#   tools/setup.sh test     also the Python and Java clients of the end-to-end tests (default)
#   tools/setup.sh flink    what `make test-flink` needs on top: Flink with its connector, and Paimon
#
# Each stage leaves a stamp with the hash of its inputs in build/deps/stamps and is skipped while that hash holds.
# --force runs the stages again. Only the system packages need root or sudo, and only when some are missing.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly deps=$PWD/build/deps
readonly stamps=$deps/stamps logs=$deps/logs

python=/usr/bin/python3
[[ -x $python ]] || python=$(command -v python3 || echo python3)

# --- stages -----------------------------------------------------------------------------------------------------------
# <name>_title   how it is called in the output
# <name>_inputs  text whose hash decides whether it has to run again
# <name>_output  what it makes; runs again when that is gone
# <name>_run     the work, in a subshell under `set -e`

packages_inputs() {  # selection
  wanted_packages "$1"
  # What is installed counts as well: the stamp may outlive a package.
  wanted_packages "$1" | cut -d= -f1 | xargs dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null || true
}
packages_run() {  # selection
  local missing=() entry name
  while read -r entry; do
    name=${entry%%=*}
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$name" 2>/dev/null) == installed ]] || missing+=("$entry")
  done < <(wanted_packages "$1")
  ((${#missing[@]})) || { echo "all installed"; return; }

  local root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null || { echo "not root, and there is no sudo"; return 1; }
    root=(sudo)
  fi
  local apt=("${root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y -o DPkg::Lock::Timeout=300)
  "${apt[@]}" update
  local install=()
  for entry in "${missing[@]}"; do
    name=${entry%%=*}
    if [[ $entry == *=* ]] && ! apt-cache madison "$name" | awk -F' *[|] *' '{print $2}' | grep -qxF "${entry#*=}"; then
      warn "$entry is no longer offered, taking $(apt-cache policy "$name" | awk '/Candidate:/ {print $2}')"
      entry=$name
    fi
    install+=("$entry")
  done
  "${apt[@]}" install --no-install-recommends "${install[@]}"
}

system_title() { echo "system packages"; }
system_inputs() { packages_inputs build; }
system_output() { echo /var/lib/dpkg/status; }
system_run() { packages_run build; }

clients_title() { echo "java"; }
clients_inputs() { packages_inputs test; }
clients_output() { echo /var/lib/dpkg/status; }
clients_run() { packages_run test; }

arrow_title() { echo "arrow prefix"; }
arrow_inputs() { cat tools/requirements-build.txt tools/arrow_prefix.py; }
arrow_output() { echo "$deps/arrow/lib"; }
arrow_run() {
  local wheels=$deps/wheels
  rm -rf "$wheels"
  "$python" -m venv "$deps/venv-build"
  "$deps/venv-build/bin/pip" download --no-deps --only-binary=:all: -d "$wheels" -r tools/requirements-build.txt
  "$python" tools/arrow_prefix.py "$wheels"/pyarrow-*.whl "$deps/arrow"
  rm -rf "$wheels" "$deps/venv-build"
}

# The library of DuckDB out of its JDBC jar, as the one place where a release of it comes complete and alone.
readonly duckdb_artifact=org.duckdb:duckdb_jdbc:2.0.0.1
duckdb_title() { echo "sql engine"; }
duckdb_inputs() { echo "$duckdb_artifact"; }
duckdb_output() { echo "$deps/duckdb/lib/libduckdb.so"; }
duckdb_run() {
  local jar=$deps/duckdb-jar arch
  case $(uname -m) in
    x86_64) arch=amd64 ;;
    aarch64) arch=arm64 ;;
    *) echo "there is no library for $(uname -m)"; return 1 ;;
  esac
  rm -rf "$jar" "$deps/duckdb"
  mkdir -p "$deps/duckdb/lib"
  mvn -B -q dependency:copy "-Dartifact=$duckdb_artifact" "-DoutputDirectory=$jar"
  unzip -p "$jar"/duckdb_jdbc-*.jar "libduckdb_java.so_linux_$arch" >"$deps/duckdb/lib/libduckdb.so"
  rm -rf "$jar"
}

python_title() { echo "python client"; }
python_inputs() { cat tools/requirements-e2e.txt; }
python_output() { echo "$deps/venv/bin/pytest"; }
python_run() {
  rm -rf "$deps/venv"
  "$python" -m venv "$deps/venv"
  "$deps/venv/bin/pip" install --no-deps -r tools/requirements-e2e.txt
  "$deps/venv/bin/pip" check
}

reader_run() {  # requirements, virtual environment
  rm -rf "$deps/$2"
  "$python" -m venv "$deps/$2"
  "$deps/$2/bin/pip" install --no-deps -r "$1"
}
lake_title() { echo "paimon reader"; }
lake_inputs() { cat tools/requirements-lake.txt; }
lake_output() { echo "$deps/venv-lake/bin/python"; }
lake_run() { reader_run tools/requirements-lake.txt venv-lake; }
iceberg_title() { echo "iceberg readers"; }
iceberg_inputs() { cat tools/requirements-iceberg.txt; }
iceberg_output() { echo "$deps/venv-iceberg/bin/python"; }
iceberg_run() { reader_run tools/requirements-iceberg.txt venv-iceberg; }

java_run() {  # fluss client version, directory
  rm -rf "$deps/$2"
  mvn -B -q -f tests/e2e/java/pom.xml dependency:copy-dependencies "-Dfluss.version=$1" "-DoutputDirectory=$deps/$2"
}
java10_title() { echo "java client 1.0.0"; }
java10_inputs() { cat tests/e2e/java/pom.xml; }
java10_output() { echo "$deps/java-1.0.0"; }
java10_run() { java_run 1.0.0 java-1.0.0; }
java09_title() { echo "java client 0.9.1"; }
java09_inputs() { cat tests/e2e/java/pom.xml; }
java09_output() { echo "$deps/java-0.9.1"; }
java09_run() { java_run 0.9.1-incubating java-0.9.1; }

java_reader_run() {  # project, directory
  rm -rf "$deps/$2"
  mvn -B -q -f "$1" dependency:copy-dependencies "-DoutputDirectory=$deps/$2"
}
paimon_title() { echo "java reader of paimon"; }
paimon_inputs() { cat tests/e2e/lake/pom.xml; }
paimon_output() { echo "$deps/java-paimon"; }
paimon_run() { java_reader_run tests/e2e/lake/pom.xml java-paimon; }
icebergjava_title() { echo "java reader of iceberg"; }
icebergjava_inputs() { cat tests/e2e/iceberg/pom.xml; }
icebergjava_output() { echo "$deps/java-iceberg"; }
icebergjava_run() { java_reader_run tests/e2e/iceberg/pom.xml java-iceberg; }

flink_title() { echo "flink"; }
flink_inputs() { cat tests/flink/pom.xml; declare -f flink_run; }
flink_output() { echo "$deps/flink"; }
flink_run() {
  local artifact maven=(mvn -B -q -f tests/flink/pom.xml)
  rm -rf "$deps/flink"
  "${maven[@]}" dependency:copy-dependencies "-DoutputDirectory=$deps/flink"
  # The parents of these were never published; newer versions of the plugin insist on reading them.
  for artifact in fluss-lake-paimon fluss-flink-tiering; do
    "${maven[@]}" org.apache.maven.plugins:maven-dependency-plugin:2.10:copy "-DoutputDirectory=$deps/flink" \
      "-Dartifact=org.apache.fluss:$artifact:0.9.1-incubating"
  done
}

# --- the driver -------------------------------------------------------------------------------------------------------

wanted_packages() {  # selection: build, or test for those that only the tests need
  sed -e 's/#.*//' -e 's/[[:space:]]//g' tools/apt-packages.txt |
    case $1 in
      build) grep -v -e '^$' -e '^test:' ;;
      test) sed -n 's/^test://p' ;;
    esac
}

warn() { echo "warning: $*" | tee -a "$logs/warnings" ; }

no_answer='resolve|connection|timed out|timeout|unreachable|could not transfer|no matching distribution'
no_answer+='|failed to fetch|unable to locate package'

# What the last lines of a log suggest to do.
advice() {
  if grep -qiE 'not root|are you root|permission denied|superuser' "$1"; then
    echo "run it as root, or as a user who may use sudo"
  elif grep -qiE 'no space left' "$1"; then
    echo "free some disk space: about 1.5 GB are needed"
  elif grep -qiE 'could not get lock|unable to lock' "$1"; then
    echo "another apt or dpkg is running; wait for it to end and run this again"
  elif grep -qiE "$no_answer" "$1"; then
    echo "the package registry did not answer or lacks the package;" \
      "check the network and its proxy settings, then run this again"
  elif grep -qiE 'command not found|no such file' "$1"; then
    echo "a tool is missing; run tools/setup.sh --force $goal"
  else
    echo "read the whole log"
  fi
}

hash_of() {  # stage
  "$1_inputs" | sha256sum | cut -d' ' -f1
}

run_stage() {  # name, its number, how many there are
  local name=$1 label stamp=$stamps/$1 log=$logs/$1.log begin=$SECONDS
  label="[$2/$3] $("${name}_title") ..."
  if [[ -z $force && -f $stamp && $(<"$stamp") == "$(hash_of "$name")" && -e $("${name}_output") ]]; then
    echo "$label up to date"
    return
  fi
  printf '%s ' "$label"
  : >"$logs/warnings"
  local status=0
  # A subshell of its own keeps `set -e` in force inside the stage.
  set +e
  (set -e; "${name}_run") >"$log" 2>&1 </dev/null
  status=$?
  set -e
  if ((status != 0)); then
    echo "FAILED ($((SECONDS - begin)) s)"
    {
      echo "setup: stage \"$("${name}_title")\" failed with status $status; the end of its log:"
      tail -n 15 "$log" | sed 's/^/    /'
      echo "setup: $(advice "$log")"
      echo "setup: whole log in ${log#"$PWD"/}"
    } >&2
    exit 1
  fi
  hash_of "$name" >"$stamp"
  echo "done ($((SECONDS - begin)) s)"
  sed 's/^/      /' "$logs/warnings"
}

goal=test force=
for argument in "$@"; do
  case $argument in
    build | lake | iceberg | test | flink) goal=$argument ;;
    --force) force=1 ;;
    -h | --help) sed -n '2,/^set -/{/^set -/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) echo "setup: unknown argument '$argument'; it takes build, lake, iceberg, test, flink or --force" >&2; exit 2 ;;
  esac
done

mkdir -p "$stamps" "$logs"
exec 9>"$deps/lock"
flock -n 9 || { echo "setup: another set-up is running, waiting for it" >&2; flock 9; }

stages=(system arrow duckdb)
[[ $goal == build ]] || stages+=(clients python lake iceberg paimon icebergjava java10 java09)
[[ $goal != lake && $goal != iceberg ]] || stages=("$goal")
[[ $goal != flink ]] || stages+=(flink)
for i in "${!stages[@]}"; do
  run_stage "${stages[i]}" $((i + 1)) ${#stages[@]}
done
