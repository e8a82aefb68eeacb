/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a proof by order: the sums of every barrier, the schedule, the event classes, and a
 * weighted path for each obligation. docs/internals/proof.md says what each line claims;
 * src/pipe/replay/recheck checks it. Where several shortest paths exist, the one with the smallest
 * class numbers is printed, so that a pipe has one proof. */
#include "pipe/order/verify.h"

static const char *const kinds[] = {"phase", "wait", "passed", "arrive", "expect", "issue",
                                    "write", "wrote", "fenced", "read", "done"};

/* ---- barriers ---- */

typedef struct sums { long long arrivals, expected, copied; } sums;

/* Prints what an event does to the phase of its barrier. */
static void put_event(zl_text *out, const zl_verify *v, const zl_role *role, uint32_t event)
{
    const zl_event *e = &v->pipe->events[event];
    long long one = zl_weight(role, ZL_BY_ONE) * (long long)e->count,
              arrivals = zl_weight(role, e->scope);
    zl_putf(out, "line %u of phase ", e->line);
    zl_pipe_put_phase(out, v->pipe, event);
    if (e->kind == ZL_EV_ARRIVE) zl_putf(out, ": pending - %lld\n", arrivals);
    else if (e->kind == ZL_EV_EXPECT) zl_putf(out, ": bytes + %lld\n", one);
    else if (e->kind == ZL_EV_COPY) zl_putf(out, ": bytes - %lld when it lands\n", one);
    else zl_puts(out, ": complete\n");
}

/* What happens at one index of the ring; it is the same at each, so index 0 is taken. */
static sums sums_of(const zl_verify *v, int32_t bar)
{
    sums s = {0, 0, 0};
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        for (uint32_t i = 0; i < v->traces[r].count; i++) {
            const zl_trace_step *step = &v->traces[r].steps[i];
            const zl_event *e = step->event;
            if (e->bar != bar || step->bar_q != 0) continue;
            if (e->kind == ZL_EV_ARRIVE) s.arrivals += zl_weight(&v->pipe->roles[r], e->scope);
            if (e->kind == ZL_EV_EXPECT)
                s.expected += zl_weight(&v->pipe->roles[r], ZL_BY_ONE) * e->count;
            if (e->kind == ZL_EV_COPY)
                s.copied += zl_weight(&v->pipe->roles[r], ZL_BY_ONE) * e->count;
        }
    return s;
}

static const char *param_name(const zl_verify *v, int32_t param)
{
    return v->pipe->params[param].name;
}

/* Prints a barrier, its events, and the sums at every index. */
static void put_bar(zl_text *out, const zl_verify *v, int32_t b)
{
    const zl_bar *bar = &v->pipe->bars[b];
    sums s = sums_of(v, b);
    zl_putf(out, "bar %s[%u] count %lld\n", bar->name, bar->stages, (long long)bar->count);
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        for (uint32_t i = v->pipe->roles[r].begin; i < v->pipe->roles[r].end; i++)
            if (v->pipe->events[i].bar == b) put_event(out, v, &v->pipe->roles[r], i);
    zl_puts(out, "each index q of 0..");
    if (v->shape.outer >= 0) zl_putf(out, "%s*", param_name(v, v->shape.outer));
    zl_putf(out, "%s: slot q %% %u, phase q / %u, pending %lld - %lld, bytes %lld - %lld\n",
            v->shape.inner >= 0 ? param_name(v, v->shape.inner) : "0", bar->stages, bar->stages,
            (long long)bar->count, s.arrivals, s.expected, s.copied);
}

/* ---- classes and orders ---- */

static void put_class(zl_text *out, const zl_verify *v, uint32_t i)
{
    const zl_node *n = &v->order.nodes[i];
    bool bar = n->kind <= ZL_NODE_ISSUE;
    zl_putf(out, "class %u %s %s", i, kinds[n->kind],
            bar ? v->pipe->bars[n->object].name : v->pipe->smems[n->object].name);
    if (n->role >= 0) zl_putf(out, " by %s line %u", v->pipe->roles[n->role].name, n->line);
    if (n->variant) zl_puts(out, n->kind <= ZL_NODE_PASSED ? " turned" : " async");
    zl_puts(out, "\n");
}

typedef struct path {
    uint32_t at[ZL_NODES + 2], count;
} path;

/* The path of an obligation, from the shortest-path table. */
static path path_of(const zl_verify *v, const zl_obligation *o)
{
    path p = {{o->from}, 1};
    while (p.at[p.count - 1] != o->last && p.count <= ZL_NODES) {
        p.at[p.count] = (uint32_t)v->order.via[p.at[p.count - 1]][o->last];
        p.count++;
    }
    if (o->step) p.at[p.count++] = o->to;
    return p;
}

/* The smallest class number that serves as well as this one between its neighbours. */
static uint32_t least_between(const zl_verify *v, uint32_t a, uint32_t at, uint32_t b)
{
    int32_t weight = zl_order_step(v, a, at) + zl_order_step(v, at, b);
    for (uint32_t k = 0; k < at; k++)
        if (v->order.nodes[k].total && zl_order_step(v, a, k) + zl_order_step(v, k, b) == weight &&
            zl_order_step(v, a, k) == zl_order_step(v, a, at))
            return k;
    return at;
}

/* Puts a path into its canonical form, so that a proof has one form. */
static void normalise(const zl_verify *v, path *p)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 1; i + 1 < p->count; i++) {
            uint32_t least = least_between(v, p->at[i - 1], p->at[i], p->at[i + 1]);
            moved |= least != p->at[i];
            p->at[i] = least;
        }
    }
}

static void put_path(zl_text *out, const zl_verify *v, const zl_obligation *o)
{
    path p = path_of(v, o);
    normalise(v, &p);
    zl_putf(out, "order %s within %d: %u", zlay_pipe_rule_name(o->rule), o->bound, p.at[0]);
    for (uint32_t i = 1; i < p.count; i++)
        zl_putf(out, " +%d %u", zl_order_step(v, p.at[i - 1], p.at[i]), p.at[i]);
    zl_puts(out, "\n");
}

static void put_schedule(zl_text *out, const zl_verify *v)
{
    zl_putf(out, "schedule slope %lld\n", (long long)v->slope);
    for (uint32_t i = 0; i < v->sites_count; i++)
        if (v->sites[i].event >= 0)
            zl_putf(out, "line %u at %lld\n", v->pipe->events[v->sites[i].event].line,
                    (long long)v->sites[i].time);
}

void zl_proof_write(zl_text *out, const void *verify)
{
    const zl_verify *v = verify;
    zl_putf(out, "proof %s\nwindow %lld\n", v->pipe->name, (long long)v->shape.window);
    for (uint32_t b = 0; b < v->pipe->bars_count; b++) put_bar(out, v, (int32_t)b);
    put_schedule(out, v);
    for (uint32_t i = 0; i < v->order.count; i++) put_class(out, v, i);
    for (uint32_t i = 0; i < v->obligations_count; i++) put_path(out, v, &v->obligations[i]);
    zl_puts(out, "end\n");
}
