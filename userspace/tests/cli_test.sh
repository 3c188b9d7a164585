#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The tool as a program: options, exit status, and where it prints. Needs no
# kernel module: what would ask the kernel is left to the other tests.
# Environment: FLOWRING, the tool.

# The functions are called through check:
# shellcheck disable=SC2317
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source-path=SCRIPTDIR source=ktap_lib.inc
. "$here/ktap_lib.inc"

# expect STATUS STDERR ARG...: nothing on stdout and that on stderr
expect()
{
	local want=$1 words=$2 status

	shift 2
	"$FLOWRING" "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	status=$?
	echo "flowring $*: status $status"
	cat "$tmp/out" "$tmp/err"
	[ "$status" -eq "$want" ] && [ ! -s "$tmp/out" ] &&
		[ "$(cat "$tmp/err")" = "$words" ]
}

# prints PATTERN ARG...: status 0, that on stdout and nothing on stderr
prints()
{
	local pattern=$1 status

	shift
	"$FLOWRING" "$@" > "$tmp/out" 2> "$tmp/err" < /dev/null
	status=$?
	echo "flowring $*: status $status"
	cat "$tmp/out" "$tmp/err"
	[ "$status" -eq 0 ] && [ ! -s "$tmp/err" ] &&
		grep -q -- "$pattern" "$tmp/out"
}

batch()
{
	printf '%b' "$2" > "$tmp/batch"
	"$FLOWRING" -b "$tmp/batch" > "$tmp/out" 2> "$tmp/err"
	[ $? -eq "$1" ] || return 1
	sed -i "s|$tmp|TMP|" "$tmp/err"
	cat "$tmp/err"
	[ "$(cat "$tmp/err")" = "$(printf '%b' "$3")" ]
}

batch_stdin()
{
	printf 'ring help\nnothing\n' | "$FLOWRING" -b - > "$tmp/out" \
		2> "$tmp/err"
	[ $? -eq 1 ] && grep -q '^Usage: flowring ring' "$tmp/out" &&
		grep -qx 'Command failed -:2' "$tmp/err"
}

restore_stdin()
{
	printf '# nothing\n\n' | "$FLOWRING" restore > "$tmp/out" 2>&1 &&
		[ ! -s "$tmp/out" ] || return 1
	printf 'ring add\n' | "$FLOWRING" restore - 2> "$tmp/err"
	[ $? -eq 1 ] && grep -qx 'Command failed -:1' "$tmp/err"
}

full()
{
	"$FLOWRING" help > /dev/full 2> "$tmp/err"
	[ $? -eq 1 ] && cat "$tmp/err" &&
		grep -q '^flowring: write error: ' "$tmp/err"
}

# The status of a missing module, unless this machine has one
no_module()
{
	expect 2 "flowring: the flowring kernel module is not loaded and could not be loaded: try modprobe flowring" ring show
}

check version prints '^flowring [0-9]' -V
check version_long prints '^flowring [0-9]' --version
check help_word prints '^Usage: flowring ' help
check help_option prints '^Usage: flowring ' -h
check help_long prints '^Usage: flowring ' -j --help
for object in ring backend service window pins lookup monitor plan apply save \
	restore; do
	check "help_$object" prints "^Usage: flowring $object" $object help
done

see="see flowring help"
check unknown_option expect 1 "flowring: unknown option '-x'; $see" -x
check unknown_in_group expect 1 "flowring: unknown option '-x'; $see" -jx
check unknown_long expect 1 "flowring: unknown option '--jsn'; $see" --jsn
check value_for_none expect 1 \
	"flowring: unknown option '--json=1'; $see" --json=1
check no_value expect 1 "flowring: option '-n' needs a value; $see" -n
check no_value_long expect 1 \
	"flowring: option '--batch' needs a value; $see" --batch
check unknown_object expect 1 "flowring: unknown object 'foo'; $see" foo
check option_behind expect 1 \
	"flowring: ring: unknown command '-j'; see flowring ring help" ring -j
check batch_and_words expect 1 \
	"flowring: unknown word 'ring' with -b; $see" -b "$tmp/x" ring show
check batch_absent expect 1 \
	"flowring: $tmp/absent: No such file or directory" -b "$tmp/absent"
check netns_absent expect 1 \
	"flowring: netns flowring-none: No such file or directory" \
	-n flowring-none ring show
check netns_path expect 1 "flowring: netns '../x': not a name" \
	--netns ../x ring show
check netns_empty expect 1 "flowring: netns '': not a name" -n '' ring show
check empty_word expect 1 "flowring: ring: a name cannot be empty" \
	ring show ''

check batch_line batch 1 '# x\n\nring help\nring add\n' \
	'flowring: ring add: missing ring; see flowring ring help\nCommand failed TMP/batch:4'
check batch_stdin batch_stdin
check restore_stdin restore_stdin
check full full

if grep -q '^flowring ' /proc/modules 2> /dev/null; then
	skip no_module "the module is loaded"
else
	check no_module no_module
fi
finish
