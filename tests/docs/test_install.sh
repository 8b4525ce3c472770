#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# An installed yared starts with the modules that were installed beside it: test_install.sh CMAKE BUILD_DIR
set -u
dir=$(mktemp -d)
pid=
clean_up() {
	[ -z "$pid" ] || kill -KILL "$pid" 2>/dev/null
	rm -rf "$dir"
}
trap clean_up EXIT
"$1" --install "$2" --prefix "$dir/usr" >"$dir/out" || { cat "$dir/out"; exit 1; }
for file in bin/yare share/man/man8/yared.8 share/man/man1/yare.1 share/doc/yare/docs/operations.md share/yare/yang/yare-history@2026-11-30.yang; do
	[ -e "$dir/usr/$file" ] || { echo "$file was not installed"; exit 1; }
done
mkdir "$dir/yang"
cat >"$dir/yang/own.yang" <<'YANG'
module own { namespace "urn:own"; prefix o; leaf a { type string; } }
YANG
"$dir/usr/bin/yared" --yang-dir "$dir/yang" --module own --durability none --listen-unix "$dir/socket" 2>"$dir/log" &
pid=$!
for _ in $(seq 100); do
	grep -q ' info ready ' "$dir/log" && break
	kill -0 "$pid" 2>/dev/null || break
	sleep 0.1
done
grep -q ' info ready ' "$dir/log" || { cat "$dir/log"; exit 1; }
"$dir/usr/bin/yare" explain --counters "$dir/socket" >/dev/null || exit 1
kill -TERM "$pid"
wait "$pid"
code=$?
pid=
exit $code
