#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs the module that was built for the stock kernel (or KDIR), or
# removes everything that "make install" put below DESTDIR and PREFIX.
#
#   install.sh module|remove

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

root=${DESTDIR:-}
prefix=$root${PREFIX:-/usr/local}
kdir=${KDIR:-$("$TOP/scripts/kernels.sh" kdir)}
release=$(cat "$kdir/include/config/kernel.release")

# A package's own scripts index what is staged below DESTDIR.
index()
{
	[ -n "$root" ] || depmod "$release"
}

case ${1:-} in
module)
	"$TOP/scripts/module.sh" stock modules_install \
		INSTALL_MOD_PATH="$root" INSTALL_MOD_DIR=updates
	index ;;
remove)
	find "$root/lib/modules/$release/updates" -name 'flowring.ko*' \
		-exec rm -v {} + 2>/dev/null || true
	rm -fv "$prefix/sbin/flowring" \
		"$prefix/share/bash-completion/completions/flowring" \
		"$prefix/share/flowring/flowring.schema.json"
	for page in "$TOP"/userspace/man/*.8; do
		rm -fv "$prefix/share/man/man8/${page##*/}"
	done
	index ;;
*)
	die "usage: install.sh module|remove" ;;
esac
