#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The demo: a gateway, real web servers and real load in a virtual machine
# with the distribution's stock kernel. "make demo" builds what it needs and
# runs it; guest.sh is the part in the machine.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=scripts/common.sh
. "$here/../../scripts/common.sh"
# shellcheck source=selftests/demo/lib.sh
. "$here/lib.sh"

args=()
if [ -t 1 ] && [ "${TERM:-dumb}" != dumb ] && [ -z "${NO_COLOR:-}" ]; then
	tty=1
	args=(--tty)
fi
colours

[ -x "$BUILD/userspace/flowring" ] || die "no tool yet; run make demo"
compgen -G "$BUILD/stock-*/kmod/flowring.ko" >/dev/null ||
	die "no module yet; run make demo"

# The output, with a word now and then while there is none yet.
output()
{
	local first='' rc

	while :; do
		rc=0
		IFS= read -r -N 1 -t 5 first || rc=$?
		[ "$rc" -gt 128 ] || break
		last_progress=-5
		progress "the virtual machine boots: $((SECONDS - start)) s"
	done
	settle
	printf '%s' "$first"
	exec cat
}

start=$SECONDS
rc=0
"$here/../vm/run.sh" --vm qemu --timeout 400 -- \
	"$here/guest.sh" "${args[@]}" | output || rc=$?
[ "$rc" -eq 0 ] || die "the demo failed (exit status $rc)"
say "demo: done in $((SECONDS - start)) s, machine and all"
