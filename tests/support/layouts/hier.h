/* SPDX-License-Identifier: Apache-2.0 */
/* Hierarchies against blocks enumerated here: a bijection is an array, and what it keeps, where it
 * moves and what two of them make together is counted slot by slot. */
#ifndef TEST_HIER_H
#define TEST_HIER_H

#include "layouts/layout.h"

#include <zlay/hier.h>

enum { SLOTS_MOST = 4096, LEVELS_MOST = 8 };

typedef struct tree {
    size_t count;
    zlay_level level[LEVELS_MOST];
    int slots;
} tree;

static const char *const names[] = {"register", "lane", "warp", "cta", "cluster", "l5", "l6", "l7"};

static inline tree tree_of(size_t count, const int *size)
{
    tree t = {count, {{NULL, 0}}, 1};
    for (size_t k = 0; k < count; k++) {
        t.level[k] = (zlay_level){names[k], (uint64_t)size[k]};
        t.slots *= size[k];
    }
    return t;
}

/* ---- plain answers -------------------------------------------------------------------- */

/* The lowest level with two slots of one block that part; -1: there is none. */
static inline int plain_crosses(const tree *t, const int *to)
{
    int block = 1;
    for (size_t k = 0; k < t->count; k++) {
        block *= (int)t->level[k].size;
        for (int i = 0; i < t->slots; i++)
            for (int j = i / block * block; j < i; j++)
                if (to[i] / block != to[j] / block) return (int)k;
    }
    return -1;
}

/* The least level in whose blocks every slot stays. */
static inline int plain_level(const tree *t, const int *to)
{
    int level = -1, block = 1;
    for (size_t k = 0; k < t->count; k++) {
        for (int i = 0; i < t->slots; i++)
            if (to[i] / block != i / block) level = (int)k;
        block *= (int)t->level[k].size;
    }
    return level;
}

/* ---- bijections as layouts --------------------------------------------------------------- */

/* A swap at a time over the identity, in pieces of one point each. */
static inline zlay_layout *layout_of(zlay_ctx *ctx, const int *to, int slots)
{
    static char text[1 << 16];
    size_t at = (size_t)snprintf(text, sizeof text, "{ ");
    for (int i = 0; i < slots; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s[i] -> [%d] : i = %d", i ? "; " : "",
                               to[i], i);
    snprintf(text + at, sizeof text - at, " }");
    return read_layout(ctx, text);
}

/* A random element of the wreath product: blocks of each level are moved whole, the lowest last. */
static inline void random_kept(uint64_t *seed, const tree *t, int *to)
{
    int block = t->slots, order[SLOTS_MOST], next[SLOTS_MOST];
    for (int i = 0; i < t->slots; i++) to[i] = i;
    for (size_t k = t->count; k-- > 0;) {
        int size = (int)t->level[k].size, part = block / size;
        for (int first = 0; first < t->slots; first += block) {
            for (int c = 0; c < size; c++) order[c] = c;
            test_shuffle(seed, order, size);
            for (int i = 0; i < block; i++)
                next[first + i] = to[first + order[i / part] * part + i % part];
        }
        memcpy(to, next, (size_t)t->slots * sizeof *to);
        block = part;
    }
}

/* ---- checks ------------------------------------------------------------------------------- */

static inline zlay_hier *normal_of(zlay_ctx *ctx, const tree *t, const int *to)
{
    zlay_layout *a = layout_of(ctx, to, t->slots);
    zlay_hier *h = NULL;
    zlay_status status = zlay_hier_normal(ctx, &h, a, t->level, t->count);
    if (status) fail_msg("%s: %s", zlay_status_name(status), zlay_ctx_message(ctx));
    zlay_layout_free(a);
    return h;
}

static inline void assert_is(const zlay_hier *h, const tree *t, const int *to)
{
    for (int i = 0; i < t->slots; i++) {
        uint64_t got;
        assert_int_equal(zlay_hier_eval(&got, h, (uint64_t)i), ZLAY_OK);
        assert_int_equal(got, to[i]);
    }
}

static inline void check_keeps(zlay_ctx *ctx, const tree *t, const int *to)
{
    zlay_layout *a = layout_of(ctx, to, t->slots);
    zlay_answer answer = ZLAY_UNDECIDED;
    zlay_crossing w = {0};
    zlay_hier *h;
    int level = plain_crosses(t, to);
    assert_int_equal(zlay_hier_keeps(ctx, &answer, &w, a, t->level, t->count), ZLAY_OK);
    assert_int_equal(answer, level < 0 ? ZLAY_YES : ZLAY_NO);
    zlay_status status = zlay_hier_normal(ctx, &h, a, t->level, t->count);
    assert_int_equal(status, level < 0 ? ZLAY_OK : ZLAY_NONE);
    if (level < 0) assert_is(h, t, to);
    else {
        int block = 1;
        for (int k = 0; k <= level; k++) block *= (int)t->level[k].size;
        assert_int_equal(w.level, level);
        assert_true(w.i < w.j && w.j < (uint64_t)t->slots);
        assert_int_equal((int)w.i / block, (int)w.j / block);
        assert_int_not_equal(to[w.i] / block, to[w.j] / block);
        for (int s = 0; s < (int)w.j; s++)
            assert_int_equal(to[s] / block, to[s / block * block] / block);
        assert_int_equal(w.i % (unsigned)block, 0);
        assert_non_null(strstr(zlay_ctx_message(ctx), names[level]));
    }
    zlay_hier_free(h);
    zlay_layout_free(a);
}

static inline void check_level(zlay_ctx *ctx, const tree *t, const int *p, const int *q)
{
    zlay_layout *a = layout_of(ctx, p, t->slots), *b = layout_of(ctx, q, t->slots);
    zlay_reach reach;
    int at[SLOTS_MOST], x[SLOTS_MOST];
    for (int i = 0; i < t->slots; i++) at[p[i]] = i;
    for (int i = 0; i < t->slots; i++) x[i] = at[q[i]];
    int level = plain_level(t, x), below = 1;
    assert_int_equal(zlay_hier_level(ctx, &reach, a, b, t->level, t->count), ZLAY_OK);
    assert_int_equal(reach.level, level);
    for (int k = 0; k < level; k++) below *= (int)t->level[k].size;
    if (level >= 0) {
        assert_int_equal(reach.from, x[reach.to]);
        assert_int_not_equal((int)reach.from / below, (int)reach.to / below);
        for (int s = 0; s < (int)reach.to; s++) assert_int_equal(x[s] / below, s / below);
    }
    zlay_hier *h;
    zlay_status status = zlay_hier_solve(ctx, &h, a, b, t->level, t->count);
    assert_int_equal(status, plain_crosses(t, x) < 0 ? ZLAY_OK : ZLAY_NONE);
    if (!status) assert_is(h, t, x);
    zlay_hier_free(h);
    zlay_layout_free(a);
    zlay_layout_free(b);
}

#endif
