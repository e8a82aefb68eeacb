/* SPDX-License-Identifier: Apache-2.0 */
/* Checks under facts. Which rows apply is decided by fields that are always numbers; so a row is a
 * condition on what is given, and holds, is broken or stays open by what the facts say. Advice is
 * about numbers, and is left out. */
#include "rules/symbolic/given.h"

#include <stdio.h>
#include <string.h>

typedef struct asker {
    zl_given *g;
    zl_collector found;
    bool driver_open;
} asker;

/* ---- the rows ---------------------------------------------------------------------------- */

/* Two ranges of one form are one. */
static bool merge(zl_condition *into, const zl_condition *c)
{
    zl_condition both = *c;
    if (c->asks == ZL_ASKS_RANGE) both.lo = into->lo, both.hi = into->hi;
    if (memcmp(&both, into, sizeof both)) return false;
    if (c->lo > into->lo) into->lo = c->lo;
    if (c->hi < into->hi) into->hi = c->hi;
    return true;
}

static void open_add(asker *k, const zl_condition *c, const zlay_reason *r)
{
    zl_given *g = k->g;
    if (r->noted) return;
    k->driver_open |= r->by == ZLAY_BY_DRIVER;
    for (uint32_t i = 0; i < g->opened; i++)
        if (merge(&g->open[i], c)) return;
    if (g->opened < ZL_CONDITIONS_MOST) g->open[g->opened++] = *c;
}

/* The least value that the facts allow, as the field's type would hold it: a range refuses what is
 * below 0. */
static uint64_t least(zlay_range range, int32_t relation)
{
    if (range.lo >= 0) return (uint64_t)range.lo;
    if (range.hi < 0) return relation == ZLAY_REL_MULTIPLE ? (uint64_t)range.hi : UINT64_MAX;
    return (uint64_t)range.rem;
}

/* A row that compares two texts, or a text with a box, has the second in its bounds. */
static zlay_status bounds_of(zlay_reason *r, zlay_range *range, zl_given *g, const zl_condition *c)
{
    zl_condition first = *c, second = *c;
    bool box = c->asks == ZL_ASKS_COPIED;
    zlay_status status = ZLAY_OK;
    zl_state unused;
    zlay_range bound;
    if (!box && (c->b == ZL_GIVEN_NONE || c->times > 0)) return ZLAY_OK;
    first.b = second.a = ZL_GIVEN_NONE;
    second.offset = 0;
    second.times = -c->times;
    if (!box) status = zl_condition_state(&unused, range, g, &first);
    if (!status && !box) status = zl_condition_state(&unused, &bound, g, &second);
    if (box) status = g->form->box->bytes(&bound, g, c);
    if (status) return status;
    if (box) bound = zl_range_scale(bound, -c->times);
    *(c->hi == INT64_MAX || r->relation == ZLAY_REL_EQUAL ? &r->lo : &r->hi) = least(bound, r->relation);
    return ZLAY_OK;
}

static zlay_status given_row(asker *k, const zl_rule *rule, const zl_condition *c, uint32_t i)
{
    zlay_range range;
    zlay_reason r;
    zl_state s = ZL_OPEN;
    zlay_status status = zl_condition_state(&s, &range, k->g, c);
    if (status) return status;
    zl_reason_start(&r, rule, &k->g->subject, i);
    if (s == ZL_OPEN) open_add(k, c, &r);
    if (s == ZL_BROKEN) status = bounds_of(&r, &range, k->g, c);
    r.value = least(range, r.relation);
    if (s == ZL_BROKEN && !status) zl_collect(&k->found, &r);
    return status;
}

static void known_row(asker *k, const zl_rule *rule, uint32_t i)
{
    zlay_reason r;
    zl_reason_start(&r, rule, &k->g->subject, i);
    r.value = zl_quantity_value(rule->quantity, &k->g->subject, i);
    if (zl_relation_holds(r.relation, r.value, r.lo, r.hi)) return;
    if (k->g->form->repairs(k->g, r.field)) zl_fix(&r, rule, &k->g->subject);
    zl_collect(&k->found, &r);
}

/* The row that asks a part as a whole, where texts are in it; the part's own rows answer. */
static bool asks_part(const zl_given *g, const zl_rule *rule)
{
    const zl_given_part *part = g->form->part;
    return part && rule->quantity == part->row && part->asked(g);
}

static zlay_status row_ask(void *arg, const zl_rule *rule, const zl_subject *s, uint32_t i)
{
    asker *k = arg;
    zl_condition c;
    (void)s;
    if (rule->by == ZLAY_BY_ADVICE || asks_part(k->g, rule)) return ZLAY_OK;
    if (k->g->form->asks(&c, rule, k->g, i)) return given_row(k, rule, &c, i);
    known_row(k, rule, i);
    return ZLAY_OK;
}

static zlay_status rows_ask(asker *k) { return zl_rows_visit(&k->g->subject, row_ask, k); }

/* The rows of a part, under the same facts: one that is broken refuses the subject, those that stay
 * open are of its guard. */
static zlay_status part_ask(void *arg, const zl_rule *rule, const zl_subject *s, uint32_t i)
{
    asker *k = arg;
    zl_given *g = k->g;
    const zl_subject whole = g->subject;
    const zl_given_form *form = g->form;
    asker inner = {.g = g};
    zlay_reason r;
    (void)s;
    if (rule->by == ZLAY_BY_ADVICE || !asks_part(g, rule)) return ZLAY_OK;
    g->subject = (zl_subject){form->part->subject, whole.target, g->map};
    g->form = form->part->form;
    zlay_status status = rows_ask(&inner);
    g->subject = whole;
    g->form = form;
    zl_reason_start(&r, rule, &g->subject, i);
    if (!status && inner.found.verdict.broken) zl_collect(&k->found, &r);
    return status;
}

static zlay_status parts_ask(asker *k) { return zl_rows_visit(&k->g->subject, part_ask, k); }

/* A number is within its type; a text may not be, where no row bounds it. */
static zlay_status type_ask(asker *k, uint32_t i)
{
    zl_condition c = {.asks = ZL_ASKS_RANGE, .a = (uint8_t)i, .b = ZL_GIVEN_NONE, .scale = 1,
                      .divisor = 1};
    const zlay_given *text = &k->g->text[i];
    zlay_reason r = {.by = ZLAY_BY_DOCUMENT};
    zlay_range range;
    zl_state s = ZL_OPEN;
    if (!k->g->form->typed(&c.lo, &c.hi, k->g, text)) return ZLAY_OK;
    zlay_status status = zl_condition_state(&s, &range, k->g, &c);
    if (!status && s == ZL_OPEN) open_add(k, &c, &r);
    if (status || s != ZL_BROKEN) return status;
    return zl_fail(k->g->ctx, ZLAY_EINVAL, "field '%s' is %s", zlay_field_name(text->field),
                   c.lo ? "outside 32 bits" : "below 0");
}

static zlay_status judge(asker *k)
{
    zlay_verdict *v = &k->found.verdict;
    bool measured = zl_measured(k->g->subject.target), driver = measured && k->g->form->driver;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < k->g->count && !status; i++) status = type_ask(k, i);
    if (!status && k->g->form->part) status = parts_ask(k);
    if (!status) status = rows_ask(k);
    v->answer = v->broken ? ZLAY_NO : k->g->opened ? ZLAY_DEPENDS : ZLAY_YES;
    v->basis = measured ? ZLAY_BASIS_MEASURED : ZLAY_BASIS_DOCUMENTED;
    if (driver && k->found.by_driver) v->driver = ZLAY_DRIVER_REFUSES;
    else if (driver && !k->driver_open) v->driver = ZLAY_DRIVER_ACCEPTS;
    return status;
}

/* ---- the texts --------------------------------------------------------------------------- */

static zlay_status entry_take(zl_given *g, uint32_t k)
{
    const zlay_given *given = &g->text[k];
    if (!g->form->take(g, given))
        return zl_fail(g->ctx, ZLAY_EINVAL, "no such entry of %s", g->form->entries);
    if (zl_given_at(g, given->field, (uint32_t)given->index) != k)
        return zl_fail(g->ctx, ZLAY_EINVAL, "that entry is given twice");
    return zl_unknowns_scan(&g->names, given->text, given->length);
}

/* The failure of one text, with its entry before the message. */
static zlay_status of_entry(const zl_given *g, zlay_status status, uint32_t k)
{
    const zlay_given *given = &g->text[k];
    const char *field = zlay_field_name(given->field);
    char message[1024];
    if (!status || status == ZLAY_ENOMEM) return status;
    snprintf(message, sizeof message, "%s", zlay_ctx_message(g->ctx));
    return zl_fail(g->ctx, status, "field '%s', entry %d: %s", field ? field : "?", given->index,
                   message);
}

static zlay_status text_read(zl_given *g, zl_linears *f, uint32_t k)
{
    const zlay_given *given = &g->text[k];
    int64_t *row = g->coefficient + k * (g->names.count + 1);
    zl_cursor c;
    zlay_status status = zl_cursor_begin(&c, g->ctx, given->text, given->length);
    if (!status) status = zl_linear_parse(&c, f, NULL);
    if (!status) status = zl_cursor_end(&c);
    if (status) return status;
    if (!f->at->linear) return zl_fail(g->ctx, ZLAY_EINVAL, "the text is not linear");
    if (f->at->rest.mod) return zl_fail(g->ctx, ZLAY_EOVERFLOW, "a number passes 64 bits");
    memcpy(row, f->at->coefficient, g->names.count * sizeof *row);
    row[g->names.count] = f->at->rest.rem;
    return ZLAY_OK;
}

static zlay_status texts_read(zl_given *g)
{
    size_t row = g->names.count + 1;
    zl_linears f = {0};
    for (size_t i = 0; i < g->names.count; i++)
        g->names.at[i].range = zl_facts_range(g->facts, g->names.at[i].name.text);
    g->coefficient = zl_scratch(g->ctx, (g->count + 1) * row, sizeof *g->coefficient);
    if (!g->coefficient) return ZLAY_ENOMEM;
    g->line = g->coefficient + g->count * row;
    zlay_status status = zl_linears_begin(&f, &g->names);
    if (status) return status;
    for (uint32_t k = 0; k < g->count && !status; k++)
        status = of_entry(g, text_read(g, &f, k), k);
    return status;
}

zlay_status zl_symbolic_read(zl_given *g)
{
    zlay_status status = ZLAY_OK;
    zl_unknowns_begin(&g->names, g->ctx);
    for (uint32_t i = 0; i < g->count && !status; i++)
        status = of_entry(g, entry_take(g, i), i);
    return status ? status : texts_read(g);
}

static zlay_status answer(zl_given *g, zlay_verdict *out, zlay_reason *reasons, size_t room,
                          zlay_buf *guard)
{
    asker k = {.g = g, .found = {.reasons = reasons, .room = room}};
    zlay_status status = zl_symbolic_read(g);
    if (!status) status = judge(&k);
    if (k.found.verdict.answer != ZLAY_DEPENDS) g->opened = 0;
    if (!status && guard) status = zl_print(guard, zl_guard_write, g);
    if (!status) *out = k.found.verdict;
    return status;
}

bool zl_symbolic_askable(const zlay_verdict *out, const zlay_reason *reasons, size_t room,
                      const zlay_buf *guard)
{
    return out && (!room || reasons) && (!guard || !guard->room || guard->text);
}

zlay_status zl_given_check(zl_given *g, zlay_verdict *out, zlay_reason *reasons, size_t room,
                           zlay_buf *guard)
{
    if (g->count > ZL_GIVEN_MOST || (g->count && !g->text)) return ZLAY_EINVAL;
    zl_mark mark = zl_enter_part(g->ctx);
    return zl_leave_part(g->ctx, mark, answer(g, out, reasons, room, guard));
}
