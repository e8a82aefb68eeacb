/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of any size: the families tried again one by one, bad requests, memory. */
#include "heap.h"
#include "plans/swizzle_request.h"

#include <stdbool.h>

/* ---- the families once more --------------------------------------------------------------- */

/* How an element lies in rows, as families.def says it. */
typedef struct member {
    int family; /* 0 pad, 1 skew, 2 XOR */
    unsigned mode;
    bool joined;
    int64_t cut, grain, pitch, step, bits, shift;
} member;

static int64_t place(const asked *a, const member *m, int64_t index)
{
    int64_t coordinate[8], at = 0, row = 0, weight = 1;
    for (unsigned i = 0; i < a->request.rank; i++) {
        coordinate[i] = index % (int64_t)a->shape[i];
        index /= (int64_t)a->shape[i];
    }
    for (unsigned i = 0; i < a->request.rank; i++) {
        if (i == m->mode) continue;
        row += weight * coordinate[i];
        weight *= (int64_t)a->shape[i];
    }
    at = coordinate[m->mode];
    if (m->joined) at += row * (int64_t)a->shape[m->mode], row = 0, weight = 1;
    row += at / m->cut * weight;
    at %= m->cut;
    int64_t chunk = at / m->grain, rest = at % m->grain;
    if (m->family == 1) at = (chunk + m->step * row) % (m->cut / m->grain) * m->grain + rest;
    if (m->family == 2) at = (chunk ^ ((row >> m->shift) & ((1 << m->bits) - 1))) * m->grain + rest;
    return row * m->pitch + at;
}

/* -1: a vector is torn or misaligned. */
static int64_t cost_of(const asked *a, const member *m)
{
    int64_t sum = 0;
    for (unsigned i = 0; i < a->request.count; i++) {
        zlay_bank_access x;
        assert_int_equal(zlay_bank_info(&x, a->target, a->access[i].access), ZLAY_OK);
        uint64_t elements = x.bytes * 8 / a->request.elem_bits, size = zlay_layout_size(a->layout[i]);
        for (uint64_t first = 0; first < size; first += x.rows * elements) {
            uint32_t addresses[ZLAY_BANK_LANES];
            zlay_bank bank;
            for (uint32_t l = 0; l < x.lanes; l++) {
                int64_t index, at = 0;
                addresses[l] = ZLAY_BANK_INACTIVE;
                for (uint64_t e = 0; l < x.rows && e < elements; e++) {
                    if (zlay_layout_eval(&index, 1, a->layout[i], first + l + x.rows * e)) continue;
                    if (!e) at = place(a, m, index);
                    if (place(a, m, index) != at + (int64_t)e || at * a->request.elem_bits / 8 % x.align) return -1;
                    addresses[l] = (uint32_t)(at * a->request.elem_bits / 8);
                }
            }
            assert_int_equal(zlay_bank_conflicts(&bank, a->target, a->access[i].access, addresses, x.lanes), ZLAY_OK);
            sum += bank.wavefronts;
        }
    }
    return sum;
}

static int64_t size_of(const asked *a, const member *m)
{
    int64_t size = 0, points = 1;
    for (unsigned i = 0; i < a->request.rank; i++) points *= (int64_t)a->shape[i];
    for (int64_t i = 0; i < points; i++)
        if (place(a, m, i) >= size) size = place(a, m, i) + 1;
    return size;
}

typedef struct best {
    int64_t wavefronts, size;
} best;

static void consider(best *b, const asked *a, const member *m)
{
    int64_t cost = cost_of(a, m);
    if (cost < 0 || (b->wavefronts >= 0 && cost > b->wavefronts)) return;
    int64_t size = size_of(a, m);
    if (b->wavefronts < 0 || cost < b->wavefronts || size < b->size) *b = (best){cost, size};
}

/* All that families.def names: chunks hold the widest vector, of `align` elements. */
static best by_hand(const asked *a, int64_t align, int64_t period)
{
    best b = {-1, 0};
    int64_t points = 1;
    for (unsigned i = 0; i < a->request.rank; i++) points *= (int64_t)a->shape[i];
    for (unsigned i = 0; i < 2 * a->request.rank; i++) {
        unsigned mode = i / 2;
        int64_t length = i % 2 ? points : (int64_t)a->shape[mode];
        for (int64_t cut = length, power = 1; cut; cut = power < length && power <= period ? power : 0) {
            power *= 2;
            member m = {.mode = mode, .joined = i % 2, .cut = cut, .grain = 1};
            if (cut == points) {
                consider(&b, a, &m);
                continue;
            }
            int64_t least = (cut + align - 1) / align * align;
            for (m.pitch = least; m.pitch < least + period; m.pitch += align) consider(&b, a, &m);
            m.pitch = least;
            for (m.grain = align; m.grain * a->request.elem_bits <= 128; m.grain *= 2) {
                if (cut % m.grain) continue;
                m.family = 1;
                for (m.step = 1; m.step < cut / m.grain && m.step <= 64; m.step++) consider(&b, a, &m);
                m.family = 2;
                for (m.bits = 1; m.bits <= 5 && cut / m.grain % (1 << m.bits) == 0; m.bits++)
                    for (m.shift = 0; m.shift <= 5; m.shift++) consider(&b, a, &m);
            }
        }
    }
    return b;
}

static void put_strided(asked *a, const char *access, unsigned lanes, int64_t lane, unsigned elements, int64_t element)
{
    char text[128];
    snprintf(text, sizeof text, "(%u,%u):(%lld,%lld)", lanes, elements, (long long)lane, (long long)element);
    asked_put(a, access, text);
}

/* Lanes along one mode and vectors along the other, or along the same. */
static void draw(uint64_t *seed, asked *a, unsigned vector)
{
    static const char *const names[3][2] = {{"ld.shared.b32", "st.shared.b32"}, {"ld.shared.v2.b32", "st.shared.v2.b32"}, {"ld.shared.v4.b32", "st.shared.v4.b32"}};
    unsigned elements = (1u << vector) * 32 / a->request.elem_bits;
    int64_t row = (int64_t)a->shape[0];
    const char *name = names[vector][test_range(seed, 0, 1)];
    switch (test_range(seed, 0, 2)) {
    case 0: put_strided(a, name, 32, row, elements, 1); break;
    case 1: put_strided(a, name, 32, elements, elements, 1); break;
    default: put_strided(a, name, 32, elements * test_range(seed, 1, row / elements), elements, 1);
    }
}

static void as_by_hand(void **state)
{
    static const uint64_t extents[] = {80, 96, 112, 48, 100, 36};
    uint64_t seed = test_seed("synth/swizzle/family"), worse = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t n = 0; n < test_iterations(40); n++) {
        uint32_t bits = test_range(&seed, 0, 1) ? 32 : 16;
        asked a = asked_begin(ctx, "sm_90", bits, 2, (uint64_t[]){extents[test_range(&seed, 0, 5)], 33 + (uint64_t)test_range(&seed, 0, 7)});
        unsigned vector = (unsigned)test_range(&seed, 0, 2), count = (unsigned)test_range(&seed, 1, 3);
        for (unsigned i = 0; i < count; i++) draw(&seed, &a, vector);
        best b = by_hand(&a, (int64_t)(32u << vector) / bits, 1024 / bits);
        zlay_swizzle *s = synth(&a);
        assert_int_equal(s != NULL, b.wavefronts >= 0);
        if (s) {
            zlay_swizzle_summary info = checked(&a, s);
            assert_int_equal(info.method, ZLAY_SWIZZLE_FAMILY);
            assert_int_equal(info.wavefronts, b.wavefronts);
            assert_int_equal(info.size, b.size);
            worse += !info.optimal;
        }
        zlay_swizzle_free(s);
        asked_end(&a);
    }
    printf("%llu above the bound\n", (unsigned long long)worse);
}

/* Any extents: lane l and element e of instance n have a (l mod q) + b (l / q) + e + c n, where the vector is in the tile. */
static void put_guarded(uint64_t *seed, asked *a, const char *access, uint64_t elements, int64_t size)
{
    uint64_t q = 1ull << test_range(seed, 0, 5), box[] = {q, 32 / q, elements, (uint64_t)test_range(seed, 1, 3)};
    int64_t vector = (int64_t)elements, weight[] = {vector * test_range(seed, 0, 12), vector * test_range(seed, 0, 20), 1, vector * test_range(seed, 0, 9)}, none = 0;
    char guard[128];
    const char *list = guard;
    const zlay_piece piece = {weight, &none, &list, 1};
    zlay_layout *layout = NULL;
    snprintf(guard, sizeof guard, "%lld*x0 + %lld*x1 + %lld*x3 <= %lld", (long long)weight[0], (long long)weight[1], (long long)weight[3], (long long)(size - vector));
    if (zlay_layout_new_pieces(a->ctx, &layout, 4, box, 1, 1, &piece)) fail_msg("%s: %s", guard, zlay_ctx_message(a->ctx));
    asked_put_layout(a, access, layout);
}

static void any_extents(void **state)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } kinds[] = {{"ld.shared.b16", 2}, {"ld.shared.b32", 4}, {"st.shared.b32", 4}, {"ld.shared.v2.b32", 8}, {"ld.shared.v4.b32", 16}};
    uint64_t seed = test_seed("synth/swizzle/family any extents"), above = 0, found = 0, count = test_iterations(150);
    zlay_ctx *ctx = *state;
    for (uint64_t n = 0; n < count; n++) {
        uint32_t bits = 16u << test_range(&seed, 0, 1), wide = 1;
        uint64_t shape[] = {(uint64_t)test_range(&seed, 1, 40), (uint64_t)test_range(&seed, 1, 12), (uint64_t)test_range(&seed, 1, 3)};
        unsigned rank = (unsigned)test_range(&seed, 1, 3);
        asked a = asked_begin(ctx, "sm_90", bits, rank, shape);
        int64_t size = 1;
        for (unsigned i = 0; i < rank; i++) size *= (int64_t)shape[i];
        for (int64_t i = test_range(&seed, 1, 3); i > 0; i--) {
            unsigned k = (unsigned)test_range(&seed, bits == 32, 4), elements = kinds[k].bytes * 8 / bits;
            if (size < (int64_t)elements) k = bits == 32 ? 1 : 0, elements = 1;
            wide = kinds[k].bytes * 8 / bits > wide ? kinds[k].bytes * 8 / bits : wide;
            put_guarded(&seed, &a, kinds[k].name, elements, size);
        }
        best b = by_hand(&a, wide, 1024 / bits);
        zlay_swizzle *s = synth(&a);
        if (s) {
            zlay_swizzle_summary info = checked(&a, s);
            if (info.method == ZLAY_SWIZZLE_FAMILY && ((int64_t)info.wavefronts != b.wavefronts || (int64_t)info.size != b.size))
                fail_msg("case %llu: %llu wavefronts in %llu, by hand %lld in %lld", (unsigned long long)n, (unsigned long long)info.wavefronts, (unsigned long long)info.size,
                         (long long)b.wavefronts, (long long)b.size);
            if (b.wavefronts >= 0) assert_true((int64_t)info.wavefronts <= b.wavefronts);
            above += !info.optimal;
            found += info.method == ZLAY_SWIZZLE_FAMILY;
        } else assert_true(b.wavefronts < 0);
        zlay_swizzle_free(s);
        asked_end(&a);
    }
    printf("any extents: %llu of families, %llu above the bound\n", (unsigned long long)found, (unsigned long long)above);
    assert_true(found * 4 > count && above > 0);
}

/* ---- tiles by hand ------------------------------------------------------------------------- */

typedef struct known {
    const char *target;
    uint32_t elem_bits, rank;
    uint64_t shape[3];
    const char *accesses[3][2];
    uint64_t wavefronts, size;
    int32_t least, tensor, matrix;
} known;

static const known rows[] = {
    /* 96 x 80 both ways: a skew needs no room */
    {"sm_90", 32, 2, {96, 80}, {{"st.shared.b32", "32:96"}, {"ld.shared.b32", "32:1"}}, 2, 7680, ZLAY_SWIZZLE_LEAST_ANY, -1, -1},
    /* 96 rows of 128 bytes, written and read by 16: the 128-byte swizzle, which no size of rows hinders */
    {"sm_90a", 16, 2, {96, 64}, {{"st.shared.v4.b32", "((8,4),8):((768,1),96)"}, {"ldmatrix.x4", "((8,4),8):((1,768),96)"}}, 8, 6144,
     ZLAY_SWIZZLE_LEAST_ANY, ZLAY_SWIZZLE_128B, ZLAY_SWIZZLE_128B},
    /* one row of 1000, every element by itself: as it is */
    {"sm_90a", 32, 1, {1000}, {{"ld.shared.b32", "32:31"}}, 1, 1000, ZLAY_SWIZZLE_LEAST_ANY, ZLAY_SWIZZLE_NONE, -1},
    /* stride 32 in one row: 31 active lanes */
    {"sm_90", 32, 1, {1000}, {{"ld.shared.b32", "{ [i] -> [32i] : 0 <= i < 31 } # box 32"}, {"ld.shared.b32", "32:1"}}, 2, 1001, ZLAY_SWIZZLE_LEAST_ANY, -1, -1},
    /* 112 x 80 bf16 by ldmatrix along both modes' rows of 8 elements */
    {"sm_90a", 16, 2, {112, 80}, {{"ldmatrix.x4", "((8,4),8):((112,8),1)"}}, 4, 8960, ZLAY_SWIZZLE_LEAST_ANY, ZLAY_SWIZZLE_32B, ZLAY_SWIZZLE_32B},
    /* three modes, the middle one contiguous */
    {"sm_90", 32, 3, {2, 64, 3}, {{"ld.shared.v4.b32", "((16,2),4):((8,1),2)"}}, 4, 384, ZLAY_SWIZZLE_LEAST_ANY, ZLAY_SWIZZLE_NONE, -1},
};

static void tiles_by_hand(void **state)
{
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const known *k = &rows[i];
        asked a = asked_begin(ctx, k->target, k->elem_bits, k->rank, k->shape);
        for (int j = 0; j < 3 && k->accesses[j][0]; j++) asked_put(&a, k->accesses[j][0], k->accesses[j][1]);
        zlay_swizzle *s = synth(&a);
        if (!s) fail_msg("row %zu: %s", i, zlay_ctx_message(ctx));
        zlay_swizzle_summary info = checked(&a, s);
        if (info.wavefronts != k->wavefronts || info.size != k->size) fail_msg("row %zu: %llu in %llu", i, (unsigned long long)info.wavefronts, (unsigned long long)info.size);
        assert_int_equal(info.least, k->least);
        assert_int_equal(info.tensor, k->tensor);
        assert_int_equal(info.matrix, k->matrix);
        zlay_swizzle_free(s);
        asked_end(&a);
    }
}

/* 32 lanes that each begin a 16-byte vector lie in 8 banks: 4 wavefronts are proved least, over F2 and beside it. */
static void forced_places(void **state)
{
    zlay_ctx *ctx = *state;
    for (uint64_t columns = 128; columns <= 132; columns += 4) {
        asked a = asked_begin(ctx, "sm_90", 32, 2, (uint64_t[]){columns, 8});
        asked_put(&a, "st.shared.v4.b32", "(32,4):(4,1)");
        asked_put(&a, "ld.shared.b32", "32:4");
        zlay_swizzle *s = synth(&a);
        zlay_swizzle_summary info = checked(&a, s);
        assert_int_equal(info.wavefronts, 8);
        assert_int_equal(info.lower_bound, 8);
        assert_true(info.optimal);
        zlay_swizzle_free(s);
        asked_end(&a);
    }
}

/* ---- no layout at all ------------------------------------------------------------------------ */

enum { FEW = 5, PLACES = 10 };

/* Whether elements can be put so that each pair has its second right behind its first, at an even place. */
static bool can_be_put(int (*pairs)[2], unsigned count)
{
    int at[FEW], tried[FEW] = {0};
    for (int n = 0; n >= 0;) {
        if (n == FEW) return true;
        if (tried[n] == PLACES) {
            n--;
            continue;
        }
        at[n] = tried[n]++;
        bool right = true;
        for (int i = 0; i < n; i++) right = right && at[i] != at[n];
        for (unsigned p = 0; p < count && right; p++)
            if (pairs[p][0] <= n && pairs[p][1] <= n) right = at[pairs[p][0]] % 2 == 0 && at[pairs[p][1]] == at[pairs[p][0]] + 1;
        if (right && ++n < FEW) tried[n] = 0;
    }
    return false;
}

/* Vectors of two elements drawn one by one: where the answer is none, no placement of five elements has them. */
static void none_is_none(void **state)
{
    uint64_t seed = test_seed("synth/swizzle/family none"), none = 0, found = 0, open = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t n = 0; n < test_iterations(300); n++) {
        asked a = asked_begin(ctx, "sm_90", 32, 1, (uint64_t[]){FEW});
        int pairs[3][2];
        unsigned count = (unsigned)test_range(&seed, 1, 3);
        for (unsigned i = 0; i < count; i++) {
            char text[64];
            pairs[i][0] = (int)test_range(&seed, 0, FEW - 1);
            pairs[i][1] = test_range(&seed, 0, 2) ? pairs[i][0] ^ 1 : (int)test_range(&seed, 0, FEW - 1);
            if (pairs[i][1] >= FEW) pairs[i][1] = 0;
            snprintf(text, sizeof text, "%d o (32,2):(0,%d)", pairs[i][0], pairs[i][1] - pairs[i][0]);
            asked_put(&a, "ld.shared.v2.b32", text);
        }
        bool can = can_be_put(pairs, count);
        zlay_swizzle *s = NULL;
        asked_place(&a);
        zlay_status status = zlay_swizzle_synth(ctx, &s, a.target, &a.request);
        assert_true(status == ZLAY_OK || status == ZLAY_NONE || status == ZLAY_ENOTSUP);
        if (status == ZLAY_NONE && can) fail_msg("draw %llu: %s", (unsigned long long)n, zlay_ctx_message(ctx));
        if (status == ZLAY_OK && !can) fail_msg("draw %llu: a layout that is none", (unsigned long long)n);
        if (s) checked(&a, s);
        none += status == ZLAY_NONE;
        found += status == ZLAY_OK;
        open += status == ZLAY_ENOTSUP;
        zlay_swizzle_free(s);
        asked_end(&a);
    }
    printf("%llu none, %llu found, %llu in no family\n", (unsigned long long)none, (unsigned long long)found, (unsigned long long)open);
    assert_true(none > 50 && found > 20);
}

/* ---- bad requests -------------------------------------------------------------------------- */

static void refuse(asked *a, zlay_status wanted, const char *word)
{
    zlay_swizzle *s = (zlay_swizzle *)1;
    asked_place(a);
    assert_int_equal(zlay_swizzle_synth(a->ctx, &s, a->target, &a->request), wanted);
    assert_null(s);
    if (!strstr(zlay_ctx_message(a->ctx), word)) fail_msg("no %s in: %s", word, zlay_ctx_message(a->ctx));
}

static void refuse_access(const char *target, uint32_t elem_bits, const uint64_t *shape, const char *access, const char *layout, zlay_status wanted, const char *word)
{
    zlay_ctx *ctx = ctx_new();
    asked a = asked_begin(ctx, target, elem_bits, 2, shape);
    asked_put(&a, access, layout);
    refuse(&a, wanted, word);
    asked_end(&a);
    zlay_ctx_free(ctx);
}

static void bad_requests(void **state)
{
    static const uint64_t tile[] = {32, 32}, odd[] = {33, 32}, huge[] = {UINT64_C(1) << 40, UINT64_C(1) << 40}, large[] = {1024, 64};
    zlay_ctx *ctx = *state;
    asked a = asked_begin(ctx, "sm_90", 32, 2, tile);
    refuse(&a, ZLAY_EINVAL, "accesses");
    asked_put(&a, "ld.shared.b32", "32:1");
    const zlay_swizzle_request good = a.request;
    a.request.elem_bits = 24, refuse(&a, ZLAY_EINVAL, "elem_bits"), a.request = good;
    a.request.elem_bits = 256, refuse(&a, ZLAY_EINVAL, "elem_bits"), a.request = good;
    a.request.rank = 0, refuse(&a, ZLAY_EINVAL, "shape"), a.request = good;
    a.request.rank = 9, refuse(&a, ZLAY_EINVAL, "shape"), a.request = good;
    a.request.count = 17, refuse(&a, ZLAY_EINVAL, "accesses"), a.request = good;
    a.request.reserved[3] = 1, refuse(&a, ZLAY_EINVAL, "reserved"), a.request = good;
    a.request.size = 2, refuse(&a, ZLAY_EINVAL, "size"), a.request = good;
    a.request.size = sizeof good + 8, refuse(&a, ZLAY_EINVAL, "size"), a.request = good;
    a.shape[1] = 0, refuse(&a, ZLAY_EINVAL, "shape"), a.shape[1] = 32;
    a.access[0].reserved = 1, refuse(&a, ZLAY_EINVAL, "reserved"), a.access[0].reserved = 0;
    a.access[0].access = 77777, refuse(&a, ZLAY_EINVAL, "no access"), a.access[0].access = -1;
    refuse(&a, ZLAY_EINVAL, "no access");
    assert_int_equal(zlay_swizzle_synth(ctx, NULL, a.target, &a.request), ZLAY_EINVAL);
    asked_end(&a);
    refuse_access("sm_90", 32, huge, "ld.shared.b32", "32:1", ZLAY_NONE, "BLOCK_SMEM");
    refuse_access("sm_90", 32, large, "ld.shared.b32", "32:1", ZLAY_NONE, "BLOCK_SMEM");
    refuse_access("sm_90", 32, tile, "ds_read_b32", "64:1", ZLAY_NONE, "ds_read_b32");
    refuse_access("sm_100a", 32, tile, "ld.shared.v4.b32", "(32,4):(4,1)", ZLAY_ENOTSUP, "served together");
    refuse_access("gfx942", 32, tile, "ds_read2_b64", "(64,4):(4,1)", ZLAY_ENOTSUP, "two addresses");
    refuse_access("sm_90", 32, tile, "ld.shared.b16", "32:1", ZLAY_EINVAL, "whole elements");
    refuse_access("sm_90", 32, tile, "ld.shared.b32", "33:1", ZLAY_EINVAL, "instances");
    refuse_access("sm_90", 32, tile, "ld.shared.b32", "32:64", ZLAY_EINVAL, "outside");
    refuse_access("sm_90", 32, odd, "ld.shared.b32", "32:64", ZLAY_EINVAL, "outside");
    refuse_access("sm_90", 32, odd, "ld.shared.b32", "-1 o 32:1", ZLAY_EINVAL, "outside");
    refuse_access("sm_90", 32, tile, "ld.shared.b32", "(32,36028797018963968):(1,0)", ZLAY_ELIMIT, "points");
    refuse_access("sm_90", 32, tile, "ld.shared.v2.b32", "(32,2):(1,0)", ZLAY_NONE, "behind");
    refuse_access("sm_90", 32, odd, "ld.shared.v2.b32", "(32,2):(1,1)", ZLAY_NONE, "vector");
    refuse_access("sm_90", 16, odd, "ldmatrix.x4", "{ [i,j] -> [8i + j] : 0 <= i < 31 and 0 <= j < 8 } # box 32,8", ZLAY_EINVAL, "row");
    refuse_access("sm_90", 32, odd, "ld.shared.v2.b32", "{ [i,j] -> [2i + j] : 0 <= i < 32 and 0 <= j < 2 and i + j < 32 }", ZLAY_EINVAL, "not all");
}

static zlay_status swizzled(zlay_ctx *ctx, void *given)
{
    const asked *a = given;
    zlay_swizzle *s = NULL;
    zlay_status status = zlay_swizzle_synth(ctx, &s, a->target, &a->request);
    zlay_swizzle_free(s);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    static const struct {
        uint32_t columns;
        const char *access;
    } cases[] = {{32, "32:32"}, {33, "32:33"}, {40, "{ [i] -> [33i] : 0 <= i < 31 } # box 32"}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        asked a = asked_begin(ctx, "sm_90", 32, 2, (uint64_t[]){cases[c].columns, 32});
        asked_put(&a, "ld.shared.b32", cases[c].access);
        asked_place(&a);
        assert_int_equal(heap_fails_each(&h, ctx, swizzled, &a), ZLAY_OK);
        assert_true(h.calls > 1);
        asked_end(&a);
        heap_close(&h, ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_by_hand), cmocka_unit_test(any_extents), cmocka_unit_test(tiles_by_hand), cmocka_unit_test(forced_places), cmocka_unit_test(none_is_none), cmocka_unit_test(bad_requests), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
