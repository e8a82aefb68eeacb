/* SPDX-License-Identifier: Apache-2.0 */
/* Writes operations with what their order needs: a wait where a role begins an epoch, an arrival where it ends one, the fences of
 * the proxies and of tensor memory, and meetings where threads of one role access a stage after each other. */
#include "synth/roles/put.h"

#include <stdio.h>
#include <string.h>

void zl_tp_wrote(zl_tp_found *found, const zl_text *out, size_t begin, uint32_t line)
{
    if (found && begin <= found->at && found->at < out->need) found->line = line;
}

/* ---- positions ---------------------------------------------------------------------------------- */

static void put_at(const zl_tp_writer *w, zl_tp_at at)
{
    const char *base = at.base == ZL_AT_COUNTER ? "i" : w->p->param;
    if (at.base == ZL_AT_NUMBER) zl_putf(w->out, "%lld", (long long)at.add);
    else if (!at.add) zl_puts(w->out, base);
    else zl_putf(w->out, "%s%+lld", base, (long long)at.add);
}

/* The same, where a sum has parentheses. */
static void put_term(const zl_tp_writer *w, zl_tp_at at)
{
    bool sum = at.base != ZL_AT_NUMBER && at.add;
    zl_puts(w->out, sum ? "(" : "");
    put_at(w, at);
    zl_puts(w->out, sum ? ")" : "");
}

void zl_tp_put_slot(const zl_tp_writer *w, zl_tp_at at, uint32_t stages)
{
    if (at.base == ZL_AT_NUMBER) {
        zl_putf(w->out, "[%lld]", (long long)(at.add % stages));
        return;
    }
    zl_puts(w->out, "[");
    put_term(w, at);
    zl_putf(w->out, " %% %u]", stages);
}

void zl_tp_put_wait(const zl_tp_writer *w, const char *bar, zl_tp_at at, uint32_t stages, bool before)
{
    zl_putf(w->out, "%swait %s", w->indent, bar);
    zl_tp_put_slot(w, at, stages);
    zl_puts(w->out, before ? " parity (" : " parity ");
    put_term(w, at);
    zl_putf(w->out, before ? " / %u + 1) %% 2\n" : " / %u %% 2\n", stages);
}

const char *zl_tp_bar(char out[96], const zl_tp *p, int32_t group, uint32_t epoch, bool over)
{
    const zl_tp_group *g = &p->group[group];
    const zl_tp_epoch *e = &g->epoch[epoch];
    static const char *const words[] = {"read", "full"};
    snprintf(out, 96, "%s_%s%u%s", p->value[group].name, over ? "over" : words[e->writes], epoch, "");
    return out;
}

/* ---- an operation's own lines ------------------------------------------------------------------- */

static void put_value(const zl_tp_writer *w, int32_t value, zl_tp_at at)
{
    const zl_tp_value *v = &w->p->value[value];
    const zl_tp_group *g = &w->p->group[v->group];
    zl_puts(w->out, v->name);
    if (v->space == ZL_TP_REGISTERS) return;
    if (g->ring) zl_tp_put_slot(w, zl_tp_back(at, g->from), g->depth);
    else zl_puts(w->out, "[0]");
}

/* Text with the iteration in the place of i. */
static void put_tail(const zl_tp_writer *w, zl_tp_span tail, zl_tp_at at)
{
    if (tail.length) zl_puts(w->out, " ");
    for (size_t i = 0; i < tail.length; i++) {
        size_t next = zl_tp_iteration(tail, i);
        zl_put(w->out, tail.text + i, next - i);
        if (next < tail.length) put_at(w, at);
        i = next;
    }
}

static void put_product(const zl_tp_writer *w, const zl_tp_op *op, zl_tp_at at)
{
    bool fresh = op->fresh && (!op->first || (at.known && at.number == 0));
    if (!w->p->tmem) zl_putf(w->out, "%sfence wgmma\n", w->indent);
    for (uint32_t i = 0; i + 1 < op->operands; i += 2) {
        zl_putf(w->out, "%smma ", w->indent);
        put_value(w, op->operand[i].value, at);
        zl_puts(w->out, ", ");
        put_value(w, op->operand[i + 1].value, at);
        zl_puts(w->out, " -> ");
        put_value(w, zl_tp_sum(op), at);
        zl_puts(w->out, fresh && !i ? " fresh\n" : "\n");
    }
    if (!w->p->tmem) zl_putf(w->out, "%scommit wgmma\n", w->indent);
}

static void put_use(const zl_tp_writer *w, const zl_tp_op *op, zl_tp_at at)
{
    bool reads = false;
    zl_putf(w->out, "%suse ", w->indent);
    for (uint32_t i = 0; i < op->operands; i++) {
        bool memory = w->p->value[op->operand[i].value].space != ZL_TP_REGISTERS;
        if (memory && !reads) zl_putf(w->out, " %.*s reads ", (int)op->word.length, op->word.text);
        else if (i) zl_puts(w->out, ", ");
        reads |= memory;
        put_value(w, op->operand[i].value, at);
    }
    if (!reads && op->word.length) zl_putf(w->out, " %.*s", (int)op->word.length, op->word.text);
    put_tail(w, op->tail, at);
    zl_puts(w->out, "\n");
}

static void put_copy(const zl_tp_writer *w, const zl_tp_op *op, zl_tp_at at)
{
    const zl_tp_value *v = &w->p->value[op->operand[0].value];
    const zl_tp_group *g = &w->p->group[v->group];
    char bar[96];
    uint32_t e = 0;
    while (!zl_tp_has(&g->epoch[e].ops, (uint32_t)(op - w->p->op))) e++;
    zl_putf(w->out, "%scopy %.*s %.*s -> ", w->indent, (int)op->word.length, op->word.text, (int)op->tail.length, op->tail.text);
    put_value(w, op->operand[0].value, at);
    zl_putf(w->out, " signal %s", zl_tp_bar(bar, w->p, v->group, e, false));
    zl_tp_put_slot(w, op->section == ZL_TP_LOOP ? zl_tp_back(at, g->epoch[e].from) : zl_tp_number(0), g->epoch[e].stages);
    zl_puts(w->out, "\n");
}

/* Moves between registers and memory: the one that is written stands last, or behind `write`. */
static void put_move(zl_tp_writer *w, const zl_tp_op *op, zl_tp_at at)
{
    static const char *const words[] = {[ZL_TP_TLD] = "tld", [ZL_TP_TST] = "tst", [ZL_TP_WRITE] = "write", [ZL_TP_STORE] = "store"};
    zl_putf(w->out, "%s%s ", w->indent, words[op->kind]);
    put_value(w, op->operand[0].value, at);
    if (op->kind == ZL_TP_TLD) put_tail(w, op->tail, at);
    if (op->operands > 1) {
        zl_puts(w->out, op->kind == ZL_TP_WRITE ? " from " : " -> ");
        put_value(w, op->operand[1].value, at);
    }
    if (op->kind != ZL_TP_TLD) put_tail(w, op->tail, at);
    zl_puts(w->out, "\n");
    if (op->kind == ZL_TP_TLD) zl_putf(w->out, "%stwait ld\n", w->indent);
    if (op->kind == ZL_TP_TST) zl_putf(w->out, "%stwait st\n", w->indent);
    if (op->kind != ZL_TP_STORE) return;
    zl_putf(w->out, "%scommit bulk\n", w->indent);
    w->stored = true;
}

void zl_tp_put_event(zl_tp_writer *w, const zl_tp_op *op, zl_tp_at at)
{
    if (op->kind == ZL_TP_COPY) put_copy(w, op, at);
    else if (op->kind == ZL_TP_MMA) put_product(w, op, at);
    else if (op->kind == ZL_TP_USE) put_use(w, op, at);
    else put_move(w, op, at);
}
