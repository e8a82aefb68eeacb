/* SPDX-License-Identifier: Apache-2.0 */
/* Counts of a move by threads counted again access by access, and its widest access. */
#ifndef TEST_COPY_CHECK_H
#define TEST_COPY_CHECK_H

#include "tiles/copy_carry.h"
#include "tiles/copy_draw.h"

/* ---- counting again ------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t instructions, sectors, lines, wavefronts[2];
} tally;

static inline uint64_t distinct(const uint64_t *from, const uint64_t *to, uint32_t lanes, uint64_t unit)
{
    static uint64_t seen[1 << 16];
    uint64_t count = 0;
    for (uint32_t l = 0; l < lanes; l++)
        for (uint64_t b = from[l] / unit; from[l] < to[l] && b <= (to[l] - 1) / unit; b++) {
            uint64_t i = 0;
            while (i < count && seen[i] != b) i++;
            if (i == count) seen[count++] = b;
        }
    return count;
}

static inline uint64_t waves(const asked *q, const seen_part *p, int side, const uint64_t *from,
                      uint32_t lanes)
{
    char name[32];
    int32_t number;
    zlay_bank bank;
    uint32_t address[WARP_MOST];
    bool gfx = zlay_target_name(q->target)[0] == 'g', any = false;
    unsigned bits = (unsigned)width_of(p, side) * 8;
    for (uint32_t l = 0; l < lanes; l++) {
        address[l] = from[l] == UINT64_MAX ? ZLAY_BANK_INACTIVE : (uint32_t)from[l];
        any = any || from[l] != UINT64_MAX;
    }
    if (p->part.kind == ZLAY_COPY_CP_ASYNC) sprintf(name, "cp.async.ca.%u", bits / 8);
    else if (!gfx) sprintf(name, "%s.shared.b%u", side ? "st" : "ld", bits);
    else sprintf(name, "%s%u", side ? "ds_write_b" : bits < 32 ? "ds_read_u" : "ds_read_b", bits);
    assert_int_equal(zlay_bank_find(&number, name, strlen(name)), ZLAY_OK);
    if (!any) return 0;
    assert_int_equal(zlay_bank_conflicts(&bank, q->target, number, address, lanes), ZLAY_OK);
    return bank.answer == ZLAY_YES ? bank.wavefronts : UINT64_MAX / 4;
}

static inline void tally_add(const asked *q, const seen_part *p, int side, uint64_t *from, uint64_t *to,
                      uint32_t lanes, tally *out)
{
    bool one = is_bulk(p) || p->part.kind == ZLAY_COPY_CP_ASYNC;
    uint64_t width = width_of(p, side), second[WARP_MOST], active = 0, longer = 0;
    for (uint32_t l = 0; l < lanes; l++) active += from[l] < to[l];
    if (!active) return;
    if (!side && p->part.realign)
        for (uint32_t l = 0; l < lanes; l++) {
            second[l] = from[l] < to[l] && to[l] - from[l] > width ? from[l] + width : UINT64_MAX;
            longer += second[l] != UINT64_MAX;
        }
    if (!side || !one) out->instructions += is_bulk(p) ? active : 1;
    if (!side && p->part.realign) out->instructions++;
    if (q->space[side] == ZLAY_MOVE_GLOBAL && is_bulk(p))
        for (uint32_t l = 0; l < lanes; l++) {
            out->sectors += distinct(from + l, to + l, 1, 32);
            out->lines += distinct(from + l, to + l, 1, 128);
        }
    else if (q->space[side] == ZLAY_MOVE_GLOBAL) {
        out->sectors += distinct(from, to, lanes, 32);
        out->lines += distinct(from, to, lanes, 128);
    } else if (!is_bulk(p)) {
        out->wavefronts[side] += waves(q, p, side, from, lanes);
        if (longer) out->wavefronts[side] += waves(q, p, side, second, lanes);
    }
}

/* One access of a warp on one side, vector by vector. */
static inline void tally_warp(const asked *q, const zlay_move *move, const seen_part *p, uint64_t a,
                       uint32_t warp, uint32_t lanes, tally *out)
{
    static vectors v[WARP_MOST];
    for (int side = 0; side < 2; side++) {
        uint64_t count = 0;
        for (uint32_t l = 0; l < lanes; l++) {
            int64_t at[2][BLOCK_MOST];
            uint32_t t = warp * lanes + l;
            v[l].count = 0;
            if (t < p->part.threads && block_of(move, p, q, t, a, at[0], at[1]))
                vectors_of(q, p, side, at[side], &v[l]);
            if (v[l].count > count) count = v[l].count;
        }
        for (uint64_t k = 0; k < count; k++) {
            uint64_t from[WARP_MOST], to[WARP_MOST], width = width_of(p, side);
            for (uint32_t l = 0; l < lanes; l++) {
                from[l] = to[l] = UINT64_MAX;
                if (k >= v[l].count) continue;
                from[l] = (uint64_t)v[l].first[k] * q->bits / 8;
                to[l] = from[l] + width;
                if (side || !p->part.realign) continue;
                to[l] = (to[l] + width - 1) / width * width;
                from[l] = from[l] / width * width;
            }
            tally_add(q, p, side, from, to, lanes, out);
        }
    }
}

static inline void check_counts(const asked *q, const zlay_move *move)
{
    zlay_move_summary info;
    zlay_target_summary target;
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    assert_int_equal(zlay_target_info(&target, q->target), ZLAY_OK);
    tally all = {0};
    for (uint32_t i = 0; i < info.parts; i++) {
        seen_part p = part_of(move, i);
        tally sum = {0};
        for (uint64_t a = 0; a < p.part.accesses; a++)
            for (uint32_t w = 0; w * target.lanes < p.part.threads; w++)
                tally_warp(q, move, &p, a, w, target.lanes, &sum);
        assert_int_equal(sum.instructions, p.part.instructions);
        assert_int_equal(sum.sectors, p.part.sectors);
        assert_int_equal(sum.lines, p.part.lines);
        if (!p.part.uncounted) {
            assert_int_equal(sum.wavefronts[0], p.part.wavefronts_load);
            assert_int_equal(sum.wavefronts[1], p.part.wavefronts_store);
        }
        all.instructions += sum.instructions;
        all.sectors += sum.sectors;
    }
    assert_int_equal(all.instructions, info.instructions);
    assert_int_equal(all.sectors, info.sectors);
}

/* ---- the widest access ------------------------------------------------------------------------
 */

static inline bool follows_somewhere(const zlay_layout *from, const zlay_layout *to, uint64_t i)
{
    for (uint64_t k = 0; k < zlay_layout_size(to); k++)
        if (layout_at(from, k) == layout_at(from, i) + 1 &&
            layout_at(to, k) == layout_at(to, i) + 1)
            return true;
    return false;
}

static inline uint64_t offset_of(const zlay_layout *a, uint64_t i) { return (uint64_t)layout_at(a, i); }

/* Whether what lies behind a point is in another granule of a swizzle. */
static inline bool next_granule(const zlay_move *move, const zlay_layout *from, const zlay_layout *to,
                         uint64_t i)
{
    const zlay_layout *const sides[] = {from, to};
    bool next = false;
    for (int32_t side = 0; side < 2; side++) {
        zlay_move_swizzle s;
        zlay_move_swizzle_info(&s, move, side);
        next = next || (s.bits && (offset_of(sides[side], i) + 1) % (1u << s.base) == 0);
    }
    return next;
}

/* The reason holds of the two points. */
static inline void check_reason(const wanted *want, const zlay_move *move, const zlay_move_widest *w,
                         const zlay_layout *from, const zlay_layout *to)
{
    zlay_move_swizzle swizzle;
    const zlay_layout *side = w->side ? to : from;
    const zlay_copy_side *asked_side = w->side ? &want->r.dest : &want->r.source;
    const zlay_target *target = target_of(want->target);
    uint64_t v = w->refused * 8 / want->r.elem_bits, i = w->points[0], j = w->points[1], both = 0;
    assert_int_equal(w->refused, 2 * w->width);
    switch (w->why) {
    case ZLAY_WIDEST_TARGET:
        for (int s = 0; s < 2; s++) {
            int32_t space = s ? want->r.dest.space : want->r.source.space;
            uint64_t widths = zlay_target_widths(target, space != ZLAY_MOVE_GLOBAL);
            both += w->refused < 64 && widths >> w->refused & 1;
        }
        assert_true(both < 2);
        break;
    case ZLAY_WIDEST_ALIGN: assert_true(asked_side->align % w->refused); break;
    case ZLAY_WIDEST_RUN:
        if (follows_somewhere(from, to, i) && !next_granule(move, from, to, i))
            fail_msg("%s -> %s: a point lies behind %llu", want->text[0], want->text[1],
                     (unsigned long long)i);
        break;
    case ZLAY_WIDEST_STEP: assert_true((offset_of(side, i) - offset_of(side, j)) % v); break;
    case ZLAY_WIDEST_PHASE: assert_true((offset_of(from, i) - offset_of(to, i)) % v); break;
    case ZLAY_WIDEST_SWIZZLE:
        zlay_move_swizzle_info(&swizzle, move, w->side);
        assert_true(swizzle.bits && v > 1u << swizzle.base);
        break;
    default: fail_msg("%s -> %s: no reason", want->text[0], want->text[1]);
    }
}

/* Where zlay_layout_vector_width allows an access along one mode on both sides, so it is here. */
static inline void check_widest(zlay_ctx *ctx, const wanted *want, const zlay_move *move,
                         const zlay_layout *from, const zlay_layout *to)
{
    zlay_move_widest w;
    assert_int_equal(zlay_move_widest_info(&w, move), ZLAY_OK);
    check_reason(want, move, &w, from, to);
    if (want->r.elem_bits < 8) return;
    for (uint32_t mode = 0; mode < zlay_layout_box(NULL, 0, from); mode++) {
        uint64_t both = 0, width;
        for (int s = 0; s < 2; s++) {
            const zlay_copy_side *side = s ? &want->r.dest : &want->r.source;
            zlay_vector_request r = {.size = sizeof r,
                                     .elem_bytes = want->r.elem_bits / 8,
                                     .base_align = side->align,
                                     .widths = zlay_target_widths(target_of(want->target),
                                                                  side->space != ZLAY_MOVE_GLOBAL) &
                                               0x100010116,
                                     .path = &mode,
                                     .depth = 1};
            zlay_status status = zlay_layout_vector_width(ctx, &width, side->layout, &r, NULL);
            assert_int_equal(status, ZLAY_OK);
            if (!s || width < both) both = width;
        }
        assert_true(w.width >= both || w.why == ZLAY_WIDEST_SWIZZLE);
    }
}

static inline void check_move(zlay_ctx *ctx, const wanted *want, const zlay_move *move,
                       const zlay_layout *from, const zlay_layout *to, uint64_t *seed)
{
    static world w;
    asked q = {target_of(want->target),
               want->r.elem_bits,
               {want->r.source.space, want->r.dest.space},
               {0, 0},
               {from, to},
               NULL,
               NULL};
    memset(&w, CANARY, sizeof w);
    memset(w.writes, 0, sizeof w.writes);
    for (size_t i = 0; i < sizeof w.from; i++) w.from[i] = (uint8_t)test_random(seed);
    q.base[0] = want->r.source.align * (2 * (uint64_t)test_range(seed, 0, 99) + 1);
    q.base[1] = want->r.dest.align * (2 * (uint64_t)test_range(seed, 0, 99) + 1);
    carry_out(&q, move, &w);
    check_world(&w, from, to);
    q.base[0] = q.base[1] = 0;
    check_counts(&q, move);
    for (uint32_t i = 0; zlay_move_threads(move, i); i++) check_threads(move, i, from, to);
    check_certificates(ctx, move);
    if (part_of(move, 0).part.combine != 2) check_widest(ctx, want, move, from, to);
}

static inline bool fits(zlay_ctx *ctx, const wanted *want, const zlay_copy_side *side)
{
    uint64_t size;
    assert_int_equal(zlay_layout_cosize(ctx, &size, side->layout), ZLAY_OK);
    return side->space == ZLAY_MOVE_GLOBAL ||
           size * want->r.elem_bits / 8 <= zlay_smem_capacity(target_of(want->target));
}

/* Every request without a path has a plan, unless its destination overlaps, a side does not fit
 * shared memory, or what a barrier counts is narrower than st.async. */
static inline void check_refusal(zlay_ctx *ctx, const wanted *want, zlay_status status,
                          const zlay_layout *to)
{
    uint64_t at[2];
    zlay_answer answer = ZLAY_YES;
    bool fit = fits(ctx, want, &want->r.source) && fits(ctx, want, &want->r.dest);
    assert_int_equal(zlay_layout_is_injective(ctx, &answer, at, to), ZLAY_OK);
    if (answer == ZLAY_NO) assert_int_equal(status, ZLAY_EINVAL);
    else if (status != ZLAY_NONE ||
             (fit && !want->r.path && want->r.elem_bits >= (want->r.signal ? 32 : 8)))
        fail_msg("%s -> %s: %s", want->text[0], want->text[1], zlay_status_name(status));
}

#endif
