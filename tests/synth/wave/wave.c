/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of operands through shared memory, played byte for byte by what a load, a store and a read are, with the numbers of zlay_wave_summary
 * alone; what registers then hold is held against the maps that AMD's calculator prints. */
#include "heap.h"
#include "tiles/wave_play.h"

typedef struct tally {
    uint32_t plans, none, direct, free_of_conflict, counted;
} tally;

static void random_plans(void **state)
{
    static played p;
    tally t = {0};
    zlay_ctx *ctx = *state;
    uint64_t s = test_seed("synth/wave/wave");
    for (uint64_t n = 0; n < test_iterations(1200); n++) {
        const form *f = &forms[test_range(&s, 0, FORMS - 1)];
        if (!f->target) continue;
        zlay_wave_request r = wave_draw(&s, f);
        zlay_wave_summary i;
        zlay_wave *w = NULL;
        zlay_status status = zlay_wave_synth(ctx, &w, target_of(f->target), &r);
        if (status == ZLAY_NONE || status == ZLAY_ENOTSUP) {
            assert_null(w);
            assert_non_null(strstr(zlay_ctx_message(ctx), status == ZLAY_NONE ? "SMEM_BLOCK" : ": no "));
            t.none++;
            continue;
        }
        if (status) fail_msg("%d: %s", status, zlay_ctx_message(ctx));
        check_plan(ctx, &p, w, f, &r);
        zlay_wave_info(&i, w);
        t.plans++, t.direct += i.direct;
        t.counted += i.reads_counted == ZLAY_YES;
        t.free_of_conflict += i.reads_counted == ZLAY_YES && i.read_wavefronts == i.read_ideal;
        zlay_wave_free(w);
    }
    printf("%u plans, %u of them straight, %u of %u counted ones without conflict; %u none\n", t.plans, t.direct, t.free_of_conflict, t.counted, t.none);
    assert_true(t.plans > t.none && t.direct && t.counted);
}

static zlay_wave_request plain(void)
{
    zlay_wave_request r = {.size = sizeof r, .fragment = ZLAY_FRAGMENT_A, .rows = 128, .depth = 64, .threads = 256, .parts = 4};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    return r;
}

static zlay_status waved(zlay_ctx *ctx, void *request)
{
    zlay_wave *w = (zlay_wave *)1;
    zlay_status status = zlay_wave_synth(ctx, &w, target_of("gfx950"), request);
    if (status) assert_null(w);
    zlay_wave_free(w);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    zlay_wave_request r = plain();
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    assert_int_equal(heap_fails_each(&h, ctx, waved, &r), ZLAY_OK);
    assert_in_range(h.calls, 14, 999);
    heap_close(&h, ctx);
}

static void refuses(zlay_ctx *ctx, const char *on, zlay_wave_request r, zlay_status want, const char *word)
{
    zlay_wave *w = (zlay_wave *)1;
    assert_int_equal(zlay_wave_synth(ctx, &w, target_of(on), &r), want);
    assert_null(w);
    if (!strstr(zlay_ctx_message(ctx), word)) fail_msg("no %s: %s", word, zlay_ctx_message(ctx));
}

#define WITH(field, value) (r = plain(), r.field = (value), r)

static void what_is_none(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_wave_request r;
    refuses(ctx, "gfx942", plain(), ZLAY_NONE, "MFMA_K");
    refuses(ctx, "sm_90a", plain(), ZLAY_NONE, "MFMA_TARGET");
    refuses(ctx, "gfx950", WITH(rows, 4096), ZLAY_NONE, "SMEM_BLOCK");
    refuses(ctx, "gfx950", WITH(size, 3), ZLAY_EINVAL, "size");
    refuses(ctx, "gfx950", WITH(size, sizeof r + 1), ZLAY_EINVAL, "size");
    refuses(ctx, "gfx950", WITH(reserved[3], 1), ZLAY_EINVAL, "reserved");
    refuses(ctx, "gfx950", WITH(fragment, ZLAY_FRAGMENT_D), ZLAY_EINVAL, "fragment");
    refuses(ctx, "gfx950", WITH(path, 3), ZLAY_EINVAL, "path");
    refuses(ctx, "gfx950", WITH(any_order, 2), ZLAY_EINVAL, "any_order");
    refuses(ctx, "gfx950", WITH(align, 12), ZLAY_EINVAL, "align");
    refuses(ctx, "gfx950", WITH(rows, 0), ZLAY_EINVAL, "rows");
    refuses(ctx, "gfx950", WITH(rows, 96), ZLAY_EINVAL, "rows: a multiple of 128");
    refuses(ctx, "gfx950", WITH(depth, 48), ZLAY_EINVAL, "depth");
    refuses(ctx, "gfx950", WITH(depth, 8), ZLAY_EINVAL, "depth: a multiple of 16");
    refuses(ctx, "gfx950", WITH(threads, 32), ZLAY_EINVAL, "threads");
    refuses(ctx, "gfx950", WITH(threads, 2048), ZLAY_EINVAL, "threads");
    refuses(ctx, "gfx950", WITH(parts, 5), ZLAY_EINVAL, "parts");
    refuses(ctx, "gfx950", WITH(mma.reserved[0], 1), ZLAY_EINVAL, "");
    refuses(ctx, "gfx950", WITH(mma.k, 17), ZLAY_NONE, "MFMA_K");
    refuses(ctx, "gfx1250", (r = plain(), r.mma.m = r.mma.n = 16, r.mma.k = 32, r), ZLAY_ENOTSUP, "undecided");
    refuses(ctx, "gfx950", (r = plain(), r.mma.k = 4, r), ZLAY_ENOTSUP, "one block");
    r = plain();
    zlay_wave *w = (zlay_wave *)1;
    assert_int_equal(zlay_wave_synth(ctx, NULL, target_of("gfx950"), &r), ZLAY_EINVAL);
    assert_int_equal(zlay_wave_synth(ctx, &w, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_wave_synth(ctx, &w, target_of("gfx950"), NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_wave_synth(NULL, &w, target_of("gfx950"), &r), ZLAY_EINVAL);
    assert_null(w);
    zlay_wave_free(NULL);
    assert_null(zlay_wave_layout(NULL, 0));
}

/* Any value of any word of a request has an answer. */
static void hostile(void **state)
{
    zlay_ctx *ctx = *state;
    uint64_t s = test_seed("t-wave-hostile");
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        zlay_wave_request r = plain();
        zlay_wave *w = NULL;
        for (int64_t k = test_range(&s, 1, 3); k > 0; k--) {
            uint32_t *word = (uint32_t *)(void *)&r + test_range(&s, 0, (int64_t)(sizeof r / 4) - 1);
            *word = test_range(&s, 0, 1) ? (uint32_t)test_random(&s) : (uint32_t)1 << test_range(&s, 0, 31);
        }
        zlay_status status = zlay_wave_synth(ctx, &w, target_of(test_range(&s, 0, 1) ? "gfx950" : "gfx942"), &r);
        assert_true((status == ZLAY_OK) == (w != NULL) && status != ZLAY_EINTERNAL && status != ZLAY_ENOMEM);
        zlay_wave_free(w);
    }
}

/* The example of zlay/wave.h. */
static void by_hand(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_wave *w = NULL;
    zlay_wave_summary i;
    zlay_wave_request r = {.size = sizeof r, .fragment = ZLAY_FRAGMENT_A, .rows = 128, .depth = 64, .threads = 256, .parts = 4};
    r.mma = (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    assert_int_equal(zlay_wave_synth(ctx, &w, target_of("gfx950"), &r), ZLAY_OK);
    assert_int_equal(zlay_wave_info(&i, w), ZLAY_OK);
    assert_true(i.direct && i.load_bytes == 16 && i.loads == 4 && i.load_rows == 32 && i.load_steady);
    assert_true(i.swizzle_bits == 3 && i.swizzle_base == 3 && i.swizzle_shift == 4);
    assert_true(i.reads == 4 && i.read_bytes == 16 && i.steps == 4 && i.blocks == 1 && i.step_registers == 4 && i.registers == 16);
    assert_int_equal(i.read_wavefronts, i.read_ideal);
    for (uint32_t t = 0; t < 256; t++) {
        int64_t at;
        assert_int_equal(zlay_layout_eval(&at, 1, zlay_wave_layout(w, ZLAY_WAVE_LOAD), t), ZLAY_OK);
        assert_int_equal(at, t / 8 * 64 + (t % 8 ^ t / 16 % 8) * 8);
    }
    zlay_wave_free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(random_plans), cmocka_unit_test(no_memory),
                                       cmocka_unit_test(what_is_none), cmocka_unit_test(hostile)};
    return cmocka_run_group_tests(tests, begin, end);
}
