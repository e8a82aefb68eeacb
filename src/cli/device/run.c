/* SPDX-License-Identifier: Apache-2.0 */
/* zlay run gemm: runs the plan's kernel on a GPU, and compares D with the reference product on
 * sampled blocks, of groups on blocks of each. */
#include "cli/cli.h"
#include "cli/groups.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/runtime.h>

enum { BLOCK = 64, SAMPLE = 5, SAMPLE_GROUP = 2 /* along each side */, WARM = 3, TIMED = 20 };

typedef struct run {
    zlay_ctx *ctx;
    const zl_options *options;
    const zlay_plan *plan;
    zlay_device *device;
    zlay_kernel *kernel;
    zl_matrix a, b, d;
    uint64_t *offsets; /* of groups; NULL: there are none */
    char *image; /* given, or the plan's text */
    size_t image_bytes;
    uint64_t address[3];
    uint64_t compared, wrong;
    double worst;
} run;

static bool matrices_make(run *r)
{
    const zlay_gemm *g = &r->options->gemm;
    int32_t type[3];
    zl_matrix_types(type, r->plan);
    bool made = zl_groups_describe(&r->a, &r->b, &r->d, type, g) && zl_matrix_alloc(&r->a) &&
                zl_matrix_alloc(&r->b) && zl_matrix_alloc(&r->d);
    if (made && g->groups) made = (r->offsets = zl_groups_draw(g, r->options->seed)) != NULL;
    if (!made) return false;
    zl_matrix_fill(&r->a, 1);
    zl_matrix_fill(&r->b, 2);
    return true;
}

static zlay_status upload(run *r)
{
    zl_matrix *const matrices[] = {&r->a, &r->b, &r->d};
    for (int i = 0; i < 3; i++) {
        uint64_t bytes = matrices[i]->count * matrices[i]->element;
        zlay_status status = zlay_device_allocate(r->ctx, &r->address[i], r->device, bytes);
        if (!status)
            status =
                zlay_device_upload(r->ctx, r->device, r->address[i], matrices[i]->bytes, bytes);
        if (status) return status;
    }
    return ZLAY_OK;
}

enum { IMAGE_MOST = 1 << 28 };

static zlay_status load(run *r)
{
    if (!r->image)
        r->image =
            zl_plan_text(r->ctx, zlay_emit_ptx, r->plan, r->options->name, &r->image_bytes);
    if (!r->image) return ZLAY_ENOMEM;
    zlay_status status = zlay_kernel_load(r->ctx, &r->kernel, r->device, r->plan, r->image,
                                          r->image_bytes, r->options->name);
    if (!status)
        status = zlay_kernel_bind(r->ctx, r->kernel, r->address[0], r->address[1], r->address[2]);
    if (!status && r->offsets)
        status = zlay_kernel_set_offsets(r->ctx, r->kernel, "offsets", r->offsets,
                                         (size_t)r->options->gemm.groups + 1);
    return status;
}

static zlay_status launch(run *r)
{
    zlay_status status = zlay_kernel_launch(r->ctx, r->kernel, NULL);
    if (!status) status = zlay_device_wait(r->ctx, r->device);
    if (!status)
        status = zlay_device_download(r->ctx, r->d.bytes, r->device, r->address[2],
                                      r->d.count * r->d.element);
    return status;
}

static void block_compare(run *r, const zl_product *p, const zl_block *block, double *sums)
{
    zl_matrix_product(sums, &p->a, &p->b, p->k, block);
    for (uint64_t i = 0; i < block->rows; i++)
        for (uint64_t j = 0; j < block->columns; j++) {
            double expected = zl_matrix_round(p->d.type, sums[i * ZL_PRODUCT_COLUMNS + j]);
            double error =
                fabs(zl_matrix_value(&p->d, block->row + i, block->column + j) - expected);
            r->compared++;
            r->wrong += !(error == 0);
            if (!(error <= r->worst)) r->worst = error;
        }
}

/* The i-th of `count` places at equal distances, the ends included. */
static uint64_t place(uint64_t extent, uint64_t size, uint64_t i, uint64_t count)
{
    return i == count - 1 ? extent - size : (extent - size) / (count - 1) * i;
}

static void product_compare(run *r, const zl_product *p, uint64_t samples, double *sums)
{
    uint64_t rows = p->m < BLOCK ? p->m : BLOCK, columns = p->n < BLOCK ? p->n : BLOCK;
    for (uint64_t i = 0; rows && i < samples; i++)
        for (uint64_t j = 0; j < samples; j++) {
            zl_progress_count(i * samples + j, samples * samples);
            zl_block block = {place(p->m, rows, i, samples), rows,
                              place(p->n, columns, j, samples), columns};
            block_compare(r, p, &block, sums);
        }
}

static bool compare(run *r)
{
    const zlay_gemm *g = &r->options->gemm;
    double *sums = malloc(sizeof *sums * BLOCK * ZL_PRODUCT_COLUMNS);
    zl_product p = {r->a, r->b, r->d, g->m, g->n, g->k};
    zl_progress_begin(NULL, "comparing with the exact product");
    if (sums && !r->offsets) product_compare(r, &p, SAMPLE, sums);
    for (uint32_t i = 0; sums && i < g->groups; i++) {
        p = zl_groups_product(&r->a, &r->b, &r->d, g, r->offsets, i);
        product_compare(r, &p, SAMPLE_GROUP, sums);
    }
    zl_progress_end();
    free(sums);
    return sums;
}

/* Counts the elements between rows of D that no longer hold the canary. */
static uint64_t padding_changed(const zl_matrix *d)
{
    uint64_t changed = 0;
    for (uint64_t o = 0; o + 1 < d->outer; o++)
        for (uint64_t i = d->inner; i < d->pitch; i++)
            changed += !zl_matrix_untouched(d, o * d->pitch + i);
    return changed;
}

static int report(run *r)
{
    const zlay_gemm *g = &r->options->gemm;
    float milliseconds = 0;
    uint64_t changed = padding_changed(&r->d);
    if (r->offsets) changed += zl_groups_changed(&r->d, g, r->offsets);
    double ragged = r->offsets ? (double)(r->offsets[g->groups] - r->offsets[0]) : 0;
    zlay_status status = zlay_kernel_measure(r->ctx, &milliseconds, r->kernel, WARM);
    if (!status) status = zlay_kernel_measure(r->ctx, &milliseconds, r->kernel, TIMED);
    if (status) return zl_cli_say(r->ctx, status, "timing");
    bool in_k = g->ragged == ZLAY_RAGGED_K;
    double m = r->offsets && !in_k ? ragged : (double)g->m;
    double k = r->offsets && in_k ? ragged : (double)g->k;
    double flop = 2.0 * m * (double)g->n * k;
    if (r->offsets)
        printf("run: %" PRIu32 " groups, %.0f rows of %" PRIu64 ", TFLOP/s of those alone\n",
               g->groups, ragged, in_k ? g->k : g->m);
    printf("run: %" PRIu64 " elements of D compared, %" PRIu64
           " differ from the exact result's rounding, greatest error %g; "
           "%" PRIu64 " elements of padding changed\n",
           r->compared, r->wrong, r->worst, changed);
    printf("run: %.3f ms, %.1f TFLOP/s on small integers, which draw less power than "
           "random data (docs/performance.md)\n",
           (double)milliseconds / (int)TIMED, flop * (int)TIMED / (double)milliseconds * 1e-9);
    return r->wrong || changed ? ZL_EXIT_NO : ZL_EXIT_YES;
}

static int not_run(run *r)
{
    printf("not run: %s\n", zlay_ctx_message(r->ctx));
    return ZL_EXIT_UNSURE;
}

static int on_device(run *r)
{
    zlay_device_summary info;
    zlay_status status = zlay_device_info(&info, r->device);
    if (!status)
        printf("device: %s, compute capability %d.%d, driver %d\n", info.name, info.cc_major,
               info.cc_minor, info.driver);
    zl_progress_begin(NULL, "filling A and B, loading the kernel");
    bool made = matrices_make(r);
    if (made && !status) status = upload(r);
    if (made && !status) status = load(r);
    zl_progress_end();
    if (!made) return zl_cli_say(r->ctx, ZLAY_ENOMEM, "matrices");
    if (status == ZLAY_ENOTSUP) return not_run(r);
    if (!status) status = launch(r);
    if (status) return zl_cli_say(r->ctx, status, "run");
    return compare(r) ? report(r) : zl_cli_say(r->ctx, ZLAY_ENOMEM, "reference");
}

static void run_free(run *r)
{
    zlay_kernel_free(r->kernel);
    for (int i = 0; i < 3; i++)
        if (r->device) zlay_device_free(r->device, r->address[i]);
    zlay_device_close(r->device);
    zl_matrix_free(&r->a);
    zl_matrix_free(&r->b);
    zl_matrix_free(&r->d);
    free(r->offsets);
    free(r->image);
}

/* Whether the command has values for every argument of the kernel, which it has not for scales;
 * `other` is the first without. */
static bool fills_all(const run *r, zlay_pipe_argument *other)
{
    static const char *const known[] = {"tensor_a", "tensor_b", "tensor_d", "ptr_a",
                                        "ptr_b",    "ptr_d",    "offsets",  "workspace"};
    for (uint32_t i = 0; !zlay_plan_argument_nth(other, r->plan, i); i++) {
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(known[k], other->name) != 0) k++;
        if (k == sizeof known / sizeof *known) return false;
    }
    return true;
}

/* Runs the plan; one of waves runs on HIP, which loads code objects only. */
static int plan_run(run *r)
{
    zlay_wave_gemm wave;
    bool hip = zlay_plan_wave(&wave, r->plan) == ZLAY_OK;
    int exit = zl_plan_prove(r->ctx, r->plan, false);
    if (exit) return exit;
    zlay_pipe_argument other;
    printf("plan: checked\n");
    if (!fills_all(r, &other)) {
        printf("not run: its kernel has %s too, which this command does not fill "
               "(zlay_kernel_set)\n", other.name);
        return ZL_EXIT_UNSURE;
    }
    if (hip && !r->options->image) {
        printf("not run: HIP loads code objects: assemble and link what plan gemm --out "
               "writes, and give it as --image (docs/gemm.md)\n");
        return ZL_EXIT_UNSURE;
    }
    zlay_status status = hip ? zlay_device_open_hip(r->ctx, &r->device, 0)
                             : zlay_device_open(r->ctx, &r->device, 0);
    if (status == ZLAY_EDRIVER) return not_run(r);
    return status ? zl_cli_say(r->ctx, status, "device") : on_device(r);
}

int zl_run_gemm(zlay_ctx *ctx, int argc, char **argv)
{
    zl_options options;
    int exit = ZL_EXIT_ERROR;
    if (!zl_options_read(&options, ZL_OF_RUN, argc, argv)) return exit;
    run r = {.ctx = ctx, .options = &options};
    if (options.image &&
        !(r.image = zl_file_read(options.image, IMAGE_MOST, &r.image_bytes)))
        return exit;
    zlay_plan *plan = zl_plan_of(ctx, &options, &exit);
    r.plan = plan;
    if (plan) exit = plan_run(&r);
    run_free(&r);
    zlay_plan_free(plan);
    return exit;
}
