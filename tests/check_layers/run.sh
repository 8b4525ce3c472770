#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# Tests scripts/check-layers on trees made for it: a clean one passes, each kind of violation fails and is named
# with its file and line. Prints what went wrong and exits with 1.
set -eu
script=$(cd "$(dirname "$0")/../.." && pwd)/scripts/check-layers
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
failures=0

# A tree of three layers without a violation.
make_tree() {
	rm -rf "${tree:?}"/*
	mkdir -p "$tree/src/base" "$tree/src/schema" "$tree/src/codec/sub" "$tree/src/transport" \
		"$tree/include/yare" "$tree/bench"
	printf 'yare_layer(base LIBS Threads::Threads)\nyare_layer(schema)\n  yare_layer( codec )\nyare_layer(transport)\n' \
		>"$tree/src/CMakeLists.txt"
	printf '#pragma once\n#include <stddef.h>\n' >"$tree/src/base/memory.h"
	printf '#include "base/memory.h"\n#include <libyang/libyang.h>\n' >"$tree/src/schema/load.h"
	printf '#include "schema/load.h"\n#  include "base/memory.h"\n#include <libxml/parser.h>\n' \
		>"$tree/src/codec/sub/xml.c"
	printf '#include <libssh/server.h>\n#include "yare/yare.h"\n' >"$tree/src/transport/ssh.c"
	printf '#include <stdint.h>\n' >"$tree/include/yare/yare.h"
	printf '#include "floor.h"\n#include <libssh/libssh.h>\n#include "schema/load.h"\n' >"$tree/bench/run.c"
	: >"$tree/bench/floor.h"
}

fail() {
	echo "check_layers: $1"
	failures=$((failures + 1))
}

# expect_pass NAME
expect_pass() {
	"$script" "$tree" >"$tree/out" 2>&1 || fail "$1: should pass, printed: $(cat "$tree/out")"
}

# expect_fail NAME FILE CONTENT WANTED: writes the file into a clean tree; the report must contain WANTED.
expect_fail() {
	make_tree
	mkdir -p "$(dirname "$tree/$2")"
	printf '%b' "$3" >"$tree/$2"
	code=0
	"$script" "$tree" >"$tree/out" 2>&1 || code=$?
	[ "$code" -eq 1 ] || fail "$1: exit code $code"
	grep -qF "$4" "$tree/out" || fail "$1: no '$4' in: $(cat "$tree/out")"
	[ "$(wc -l <"$tree/out")" -eq 1 ] || fail "$1: one line expected: $(cat "$tree/out")"
}

make_tree
expect_pass 'clean tree'

expect_fail 'include of a higher layer' src/base/up.c '\n#include "schema/load.h"\n' \
	'src/base/up.c:2: "schema/load.h": layer schema is above base'
expect_fail 'header not rooted' src/schema/near.c '#include "load.h"\n' 'src/schema/near.c:1: "load.h" is not rooted'
expect_fail 'path with dots' src/schema/dots.c '#include "../base/memory.h"\n' 'src/schema/dots.c:1:'
expect_fail 'absent header' src/schema/gone.c '#include "base/gone.h"\n' 'src/schema/gone.c:1:'
expect_fail 'project header in angle brackets' src/codec/angle.c '#include <base/memory.h>\n' 'use quotes'
expect_fail 'libyang outside schema' src/codec/ly.c ' # include <libyang/tree_data.h>\n' 'src/codec/ly.c:1:'
expect_fail 'libyang in quotes' src/codec/ly.c '#include "schema/load.h"\n#include <libyang/libyang.h> // x' \
	'src/codec/ly.c:2:'
expect_fail 'libyang in bench' bench/ly.c '#include <libyang/libyang.h>\n' 'bench/ly.c:1:'
expect_fail 'libxml2 outside codec' src/schema/x.h '#include <libxml/tree.h>\n' 'src/schema/x.h:1:'
expect_fail 'libssh outside transport' src/codec/s.c '#include <libssh/libssh.h>\n' 'src/codec/s.c:1:'
expect_fail 'folder that is no layer' src/odd/a.c 'int a;\n' 'src/odd/a.c:0: not in the folder of a layer'
expect_fail 'file in no folder' src/a.c 'int a;\n' 'src/a.c:0: not in the folder of a layer'
expect_fail 'public header with an internal one' include/yare/in.h '#include "base/memory.h"\n' 'include/yare/in.h:1:'
expect_fail 'computed include' src/base/macro.c '#include HEADER\n' 'names no file'

make_tree
: >"$tree/src/CMakeLists.txt"
if "$script" "$tree" >/dev/null 2>&1; then fail 'no layers: should fail'; fi

[ "$failures" -eq 0 ] && echo 'check_layers: all passed'
[ "$failures" -eq 0 ]
