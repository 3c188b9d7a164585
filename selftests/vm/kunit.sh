#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Loads every KUnit module named, in the guest, and prints their KTAP, which
# the kernel writes to its log.
#
#   kunit.sh MODULE.ko...

set -u
status=0

echo "KTAP version 1"
echo "1..$#"
number=0
for file; do
	number=$((number + 1))
	name=$(basename "$file" .ko)
	dmesg --clear
	if ! modprobe "$name"; then
		dmesg | tail -n 5 | sed 's/^/# /'
		echo "not ok $number $name # not loaded"
		status=1
		continue
	fi
	log=$(dmesg -t)
	# The suites' part of the log: between the version line and the last
	# result, whatever else the kernel says inside it as a comment.
	printf '%s\n' "$log" | sed -nE \
		-e 's/^KTAP version 1$/  &/p; t' \
		-e 's/^( *)(KTAP version.*|[0-9]+\.\.[0-9]+|(not )?ok .*|#.*)$/  &/p'
	passed=$(printf '%s\n' "$log" | grep -cE '^ +ok ')
	failed=$(printf '%s\n' "$log" | grep -cE '^ *not ok ')
	if [ "$failed" -gt 0 ]; then
		printf '%s\n' "$log" | grep -vE '^ *(ok |KTAP|1\.\.)' |
			sed 's/^/  # /'
		echo "not ok $number $name # $failed failed"
		status=1
	elif [ "$passed" -eq 0 ]; then
		echo "not ok $number $name # no results"
		status=1
	else
		echo "ok $number $name"
	fi
	modprobe -r "$name" || status=1
done
exit "$status"
