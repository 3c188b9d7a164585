#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the module outside the source directories, so that builds for several
# kernels live side by side: build/FLAVOUR holds links to the sources, and
# kbuild runs there.
#
#   module.sh stock|uml|lint [MAKE-ARGUMENT...]
#
# stock is the newest stock kernel with headers, or KDIR; lint the same with
# every warning an error; uml has the KUnit modules too.

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

flavour=${1:?usage: module.sh stock|uml|lint [MAKE-ARGUMENT...]}
shift
args=(CONFIG_FLOWRING=m)
kernels=$TOP/scripts/kernels.sh
case $flavour in
stock|lint)
	kdir=${KDIR:-$("$kernels" kdir)}
	release=$(cat "$kdir/include/config/kernel.release")
	dir=$BUILD/$flavour-$release
	[ "$flavour" = stock ] || args+=(W=1 KCFLAGS=-Werror) ;;
uml)
	kdir=$("$kernels" uml)
	dir=$BUILD/uml
	args+=(ARCH=um CONFIG_FLOWRING_KUNIT_TEST=m) ;;
*)
	die "no such flavour: $flavour" ;;
esac

mkdir -p "$dir"
exec 9>"$dir.lock"
flock 9

# A tree of another kernel would be rebuilt in part only.
if [ "$(cat "$dir/.kdir" 2>/dev/null)" != "$kdir" ]; then
	rm -rf "$dir"
	mkdir -p "$dir"
	echo "$kdir" >"$dir/.kdir"
fi

cp -rs --remove-destination "$TOP/Kbuild" "$TOP/kmod" "$TOP/uapi" "$dir/"
find "$dir" -xtype l -delete

say "module: $dir"
make -C "$kdir" M="$dir" -j"$(nproc)" "${args[@]}" "$@"
