/* SPDX-License-Identifier: Apache-2.0 */
/* Writes an event struct as a line of text: the operands of its row in events.def in turn,
 * each from its fields. A field is cleared when it is used, so any that remains set does not
 * belong to the event and is reported. */
#include "pipe/language/build.h"

#include <string.h>

typedef zlay_pipe_event event;
typedef zl_build_writer writer;

static void put_text(writer *w, const char *text) { zl_puts(&w->b->text, text); }

/* ---- operands -------------------------------------------------------------------------------- */

static void put_nothing(writer *w) { (void)w; }

static void put_loop(writer *w)
{
    zl_build_name(w->b, w->e->name, "name");
    put_text(w, " in");
    zl_build_at(w->b, &w->e->first);
    put_text(w, "..");
    zl_build_at(w->b, &w->e->last);
    if (w->e->step < 0) zl_build_wrong(w->b, "step", "is below 0");
    if (w->e->step) zl_putf(&w->b->text, " step %lld", (long long)w->e->step);
    w->e->name = NULL;
    w->e->first = w->e->last = (zlay_pipe_at){0};
    w->e->step = 0;
}

static void put_bar_name(writer *w)
{
    zl_build_name(w->b, w->e->bar, "bar");
    w->e->bar = NULL;
}

static void put_bar(writer *w) { zl_build_slot(w, ZL_OF_BAR, &w->e->bar, &w->e->bar_at, "bar"); }

static void put_parity(writer *w)
{
    if (w->e->before > 1) zl_build_wrong(w->b, "before", "is 0 or 1");
    put_text(w, w->e->before ? " parity (" : " parity");
    zl_build_position(w, &w->e->phase);
    zl_putf(&w->b->text, w->e->before ? " / %u + 1) %% 2" : " / %u %% 2",
            w->stages);
    w->e->before = 0;
}

static void put_bytes(writer *w)
{
    zl_build_bytes(w->b, &w->e->bytes);
    w->e->bytes = (zlay_pipe_bytes){0};
}

static void put_opt_bytes(writer *w)
{
    if (w->e->bytes.add || w->e->bytes.move[0]) put_bytes(w);
}

static void put_number(writer *w)
{
    if (w->e->number < 0) zl_build_wrong(w->b, "number", "is below 0");
    zl_putf(&w->b->text, " %lld", (long long)w->e->number);
    w->e->number = 0;
}

static void put_arrow(writer *w) { put_text(w, " ->"); }
static void put_comma(writer *w) { put_text(w, ","); }
static void put_signal(writer *w) { put_text(w, " signal"); }

static void put_opt_signal(writer *w)
{
    if (!w->e->bar) return;
    put_signal(w);
    put_bar(w);
}

static void put_smem(writer *w) { zl_build_slot(w, ZL_OF_SMEM, &w->e->smem[0], &w->e->at[0], "smem"); }
static void put_smem1(writer *w) { zl_build_slot(w, ZL_OF_SMEM, &w->e->smem[1], &w->e->at[1], "smem"); }

static void put_opt_from_smem(writer *w)
{
    if (!w->e->smem[1]) return;
    put_text(w, " from");
    put_smem1(w);
}

static void put_flag(writer *w) { zl_build_slot(w, ZL_OF_OTHER, &w->e->other, &w->e->other_at, "other"); }
static void put_map(writer *w) { zl_build_slot(w, ZL_OF_OTHER, &w->e->map, &w->e->map_at, "map"); }

static void put_smem_or_global(writer *w)
{
    if (w->e->other) put_flag(w);
    else put_smem(w);
}

static void put_opt_to_global(writer *w)
{
    if (!w->e->other) return;
    put_text(w, " ->");
    put_flag(w);
}

static void put_opt_by_map(writer *w)
{
    if (!w->e->map) return;
    put_text(w, " by");
    put_map(w);
}

static void put_columns_of(writer *w, int i)
{
    zl_build_slot(w, ZL_OF_TMEM, &w->e->tmem[i], &w->e->tmem_at[i], "tmem");
}

static void put_tmem_name(writer *w)
{
    zl_build_name(w->b, w->e->tmem[0], "tmem");
    w->e->tmem[0] = NULL;
}

static void put_tmem(writer *w) { put_columns_of(w, 0); }

static void put_acc(writer *w)
{
    zl_build_name(w->b, w->e->acc, "acc");
    w->e->acc = NULL;
}

static void put_opt_from_acc(writer *w)
{
    if (!w->e->acc) return;
    put_text(w, " from");
    put_acc(w);
}

static void put_opt_add(writer *w)
{
    if (!w->e->acc) return;
    put_text(w, " add");
    put_acc(w);
}

static void put_accs(writer *w) { zl_build_accs(w); }
static void put_opt_body(writer *w) { zl_build_use(w); }

static void put_factor(writer *w)
{
    if (w->e->acc_a) {
        zl_build_name(w->b, w->e->acc_a, "acc_a");
        w->e->acc_a = NULL;
    } else if (w->e->tmem[1] && !w->e->smem[0]) put_columns_of(w, 1);
    else put_smem(w);
}

static void put_smem_or_acc(writer *w)
{
    if (w->e->acc) put_acc(w);
    else put_smem(w);
}

static void put_factor1(writer *w)
{
    if (w->e->acc_b) {
        zl_build_name(w->b, w->e->acc_b, "acc_b");
        w->e->acc_b = NULL;
    } else put_smem1(w);
}

static void put_opt_scales(writer *w)
{
    if (!w->e->tmem[1]) return;
    put_text(w, " scales");
    put_columns_of(w, 1);
}

static void put_sum(writer *w)
{
    if (w->e->tmem[0]) put_tmem(w);
    else put_acc(w);
}

/* ---- what may be missing ----------------------------------------------------------------------- */

static void put_opt_fresh(writer *w)
{
    if (w->e->fresh > 1) zl_build_wrong(w->b, "fresh", "is 0 or 1");
    if (w->e->fresh) put_text(w, " fresh");
    w->e->fresh = 0;
}

static void put_opt_clear(writer *w)
{
    if (w->e->clear > 1) zl_build_wrong(w->b, "clear", "is 0 or 1");
    if (w->e->clear) put_text(w, " clear");
    w->e->clear = 0;
}

static void put_opt_number(writer *w, const char *word, uint32_t *number)
{
    if (*number) zl_putf(&w->b->text, " %s %u", word, *number);
    *number = 0;
}

static void put_opt_part(writer *w) { put_opt_number(w, "part", &w->e->part); }
static void put_opt_times(writer *w) { put_opt_number(w, "times", &w->e->times); }
static void put_opt_multicast(writer *w) { put_opt_number(w, "multicast", &w->e->multicast); }

static void put_opt_scope(writer *w)
{
    const char *scope = w->e->scope;
    if (!scope) return;
    if (strcmp(scope, "warps") && strcmp(scope, "threads"))
        zl_build_wrong(w->b, "scope", "is warps or threads");
    else zl_putf(&w->b->text, " %s", scope);
    w->e->scope = NULL;
}

static void put_opt_cta(writer *w)
{
    switch (w->e->where) {
    case ZLAY_PIPE_CTA_OWN: return;
    case ZLAY_PIPE_CTA_RANK: zl_putf(&w->b->text, " cta %u", w->e->cta); break;
    case ZLAY_PIPE_CTA_NEXT: zl_putf(&w->b->text, " cta +%u", w->e->cta); break;
    case ZLAY_PIPE_CTA_EVERY:
        put_text(w, " cta all");
        w->e->where = 0;
        return;
    default: zl_build_wrong(w->b, "where", "is none of ZLAY_PIPE_CTA_*");
    }
    w->e->cta = 0;
    w->e->where = 0;
}

static void put_opt_bar_cta(writer *w)
{
    if (w->e->signalled) zl_putf(&w->b->text, " cta %u", w->e->signalled - 1);
    w->e->signalled = 0;
}

static void put_range(writer *w, const char *word, uint32_t *first, uint32_t *count)
{
    if (!*count) return;
    zl_putf(&w->b->text, " %s %u..%llu", word, *first, (unsigned long long)*first + *count - 1);
    *first = *count = 0;
}

static void put_opt_lanes(writer *w) { put_range(w, "lanes", &w->e->first_lane, &w->e->lanes); }
static void put_opt_columns(writer *w)
{
    put_range(w, "columns", &w->e->first_column, &w->e->columns);
}

/* The number and threads of a named barrier. */
static void put_opt_named(writer *w)
{
    if (!w->e->number) return;
    if (w->e->named_step < -1 || w->e->named_step > 1) zl_build_wrong(w->b, "named_step", "is none of -1, 0 and 1");
    zl_putf(&w->b->text, " %u", w->e->named);
    if (w->e->named_step) zl_putf(&w->b->text, " %c instance", w->e->named_step > 0 ? '+' : '-');
    w->e->named = 0;
    w->e->named_step = 0;
    put_number(w);
}

static void put_way(writer *w)
{
    const char *const *ways = zl_ways[w->token];
    for (int i = 0; i < ZL_WAYS; i++)
        if (ways[i] && w->e->way && !strcmp(ways[i], w->e->way)) {
            zl_putf(&w->b->text, " %s", ways[i]);
            w->e->way = NULL;
            return;
        }
    zl_build_wrong(w->b, "way", "is none of this word");
}

/* ---- a line -------------------------------------------------------------------------------------- */

static void (*const writers[ZL_T_COUNT])(writer *w) = {
#define TOKEN(name, function) [ZL_T_##name] = put_##function,
#include "pipe/language/tokens.def"
#undef TOKEN
};

#define FIELD(name) {#name, offsetof(event, name), sizeof((event){0}.name)}

static const zl_field fields[] = {
    FIELD(named),        FIELD(way),      FIELD(name),         FIELD(first),    FIELD(last),
    FIELD(step),         FIELD(bar),      FIELD(bar_at),       FIELD(phase),    FIELD(before),
    FIELD(part),         FIELD(bytes),    FIELD(number),       FIELD(smem),     FIELD(at),
    FIELD(tmem),         FIELD(tmem_at),  FIELD(acc),          FIELD(acc_a),    FIELD(acc_b),
    FIELD(map),
    FIELD(map_at),       FIELD(other),    FIELD(other_at),     FIELD(scope),    FIELD(times),
    FIELD(fresh),        FIELD(multicast), FIELD(where),       FIELD(cta),      FIELD(first_lane),
    FIELD(lanes),        FIELD(first_column), FIELD(columns),  FIELD(signalled), FIELD(accs),
    FIELD(body),         FIELD(by),       FIELD(index),        FIELD(accs_count), FIELD(indices),
    FIELD(modulo),   FIELD(reads),    FIELD(reads_at),     FIELD(reads_count), FIELD(named_step),
    FIELD(blocks),       FIELD(when), FIELD(clear), FIELD(reserved0), FIELD(reserved)};

void zl_build_event(zlay_pipe_builder *b, const zlay_pipe_event *from)
{
    event e = *from;
    writer w = {.b = b, .e = &e};
    zl_event_kind kind = ZL_EV_NONE + 1;
    while (kind < ZL_EV_END && (!e.word || strcmp(zl_forms[kind].word, e.word))) kind++;
    if (kind == ZL_EV_END) {
        zl_build_wrong(b, "word", "is none of an event");
        return;
    }
    zl_build_begin(b, zl_forms[kind].word);
    for (const uint8_t *token = zl_forms[kind].operands; *token; token++) {
        w.token = (zl_event_token)*token;
        writers[*token](&w);
    }
    zl_build_rest(b, &e, fields, ZL_COUNT(fields));
}
