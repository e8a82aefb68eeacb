/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of cluster.multicast and cluster.exchange.
 *
 * Tiles of tensor maps of any rank, type, swizzle, interleave and step, for up to 16 blocks and any mask, legal or not: the copies of a plan
 * are played for every block in the CPU model, whose memory has to be what one copy of the whole tile leaves; NONE is answered where the map
 * or that copy breaks a rule; and every other division of the box into equal boxes, along any dimension, whose copies are legal and leave
 * the same memory, has no more slices.
 *
 * Exchanges of layouts of slots with any inputs and two outputs: each slot is served with its element, from its own block where that has
 * it; what has to cross is counted element by element; NONE where an element that is wanted is nowhere. */
#include "ctx.h"

#include <zlay/f2.h>

#include <stdbool.h>
#include <stdlib.h>

enum { CASES = 10000, SMEM = 16 << 10, TILE = 4 << 10, BLOCKS = 16, PATTERN = 0x5a, GLOBAL = 1 << 20 };

/* ---- tiles ------------------------------------------------------------------------------------------------------------------- */

typedef struct world {
    zlay_sim_smem smem[BLOCKS], whole, trial;
    zlay_sim_global global;
} world;

static world w;

static void smem_new(zlay_sim_smem *s)
{
    *s = (zlay_sim_smem){malloc(SMEM), SMEM, 0};
    assert_non_null(s->bytes);
}

static void world_new(uint64_t *seed)
{
    for (int i = 0; i < BLOCKS; i++) smem_new(&w.smem[i]);
    smem_new(&w.whole);
    smem_new(&w.trial);
    w.global.size = GLOBAL;
    w.global.bytes = malloc(GLOBAL);
    assert_non_null(w.global.bytes);
    for (uint64_t i = 0; i < GLOBAL; i++) w.global.bytes[i] = (uint8_t)(test_random(seed) | 1);
}

static void world_free(void)
{
    for (int i = 0; i < BLOCKS; i++) free(w.smem[i].bytes);
    free(w.whole.bytes);
    free(w.trial.bytes);
    free(w.global.bytes);
}

/* The innermost step counts only where the map is interleaved. */
static uint32_t step_of(const zlay_tensormap *map, uint32_t d) { return d || map->interleave ? map->step[d] : 1; }

/* Elements that a box has of a dimension. */
static uint32_t elements(const zlay_tensormap *map, uint32_t d)
{
    return (map->box[d] + step_of(map, d) - 1) / step_of(map, d);
}

static void draw_box(uint64_t *s, zlay_tensormap *map, uint32_t bytes)
{
    uint32_t span = map->swizzle ? 16u << map->swizzle : 256, total;
    do {
        uint32_t row = test_range(s, 0, 15) ? 16 * (uint32_t)test_range(s, 1, span / 16) : (uint32_t)test_range(s, 1, span);
        map->box[0] = row / bytes ? row / bytes : 1;
        if (map->interleave) map->box[0] = (uint32_t)test_range(s, 1, 12);
        total = map->swizzle && !map->interleave ? span : map->box[0] * bytes * (map->interleave ? 16 : 1);
        for (uint32_t d = 1; d < map->rank; d++) {
            map->step[d] = test_range(s, 0, 3) ? 1 : (uint32_t)test_range(s, 1, 4);
            map->box[d] = (uint32_t)test_range(s, 1, test_range(s, 0, 1) ? 4 : 12);
            total *= elements(map, d);
        }
    } while (total > TILE);
}

static zlay_multicast_request draw_tile(uint64_t *s, zlay_tensormap *map)
{
    static const int32_t types[] = {ZLAY_TYPE_U8, ZLAY_TYPE_BF16, ZLAY_TYPE_F32, ZLAY_TYPE_F64};
    int kind = (int)test_range(s, 0, 3);
    uint32_t bytes = 1u << kind;
    *map = (zlay_tensormap){.type = types[kind], .address = 1 << 20, .rank = (uint32_t)test_range(s, 1, 5)};
    map->step[0] = test_range(s, 0, 7) ? 1 : (uint32_t)test_range(s, 1, 3);
    map->swizzle = (int32_t)test_range(s, 0, 3);
    if (!test_range(s, 0, 5)) {
        map->interleave = (int32_t)test_range(s, 1, 2);
        map->swizzle = map->interleave == 2 ? ZLAY_SWIZZLE_32B : ZLAY_SWIZZLE_NONE;
        map->rank = (uint32_t)test_range(s, 3, 5);
    }
    draw_box(s, map, bytes);
    if (map->interleave && test_range(s, 0, 3)) map->box[map->rank - 2] = 1;
    uint64_t at = bytes;
    for (uint32_t d = 0; d < map->rank; d++) {
        map->extent[d] = (uint64_t)test_range(s, 1, d ? 6 : 2 * map->box[0]);
        at = (at * map->extent[d] + 15) / 16 * 16 + 16 * (uint64_t)test_range(s, 0, 2);
        if (map->interleave == 2) at = (at + 31) / 32 * 32;
        if (map->interleave && !d) at = map->extent[0] * 16 * (uint64_t)map->interleave;
        if (d + 1 < map->rank) map->stride[d] = at + (test_range(s, 0, 63) ? 0 : 8);
    }
    zlay_multicast_request r = {.size = sizeof r, .cluster = (uint32_t)test_range(s, 1, test_range(s, 0, 3) ? 8 : BLOCKS), .map = map, .barrier = 8};
    r.smem = 1024 * (uint32_t)test_range(s, 1, 3) + (test_range(s, 0, 7) ? 0 : 64 * (uint32_t)test_range(s, 0, 16));
    r.cta_mask = (1u << r.cluster) - 1;
    if (test_range(s, 0, 1)) r.cta_mask = (uint32_t)test_range(s, 1, (1 << r.cluster) - (test_range(s, 0, 31) ? 1 : -3));
    for (uint32_t d = 0; d < map->rank; d++) r.coordinate[d] = (int32_t)test_range(s, -4, (int64_t)map->extent[d] + 1);
    if (test_range(s, 0, 7) && !map->interleave) r.coordinate[0] = r.coordinate[0] / (int32_t)(16 / bytes) * (int32_t)(16 / bytes);
    return r;
}

/* ---- divisions ----------------------------------------------------------------------------------------------------------------- */

/* `parts` boxes of a dimension, and one box a coordinate of each later one. */
typedef struct division {
    zlay_tensormap map;
    uint32_t dim, parts, slices, bytes, count; /* bytes of shared memory and of the barrier, of a slice */
} division;

/* Of an interleaved box the last dimension but one is no dimension of shared memory. */
static uint32_t rows(const zlay_tensormap *map, uint32_t d) { return map->interleave && d + 2 == map->rank ? 1 : elements(map, d); }

static division divide(const zlay_tensormap *map, uint32_t dim, uint32_t parts)
{
    division v = {*map, dim, parts, parts, 0, 0};
    if (parts > 1) v.map.box[dim] = (elements(map, dim) / parts - 1) * step_of(map, dim) + 1;
    for (uint32_t d = dim + 1; d < map->rank; d++) {
        v.slices *= rows(map, d);
        if (rows(map, d) > 1) v.map.box[d] = 1;
    }
    return v;
}

static zlay_issue issue_of(const zlay_multicast_request *r, const division *v, uint32_t i)
{
    zlay_issue out = {.kind = ZLAY_COPY_TENSOR_LOAD, .space = ZLAY_SPACE_CLUSTER, .rank = r->map->rank, .smem = r->smem + (uint64_t)i * v->bytes,
                      .barrier = r->barrier, .expect = v->count, .cta_mask = r->cta_mask, .cluster = r->cluster,
                      .given = ZLAY_GIVEN_BARRIER | ZLAY_GIVEN_EXPECT | ZLAY_GIVEN_MULTICAST | ZLAY_GIVEN_CLUSTER | ZLAY_GIVEN_CTA | ZLAY_GIVEN_CTA_MASK};
    uint32_t mask = r->cta_mask, left = i;
    for (uint32_t k = 0; k < i && mask; k++) mask &= mask - 1;
    out.cta = mask ? (uint32_t)__builtin_ctz(mask) : 0;
    memcpy(out.coordinate, r->coordinate, sizeof out.coordinate);
    for (uint32_t d = v->dim; d < r->map->rank; d++) {
        uint32_t parts = d == v->dim ? v->parts : rows(r->map, d), step = step_of(r->map, d);
        uint32_t each = d == v->dim ? elements(r->map, d) / v->parts : 1;
        out.coordinate[d] += (int32_t)(left % parts * each * step);
        left /= parts;
    }
    return out;
}

static bool map_legal(const zlay_tensormap *map)
{
    zlay_verdict verdict;
    zlay_reason reason;
    assert_int_equal(zlay_tensormap_check(&verdict, &reason, 1, target_of("sm_90a"), map), ZLAY_OK);
    return verdict.answer == ZLAY_YES;
}

static bool copies_legal(const zlay_multicast_request *r, const division *v)
{
    zlay_verdict verdict;
    zlay_reason reason;
    for (uint32_t i = 0; i < v->slices; i++) {
        zlay_issue issue = issue_of(r, v, i);
        if (zlay_copy_check(&verdict, &reason, 1, target_of("sm_90a"), &issue, &v->map) || verdict.answer != ZLAY_YES) return false;
    }
    return true;
}

/* One copy of a box, and what it counts; false: it faults. */
static bool load(zlay_sim_smem *to, uint32_t at, const zlay_tensormap *map, const int32_t *coordinate, uint32_t *bytes)
{
    int32_t fault = 0;
    return !zlay_sim_tensor_load(&fault, bytes, to, &w.global, &(zlay_sim_copy){.map = map, .coordinate = coordinate, .address = at}) && !fault;
}

/* Bytes of shared memory that a box takes, by a copy into memory of a pattern that no global byte has: the last that changed. */
static uint32_t taken(const zlay_sim_smem *s, uint32_t from)
{
    uint32_t end = SMEM;
    while (end > from && s->bytes[end - 1] == PATTERN) end--;
    return end - from;
}

/* Whether copies of a division leave what one copy of the whole leaves. */
static bool leaves_the_same(const zlay_multicast_request *r, const division *v)
{
    memset(w.trial.bytes, PATTERN, SMEM);
    for (uint32_t i = 0; i < v->slices; i++) {
        zlay_issue issue = issue_of(r, v, i);
        uint32_t bytes = 0;
        if (!load(&w.trial, (uint32_t)issue.smem, &v->map, issue.coordinate, &bytes)) return false;
    }
    return !memcmp(w.trial.bytes, w.whole.bytes, SMEM);
}

/* Divisions with more slices than `slices`. */
static void none_has_more(const zlay_multicast_request *r, const zlay_multicast *m, uint32_t whole)
{
    uint32_t blocks = (uint32_t)__builtin_popcount(r->cta_mask);
    for (uint32_t dim = 0; dim < r->map->rank; dim++)
        for (uint32_t parts = 1; parts <= elements(r->map, dim); parts++) {
            if (elements(r->map, dim) % parts) continue;
            division v = divide(r->map, dim, parts);
            if (v.slices > blocks || v.slices <= m->slices || whole % v.slices || m->expect % v.slices || !map_legal(&v.map)) continue;
            v.bytes = whole / v.slices;
            v.count = m->expect / v.slices;
            if (copies_legal(r, &v) && leaves_the_same(r, &v))
                fail_msg("%u slices, and dimension %u in %u parts gives %u: box %u %u %u %u %u, steps %u %u %u %u %u, swizzle %d, interleave %d, rank %u, mask %x",
                         m->slices, dim, parts, v.slices, r->map->box[0], r->map->box[1], r->map->box[2], r->map->box[3], r->map->box[4], r->map->step[0],
                         r->map->step[1], r->map->step[2], r->map->step[3], r->map->step[4], (int)r->map->swizzle, (int)r->map->interleave, r->map->rank, r->cta_mask);
        }
}

/* Every block of the mask holds the tile, the others nothing. */
static void check_blocks(const zlay_multicast_request *r, const zlay_multicast *m)
{
    zlay_issue issue;
    uint32_t all = 0, issuers = 0;
    for (uint32_t i = 0; i < r->cluster; i++) memset(w.smem[i].bytes, PATTERN, SMEM);
    for (uint32_t i = 0; !zlay_multicast_issue(&issue, m, i); i++) {
        int32_t fault = 0;
        uint32_t bytes = 0;
        assert_true(r->cta_mask >> issue.cta & 1 && !(issuers >> issue.cta & 1));
        issuers |= 1u << issue.cta;
        assert_int_equal(zlay_sim_tensor_multicast(&fault, &bytes, w.smem, r->cluster, (uint32_t)issue.cta_mask, &w.global, &(zlay_sim_copy){.map = &m->map, .coordinate = issue.coordinate, .address = (uint32_t)issue.smem}), ZLAY_OK);
        if (fault || bytes != m->slice_count) fail_msg("slice %u: fault %d, %u bytes of %u", i, fault, bytes, m->slice_count);
        all += bytes;
    }
    assert_int_equal(all, m->expect);
    for (uint32_t i = 0; i < r->cluster; i++)
        for (uint32_t at = 0; at < SMEM; at++)
            if (w.smem[i].bytes[at] != (r->cta_mask >> i & 1 ? w.whole.bytes[at] : PATTERN))
                fail_msg("block %u, byte %u, %u slices of dimension %u", i, at, m->slices, m->dim);
}

typedef struct tally { uint64_t plans, divided, none; } tally;

static void check_tile(zlay_ctx *ctx, uint64_t *seed, tally *t)
{
    zlay_tensormap map;
    zlay_multicast m;
    zlay_multicast_request r = draw_tile(seed, &map);
    division whole = divide(&map, map.rank - 1, 1);
    bool legal = map_legal(&map);
    if (legal) {
        memset(w.whole.bytes, PATTERN, SMEM);
        legal = load(&w.whole, r.smem, &map, r.coordinate, &whole.count);
        whole.bytes = taken(&w.whole, r.smem);
        legal = legal && copies_legal(&r, &whole);
    }
    zlay_status status = zlay_multicast_synth(ctx, &m, target_of("sm_90a"), &r);
    if (status != (legal ? ZLAY_OK : ZLAY_NONE)) fail_msg("multicast: %d %s; legal: %d", status, zlay_ctx_message(ctx), legal);
    t->none += !legal;
    if (!legal) return;
    check_blocks(&r, &m);
    none_has_more(&r, &m, whole.bytes);
    t->plans++;
    t->divided += m.slices > 1;
}

static void multicast(void **state)
{
    uint64_t seed = test_seed("refute-multicast"), count = test_cases(CASES), own = seed;
    tally t = {0};
    world_new(&own);
    for (uint64_t n = 0; n < count; n++) {
        own = test_case(seed, n);
        check_tile(*state, &own, &t);
    }
    world_free();
    printf("%llu tiles: %llu plans, %llu of them of several slices, %llu are none; none refuted\n", (unsigned long long)count,
           (unsigned long long)t.plans, (unsigned long long)t.divided, (unsigned long long)t.none);
    assert_true(t.divided > count / 8 && t.none > count / 20);
}

/* ---- exchanges -------------------------------------------------------------------------------------------------------------------- */

enum { INS = 4, SLOT_BITS = 10, ELEMENTS = 1 << 8 };

/* Slots of named inputs, in any order, to a tensor of two outputs. */
typedef struct slots {
    int ins, block;               /* block: which input */
    uint32_t in_bits[INS], bits, out_bits[2];
    uint64_t basis[SLOT_BITS + 4][2];
    char text[1024];
} slots;

static void draw_slots(uint64_t *s, slots *x, uint32_t block_bits, const uint32_t out_bits[2])
{
    static const char *const names[] = {"register", "lane", "warp"};
    *x = (slots){.ins = (int)test_range(s, 1, INS)};
    x->block = (int)test_range(s, 0, x->ins - 1);
    memcpy(x->out_bits, out_bits, sizeof x->out_bits);
    char *p = x->text + sprintf(x->text, "f2{");
    bool ones = test_range(s, 0, 1);
    for (int i = 0, name = 0; i < x->ins; i++) {
        x->in_bits[i] = i == x->block ? block_bits : (uint32_t)test_range(s, 0, 3);
        p += sprintf(p, "%s%s:", i ? "; " : "", i == x->block ? "block" : names[name]);
        name += i != x->block;
        for (uint32_t b = 0; b < x->in_bits[i]; b++, x->bits++) {
            uint64_t value = test_range(s, 0, 6) ? test_random(s) : 0;
            if (ones) value = (uint64_t)1 << test_range(s, 0, out_bits[0] + out_bits[1]);
            for (int d = 0; d < 2; d++, value >>= out_bits[0]) x->basis[x->bits][d] = value & ((1u << out_bits[d]) - 1);
            p += sprintf(p, " (%u,%u)", (unsigned)x->basis[x->bits][0], (unsigned)x->basis[x->bits][1]);
        }
    }
    sprintf(p, " -> row: %u, column: %u}", 1u << out_bits[0], 1u << out_bits[1]);
}

static uint32_t element_of(const slots *x, uint32_t slot)
{
    uint64_t v[2] = {0, 0};
    for (uint32_t k = 0; k < x->bits; k++)
        for (int d = 0; d < 2; d++) v[d] ^= slot >> k & 1 ? x->basis[k][d] : 0;
    return (uint32_t)(v[0] | v[1] << x->out_bits[0]);
}

static uint32_t block_of(const slots *x, uint32_t slot)
{
    for (int i = 0; i < x->block; i++) slot >>= x->in_bits[i];
    return slot & ((1u << x->in_bits[x->block]) - 1);
}

/* The slot of source that serves one of dest, from the route's outputs, which have the names of source's inputs. */
static uint32_t served_from(const zlay_layout *route, const zlay_layout *source, const slots *x, uint32_t slot)
{
    int64_t v[INS];
    uint32_t from = 0, low = 0, found = 0;
    zlay_dim in, out;
    assert_int_equal(zlay_layout_eval(v, INS, route, slot), ZLAY_OK);
    for (int i = 0; i < x->ins; i++) {
        assert_int_equal(zlay_f2_in_nth(&in, source, (size_t)i), ZLAY_OK);
        for (size_t k = 0; k < zlay_layout_out_count(route); k++) {
            assert_int_equal(zlay_f2_out_nth(&out, route, k), ZLAY_OK);
            if (!strcmp(in.name, out.name)) from |= (uint32_t)v[k] << low, found++;
        }
        low += x->in_bits[i];
    }
    assert_int_equal(found, x->ins);
    return from;
}

static void check_route(const zlay_exchange *x, const zlay_layout *a, const slots *source, const slots *dest, const uint32_t *held, const uint32_t *want)
{
    static uint32_t from[ELEMENTS][BLOCKS];
    zlay_exchange_summary info;
    uint64_t wanted = 0, crossing = 0, taken_over = 0;
    uint32_t partners = 1;
    memset(from, 0, sizeof from);
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        wanted += (uint64_t)__builtin_popcount(want[e]);
        crossing += (uint64_t)__builtin_popcount(want[e] & ~held[e]);
    }
    for (uint32_t i = 0; i < 1u << dest->bits; i++) {
        uint32_t slot = served_from(zlay_exchange_route(x), a, source, i), e = element_of(dest, i), b = block_of(dest, i), other = block_of(source, slot);
        if (slot >> source->bits || element_of(source, slot) != e) fail_msg("slot %u is served with another element\n%s\n%s", i, source->text, dest->text);
        if (from[e][b] && from[e][b] != slot + 1) fail_msg("element %u goes to block %u twice\n%s\n%s", e, b, source->text, dest->text);
        if (!from[e][b] && other != b) taken_over++;
        from[e][b] = slot + 1;
        partners |= 1u << (other ^ b);
    }
    assert_int_equal(zlay_exchange_info(&info, x), ZLAY_OK);
    if (taken_over != crossing || info.crossing != crossing || info.wanted != wanted || info.partners != partners)
        fail_msg("%llu cross, %llu are said to and %llu have to; %llu wanted of %llu, partners %x of %x\n%s\n%s", (unsigned long long)taken_over,
                 (unsigned long long)info.crossing, (unsigned long long)crossing, (unsigned long long)info.wanted, (unsigned long long)wanted, info.partners,
                 partners, source->text, dest->text);
}

/* Whether some element is wanted that nobody holds. */
static bool tell(const slots *x, uint32_t *blocks)
{
    memset(blocks, 0, ELEMENTS * sizeof *blocks);
    for (uint32_t i = 0; i < 1u << x->bits; i++) blocks[element_of(x, i)] |= 1u << block_of(x, i);
    return true;
}

static void check_exchange(zlay_ctx *ctx, uint64_t *seed, tally *t)
{
    static slots source, dest;
    static uint32_t held[ELEMENTS], want[ELEMENTS];
    uint32_t block_bits = (uint32_t)test_range(seed, 0, 4), out_bits[2] = {(uint32_t)test_range(seed, 0, 4), (uint32_t)test_range(seed, 0, 4)};
    draw_slots(seed, &source, block_bits, out_bits);
    draw_slots(seed, &dest, block_bits, out_bits);
    zlay_layout *a = read_layout(ctx, source.text), *b = read_layout(ctx, dest.text);
    zlay_exchange *x = NULL;
    bool there = tell(&source, held) && tell(&dest, want);
    for (uint32_t e = 0; e < ELEMENTS; e++) there = there && (!want[e] || held[e]);
    zlay_status status = zlay_exchange_synth(ctx, &x, a, b);
    if (status != (there ? ZLAY_OK : ZLAY_NONE)) fail_msg("exchange: %d %s; there: %d\n%s\n%s", status, zlay_ctx_message(ctx), there, source.text, dest.text);
    if (there) {
        zlay_exchange_summary info;
        check_route(x, a, &source, &dest, held, want);
        assert_int_equal(zlay_exchange_info(&info, x), ZLAY_OK);
        t->divided += info.crossing > 0;
    }
    t->plans += there;
    t->none += !there;
    zlay_exchange_free(x);
    zlay_layout_free(a);
    zlay_layout_free(b);
}

static void exchange(void **state)
{
    uint64_t seed = test_seed("refute-exchange"), count = test_cases(CASES);
    tally t = {0};
    for (uint64_t n = 0; n < count; n++) {
        uint64_t own = test_case(seed, n);
        check_exchange(*state, &own, &t);
    }
    printf("%llu exchanges: %llu plans, %llu of them cross blocks, %llu are none; none refuted\n", (unsigned long long)count,
           (unsigned long long)t.plans, (unsigned long long)t.divided, (unsigned long long)t.none);
    assert_true(t.divided > count / 50 && t.none > count / 10 && t.plans > count / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(multicast), cmocka_unit_test(exchange)};
    return cmocka_run_group_tests(tests, begin, end);
}
