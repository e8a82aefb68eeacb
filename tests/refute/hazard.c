/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE
/* Refuter of zlay_hazard_states: random straight programs of two to seven instructions of a wave, whose registers overlap in any way,
 * go through LLVM 22's hazard recognizer.  Each instruction here says which registers it reads and writes and in which way; every pair
 * of a program is asked about by what the two share, and less the instructions and wait states between them the most that any pair
 * owes has to be what LLVM put before the second.  LLVM's search for matrix instructions stops at the last one that wrote some of an
 * operand: where an older one owes more, ours may be more; it is never less.  Without XNACK: clauses that may be replayed are broken by
 * wait states too, which are none of these. */
#include "legality.h"

#include <unistd.h>

enum { GFX = 3, MOST = 7, PARTS = 5, CHUNK = 2500, LINE = 2048, VGPRS = 48, VCC = 100, EXEC = 101, M0 = 102, FIXED = 150, LOOKS_BACK = 19 };
static const char *const targets[GFX] = {"gfx90a", "gfx942", "gfx950"};

/* ---- instructions ------------------------------------------------------------------------------------------------------------ */

/* What is done with a run of registers. */
enum { WRITES = 1, READS, READS_C, STORES };

typedef struct part {
    char sort; /* 'v' vector, 's' scalar, 'x' VCC, EXEC or M0 by `fixed`; 0: the last */
    int does;
    int count;
    uint32_t then; /* as the second, with what it does so */
    int fixed;
} part;

/* The text has %d where its parts stand, from %0 on. */
typedef struct op {
    uint32_t on, passes[GFX], wrote, meets; /* wrote: the first's bits; meets: whatever it shares */
    const char *text;
    part parts[PARTS];
} op;

#define D(n)    {'v', WRITES, n, ZLAY_THEN_MATRIX_WRITES, 0}
#define A(n)    {'v', READS, n, ZLAY_THEN_MATRIX_AB, 0}
#define C(n)    {'v', READS_C, n, ZLAY_THEN_MATRIX_C, 0}
#define C32(n)  {'v', READS_C, n, ZLAY_THEN_MATRIX_C_F32, 0}
#define C64(n)  {'v', READS_C, n, ZLAY_THEN_MATRIX_C_F64, 0}
#define VD(n)   {'v', WRITES, n, ZLAY_THEN_VALU_WRITES, 0}
#define VR(n)   {'v', READS, n, ZLAY_THEN_VALU_READS, 0}
#define MEM(n)  {'v', READS, n, ZLAY_THEN_MEMORY, 0}
#define WIDE(n) {'v', STORES, n, ZLAY_THEN_MEMORY, 0}
#define LOAD(n) {'v', WRITES, n, ZLAY_THEN_LOAD_WRITES, 0}
#define MFMA(on, p0, p1, p2, kind, name, d, a, c) \
    {on, {p0, p1, p2}, ZLAY_FIRST_##kind, ZLAY_THEN_MATRIX, "%0 = V_MFMA_" name "_vgprcd_e64 %1, %2, %3, 0, 0, 0, implicit $mode, implicit $exec", {D(d), A(a), A(a), c(d)}}

static const op ops[] = {
    MFMA(7, 2, 2, 2, MATRIX, "F32_4X4X4F16", 4, 2, C),
    MFMA(7, 8, 4, 4, MATRIX, "F32_16X16X16F16", 4, 2, C),
    MFMA(7, 16, 8, 8, MATRIX, "F32_32X32X8F16", 16, 2, C),
    MFMA(7, 16, 16, 16, MATRIX, "F32_32X32X4F16", 32, 2, C),
    MFMA(7, 8, 8, 8, MATRIX, "F32_16X16X4F16", 16, 2, C),
    MFMA(7, 2, 2, 2, MATRIX_F32, "F32_4X4X1F32", 4, 1, C32),
    MFMA(7, 8, 8, 8, MATRIX_F32, "F32_16X16X4F32", 4, 1, C32),
    MFMA(7, 16, 16, 16, MATRIX_F32, "F32_32X32X2F32", 16, 1, C32),
    MFMA(1, 8, 0, 0, MATRIX, "I32_16X16X16I8", 4, 1, C),
    MFMA(6, 0, 4, 4, MATRIX, "I32_16X16X32I8", 4, 2, C),
    MFMA(2, 0, 8, 0, MATRIX, "F32_32X32X4XF32", 16, 2, C),
    MFMA(6, 0, 8, 8, MATRIX, "F32_32X32X16_FP8_FP8", 16, 2, C),
    MFMA(7, 0, 0, 0, MATRIX_F64_4, "F64_4X4X4F64", 2, 2, C64),
    MFMA(7, 0, 0, 0, MATRIX_F64_16, "F64_16X16X4F64", 8, 2, C64),
    MFMA(4, 0, 0, 4, MATRIX, "F32_16X16X32_F16", 4, 4, C),
    MFMA(4, 0, 0, 8, MATRIX, "F32_32X32X16_F16", 16, 4, C),
    {7, {0}, ZLAY_FIRST_VALU, 0, "%0 = V_MOV_B32_e32 %1, implicit $exec", {VD(1), VR(1)}},
    {7, {0}, ZLAY_FIRST_VALU, 0, "%0 = V_ADD_F32_e32 %1, %2, implicit $mode, implicit $exec", {VD(1), VR(1), VR(1)}},
    {7, {0}, ZLAY_FIRST_VALU, 0, "%0 = V_LSHLREV_B64_e64 1, %1, implicit $exec", {VD(2), VR(2)}},
    {7, {0}, ZLAY_FIRST_VALU | ZLAY_FIRST_TRANS, 0, "%0 = V_RCP_F32_e32 %1, implicit $mode, implicit $exec", {VD(1), {'v', READS, 1, ZLAY_THEN_TRANS_READS, 0}}},
    {7, {0}, ZLAY_FIRST_DOT, 0, "%0 = V_DOT4_I32_I8 0, $vgpr171, 0, $vgpr172, 0, $vgpr173, 0, 0, 0, implicit $exec", {VD(1)}},
    {7, {0}, ZLAY_FIRST_VALU_SGPR, 0, "%0 = V_READFIRSTLANE_B32 %1, implicit $exec", {{'s', WRITES, 1, 0, 0}, {'v', READS, 1, ZLAY_THEN_VALU_READS | ZLAY_THEN_LANE_READS, 0}}},
    {7, {0}, ZLAY_FIRST_VALU_SGPR, 0, "%0 = V_READLANE_B32 %1, %2", {{'s', WRITES, 1, 0, 0}, {'v', READS, 1, ZLAY_THEN_VALU_READS | ZLAY_THEN_LANE_READS, 0}, {'s', READS, 1, ZLAY_THEN_LANE_SELECT, 0}}},
    {7, {0}, ZLAY_FIRST_VALU_SGPR, 0, "%0 = V_CMP_EQ_U32_e64 %1, %2, implicit $exec", {{'s', WRITES, 2, 0, 0}, VR(1), VR(1)}},
    {7, {0}, ZLAY_FIRST_VALU_SGPR, 0, "V_CMP_EQ_U32_e32 %1, %2, implicit-def $vcc, implicit $exec", {{'x', WRITES, 1, 0, VCC}, VR(1), VR(1)}},
    {7, {0}, ZLAY_FIRST_VALU_SGPR | ZLAY_FIRST_VALU_EXEC, 0, "V_CMPX_EQ_U32_e32 %2, %3, implicit-def $vcc, implicit-def $exec, implicit $exec",
     {{'x', WRITES, 1, 0, VCC}, {'x', WRITES, 1, 0, EXEC}, VR(1), VR(1)}},
    {7, {0}, 0, 0, "%0 = S_MOV_B32 1", {{'s', WRITES, 1, 0, 0}}},
    {7, {0}, ZLAY_FIRST_SALU_M0, 0, "$m0 = S_MOV_B32 1", {{'x', WRITES, 1, 0, M0}}},
    {7, {0}, 0, 0, "S_BARRIER", {{0}}},
    {7, {0}, ZLAY_FIRST_STORE_WIDE, ZLAY_THEN_VMEM, "GLOBAL_STORE_DWORDX4 %0, %1, 0, 0, implicit $exec", {MEM(2), WIDE(4)}},
    {7, {0}, ZLAY_FIRST_STORE_WIDE, ZLAY_THEN_VMEM, "GLOBAL_STORE_DWORDX3 %0, %1, 0, 0, implicit $exec", {MEM(2), WIDE(3)}},
    {7, {0}, 0, ZLAY_THEN_VMEM, "GLOBAL_STORE_DWORD %0, %1, 0, 0, implicit $exec", {MEM(2), MEM(1)}},
    {7, {0}, 0, ZLAY_THEN_VMEM, "BUFFER_STORE_DWORDX4_OFFEN %0, %1, %2, %3, 0, 0, 0, implicit $exec",
     {MEM(4), MEM(1), {'s', READS, 4, ZLAY_THEN_MEMORY_SGPR, 0}, {'s', READS, 1, ZLAY_THEN_MEMORY_SGPR, 0}}},
    {7, {0}, 0, ZLAY_THEN_VMEM, "%0 = GLOBAL_LOAD_DWORDX4 %1, 0, 0, implicit $exec", {LOAD(4), MEM(2)}},
    {7, {0}, 0, ZLAY_THEN_VMEM, "%0 = GLOBAL_LOAD_DWORD_SADDR %1, %2, 0, 0, implicit $exec", {LOAD(1), {'s', READS, 2, ZLAY_THEN_MEMORY_SGPR, 0}, MEM(1)}},
    {7, {0}, 0, 0, "DS_WRITE_B128_gfx9 %0, %1, 0, 0, implicit $exec", {MEM(1), MEM(4)}},
    {7, {0}, 0, 0, "%0 = DS_READ_B32_gfx9 %1, 0, 0, implicit $exec", {LOAD(1), MEM(1)}},
    {7, {0}, 0, ZLAY_THEN_VMEM, "BUFFER_LOAD_DWORD_LDS_OFFEN %0, %1, 0, 0, 0, 0, implicit $exec, implicit $m0",
     {{'v', READS, 1, ZLAY_THEN_MEMORY | ZLAY_THEN_VALU_READS, 0}, {'s', READS, 4, ZLAY_THEN_MEMORY_SGPR, 0}, {'x', READS, 1, ZLAY_THEN_M0, M0}}},
    {7, {0}, ZLAY_FIRST_VALU, 0, "%0 = V_MOV_B32_e32 %1, implicit $exec", {VD(1), {'s', READS, 1, ZLAY_THEN_VALU_SGPR, 0}}},
    {7, {0}, ZLAY_FIRST_VALU, 0, "%0 = V_CNDMASK_B32_e32 %1, %2, implicit $vcc, implicit $exec", {VD(1), VR(1), VR(1), {'x', READS, 1, ZLAY_THEN_VALU_SGPR, VCC}}},
    {7, {0}, ZLAY_FIRST_VALU, 0, "%0 = V_DIV_FMAS_F32_e64 0, %1, 0, %2, 0, $vgpr152, 0, 0, implicit $vcc, implicit $mode, implicit $exec",
     {VD(1), VR(1), VR(1), {'x', READS, 1, ZLAY_THEN_DIV_FMAS | ZLAY_THEN_VALU_SGPR, VCC}}},
};
enum { OPS = sizeof ops / sizeof *ops, MATRICES = 16 };

/* ---- programs ---------------------------------------------------------------------------------------------------------------- */

typedef struct line {
    const op *op;
    int at[PARTS]; /* the first register of each part */
} line;

typedef struct program {
    uint32_t where;
    int count;
    line lines[MOST];
} program;

/* Registers of the vector file: the first 48, in runs that begin at even ones, most of them near those of others. */
static int draw_at(uint64_t *seed, const part *p)
{
    if (p->sort == 'x') return p->fixed;
    if (p->sort == 's') return (int)test_range(seed, 0, 3) / (p->count == 4 ? 4 : p->count) * p->count;
    int at = (int)test_range(seed, 0, test_range(seed, 0, 1) ? 7 : VGPRS - 1);
    if (p->count > 1) at &= ~1;
    return at + p->count > VGPRS ? 0 : at;
}

static void draw(uint64_t *seed, program *p, uint32_t where)
{
    p->where = where;
    p->count = (int)test_range(seed, 2, MOST);
    for (int n = 0; n < p->count; n++) {
        line *l = &p->lines[n];
        do l->op = &ops[test_range(seed, 0, test_range(seed, 0, 2) ? OPS - 1 : MATRICES - 1)];
        while (!(l->op->on >> where & 1));
        for (int k = 0; k < PARTS && l->op->parts[k].sort; k++) {
            l->at[k] = draw_at(seed, &l->op->parts[k]);
            /* sums go on in place more often than not */
            if (l->op->parts[k].does == READS_C && test_range(seed, 0, 2)) l->at[k] = l->at[0];
            /* and begin with what an instruction before wrote */
            if (l->op->parts[k].does == WRITES && n && l->op < ops + MATRICES && p->lines[n - 1].op < ops + MATRICES && test_range(seed, 0, 1))
                l->at[k] = p->lines[n - 1].at[0] + l->op->parts[k].count > VGPRS ? 0 : p->lines[n - 1].at[0];
        }
    }
}

static size_t put_registers(char *to, size_t room, const part *p, int at)
{
    size_t n = 0;
    for (int k = 0; k < p->count; k++) n += (size_t)snprintf(to + n, room - n, "%s%cgpr%d", k ? "_" : "$", p->sort, at + k);
    return n;
}

static void put_line(char *to, size_t room, const line *l)
{
    size_t n = 0;
    for (const char *t = l->op->text; *t; t++) {
        if (*t == '%') t++, n += put_registers(to + n, room - n, &l->op->parts[*t - '0'], l->at[*t - '0']);
        else if (n + 1 < room) to[n++] = *t;
    }
    to[n] = '\0';
}

/* ---- what is owed ------------------------------------------------------------------------------------------------------------ */

static bool overlap(const line *a, int i, const line *b, int j)
{
    const part *p = &a->op->parts[i], *q = &b->op->parts[j];
    return p->sort == q->sort && a->at[i] < b->at[j] + q->count && b->at[j] < a->at[i] + p->count;
}

static int states(uint32_t where, const line *a, uint32_t first, uint32_t then)
{
    uint32_t out = 0, passes = first & (ZLAY_FIRST_MATRIX | ZLAY_FIRST_MATRIX_F32) ? a->op->passes[where] : 0;
    zlay_hazard h = {first, then, passes, 0};
    if (!first || !then) return 0;
    assert_int_equal(zlay_hazard_states(&out, target_of(targets[where]), &h), ZLAY_OK);
    return (int)out;
}

/* What the second does with one run of registers of the first. */
static uint32_t meets(const line *a, int i, const line *b, int j)
{
    const part *p = &a->op->parts[i], *q = &b->op->parts[j];
    bool same = a->at[i] == b->at[j] && p->count == q->count;
    if (!overlap(a, i, b, j)) return 0;
    if (p->does == WRITES) return q->does == READS_C && same ? ZLAY_THEN_MATRIX_SAME : q->then;
    if (q->does != WRITES) return 0;
    if (p->does == READS_C) return q->then & (ZLAY_THEN_VALU_WRITES | ZLAY_THEN_LOAD_WRITES) ? ZLAY_THEN_OVERWRITES_C : 0;
    return p->does == STORES ? q->then & ~(uint32_t)ZLAY_THEN_LOAD_WRITES : 0;
}

/* What the second does that needs EXEC. */
static uint32_t uses_exec(const line *b)
{
    uint32_t does = b->op->meets;
    for (int j = 0; j < PARTS; j++) does |= b->op->parts[j].then & ZLAY_THEN_LANE_READS;
    return does;
}

/* Whether LLVM does not find part i of the first from part j of the second: it looks back 19 states, and for matrix instructions no
 * further than the last that wrote, or read as C, some of the same registers. */
static bool hidden(const program *p, int a, int i, int b, int j, int between)
{
    bool is = between >= LOOKS_BACK;
    if (p->lines[a].op >= ops + MATRICES) return is;
    for (int k = a + 1; k < b; k++) is |= p->lines[k].op < ops + MATRICES && overlap(&p->lines[k], i, &p->lines[b], j);
    return is;
}

/* Whether a matrix instruction of f64 stands between two. */
static bool f64_between(const program *p, int a, int b)
{
    bool is = false;
    for (int k = a + 1; k < b; k++) is |= (p->lines[k].op->wrote & (ZLAY_FIRST_MATRIX_F64_4 | ZLAY_FIRST_MATRIX_F64_16)) != 0;
    return is;
}

/* On gfx950 a load to LDS reads its address as a vector instruction does, too; behind a sum of f64 LLVM takes it as memory alone (isa/hazard). */
static uint32_t as_llvm(uint32_t first, uint32_t then, const op *second)
{
    bool lds = first == ZLAY_FIRST_MATRIX_F64_16 && then & ZLAY_THEN_VALU_READS && second->meets & ZLAY_THEN_VMEM;
    return lds ? then & ~(uint32_t)ZLAY_THEN_VALU_READS : then;
}

/* Wait states that part i of the first owes; `plain`: where LLVM looks for it. */
static int owed_for(const program *p, int a, int b, int i, int between, bool plain)
{
    const line *x = &p->lines[a], *y = &p->lines[b];
    const part *own = &x->op->parts[i];
    uint32_t first = x->op->wrote;
    if (own->fixed == EXEC) return states(p->where, x, first & ZLAY_FIRST_VALU_EXEC, uses_exec(y));
    if (own->sort != 'v') first &= ZLAY_FIRST_VALU_SGPR | ZLAY_FIRST_SALU_M0;
    int most = 0;
    for (int j = 0; j < PARTS && y->op->parts[j].sort; j++) {
        uint32_t then = meets(x, i, y, j);
        if (then & ZLAY_THEN_MEMORY && f64_between(p, a, b)) then |= ZLAY_THEN_MEMORY_F64;
        if (first == ZLAY_FIRST_DOT && x->op == y->op) then = 0;
        if (plain && hidden(p, a, i, b, j, between)) continue;
        int one = states(p->where, x, first, plain ? as_llvm(first, then, y->op) : then);
        if (one > most) most = one;
    }
    return most;
}

/* Less the states between them. */
static int owed(const program *p, int a, int b, int between, bool plain)
{
    int most = 0;
    for (int i = 0; i < PARTS && p->lines[a].op->parts[i].sort; i++) {
        int one = owed_for(p, a, b, i, between, plain);
        if (one > most) most = one;
    }
    return most - between;
}

/* ---- LLVM -------------------------------------------------------------------------------------------------------------------- */

static program programs[CHUNK];
static int inserted[CHUNK][MOST + 1];

static void write_programs(FILE *file, int count)
{
    char text[LINE];
    for (int n = 0; n < count; n++) {
        fprintf(file, "---\nname: p%d\nbody: |\n  bb.0:\n", n);
        for (int k = 0; k < programs[n].count; k++) {
            put_line(text, sizeof text, &programs[n].lines[k]);
            fprintf(file, "    %s\n", text);
        }
        fputs("    S_ENDPGM 0\n...\n", file);
    }
}

/* Wait states before each instruction; those of the body are lines that begin with four blanks. */
static void read_programs(FILE *pipe, int count)
{
    static char text[4 * LINE];
    int now = -1, at = -1, nop;
    while (fgets(text, sizeof text, pipe)) {
        if (sscanf(text, "name: p%d", &now) == 1) at = -1;
        if (!strncmp(text, "  bb.0", 6)) at = 0;
        if (now < 0 || now >= count || at < 0 || strncmp(text, "    ", 4) || strspn(text, " \n") == strlen(text)) continue;
        assert_true(at <= programs[now].count);
        if (sscanf(text, " S_NOP %d", &nop) == 1) inserted[now][at] += nop + 1;
        else if (!strstr(text, "S_ENDPGM")) at++;
        else assert_int_equal(at, programs[now].count);
    }
}

static void recognize(uint32_t where, int count)
{
    char path[] = "/tmp/zlay-hazard-XXXXXX.mir", command[256];
    int fd = mkstemps(path, 4);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    write_programs(file, count);
    fclose(file);
    memset(inserted, 0, sizeof inserted);
    snprintf(command, sizeof command, "llc-22 -march=amdgcn -mcpu=%s -mattr=-xnack -run-pass=post-RA-hazard-rec %s -o -", targets[where], path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    read_programs(pipe, count);
    int status = pclose(pipe);
    if (!getenv("ZLAY_SHOW")) remove(path);
    if (status) fail_msg("%s: %d", command, status);
}

/* ---- what is claimed ----------------------------------------------------------------------------------------------------------- */

typedef struct tally { uint64_t programs, hazards, more; } tally;

static void show(const program *p, const int *nops, int upto)
{
    char text[LINE];
    print_error("%s\n", targets[p->where]);
    for (int k = 0; k <= upto; k++) {
        put_line(text, sizeof text, &p->lines[k]);
        print_error("  %2d  %s\n", nops[k], text);
    }
}

static bool check(const program *p, const int *nops, tally *t)
{
    for (int b = 1; b < p->count; b++) {
        int most = 0, plain = 0, between = 0;
        for (int a = b - 1; a >= 0; a--) {
            int left = owed(p, a, b, between, false), least = owed(p, a, b, between, true);
            if (left > most) most = left;
            if (least > plain) plain = least;
            between += 1 + nops[a];
        }
        t->hazards += nops[b] > 0;
        t->more += most > nops[b];
        if (nops[b] <= most && nops[b] >= plain) continue;
        print_error("owed %d, or %d, and LLVM has %d before the last of\n", most, plain, nops[b]);
        show(p, nops, b);
        return false;
    }
    return true;
}

static void programs_are_as_llvm_has_them(void **state)
{
    (void)state;
    uint64_t seed = test_seed("refute-hazard"), count = test_cases(10000), wrong = 0;
    tally t = {0};
    if (system("command -v llc-22 >/dev/null 2>&1")) {
        printf("SKIPPED: no llc-22 on this machine: wait states of programs were compared with nothing\n");
        skip();
    }
    for (uint32_t where = 0; t.programs < count; where = (where + 1) % GFX) {
        for (int n = 0; n < CHUNK; n++) {
            uint64_t own = test_case(seed, t.programs + (uint64_t)n);
            draw(&own, &programs[n], where);
        }
        recognize(where, CHUNK);
        for (int n = 0; n < CHUNK; n++) wrong += !check(&programs[n], inserted[n], &t);
        t.programs += CHUNK;
    }
    printf("%llu programs: wait states before %llu instructions; before %llu an older instruction, which LLVM does not look for, owes more; %llu refuted\n",
           (unsigned long long)t.programs, (unsigned long long)t.hazards, (unsigned long long)t.more, (unsigned long long)wrong);
    assert_int_equal(wrong, 0);
    assert_true(t.hazards > t.programs / 2 && t.more < t.programs / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(programs_are_as_llvm_has_them)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
