#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The published schema accepts what the tool reads and writes, and nothing else.
# Environment: FLOWRING, the tool.

exec python3 "$(dirname "$0")/schema.py"
