#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Case N6: how time grows with the configuration. Restores 1,000 and 10,000
# rings of five backends in turn, changes one of them, and then times the answers
# of a service that is steered during a restore. "busy" is the same with a
# process in the restore's place that only computes: what having fewer processors
# costs. Runs in a guest; exits with 1 when a goal is missed.

# shellcheck disable=SC2154,SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/../lib.sh"
set -eo pipefail

rounds=5
missed=0

# many N: a batch with that many rings
many()
{
	awk -v n="$1" 'BEGIN {
		for (i = 1; i <= n; i++) {
			printf "ring add r%d bits 8 vnodes 8\n", i
			for (j = 1; j <= 5; j++)
				printf "backend add r%d b%d addr 10.%d.%d.%d\n",
					i, j, i / 250, i % 250, j
		}
	}'
}

# us COMMAND...: microseconds that it takes
us()
{
	local start=$EPOCHREALTIME

	"$@" >&2
	echo $((${EPOCHREALTIME/./} - ${start/./}))
}

median()
{
	sort -n | sed -n "$(((rounds + 1) / 2))p"
}

# The rings of a batch go again, the one of the service stays
remove()
{
	awk '$1 == "ring" { print "ring del", $3 }' "$1" | fr -b -
}

# edit: microseconds of one commit, of 50 in one run of the tool
edit()
{
	local i us

	for ((i = 0; i < 50; i++)); do
		echo "backend set r7 b1 weight $((101 + i % 2))"
	done >"$WORK/edits"
	us=$(us fr -b "$WORK/edits")
	echo $((us / 50))
}

# probe NAME: the answers of the service until the file stops it
probe()
{
	peer "$cl" latency "$V4" 80 "$WORK/stop" >"$WORK/$1"
}

# alongside NAME COMMAND...: probe while the command runs
alongside()
{
	local name=$1

	shift
	rm -f "$WORK/stop"
	probe "$name" &
	"$@" >/dev/null
	touch "$WORK/stop"
	wait $!
}

compute()
{
	local until=$((SECONDS + 5))

	while [ "$SECONDS" -lt "$until" ]; do :; done
}

# round N: restore that many rings, change one of them, and remove all
round()
{
	us fr restore "$WORK/$1" >>"$WORK/restore.$1"
	edit >>"$WORK/edit.$1"
	remove "$WORK/$1"
}

# row NAME VALUE GOAL: at most the goal
row()
{
	local verdict=pass

	if awk "BEGIN { exit !($2 > $3) }"; then
		verdict=MISS
		missed=1
	fi
	printf '%-48s%10s%10s  %s\n' "$1" "$2" "$3" "$verdict"
}

ratio() { awk "BEGIN { printf \"%.2f\", $1 / $2 }"; }
p99() { awk '{ print $2 }' "$WORK/$1"; }

setup_dr 1
serve_all 1 80
fr ring add web
fr backend add web b1 addr "$(dr4 1)" mode dr
fr service add udp $V4 port 80 ring web
many 1000 >"$WORK/1000"
many 10000 >"$WORK/10000"

for ((i = 0; i < rounds; i++)); do
	round 1000
	round 10000
done
alongside quiet sleep 5
alongside busy compute
alongside restore fr restore "$WORK/10000"

small=$(median <"$WORK/restore.1000") large=$(median <"$WORK/restore.10000")
small_edit=$(median <"$WORK/edit.1000") large_edit=$(median <"$WORK/edit.10000")
echo "restore of 1,000 x 5: $((small / 1000)) ms, of 10,000 x 5: $((large / 1000)) ms"
echo "one edit among them: $small_edit us, $large_edit us"
for i in quiet busy restore; do
	echo "answers of the service, $i (count, p99 and longest in us): $(cat "$WORK/$i")"
done
printf '%-48s%10s%10s\n' "" is "at most"
row "restore, ratio" "$(ratio "$large" "$small")" 12
row "one edit, ratio" "$(ratio "$large_edit" "$small_edit")" 1.5
row "p99 during a restore / beside a busy process" \
	"$(ratio "$(p99 restore)" "$(p99 busy)")" 2
exit $missed
