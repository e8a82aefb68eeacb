/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptors: their fields as rows, their bits as a text a group. */
#include "json/json.h"

#include <stddef.h>
#include <string.h>

/* ---- fields -------------------------------------------------------------------------- */

enum { STRIDES = 4, DIMS = 5, COUNT_USUAL = 1, TYPE_USUAL = 2 };

static zlay_status read_stride(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    if (json_array_size(list) > STRIDES) return zl_wrong(call, field->name, "a list that short");
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!zl_json_u64(json_array_get(list, i), (uint64_t *)to + i))
            return zl_wrong(call, field->name, "a list of integers");
    return ZLAY_OK;
}

static json_t *print_stride(zl_call *call, const zl_field *field, const void *from)
{
    (void)field;
    return zl_json_list(call, from, STRIDES);
}

/* A tile's extents are as many as the rank, unless that is given too. */
static zlay_status read_tile(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zlay_tdm *out = to;
    out->rank = (uint32_t)json_array_size(json_object_get(object, field->name));
    return zl_as_list32.read(call, object, field, out->tile);
}

static json_t *print_tile(zl_call *call, const zl_field *field, const void *from)
{
    return zl_as_list32.print(call, field, ((const zlay_tdm *)from)->tile);
}

static const zl_field_kind as_stride = {.read = read_stride,
                                        .print = print_stride,
                                        .type = "integers"},
                           as_tile = {.read = read_tile, .print = print_tile, .type = "integers"};
typedef uint64_t *as_stride_type;
typedef zlay_tdm as_tile_type;

static const zl_field tdm_rows[] = {
    {"address", ZL_NEEDS, ZL_AT(zl_as_u64, zlay_tdm, address)},
    {"stride", ZL_MAY, ZL_AT(as_stride, zlay_tdm, stride)},
    {"global_step", ZL_MAY, ZL_AT(zl_as_u64, zlay_tdm, global_step)},
    {"extent", ZL_NEEDS, ZL_LIST(zlay_tdm, extent)},
    {"tile", ZL_NEEDS, ZL_WHOLE(as_tile, zlay_tdm), .count = DIMS},
    {"row", ZL_MAY, ZL_LIST(zlay_tdm, row)},
    {"other", ZL_MAY, ZL_LIST(zlay_tdm, other)},
    {"lds", ZL_NEEDS, ZL_AT(zl_as_u32, zlay_tdm, lds)},
    ZL_NUMBER(zlay_tdm, rank), ZL_NUMBER(zlay_tdm, element), ZL_NUMBER(zlay_tdm, store),
    ZL_NUMBER(zlay_tdm, pad), ZL_NUMBER(zlay_tdm, mask), ZL_NUMBER(zlay_tdm, early),
    ZL_NUMBER(zlay_tdm, barrier), ZL_NUMBER(zlay_tdm, pad_interval),
    ZL_NUMBER(zlay_tdm, pad_amount), ZL_NUMBER(zlay_tdm, iterate), ZL_NUMBER(zlay_tdm, lds_step),
    ZL_NUMBER(zlay_tdm, repeats), ZL_NUMBER(zlay_tdm, barrier_at), ZL_NUMBER(zlay_tdm, gather),
    ZL_NUMBER(zlay_tdm, index32), ZL_NUMBER(zlay_tdm, count), ZL_NUMBER(zlay_tdm, type),
    ZL_NUMBER(zlay_tdm, restore), ZL_NUMBER(zlay_tdm, store_bit), ZL_NUMBER(zlay_tdm, nv),
    ZL_NUMBER(zlay_tdm, scope), ZL_NUMBER(zlay_tdm, th),
};
static const zl_fields descriptor_fields = {ZL_ROWS(tdm_rows, zlay_tdm)};
typedef zlay_tdm descriptor_fields_type;

typedef struct asked {
    const zlay_target *target;
    zlay_tdm tdm;
} asked;

static const asked usual = {.tdm = {.count = COUNT_USUAL, .type = TYPE_USUAL}};

static const zl_field asked_rows[] = {
    ZL_TARGET(asked),
    ZL_PART(descriptor_fields, asked, tdm),
};
const zl_fields zl_tdm_fields = {ZL_ROWS(asked_rows, asked), .start = &usual};

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

static bool read_group(const json_t *item, zlay_tdm_words *w, uint32_t group)
{
    const char *text = json_string_value(item);
    return text && zl_hex_words(text, strlen(text), w->word + first[group],
                                first[group + 1] - first[group]);
}

static zlay_status read_groups(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list = NULL;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    size_t count = json_array_size(list);
    if (count != FEW && count != GROUPS) return zl_wrong(call, "groups", "two groups or four");
    for (uint32_t i = 0; i < count; i++)
        if (!read_group(json_array_get(list, i), to, i))
            return zl_wrong(call, "groups", "0x and up to 32 hexadecimal digits, 64 of group 1");
    return ZLAY_OK;
}

static const zl_field_kind as_groups = {.read = read_groups, .type = "texts"};
typedef zlay_tdm_words as_groups_type;

typedef struct packed {
    const zlay_target *target;
    zlay_tdm_words words;
} packed;

static const zl_field packed_rows[] = {
    ZL_TARGET(packed),
    {"groups", ZL_NEEDS, ZL_AT(as_groups, packed, words)},
};
const zl_fields zl_tdm_words_fields = {ZL_ROWS(packed_rows, packed)};

zlay_status zl_op_tdm_pack(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_tdm_words bits;
    zlay_status status = zlay_tdm_pack(&bits, a->target, &a->tdm);
    if (status) return zl_unfit(call, a->target, status, "tensor descriptor");
    call->value = json_array();
    for (uint32_t i = 0; i < groups_of(&bits); i++)
        zl_put_item(call, call->value, group_text(&bits, i));
    return ZLAY_OK;
}

zlay_status zl_op_tdm_unpack(zl_call *call, const void *value)
{
    const packed *p = value;
    zlay_tdm tdm;
    zlay_status status = zlay_tdm_unpack(&tdm, p->target, &p->words);
    if (status) return zl_unfit(call, p->target, status, "tensor descriptor");
    call->value = json_object();
    zl_put_fields(call, call->value, &descriptor_fields, &tdm);
    return ZLAY_OK;
}

zlay_status zl_tdm_verdict(zl_checked *c, const void *value)
{
    const asked *a = value;
    return zlay_tdm_check(&c->verdict, c->reasons, c->room, a->target, &a->tdm);
}
