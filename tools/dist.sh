#!/usr/bin/env bash
# A tarball that runs from any folder of a Linux with glibc 2.36 or newer (Debian 12):
# build/dist/lakestream-VERSION-linux-ARCH.tar.gz with its checksum.
#
#   bin/lakestream   without debug information; finds its libraries by $ORIGIN/../lib
#   lib/             every shared library that it needs, but for those of glibc
#   conf/            a configuration file and a systemd unit to start from
#   docs/, licenses/ README and documents; the licence of each library in lib/
#
# The result is tried in a root directory that has glibc and nothing else.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly glibc='^(ld-linux.*|lib(c|m|dl|rt|pthread|resolv|util))\.so'
fail() { echo "dist: $*" >&2; exit 1; }

# Lines "name path" of the libraries that a program or library is run with.
libraries_of() {
  LD_LIBRARY_PATH='' ldd "$1" | awk '/not found/ {print $1, "missing"} $2 == "=>" && $3 ~ /^\// {print $1, $3}'
}

# Files below /usr/lib may be known by their place in /lib.
package_of() {
  { dpkg-query -S "$1" || dpkg-query -S "${1#/usr}" || true; } 2>/dev/null | sed -n '1s/[:,].*//p'
}

# The HTTP library, which is opened by name, and what it needs, in the same form.
http_libraries() {
  local library=libcurl.so.4 path
  path=$(ldconfig -p | awk -v name="$library" '$1 == name {print $NF; exit}')
  [[ $path ]] || { echo "$library missing"; return; }
  echo "$library $path"
  libraries_of "$path"
}

version=$(build/release/lakestream version --format json | sed -n 's/.*"version": *"\([^"]*\)".*/\1/p')
[[ $version ]] || fail "the program does not tell its version"
name=lakestream-$version-linux-$(uname -m)
stage=build/dist/$name
rm -rf "$stage"
mkdir -p "$stage"/{lib,conf,docs,licenses}

cmake --install build/release --prefix "$stage" --strip >build/dist/install.log
while read -r library path; do
  [[ $path != missing ]] || fail "$library is not found; run tools/setup.sh build"
  [[ $library =~ $glibc ]] && continue
  cp -L "$path" "$stage/lib/$library"
  strip --strip-unneeded "$stage/lib/$library"
  package=$(package_of "$(realpath "$path")")
  [[ ! $package ]] || cp -L "/usr/share/doc/$package/copyright" "$stage/licenses/$library.txt"
done < <(libraries_of build/release/lakestream; http_libraries)

# The SQL engine is opened by name and so not among them.
cp build/deps/duckdb/lib/libduckdb.so "$stage/lib"
cp tools/dist/duckdb-license.txt "$stage/licenses/libduckdb.so.txt"

# The libraries of Arrow are those of its wheel, whose licences pip has put beside it.
arrow=$(find build/deps -path '*/pyarrow-*.dist-info/licenses' -type d -print -quit)
[[ $arrow ]] || fail "the licences of Arrow are not there; run tools/setup.sh test"
cat "$arrow"/LICENSE* "$arrow"/NOTICE* >"$stage/licenses/arrow.txt"
for library in "$stage"/lib/*; do
  library=${library##*/}
  [[ -f $stage/licenses/$library.txt || $library =~ ^lib(arrow|parquet) ]] ||
    fail "the licence of $library is not known"
done

cp tools/dist/lakestream.yaml tools/dist/lakestream.service "$stage/conf"
cp README.md "$stage"
cp -r docs/. "$stage/docs"
for file in LICENSE NOTICE; do [[ ! -f $file ]] || cp "$file" "$stage"; done

time=$(git log -1 --format=%cI 2>/dev/null || date -u +%FT%TZ)
tar -C build/dist --sort=name --owner=0 --group=0 --numeric-owner --mtime="$time" -c "$name" | gzip -9n >"$stage.tar.gz"
(cd build/dist && sha256sum "$name.tar.gz" >"$name.tar.gz.sha256")
rm -rf "$stage"

# --- it runs where there is only glibc

root=$(mktemp -d "${TMPDIR:-/tmp}/lakestream-dist.XXXXXX")
trap 'kill ${pid:-} 2>/dev/null || true; rm -rf "$root"' EXIT
mkdir -p "$root"/{opt,tmp,lib64,dev,proc}
tar -C "$root/opt" -xzf "$stage.tar.gz"
program=/opt/$name/bin/lakestream
while read -r path; do
  mkdir -p "$root$(dirname "$path")"
  cp -L "$path" "$root$path"
done < <(ldd "$root$program" | grep -oE '/[^ ]+' | grep -E '/(ld-linux|lib(c|m|dl|rt|pthread|resolv|util)\.so)')
# $ORIGIN is read from /proc.
inside=(unshare --mount --map-root-user bash -c 'mount --rbind /proc "$0/proc" && exec chroot "$0" "$@"' "$root")
"${inside[@]}" "$program" version
serve=("$program" server --config "/opt/$name/conf/lakestream.yaml" --bind 127.0.0.1:0 --data /tmp/data)
coproc server { exec "${inside[@]}" "${serve[@]}" 2>"$root/log"; }
pid=$server_PID
read -r -t 20 ready address <&"${server[0]}" || fail "the server of the tarball does not start: $(<"$root/log")"
[[ $ready == ready ]] || fail "the server of the tarball prints '$ready'"
"${inside[@]}" "$program" table create --server "$address" 'CREATE TABLE t (id INT)'
rows=$("${inside[@]}" "$program" sql --server "$address" --format csv -c 'SELECT count(*) AS rows FROM t')
[[ $rows == $'rows\n0' ]] || fail "the tarball has no SQL: $rows"
kill -TERM "$pid"
wait "$pid" || fail "the server of the tarball ended with $?"

ls -l "$stage.tar.gz" | awk '{printf "%s: %.1f MB\n", $NF, $5 / 1e6}'
