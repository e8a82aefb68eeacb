# SPDX-License-Identifier: Apache-2.0
# The module that cffi makes of zlay.cdef when the package is built.
from typing import Any

ffi: Any
