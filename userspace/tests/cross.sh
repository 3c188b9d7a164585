#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The ring and the flow key on a 32-bit little-endian and a 64-bit big-endian
# machine: build ring_test for each and run it, the second one under QEMU's
# user mode emulation. Prints KTAP. What is missing is a failure on Debian, where
# scripts/deps.sh test installs it, and skipped elsewhere.
#
# Debian: gcc-i686-linux-gnu libc6-dev-i386-cross
#         gcc-s390x-linux-gnu libc6-dev-s390x-cross
#         qemu-user-static (12) or qemu-user (13)
# (gcc-multilib will not do: Debian's conflicts with the cross compilers.)

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

n=0
failed=0

# cross NAME COMPILER [RUNNER...]
cross()
{
	local name=$1 cc=$2 tool

	shift 2
	n=$((n + 1))
	for tool in "$cc" "$@"; do
		command -v "$tool" > /dev/null && continue
		if [ -e /etc/debian_version ]; then
			failed=1
			echo "# no $tool: scripts/deps.sh test installs it"
			echo "not ok $n $name"
		else
			echo "ok $n $name # SKIP no $tool"
		fi
		return
	done
	if "$cc" -std=gnu11 -O2 -static -Wall -Wextra -Werror \
		-I"$top/userspace/lib/include" -o "$tmp/$name" \
		"$top/userspace/tests/ring_test.c" \
		"$top/userspace/lib/siphash.c" \
		"$top/kmod/ring.c" "$top/kmod/key.c" > "$tmp/log" 2>&1 &&
	   "$@" "$tmp/$name" > "$tmp/log" 2>&1; then
		echo "ok $n $name"
	else
		failed=1
		sed 's/^/# /' "$tmp/log"
		echo "not ok $n $name"
	fi
}

qemu="qemu-s390x-static"
command -v "$qemu" > /dev/null || qemu="qemu-s390x"

echo "KTAP version 1"
echo "1..2"
cross ring_i686 i686-linux-gnu-gcc
cross ring_s390x s390x-linux-gnu-gcc "$qemu"
exit $failed
