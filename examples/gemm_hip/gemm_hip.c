/* SPDX-License-Identifier: Apache-2.0 */
/* Plan a bf16 GEMM for a target whose matrix instructions read registers, write its kernel as
 * assembly, and run the code object that LLVM makes of it, where HIP finds a GPU.
 *
 *   cc -o gemm_hip gemm_hip.c $(pkg-config --cflags --libs zlay-runtime)
 *   ./gemm_hip gfx942
 *   clang-22 --target=amdgcn-amd-amdhsa -mcpu=gfx942 -c gemm.s -o gemm.o
 *   ld.lld-22 -shared gemm.o -o gemm.hsaco
 *   ./gemm_hip gfx942 gemm.hsaco
 */
#include "../gemm/product.h"

enum { IMAGE_MOST = 1 << 24 };

static int assembly_write(zlay_ctx *ctx, const zlay_plan *plan)
{
    zlay_buf text = {NULL, 0, 0};
    zlay_emit_assembly(ctx, &text, plan, "gemm", 4);
    text.room = text.need + 1;
    text.text = malloc(text.room);
    int good = text.text &&
               !failed(ctx, zlay_emit_assembly(ctx, &text, plan, "gemm", 4), "assembly") &&
               file_write("gemm.s", text.text, text.need);
    free(text.text);
    return good;
}

static int image_load(zlay_ctx *ctx, const zlay_plan *plan, const zlay_gemm *g, const char *path)
{
    zlay_device *device;
    FILE *file = fopen(path, "rb");
    char *image = malloc(IMAGE_MOST);
    size_t length = file && image ? fread(image, 1, IMAGE_MOST, file) : 0;
    int good = 0;
    if (file) fclose(file);
    if (!length) fprintf(stderr, "cannot read %s\n", path);
    else if (zlay_device_open_hip(ctx, &device, 0)) good = printf("not run: %s\n", zlay_ctx_message(ctx));
    else {
        good = image_run(ctx, device, plan, g, image, length);
        zlay_device_close(device);
    }
    free(image);
    return good;
}

int main(int argc, char **argv)
{
    zlay_ctx *ctx;
    zlay_plan *plan = NULL;
    const zlay_target *target;
    const char *name = argc > 1 ? argv[1] : "gfx942";
    const zlay_gemm g = {.size = sizeof g, .m = 4096, .n = 4096, .k = 4096};
    if (zlay_ctx_new(&ctx, NULL, NULL) || zlay_target_find(&target, name, strlen(name))) {
        fprintf(stderr, "no target is called %s\n", name);
        return 2;
    }
    int good = !failed(ctx, zlay_gemm_synth(ctx, &plan, target, &g), "plan") &&
               rules_print(ctx, plan) && assembly_write(ctx, plan) &&
               (argc < 3 || image_load(ctx, plan, &g, argv[2]));
    zlay_plan_free(plan);
    zlay_ctx_free(ctx);
    return good ? 0 : 2;
}
