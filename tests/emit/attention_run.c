/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of attention as kernels for sm_90a and sm_100a: assembled by ptxas, compiled by nvcc, and executed as PTX on the CPU at ragged lengths, of masks, shared heads, sinks,
 * lengths that differ in a batch and splits; every element of the result is compared with softmax(Q K^T / sqrt(d)) V in double, and the log-sum-exp of every row. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/run.h"

#include "assembler.h"
#include "ctx.h"

#include <math.h>
#include <stdio.h>

enum { KERNEL = 1 << 20, ARGUMENTS = 32, ROWS_MOST = 400, CAP = 2, TILE_MOST = 192, NOT_A_NUMBER = 0x7fff, UNTOUCHED = 0xeeee /* no result */,
       SMEM = 227 << 10 /* of a processor: one block that allocates tensor memory */, NOT_A_BYTE = 0x7f, GREATEST = 0x40 /* 2 of e4m3 */, ACROSS = 16 };

static px_machine machine;
static char kernel[KERNEL];

typedef struct shape {
    uint32_t head, causal, cap;
    uint64_t batch, heads, kv_heads, queries, keys;
    int32_t type;
    uint32_t sinks, lse;
    uint64_t window;
    const int32_t *rows[2]; /* of each sequence, keys first; NULL: all have as many */
    bool packed[2];
    uint64_t splits;
    bool tmem; /* of sm_100a, in tensor memory; else of sm_90a */
} shape;

enum { KEYS, QUERIES };

static const char *target_name(const shape *s) { return s->tmem ? "sm_100a" : "sm_90a"; }

typedef struct run {
    zlay_ctx *ctx;
    zlay_attention_plan *plan;
    zlay_attention_summary info;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
    uint16_t *tensor[4]; /* q, k, v, o */
    double *number[3];   /* q, k, v as numbers */
    uint8_t *bytes[3];   /* q, k, v of e4m3 as the kernel reads them; tensor has them in halves of their own */
    size_t bytes_count[3];
    size_t elements[4];
    size_t before[4];    /* elements of NaN in front of a tensor, where the maps of sequences begin */
    uint64_t at[7];
    float *part[2];         /* of splits: results and log-sum-exps, in the layouts of zlay/attention.h */
    size_t part_count[2];
    float *sinks; /* NULL: none */
    float *lse;   /* [batch][heads][rows up to a multiple of 4] */
    size_t lse_count;
    int32_t *lengths[2]; /* the arrays that the kernel reads */
} run;

/* ---- values ------------------------------------------------------------------------------ */

static double value_of(uint16_t bits, int32_t type)
{
    uint32_t word = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &word, 4);
    if (type == ZLAY_TYPE_BF16) return value;
    if (type == ZLAY_TYPE_E4M3) {
        int e = bits >> 3 & 15, m = bits & 7;
        double magnitude = (bits & NOT_A_BYTE) == NOT_A_BYTE ? NAN : e ? ldexp(8 + m, e - 10) : ldexp(m, -9);
        return bits & 128 ? -magnitude : magnitude;
    }
    int exponent = bits >> 10 & 31, sign = bits >> 15;
    double mantissa = bits & 1023, size = exponent ? ldexp(1 + mantissa / 1024, exponent - 15) : ldexp(mantissa, -24);
    return sign ? -size : size;
}

/* Uniform in eighths, or with a sum of four uniform numbers: exact in both types. */
static uint16_t draw(uint64_t *seed, int32_t type)
{
    int number = (int)(test_random(seed) % 33) + (int)(test_random(seed) % 33) - 32; /* in [-32, 32], of 1/16 */
    float value = (float)number / 16;
    uint32_t word;
    if (type == ZLAY_TYPE_E4M3) { /* rounded down */
        uint16_t code = GREATEST;
        while (value_of(code, type) > fabs(value)) code--;
        return number < 0 ? code | 128 : code;
    }
    memcpy(&word, &value, 4);
    if (type == ZLAY_TYPE_BF16) return (uint16_t)(word >> 16);
    if (!number) return 0;
    return (uint16_t)((word >> 31) << 15 | (((word >> 23) & 255) - 127 + 15) << 10 | (word >> 13 & 1023));
}

/* ---- kernels ------------------------------------------------------------------------------- */

static zlay_attention asked(const shape *s)
{
    int32_t lengths[2];
    for (int q = 0; q < 2; q++) lengths[q] = !s->rows[q] ? ZLAY_LENGTHS_EQUAL : s->packed[q] ? ZLAY_LENGTHS_PACKED : ZLAY_LENGTHS_PADDED;
    return (zlay_attention){.size = sizeof(zlay_attention), .q_lengths = lengths[QUERIES], .k_lengths = lengths[KEYS], .type = s->type, .batch = s->batch, .heads = s->heads,
                            .kv_heads = s->kv_heads, .queries = s->queries, .keys = s->keys, .head = s->head, .causal = s->causal,
                            .soft_cap = s->cap, .sinks = s->sinks, .lse = s->lse, .window = s->window, .splits = s->splits};
}

static bool is_bytes(const shape *s) { return s->type == ZLAY_TYPE_E4M3; }

static int32_t result_type(const shape *s) { return is_bytes(s) ? ZLAY_TYPE_BF16 : s->type; }

/* What the factors of Q and K multiply scores by, and that of V. */
static double scores_by(const shape *s) { return is_bytes(s) ? 1.5 : 1; }
static double values_by(const shape *s) { return is_bytes(s) ? 0.75 : 1; }

/* ---- sequences ------------------------------------------------------------------------------ */

/* The tensors have rows of keys and of queries. */
static int side_of(int tensor) { return tensor == 0 || tensor == 3 ? QUERIES : KEYS; }

static uint64_t rows_most(const shape *s, int side) { return side ? s->queries : s->keys; }

static uint64_t rows_in(const shape *s, int side, uint64_t b)
{
    return s->rows[side] ? (uint64_t)s->rows[side][b] : rows_most(s, side);
}

/* The row of the tensor at which a sequence begins; of the batch: where the tensor ends. */
static uint64_t rows_before(const shape *s, int side, uint64_t b)
{
    uint64_t sum = 0;
    if (!s->packed[side]) return b * rows_most(s, side);
    while (b--) sum += rows_in(s, side, b);
    return sum;
}

static void lengths_make(run *r, const shape *s)
{
    for (int side = 0; side < 2; side++) {
        if (!s->rows[side]) continue;
        r->lengths[side] = calloc(s->batch + 1, sizeof **r->lengths);
        assert_non_null(r->lengths[side]);
        for (uint64_t b = 0; b <= s->batch; b++)
            if (s->packed[side] || b < s->batch)
                r->lengths[side][b] = (int32_t)(s->packed[side] ? rows_before(s, side, b) : rows_in(s, side, b));
    }
}

/* ---- plans and kernels ------------------------------------------------------------------------ */

static void plan_make(run *r, const shape *s)
{
    zlay_attention a = asked(s);
    if (zlay_attention_synth(r->ctx, &r->plan, target_of(target_name(s)), &a)) fail_msg("%s", zlay_ctx_message(r->ctx));
}

static void print_kernel(run *r, const zlay_attention_plan *plan, int32_t language)
{
    zlay_buf out = {kernel, sizeof kernel, 0};
    zlay_attention_emit ask = {.size = sizeof ask, .language = language, .plan = plan, .name = "kernel", .name_length = 6};
    assert_int_equal(zlay_attention_info(&r->info, plan), ZLAY_OK);
    if (zlay_emit_attention(r->ctx, &out, &r->launch, r->argument, ARGUMENTS, &ask)) fail_msg("%s", zlay_ctx_message(r->ctx));
    assert_int_equal(r->launch.threads, r->info.threads);
}

static void assemble_plan(run *r, const zlay_attention_plan *plan, const shape *s, bool compile)
{
    print_kernel(r, plan, ZLAY_TEXT_PTX);
    if (s->tmem && plan == r->plan) assert_true(r->launch.smem > SMEM / 2);
    if (!assembles_fast(target_name(s), kernel))
        fail_msg("%s, head %u, causal %u, cap %u, sinks %u, lse %u, window %llu, splits %llu: PTX", target_name(s), s->head, s->causal, s->cap, s->sinks,
                 s->lse, (unsigned long long)s->window, (unsigned long long)s->splits);
    print_kernel(r, plan, ZLAY_TEXT_CUDA);
    if (compile && has_compiler() && !compiles(target_name(s), kernel)) fail_msg("head %u: CUDA C", s->head);
}

static void assemble_one(run *r, const shape *s, bool compile)
{
    plan_make(r, s);
    assemble_plan(r, r->plan, s, compile);
    if (s->splits > 1) assemble_plan(r, zlay_attention_merge(r->plan), s, compile);
    zlay_attention_free(r->plan);
}

/* CUDA C of one head alone: heads differ in numbers, and nvcc takes longer than all else here. ZLAY_EXHAUSTIVE=2 compiles all. */
static bool is_compiled(uint32_t head) { return head == 128 || test_hours(); }

/* Of sm_100a, where no product waits for another and registers are no worry, every second kind of a head. */
static bool is_assembled(bool tmem, uint32_t head, uint32_t kind)
{
    return !tmem || test_hours() || kind == 15 || (kind + head / 64) % 2;
}

static void assembles_on(void **state, bool tmem)
{
    static const int32_t lengths[] = {300, 20};
    for (uint32_t head = 64; head <= 256; head *= 2)
        for (uint32_t kind = 0; kind < 16; kind++) {
            run r = {.ctx = *state};
            shape s = {head, kind & 1, kind >> 1 & 1, 2, 4, 2, 300, 300, kind & 1 ? ZLAY_TYPE_BF16 : ZLAY_TYPE_F16,
                       .tmem = tmem, .sinks = kind >> 2 & 1, .lse = kind % 3 == 1, .window = kind >= 8 ? 100 : 0};
            if (!is_assembled(tmem, head, kind)) continue;
            if (s.window) s.causal = 1, s.sinks = kind & 1;
            if (kind >= 12) s.rows[QUERIES] = s.rows[KEYS] = lengths, s.packed[QUERIES] = kind & 1, s.packed[KEYS] = kind >> 1 & 1, s.window = kind & 1 ? 100 : 0, s.causal = kind != 14;
            assemble_one(&r, &s, kind == 11 && is_compiled(head));
            if (kind % 5) continue;
            s.splits = 3, s.queries = kind ? 300 : 8;
            assemble_one(&r, &s, kind == 15 && is_compiled(head));
        }
}

static void assembles_bytes(void **state)
{
    for (uint32_t head = 64; head <= 256; head *= 2)
        for (uint32_t kind = 0; kind < 8; kind++) {
            run r = {.ctx = *state};
            shape s = {head, kind & 1, kind >> 1 & 1, 2, 4, 2, kind == 4 ? 8 : 300, 301, ZLAY_TYPE_E4M3, .sinks = kind >> 2, .lse = kind % 3 == 1,
                       .window = kind == 3 ? 100 : 0};
            assemble_one(&r, &s, kind == 7 && is_compiled(head));
        }
}

static void assembles_and_compiles(void **state)
{
    need_assembler();
    assembles_on(state, false);
    assembles_on(state, true);
    assembles_bytes(state);
}

/* ---- arguments -------------------------------------------------------------------------------- */

static uint32_t argument_of(const run *r, const char *name)
{
    for (uint32_t i = 0; i < r->launch.arguments; i++)
        if (!strcmp(r->argument[i].name, name)) return i;
    fail_msg("no argument %s", name);
    return 0;
}

static void give_float(run *r, const char *name, double value)
{
    float narrow = (float)value;
    memcpy(machine.param[argument_of(r, name)], &narrow, 4);
}

static void give_int(run *r, const char *name, int64_t value)
{
    int32_t narrow = (int32_t)value;
    memcpy(machine.param[argument_of(r, name)], &narrow, 4);
}

static void give_maps(run *r, const zlay_attention_plan *plan)
{
    static const char tensors[] = "qkvolps";
    const zlay_move *move;
    char tensor;
    uint32_t next = 0;
    zlay_tensormap map;
    for (uint32_t i = 0; !zlay_attention_move_nth(&move, &tensor, plan, i); i++)
        for (uint32_t m = 0; !zlay_move_map_nth(&map, move, m); m++, next++) {
            assert_int_equal(r->argument[next].kind, ZLAY_ARGUMENT_MAP);
            uint64_t words[16];
            map.address += r->at[strchr(tensors, tensor) - tensors];
            assert_int_equal(zlay_tensormap_pack(words, target_of("sm_90a"), &map), ZLAY_OK);
            memcpy(machine.param[next], words, sizeof words);
        }
}

static void give_array(run *r, const char *name, uint64_t address, const void *data, size_t bytes)
{
    machine.memory[machine.memories++] = (px_memory){address, bytes, (uint8_t *)data};
    memcpy(machine.param[argument_of(r, name)], &address, sizeof address);
}

static void give_lengths(run *r, const shape *s, int side)
{
    static const char *const names[2][2] = {{"read_k_rows", "read_k_starts"}, {"read_q_rows", "read_q_starts"}};
    if (s->rows[side])
        give_array(r, names[side][s->packed[side]], (uint64_t)(7 + side) << 32, r->lengths[side],
                   (s->batch + s->packed[side]) * sizeof **r->lengths);
}

/* The tensors. */
static void give_memory(run *r)
{
    machine.memories = 0;
    memset(machine.param, 0, sizeof machine.param);
    for (int i = 0; i < 4; i++) {
        r->at[i] = (uint64_t)(i + 1) << 32;
        machine.memory[machine.memories++] = (px_memory){
            r->at[i] - r->before[i] * 2, (r->before[i] + r->elements[i]) * 2, (uint8_t *)(r->tensor[i] - r->before[i])};
        if (i < 3 && r->bytes[i]) machine.memory[machine.memories - 1] = (px_memory){r->at[i] - r->before[i], r->bytes_count[i], r->bytes[i]};
    }
    if (r->lse) {
        r->at[4] = (uint64_t)6 << 32;
        machine.memory[machine.memories++] = (px_memory){r->at[4], r->lse_count * sizeof *r->lse, (uint8_t *)r->lse};
    }
    for (int i = 0; i < 2; i++) r->at[5 + i] = (uint64_t)(10 + i) << 32;
}

static void give_parts(run *r)
{
    for (int i = 0; i < 2; i++)
        machine.memory[machine.memories++] = (px_memory){r->at[5 + i], r->part_count[i] * sizeof **r->part, (uint8_t *)r->part[i]};
}

static void give_merge(run *r, const shape *s)
{
    give_memory(r);
    give_array(r, "read_part_o", r->at[5], r->part[0], r->part_count[0] * sizeof **r->part);
    give_array(r, "read_part_lse", r->at[6], r->part[1], r->part_count[1] * sizeof **r->part);
    if (r->sinks) give_array(r, "read_sinks", (uint64_t)5 << 32, r->sinks, s->heads * sizeof *r->sinks);
    give_lengths(r, s, QUERIES);
    give_maps(r, zlay_attention_merge(r->plan));
}

static void give_all(run *r, const shape *s, double cap)
{
    double log2e = 1.4426950408889634, scale = 1 / sqrt(s->head);
    give_memory(r);
    if (s->splits > 1) give_parts(r);
    else if (r->sinks) give_array(r, "read_sinks", (uint64_t)5 << 32, r->sinks, s->heads * sizeof *r->sinks);
    for (int side = 0; side < 2; side++) give_lengths(r, s, side);
    give_maps(r, r->plan);
    give_int(r, "n_N", (int64_t)r->info.tiles);
    if (!s->rows[KEYS]) give_int(r, "x_keys", (int64_t)s->keys);
    if (s->causal && !s->rows[KEYS] && !s->rows[QUERIES]) give_int(r, "x_offset", (int64_t)(s->keys - s->queries));
    scale *= scores_by(s);
    give_float(r, "x_scale", s->cap ? cap * log2e : scale * log2e);
    if (s->cap) give_float(r, "x_inner", scale / cap);
    if (is_bytes(s)) give_float(r, "x_v_scale", values_by(s));
}

/* ---- the same in double -------------------------------------------------------------------------- */

typedef struct place {
    uint64_t b, h;
} place;

/* [batch][row][head][element] */
static size_t index_of(const shape *s, place p, int side, uint64_t row, uint64_t c)
{
    return (size_t)(((rows_before(s, side, p.b) + row) * (side ? s->heads : s->kv_heads) + p.h) * s->head + c);
}

static uint64_t lse_rows(const shape *s)
{
    return (s->queries + 3) / 4 * 4;
}

static void numbers_make(run *r, const shape *s)
{
    for (int i = 0; i < 3; i++) {
        r->number[i] = malloc((r->elements[i] + 1) * sizeof **r->number);
        assert_non_null(r->number[i]);
        for (size_t e = 0; e < r->elements[i]; e++) r->number[i][e] = value_of(r->tensor[i][e], s->type);
    }
}

/* Returns the log-sum-exp. Out: `size`, for each column the sum of weights times magnitudes. */
static double row_of(double *out, double *size, const run *r, const shape *s, place p, uint64_t row, double cap)
{
    static double weight[ROWS_MOST];
    place kv = {p.b, p.h / (s->heads / s->kv_heads)};
    uint64_t all = rows_in(s, KEYS, p.b), queries = rows_in(s, QUERIES, p.b);
    uint64_t keys = !s->causal ? all : row + 1 + all < queries ? 0 : row + 1 + all - queries;
    uint64_t first = s->window && s->window < keys ? keys - s->window : 0;
    const double *q = r->number[0] + index_of(s, p, QUERIES, row, 0), *k = r->number[1] + index_of(s, kv, KEYS, 0, 0);
    const double *v = r->number[2] + index_of(s, kv, KEYS, 0, 0);
    uint64_t apart = s->kv_heads * s->head;
    double most = -INFINITY, sum = 0;
    for (uint64_t j = first; j < keys; j++) {
        double dot = 0;
        for (uint64_t c = 0; c < s->head; c++) dot += q[c] * k[j * apart + c];
        dot *= scores_by(s) / sqrt(s->head);
        weight[j] = s->cap ? cap * tanh(dot / cap) : dot;
        most = fmax(most, weight[j]);
    }
    if (r->sinks && r->sinks[p.h] > -INFINITY) most = fmax(most, r->sinks[p.h]), sum = exp(r->sinks[p.h] - most);
    for (uint64_t j = first; j < keys; j++) sum += weight[j] = exp(weight[j] - most);
    for (uint64_t c = 0; c < s->head; c++) out[c] = size[c] = 0;
    for (uint64_t j = first; j < keys; j++)
        for (uint64_t c = 0; c < s->head; c++) {
            double term = weight[j] / sum * values_by(s) * v[j * apart + c];
            out[c] += term;
            size[c] += fabs(term);
        }
    return sum > 0 ? most + log(sum) : -INFINITY;
}

/* f32, but for tanh, which is approximate to 2^-11. */
static void compare_lse(double got, double wanted, const shape *s, uint64_t row)
{
    if (!(got == wanted || fabs(got - wanted) <= (s->cap ? 2e-3 : 1e-4)))
        fail_msg("head %u: row %llu: log-sum-exp %g, not %g", s->head, (unsigned long long)row, got, wanted);
}

/* Weights are rounded to 16 bits, relative to the greatest, and the result is. Those of e4m3 have an error of 2^-4 of
 * themselves, and below 2^-14 of the greatest 2^-18 of that. */
static double allowed(const shape *s, double size)
{
    return is_bytes(s) ? size / 16 + (double)s->keys * ldexp(2, -18) + 0.006 : 0.012;
}

static void compare(const run *r, const shape *s, double cap)
{
    double wanted[256], size[256];
    for (uint64_t b = 0; b < s->batch; b++)
        for (uint64_t h = 0; h < s->heads; h++)
            for (uint64_t row = 0; row < rows_in(s, QUERIES, b); row++) {
                place p = {b, h};
                double lse = row_of(wanted, size, r, s, p, row, cap);
                if (r->lse) compare_lse(r->lse[(b * s->heads + h) * lse_rows(s) + row], lse, s, row);
                for (uint64_t c = 0; c < s->head; c++) {
                    double got = value_of(r->tensor[3][index_of(s, p, QUERIES, row, c)], result_type(s));
                    if (!(fabs(got - wanted[c]) <= allowed(s, size[c])))
                        fail_msg("head %u: batch %llu, head %llu, row %llu, column %llu: %g, not %g", s->head, (unsigned long long)b,
                                 (unsigned long long)h, (unsigned long long)row, (unsigned long long)c, got, wanted[c]);
                }
            }
}

/* A sink below all scores, one above them, none, others between. */
static void draw_sinks(run *r, const shape *s, uint64_t *seed)
{
    static const float far[] = {-200, 200, -INFINITY};
    r->sinks = s->sinks ? malloc(s->heads * sizeof *r->sinks) : NULL;
    for (uint64_t h = 0; h < s->heads && r->sinks; h++) {
        uint64_t number = test_random(seed) % 12;
        r->sinks[h] = number < 3 ? far[number] : (float)number / 2 - 2;
    }
}

/* What no result depends on is NaN: rows behind a padded sequence, keys of one that has no queries. */
static void spoil(run *r, const shape *s, int tensor)
{
    int side = side_of(tensor);
    uint64_t heads = side ? s->heads : s->kv_heads;
    for (uint64_t b = 0; b < s->batch; b++) {
        uint64_t first = rows_in(s, QUERIES, b) ? rows_in(s, side, b) : 0, all = rows_before(s, side, b + 1) - rows_before(s, side, b);
        for (uint64_t e = first * heads * s->head; e < all * heads * s->head; e++)
            r->tensor[tensor][index_of(s, (place){b, 0}, side, 0, 0) + e] = NOT_A_NUMBER;
    }
}

/* Element e of a tensor [batch][row][head][element] in V's [batch][head][element][key], rows of whole 16 bytes. */
static size_t across(const shape *s, size_t e)
{
    size_t c = e % s->head, h = e / s->head % s->kv_heads, row = e / s->head / s->kv_heads;
    size_t key = row % s->keys, b = row / s->keys, pitch = (s->keys + ACROSS - 1) / ACROSS * ACROSS;
    return ((b * s->kv_heads + h) * s->head + c) * pitch + key;
}

/* What lies behind K's rows and beside V's is NaN. */
static void bytes_make(run *r, const shape *s)
{
    size_t pitch = (s->keys + ACROSS - 1) / ACROSS * ACROSS;
    const size_t more[] = {0, s->kv_heads * s->head * (s->keys % 2), 0};
    for (int i = 0; i < 3 && is_bytes(s); i++) {
        r->bytes_count[i] = r->before[i] + (i == 2 ? s->batch * s->kv_heads * s->head * pitch : r->elements[i] + more[i]);
        r->bytes[i] = malloc(r->bytes_count[i]);
        assert_non_null(r->bytes[i]);
        memset(r->bytes[i], NOT_A_BYTE, r->bytes_count[i]);
        for (size_t e = 0; e < r->elements[i]; e++) r->bytes[i][r->before[i] + (i == 2 ? across(s, e) : e)] = (uint8_t)r->tensor[i][e];
    }
}

static void tensors_make(run *r, const shape *s, uint64_t *seed)
{
    for (int i = 0; i < 4; i++) {
        r->elements[i] = index_of(s, (place){s->batch, 0}, side_of(i), 0, 0);
        r->before[i] = s->rows[side_of(i)] ? (rows_most(s, side_of(i)) + TILE_MOST) * s->heads * s->head : 0;
        r->tensor[i] = malloc((r->before[i] + r->elements[i]) * 2);
        assert_non_null(r->tensor[i]);
        for (size_t e = 0; e < r->before[i]; e++) r->tensor[i][e] = NOT_A_NUMBER;
        r->tensor[i] += r->before[i];
        for (size_t e = 0; e < r->elements[i]; e++) r->tensor[i][e] = i < 3 ? draw(seed, s->type) : UNTOUCHED;
    }
    r->lse_count = (size_t)(s->lse ? s->batch * s->heads * lse_rows(s) : 0);
    r->lse = r->lse_count ? malloc(r->lse_count * sizeof *r->lse) : NULL;
    for (size_t e = 0; e < r->lse_count; e++) r->lse[e] = NAN;
    r->part_count[0] = (size_t)(s->batch * s->heads * s->splits * s->queries * s->head);
    r->part_count[1] = (size_t)(s->batch * s->heads * s->splits * lse_rows(s));
    for (int i = 0; i < 2 && s->splits > 1; i++) {
        r->part[i] = malloc(r->part_count[i] * sizeof **r->part);
        assert_non_null(r->part[i]);
        for (size_t e = 0; e < r->part_count[i]; e++) r->part[i][e] = NAN;
    }
    draw_sinks(r, s, seed);
    lengths_make(r, s);
    for (int i = 0; i < 3; i++) spoil(r, s, i);
    numbers_make(r, s);
    bytes_make(r, s);
}

/* Runs the first blocks of the grid; 0: all. */
static void run_kernel(run *r, uint64_t *seed, int when, uint64_t blocks)
{
    machine.when = (px_when)when;
    machine.random = test_random(seed);
    machine.grid[0] = (uint32_t)r->info.grid[0], machine.grid[1] = (uint32_t)r->info.grid[1];
    if (!blocks) blocks = r->info.grid[0] * r->info.grid[1] * r->info.grid[2];
    px_run(&machine, kernel, (int)r->launch.threads, (uint32_t)blocks, 1);
    if (*machine.fault) fail_msg("%s", machine.fault);
}

static void run_make(run *r, const shape *s, uint64_t *seed, int when, uint64_t blocks)
{
    plan_make(r, s);
    print_kernel(r, r->plan, ZLAY_TEXT_PTX);
    tensors_make(r, s, seed);
    give_all(r, s, CAP);
    run_kernel(r, seed, when, blocks);
    if (s->splits < 2) return;
    print_kernel(r, zlay_attention_merge(r->plan), ZLAY_TEXT_PTX);
    give_merge(r, s);
    run_kernel(r, seed, when, 0);
}

static void run_free(run *r)
{
    for (int i = 0; i < 4; i++) free(r->tensor[i] - r->before[i]);
    for (int i = 0; i < 3; i++) free(r->bytes[i]), free(r->number[i]);
    free(r->lse);
    free(r->sinks);
    for (int i = 0; i < 2; i++) free(r->part[i]);
    for (int i = 0; i < 2; i++) free(r->lengths[i]);
    zlay_attention_free(r->plan);
}

/* Nothing is written before the tensor, or behind the queries of a padded sequence. */
static void leaves_padding(const run *r, const shape *s)
{
    for (size_t e = 1; e <= r->before[3]; e++)
        if (*(r->tensor[3] - e) != NOT_A_NUMBER) fail_msg("head %u: %zu elements before the result", s->head, e);
    for (uint64_t b = 0; b < s->batch && !s->packed[QUERIES]; b++)
        for (size_t e = index_of(s, (place){b, 0}, QUERIES, rows_in(s, QUERIES, b), 0); e < index_of(s, (place){b + 1, 0}, QUERIES, 0, 0); e++)
            if (r->tensor[3][e] != UNTOUCHED) fail_msg("head %u: element %zu behind sequence %llu", s->head, e, (unsigned long long)b);
}

static void run_on(zlay_ctx *ctx, const shape *s, uint64_t *seed, int when)
{
    run r = {.ctx = ctx};
    run_make(&r, s, seed, when, 0);
    compare(&r, s, CAP);
    leaves_padding(&r, s);
    run_free(&r);
}

/* With each schedule on sm_90a, and with one of them on sm_100a. */
static void run_shape(zlay_ctx *ctx, const shape *s, uint64_t *seed, int which)
{
    shape other = *s;
    other.tmem = true;
    for (int when = 0; when < 3; when++) run_on(ctx, s, seed, when);
    run_on(ctx, &other, seed, which % 3);
}

/* The blocks of one head write nothing of another, where a block has tiles of 64 queries that a head has not, and the map has
 * heads or batches right behind the rows. */
static void stays_in_its_head(void **state)
{
    static const shape shapes[] = {{64, 0, 0, 2, 1, 1, 256, 20, .type = ZLAY_TYPE_BF16, .lse = 1},
                                   {64, 1, 0, 1, 2, 1, 256, 256, .type = ZLAY_TYPE_BF16, .lse = 1},
                                   {128, 0, 0, 2, 1, 1, 192, 20, .type = ZLAY_TYPE_BF16, .lse = 1}};
    uint64_t seed = test_seed("head");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        run r = {.ctx = *state};
        run_make(&r, s, &seed, 0, (s->queries + (s->head == 64 ? 191 : 127)) / (s->head == 64 ? 192 : 128));
        for (size_t e = 0; e < r.elements[3]; e++) {
            bool first = e / s->head % s->heads == 0 && e / s->head / s->heads < s->queries;
            if (first == (r.tensor[3][e] == UNTOUCHED)) fail_msg("shape %zu: element %zu of the result", i, e);
        }
        for (size_t e = 0; e < r.lse_count; e++)
            if (isnan(r.lse[e]) != (e >= s->queries)) fail_msg("shape %zu: log-sum-exp %zu", i, e);
        run_free(&r);
    }
}

static void runs(void **state)
{
    static const shape shapes[] = {
        {64, 0, 0, 1, 1, 1, 5, 3, .type = ZLAY_TYPE_BF16}, {64, 0, 0, 1, 1, 1, 64, 64, .type = ZLAY_TYPE_BF16},
        {64, 0, 0, 1, 2, 1, 130, 257, .type = ZLAY_TYPE_BF16}, {64, 1, 0, 2, 2, 2, 65, 65, .type = ZLAY_TYPE_BF16},
        {64, 1, 1, 1, 1, 1, 60, 300, .type = ZLAY_TYPE_BF16}, {64, 1, 0, 1, 1, 1, 193, 400, .type = ZLAY_TYPE_BF16},
        {128, 1, 0, 1, 2, 1, 129, 260, .type = ZLAY_TYPE_BF16}, {128, 0, 1, 1, 1, 1, 40, 129, .type = ZLAY_TYPE_BF16},
        {128, 0, 0, 1, 1, 1, 64, 64, .type = ZLAY_TYPE_BF16}, {256, 1, 0, 1, 1, 1, 70, 140, .type = ZLAY_TYPE_BF16},
        {256, 1, 0, 1, 1, 1, 1, 65, .type = ZLAY_TYPE_BF16}, {64, 0, 0, 1, 4, 1, 70, 190, .type = ZLAY_TYPE_BF16, .sinks = 1},
        {64, 1, 1, 2, 2, 1, 20, 20, .type = ZLAY_TYPE_BF16, .sinks = 1, .lse = 1},
        {128, 1, 0, 1, 4, 2, 33, 150, .type = ZLAY_TYPE_BF16, .sinks = 1},
        {256, 0, 1, 1, 2, 1, 9, 70, .type = ZLAY_TYPE_BF16, .sinks = 1},
        {64, 1, 0, 1, 2, 1, 150, 200, .type = ZLAY_TYPE_F16, .lse = 1}, {64, 1, 0, 2, 2, 1, 131, 140, .type = ZLAY_TYPE_BF16, .lse = 1}, {128, 0, 0, 2, 3, 1, 66, 131, .type = ZLAY_TYPE_BF16, .lse = 1},
        {256, 1, 0, 1, 2, 1, 65, 70, .type = ZLAY_TYPE_BF16, .sinks = 1, .lse = 1},
        {64, 1, 0, 1, 1, 1, 400, 400, .type = ZLAY_TYPE_BF16, .window = 1}, {64, 1, 0, 1, 2, 1, 300, 400, .type = ZLAY_TYPE_BF16, .window = 37},
        {64, 1, 1, 1, 1, 1, 60, 400, .type = ZLAY_TYPE_BF16, .window = 130, .sinks = 1, .lse = 1},
        {128, 1, 0, 1, 1, 1, 260, 390, .type = ZLAY_TYPE_BF16, .window = 129}, {128, 1, 0, 1, 1, 1, 130, 400, .type = ZLAY_TYPE_BF16, .window = 250, .lse = 1},
        {256, 1, 0, 1, 1, 1, 130, 330, .type = ZLAY_TYPE_BF16, .window = 65}, {256, 1, 1, 1, 1, 1, 64, 200, .type = ZLAY_TYPE_BF16, .window = 199},
    };
    uint64_t seed = test_seed("attention");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        run_shape(*state, &shapes[i], &seed, (int)i);
}

/* Q, K and V of e4m3: any number of keys, also an odd one. */
static void runs_bytes(void **state)
{
    static const int32_t rows[] = {0, 65, 1, 64};
    static const shape shapes[] = {
        {128, 0, 0, 1, 1, 1, 64, 128, .type = ZLAY_TYPE_E4M3},
        {128, 0, 0, 1, 1, 1, 5, 1, .type = ZLAY_TYPE_E4M3}, {64, 0, 0, 1, 2, 1, 7, 2, .type = ZLAY_TYPE_E4M3},
        {256, 0, 0, 2, 1, 1, 3, 3, .type = ZLAY_TYPE_E4M3}, {64, 0, 0, 2, 4, 2, 130, 257, .type = ZLAY_TYPE_E4M3},
        {64, 1, 0, 2, 2, 2, 65, 65, .type = ZLAY_TYPE_E4M3, .lse = 1}, {64, 1, 1, 1, 1, 1, 193, 396, .type = ZLAY_TYPE_E4M3, .sinks = 1, .lse = 1},
        {128, 1, 0, 1, 2, 1, 129, 260, .type = ZLAY_TYPE_E4M3}, {128, 0, 1, 2, 3, 1, 66, 131, .type = ZLAY_TYPE_E4M3, .lse = 1},
        {128, 1, 0, 1, 4, 2, 33, 150, .type = ZLAY_TYPE_E4M3, .sinks = 1}, {128, 1, 0, 1, 1, 1, 200, 399, .type = ZLAY_TYPE_E4M3, .window = 129, .lse = 1},
        {256, 1, 0, 1, 1, 1, 130, 330, .type = ZLAY_TYPE_E4M3, .window = 65}, {256, 1, 0, 1, 2, 1, 65, 71, .type = ZLAY_TYPE_E4M3, .sinks = 1, .lse = 1},
        {128, 1, 0, 4, 2, 2, 65, 131, .type = ZLAY_TYPE_E4M3, .rows = {NULL, rows}, .packed = {false, true}, .lse = 1},
        {64, 0, 0, 4, 2, 1, 65, 40, .type = ZLAY_TYPE_E4M3, .rows = {NULL, rows}},
    };
    uint64_t seed = test_seed("bytes");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int when = 0; when < 3; when++) run_on(*state, &shapes[i], &seed, when);
}

/* Sequences of different lengths, with none, one more or less than a tile, and odd ones. */
static void runs_lengths(void **state)
{
    static const int32_t a[] = {0, 1, 63, 64, 65, 131}, b[] = {130, 0, 65, 64, 1, 129}, c[] = {63, 193, 0, 5, 64, 1}, none[] = {0, 0, 0, 0, 0, 0};
    static const shape shapes[] = {
        {64, 0, 0, 6, 1, 1, 131, 130, .type = ZLAY_TYPE_BF16, .rows = {b, a}, .packed = {true, true}, .lse = 1},
        {64, 1, 0, 6, 2, 1, 131, 131, .type = ZLAY_TYPE_BF16, .rows = {a, a}, .packed = {true, true}},
        {64, 1, 0, 6, 2, 2, 131, 193, .type = ZLAY_TYPE_BF16, .rows = {c, a}, .packed = {true, true}, .lse = 1, .window = 40},
        {128, 1, 0, 6, 1, 1, 193, 130, .type = ZLAY_TYPE_BF16, .rows = {b, c}, .packed = {true, true}, .lse = 1},
        {128, 0, 1, 6, 2, 1, 3, 193, .type = ZLAY_TYPE_BF16, .rows = {c, NULL}, .lse = 1, .sinks = 1},
        {128, 1, 0, 6, 2, 2, 5, 193, .type = ZLAY_TYPE_BF16, .rows = {c, NULL}, .packed = {true}, .lse = 1},
        {256, 1, 0, 6, 1, 1, 131, 131, .type = ZLAY_TYPE_BF16, .rows = {a, a}, .packed = {true, true}, .sinks = 1},
        {256, 0, 0, 6, 1, 1, 131, 70, .type = ZLAY_TYPE_BF16, .rows = {NULL, a}},
        {64, 1, 1, 6, 1, 1, 131, 150, .type = ZLAY_TYPE_BF16, .rows = {NULL, a}, .lse = 1, .window = 70},
        {128, 0, 0, 4, 4, 2, 65, 129, .type = ZLAY_TYPE_BF16, .rows = {b, a}},
        {64, 0, 0, 6, 1, 1, 65, 40, .type = ZLAY_TYPE_BF16, .rows = {none, NULL}, .lse = 1, .sinks = 1},
    };
    uint64_t seed = test_seed("lengths");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        run_shape(*state, &shapes[i], &seed, (int)i);
}

/* Keys of a row in several blocks, some with none, and their results merged. */
static void runs_splits(void **state)
{
    static const int32_t a[] = {0, 1, 64, 5}, b[] = {130, 0, 400, 129};
    static const shape shapes[] = {
        {64, 0, 0, 1, 2, 1, 1, 400, .type = ZLAY_TYPE_BF16, .splits = 3},
        {64, 1, 0, 2, 2, 2, 200, 400, .type = ZLAY_TYPE_BF16, .splits = 2, .lse = 1},
        {128, 0, 1, 1, 4, 2, 5, 390, .type = ZLAY_TYPE_BF16, .splits = 4, .sinks = 1, .lse = 1},
        {128, 1, 0, 2, 1, 1, 66, 260, .type = ZLAY_TYPE_BF16, .splits = 2},
        {64, 1, 0, 2, 16, 2, 3, 400, .type = ZLAY_TYPE_BF16, .splits = 3, .lse = 1, .sinks = 1},
        {128, 1, 0, 1, 4, 1, 40, 300, .type = ZLAY_TYPE_BF16, .splits = 2, .window = 100, .lse = 1},
        {64, 1, 0, 4, 4, 2, 6, 400, .type = ZLAY_TYPE_BF16, .rows = {b, NULL}, .splits = 2, .lse = 1},
        {64, 0, 0, 1, 6, 2, 5, 300, .type = ZLAY_TYPE_BF16, .splits = 2},
        {128, 1, 0, 1, 1, 1, 70, 400, .type = ZLAY_TYPE_BF16, .splits = 2, .window = 150, .lse = 1},
        {256, 0, 0, 1, 2, 1, 3, 200, .type = ZLAY_TYPE_BF16, .splits = 5, .sinks = 1},
        {256, 1, 0, 1, 1, 1, 130, 140, .type = ZLAY_TYPE_BF16, .splits = 2, .lse = 1},
        {64, 1, 0, 4, 2, 1, 64, 400, .type = ZLAY_TYPE_BF16, .rows = {b, a}, .packed = {true, true}, .splits = 3, .lse = 1},
        {128, 0, 0, 4, 1, 1, 1, 400, .type = ZLAY_TYPE_BF16, .rows = {b, NULL}, .splits = 2, .lse = 1, .sinks = 1},
        {256, 0, 0, 4, 1, 1, 64, 400, .type = ZLAY_TYPE_BF16, .rows = {b, a}, .packed = {false, true}, .splits = 2},
    };
    uint64_t seed = test_seed("splits");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        run_shape(*state, &shapes[i], &seed, (int)i);
}

/* The blocks of a sequence write nothing of the next one, which lies right behind it. */
static void stays_in_its_sequence(void **state)
{
    static const int32_t rows[] = {65, 70}, few[] = {0, 70};
    static const shape shapes[] = {{64, 1, 0, 2, 1, 1, 70, 70, .type = ZLAY_TYPE_BF16, .rows = {rows, rows}, .packed = {true, true}},
                                   {128, 0, 0, 2, 1, 1, 70, 20, .type = ZLAY_TYPE_BF16, .rows = {NULL, rows}, .packed = {false, true}},
                                   {256, 0, 0, 2, 1, 1, 70, 20, .type = ZLAY_TYPE_BF16, .rows = {NULL, few}, .packed = {false, true}}};
    uint64_t seed = test_seed("sequence");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        run r = {.ctx = *state};
        run_make(&r, s, &seed, 0, 1);
        for (size_t e = 0; e < r.elements[3]; e++)
            if ((e < (size_t)(s->rows[QUERIES][0] * (int32_t)s->head)) == (r.tensor[3][e] == UNTOUCHED))
                fail_msg("shape %zu: element %zu of the result", i, e);
        run_free(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembles_and_compiles),
        cmocka_unit_test(runs),
        cmocka_unit_test(runs_bytes),
        cmocka_unit_test(stays_in_its_head),
        cmocka_unit_test(runs_lengths),
        cmocka_unit_test(runs_splits),
        cmocka_unit_test(stays_in_its_sequence),
    };
    return cmocka_run_group_tests_name("emit/attention_run", tests, begin, end);
}
