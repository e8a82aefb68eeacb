/* SPDX-License-Identifier: Apache-2.0 */
/* zlay run attention: runs the plan's kernel on a GPU, and compares rows of its result with
 * attention by the definition. */
#include "cli/device/contest.h"
#include "cli/progress.h"
#include "cli/device/tensors.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARM = 3, TIMED = 20 };

typedef struct run {
    zlay_ctx *ctx;
    const zl_options *options;
    const zlay_target *target;
    zlay_attention_plan *plan;
    zlay_device *device;
    zlay_kernel *kernel;
    zl_matrix tensor[ZL_TENSORS];
    uint64_t address[ZL_TENSORS];
} run;

static zlay_status upload(run *r)
{
    zlay_status status = zl_tensors_make(r->tensor, &r->options->attention);
    for (int i = 0; i < ZL_TENSORS && !status; i++) {
        uint64_t bytes = r->tensor[i].count * r->tensor[i].element;
        if (!bytes) continue;
        status = zlay_device_allocate(r->ctx, &r->address[i], r->device, bytes);
        if (!status)
            status =
                zlay_device_upload(r->ctx, r->device, r->address[i], r->tensor[i].bytes, bytes);
    }
    return status;
}

static zlay_status launch(run *r)
{
    zlay_status status = zl_tensors_bind(r->ctx, r->kernel, r->plan, r->address);
    if (!status) status = zlay_kernel_launch(r->ctx, r->kernel, NULL);
    if (!status) status = zlay_device_wait(r->ctx, r->device);
    for (int i = ZL_TENSOR_O; i <= ZL_TENSOR_L && !status; i++)
        if (r->tensor[i].count)
            status = zlay_device_download(r->ctx, r->tensor[i].bytes, r->device, r->address[i],
                                          r->tensor[i].count * r->tensor[i].element);
    return status;
}

static int report(run *r, const zl_tensors_report *compared)
{
    zlay_machine machine;
    zlay_roofline bound;
    float ms = 0;
    zlay_status status = zlay_kernel_measure(r->ctx, &ms, r->kernel, WARM);
    if (!status) status = zlay_kernel_measure(r->ctx, &ms, r->kernel, TIMED);
    if (status) return zl_cli_say(r->ctx, status, "timing");
    printf("run: %" PRIu64 " numbers of %" PRIu64 " rows compared, %" PRIu64
           " are off by more than roundings explain; the worst by %.2f of that\n",
           compared->compared, compared->rows, compared->wrong, compared->worst);
    zlay_machine_find(&machine, r->target);
    printf("run: %.3f ms", (double)ms / (int)TIMED);
    if (!zlay_attention_bound(r->ctx, &bound, &machine, &r->options->attention))
        printf(", %.1f TFLOP/s", 2.0 * (double)bound.products * (int)TIMED / (double)ms * 1e-9);
    printf(" on small integers, which draw less power than random data (docs/performance.md)\n");
    return compared->wrong ? ZL_EXIT_NO : ZL_EXIT_YES;
}

static int on_device(run *r)
{
    zlay_device_summary info;
    zl_tensors_report compared;
    zlay_status status = zlay_device_info(&info, r->device);
    if (!status)
        printf("device: %s, compute capability %d.%d, driver %d\n", info.name, info.cc_major,
               info.cc_minor, info.driver);
    zl_progress_begin(NULL, "filling tensors, loading the kernel");
    if (!status) status = upload(r);
    if (!status) status = zl_tensors_load(r->ctx, &r->kernel, r->device, r->plan, r->options);
    zl_progress_end();
    if (status == ZLAY_ENOTSUP) return zl_not_run(zlay_ctx_message(r->ctx));
    if (!status) status = launch(r);
    if (status) return zl_cli_say(r->ctx, status, "run");
    zl_progress_begin(NULL, "comparing with the definition");
    bool done = zl_tensors_compare(&compared, r->tensor, &r->options->attention);
    zl_progress_end();
    return done ? report(r, &compared) : zl_cli_say(r->ctx, ZLAY_ENOMEM, "reference");
}

static int plan_run(run *r)
{
    zlay_status status =
        zlay_attention_synth(r->ctx, &r->plan, r->target, &r->options->attention);
    if (status) return zl_cli_say(r->ctx, status, "no plan");
    int exit = zl_pipe_prove(r->ctx, zlay_attention_pipe(r->plan), false);
    if (exit) return exit;
    printf("plan: checked\n");
    const char *why = zl_tensors_refused(r->plan, &r->options->attention);
    if (why) return zl_not_run(why);
    status = zlay_device_open(r->ctx, &r->device, 0);
    if (status == ZLAY_EDRIVER) return zl_not_run(zlay_ctx_message(r->ctx));
    return status ? zl_cli_say(r->ctx, status, "device") : on_device(r);
}

int zl_run_attention(zlay_ctx *ctx, int argc, char **argv)
{
    zl_options options;
    run r = {.ctx = ctx, .options = &options};
    if (!zl_options_read(&options, ZL_OF_RUN_ATTENTION, argc, argv)) return ZL_EXIT_ERROR;
    if (zlay_target_find(&r.target, options.target, strlen(options.target)))
        return zl_no_target(options.target);
    int exit = plan_run(&r);
    zlay_kernel_free(r.kernel);
    for (int i = 0; r.device && i < ZL_TENSORS; i++) zlay_device_free(r.device, r.address[i]);
    zlay_device_close(r.device);
    for (int i = 0; i < ZL_TENSORS; i++) zl_matrix_free(&r.tensor[i]);
    zlay_attention_free(r.plan);
    return exit;
}
