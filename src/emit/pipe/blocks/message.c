/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the message by which the producer tells other roles which tile of groups it took from the counter (tiles.c). */
#include "emit/pipe/pipe.h"

#include <string.h>

bool zl_pt_tiles_message(zl_pipe_text *k, const zl_event *event)
{
    bool of_message = zl_pt_tiles_taken(k) && event->smem[0] >= 0 && !strcmp(k->pipe->smems[event->smem[0]].name, k->plan->tiles.message);
    if (!of_message || (event->kind != ZL_EV_READ && event->kind != ZL_EV_WRITE)) return false;
    zl_pt_stage(k, "at", event->smem[0], &event->at[0]);
    if (event->kind == ZL_EV_WRITE) {
        zl_pt_tiles_step(k);
        zl_op(k, ADD, "taken", "taken", "left");
        zl_say(k, NULL, "st.s.b32", 0, "at", "taken");
        return true;
    }
    zl_say(k, NULL, "ld.s.b32", 1, "taken", "at");
    return true;
}
