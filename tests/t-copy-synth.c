/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by threads: random requests, whose plans are carried out element by element and whose
 * counts are counted again access by access; what is refused; memory. */
#include "copy_draw.h"
#include "copy_synth.h"
#include "heap.h"

#include <stdio.h>
#include <zlay/decide.h>

enum { MARGIN = 64, SPAN_MOST = 1 << 16, CANARY = 0xa5 };

/* ---- carrying out ------------------------------------------------------------------------- */

typedef struct world {
    uint8_t from[SPAN_MOST], to[SPAN_MOST], writes[SPAN_MOST]; /* a cell an element */
} world;

/* Elements of one block; false: the thread has none. */
static bool block_of(const zlay_move *move, const seen_part *p, const asked *q, uint64_t t,
                     uint64_t a, int64_t *from, int64_t *to)
{
    zlay_move_swizzle s[2];
    uint64_t there = 0;
    for (int i = 0; i < 2; i++) assert_int_equal(zlay_move_swizzle_get(&s[i], move, i), ZLAY_OK);
    for (uint64_t v = 0; v < p->values; v++) {
        int64_t at[2];
        bool named = p->part.combine == 2;
        if (!(named ? point_of(move, p, q->layout, v, t, a, at) : place_of(p, v, t, a, at)))
            continue;
        from[v] = swizzle_by(s[0], at[0]);
        to[v] = swizzle_by(s[1], at[1]);
        there++;
    }
    assert_true(there == 0 || there == p->values);
    return there;
}

/* A step or offset as text, at the values that the facts give its names. */
static int64_t at_values(zlay_ctx *ctx, const zlay_facts *facts, const zlay_move *move,
                         uint32_t part, uint32_t mode, int32_t side)
{
    char text[512];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_range r;
    assert_int_equal(zlay_move_step_print(&buf, move, part, mode, side), ZLAY_OK);
    assert_int_equal(zlay_facts_of(ctx, &r, facts, text, buf.need), ZLAY_OK);
    assert_int_equal(r.mod, 0);
    return r.rem;
}

static void put_values(const asked *q, const zlay_move *move, uint32_t i, seen_part *p)
{
    if (!q->facts) return;
    p->part.source = at_values(q->ctx, q->facts, move, i, p->part.modes, 0);
    p->part.dest = at_values(q->ctx, q->facts, move, i, p->part.modes, 1);
    for (uint32_t k = 0; k < p->part.modes; k++) {
        p->mode[k].source = at_values(q->ctx, q->facts, move, i, k, 0);
        p->mode[k].dest = at_values(q->ctx, q->facts, move, i, k, 1);
    }
}

static void carry_out(const asked *q, const zlay_move *move, world *w)
{
    zlay_move_info info;
    assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
    for (uint32_t i = 0; i < info.parts; i++) {
        seen_part p = part_of(move, i);
        put_values(q, move, i, &p);
        for (uint64_t a = 0; a < p.part.accesses; a++)
            for (uint32_t t = 0; t < p.part.threads; t++) {
                int64_t from[BLOCK_MOST], to[BLOCK_MOST];
                vectors loads, stores;
                if (!block_of(move, &p, q, t, a, from, to)) continue;
                vectors_of(q, &p, 0, from, &loads);
                vectors_of(q, &p, 1, to, &stores);
                for (uint64_t v = 0; v < p.values; v++) {
                    w->to[MARGIN + to[v]] = w->from[MARGIN + from[v]];
                    w->writes[MARGIN + to[v]]++;
                }
            }
    }
}

/* Every element once at its place, and nothing else touched. */
static void check_world(const world *w, const zlay_layout *from, const zlay_layout *to)
{
    static uint8_t expected[SPAN_MOST];
    uint64_t size = zlay_layout_size(to);
    int64_t at[2];
    memset(expected, CANARY, sizeof expected);
    for (uint64_t i = 0; i < size; i++) {
        if (zlay_layout_eval(&at[0], 1, from, i) || zlay_layout_eval(&at[1], 1, to, i)) continue;
        expected[MARGIN + at[1]] = w->from[MARGIN + at[0]];
        assert_int_equal(w->writes[MARGIN + at[1]], 1);
    }
    assert_memory_equal(w->to, expected, sizeof expected);
}

/* ---- counting again ------------------------------------------------------------------------- */

typedef struct tally {
    uint64_t instructions, sectors, lines, wavefronts[2];
} tally;

static uint64_t distinct(const uint64_t *from, const uint64_t *to, uint32_t lanes, uint64_t unit)
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

static uint64_t waves(const asked *q, const seen_part *p, int side, const uint64_t *from,
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
    assert_int_equal(zlay_bank_count(&bank, q->target, number, address, lanes), ZLAY_OK);
    return bank.answer == ZLAY_YES ? bank.wavefronts : UINT64_MAX / 4;
}

static void tally_add(const asked *q, const seen_part *p, int side, uint64_t *from, uint64_t *to,
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
static void tally_warp(const asked *q, const zlay_move *move, const seen_part *p, uint64_t a,
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

static void check_counts(const asked *q, const zlay_move *move)
{
    zlay_move_info info;
    zlay_target_info target;
    assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
    assert_int_equal(zlay_target_get(&target, q->target), ZLAY_OK);
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

/* ---- random requests --------------------------------------------------------------------------
 */

/* The layout of who moves what has the tile's points where both sides say. */
static void check_threads(const zlay_move *move, uint32_t part, const zlay_layout *from,
                          const zlay_layout *to)
{
    const zlay_layout *who = zlay_move_threads(move, part);
    seen_part p = part_of(move, part);
    uint64_t at = 0, points = 0;
    assert_int_equal(zlay_layout_size(who), p.values * p.part.threads * p.part.accesses);
    for (uint64_t a = 0; a < p.part.accesses; a++)
        for (uint64_t t = 0; t < p.part.threads; t++)
            for (uint64_t v = 0; v < p.values; v++, at++) {
                int64_t place[2], index;
                zlay_move_swizzle s[2];
                zlay_status status = zlay_layout_eval(&index, 1, who, at);
                bool there = p.part.combine == 2 ? !status : place_of(&p, v, t, a, place);
                assert_int_equal(status, there ? ZLAY_OK : ZLAY_NONE);
                points += there;
                if (!there || p.part.combine == 2) continue;
                for (int i = 0; i < 2; i++) zlay_move_swizzle_get(&s[i], move, i);
                assert_int_equal(layout_at(from, (uint64_t)index), swizzle_by(s[0], place[0]));
                assert_int_equal(layout_at(to, (uint64_t)index), swizzle_by(s[1], place[1]));
            }
    assert_int_equal(points, p.part.elements);
}

static void check_certificates(zlay_ctx *ctx, const zlay_move *move)
{
    const zlay_layout *a, *b;
    zlay_answer answer = ZLAY_NO;
    assert_int_equal(zlay_move_certificate(&a, &b, move), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_move_certificate_source(&a, &b, move), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
}

/* ---- the widest access ------------------------------------------------------------------------
 */

static bool follows_somewhere(const zlay_layout *from, const zlay_layout *to, uint64_t i)
{
    for (uint64_t k = 0; k < zlay_layout_size(to); k++)
        if (layout_at(from, k) == layout_at(from, i) + 1 &&
            layout_at(to, k) == layout_at(to, i) + 1)
            return true;
    return false;
}

static uint64_t offset_of(const zlay_layout *a, uint64_t i) { return (uint64_t)layout_at(a, i); }

/* Whether what lies behind a point is in another granule of a swizzle. */
static bool next_granule(const zlay_move *move, const zlay_layout *from, const zlay_layout *to,
                         uint64_t i)
{
    const zlay_layout *const sides[] = {from, to};
    bool next = false;
    for (int32_t side = 0; side < 2; side++) {
        zlay_move_swizzle s;
        zlay_move_swizzle_get(&s, move, side);
        next = next || (s.bits && (offset_of(sides[side], i) + 1) % (1u << s.base) == 0);
    }
    return next;
}

/* The reason holds of the two points. */
static void check_reason(const wanted *want, const zlay_move *move, const zlay_move_widest *w,
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
        zlay_move_swizzle_get(&swizzle, move, w->side);
        assert_true(swizzle.bits && v > 1u << swizzle.base);
        break;
    default: fail_msg("%s -> %s: no reason", want->text[0], want->text[1]);
    }
}

/* Where zlay_layout_vector_width allows an access along one mode on both sides, so it is here. */
static void check_widest(zlay_ctx *ctx, const wanted *want, const zlay_move *move,
                         const zlay_layout *from, const zlay_layout *to)
{
    zlay_move_widest w;
    assert_int_equal(zlay_move_widest_get(&w, move), ZLAY_OK);
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

static void check_move(zlay_ctx *ctx, const wanted *want, const zlay_move *move,
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

static bool fits(zlay_ctx *ctx, const wanted *want, const zlay_copy_side *side)
{
    uint64_t size;
    assert_int_equal(zlay_layout_cosize(ctx, &size, side->layout), ZLAY_OK);
    return side->space == ZLAY_MOVE_GLOBAL ||
           size * want->r.elem_bits / 8 <= zlay_smem_capacity(target_of(want->target));
}

/* Every request without a path has a plan, unless its destination overlaps or a side does not fit
 * shared memory. */
static void check_refusal(zlay_ctx *ctx, const wanted *want, zlay_status status,
                          const zlay_layout *to)
{
    uint64_t at[2];
    zlay_answer answer = ZLAY_YES;
    bool fit = fits(ctx, want, &want->r.source) && fits(ctx, want, &want->r.dest);
    assert_int_equal(zlay_layout_is_injective(ctx, &answer, at, to), ZLAY_OK);
    if (answer == ZLAY_NO) assert_int_equal(status, ZLAY_EINVAL);
    else if (status != ZLAY_NONE || (fit && !want->r.path && want->r.elem_bits >= 8))
        fail_msg("%s -> %s: %s", want->text[0], want->text[1], zlay_status_name(status));
}

static void test_random_copies(void **state)
{
    uint64_t seed = test_seed("random copies"), paths[ZLAY_PATH_MATRIX] = {0};
    for (uint64_t i = 0; i < test_iterations(600); i++) {
        wanted want = draw(&seed);
        if (!test_range(&seed, 0, 7)) want.r.elem_bits = test_range(&seed, 0, 1) ? 128 : 4;
        zlay_move *move = NULL;
        zlay_move_info info;
        zlay_layout *from = read_layout(*state, want.text[0]),
                    *to = read_layout(*state, want.text[1]);
        want.r.source.layout = from;
        want.r.dest.layout = to;
        zlay_status status = zlay_copy_synth(*state, &move, target_of(want.target), &want.r);
        if (status) check_refusal(*state, &want, status, to);
        else {
            assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
            if (want.r.path) assert_int_equal(info.path, want.r.path);
            paths[info.path]++;
            check_move(*state, &want, move, from, to, &seed);
        }
        zlay_move_free(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
    for (int path = ZLAY_PATH_BULK; path <= ZLAY_PATH_REALIGN; path++) assert_true(paths[path] > 3);
}

/* ---- layouts without common strides ------------------------------------------------------------
 */

/* An invertible bit matrix over `bits` bits as a layout of one or two inputs: products of random
 * shears of a permutation; the low `same` bits stay, so that some accesses are wide. */
static void draw_matrix(uint64_t *seed, char *out, int bits, int same)
{
    uint64_t basis[12];
    int cut = (int)test_range(seed, 0, bits);
    for (int i = 0; i < bits; i++) basis[i] = (uint64_t)1 << i;
    for (int n = 0; n < 3 * bits; n++) {
        int i = (int)test_range(seed, same, bits - 1), j = (int)test_range(seed, same, bits - 1);
        if (i != j) basis[i] ^= basis[j];
    }
    char *at = out + sprintf(out, "f2{a:");
    for (int i = 0; i < bits; i++) {
        if (i == cut) at += sprintf(at, "; b:");
        at += sprintf(at, " (%llu)", (unsigned long long)basis[i]);
    }
    sprintf(at, "%s -> o: %d}", cut == bits ? "; b:" : "", 1 << bits);
}

/* Rows of a matrix that end where a guard says, against other rows, or boxes that cross. */
static void draw_pieces(uint64_t *seed, wanted *w)
{
    int rows = (int)test_range(seed, 2, 9), columns = (int)test_range(seed, 2, 40);
    int pitch[2] = {columns + (int)test_range(seed, 0, 8), columns + (int)test_range(seed, 0, 8)};
    if (!test_range(seed, 0, 2)) {
        sprintf(w->text[0], "(%d,%d):(1,%d)", 2 * columns, 3 * rows, 2 * pitch[0]);
        sprintf(w->text[1], "(%d,%d):(1,%d)", 3 * columns, 2 * rows, 3 * pitch[1]);
        return;
    }
    int most = rows > columns ? rows : columns;
    for (int s = 0; s < 2; s++)
        sprintf(w->text[s], "{ [j,i] -> [%di + j] : 0 <= i < %d and 0 <= j < %d and i + j < %d }",
                pitch[s], rows, columns, s ? rows + columns : most);
}

static void test_without_strides(void **state)
{
    uint64_t seed = test_seed("without strides"), named = 0, wide = 0, several = 0;
    for (uint64_t i = 0; i < test_iterations(150); i++) {
        wanted want = draw(&seed);
        zlay_move *move = NULL;
        zlay_move_info info;
        if (test_range(&seed, 0, 1)) draw_pieces(&seed, &want);
        else {
            int bits = (int)test_range(&seed, 5, 10), same = (int)test_range(&seed, 0, 4);
            for (int s = 0; s < 2; s++) draw_matrix(&seed, want.text[s], bits, same);
        }
        zlay_layout *from = read_layout(*state, want.text[0]),
                    *to = read_layout(*state, want.text[1]);
        want.r.source.layout = from;
        want.r.dest.layout = to;
        want.r.path = 0;
        zlay_status status = zlay_copy_synth(*state, &move, target_of(want.target), &want.r);
        if (status) check_refusal(*state, &want, status, to);
        else {
            assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
            named += part_of(move, 0).part.combine == 2;
            several += part_of(move, 0).part.combine == 2 && info.parts > 1;
            wide += info.width > want.r.elem_bits / 8;
            check_move(*state, &want, move, from, to, &seed);
        }
        zlay_move_free(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
    assert_true(named > 20 && wide > 20 && several > 5);
}

/* ---- pitches that are names
 * ---------------------------------------------------------------------- */

enum { FACTS = 8 };

typedef struct names {
    char text[FACTS][64];
    const char *at[FACTS];
    size_t length[FACTS], count;
} names;

static void fact_add(names *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(n->text[n->count], sizeof n->text[0], format, args);
    va_end(args);
    n->at[n->count] = n->text[n->count];
    n->length[n->count] = strlen(n->text[n->count]);
    n->count++;
}

static zlay_facts *facts_of(zlay_ctx *ctx, const names *n)
{
    zlay_facts *facts = NULL;
    assert_int_equal(zlay_facts_parse(ctx, &facts, n->count, n->at, n->length), ZLAY_OK);
    return facts;
}

typedef struct pitched {
    int64_t rows, columns, mod[2], rem[2], value[2]; /* of the pitches ld and N */
    int times;
    zlay_copy_request r;
} pitched;

static pitched draw_pitched(uint64_t *seed)
{
    pitched p = {.rows = test_range(seed, 1, 20),
                 .columns = draw_extent(seed),
                 .times = (int)test_range(seed, 1, 2),
                 .r = {.size = sizeof p.r,
                       .elem_bits = 8u << test_range(seed, 0, 2),
                       .source = {NULL, ZLAY_MOVE_GLOBAL, 0, 64},
                       .dest = {NULL, ZLAY_MOVE_GLOBAL, 0, 64}}};
    for (int i = 0; i < 2; i++) {
        p.mod[i] = (int64_t)1 << test_range(seed, 0, 5);
        p.rem[i] = test_range(seed, 0, 1) ? 0 : test_range(seed, 0, p.mod[i] - 1);
        p.value[i] = (test_range(seed, 64, 200) + p.mod[i]) / p.mod[i] * p.mod[i] + p.rem[i];
    }
    return p;
}

/* The plan in names, carried out at values that the facts allow. */
static void check_values(zlay_ctx *ctx, const pitched *p, const zlay_move *move)
{
    static world w;
    char text[2][128];
    names at = {.count = 0};
    fact_add(&at, "ld = %lld", (long long)p->value[0]);
    fact_add(&at, "N = %lld", (long long)p->value[1]);
    zlay_facts *facts = facts_of(ctx, &at);
    for (int s = 0; s < 2; s++)
        sprintf(text[s], "(%lld,%lld):(1,%lld)", (long long)p->columns, (long long)p->rows,
                (long long)(s ? p->value[1] : p->times * p->value[0]));
    zlay_layout *from = read_layout(ctx, text[0]), *to = read_layout(ctx, text[1]);
    asked q = {target_of("sm_90a"),
               p->r.elem_bits,
               {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_GLOBAL},
               {p->r.source.align * 3, p->r.dest.align * 5},
               {from, to},
               ctx,
               facts};
    memset(&w, CANARY, sizeof w);
    memset(w.writes, 0, sizeof w.writes);
    for (size_t i = 0; i < sizeof w.from; i++) w.from[i] = (uint8_t)(i * 2654435761u >> 16);
    carry_out(&q, move, &w);
    check_world(&w, from, to);
    zlay_layout_free(from);
    zlay_layout_free(to);
    zlay_facts_free(facts);
}

/* With the guard of the variant among the facts its accesses are there. */
static void check_variant(zlay_ctx *ctx, const pitched *p, const names *known, const char *guard,
                          uint32_t width)
{
    char text[512];
    names more = *known;
    zlay_copy_request r = p->r;
    zlay_move *move = NULL;
    zlay_move_widest widest;
    strcpy(text, guard);
    for (size_t i = 0; i < more.count; i++) more.at[i] = more.text[i];
    for (char *at = text; at;) {
        char *next = strstr(at, " && ");
        if (next) *next = 0;
        fact_add(&more, "%s", at);
        at = next ? next + 4 : NULL;
    }
    zlay_facts *facts = NULL;
    zlay_status status = zlay_facts_parse(ctx, &facts, more.count, more.at, more.length);
    if (status == ZLAY_EINVAL) return; /* the facts leave no such value */
    assert_int_equal(status, ZLAY_OK);
    r.facts = facts;
    assert_int_equal(zlay_copy_synth(ctx, &move, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(zlay_move_widest_get(&widest, move), ZLAY_OK);
    assert_int_equal(widest.width, width);
    zlay_move_free(move);
    zlay_facts_free(facts);
}

static void test_pitches_that_are_names(void **state)
{
    uint64_t seed = test_seed("pitches that are names"), variants = 0, wide = 0;
    for (uint64_t i = 0; i < test_iterations(200); i++) {
        pitched p = draw_pitched(&seed);
        char text[2][128], guard[1024];
        names known = {.count = 0};
        zlay_move *move = NULL;
        zlay_move_info info;
        zlay_buf buf = {guard, sizeof guard, 0};
        uint32_t width;
        sprintf(text[0], "(%lld,%lld):(1,%s)", (long long)p.columns, (long long)p.rows,
                p.times > 1 ? "2*ld" : "ld");
        sprintf(text[1], "(%lld,%lld):(1,N)", (long long)p.columns, (long long)p.rows);
        fact_add(&known, "ld = %lld mod %lld", (long long)p.rem[0], (long long)p.mod[0]);
        fact_add(&known, "N = %lld mod %lld", (long long)p.rem[1], (long long)p.mod[1]);
        fact_add(&known, "N >= 64");
        zlay_facts *facts = facts_of(*state, &known);
        zlay_layout *from = read_layout(*state, text[0]), *to = read_layout(*state, text[1]);
        p.r.source.layout = from;
        p.r.dest.layout = to;
        p.r.facts = facts;
        zlay_status status = zlay_copy_synth(*state, &move, target_of("sm_90a"), &p.r);
        if (status) fail_msg("%s -> %s: %s", text[0], text[1], zlay_ctx_message(*state));
        assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
        wide += info.width > p.r.elem_bits / 8;
        check_values(*state, &p, move);
        check_certificates(*state, move);
        if (!zlay_move_wider(&buf, &width, move)) {
            check_variant(*state, &p, &known, guard, width);
            variants++;
        }
        zlay_move_free(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
        zlay_facts_free(facts);
    }
    assert_true(variants > 20 && wide > 20);
}

static void test_names_are_refused(void **state)
{
    static const struct {
        const char *from, *to, *said;
        zlay_status status;
    } rows[] = {
        {"(64,64):(1,ld)", "(64,64):(1,N)", "points share an offset unless N != 0", ZLAY_EINVAL},
        {"(64,M):(1,64)", "(64,64):(1,64)", "extents", ZLAY_ENOTSUP},
        {"[n] -> { [i] -> [i + n] : 0 <= i < 64 }", "64:1", "depends on n", ZLAY_ENOTSUP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_move *move = NULL;
        zlay_layout *from = read_layout(*state, rows[i].from),
                    *to = read_layout(*state, rows[i].to);
        zlay_copy_request r = {.size = sizeof r,
                               .elem_bits = 16,
                               .source = {from, ZLAY_MOVE_GLOBAL, 0, 16},
                               .dest = {to, ZLAY_MOVE_GLOBAL, 0, 16}};
        zlay_status status = zlay_copy_synth(*state, &move, target_of("sm_90a"), &r);
        if (status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].said))
            fail_msg("%s -> %s: %s, %s", rows[i].from, rows[i].to, zlay_status_name(status),
                     zlay_ctx_message(*state));
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
}

/* ---- by hand -----------------------------------------------------------------------------------
 */

typedef struct known {
    const char *target, *from, *to;
    int32_t spaces[2];
    uint32_t bits, threads;
    int32_t path;
    uint32_t parts, width;
    uint64_t instructions, sectors, stored; /* wavefronts of stores; 0: not counted there */
    uint32_t widest;
} known;

enum { G = ZLAY_MOVE_GLOBAL, S = ZLAY_MOVE_SHARED, P = ZLAY_MOVE_PEER };

static void test_known_copies(void **state)
{
    static const known rows[] = {
        /* the example of zlay/move.h: 8 lanes a row of 128 bytes, 4 rows a warp */
        {"sm_80",
         "(64,64):(1,4096)",
         "(64,64):(1,64)",
         {G, S},
         16,
         128,
         ZLAY_PATH_CP_ASYNC,
         1,
         16,
         16,
         256,
         0,
         16},
        {"sm_90a",
         "(64,64):(1,4096)",
         "(64,64):(1,64)",
         {G, S},
         16,
         128,
         ZLAY_PATH_CP_ASYNC,
         1,
         16,
         16,
         256,
         64,
         16},
        /* one run of 8 KiB */
        {"sm_90a", "4096", "4096", {G, S}, 16, 128, ZLAY_PATH_BULK, 1, 8192, 1, 256, 0, 16},
        {"sm_90a", "4096", "4096", {S, G}, 16, 128, ZLAY_PATH_BULK, 1, 8192, 1, 256, 0, 16},
        {"sm_90a", "4096", "4096", {S, P}, 16, 128, ZLAY_PATH_BULK, 1, 8192, 1, 0, 0, 16},
        {"sm_80", "4096", "4096", {S, G}, 16, 128, ZLAY_PATH_THREADS, 1, 16, 32, 256, 0, 16},
        /* the same of elements as long as a granule, and some that lie alone */
        {"sm_90a", "512", "512", {G, S}, 128, 128, ZLAY_PATH_BULK, 1, 8192, 1, 256, 0, 16},
        {"sm_90a", "32:3", "32:3", {G, S}, 128, 32, ZLAY_PATH_CP_ASYNC, 1, 16, 1, 32, 4, 16},
        /* loads of 32 bytes go to global memory alone */
        {"sm_100a", "4096", "4096", {G, G}, 16, 128, ZLAY_PATH_THREADS, 1, 32, 16, 512, 0, 32},
        /* few elements from offset 3: one by one is least */
        {"sm_90a", "3 o 13:1", "3 o 13:1", {G, G}, 16, 32, ZLAY_PATH_THREADS, 1, 2, 2, 2, 0, 16},
        /* more of them: 1, 4 and then 257 times 8; eight warps of 17 sectors and a lane of 1 */
        {"sm_90a",
         "3 o 2061:1",
         "3 o 2061:1",
         {G, G},
         16,
         32,
         ZLAY_PATH_THREADS,
         3,
         16,
         22,
         278,
         0,
         16},
        /* a transpose of floats: a block of 4 x 4 a thread */
        {"sm_90a",
         "(64,64):(1,64)",
         "(64,64):(64,1)",
         {G, G},
         32,
         128,
         ZLAY_PATH_THREADS,
         1,
         16,
         64,
         1024,
         0,
         4},
        /* rows that shift by 2 bytes each, to rows aligned to 16 */
        {"sm_90a",
         "(128,16):(1,129)",
         "(128,16):(1,128)",
         {G, G},
         16,
         128,
         ZLAY_PATH_REALIGN,
         1,
         16,
         24,
         264,
         0,
         2},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const known *k = &rows[i];
        zlay_move *move = NULL;
        zlay_move_info info;
        zlay_move_widest widest;
        zlay_layout *from = read_layout(*state, k->from), *to = read_layout(*state, k->to);
        zlay_copy_request r = {.size = sizeof r,
                               .elem_bits = k->bits,
                               .threads = k->threads,
                               .source = {from, k->spaces[0], 0, 128},
                               .dest = {to, k->spaces[1], 0, 128}};
        zlay_status status = zlay_copy_synth(*state, &move, target_of(k->target), &r);
        if (status) fail_msg("%s -> %s: %s", k->from, k->to, zlay_ctx_message(*state));
        assert_int_equal(zlay_move_get(&info, move), ZLAY_OK);
        assert_int_equal(zlay_move_widest_get(&widest, move), ZLAY_OK);
        assert_int_equal(info.path, k->path);
        assert_int_equal(info.parts, k->parts);
        assert_int_equal(part_of(move, 0).part.width, k->width);
        if (info.instructions != k->instructions)
            fail_msg("%s %s -> %s: %llu instructions", k->target, k->from, k->to,
                     (unsigned long long)info.instructions);
        assert_int_equal(info.sectors, k->sectors);
        if (k->stored) assert_int_equal(info.wavefronts_store, k->stored);
        assert_int_equal(widest.width, k->widest);
        zlay_move_free(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
}

/* ---- what is refused
 * ------------------------------------------------------------------------------ */

typedef struct refused {
    const char *from, *to, *said;
    zlay_copy_request r;
    zlay_status status;
} refused;

#define SIDES(a, b) .source = {NULL, a, 0, 16}, .dest = {NULL, b, 0, 16}

static void test_refused(void **state)
{
    static const refused rows[] = {
        {"8:1",
         "8:0",
         "dest.layout: points 0 and 1 have one offset, 0",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EINVAL},
        {"(4,4):(1,4)",
         "(4,4):(1,3)",
         "dest.layout: points 3 and 4 have one offset, 3",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1",
         "9:1",
         "dest.layout: has 9 points, the source 8",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1",
         "-1 o 8:1",
         "dest.layout: offset -1 is below 0",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EINVAL},
        {"(65536,2):(1,65536)",
         "(65536,2):(1,65536)",
         "SMEM_BLOCK: dest.layout ends at byte 262144",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_NONE},
        {"8:1",
         "8:1",
         "source.align: 2 is no multiple of an element's 4 bytes",
         {.elem_bits = 32, .source = {NULL, G, 0, 2}, .dest = {NULL, S, 0, 16}},
         ZLAY_EINVAL},
        {"8:1", "8:1", "elem_bits: 24", {.elem_bits = 24, SIDES(G, S)}, ZLAY_EINVAL},
        {"8:1", "8:1", "elem_bits: 0", {SIDES(G, S)}, ZLAY_EINVAL},
        {"8:1", "8:1", "dest.space: 9", {.elem_bits = 16, SIDES(G, 9)}, ZLAY_EINVAL},
        {"8:1",
         "8:1",
         "threads: 1025",
         {.elem_bits = 16, .threads = 1025, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1", "8:1", "path: 1", {.elem_bits = 16, .path = 1, SIDES(G, S)}, ZLAY_EINVAL},
        {"8:1", "8:1", "path: 7", {.elem_bits = 16, .path = 7, SIDES(G, S)}, ZLAY_EINVAL},
        {"8:1",
         "8:1",
         "registers: 4 with no side",
         {.elem_bits = 16, .registers = 4, SIDES(G, S)},
         ZLAY_EINVAL},
        {"8:1",
         "8:1",
         "registers: 0 with a side",
         {.elem_bits = 16, SIDES(S, ZLAY_MOVE_REGISTER)},
         ZLAY_EINVAL},
        {"8:1",
         "8:2",
         "the fragments are not dense",
         {.elem_bits = 16, .registers = 4, SIDES(S, ZLAY_MOVE_REGISTER)},
         ZLAY_ENOTSUP},
        {"8:2",
         "8:1",
         "no access of this path",
         {.elem_bits = 16, .path = ZLAY_PATH_BULK, SIDES(G, S)},
         ZLAY_NONE},
        {"3:1", "3:1", "no access moves 4-bit", {.elem_bits = 4, SIDES(G, S)}, ZLAY_NONE},
        {"8:1", "8:1", "reserved", {.elem_bits = 16, SIDES(G, S), .reserved = {0, 1}}, ZLAY_EINVAL},
        {"8:4611686018427387904",
         "8:1",
         "source.layout",
         {.elem_bits = 16, SIDES(G, S)},
         ZLAY_EOVERFLOW},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_copy_request r = rows[i].r;
        zlay_move *move = (zlay_move *)&r;
        zlay_layout *from = NULL, *to = read_layout(*state, rows[i].to);
        r.size = sizeof r;
        if (zlay_layout_parse(*state, &from, rows[i].from, strlen(rows[i].from))) {
            zlay_layout_free(to);
            continue;
        }
        r.source.layout = from;
        r.dest.layout = to;
        zlay_status status = zlay_copy_synth(*state, &move, target_of("sm_90a"), &r);
        if (status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].said))
            fail_msg("%s -> %s: %s, %s", rows[i].from, rows[i].to, zlay_status_name(status),
                     zlay_ctx_message(*state));
        assert_null(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
}

static void test_bad_calls(void **state)
{
    zlay_move *move = NULL;
    zlay_move_info info;
    zlay_layout *layout = read_layout(*state, "64:1");
    zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, SIDES(G, S)};
    const zlay_target *target = target_of("sm_90a");
    assert_int_equal(zlay_copy_synth(*state, &move, target, &r), ZLAY_EINVAL);
    r.source.layout = r.dest.layout = layout;
    assert_int_equal(zlay_copy_synth(*state, NULL, target, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_synth(*state, &move, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_synth(*state, &move, target, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_copy_synth(NULL, &move, target, &r), ZLAY_EINVAL);
    r.size++;
    assert_int_equal(zlay_copy_synth(*state, &move, target, &r), ZLAY_EINVAL);
    r.size = (uint32_t)offsetof(zlay_copy_request, source);
    assert_int_equal(zlay_copy_synth(*state, &move, target, &r), ZLAY_EINVAL); /* no sides */
    assert_null(move);
    assert_int_equal(zlay_move_get(&info, NULL), ZLAY_EINVAL);
    zlay_move_free(NULL);
    zlay_layout_free(layout);
}

/* ---- memory
 * ------------------------------------------------------------------------------------------ */

static zlay_status fail_at(heap *h, size_t k, const char *from_text, const char *to_text,
                           zlay_copy_request r)
{
    zlay_allocator hooks = {h, heap_take, heap_give};
    zlay_ctx *ctx = NULL;
    zlay_move *move = NULL;
    assert_int_equal(zlay_ctx_new(&ctx, &hooks, NULL), ZLAY_OK);
    zlay_layout *from = read_layout(ctx, from_text), *to = read_layout(ctx, to_text);
    r.source.layout = from;
    r.dest.layout = to;
    h->calls = 0;
    h->fails_at = k;
    zlay_status status = zlay_copy_synth(ctx, &move, target_of("sm_90a"), &r);
    h->fails_at = 0;
    assert_true(status == ZLAY_OK || status == ZLAY_ENOMEM);
    assert_true(!status == !!move);
    zlay_move_free(move);
    zlay_layout_free(from);
    zlay_layout_free(to);
    zlay_ctx_free(ctx);
    assert_int_equal(h->live, 0);
    return status;
}

static void test_each_allocation_fails_once(void **unused)
{
    (void)unused;
    static const struct {
        const char *from, *to;
        zlay_copy_request r;
    } rows[] = {
        {"(60,9):(1,129)", "(60,9):(1,128)", {.elem_bits = 16, SIDES(G, S)}},
        {"(64,9):(1,ld)", "(64,9):(1,64)", {.elem_bits = 16, SIDES(G, S)}},
        {"{ [j,i] -> [9i + j] : 0 <= i < 5 and 0 <= j < 8 and i + j < 10 }",
         "(8,5):(1,8)",
         {.elem_bits = 32, SIDES(G, S)}},
        {"((8,2),(2,4,2)):((64,512),(1,2,8))",
         "((8,2),(2,4,2)):((32,2),(1,8,4))",
         {.elem_bits = 16, .registers = 8, SIDES(S, ZLAY_MOVE_REGISTER)}},
    };
    heap h = {.live = 0};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_copy_request r = rows[i].r;
        size_t k = 1;
        r.size = sizeof r;
        while (fail_at(&h, k, rows[i].from, rows[i].to, r)) assert_true(++k < 2000);
        assert_true(k > 5);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_random_copies, begin, end),
        cmocka_unit_test_setup_teardown(test_without_strides, begin, end),
        cmocka_unit_test_setup_teardown(test_pitches_that_are_names, begin, end),
        cmocka_unit_test_setup_teardown(test_names_are_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_known_copies, begin, end),
        cmocka_unit_test_setup_teardown(test_refused, begin, end),
        cmocka_unit_test_setup_teardown(test_bad_calls, begin, end),
        cmocka_unit_test(test_each_allocation_fails_once),
    };
    return cmocka_run_group_tests_name("copy-synth", tests, NULL, NULL);
}
