#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every option that a program's --help lists is in its man page, and the other way round: test_options.sh PROGRAM PAGE
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
