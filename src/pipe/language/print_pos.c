/* SPDX-License-Identifier: Apache-2.0 */
/* Prints positions, the stage of a ring and the round of a wait that follow from them, and
 * bytes as a sum of moves. */
#include "pipe/language/print.h"

void zl_put_pos(zl_printer *p, const zl_pos *pos)
{
    const char *plus = "";
    if (pos->loop >= 0) {
        zl_puts(p->out, p->counters[pos->loop]);
        if (pos->times >= 0) zl_putf(p->out, "*%s", p->pipe->params[pos->times].name);
        if (pos->scale) zl_putf(p->out, "*%lld", (long long)pos->scale);
        plus = "+";
    }
    if (pos->plus >= 0) {
        zl_putf(p->out, "%s%s", plus, p->pipe->params[pos->plus].name);
        plus = "+";
    }
    if (pos->add < 0) zl_putf(p->out, "%s%lld", *plus ? "" : "0", (long long)pos->add);
    else if (pos->add > 0 || !*plus) zl_putf(p->out, "%s%lld", plus, (long long)pos->add);
}

/* A position of several terms stands in parentheses; so does a number below 0, printed as 0-1,
 * since the text has no sign. */
void zl_put_term(zl_printer *p, const zl_pos *pos)
{
    int terms = (pos->loop >= 0) + (pos->plus >= 0) + (pos->add < 0 ? 2 : pos->add > 0);
    if (terms > 1) zl_puts(p->out, "(");
    zl_put_pos(p, pos);
    if (terms > 1) zl_puts(p->out, ")");
}

static bool constant(const zl_pos *pos) { return pos->loop < 0 && pos->plus < 0; }

void zl_put_slot(zl_printer *p, const char *name, const zl_pos *pos, uint32_t stages)
{
    zl_putf(p->out, " %s[", name);
    zl_put_term(p, pos);
    if (!constant(pos)) zl_putf(p->out, " %% %u", stages);
    zl_puts(p->out, "]");
}

void zl_put_round(zl_printer *p, const zl_event *e, const zl_pos *pos)
{
    zl_puts(p->out, e->flip ? "(" : "");
    zl_put_term(p, pos);
    zl_putf(p->out, e->flip ? " / %u + 1)" : " / %u", p->pipe->bars[e->bar].stages);
}

void zl_put_sum_of(zl_printer *p, int64_t total, const zl_moved *moved)
{
    int64_t rest = total;
    for (uint32_t i = 0; i < moved->count; i++)
        rest -= moved->term[i].times * p->pipe->moves[moved->term[i].move].bytes;
    if (rest < 0 || !moved->count) {
        zl_putf(p->out, " %lld", (long long)total);
        return;
    }
    for (uint32_t i = 0; i < moved->count; i++) {
        zl_puts(p->out, i ? " + " : " ");
        if (moved->term[i].times != 1) zl_putf(p->out, "%d*", moved->term[i].times);
        zl_puts(p->out, p->pipe->moves[moved->term[i].move].name);
    }
    if (rest) zl_putf(p->out, " + %lld", (long long)rest);
}

zl_printer zl_printer_at(zl_text *out, const zlay_pipe *pipe, uint32_t event)
{
    zl_printer p = {.out = out, .pipe = pipe};
    uint32_t begin = 0;
    for (uint32_t r = 0; r < pipe->roles_count; r++)
        if (pipe->roles[r].begin <= event) begin = pipe->roles[r].begin;
    for (uint32_t i = begin; i < event; i++) {
        if (pipe->events[i].kind == ZL_EV_FOR) p.counters[p.depth++] = pipe->events[i].name;
        if (pipe->events[i].kind == ZL_EV_END) p.depth--;
    }
    return p;
}

void zl_pipe_put_phase(zl_text *out, const zlay_pipe *pipe, uint32_t event)
{
    const zl_event *e = &pipe->events[event];
    zl_printer p = zl_printer_at(out, pipe, event);
    zl_put_round(&p, e, e->kind == ZL_EV_WAIT ? &e->parity : &e->bar_at);
}
