#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Run test programs and scripts that print KTAP, print the whole as KTAP and
# end with the numbers of cases that passed and failed.

export LC_ALL=C
TESTDIR=$(cd "$(dirname "$0")" && pwd)
export TESTDIR
export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"

out=$(mktemp) || exit 1
trap 'rm -f "$out"' EXIT

echo "KTAP version 1"
echo "1..$#"
passed=0
failed=0
skipped=0
nr=0
for test in "$@"; do
	nr=$((nr + 1))
	name=$(basename "$test")
	"$test" >"$out" 2>&1
	status=$?
	sed 's/^/  /' "$out"
	skip=$(grep -c '^ *ok .*# SKIP' "$out")
	ok=$(($(grep -c '^ *ok ' "$out") - skip))
	bad=$(grep -c '^ *not ok ' "$out")
	# A program that dies, or says nothing, has failed
	if [ "$bad" -eq 0 ] && { [ "$status" -ne 0 ] || [ "$((ok + skip))" -eq 0 ]; }; then
		echo "  # $name: exit status $status after $ok cases"
		bad=1
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
	skipped=$((skipped + skip))
	if [ "$bad" -eq 0 ]; then
		echo "ok $nr $name"
	else
		echo "not ok $nr $name"
	fi
done

[ "$skipped" -eq 0 ] || echo "# $skipped skipped"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
