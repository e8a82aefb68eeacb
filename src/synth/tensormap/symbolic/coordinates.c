/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the rules of copies for coordinates that depend on unknown extents.
 *
 * A coordinate is a number plus a number times each tile index, so it is given to the rules as a
 * linear text over tile indices. A condition that the rules leave open is a bound on an index; it
 * holds for all tiles if it holds for the last one, whose index follows from the extent. */
#include "legality/copy/copy.h"
#include "synth/tensormap/symbolic/symbolic.h"

#include <stdio.h>
#include <string.h>

enum { LEGAL_STRIDE = 1 << 20, NAME = 16 };

typedef struct asked {
    const zl_tm_symbolic *g;
    const zlay_copy *copy;
    zlay_tensormap map;
    zlay_issue issue;
    uint32_t leaves, givens;
    uint32_t leaf[ZLAY_TILE_AXES]; /* the leaves that move the copy */
    char name[ZLAY_TILE_AXES][NAME], last[ZLAY_TILE_AXES][ZL_TM_TEXT];
    zlay_range range[ZLAY_TILE_AXES];
    zlay_given given[ZL_TM_RANK];
    char text[ZL_TM_RANK][ZL_TM_TEXT], answer[ZL_TM_GUARD];
} asked;

/* Fills in the map and the issue.  Entries of the map that depend on names get any legal value. */
static void map_fill(asked *a)
{
    const zl_tm_read *read = &a->g->read[a->copy->map];
    a->map = a->g->move->maps[a->copy->map];
    a->map.address = 0;
    for (uint32_t i = 0; i < a->map.rank; i++) {
        if (i && read->product[i] != ZL_TM_NUMBER) a->map.stride[i - 1] = LEGAL_STRIDE;
        if (read->leaf[i] != ZL_TM_NO_LEAF) a->map.extent[i] = a->map.box[i];
    }
    a->issue = (zlay_issue){.kind = a->copy->kind, .mode = a->copy->mode, .rank = a->map.rank,
                            .smem = a->copy->smem};
    for (uint32_t i = 0; i < a->map.rank; i++) a->issue.coordinate[i] = a->copy->coordinate[i];
}

static bool moves(const asked *a, uint32_t leaf)
{
    for (uint32_t i = 0; i < a->map.rank; i++)
        if (a->copy->advance[i][leaf]) return !zl_tm_one_tile(a->g, leaf);
    return false;
}

/* Adds a leaf: a name for its tile index, the index of the last tile as a text, and the range of
 * the index under the guard so far. */
static bool leaf_put(asked *a, const zl_tm_guard *to, uint32_t leaf)
{
    char extent[ZL_TM_TEXT], bound[ZL_TM_TEXT + 32];
    uint32_t n = a->leaves++;
    zl_text text = {extent, sizeof extent - 1, 0};
    zlay_range cells = zl_monomial_range(&a->g->s->leaf[leaf].shape, a->g->s);
    int64_t tile = (int64_t)a->g->request.shape[leaf], most = cells.hi, half = (int64_t)1 << 31;
    zl_monomial_print(&text, &a->g->s->leaf[leaf].shape, a->g->s);
    if (text.need > text.room) return false;
    extent[text.need] = 0;
    snprintf(bound, sizeof bound, "%s <= %lld", extent, (long long)half);
    if (most > half && strstr(to->text, bound)) most = half;
    a->leaf[n] = leaf;
    snprintf(a->name[n], NAME, "zl_t%u", leaf);
    a->range[n] = zl_range_between(0, most < INT64_MAX ? (most - 1) / tile : INT64_MAX);
    return (size_t)snprintf(a->last[n], ZL_TM_TEXT, "((%s - 1) / %lld)", extent, (long long)tile) <
           ZL_TM_TEXT;
}

static bool coordinate_put(asked *a, uint32_t dim)
{
    zlay_given *given = &a->given[a->givens];
    zl_text text = {a->text[a->givens], ZL_TM_TEXT - 1, 0};
    bool moved = false;
    zl_putf(&text, "%d", a->copy->coordinate[dim]);
    for (uint32_t n = 0; n < a->leaves; n++) {
        int32_t by = a->copy->advance[dim][a->leaf[n]];
        if (!by) continue;
        zl_putf(&text, " + %d*%s", by, a->name[n]);
        moved = true;
    }
    if (!moved) return true;
    if (text.need > text.room) return false;
    a->text[a->givens++][text.need] = 0;
    *given = (zlay_given){ZLAY_FIELD_COORDINATE, (int32_t)dim, text.text, text.need};
    return true;
}

/* Adds the open conditions to the guard, with each index replaced by that of the last tile. */
static zlay_status answer_put(asked *a, zl_tm_guard *to)
{
    char other[ZL_TM_GUARD];
    if (!*a->answer) return ZLAY_OK;
    if (strchr(a->answer, '%'))
        return zl_symbols_unknown(a->g->ctx, "the copies are legal in some tiles only");
    for (uint32_t n = 0; n < a->leaves; n++) {
        if (!zl_tm_replace(other, sizeof other, a->answer, a->name[n], a->last[n]))
            return zl_tm_guard_full(a->g);
        memcpy(a->answer, other, sizeof other);
    }
    return zl_tm_guard_add(to, a->answer) ? ZLAY_OK : zl_tm_guard_full(a->g);
}

static zlay_status rules_ask(asked *a, const zlay_facts *facts)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_rule rule;
    zlay_buf buf = {a->answer, sizeof a->answer, 0};
    const zlay_issue_question q = {sizeof q, a->givens, a->g->target, &a->issue, &a->map, a->given,
                                   facts};
    zlay_status status = zl_issue_check_symbolic(a->g->ctx, &verdict, &reason, 1, &buf, &q);
    if (status == ZLAY_EROOM) return zl_tm_guard_full(a->g);
    if (status || verdict.answer != ZLAY_NO) return status;
    status = zlay_rule_info(&rule, reason.rule);
    return status ? status : zl_fail(a->g->ctx, ZLAY_ELIMIT, "limit symbolic-stride: %s breaks in "
                                     "some tile for all numbers that the facts allow", rule.id);
}

static zlay_status copy_ask(asked *a, zl_tm_guard *to)
{
    const char *names[ZLAY_TILE_AXES];
    zlay_facts *facts;
    map_fill(a);
    a->leaves = a->givens = 0;
    for (uint32_t leaf = 0; leaf < a->g->request.axes; leaf++)
        if (moves(a, leaf) && !leaf_put(a, to, leaf)) return zl_tm_guard_full(a->g);
    for (uint32_t i = 0; i < a->map.rank; i++)
        if (!coordinate_put(a, i)) return zl_tm_guard_full(a->g);
    if (!a->givens) return ZLAY_OK;
    for (uint32_t n = 0; n < a->leaves; n++) names[n] = a->name[n];
    zlay_status status = zl_tm_facts(a->g->ctx, &facts, a->leaves, names, a->range);
    if (status) return status;
    status = rules_ask(a, facts);
    zlay_facts_free(facts);
    return status ? status : answer_put(a, to);
}

zlay_status zl_tm_guard_copies(zl_tm_guard *to, const zl_tm_symbolic *g)
{
    asked *a = zl_scratch(g->ctx, 1, sizeof *a);
    zlay_status status = a ? ZLAY_OK : ZLAY_ENOMEM;
    for (uint32_t k = 0; k < g->move->info.copies && !status; k++) {
        a->g = g;
        a->copy = &g->move->copies[k];
        status = copy_ask(a, to);
    }
    return status;
}
