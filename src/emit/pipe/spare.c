/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a loop over tiles of groups for a role of several instances, of which one may have no rows of its tile's group. Its
 * iteration is printed twice, for instances with rows and for one without, which only takes part in what other threads wait for:
 * nothing that it would compute is stored. So no branch stands within the products of a tile; ptxas 13.0 makes products with
 * bodies between them wait for each other where one does. */
#include "emit/pipe/iteration.h"

#include <string.h>

static bool is_spare(const zl_pipe_text *k, const zl_event *loop)
{
    return zl_pt_tiles_loop(k, loop) && zl_pt_tiles_spare(k);
}

void zl_pt_spare_begin(zl_pipe_text *k, const zl_event *loop)
{
    if (!is_spare(k, loop)) return;
    memcpy(k->busy_ring, k->ring, sizeof k->ring);
    k->busy_rings = k->rings;
    zl_pt_when(k, "busy");
}

/* What registers hold is followed as text is printed, so the second text begins with what the first began with. */
bool zl_pt_spare_again(zl_pipe_text *k, const zl_event *loop)
{
    if (!is_spare(k, loop)) return false;
    zl_pt_when_end(k);
    k->idle = !k->idle;
    if (!k->idle) return false;
    memcpy(k->ring, k->busy_ring, sizeof k->ring);
    k->rings = k->busy_rings;
    zl_pt_when(k, "idle");
    return true;
}

/* Meetings of the role are the instance's own. */
bool zl_pt_spare_leaves(const zl_pipe_text *k, const zl_event *event)
{
    bool met = event->kind == ZL_EV_WAIT || event->kind == ZL_EV_ARRIVE ||
               ((event->kind == ZL_EV_SYNC || event->kind == ZL_EV_JOIN) && event->scope == ZL_SYNC_NAMED);
    return k->idle && !met;
}
