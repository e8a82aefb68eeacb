/* SPDX-License-Identifier: Apache-2.0 */
/* refused.c: a program that knows nothing of zlay encodes tensor maps of two matrices, whose rows are 8192 and 8200 bytes
 * apart. The driver refuses the second with a number, and says no more; libzlay-explain.so says why.
 * Build: cc -I/usr/local/cuda/include refused.c -ldl
 * Run: LD_PRELOAD=libzlay-explain.so ./refused
 * It prints one line, `rows of 8192 bytes: 0, rows of 8200 bytes: 1`, the driver's answers; and on stderr there is
 * `zlay:   TMAP_STRIDE_16: stride[0] gives 8200; each stride is a multiple of 16 bytes; 8208 passes; ...`.
 * Without a driver it prints `not run: ` and why. */
#include <cuda.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Boxes of 64 x 64 with the 128-byte swizzle, of 4096 x 4096 bf16 whose rows are `pitch` bytes apart. */
static int encoded(__typeof__(&cuTensorMapEncodeTiled) encode, cuuint64_t pitch)
{
    static CUtensorMap map;
    const cuuint64_t extent[] = {4096, 4096};
    const cuuint32_t box[] = {64, 64}, step[] = {1, 1};
    return encode(&map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)(uintptr_t)0x7f0000000000, extent, &pitch, box, step,
                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}

/* A driver's function as a value of its type; NULL where there is none. */
#define FIND(function) __typeof__(&function) my_##function = NULL; \
    memcpy(&my_##function, &(void *){driver ? dlsym(driver, #function) : NULL}, sizeof(void *))

int main(void)
{
    CUcontext context;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    const char *why = driver ? "the driver encodes no tensor maps" : dlerror();
    FIND(cuInit);
    FIND(cuDevicePrimaryCtxRetain);
    FIND(cuCtxSetCurrent);
    FIND(cuTensorMapEncodeTiled);
    __typeof__(&cuTensorMapEncodeTiled) encode = my_cuTensorMapEncodeTiled;
    if (encode && (!my_cuInit || !my_cuDevicePrimaryCtxRetain || !my_cuCtxSetCurrent || my_cuInit(0) ||
                   my_cuDevicePrimaryCtxRetain(&context, 0) || my_cuCtxSetCurrent(context))) {
        encode = NULL;
        why = "the driver has no device";
    }
    if (!encode) {
        printf("not run: %s\n", why);
        return 0;
    }
    printf("rows of 8192 bytes: %d, ", encoded(encode, 8192));
    printf("rows of 8200 bytes: %d\n", encoded(encode, 8200));
    return 0;
}
