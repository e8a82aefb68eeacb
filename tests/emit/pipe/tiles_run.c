/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels whose iterations compute their own trip counts: a count of the request for `param N 0.. of T`, by the loop's counter
 * or the same for all, executed by the machine; and what is refused. Counts from an array are rows of device/kernels/pipes.def. */
#include "test.h"

#include "ptx/pipes.h"

#define TILES(least, loops)                                                                                                     \
    "pipe tiles\nparam T " least "..\nparam N 0.. of T\nsmem A[3] 4096\nbar full[3] count 1\nbar empty[3] count 128\ninit full\n"   \
    "init empty\nfence mbarrier_init\nsync cta\nrole p warps 0..0 elect\nfor t in 0..T\nfor i in t*N..t*N+N\n"                    \
    "wait empty[i % 3] parity (i / 3 + 1) % 2\nexpect full[i % 3] 4096\narrive full[i % 3]\n"                                     \
    "copy bulk 4096 -> A[i % 3] signal full[i % 3]\nend\nend\nend\nrole c warps 4..7\n" loops "end\n"
#define LOOP(range)                                                                                                             \
    "for t in " range "\nfor i in t*N..t*N+N\nwait full[i % 3] parity i / 3 % 2\nread A[i % 3]\narrive empty[i % 3] threads\nend\nend\n"
static const char whole[] = TILES("0", LOOP("0..T")), parts[] = TILES("2", LOOP("0..T-2") LOOP("T-2..T-1") LOOP("T-1..T")),
                  last_alone[] = TILES("2", LOOP("0..T") "end\nrole e warps 8..8\nfor t in T-1..T\nfor i in t*N..t*N+N\nfence proxy.async\nend\nend\n");
static const char *text = whole;

static zlay_status print(const zlay_pipe_count *count, int32_t language)
{
    zlay_pipe *pipe = NULL;
    zlay_pipe_emit ask = {.size = sizeof ask, .target = piped.target, .name = "piped", .name_length = 5, .tries = TRIES,
                          .counts = count, .counts_count = count ? 1 : 0, .language = language};
    zlay_buf out = {piped.kernel, KERNEL, 0};
    strcpy(piped.text, text);
    zlay_status status = zlay_pipe_parse(piped.ctx, &pipe, text, strlen(text));
    ask.pipe = pipe;
    if (!status) status = zlay_emit_pipe(piped.ctx, &out, &piped.launch, piped.argument, ARGUMENTS, &ask);
    zlay_pipe_free(pipe);
    return status;
}

/* Of every block the first so many stages of A arrive, and nothing else changes. */
static void check_run(unsigned n, unsigned t, unsigned stages, px_when when)
{
    const struct pipe_row row = {.name = "tiles", .text = text, .stages = 3, .clusters = 2, .relation = {{SAME, "A", "A", BY_N, 4096, 0, 4096, -1, 0}}};
    piped.n = n, piped.t = t;
    arguments_make(&piped, &row);
    memory_bind(&machine);
    machine.when = when;
    machine.random = test_random(&piped.seed);
    px_run(&machine, piped.kernel, (int)piped.launch.threads, piped.blocks, (int)piped.cluster);
    if (*machine.fault) fail_msg("N = %u, T = %u: %s", n, t, machine.fault);
    piped.n = stages;
    if (!holds(&piped, &row)) fail_msg("N = %u, T = %u: other bytes than of %u stages", n, t, stages);
}

/* Iteration t has the least of t and the argument. */
static void test_counts_by_the_counter(void **state)
{
    const zlay_pipe_count count = {.param = "N", .axis = "t", .times = 1, .divide = 1};
    (void)state;
    if (print(&count, ZLAY_TEXT_PTX)) fail_msg("%s", zlay_ctx_message(piped.ctx));
    assert_null(strstr(piped.kernel, "counts_N"));
    for (unsigned t = 0; t < 7; t++)
        for (unsigned n = 0; n < 5; n++) {
            unsigned stages = 0;
            for (unsigned k = 0; k < t; k++) stages += k < n ? k : n;
            check_run(n, t, stages, (px_when)((t + n) % 3));
        }
}

/* The last two iterations have loops of their own, which go on with the ring and with the counters. */
static void test_parts(void **state)
{
    const zlay_pipe_count count = {.param = "N", .axis = "t", .times = 1, .divide = 1};
    (void)state;
    text = parts;
    zlay_status status = print(&count, ZLAY_TEXT_PTX);
    if (status) fail_msg("%s", zlay_ctx_message(piped.ctx));
    for (unsigned t = 2; t < 8; t++)
        for (unsigned n = 0; n < 6; n++) {
            unsigned stages = 0;
            for (unsigned k = 0; k < t; k++) stages += k < n ? k : n;
            check_run(n, t, stages, (px_when)((t + n) % 3));
        }
    text = last_alone;
    status = print(&count, ZLAY_TEXT_PTX);
    text = whole;
    assert_int_equal(status, ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(piped.ctx), "the part of a loop is printed only behind the part that ends where it begins"));
}

/* The request may say one number for all iterations. */
static void test_one_number(void **state)
{
    const zlay_pipe_count count = {.param = "N", .add = 9, .divide = 4};
    (void)state;
    if (print(&count, ZLAY_TEXT_PTX)) fail_msg("%s", zlay_ctx_message(piped.ctx));
    assert_null(strstr(piped.kernel, " n_N"));
    check_run(0, 5, 10, PX_ANY_TIME);
}

static void test_arguments(void **state)
{
    (void)state;
    if (print(NULL, ZLAY_TEXT_PTX)) fail_msg("%s", zlay_ctx_message(piped.ctx));
    assert_string_equal(piped.argument[0].name, "n_T");
    assert_string_equal(piped.argument[1].name, "counts_N");
    assert_int_equal(piped.argument[1].kind, ZLAY_ARGUMENT_POINTER);
}

static void test_refusals(void **state)
{
    const zlay_pipe_count behind = {.param = "N", .axis = "t", .times = 1, .divide = 1, .behind = 1};
    const zlay_pipe_count none = {.param = "N", .axis = "x", .times = 1, .divide = 1};
    (void)state;
    assert_int_equal(print(&behind, ZLAY_TEXT_PTX), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(piped.ctx), "`behind` of a count of each iteration"));
    assert_int_equal(print(&none, ZLAY_TEXT_PTX), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(piped.ctx), "there is no axis x"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_counts_by_the_counter), cmocka_unit_test(test_parts), cmocka_unit_test(test_one_number),
                                       cmocka_unit_test(test_arguments), cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, begin, end);
}
