/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
/* Headers of inline asm: every macro is compiled by clang-22 for its target in one kernel, what the compiler prints has the waits and
 * wait states in their places, and a macro is there exactly where llvm-mc-22 takes its instruction. */
#include <unistd.h>

#include "instruction.h"

enum { TARGETS = 4, TEXT_ROOM = 1 << 17, GFX1250 = 3 };
static const char *const targets[TARGETS] = {"gfx90a", "gfx942", "gfx950", "gfx1250"};

/* The rows, and what their macros take: d so many words, l an address in shared memory, a one of 64 bits, r a resource of four words, s
 * a scalar, S one of 64 bits, i a constant, 4 and 8 groups of so many words. */
static const struct {
    const char *form, *takes;
} rows[] = {
    {"ds_read_b32", "1li"}, {"ds_read_b64", "2li"}, {"ds_read_b96", "3li"}, {"ds_read_b128", "4li"}, {"ds_read2_b32", "2lii"},
    {"ds_read2_b64", "4lii"}, {"ds_read2st64_b32", "2lii"}, {"ds_read2st64_b64", "4lii"}, {"ds_read_b64_tr_b4", "2li"},
    {"ds_read_b64_tr_b8", "2li"}, {"ds_read_b64_tr_b16", "2li"}, {"ds_read_b96_tr_b6", "3li"}, {"ds_load_tr4_b64", "2li"},
    {"ds_load_tr6_b96", "3li"}, {"ds_load_tr8_b64", "2li"}, {"ds_load_tr16_b128", "4li"}, {"ds_write_b8", "l1i"}, {"ds_write_b16", "l1i"},
    {"ds_write_b32", "l1i"}, {"ds_write_b64", "l2i"}, {"ds_write_b96", "l3i"}, {"ds_write_b128", "l4i"}, {"ds_write2_b32", "l11ii"},
    {"ds_write2_b64", "l22ii"}, {"ds_write2st64_b32", "l11ii"}, {"ds_write2st64_b64", "l22ii"}, {"global_load_ubyte", "1ai"},
    {"global_load_ushort", "1ai"}, {"global_load_dword", "1ai"}, {"global_load_dwordx2", "2ai"}, {"global_load_dwordx3", "3ai"},
    {"global_load_dwordx4", "4ai"}, {"global_load_dword.saddr", "1lSi"}, {"global_load_dwordx2.saddr", "2lSi"},
    {"global_load_dwordx3.saddr", "3lSi"}, {"global_load_dwordx4.saddr", "4lSi"}, {"global_store_byte", "a1i"}, {"global_store_short", "a1i"},
    {"global_store_dword", "a1i"}, {"global_store_dwordx2", "a2i"}, {"global_store_dwordx3", "a3i"}, {"global_store_dwordx4", "a4i"},
    {"buffer_load_ubyte.offen", "1lrsi"}, {"buffer_load_ushort.offen", "1lrsi"}, {"buffer_load_dword.offen", "1lrsi"},
    {"buffer_load_dwordx2.offen", "2lrsi"}, {"buffer_load_dwordx3.offen", "3lrsi"}, {"buffer_load_dwordx4.offen", "4lrsi"},
    {"buffer_store_byte.offen", "1lrsi"}, {"buffer_store_short.offen", "1lrsi"}, {"buffer_store_dword.offen", "1lrsi"},
    {"buffer_store_dwordx2.offen", "2lrsi"}, {"buffer_store_dwordx3.offen", "3lrsi"}, {"buffer_store_dwordx4.offen", "4lrsi"},
    {"buffer_load_lds_ubyte.offen", "slrsi"}, {"buffer_load_lds_ushort.offen", "slrsi"}, {"buffer_load_lds_dword.offen", "slrsi"},
    {"buffer_load_lds_dwordx3.offen", "slrsi"}, {"buffer_load_lds_dwordx4.offen", "slrsi"}, {"global_load_dword.lds", "sai"},
    {"global_load_lds_dword", "sai"}, {"global_load_lds_dwordx3", "sai"}, {"global_load_lds_dwordx4", "sai"},
    {"global_load_async_to_lds_b32", "lai"}, {"global_load_async_to_lds_b64", "lai"}, {"global_load_async_to_lds_b128", "lai"},
    {"global_store_async_from_lds_b128", "ali"}, {"tensor_load_to_lds", "r8"}, {"tensor_load_to_lds.4", "r8rr"}, {"tensor_store_from_lds", "r8"},
    {"s_waitcnt.vm", "i"}, {"s_waitcnt.lgkm", "i"}, {"s_waitcnt.vm.lgkm", "ii"}, {"s_wait_loadcnt", "i"}, {"s_wait_storecnt", "i"},
    {"s_wait_dscnt", "i"}, {"s_wait_asynccnt", "i"}, {"s_wait_tensorcnt", "i"}, {"s_setprio", "i"}, {"s_barrier", ""}, {"s_barrier_signal", "b"},
};
enum { ROWS = sizeof rows / sizeof *rows };

static char text[TEXT_ROOM];

static zlay_ctx *context(void)
{
    zlay_ctx *ctx;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, NULL), ZLAY_OK);
    return ctx;
}

static void header_of(const char *on)
{
    zlay_ctx *ctx = context();
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_emit_snippets(ctx, &buf, target_of(on), "t", 1), ZLAY_OK);
    zlay_ctx_free(ctx);
}

static void macro_of(char out[64], const char *form)
{
    snprintf(out, 64, "zl_t_%s", form);
    for (char *c = out; *c; c++)
        if (*c == '.') *c = '_';
}

static bool has_macro(const char *form)
{
    char name[64], line[80];
    macro_of(name, form);
    snprintf(line, sizeof line, "#define %s(", name);
    return strstr(text, line) != NULL;
}

/* ---- which macros ------------------------------------------------------------------------------ */

static bool tools(const char *what)
{
    if (!system("command -v clang-22 >/dev/null 2>&1 && command -v llvm-mc-22 >/dev/null 2>&1")) return true;
    printf("SKIPPED: no clang-22 or llvm-mc-22 on this machine: %s were compiled by nothing\n", what);
    return false;
}

/* Bit r: llvm-mc takes row r's instruction, with registers that are legal. */
static void assembled(const char *cpu, bool taken[ROWS])
{
    char path[] = "/tmp/zlay-snippets-XXXXXX", command[256], line[512];
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    for (size_t r = 0; r < ROWS; r++) {
        uint32_t form = 0;
        zlay_operand o;
        int64_t first[8];
        assert_int_equal(zlay_instruction_find(&form, rows[r].form, strlen(rows[r].form)), ZLAY_OK);
        for (size_t i = 0; !zlay_instruction_operand_nth(&o, form, i); i++) first[i] = o.cls == 'i' ? 1 : 4 * (int64_t)i + 4;
        gfx_line(line, sizeof line, form, first);
        fprintf(file, "%s\n", line);
        taken[r] = true;
    }
    fclose(file);
    snprintf(command, sizeof command, "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=null %s 2>&1", cpu, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    unsigned row;
    while (fgets(line, sizeof line, pipe))
        if (strstr(line, ": error:") && sscanf(line + strlen(path), ":%u:", &row) == 1 && row && row <= ROWS) taken[row - 1] = false;
    pclose(pipe);
    remove(path);
}

static void macros_are_where_the_instruction_is(void **state)
{
    (void)state;
    bool taken[ROWS];
    if (!tools("headers of inline asm")) skip();
    for (size_t t = 0; t < TARGETS; t++) {
        uint32_t there = 0, lines = 0;
        header_of(targets[t]);
        assembled(targets[t], taken);
        for (size_t r = 0; r < ROWS; r++) {
            if (has_macro(rows[r].form) != taken[r]) fail_msg("%s: %s, llvm-mc %d", targets[t], rows[r].form, taken[r]);
            there += taken[r];
        }
        for (const char *at = text; (at = strstr(at, "#define zl_t_")) != NULL; at++) lines++;
        assert_int_equal(lines, there + 2);
    }
}

/* ---- compiled ------------------------------------------------------------------------------------ */

static const char *argument_of(char takes)
{
    switch (takes) {
    case '1': return "d1";
    case '2': return "d2";
    case '3': return "d3";
    case '4': return "d4";
    case 'l': return "lane";
    case 'a': return "address";
    case 'r': return "quad";
    case 's': return "scalar";
    case 'S': return "base";
    case '8': return "eight";
    case 'b': return "-1";
    default: return "1";
    }
}

/* A kernel: a result of a product, every macro, and stores of what was loaded. */
static void write_kernel(FILE *file, bool product)
{
    fputs(text, file);
    fputs("typedef unsigned u2 __attribute__((ext_vector_type(2))); typedef unsigned u3 __attribute__((ext_vector_type(3)));\n"
          "typedef unsigned u4 __attribute__((ext_vector_type(4))); typedef unsigned u8 __attribute__((ext_vector_type(8)));\n"
          "typedef float f16 __attribute__((ext_vector_type(16))); typedef _Float16 h4 __attribute__((ext_vector_type(4)));\n"
          "#ifdef __HIP__\n#define KERNEL __attribute__((global))\n#else\n#define KERNEL __attribute__((amdgpu_kernel))\n#endif\n"
          "KERNEL void k(unsigned *p, unsigned long base, u4 quad, u8 eight, unsigned scalar) {\n"
          "unsigned lane = __builtin_amdgcn_workitem_id_x(); unsigned long address = (unsigned long)(p + lane);\n"
          "(void)base, (void)quad, (void)eight, (void)scalar, (void)address; unsigned d1 = lane; u2 d2 = {lane, lane}; u3 d3 = {lane, 1, 2}; u4 d4 = {lane, 1, 2, 3};\n", file);
    if (product)
        fputs("f16 sum = {0}; h4 a = {(_Float16)lane, 1, 2, 3};\n"
              "sum = __builtin_amdgcn_mfma_f32_32x32x8f16(a, a, sum, 0, 0, 0);\n"
              "zl_t_global_store_dword(address, sum[0], 64);\n", file);
    for (size_t r = 0; r < ROWS; r++) {
        char name[64];
        macro_of(name, rows[r].form);
        if (!has_macro(rows[r].form)) continue;
        fprintf(file, "%s(", name);
        for (const char *c = rows[r].takes; *c; c++) fprintf(file, "%s%s", c == rows[r].takes ? "" : ", ", argument_of(*c));
        fputs(");\np[0] = d1 + d2.x + d3.x + d4.x;\n", file);
    }
    fputs("}\n", file);
}

/* What the compiler makes of it, and that it goes on to an object file without a warning, as HIP too. */
static void compiled(const char *cpu, bool product)
{
    char path[] = "/tmp/zlay-snippets-XXXXXX.c", command[1024];
    int fd = mkstemps(path, 2);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    write_kernel(file, product);
    fclose(file);
    snprintf(command, sizeof command,
             "clang-22 -x hip --offload-arch=%s --offload-device-only -nogpulib -nogpuinc -O2 -Wall -Wextra -Werror -c -o /dev/null %s && "
             "clang-22 -x c --target=amdgcn-amd-amdhsa -mcpu=%s -nogpulib -O2 -Wall -Wextra -Werror -c -o /dev/null %s && "
             "clang-22 -x c --target=amdgcn-amd-amdhsa -mcpu=%s -nogpulib -O2 -S -o - %s", cpu, path, cpu, path, cpu, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(text, 1, sizeof text - 1, pipe);
    text[length] = 0;
    if (pclose(pipe)) fail_msg("clang-22 refuses the header of %s", cpu);
    remove(path);
}

/* Wait states of one line: s_nop's own, 1 of another instruction, 0 of what is none. */
static uint32_t states_of_line(const char *line)
{
    unsigned nop;
    char word[64];
    if (sscanf(line, " s_nop %u", &nop) == 1) return nop + 1;
    return sscanf(line, " %63[a-z0-9_]", word) == 1 && *line != ';' && strncmp(word, "_", 1) ? 1 : 0;
}

/* States between the last line that begins with `first` and the next one that begins with `then`. */
static uint32_t states_between(const char *first, const char *then)
{
    const char *at = strstr(text, first);
    uint32_t states = 0;
    if (!at) fail_msg("no %s", first);
    for (at = strchr(at, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
        if (!strncmp(at + strspn(at, " \t"), then, strlen(then))) return states;
        if (at[strspn(at, " \t")] != ';' && at[strspn(at, " \t")] != '.') states += states_of_line(at);
    }
    fail_msg("no %s behind %s", then, first);
    return 0;
}

/* The line behind the first that begins with a word begins with another. */
static void followed(const char *first, const char *then)
{
    char line[80];
    snprintf(line, sizeof line, "\t%s ", first);
    const char *at = strstr(text, line);
    if (!at) fail_msg("no %s", first);
    at = strchr(at + 1, '\n') + 1;
    at += strspn(at, " \t");
    if (strncmp(at, then, strlen(then)) != 0) fail_msg("%s, then %.40s", first, at);
}

static void the_compiler_takes_them(void **state)
{
    (void)state;
    if (!tools("headers of inline asm")) skip();
    for (size_t t = 0; t < TARGETS; t++) {
        header_of(targets[t]);
        compiled(targets[t], t != GFX1250);
        followed("ds_read_b128", t == GFX1250 ? "s_wait_dscnt 0" : "s_waitcnt lgkmcnt(0)");
        followed("global_load_dwordx4", t == GFX1250 ? "s_wait_loadcnt 0" : "s_waitcnt vmcnt(0)");
        if (t == GFX1250) continue;
        static const uint32_t owed[] = {19, 11, 12}, after[] = {1, 2, 2};
        assert_true(states_between("v_mfma_f32_32x32x8", "global_store_dword ") >= owed[t]);
        assert_true(states_between("s_mov_b32 m0, s", "buffer_load_ubyte") >= 1);
        char nop[16];
        snprintf(nop, sizeof nop, "s_nop %u", (unsigned)(after[t] - 1));
        followed("global_store_dwordx4", nop);
    }
}

/* ---- refusals -------------------------------------------------------------------------------------- */

static void what_is_refused(void **state)
{
    (void)state;
    zlay_ctx *ctx = context();
    zlay_buf buf = {text, sizeof text, 0}, small = {text, 10, 0};
    assert_int_equal(zlay_emit_snippets(ctx, &buf, target_of("sm_90a"), "t", 1), ZLAY_ENOTSUP);
    assert_int_equal(zlay_emit_snippets(ctx, &buf, target_of("gfx942"), "9t", 2), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_snippets(ctx, &buf, NULL, "t", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_snippets(ctx, NULL, target_of("gfx942"), "t", 1), ZLAY_EINVAL);
    assert_int_equal(zlay_emit_snippets(ctx, &small, target_of("gfx942"), "t", 1), ZLAY_EROOM);
    assert_true(small.need > 1000);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(macros_are_where_the_instruction_is),
        cmocka_unit_test(the_compiler_takes_them),
        cmocka_unit_test(what_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
