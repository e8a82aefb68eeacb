/* SPDX-License-Identifier: Apache-2.0 */
/* Constants of a kernel: the driver's call of a tensor map is made against a driver of the test's own, the words are those that
 * zlay_tensormap_pack writes; the descriptor of each step is what zlay_smemdesc_pack says, on the host and of the PTX, which the model
 * executes. nvcc and ptxas take all of them. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "functions/constant.h"
#include "ptx/run.h"
#include "ptx_call.h"

#include <dlfcn.h>

enum { ROOM = 2 * CONSTANT_TEXT };

static char text[ROOM], all[ROOM];

/* ---- on the host --------------------------------------------------------------------------------- */

enum { WORDS = 16, ARGUMENTS = 37 };

static const char driver[] =
    "\nstatic unsigned long long *seen;\n"
    "static unsigned long long *same(unsigned long long mode, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *extent, const cuuint64_t *stride,\n"
    "    const cuuint32_t *step, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill oob)\n{\n"
    "    unsigned long long *to = seen;\n"
    "    *to++ = mode; *to++ = type; *to++ = rank; *to++ = (unsigned long long)address; *to++ = interleave; *to++ = swizzle; *to++ = l2; *to++ = oob;\n"
    "    for (int i = 0; i < 5; i++) { *to++ = extent[i]; *to++ = stride[i]; *to++ = step[i]; }\n    return to;\n}\n"
    "extern \"C\" CUresult cuTensorMapEncodeIm2col(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *extent,\n"
    "    const cuuint64_t *stride, const int *lower, const int *upper, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step, CUtensorMapInterleave interleave,\n"
    "    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill oob)\n{\n"
    "    unsigned long long *to = same(1, type, rank, address, extent, stride, step, interleave, swizzle, l2, oob);\n"
    "    *to++ = channels; *to++ = pixels; to++;\n    for (int i = 0; i < 3; i++) { *to++ = lower[i]; *to++ = upper[i]; }\n"
    "    return map ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;\n}\n"
    "extern \"C\" CUresult cuTensorMapEncodeIm2colWide(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *extent,\n"
    "    const cuuint64_t *stride, int lower, int upper, cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *step, CUtensorMapInterleave interleave,\n"
    "    CUtensorMapIm2ColWideMode mode, CUtensorMapSwizzle swizzle, CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill oob)\n{\n"
    "    unsigned long long *to = same(2, type, rank, address, extent, stride, step, interleave, swizzle, l2, oob);\n"
    "    *to++ = channels; *to++ = pixels; *to++ = mode; *to++ = lower; *to++ = upper;\n"
    "    return map ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;\n}\n"
    "extern \"C\" CUresult cuTensorMapEncodeTiled(CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address, const cuuint64_t *extent,\n"
    "    const cuuint64_t *stride, const cuuint32_t *box, const cuuint32_t *step, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,\n"
    "    CUtensorMapL2promotion l2, CUtensorMapFloatOOBfill oob)\n{\n"
    "    unsigned long long *to = same(0, type, rank, address, extent, stride, step, interleave, swizzle, l2, oob);\n"
    "    for (int i = 0; i < 5; i++) *to++ = box[i];\n"
    "    return map ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;\n}\n";

typedef int map_call(unsigned long long *arguments, unsigned long long *words, void *address);
typedef unsigned long long desc_call(unsigned shared, unsigned step);

static void *found_in(void *library, const char *what, int i)
{
    char name[32];
    snprintf(name, sizeof name, "%s_%d", what, i);
    void *object = dlsym(library, name);
    assert_non_null(object);
    return object;
}

static void compare_map(void *library, int i)
{
    unsigned long long seen[ARGUMENTS] = {0}, wanted[ARGUMENTS] = {0}, words[WORDS], *to = wanted;
    uint64_t packed[WORDS];
    union { void *object; map_call *call; } found = {found_in(library, "map", i)};
    const zlay_tensormap *m = &map_rows[i];
    assert_int_equal(found.call(seen, words, (void *)(uintptr_t)m->address), 0);
    const unsigned long long head[] = {(unsigned long long)m->mode, (unsigned long long)m->type, m->rank, m->address, (unsigned long long)m->interleave,
                                       (unsigned long long)m->swizzle, (unsigned long long)m->l2, (unsigned long long)m->oob};
    memcpy(to, head, sizeof head);
    to += sizeof head / sizeof *head;
    for (int k = 0; k < 5; k++) *to++ = m->extent[k], *to++ = k < 4 ? m->stride[k] : 0, *to++ = m->step[k];
    for (int k = 0; k < 5 && !m->mode; k++) *to++ = m->box[k];
    if (m->mode) *to++ = m->channels, *to++ = m->pixels, *to++ = (unsigned long long)m->wide_mode;
    for (int k = 0; k < 3 && m->mode; k++) *to++ = (unsigned long long)(long long)m->lower[k], *to++ = (unsigned long long)(long long)m->upper[k];
    assert_memory_equal(seen, wanted, sizeof wanted);
    if (i >= MAP_FUNCTIONS) return;
    assert_int_equal(zlay_tensormap_pack(packed, target_of("sm_90a"), m), ZLAY_OK);
    assert_memory_equal(words, packed, sizeof packed);
}

static void compare_desc(void *library, int i)
{
    union { void *object; desc_call *call; } found = {found_in(library, "desc", i)};
    for (uint32_t shared = desc_starts[i][0]; shared < desc_starts[i][0] + 65536; shared += 16384)
        for (uint32_t k = 0; k < desc_counts[i]; k++) {
            zlay_smemdesc f = desc_fields;
            uint64_t wanted;
            f.start = shared + desc_starts[i][k] - desc_starts[i][0];
            assert_int_equal(zlay_smemdesc_pack(&wanted, target_of("sm_90a"), &f), ZLAY_OK);
            assert_int_equal(found.call(shared, k), wanted);
        }
}

static void host_values(void **state)
{
    char folder[] = "/tmp/zlay-constant-XXXXXX", path[64], command[400];
    need_compiler();
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include <string.h>\n#define __device__\n#define __forceinline__ inline\n", file);
    for (int i = 0; i < MAP_ROWS; i++) map_function(*state, text, i, i < MAP_FUNCTIONS ? "sm_90a" : "sm_100a", ZLAY_TEXT_CUDA), fputs(text, file);
    fputs(driver, file);
    for (int i = 0; i < MAP_ROWS; i++)
        fprintf(file, "extern \"C\" int map_%d(unsigned long long *a, unsigned long long *words, void *address) { CUtensorMap map; seen = a; memcpy(words, map%d, 128); "
                      "return map%d_encode(&map, address); }\n", i, i < MAP_FUNCTIONS ? i : 0, i);
    for (int i = 0; i < DESC_FUNCTIONS; i++) {
        desc_function(*state, text, i, "sm_90a", ZLAY_TEXT_CUDA);
        fprintf(file, "%sextern \"C\" unsigned long long desc_%d(unsigned shared, unsigned step) { (void)step; return desc%d(shared)", text, i, i);
        if (desc_counts[i] > 1) fprintf(file, " + (unsigned long long)(long long)desc%d_step(step)", i);
        fputs("; }\n", file);
    }
    fclose(file);
    snprintf(command, sizeof command, "${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -isystem /usr/local/cuda/include -shared -fPIC -o %s/c.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/c.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    if (!library) fail_msg("%s", dlerror());
    for (int i = 0; i < MAP_ROWS; i++) compare_map(library, i);
    for (int i = 0; i < DESC_FUNCTIONS; i++) compare_desc(library, i);
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

/* ---- PTX ----------------------------------------------------------------------------------------- */

enum { OUT = 1 << 20, THREADS = 32 };

static const zlay_idesc f16_word = {.kind = ZLAY_KIND_F16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32, .m = 128, .n = 256};

/* What a function's `call`s leave in the register d, thread t being step t. */
static void run_calls(uint64_t *out, uint32_t first, const char *calls)
{
    static px_machine machine;
    static char kernel[ROOM];
    const uint64_t argument[2] = {OUT, first};
    snprintf(all, sizeof all, ".extern .shared .align 1024 .b8 $smem[];\n.visible .entry k(\n.param .u64 to,\n.param .u32 first\n)\n{\n    .reg .b32 tid, shared, w;\n    .reg .b64 d, more, out;\n"
             "    mov.u32 tid, %%tid.x;\n    ld.param.u64 out, [to];\n    ld.param.u32 shared, [first];\n    mad.wide.u32 out, tid, 8, out;\n%s    st.global.b64 [out], d;\n    ret;\n}\n", calls);
    expand_calls(kernel, text, all);
    machine.memories = 1;
    machine.memory[0] = (px_memory){OUT, THREADS * sizeof *out, (uint8_t *)out};
    for (int p = 0; p < 2; p++) memcpy(machine.param[p], &argument[p], sizeof argument[p]);
    px_run(&machine, kernel, THREADS, 1, 1);
    if (*machine.fault) fail_msg("%s\n%s", machine.fault, kernel);
}

static void ptx_values(void **state)
{
    uint64_t out[THREADS], wanted;
    char calls[400];
    for (int i = 0; i < DESC_FUNCTIONS; i++) {
        desc_function(*state, text, i, "sm_90a", ZLAY_TEXT_PTX);
        int length = snprintf(calls, sizeof calls, "    call (d), desc%d, (shared);\n", i);
        if (desc_counts[i] > 1) snprintf(calls + length, sizeof calls - (size_t)length, "    call (w), desc%d_step, (tid);\n    cvt.u64.u32 more, w;\n    add.s64 d, d, more;\n    shr.u32 w, w, 31;\n"
                                         "    cvt.u64.u32 more, w;\n    shl.b64 more, more, 32;\n    sub.s64 d, d, more;\n", i);
        run_calls(out, desc_starts[i][0] + 16384, calls);
        for (size_t k = 0; k < desc_counts[i]; k++) {
            zlay_smemdesc f = desc_fields;
            f.start = desc_starts[i][k] + 16384;
            assert_int_equal(zlay_smemdesc_pack(&wanted, target_of("sm_90a"), &f), ZLAY_OK);
            if (out[k] != wanted) fail_msg("list %d, step %zu: 0x%llx\n%s", i, k, (unsigned long long)out[k], text);
        }
    }
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_emit_idesc(*state, &buf, target_of("sm_100a"), &f16_word, ZLAY_TEXT_PTX, "word", 4), ZLAY_OK);
    run_calls(out, 0, "    call (w), word, ();\n    cvt.u64.u32 d, w;\n");
    assert_int_equal(out[5], 0x08400490);
}

static void idesc_is_its_word(void **state)
{
    zlay_buf buf = {text, sizeof text, 0};
    const zlay_idesc f = f16_word;
    assert_int_equal(zlay_emit_idesc(*state, &buf, target_of("sm_100a"), &f, ZLAY_TEXT_CUDA, "word", 4), ZLAY_OK);
    assert_non_null(strstr(text, "unsigned word = 0x08400490u;\n"));
}

/* ---- compilers ------------------------------------------------------------------------------------ */

static void nvcc_takes_them(void **state)
{
    static const char *const targets[] = {"sm_90a", "sm_100a"};
    const zlay_idesc f = f16_word;
    need_compiler();
    for (int t = 0; t < 2; t++) {
        char *to = all;
        for (int i = 0; i < (t ? MAP_ROWS : MAP_FUNCTIONS); i++) to += map_function(*state, to, i, targets[t], ZLAY_TEXT_CUDA);
        for (int i = 0; i < DESC_FUNCTIONS; i++) to += desc_function(*state, to, i, targets[t], ZLAY_TEXT_CUDA);
        zlay_buf buf = {to, ROOM / 4, 0};
        assert_int_equal(zlay_emit_idesc(*state, &buf, target_of("sm_100a"), &f, ZLAY_TEXT_CUDA, "word", 4), ZLAY_OK);
        strcat(to, "extern \"C\" __global__ void k(unsigned long long *p, unsigned shared) { p[0] = desc0(shared) + desc0_step(shared & 7) + word; p[1] = p[shared & 15]; }\n");
        assert_true(compiles(targets[t], all));
    }
}

static void ptxas_takes_them(void **state)
{
    char *to = all + sprintf(all, ".version 8.0\n.target sm_90a\n.address_size 64\n\n");
    need_assembler();
    for (int i = 0; i < MAP_FUNCTIONS; i++) to += map_function(*state, to, i, "sm_90a", ZLAY_TEXT_PTX);
    for (int i = 0; i < DESC_FUNCTIONS; i++) to += desc_function(*state, to, i, "sm_90a", ZLAY_TEXT_PTX);
    assert_true(assembles("sm_90a", all));
    to = all + sprintf(all, ".version 8.6\n.target sm_100a\n.address_size 64\n");
    zlay_buf buf = {to, ROOM / 2, 0};
    assert_int_equal(zlay_emit_idesc(*state, &buf, target_of("sm_100a"), &f16_word, ZLAY_TEXT_PTX, "word", 4), ZLAY_OK);
    strcat(to, ".visible .entry k(.param .u64 to)\n{\n    .reg .b32 w;\n    .reg .b64 out;\n    ld.param.u64 out, [to];\n    call (w), word, ();\n    st.global.b32 [out], w;\n    ret;\n}\n");
    assert_true(assembles("sm_100a", all));
}

/* ---- refusals ------------------------------------------------------------------------------------- */

static void refused(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_tensormap m = map_rows[0], columns = map_rows[5];
    zlay_buf buf = {NULL, 0, 0};
    const zlay_target *hopper = target_of("sm_90a");
    zlay_idesc f = {.kind = ZLAY_KIND_F16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32, .m = 120, .n = 256};
    m.box[0] = 512;
    columns.channels = 0;
    assert_int_equal(zlay_emit_tensormap(ctx, &buf, hopper, &m, ZLAY_TEXT_CUDA, "m", 1), ZLAY_EINVAL);
    assert_non_null(strstr(zlay_ctx_message(ctx), "TMAP_"));
    assert_int_not_equal(zlay_emit_tensormap(ctx, &buf, hopper, &columns, ZLAY_TEXT_CUDA, "m", 1), ZLAY_OK);
    assert_int_equal(zlay_emit_tensormap(ctx, &buf, hopper, &map_rows[0], ZLAY_TEXT_HIP, "m", 1), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_tensormap(ctx, &buf, target_of("sm_100a"), &map_rows[0], ZLAY_TEXT_PTX, "m", 1), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_tensormap(ctx, &buf, target_of("gfx942"), &map_rows[0], ZLAY_TEXT_CUDA, "m", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_tensormap(ctx, &buf, hopper, &map_rows[0], ZLAY_TEXT_CUDA, "int", 3), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_tensormap(ctx, &buf, hopper, NULL, ZLAY_TEXT_CUDA, "m", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_tensormap(ctx, &buf, hopper, &map_rows[0], ZLAY_TEXT_CUDA, "m", 1), ZLAY_EROOM);
    assert_int_equal(desc_status(ctx, &buf, 0, "sm_90a", ZLAY_TEXT_CUDA, "d"), ZLAY_EROOM);
    assert_int_equal(desc_status(ctx, &buf, 0, "sm_90a", ZLAY_TEXT_CUDA, "dim3"), ZLAY_EINVAL);
    assert_int_equal(desc_status(ctx, &buf, 0, "sm_80", ZLAY_TEXT_CUDA, "d"), ZLAY_ENOTSUP);
    assert_int_equal(desc_status(ctx, &buf, 0, "sm_90a", ZLAY_TEXT_HIP, "d"), ZLAY_ENOTSUP);
    const uint32_t odd[2] = {1024, 1032};
    zlay_smemdesc_function request = {.size = sizeof request, .language = ZLAY_TEXT_CUDA, .target = hopper, .fields = &desc_fields, .start = odd, .count = 2,
                                      .name = "d", .name_length = 1};
    assert_int_equal(zlay_emit_smemdesc(ctx, &buf, &request), ZLAY_EINVAL);
    request.count = 0;
    assert_int_equal(zlay_emit_smemdesc(ctx, &buf, &request), ZLAY_EINVAL);
    request.start = NULL;
    assert_int_equal(zlay_emit_smemdesc(ctx, &buf, &request), ZLAY_EINVAL);
    request.size = 8;
    assert_int_equal(zlay_emit_smemdesc(ctx, &buf, &request), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_smemdesc(ctx, &buf, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_idesc(ctx, &buf, target_of("sm_100a"), &f, ZLAY_TEXT_CUDA, "w", 1), ZLAY_EINVAL);
    f.m = 128;
    assert_int_equal(zlay_emit_idesc(ctx, &buf, target_of("sm_100a"), &f, ZLAY_TEXT_HIP, "w", 1), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_idesc(ctx, &buf, target_of("sm_90a"), &f, ZLAY_TEXT_CUDA, "w", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_idesc(ctx, &buf, target_of("sm_100a"), &f, ZLAY_TEXT_CUDA, "while", 5), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_idesc(ctx, &buf, target_of("sm_100a"), NULL, ZLAY_TEXT_CUDA, "w", 1), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_values),
        cmocka_unit_test(ptx_values),
        cmocka_unit_test(idesc_is_its_word),
        cmocka_unit_test(nvcc_takes_them),
        cmocka_unit_test(ptxas_takes_them),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("constants", tests, begin, end);
}
