/* SPDX-License-Identifier: Apache-2.0 */
/* Vector instructions but for memory and matrices. */
#ifndef TEST_GCN_VECTOR_H
#define TEST_GCN_VECTOR_H

#include "float.h"
#include "scalar.h"

static inline uint64_t gcn_signed_field(uint64_t a, uint64_t first, uint64_t count)
{
    uint64_t field = gcn_field(a, first, count);
    if (!count) return 0;
    return field >> (count - 1) & 1 ? field | ~UINT64_C(0) << count : field;
}

/* v_perm_b32: a byte of the selector names one of 8 bytes; 8..11 a sign, 12 zero, above ones. */
static inline uint64_t gcn_permuted(uint64_t bytes, uint32_t selector)
{
    static const int sign[4] = {15, 31, 47, 63};
    uint64_t value = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t from = selector >> 8 * i & 0xff;
        uint64_t byte = from < 8 ? bytes >> 8 * from & 0xff : from == 12 ? 0 : 0xff;
        if (from >= 8 && from < 12) byte = bytes >> sign[from - 8] & 1 ? 0xff : 0;
        value |= byte << 8 * i;
    }
    return value;
}

static inline uint64_t gcn_reversed(uint64_t a)
{
    uint64_t value = 0;
    for (int bit = 0; bit < 32; bit++) value |= (a >> bit & 1) << (31 - bit);
    return value;
}

static inline bool gcn_is_nan(uint64_t a) { return (a & 0x7fffffff) > 0x7f800000; }

/* To nearest, ties to even. */
static inline uint64_t gcn_bf16(uint64_t a)
{
    uint32_t bits = (uint32_t)a;
    if (gcn_is_nan(a)) return (bits >> 16 | 0x40) & 0xffff;
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

static inline uint64_t gcn_below(uint64_t mask, uint32_t lane)
{
    mask &= (UINT64_C(1) << lane) - 1;
    mask &= mask >> 32 ? UINT64_C(0xffffffff00000000) : UINT64_C(0xffffffff);
    uint64_t count = 0;
    for (; mask; mask &= mask - 1) count++;
    return count;
}

#define GCN_LANE_FUNCTION(name, value) \
    static inline uint64_t gcn_do_##name(uint64_t a, uint64_t b, uint64_t c, uint32_t *more) \
    { \
        uint32_t lane = *more; \
        (void)a, (void)b, (void)c, (void)lane; \
        return (uint64_t)(value); \
    }
#define VECTOR(name, widths, flags, value) GCN_LANE_FUNCTION(name, value)
#define COMPARE(name, value) GCN_LANE_FUNCTION(v_cmp_##name, value)
#define CARRY(name, in, value) GCN_LANE_FUNCTION(name, value)
#include "vector.def"
#undef VECTOR
#undef COMPARE
#undef CARRY
#undef GCN_LANE_FUNCTION

/* The sources of an instruction in every lane. */
typedef struct gcn_sources {
    gcn_source s[3];
    int count, first;
} gcn_sources;

static inline gcn_sources gcn_vector_sources(gcn_wave *w, const gcn_line *line, int first,
                                             const char *widths)
{
    gcn_sources all = {.count = (int)strlen(widths), .first = first};
    if (line->count < first + all.count) gcn_fault(w, line, "it has another number of operands");
    for (int i = 0; i < all.count && !w->m->failed; i++)
        all.s[i] = gcn_read(w, line, &line->operand[first + i], widths[i] - '0', GCN_BY_VALU);
    return all;
}

static inline uint64_t gcn_lane_value(const gcn_line *line, const gcn_sources *all, int lane,
                                      uint32_t more, bool *bad)
{
    uint64_t x[3] = {0};
    for (int i = 0; i < all->count; i++) {
        x[i] = gcn_lane(&all->s[i], lane, bad);
        x[i] = gcn_modified(&line->operand[all->first + i], x[i]);
        if (line->form->widths[i + 1] == '1') x[i] = (uint32_t)x[i];
    }
    return line->form->does(x[0], x[1], x[2], &more);
}

static inline void gcn_run_vector(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line);
    gcn_sources all = gcn_vector_sources(w, line, 1, line->form->widths + 1);
    gcn_result r = {.bad = {0}};
    for (uint32_t lane = 0; lane < GCN_LANES && !w->m->failed; lane++)
        if (exec >> lane & 1)
            r.value[lane] = gcn_lane_value(line, &all, (int)lane, lane, &r.bad[lane]);
    gcn_write(w, line, &r, exec);
}

/* A mask that a vector instruction writes. */
static inline void gcn_write_mask(gcn_wave *w, int first, uint64_t mask, bool bad)
{
    gcn_set_scalar(w, first, 2, mask, bad);
    w->s_valu[first] = w->s_valu[first + 1] = w->now;
}

/* v_cmp MASK, A, B: lanes that EXEC does not name are 0. */
static inline void gcn_run_compare(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line), mask = 0;
    gcn_sources all = gcn_vector_sources(w, line, 1, "11");
    bool bad = false;
    for (uint32_t lane = 0; lane < GCN_LANES && !w->m->failed; lane++)
        if (exec >> lane & 1) mask |= gcn_lane_value(line, &all, (int)lane, lane, &bad) << lane;
    gcn_write_mask(w, line->operand[0].first, mask, bad);
    if (!strncmp(line->name, "v_cmpx", 6)) gcn_write_mask(w, GCN_EXEC, mask, bad);
}

/* MASK of a carry out; MASK of a carry in. */
static inline uint64_t gcn_mask(gcn_wave *w, const gcn_line *line, const gcn_operand *o, bool *bad)
{
    if (o->place != GCN_SCALAR) gcn_fault(w, line, "a mask is no scalar register");
    if (gcn_scalars_too_soon(w, o, GCN_H_SGPR_VECTOR)) *bad = true;
    return w->m->failed ? 0 : gcn_scalar(w, o->first, 2, bad);
}

static inline void gcn_run_carry(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line), out = 0, in = 0;
    bool bad = false;
    gcn_sources all = gcn_vector_sources(w, line, 2, "11");
    gcn_result r = {.bad = {0}};
    if (line->form->bytes) in = gcn_mask(w, line, &line->operand[4], &bad);
    for (uint32_t lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        if (!(exec >> lane & 1)) continue;
        r.bad[lane] = bad;
        uint32_t a = (uint32_t)gcn_lane(&all.s[0], (int)lane, &r.bad[lane]);
        uint32_t b = (uint32_t)gcn_lane(&all.s[1], (int)lane, &r.bad[lane]);
        r.value[lane] = line->form->does(a, b, in >> lane & 1, &lane);
        out |= (r.value[lane] >> 32 & 1) << lane;
    }
    for (int lane = 0; lane < GCN_LANES; lane++) bad |= r.bad[lane];
    gcn_write(w, line, &r, exec);
    gcn_write_mask(w, line->operand[1].first, out, bad);
}

/* v_cndmask D, A, B, MASK */
static inline void gcn_run_select(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line);
    bool bad = false;
    gcn_sources all = gcn_vector_sources(w, line, 1, "11");
    uint64_t mask = gcn_mask(w, line, &line->operand[3], &bad);
    gcn_result r = {.bad = {0}};
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        r.bad[lane] = bad;
        int from = mask >> lane & 1;
        r.value[lane] =
            gcn_modified(&line->operand[1 + from], gcn_lane(&all.s[from], lane, &r.bad[lane]));
    }
    gcn_write(w, line, &r, exec);
}

/* v_cvt_pk_fp8_f32 and bf8: two bytes; the upper half of the register stays, and here is garbage that nobody may use. */
static inline void gcn_run_round_8(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line);
    gcn_sources all = gcn_vector_sources(w, line, 1, "11");
    gcn_result r = {.bad = {0}};
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++)
        for (int i = 0; i < 2; i++) {
            float value = gcn_float(gcn_modified(&line->operand[1 + i], gcn_lane(&all.s[i], lane, &r.bad[lane])));
            r.value[lane] |= (uint64_t)gcn_byte_bits((gcn_type)line->form->bytes, w->m->code->target, (double)value) << 8 * i | 0xdead0000;
        }
    gcn_write(w, line, &r, exec);
}

/* v_mad_u64_u32 D, CARRY, A, B, C: the low word does not depend on the high word of C, which compilers leave undefined where they
 * need no more. */
static inline void gcn_run_mad64(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line), out = 0;
    gcn_sources all = gcn_vector_sources(w, line, 2, "112");
    gcn_result r = {.bad = {0}};
    bool bad = false;
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        if (!(exec >> lane & 1)) continue;
        uint64_t a = (uint32_t)gcn_lane(&all.s[0], lane, &r.bad[lane]);
        uint64_t b = (uint32_t)gcn_lane(&all.s[1], lane, &r.bad[lane]);
        uint64_t c = gcn_lane_words(&all.s[2], lane, &r.bad[lane], &r.high_bad[lane]);
        r.value[lane] = a * b + c;
        out |= (uint64_t)(r.value[lane] < c) << lane;
        bad |= r.bad[lane] || r.high_bad[lane];
    }
    gcn_write(w, line, &r, exec);
    gcn_write_mask(w, line->operand[1].first, out, bad);
}

/* v_bitop3: bit 4 a + 2 b + c of the table. */
static inline void gcn_run_bitop3(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line);
    gcn_sources all = gcn_vector_sources(w, line, 1, "111");
    gcn_result r = {.bad = {0}};
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        uint64_t x[3];
        for (int i = 0; i < 3; i++) x[i] = gcn_lane(&all.s[i], lane, &r.bad[lane]);
        for (int bit = 0; bit < 32; bit++) {
            uint64_t at = (x[0] >> bit & 1) << 2 | (x[1] >> bit & 1) << 1 | (x[2] >> bit & 1);
            r.value[lane] |= ((uint64_t)line->table >> at & 1) << bit;
        }
    }
    gcn_write(w, line, &r, exec);
}

/* v_pk_mov_b32: a half of the first source, then one of the second, as op_sel says. */
static inline void gcn_run_pack_move(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line);
    gcn_sources all = gcn_vector_sources(w, line, 1, "22");
    gcn_result r = {.bad = {0}};
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++) {
        uint64_t a = gcn_lane(&all.s[0], lane, &r.bad[lane]), b = gcn_lane(&all.s[1], lane, &r.bad[lane]);
        uint64_t high = line->table & 2 ? b >> 32 : (uint32_t)b;
        r.value[lane] = (line->table & 1 ? a >> 32 : (uint32_t)a) | high << 32;
    }
    gcn_write(w, line, &r, exec);
}

/* A lane of a register, into a scalar register: v_readfirstlane S, V; v_readlane S, V, LANE. */
static inline void gcn_run_read_lane(gcn_wave *w, const gcn_line *line)
{
    uint64_t exec = gcn_exec(w, line), lane = 0;
    bool bad = gcn_exec_too_soon(w, GCN_H_EXEC_LANE);
    gcn_source s = gcn_read(w, line, &line->operand[1], 1, GCN_BY_LANE);
    while (lane < 63 && !(exec >> lane & 1)) lane++;
    if (!exec) lane = 0;
    if (line->count > 2) {
        const gcn_operand *o = &line->operand[2];
        lane = gcn_scalar_operand(w, o, 1, &bad) & 63;
        if (o->place == GCN_SCALAR) bad |= gcn_scalars_too_soon(w, o, GCN_H_SGPR_LANE);
    }
    uint64_t value = gcn_lane(&s, (int)lane, &bad);
    const gcn_operand *d = &line->operand[0];
    if (d->place != GCN_SCALAR) gcn_fault(w, line, "its destination is no scalar register");
    if (w->m->failed) return;
    gcn_set_scalar(w, d->first, 1, value, bad);
    w->s_valu[d->first] = w->now;
}

#endif
