#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tools/gen-rules.sh: docs/rules.md from the rows of src/legality/rules/*.def, on standard output.
set -eu
cat <<'END'
# Rules

Every row of `src/legality/rules/*.def`, written by `make generate`. Numbers and ids are never reused. `by` says who enforces a rule
(`noted`: documented, refuted by a measurement, refuses nothing); [legality.md](legality.md) says what a verdict makes of it.

| number | id | rule | by | keeps | source |
|---|---|---|---|---|---|
END
for file in src/legality/rules/*.def; do
    printf '#define RULE(number, id, quantity, relation, lo, hi, when, by, field, targets, keeps, source, text) ROW number SEP id SEP text SEP by SEP keeps SEP source\n#include "%s"\n' "$file"
done | ${CC:-cc} -E -P -I. -x c - | grep '^ROW' | sort -k2,2n |
    sed -e 's/^ROW \([0-9]*\) SEP \([A-Z0-9_]*\) SEP "/| \1 | `\2` | /' -e 's/" SEP \([A-Z]*\) SEP \([A-Z]*\) SEP "/ | \L\1\E | \L\2\E | /' -e 's/"$/ |/'
