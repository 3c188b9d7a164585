#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the fuzzers and runs them all at the same time, each one line of KTAP
# with the number of its runs. Inputs that reach new code are kept in
# build/fuzz/corpus for the next time; one that fails is left in build/fuzz and
# printed.
#
#   fuzz.sh [SECONDS [NAME...]]     all in userspace/tests/fuzz when none is named

set -uo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

LEAST=1000	# runs: with fewer, nothing was tested
seconds=${1:-600}
[ $# -eq 0 ] || shift
[ "$seconds" -gt 0 ] 2>/dev/null || die "not a number of seconds: $seconds"

dir=$TOP/userspace/tests/fuzz
if [ $# -eq 0 ]; then
	for source in "$dir"/*_fuzz.c; do
		source=${source##*/}
		set -- "$@" "${source%_fuzz.c}"
	done
fi
out=$BUILD/fuzz
mkdir -p "$out/log"
make -s -C "$dir" O="$out" "${@/%/-fuzzer}" >"$out/log/build" 2>&1 || {
	tail -n 30 "$out/log/build" >&2
	die "the fuzzers cannot be built"
}

export ASAN_OPTIONS="detect_leaks=1:${ASAN_OPTIONS:-}"
export UBSAN_OPTIONS="print_stacktrace=1:${UBSAN_OPTIONS:-}"

# fuzz NAME: the corpus first, then the seeds, then what comes of them.
fuzz()
{
	local name=$1
	local args=("$out/corpus/$name")

	mkdir -p "${args[0]}"
	[ ! -d "$dir/seeds/$name" ] || args+=("$dir/seeds/$name")
	[ ! -f "$dir/$name.dict" ] || args+=("-dict=$dir/$name.dict")
	exec nice "$out/${name}_fuzz" -max_total_time="$seconds" \
		-max_len=4096 -timeout=30 -rss_limit_mb=2048 \
		-print_final_stats=1 -artifact_prefix="$out/$name-" \
		"${args[@]}" >"$out/log/$name" 2>&1
}

# What the input was, and what it led to
failure()
{
	local name=$1 file

	grep -vE '^#|^[[:space:]]*NEW_FUNC|^INFO: |# Uses' "$out/log/$name" |
		tail -n 40 | sed 's/^/# /'
	while read -r file; do
		[ -f "$file" ] || continue
		echo "# the input, in base64, is ${file#"$TOP"/}:"
		base64 "$file" | sed 's/^/#   /'
	done < <(sed -n 's/.*Test unit written to //p' "$out/log/$name")
}

pids=()
for name; do
	fuzz "$name" &
	pids+=($!)
done
trap 'kill "${pids[@]}" 2>/dev/null' EXIT

number=0 status=0
echo "KTAP version 1"
echo "1..$#"
for name; do
	rc=0
	wait "${pids[number]}" || rc=$?
	number=$((number + 1))
	runs=$(sed -n 's/^stat::number_of_executed_units: *//p' \
		"$out/log/$name")
	if [ "$rc" -eq 0 ] && [ "${runs:-0}" -ge "$LEAST" ]; then
		echo "ok $number fuzz_$name # $runs runs"
		continue
	fi
	failure "$name"
	echo "not ok $number fuzz_$name # exit status $rc, ${runs:-no} runs"
	status=1
done
exit "$status"
