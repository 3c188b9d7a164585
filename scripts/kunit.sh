#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Builds the module and its KUnit modules for user-mode Linux and runs them.

set -euo pipefail
# shellcheck source=scripts/common.sh
. "$(dirname "$0")/common.sh"

"$TOP/scripts/module.sh" uml >&2
mapfile -t modules < <(find "$BUILD/uml/kmod/tests" -name '*.ko' 2>/dev/null |
	sort)
[ "${#modules[@]}" -gt 0 ] || die "no KUnit modules were built"
exec "$TOP/selftests/vm/run.sh" --vm uml --timeout 300 -- \
	"$TOP/selftests/vm/kunit.sh" "${modules[@]}"
