/* SPDX-License-Identifier: Apache-2.0 */
/* Random requests of copies by threads, kind by kind, and where their elements lie: what the test of
 * the printed functions and the device share. */
#ifndef TEST_MOVE_DRAW_H
#define TEST_MOVE_DRAW_H

#include "tiles/copy_draw.h"

#include <string.h>
#include <zlay/facts.h>

enum { VALUES = 2 }; /* the names ld and N */

/* ---- what is drawn ------------------------------------------------------------------ */

/* A request with what its names are; real[0] is empty where there are none. */
typedef struct drawn {
    wanted w;
    char real[2][256];
    int64_t value[VALUES];
    zlay_facts *facts;
} drawn;

typedef void drawing(zlay_ctx *ctx, drawn *d, uint64_t *seed);

static inline void draw_sides(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    static const uint32_t bits[] = {4, 128, 2, 1};
    (void)ctx;
    if (!test_range(seed, 0, 9)) d->w.r.elem_bits = bits[test_range(seed, 0, 3)];
}

static inline void draw_peers(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    static const int32_t spaces[][2] = {{ZLAY_MOVE_SHARED, ZLAY_MOVE_PEER},
                                        {ZLAY_MOVE_PEER, ZLAY_MOVE_SHARED},
                                        {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_PEER},
                                        {ZLAY_MOVE_PEER, ZLAY_MOVE_GLOBAL},
                                        {ZLAY_MOVE_PEER, ZLAY_MOVE_PEER}};
    int64_t i = test_range(seed, 0, 4);
    (void)ctx;
    d->w.r.source.space = spaces[i][0];
    d->w.r.dest.space = spaces[i][1];
    d->w.r.path = test_range(seed, 0, 2) ? 0 : ZLAY_PATH_BULK;
    d->w.target = test_range(seed, 0, 1) ? "sm_90a" : "sm_100a";
}

static inline void draw_points(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    (void)ctx;
    if (test_range(seed, 0, 1)) {
        draw_pieces(seed, &d->w);
        return;
    }
    int bits = (int)test_range(seed, 5, 9), same = (int)test_range(seed, 0, 4);
    for (int s = 0; s < 2; s++) draw_matrix(seed, d->w.text[s], bits, same);
}

static inline void draw_fragments(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    static const int32_t spaces[] = {ZLAY_MOVE_SHARED, ZLAY_MOVE_SHARED, ZLAY_MOVE_GLOBAL,
                                     ZLAY_MOVE_PEER};
    int held = (int)test_range(seed, 0, 3);
    bool load = test_range(seed, 0, 1);
    zlay_copy_side memory = {NULL, spaces[test_range(seed, 0, 3)], 0, 128};
    zlay_copy_side slots = {NULL, ZLAY_MOVE_REGISTER, 0, 0};
    (void)ctx;
    draw_bits(seed, d->w.text[!load], d->w.text[load], held);
    d->w.r = (zlay_copy_request){.size = sizeof d->w.r,
                                 .elem_bits = 8u << test_range(seed, 0, 3),
                                 .threads = 256,
                                 .source = load ? memory : slots,
                                 .dest = load ? slots : memory,
                                 .registers = 1u << held};
    if (test_range(seed, 0, 1)) d->w.r.elem_bits = 16;
    if (memory.space == ZLAY_MOVE_PEER) d->w.target = "sm_90a";
}

/* What is sent to a peer and counted by its barrier: tiles, points without strides, fragments. */
static inline void draw_signals(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    static const int32_t from[] = {ZLAY_MOVE_SHARED, ZLAY_MOVE_GLOBAL, ZLAY_MOVE_PEER};
    int64_t kind = test_range(seed, 0, 3);
    if (!kind) draw_points(ctx, d, seed);
    if (kind == 1) draw_fragments(ctx, d, seed);
    d->w.r.elem_bits = 16u << test_range(seed, 0, 2);
    if (kind == 1 && d->w.r.source.space != ZLAY_MOVE_REGISTER) {
        zlay_copy_side side = d->w.r.source;
        char text[sizeof d->w.text[0]];
        d->w.r.source = d->w.r.dest;
        d->w.r.dest = side;
        memcpy(text, d->w.text[0], sizeof text);
        memcpy(d->w.text[0], d->w.text[1], sizeof text);
        memcpy(d->w.text[1], text, sizeof text);
    }
    if (kind != 1) d->w.r.source.space = from[test_range(seed, 0, 2)];
    if (kind == 3) d->w.r.source.space = ZLAY_MOVE_SHARED;
    if (kind == 3) d->w.r.path = ZLAY_PATH_BULK;
    d->w.r.dest.space = ZLAY_MOVE_PEER;
    d->w.r.signal = 1;
    d->w.target = test_range(seed, 0, 1) ? "sm_90a" : "sm_100a";
}

static inline void draw_names(zlay_ctx *ctx, drawn *d, uint64_t *seed)
{
    pitched p = draw_pitched(seed);
    char facts[3][64];
    const char *at[] = {facts[0], facts[1], facts[2]};
    size_t length[3];
    long long columns = p.columns, rows = p.rows;
    sprintf(facts[0], "ld = %lld mod %lld", (long long)p.rem[0], (long long)p.mod[0]);
    sprintf(facts[1], "N = %lld mod %lld", (long long)p.rem[1], (long long)p.mod[1]);
    sprintf(facts[2], "N >= 64");
    for (int i = 0; i < 3; i++) length[i] = strlen(facts[i]);
    if (zlay_facts_parse(ctx, &d->facts, 3, at, length)) d->facts = NULL;
    sprintf(d->w.text[0], "%d*ld - 2*ld*N + 3 o (%lld,%lld):(1,%s)", 2 * (int)p.value[1], columns,
            rows, p.times > 1 ? "2*ld" : "ld");
    sprintf(d->w.text[1], "(%lld,%lld):%s", columns, rows, p.turned ? "(N,1)" : "(1,N)");
    sprintf(d->real[0], "3 o (%lld,%lld):(1,%lld)", columns, rows,
            (long long)(p.times * p.value[0]));
    sprintf(d->real[1], "(%lld,%lld):(%lld,%lld)", columns, rows,
            p.turned ? (long long)p.value[1] : 1, p.turned ? 1 : (long long)p.value[1]);
    memcpy(d->value, p.value, sizeof d->value);
    d->w.r = p.r;
    d->w.r.facts = d->facts;
}

static const struct {
    const char *name;
    drawing *draw;
    int32_t path;
    uint64_t least, each; /* functions that are checked at least; draws of a hundred */
} kinds[] = {{"least cost", draw_sides, 0, 30, 100},
             {"threads", draw_sides, ZLAY_PATH_THREADS, 30, 100},
             {"cp.async", draw_sides, ZLAY_PATH_CP_ASYNC, 5, 100},
             {"bulk", draw_sides, ZLAY_PATH_BULK, 2, 60},
             {"realign", draw_sides, ZLAY_PATH_REALIGN, 5, 100},
             {"peers", draw_peers, 0, 10, 40},
             {"signals", draw_signals, 0, 15, 60},
             {"points", draw_points, 0, 15, 40},
             {"fragments", draw_fragments, 0, 30, 80},
             {"names", draw_names, 0, 15, 30}};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static inline drawn draw_kind(zlay_ctx *ctx, size_t kind, uint64_t *seed)
{
    drawn d = {.w = draw(seed)};
    if (d.w.target[0] != 's') d.w.target = "sm_90a";
    d.w.r.path = kinds[kind].path;
    if (d.w.r.path == ZLAY_PATH_BULK || d.w.r.dest.space == ZLAY_MOVE_PEER) d.w.target = "sm_90a";
    kinds[kind].draw(ctx, &d, seed);
    return d;
}

/* ---- where elements lie ------------------------------------------------------------- */

/* Of the registers of a thread, which hold so many bits. */
static inline uint32_t held_bytes(uint32_t bits) { return (bits + 31) / 32 * 4; }

/* The bit of a side at which an element lies; of fragments thread after thread. */
static inline uint64_t bit_of(int32_t space, uint32_t held_bits, int64_t offset, uint32_t bits)
{
    uint64_t at = (uint64_t)offset * bits;
    if (space != ZLAY_MOVE_REGISTER) return at;
    return at / held_bits * held_bytes(held_bits) * 8 + at % held_bits;
}

static inline void move_bits(uint8_t *to, uint64_t at, const uint8_t *from, uint64_t of,
                             uint32_t bits)
{
    for (uint32_t b = 0; b < bits; b++) {
        uint64_t i = of + b, o = at + b;
        uint8_t bit = from[i / 8] >> i % 8 & 1;
        to[o / 8] = (uint8_t)((to[o / 8] & ~(1u << o % 8)) | (unsigned)bit << o % 8);
    }
}

/* The block of two whose side a block reads or writes. */
static inline uint32_t whose(int32_t space, uint32_t block)
{
    return space == ZLAY_MOVE_PEER ? 1 - block : block;
}

#endif
