/* SPDX-License-Identifier: Apache-2.0 */
/* F2 layouts as numbers, for the refuters of their operations: maps of up to three inputs and outputs, named from one
 * list in any order, with the values that follow from the drawn bases.  `expect` compares a result with a function of
 * coordinates and names at every point.  The library's parser and eval are all that is shared with it. */
#ifndef TEST_F2_MAPS_H
#define TEST_F2_MAPS_H

#include "layouts/layout.h"

#include <zlay/f2.h>

enum { CASES = 10000, NAMES = 5, BITS = 10, DIMS = 2 * NAMES };

typedef struct side {
    int count, name[NAMES], bits[NAMES];
    uint64_t size[NAMES];
} side;

typedef struct tuple { uint64_t at[DIMS]; } tuple; /* by name; 0 where there is none */

typedef struct map {
    side in, out;
    int bits;
    uint64_t basis[BITS][NAMES]; /* by output */
    tuple value[1 << BITS];
    char text[2048];
} map;

static const char *const name_of[DIMS] = {"a", "b", "c", "d", "e", "p", "q", "r", "s", "t"};
static zlay_ctx *ctx;
static uint64_t number;
static map a, b;

enum { PRODUCT, LEFT, RIGHT, QUOTIENT, TRANSPOSE, RESHAPE, CONCAT_INS, CONCAT_OUTS, PARTS, RESIZE, OPS };
static const char *const ops[] = {"product", "divide_left", "divide_right", "quotient", "transpose", "reshape",
                                  "concat_ins", "concat_outs", "sublayout", "resize"};
static uint64_t seen[OPS][3]; /* ok, none, invalid */

static _Noreturn void refuted(int op, const char *why)
{
    fail_msg("case %llu, %s: %s: %s and %s", (unsigned long long)number, ops[op], why, a.text, b.text);
    abort();
}

static inline bool judge(int op, zlay_status status, zlay_status right)
{
    if (status != right) {
        char why[512];
        snprintf(why, sizeof why, "%s, not %s (%s)", zlay_status_name(status), zlay_status_name(right),
                 zlay_ctx_message(ctx));
        refuted(op, why);
    }
    seen[op][status == ZLAY_OK ? 0 : status == ZLAY_NONE ? 1 : 2]++;
    return status == ZLAY_OK;
}

/* ---- maps as numbers ------------------------------------------------------------------------------------------------ */

static inline int find(const side *s, int name)
{
    for (int i = 0; i < s->count; i++)
        if (s->name[i] == name) return i;
    return -1;
}

static inline bool is_power(uint64_t n) { return !(n & (n - 1)); }

static inline uint64_t add(uint64_t x, uint64_t y, uint64_t size) { return is_power(size) ? x ^ y : (x + y) % size; }

static inline int bits_of(const side *s)
{
    int bits = 0;
    for (int i = 0; i < s->count; i++) bits += s->bits[i];
    return bits;
}

static inline tuple coordinates(const side *s, uint64_t x)
{
    tuple t = {{0}};
    for (int i = 0; i < s->count; x >>= s->bits[i++]) t.at[s->name[i]] = x & (((uint64_t)1 << s->bits[i]) - 1);
    return t;
}

static inline uint64_t index_of(const side *s, const tuple *t)
{
    uint64_t x = 0;
    for (int i = s->count; i-- > 0;) x = x << s->bits[i] | t->at[s->name[i]];
    return x;
}

static inline void find_values(map *m)
{
    memset(m->value, 0, sizeof m->value[0] << m->bits);
    for (int k = 0; k < m->bits; k++)
        for (int x = 0; x < 1 << k; x++)
            for (int d = 0; d < m->out.count; d++) {
                int n = m->out.name[d];
                m->value[x | 1 << k].at[n] = add(m->value[x].at[n], m->basis[k][d], m->out.size[d]);
            }
}

static inline tuple value_at(const map *m, const tuple *at) { return m->value[index_of(&m->in, at)]; }

/* When its bases are there. */
static inline void finish(map *m)
{
    char *p = m->text + sprintf(m->text, "f2{");
    for (int i = 0, k = 0; i < m->in.count; i++) {
        p += sprintf(p, "%s%s:", i ? "; " : "", name_of[m->in.name[i]]);
        for (int n = 0; n < m->in.bits[i]; n++, k++) {
            p += sprintf(p, " (");
            for (int d = 0; d < m->out.count; d++)
                p += sprintf(p, "%s%llu", d ? "," : "", (unsigned long long)m->basis[k][d]);
            p += sprintf(p, ")");
        }
    }
    for (int d = 0; d < m->out.count; d++)
        p += sprintf(p, "%s%s: %llu", d ? ", " : " -> ", name_of[m->out.name[d]], (unsigned long long)m->out.size[d]);
    sprintf(p, "}");
    find_values(m);
}

/* ---- drawing --------------------------------------------------------------------------------------------------------- */

static inline side draw_side(uint64_t *seed, int most, bool sorted)
{
    int list[NAMES] = {0, 1, 2, 3, 4};
    side s = {.count = (int)test_range(seed, 1, 3)};
    test_shuffle(seed, list, NAMES);
    for (int i = 0; i < s.count; i++) {
        s.name[i] = list[i];
        for (int j = i; sorted && j && s.name[j - 1] > s.name[j]; j--) {
            int keep = s.name[j];
            s.name[j] = s.name[j - 1], s.name[j - 1] = keep;
        }
        s.bits[i] = (int)test_range(seed, 0, most < 3 ? most : 3);
        most -= s.bits[i];
        s.size[i] = (uint64_t)1 << s.bits[i];
    }
    return s;
}

static inline void draw_bases(uint64_t *seed, map *m)
{
    m->bits = bits_of(&m->in);
    for (int k = 0; k < m->bits; k++)
        for (int d = 0; d < m->out.count; d++) {
            uint64_t value = test_random(seed) % m->out.size[d];
            if (!test_range(seed, 0, 2)) value = 0;
            if (!test_range(seed, 0, 2)) value = ((uint64_t)1 << test_range(seed, 0, 4)) % m->out.size[d];
            m->basis[k][d] = value;
        }
    finish(m);
}

static inline void draw_map(uint64_t *seed, map *m, int most, bool modular)
{
    bool sorted = test_range(seed, 0, 3);
    m->in = draw_side(seed, most, sorted);
    m->out = draw_side(seed, 9, sorted);
    for (int d = 0; d < m->out.count; d++) {
        if (!d && !test_range(seed, 0, 4)) m->out.size[d] = (uint64_t)1 << (m->out.bits[d] = 12);
        if (modular && !test_range(seed, 0, 2)) m->out.size[d] = (uint64_t)test_range(seed, 1, 12);
        if (modular && !test_range(seed, 0, 15)) m->out.size[d] = test_range(seed, 0, 1) ? 1000 : 96;
    }
    draw_bases(seed, m);
}

/* ---- results ---------------------------------------------------------------------------------------------------------- */

static inline void read_side(side *s, const zlay_layout *layout, bool in)
{
    zlay_dim dim;
    for (s->count = 0; (in ? zlay_f2_in_nth : zlay_f2_out_nth)(&dim, layout, (size_t)s->count) == ZLAY_OK; s->count++) {
        int n = 0;
        assert_true(s->count < NAMES);
        while (strcmp(dim.name, name_of[n])) assert_true(++n < DIMS);
        s->name[s->count] = n;
        s->size[s->count] = dim.size;
        s->bits[s->count] = in ? __builtin_ctzll(dim.size) : 0;
    }
}

static inline tuple got(const zlay_layout *layout, const side *in, const side *out, const tuple *at)
{
    int64_t value[NAMES] = {0};
    tuple t = {{0}};
    assert_int_equal(zlay_layout_eval(value, NAMES, layout, index_of(in, at)), ZLAY_OK);
    for (int d = 0; d < out->count; d++) t.at[out->name[d]] = (uint64_t)value[d];
    return t;
}

static inline bool same_side(const side *x, const side *y)
{
    bool same = x->count == y->count;
    for (int i = 0; i < x->count && same; i++) same = x->name[i] == y->name[i] && x->size[i] == y->size[i];
    return same;
}

/* The result has these dimensions in this order, and at every point the values of `want`. */
static inline void expect(int op, zlay_layout *layout, const side *in, const side *out, tuple (*want)(const tuple *))
{
    side have_in, have_out;
    read_side(&have_in, layout, true), read_side(&have_out, layout, false);
    if (!same_side(&have_in, in) || !same_side(&have_out, out)) refuted(op, "other dimensions");
    for (uint64_t x = 0; x >> bits_of(in) == 0; x++) {
        tuple at = coordinates(in, x), right = want(&at), is = got(layout, in, out, &at);
        if (memcmp(&right, &is, sizeof is)) refuted(op, "a value");
    }
    zlay_layout_free(layout);
}

static inline void drop(side *s, int name)
{
    int i = find(s, name);
    for (s->count--; i < s->count; i++)
        s->name[i] = s->name[i + 1], s->bits[i] = s->bits[i + 1], s->size[i] = s->size[i + 1];
}

/* a without some of its outputs. */
static int gone[NAMES], gone_count;

static inline tuple without_at(const tuple *at)
{
    tuple t = value_at(&a, at);
    for (int n = 0; n < gone_count; n++) t.at[gone[n]] = 0;
    return t;
}

/* Prints how often each operation had a result, had none or was refused; each has to have results. */
static inline void report(int first, int last, uint64_t count)
{
    for (int op = first; op <= last; op++) {
        print_message("%s: %llu, none %llu, invalid %llu\n", ops[op], (unsigned long long)seen[op][0],
                      (unsigned long long)seen[op][1], (unsigned long long)seen[op][2]);
        assert_true(seen[op][0] > count / 25);
        assert_true(op > QUOTIENT || seen[op][1] > count / 25);
    }
}

/* One side of b is that of a. */
static inline void share(uint64_t *seed)
{
    if (test_range(seed, 0, 1)) b.in = a.in;
    else b.out = a.out;
    draw_bases(seed, &b);
}

#endif
