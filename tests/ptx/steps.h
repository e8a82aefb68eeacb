/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions: a row each, by their opcode as it is written. */
#ifndef TEST_PTX_STEPS_H
#define TEST_PTX_STEPS_H

#include "ptx/block.h"

/* What an instruction does for a thread, or together with its warp; false: it has to wait. */
typedef bool px_step(px_machine *m, int thread, const px_line *l);

static inline uint64_t px_get(px_machine *m, int thread, const px_operand *o)
{
    px_thread *t = &m->thread[thread];
    if (o->name < 0) return (uint64_t)o->more;
    if (t->state[o->name] == PX_READY) return t->value[o->name] + (uint64_t)o->more;
    px_fault(m, "line %d reads a register %s", m->text.line[t->line].source + 1,
             t->state[o->name] == PX_BUSY ? "that a product still writes" : "that holds nothing");
    return 0;
}

static inline void px_set(px_machine *m, int thread, const px_operand *o, uint64_t value)
{
    px_thread *t = &m->thread[thread];
    if (o->name == PX_SINK) return;
    if (t->state[o->name] == PX_BUSY) px_fault(m, "line %d writes what a product still writes", m->text.line[t->line].source + 1);
    t->value[o->name] = value;
    t->state[o->name] = PX_READY;
}

#define PX_IN(i)      px_get(m, thread, &l->operand[i])
#define PX_IN32(i)    ((uint32_t)PX_IN(i))
#define PX_OUT(value) px_set(m, thread, &l->operand[0], value)

/* ---- arithmetic --------------------------------------------------------------------- */

#define PX_ALU(name, expression)                                                                   \
    static inline bool name(px_machine *m, int thread, const px_line *l)                           \
    {                                                                                              \
        uint64_t a = PX_IN(1), b = l->count > 2 ? PX_IN(2) : 0, c = l->count > 3 ? PX_IN(3) : 0;   \
        (void)a, (void)b, (void)c;                                                                 \
        PX_OUT(expression);                                                                        \
        return true;                                                                               \
    }
#define PX_U(x) ((uint32_t)(x))
#define PX_S(x) ((int32_t)(uint32_t)(x))
PX_ALU(px_mov, a)
PX_ALU(px_mov_pair, l->count > 2 ? PX_U(a) | b << 32 : a)
PX_ALU(px_add32, PX_U(a + b))
PX_ALU(px_add64, a + b)
PX_ALU(px_sub32, PX_U(a - b))
PX_ALU(px_mul32, PX_U(a * b))
PX_ALU(px_mad32, PX_U(a * b + c))
PX_ALU(px_mad64, a * b + c)
PX_ALU(px_mad_wide, (uint64_t)PX_U(a) * PX_U(b) + c)
PX_ALU(px_div32, PX_U(b) ? PX_U(a) / PX_U(b) : 0)
PX_ALU(px_rem32, PX_U(b) ? PX_U(a) % PX_U(b) : 0)
PX_ALU(px_min_u, PX_U(a) < PX_U(b) ? PX_U(a) : PX_U(b))
PX_ALU(px_min_s, PX_U(PX_S(a) < PX_S(b) ? a : b))
PX_ALU(px_max_s, PX_U(PX_S(a) > PX_S(b) ? a : b))
PX_ALU(px_and, PX_U(a & b))
PX_ALU(px_xor, PX_U(a ^ b))
PX_ALU(px_shr, PX_U(b) > 31 ? 0 : PX_U(a) >> PX_U(b))
PX_ALU(px_shl, PX_U(b) > 31 ? 0 : PX_U(a) << PX_U(b))
PX_ALU(px_wide, PX_U(a))
PX_ALU(px_eq, PX_U(a) == PX_U(b))
PX_ALU(px_lt_u, PX_U(a) < PX_U(b))
PX_ALU(px_ge_u, PX_U(a) >= PX_U(b))
PX_ALU(px_lt_s, PX_S(a) < PX_S(b))
PX_ALU(px_gt_s, PX_S(a) > PX_S(b))
PX_ALU(px_and_pred, a && b)
PX_ALU(px_selp, c ? a : b)

/* d = {upper half from a, lower from b}, each rounded to nearest even. */
static inline uint32_t px_bf16(uint64_t bits)
{
    float value;
    uint32_t word = (uint32_t)bits;
    memcpy(&value, &word, 4);
    return zlay_sim_bf16(value);
}
PX_ALU(px_cvt_bf16x2, px_bf16(a) << 16 | px_bf16(b))

static inline bool px_nothing(px_machine *m, int thread, const px_line *l)
{
    (void)m, (void)thread, (void)l;
    return true;
}

/* PTX ISA 9.1, setmaxnreg: 24 to 256, by 8. */
static inline bool px_setmaxnreg(px_machine *m, int thread, const px_line *l)
{
    uint64_t count = PX_IN(0);
    return count % 8 || count < 24 || count > 256 ? px_fault(m, "setmaxnreg %llu", (unsigned long long)count) : true;
}

static inline bool px_trap(px_machine *m, int thread, const px_line *l)
{
    (void)thread;
    return px_fault(m, "line %d traps", l->source + 1);
}

/* ---- memory ------------------------------------------------------------------------- */

static inline bool px_ld_shared16(px_machine *m, int thread, const px_line *l)
{
    uint64_t at = PX_IN(1);
    if (!px_in_smem(m, at, 2, 2)) return true;
    const uint8_t *from = m->smem + (at - PX_ORIGIN);
    PX_OUT((uint64_t)(from[0] | from[1] << 8));
    return true;
}

static inline bool px_st_global16(px_machine *m, int thread, const px_line *l)
{
    uint64_t at = PX_IN(0), value = PX_IN(1);
    uint8_t *to = px_global(m, at, 2);
    if (at % 2) px_fault(m, "global address off 2 bytes");
    if (to) to[0] = (uint8_t)value, to[1] = (uint8_t)(value >> 8);
    return true;
}

static inline bool px_ld_global16(px_machine *m, int thread, const px_line *l)
{
    uint64_t at = PX_IN(1);
    const uint8_t *from = px_global(m, at, 2);
    if (at % 2) px_fault(m, "global address off 2 bytes");
    if (from) PX_OUT((uint64_t)(from[0] | from[1] << 8));
    return true;
}

static inline bool px_st_shared16(px_machine *m, int thread, const px_line *l)
{
    uint64_t at = PX_IN(0);
    uint16_t value = (uint16_t)PX_IN(1);
    if (px_in_smem(m, at, 2, 2)) px_write(m, thread, (uint32_t)at, &value, 2);
    return true;
}

/* Lane 8 i + r gives the address of row r of matrix i; lane t has elements 2 (t % 4) and one on of
 * row t / 4 of each: PTX ISA 9.1, stmatrix. */
static inline bool px_stmatrix4(px_machine *m, int first, const px_line *l)
{
    for (int i = 0; i < 4; i++)
        for (int row = 0; row < 8; row++) {
            uint8_t bytes[16];
            uint64_t at = px_get(m, first + 8 * i + row, &l->operand[0]);
            for (int k = 0; k < 4; k++) {
                uint32_t word = (uint32_t)px_get(m, first + 4 * row + k, &l->operand[1 + i]);
                memcpy(bytes + 4 * k, &word, 4);
            }
            if (at <= UINT32_MAX) px_write(m, first + 8 * i + row, (uint32_t)at, bytes, 16);
        }
    return true;
}

static inline bool px_cp_async(px_machine *m, int thread, const px_line *l)
{
    px_chunk c = {thread, -1, PX_IN(1), PX_IN32(0), PX_IN32(2), l->count > 3 ? PX_IN32(3) : PX_IN32(2)};
    if (c.bytes > 16 || c.take > c.bytes) return px_fault(m, "cp.async of %u of %u bytes", c.take, c.bytes);
    if (c.take && c.from % c.bytes) return px_fault(m, "cp.async: the source is off %u bytes", c.bytes);
    if (!px_in_smem(m, c.to, c.bytes, c.bytes)) return false;
    if (m->chunks == m->chunk_room) {
        m->chunk_room = m->chunk_room ? 2 * m->chunk_room : 1024;
        m->chunk = realloc(m->chunk, (size_t)m->chunk_room * sizeof *m->chunk);
        assert_non_null(m->chunk);
    }
    px_poison(m, c.to, c.bytes);
    m->chunk[m->chunks++] = c;
    return true;
}

static inline bool px_cp_commit(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    for (int i = 0; i < m->chunks; i++)
        if (m->chunk[i].thread == thread && m->chunk[i].group < 0) m->chunk[i].group = m->cp_groups[thread];
    m->cp_groups[thread]++;
    return true;
}

static inline bool px_cp_wait(px_machine *m, int thread, const px_line *l)
{
    px_chunks_wait(m, thread, (int)PX_IN(0));
    return true;
}

/* ---- barriers ------------------------------------------------------------------------ */

static inline bool px_init(px_machine *m, int thread, const px_line *l)
{
    uint64_t at = PX_IN(0);
    if (!px_in_smem(m, at, 8, 8) || m->barriers == PX_BARRIERS) return px_fault(m, "barriers");
    for (int i = 0; i < m->barriers; i++)
        if (m->barrier[i].at == at) return px_fault(m, "barrier %llu initialised twice", (unsigned long long)at);
    int count = (int)PX_IN(1);
    m->barrier[m->barriers++] = (px_barrier){.at = (uint32_t)at, .count = count, .pending = count};
    return true;
}

static inline bool px_init_fence(px_machine *m, int thread, const px_line *l)
{
    (void)thread, (void)l;
    for (int i = 0; i < m->barriers; i++) m->barrier[i].published = true;
    return true;
}

static inline bool px_mbarrier_arrive(px_machine *m, int thread, const px_line *l)
{
    px_barrier *b = px_barrier_at(m, PX_IN(1));
    if (b) px_arrive(m, b, l->count > 2 ? (int64_t)PX_IN(2) : 0);
    return true;
}

static inline bool px_try_wait(px_machine *m, int thread, const px_line *l)
{
    px_barrier *b = px_barrier_at(m, PX_IN(1));
    if (!b) return true;
    bool passed = (uint64_t)((b->phase + 1) & 1) == (PX_IN(2) & 1);
    m->thread[thread].wait = passed ? -1 : (int)(b - m->barrier);
    if (passed) PX_OUT(1);
    return passed;
}

static inline bool px_bar_sync(px_machine *m, int thread, const px_line *l)
{
    uint64_t which = PX_IN(0);
    if (which >= PX_NAMED) return px_fault(m, "no named barrier %llu", (unsigned long long)which);
    if (m->named[which].arrived && m->named[which].count != (int)PX_IN(1)) px_fault(m, "bar.sync: two counts");
    m->named[which].count = (int)PX_IN(1);
    m->thread[thread].meeting = (int)which;
    if (++m->named[which].arrived < m->named[which].count) return false;
    m->named[which].arrived = 0;
    for (int t = 0; t < m->threads; t++)
        if (m->thread[t].meeting == (int)which) {
            m->thread[t].meeting = -1;
            if (t != thread) m->thread[t].line++;
        }
    return true;
}

/* ---- tensor copies -------------------------------------------------------------------- */

static inline bool px_tensor_load(px_machine *m, int thread, const px_line *l)
{
    px_barrier *b = px_barrier_at(m, PX_IN(4));
    px_landing n = {.map = px_map(m, PX_IN(1)), .to = PX_IN32(0), .coordinate = {(int32_t)PX_IN32(2), (int32_t)PX_IN32(3)}};
    if (!b || !n.map || m->landings == PX_LANDING) return px_fault(m, "tensor copy");
    if (!b->published) return px_fault(m, "a copy signals a barrier that no fence has published");
    n.barrier = (int)(b - m->barrier);
    n.bytes = n.map->box[0] * n.map->box[1] * 2;
    if (!px_in_smem(m, n.to, n.bytes, 128)) return false;
    for (int i = 0; i < m->landings; i++)
        if (m->landing[i].to < n.to + n.bytes && n.to < m->landing[i].to + m->landing[i].bytes)
            return px_fault(m, "two copies on their way to one place");
    px_poison(m, n.to, n.bytes);
    m->landing[m->landings++] = n;
    if (m->early) px_land(m, m->landings - 1);
    return true;
}

static inline bool px_tensor_store(px_machine *m, int thread, const px_line *l)
{
    px_store s = {.thread = thread, .group = -1, .map = px_map(m, PX_IN(0)), .from = PX_IN32(3),
                  .coordinate = {(int32_t)PX_IN32(1), (int32_t)PX_IN32(2)}};
    if (!s.map || m->stores == PX_PENDING) return px_fault(m, "tensor store");
    s.bytes = s.map->box[0] * s.map->box[1] * 2;
    if (!px_in_smem(m, s.from, s.bytes, 128)) return false;
    m->store[m->stores++] = s;
    if (m->early) px_store_read(&m->store[m->stores - 1], m);
    return true;
}

static inline bool px_bulk_commit(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    for (int i = 0; i < m->stores; i++)
        if (m->store[i].thread == thread && m->store[i].group < 0) m->store[i].group = m->bulk_groups[thread];
    m->bulk_groups[thread]++;
    return true;
}

static inline bool px_bulk_read(px_machine *m, int thread, const px_line *l)
{
    px_stores_wait(m, thread, (int)PX_IN(0), false);
    return true;
}

static inline bool px_bulk_wait(px_machine *m, int thread, const px_line *l)
{
    px_stores_wait(m, thread, (int)PX_IN(0), true);
    return true;
}

static inline bool px_fence_proxy(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    px_proxy_fence(m, thread);
    return true;
}

/* ---- products -------------------------------------------------------------------------- */

static inline bool px_wgmma_fence(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    m->thread[thread].fenced = true;
    return true;
}

/* `{sums}, a, b, adds, 1, 1, trans-a, trans-b`. */
static inline bool px_wgmma(px_machine *m, int thread, const px_line *l)
{
    px_warp *w = &m->warp[thread / PX_WARP];
    int n = atoi(strstr(l->op, ".m64n") + 5), sums = n / 2;
    if (l->count != sums + 7 || w->products == PX_PENDING) return px_fault(m, "wgmma: %d operands", l->count);
    px_product p = {.acc = l->operand[0].name, .line = l->source, .group = -1};
    p.a = PX_IN(sums), p.b = PX_IN(sums + 1), p.adds = PX_IN(sums + 2) != 0;
    p.mma = (zlay_mma){.m = 64, .n = (uint32_t)n, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    p.mma.a_major = PX_IN(sums + 5) ? ZLAY_MAJOR_MN : ZLAY_MAJOR_K;
    p.mma.b_major = PX_IN(sums + 6) ? ZLAY_MAJOR_MN : ZLAY_MAJOR_K;
    if (PX_IN(sums + 2) > 1 || PX_IN(sums + 3) != 1 || PX_IN(sums + 4) != 1 || PX_IN(sums + 5) > 1 || PX_IN(sums + 6) > 1)
        return px_fault(m, "wgmma: a number that it cannot have");
    for (int lane = 0; lane < PX_WARP; lane++) {
        px_thread *t = &m->thread[thread + lane];
        if (!t->fenced) px_fault(m, "line %d: a product without wgmma.fence", l->source + 1);
        for (int r = 0; r < sums; r++) {
            if (p.adds && t->state[p.acc + r] == PX_NEVER) px_fault(m, "a product adds to nothing");
            t->state[p.acc + r] = PX_BUSY;
        }
        if (px_get(m, thread + lane, &l->operand[sums]) != p.a || px_get(m, thread + lane, &l->operand[sums + 1]) != p.b)
            px_fault(m, "wgmma: lanes have other descriptors");
    }
    w->product[w->products++] = p;
    return true;
}

static inline bool px_wgmma_commit(px_machine *m, int thread, const px_line *l)
{
    px_warp *w = &m->warp[thread / PX_WARP];
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

static inline bool px_ret(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    m->thread[thread].done = true;
    return false;
}

/* ---- the rows -------------------------------------------------------------------------- */

/* A warp does it together; what an ordinary instruction does to sums has to be fenced off products. */
enum { PX_ALONE, PX_TOGETHER };

static const struct px_row {
    const char *op;
    px_step *step;
    int how;
} px_rows[] = {
    {"mov.u32", px_mov, 0}, {"mov.b16", px_mov, 0}, {"mov.b64", px_mov_pair, 0}, {"cvta.param.u64", px_mov, 0},
    {"cvta.to.global.u64", px_mov, 0}, {"cvt.u64.u32", px_wide, 0},
    {"add.u32", px_add32, 0}, {"add.s32", px_add32, 0}, {"add.s64", px_add64, 0},
    {"sub.u32", px_sub32, 0}, {"sub.s32", px_sub32, 0}, {"mul.lo.u32", px_mul32, 0},
    {"mad.lo.u32", px_mad32, 0}, {"mad.lo.s32", px_mad32, 0}, {"mad.lo.u64", px_mad64, 0},
    {"mad.wide.u32", px_mad_wide, 0}, {"div.u32", px_div32, 0}, {"rem.u32", px_rem32, 0},
    {"min.u32", px_min_u, 0}, {"min.s32", px_min_s, 0}, {"max.s32", px_max_s, 0},
    {"and.b32", px_and, 0}, {"xor.b32", px_xor, 0}, {"shr.u32", px_shr, 0}, {"shl.b32", px_shl, 0},
    {"setp.eq.u32", px_eq, 0}, {"setp.lt.u32", px_lt_u, 0}, {"setp.ge.u32", px_ge_u, 0},
    {"setp.lt.s32", px_lt_s, 0}, {"setp.gt.s32", px_gt_s, 0}, {"and.pred", px_and_pred, 0},
    {"selp.b32", px_selp, 0}, {"cvt.rn.bf16x2.f32", px_cvt_bf16x2, 0},
    {"prefetch.tensormap", px_nothing, 0}, {"trap", px_trap, 0}, {"ret", px_ret, 0},
    {"setmaxnreg.inc.sync.aligned.u32", px_setmaxnreg, PX_TOGETHER},
    {"setmaxnreg.dec.sync.aligned.u32", px_setmaxnreg, PX_TOGETHER},
    {"ld.shared.b16", px_ld_shared16, 0}, {"st.global.b16", px_st_global16, 0},
    {"ld.global.b16", px_ld_global16, 0}, {"st.shared.b16", px_st_shared16, 0},
    {"stmatrix.sync.aligned.m8n8.x4.shared.b16", px_stmatrix4, PX_TOGETHER},
    {"cp.async.ca.shared.global", px_cp_async, 0}, {"cp.async.cg.shared.global", px_cp_async, 0},
    {"cp.async.commit_group", px_cp_commit, 0}, {"cp.async.wait_group", px_cp_wait, 0},
    {"mbarrier.init.shared::cta.b64", px_init, 0},
    {"fence.mbarrier_init.release.cluster", px_init_fence, 0},
    {"mbarrier.arrive.shared::cta.b64", px_mbarrier_arrive, 0},
    {"mbarrier.arrive.expect_tx.shared::cta.b64", px_mbarrier_arrive, 0},
    {"mbarrier.try_wait.parity.shared::cta.b64", px_try_wait, 0},
    {"bar.sync", px_bar_sync, 0},
    {"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes", px_tensor_load, 0},
    {"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group", px_tensor_store, 0},
    {"cp.async.bulk.commit_group", px_bulk_commit, 0},
    {"cp.async.bulk.wait_group.read", px_bulk_read, 0}, {"cp.async.bulk.wait_group", px_bulk_wait, 0},
    {"fence.proxy.async.shared::cta", px_fence_proxy, 0},
    {"wgmma.fence.sync.aligned", px_wgmma_fence, 0},
    {"wgmma.mma_async.sync.aligned.m64n", px_wgmma, PX_TOGETHER},
    {"wgmma.commit_group.sync.aligned", px_wgmma_commit, PX_TOGETHER},
    {"wgmma.wait_group.sync.aligned", px_wgmma_wait, PX_TOGETHER},
};

/* A row of products stands for all their shapes. */
static inline const struct px_row *px_row_of(const char *op)
{
    for (size_t i = 0; i < sizeof px_rows / sizeof *px_rows; i++)
        if (px_rows[i].step == px_wgmma ? !strncmp(op, px_rows[i].op, strlen(px_rows[i].op))
                                        : !strcmp(op, px_rows[i].op))
            return &px_rows[i];
    return NULL;
}

#endif
