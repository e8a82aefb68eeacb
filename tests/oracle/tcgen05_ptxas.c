/* SPDX-License-Identifier: Apache-2.0 */
/* tcgen05.mma and the instructions on tensor memory, assembled by ptxas 13.0: what no rule by the assembler refuses assembles, each that one
 * refuses is refused. A drawn part in `make test`, all modifiers of mma and all targets under `make exhaustive`. */
#define _POSIX_C_SOURCE 200809L
#include "tiles/tcgen05.h"

#include <unistd.h>

#include <zlay/tmem.h>

enum { PATH = 512, TEXT = 2048, BATCH = 100, TARGETS = 6 };

static const char *const targets[TARGETS] = {"sm_100a", "sm_100f", "sm_103a",
                                             "sm_103f", "sm_110a", "sm_110f"};
static char folder[PATH] = "/tmp/zlay-tcgen05-XXXXXX";

static bool found(void)
{
    return system("command -v ptxas >/dev/null || test -x /usr/local/cuda/bin/ptxas") == 0;
}

/* Whether only rules that the assembler does not see are broken. */
static bool assembles(const zlay_verdict *v, const zlay_reason *r)
{
    for (uint32_t i = 0; i < v->reasons; i++)
        if (!r[i].noted && r[i].by == ZLAY_BY_ASSEMBLER) return false;
    return true;
}

/* ---- batches of text ---------------------------------------------------------------- */

typedef struct batch {
    const char *on;
    bool legal;
    int count;
    char text[BATCH][TEXT];
} batch;

static char *said;
static uint64_t taken, refused;

static int assemble(const batch *b)
{
    char name[2 * PATH], command[4 * PATH];
    snprintf(name, sizeof name, "%s/a.ptx", folder);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fprintf(file, ".version 9.0\n.target %s\n.address_size 64\n.visible .entry k() {\n.reg .b32 "
                  "%%r<300>; .reg .f32 %%f<300>; .reg .b64 %%d<10>; .reg .pred %%p<4>;\n", b->on);
    for (int i = 0; i < b->count; i++) fprintf(file, "%s\n", b->text[i]);
    fprintf(file, "ret; }\n");
    fclose(file);
    snprintf(command, sizeof command,
             "cd '%s' && PATH=\"$PATH:/usr/local/cuda/bin\" ptxas -O0 -arch=%s -o a.cubin a.ptx 2>&1",
             folder, b->on);
    FILE *run = popen(command, "r");
    assert_non_null(run);
    said[fread(said, 1, (1 << 20) - 1, run)] = 0;
    return pclose(run);
}

static bool line_is_refused(int i)
{
    char mark[32];
    snprintf(mark, sizeof mark, "line %d;", i + 6);
    return strstr(said, mark) != NULL;
}

/* Of illegal lines each has its error, perhaps only once those before it are gone. */
static void refuse_all(batch *b)
{
    while (b->count) {
        int left = 0;
        if (!assemble(b)) fail_msg("ptxas %s takes: %s", b->on, b->text[0]);
        for (int i = 0; i < b->count; i++)
            if (!line_is_refused(i)) memmove(b->text[left++], b->text[i], TEXT);
        if (left == b->count) fail_msg("ptxas %s: %.300s", b->on, said);
        b->count = left;
    }
}

static void flush(batch *b)
{
    if (!b->count) return;
    if (!b->legal) refused += (uint64_t)b->count, refuse_all(b);
    else {
        taken += (uint64_t)b->count;
        if (assemble(b)) fail_msg("ptxas %s refuses a legal form: %.300s", b->on, said);
    }
    b->count = 0;
}

static void add(batch *batches, bool legal, const char *text)
{
    batch *b = &batches[legal];
    b->legal = legal;
    snprintf(b->text[b->count++], TEXT, "%s", text);
    if (b->count == BATCH) flush(b);
}

static batch *batches_new(const char *on)
{
    batch *b = calloc(2, sizeof *b);
    assert_non_null(b);
    b[0].on = b[1].on = on;
    return b;
}

static void batches_free(batch *b)
{
    flush(&b[0]);
    flush(&b[1]);
    free(b);
}

/* ---- mma ------------------------------------------------------------------------------ */

static const char *const vectors[] = {"", ".scale_vec::1X", ".scale_vec::2X", ".scale_vec::4X",
                                      ".block16", ".block32"};
static const char *const uses[] = {"fill", "use", "lastuse", "discard"};

static void collector_text(char *out, size_t room, int32_t c)
{
    *out = 0;
    if (c > 4) snprintf(out, room, ".collector::b%d::%s", (c - 5) / 4, uses[(c - 5) % 4]);
    else if (c) snprintf(out, room, ".collector::a::%s", uses[c - 1]);
}

/* A block-scaled kind is written with its factors, any other with them only to give it a vector. */
static void mma_text(char *out, const zlay_mma *m)
{
    char collector[40];
    bool scaled = is_scaled(m->kind) || m->scale_vec;
    collector_text(collector, sizeof collector, m->collector);
    snprintf(out, TEXT, "tcgen05.mma%s%s.cta_group::%u.kind::%s%s%s%s%s [%%r290], %s, %%d1, %s%%r292, %s%%p0;",
             m->ws ? ".ws" : "", m->sparse ? ".sp" : "", m->cta_group, kind_names[m->kind],
             scaled ? ".block_scale" : "", vectors[m->scale_vec], m->ashift ? ".ashift" : "", collector,
             m->a_source == ZLAY_SOURCE_TMEM ? "[%r291]" : "%d0", m->sparse ? "[%r295], " : "",
             scaled ? "[%r293], [%r294], " : "");
}

/* The at-th of all modifiers of a pair's forms. */
enum { FORMS = 7 * 2 * 2 * 2 * 6 * 2 * 21 };
static zlay_mma form(uint32_t at, uint32_t group)
{
    zlay_mma m = legal_mma((int32_t)(at % 7) + 1);
    at /= 7;
    m.ws = at % 2, at /= 2;
    m.sparse = at % 2, at /= 2;
    m.a_source = at % 2 ? ZLAY_SOURCE_TMEM : ZLAY_SOURCE_SMEM, at /= 2;
    m.scale_vec = (int32_t)(at % 6), at /= 6;
    m.ashift = at % 2, at /= 2;
    m.collector = (int32_t)at;
    m.cta_group = group;
    m.k *= 1 + m.sparse;
    return m;
}

static void one_form(batch *batches, const char *on, const zlay_mma *m)
{
    char text[TEXT];
    zlay_verdict v;
    zlay_reason r[REASONS];
    assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of(on), m), ZLAY_OK);
    mma_text(text, m);
    add(batches, assembles(&v, r), text);
}

/* One legal form in ten is drawn where few are, and every form in its turn when all are. */
static void modifiers_of_mma(void **state)
{
    (void)state;
    if (!found()) skip();
    uint64_t s = test_seed("oracle/tcgen05_ptxas");
    uint32_t step = test_exhaustive() ? 1 : 29;
    for (int on = 0; on < TARGETS; on++)
        for (uint32_t group = 1; group <= 2; group++) {
            batch *b = batches_new(targets[on]);
            for (uint32_t at = (uint32_t)(test_random(&s) % step); at < FORMS; at += step) {
                zlay_mma m = form(at, group);
                one_form(b, targets[on], &m);
            }
            for (uint32_t at = 0; at < FORMS && step > 1; at += 3) {
                zlay_mma m = form(at, group);
                bool yes = mma_answer(targets[on], &m) == ZLAY_YES;
                if (yes && test_random(&s) % 3 == 0) one_form(b, targets[on], &m);
            }
            batches_free(b);
        }
    printf("mma: %llu assembled, %llu refused\n", (unsigned long long)taken,
           (unsigned long long)refused);
    assert_true(taken > 300 && refused > 3000);
}

/* Neither shapes nor types, majors, signs stand in the text: rules by the assembler ask none of them. */
static void what_the_descriptor_says_the_assembler_does_not_see(void **state)
{
    (void)state;
    static const size_t hidden[] = {offsetof(zlay_mma, m),        offsetof(zlay_mma, n),
                                    offsetof(zlay_mma, k),        offsetof(zlay_mma, a),
                                    offsetof(zlay_mma, b),        offsetof(zlay_mma, d),
                                    offsetof(zlay_mma, a_major),  offsetof(zlay_mma, b_major),
                                    offsetof(zlay_mma, negate_a), offsetof(zlay_mma, negate_b),
                                    offsetof(zlay_mma, saturate)};
    for (int32_t kind = 1; kind <= KINDS; kind++)
        for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++) {
            zlay_mma m = legal_mma(kind);
            zlay_verdict v;
            zlay_reason r[REASONS];
            uint32_t wrong = 77;
            memcpy((char *)&m + hidden[i], &wrong, sizeof wrong);
            assert_int_equal(zlay_mma_check(&v, r, REASONS, target_of("sm_100a"), &m), ZLAY_OK);
            assert_int_equal(v.answer, ZLAY_NO);
            assert_true(assembles(&v, r));
        }
}

/* ---- tensor memory ----------------------------------------------------------------------- */

static const char *const shapes[] = {"",          "16x64b",  "16x128b",
                                     "16x256b",   "32x32b",  "16x32bx2",
                                     "128x256b",  "4x256b",  "128x128b",
                                     "64x128b.warpx2::02_13", "64x128b.warpx2::01_23", "32x128b.warpx4"};

static void registers_text(char *out, uint32_t count, char letter)
{
    *out = 0;
    for (uint32_t i = 0; i < count; i++)
        sprintf(out + strlen(out), "%s%%%c%u", i ? "," : "", letter, i);
}

static void warp_text(char *out, const zlay_tmem_issue *t)
{
    static const char *const types[] = {[ZLAY_TYPE_U32] = "u32", [ZLAY_TYPE_S32] = "s32",
                                        [ZLAY_TYPE_F32] = "f32"};
    char list[1536], split[16] = "";
    bool store = t->op == ZLAY_TMEM_ST, red = t->op == ZLAY_TMEM_LD_RED;
    char letter = red && t->type == ZLAY_TYPE_F32 ? 'f' : 'r';
    registers_text(list, t->registers, letter);
    if (t->shape == ZLAY_TMEM_16X32BX2 || t->half_split)
        snprintf(split, sizeof split, ", %u", t->half_split);
    if (red)
        snprintf(out, TEXT, "tcgen05.ld.red.sync.aligned.%s.x%u%s.%s.%s {%s}, %%%c200, [%%r290]%s;",
                 shapes[t->shape], t->num, t->pack ? ".pack::16b" : "",
                 t->reduce == ZLAY_TMEM_MIN ? "min" : "max", types[t->type], list, letter, split);
    else if (store)
        snprintf(out, TEXT, "tcgen05.st.sync.aligned.%s.x%u%s.b32 [%%r290]%s, {%s};", shapes[t->shape],
                 t->num, t->pack ? ".unpack::16b" : "", split, list);
    else
        snprintf(out, TEXT, "tcgen05.ld.sync.aligned.%s.x%u%s.b32 {%s}, [%%r290]%s;", shapes[t->shape],
                 t->num, t->pack ? ".pack::16b" : "", list, split);
}

static void issue_text(char *out, const zlay_tmem_issue *t)
{
    static const char *const formats[] = {"", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"};
    switch (t->op) {
    case ZLAY_TMEM_ALLOC:
        snprintf(out, TEXT, "tcgen05.alloc.cta_group::%u.sync.aligned.shared::cta.b32 [%%r280], %u;",
                 t->cta_group, t->columns);
        return;
    case ZLAY_TMEM_DEALLOC:
        snprintf(out, TEXT, "tcgen05.dealloc.cta_group::%u.sync.aligned.b32 %%r290, %u;", t->cta_group,
                 t->columns);
        return;
    case ZLAY_TMEM_CP:
        snprintf(out, TEXT, "tcgen05.cp.cta_group::%u.%s%s [%%r290], %%d0;", t->cta_group,
                 shapes[t->shape], formats[t->format]);
        return;
    case ZLAY_TMEM_SHIFT:
        snprintf(out, TEXT, "tcgen05.shift.cta_group::%u.down [%%r290];", t->cta_group);
        return;
    default: warp_text(out, t);
    }
}

static void one_issue(batch *b, const char *on, const zlay_tmem_issue *t)
{
    char text[TEXT];
    zlay_verdict v;
    zlay_reason r[REASONS];
    assert_int_equal(zlay_tmem_issue_check(&v, r, REASONS, target_of(on), t), ZLAY_OK);
    issue_text(text, t);
    add(b, assembles(&v, r), text);
}

static void allocations(batch *b, const char *on, uint32_t group)
{
    static const uint32_t columns[] = {0,  1,  16,  31,  32,  33,  48,  64,  96,
                                       128, 192, 255, 256, 384, 511, 512, 513, 1024};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        for (int32_t op = ZLAY_TMEM_ALLOC; op <= ZLAY_TMEM_DEALLOC; op++) {
            zlay_tmem_issue t = {.op = op, .columns = columns[i], .cta_group = group};
            one_issue(b, on, &t);
        }
    zlay_tmem_issue shift = {.op = ZLAY_TMEM_SHIFT, .cta_group = group};
    one_issue(b, on, &shift);
}

static void copies(batch *b, const char *on, uint32_t group)
{
    for (int32_t shape = ZLAY_TMEM_16X64B; shape <= ZLAY_TMEM_CP_32X128B; shape++)
        for (int32_t format = 0; format <= ZLAY_TMEM_FROM_B4; format++) {
            zlay_tmem_issue t = {
                .op = ZLAY_TMEM_CP, .shape = shape, .format = format, .cta_group = group};
            one_issue(b, on, &t);
        }
}

/* Registers as many as the shape says, and one more and less. */
static void warps(batch *b, const char *on)
{
    static const uint32_t each[] = {0, 1, 2, 4, 1, 1, 1, 1, 1, 1, 1, 1};
    static const int32_t reds[] = {ZLAY_TYPE_U32, ZLAY_TYPE_S32, ZLAY_TYPE_F32};
    for (int32_t op = ZLAY_TMEM_LD; op <= ZLAY_TMEM_LD_RED; op++)
        for (int32_t shape = ZLAY_TMEM_16X64B; shape <= ZLAY_TMEM_CP_4X256B; shape++)
            for (uint32_t at = 0; at < 2 * 9 * 3; at++) {
                uint32_t num = (uint32_t[]){1, 2, 4, 8, 16, 32, 64, 128, 3}[at / 2 % 9];
                uint32_t wanted = each[shape] * num, more = at / 18;
                if (wanted > 250 || wanted + more < 2) continue;
                zlay_tmem_issue t = {.op = op,
                                     .shape = shape,
                                     .num = num,
                                     .pack = at % 2,
                                     .registers = wanted + more - 1,
                                     .given = ZLAY_TMEM_GIVEN_REGISTERS};
                if (op == ZLAY_TMEM_LD_RED) t.reduce = 1 + (int32_t)at % 2, t.type = reds[at % 3];
                one_issue(b, on, &t);
            }
}

static void instructions_on_tensor_memory(void **state)
{
    (void)state;
    if (!found()) skip();
    taken = refused = 0;
    for (int on = 0; on < TARGETS; on++)
        for (uint32_t group = 1; group <= 2; group++) {
            batch *b = batches_new(targets[on]);
            allocations(b, targets[on], group);
            copies(b, targets[on], group);
            if (group == 1 && (test_exhaustive() || on % 2 == 0)) warps(b, targets[on]);
            batches_free(b);
        }
    printf("tensor memory: %llu assembled, %llu refused\n", (unsigned long long)taken,
           (unsigned long long)refused);
    assert_true(taken > 500 && refused > 500);
}

/* ---- what ptxas takes and should not ------------------------------------------------------ */

/* Constants in registers: descriptors of kind f16, addresses, columns. */
static const struct {
    const char *text;
    uint32_t idesc;
    zlay_tmem_issue issue;
} wrong[] = {
#define IDESC(word)                                                                                \
    {"mov.b32 %r1, " #word "; tcgen05.mma.cta_group::1.kind::f16 [%r290], %d0, %d1, %r1, %p0;", word, {0}}
    IDESC(0x00000001), IDESC(0x06200010), IDESC(0x08420010), IDESC(0x08200050), IDESC(0x08200910),
    IDESC(0x08200030), IDESC(0x28200010), IDESC(0x08a00010), IDESC(0x08200018), IDESC(0x00200010),
    {"mov.b32 %r1, 0x200; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r1];", 0,
     {.op = ZLAY_TMEM_LD, .shape = ZLAY_TMEM_32X32B, .num = 1, .address = 0x200}},
    {"mov.b32 %r1, 0x800000; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r1];", 0,
     {.op = ZLAY_TMEM_LD, .shape = ZLAY_TMEM_32X32B, .num = 1, .address = 0x800000}},
    {"mov.b32 %r1, 0x1ff; tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r0,%r2}, [%r1];", 0,
     {.op = ZLAY_TMEM_LD, .shape = ZLAY_TMEM_32X32B, .num = 2, .address = 0x1ff}},
    {"mov.b32 %r1, 0x110000; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r0}, [%r1];", 0,
     {.op = ZLAY_TMEM_LD, .shape = ZLAY_TMEM_32X32B, .num = 1, .address = 0x110000}},
    {"tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r0}, [%r290], -1;", 0,
     {.op = ZLAY_TMEM_LD, .shape = ZLAY_TMEM_16X32BX2, .num = 1, .half_split = UINT32_MAX}},
    {"mov.b32 %r1, 0x10000; tcgen05.shift.cta_group::1.down [%r1];", 0,
     {.op = ZLAY_TMEM_SHIFT, .address = 0x10000}},
    {"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r290, 0;", 0, {.op = ZLAY_TMEM_DEALLOC}},
    {"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r290, 96;", 0,
     {.op = ZLAY_TMEM_DEALLOC, .columns = 96}},
    {"tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r290, 1024;", 0,
     {.op = ZLAY_TMEM_DEALLOC, .columns = 1024}},
};

static zlay_verdict wrong_verdict(size_t i)
{
    zlay_verdict v;
    zlay_idesc f;
    const zlay_target *t = target_of("sm_100a");
    if (!wrong[i].idesc) {
        assert_int_equal(zlay_tmem_issue_check(&v, NULL, 0, t, &wrong[i].issue), ZLAY_OK);
        return v;
    }
    assert_int_equal(zlay_idesc_unpack(&f, ZLAY_KIND_F16, wrong[i].idesc), ZLAY_OK);
    assert_int_equal(zlay_idesc_check(&v, NULL, 0, t, &f, NULL), ZLAY_OK);
    return v;
}

static void ptxas_takes_and_zlay_refuses(void **state)
{
    (void)state;
    if (!found()) skip();
    batch *b = batches_new("sm_100a");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        char text[TEXT];
        snprintf(text, sizeof text, "%s", wrong[i].text);
        if (wrong_verdict(i).answer != ZLAY_NO) fail_msg("zlay takes: %s", text);
        add(b, true, text);
    }
    batches_free(b);
}

static int set_up(void **state)
{
    (void)state;
    said = calloc(1, 1 << 20);
    return said && mkdtemp(folder) ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[2 * PATH];
    (void)state;
    free(said);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modifiers_of_mma),
        cmocka_unit_test(what_the_descriptor_says_the_assembler_does_not_see),
        cmocka_unit_test(instructions_on_tensor_memory),
        cmocka_unit_test(ptxas_takes_and_zlay_refuses),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
