#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Installs the Debian packages that a part of the build needs and that are not
# there yet, through apt as root or through sudo.
#
#   deps.sh build|test|fuzz|vm|lint|demo|all...

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

[ $# -gt 0 ] || die "usage: deps.sh build|test|fuzz|vm|lint|demo|all..."

VERSION_ID=
ID=
[ ! -r /etc/os-release ] || . /etc/os-release
case $ID:$VERSION_ID in
# The series is an addition to Debian 12 (its security updates) and the
# release's own kernel in Debian 13.
debian:12)
	image=linux-image-6.12-amd64 headers=linux-headers-6.12-amd64
	emulator=qemu-user-static ;;
debian:13)
	image=linux-image-amd64 headers=linux-headers-amd64
	emulator=qemu-user ;;
*) die "packages are known for Debian 12 and 13 only; this is" \
	"${ID:-unknown} ${VERSION_ID:-}" ;;
esac

group()
{
	case $1 in
	build)
		echo gcc make libc6-dev pkg-config xz-utils kmod util-linux \
			"$headers" libmnl-dev libjansson-dev ;;
	test)
		echo gcc make libc6-dev pkg-config clang libclang-rt-dev \
			libmnl-dev libjansson-dev python3 \
			python3-jsonschema gcc-i686-linux-gnu libc6-dev-i386-cross \
			gcc-s390x-linux-gnu libc6-dev-s390x-cross \
			"$emulator" ;;
	fuzz)
		echo clang libclang-rt-dev make libc6-dev pkg-config \
			libmnl-dev libjansson-dev ;;
	vm)
		echo "$image" "$headers" linux-source-6.12 qemu-system-x86 \
			busybox-static cpio kmod xz-utils util-linux patch \
			gcc make libc6-dev flex bison bc libelf-dev perl \
			python3 iproute2 nftables conntrack iputils-ping \
			nginx-core curl wrk socat ncat tcpdump ethtool \
			ipvsadm jq psmisc procps python3-scapy python3-yaml ;;
	lint)
		echo linux-source-6.12 "$headers" gcc make sparse shellcheck \
			yamllint codespell mandoc perl python3 python3-yaml \
			python3-jsonschema git ;;
	demo)
		group build
		group vm ;;
	all)
		group build
		group test
		group fuzz
		group vm
		group lint ;;
	*)
		die "no such group: $1" ;;
	esac
}

installed()
{
	[ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = \
		installed ]
}

as_root=()
if [ "$(id -u)" -ne 0 ]; then
	as_root=(sudo)
fi

wanted=$(for name; do group "$name"; done)
missing=()
for package in $(printf '%s\n' "$wanted" | tr ' ' '\n' | sort -u); do
	installed "$package" || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then
	say "packages for $*: all there"
	exit 0
fi

if [ "${#as_root[@]}" -gt 0 ]; then
	command -v sudo >/dev/null ||
		die "not root and no sudo, please install: ${missing[*]}"
	sudo -v || die "sudo refused, please install: ${missing[*]}"
fi

say "packages for $*: installing ${missing[*]}"
mkdir -p "$BUILD"
# An archive of somebody else's that cannot be reached is not fatal here.
with_progress "apt-get update" "$BUILD/apt-update.log" \
	"${as_root[@]}" apt-get -q update ||
	say "apt-get update failed, trying with the lists as they are"
with_progress "apt-get install" "$BUILD/apt-install.log" \
	"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
	apt-get -q -y --no-install-recommends install "${missing[@]}"

for package in "${missing[@]}"; do
	installed "$package" || die "$package is still not installed"
done
