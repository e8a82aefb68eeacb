/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of copies: their text is executed on memory, block by block, and every byte of the
 * destination and of the margins around it is what the two layouts say. */
#include "ptx-machine.h"
#include "transfers.h"

enum { ROOM = 1 << 18, BASE_FROM = 1 << 24, BASE_TO = 1 << 28 };

static int begin(void **state) { return zlay_ctx_new((zlay_ctx **)state, NULL, NULL); }

static int end(void **state)
{
    zlay_ctx_free(*state);
    return 0;
}

static const zlay_target *target_of(const char *name)
{
    const zlay_target *target = NULL;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    return target;
}

static char *text_of(zlay_ctx *ctx, const zlay_transfer *t)
{
    char *text = malloc(ROOM);
    zlay_buf buf = {text, ROOM, 0};
    assert_non_null(text);
    if (zlay_emit_transfer(ctx, &buf, t, "moved", 5)) fail_msg("%s", zlay_ctx_message(ctx));
    return text;
}

static void execute(const char *text, const zlay_transfer_info *info, pm_memory source,
                    pm_memory dest, uint64_t from, uint64_t to)
{
    pm_machine *m = pm_new(text);
    m->memories = 2;
    m->memory[0] = source;
    m->memory[1] = dest;
    for (uint32_t block = 0; block < info->blocks; block++)
        pm_block(m, block, info->threads, from, to);
    pm_free(m);
}

/* How many bytes come out wrong; pointers are aligned as the request says and no better. */
static uint64_t wrong_bytes(zlay_ctx *ctx, const drawn *d, const zlay_transfer *t, const char *text,
                            uint64_t seed)
{
    zlay_transfer_info info;
    assert_int_equal(zlay_transfer_get(&info, t), ZLAY_OK);
    zlay_layout *source = drawn_layout(ctx, d, 0), *dest = drawn_layout(ctx, d, 1);
    drawn_memory from = drawn_bytes(&seed, source, d->elem), to = drawn_bytes(&seed, dest, d->elem);
    uint8_t *want = drawn_expected(&from, &to, source, dest, d->elem);
    uint64_t bad = 0, base_from = BASE_FROM + d->from_align, base_to = BASE_TO + d->to_align;
    pm_memory memory_from = {base_from, from.size, from.bytes};
    pm_memory memory_to = {base_to, to.size, to.bytes};
    execute(text, &info, memory_from, memory_to, base_from + from.first, base_to + to.first);
    for (uint64_t i = 0; i < to.size; i++) bad += to.bytes[i] != want[i];
    free(want);
    free(from.bytes);
    free(to.bytes);
    zlay_layout_free(source);
    zlay_layout_free(dest);
    return bad;
}

static zlay_transfer *plan_of(zlay_ctx *ctx, const drawn *d, const char *target)
{
    zlay_transfer *t = NULL;
    zlay_layout *source = drawn_layout(ctx, d, 0), *dest = drawn_layout(ctx, d, 1);
    zlay_transfer_request r = drawn_request(d, source, dest);
    if (zlay_transfer_synth(ctx, &t, target_of(target), &r))
        fail_msg("%s: %s", drawn_text(d), zlay_ctx_message(ctx));
    zlay_layout_free(source);
    zlay_layout_free(dest);
    return t;
}

static void check_drawn(zlay_ctx *ctx, const drawn *d, uint64_t seed)
{
    zlay_transfer *t = plan_of(ctx, d, "sm_90a");
    char *text = text_of(ctx, t);
    uint64_t bad = wrong_bytes(ctx, d, t, text, seed);
    if (bad) fail_msg("%s: %llu bytes are wrong\n%s", drawn_text(d), (unsigned long long)bad, text);
    free(text);
    zlay_transfer_free(t);
}

static const int32_t paths[] = {ZLAY_PATH_THREADS, ZLAY_PATH_REALIGN, ZLAY_PATH_CP_ASYNC,
                                ZLAY_PATH_BULK, ZLAY_PATH_TRANSPOSE, ZLAY_PATH_MATRIX, 0};
enum { PATHS = sizeof paths / sizeof paths[0] };

static void test_copies(void **state)
{
    uint64_t seed = test_seed("random copies"), count = test_iterations(12);
    for (int p = 0; p < PATHS; p++)
        for (uint64_t i = 0; i < count; i++) {
            drawn d = drawn_make(&seed, paths[p] ? paths[p] : paths[i % (PATHS - 1)]);
            d.path = paths[p];
            if (!d.path) d.threads = 0;
            check_drawn(*state, &d, seed);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_copies)};
    return cmocka_run_group_tests(tests, begin, end);
}
