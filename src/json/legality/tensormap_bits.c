/* SPDX-License-Identifier: Apache-2.0 */
/* The 128 bytes of a tensor map: from its fields, and back. */
#include "json/json.h"

#include <zlay/tensormap_bits.h>

enum { WORDS = 16, DIGITS = 16 };

static json_t *words_value(zl_call *call, const uint64_t *words)
{
    json_t *list = json_array();
    for (size_t i = 0; i < WORDS; i++) zl_put_item(call, list, zl_json_bits(words[i], DIGITS));
    return list;
}

static zlay_status read_words(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list;
    uint64_t *words = to;
    zlay_status status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    if (json_array_size(list) != WORDS)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'words' has %zu entries, a tensor map 16",
                       json_array_size(list));
    for (size_t i = 0; i < WORDS; i++)
        if (!zl_json_u64(json_array_get(list, i), &words[i]))
            return zl_wrong(call, "words", "a list of 64-bit words");
    return ZLAY_OK;
}

static const zl_field_kind as_words = {.read = read_words, .type = "integers"};
typedef uint64_t *as_words_type;

typedef struct asked {
    const zlay_target *target;
    uint64_t words[WORDS];
} asked;

static const zl_field word_rows[] = {
    ZL_TARGET(asked),
    {"words", ZL_NEEDS, ZL_AT(as_words, asked, words)},
};
const zl_fields zl_map_word_fields = {ZL_ROWS(word_rows, asked)};

static zlay_status not_measured(zl_call *call, const zlay_target *target)
{
    return zl_fail(call->ctx, ZLAY_ENOTSUP,
                   "the bits of tensor maps were read on sm_90 alone, not on %s",
                   zlay_target_name(target));
}

zlay_status zl_op_tensormap_pack(zl_call *call, const void *value)
{
    const zl_map_asked *a = value;
    uint64_t words[WORDS];
    zlay_status status = zlay_tensormap_pack(words, a->target, &a->map);
    if (status == ZLAY_ENOTSUP) return not_measured(call, a->target);
    if (status)
        return zl_fail(call->ctx, status, "field 'map' is not legal: tensormap.check says why");
    call->value = json_object();
    zl_put_value(call, call->value, "source", json_string(zlay_tensormap_bits_source()));
    zl_put_value(call, call->value, "words", words_value(call, words));
    return ZLAY_OK;
}

zlay_status zl_op_tensormap_unpack(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_tensormap map;
    uint64_t unexplained[WORDS];
    if (zlay_tensormap_unpack(&map, unexplained, a->target, a->words))
        return not_measured(call, a->target);
    call->value = json_object();
    zl_put_value(call, call->value, "source", json_string(zlay_tensormap_bits_source()));
    zl_put_value(call, call->value, "map", zl_json_tensormap(call, &map));
    zl_put_value(call, call->value, "unexplained", words_value(call, unexplained));
    return ZLAY_OK;
}
