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
	# What is not KTAP is the explanation of a failure, or chatter.
	printf '%s\n' "$log" | sed -E \
		-e 's/^ *(KTAP version|[0-9]+\.\.[0-9]+|(not )?ok |#).*$/  &/; t' \
		-e 's/^/  # /'
	passed=$(printf '%s\n' "$log" | grep -cE '^ +ok ')
	failed=$(printf '%s\n' "$log" | grep -cE '^ *not ok ')
	if [ "$failed" -gt 0 ]; then
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
