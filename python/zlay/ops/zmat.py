# SPDX-License-Identifier: Apache-2.0
# Made from the rows of src/json/rows by tools/gen-python.py.
"""Operations `zmat.*` of docs/batch.md."""
from __future__ import annotations

from typing import Any, Mapping, Optional

from .._json import Integers, Matrix, Value, call as _call

__all__ = ["det", "hnf", "inverse", "kernel", "rank", "snf", "solve"]


def det(a: Matrix, *, shape: Optional[Value] = None, limits: Optional[Mapping[str, int]] = None) -> int:
    """The determinant."""
    return int(_call("zmat.det", a=a, shape=shape, limits=limits))


def hnf(a: Matrix, *, shape: Optional[Value] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The Hermite normal form by rows: u a = h."""
    return _call("zmat.hnf", a=a, shape=shape, limits=limits)


def inverse(a: Matrix, *, shape: Optional[Value] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The inverse over the integers, or none with the determinant."""
    return _call("zmat.inverse", a=a, shape=shape, limits=limits)


def kernel(a: Matrix, *, shape: Optional[Value] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """A basis of the x with a x = 0, in Hermite form by columns."""
    return _call("zmat.kernel", a=a, shape=shape, limits=limits)


def rank(a: Matrix, *, shape: Optional[Value] = None, limits: Optional[Mapping[str, int]] = None) -> int:
    """The rank over the rationals."""
    return int(_call("zmat.rank", a=a, shape=shape, limits=limits))


def snf(a: Matrix, *, shape: Optional[Value] = None, limits: Optional[Mapping[str, int]] = None) -> Any:
    """The Smith normal form: u a v is s on the diagonal, each entry a divisor of the next."""
    return _call("zmat.snf", a=a, shape=shape, limits=limits)


def solve(a: Matrix, b: Integers, *, mod: Optional[Value] = None, shape: Optional[Value] = None,
        limits: Optional[Mapping[str, int]] = None) -> Any:
    """All solutions of a x = b, over the integers or modulo one number or one a row: x plus the kernel's
    columns."""
    return _call("zmat.solve", a=a, b=b, mod=mod, shape=shape, limits=limits)
