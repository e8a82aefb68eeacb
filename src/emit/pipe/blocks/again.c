/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the body of a loop. That of a loop over tiles of groups is printed more than once: for instances with and without rows of the
 * tile, or for each width of its products. So no branch stands within the products of a tile, and each text has sums of its own;
 * ptxas 13.0 makes products wait for each other (C7511) where a branch stands between them, or where it finds too few registers
 * for sums that several share. What registers hold is followed as text is printed: each text begins with what the first did. */
#include "emit/pipe/pipe.h"

#include <string.h>

/* Where the text of a body begins. */
typedef struct beginning {
    zl_pt_ring ring[ZL_PT_RINGS];
    uint32_t rings, first, last;
    zl_pt_events *events; /* prints those from first to before last */
} beginning;

static void body(zl_pipe_text *k, const beginning *b, const char *when)
{
    memcpy(k->ring, b->ring, sizeof k->ring);
    k->rings = b->rings;
    zl_pt_when(k, when);
    if (k->width && !k->c) zl_pt_line(k, "{");
    if (k->width) zl_pt_sums_declare(k);
    b->events(k, b->first, b->last);
    if (k->width && !k->c) zl_pt_line(k, "}");
    zl_pt_when_end(k);
}

/* ---- widths ----------------------------------------------------------------------------- */

static bool has_widths(const zl_pipe_text *k, const zl_event *loop)
{
    bool products = false;
    for (const zl_event *e = loop; e < &k->pipe->events[loop->match]; e++) products |= e->kind == ZL_EV_MMA;
    return zl_pt_tiles_slice(k) && zl_pt_tiles_loop(k, loop) && products;
}

static void widths(zl_pipe_text *k, const beginning *b)
{
    char room[24];
    const zl_pt_tiles *t = &k->plan->tiles;
    for (k->width = t->step; k->width <= t->height; k->width += t->step) {
        zl_op(k, EQ, "more", "narrow", zl_pt_number(room, k->width / t->step));
        body(k, b, "more");
    }
    k->width = 0;
}

/* The first register of sums that the products of a width leave out; they are read all the same, and so begin as zeros. */
static uint32_t first_zero(const zl_pipe_text *k, uint32_t acc)
{
    if (!k->width) return k->acc_registers[acc];
    return (uint32_t)((uint64_t)k->acc_registers[acc] * k->width / k->plan->tiles.height);
}

/* Accumulators are private to a role. */
void zl_pt_sums_declare(zl_pipe_text *k)
{
    char name[96];
    for (uint32_t i = 0; i < k->pipe->accs_count; i++) {
        const zl_acc *acc = &k->pipe->accs[i];
        if (!k->acc_registers[i] || &k->pipe->roles[acc->role] != k->role) continue;
        zl_pt_line(k,
                   k->c ? "[[maybe_unused]] uint32_t acc_%s[%u] = {};" : ".reg .b32 acc_%s_<%u>;",
                   acc->name, k->acc_registers[i]);
        for (uint32_t r = first_zero(k, i); !k->c && r < k->acc_registers[i]; r++) zl_op(k, MOV, zl_pt_acc(k, name, (int32_t)i, r), "0");
    }
}

/* ---- instances without rows --------------------------------------------------------------- */

/* An instance without rows only takes part in what other threads wait for: nothing that it would compute is stored. */
static void spare(zl_pipe_text *k, const beginning *b)
{
    body(k, b, "busy");
    k->idle = true;
    body(k, b, "idle");
    k->idle = false;
}

/* Meetings of the role are the instance's own. */
bool zl_pt_is_idle(const zl_pipe_text *k, const zl_event *event)
{
    bool met = event->kind == ZL_EV_WAIT || event->kind == ZL_EV_ARRIVE ||
               ((event->kind == ZL_EV_SYNC || event->kind == ZL_EV_JOIN) && event->scope == ZL_SYNC_NAMED);
    return k->idle && !met;
}

void zl_pt_loop_body(zl_pipe_text *k, const zl_event *loop, zl_pt_events *events)
{
    beginning b = {.rings = k->rings, .first = (uint32_t)(loop - k->pipe->events) + 1, .last = (uint32_t)loop->match, .events = events};
    memcpy(b.ring, k->ring, sizeof b.ring);
    if (has_widths(k, loop)) widths(k, &b);
    else if (zl_pt_tiles_loop(k, loop) && zl_pt_tiles_spare(k)) spare(k, &b);
    else events(k, b.first, b.last);
}
