/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of operations as bit vectors: what each thread, mbarrier slot, thread barrier and flag knows
 * to be complete. An operation's index is its bit. Indices are reused: when they run out,
 * operations that no part of the state mentions are freed, and the vectors are widened if that is
 * not enough (a mark-and-sweep collection). */
#include "pipe/replay/replay.h"

#include <string.h>

/* The words of a set. */
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

/* Adds what a landing copy makes known: that it was issued, and what its thread had waited for. The
 * thread's own ordinary accesses are not ordered by the copy, so they are left out. */
void zl_rp_join_landing(zl_replay *c, uint32_t to, uint32_t from)
{
    uint64_t *a = row(c, to), *b = row(c, from);
    for (uint32_t k = 0; k < c->words; k++) a[k] |= b[k] & c->copied[k];
}

void zl_rp_clear(zl_replay *c, uint32_t set) { memset(row(c, set), 0, c->words * sizeof *c->sets); }

bool zl_rp_is_paid(const zl_replay *c, uint32_t block, const zl_rp_debt *d)
{
    for (uint32_t t = 0; t < c->threads_count; t++)
        if (c->instances[c->threads[t].instance].block == block &&
            zl_rp_has(c, zl_rp_set(t, ZL_RP_KNOWS), d->op))
            return true;
    return false;
}

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
