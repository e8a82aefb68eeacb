#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the structure must not lose again: one name for one thing, tests, openings, no private words. `make check-house` runs the rooms' check besides.
exec python3 tests/checks/house.py
