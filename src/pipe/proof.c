/* SPDX-License-Identifier: Apache-2.0 */
/* The proof as text; docs/pipe.md says what each line claims, recheck.c checks it again. */
#include "pipe/verify.h"

static const char *const kinds[] = {"phase", "wait", "passed", "arrive", "expect", "issue", "write", "wrote", "fenced", "read", "done"};

static const char *object_name(const zl_verify *v, const zl_node *n)
{
    return n->kind <= ZL_NODE_ISSUE ? v->pipe->bars[n->object].name : v->pipe->smems[n->object].name;
}

static void put_node(zl_text *out, const zl_verify *v, uint32_t i)
{
    const zl_node *n = &v->order.nodes[i];
    zl_putf(out, "node %u %s %s", i, kinds[n->kind], object_name(v, n));
    if (n->role >= 0) zl_putf(out, " by %s line %u", v->pipe->roles[n->role].name, n->line);
    if (n->variant) zl_puts(out, " variant");
    zl_puts(out, "\n");
}

static int64_t sum_of(const zl_verify *v, int32_t bar, zl_event_kind kind)
{
    int64_t sum = 0;
    for (uint32_t r = 0; r < v->pipe->roles_count; r++)
        for (uint32_t i = 0; i < v->traces[r].count; i++) {
            const zl_step *s = &v->traces[r].steps[i];
            if (s->event->kind != kind || s->event->bar != bar || s->bar_q != 0) continue;
            sum += kind == ZL_EV_ARRIVE ? zl_weight(&v->pipe->roles[r], s->event->scope)
                                        : s->event->count * zl_weight(&v->pipe->roles[r], ZL_BY_ONE);
        }
    return sum;
}

/* Every barrier as a function of the index q of its ring: slot, phase, what arrives, what is expected, what is copied. */
static void put_bar(zl_text *out, const zl_verify *v, int32_t b)
{
    const zl_bar *bar = &v->pipe->bars[b];
    const char *n = v->shape.inner >= 0 ? v->pipe->params[v->shape.inner].name : "0";
    zl_putf(out, "bar %s: index q in 0..%s%s%s, slot q %% %u, phase q / %u; pending %lld - %lld = 0; bytes %lld - %lld = 0\n",
            bar->name, v->shape.outer >= 0 ? v->pipe->params[v->shape.outer].name : "", v->shape.outer >= 0 ? "*" : "", n,
            bar->stages, bar->stages, (long long)bar->count, (long long)sum_of(v, b, ZL_EV_ARRIVE),
            (long long)sum_of(v, b, ZL_EV_EXPECT), (long long)sum_of(v, b, ZL_EV_COPY));
}

static void put_path(zl_text *out, const zl_verify *v, const zl_obligation *o)
{
    zl_putf(out, "order %s %u -> %u within %d: %u", zlay_pipe_rule_name(o->rule), o->from, o->to, o->bound, o->from);
    uint32_t at = o->from;
    while (at != o->last) {
        uint32_t next = (uint32_t)v->order.via[at][o->last];
        zl_putf(out, " -%d-> %u", zl_order_step(v, at, next), next);
        at = next;
    }
    if (o->last != o->to) zl_putf(out, " -%d-> %u", zl_order_step(v, o->last, o->to), o->to);
    zl_puts(out, "\n");
}

static void put_schedule(zl_text *out, const zl_verify *v)
{
    zl_putf(out, "schedule slope %lld", (long long)v->slope);
    for (uint32_t i = 0; i < v->sites_count; i++)
        if (v->sites[i].event >= 0)
            zl_putf(out, " %u@%lld", v->pipe->events[v->sites[i].event].line, (long long)v->sites[i].time);
    zl_puts(out, "\n");
}

void zl_proof_write(zl_text *out, const void *verify)
{
    const zl_verify *v = verify;
    zl_putf(out, "proof %s window %lld\n", v->pipe->name, (long long)v->shape.window);
    for (uint32_t b = 0; b < v->pipe->bars_count; b++) put_bar(out, v, (int32_t)b);
    for (uint32_t i = 0; i < v->order.count; i++) put_node(out, v, i);
    put_schedule(out, v);
    for (uint32_t i = 0; i < v->obligations_count; i++) put_path(out, v, &v->obligations[i]);
    zl_puts(out, "end\n");
}
