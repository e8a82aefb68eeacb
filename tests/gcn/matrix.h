/* SPDX-License-Identifier: Apache-2.0 */
/* MFMA of one block: D = A B + C over all lanes, whatever EXEC says, summed in double and rounded once. Which element a lane holds is
 * the xor of a row of mfma.def over the bits of the lane and of the element. */
#ifndef TEST_GCN_MATRIX_H
#define TEST_GCN_MATRIX_H

#include "vector.h"

enum { GCN_SIDE = 32, GCN_DEPTH = 32 };

typedef struct gcn_map {
    uint8_t lane[6][2], element[4][2];
    int elements;
} gcn_map;

typedef struct gcn_product {
    const char *name;
    gcn_type of_a, of_b;
    int size, depth, passes[GCN_TARGETS];
    gcn_map a, b, d; /* a: (i, k); b: (k, j); d: (i, j) */
} gcn_product;

static const gcn_product gcn_products[] = {
#define MFMA(name, of_a, of_b, size, depth, p90a, p942, p950, a, b, d) \
    {#name, GCN_##of_a, GCN_##of_b, size, depth, {p90a, p942, p950}, a, b, d},
#define MAP(elements, ...) \
    { \
        __VA_ARGS__, elements \
    }
#include "mfma.def"
#undef MAP
#undef MFMA
};

enum { GCN_PRODUCTS = sizeof gcn_products / sizeof gcn_products[0] };

static inline void gcn_xor(const gcn_map *map, int lane, int element, uint8_t at[2])
{
    at[0] = at[1] = 0;
    for (int bit = 0; bit < 6; bit++)
        for (int i = 0; i < 2 && lane >> bit & 1; i++) at[i] ^= map->lane[bit][i];
    for (int bit = 0; bit < 4; bit++)
        for (int i = 0; i < 2 && element >> bit & 1; i++) at[i] ^= map->element[bit][i];
}

/* The maps of a row, point by point; made when first asked for. */
typedef struct gcn_points {
    bool made;
    uint8_t at[3][GCN_LANES][16][2];
} gcn_points;

static inline const gcn_points *gcn_points_of(const gcn_product *p)
{
    static gcn_points all[GCN_PRODUCTS];
    gcn_points *points = &all[p - gcn_products];
    const gcn_map *maps[3] = {&p->a, &p->b, &p->d};
    for (int map = 0; map < 3 && !points->made; map++)
        for (int lane = 0; lane < GCN_LANES; lane++)
            for (int e = 0; e < maps[map]->elements; e++)
                gcn_xor(maps[map], lane, e, points->at[map][lane][e]);
    points->made = true;
    return points;
}

typedef struct gcn_tile {
    double a[GCN_SIDE][GCN_DEPTH], b[GCN_DEPTH][GCN_SIDE], d[GCN_SIDE][GCN_SIDE];
    bool row_bad[GCN_SIDE], column_bad[GCN_SIDE], bad[GCN_SIDE][GCN_SIDE];
} gcn_tile;

static inline void gcn_take_factor(gcn_wave *w, const gcn_line *line, const gcn_product *p, bool b,
                                   gcn_tile *t)
{
    const gcn_map *map = b ? &p->b : &p->a;
    const gcn_points *points = gcn_points_of(p);
    const gcn_operand *o = &line->operand[b ? 2 : 1];
    gcn_type type = b ? p->of_b : p->of_a;
    int bits = gcn_type_bits(type), pack = 32 / bits;
    gcn_source s = gcn_read(w, line, o, map->elements / pack, GCN_BY_MFMA);
    if (o->place != GCN_VECTOR) gcn_fault(w, line, "a factor is no vector register");
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++)
        for (int e = 0; e < map->elements; e++) {
            const uint8_t *at = points->at[b][lane][e];
            int r = o->first + e / pack;
            uint32_t own = w->v[r][lane] >> bits * (e % pack);
            if (bits < 32) own &= (1u << bits) - 1;
            double value = gcn_decode(type, w->m->code->target, own);
            if (b)
                t->b[at[0]][at[1]] = value;
            else
                t->a[at[0]][at[1]] = value;
            bool *bad = b ? &t->column_bad[at[1]] : &t->row_bad[at[0]];
            *bad |= s.all_bad || w->v_bad[r][lane];
        }
}

static inline void gcn_take_sum(gcn_wave *w, const gcn_line *line, const gcn_product *p,
                                gcn_tile *t)
{
    const gcn_points *points = gcn_points_of(p);
    const gcn_operand *o = &line->operand[3];
    gcn_source s = gcn_read(w, line, o, p->d.elements, GCN_BY_MFMA_C);
    bool vector = o->place == GCN_VECTOR;
    for (int lane = 0; lane < GCN_LANES && !w->m->failed; lane++)
        for (int e = 0; e < p->d.elements; e++) {
            const uint8_t *at = points->at[2][lane][e];
            uint64_t own = vector ? w->v[o->first + e][lane] : o->number;
            t->d[at[0]][at[1]] = p->of_a == GCN_I8 ? gcn_signed(own) : (double)gcn_float(own);
            t->bad[at[0]][at[1]] = s.all_bad || (vector && w->v_bad[o->first + e][lane]);
        }
}

static inline void gcn_multiply(const gcn_product *p, gcn_tile *t)
{
    for (int i = 0; i < p->size; i++)
        for (int k = 0; k < p->depth; k++)
            for (int j = 0; j < p->size; j++) t->d[i][j] += t->a[i][k] * t->b[k][j];
}

static inline void gcn_give_sum(gcn_wave *w, const gcn_line *line, const gcn_product *p,
                                const gcn_tile *t)
{
    const gcn_points *points = gcn_points_of(p);
    const gcn_operand *o = &line->operand[0];
    int passes = p->passes[w->m->code->target];
    for (int e = 0; e < p->d.elements; e++) {
        int r = o->first + e;
        bool soon = gcn_too_soon(w, GCN_H_STORED, w->history[r].store, 0);
        for (int lane = 0; lane < GCN_LANES; lane++) {
            const uint8_t *at = points->at[2][lane][e];
            double sum = t->d[at[0]][at[1]];
            w->v[r][lane] = p->of_a == GCN_I8 ? (uint32_t)(int64_t)sum : gcn_bits((float)sum);
            w->v_bad[r][lane] =
                soon || t->bad[at[0]][at[1]] || t->row_bad[at[0]] || t->column_bad[at[1]];
        }
        gcn_history *h = &w->history[r];
        h->product = w->now, h->product_first = o->first, h->product_count = o->count;
        h->product_passes = passes;
    }
    const gcn_operand *c = &line->operand[3];
    for (int i = 0; i < c->count && c->place == GCN_VECTOR; i++)
        w->history[c->first + i].sum = w->now, w->history[c->first + i].sum_passes = passes;
}

static inline void gcn_run_product(gcn_wave *w, const gcn_line *line)
{
    const gcn_product *p = &gcn_products[line->form->bytes];
    gcn_tile t;
    memset(&t, 0, sizeof t);
    if (!p->passes[w->m->code->target]) gcn_fault(w, line, "the target has no such MFMA");
    if (line->count != 4 || line->operand[0].place != GCN_VECTOR ||
        line->operand[0].count != p->d.elements)
        gcn_fault(w, line, "an MFMA with other operands");
    if (gcn_exec_too_soon(w, GCN_H_EXEC_PRODUCT))
        gcn_fault(w, line, "EXEC was written just before");
    if (!w->m->failed && !gcn_allocated(w, line->operand[0].first, line->operand[0].count))
        gcn_fault(w, line, "a register is not allocated");
    if (!w->m->failed) gcn_take_factor(w, line, p, false, &t);
    if (!w->m->failed) gcn_take_factor(w, line, p, true, &t);
    if (!w->m->failed) gcn_take_sum(w, line, p, &t);
    if (w->m->failed) return;
    gcn_multiply(p, &t);
    gcn_give_sum(w, line, p, &t);
}

#endif
