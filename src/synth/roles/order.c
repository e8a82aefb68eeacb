/* SPDX-License-Identifier: Apache-2.0 */
/* The order in which a role issues its operations: by when it issues them, modulo the interval. A product of wgmma has an item more, the
 * wait for its end. What starts in a later stage belongs to an iteration before; so the first iterations are peeled, and the last
 * ones end behind the loop. How many groups of products a wait leaves open is counted by running the order for several trip counts
 * and taking the least. */
#include "synth/roles/roles.h"
#include "base/arith.h"

#include <string.h>

/* ---- items --------------------------------------------------------------------------------------- */

static void item_add(zl_tp_role *role, int32_t op, int64_t start, int64_t queue, bool done)
{
    role->item[role->items++] = (zl_tp_item){.op = op, .done = done, .start = start, .queue = queue, .open = {UINT32_MAX, UINT32_MAX, UINT32_MAX}};
}

/* At one time what ends stands before what begins, of what begins the product that waits in the tensor core behind others later, then
 * the later iteration's first. */
static bool before(const zl_tp_item *a, const zl_tp_item *b)
{
    if (a->offset != b->offset) return a->offset < b->offset;
    if (a->done != b->done) return a->done;
    if (a->queue != b->queue) return a->queue < b->queue;
    if (a->stage != b->stage) return a->stage < b->stage;
    return a->op < b->op;
}

static void sort(zl_tp_role *role)
{
    for (uint32_t i = 1; i < role->items; i++)
        for (uint32_t j = i; j && before(&role->item[j], &role->item[j - 1]); j--) {
            zl_tp_item t = role->item[j];
            role->item[j] = role->item[j - 1];
            role->item[j - 1] = t;
        }
}

/* The role's loop begins with what starts at `base`: what starts an interval later or more belongs to an iteration before. */
static void rotate(zl_tp_role *role, int64_t base, int64_t ii)
{
    int64_t least = INT64_MAX;
    for (uint32_t i = 0; i < role->items; i++) {
        zl_tp_item *x = &role->item[i];
        x->stage = zl_floor_div(x->start - base, ii);
        x->offset = zl_floor_mod(x->start - base, ii);
        if (x->stage < least) least = x->stage;
    }
    role->stages = 0;
    for (uint32_t i = 0; i < role->items; i++) {
        role->item[i].stage -= least;
        if (role->item[i].stage > role->stages) role->stages = role->item[i].stage;
    }
    sort(role);
}

static bool is_product(const zl_tp *p, const zl_tp_item *x) { return !x->done && p->op[x->op].kind == ZL_TP_MMA; }

/* Cycles that the role computes between the first product of its loop and the last. */
static int64_t between(const zl_tp *p, const zl_tp_role *role)
{
    int64_t sum = 0, all = 0;
    bool begun = false;
    for (uint32_t i = 0; i < role->items; i++) {
        const zl_tp_item *x = &role->item[i];
        if (is_product(p, x)) sum = all, begun = true;
        else if (begun && !x->done) all += p->op[x->op].cycles;
    }
    return sum;
}

/* The loop begins with the role's first operation; where instances take turns with the product that leaves the least to compute
 * between the products, for which an instance has its turn. */
static void base_choose(const zl_tp *p, zl_tp_role *role)
{
    int64_t first = INT64_MAX, best = INT64_MAX, base;
    for (uint32_t i = 0; i < role->items; i++)
        if (role->item[i].start < first) first = role->item[i].start;
    base = first;
    for (uint32_t o = 0; p->turns && o < p->ops; o++) {
        if (p->op[o].kind != ZL_TP_MMA || p->op[o].section != ZL_TP_LOOP || &p->role[p->op[o].role] != role) continue;
        rotate(role, zl_tp_issue(&p->op[o]), p->ii);
        int64_t cost = between(p, role);
        if (cost < best) best = cost, base = zl_tp_issue(&p->op[o]);
    }
    if (role->items) rotate(role, base, p->ii);
}

static void items_find(zl_tp *p, uint32_t r)
{
    zl_tp_role *role = &p->role[r];
    for (uint32_t o = 0; o < p->ops; o++) {
        const zl_tp_op *op = &p->op[o];
        if (op->role != (int32_t)r || op->section != ZL_TP_LOOP) continue;
        item_add(role, (int32_t)o, zl_tp_issue(op), op->queue, false);
        if (op->kind == ZL_TP_MMA && !p->tmem) item_add(role, (int32_t)o, op->at + op->latency, 0, true);
    }
    base_choose(p, role);
}

/* ---- peeled iterations ------------------------------------------------------------------------------ */

/* Iterations before the loop: those that lack operations, and those whose operations or waits differ. */
static zlay_status peel_find(zl_tp *p, zl_tp_role *role)
{
    int64_t most = role->stages;
    for (uint32_t i = 0; i < role->items; i++) {
        const zl_tp_op *op = &p->op[role->item[i].op];
        int64_t need = op->from;
        if (op->first && !role->item[i].done && !need) need = 1;
        for (uint32_t v = 0; v < op->operands; v++) {
            const zl_tp_group *g = &p->group[p->value[op->operand[v].value].group];
            for (uint32_t e = g->first[ZL_TP_LOOP]; e < g->first[ZL_TP_AFTER]; e++)
                if (g->epoch[e].from > need) need = g->epoch[e].from;
        }
        if (role->item[i].stage + need > most) most = role->item[i].stage + need;
    }
    role->peel = (uint32_t)most;
    if (most > ZL_TP_PEEL) return zl_fail(p->ctx, ZLAY_ELIMIT, "more than %d iterations of '%s' stand before the loop", ZL_TP_PEEL, role->name);
    if (most <= p->least) return ZLAY_OK;
    return zl_fail(p->ctx, ZLAY_NONE, "loop: %lld iterations of '%s' stand before the loop, so %s is %lld or more", (long long)most, role->name, p->param, (long long)most);
}

/* ---- groups that stay open ---------------------------------------------------------------------------- */

typedef struct run {
    zl_tp_role *role;
    const zl_tp *p;
    uint32_t issued, at[ZL_TP_OPS][4 * ZL_TP_PEEL]; /* groups, and which one an iteration's product is */
} run;

static void item_run(run *x, zl_tp_item *item, int64_t iteration, uint32_t segment)
{
    const zl_tp_op *op = &x->p->op[item->op];
    if (op->kind != ZL_TP_MMA || iteration < op->from) return;
    uint32_t *at = &x->at[item->op][iteration];
    if (!item->done) *at = ++x->issued;
    else if (x->issued - *at < item->open[segment]) item->open[segment] = x->issued - *at;
}

static void role_run(run *x, int64_t trips)
{
    zl_tp_role *role = x->role;
    x->issued = 0;
    for (int64_t k = 0; k < trips + role->stages; k++)
        for (uint32_t i = 0; i < role->items; i++) {
            int64_t iteration = k - role->item[i].stage;
            if (iteration >= 0 && iteration < trips) item_run(x, &role->item[i], iteration, k < role->peel ? 0 : k < trips ? 1 : 2);
        }
}

zlay_status zl_tp_order(zl_tp *p)
{
    run *x = zl_scratch(p->ctx, 1, sizeof *x);
    zlay_status status = x ? ZLAY_OK : ZLAY_ENOMEM;
    for (uint32_t r = 0; !status && r < p->roles; r++) {
        zl_tp_role *role = &p->role[r];
        items_find(p, r);
        status = peel_find(p, role);
        x->role = role, x->p = p;
        for (int64_t trips = role->peel; !status && trips <= role->peel + role->stages + 2; trips++) {
            status = zl_charge(p->ctx, (uint64_t)(role->items + 1) * 64);
            if (!status) role_run(x, trips);
        }
    }
    return status;
}
