/* SPDX-License-Identifier: Apache-2.0 */
/* Products on a Hopper GPU against a float64 reference that shares no code with the emitter; what
 * must not be read is NaN, what must not be written is watched.  Ends with `N passed, N failed`.
 *
 *   device-test [--small] [--only NAME] [--cubins DIR] [--emit DIR]
 *
 * --small runs one small product and is what a memory checker is given. */
#include "device/driver/driver_agrees.h"
#include "device/rig/self_check.h"

#include <stdio.h>
#include <string.h>

typedef struct test_case {
    const char *name;
    uint64_t m, n, k;
    int32_t a_order, b_order, d_order;
    uint64_t lda, ldb, ldd;
    uint64_t shift_a, shift_b, shift_d;
    uint32_t tile_m, tile_n, tile_k, stages;
    unsigned repeats;
} test_case;

#define R ZLAY_ORDER_ROW
#define C ZLAY_ORDER_COLUMN
static const test_case cases[] = {
#define CASE(name, m, n, k, a, b, d, lda, ldb, ldd, sa, sb, sd, tm, tn, tk, stages, repeats)       \
    {name, m, n, k, a, b, d, lda, ldb, ldd, sa, sb, sd, tm, tn, tk, stages, repeats},
#include "cases.def"
};
#undef R
#undef C

static const char *const kind_names[] = {"integers", "normal"};

typedef struct run {
    rig *r;
    const test_case *c;
    matrix a, b, d;
    product want;
    zlay_plan *plan;
    zlay_kernel *kernel;
    int kind;
    int lost;      /* a launch ended in an error, after which the context answers nothing */
    char why[400]; /* the first thing that was wrong */
    rig_result judged;
} run;

typedef struct tally {
    unsigned passed, failed;
} tally;

static void wrong(run *t, const char *what, uint64_t count, uint64_t first)
{
    if (t->why[0]) return;
    snprintf(t->why, sizeof t->why, "%s: %llu, the first at %llu", what, (unsigned long long)count,
             (unsigned long long)first);
}

static int fails(run *t, zlay_status status, const char *what)
{
    if (status && !t->why[0])
        snprintf(t->why, sizeof t->why, "%s: %s: %.300s", what, zlay_status_name(status),
                 zlay_ctx_message(t->r->ctx));
    return status != ZLAY_OK;
}

/* ---- one product ---------------------------------------------------------- */

static uint64_t or_dense(uint64_t pitch, uint64_t inner) { return pitch ? pitch : inner; }

static matrix operand(run *t, int k_contiguous, uint64_t mn, uint64_t pitch, uint64_t shift)
{
    uint64_t inner = k_contiguous ? t->c->k : mn, outer = k_contiguous ? mn : t->c->k;
    matrix m = matrix_new(t->r, outer, inner, or_dense(pitch, inner), shift);
    m.kind = t->kind;
    m.k_outer = !k_contiguous;
    return m;
}

static void matrices_make(run *t)
{
    const test_case *c = t->c;
    int column = c->d_order == ZLAY_ORDER_COLUMN;
    uint64_t inner = column ? c->m : c->n, outer = column ? c->n : c->m;
    t->a = operand(t, c->a_order == ZLAY_ORDER_ROW, c->m, c->lda, c->shift_a);
    t->b = operand(t, c->b_order == ZLAY_ORDER_COLUMN, c->n, c->ldb, c->shift_b);
    t->d = matrix_new(t->r, outer, inner, or_dense(c->ldd, inner), c->shift_d);
    t->d.kind = KIND_RESULT;
    t->a.seed = 0x1111 + (uint64_t)t->kind;
    t->b.seed = 0x222222 + (uint64_t)t->kind;
    t->d.seed = 0x33333333;
    matrix_fill(t->r, &t->a);
    matrix_fill(t->r, &t->b);
    t->want = product_new(t->r, &t->a, &t->b, c->m, c->n, c->k);
}

static zlay_gemm request(const run *t)
{
    const test_case *c = t->c;
    zlay_gemm g = {.size = sizeof g, .m = c->m, .n = c->n, .k = c->k};
    g.a_order = c->a_order;
    g.b_order = c->b_order;
    g.d_order = c->d_order;
    g.lda = t->a.pitch;
    g.ldb = t->b.pitch;
    g.ldd = t->d.pitch;
    g.a_address = matrix_address(&t->a);
    g.b_address = matrix_address(&t->b);
    g.d_address = matrix_address(&t->d);
    g.tile_m = c->tile_m;
    g.tile_n = c->tile_n;
    g.tile_k = c->tile_k;
    g.stages = c->stages;
    return g;
}

static int kernel_make(run *t)
{
    zlay_gemm g = request(t);
    if (fails(t, rig_kernel(t->r, &g, t->c->name, &t->plan, &t->kernel), "plan and load")) return 0;
    zlay_status status = zlay_kernel_bind(t->r->ctx, t->kernel, matrix_address(&t->a),
                                          matrix_address(&t->b), matrix_address(&t->d));
    return !fails(t, status, "bind");
}

/* D is poisoned before each launch, so that a value of the launch before cannot pass. */
static int launch(run *t)
{
    matrix_fill(t->r, &t->d);
    if (fails(t, zlay_kernel_launch(t->r->ctx, t->kernel, NULL), "launch")) return 0;
    t->lost = fails(t, zlay_device_wait(t->r->ctx, t->r->device), "wait");
    return !t->lost;
}

static void unchanged(run *t)
{
    uint64_t count = matrix_changed(t->r, &t->a);
    if (count) wrong(t, "changed cells of A and its margins", count, rig_result_read(t->r).first);
    count = matrix_changed(t->r, &t->b);
    if (count) wrong(t, "changed cells of B and its margins", count, rig_result_read(t->r).first);
    count = matrix_changed(t->r, &t->d);
    if (count) wrong(t, "written cells around D", count, rig_result_read(t->r).first);
}

static void judge(run *t)
{
    int column = t->c->d_order == ZLAY_ORDER_COLUMN;
    t->judged = product_compare(t->r, &t->want, &t->d, column, t->kind == KIND_INTEGER);
    if (t->judged.bad) wrong(t, "wrong elements of D", t->judged.bad, t->judged.first);
    unchanged(t);
}

static void repeat(run *t, unsigned times)
{
    uint64_t sum = matrix_sum(t->r, &t->d);
    for (unsigned i = 1; i < times; i++) {
        if (!launch(t)) return;
        if (matrix_sum(t->r, &t->d) == sum) continue;
        wrong(t, "launches with other bits than the first", 1, i);
        return;
    }
}

static const char *path_name(const run *t, int32_t operand_number)
{
    static const char *const names[] = {"?", "tensor", "tensor", "cp.async", "loads", "stores"};
    zlay_copy copy;
    if (!t->plan || zlay_plan_copy_nth(&copy, t->plan, operand_number, 0)) return names[0];
    return names[copy.kind];
}

static void report(const run *t)
{
    zlay_plan_summary info = {0};
    if (t->plan) zlay_plan_info(&info, t->plan);
    printf(
        "%-4s %-18s %-8s A %s, B %s, D %s; tile %ux%ux%u, %u stages; error %.3f of the bound%s%s\n",
        t->why[0] ? "FAIL" : "ok", t->c->name, kind_names[t->kind], path_name(t, ZLAY_OPERAND_A),
        path_name(t, ZLAY_OPERAND_B), path_name(t, ZLAY_OPERAND_D), info.tile_m, info.tile_n,
        info.tile_k, info.stages, t->judged.ratio, t->why[0] ? "\n     " : "", t->why);
    fflush(stdout);
}

/* False when the device is lost and nothing more can be run. */
static int product_test(rig *r, const test_case *c, int kind, unsigned repeats, tally *all)
{
    run t = {.r = r, .c = c, .kind = kind};
    rig_watch(c->name, 60);
    matrices_make(&t);
    if (kernel_make(&t) && launch(&t)) {
        judge(&t);
        repeat(&t, repeats);
        if (!t.lost) unchanged(&t);
    }
    report(&t);
    *(t.why[0] ? &all->failed : &all->passed) += 1;
    zlay_kernel_free(t.kernel);
    zlay_plan_free(t.plan);
    product_free(r, &t.want);
    matrix_free(r, &t.a);
    matrix_free(r, &t.b);
    matrix_free(r, &t.d);
    return !t.lost;
}

/* ---- all ------------------------------------------------------------------ */

static void means_test(rig *r, tally *all)
{
    char why[200];
    rig_watch("self check", 60);
    self_check(r, why, sizeof why);
    printf("%-4s inputs, reference and watches%s%s\n", *why ? "FAIL" : "ok", *why ? ": " : "", why);
    *(*why ? &all->failed : &all->passed) += 1;
}

static void maps_test(rig *r, tally *all)
{
    char why[400] = "";
    rig_watch("driver agrees", 60);
    driver_count n = driver_agrees(r, 20000, why, sizeof why);
    int good = !n.disagree && !n.unknown;
    printf("%-4s driver agrees on %u random maps: %u accepted, %u refused; %u otherwise, %u "
           "unknown%s%s\n",
           good ? "ok" : "FAIL", n.accepted + n.refused, n.accepted, n.refused, n.disagree,
           n.unknown, good ? "" : "\n     ", why);
    *(good ? &all->passed : &all->failed) += 1;
}

static tally tests_run(rig *r, int small, const char *only)
{
    tally all = {0, 0};
    means_test(r, &all);
    if (!small && !only) maps_test(r, &all);
    for (size_t i = 0; i < ZL_COUNT(cases); i++) {
        const char *name = small ? "129x257x72" : only;
        if (name && strcmp(cases[i].name, name)) continue;
        for (int kind = KIND_INTEGER; kind <= KIND_NORMAL; kind++)
            if (!product_test(r, &cases[i], kind, small ? 1 : cases[i].repeats, &all)) return all;
    }
    return all;
}

int main(int argc, char **argv)
{
    rig r = {0};
    int small = 0;
    const char *only = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--small"))
            small = 1;
        else if (!strcmp(argv[i], "--only") && i + 1 < argc)
            only = argv[++i];
        else if (!rig_option(&r, argc, argv, &i)) {
            printf("%s: no such option, or its value is missing\n", argv[i]);
            return 2;
        }
    }
    if (!rig_open(&r)) return 3;
    tally all = tests_run(&r, small, only);
    rig_close(&r);
    printf("%u passed, %u failed\n", all.passed, all.failed);
    return all.failed || !all.passed;
}
