#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# What the generators of the shared inputs make is imported, exported in each form, and comes back as it was.
# Usage: roundtrip.sh YARE SHARED
set -eu
yare=$1
shared=${YARE_SHARED:-$2}
if [ ! -d "$shared/workloads" ]; then
	echo "skipped: the shared inputs are absent"
	exit 77
fi
shared=$(cd "$shared" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"

run() {
	"$yare" "$@" >out 2>err || {
		echo "yare $*" >&2
		cat err >&2
		exit 1
	}
}
# there_and_back SET GENERATOR MODULE...
there_and_back() {
	set=$1
	generator=$2
	shift 2
	modules="--yang-dir $shared/yang/$set"
	for module; do modules="$modules --module $module"; done
	rm -rf data* text.* again.*
	# shellcheck disable=SC2086 # words
	{
		"$shared"/workloads/$generator --wrap config --out config.xml
		run import data config.xml $modules
		run check data $modules
		grep -q "valid" out
		run export data $modules --data-only
		cp out text.xml
		[ "$(wc -c <text.xml)" -gt 1000 ]
		for form in xml json; do
			run export data $modules --format $form --output set.$form
			run import data-$form set.$form $modules
			run export data-$form $modules --data-only --output again.xml
			cmp text.xml again.xml
		done
	}
	echo "$set: $(wc -c <text.xml) bytes"
}

there_and_back perf-test "perftest.py --set complex --n 100 --leaf" perf-test
there_and_back ex-vlan "ietf_interfaces_vlan.py --n 50" iana-if-type ex-vlan
there_and_back directory "directory.py --n 100" directory
there_and_back openroadm-cps "openroadm.py --n 10 --vary" org-openroadm-interfaces openroadm-devices-inventory-v2
there_and_back openconfig "openconfig.py --n 20" iana-if-type openconfig-interfaces openconfig-if-ethernet openconfig-if-ip \
	openconfig-vlan openconfig-network-instance openconfig-routing-policy openconfig-bgp-policy openconfig-vlan-types \
	openconfig-policy-types openconfig-bgp-types openconfig-network-instance-types openconfig-types
