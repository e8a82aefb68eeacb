/* SPDX-License-Identifier: Apache-2.0 */
/* The least capacity of a space with which some interval has a schedule. More bytes never hurt, so
 * it is found by bisection, between what is too small and what a schedule without this bound takes.
 * Where no latency is negative the greatest interval that matters is asked alone. */
#include "pipe/schedule/capacity.h"

#include <string.h>

typedef struct asked {
    zl_looped *l;
    uint64_t *capacity;
    int64_t *start, ii;
} asked;

static uint64_t quota_of(const zl_looped *l)
{
    return zl_limits(l->ctx)->points / 4;
}

/* Whether some interval has a schedule under the capacities. */
static zl_outcome any(asked *a)
{
    zl_looped *l = a->l;
    uint64_t end = l->pairs + quota_of(l);
    for (a->ii = l->monotone ? l->most : 1; a->ii <= l->most; a->ii++) {
        zl_outcome found = zl_search(l, a->ii, 0, quota_of(l), a->start);
        if (found != ZL_DEAD) return found;
        if (l->pairs > end && a->ii < l->most) return ZL_QUOTA;
    }
    return ZL_DEAD;
}

static zl_u128 taken_of(const asked *a, uint32_t space)
{
    const zl_looped *l = a->l;
    zl_u128 taken = 0;
    for (uint32_t c = 0; c < l->copies; c++)
        for (uint32_t i = 0; i < l->uses; i++) {
            const zlay_schedule_value *v = &l->request->value[l->use[i].value];
            if (v->space != space || (i && l->use[i - 1].value == l->use[i].value)) continue;
            taken += zl_loop_bytes(v->bytes, zl_loop_depth(l, a->ii, a->start, c, i, false));
        }
    return taken;
}

/* The least capacity of the space, the others as they are in *a; 0: not decided. */
static zl_outcome least(asked *a, uint32_t space, uint64_t *out)
{
    uint64_t low = a->l->request->space[space].bytes;
    *out = 0;
    a->capacity[space] = UINT64_MAX;
    zl_outcome found = any(a);
    if (found != ZL_FOUND) return found;
    if (taken_of(a, space) > UINT64_MAX) return ZL_FOUND;
    uint64_t high = (uint64_t)taken_of(a, space);
    while (high - low > 1) {
        a->capacity[space] = low + (high - low) / 2;
        zl_outcome middle = any(a);
        if (middle == ZL_NO_MEMORY) return middle;
        if (middle == ZL_QUOTA) return ZL_FOUND;
        if (middle == ZL_FOUND) high = (uint64_t)taken_of(a, space);
        else low = a->capacity[space];
    }
    *out = high;
    return ZL_FOUND;
}

static void reset(asked *a, bool bounded)
{
    const zlay_schedule_request *r = a->l->request;
    for (uint32_t i = 0; i < r->spaces; i++)
        a->capacity[i] = bounded ? r->space[i].bytes : UINT64_MAX;
}

static zlay_status say(const zl_looped *l, const zlay_schedule_reason *why, bool alone)
{
    char name[256];
    const zlay_schedule_space *s = &l->request->space[why->space];
    const char *others = alone ? "" : ", the other spaces without bounds";
    zl_quote(name, s->name, strlen(s->name));
    if (!why->least)
        return zl_fail(l->ctx, ZLAY_NONE,
                       "no schedule: capacity '%s' of %llu is too small for any ii; the least that "
                       "will do was not decided%s",
                       name, (unsigned long long)s->bytes, others);
    return zl_fail(
        l->ctx, ZLAY_NONE,
        "no schedule: capacity '%s' of %llu is too small for any ii; the least that will "
        "do is %llu%s",
        name, (unsigned long long)s->bytes, (unsigned long long)why->least, others);
}

/* The first space that is too small by itself: first beside the others as they are, then alone. */
static zlay_status find_space(asked *a, zlay_schedule_reason *why)
{
    const zlay_schedule_request *r = a->l->request;
    uint64_t bytes = 0;
    why->reason = ZLAY_SCHEDULE_CAPACITY;
    for (int bounded = 1; bounded >= 0; bounded--)
        for (uint32_t i = 0; i < r->spaces; i++) {
            reset(a, bounded);
            a->capacity[i] = r->space[i].bytes;
            zl_outcome found = bounded ? ZL_DEAD : any(a);
            if (found == ZL_DEAD) found = least(a, i, &bytes);
            else if (found == ZL_FOUND) found = ZL_DEAD;
            if (found == ZL_NO_MEMORY) return ZLAY_ENOMEM;
            if (found == ZL_DEAD) continue;
            why->space = i;
            why->least = bounded ? bytes : 0;
            zlay_schedule_reason said = *why;
            said.least = bytes;
            return say(a->l, &said, bounded);
        }
    return zl_fail(a->l->ctx, ZLAY_NONE, "no schedule: the capacities are too small for any ii");
}

/* ---- units ------------------------------------------------------------------------ */

/* The first unit whose operations do not fit though all other units have room for everything. FOUND:
 * every unit fits by itself; QUOTA: not decided. */
static zl_outcome rigid_unit(asked *a, uint32_t *out)
{
    zl_looped *l = a->l;
    const zlay_schedule_request *own = l->request;
    zlay_schedule_request r = *own;
    zlay_schedule_unit *unit = zl_scratch(l->ctx, r.units + 1, sizeof *unit);
    zl_outcome found = unit ? ZL_FOUND : ZL_NO_MEMORY;
    r.unit = unit;
    l->request = &r;
    *out = UINT32_MAX;
    for (uint32_t u = 0; u < r.units && *out == UINT32_MAX && found == ZL_FOUND; u++) {
        for (uint32_t i = 0; i < r.units; i++)
            unit[i] = (zlay_schedule_unit){own->unit[i].name,
                                           i == u ? own->unit[i].count : UINT64_MAX};
        found = any(a);
        if (found == ZL_DEAD) *out = u;
    }
    l->request = own;
    return found;
}

static zlay_status say_rigid(asked *a, zlay_schedule_reason *why)
{
    const zl_looped *l = a->l;
    char name[256] = "";
    why->reason = ZLAY_SCHEDULE_RIGID;
    zl_outcome found = rigid_unit(a, &why->unit);
    if (found == ZL_NO_MEMORY) return ZLAY_ENOMEM;
    bool one = why->unit != UINT32_MAX;
    const char *unit = one ? l->request->unit[why->unit].name : "";
    zl_quote(name, unit, strlen(unit));
    return zl_fail(l->ctx, ZLAY_NONE,
                   "no schedule: edges fix operations of %s%s%s at the same cycles, in every ii up "
                   "to %lld, and no greater one helps",
                   one ? "unit '" : found == ZL_FOUND ? "several units" : "units", name, one ? "'" : "", (long long)l->most);
}

zlay_status zl_loop_none(zl_looped *l, zlay_schedule_reason *why)
{
    const uint64_t *own = l->capacity;
    asked a = {.l = l};
    a.capacity = zl_scratch(l->ctx, l->request->spaces + 1, sizeof *a.capacity);
    a.start = zl_scratch(l->ctx, l->nodes + 1, sizeof *a.start);
    if (!a.capacity || !a.start) return ZLAY_ENOMEM;
    l->capacity = a.capacity;
    reset(&a, false);
    zl_outcome found = l->request->values ? any(&a) : ZL_DEAD;
    zlay_status status = ZLAY_ENOMEM;
    if (found == ZL_DEAD) status = say_rigid(&a, why);
    else if (found != ZL_NO_MEMORY) status = find_space(&a, why);
    l->capacity = own;
    return status;
}
