#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compare the slot tables of the C code with those of selftests/model.py, which
# was written from Documentation/hash.rst alone, for random rings, some of them
# full of equal positions; and see that what model.py generates is current.
# Prints KTAP. Environment: CC, RINGS (how many), SEED.

set -u
set -o pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
model=$top/selftests/model.py
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

rings=${RINGS:-400}
seed=${SEED:-$RANDOM}
n=0
failed=0

result()
{
	local rc=$1

	shift
	n=$((n + 1))
	if [ "$rc" -eq 0 ]; then
		echo "ok $n $*"
	else
		failed=1
		echo "not ok $n $*"
	fi
}

same_tables()
{
	"$model" random "$seed" "$rings" > "$tmp/rings" &&
	"$model" slots < "$tmp/rings" > "$tmp/model" &&
	"$tmp/ring_dump" < "$tmp/rings" > "$tmp/code" || return 1
	[ "$(wc -l < "$tmp/code")" -eq "$rings" ] || return 1
	cmp -s "$tmp/model" "$tmp/code" && return 0
	echo "# seed $seed, rings that differ:"
	paste -d '\n' "$tmp/rings" "$tmp/model" "$tmp/code" |
		awk 'NR % 3 == 1 { ring = $0 }
		     NR % 3 == 2 { model = $0 }
		     NR % 3 == 0 && $0 != model { print "# " ring }' |
		head -n 3
	return 1
}

echo "KTAP version 1"
echo "1..3"

"$model" check > "$tmp/check" 2>&1
result $? "model_and_generated_files"
grep '^not ok' "$tmp/check" | sed 's/^/# /'

"${CC:-cc}" -std=gnu11 -O1 -g -Wall -Wextra -Werror \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-I"$top/userspace/lib/include" -o "$tmp/ring_dump" \
	"$top/userspace/tests/ring_dump.c" "$top/userspace/lib/siphash.c" \
	"$top/kmod/ring.c" > "$tmp/build" 2>&1
result $? "build_ring_dump"
sed 's/^/# /' "$tmp/build"

same_tables
result $? "slot_tables_of_${rings}_random_rings"

exit $failed
