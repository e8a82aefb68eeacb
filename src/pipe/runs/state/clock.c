/* SPDX-License-Identifier: Apache-2.0 */
/* Joins, meets and compares vector clocks. Clocks are padded to whole SIMD vectors of
 * ZL_VECTOR components, and the loops are written so that compilers vectorise them. */
#include "pipe/runs/state/clock.h"

/* The greater of two clock values. */
static zl_tick later(zl_tick a, zl_tick b) { return a > b ? a : b; }

/* Componentwise maximum, into `to`. */
void zl_clock_join(const zl_run *r, zl_tick *restrict to, const zl_tick *restrict from)
{
    for (uint32_t k = 0; k < r->comps; k += ZL_VECTOR, to += ZL_VECTOR, from += ZL_VECTOR)
        for (uint32_t j = 0; j < ZL_VECTOR; j++) to[j] = later(to[j], from[j]);
}

void zl_clock_meet(const zl_run *r, zl_tick *restrict to, const zl_tick *restrict with)
{
    for (uint32_t k = 0; k < r->comps; k += ZL_VECTOR, to += ZL_VECTOR, with += ZL_VECTOR)
        for (uint32_t j = 0; j < ZL_VECTOR; j++) to[j] = to[j] < with[j] ? to[j] : with[j];
}

bool zl_clock_covers(const zl_run *r, const zl_tick *clock, const zl_tick *of)
{
    zl_tick less[ZL_VECTOR] = {0}, any = 0;
    for (uint32_t k = 0; k < r->comps; k += ZL_VECTOR, clock += ZL_VECTOR, of += ZL_VECTOR)
        for (uint32_t j = 0; j < ZL_VECTOR; j++) less[j] |= (zl_tick)-(clock[j] < of[j]);
    for (uint32_t j = 0; j < ZL_VECTOR; j++) any |= less[j];
    return !any;
}

/* Componentwise maximum with both what a class knows and what it has done itself. */
static void give(zl_tick *restrict to, const zl_tick *restrict clock, const zl_tick *restrict own,
                 uint32_t comps)
{
    for (uint32_t k = 0; k < comps; k += ZL_VECTOR, to += ZL_VECTOR, clock += ZL_VECTOR,
                  own += ZL_VECTOR)
        for (uint32_t j = 0; j < ZL_VECTOR; j++) to[j] = later(to[j], later(clock[j], own[j]));
}

void zl_clock_give(const zl_run *r, zl_tick *to, const zl_class *c)
{
    give(to, c->clock, c->own, r->comps);
}

void zl_clock_arrive(const zl_run *r, zl_tick *to, const zl_class *c)
{
    give(to, c->clock, c->own, r->epochs);
}

bool zl_clock_knows(const zl_run *r, const zl_class *c, const zl_tick *epochs)
{
    bool all = true;
    for (uint32_t k = 0; k < r->classes_count; k++) all &= c->clock[k] >= epochs[k];
    return all;
}

void zl_clock_converge(zl_run *r, const zl_instance *i)
{
    for (uint32_t k = 0; k < i->classes; k++) {
        zl_class *other = &r->classes[i->first + (k ^ 1)];
        if ((k ^ 1) < i->classes)
            zl_clock_set(other, zl_comp_control(r, i->first + k), i->epoch, false);
    }
}
