#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Compare what the C code makes of random rings with selftests/model.py, which
# was written from Documentation/hash.rst alone: slot tables, shares, capacities,
# fingerprints, owners, and the slots moved by a random change. Many of the rings
# are full of equal positions. See also that the golden vectors are the model's.
# Prints KTAP. Environment: CC, RINGS (how many), SEED.

set -u
set -o pipefail

top=$(cd "$(dirname "$0")/../.." && pwd)
model=$top/selftests/model.py
golden=$top/selftests/golden.py
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

rings=${RINGS:-2000}
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

# part NUMBER: half of the cases, so that two processors have work
part()
{
	local part=$tmp/$1

	"$model" random "$((seed * 2 + $1))" "$(((rings + 1 - $1) / 2))" \
		> "$part.cases" &&
	"$model" answer < "$part.cases" > "$part.model" &&
	"$tmp/ring_dump" < "$part.cases" > "$part.code"
}

same_answers()
{
	local first

	part 0 &
	first=$!
	part 1 || return 1
	wait "$first" || return 1
	cat "$tmp"/[01].cases > "$tmp/cases"
	cat "$tmp"/[01].model > "$tmp/model"
	cat "$tmp"/[01].code > "$tmp/code"
	[ "$(wc -l < "$tmp/code")" -eq "$rings" ] || return 1
	cmp -s "$tmp/model" "$tmp/code" && return 0
	echo "# seed $seed, cases that differ:"
	paste -d '\n' "$tmp/cases" "$tmp/model" "$tmp/code" |
		awk 'NR % 3 == 1 { ring = $0 }
		     NR % 3 == 2 { model = $0 }
		     NR % 3 == 0 && $0 != model { print "# " ring }' |
		head -n 3
	return 1
}

echo "KTAP version 1"
echo "1..4"

for what in "$model" "$golden"; do
	"$what" check > "$tmp/check" 2>&1
	result $? "$(basename "$what" .py)_check"
	grep '^not ok' "$tmp/check" | sed 's/^/# /'
done

"${CC:-cc}" -std=gnu11 -O1 -g -Wall -Wextra -Werror \
	-fsanitize=address,undefined -fno-sanitize-recover=all \
	-I"$top/userspace/lib/include" -o "$tmp/ring_dump" \
	"$top/userspace/tests/ring_dump.c" "$top/userspace/lib/siphash.c" \
	"$top/kmod/ring.c" "$top/kmod/place.c" > "$tmp/build" 2>&1
result $? "build_ring_dump"
sed 's/^/# /' "$tmp/build"

same_answers
result $? "${rings}_random_rings_equal"

exit $failed
