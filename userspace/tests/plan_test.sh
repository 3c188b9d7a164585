#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Plans without the kernel are what the model says. Environment: FLOWRING, the
# tool.

exec python3 "$(dirname "$0")/plan_model.py"
