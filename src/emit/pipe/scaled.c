/* SPDX-License-Identifier: Apache-2.0 */
/* Products with block scales (tcgen05.mma kind::mxf8f6f4, mxf4, mxf4nvf4). A stage of tensor memory has the scales of both
 * factors, copied there from a stage of shared memory that an operand binds: its type says the kind, its layout must be the
 * one of such copies. PTX ISA 9.1, "Scale Factor A/B Layout": of 128 rows row m is in lane m % 32, column m / 32, and its
 * scales of four blocks of K are the bytes there. */
#include "emit/pipe/pipe.h"

#include <zlay/idesc.h>

enum {
    ROWS = 128,   /* that an atom of scales has */
    BYTES = 512,  /* of an atom: a scale of four blocks for each row */
    COLUMNS = 4,  /* that an atom takes */
    BLOCKS = 4,
    HALF = 4,     /* bits of a number */
    SIDES = 2
};

bool zl_pt_is_scales(const zl_pipe_text *k, int32_t tmem)
{
    for (uint32_t i = 0; i < k->pipe->events_count; i++) {
        const zl_event *e = &k->pipe->events[i];
        if (e->kind == ZL_EV_MMA && e->smem[0] >= 0 && e->tmem[1] == tmem) return true;
    }
    return false;
}

/* The smem that is copied to a stage of tensor memory; -1: none. */
static int32_t copied_from(const zl_pipe_text *k, int32_t tmem)
{
    for (uint32_t i = 0; i < k->pipe->events_count; i++)
        if (k->pipe->events[i].kind == ZL_EV_TCP && k->pipe->events[i].tmem[0] == tmem)
            return k->pipe->events[i].smem[0];
    return -1;
}

static const zlay_pipe_operand *operand_of(const zl_pipe_text *k, const zl_pt_product *p)
{
    int32_t smem = copied_from(k, p->event->tmem[1]);
    const zlay_pipe_operand *o = smem < 0 ? NULL : zl_pt_operand_of(k, smem);
    return o && (o->type == ZLAY_TYPE_UE8M0 || o->type == ZLAY_TYPE_UE4M3) ? o : NULL;
}

zlay_status zl_pt_scaled(const zl_pipe_text *k, zl_pt_product *p)
{
    const zlay_pipe_operand *o = operand_of(k, p);
    bool halves = zlay_type_bits(p->mma.a) == HALF && zlay_type_bits(p->mma.b) == HALF;
    if (!o)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: scales that no tcp of an operand of ue8m0 or ue4m3 brings",
                       p->event->line);
    if (o->type == ZLAY_TYPE_UE4M3 && !halves)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: scales of ue4m3 go with e2m1 and e2m1, those of ue8m0 with %s and %s",
                       p->event->line, zlay_type_name(p->mma.a), zlay_type_name(p->mma.b));
    if (zlay_type_bits(p->mma.a) != zlay_type_bits(p->mma.b))
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %s with %s; both factors have 8 bits, or both 4", p->event->line,
                       zlay_type_name(p->mma.a), zlay_type_name(p->mma.b));
    p->mma.kind = !halves ? ZLAY_KIND_MXF8F6F4 : o->type == ZLAY_TYPE_UE4M3 ? ZLAY_KIND_MXF4NVF4 : ZLAY_KIND_MXF4;
    p->mma.scale_vec = o->type == ZLAY_TYPE_UE4M3 ? ZLAY_SCALE_BLOCK16 : ZLAY_SCALE_BLOCK32;
    return ZLAY_OK;
}

/* Blocks of K that an instruction has. */
static uint32_t blocks_of(const zlay_mma *mma)
{
    return mma->k / (mma->scale_vec == ZLAY_SCALE_BLOCK16 ? 16 : 32);
}

/* The byte of the scale of a row and a block of K: A has the first 128 rows, B the others. */
static int64_t place_of(uint32_t row, uint32_t block, uint32_t atoms)
{
    uint32_t atom = row / ROWS * atoms + block / BLOCKS;
    return (int64_t)atom * BYTES + row % 32 * 16 + row % ROWS / 32 * BLOCKS + block % BLOCKS;
}

/* Whether the operand lies as tcp needs it. */
static zlay_status layout_check(const zl_pipe_text *k, const zl_pt_product *p, const zlay_pipe_operand *o, uint32_t atoms)
{
    uint64_t box[2];
    int64_t at = 0;
    bool same = zlay_layout_box(box, 2, o->layout) == 2 && box[0] == SIDES * ROWS && box[1] == BLOCKS * atoms;
    for (uint32_t i = 0; same && i < SIDES * ROWS * BLOCKS * atoms; i++)
        same = !zlay_layout_eval(&at, 1, o->layout, i) && at == place_of(i % (SIDES * ROWS), i / (SIDES * ROWS), atoms);
    if (same) return ZLAY_OK;
    return zl_fail(k->ctx, ZLAY_ENOTSUP,
                   "line %u: the scales of operand %.64s lie otherwise than ((32,4,2),(4,%u)):((16,4,%u),(1,512))",
                   p->event->line, o->smem, atoms, BYTES * atoms);
}

zlay_status zl_pt_scales(const zl_pipe_text *k, zl_pt_product *p)
{
    const zlay_pipe_operand *o = operand_of(k, p);
    uint32_t blocks = blocks_of(&p->mma), atoms = (p->steps * blocks + BLOCKS - 1) / BLOCKS;
    const zl_smem *smem = &k->pipe->smems[copied_from(k, p->event->tmem[1])];
    const zl_tmem *tmem = &k->pipe->tmems[p->event->tmem[1]];
    if (p->mma.n > ROWS)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %u columns; a product with scales has at most %d", p->event->line,
                       p->mma.n, ROWS);
    if (smem->bytes != SIDES * BYTES * (int64_t)atoms || tmem->columns < SIDES * COLUMNS * atoms)
        return zl_fail(k->ctx, ZLAY_ENOTSUP, "line %u: %u atoms of scales are %u bytes and %u columns", p->event->line,
                       SIDES * atoms, SIDES * BYTES * atoms, SIDES * COLUMNS * atoms);
    for (uint32_t step = 0; step < p->steps; step++)
        for (uint32_t side = 0; side < SIDES; side++)
            p->scales[side][step] = COLUMNS * (side * atoms + step * blocks / BLOCKS);
    return layout_check(k, p, o, atoms);
}

/* The descriptor of each step: which bytes of a column are the scales of its blocks. */
zlay_status zl_pt_idescs(zl_pt_product *p)
{
    zlay_idesc fields;
    zlay_status status = zlay_idesc_from_mma(&fields, &p->mma);
    uint32_t blocks = p->mma.scale_vec ? blocks_of(&p->mma) : 0;
    for (uint32_t step = 0; step < p->steps && !status; step++) {
        fields.sf_a_id = fields.sf_b_id = step * blocks % BLOCKS;
        status = zlay_idesc_pack(&p->idesc[step], &fields);
    }
    return status;
}
