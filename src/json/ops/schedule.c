/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule for people: what pipe.schedule answers to a request, a table of starts, and which
 * operation each unit has in flight in the cycles of one interval. */
#include "json/ops/response.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 64, LANES = 16, OPS_MOST = ZLAY_SCHEDULE_OPS };

typedef struct timetable_op {
    const char *name, *unit;
    int64_t cycles, start;
} timetable_op;

typedef struct timetable {
    const json_t *ok;
    int64_t ii;
    timetable_op op[OPS_MOST];
    uint32_t ops;
} timetable;

static int64_t number_of(const json_t *object, const char *name)
{
    int64_t number = 0;
    zl_json_i64(json_object_get(object, name), &number);
    return number;
}

/* The answer names the operations of a copy in the order of the request, then those of the next. */
static void place(timetable *d, const json_t *request)
{
    const json_t *ops = json_object_get(request, "ops");
    const char *name;
    json_t *start;
    json_object_foreach(json_object_get(d->ok, "start"), name, start)
    {
        const json_t *op = json_array_get(ops, d->ops % json_array_size(ops));
        timetable_op *p = &d->op[d->ops++];
        *p = (timetable_op){name, json_string_value(json_object_get(op, "unit")),
                            number_of(op, "cycles"), 0};
        zl_json_i64(start, &p->start);
    }
}

/* ---- the picture ------------------------------------------------------------------- */

/* Letters and digits; those that have none of their own share a star. */
static char mark_of(uint32_t i)
{
    if (i < 52) return (char)(i < 26 ? 'a' + i : 'A' + (i - 26));
    return (char)(i < 62 ? '0' + (i - 52) : '*');
}

/* The first cycle of a column. */
static int64_t cycle_of(const timetable *d, int64_t columns, int64_t column)
{
    return (int64_t)((zl_i128)d->ii * column / columns);
}

/* How many iterations of an operation are in flight at a cycle of the interval; where none is and
 * one starts before `until`, that one. */
static int64_t in_flight(const timetable *d, const timetable_op *p, int64_t at, int64_t until)
{
    int64_t since = zl_floor_mod(at - p->start, d->ii);
    int64_t count = p->cycles / d->ii + (since < p->cycles % d->ii);
    return count ? count : p->cycles && zl_floor_mod(p->start - at, d->ii) < until - at;
}

/* A free lane of a column: the one that had the mark before it, else the first. */
static uint32_t lane_of(char *const lane[LANES], int64_t column, char mark)
{
    uint32_t first = LANES;
    for (uint32_t k = LANES; k-- > 0;) {
        if (lane[k][column] != '.') continue;
        if (column && lane[k][column - 1] == mark) return k;
        first = k;
    }
    return first;
}

/* Which operations of a unit are in flight in a column; where none is, which start within it.
 * Returns how many lanes that takes, one more than there are where they do not do. */
static uint32_t draw_column(const timetable *d, const char *unit, int64_t columns, int64_t column,
                            char *const lane[LANES])
{
    int64_t at = cycle_of(d, columns, column), until = cycle_of(d, columns, column + 1);
    uint32_t lanes = 0;
    for (int64_t end = at;; end = until) {
        for (uint32_t i = 0; i < d->ops; i++) {
            int64_t count = strcmp(d->op[i].unit, unit) ? 0 : in_flight(d, &d->op[i], at, end);
            while (count-- > 0 && lanes <= LANES) {
                uint32_t k = lane_of(lane, column, mark_of(i));
                if (k < LANES) lane[k][column] = mark_of(i);
                lanes = zl_max32(lanes, k + 1);
            }
        }
        if (lanes || end == until) return lanes;
    }
}

/* A name, with a question mark for each control character, in a column of so many letters. */
static void put_name(zl_text *out, const char *name, size_t width)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)name[i];
        zl_put(out, c < 0x20 || c == 0x7f ? "?" : name + i, 1);
    }
    zl_putf(out, "%*s", (int)(length < width ? width - length + 1 : 1), "");
}

static void put_unit(zl_text *out, const timetable *d, const char *unit, int64_t columns)
{
    char cells[LANES][COLUMNS + 1], *lane[LANES];
    uint32_t lanes = 1;
    for (uint32_t i = 0; i < LANES; i++) {
        lane[i] = memset(cells[i], '.', (size_t)columns);
        cells[i][columns] = 0;
    }
    for (int64_t column = 0; column < columns; column++)
        lanes = zl_max32(lanes, draw_column(d, unit, columns, column, lane));
    for (uint32_t i = 0; i < lanes && i < LANES; i++) {
        put_name(out, i ? "" : unit, 12);
        zl_putf(out, "%s\n", lane[i]);
    }
    if (lanes > LANES)
        zl_putf(out, "%13sand more at a time than the %d that are drawn\n", "", LANES);
}

/* ---- text -------------------------------------------------------------------------- */

static void put_head(zl_text *out, const timetable *d)
{
    zl_putf(out,
            "ii        %" PRId64 ", at least %" PRId64 ": units %" PRId64
            ", cycles of edges %" PRId64 "\n",
            d->ii, number_of(d->ok, "bound"), number_of(d->ok, "unit_bound"),
            number_of(d->ok, "cycle_bound"));
    zl_putf(out, "stages    %" PRId64 ", at least %" PRId64 "\n", number_of(d->ok, "stages"),
            number_of(d->ok, "stages_bound"));
    zl_putf(out, "optimal   %s\n", json_is_true(json_object_get(d->ok, "optimal")) ? "yes" : "no");
}

typedef struct page {
    const timetable *d;
    const json_t *request;
} page;

/* The buffers of values that the answer has, copy by copy. */
static void put_buffers(zl_text *out, const page *p)
{
    const json_t *depths = json_object_get(p->d->ok, "depth"), *depth,
                 *values = json_object_get(p->request, "values");
    size_t i;
    json_array_foreach(depths, i, depth)
    {
        const json_t *value = json_array_get(values, i % json_array_size(values));
        uint64_t count = 0, bytes = 0;
        zl_json_u64(depth, &count);
        zl_json_u64(json_object_get(value, "bytes"), &bytes);
        zl_puts(out, i ? "" : "\nvalue of         space       buffers x bytes\n");
        put_name(out, json_string_value(json_object_get(value, "def")), 16);
        put_name(out, json_string_value(json_object_get(value, "space")), 12);
        zl_putf(out, "%6" PRIu64 " x %" PRIu64 "\n", count, bytes);
    }
}

static void write_all(zl_text *out, const void *value)
{
    const page *p = value;
    const timetable *d = p->d;
    const char *unit;
    json_t *count;
    put_head(out, d);
    if (!d->ops) return;
    zl_puts(out, "\n  operation        unit           cycles      start      stage + cycle\n");
    for (uint32_t i = 0; i < d->ops; i++) {
        zl_putf(out, "%c ", mark_of(i));
        put_name(out, d->op[i].name, 16);
        put_name(out, d->op[i].unit, 12);
        zl_putf(out, "%8" PRId64 " %10" PRId64 " %10" PRId64 " + %" PRId64 "\n", d->op[i].cycles,
                d->op[i].start, d->op[i].start / d->ii, d->op[i].start % d->ii);
    }
    put_buffers(out, p);
    int64_t columns = zl_min(COLUMNS, d->ii);
    zl_putf(out, "\none interval of %" PRId64 " cycles\n", d->ii);
    json_object_foreach(json_object_get(p->request, "units"), unit, count)
        put_unit(out, d, unit, columns);
}

/* What `write` makes in memory that free() takes. */
static zlay_status written(zlay_ctx *ctx, char **out, const page *p)
{
    zl_text text = {NULL, 0, 0};
    write_all(&text, p);
    text.room = text.need;
    text.text = *out = malloc(text.need + 1);
    if (!*out) return zl_fail(ctx, ZLAY_ENOMEM, "no memory for the answer");
    text.need = 0;
    write_all(&text, p);
    (*out)[text.need] = 0;
    return ZLAY_OK;
}

static zlay_status asked(zlay_ctx *ctx, char **out, json_t *request)
{
    timetable d = {.ops = 0};
    json_t *response = zl_response_to(ctx, request);
    zlay_status status = zl_response_status(ctx, response);
    if (!status) {
        d.ok = json_object_get(response, "ok");
        d.ii = number_of(d.ok, "ii");
        place(&d, request);
        status = written(ctx, out, &(page){&d, request});
    }
    json_decref(response);
    return status;
}

zlay_status zl_schedule_asked(zlay_ctx *ctx, char **out, const char *text, size_t length)
{
    json_error_t error;
    json_t *request = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
    *out = NULL;
    if (!json_is_object(request)) {
        json_decref(request);
        return zl_fail(ctx, ZLAY_EINVAL, "no JSON object: %s, line %d",
                       request ? "another value" : error.text, request ? 1 : error.line);
    }
    zlay_status status = ZLAY_ENOMEM;
    if (!json_object_set_new(request, "op", json_string("pipe.schedule")))
        status = asked(ctx, out, request);
    json_decref(request);
    return status;
}
