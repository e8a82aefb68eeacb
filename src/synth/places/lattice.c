/* SPDX-License-Identifier: Apache-2.0 */
/* The fixed point: which places each value may have, and which forms each operation.  A state is a
 * set of places for each value and a set of forms for each operation, ordered by inclusion; the
 * functions below only make sets smaller and are monotone.  So repeating them from the greatest
 * state until none changes it ends in the greatest fixed point (Knaster and Tarski), whatever the
 * order.  Every legal choice lies within it. */
#include "synth/places/place.h"

#include <string.h>

/* Places that moves reach from `homes`, within those that the value may have. */
uint32_t zl_place_reach(const zl_place_program *p, uint32_t v, uint32_t homes)
{
    uint32_t reached = homes & p->value[v].may, before;
    do {
        before = reached;
        for (uint32_t i = 0; i < ZL_PLACES; i++)
            if (reached >> i & 1) reached |= p->moves[i] & p->value[v].may;
    } while (reached != before);
    return reached;
}

/* Places in which some form that is left takes an operand, or the end wants a value. */
uint32_t zl_place_readable(const zl_place_program *p, uint32_t v, const zl_place_reader *reader)
{
    uint32_t set = 0;
    if (reader->op == p->r.operations) return p->r.value[v].to;
    for (uint32_t f = 0; zl_place_form_at(f); f++)
        if (p->forms[reader->op] >> f & 1) set |= zl_place_operand(zl_place_form_at(f), reader->i);
    return set;
}

/* The first reader that a value cannot be brought to from a place; NULL: there is none. */
static const zl_place_reader *unreached(const zl_place_program *p, uint32_t v, uint32_t home)
{
    uint32_t reached = zl_place_reach(p, v, home);
    const zl_place_value *value = &p->value[v];
    for (uint32_t i = 0; i < value->readers; i++)
        if (!(reached & zl_place_readable(p, v, &value->reader[i]))) return &value->reader[i];
    return NULL;
}

/* Where a value begins, or the forms that are left leave it. */
static uint32_t made_in(const zl_place_program *p, uint32_t v)
{
    uint32_t made = p->r.value[v].from, writer = p->value[v].writer;
    for (uint32_t f = 0; writer != UINT32_MAX && zl_place_form_at(f); f++)
        if (p->forms[writer] >> f & 1) made |= zl_place_form_at(f)->result;
    return made;
}

/* Restricts what a value may have; true: something changed. */
static bool value_step(zl_place_program *p, uint32_t v)
{
    zl_place_value *value = &p->value[v];
    uint32_t made = made_in(p, v) & value->may, homes = 0, before = value->may | value->homes << 8;
    for (uint32_t i = 0; i < ZL_PLACES; i++)
        if (made >> i & 1 && !unreached(p, v, 1u << i)) homes |= 1u << i;
    value->homes = homes;
    value->may = zl_place_reach(p, v, homes);
    return (value->may | value->homes << 8) != before;
}

/* The value for which a form cannot stand; UINT32_MAX: it can. */
static uint32_t misplaced(const zl_place_program *p, uint32_t o, const zl_place_form *form)
{
    const zlay_places_operation *op = &p->r.operation[o];
    for (uint32_t i = 0; i < op->reads; i++)
        if (!(p->value[op->read[i]].may & zl_place_operand(form, i))) return op->read[i];
    for (uint32_t i = 0; i < op->writes; i++)
        if (!(p->value[op->write[i]].homes & form->result)) return op->write[i];
    return UINT32_MAX;
}

/* ---- why there is none ---------------------------------------------------------------------- */

static const char *form_of(const zl_place_program *p, uint32_t o) { return p->r.operation[o].form; }

/* The value does not fit into a place that it must have. */
static zlay_status no_room(const zl_place_program *p, uint32_t v, uint32_t place)
{
    static const char *const unit[] = {"registers of a thread", "bytes of shared memory",
                                       "bytes of shared memory", "columns of tensor memory", ""};
    char name[96];
    bool bytes = place == ZL_SHARED || place == ZL_CLUSTER;
    uint64_t has = p->capacity[place] ? bytes ? p->r.smem : p->capacity[place] : 0;
    uint64_t wants = (uint64_t)p->value[v].room[place] * (bytes ? ZL_PLACE_UNIT : 1);
    zl_place_value_name(name, p, v);
    if (!has && place == ZL_CLUSTER)
        return zl_fail(p->ctx, ZLAY_NONE, "value %s has no place: no cluster of several blocks "
                       "divides the grid, on %s", name, zlay_target_name(p->target));
    if (!has)
        return zl_fail(p->ctx, ZLAY_NONE, "value %s has no place: %s has no %s", name,
                       zlay_target_name(p->target), zl_place_name_of(place));
    return zl_fail(p->ctx, ZLAY_NONE, "value %s has no place: it needs %llu %s, of %llu", name,
                   (unsigned long long)wants, unit[place], (unsigned long long)has);
}

/* NONE of a value, whose last set before it became empty is `may`: why. */
static zlay_status no_value(zl_place_program *p, uint32_t v, uint32_t may)
{
    char name[96], from[96], to[96];
    zl_place_value *value = &p->value[v];
    uint32_t made = made_in(p, v);
    uint32_t place = made ? (uint32_t)__builtin_ctz(made) : 0;
    if (made && !(value->fits >> place & 1)) return no_room(p, v, place);
    value->may = may;
    const zl_place_reader *reader = made ? unreached(p, v, 1u << place) : NULL;
    uint32_t wanted = reader ? zl_place_readable(p, v, reader) : 0;
    uint32_t lacks = wanted & ~value->fits;
    if (lacks) return no_room(p, v, (uint32_t)__builtin_ctz(lacks));
    zl_place_value_name(name, p, v);
    zl_place_set_name(from, made);
    if (!reader)
        return zl_fail(p->ctx, ZLAY_NONE, "value %s has no place: no form leaves it in one", name);
    zl_place_set_name(to, wanted);
    char lost[160] = "";
    zl_text text = {lost, sizeof lost - 1, 0};
    uint32_t full = ~value->fits & (ZL_PLACE_SETS - 1);
    if (full) zl_putf(&text, "; it has no room in %s", zl_place_set_name((char[96]){0}, full));
    if (reader->op == p->r.operations)
        return zl_fail(p->ctx, ZLAY_NONE,
                       "value %s has no place: it is made in %s, wanted in %s, and no moves of %s "
                       "go there%s", name, from, to, zlay_target_name(p->target), lost);
    return zl_fail(p->ctx, ZLAY_NONE,
                   "value %s has no place: it is made in %s, operation %u (%s) reads it in %s, and "
                   "no moves of %s go there%s", name, from, reader->op, form_of(p, reader->op), to,
                   zlay_target_name(p->target), lost);
}

static zlay_status no_form(const zl_place_program *p, uint32_t o, const zl_place_form *form,
                           uint32_t v)
{
    char name[96], has[96];
    zl_place_value_name(name, p, v);
    return zl_fail(p->ctx, ZLAY_NONE, "value %s has no place: it may be in %s, where no form of "
                   "operation %u (%s) has it", name, zl_place_set_name(has, p->value[v].may), o,
                   form->name);
}

/* Drops the forms that cannot stand. */
static zlay_status operation_step(zl_place_program *p, uint32_t o, bool *changed)
{
    const zl_place_form *last = NULL;
    uint32_t of = 0;
    for (uint32_t f = 0; zl_place_form_at(f); f++) {
        if (!(p->forms[o] >> f & 1)) continue;
        uint32_t v = misplaced(p, o, zl_place_form_at(f));
        if (v == UINT32_MAX) continue;
        p->forms[o] &= ~(1u << f);
        last = zl_place_form_at(f);
        of = v;
        *changed = true;
    }
    return p->forms[o] ? ZLAY_OK : no_form(p, o, last, of);
}

/* The greatest state of a value: every place that has room for it. */
static void begin(const zl_place_program *p, zl_place_value *value)
{
    value->fits = ZLAY_PLACE_GLOBAL;
    value->homes = 0;
    for (uint32_t place = 0; place < ZL_GLOBAL; place++)
        if (value->room[place] <= p->capacity[place]) value->fits |= 1u << place;
    value->may = value->fits;
}

zlay_status zl_place_fixed(zl_place_program *p)
{
    bool changed = true;
    memcpy(p->forms, p->rows, sizeof p->forms);
    for (uint32_t v = 0; v < p->r.values; v++) begin(p, &p->value[v]);
    while (changed) {
        changed = false;
        for (uint32_t v = 0; v < p->r.values; v++) {
            uint32_t may = p->value[v].may;
            changed = value_step(p, v) || changed;
            if (!p->value[v].may) return no_value(p, v, may);
        }
        for (uint32_t o = 0; o < p->r.operations; o++) {
            zlay_status status = operation_step(p, o, &changed);
            if (status) return status;
        }
    }
    return ZLAY_OK;
}
