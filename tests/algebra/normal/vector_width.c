/* SPDX-License-Identifier: Apache-2.0 */
/* The widest access along a mode, against all coordinates. */
#include "layouts/layout.h"

#include <zlay/facts.h>
#include <zlay/pieces.h>

enum { RANK = 4, LEAVES = 6 };

#define BIT(w) ((uint64_t)1 << (w))

static const uint64_t usual = BIT(1) | BIT(2) | BIT(4) | BIT(8) | BIT(16);

static zlay_status width(zlay_ctx *ctx, uint64_t *out, const zlay_layout *a, const uint32_t *path,
                         uint64_t depth, uint32_t elem, uint64_t align, uint64_t widths)
{
    zlay_vector_request r = {sizeof r, elem, align, widths, path, depth};
    return zlay_layout_vector_width(ctx, out, a, &r, NULL);
}

/* ---- rows counted by hand ------------------------------------------------------------------ */

static void by_hand(void **state)
{
    static const struct {
        const char *layout;
        uint32_t path[3];
        uint64_t depth;
        uint32_t elem;
        uint64_t align, widths, bytes;
    } rows[] = {
        {"(8,4):(1,8)", {0}, 1, 2, 16, 0, 16},
        {"(8,4):(1,8)", {0}, 1, 2, 4, 0, 4},
        {"(8,4):(1,8)", {1}, 1, 2, 16, 0, 2},
        {"(8,4):(1,12)", {0}, 1, 2, 16, 0, 8},
        {"4 o (8,4):(1,8)", {0}, 1, 2, 16, 0, 8},
        {"(6,4):(1,8)", {0}, 1, 2, 16, 0, 4},
        {"((2,4),4):((1,2),8)", {0}, 1, 2, 16, 0, 16},
        {"((2,4),4):((1,2),8)", {0, 0}, 2, 2, 16, 0, 4},
        {"((2,4),4):((1,2),8)", {0, 1}, 2, 2, 16, 0, 2},
        {"(4,(2,(4,2))):(8,(32,(1,4)))", {1, 1}, 2, 1, 16, 0, 8},
        {"(4,(2,(4,2))):(8,(32,(1,4)))", {1, 1, 0}, 3, 1, 16, 0, 4},
        {"(4,(2,(4,2))):(8,(32,(1,4)))", {1, 0}, 2, 1, 16, 0, 1},
        {"(8,8):(1,8)", {0}, 0, 4, 256, usual | BIT(32), 32},
        {"8:1", {0}, 1, 4, 256, usual | BIT(32), 32},
        {"(3,4):(1,3)", {0}, 1, 4, 48, usual | BIT(12), 12},
        {"(3,4):(1,3)", {0}, 1, 4, 16, usual | BIT(12), 4},
        {"(8,4):(0,8)", {0}, 1, 2, 16, 0, 2},
        {"7 o 8:-1", {0}, 1, 1, 16, 0, 1},
        {"Sw<3,3,3> o 0 o (64,8):(1,64)", {0}, 1, 2, 128, 0, 16},
        {"Sw<3,2,3> o 0 o (64,8):(1,64)", {0}, 1, 2, 128, 0, 8},
        {"Sw<2,0,3> o 0 o (64,8):(1,64)", {0}, 1, 2, 128, 0, 2},
        {"Sw<1,1,3> o 0 o (6,8):(1,8)", {0}, 1, 2, 128, 0, 4},
        {"Sw<2,1,3> o 0 o 67108864:1", {0}, 1, 1, 128, 0, 2},
        {"[N] -> { [i, j] -> [i + 8j + 4N] : 0 <= i < 8 and 0 <= j < N }", {0}, 1, 1, 16, 0, 4},
        {"f2{r: (1) (2) (4); l: (8) (24) -> x: 32}", {0}, 1, 1, 64, 0, 8},
        {"f2{r: (1) (2) (4); l: (8) (20) -> x: 32}", {0}, 1, 1, 64, 0, 4},
        {"f2{r: (1) (3) (4); l: (8) (16) -> x: 32}", {0}, 1, 1, 64, 0, 1},
        {"f2{r: (1) (6) (4); l: (8) (16) -> x: 32}", {0}, 1, 1, 64, 0, 2},
        {"f2{r: (8); l: (1) (2) -> x: 16}", {1}, 1, 2, 64, 0, 8},
        {"1:7", {0}, 1, 4, 4, 0, 4},
        {"(4611686018427387904,2):(1,4611686018427387904)", {0}, 1, 1, 16, 0, 16},
    };
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r].layout);
        uint64_t got = 0;
        zlay_status status = width(*state, &got, a, rows[r].path, rows[r].depth, rows[r].elem,
                                   rows[r].align, rows[r].widths);
        if (status || got != rows[r].bytes)
            fail_msg("row %d, %s: %d, %s", (int)r, rows[r].layout, (int)got,
                     zlay_ctx_message(*state));
        zlay_layout_free(a);
    }
}

static void refused(void **state)
{
    static const struct {
        const char *layout;
        uint32_t path[3];
        uint64_t depth;
        uint32_t elem;
        uint64_t align, widths;
        zlay_status status;
        const char *message;
    } rows[] = {
        {"8:1", {1}, 1, 2, 16, 0, ZLAY_EINVAL, "no mode 1"},
        {"8:1", {0, 0}, 2, 2, 16, 0, ZLAY_EINVAL, "entry 1"},
        {"(8,2)", {2}, 1, 2, 16, 0, ZLAY_EINVAL, "no mode 2"},
        {"((8,2),3)", {0, 2}, 2, 2, 16, 0, ZLAY_EINVAL, "no mode 2"},
        {"f2{a: (1) -> x: 2}", {1}, 1, 2, 16, 0, ZLAY_EINVAL, "no mode 1"},
        {"8:1", {0}, 1, 0, 16, 0, ZLAY_EINVAL, "elem_bytes"},
        {"8:1", {0}, 1, 2, 0, 0, ZLAY_EINVAL, "base_align"},
        {"8:1", {0}, 1, 2, 2, 1, ZLAY_EINVAL, "0 bytes"},
        {"8:1", {0}, 1, 4, 2, 0, ZLAY_NONE, "alignment of the base, 2"},
        {"8:1", {0}, 1, 3, 48, 0, ZLAY_NONE, "multiple of 3 bytes"},
        {"(3,2):(1,4)", {0}, 1, 1, 16, BIT(2), ZLAY_NONE, "2 elements and the mode has 3"},
        {"(4,3):(1,5)", {0}, 1, 1, 16, BIT(2), ZLAY_NONE, "at index 4"},
        {"[N] -> { [i, j] -> [i + floor(j/2)] : 0 <= i < N and 0 <= j < 4 }", {0}, 1, 1, 4, 0,
         ZLAY_ENOTSUP, "parameter N"},
        {"[N] -> { [i, j] -> [4i + j] : 0 <= i < N and 0 <= j < i }", {1}, 1, 1, 4, 0, ZLAY_ENOTSUP,
         "parameter N"},
        {"[N] -> { [i] -> [i] : 0 <= i < 8 and N >= 3 }", {0}, 1, 1, 4, 0, ZLAY_ENOTSUP,
         "parameter N"},
        {"[N] -> { [i] -> [i] : 0 <= i < 4; [i] -> [2i] : 4 <= i < 8 and i < N }", {0}, 1, 1, 4, 0,
         ZLAY_ENOTSUP, "parameter N"},
        {"[N] -> { [i] -> [i, N] : 0 <= i < 8 }", {0}, 1, 1, 4, 0, ZLAY_ENOTSUP, "parameter N"},
        {"[N] -> { [i, j] -> [i + N] : 0 <= i < 8 and 0 <= j < 8 }", {0}, 0, 1, 4, 0, ZLAY_ENOTSUP,
         "parameter N"},
        {"Sw<2,0,2> o 0 o (3000000,2):(2,1)", {1}, 1, 1, 16, 0, ZLAY_ELIMIT, "limits.points"},
    };
    uint64_t got = 7;
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        zlay_layout *a = read_layout(*state, rows[r].layout);
        zlay_status status = width(*state, &got, a, rows[r].path, rows[r].depth, rows[r].elem,
                                   rows[r].align, rows[r].widths);
        if (status != rows[r].status || !strstr(zlay_ctx_message(*state), rows[r].message))
            fail_msg("row %d, %s: %s, %s", (int)r, rows[r].layout, zlay_status_name(status),
                     zlay_ctx_message(*state));
        zlay_layout_free(a);
    }
    assert_int_equal(got, 7);
    assert_int_equal(zlay_layout_vector_width(*state, &got, NULL, NULL, NULL), ZLAY_EINVAL);
    zlay_layout *a = read_layout(*state, "8:1");
    for (uint32_t size = 0; size <= 2 * sizeof(zlay_vector_request); size++) {
        zlay_vector_request r = {.size = size, .elem_bytes = 2, .base_align = 16};
        assert_int_equal(zlay_layout_vector_width(*state, &got, a, &r, NULL),
                         size == sizeof r ? ZLAY_OK : ZLAY_EINVAL);
    }
    zlay_layout_free(a);
}

/* ---- all coordinates ------------------------------------------------------------------------- */

/* A layout as its values, with the mode between `before` faster points and the slower ones. */
typedef struct world {
    int64_t value[4096];
    bool hole[4096];
    uint64_t size, before, extent;
} world;

/* The group at i: all defined and legal, or nowhere defined. */
static bool group_legal(const world *w, uint64_t i, uint64_t v, uint64_t bytes, uint32_t elem)
{
    uint64_t holes = 0;
    for (uint64_t j = 0; j < v; j++) holes += w->hole[i + j * w->before];
    if (holes) return holes == v;
    if ((w->value[i] * (int64_t)elem) % (int64_t)bytes) return false;
    for (uint64_t j = 1; j < v; j++)
        if (w->value[i + j * w->before] != w->value[i] + (int64_t)j) return false;
    return true;
}

static bool legal(const world *w, uint64_t bytes, uint32_t elem, uint64_t align)
{
    uint64_t v = bytes / elem;
    if (bytes % elem || align % bytes || w->extent % v) return false;
    for (uint64_t i = 0; i < w->size; i++)
        if (i / w->before % w->extent % v == 0 && !group_legal(w, i, v, bytes, elem)) return false;
    return true;
}

static void check(zlay_ctx *ctx, const zlay_layout *a, const world *w, const uint32_t *path,
                  uint64_t depth, uint64_t *seed)
{
    static const uint64_t sets[] = {0, BIT(1) | BIT(2) | BIT(4) | BIT(8) | BIT(12) | BIT(16), BIT(32) | BIT(16) | BIT(4),
                                    BIT(6) | BIT(3) | BIT(24)};
    static const uint64_t aligns[] = {1, 4, 16, 48, 96, 256};
    uint64_t widths = sets[test_range(seed, 0, 3)], align = aligns[test_range(seed, 0, 5)];
    uint32_t elem = (uint32_t)test_range(seed, 1, 4);
    uint64_t best = 0, got = 0;
    for (uint64_t bytes = 1; bytes < 64; bytes++)
        if ((widths ? widths : usual) >> bytes & 1 && legal(w, bytes, elem, align)) best = bytes;
    zlay_status status = width(ctx, &got, a, path, depth, elem, align, widths);
    if (status != (best ? ZLAY_OK : ZLAY_NONE) || got != best) {
        char text[1024];
        fail_msg("%s, mode %d, elem %d, align %d: %d, not %d (%s)", layout_text(text, a), (int)path[0],
                 (int)elem, (int)align, (int)got, (int)best, zlay_ctx_message(ctx));
    }
}

static void values_of(world *w, const zlay_layout *a)
{
    w->size = zlay_layout_size(a);
    assert_in_range(w->size, 1, 4096);
    for (uint64_t i = 0; i < w->size; i++)
        w->hole[i] = zlay_layout_eval(&w->value[i], 1, a, i) == ZLAY_NONE;
}

/* Flat modes that are often contiguous, aligned, or nearly so; some are swizzled. */
static void random_strided(void **state)
{
    static const int64_t extents[] = {1, 2, 2, 4, 8, 3, 6, 5};
    uint64_t seed = test_seed("random_strided"), wide = 0, count = test_iterations(100000);
    static world w;
    for (uint64_t n = 0; n < count; n++) {
        int64_t shape[RANK], stride[RANK], run = 1;
        size_t rank = (size_t)test_range(&seed, 1, RANK);
        for (size_t i = 0; i < rank; i++) {
            shape[i] = extents[test_range(&seed, 0, n % 2 ? 4 : 7)];
            stride[i] = test_range(&seed, 0, 4) ? run : test_range(&seed, -2, 12) * 4;
            run = shape[i] * (stride[i] ? stride[i] : 1);
        }
        if (rank > 1 && test_range(&seed, 0, 2) == 0) {
            int64_t s = shape[0], d = stride[0];
            shape[0] = shape[1], stride[0] = stride[1], shape[1] = s, stride[1] = d;
        }
        zlay_layout *a, *b;
        int64_t offset = test_range(&seed, 0, 1) ? 0 : test_range(&seed, -3, 12) * 4;
        assert_int_equal(zlay_layout_new_strided(*state, &a, rank, shape, stride, offset), ZLAY_OK);
        if (test_range(&seed, 0, 2) == 0) {
            int32_t bits = (int32_t)test_range(&seed, 1, 3), shift = bits + (int32_t)test_range(&seed, 0, 2);
            assert_int_equal(zlay_layout_new_swizzled(*state, &b, bits, (int32_t)test_range(&seed, 0, 3),
                                                      test_range(&seed, 0, 1) ? shift : -shift, a), ZLAY_OK);
            zlay_layout_free(a);
            a = b;
        }
        values_of(&w, a);
        uint32_t mode = (uint32_t)test_range(&seed, 0, (int64_t)rank - 1);
        w.before = 1;
        for (uint32_t i = 0; i < mode; i++) w.before *= (uint64_t)shape[i];
        w.extent = (uint64_t)shape[mode];
        check(*state, a, &w, &mode, 1, &seed);
        wide += legal(&w, 4, 1, 4);
        w.before = 1;
        w.extent = w.size;
        check(*state, a, &w, &mode, 0, &seed);
        zlay_layout_free(a);
    }
    assert_true(wide > count / 20);
}

/* Nested modes by their paths. */
static void random_nested(void **state)
{
    uint64_t seed = test_seed("random_nested");
    static world w;
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        int64_t s[LEAVES], d[LEAVES], run = 1;
        char text[512];
        for (int i = 0; i < LEAVES; i++) {
            s[i] = test_range(&seed, 1, 3);
            d[i] = test_range(&seed, 0, 2) ? run : test_range(&seed, 0, 6) * 2;
            run = s[i] * (d[i] ? d[i] : 1);
        }
        sprintf(text, "((%d,(%d,%d)),%d,((%d),%d)):((%d,(%d,%d)),%d,((%d),%d))", (int)s[0], (int)s[1],
                (int)s[2], (int)s[3], (int)s[4], (int)s[5], (int)d[0], (int)d[1], (int)d[2], (int)d[3],
                (int)d[4], (int)d[5]);
        static const struct { uint32_t path[3]; uint64_t depth; int begin, end; } parts[] = {
            {{0}, 1, 0, 3}, {{0, 0}, 2, 0, 1}, {{0, 1}, 2, 1, 3}, {{0, 1, 0}, 3, 1, 2},
            {{0, 1, 1}, 3, 2, 3}, {{1}, 1, 3, 4}, {{2}, 1, 4, 6}, {{2, 0}, 2, 4, 5},
            {{2, 0, 0}, 3, 4, 5}, {{2, 1}, 2, 5, 6}, {{0}, 0, 0, 6},
        };
        zlay_layout *a = read_layout(*state, text);
        values_of(&w, a);
        for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++) {
            w.before = w.extent = 1;
            for (int i = 0; i < parts[p].begin; i++) w.before *= (uint64_t)s[i];
            for (int i = parts[p].begin; i < parts[p].end; i++) w.extent *= (uint64_t)s[i];
            check(*state, a, &w, parts[p].path, parts[p].depth, &seed);
        }
        zlay_layout_free(a);
    }
}

/* F2 layouts whose low bases are often units, in a dimension that need not be the first. */
static void random_f2(void **state)
{
    uint64_t seed = test_seed("random_f2");
    static world w;
    for (uint64_t n = 0; n < test_iterations(50000); n++) {
        int bits[3], all = 0, k = 0;
        char text[512] = "f2{", one[40];
        for (int i = 0; i < 3; i++) bits[i] = (int)test_range(&seed, 0, 3);
        uint32_t mode = (uint32_t)test_range(&seed, 0, 2);
        for (uint32_t i = 0; i < 3; i++) {
            sprintf(one, "%s%c:", i ? "; " : "", 'a' + (int)i);
            strcat(text, one);
            for (int b = 0; b < bits[i]; b++, k++) {
                uint64_t basis = test_random(&seed) % 128;
                if (i == mode && test_range(&seed, 0, 7)) basis = (uint64_t)1 << b;
                if (i != mode && test_range(&seed, 0, 5)) basis &= ~(uint64_t)((1 << bits[mode]) - 1);
                sprintf(one, " (%d)", (int)basis);
                strcat(text, one);
            }
        }
        strcat(text, " -> x: 128}");
        zlay_layout *a = read_layout(*state, text);
        values_of(&w, a);
        for (uint32_t i = 0; i < mode; i++) all += bits[i];
        w.before = (uint64_t)1 << all;
        w.extent = (uint64_t)1 << bits[mode];
        check(*state, a, &w, &mode, 1, &seed);
        zlay_layout_free(a);
    }
}

/* Pads and slices: pieces, with points that are undefined. */
static void random_pieces(void **state)
{
    uint64_t seed = test_seed("random_pieces"), pieces = 0, count = test_iterations(20000);
    static world w;
    for (uint64_t n = 0; n < count; n++) {
        static const int64_t extents[] = {1, 2, 4, 8, 6};
        int64_t shape[2], stride[2];
        uint32_t mode = (uint32_t)test_range(&seed, 0, 1);
        for (int i = 0; i < 2; i++) shape[i] = extents[test_range(&seed, 0, 4)];
        stride[mode] = 1;
        stride[!mode] = test_range(&seed, 1, 5) * 4;
        zlay_layout *a, *b = NULL, *c = NULL;
        zlay_pad pad = {(uint64_t)test_range(&seed, 0, 1), (uint64_t)test_range(&seed, 0, 4),
                        (uint64_t)test_range(&seed, 0, 4), (int32_t)test_range(&seed, 0, 2), 0};
        assert_int_equal(zlay_layout_new_strided(*state, &a, 2, shape, stride, 0), ZLAY_OK);
        assert_int_equal(zlay_layout_pad(*state, &b, a, &pad), ZLAY_OK);
        int64_t extent = shape[mode] + (pad.mode == mode ? (int64_t)(pad.before + pad.after) : 0);
        zlay_slice slice = {mode, test_range(&seed, 0, extent - 1), extent, 1};
        if (n % 2) assert_int_equal(zlay_layout_slice(*state, &c, b, &slice), ZLAY_OK);
        const zlay_layout *last = c ? c : b;
        pieces += zlay_layout_kind(last) == ZLAY_LAYOUT_PIECES;
        uint64_t box[2];
        assert_int_equal(zlay_layout_box(box, 2, last), 2);
        values_of(&w, last);
        w.before = mode ? box[0] : 1;
        w.extent = box[mode];
        check(*state, last, &w, &mode, 1, &seed);
        zlay_layout_free(c);
        zlay_layout_free(b);
        zlay_layout_free(a);
    }
    assert_true(pieces > count / 4);
}

/* ---- parameters ------------------------------------------------------------------------------ */

typedef struct known {
    int64_t lo, hi, mod, rem;
} known;

/* At most three integers, with a modulus of 2^most at most. */
static known random_known(uint64_t *seed, int64_t least, int64_t most)
{
    known k = {least + test_range(seed, 0, 3), 0, (int64_t)1 << test_range(seed, 0, most), 0};
    k.rem = test_range(seed, 0, k.mod - 1);
    k.lo += ((k.rem - k.lo) % k.mod + k.mod) % k.mod;
    k.hi = k.lo + k.mod * test_range(seed, 0, most - 1);
    return k;
}

/* The widest that is legal for every pair of parameters of these names. */
static uint64_t widest_for_all(zlay_ctx *ctx, const zlay_layout *a, const char *const *names,
                               const known *p, const known *q, uint32_t mode, uint64_t align)
{
    static world w;
    uint64_t legal_for_all = usual, best = 0;
    for (int64_t x = p->lo; x <= p->hi; x += p->mod)
        for (int64_t y = q->lo; y <= q->hi; y += q->mod) {
            const char *there[2] = {NULL, NULL};
            int64_t values[2] = {0, 0};
            size_t count = 0;
            for (size_t i = 0; zlay_layout_param_nth(a, i); i++, count++) {
                there[i] = zlay_layout_param_nth(a, i);
                values[i] = strcmp(there[i], names[0]) ? y : x;
            }
            uint64_t box[2];
            zlay_layout *bound;
            assert_int_equal(zlay_layout_bind(ctx, &bound, a, count, there, values), ZLAY_OK);
            zlay_layout_box(box, 2, bound);
            values_of(&w, bound);
            w.before = mode ? box[0] : 1;
            w.extent = box[mode];
            for (uint64_t bytes = 1; bytes < 64; bytes++)
                if (legal_for_all >> bytes & 1 && !legal(&w, bytes, 1, align)) legal_for_all &= ~BIT(bytes);
            zlay_layout_free(bound);
        }
    for (uint64_t bytes = 1; bytes < 64; bytes++)
        if (legal_for_all >> bytes & 1) best = bytes;
    return best;
}

static void parameters(void **state)
{
    uint64_t seed = test_seed("parameters"), wide = 0, count = test_iterations(4000);
    for (uint64_t n = 0; n < count; n++) {
        known p = random_known(&seed, -8, 3), q = random_known(&seed, 1, 2);
        uint32_t mode = (uint32_t)test_range(&seed, 0, 1);
        int64_t stride[2], c = test_range(&seed, -2, 4), e = test_range(&seed, -3, 3) * 4;
        stride[mode] = test_range(&seed, 0, 9) ? 1 : 2;
        stride[!mode] = test_range(&seed, 1, 4) * 4 + (test_range(&seed, 0, 9) == 0);
        char text[256], known_p[64], known_q[64], ends[2][16];
        for (uint32_t i = 0; i < 2; i++) {
            bool fixed = test_range(&seed, 0, 1);
            sprintf(ends[i], fixed ? "%d" : "%dq", fixed ? 8 : (int)test_range(&seed, 1, 4));
        }
        sprintf(text, "[p, q] -> { [i, j] -> [%di + %dj + %dp + %d] : 0 <= i < %s and 0 <= j < %s }",
                (int)stride[0], (int)stride[1], (int)c, (int)e, ends[0], ends[1]);
        sprintf(known_p, "%d <= p <= %d and p = %d mod %d", (int)p.lo, (int)p.hi, (int)p.rem, (int)p.mod);
        sprintf(known_q, "%d <= q <= %d and q = %d mod %d", (int)q.lo, (int)q.hi, (int)q.rem, (int)q.mod);
        const char *texts[] = {known_p, known_q};
        const size_t lengths[] = {strlen(known_p), strlen(known_q)};
        zlay_facts *facts;
        zlay_layout *a = read_layout(*state, text);
        const char *const names[] = {"p", "q"};
        uint64_t got = 0, want = widest_for_all(*state, a, names, &p, &q, mode, 16);
        zlay_vector_request r = {sizeof r, 1, 16, 0, &mode, 1};
        assert_int_equal(zlay_facts_parse(*state, &facts, 2, texts, lengths), ZLAY_OK);
        zlay_status status = zlay_layout_vector_width(*state, &got, a, &r, facts);
        if (status || got != want)
            fail_msg("%s; %s; %s; mode %d: %d, not %d (%s)", text, known_p, known_q, (int)mode, (int)got,
                     (int)want, zlay_ctx_message(*state));
        wide += want > 1;
        zlay_facts_free(facts);
        zlay_layout_free(a);
    }
    assert_true(wide > count / 10);
}

/* Strides and extents that are products of names: what is proved is legal for all of their values,
 * and nearly always the widest that is. */
static void symbols(void **state)
{
    static const char *const shapes[][2] = {
        {"8", "1"}, {"4", "1"}, {"K", "1"}, {"2*K", "1"}, {"(4,K)", "(1,4)"}, {"(K,2)", "(1,K)"},
        {"4", "ld"}, {"(2,4)", "(1,ld)"}, {"(4,K)", "(1,ld)"},
    };
    static const char *const others[] = {"ld", "4*ld", "K*ld", "8", "K", "2*K", "8*K"};
    static const char *const offsets[] = {"", "", "4 o ", "ld o ", "4*ld - 8*K o "};
    uint64_t seed = test_seed("symbols"), wide = 0, less = 0, count = test_iterations(4000);
    for (uint64_t n = 0; n < count; n++) {
        known k = random_known(&seed, 1, 2), ld = random_known(&seed, 1, 3);
        uint32_t mode = (uint32_t)test_range(&seed, 0, 1);
        const char *const *part = shapes[test_range(&seed, 0, 8)];
        const char *other = others[test_range(&seed, 0, 6)], *offset = offsets[test_range(&seed, 0, 4)];
        char text[256], known_k[64], known_ld[64];
        if (mode) sprintf(text, "%s(3,%s):(%s,%s)", offset, part[0], other, part[1]);
        else sprintf(text, "%s(%s,3):(%s,%s)", offset, part[0], part[1], other);
        sprintf(known_k, "%d <= K <= %d and K = %d mod %d", (int)k.lo, (int)k.hi, (int)k.rem, (int)k.mod);
        sprintf(known_ld, "%d <= ld <= %d and ld = %d mod %d", (int)ld.lo, (int)ld.hi, (int)ld.rem, (int)ld.mod);
        const char *texts[] = {known_k, known_ld}, *const names[] = {"K", "ld"};
        const size_t lengths[] = {strlen(known_k), strlen(known_ld)};
        zlay_facts *facts;
        zlay_layout *a = read_layout(*state, text);
        uint64_t got = 0, want = widest_for_all(*state, a, names, &k, &ld, mode, 16);
        zlay_vector_request r = {sizeof r, 1, 16, 0, &mode, 1};
        assert_int_equal(zlay_facts_parse(*state, &facts, 2, texts, lengths), ZLAY_OK);
        zlay_status status = zlay_layout_vector_width(*state, &got, a, &r, facts);
        if (status || got > want)
            fail_msg("%s; %s; %s; mode %d: %d, not %d (%s)", text, known_k, known_ld, (int)mode, (int)got,
                     (int)want, zlay_ctx_message(*state));
        wide += want > 1;
        less += got < want;
        zlay_facts_free(facts);
        zlay_layout_free(a);
    }
    assert_true(wide > count / 10);
    if (less > count / 50) fail_msg("%d of %d are narrower", (int)less, (int)count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(refused), cmocka_unit_test(random_strided),
        cmocka_unit_test(random_nested), cmocka_unit_test(random_f2),
        cmocka_unit_test(random_pieces), cmocka_unit_test(parameters), cmocka_unit_test(symbols),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
