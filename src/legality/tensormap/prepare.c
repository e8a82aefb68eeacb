/* SPDX-License-Identifier: Apache-2.0 */
/* Prepares a tensor map with unknowns. The check under facts says whether any values pass, and judges all
 * that is known. Each row that is left asks one entry for a range or a multiple: these are met in the entry's
 * range, so that a value is compared with two bounds and a unit, however many rows there are. */
#include "legality/tensormap/fill.h"
#include "legality/tensormap/symbolic.h"

#include <string.h>

enum { OWN_REASONS = 8 };

/* A coefficient is less, so that 16 products and a constant fit 128 bits. */
static const int64_t COEFFICIENT_END = (int64_t)1 << 58;

typedef struct preparation {
    zl_given symbolic;
    zlay_tensormap map;
    zlay_fill *fill;
} preparation;

/* ---- the range of an entry --------------------------------------------------------------------- */

static uint64_t shifted(int64_t bound, int64_t offset)
{
    zl_i128 value = (zl_i128)bound - offset;
    return value < 0 ? 0 : value > (zl_i128)UINT64_MAX ? UINT64_MAX : (uint64_t)value;
}

/* lo <= entry + offset <= hi. What is wrapped to 32 signed bits and at least lo > -2^31 is below 2^31: the
 * rows of extents and corners keep it below 2^32 + lo, where the wrapped number is less than lo. */
static zlay_status narrow(zl_field_range *range, const zl_condition *c)
{
    int64_t hi = c->asks == ZL_ASKS_WRAPPED ? INT32_MAX : c->asks == ZL_ASKS_EQUAL ? c->lo : c->hi;
    if (c->b != ZL_GIVEN_NONE || c->scale != 1 || c->divisor != 1 || c->asks > ZL_ASKS_WRAPPED)
        return ZLAY_ENOTSUP;
    if (c->asks == ZL_ASKS_MULTIPLE)
        zl_narrow(range, ZLAY_REL_MULTIPLE, (uint64_t)c->lo, 0);
    else
        zl_narrow(range, ZLAY_REL_RANGE, shifted(c->lo, c->offset),
                  hi == INT64_MAX ? UINT64_MAX : shifted(hi, c->offset));
    return ZLAY_OK;
}

static zlay_status row_narrow(void *arg, const zl_rule *rule, const zl_subject *s, uint32_t i)
{
    preparation *m = arg;
    zl_condition c;
    if (zl_noted(rule, s) || !zl_map_asks(&c, rule, &m->symbolic, i)) return ZLAY_OK;
    zlay_status status = c.a == ZL_GIVEN_NONE ? ZLAY_ENOTSUP
                                              : narrow(&m->fill->entry[c.a].range, &c);
    return status ? zl_fail(m->symbolic.ctx, status, "%s asks more than one entry", rule->id) : ZLAY_OK;
}

/* ---- the entries ------------------------------------------------------------------------------- */

static zlay_status form_take(zl_fill_entry *e, const preparation *m, uint8_t text)
{
    const zl_given *g = &m->symbolic;
    const int64_t *row = zl_symbolic_row(g, text);
    for (size_t i = 0; i <= g->names.count; i++) {
        if (row[i] >= COEFFICIENT_END || row[i] <= -COEFFICIENT_END)
            return zl_fail(g->ctx, ZLAY_EOVERFLOW, "field '%s', entry %u: a number is not below 2^58",
                           zlay_field_name(e->field), (unsigned)e->index);
        if (row[i] && i < g->names.count) e->term[e->terms++] = (zl_fill_term){i, row[i]};
    }
    e->constant = row[g->names.count];
    return ZLAY_OK;
}

/* The entry of a text, and in the map a value whose bits are 0. */
static zlay_status entry_take(preparation *m, uint8_t text)
{
    const zlay_given *given = &m->symbolic.text[text];
    zl_fill_entry *e = &m->fill->entry[text];
    e->field = given->field;
    e->index = (uint32_t)given->index;
    e->range = ZL_RANGE_ALL;
    e->places = zl_bits_places(e->place, e->field, e->index);
    *zl_map_entry(&m->fill->map, e->field, e->index) = e->field == ZLAY_FIELD_EXTENT;
    return form_take(e, m, text);
}

static zlay_status names_take(preparation *m)
{
    const zl_unknowns *names = &m->symbolic.names;
    if (names->count > ZLAY_FILL_NAMES)
        return zl_fail(m->symbolic.ctx, ZLAY_ELIMIT, "the texts have %zu names, and a map that is filled in "
                       "has at most %d", names->count, ZLAY_FILL_NAMES);
    m->fill->names = names->count;
    for (size_t i = 0; i < names->count; i++) m->fill->name[i] = names->at[i].name;
    return ZLAY_OK;
}

static zlay_status fill_take(preparation *m)
{
    zlay_fill *f = m->fill;
    f->target = m->symbolic.subject.target;
    f->map = m->map;
    f->entries = m->symbolic.count;
    zlay_status status = names_take(m);
    for (uint32_t i = 0; i < f->entries && !status; i++) status = entry_take(m, (uint8_t)i);
    if (!status) status = zl_rows_visit(&m->symbolic.subject, row_narrow, m);
    if (!status) zl_bits_write(f->words, &f->map);
    return status;
}

/* ---- the request ------------------------------------------------------------------------------- */

/* The first rule that refuses, of the reasons that there is room for. */
static zlay_status refused(zlay_ctx *ctx, const zlay_verdict *v, const zlay_reason *reasons, size_t room)
{
    zlay_rule rule = {.id = "rules", .text = "the reasons say which"};
    size_t i = 0;
    if (v->answer != ZLAY_NO) return ZLAY_OK;
    while (i < room && i < v->reasons && reasons[i].noted) i++;
    if (i < room && i < v->reasons) zlay_rule_info(&rule, reasons[i].rule);
    return zl_fail(ctx, ZLAY_NONE, "%s: no values pass: %s", rule.id, rule.text);
}

static zlay_status judge(zlay_ctx *ctx, zlay_verdict *v, zlay_reason *reasons, size_t room, zlay_buf *guard,
                         const zlay_tensormap_question *q)
{
    zlay_reason own[OWN_REASONS];
    zlay_reason *seen = room ? reasons : own;
    size_t count = room ? room : OWN_REASONS;
    zlay_status status = zl_tensormap_check_symbolic(ctx, v, seen, count, guard, q);
    return status ? status : refused(ctx, v, seen, count);
}

static zlay_status boxes_known(zlay_ctx *ctx, const zlay_tensormap_question *q)
{
    for (uint32_t i = 0; i < q->count; i++)
        if (q->given[i].field == ZLAY_FIELD_BOX)
            return zl_fail(ctx, ZLAY_EINVAL, "field 'box', entry %d: a box is a number when its map is "
                           "prepared", (int)q->given[i].index);
    return ZLAY_OK;
}

static zlay_status make(preparation *m, const zlay_tensormap_question *q)
{
    m->map = *q->map;
    m->symbolic = (zl_given){.ctx = m->symbolic.ctx, .form = &zl_map_symbolic,
                          .subject = {&zl_tensormap_form, q->target, &m->map}, .map = &m->map,
                          .text = q->given, .count = q->count};
    zlay_status status = zl_symbolic_read(&m->symbolic);
    if (status) return status;
    m->fill = zl_alloc(m->symbolic.ctx, 1, sizeof *m->fill);
    if (!m->fill) return ZLAY_ENOMEM;
    m->fill->alloc = zl_allocator(m->symbolic.ctx);
    return fill_take(m);
}

static zlay_status prepare(preparation *m, zlay_verdict *verdict, zlay_reason *reasons, size_t room,
                           zlay_buf *guard, const zlay_tensormap_question *question)
{
    zlay_ctx *ctx = m->symbolic.ctx;
    zlay_tensormap_question q;
    zlay_status status = zl_tensormap_question_read(&q, question);
    if (!status && !zl_measured(q.target))
        status = zl_fail(ctx, ZLAY_ENOTSUP, "the bits of tensor maps were read on sm_90 alone, not on %s",
                         zlay_target_name(q.target));
    if (!status) status = boxes_known(ctx, &q);
    if (!status) status = judge(ctx, verdict, reasons, room, guard, question);
    return status ? status : make(m, &q);
}

zlay_status zlay_fill_prepare(zlay_ctx *ctx, zlay_fill **out, zlay_verdict *verdict, zlay_reason *reasons,
                              size_t room, zlay_buf *guard, const zlay_tensormap_question *question)
{
    preparation m = {.symbolic.ctx = ctx};
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_leave(ctx, prepare(&m, verdict, reasons, room, guard, question));
    if (status) zlay_fill_free(m.fill);
    else *out = m.fill;
    return status;
}
