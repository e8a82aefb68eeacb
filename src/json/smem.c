/* SPDX-License-Identifier: Apache-2.0 */
/* Shared memory: matrix descriptors and banks. */
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- descriptors ---------------------------------------------------------------- */

static zlay_status refuse(zl_call *call, const zlay_target *target, const zlay_smemdesc *fields,
                          zlay_status status)
{
    zlay_verdict verdict;
    zlay_reason reason;
    zlay_rule rule;
    if (status == ZLAY_ENOTSUP || zlay_smemdesc_check(&verdict, &reason, 1, target, fields) ||
        !verdict.reasons || zlay_rule_get(&rule, reason.rule))
        return zl_fail(call->ctx, status, "matrix descriptors of %s are not done", zlay_target_name(target));
    const char *field = zlay_field_name(reason.field);
    return zl_fail(call->ctx, status, "field '%s' is %" PRIu64 ": rule %s: %s", field ? field : "?",
                   reason.value, rule.id, rule.text);
}

zlay_status zl_op_smemdesc_pack(zl_call *call)
{
    const json_t *request = call->request;
    const zlay_target *target;
    zlay_smemdesc fields = {0};
    uint64_t desc;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = zl_get_u32(call, request, "start", &fields.start);
    if (!status) status = zl_get_u32(call, request, "lbo", &fields.lbo);
    if (!status) status = zl_get_u32(call, request, "sbo", &fields.sbo);
    if (!status) status = zl_get_u32(call, request, "base_offset", &fields.base_offset);
    if (!status) status = zl_get_word(call, request, "swizzle", zl_swizzles, &fields.swizzle);
    if (status) return status;
    status = zlay_smemdesc_pack(&desc, target, &fields);
    if (status) return refuse(call, target, &fields, status);
    call->value = zl_json_bits(desc, 16);
    return ZLAY_OK;
}

zlay_status zl_op_smemdesc_unpack(zl_call *call)
{
    const zlay_target *target;
    zlay_smemdesc fields;
    uint64_t desc = 0, reserved;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = zl_get_u64(call, call->request, "desc", &desc);
    if (status) return status;
    status = zlay_smemdesc_unpack(&fields, &reserved, target, desc);
    if (status) return refuse(call, target, &fields, ZLAY_ENOTSUP);
    call->value = json_object();
    zl_put_value(call, call->value, "start", json_integer(fields.start));
    zl_put_value(call, call->value, "lbo", json_integer(fields.lbo));
    zl_put_value(call, call->value, "sbo", json_integer(fields.sbo));
    zl_put_value(call, call->value, "base_offset", json_integer(fields.base_offset));
    const char *swizzle = zl_word_of(zl_swizzles, fields.swizzle);
    zl_put_value(call, call->value, "swizzle", swizzle ? json_string(swizzle) : json_integer(fields.swizzle));
    zl_put_value(call, call->value, "reserved", zl_json_bits(reserved, 16));
    return ZLAY_OK;
}

/* ---- descriptors of a layout ------------------------------------------------------ */

typedef struct found {
    zlay_smemdesc fields;
    const uint32_t *start;
    size_t count;
} found;

static const zl_word patterns[] = {{"address", 0}, {"start", 1}, {NULL, 0}};

static zlay_status read_mma(zl_call *call, zlay_smemdesc_request *out)
{
    const json_t *mma;
    uint64_t mn = 0, k = 0;
    zlay_status status = zl_get_list(call, call->request, "mma", &mma);
    if (status) return status;
    if (json_array_size(mma) != 2 || !zl_json_u64(json_array_get(mma, 0), &mn) ||
        !zl_json_u64(json_array_get(mma, 1), &k) || mn > UINT32_MAX || k > UINT32_MAX)
        return zl_wrong(call, "mma", "a list of two integers, [MN, K]");
    out->mma_mn = (uint32_t)mn;
    out->mma_k = (uint32_t)k;
    return ZLAY_OK;
}

static zlay_status read_request(zl_call *call, zlay_smemdesc_request *out)
{
    const json_t *request = call->request;
    int32_t pattern = 0;
    zlay_status status = zl_get_word(call, request, "type", zl_types, &out->type);
    if (!status) status = zl_get_word(call, request, "major", zl_majors, &out->major);
    if (!status) status = zl_get_word(call, request, "swizzle", zl_swizzles, &out->swizzle);
    if (!status) status = zl_get_u32(call, request, "address", &out->address);
    if (!status) status = zl_get_word(call, request, "pattern", patterns, &pattern);
    if (!status && (pattern < 0 || pattern > 1)) status = zl_wrong(call, "pattern", "'address' or 'start'");
    out->pattern_at_start = (uint32_t)pattern;
    return status ? status : read_mma(call, out);
}

static json_t *found_value(zl_call *call, const zlay_target *target, const zlay_smemdesc_request *request,
                           found *f)
{
    json_t *value = json_object(), *desc = json_array(), *step = json_array();
    bool ignored = request->major == ZLAY_MAJOR_K && request->swizzle != ZLAY_SWIZZLE_NONE;
    uint64_t bits = 0;
    for (size_t i = 0; i < f->count; i++) {
        f->fields.start = f->start[i];
        if (zlay_smemdesc_pack(&bits, target, &f->fields)) call->no_memory = true;
        zl_put_item(call, desc, zl_json_bits(bits, 16));
        zl_put_item(call, step, zl_json_int((int64_t)f->start[i] - f->start[0]));
    }
    zl_put_value(call, value, "lbo", ignored ? json_null() : json_integer(f->fields.lbo / 16));
    zl_put_value(call, value, "sbo", json_integer(f->fields.sbo / 16));
    zl_put_value(call, value, "base_offset", json_integer(f->fields.base_offset));
    zl_put_value(call, value, "swizzle_mode", json_integer((json_int_t)(bits >> 62)));
    zl_put_value(call, value, "desc", desc);
    zl_put_value(call, value, "step", step);
    return value;
}

static zlay_status synth_all(zl_call *call, const zlay_target *target, const zlay_smemdesc_request *request)
{
    found f = {.count = 0};
    zlay_status status =
        zlay_smemdesc_synth(call->ctx, &f.fields, NULL, 0, &f.count, target, request);
    if (status != ZLAY_EROOM) return status;
    size_t room = f.count;
    uint32_t *start = zl_alloc(call->ctx, room, sizeof *start);
    if (!start) return ZLAY_ENOMEM;
    status = zlay_smemdesc_synth(call->ctx, &f.fields, start, room, &f.count, target, request);
    f.start = start;
    if (!status) call->value = found_value(call, target, request, &f);
    zlay_allocator alloc = zl_allocator(call->ctx);
    zl_free(&alloc, start, room * sizeof *start);
    return status;
}

zlay_status zl_op_smemdesc_synth(zl_call *call)
{
    zlay_smemdesc_request request = {.size = sizeof request};
    const zlay_target *target;
    zlay_layout *layout = NULL;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_request(call, &request);
    if (!status) status = zl_get_layout(call, "layout", &layout);
    request.layout = layout;
    if (!status) status = synth_all(call, target, &request);
    zlay_layout_free(layout);
    return status;
}

/* ---- banks ------------------------------------------------------------------------ */

enum { LANES = 32 };

typedef struct access {
    uint32_t width; /* bytes of a lane; 0: an instruction without measured phases */
    uint32_t lanes; /* those that give an address */
    bool store;
    uint32_t address[LANES];
} access;

static bool skip(const char **at, const char *word)
{
    size_t length = strlen(word);
    if (strncmp(*at, word, length)) return false;
    *at += length;
    return true;
}

/* ldmatrix.x4, stmatrix.x1: a lane's row has 16 bytes. */
static bool read_matrix(const char *name, access *out)
{
    out->store = !strncmp(name, "st", 2);
    if (!skip(&name, "ldmatrix.x") && !skip(&name, "stmatrix.x")) return false;
    if (strlen(name) != 1 || !strchr("124", *name)) return false;
    out->width = 16;
    out->lanes = 8 * (uint32_t)(*name - '0');
    return true;
}

/* ld.shared.v4.b32, st.shared.u64: vector length times bits. */
static bool read_plain(const char *name, access *out)
{
    char *end;
    out->store = !strncmp(name, "st", 2);
    if (!skip(&name, "ld.shared.") && !skip(&name, "st.shared.")) return false;
    uint32_t vector = skip(&name, "v2.") ? 2 : skip(&name, "v4.") ? 4 : 1;
    if (!*name || !strchr("busf", *name)) return false;
    unsigned long bits = strtoul(name + 1, &end, 10);
    if (end == name + 1 || *end || (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128))
        return false;
    uint32_t width = vector * (uint32_t)bits / 8;
    out->width = width == 4 || width == 8 || width == 16 ? width : 0;
    out->lanes = LANES;
    return true;
}

static zlay_status read_address(zl_call *call, const json_t *value, uint32_t lane, access *out)
{
    uint64_t address;
    if (json_is_null(value)) return ZLAY_OK;
    if (!zl_json_u64(value, &address) || address >= UINT32_MAX || lane >= out->lanes)
        return zl_fail(call->ctx, ZLAY_EINVAL,
                       "field 'addresses': lane %u has neither a 32-bit address nor null", lane);
    if (out->width && address % out->width)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'addresses': lane %u is off its %u bytes", lane,
                       out->width);
    out->address[lane] = (uint32_t)address;
    return ZLAY_OK;
}

static zlay_status read_access(zl_call *call, access *out)
{
    zl_span name = {0};
    const json_t *list;
    zlay_status status = zl_get_text(call, call->request, "instruction", &name);
    if (!status) status = zl_get_list(call, call->request, "addresses", &list);
    if (status) return status;
    if (!read_matrix(name.text, out) && !read_plain(name.text, out))
        return zl_wrong(call, "instruction", "an access to shared memory that is known");
    if (json_array_size(list) != LANES) return zl_wrong(call, "addresses", "a list of 32");
    for (uint32_t lane = 0; !status && lane < LANES; lane++) {
        out->address[lane] = UINT32_MAX;
        status = read_address(call, json_array_get(list, lane), lane, out);
    }
    return status;
}

static bool races(const access *a)
{
    for (uint32_t i = 0; a->store && i < LANES; i++)
        for (uint32_t j = i + 1; j < LANES; j++) {
            uint32_t x = a->address[i], y = a->address[j];
            if (x != UINT32_MAX && y != UINT32_MAX && (x > y ? x - y : y - x) < a->width) return true;
        }
    return false;
}

static json_t *phases_value(zl_call *call, const int32_t *phase)
{
    json_t *phases = json_array();
    for (int32_t p = 0; p < LANES; p++) {
        json_t *lanes = json_array();
        for (int32_t lane = 0; lane < LANES; lane++)
            if (phase[lane] == p) zl_put_item(call, lanes, json_integer(lane));
        if (json_array_size(lanes)) zl_put_item(call, phases, lanes);
        else json_decref(lanes);
    }
    return phases;
}

static zlay_status no_data(zl_call *call, const zlay_target *target)
{
    call->undecided = true;
    zl_fail(call->ctx, ZLAY_OK, "no measured phases of this access on %s", zlay_target_name(target));
    return ZLAY_OK;
}

zlay_status zl_op_bank_count(zl_call *call)
{
    const zlay_target *target;
    access a = {0};
    uint32_t wavefronts, ideal;
    int32_t phase[LANES];
    zlay_status status = zl_get_target(call, &target);
    if (status) return status;
    if ((status = read_access(call, &a))) return status;
    if (!a.width) return no_data(call, target);
    status = zlay_bank_count(&wavefronts, &ideal, phase, target, a.width, a.address);
    if (status == ZLAY_NONE) return no_data(call, target);
    if (status) return zl_fail(call->ctx, status, "field 'addresses' does not fit the access");
    call->value = json_object();
    zl_put_value(call, call->value, "wavefronts", json_integer(wavefronts));
    zl_put_value(call, call->value, "ideal", json_integer(ideal));
    zl_put_value(call, call->value, "phases", phases_value(call, phase));
    if (races(&a)) zl_put_value(call, call->value, "race", json_true());
    return ZLAY_OK;
}
