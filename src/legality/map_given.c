/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor maps under facts. Which rows apply is decided by fields that are always numbers; so a row
 * is a condition on what is given, and holds, is broken or stays open by what the facts say. */
#include "legality/given.h"

#include <stdio.h>
#include <string.h>

typedef struct asker {
    zl_given *g;
    zl_subject subject;
    zlay_verdict verdict;
    zlay_reason *reasons;
    size_t room;
    bool by_driver, driver_open;
} asker;

/* ---- the rows ---------------------------------------------------------------------------- */

static void reason_start(zlay_reason *r, const zl_rule *rule, const asker *k, uint32_t i)
{
    bool measured = zl_measured(k->subject.target);
    memset(r, 0, sizeof *r);
    r->rule = rule->number;
    r->by = rule->by == ZLAY_BY_DRIVER && !measured ? ZLAY_BY_DOCUMENT : rule->by;
    r->noted = rule->refuted && measured;
    r->field = rule->field;
    r->index = zl_quantity_indexed(rule->quantity) ? (int32_t)i : -1;
    r->relation = rule->relation;
    r->lo = zl_bound(rule->lo, &k->subject, i);
    r->hi = zl_bound(rule->hi, &k->subject, i);
}

static void keep(asker *k, const zlay_reason *r)
{
    if (k->verdict.reasons < k->room) k->reasons[k->verdict.reasons] = *r;
    k->verdict.reasons++;
    k->verdict.broken += !r->noted;
    k->verdict.noted += r->noted != 0;
    k->by_driver |= r->by == ZLAY_BY_DRIVER && !r->noted;
}

static void open_add(asker *k, const zl_condition *c, const zlay_reason *r)
{
    zl_given *g = k->g;
    if (r->noted) return;
    k->driver_open |= r->by == ZLAY_BY_DRIVER;
    for (uint32_t i = 0; i < g->opened; i++)
        if (!memcmp(&g->open[i], c, sizeof *c)) return;
    if (g->opened < ZL_CONDITIONS_MOST) g->open[g->opened++] = *c;
}

static zlay_status given_row(asker *k, const zl_rule *rule, const zl_condition *c, uint32_t i)
{
    zlay_range range;
    zlay_reason r;
    zl_state s = ZL_OPEN;
    zlay_status status = zl_condition_state(&s, &range, k->g, c);
    if (status) return status;
    reason_start(&r, rule, k, i);
    if (s == ZL_OPEN) open_add(k, c, &r);
    r.value = range.lo > 0 ? (uint64_t)range.lo : 0;
    if (s == ZL_BROKEN) keep(k, &r);
    return ZLAY_OK;
}

/* Repairs of fields that others share in are left out where any is given. */
static void known_row(asker *k, const zl_rule *rule, uint32_t i)
{
    zlay_reason r;
    reason_start(&r, rule, k, i);
    r.value = zl_quantity_value(rule->quantity, &k->subject, i);
    if (zl_relation_holds(r.relation, r.value, r.lo, r.hi)) return;
    if (r.field != ZLAY_FIELD_BOX && r.field != ZLAY_FIELD_STRIDE) zl_fix(&r, rule, &k->subject);
    keep(k, &r);
}

static zlay_status rows_ask(asker *k)
{
    zlay_status status = ZLAY_OK;
    for (const zl_rule *rule = zl_rules; rule < zl_rules + zl_rules_count && !status; rule++) {
        if (zl_quantity_subject(rule->quantity) != ZL_SUBJECT_TMAP ||
            !(rule->targets & (uint32_t)k->subject.target->cls) ||
            !zl_guard_holds(rule->when, &k->subject))
            continue;
        uint32_t count = zl_quantity_count(rule->quantity, &k->subject);
        for (uint32_t i = 0; i < count && !status; i++) {
            zl_condition c;
            if (zl_given_asks(&c, rule, k->g, &k->subject, i)) status = given_row(k, rule, &c, i);
            else known_row(k, rule, i);
        }
    }
    return status;
}

/* A number is no address below 0 by its type; a text may be, where no row bounds it. */
static zlay_status address_ask(asker *k)
{
    zl_condition c = {.asks = ZL_ASKS_RANGE, .b = ZL_GIVEN_NONE, .scale = 1, .divisor = 1};
    zlay_reason r = {.by = ZLAY_BY_DOCUMENT};
    zlay_range range;
    zl_state s = ZL_OPEN;
    c.a = zl_given_at(k->g, ZLAY_FIELD_ADDRESS, 0);
    c.hi = INT64_MAX;
    if (c.a == ZL_GIVEN_NONE || zl_measured(k->subject.target)) return ZLAY_OK;
    zlay_status status = zl_condition_state(&s, &range, k->g, &c);
    if (!status && s == ZL_OPEN) open_add(k, &c, &r);
    if (status || s != ZL_BROKEN) return status;
    return zl_fail(k->g->ctx, ZLAY_EINVAL, "field 'address' is below 0");
}

static zlay_status judge(asker *k)
{
    zlay_verdict *v = &k->verdict;
    bool measured = zl_measured(k->subject.target);
    zlay_status status = address_ask(k);
    if (!status) status = rows_ask(k);
    v->answer = v->broken ? ZLAY_NO : k->g->opened ? ZLAY_DEPENDS : ZLAY_YES;
    v->basis = measured ? ZLAY_BASIS_MEASURED : ZLAY_BASIS_DOCUMENTED;
    if (measured && k->by_driver) v->driver = ZLAY_DRIVER_REFUSES;
    else if (measured && !k->driver_open) v->driver = ZLAY_DRIVER_ACCEPTS;
    return status;
}

/* ---- the texts --------------------------------------------------------------------------- */

static uint64_t *entry_of(zlay_tensormap *map, const zlay_tensormap_given *given)
{
    uint32_t i = (uint32_t)given->index;
    if (given->field == ZLAY_FIELD_ADDRESS) return &map->address;
    if (given->field == ZLAY_FIELD_EXTENT && i < zl_dims(map)) return &map->extent[i];
    if (given->field == ZLAY_FIELD_STRIDE && i < zl_dims(map) && i + 1 < zl_dims(map))
        return &map->stride[i];
    return NULL;
}

static zlay_status entry_take(zl_given *g, uint32_t k)
{
    const zlay_tensormap_given *given = &g->question->given[k];
    bool box = given->field == ZLAY_FIELD_BOX && (uint32_t)given->index < zl_dims(&g->map);
    uint64_t *entry = entry_of(&g->map, given);
    if (!box && !entry)
        return zl_fail(g->ctx, ZLAY_EINVAL,
                       "no such entry of an address, extent, stride or box");
    if (zl_given_at(g, given->field, (uint32_t)given->index) != k)
        return zl_fail(g->ctx, ZLAY_EINVAL, "that entry is given twice");
    if (box) g->map.box[given->index] = 1;
    else *entry = 1;
    return zl_unknowns_scan(&g->names, given->text, given->length);
}

/* The failure of one text, with its entry before the message. */
static zlay_status of_entry(const zl_given *g, zlay_status status, uint32_t k)
{
    const zlay_tensormap_given *given = &g->question->given[k];
    const char *field = zlay_field_name(given->field);
    char message[1024];
    if (!status || status == ZLAY_ENOMEM) return status;
    snprintf(message, sizeof message, "%s", zlay_ctx_message(g->ctx));
    return zl_fail(g->ctx, status, "field '%s', entry %d: %s", field ? field : "?", given->index,
                   message);
}

static zlay_status text_read(zl_given *g, zl_linears *f, uint32_t k)
{
    const zlay_tensormap_given *given = &g->question->given[k];
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
    zl_linears f;
    for (size_t i = 0; i < g->names.count; i++)
        g->names.at[i].range = zl_facts_range(g->question->facts, g->names.at[i].name.text);
    g->coefficient = zl_alloc(g->ctx, (g->question->count + 1) * row, sizeof *g->coefficient);
    if (!g->coefficient) return ZLAY_ENOMEM;
    g->line = g->coefficient + g->question->count * row;
    zlay_status status = zl_linears_begin(&f, &g->names);
    if (status) return status;
    for (uint32_t k = 0; k < g->question->count && !status; k++)
        status = of_entry(g, text_read(g, &f, k), k);
    zl_linears_end(&f);
    return status;
}

static zlay_status answer(zl_given *g, zlay_verdict *out, zlay_reason *reasons, size_t room,
                          zlay_buf *guard)
{
    asker k = {.g = g, .reasons = reasons, .room = room};
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < g->question->count && !status; i++)
        status = of_entry(g, entry_take(g, i), i);
    if (!status) status = texts_read(g);
    k.subject = (zl_subject){ZL_SUBJECT_TMAP, g->question->target, &g->map};
    if (!status) status = judge(&k);
    if (k.verdict.answer != ZLAY_DEPENDS) g->opened = 0;
    if (!status && guard) status = zl_print(guard, zl_guard_write, g);
    if (!status) *out = k.verdict;
    return status;
}

zlay_status zlay_tensormap_check_given(zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons,
                                       size_t room, zlay_buf *guard,
                                       const zlay_tensormap_question *question)
{
    zlay_tensormap_question q;
    memset(&q, 0, sizeof q);
    if (!out || !question || (room && !reasons) || (guard && guard->room && !guard->text))
        return ZLAY_EINVAL;
    memcpy(&q, question, question->size < sizeof q ? question->size : sizeof q);
    if (!q.target || !q.map || q.count > ZL_GIVEN_MOST || (q.count && !q.given) ||
        !zl_all_zero(q.map->reserved, ZL_COUNT(q.map->reserved)))
        return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_allocator alloc = zl_allocator(ctx);
    zl_given g = {.ctx = ctx, .question = &q, .map = *q.map};
    zl_unknowns_begin(&g.names, ctx);
    status = answer(&g, out, reasons, room, guard);
    zl_free(&alloc, g.coefficient, (q.count + 1) * (g.names.count + 1) * sizeof *g.coefficient);
    zl_unknowns_end(&g.names);
    return zl_leave(ctx, status);
}
