/* SPDX-License-Identifier: Apache-2.0 */
/* Functions of words: CUDA C and HIP are compiled by the host's compiler and run on coroutines, one a thread (support/lanes.h), PTX is
 * executed lane by lane; every part of every register is where the word's map says. nvcc, clang and ptxas take all of them. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "functions/word.h"

#include <dlfcn.h>

static char text[WORD_TEXT], all[2 * WORD_TEXT];

/* ---- the host's compiler ------------------------------------------------------------------------- */

typedef void run_function(unsigned *held, void *shared);

static void write_run(FILE *file, const word_job *j, int i)
{
    bool shared = strstr(text, "void *shared") != NULL;
    fprintf(file, "static void call_%d(unsigned *r, unsigned thread, void *shared) { (void)shared; w%d(*(unsigned (*)[%u])r, thread%s); }\n"
                  "extern \"C\" void run_%d(unsigned *held, void *shared) { lanes_run(call_%d, held, %u, %u, shared); }\n",
            i, i, word_registers(j), shared ? ", shared" : "", i, i, word_registers(j), word_threads(j));
}

static void run_host(void *library, const word_job *j, int i)
{
    static uint32_t held[WORDS_MOST], wanted[WORDS_MOST], shared[WORD_BYTES / 4];
    union { void *object; run_function *run; } found;
    char name[16];
    snprintf(name, sizeof name, "run_%d", i);
    found.object = dlsym(library, name);
    if (!found.object) return;
    for (unsigned low = 0; low < slot_bits(&j->slots); low += 32u >> j->slots.byte_bits) {
        word_fill(j, low, held, wanted);
        memset(shared, 0xa5, sizeof shared);
        found.run(held, shared);
        if (memcmp(held, wanted, (word_slots_of(j) >> j->slots.byte_bits) * 4)) fail_msg("word %d, bits from %u on", i, low);
    }
}

static int ran_on_host(zlay_ctx *ctx, int32_t language, uint32_t lanes)
{
    static word_job jobs[WORDS];
    char folder[] = "/tmp/zlay-function-XXXXXX", path[64], command[400];
    uint64_t seed = test_seed("words");
    int ran = 0;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/w.cpp", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("#include \"lanes.h\"\n", file);
    for (int i = 0; i < WORDS; i++) {
        word_draw(ctx, &jobs[i], lanes, i, &seed);
        if (!word_function(ctx, text, &jobs[i], language, i) || strstr(text, "asm")) continue;
        fputs(text, file);
        write_run(file, &jobs[i], i);
        ran++;
    }
    fclose(file);
    snprintf(command, sizeof command, "${CXX:-c++} -std=c++17 -O1 -Wall -Wextra -Werror -Itests/support -shared -fPIC -o %s/w.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/w.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    for (int i = 0; i < WORDS; i++) {
        run_host(library, &jobs[i], i);
        zlay_word_free(jobs[i].word);
    }
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
    return ran;
}

static void cuda_values(void **state) { assert_true(ran_on_host(*state, ZLAY_TEXT_CUDA, 5) > WORDS * 3 / 4); }
static void hip_values(void **state) { assert_true(ran_on_host(*state, ZLAY_TEXT_HIP, 6) > WORDS * 3 / 4); }

/* ---- PTX ----------------------------------------------------------------------------------------- */

/* The registers of a kernel's thread, as tests/support/plans/word.h has them, in the place of those of a function. */
static void replace(char *in, const char *what, const char *by)
{
    assert_true(strlen(by) <= strlen(what) + 1);
    for (char *at; (at = strstr(in, what)); memcpy(at, by, strlen(by)))
        memmove(at + strlen(by), at + strlen(what), strlen(at + strlen(what)) + 1);
}

static void ptx_values(void **state)
{
    static uint32_t from[WORDS_MOST], to[WORDS_MOST], wanted[WORDS_MOST];
    uint64_t seed = test_seed("words");
    for (int i = 0; i < WORDS; i++) {
        word_job j;
        word_draw(*state, &j, 5, i, &seed);
        assert_true(word_function(*state, text, &j, ZLAY_TEXT_PTX, i) > 0);
        strstr(text, "\n}\n")[3] = 0; /* the check of alignment stands behind it */
        replace(text, "ld.param.b32 %z", "ld.global.b32 %z");
        replace(text, "[source + ", "[%from + ");
        replace(text, "st.param.b32 [result + ", "st.global.b32 [%to + ");
        for (unsigned low = 0; low < slot_bits(&j.slots); low += 32u >> j.slots.byte_bits) {
            word_fill(&j, low, from, wanted);
            ptx_run(strstr(text, ".func"), from, to, word_registers(&j), 1u << j.slots.warp_bits, 1);
            if (memcmp(to, wanted, (word_slots_of(&j) >> j.slots.byte_bits) * 4)) fail_msg("word %d, bits from %u on\n%s", i, low, text);
        }
        zlay_word_free(j.word);
    }
}

/* ---- compilers ----------------------------------------------------------------------------------- */

/* All functions, and a kernel that calls each of them but the last, which stands alone. */
static void write_all(zlay_ctx *ctx, int32_t language, uint32_t lanes)
{
    uint64_t seed = test_seed("words");
    char *to = all, *calls = text + WORD_TEXT / 2, *call = calls;
    for (int i = 0; i < WORDS; i++) {
        word_job j;
        word_draw(ctx, &j, lanes, i, &seed);
        size_t length = word_function(ctx, to, &j, language, i);
        unsigned n = word_registers(&j);
        if (length && i + 1 < WORDS)
            call += sprintf(call, "    { unsigned r[%u]; for (int i = 0; i < %u; i++) r[i] = p[i]; w%d(r, thread%s); for (int i = 0; i < %u; i++) p[i] = r[i]; }\n",
                            n, n, i, strstr(to, "void *shared") ? ", shared" : "", n);
        to += length;
        zlay_word_free(j.word);
    }
    if (language == ZLAY_TEXT_PTX) return;
    sprintf(to, "extern \"C\" __attribute__((global)) void k(unsigned *p, unsigned thread)\n{\n    __attribute__((shared)) static unsigned shared[%d];\n%s}\n",
            WORD_BYTES / 4, calls);
}

static void nvcc_takes_them(void **state)
{
    need_compiler();
    write_all(*state, ZLAY_TEXT_CUDA, 5);
    assert_true(compiles_for("sm_80 sm_90a sm_100a", all));
}

static void ptxas_takes_them(void **state)
{
    need_assembler();
    static const char head[] = ".version 7.8\n.target sm_80\n.address_size 64\n\n";
    write_all(*state, ZLAY_TEXT_PTX, 5);
    memmove(all + sizeof head - 1, all, strlen(all) + 1);
    memcpy(all, head, sizeof head - 1);
    assert_true(assembles("sm_80", all));
}

static void clang_takes_them(void **state)
{
    if (!has_hip_compiler()) skip();
    write_all(*state, ZLAY_TEXT_HIP, 6);
    assert_true(compiles_hip("gfx90a gfx942 gfx950", all));
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static void refused(void **state)
{
    static const struct {
        zlay_slots slots;
        int32_t language;
        const char *says;
    } rows[] = {
        {{0, 1, 4, 0, 0, {0}}, ZLAY_TEXT_CUDA, "2^5 lanes"}, {{0, 1, 5, 0, 0, {0}}, ZLAY_TEXT_HIP, "2^6 lanes"},
        {{0, 1, 6, 0, 0, {0}}, ZLAY_TEXT_PTX, "2^5 lanes"}, {{0, 1, 5, 0, 1, {0}}, ZLAY_TEXT_CUDA, "block"},
        {{0, 1, 5, 6, 0, {0}}, ZLAY_TEXT_CUDA, "2^10 threads"}, {{0, 7, 5, 0, 0, {0}}, ZLAY_TEXT_CUDA, "registers"},
        {{0, 5, 5, 4, 0, {0}}, ZLAY_TEXT_CUDA, "shared memory"},
    };
    zlay_buf buf = {NULL, 0, 0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        word_job j = {.slots = rows[i].slots};
        uint64_t seed = 3;
        unsigned bits = slot_bits(&j.slots);
        map_draw(&j.map, &seed, bits, bits, 1);
        zlay_layout *map = map_layout(*state, &j.map);
        assert_int_equal(zlay_word_synth(*state, &j.word, &j.slots, map), ZLAY_OK);
        assert_int_equal(zlay_emit_word_function(*state, &buf, j.word, rows[i].language, "w", 1), ZLAY_ENOTSUP);
        if (!strstr(zlay_ctx_message(*state), rows[i].says)) fail_msg("%s, not %s", zlay_ctx_message(*state), rows[i].says);
        assert_int_equal(zlay_emit_word_function(*state, &buf, j.word, 9, "w", 1), ZLAY_EINVAL);
        assert_int_equal(zlay_emit_word_function(*state, &buf, j.word, rows[i].language, "for", 3), ZLAY_EINVAL);
        assert_int_equal(zlay_emit_word_function(*state, NULL, j.word, rows[i].language, "w", 1), ZLAY_EINVAL);
        zlay_layout_free(map);
        zlay_word_free(j.word);
    }
    assert_int_equal(zlay_emit_word_function(*state, &buf, NULL, ZLAY_TEXT_CUDA, "w", 1), ZLAY_EINVAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cuda_values),
        cmocka_unit_test(hip_values),
        cmocka_unit_test(ptx_values),
        cmocka_unit_test(nvcc_takes_them),
        cmocka_unit_test(ptxas_takes_them),
        cmocka_unit_test(clang_takes_them),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("functions of words", tests, begin, end);
}
