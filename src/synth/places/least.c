/* SPDX-License-Identifier: Apache-2.0 */
/* Why no choice fits: which capacity is short, and the least that would do.  Each capacity alone is
 * raised until some choice fits, and then the least is found by bisection, which is right because
 * what fits in a capacity fits in a greater one.  Where no capacity alone helps, all others are
 * raised too. */
#include "synth/places/place.h"

#include <string.h>

enum { UNITS_MOST = 65000, KINDS = 3 }; /* zl_pack counts in 16 bits */

static const struct {
    uint32_t place, times;
    const char *unit;
} kinds[KINDS] = {{ZL_SHARED, ZL_PLACE_UNIT, "bytes of shared memory"},
                  {ZL_REGISTER, 1, "registers of a thread"},
                  {ZL_TENSOR, 1, "columns of tensor memory"}};

/* Whether some choice fits in the capacities.  OK; NONE; ELIMIT; ENOMEM. */
static zlay_status any_fits(zl_place_search *s, const uint32_t *capacity)
{
    zl_place_program *p = s->p;
    zl_place_search t = {.p = p, .any = true, .most = s->most, .tried = s->tried};
    t.best = (zl_place_cost){UINT64_MAX, 0};
    memcpy(p->capacity, capacity, sizeof p->capacity);
    if (capacity[ZL_CLUSTER]) p->capacity[ZL_CLUSTER] = capacity[ZL_SHARED];
    zlay_status status = zl_place_fixed(p);
    if (!status) status = zl_place_best(&t);
    s->tried = t.tried;
    return status == ZLAY_NONE && t.cut ? ZLAY_ELIMIT : status;
}

/* The least capacity of one kind in which a choice fits, which those of `capacity` are. */
static zlay_status bisect(zl_place_search *s, const uint32_t *capacity, uint32_t place,
                          uint32_t *least)
{
    uint32_t try[ZL_PLACES], low = 0, high = capacity[place];
    memcpy(try, capacity, sizeof try);
    while (low < high) {
        try[place] = low + (high - low) / 2;
        zlay_status status = any_fits(s, try);
        if (status && status != ZLAY_NONE) return status;
        if (status) low = try[place] + 1;
        else high = try[place];
    }
    *least = high;
    return ZLAY_OK;
}

/* With one capacity raised, or with all; *said: a least one was put into `why`. */
static zlay_status raise(zl_place_search *s, const uint32_t *held, bool others, zl_text *why)
{
    for (int k = 0; k < KINDS; k++) {
        uint32_t capacity[ZL_PLACES], least;
        memcpy(capacity, held, sizeof capacity);
        for (int j = 0; j < KINDS; j++)
            if ((others || j == k) && held[kinds[j].place]) capacity[kinds[j].place] = UNITS_MOST;
        if (!held[kinds[k].place]) continue;
        zlay_status status = any_fits(s, capacity);
        if (!status) status = bisect(s, capacity, kinds[k].place, &least);
        if (status && status != ZLAY_NONE) return status;
        if (status || (others && least <= held[kinds[k].place])) continue;
        uint64_t has = kinds[k].place == ZL_SHARED ? s->p->r.smem : held[kinds[k].place];
        zl_putf(why, "%s%llu %s, of %llu", why->need ? others ? "; and " : "; or " : "",
                (unsigned long long)least * kinds[k].times, kinds[k].unit,
                (unsigned long long)has);
    }
    return ZLAY_OK;
}

/* NONE where no capacity helps: an operation adds to a sum where it lies, which is read besides. */
static zlay_status no_forms(const zl_place_program *p)
{
    for (uint32_t o = 0; o < p->r.operations; o++) {
        const zlay_places_operation *op = &p->r.operation[o];
        for (uint32_t f = 0; zl_place_form_at(f); f++) {
            const zl_place_form *form = zl_place_form_at(f);
            char name[96];
            if (!(p->rows[o] >> f & 1) || form->sum < 0 || (uint32_t)form->sum >= op->reads ||
                form->result != ZLAY_PLACE_TENSOR || (p->value[op->read[form->sum]].readers < 2 &&
                !zl_place_added_again(p, op->read[form->sum], o)))
                continue;
            return zl_fail(p->ctx, ZLAY_NONE, "value %s has no place: operation %u (%s) adds to it "
                           "where it lies, and it is read besides; a map makes a second one",
                           zl_place_value_name(name, p, op->read[form->sum]), o, form->name);
        }
    }
    return zl_fail(p->ctx, ZLAY_NONE, "no choice of places fits in %d bytes of shared memory, %d "
                   "registers of a thread and %d columns of tensor memory either",
                   UNITS_MOST * ZL_PLACE_UNIT, UNITS_MOST, UNITS_MOST);
}

zlay_status zl_place_least(zl_place_search *s)
{
    char text[400] = "";
    zl_text why = {text, sizeof text - 1, 0};
    zl_place_program *p = s->p;
    uint32_t held[ZL_PLACES];
    memcpy(held, p->capacity, sizeof held);
    zlay_status status = raise(s, held, false, &why);
    bool alone = why.need > 0;
    if (!status && !alone) status = raise(s, held, true, &why);
    memcpy(p->capacity, held, sizeof held);
    if (status == ZLAY_ELIMIT || status == ZLAY_ENOMEM)
        return status == ZLAY_ENOMEM ? status
                                     : zl_fail(p->ctx, ZLAY_NONE, "no choice of places fits; limit "
                                               "points ended the search for what would do");
    if (status) return status;
    if (!why.need) return no_forms(p);
    return zl_fail(p->ctx, ZLAY_NONE, "no choice of places fits; what would do: %s%s", text,
                   alone ? "" : ", at least");
}
