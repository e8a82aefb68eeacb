/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on barriers as a subject of rules. */
#include "base/request.h"
#include "rules/bounds.h"
#include "rules/rule.h"

#include <zlay/barrier.h>

enum { OBJECT_BYTES = 8, AMPERE = 80, HOPPER = 90 };

/* Internal bits of `given` that fields imply. */
#define REMOTE_SPACE (1u << 30)
#define ALL_GIVEN    (2u * ZLAY_BARRIER_GIVEN_REMOTE - 1)

#define OP(name) (1u << ZLAY_BARRIER_##name)

enum {
    RELEASE = 1 << ZLAY_SEM_RELEASE,
    ACQUIRE = 1 << ZLAY_SEM_ACQUIRE,
    RELAXED = 1 << ZLAY_SEM_RELAXED,
    WAITS = OP(TEST_WAIT) | OP(TRY_WAIT),
    NO_COMPLETES = OP(ARRIVE_NO_COMPLETE) | OP(ARRIVE_DROP_NO_COMPLETE),
    ANNOUNCES = OP(ARRIVE_EXPECT_TX) | OP(ARRIVE_DROP_EXPECT_TX) | OP(EXPECT_TX) | OP(COMPLETE_TX),
    ARRIVES = OP(ARRIVE) | OP(ARRIVE_DROP) | OP(ARRIVE_EXPECT_TX) | OP(ARRIVE_DROP_EXPECT_TX) |
              NO_COMPLETES,
    OBJECTS = WAITS | ARRIVES | ANNOUNCES | OP(INIT) | OP(INVAL)
};

static const struct {
    uint32_t orders, remote, arch;
} ops[ZLAY_BARRIER_OPS] = {
#define BARRIER_OP(name, word, orders, remote, arch) [ZLAY_BARRIER_##name] = {orders, remote, arch},
#include "base/arith.h"
#include "legality/barrier/barriers.def"
};

static bool exists(int32_t op) { return op > 0 && op < ZLAY_BARRIER_OPS; }
static const zlay_barrier *barrier_of(const zl_subject *s) { return s->value; }

/* ---- orders and targets ---------------------------------------------------------------- */

static bool has_order(const zlay_barrier *b)
{
    if (!exists(b->op)) return true;
    bool none = b->sem == ZLAY_SEM_NONE, scoped = b->scope != ZLAY_SCOPE_NONE;
    if (none) return !scoped;
    if (b->sem < 0 || b->sem > ZLAY_SEM_RELAXED) return false;
    if (zl_is_in(b->op, NO_COMPLETES) && b->scope != ZLAY_SCOPE_CTA) return false;
    return scoped && ops[b->op].orders >> b->sem & 1;
}

/* The first architecture of an operation as it is written. */
static uint32_t least_arch(const zlay_barrier *b)
{
    bool plain = b->sem == ZLAY_SEM_NONE ||
                 (b->sem != ZLAY_SEM_RELAXED && b->scope == ZLAY_SCOPE_CTA);
    bool counted = zl_is_in(b->op, OP(ARRIVE) | OP(ARRIVE_DROP)) &&
                   b->given & ZLAY_BARRIER_GIVEN_COUNT;
    if (!plain || counted || (b->space && zl_is_in(b->op, OBJECTS))) return HOPPER;
    return exists(b->op) ? ops[b->op].arch : AMPERE;
}

static bool on_target(const zl_subject *s)
{
    if (!(s->target->features & ZL_HAS_CP_ASYNC)) return false;
    return least_arch(barrier_of(s)) < HOPPER || s->target->features & ZL_HAS_TMA;
}

/* Who asks of another block's barrier gets no state. */
static bool remote(const zlay_barrier *b)
{
    return exists(b->op) && ops[b->op].remote &&
           !(b->given & ZLAY_BARRIER_GIVEN_STATE);
}

/* Arrivals of an operation: 1 unless they are written. */
static uint64_t arrivals(const zlay_barrier *b)
{
    bool one = zl_is_in(b->op, ARRIVES) && !(b->given & ZLAY_BARRIER_GIVEN_COUNT);
    return one ? 1 : b->count;
}

static uint64_t value(zl_quantity q, const zl_subject *s, uint32_t i)
{
    const zlay_barrier *b = barrier_of(s);
    (void)i;
    switch (q) {
    case ZL_Q_BARRIER_OP: return zl_number(b->op);
    case ZL_Q_BARRIER_ON_TARGET: return on_target(s);
    case ZL_Q_BARRIER_HAS_ORDER: return has_order(b);
    case ZL_Q_BARRIER_REMOTE: return remote(b);
    case ZL_Q_BARRIER_SPACE: return zl_number(b->space);
    case ZL_Q_BARRIER_SCOPE: return zl_number(b->scope);
    case ZL_Q_BARRIER_ADDRESS: return b->address;
    case ZL_Q_BARRIER_END: return zl_uadd_sat(b->address, OBJECT_BYTES);
    case ZL_Q_BARRIER_COUNT: return arrivals(b);
    case ZL_Q_BARRIER_BYTES: return b->bytes;
    case ZL_Q_BARRIER_TX:
        return b->op == ZLAY_BARRIER_COMPLETE_TX ? b->tx : zl_uadd_sat(b->tx, b->bytes);
    case ZL_Q_BARRIER_PARITY: return b->parity;
    case ZL_Q_BARRIER_LAG: return b->waited > b->phase ? UINT64_MAX : b->phase - b->waited;
    default: return b->name;
    }
}

static bool holds(const zlay_barrier *b, uint32_t set, uint32_t given)
{
    uint32_t has = b->given | (b->space == 1 ? REMOTE_SPACE : 0);
    return zl_is_in(b->op, set) && (has & given) == given;
}

static bool guard(zl_rule_guard g, const zl_subject *s)
{
    switch (g) {
#define BARRIER_GUARD(name, set, given)                                                            \
    case ZL_G_##name: return holds(barrier_of(s), set, given);
#include "rules/guards/barrier.def"
    default: return false;
    }
}

static uint64_t bound(int32_t name, const zl_subject *s, uint32_t i)
{
    uint64_t pending = barrier_of(s)->pending;
    (void)i;
    switch (name) {
    case MBAR_LAST_OP: return ZLAY_BARRIER_OPS - 1;
    case MBAR_PENDING_COUNT: return pending;
    default: return pending ? pending - 1 : 0;
    }
}

static const zl_subject_form subject_form = {
    .kind = ZL_SUBJECT_BARRIER, .value = value, .guard = guard, .bound = bound, .fix = zl_fix_own};

zlay_status zlay_barrier_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                               const zlay_target *target, const zlay_barrier *barrier)
{
    if (!out || !target || !barrier || (room && !reasons) || barrier->given & ~ALL_GIVEN ||
        !zl_is_zero(barrier->reserved, sizeof barrier->reserved))
        return ZLAY_EINVAL;
    zl_subject s = {&subject_form, target, barrier};
    return zl_check(out, reasons, room, &s, false);
}
