/* SPDX-License-Identifier: Apache-2.0 */
/* Shows the places of a tile program: where each value may be and is, and, for each memory of a
 * block, what each value takes of it in which steps. */
#include "show/picture.h"
#include "synth/places/find.h"

#include <inttypes.h>

#include <zlay/show_places.h>

enum { LABEL = 128, TIP = 320 };

typedef struct view {
    zl_sketch *s;
    const zlay_target *target;
    const zlay_places_request *r;
    zlay_places *places;
    zl_places_lives *lives;
} view;

static void put_name(zl_text *out, const view *v, uint32_t value)
{
    const char *name = v->r->value[value].name;
    if (name) zl_puts(out, name);
    else zl_putf(out, "%u", value);
}

/* ---- places ----------------------------------------------------------- */

static const char *label_of(const view *v, uint32_t value, uint32_t place)
{
    const zlay_places_home *home = &v->places->value[value];
    if (home->home == place) return v->r->value[value].from ? "begins" : "made";
    return home->has & place ? "moved" : "may";
}

static void put_cell(const view *v, uint32_t value, uint32_t i)
{
    const zlay_places_home *home = &v->places->value[value];
    uint32_t place = 1u << i, from = home->source[i];
    char tip[TIP];
    zl_text text = {tip, sizeof tip - 1, 0};
    if (!((home->may | home->has) & place)) return;
    put_name(&text, v, value);
    zl_putf(&text, ": %" PRIu64 " bytes", home->bytes);
    if (from)
        zl_putf(&text, ", from %s by %s", zlay_place_name(from),
                zlay_places_move_name(v->target, from, place));
    if (from == ZLAY_PLACE_GLOBAL && place == ZLAY_PLACE_SHARED && home->blocks > 1)
        zl_putf(&text, " for %u blocks", home->blocks);
    if (home->end == place) zl_puts(&text, ", wanted here at the end");
    zl_text_end(&text);
    const zlay_box box = {.row = value,
                          .column = i,
                          .width = 1,
                          .shade = home->has & place ? zl_sketch_shade(value) : -1,
                          .key = value,
                          .step = -1,
                          .label = label_of(v, value, place),
                          .tip = tip};
    zl_sketch_box(v->s, &box);
}

static void show_values(const view *v)
{
    char label[LABEL];
    zl_sketch_panel(v->s, ZLAY_PANEL_CELLS, ZLAY_PLACE_KINDS, v->places->values, "%s", "places");
    for (uint32_t i = 0; i < ZLAY_PLACE_KINDS; i++)
        zl_sketch_column(v->s, i, "%s", zlay_place_name(1u << i));
    for (uint32_t k = 0; k < v->places->values && !v->s->status; k++) {
        zl_text text = {label, sizeof label - 1, 0};
        put_name(&text, v, k);
        zl_text_end(&text);
        zl_sketch_row(v->s, k, "%s", label);
        for (uint32_t i = 0; i < ZLAY_PLACE_KINDS; i++) put_cell(v, k, i);
    }
}

/* ---- memories --------------------------------------------------------- */

/* Where a value lies in a place: its first byte or column; -1: in registers, which have none. */
static int64_t first_of(const zlay_places_home *home, uint32_t place)
{
    if (place == ZLAY_PLACE_SHARED) return home->smem;
    if (place == ZLAY_PLACE_CLUSTER) return home->remote;
    return place == ZLAY_PLACE_TENSOR ? (int64_t)home->column : -1;
}

/* `A 0..65535`, or `sum 128`. */
static void put_range(zl_text *out, const view *v, uint32_t value, uint32_t i)
{
    int64_t first = first_of(&v->places->value[value], 1u << i);
    uint64_t room = v->lives->room[value][i];
    put_name(out, v, value);
    if (first < 0) zl_putf(out, " %" PRIu64, room);
    else zl_putf(out, " %" PRId64 "..%" PRId64, first, first + (int64_t)room - 1);
    zl_text_end(out);
}

/* A box for each stretch of steps. */
static void put_stretches(const view *v, uint32_t value, uint32_t i, uint32_t row)
{
    char label[LABEL], tip[TIP];
    zl_text name = {label, sizeof label - 1, 0}, text = {tip, sizeof tip - 1, 0};
    uint64_t steps = v->lives->steps[value][i];
    uint32_t count = 2 * v->places->operations + 1;
    put_name(&name, v, value);
    zl_text_end(&name);
    put_range(&text, v, value, i);
    for (uint32_t from = 0, to; from < count; from = to + 1) {
        for (to = from; to < count && steps >> to & 1;) to++;
        if (to == from) continue;
        const zlay_box box = {.row = row,
                              .column = from,
                              .width = to - from,
                              .shade = zl_sketch_shade(value),
                              .key = value,
                              .step = from,
                              .label = label,
                              .tip = tip};
        zl_sketch_box(v->s, &box);
    }
}

static void show_memory(const view *v, uint32_t i)
{
    static const char *const titles[ZLAY_PLACE_KINDS] = {
        "registers of a thread", "bytes of shared memory", "bytes in another block",
        "columns of tensor memory", ""};
    char label[LABEL];
    uint32_t rows = 0, row = 0, count = v->places->values;
    for (uint32_t k = 0; k < count; k++) rows += v->places->value[k].has >> i & 1;
    if (!rows) return;
    zl_sketch_panel(v->s, ZLAY_PANEL_BARS, 2 * v->places->operations + 1, rows, "%s", titles[i]);
    for (uint32_t o = 0; o < v->places->operations; o++)
        zl_sketch_column(v->s, 2 * o, "%s", zlay_places_form_name(v->places->operation[o].form));
    zl_sketch_column(v->s, 2 * v->places->operations, "%s", "end");
    for (uint32_t k = 0; k < count && !v->s->status; k++) {
        zl_text text = {label, sizeof label - 1, 0};
        if (!(v->places->value[k].has >> i & 1)) continue;
        put_range(&text, v, k, i);
        zl_sketch_row(v->s, row, "%s", label);
        put_stretches(v, k, i, row++);
    }
}

/* ---- the call --------------------------------------------------------- */

static void put_notes(const view *v)
{
    const zlay_places *p = v->places;
    zl_sketch_note(v->s, "shared memory %" PRIu64 " bytes, registers %u a thread, tensor memory %u "
                   "columns", p->smem, p->registers, p->tmem);
    zl_sketch_note(v->s, "%u moves%s", p->moves,
                   p->optimal ? "; no choice that fits costs less" : "");
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const zlay_target *target,
                        const zlay_places_request *request)
{
    view v = {.target = target,
              .r = request,
              .places = zl_scratch(ctx, 1, sizeof *v.places),
              .lives = zl_scratch(ctx, 1, sizeof *v.lives)};
    if (!v.places || !v.lives) return ZLAY_ENOMEM;
    zlay_status status = zl_whole(ctx, zl_places_find(ctx, v.places, v.lives, target, request));
    if (status) return status;
    zl_sketch s = zl_sketch_begin(ctx, "places of %u values on %s", v.places->values, zlay_target_name(target));
    v.s = &s;
    show_values(&v);
    for (uint32_t i = 0; i < ZLAY_PLACE_KINDS; i++)
        if (1u << i != ZLAY_PLACE_GLOBAL) show_memory(&v, i);
    put_notes(&v);
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_places(zlay_ctx *ctx, zlay_picture **out, const zlay_target *target,
                             const zlay_places_request *request)
{
    if (!ctx || !out || !target || !request) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, show(ctx, out, target, request));
}
