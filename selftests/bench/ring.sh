#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds and runs the ring's benchmark.
#
#   ring.sh [--json FILE]   the goals and other schemes, and commits in the kernel;
#                           1 when a goal is missed
#   ring.sh --sweep         the ring with other options
#   ring.sh --update        both, written into Documentation/ring-figures.rst

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/../../scripts/common.sh"

page=$TOP/Documentation/ring-figures.rst
bench=$BUILD/bench/ring_bench
make -s -C "$TOP/selftests/bench" O="$BUILD/bench"

# The same in a kernel, through the tool
commits()
{
	"$TOP/selftests/bench/guest.sh" commit.sh
}

# section NAME COMMAND...: put what a command prints between the two comments of
# that name in the page. The command's failure is a missed goal, to be shown.
section()
{
	local name=$1 text=$BUILD/bench/text

	shift
	"$@" >"$text" || [ $? -eq 1 ]
	awk -v begin=".. $name begin" -v end=".. $name end" -v text="$text" '
		index($0, end) == 1 { skip = 0 }
		!skip { print }
		index($0, begin) == 1 {
			skip = 1
			print "\n::\n"
			while ((getline line < text) > 0)
				print line == "" ? "" : "    " line
			print ""
		}' "$page" >"$BUILD/bench/page"
	cat "$BUILD/bench/page" >"$page"
}

if [ "${1:-}" = --update ]; then
	section figures "$bench"
	section kernel commits
	section sweep "$bench" --sweep
	exit 0
fi
rc=0
"$bench" "$@" || rc=$?
[ "${1:-}" = --sweep ] || commits || rc=1
exit "$rc"
