/* SPDX-License-Identifier: Apache-2.0 */
/* Derives from the element type of a request what all its maps have in common: the map's type,
 * bytes of an element, the units of addresses and coordinates, and which swizzles the target
 * allows. Types that lie with gaps in shared memory (16 values of 4 or 6 bits in 16 bytes) are
 * counted one byte a value on both sides. A target that lacks the type or the swizzle answers NONE
 * with the rule. */
#include "synth/tensormap/tensormap.h"

/* A map of one row, for asking the rules: one chunk, or one row of a spread type. */
static zlay_tensormap row_map(const zl_tm *t, int32_t swizzle)
{
    return (zlay_tensormap){.extent = {ZL_LINE}, .box = {t->spread ? ZL_SPREAD_ROW : ZL_CHUNK},
                            .step = {1}, .rank = 1, .swizzle = swizzle,
                            .type = t->spread ? t->type : ZLAY_TYPE_U8};
}

/* Checks that the target has the map, and copies in the request's direction with it. */
static zlay_status row_ask(const zl_tm *t, int32_t swizzle, zlay_verdict *verdict,
                           zlay_reason *reason)
{
    const zlay_tensormap row = row_map(t, swizzle);
    const zlay_issue issue = {.kind = zl_tm_kind(t), .rank = 1};
    zlay_status status = zlay_tensormap_check(verdict, reason, 1, t->target, &row);
    if (status || verdict->answer != ZLAY_YES) return status;
    return zlay_copy_check(verdict, reason, 1, t->target, &issue, &row);
}

int32_t zl_tm_kind(const zl_tm *t)
{
    return t->store ? ZLAY_COPY_TENSOR_STORE : ZLAY_COPY_TENSOR_LOAD;
}

zlay_status zl_tm_row_check(const zl_tm *t, int32_t swizzle)
{
    zlay_verdict verdict;
    zlay_reason reason = {0};
    zlay_rule rule;
    zlay_status status = row_ask(t, swizzle, &verdict, &reason);
    if (status || verdict.answer == ZLAY_YES) return status;
    status = zlay_rule_info(&rule, reason.rule);
    if (status) return status;
    return zl_fail(t->ctx, ZLAY_NONE, "%s: byte 0 of the tile: %s", rule.id, rule.text);
}

void zl_tm_swizzles(zl_tm *t)
{
    for (int32_t z = ZLAY_SWIZZLE_NONE; z < ZL_SWIZZLES; z++) {
        zlay_verdict verdict;
        zlay_reason reason;
        t->may[z] = row_ask(t, z, &verdict, &reason) == ZLAY_OK && verdict.answer == ZLAY_YES;
    }
}

/* Sets the units of a spread type: 16 values take 16 bytes in shared memory, and 8 or 12 bytes in
 * global memory, where addresses and strides are multiples of 32 bytes. */
static void type_spread(zl_tm *t, uint32_t bits)
{
    t->spread = bits;
    t->element = 1;
    t->start = ZL_SPREAD_ROW;
    for (t->unit = 1; t->unit * bits % (8 * ZL_SPREAD_ALIGN);) t->unit *= 2;
}

static bool is_spread(int32_t type)
{
    return type == ZLAY_TYPE_U4_ALIGN16 || type == ZLAY_TYPE_U6_ALIGN16;
}

uint32_t zl_tm_align(int32_t type) { return is_spread(type) ? ZL_SPREAD_ALIGN : ZL_CHUNK; }

bool zl_tm_dense(int32_t type)
{
    return zlay_type_bits(type) == 4 && type != ZLAY_TYPE_U4_ALIGN16;
}

/* The map's element type is the request's or, where maps do not have it, an integer type of the
 * same width, which no copy changes. */
zlay_status zl_tm_type(zl_tm *t)
{
    int32_t type = t->request.type;
    uint32_t bits = zlay_type_bits(type);
    if (!bits) return zl_fail(t->ctx, ZLAY_EINVAL, "type: %d is none", type);
    t->type = type <= ZLAY_TYPE_U6_ALIGN16 ? type : bits == 8 ? ZLAY_TYPE_U8 : ZLAY_TYPE_U16;
    t->store = t->request.direction == ZLAY_DIRECTION_STORE;
    t->unit = t->start = ZL_CHUNK;
    t->element = bits / 8;
    if (is_spread(type)) type_spread(t, bits);
    else if (bits % 8)
        return zl_fail(t->ctx, ZLAY_ENOTSUP,
                       "type: %s has no whole bytes; give its bytes as u8, or the map's type that "
                       "spreads its values, b6x16_p32", zlay_type_name(type));
    if (!t->spread) return ZLAY_OK;
    zl_tm_swizzles(t);
    return zl_tm_row_check(t, ZLAY_SWIZZLE_NONE);
}
