#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# One small run of the suites on the shared models, against the real server: run_suites.sh YARE-BENCH SOURCE
set -eu
models=${YARE_SHARED:-$2/../shared}/yang
if [ ! -d "$models" ]; then
	echo "no shared models in $models: skipped"
	exit 77
fi
"$1" run controller perf-test/boot-vlan directory/import directory/export directory/search directory/search-leaf --sizes 3 --sessions 1 --models "$models"
# More sessions than a server of one has room for, several requests of each in flight.
exec "$1" run directory/group-commit --sizes 3 --sessions 40 --pipeline 2 --models "$models"
