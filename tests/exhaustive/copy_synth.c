/* SPDX-License-Identifier: Apache-2.0 */
/* Small tiles: every width of loads and of stores and every assignment of the bits of a lane to
 * modes, each counted access by access and priced by the table; none is cheaper than the plan.
 * `make exhaustive` takes all tiles of the world, `make test` a sample. */
#include "tiles/copy_synth.h"

#include <stdio.h>

enum { MODES = 4, LANES = 32, POINTS = 64 };

/* A tile as two strides a mode; the first mode need not be the fastest of either side. */
typedef struct tile {
    int modes;
    int64_t shape[MODES], step[2][MODES];
} tile;

/* ---- prices, from docs/synthesis.md: half cycles --------------------------------------- */

enum { INSTRUCTION = 2, SECTOR = 3, WAVEFRONT = 2, PERMUTE = 1 };

/* ---- one way, counted ------------------------------------------------------------------- */

typedef struct way {
    const tile *t;
    const zlay_target *target;
    int32_t space[2];
    uint64_t bits;
    bool async;        /* cp.async: one instruction for both */
    bool realign;      /* sources by aligned words, two where one does not hold it */
    int64_t vector[2]; /* elements */
    int run[2];
    int64_t block[MODES];
    int bit[5], bits_used; /* the mode of each bit of the lane */
} way;

/* The offset of a coordinate on a side; false outside the tile. */
static bool offset_at(const tile *t, int side, const int64_t *c, int64_t *out)
{
    *out = 0;
    for (int k = 0; k < t->modes; k++) {
        if (c[k] >= t->shape[k]) return false;
        *out += c[k] * t->step[side][k];
    }
    return true;
}

static uint64_t sectors_of(const uint64_t *address, uint64_t width)
{
    uint64_t seen[LANES], count = 0;
    for (int l = 0; l < LANES; l++) {
        uint64_t i = 0, sector = address[l] / 32;
        if (address[l] == UINT64_MAX) continue;
        assert_true(address[l] % width == 0);
        while (i < count && seen[i] != sector) i++;
        if (i == count) seen[count++] = sector;
    }
    return count;
}

static uint64_t wavefronts_of(const way *w, int side, const uint64_t *address, uint64_t width)
{
    char name[32];
    int32_t number;
    uint32_t at[LANES];
    zlay_bank bank;
    for (int l = 0; l < LANES; l++)
        at[l] = address[l] == UINT64_MAX ? ZLAY_BANK_INACTIVE : (uint32_t)address[l];
    if (w->async) sprintf(name, "cp.async.ca.%u", (unsigned)width);
    else sprintf(name, "%s.shared.b%u", side ? "st" : "ld", (unsigned)width * 8);
    assert_int_equal(zlay_bank_find(&number, name, strlen(name)), ZLAY_OK);
    assert_int_equal(zlay_bank_conflicts(&bank, w->target, number, at, LANES), ZLAY_OK);
    assert_int_equal(bank.answer, ZLAY_YES);
    return bank.wavefronts;
}

/* Aligned words that hold what lanes ask for: one load of each, and one of the next where needed.
 */
static uint64_t realigned_cost(const way *w, const uint64_t *address, uint64_t width)
{
    uint64_t word[2][LANES], both[LANES], cost = 2 * INSTRUCTION, longer = 0;
    for (int l = 0; l < LANES; l++) {
        bool there = address[l] != UINT64_MAX, two = there && address[l] % width;
        word[0][l] = there ? address[l] / width * width : UINT64_MAX;
        word[1][l] = two ? word[0][l] + width : UINT64_MAX;
        both[l] = word[1][l];
        longer += two;
    }
    if (w->space[0] == ZLAY_MOVE_GLOBAL) {
        uint64_t seen[2 * LANES], count = 0;
        for (int i = 0; i < 2 * LANES; i++) {
            uint64_t at = i < LANES ? word[0][i] : both[i - LANES], k = 0;
            if (at == UINT64_MAX) continue;
            while (k < count && seen[k] != at / 32) k++;
            if (k == count) seen[count++] = at / 32;
        }
        return cost + SECTOR * count;
    }
    cost += WAVEFRONT * wavefronts_of(w, 0, word[0], width);
    return longer ? cost + WAVEFRONT * wavefronts_of(w, 0, word[1], width) : cost;
}

/* One access: of all lanes, the vector that begins at `inner` of each lane's block. */
static uint64_t access_cost(const way *w, int side, const int64_t *outer, const int64_t *inner)
{
    uint64_t address[LANES], width = (uint64_t)w->vector[side] * w->bits / 8, active = 0, cost;
    for (int l = 0; l < LANES; l++) {
        int64_t c[MODES], scale[MODES], at;
        address[l] = UINT64_MAX;
        if (l >> w->bits_used) continue;
        for (int k = 0; k < w->t->modes; k++) {
            c[k] = outer[k] + inner[k];
            scale[k] = w->block[k];
        }
        for (int b = 0; b < w->bits_used; b++) {
            c[w->bit[b]] += (l >> b & 1) * scale[w->bit[b]];
            scale[w->bit[b]] *= 2;
        }
        if (!offset_at(w->t, side, c, &at)) continue;
        address[l] = (uint64_t)at * w->bits / 8;
        active++;
    }
    if (!active) return 0;
    if (w->realign && !side) return realigned_cost(w, address, width);
    cost = !side || !w->async ? INSTRUCTION : 0;
    if (w->space[side] == ZLAY_MOVE_GLOBAL) return cost + SECTOR * sectors_of(address, width);
    return cost + WAVEFRONT * wavefronts_of(w, side, address, width);
}

/* The next coordinate of a box in steps; false at its end. */
static bool step_on(int modes, int64_t *at, const int64_t *end, const int64_t *by)
{
    for (int k = 0; k < modes; k++) {
        at[k] += by[k];
        if (at[k] < end[k]) return true;
        at[k] = 0;
    }
    return false;
}

/* Instructions that order bytes of a block: none where both sides take it alike, or words. */
static uint64_t permutes_of(const way *w)
{
    uint64_t words = ((uint64_t)w->vector[1] * w->bits + 31) / 32, halvings = 0;
    while (words >> (halvings + 1)) halvings++;
    if (w->realign) return words * (1 + halvings);
    int64_t less = w->vector[w->vector[0] > w->vector[1]], block = w->block[0];
    for (int k = 1; k < w->t->modes; k++) block *= w->block[k];
    uint64_t piece = w->run[0] == w->run[1] ? (uint64_t)less * w->bits : w->bits;
    if (block == 1 || piece >= 32 || (w->run[0] == w->run[1] && w->vector[0] == w->vector[1]))
        return 0;
    uint64_t bits = (uint64_t)block * w->bits;
    return bits / piece - (bits + 31) / 32;
}

static uint64_t way_cost(const way *w)
{
    const tile *t = w->t;
    int64_t outer[MODES] = {0}, span[MODES], vector[MODES], cost = 0;
    for (int k = 0; k < t->modes; k++) span[k] = w->block[k];
    for (int b = 0; b < w->bits_used; b++) span[w->bit[b]] *= 2;
    do {
        bool any = false;
        for (int side = 0; side < 2; side++) {
            int64_t inner[MODES] = {0};
            for (int k = 0; k < t->modes; k++) vector[k] = k == w->run[side] ? w->vector[side] : 1;
            do {
                uint64_t one = access_cost(w, side, outer, inner);
                cost += (int64_t)one;
                any = any || one;
            } while (step_on(t->modes, inner, w->block, vector));
        }
        if (any && !w->async) cost += (int64_t)(PERMUTE * permutes_of(w));
    } while (step_on(t->modes, outer, t->shape, span));
    return (uint64_t)cost;
}

/* ---- all ways ------------------------------------------------------------------------------- */

static int run_of(const tile *t, int side)
{
    for (int k = 0; k < t->modes; k++)
        if (t->shape[k] > 1 && t->step[side][k] == 1) return k;
    return -1;
}

/* Whether all accesses of v elements along the run are aligned and whole. */
static bool whole(const way *w, int side)
{
    int64_t v = w->vector[side];
    if (v == 1) return true;
    if (w->run[side] < 0 || w->t->shape[w->run[side]] % v) return false;
    for (int k = 0; k < w->t->modes; k++)
        if (w->t->shape[k] > 1 && k != w->run[side] && w->t->step[side][k] % v) return false;
    return true;
}

static uint64_t best_lanes(way *w, uint32_t lane_bits)
{
    uint64_t best = UINT64_MAX, all = 1;
    for (uint32_t b = 0; b < lane_bits; b++) all *= (uint64_t)w->t->modes;
    for (uint64_t n = 0; n < all; n++) {
        uint64_t left = n;
        w->bits_used = (int)lane_bits;
        for (int b = 0; b < w->bits_used; b++, left /= (uint64_t)w->t->modes)
            w->bit[b] = (int)(left % (uint64_t)w->t->modes);
        uint64_t cost = way_cost(w);
        if (cost < best) best = cost;
    }
    return best;
}

static void blocks_fill(way *w)
{
    for (int k = 0; k < w->t->modes; k++) {
        int64_t a = k == w->run[0] ? w->vector[0] : 1, b = k == w->run[1] ? w->vector[1] : 1;
        w->block[k] = a > b ? a : b;
    }
}

/* Whether a way of two widths is one of a path. */
static bool is_way(const way *w, const int64_t bytes[2])
{
    bool even = bytes[0] == bytes[1], one_run = w->run[0] == w->run[1];
    if (w->async)
        return even && bytes[0] >= 4 && whole(w, 0) && whole(w, 1) &&
               (one_run || w->vector[0] == 1);
    if (!w->realign) return whole(w, 0) && whole(w, 1);
    return even && one_run && w->run[0] >= 0 && whole(w, 1) && !whole(w, 0);
}

static uint64_t best_of_widths(way *w, uint32_t lane_bits, int32_t path)
{
    uint64_t best = UINT64_MAX;
    w->async = path == ZLAY_PATH_CP_ASYNC;
    w->realign = path == ZLAY_PATH_REALIGN;
    for (int i = 0; i < 25; i++) {
        int64_t bytes[2] = {1 << i / 5, 1 << i % 5};
        for (int s = 0; s < 2; s++) {
            w->vector[s] = bytes[s] * 8 / (int64_t)w->bits;
            w->run[s] = run_of(w->t, s);
        }
        if (!w->vector[0] || !w->vector[1] || !is_way(w, bytes)) continue;
        blocks_fill(w);
        uint64_t cost = best_lanes(w, lane_bits);
        if (cost < best) best = cost;
    }
    return best;
}

/* ---- the plan -----------------------------------------------------------------------------------
 */

static void put_side(char *out, const tile *t, int side)
{
    char *at = out + sprintf(out, "(");
    for (int k = 0; k < t->modes; k++) at += sprintf(at, "%s%d", k ? "," : "", (int)t->shape[k]);
    at += sprintf(at, "):(");
    for (int k = 0; k < t->modes; k++)
        at += sprintf(at, "%s%d", k ? "," : "", (int)t->step[side][k]);
    sprintf(at, ")");
}

/* The plan is one part over the modes of the tile, so that the search has been through it. */
static bool same_family(const zlay_move_summary *info, const zlay_move *move, const tile *t)
{
    uint32_t modes = 0;
    for (int k = 0; k < t->modes; k++) modes += t->shape[k] > 1;
    return info->parts == 1 && part_of(move, 0).part.modes == modes;
}

/* How often each path was one. */
static uint64_t found[3];

static uint64_t compare(zlay_ctx *ctx, const tile *t, const int32_t space[2], uint32_t bits,
                        uint32_t threads)
{
    char text[2][128];
    zlay_layout *layout[2];
    zlay_move *move = NULL;
    zlay_move_summary info;
    uint32_t lane_bits = 0;
    while (2u << lane_bits <= threads) lane_bits++;
    for (int s = 0; s < 2; s++) {
        put_side(text[s], t, s);
        layout[s] = read_layout(ctx, text[s]);
    }
    zlay_copy_request r = {.size = sizeof r,
                           .elem_bits = bits,
                           .threads = threads,
                           .source = {layout[0], space[0], 0, 128},
                           .dest = {layout[1], space[1], 0, 128}};
    static const int32_t paths[] = {ZLAY_PATH_THREADS, ZLAY_PATH_CP_ASYNC, ZLAY_PATH_REALIGN};
    for (int i = 0; i < 3; i++) {
        bool async = paths[i] == ZLAY_PATH_CP_ASYNC;
        if (async && (space[0] != ZLAY_MOVE_GLOBAL || space[1] != ZLAY_MOVE_SHARED)) continue;
        way w = {
            .t = t, .target = target_of("sm_90a"), .space = {space[0], space[1]}, .bits = bits};
        uint64_t best = best_of_widths(&w, lane_bits, paths[i]);
        r.path = paths[i];
        zlay_status status = zlay_copy_synth(ctx, &move, w.target, &r);
        if (status == ZLAY_NONE && best == UINT64_MAX) continue;
        found[i]++;
        if (status) fail_msg("%s -> %s: %s", text[0], text[1], zlay_ctx_message(ctx));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        if (info.cost > best || (same_family(&info, move, t) && info.cost != best))
            fail_msg("%s -> %s, %u bits, %u threads, path %d: cost %llu, a search finds %llu",
                     text[0], text[1], bits, threads, paths[i], (unsigned long long)info.cost,
                     (unsigned long long)best);
        assert_true(info.bound <= info.cost && (info.bound <= best));
        zlay_move_free(move);
    }
    for (int s = 0; s < 2; s++) zlay_layout_free(layout[s]);
    return 1;
}

/* Compact strides of both sides in any order of the modes, one padded or not. */
static tile tile_of(uint64_t number, int modes)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 0, 2}, {0, 2, 1},
                                     {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    tile t = {.modes = modes};
    int64_t points = 1;
    for (int k = 0; k < modes; k++, number /= 9) {
        static const int64_t extents[] = {1, 2, 3, 4, 5, 6, 8, 16, 32};
        t.shape[k] = extents[number % 9];
        points *= t.shape[k];
    }
    if (points > POINTS) t.modes = 0;
    for (int s = 0; s < 2; s++, number /= 18) {
        int64_t next = 1;
        for (int i = 0; i < 3; i++) {
            int k = orders[number % 6][i];
            if (k >= modes) continue;
            t.step[s][k] = next;
            next = next * t.shape[k] +
                   (int64_t)(number / 6 % 3 == 1 ? i == 0 : 4 * (number / 6 % 3 == 2));
        }
    }
    return t;
}

/* Four modes of 2 to 4, of which no lane of a warp has all: compact strides in any order of the modes,
 * some padded. */
static tile four_modes(uint64_t *seed)
{
    tile t = {.modes = MODES};
    int64_t points = 1;
    for (int k = 0; k < MODES; points *= t.shape[k++])
        do t.shape[k] = test_range(seed, 2, 4);
        while (points * t.shape[k] << (MODES - 1 - k) > POINTS);
    for (int s = 0; s < 2; s++) {
        int order[MODES] = {0, 1, 2, 3};
        int64_t next = 1;
        for (int i = 0; i < MODES; i++) {
            int j = (int)test_range(seed, i, MODES - 1), k = order[j];
            order[j] = order[i];
            t.step[s][k] = next;
            next = next * t.shape[k] + (test_range(seed, 0, 2) ? 0 : test_range(seed, 1, 8));
        }
    }
    return t;
}

static const int32_t spaces[3][2] = {{ZLAY_MOVE_GLOBAL, ZLAY_MOVE_SHARED},
                                     {ZLAY_MOVE_SHARED, ZLAY_MOVE_GLOBAL},
                                     {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_GLOBAL}};

/* Of the six orders of three modes the first two are all that two modes have; the others name the same tiles again. */
static bool is_named_again(uint64_t number) { return number / 81 % 6 > 1 || number / 81 / 18 % 6 > 1; }

/* All tiles of two modes of the world, between all spaces, of 8, 16 and 32 bits. */
static uint64_t compare_all(zlay_ctx *ctx)
{
    uint64_t compared = 0;
    for (uint64_t i = 0; i < 81 * 18 * 18; i++) {
        if (is_named_again(i)) continue;
        tile t = tile_of(i, 2);
        for (int j = 0; j < 9 && t.modes; j++)
            compared += compare(ctx, &t, spaces[j % 3], 8u << j / 3, 32);
    }
    return compared;
}

static void test_none_is_cheaper(void **state)
{
    uint64_t seed = test_seed("no way is cheaper"), compared = 0;
    if (test_exhaustive()) compared = compare_all(*state);
    for (uint64_t i = 0; i < test_iterations(250); i++) {
        tile t = tile_of(test_random(&seed) >> 20, test_range(&seed, 0, 1) ? 2 : 3);
        uint32_t threads = 1u << test_range(&seed, 2, t.modes == 2 ? 5 : 4);
        if (!t.modes) continue;
        compared += compare(*state, &t, spaces[test_range(&seed, 0, 2)],
                            8u << test_range(&seed, 0, 2), threads);
    }
    for (uint64_t i = 0; i < test_iterations(20); i++) {
        tile t = four_modes(&seed);
        compared += compare(*state, &t, spaces[test_range(&seed, 0, 2)],
                            8u << test_range(&seed, 0, 2), 1u << test_range(&seed, 2, 4));
    }
    printf("%llu tiles\n", (unsigned long long)compared);
    assert_true(compared > 50 && found[0] > 50 && found[1] > 10 && found[2] > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_none_is_cheaper),
    };
    return cmocka_run_group_tests_name("copy-synth, all ways", tests, begin, end);
}
