/* SPDX-License-Identifier: Apache-2.0 */
/* Attention in double, softmax(Q K^T / sqrt(d)) V, beside kernels that are executed: their tensors, drawn, with NaN where no result
 * may look, the arguments of the launch, and how far a result may be from what it should be. */
#ifndef TEST_PTX_ATTENTION_MODEL_H
#define TEST_PTX_ATTENTION_MODEL_H

#include "ptx/attention.h"
#include "ptx/run.h"

#include <math.h>

enum { ROWS_MOST = 640, CAP = 2, TILE_MOST = 192, NOT_A_NUMBER = 0x7fff, UNTOUCHED = 0xeeee /* no result */,
       NOT_A_BYTE = 0x7f, GREATEST = 0x40 /* 2 of e4m3 */, ACROSS = 16 };

static px_machine machine;

/* ---- values ------------------------------------------------------------------------------ */

static inline double value_of(uint16_t bits, int32_t type)
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
static inline uint16_t draw(uint64_t *seed, int32_t type)
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

/* ---- arguments -------------------------------------------------------------------------------- */

static inline uint32_t argument_of(const run *r, const char *name)
{
    for (uint32_t i = 0; i < r->launch.arguments; i++)
        if (!strcmp(r->argument[i].name, name)) return i;
    fail_msg("no argument %s", name);
    return 0;
}

static inline void give_float(run *r, const char *name, double value)
{
    float narrow = (float)value;
    memcpy(machine.param[argument_of(r, name)], &narrow, 4);
}

static inline void give_int(run *r, const char *name, int64_t value)
{
    int32_t narrow = (int32_t)value;
    memcpy(machine.param[argument_of(r, name)], &narrow, 4);
}

static inline void give_maps(run *r, const zlay_attention_plan *plan)
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

static inline void give_array(run *r, const char *name, uint64_t address, const void *data, size_t bytes)
{
    machine.memory[machine.memories++] = (px_memory){address, bytes, (uint8_t *)data};
    memcpy(machine.param[argument_of(r, name)], &address, sizeof address);
}

static inline void give_lengths(run *r, const shape *s, int side)
{
    static const char *const names[2][2] = {{"read_k_rows", "read_k_starts"}, {"read_q_rows", "read_q_starts"}};
    if (s->rows[side])
        give_array(r, names[side][s->packed[side]], (uint64_t)(7 + side) << 32, r->lengths[side],
                   (s->batch + s->packed[side]) * sizeof **r->lengths);
}

/* The tensors. */
static inline void give_memory(run *r)
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

static inline void give_parts(run *r)
{
    for (int i = 0; i < 2; i++)
        machine.memory[machine.memories++] = (px_memory){r->at[5 + i], r->part_count[i] * sizeof **r->part, (uint8_t *)r->part[i]};
}

static inline void give_merge(run *r, const shape *s)
{
    give_memory(r);
    give_array(r, "read_part_o", r->at[5], r->part[0], r->part_count[0] * sizeof **r->part);
    give_array(r, "read_part_lse", r->at[6], r->part[1], r->part_count[1] * sizeof **r->part);
    if (r->sinks) give_array(r, "read_sinks", (uint64_t)5 << 32, r->sinks, s->heads * sizeof *r->sinks);
    give_lengths(r, s, QUERIES);
    give_maps(r, zlay_attention_merge(r->plan));
}

static inline void give_all(run *r, const shape *s, double cap)
{
    double log2e = 1.4426950408889634, scale = 1 / sqrt(s->head);
    give_memory(r);
    if (s->splits > 1) give_parts(r);
    else if (r->sinks) give_array(r, "read_sinks", (uint64_t)5 << 32, r->sinks, s->heads * sizeof *r->sinks);
    for (int side = is_same(s) ? QUERIES : KEYS; side <= QUERIES; side++) give_lengths(r, s, side);
    if (s->sequences) give_array(r, "next_tile", (uint64_t)12 << 32, &r->next_tile, sizeof r->next_tile);
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
static inline size_t index_of(const shape *s, place p, int side, uint64_t row, uint64_t c)
{
    return (size_t)(((rows_before(s, side, p.b) + row) * (side ? s->heads : s->kv_heads) + p.h) * s->head + c);
}

static inline uint64_t lse_rows(const shape *s)
{
    return (s->queries + 3) / 4 * 4;
}

static inline void numbers_make(run *r, const shape *s)
{
    for (int i = 0; i < 3; i++) {
        r->number[i] = malloc((r->elements[i] + 1) * sizeof **r->number);
        assert_non_null(r->number[i]);
        for (size_t e = 0; e < r->elements[i]; e++) r->number[i][e] = value_of(r->tensor[i][e], s->type);
    }
}

/* Returns the log-sum-exp. Out: `size`, for each column the sum of weights times magnitudes. */
static inline double row_of(double *out, double *size, const run *r, const shape *s, place p, uint64_t row, double cap)
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
    assert_true(keys <= ROWS_MOST);
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
static inline void compare_lse(double got, double wanted, const shape *s, uint64_t row)
{
    if (!(got == wanted || fabs(got - wanted) <= (s->cap ? 2e-3 : 1e-4)))
        fail_msg("head %u: row %llu: log-sum-exp %g, not %g", s->head, (unsigned long long)row, got, wanted);
}

/* Weights are rounded to 16 bits, relative to the greatest, and the result is. Those of e4m3 have an error of 2^-4 of
 * themselves, and below 2^-14 of the greatest 2^-18 of that. */
static inline double allowed(const shape *s, double size)
{
    return is_bytes(s) ? size / 16 + (double)s->keys * ldexp(2, -18) + 0.006 : 0.012;
}

static inline void compare(const run *r, const shape *s, double cap)
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
static inline void draw_sinks(run *r, const shape *s, uint64_t *seed)
{
    static const float far[] = {-200, 200, -INFINITY};
    r->sinks = s->sinks ? malloc(s->heads * sizeof *r->sinks) : NULL;
    for (uint64_t h = 0; h < s->heads && r->sinks; h++) {
        uint64_t number = test_random(seed) % 12;
        r->sinks[h] = number < 3 ? far[number] : (float)number / 2 - 2;
    }
}

/* What no result depends on is NaN: rows behind a padded sequence, keys of one that has no queries. */
static inline void spoil(run *r, const shape *s, int tensor)
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
static inline size_t across(const shape *s, size_t e)
{
    size_t c = e % s->head, h = e / s->head % s->kv_heads, row = e / s->head / s->kv_heads;
    size_t key = row % s->keys, b = row / s->keys, pitch = (s->keys + ACROSS - 1) / ACROSS * ACROSS;
    return ((b * s->kv_heads + h) * s->head + c) * pitch + key;
}

/* What lies behind K's rows and beside V's is NaN. */
static inline void bytes_make(run *r, const shape *s)
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

static inline void tensors_make(run *r, const shape *s, uint64_t *seed)
{
    for (int i = 0; i < 4; i++) {
        r->elements[i] = index_of(s, (place){s->batch, 0}, side_of(i), 0, 0);
        r->before[i] = s->rows[side_of(i)] ? (rows_bound(s, side_of(i)) + TILE_MOST) * s->heads * s->head : 0;
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

#endif
