#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How long the kernel takes to make a commit: single changes of a weight, each
# with a new table, in rings of default options. One run of the tool makes many,
# another one makes one; the difference is that of the commits. Runs in
# user-mode Linux, at the machine's own speed. Exits with 1 when a goal is missed.

set -euo pipefail
rounds=7
commits=20
batch=$(mktemp)

# sets N: microseconds that one run of the tool takes with N commits
sets()
{
	local i start=$EPOCHREALTIME

	for ((i = 0; i < $1; i++)); do
		echo "backend set r b1 weight $((101 + i % 2))"
	done >"$batch"
	start=$EPOCHREALTIME
	flowring -b "$batch"
	echo $((${EPOCHREALTIME/./} - ${start/./}))
}

# commit N BITS: microseconds a commit, the median of rounds
commit()
{
	local n=$1 bits=$2 i many one

	{
		echo "ring add r bits $bits"
		for ((i = 1; i <= n; i++)); do
			echo "backend add r b$i addr 10.$((i >> 8)).$((i & 255)).1 weight 0"
		done
	} | flowring -b -
	for ((i = 1; i <= n; i++)); do
		echo "backend set b$i weight 100"
	done | flowring ring commit r >/dev/null
	for ((i = 0; i < rounds; i++)); do
		many=$(sets $((commits + 1)))
		one=$(sets 1)
		echo $(((many - one) / commits))
	done | sort -n | sed -n "$(((rounds + 1) / 2))p"
	flowring ring del r
}

missed=0
printf '%-34s%16s%11s%12s\n' "in the kernel" N=10 N=100 N=1000
us=("$(commit 10 16)" "$(commit 100 16)" "$(commit 1000 17)")
goals=(5000 12000 120000)
row=() verdicts=()
for i in 0 1 2; do
	row+=("$((us[i] / 1000)).$(printf %03d $((us[i] % 1000)))")
	if [ "${us[i]}" -le "${goals[i]}" ]; then
		verdicts+=(pass)
	else
		verdicts+=(MISS)
		missed=1
	fi
done
printf '%-34s%16s%11s%12s\n' "build and commit, ms" "${row[@]}" \
	"    goal, at most" 5.000 12.000 120.000 "" "${verdicts[@]}"
exit $missed
