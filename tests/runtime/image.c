/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps that are encoded and images that are loaded: what the driver is shown, and what never
 * reaches it. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "runtime.h"

#include <elf.h>

/* ---- encoding ------------------------------------------------------------ */

static const zlay_tensormap a_map = {
    .address = 0x123400,
    .extent = {11, 12, 13},
    .stride = {160, 4800},
    .box = {8, 2, 3},
    .step = {1, 2, 1},
    .rank = 3,
    .type = ZLAY_TYPE_F32,
    .interleave = 1,
    .swizzle = 2,
    .l2 = 3,
    .oob = 1,
};

static void encode_passes_every_field(void **state)
{
    world *w = *state;
    unsigned char out[129];
    const fake_encode *seen = &w->fake->encode;
    memset(out, 0x5a, sizeof out);
    assert_int_equal(zlay_device_encode_tensormap(w->ctx, out + 1, w->device, &a_map), ZLAY_OK);
    assert_int_equal(out[0], 0x5a);
    assert_int_equal(out[128], 0x11);
    assert_int_equal(seen->address, a_map.address);
    assert_int_equal(seen->type, 7);
    assert_int_equal(seen->rank, 3);
    assert_memory_equal(seen->extent, a_map.extent, sizeof seen->extent);
    assert_memory_equal(seen->stride, a_map.stride, 2 * sizeof seen->stride[0]);
    assert_memory_equal(seen->box, a_map.box, sizeof seen->box);
    assert_memory_equal(seen->step, a_map.step, sizeof seen->step);
    assert_int_equal(seen->interleave, 1);
    assert_int_equal(seen->swizzle, 2);
    assert_int_equal(seen->l2, 3);
    assert_int_equal(seen->oob, 1);
}

static void a_refused_map_leaves_the_output(void **state)
{
    world *w = *state;
    unsigned char out[128], before[128];
    memset(out, 0x5a, sizeof out);
    memcpy(before, out, sizeof out);
    w->fake->refuse_encode = 1;
    assert_int_equal(zlay_device_encode_tensormap(w->ctx, out, w->device, &a_map), ZLAY_EDRIVER);
    message_has(w, "cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE (1)");
    assert_memory_equal(out, before, sizeof out);
}

static void maps_that_the_driver_never_sees(void **state)
{
    world *w = *state;
    unsigned char out[128] = {0};
    zlay_tensormap map = a_map;
    int before = w->fake->calls;
    map.rank = 6;
    assert_int_equal(zlay_device_encode_tensormap(w->ctx, out, w->device, &map), ZLAY_EDRIVER);
    message_has(w, "rank: 6");
    map.rank = 3;
    map.mode = 1;
    assert_int_equal(zlay_device_encode_tensormap(w->ctx, out, w->device, &map), ZLAY_EINVAL);
    message_has(w, "mode");
    map.mode = 0;
    map.reserved[13] = 1;
    assert_int_equal(zlay_device_encode_tensormap(w->ctx, out, w->device, &map), ZLAY_EINVAL);
    message_has(w, "reserved: word 13");
    assert_int_equal(w->fake->calls, before + 6);
}

/* ---- loading ------------------------------------------------------------- */

static void text_is_ended_with_zero(void **state)
{
    world *w = *state;
    char loose[40];
    zlay_kernel *kernel;
    memset(loose, '!', sizeof loose);
    memcpy(loose, ptx, sizeof ptx - 1);
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, w->plan, loose, sizeof ptx - 1,
                                      "a_name"),
                     ZLAY_OK);
    assert_string_equal(w->fake->image, ptx);
    assert_string_equal(w->fake->kernel, "a_name");
    zlay_plan_summary info;
    assert_int_equal(zlay_plan_info(&info, w->plan), ZLAY_OK);
    assert_int_equal(w->fake->dynamic_smem, info.smem);
    zlay_kernel_free(kernel);
}

static void load_fails(world *w, const void *image, size_t length, zlay_status want,
                       const char *text)
{
    zlay_kernel *kernel;
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, w->plan, image, length, "gemm"),
                     want);
    assert_null(kernel);
    message_has(w, text);
    assert_int_equal(w->fake->modules, 0);
}

static void the_drivers_log_is_told(void **state)
{
    world *w = *state;
    w->fake->ptx_log = "ptxas fatal: line 3;\nnot PTX";
    load_fails(w, ptx, sizeof ptx - 1, ZLAY_EDRIVER,
               "cuModuleLoadDataEx: CUDA_ERROR_INVALID_PTX (218): ptxas fatal: line 3; not PTX");
}

static void images_that_the_driver_never_sees(void **state)
{
    world *w = *state;
    load_fails(w, "", 0, ZLAY_EINVAL, "empty");
    load_fails(w, "ab\0cd", 5, ZLAY_EINVAL, "byte 2 is 0");
    load_fails(w, ELFMAG "cut", 7, ZLAY_EINVAL, "end of the image (7)");
    assert_string_equal(w->fake->image, "");
}

typedef struct cubin {
    Elf64_Ehdr head;
    Elf64_Shdr section[2];
} cubin;

static cubin cubin_make(void)
{
    cubin c;
    memset(&c, 0, sizeof c);
    memcpy(c.head.e_ident, ELFMAG, SELFMAG);
    c.head.e_ident[EI_CLASS] = ELFCLASS64;
    c.head.e_ident[EI_DATA] = ELFDATA2LSB;
    c.head.e_machine = 190;
    c.head.e_shoff = sizeof c.head;
    c.head.e_shentsize = sizeof c.section[0];
    c.head.e_shnum = 2;
    c.section[1].sh_type = SHT_PROGBITS;
    c.section[1].sh_offset = 8;
    c.section[1].sh_size = sizeof c - 8;
    return c;
}

static void cubins_that_pass_their_end(void **state)
{
    world *w = *state;
    cubin c = cubin_make();
    zlay_kernel *kernel;
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, w->device, w->plan, &c, sizeof c, "gemm"),
                     ZLAY_OK);
    zlay_kernel_free(kernel);
    load_fails(w, &c, sizeof c - 1, ZLAY_EINVAL, "the section table");
    c.section[1].sh_size++;
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "a section");
    c.section[1].sh_offset = UINT64_MAX;
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "a section");
    c.section[1].sh_type = SHT_NOBITS;
    c.head.e_shentsize = 63;
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "entries of 63 bytes");
    c.head.e_shoff = UINT64_MAX - 1;
    c.head.e_shentsize = sizeof c.section[0];
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "the section table");
    c.head.e_machine = EM_X86_64;
    load_fails(w, &c, sizeof c, ZLAY_EINVAL, "machine 62");
}

static void random_cubins_are_read_within_their_bytes(void **state)
{
    world *w = *state;
    uint64_t seed = test_seed("cubins"), left = test_iterations(20000);
    for (; left; left--) {
        cubin c = cubin_make();
        size_t length = (size_t)test_range(&seed, SELFMAG, sizeof c);
        unsigned char *exact = malloc(length);
        assert_non_null(exact);
        for (int64_t i = test_range(&seed, 1, 4); i; i--)
            ((unsigned char *)&c)[test_range(&seed, 16, sizeof c - 1)] =
                (unsigned char)test_range(&seed, 0, 255);
        memcpy(exact, &c, length);
        zlay_kernel *kernel;
        zlay_status status =
            zlay_kernel_load(w->ctx, &kernel, w->device, w->plan, exact, length, "gemm");
        assert_true(status == ZLAY_OK || status == ZLAY_EINVAL);
        if (status) assert_string_not_equal(zlay_ctx_message(w->ctx), "");
        zlay_kernel_free(kernel);
        free(exact);
        w->fake->calls = 0;
    }
}

static void another_capability(void **state)
{
    world *w = *state;
    zlay_device *other;
    zlay_kernel *kernel;
    w->fake->cc_major = 10;
    assert_int_equal(zl_device_open_path(w->ctx, &other, 0, w->path), ZLAY_OK);
    assert_int_equal(zlay_kernel_load(w->ctx, &kernel, other, w->plan, ptx, sizeof ptx - 1, "gemm"),
                     ZLAY_ENOTSUP);
    message_has(w, "sm_90a");
    message_has(w, "sm_100");
    zlay_device_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(encode_passes_every_field),
        TEST(a_refused_map_leaves_the_output),
        TEST(maps_that_the_driver_never_sees),
        TEST(text_is_ended_with_zero),
        TEST(the_drivers_log_is_told),
        TEST(images_that_the_driver_never_sees),
        TEST(cubins_that_pass_their_end),
        TEST(random_cubins_are_read_within_their_bytes),
        TEST(another_capability),
    };
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
