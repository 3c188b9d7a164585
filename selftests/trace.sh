#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The tracepoints: one for a packet that is steered, one for a packet that is
# not, each saying where to or why.

# Cases are called by their names:
# shellcheck disable=SC2317
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

TRACE=/sys/kernel/tracing
[ -e "$TRACE/trace" ] || mount -t tracefs none "$TRACE" 2>/dev/null
[ -d "$TRACE/events/flowring" ] || skip_all "this kernel has no trace events"

setup_nat 2
serve_all 2 8080

events()
{
	grep -c "$1" "$TRACE/trace" || :
}

steer()
{
	local backend port

	both nat 2
	port=30001
	backend=$(lookups tcp 4 "$port" 1 | awk '{ print $2 }')
	echo >"$TRACE/trace"
	echo 1 >"$TRACE/events/flowring/enable"
	peer "$cl" try tcp "$V4" 80 "$port" | grep "served $backend"
	echo 0 >"$TRACE/events/flowring/enable"
	cat "$TRACE/trace"
	# a nat flow is decided about once
	equal 1 "$(events "flowring_steer: .*port=80 ring=web4 .*flow=1")"
	equal 1 "$(events "flowring_steer: .* backend=$backend ")"
	equal 0 "$(events flowring_drop:)"
}

drop()
{
	both nat 2
	fr backend set web4 b1 state drain
	fr backend set web4 b2 state drain
	echo >"$TRACE/trace"
	echo 1 >"$TRACE/events/flowring/enable"
	peer "$cl" try tcp "$V4" 80 | grep refused
	echo 0 >"$TRACE/events/flowring/enable"
	cat "$TRACE/trace"
	equal 1 "$(events "flowring_drop: .*ring=web4 .*reason=no-backend")"
	equal 0 "$(events flowring_steer:)"
}

run_test "a steered packet is traced" steer
run_test "a dropped packet is traced" drop
finish
