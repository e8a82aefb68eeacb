/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
/* Wait states between two instructions: every pair of tests/data/hazards.def on every target, against what LLVM 22's hazard
 * recognizer inserts into the same pair of machine instructions. */
#include "legality.h"

#include <unistd.h>

/* ---- the example of the header ------------------------------------------------------------ */

static uint32_t states(const char *on, uint32_t first, uint32_t passes, uint32_t then)
{
    uint32_t out = 77;
    zlay_hazard h = {first, then, passes, 0};
    assert_int_equal(zlay_hazard_states(&out, target_of(on), &h), ZLAY_OK);
    return out;
}

static void prints(uint32_t count, const char *wanted)
{
    char text[256];
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_hazard_print(&buf, count), ZLAY_OK);
    assert_string_equal(text, wanted);
}

static void the_header_says(void **state)
{
    (void)state;
    assert_int_equal(states("gfx942", ZLAY_FIRST_MATRIX, 8, ZLAY_THEN_MEMORY), 11);
    assert_int_equal(states("gfx942", ZLAY_FIRST_MATRIX, 8, ZLAY_THEN_MATRIX_SAME), 0);
    assert_int_equal(states("gfx950", ZLAY_FIRST_MATRIX, 8, ZLAY_THEN_MEMORY), 12);
    assert_int_equal(states("gfx90a", ZLAY_FIRST_MATRIX, 16, ZLAY_THEN_MEMORY), 19);
    assert_int_equal(states("gfx90a", ZLAY_FIRST_VALU, 0, ZLAY_THEN_MEMORY_F64), 2);
    assert_int_equal(states("gfx942", ZLAY_FIRST_VALU, 0, ZLAY_THEN_MEMORY_F64), 0);
    prints(11, "s_nop 10\n");
    prints(19, "s_nop 15\ns_nop 2\n");
    prints(16, "s_nop 15\n");
    prints(17, "s_nop 15\ns_nop 0\n");
    prints(0, "");
}

/* ---- hostile values ------------------------------------------------------------------------ */

static void refused(const char *on, zlay_hazard h, zlay_status wanted)
{
    uint32_t out = 77;
    assert_int_equal(zlay_hazard_states(&out, target_of(on), &h), wanted);
    assert_int_equal(out, 77);
}

static void wrong_requests(void **state)
{
    (void)state;
    uint32_t out = 77;
    zlay_hazard good = {ZLAY_FIRST_MATRIX, ZLAY_THEN_MEMORY, 8, 0};
    assert_int_equal(zlay_hazard_states(NULL, target_of("gfx942"), &good), ZLAY_EINVAL);
    assert_int_equal(zlay_hazard_states(&out, NULL, &good), ZLAY_EINVAL);
    assert_int_equal(zlay_hazard_states(&out, target_of("gfx942"), NULL), ZLAY_EINVAL);
    refused("gfx942", (zlay_hazard){ZLAY_FIRST_MATRIX, ZLAY_THEN_MEMORY, 8, 1}, ZLAY_EINVAL);
    refused("gfx942", (zlay_hazard){4096, ZLAY_THEN_MEMORY, 0, 0}, ZLAY_EINVAL);
    refused("gfx942", (zlay_hazard){1, 2 * ZLAY_THEN_MEMORY_F64, 8, 0}, ZLAY_EINVAL);
    for (uint32_t passes = 0; passes < 40; passes++) {
        bool power = passes == 2 || passes == 4 || passes == 8 || passes == 16;
        zlay_hazard h = {ZLAY_FIRST_MATRIX, ZLAY_THEN_MEMORY, passes, 0};
        assert_int_equal(zlay_hazard_states(&out, target_of("gfx942"), &h), power ? ZLAY_OK : ZLAY_EINVAL);
        assert_int_equal(zlay_hazard_states(&out, target_of("gfx90a"), &h), power && passes != 4 ? ZLAY_OK : ZLAY_EINVAL);
        h.first = ZLAY_FIRST_VALU;
        assert_int_equal(zlay_hazard_states(&out, target_of("gfx942"), &h), passes ? ZLAY_EINVAL : ZLAY_OK);
    }
    refused("gfx1250", good, ZLAY_ENOTSUP);
    refused("sm_90a", good, ZLAY_ENOTSUP);
    zlay_buf buf = {NULL, 0, 0};
    assert_int_equal(zlay_hazard_print(NULL, 1), ZLAY_EINVAL);
    assert_int_equal(zlay_hazard_print(&buf, 256), ZLAY_EINVAL);
    assert_int_equal(zlay_hazard_print(&buf, 11), ZLAY_EROOM);
    assert_int_equal(buf.need, strlen("s_nop 10\n"));
}

/* ---- the pairs -------------------------------------------------------------------------------- */

enum { ZLAY_FIRST_NOTHING, ZLAY_THEN_NOTHING = 0, GFX = 3 };
static const char *const targets[GFX] = {"gfx90a", "gfx942", "gfx950"};

typedef struct first {
    uint32_t does, on, passes[GFX], registers;
    bool reads_c;
    const char *text;
} first;

static const first firsts[] = {
#define FIRST(does, on, p0, p1, p2, registers, text) {ZLAY_FIRST_##does, on, {p0, p1, p2}, registers, false, text},
#define READS_C(does, on, p0, p1, p2, text) {ZLAY_FIRST_##does, on, {p0, p1, p2}, 0, true, text},
#define THEN(...)
#define VCC(...)
#define SUM(...)
#include "data/hazards.def"
};

typedef struct then {
    uint32_t does, on, registers; /* of its C; 0: it has none there */
    bool of_vcc;
    const char *text;
} then;

static const then thens[] = {
#define FIRST(...)
#define READS_C(...)
#define THEN(does, on, text) {ZLAY_THEN_##does, on, 0, false, text},
#define VCC(does, on, text) {ZLAY_THEN_##does, on, 0, true, text},
#define SUM(does, on, registers, text) {ZLAY_THEN_##does, on, registers, false, text},
#include "data/hazards.def"
};
enum { FIRSTS = sizeof firsts / sizeof *firsts, THENS = sizeof thens / sizeof *thens };

/* What `t` does with what `f` left: the two are about one register only where their texts name one. */
static uint32_t meets(const first *f, const then *t)
{
    uint32_t does = t->does;
    if (t->registers) {
        bool same = f->registers == t->registers;
        does = (same ? ZLAY_THEN_MATRIX_SAME : does) | ZLAY_THEN_MATRIX | ZLAY_THEN_MATRIX_WRITES;
    }
    if (f->reads_c) {
        return does & (ZLAY_THEN_VALU_WRITES | ZLAY_THEN_LOAD_WRITES) ? ZLAY_THEN_OVERWRITES_C : 0;
    }
    bool vcc = strstr(f->text, "$vcc") != NULL, s0 = strstr(f->text, "$sgpr0") != NULL;
    if (t->of_vcc && !vcc) does = 0;
    if (!t->of_vcc && !s0) does &= ~(uint32_t)(ZLAY_THEN_MEMORY_SGPR | ZLAY_THEN_VALU_SGPR);
    if (!s0 && does & ZLAY_THEN_LANE_SELECT) does = f->does & ZLAY_FIRST_VALU_EXEC ? ZLAY_THEN_LANE_READS : 0;
    return does;
}

/* zlay owes one state more where the address of a load to LDS is a sum of f64 on gfx950: for LLVM such a load reads it as a vector
 * instruction behind v_rcp and sdwa, and as memory behind matrix instructions. */
static bool stricter(const first *f, const then *t, int ours, int theirs)
{
    return f->does == ZLAY_FIRST_MATRIX_F64_16 && strstr(t->text, "LDS_OFFEN $vgpr0") && ours == 19 && theirs == 18;
}

/* Machine IR of every pair that the target has, a function each; `of` gets their numbers. */
static uint32_t write_pairs(FILE *file, uint32_t where, uint32_t *of)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < FIRSTS * THENS; i++) {
        const first *f = &firsts[i / THENS];
        const then *t = &thens[i % THENS];
        if (!(f->on & t->on & 1u << where)) continue;
        fprintf(file, "---\nname: pair%u\nbody: |\n  bb.0:\n    %s\n    %s\n    S_ENDPGM 0\n...\n", (unsigned)i, f->text, t->text);
        of[count++] = i;
    }
    return count;
}

/* Wait states that the recognizer put into each pair, by its number; -1: it did not print the pair. */
static void read_pairs(FILE *pipe, int *inserted)
{
    char line[1024];
    unsigned now = FIRSTS * THENS, nop;
    while (fgets(line, sizeof line, pipe)) {
        if (sscanf(line, "name: pair%u", &now) == 1 && now < FIRSTS * THENS) inserted[now] = 0;
        if (sscanf(line, " S_NOP %u", &nop) == 1 && now < FIRSTS * THENS) inserted[now] += (int)nop + 1;
    }
}

static uint32_t recognize(uint32_t where, uint32_t *of, int *inserted)
{
    char path[] = "/tmp/zlay-hazard-XXXXXX.mir", command[256];
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    uint32_t count = write_pairs(file, where, of);
    fclose(file);
    snprintf(command, sizeof command, "llc-22 -march=amdgcn -mcpu=%s -run-pass=post-RA-hazard-rec %s -o - 2>/dev/null", targets[where], path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    for (uint32_t i = 0; i < FIRSTS * THENS; i++) inserted[i] = -1;
    read_pairs(pipe, inserted);
    pclose(pipe);
    remove(path);
    return count;
}

static void pairs_are_as_llvm_has_them(void **state)
{
    (void)state;
    static uint32_t of[FIRSTS * THENS];
    static int inserted[FIRSTS * THENS];
    uint32_t wrong = 0, hazards = 0;
    if (system("command -v llc-22 >/dev/null 2>&1")) {
        printf("SKIPPED: no llc-22 on this machine: wait states were compared with nothing\n");
        skip();
    }
    for (uint32_t where = 0; where < GFX; where++) {
        uint32_t count = recognize(where, of, inserted);
        assert_true(count > 1000);
        for (uint32_t i = 0; i < count; i++) {
            const first *f = &firsts[of[i] / THENS];
            const then *t = &thens[of[i] % THENS];
            int ours = (int)states(targets[where], f->does, f->passes[where], meets(f, t));
            hazards += ours > 0;
            if (ours == inserted[of[i]] || stricter(f, t, ours, inserted[of[i]])) continue;
            print_error("%s: %d, LLVM %d: %.60s / %.60s\n", targets[where], ours, inserted[of[i]], f->text, t->text);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(hazards > 1500);
}

/* Forms, and the machine instruction of tests/data/hazards.def that is one of them: what the row says of the registers that it uses, and
 * of all of them, the form does. */
static const struct {
    const char *form, *instruction;
} same[] = {
    {"global_store_dword", "GLOBAL_STORE_DWORD "}, {"global_load_dword", "GLOBAL_LOAD_DWORD "}, {"buffer_load_dword.offen", "BUFFER_LOAD_DWORD_OFFEN"},
    {"buffer_load_lds_dword.offen", "BUFFER_LOAD_DWORD_LDS_OFFEN"}, {"ds_write_b32", "DS_WRITE_B32_gfx9"}, {"ds_read_b32", "DS_READ_B32_gfx9"},
    {"global_load_dword.saddr", "GLOBAL_LOAD_DWORD_SADDR"}, {"global_load_lds_dword", "GLOBAL_LOAD_LDS_DWORD"},
    {"v_readfirstlane_b32", "V_READFIRSTLANE_B32"}, {"global_store_dwordx4", "GLOBAL_STORE_DWORDX4"}, {"global_store_dwordx3", "GLOBAL_STORE_DWORDX3"},
    {"buffer_store_dwordx4.offen.imm", "$vgpr170, $sgpr8_sgpr9_sgpr10_sgpr11, 0, 0, 0, 0"}, {"buffer_store_dwordx4.offen", "$vgpr170, $sgpr8_sgpr9_sgpr10_sgpr11, $sgpr20"},
    {"global_store_dwordx2", "GLOBAL_STORE_DWORDX2"}, {"ds_write_b128", "DS_WRITE_B128"}, {"s_mov_b32.m0.imm", "$m0 = S_MOV_B32 1"}, {"s_add_u32.m0", "$m0 = S_ADD_U32"},
};

static void forms_do_what_their_instructions_do(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        uint32_t form = 0, rows = 0, firsts_of = 0, thens_of = 0;
        zlay_hazard h;
        assert_int_equal(zlay_instruction_find(&form, same[i].form, strlen(same[i].form)), ZLAY_OK);
        assert_int_equal(zlay_hazard_form(&h, form), ZLAY_OK);
        for (int f = 0; f < FIRSTS; f++)
            if (strstr(firsts[f].text, same[i].instruction)) firsts_of |= firsts[f].does, rows++;
        for (int t = 0; t < THENS; t++)
            if (strstr(thens[t].text, same[i].instruction)) thens_of |= thens[t].does, rows++;
        assert_true(rows > 0 && !h.passes && !h.reserved);
        if (h.first != firsts_of && !strstr(same[i].form, "readfirst")) fail_msg("%s as the first does %u, not %u", same[i].form, h.first, firsts_of);
        if (thens_of & ~h.then) fail_msg("%s as the second does %u, and %u too", same[i].form, h.then, thens_of);
    }
    zlay_hazard h;
    uint32_t form = 0;
    assert_int_equal(zlay_instruction_find(&form, "s_barrier", 9), ZLAY_OK);
    assert_int_equal(zlay_hazard_form(&h, form), ZLAY_NONE);
    assert_int_equal(zlay_hazard_form(&h, 0), ZLAY_NONE);
    assert_int_equal(zlay_hazard_form(NULL, form), ZLAY_EINVAL);
    zlay_hazard m0, load;
    assert_int_equal(zlay_instruction_find(&form, "s_mov_b32.m0", 12), ZLAY_OK);
    assert_int_equal(zlay_hazard_form(&m0, form), ZLAY_OK);
    assert_int_equal(zlay_instruction_find(&form, "buffer_load_lds_dwordx4.offen", 29), ZLAY_OK);
    assert_int_equal(zlay_hazard_form(&load, form), ZLAY_OK);
    assert_int_equal(states("gfx950", m0.first, 0, load.then), 1);
}

/* More is done, more is owed: the answer of a union is the greatest of its parts. */
static void unions_are_the_greatest(void **state)
{
    (void)state;
    uint64_t seed = test_seed("isa/hazard");
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        const char *on = targets[test_range(&seed, 0, 2)];
        uint32_t does = (uint32_t)test_range(&seed, 0, 4095), meets_it = (uint32_t)test_range(&seed, 0, 2 * ZLAY_THEN_MEMORY_F64 - 1);
        uint32_t passes = does & 3 ? 2u << 3 * test_range(&seed, 0, 1) : 0, most = 0;
        for (uint32_t f = 1; f < 4096; f *= 2)
            for (uint32_t t = 1; t <= ZLAY_THEN_MEMORY_F64; t *= 2) {
                if (!(does & f) || !(meets_it & t)) continue;
                uint32_t one = states(on, f, f & 3 ? passes : 0, t);
                if (one > most && (passes <= 2 || f & 3 || one == states(on, f, 0, t))) most = one;
            }
        assert_int_equal(states(on, does, passes, meets_it), most);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_says),
        cmocka_unit_test(wrong_requests),
        cmocka_unit_test(pairs_are_as_llvm_has_them),
        cmocka_unit_test(forms_do_what_their_instructions_do),
        cmocka_unit_test(unions_are_the_greatest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
