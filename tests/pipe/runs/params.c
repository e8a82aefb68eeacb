/* SPDX-License-Identifier: Apache-2.0 */
/* Loops whose ends, and positions whose factors, are any of three params: a ring that is accepted for every value of them is
 * accepted for each of the least values by itself. */
#include "pipes/named.h"

#include <zlay/pipe.h>

#include <stdbool.h>

enum { TEXT = 4096, PARAMS = 3, NEAR = 5, LOOPS = 2 };

static zlay_ctx *ctx;

/* The loops of a role, from the outside in, around one step of the ring. */
typedef struct shape {
    int count;
    const char *outer[LOOPS], *inner[LOOPS], *at[LOOPS]; /* outer NULL: there is one loop */
} shape;

typedef struct ring {
    shape role[2];
    int stages;
    bool keeps; /* the consumer gives no stage back */
} ring;

static const char *one_of(uint64_t *r, const char *const *list, size_t count) { return list[test_range(r, 0, (int64_t)count - 1)]; }
#define ONE_OF(r, list) one_of(r, list, sizeof(list) / sizeof *(list))

static shape drawn_shape(uint64_t *r)
{
    static const char *const alone[] = {"0..N", "0..M", "N..M", "M..N", "N..N+1", "0..N+1", "0..3", "M..M+2", "2..N", "0..N-1"};
    static const char *const outer[] = {"0..T", "0..T", "0..N", "T..T+1", "0..2"};
    static const char *const inner[] = {"t*N..t*N+N", "t*N..t*N+M", "t*M..t*M+N", "t*N..t*N+2", "t*N+1..t*N+N", "t*2..t*2+2",
                                        "t*M..t*M+1", "0..N", "0..M", "t..t+1", "t..t+N"};
    static const char *const at[] = {"i", "i", "i", "i*M", "i*2", "(i+1)"};
    shape s = {.count = (int)test_range(r, 1, LOOPS)};
    for (int k = 0; k < s.count; k++) {
        bool two = test_range(r, 0, 1) == 1;
        s.outer[k] = two ? ONE_OF(r, outer) : NULL;
        s.inner[k] = two ? ONE_OF(r, inner) : ONE_OF(r, alone);
        s.at[k] = two ? "i" : ONE_OF(r, at);
    }
    return s;
}

static ring drawn_ring(uint64_t *r)
{
    ring of = {.stages = (int)test_range(r, 1, 3), .keeps = test_range(r, 0, 9) == 0};
    of.role[0] = of.role[1] = drawn_shape(r);
    if (test_range(r, 0, 4) == 0) of.role[1] = drawn_shape(r);
    return of;
}

static void put_step(char *out, const ring *of, bool consumes, const char *at)
{
    const int s = of->stages;
    char *end = out + strlen(out);
    if (!consumes)
        sprintf(end, "wait empty[%s %% %d] parity (%s / %d + 1) %% 2\nexpect full[%s %% %d] 64\narrive full[%s %% %d]\n"
                     "copy bulk 64 -> A[%s %% %d] signal full[%s %% %d]\n", at, s, at, s, at, s, at, s, at, s, at, s);
    else sprintf(end, "wait full[%s %% %d] parity %s / %d %% 2\nread A[%s %% %d]\nsync warp\n", at, s, at, s, at, s);
    if (consumes && !of->keeps) sprintf(out + strlen(out), "arrive empty[%s %% %d]\n", at, s);
}

static void put_role(char *out, const ring *of, bool consumes)
{
    const shape *s = &of->role[consumes];
    strcat(out, consumes ? "role c warps 1..1\n" : "role p warps 0..0 elect\n");
    for (int k = 0; k < s->count; k++) {
        if (s->outer[k]) sprintf(out + strlen(out), "for t in %s\n", s->outer[k]);
        sprintf(out + strlen(out), "for i in %s\n", s->inner[k]);
        put_step(out, of, consumes, s->at[k]);
        strcat(out, s->outer[k] ? "end\nend\n" : "end\n");
    }
    strcat(out, "end\n");
}

/* The text where each param has its values from the least on, or that one alone. */
static const char *text_of(const ring *of, const int value[PARAMS], bool alone)
{
    static char out[TEXT];
    strcpy(out, "pipe params\n");
    for (int k = 0; k < PARAMS; k++) {
        sprintf(out + strlen(out), "param %c %d..", "TNM"[k], value[k]);
        if (alone) sprintf(out + strlen(out), "%d", value[k]);
        strcat(out, "\n");
    }
    sprintf(out + strlen(out), "smem A[%d] 64\nbar full[%d] count 1\nbar empty[%d] count 1\ninit full\ninit empty\nfence mbarrier_init\nsync cta\n",
            of->stages, of->stages, of->stages);
    put_role(out, of, false);
    put_role(out, of, true);
    return out;
}

static zlay_answer answer_of(const char *text)
{
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe *pipe;
    size_t count;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) return answer;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
    return answer;
}

static void check_each(const ring *of, const int least[PARAMS])
{
    for (int k = 0; k < NEAR * NEAR * NEAR; k++) {
        const int value[PARAMS] = {least[0] + k % NEAR, least[1] + k / NEAR % NEAR, least[2] + k / NEAR / NEAR};
        if (answer_of(text_of(of, value, true)) != ZLAY_NO) continue;
        fail_msg("T = %d, N = %d, M = %d:\n%s", value[0], value[1], value[2], text_of(of, least, false));
    }
}

static void test_all_values_and_each(void **state)
{
    uint64_t r = test_seed("params");
    int accepted = 0, refused = 0;
    (void)state;
    for (uint64_t k = test_iterations(300); k > 0; k--) {
        ring of = drawn_ring(&r);
        const int least[PARAMS] = {(int)test_range(&r, 0, 2), (int)test_range(&r, 0, 2), (int)test_range(&r, 0, 2)};
        zlay_answer answer = answer_of(text_of(&of, least, false));
        accepted += answer == ZLAY_YES;
        refused += answer == ZLAY_NO;
        if (answer == ZLAY_YES) check_each(&of, least);
    }
    printf("%d accepted, %d refused\n", accepted, refused);
    assert_true(accepted > 5 && refused > 50);
}

static int open_ctx(void **state)
{
    (void)state;
    return zlay_ctx_new(&ctx, NULL, NULL);
}

static int close_ctx(void **state)
{
    (void)state;
    zlay_ctx_free(ctx);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_all_values_and_each)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
