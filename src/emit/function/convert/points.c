/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the plan of layouts that are not linear over F2. What an access or a move does in each thread
 * is a table over lane, warp and block: the byte in shared memory, or the lane that a value comes from.
 * Accesses whose bytes are as far apart in all threads have one table, and an offset each. The cheapest
 * layout that equals a table becomes an expression of the graph that all steps share. */
#include "algebra/find/table.h"
#include "emit/function/convert/convert.h"

#include "synth/convert/convert.h"

#define NO_VALUE INT64_MIN

typedef struct point_reader {
    zlay_ctx *ctx;
    const zlay_convert *plan;
    zl_trip_text *out;
    int side;
    uint64_t threads;   /* of the side */
    zl_vertex inside;   /* the thread is one of the side */
    int64_t *value;     /* a row of threads for each move */
} point_reader;

/* ---- tables --------------------------------------------------------------------------------- */

static const zl_plan_side *side_of(const point_reader *r) { return &r->plan->side[r->side]; }

/* The index in the side's layout of a register in a thread, lanes fastest. */
static uint64_t index_of(const point_reader *r, uint64_t reg, uint64_t thread)
{
    const zl_plan_side *s = side_of(r);
    uint64_t at[ZL_LEVELS] = {reg}, index = 0;
    for (int l = ZL_LANE; l < ZL_LEVELS; l++) {
        at[l] = thread % s->extent[l];
        thread /= s->extent[l];
    }
    for (size_t i = s->dims; i--;) index = index * s->extent[s->order[i]] + at[s->order[i]];
    return index;
}

/* The coordinate at a level of an index of src. */
static uint64_t level_at(const point_reader *r, uint64_t index, zl_level level)
{
    const zl_plan_side *s = &r->plan->side[ZL_SRC];
    for (size_t i = 0; i < s->dims; i++) {
        if (s->order[i] == level) return index % s->extent[level];
        index /= s->extent[s->order[i]];
    }
    return 0;
}

static zlay_status row_read(const point_reader *r, int64_t *row, const zlay_layout *map, uint64_t reg)
{
    zlay_status status = zl_charge_values(r->ctx, map, r->threads);
    for (uint64_t t = 0; t < r->threads && !status; t++)
        if (!zl_value(map, index_of(r, reg, t), &row[t])) row[t] = NO_VALUE;
    return status;
}

/* Whether two rows have values in the same threads, as far apart in all of them. */
static bool is_apart(const point_reader *r, const int64_t *a, const int64_t *b, int64_t *by)
{
    bool first = true;
    *by = 0;
    for (uint64_t t = 0; t < r->threads; t++) {
        if ((a[t] == NO_VALUE) != (b[t] == NO_VALUE)) return false;
        if (a[t] == NO_VALUE) continue;
        if (!first && b[t] - a[t] != *by) return false;
        *by = b[t] - a[t];
        first = false;
    }
    return true;
}

static bool is_empty(const point_reader *r, const int64_t *row)
{
    for (uint64_t t = 0; t < r->threads; t++)
        if (row[t] != NO_VALUE) return false;
    return true;
}

/* ---- expressions ---------------------------------------------------------------------------- */

static zlay_status layout_of(const point_reader *r, zlay_layout **out, const int64_t *row, int64_t less)
{
    zl_table table;
    zl_modes box;
    zlay_status status = zl_table_new(r->ctx, &table, r->threads);
    for (uint64_t t = 0; t < r->threads && !status; t++)
        if (row[t] != NO_VALUE) zl_table_set(&table, t, row[t] - less);
    zl_modes_begin(&box, r->ctx);
    for (int64_t l = ZL_LANE, below = 1; l < ZL_LEVELS && !status; l++) {
        int64_t extent = (int64_t)side_of(r)->extent[l];
        status = zl_modes_leaf(&box, extent, below);
        below *= extent;
    }
    zl_modes_wrap(&box, 0);
    if (!status) status = zl_cheapest(r->ctx, out, &table, &box, NULL, NULL);
    zl_modes_end(&box);
    zl_table_free(&table);
    return status;
}

/* The expression of a row less a number, and the condition that it has a value. */
static zlay_status form_of(const point_reader *r, zl_point_move *m, const int64_t *row, int64_t less)
{
    zl_graph *g = &r->out->graph;
    zl_address_form form = {.graph = *g};
    zl_address a;
    zlay_layout *layout = NULL;
    zlay_status status = layout_of(r, &layout, row, less);
    if (!status) status = zl_address_of(r->ctx, &a, layout);
    a.first = (uint32_t)r->side * ZL_POINT_SIDE;
    if (!status) status = zl_address_into(r->ctx, &form, &a);
    zlay_layout_free(layout);
    *g = form.graph;
    if (status) return status;
    m->at = form.root;
    m->there = form.there ? zl_graph_both(g, r->inside, form.there) : r->inside;
    if (g->status || zl_graph_word(g, m->at) == 32) return g->status;
    return zl_fail(r->ctx, ZLAY_ENOTSUP, "plan: an address has no form in 32 bits");
}

/* Finds the expressions of all rows of a step. */
static zlay_status forms_find(const point_reader *r, zl_trip_step *step, bool offsets)
{
    zlay_status status = ZLAY_OK;
    uint32_t count = step->count;
    uint32_t *first = zl_scratch(r->ctx, count, sizeof *first);
    int64_t *by = zl_scratch(r->ctx, count, sizeof *by), *least = zl_scratch(r->ctx, count, sizeof *least);
    if (!first || !by || !least) return ZLAY_ENOMEM;
    for (uint32_t i = 0; i < count; i++) {
        const int64_t *row = r->value + i * r->threads;
        for (first[i] = 0; first[i] < i; first[i]++)
            if (first[first[i]] == first[i] && is_apart(r, r->value + first[i] * r->threads, row, &by[i]) &&
                (offsets || !by[i])) break;
        if (first[i] == i) by[i] = 0;
        least[first[i]] = zl_min(least[first[i]], by[i]);
    }
    for (uint32_t i = 0; i < count && !status; i++) {
        zl_point_move *m = &step->move[i];
        const zl_point_move *with = &step->move[first[i]];
        if (first[i] == i) status = form_of(r, m, r->value + i * r->threads, -least[i]);
        m->at = with->at, m->there = with->there;
        m->offset = (uint32_t)(by[i] - least[first[i]]);
    }
    return status;
}

/* The condition that a thread is one of the side. */
static zl_vertex inside_of(const point_reader *r)
{
    zl_graph *g = &r->out->graph;
    const uint64_t all[] = {(uint64_t)1 << r->out->lanes, r->out->warps_all, r->out->blocks_all};
    zl_vertex inside = zl_graph_number(g, 1);
    for (uint32_t i = 0; i < ZL_POINT_SIDE; i++) {
        zl_vertex any = zl_graph_argument(g, ZL_POINT_ANY + i, all[i]);
        zl_vertex end = zl_graph_number(g, (int64_t)side_of(r)->extent[ZL_LANE + (int)i]);
        inside = zl_graph_both(g, inside, zl_graph_less(g, any, end));
    }
    return inside;
}

/* ---- steps ---------------------------------------------------------------------------------- */

static uint32_t word_of(const point_reader *r, uint64_t element)
{
    return (uint32_t)(element * r->plan->info.elem_bits / 32);
}

static uint64_t registers_of(const point_reader *r) { return side_of(r)->extent[ZL_REGISTER]; }

static zlay_status begin(point_reader *r, zl_trip_step *step, int side)
{
    const zl_plan_side *s = &r->plan->side[side];
    r->side = side;
    r->threads = s->extent[ZL_LANE] * s->extent[ZL_WARP] * s->extent[ZL_BLOCK];
    r->inside = inside_of(r);
    step->move = zl_scratch(r->ctx, 2 * registers_of(r), sizeof *step->move);
    r->value = zl_scratch_plain(r->ctx, registers_of(r) * r->threads, sizeof *r->value);
    return step->move && r->value ? r->out->graph.status : ZLAY_ENOMEM;
}

/* Each access begins at an element, which all elements of the access follow. */
static zlay_status access_read(point_reader *r, zl_trip_step *step, const zlay_layout *map)
{
    uint32_t bytes = r->plan->info.elem_bits / 8, each = step->width / bytes;
    zlay_status status = ZLAY_OK;
    for (uint64_t e = 0; e < registers_of(r) && !status; e += each) {
        int64_t *row = r->value + step->count * r->threads;
        status = row_read(r, row, map, e);
        if (status || is_empty(r, row)) continue;
        for (uint64_t t = 0; t < r->threads; t++)
            if (row[t] != NO_VALUE) row[t] *= bytes;
        step->move[step->count++] = (zl_point_move){
            .word = word_of(r, e), .part = (uint32_t)e & ((1u << r->out->parts) - 1)};
    }
    return status ? status : forms_find(r, step, true);
}

/* Puts the lanes in place of the indices in src; returns the register, which is one in all threads. */
static uint64_t source_take(const point_reader *r, int64_t *row, bool *moves)
{
    uint64_t reg = 0, lanes = side_of(r)->extent[ZL_LANE];
    for (uint64_t t = 0; t < r->threads; t++) {
        if (row[t] == NO_VALUE) continue;
        reg = level_at(r, (uint64_t)row[t], ZL_REGISTER);
        row[t] = (int64_t)level_at(r, (uint64_t)row[t], ZL_LANE);
        *moves = *moves || (uint64_t)row[t] != t % lanes;
    }
    return reg;
}

/* The words of a register, from the words of one register of src each. */
static void words_put(const point_reader *r, zl_trip_step *step, uint64_t reg, uint64_t from)
{
    uint32_t halves = r->plan->info.elem_bits > 32 ? 2 : 1;
    for (uint32_t h = 0; h < halves; h++)
        step->move[step->count++] = (zl_point_move){.word = word_of(r, reg) + h, .from = word_of(r, from) + h};
}

/* Moves between registers and, of shuffles, lanes. Elements of a word stay together. */
static zlay_status moves_read(point_reader *r, zl_trip_step *step, const zlay_layout *map)
{
    zlay_status status = ZLAY_OK;
    for (uint64_t e = 0; e < registers_of(r) && !status; e++) {
        zl_point_move *former = step->count ? &step->move[step->count - 1] : NULL;
        bool moves = false;
        status = row_read(r, r->value, map, e);
        if (status || is_empty(r, r->value) || (former && former->word == word_of(r, e))) continue;
        uint64_t from = source_take(r, r->value, &moves);
        words_put(r, step, e, from);
        zl_point_move *m = &step->move[step->count - 1];
        m->shuffled = step->op == ZLAY_CONVERT_SHFL && moves;
        if (m->shuffled) status = form_of(r, m, r->value, 0);
        for (zl_point_move *half = m - (r->plan->info.elem_bits > 32); half < m; half++)
            half->at = m->at, half->shuffled = m->shuffled;
    }
    return status;
}

static zlay_status step_read(point_reader *r, zl_trip_step *step, const zl_convert_step *from)
{
    bool store = step->op == ZLAY_CONVERT_STORE, access = store || step->op == ZLAY_CONVERT_LOAD;
    const zlay_layout *map = from->map[store ? ZLAY_CONVERT_FORWARD : ZLAY_CONVERT_BACK];
    if (step->op == ZLAY_CONVERT_SYNC || step->op == ZLAY_CONVERT_PRMT) return ZLAY_OK;
    zlay_status status = begin(r, step, store ? ZL_SRC : ZL_DST);
    if (status) return status;
    return access ? access_read(r, step, map) : moves_read(r, step, map);
}

zlay_status zl_points_text_of(zlay_ctx *ctx, zl_trip_text *out, const zlay_convert *plan)
{
    point_reader r = {.ctx = ctx, .plan = plan, .out = out};
    zlay_status status = zl_graph_begin(&out->graph, ctx);
    for (uint32_t i = 0; i < out->count && !status; i++)
        status = step_read(&r, &out->step[i], &plan->step[i]);
    if (status != ZLAY_ELIMIT || status != out->graph.status) return status;
    return zl_fail(ctx, ZLAY_ENOTSUP, "plan: its addresses take more than %d operations", ZL_GRAPH_NODES);
}
