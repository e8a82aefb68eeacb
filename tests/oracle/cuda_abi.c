/* SPDX-License-Identifier: Apache-2.0 */
/* The privately declared prototypes and enumerators of the CUDA driver are those of cuda.h. */
#include "runtime/runtime.h"
#include "test.h"
#include <zlay/tensormap_driver.h>

#include <string.h>

/* Our types under names that no macro of cuda.h touches, before it is included. */
#define ZL_CUDA(symbol, parameters) typedef zl_cu_result(*zl_our_##symbol) parameters;
#define ZL_CUDA_NEWER(symbol, parameters) ZL_CUDA(symbol, parameters)
#include "runtime/cuda.def"
#define ZL_HOOK_DRIVER(symbol, parameters) typedef zl_cu_result(*zl_hook_##symbol) parameters;
#include "preload/hooks.def"

#if defined(__has_include)
#if __has_include(<cuda.h>)
#include <cuda.h>
#elif __has_include("/usr/local/cuda/include/cuda.h")
#include "/usr/local/cuda/include/cuda.h"
#endif
#endif

#ifdef CUDA_VERSION

#define TEXT_OF(x) #x
#define EXPANDED(x) TEXT_OF(x)

typedef struct row {
    const char *name, *current;
    int same;
} row;

/* `current` is what cuda.h turns the name into: a versioned name is turned into nothing else. */
static const row functions[] = {
#define ZL_CUDA(symbol, parameters)                                                                \
    {#symbol, EXPANDED(symbol), _Generic(&symbol, zl_our_##symbol : 1, default : 0)},
#define ZL_CUDA_NEWER(symbol, parameters) ZL_CUDA(symbol, parameters)
#include "runtime/cuda.def"
};

static void prototypes_are_cuda_h(void **state)
{
    (void)state;
    assert_true(ZL_COUNT(functions) > 20);
    for (size_t i = 0; i < ZL_COUNT(functions); i++)
        if (!functions[i].same) fail_msg("%s has another prototype", functions[i].name);
}

static const row hooks[] = {
#define ZL_HOOK_DRIVER(symbol, parameters)                                                         \
    {#symbol, EXPANDED(symbol), _Generic(&symbol, zl_hook_##symbol : 1, default : 0)},
#include "preload/hooks.def"
};

/* What libzlay-explain.so stands before. */
static void hooks_are_cuda_h(void **state)
{
    (void)state;
    assert_int_equal(ZL_COUNT(hooks), 4);
    for (size_t i = 0; i < ZL_COUNT(hooks); i++) {
        assert_string_equal(hooks[i].name, hooks[i].current);
        if (!hooks[i].same) fail_msg("%s has another prototype", hooks[i].name);
    }
}

/* The old symbol of one function is kept on purpose: drivers before 12.8 have no other, and both
 * measure alike. */
static void symbols_are_current(void **state)
{
    (void)state;
    for (size_t i = 0; i < ZL_COUNT(functions); i++)
        if (strcmp(functions[i].name, "cuEventElapsedTime"))
            assert_string_equal(functions[i].name, functions[i].current);
}

static void enumerators_are_cuda_h(void **state)
{
    (void)state;
#define ZL_CUDA_VALUE(name, value) assert_int_equal(ZL_##name, name);
#include "runtime/cuda.def"
    assert_int_equal(sizeof(CUresult), sizeof(zl_cu_result));
    assert_int_equal(sizeof(CUtensorMapDataType), sizeof(zl_cu_enum));
}

static void public_numbers_are_cuda_h(void **state)
{
    static const int32_t pairs[][2] = {
        {ZLAY_TYPE_U8, CU_TENSOR_MAP_DATA_TYPE_UINT8},
        {ZLAY_TYPE_U16, CU_TENSOR_MAP_DATA_TYPE_UINT16},
        {ZLAY_TYPE_U32, CU_TENSOR_MAP_DATA_TYPE_UINT32},
        {ZLAY_TYPE_S32, CU_TENSOR_MAP_DATA_TYPE_INT32},
        {ZLAY_TYPE_U64, CU_TENSOR_MAP_DATA_TYPE_UINT64},
        {ZLAY_TYPE_S64, CU_TENSOR_MAP_DATA_TYPE_INT64},
        {ZLAY_TYPE_F16, CU_TENSOR_MAP_DATA_TYPE_FLOAT16},
        {ZLAY_TYPE_F32, CU_TENSOR_MAP_DATA_TYPE_FLOAT32},
        {ZLAY_TYPE_F64, CU_TENSOR_MAP_DATA_TYPE_FLOAT64},
        {ZLAY_TYPE_BF16, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16},
        {ZLAY_TYPE_F32_FTZ, CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ},
        {ZLAY_TYPE_TF32, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32},
        {ZLAY_TYPE_TF32_FTZ, CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ},
        {ZLAY_SWIZZLE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE},
        {ZLAY_SWIZZLE_32B, CU_TENSOR_MAP_SWIZZLE_32B},
        {ZLAY_SWIZZLE_64B, CU_TENSOR_MAP_SWIZZLE_64B},
        {ZLAY_SWIZZLE_128B, CU_TENSOR_MAP_SWIZZLE_128B},
    };
    (void)state;
    for (size_t i = 0; i < ZL_COUNT(pairs); i++) assert_int_equal(pairs[i][0], pairs[i][1]);
    assert_int_equal(sizeof(CUtensorMap), ZL_MAP_BYTES);
    assert_int_equal(ZL_MAP_ALIGN % _Alignof(CUtensorMap), 0);
}

/* One list of arguments, as a host has them, for the driver's call and for the question about it. */
static void a_host_asks_with_the_arguments_of_its_call(void **state)
{
    const cuuint64_t extent[3] = {64, 16, 16}, stride[2] = {128, 2048};
    const cuuint32_t box[3] = {64, 8, 1}, step[3] = {1, 1, 1};
    const int lower[1] = {-1}, upper[1] = {-1};
    CUtensorMap bits;
    zlay_tensormap map;
    void *at = NULL;
    (void)state;
#define BF16 CU_TENSOR_MAP_DATA_TYPE_BFLOAT16
#define TAIL CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE
#define TILED BF16, 3, at, extent, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, TAIL
#define IM2COL BF16, 3, at, extent, stride, lower, upper, 64, 32, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, TAIL
#define WIDE BF16, 3, at, extent, stride, -1, -1, 64, 32, step, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_IM2COL_WIDE_MODE_W, CU_TENSOR_MAP_SWIZZLE_128B, TAIL
    (void)sizeof(cuTensorMapEncodeTiled(&bits, TILED));
    (void)sizeof(cuTensorMapEncodeIm2col(&bits, IM2COL));
    (void)sizeof(cuTensorMapEncodeIm2colWide(&bits, WIDE));
    assert_int_equal(zlay_tensormap_from_tiled(&map, TILED), ZLAY_OK);
    assert_true(map.type == ZLAY_TYPE_BF16 && map.box[1] == 8 && map.l2 == 2 && map.swizzle == 3);
    assert_int_equal(zlay_tensormap_from_im2col(&map, IM2COL), ZLAY_OK);
    assert_true(map.lower[0] == -1 && map.channels == 64 && map.pixels == 32 && map.l2 == 2);
    assert_int_equal(zlay_tensormap_from_im2col_wide(&map, WIDE), ZLAY_OK);
    assert_true(map.mode == 2 && map.upper[0] == -1 && map.wide_mode == 0 && map.swizzle == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_host_asks_with_the_arguments_of_its_call),
        cmocka_unit_test(prototypes_are_cuda_h),
        cmocka_unit_test(hooks_are_cuda_h),
        cmocka_unit_test(symbols_are_current),
        cmocka_unit_test(enumerators_are_cuda_h),
        cmocka_unit_test(public_numbers_are_cuda_h),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void no_toolkit(void **state)
{
    (void)state;
    print_message("no cuda.h here: the driver's prototypes were compared with nothing\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_toolkit)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
