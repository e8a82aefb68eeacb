/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of asynchronous work for the checker: the operations that stand for an open group, commits,
 * waits for all but the last groups, and which groups a wait may still leave outstanding. */
#include "pipe/replay/replay.h"

static uint32_t knows(uint32_t thread) { return zl_rp_set(thread, ZL_RP_KNOWS); }

/* Returns the operation that stands for this thread's part of its open group; made on first
 * use. */
int32_t zl_rp_group(zl_replay *c, zl_rp_instance *i, int kind, uint32_t thread)
{
    int32_t *op = &i->opening[kind][thread - i->first];
    if (*op < 0)
        *op = zl_rp_op_new(c, (zl_rp_kind)kind, (int32_t)thread, i->issued[kind] + 1);
    return *op;
}

void zl_rp_name_group(zl_replay *c, zl_rp_instance *i, int kind, zl_rp_access *access)
{
    bool warps = kind != ZL_RP_TCGEN05 && i->threads > 1;
    access->count = warps ? i->threads / ZL_RP_LANES : 1;
    for (uint32_t w = 0; w < access->count; w++) {
        int32_t op = zl_rp_group(c, i, kind, i->first + w * ZL_RP_LANES);
        bool loads = kind == ZL_RP_TLD || kind == ZL_RP_TST;
        if (loads && op >= 0 && c->ops[op].fenced < 0)
            c->ops[op].fenced = zl_rp_op_new(c, ZL_RP_ORDERED, c->ops[op].thread, 0);
        access->over[w] = op;
    }
}

/* Commits the open group. */
static void close_group(zl_rp_instance *i, int kind)
{
    i->issued[kind]++;
    if (i->open[kind]) i->last[kind] = i->issued[kind];
    i->open[kind] = false;
    for (int k = 0; k < ZL_RP_THREADS; k++) i->opening[kind][k] = -1;
}

/* tcgen05.commit: one arrival that makes all earlier products known; the issuing thread does
 * not learn of them. */
static void commit_products(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    uint32_t mask = zl_rp_mbar_blocks(c, i, e);
    for (uint32_t b = 0; b < c->blocks; b++) {
        if (!(mask >> b & 1)) continue;
        zl_rp_mbar *g = zl_rp_mbar_of(c, i, e, b);
        zl_rp_owe(c, b, g, 0, g->next, i->pc);
        zl_rp_come(c, g, i->first, i->pc);
        g->hidden = true;
        for (uint32_t k = 0; k < c->top; k++)
            if (c->ops[k].live && c->ops[k].kind == ZL_RP_TCGEN05 &&
                c->ops[k].thread == (int32_t)i->first) {
                zl_rp_learn(c, zl_rp_mbar_set(c, g, ZL_RP_SUM), (int32_t)k);
                zl_rp_learn(c, zl_rp_mbar_set(c, g, ZL_RP_ARRIVED), (int32_t)k);
            }
        zl_rp_take(c, g, 1, i->pc);
    }
}

void zl_rp_commit(zl_replay *c, zl_rp_instance *i, const zl_event *e)
{
    static const int kinds[] = {
        [ZL_GROUP_WGMMA] = ZL_RP_WGMMA,     [ZL_GROUP_BULK] = ZL_RP_BULK,
        [ZL_GROUP_BULK_READ] = ZL_RP_BULK,  [ZL_GROUP_CPASYNC] = ZL_RP_CPASYNC,
        [ZL_GROUP_TCGEN05] = ZL_RP_TCGEN05,
    };
    int kind = kinds[e->scope];
    if (kind == ZL_RP_BULK) {
        i->open[ZL_RP_BULK_READ] = i->open[ZL_RP_BULK];
        close_group(i, ZL_RP_BULK_READ);
    }
    close_group(i, kind);
    if (kind == ZL_RP_TCGEN05) commit_products(c, i, e);
}

/* Each load or store of tensor memory is a group of its own. */
int32_t zl_rp_close_alone(zl_rp_instance *i, int kind)
{
    for (int k = 0; k < ZL_RP_THREADS; k++) i->opening[kind][k] = -1;
    i->opened[kind] = i->pc;
    return i->last[kind] = ++i->issued[kind];
}

void zl_rp_wait_group(zl_replay *c, zl_rp_instance *i, int kind, int64_t left)
{
    bool warps = kind != ZL_RP_BULK && kind != ZL_RP_BULK_READ && kind != ZL_RP_CPASYNC;
    int64_t done = i->issued[kind] - left;
    if (done > i->done[kind]) i->done[kind] = (int32_t)done;
    for (uint32_t k = 0; k < c->top; k++) {
        const zl_rp_op *op = &c->ops[k];
        if (!op->live || (int)op->kind != kind || op->number > i->done[kind]) continue;
        uint32_t first = (uint32_t)op->thread, count = warps && i->threads > 1 ? ZL_RP_LANES : 1;
        if (first < i->first || first >= i->first + i->threads) continue;
        for (uint32_t t = first; t < first + count; t++) zl_rp_learn(c, knows(t), (int32_t)k);
    }
}

int64_t zl_rp_behind(const zl_replay *c, const zl_rp_instance *i, int kind, int32_t number)
{
    int64_t left = (int64_t)i->issued[kind] + 1 - number;
    if (number <= i->done[kind]) return 0;
    return 1 + (left > c->most_left[kind] ? c->most_left[kind] + 1 : left);
}
