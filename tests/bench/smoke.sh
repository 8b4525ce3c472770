#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The regression gate's own judgement, with a yare-bench that only says what it is told: smoke.sh YARE-BENCH SOURCE
# One failure in a row, or two, are a pause of the machine; a third one is a regression. What is really measured by it is
# held against limit_table.c: each limit on a ratio must be of some group, or be named here with the reason why not.
set -eu
bench=$1 source=$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat >"$folder/yare-bench" <<'END'
#!/bin/sh
echo "$*" >>"$0.calls"
case "$2" in
perf-test/memory)
	echo >>"$0.memory"
	if [ "$(wc -l <"$0.memory")" -le "$FAILURES" ]; then
		echo "yare-bench: perf-test/memory, N = 1: 9.00, beyond 2 times the limit of 4" >&2
		exit "$CODE"
	fi
	;;
esac
printf '\nLimits\n  %s met\n' "$2"
END
chmod +x "$folder/yare-bench"
mkdir -p "$folder/shared/yang"
export YARE_SHARED="$folder/shared"

expect() { # EXIT-CODE FAILURES CODE TEXT
	local code=0
	rm -f "$folder/yare-bench".*
	FAILURES=$2 CODE=$3 "$source/scripts/bench-smoke" "$folder" >"$folder/out" 2>&1 || code=$?
	if [ "$code" != "$1" ] || ! grep -q "$4" "$folder/out"; then
		echo "with $2 failures ($3): exit code $code, not $1, or not '$4':"
		cat "$folder/out"
		exit 1
	fi
}

expect 0 0 1 '15 of 15 groups within'
expect 0 2 1 'attempt 2 failed: perf-test/memory'
expect 1 3 1 '14 of 15 groups within'
expect 1 9 2 'beyond 2 times the limit of 4'
expect 130 1 130 'perf-test/pipeline' # interrupted: no further attempt
[ "$(wc -l <"$folder/yare-bench.memory")" = 1 ]

# What each call would measure, in rows, as `list` tells.
expect 0 0 1 groups
"$bench" list >"$folder/list"
for name in $(tr ' ' '\n' <"$folder/yare-bench.calls" | grep / | grep -v ^/ | sort -u); do
	echo "$name"
	grep -F -A1 "  $name " "$folder/list" | sed -n "s|^ *rows: ||p" | tr ' ' '\n' | sed "s|^|${name%%/*}/|; s/#/8/"
done | sort -u >"$folder/measured"
# Of snapshots and restarts of 1,000,000 entries, which take minutes; and peers, which need a netconfd.
cat >>"$folder/measured" <<'END'
perf-test/snapshot
perf-test/ready
perf-test/replay
peers/provision
END
missing=$(sed -n '/ limits\[\] = {/,/^};/p' "$source/bench/limit_table.c" | grep -v 'true}' |
	sed -n 's/^\t{"\([^"]*\)",.*/\1/p' | sort -u |
	grep -vxFf "$folder/measured" || true)
if [ -n "$missing" ]; then
	echo "limits that scripts/bench-smoke does not measure: $missing"
	exit 1
fi
