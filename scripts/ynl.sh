#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Generate the uAPI header and the netlink policies from the YNL spec.
#
# usage: scripts/ynl.sh KSRC [OUTDIR]
#
# KSRC is an unpacked kernel source tree (6.12), OUTDIR the tree to write to
# (the checkout itself when not given).
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
ksrc=${1:?usage: scripts/ynl.sh KSRC [OUTDIR]}
out=${2:-$top}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# The generator looks for the schema beside the specs, and for a file called
# MAINTAINERS in some directory above them, without end.
spec=Documentation/netlink/specs/flowring.yaml
mkdir -p "$tmp/${spec%/*}" "$out/uapi/linux" "$out/kmod"
touch "$tmp/MAINTAINERS"
cp "$ksrc"/Documentation/netlink/*.yaml "$tmp/Documentation/netlink/"
cp "$top/$spec" "$tmp/$spec"

gen() {
	local mode=$1 kind=$2 file=$3

	/usr/bin/python3 "$ksrc/tools/net/ynl/ynl-gen-c.py" --spec "$tmp/$spec" \
		--mode "$mode" "$kind" -o "$tmp/${file##*/}"
	sed -i "s|$tmp/||g" "$tmp/${file##*/}"
	cmp -s "$tmp/${file##*/}" "$out/$file" ||
		cp "$tmp/${file##*/}" "$out/$file"
}

gen uapi --header uapi/linux/flowring.h
gen kernel --header kmod/netlink_gen.h
gen kernel --source kmod/netlink_gen.c
