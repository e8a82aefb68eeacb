/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of tensors whose extents and strides are names, against the same request once the numbers are
 * known, which a user would put for every shape instead: how the time grows with names, with what is
 * open, and where cases or `none` are proved. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

typedef struct row {
    const char *name, *source, *numbers, *smem, *facts;
    uint64_t shape[5];
    uint32_t axes;
    zlay_status status;
} row;

#define KNOWN "ld = 0 mod 8;1 <= M < 2^31;1 <= K < 2^31;8 <= ld < 2^30"

static const row rows[] = {
    {"unknowns: (M,4096):(4096,1), 1 name", "(M,4096):(4096,1)", "(4100,4096):(4096,1)", NULL, "1 <= M < 2^31",
     {128, 64}, 2, ZLAY_OK},
    {"unknowns: (M,K):(ld,1), 3 names", "(M,K):(ld,1)", "(4100,4000):(4096,1)", NULL, KNOWN, {128, 64}, 2, ZLAY_OK},
    {"unknowns: the same, a guard", "(M,K):(ld,1)", "(4100,4000):(4096,1)", NULL,
     "1 <= M < 2^31;1 <= K < 2^31;8 <= ld < 2^30", {128, 64}, 2, ZLAY_OK},
    {"unknowns: the same, two halves", "(M,K):(ld,1)", "(4100,4000):(4096,1)",
     "Sw<3,3,3> o 0 o (128,(64,2)):(64,(1,8192))", KNOWN, {128, 128}, 2, ZLAY_OK},
    {"unknowns: (B,M,K):(sb,ld,1), 5 names", "(B,M,K):(sb,ld,1)", "(7,4100,4000):(16793600,4096,1)", NULL,
     KNOWN ";sb = 0 mod 8;8 <= sb < 2^36;1 <= B < 2^31", {2, 32, 64}, 3, ZLAY_OK},
    {"unknowns: (B,M,K):(M*K,K,1), 3 names", "(B,M,K):(M*K,K,1)", "(7,4100,4096):(16793600,4096,1)", NULL,
     "K = 0 mod 8;8 <= K <= 65536;1 <= M <= 65536;1 <= B <= 65536", {2, 32, 64}, 3, ZLAY_OK},
    {"unknowns: (C,B,M,K):(sc,sb,ld,1), 7 names", "(C,B,M,K):(sc,sb,ld,1)",
     "(3,7,4100,4000):(117555200,16793600,4096,1)", NULL,
     KNOWN ";sb = 0 mod 8;8 <= sb < 2^36;1 <= B < 2^31;sc = 0 mod 8;8 <= sc < 2^36;1 <= C < 2^31", {2, 4, 8, 64}, 4,
     ZLAY_OK},
    {"unknowns: one row alone (M == 1)", "(M,K):(ld,1)", "(1,4000):(4100,1)", "(128,64):(64,1)",
     "ld = 4 mod 8;1 <= M < 2^31;1 <= K < 2^31;8 <= ld < 2^30", {128, 64}, 2, ZLAY_OK},
    {"unknowns: none (shifted rows)", "(M,K):(ld,1)", "(4100,4000):(4100,1)", "(128,64):(64,1)",
     "ld = 4 mod 8;2 <= M < 2^31;1 <= K < 2^31;8 <= ld < 2^30", {128, 64}, 2, ZLAY_NONE},
};

typedef struct state {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_tensormap_request names, numbers;
    zlay_status status;
} state;

static bool answered(const state *s, const zlay_tensormap_request *request)
{
    zlay_move *move = NULL;
    zlay_status status = zlay_tensormap_synth(s->ctx, &move, s->target, request);
    zlay_move_free(move);
    return status == s->status;
}

static bool with_names(void *value)
{
    const state *s = value;
    return answered(s, &s->names);
}

static bool with_numbers(void *value)
{
    const state *s = value;
    return answered(s, &s->numbers);
}

static bool facts_read(zlay_ctx *ctx, zlay_facts **out, const char *list)
{
    const char *text[16];
    size_t length[16], count = 0;
    for (; *list; count++) {
        text[count] = list;
        length[count] = strcspn(list, ";");
        list += length[count] + (list[length[count]] == ';');
    }
    return !zlay_facts_parse(ctx, out, count, text, length);
}

static bool row_run(state *s, const row *r, bool json)
{
    zlay_layout *source = NULL, *numbers = NULL, *smem = NULL;
    zlay_facts *facts = NULL;
    bool right = !zlay_layout_parse(s->ctx, &source, r->source, strlen(r->source)) &&
                 !zlay_layout_parse(s->ctx, &numbers, r->numbers, strlen(r->numbers)) &&
                 (!r->smem || !zlay_layout_parse(s->ctx, &smem, r->smem, strlen(r->smem))) &&
                 facts_read(s->ctx, &facts, r->facts);
    zlay_tensormap_request request = {.size = sizeof request, .type = ZLAY_TYPE_BF16,
                                      .axes = r->axes, .smem = smem};
    memcpy(request.shape, r->shape, sizeof r->shape);
    s->names = s->numbers = request;
    s->names.source = source;
    s->names.facts = facts;
    s->numbers.source = numbers;
    s->status = r->status;
    const bench_row printed = {r->name, "one shape's numbers", with_names, with_numbers, s};
    right = right && bench_print(&printed, json);
    zlay_facts_free(facts);
    zlay_layout_free(smem);
    zlay_layout_free(numbers);
    zlay_layout_free(source);
    return right;
}

/* ---- tiles by threads --------------------------------------------------------------------- */

typedef struct copy_state {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_copy_request names, numbers;
} copy_state;

static bool planned(const copy_state *s, const zlay_copy_request *request)
{
    zlay_move *move = NULL;
    zlay_status status = zlay_copy_synth(s->ctx, &move, s->target, request);
    zlay_move_free(move);
    return status == ZLAY_OK;
}

static bool copy_with_names(void *value)
{
    const copy_state *s = value;
    return planned(s, &s->names);
}

static bool copy_with_numbers(void *value)
{
    const copy_state *s = value;
    return planned(s, &s->numbers);
}

/* Against the same tile where extents and pitch are numbers. */
static bool copy_run(zlay_ctx *ctx, const zlay_target *target, bool json)
{
    static const char names[] = "(M,K):(ld,1)", numbers[] = "(4104,4000):(4096,1)",
                      tile[] = "Sw<3,3,3> o 0 o (128,64):(64,1)";
    zlay_layout *from = NULL, *known = NULL, *to = NULL;
    zlay_facts *facts = NULL;
    bool right = !zlay_layout_parse(ctx, &from, names, sizeof names - 1) &&
                 !zlay_layout_parse(ctx, &known, numbers, sizeof numbers - 1) &&
                 !zlay_layout_parse(ctx, &to, tile, sizeof tile - 1) &&
                 facts_read(ctx, &facts, "K = 0 mod 8;" KNOWN);
    copy_state s = {.ctx = ctx, .target = target};
    s.names = (zlay_copy_request){.size = sizeof s.names, .elem_bits = 16, .facts = facts,
                                  .source = {from, ZLAY_MOVE_GLOBAL, 0, 0},
                                  .dest = {to, ZLAY_MOVE_SHARED, 0, 0}, .tile = {128, 64}, .axes = 2};
    s.numbers = s.names;
    s.numbers.source.layout = known;
    s.numbers.facts = NULL;
    const bench_row line = {"unknowns: copy.synth, tiles of (M,K):(ld,1)", "one shape's numbers",
                           copy_with_names, copy_with_numbers, &s};
    right = right && bench_print(&line, json);
    zlay_facts_free(facts);
    zlay_layout_free(to);
    zlay_layout_free(known);
    zlay_layout_free(from);
    return right;
}

/* ---- local tiles: zipped divides of 1 to 4 modes whose extents and strides are names ------------------------- */

enum { TILES = 256 };

typedef struct tile_state {
    zlay_ctx *ctx;
    zlay_layout *names, *numbers[TILES];
    char tiler[64];
    size_t next;
} tile_state;

static bool tiled(tile_state *s, const zlay_layout *a)
{
    zlay_layout *made = NULL;
    bool right = !zlay_layout_divide_tiler(s->ctx, &made, a, s->tiler, strlen(s->tiler), ZLAY_ZIPPED);
    zlay_layout_free(made);
    return right;
}

static bool tile_names(void *value)
{
    tile_state *s = value;
    return tiled(s, s->names);
}

static bool tile_numbers(void *value)
{
    tile_state *s = value;
    return tiled(s, s->numbers[s->next++ % TILES]);
}

/* (A,B,..):(sa,sb,..), its numbers at random: multiples of 64 and pitches. */
static bool tile_state_make(tile_state *s, int rank, bool exact)
{
    char text[256] = "(", fact[8][32];
    const char *facts[8], *name;
    size_t length[8], at = 1;
    uint64_t seed = 20240607;
    zlay_facts *known = NULL;
    zlay_layout *wild = NULL;
    for (int side = 0; side < 2; side++)
        for (int k = 0; k < rank; k++)
            at += (size_t)sprintf(text + at, "%s%c%s", side ? "s" : "", 'A' + k, k + 1 < rank ? "," : side ? ")" : "):(");
    strcpy(s->tiler, "<");
    for (int k = 0; k < rank; k++) {
        strcat(s->tiler, k ? ";32" : "64");
        length[k] = (size_t)sprintf(fact[k], "%c mod 64 = 0", 'A' + k);
        facts[k] = fact[k];
    }
    strcat(s->tiler, ">");
    bool right = !zlay_facts_parse(s->ctx, &known, exact ? (size_t)rank : 0, facts, length) &&
                 !zlay_layout_parse(s->ctx, &wild, text, at) && !zlay_layout_assume(s->ctx, &s->names, wild, known);
    for (size_t i = 0; i < TILES && right; i++) {
        const char *names[16];
        int64_t values[16];
        size_t count = 0;
        for (; (name = zlay_layout_param_nth(wild, count)); count++) {
            names[count] = name;
            values[count] = (int64_t)(bench_drawn(&seed) % 50 + 1) * 64 + (name[0] == 's');
        }
        right = !zlay_layout_bind(s->ctx, &s->numbers[i], wild, count, names, values);
    }
    zlay_layout_free(wild);
    zlay_facts_free(known);
    return right;
}

static bool tile_run(zlay_ctx *ctx, int rank, bool exact, bool json)
{
    char name[96];
    tile_state s = {.ctx = ctx};
    sprintf(name, "unknowns: local tile of %d modes, %s", rank, exact ? "64 divides" : "ragged");
    const bench_row line = {name, "one shape's numbers", tile_names, tile_numbers, &s};
    bool right = tile_state_make(&s, rank, exact) && bench_print(&line, json);
    for (size_t i = 0; i < TILES; i++) zlay_layout_free(s.numbers[i]);
    zlay_layout_free(s.names);
    return right;
}

bool bench_unknowns(zlay_ctx *ctx, bool json)
{
    state s = {.ctx = ctx};
    bool right = !zlay_target_find(&s.target, "sm_90a", 6);
    for (size_t i = 0; right && i < sizeof rows / sizeof rows[0]; i++)
        right = row_run(&s, &rows[i], json);
    for (int rank = 1; right && rank <= 4; rank++)
        right = tile_run(ctx, rank, true, json) && tile_run(ctx, rank, false, json);
    return right && copy_run(ctx, s.target, json);
}
