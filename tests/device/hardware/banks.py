#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Counts of `ncu --csv --page raw` over tests/device/hardware/banks.cu on standard input, as rows of tests/data/banks.def: a class, and a
# character a pattern, 0 to 9 and a to z for 0 to 35.
import csv
import re
import sys

METRIC = "l1tex__data_pipe_lsu_wavefronts_mem_shared.sum"
DIGITS, BASE, PATTERNS = 5, 64, 256
NAMES = re.findall(r"BANK_CLASS\((\w+)", open(sys.argv[1]).read())


def digits(value):
    for _ in range(DIGITS):
        yield value % BASE
        value //= BASE
    if value:
        sys.exit("banks.py: a sum has more than five digits")


def main():
    counts, idle, columns = {}, None, None
    for row in csv.reader(line for line in sys.stdin if not line.startswith("==")):
        if "Kernel Name" in row:
            columns = row.index("Kernel Name"), row.index(METRIC)
            continue
        if columns is None or not row[columns[0]]:
            continue
        name, value = row[columns[0]], int(row[columns[1]].replace(",", ""))
        if name.startswith("idle"):
            idle = value
            continue
        index = int(re.search(r"run<(\d+)>", name).group(1))
        counts.setdefault(index, []).extend(digits(value - idle))
    for index in sorted(counts):
        text = "".join("0123456789abcdefghijklmnopqrstuvwxyz"[n] for n in counts[index][:PATTERNS])
        print("COUNTED(%s, \"%s\")" % (NAMES[index], text))
    if len(counts) != len(NAMES):
        sys.exit("banks.py: %d classes of %d" % (len(counts), len(NAMES)))


main()
