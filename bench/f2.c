/* SPDX-License-Identifier: Apache-2.0 */
/* invert_and_compose of 14-bit layouts, and the matrix work alone: against elimination on bits as one
 * learns it, and against isl.  Pairs are random bijections; every result is checked before the clock
 * starts, and a column of it at each call. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_ISL
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>
#endif

enum { BITS = 14, PAIRS = 32 };

typedef struct pair {
    uint64_t self[BITS], outer[BITS], wanted[BITS];
    zlay_layout *self_layout, *outer_layout;
} pair;

typedef struct state {
    zlay_ctx *ctx;
    uint64_t random;
    unsigned next;
    pair pairs[PAIRS];
} state;

static uint64_t draw(state *s)
{
    uint64_t z = s->random += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t image(const uint64_t *basis, uint64_t x)
{
    uint64_t value = 0;
    for (; x; x &= x - 1) value ^= basis[__builtin_ctzll(x)];
    return value;
}

/* A product of row operations. */
static void bijection(state *s, uint64_t *basis)
{
    for (int k = 0; k < BITS; k++) basis[k] = (uint64_t)1 << k;
    for (int n = 0; n < 8 * BITS; n++) {
        uint64_t i = draw(s) % BITS, j = draw(s) % BITS;
        if (i != j) basis[i] ^= basis[j];
    }
}

static zlay_layout *layout_of(zlay_ctx *ctx, const uint64_t *basis)
{
    static const zlay_dim in[] = {{"register", 8}, {"lane", 32}, {"warp", 4}, {"block", 16}};
    static const zlay_dim out[] = {{"dim0", 128}, {"dim1", 128}};
    uint64_t rows[2 * BITS];
    zlay_layout *made = NULL;
    zlay_f2_bases b = {sizeof b, 0, 4, 2, in, out, rows};
    for (int k = 0; k < BITS; k++) {
        rows[2 * k] = basis[k] & 127;
        rows[2 * k + 1] = basis[k] >> 7;
    }
    zlay_f2_new(ctx, &made, &b);
    return made;
}

static uint64_t column(const zlay_layout *a, uint32_t k)
{
    static const unsigned low[] = {0, 3, 8, 10};
    uint64_t values[4], flat = 0;
    zlay_f2_basis(values, 4, a, k);
    for (int i = 0; i < 4; i++) flat |= values[i] << low[i];
    return flat;
}

static bool prepare(state *s, pair *p)
{
    zlay_layout *c;
    bijection(s, p->self);
    bijection(s, p->outer);
    p->self_layout = layout_of(s->ctx, p->self);
    p->outer_layout = layout_of(s->ctx, p->outer);
    if (zlay_f2_inverse_composition(s->ctx, &c, p->outer_layout, p->self_layout)) return false;
    for (unsigned k = 0; k < BITS; k++) p->wanted[k] = column(c, k);
    zlay_layout_free(c);
    for (uint64_t x = 0; x < 1 << BITS; x++)
        if (image(p->outer, image(p->wanted, x)) != image(p->self, x)) return false;
    return true;
}

static pair *next(state *s) { return &s->pairs[s->next++ % PAIRS]; }

static bool ours(void *value)
{
    state *s = value;
    pair *p = next(s);
    zlay_layout *c;
    if (zlay_f2_inverse_composition(s->ctx, &c, p->outer_layout, p->self_layout)) return false;
    uint32_t k = s->next % BITS;
    bool right = column(c, k) == p->wanted[k];
    zlay_layout_free(c);
    return right;
}

/* ---- elimination on bits ---------------------------------------------------------------- */

static int pivot_row(bool m[BITS][2 * BITS], int column_of)
{
    for (int r = column_of; r < BITS; r++)
        if (m[r][column_of]) return r;
    return -1;
}

static void exchange(bool m[BITS][2 * BITS], int a, int b)
{
    for (int c = 0; c < 2 * BITS; c++) {
        bool held = m[a][c];
        m[a][c] = m[b][c];
        m[b][c] = held;
    }
}

static bool schoolbook(void *value)
{
    state *s = value;
    pair *p = next(s);
    bool m[BITS][2 * BITS];
    for (int r = 0; r < BITS; r++)
        for (int c = 0; c < BITS; c++) {
            m[r][c] = p->outer[c] >> r & 1;
            m[r][BITS + c] = p->self[c] >> r & 1;
        }
    for (int c = 0; c < BITS; c++) {
        int r = pivot_row(m, c);
        if (r < 0) return false;
        exchange(m, r, c);
        for (int i = 0; i < BITS; i++)
            if (i != c && m[i][c])
                for (int j = 0; j < 2 * BITS; j++) m[i][j] = m[i][j] != m[c][j];
    }
    uint64_t got = 0;
    unsigned k = s->next % BITS;
    for (int r = 0; r < BITS; r++) got |= (uint64_t)m[r][BITS + k] << r;
    return got == p->wanted[k];
}

/* ---- isl ------------------------------------------------------------------------------------ */

#ifdef HAVE_ISL

typedef struct isl_state {
    state *s;
    isl_ctx *isl;
    isl_map *self, *outer;
} isl_state;

/* Bits as coordinates: y_r = sum of x mod 2. */
static isl_map *map_of(isl_ctx *ctx, const uint64_t *basis)
{
    char text[16384], *at = text + sprintf(text, "{ [");
    for (int k = 0; k < BITS; k++) at += sprintf(at, "%sx%d", k ? "," : "", k);
    at += sprintf(at, "] -> [");
    for (int r = 0; r < BITS; r++) {
        at += sprintf(at, "%s(0", r ? ", " : "");
        for (int k = 0; k < BITS; k++)
            if (basis[k] >> r & 1) at += sprintf(at, " + x%d", k);
        at += sprintf(at, ") mod 2");
    }
    at += sprintf(at, "] : ");
    for (int k = 0; k < BITS; k++) at += sprintf(at, "%s0 <= x%d <= 1", k ? " and " : "", k);
    sprintf(at, " }");
    return isl_map_read_from_str(ctx, text);
}

static isl_set *unit(isl_ctx *ctx, unsigned k)
{
    char text[256], *at = text + sprintf(text, "{ [");
    for (unsigned i = 0; i < BITS; i++) at += sprintf(at, "%s%d", i ? "," : "", i == k);
    sprintf(at, "] }");
    return isl_set_read_from_str(ctx, text);
}

static uint64_t bits_of(isl_set *set)
{
    uint64_t value = 0;
    isl_point *point = isl_set_sample_point(set);
    for (unsigned i = 0; i < BITS; i++) {
        isl_val *v = isl_point_get_coordinate_val(point, isl_dim_set, (int)i);
        value |= (uint64_t)isl_val_get_num_si(v) << i;
        isl_val_free(v);
    }
    isl_point_free(point);
    return value;
}

/* outer^-1 o self as one map, and the image of one basis under it. */
static bool theirs(void *value)
{
    isl_state *i = value;
    pair *p = &i->s->pairs[0];
    unsigned k = i->s->next++ % BITS;
    isl_map *c = isl_map_apply_range(isl_map_copy(i->self), isl_map_reverse(isl_map_copy(i->outer)));
    return bits_of(isl_set_apply(unit(i->isl, k), c)) == p->wanted[k];
}

static bool ours_for_isl(void *value) { return ours(((isl_state *)value)->s); }

static bool against_isl(state *s, bool json)
{
    isl_state i = {s, isl_ctx_alloc(), NULL, NULL};
    i.self = map_of(i.isl, s->pairs[0].self);
    i.outer = map_of(i.isl, s->pairs[0].outer);
    const bench_row row = {"f2 invert_and_compose, 14 bits", "isl apply_range, one basis",
                           ours_for_isl, theirs, &i};
    bool right = bench_print(&row, json);
    isl_map_free(i.outer);
    isl_map_free(i.self);
    isl_ctx_free(i.isl);
    return right;
}

#else

static bool against_isl(state *s, bool json)
{
    (void)s;
    if (!json) puts("f2 against isl: left out, isl was not here at build time");
    return true;
}

#endif

bool bench_f2(zlay_ctx *ctx, bool json)
{
    static state s;
    bool right = true;
    s = (state){.ctx = ctx, .random = 20250301};
    for (int i = 0; i < PAIRS && right; i++) right = prepare(&s, &s.pairs[i]);
    const bench_row row = {"f2 invert_and_compose, 14 bits", "schoolbook elimination alone", ours,
                           schoolbook, &s};
    right = right && bench_print(&row, json);
    right = right && against_isl(&s, json);
    for (int i = 0; i < PAIRS; i++) {
        zlay_layout_free(s.pairs[i].self_layout);
        zlay_layout_free(s.pairs[i].outer_layout);
    }
    return right;
}
