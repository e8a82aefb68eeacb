/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

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
    if (end == name + 1 || *end ||
        (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128))
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
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'addresses': lane %u is off its %u bytes",
                       lane, out->width);
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
            if (x != UINT32_MAX && y != UINT32_MAX && (x > y ? x - y : y - x) < a->width)
                return true;
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
    zl_fail(call->ctx, ZLAY_OK, "no measured phases of this access on %s",
            zlay_target_name(target));
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
