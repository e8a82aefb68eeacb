/* SPDX-License-Identifier: Apache-2.0 */
/* Normal forms grow from the root, a level at a time.  Nodes of a level are numbered as they are
 * found, part by part, which is the order of their first blocks; so are the classes of equal
 * subtrees after them, and nothing is left to choose. */
#include "algebra/normal/hier.h"

#include <string.h>

typedef struct tier {
    uint64_t size, nodes, classes;
    uint64_t *key;        /* a node each */
    uint32_t *map, *below; /* `size` entries a node */
    uint32_t *class_of, *first; /* of a node; of a class, its first node */
} tier;

typedef struct growth {
    zlay_ctx *ctx;
    const zl_growth *with;
    size_t count;
    tier *tier;
} growth;

/* ---- sets of numbers, by a hash ------------------------------------------------------ */

typedef struct slots {
    uint64_t count; /* a power of two */
    uint32_t *at;   /* 1 + what it holds; 0: free */
} slots;

static zlay_status slots_new(slots *s, zlay_ctx *ctx, uint64_t entries)
{
    *s = (slots){2, NULL};
    while (s->count < 2 * entries) s->count *= 2;
    s->at = zl_scratch(ctx, s->count, sizeof *s->at);
    return s->at ? ZLAY_OK : ZLAY_ENOMEM;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

/* ---- levels ---------------------------------------------------------------------------- */

/* The entries of a level, at most limits.points. */
static zlay_status tier_open(growth *g, tier *t, const char *name)
{
    uint64_t limit = zl_limits(g->ctx)->points, entries = zl_umul_sat(t->nodes, t->size);
    if (limit > UINT32_MAX / 2) limit = UINT32_MAX / 2;
    if (entries > limit)
        return zl_fail(g->ctx, ZLAY_ELIMIT,
                       "limits.points is %llu and the normal form has %llu entries on level '%s'",
                       (unsigned long long)limit, (unsigned long long)entries, name);
    t->map = zl_scratch(g->ctx, entries, sizeof *t->map);
    t->below = zl_scratch(g->ctx, entries, sizeof *t->below);
    t->class_of = zl_scratch(g->ctx, t->nodes, sizeof *t->class_of);
    t->first = zl_scratch(g->ctx, t->nodes, sizeof *t->first);
    return t->map && t->below && t->class_of && t->first ? ZLAY_OK : ZLAY_ENOMEM;
}

static zlay_status keys_new(growth *g, tier *t, uint64_t room)
{
    t->key = zl_scratch(g->ctx, room, sizeof *t->key);
    return t->key ? ZLAY_OK : ZLAY_ENOMEM;
}

/* ---- downwards --------------------------------------------------------------------------- */

static uint32_t node_of(tier *t, slots *s, uint64_t key)
{
    uint64_t at = mix(0, key) & (s->count - 1);
    for (; s->at[at]; at = (at + 1) & (s->count - 1))
        if (t->key[s->at[at] - 1] == key) return s->at[at] - 1;
    t->key[t->nodes++] = key;
    s->at[at] = (uint32_t)t->nodes;
    return (uint32_t)t->nodes - 1;
}

static void nodes_expand(growth *g, size_t k, uint64_t *keys, slots *s)
{
    tier *t = &g->tier[k];
    for (uint64_t v = 0; v < t->nodes; v++) {
        g->with->expand(g->with->env, k, t->key[v], t->map + v * t->size, keys);
        for (uint64_t c = 0; s && c < t->size; c++)
            t->below[v * t->size + c] = node_of(&g->tier[k - 1], s, keys[c]);
    }
}

static zlay_status grow_level(growth *g, size_t k)
{
    tier *t = &g->tier[k];
    slots s;
    zlay_status status = tier_open(g, t, g->with->tree->level[k].name);
    if (!status && k) status = keys_new(g, t - 1, t->nodes * t->size);
    if (status) return status;
    zl_mark mark = zl_scratch_mark(g->ctx);
    uint64_t *keys = zl_scratch(g->ctx, t->size, sizeof *keys);
    status = !keys ? ZLAY_ENOMEM : k ? slots_new(&s, g->ctx, t->nodes * t->size) : ZLAY_OK;
    if (!status) nodes_expand(g, k, keys, k ? &s : NULL);
    zl_scratch_release(g->ctx, mark);
    return status;
}

static zlay_status grow_all(growth *g)
{
    zlay_status status = keys_new(g, &g->tier[g->count - 1], 1);
    if (status) return status;
    g->tier[g->count - 1].key[0] = g->with->root;
    g->tier[g->count - 1].nodes = 1;
    for (size_t k = g->count; k-- > 0 && !status;) status = grow_level(g, k);
    return status;
}

/* ---- upwards ------------------------------------------------------------------------------- */

static bool same_node(const tier *t, uint64_t v, uint64_t w)
{
    size_t bytes = t->size * sizeof(uint32_t);
    return !memcmp(t->map + v * t->size, t->map + w * t->size, bytes) &&
           !memcmp(t->below + v * t->size, t->below + w * t->size, bytes);
}

static uint32_t class_of(tier *t, slots *s, uint64_t v)
{
    uint64_t hash = 0;
    for (uint64_t c = v * t->size; c < (v + 1) * t->size; c++)
        hash = mix(hash, (uint64_t)t->below[c] << 32 | t->map[c]);
    uint64_t at = hash & (s->count - 1);
    for (; s->at[at]; at = (at + 1) & (s->count - 1))
        if (same_node(t, v, t->first[s->at[at] - 1])) return s->at[at] - 1;
    t->first[t->classes++] = (uint32_t)v;
    s->at[at] = (uint32_t)t->classes;
    return (uint32_t)t->classes - 1;
}

static zlay_status merge_level(growth *g, size_t k)
{
    tier *t = &g->tier[k];
    slots s;
    for (uint64_t e = 0; k && e < t->nodes * t->size; e++)
        t->below[e] = t[-1].class_of[t->below[e]];
    zl_mark mark = zl_scratch_mark(g->ctx);
    zlay_status status = slots_new(&s, g->ctx, t->nodes);
    for (uint64_t v = 0; !status && v < t->nodes; v++) t->class_of[v] = class_of(t, &s, v);
    zl_scratch_release(g->ctx, mark);
    return status;
}

/* ---- the form ------------------------------------------------------------------------------ */

static size_t form_bytes(const growth *g)
{
    size_t bytes = sizeof(zlay_hier) + g->count * sizeof(zl_tier);
    for (size_t k = 0; k < g->count; k++)
        bytes += 2 * g->tier[k].classes * g->tier[k].size * sizeof(uint32_t) +
                 strlen(g->with->tree->level[k].name) + 1;
    return bytes;
}

static void copy_nodes(uint32_t *to, const tier *t, const uint32_t *from)
{
    for (uint64_t c = 0; c < t->classes; c++)
        memcpy(to + c * t->size, from + t->first[c] * t->size, t->size * sizeof *to);
}

/* Names last: they need no alignment. */
static void form_fill(zlay_hier *h, const growth *g)
{
    zl_tier *tier_at = (zl_tier *)(h + 1);
    uint32_t *entry = (uint32_t *)(tier_at + g->count);
    for (size_t k = 0; k < g->count; k++) {
        const tier *t = &g->tier[k];
        uint64_t entries = t->classes * t->size;
        tier_at[k] = (zl_tier){NULL, t->size, t->classes, entry, entry + entries};
        copy_nodes(entry, t, t->map);
        copy_nodes(entry + entries, t, t->below);
        entry += 2 * entries;
    }
    char *name = (char *)entry;
    for (size_t k = 0; k < g->count; k++) {
        tier_at[k].name = name;
        strcpy(name, g->with->tree->level[k].name);
        name += strlen(name) + 1;
    }
    h->tier = tier_at;
    h->count = g->count;
}

static zlay_status form_new(growth *g, zlay_hier **out)
{
    size_t bytes = form_bytes(g);
    zlay_hier *h = zl_alloc(g->ctx, 1, bytes);
    if (!h) return ZLAY_ENOMEM;
    h->alloc = zl_allocator(g->ctx);
    h->bytes = bytes;
    form_fill(h, g);
    *out = h;
    return ZLAY_OK;
}

zlay_status zl_hier_grow(zlay_ctx *ctx, zlay_hier **out, const zl_growth *with)
{
    growth g = {ctx, with, with->tree->count, NULL};
    g.tier = zl_scratch(ctx, g.count, sizeof *g.tier);
    if (!g.tier) return ZLAY_ENOMEM;
    for (size_t k = 0; k < g.count; k++) g.tier[k].size = with->tree->level[k].size;
    zlay_status status = grow_all(&g);
    for (size_t k = 0; k < g.count && !status; k++) status = merge_level(&g, k);
    return status ? status : form_new(&g, out);
}
