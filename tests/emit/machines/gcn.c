/* SPDX-License-Identifier: Apache-2.0 */
/* The interpreter of tests/gcn: every instruction on values worked by hand, and small kernels that it
 * has to see through: each wait, barrier and nop in them is there for a reason. */
#define _POSIX_C_SOURCE 200809L
#include "gcn/object.h"
#include "gcn/run.c"

static bool seen[GCN_FORMS];

static void see(const gcn_line *line)
{
    for (int i = 0; i < GCN_FORMS; i++)
        if (&gcn_forms[i] == line->form) seen[i] = true;
}

/* One wave in the middle of something: every register is defined. */
static gcn_machine *machine(const gcn_code *code)
{
    gcn_machine *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->code = code;
    m->threads[0] = 64, m->threads[1] = m->threads[2] = 1;
    gcn_prepare(m);
    gcn_wave *w = m->wave[0] = gcn_new_wave(m, 0);
    memset(w->s_bad, 0, sizeof w->s_bad);
    memset(w->v_bad, 0, sizeof w->v_bad);
    memset(m->lds_bad, 0, sizeof m->lds_bad);
    w->scc_bad = 0;
    return m;
}

static void machine_free(gcn_machine *m)
{
    gcn_free_wave(m->wave[0]);
    free(m);
}

/* ---- values by hand ---------------------------------------------------------- */

typedef struct hand { const char *text; uint64_t a, b, c; uint32_t in; uint64_t result; uint32_t out; } hand;

static const hand hands[] = {
#define HAND(text, a, b, c, in, result, out) {text, a, b, c, in, result, out},
#define HAND_950(...)
#include "gcn/hand.def"
#undef HAND
#undef HAND_950
};
static const hand hands_950[] = {
#define HAND(...)
#define HAND_950(text, a, b, c, in, result, out) {text, a, b, c, in, result, out},
#include "gcn/hand.def"
#undef HAND
#undef HAND_950
};

static void give(gcn_wave *w, int r, uint64_t value)
{
    gcn_set_scalar(w, r, 2, value, false);
    for (int lane = 0; lane < GCN_LANES; lane++)
        for (int i = 0; i < 2; i++)
            w->v[r + i][lane] = w->v[GCN_AGPR + r + i][lane] = (uint32_t)(value >> 32 * i);
}

static void hand_is(const gcn_code *code, const gcn_line *line, const hand *h)
{
    gcn_machine *m = machine(code);
    gcn_wave *w = m->wave[0];
    bool scalar = line->name[0] == 's', bad = false, vector = false;
    uint64_t value, mask;
    give(w, 2, h->a), give(w, 4, h->b), give(w, 6, h->c);
    w->scc = h->in;
    gcn_set_scalar(w, GCN_VCC, 2, h->in ? ~UINT64_C(0) : 0, false);
    line->form->run(w, line);
    see(line);
    if (m->failed) fail_msg("%s", m->fault);
    const gcn_operand *d = &line->operand[0];
    vector = d->place == GCN_VECTOR;
    value = vector ? w->v[d->first][5] : gcn_scalar(w, d->first, d->count, &bad);
    if (vector && d->count == 2) value |= (uint64_t)w->v[d->first + 1][5] << 32;
    mask = gcn_scalar(w, GCN_VCC, 2, &bad);
    if (bad) fail_msg("%s: bad", h->text);
    bool flag_alone = gcn_starts(h->text, "s_cmp") || gcn_starts(h->text, "s_bitcmp") || gcn_starts(h->text, "v_cmp");
    if (!flag_alone && value != h->result) fail_msg("%s: 0x%llx", h->text, (unsigned long long)value);
    if ((scalar ? w->scc : (uint32_t)(mask >> 5 & 1)) != h->out) fail_msg("%s: SCC or VCC", h->text);
    machine_free(m);
}

static void hands_are(gcn_target target, const hand *rows, size_t count)
{
    char *text = calloc(count, 80);
    assert_non_null(text);
    for (size_t i = 0; i < count; i++) strcat(strcat(text, rows[i].text), "\n");
    gcn_code code = gcn_assemble(target, text, NULL);
    assert_int_equal(code.lines, count);
    for (size_t i = 0; i < count; i++) hand_is(&code, &code.line[i], &rows[i]);
    gcn_code_free(&code);
    free(text);
}

static void values_by_hand(void **state)
{
    (void)state;
    gcn_need_llvm("instructions were compared with nothing");
    hands_are(GCN_942, hands, sizeof hands / sizeof hands[0]);
    hands_are(GCN_950, hands_950, sizeof hands_950 / sizeof hands_950[0]);
}

/* EXEC and the register that keeps it. */
static void exec_is_saved(void **state)
{
    (void)state;
    static const uint64_t after[] = {0x0f, 0xfff, 0xff0, 0xf00};
    gcn_need_llvm("instructions were compared with nothing");
    gcn_code code = gcn_assemble(GCN_942, "s_and_saveexec_b64 s[0:1], s[2:3]\ns_or_saveexec_b64 s[0:1], s[2:3]\n"
                                 "s_xor_saveexec_b64 s[0:1], s[2:3]\ns_andn2_saveexec_b64 s[0:1], s[2:3]\n", NULL);
    for (int i = 0; i < 4; i++) {
        gcn_machine *m = machine(&code);
        bool bad = false;
        give(m->wave[0], 2, 0xf0f);
        gcn_set_scalar(m->wave[0], GCN_EXEC, 2, i == 3 ? 0xff : 0xff, false);
        code.line[i].form->run(m->wave[0], &code.line[i]);
        assert_int_equal(gcn_scalar(m->wave[0], 0, 2, &bad), 0xff);
        assert_int_equal(gcn_scalar(m->wave[0], GCN_EXEC, 2, &bad), after[i]);
        machine_free(m);
    }
    gcn_code_free(&code);
}

/* ---- memory -------------------------------------------------------------------- */

enum { GLOBAL = 0x10000, BYTES = 8192 };

/* Byte i of a load at i is i % 251; what a lane's registers get is put together here. */
static uint32_t loaded(uint32_t at, const gcn_form *f, int word, uint32_t old)
{
    uint32_t value = 0;
    int bytes = f->bytes - 4 * word < 4 ? f->bytes - 4 * word : 4;
    for (int i = 0; i < bytes; i++) value |= (at + 4 * (uint32_t)word + (uint32_t)i) % 251 << 8 * i;
    if (f->flags & GCN_F_SIGNED && value >> (8 * bytes - 1)) value |= ~0u << 8 * bytes;
    if (f->flags & GCN_F_LOW) return (old & 0xffff0000) | value;
    return f->flags & GCN_F_HIGH ? (old & 0xffff) | value << 16 : value;
}

static void lanes_step(gcn_wave *w, int r, uint32_t from, uint32_t step)
{
    for (uint32_t lane = 0; lane < GCN_LANES; lane++) w->v[r][lane] = from + lane * step;
}

/* s[8:11] is a buffer of BYTES at GLOBAL, s[12:13] its address; v2 counts the lanes' bytes. */
static gcn_machine *with_memory(const gcn_code *code, uint8_t *bytes, uint32_t step)
{
    gcn_machine *m = machine(code);
    gcn_wave *w = m->wave[0];
    for (uint32_t i = 0; i < BYTES; i++) bytes[i] = (uint8_t)(i % 251);
    for (uint32_t i = 0; i < BYTES; i++) m->lds[i] = bytes[i];
    gcn_add_memory(m, GLOBAL, bytes, BYTES, true);
    gcn_set_scalar(w, 8, 2, GLOBAL, false);
    gcn_set_scalar(w, 10, 2, BYTES | (uint64_t)0x00020000 << 32, false);
    gcn_set_scalar(w, 12, 2, GLOBAL, false);
    gcn_set_scalar(w, 14, 1, 32, false);
    lanes_step(w, 2, 0, step);
    return m;
}

static void load_is_right(const gcn_code *code, const gcn_line *line)
{
    static uint8_t bytes[BYTES];
    const gcn_form *f = line->form;
    uint32_t step = f->bytes > 8 ? 16 : (uint32_t)f->bytes, at = (uint32_t)line->offset;
    gcn_machine *m = with_memory(code, bytes, step);
    gcn_wave *w = m->wave[0];
    if (f->run == gcn_run_buffer) at += 32;
    lanes_step(w, 4, 0xaaaa5555, 0);
    line->form->run(w, line);
    see(line);
    if (!m->failed) assert_true(w->v_loading[4]);
    gcn_wait(w, 0, 0), gcn_wait(w, 1, 0);
    if (m->failed) fail_msg("%s", m->fault);
    for (uint32_t lane = 0; lane < GCN_LANES; lane++)
        for (int word = 0; word < (f->bytes + 3) / 4; word++)
            if (w->v[4 + word][lane] != loaded(at + lane * step, f, word, 0xaaaa5555) || w->v_bad[4 + word][lane])
                fail_msg("%s: lane %u gets 0x%x", line->text, lane, w->v[4 + word][lane]);
    machine_free(m);
}

static void store_is_right(const gcn_code *code, const gcn_line *line)
{
    static uint8_t bytes[BYTES];
    const gcn_form *f = line->form;
    uint32_t step = f->bytes > 8 ? 16 : (uint32_t)f->bytes, at = (uint32_t)line->offset;
    gcn_machine *m = with_memory(code, bytes, step);
    gcn_wave *w = m->wave[0];
    const uint8_t *to = f->run == gcn_run_lds ? m->lds : bytes;
    if (f->run == gcn_run_buffer) at += 32;
    for (int word = 0; word < 4; word++) lanes_step(w, 4 + word, 0x80706050u + (uint32_t)word, 0x01020301);
    line->form->run(w, line);
    see(line);
    gcn_wait(w, 0, 0), gcn_wait(w, 1, 0);
    if (m->failed) fail_msg("%s", m->fault);
    for (uint32_t lane = 0; lane < GCN_LANES; lane++)
        for (uint32_t i = 0; i < (uint32_t)f->bytes; i++) {
            uint32_t value = w->v[4 + i / 4][lane], part = f->flags & GCN_F_HIGH ? value >> 16 : value;
            if (to[at + lane * step + i] != (uint8_t)(part >> 8 * (i % 4))) fail_msg("%s: lane %u", line->text, lane);
        }
    if (f->bytes == 12) assert_int_equal(to[at + 12], (at + 12) % 251);
    machine_free(m);
}

static void registers_text(char *text, int registers)
{
    snprintf(text, 20, registers == 1 ? "v4" : "v[4:%d]", 3 + registers);
}

/* Rows with one address, on what all lanes load or store. */
static void accesses_text(char *text)
{
    for (int i = 0; i < GCN_FORMS; i++) {
        const gcn_form *f = &gcn_forms[i];
        char data[20], line[120] = "";
        bool store = f->flags & GCN_F_STORE;
        registers_text(data, (f->bytes + 3) / 4);
        if (f->flags & (GCN_F_TWO | GCN_F_TRANSPOSE | GCN_F_DIRECT)) continue;
        if (f->run == gcn_run_buffer) snprintf(line, sizeof line, "%s %s, v2, s[8:11], s14 offen offset:16\n", f->name, data);
        if (f->run == gcn_run_global && store) snprintf(line, sizeof line, "%s v2, %s, s[12:13] offset:48\n", f->name, data);
        if (f->run == gcn_run_global && !store) snprintf(line, sizeof line, "%s %s, v2, s[12:13] offset:48\n", f->name, data);
        if (f->run == gcn_run_lds && store) snprintf(line, sizeof line, "%s v2, %s offset:64\n", f->name, data);
        if (f->run == gcn_run_lds && !store) snprintf(line, sizeof line, "%s %s, v2 offset:64\n", f->name, data);
        strcat(text, line);
    }
}

static void accesses_are_right(void **state)
{
    (void)state;
    gcn_need_llvm("accesses to memory were compared with nothing");
    char *text = calloc(GCN_FORMS, 120);
    assert_non_null(text);
    accesses_text(text);
    gcn_code code = gcn_assemble(GCN_942, text, NULL);
    assert_true(code.lines > 40);
    for (int i = 0; i < code.lines; i++)
        (code.line[i].form->flags & GCN_F_STORE ? store_is_right : load_is_right)(&code, &code.line[i]);
    gcn_code_free(&code);
    free(text);
}

static uint64_t value_of(gcn_wave *w, int r, int words, int lane)
{
    return w->v[r][lane] | (words > 1 ? (uint64_t)w->v[r + 1][lane] << 32 : 0);
}

/* A read fills both registers, a write takes both, at offsets counted in elements. */
static void pair_is_right(const gcn_code *code, const gcn_line *line)
{
    static uint8_t bytes[BYTES];
    const gcn_form *f = line->form;
    int words = f->bytes / 4, unit = strstr(f->name, "st64") ? 64 * f->bytes : f->bytes;
    gcn_machine *m = with_memory(code, bytes, 8);
    gcn_wave *w = m->wave[0];
    for (int i = 0; i < 4; i++) lanes_step(w, 4 + i, 0x80706050u + (uint32_t)i, 0x01020301);
    line->form->run(w, line);
    see(line);
    gcn_wait(w, 1, 0);
    if (m->failed) fail_msg("%s", m->fault);
    for (int lane = 0; lane < GCN_LANES; lane++)
        for (int part = 0; part < 2; part++) {
            uint64_t there = 0, here = value_of(w, 4 + part * words, words, lane);
            memcpy(&there, m->lds + lane * 8 + (part ? line->offset1 : line->offset) * unit, (size_t)f->bytes);
            if (here != there) fail_msg("%s: lane %d, address %d", line->text, lane, part);
        }
    machine_free(m);
}

static void pairs_are_right(void **state)
{
    (void)state;
    gcn_need_llvm("accesses to memory were compared with nothing");
    gcn_code code = gcn_assemble(GCN_942, "ds_write2_b64 v2, v[4:5], v[6:7] offset0:1 offset1:130\n"
                                 "ds_read2_b32 v[4:5], v2 offset0:2 offset1:251\n"
                                 "ds_read2_b64 v[4:7], v2 offset0:130 offset1:1\n"
                                 "ds_write2_b32 v2, v4, v5 offset0:1 offset1:200\n"
                                 "ds_read2st64_b64 v[4:7], v2 offset0:1 offset1:4\n"
                                 "ds_read2st64_b32 v[4:5], v2 offset0:3 offset1:7\n"
                                 "ds_write2st64_b64 v2, v[4:5], v[6:7] offset1:4\n"
                                 "ds_write2st64_b32 v2, v4, v5 offset0:2 offset1:9\n", NULL);
    for (int i = 0; i < code.lines; i++) pair_is_right(&code, &code.line[i]);
    gcn_code_free(&code);
}

/* 16 lanes hold rows of 16 elements, 4 a lane, as four lanes a row: after it a lane holds a column. */
static void transposed_reads(void **state)
{
    (void)state;
    gcn_need_llvm("accesses to memory were compared with nothing");
    static uint8_t bytes[BYTES];
    gcn_code code = gcn_assemble(GCN_950, "ds_read_b64_tr_b16 v[4:5], v2\n", NULL);
    gcn_machine *m = with_memory(&code, bytes, 8);
    gcn_wave *w = m->wave[0];
    for (uint32_t i = 0; i < 256; i++) m->lds[2 * i] = (uint8_t)i, m->lds[2 * i + 1] = 0;
    code.line[0].form->run(w, &code.line[0]);
    see(&code.line[0]);
    gcn_wait(w, 1, 0);
    if (m->failed) fail_msg("%s", m->fault);
    for (int lane = 0; lane < GCN_LANES; lane++)
        for (int j = 0; j < 4; j++) {
            int got = (int)(w->v[4 + j / 2][lane] >> 16 * (j % 2) & 0xffff);
            assert_int_equal(got, lane / 16 * 64 + 16 * j + lane % 16);
        }
    machine_free(m);
    gcn_code_free(&code);
}

/* Lane l takes what lane l ^ 5 has. */
static void permuted(void **state)
{
    (void)state;
    gcn_need_llvm("accesses to memory were compared with nothing");
    gcn_code code = gcn_assemble(GCN_942, "ds_bpermute_b32 v4, v2, v6\n", NULL);
    gcn_machine *m = machine(&code);
    gcn_wave *w = m->wave[0];
    lanes_step(w, 6, 100, 1);
    for (uint32_t lane = 0; lane < GCN_LANES; lane++) w->v[2][lane] = 4 * (lane ^ 5) + 256;
    w->v_bad[6][9] = 1;
    code.line[0].form->run(w, &code.line[0]);
    see(&code.line[0]);
    assert_true(w->v_loading[4]);
    gcn_wait(w, 1, 0);
    for (uint32_t lane = 0; lane < GCN_LANES; lane++) {
        assert_int_equal(w->v[4][lane], 100 + (lane ^ 5));
        assert_int_equal(w->v_bad[4][lane], (lane ^ 5) == 9);
    }
    machine_free(m);
    gcn_code_free(&code);
}

static void direct_is_right(const gcn_code *code, const gcn_line *line)
{
    static uint8_t bytes[BYTES];
    const gcn_form *f = line->form;
    uint32_t step = f->bytes > 4 ? 32 : 8, pitch = f->bytes > 4 ? 16 : 4, from = (uint32_t)line->offset;
    gcn_machine *m = with_memory(code, bytes, step);
    gcn_wave *w = m->wave[0];
    if (f->run == gcn_run_buffer) from += 32;
    gcn_set_scalar(w, GCN_M0, 1, 1024, false);
    line->form->run(w, line);
    see(line);
    if (!m->failed) assert_true(m->lds_writers[1024 + line->offset]);
    gcn_wait(w, 0, 0);
    if (m->failed) fail_msg("%s", m->fault);
    for (uint32_t lane = 0; lane < GCN_LANES; lane++) {
        uint8_t want[16] = {0};
        memcpy(want, bytes + from + lane * step, (size_t)f->bytes);
        uint32_t to = 1024 + (uint32_t)line->offset + lane * pitch, many = f->bytes < 4 ? 4 : (uint32_t)f->bytes;
        if (memcmp(m->lds + to, want, many)) fail_msg("%s: lane %u", line->text, lane);
    }
    machine_free(m);
}

static void directs_are_right(gcn_target target, const char *text)
{
    gcn_code code = gcn_assemble(target, text, NULL);
    for (int i = 0; i < code.lines; i++) direct_is_right(&code, &code.line[i]);
    gcn_code_free(&code);
}

static void loads_to_lds(void **state)
{
    (void)state;
    gcn_need_llvm("accesses to memory were compared with nothing");
    directs_are_right(GCN_950, "global_load_lds_dword v2, s[12:13] offset:16\nglobal_load_lds_ushort v2, s[12:13]\n"
                      "global_load_lds_ubyte v2, s[12:13]\nglobal_load_lds_dwordx3 v2, s[12:13] offset:16\n"
                      "global_load_lds_dwordx4 v2, s[12:13] offset:32\n"
                      "buffer_load_dword v2, s[8:11], s14 offen offset:16 lds\n"
                      "buffer_load_dwordx4 v2, s[8:11], s14 offen offset:16 lds\n");
    directs_are_right(GCN_90A, "global_load_dword v2, s[12:13] offset:16 lds\n"
                      "buffer_load_ushort v2, s[8:11], s14 offen offset:16 lds\n");
}

/* What lies past the end of a buffer is 0, and what is stored there is dropped; each lane alone. */
static void ends_of_buffers(void **state)
{
    (void)state;
    gcn_need_llvm("accesses to memory were compared with nothing");
    static uint8_t bytes[BYTES];
    gcn_code code = gcn_assemble(GCN_942, "buffer_load_dwordx4 v[4:7], v2, s[8:11], 0 offen\n"
                                 "buffer_store_dword v4, v3, s[8:11], 0 offen\n", NULL);
    gcn_machine *m = with_memory(&code, bytes, 16);
    gcn_wave *w = m->wave[0];
    gcn_set_scalar(w, 10, 1, 320, false);
    code.line[0].form->run(w, &code.line[0]);
    gcn_wait(w, 0, 0);
    for (uint32_t lane = 0; lane < GCN_LANES; lane++)
        assert_int_equal(w->v[7][lane], lane < 20 ? loaded(lane * 16 + 12, &(gcn_form){.bytes = 4}, 0, 0) : 0);
    lanes_step(w, 3, 256, 4), lanes_step(w, 4, 7, 0);
    code.line[1].form->run(w, &code.line[1]);
    if (m->failed) fail_msg("%s", m->fault);
    assert_int_equal(bytes[316], 7);
    assert_int_equal(bytes[320], 320 % 251);
    gcn_set_scalar(w, 10, 1, 322, false);
    code.line[0].form->run(w, &code.line[0]);
    assert_true(m->failed && strstr(m->fault, "straddles"));
    machine_free(m);
    gcn_code_free(&code);
}

static void scalar_loads(void **state)
{
    (void)state;
    gcn_need_llvm("accesses to memory were compared with nothing");
    static uint8_t bytes[BYTES];
    gcn_code code = gcn_assemble(GCN_942, "s_load_dword s20, s[12:13], 0x10\ns_load_dwordx2 s[20:21], s[12:13], 0x20\n"
                                 "s_load_dwordx4 s[20:23], s[12:13], s14\ns_load_dwordx8 s[20:27], s[12:13], s14 offset:0x10\n"
                                 "s_load_dwordx16 s[20:35], s[12:13], 0x0\n", NULL);
    static const uint32_t at[] = {16, 32, 32, 48, 0};
    for (int i = 0; i < code.lines; i++) {
        gcn_machine *m = with_memory(&code, bytes, 4);
        code.line[i].form->run(m->wave[0], &code.line[i]);
        see(&code.line[i]);
        if (m->failed) fail_msg("%s", m->fault);
        gcn_wait(m->wave[0], 1, 1);
        assert_true(m->wave[0]->s_loading[20]);
        gcn_wait(m->wave[0], 1, 0);
        for (int word = 0; word < code.line[i].form->bytes / 4; word++)
            assert_int_equal(m->wave[0]->s[20 + word], loaded(at[i], code.line[i].form, word, 0));
        machine_free(m);
    }
    gcn_code_free(&code);
}

/* ---- matrices -------------------------------------------------------------------- */

/* Of elements that are small integers, at i, k and k, j: unlike in every place. */
static int of_a(int i, int k) { return (i * 7 + k * 3 + i * k) % 9 - 4; }
static int of_b(int k, int j) { return (k * 5 + j * 2 + k * j) % 7 - 3; }

/* The bits of a small integer: the first of all that are decoded to it. */
static uint32_t as_type(int value, gcn_type type, gcn_target target)
{
    uint32_t bits = 0, step = gcn_type_bits(type) == 32 ? 1u << 16 : 1;
    while (fabs(gcn_decode(type, target, bits) - value) > 0 || isnan(gcn_decode(type, target, bits))) bits += step;
    return bits;
}

static void factor(gcn_wave *w, int first, int lane, int e, gcn_type type, int value)
{
    int bits = gcn_type_bits(type), pack = 32 / bits;
    uint32_t *to = &w->v[first + e / pack][lane];
    if (e % pack == 0) *to = 0;
    *to |= as_type(value, type, w->m->code->target) << bits * (e % pack);
}

/* A holds i = lane % size, k = depth / 4 (or / 2) * (lane / size) + element, as the manuals draw it. */
static void factors(gcn_wave *w, const gcn_product *p)
{
    int elements = p->depth * p->size / GCN_LANES;
    for (int lane = 0; lane < GCN_LANES; lane++)
        for (int e = 0; e < elements; e++) {
            int i = lane % p->size, k = elements * (lane / p->size) + e;
            factor(w, 16, lane, e, p->of_a, of_a(i, k));
            factor(w, 24, lane, e, p->of_b, of_b(k, i));
        }
}

/* D: column j = lane % size, row 8 (r / 4) + 4 (lane / 32) + r % 4, or 4 (lane / 16) + r. */
static int row_of(const gcn_product *p, int lane, int r)
{
    return p->size == 32 ? 8 * (r / 4) + 4 * (lane / 32) + r % 4 : 4 * (lane / 16) + r;
}

static void product_is_right(const gcn_code *code, const gcn_line *line, const gcn_product *p)
{
    gcn_machine *m = machine(code);
    gcn_wave *w = m->wave[0];
    factors(w, p);
    line->form->run(w, line);
    if (m->failed) fail_msg("%s", m->fault);
    for (int lane = 0; lane < GCN_LANES; lane++)
        for (int r = 0; r < p->size * p->size / GCN_LANES; r++) {
            int i = row_of(p, lane, r), j = lane % p->size, sum = 1;
            for (int k = 0; k < p->depth; k++) sum += of_a(i, k) * of_b(k, j);
            uint32_t got = w->v[GCN_AGPR + r][lane];
            if (got != (p->of_a == GCN_I8 ? (uint32_t)sum : gcn_bits((float)sum))) fail_msg("%s: %d, %d", p->name, i, j);
        }
    machine_free(m);
}

static void products_are_right(void **state)
{
    (void)state;
    gcn_need_llvm("matrices were multiplied with nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++) {
        char text[GCN_PRODUCTS * 80] = "";
        int at[GCN_PRODUCTS], count = 0;
        for (int i = 0; i < GCN_PRODUCTS; i++) {
            const gcn_product *p = &gcn_products[i];
            int words = p->depth * p->size * gcn_type_bits(p->of_a) / GCN_LANES / 32, sums = p->size * p->size / GCN_LANES;
            if (!p->passes[target]) continue;
            at[count++] = i;
            snprintf(text + strlen(text), 80, "%s a[0:%d], v[16:%d], v[24:%d], %s\n", p->name, sums - 1,
                     15 + words, 23 + words, p->of_a == GCN_I8 ? "1" : "1.0");
        }
        gcn_code code = gcn_assemble(target, text, NULL);
        assert_int_equal(code.lines, count);
        assert_true(count);
        for (int i = 0; i < count; i++) product_is_right(&code, &code.line[i], &gcn_products[at[i]]);
        gcn_code_free(&code);
    }
}

/* ---- branches -------------------------------------------------------------------- */

/* SCC, VCC and EXEC are 0 or not; a branch is taken when its last letters say so. */
static void branch_is_right(const gcn_code *code, const gcn_line *line, bool set)
{
    gcn_machine *m = machine(code);
    gcn_wave *w = m->wave[0];
    size_t length = strlen(line->name);
    bool on_zero = strchr("z0", line->name[length - 1]) && line->name[length - 2] != 'n';
    bool taken = gcn_starts(line->name, "s_branch") || set != on_zero;
    w->scc = set;
    gcn_set_scalar(w, GCN_VCC, 2, (uint64_t)set << 40, false);
    gcn_set_scalar(w, GCN_EXEC, 2, (uint64_t)set << 40, false);
    w->line = (int)(line - code->line) + 1;
    line->form->run(w, line);
    see(line);
    if (w->line != (taken ? 0 : (int)(line - code->line) + 1)) fail_msg("%s: to line %d", line->text, w->line);
    machine_free(m);
}

static void branches_are_right(void **state)
{
    (void)state;
    gcn_need_llvm("branches were compared with nothing");
    gcn_code code = gcn_assemble(GCN_942, "top: v_add_u32 v0, 0x12345678, v1\ns_branch top\ns_cbranch_scc0 top\n"
                                 "s_cbranch_scc1 top\ns_cbranch_vccz top\ns_cbranch_vccnz top\ns_cbranch_execz top\n"
                                 "s_cbranch_execnz top\n", NULL);
    for (int i = 1; i < code.lines; i++)
        for (int set = 0; set < 2; set++) branch_is_right(&code, &code.line[i], set);
    gcn_code_free(&code);
}

/* What steers waves is run by emit/machines/gcn_waits. */
static void every_row_ran(void **state)
{
    (void)state;
    gcn_need_llvm("rows were run by nothing");
    for (int i = 0; i < GCN_FORMS; i++) {
        bool steers = !gcn_forms[i].widths[0] && !gcn_forms[i].bytes && gcn_forms[i].run != gcn_run_branch;
        if (!seen[i] && !steers) fail_msg("no test ran %s", gcn_forms[i].name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_by_hand),
        cmocka_unit_test(exec_is_saved),
        cmocka_unit_test(accesses_are_right),
        cmocka_unit_test(pairs_are_right),
        cmocka_unit_test(transposed_reads),
        cmocka_unit_test(permuted),
        cmocka_unit_test(loads_to_lds),
        cmocka_unit_test(ends_of_buffers),
        cmocka_unit_test(scalar_loads),
        cmocka_unit_test(products_are_right),
        cmocka_unit_test(branches_are_right),
        cmocka_unit_test(every_row_ran),
    };
    return cmocka_run_group_tests_name("gcn", tests, NULL, NULL);
}
