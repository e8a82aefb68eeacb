/* SPDX-License-Identifier: Apache-2.0 */
/* Values of layouts against the same layouts written out by hand in C. */
#include "by_hand.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 1024 };

typedef struct state {
    const zlay_layout *layout;
    hand *by_hand;
    uint64_t index[MANY];
    size_t count;
    int64_t ours[MANY], theirs[MANY];
} state;

static bool indices_ours(void *value)
{
    state *s = value;
    return !zlay_layout_eval_many(s->ours, NULL, s->layout, s->index, 0, s->count);
}

static bool indices_theirs(void *value)
{
    state *s = value;
    s->by_hand(s->theirs, s->index, 0, s->count);
    return true;
}

static bool range_ours(void *value)
{
    state *s = value;
    return !zlay_layout_eval_many(s->ours, NULL, s->layout, NULL, s->index[0] % 1000, s->count);
}

static bool range_theirs(void *value)
{
    state *s = value;
    s->by_hand(s->theirs, NULL, s->index[0] % 1000, s->count);
    return true;
}

static const struct layouts {
    const char *name, *text;
    hand *by_hand;
} layouts[] = {
    {"rank 4", "(6,10,14,9):(7,45,460,1)", rank4_by_hand},
    {"swizzled", "Sw<3,3,3> o 0 o (64,(8,16)):(8,(1,512))", swizzled_by_hand},
    {"f2, 13 bits",
     "f2{a: (17) (2) (4) (520) (33) (64) (3); b: (256) (1025) (8) (4100) (2048) (4224) -> x: 8192}",
     f2_by_hand},
};

static bool agree(state *s, bench_work *ours, bench_work *theirs)
{
    return ours(s) && theirs(s) && !memcmp(s->ours, s->theirs, s->count * sizeof s->ours[0]);
}

static bool row(state *s, const char *layout, bool range, bool json)
{
    char name[80];
    bench_row r = {name, "by hand in C, -O3 -march=native", range ? range_ours : indices_ours,
                   range ? range_theirs : indices_theirs, s};
    const char *what = range ? "in order" : "any indices";
    snprintf(name, sizeof name, "eval %s, n = %zu, %s", layout, s->count, what);
    return agree(s, r.ours, r.theirs) && bench_print(&r, json);
}

static bool rows(zlay_ctx *ctx, const struct layouts *l, bool json)
{
    static const size_t counts[] = {1, 16, MANY};
    zlay_layout *layout;
    uint64_t x = 88172645463325252u;
    bool right = !zlay_layout_parse(ctx, &layout, l->text, strlen(l->text));
    static state s;
    s = (state){.layout = layout, .by_hand = l->by_hand};
    for (size_t i = 0; right && i < MANY; i++) {
        x ^= x << 13, x ^= x >> 7, x ^= x << 17;
        s.index[i] = x % zlay_layout_size(layout);
    }
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        s.count = counts[i];
        right = right && row(&s, l->name, false, json) && row(&s, l->name, true, json);
    }
    zlay_layout_free(layout);
    return right;
}

/* ---- how it grows ------------------------------------------------------------------------- */

enum { SIZES = 5, TERMS_MOST = 16 };
static const int sizes[SIZES] = {1, 2, 4, 8, 16};

typedef struct growing {
    zlay_ctx *ctx;
    state many;
    zlay_facts *facts;
    char expression[256];
} growing;

static bool many_work(void *value)
{
    growing *g = value;
    return indices_ours(&g->many);
}

static bool facts_work(void *value)
{
    growing *g = value;
    zlay_range range;
    return !zlay_facts_eval(g->ctx, &range, g->facts, g->expression, strlen(g->expression)) &&
           range.mod == 16;
}

/* Extents 3 and 5, no mode a continuation of the one before. */
static bool prepare(growing *g, int count)
{
    int64_t shape[TERMS_MOST], stride[TERMS_MOST];
    zlay_layout *layout;
    g->expression[0] = 0;
    for (int i = 0; i < count; i++) {
        shape[i] = i % 2 ? 5 : 3;
        stride[i] = (i * 7919 + 1) % 1000;
        sprintf(g->expression + strlen(g->expression), "%s16*%c", i ? " + " : "", 'a' + i);
    }
    if (zlay_layout_new_strided(g->ctx, &layout, (size_t)count, shape, stride, 0)) return false;
    for (uint64_t i = 0; i < MANY; i++)
        g->many.index[i] = i * 2654435761u % zlay_layout_size(layout);
    g->many.layout = layout;
    g->many.count = MANY;
    return true;
}

static bool grows(zlay_ctx *ctx, const char *what, bench_work *work, bool json)
{
    static growing g;
    double first = 0;
    bool right = true;
    g = (growing){.ctx = ctx};
    right = !zlay_facts_parse(ctx, &g.facts, 0, NULL, NULL);
    for (int i = 0; i < SIZES && right; i++) {
        char name[80], against[80];
        if (!prepare(&g, sizes[i])) return false;
        double time = bench_time(work, &g);
        right = time >= 0;
        first = i ? first : time;
        snprintf(name, sizeof name, "%s %d", what, sizes[i]);
        snprintf(against, sizeof against, "%s %d", what, sizes[0]);
        if (right) bench_line(name, time, "us", against, time / first, json);
        zlay_layout_free((zlay_layout *)(uintptr_t)g.many.layout);
    }
    zlay_facts_free(g.facts);
    return right;
}

bool bench_eval(zlay_ctx *ctx, bool json)
{
    bool right = true;
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++)
        right = rows(ctx, &layouts[i], json) && right;
    right = grows(ctx, "eval, n = 1024, any indices, rank", many_work, json) && right;
    return grows(ctx, "facts of an expression, terms", facts_work, json) && right;
}
