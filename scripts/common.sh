# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# Helpers shared by the scripts of the build; source it, do not run it.

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
CACHE=${FLOWRING_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/flowring}
BUILD=$TOP/build
export TOP CACHE BUILD

# Messages go to stderr: stdout carries what a caller reads.
say()
{
	printf '%s\n' "$*" >&2
}

die()
{
	say "error: ${0##*/}: $*"
	exit 1
}

need()
{
	local tool

	for tool; do
		command -v "$tool" >/dev/null ||
			die "$tool not found; run scripts/deps.sh all"
	done
}

# with_progress LABEL LOG CMD...: run CMD with its output in LOG, and every
# few seconds say how far it is.
with_progress()
{
	local label=$1 log=$2 pid rc=0 tick=0 start=$SECONDS

	shift 2
	: >"$log"
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	# shellcheck disable=SC2064
	trap "kill $pid 2>/dev/null" EXIT
	while kill -0 "$pid" 2>/dev/null; do
		sleep 0.2
		tick=$((tick + 1))
		[ $((tick % 20)) -eq 0 ] || continue
		say "$label: $((SECONDS - start)) s, $(wc -l <"$log") steps:" \
			"$(tail -n 1 "$log" | tr -s ' \t' ' ' | cut -c1-60)"
	done
	wait "$pid" || rc=$?
	trap - EXIT
	if [ "$rc" -ne 0 ]; then
		tail -n 30 "$log" >&2
		say "$label: failed (exit status $rc), see $log"
		return "$rc"
	fi
	say "$label: done in $((SECONDS - start)) s"
}
