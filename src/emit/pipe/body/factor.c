/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a factor in registers that a body makes lies as its product reads it: element by element, or, of bytes made
 * of sums, in the order of K that docs/bodies.md tells. */
#include "emit/pipe/body/body.h"

#include <string.h>

/* The values of a factor, one step of K after the other, have the rows that the instruction reads. */
static bool rows_same(const zl_pt_product *p, const zl_elements *have, const zl_elements *wanted, const zl_pb *order)
{
    bool same = have->values == p->steps * wanted->values && !memcmp(have->row.bit, wanted->row.bit, sizeof wanted->row.bit);
    for (uint32_t v = 0; same && v < have->values; v++)
        same = have->row.offset[have->row.of[zl_pb_at(order, v)]] == wanted->row.offset[wanted->row.of[v % wanted->values]];
    return same;
}

/* Whether bytes made of sums are the factor, of the permuted K that docs/bodies.md tells. */
static bool folds(const zl_pt_product *p, const zl_elements *have, const zl_elements *wanted)
{
    const zl_pb order = {.elements = have, .folded = true};
    uint32_t half = have->column.extent / 2;
    bool same = zlay_type_bits(p->mma.a) == 8 && rows_same(p, have, wanted, &order);
    for (uint32_t v = 0; same && v < have->values; v++) {
        uint32_t column = have->column.offset[have->column.of[zl_pb_at(&order, v)]], far = column >= half;
        uint32_t k = wanted->column.offset[wanted->column.of[v % wanted->values]] + v / wanted->values * p->mma.k;
        same = k == 2 * (column - far * half) - column % 2 + 2 * far;
    }
    for (uint32_t b = 0; same && b < ZL_ELEMENT_BITS; b++) same = wanted->column.bit[b] == 2 * have->column.bit[b];
    return same;
}

/* Whether a body reads the elements of registers, or those of any bytes, of which it takes the places to be those of sums. */
static bool reads(const zlay_body *body, const int32_t *own, int32_t acc)
{
    for (uint32_t n = 0; n < body->nodes_count; n++) {
        const zl_body_node *node = &body->nodes[n], *from = node->arg[0] < 0 ? node : &body->nodes[node->arg[0]];
        if (node->op == ZL_BO_OPERAND && own[node->operand] == acc) return true;
        if (node->op == ZL_BO_CONVERT && from->shape == ZL_ON_BOTH && from->type != ZL_BODY_BOOL && zl_pb_pack(from) == ZL_PB_CHUNK) return true;
    }
    return false;
}

/* Whether registers are only what bodies make and products read. */
static bool only_made(const zl_pipe_text *k, int32_t acc)
{
    int32_t own[ZL_BODY_OPERANDS];
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        const zlay_body *body = zl_pt_body_of(k, e);
        bool here = false;
        if (e->acc == acc && e->kind != ZL_EV_USE) return false;
        for (uint32_t u = 0; e->kind == ZL_EV_USE && e->name[0] && u < e->uses; u++)
            if (e[u].acc == acc) return false;
        if (!body) continue;
        zl_pt_bind(e, body, own);
        for (uint32_t o = 0; o < body->operands_count; o++) here |= own[o] == acc;
        if (here && reads(body, own, acc)) return false;
    }
    return true;
}

/* A factor in registers that a body makes lies as the instruction reads it: step s of K reads the
 * values from s * 4 registers on. */
static zlay_status check(zl_pipe_text *k, const zl_pt_product *p, zl_elements *wanted)
{
    bool by_body = p->event->acc_a >= 0 && p->event->acc_b < 0;
    const zl_pt_registers *r = by_body ? &k->registers[p->event->acc_a] : NULL;
    if (!r || r->matrix < 0) return ZLAY_OK;
    const char *name = k->pipe->accs[p->event->acc_a].name;
    const zl_elements *have = &k->matrices[r->matrix].elements;
    zlay_status status = zl_pt_fragment_read(k, wanted, &p->mma, ZLAY_FRAGMENT_A);
    if (status) return status;
    if (r->type != p->mma.a)
        return zl_pt_refuse(k, p->event, name, "has another type than the product reads");
    const zl_pb plain = {.elements = have};
    bool same = rows_same(p, have, wanted, &plain) &&
                !memcmp(have->column.bit, wanted->column.bit, sizeof wanted->column.bit);
    for (uint32_t v = 0; same && v < have->values; v++)
        same = have->column.offset[have->column.of[v]] ==
               wanted->column.offset[wanted->column.of[v % wanted->values]] + v / wanted->values * p->mma.k;
    k->registers[p->event->acc_a].folded = !same && folds(p, have, wanted) && only_made(k, p->event->acc_a);
    if (same || k->registers[p->event->acc_a].folded) return ZLAY_OK;
    return zl_pt_refuse(k, p->event, name,
                  "does not lie in the registers that the product reads: its "
                  "elements would have to change lanes");
}

zlay_status zl_pt_factors(zl_pipe_text *k)
{
    zlay_status status = ZLAY_OK;
    zl_elements *wanted = k->matrices_count ? zl_scratch(k->ctx, 1, sizeof *wanted) : NULL;
    if (k->matrices_count && !wanted) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < k->products_count && wanted && !status; i++)
        if (!k->products[i].like) status = check(k, &k->products[i], wanted);
    return status;
}
