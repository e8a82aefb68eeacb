/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of rows, a small world whole: 1 to 3 rows of every number of bytes up to 50, elements of 1 to 16 bytes, every
 * alignment of both pointers from an element to 16 bytes, every pitch from a row to two elements more (of one row, which
 * has none, one), by the path that is chosen, by `realign` and by `cp_async` where they are legal. The text is executed;
 * every byte is compared. */
#include "blocks/blocks.h"
#include "ctx.h"
#include "tiles/transfers.h"

enum { ROOM = 1 << 17, BASE_FROM = 1 << 24, BASE_TO = 1 << 28, BYTES_MOST = 50 };

typedef struct tried {
    uint64_t copies, none;
} tried;

static void execute(zlay_ctx *ctx, const zlay_transfer_request *r, const zlay_transfer *t,
                    const drawn *d, uint64_t seed)
{
    static char text[ROOM];
    zlay_buf buf = {text, ROOM, 0};
    zlay_transfer_summary info;
    uint64_t from_at = BASE_FROM + d->from_align, to_at = BASE_TO + d->to_align;
    assert_int_equal(zlay_emit_transfer(ctx, &buf, t, "moved", 5), ZLAY_OK);
    assert_int_equal(zlay_transfer_info(&info, t), ZLAY_OK);
    drawn_memory from = drawn_bytes(&seed, r->source, d->elem);
    drawn_memory to = drawn_bytes(&seed, r->dest, d->elem);
    uint8_t *want = drawn_expected(&from, &to, r->source, r->dest, d->elem);
    pm_machine *m = pm_new(text);
    m->memories = 2;
    m->memory[0] = (pm_memory){from_at, from.size, from.bytes};
    m->memory[1] = (pm_memory){to_at, to.size, to.bytes};
    for (uint32_t block = 0; block < info.blocks; block++)
        pm_block(m, block, info.threads, from_at + from.first, to_at + to.first);
    if (memcmp(to.bytes, want, to.size)) fail_msg("%s\n%s", drawn_text(d), text);
    pm_free(m);
    free(want);
    free(from.bytes);
    free(to.bytes);
}

static void check(zlay_ctx *ctx, drawn d, int32_t path, tried *count)
{
    zlay_transfer *t = NULL;
    const zlay_target *target = NULL;
    d.path = path;
    d.threads = 32;
    zlay_layout *source = drawn_layout(ctx, &d, 0), *dest = drawn_layout(ctx, &d, 1);
    zlay_transfer_request r = drawn_request(&d, source, dest);
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    zlay_status status = zlay_transfer_synth(ctx, &t, target, &r);
    if (status && (status != ZLAY_NONE || !path))
        fail_msg("%s: %s", drawn_text(&d), zlay_ctx_message(ctx));
    count->copies += !status;
    count->none += status == ZLAY_NONE;
    if (!status) execute(ctx, &r, t, &d, count->copies);
    zlay_transfer_free(t);
    zlay_layout_free(source);
    zlay_layout_free(dest);
}

static void check_paths(zlay_ctx *ctx, const drawn *d, tried *count)
{
    static const int32_t paths[] = {0, ZLAY_PATH_REALIGN, ZLAY_PATH_CP_ASYNC};
    for (int i = 0; i < 3; i++) check(ctx, *d, paths[i], count);
}

/* Every `sample`-th of the world: all of it under ZLAY_EXHAUSTIVE=2, one in 4 under 1. */
static void test_rows(void **state)
{
    uint64_t sample = test_hours() ? 1 : test_exhaustive() ? 4 : 997, at = 0;
    tried count = {0, 0};
    for (uint32_t elem = 1; elem <= 16; elem *= 2)
        for (int64_t row = 1; row * elem <= BYTES_MOST; row++)
            for (int64_t rows = 1; rows <= 3; rows++)
                for (int64_t pad = 0; pad < (rows > 1 ? 9 : 1); pad++)
                    for (uint32_t from = elem; from <= 16; from *= 2)
                        for (uint32_t to = elem; to <= 16; to *= 2) {
                            if (at++ % sample) continue;
                            drawn d = {.elem = elem, .modes = 2, .extent = {row, rows},
                                       .from = {1, row + pad % 3}, .to = {1, row + pad / 3},
                                       .from_align = from, .to_align = to};
                            check_paths(*state, &d, &count);
                        }
    printf("%llu of %llu rows; %llu copies, %llu times none\n", (unsigned long long)(at / sample),
           (unsigned long long)at, (unsigned long long)count.copies,
           (unsigned long long)count.none);
    assert_true(count.copies > 20 && count.none > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, begin, end);
}
