/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the guard of a move: the conditions on the unknowns, beyond the facts, under which the
 * move is legal.
 *
 * The rules decide linear texts only. So a product of unknowns is given to them as one name (an
 * alias) with the product's range, and a quotient of an extent as one name with the quotient's
 * range; in the answer each such name is replaced by what it stands for. */
#include "legality/tensormap/tensormap.h"
#include "base/scan.h"
#include "synth/tensormap/symbolic/symbolic.h"

#include <stdio.h>
#include <string.h>

enum { GUARD = ZL_TM_GUARD, TEXT = ZL_TM_TEXT, MAP_GIVENS = 1 + 2 * ZL_TM_RANK };

typedef zl_tm_guard guard;

/* A name that stands for a product. */
typedef struct alias {
    char name[16], plain[TEXT], wide[TEXT]; /* wide: the product in C that does not overflow */
    char first[TEXT];                       /* if this condition holds; "": always */
    zlay_range range;
} alias;

typedef struct question {
    const zl_tm_symbolic *g;
    uint32_t aliases, count;
    alias alias[ZL_TM_PRODUCTS];
    zlay_given given[MAP_GIVENS];
    char text[MAP_GIVENS][TEXT], answer[GUARD];
    zlay_facts *facts; /* where there are aliases */
} question;

/* ---- aliases --------------------------------------------------------------------------- */

static unsigned degree(const zl_monomial *m, const zl_symbols *s)
{
    unsigned sum = 0;
    for (size_t i = 0; i < s->names; i++) sum += m->power[i];
    return sum;
}

/* The k-th factor of a product. */
static const char *factor_at(const zl_monomial *m, const zl_symbols *s, unsigned k)
{
    for (size_t i = 0; i < s->names; i++) {
        if (k < m->power[i]) return s->name[i].name.text;
        k -= m->power[i];
    }
    return "";
}

static void factors_write(zl_text *out, const zl_monomial *m, const zl_symbols *s, unsigned count)
{
    for (unsigned k = 0; k < count; k++)
        zl_putf(out, "%s%s", k ? " * " : "", factor_at(m, s, k));
}

/* Prints a product in C with 128-bit arithmetic, ((__int128)M * K) or ((__int128)(B * M) * K); the
 * first `narrow` factors are multiplied in 64 bits. */
static void product_write(zl_text *out, const zl_monomial *m, const zl_symbols *s, unsigned count,
                          unsigned narrow)
{
    zl_puts(out, narrow > 1 ? "((__int128)(" : "((__int128)");
    factors_write(out, m, s, narrow);
    zl_puts(out, narrow > 1 ? ")" : "");
    for (unsigned k = narrow; k < count; k++) zl_putf(out, " * %s", factor_at(m, s, k));
    zl_puts(out, ")");
}

static int bits_of(zlay_range r)
{
    uint64_t most = r.hi < 0 ? 0 : (uint64_t)r.hi, least = r.lo < 0 ? 0 - (uint64_t)r.lo : 0;
    int bits = 0;
    for (most |= least; most; most >>= 1) bits++;
    return bits;
}

/* Whether a product fits 127 bits for all values; and whether no factor is below 1. */
static bool fits_wide(const zl_monomial *m, const zl_symbols *s)
{
    int sum = 0;
    for (size_t i = 0; i < s->names; i++) sum += m->power[i] * bits_of(s->name[i].range);
    return sum <= 126;
}

static bool all_positive(const zl_monomial *m, const zl_symbols *s)
{
    for (size_t i = 0; i < s->names; i++)
        if (m->power[i] && s->name[i].range.lo < 1) return false;
    return true;
}

/* Writes an alias.  Where the product may pass 127 bits and all factors are at least 1, the guard
 * first tests that each shorter product fits 64 bits: if one does not, the whole is out of bounds
 * too. */
static bool alias_write(alias *a, const zl_monomial *m, const zl_symbols *s)
{
    unsigned count = degree(m, s), narrow = fits_wide(m, s) ? 1 : count - 1;
    zl_text plain = {a->plain, TEXT - 1, 0}, wide = {a->wide, TEXT - 1, 0};
    zl_text first = {a->first, TEXT - 1, 0};
    if (narrow > 1 && !all_positive(m, s)) return false;
    zl_monomial_print(&plain, m, s);
    product_write(&wide, m, s, count, narrow);
    for (unsigned k = 2; k <= narrow && narrow > 1; k++) {
        zl_puts(&first, k > 2 ? " && " : "");
        product_write(&first, m, s, k, k - 1);
        zl_putf(&first, " <= %lld", (long long)INT64_MAX);
    }
    if (plain.need >= TEXT || wide.need >= TEXT || first.need >= TEXT) return false;
    a->plain[plain.need] = a->wide[wide.need] = a->first[first.need] = 0;
    return true;
}

static zlay_status aliases_make(question *q)
{
    const zl_tm_symbolic *g = q->g;
    for (uint32_t i = 1; i < g->products; i++) {
        if (degree(&g->product[i], g->s) < 2) continue;
        alias *a = &q->alias[q->aliases];
        if (!alias_write(a, &g->product[i], g->s))
            return zl_symbols_unknown(g->ctx, "a guard over a product of three names or more, of "
                                      "which one may be below 1");
        snprintf(a->name, sizeof a->name, "zl_p%u", q->aliases++);
        a->range = zl_monomial_range(&g->product[i], g->s);
    }
    return ZLAY_OK;
}

/* Makes facts about names and aliases; facts about several names at once are left out. */
static zlay_status aliases_facts(question *q)
{
    const char *name[ZL_SYMBOLS_MOST + ZL_TM_PRODUCTS];
    zlay_range range[ZL_SYMBOLS_MOST + ZL_TM_PRODUCTS];
    size_t count = 0;
    if (!q->aliases) return ZLAY_OK;
    for (size_t i = 0; i < q->g->s->names; i++, count++) {
        name[count] = q->g->s->name[i].name.text;
        range[count] = q->g->s->name[i].range;
    }
    for (uint32_t i = 0; i < q->aliases; i++, count++) {
        name[count] = q->alias[i].name;
        range[count] = q->alias[i].range;
    }
    return zl_tm_facts(q->g->ctx, &q->facts, count, name, range);
}

/* ---- the rules -------------------------------------------------------------------------- */

/* Writes the entries of a map as linear texts; extents that are quotients are checked one by one
 * later. */
static zlay_status givens_of(question *q, uint32_t map)
{
    const zl_tm_read *r = &q->g->read[map];
    char other[TEXT];
    zlay_given one;
    for (uint32_t i = 0; zlay_move_given_nth(&one, q->g->move, map, i) == ZLAY_OK; i++) {
        if (one.field == ZLAY_FIELD_EXTENT && r->part[one.index] > 1) continue;
        char *text = q->text[q->count];
        if (one.length >= TEXT) return zl_tm_guard_full(q->g);
        memcpy(text, one.text, one.length + 1);
        for (uint32_t k = 0; k < q->aliases; k++) {
            if (!zl_tm_replace(other, TEXT, text, q->alias[k].plain, q->alias[k].name))
                return zl_tm_guard_full(q->g);
            memcpy(text, other, TEXT);
        }
        q->given[q->count++] = (zlay_given){one.field, one.index, text, strlen(text)};
    }
    return ZLAY_OK;
}

/* The status of a map that a rule refuses: ELIMIT, because other maps may be legal; that none is,
 * never.c proves. */
static zlay_status refused(const zl_tm_symbolic *g, const zlay_reason *reason)
{
    zlay_rule rule;
    zlay_status status = zlay_rule_info(&rule, reason->rule);
    if (status) return status;
    if (reason->relation != ZLAY_REL_MULTIPLE)
        return zl_fail(g->ctx, ZLAY_ELIMIT, "limit symbolic-stride: %s breaks for all numbers that "
                       "the facts allow; maps with other extents are not searched", rule.id);
    return zl_symbols_unknown(g->ctx, g->request.smem
                              ? "these copies are legal for no number that the facts allow"
                              : "these copies are legal for no number that the facts allow; others, "
                                "which leave gaps in shared memory, are not searched");
}

/* Checks a map; `text` gets the conditions that the facts leave open.  ELIMIT: the map is illegal
 * for all values. */
static zlay_status ask(char text[GUARD], const zl_tm_symbolic *g, const zlay_tensormap *map,
                       const zlay_given *given, uint32_t count, const zlay_facts *facts)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_buf buf = {text, GUARD, 0};
    const zlay_tensormap_question q = {sizeof q, count, g->target, map, given, facts};
    zlay_status status = zl_tensormap_check_symbolic(g->ctx, &verdict, &reason, 1, &buf, &q);
    if (status == ZLAY_EROOM) return zl_tm_guard_full(g);
    return !status && verdict.answer == ZLAY_NO ? refused(g, &reason) : status;
}

static zlay_status ask_map(question *q, guard *to, uint32_t map)
{
    const zl_tm_symbolic *g = q->g;
    char other[GUARD];
    zlay_status status = givens_of(q, map);
    if (status) return status;
    status = ask(q->answer, g, &g->move->maps[map], q->given, q->count,
                 q->aliases ? q->facts : g->request.facts);
    for (uint32_t k = 0; k < q->aliases && !status; k++) {
        if (!zl_tm_replace(other, GUARD, q->answer, q->alias[k].name, q->alias[k].wide))
            return zl_tm_guard_full(g);
        if (*q->alias[k].first && strcmp(other, q->answer) != 0 &&
            !zl_tm_guard_add(to, q->alias[k].first))
            return zl_tm_guard_full(g);
        memcpy(q->answer, other, GUARD);
    }
    return !status && *q->answer && !zl_tm_guard_add(to, q->answer) ? zl_tm_guard_full(g) : status;
}

static zlay_range quotient(zlay_range r, int64_t part)
{
    return zl_range_between((r.lo > 0 ? r.lo : 1) / part, r.hi < INT64_MAX ? r.hi / part : r.hi);
}

/* Checks an extent that is a quotient, as the extent of a map of one dimension. */
static zlay_status ask_part(const zl_tm_symbolic *g, guard *to, const zlay_given *extent, int32_t leaf,
                            int64_t part)
{
    static const zlay_given given = {ZLAY_FIELD_EXTENT, 0, "zl_p0", 5};
    static const char *const name = "zl_p0";
    const zlay_tensormap map = {.rank = 1, .box = {ZL_CHUNK}, .step = {1}, .type = ZLAY_TYPE_U8};
    zlay_range r = quotient(zl_monomial_range(&g->s->leaf[leaf].shape, g->s), part);
    char text[GUARD], whole[GUARD], of[TEXT];
    zlay_facts *facts;
    zlay_status status = zl_tm_facts(g->ctx, &facts, 1, &name, &r);
    if (status) return status;
    status = ask(text, g, &map, &given, 1, facts);
    zlay_facts_free(facts);
    if (status || !*text) return status;
    int length = snprintf(of, sizeof of, "(%.*s)", (int)extent->length, extent->text);
    bool fits = length < TEXT && zl_tm_replace(whole, GUARD, text, name, of) && zl_tm_guard_add(to, whole);
    return fits ? ZLAY_OK : zl_tm_guard_full(g);
}

static zlay_status ask_parts(const zl_tm_symbolic *g, guard *to, uint32_t map)
{
    zlay_given one;
    zlay_status status = ZLAY_OK;
    const zl_tm_read *r = &g->read[map];
    for (uint32_t i = 0; !status && zlay_move_given_nth(&one, g->move, map, i) == ZLAY_OK; i++)
        if (one.field == ZLAY_FIELD_EXTENT && r->part[one.index] > 1)
            status = ask_part(g, to, &one, r->leaf[one.index], r->part[one.index]);
    return status;
}

static zlay_status guard_make(question *q, guard *all)
{
    zlay_status status = aliases_make(q);
    if (!status) status = aliases_facts(q);
    for (uint32_t k = 0; k < q->g->move->info.maps && !status; k++) {
        q->count = 0;
        status = ask_map(q, all, k);
        if (!status) status = ask_parts(q->g, all, k);
    }
    zlay_facts_free(q->facts);
    return status ? status : zl_tm_guard_copies(all, q->g);
}

zlay_status zl_tm_put_guard(zl_tm_symbolic *g)
{
    guard all = {"", 0};
    question *q = zl_scratch(g->ctx, 1, sizeof *q);
    if (!q) return ZLAY_ENOMEM;
    q->g = g;
    zlay_status status = guard_make(q, &all);
    if (status || !all.length) return status;
    g->move->guard = zl_alloc(g->ctx, all.length + 1, 1);
    if (!g->move->guard) return ZLAY_ENOMEM;
    memcpy(g->move->guard, all.text, all.length);
    g->move->guard_length = all.length;
    return ZLAY_OK;
}

typedef struct only {
    const char *condition;
    const zlay_move *move;
} only;

static void only_write(zl_text *out, const void *value)
{
    const only *o = value;
    zl_puts(out, o->condition);
    if (!o->move->guard) return;
    zl_puts(out, " && ");
    zl_put(out, o->move->guard, o->move->guard_length);
}

zlay_status zl_tm_guard_case(zlay_ctx *ctx, zlay_move *move, const char *condition)
{
    const only o = {condition, move};
    char *text;
    size_t length;
    zlay_allocator alloc = zl_allocator(ctx);
    zlay_status status = zl_print_alloc(ctx, &text, &length, only_write, &o);
    if (status) return status;
    if (move->guard) zl_free(&alloc, move->guard, move->guard_length + 1);
    move->guard = text;
    move->guard_length = length;
    return ZLAY_OK;
}
