/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a minimum hitting set of clauses by iterative deepening: for each size, depth-first
 * search that branches on the members of the first clause not yet hit. */
#include "pipe/fences/fences.h"

#include <string.h>

enum { DEEPEST = 64, NODES = 1 << 20 };

typedef struct branch {
    uint32_t clause, place; /* that is not hit; tried last, plus 1 */
} branch;

static bool hits(const zl_fence_set *a, const zl_fence_set *b)
{
    for (uint32_t i = 0; i < ZL_PLACE_WORDS; i++)
        if (a->word[i] & b->word[i]) return true;
    return false;
}

static uint32_t open_clause(const zl_hitting *h, const zl_fence_set *set)
{
    uint32_t i = 0;
    while (i < h->clauses && hits(&h->clause[i], set)) i++;
    return i;
}

/* Tries one size: 1 found, 0 none, -1 too many nodes. */
static int try_size(zl_fence_set *set, const zl_hitting *h, uint32_t size, uint32_t places)
{
    branch at[DEEPEST + 1] = {{0, 0}};
    uint32_t depth = 0, nodes = 0;
    memset(set, 0, sizeof *set);
    at[0].clause = open_clause(h, set);
    while (at[depth].clause < h->clauses) {
        branch *b = &at[depth];
        if (b->place) zl_fence_drop(set, b->place - 1);
        while (b->place < places && !zl_fence_has(&h->clause[b->clause], b->place)) b->place++;
        if (depth == size || b->place == places) {
            if (!depth) return 0;
            depth--;
            continue;
        }
        if (nodes++ == NODES) return -1;
        zl_fence_add(set, b->place++);
        at[++depth] = (branch){open_clause(h, set), 0};
    }
    return 1;
}

bool zl_hitting_find(zl_fence_set *out, zl_hitting *hitting, uint32_t places)
{
    for (; hitting->least <= DEEPEST; hitting->least++) {
        int found = try_size(out, hitting, hitting->least, places);
        if (found) return found > 0;
    }
    return false;
}
