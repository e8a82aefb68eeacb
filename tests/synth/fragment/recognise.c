/* SPDX-License-Identifier: Apache-2.0 */
/* Operands in registers and layouts of tensor memory found from layouts: every one that there is finds itself, all that are found
 * are the layout point by point by the figures' formulas, and one that is changed in a point is none of them. */
#include "ctx.h"
#include "heap.h"
#include "legality.h"

#include <zlay/fragment.h>
#include <zlay/tmem.h>
#include <zlay/pieces.h>

enum { ROOM = 128, POINTS = 1 << 17 };

/* ---- the figures -------------------------------------------------------------------------- */

/* Row and column of value v of thread t, as the PTX ISA's figures have them. */
static void figure(const zlay_fragment *f, int64_t t, int64_t v, int64_t *row, int64_t *column)
{
    int64_t quad = t / 4 % 8, in_quad = t % 4, each = 32 / f->bits, r = v / each, warp = t / 32;
    bool group = f->lanes == 128;
    *row = *column = -1;
    if (group && f->fragment == ZLAY_FRAGMENT_D) *row = 16 * warp + quad + 8 * (v / 2 % 2), *column = 8 * (v / 4) + 2 * in_quad + v % 2;
    if (group && f->fragment == ZLAY_FRAGMENT_A)
        *row = 16 * warp + quad + 8 * (r % 2), *column = 4 * each * (r / 2) + each * in_quad + v % each;
    if (!group && f->fragment == ZLAY_WARP_A) *row = quad + 8 * (r % 2), *column = 4 * each * (r / 2) + each * in_quad + v % each;
    if (!group && f->fragment == ZLAY_WARP_B) *row = quad, *column = 4 * each * r + each * in_quad + v % each;
    if (!group && f->fragment == ZLAY_WARP_D) *row = quad + 8 * (v / 2), *column = 2 * in_quad + v % 2;
    if (!group && f->fragment == ZLAY_WARP_MATRICES) *row = quad, *column = 8 * (v / 2) + 2 * in_quad + v % 2;
    if (!group && f->fragment == ZLAY_WARP_TRANSPOSED) *row = 2 * in_quad + v % 2, *column = 8 * (v / 2) + quad;
}

static bool is_figure(const zlay_fragment *f, const zlay_layout *layout)
{
    int64_t threads = f->lanes, values = (int64_t)zlay_layout_size(layout) / threads;
    if (threads * values != (int64_t)zlay_layout_size(layout)) return false;
    for (int64_t i = 0; i < threads * values; i++) {
        int64_t row, column, at;
        figure(f, i % threads, i / threads, &row, &column);
        if (zlay_layout_eval(&at, 1, layout, (uint64_t)i) || at != row + f->rows * column) return false;
    }
    return true;
}

static bool listed(const zlay_fragment *found, size_t count, const zlay_fragment *f)
{
    for (size_t i = 0; i < count; i++)
        if (!memcmp(&found[i], f, sizeof *f)) return true;
    return false;
}

static size_t ask(zlay_ctx *ctx, zlay_fragment *found, const zlay_layout *layout, uint32_t bits, zlay_status want)
{
    zlay_fragment_request r = {.size = sizeof r, .bits = bits, .layout = layout};
    size_t count = 0;
    zlay_status status = zlay_fragment_synth(ctx, found, ROOM, &count, &r);
    if (status != want) fail_msg("%d: %s", status, zlay_ctx_message(ctx));
    return count;
}

/* The layout with one point moved to another, as pieces; NULL where that is no change. */
static zlay_layout *moved_at(zlay_ctx *ctx, const zlay_layout *layout, int64_t at, int64_t by)
{
    char text[256];
    zlay_layout *change = NULL, *out = NULL;
    int64_t value, far = INT64_C(1) << 32;
    assert_int_equal(zlay_layout_eval(&value, 1, layout, (uint64_t)at), ZLAY_OK);
    snprintf(text, sizeof text, "{ [x] -> [x] : 0 <= x < %lld and x != %lld; [x] -> [x + %lld] : x = %lld }", (long long)far, (long long)value,
             (long long)by, (long long)value);
    change = read_layout(ctx, text);
    assert_int_equal(zlay_layout_compose(ctx, &out, change, layout), ZLAY_OK);
    zlay_layout_free(change);
    return out;
}

/* ---- registers ------------------------------------------------------------------------------ */

static const int32_t a_types[] = {ZLAY_TYPE_TF32, ZLAY_TYPE_F16, ZLAY_TYPE_S8, ZLAY_TYPE_B1};

static zlay_layout *of_group(zlay_ctx *ctx, zlay_fragment *f, size_t i)
{
    zlay_layout *layout = NULL;
    bool d = i >= 4;
    uint32_t bits = d ? 32 : zlay_type_bits(a_types[i]), k = 256 / (d ? 16 : bits), n = d ? 8 * (uint32_t)(i - 3) : 8;
    zlay_mma mma = {.m = 64, .n = n, .k = k, .a = d ? ZLAY_TYPE_F16 : a_types[i], .d = ZLAY_TYPE_F32};
    if (mma.a == ZLAY_TYPE_S8 || mma.a == ZLAY_TYPE_B1) mma.d = ZLAY_TYPE_S32;
    mma.b = mma.a;
    *f = (zlay_fragment){.lanes = 128, .fragment = d ? ZLAY_FRAGMENT_D : ZLAY_FRAGMENT_A, .bits = bits, .rows = 64, .columns = d ? n : k};
    f->registers = f->rows * f->columns * bits / 32 / 128;
    assert_int_equal(zlay_mma_fragment(ctx, &layout, target_of("sm_90a"), &mma, f->fragment), ZLAY_OK);
    return layout;
}

static void finds_itself_and_no_more(zlay_ctx *ctx, const zlay_layout *layout, const zlay_fragment *f, uint64_t *s)
{
    zlay_fragment found[ROOM];
    size_t count = ask(ctx, found, layout, 0, ZLAY_OK);
    if (!listed(found, count, f)) fail_msg("fragment %d of %u lanes is not found", f->fragment, f->lanes);
    for (size_t i = 0; i < count; i++)
        if (!is_figure(&found[i], layout)) fail_msg("fragment %d of %u lanes is another one", found[i].fragment, found[i].lanes);
    count = ask(ctx, found, layout, f->bits, ZLAY_OK);
    for (size_t i = 0; i < count; i++) assert_int_equal(found[i].bits, f->bits);
    int64_t at = test_range(s, 0, (int64_t)zlay_layout_size(layout) - 1);
    zlay_layout *other = moved_at(ctx, layout, at, test_range(s, 0, 1) ? 1 : 1 << 20);
    ask(ctx, found, other, 0, ZLAY_NONE);
    int thread = -1, value = -1;
    const char *where = strstr(zlay_ctx_message(ctx), "thread ");
    assert_non_null(where);
    assert_int_equal(sscanf(where, "thread %d, value %d", &thread, &value), 2);
    zlay_layout_free(other);
}

static void operands_of_wgmma(void **state)
{
    uint64_t s = test_seed("synth/fragment/recognise wgmma");
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < 4 + 32; i++) {
        zlay_fragment f;
        zlay_layout *layout = of_group(ctx, &f, i);
        finds_itself_and_no_more(ctx, layout, &f, &s);
        zlay_layout_free(layout);
    }
}

static void operands_of_a_warp(void **state)
{
    static const uint32_t widths[] = {1, 4, 8, 16, 32}, counts[] = {1, 2, 4};
    uint64_t s = test_seed("synth/fragment/recognise warp"), tried = 0;
    zlay_ctx *ctx = *state;
    for (int32_t which = ZLAY_WARP_A; which <= ZLAY_WARP_TRANSPOSED; which++)
        for (size_t i = 0; i < 15; i++) {
            zlay_fragment f = {.lanes = 32, .fragment = which, .bits = widths[i / 3], .registers = counts[i % 3]};
            zlay_layout *layout = NULL;
            if (zlay_warp_fragment(ctx, &layout, which, f.bits, f.registers)) continue;
            f.rows = which == ZLAY_WARP_A || which == ZLAY_WARP_D ? 16 : 8;
            f.columns = (uint32_t)zlay_layout_size(layout) / f.rows;
            finds_itself_and_no_more(ctx, layout, &f, &s);
            zlay_layout_free(layout);
            tried++;
        }
    assert_int_equal(tried, 10 + 10 + 1 + 3 + 3);
}

static void metadata(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_fragment found[ROOM];
    zlay_layout *halves = read_layout(ctx, "((2,8,4),(4,2)):((256,1,16),(64,8))"), *bytes = read_layout(ctx, "((2,2,8,4),8):((8,512,1,16),64)");
    size_t count = ask(ctx, found, halves, 0, ZLAY_OK);
    assert_true(count == 1 && found[0].fragment == ZLAY_FRAGMENT_METADATA && found[0].registers == 1 && found[0].columns == 8);
    count = ask(ctx, found, bytes, 0, ZLAY_OK);
    assert_true(count == 1 && found[0].fragment == ZLAY_FRAGMENT_METADATA && found[0].registers == 1 && found[0].columns == 16);
    zlay_layout_free(halves);
    zlay_layout_free(bytes);
}

/* The header's example; values first, as registers of a bit matrix; rows and columns as two dimensions. */
static void in_other_words(void **state)
{
    static const char *const same[] = {"((4,8),(2,2)):((32,1),(16,8))",
                                       "{ [l, v] -> [floor(l/4) + 8*floor(v/2), 2*(l mod 4) + (v mod 2)] : 0 <= l < 32 and 0 <= v < 4 }",
                                       "f2{register: (0,1) (8,0); lane: (0,2) (0,4) (1,0) (2,0) (4,0) -> m: 16, n: 8}"};
    zlay_ctx *ctx = *state;
    for (size_t i = 0; i < 3; i++) {
        zlay_layout *layout = read_layout(ctx, same[i]);
        zlay_fragment found[ROOM];
        zlay_fragment_request r = {.size = sizeof r, .value_first = i == 2, .layout = layout};
        size_t count = 0;
        assert_int_equal(zlay_fragment_synth(ctx, found, ROOM, &count, &r), ZLAY_OK);
        assert_int_equal(count, 2);
        assert_true(found[0].fragment == ZLAY_WARP_A && found[0].bits == 16 && found[0].registers == 2 && found[0].columns == 8);
        assert_true(found[1].fragment == ZLAY_WARP_D && found[1].registers == 4);
        zlay_layout_free(layout);
    }
    zlay_layout *other = read_layout(ctx, "((4,8),(2,2)):((32,1),(16,4))");
    zlay_fragment found[ROOM];
    ask(ctx, found, other, 0, ZLAY_NONE);
    assert_non_null(strstr(zlay_ctx_message(ctx), "thread 0, value 2 holds element 4, and there 8"));
    zlay_layout_free(other);
}

/* ---- tensor memory ---------------------------------------------------------------------------- */

static uint32_t draw_size(int32_t shape, uint64_t *s)
{
    if (shape <= ZLAY_TMEM_16X32BX2) return 1u << test_range(s, 0, 7);
    if (shape <= ZLAY_TMEM_CP_32X128B) return 0;
    return shape < ZLAY_TMEM_SCALES ? 8 * (uint32_t)test_range(s, 1, 32) : 64 * (uint32_t)test_range(s, 1, 4);
}

static zlay_tmem_map draw(uint64_t *s)
{
    static const uint32_t factors[] = {1, 2, 3, 4, 6};
    int32_t shape = (int32_t)test_range(s, ZLAY_TMEM_16X64B, ZLAY_TMEM_SCALES_HALF);
    zlay_tmem_map map = {.shape = shape, .size = draw_size(shape, s), .address = (uint32_t)test_range(s, 0, 511)};
    if (shape <= ZLAY_TMEM_16X32BX2) map.pack = (uint32_t)test_range(s, 0, 1), map.address += 65536 * 32 * (uint32_t)test_range(s, 0, 3);
    if (shape == ZLAY_TMEM_16X32BX2) map.half_split = (uint32_t)test_range(s, 1, 511);
    if (shape >= ZLAY_TMEM_SCALES) map.factors = factors[test_range(s, 0, 4)];
    if (map.factors == 1 || map.factors == 3) map.first = (uint32_t)test_range(s, 0, 3);
    if (map.factors == 2 || map.factors == 6) map.first = 2 * (uint32_t)test_range(s, 0, 1);
    return map;
}

static bool same_layout(zlay_ctx *ctx, const zlay_tmem_map *map, const zlay_layout *layout)
{
    zlay_layout *other = NULL;
    bool same = !zlay_tmem_layout(ctx, &other, map) && zlay_layout_size(other) == zlay_layout_size(layout);
    for (uint64_t i = 0; same && i < zlay_layout_size(layout); i++) {
        int64_t a, b;
        same = !zlay_layout_eval(&a, 1, layout, i) && !zlay_layout_eval(&b, 1, other, i) && a == b;
    }
    zlay_layout_free(other);
    return same;
}

static void layouts_of_tensor_memory(void **state)
{
    uint64_t s = test_seed("synth/fragment/recognise tmem"), tried = 0;
    zlay_ctx *ctx = *state;
    for (uint64_t n = 0; n < test_iterations(300); n++) {
        zlay_tmem_map map = draw(&s), found[ROOM];
        zlay_layout *layout = NULL;
        size_t count = 0, itself = 0;
        if (zlay_tmem_layout(ctx, &layout, &map)) continue;
        if (zlay_tmem_synth(ctx, found, ROOM, &count, layout)) fail_msg("%s: %s", zlay_tmem_shape_name(map.shape), zlay_ctx_message(ctx));
        for (size_t i = 0; i < count; i++) {
            itself += !memcmp(&found[i], &map, sizeof map);
            assert_true(same_layout(ctx, &found[i], layout));
        }
        if (itself != 1) fail_msg("%s of size %u, %u factors from %u, is not found", zlay_tmem_shape_name(map.shape), map.size, map.factors, map.first);
        int64_t at = test_range(&s, 1, (int64_t)zlay_layout_size(layout) - 1), value, first;
        assert_int_equal(zlay_layout_eval(&value, 1, layout, (uint64_t)at), ZLAY_OK);
        assert_int_equal(zlay_layout_eval(&first, 1, layout, 0), ZLAY_OK);
        zlay_layout *other = value == first ? NULL : moved_at(ctx, layout, at, 1 << 30);
        if (other) assert_int_equal(zlay_tmem_synth(ctx, found, ROOM, &count, other), ZLAY_NONE);
        zlay_layout_free(other);
        zlay_layout_free(layout);
        tried++;
    }
    assert_true(tried > 100);
}

/* Lanes and columns as two dimensions. */
static void lanes_and_columns(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *layout = read_layout(ctx, "{ [r, c] -> [r, 16 + c] : 0 <= r < 128 and 0 <= c < 64 }");
    zlay_tmem_map found[ROOM];
    size_t count = 0;
    assert_int_equal(zlay_tmem_synth(ctx, found, ROOM, &count, layout), ZLAY_OK);
    assert_true(count == 2 && found[0].shape == ZLAY_TMEM_PATH_A && found[1].shape == ZLAY_TMEM_PATH_D);
    assert_true(found[1].size == 64 && found[1].address == 16);
    assert_int_equal(zlay_tmem_synth(ctx, found, 1, &count, layout), ZLAY_EROOM);
    assert_int_equal(count, 2);
    zlay_layout_free(layout);
}

/* ---- what is no question --------------------------------------------------------------------- */

static void refused(void **state)
{
    static const struct {
        const char *text;
        zlay_status status;
    } rows[] = {{"[N] -> { [t, v] -> [t + N v] : 0 <= t < 32 and 0 <= v < 4 }", ZLAY_EINVAL},
                {"[N] -> { [t, v] -> [t + N] : 0 <= t < 32 and 0 <= v < 4 }", ZLAY_ENOTSUP},
                {"{ [t] -> [t, t, t] : 0 <= t < 128 }", ZLAY_EINVAL},
                {"(1024,512):(1,1024)", ZLAY_ELIMIT},
                {"(7,5):(1,7)", ZLAY_NONE},
                {"{ [t, v] -> [t + 32 v] : 0 <= t < 32 and 0 <= v < 4 and t + v > 0 }", ZLAY_NONE}};
    zlay_ctx *ctx = *state;
    zlay_fragment f[4], before[4];
    zlay_tmem_map m[4], first[4];
    memset(f, 7, sizeof f), memset(m, 7, sizeof m);
    memcpy(before, f, sizeof f), memcpy(first, m, sizeof m);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_layout *layout = NULL;
        size_t count = 99;
        zlay_status status = zlay_layout_parse(ctx, &layout, rows[i].text, strlen(rows[i].text));
        zlay_fragment_request r = {.size = sizeof r, .layout = layout};
        if (i == 0) assert_int_not_equal(status, ZLAY_OK);
        assert_int_equal(zlay_fragment_synth(ctx, f, 4, &count, &r), rows[i].status);
        if (layout) assert_int_equal(zlay_tmem_synth(ctx, m, 4, &count, layout), rows[i].status);
        assert_int_equal(count, 99);
        zlay_layout_free(layout);
    }
    zlay_layout *layout = read_layout(ctx, "((4,8),(2,2)):((32,1),(16,8))");
    zlay_fragment_request r = {.size = sizeof r, .layout = layout}, wrong = r;
    size_t count = 99;
    assert_int_equal(zlay_fragment_synth(NULL, f, 4, &count, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_fragment_synth(ctx, NULL, 4, &count, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_fragment_synth(ctx, f, 4, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_fragment_synth(ctx, f, 4, &count, NULL), ZLAY_EINVAL);
    wrong.size = sizeof r + 1;
    assert_int_equal(zlay_fragment_synth(ctx, f, 4, &count, &wrong), ZLAY_EINVAL);
    wrong = r, wrong.value_first = 2;
    assert_int_equal(zlay_fragment_synth(ctx, f, 4, &count, &wrong), ZLAY_EINVAL);
    wrong = r, wrong.reserved = 1;
    assert_int_equal(zlay_fragment_synth(ctx, f, 4, &count, &wrong), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_synth(ctx, m, 4, &count, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_synth(ctx, NULL, 4, &count, layout), ZLAY_EINVAL);
    assert_int_equal(zlay_fragment_synth(ctx, f, 1, &count, &r), ZLAY_EROOM);
    assert_int_equal(count, 2);
    assert_memory_equal(f, before, sizeof f);
    assert_memory_equal(m, first, sizeof m);
    zlay_layout_free(layout);
}

static zlay_status found(zlay_ctx *ctx, void *given)
{
    zlay_layout *const *of = given;
    zlay_fragment f[4];
    zlay_tmem_map m[4];
    size_t count = 99;
    zlay_fragment_request r = {.size = sizeof r, .layout = of[0]};
    zlay_status status = of[0] ? zlay_fragment_synth(ctx, f, 4, &count, &r) : zlay_tmem_synth(ctx, m, 4, &count, of[1]);
    if (status) assert_int_equal(count, 99);
    return status;
}

static void without_memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *registers[2] = {read_layout(ctx, "((4,8),(2,2)):((32,1),(16,8))")}, *columns[2] = {NULL, read_layout(ctx, "(128,64):(65536,1)")};
    assert_int_equal(heap_fails_each(&h, ctx, found, registers), ZLAY_OK);
    size_t calls = h.calls;
    assert_int_equal(heap_fails_each(&h, ctx, found, columns), ZLAY_OK);
    assert_true(calls + h.calls > 10);
    zlay_layout_free(registers[0]);
    zlay_layout_free(columns[1]);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_of_wgmma), cmocka_unit_test(operands_of_a_warp), cmocka_unit_test(metadata),
        cmocka_unit_test(in_other_words),    cmocka_unit_test(layouts_of_tensor_memory), cmocka_unit_test(lanes_and_columns),
        cmocka_unit_test(refused),           cmocka_unit_test(without_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
