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
#include "function_kinds.h"

#include <dlfcn.h>

/* ---- maps of the host ----------------------------------------------------------------------------------- */

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
            function_head_put(file, languages[CUDA]);
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
        cmocka_unit_test(product_is_right), cmocka_unit_test(rings_cuda), cmocka_unit_test(rings_ptx),
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
