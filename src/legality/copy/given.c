/* SPDX-License-Identifier: Apache-2.0 */
/* Issued copies under facts. */
#include "base/request.h"
#include "legality/copy/copy.h"
#include "rules/bounds.h"
#include "legality/tensormap/symbolic.h"

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

/* The box of a copy by threads has no bounds of its own: its extents are numbers. */
static bool take_of_map(zl_given *g, const zlay_given *given)
{
    bool box = given->field == ZLAY_FIELD_BOX;
    if (!g->map || (box && !zl_is_in(g->issue->issue.kind, ZL_KINDS_TENSOR))) return false;
    return zl_map_symbolic.take(g, given);
}

static bool take(zl_given *g, const zlay_given *given)
{
    zlay_issue *c = &g->issue->issue;
    const uint64_t one = 1;
    uint32_t i = (uint32_t)given->index;
    if (zl_of_map(given)) return take_of_map(g, given);
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
    if (zl_of_map(given) && zl_is_in(g->issue->issue.kind, ZL_KINDS_TENSOR))
        return zl_map_symbolic.typed(lo, hi, g, given);
    *lo = narrow ? INT32_MIN : 0;
    *hi = narrow ? INT32_MAX : INT64_MAX;
    return true;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* The field that a quantity reads, alone or with the bytes. */
static int32_t field_of(zl_quantity q, const zl_given *g)
{
    switch (q) {
    case ZL_Q_COPY_ROW_BYTES: return ZLAY_FIELD_EXTENT;
    case ZL_Q_COPY_PITCH: return ZLAY_FIELD_STRIDE;
    case ZL_Q_COPY_BOX1: return ZLAY_FIELD_BOX;
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
    case ZL_Q_COPY_ADDRESS: return g->issue->map ? ZLAY_FIELD_ADDRESS : ZLAY_FIELD_SOURCE;
    case ZL_Q_COPY_SOURCE: return ZLAY_FIELD_SOURCE;
    case ZL_Q_COPY_BARRIER:
    case ZL_Q_COPY_BARRIER_END: return ZLAY_FIELD_BARRIER;
    case ZL_Q_EXPECT:
    case ZL_Q_COPY_EXPECT: return ZLAY_FIELD_EXPECT;
    case ZL_Q_COUNT: return ZLAY_FIELD_COUNT;
    default: return ZLAY_FIELD_NONE;
    }
}

/* Whether the bytes of the box are no number: of a box of columns they are. */
static bool boxed(const zl_given *g)
{
    return g->map && g->map->mode == 0 && zl_box_symbolic(g);
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

static int64_t boxes_of(const zl_given *g)
{
    bool four = zl_is_in(g->issue->issue.mode, MODE(GATHER4) | MODE(SCATTER4));
    return four ? 4 : 1;
}

/* lo <= operand + times boxes <= hi, where a text is in the box. */
static void with_box(zl_condition *c, const zl_given *g, zl_asks asks, uint64_t operand)
{
    c->asks = (int32_t)asks;
    c->times = (asks == ZL_ASKS_PLACED ? 1 : -1) * boxes_of(g);
    c->offset = number(c->a, operand);
    zl_box_single(c, g);
}

/* The end of a bulk copy is the sum of two operands, of a box the address and its bytes. */
static void end_of(zl_condition *c, const zl_given *g)
{
    const zlay_issue *issue = &g->issue->issue;
    if (zl_is_in(issue->kind, ZL_KINDS_TENSOR)) {
        if (boxed(g)) with_box(c, g, ZL_ASKS_PLACED, issue->smem);
        else behind(c, ZL_Q_COPY_SMEM_END, g);
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

/* What is stated or expected is the bytes of the box, no less, or no more. */
static void box_of(zl_condition *c, const zl_rule *rule, const zl_given *g, uint64_t operand)
{
    bool equal = rule->relation == ZLAY_REL_EQUAL;
    if (!boxed(g)) return;
    c->lo = equal || zl_bound_is(rule->lo, COPY_BOX_BYTES) ? 0 : INT64_MIN;
    c->hi = equal || zl_bound_is(rule->hi, COPY_BOX_BYTES) ? 0 : INT64_MAX;
    with_box(c, g, ZL_ASKS_COPIED, operand);
}

static bool asks(zl_condition *c, const zl_rule *rule, const zl_given *g, uint32_t i)
{
    int32_t field = field_of(rule->quantity, g);
    bool second = rule->quantity == ZL_Q_COPY_W_OFFSET || rule->quantity == ZL_Q_COPY_BOX1;
    uint32_t at = second ? 1 : i;
    if (field == ZLAY_FIELD_NONE) return false;
    *c = zl_condition_of(rule, g, i, zl_given_at(g, field, at));
    switch (rule->quantity) {
    case ZL_Q_COPY_ROW_BYTES:
    case ZL_Q_COPY_X_BYTES: c->scale = zlay_tensormap_type_bits(g->issue->map->type) / 8; break;
    case ZL_Q_COPY_SMEM_END: end_of(c, g); break;
    case ZL_Q_COPY_BARRIER_END: behind(c, rule->quantity, g); break;
    case ZL_Q_COPY_EXPECT:
        if (zl_bound_is(rule->lo, COPY_SIZE_BYTES)) expect_of(c, g, true);
        else if (zl_bound_is(rule->hi, COPY_SIZE_BYTES)) expect_of(c, g, false);
        else box_of(c, rule, g, g->issue->issue.expect);
        break;
    case ZL_Q_COPY_BYTES: box_of(c, rule, g, g->issue->issue.bytes); break;
    default: break;
    }
    return c->a != ZL_GIVEN_NONE || c->b != ZL_GIVEN_NONE || c->times;
}

/* Addresses end by their bytes, and what is expected is what is moved. */
static bool repairs(const zl_given *g, int32_t field)
{
    bool bytes = zl_given_at(g, ZLAY_FIELD_BYTES, 0) != ZL_GIVEN_NONE || boxed(g);
    bool expect = zl_given_at(g, ZLAY_FIELD_EXPECT, 0) != ZL_GIVEN_NONE;
    if (field == ZLAY_FIELD_SMEM || field == ZLAY_FIELD_EXPECT) return !bytes;
    return field != ZLAY_FIELD_BYTES || !expect;
}

static const zl_given_part map_part = {ZL_Q_COPY_MAP, &zl_map_symbolic, &zl_tensormap_form, zl_map_symbolic_any};

static const zl_given_form form = {
    "coordinates, offsets, smem, source, barrier, expect, bytes or count, nor of the map", false,
    take, typed, asks, repairs, &zl_map_box, &map_part};

zlay_status zl_issue_check_symbolic(zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons,
                                    size_t room, zlay_buf *guard,
                                    const zlay_issue_question *question)
{
    static const zl_request_form request = {"zlay_issue_question",
                                            sizeof(zlay_issue_question),
                                            sizeof question->size,
                                            {{0}}};
    zlay_issue_question q;
    if (!question || !zl_symbolic_askable(out, reasons, room, guard) ||
        zl_request_read(NULL, &q, question, &request))
        return ZLAY_EINVAL;
    if (!q.target || !zl_issue_askable(q.issue, q.map) || q.issue->width > WIDTH_MOST)
        return ZLAY_EINVAL;
    zlay_tensormap map = {0};
    if (q.map) map = *q.map;
    zl_issue issue = zl_issue_asked(q.issue, q.map ? &map : NULL);
    zl_given g = {.ctx = ctx, .form = &form, .subject = {&zl_copy_form, q.target, &issue},
                  .map = q.map ? &map : NULL, .issue = &issue, .text = q.given, .count = q.count, .facts = q.facts};
    return zl_given_check(&g, out, reasons, room, guard);
}

zlay_status zlay_issue_check_given(zlay_ctx *ctx, zlay_verdict *out, zlay_reason *reasons,
                                   size_t room, zlay_buf *guard,
                                   const zlay_issue_question *question)
{
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    return zl_leave(ctx, zl_issue_check_symbolic(ctx, out, reasons, room, guard, question));
}
