/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pipe: declarations, setup, and the roles, each with what stands before its loop, the peeled iterations, the loop, the
 * iterations that end behind it, and what stands after. Instances of products by wgmma take turns, so that one computes while the
 * other's products run (Shah et al., "FlashAttention-3", 2024, section 3.1). */
#include "synth/roles/put.h"

#include <string.h>

enum { TURN = 1 /* the first of three named barriers */ };

/* ---- declarations --------------------------------------------------------------------------------- */

static void put_values(zl_text *out, const zl_tp *p)
{
    for (uint32_t v = 0; v < p->values; v++) {
        const zl_tp_value *x = &p->value[v];
        const size_t begin = out->need;
        uint32_t depth = p->group[x->group].depth;
        if (x->space == ZL_TP_SHARED)
            zl_putf(out, "smem %s[%u] %.*s%s\n", x->name, depth, (int)x->size.length, x->size.text, x->each && !zl_tp_expands(p) && p->instances > 1 ? " each" : "");
        else if (x->space == ZL_TP_TMEM) zl_putf(out, "tmem %s[%u] %u\n", x->name, depth, x->columns);
        zl_tp_wrote(p->found, out, begin, x->line);
    }
}

/* Prints a line for each barrier. */
static void put_bars(zl_text *out, const zl_tp *p, bool declare)
{
    char bar[96];
    for (uint32_t v = 0; v < p->values; v++)
        for (uint32_t e = 0; e < p->group[v].epochs; e++) {
            const zl_tp_epoch *x = &p->group[v].epoch[e];
            for (int over = 0; over < 2; over++) {
                if (over ? !x->over : !x->stages) continue;
                const size_t begin = out->need;
                zl_tp_bar(bar, p, (int32_t)v, e, over);
                if (declare) zl_putf(out, "bar %s[%u] count %u\n", bar, over ? 1 : x->stages, x->count);
                else zl_putf(out, "init %s\n", bar);
                zl_tp_wrote(p->found, out, begin, p->value[v].line);
            }
        }
}

/* Whether a role accesses tensor memory. */
static bool uses_tmem(const zl_tp *p, uint32_t role)
{
    for (uint32_t o = 0; o < p->ops; o++)
        for (uint32_t i = 0; i < p->op[o].operands && p->op[o].role == (int32_t)role; i++)
            if (p->value[p->op[o].operand[i].value].space == ZL_TP_TMEM) return true;
    return false;
}

static uint32_t tmem_count(const zl_tp *p)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < p->roles; r++)
        if (uses_tmem(p, r)) count += p->role[r].kind == ZL_TP_COMPUTES ? p->role[r].warps : 1;
    return count;
}

/* An allocation is no larger than the one before. */
static void put_allocations(zl_text *out, const zl_tp *p, const char *word)
{
    for (uint32_t columns = 512; columns >= 32; columns /= 2)
        for (uint32_t v = 0; v < p->values; v++)
            if (p->value[v].space == ZL_TP_TMEM && p->value[v].columns * p->group[v].depth == columns) zl_putf(out, "%s %s\n", word, p->value[v].name);
}

/* A body's lines as they are written; the last one of a text may have no end. */
static void put_lines(zl_text *out, const zl_tp *p, zl_tp_span body, uint32_t line)
{
    const char *end = body.text + body.length;
    for (const char *at = body.text, *next; at < end; at = next, line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const size_t begin = out->need;
        next = stop ? stop + 1 : end;
        zl_putf(out, "%.*s\n", (int)((stop ? stop : end) - at), at);
        zl_tp_wrote(p->found, out, begin, line);
    }
}

static void put_params(zl_text *out, const zl_tp *p)
{
    size_t begin = out->need;
    zl_putf(out, "param %s %.*s\n", p->param, (int)p->range.length, p->range.text);
    zl_tp_wrote(p->found, out, begin, p->loop_line);
    for (uint32_t i = 0; i < p->moves_count; i++) {
        begin = out->need;
        zl_putf(out, "move %s %llu\n", p->move[i], (unsigned long long)p->move_bytes[i]);
        zl_tp_wrote(p->found, out, begin, p->move_line[i]);
    }
}

static void put_head(zl_text *out, const zl_tp *p)
{
    zl_putf(out, "pipe %s\n", p->name);
    if (p->launch) zl_putf(out, "registers %u\n", p->launch);
    put_params(out, p);
    put_values(out, p);
    put_bars(out, p, true);
    if (tmem_count(p)) zl_putf(out, "bar tmem_over[1] count %u\n", tmem_count(p));
    for (uint32_t i = 0; i < p->bodies_count; i++) put_lines(out, p, p->bodies[i], p->body_line[i]);
    put_bars(out, p, false);
    if (tmem_count(p)) {
        zl_puts(out, "init tmem_over\n");
        put_allocations(out, p, "alloc");
        zl_puts(out, "relinquish\n");
    }
    zl_puts(out, "fence mbarrier_init\nsync cta\n");
}

/* ---- roles ---------------------------------------------------------------------------------------- */

static void put_section(zl_tp_writer *w, int32_t section)
{
    for (uint32_t o = 0; o < w->p->ops; o++)
        if (w->p->op[o].role == (int32_t)w->role && w->p->op[o].section == section) zl_tp_put_op(w, (int32_t)o, zl_tp_number(0));
}

static void put_item(zl_tp_writer *w, const zl_tp_item *item, uint32_t segment, zl_tp_at at)
{
    at = zl_tp_back(at, item->stage);
    if (at.known && at.number < w->p->op[item->op].from) return;
    if (item->done) zl_tp_put_done(w, item, segment, at);
    else zl_tp_put_op(w, item->op, at);
}

/* The first product of the order, and the last: between them an instance has the turn. */
static void turns_find(const zl_tp_writer *w, uint32_t *first, uint32_t *last)
{
    const zl_tp_role *role = &w->p->role[w->role];
    *first = *last = UINT32_MAX;
    for (uint32_t i = 0; w->p->turns && i < role->items; i++) {
        if (role->item[i].done || w->p->op[role->item[i].op].kind != ZL_TP_MMA) continue;
        if (*first == UINT32_MAX) *first = i;
        *last = i;
    }
}

static void put_body(zl_tp_writer *w)
{
    const zl_tp_role *role = &w->p->role[w->role];
    uint32_t first, last;
    turns_find(w, &first, &last);
    for (uint32_t i = 0; i < role->items; i++) {
        if (i == first) zl_putf(w->out, "%ssync named %d + instance 256\n", w->indent, TURN + 1);
        put_item(w, &role->item[i], 1, (zl_tp_at){.base = ZL_AT_COUNTER});
        if (i == last) zl_putf(w->out, "%sjoin named %d - instance 256\n", w->indent, TURN + 2);
    }
}

/* The loop's text is written twice: the first time finds what its end leaves to its beginning. Behind it either may be so, as it may
 * have no iteration. */
static void put_loop(zl_tp_writer *w)
{
    const zl_tp_role *role = &w->p->role[w->role];
    uint32_t before[ZL_TP_VALUES];
    zl_text nothing = {0}, *out = w->out;
    zl_tp_found *found = w->found;
    memcpy(before, w->held, sizeof before);
    w->indent = "    ";
    w->out = &nothing;
    w->found = NULL;
    put_body(w);
    for (uint32_t v = 0; v < w->p->values; v++) w->held[v] |= before[v];
    w->out = out;
    w->found = found;
    const size_t begin = out->need;
    zl_putf(out, "  for i in %u..%s\n", role->peel, w->p->param);
    zl_tp_wrote(found, out, begin, w->p->loop_line);
    put_body(w);
    zl_puts(out, "  end\n");
    for (uint32_t v = 0; v < w->p->values; v++) w->held[v] |= before[v];
    w->indent = "  ";
}

static void put_peeled(zl_tp_writer *w, int64_t k)
{
    const zl_tp_role *role = &w->p->role[w->role];
    zl_tp_at at = zl_tp_number(k);
    if (k) {
        zl_putf(w->out, "  for i in %lld..%lld\n", (long long)k, (long long)k + 1);
        at = (zl_tp_at){ZL_AT_COUNTER, 0, true, k};
        w->indent = "    ";
    }
    for (uint32_t i = 0; i < role->items; i++) put_item(w, &role->item[i], 0, at);
    w->indent = "  ";
    if (k) zl_puts(w->out, "  end\n");
}

static void put_iterations(zl_tp_writer *w)
{
    const zl_tp_role *role = &w->p->role[w->role];
    for (int64_t k = 0; k < role->peel; k++) put_peeled(w, k);
    put_loop(w);
    for (int64_t k = 0; k < role->stages; k++)
        for (uint32_t i = 0; i < role->items; i++)
            if (role->item[i].stage > k) put_item(w, &role->item[i], 2, (zl_tp_at){.base = ZL_AT_END, .add = k});
}

/* Tensor memory is freed when all that accessed it have done so. */
static void put_end(zl_tp_writer *w)
{
    const zl_tp *p = w->p;
    const int32_t kind = p->role[w->role].kind;
    if (w->stored) zl_puts(w->out, "  waitgroup bulk 0\n");
    if (kind == ZL_TP_PRODUCTS) zl_puts(w->out, "  commit tcgen05 signal tmem_over[0]\n");
    else if (uses_tmem(p, w->role)) zl_puts(w->out, "  fence tcgen05.before\n  arrive tmem_over[0] warps\n");
    if (kind != ZL_TP_STORES || !tmem_count(p)) return;
    zl_puts(w->out, "  wait tmem_over[0] parity 0 / 1 % 2\n  fence tcgen05.after\n");
    put_allocations(w->out, p, "  dealloc");
}

static void put_registers(const zl_tp_writer *w)
{
    const zl_tp *p = w->p;
    if (!p->launch) return;
    if (p->role[w->role].kind == ZL_TP_COMPUTES) zl_putf(w->out, "  setmaxnreg inc %u\n", p->compute);
    else zl_puts(w->out, "  setmaxnreg dec 24\n");
}

static void put_role(zl_tp_writer *w)
{
    const zl_tp *p = w->p;
    const zl_tp_role *role = &p->role[w->role];
    bool turns = p->turns && role->items && role->kind == ZL_TP_COMPUTES;
    uint32_t last = role->first_warp + (p->launch && role->kind != ZL_TP_COMPUTES ? 4 : role->warps) - 1;
    zl_putf(w->out, "role %s warps %u..%u", role->name, role->first_warp, last);
    if (role->kind == ZL_TP_COMPUTES && role->warps > 4) zl_puts(w->out, " each 4");
    if (role->kind == ZL_TP_LOADS || role->kind == ZL_TP_PRODUCTS) zl_puts(w->out, " elect");
    zl_puts(w->out, "\n");
    put_registers(w);
    put_section(w, ZL_TP_BEFORE);
    zl_tp_put_begin(w);
    if (turns) zl_putf(w->out, "  join named %d + instance 256\n", TURN);
    if (role->items) put_iterations(w);
    if (turns) zl_putf(w->out, "  sync named %d - instance 256\n", TURN + 1);
    zl_tp_put_over(w);
    zl_tp_put_drain(w);
    put_section(w, ZL_TP_AFTER);
    put_end(w);
    zl_puts(w->out, "end\n");
}

void zl_tp_put(zl_text *out, const void *value)
{
    const zl_tp *p = value;
    put_head(out, p);
    for (uint32_t r = 0; r < p->roles; r++) {
        zl_tp_writer w = {.out = out, .p = p, .role = r, .indent = "  ", .found = p->found};
        put_role(&w);
    }
}
