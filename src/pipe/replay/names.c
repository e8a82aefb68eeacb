/* SPDX-License-Identifier: Apache-2.0 */
/* Names of operations for the checker: when they run out, those that no part of the state mentions are
 * freed, and the sets are widened if that is not enough. */
#include "pipe/replay/same.h"

#include <string.h>

static uint64_t *row(const zl_replay *c, uint32_t set) { return c->sets + (size_t)set * c->words; }

/* Widens all sets in place, from the last on. */
static void widen(zl_replay *c, uint32_t words)
{
    for (uint32_t s = c->sets_count; s-- > 0;) {
        uint64_t *to = c->sets + (size_t)s * words;
        memmove(to, row(c, s), c->words * sizeof *to);
        memset(to + c->words, 0, (words - c->words) * sizeof *to);
    }
    c->words = words;
}

/* Frees the operations that no part of the state mentions: nothing asks for them any more. */
static void forget(zl_replay *c)
{
    zl_rp_encoding w = {.marking = true, .names = c->names};
    uint64_t live[ZL_RP_WORDS];
    uint32_t ops = c->words * 64;
    memset(live, 0, sizeof live);
    for (uint32_t k = 0; k < ops; k++) c->names[k] = -1;
    zl_rp_state(c, &w);
    c->free_count = c->top = 0;
    for (uint32_t k = ops; k-- > 0;) {
        c->ops[k].live &= c->names[k] >= 0;
        if (c->ops[k].live && !c->top) c->top = k + 1;
        if (c->ops[k].live) live[k / 64] |= (uint64_t)1 << (k % 64);
        else c->free_ops[c->free_count++] = (int32_t)k;
    }
    for (uint32_t s = 0; s < c->sets_count; s++)
        for (uint32_t k = 0; k < c->words; k++) row(c, s)[k] &= live[k];
}

void zl_rp_reserve(zl_replay *c)
{
    uint32_t need = c->mbars_count + 8 * ZL_RP_THREADS * (c->blocks + 1) + 16;
    if (c->free_count >= need) return;
    forget(c);
    while (c->free_count < need + c->words * 16 && !c->status) {
        if (c->words == ZL_RP_WORDS)
            c->status =
                zl_fail(c->ctx, ZLAY_ELIMIT, "more than %d operations matter at once", ZL_RP_OPS);
        else {
            widen(c, c->words ? 2 * c->words : 4);
            forget(c);
        }
    }
}
