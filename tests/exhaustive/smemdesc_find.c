/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts given with their swizzle: what every value of every field reads is written down by the pictures of the PTX ISA, and the
 * descriptor is found for exactly those layouts that one of them reads. The layouts are drawn; for each, every value is tried. */
#include "tiles/smemdesc_reads.h"

enum { POINTS = 256, BASES = 8, STEP = 16, STARTS = 64, OFFSETS = 48 };

static int count_of(const operand *o) { return 16 * o->k; }

static bool reads_all(const operand *o, const fields *f, const int64_t *place)
{
    for (int i = 0; i < count_of(o); i++)
        if (reads(o, f, i % 16, i / 16) != place[i]) return false;
    return true;
}

/* Whether some fields below the bounds read the layout: all bases where `any`, else 0. */
static bool some_read(const operand *o, const int64_t *place, bool any, fields *found)
{
    for (int p = 0; p < PATTERNS; p++)
        for (int base = 0; has(o, p) && base < (any ? lines_of(p) : 1); base++)
            for (int64_t start = 0; start < STARTS * STEP; start += STEP) {
                fields f = {p, base, start, 0, 0};
                if (reads(o, &f, 0, 0) != place[0]) continue;
                for (f.lbo = 0; f.lbo < OFFSETS * STEP; f.lbo += STEP)
                    for (f.sbo = 0; f.sbo < OFFSETS * STEP; f.sbo += STEP)
                        if (reads_all(o, &f, place)) {
                            *found = f;
                            return true;
                        }
            }
    return false;
}

/* ---- layouts that hold a table of places ------------------------------------------------- */

/* Bit matrices where the places are sums of bits by exclusive or, else nothing. */
static zlay_layout *layout_from(zlay_ctx *ctx, const operand *o, const int64_t *place)
{
    char text[2048];
    int at = snprintf(text, sizeof text, "f2{mn:"), bits = __builtin_ctz((unsigned)o->k);
    int64_t e = o->bits, most = 0;
    for (int i = 0; i < count_of(o); i++) {
        int64_t sum = place[0];
        for (int b = 0; b < 4 + bits; b++)
            if (i >> b & 1) sum ^= place[1 << b] ^ place[0];
        if (sum != place[i] || place[i] % e) return NULL;
        if (place[i] > most) most = place[i];
    }
    if (place[0]) return NULL;
    int out = 1;
    while (1ll << out <= most / e) out++;
    for (int b = 0; b < 4 + bits; b++)
        at += snprintf(text + at, sizeof text - (size_t)at, "%s (%lld)", b == 4 ? "; k:" : "", (long long)(place[1 << b] / e));
    snprintf(text + at, sizeof text - (size_t)at, " -> x: %lld}", 1ll << out);
    return read_layout(ctx, text);
}

/* The canonical layout of fields as text: swizzled, and moved back by the lines before which the pattern begins. */
static zlay_layout *canonical(zlay_ctx *ctx, const operand *o, const fields *f)
{
    static const int shape[PATTERNS][3] = {{0, 4, 3}, {1, 4, 3}, {2, 4, 3}, {3, 4, 3}, {2, 5, 2}};
    char text[512];
    int e = o->bits, log = __builtin_ctz((unsigned)e) - 3, row = 128 * chunks[f->pattern] / e, r = rows[f->pattern];
    bool exchanged = o->major == ZLAY_MAJOR_MN && !f->pattern;
    long long group = (exchanged ? f->lbo : f->sbo) * 8 / e, next = (exchanged ? f->sbo : f->lbo) * 8 / e, back = 1024 * (8 - f->base) / e;
    int along = o->major == ZLAY_MAJOR_K ? o->k : 16, across = o->major == ZLAY_MAJOR_K ? 16 : o->k;
    int inner = row < along ? row : along, inner_rows = r < across ? r : across;
    char one[96], other[96], strides[2][96];
    snprintf(one, sizeof one, "(%d,%d)", inner, along / inner);
    snprintf(strides[0], sizeof strides[0], "(1,%lld)", next);
    snprintf(other, sizeof other, "(%d,%d)", inner_rows, across / inner_rows);
    snprintf(strides[1], sizeof strides[1], "(%d,%lld)", row, group);
    bool k = o->major == ZLAY_MAJOR_K;
    snprintf(text, sizeof text, "Sw<%d,%d,%d> o %lld o (%s,%s):(%s,%s)", shape[f->pattern][0], shape[f->pattern][1] - log,
             shape[f->pattern][2], (long long)f->start * 8 / e + back, k ? other : one, k ? one : other, strides[k], strides[!k]);
    zlay_layout *moved = read_layout(ctx, text), *back_by = NULL, *made = NULL;
    snprintf(text, sizeof text, "-%lld o 16777216:1", back);
    back_by = read_layout(ctx, text);
    assert_int_equal(zlay_layout_compose(ctx, &made, back_by, moved), ZLAY_OK);
    zlay_layout_free(moved);
    zlay_layout_free(back_by);
    return made;
}

/* ---- the search against them -------------------------------------------------------------- */

typedef struct tally {
    uint64_t found, none;
} tally;

static void compare(zlay_ctx *ctx, const operand *o, zlay_layout *layout, bool any, tally *t)
{
    int64_t place[16 * 64];
    uint32_t start[4];
    size_t count = 0;
    fields f;
    zlay_smemdesc got;
    for (int i = 0; i < count_of(o); i++) {
        assert_int_equal(zlay_layout_eval(&place[i], 1, layout, (uint64_t)i), ZLAY_OK);
        place[i] *= o->bits;
    }
    zlay_smemdesc_request r = {.size = sizeof r, .type = o->type, .major = o->major, .swizzle = ZLAY_SWIZZLE_FIND,
                               .mma_mn = 16, .mma_k = (uint32_t)o->k, .pattern_at_start = any ? 2 : 0, .layout = layout};
    zlay_status status = zlay_smemdesc_synth(ctx, &got, start, 4, &count, o->target, &r);
    bool some = some_read(o, place, any, &f);
    t->found += !status;
    t->none += status == ZLAY_NONE;
    if (!status) {
        fields said = {got.swizzle, (int)got.base_offset, start[0], got.lbo, got.sbo};
        if (!reads_all(o, &said, place) || count != 1) fail_msg("type %d, major %d: the fields read another layout", o->type, o->major);
        if (!has(o, got.swizzle)) fail_msg("type %d has no swizzle %d", o->type, got.swizzle);
    } else if (status != ZLAY_NONE || some)
        fail_msg("type %d, major %d: pattern %d, base %d, start %d, lbo %d, sbo %d read it: %s", o->type, o->major, f.pattern, f.base,
                 (int)f.start, (int)f.lbo, (int)f.sbo, zlay_ctx_message(ctx));
}

/* Whatever the fields, a layout that they read is found; other fields may read it too. */
static void what_fields_read_is_found(void **state)
{
    uint64_t s = test_seed("exhaustive/smemdesc_find fields"), tried = 0;
    zlay_ctx *ctx = *state;
    tally t = {0, 0};
    for (uint64_t i = 0; i < test_cases(1500); i++) {
        operand o = draw_operand(&s);
        fields f = {(int)test_range(&s, 0, PATTERNS - 1), 0, STEP * test_range(&s, 0, STARTS - 1), STEP * test_range(&s, 0, OFFSETS - 1),
                    STEP * test_range(&s, 0, OFFSETS - 1)};
        bool any = test_range(&s, 0, 1);
        if (!has(&o, f.pattern)) continue;
        if (any) f.base = (int)test_range(&s, 0, lines_of(f.pattern) - 1);
        zlay_layout *layout = canonical(ctx, &o, &f);
        for (int x = 0; x < count_of(&o); x++) {
            int64_t value;
            assert_int_equal(zlay_layout_eval(&value, 1, layout, (uint64_t)x), ZLAY_OK);
            assert_int_equal(value * o.bits, reads(&o, &f, x % 16, x / 16));
        }
        uint64_t before = t.none;
        compare(ctx, &o, layout, any, &t);
        assert_int_equal(t.none, before);
        zlay_layout_free(layout);
        tried++;
    }
    assert_true(tried > 100 && t.found == tried);
}

/* Swizzled layouts with a stride, the offset or a number of the swizzle changed, and random bit matrices. */
static void mutants_are_decided(void **state)
{
    uint64_t s = test_seed("exhaustive/smemdesc_find mutants");
    zlay_ctx *ctx = *state;
    tally t = {0, 0};
    for (uint64_t i = 0; i < test_cases(600); i++) {
        operand o = draw_operand(&s);
        fields f = {(int)test_range(&s, 0, PATTERNS - 1), 0, 0, 16 << test_range(&s, 0, 5), 16 << test_range(&s, 0, 5)};
        int64_t place[16 * 64];
        if (!has(&o, f.pattern)) continue;
        for (int x = 0; x < count_of(&o); x++) place[x] = reads(&o, &f, x % 16, x / 16);
        int bit = (int)test_range(&s, 0, 3 + __builtin_ctz((unsigned)o.k));
        int64_t by = test_range(&s, 0, 3) ? (int64_t)o.bits << test_range(&s, 0, 9) : 0;
        for (int x = 0; x < count_of(&o); x++)
            if (x >> bit & 1) place[x] ^= by;
        zlay_layout *layout = layout_from(ctx, &o, place);
        if (layout) compare(ctx, &o, layout, test_range(&s, 0, 1), &t);
        zlay_layout_free(layout);
    }
    printf("%llu found, %llu none\n", (unsigned long long)t.found, (unsigned long long)t.none);
    assert_true(t.found > 20 && t.none > 20);
}

/* Sums of strides that are no powers of two, final as they are. */
static void strides_are_decided(void **state)
{
    static const int steps[] = {1, 2, 4, 8, 16, 24, 32, 40, 64, 96, 128, 160, 256};
    uint64_t s = test_seed("exhaustive/smemdesc_find strides");
    zlay_ctx *ctx = *state;
    tally t = {0, 0};
    for (uint64_t i = 0; i < test_cases(600); i++) {
        operand o = draw_operand(&s);
        char text[256];
        int chunk = 128 / o.bits, across = 8, st[4] = {1, chunk, chunk, 1024 / o.bits};
        bool k = o.major == ZLAY_MAJOR_K, swizzled = test_range(&s, 0, 1);
        for (int j = 1; j < 4; j++)
            if (test_range(&s, 0, 1)) st[j] = steps[test_range(&s, 0, 12)];
        int n = k ? o.k : 16, m = k ? 16 : o.k;
        if (m < 16) across = 4;
        int log = __builtin_ctz((unsigned)o.bits) - 3, width = (int)test_range(&s, 1, 3);
        char head[48] = "";
        if (swizzled) snprintf(head, sizeof head, "Sw<%d,%d,%d> o ", width, 4 - log + (int)test_range(&s, 0, 1), 3);
        char a[40], b[40], c[40], d[40];
        snprintf(a, sizeof a, "(%d,%d)", chunk, n / chunk), snprintf(b, sizeof b, "(%d,%d)", st[0], st[1]);
        snprintf(c, sizeof c, "(%d,%d)", across, m / across), snprintf(d, sizeof d, "(%d,%d)", st[2], st[3]);
        snprintf(text, sizeof text, "%s%d o (%s,%s):(%s,%s)", head, chunk * (int)test_range(&s, 0, 3), k ? c : a, k ? a : c, k ? d : b,
                 k ? b : d);
        zlay_layout *layout = read_layout(ctx, text);
        compare(ctx, &o, layout, test_range(&s, 0, 1), &t);
        zlay_layout_free(layout);
    }
    printf("%llu found, %llu none\n", (unsigned long long)t.found, (unsigned long long)t.none);
    assert_true(t.found > 20 && t.none > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fields_read_is_found),
        cmocka_unit_test(mutants_are_decided),
        cmocka_unit_test(strides_are_decided),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
