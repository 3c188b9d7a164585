#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Pictures of rings show what the model says. Environment: FLOWRING, the tool.

exec python3 "$(dirname "$0")/picture_model.py"
