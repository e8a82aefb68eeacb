/* SPDX-License-Identifier: Apache-2.0 */
/* Trees of levels, which of them moves keep, and in which they stay. */
#include "algebra/normal/hier.h"
#include "base/scan.h"

#include <string.h>

static bool is_name(const char *name)
{
    zl_cursor c = {.text = name, .length = name ? strlen(name) : 0};
    return c.length && c.length <= 64 && zl_cursor_word(&c) == c.length;
}

/* A level's name becomes no identifier of generated code, so `register` is one. */
static zlay_status level_check(zlay_ctx *ctx, const zlay_level *level, size_t i)
{
    if (!is_name(level[i].name))
        return zl_fail(ctx, ZLAY_EINVAL, "level %zu: no name of 1 to 64 letters, digits and _", i);
    for (size_t k = 0; k < i; k++)
        if (!strcmp(level[k].name, level[i].name))
            return zl_fail(ctx, ZLAY_EINVAL, "level %zu is called '%s' as level %zu is", i,
                           level[i].name, k);
    if (!level[i].size) return zl_fail(ctx, ZLAY_EINVAL, "level '%s' has size 0", level[i].name);
    return ZLAY_OK;
}

zlay_status zl_tree_begin(zlay_ctx *ctx, zl_tree *out, const zlay_level *level, size_t count)
{
    uint64_t limit = zl_limits(ctx)->dims;
    zlay_status status = ZLAY_OK;
    *out = (zl_tree){level, count, 1};
    if (!level || !count) return zl_fail(ctx, ZLAY_EINVAL, "a hierarchy has at least one level");
    if (count > limit)
        return zl_fail(ctx, ZLAY_ELIMIT, "limits.dims is %llu and there are %zu levels",
                       (unsigned long long)limit, count);
    for (size_t i = 0; i < count && !status; i++) {
        status = level_check(ctx, level, i);
        if (!status && !zl_umul(out->slots, level[i].size, &out->slots))
            status = zl_fail(ctx, ZLAY_EINVAL, "the levels have more than 2^64 - 1 slots");
    }
    return status;
}

/* ---- blocks that stay together --------------------------------------------------------- */

/* The first slot of [1, block) that leaves the block of slot 0; `block` is a power of two. */
static bool bases_part(const zl_affine *map, uint64_t block, uint64_t *i, uint64_t *j)
{
    for (unsigned k = 0; (uint64_t)1 << k < block; k++) {
        if (map->basis[k] < block) continue;
        *i = 0;
        *j = (uint64_t)1 << k;
        return true;
    }
    return false;
}

static bool values_part(const zl_moves *m, uint64_t block, uint64_t *i, uint64_t *j)
{
    for (*i = 0; *i < m->slots; *i += block) {
        uint64_t first = m->to[*i] / block * block;
        for (*j = *i + 1; *j < *i + block; ++*j)
            if (m->to[*j] - first >= block) return true;
    }
    return false;
}

bool zl_moves_keep(const zl_moves *m, const zl_tree *tree, zlay_crossing *witness)
{
    uint64_t block = 1, i, j;
    for (size_t k = 0; k + 1 < tree->count; k++) {
        block *= tree->level[k].size;
        bool part = m->to ? values_part(m, block, &i, &j) : bases_part(&m->affine, block, &i, &j);
        if (!part) continue;
        *witness = (zlay_crossing){(uint32_t)k, 0, i, j};
        return false;
    }
    return true;
}

/* ---- blocks that stay where they are ----------------------------------------------------- */

/* The first slot that moves to another block. */
static bool bases_leave(const zl_affine *map, uint64_t block, zlay_reach *out)
{
    out->to = 0;
    out->from = map->constant;
    if (map->constant >= block) return true;
    for (unsigned k = 0; k < map->bits; k++) {
        uint64_t slot = (uint64_t)1 << k;
        if ((map->basis[k] ^ slot) < block) continue;
        out->to = slot;
        out->from = map->basis[k] ^ map->constant;
        return true;
    }
    return false;
}

static bool values_leave(const zl_moves *m, uint64_t block, zlay_reach *out)
{
    for (uint64_t i = 0; i < m->slots; i += block)
        for (uint64_t j = i; j < i + block; j++) {
            if (m->to[j] - i < block) continue;
            out->to = j;
            out->from = m->to[j];
            return true;
        }
    return false;
}

zlay_reach zl_moves_reach(const zl_moves *m, const zl_tree *tree)
{
    zlay_reach reach = {-1, 0, 0, 0}, next = reach;
    uint64_t block = 1;
    for (size_t k = 0; k < tree->count; k++) {
        bool leaves = m->to ? values_leave(m, block, &next) : bases_leave(&m->affine, block, &next);
        if (!leaves) break;
        next.level = (int32_t)k;
        reach = next;
        block *= tree->level[k].size;
    }
    return reach;
}
