#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2317
#
# The ring and the flow key on a 32-bit little-endian and a 64-bit big-endian
# machine, the second one under QEMU's user mode emulation: build ring_test and
# ring_dump for each, run the one and compare what the other makes of random
# rings with selftests/model.py. Prints KTAP. What is missing is a failure on
# Debian, where scripts/deps.sh test installs it, and skipped elsewhere.
# Environment: CROSS_RINGS (how many), SEED.
#
# Debian: gcc-i686-linux-gnu libc6-dev-i386-cross
#         gcc-s390x-linux-gnu libc6-dev-s390x-cross
#         qemu-user-static (12) or qemu-user (13)
# (gcc-multilib will not do: Debian's conflicts with the cross compilers.)
# Functions are called by their names, which makes them look unreachable.

set -u

top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

n=0
failed=0
rings=${CROSS_RINGS:-200}
seed=${SEED:-$RANDOM}
model=$top/selftests/model.py

answers_of_the_model()
{
	"$model" random "$seed" "$rings" > "$tmp/cases" &&
	"$model" answer < "$tmp/cases" > "$tmp/model"
}

# build NAME COMPILER PROGRAM
build()
{
	"$2" -std=gnu11 -O2 -static -Wall -Wextra -Werror \
		-I"$top/userspace/lib/include" -o "$tmp/$1_$3" \
		"$top/userspace/tests/$3.c" "$top/userspace/lib/siphash.c" \
		"$top/kmod/ring.c" "$top/kmod/place.c" "$top/kmod/key.c"
}

build_both()
{
	build "$1" "$2" ring_test && build "$1" "$2" ring_dump
}

# same_answers NAME [RUNNER...]
same_answers()
{
	local name=$1

	shift
	echo "seed $seed"
	"$@" "$tmp/${name}_ring_dump" < "$tmp/cases" > "$tmp/answers" &&
	[ "$(wc -l < "$tmp/answers")" -eq "$rings" ] &&
	cmp "$tmp/model" "$tmp/answers"
}

# result NAME COMMAND...
result()
{
	local name=$1

	shift
	n=$((n + 1))
	if "$@" > "$tmp/log" 2>&1; then
		echo "ok $n $name"
	else
		failed=1
		sed 's/^/# /' "$tmp/log"
		echo "not ok $n $name"
	fi
}

# cross NAME COMPILER [RUNNER...]
cross()
{
	local name=$1 cc=$2 tool what

	shift 2
	for tool in "$cc" "$@"; do
		command -v "$tool" > /dev/null && continue
		for what in "build_$name" "ring_$name" \
			"${rings}_random_rings_equal_$name"; do
			n=$((n + 1))
			if [ -e /etc/debian_version ]; then
				failed=1
				echo "# no $tool: scripts/deps.sh test installs it"
				echo "not ok $n $what"
			else
				echo "ok $n $what # SKIP no $tool"
			fi
		done
		return
	done
	result "build_$name" build_both "$name" "$cc"
	result "ring_$name" "$@" "$tmp/${name}_ring_test"
	result "${rings}_random_rings_equal_$name" same_answers "$name" "$@"
}

qemu="qemu-s390x-static"
command -v "$qemu" > /dev/null || qemu="qemu-s390x"

echo "KTAP version 1"
echo "1..7"
result "model_of_${rings}_random_rings" answers_of_the_model
cross i686 i686-linux-gnu-gcc
cross s390x s390x-linux-gnu-gcc "$qemu"
exit $failed
