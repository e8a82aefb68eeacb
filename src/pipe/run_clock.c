/* SPDX-License-Identifier: Apache-2.0 */
#include "pipe/run.h"

void zl_clock_join(const zl_run *r, int32_t *to, const int32_t *from)
{
    for (uint32_t k = 0; k < r->comps; k++) to[k] = from[k] > to[k] ? from[k] : to[k];
}

void zl_clock_give(const zl_run *r, int32_t *to, const zl_class *c)
{
    zl_clock_join(r, to, c->clock);
    zl_clock_join(r, to, c->own);
}

/* What a thread, or a whole warp, has done itself it knows; of its fellows in other warps it does
 * not. */
void zl_clock_set(zl_class *c, int32_t comp, int32_t value, bool by_each_alone)
{
    if (c->own[comp] < value) c->own[comp] = value;
    if ((by_each_alone ? c->lone : c->lone_warp) && c->clock[comp] < value) c->clock[comp] = value;
}

void zl_clock_converge(zl_run *r, const zl_instance *i)
{
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *other = &r->classes[i->first + (k ^ 1)];
        if ((k ^ 1) < i->classes)
            zl_clock_set(other, zl_comp_control(r, i->first + k), i->epoch, false);
    }
}
