/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks of a run: which component counts what, and how one takes over what another knows. A clock
 * has a value of each component; who has reached a value knows of all that was over by then. */
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
/* What has to be known of it for a use of tensor memory by other threads. */
int32_t zl_comp_tensor(const zl_run *r, int32_t comp);

/* ---- what is known ---- */

void zl_clock_join(const zl_run *r, zl_tick *restrict to, const zl_tick *restrict from);
/* Of a thread's knowledge of others nothing is missing where it knows of their epochs. */
bool zl_clock_knows(const zl_run *r, const zl_class *c, const zl_tick *epochs);
/* What both know. */
void zl_clock_meet(const zl_run *r, zl_tick *restrict to, const zl_tick *restrict with);
/* Whether one knows all that another does. */
bool zl_clock_covers(const zl_run *r, const zl_tick *clock, const zl_tick *of);
/* What all threads of a class know together goes to `to`. */
void zl_clock_give(const zl_run *r, zl_tick *to, const zl_class *c);
/* The epochs of classes alone. */
void zl_clock_arrive(const zl_run *r, zl_tick *to, const zl_class *c);
/* What a thread, or a whole warp, has done itself it knows; of its fellows in other warps it does
 * not. */
static inline void zl_clock_set(zl_class *c, int32_t comp, int32_t value, bool by_each_alone)
{
    if (c->own[comp] < value) c->own[comp] = (zl_tick)value;
    if ((by_each_alone ? c->lone : c->lone_warp) && c->clock[comp] < value)
        c->clock[comp] = (zl_tick)value;
}
/* A warp runs an instruction as one: each lane knows how far the others are, not what they have
 * read or written. */
void zl_clock_converge(zl_run *r, const zl_instance *i);

#endif
