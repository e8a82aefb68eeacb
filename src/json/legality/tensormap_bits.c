/* SPDX-License-Identifier: Apache-2.0 */
/* The 128 bytes of a tensor map: from its fields, and back. */
#include "json/json.h"

#include <string.h>
#include <zlay/tensormap_bits.h>

enum { WORDS = 16, DIGITS = 16, WORD_BYTES = 8, MAP_DIGITS = 2 * WORDS * WORD_BYTES };

static json_t *words_value(zl_call *call, const uint64_t *words)
{
    json_t *list = json_array();
    for (size_t i = 0; i < WORDS; i++) zl_put_item(call, list, zl_json_bits(words[i], DIGITS));
    return list;
}

static int digit(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *at = memchr(digits, c >= 'A' && c <= 'F' ? c + 32 : c, sizeof digits - 1);
    return at ? (int)(at - digits) : -1;
}

/* Bytes in memory are little-endian words. */
static bool bytes_read(uint64_t *words, const zl_json_text *text)
{
    if (text->length != MAP_DIGITS) return false;
    for (size_t b = 0; b < WORDS * WORD_BYTES; b++) {
        int high = digit(text->text[2 * b]), low = digit(text->text[2 * b + 1]);
        if (high < 0 || low < 0) return false;
        words[b / WORD_BYTES] |= (uint64_t)(16 * high + low) << 8 * (b % WORD_BYTES);
    }
    return true;
}

static zlay_status read_words(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    const json_t *list;
    zl_json_text text = {0};
    uint64_t *words = to;
    zlay_status status = ZLAY_OK;
    if (json_is_string(json_object_get(object, field->name))) {
        status = zl_get_text(call, object, field->name, &text);
        if (status || bytes_read(words, &text)) return status;
        return zl_wrong(call, field->name, "16 words, or 256 hex digits as they lie in memory");
    }
    status = zl_get_list(call, object, field->name, &list);
    if (status) return status;
    if (json_array_size(list) != WORDS)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'words' has %zu entries, a tensor map 16",
                       json_array_size(list));
    for (size_t i = 0; i < WORDS; i++)
        if (!zl_json_u64(json_array_get(list, i), &words[i]))
            return zl_wrong(call, "words", "a list of 64-bit words");
    return ZLAY_OK;
}

const zl_field_kind zl_as_map_words = {.read = read_words};

typedef struct asked {
    const zlay_target *target;
    uint64_t words[WORDS];
} asked;

static const zl_field word_rows[] = {
    ZL_TARGET(asked),
    {"words", ZL_NEEDS, ZL_AT(zl_as_map_words, asked, words)},
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

/* What one copy of the map moves: the bytes that complete_tx counts, and their elements. */
static json_t *copy_value(zl_call *call, const zlay_tensormap *map)
{
    const zlay_issue issue = {.kind = ZLAY_COPY_TENSOR_LOAD,
                              .mode = map->mode ? ZLAY_COPY_IM2COL : ZLAY_COPY_TILE,
                              .rank = map->rank};
    uint64_t bytes, bits = zlay_tensormap_type_bits(map->type);
    json_t *value = json_object();
    if (zlay_copy_bytes(&bytes, &issue, map) || !bits) return json_decref(value), json_null();
    zl_put_value(call, value, "elements", zl_json_uint(bytes / bits * 8 + bytes % bits * 8 / bits));
    zl_put_value(call, value, "expect_tx", zl_json_uint(bytes));
    return value;
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
    zl_put_value(call, call->value, "copy", copy_value(call, &map));
    return ZLAY_OK;
}
