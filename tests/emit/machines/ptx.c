/* SPDX-License-Identifier: Apache-2.0 */
/* The machine of tests/ptx itself: every arithmetic instruction on values worked by hand, every form of arithmetic that the
 * library has, exchanges of lanes, read-only loads, registers of nested scopes. ptxas reads the same texts, where it is found. */
#define _POSIX_C_SOURCE 200809L
#include <fenv.h>
#include <unistd.h>

#include "instruction.h"
#include "ptx/run.h"
#include "ptx/steps.h"

enum { TEXT_ROOM = 1 << 18, OUT = 0x10000, IN = 0x20000, OUT_WORDS = 4096 };

static px_machine machine;
static char text[TEXT_ROOM];
static uint32_t out[OUT_WORDS];
static const uint8_t in[16] = {0x80, 0x7f, 0x01, 0xff, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f};

/* A kernel around a body: `to` and `from` are the addresses of words out and bytes in. */
static void kernel_begin(void)
{
    strcpy(text, ".version 9.0\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 smem[];\n"
                 ".visible .entry k(\n    .param .u64 out,\n    .param .u64 in\n)\n{\n    .reg .b64 to, from;\n"
                 "    ld.param.u64 to, [out];\n    ld.param.u64 from, [in];\n"
                 "    cvta.to.global.u64 to, to;\n    cvta.to.global.u64 from, from;\n");
}

static void put(const char *format, ...)
{
    va_list list;
    size_t at = strlen(text);
    va_start(list, format);
    vsnprintf(text + at, sizeof text - at, format, list);
    va_end(list);
    assert_true(strlen(text) + 1 < sizeof text);
}

/* Of one warp; NULL: it ends well. */
static const char *kernel_run(void)
{
    static uint8_t given[sizeof in];
    uint64_t at[2] = {OUT, IN};
    put("    ret;\n}\n");
    memcpy(given, in, sizeof in);
    memset(out, 0x5a, sizeof out);
    machine.memories = 2;
    machine.memory[0] = (px_memory){OUT, sizeof out, (uint8_t *)out};
    machine.memory[1] = (px_memory){IN, sizeof given, given};
    for (int i = 0; i < 2; i++) memcpy(machine.param[i], &at[i], sizeof at[i]);
    machine.when = PX_ANY_TIME;
    machine.random = test_seed("emit/machines/ptx");
    px_run(&machine, text, PX_WARP, 1, 1);
    return *machine.fault ? machine.fault : NULL;
}

static void ptxas_reads(void)
{
    char path[] = "/tmp/zlay-alu-XXXXXX", command[160];
    if (!ptxas_found()) return;
    int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    snprintf(command, sizeof command, "PATH=\"$PATH:/usr/local/cuda/bin\" ptxas -O0 -arch=sm_90a -o /dev/null %s", path);
    int status = system(command);
    remove(path);
    assert_int_equal(status, 0);
}

/* ---- values by hand ------------------------------------------------------------------ */

typedef struct hand { const char *text; uint32_t a, b, c, d; } hand;

static const hand hands[] = {
#define HAND(text, a, b, c, d) {text, a, b, c, d},
#include "ptx/hand.def"
#undef HAND
};
enum { HANDS = sizeof hands / sizeof *hands };

static void hand_put(const hand *h, int i)
{
    put("    {\n    .reg .b32 a, b, c, d;\n    .reg .b16 h, i, zero;\n    .reg .pred p, q;\n    .reg .b64 w, x;\n");
    put("    mov.b16 zero, 0;\n    mov.b32 a, 0x%x;\n    mov.b32 b, 0x%x;\n    mov.b32 c, 0x%x;\n", h->a, h->b, h->c);
    put("    %s\n    st.global.b32 [to+%d], d;\n    }\n", h->text, 4 * i);
}

static void values_by_hand(void **state)
{
    (void)state;
    int wrong = 0;
    kernel_begin();
    for (int i = 0; i < HANDS; i++) hand_put(&hands[i], i);
    const char *fault = kernel_run();
    if (fault) fail_msg("%s", fault);
    for (int i = 0; i < HANDS; i++)
        if (out[i] != hands[i].d) wrong++, print_error("%s: 0x%08x, by hand 0x%08x\n", hands[i].text, out[i], hands[i].d);
    assert_int_equal(wrong, 0);
    ptxas_reads();
}

/* Whether an instruction stands in a text, behind its start or a blank. */
static int times(const char *where, const char *op)
{
    int found = 0;
    size_t length = strlen(op);
    for (const char *at = where; (at = strstr(at, op)) != NULL; at += length)
        found += (at == where || at[-1] == ' ') && at[length] == ' ';
    return found;
}

static void every_instruction_is_worked_twice(void **state)
{
    (void)state;
    for (size_t i = 0; i < PX_ARITHMETIC; i++) {
        int found = 0;
        const char *op = px_arithmetic[i].op;
        for (int k = 0; k < HANDS; k++) found += times(hands[k].text, op);
        if (found < 2 && strncmp(op, "cvta.", 5) && strcmp(op, "mov.b16")) fail_msg("%s is worked %d times", op, found);
    }
}

/* From add.rn.f32 to the last form of arithmetic: the machine has its opcode. */
static void every_form_of_arithmetic_is_known(void **state)
{
    (void)state;
    static char line[LINE_ROOM];
    uint32_t form, known = 0;
    bool inside = false;
    for (size_t i = 0; zlay_instruction_nth(&form, i) == ZLAY_OK; i++) {
        inside |= !strcmp(form_id(form), "add.rn.f32");
        if (!inside) continue;
        zlay_buf buf = {line, sizeof line, 0};
        assert_int_equal(zlay_instruction_print(&buf, form, NULL, 0), ZLAY_OK);
        line[strcspn(line, " ;")] = 0;
        if (!px_row_of(line)) fail_msg("the machine has no %s", line);
        known++;
        inside = strcmp(form_id(form), "mov.b32.unpack") != 0;
    }
    assert_true(known > 100);
}

/* ---- numbers --------------------------------------------------------------------------- */

/* Every number of every small kind is a double that becomes the same bits again, by each rounding. */
static void numbers_come_back(void **state)
{
    (void)state;
    const px_kind *kinds[] = {&px_f16, &px_bf16, &px_e4m3, &px_e5m2};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        for (uint32_t bits = 0; bits < 2 * (px_nan(kinds[i]) + 1); bits++) {
            double value = px_value(kinds[i], bits);
            for (int rounding = PX_NEAREST; rounding <= PX_UP; rounding++) {
                uint32_t again = px_bits(kinds[i], value, (px_rounding)rounding, false);
                assert_int_equal(again, isnan(value) ? px_nan(kinds[i]) : bits);
            }
        }
}

/* Doubles of any size become f32 as the processor rounds them in each of its modes. */
static void rounding_is_the_processors(void **state)
{
    (void)state;
    static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
    uint64_t seed = test_seed("emit/machines/ptx"), runs = test_iterations(200000);
    for (uint64_t i = 0; i < runs; i++) {
        uint64_t random = test_random(&seed);
        double part = (double)(int64_t)random * 0x1p-63;
        volatile double value = ldexp(part, (int)(test_random(&seed) % 300) - 155);
        for (int mode = 0; mode < 4; mode++) {
            fesetround(modes[mode]);
            volatile float rounded = (float)value;
            fesetround(FE_TONEAREST);
            if (px_bits(&px_f32, value, (px_rounding)mode, false) != px_word(rounded)) fail_msg("%a by rounding %d", value, mode);
        }
    }
}

/* ---- memory ----------------------------------------------------------------------------- */

static void read_only_loads(void **state)
{
    (void)state;
    static const struct { const char *text; uint32_t d; } rows[] = {
        {"ld.global.nc.u8 h, [from]; mov.b32 d, {h, zero};", 0x80},
        {"ld.global.nc.u8 h, [from+3]; mov.b32 d, {h, zero};", 0xff},
        {"ld.global.nc.s8 h, [from]; mov.b32 d, {h, zero};", 0xff80},
        {"ld.global.nc.s8 h, [from+1]; mov.b32 d, {h, zero};", 0x7f},
        {"ld.global.nc.b8 h, [from]; mov.b32 d, {h, zero};", 0x80},
        {"ld.global.nc.b16 h, [from+2]; mov.b32 d, {zero, h};", 0xff010000},
        {"ld.global.nc.b32 d, [from+4];", 0x07060504},
        {"ld.global.nc.v2.b32 {c, d}, [from+8];", 0x0f0e0d0c},
        {"ld.global.nc.v4.b32 {a, d, b, c}, [from];", 0x07060504},
        {"ld.global.v2.b32 {d, c}, [from];", 0xff017f80},
        {"ld.global.b32 d, [from];", 0xff017f80},
        {"ld.global.b8 h, [from+5]; mov.b32 d, {h, zero};", 5},
    };
    kernel_begin();
    for (int i = 0; i < (int)(sizeof rows / sizeof *rows); i++) hand_put(&(hand){.text = rows[i].text}, i);
    const char *fault = kernel_run();
    if (fault) fail_msg("%s", fault);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (out[i] != rows[i].d) fail_msg("%s: 0x%x", rows[i].text, out[i]);
    ptxas_reads();
    kernel_begin();
    put("    {\n    .reg .b32 d, e;\n    ld.global.nc.v2.b32 {d, e}, [from+4];\n    }\n");
    assert_non_null(kernel_run());
    assert_non_null(strstr(machine.fault, "off 8 bytes"));
}

/* ---- lanes ------------------------------------------------------------------------------------ */

/* Each lane has 100 + its number, and gives away its word at 4 tid of out; lanes from 16 on come later. */
static const char *shfl_run(const char *instruction)
{
    kernel_begin();
    put("    .reg .b32 tid, a, d;\n    .reg .b64 at;\n    .reg .pred p, late;\n    mov.u32 tid, %%tid.x;\n"
        "    mad.wide.u32 at, tid, 4, to;\n    add.u32 a, tid, 100;\n    setp.ge.u32 late, tid, 16;\n    @!late bra $meet;\n"
        "    add.u32 d, a, 1;\n    sub.u32 a, d, 1;\n$meet:\n    %s\n    st.global.b32 [at], d;\n", instruction);
    return kernel_run();
}

static void lanes_exchange(void **state)
{
    (void)state;
    static const struct { const char *text; uint32_t lane[4]; } rows[] = { /* of lanes 0, 1, 14 and 31 */
        {"shfl.sync.bfly.b32 d, a, 1, 0x1f, 0xffffffff;", {101, 100, 115, 130}},
        {"shfl.sync.bfly.b32 d, a, 16, 31, -1;", {116, 117, 130, 115}},
        {"shfl.sync.bfly.b32 d|p, a, 2, 31, -1;", {102, 103, 112, 129}},
        {"shfl.sync.bfly.b32 d, a, 4, 0x1c03, -1;", {100, 101, 110, 127}},
        {"shfl.sync.idx.b32 d, a, 5, 31, -1;", {105, 105, 105, 105}},
        {"shfl.sync.idx.b32 d, a, 1, 0x1c1f, -1;", {101, 101, 113, 129}},
        {"shfl.sync.up.b32 d, a, 1, 0, -1;", {100, 100, 113, 130}},
        {"shfl.sync.down.b32 d, a, 1, 31, -1;", {101, 102, 115, 131}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        static const int lanes[4] = {0, 1, 14, 31};
        const char *fault = shfl_run(rows[i].text);
        if (fault) fail_msg("%s: %s", rows[i].text, fault);
        for (int k = 0; k < 4; k++)
            if (out[lanes[k]] != rows[i].lane[k]) fail_msg("%s: lane %d has %u", rows[i].text, lanes[k], out[lanes[k]]);
        ptxas_reads();
    }
}

/* A lane that stays away, and an exchange of some lanes, are faults. */
static void lanes_that_do_not_meet(void **state)
{
    (void)state;
    assert_non_null(shfl_run("@late shfl.sync.bfly.b32 d, a, 1, 31, -1;"));
    assert_non_null(strstr(machine.fault, "line"));
    assert_non_null(shfl_run("shfl.sync.bfly.b32 d, a, 1, 31, 0xffff;"));
    assert_non_null(strstr(machine.fault, "some lanes"));
}

/* ---- scopes -------------------------------------------------------------------------------- */

/* Siblings declare one name as different registers; what a scope hides is there again behind it. */
static void scopes_have_their_own_registers(void **state)
{
    (void)state;
    kernel_begin();
    put("    .reg .b32 v<2>, x;\n    mov.b32 v1, 1;\n    mov.b32 x, 0;\n"
        "    {\n    .reg .b32 v<64>;\n    mov.b32 v1, 2; mov.b32 v63, 3;\n    add.s32 x, v1, v63;\n"
        "    { .reg .b32 v1; mov.b32 v1, 70; add.s32 x, x, v1; }\n    add.s32 x, x, v1;\n    }\n"
        "    {\n    .reg .b32 v<64>;\n    mov.b32 v63, 5;\n    add.s32 x, x, v63;\n    }\n"
        "    add.s32 x, x, v1;\n    st.global.b32 [to], x;\n");
    const char *fault = kernel_run();
    if (fault) fail_msg("%s", fault);
    assert_int_equal(out[0], 2 + 3 + 70 + 2 + 5 + 1);
    ptxas_reads();
    kernel_begin();
    put("    .reg .b32 x;\n    { .reg .b32 v; mov.b32 v, 2; }\n    { .reg .b32 v; add.s32 x, v, 1; }\n");
    assert_non_null(kernel_run());
    assert_non_null(strstr(machine.fault, "holds nothing"));
}

/* Labels of one name in two scopes, and loops in them. */
static void scopes_have_their_own_labels(void **state)
{
    (void)state;
    kernel_begin();
    put("    .reg .b32 x;\n    .reg .pred p;\n    mov.b32 x, 0;\n");
    for (int i = 0; i < 2; i++)
        put("    {\n$again:\n    add.s32 x, x, %d;\n    setp.lt.s32 p, x, %d;\n    @p bra $again;\n    }\n", i + 2, 10 * (i + 1));
    put("    st.global.b32 [to], x;\n");
    const char *fault = kernel_run();
    if (fault) fail_msg("%s", fault);
    assert_int_equal(out[0], 22);
    ptxas_reads();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(every_instruction_is_worked_twice),
        cmocka_unit_test(every_form_of_arithmetic_is_known),
        cmocka_unit_test(numbers_come_back),
        cmocka_unit_test(rounding_is_the_processors),
        cmocka_unit_test(read_only_loads),
        cmocka_unit_test(lanes_exchange),
        cmocka_unit_test(lanes_that_do_not_meet),
        cmocka_unit_test(scopes_have_their_own_registers),
        cmocka_unit_test(scopes_have_their_own_labels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
