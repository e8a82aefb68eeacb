/* SPDX-License-Identifier: Apache-2.0 */
/* Reads guards: facts become tests of linear sums. A sum of several unknowns is refused where it may
 * pass 64 bits for values that the request's facts allow, so that a selector of C computes it as it is. */
#include "synth/variants/variants.h"

#include <stdio.h>
#include <string.h>

zlay_status zl_variant_guard_names(zlay_ctx *ctx, zl_unknowns *u, const zlay_variants_request *request)
{
    zl_unknowns_begin(u, ctx);
    for (uint32_t i = 0; i < request->unknowns; i++) {
        const char *name = request->unknown[i];
        size_t place, length = name ? strlen(name) : 0, before = u->count;
        char quoted[256];
        if (!name || !zl_is_c_name(name, length))
            return zl_fail(ctx, ZLAY_EINVAL, "unknowns[%u]: '%s' is no name, or a word of C or C++", i,
                           name ? zl_quote(quoted, name, length) : "");
        zlay_status status = zl_unknowns_add(u, &place, name, length);
        if (status) return status;
        if (u->count == before)
            return zl_fail(ctx, ZLAY_EINVAL, "unknowns[%u]: '%s' stands there twice", i, name);
    }
    return ZLAY_OK;
}

/* ---- texts ----------------------------------------------------------------------------------- */

static zlay_status of_text(zlay_ctx *ctx, zlay_status status, const char *what, uint32_t i)
{
    char message[1024];
    if (!status || status == ZLAY_ENOMEM) return status;
    snprintf(message, sizeof message, "%s", zlay_ctx_message(ctx));
    return zl_fail(ctx, status, "%s[%u]: %s", what, i, message);
}

static zlay_status read_text(zl_unknowns *u, zl_constraints *out, const char *text, uint32_t i)
{
    zl_cursor c;
    size_t known = u->count, before = out->count + out->relations;
    if (!text) return zl_fail(u->ctx, ZLAY_EINVAL, "it is NULL");
    zlay_status status = zl_cursor_begin(&c, u->ctx, text, strlen(text));
    if (!status) status = zl_unknowns_scan(u, text, strlen(text));
    if (!status && u->count > known)
        status = zl_fail(u->ctx, ZLAY_EINVAL, "'%s' is none of the unknowns", u->at[known].name.text);
    if (!status) status = zl_fact_parse(&c, u, out, i);
    u->count = known;
    if (!status && out->count + out->relations == before)
        return zl_fail(u->ctx, ZLAY_EINVAL, "it says nothing of an unknown");
    return status;
}

/* ---- tests ----------------------------------------------------------------------------------- */

static zlay_status put_single(zl_constraints *to, const zl_constraint *c, int how, int64_t factor, int64_t rest,
                              int64_t mod)
{
    zl_relation_fact test = {.fact = c->fact, .count = 1, .how = how, .mod = mod, .rest = rest,
                             .place = {c->place}, .coefficient = {factor}};
    return zl_relations_add(to, &test);
}

/* Ends that do not fit 64 bits were cut, and there is no test of them. */
static zlay_status range_check(zlay_ctx *ctx, const zl_constraint *c)
{
    if (c->whole && c->range.lo != INT64_MAX && c->range.hi != INT64_MIN) return ZLAY_OK;
    return zl_fail(ctx, ZLAY_EOVERFLOW, "a number of it does not lie within (-2^63, 2^63 - 1)");
}

/* Whether a test stands there. */
static bool has_single(const zl_constraints *to, const zl_constraint *c, int how, int64_t factor, int64_t rest, int64_t mod)
{
    for (size_t i = 0; i < to->relations; i++) {
        const zl_relation_fact *t = &to->relation[i];
        if (t->place[0] == c->place && t->how == how && t->coefficient[0] == factor && t->rest == rest && t->mod == mod) return true;
    }
    return false;
}

static zlay_status put_new(zl_constraints *to, const zl_constraint *c, int how, int64_t factor, int64_t rest, int64_t mod)
{
    return has_single(to, c, how, factor, rest, mod) ? ZLAY_OK : put_single(to, c, how, factor, rest, mod);
}

/* What the ranges of one name say, each end once and only where `known` does not: a number, or ends and residues. */
static zlay_status put_ranges(zl_constraints *to, const zl_constraints *all, size_t first, zlay_range known)
{
    zlay_status status = ZLAY_OK;
    int64_t lo = known.lo, hi = known.hi;
    const zl_constraint *c = &all->at[first];
    for (size_t i = first; i < all->count; i++) {
        if (all->at[i].place != c->place) continue;
        lo = zl_max(lo, all->at[i].range.lo);
        hi = zl_min(hi, all->at[i].range.hi);
    }
    bool one = lo == hi, new = lo != known.lo || hi != known.hi;
    if (one && new) status = put_new(to, c, ZL_FACT_ZERO, 1, -lo, 1);
    if (!one && lo != known.lo) status = put_new(to, c, ZL_FACT_AT_MOST, -1, lo, 1);
    if (!status && !one && hi != known.hi) status = put_new(to, c, ZL_FACT_AT_MOST, 1, -hi, 1);
    for (size_t i = first; i < all->count && !status; i++) {
        zlay_range r = all->at[i].range;
        bool more = all->at[i].place == c->place && r.mod > 1;
        if (more) status = put_new(to, c, ZL_FACT_MOD, 1, -r.rem, r.mod);
    }
    return status;
}

/* -2^63 is none: a term may be printed with its sign changed. */
static bool fits(zl_i128 lo, zl_i128 hi) { return lo > INT64_MIN && hi <= INT64_MAX; }

/* Whether each term of a sum, and the sum up to it, fits 64 bits over ranges of the unknowns. */
static bool sum_fits(const zl_relation_fact *test, const zl_unknowns *u)
{
    zl_i128 least = 0, greatest = 0;
    for (size_t i = 0; i < test->count; i++) {
        zlay_range r = u->at[test->place[i]].range;
        zl_i128 a = (zl_i128)test->coefficient[i] * r.lo, b = (zl_i128)test->coefficient[i] * r.hi;
        zl_i128 lo = a < b ? a : b, hi = a < b ? b : a;
        least += lo;
        greatest += hi;
        if (!fits(lo, hi) || !fits(least, greatest)) return false;
    }
    return fits(least + test->rest, greatest + test->rest);
}

static zlay_status sums_check(const zl_unknowns *u, const zl_constraints *c, const char *what)
{
    for (size_t i = 0; i < c->relations; i++) {
        const zl_relation_fact *test = &c->relation[i];
        if (test->count > 1 && !sum_fits(test, u))
            return zl_fail(u->ctx, ZLAY_EOVERFLOW,
                           "%s[%zu]: its sum may pass 64 bits; ranges of its unknowns among the facts bound it", what,
                           test->fact);
    }
    return ZLAY_OK;
}

static void meet_ranges(zl_unknowns *u, const zl_constraints *c)
{
    for (size_t i = 0; i < c->count; i++) {
        zlay_range *range = &u->at[c->at[i].place].range;
        *range = zl_range_meet(*range, c->at[i].range);
    }
}

/* Tests of one name stand first: what they say of a domain bounds the sums of the others. */
static zlay_status put_tests(zl_constraints *to, const zl_constraints *c, const zl_unknowns *u, const char *what, bool domain)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; i < c->count && !status; i++)
        status = of_text(to->ctx, range_check(to->ctx, &c->at[i]), what, (uint32_t)c->at[i].fact);
    for (size_t i = 0; i < c->count && !status; i++) {
        size_t before = 0;
        while (before < i && c->at[before].place != c->at[i].place) before++;
        if (before == i) status = put_ranges(to, c, i, domain ? zl_range_all() : u->at[c->at[i].place].range);
    }
    for (size_t i = 0; i < c->relations && !status; i++) status = zl_relations_add(to, &c->relation[i]);
    return status;
}

zlay_status zl_variant_guard_read(zl_unknowns *u, zl_variant_guard *out, const char *what, const char *const *text,
                                  uint32_t count, bool domain)
{
    zl_constraints read = {.ctx = u->ctx}, tests = {.ctx = u->ctx};
    zlay_status status = ZLAY_OK;
    if (count && !text) return zl_fail(u->ctx, ZLAY_EINVAL, "%s is NULL", what);
    for (uint32_t i = 0; i < count && !status; i++) status = of_text(u->ctx, read_text(u, &read, text[i], i), what, i);
    if (!status) status = put_tests(&tests, &read, u, what, domain);
    if (!status && domain) meet_ranges(u, &read);
    if (!status) status = sums_check(u, &read, what);
    *out = (zl_variant_guard){tests.relations, tests.relation};
    return status;
}

/* ---- values ---------------------------------------------------------------------------------- */

static bool test_holds(const zl_relation_fact *test, const int64_t *value)
{
    zl_i128 sum = test->rest;
    for (size_t i = 0; i < test->count; i++) sum += (zl_i128)test->coefficient[i] * value[test->place[i]];
    if (test->how == ZL_FACT_AT_MOST) return sum <= 0;
    return test->how == ZL_FACT_ZERO ? !sum : sum % test->mod == 0;
}

bool zl_variant_guard_holds(const zl_variant_guard *c, const int64_t *value)
{
    for (size_t i = 0; i < c->count; i++)
        if (!test_holds(&c->test[i], value)) return false;
    return true;
}
