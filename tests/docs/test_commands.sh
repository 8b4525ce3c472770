#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every command that `yare --help` lists, and every option that its own --help lists, is in the man page, and the other
# way round: test_commands.sh YARE PAGE
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
listed=$("$1" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' | sort)
[ -n "$listed" ]
described=$(sed -n 's/^\.Ss \([a-z]*\).*/\1/p' "$2" | sort)
if [ "$listed" != "$described" ]; then
	echo "commands of $1: $listed"
	echo "those of $2: $described"
	exit 1
fi
code=0
for command in $listed; do
	"$1" "$command" --help | sed -n 's/^ *--\([a-z-]*\).*/\1/p' | sort >"$dir/listed"
	awk -v command="$command" '/^\.S[sh] / { inside = $2 == command } inside' "$2" |
		sed -n 's/^\.It Fl -\([a-z-]*\).*/\1/p' | sort >"$dir/described"
	if ! diff "$dir/listed" "$dir/described"; then
		echo "options of $1 $command and $2 differ"
		code=1
	fi
done
exit $code
