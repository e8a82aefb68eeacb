/* SPDX-License-Identifier: Apache-2.0 */
/* bank.count: the wavefronts of one access to shared memory, from an address a lane, or a
 * layout from lanes to addresses. */
#include "json/json.h"

typedef zl_bank_asked asked;

zlay_status zl_no_access(zl_call *call, const char *field, const zl_json_text *name)
{
    const zlay_target *target = NULL;
    zlay_bank_access access;
    int32_t number;
    char why[256];
    zl_like like = zl_like_begin(name->text, name->length);
    zlay_status status = zl_get_target(call, &target);
    for (size_t i = 0; !status && zlay_bank_nth(&number, i) == ZLAY_OK; i++)
        if (!zlay_bank_info(&access, target, number)) zl_like_offer(&like, access.name);
    snprintf(why, sizeof why, "an access to shared memory that is known%s", like.hint);
    return status ? status : zl_wrong(call, field, why);
}

/* The target is read before. */
static zlay_status read_access(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    asked *a = to;
    zl_json_text name = {0};
    char quoted[256];
    int32_t number;
    zlay_status status = zl_get_text(call, object, field->name, &name);
    if (status) return status;
    if (zlay_bank_find(&number, name.text, name.length))
        return zl_no_access(call, field->name, &name);
    status = zlay_bank_info(&a->access, a->target, number);
    if (status == ZLAY_NONE)
        zl_fail(call->ctx, ZLAY_NONE, "%s has no %s", zlay_target_name(a->target),
                zl_quote(quoted, name.text, name.length));
    return status;
}

static zlay_status read_list(zl_call *call, const json_t *list, const zlay_bank_access *access,
                             uint32_t *out)
{
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

/* The list that a layout from lanes to addresses says; a lane without a value is inactive. */
static zlay_status list_lanes(zl_call *call, json_t **out, const json_t *text, uint32_t lanes)
{
    zlay_layout *layout = NULL;
    zlay_status status = zl_layout_of(call, "addresses", text, &layout);
    if (!status && (zlay_layout_size(layout) != lanes || zlay_layout_out_count(layout) != 1))
        status = zl_fail(call->ctx, ZLAY_EINVAL, "field 'addresses' is no layout of %u lanes",
                         lanes);
    if (!status && !(*out = json_array())) status = ZLAY_ENOMEM;
    for (uint32_t lane = 0; !status && lane < lanes; lane++) {
        int64_t address;
        status = zlay_layout_eval(&address, 1, layout, lane);
        zl_put_item(call, *out, status ? json_null() : json_integer(address));
        if (status == ZLAY_NONE) status = ZLAY_OK;
        if (status) status = zl_wrong(call, "addresses", "a layout without names");
    }
    zlay_layout_free(layout);
    return status;
}

/* A list of one entry a lane, or a layout; the access is read before. */
static zlay_status read_lanes(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const zlay_bank_access *access = &((asked *)to)->access;
    const json_t *list = json_object_get(object, field->name);
    json_t *made = NULL;
    zlay_status status = ZLAY_OK;
    if (json_is_string(list)) status = list_lanes(call, &made, list, access->lanes);
    else status = zl_get_list(call, object, field->name, &list);
    if (!status) status = read_list(call, made ? made : list, access, ((asked *)to)->addresses);
    json_decref(made);
    return status;
}

static zlay_status read_offset(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    asked *a = to;
    uint32_t offset = 0;
    if (a->access.parts == 1)
        return zl_wrong(call, field->name, "a field of an access with one address a lane");
    zlay_status status = zl_get_u32(call, object, field->name, &offset);
    if (!status && offset > 255) return zl_wrong(call, field->name, "0 to 255");
    *(field->count ? &a->offset1 : &a->offset0) = offset;
    return status;
}

static const zl_field_kind as_access = {.read = read_access, .type = "text"},
                           as_lanes = {.read = read_lanes},
                           as_offset = {.read = read_offset, .type = "integer"};
typedef asked as_access_type, as_lanes_type, as_offset_type;

static const zl_field asked_rows[] = {
    ZL_TARGET(asked),
    {"instruction", ZL_NEEDS, ZL_WHOLE(as_access, asked)},
    {"addresses", ZL_NEEDS, ZL_WHOLE(as_lanes, asked)},
    {"offset0", ZL_MAY, ZL_WHOLE(as_offset, asked), .count = 0},
    {"offset1", ZL_MAY, ZL_WHOLE(as_offset, asked), .count = 1},
};
const zl_fields zl_bank_fields = {ZL_ROWS(asked_rows, asked)};

static zlay_status add_offset(zl_call *call, const asked *a, const char *name, uint32_t offset,
                              uint32_t *to)
{
    for (uint32_t lane = 0; lane < a->access.lanes; lane++) {
        uint32_t base = a->addresses[lane];
        uint64_t address = base + (uint64_t)offset * a->access.unit;
        bool off = base == ZLAY_BANK_INACTIVE;
        if (!off && address >= ZLAY_BANK_INACTIVE)
            return zl_wrong(call, name, "one that leaves addresses below 2^32");
        to[lane] = off ? ZLAY_BANK_INACTIVE : (uint32_t)address;
    }
    return ZLAY_OK;
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
                 json_string(zlay_basis_name(bank->basis)));
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

zlay_status zl_bank_addresses(zl_call *call, uint32_t *out, const zl_bank_asked *a)
{
    zlay_status status = ZLAY_OK;
    if (a->access.parts == 2)
        status = add_offset(call, a, "offset1", a->offset1, out + a->access.lanes);
    return status ? status : add_offset(call, a, "offset0", a->offset0, out);
}

zlay_status zl_op_bank_count(zl_call *call, const void *value)
{
    const asked *a = value;
    const zlay_bank_access *access = &a->access;
    zlay_bank bank;
    uint32_t addresses[ZL_ADDRESSES_MOST];
    zlay_status status = zl_bank_addresses(call, addresses, a);
    if (status) return status;
    status = zlay_bank_conflicts(&bank, a->target, access->number, addresses,
                                 access->lanes * access->parts);
    if (status) return zl_fail(call->ctx, status, "field 'addresses' does not fit the access");
    if (bank.answer == ZLAY_UNDECIDED) return no_data(call, a->target, access);
    call->value = bank_value(call, &bank);
    return ZLAY_OK;
}
