/* SPDX-License-Identifier: Apache-2.0 */
/* What a use of a body means on targets whose matrix instructions read registers: the registers of its operands,
 * the elements that a lane holds, and the registers that it takes beside them. */
#include "legality/matrix/matrix.h"
#include "synth/attention/attention.h"

static int32_t set_of(const zl_attention_wave *w, int32_t acc)
{
    for (int32_t i = 0; i < ZL_AW_SETS; i++)
        if (w->acc[i] == acc) return i;
    return -1;
}

static bool in_registers(int32_t sort)
{
    return sort == ZLAY_BODY_MATRIX || sort == ZLAY_BODY_ROW || sort == ZLAY_BODY_PART;
}

/* The elements of scores or sums: a lane's values of one query. */
static zlay_status elements_of(zlay_ctx *ctx, zl_elements *out, const zlay_attention_plan *p, int32_t set)
{
    const zl_attention_wave *w = &p->wave;
    zlay_layout *one = NULL;
    bool sums = set == ZL_AW_SUMS;
    zlay_status status = zl_mma_fragment(ctx, &one, p->target, &w->mma, ZLAY_FRAGMENT_D);
    if (!status) status = zl_elements_read(ctx, out, one, w->mma.m, w->mma.n);
    zlay_layout_free(one);
    if (status) return status;
    zl_elements_transpose(out);
    status = zl_elements_tile(ctx, out, 1, w->blocks[sums ? ZL_VALUES : ZL_KEYS]);
    return status ? status : zl_elements_spread(ctx, out, w->waves, 1);
}

static void outputs_read(zl_attention_use *u)
{
    for (uint32_t i = 0; i < u->body->operands_count && u->outputs.count < ZL_ROOM_OUTPUTS; i++) {
        int32_t node = zl_body_last(u->body, i);
        if (node < 0 || !in_registers(u->body->operands[i].sort)) continue;
        u->outputs.node[u->outputs.count] = node;
        u->outputs.operand[u->outputs.count++] = (int32_t)i;
    }
}

zlay_status zl_attention_use_read(zlay_ctx *ctx, zl_attention_use *out, const zlay_attention_plan *p, uint32_t event)
{
    const zl_event *e = &p->pipe->events[event];
    uint32_t next = 0;
    out->body = p->pipe->bodies[e->body].body;
    out->outputs.count = 0;
    for (uint32_t i = 0; i < out->body->operands_count; i++) {
        if (!in_registers(out->body->operands[i].sort)) continue;
        int32_t set = set_of(&p->wave, e[next++].acc);
        if (set < 0) return zl_fail(ctx, ZLAY_EINTERNAL, "body %.64s: registers of no name", out->body->name);
        out->bound[i] = (uint32_t)set;
    }
    outputs_read(out);
    zlay_status status = elements_of(ctx, &out->elements, p, set_of(&p->wave, e->acc));
    return status ? status : zl_room_make(ctx, &out->room, out->body, &out->elements, &out->outputs);
}
