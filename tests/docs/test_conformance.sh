#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# docs/conformance.md names tests that exist, and every scenario. Usage: test_conformance.sh SOURCE_DIR
set -u
cd "$1" || exit 2
page=docs/conformance.md
failed=0
named=$(grep '^|' "$page" | grep -oE '[A-Za-z0-9_/-]+\.(scn|c|py|sh)\b' | sort -u)
for name in $named; do
	path=tests/$name
	[ "${name%.scn}" = "$name" ] || path=tests/scenario/$name
	[ -e "$path" ] || { echo "$page: no $path"; failed=1; }
done
for path in tests/scenario/*.scn; do
	grep -qx "$(basename "$path")" <<<"$named" || { echo "$page: $path is not named"; failed=1; }
done
exit $failed
