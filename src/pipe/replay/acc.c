/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators of the checker: each is empty, accumulated or taken, and outstanding operations that
 * write or read its registers are noted by their group. A product is identified by its factors, so
 * that one which is added twice is found. */
#include "pipe/replay/acc.h"

zl_rp_acc_state *zl_rp_acc_of(zl_replay *c, const zl_rp_instance *i, int32_t acc)
{
    return &c->accs[(size_t)(i - c->instances) * c->pipe->accs_count + (size_t)acc];
}

void zl_rp_break_flight(zl_replay *c, const zl_rp_acc_state *s, int32_t kind, uint32_t event)
{
    bool queue = kind == ZL_RP_MEMORY || kind == ZL_RP_SHARED;
    int32_t rule = kind == ZL_RP_WGMMA ? ZLAY_PIPE_FENCE : ZLAY_PIPE_TMEM_USE;
    zl_rp_break(c, queue ? ZLAY_PIPE_GROUP : rule, event, s->event);
}

void zl_rp_change_acc(zl_replay *c, const zl_rp_instance *i, int32_t acc)
{
    zl_rp_acc_of(c, i, acc)->bytes = 0;
    for (uint32_t a = 0; a < c->pipe->accs_count; a++)
        zl_rp_forget_factors(&zl_rp_acc_of(c, i, (int32_t)a)->factors, -2 - (int64_t)acc, -1);
}

zl_rp_acc_state *zl_rp_fill_acc(zl_replay *c, zl_rp_instance *i, int32_t acc)
{
    zl_rp_acc_state *s = zl_rp_acc_of(c, i, acc);
    if (zl_rp_acc_is_written(i, s)) zl_rp_break_flight(c, s, s->kind, i->pc);
    if (zl_rp_acc_is_read(i, s)) zl_rp_break_flight(c, s, s->reader_kind, i->pc);
    zl_rp_change_acc(c, i, acc);
    return s;
}

void zl_rp_use_acc(zl_replay *c, zl_rp_instance *i, int32_t acc, bool takes, uint32_t event)
{
    zl_rp_acc_state *s = zl_rp_acc_of(c, i, acc);
    if (takes && s->state == ZL_RP_EMPTY) zl_rp_break(c, ZLAY_PIPE_STAGE, event, UINT32_MAX);
    if (zl_rp_acc_is_written(i, s)) zl_rp_break_flight(c, s, s->kind, event);
    if (zl_rp_acc_is_read(i, s) && !takes) zl_rp_break_flight(c, s, s->reader_kind, event);
    s->state = takes ? ZL_RP_TAKEN : ZL_RP_ACCUMULATED;
    s->unread = false;
    s->unfenced = true;
    s->event = event;
    if (!takes) zl_rp_change_acc(c, i, acc);
}

/* Identifies an operand, so that a product added twice is found. */
static void find_factor(zl_replay *c, const zl_rp_instance *i, const zl_event *e, int k,
                        zl_rp_factors *f)
{
    int32_t acc = k ? e->acc_b : e->acc_a;
    f->place[k] = f->index[k] = -1;
    if (acc >= 0) {
        f->place[k] = -2 - (int64_t)acc;
        f->index[k] = 0;
    } else if (e->smem[k] >= 0) {
        uint32_t ring = zl_rp_ring_smem(c, e->smem[k]);
        f->index[k] = zl_rp_value(c, i, &e->at[k]);
        f->place[k] =
            zl_rp_smem(c, i, i->block, e->smem[k],
                       zl_rp_slot(c, i, &e->at[k], ring, i->block,
                                  c->pipe->smems[e->smem[k]].stages)) -
            c->places;
    } else if (k == 0 && e->tmem[1] >= 0) {
        uint32_t ring = zl_rp_ring_tmem(c, e->tmem[1]);
        f->index[k] = zl_rp_value(c, i, &e->tmem_at[1]);
        f->place[k] =
            zl_rp_tmem(c, i->block, e->tmem[1],
                       zl_rp_slot(c, i, &e->tmem_at[1], ring, i->block,
                                  c->pipe->tmems[e->tmem[1]].stages)) -
            c->places;
    }
}

void zl_rp_check_factors(zl_replay *c, const zl_rp_instance *i, const zl_event *e,
                         zl_rp_factors *last)
{
    zl_rp_factors f;
    bool same = !e->fresh;
    for (int k = 0; k < 2; k++) {
        find_factor(c, i, e, k, &f);
        same &= f.place[k] != -1 && f.place[k] == last->place[k] && f.index[k] == last->index[k];
    }
    if (same) zl_rp_break(c, ZLAY_PIPE_STAGE, i->pc, UINT32_MAX);
    *last = f;
}
