#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every check and test there is, one stage after the other, with one line of
# totals at the end.  A failed stage does not keep the next ones from running.

set -uo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"
cd "$TOP" || exit 1

logs=$BUILD/check
rm -rf "$logs"
mkdir -p "$logs"
passed=0 failed=0 skipped=0
begin=$SECONDS

# stage NAME COMMAND...: the command's KTAP counts; without any, or with none
# failed though the command did, its exit status counts as one test.
stage()
{
	local name=$1 start=$SECONDS rc=0 counts p f s

	shift
	echo
	echo "== $name"
	"$@" 2>&1 | tee "$logs/$name.log"
	rc=${PIPESTATUS[0]}
	read -r p f s < <(scripts/ktap_summary.py "$logs/$name.log")
	if [ "$rc" -ne 0 ]; then
		[ "$f" -gt 0 ] || f=1
	elif [ $((p + f + s)) -eq 0 ]; then
		p=1
	fi
	passed=$((passed + p))
	failed=$((failed + f))
	skipped=$((skipped + s))
	counts="$p passed, $f failed, $s skipped"
	echo "== $name: $counts, $((SECONDS - start)) s"
}

build()
{
	scripts/module.sh stock && make -s tool
}

# The longest job of a first run, so it starts first and in the background;
# who needs the kernel waits for it and says so.
stage deps scripts/deps.sh all
if [ "$failed" -eq 0 ]; then
	nice scripts/kernels.sh uml >"$logs/uml.log" 2>&1 &
	trap 'kill $! 2>/dev/null' EXIT
fi
stage build build
stage lint scripts/lint.sh
stage userspace make -s -C userspace O="$BUILD/userspace" test
stage fuzz scripts/fuzz.sh 60
stage kunit scripts/kunit.sh
stage vm scripts/vm-test.sh

total=$((SECONDS - begin))
echo
echo "Logs: build/check, build/vm-log; time: $((total / 60)) min $((total % 60)) s"
for log in "$logs"/*.log; do
	grep -HE '^ *not ok ' "$log" | sed 's|^.*/check/||'
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
