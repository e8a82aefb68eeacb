/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L /* sigaction, alarm */
#include "rig.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const support_names[SUPPORT_COUNT] = {"cells", "wide", "reference", "compare",
                                                         "sum"};

/* ---- ends ----------------------------------------------------------------- */

static char watched[160];

static void watch_over(int signal)
{
    static const char says[] = "\ntime is over: ";
    (void)signal;
    ssize_t written = write(STDOUT_FILENO, says, sizeof says - 1);
    if (written >= 0) written = write(STDOUT_FILENO, watched, strlen(watched));
    _exit(written >= 0 ? 2 : 3);
}

void rig_watch(const char *doing, unsigned seconds)
{
    struct sigaction action;
    alarm(0);
    memset(&action, 0, sizeof action);
    action.sa_handler = watch_over;
    sigaction(SIGALRM, &action, NULL);
    snprintf(watched, sizeof watched, "%s took more than %u s\n", doing, seconds);
    alarm(seconds);
}

_Noreturn void rig_die(const char *what, const char *why)
{
    printf("%s: %s\n", what, why);
    fflush(stdout);
    _exit(2);
}

void rig_must(const rig *r, zlay_status status, const char *what)
{
    if (status) rig_die(what, zlay_ctx_message(r->ctx));
}

/* ---- the device ----------------------------------------------------------- */

static char *support_text(void)
{
    size_t length = 1;
    for (size_t i = 0; i < support_ptx_count; i++) length += strlen(support_ptx[i]);
    char *text = malloc(length);
    if (!text) rig_die("support kernels", "no memory");
    text[0] = 0;
    for (size_t i = 0; i < support_ptx_count; i++) strcat(text, support_ptx[i]);
    return text;
}

static void support_load(rig *r)
{
    const zl_driver *driver = &r->device->driver;
    char *text = support_text();
    rig_must(r, zl_device_enter(r->ctx, r->device), "context");
    zlay_status status =
        ZL_CALL(r->ctx, driver, cuModuleLoadDataEx, (&r->module, text, 0, NULL, NULL));
    for (int i = 0; !status && i < SUPPORT_COUNT; i++)
        status = ZL_CALL(r->ctx, driver, cuModuleGetFunction,
                         (&r->support[i], r->module, support_names[i]));
    rig_must(r, zl_device_leave(r->ctx, r->device, status), "support kernels");
    free(text);
}

int rig_open(rig *r)
{
    if (zlay_ctx_new(&r->ctx, NULL, NULL)) rig_die("ctx", "no memory");
    if (zlay_target_find(&r->target, "sm_90a", 6)) rig_die("target", "sm_90a is unknown");
    if (zlay_device_open(r->ctx, &r->device, 0)) {
        printf("no device: %s\n", zlay_ctx_message(r->ctx));
        zlay_ctx_free(r->ctx);
        return 0;
    }
    zlay_device_info(&r->info, r->device);
    printf("%s, driver %d.%d, %d multiprocessors\n", r->info.name, r->info.driver / 1000,
           r->info.driver % 1000 / 10, r->info.processors);
    if (r->info.cc_major != 9) rig_die("device", "these kernels are of compute capability 9.0");
    support_load(r);
    r->result = rig_alloc(r, sizeof(rig_result));
    return 1;
}

void rig_close(rig *r)
{
    zlay_device_free(r->device, r->result);
    if (zl_device_enter(r->ctx, r->device) == ZLAY_OK) {
        r->device->driver.cuModuleUnload(r->module);
        zl_device_leave(r->ctx, r->device, ZLAY_OK);
    }
    zlay_device_close(r->device);
    zlay_ctx_free(r->ctx);
}

uint64_t rig_alloc(rig *r, uint64_t bytes)
{
    uint64_t at = 0;
    rig_must(r, zlay_device_allocate(r->ctx, &at, r->device, bytes), "device memory");
    return at;
}

/* ---- support kernels ------------------------------------------------------ */

static void launch(rig *r, int kernel, unsigned x, unsigned y, unsigned block, void **parameters)
{
    rig_must(r, zl_device_enter(r->ctx, r->device), "context");
    zlay_status status =
        ZL_CALL(r->ctx, &r->device->driver, cuLaunchKernel,
                (r->support[kernel], x, y, 1, block, 1, 1, 0, NULL, parameters, NULL));
    rig_must(r, zl_device_leave(r->ctx, r->device, status), support_names[kernel]);
}

void rig_run(rig *r, int kernel, uint64_t threads, void **parameters)
{
    uint64_t blocks = (threads + 255) / 256, most = 16 * (uint64_t)r->info.processors;
    launch(r, kernel, (unsigned)(blocks < most ? blocks : most), 1, 256, parameters);
}

void rig_run_grid(rig *r, int kernel, unsigned x, unsigned y, void **parameters)
{
    launch(r, kernel, x, y, 128, parameters);
}

void rig_result_clear(rig *r)
{
    rig_result none = {.first = UINT64_MAX};
    rig_must(r, zlay_device_upload(r->ctx, r->device, r->result, &none, sizeof none), "result");
}

rig_result rig_result_read(rig *r)
{
    rig_result result;
    rig_must(r, zlay_device_download(r->ctx, &result, r->device, r->result, sizeof result), "result");
    return result;
}

/* ---- kernels of plans ----------------------------------------------------- */

static FILE *named(const char *folder, const char *name, const char *ending, const char *mode)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, ending);
    FILE *file = fopen(path, mode);
    if (!file) rig_die(path, "it cannot be opened");
    return file;
}

static char *ptx_make(rig *r, const zlay_plan *plan, size_t *length)
{
    zlay_buf buf = {NULL, 0, 0};
    zlay_status status = zlay_emit_ptx(r->ctx, &buf, plan, "gemm", 4);
    if (status != ZLAY_EROOM) return NULL;
    buf.room = buf.need + 1;
    buf.text = malloc(buf.room);
    if (!buf.text) rig_die("PTX", "no memory");
    rig_must(r, zlay_emit_ptx(r->ctx, &buf, plan, "gemm", 4), "PTX");
    *length = buf.need;
    return buf.text;
}

static char *cubin_read(const rig *r, const char *name, size_t *length)
{
    FILE *file = named(r->cubins, name, "cubin", "rb");
    size_t room = (size_t)16 << 20;
    char *image = malloc(room);
    if (!image) rig_die(name, "no memory");
    *length = fread(image, 1, room, file);
    fclose(file);
    return image;
}

static char *image_make(rig *r, const zlay_plan *plan, const char *name, size_t *length)
{
    char *ptx = ptx_make(r, plan, length);
    if (ptx && r->emits) {
        FILE *file = named(r->emits, name, "ptx", "wb");
        if (fwrite(ptx, 1, *length, file) != *length) rig_die(name, "its PTX cannot be written");
        fclose(file);
    }
    if (!ptx || !r->cubins) return ptx;
    free(ptx);
    return cubin_read(r, name, length);
}

zlay_status rig_kernel(rig *r, const zlay_gemm *gemm, const char *name, zlay_plan **plan,
                       zlay_kernel **kernel)
{
    size_t length = 0;
    *kernel = NULL;
    zlay_status status = zlay_gemm_synth(r->ctx, plan, r->target, gemm);
    if (status) return status;
    char *image = image_make(r, *plan, name, &length);
    if (image)
        status = zlay_kernel_load(r->ctx, kernel, r->device, *plan, image, length, "gemm");
    else
        status = ZLAY_EINTERNAL;
    free(image);
    if (status) {
        zlay_plan_free(*plan);
        *plan = NULL;
    }
    return status;
}

int rig_option(rig *r, int argc, char **argv, int *i)
{
    if (*i + 1 >= argc) return 0;
    if (!strcmp(argv[*i], "--cubins"))
        r->cubins = argv[++*i];
    else if (!strcmp(argv[*i], "--emit"))
        r->emits = argv[++*i];
    else
        return 0;
    return 1;
}
