/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that make pieces, on boxes of 10^12 points, against isl's composition of the same maps,
 * which are read beforehand on both sides. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_ISL
#include <isl/aff.h>
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

typedef struct pair {
    zlay_ctx *ctx;
    isl_ctx *isl;
    const zlay_layout *a, *b; /* the value at `index` of the result is `value` */
    isl_map *x, *y;
    uint64_t index;
    int64_t value;
} pair;

static bool has_value(const pair *p, zlay_layout *made)
{
    int64_t value;
    bool right = made && !zlay_layout_eval(&value, 1, made, p->index) && value == p->value;
    zlay_layout_free(made);
    return right;
}

static bool compose_ours(void *state)
{
    const pair *p = state;
    zlay_layout *made = NULL;
    zlay_layout_compose(p->ctx, &made, p->a, p->b);
    return has_value(p, made);
}

static bool compose_theirs(void *state)
{
    const pair *p = state;
    isl_map *made = isl_map_apply_range(isl_map_copy(p->y), isl_map_copy(p->x));
    bool right = made;
    isl_map_free(made);
    return right;
}

/* The coordinate of the index as isl's point; once, before anything is measured. */
static bool isl_agrees(const pair *p)
{
    isl_map *made = isl_map_apply_range(isl_map_copy(p->y), isl_map_copy(p->x));
    isl_map *at = isl_map_fix_si(made, isl_dim_in, 0, (int)(p->index % 1000000));
    at = isl_map_fix_si(at, isl_dim_in, 1, (int)(p->index / 1000000));
    isl_point *point = isl_set_sample_point(isl_map_range(at));
    isl_val *value = isl_point_get_coordinate_val(point, isl_dim_set, 0);
    bool right = value && isl_val_get_num_si(value) == p->value;
    isl_val_free(value);
    isl_point_free(point);
    return right;
}

/* What is composed, as zlay's text and as isl's. */
static const struct {
    const char *name, *a, *b, *x, *y;
    uint64_t index;
    int64_t value;
} rows[] = {
    {"compose through a carry, 10^12 points", "(3,9):(1,20)", "(1000000,1000000):(2,2)",
     "{ [v] -> [v mod 3 + 20*floor(v/3)] }",
     "{ [i,j] -> [2i + 2j] : 0 <= i < 1000000 and 0 <= j < 1000000 }", 5000007, 160},
    {"compose through three modes, 10^12 points", "(4,6,8):(2,3,5)", "(1000000,1000000):(3,1)",
     "{ [v] -> [2*(v mod 4) + 3*(floor(v/4) mod 6) + 5*floor(v/24)] }",
     "{ [i,j] -> [3i + j] : 0 <= i < 1000000 and 0 <= j < 1000000 }", 5000007, 9},
};

static bool run(pair *p, size_t i, bool json)
{
    zlay_layout *a = NULL, *b = NULL;
    const bench_row row = {rows[i].name, "isl, apply_range", compose_ours, compose_theirs, p};
    zlay_layout_parse(p->ctx, &a, rows[i].a, strlen(rows[i].a));
    zlay_layout_parse(p->ctx, &b, rows[i].b, strlen(rows[i].b));
    p->a = a;
    p->b = b;
    p->x = isl_map_read_from_str(p->isl, rows[i].x);
    p->y = isl_map_read_from_str(p->isl, rows[i].y);
    p->index = rows[i].index;
    p->value = rows[i].value;
    bool right = isl_agrees(p) && bench_print(&row, json);
    isl_map_free(p->x);
    isl_map_free(p->y);
    zlay_layout_free(a);
    zlay_layout_free(b);
    return right;
}

bool bench_pieces(zlay_ctx *ctx, bool json)
{
    pair p = {.ctx = ctx, .isl = isl_ctx_alloc()};
    bool right = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) right = run(&p, i, json) && right;
    isl_ctx_free(p.isl);
    return right;
}
#else
bool bench_pieces(zlay_ctx *ctx, bool json)
{
    (void)ctx;
    if (!json) printf("pieces against isl: not built, no isl headers\n");
    return true;
}
#endif
