/* SPDX-License-Identifier: Apache-2.0 */
/* Plans the moves of attention: for each tensor the tensor maps of its tile, what counts its axes, and how the tile lies in
 * shared memory. */
#include "algebra/text/format.h"
#include "base/arith.h"
#include "base/request.h"
#include "synth/attention/attention.h"
#include "synth/tensormap/tensormap.h"
#include <stdio.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap_synth.h>

enum { AXES = 4, LSE_AXES = 3, ROW_BITS = 1024, PAIR = 2 /* keys */ };

typedef struct tile {
    const char *name;
    char tensor;
    int32_t type;
    uint32_t columns;           /* of a panel, at most 128 bytes */
    uint64_t width;             /* of the tensor's rows from the panel on; 0: the tile's */
    uint64_t offset;            /* elements from the tensor's first to the tile's first panel */
    uint32_t panels;
    uint64_t rows, heads, high; /* of the tensor, and rows of a tile */
    const zlay_attention_strides *strides;
    const char *axis[AXES];
    int32_t direction;
    bool query;
} tile;

/* The parts of splits have room for the longest sequence. */
static int32_t lengths_of(const zlay_attention_plan *p, const tile *t)
{
    if (t->direction == ZLAY_DIRECTION_STORE && p->split) return ZLAY_LENGTHS_EQUAL;
    return t->query ? p->ask.q_lengths : p->ask.k_lengths;
}

/* (row, column, head, batch) of the tensor, from the panel on; where sequences have different lengths (row, column), of
 * more rows than any sequence has. */
static zlay_status source_make(zlay_ctx *ctx, zlay_layout **out, const zlay_attention_plan *p,
                               const tile *t, uint32_t axes)
{
    const int64_t shape[] = {(int64_t)(lengths_of(p, t) ? zl_attention_most(p, t->query) : t->rows),
                             (int64_t)(t->width ? t->width : (uint64_t)t->panels * t->columns), (int64_t)t->heads,
                             (int64_t)p->ask.batch};
    const int64_t stride[] = {(int64_t)t->strides->row, 1, (int64_t)t->strides->head,
                              (int64_t)t->strides->batch};
    return zl_layout_new_strided(ctx, out, axes, shape, stride,
                                 (int64_t)t->offset);
}

/* Of rows of 16 << bits bytes. */
static uint32_t swizzle_bits(const tile *t)
{
    return zl_log2(t->columns * zlay_type_bits(t->type) / 128);
}

/* Chunks of 16 bytes, in elements. */
static uint32_t chunk(const tile *t)
{
    return 128 / zlay_type_bits(t->type);
}

/* Panels one after the other, swizzled rows of 128 bytes, or 64. */
static zlay_status place_make(zlay_ctx *ctx, zlay_layout **out, const tile *t, uint32_t axes,
                              bool merges)
{
    char text[160];
    unsigned long long rows = t->high;
    bool more = axes == AXES;
    int length = snprintf(text, sizeof text,
                          "Sw<%u,%u,3> o 0 o (%llu,(%u,%u)%s):(%u,(1,%llu)%s)",
                          swizzle_bits(t), zl_log2(chunk(t)), rows, t->columns, merges ? 1 : t->panels, more ? ",1,1" : "",
                          t->columns, rows * t->columns, more ? ",0,0" : "");
    return zl_layout_parse(ctx, out, text, (size_t)length);
}

static void move_name(zl_bound_move *m, const tile *t)
{
    snprintf(m->name, sizeof m->name, "%s", t->name);
    m->tensor = t->tensor;
    for (int i = 0; i < AXES; i++)
        if (t->axis[i]) snprintf(m->axis[i], sizeof m->axis[i], "%s", t->axis[i]);
}

/* Where lengths differ, the rows end with a sequence. An end is an s32. */
static zlay_status sequence_add(zlay_ctx *ctx, const zlay_attention_plan *p, zl_bound_move *m,
                                const tile *t)
{
    const char *name = zl_attention_lengths(p, t->query);
    const uint64_t bytes = zlay_type_bits(t->type) / 8, batch = p->ask.batch;
    const bool packed = lengths_of(p, t) == ZLAY_LENGTHS_PACKED;
    const uint64_t all = packed && !p->ask.sequences ? zl_umul_sat(t->rows, batch) : t->rows;
    const zl_attention_dimension list[] = {
        {t->heads, t->strides->head * bytes, 2},
        {packed ? 1 : batch, t->strides->batch * bytes, 3},
        {(all < INT32_MAX ? all : INT32_MAX) + 1, t->strides->row * bytes, AXES}};
    snprintf(m->axis[0], sizeof m->axis[0], "%s of %s", t->axis[0], name);
    snprintf(m->axis[AXES], sizeof m->axis[AXES], "%s.end", name);
    return zl_attention_sequence(ctx, m->move, p->target, list, ZL_COUNT(list));
}

/* Plans the next move between two layouts, unless making them has failed, and frees them. */
static zlay_status move_find(zlay_ctx *ctx, zlay_attention_plan *p, zlay_tensormap_request *r, zlay_layout *source,
                             zlay_layout *smem, zlay_status made)
{
    r->source = source;
    r->smem = smem;
    zlay_status status = made ? made : zl_tm_find(ctx, &p->moves[p->moves_count].move, p->target, r);
    zlay_layout_free(source);
    zlay_layout_free(smem);
    p->moves_count += !status;
    return status;
}

static zlay_status move_add(zlay_ctx *ctx, zlay_attention_plan *p, const tile *t)
{
    zl_bound_move *m = &p->moves[p->moves_count];
    zlay_layout *source = NULL, *smem = NULL;
    zlay_tensormap_request r = {
        .size = sizeof r,
        .type = t->type,
        .axes = lengths_of(p, t) ? 2 : AXES,
        .direction = t->direction,
        .shape = {t->high, (uint64_t)(p->merges ? 1 : t->panels) * t->columns, 1, 1}};
    move_name(m, t);
    zlay_status status = source_make(ctx, &source, p, t, r.axes);
    if (!status) status = place_make(ctx, &smem, t, r.axes, p->merges);
    status = move_find(ctx, p, &r, source, smem, status);
    return !status && lengths_of(p, t) ? sequence_add(ctx, p, m, t) : status;
}

/* The move of a panel whose rows are two axes: in the tensor and in shared memory they follow each other as told. */
typedef struct rows_of {
    int64_t shape[2], stride[2], box[2];
    const char *axis[2];
} rows_of;

static zlay_status rows_add(zlay_ctx *ctx, zlay_attention_plan *p, const tile *t, const rows_of *rows, const int64_t high[2])
{
    zl_bound_move *m = &p->moves[p->moves_count];
    const int64_t columns = t->columns;
    const int64_t shape[] = {rows->shape[0], rows->shape[1], columns, (int64_t)t->heads, (int64_t)p->ask.batch};
    const int64_t stride[] = {rows->stride[0], rows->stride[1], 1, high[0], high[1]};
    const int64_t place[] = {columns, columns * rows->box[0], 1, 0, 0};
    const int64_t box[] = {rows->box[0], rows->box[1], columns, 1, 1};
    const char *const axis[] = {rows->axis[0], rows->axis[1], "", t->axis[2], t->axis[3]};
    zlay_layout *source = NULL, *plain = NULL, *smem = NULL;
    zlay_tensormap_request r = {.size = sizeof r, .type = t->type, .axes = ZL_COUNT(shape)};
    snprintf(m->name, sizeof m->name, "%s", t->name);
    m->tensor = t->tensor;
    for (uint32_t i = 0; i < r.axes; i++) {
        r.shape[i] = (uint64_t)box[i];
        snprintf(m->axis[i], sizeof m->axis[i], "%s", axis[i]);
    }
    zlay_status status =
        zl_layout_new_strided(ctx, &source, r.axes, shape, stride, (int64_t)t->offset);
    if (!status) status = zl_layout_new_strided(ctx, &plain, r.axes, box, place, 0);
    if (!status)
        status = zl_layout_new_swizzled(ctx, &smem, (zl_swizzle){(int32_t)swizzle_bits(t), (int32_t)zl_log2(chunk(t)), 3}, plain);
    zlay_layout_free(plain);
    return move_find(ctx, p, &r, source, smem, status);
}

/* A panel of Q in which the heads of a group are rows: (head, query, column, head of keys, batch). */
static zlay_status packed_add(zlay_ctx *ctx, zlay_attention_plan *p, const tile *t)
{
    const zlay_attention_strides *q = &p->ask.q;
    const int64_t group = p->group;
    const rows_of rows = {{group, (int64_t)zl_attention_queries(p)},
                          {(int64_t)q->head, (int64_t)q->row},
                          {group, (int64_t)t->high / group},
                          {"", t->axis[0]}};
    return rows_add(ctx, p, t, &rows, (const int64_t[]){(int64_t)q->head * group, (int64_t)q->batch});
}

/* A panel of K of e4m3. The second product takes weights as they lie in the registers of the sums of the first, where a
 * thread has columns 2 t and 2 t + 1 of 8, and reads them as those of keys 4 t to 4 t + 3 (docs/bodies.md). So of each four
 * keys the first two are rows of the first half of the tile, and the last two of the second half: two copies by two maps, of
 * (key of a pair, fours of keys, column, head, batch), the second map two rows further on. Both are planned of more rows than there are, and
 * then end with the last pair; where there are no more than two keys the second brings the first pair again, which is masked. */
static zlay_status pairs_add(zlay_ctx *ctx, zlay_attention_plan *p, const tile *t)
{
    zl_bound_move *m = &p->moves[p->moves_count];
    const int64_t row = (int64_t)t->strides->row, box = (int64_t)t->high / (2 * PAIR);
    const uint64_t last = zl_umul_sat((uint64_t)row, PAIR);
    if (last > INT64_MAX / 4) return zl_fail(ctx, ZLAY_EOVERFLOW, "k: a stride passes 2^60");
    const rows_of rows = {{PAIR, (int64_t)t->rows + 2 * box}, {row, (int64_t)last * 2}, {PAIR, box}, {"", t->axis[0]}};
    zlay_status status = rows_add(ctx, p, t, &rows, (const int64_t[]){(int64_t)t->strides->head, (int64_t)t->strides->batch});
    return status ? status : zl_attention_halves(ctx, m, t->rows, last * zlay_type_bits(t->type) / 8);
}

/* Of rows of 128 bytes, or 64. */
static int32_t swizzle_of(const tile *t)
{
    return t->columns * zlay_type_bits(t->type) < ROW_BITS ? ZLAY_SWIZZLE_64B : ZLAY_SWIZZLE_128B;
}

static zlay_status operand_add(zlay_ctx *ctx, zlay_attention_plan *p, const char *smem,
                               int32_t type, int32_t swizzle, int32_t major, const char *text, int length)
{
    zl_bound_operand *o = &p->operands[p->operands_count];
    zlay_status status = zl_layout_parse(ctx, &o->layout, text, (size_t)length);
    if (status) return status;
    snprintf(o->smem, sizeof o->smem, "%s", smem);
    o->type = type;
    o->major = major;
    o->swizzle = swizzle;
    p->operands_count++;
    return ZLAY_OK;
}

/* The head of a block, of which y counts the query heads and in each its splits. */
static void head_put(char out[32], const zlay_attention_plan *p, bool query)
{
    uint64_t splits = p->split ? p->ask.splits : 1, group = query ? 1 : p->ask.heads / p->ask.kv_heads;
    if (splits * group == 1) snprintf(out, 32, "block.y");
    else snprintf(out, 32, "block.y/%llu", (unsigned long long)(splits * group));
}

/* A panel of Q or K: rows of 64 elements, K of the product. */
static zlay_status panel_add(zlay_ctx *ctx, zlay_attention_plan *p, char tensor, uint32_t c)
{
    char head[32], text[64];
    bool query = tensor == 'q';
    uint32_t high = query ? p->info.tile_m : p->info.tile_n;
    char letter = query ? 'Q' : 'K', digit = (char)('0' + c);
    char smem[] = {letter, digit, '\0'}, name[] = {'t', letter, digit, '\0'};
    head_put(head, p, query);
    tile t = {.name = name,
              .tensor = tensor,
              .type = p->ask.type,
              .columns = p->columns,
              .query = query,
              .offset = c * p->columns,
              .panels = 1,
              .high = high,
              .rows = query ? p->ask.queries : p->ask.keys,
              .heads = query ? p->ask.heads : p->ask.kv_heads,
              .strides = query ? &p->ask.q : &p->ask.k,
              .axis = {query ? "block" : "position % N down", NULL, head, "block.z"}};
    zlay_status status = query && p->group > 1                      ? packed_add(ctx, p, &t)
                         : !query && zl_attention_bytes(&p->ask) ? pairs_add(ctx, p, &t)
                                                                  : move_add(ctx, p, &t);
    if (status) return status;
    int length = snprintf(text, sizeof text, "(%u,%u):(%u,1)", high, p->columns, p->columns);
    return operand_add(ctx, p, smem, t.type, swizzle_of(&t), ZLAY_MAJOR_K, text, length);
}

/* V is read across: columns of the head are rows of the product's second factor. */
static zlay_status values_add(zlay_ctx *ctx, zlay_attention_plan *p)
{
    char head[32], text[96];
    uint32_t n = p->info.tile_n;
    head_put(head, p, false);
    tile t = {.name = "tV",
              .tensor = 'v',
              .type = p->ask.type,
              .columns = ZL_ATTENTION_COLUMNS,
              .panels = p->panels,
              .high = n,
              .rows = p->ask.keys,
              .heads = p->ask.kv_heads,
              .strides = &p->ask.v,
              .axis = {"position % N down", NULL, head, "block.z"}};
    zlay_status status = move_add(ctx, p, &t);
    if (status) return status;
    int length = snprintf(text, sizeof text, "((64,%u),%u):((1,%u),64)", p->panels, n,
                          n * ZL_ATTENTION_COLUMNS);
    return operand_add(ctx, p, "V", p->ask.type, ZLAY_SWIZZLE_128B, ZLAY_MAJOR_MN, text, length);
}

/* V of e4m3: rows of the keys of a tile, for each element of the head. */
static zlay_status values_across_add(zlay_ctx *ctx, zlay_attention_plan *p)
{
    char head[32], text[64];
    uint32_t n = p->info.tile_n;
    head_put(head, p, false);
    const tile t = {.name = "tV",
                    .tensor = 'v',
                    .type = p->ask.type,
                    .columns = n,
                    .width = p->ask.keys,
                    .panels = 1,
                    .high = p->ask.head,
                    .rows = p->ask.head,
                    .heads = p->ask.kv_heads,
                    .strides = &p->ask.v,
                    .axis = {NULL, "position % N down", head, "block.z"}};
    zlay_status status = move_add(ctx, p, &t);
    if (status) return status;
    int length = snprintf(text, sizeof text, "(%u,%u):(%u,1)", p->ask.head, n, n);
    return operand_add(ctx, p, "V", t.type, swizzle_of(&t), ZLAY_MAJOR_K, text, length);
}

/* Blocks of several warpgroups may have tiles of rows that the tensor does not have. Where a
 * dimension of the map holds heads or batches behind the rows, those would be rows of the next. */
static void rows_limit(zlay_attention_plan *p, zl_bound_move *m)
{
    uint64_t tiles = (p->ask.queries + p->rows - 1) / p->rows;
    zlay_copy copy;
    bool shared = false;
    if (p->info.grid[0] * (p->info.tile_m / p->rows) == tiles) return;
    for (uint32_t i = 0; !zlay_move_copy_nth(&copy, m->move, i); i++)
        for (uint32_t dim = 0; dim < ZL_COUNT(copy.advance); dim++)
            for (int axis = 1; axis < AXES; axis++)
                shared |= copy.advance[dim][0] && copy.advance[dim][axis];
    if (shared)
        snprintf(m->axis[0], sizeof m->axis[0], "block instance below %llu",
                 (unsigned long long)tiles);
}

/* Where panel c of the result lies: of a split, two are 64 columns of every head and row. */
static uint64_t panel_offset(const zlay_attention_plan *p, uint32_t c)
{
    const zl_attention_result *r = &p->out;
    return p->split ? c / 2 * r->heads * r->o.head + c % 2 * r->columns : c * r->columns;
}

/* The result leaves a panel at a time, through one buffer; of a merge each block has one, and they stand in the third
 * dimension of the grid beside the batch. */
static zlay_status result_add(zlay_ctx *ctx, zlay_attention_plan *p, uint32_t c)
{
    const zl_attention_result *r = &p->out;
    char name[] = {'t', 'O', (char)('0' + c), '\0'}, layout[32], part[32], batch[32];
    snprintf(part, sizeof part, "block.z %% %u", p->panels);
    snprintf(batch, sizeof batch, "block.z/%u", p->panels);
    tile t = {.name = name,
              .tensor = p->split ? 'p' : 'o',
              .query = true,
              .type = r->type,
              .columns = r->columns,
              .offset = panel_offset(p, c),
              .panels = p->merges ? p->panels : 1,
              .high = p->rows,
              .rows = p->ask.queries,
              .heads = r->heads,
              .strides = &r->o,
              .direction = ZLAY_DIRECTION_STORE,
              .axis = {"block instance", p->merges ? part : NULL, "block.y",
                       p->merges ? batch : "block.z"}};
    zlay_status status = move_add(ctx, p, &t);
    if (!status && !lengths_of(p, &t)) rows_limit(p, &p->moves[p->moves_count - 1]);
    if (status || c) return status;
    int length = snprintf(layout, sizeof layout, "(%u,%u):(%u,1)", p->rows, r->columns, r->columns);
    return operand_add(ctx, p, "D", r->type, ZLAY_SWIZZLE_128B, ZLAY_MAJOR_K, layout, length);
}

/* The log-sum-exp leaves a warpgroup's rows of one head at a time. */
static zlay_status lse_add(zlay_ctx *ctx, zlay_attention_plan *p)
{
    char batch[32], place[32], layout[32];
    int length = snprintf(layout, sizeof layout, "(%u,1):(1,0)", p->rows);
    int places = snprintf(place, sizeof place, "(%u,1,1):(1,0,0)", p->rows);
    snprintf(batch, sizeof batch, "block.z/%u", p->panels);
    const tile t = {
        .name = "tL", .tensor = p->split ? 's' : 'l', .axis = {"block instance", "block.y", p->merges ? batch : "block.z"}};
    const int64_t shape[] = {(int64_t)zl_attention_lse_rows(p->ask.queries), (int64_t)p->out.heads,
                             (int64_t)p->ask.batch};
    const int64_t stride[] = {1, (int64_t)p->out.l.head, (int64_t)p->out.l.batch};
    zl_bound_move *m = &p->moves[p->moves_count];
    zlay_layout *source = NULL, *smem = NULL;
    zlay_tensormap_request r = {.size = sizeof r,
                                .type = ZLAY_TYPE_F32,
                                .axes = LSE_AXES,
                                .direction = ZLAY_DIRECTION_STORE,
                                .shape = {p->rows, 1, 1}};
    move_name(m, &t);
    zlay_status status = zl_layout_new_strided(ctx, &source, LSE_AXES, shape, stride, 0);
    if (!status) status = zl_layout_parse(ctx, &smem, place, (size_t)places);
    status = move_find(ctx, p, &r, source, smem, status);
    if (status) return status;
    rows_limit(p, m);
    return operand_add(ctx, p, "L", ZLAY_TYPE_F32, ZLAY_SWIZZLE_NONE, ZLAY_MAJOR_K, layout, length);
}

static zlay_status factors_add(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t c = 0; c < p->panels && !status; c++) status = panel_add(ctx, p, 'q', c);
    for (uint32_t c = 0; c < p->panels && !status; c++) status = panel_add(ctx, p, 'k', c);
    if (status) return status;
    return zl_attention_bytes(&p->ask) ? values_across_add(ctx, p) : values_add(ctx, p);
}

zlay_status zl_attention_moves(zlay_ctx *ctx, zlay_attention_plan *p)
{
    zlay_status status = p->merges ? ZLAY_OK : factors_add(ctx, p);
    for (uint32_t c = 0; c < zl_attention_leaves(p) && !status; c++)
        status = result_add(ctx, p, c);
    return status || !p->ask.lse ? status : lse_add(ctx, p);
}
