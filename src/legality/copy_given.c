/* SPDX-License-Identifier: Apache-2.0 */
/* Issued copies under facts. */
#include "legality/copy.h"
#include "legality/given.h"

#include <string.h>

/* Numbers this far off break what is asked of them, and sums of them fit. */
enum { WIDTH_MOST = 32 };
static const int64_t far_off = INT64_C(1) << 60;

/* ---- entries ---------------------------------------------------------------------------- */

static const struct {
    int32_t field;
    uint32_t offset, known; /* in a zlay_issue; the operand that a text makes known */
} entries[] = {{ZLAY_FIELD_SMEM, offsetof(zlay_issue, smem), 0},
               {ZLAY_FIELD_SOURCE, offsetof(zlay_issue, source), 0},
               {ZLAY_FIELD_BYTES, offsetof(zlay_issue, bytes), 0},
               {ZLAY_FIELD_BARRIER, offsetof(zlay_issue, barrier), ZLAY_GIVEN_BARRIER},
               {ZLAY_FIELD_EXPECT, offsetof(zlay_issue, expect), ZLAY_GIVEN_EXPECT | PHASE_GIVEN},
               {ZLAY_FIELD_COUNT, offsetof(zlay_issue, count), ZLAY_GIVEN_COUNT}};

static bool take(zl_given *g, const zlay_given *given)
{
    zlay_issue *c = &g->issue->issue;
    const uint64_t one = 1;
    uint32_t i = (uint32_t)given->index;
    if (given->field == ZLAY_FIELD_COORDINATE && i < zl_coordinates(c)) {
        c->coordinate[i] = 1;
        return true;
    }
    if (given->field == ZLAY_FIELD_OFFSET && i < ZL_COUNT(c->offset)) {
        c->offset[i] = 1;
        return true;
    }
    for (size_t k = 0; k < ZL_COUNT(entries); k++) {
        if (entries[k].field != given->field) continue;
        memcpy((char *)c + entries[k].offset, &one, sizeof one);
        c->given |= entries[k].known;
        return true;
    }
    return false;
}

static bool typed(int64_t *lo, int64_t *hi, const zl_given *g, const zlay_given *given)
{
    bool narrow = given->field == ZLAY_FIELD_COORDINATE || given->field == ZLAY_FIELD_OFFSET;
    (void)g;
    *lo = narrow ? INT32_MIN : 0;
    *hi = narrow ? INT32_MAX : INT64_MAX;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* The field that a quantity reads, alone or with the bytes. */
static int32_t field_of(zl_quantity q, const zl_given *g)
{
    switch (q) {
    case ZL_Q_COPY_X:
    case ZL_Q_COPY_X_BYTES:
    case ZL_Q_COPY_AT: return ZLAY_FIELD_COORDINATE;
    case ZL_Q_COPY_OFFSET:
    case ZL_Q_COPY_HALO:
    case ZL_Q_COPY_W_OFFSET: return ZLAY_FIELD_OFFSET;
    case ZL_Q_COPY_BYTES:
    case ZL_Q_COPY_SIZE: return ZLAY_FIELD_BYTES;
    case ZL_Q_COPY_SMEM:
    case ZL_Q_COPY_SMEM_END: return ZLAY_FIELD_SMEM;
    case ZL_Q_COPY_ADDRESS: return g->issue->map ? ZLAY_FIELD_NONE : ZLAY_FIELD_SOURCE;
    case ZL_Q_COPY_SOURCE: return ZLAY_FIELD_SOURCE;
    case ZL_Q_COPY_BARRIER:
    case ZL_Q_COPY_BARRIER_END: return ZLAY_FIELD_BARRIER;
    case ZL_Q_EXPECT:
    case ZL_Q_COPY_EXPECT: return ZLAY_FIELD_EXPECT;
    case ZL_Q_COUNT: return ZLAY_FIELD_COUNT;
    default: return ZLAY_FIELD_NONE;
    }
}

static int64_t number(uint8_t text, uint64_t value)
{
    int64_t whole = zl_bounded(value);
    return text != ZL_GIVEN_NONE ? 0 : whole < far_off ? whole : far_off;
}

/* What a quantity adds to its text. */
static void behind(zl_condition *c, zl_quantity q, const zl_given *g)
{
    c->offset = number(ZL_GIVEN_NONE, zl_quantity_value(q, &g->subject, 0) - 1);
}

/* The end of a bulk copy is the sum of two operands, of a box the address and its bytes. */
static void end_of(zl_condition *c, const zl_given *g)
{
    const zlay_issue *issue = &g->issue->issue;
    if (zl_kind_in(issue->kind, ZL_KINDS_TENSOR)) {
        behind(c, ZL_Q_COPY_SMEM_END, g);
        return;
    }
    c->b = zl_given_at(g, ZLAY_FIELD_BYTES, 0);
    c->times = c->b != ZL_GIVEN_NONE;
    c->offset = number(c->a, issue->smem) + number(c->b, issue->bytes);
}

/* lo: expect is no less than a size operand that is given; else no more. */
static void expect_of(zl_condition *c, const zl_given *g, bool lo)
{
    const zlay_issue *issue = &g->issue->issue;
    c->b = zl_given_at(g, ZLAY_FIELD_BYTES, 0);
    if (c->b == ZL_GIVEN_NONE) return;
    c->times = -1;
    c->offset = number(c->a, issue->expect);
    c->lo = lo ? 0 : INT64_MIN;
    c->hi = lo ? INT64_MAX : 0;
}

static bool asks(zl_condition *c, const zl_rule *rule, const zl_given *g, uint32_t i)
{
    int32_t field = field_of(rule->quantity, g);
    uint32_t at = rule->quantity == ZL_Q_COPY_W_OFFSET ? 1 : i;
    if (field == ZLAY_FIELD_NONE) return false;
    *c = zl_condition_of(rule, g, i, zl_given_at(g, field, at));
    switch (rule->quantity) {
    case ZL_Q_COPY_X_BYTES: c->scale = zlay_tensormap_type_bits(g->issue->map->type) / 8; break;
    case ZL_Q_COPY_SMEM_END: end_of(c, g); break;
    case ZL_Q_COPY_BARRIER_END: behind(c, rule->quantity, g); break;
    case ZL_Q_COPY_EXPECT:
        if (rule->lo == ZL_BOUND_SIZE || rule->hi == ZL_BOUND_SIZE)
            expect_of(c, g, rule->lo == ZL_BOUND_SIZE);
        break;
    default: break;
    }
    return c->a != ZL_GIVEN_NONE || c->b != ZL_GIVEN_NONE;
}

/* Addresses end by their bytes, and what is expected is what is moved. */
static bool repairs(const zl_given *g, int32_t field)
{
    bool bytes = zl_given_at(g, ZLAY_FIELD_BYTES, 0) != ZL_GIVEN_NONE;
    bool expect = zl_given_at(g, ZLAY_FIELD_EXPECT, 0) != ZL_GIVEN_NONE;
    if (field == ZLAY_FIELD_SMEM || field == ZLAY_FIELD_EXPECT) return !bytes;
    return field != ZLAY_FIELD_BYTES || !expect;
}

static const zl_given_form form = {
    "coordinates, offsets, smem, source, barrier, expect, bytes or count", false, take, typed,
    asks, repairs};

zlay_status zlay_issue_check_given(zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons,
                                   size_t room, zlay_buf *guard,
                                   const zlay_issue_question *question)
{
    zlay_issue_question q;
    memset(&q, 0, sizeof q);
    if (!question || !zl_given_askable(out, reasons, room, guard)) return ZLAY_EINVAL;
    memcpy(&q, question, question->size < sizeof q ? question->size : sizeof q);
    if (!q.target || !zl_issue_askable(q.issue, q.map) || q.issue->width > WIDTH_MOST)
        return ZLAY_EINVAL;
    zl_issue issue = zl_issue_asked(q.issue, q.map);
    zl_given g = {.ctx = ctx, .form = &form, .subject = {ZL_SUBJECT_COPY, q.target, &issue},
                  .issue = &issue, .text = q.given, .count = q.count, .facts = q.facts};
    return zl_given_check(&g, out, reasons, room, guard);
}
