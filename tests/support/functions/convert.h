/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions whose functions tests print, and what registers hold before and after them. */
#ifndef TEST_FUNCTIONS_CONVERT_H
#define TEST_FUNCTIONS_CONVERT_H

#include "ctx.h"

#include <stdbool.h>
#include <zlay/emit_function.h>

enum { CONVERTS = 48, CONVERT_TEXT = 1 << 21, CONVERT_THREADS = 256, CONVERT_REGISTERS = 64 };

typedef struct convert_job {
    uint32_t bits, registers[2], lanes, warps; /* registers: log2 of the elements of a thread in src, in dst */
    zlay_layout *side[2];
    zlay_convert *plan;
} convert_job;

/* ---- requests ------------------------------------------------------------------------------------- */

static inline void put_level(char **to, const char *name, uint32_t bits, const uint64_t *basis)
{
    *to += sprintf(*to, "%s:", name);
    for (uint32_t k = 0; k < bits; k++) *to += sprintf(*to, " (%llu)", (unsigned long long)basis[k]);
}

/* A side: every bit of the tensor in some bit of a slot, in random order; `mixed` adds some to others. */
static inline zlay_layout *convert_draw_side(zlay_ctx *ctx, const convert_job *j, int side, uint32_t tensor, bool mixed, uint64_t *seed)
{
    uint64_t basis[32] = {0};
    uint32_t bits = j->registers[side] + j->lanes + j->warps;
    char line[1024], *to = line;
    for (uint32_t k = 0; k < tensor; k++) basis[k] = 1ull << k;
    for (uint32_t k = bits; k-- > 1;) {
        uint64_t i = test_random(seed) % (k + 1), held = basis[k];
        basis[k] = basis[i], basis[i] = held;
    }
    for (int n = 0; mixed && n < 6; n++) {
        uint64_t a = test_random(seed) % bits, b = test_random(seed) % bits;
        if (a != b) basis[a] ^= basis[b];
    }
    to += sprintf(to, "f2{");
    put_level(&to, "register", j->registers[side], basis);
    put_level(&to, "; lane", j->lanes, basis + j->registers[side]);
    put_level(&to, "; warp", j->warps, basis + j->registers[side] + j->lanes);
    sprintf(to, " -> t: %llu}", 1ull << tensor);
    return read_layout(ctx, line);
}

/* Fragments of mma.sync and of ldmatrix's transposes, among which plans choose stmatrix and ldmatrix. */
static const struct {
    uint32_t bits, warps;
    const char *src, *dst;
} convert_known[] = {
    {16, 0, "f2{register: (1) (8) (128); lane: (2) (4) (16) (32) (64); warp: -> t: 256}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (64) (128); warp: -> t: 256}"},
    {16, 2, "f2{register: (1) (8) (16); lane: (2) (4) (32) (64) (128); warp: (256) (512) -> t: 1024}",
     "f2{register: (32) (64) (128); lane: (256) (512) (1) (2) (4); warp: (8) (16) -> t: 1024}"},
    {8, 0, "f2{register: (1) (2) (16) (256); lane: (4) (8) (32) (64) (128); warp: -> t: 512}", "f2{register: (1) (2) (4) (8); lane: (16) (32) (64) (128) (256); warp: -> t: 512}"},
    {32, 1, "f2{register: (1); lane: (2) (4) (8) (16) (32); warp: (64) -> t: 128}", "f2{register: (1) (2) (4); lane: (8) (16) (32) (0) (0); warp: (64) -> t: 128}"},
};
enum { CONVERT_KNOWN = sizeof convert_known / sizeof *convert_known };

static inline uint32_t level_bits(const zlay_layout *a, size_t i)
{
    zlay_dim dim;
    assert_int_equal(zlay_f2_in_nth(&dim, a, i), ZLAY_OK);
    return (uint32_t)__builtin_ctzll(dim.size);
}

static inline void convert_draw_any(zlay_ctx *ctx, convert_job *j, int i, uint64_t *seed)
{
    static const uint32_t widths[] = {8, 16, 32, 64};
    j->bits = widths[i % 4];
    uint32_t least = j->bits == 8 ? 2 : j->bits == 16;
    j->warps = (uint32_t)(i / 4 % 3);
    j->registers[0] = (uint32_t)test_range(seed, least, 4);
    j->registers[1] = i % 5 ? j->registers[0] : (uint32_t)test_range(seed, least, 4);
    uint32_t fewest = j->registers[0] < j->registers[1] ? j->registers[0] : j->registers[1];
    for (int s = 0; s < 2; s++) j->side[s] = convert_draw_side(ctx, j, s, fewest + j->lanes + j->warps, i % 3 == 1, seed);
}

/* A plan and its request; NULL where there is none. */
static inline void convert_draw(zlay_ctx *ctx, convert_job *j, const char *target, int i, uint64_t *seed)
{
    zlay_target_summary info;
    zlay_target_info(&info, target_of(target));
    *j = (convert_job){.lanes = info.lanes == 64 ? 6 : 5};
    if (i < CONVERT_KNOWN && j->lanes == 5) {
        j->bits = convert_known[i].bits, j->warps = convert_known[i].warps;
        j->side[0] = read_layout(ctx, convert_known[i].src), j->side[1] = read_layout(ctx, convert_known[i].dst);
        for (int s = 0; s < 2; s++) j->registers[s] = level_bits(j->side[s], 0);
    } else {
        convert_draw_any(ctx, j, i, seed);
    }
    zlay_convert_request r = {.size = sizeof r, .elem_bits = j->bits, .src = j->side[0], .dst = j->side[1]};
    zlay_status status = zlay_convert_synth(ctx, &j->plan, target_of(target), &r);
    if (status) fail_msg("%d: %s", i, zlay_ctx_message(ctx));
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

static inline uint32_t convert_threads(const convert_job *j) { return 1u << (j->lanes + j->warps); }
static inline uint32_t convert_words(const convert_job *j, int side) { return (j->bits << j->registers[side]) / 32; }

/* Element e of thread t of a side holds bits that follow from its index in the tensor. */
static inline void convert_fill(const convert_job *j, int side, uint64_t salt, uint32_t *words)
{
    uint32_t n = convert_words(j, side), elements = 1u << j->registers[side];
    memset(words, 0, n * convert_threads(j) * 4);
    for (uint32_t t = 0; t < convert_threads(j); t++)
        for (uint32_t e = 0; e < elements; e++) {
            int64_t index;
            assert_int_equal(zlay_layout_eval(&index, 1, j->side[side], e + (uint64_t)t * elements), ZLAY_OK);
            uint64_t seed = (uint64_t)index * 2654435761u + salt, value = test_random(&seed);
            memcpy((char *)(words + t * n) + e * j->bits / 8, &value, j->bits / 8);
        }
}

#endif
