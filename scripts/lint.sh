#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2317
# Static checks, each one line of KTAP.  (A step is called by its name, which
# makes it look unreachable.)
#
#   lint.sh [STEP...]     all of them when none is named

set -uo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

STEPS=(checkpatch checkpatch-userspace warnings sparse kernel-doc ynl-check shellcheck
	yamllint codespell man)
[ $# -gt 0 ] || set -- "${STEPS[@]}"

ksrc=$("$TOP/scripts/kernels.sh" source) || exit 1
cd "$TOP" || exit 1
work=$BUILD/lint
mkdir -p "$work"

# files PATTERN...: what is in the tree, in git or in an unpacked archive.
files()
{
	{
		git ls-files -co --exclude-standard 2>/dev/null ||
			find . -path ./build -prune -o -type f -print |
			sed 's|^\./||'
	} | sort | while read -r file; do
		[ -f "$file" ] || continue
		for pattern; do
			# shellcheck disable=SC2053
			[[ $file == $pattern ]] && echo "$file"
		done
	done
}

generated='kmod/netlink_gen\.[ch]|uapi/linux/flowring\.h|kmod/tests/golden\.h'

# checkpatch IGNORED-TYPES FILE...: messages are not broken over lines.
checkpatch()
{
	local ignore=LONG_LINE_STRING${1:+,$1}

	shift
	# It leaves a file of its own where it is run.
	(cd "$work" && perl "$ksrc/scripts/checkpatch.pl" --strict --no-tree \
		--no-summary --terse --show-types --max-line-length=80 \
		--root="$ksrc" --ignore "$ignore" -f "${@/#/$TOP/}") |
		sed "s|^$TOP/||"
}

step_checkpatch()
{
	local list status=0

	mapfile -t list < <(files 'kmod/*.[ch]' 'uapi/*.h' |
		grep -vxE "$generated|kmod/trace.h")
	checkpatch '' "${list[@]}" || status=1
	# TRACE_EVENT() has a layout of its own.
	checkpatch PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE kmod/trace.h || status=1
	return "$status"
}

# Some rules make sense in the kernel only; a test's table may have long rows.
step_checkpatch-userspace()
{
	local list status=0
	local kernel=PREFER_KERNEL_TYPES,STRCPY,EMBEDDED_FUNCTION_NAME

	kernel+=,PREFER_DEFINED_ATTRIBUTE_MACRO,NEW_TYPEDEFS,CAMELCASE
	kernel+=,MACRO_ARG_REUSE,LINE_SPACING
	mapfile -t list < <(files 'userspace/flowring/*.[ch]' \
		'userspace/lib/*.[ch]')
	checkpatch "$kernel" "${list[@]}" || status=1
	kernel+=,LONG_LINE,MACRO_WITH_FLOW_CONTROL
	kernel+=,QUOTED_WHITESPACE_BEFORE_NEWLINE
	mapfile -t list < <(files 'userspace/tests/*.[ch]' 'selftests/*.[ch]')
	checkpatch "$kernel" "${list[@]}" || status=1
	return "$status"
}

# An object with a warning is not made, so it is met again the next time.
step_warnings()
{
	"$TOP/scripts/module.sh" lint
}

step_sparse()
{
	# Only what is compiled is checked, so with C=2 all of it.
	"$TOP/scripts/module.sh" lint C=2 CF=-D__CHECK_ENDIAN__ \
		>"$work/sparse.out" 2>&1 || { cat "$work/sparse.out"; return 1; }
	! grep -E '(warning|error):' "$work/sparse.out"
}

step_kernel-doc()
{
	local list

	mapfile -t list < <(files 'kmod/*.[ch]')
	perl "$ksrc/scripts/kernel-doc" -none -Wall -Werror "${list[@]}"
}

step_ynl-check()
{
	local tree=$work/ynl file status=0

	rm -rf "$tree"
	"$TOP/scripts/ynl.sh" "$ksrc" "$tree" || return 1
	while read -r file; do
		diff -u "$file" "$tree/$file" || status=1
	done < <(cd "$tree" && find . -type f | sed 's|^\./||')
	[ "$status" -eq 0 ] || echo "run make ynl"
	return "$status"
}

step_shellcheck()
{
	local list

	mapfile -t list < <(files '*' | while read -r file; do
		case $file in
		*.sh)
			echo "$file" ;;
		*)
			head -n 3 "$file" | tr -d '\0' | grep -qE \
				'^#!.*[/ ](ba|da)?sh$|^# shellcheck shell=' &&
				echo "$file" ;;
		esac
	done)
	shellcheck -x "${list[@]}"
}

step_yamllint()
{
	local list

	mapfile -t list < <(files '*.yaml' '*.yml' .yamllint)
	yamllint -s "${list[@]}"
}

step_codespell()
{
	local list

	mapfile -t list < <(files '*' | grep -vxE "COPYING|\.clang-format|$generated")
	# ECT is a word of RFC 3168
	codespell -L ect "${list[@]}"
}

step_man()
{
	local list

	# Aliases of a page (.so) can only be followed where it is installed.
	mapfile -t list < <(files 'userspace/man/*.[1-9]' |
		xargs -r grep -L '^\.so ')
	mandoc -T lint -W warning "${list[@]}"
}

need git perl sparse shellcheck yamllint codespell mandoc python3 make
number=0 status=0
echo "KTAP version 1"
echo "1..$#"
for step; do
	number=$((number + 1))
	declare -F "step_$step" >/dev/null || die "no such step: $step"
	if "step_$step" >"$work/$step.log" 2>&1; then
		echo "ok $number $step"
	else
		sed 's/^/# /' "$work/$step.log" | tail -n 60
		echo "not ok $number $step"
		status=1
	fi
done
exit "$status"
