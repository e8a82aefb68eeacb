/* SPDX-License-Identifier: Apache-2.0 */
/* The four questions asked of symbolic layouts: numbers where the names do not matter, else cases
 * of names.  What is NO for all values shows at the sample, the values nearest to 0. */
#include "algebra/decide/decide.h"
#include "algebra/decide/symbol_ask.h"

#include <string.h>

/* ---- samples --------------------------------------------------------------------------------- */

/* Of a range the integer nearest to `from`. */
static int64_t nearest(zlay_range r, int64_t from)
{
    if (!r.mod) return r.rem;
    if (r.lo > from) return r.lo;
    if (r.hi < from) return r.hi;
    int64_t rest = (r.rem - from % r.mod) % r.mod, at;
    if (rest < 0) rest += r.mod;
    return zl_add(from, rest, &at) && at <= r.hi ? at : from - (r.mod - rest);
}

/* The sum of a slack, 0 where it does not fit. */
static int64_t sum_of(const int64_t *value, const zl_symbols *s, const zl_slack *slack)
{
    int64_t sum = 0, product;
    for (size_t k = 0; k < ZL_SLACK_TERMS; k++) {
        product = slack->term[k].factor;
        for (size_t i = 0; i < s->names; i++)
            if (slack->term[k].power[i] && !zl_mul(product, value[i], &product)) return 0;
        if (!zl_add(sum, product, &sum)) return 0;
    }
    return sum;
}

/* Where a slack is below 0, the first name that can make up for it does, as little as it can. */
static void meet_slack(int64_t *value, const zl_symbols *s, const zl_slack *slack)
{
    int64_t lack = sum_of(value, s, slack);
    for (size_t i = 0; i < s->names && lack < 0 && lack > INT64_MIN / 2; i++)
        for (size_t k = 0; k < ZL_SLACK_TERMS; k++) {
            int64_t factor = slack->term[k].factor, step, next;
            if (!slack->term[k].power[i] || factor == INT64_MIN) continue;
            step = (-lack - 1) / (factor < 0 ? -factor : factor) + 1;
            if (!zl_add(value[i], factor < 0 ? -step : step, &next)) continue;
            zlay_range side = zl_range_meet(s->name[i].range, factor < 0
                                                ? zl_range_between(INT64_MIN, next)
                                                : zl_range_between(next, INT64_MAX));
            if (zl_range_is_empty(side)) continue;
            value[i] = nearest(side, next);
            return;
        }
}

enum { ROUNDS = 8 };

/* Rounded quotients of a name have the value that its own value gives. */
static void round_up(int64_t *value, const zl_symbols *s, const zl_quotient *q)
{
    int64_t base;
    zl_quotient own;
    size_t at = 0;
    while (at < s->names && (zl_quotient_read(&own, s->name[at].name.text),
                             own.up || strcmp(own.base.text, q->base.text) != 0))
        at++;
    if (at == s->names || !zl_mul(value[at], q->by, &base)) return;
    for (size_t i = 0; i < s->names; i++) {
        zl_quotient_read(&own, s->name[i].name.text);
        if (own.up && !strcmp(own.base.text, q->base.text))
            (void)zl_symbol_value(&value[i], s->name[i].name.text, base);
    }
}

/* One point of an extent shows nothing, so 2 where it may be. */
static void sample_of(int64_t *value, const zl_symbols *s)
{
    for (size_t i = 0; i < s->names; i++)
        value[i] = nearest(s->name[i].range, s->name[i].range.lo >= 1 ? 2 : 0);
    for (int round = 0; round < ROUNDS; round++)
        for (size_t i = 0; i < s->slacks; i++) meet_slack(value, s, &s->slack[i]);
    for (size_t i = 0; i < s->names; i++) {
        zl_quotient q;
        zl_quotient_read(&q, s->name[i].name.text);
        if (!q.up) round_up(value, s, &q);
    }
}

/* Names of b that a has too are known by both. */
static zlay_status both_of(zlay_ctx *ctx, zl_symbols side[2], const zlay_layout *a,
                           const zlay_layout *b)
{
    zlay_status status = zl_symbols_of(ctx, &side[0], a);
    if (!status) status = b ? zl_symbols_of(ctx, &side[1], b) : ZLAY_OK;
    if (!status && b) status = zl_symbols_share(ctx, &side[0], &side[1]);
    for (size_t i = 0; b && i < side[0].names && !status; i++)
        if (zl_range_is_empty(side[0].name[i].range))
            status = zl_fail(ctx, ZLAY_EINVAL, "the facts leave no value for %s",
                             side[0].name[i].name.text);
    return status;
}

zlay_status zl_symbols_sample(zlay_ctx *ctx, zlay_layout **out, zl_symbols *s)
{
    int64_t value[ZL_SYMBOLS_MOST];
    sample_of(value, s);
    for (size_t i = 0; i < s->names; i++)
        if (!zl_symbols_put(s, i, value[i])) return zl_symbols_overflow(ctx);
    return zl_symbols_layout(ctx, out, s);
}

static bool is_name(const zlay_layout *a, const char *name, size_t end)
{
    const char *own;
    for (size_t i = 0; i < end && (own = zlay_layout_param_nth(a, i)); i++)
        if (!strcmp(own, name)) return true;
    return false;
}

/* Values of the names of `of`, but of those that `before` has. */
static size_t put_values(int64_t *values, size_t room, size_t at, const zl_symbols *all,
                         const zlay_layout *of, const zlay_layout *before)
{
    int64_t value[ZL_SYMBOLS_MOST];
    const char *name;
    sample_of(value, all);
    for (size_t i = 0; (name = zlay_layout_param_nth(of, i)); i++) {
        if (before && is_name(before, name, SIZE_MAX)) continue;
        for (size_t k = 0; k < all->names; k++) {
            zl_quotient q;
            zl_quotient_read(&q, all->name[k].name.text);
            if (at < room && !strcmp(q.base.text, name) && (!q.up || q.times == 1))
                values[at] = value[k] * q.by;
            if (at < room && !q.up && !strcmp(q.base.text, name)) break;
        }
        at++;
    }
    return at;
}

static zlay_status sample(zlay_ctx *ctx, int64_t *values, size_t room, const zlay_layout *a,
                          const zlay_layout *b)
{
    if (!a || (room && !values)) return zl_fail(ctx, ZLAY_EINVAL, "a pointer is NULL");
    if (!a->symbols && !(b && b->symbols)) return ZLAY_OK;
    zl_symbols *side = zl_scratch(ctx, 2, sizeof *side);
    if (!side) return ZLAY_ENOMEM;
    zlay_status status = both_of(ctx, side, a, b);
    if (!status) {
        size_t at = put_values(values, room, 0, &side[0], a, NULL);
        if (b) put_values(values, room, at, &side[0], b, a);
    }
    return status == ZLAY_NONE ? zl_fail(ctx, ZLAY_EINVAL, "one layout has no strides") : status;
}

zlay_status zlay_layout_sample(zlay_ctx *ctx, int64_t *values, size_t room, const zlay_layout *a,
                               const zlay_layout *b)
{
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave(ctx, sample(ctx, values, room, a, b));
}

/* ---- questions ------------------------------------------------------------------------- */

/* Names in the offset alone, and what is asked does not look at it. */
static bool only_offset(const zl_symbols *s)
{
    for (size_t i = 0; i < s->leaves; i++)
        if (!zl_monomial_constant(&s->leaf[i].shape) || !zl_monomial_constant(&s->leaf[i].stride))
            return false;
    return true;
}

static zlay_status injective(zlay_ctx *ctx, zl_symbol_equality *out, zl_symbols *s)
{
    zlay_layout *fixed;
    uint64_t pair[2];
    if (!only_offset(s)) return zl_symbols_injective(ctx, out, s);
    s->offset.count = 0;
    *out = (zl_symbol_equality){.at = -1};
    zlay_status status = zl_symbols_layout(ctx, &fixed, s);
    if (status) return status;
    status = zl_injective_numbers(ctx, &out->answer, pair, fixed);
    zlay_layout_free(fixed);
    return status;
}

static zlay_status answer(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbol_question *q,
                          zl_symbols side[2])
{
    zlay_status status = both_of(ctx, side, q->a, q->b);
    if (status == ZLAY_NONE)
        return zl_symbols_open(ctx, out, "one layout is symbolic, the other not strided");
    if (status) return status;
    zl_symbols_merge(&side[0], false);
    zl_symbols_merge(&side[1], false);
    switch (q->what) {
    case ZL_ASK_INJECTIVE: return injective(ctx, out, &side[0]);
    case ZL_ASK_SURJECTIVE: return zl_symbols_surjective(ctx, out, &side[0], q->onto);
    case ZL_ASK_BIJECTIVE: return zl_symbols_bijective(ctx, out, &side[0]);
    default: return zl_symbols_contained(ctx, out, &side[0], &side[1]);
    }
}

zlay_status zl_symbols_ask(zlay_ctx *ctx, zl_symbol_equality *out, const zl_symbol_question *q)
{
    zl_mark mark = zl_scratch_mark(ctx);
    zl_symbols *side = zl_scratch(ctx, 2, sizeof *side);
    if (!side) return ZLAY_ENOMEM;
    zlay_status status = answer(ctx, out, q, side);
    zl_scratch_release(ctx, mark);
    return status;
}

/* Both at the sample; NULL where a number does not fit there. */
static zlay_status at_sample(zlay_ctx *ctx, zlay_layout *out[2], const zl_symbol_question *q)
{
    zl_mark mark = zl_scratch_mark(ctx);
    zl_symbols *side = zl_scratch(ctx, 2, sizeof *side);
    if (!side) return ZLAY_ENOMEM;
    zlay_status status = both_of(ctx, side, q->a, q->b);
    for (int i = 0; i < (q->b ? 2 : 1) && !status; i++)
        status = zl_symbols_sample(ctx, &out[i], &side[i]);
    zl_scratch_release(ctx, mark);
    return status;
}

zlay_status zl_symbols_decide(zlay_ctx *ctx, zlay_answer *out, zlay_layout *shown[2],
                              const zl_symbol_question *q)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zl_symbol_equality e = {.answer = ZLAY_UNDECIDED};
    shown[0] = shown[1] = NULL;
    zlay_status status = zl_symbols_ask(ctx, &e, q);
    if (status) return status;
    *out = e.answer;
    if (e.guard)
        status = zl_fail(ctx, ZLAY_OK, "%s exactly where %s", zl_ask_name(q->what), e.guard);
    zl_free(&alloc, e.guard, e.length + 1);
    if (status || e.answer != ZLAY_NO) return status;
    status = at_sample(ctx, shown, q);
    bool fits = status != ZLAY_EOVERFLOW && status != ZLAY_ELIMIT && status != ZLAY_EINVAL;
    return fits ? status : zl_fail(ctx, ZLAY_OK, "%s", "");
}

const char *zl_ask_name(zl_ask what)
{
    static const char *const names[] = {"injective", "onto", "bijective", "contained"};
    return names[what];
}

/* ---- guards ---------------------------------------------------------------------------- */

zlay_status zl_symbols_put_guard(zlay_ctx *ctx, zlay_buf *buf, const zl_symbol_equality *e)
{
    if (!buf) return ZLAY_OK;
    buf->need = e->length;
    if (e->length >= buf->room)
        return zl_fail(ctx, ZLAY_EROOM, "the guard has %zu bytes", e->length);
    memcpy(buf->text, e->guard ? e->guard : "", e->length + 1);
    return ZLAY_OK;
}

static zlay_status guard_of(zlay_ctx *ctx, zlay_answer *out, zlay_buf *guard,
                            const zl_symbol_question *q)
{
    zlay_allocator alloc = zl_allocator(ctx);
    zl_symbol_equality e = {.answer = ZLAY_UNDECIDED};
    bool two = q->what == ZL_ASK_CONTAINED;
    if (!q->a || (two && !q->b)) return zl_fail(ctx, ZLAY_EINVAL, "a layout is NULL");
    if (!q->a->symbols && !(two && q->b->symbols))
        return zl_fail(ctx, ZLAY_EINVAL, "no layout is symbolic: its answer has no guard");
    if (q->what == ZL_ASK_SURJECTIVE && q->onto < 1)
        return zl_fail(ctx, ZLAY_EINVAL, "onto %lld values", (long long)q->onto);
    zlay_status status = zl_symbols_ask(ctx, &e, q);
    if (!status) status = zl_symbols_put_guard(ctx, guard, &e);
    if (!status) *out = e.answer;
    zl_free(&alloc, e.guard, e.length + 1);
    return status;
}

static zlay_status ask(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard, zl_symbol_question q)
{
    if (!answer || (guard && guard->room && !guard->text)) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    return status ? status : zl_leave_answer(ctx, guard_of(ctx, answer, guard, &q), answer);
}

zlay_status zl_layout_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                            const zl_symbol_question *q)
{
    zl_mark mark = zl_enter_part(ctx);
    return zl_leave_part_answer(ctx, mark, guard_of(ctx, answer, guard, q), answer);
}

zlay_status zlay_layout_injective_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                        const zlay_layout *a)
{
    return ask(ctx, answer, guard, (zl_symbol_question){ZL_ASK_INJECTIVE, a, NULL, 0});
}

zlay_status zlay_layout_surjective_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                         const zlay_layout *a, int64_t onto)
{
    return ask(ctx, answer, guard, (zl_symbol_question){ZL_ASK_SURJECTIVE, a, NULL, onto});
}

zlay_status zlay_layout_bijective_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                        const zlay_layout *a)
{
    return ask(ctx, answer, guard, (zl_symbol_question){ZL_ASK_BIJECTIVE, a, NULL, 0});
}

zlay_status zlay_layout_contained_guard(zlay_ctx *ctx, zlay_answer *answer, zlay_buf *guard,
                                        const zlay_layout *a, const zlay_layout *b)
{
    return ask(ctx, answer, guard, (zl_symbol_question){ZL_ASK_CONTAINED, a, b, 0});
}
