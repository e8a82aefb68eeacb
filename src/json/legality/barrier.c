/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers, blocks and tensormap.replace. */
#include "json/json.h"

enum { GROUPS = 8, AXES = 3 };

static bool given(const zl_call *call, const char *name)
{
    return json_object_get(call->request, name) != NULL;
}

/* Fields of 64 bits, each with what its presence says. */
typedef struct number {
    const char *name;
    uint64_t *out;
    uint32_t given;
} number;

static zlay_status read_numbers(zl_call *call, const number *rows, size_t count, uint32_t *said)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < count; i++) {
        status = zl_get_u64(call, call->request, rows[i].name, rows[i].out);
        if (given(call, rows[i].name)) *said |= rows[i].given;
    }
    return status;
}

/* Optional true or false, as a bit. */
static zlay_status read_bit(zl_call *call, const char *name, uint32_t bit, uint32_t *out)
{
    bool flag = false;
    zlay_status status = zl_get_flag(call, call->request, name, &flag);
    if (!status && flag) *out |= bit;
    return status;
}

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

static zlay_status read_words(zl_call *call, zlay_barrier *out)
{
    const json_t *request = call->request;
    zlay_status status = zl_get_word(call, request, "barrier", barrier_ops, &out->op);
    if (!status) status = zl_get_word(call, request, "space", spaces, &out->space);
    if (!status) status = zl_get_word(call, request, "sem", orders, &out->sem);
    if (!status) status = zl_get_word(call, request, "scope", scopes, &out->scope);
    if (!status) status = zl_get_u32(call, request, "name", &out->name);
    return status;
}

static zlay_status read_barrier(zl_call *call, zlay_barrier *out)
{
    const number rows[] = {{"address", &out->address, 0},
                           {"count", &out->count, ZLAY_BARRIER_GIVEN_COUNT},
                           {"bytes", &out->bytes, 0},
                           {"pending", &out->pending, ZLAY_BARRIER_GIVEN_PENDING},
                           {"tx", &out->tx, ZLAY_BARRIER_GIVEN_TX},
                           {"parity", &out->parity, ZLAY_BARRIER_GIVEN_PARITY},
                           {"phase", &out->phase, 0},
                           {"waited", &out->waited, 0}};
    zlay_status status = read_words(call, out);
    if (!status) status = read_numbers(call, rows, ZL_COUNT(rows), &out->given);
    if (!status) status = read_bit(call, "state", ZLAY_BARRIER_GIVEN_STATE, &out->given);
    if (!status) status = read_bit(call, "remote", ZLAY_BARRIER_GIVEN_REMOTE, &out->given);
    if (given(call, "phase") && given(call, "waited")) out->given |= ZLAY_BARRIER_GIVEN_PHASES;
    return status;
}

zlay_status zl_op_barrier_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    const zlay_target *target;
    zlay_barrier barrier = {0};
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_barrier(call, &barrier);
    if (!status)
        status =
            zlay_barrier_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &barrier);
    if (!status) call->value = zl_json_verdict(call, &checked);
    return status;
}

/* ---- blocks ---------------------------------------------------------------------------- */

/* A list of at most `most` numbers of 32 bits. */
static zlay_status read_list(zl_call *call, const char *name, uint32_t *out, size_t most)
{
    const json_t *list;
    if (!given(call, name)) return ZLAY_OK;
    zlay_status status = zl_get_list(call, call->request, name, &list);
    if (status) return status;
    if (json_array_size(list) > most) return zl_wrong(call, name, "a list that short");
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint64_t value;
        if (!zl_json_u64(json_array_get(list, i), &value) || value > UINT32_MAX)
            return zl_wrong(call, name, "a list of integers in [0, 2^32)");
        out[i] = (uint32_t)value;
    }
    return ZLAY_OK;
}

/* Dimensions that a list leaves out are 1. */
static zlay_status read_axes(zl_call *call, const char *name, uint32_t flag, uint32_t *out,
                             uint32_t *flags)
{
    for (int i = 0; i < AXES; i++) out[i] = 1;
    if (given(call, name)) *flags |= flag;
    return read_list(call, name, out, AXES);
}

static zlay_status read_setmaxnreg(zl_call *call, zlay_block *out)
{
    for (int i = 0; i < GROUPS; i++) out->warps[i] = 4;
    if (given(call, "setmaxnreg")) out->flags |= ZLAY_BLOCK_SETMAXNREG;
    zlay_status status = read_list(call, "setmaxnreg", out->setmaxnreg, GROUPS);
    return status ? status : read_list(call, "warps", out->warps, GROUPS);
}

static zlay_status read_block(zl_call *call, zlay_block *out)
{
    const json_t *request = call->request;
    bool fixed = true;
    zlay_status status = zl_get_u32(call, request, "threads", &out->threads);
    if (!status) status = zl_get_u32(call, request, "registers", &out->registers);
    if (!status) status = zl_get_u64(call, request, "smem_static", &out->smem_static);
    if (!status) status = zl_get_u64(call, request, "smem_dynamic", &out->smem_dynamic);
    if (!status)
        status = read_axes(call, "cluster", ZLAY_BLOCK_CLUSTER, out->cluster, &out->flags);
    if (!status) status = read_axes(call, "grid", ZLAY_BLOCK_GRID, out->grid, &out->flags);
    if (!status) status = read_setmaxnreg(call, out);
    if (!status) status = read_bit(call, "non_portable", ZLAY_BLOCK_NON_PORTABLE, &out->flags);
    if (!status) status = zl_get_flag(call, request, "fixed", &fixed);
    if (!fixed) out->flags |= ZLAY_BLOCK_UNFIXED;
    return status;
}

zlay_status zl_op_block_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    const zlay_target *target;
    zlay_block block = {0};
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_block(call, &block);
    if (!status)
        status = zlay_block_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &block);
    if (!status) call->value = zl_json_verdict(call, &checked);
    return status;
}

/* ---- tensormap.replace -------------------------------------------------------------------- */

static const zl_word replace_fields[] = {
#define REPLACE_FIELD(name, word, entries, least, most, multiple) {word, ZLAY_REPLACE_##name},
#include "legality/instruction/replaces.def"
    {NULL, 0}};

static zlay_status read_replace(zl_call *call, zlay_replace *out)
{
    const json_t *request = call->request;
    zlay_status status = zl_get_word(call, request, "field", replace_fields, &out->field);
    if (!status) status = zl_get_u32(call, request, "ord", &out->ord);
    if (!status) status = zl_get_u64(call, request, "value", &out->value);
    if (!status) status = zl_get_u64(call, request, "fence", &out->fence);
    if (!status) status = read_bit(call, "released", ZLAY_REPLACE_RELEASED, &out->flags);
    if (!status) status = read_bit(call, "acquired", ZLAY_REPLACE_ACQUIRED, &out->flags);
    if (given(call, "fence")) out->flags |= ZLAY_REPLACE_FENCES;
    return status;
}

zlay_status zl_op_replace_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    const zlay_target *target;
    zlay_replace replace = {0};
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_replace(call, &replace);
    if (!status)
        status =
            zlay_replace_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &replace);
    if (!status) call->value = zl_json_verdict(call, &checked);
    return status;
}
