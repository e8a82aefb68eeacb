/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, blocks and tensormap.replace. */
#include "json/json.h"

/* ---- barriers ------------------------------------------------------------------------ */

static const zl_named barrier_ops[] = {
#define BARRIER_OP(name, word, orders, remote, arch) {word, ZLAY_BARRIER_##name},
#include "legality/barrier/barriers.def"
    {NULL, 0}};
static const zl_named spaces[] = {
    {"cta", ZLAY_SPACE_CTA}, {"cluster", ZLAY_SPACE_CLUSTER}, {NULL, 0}};
static const zl_named orders[] = {{"none", ZLAY_SEM_NONE},
                                  {"release", ZLAY_SEM_RELEASE},
                                  {"acquire", ZLAY_SEM_ACQUIRE},
                                  {"relaxed", ZLAY_SEM_RELAXED},
                                  {NULL, 0}};
static const zl_named scopes[] = {{"none", ZLAY_SCOPE_NONE},       {"cta", ZLAY_SCOPE_CTA},
                                  {"cluster", ZLAY_SCOPE_CLUSTER}, {"gpu", ZLAY_SCOPE_GPU},
                                  {"sys", ZLAY_SCOPE_SYS},         {NULL, 0}};

/* Phases are known where both are given. */
static zlay_status read_waited(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_barrier *out = to;
    if (json_object_get(object, "phase")) out->given |= ZLAY_BARRIER_GIVEN_PHASES;
    return zl_get_u64(call, object, field->name, &out->waited);
}

static const zl_field_kind as_waited = {.read = read_waited, .type = "integer"};
typedef zlay_barrier as_waited_type;

typedef struct barrier {
    const zlay_target *target;
    zlay_barrier of;
} barrier;

static const zl_field barrier_rows[] = {
    ZL_TARGET(barrier),
    {"barrier", ZL_NEEDS, ZL_AT(zl_as_word, barrier, of.op), .of = barrier_ops},
    {"space", ZL_MAY, ZL_AT(zl_as_word, barrier, of.space), .of = spaces},
    {"sem", ZL_MAY, ZL_AT(zl_as_word, barrier, of.sem), .of = orders},
    {"scope", ZL_MAY, ZL_AT(zl_as_word, barrier, of.scope), .of = scopes},
    {"address", ZL_MAY, ZL_AT(zl_as_u64, barrier, of.address)},
    {"count", ZL_MAY, ZL_AT(zl_as_u64, barrier, of.count), .present = ZLAY_BARRIER_GIVEN_COUNT},
    {"bytes", ZL_MAY, ZL_AT(zl_as_u64, barrier, of.bytes)},
    {"pending", ZL_MAY, ZL_AT(zl_as_u64, barrier, of.pending),
     .present = ZLAY_BARRIER_GIVEN_PENDING},
    {"tx", ZL_MAY, ZL_AT(zl_as_u64, barrier, of.tx), .present = ZLAY_BARRIER_GIVEN_TX},
    {"parity", ZL_MAY, ZL_AT(zl_as_u64, barrier, of.parity), .present = ZLAY_BARRIER_GIVEN_PARITY},
    {"phase", ZL_MAY, ZL_AT(zl_as_u64, barrier, of.phase)},
    {"waited", ZL_MAY, ZL_AT(as_waited, barrier, of)},
    {"name", ZL_MAY, ZL_AT(zl_as_u32, barrier, of.name)},
    {"state", ZL_MAY, ZL_AT(zl_as_bit, barrier, of.given), .count = ZLAY_BARRIER_GIVEN_STATE},
    {"remote", ZL_MAY, ZL_AT(zl_as_bit, barrier, of.given), .count = ZLAY_BARRIER_GIVEN_REMOTE},
};
const zl_fields zl_barrier_fields = {ZL_ROWS(barrier_rows, barrier),
                                     .present = offsetof(barrier, of.given)};

zlay_status zl_barrier_verdict(zl_checked *c, const void *value)
{
    const barrier *b = value;
    return zlay_barrier_check(&c->verdict, c->reasons, c->room, b->target, &b->of);
}

/* ---- blocks ---------------------------------------------------------------------------- */

static zlay_status read_fixed(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    bool fixed = true;
    zlay_status status = zl_get_flag(call, object, field->name, &fixed);
    if (!fixed) *(uint32_t *)to |= ZLAY_BLOCK_UNFIXED;
    return status;
}

static const zl_field_kind as_fixed = {.read = read_fixed, .type = "boolean"};
typedef uint32_t as_fixed_type;

typedef struct block {
    const zlay_target *target;
    zlay_block of;
} block;

static const zl_field block_rows[] = {
    ZL_TARGET(block),
    {"threads", ZL_NEEDS, ZL_AT(zl_as_u32, block, of.threads)},
    {"registers", ZL_MAY, ZL_AT(zl_as_u32, block, of.registers)},
    {"smem_static", ZL_MAY, ZL_AT(zl_as_u64, block, of.smem_static)},
    {"smem_dynamic", ZL_MAY, ZL_AT(zl_as_u64, block, of.smem_dynamic)},
    {"cluster", ZL_MAY, ZL_LIST(block, of.cluster),
     .present = ZLAY_BLOCK_CLUSTER},
    {"grid", ZL_MAY, ZL_LIST(block, of.grid),
     .present = ZLAY_BLOCK_GRID},
    {"setmaxnreg", ZL_MAY, ZL_LIST(block, of.setmaxnreg),
     .present = ZLAY_BLOCK_SETMAXNREG},
    {"warps", ZL_MAY, ZL_LIST(block, of.warps)},
    {"non_portable", ZL_MAY, ZL_AT(zl_as_bit, block, of.flags), .count = ZLAY_BLOCK_NON_PORTABLE},
    {"fixed", ZL_MAY, ZL_AT(as_fixed, block, of.flags)},
};
/* Dimensions that a list leaves out are 1, groups have 4 warps. */
static const block usual = {
    .of = {.cluster = {1, 1, 1}, .grid = {1, 1, 1}, .warps = {4, 4, 4, 4, 4, 4, 4, 4}}};
const zl_fields zl_block_fields = {ZL_ROWS(block_rows, block), .start = &usual,
                                   .present = offsetof(block, of.flags)};

zlay_status zl_block_verdict(zl_checked *c, const void *value)
{
    const block *b = value;
    return zlay_block_check(&c->verdict, c->reasons, c->room, b->target, &b->of);
}

/* ---- tensormap.replace -------------------------------------------------------------------- */

static const zl_named replace_fields[] = {
#define REPLACE_FIELD(name, word, entries, least, most, multiple) {word, ZLAY_REPLACE_##name},
#include "legality/instruction/replaces.def"
    {NULL, 0}};

typedef struct replace {
    const zlay_target *target;
    zlay_replace of;
} replace;

static const zl_field replace_rows[] = {
    ZL_TARGET(replace),
    {"field", ZL_NEEDS, ZL_AT(zl_as_word, replace, of.field), .of = replace_fields},
    {"value", ZL_NEEDS, ZL_AT(zl_as_u64, replace, of.value)},
    {"ord", ZL_MAY, ZL_AT(zl_as_u32, replace, of.ord)},
    {"fence", ZL_MAY, ZL_AT(zl_as_u64, replace, of.fence), .present = ZLAY_REPLACE_FENCES},
    {"released", ZL_MAY, ZL_AT(zl_as_bit, replace, of.flags), .count = ZLAY_REPLACE_RELEASED},
    {"acquired", ZL_MAY, ZL_AT(zl_as_bit, replace, of.flags), .count = ZLAY_REPLACE_ACQUIRED},
};
const zl_fields zl_replace_fields = {ZL_ROWS(replace_rows, replace),
                                     .present = offsetof(replace, of.flags)};

zlay_status zl_replace_verdict(zl_checked *c, const void *value)
{
    const replace *r = value;
    return zlay_replace_check(&c->verdict, c->reasons, c->room, r->target, &r->of);
}
