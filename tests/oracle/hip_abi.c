/* SPDX-License-Identifier: Apache-2.0 */
/* The privately declared prototypes and enumerators of the HIP runtime are those of its header. */
#include "runtime/runtime.h"
#include "test.h"

#if defined(__has_include)
#if __has_include(<hip/hip_runtime_api.h>)
#define __HIP_PLATFORM_AMD__ 1
#include <hip/hip_runtime_api.h>
#endif
#endif

#ifdef HIP_LAUNCH_PARAM_END

/* hipDeviceptr_t is void *, and enumerations are unsigned int: C calls those types compatible. */
static void prototypes_are_the_headers(void **state)
{
    (void)state;
#define ZL_HIP(symbol, parameters)                                                                 \
    assert_true((_Generic(&symbol, zl_hip_result(*) parameters : 1, default : 0)));
#include "runtime/hip.def"
    assert_true((_Generic(&hipGetErrorName, const char *(*)(zl_hip_result) : 1, default : 0)));
}

static void enumerators_are_the_headers(void **state)
{
    (void)state;
#define ZL_HIP_VALUE(name, value) assert_int_equal(ZL_##name, name);
#include "runtime/hip.def"
    assert_int_equal(sizeof(hipError_t), sizeof(zl_hip_result));
    assert_ptr_equal(HIP_LAUNCH_PARAM_BUFFER_POINTER, ZL_LAUNCH_POINTER);
    assert_ptr_equal(HIP_LAUNCH_PARAM_BUFFER_SIZE, ZL_LAUNCH_SIZE);
    assert_ptr_equal(HIP_LAUNCH_PARAM_END, ZL_HIP_LAUNCH_END);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(prototypes_are_the_headers),
        cmocka_unit_test(enumerators_are_the_headers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void no_header(void **state)
{
    (void)state;
    print_message("no hip_runtime_api.h here: the runtime's prototypes were compared with nothing\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
