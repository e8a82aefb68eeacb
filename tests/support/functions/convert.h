/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions whose functions tests print, and what registers hold before and after them. */
#ifndef TEST_FUNCTIONS_CONVERT_H
#define TEST_FUNCTIONS_CONVERT_H

#include "ctx.h"

#include <stdbool.h>
#include <zlay/emit_function.h>

enum { CONVERTS = 96, CONVERT_KINDS = 12, CONVERT_TEXT = 1 << 22, CONVERT_THREADS = 1024, CONVERT_REGISTERS = 128 };
enum { CONVERT_REGISTER, CONVERT_LANE, CONVERT_WARP, CONVERT_BLOCK, CONVERT_LEVELS };

typedef struct convert_job {
    uint32_t bits, lanes;   /* of an element; of a warp */
    uint64_t smem;          /* 0: the target's */
    uint64_t extent[2][CONVERT_LEVELS];
    int order[2][CONVERT_LEVELS];   /* the level of each dimension of src, of dst */
    zlay_layout *side[2];
    zlay_convert *plan;
} convert_job;

/* ---- requests that are linear over F2 -------------------------------------------------------------- */

static inline uint32_t convert_level_bits(const convert_job *j, int side, int level) { return (uint32_t)__builtin_ctzll(j->extent[side][level]); }

/* A side: every bit of the tensor in some bit of a slot, in random order; `mixed` adds some to others. Levels stand in any order. */
static inline zlay_layout *convert_draw_side(zlay_ctx *ctx, convert_job *j, int side, uint32_t tensor, bool mixed, uint64_t *seed)
{
    static const char *const names[] = {"register", "lane", "warp", "block"};
    uint64_t basis[32] = {0};
    uint32_t bits = 0;
    char line[1024], *to = line;
    for (int l = 0; l < CONVERT_LEVELS; l++) bits += convert_level_bits(j, side, l);
    for (uint32_t k = 0; k < tensor; k++) basis[k] = 1ull << k;
    for (uint32_t k = bits; k-- > 1;) {
        uint64_t i = test_random(seed) % (k + 1), held = basis[k];
        basis[k] = basis[i], basis[i] = held;
    }
    for (int n = 0; mixed && n < 6; n++) {
        uint64_t a = test_random(seed) % bits, b = test_random(seed) % bits;
        if (a != b) basis[a] ^= basis[b];
    }
    for (int l = CONVERT_LEVELS; l-- > 1;) {
        int i = (int)(test_random(seed) % (uint64_t)(l + 1)), held = j->order[side][l];
        j->order[side][l] = j->order[side][i], j->order[side][i] = held;
    }
    to += sprintf(to, "f2{");
    for (int d = 0, next = 0; d < CONVERT_LEVELS; d++) {
        to += sprintf(to, "%s%s:", d ? "; " : "", names[j->order[side][d]]);
        for (uint32_t k = 0; k < convert_level_bits(j, side, j->order[side][d]); k++) to += sprintf(to, " (%llu)", (unsigned long long)basis[next++]);
    }
    sprintf(to, " -> t: %llu}", 1ull << tensor);
    return read_layout(ctx, line);
}

/* Fragments of mma.sync and of ldmatrix's transposes, among which plans choose stmatrix and ldmatrix. */
static const struct {
    uint32_t bits, warps;
    const char *src, *dst;
} convert_known[] = {
    {16, 1, "f2{register: (1) (8) (128); lane: (2) (4) (16) (32) (64); warp: -> t: 256}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (64) (128); warp: -> t: 256}"},
    {16, 4, "f2{register: (1) (8) (16); lane: (2) (4) (32) (64) (128); warp: (256) (512) -> t: 1024}",
     "f2{register: (32) (64) (128); lane: (256) (512) (1) (2) (4); warp: (8) (16) -> t: 1024}"},
    {8, 1, "f2{register: (1) (2) (16) (256); lane: (4) (8) (32) (64) (128); warp: -> t: 512}", "f2{register: (1) (2) (4) (8); lane: (16) (32) (64) (128) (256); warp: -> t: 512}"},
    {32, 2, "f2{register: (1); lane: (2) (4) (8) (16) (32); warp: (64) -> t: 128}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (0) (0); warp: (64) -> t: 128}"},
    {32, 1, "f2{register:; lane: (1) (2) (4) (8) (16); warp: -> t: 32}", "f2{register: (1) (2); lane: (0) (0) (4) (8) (16); warp: -> t: 32}"},
};
enum { CONVERT_KNOWN = sizeof convert_known / sizeof *convert_known };

static inline void convert_draw_known(zlay_ctx *ctx, convert_job *j, int i)
{
    j->bits = convert_known[i].bits;
    j->side[0] = read_layout(ctx, convert_known[i].src), j->side[1] = read_layout(ctx, convert_known[i].dst);
    for (int s = 0; s < 2; s++) {
        zlay_dim dim;
        assert_int_equal(zlay_f2_in_nth(&dim, j->side[s], 0), ZLAY_OK);
        const uint64_t extent[CONVERT_LEVELS] = {dim.size, 32, convert_known[i].warps, 1};
        memcpy(j->extent[s], extent, sizeof extent);
    }
}

enum { CONVERT_PARTLY = 1, CONVERT_TRIPS, CONVERT_MANY, CONVERT_CLUSTER, CONVERT_FEW_LANES }; /* of slots: registers that elements fill in part; a small shared memory; 128 registers; blocks; lanes */

static inline void convert_draw_bits(zlay_ctx *ctx, convert_job *j, int i, int how, uint64_t *seed)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    j->bits = widths[i / CONVERT_KINDS % 4];
    int64_t least = j->bits == 8 ? 2 : j->bits == 16, bits[2], fewest, lost = how == CONVERT_FEW_LANES || (how == CONVERT_TRIPS && i / CONVERT_KINDS % 2) ? test_range(seed, 1, 3) : 0;
    int64_t warps = i / 4 % 3, blocks = how == CONVERT_CLUSTER ? 1 + i / CONVERT_KINDS % 2 : 0;
    if (how == CONVERT_PARTLY) j->bits = widths[i / CONVERT_KINDS % 2], least = 0;
    bits[0] = how == CONVERT_MANY ? 6 + (j->bits < 64) : how == CONVERT_TRIPS ? test_range(seed, 4, 5) : how == CONVERT_PARTLY ? test_range(seed, 0, 1) : test_range(seed, least, 4);
    bits[1] = i % 5 || how == CONVERT_MANY || how == CONVERT_TRIPS ? bits[0] : test_range(seed, least, 4);
    fewest = bits[0] < bits[1] ? bits[0] : bits[1];
    for (int s = 0; s < 2; s++) {
        const uint64_t extent[CONVERT_LEVELS] = {1ull << bits[s], j->lanes >> lost, 1ull << warps, 1ull << blocks};
        memcpy(j->extent[s], extent, sizeof extent);
    }
    uint32_t tensor = (uint32_t)(fewest + warps + blocks - lost) + (uint32_t)__builtin_ctz(j->lanes);
    for (int s = 0; s < 2; s++) j->side[s] = convert_draw_side(ctx, j, s, tensor, i % 3 == 1, seed);
    if (how == CONVERT_TRIPS) j->smem = ((uint64_t)(j->bits / 8) << tensor) >> (1 + i % 2);
}

/* ---- requests of any sizes ------------------------------------------------------------------------- */

/* Strides of the levels in a random order; blocks, which exchange nothing, last. */
static inline void convert_draw_strided(zlay_ctx *ctx, convert_job *j, int i, uint64_t *seed)
{
    static const uint64_t registers[] = {1, 2, 3, 4, 5, 6, 8, 12, 16}, lanes[] = {32, 32, 24, 20, 7};
    static const uint32_t widths[] = {32, 16, 8, 64};
    uint64_t blocks = i / CONVERT_KINDS % 4 == 3 ? 2 : 1, n = registers[test_random(seed) % 9], l = lanes[test_random(seed) % 5], w = (uint64_t)test_range(seed, 1, 3);
    j->bits = widths[i / CONVERT_KINDS % 4];
    for (int s = 0; s < 2; s++) {
        const uint64_t extent[CONVERT_LEVELS] = {n, l, w, blocks}, first = test_random(seed) % 3, next = (first + 1 + test_random(seed) % 2) % 3;
        uint64_t stride[3];
        char line[200];
        stride[first] = 1, stride[next] = extent[first], stride[3 - first - next] = extent[first] * extent[next];
        memcpy(j->extent[s], extent, sizeof extent);
        sprintf(line, "(%llu,%llu,%llu,%llu):(%llu,%llu,%llu,%llu)", (unsigned long long)n, (unsigned long long)l, (unsigned long long)w, (unsigned long long)blocks,
                (unsigned long long)stride[0], (unsigned long long)stride[1], (unsigned long long)stride[2], (unsigned long long)(n * l * w));
        j->side[s] = read_layout(ctx, line);
    }
}

/* Slots without an element; and lanes turned round, or registers reversed, where no shared memory is needed. */
static inline void convert_draw_pieces(zlay_ctx *ctx, convert_job *j, int i, uint64_t *seed)
{
    static const uint32_t widths[] = {32, 16, 8, 64};
    int n = (int)test_range(seed, 1, 6), l = (int)test_range(seed, 9, 32), by = (int)test_range(seed, 1, 8);
    char line[2][400];
    j->bits = widths[i / CONVERT_KINDS % 4];
    for (int s = 0; s < 2; s++) memcpy(j->extent[s], (const uint64_t[]){(uint64_t)n, (uint64_t)l, 1, 1}, sizeof j->extent[s]);
    sprintf(line[0], "(%d,%d):(%d,1)", n, l, l);
    if (i / CONVERT_KINDS % 3 == 0) {
        int end = n * l - by;
        sprintf(line[0], "{ [r,t] -> [%dr + t] : 0 <= r < %d and 0 <= t < %d and %dr + t < %d }", l, n, l, l, end);
        sprintf(line[1], "{ [r,t] -> [r + %dt] : 0 <= r < %d and 0 <= t < %d and r + %dt < %d }", n, n, l, n, end);
    } else if (i / CONVERT_KINDS % 3 == 1) {
        sprintf(line[1], "{ [r,t] -> [%dr + t + %d] : 0 <= r < %d and 0 <= t < %d; [r,t] -> [%dr + t - %d] : 0 <= r < %d and %d <= t < %d }", l, by, n, l - by, l, l - by, n, l - by, l);
    } else {
        sprintf(line[1], "{ [r,t] -> [%d - %dr + t] : 0 <= r < %d and 0 <= t < %d }", (n - 1) * l, l, n, l);
    }
    for (int s = 0; s < 2; s++) j->side[s] = read_layout(ctx, line[s]);
}

/* ---- plans ----------------------------------------------------------------------------------------- */

static inline bool convert_has_clusters(const char *target)
{
    zlay_target_summary info;
    zlay_target_info(&info, target_of(target));
    return info.cluster_most > 1;
}

static inline void convert_plan(zlay_ctx *ctx, convert_job *j, const char *target, int i)
{
    zlay_convert_request r = {.size = sizeof r, .elem_bits = j->bits, .src = j->side[0], .dst = j->side[1], .smem = j->smem};
    zlay_status status = zlay_convert_synth(ctx, &j->plan, target_of(target), &r);
    r.smem = 0; /* registers that cannot be taken piece by piece */
    if (status == ZLAY_ELIMIT && j->smem) status = zlay_convert_synth(ctx, &j->plan, target_of(target), &r);
    if (status) fail_msg("%d: %s", i, zlay_ctx_message(ctx));
}

/* A plan and its request. */
static inline void convert_draw(zlay_ctx *ctx, convert_job *j, const char *target, int i, uint64_t *seed)
{
    static const int hows[CONVERT_KINDS] = {0, CONVERT_PARTLY, 0, CONVERT_TRIPS, 0, CONVERT_CLUSTER, 0, CONVERT_FEW_LANES, CONVERT_MANY};
    zlay_target_summary info;
    zlay_target_info(&info, target_of(target));
    *j = (convert_job){.lanes = info.lanes};
    for (int s = 0; s < 2; s++)
        for (int l = 0; l < CONVERT_LEVELS; l++) j->order[s][l] = l;
    int how = hows[i % CONVERT_KINDS];
    if (how == CONVERT_CLUSTER && !convert_has_clusters(target)) how = 0;
    if (i < CONVERT_KNOWN && j->lanes == 32) convert_draw_known(ctx, j, i);
    else if (i % CONVERT_KINDS == 9 || i % CONVERT_KINDS == 10) convert_draw_strided(ctx, j, convert_has_clusters(target) ? i : i % (3 * CONVERT_KINDS), seed);
    else if (i % CONVERT_KINDS == 11) convert_draw_pieces(ctx, j, i, seed);
    else convert_draw_bits(ctx, j, i, how, seed);
    convert_plan(ctx, j, target, i);
}

static inline void convert_drop(convert_job *j)
{
    zlay_convert_free(j->plan);
    for (int s = 0; s < 2; s++) zlay_layout_free(j->side[s]);
}

/* The text's length; 0: the printer says that it has none. */
static inline size_t convert_function(zlay_ctx *ctx, char *to, const convert_job *j, int32_t language, int i)
{
    char name[16];
    int length = snprintf(name, sizeof name, "c%d", i);
    zlay_buf buf = {to, CONVERT_TEXT, 0};
    zlay_status status = zlay_emit_convert(ctx, &buf, j->plan, language, name, (size_t)length);
    if (status == ZLAY_ENOTSUP) print_message("%d: %s\n", i, zlay_ctx_message(ctx));
    else if (status) fail_msg("%d: %s, %s", i, zlay_status_name(status), zlay_ctx_message(ctx));
    return status ? 0 : buf.need;
}

/* ---- what registers hold --------------------------------------------------------------------------- */

static inline uint32_t convert_most(const convert_job *j, int level)
{
    return (uint32_t)(j->extent[0][level] > j->extent[1][level] ? j->extent[0][level] : j->extent[1][level]);
}

static inline uint32_t convert_threads(const convert_job *j) { return j->lanes * convert_most(j, CONVERT_WARP); } /* of a block */
static inline uint32_t convert_words(const convert_job *j, int side) { return ((uint32_t)j->extent[side][CONVERT_REGISTER] * j->bits + 31) / 32; }

/* The element's index in the tensor; false: there is none. */
static inline bool convert_held(const convert_job *j, int side, uint64_t thread, uint64_t element, int64_t *value)
{
    const uint64_t at[CONVERT_LEVELS] = {element, thread % j->lanes, thread / j->lanes % convert_most(j, CONVERT_WARP), thread / convert_threads(j)};
    uint64_t index = 0;
    for (int d = CONVERT_LEVELS; d-- > 0;) {
        int l = j->order[side][d];
        if (at[l] >= j->extent[side][l]) return false;
        index = index * j->extent[side][l] + at[l];
    }
    return zlay_layout_eval(value, 1, j->side[side], index) == ZLAY_OK;
}

/* Element e of thread t of a side holds bits that follow from its index in the tensor. Of src all else holds what nobody may see; of dst
 * the mask has the bits that count, and those above the last element are 0. */
static inline void convert_fill(const convert_job *j, int side, uint64_t salt, uint32_t *words, uint32_t *mask)
{
    uint32_t n = convert_words(j, side), elements = (uint32_t)j->extent[side][CONVERT_REGISTER], rest = elements * j->bits % 32;
    uint32_t threads = convert_threads(j) * convert_most(j, CONVERT_BLOCK);
    assert_true(threads * n <= CONVERT_THREADS * CONVERT_REGISTERS);
    memset(words, side ? 0 : 0xee, n * threads * 4);
    memset(mask, 0, n * threads * 4);
    for (uint32_t t = 0; t < threads; t++) {
        if (rest) mask[t * n + n - 1] = ~0u << rest;
        for (uint32_t e = 0; e < elements; e++) {
            int64_t index;
            if (!convert_held(j, side, t, e, &index)) continue;
            uint64_t seed = (uint64_t)index * 2654435761u + salt, value = test_random(&seed);
            memcpy((char *)(words + t * n) + e * j->bits / 8, &value, j->bits / 8);
            memset((char *)(mask + t * n) + e * j->bits / 8, 0xff, j->bits / 8);
        }
    }
}

static inline bool convert_is_equal(const uint32_t *got, const uint32_t *wanted, const uint32_t *mask, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if ((got[k] ^ wanted[k]) & mask[k]) return false;
    return true;
}

#endif
