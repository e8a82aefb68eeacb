/* SPDX-License-Identifier: Apache-2.0 */
/* What the proof by order gains over runs alone, on the rings that it decides: one row a ring and number
 * of stages, the verdict by runs against the verdict by order, and up to eight stages the same of the
 * checker of proofs. Both verdicts, and both answers of the checker, must be YES. The rings are those of
 * one loop, the one of tests/pipes/cooperative.pipe among them, and the pipes that src/synth/gemm prints:
 * persistent, of N steps in each of T tiles. */
#include "base/base.h"
#include "bench.h"
#include "pipe/runs/verify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 13, PROOF = 1 << 14 };

typedef struct ring {
    const char *name, *text;
    unsigned fewest; /* stages that it runs with */
} ring;

#define GEMM(full)                                                                                 \
    "pipe gemm\nparam T 0..\nparam N 1..\nsmem A[$] 16\nsmem B[$] 32\nsmem D[1] 8 each\n"          \
    "bar full[$] count " full "\nbar empty[$] count 8\n"                                           \
    "init full\ninit empty\nfence mbarrier_init\nsync cta\n"

#define BY_TENSOR                                                                                  \
    "role producer warps 0..3 elect\nfor t in 0..T\nfor i in t*N..t*N+N\n"                         \
    "wait empty[i % $] parity (i / $ + 1) % 2\nexpect full[i % $] 48\narrive full[i % $]\n"        \
    "copy tensor 16 -> A[i % $] signal full[i % $]\n"                                              \
    "copy tensor 32 -> B[i % $] signal full[i % $]\nend\nend\nend\n"

#define BY_THREADS(first, next, wait_1, wait_0)                                                    \
    "role producer warps 0..3\nfor t in 0..T\nwait empty[t*N % $] parity (t*N / $ + 1) % 2\n"      \
    first "for i in t*N+1..t*N+N\nwait empty[i % $] parity (i / $ + 1) % 2\n" next wait_1          \
    "fence proxy.async\narrive full[(i-1) % $] threads\nend\n" wait_0                              \
    "fence proxy.async\narrive full[(t*N+N-1) % $] threads\nend\nend\n"

#define CPASYNC(at) "cpasync 16 -> A[" at " % $]\ncpasync 32 -> B[" at " % $]\ncommit cpasync\n"
#define WRITE(at) "write A[" at " % $] 16\nwrite B[" at " % $] 32\n"

#define MULTIPLY                                                                                   \
    "role consumer warps 4..11 each 4\nfor t in 0..T\n"                                            \
    "wait full[t*N % $] parity t*N / $ % 2\nfence wgmma\n"                                         \
    "mma A[t*N % $], B[t*N % $] -> C fresh\ncommit wgmma\nfor i in t*N+1..t*N+N\n"                 \
    "wait full[i % $] parity i / $ % 2\nfence wgmma\nmma A[i % $], B[i % $] -> C\n"                \
    "commit wgmma\nwaitgroup wgmma 1\narrive empty[(i-1) % $] warps\nend\n"                        \
    "waitgroup wgmma 0\narrive empty[(t*N+N-1) % $] warps\n"

#define STORE                                                                                      \
    "waitgroup bulk.read 0\nsync role\nwrite D[0] from C\nfence proxy.async\nsync role\n"          \
    "store D[0] 8\ncommit bulk\nend\nwaitgroup bulk 0\nend\n"

static const ring rings[] = {
    {"ring of tensor copies",
     "pipe ring\nparam N 0..\nsmem A[$] 16\nbar full[$] count 1\nbar empty[$] count 128\n"
     "init full\ninit empty\nfence mbarrier_init\nsync cta\n"
     "role producer warps 0..0 elect\nfor i in 0..N\nwait empty[i % $] parity (i / $ + 1) % 2\n"
     "expect full[i % $] 16\narrive full[i % $]\ncopy tensor 16 -> A[i % $] signal full[i % $]\n"
     "end\nend\nrole consumer warps 4..7\nfor i in 0..N\nwait full[i % $] parity i / $ % 2\n"
     "read A[i % $]\narrive empty[i % $] threads\nend\nend\n", 2},
    {"tile of a GEMM, two warpgroups",
     "pipe cooperative\nparam N 1..\nsmem A[$] 16\nsmem B[$] 16\nsmem D[1] 16 each\n"
     "bar full[$] count 1\nbar empty[$] count 8\ninit full\ninit empty\nfence mbarrier_init\n"
     "sync cta\nrole producer warps 0..0 elect\nfor i in 0..N\n"
     "wait empty[i % $] parity (i / $ + 1) % 2\nexpect full[i % $] 32\narrive full[i % $]\n"
     "copy tensor 16 -> A[i % $] signal full[i % $]\n"
     "copy tensor 16 -> B[i % $] signal full[i % $]\nend\nend\n"
     "role consumer warps 4..11 each 4\nwait full[0] parity 0 / $ % 2\nfence wgmma\n"
     "mma A[0], B[0] -> C fresh\ncommit wgmma\nfor i in 1..N\n"
     "wait full[i % $] parity i / $ % 2\nmma A[i % $], B[i % $] -> C\ncommit wgmma\n"
     "waitgroup wgmma 1\narrive empty[(i - 1) % $] warps\nend\nwaitgroup wgmma 0\n"
     "arrive empty[(N - 1) % $] warps\nwrite D[0] from C\nfence proxy.async\nsync role\n"
     "store D[0] 16\ncommit bulk\nwaitgroup bulk 0\nend\n", 2},
    {"GEMM by tensor copies", GEMM("1") BY_TENSOR MULTIPLY STORE, 2},
    {"GEMM by cp.async", GEMM("128") BY_THREADS(CPASYNC("t*N"), CPASYNC("i"), "waitgroup cpasync 1\n",
                                                "waitgroup cpasync 0\n") MULTIPLY STORE, 3},
    {"GEMM by writes", GEMM("128") BY_THREADS(WRITE("t*N"), WRITE("i"), "", "") MULTIPLY STORE, 3},
};

typedef struct state {
    zlay_ctx *ctx;
    zlay_pipe *pipe;
    char text[TEXT];
    char proof[2][PROOF]; /* by runs, by order */
    size_t length[2];
} state;

static bool run_alone(state *s, zlay_buf *proof)
{
    zl_verdict verdict;
    if (zl_enter(s->ctx)) return false;
    zlay_status status = zl_run_verify(s->ctx, &verdict, proof, s->pipe);
    return !zl_leave(s->ctx, status) && !verdict.undecided && !verdict.fault.rule;
}

static bool order_first(state *s, zlay_buf *proof)
{
    zlay_answer answer = ZLAY_NO;
    size_t count;
    return !zlay_pipe_verify(s->ctx, &answer, NULL, 0, &count, proof, s->pipe) && answer == ZLAY_YES;
}

static bool runs_work(void *value) { return run_alone(value, NULL); }
static bool order_work(void *value) { return order_first(value, NULL); }

static bool check(state *s, int which)
{
    zlay_answer answer = ZLAY_NO;
    return !zlay_pipe_recheck(s->ctx, &answer, s->pipe, s->proof[which], s->length[which]) &&
           answer == ZLAY_YES;
}

static bool check_runs_work(void *value) { return check(value, 0); }
static bool check_order_work(void *value) { return check(value, 1); }

/* Proves the pipe both ways; false where order does not decide it. */
static bool prove(state *s)
{
    zlay_buf runs = {s->proof[0], PROOF, 0}, order = {s->proof[1], PROOF, 0};
    bool right = run_alone(s, &runs) && order_first(s, &order);
    s->length[0] = runs.need;
    s->length[1] = order.need;
    return right && !strstr(s->proof[1], " by runs\n");
}

static bool row(state *s, const ring *r, unsigned stages, bool json)
{
    char name[64];
    size_t length = bench_stages(s->text, TEXT, r->text, stages);
    snprintf(name, sizeof name, "%s, %u stages", r->name, stages);
    const bench_row verdict = {name, "by order", runs_work, order_work, s};
    const bench_row checked = {name, "its proof by order checked", check_runs_work, check_order_work, s};
    bool right = !zlay_pipe_parse(s->ctx, &s->pipe, s->text, length);
    if (right && !(right = prove(s))) fprintf(stderr, "zlay-bench: %s: not proved both ways\n", name);
    right = right && bench_print(&verdict, json) && (stages > 8 || bench_print(&checked, json));
    zlay_pipe_free(s->pipe);
    s->pipe = NULL;
    return right;
}

bool bench_order(zlay_ctx *ctx, bool json)
{
    static const unsigned stages[] = {2, 3, 4, 6, 8, 16, 32, 64};
    state *s = calloc(1, sizeof *s);
    bool right = s != NULL;
    if (s) s->ctx = ctx;
    for (size_t i = 0; right && i < sizeof rings / sizeof *rings; i++)
        for (size_t k = 0; right && k < sizeof stages / sizeof *stages; k++)
            if (stages[k] >= rings[i].fewest) right = row(s, &rings[i], stages[k], json);
    free(s);
    return right;
}
