#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Sizes, offsets and calls as C, cffi and ctypes see them.
exec python3 tests/checks/cdef.py "${B:-build}" "${CC:-cc}"
