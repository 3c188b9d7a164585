#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs a benchmark of the module in user-mode Linux, at the machine's own speed.
#
#   guest.sh SCRIPT
#
# What is built and what the guest says besides is in build/bench.

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../scripts/common.sh"

mkdir -p "$BUILD/bench"
{
	"$TOP/scripts/module.sh" uml
	make -s -C "$TOP" tool
} >"$BUILD/bench/module.log" 2>&1 || {
	cat "$BUILD/bench/module.log" >&2
	exit 1
}
exec "$TOP/selftests/vm/run.sh" --vm uml --timeout 600 -- \
	"$TOP/selftests/bench/$1" 2>"$BUILD/bench/vm.log"
