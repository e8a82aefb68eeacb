/* SPDX-License-Identifier: Apache-2.0 */
/* Shows a modulo schedule as Gantt charts: the cycles of one interval, and the first iterations.
 * A chart collects flights, the cycles for which an operation takes its unit, sorts them by unit
 * and begin, and gives each the first row of its unit that is free (interval partitioning), so rows
 * are as few as they can be. */
#include "base/request.h"
#include "pipe/schedule/schedule.h"
#include "show/picture.h"

#include <inttypes.h>
#include <stdlib.h>

#include <zlay/show_schedule.h>

enum {
    COLUMNS_USUAL = 64, COLUMNS_MOST = 4096, ITERATIONS_USUAL = 8, ITERATIONS_MOST = 256,
    BOXES_MOST = 1 << 16, LABEL = 96, TIP = 256
};

/* An operation of a copy in an iteration, or what an interval has of it. */
typedef struct flight {
    int64_t start, cycles; /* as tips have them */
    int64_t iteration;     /* -1: of the interval */
    uint32_t op, copy, unit, row;
    uint32_t column, end; /* of the panel: from `column` to before `end` */
} flight;

typedef struct chart {
    zlay_ctx *ctx;
    zl_sketch *s;
    const zlay_schedule_request *loop;
    const zlay_schedule *schedule;
    zlay_schedule_summary info;
    uint32_t copies, columns, head; /* head: rows before the first unit's */
    int64_t cycles;                 /* of the panel */
    flight *flights;
    uint64_t count, room;
} chart;

/* ---- flights ------------------------------------------------------------ */

static uint32_t column_of(const chart *c, int64_t cycle)
{
    return (uint32_t)((zl_i128)cycle * c->columns / c->cycles);
}

static int64_t start_of(const chart *c, uint32_t copy, uint32_t op)
{
    int64_t start = 0;
    zlay_schedule_start_nth(&start, c->schedule, copy, op);
    return start;
}

static zlay_status grow(chart *c)
{
    uint64_t room = 2 * c->room + c->loop->ops;
    flight *more = zl_scratch(c->ctx, room, sizeof *more);
    if (!more) return ZLAY_ENOMEM;
    for (uint64_t i = 0; i < c->count; i++) more[i] = c->flights[i];
    c->flights = more;
    c->room = room;
    return ZLAY_OK;
}

/* Adds the cycles from `begin` to before `end` of a panel as those of a flight, at
 * least one column. */
static void add(chart *c, const flight *of, int64_t begin, int64_t end)
{
    if (c->s->status || begin >= end) return;
    if (c->count == BOXES_MOST)
        c->s->status = zl_fail(c->ctx, ZLAY_ELIMIT, "a picture of more than %d boxes", BOXES_MOST);
    else if (c->count == c->room) c->s->status = grow(c);
    if (c->s->status) return;
    flight *to = &c->flights[c->count++];
    *to = *of;
    to->column = column_of(c, begin);
    to->end = column_of(c, end);
    if (to->end == to->column) to->end++;
}

/* An operation in the interval: cut wherever an interval ends while it is in flight. */
static void add_folded(chart *c, const flight *of)
{
    int64_t ii = c->cycles, end = of->start + of->cycles;
    for (int64_t at = of->start, next; at < end && !c->s->status; at = next) {
        int64_t first = at % ii;
        next = end - at < ii - first ? end : at + ii - first;
        add(c, of, first, first + next - at);
    }
}

static void add_all(chart *c, int64_t iteration)
{
    for (uint32_t copy = 0; copy < c->copies; copy++)
        for (uint32_t i = 0; i < c->loop->ops && !c->s->status; i++) {
            const zlay_schedule_op *op = &c->loop->op[i];
            int64_t after = iteration < 0 ? 0 : iteration * (int64_t)c->info.ii;
            const flight of = {.start = start_of(c, copy, i) + after, .cycles = (int64_t)op->cycles,
                             .iteration = iteration, .op = i, .copy = copy, .unit = op->unit};
            if (iteration < 0) add_folded(c, &of);
            else add(c, &of, of.start, of.start + of.cycles);
        }
}

static int by_unit(const void *one, const void *two)
{
    const flight *a = one, *b = two;
    if (a->unit != b->unit) return a->unit < b->unit ? -1 : 1;
    if (a->column != b->column) return a->column < b->column ? -1 : 1;
    if (a->start != b->start) return a->start < b->start ? -1 : 1;
    if (a->copy != b->copy) return a->copy < b->copy ? -1 : 1;
    return a->op < b->op ? -1 : a->op > b->op;
}

/* Gives each flight its row; returns how many rows there are, and `of` their units. */
static uint32_t place(chart *c, uint32_t *end, uint32_t *of)
{
    uint32_t rows = c->head, first = rows;
    qsort(c->flights, c->count, sizeof *c->flights, by_unit);
    for (uint64_t i = 0; i < c->count; i++) {
        flight *s = &c->flights[i];
        if (i && c->flights[i - 1].unit != s->unit) first = rows;
        for (s->row = first; s->row < rows && end[s->row] > s->column;) s->row++;
        if (zl_charge(c->ctx, s->row - first + 1)) return 0;
        if (s->row == rows) of[rows++] = s->unit;
        end[s->row] = s->end;
    }
    return rows;
}

/* ---- boxes ------------------------------------------------------------ */

static void put_name(zl_text *out, const chart *c, const flight *s)
{
    zl_puts(out, c->loop->op[s->op].name);
    if (s->copy) zl_putf(out, ".%u", s->copy);
}

static void put_flight(const chart *c, const flight *s)
{
    char label[LABEL], tip[TIP];
    zl_text name = {label, sizeof label - 1, 0}, text = {tip, sizeof tip - 1, 0};
    int64_t stage = start_of(c, s->copy, s->op) / (int64_t)c->info.ii;
    int64_t shade = s->iteration < 0 ? stage + s->copy * (int64_t)c->info.stages : s->iteration;
    put_name(&name, c, s);
    if (s->iteration >= 0) zl_putf(&name, " %" PRId64, s->iteration);
    zl_text_end(&name);
    if (s->iteration >= 0) zl_putf(&text, "iteration %" PRId64 ", ", s->iteration);
    zl_putf(&text, "cycles %" PRId64 "..%" PRId64 ", stage %" PRId64 ": ", s->start,
            s->start + s->cycles - 1, stage);
    put_name(&text, c, s);
    zl_text_end(&text);
    const zlay_box box = {.row = s->row,
                          .column = s->column,
                          .width = s->end - s->column,
                          .shade = zl_sketch_shade(shade),
                          .key = s->iteration < 0 ? (int64_t)s->op : s->iteration,
                          .step = s->column,
                          .label = label,
                          .tip = tip};
    zl_sketch_box(c->s, &box);
}

/* Draws the flights under a title. */
static void put_panel(chart *c, const char *title)
{
    uint32_t *end = zl_scratch(c->ctx, c->count + c->head + 1, sizeof *end);
    uint32_t *of = zl_scratch(c->ctx, c->count + c->head + 1, sizeof *of);
    if (!c->s->status && (!end || !of)) c->s->status = ZLAY_ENOMEM;
    if (c->s->status) return;
    uint32_t rows = place(c, end, of);
    if (!rows) c->s->status = ZLAY_ELIMIT; /* of zl_charge */
    if (!rows) return;
    zl_sketch_panel(c->s, ZLAY_PANEL_BARS, c->columns, rows, "%s", title);
    for (uint32_t k = 0; k < c->columns && !c->s->status; k++)
        zl_sketch_column(c->s, k, "%" PRId64, (int64_t)((zl_i128)c->cycles * k / c->columns));
    for (uint32_t k = c->head; k < rows; k++)
        if (k == c->head || of[k] != of[k - 1])
            zl_sketch_row(c->s, k, "%s", c->loop->unit[of[k]].name);
    for (uint64_t i = 0; i < c->count && !c->s->status; i++) put_flight(c, &c->flights[i]);
}

/* ---- panels ----------------------------------------------------------- */

static void begin(chart *c, int64_t cycles, uint32_t columns, uint32_t head)
{
    c->cycles = cycles;
    c->columns = cycles < columns ? (uint32_t)cycles : columns;
    c->head = head;
    c->count = 0;
}

static void show_interval(chart *c, uint32_t columns)
{
    char title[LABEL];
    zl_text text = {title, sizeof title - 1, 0};
    begin(c, (int64_t)c->info.ii, columns, 0);
    zl_putf(&text, "one interval of %" PRIu64 " cycles", c->info.ii);
    zl_text_end(&text);
    add_all(c, -1);
    if (!c->s->status && !c->count)
        c->s->status = zl_fail(c->ctx, ZLAY_EINVAL, "ops: none takes a unit; nothing to show");
    put_panel(c, title);
}

/* A stretch of the time line in the first row. */
static void put_stretch(const chart *c, const char *name, int64_t from, int64_t to)
{
    uint32_t column = column_of(c, from), end = column_of(c, to);
    if (column == end) return;
    const zlay_box box = {.column = column, .width = end - column, .shade = -1, .key = -1,
                          .step = -1, .label = name, .tip = ""};
    zl_sketch_box(c->s, &box);
}

/* The cycle behind the last operation of the last iteration, below 2^63: zl_schedule_synth has
 * 72 ii below 2^60, and starts below 2^60. */
static int64_t length_of(const chart *c, uint32_t iterations)
{
    int64_t ii = (int64_t)c->info.ii, most = ii * iterations;
    for (uint32_t copy = 0; copy < c->copies; copy++)
        for (uint32_t i = 0; i < c->loop->ops; i++)
            most = zl_max(most, ii * (iterations - 1) + start_of(c, copy, i) +
                                    (int64_t)c->loop->op[i].cycles);
    return most;
}

static void show_iterations(chart *c, uint32_t columns, uint32_t iterations)
{
    int64_t length = length_of(c, iterations), ii = (int64_t)c->info.ii;
    int64_t full = (int64_t)c->info.stages - 1, last = iterations;
    char title[LABEL];
    zl_text text = {title, sizeof title - 1, 0};
    if (c->s->status) return;
    begin(c, length, columns, 1);
    zl_putf(&text, "the first %u iteration%s", iterations, iterations > 1 ? "s" : "");
    zl_text_end(&text);
    for (uint32_t k = 0; k < iterations; k++) add_all(c, k);
    put_panel(c, title);
    if (full > last) full = last; /* the pipeline is never full */
    put_stretch(c, "prologue", 0, full * ii);
    put_stretch(c, "steady", full * ii, last * ii);
    put_stretch(c, "epilogue", last * ii, length);
}

static void put_notes(const chart *c)
{
    uint64_t depth;
    zl_sketch_note(c->s, "an iteration every %" PRIu64 " cycles, at least %" PRIu64 "; %" PRIu64
                   " stages, at least %" PRIu64, c->info.ii, c->info.bound, c->info.stages,
                   c->info.stages_bound);
    for (uint32_t copy = 0; copy < c->copies; copy++)
        for (uint32_t i = 0; !zlay_schedule_depth_nth(&depth, c->schedule, copy, i); i++) {
            const zlay_schedule_value *v = &c->loop->value[i];
            const char *name = c->loop->op[v->def].name, *space = c->loop->space[v->space].name;
            if (copy)
                zl_sketch_note(c->s, "%s.%u: %" PRIu64 " x %" PRIu64 " bytes of %s", name, copy,
                               depth, v->bytes, space);
            else
                zl_sketch_note(c->s, "%s: %" PRIu64 " x %" PRIu64 " bytes of %s", name, depth,
                               v->bytes, space);
        }
}

/* ---- the call --------------------------------------------------------- */

static zlay_status draw(chart *c, zlay_picture **out, const zlay_show_schedule_request *r)
{
    uint32_t columns = r->columns ? r->columns : COLUMNS_USUAL;
    uint32_t usual = c->info.stages < ITERATIONS_USUAL ? (uint32_t)c->info.stages + 1
                                                       : ITERATIONS_USUAL;
    zl_sketch s = zl_sketch_begin(c->ctx, "a schedule of %" PRIu64 " cycles in %" PRIu64 " stages",
                                  c->info.ii, c->info.stages);
    c->s = &s;
    if (!s.status) show_interval(c, columns);
    show_iterations(c, columns, r->iterations ? r->iterations : usual);
    put_notes(c);
    return zl_sketch_end(&s, out);
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const zlay_schedule_request *loop,
                        const zlay_show_schedule_request *r)
{
    chart c = {.ctx = ctx, .loop = loop, .copies = loop->copies ? loop->copies : 1};
    zlay_schedule *schedule = NULL;
    zlay_schedule_reason why = {0}; /* the message says as much */
    if (r->columns > COLUMNS_MOST || r->iterations > ITERATIONS_MOST)
        return zl_fail(ctx, ZLAY_EINVAL, "columns, iterations: %u and %u; at most %d and %d",
                       r->columns, r->iterations, COLUMNS_MOST, ITERATIONS_MOST);
    zlay_status status = zl_schedule_synth(ctx, &schedule, &why, loop);
    if (status) return status;
    c.schedule = schedule;
    zlay_schedule_info(&c.info, schedule);
    status = draw(&c, out, r);
    zlay_schedule_free(schedule);
    return status;
}

zlay_status zlay_show_schedule(zlay_ctx *ctx, zlay_picture **out, const zlay_schedule_request *loop,
                               const zlay_show_schedule_request *request)
{
    static const zl_request_form form = {"zlay_show_schedule_request",
                                         sizeof(zlay_show_schedule_request),
                                         sizeof request->size,
                                         {ZL_RESERVED(zlay_show_schedule_request, reserved32),
                                          ZL_RESERVED(zlay_show_schedule_request, reserved)}};
    zlay_show_schedule_request r = {.size = sizeof r};
    if (!ctx || !out || !loop) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    if (request) status = zl_request_read(ctx, &r, request, &form);
    return zl_leave(ctx, status ? status : show(ctx, out, loop, &r));
}
