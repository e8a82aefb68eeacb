#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# tests/playground/run.sh PROGRAM...: the module of the page answers what `zlay batch` without engines answers: requests of the
# documents, of the fuzzer's corpus, and those that the programs of tests/json send, which are linked with record.c. Then the page is
# driven in Chromium. The last line is `N passed, N failed`. PICTURE=FILE receives a screenshot.
set -u
B=${B:-build}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$(dirname "$0")/../.." || exit 1

sed -nE "s/^ *(\{\"op\".*\}) *$/\1/p; s/^.*echo '(\{\"op\"[^']*\})' \| zlay batch.*$/\1/p" docs/*.md README.md > "$folder/documents"
for file in tests/fuzz/corpus/json/*; do cat "$file" && echo; done | grep -v '^$' > "$folder/corpus"
cp tests/playground/wide.jsonl "$folder/wide" # sizes beyond 32 bits
# Whether they pass is for make test to say.
for program; do RECORD="$folder/$(basename "$program")" "$program" > "$folder/log" 2>&1; done

{
    node tests/playground/answers.js "$B/playground/zlay.wasm" "$B/bare/zlay" $(find "$folder" -type f ! -name log | sort) || echo "not ok - answers.js"
    node tests/playground/page.js "$B/playground/index.html" "$B/bare/zlay" ${PICTURE:-} || echo "not ok - page.js"
} | sed "s,$folder/,," | tee "$folder/log"
passed=$(grep -c '^ok ' "$folder/log") failed=$(grep -c '^not ok ' "$folder/log")
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 20 ]
