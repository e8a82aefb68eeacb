/* SPDX-License-Identifier: Apache-2.0 */
/* Plan a bf16 GEMM, print every rule that it met, write its kernel as PTX and, where a Hopper GPU
 * is found, run it and check it.
 *
 *   cc -o gemm gemm.c $(pkg-config --cflags --libs zlay-runtime)
 *   ./gemm [M N K]
 */
#include "product.h"

static char *ptx_make(zlay_ctx *ctx, const zlay_plan *plan, size_t *length)
{
    zlay_buf text = {NULL, 0, 0};
    zlay_emit_ptx(ctx, &text, plan, "gemm", 4);
    text.room = text.need + 1;
    text.text = malloc(text.room);
    if (!text.text || failed(ctx, zlay_emit_ptx(ctx, &text, plan, "gemm", 4), "PTX")) return NULL;
    *length = text.need;
    return text.text;
}

static int device_run(zlay_ctx *ctx, const zlay_plan *plan, const zlay_gemm *g, const char *ptx,
                      size_t length)
{
    zlay_device *device;
    if (zlay_device_open(ctx, &device, 0)) {
        printf("not run: %s\n", zlay_ctx_message(ctx));
        return 1;
    }
    int good = image_run(ctx, device, plan, g, ptx, length);
    zlay_device_close(device);
    return good;
}

int main(int argc, char **argv)
{
    zlay_ctx *ctx;
    zlay_plan *plan = NULL;
    const zlay_target *target;
    zlay_gemm g = {.size = sizeof g, .m = 4096, .n = 4096, .k = 4096};
    uint64_t *const sizes[] = {&g.m, &g.n, &g.k};
    for (int i = 1; i < argc && i < 4; i++) *sizes[i - 1] = strtoull(argv[i], NULL, 10);
    if (zlay_ctx_new(&ctx, NULL, NULL) || zlay_target_find(&target, "sm_90a", 6)) return 2;
    size_t length = 0;
    char *ptx = NULL;
    int good = !failed(ctx, zlay_gemm_synth(ctx, &plan, target, &g), "plan") &&
               rules_print(ctx, plan) && (ptx = ptx_make(ctx, plan, &length)) &&
               file_write("gemm.ptx", ptx, length) && device_run(ctx, plan, &g, ptx, length);
    free(ptx);
    zlay_plan_free(plan);
    zlay_ctx_free(ctx);
    return good ? 0 : 2;
}
