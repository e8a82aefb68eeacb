/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory: who may use it when, and products into it, which come when a commit's arrival does.
 *
 * A use is open from its instruction to its end: a product's is when a commit behind it arrives, a load's
 * or store's is its warp's wait. One that meets another, and neither only reads, must have seen its end:
 * through tcgen05.fence::before of who ended it (a commit implies it), arrivals and waits, and
 * tcgen05.fence::after. From PTX ISA 9.1, "tcgen05 Memory Consistency Model Operations". */
#ifndef TEST_PTX_TENSOR_H
#define TEST_PTX_TENSOR_H

#include "ptx/operand.h"

/* ---- uses ------------------------------------------------------------------------------ */

static inline bool px_uses_meet(const px_use *a, const px_use *b)
{
    return a->block == b->block && (a->lanes & b->lanes) && a->first < b->first + b->columns && b->first < a->first + a->columns &&
           (a->writes || b->writes);
}

static inline bool px_use_covers(const px_use *a, const px_use *b)
{
    return a->block == b->block && !(b->lanes & ~a->lanes) && a->first <= b->first && b->first + b->columns <= a->first + a->columns;
}

/* Whether `next`, by a thread, may follow `was`. */
static inline bool px_use_follows(const px_machine *m, const px_use *was, const px_use *next, int thread)
{
    if (was->warp == next->warp && (next->warp >= PX_WARPS || was->stamp)) return true;
    return was->stamp && m->thread[thread].after[was->warp] >= was->stamp;
}

/* Columns in what is allocated, and every use that it meets over and seen: the use stands. */
static inline bool px_use_begin(px_machine *m, const px_use *next, int thread)
{
    const px_tensor *t = &m->block[next->block].tensor;
    int kept = 0;
    if (next->first + next->columns > PX_COLUMNS) return px_fault(m, "line %d: tensor memory outside", m->text.line[m->thread[thread].line].source + 1);
    for (uint32_t c = next->first; c < next->first + next->columns; c++)
        if (!t->taken[c]) return px_fault(m, "line %d: tensor memory that is not allocated", m->text.line[m->thread[thread].line].source + 1);
    for (int i = 0; i < m->uses; i++) {
        const px_use *was = &m->use[i];
        if (px_uses_meet(was, next) && !px_use_follows(m, was, next, thread))
            return px_fault(m, "line %d: tensor memory that is in use, or no fences say that it is not",
                            m->text.line[m->thread[thread].line].source + 1);
        bool replaced = px_use_covers(next, was) && (next->writes || (was->warp == next->warp && !was->writes));
        if (!replaced) m->use[kept++] = *was;
    }
    m->uses = kept;
    if (m->uses == PX_USES) return px_fault(m, "%d uses of tensor memory", PX_USES);
    m->use[m->uses++] = *next;
    return true;
}

/* Uses by this component that began before instruction `number` are over: reads, writes or both. */
enum { PX_READS = 1, PX_WRITES = 2 };

static inline void px_uses_end(px_machine *m, int warp, uint32_t number, int which)
{
    m->stamp++;
    for (int i = 0; i < m->uses; i++) {
        px_use *u = &m->use[i];
        if (u->warp == warp && !u->stamp && u->number < number && (which & (u->writes ? PX_WRITES : PX_READS))) u->stamp = m->stamp;
    }
}

/* ---- products ---------------------------------------------------------------------------- */

typedef struct px_shape { /* as an instruction descriptor has it */
    uint32_t rows, columns;
    int type, type_b;
    bool a_across, b_across;
    uint32_t first[2], blocks; /* of block scales: the first byte of a column, how many an instruction has */
    int scale;                 /* their type */
} px_shape;

/* Types by their numbers in a descriptor, of each kind, and the number of the type of D: PTX ISA 9.1, "Instruction
 * descriptor". */
static const struct {
    int32_t type[3];
    uint32_t types, d;
} px_kind_types[PX_KINDS] = {
    [PX_KIND_F16] = {{ZLAY_TYPE_F16, ZLAY_TYPE_BF16}, 2, 1},
    [PX_KIND_TF32] = {{-1, -1, ZLAY_TYPE_TF32}, 3, 1},
    [PX_KIND_F8F6F4] = {{ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2}, 2, 1},
    [PX_KIND_I8] = {{ZLAY_TYPE_U8, ZLAY_TYPE_S8}, 2, 2},
    [PX_KIND_MXF8F6F4] = {{ZLAY_TYPE_E4M3, ZLAY_TYPE_E5M2}, 2, 0},
    [PX_KIND_MXF4] = {{-1, ZLAY_TYPE_E2M1}, 2, 0},
    [PX_KIND_MXF4NVF4] = {{-1, ZLAY_TYPE_E2M1}, 2, 0},
};

/* Bits 4-5 and 29-30: which bytes are the scales of B and A, 7-9 and 10-12: types, 17-22: N / 8, 23: scales of ue8m0, 27-28: M / 128.
 * Two or four blocks begin at byte 0 or 2, and at 0. */
static inline bool px_scaled_read(px_machine *m, px_shape *s, uint32_t index, px_tensor_kind kind)
{
    uint32_t a = index >> 7 & 7, b = index >> 10 & 7, types = px_kind_types[kind].types;
    const int32_t *type = px_kind_types[kind].type;
    uint32_t blocks = kind == PX_KIND_MXF8F6F4 ? 1 : kind == PX_KIND_MXF4 ? 2 : 4, whole = index >> 23 & 1;
    *s = (px_shape){0};
    if (index & 0x8701e04fu || a >= types || b >= types || type[a] < 0 || type[b] < 0 || (kind != PX_KIND_MXF4NVF4 && !whole))
        return px_fault(m, "an instruction descriptor 0x%08x", index);
    *s = (px_shape){.rows = (index >> 27 & 3) * 128, .columns = (index >> 17 & 63) * 8, .type = type[a], .type_b = type[b],
                    .first = {index >> 29 & 3, index >> 4 & 3}, .blocks = blocks, .scale = whole ? ZLAY_TYPE_UE8M0 : ZLAY_TYPE_UE4M3};
    return !(s->first[0] % blocks || s->first[1] % blocks) || px_fault(m, "scales from byte %u, %u", s->first[0], s->first[1]);
}

/* Bits 4-5: the type of D, 7-9 and 10-12: of A and B, 15 and 16: major, 17-22: N / 8, 24-28: M / 16. */
static inline bool px_shape_read(px_machine *m, px_shape *s, uint32_t index, px_tensor_kind kind)
{
    uint32_t d = index >> 4 & 3, a = index >> 7 & 7, b = index >> 10 & 7, types = px_kind_types[kind].types;
    const int32_t *type = px_kind_types[kind].type;
    if (kind >= PX_KIND_MXF8F6F4) return px_scaled_read(m, s, index, kind);
    *s = (px_shape){0};
    if (index & 0xe080604fu || a >= types || b >= types || type[a] < 0 || type[b] < 0 || d != px_kind_types[kind].d)
        return px_fault(m, "an instruction descriptor 0x%08x", index);
    *s = (px_shape){.rows = (index >> 24 & 31) * 16, .columns = (index >> 17 & 63) * 8, .type = type[a], .type_b = type[b],
                    .a_across = index >> 15 & 1, .b_across = index >> 16 & 1};
    return true;
}

/* Lane r of A in tensor memory has row r, two numbers of 16 bits or four of 8 in a column: PTX ISA 9.1, "Packing". */
static inline void px_tensor_rows(const px_tensor *t, px_rows_of *to, uint32_t column, int type)
{
    uint32_t bytes = px_bytes_of(type);
    for (uint32_t lane = 0; lane < PX_LANES; lane++)
        for (uint32_t k = 0; k < PX_K_BYTES / bytes; k++) {
            uint8_t cell[4];
            memcpy(cell, &t->cell[lane][column + k * bytes / 4], 4);
            to->at[lane][k] = px_number(cell + k * bytes % 4, type);
        }
}

static inline bool px_tensor_factor(px_machine *m, px_rows_of *a, const px_tensor_op *o, const px_shape *s, int rank)
{
    px_factor f;
    if (o->what == PX_MMA_TENSOR) {
        px_tensor_rows(&m->block[o->block + rank].tensor, a, (uint32_t)o->a, s->type);
        return true;
    }
    return px_factor_read(m, &f, o->a, true, s->a_across, s->type) &&
           px_gather(m, a->at[PX_LANES * rank], PX_DEPTH, 1, &f, o->block + rank, 0, PX_LANES);
}

/* A power of two, 255 is NaN; or e4m3 without a sign. */
static inline float px_scale(uint32_t bits, int type)
{
    if (type == ZLAY_TYPE_UE8M0) return bits == 255 ? NAN : ldexpf(1, (int)bits - 127);
    return (float)px_value(&px_e4m3, bits & 127);
}

/* The scale of a row of 128 and a block stands in lane row % 32 of each warp's lanes, column row / 32. */
static inline float px_scale_of(px_machine *m, const px_tensor *t, uint32_t column, uint32_t row, uint32_t byte, int type)
{
    uint32_t word = t->cell[row % PX_WARP][column + row / PX_WARP];
    for (uint32_t lane = row % PX_WARP; lane < PX_LANES; lane += PX_WARP)
        if (t->cell[lane][column + row / PX_WARP] != word) px_fault(m, "scales that the warps' lanes have otherwise");
    return px_scale(word >> 8 * byte & 255, type);
}

/* Each factor's numbers times their scales: exact in f32. */
static inline void px_scale_all(px_machine *m, px_rows_of *a, px_columns *b, const px_tensor_op *o, const px_shape *s)
{
    const px_tensor *t = &m->block[o->block].tensor;
    uint32_t depth = px_depth_of(s->type);
    for (uint32_t k = 0; k < depth && s->blocks; k++) {
        uint32_t block = k / (depth / s->blocks);
        for (uint32_t r = 0; r < s->rows; r++) a->at[r][k] *= px_scale_of(m, t, o->scales[0], r, s->first[0] + block, s->scale);
        for (uint32_t n = 0; n < s->columns; n++) b->at[k][n] *= px_scale_of(m, t, o->scales[1], n, s->first[1] + block, s->scale);
    }
}

/* Block r of a pair has the rows from 128 r on of A and D, and half of the rows of B. */
static inline void px_multiply(px_machine *m, const px_tensor_op *o)
{
    static px_rows_of a;
    static px_columns b;
    float sum[PX_ROWS];
    px_shape s;
    px_factor fb;
    if (!px_shape_read(m, &s, o->index, o->kind) || !px_factor_read(m, &fb, o->b, true, s.b_across, s.type_b)) return;
    uint32_t share = s.columns / (uint32_t)o->group;
    for (int r = 0; r < o->group; r++)
        if (!px_tensor_factor(m, &a, o, &s, r) ||
            !px_gather(m, &b.at[0][share * (uint32_t)r], 1, PX_ROWS, &fb, o->block + r, 0, share)) return;
    px_scale_all(m, &a, &b, o, &s);
    for (uint32_t row = 0; row < s.rows; row++) {
        uint32_t *cell = &m->block[o->block + (int)(row / PX_LANES)].tensor.cell[row % PX_LANES][o->to];
        px_row_sums(sum, a.at[row], &b, px_depth_of(s.type), s.columns);
        for (uint32_t n = 0; n < s.columns; n++) cell[n] = px_added(cell[n], sum[n], s.type, o->adds);
    }
}

/* 128 rows of 32 bytes to as many lanes, or 32 rows of 16 bytes to the lanes of each warp: PTX ISA 9.1, tcgen05.cp. */
static inline void px_copy_in(px_machine *m, const px_tensor_op *o)
{
    px_factor f;
    bool rows = o->what == PX_COPY_ROWS;
    if (!px_factor_read(m, &f, o->a, true, false, ZLAY_TYPE_U8)) return;
    for (int r = 0; r < o->group; r++)
        for (uint32_t lane = 0; lane < PX_LANES; lane++)
            for (uint32_t byte = 0; byte < (rows ? 32 : 16); byte += 4) {
                uint32_t at = px_swizzled(&f, px_factor_at(&f, rows ? lane : lane % PX_WARP, byte));
                if (at < PX_ORIGIN || at + 4 > PX_ORIGIN + PX_SMEM) {
                    px_fault(m, "tcgen05.cp reads outside");
                    return;
                }
                memcpy(&m->block[o->block + r].tensor.cell[lane][o->to + byte / 4], m->block[o->block + r].view + (at - PX_ORIGIN), 4);
            }
}

/* What a thread has issued before `number`, in its order. */
static inline void px_tensor_run(px_machine *m, int thread, uint32_t number)
{
    int kept = 0;
    for (int i = 0; i < m->tensor_ops; i++) {
        const px_tensor_op *o = &m->tensor_op[i];
        if (o->thread != thread || o->number >= number) m->tensor_op[kept++] = *o;
        else if (o->what <= PX_MMA_TENSOR) px_multiply(m, o);
        else px_copy_in(m, o);
    }
    m->tensor_ops = kept;
}

/* They are over, and a commit says so. */
static inline void px_tensor_end(px_machine *m, int thread, uint32_t number)
{
    px_tensor_run(m, thread, number);
    px_uses_end(m, PX_WARPS + px_rank(m, thread), number, PX_READS | PX_WRITES);
}

#endif
