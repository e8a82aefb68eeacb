/* SPDX-License-Identifier: Apache-2.0 */
/* wgmma against ptxas, where a CUDA toolkit is found: every legal instruction assembles (of N one value, under ZLAY_EXHAUSTIVE=1
 * every third, under 2 all), and of instructions with one to three fields disturbed each is refused that mma.check refuses.
 * ptxas names every line that it refuses, so a file asks hundreds. */
#define _POSIX_C_SOURCE 200809L
#include "legality.h"

#include <unistd.h>

enum { LINES = 400, PATH = 256, HEAD = 4, KINDS = 8, LEGAL_MOST = 20000 };

static char folder[PATH];

typedef struct question {
    zlay_mma mma;
    const char *target;
} question;

/* ---- ptxas ------------------------------------------------------------------------ */

/* A toolkit's ptxas on the PATH or in the place where the toolkit installs itself. */
static bool found(void)
{
    return !system("command -v ptxas >/dev/null 2>&1 || test -x /usr/local/cuda/bin/ptxas");
}

static uint32_t sums(const zlay_mma *m)
{
    uint32_t count = m->d == ZLAY_TYPE_F16 ? m->n / 4 : m->n / 2;
    return count ? count : 1;
}

static bool integer(const zlay_mma *m) { return m->d == ZLAY_TYPE_S32; }

static bool half(const zlay_mma *m) { return m->a == ZLAY_TYPE_F16 || m->a == ZLAY_TYPE_BF16; }

/* Immediates: 1, or -1 where 1 asks for it; what is above 1 stands as it is. */
static int scale(uint32_t negate) { return negate == 0 ? 1 : negate == 1 ? -1 : (int)negate; }

static void put_operands(FILE *to, const zlay_mma *m)
{
    const char *bank = integer(m) || m->d == ZLAY_TYPE_F16 ? "r" : "f";
    bool reg = m->a_source == ZLAY_SOURCE_REG;
    bool trans = half(m) || m->a_major || m->b_major;
    fputs(" {", to);
    for (uint32_t i = 0; i < sums(m); i++) fprintf(to, "%s%s%u", i ? "," : "", bank, i);
    fprintf(to, reg ? "}, {r500,r501,r502,r503}, d1" : "}, d0, d1");
    if (m->sparse) fprintf(to, ", r510, %u", m->selector);
    fputs(", p0", to);
    if (!integer(m) || m->negate_a || m->negate_b)
        fprintf(to, ", %d, %d", scale(m->negate_a), scale(m->negate_b));
    if (trans && (!reg || m->a_major)) fprintf(to, ", %d", m->a_major);
    if (trans) fprintf(to, ", %d", m->b_major);
    fputs("; ret; }\n", to);
}

static void put_instruction(FILE *to, const zlay_mma *m)
{
    bool bits = m->a == ZLAY_TYPE_B1 || m->bit_op;
    fprintf(to, "wgmma.mma_async%s.sync.aligned.m%un%uk%u.%s.%s.%s%s%s", m->sparse ? ".sp" : "",
            m->m, m->n, m->k, zlay_type_name(m->d), zlay_type_name(m->a), zlay_type_name(m->b),
            bits ? m->bit_op ? ".xor.popc" : ".and.popc" : "", m->saturate ? ".satfinite" : "");
    put_operands(to, m);
}

/* Which of the instructions are refused: refused[i] of instruction i. */
static void assemble(const question *q, size_t count, uint32_t ptx, bool *refused)
{
    char path[2 * PATH], command[6 * PATH], line[512];
    unsigned at;
    snprintf(path, sizeof path, "%s/q.ptx", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, ".version %u.%u\n.target %s\n.address_size 64\n", ptx / 10, ptx % 10, q->target);
    for (size_t i = 0; i < count; i++) {
        fprintf(file,
                ".visible .entry k%zu() { .reg .pred p0; .reg .b64 d<2>; .reg .f32 f<300>; "
                ".reg .b32 r<520>; ",
                i);
        put_instruction(file, &q[i].mma);
    }
    assert_int_equal(fclose(file), 0);
    snprintf(
        command, sizeof command,
        "cd '%s' && PATH=\"$PATH:/usr/local/cuda/bin\" ptxas -O0 -arch=%s -o q.cubin q.ptx 2>&1",
        folder, q->target);
    FILE *says = popen(command, "r");
    assert_non_null(says);
    memset(refused, 0, count * sizeof *refused);
    while (fgets(line, sizeof line, says)) {
        const char *where = strstr(line, ", line ");
        if (!strstr(line, "error") || !where || sscanf(where, ", line %u;", &at) != 1) continue;
        assert_in_range(at, HEAD, HEAD + count - 1);
        refused[at - HEAD] = true;
    }
    bool whole = pclose(says) == 0, none = true;
    for (size_t i = 0; i < count; i++) none &= !refused[i];
    assert_int_equal(whole, none);
}

static bool legal(const question *q)
{
    zlay_verdict v;
    assert_int_equal(zlay_mma_check(&v, NULL, 0, target_of(q->target), &q->mma), ZLAY_OK);
    return v.answer == ZLAY_YES;
}

static void compare(const question *q, size_t count, uint32_t ptx)
{
    static bool refused[LINES];
    assemble(q, count, ptx, refused);
    for (size_t i = 0; i < count; i++)
        if (refused[i] == legal(&q[i])) {
            fprintf(stderr, "# %s: ", q[i].target);
            put_instruction(stderr, &q[i].mma);
            fail_msg("ptxas %s it, and mma.check does not", refused[i] ? "refuses" : "takes");
        }
}

/* ---- what is asked ------------------------------------------------------------------- */

static const int32_t kinds[KINDS] = {ZLAY_TYPE_F16,  ZLAY_TYPE_BF16, ZLAY_TYPE_TF32, ZLAY_TYPE_E4M3,
                                     ZLAY_TYPE_E5M2, ZLAY_TYPE_S8,   ZLAY_TYPE_U8,   ZLAY_TYPE_B1};

static bool pairs(int32_t a, int32_t b)
{
    bool eights = (a == ZLAY_TYPE_E4M3 || a == ZLAY_TYPE_E5M2) &&
                  (b == ZLAY_TYPE_E4M3 || b == ZLAY_TYPE_E5M2);
    bool bytes =
        (a == ZLAY_TYPE_S8 || a == ZLAY_TYPE_U8) && (b == ZLAY_TYPE_S8 || b == ZLAY_TYPE_U8);
    return a == b || eights || bytes;
}

static question question_of(int32_t a, int32_t b, int32_t d, uint32_t n, uint32_t sparse)
{
    question q = {.target = "sm_90a"};
    q.mma = (zlay_mma){.m = 64, .n = n, .a = a, .b = b, .d = d, .sparse = sparse};
    q.mma.k = (256 / zlay_type_bits(a)) << sparse;
    return q;
}

/* The tables of the PTX ISA: accumulators, then N. */
static size_t with_modifiers(question *out, question q)
{
    size_t count = 0;
    bool ints = integer(&q.mma), bits = q.mma.a == ZLAY_TYPE_B1, wide = half(&q.mma);
    bool two = q.mma.sparse && zlay_type_bits(q.mma.a) > 8;
    for (uint32_t i = 0; i < 128; i++) {
        zlay_mma *m = &q.mma;
        m->a_source = i & 1 ? ZLAY_SOURCE_REG : ZLAY_SOURCE_SMEM;
        m->a_major = i >> 1 & 1, m->b_major = i >> 2 & 1;
        m->negate_a = i >> 3 & 1, m->negate_b = i >> 4 & 1;
        m->saturate = i >> 5 & 1, m->selector = i >> 6 & 1;
        if ((m->a_major || m->b_major) && !wide) continue;
        if (m->a_major && m->a_source) continue;
        if ((m->negate_a || m->negate_b) && ints) continue;
        if (m->saturate && (!ints || bits)) continue;
        if (m->selector && !two) continue;
        out[count++] = q;
    }
    return count;
}

static size_t legal_all(question *out, uint32_t step, uint32_t most)
{
    static const int32_t sum[] = {ZLAY_TYPE_F16, ZLAY_TYPE_F32, ZLAY_TYPE_S32};
    size_t count = 0;
    for (uint32_t i = 0; i < KINDS * KINDS * 3 * 2; i++) {
        int32_t a = kinds[i % KINDS], b = kinds[i / KINDS % KINDS], d = sum[i / 64 % 3];
        bool ints = zlay_type_bits(a) == 1 || a == ZLAY_TYPE_S8 || a == ZLAY_TYPE_U8;
        bool narrow = a == ZLAY_TYPE_F16 || a == ZLAY_TYPE_E4M3 || a == ZLAY_TYPE_E5M2;
        uint32_t sparse = i / 192;
        if (!pairs(a, b) || ints != (d == ZLAY_TYPE_S32) || (d == ZLAY_TYPE_F16 && !narrow))
            continue;
        if (sparse && a == ZLAY_TYPE_B1) continue;
        for (uint32_t n = 8; n <= most; n += 8 * step)
            if (!ints || n <= 32 || n % 16 == 0)
                count += with_modifiers(out + count, question_of(a, b, d, n, sparse));
    }
    return count;
}

static void every_legal_instruction_assembles(void **state)
{
    (void)state;
    if (!found()) skip();
    question *q = calloc(LEGAL_MOST, sizeof *q);
    size_t count = legal_all(q, test_hours() ? 1 : 3, test_exhaustive() ? 256 : 8);
    assert_true(count > 200 && count < LEGAL_MOST);
    for (size_t i = 0; i < count; i++) assert_true(legal(&q[i]));
    for (size_t i = 0; i < count; i += LINES)
        compare(q + i, count - i < LINES ? count - i : LINES, 90);
    free(q);
}

/* ---- neighbours ------------------------------------------------------------------------ */

static uint32_t one_of(uint64_t *s, const uint32_t *list, uint64_t count)
{
    return list[test_range(s, 0, (int64_t)count - 1)];
}

static int32_t type_draw(uint64_t *s)
{
    static const int32_t others[] = {ZLAY_TYPE_F32, ZLAY_TYPE_S32, ZLAY_TYPE_F64, ZLAY_TYPE_E2M1};
    return test_range(s, 0, 9) ? kinds[test_range(s, 0, KINDS - 1)] : others[test_range(s, 0, 3)];
}

static void disturb(question *q, uint64_t *s)
{
    static const uint32_t n[] = {4, 12, 20, 36, 40, 56, 72, 88, 104, 120, 232, 248, 260, 264, 512};
    static const uint32_t k[] = {4, 8, 16, 32, 64, 128, 256, 512};
    static const uint32_t m[] = {8, 16, 32, 128, 256};
    zlay_mma *x = &q->mma;
    switch (test_range(s, 0, 12)) {
    case 0: x->m = one_of(s, m, 5); return;
    case 1:
    case 2: x->n = one_of(s, n, 15); return;
    case 3: x->k = one_of(s, k, 8); return;
    case 4: x->a = type_draw(s); return;
    case 5: x->b = type_draw(s); return;
    case 6: x->d = type_draw(s); return;
    case 7: x->a_major = (int32_t)test_range(s, 0, 2); return;
    case 8: x->b_major = (int32_t)test_range(s, 0, 2); return;
    case 9: x->selector = x->sparse ? (uint32_t)test_range(s, 0, 3) : 0; return;
    case 10:
        *(test_range(s, 0, 1) ? &x->negate_a : &x->negate_b) = (uint32_t)test_range(s, 1, 2);
        return;
    case 11: x->saturate ^= 1; return;
    default: x->bit_op ^= 1; return;
    }
}

/* ptxas goes on after an error, so refused ones may stand together; a taken one stands with its
 * like. */
static void neighbours_are_told_apart(void **state)
{
    (void)state;
    if (!found()) skip();
    uint64_t s = test_seed("oracle/mma"), asked = 0, rounds = test_hours() ? 100 : test_exhaustive() ? 25 : 6;
    static question no[LINES], yes[LINES];
    size_t count, refused = 0, taken = 0;
    question *q = calloc(LEGAL_MOST, sizeof *q);
    count = legal_all(q, 1, test_exhaustive() ? 256 : 48);
    while (asked < rounds) {
        question x = q[test_range(&s, 0, (int64_t)count - 1)];
        for (int64_t i = test_range(&s, 1, 3); i > 0; i--) disturb(&x, &s);
        if (legal(&x)) yes[taken++] = x;
        else no[refused++] = x;
        if (refused == LINES) compare(no, refused, 90), refused = 0, asked++;
        if (taken == LINES) compare(yes, taken, 90), taken = 0;
    }
    if (taken) compare(yes, taken, 90);
    free(q);
}

/* Each form on other targets, and in each version of PTX on its own. */
static void targets_and_versions(void **state)
{
    (void)state;
    if (!found()) skip();
    static const char *const others[] = {"sm_80",   "sm_90",   "sm_100a",
                                         "sm_103a", "sm_110a", "sm_120a"};
    static const uint32_t versions[] = {80, 81, 82, 83, 84, 85, 90};
    question *q = calloc(LEGAL_MOST, sizeof *q), *few = calloc(LINES, sizeof *q);
    size_t count = legal_all(q, 1, 8), kept = 0;
    for (size_t i = 0; i < count; i++) {
        const zlay_mma *m = &q[i].mma;
        bool plain = !m->a_source && !m->a_major && !m->b_major && !m->negate_a && !m->negate_b;
        if (plain && !m->saturate && !m->selector && kept < LINES) few[kept++] = q[i];
    }
    assert_true(kept > 30);
    for (size_t t = 0; t < sizeof others / sizeof *others; t++) {
        for (size_t i = 0; i < kept; i++) few[i].target = others[t];
        compare(few, kept, 90);
    }
    for (size_t v = 0; v < sizeof versions / sizeof *versions; v++) {
        for (size_t i = 0; i < kept; i++) few[i].target = "sm_90a", few[i].mma.ptx = versions[v];
        compare(few, kept, versions[v]);
    }
    free(q);
    free(few);
}

static int folder_make(void **state)
{
    (void)state;
    const char *under = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/zlay-mma-XXXXXX", under && *under ? under : "/tmp");
    return !mkdtemp(folder);
}

static int folder_remove(void **state)
{
    (void)state;
    char command[2 * PATH];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_legal_instruction_assembles),
        cmocka_unit_test(neighbours_are_told_apart),
        cmocka_unit_test(targets_and_versions),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
