/* SPDX-License-Identifier: Apache-2.0 */
/* Prints a pipe in canonical form: what zlay_pipe_parse reads, indented by nesting, with each
 * operand printed by the function that tokens.def names. parse(print(p)) equals p. */
#include "pipe/language/print.h"

/* ---- operands, each behind a blank ---- */

static void put_nothing(zl_printer *p, const zl_event *e) { (void)p, (void)e; }

static void put_loop(zl_printer *p, const zl_event *e)
{
    zl_putf(p->out, " %s in ", e->name);
    zl_put_pos(p, &e->at[0]);
    zl_puts(p->out, "..");
    zl_put_pos(p, &e->bar_at);
    if (e->step != 1) zl_putf(p->out, " step %lld", (long long)e->step);
}

static void put_bar_name(zl_printer *p, const zl_event *e)
{
    zl_putf(p->out, " %s", p->pipe->bars[e->bar].name);
}

static void put_bar(zl_printer *p, const zl_event *e)
{
    zl_put_slot(p, p->pipe->bars[e->bar].name, &e->bar_at, p->pipe->bars[e->bar].stages);
}

static void put_parity(zl_printer *p, const zl_event *e)
{
    zl_puts(p->out, " parity ");
    zl_put_round(p, e, &e->parity);
    zl_puts(p->out, " % 2");
}

static void put_bytes(zl_printer *p, const zl_event *e) { zl_put_sum_of(p, e->count, &e->moved); }

static void put_opt_bytes(zl_printer *p, const zl_event *e)
{
    if (e->count) put_bytes(p, e);
}

static void put_number(zl_printer *p, const zl_event *e)
{
    zl_putf(p->out, " %lld", (long long)e->count);
}

static void put_arrow(zl_printer *p, const zl_event *e)
{
    (void)e;
    zl_puts(p->out, " ->");
}

static void put_comma(zl_printer *p, const zl_event *e)
{
    (void)e;
    zl_puts(p->out, ",");
}

static void put_signal(zl_printer *p, const zl_event *e)
{
    (void)e;
    zl_puts(p->out, " signal");
}

static void put_opt_signal(zl_printer *p, const zl_event *e)
{
    if (e->bar < 0) return;
    put_signal(p, e);
    put_bar(p, e);
}

static void put_stage(zl_printer *p, const zl_event *e, int i)
{
    const zl_smem *smem = &p->pipe->smems[e->smem[i]];
    zl_put_slot(p, smem->name, &e->at[i], smem->stages);
}

static void put_smem(zl_printer *p, const zl_event *e) { put_stage(p, e, 0); }

static void put_opt_from_smem(zl_printer *p, const zl_event *e)
{
    if (e->smem[1] < 0) return;
    zl_puts(p->out, " from");
    put_stage(p, e, 1);
}

static void put_other(zl_printer *p, int32_t index, const zl_pos *at)
{
    const zl_other *other = &p->pipe->others[index];
    zl_put_slot(p, other->name, at, other->stages);
}

static void put_flag(zl_printer *p, const zl_event *e) { put_other(p, e->other, &e->other_at); }
static void put_map(zl_printer *p, const zl_event *e) { put_other(p, e->map, &e->map_at); }

static void put_smem_or_global(zl_printer *p, const zl_event *e)
{
    e->other >= 0 ? put_flag(p, e) : put_stage(p, e, 0);
}

static void put_opt_to_global(zl_printer *p, const zl_event *e)
{
    if (e->other < 0) return;
    zl_puts(p->out, " ->");
    put_flag(p, e);
}

static void put_opt_by_map(zl_printer *p, const zl_event *e)
{
    if (e->map < 0) return;
    zl_puts(p->out, " by");
    put_map(p, e);
}

static void put_columns_of(zl_printer *p, const zl_event *e, int i)
{
    const zl_tmem *tmem = &p->pipe->tmems[e->tmem[i]];
    zl_put_slot(p, tmem->name, &e->tmem_at[i], tmem->stages);
}

static void put_tmem_name(zl_printer *p, const zl_event *e)
{
    zl_putf(p->out, " %s", p->pipe->tmems[e->tmem[0]].name);
}

static void put_tmem(zl_printer *p, const zl_event *e) { put_columns_of(p, e, 0); }

static void put_registers(zl_printer *p, int32_t acc)
{
    zl_putf(p->out, " %s", p->pipe->accs[acc].name);
}

static void put_acc(zl_printer *p, const zl_event *e) { put_registers(p, e->acc); }

static void put_accs(zl_printer *p, const zl_event *e)
{
    for (uint32_t i = 0; i < e->uses; i++) {
        put_registers(p, e[i].acc);
        if (i + 1 < e->uses) zl_puts(p->out, ",");
    }
}

/* A value of a body's index. */
static void put_index(zl_printer *p, const zl_event *e, uint32_t i)
{
    const zl_pos *pos = &e->index[i];
    if (pos->loop <= ZL_POS_BLOCK) {
        zl_puts(p->out, zl_block_words[ZL_POS_BLOCK - pos->loop]);
    } else if (e->modulo[i] < 0) {
        zl_put_pos(p, pos);
    } else {
        zl_put_term(p, pos);
        zl_putf(p->out, " %% %s", p->pipe->params[e->modulo[i]].name);
    }
}

static void put_opt_body(zl_printer *p, const zl_event *e)
{
    if (e->name[0]) zl_putf(p->out, " by %s", e->name);
    if (e->body < 0) return;
    zl_putf(p->out, " body %s", p->pipe->bodies[e->body].name);
    for (uint32_t i = 0; i < e->reads; i++) {
        zl_puts(p->out, i ? "," : " reads");
        put_stage(p, &e[e->uses + i], 0);
    }
    for (uint32_t i = 0; i < e->indices; i++) {
        zl_puts(p->out, i ? ", " : " at ");
        put_index(p, e, i);
    }
    if (!e->when) return;
    zl_puts(p->out, " when ");
    zl_put_pos(p, &e->bar_at);
    zl_puts(p->out, " < ");
    zl_put_pos(p, &e->parity);
}

static void put_opt_from_acc(zl_printer *p, const zl_event *e)
{
    if (e->acc < 0) return;
    zl_puts(p->out, " from");
    put_acc(p, e);
}

static void put_opt_add(zl_printer *p, const zl_event *e)
{
    if (e->uses) zl_puts(p->out, " add"), put_acc(p, e + 1);
}

static void put_factor(zl_printer *p, const zl_event *e)
{
    if (e->smem[0] >= 0) put_stage(p, e, 0);
    else if (e->tmem[1] >= 0) put_columns_of(p, e, 1);
    else put_registers(p, e->acc_a);
}

static void put_smem_or_acc(zl_printer *p, const zl_event *e)
{
    e->smem[0] >= 0 ? put_stage(p, e, 0) : put_acc(p, e);
}

static void put_factor1(zl_printer *p, const zl_event *e)
{
    e->smem[1] >= 0 ? put_stage(p, e, 1) : put_registers(p, e->acc_b);
}

static void put_opt_scales(zl_printer *p, const zl_event *e)
{
    if (e->smem[0] < 0 || e->tmem[1] < 0) return;
    zl_puts(p->out, " scales");
    put_columns_of(p, e, 1);
}

static void put_sum(zl_printer *p, const zl_event *e)
{
    e->tmem[0] >= 0 ? put_columns_of(p, e, 0) : put_acc(p, e);
}

static void put_opt_fresh(zl_printer *p, const zl_event *e)
{
    zl_puts(p->out, e->fresh ? " fresh" : "");
}

static void put_opt_clear(zl_printer *p, const zl_event *e)
{
    zl_puts(p->out, e->clear ? " clear" : "");
}

static void put_opt_part(zl_printer *p, const zl_event *e)
{
    if (e->part) zl_putf(p->out, " part %d", e->part);
}

static void put_opt_scope(zl_printer *p, const zl_event *e)
{
    static const char *const scopes[] = {"", " warps", " threads"};
    zl_puts(p->out, scopes[e->scope]);
}

static void put_opt_times(zl_printer *p, const zl_event *e)
{
    if (e->times != 1) zl_putf(p->out, " times %u", e->times);
}

static void put_opt_cta(zl_printer *p, const zl_event *e)
{
    if (e->cta == ZL_CTA_ALL) zl_puts(p->out, " cta all");
    else if (e->cta != ZL_CTA_OWN) zl_putf(p->out, " cta %s%d", e->relative ? "+" : "", e->cta);
}

static void put_opt_bar_cta(zl_printer *p, const zl_event *e)
{
    if (e->bar_cta != ZL_CTA_OWN) zl_putf(p->out, " cta %d", e->bar_cta);
}

static void put_opt_multicast(zl_printer *p, const zl_event *e)
{
    if (e->multicast) zl_putf(p->out, " multicast %u", e->multicast);
}

static void put_opt_lanes(zl_printer *p, const zl_event *e)
{
    if (e->lanes[0] != 0 || e->lanes[1] != 127)
        zl_putf(p->out, " lanes %u..%u", e->lanes[0], e->lanes[1]);
}

static void put_opt_columns(zl_printer *p, const zl_event *e)
{
    if (e->columns[0] != 0 || e->columns[1] != p->pipe->tmems[e->tmem[0]].columns - 1)
        zl_putf(p->out, " columns %u..%u", e->columns[0], e->columns[1]);
}

static void put_opt_named(zl_printer *p, const zl_event *e)
{
    static const char *const own[] = {" - instance", "", " + instance"};
    if (e->scope == ZL_SYNC_NAMED) zl_putf(p->out, " %u%s %lld", e->named, own[e->named_step + 1], (long long)e->count);
}

/* ---- lines ---- */

static void put_way(zl_printer *p, const zl_event *e)
{
    zl_putf(p->out, " %s", zl_ways[p->token][e->scope]);
}

static void (*const writers[ZL_T_COUNT])(zl_printer *p, const zl_event *e) = {
#define TOKEN(name, function) [ZL_T_##name] = put_##function,
#include "pipe/language/tokens.def"
#undef TOKEN
};

static void put_event(zl_printer *p, const zl_event *e)
{
    zl_puts(p->out, zl_forms[e->kind].word);
    for (const uint8_t *token = zl_forms[e->kind].operands; *token; token++) {
        p->token = (zl_event_token)*token;
        writers[*token](p, e);
    }
}

static void put_line(zl_printer *p, const zl_event *e)
{
    if (e->joined) return;
    if (e->kind == ZL_EV_END) p->depth--;
    for (uint32_t i = 0; i <= p->depth; i++) zl_puts(p->out, "  ");
    put_event(p, e);
    zl_puts(p->out, "\n");
    if (e->kind == ZL_EV_FOR) p->counters[p->depth++] = e->name;
}

static void put_params(zl_printer *p)
{
    const zlay_pipe *pipe = p->pipe;
    if (pipe->blocks != 1) zl_putf(p->out, "cluster %u\n", pipe->blocks);
    if (pipe->registers) zl_putf(p->out, "registers %u\n", pipe->registers);
    for (uint32_t i = 0; i < pipe->params_count; i++) {
        const zl_param *param = &pipe->params[i];
        zl_putf(p->out, "param %s %lld..", param->name, (long long)param->least);
        if (param->most != INT32_MAX) zl_putf(p->out, "%lld", (long long)param->most);
        if (param->of >= 0) zl_putf(p->out, " of %s", pipe->params[param->of].name);
        zl_puts(p->out, "\n");
    }
    for (uint32_t i = 0; i < pipe->moves_count; i++)
        zl_putf(p->out, "move %s %lld\n", pipe->moves[i].name, (long long)pipe->moves[i].bytes);
}

static void put_memory(zl_printer *p)
{
    static const char *const sorts[] = {"map", "global", "flag"};
    const zlay_pipe *pipe = p->pipe;
    for (uint32_t i = 0; i < pipe->smems_count; i++) {
        zl_putf(p->out, "smem %s[%u]", pipe->smems[i].name, pipe->smems[i].stages);
        zl_put_sum_of(p, pipe->smems[i].bytes, &pipe->smems[i].moved);
        zl_puts(p->out, pipe->smems[i].each ? " each\n" : "\n");
    }
    for (uint32_t i = 0; i < pipe->tmems_count; i++)
        zl_putf(p->out, "tmem %s[%u] %u%s\n", pipe->tmems[i].name, pipe->tmems[i].stages,
                pipe->tmems[i].columns, pipe->tmems[i].pair ? " pair" : "");
    for (uint32_t i = 0; i < pipe->others_count; i++)
        zl_putf(p->out, "%s %s[%u]%s\n", sorts[pipe->others[i].sort], pipe->others[i].name,
                pipe->others[i].stages, pipe->others[i].each ? " each" : "");
}

static void put_declarations(zl_printer *p)
{
    const zlay_pipe *pipe = p->pipe;
    zl_putf(p->out, "pipe %s\n", pipe->name);
    put_params(p);
    put_memory(p);
    for (uint32_t i = 0; i < pipe->bars_count; i++)
        zl_putf(p->out, "bar %s[%u] count %lld\n", pipe->bars[i].name, pipe->bars[i].stages,
                (long long)pipe->bars[i].count);
    for (uint32_t i = 0; i < pipe->bodies_count; i++) zl_body_put(p->out, pipe->bodies[i].body);
    for (uint32_t i = 0; i < pipe->setup; i++) {
        put_event(p, &pipe->events[i]);
        zl_puts(p->out, "\n");
    }
}

static void put_role(zl_printer *p, const zl_role *role)
{
    zl_putf(p->out, "role %s warps %u..%u", role->name, role->first_warp, role->last_warp);
    if (zl_role_instances(role) > 1) zl_putf(p->out, " each %u", role->each);
    zl_puts(p->out, role->elect ? " elect" : "");
    if (role->cta != ZL_CTA_ALL) zl_putf(p->out, " cta %d", role->cta);
    zl_puts(p->out, "\n");
    for (uint32_t i = role->begin; i < role->end; i++) put_line(p, &p->pipe->events[i]);
    zl_puts(p->out, "end\n");
}

void zl_pipe_put_event(zl_text *out, const zlay_pipe *pipe, uint32_t event)
{
    event -= pipe->events[event].joined;
    zl_printer p = zl_printer_at(out, pipe, event);
    put_event(&p, &pipe->events[event]);
}

static void pipe_write(zl_text *out, const void *value)
{
    zl_printer p = {.out = out, .pipe = value};
    put_declarations(&p);
    for (uint32_t i = 0; i < p.pipe->roles_count; i++) put_role(&p, &p.pipe->roles[i]);
}

zlay_status zlay_pipe_print(zlay_buf *out, const zlay_pipe *pipe)
{
    return pipe ? zl_print(out, pipe_write, pipe) : ZLAY_EINVAL;
}
