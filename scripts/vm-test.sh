#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Runs selftests in one virtual machine, all or those named.
#
#   vm-test.sh [NAME...]     (VM=qemu|uml)

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
exec "$TOP/selftests/vm/run.sh" --vm "${VM:-qemu}" -- \
	"$TOP/selftests/vm/ktap.py" "${scripts[@]}"
