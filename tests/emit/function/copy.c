/* SPDX-License-Identifier: Apache-2.0 */
/* Copies as functions: HIP, and CUDA C without inline asm, are compiled by the host's compiler and called thread by thread. Every byte of the
 * destination and around it is what the request says. clang and ptxas take the texts. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "functions/copy.h"

#include <setjmp.h>

enum { EACH = 60 };

/* ---- the host's compiler ---------------------------------------------------------------------------- */

typedef bool ask_function(const void *source, const void *dest);
static run_function *running;
static uint64_t shift[2]; /* of the sides' bases, bytes */
static uint8_t memory[2][2 * SPAN] __attribute__((aligned(4096)));

static uint8_t *base_of(int s) { return memory[s] + SPAN / 2 + shift[s]; }

static void on_host(const trial *t, const char *text, side *from, side *to)
{
    (void)text;
    memcpy(base_of(0), from->bytes[0], SPAN);
    memcpy(base_of(1), to->bytes[0], SPAN);
    for (unsigned thread = 0; thread < t->threads; thread++)
        running(base_of(0) + (is_held(t, 0) ? thread * from->held : 0), base_of(1) + (is_held(t, 1) ? thread * to->held : 0), thread, t->value[0], t->value[1]);
    memcpy(to->bytes[0], base_of(1), SPAN);
}

static void put_host(FILE *file, int i)
{
    char source[80] = "source", dest[80] = "dest";
    if (is_held(trials[i], 0)) sprintf(source, "*(const unsigned (*)[%u])source", (unsigned)trials[i]->from.held / 4);
    if (is_held(trials[i], 1)) sprintf(dest, "*(unsigned (*)[%u])dest", (unsigned)trials[i]->to.held / 4);
    fprintf(file, "%sextern \"C\" void run_%d(const void *source, void *dest, unsigned thread, long long name_ld, long long name_N)\n{\n    (void)name_ld, (void)name_N;\n    ", texts[i], i);
    put_call(file, texts[i], i, source, dest);
    fprintf(file, "}\nextern \"C\" bool ask_%d(const void *source, const void *dest) { (void)source, (void)dest; return ", i);
    if (!strstr(texts[i], "_aligned(")) fprintf(file, "true");
    else fprintf(file, "f%d_aligned(%s%s%s)", i, is_held(trials[i], 0) ? "" : "source", is_held(trials[i], 0) || is_held(trials[i], 1) ? "" : ", ", is_held(trials[i], 1) ? "" : "dest");
    fprintf(file, "; }\n");
}

static jmp_buf fault_back;
static void fault_found(void) { longjmp(fault_back, 1); }

/* Whether every access is aligned and every byte right. */
static bool runs_right(int i)
{
    if (setjmp(fault_back)) return false;
    return !wrong_bytes_by(on_host, trials[i], NULL);
}

/* The check of alignment says of shifted bases whether every access is aligned, and every byte right. */
static void check_shifts(void *library, int i, uint64_t *seed, int *yes, int *no)
{
    union { void *object; ask_function *ask; } found = {symbol_of(library, "ask", i)};
    void (**fault)(void) = dlsym(library, "fault");
    assert_true(found.object && fault);
    *fault = fault_found;
    for (int k = 0; k < 6; k++) {
        for (int s = 0; s < 2; s++) shift[s] = is_held(trials[i], s) ? 0 : k ? 1ull << test_range(seed, 0, 5) : 0;
        bool says = found.ask(base_of(0), base_of(1));
        if (says != runs_right(i)) fail_msg("%s, bases %d and %d bytes off\n%s", says ? "aligned" : "not aligned", (int)shift[0], (int)shift[1], texts[i]);
        ++*(says ? yes : no);
    }
    shift[0] = shift[1] = 0;
}

static void on_the_host(zlay_ctx *ctx, int32_t language, const char *target, int each, int least)
{
    int ran = 0, by_kind[KINDS] = {0}, yes = 0, no = 0;
    uint64_t seed = test_seed("shifts");
    draw_all(ctx, language, target, each);
    FILE *file = source_begin();
    for (int i = 0; i < count; i++)
        if (!strstr(texts[i], "asm volatile")) put_host(file, i);
    void *library = library_of(file);
    for (int i = 0; i < count; i++) {
        union { void *object; run_function *run; } found = {symbol_of(library, "run", i)};
        running = found.run;
        if (!found.object) continue;
        uint64_t bad = wrong_bytes_by(on_host, trials[i], NULL);
        if (bad) fail_msg("%s: %s -> %s, %u bits: %d bytes\n%s", kinds[numbers[i]].name, requests[i].w.text[0], requests[i].w.text[1], trials[i]->bits, (int)bad, texts[i]);
        check_shifts(library, i, &seed, &yes, &no);
        ran++, by_kind[numbers[i]]++;
    }
    dlclose(library);
    for (size_t k = 0; k < KINDS; k++) print_message("%s%s %d", k ? ", " : "", kinds[k].name, by_kind[k]);
    print_message("\n%s: %d of %d ran; bases were aligned %d times, %d times not\n", target, ran, count, yes, no);
    assert_true(ran >= least && yes >= ran && no >= ran);
    drop_all();
}

static void hip_values(void **state) { on_the_host(*state, ZLAY_TEXT_HIP, "gfx942", EACH, 150); }
static void cuda_values(void **state) { on_the_host(*state, ZLAY_TEXT_CUDA, "sm_80", EACH, 100); }

/* ---- compilers --------------------------------------------------------------------------------------- */

static void clang_takes_them(void **state)
{
    static char all[1 << 25];
    if (!has_hip_compiler()) skip();
    draw_all(*state, ZLAY_TEXT_HIP, "gfx942", 12);
    char *to = all;
    for (int i = 0; i < count; i++) {
        const trial *t = trials[i];
        char given[2][64];
        to += sprintf(to, "%s", texts[i]);
        if (i % 4 == 3) continue; /* it stands alone */
        for (int s = 0; s < 2; s++)
            if (is_held(t, s)) sprintf(given[s], "*(%sunsigned (*)[%u])%s", s ? "" : "const ", (unsigned)(s ? t->to : t->from).held / 4, s ? "dest" : "source");
            else strcpy(given[s], s ? "dest" : "source");
        to += sprintf(to, "extern \"C\" __attribute__((global)) void k%d(const void *source, void *dest, unsigned thread, long long name_ld, long long name_N)\n{\n"
                          "    (void)name_ld, (void)name_N;\n    ", i);
        FILE *file = fmemopen(to, 1000, "w");
        put_call(file, texts[i], i, given[0], given[1]);
        fclose(file);
        to += strlen(to);
        to += sprintf(to, "}\n");
    }
    assert_true(compiles_hip("gfx90a gfx942 gfx950", all));
    print_message("%d functions\n", count);
    drop_all();
}

/* ---- writes, refusals -------------------------------------------------------------------------------- */

/* PTX is what zlay_emit_move prints, and the check of alignment. */
static void ptx_is_the_move(void **state)
{
    static char mine[TEXT_ROOM];
    uint64_t seed = test_seed("moves"), taken = 0;
    for (uint64_t i = 0; i < 40; i++) {
        static trial t;
        drawn d = draw_kind(*state, i % KINDS, &seed);
        const char *const real[] = {d.real[0], d.real[1]};
        memcpy(t.value, d.value, sizeof d.value);
        if (trial_begin(*state, &t, &d.w, &seed, d.real[0][0] ? real : NULL)) {
            zlay_buf buf = {mine, sizeof mine, 0};
            assert_int_equal(zlay_emit_copy(*state, &buf, t.move, ZLAY_TEXT_PTX, "moved", 5), ZLAY_OK);
            size_t length = strlen(t.text);
            assert_memory_equal(mine, t.text, length);
            assert_true(!mine[length] || !strncmp(mine + length, ".func (.param .b32 value) moved_aligned(", 40));
            if (has_compiler()) assert_true(assembles(d.w.target, mine));
            taken++;
        }
        trial_end(&t);
        zlay_facts_free(d.facts);
    }
    assert_true(taken >= 20);
}

static void refuse(zlay_ctx *ctx, const zlay_move *move, int32_t language, const char *name, zlay_status expected, const char *says)
{
    zlay_buf buf = {NULL, 0, 0};
    zlay_status status = zlay_emit_copy(ctx, &buf, move, language, name, strlen(name));
    if (status != expected || !strstr(zlay_ctx_message(ctx), says)) fail_msg("%s: %s", zlay_status_name(status), zlay_ctx_message(ctx));
}

static void refused(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_layout *a = read_layout(ctx, "(8,64):(1,8)");
    zlay_copy_request r = {.size = sizeof r, .elem_bits = 16, .source = {a, ZLAY_MOVE_GLOBAL, 0, 16}, .dest = {a, ZLAY_MOVE_SHARED, 0, 16}};
    zlay_move *nvidia = NULL, *amd = NULL;
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(zlay_copy_synth(ctx, &nvidia, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(zlay_copy_synth(ctx, &amd, target_of("gfx942"), &r), ZLAY_OK);
    refuse(ctx, nvidia, ZLAY_TEXT_CUDA, "f", ZLAY_EROOM, "");
    refuse(ctx, nvidia, ZLAY_TEXT_HIP, "f", ZLAY_ENOTSUP, "sm_90a");
    refuse(ctx, amd, ZLAY_TEXT_CUDA, "f", ZLAY_ENOTSUP, "gfx942");
    refuse(ctx, amd, ZLAY_TEXT_PTX, "f", ZLAY_ENOTSUP, "gfx942");
    refuse(ctx, nvidia, ZLAY_TEXT_CUDA, "__f", ZLAY_EINVAL, "name");
    refuse(ctx, nvidia, ZLAY_TEXT_CUDA, "uint4", ZLAY_EINVAL, "name");
    refuse(ctx, nvidia, 7, "f", ZLAY_EINVAL, "language");
    assert_int_equal(zlay_emit_copy(ctx, NULL, nvidia, ZLAY_TEXT_CUDA, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_copy(ctx, &buf, NULL, ZLAY_TEXT_CUDA, "f", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_copy(ctx, &buf, nvidia, ZLAY_TEXT_CUDA, NULL, 1), ZLAY_EINVAL);
    zlay_move_free(nvidia);
    zlay_move_free(amd);
    zlay_layout_free(a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hip_values),
        cmocka_unit_test(cuda_values),
        cmocka_unit_test(clang_takes_them),
        cmocka_unit_test(ptx_is_the_move),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests_name("emit/function/copy", tests, begin, end);
}
