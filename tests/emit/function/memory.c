/* SPDX-License-Identifier: Apache-2.0 */
/* Functions whose n-th allocation fails, for every n: ENOMEM, nothing is left, and the buffer stays as it was. */
#include "functions/ring.h"
#include "heap.h"

#include <zlay/copy_synth.h>

enum { ROOM = 1 << 16 };

typedef struct subject {
    const zlay_layout *layout;
    const zlay_word *word;
    const zlay_convert *plan;
    const zlay_pipe *pipe;
    const zlay_wave *wave;
    const zlay_move *move;
} subject;

static char text[ROOM];

static zlay_buf begun(void)
{
    strcpy(text, "before");
    return (zlay_buf){text, sizeof text, 0};
}

static zlay_status ended(zlay_status status)
{
    assert_int_equal(status != ZLAY_OK, !strcmp(text, "before"));
    return status;
}

static zlay_status layout_printed(zlay_ctx *ctx, void *given)
{
    zlay_buf buf = begun();
    return ended(zlay_emit_layout(ctx, &buf, ((subject *)given)->layout, ZLAY_TEXT_CUDA, "f", 1));
}

static zlay_status word_printed(zlay_ctx *ctx, void *given)
{
    zlay_buf buf = begun();
    return ended(zlay_emit_word_function(ctx, &buf, ((subject *)given)->word, ZLAY_TEXT_CUDA, "f", 1));
}

static zlay_status convert_printed(zlay_ctx *ctx, void *given)
{
    zlay_buf buf = begun();
    return ended(zlay_emit_convert(ctx, &buf, ((subject *)given)->plan, ZLAY_TEXT_PTX, "f", 1));
}

static zlay_status ring_printed(zlay_ctx *ctx, void *given)
{
    zlay_buf buf = begun();
    return ended(zlay_emit_ring(ctx, &buf, target_of("sm_90a"), ((subject *)given)->pipe, ZLAY_TEXT_CUDA, "f", 1));
}

static zlay_status wave_printed(zlay_ctx *ctx, void *given)
{
    zlay_buf buf = begun();
    return ended(zlay_emit_wave(ctx, &buf, ((subject *)given)->wave, ZLAY_TEXT_HIP, "f", 1));
}

static zlay_status copy_printed(zlay_ctx *ctx, void *given)
{
    zlay_buf buf = begun();
    return ended(zlay_emit_copy(ctx, &buf, ((subject *)given)->move, ZLAY_TEXT_CUDA, "f", 1));
}

static zlay_status desc_printed(zlay_ctx *ctx, void *given)
{
    static const uint32_t start[] = {1024, 1040, 1200, 1072, 16, 0, 4096, 2048};
    static const zlay_smemdesc fields = {.lbo = 16, .sbo = 1024, .swizzle = ZLAY_SWIZZLE_128B};
    const zlay_smemdesc_function request = {.size = sizeof request, .language = ZLAY_TEXT_CUDA, .target = target_of("sm_90a"), .fields = &fields,
                                            .start = start, .count = 8, .name = "f", .name_length = 1};
    zlay_buf buf = begun();
    (void)given;
    return ended(zlay_emit_smemdesc(ctx, &buf, &request));
}

static void fails_each(zlay_status (*print)(zlay_ctx *ctx, void *given), heap *h, zlay_ctx *ctx, subject *s)
{
    assert_int_equal(heap_fails_each(h, ctx, print, s), ZLAY_OK);
    assert_true(h->calls > 0);
}

static void layouts(void **state)
{
    static const char *const rows[] = {
        "Sw<3,3,3> o 0 o ((8,8),(64,2)):((64,512),(1,4096))", "f2{a: (45) (51) (22) (63) (7); b: (1) (33) (18) (60) -> y: 64}",
        "f2{a: (1,2) (2,4) (0,1); b: (3,3) (4,0) -> x: 5, y: 6}", "{ [i] -> [2i] : 0 <= i < 3; [i] -> [i mod 2] : 4 <= i < 7 }",
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        heap h;
        zlay_ctx *ctx = heap_open(&h, NULL);
        zlay_layout *a = read_layout(ctx, rows[i]);
        fails_each(layout_printed, &h, ctx, &(subject){.layout = a});
        zlay_layout_free(a);
        heap_close(&h, ctx);
    }
}

/* A conversion whose layouts are not linear over F2, with slots without an element. */
static void conversions(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *src = read_layout(ctx, "(3,32):(32,1)"), *dst = read_layout(ctx, "{ [r,t] -> [r + 3t] : 0 <= r < 3 and 0 <= t < 32 and r + 3t < 90 }");
    zlay_convert_request r = {.size = sizeof r, .elem_bits = 16, .src = src, .dst = dst};
    zlay_convert *plan = NULL;
    (void)state;
    assert_int_equal(zlay_convert_synth(ctx, &plan, target_of("sm_90a"), &r), ZLAY_OK);
    fails_each(convert_printed, &h, ctx, &(subject){.plan = plan});
    zlay_convert_free(plan);
    zlay_layout_free(src);
    zlay_layout_free(dst);
    heap_close(&h, ctx);
}

static void moves(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_layout *map = read_layout(ctx, "(2,2,16):(2,1,4)"), *src = read_layout(ctx, "f2{register: (1) (2) (256); lane: (4) (8) (16) (32) (64); warp: (128) -> t: 512}"),
                *dst = read_layout(ctx, "f2{register: (128) (64) (1); lane: (256) (2) (4) (8) (16); warp: (32) -> t: 512}");
    const zlay_slots slots = {.register_bits = 1, .lane_bits = 5};
    zlay_convert_request r = {.size = sizeof r, .elem_bits = 32, .src = src, .dst = dst};
    zlay_word *word = NULL;
    zlay_convert *plan = NULL;
    zlay_pipe *pipe = read_pipe(ctx, ring_of(2, 2));
    zlay_move *move = NULL;
    zlay_layout *points = read_layout(ctx, "f2{a: (45) (51) (22) (63) (7) (1); b: (64) (128) (256) -> y: 512}"), *rows = read_layout(ctx, "(64,8):(1,64)");
    zlay_copy_request c = {.size = sizeof c, .elem_bits = 16, .source = {points, ZLAY_MOVE_GLOBAL, 0, 16}, .dest = {rows, ZLAY_MOVE_SHARED, 0, 16}};
    assert_int_equal(zlay_copy_synth(ctx, &move, target_of("sm_90a"), &c), ZLAY_OK);
    assert_int_equal(zlay_word_synth(ctx, &word, &slots, map), ZLAY_OK);
    assert_int_equal(zlay_convert_synth(ctx, &plan, target_of("sm_90a"), &r), ZLAY_OK);
    subject s = {.word = word, .plan = plan, .pipe = pipe, .move = move};
    (void)state;
    fails_each(word_printed, &h, ctx, &s);
    fails_each(convert_printed, &h, ctx, &s);
    fails_each(ring_printed, &h, ctx, &s);
    fails_each(desc_printed, &h, ctx, &s);
    fails_each(copy_printed, &h, ctx, &s);
    zlay_move_free(move);
    zlay_layout_free(points);
    zlay_layout_free(rows);
    zlay_pipe_free(pipe);
    zlay_convert_free(plan);
    zlay_word_free(word);
    zlay_layout_free(map);
    zlay_layout_free(src);
    zlay_layout_free(dst);
    heap_close(&h, ctx);
}

static void waves(void **state)
{
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_wave_request r = {.size = sizeof r, .fragment = ZLAY_FRAGMENT_A, .rows = 64, .depth = 64, .threads = 256, .parts = 2};
    zlay_wave *wave = NULL;
    (void)state;
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 8, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    assert_int_equal(zlay_wave_synth(ctx, &wave, target_of("gfx942"), &r), ZLAY_OK);
    fails_each(wave_printed, &h, ctx, &(subject){.wave = wave});
    zlay_wave_free(wave);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(layouts), cmocka_unit_test(moves), cmocka_unit_test(conversions), cmocka_unit_test(waves)};
    return cmocka_run_group_tests_name("memory of functions", tests, NULL, NULL);
}
