/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of operands of matrix instructions: the HIP of drawn plans is compiled by the host's compiler and run on coroutines
 * (support/lanes.h); every register of every lane and instruction is held against the maps that AMD's calculator prints. clang takes
 * what is printed of every instruction, and what it reads as the operand of that instruction. emit/function/wave_run multiplies. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "tiles/wave_play.h"

#include "ctx.h"

#include <dlfcn.h>
#include <zlay/emit_function.h>

enum { PLANS = 72, TEXT_ROOM = 1 << 17, ALL_ROOM = 1 << 22, TILE = 1 << 20, SHARED = 1 << 18, GUARD = 64, HELD = 1 << 20 };

typedef struct job {
    const form *form;
    zlay_wave_request request;
    zlay_wave *wave;
    zlay_wave_summary info;
    zlay_layout *sparse; /* what an instruction with a sparse A takes, of which AMD's calculator prints no map; NULL: a dense one */
    uint32_t k;          /* elements of K that an instruction takes of the operand */
} job;

static char text[TEXT_ROOM], all[ALL_ROOM];

/* ---- plans ------------------------------------------------------------------------------------------ */

/* A plan of a request, and its functions; false where either is not done. */
static bool printed(zlay_ctx *ctx, job *j, const char *name)
{
    zlay_buf buf = {text, sizeof text, 0};
    zlay_status status = zlay_wave_synth(ctx, &j->wave, target_of(j->form->target), &j->request);
    if (status) return false;
    zlay_wave_info(&j->info, j->wave);
    status = zlay_emit_wave(ctx, &buf, j->wave, ZLAY_TEXT_HIP, name, strlen(name));
    if (!status) return true;
    if (status != ZLAY_ENOTSUP || !strstr(zlay_ctx_message(ctx), "threads: ")) fail_msg("%s", zlay_ctx_message(ctx));
    zlay_wave_free(j->wave);
    return false;
}

static uint32_t group_of(const job *j) { return j->info.order_runs; }

/* ---- the host's compiler ------------------------------------------------------------------------------ */

typedef void load_function(const void *tile, unsigned row_bytes, unsigned rows, void *shared);
typedef void read_function(unsigned *r, const void *shared, unsigned lane, unsigned part, unsigned block, unsigned step);

static void write_calls(FILE *file, const job *j, int n)
{
    const zlay_wave_summary *i = &j->info;
    uint32_t held = i->loads * (i->load_bytes > 4 ? i->load_bytes / 4 : 1);
    fprintf(file, "static void go_%d(unsigned *, unsigned thread, void *shared)\n{\n", n);
    if (i->direct) fprintf(file, "    w%d_load(shared, tile, row_bytes, rows, thread);\n    w%d_wait();\n}\n", n, n);
    else fprintf(file, "    unsigned r[%u];\n    w%d_load(r, tile, row_bytes, rows, thread);\n    w%d_store(shared, r, thread);\n}\n", held, n, n);
    fprintf(file, "extern \"C\" void load_%d(const void *from, unsigned bytes, unsigned there, void *shared) { tile = from, row_bytes = bytes, rows = there; lanes_run(go_%d, nullptr, 0, %u, shared); }\n", n, n, i->threads);
    fprintf(file, "extern \"C\" void read_%d(unsigned *r, const void *shared, unsigned lane, unsigned part, unsigned block, unsigned step)\n"
                  "{\n    w%d_read(*(unsigned (*)[%u][%u])r, shared, lane, part, block, step);\n}\nstatic_assert(w%d_smem == %u, \"\");\n",
            n, n, group_of(j), i->step_registers, n, i->smem);
}

static uint8_t tile[TILE], shared[SHARED + GUARD];

/* The bytes of an element of the tile. */
static uint64_t element_bits(uint64_t salt, uint64_t element)
{
    uint64_t seed = element * 2654435761u + salt;
    return test_random(&seed);
}

/* `rows` rows with room between them, in which, and behind them, stands what no element is. */
static uint32_t fill_tile(const job *j, uint64_t salt, uint32_t rows)
{
    const zlay_wave_summary *i = &j->info;
    uint32_t bytes = i->elem_bits / 8, pitch = i->depth * bytes + i->load_bytes * (uint32_t)(salt * 3 - 3);
    assert_true(pitch * i->rows <= TILE);
    memset(tile, 0xb6, sizeof tile);
    for (uint32_t e = 0; e < rows * i->depth; e++) {
        uint64_t bits = element_bits(salt, e);
        memcpy(tile + e / i->depth * pitch + e % i->depth * bytes, &bits, bytes);
    }
    return pitch;
}

/* Row and k, in an instruction, of a value of a lane. */
static void taken(const job *j, uint32_t lane, uint32_t value, uint32_t *row, uint32_t *k)
{
    bool a = j->request.fragment == ZLAY_FRAGMENT_A;
    uint32_t side = a ? j->form->m : j->form->n;
    int64_t at;
    if (!j->sparse) {
        element_of(a ? j->form->a : j->form->b, lane, value, row, k);
        return;
    }
    assert_int_equal(zlay_layout_eval(&at, 1, j->sparse, lane + 64 * value), ZLAY_OK);
    *row = (uint32_t)at % side, *k = (uint32_t)at / side;
}

/* What one call of the read brings a lane: the values of each of its instructions. `at`: part, block, step, rows of the matrix. */
static void check_read(const job *j, int n, uint64_t salt, const unsigned *r, uint32_t lane, const uint32_t at[4])
{
    const zlay_wave_summary *i = &j->info;
    uint32_t side = j->request.fragment == ZLAY_FRAGMENT_A ? j->form->m : j->form->n, bytes = i->elem_bits / 8;
    for (uint32_t g = 0; g < group_of(j); g++)
        for (uint32_t v = 0; v < i->step_registers * 4 / bytes; v++) {
            uint32_t row, k;
            taken(j, lane, v, &row, &k);
            row += side * (at[1] + i->blocks * at[0]);
            if (row >= at[3]) row = at[3] - 1;
            k = order_of(j->wave, k + j->k * (at[2] * group_of(j) + g));
            uint64_t want = element_bits(salt, (uint64_t)row * i->depth + k);
            if (memcmp((const char *)(r + g * i->step_registers) + v * bytes, &want, bytes))
                fail_msg("plan %d, %s %ux%ux%u, lane %u, part %u, block %u, step %u: value %u of %u", n, j->form->target, j->form->m, j->form->n,
                         j->form->k, lane, at[0], at[1], at[2], v, g);
        }
}

static void run_host(void *library, const job *j, int n)
{
    union { void *object; load_function *load; read_function *read; } load, read;
    char name[16];
    unsigned r[256];
    snprintf(name, sizeof name, "load_%d", n), load.object = dlsym(library, name);
    snprintf(name, sizeof name, "read_%d", n), read.object = dlsym(library, name);
    assert_true(load.object && read.object);
    for (uint64_t salt = 1; salt < 3; salt++) {
        uint32_t groups = j->info.steps / group_of(j), at[4];
        at[3] = salt == 1 ? j->info.rows : 1 + (uint32_t)n * 7 % j->info.rows;
        uint32_t pitch = fill_tile(j, salt, at[3]);
        memset(shared, 0xa5, sizeof shared);
        load.load(tile, pitch, at[3], shared);
        for (uint32_t k = 0; k < GUARD; k++) assert_int_equal(shared[j->info.smem + k], 0xa5);
        for (at[0] = 0; at[0] < j->info.parts; at[0]++)
            for (at[1] = 0; at[1] < j->info.blocks; at[1]++)
                for (at[2] = 0; at[2] < groups; at[2]++)
                    for (uint32_t lane = 0; lane < 64; lane++) {
                        read.read(r, shared, lane, at[0], at[1], at[2]);
                        check_read(j, n, salt, r, lane, at);
                    }
    }
}

/* The library of all plans; its asm waits, for which nothing is to be done here. */
static void *build(const char *folder)
{
    char path[64], command[400];
    snprintf(path, sizeof path, "%s/w.cpp", folder);
    snprintf(command, sizeof command, "${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -Itests/support -shared -fPIC -o %s/w.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/w.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    return library;
}

/* A request of a dense instruction, or, where there is one, of that which takes twice as much of K with a sparse A. */
static void drawn(zlay_ctx *ctx, job *j, uint64_t *seed)
{
    while (!(j->form = &forms[test_range(seed, 0, FORMS - 1)])->target) continue;
    j->request = wave_draw(seed, j->form);
    zlay_mma sparse = j->request.mma;
    bool a = j->request.fragment == ZLAY_FRAGMENT_A;
    sparse.sparse = 1, sparse.k *= 2;
    j->k = j->form->k, j->sparse = NULL;
    if (test_range(seed, 0, 1) || zlay_mma_fragment(ctx, &j->sparse, target_of(j->form->target), &sparse, j->request.fragment)) return;
    j->request.mma = sparse, j->request.depth *= 2;
    j->k = a ? sparse.k / 2 : sparse.k;
}

static void values(void **state)
{
    static job jobs[PLANS];
    char folder[] = "/tmp/zlay-function-XXXXXX", path[64], name[16];
    uint64_t seed = test_seed("functions of waves");
    uint32_t direct = 0, merged = 0, swizzled = 0, sparse = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include \"lanes.h\"\n#define asm\n#define volatile(...)\nstatic const void *tile;\nstatic unsigned row_bytes, rows;\n", file);
    for (int n = 0; n < PLANS; n++) {
        job *j = &jobs[n];
        snprintf(name, sizeof name, "w%d", n);
        for (drawn(*state, j, &seed); !printed(*state, j, name); drawn(*state, j, &seed)) zlay_layout_free(j->sparse);
        fputs(text, file);
        write_calls(file, j, n);
        direct += j->info.direct, merged += group_of(j) > 1, swizzled += j->info.swizzle_bits > 0, sparse += j->sparse != NULL;
    }
    fclose(file);
    void *library = build(folder);
    for (int n = 0; n < PLANS; n++) {
        run_host(library, &jobs[n], n);
        zlay_wave_free(jobs[n].wave);
        zlay_layout_free(jobs[n].sparse);
    }
    dlclose(library);
    snprintf(path, sizeof path, "rm -r %s", folder);
    assert_int_equal(system(path), 0);
    print_message("%d plans, %u straight, %u of several steps a read, %u with a swizzle, %u of a sparse A's instruction\n", PLANS, direct, merged, swizzled, sparse);
    assert_true(direct >= 8 && PLANS - direct >= 8 && merged >= 4 && swizzled >= 8 && sparse >= 4);
}

/* ---- clang -------------------------------------------------------------------------------------------- */

/* Instructions of one block as clang calls them: type, m, n, k; what it takes for A and B, and for C. */
static const struct builtin {
    const char *target, *type;
    uint32_t m, n, k;
    const char *name, *operand, *sum, *more;
} builtins[] = {
    {"gfx90a", "f64", 16, 16, 4, "f64_16x16x4f64", "double", "d4", "0, 0, 0"},
    {"gfx90a", "f32", 16, 16, 4, "f32_16x16x4f32", "float", "f4", "0, 0, 0"},
    {"gfx90a", "f32", 32, 32, 2, "f32_32x32x2f32", "float", "f16", "0, 0, 0"},
    {"gfx90a", "f16", 16, 16, 16, "f32_16x16x16f16", "h4", "f4", "0, 0, 0"},
    {"gfx90a", "f16", 32, 32, 8, "f32_32x32x8f16", "h4", "f16", "0, 0, 0"},
    {"gfx90a", "bf16", 16, 16, 8, "f32_16x16x8bf16", "s2", "f4", "0, 0, 0"},
    {"gfx90a", "bf16", 32, 32, 4, "f32_32x32x4bf16", "s2", "f16", "0, 0, 0"},
    {"gfx90a", "bf16", 16, 16, 16, "f32_16x16x16bf16_1k", "s4", "f4", "0, 0, 0"},
    {"gfx90a", "bf16", 32, 32, 8, "f32_32x32x8bf16_1k", "s4", "f16", "0, 0, 0"},
    {"gfx90a", "s8", 16, 16, 16, "i32_16x16x16i8", "int", "i4", "0, 0, 0"},
    {"gfx90a", "s8", 32, 32, 8, "i32_32x32x8i8", "int", "i16", "0, 0, 0"},
    {"gfx942", "s8", 16, 16, 32, "i32_16x16x32_i8", "long", "i4", "0, 0, 0"},
    {"gfx942", "s8", 32, 32, 16, "i32_32x32x16_i8", "long", "i16", "0, 0, 0"},
    {"gfx942", "tf32", 16, 16, 8, "f32_16x16x8_xf32", "f2", "f4", "0, 0, 0"},
    {"gfx942", "tf32", 32, 32, 4, "f32_32x32x4_xf32", "f2", "f16", "0, 0, 0"},
    {"gfx942", "e4m3", 16, 16, 32, "f32_16x16x32_fp8_fp8", "long", "f4", "0, 0, 0"},
    {"gfx942", "e4m3", 32, 32, 16, "f32_32x32x16_fp8_fp8", "long", "f16", "0, 0, 0"},
    {"gfx942", "e5m2", 16, 16, 32, "f32_16x16x32_bf8_bf8", "long", "f4", "0, 0, 0"},
    {"gfx942", "e5m2", 32, 32, 16, "f32_32x32x16_bf8_bf8", "long", "f16", "0, 0, 0"},
    {"gfx950", "f16", 16, 16, 32, "f32_16x16x32_f16", "h8", "f4", "0, 0, 0"},
    {"gfx950", "f16", 32, 32, 16, "f32_32x32x16_f16", "h8", "f16", "0, 0, 0"},
    {"gfx950", "bf16", 16, 16, 32, "f32_16x16x32_bf16", "b8", "f4", "0, 0, 0"},
    {"gfx950", "bf16", 32, 32, 16, "f32_32x32x16_bf16", "b8", "f16", "0, 0, 0"},
    {"gfx950", "s8", 16, 16, 64, "i32_16x16x64_i8", "i4", "i4", "0, 0, 0"},
    {"gfx950", "s8", 32, 32, 32, "i32_32x32x32_i8", "i4", "i16", "0, 0, 0"},
    {"gfx950", "e4m3", 16, 16, 128, "scale_f32_16x16x128_f8f6f4", "i8", "f4", "0, 0, 0, 0, 0, 0"},
    {"gfx950", "e5m2", 32, 32, 64, "scale_f32_32x32x64_f8f6f4", "i8", "f16", "1, 1, 0, 0, 0, 0"},
};
enum { BUILTINS = sizeof builtins / sizeof *builtins };

static const struct builtin *builtin_of(const form *f)
{
    for (size_t i = BUILTINS; i-- > 0;) {
        const struct builtin *b = &builtins[i];
        if (b->m == f->m && b->n == f->n && b->k == f->k && !strcmp(b->type, f->type) && strcmp(b->target, f->target) <= 0) return b;
    }
    fail_msg("%s: clang has no builtin of %s %ux%ux%u", f->target, f->type, f->m, f->n, f->k);
    return NULL;
}

/* A load, a read and a product by a wave. */
static char *write_product(char *to, const job *j, int n)
{
    const struct builtin *b = builtin_of(j->form);
    const zlay_wave_summary *i = &j->info;
    uint32_t held = i->loads * (i->load_bytes > 4 ? i->load_bytes / 4 : 1);
    to += sprintf(to, "__attribute__((device)) void use%d(%s *c, const void *tile, unsigned row_bytes, unsigned rows, void *shared, unsigned thread, unsigned step)\n{\n", n, b->sum);
    if (i->direct) to += sprintf(to, "    w%d_load(shared, tile, row_bytes, rows, thread);\n    w%d_wait();\n", n, n);
    else to += sprintf(to, "    unsigned held[%u];\n    w%d_load(held, tile, row_bytes, rows, thread);\n    w%d_store(shared, held, thread);\n", held, n, n);
    to += sprintf(to, "    unsigned r[%u][%u];\n    w%d_read(r, shared, thread %% 64, 0, 0, step);\n", group_of(j), i->step_registers, n);
    to += sprintf(to, "    const %s x = __builtin_bit_cast(%s, r[%u]);\n    *c = __builtin_amdgcn_mfma_%s(x, x, *c, %s);\n}\n", b->operand, b->operand,
                  group_of(j) - 1, b->name, b->more);
    return to;
}

static zlay_wave_request plain_request(const form *f, int n)
{
    zlay_wave_request r = request_of(f);
    r.fragment = n % 2 ? ZLAY_FRAGMENT_A : ZLAY_FRAGMENT_B;
    r.rows = 128, r.depth = f->k < 64 ? 64 : f->k, r.threads = 256, r.parts = 2;
    r.any_order = (uint32_t)n / 2 % 2;
    r.path = n % 4 < 2 ? ZLAY_WAVE_PATH_BEST : ZLAY_WAVE_PATH_DIRECT;
    return r;
}

static void clang_takes_them(void **state)
{
    static const char head[] = "typedef float f2 __attribute__((ext_vector_type(2)));\ntypedef float f4 __attribute__((ext_vector_type(4)));\n"
                               "typedef float f16 __attribute__((ext_vector_type(16)));\ntypedef double d4 __attribute__((ext_vector_type(4)));\n"
                               "typedef int i4 __attribute__((ext_vector_type(4)));\ntypedef int i8 __attribute__((ext_vector_type(8)));\n"
                               "typedef int i16 __attribute__((ext_vector_type(16)));\ntypedef short s2 __attribute__((ext_vector_type(2)));\n"
                               "typedef short s4 __attribute__((ext_vector_type(4)));\ntypedef _Float16 h4 __attribute__((ext_vector_type(4)));\n"
                               "typedef _Float16 h8 __attribute__((ext_vector_type(8)));\ntypedef __bf16 b8 __attribute__((ext_vector_type(8)));\n";
    static const char *const targets[] = {"gfx90a", "gfx942", "gfx950"};
    if (!has_hip_compiler()) skip();
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        char *to = all + sprintf(all, "%s", head), name[16];
        int n = 0;
        for (size_t f = 0; f < FORMS; f++)
            for (int way = 0; way < 8 && forms[f].target && !strcmp(forms[f].target, targets[t]); way++) {
                job j = {.form = &forms[f], .request = plain_request(&forms[f], way)};
                snprintf(name, sizeof name, "w%d", n);
                if (!printed(*state, &j, name)) continue;
                to += sprintf(to, "%s", text);
                if (way < 7) to = write_product(to, &j, n);
                n++;
                zlay_wave_free(j.wave);
            }
        assert_true(compiles_hip(targets[t], all));
        print_message("%s: functions of %d plans\n", targets[t], n);
        assert_true(n >= 40);
    }
}

/* ---- refusals ------------------------------------------------------------------------------------------ */

static void refused(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_buf buf = {NULL, 0, 0};
    const form *f = forms;
    while (!f->target || strcmp(f->target, "gfx942") || strcmp(f->type, "bf16")) f++;
    job j = {.form = f, .request = plain_request(f, 0)};
    assert_true(printed(ctx, &j, "w"));
    static const int32_t others[] = {ZLAY_TEXT_CUDA, ZLAY_TEXT_PTX};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(zlay_emit_wave(ctx, &buf, j.wave, others[i], "w", 1), ZLAY_ENOTSUP);
        assert_non_null(strstr(zlay_ctx_message(ctx), "language: the plan is one of gfx942"));
    }
    assert_int_equal(zlay_emit_wave(ctx, &buf, j.wave, 7, "w", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_wave(ctx, &buf, j.wave, ZLAY_TEXT_HIP, "__global__", 10), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_wave(ctx, &buf, j.wave, ZLAY_TEXT_HIP, NULL, 0), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_wave(ctx, &buf, NULL, ZLAY_TEXT_HIP, "w", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_wave(ctx, NULL, j.wave, ZLAY_TEXT_HIP, "w", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_wave(NULL, &buf, j.wave, ZLAY_TEXT_HIP, "w", 1), ZLAY_EINVAL);
    zlay_wave_free(j.wave);
    j.request.threads = 64, j.request.parts = 1, j.request.depth = 256; /* 64 KiB by 64 threads: 256 registers; by words 256 loads */
    assert_int_equal(zlay_wave_synth(ctx, &j.wave, target_of("gfx942"), &j.request), ZLAY_OK);
    assert_int_equal(zlay_emit_wave(ctx, &buf, j.wave, ZLAY_TEXT_HIP, "w", 1), ZLAY_EROOM);
    zlay_wave_free(j.wave);
    j.request.align = 2;
    assert_int_equal(zlay_wave_synth(ctx, &j.wave, target_of("gfx942"), &j.request), ZLAY_OK);
    assert_int_equal(zlay_emit_wave(ctx, &buf, j.wave, ZLAY_TEXT_HIP, "w", 1), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(ctx), "512 of 2 bytes"));
    zlay_wave_free(j.wave);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(clang_takes_them), cmocka_unit_test(refused)};
    return cmocka_run_group_tests_name("functions of waves", tests, begin, end);
}
