/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions on tensor memory, one by one, as a subject of rules. */
#include "base/request.h"
#include "legality/tmem/tmem.h"
#include "rules/bounds.h"
#include "rules/constants.h"

_Static_assert((int)TENSOR_COLUMNS == (int)ZLAY_TMEM_COLUMNS, "tmem.h counts the columns too");
_Static_assert((int)TENSOR_COLUMN_LAST == (int)TENSOR_COLUMNS - 1, "columns count from 0");

static const zlay_tmem_issue *asked(const zl_subject *s) { return s->value; }

#define OP(name) (1u << ZLAY_TMEM_##name)
enum {
    ALLOCATES = OP(ALLOC) | OP(DEALLOC),
    WARP = OP(LD) | OP(ST) | OP(LD_RED),
    LOADS = OP(LD) | OP(LD_RED),
    ADDRESSED = WARP | OP(DEALLOC) | OP(CP) | OP(SHIFT) | OP(MMA),
    SHAPED = WARP | OP(CP) | OP(MMA),
    EVERY_OP = ALLOCATES | SHAPED | OP(SHIFT)
};

static bool is(const zlay_tmem_issue *t, uint32_t ops)
{
    return t->op > 0 && t->op < 32 && ops >> t->op & 1;
}

/* ---- what is accessed --------------------------------------------------------------------- */

static bool is_register_shape(int32_t shape)
{
    return shape >= ZLAY_TMEM_16X64B && shape <= ZLAY_TMEM_16X32BX2;
}

static bool is_copy_shape(int32_t shape)
{
    return shape >= ZLAY_TMEM_CP_128X256B && shape <= ZLAY_TMEM_CP_32X128B;
}

static bool is_path(int32_t shape)
{
    return shape >= ZLAY_TMEM_PATH_A && shape <= ZLAY_TMEM_PATH_G;
}

/* Rows in every second half of 32 lanes leave the other half to another product. */
static bool is_half_path(int32_t shape)
{
    return shape == ZLAY_TMEM_PATH_C || shape == ZLAY_TMEM_PATH_F;
}

static bool shape_fits(const zlay_tmem_issue *t)
{
    if (is(t, OP(LD_RED)))
        return t->shape == ZLAY_TMEM_32X32B || t->shape == ZLAY_TMEM_16X32BX2;
    if (is(t, OP(MMA))) return is_path(t->shape);
    return is(t, OP(CP)) ? is_copy_shape(t->shape) : is_register_shape(t->shape);
}

static uint64_t lane(const zlay_tmem_issue *t) { return t->address / ZLAY_TMEM_LANE; }
static uint64_t column(const zlay_tmem_issue *t) { return t->address % ZLAY_TMEM_LANE; }

/* Lanes from the first that is accessed to the last. */
static uint64_t lanes(const zlay_tmem_issue *t)
{
    if (is(t, SHAPED)) return zl_tmem_shape_of(t->shape)->lanes;
    return is(t, OP(DEALLOC)) ? ZLAY_TMEM_LANES : ZLAY_TMEM_LANES / 4;
}

static uint64_t columns(const zlay_tmem_issue *t)
{
    if (is(t, OP(DEALLOC))) return t->columns;
    if (is(t, OP(SHIFT))) return 1;
    uint64_t each = zl_tmem_shape_of(t->shape)->columns;
    if (is(t, OP(MMA))) return t->num / zl_tmem_shape_of(t->shape)->registers;
    if (is(t, OP(CP))) return each;
    return zl_umul_sat(each * (t->pack ? 2 : 1), t->num) + (uint64_t)t->half_split;
}

static uint64_t registers(const zlay_tmem_issue *t)
{
    return (uint64_t)zl_tmem_shape_of(t->shape)->registers * t->num;
}

/* ---- quantities ------------------------------------------------------------------------------ */

static bool op_on(const zl_subject *s)
{
    const zlay_tmem_issue *t = asked(s);
    if (is(t, OP(SHIFT))) return zl_t5_on(ZL_T5_SHIFT, s->target);
    return !is(t, OP(LD_RED)) || zl_t5_on(ZL_T5_LD_RED, s->target);
}

static uint64_t of_place(zl_quantity q, const zlay_tmem_issue *t)
{
    switch (q) {
    case ZL_Q_TMEM_LANE: return lane(t);
    case ZL_Q_TMEM_COLUMN: return column(t);
    case ZL_Q_TMEM_LANE_END: return lane(t) + lanes(t);
    case ZL_Q_TMEM_COLUMN_END: return column(t) + columns(t);
    case ZL_Q_TMEM_QUARTER: return lane(t) / 32;
    case ZL_Q_TMEM_QUARTER_END: return lane(t) % 32 + lanes(t);
    case ZL_Q_TMEM_FIRST: return column(t);
    default: return t->address;
    }
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_tmem_issue *t = asked(s);
    (void)i;
    if (q >= ZL_Q_TMEM_LANE && q <= ZL_Q_TMEM_ADDRESS) return of_place(q, t);
    switch (q) {
    case ZL_Q_TMEM_ON_TARGET: return (s->target->features & ZL_HAS_TCGEN05) != 0;
    case ZL_Q_TMEM_OP: return zl_number(t->op);
    case ZL_Q_TMEM_OP_ON: return op_on(s);
    case ZL_Q_TMEM_ALLOCATES: return t->columns;
    case ZL_Q_TMEM_SHAPE: return zl_number(t->shape);
    case ZL_Q_TMEM_SHAPE_FITS: return shape_fits(t);
    case ZL_Q_TMEM_NUM: return t->num;
    case ZL_Q_TMEM_PACK: return t->pack;
    case ZL_Q_TMEM_HALF_SPLIT: return t->half_split;
    case ZL_Q_TMEM_FORMAT: return zl_number(t->format);
    case ZL_Q_TMEM_REDUCE: return zl_number(t->reduce);
    case ZL_Q_TMEM_TYPE: return zl_number(t->type);
    case ZL_Q_TMEM_GROUP: return t->cta_group ? t->cta_group : 1;
    default: return t->registers;
    }
}

static bool reduces_type(int32_t type)
{
    return type == ZLAY_TYPE_U32 || type == ZLAY_TYPE_S32 || type == ZLAY_TYPE_F32;
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    const zlay_tmem_issue *t = asked(s);
    (void)i;
    switch (name) {
    case TMEM_MOST_NUM: return zl_tmem_shape_of(t->shape)->most;
    case TMEM_POWER_OF_NUM: return zl_next_power(t->num, 1, 128);
    case TMEM_POWER_OF_TWO: return zl_next_power(t->columns, 32, ZLAY_TMEM_COLUMNS);
    case TMEM_REGISTERS_OF_SHAPE: return registers(t);
    case TMEM_QUARTER_OF_WARP: return t->warp % 4;
    case TMEM_BASE_OWNED: return t->base;
    case TMEM_FIRST_OWNED: return t->base % ZLAY_TMEM_LANE;
    case TMEM_END_OWNED: return t->base % ZLAY_TMEM_LANE + (uint64_t)t->allocated;
    case TMEM_COLUMNS_OWNED: return t->allocated;
    default: return reduces_type(t->type) ? (uint64_t)t->type : (uint64_t)ZLAY_TYPE_F32;
    }
}

/* ---- guards ---------------------------------------------------------------------------------- */

enum {
    KNOWN_SHAPE = 1,
    SPLIT_SHAPE = 2,
    ONE_PIECE = 4,
    SCALE_SHAPE = 8,
    HALF_PATH = 16,
    WHOLE_PATH = 32
};

static bool shape_is(const zlay_tmem_issue *t, uint32_t traits)
{
    bool split = t->shape == ZLAY_TMEM_16X32BX2;
    bool scale = t->shape >= ZLAY_TMEM_CP_64X128B_02_13 && t->shape <= ZLAY_TMEM_CP_32X128B;
    if (traits & KNOWN_SHAPE && is(t, SHAPED) && !shape_fits(t)) return false;
    if (traits & SCALE_SHAPE && !scale) return false;
    if (traits & (HALF_PATH | WHOLE_PATH) && is_half_path(t->shape) != !!(traits & HALF_PATH))
        return false;
    return !(traits & SPLIT_SHAPE && !split) && !(traits & ONE_PIECE && split);
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    const zlay_tmem_issue *t = asked(s);
    switch (g) {
#define TMEM_GUARD(name, ops, operands, traits)                                                    \
    case ZL_G_##name:                                                                              \
        return is(t, ops) && (t->given & (operands)) == (operands) && shape_is(t, traits);
#include "rules/guards/tmem.def"
    default: return false;
    }
}

/* ---- repairs and checks --------------------------------------------------------------- */

/* A place moves by whole addresses: the field that reasons name is the address. */
static void fix(zlay_reason *r, const zl_rule *rule, const zl_subject *s)
{
    const zlay_tmem_issue *t = asked(s);
    zl_quantity q = rule->quantity;
    if (q == ZL_Q_TMEM_QUARTER)
        zl_give(r, rule->keeps, (r->lo * 32 + lane(t) % 32) * ZLAY_TMEM_LANE + column(t), 1);
    else if (q == ZL_Q_TMEM_ADDRESS) zl_give(r, rule->keeps, r->lo, 1);
    else if (q == ZL_Q_TMEM_LANE && r->relation == ZLAY_REL_MULTIPLE)
        zl_give(r, rule->keeps, lane(t) / 32 * 32 * ZLAY_TMEM_LANE + column(t), 1);
    else if (zl_quantity_field(q) == ZLAY_FIELD_NONE || r->field == ZLAY_FIELD_ADDRESS) return;
    else if (r->relation == ZLAY_REL_EQUAL) zl_give(r, rule->keeps, r->lo, 1);
    else zl_fix_plain(r, rule, s);
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_TMEM, .value = value, .guard = guard, .bound = bound, .fix = fix};

zlay_status zlay_tmem_issue_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                                  const zlay_target *target, const zlay_tmem_issue *issue)
{
    if (!out || !target || !issue || (room && !reasons) ||
        !zl_is_zero(issue->reserved, sizeof issue->reserved))
        return ZLAY_EINVAL;
    zl_subject s = {&subject_form, target, issue};
    return zl_check(out, reasons, room, &s, false);
}
