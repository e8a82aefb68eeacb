/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptors. */
#include "json/json.h"

#include <stddef.h>
#include <string.h>

/* ---- fields -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t at;
} words[] = {
#define WORD(field) {#field, offsetof(zlay_tdm, field)}
    WORD(lds),       WORD(rank),     WORD(element),   WORD(store),        WORD(pad),
    WORD(mask),      WORD(early),    WORD(barrier),   WORD(pad_interval), WORD(pad_amount),
    WORD(iterate),   WORD(lds_step), WORD(repeats),   WORD(barrier_at),   WORD(gather),
    WORD(index32),   WORD(count),    WORD(type),      WORD(restore),      WORD(store_bit),
    WORD(nv),        WORD(scope),    WORD(th),
#undef WORD
};

static const struct {
    const char *name;
    size_t at, count;
} lists[] = {
    {"extent", offsetof(zlay_tdm, extent), 5},
    {"tile", offsetof(zlay_tdm, tile), 5},
    {"row", offsetof(zlay_tdm, row), 16},
    {"other", offsetof(zlay_tdm, other), 3},
};

enum { STRIDES = 4, COUNT_USUAL = 1, TYPE_USUAL = 2 };

static zlay_status read_list(zl_call *call, const char *name, size_t most, uint64_t *out,
                             uint32_t *count)
{
    const json_t *list = NULL;
    if (!json_object_get(call->request, name)) return ZLAY_OK;
    zlay_status status = zl_get_list(call, call->request, name, &list);
    if (status) return status;
    if (json_array_size(list) > most) return zl_wrong(call, name, "a list of fewer integers");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!zl_json_u64(json_array_get(list, i), &out[i]))
            return zl_wrong(call, name, "a list of integers");
    *count = (uint32_t)json_array_size(list);
    return ZLAY_OK;
}

static zlay_status read_narrow(zl_call *call, size_t l, zlay_tdm *out)
{
    uint64_t wide[16] = {0};
    uint32_t count = 0;
    zlay_status status = read_list(call, lists[l].name, lists[l].count, wide, &count);
    for (size_t i = 0; !status && i < count; i++) {
        uint32_t value = (uint32_t)wide[i];
        if (wide[i] > UINT32_MAX) status = zl_wrong(call, lists[l].name, "integers below 2^32");
        memcpy((char *)out + lists[l].at + i * sizeof value, &value, sizeof value);
    }
    if (!status && !strcmp(lists[l].name, "tile")) out->rank = count;
    return status;
}

static zlay_status read_words(zl_call *call, zlay_tdm *out)
{
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < ZL_COUNT(words); i++) {
        uint32_t value;
        memcpy(&value, (const char *)out + words[i].at, sizeof value);
        status = zl_get_u32(call, call->request, words[i].name, &value);
        memcpy((char *)out + words[i].at, &value, sizeof value);
    }
    return status;
}

static zlay_status read_tdm(zl_call *call, const zlay_target **target, zlay_tdm *out)
{
    uint32_t strides = 0;
    *out = (zlay_tdm){.count = COUNT_USUAL, .type = TYPE_USUAL};
    zlay_status status = zl_get_target(call, target);
    for (size_t l = 0; !status && l < ZL_COUNT(lists); l++) status = read_narrow(call, l, out);
    if (!status) status = read_list(call, "stride", STRIDES, out->stride, &strides);
    if (!status) status = zl_get_u64(call, call->request, "address", &out->address);
    if (!status) status = zl_get_u64(call, call->request, "global_step", &out->global_step);
    return status ? status : read_words(call, out);
}

static zlay_status refuse(zl_call *call, const zlay_target *target, zlay_status status)
{
    if (status == ZLAY_ENOTSUP)
        return zl_fail(call->ctx, status, "%s has no tensor descriptor",
                       zlay_target_name(target));
    return zl_fail(call->ctx, status, "a field of the tensor descriptor does not fit");
}

/* ---- bits ---------------------------------------------------------------------------- */

enum { GROUPS = 4, FEW = 2, WORD_DIGITS = 8, MOST_DIGITS = 64 };

static const uint32_t first[GROUPS + 1] = {0, 4, 12, 16, 20};

static uint32_t groups_of(const zlay_tdm_words *w)
{
    for (uint32_t i = first[FEW]; i < first[GROUPS]; i++)
        if (w->word[i]) return GROUPS;
    return FEW;
}

static json_t *group_text(const zlay_tdm_words *w, uint32_t group)
{
    char text[2 + MOST_DIGITS + 1] = "0x";
    for (uint32_t i = first[group + 1], at = 2; i-- > first[group]; at += WORD_DIGITS)
        snprintf(text + at, sizeof text - at, "%08x", (unsigned)w->word[i]);
    return json_string(text);
}

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static bool read_group(const json_t *item, zlay_tdm_words *w, uint32_t group)
{
    const char *text = json_string_value(item);
    size_t most = WORD_DIGITS * (first[group + 1] - first[group]);
    size_t length = text ? strlen(text) : 0;
    bool hex = length > 2 && length <= 2 + most && !memcmp(text, "0x", 2);
    for (size_t i = 0; hex && i + 2 < length; i++) {
        int digit = digit_of(text[length - 1 - i]);
        hex = digit >= 0;
        if (hex) w->word[first[group] + i / WORD_DIGITS] |=
            (uint32_t)digit << 4 * (i % WORD_DIGITS);
    }
    return hex;
}

static zlay_status read_groups(zl_call *call, zlay_tdm_words *out)
{
    const json_t *list = NULL;
    zlay_status status = zl_get_list(call, call->request, "groups", &list);
    if (status) return status;
    size_t count = json_array_size(list);
    if (count != FEW && count != GROUPS) return zl_wrong(call, "groups", "two groups or four");
    for (uint32_t i = 0; i < count; i++)
        if (!read_group(json_array_get(list, i), out, i))
            return zl_wrong(call, "groups", "0x and up to 32 hexadecimal digits, 64 of group 1");
    return ZLAY_OK;
}

zlay_status zl_op_tdm_pack(zl_call *call)
{
    const zlay_target *target;
    zlay_tdm tdm;
    zlay_tdm_words bits;
    zlay_status status = read_tdm(call, &target, &tdm);
    if (status) return status;
    status = zlay_tdm_pack(&bits, target, &tdm);
    if (status) return refuse(call, target, status);
    call->value = json_array();
    for (uint32_t i = 0; i < groups_of(&bits); i++)
        zl_put_item(call, call->value, group_text(&bits, i));
    return ZLAY_OK;
}

static json_t *list_value(zl_call *call, const zlay_tdm *tdm, size_t l)
{
    json_t *list = json_array();
    for (size_t i = 0; i < lists[l].count; i++) {
        uint32_t value;
        memcpy(&value, (const char *)tdm + lists[l].at + i * sizeof value, sizeof value);
        zl_put_item(call, list, json_integer(value));
    }
    return list;
}

static json_t *strides_value(zl_call *call, const zlay_tdm *tdm)
{
    json_t *list = json_array();
    for (size_t i = 0; i < STRIDES; i++) zl_put_item(call, list, zl_json_uint(tdm->stride[i]));
    return list;
}

static void put_tdm(zl_call *call, const zlay_tdm *tdm)
{
    call->value = json_object();
    zl_put_value(call, call->value, "address", zl_json_uint(tdm->address));
    zl_put_value(call, call->value, "stride", strides_value(call, tdm));
    zl_put_value(call, call->value, "global_step", zl_json_uint(tdm->global_step));
    for (size_t l = 0; l < ZL_COUNT(lists); l++)
        zl_put_value(call, call->value, lists[l].name, list_value(call, tdm, l));
    for (size_t i = 0; i < ZL_COUNT(words); i++) {
        uint32_t value;
        memcpy(&value, (const char *)tdm + words[i].at, sizeof value);
        zl_put_value(call, call->value, words[i].name, json_integer(value));
    }
}

zlay_status zl_op_tdm_unpack(zl_call *call)
{
    const zlay_target *target;
    zlay_tdm tdm;
    zlay_tdm_words bits = {{0}};
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_groups(call, &bits);
    if (status) return status;
    status = zlay_tdm_unpack(&tdm, target, &bits);
    if (status) return refuse(call, target, status);
    put_tdm(call, &tdm);
    return ZLAY_OK;
}

zlay_status zl_op_tdm_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    const zlay_target *target;
    zlay_tdm tdm;
    zlay_status status = read_tdm(call, &target, &tdm);
    if (!status)
        status = zlay_tdm_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &tdm);
    if (!status) call->value = zl_json_verdict(call, &checked);
    return status;
}
