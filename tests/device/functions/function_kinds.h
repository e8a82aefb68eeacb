/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of functions: how each is printed, the kernel around it, and what that has to give for random data. */
#ifndef FUNCTION_KINDS_H
#define FUNCTION_KINDS_H

#include "function_rig.h"

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
    register_kernel_put(file, language, &(register_function){name, n, n, 1, is_shared(function), true});
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
    call_named(language, "w", i, (unsigned[3]){1, threads, WORD_BYTES}, bytes, bytes, threads);
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
    register_kernel_put(file, language, &(register_function){name, convert_words(j, 0), convert_words(j, 1), convert_most(j, CONVERT_BLOCK), is_shared(function), false});
}

static void convert_compare(int i, int language)
{
    static uint32_t wanted[CONVERT_THREADS * CONVERT_REGISTERS], mask[CONVERT_THREADS * CONVERT_REGISTERS];
    const convert_job *j = &all.convert[i];
    zlay_convert_summary info;
    uint32_t blocks = convert_most(j, CONVERT_BLOCK), threads = convert_threads(j) * blocks, words = convert_words(j, 1) * threads;
    assert_int_equal(zlay_convert_info(&info, j->plan), ZLAY_OK);
    for (int round = 0; round < 4; round++) {
        uint64_t salt = test_random(&all.seed);
        convert_fill(j, 0, salt, (uint32_t *)in, mask);
        convert_fill(j, 1, salt, wanted, mask);
        call_named(language, "c", i, (unsigned[3]){blocks, threads / blocks, (unsigned)info.smem}, (size_t)convert_words(j, 0) * threads * 4, (size_t)words * 4, threads);
        if (!convert_is_equal((const uint32_t *)out, wanted, mask, words)) fail_msg("conversion %d", i);
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

/* ---- all kinds --------------------------------------------------------------------------------------------- */

/* One kind of function: how it is printed, the kernel around it, and what the kernel has to give. */
typedef struct kind {
    const char *name;
    int count, least; /* least: of how many there is a function in each language */
    size_t (*print)(zlay_ctx *ctx, char *to, int i, int32_t language); /* 0: none */
    void (*kernel)(FILE *file, const char *text, int i, int32_t language);
    void (*compare)(int i, int language);
} kind;

/* Another kind of function is a row, and what the row names. */
static const kind kinds[KINDS] = {
    {"layouts", LAYOUT_FUNCTIONS, LAYOUT_FUNCTIONS, layout_print, layout_kernel, layout_compare},
    {"words", WORDS, WORDS, word_print, word_kernel, word_compare},
    {"conversions", CONVERTS, CONVERTS * 3 / 4, convert_print, convert_kernel, convert_compare},
    {"tensor maps", MAP_FUNCTIONS, MAP_FUNCTIONS, map_print, map_kernel, map_compare},
    {"descriptors", DESC_FUNCTIONS, DESC_FUNCTIONS, desc_print, desc_kernel, desc_compare},
    {"rings", RINGS, RINGS, ring_print, ring_kernel, ring_compare},
};

#endif
