/* SPDX-License-Identifier: Apache-2.0 */
/* Checks flags that a wait clears. The launch after this one finds such a flag as this one did, at 0; so it is raised once and
 * awaited once, by `clear`, and no event counts on it behind that. */
#include "pipe/language/parse.h"

/* What events do with a flag. */
typedef struct uses_of_flag {
    const zl_event *raise, *await;
    uint32_t events;
} uses_of_flag;

static uses_of_flag uses_of(const zlay_pipe *pipe, int32_t flag)
{
    uses_of_flag uses = {NULL, NULL, 0};
    for (const zl_event *e = pipe->events; e < pipe->events + pipe->events_count; e++) {
        if (e->other != flag) continue;
        uses.events++;
        if (e->kind == ZL_EV_RAISE) uses.raise = e;
        if (e->kind == ZL_EV_AWAIT) uses.await = e;
    }
    return uses;
}

static const zl_role *role_of(const zlay_pipe *pipe, const zl_event *event)
{
    const zl_role *role = pipe->roles;
    uint32_t number = (uint32_t)(event - pipe->events);
    while (number < role->begin || number >= role->end) role++;
    return role;
}

/* Whether a loop has one iteration, whatever its params are. */
static bool is_once(const zl_event *loop)
{
    zl_pos last = loop->bar_at;
    last.add -= 1;
    return loop->step == 1 && zl_pos_equal(&loop->at[0], &last);
}

/* Whether each instance of the event's role runs it once. */
static bool runs_once(const zlay_pipe *pipe, const zl_event *event)
{
    const zl_event *end = pipe->events + role_of(pipe, event)->end;
    for (const zl_event *e = event; e < end; e++) {
        if (e->kind != ZL_EV_END) continue;
        const zl_event *loop = &pipe->events[e->match];
        if (loop < event && !is_once(loop)) return false;
    }
    return true;
}

/* Whether the flag is of one block, and of one instance or of each. */
static bool is_own(const zlay_pipe *pipe, const zl_event *event, const zl_other *flag)
{
    const zl_role *role = role_of(pipe, event);
    return (role->cta >= 0 || pipe->blocks == 1) && (flag->each || zl_role_instances(role) == 1);
}

static const char *wrong(const zlay_pipe *pipe, const zl_event *await)
{
    const zl_other *flag = &pipe->others[await->other];
    uses_of_flag uses = uses_of(pipe, await->other);
    if (flag->stages != 1 || uses.events != 2 || !uses.raise) return "a flag that is cleared has one stage, one raise and one await";
    if (!runs_once(pipe, uses.raise) || !runs_once(pipe, await)) return "a flag that is cleared is raised and awaited once";
    if (!is_own(pipe, uses.raise, flag) || !is_own(pipe, await, flag))
        return "a flag that is cleared is raised and awaited by one block, and by one instance if the flag is not of each";
    if (uses.raise->times != await->count) return "a flag that is cleared is awaited up to all that its raise adds";
    return NULL;
}

bool zl_parse_flags(zl_parser *p)
{
    for (uint32_t i = 0; i < p->pipe->events_count; i++) {
        const zl_event *e = &p->pipe->events[i];
        const char *what = e->kind == ZL_EV_AWAIT && e->clear ? wrong(p->pipe, e) : NULL;
        if (!what) continue;
        p->status = zl_fail(p->at.ctx, ZLAY_EINVAL, "line %u: %s", e->line, what);
        return false;
    }
    return true;
}
