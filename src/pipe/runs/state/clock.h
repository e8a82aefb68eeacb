/* SPDX-License-Identifier: Apache-2.0 */
/* Vector clocks of a run: which component counts what, and how one clock takes over another. A
 * clock holds one value for each component; a class whose clock has reached a value knows that
 * everything counted up to it is complete. */
#ifndef ZL_RUN_CLOCK_H
#define ZL_RUN_CLOCK_H

#include "pipe/runs/run.h"

/* ---- components ---- */

/* Components of clocks: epochs of classes, the same behind fence proxy.async, where the text has
 * cp.async groups of it of classes and the same fenced, what threads have run without regard to
 * memory; then groups of instances, barriers, meetings. */
static inline int32_t zl_comp_fenced(const zl_run *r, int32_t comp)
{
    return comp + (int32_t)r->classes_count;
}
enum { ZL_WITHOUT_CPASYNC = 3, ZL_WITH_CPASYNC = 5 };
static inline bool zl_run_has_cpasync(const zl_run *r)
{
    return r->class_comps == ZL_WITH_CPASYNC;
}
static inline int32_t zl_comp_cpasync(const zl_run *r, uint32_t class)
{
    return (int32_t)(2 * r->classes_count + class);
}
static inline int32_t zl_comp_control(const zl_run *r, uint32_t class)
{
    return (int32_t)((r->class_comps - 1) * r->classes_count + class);
}
/* wgmma, tld and tst have one for the first warp and one for the others; tld and tst the same again
 * behind fence tcgen05.before. */
enum { ZL_FENCED_TENSOR = 4 };
/* Groups that a warp waits for as one. */
static inline bool zl_of_warps(int group)
{
    return group == ZL_OF_WGMMA || group == ZL_OF_TLD || group == ZL_OF_TST ||
           group == ZL_OF_MEMORY || group == ZL_OF_SHARED;
}
int32_t zl_comp_group(const zl_run *r, const zl_instance *i, int group, bool others);
/* The component that other threads' accesses of tensor memory are checked against: the one
 * behind the fence. */
int32_t zl_comp_tensor(const zl_run *r, int32_t comp);

/* ---- what is known ---- */

void zl_clock_join(const zl_run *r, zl_tick *restrict to, const zl_tick *restrict from);
/* Whether a class knows of each given epoch, one for each class; -1: none. */
bool zl_clock_knows(const zl_run *r, const zl_class *c, const zl_tick *epochs);
/* Componentwise minimum: what both know. */
void zl_clock_meet(const zl_run *r, zl_tick *restrict to, const zl_tick *restrict with);
/* Whether one knows all that another does. */
bool zl_clock_covers(const zl_run *r, const zl_tick *clock, const zl_tick *of);
/* Joins into `to` what all threads of a class know together, their own work included. */
void zl_clock_give(const zl_run *r, zl_tick *to, const zl_class *c);
/* The same of the epochs of classes alone. */
void zl_clock_arrive(const zl_run *r, zl_tick *to, const zl_class *c);
/* Notes what a class has done. A thread, or a lone warp, knows its own work; it does not know
 * that of other warps of its class. */
static inline void zl_clock_set(zl_class *c, int32_t comp, int32_t value, bool by_each_alone)
{
    if (c->own[comp] < value) c->own[comp] = (zl_tick)value;
    if ((by_each_alone ? c->lone : c->lone_warp) && c->clock[comp] < value)
        c->clock[comp] = (zl_tick)value;
}
/* A warp runs an instruction together: each lane then knows how far the other lanes are, but
 * not what they have read or written. */
void zl_clock_converge(zl_run *r, const zl_instance *i);

/* What a stage is at, as far as a clock knows: it is free once all that has begun to read it is over. */
enum { ZL_STAGE_FREE, ZL_STAGE_WRITTEN, ZL_STAGE_FULL, ZL_STAGE_READ };
int zl_shadow_stage(const zl_shadow *p, const zl_tick *known);

#endif
