#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# timeout: 600
#
# Each attribute of each command broken in turn, in a namespace of its own.

# shellcheck source=selftests/ctl.sh
. "$(dirname "$0")/ctl.sh"
need_tools python3

setup_ns ns
ip netns exec "$ns" "$here/attributes.py"
