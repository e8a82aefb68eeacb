/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that zlay prints for other authors, on a Hopper GPU: those of tests/emit/function, in one file of CUDA C
 * for nvcc and in one module of PTX for the driver, a kernel around each. What they give for random data is compared with
 * the layout's, the word's or the plan's own map; tensor maps with what the driver writes, and with a model of their copies.
 *
 *   device-functions [--folder DIR] [--cuda FILE] [--host FILE]
 *
 * --folder keeps functions.cu, .cubin, .ptx and -host.so there, as a machine without a GPU makes them; --cuda and --host
 * take the second and the last from such a machine. ZLAY_SEED draws others. Speaks TAP; 77: there is no device. */
#define _GNU_SOURCE /* open_memstream, mkdtemp, dlopen, alarm */
#include "assembler.h"
#include "functions/constant.h"
#include "functions/convert.h"
#include "functions/layout.h"
#include "functions/ring.h"
#include "functions/word.h"

#include "cuda_now.h"
#include "function_kernels.h"

#include <dlfcn.h>

enum { LAYOUT_KIND, WORD_KIND, CONVERT_KIND, MAP_KIND, DESC_KIND, RING_KIND, KINDS };

enum { CUDA, PTX, LANGUAGES, MEMORY = 1 << 25, TEXT = 1 << 21, SECONDS = 500, DYNAMIC_SMEM = 8, TARGET_MAJOR = 75, MOST = LAYOUT_FUNCTIONS };

static const int32_t languages[LANGUAGES] = {ZLAY_TEXT_CUDA, ZLAY_TEXT_PTX};

/* One kind of function: how it is printed, the kernel around it, and what the kernel has to give. */
typedef struct kind {
    const char *name;
    int count, least; /* least: of how many there is a function in each language */
    size_t (*print)(zlay_ctx *ctx, char *to, int i, int32_t language); /* 0: none */
    void (*kernel)(FILE *file, const char *text, int i, int32_t language);
    void (*compare)(int i, int language);
} kind;

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

/* ---- layouts ---------------------------------------------------------------------------------- */

static size_t layout_print(zlay_ctx *ctx, char *to, int i, int32_t language) { return layout_function(ctx, to, all.layout[i], language, i); }

static void layout_kernel(FILE *file, const char *function, int i, int32_t language)
{
    char name[16];
    uint64_t extent[64];
    value_function f = {.name = name, .dims = (uint32_t)zlay_layout_box(extent, 64, all.layout[i]), .long_value = strstr(function, "(.param .b64 value)") != NULL,
                        .there = strstr(function, "_there(") != NULL};
    snprintf(name, sizeof name, "f%d", i);
    for (uint32_t d = 0; d < f.dims; d++) f.wide |= (uint64_t)(extent[d] > 1ull << 32) << d;
    value_kernel_put(file, language, &f);
}

static void layout_compare(int i, int language)
{
    static point points[LAYOUT_POINTS];
    size_t dims = zlay_layout_box(NULL, 0, all.layout[i]), n = points_of(all.layout[i], points, &all.seed);
    bool narrow = false;
    for (size_t k = 0; k < n; k++) memcpy(&in[k * dims], points[k].at, dims * sizeof *in);
    call_named(language, "f", i, (unsigned[3]){(unsigned)(n + 127) / 128, 128, 0}, n * dims * 8, n * 16, (uint32_t)n);
    if (language == PTX) {
        layout_print(all.ctx, text, i, ZLAY_TEXT_PTX);
        narrow = !strstr(text, "(.param .b64 value)");
    }
    for (size_t k = 0; k < n; k++) {
        int64_t got = (int64_t)out[2 * k];
        bool same = narrow ? (uint32_t)got == (uint32_t)points[k].value : got == points[k].value;
        if ((out[2 * k + 1] != 0) != points[k].there) fail_msg("layout %d at %llu: there", i, (unsigned long long)points[k].index);
        if (points[k].there && !same)
            fail_msg("layout %d at %llu: %lld, not %lld", i, (unsigned long long)points[k].index, (long long)got, (long long)points[k].value);
    }
}

/* ---- words ---------------------------------------------------------------------------------------- */

static size_t word_print(zlay_ctx *ctx, char *to, int i, int32_t language) { return word_function(ctx, to, &all.word[i], language, i); }

/* Whether a function takes shared memory. */
static bool is_shared(const char *function) { return strstr(function, "void *shared") || strstr(function, ".param .b32 shared"); }

static void word_kernel(FILE *file, const char *function, int i, int32_t language)
{
    char name[16];
    uint32_t n = word_registers(&all.word[i]);
    snprintf(name, sizeof name, "w%d", i);
    register_kernel_put(file, language, &(register_function){name, n, n, is_shared(function) ? WORD_BYTES : 0, true});
}

/* Random values, and where the map sends them. */
static void word_random(const word_job *j, uint32_t *from, uint32_t *wanted, size_t bytes)
{
    memset(from, 0, bytes);
    memset(wanted, 0, bytes);
    for (uint64_t slot = 0; slot < word_slots_of(j); slot++) {
        uint64_t value = test_random(&all.seed);
        put_unit(from, &j->slots, slot, value);
        put_unit(wanted, &j->slots, map_at(&j->map, slot), value);
    }
}

static void word_run(int i, int language, const uint32_t *wanted, size_t bytes, const char *what)
{
    uint32_t threads = word_threads(&all.word[i]);
    call_named(language, "w", i, (unsigned[3]){1, threads, 0}, bytes, bytes, threads);
    if (memcmp(out, wanted, bytes)) fail_msg("word %d, %s", i, what);
}

static void word_compare(int i, int language)
{
    static uint32_t wanted[WORDS_MOST];
    const word_job *j = &all.word[i];
    size_t bytes = (size_t)(word_slots_of(j) >> j->slots.byte_bits) * 4;
    for (unsigned low = 0; low < slot_bits(&j->slots); low += 32u >> j->slots.byte_bits) {
        word_fill(j, low, (uint32_t *)in, wanted);
        word_run(i, language, wanted, bytes, "numbers of slots");
    }
    for (int round = 0; round < 4; round++) {
        word_random(j, (uint32_t *)in, wanted, bytes);
        word_run(i, language, wanted, bytes, "random values");
    }
}

/* ---- conversions ------------------------------------------------------------------------------------ */

static size_t convert_print(zlay_ctx *ctx, char *to, int i, int32_t language) { return convert_function(ctx, to, &all.convert[i], language, i); }

static void convert_kernel(FILE *file, const char *function, int i, int32_t language)
{
    char name[16];
    const convert_job *j = &all.convert[i];
    snprintf(name, sizeof name, "c%d", i);
    register_kernel_put(file, language, &(register_function){name, convert_words(j, 0), convert_words(j, 1), is_shared(function) ? 48 << 10 : 0, false});
}

static void convert_compare(int i, int language)
{
    static uint32_t wanted[CONVERT_THREADS * CONVERT_REGISTERS];
    const convert_job *j = &all.convert[i];
    uint32_t threads = convert_threads(j);
    size_t bytes = (size_t)convert_words(j, 1) * threads * 4;
    for (int round = 0; round < 4; round++) {
        uint64_t salt = test_random(&all.seed);
        convert_fill(j, 0, salt, (uint32_t *)in);
        convert_fill(j, 1, salt, wanted);
        call_named(language, "c", i, (unsigned[3]){1, threads, 0}, (size_t)convert_words(j, 0) * threads * 4, bytes, threads);
        if (memcmp(out, wanted, bytes)) fail_msg("conversion %d", i);
    }
}

/* ---- tensor maps --------------------------------------------------------------------------------------- */

enum { MAP_WORDS = 16, BOXES = 12 };

static size_t map_print(zlay_ctx *ctx, char *to, int i, int32_t language) { return map_function(ctx, to, i, "sm_90a", language); }

static void map_kernel(FILE *file, const char *function, int i, int32_t language)
{
    char name[16];
    (void)function;
    snprintf(name, sizeof name, "map%d", i);
    map_kernel_put(file, language, name);
}

static void encode(uint64_t words[MAP_WORDS], const zlay_tensormap *m, uint64_t address)
{
    _Alignas(64) uint64_t bits[MAP_WORDS];
    void *at = (void *)(uintptr_t)address;
    if (m->mode) must(gpu.cuda.cuTensorMapEncodeIm2col(bits, (unsigned)m->type, m->rank, at, m->extent, m->stride, m->lower, m->upper, m->channels, m->pixels, m->step,
                                                       (unsigned)m->interleave, (unsigned)m->swizzle, (unsigned)m->l2, (unsigned)m->oob), "cuTensorMapEncodeIm2col");
    else must(gpu.cuda.cuTensorMapEncodeTiled(bits, (unsigned)m->type, m->rank, at, m->extent, m->stride, m->box, m->step,
                                              (unsigned)m->interleave, (unsigned)m->swizzle, (unsigned)m->l2, (unsigned)m->oob), "cuTensorMapEncodeTiled");
    memcpy(words, bits, sizeof bits);
}

/* A box that may hang over every edge of the tensor. Rows below 1280 are in memory. */
static void box_draw(const zlay_tensormap *m, int32_t at[5])
{
    for (uint32_t d = 0; d < 5; d++) {
        int64_t extent = m->extent[d] < 1024 || !d ? (int64_t)m->extent[d] : 1024;
        at[d] = d < m->rank ? (int32_t)test_range(&all.seed, -(int64_t)m->box[d], extent) : 0;
    }
    at[0] &= ~15;
}

/* One box by the words at an address of the device, against the model. */
static void box_compare(const zlay_tensormap *m, int i, cuda_address map)
{
    static uint8_t wanted[LOAD_ROOM];
    int32_t at[5], fault;
    uint32_t bytes;
    char name[16];
    void *function;
    zlay_sim_global global = {(uint8_t *)in, MEMORY};
    zlay_sim_smem smem = {wanted, LOAD_ROOM, 0};
    box_draw(m, at);
    memset(wanted, 0x5a, sizeof wanted);
    assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &smem, &global, &(zlay_sim_copy){.map = m, .coordinate = at}), ZLAY_OK);
    assert_int_equal(fault, 0);
    snprintf(name, sizeof name, "load%u", m->rank);
    cuda_address place = gpu.out + LOAD_ROOM;
    void *parameters[] = {&map, &place, &gpu.out, &bytes};
    must(gpu.cuda.cuModuleGetFunction(&function, gpu.loads, name), name);
    must(gpu.cuda.cuMemcpyHtoD_v2(place, at, sizeof at), "coordinates");
    must(gpu.cuda.cuLaunchKernel(function, 1, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL), name);
    must(gpu.cuda.cuCtxSynchronize(), name);
    must(gpu.cuda.cuMemcpyDtoH_v2(out, gpu.out, LOAD_ROOM), "box");
    if (memcmp(out, wanted, LOAD_ROOM)) fail_msg("tensor map %d, box at %d, %d, %d, %d, %d", i, at[0], at[1], at[2], at[3], at[4]);
}

static void loads_load(void)
{
    char *module = NULL;
    size_t size;
    FILE *file = gpu.loads ? NULL : open_memstream(&module, &size);
    if (!file) return;
    load_module_put(file);
    fclose(file);
    cuda_result result = gpu.cuda.cuModuleLoadData(&gpu.loads, module);
    free(module);
    must(result, "kernels of loads");
}

/* The array is what the driver writes; then, of a tiled map, with the address of a tensor of random bytes in its first word, it is used as it stands. */
static void map_compare(int i, int language)
{
    uint64_t words[MAP_WORDS];
    const zlay_tensormap *m = &map_rows[i];
    encode(words, m, m->address);
    call_named(language, "map", i, (unsigned[3]){1, 32, 0}, 0, 8 * (MAP_WORDS + 1), MAP_WORDS + 1);
    if (memcmp(out, words, sizeof words)) fail_msg("tensor map %d has other bytes than the driver's", i);
    cuda_address array = out[MAP_WORDS];
    assert_int_equal(array % 64, 0);
    if (m->mode) return;
    loads_load();
    for (size_t k = 0; k < MEMORY / 8; k++) in[k] = test_random(&all.seed);
    must(gpu.cuda.cuMemcpyHtoD_v2(gpu.in, in, MEMORY), "tensor");
    must(gpu.cuda.cuMemcpyHtoD_v2(array, &gpu.in, 8), "address");
    for (int box = 0; box < BOXES; box++) box_compare(m, i, array);
}

/* `int encode_I(void *map, void *address)` of the host, around mapI_encode. */
static void host_write(FILE *file)
{
    fputs("#define __device__\n", file);
    for (int i = 0; i < MAP_FUNCTIONS; i++) {
        map_function(all.ctx, text, i, "sm_90a", ZLAY_TEXT_CUDA);
        fprintf(file, "%sextern \"C\" int encode_%d(void *map, void *address) { return (int)map%d_encode((CUtensorMap *)map, address); }\n", text, i, i);
    }
}

static void host_compiles(void **state)
{
    char command[1200], source[512];
    (void)state;
    if (all.host) not_run("--host is given");
    if (system("echo '#include <cuda.h>' | ${CXX:-c++} -x c++ -isystem /usr/local/cuda/include -fsyntax-only - 2>/dev/null")) not_run("no C++ compiler with cuda.h");
    snprintf(source, sizeof source, "%s", path_of("functions-host.cpp"));
    FILE *file = fopen(source, "w");
    assert_non_null(file);
    host_write(file);
    assert_int_equal(fclose(file), 0);
    snprintf(command, sizeof command, "${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -isystem /usr/local/cuda/include -shared -fPIC -o '%s' '%s'",
             path_of("functions-host.so"), source);
    assert_int_equal(system(command), 0);
}

/* The driver that is loaded answers the call. */
static void maps_of_the_host(void **state)
{
    _Alignas(64) uint64_t got[MAP_WORDS], words[MAP_WORDS];
    (void)state;
    if (!gpu.there) not_run("no device");
    const char *path = all.host ? all.host : path_of("functions-host.so");
    if (!all.host && access(path, R_OK)) not_run("no library: there is no compiler, or it failed");
    assert_non_null(dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL));
    void *library = dlopen(path, RTLD_NOW);
    if (!library) fail_msg("%s", dlerror());
    for (int i = 0; i < MAP_FUNCTIONS; i++) {
        char name[16];
        union { void *object; int (*call)(void *map, void *address); } found;
        snprintf(name, sizeof name, "encode_%d", i);
        found.object = dlsym(library, name);
        assert_non_null(found.object);
        memset(got, 0xa5, sizeof got);
        assert_int_equal(found.call(got, (void *)(uintptr_t)gpu.in), 0);
        encode(words, &map_rows[i], gpu.in);
        if (memcmp(got, words, sizeof words)) fail_msg("map%d_encode", i);
    }
    dlclose(library);
}

/* ---- matrix descriptors --------------------------------------------------------------------------------- */

static size_t desc_print(zlay_ctx *ctx, char *to, int i, int32_t language) { return desc_function(ctx, to, i, "sm_90a", language); }

static void desc_kernel(FILE *file, const char *function, int i, int32_t language)
{
    char name[16];
    snprintf(name, sizeof name, "desc%d", i);
    desc_kernel_put(file, language, name, strstr(function, "_step(") != NULL);
}

static void desc_compare(int i, int language)
{
    enum { N = 512 };
    for (uint32_t k = 0; k < N; k++) {
        in[2 * k] = desc_starts[i][0] + 16 * (uint64_t)test_range(&all.seed, 0, 8192);
        in[2 * k + 1] = (uint64_t)test_range(&all.seed, 0, (int64_t)desc_counts[i] - 1);
    }
    call_named(language, "desc", i, (unsigned[3]){N / 128, 128, 0}, N * 16, N * 8, N);
    for (uint32_t k = 0; k < N; k++) {
        zlay_smemdesc f = desc_fields;
        uint64_t wanted;
        f.start = (uint32_t)in[2 * k] + desc_starts[i][in[2 * k + 1]] - desc_starts[i][0];
        assert_int_equal(zlay_smemdesc_pack(&wanted, target_of("sm_90a"), &f), ZLAY_OK);
        if (out[k] != wanted) fail_msg("descriptor %d, step %llu", i, (unsigned long long)in[2 * k + 1]);
    }
}

/* ---- rings ------------------------------------------------------------------------------------------------ */

enum { RINGS = 4, RING_STEPS = 37, RING_BLOCKS = 16, LEAST_STAGES = 2 };

static int ring_stages(int i) { return i / 2 + LEAST_STAGES; }
static int ring_blocks(int i) { return i % 2 + 1; }

static size_t ring_print(zlay_ctx *ctx, char *to, int i, int32_t language)
{
    char name[16];
    snprintf(name, sizeof name, "ring%d", i);
    size_t length = ring_function(ctx, to, ring_stages(i), ring_blocks(i), language, name);
    return language == ZLAY_TEXT_PTX ? length : length + ring_run(to + length, ring_stages(i), ring_blocks(i), name);
}

static void ring_kernel(FILE *file, const char *function, int i, int32_t language)
{
    char name[16];
    (void)function;
    snprintf(name, sizeof name, "ring%d", i);
    ring_kernel_put(file, language, name, ring_stages(i), ring_blocks(i));
}

static void ring_compare(int i, int language)
{
    const size_t words = (size_t)RING_STEPS * RING_STAGE / 8, bytes = 8 * words * RING_BLOCKS;
    const unsigned launch[3] = {RING_BLOCKS, language == PTX ? RING_THREADS : RING_WATCHED, (unsigned)(ring_stages(i) * RING_STAGE + RING_SPARE)};
    for (int round = 0; round < 8; round++) {
        for (size_t k = 0; k < bytes / 8; k++) in[k] = test_random(&all.seed);
        call_named(language, "ring", i, launch, bytes, bytes, RING_STEPS);
        for (size_t b = 0; b < RING_BLOCKS; b++)
            if (memcmp(in + b / (size_t)ring_blocks(i) * words, out + b * words, 8 * words)) fail_msg("ring of %d stages, %d blocks", ring_stages(i), ring_blocks(i));
    }
}

/* ---- the product ------------------------------------------------------------------------------------------- */

enum { TILE = PRODUCT_ROWS * PRODUCT_DEPTH, STEP_DEPTH = 16 };

static int value_draw(uint16_t *bf16)
{
    int value = (int)test_range(&all.seed, -8, 8);
    float f = (float)value;
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    *bf16 = (uint16_t)(bits >> 16);
    return value;
}

/* A side of the product where each step of the descriptors of list 0 reads it, from `at` on. */
static void side_draw(zlay_ctx *ctx, int *side, uint8_t *at)
{
    zlay_smemdesc_operand o = {.desc = desc_fields, .type = ZLAY_TYPE_BF16, .major = ZLAY_MAJOR_K, .mn = PRODUCT_ROWS, .k = STEP_DEPTH};
    for (size_t s = 0; s < desc_counts[0]; s++) {
        zlay_layout *place = NULL;
        o.desc.start = desc_starts[0][s];
        if (zlay_smemdesc_layout(ctx, &place, target_of("sm_90a"), &o)) fail_msg("%s", zlay_ctx_message(ctx));
        for (uint64_t x = 0; x < PRODUCT_ROWS * STEP_DEPTH; x++) {
            int64_t address;
            assert_int_equal(zlay_layout_eval(&address, 1, place, x), ZLAY_OK);
            *side++ = value_draw((uint16_t *)(at + address - desc_starts[0][0]));
        }
        zlay_layout_free(place);
    }
}

static void product_is_right(void **state)
{
    static int side[2][TILE];
    void *module = module_of(CUDA);
    zlay_layout *place = NULL;
    const zlay_mma m = {.m = PRODUCT_ROWS, .n = PRODUCT_ROWS, .k = STEP_DEPTH, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    assert_int_equal(desc_counts[0], PRODUCT_DEPTH / STEP_DEPTH);
    for (int s = 0; s < 2; s++) side_draw(*state, side[s], (uint8_t *)in + 2 * TILE * s);
    call(module, "k_product", (unsigned[3]){1, 128, 0}, 4 * TILE, PRODUCT_ROWS * PRODUCT_ROWS * 4, 1);
    assert_int_equal(zlay_mma_fragment(*state, &place, target_of("sm_90a"), &m, ZLAY_FRAGMENT_D), ZLAY_OK);
    for (uint64_t x = 0; x < PRODUCT_ROWS * PRODUCT_ROWS; x++) {
        int64_t at, sum = 0;
        assert_int_equal(zlay_layout_eval(&at, 1, place, x), ZLAY_OK);
        uint64_t row = (uint64_t)at % PRODUCT_ROWS, column = (uint64_t)at / PRODUCT_ROWS;
        for (uint64_t k = 0; k < PRODUCT_DEPTH; k++) sum += side[0][row + PRODUCT_ROWS * k] * side[1][column + PRODUCT_ROWS * k];
        float got = ((const float *)out)[x % 128 * 32 + x / 128];
        if (got != (float)sum) fail_msg("D[%llu, %llu] is %g, not %lld", (unsigned long long)row, (unsigned long long)column, (double)got, (long long)sum);
    }
    zlay_layout_free(place);
}

/* ---- texts ------------------------------------------------------------------------------------------------ */

/* Another kind of function is a row, and what the row names. */
static const kind kinds[KINDS] = {
    {"layouts", LAYOUT_FUNCTIONS, LAYOUT_FUNCTIONS, layout_print, layout_kernel, layout_compare},
    {"words", WORDS, WORDS, word_print, word_kernel, word_compare},
    {"conversions", CONVERTS, CONVERTS * 3 / 4, convert_print, convert_kernel, convert_compare},
    {"tensor maps", MAP_FUNCTIONS, MAP_FUNCTIONS, map_print, map_kernel, map_compare},
    {"descriptors", DESC_FUNCTIONS, DESC_FUNCTIONS, desc_print, desc_kernel, desc_compare},
    {"rings", RINGS, RINGS, ring_print, ring_kernel, ring_compare},
};

static uint64_t hash_of(const char *bytes)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (; *bytes; bytes++) hash = (hash ^ (unsigned char)*bytes) * 0x100000001b3u;
    return hash;
}

static void kind_write(FILE *file, int k, int i, int language)
{
    bool is = kinds[k].print(all.ctx, text, i, languages[language]) > 0;
    if (is) {
        fputs(text, file);
        kinds[k].kernel(file, text, i, languages[language]);
    }
    all.printed[language][k][i] = is;
}

static void text_write(int language)
{
    size_t size;
    FILE *file = open_memstream(&all.text[language], &size);
    assert_non_null(file);
    function_head_put(file, languages[language]);
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < kinds[k].count; i++) kind_write(file, k, i, language);
    if (language == CUDA) {
        product_kernel_put(file, "desc0");
        fflush(file);
        all.hash = hash_of(all.text[language]);
        fprintf(file, "extern \"C\" __global__ void k_text(const void *, unsigned long long *out, unsigned) { *out = 0x%llxull; }\n", (unsigned long long)all.hash);
    }
    assert_int_equal(fclose(file), 0);
}

static void text_keep(int language, const char *name)
{
    FILE *file = fopen(path_of(name), "w");
    assert_non_null(file);
    assert_true(fputs(all.text[language], file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void cuda_compiles(void **state)
{
    char command[1200], source[512];
    (void)state;
    if (all.cubin) not_run("--cuda is given");
    if (!has_compiler()) not_run("no nvcc");
    snprintf(source, sizeof source, "%s", path_of("functions.cu"));
    snprintf(command, sizeof command, ASSEMBLER_PATH "nvcc -gencode arch=compute_90a,code=sm_90a -cubin -Werror all-warnings -std=c++17 -o '%s' '%s'",
             path_of("functions.cubin"), source);
    assert_int_equal(system(command), 0);
}

/* A few functions of each kind, each with its kernel in a file of its own. */
static void each_compiles_alone(void **state)
{
    (void)state;
    if (!has_compiler()) not_run("no nvcc");
    for (int k = 0; k < KINDS; k++)
        for (int i = 0; i < kinds[k].count; i += (kinds[k].count + 3) / 4) {
            char *alone = NULL;
            size_t size;
            FILE *file = open_memstream(&alone, &size);
            assert_non_null(file);
            kind_write(file, k, i, CUDA);
            fclose(file);
            bool good = compiles("sm_90a", alone);
            if (!good) print_message("%s\n", alone);
            free(alone);
            assert_true(good);
        }
}

static void ptx_assembles(void **state)
{
    char *loads = NULL;
    size_t size;
    (void)state;
    if (system(ASSEMBLER_PATH "command -v ptxas >/dev/null")) not_run("no ptxas");
    FILE *file = open_memstream(&loads, &size);
    assert_non_null(file);
    load_module_put(file);
    fclose(file);
    bool good = assembles("sm_90a", loads);
    free(loads);
    assert_true(good && assembles("sm_90a", all.text[PTX]));
}

/* ---- the tests -------------------------------------------------------------------------------------------- */

static void compare(int k, int language)
{
    int done = 0;
    module_of(language);
    for (int i = 0; i < kinds[k].count; i++) {
        if (!all.printed[language][k][i]) continue;
        kinds[k].compare(i, language);
        done++;
    }
    print_message("%s: %d functions of %s\n", kinds[k].name, done, language == PTX ? "PTX" : "CUDA C");
    assert_true(done >= kinds[k].least);
}

static void layouts_cuda(void **state) { (void)state, compare(LAYOUT_KIND, CUDA); }
static void layouts_ptx(void **state) { (void)state, compare(LAYOUT_KIND, PTX); }
static void words_cuda(void **state) { (void)state, compare(WORD_KIND, CUDA); }
static void words_ptx(void **state) { (void)state, compare(WORD_KIND, PTX); }
static void conversions_cuda(void **state) { (void)state, compare(CONVERT_KIND, CUDA); }
static void conversions_ptx(void **state) { (void)state, compare(CONVERT_KIND, PTX); }
static void maps_cuda(void **state) { (void)state, compare(MAP_KIND, CUDA); }
static void maps_ptx(void **state) { (void)state, compare(MAP_KIND, PTX); }
static void descriptors_cuda(void **state) { (void)state, compare(DESC_KIND, CUDA); }
static void descriptors_ptx(void **state) { (void)state, compare(DESC_KIND, PTX); }
static void rings_cuda(void **state) { (void)state, compare(RING_KIND, CUDA); }
static void rings_ptx(void **state) { (void)state, compare(RING_KIND, PTX); }

static void draw_all(void)
{
    uint64_t seed = test_seed("functions");
    all.seed = seed;
    for (int i = 0; i < LAYOUT_FUNCTIONS; i++) all.layout[i] = layout_draw(all.ctx, i, &seed);
    seed = all.seed;
    for (int i = 0; i < WORDS; i++) word_draw(all.ctx, &all.word[i], 5, i, &seed);
    seed = all.seed;
    for (int i = 0; i < CONVERTS; i++) convert_draw(all.ctx, &all.convert[i], "sm_90a", i, &seed);
}

static void device_open(void)
{
    int major = 0;
    if (!cuda_open(&gpu.cuda)) return;
    must(gpu.cuda.cuDeviceGetAttribute(&major, TARGET_MAJOR, gpu.cuda.device), "compute capability");
    if (major != 9) {
        print_message("these functions are for compute capability 9.0\n");
        return;
    }
    must(gpu.cuda.cuMemAlloc_v2(&gpu.in, MEMORY), "memory");
    must(gpu.cuda.cuMemAlloc_v2(&gpu.out, MEMORY), "memory");
    gpu.there = true;
}

static int set_up(void **state)
{
    if (begin(state)) return 1;
    all.ctx = *state;
    in = malloc(MEMORY);
    out = malloc(MEMORY);
    assert_true(in && out);
    draw_all();
    for (int language = 0; language < LANGUAGES; language++) text_write(language);
    text_keep(CUDA, "functions.cu");
    text_keep(PTX, "functions.ptx");
    device_open();
    return 0;
}

static int tear_down(void **state)
{
    for (int i = 0; i < LAYOUT_FUNCTIONS; i++) zlay_layout_free(all.layout[i]);
    for (int i = 0; i < WORDS; i++) zlay_word_free(all.word[i].word);
    for (int i = 0; i < CONVERTS; i++) convert_drop(&all.convert[i]);
    for (int language = 0; language < LANGUAGES; language++) free(all.text[language]);
    free(in);
    free(out);
    return end(state);
}

static void folder_make(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2) {
        const char **given = !strcmp(argv[i], "--folder") ? &all.folder : !strcmp(argv[i], "--cuda") ? &all.cubin : !strcmp(argv[i], "--host") ? &all.host : NULL;
        if (!given || i + 1 == argc) printf("%s is no flag, or has no value\n", argv[i]), exit(2);
        *given = argv[i + 1];
    }
    strcpy(all.own, "/tmp/zlay-functions-XXXXXX");
    if (!all.folder) all.folder = mkdtemp(all.own);
    if (!all.folder) exit(2);
}

/* Rings come last: one that does not end leaves the driver's context of no use. */
int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuda_compiles),    cmocka_unit_test(each_compiles_alone), cmocka_unit_test(ptx_assembles),
        cmocka_unit_test(host_compiles),    cmocka_unit_test(layouts_cuda),        cmocka_unit_test(layouts_ptx),
        cmocka_unit_test(words_cuda),       cmocka_unit_test(words_ptx),           cmocka_unit_test(conversions_cuda),
        cmocka_unit_test(conversions_ptx),  cmocka_unit_test(maps_of_the_host),    cmocka_unit_test(maps_cuda),
        cmocka_unit_test(maps_ptx),         cmocka_unit_test(descriptors_cuda),    cmocka_unit_test(descriptors_ptx),
        cmocka_unit_test(product_is_right), cmocka_unit_test(rings_cuda),          cmocka_unit_test(rings_ptx),
    };
    char command[80];
    alarm(SECONDS);
    folder_make(argc, argv);
    int failed = cmocka_run_group_tests_name("functions on a device", tests, set_up, tear_down);
    snprintf(command, sizeof command, "rm -r %s", all.own);
    if (all.folder == all.own && system(command)) failed++;
    printf("%d passed, %d failed, %d not run\n", (int)(sizeof tests / sizeof *tests) - failed - all.skipped, failed, all.skipped);
    return failed ? 1 : gpu.there ? 0 : 77;
}
