/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses a number for each unknown: one that its facts (interval and congruence) allow, with the
 * alignment that strides want, and built from a large prime of its own, so that no stride divides
 * another and no two axes merge by chance. `loose` ignores the facts. */
#include "synth/tensormap/symbolic/symbolic.h"

/* Odd numbers without a common factor; the smaller ones are for strides that are products of three
 * or more names, which must fit 40 bits. */
static const int64_t primes[2][ZL_SYMBOLS_MOST] = {
    {1009, 1511, 2003, 2503, 3001, 3511, 4001, 4507, 5003, 5501, 6007, 6521, 7001, 7507, 8009, 8501},
    {257, 263, 269, 271, 277, 281, 283, 293, 307, 311, 313, 317, 331, 337, 347, 349}};

static bool has_long_product(const zl_symbols *s)
{
    for (size_t k = 0; k < s->leaves; k++) {
        unsigned degree = 0;
        for (size_t i = 0; i < s->names; i++) degree += s->leaf[k].stride.power[i];
        if (degree > 2) return true;
    }
    return false;
}

static bool in_strides(const zl_symbols *s, size_t name)
{
    for (size_t i = 0; i < s->leaves; i++)
        if (s->leaf[i].stride.power[name]) return true;
    for (size_t i = 0; i < s->offset.count; i++)
        if (s->offset.term[i].power[name]) return true;
    return false;
}

/* The residue class from which a name is chosen: the range's own class, restricted to multiples of
 * `unit` where it has any. */
static void class_of(int64_t *rem, int64_t *mod, zlay_range r, int64_t unit)
{
    int64_t most = r.mod ? r.mod : 1;
    *rem = r.rem;
    *mod = most;
    for (int64_t i = 0; i < unit; i++) {
        if (most > INT64_MAX / 256) return;
        if ((r.rem + i * most) % unit) continue;
        *rem = r.rem + i * most;
        for (*mod = most; *mod % unit;) *mod += most;
        return;
    }
    *rem = 0;
    *mod = unit;
}

/* The least value of a name for which its extents have several tiles, where its range allows
 * that. */
static int64_t least_of(const zl_tm_symbolic *g, size_t name, zlay_range r)
{
    uint64_t tile = 0;
    for (size_t k = 0; k < g->s->leaves; k++)
        if (g->s->leaf[k].shape.power[name] && g->request.shape[k] > tile)
            tile = g->request.shape[k];
    int64_t least = 2 * (int64_t)tile + 1;
    return least < r.hi ? least : 1;
}

/* The next number without the factors 2, 3, 5 and 7, which tiles may have. */
static int64_t lonely(int64_t least)
{
    while (least % 2 == 0 || least % 3 == 0 || least % 5 == 0 || least % 7 == 0) least++;
    return least;
}

static bool choose(int64_t *out, zlay_range r, int64_t unit, int64_t prime)
{
    int64_t rem, mod, low = r.lo > 1 ? r.lo : 1, far;
    if (!r.mod) return *out = r.rem, true;
    class_of(&rem, &mod, r, unit);
    int64_t need = low > rem ? (low - rem) / mod + 1 : 1, times;
    if (!zl_mul(prime, lonely(need / prime + 1), &times) || !zl_mul(mod, times, &far) || !zl_add(far, rem, out)) return false;
    if (r.hi < INT64_MAX && *out > r.hi) {
        int64_t back = (r.hi - rem) / mod;
        *out = rem + mod * back;
        if (back % 2 == 0 && *out - mod >= low) *out -= mod;
    }
    return *out >= 1;
}

bool zl_tm_sample(zl_tm_symbolic *g, bool loose)
{
    bool small = has_long_product(g->s);
    for (size_t i = 0; i < g->s->names; i++) {
        int64_t unit = in_strides(g->s, i) && g->element < ZL_CHUNK ? ZL_CHUNK / g->element : 1;
        zlay_range r = loose ? zl_range_all() : g->s->name[i].range;
        int64_t least = least_of(g, i, r);
        if (least > r.lo && r.mod) r.lo = least;
        if (!choose(&g->value[i], r, unit, primes[small][i])) return false;
    }
    return true;
}

bool zl_tm_monomial_at(int64_t *out, const zl_tm_symbolic *g, const zl_monomial *m)
{
    *out = m->factor;
    for (size_t i = 0; i < g->s->names; i++)
        for (uint8_t p = 0; p < m->power[i]; p++)
            if (!zl_mul(*out, g->value[i], out)) return false;
    return true;
}
