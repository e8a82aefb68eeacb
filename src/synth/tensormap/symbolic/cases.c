/* SPDX-License-Identifier: Apache-2.0 */
/* Distinguishes cases of unknowns where no single move is right for all values that the facts
 * allow.
 *
 * An extent of one cell needs no pitch, an extent of one tile has no next tile, and a stride may be
 * 1. So the values of a name are cut into intervals: at 1, which makes an extent one cell or a
 * stride 1, and at the value for which an extent is one tile. Where copies are found for values up
 * to a cut, the guard begins with that interval. Where every choice of intervals has cells that no
 * copies bring, the answer is NONE. */
#include "synth/tensormap/symbolic/symbolic.h"

#include <stdio.h>
#include <string.h>

enum { NAMES = 4, CUTS = 3, CHOICES = CUTS + 1, CASES = 1024, TEXT = 512 };

typedef struct cuts {
    const char *name;
    zlay_range range;
    uint32_t count;
    int64_t at[CUTS]; /* rising, none below 1 */
} cuts;

typedef struct cases {
    zlay_ctx *ctx;
    const zlay_target *target;
    const zlay_tensormap_request *request;
    uint32_t names;
    cuts name[NAMES];
    uint8_t dead[CASES]; /* by intervals, first name fastest; 1: proved to have no copies */
    char why[TEXT];      /* the rule and the byte, of one such case */
} cases;

/* ---- cuts ------------------------------------------------------------------------------ */

static void cut_put(cuts *c, int64_t at)
{
    uint32_t k = 0;
    if (at < 1 || at < c->range.lo || at >= c->range.hi || c->count == CUTS) return;
    while (k < c->count && c->at[k] < at) k++;
    if (k < c->count && c->at[k] == at) return;
    memmove(&c->at[k + 1], &c->at[k], (c->count - k) * sizeof *c->at);
    c->at[k] = at;
    c->count++;
}

/* The factor of a monomial that is a number times one name; 0: it has another form. */
static int64_t factor_of(const zl_monomial *m, size_t name)
{
    zl_monomial rest = *m;
    if (m->power[name] != 1 || m->factor < 1) return 0;
    rest.power[name] = 0;
    return zl_monomial_constant(&rest) ? m->factor : 0;
}

static void cuts_of(cuts *out, const zl_symbols *s, size_t name, const uint64_t *tile)
{
    *out = (cuts){.name = s->name[name].name.text, .range = s->name[name].range};
    for (size_t k = 0; k < s->leaves; k++) {
        int64_t cells = factor_of(&s->leaf[k].shape, name);
        if (cells) cut_put(out, (int64_t)tile[k] / cells);
        if (cells == 1 || factor_of(&s->leaf[k].stride, name) == 1) cut_put(out, 1);
    }
}

static void cases_of(cases *c)
{
    const zl_symbols *s = c->request->source->symbols;
    for (size_t i = 0; i < s->names && c->names < NAMES; i++) {
        cuts_of(&c->name[c->names], s, i, c->request->shape);
        c->names += c->name[c->names].count > 0;
    }
}

/* ---- a case ------------------------------------------------------------------------------ */

/* The number of intervals: below 1, then up to each cut, then the rest. */
static uint32_t intervals(const cuts *c) { return c->count + 2; }

static zlay_range interval(const cuts *c, uint32_t i)
{
    int64_t lo = !i ? c->range.lo : i == 1 ? 1 : c->at[i - 2] + 1;
    int64_t hi = !i ? 0 : i <= c->count ? c->at[i - 1] : c->range.hi;
    return zl_range_meet(c->range, zl_range_between(lo, hi));
}

/* The values of a choice: choice 0 is all values, choice i the values from 1 to cut i - 1. */
static zlay_range chosen(const cuts *c, uint32_t choice)
{
    if (!choice) return c->range;
    return zl_range_meet(c->range, zl_range_between(1, c->at[choice - 1]));
}

/* Makes the source in which names have these ranges; ZLAY_NONE: there are no such values. */
static zlay_status narrowed(const cases *c, zlay_layout **out, const zlay_range *range)
{
    zl_symbols *s = zl_scratch(c->ctx, 1, sizeof *s);
    if (!s) return ZLAY_ENOMEM;
    *s = *c->request->source->symbols;
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < c->names; i++)
        for (size_t k = 0; k < s->names; k++) {
            if (strcmp(s->name[k].name.text, c->name[i].name) != 0) continue;
            s->name[k].range = range[i];
            if (zl_range_is_empty(range[i])) status = ZLAY_NONE;
        }
    if (!status) status = zl_symbols_layout(c->ctx, out, s);
    return status == ZLAY_EINVAL ? ZLAY_NONE : status;
}

/* ---- no copies for any numbers ---------------------------------------------------------- */

static uint32_t intervals_all(const cases *c)
{
    uint32_t all = 1;
    for (uint32_t i = 0; i < c->names; i++) all *= intervals(&c->name[i]);
    return all;
}

/* The status `open`, unless memory ran out or a defect was found. */
static zlay_status open_or(zlay_status status, zlay_status open)
{
    return status == ZLAY_ENOMEM || status == ZLAY_EINTERNAL ? status : open;
}

/* Proves, if possible, that a case has no copies. */
static zlay_status dead_find(cases *c, uint32_t at)
{
    zlay_range range[NAMES];
    zlay_layout *source = NULL;
    zl_mark mark = zl_scratch_mark(c->ctx);
    zlay_tensormap_request r = *c->request;
    for (uint32_t i = 0, rest = at; i < c->names; rest /= intervals(&c->name[i++]))
        range[i] = interval(&c->name[i], rest % intervals(&c->name[i]));
    zlay_status status = narrowed(c, &source, range);
    r.source = source;
    bool numbers = source && !zlay_layout_param_nth(source, 0);
    zlay_move *move = NULL;
    if (!status && numbers) status = zl_tm_synth(c->ctx, &move, c->target, &r, 0);
    else if (!status) status = zl_tm_never_of(c->ctx, c->target, &r);
    zlay_move_free(move);
    zlay_layout_free(source);
    zl_scratch_release(c->ctx, mark);
    c->dead[at] = status == ZLAY_NONE;
    if (source && c->dead[at]) snprintf(c->why, TEXT, "%s", zlay_ctx_message(c->ctx));
    return open_or(status, ZLAY_OK);
}

static zlay_status dead_all(cases *c, bool *all)
{
    zlay_status status = ZLAY_OK;
    *all = true;
    for (uint32_t at = 0, end = intervals_all(c); at < end && !status; at++) {
        status = dead_find(c, at);
        *all = *all && c->dead[at];
    }
    return status;
}

/* Whether every case that a choice contains is proved to have no copies. */
static bool all_dead(const cases *c, const uint32_t *choice)
{
    for (uint32_t at = 0, end = intervals_all(c); at < end; at++) {
        bool in = true;
        for (uint32_t i = 0, rest = at; i < c->names; rest /= intervals(&c->name[i++])) {
            uint32_t k = rest % intervals(&c->name[i]);
            in = in && (!choice[i] || (k && k <= choice[i]));
        }
        if (in && !c->dead[at]) return false;
    }
    return true;
}

/* ---- copies for some numbers -------------------------------------------------------------- */

static void condition_write(char text[TEXT], const cases *c, const uint32_t *choice)
{
    zl_text to = {text, TEXT, 0};
    for (uint32_t i = 0; i < c->names; i++) {
        if (!choice[i]) continue;
        zlay_range r = chosen(&c->name[i], choice[i]);
        zl_putf(&to, "%s%s %s %lld", to.need ? " && " : "", c->name[i].name,
                zl_range_is_constant(r) ? "==" : "<=", (long long)r.hi);
    }
    text[to.need < TEXT ? to.need : TEXT - 1] = 0;
}

/* Plans the request under a choice, which its guard then states. */
static zlay_status case_synth(const cases *c, zlay_move **out, const uint32_t *choice)
{
    char text[TEXT];
    zlay_range range[NAMES];
    zlay_layout *source = NULL;
    zl_mark mark = zl_scratch_mark(c->ctx);
    zlay_tensormap_request r = *c->request;
    if (all_dead(c, choice)) return ZLAY_ELIMIT;
    for (uint32_t i = 0; i < c->names; i++) range[i] = chosen(&c->name[i], choice[i]);
    zlay_status status = narrowed(c, &source, range);
    r.source = source;
    if (!status) status = zl_tm_synth_known(c->ctx, out, c->target, &r);
    zlay_layout_free(source);
    zl_scratch_release(c->ctx, mark);
    condition_write(text, c, choice);
    if (!status) return zl_tm_guard_case(c->ctx, *out, text);
    zlay_move_free(*out);
    *out = NULL;
    return open_or(status, ZLAY_ELIMIT);
}

/* The order in which choices are tried: those first that leave the most values. */
static uint32_t weight(const cuts *c, uint32_t choice)
{
    if (!choice) return 0;
    if (c->range.lo < 1) return 1;
    return c->count + 2 - choice;
}

static bool next_choice(const cases *c, uint32_t *choice)
{
    for (uint32_t i = 0; i < c->names; i++) {
        if (++choice[i] <= c->name[i].count) return true;
        choice[i] = 0;
    }
    return false;
}

static zlay_status some_synth(const cases *c, zlay_move **out)
{
    for (uint32_t all = 1; all <= NAMES * (CUTS + 1); all++) {
        uint32_t choice[NAMES] = {0};
        while (next_choice(c, choice)) {
            uint32_t sum = 0;
            for (uint32_t i = 0; i < c->names; i++) sum += weight(&c->name[i], choice[i]);
            if (sum != all) continue;
            zlay_status status = case_synth(c, out, choice);
            if (status != ZLAY_ELIMIT) return status;
        }
    }
    return ZLAY_ELIMIT;
}

static zlay_status cases_synth(cases *c, zlay_move **out)
{
    bool none;
    cases_of(c);
    zlay_status status = dead_all(c, &none);
    if (status) return status;
    if (none) return zl_fail(c->ctx, ZLAY_NONE, "%s", c->why);
    return some_synth(c, out);
}

zlay_status zl_tm_synth_cases(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                              const zlay_tensormap_request *request)
{
    char why[TEXT];
    if (request->tile || !request->source->symbols) return ZLAY_ELIMIT;
    snprintf(why, TEXT, "%s", zlay_ctx_message(ctx));
    cases *c = zl_scratch(ctx, 1, sizeof *c);
    if (!c) return ZLAY_ENOMEM;
    c->ctx = ctx;
    c->target = target;
    c->request = request;
    zlay_status status = cases_synth(c, out);
    return status == ZLAY_ELIMIT ? zl_fail(ctx, status, "%s", why) : status;
}
