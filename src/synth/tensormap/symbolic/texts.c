/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a move says about unknowns: the entries of its maps that are expressions, as texts,
 * and the two layouts of the certificate. */
#include "algebra/text/format.h"
#include "algebra/symbolic/symbol.h"
#include "synth/tensormap/symbolic/symbolic.h"

#include <string.h>

/* ---- texts --------------------------------------------------------------------------- */

static void sum_write(zl_text *out, const zl_tm_symbolic *g, const zl_tm_sum *sum, int64_t divisor)
{
    bool behind = false;
    for (uint32_t i = g->products; i-- > 0;) {
        zl_monomial m = g->product[i];
        m.factor = sum->of[i] / divisor;
        if (!m.factor) continue;
        if (behind) zl_puts(out, m.factor < 0 ? " - " : " + ");
        if (behind && m.factor < 0) m.factor = -m.factor;
        zl_monomial_print(out, &m, g->s);
        behind = true;
    }
    if (!behind) zl_puts(out, "0");
}

typedef struct entry {
    const zl_tm_symbolic *g;
    zl_tm_sum sum;
    const zl_monomial *extent; /* where it is not a sum */
    int64_t times, part;
} entry;

static void entry_write(zl_text *out, const void *value)
{
    const entry *e = value;
    if (!e->extent) {
        sum_write(out, e->g, &e->sum, 1);
        return;
    }
    zl_monomial m = *e->extent;
    bool whole = m.factor % e->part == 0;
    m.factor = whole ? m.factor / e->part * e->times : m.factor;
    zl_monomial_print(out, &m, e->g->s);
    if (!whole) zl_putf(out, " / %lld", (long long)e->part);
}

static bool has_names(const zl_tm_symbolic *g, const zl_tm_sum *sum)
{
    for (uint32_t i = 1; i < g->products; i++)
        if (sum->of[i]) return true;
    return false;
}

static zlay_status entry_put(zl_tm_symbolic *g, uint32_t map, int32_t field, uint32_t index,
                             const entry *e)
{
    zl_move_given *to = &g->move->given[g->move->givens];
    zlay_status status = zl_print_alloc(g->ctx, &to->text, &to->length, entry_write, e);
    if (status) return status;
    to->map = map;
    to->field = field;
    to->index = (int32_t)index;
    g->move->givens++;
    return ZLAY_OK;
}

/* Prints the entries of a map that have names; in the map itself such an entry is 1. */
static zlay_status map_put(zl_tm_symbolic *g, uint32_t k)
{
    zlay_tensormap *map = &g->move->maps[k];
    const zl_tm_read *r = &g->read[k];
    entry e = {.g = g, .sum = r->address};
    zlay_status status = ZLAY_OK;
    if (has_names(g, &e.sum)) {
        status = entry_put(g, k, ZLAY_FIELD_ADDRESS, 0, &e);
        map->address = 1;
    }
    for (uint32_t i = 0; i < map->rank && !status; i++) {
        if (r->leaf[i] == ZL_TM_NO_LEAF) continue;
        e.extent = &g->s->leaf[r->leaf[i]].shape;
        e.times = r->times[i];
        e.part = r->part[i];
        status = entry_put(g, k, ZLAY_FIELD_EXTENT, i, &e);
        map->extent[i] = 1;
    }
    e.extent = NULL;
    for (uint32_t i = 1; i < map->rank && !status; i++) {
        if (r->product[i] == ZL_TM_NUMBER) continue;
        memset(&e.sum, 0, sizeof e.sum);
        e.sum.of[r->product[i]] = r->factor[i];
        status = entry_put(g, k, ZLAY_FIELD_STRIDE, i - 1, &e);
        map->stride[i - 1] = 1;
    }
    return status;
}

zlay_status zl_tm_put_texts(zl_tm_symbolic *g)
{
    zlay_status status = ZLAY_OK;
    uint32_t room = g->move->info.maps * (1 + 2 * ZL_TM_RANK);
    g->move->given = zl_alloc(g->ctx, room, sizeof *g->move->given);
    if (!g->move->given) return ZLAY_ENOMEM;
    g->move->given_room = room;
    for (uint32_t k = 0; k < g->move->info.maps && !status; k++) status = map_put(g, k);
    return status;
}

/* ---- the certificate --------------------------------------------------------------------- */

typedef struct side {
    const zl_tm_symbolic *g;
    zl_tm_sum offset, step[ZL_SYMBOL_LEAVES], next[ZL_SYMBOL_LEAVES];
} side;

/* Prints one layout of the certificate: the cells of the tile, then two tiles along each leaf that
 * may have more than one. */
static void side_write(zl_text *out, const void *value)
{
    const side *s = value;
    const zl_tm_symbolic *g = s->g;
    sum_write(out, g, &s->offset, g->element);
    zl_puts(out, " o (");
    for (uint32_t k = 0; k < g->s->leaves; k++)
        zl_putf(out, "%s%llu", k ? "," : "", (unsigned long long)zl_tm_cells_inside(g, k));
    for (uint32_t k = 0; k < g->s->leaves; k++) zl_puts(out, zl_tm_one_tile(g, k) ? ",1" : ",2");
    zl_puts(out, "):(");
    for (size_t k = 0; k < g->s->leaves; k++) {
        zl_puts(out, k ? "," : "");
        sum_write(out, g, &s->step[k], g->element);
    }
    for (size_t k = 0; k < g->s->leaves; k++) {
        zl_puts(out, ",");
        sum_write(out, g, &s->next[k], g->element);
    }
    zl_puts(out, ")");
}

static zlay_status side_layout(zlay_layout **out, const side *s)
{
    char *text;
    size_t length;
    zlay_layout *plain;
    zlay_allocator alloc = zl_allocator(s->g->ctx);
    zlay_status status = zl_print_alloc(s->g->ctx, &text, &length, side_write, s);
    if (status) return status;
    status = zl_layout_parse(s->g->ctx, &plain, text, length);
    zl_free(&alloc, text, length + 1);
    if (status) return status;
    status = zl_layout_assume(s->g->ctx, out, plain, s->g->request.facts);
    zlay_layout_free(plain);
    return status;
}

static void side_of_request(side *s)
{
    const zl_tm_symbolic *g = s->g;
    s->offset = g->offset;
    for (size_t k = 0; k < g->s->leaves; k++) {
        s->step[k] = g->step[k];
        for (uint32_t i = 0; i < g->products; i++)
            s->next[k].of[i] = g->step[k].of[i] * (int64_t)g->request.shape[k];
    }
}

zlay_status zl_tm_put_certificate(zl_tm_symbolic *g)
{
    side *s = zl_scratch(g->ctx, 2, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    s[0].g = s[1].g = g;
    side_of_request(&s[1]);
    zlay_status status = zl_tm_moved(&s[0].offset, s[0].step, s[0].next, g);
    for (int i = 0; i < 2 && !status; i++) {
        zlay_layout_free(g->move->certificate[i]);
        g->move->certificate[i] = NULL;
        status = side_layout(&g->move->certificate[i], &s[i]);
    }
    return status ? status : zl_move_certify(g->ctx, g->move);
}
