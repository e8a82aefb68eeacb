/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

enum { ADDRESSES_MOST = 2 * ZLAY_BANK_LANES };

static zlay_status get_access(zl_call *call, const zlay_target *target, zlay_bank_access *out)
{
    zl_span name = {0};
    char quoted[256];
    int32_t number;
    zlay_status status = zl_get_text(call, call->request, "instruction", &name);
    if (status) return status;
    if (zlay_bank_find(&number, name.text, name.length))
        return zl_wrong(call, "instruction", "an access to shared memory that is known");
    status = zlay_bank_info(out, target, number);
    if (status == ZLAY_NONE)
        zl_fail(call->ctx, ZLAY_NONE, "%s has no %s", zlay_target_name(target),
                zl_quote(quoted, name.text, name.length));
    return status;
}

/* A list of one entry a lane, into the first or second addresses. */
static zlay_status get_lanes(zl_call *call, const zlay_bank_access *access, uint32_t *out)
{
    const json_t *list;
    zlay_status status = zl_get_list(call, call->request, "addresses", &list);
    if (status) return status;
    if (json_array_size(list) != access->lanes)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'addresses' is not a list of %u",
                       access->lanes);
    for (uint32_t lane = 0; lane < access->lanes; lane++) {
        const json_t *value = json_array_get(list, lane);
        uint64_t address = ZLAY_BANK_INACTIVE;
        bool null = json_is_null(value);
        if (!null && (!zl_json_u64(value, &address) || address >= ZLAY_BANK_INACTIVE))
            return zl_fail(call->ctx, ZLAY_EINVAL,
                           "field 'addresses': lane %u has neither a 32-bit address nor null",
                           lane);
        if (null == (lane < access->rows) && access->rows < access->lanes)
            return zl_fail(call->ctx, ZLAY_EINVAL,
                           "field 'addresses': lanes 0 to %u give addresses, lane %u is not so",
                           access->rows - 1, lane);
        if (!null && address % access->align)
            return zl_fail(call->ctx, ZLAY_EINVAL, "field 'addresses': lane %u is off %u bytes",
                           lane, access->align);
        out[lane] = (uint32_t)address;
    }
    return ZLAY_OK;
}

/* Offsets count in elements and have eight bits each. */
static zlay_status get_offset(zl_call *call, const zlay_bank_access *access, const char *name,
                              uint32_t *out)
{
    *out = 0;
    if (access->parts == 1 && json_object_get(call->request, name))
        return zl_wrong(call, name, "a field of an access with one address a lane");
    zlay_status status = zl_get_u32(call, call->request, name, out);
    if (!status && *out > 255) status = zl_wrong(call, name, "0 to 255");
    return status;
}

static zlay_status add_offset(zl_call *call, const zlay_bank_access *access, const char *name,
                              const uint32_t *from, uint32_t *to)
{
    uint32_t offset;
    zlay_status status = get_offset(call, access, name, &offset);
    for (uint32_t lane = 0; !status && lane < access->lanes; lane++) {
        uint64_t address = from[lane] + (uint64_t)offset * access->unit;
        bool off = from[lane] == ZLAY_BANK_INACTIVE;
        if (!off && address >= ZLAY_BANK_INACTIVE)
            status = zl_wrong(call, name, "one that leaves addresses below 2^32");
        to[lane] = off ? ZLAY_BANK_INACTIVE : (uint32_t)address;
    }
    return status;
}

/* The first offset comes last: the second addresses start at the same bases. */
static zlay_status get_addresses(zl_call *call, const zlay_bank_access *access, uint32_t *out)
{
    uint32_t spare[ZLAY_BANK_LANES];
    uint32_t *second = access->parts == 2 ? out + access->lanes : spare;
    zlay_status status = get_lanes(call, access, out);
    if (!status) status = add_offset(call, access, "offset1", out, second);
    if (!status) status = add_offset(call, access, "offset0", out, out);
    return status;
}

static json_t *lanes_value(zl_call *call, uint64_t mask)
{
    json_t *lanes = json_array();
    for (; mask; mask &= mask - 1)
        zl_put_item(call, lanes, json_integer((json_int_t)__builtin_ctzll(mask)));
    return lanes;
}

static json_t *bank_value(zl_call *call, const zlay_bank *bank)
{
    json_t *value = json_object(), *phases = json_array();
    zl_put_value(call, value, "wavefronts", json_integer(bank->wavefronts));
    zl_put_value(call, value, "ideal", json_integer(bank->ideal));
    zl_put_value(call, value, "distinct", json_integer(bank->distinct));
    for (uint32_t p = 0; p < bank->phases; p++)
        zl_put_item(call, phases, lanes_value(call, bank->phase[p]));
    zl_put_value(call, value, "phases", phases);
    zl_put_value(call, value, "basis",
                 json_string(bank->basis == ZLAY_BASIS_MEASURED ? "measured" : "documented"));
    if (bank->race) zl_put_value(call, value, "race", json_true());
    return value;
}

static zlay_status no_data(zl_call *call, const zlay_target *target, const zlay_bank_access *access)
{
    call->undecided = true;
    zl_fail(call->ctx, ZLAY_OK, "%s of %s: not known %s", access->name, zlay_target_name(target),
            access->gap);
    return ZLAY_OK;
}

zlay_status zl_op_bank_count(zl_call *call)
{
    const zlay_target *target;
    zlay_bank_access access;
    zlay_bank bank;
    uint32_t addresses[ADDRESSES_MOST];
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = get_access(call, target, &access);
    if (!status) status = get_addresses(call, &access, addresses);
    if (status) return status;
    status =
        zlay_bank_conflicts(&bank, target, access.number, addresses, access.lanes * access.parts);
    if (status) return zl_fail(call->ctx, status, "field 'addresses' does not fit the access");
    if (bank.answer == ZLAY_UNDECIDED) return no_data(call, target, &access);
    call->value = bank_value(call, &bank);
    return ZLAY_OK;
}
