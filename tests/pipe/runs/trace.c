/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that end in a fault: their lines are replayed on barriers of the test's own, where every wait must pass; the
 * fault is the one that pipe.verify names, or one of the same edit. */
#include "pipes/lines.h"

enum { TRACE = 1 << 16 };

static void test_bad(void **state)
{
    (void)state;
    static char text[TRACE];
    static replay p;
    zlay_ctx *ctx = new_ctx();
    int traced = 0, waits = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pipe_text sheet;
        replace(&sheet, bad[i].pipe, bad[i].stages, bad[i].what, bad[i].by);
        zlay_pipe *pipe = parse(ctx, sheet.text);
        zlay_buf buf = {text, sizeof text, 0};
        zlay_status status = zlay_pipe_trace(ctx, &buf, pipe);
        char *last = NULL;
        if (status) fail_msg("%s -> %s: %s", bad[i].what, bad[i].by, zlay_ctx_message(ctx));
        p = (replay){.pipe = pipe};
        replay_all(&p, text, &last);
        assert_non_null(strstr(last, " at line "));
        traced++;
        waits += p.waits;
        zlay_pipe_free(pipe);
    }
    print_message("%d runs, %d waits passed\n", traced, waits);
    assert_true(waits > 40);
    zlay_ctx_free(ctx);
}

/* The run of the two-stage ring without the arrival that frees a stage, whole. */
static void test_ring(void **state)
{
    (void)state;
    static const char ring[] =
        "pipe ring\nparam N 0..\nsmem A[2] 16\nbar full[2] count 1\nbar empty[2] count 32\ninit full\n"
        "init empty\nfence mbarrier_init\nsync cta\nrole p warps 0..0 elect\nfor i in 0..N\n"
        "wait empty[i % 2] parity (i / 2 + 1) % 2\nexpect full[i % 2] 16\narrive full[i % 2]\n"
        "copy tensor 16 -> A[i % 2] signal full[i % 2]\nend\nend\nrole c warps 1..1\nfor i in 0..N\n"
        "wait full[i % 2] parity i / 2 % 2\nread A[i % 2]\n%s[i % 2] threads\nend\nend\n";
    static const char run[] = "N = 3\np line 12 i 0\np line 13 i 0\np line 14 i 0\np line 15 i 0\n"
                              "c line 20 i 0\nc line 21 i 0\n";
    char text[1024], out[1024];
    zlay_ctx *ctx = new_ctx();
    zlay_buf buf = {out, sizeof out, 0}, little = {out, 3, 0};
    snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(ring, "%s") - ring), ring, "arrive empty",
             strstr(ring, "%s") + 2);
    zlay_pipe *pipe = parse(ctx, text);
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_NONE);
    zlay_pipe_free(pipe);
    char *at = strstr(text, "arrive empty[i % 2] threads\n");
    memmove(at, at + 28, strlen(at + 28) + 1);
    pipe = parse(ctx, text);
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_OK);
    assert_non_null(strstr(out, "deadlock at line 12 against line 20\n"));
    assert_int_equal(strncmp(strchr(out, '\n'), strchr(run, '\n'), strlen(strchr(run, '\n'))), 0);
    assert_int_equal(zlay_pipe_trace(ctx, &little, pipe), ZLAY_EROOM);
    assert_true(little.need == buf.need);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ring), cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
