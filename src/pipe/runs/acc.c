/* SPDX-License-Identifier: Apache-2.0 */
/* Accumulators of a run (zl_acc_state): each is empty, accumulating or taken, and outstanding groups
 * that write or read its registers are noted. A product is identified by its factors, so that one
 * which is added twice is a fault. */
#include "pipe/runs/run.h"

zl_acc_state *zl_run_acc(zl_run *r, const zl_instance *i, int32_t acc)
{
    return &r->accs[(size_t)(i - r->instances) * r->pipe->accs_count + (size_t)acc];
}

int32_t zl_acc_rule(int32_t kind)
{
    if (kind == ZL_OF_MEMORY || kind == ZL_OF_SHARED) return ZLAY_PIPE_GROUP;
    return kind == ZL_OF_WGMMA ? ZLAY_PIPE_FENCE : ZLAY_PIPE_TMEM_USE;
}

void zl_acc_use(zl_run *r, zl_instance *i, int32_t acc, bool takes, uint32_t event)
{
    zl_acc_state *s = zl_run_acc(r, i, acc);
    if (s->state == ZL_ACC_EMPTY && takes)
        zl_run_fault(r, ZLAY_PIPE_STAGE, event, UINT32_MAX, 0, 1);
    if (zl_acc_in_flight(i, s)) zl_run_fault(r, zl_acc_rule(s->kind), event, s->event, 1, 0);
    if (zl_acc_being_read(i, s) && !takes)
        zl_run_fault(r, zl_acc_rule(s->reader_kind), event, s->event, 1, 0);
    s->state = takes ? ZL_ACC_TAKEN : ZL_ACC_SUM;
    s->unread = false;
    s->unfenced = true;
    s->event = event;
    if (takes) return;
    s->version = i->epoch;
    s->bytes = 0;
}

/* Names factor k of a product, and the index or version it has now. */
static int32_t factor_of(zl_run *r, const zl_instance *i, const zl_event *e, int k,
                         int64_t *tag)
{
    int32_t acc = k ? e->acc_b : e->acc_a;
    if (acc >= 0) {
        *tag = zl_run_acc(r, i, acc)->version;
        return -2 - acc;
    }
    if (e->smem[k] >= 0) {
        *tag = zl_run_value(r, i, &e->at[k]);
        return e->smem[k];
    }
    if (k == 0 && e->tmem[1] >= 0) {
        *tag = zl_run_value(r, i, &e->tmem_at[1]);
        return (int32_t)r->pipe->smems_count + e->tmem[1];
    }
    *tag = 0;
    return -1;
}

int32_t zl_acc_current(zl_run *r, const zl_instance *i, const zl_factors *f, int k)
{
    if (f->of[k] > -2) return 0;
    int32_t acc = -2 - f->of[k];
    return zl_run_acc(r, i, acc)->version == f->tag[k] ? 1 + acc : 0;
}

void zl_acc_factors(zl_run *r, const zl_instance *i, const zl_event *e, zl_factors *last)
{
    zl_factors f = {.by = (int32_t)(i - r->instances), .event = zl_event_index(r, e)};
    for (int k = 0; k < 2; k++) f.of[k] = factor_of(r, i, e, k, &f.tag[k]);
    bool same = true;
    for (int k = 0; k < 2; k++) same &= f.of[k] == last->of[k] && f.tag[k] == last->tag[k];
    if (same && !e->fresh)
        zl_run_fault(r, ZLAY_PIPE_STAGE, zl_event_index(r, e), UINT32_MAX, 2, 1);
    *last = f;
}
