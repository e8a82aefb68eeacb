/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of a plan against cuBLAS, in one process, turn by turn, on random data that the L2
 * does not hold (save for the smallest shapes).  Both results are judged against a float64
 * reference in the same run.
 *
 *   device-bench [--cublas PATH] [--only MxNxK] [--rounds COUNT] [--cubins DIR] [--emit DIR]
 *   device-bench --tiles: the same for one shape and every tile
 *
 * Status 1 when a ratio is below the one that its shape must reach, or a result is wrong. */
#include "device/rig/cublas.h"
#include "device/rig/matrix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct shape {
    const char *name;
    uint64_t m, n, k;
    double least; /* ratio of zlay's speed to cuBLAS's that must be reached; 0: none is asked */
    uint32_t tile_m, tile_n; /* 0: the plan's choice */
} shape;

static const shape shapes[] = {
    {"4096x4096x4096", 4096, 4096, 4096, 0.80, 0, 0},
    {"8192x8192x8192", 8192, 8192, 8192, 0.80, 0, 0},
    {"1024x4096x7168", 1024, 4096, 7168, 0, 0, 0},
    {"1000x1000x1000", 1000, 1000, 1000, 0, 0, 0},
    {"4095x4097x4104", 4095, 4097, 4104, 3.0, 0, 0},
    {"4096x4096x4100", 4096, 4096, 4100, 0, 0, 0},
    {"1x1x64", 1, 1, 64, 0, 0, 0},
    {"129x257x72", 129, 257, 72, 0, 0, 0},
};

/* What the choice of a default tile in src/synth/gemm/tile.c rests on: D by tensor stores, then by
 * threads. */
static const shape tiles[] = {
    {"4096^3 128x256", 4096, 4096, 4096, 0, 128, 256},
    {"4096^3 128x224", 4096, 4096, 4096, 0, 128, 224},
    {"4096^3 128x160", 4096, 4096, 4096, 0, 128, 160},
    {"4096^3 128x192", 4096, 4096, 4096, 0, 128, 192},
    {"4096^3 128x128", 4096, 4096, 4096, 0, 128, 128},
    {"4096^3 128x64", 4096, 4096, 4096, 0, 128, 64},
    {"4096^3 64x256", 4096, 4096, 4096, 0, 64, 256},
    {"4096^3 64x128", 4096, 4096, 4096, 0, 64, 128},
    {"4095.. 128x256", 4095, 4097, 4104, 0, 128, 256},
    {"4095.. 128x192", 4095, 4097, 4104, 0, 128, 192},
    {"4095.. 128x128", 4095, 4097, 4104, 0, 128, 128},
    {"4095.. 128x64", 4095, 4097, 4104, 0, 128, 64},
};

enum { SETS_MOST = 48, ROUNDS = 30, ROUND_US = 2000, LAUNCHES_MOST = 100 };

typedef struct set {
    matrix a, b, d;
} set;

typedef struct bench {
    rig *r;
    const cublas *blas;
    const shape *s;
    set sets[SETS_MOST];
    unsigned sets_count, turn;
    zlay_plan *plan;
    zlay_kernel *kernel;
    struct CUevent_st *event[2];
} bench;

/* Median microseconds of one product. */
typedef struct timing {
    double zlay, cublas;
} timing;

typedef struct verdict {
    rig_result zlay, cublas;
} verdict;

/* ---- sets of matrices: enough that the next one is not in the L2, where memory allows ---- */

static set set_new(rig *r, const shape *s, uint64_t number)
{
    set x = {matrix_new(r, s->m, s->k, s->k, 0), matrix_new(r, s->n, s->k, s->k, 0),
             matrix_new(r, s->m, s->n, s->n, 0)};
    x.a.kind = x.b.kind = KIND_NORMAL;
    x.d.kind = KIND_RESULT;
    x.a.seed = 1000 + number;
    x.b.seed = 2000 + number;
    x.d.seed = 3000 + number;
    matrix_fill(r, &x.a);
    matrix_fill(r, &x.b);
    matrix_fill(r, &x.d);
    return x;
}

static void sets_make(bench *b)
{
    uint64_t bytes = 2 * (b->s->m * b->s->k + b->s->n * b->s->k + b->s->m * b->s->n);
    uint64_t wanted = 4 * (uint64_t)b->r->info.l2 / bytes + 2;
    b->sets_count = wanted < SETS_MOST ? (unsigned)wanted : SETS_MOST;
    for (unsigned i = 0; i < b->sets_count; i++) b->sets[i] = set_new(b->r, b->s, i);
}

static void sets_free(bench *b)
{
    for (unsigned i = 0; i < b->sets_count; i++) {
        matrix_free(b->r, &b->sets[i].a);
        matrix_free(b->r, &b->sets[i].b);
        matrix_free(b->r, &b->sets[i].d);
    }
}

/* ---- one product by each --------------------------------------------------- */

static void by_zlay(bench *b, const set *x)
{
    zlay_status status = zlay_kernel_bind(b->r->ctx, b->kernel, matrix_address(&x->a),
                                          matrix_address(&x->b), matrix_address(&x->d));
    if (!status) status = zlay_kernel_launch(b->r->ctx, b->kernel, NULL);
    rig_must(b->r, status, b->s->name);
}

static void by_cublas(bench *b, const set *x)
{
    if (cublas_product(b->blas, matrix_address(&x->a), matrix_address(&x->b), matrix_address(&x->d),
                       (int)b->s->m, (int)b->s->n, (int)b->s->k))
        rig_die(b->s->name, "cublasGemmEx failed");
}

typedef void product_by(bench *b, const set *x);

/* ---- time ------------------------------------------------------------------- */

static void event_call(bench *b, zl_cu_result result, const char *call)
{
    rig_must(b->r, zl_driver_result(b->r->ctx, &b->r->device->driver, call, result), b->s->name);
}

static double microseconds(bench *b, product_by *by, unsigned launches)
{
    const zl_driver *driver = &b->r->device->driver;
    float milliseconds;
    event_call(b, driver->cuEventRecord(b->event[0], NULL), "cuEventRecord");
    for (unsigned i = 0; i < launches; i++) by(b, &b->sets[b->turn++ % b->sets_count]);
    event_call(b, driver->cuEventRecord(b->event[1], NULL), "cuEventRecord");
    event_call(b, driver->cuEventSynchronize(b->event[1]), "cuEventSynchronize");
    event_call(b, driver->cuEventElapsedTime(&milliseconds, b->event[0], b->event[1]),
               "cuEventElapsedTime");
    return 1000.0 * (double)milliseconds / launches;
}

static int by_size(const void *x, const void *y)
{
    double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, by_size);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

static unsigned launches_of(double each)
{
    double wanted = (double)ROUND_US / each + 1;
    return wanted < (double)LAUNCHES_MOST ? (unsigned)wanted : LAUNCHES_MOST;
}

/* The first rounds warm up: clocks, caches, cuBLAS's choice of a kernel. */
static timing time_both(bench *b, unsigned rounds)
{
    double *zlay = calloc(rounds, sizeof *zlay), *blas = calloc(rounds, sizeof *blas);
    if (!zlay || !blas) rig_die(b->s->name, "no memory");
    microseconds(b, by_zlay, 3);
    microseconds(b, by_cublas, 3);
    unsigned of_zlay = launches_of(microseconds(b, by_zlay, 5));
    unsigned of_blas = launches_of(microseconds(b, by_cublas, 5));
    for (unsigned i = 0; i < 3; i++) {
        microseconds(b, by_zlay, of_zlay);
        microseconds(b, by_cublas, of_blas);
    }
    for (unsigned i = 0; i < rounds; i++) {
        zlay[i] = microseconds(b, by_zlay, of_zlay);
        blas[i] = microseconds(b, by_cublas, of_blas);
    }
    timing t = {median(zlay, rounds), median(blas, rounds)};
    free(zlay);
    free(blas);
    return t;
}

/* ---- results ----------------------------------------------------------------- */

static rig_result judged(bench *b, product_by *by, const product *want)
{
    matrix_fill(b->r, &b->sets[0].d);
    by(b, &b->sets[0]);
    return product_compare(b->r, want, &b->sets[0].d, 0, 0);
}

static verdict judge_both(bench *b)
{
    const shape *s = b->s;
    product want = product_new(b->r, &b->sets[0].a, &b->sets[0].b, s->m, s->n, s->k);
    verdict v = {judged(b, by_zlay, &want), judged(b, by_cublas, &want)};
    product_free(b->r, &want);
    return v;
}

/* ---- the table ---------------------------------------------------------------- */

static int row_print(const bench *b, timing t, verdict v)
{
    const shape *s = b->s;
    double operations = 2.0 * (double)s->m * (double)s->n * (double)s->k, ratio = t.cublas / t.zlay;
    int good = ratio >= s->least && !v.zlay.bad;
    const char *word = good ? "ok" : v.zlay.bad ? "WRONG" : "SLOW";
    printf("| %-14s | %9.2f | %9.2f | %7.1f | %7.1f | %5.2f | %5.3f | %6.3f | %s |\n", s->name,
           t.zlay, t.cublas, operations / t.zlay / 1e6, operations / t.cublas / 1e6, ratio,
           v.zlay.ratio, v.cublas.ratio, word);
    fflush(stdout);
    return good;
}

static int shape_run(rig *r, const cublas *blas, const shape *s, unsigned rounds)
{
    bench b = {.r = r, .blas = blas, .s = s};
    zlay_gemm g = {.size = sizeof g,
                   .m = s->m,
                   .n = s->n,
                   .k = s->k,
                   .tile_m = s->tile_m,
                   .tile_n = s->tile_n};
    rig_watch(s->name, 60);
    rig_must(r, rig_kernel(r, &g, s->name, &b.plan, &b.kernel), s->name);
    sets_make(&b);
    for (int i = 0; i < 2; i++)
        event_call(&b, r->device->driver.cuEventCreate(&b.event[i], ZL_CU_EVENT_DEFAULT),
                   "cuEventCreate");
    verdict v = judge_both(&b);
    timing t = time_both(&b, rounds);
    for (int i = 0; i < 2; i++) r->device->driver.cuEventDestroy_v2(b.event[i]);
    sets_free(&b);
    zlay_kernel_free(b.kernel);
    zlay_plan_free(b.plan);
    return row_print(&b, t, v);
}

static int shapes_run(rig *r, const cublas *blas, const shape *list, size_t count, const char *only,
                      unsigned rounds)
{
    int good = 1, ran = 0;
    printf("| M x N x K      |   zlay us | cuBLAS us |    zlay |  cuBLAS | ratio | error "
           "| cuBLAS |     |\n|---|---|---|---|---|---|---|---|---|\n");
    for (size_t i = 0; i < count; i++) {
        if (only && strcmp(only, list[i].name)) continue;
        good &= shape_run(r, blas, &list[i], rounds);
        ran = 1;
    }
    printf("Columns 4 and 5 are TFLOP/s, medians of %u rounds in turn on random normal bf16, past\n"
           "the L2 but for the two smallest; errors are parts of\n"
           "2^-8 |r| + (K/16 + 8) 2^-22 sum |a b| against float64.\n",
           rounds);
    return good && ran;
}

int main(int argc, char **argv)
{
    rig r = {0};
    cublas blas;
    unsigned rounds = ROUNDS;
    const char *path = NULL, *only = NULL;
    const shape *list = shapes;
    size_t count = ZL_COUNT(shapes);
    for (int i = 1; i < argc; i++) {
        int more = i + 1 < argc;
        if (more && !strcmp(argv[i], "--cublas")) path = argv[++i];
        else if (more && !strcmp(argv[i], "--only")) only = argv[++i];
        else if (!strcmp(argv[i], "--tiles")) list = tiles, count = ZL_COUNT(tiles);
        else if (more && !strcmp(argv[i], "--rounds"))
            rounds = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (!rig_option(&r, argc, argv, &i))
            rig_die(argv[i], "no such option, or its value is missing");
    }
    if (!rounds) rig_die("--rounds", "is not a count");
    if (!rig_open(&r)) return 3;
    struct CUctx_st *popped;
    r.device->driver.cuCtxPushCurrent_v2(r.device->context);
    const char *failed = cublas_open(&blas, path);
    if (failed) rig_die("cuBLAS", failed);
    printf("cuBLAS %d.%d.%d\n", blas.version / 10000, blas.version / 100 % 100, blas.version % 100);
    int good = shapes_run(&r, &blas, list, count, only, rounds);
    cublas_close(&blas);
    r.device->driver.cuCtxPopCurrent_v2(&popped);
    rig_close(&r);
    return !good;
}
