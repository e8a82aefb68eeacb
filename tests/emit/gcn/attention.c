/* SPDX-License-Identifier: Apache-2.0 */
/* Attention of gfx targets: kernels of plans are assembled and executed, and every element of O is compared with the same
 * mathematics in double: both heads and types, causal masks, lengths that fill no tile, shared heads, batches, pitches with
 * NaN between rows and heads, a soft cap. Their registers are counted, the descriptor has no scratch, certificates are
 * decided again, and what these targets have no plan for is refused by name. */
#define _DEFAULT_SOURCE
#include "gcn/planned.h"
#include "group_ctx.h"

#include <math.h>
#include <zlay/attention.h>
#include <zlay/emit_pipe.h>

enum { QUERIES, KEYS, VALUES, RESULT, TENSORS };
enum { TENSOR_STEP = 0x1000000, HEAD_SPARE = 16, PATTERN = 0xcd };

typedef struct tensor {
    zlay_attention_strides stride; /* elements */
    uint64_t rows, heads, bytes;
    uint16_t *at;
} tensor;

typedef struct run {
    gcn_target target;
    zlay_attention ask;
    zlay_attention_summary info;
    zlay_pipe_launch launch;
    gcn_code code;
    tensor tensor[TENSORS];
    uint32_t arguments[32];
    gcn_machine *machine;
} run;

/* ---- a plan and its text --------------------------------------------------------------------- */

static char *printed(run *r, zlay_attention_plan *plan, zlay_pipe_argument arguments[16])
{
    zlay_attention_emit ask = {.size = sizeof ask, .plan = plan, .name = "fa", .name_length = 2};
    zlay_buf buf = {calloc(1, WAVE_ROOM), WAVE_ROOM - 1, 0};
    assert_non_null(buf.text);
    if (zlay_emit_attention(ctx, &buf, &r->launch, arguments, 16, &ask)) fail_msg("%s", zlay_ctx_message(ctx));
    return buf.text;
}

static zlay_attention_plan *planned(gcn_target target, const zlay_attention *ask)
{
    zlay_attention_plan *plan = NULL;
    if (zlay_attention_synth(ctx, &plan, wave_target(gcn_target_name[target]), ask))
        fail_msg("%s: %s", gcn_target_name[target], zlay_ctx_message(ctx));
    return plan;
}

/* ---- tensors ------------------------------------------------------------------------------------ */

static uint16_t bits_of(int32_t type, double value)
{
    return type == ZLAY_TYPE_F16 ? (uint16_t)gcn_half_bits((float)value) : gcn_nearest((float)value);
}

static double value_of(const run *r, uint16_t bits)
{
    return gcn_decode(r->ask.type == ZLAY_TYPE_F16 ? GCN_F16 : GCN_BF16, r->target, bits);
}

/* [batch][row][head][element]; `spare` elements behind each head, NaN as all that no head has. */
static tensor tensor_make(const run *r, uint64_t rows, uint64_t heads, uint32_t spare, uint64_t *random)
{
    tensor t = {.rows = rows, .heads = heads};
    t.stride.head = r->ask.head + spare;
    t.stride.row = heads * t.stride.head;
    t.stride.batch = rows * t.stride.row;
    t.bytes = t.stride.batch * r->ask.batch * 2;
    t.at = malloc(t.bytes);
    assert_non_null(t.at);
    for (uint64_t i = 0; i < t.bytes / 2; i++)
        t.at[i] = i % t.stride.head < r->ask.head
                      ? bits_of(r->ask.type, (double)(int)test_range(random, 0, 4000) / 1000 - 2) : 0x7fff;
    return t;
}

static uint64_t element_at(const tensor *t, uint64_t batch, uint64_t head, uint64_t row, uint32_t element)
{
    return batch * t->stride.batch + head * t->stride.head + row * t->stride.row + element;
}

static double read_at(const run *r, int which, uint64_t batch, uint64_t head, uint64_t row, uint32_t element)
{
    const tensor *t = &r->tensor[which];
    return value_of(r, t->at[element_at(t, batch, head, row, element)]);
}

static void tensors_make(run *r, uint32_t spare, uint64_t *random)
{
    const zlay_attention *a = &r->ask;
    for (int i = 0; i < TENSORS; i++) {
        bool query = i == QUERIES || i == RESULT;
        r->tensor[i] = tensor_make(r, query ? a->queries : a->keys, query ? a->heads : a->kv_heads, spare, random);
    }
    memset(r->tensor[RESULT].at, PATTERN, r->tensor[RESULT].bytes);
    r->ask.q = r->tensor[QUERIES].stride, r->ask.k = r->tensor[KEYS].stride;
    r->ask.v = r->tensor[VALUES].stride, r->ask.o = r->tensor[RESULT].stride;
}

/* ---- a run -------------------------------------------------------------------------------------- */

static double scale_of(const run *r) { return 1 / sqrt(r->ask.head); }

static const double cap = 3;

static uint32_t scalar_of(const run *r, const char *name)
{
    double log2e = 1.4426950408889634;
    if (!strcmp(name, "x_keys")) return (uint32_t)r->ask.keys;
    if (!strcmp(name, "x_offset")) return (uint32_t)(r->ask.keys - r->ask.queries);
    if (!strcmp(name, "x_inner")) return gcn_bits((float)(scale_of(r) / cap));
    assert_string_equal(name, "x_scale");
    return gcn_bits((float)(log2e * (r->ask.soft_cap ? (double)cap : scale_of(r))));
}

static void arguments_write(run *r, const zlay_pipe_argument *arguments)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < r->launch.arguments; i++) {
        uint64_t address = GEMM_A + i * (uint64_t)TENSOR_STEP;
        uint32_t scalar = arguments[i].bytes == 4 ? scalar_of(r, arguments[i].name) : 0;
        memcpy((char *)r->arguments + at, arguments[i].bytes == 8 ? (const void *)&address : &scalar, arguments[i].bytes);
        at += arguments[i].bytes;
    }
}

static void machine_make(run *r)
{
    gcn_machine *m = r->machine = calloc(1, sizeof *m);
    assert_non_null(m);
    m->code = &r->code;
    m->threads[0] = r->launch.threads, m->threads[1] = m->threads[2] = 1;
    m->kernarg = GEMM_ARGUMENTS + 0x10000000;
    for (int i = 0; i < TENSORS; i++)
        gcn_add_memory(m, GEMM_A + (uint64_t)i * TENSOR_STEP, r->tensor[i].at, r->tensor[i].bytes, i == RESULT);
    gcn_add_memory(m, m->kernarg, r->arguments, sizeof r->arguments, false);
}

/* Every element of O is stored once; where shared memory is read late, barriers order what waves do there. */
static void execute(run *r, int schedule, const char *what)
{
    gcn_machine *m = r->machine;
    const zlay_attention *a = &r->ask;
    gcn_past *past = calloc(1, sizeof *past);
    assert_non_null(past);
    assert_true(gcn_schedule_of(&m->schedule, schedule, (int)(r->launch.threads / GCN_LANES), 7));
    m->stored = 0;
    m->past = m->schedule.early ? NULL : past;
    for (uint32_t z = 0; z < r->info.grid[2]; z++)
        for (uint32_t y = 0; y < r->info.grid[1]; y++)
            for (uint32_t x = 0; x < r->info.grid[0] && !m->failed; x++) gcn_run_block(m, x, y, z);
    free(past);
    if (m->failed) fail_msg("%s, %s: %s", gcn_target_name[r->target], what, m->fault);
    assert_int_equal(m->stored, a->batch * a->heads * a->queries * a->head * 2);
}

/* ---- what is expected ------------------------------------------------------------------------------ */

static double score(const run *r, uint64_t batch, uint64_t head, uint64_t query, uint64_t key)
{
    double sum = 0;
    uint64_t of = head / (r->ask.heads / r->ask.kv_heads);
    for (uint32_t e = 0; e < r->ask.head; e++)
        sum += read_at(r, QUERIES, batch, head, query, e) * read_at(r, KEYS, batch, of, key, e);
    sum *= scale_of(r);
    return r->ask.soft_cap ? cap * tanh(sum / cap) : sum;
}

static void row_expect(const run *r, uint64_t batch, uint64_t head, uint64_t query, double *out)
{
    uint64_t sees = r->ask.causal ? query + r->ask.keys - r->ask.queries + 1 : r->ask.keys;
    uint64_t of = head / (r->ask.heads / r->ask.kv_heads);
    double total = 0;
    memset(out, 0, r->ask.head * sizeof *out);
    for (uint64_t key = 0; key < sees; key++) {
        double weight = exp(score(r, batch, head, query, key));
        total += weight;
        for (uint32_t e = 0; e < r->ask.head; e++) out[e] += weight * read_at(r, VALUES, batch, of, key, e);
    }
    for (uint32_t e = 0; e < r->ask.head; e++) out[e] /= total;
}

static void row_compare(const run *r, uint64_t batch, uint64_t head, uint64_t query, const char *what)
{
    double wanted[128], bound = r->ask.type == ZLAY_TYPE_F16 ? 0.002 : 0.012;
    row_expect(r, batch, head, query, wanted);
    for (uint32_t e = 0; e < r->ask.head; e++) {
        double got = read_at(r, RESULT, batch, head, query, e);
        if (!(fabs(got - wanted[e]) <= bound))
            fail_msg("%s, %s: (%u, %u, %u, %u): %g, not %g", gcn_target_name[r->target], what, (unsigned)batch,
                     (unsigned)head, (unsigned)query, e, got, wanted[e]);
    }
}

/* What lies between the heads stays as it was. */
static void compare(const run *r, const char *what)
{
    const tensor *o = &r->tensor[RESULT];
    for (uint64_t b = 0; b < r->ask.batch; b++)
        for (uint64_t h = 0; h < r->ask.heads; h++)
            for (uint64_t q = 0; q < r->ask.queries; q++) row_compare(r, b, h, q, what);
    for (uint64_t i = 0; i < o->bytes / 2; i++)
        if (i % o->stride.head >= r->ask.head) assert_int_equal(o->at[i], PATTERN << 8 | PATTERN);
}

static const struct row {
    const char *what;
    int32_t type;
    uint32_t head, causal, soft_cap, spare;
    uint64_t batch, heads, kv_heads, queries, keys;
    int ways; /* in which waves run apart */
} rows[] = {
    {"one tile", ZLAY_TYPE_F16, 64, 0, 0, 0, 1, 1, 1, 64, 64, 2},
    {"ragged", ZLAY_TYPE_F16, 64, 0, 0, 0, 1, 1, 1, 70, 150, 10},
    {"one key", ZLAY_TYPE_BF16, 64, 0, 0, 0, 1, 1, 1, 1, 1, 2},
    {"causal", ZLAY_TYPE_BF16, 64, 1, 0, 0, 1, 2, 1, 130, 130, 2},
    {"128", ZLAY_TYPE_F16, 128, 0, 0, 0, 1, 1, 1, 33, 100, 2},
    {"128, causal, more keys", ZLAY_TYPE_BF16, 128, 1, 0, HEAD_SPARE, 2, 3, 1, 129, 140, 2},
    {"heads apart", ZLAY_TYPE_F16, 64, 1, 0, HEAD_SPARE, 2, 6, 2, 20, 65, 2},
    {"capped", ZLAY_TYPE_F16, 64, 1, 1, 0, 1, 1, 1, 65, 129, 2},
};

static void row_runs(gcn_target target, size_t i, uint64_t *random)
{
    const struct row *row = &rows[i];
    zlay_pipe_argument arguments[16];
    run r = {.target = target};
    r.ask = (zlay_attention){.size = sizeof r.ask, .type = row->type, .batch = row->batch, .heads = row->heads,
                             .kv_heads = row->kv_heads, .queries = row->queries, .keys = row->keys, .head = row->head,
                             .causal = row->causal, .soft_cap = row->soft_cap};
    tensors_make(&r, row->spare, random);
    zlay_attention_plan *plan = planned(target, &r.ask);
    assert_int_equal(zlay_attention_info(&r.info, plan), ZLAY_OK);
    char *text = printed(&r, plan, arguments);
    r.code = gcn_assemble(target, text, "fa");
    free(text);
    arguments_write(&r, arguments);
    machine_make(&r);
    for (int schedule = 0; schedule < row->ways; schedule++) {
        memset(r.tensor[RESULT].at, PATTERN, r.tensor[RESULT].bytes);
        execute(&r, schedule ? schedule + (int)i % 4 : 0, row->what);
        compare(&r, row->what);
    }
    zlay_attention_free(plan);
    gcn_code_free(&r.code);
    for (int t = 0; t < TENSORS; t++) free(r.tensor[t].at);
    free(r.machine);
}

static void values(void **state)
{
    uint64_t random = test_seed("gcn attention");
    (void)state;
    gcn_need_llvm("attention of gfx targets was run by nothing");
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) row_runs(target, i, &random);
}

/* ---- texts, registers ---------------------------------------------------------------------------- */

static uint32_t number_behind(const char *text, const char *word)
{
    const char *at = strstr(text, word);
    assert_non_null(at);
    return (uint32_t)strtoul(at + strlen(word), NULL, 10);
}

/* A lane has 512 registers, of which a kernel of 256 threads may have all; these take no more than 256, so that two waves
 * share a SIMD, and two blocks the shared memory of gfx90a and gfx942. */
static void registers(void **state)
{
    static const uint32_t heads[] = {64, 128}, queries[] = {17, 4096};
    static const int32_t types[] = {ZLAY_TYPE_F16, ZLAY_TYPE_BF16};
    (void)state;
    for (gcn_target target = 0; target < GCN_TARGETS; target++)
        for (int i = 0; i < 32; i++) {
            zlay_pipe_argument arguments[16];
            run r = {.target = target};
            zlay_attention ask = {.size = sizeof ask, .type = types[i & 1], .head = heads[i >> 1 & 1],
                                  .queries = queries[i >> 2 & 1], .keys = 4096, .causal = i >> 3 & 1, .soft_cap = i >> 4 & 1};
            zlay_attention_plan *plan = planned(target, &ask);
            char *text = printed(&r, plan, arguments);
            assert_true(number_behind(text, ".vgpr_count: ") <= 256);
            assert_true(number_behind(text, ".amdhsa_next_free_sgpr ") <= 102);
            assert_int_equal(number_behind(text, ".amdhsa_private_segment_fixed_size "), 0);
            assert_int_equal(number_behind(text, ".amdhsa_group_segment_fixed_size "), 32768);
            assert_null(strstr(text, "scratch_"));
            free(text);
            zlay_attention_free(plan);
        }
}

/* ---- refusals ------------------------------------------------------------------------------------ */

static void refusals(void **state)
{
    static const struct {
        zlay_attention ask;
        const char *word;
    } bad[] = {
        {{.head = 256, .queries = 64, .keys = 64}, "64 and 128 are planned"},
        {{.head = 64, .queries = 64, .keys = 64, .type = ZLAY_TYPE_E4M3}, "type e4m3: not planned on gfx942; the nearest that works is bf16"},
        {{.head = 64, .queries = 64, .keys = 64, .splits = 2}, "splits: not planned on gfx942; the nearest that works is 1"},
        {{.head = 64, .queries = 64, .keys = 64, .lse = 1}, "lse: not planned on gfx942"},
        {{.head = 64, .queries = 64, .keys = 64, .sinks = 1}, "sinks: not planned on gfx942"},
        {{.head = 64, .queries = 64, .keys = 64, .causal = 1, .window = 8}, "window: not planned on gfx942"},
        {{.head = 64, .queries = 64, .keys = 64, .k_lengths = ZLAY_LENGTHS_PADDED}, "nearest that works is equal"},
        {{.head = 64, .queries = 64, .keys = 64, .heads = 70000, .kv_heads = 1}, "heads: 70000"},
        {{.head = 64, .queries = 64, .keys = 1 << 25}, "2^31 - 1"},
        {{.head = 64, .queries = 64, .keys = 64, .k = {.row = 68, .head = 68}}, "k: strides are multiples of 16 bytes"},
        {{.head = 64, .queries = 64, .keys = 64, .batch = 2, .v = {.batch = (uint64_t)1 << 31}}, "2^32 bytes apart"},
        {{.head = 64, .queries = 65, .keys = 64, .causal = 1}, "the first see none"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        zlay_attention ask = bad[i].ask;
        zlay_attention_plan *plan = NULL;
        ask.size = sizeof ask;
        if (zlay_attention_synth(ctx, &plan, wave_target("gfx942"), &ask) != ZLAY_ENOTSUP) fail_msg("%s", bad[i].word);
        if (!strstr(zlay_ctx_message(ctx), bad[i].word)) fail_msg("%s", zlay_ctx_message(ctx));
        assert_null(plan);
    }
}

/* There is no CUDA C of these targets; names are names. */
static void printing_refused(void **state)
{
    zlay_attention ask = {.size = sizeof ask, .head = 64, .queries = 64, .keys = 64};
    zlay_attention_plan *plan = planned(GCN_942, &ask);
    zlay_attention_emit emit = {.size = sizeof emit, .plan = plan, .name = "fa", .name_length = 2, .language = ZLAY_TEXT_CUDA};
    zlay_buf none = {NULL, 0, 0};
    (void)state;
    assert_int_equal(zlay_emit_attention(ctx, &none, NULL, NULL, 0, &emit), ZLAY_ENOTSUP);
    emit.language = ZLAY_TEXT_PTX;
    emit.name = "f a";
    emit.name_length = 3;
    assert_int_equal(zlay_emit_attention(ctx, &none, NULL, NULL, 0, &emit), ZLAY_EINVAL);
    zlay_attention_free(plan);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(registers),
                                       cmocka_unit_test(refusals), cmocka_unit_test(printing_refused)};
    return cmocka_run_group_tests_name("gcn-attention", tests, open_ctx, close_ctx);
}
