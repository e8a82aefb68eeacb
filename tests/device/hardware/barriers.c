/* SPDX-License-Identifier: Apache-2.0 */
#include "barriers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

const state_case state_cases[] = {
#define STATE(name, threads, directives, text, outcome, value, ...)                                \
    {name, threads, directives, text, outcome, value, __VA_ARGS__},
#include "barriers.def"
};
const size_t state_cases_count = ZL_COUNT(state_cases);

#define XYZ(x, y, z) {x, y, z}
const launch_case launch_cases[] = {
#define LAUNCH(name, threads, smem, registers, grid, cluster, odd, outcome)                        \
    {name, threads, smem, registers, XYZ grid, XYZ cluster, odd, outcome},
#include "barriers.def"
};
const size_t launch_cases_count = ZL_COUNT(launch_cases);

static const char head[] =
    ".version 8.6\n.target sm_90a\n.address_size 64\n"
    ".func (.reg .b32 done) wait(.reg .b32 own, .reg .b32 par)\n{\n"
    "    .reg .pred p; .reg .b64 c0, c1;\n    mov.u64 c0, %%clock64;\n"
    "again: mbarrier.try_wait.parity.shared::cta.b64 p, [own], par; selp.u32 done, 1, 0, p; @p bra over;\n"
    "    mov.u64 c1, %%clock64; sub.u64 c1, c1, c0; setp.lt.u64 p, c1, 4000000; @p bra again;\n"
    "over: ret;\n}\n"
    ".visible .entry run(.param .u64 p_result) %s\n{\n"
    "    .shared .align 16 .b8 bars[64];\n"
    "    .reg .pred p, lead; .reg .b64 result, c0, c1; .reg .b32 own, b4, par, t, tid, v;\n"
    "    ld.param.u64 result, [p_result]; mov.u32 own, bars; add.u32 b4, own, 4; mov.u32 v, 0;\n"
    "    mov.u32 tid, %%tid.x; setp.eq.u32 lead, tid, 0; @lead st.shared.u32 [own+16], 0; bar.sync 0;\n"
    "    %s\n    %s\n"
    "end: @lead st.global.u32 [result], v;\n    ret;\n}\n";

static void state_text(char *text, size_t room, const state_case *c)
{
    bool alone = c->threads <= 32;
    snprintf(text, room, head, c->directives, alone ? "@!lead bra end;" : "", c->text);
}

int state_texts(const char *folder)
{
    static char text[8192], path[512];
    for (size_t i = 0; i < state_cases_count; i++) {
        snprintf(path, sizeof path, "%s/state%zu.ptx", folder, i);
        FILE *file = fopen(path, "w");
        if (!file) return 2;
        state_text(text, sizeof text, &state_cases[i]);
        fputs(text, file);
        fclose(file);
    }
    return 0;
}

static zlay_answer ask(const state_case *c)
{
    const zlay_target *target;
    zlay_verdict v;
    zlay_target_find(&target, "sm_90a", 6);
    zlay_status status = c->about == ASK_BARRIER
                             ? zlay_barrier_check(&v, NULL, 0, target, &c->says.barrier)
                             : zlay_block_check(&v, NULL, 0, target, &c->says.block);
    if (status) rig_die("check", c->name);
    return v.answer;
}

static struct CUfunc_st *load(copy_rig *r, const char *text, const char *name)
{
    const zl_driver *d = &r->device->driver;
    struct CUmod_st *module;
    struct CUfunc_st *run;
    if (d->cuModuleLoadDataEx(&module, text, 0, NULL, NULL) ||
        d->cuModuleGetFunction(&run, module, "run"))
        rig_die("kernel", name);
    return run;
}

void state_run(copy_rig *r, const state_case *c, state_seen *seen)
{
    static char text[8192];
    const zl_driver *d = &r->device->driver;
    uint32_t value = 77;
    void *parameters[] = {&r->result};
    state_text(text, sizeof text, c);
    seen->answer = ask(c);
    if (zl_device_enter(r->ctx, r->device)) rig_die("context", c->name);
    zl_cu_result error = d->cuLaunchKernel(load(r, text, c->name), 1, 1, 1, c->threads, 1, 1, 0,
                                           NULL, parameters, NULL);
    if (!error) error = d->cuCtxSynchronize();
    zl_device_leave(r->ctx, r->device, ZLAY_OK);
    seen->base.error = (int)error;
    if (!error && zlay_device_download(r->ctx, &value, r->device, r->result, sizeof value))
        rig_die("result", c->name);
    seen->value = value;
}

/* ---- launches -------------------------------------------------------------------------- */

/* CUlaunchConfig and CUlaunchAttribute of cuda.h, CUDA 12 and 13. */
typedef struct launch_attribute {
    unsigned id, pad;
    unsigned dimension[16];
} launch_attribute;

typedef struct launch_config {
    unsigned grid[3], block[3], smem;
    void *stream;
    launch_attribute *attributes;
    unsigned count;
} launch_config;

enum { CLUSTER_DIMENSION = 4, NON_PORTABLE = 14 };

typedef zl_cu_result launch_ex(const launch_config *, struct CUfunc_st *, void **, void **);

static zlay_answer ask_block(const launch_case *c)
{
    const zlay_target *target;
    zlay_verdict v;
    zlay_block b = {.threads = c->threads, .registers = c->registers, .smem_dynamic = c->smem,
                    .flags = ZLAY_BLOCK_CLUSTER | ZLAY_BLOCK_GRID};
    if (c->non_portable) b.flags |= ZLAY_BLOCK_NON_PORTABLE;
    for (int i = 0; i < 3; i++) b.grid[i] = c->grid[i], b.cluster[i] = c->cluster[i];
    zlay_target_find(&target, "sm_90a", 6);
    if (zlay_block_check(&v, NULL, 0, target, &b)) rig_die("check", c->name);
    return v.answer;
}

/* setmaxnreg makes a kernel start with as many registers as it is told. */
static void launch_text(char *text, size_t room, const launch_case *c)
{
    char directives[64] = "";
    if (c->registers) snprintf(directives, sizeof directives, ".maxnreg %u", c->registers);
    snprintf(text, room, head, directives, "",
             c->registers ? "setmaxnreg.dec.sync.aligned.u32 24;" : "");
}

void launch_run(copy_rig *r, const launch_case *c, state_seen *seen)
{
    static char text[8192];
    const zl_driver *d = &r->device->driver;
    launch_ex *launch = NULL;
    launch_attribute attribute = {
        CLUSTER_DIMENSION, 0, {c->cluster[0], c->cluster[1], c->cluster[2]}};
    launch_config config = {{c->grid[0], c->grid[1], c->grid[2]}, {c->threads, 1, 1}, c->smem,
                            NULL, &attribute, 1};
    void *parameters[] = {&r->result};
    *(void **)&launch = dlsym(d->library, "cuLaunchKernelEx");
    launch_text(text, sizeof text, c);
    seen->answer = ask_block(c);
    if (!launch || zl_device_enter(r->ctx, r->device)) rig_die("launch", c->name);
    struct CUfunc_st *run = load(r, text, c->name);
    zl_cu_result error = 0;
    if (c->smem)
        error = d->cuFuncSetAttribute(run, ZL_CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                      (int)c->smem - 64);
    if (c->non_portable && !error) error = d->cuFuncSetAttribute(run, NON_PORTABLE, 1);
    config.smem = c->smem ? c->smem - 64 : 0;
    if (!error) error = launch(&config, run, parameters, NULL);
    if (!error) error = d->cuCtxSynchronize();
    zl_device_leave(r->ctx, r->device, ZLAY_OK);
    seen->base.error = (int)error;
}
