/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe/run.h"

#include <string.h>

typedef zl_tick vector __attribute__((vector_size(ZL_VECTOR * sizeof(zl_tick))));

static vector take(const zl_tick *from)
{
    vector v;
    memcpy(&v, from, sizeof v);
    return v;
}

static vector later(vector a, vector b)
{
    vector more = a > b;
    return (a & more) | (b & ~more);
}

/* Clocks are whole vectors long. */
void zl_clock_join(const zl_run *r, zl_tick *to, const zl_tick *from)
{
    for (uint32_t k = 0; k < r->comps; k += ZL_VECTOR) {
        vector v = later(take(to + k), take(from + k));
        memcpy(to + k, &v, sizeof v);
    }
}

void zl_clock_give(const zl_run *r, zl_tick *to, const zl_class *c)
{
    for (uint32_t k = 0; k < r->comps; k += ZL_VECTOR) {
        vector v = later(take(to + k), later(take(c->clock + k), take(c->own + k)));
        memcpy(to + k, &v, sizeof v);
    }
}

/* What a thread, or a whole warp, has done itself it knows; of its fellows in other warps it does
 * not. */
void zl_clock_set(zl_class *c, int32_t comp, int32_t value, bool by_each_alone)
{
    if (c->own[comp] < value) c->own[comp] = (zl_tick)value;
    if ((by_each_alone ? c->lone : c->lone_warp) && c->clock[comp] < value) c->clock[comp] = (zl_tick)value;
}

void zl_clock_converge(zl_run *r, const zl_instance *i)
{
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *other = &r->classes[i->first + (k ^ 1)];
        if ((k ^ 1) < i->classes)
            zl_clock_set(other, zl_comp_control(r, i->first + k), i->epoch, false);
    }
}
