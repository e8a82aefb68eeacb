/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical text: what zlay_pipe_parse reads, indented by nesting. */
#include "pipe/pipe.h"

#include <string.h>

typedef struct printer {
    zl_text *out;
    const zlay_pipe *pipe;
    const char *counters[ZL_PIPE_LOOPS];
    uint32_t depth;
} printer;

static void put_pos(printer *p, const zl_pos *pos)
{
    const char *plus = "";
    if (pos->loop >= 0) {
        zl_puts(p->out, p->counters[pos->loop]);
        if (pos->times >= 0) zl_putf(p->out, "*%s", p->pipe->params[pos->times].name);
        plus = "+";
    }
    if (pos->plus >= 0) {
        zl_putf(p->out, "%s%s", plus, p->pipe->params[pos->plus].name);
        plus = "+";
    }
    if (pos->add < 0) zl_putf(p->out, "%s%lld", *plus ? "" : "0", (long long)pos->add);
    else if (pos->add > 0 || !*plus) zl_putf(p->out, "%s%lld", plus, (long long)pos->add);
}

/* A position of several terms stands in parentheses; a number below 0 is one: 0-1, for the text has
 * no sign of its own. */
static void put_factor(printer *p, const zl_pos *pos)
{
    int terms = (pos->loop >= 0) + (pos->plus >= 0) + (pos->add < 0 ? 2 : pos->add > 0);
    if (terms > 1) zl_puts(p->out, "(");
    put_pos(p, pos);
    if (terms > 1) zl_puts(p->out, ")");
}

static bool constant(const zl_pos *pos) { return pos->loop < 0 && pos->plus < 0; }

static void put_slot(printer *p, const char *name, const zl_pos *pos, uint32_t stages)
{
    zl_putf(p->out, " %s[", name);
    put_factor(p, pos);
    if (!constant(pos)) zl_putf(p->out, " %% %u", stages);
    zl_puts(p->out, "]");
}

static void put_bar(printer *p, const zl_event *e)
{
    const zl_bar *bar = &p->pipe->bars[e->bar];
    put_slot(p, bar->name, &e->bar_at, bar->stages);
}

static void put_smem(printer *p, const zl_event *e, int i)
{
    const zl_smem *smem = &p->pipe->smems[e->smem[i]];
    put_slot(p, smem->name, &e->at[i], smem->stages);
}

static void put_part(printer *p, const zl_event *e)
{
    if (e->part) zl_putf(p->out, " part %d", e->part);
}

/* pos / stages, with the flip of a wait (pos / stages + 1) */
static void put_round(printer *p, const zl_event *e, const zl_pos *pos)
{
    zl_puts(p->out, e->flip ? "(" : "");
    put_factor(p, pos);
    zl_putf(p->out, e->flip ? " / %u + 1)" : " / %u", p->pipe->bars[e->bar].stages);
}

static void put_wait(printer *p, const zl_event *e)
{
    zl_puts(p->out, "wait");
    put_bar(p, e);
    zl_puts(p->out, " parity ");
    put_round(p, e, &e->parity);
    zl_puts(p->out, " % 2");
}

static const char *const groups[] = {"wgmma", "bulk", "bulk.read", "cpasync"};
static const char *const fences[] = {"wgmma", "proxy.async", "mbarrier_init"};
static const char *const scopes[] = {"", " warps", " threads"};

static void put_moves(printer *p, const zl_event *e)
{
    long long count = e->count;
    if (e->kind == ZL_EV_COPY) zl_putf(p->out, "copy tensor %lld ->", count);
    else if (e->kind == ZL_EV_CPASYNC) zl_putf(p->out, "cpasync %lld ->", count);
    else
        zl_puts(p->out, e->kind == ZL_EV_STORE  ? "store"
                        : e->kind == ZL_EV_READ ? "read"
                                                : "write");
    put_smem(p, e, 0);
    if (e->kind == ZL_EV_STORE || (e->kind == ZL_EV_WRITE && count))
        zl_putf(p->out, " %lld", count);
    if (e->kind == ZL_EV_WRITE && e->acc >= 0)
        zl_putf(p->out, " from %s", p->pipe->accs[e->acc].name);
    put_part(p, e);
    if (e->kind != ZL_EV_COPY) return;
    zl_puts(p->out, " signal");
    put_bar(p, e);
}

static void put_event(printer *p, const zl_event *e)
{
    switch (e->kind) {
    case ZL_EV_FOR:
        zl_putf(p->out, "for %s in ", e->name);
        put_pos(p, &e->at[0]);
        zl_puts(p->out, "..");
        put_pos(p, &e->bar_at);
        break;
    case ZL_EV_END: zl_puts(p->out, "end"); break;
    case ZL_EV_INIT: zl_putf(p->out, "init %s", p->pipe->bars[e->bar].name); break;
    case ZL_EV_EXPECT:
        zl_puts(p->out, "expect");
        put_bar(p, e);
        zl_putf(p->out, " %lld", (long long)e->count);
        break;
    case ZL_EV_ARRIVE:
        zl_puts(p->out, "arrive");
        put_bar(p, e);
        zl_puts(p->out, scopes[e->scope]);
        break;
    case ZL_EV_WAIT: put_wait(p, e); break;
    case ZL_EV_COMMIT: zl_putf(p->out, "commit %s", groups[e->scope]); break;
    case ZL_EV_WAITGROUP:
        zl_putf(p->out, "waitgroup %s %lld", groups[e->scope], (long long)e->count);
        break;
    case ZL_EV_FENCE: zl_putf(p->out, "fence %s", fences[e->scope]); break;
    case ZL_EV_SYNC: zl_puts(p->out, e->scope == ZL_SYNC_ROLE ? "sync role" : "sync cta"); break;
    case ZL_EV_MMA:
        zl_puts(p->out, "mma");
        put_smem(p, e, 0);
        zl_puts(p->out, ",");
        put_smem(p, e, 1);
        zl_putf(p->out, " -> %s%s", p->pipe->accs[e->acc].name, e->fresh ? " fresh" : "");
        break;
    default: put_moves(p, e);
    }
}

static void put_line(printer *p, const zl_event *e)
{
    if (e->kind == ZL_EV_END) p->depth--;
    for (uint32_t i = 0; i <= p->depth; i++) zl_puts(p->out, "  ");
    put_event(p, e);
    zl_puts(p->out, "\n");
    if (e->kind == ZL_EV_FOR) p->counters[p->depth++] = e->name;
}

static void put_declarations(printer *p)
{
    const zlay_pipe *pipe = p->pipe;
    zl_putf(p->out, "pipe %s\n", pipe->name);
    for (uint32_t i = 0; i < pipe->params_count; i++)
        zl_putf(p->out, "param %s %lld..\n", pipe->params[i].name,
                (long long)pipe->params[i].least);
    for (uint32_t i = 0; i < pipe->smems_count; i++)
        zl_putf(p->out, "smem %s[%u] %lld%s\n", pipe->smems[i].name, pipe->smems[i].stages,
                (long long)pipe->smems[i].bytes, pipe->smems[i].each ? " each" : "");
    for (uint32_t i = 0; i < pipe->bars_count; i++)
        zl_putf(p->out, "bar %s[%u] count %lld\n", pipe->bars[i].name, pipe->bars[i].stages,
                (long long)pipe->bars[i].count);
    for (uint32_t i = 0; i < pipe->setup; i++) {
        put_event(p, &pipe->events[i]);
        zl_puts(p->out, "\n");
    }
}

static void put_role(printer *p, const zl_role *role)
{
    zl_putf(p->out, "role %s warps %u..%u", role->name, role->first_warp, role->last_warp);
    if (zl_role_instances(role) > 1) zl_putf(p->out, " each %u", role->each);
    zl_puts(p->out, role->elect ? " elect\n" : "\n");
    for (uint32_t i = role->begin; i < role->end; i++) put_line(p, &p->pipe->events[i]);
    zl_puts(p->out, "end\n");
}

void zl_pipe_put_phase(zl_text *out, const zlay_pipe *pipe, uint32_t event)
{
    const zl_event *e = &pipe->events[event];
    printer p = {.out = out, .pipe = pipe};
    uint32_t begin = 0;
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        if (pipe->roles[r].begin <= event) begin = pipe->roles[r].begin;
    for (uint32_t i = begin; i < event; i++) {
        if (pipe->events[i].kind == ZL_EV_FOR) p.counters[p.depth++] = pipe->events[i].name;
        if (pipe->events[i].kind == ZL_EV_END) p.depth--;
    }
    put_round(&p, e, e->kind == ZL_EV_WAIT ? &e->parity : &e->bar_at);
}

static void pipe_write(zl_text *out, const void *value)
{
    printer p = {.out = out, .pipe = value};
    put_declarations(&p);
    for (uint32_t i = 0; i < p.pipe->roles_count; i++) put_role(&p, &p.pipe->roles[i]);
}

zlay_status zlay_pipe_print(zlay_buf *out, const zlay_pipe *pipe)
{
    return pipe ? zl_print(out, pipe_write, pipe) : ZLAY_EINVAL;
}
