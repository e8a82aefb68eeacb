/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of operations as bit vectors: what each thread, mbarrier slot, thread barrier and flag
 * knows to be complete. Names of operations are reused: when they run out, those that no part
 * of the state mentions are freed, and the vectors are widened if that is not enough. */
#include "pipe/replay/same.h"

#include <string.h>

static uint64_t *row(const zl_replay *c, uint32_t set) { return c->sets + (size_t)set * c->words; }

/* The index of a slot's set; those of threads come first, then slots, thread barriers, flags. */
uint32_t zl_rp_mbar_set(const zl_replay *c, const zl_rp_mbar *g, uint32_t which)
{
    return ZL_RP_OF_THREAD * c->threads_count + ZL_RP_OF_MBAR * (uint32_t)(g - c->mbars) + which;
}

uint32_t zl_rp_meeting_set(const zl_replay *c, const zl_rp_meeting *m, uint32_t which)
{
    return zl_rp_mbar_set(c, c->mbars + c->mbars_count, 0) +
           ZL_RP_OF_MEETING * (uint32_t)(m - c->meetings) + which;
}

uint32_t zl_rp_flag_set(const zl_replay *c, const zl_rp_flag *f, uint32_t which)
{
    return zl_rp_meeting_set(c, c->meetings + c->meetings_count, 0) +
           ZL_RP_OF_FLAG * (uint32_t)(f - c->flags) + which;
}

bool zl_rp_has(const zl_replay *c, uint32_t set, int32_t op)
{
    return op < 0 || (row(c, set)[op / 64] >> (op % 64) & 1);
}

void zl_rp_learn(zl_replay *c, uint32_t set, int32_t op)
{
    if (op >= 0) row(c, set)[op / 64] |= (uint64_t)1 << (op % 64);
}

void zl_rp_join(zl_replay *c, uint32_t to, uint32_t from)
{
    uint64_t *a = row(c, to), *b = row(c, from);
    for (uint32_t k = 0; k < c->words; k++) a[k] |= b[k];
}

bool zl_rp_covers(const zl_replay *c, uint32_t set, uint32_t of)
{
    uint64_t *a = row(c, set), *b = row(c, of), missing = 0;
    for (uint32_t k = 0; k < c->words; k++) missing |= b[k] & ~a[k];
    return !missing;
}

void zl_rp_common(const zl_replay *c, uint64_t *all, uint32_t set)
{
    for (uint32_t k = 0; k < c->words; k++) all[k] &= row(c, set)[k];
}

void zl_rp_learn_all(zl_replay *c, uint32_t set, const uint64_t *all)
{
    for (uint32_t k = 0; k < c->words; k++) row(c, set)[k] |= all[k];
}

/* Whoever sees a copy land knows that it was issued and what its thread had waited for; the
 * thread's own ordinary accesses are not ordered by the copy. */
void zl_rp_join_landing(zl_replay *c, uint32_t to, uint32_t from)
{
    uint64_t *a = row(c, to), *b = row(c, from);
    for (uint32_t k = 0; k < c->words; k++) a[k] |= b[k] & c->copied[k];
}

void zl_rp_clear(zl_replay *c, uint32_t set) { memset(row(c, set), 0, c->words * sizeof *c->sets); }

/* ---- names ---- */

/* Whether a landing copy leaves the operation unknown. */
static bool is_ordinary(zl_rp_kind kind)
{
    return kind == ZL_RP_DID || kind == ZL_RP_FENCED || kind == ZL_RP_CPASYNC;
}

int32_t zl_rp_op_new(zl_replay *c, zl_rp_kind kind, int32_t thread, int32_t number)
{
    if (!c->free_count) {
        if (!c->status) c->status = ZLAY_EINTERNAL;
        return -1;
    }
    int32_t op = c->free_ops[--c->free_count];
    uint64_t bit = (uint64_t)1 << (op % 64);
    c->ops[op] = (zl_rp_op){kind, thread, number, -1, true, false};
    if ((uint32_t)op >= c->top) c->top = (uint32_t)op + 1;
    if (is_ordinary(kind)) c->copied[op / 64] &= ~bit;
    else c->copied[op / 64] |= bit;
    return op;
}

int32_t zl_rp_did(zl_replay *c, uint32_t thread, bool write)
{
    int32_t op = zl_rp_op_new(c, ZL_RP_DID, (int32_t)thread, 0);
    if (write && op >= 0)
        c->ops[op].fenced = zl_rp_op_new(c, ZL_RP_FENCED, (int32_t)thread, 0);
    zl_rp_learn(c, zl_rp_set(thread, ZL_RP_KNOWS), op);
    return op;
}

/* ---- room ---- */

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
