/* SPDX-License-Identifier: Apache-2.0 */
/* Proofs of pipes: every number changed, the document's own, and memory that ends on the way. */
#include "pipes/named.h"
#include "pipes/pipe-check.h"

#include <ctype.h>

static void must_fail(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof, size_t length,
                      const char *what)
{
    if (recheck(ctx, pipe, proof, length) != ZLAY_NO) fail_msg("still proved with %s", what);
    assert_non_null(strstr(zlay_ctx_message(ctx), "of the proof"));
}

static void change_numbers(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof, size_t length)
{
    static char changed[PROOF];
    for (size_t at = 0; at < length; at++) {
        if (!isdigit((unsigned char)proof[at]) || (at && isalnum((unsigned char)proof[at - 1])))
            continue;
        char *end;
        long long number = strtoll(proof + at, &end, 10);
        for (int step = -1; step <= 1; step += 2) {
            if (number + step < 0) continue;
            int n =
                snprintf(changed, sizeof changed, "%.*s%lld%s", (int)at, proof, number + step, end);
            must_fail(ctx, pipe, changed, (size_t)n, changed + (at > 40 ? at - 40 : 0));
        }
    }
}

static void change_lines(zlay_ctx *ctx, const zlay_pipe *pipe, const char *proof, size_t length)
{
    static char changed[PROOF];
    for (const char *line = proof; line < proof + length;) {
        const char *next = strchr(line, '\n') + 1;
        int n = snprintf(changed, sizeof changed, "%.*s%s", (int)(line - proof), proof, next);
        must_fail(ctx, pipe, changed, (size_t)n, "a line left out");
        n = snprintf(changed, sizeof changed, "%.*s%s", (int)(next - proof), proof, line);
        must_fail(ctx, pipe, changed, (size_t)n, "a line doubled");
        must_fail(ctx, pipe, proof, (size_t)(line - proof), "its end cut off");
        line = next;
    }
}

static void test_tampered(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < PIPES; i++) {
        pipe_text text;
        static char proof[PROOF];
        pipe_make(&text, i, fewest(i));
        zlay_pipe *pipe = parse(ctx, text.text);
        size_t length = prove(ctx, pipe, proof);
        change_numbers(ctx, pipe, proof, length);
        change_lines(ctx, pipe, proof, length);
        zlay_pipe_free(pipe);
    }
    zlay_ctx_free(ctx);
}

/* The proofs of plans of GEMMs, whose roles set and use registers. */
static void test_planned(void **state)
{
    static char text[NAMED_TEXT], proof[PROOF];
    (void)state;
    zlay_ctx *ctx = new_ctx();
    for (size_t i = 0; i < PLANNED; i++) {
        named_read(text, planned[i].name, planned[i].fewest);
        zlay_pipe *pipe = parse(ctx, text);
        size_t length = prove(ctx, pipe, proof);
        assert_null(strstr(proof, " by runs\n"));
        assert_int_equal(recheck(ctx, pipe, proof, length), ZLAY_YES);
        change_numbers(ctx, pipe, proof, length);
        change_lines(ctx, pipe, proof, length);
        zlay_pipe_free(pipe);
    }
    zlay_ctx_free(ctx);
}

/* A pipe that says more than proofs by order know has none, though every line of the original's fits it
 * but that one. */
static void test_not_covered(void **state)
{
    static const struct { const char *what, *by; } rows[] = {
        {"pipe gemm\n", "pipe gemm\ncluster 2\n"},
        {"arrive full[i % 2]\n", "arrive full[i % 2] times 2\n"},
        {"    sync role\n    write D[0] from R\n", "    sync warp\n    write D[0] from R\n"},
        {"    use C, R body narrow\n", "    use C, R body narrow when t < t+1\n"},
        {"    fence proxy.async\n", "    fence proxy.tensormap\n"},
        {"  for t in 0..T\n", "  for t in 0..T step 2\n"},
        {"      copy tensor tA", "      copy bulk tA"},
        {"registers 168\n", "registers 160\n"},
        {"registers 168\n", "registers 164\n"},
        {"registers 168\n", ""},
        {"setmaxnreg dec 40", "setmaxnreg dec 48"},
        {"setmaxnreg dec 40", "setmaxnreg inc 40"},
        {"setmaxnreg inc 232", "setmaxnreg inc 228"},
        {"warps 0..3 elect", "warps 0..2 elect"},
    };
    static char text[NAMED_TEXT], changed[NAMED_TEXT], proof[PROOF];
    (void)state;
    zlay_ctx *ctx = new_ctx();
    named_read(text, "gemm", 2);
    zlay_pipe *pipe = parse(ctx, text);
    size_t length = prove(ctx, pipe, proof);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = strstr(text, rows[i].what);
        assert_non_null(at);
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, rows[i].by,
                 at + strlen(rows[i].what));
        zlay_pipe *other = parse(ctx, changed);
        must_fail(ctx, other, proof, length, rows[i].by);
        zlay_pipe_free(other);
    }
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

/* What the verifier refuses has no proof: the recheck finds the fault by itself when the numbers
 * are made to fit. */
static void test_recheck_alone(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    int tried = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        size_t which = 0;
        static char proof[PROOF];
        pipe_text good, broken;
        while (strcmp(pipes[which].name, bad[i].pipe)) which++;
        pipe_make(&good, which, bad[i].stages);
        replace(&broken, bad[i].pipe, bad[i].stages, bad[i].what, bad[i].by);
        zlay_pipe *pipe = parse(ctx, good.text), *other = parse(ctx, broken.text);
        size_t length = prove(ctx, pipe, proof);
        assert_int_equal(recheck(ctx, other, proof, length), ZLAY_NO);
        tried++;
        zlay_pipe_free(pipe);
        zlay_pipe_free(other);
    }
    assert_true(tried > 20);
    zlay_ctx_free(ctx);
}

/* The first block of a document; tests run where these are. */
static size_t block(char *out, size_t room, const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    size_t length = 0;
    int fences = 0;
    if (!file) fail_msg("%s is not in this directory", path);
    while (fgets(line, sizeof line, file)) {
        bool fence = !strncmp(line, "```", 3);
        fences += fence;
        if (!fence && fences == 1)
            length += (size_t)snprintf(out + length, room - length, "%s", line);
    }
    fclose(file);
    return length;
}

/* The document's ring is proved as the document says. */
static void test_document(void **state)
{
    (void)state;
    char ring[PIPE_TEXT], wanted[PROOF], proof[PROOF];
    zlay_ctx *ctx = new_ctx();
    block(ring, sizeof ring, "docs/pipe.md");
    size_t length = block(wanted, sizeof wanted, "docs/internals/proof.md");
    zlay_pipe *pipe = parse(ctx, ring);
    assert_int_equal(prove(ctx, pipe, proof), length);
    assert_memory_equal(proof, wanted, length);
    char *threads = strstr(ring, "% 2] threads");
    memcpy(threads, "% 2] warps  ", 12);
    zlay_pipe *broken = parse(ctx, ring);
    assert_true(breaks(ctx, broken, ZLAY_PIPE_OVERWRITE));
    zlay_pipe_free(pipe);
    zlay_pipe_free(broken);
    zlay_ctx_free(ctx);
}

/* ---- memory and arguments ---- */

typedef struct failing { int64_t left, live; } failing;

static void *fail_alloc(void *user, size_t size)
{
    failing *f = user;
    if (f->left-- <= 0) return NULL;
    f->live++;
    return malloc(size);
}

static void fail_free(void *user, void *ptr, size_t size)
{
    (void)size;
    ((failing *)user)->live -= ptr != NULL;
    free(ptr);
}

/* ZLAY_OK when all went through. */
static zlay_status run_all(zlay_ctx *ctx, const char *text, bool *proved)
{
    static char proof[PROOF];
    zlay_pipe *pipe = NULL;
    zlay_buf buf = {proof, PROOF, 0};
    zlay_answer answer = ZLAY_DEPENDS, again = ZLAY_DEPENDS;
    size_t count = 77;
    zlay_status status = zlay_pipe_parse(ctx, &pipe, text, strlen(text));
    assert_true(!status == (pipe != NULL));
    if (!status) status = zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &buf, pipe);
    if (status) assert_true(answer == ZLAY_DEPENDS && count == 77);
    if (!status && answer == ZLAY_YES)
        status = zlay_pipe_recheck(ctx, &again, pipe, proof, buf.need);
    if (status) assert_int_equal(again, ZLAY_DEPENDS);
    *proved = again == ZLAY_YES;
    zlay_pipe_free(pipe);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    static const struct { size_t pipe; unsigned stages; } rows[] = {{0, 2}, {0, 1}, {2, 3}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_status status = ZLAY_ENOMEM;
        pipe_text text;
        bool proved = false;
        int64_t k;
        pipe_make(&text, rows[i].pipe, rows[i].stages);
        for (k = 1; status == ZLAY_ENOMEM; k++) {
            failing f = {INT32_MAX, 0};
            zlay_ctx *ctx;
            assert_int_equal(zlay_ctx_new(&ctx, &(zlay_allocator){&f, fail_alloc, fail_free}, NULL),
                             ZLAY_OK);
            int64_t live = f.live;
            f.left = k;
            status = run_all(ctx, text.text, &proved);
            assert_int_equal(f.live, live);
            zlay_ctx_free(ctx);
        }
        assert_int_equal(status, ZLAY_OK);
        assert_true(k > 10 && proved == (rows[i].stages >= fewest(rows[i].pipe)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tampered), cmocka_unit_test(test_planned), cmocka_unit_test(test_not_covered), cmocka_unit_test(test_recheck_alone),
        cmocka_unit_test(test_document), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
