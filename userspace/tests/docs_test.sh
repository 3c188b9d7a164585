#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The plan and the picture in the documentation are those of the tool as it is.
# Prints KTAP. Environment: FLOWRING, TESTDIR.

set -u
here=${TESTDIR:-$(cd "$(dirname "$0")" && pwd)}
docs=$(cd "$here/../../Documentation" && pwd)
: "${FLOWRING:?}"
failed=0

tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT

# same NUMBER NAME FILE FILE
same()
{
	if cmp -s "$3" "$4" && [ -s "$3" ]; then
		echo "ok $1 $2"
	else
		diff "$3" "$4" | head -n 5 | sed 's/^/# /'
		echo "not ok $1 $2"
		failed=1
	fi
}

echo "KTAP version 1"
echo "1..2"
sed -n '/^.. plan begin/,/^.. plan end/s/^    //p' "$docs/plan.rst" \
	>"$tmp/plan"
"$FLOWRING" plan --offline "$docs/plan/before.json" "$docs/plan/after.json" \
	>"$tmp/now"
same 1 plan_of_the_docs "$tmp/plan" "$tmp/now"
"$FLOWRING" ring draw web4 --offline "$docs/plan/after.json" >"$tmp/svg"
same 2 picture_of_the_docs "$docs/plan/ring.svg" "$tmp/svg"
exit $failed
