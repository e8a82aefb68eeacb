/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
/* mma.check for mfma: every shape, type and modifier of a space around the forms, against what LLVM 22's assembler takes. The list
 * in tests/data/mfma.def was printed by `legality/matrix/mfma list`; where llvm-mc-22 is installed it is asked again. */
#include "legality.h"

typedef struct tuple {
    int target, m, n, k, blocks, sparse, a, b, d, scale;
} tuple;

static const char *const targets[] = {"gfx90a", "gfx942", "gfx950", "gfx1250"};
enum { TARGETS = 4, GFX1250 = 3, MANY = 4096, SCALE_16 = ZLAY_SCALE_BLOCK16, SCALE_32 = ZLAY_SCALE_BLOCK32 };

/* ---- the space ------------------------------------------------------------------------- */

/* Types with the words of mnemonics, and the number of their format in f8f6f4. */
static const struct {
    const char *name, *word, *wide;
    int bits, format;
} types[] = {
    {"f64", "f64", NULL, 64, -1},      {"f32", "f32", "f32", 32, -1},  {"tf32", "xf32", NULL, 32, -1}, {"f16", "f16", "f16", 16, -1},
    {"bf16", "bf16", "bf16", 16, -1},  {"s8", "i8", "iu8", 8, -1},     {"u8", NULL, "iu8", 8, -1},     {"s4", NULL, "iu4", 4, -1},
    {"u4", NULL, "iu4", 4, -1},        {"e4m3", "fp8", "fp8", 8, 0},   {"e5m2", "bf8", "bf8", 8, 1},   {"e2m3", NULL, NULL, 6, 2},
    {"e3m2", NULL, NULL, 6, 3},        {"e2m1", NULL, "f4", 4, 4},     {"e4m3fnuz", "fp8", NULL, 8, -1}, {"e5m2fnuz", "bf8", NULL, 8, -1},
};
enum { TYPES = sizeof types / sizeof *types, E4M3 = 9, E2M1 = 13 };
static const struct {
    const char *name, *word;
    int bits;
} sums[] = {{"f32", "f32", 32}, {"f64", "f64", 64}, {"s32", "i32", 32}, {"f16", "f16", 16}, {"bf16", "bf16", 16}};
enum { SUMS = 5 };
static const int sides[][2] = {{4, 4}, {16, 16}, {32, 32}, {32, 16}, {16, 32}}, block_counts[] = {1, 2, 4, 16};
static const int scales[] = {0, SCALE_32, SCALE_16};

/* Pairs that no form could mix are left out, but for one. */
static bool of_one_kind(int a, int b)
{
    bool small = a >= E4M3 && b >= E4M3, integers = a >= 5 && a < E4M3 && b >= 5 && b < E4M3;
    return a == b || small || integers || (a == 3 && b == 4);
}

typedef void seen(void *arg, const tuple *t);

static void each_shape(seen *see, void *arg, tuple t)
{
    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
        for (t.k = 1; t.k <= 128; t.k *= 2)
            for (size_t b = 0; b < 4; b++)
                for (t.sparse = 0; t.sparse < 2; t.sparse++)
                    for (size_t v = 0; v < 3; v++) {
                        t.m = sides[s][0], t.n = sides[s][1], t.blocks = block_counts[b], t.scale = scales[v];
                        see(arg, &t);
                    }
}

static void each_tuple(seen *see, void *arg, int target)
{
    tuple t = {.target = target};
    for (t.a = 0; t.a < TYPES; t.a++)
        for (t.b = 0; t.b < TYPES; t.b++)
            for (t.d = 0; of_one_kind(t.a, t.b) && t.d < SUMS; t.d++) each_shape(see, arg, t);
}

/* ---- zlay's answer ----------------------------------------------------------------------- */

static int32_t type_of(const char *name)
{
    int32_t type = -1;
    assert_int_equal(zlay_type_find(&type, name, strlen(name)), ZLAY_OK);
    return type;
}

static zlay_mma mma_of(const tuple *t)
{
    return (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = (uint32_t)t->m, .n = (uint32_t)t->n, .k = (uint32_t)t->k,
                      .blocks = (uint32_t)t->blocks, .sparse = (uint32_t)t->sparse, .scale_vec = t->scale,
                      .a = type_of(types[t->a].name), .b = type_of(types[t->b].name), .d = type_of(sums[t->d].name)};
}

static zlay_answer answer(const char *target_name, const zlay_mma *m)
{
    zlay_verdict v;
    assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of(target_name), m), ZLAY_OK);
    return v.answer;
}

/* ---- the list --------------------------------------------------------------------------- */

static const char *const listed[] = {
#define MFMA(text) text,
#include "data/mfma.def"
#undef MFMA
};
enum { LISTED = sizeof listed / sizeof *listed };

static void write_tuple(char *out, const tuple *t)
{
    sprintf(out, "%s %dx%dx%d %d %s %s %s %s%s", targets[t->target], t->m, t->n, t->k, t->blocks, types[t->a].name, types[t->b].name,
            sums[t->d].name, t->sparse ? "sparse" : "dense", t->scale == SCALE_32 ? " 32" : t->scale ? " 16" : "");
}

static int by_text(const void *a, const void *b) { return strcmp(*(const char *const *)a, *(const char *const *)b); }

typedef struct tally {
    size_t asked, yes;
} tally;

/* Sorted once, by whoever asks first. */
static bool is_listed(const char *key)
{
    static const char *sorted[LISTED];
    if (!*sorted) {
        memcpy(sorted, listed, sizeof listed);
        qsort(sorted, LISTED, sizeof *listed, by_text);
    }
    return bsearch(&key, sorted, LISTED, sizeof key, by_text) != NULL;
}

/* By default every listed tuple and one in 29 of the others. zlay is asked all of them in `make exhaustive`; the assembler, which looks
 * through all mnemonics for one like that which it refuses, one in 7 there, and all for `list` and ZLAY_EXHAUSTIVE=2. */
static bool all_asked;

static bool asked(const char *key, unsigned every)
{
    static unsigned turn;
    return all_asked || ++turn % every == 0 || is_listed(key);
}

static void as_listed_one(void *arg, const tuple *t)
{
    tally *all = arg;
    char text[96];
    write_tuple(text, t);
    if (!asked(text, test_exhaustive() ? 1 : 29)) return;
    zlay_mma m = mma_of(t);
    bool yes = answer(targets[t->target], &m) == ZLAY_YES;
    bool there = is_listed(text);
    if (yes != there) fail_msg("%s: zlay says %s, the list %s", text, yes ? "yes" : "no", there ? "yes" : "no");
    all->asked++;
    all->yes += yes;
}

static void as_listed(void **state)
{
    (void)state;
    tally all = {0, 0};
    for (int t = 0; t < TARGETS; t++) each_tuple(as_listed_one, &all, t);
    printf("%zu tuples, %zu of them legal\n", all.asked, all.yes);
    assert_int_equal(all.yes, LISTED);
}

/* ---- the assembler ------------------------------------------------------------------------ */

typedef struct text {
    FILE *file;
    int line;
    tuple *of; /* a tuple a line */
    int room;
} text;

static const char *reg(char *out, int first, int count)
{
    if (count == 1) sprintf(out, "v%d", first);
    else sprintf(out, "v[%d:%d]", first, first + count - 1);
    return out;
}

/* One line of assembly; operands have the registers that their bits fill. */
static void put_line(text *out, const tuple *t, const char *mnemonic, const char *tail, const char *index)
{
    char d[24], a[24], b[24];
    int lanes = t->target == GFX1250 ? 32 : 64, per = lanes * 32;
    int ra = t->m * t->k * t->blocks * types[t->a].bits / per / (t->sparse ? 2 : 1), rb = t->n * t->k * t->blocks * types[t->b].bits / per;
    int rd = t->m * t->n * t->blocks * sums[t->d].bits / per;
    if (!ra || !rb || !rd || ra > 16 || rb > 32 || rd > 32) return;
    fprintf(out->file, "%s %s, %s, %s, %s%s\n", mnemonic, reg(d, 0, rd), reg(a, 64, ra), reg(b, 96, rb), t->sparse ? index : d, tail);
    if (out->line == out->room) out->of = realloc(out->of, sizeof *out->of * (size_t)(out->room = 2 * out->room + MANY));
    out->of[out->line++] = *t;
}

/* 8-bit and smaller formats that the instruction is told. */
static void put_formats(text *out, const tuple *t)
{
    static const char *const words[] = {"FP8", "BF8", "FP6", "BF6", "FP4"};
    char name[64], tail[128];
    const char *scale = t->scale == SCALE_32 ? "scale_" : t->scale ? "scale16_" : "";
    int a = types[t->a].format, b = types[t->b].format;
    if (a < 0 || b < 0 || t->sparse || t->blocks > 1) return;
    const char *registers = t->scale == SCALE_32 ? ", v120, v121" : t->scale ? ", v[120:121], v[122:123]" : "";
    if (t->target == GFX1250) snprintf(tail, sizeof tail, "%s matrix_a_fmt:MATRIX_FMT_%s matrix_b_fmt:MATRIX_FMT_%s", registers, words[a], words[b]);
    else snprintf(tail, sizeof tail, "%s cbsz:%d blgp:%d", registers, a, b);
    sprintf(name, "v_%s_%s%s_%dx%dx%d_f8f6f4", t->target == GFX1250 ? "wmma" : "mfma", scale, sums[t->d].word, t->m, t->n, t->k);
    put_line(out, t, name, tail, "");
    sprintf(name, "v_wmma_%s%s_%dx%dx%d_f4", scale, sums[t->d].word, t->m, t->n, t->k);
    if (t->target == GFX1250 && t->a == E2M1 && t->b == E2M1) put_line(out, t, name, registers, "");
}

/* The formats of fp8 and bf8 are fnuz on gfx942 alone. */
static bool meant(const tuple *t, int type)
{
    bool fnuz = type > E2M1, ocp = type == E4M3 || type == E4M3 + 1;
    return !(fnuz && t->target != 1) && !(ocp && t->target < 2);
}

static void put_texts(void *arg, const tuple *t)
{
    char now[96];
    write_tuple(now, t);
    if (!asked(now, test_hours() ? 1 : test_exhaustive() ? 7 : 29)) return;
    bool wide = t->target == GFX1250;
    const char *a = wide ? types[t->a].wide : types[t->a].word, *b = wide ? types[t->b].wide : types[t->b].word;
    char name[64], shape[32], tail[8] = "";
    put_formats(arg, t);
    if (!a || !b || t->scale || !meant(t, t->a) || !meant(t, t->b)) return;
    if (!strcmp(a, "fp8") || !strcmp(a, "bf8")) sprintf(tail, "_%s", b);
    if (!*tail && strcmp(a, b)) return;
    sprintf(shape, "%s_%dx%dx%d", sums[t->d].word, t->m, t->n, t->k);
    if (wide) {
        sprintf(name, "v_%s_%s_%s%s", t->sparse ? "swmmac" : "wmma", shape, a, tail);
        if (t->blocks == 1) put_line(arg, t, name, "", "v120");
        if (t->blocks == 1 && t->sparse) put_line(arg, t, name, "", "v[120:121]");
    } else if (t->sparse) {
        sprintf(name, "v_smfmac_%s_%s%s", shape, a, tail);
        if (t->blocks == 1) put_line(arg, t, name, "", "v120");
    } else {
        sprintf(name, t->blocks > 1 ? "v_mfma_%s_%db_%s%s" : "v_mfma_%s_%.0d%s%s", shape, t->blocks > 1 ? t->blocks : 0, a, tail);
        put_line(arg, t, name, "", "");
        sprintf(name, "v_mfma_%s%s", shape, a);
        if (!*tail) put_line(arg, t, name, "", "");
        if (!strcmp(a, "bf16")) put_line(arg, t, strcat(name, "_1k"), "", "");
    }
}

static bool assembler(void) { return !system("command -v llvm-mc-22 >/dev/null 2>&1"); }

/* Marks the lines that the assembler refuses. */
static void refuse(char *bad, int lines, const char *path, const char *cpu)
{
    char command[256], answer_line[512];
    int line;
    snprintf(command, sizeof command, "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=%s -filetype=null %s 2>&1", cpu, path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    while (fgets(answer_line, sizeof answer_line, pipe)) {
        const char *at = strstr(answer_line, ".s:");
        if (at && strstr(answer_line, "error") && sscanf(at, ".s:%d:", &line) == 1 && line <= lines) bad[line - 1] = 1;
    }
    pclose(pipe);
}

/* The legal tuples of a target, each once; how many. */
static size_t assembled(char (*out)[96], int target_index)
{
    text t = {.file = NULL};
    size_t count = 0;
    char path[] = "/tmp/zlay-mfma-XXXXXX.s";
    int fd = mkstemps(path, 2);
    assert_true(fd >= 0);
    t.file = fdopen(fd, "w");
    each_tuple(put_texts, &t, target_index);
    fclose(t.file);
    char *bad = calloc((size_t)t.line + 1, 1), last[96] = "";
    refuse(bad, t.line, path, targets[target_index]);
    for (int i = 0; i < t.line; i++) {
        char now[96];
        write_tuple(now, &t.of[i]);
        if (bad[i] || !strcmp(now, last)) continue;
        strcpy(last, now);
        assert_true(count < MANY);
        strcpy(out[count++], now);
    }
    remove(path);
    free(bad);
    free(t.of);
    return count;
}

static void list_is_the_assemblers(void **state)
{
    (void)state;
    static char found[MANY][96];
    size_t count = 0;
    if (!assembler()) {
        printf("SKIPPED: no llvm-mc-22 on this machine: tests/data/mfma.def was compared with nothing\n");
        skip();
    }
    for (int t = 0; t < TARGETS; t++) {
        size_t here = assembled(found, t);
        for (size_t i = 0; i < here; i++, count++)
            if (count >= LISTED || strcmp(found[i], listed[count])) fail_msg("%s assembles, the list has %s there", found[i], count < LISTED ? listed[count] : "nothing");
    }
    assert_int_equal(count, LISTED);
}

static void print_list(void)
{
    static char found[MANY][96];
    for (int t = 0; t < TARGETS; t++)
        for (size_t i = 0, count = assembled(found, t); i < count; i++) printf("MFMA(\"%s\")\n", found[i]);
}

/* ---- modifiers, repairs, hostile values ------------------------------------------------------ */

static zlay_mma plain(void)
{
    return (zlay_mma){.instruction = ZLAY_MMA_MFMA, .m = 32, .n = 32, .k = 8, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
}

/* What llvm-mc-22 says of neg:, neg_lo: and clamp. */
static void modifiers(void **state)
{
    (void)state;
    static const struct {
        const char *target, *type, *sum;
        uint32_t m, k;
        int negates, saturates;
    } rows[] = {
        {"gfx90a", "f64", "f64", 16, 4, 0, 0},   {"gfx942", "f64", "f64", 16, 4, 1, 0},   {"gfx950", "f16", "f32", 16, 16, 0, 0},
        {"gfx1250", "f16", "f32", 16, 32, 1, 0}, {"gfx1250", "bf16", "bf16", 16, 32, 1, 0}, {"gfx1250", "f32", "f32", 16, 4, 1, 0},
        {"gfx1250", "e4m3", "f32", 16, 64, 0, 0}, {"gfx1250", "s8", "s32", 16, 64, 0, 1},  {"gfx950", "s8", "s32", 16, 64, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        zlay_mma m = {.instruction = ZLAY_MMA_MFMA, .m = rows[i].m, .n = 16, .k = rows[i].k, .a = type_of(rows[i].type), .d = type_of(rows[i].sum)};
        m.b = m.a;
        assert_int_equal(answer(rows[i].target, &m), ZLAY_YES);
        m.negate_a = 1;
        assert_int_equal(answer(rows[i].target, &m), rows[i].negates ? ZLAY_YES : ZLAY_NO);
        m.negate_a = 0, m.negate_b = 1;
        assert_int_equal(answer(rows[i].target, &m), rows[i].negates ? ZLAY_YES : ZLAY_NO);
        m.negate_b = 0, m.saturate = 1;
        assert_int_equal(answer(rows[i].target, &m), rows[i].saturates ? ZLAY_YES : ZLAY_NO);
    }
}

/* K = 32 takes four instructions of K = 8 on gfx942; rules say where they do not hold. */
static void repairs(void **state)
{
    (void)state;
    zlay_verdict v;
    zlay_reason reasons[REASONS];
    zlay_mma m = plain();
    m.k = 32;
    assert_int_equal(zlay_mma_check(&v, reasons, REASONS, target_of("gfx942"), &m), ZLAY_OK);
    assert_int_equal(v.broken, 1);
    const zlay_reason *r = reason_of(reasons, &v, rule_number("MFMA_K"), -2);
    assert_true(r && r->value == 32 && r->lo == 8 && r->fix_value == 8 && r->fix_split == 4 && r->fix_keeps == ZLAY_KEEPS_ALL);
    m = plain();
    m.m = m.n = m.k = 4;
    assert_int_equal(answer("gfx942", &m), ZLAY_YES);
    m.blocks = 16;
    assert_int_equal(answer("gfx942", &m), ZLAY_YES);
    m.blocks = 1;
    assert_int_equal(answer("gfx942", &m), ZLAY_NO);
    m = plain();
    m.blocks = 2;
    assert_int_equal(zlay_mma_check(&v, reasons, REASONS, target_of("gfx950"), &m), ZLAY_OK);
    assert_true(reasons[0].rule == rule_number("MFMA_K") || reasons[0].rule == rule_number("MFMA_BLOCKS"));
    m = plain();
    assert_int_equal(zlay_mma_check(&v, reasons, REASONS, target_of("sm_90a"), &m), ZLAY_OK);
    assert_true(v.answer == ZLAY_NO && reason_of(reasons, &v, rule_number("MFMA_TARGET"), -2));
}

/* Any value of any field has a verdict, and a field of another family is NO. */
static void hostile(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/matrix/mfma");
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        zlay_mma m = plain();
        int32_t *word = (int32_t *)(void *)&m + test_range(&s, 1, (int64_t)(offsetof(zlay_mma, reserved) / 4) - 1);
        int32_t before = *word;
        *word = (int32_t)test_random(&s);
        if (test_range(&s, 0, 3) == 0) *word = (int32_t)test_range(&s, -2, 70);
        bool same = *word == before || word == &m.a_source || (word == (int32_t *)(void *)&m.blocks && *word == 1) ||
                    (word == (int32_t *)(void *)&m.cta_group && *word == 1) || (word == (int32_t *)(void *)&m.strict && *word == 1) ||
                    (word == (int32_t *)(void *)&m.m && *word == 32) || (word == (int32_t *)(void *)&m.k && (*word == 8 || *word == 4));
        zlay_answer got = answer("gfx942", &m);
        if (!same) assert_int_equal(got, ZLAY_NO);
    }
    zlay_mma m = plain();
    assert_int_equal(answer("gfx942", &m), ZLAY_YES);
    m.a_source = ZLAY_SOURCE_TMEM;
    assert_int_equal(answer("gfx942", &m), ZLAY_NO);
}

int main(int argc, char **argv)
{
    (void)argv;
    all_asked = argc > 1;
    if (all_asked) return print_list(), 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_listed), cmocka_unit_test(list_is_the_assemblers), cmocka_unit_test(modifiers),
        cmocka_unit_test(repairs),   cmocka_unit_test(hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
