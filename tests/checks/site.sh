#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documentation as a site, and the headers as Doxygen reads them: what tools/site makes, and what it refuses.
. tests/tap.sh
site() { python3 tools/site/site.py "$tap_dir/site"; }

# A tree of pages and headers in which one line is changed.
changed() { # FILE SED
    rm -rf "$tap_dir/tree" && mkdir "$tap_dir/tree" && cp -r docs "$tap_dir/tree" || return 1
    for entry in *; do test -e "$tap_dir/tree/$entry" || ln -s "$PWD/$entry" "$tap_dir/tree/$entry"; done
    sed -i "$2" "$tap_dir/tree/$1" && ! diff -q "$1" "$tap_dir/tree/$1"
}
refused() { # FILE SED WORDS: the site of that tree ends with status 1 and these words
    changed "$1" "$2" || return 1
    (cd "$tap_dir/tree" && python3 tools/site/site.py "$tap_dir/other") > "$tap_dir/said"
    test $? -eq 1 && grep -F -- "$3" "$tap_dir/said"
}

# Nothing of another host: no script, style, font or image.
needs_no_network() { ! grep -rnE '(src|url\(|<link[^>]*href)="?\(?https?:' "$tap_dir/site" --include=*.html --include=*.css --include=*.js; }
search_has_functions() {
    grep -ohE '\bZLAY_API\b[^;{]*' -z include/zlay/*.h | tr '\0\n' '\n ' | grep -oE 'zlay_[a-z0-9_]+ ?\(' | tr -d ' (' | sort -u > "$tap_dir/functions"
    test "$(wc -l < "$tap_dir/functions")" -gt 300 || return 1
    while read -r name; do grep -qF "#$name\"" "$tap_dir/site/search-index.js" || grep -qE "[ \"]$name[ \"]" "$tap_dir/site/search-index.js" || { echo "$name"; return 1; }; done < "$tap_dir/functions"
}
paper_has_no_menu() { sed -n '/@media print/,$p' "$tap_dir/site/style.css" | grep -q 'nav.*display: none'; }

headers_have_comments() { python3 tools/site/headers.py check include/zlay/*.h; }
commands_are_doxygens() { # of the example in CONTRIBUTING's tone: what is returned, what is written, what is read
    python3 tools/site/headers.py include/zlay/tensormap.h > "$tap_dir/header" &&
        grep -q '^@return ZLAY_OK  *the question is answered' "$tap_dir/header" && grep -q '^@param\[out\] reasons ' "$tap_dir/header" && grep -q '^@param\[in\] map ' "$tap_dir/header"
}
bare_is_refused() {
    sed '/Free a picture; NULL is allowed/d' include/zlay/show.h > "$tap_dir/show.h"
    ! python3 tools/site/headers.py check "$tap_dir/show.h" 2> "$tap_dir/said" && grep -q 'zlay_picture_free has no comment' "$tap_dir/said"
}
stranger_is_refused() {
    sed 's/^ \*           keeps  ZLAY_KEEPS/ *           kept  ZLAY_KEEPS/' include/zlay/tensormap.h > "$tap_dir/tensormap.h"
    ! python3 tools/site/headers.py check "$tap_dir/tensormap.h" 2> "$tap_dir/said" && grep -q 'zlay_tensormap_repair: its comment describes kept' "$tap_dir/said"
}

check "the site is made, and every link leads to a page and to an anchor" site
check "it needs no other host" needs_no_network
check "its search has every public function" search_has_functions
check "on paper there is no menu" paper_has_no_menu
check "a link to no page is refused" refused docs/start.md 's,(algebra.md),(algebra_no.md),' algebra_no.md
check "a link to no anchor is refused" refused docs/recipes/hang.md 's,#copies-barriers-blocks,#copies-barriers-none,' copies-barriers-none
check "every public name has a comment that Doxygen reads" headers_have_comments
check "Returns, Out and In are Doxygen's commands" commands_are_doxygens
check "a function without a comment is refused" bare_is_refused
check "a comment that describes no argument is refused" stranger_is_refused
exit $tap_failed
