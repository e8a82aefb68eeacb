#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Who may include whom, circles of files, and a README in every folder.
exec python3 tests/checks/rooms.py "${B:-build}"
