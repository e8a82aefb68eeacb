/* SPDX-License-Identifier: Apache-2.0 */
/* The named set at 2 to 5 stages, for both targets, put to ptxas; in CUDA C, at 3, to nvcc. No products of
 * wgmma wait for each other. */
#define _POSIX_C_SOURCE 200809L /* mkstemp, fdopen */
#include "assembler.h"
#include "ctx.h"
#include "pipes/named.h"

#include <string.h>
#include <zlay/zlay.h>

enum { ROOM = 1 << 20 };

static char room[ROOM];

/* ENOTSUP: the target has no such instructions, or not so much shared memory. */
static zlay_status printed(zlay_ctx *ctx, const char *text, const char *name, int32_t language)
{
    const zlay_target *target = NULL;
    zlay_pipe *pipe = NULL;
    assert_int_equal(zlay_target_find(&target, name, strlen(name)), ZLAY_OK);
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, text, strlen(text)), ZLAY_OK);
    zlay_pipe_emit ask = {.size = sizeof ask, .language = language, .target = target, .pipe = pipe,
                          .name = "piped", .name_length = 5, .unchecked = 1};
    zlay_buf buf = {room, ROOM, 0};
    zlay_status status = zlay_emit_pipe(ctx, &buf, NULL, NULL, 0, &ask);
    zlay_pipe_free(pipe);
    return status;
}

/* The sums of attention begin in a `use` that prints nothing here, and ptxas has no registers for what was there before. */
static bool begins_sums(const char *name) { return strcmp(name, "attention") != 0; }

static unsigned all(zlay_ctx *ctx, int32_t language, unsigned fewest, unsigned most)
{
    static const char *const targets[] = {"sm_90a", "sm_100a"};
    static char text[NAMED_TEXT];
    unsigned taken = 0;
    for (size_t i = 0; i < NAMED; i++)
        for (unsigned stages = fewest; stages <= most; stages++)
            for (size_t t = 0; t < 2; t++) {
                if (stages < named[i].fewest) continue;
                named_read(text, named[i].name, stages);
                zlay_status status = printed(ctx, text, targets[t], language);
                if (status == ZLAY_ENOTSUP) continue;
                bool (*takes)(const char *target, const char *text) =
                    language != ZLAY_TEXT_PTX ? compiles : begins_sums(named[i].name) ? assembles_fast : assembles;
                if (status || !takes(targets[t], room))
                    fail_msg("%s of %u stages for %s: %s", named[i].name, stages, targets[t], zlay_ctx_message(ctx));
                taken++;
            }
    return taken;
}

static void assembled(void **state)
{
    need_assembler();
    unsigned taken = test_exhaustive() ? all(*state, ZLAY_TEXT_PTX, 2, 5) : all(*state, ZLAY_TEXT_PTX, 3, 3);
    printf("%u texts\n", taken);
    assert_true(taken >= NAMED);
}

static void compiled(void **state)
{
    need_compiler();
    assert_true(all(*state, ZLAY_TEXT_CUDA, 3, 3) >= NAMED);
}

int main(void)
{
    const struct CMUnitTest sample[] = {cmocka_unit_test(assembled)};
    const struct CMUnitTest whole[] = {cmocka_unit_test(assembled), cmocka_unit_test(compiled)};
    return test_exhaustive() ? cmocka_run_group_tests(whole, begin, end) : cmocka_run_group_tests(sample, begin, end);
}
