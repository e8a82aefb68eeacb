/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, blocks and tensormap.replace. */
#include "json/json.h"

enum { GROUPS = 8, AXES = 3 };

/* ---- barriers ------------------------------------------------------------------------ */

static const zl_word barrier_ops[] = {
#define BARRIER_OP(name, word, orders, remote, arch) {word, ZLAY_BARRIER_##name},
#include "legality/barrier/barriers.def"
    {NULL, 0}};
static const zl_word spaces[] = {
    {"cta", ZLAY_SPACE_CTA}, {"cluster", ZLAY_SPACE_CLUSTER}, {NULL, 0}};
static const zl_word orders[] = {{"none", ZLAY_SEM_NONE},
                                 {"release", ZLAY_SEM_RELEASE},
                                 {"acquire", ZLAY_SEM_ACQUIRE},
                                 {"relaxed", ZLAY_SEM_RELAXED},
                                 {NULL, 0}};
static const zl_word scopes[] = {{"none", ZLAY_SCOPE_NONE}, {"cta", ZLAY_SCOPE_CTA},
                                 {"cluster", ZLAY_SCOPE_CLUSTER}, {"gpu", ZLAY_SCOPE_GPU},
                                 {"sys", ZLAY_SCOPE_SYS}, {NULL, 0}};

/* Phases are known where both are given. */
static zlay_status read_waited(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_barrier *out = to;
    if (json_object_get(object, "phase")) out->given |= ZLAY_BARRIER_GIVEN_PHASES;
    return zl_get_u64(call, object, field->name, &out->waited);
}

static const zl_kind as_waited = {read_waited, NULL, false};

typedef struct barrier {
    const zlay_target *target;
    zlay_barrier of;
} barrier;

static const zl_field barrier_rows[] = {
    ZL_TARGET(barrier),
    {"barrier", ZL_NEEDS, &zl_as_word, ZL_AT(barrier, of.op), .of = barrier_ops},
    {"space", ZL_MAY, &zl_as_word, ZL_AT(barrier, of.space), .of = spaces},
    {"sem", ZL_MAY, &zl_as_word, ZL_AT(barrier, of.sem), .of = orders},
    {"scope", ZL_MAY, &zl_as_word, ZL_AT(barrier, of.scope), .of = scopes},
    {"address", ZL_MAY, &zl_as_u64, ZL_AT(barrier, of.address)},
    {"count", ZL_MAY, &zl_as_u64, ZL_AT(barrier, of.count), .given = ZLAY_BARRIER_GIVEN_COUNT},
    {"bytes", ZL_MAY, &zl_as_u64, ZL_AT(barrier, of.bytes)},
    {"pending", ZL_MAY, &zl_as_u64, ZL_AT(barrier, of.pending),
     .given = ZLAY_BARRIER_GIVEN_PENDING},
    {"tx", ZL_MAY, &zl_as_u64, ZL_AT(barrier, of.tx), .given = ZLAY_BARRIER_GIVEN_TX},
    {"parity", ZL_MAY, &zl_as_u64, ZL_AT(barrier, of.parity), .given = ZLAY_BARRIER_GIVEN_PARITY},
    {"phase", ZL_MAY, &zl_as_u64, ZL_AT(barrier, of.phase)},
    {"waited", ZL_MAY, &as_waited, ZL_AT(barrier, of)},
    {"name", ZL_MAY, &zl_as_u32, ZL_AT(barrier, of.name)},
    {"state", ZL_MAY, &zl_as_bit, ZL_AT(barrier, of.given), .count = ZLAY_BARRIER_GIVEN_STATE},
    {"remote", ZL_MAY, &zl_as_bit, ZL_AT(barrier, of.given), .count = ZLAY_BARRIER_GIVEN_REMOTE},
};
const zl_fields zl_barrier_fields = ZL_FIELDS_GIVEN(barrier_rows, barrier, of.given);

static zlay_status barrier_check(zl_checked *c, const void *value)
{
    const barrier *b = value;
    return zlay_barrier_check(&c->verdict, c->reasons, c->room, b->target, &b->of);
}

zlay_status zl_op_barrier_check(zl_call *call)
{
    barrier b = {0};
    return zl_check_asked(call, &b, barrier_check);
}

/* ---- blocks ---------------------------------------------------------------------------- */

static zlay_status read_fixed(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    bool fixed = true;
    zlay_status status = zl_get_flag(call, object, field->name, &fixed);
    if (!fixed) *(uint32_t *)to |= ZLAY_BLOCK_UNFIXED;
    return status;
}

static const zl_kind as_fixed = {read_fixed, NULL, false};

typedef struct block {
    const zlay_target *target;
    zlay_block of;
} block;

static const zl_field block_rows[] = {
    ZL_TARGET(block),
    {"threads", ZL_NEEDS, &zl_as_u32, ZL_AT(block, of.threads)},
    {"registers", ZL_MAY, &zl_as_u32, ZL_AT(block, of.registers)},
    {"smem_static", ZL_MAY, &zl_as_u64, ZL_AT(block, of.smem_static)},
    {"smem_dynamic", ZL_MAY, &zl_as_u64, ZL_AT(block, of.smem_dynamic)},
    {"cluster", ZL_MAY, &zl_as_list32, ZL_AT(block, of.cluster), .count = AXES,
     .given = ZLAY_BLOCK_CLUSTER},
    {"grid", ZL_MAY, &zl_as_list32, ZL_AT(block, of.grid), .count = AXES,
     .given = ZLAY_BLOCK_GRID},
    {"setmaxnreg", ZL_MAY, &zl_as_list32, ZL_AT(block, of.setmaxnreg), .count = GROUPS,
     .given = ZLAY_BLOCK_SETMAXNREG},
    {"warps", ZL_MAY, &zl_as_list32, ZL_AT(block, of.warps), .count = GROUPS},
    {"non_portable", ZL_MAY, &zl_as_bit, ZL_AT(block, of.flags), .count = ZLAY_BLOCK_NON_PORTABLE},
    {"fixed", ZL_MAY, &as_fixed, ZL_AT(block, of.flags)},
};
const zl_fields zl_block_fields = ZL_FIELDS_GIVEN(block_rows, block, of.flags);

static zlay_status block_check(zl_checked *c, const void *value)
{
    const block *b = value;
    return zlay_block_check(&c->verdict, c->reasons, c->room, b->target, &b->of);
}

/* Dimensions that a list leaves out are 1, groups have 4 warps. */
zlay_status zl_op_block_check(zl_call *call)
{
    block b = {.of = {.cluster = {1, 1, 1}, .grid = {1, 1, 1}}};
    for (int i = 0; i < GROUPS; i++) b.of.warps[i] = 4;
    return zl_check_asked(call, &b, block_check);
}

/* ---- tensormap.replace -------------------------------------------------------------------- */

static const zl_word replace_fields[] = {
#define REPLACE_FIELD(name, word, entries, least, most, multiple) {word, ZLAY_REPLACE_##name},
#include "legality/instruction/replaces.def"
    {NULL, 0}};

typedef struct replace {
    const zlay_target *target;
    zlay_replace of;
} replace;

static const zl_field replace_rows[] = {
    ZL_TARGET(replace),
    {"field", ZL_NEEDS, &zl_as_word, ZL_AT(replace, of.field), .of = replace_fields},
    {"value", ZL_NEEDS, &zl_as_u64, ZL_AT(replace, of.value)},
    {"ord", ZL_MAY, &zl_as_u32, ZL_AT(replace, of.ord)},
    {"fence", ZL_MAY, &zl_as_u64, ZL_AT(replace, of.fence), .given = ZLAY_REPLACE_FENCES},
    {"released", ZL_MAY, &zl_as_bit, ZL_AT(replace, of.flags), .count = ZLAY_REPLACE_RELEASED},
    {"acquired", ZL_MAY, &zl_as_bit, ZL_AT(replace, of.flags), .count = ZLAY_REPLACE_ACQUIRED},
};
const zl_fields zl_replace_fields = ZL_FIELDS_GIVEN(replace_rows, replace, of.flags);

static zlay_status replace_check(zl_checked *c, const void *value)
{
    const replace *r = value;
    return zlay_replace_check(&c->verdict, c->reasons, c->room, r->target, &r->of);
}

zlay_status zl_op_replace_check(zl_call *call)
{
    replace r = {0};
    return zl_check_asked(call, &r, replace_check);
}
