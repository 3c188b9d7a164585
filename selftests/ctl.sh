#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Helpers of the tests of the control plane: sourced, not run.
#
# A test is a function; its name, with spaces, is what KTAP calls it.  It
# fails by calling fail, any number of times, and is skipped by skip.

if [ -z "${FLOWRING_KSRC:-}" ]; then
	echo "1..0 # SKIP FLOWRING_KSRC names no kernel source: use vm/run.sh"
	exit 4
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC1091
. "$FLOWRING_KSRC/tools/testing/selftests/net/lib.sh"

# What setup_ns sets, so that shellcheck knows of it
# shellcheck disable=SC2034
ns="" other="" peer=""

tmp=$(mktemp -d)
failed=0
reason=

# Ends what a test left running, then its namespaces.
finish()
{
	local pids

	pids=$(jobs -p)
	# shellcheck disable=SC2086
	[ -z "$pids" ] || kill -9 $pids 2>/dev/null
	wait 2>/dev/null
	cleanup_all_ns 2>/dev/null
	rm -rf "$tmp"
}
trap finish EXIT

fail()
{
	echo "# $*"
	failed=1
}

skip()
{
	reason=$*
}

# need TOOL...: skip the whole script without them.
need_tools()
{
	local tool

	for tool in "$@"; do
		command -v "$tool" >/dev/null && continue
		echo "1..0 # SKIP no $tool"
		exit 4
	done
}

# fr NS WORD...: the tool, in a namespace.
fr()
{
	local ns=$1

	shift
	flowring -n "$ns" "$@"
}

# raw NS COMMAND [ATTR=VALUE]...: one request past the tool.
raw()
{
	local ns=$1

	shift
	ip netns exec "$ns" "$here/netlink.py" raw "$@"
}

# same WHAT EXPECTED ACTUAL
same()
{
	[ "$2" = "$3" ] && return
	fail "$1: expected (-), got (+)"
	diff -U0 <(echo "$2") <(echo "$3") | sed -n '3,8s/^/#   /p' |
		cut -c 1-200
}

# state NS: all that is configured, with epochs, but for the time of windows.
state()
{
	fr "$1" -j -b - <<<$'save commands\nring show\nbackend show' |
		sed 's/"closes-in":[0-9]*,//'
}

# run NS STATUS STDERR WORD...: the tool says just that and ends so.
run()
{
	local ns=$1 status=$2 text=$3 rc=0

	shift 3
	fr "$ns" "$@" >"$tmp/out" 2>"$tmp/err" || rc=$?
	[ "$rc" -eq "$status" ] ||
		fail "flowring $*: exit $rc, expected $status"
	same "flowring $*" "$text" "$(cat "$tmp/err")"
}

run_tests()
{
	local name number=0 status=0 failures=0

	echo "KTAP version 1"
	echo "1..$#"
	for name in "$@"; do
		number=$((number + 1))
		failed=0 reason=
		"$name"
		if [ "$failed" -ne 0 ]; then
			echo "not ok $number ${name//_/ }"
			failures=$((failures + 1))
		else
			echo "ok $number ${name//_/ }${reason:+ # SKIP $reason}"
		fi
	done
	[ "$failures" -eq 0 ] || status=1
	exit "$status"
}
