/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix instructions, and those of tensor memory. */
#ifndef TEST_PTX_PRODUCTS_H
#define TEST_PTX_PRODUCTS_H

#include "ptx/meetings.h"

/* ---- wgmma ----------------------------------------------------------------------------- */

static inline bool px_wgmma_fence(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    m->thread[thread].fences++;
    return true;
}

static inline bool px_is_half(int type) { return type == ZLAY_TYPE_BF16 || type == ZLAY_TYPE_F16; }
static inline bool px_is_byte(int type) { return type == ZLAY_TYPE_E4M3 || type == ZLAY_TYPE_E5M2; }
static inline bool px_is_whole(int type) { return type == ZLAY_TYPE_S8 || type == ZLAY_TYPE_U8; }

/* `.m64nNkK.D.A.B`: sums of floats in f32, of whole numbers in s32; K of 32 bytes; bytes of one kind may be mixed. PTX ISA 9.1,
 * "Data types" and "Matrix shape" of wgmma. */
static inline bool px_wgmma_types(const char *op, px_product *p)
{
    char d[8], a[8], b[8];
    if (sscanf(strstr(op, ".m64n"), ".m64n%dk%d.%7[a-z0-9].%7[a-z0-9].%7[a-z0-9]", &p->n, &p->k, d, a, b) != 5) return false;
    if (zlay_type_find(&p->type, a, strlen(a)) || zlay_type_find(&p->type_b, b, strlen(b))) return false;
    bool bytes = px_is_byte(p->type) && px_is_byte(p->type_b), whole = px_is_whole(p->type) && px_is_whole(p->type_b);
    bool same = p->type == p->type_b && (px_is_half(p->type) || p->type == ZLAY_TYPE_TF32);
    return (bytes || whole || same) && !strcmp(d, whole ? "s32" : "f32") && (uint32_t)p->k * px_bytes_of(p->type) == PX_K_BYTES;
}

/* What lanes say alike: `adds`, signs of 1 where sums are floats, what is transposed where numbers have 16 bits. */
static inline bool px_wgmma_read(px_machine *m, int thread, const px_line *l, px_product *p)
{
    int count = 0, sums;
    if (!px_wgmma_types(l->op, p)) return px_fault(m, "no product '%s'", l->op);
    sums = p->n / 2;
    bool half = px_is_half(p->type);
    int behind = half ? 5 : px_is_whole(p->type) ? 2 : 4; /* operands behind A, of halves in shared memory one more */
    bool registers = l->count == sums + 4 + behind;
    count = sums + (registers ? 4 : 1);
    if (l->count != count + behind + (half && !registers)) return px_fault(m, "wgmma: %d operands", l->count);
    p->acc = l->operand[0].name, p->registers = registers ? l->operand[sums].name : -1, p->group = -1;
    if (!registers) p->a = PX_IN(sums);
    p->b = PX_IN(count);
    uint64_t adds = PX_IN(count + 1);
    p->adds = adds != 0;
    if (adds > 1) return px_fault(m, "wgmma: a number that it cannot have");
    if (px_is_whole(p->type)) return true;
    uint64_t across_a = half && !registers ? PX_IN(count + 4) : 0, across_b = half ? PX_IN(l->count - 1) : 0;
    p->a_across = across_a, p->b_across = across_b;
    if (PX_IN(count + 2) != 1 || PX_IN(count + 3) != 1 || across_a > 1 || across_b > 1)
        return px_fault(m, "wgmma: a number that it cannot have");
    return true;
}

static inline bool px_wgmma(px_machine *m, int first, const px_line *l)
{
    px_warp *w = &m->warp[first / PX_WARP];
    px_product p = {0};
    if (!px_wgmma_read(m, first, l, &p)) return false;
    if (w->products == PX_PENDING) return px_fault(m, "%d products of a warp", PX_PENDING);
    for (int r = 0; r < p.n / 2; r++)
        if (l->operand[r].name != p.acc + r) return px_fault(m, "wgmma: sums in another order");
    for (int lane = 0; lane < PX_WARP; lane++) {
        px_thread *t = &m->thread[first + lane];
        for (int r = 0; r < p.n / 2 + (p.registers < 0 ? 0 : 4); r++)
            if (t->touched[l->operand[r].name] == t->fences) px_fault(m, "line %d: a product without wgmma.fence", l->source + 1);
        for (int r = 0; r < p.n / 2; r++)
            if (p.adds && t->state[p.acc + r] == PX_NEVER) px_fault(m, "a product adds to nothing");
        for (int i = p.n / 2; i < l->count; i++)
            if (px_get(m, first + lane, &l->operand[i]) != px_get(m, first, &l->operand[i]) && (p.registers < 0 || i >= p.n / 2 + 4))
                px_fault(m, "wgmma: lanes have other operands");
    }
    w->product[w->products++] = p;
    if (px_at_once(m)) px_products_end(m, first / PX_WARP);
    px_product_mark(m, first / PX_WARP, &p, PX_BUSY, PX_LENT);
    return true;
}

static inline bool px_wgmma_commit(px_machine *m, int first, const px_line *l)
{
    px_warp *w = &m->warp[first / PX_WARP];
    (void)l;
    for (int i = 0; i < w->products; i++)
        if (w->product[i].group < 0) w->product[i].group = w->groups;
    w->groups++;
    return true;
}

static inline bool px_wgmma_wait(px_machine *m, int thread, const px_line *l)
{
    px_products_wait(m, thread / PX_WARP, (int)PX_IN(0));
    return true;
}

/* ---- tensor memory: allocation ----------------------------------------------------------- */

static inline int px_pair(const px_line *l) { return strstr(l->op, "cta_group::2") ? 2 : 1; }

static inline bool px_columns_free(const px_tensor *t, uint32_t first, uint32_t columns)
{
    for (uint32_t c = first; c < first + columns; c++)
        if (c >= PX_COLUMNS || t->taken[c]) return false;
    return true;
}

/* The least columns that are free. One block has the whole of its tensor memory: it never waits for others. */
static inline bool px_alloc(px_machine *m, int first, const px_line *l)
{
    px_tensor *t = &px_own(m, first)->tensor;
    uint32_t columns = (uint32_t)px_get(m, first, &l->operand[1]), at = 0;
    px_place p;
    if (!px_shared(m, &p, first, px_get(m, first, &l->operand[0]), 4, 4)) return false;
    if (columns < 32 || columns > PX_COLUMNS || (columns & (columns - 1)) || t->relinquished || px_pair(l) > m->blocks)
        return px_fault(m, "tcgen05.alloc of %u columns%s", columns, t->relinquished ? " after relinquish" : "");
    while (at < PX_COLUMNS && !px_columns_free(t, at, columns)) at += 32;
    if (at == PX_COLUMNS) return px_fault(m, "tcgen05.alloc: no %u columns are free", columns);
    if (px_pair(l) == 2 && !m->met) return px_fault(m, "tcgen05.alloc of a pair whose blocks may not run yet");
    t->columns[at] = (uint16_t)columns;
    memset(t->taken + at, 1, columns);
    for (int lane = 0; lane < PX_LANES; lane++) memset(&t->cell[lane][at], PX_POISON, columns * sizeof **t->cell);
    px_write(m, first, p, &at, 4);
    return true;
}

/* Behind all uses by arrivals and waits: it is no asynchronous use that a fence of its own would have to order. */
static inline bool px_dealloc(px_machine *m, int first, const px_line *l)
{
    px_tensor *t = &px_own(m, first)->tensor;
    uint32_t at = (uint32_t)px_get(m, first, &l->operand[0]), columns = (uint32_t)px_get(m, first, &l->operand[1]);
    if (at >= PX_COLUMNS || !columns || t->columns[at] != columns) return px_fault(m, "tcgen05.dealloc of %u columns at %u", columns, at);
    px_join(m->thread[first].after, m->thread[first].saw);
    px_use all = {px_rank(m, first), first / PX_WARP, at, columns, 15, m->number++, 0, true};
    if (!px_use_begin(m, &all, first)) return false;
    m->uses--;
    memset(t->taken + at, 0, columns);
    t->columns[at] = 0;
    return true;
}

static inline bool px_relinquish(px_machine *m, int first, const px_line *l)
{
    (void)l;
    px_own(m, first)->tensor.relinquished = true;
    return true;
}

/* ---- tensor memory: products -------------------------------------------------------------- */

static inline bool px_tensor_begin(px_machine *m, const px_tensor_op *o)
{
    if (m->tensor_ops == PX_PENDING || o->block % o->group || o->group > m->blocks) return px_fault(m, "too many products, or no pair");
    m->tensor_op[m->tensor_ops++] = *o;
    if (px_at_once(m)) px_tensor_run(m, o->thread, m->number);
    return true;
}

/* Of columns in each of the blocks. */
static inline bool px_tensor_uses(px_machine *m, const px_tensor_op *o, uint32_t first, uint32_t columns, bool writes)
{
    for (int r = 0; r < o->group; r++) {
        px_use use = {o->block + r, PX_WARPS + o->block, first, columns, 15, o->number, 0, writes};
        if (!px_use_begin(m, &use, o->thread)) return false;
    }
    return true;
}

static inline px_tensor_kind px_tensor_kind_of(const char *op)
{
    static const char *const kinds[PX_KINDS] = {
        [PX_KIND_F16] = "::f16", [PX_KIND_TF32] = "::tf32", [PX_KIND_F8F6F4] = "::f8f6f4", [PX_KIND_I8] = "::i8",
        [PX_KIND_MXF8F6F4] = "::mxf8f6f4.block_scale.block32", [PX_KIND_MXF4] = "::mxf4.block_scale.block32",
        [PX_KIND_MXF4NVF4] = "::mxf4nvf4.block_scale.block16"};
    int kind = 0;
    while (!strstr(op, kinds[kind])) kind++;
    return (px_tensor_kind)kind;
}

/* `[d], a, b, index, adds`: 128 rows of each block; A from shared memory, or from tensor memory at `[a]`. With block scales
 * `[d], a, b, index, [scales of a], [of b], adds`; 128 rows have four columns of them. */
static inline bool px_tensor_mma(px_machine *m, int thread, const px_line *l)
{
    bool scaled = px_tensor_kind_of(l->op) >= PX_KIND_MXF8F6F4;
    px_tensor_op o = {.what = l->address & 2 ? PX_MMA_TENSOR : PX_MMA, .thread = thread, .block = px_rank(m, thread), .group = px_pair(l),
                      .number = m->number++, .to = PX_IN32(0), .a = PX_IN(1), .b = PX_IN(2), .index = PX_IN32(3), .adds = PX_IN(scaled ? 6 : 4) != 0,
                      .kind = px_tensor_kind_of(l->op)};
    px_shape s;
    if (!px_shape_read(m, &s, o.index, o.kind)) return false;
    if (s.rows != (uint32_t)(PX_LANES * o.group) || s.columns < 16 || s.columns > PX_ROWS)
        return px_fault(m, "tcgen05.mma of %u x %u", s.rows, s.columns);
    for (int side = 0; scaled && side < 2; side++) {
        uint32_t rows = side ? s.columns : s.rows;
        o.scales[side] = side ? PX_IN32(5) : PX_IN32(4);
        if (!px_tensor_uses(m, &o, o.scales[side], (rows + 127) / 128 * 4, false)) return false;
    }
    if (o.what == PX_MMA_TENSOR && !px_tensor_uses(m, &o, (uint32_t)o.a, PX_K_BYTES / 4, false)) return false;
    return px_tensor_uses(m, &o, o.to, s.columns, true) && px_tensor_begin(m, &o);
}

/* `[to], descriptor`. */
static inline bool px_tensor_cp(px_machine *m, int thread, const px_line *l)
{
    bool rows = strstr(l->op, ".128x256b") != NULL;
    px_tensor_op o = {.what = rows ? PX_COPY_ROWS : PX_COPY_FACTORS, .thread = thread, .block = px_rank(m, thread), .group = px_pair(l),
                      .number = m->number++, .to = PX_IN32(0), .a = PX_IN(1)};
    return px_tensor_uses(m, &o, o.to, rows ? 8 : 4, true) && px_tensor_begin(m, &o);
}

/* `[barrier](, mask)`: one arrival when what this thread has issued is over. */
static inline bool px_tensor_commit(px_machine *m, int thread, const px_line *l)
{
    px_landing n = {.way = PX_COMMIT, .thread = thread, .product = m->number};
    return px_to_blocks(m, thread, &n, PX_IN(0), PX_IN(0), px_multicasts(l) ? (int64_t)PX_IN(1) : -1, 8);
}

/* ---- tensor memory: loads, stores, fences ---------------------------------------------------- */

/* Lanes and columns of a warp's load or store: those from 32 (w % 4) on, a column a register. */
static inline bool px_tensor_access(px_machine *m, int first, const px_operand *address, int registers, bool writes, uint32_t *column)
{
    int quarter = first % m->threads / PX_WARP % 4;
    uint32_t at = (uint32_t)px_get(m, first, address);
    for (int i = 0; i < PX_WARP; i++)
        if (px_get(m, first + i, address) != at) return px_fault(m, "tcgen05.ld, st: lanes have other addresses");
    if (at >> 16 != (uint32_t)quarter * 32) return px_fault(m, "tcgen05.ld, st: lane %u by warp %d", at >> 16, quarter);
    *column = at & 0xffff;
    px_use use = {px_rank(m, first), first / PX_WARP, *column, (uint32_t)registers, 1u << quarter, m->number++, 0, writes};
    return px_use_begin(m, &use, first);
}

/* `.32x32b.xN`: thread i of a warp has lane 32 (w % 4) + i. */
static inline uint32_t *px_tensor_cell(px_machine *m, int thread, uint32_t column)
{
    return &px_own(m, thread)->tensor.cell[thread % m->threads % PX_LANES][column];
}

static inline bool px_tensor_ld(px_machine *m, int first, const px_line *l)
{
    int registers = l->count - 1;
    uint32_t column = 0;
    if (!px_tensor_access(m, first, &l->operand[registers], registers, false, &column)) return false;
    for (int i = 0; i < PX_WARP; i++)
        for (int r = 0; r < registers; r++) {
            px_operand *o = &l->operand[r];
            px_set(m, first + i, o, *px_tensor_cell(m, first + i, column + (uint32_t)r));
            m->thread[first + i].state[o->name] = PX_BUSY;
            m->warp[first / PX_WARP].loads[o->name] = true;
        }
    return true;
}

/* What it writes stands there at once, and nobody may look before the wait. */
static inline bool px_tensor_st(px_machine *m, int first, const px_line *l)
{
    int registers = l->count - 1;
    uint32_t column = 0;
    if (!px_tensor_access(m, first, &l->operand[0], registers, true, &column)) return false;
    for (int i = 0; i < PX_WARP; i++)
        for (int r = 0; r < registers; r++)
            *px_tensor_cell(m, first + i, column + (uint32_t)r) = (uint32_t)px_get(m, first + i, &l->operand[1 + r]);
    return true;
}

static inline bool px_tensor_wait_st(px_machine *m, int first, const px_line *l)
{
    (void)l;
    px_uses_end(m, first / PX_WARP, UINT32_MAX, PX_WRITES);
    return true;
}

static inline bool px_tensor_wait_ld(px_machine *m, int first, const px_line *l)
{
    px_warp *w = &m->warp[first / PX_WARP];
    (void)l;
    px_uses_end(m, first / PX_WARP, UINT32_MAX, PX_READS);
    for (int name = 0; name < m->text.registers; name++) {
        for (int i = 0; w->loads[name] && i < PX_WARP; i++) m->thread[first + i].state[name] = PX_READY;
        w->loads[name] = false;
    }
    return true;
}

static inline bool px_tensor_before(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    m->thread[thread].before = m->stamp;
    return true;
}

static inline bool px_tensor_after(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    px_join(m->thread[thread].after, m->thread[thread].saw);
    return true;
}

#endif
