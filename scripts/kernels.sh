#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Finds, unpacks and builds the kernels that flowring is built against, and
# prints the path or version asked for on stdout.  Trees are kept in a cache
# outside the checkout and are complete or absent, never half made.
#
#   kernels.sh source   unpacked tree of Debian's linux-source-6.12
#   kernels.sh uml      built user-mode Linux tree, usable for external modules
#   kernels.sh stock    version of the newest stock kernel with headers
#   kernels.sh kdir     build directory of that version

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

VMDIR=$TOP/selftests/vm
SERIES=6.12
TARBALL=/usr/src/linux-source-$SERIES.tar.xz

lock()
{
	mkdir -p "$CACHE"
	exec 9>"$CACHE/$1.lock"
	until flock -w 4 9; do
		say "$1: waiting for another build of it:" \
			"$(tail -n 1 "$CACHE/$1.log" 2>/dev/null | cut -c1-60)"
	done
}

unlock()
{
	exec 9>&-
}

source_version()
{
	[ -f "$TARBALL" ] ||
		die "$TARBALL not found; run scripts/deps.sh vm"
	dpkg-query -W -f '${Version}' "linux-source-$SERIES"
}

source_tree()
{
	local version dir tmp

	version=$(source_version)
	dir=$CACHE/source-$version
	tmp=$dir.tmp
	if [ ! -d "$dir" ]; then
		lock source
		if [ ! -d "$dir" ]; then
			rm -rf "$tmp"
			mkdir -p "$tmp"
			with_progress "unpack linux-source $version" \
				"$CACHE/source.log" \
				tar -xvf "$TARBALL" -C "$tmp" --strip-components=1
			mv "$tmp" "$dir"
		fi
		unlock
	fi
	echo "$dir"
}

# A dependency that is not met drops a line of the fragment without a word.
check_config()
{
	local line name missing=0

	while read -r line; do
		case $line in
		CONFIG_*=n)
			name=${line%=n}
			if grep -q "^$name=" "$2"; then
				say "$1: $name is still set"
				missing=1
			fi ;;
		CONFIG_*)
			if ! grep -qxF "$line" "$2"; then
				say "$1: $line did not reach .config"
				missing=1
			fi ;;
		esac
	done <"$1"
	return "$missing"
}

uml_build()
{
	local src=$1 tmp=$2 patch

	rm -rf "$tmp"
	# Hard links: patch and kbuild replace files, they do not write into
	# them, so the unpacked source stays as it was.
	cp -al "$src" "$tmp"
	for patch in "$VMDIR"/*.patch; do
		patch -s -d "$tmp" -p1 <"$patch" >&2
	done
	make -s -C "$tmp" ARCH=um defconfig >&2
	(cd "$tmp" && scripts/kconfig/merge_config.sh -m -Q \
		.config "$VMDIR/uml.config" >/dev/null)
	make -s -C "$tmp" ARCH=um olddefconfig >&2
	check_config "$VMDIR/uml.config" "$tmp/.config"
	with_progress "build UML kernel" "$CACHE/uml.log" \
		make -C "$tmp" ARCH=um -j"$(nproc)" all
}

uml_tree()
{
	local src version key dir

	version=$(source_version)
	key=$(cat "$VMDIR/uml.config" "$VMDIR"/*.patch | sha256sum)
	dir=$CACHE/uml-$version-${key:0:12}
	if [ ! -x "$dir/linux" ]; then
		src=$(source_tree)
		lock uml
		if [ ! -x "$dir/linux" ]; then
			uml_build "$src" "$dir.tmp"
			rm -rf "$dir"
			mv "$dir.tmp" "$dir"
		fi
		unlock
	fi
	echo "$dir"
}

# Not uname -r: what runs here may be older, or have no headers.
stock_version()
{
	local dir best

	best=$(for dir in "/lib/modules/$SERIES".*-amd64; do
		[ -f "$dir/build/Makefile" ] || continue
		case $dir in
		*-cloud-*|*-rt-*) continue ;;
		esac
		echo "${dir##*/}"
	done | sort -V | tail -n 1)
	[ -n "$best" ] ||
		die "no Debian $SERIES kernel headers; run scripts/deps.sh build"
	echo "$best"
}

case ${1:-} in
source)	source_tree ;;
uml)	uml_tree ;;
stock)	stock_version ;;
kdir)	echo "/lib/modules/$(stock_version)/build" ;;
*)	die "usage: kernels.sh source|uml|stock|kdir" ;;
esac
