# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034
# What the demo prints and how; sourced by demo.sh and guest.sh.

# Set by --tty: somebody looks on, so use colour and rewrite the progress line.
tty=${tty:-0}
bold='' dim='' green='' red='' cyan='' reset=''
live=0

colours()
{
	[ "$tty" -eq 1 ] || return 0
	bold=$'\e[1m' dim=$'\e[2m' green=$'\e[32m' red=$'\e[31m'
	cyan=$'\e[36m' reset=$'\e[0m'
}

# End of a progress line, before anything else is printed.
settle()
{
	[ "$live" -eq 0 ] || printf '\r\e[K'
	live=0
}

title()
{
	settle
	printf '\n%s== %s%s\n' "$bold" "$*" "$reset"
}

note()
{
	settle
	printf '   %s\n' "$@"
}

fail()
{
	settle
	printf '%sdemo: FAILED: %s%s\n' "$red" "$*" "$reset"
	exit 1
}

# progress TEXT: one line that is rewritten; without a terminal, a line every
# five seconds.
last_progress=-5
progress()
{
	if [ "$tty" -eq 1 ]; then
		printf '\r\e[K   %s%s%s' "$dim" "$*" "$reset"
		live=1
	elif [ $((SECONDS - last_progress)) -ge 5 ]; then
		printf '   %s\n' "$*"
		last_progress=$SECONDS
	fi
}

# percent PART WHOLE: with two decimals, in $percent.
percent()
{
	local n=0

	[ "$2" -eq 0 ] || n=$((($1 * 100000 / $2 + 5) / 10))
	printf -v percent '%d.%02d%%' $((n / 100)) $((n % 100))
}

# bar PART WHOLE [PERCENT WIDTH]: WIDTH characters (24) are PERCENT (40) of the
# whole, in $bar
bar()
{
	local n=0 scale=${3:-40} width=${4:-24}

	[ "$2" -eq 0 ] ||
		n=$((($1 * 1000 * width / scale / $2 + 5) / 10))
	[ "$n" -le "$width" ] || n=$width
	printf -v bar '%*s' "$n" ''
	bar=${bar// /#}
	printf -v bar '%-*s' "$width" "$bar"
}
