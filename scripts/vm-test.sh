#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs selftests in virtual machines, all or those named.
#
#   vm-test.sh [NAME...]     (VM=qemu|uml, VM_JOBS=machines at the same time)

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

scripts=()
if [ $# -gt 0 ]; then
	for name; do
		file=$TOP/selftests/${name%.sh}.sh
		[ -x "$file" ] || die "no such selftest: $name"
		scripts+=("$file")
	done
else
	# What is not executable is sourced by the others.
	mapfile -t scripts < <(find "$TOP/selftests" -maxdepth 1 \
		-name '*.sh' -perm -u+x | sort)
	[ "${#scripts[@]}" -gt 0 ] || die "no selftests found"
fi

case ${VM:-qemu} in
qemu)	flavour=stock ;;
uml)	flavour=uml ;;
*)	die "VM is qemu or uml, not $VM" ;;
esac
"$TOP/scripts/module.sh" "$flavour" >&2
make -s -C "$TOP" tool >&2
make -s -C "$TOP/selftests" O="$BUILD/selftests" >&2
export VM=${VM:-qemu}
jobs=${VM_JOBS:-$(nproc)}
run=$TOP/selftests/vm/run.sh
ktap=$TOP/selftests/vm/ktap.py
if [ "$jobs" -eq 1 ] || [ "${#scripts[@]}" -eq 1 ]; then
	exec "$run" --timeout 2400 -- "$ktap" "${scripts[@]}"
fi
# As many machines as processors: a thread for each will do. An emulated guest
# whose processors share one thread never runs code that another one of them has
# just patched (an int3 of a static key that nobody owns up to, seen rarely).
export VM_THREADS=single
exec "$TOP/scripts/vm_shards.py" "$jobs" "$run" "$ktap" "${scripts[@]}"
