/* SPDX-License-Identifier: Apache-2.0 */
/* A layout for a store and a load that are random over F2, against trying every Sw<B,M,S> of the tile by the bank count, which finds
 * one without conflict where there is such a swizzle; and tiles of other sizes against the budget of a kernel generator. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

enum { PAIRS = 16, BITS_MOST = 14, LANES = 32 };

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    uint32_t bits;
    uint64_t shape;
    zlay_layout *layout[PAIRS][2];
    uint32_t lanes[PAIRS][2][LANES]; /* element of each lane */
    int32_t access[2];
    uint64_t ours[PAIRS], theirs[PAIRS];
} state;

static uint64_t draw(uint64_t *x)
{
    *x = *x * 6364136223846793005u + 1442695040888963407u;
    return *x >> 33;
}

/* Five independent indices: rows of a random invertible matrix. */
static void draw_lanes(uint64_t *x, uint32_t bits, uint64_t *basis)
{
    uint64_t map[BITS_MOST];
    for (uint32_t i = 0; i < bits; i++) map[i] = UINT64_C(1) << i;
    for (uint32_t n = 0; n < 64 * bits; n++) {
        uint64_t i = draw(x) % bits, j = draw(x) % bits;
        if (i != j) map[i] ^= map[j];
    }
    memcpy(basis, map, 5 * sizeof *basis);
}

static bool draw_access(state *s, uint64_t *x, int pair, int which)
{
    uint64_t basis[5];
    zlay_dim in = {.name = "lane", .size = LANES}, out = {.name = "tile", .size = s->shape};
    zlay_f2_bases bases = {.size = sizeof bases, .ins = 1, .outs = 1, .in = &in, .out = &out, .basis = basis};
    draw_lanes(x, s->bits, basis);
    for (uint32_t l = 0; l < LANES; l++) {
        s->lanes[pair][which][l] = 0;
        for (int b = 0; b < 5; b++)
            if (l >> b & 1) s->lanes[pair][which][l] ^= (uint32_t)basis[b];
    }
    return !zlay_f2_new(s->ctx, &s->layout[pair][which], &bases);
}

static bool ours(void *value)
{
    state *s = value;
    for (int i = 0; i < PAIRS; i++) {
        const zlay_swizzle_access access[2] = {{.access = s->access[0], .layout = s->layout[i][0]}, {.access = s->access[1], .layout = s->layout[i][1]}};
        zlay_swizzle_request r = {.size = sizeof r, .elem_bits = 32, .shape = &s->shape, .rank = 1, .accesses = access, .count = 2};
        zlay_swizzle *found;
        zlay_swizzle_summary info;
        if (zlay_swizzle_synth(s->ctx, &found, s->target, &r)) return false;
        zlay_swizzle_info(&info, found);
        s->ours[i] = info.wavefronts;
        zlay_swizzle_free(found);
    }
    return true;
}

static uint64_t count(const state *s, int pair, uint32_t bits, uint32_t base, uint32_t shift)
{
    uint64_t sum = 0;
    for (int which = 0; which < 2; which++) {
        uint32_t addresses[LANES];
        zlay_bank bank;
        for (uint32_t l = 0; l < LANES; l++) {
            uint32_t at = s->lanes[pair][which][l];
            addresses[l] = 4 * (at ^ (at >> (base + shift) & ((1u << bits) - 1)) << base);
        }
        if (zlay_bank_conflicts(&bank, s->target, s->access[which], addresses, LANES)) return UINT64_MAX;
        sum += bank.wavefronts;
    }
    return sum;
}

static bool by_trying(void *value)
{
    state *s = value;
    for (int i = 0; i < PAIRS; i++) {
        s->theirs[i] = count(s, i, 0, 0, 0);
        for (uint32_t bits = 1; bits <= 5; bits++)
            for (uint32_t base = 0; base + 2 * bits <= s->bits; base++)
                for (uint32_t shift = bits; base + bits + shift <= s->bits && s->theirs[i] > 2; shift++) {
                    uint64_t sum = count(s, i, bits, base, shift);
                    if (sum < s->theirs[i]) s->theirs[i] = sum;
                }
    }
    return true;
}

static bool print_bits(state *s, uint32_t bits, bool json)
{
    bench_work *const work[] = {ours, by_trying};
    double median[2];
    uint64_t x = 20240607 + bits;
    char name[64], against[64];
    int met = 0;
    bool right = true;
    s->bits = bits;
    s->shape = UINT64_C(1) << bits;
    for (int i = 0; i < PAIRS && right; i++) right = draw_access(s, &x, i, 0) && draw_access(s, &x, i, 1);
    right = right && bench_times(work, 2, s, median);
    for (int i = 0; i < PAIRS; i++) {
        right = right && s->ours[i] == 2 && s->theirs[i] >= 2;
        met += s->theirs[i] == 2;
        zlay_layout_free(s->layout[i][0]);
        zlay_layout_free(s->layout[i][1]);
        s->layout[i][0] = s->layout[i][1] = NULL;
    }
    if (!right) return false;
    snprintf(name, sizeof name, "swizzle of two accesses, %u bits", bits);
    snprintf(against, sizeof against, "every Sw<B,M,S> (%d of %d met)", met, PAIRS);
    bench_line(name, median[0] / (double)PAIRS, "us", against, median[1] / median[0], json);
    return true;
}

/* ---- a tile of 96 x 80, by rows and by columns ------------------------------------------------ */

typedef struct tile {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_swizzle_access access[2];
    uint64_t size, padded;
} tile;

static bool tile_ours(void *value)
{
    static const uint64_t shape[] = {96, 80};
    tile *t = value;
    zlay_swizzle_request r = {.size = sizeof r, .elem_bits = 32, .shape = shape, .rank = 2, .accesses = t->access, .count = 2};
    zlay_swizzle *found;
    zlay_swizzle_summary info;
    if (zlay_swizzle_synth(t->ctx, &found, t->target, &r)) return false;
    zlay_swizzle_info(&info, found);
    t->size = info.size;
    zlay_swizzle_free(found);
    return info.wavefronts == 2;
}

/* The least padding of a row of 96 under which both are without conflict. */
static bool tile_padded(void *value)
{
    tile *t = value;
    for (uint32_t pitch = 96; pitch < 128; pitch++) {
        uint64_t sum = 0;
        for (int which = 0; which < 2; which++) {
            uint32_t addresses[LANES];
            zlay_bank bank;
            for (uint32_t l = 0; l < LANES; l++) addresses[l] = 4 * l * (which ? 1 : pitch);
            if (zlay_bank_conflicts(&bank, t->target, t->access[which].access, addresses, LANES)) return false;
            sum += bank.wavefronts;
        }
        t->padded = UINT64_C(79) * pitch + 96;
        if (sum == 2) return true;
    }
    return false;
}

static bool print_tile(const state *s, bool json)
{
    bench_work *const work[] = {tile_ours, tile_padded};
    tile t = {.ctx = s->ctx, .target = s->target};
    zlay_layout *rows = NULL, *columns = NULL;
    double median[2];
    char against[64];
    bool right = !zlay_layout_parse(s->ctx, &rows, "32:96", 5) && !zlay_layout_parse(s->ctx, &columns, "32:1", 4);
    t.access[0] = (zlay_swizzle_access){.access = s->access[0], .layout = rows};
    t.access[1] = (zlay_swizzle_access){.access = s->access[1], .layout = columns};
    right = right && bench_times(work, 2, &t, median) && t.size <= t.padded;
    zlay_layout_free(rows);
    zlay_layout_free(columns);
    if (!right) return false;
    snprintf(against, sizeof against, "padding alone (%+.1f %% room)", 100.0 * (double)t.padded / (double)t.size - 100);
    bench_line("layout of 96 x 80, all families", median[0], "us", against, median[1] / median[0], json);
    return true;
}

/* ---- tiles beside powers of two ------------------------------------------------------------------------------------------ */

/* Lanes along a line of either mode, from any place, or all lines of a mode; bits of an element, both extents. */
enum { TILES = 64, ACCESSES = 2 };

typedef struct tiles {
    zlay_ctx *ctx;
    const zlay_target *target;
    uint64_t shape[2];
    uint32_t bits;
    int32_t access[ACCESSES];
    zlay_layout *layout[TILES][ACCESSES];
    uint64_t next;
} tiles;

static bool tiles_draw(tiles *t, uint64_t *x, bool whole)
{
    bool right = true;
    for (int i = 0; i < TILES && right; i++)
        for (int k = 0; k < ACCESSES && right; k++) {
            uint64_t lines = whole ? t->shape[!k] : 1, rows = t->shape[k] / LANES, step = k ? t->shape[0] : 1, across = k ? 1 : t->shape[0];
            uint64_t start = whole ? 0 : draw(x) % t->shape[!k] * across + draw(x) % (t->shape[k] - LANES + 1) * step;
            const int64_t shape[] = {LANES, 1, whole ? (int64_t)rows : 1, (int64_t)lines}, stride[] = {(int64_t)step, 0, (int64_t)(LANES * step), (int64_t)across};
            right = !zlay_layout_new_strided(t->ctx, &t->layout[i][k], 4, shape, stride, (int64_t)start);
        }
    return right;
}

static bool tiles_work(void *value)
{
    tiles *t = value;
    uint64_t i = t->next++ % TILES;
    const zlay_swizzle_access access[ACCESSES] = {{.access = t->access[0], .layout = t->layout[i][0]}, {.access = t->access[1], .layout = t->layout[i][1]}};
    zlay_swizzle_request r = {.size = sizeof r, .elem_bits = t->bits, .shape = t->shape, .rank = 2, .accesses = access, .count = ACCESSES};
    zlay_swizzle *found;
    zlay_swizzle_summary info;
    bool right = !zlay_swizzle_synth(t->ctx, &found, t->target, &r) && !zlay_swizzle_info(&info, found) && info.optimal;
    zlay_swizzle_free(found);
    return right;
}

static bool print_tiles(const state *s, bool json)
{
    static const uint64_t shapes[][2] = {{128, 127}, {127, 128}, {128, 129}, {100, 96}, {96, 80}};
    static const char *const names[][2] = {{"st.shared.b16", "ld.shared.b16"}, {"st.shared.b32", "ld.shared.b32"}};
    bool right = true;
    uint64_t x = 7;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes && right; i++)
        for (int n = 0; n < 4 && right; n++) {
            tiles t = {.ctx = s->ctx, .target = s->target, .shape = {shapes[i][0], shapes[i][1]}, .bits = n % 2 ? 32 : 16};
            char name[96];
            for (int k = 0; k < ACCESSES; k++) right = right && !zlay_bank_find(&t.access[k], names[n % 2][k], strlen(names[n % 2][k]));
            right = right && tiles_draw(&t, &x, n / 2);
            double time = right ? bench_time(tiles_work, &t) : -1;
            snprintf(name, sizeof name, "layout of %llu x %llu, %u bits, %s", (unsigned long long)t.shape[0], (unsigned long long)t.shape[1], t.bits, n / 2 ? "all lines both ways" : "a line each way");
            right = time >= 0;
            if (right) bench_line(name, time, "us", "a budget of 1 ms", 1000 / time, json);
            for (int k = 0; k < TILES * ACCESSES; k++) zlay_layout_free(t.layout[k / ACCESSES][k % ACCESSES]);
        }
    return right;
}

bool bench_swizzle(zlay_ctx *ctx, bool json)
{
    static state s;
    bool right = !zlay_target_find(&s.target, "sm_90", 5) && !zlay_bank_find(&s.access[0], "st.shared.b32", 13) &&
                 !zlay_bank_find(&s.access[1], "ld.shared.b32", 13);
    s.ctx = ctx;
    for (uint32_t bits = 6; right && bits <= BITS_MOST; bits += 2) right = print_bits(&s, bits, json);
    return right && print_tile(&s, json) && print_tiles(&s, json);
}
