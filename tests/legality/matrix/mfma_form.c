/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
/* Mnemonics, registers, passes and modifiers of matrix instructions: each text assembles on its target with the registers that zlay says
 * and with no other count, and elsewhere only where zlay knows the form; cycles and modifiers are the calculator's; llvm-mca's model agrees. */
#include "legality.h"

#include <stdlib.h>
#include <unistd.h>

enum { LINES = 4096 };
static const char *const targets[] = {"gfx90a", "gfx942", "gfx950", "gfx1250"};
enum { TARGETS = 4 };

static const char *const listed[] = {
#define MFMA(text) text,
#include "data/mfma.def"
#undef MFMA
};
enum { LISTED = sizeof listed / sizeof *listed };

static int32_t type_of(const char *name)
{
    int32_t type = -1;
    assert_int_equal(zlay_type_find(&type, name, strlen(name)), ZLAY_OK);
    return type;
}

static zlay_mma mma_of(char *target_name, const char *text)
{
    char a[16], b[16], d[16], kind[16];
    unsigned m, n, k, blocks, scale = 0;
    int read = sscanf(text, "%15s %ux%ux%u %u %15s %15s %15s %15s %u", target_name, &m, &n, &k, &blocks, a, b, d, kind, &scale);
    assert_true(read >= 9);
    return (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = m, .n = n, .k = k, .blocks = blocks, .a = type_of(a), .b = type_of(b),
                      .d = type_of(d), .sparse = !strcmp(kind, "sparse"),
                      .scale_vec = scale == 32 ? ZLAY_SCALE_BLOCK32 : scale == 16 ? ZLAY_SCALE_BLOCK16 : 0};
}

static zlay_mma_form form_of(const char *target_name, const zlay_mma *m)
{
    zlay_mma_form f;
    assert_int_equal(zlay_mma_info(&f, target_of(target_name), m), ZLAY_OK);
    return f;
}

/* ---- against the calculator ---------------------------------------------------------------------- */

typedef struct row {
    const char *target, *name;
    uint32_t m, n, k, blocks;
    const char *a, *b, *d;
    uint32_t cycles, cbsz, blgp;
} row;

static const row rows[] = {
#define MAP(target, name, m, n, k, blocks, a, b, d, cycles, cbsz, blgp, map_a, map_b, map_d) {target, name, m, n, k, blocks, a, b, d, cycles, cbsz, blgp},
#include "data/mfma-maps.def"
#undef MAP
};
enum { ROWS = sizeof rows / sizeof *rows };

static void as_the_calculator(void **state)
{
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        const zlay_target *t = target_of(r->target);
        zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = r->m, .n = r->n, .k = r->k, .blocks = r->blocks};
        m.a = zlay_target_type(t, type_of(r->a)), m.b = zlay_target_type(t, type_of(r->b)), m.d = type_of(r->d);
        zlay_mma_form f = form_of(r->target, &m);
        assert_string_equal(f.name, r->name);
        if (!r->cycles) continue;
        assert_int_equal(f.cycles, r->cycles);
        assert_int_equal(f.passes * 4, f.cycles);
        assert_int_equal(f.cbsz == ZLAY_MODIFIER_BROADCAST, r->cbsz);
        assert_int_equal(f.blgp == ZLAY_MODIFIER_LANES || f.blgp == ZLAY_MODIFIER_NEGATE, r->blgp);
        assert_int_equal(1u << f.cbsz_most, r->cbsz ? r->blocks : 1);
    }
}

/* ---- against the assembler ------------------------------------------------------------------------ */

typedef struct lines {
    char text[LINES][320];
    int of[LINES]; /* the listed tuple */
    size_t count;
} lines;

static const char *reg(char *out, unsigned first, unsigned count)
{
    if (count == 1) sprintf(out, "v%u", first);
    else sprintf(out, "v[%u:%u]", first, first + count - 1);
    return out;
}

/* One more register in A, B or D where that is wanted: no such form. */
static void put_line(lines *out, int tuple, const char *target_name, const zlay_mma *m, const zlay_mma_form *f, unsigned more)
{
    static const char *const words[] = {"FP8", "BF8", "FP6", "BF6", "FP4"};
    char d[24], a[24], b[24], c[24], tail[96] = "", scale[48] = "";
    unsigned bump = more ? 2 : 0;
    reg(d, 0, f->d_registers + (more == 3 ? bump : 0));
    reg(a, 64, f->a_registers + (more == 1 ? bump : 0));
    reg(b, 96, f->b_registers + (more == 2 ? bump : 0));
    reg(c, 120, f->index_registers);
    if (m->scale_vec) strcpy(scale, m->scale_vec == ZLAY_SCALE_BLOCK32 ? ", v120, v121" : ", v[120:121], v[122:123]");
    if (f->a_format >= 0 && f->cbsz == ZLAY_MODIFIER_FORMAT) sprintf(tail, " cbsz:%d blgp:%d", f->a_format, f->b_format);
    else if (f->a_format >= 0 && !strstr(f->name, "_f4")) sprintf(tail, " matrix_a_fmt:MATRIX_FMT_%s matrix_b_fmt:MATRIX_FMT_%s", words[f->a_format], words[f->b_format]);
    (void)target_name;
    assert_true(out->count < LINES);
    out->of[out->count] = tuple;
    snprintf(out->text[out->count++], sizeof *out->text, "%s %s, %s, %s, %s%s%s", f->name, d, a, b, m->sparse ? c : d, scale, tail);
}

static bool assembler(const char *tool)
{
    char command[64];
    snprintf(command, sizeof command, "command -v %s >/dev/null 2>&1", tool);
    return !system(command);
}

static void write_lines(char *path, const lines *all)
{
    int fd = mkstemps(path, 2);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    for (size_t i = 0; i < all->count; i++) fprintf(file, "%s\n", all->text[i]);
    fclose(file);
}

static void assemble(char *bad, const lines *all, const char *cpu)
{
    char path[] = "/tmp/zlay-mfma-XXXXXX.s", command[256], answer[512];
    unsigned line;
    memset(bad, 0, LINES);
    write_lines(path, all);
    snprintf(command, sizeof command, "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=null %s 2>&1", cpu, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(answer, sizeof answer, pipe)) {
        const char *at = strstr(answer, ".s:");
        if (at && strstr(answer, "error") && sscanf(at, ".s:%u:", &line) == 1 && line <= all->count) bad[line - 1] = 1;
    }
    pclose(pipe);
    remove(path);
}

/* The listed tuples of a target, each as one line. */
static void lines_of(lines *out, const char *cpu, unsigned more)
{
    char name[16];
    out->count = 0;
    for (int i = 0; i < LISTED; i++) {
        zlay_mma m = mma_of(name, listed[i]);
        if (strcmp(name, cpu)) continue;
        zlay_mma_form f = form_of(name, &m);
        put_line(out, i, name, &m, &f, more);
    }
}

static void each_assembles(void **state)
{
    (void)state;
    static lines all;
    static char bad[LINES];
    size_t count = 0;
    if (!assembler("llvm-mc-22")) {
        printf("SKIPPED: no llvm-mc-22 on this machine: mnemonics of matrix instructions were put to no assembler\n");
        skip();
    }
    for (int t = 0; t < TARGETS; t++)
        for (unsigned more = 0; more < 4; more++) {
            lines_of(&all, targets[t], more);
            assemble(bad, &all, targets[t]);
            count += more ? 0 : all.count;
            for (size_t i = 0; i < all.count; i++)
                if (bad[i] != (more > 0)) fail_msg("%s: %s: %s", targets[t], all.text[i], bad[i] ? "refused" : "taken");
        }
    assert_int_equal(count, LISTED);
}

/* The tuple on another target, the types of bytes as that one means them. */
static bool known_there(const char *text, const char *other)
{
    char name[16];
    zlay_mma m = mma_of(name, text), fnuz = m;
    zlay_verdict v;
    bool to = zlay_target_type(target_of(other), ZLAY_TYPE_E4M3) == ZLAY_TYPE_E4M3_FNUZ;
    int32_t *types[] = {&fnuz.a, &fnuz.b};
    for (int i = 0; i < 2; i++)
        if (*types[i] == ZLAY_TYPE_E4M3 || *types[i] == ZLAY_TYPE_E4M3_FNUZ) *types[i] = to ? ZLAY_TYPE_E4M3_FNUZ : ZLAY_TYPE_E4M3;
        else if (*types[i] == ZLAY_TYPE_E5M2 || *types[i] == ZLAY_TYPE_E5M2_FNUZ) *types[i] = to ? ZLAY_TYPE_E5M2_FNUZ : ZLAY_TYPE_E5M2;
    assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of(other), &fnuz), ZLAY_OK);
    return v.answer == ZLAY_YES;
}

static void refused_elsewhere(void **state)
{
    (void)state;
    static lines all;
    static char bad[LINES];
    size_t refused = 0;
    if (!assembler("llvm-mc-22")) skip();
    for (int t = 0; t < TARGETS; t++)
        for (int u = 0; u < TARGETS; u++) {
            if (u == t) continue;
            lines_of(&all, targets[t], 0);
            assemble(bad, &all, targets[u]);
            for (size_t i = 0; i < all.count; i++) {
                refused += bad[i] != 0;
                if (!bad[i] && !known_there(listed[all.of[i]], targets[u])) fail_msg("%s takes %s: %s", targets[u], all.text[i], listed[all.of[i]]);
            }
        }
    assert_true(refused > 300);
}

/* Passes are the model's, but for 8-bit formats that f8f6f4 is told: twice as many (mfma_passes.def). */
static void as_the_model_says(void **state)
{
    (void)state;
    static lines all;
    if (!assembler("llvm-mca-22")) skip();
    for (int t = 0; t < TARGETS - 1; t++) {
        char path[] = "/tmp/zlay-mfma-XXXXXX.s", command[256], answer[512], name[16];
        size_t seen = 0;
        lines_of(&all, targets[t], 0);
        write_lines(path, &all);
        snprintf(command, sizeof command, "llvm-mca-22 -mtriple=amdgcn-amd-amdhsa -mcpu=%s --all-views=false --instruction-info %s 2>/dev/null", targets[t], path);
        FILE *pipe = popen(command, "r");
        assert_non_null(pipe);
        while (fgets(answer, sizeof answer, pipe)) {
            double latency, every;
            unsigned uops;
            if (!strstr(answer, "v_") || sscanf(answer, "%u %lf %lf", &uops, &latency, &every) != 3) continue;
            assert_true(seen < all.count);
            zlay_mma m = mma_of(name, listed[all.of[seen++]]);
            zlay_mma_form f = form_of(name, &m);
            bool eight = f.cbsz == ZLAY_MODIFIER_FORMAT && (f.a_format < 2 || f.b_format < 2);
            if (f.passes != (unsigned)every * (eight ? 2 : 1)) fail_msg("%s on %s: %u passes, the model %g", f.name, targets[t], f.passes, every);
        }
        pclose(pipe);
        remove(path);
        assert_int_equal(seen, all.count);
    }
}

static void hostile(void **state)
{
    (void)state;
    zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 7, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
    zlay_mma_form f, before;
    memset(&f, 0x5a, sizeof f);
    before = f;
    assert_int_equal(zlay_mma_info(&f, target_of("gfx942"), &m), ZLAY_NONE);
    assert_int_equal(zlay_mma_info(&f, target_of("sm_90a"), &m), ZLAY_NONE);
    m.instruction = ZLAY_MMA_WGMMA;
    assert_int_equal(zlay_mma_info(&f, target_of("sm_90a"), &m), ZLAY_ENOTSUP);
    m.instruction = ZLAY_MMA_MFMA, m.reserved[0] = 1;
    assert_int_equal(zlay_mma_info(&f, target_of("gfx942"), &m), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_info(&f, NULL, &m), ZLAY_EINVAL);
    assert_int_equal(zlay_mma_info(NULL, target_of("gfx942"), &m), ZLAY_EINVAL);
    assert_memory_equal(&f, &before, sizeof f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_the_calculator), cmocka_unit_test(each_assembles), cmocka_unit_test(refused_elsewhere),
        cmocka_unit_test(as_the_model_says), cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
