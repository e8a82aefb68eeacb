/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of attention as kernels for sm_90a and sm_100a, executed as PTX on the CPU at ragged lengths, of masks, shared heads, sinks,
 * lengths that differ in a batch and splits; every element of the result is compared with softmax(Q K^T / sqrt(d)) V in double, and
 * the log-sum-exp of every row. emit/attention/text assembles and compiles them. */
#define _POSIX_C_SOURCE 200809L
#include "ptx/attention_model.h"

/* Runs the first blocks of the grid; 0: all. */
static void run_kernel(run *r, const shape *s, uint64_t *seed, int when, uint64_t blocks)
{
    machine.when = (px_when)when;
    machine.random = test_random(seed);
    machine.grid[0] = (uint32_t)(s->blocks ? s->blocks : r->info.grid[0]), machine.grid[1] = (uint32_t)r->info.grid[1];
    bool all = !blocks;
    if (!blocks) blocks = machine.grid[0] * r->info.grid[1] * r->info.grid[2];
    px_run(&machine, kernel, (int)r->launch.threads, (uint32_t)blocks, 1);
    if (*machine.fault) fail_msg("%s", machine.fault);
    if (all && r->next_tile) fail_msg("the counter of claims is %u behind the launch", r->next_tile);
}

static void run_make(run *r, const shape *s, uint64_t *seed, int when, uint64_t blocks)
{
    plan_make(r, s);
    print_kernel(r, r->plan, ZLAY_TEXT_PTX);
    tensors_make(r, s, seed);
    give_all(r, s, CAP);
    run_kernel(r, s, seed, when, blocks);
    if (s->splits < 2) return;
    print_kernel(r, zlay_attention_merge(r->plan), ZLAY_TEXT_PTX);
    give_merge(r, s);
    run_kernel(r, s, seed, when, 0);
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
    static const shape shapes[] = {{64, 0, 0, 2, 1, 1, 256, 20, .type = ZLAY_TYPE_BF16, .lse = 1, .tile_m = 192},
                                   {64, 1, 0, 1, 2, 1, 256, 256, .type = ZLAY_TYPE_BF16, .lse = 1, .tile_m = 192},
                                   {128, 0, 0, 2, 1, 1, 192, 20, .type = ZLAY_TYPE_BF16, .lse = 1, .tile_m = 128}};
    uint64_t seed = test_seed("head");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const shape *s = &shapes[i];
        run r = {.ctx = *state};
        run_make(&r, s, &seed, 0, (s->queries + s->tile_m - 1) / s->tile_m);
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
    static const shape shapes[] = {{64, 1, 0, 2, 1, 1, 70, 70, .type = ZLAY_TYPE_BF16, .rows = {rows, rows}, .packed = {true, true}, .tile_m = 128},
                                   {128, 0, 0, 2, 1, 1, 70, 20, .type = ZLAY_TYPE_BF16, .rows = {NULL, rows}, .packed = {false, true}, .tile_m = 128},
                                   {256, 0, 0, 2, 1, 1, 70, 20, .type = ZLAY_TYPE_BF16, .rows = {NULL, few}, .packed = {false, true}, .tile_m = 128}};
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

/* Packed sequences, whose tiles persistent blocks claim: none, one row, one more or less than a tile, keys of other lengths; by one block, by
 * some, by as many as tiles, by more. */
static void runs_sequences(void **state)
{
    static const int32_t a[] = {0, 1, 63, 64, 65, 131}, b[] = {130, 0, 65, 64, 1, 129}, c[] = {63, 193, 0, 5, 64, 1}, full[] = {1, 129, 257, 1}, one[] = {200}, none[] = {0, 0};
    static const int32_t many[] = {3, 1, 0, 2, 2, 1, 0, 0, 1, 2, 3, 1, 0, 2, 70, 1, 0, 0, 1, 2, 3, 1, 0, 2, 2, 1, 0, 0, 1, 2, 3, 1, 65, 2, 2, 1, 140, 0, 1, 2};
    static const shape shapes[] = {
        {64, 0, 0, 6, 1, 1, 131, 130, .type = ZLAY_TYPE_BF16, .rows = {b, a}, .packed = {true, true}, .sequences = true, .spare = 1, .blocks = 1},
        {64, 1, 0, 6, 2, 1, 131, 131, .type = ZLAY_TYPE_BF16, .rows = {a, a}, .packed = {true, true}, .sequences = true, .blocks = 3},
        {128, 1, 0, 6, 6, 3, 193, 130, .type = ZLAY_TYPE_BF16, .rows = {b, c}, .packed = {true, true}, .sequences = true, .spare = 700, .blocks = 5},
        {128, 1, 0, 4, 2, 2, 257, 257, .type = ZLAY_TYPE_F16, .rows = {full, full}, .packed = {true, true}, .sequences = true},
        {128, 1, 0, 40, 1, 1, 140, 140, .type = ZLAY_TYPE_BF16, .rows = {many, many}, .packed = {true, true}, .sequences = true, .blocks = 2},
        {64, 0, 1, 40, 1, 1, 140, 140, .type = ZLAY_TYPE_BF16, .rows = {many, many}, .packed = {true, true}, .sequences = true, .sinks = 1, .blocks = 7},
        {256, 1, 0, 6, 1, 1, 131, 131, .type = ZLAY_TYPE_BF16, .rows = {a, a}, .packed = {true, true}, .sequences = true, .blocks = 2},
        {64, 1, 0, 1, 1, 1, 200, 200, .type = ZLAY_TYPE_BF16, .rows = {one, one}, .packed = {true, true}, .sequences = true, .blocks = 9},
        {128, 0, 0, 2, 1, 1, 0, 0, .type = ZLAY_TYPE_BF16, .rows = {none, none}, .packed = {true, true}, .sequences = true, .spare = 5, .blocks = 2},
    };
    uint64_t seed = test_seed("sequences");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (int when = 0; when < 3; when++) run_on(*state, &shapes[i], &seed, when);
}

/* Of as many blocks as there are tiles, or more, each has the tile of its number: the first ones the last rows of the long sequence, of both heads;
 * then those before them; then the other sequences. */
static void begins_with_long_sequences(void **state)
{
    static const int32_t rows[] = {100, 20, 300, 1, 200};
    static const struct {
        uint64_t blocks;
        size_t first[2], end[2]; /* rows that are written, of two runs */
    } seen[] = {{2, {120 + 256, 0}, {420, 0}}, {4, {120 + 128, 0}, {420, 0}}, {6, {120, 0}, {420, 0}}, {10, {120, 421}, {420, 621}},
                {14, {0, 421}, {420, 621}}, {16, {0, 0}, {621, 0}}};
    const shape s = {128, 1, 0, 5, 2, 1, 300, 300, .type = ZLAY_TYPE_BF16, .rows = {rows, rows}, .packed = {true, true}, .sequences = true};
    uint64_t seed = test_seed("long");
    for (size_t i = 0; i < sizeof seen / sizeof *seen; i++) {
        run r = {.ctx = *state};
        run_make(&r, &s, &seed, 0, seen[i].blocks);
        for (size_t e = 0; e < r.elements[3]; e++) {
            size_t row = e / (s.heads * s.head);
            bool written = false;
            for (int j = 0; j < 2; j++) written |= row >= seen[i].first[j] && row < seen[i].end[j];
            if (written == (r.tensor[3][e] == UNTOUCHED)) fail_msg("%d blocks: row %zu", (int)seen[i].blocks, row);
        }
        run_free(&r);
    }
}

/* Sequences of 5000 rows, on the average, would come first, then those of 1250, then the others. */
static void takes_lengths_in_turn(void **state)
{
    static const int32_t rows[] = {100, 1249, 1300, 5, 7};
    const shape s = {64, 1, 0, 5, 2, 1, 1300, 1300, .type = ZLAY_TYPE_BF16, .rows = {rows, rows}, .packed = {true, true}, .sequences = true,
                     .spare = 25000 - 2661};
    uint64_t seed = test_seed("turn");
    run r = {.ctx = *state};
    run_make(&r, &s, &seed, 0, 2);
    for (size_t e = 0; e < r.elements[3]; e++) {
        size_t row = e / (s.heads * s.head);
        if ((row >= 1349 + 1152 && row < 2649) == (r.tensor[3][e] == UNTOUCHED)) fail_msg("row %zu", row);
    }
    run_free(&r);
}

/* What the array may be taken for. */
static void bound(int32_t *offset, uint64_t count, int32_t most)
{
    int32_t least = 0;
    for (uint64_t i = 0; i <= count; i++) {
        least = offset[i] > least ? offset[i] < most ? offset[i] : most : least;
        offset[i] = least;
    }
}

/* The sequences that offsets are taken for have their results, where one array serves keys, too. */
static void compare_taken(const run *r, const shape *s, const int32_t *taken)
{
    int32_t rows[5];
    shape bounded = *s;
    if (!is_same(s) || taken[0]) return;
    for (int i = 0; i < 5; i++) rows[i] = taken[i + 1] - taken[i];
    bounded.rows[KEYS] = bounded.rows[QUERIES] = rows;
    compare(r, &bounded, CAP);
}

/* Nothing is written outside of what offsets are taken for, all of which is, and nothing before the keys is read. */
static void bounds_given(zlay_ctx *ctx, const shape *s, const int32_t given[6], uint64_t *seed)
{
    run r = {.ctx = ctx};
    int32_t taken[6];
    plan_make(&r, s);
    print_kernel(&r, r.plan, ZLAY_TEXT_PTX);
    tensors_make(&r, s, seed);
    memcpy(taken, given, sizeof taken);
    for (int side = 0; side < 2; side++) memcpy(r.lengths[side], given, sizeof taken);
    bound(taken, s->batch, 266);
    give_all(&r, s, CAP);
    run_kernel(&r, s, seed, (int)(test_random(seed) % 3), 0);
    for (size_t e = 0; e < r.elements[3]; e++) {
        int32_t row = (int32_t)(e / (s->heads * s->head));
        if ((row >= taken[0] && row < taken[5]) == (r.tensor[3][e] == UNTOUCHED)) fail_msg("element %zu of the result", e);
        if (isnan(value_of(r.tensor[3][e], s->type))) fail_msg("element %zu depends on what lies before the keys", e);
    }
    leaves_padding(&r, s);
    compare_taken(&r, s, taken);
    run_free(&r);
}

/* Offsets that no caller may give, of few blocks, and of as many as tiles that there may be. */
static void bounds_offsets(void **state)
{
    static const int32_t rows[] = {64, 130, 0, 65, 7}, keys[] = {64, 130, 0, 65, 7};
    static const int32_t given[][6] = {{266, 259, 194, 194, 64, 0}, {INT32_MAX, INT32_MAX, 0, 0, 0, 1}, {INT32_MIN, -1, 5, 70, 300, INT32_MAX},
                                       {-5, 64, 10, 194, 180, 266}, {0, 64, 194, 194, 259, 266 + 1}, {100, 100, 100, 90, 80, 300}, {3, 2, 1, 0, -1, -2},
                                       {0, 200, 0, 200, 0, 266} /* unbounded, more tiles than blocks */};
    uint64_t seed = test_seed("hostile");
    for (size_t i = 0; i < 2 * sizeof given / sizeof *given; i++) {
        const shape s = {64, 1, 0, 5, 2, 1, 130, 130, .type = ZLAY_TYPE_BF16, .rows = {i % 2 ? keys : rows, rows}, .packed = {true, true},
                         .sequences = true, .blocks = i % 3};
        bounds_given(*state, &s, given[i / 2], &seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs),
        cmocka_unit_test(runs_bytes),
        cmocka_unit_test(stays_in_its_head),
        cmocka_unit_test(runs_lengths),
        cmocka_unit_test(runs_splits),
        cmocka_unit_test(stays_in_its_sequence),
        cmocka_unit_test(runs_sequences),
        cmocka_unit_test(begins_with_long_sequences),
        cmocka_unit_test(takes_lengths_in_turn),
        cmocka_unit_test(bounds_offsets),
    };
    return cmocka_run_group_tests_name("emit/attention/run", tests, begin, end);
}
