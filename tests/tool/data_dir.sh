#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# The commands of yare about data directories, as an operator calls them, without a server: exit codes, messages, and
# that what is exported comes back exactly. Usage: data_dir.sh YARE
set -eu
yare=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

fail() {
	echo "$*" >&2
	cat out err >&2
	exit 1
}
# expect CODE ARGUMENT...: what it printed is in `out` and `err` then
expect() {
	code=$1
	shift
	got=0
	"$yare" "$@" >out 2>err || got=$?
	[ "$got" -eq "$code" ] || fail "yare $*: exit code $got, not $code"
}
says() {
	grep -qF -- "$2" "$1" || fail "no '$2'"
}
flip() {
	printf '\377' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

cat >boxes.yang <<'END'
module boxes {
  yang-version 1.1; namespace "urn:boxes"; prefix b;
  import ietf-yang-metadata { prefix md; }
  revision 2026-01-01;
  md:annotation note { type string; }
  identity kind; identity wooden { base kind; }
  container boxes {
    list box { key name; ordered-by user;
      leaf name { type string; }
      leaf size { type uint8; default 7; must ". < 100"; }
      leaf kind { type identityref { base kind; } }
      leaf-list tag { type string; ordered-by user; }
      leaf inside { type leafref { path "../../box/name"; } }
      container lid { presence "It has one."; leaf colour { type string; default brown; } } }
    leaf count { type int64; }
    anydata rest;
  }
}
END
modules="--yang-dir . --module boxes"
cat >config.xml <<'END'
<config xmlns="urn:ietf:params:xml:ns:netconf:base:1.0"><boxes xmlns="urn:boxes" xmlns:b="urn:boxes">
<box b:note="first &amp; &lt;best&gt;"><name>z 'quoted'</name><size b:note="the default">7</size><kind>b:wooden</kind>
<tag>two</tag><tag b:note="of a value">one</tag><lid/></box>
<box><name>a</name><inside>z 'quoted'</inside><lid><colour>brown</colour></lid></box>
<box><name>m	tab
line &#128230;</name><size>1</size></box>
<count>9007199254740993</count><rest><x xmlns="urn:x">1</x></rest></boxes></config>
END

# --- arguments
expect 2 check
says err "wants DIR"
expect 2 check a b
expect 2 check --no-such-option .
expect 2 journal . --from x
says err "not a number"
expect 2 export --module boxes . --format yaml
expect 2 export .
expect 2 import one.xml $modules
for command in check journal export import recover; do
	expect 0 "$command" --help
	says out "Exit code"
done

# --- directories that are none
expect 2 check nowhere
says err "no such directory"
expect 2 journal nowhere
expect 2 recover nowhere
mkdir new
expect 0 check new
says out "no configuration yet"
expect 2 recover new
expect 1 export new $modules
expect 0 journal new
[ -z "$(ls -A new)" ] || fail "looking has left something"

# --- what JSON has no form for is said
echo '<boxes xmlns="urn:boxes"><rest><x xmlns="urn:x">some<y/>text</x></rest></boxes>' >formless.xml
# shellcheck disable=SC2086 # modules are words
{
	expect 0 import formless formless.xml $modules
	expect 0 export formless $modules --format json
	says err "1 anydata or anyxml"
	expect 0 export formless $modules --data-only
	[ ! -s err ] || fail "a complaint about XML"
	says out 'some<y/>text'
}

# --- there and back
# shellcheck disable=SC2086 # modules are words
{
	expect 0 import data config.xml $modules
	expect 0 export data $modules --data-only
	cp out data.xml
	says data.xml 'note="first'
	says data.xml '<size'
	expect 0 export data $modules --output set.xml
	says set.xml 'instance-data-set'
	expect 0 export data $modules --format json --output set.json
	expect 0 export data $modules --format json --data-only
	cp out data.json
	for file in set.xml set.json data.xml data.json; do
		expect 0 import "from-$file" $file $modules
		expect 0 export "from-$file" $modules --data-only
		cmp data.xml out || fail "$file does not come back"
		expect 0 check "from-$file" $modules
		says out "valid"
	done
	expect 0 import twice set.json --format json $modules
	expect 1 import thrice set.json --format xml $modules
	[ ! -e thrice ] || fail "a refused import has left something"
}
if command -v python3 >/dev/null; then
	python3 -m json.tool <set.json >/dev/null || fail "set.json is no JSON"
fi
if command -v yanglint >/dev/null; then
	yanglint -t config boxes.yang data.xml 2>err || fail "yanglint refuses the XML"
	yanglint -t config boxes.yang data.json 2>err || fail "yanglint refuses the JSON"
fi

# --- what is refused
cat >invalid.xml <<'END'
<boxes xmlns="urn:boxes"><box><name>a</name><size>100</size><inside>b</inside></box></boxes>
END
expect 1 import other invalid.xml $modules
says err "must-violation"
says err "instance-required"
says err "/boxes:boxes/boxes:box[boxes:name='a']/boxes:size"
[ ! -e other ] || fail "a refused import has left something"
expect 2 import other nowhere.xml $modules
expect 2 import data set.xml $modules
says err "--replace"

# --- the next versions
cat >less.xml <<'END'
<boxes xmlns="urn:boxes"><box><name>a</name></box></boxes>
END
expect 0 import data less.xml $modules --replace --comment "only one"
expect 0 import data less.xml $modules --replace
expect 0 import data set.xml $modules --replace --comment "all again"
expect 1 import data invalid.xml $modules --replace
expect 0 journal data --changes
says out 'version 2'
says out '"only one"'
says out 'version 3'
says out "  - /boxes:boxes/box[name=\"z 'quoted'\"]"
says out "  + /boxes:boxes/box[name=\"z 'quoted'\"]/size/@boxes:note: \"the default\""
says out '9007199254740993'
[ "$(grep -c '^version' out)" -eq 2 ] || fail "a replacement by the same is no version"
if LC_ALL=C grep -q "$(printf '\t')" out; then fail "control characters are printed"; fi
expect 0 journal data --json --changes --from 3
[ "$(wc -l <out)" -eq 1 ] || fail "one line a version"
if command -v python3 >/dev/null; then
	python3 -m json.tool <out >/dev/null || fail "no JSON"
fi
expect 0 export data $modules --data-only --version 1
cmp data.xml out || fail "version 1"
expect 0 export data $modules --data-only
cmp data.xml out || fail "version 3"
expect 0 export data $modules --data-only --version 2
says out '<box><name>a</name></box>'
expect 1 export data $modules --version 4
says err "not kept"

# --- another schema
sed 's/leaf count { type int64; }//' boxes.yang >less.txt
mkdir less
sed 's/2026-01-01/2026-02-02/' less.txt >less/boxes.yang
expect 1 check data --yang-dir less --module boxes
says err "/boxes:boxes/count"
expect 1 export data --yang-dir less --module boxes
says err "no place"

# --- damage
expect 0 check data --json
says out '"verdict":"whole"'
cp -r data spoilt
flip spoilt/journal.00000001 150
expect 1 check spoilt
says out "spoilt/journal.00000001: damage at offset 109"
says out "damage: first at spoilt/journal.00000001 offset 109"
expect 1 check spoilt --json
says out '"verdict":"damage"'
says out '"offset":109'
expect 1 journal spoilt
says out "version 3"
says err "offset 109"
expect 1 export spoilt $modules
says err "--damaged"
expect 0 export spoilt $modules --data-only --damaged
cmp data.xml out || fail "what can be proven is version 1"
find spoilt -type f -exec cksum {} + | sort >before
expect 0 recover spoilt --dry-run
says out "kept: version 1"
says out "lost: versions 2 to 3"
find spoilt -type f -exec cksum {} + | sort >after
cmp before after || fail "a dry run has changed something"
expect 0 recover spoilt
says out "kept: version 1"
says out "  version 2  no whole record of it is left"
says out '  version 3'
says out "set aside: set-aside.1/journal.00000001"
expect 0 check spoilt $modules
says out "whole: version 1, valid"
cksum <data/journal.00000001 >/dev/null
[ -f spoilt/set-aside.1/journal.00000001 ] || fail "the original is gone"
expect 0 import spoilt less.xml $modules --replace
expect 0 recover spoilt
says out "nothing to recover"

cp -r data broken
flip broken/snapshot.00000000000000000001 90
expect 1 recover broken
says err "no version can be proven"
expect 0 recover broken --empty
expect 0 check broken
says out "no configuration yet"
expect 0 import broken set.xml $modules

# --- a segment that is a hole of a terabyte, whole, damaged, and with something at its end
# shellcheck disable=SC2086 # modules are words
if cp -r data sparse && truncate -s 1T sparse/journal.00000001 2>err; then
	soon() {
		timeout 20 "$yare" "$@" >out 2>err || got=$?
		[ "${got:-0}" -ne 124 ] || fail "yare $* takes too long"
		got=0
	}
	soon check sparse $modules
	says out "whole: version 3, valid"
	soon journal sparse
	says out "version 3"
	soon import sparse less.xml $modules --replace
	soon check sparse
	says out "whole: version 4"
	printf x | dd of=sparse/journal.00000001 bs=1 seek=900000000000 conv=notrunc 2>/dev/null
	soon check sparse
	says out "tail"
	flip sparse/journal.00000001 150
	soon check sparse
	says out "damage: first at sparse/journal.00000001 offset 109"
	soon recover sparse
	says out "kept: version 1"
	soon check sparse
	says out "whole: version 1"
	# A record and a block that claim to be of gigabytes of nothing.
	cp -r data claims
	printf '\377\377\377\100' | dd of=claims/journal.00000001 bs=1 seek=84 conv=notrunc 2>/dev/null
	printf '\377\377\377\100' | dd of=claims/snapshot.00000000000000000001 bs=1 seek=84 conv=notrunc 2>/dev/null
	truncate -s 1T claims/journal.00000001 claims/snapshot.00000000000000000001
	soon check claims
	says out "claims/journal.00000001: damage at offset 80"
	says out "a block has a hole"
	rm -r sparse claims
fi

# --- what cannot be written
if [ -w /dev/full ]; then
	got=0
	"$yare" export data $modules >/dev/full 2>err || got=$?
	[ "$got" -eq 2 ] || fail "a full disk goes unnoticed"
fi
expect 2 export data $modules --output nowhere/file
