#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every option that a program's --help lists is in its man page, and the other way round; so is each number that is a
# default: test_options.sh PROGRAM PAGE
set -eu
listed=$("$1" --help | sed -n 's/^ *--\([a-z-]*\).*/\1/p' | sort)
described=$(sed -n 's/^\.It Fl -\([a-z-]*\).*/\1/p' "$2" | sort)
[ -n "$listed" ]
if [ "$listed" != "$described" ]; then
	echo "options of $1 and $2 differ:"
	printf '%s\n' "$listed" >"${TMPDIR:-/tmp}/listed.$$"
	printf '%s\n' "$described" | diff "${TMPDIR:-/tmp}/listed.$$" - || true
	rm -f "${TMPDIR:-/tmp}/listed.$$"
	exit 1
fi
code=0
for pair in $("$1" --help | sed -n 's/^ *--\([a-z-]*\).*(default: \([0-9][0-9,]*\))$/\1=\2/p'); do
	if ! awk -v option="-${pair%%=*}" '/^\.It Fl / { inside = $3 == option } inside' "$2" |
		grep -qE "(^|[^0-9])${pair#*=}([^0-9]|\$)"; then
		echo "$2 does not say that the default of --${pair%%=*} is ${pair#*=}"
		code=1
	fi
done
exit $code
