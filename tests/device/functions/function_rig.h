/* SPDX-License-Identifier: Apache-2.0 */
/* What device_functions.c has: the functions that are drawn, their texts, and a device that runs their kernels. */
#ifndef FUNCTION_RIG_H
#define FUNCTION_RIG_H

#include "assembler.h"
#include "functions/constant.h"
#include "functions/convert.h"
#include "functions/layout.h"
#include "functions/ring.h"
#include "functions/word.h"

#include "device/rig/cuda_now.h"
#include "function_kernels.h"

enum { LAYOUT_KIND, WORD_KIND, CONVERT_KIND, MAP_KIND, DESC_KIND, RING_KIND, KINDS };

enum { CUDA, PTX, LANGUAGES, MEMORY = 1 << 25, TEXT = 1 << 21, SECONDS = 500, DYNAMIC_SMEM = 8, TARGET_MAJOR = 75, MOST = LAYOUT_FUNCTIONS };

static const int32_t languages[LANGUAGES] = {ZLAY_TEXT_CUDA, ZLAY_TEXT_PTX};

static struct {
    const char *folder, *cubin, *host; /* given */
    char own[40], path[512];           /* a folder of the program's own; the last path */
    zlay_ctx *ctx;
    zlay_layout *layout[LAYOUT_FUNCTIONS];
    word_job word[WORDS];
    convert_job convert[CONVERTS];
    char *text[LANGUAGES];
    uint64_t hash, seed;
    int skipped;
    bool printed[LANGUAGES][KINDS][MOST];
} all;

static struct {
    cuda_now cuda;
    bool there;
    void *module[LANGUAGES], *loads;
    cuda_address in, out;
} gpu;

static char text[TEXT];
static uint64_t *in, *out; /* what kernels read and write */

/* ---- the device ------------------------------------------------------------------------------ */

static void must(cuda_result result, const char *what)
{
    if (result) fail_msg("%s: driver error %u", what, result);
}

static void not_run(const char *why)
{
    print_message("not run: %s\n", why);
    all.skipped++;
    skip();
}

static const char *path_of(const char *name)
{
    snprintf(all.path, sizeof all.path, "%s/%s", all.folder, name);
    return all.path;
}

/* A file's bytes with a 0 behind them; NULL: there is none. */
static char *file_read(const char *path)
{
    FILE *file = fopen(path, "rb");
    long size = file && !fseek(file, 0, SEEK_END) ? ftell(file) : -1;
    char *bytes = size >= 0 ? calloc(1, (size_t)size + 1) : NULL;
    if (bytes) {
        rewind(file);
        size_t got = fread(bytes, 1, (size_t)size, file);
        assert_int_equal(got, size);
    }
    if (file) fclose(file);
    return bytes;
}

/* What a kernel of n threads or stages wrote, in `out`: `read` bytes of `in` go there and `written` come back. */
static void call(void *module, const char *kernel, const unsigned launch[3], size_t read, size_t written, uint32_t n)
{
    void *function, *parameters[] = {&gpu.in, &gpu.out, &n};
    assert_true(read <= MEMORY && written <= MEMORY);
    must(gpu.cuda.cuModuleGetFunction(&function, module, kernel), kernel);
    if (launch[2]) must(gpu.cuda.cuFuncSetAttribute(function, DYNAMIC_SMEM, (int)launch[2]), "shared memory");
    memset(out, 0xa5, written);
    if (read) must(gpu.cuda.cuMemcpyHtoD_v2(gpu.in, in, read), "input");
    must(gpu.cuda.cuMemcpyHtoD_v2(gpu.out, out, written), "output");
    must(gpu.cuda.cuLaunchKernel(function, launch[0], 1, 1, launch[1], 1, 1, launch[2], NULL, parameters, NULL), kernel);
    must(gpu.cuda.cuCtxSynchronize(), kernel);
    must(gpu.cuda.cuMemcpyDtoH_v2(out, gpu.out, written), "answer");
}

/* The module of a language, loaded on first use. A cubin has to be one of these functions. */
static void *module_of(int language)
{
    if (!gpu.there) not_run("no device");
    if (gpu.module[language]) return gpu.module[language];
    char *bytes = language == PTX ? all.text[PTX] : file_read(all.cubin ? all.cubin : path_of("functions.cubin"));
    if (!bytes && all.cubin) fail_msg("%s cannot be read", all.cubin);
    if (!bytes) not_run("no cubin: there is no nvcc, or it failed");
    void *module = NULL;
    must(gpu.cuda.cuModuleLoadData(&module, bytes), language == PTX ? "functions.ptx" : "functions.cubin");
    if (language == CUDA) {
        free(bytes);
        call(module, "k_text", (unsigned[3]){1, 1, 0}, 0, 8, 1);
        if (out[0] != all.hash) fail_msg("the cubin is of other functions: another seed or another zlay");
    }
    return gpu.module[language] = module;
}

static void call_named(int language, const char *letter, int i, const unsigned launch[3], size_t read, size_t written, uint32_t n)
{
    char name[32];
    snprintf(name, sizeof name, "k_%s%d", letter, i);
    call(module_of(language), name, launch, read, written, n);
}

#endif
