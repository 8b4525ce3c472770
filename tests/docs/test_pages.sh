#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# docs/operations.md has every option --max-... of yared with its default; pages of decisions have a number each, and
# are listed; links between pages lead to files: test_pages.sh YARED SOURCE_DIR
set -u
help=$("$1" --help) || exit 2
cd "$2" || exit 2
code=0
complain() {
	echo "$*"
	code=1
}
limits=$(printf '%s\n' "$help" | sed -n 's/^ *--\(max-[a-z-]*\).*(default: \([0-9]*\).*/\1=\2/p')
[ -n "$limits" ] || complain "yared --help lists no limits"
for limit in $limits; do
	grep -qF -- "\`--${limit%%=*}\` ${limit#*=}" docs/operations.md ||
		complain "docs/operations.md: no --${limit%%=*} ${limit#*=}"
done
last=0
for page in docs/decisions/0*.md; do
	name=${page##*/}
	last=$((last + 1))
	[ "${name%%-*}" = "$(printf %04d $last)" ] || complain "$page: the next number is $last"
	head -1 "$page" | grep -q "^# $last\. " || complain "$page: its title has another number"
	grep -qF "($name)" docs/decisions/README.md || complain "docs/decisions/README.md: no $name"
done
for page in *.md docs/*.md docs/*/*.md bench/*.md yang/*.md; do
	for link in $(grep -o '](\([^)]*\))' "$page" | sed 's/^](\(.*\))$/\1/; s/#.*//' | grep -v '^http'); do
		[ -e "$(dirname "$page")/$link" ] || complain "$page: no $link"
	done
done
exit $code
