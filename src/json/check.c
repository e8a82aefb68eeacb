/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts, and the checks of tensor maps and matrix instructions. */
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { REASONS_MOST = 128, DIMS = 5 };

const zl_word zl_types[] = {
    {"u8", ZLAY_TMAP_U8}, {"u16", ZLAY_TMAP_U16}, {"u32", ZLAY_TMAP_U32}, {"s32", ZLAY_TMAP_S32},
    {"u64", ZLAY_TMAP_U64}, {"s64", ZLAY_TMAP_S64}, {"f16", ZLAY_TMAP_F16}, {"f32", ZLAY_TMAP_F32},
    {"f64", ZLAY_TMAP_F64}, {"bf16", ZLAY_TMAP_BF16}, {"f32_ftz", ZLAY_TMAP_F32_FTZ},
    {"tf32", ZLAY_TMAP_TF32}, {"tf32_ftz", ZLAY_TMAP_TF32_FTZ}, {"b4x16", ZLAY_TMAP_U4_ALIGN8},
    {"b4x16_p64", ZLAY_TMAP_U4_ALIGN16}, {"b6x16_p32", ZLAY_TMAP_U6_ALIGN16},
    {"b6p2x16", ZLAY_TMAP_U6_ALIGN16}, {NULL, 0}};
const zl_word zl_majors[] = {{"K", ZLAY_MAJOR_K}, {"MN", ZLAY_MAJOR_MN}, {NULL, 0}};
const zl_word zl_swizzles[] = {{"none", ZLAY_SWIZZLE_NONE}, {"32B", ZLAY_SWIZZLE_32B},
                               {"64B", ZLAY_SWIZZLE_64B}, {"128B", ZLAY_SWIZZLE_128B},
                               {"128B_base32B", 4}, {NULL, 0}};

static const zl_word modes[] = {{"tiled", 0}, {"im2col", 1}, {"im2col_wide", 2}, {NULL, 0}};
static const zl_word interleaves[] = {{"none", 0}, {"16B", 1}, {"32B", 2}, {NULL, 0}};
static const zl_word map_swizzles[] = {
    {"none", 0}, {"32B", 1}, {"64B", 2}, {"128B", 3}, {"128B_atom32B", 4},
    {"128B_atom32B_flip8B", 5}, {"128B_atom64B", 6}, {NULL, 0}};
static const zl_word promotions[] = {{"none", 0}, {"64B", 1}, {"128B", 2}, {"256B", 3}, {NULL, 0}};
static const zl_word fills[] = {{"none", 0}, {"zero", 0}, {"nan", 1}, {NULL, 0}};

/* ---- rows -------------------------------------------------------------------- */

static const zl_word voices[] = {{"driver", ZLAY_BY_DRIVER}, {"documented", ZLAY_BY_DOCUMENT},
                                 {"assembler", ZLAY_BY_ASSEMBLER}, {"hardware", ZLAY_BY_HARDWARE}, {NULL, 0}};
static const zl_word relations[] = {{"range", ZLAY_REL_RANGE}, {"multiple", ZLAY_REL_MULTIPLE},
                                    {"equal", ZLAY_REL_EQUAL}, {NULL, 0}};
static const zl_word keeps[] = {{"all", ZLAY_KEEPS_ALL}, {"bytes", ZLAY_KEEPS_BYTES},
                                {"values", ZLAY_KEEPS_VALUES}, {"nothing", ZLAY_KEEPS_NOTHING}, {NULL, 0}};

static json_t *word_value(const zl_word *words, int32_t number)
{
    const char *name = zl_word_of(words, number);
    return name ? json_string(name) : json_null();
}

static json_t *field_value(int32_t field)
{
    const char *name = field ? zlay_field_name(field) : NULL;
    return name ? json_string(name) : json_null();
}

static json_t *index_value(int32_t index) { return index < 0 ? json_null() : json_integer(index); }

static json_t *bound_value(zl_call *call, const zlay_reason *r)
{
    if (r->relation != ZLAY_REL_RANGE) return zl_json_uint(r->lo);
    json_t *bound = json_array();
    zl_put_item(call, bound, zl_json_uint(r->lo));
    zl_put_item(call, bound, zl_json_uint(r->hi));
    return bound;
}

static void fix_words(char *out, size_t room, const zlay_reason *r)
{
    const char *field = zlay_field_name(r->field);
    int length = snprintf(out, room, "set %s", field ? field : "the field");
    if (r->index >= 0) length += snprintf(out + length, room - (size_t)length, "[%d]", r->index);
    length += snprintf(out + length, room - (size_t)length, " to %" PRIu64, r->fix_value);
    if (r->fix_split > 1) snprintf(out + length, room - (size_t)length, " and issue %d copies", r->fix_split);
}

static json_t *set_value(zl_call *call, const zlay_reason *r)
{
    json_t *set = json_array(), *one = json_object();
    zl_put_value(call, one, "field", field_value(r->field));
    zl_put_value(call, one, "index", index_value(r->index));
    zl_put_value(call, one, "value", zl_json_uint(r->fix_value));
    zl_put_item(call, set, one);
    return set;
}

static json_t *fix_value(zl_call *call, const zlay_reason *r)
{
    char text[160] = "take another path";
    bool path = r->fix_keeps == ZLAY_KEEPS_NOTHING;
    if (r->fix_keeps == ZLAY_KEEPS_NONE_GIVEN) return json_null();
    if (!path) fix_words(text, sizeof text, r);
    json_t *fix = json_object();
    zl_put_value(call, fix, "text", json_string(text));
    zl_put_value(call, fix, "keeps", word_value(keeps, r->fix_keeps));
    zl_put_value(call, fix, "set", path ? json_array() : set_value(call, r));
    zl_put_value(call, fix, "split", json_integer(r->fix_split > 1 ? r->fix_split : 1));
    return fix;
}

static json_t *reason_value(zl_call *call, const zlay_reason *r)
{
    zlay_rule rule = {.id = "", .text = "", .source = ""};
    json_t *row = json_object();
    zlay_rule_get(&rule, r->rule);
    zl_put_value(call, row, "rule", json_string(rule.id));
    zl_put_value(call, row, "by", word_value(voices, r->by));
    zl_put_value(call, row, "field", field_value(r->field));
    zl_put_value(call, row, "index", index_value(r->index));
    zl_put_value(call, row, "value", zl_json_uint(r->value));
    zl_put_value(call, row, "relation", word_value(relations, r->relation));
    zl_put_value(call, row, "bound", bound_value(call, r));
    zl_put_value(call, row, "source", json_string(rule.source));
    zl_put_value(call, row, "text", json_string(rule.text));
    zl_put_value(call, row, "fix", fix_value(call, r));
    return row;
}

json_t *zl_json_verdict(zl_call *call, const zl_checked *checked)
{
    const zlay_verdict *v = &checked->verdict;
    json_t *value = json_object(), *broken = json_array(), *noted = json_array();
    for (size_t i = 0; i < v->reasons && i < checked->room; i++) {
        const zlay_reason *r = &checked->reasons[i];
        zl_put_item(call, r->noted ? noted : broken, reason_value(call, r));
    }
    zl_put_value(call, value, "answer", json_string(v->answer == ZLAY_YES ? "yes" : "no"));
    zl_put_value(call, value, "basis", json_string(v->basis == ZLAY_BASIS_MEASURED ? "measured" : "documented"));
    zl_put_value(call, value, "broken", broken);
    zl_put_value(call, value, "noted", noted);
    return value;
}

zlay_status zl_op_rule_explain(zl_call *call)
{
    zl_span name = {0};
    zlay_rule rule;
    char quoted[256];
    zlay_status status = zl_get_text(call, call->request, "rule", &name);
    if (status) return status;
    status = zlay_rule_find(&rule, name.text, name.length);
    if (status)
        return zl_fail(call->ctx, status, "no rule is called '%s'", zl_quote(quoted, name.text, name.length));
    call->value = json_object();
    zl_put_value(call, call->value, "text", json_string(rule.text));
    zl_put_value(call, call->value, "source", json_string(rule.source));
    zl_put_value(call, call->value, "by", word_value(voices, rule.by));
    zl_put_value(call, call->value, "targets", json_string(rule.targets));
    return ZLAY_OK;
}

/* ---- tensor maps -------------------------------------------------------------- */

static const char map_required[] =
    "mode type rank address extent stride box step interleave swizzle l2 oob";
static const char map_optional[] = "lower upper channels pixels wide_mode";

/* A list whose length rank fixes, of which the struct holds the first `room`. */
static zlay_status read_list(zl_call *call, const json_t *map, const char *name, uint64_t length,
                             uint64_t *out, size_t room)
{
    const json_t *list;
    zlay_status status = zl_get_list(call, map, name, &list);
    if (status) return status;
    if (json_array_size(list) != length)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field '%s' has %zu entries, and rank asks for %" PRIu64, name,
                       json_array_size(list), length);
    for (size_t i = 0; i < length; i++) {
        uint64_t value;
        if (!zl_json_u64(json_array_get(list, i), &value))
            return zl_wrong(call, name, "a list of integers in [0, 2^64)");
        if (i < room) out[i] = value;
    }
    return ZLAY_OK;
}

/* Values beyond 32 bits are refused by the same rules as the greatest one. */
static zlay_status read_list32(zl_call *call, const json_t *map, const char *name, uint64_t length,
                               uint32_t *out)
{
    uint64_t wide[DIMS] = {0};
    zlay_status status = read_list(call, map, name, length, wide, DIMS);
    for (size_t i = 0; !status && i < DIMS; i++)
        out[i] = wide[i] > UINT32_MAX ? UINT32_MAX : (uint32_t)wide[i];
    return status;
}

static zlay_status read_lists(zl_call *call, const json_t *map, zlay_tensormap *out)
{
    uint64_t rank = out->rank;
    zlay_status status = read_list(call, map, "extent", rank, out->extent, DIMS);
    if (!status) status = read_list(call, map, "stride", rank ? rank - 1 : 0, out->stride, DIMS - 1);
    if (!status) status = read_list32(call, map, "box", rank, out->box);
    if (!status) status = read_list32(call, map, "step", rank, out->step);
    return status;
}

static zlay_status read_map(zl_call *call, zlay_tensormap *out)
{
    const json_t *map;
    zlay_status status = zl_get_object(call, call->request, "map", &map);
    if (!status) status = zl_fields_check(call, map, "map", map_required, map_optional);
    if (!status) status = zl_get_word(call, map, "mode", modes, &out->mode);
    if (!status) status = zl_get_word(call, map, "type", zl_types, &out->type);
    if (!status) status = zl_get_u32(call, map, "rank", &out->rank);
    if (!status) status = zl_get_u64(call, map, "address", &out->address);
    if (!status) status = zl_get_word(call, map, "interleave", interleaves, &out->interleave);
    if (!status) status = zl_get_word(call, map, "swizzle", map_swizzles, &out->swizzle);
    if (!status) status = zl_get_word(call, map, "l2", promotions, &out->l2);
    if (!status) status = zl_get_word(call, map, "oob", fills, &out->oob);
    return status ? status : read_lists(call, map, out);
}

static json_t *list_value(zl_call *call, const uint64_t *wide, const uint32_t *narrow, uint32_t count)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++) zl_put_item(call, list, zl_json_uint(wide ? wide[i] : narrow[i]));
    return list;
}

json_t *zl_json_tensormap(zl_call *call, const zlay_tensormap *map)
{
    json_t *value = json_object();
    uint32_t rank = map->rank > DIMS ? DIMS : map->rank;
    zl_put_value(call, value, "mode", word_value(modes, map->mode));
    zl_put_value(call, value, "type", json_integer(map->type));
    zl_put_value(call, value, "rank", json_integer(map->rank));
    zl_put_value(call, value, "address", zl_json_uint(map->address));
    zl_put_value(call, value, "extent", list_value(call, map->extent, NULL, rank));
    zl_put_value(call, value, "stride", list_value(call, map->stride, NULL, rank ? rank - 1 : 0));
    zl_put_value(call, value, "box", list_value(call, NULL, map->box, rank));
    zl_put_value(call, value, "step", list_value(call, NULL, map->step, rank));
    zl_put_value(call, value, "interleave", json_integer(map->interleave));
    zl_put_value(call, value, "swizzle", json_integer(map->swizzle));
    zl_put_value(call, value, "l2", json_integer(map->l2));
    zl_put_value(call, value, "oob", json_integer(map->oob));
    return value;
}

static void put_repair(zl_call *call, const zlay_target *target, const zlay_tensormap *map)
{
    zlay_tensormap repaired;
    int32_t kept;
    uint64_t split;
    json_t *maps = json_array();
    if (zlay_tensormap_repair(&repaired, &kept, &split, target, map) == ZLAY_OK) {
        zl_put_item(call, maps, zl_json_tensormap(call, &repaired));
        zl_put_value(call, call->value, "keeps", word_value(keeps, kept));
        zl_put_value(call, call->value, "split", zl_json_uint(split));
    }
    zl_put_value(call, call->value, "repaired", maps);
}

zlay_status zl_op_tensormap_check(zl_call *call)
{
    static const zl_word drivers[] = {{"unknown", ZLAY_DRIVER_UNKNOWN}, {"accepts", ZLAY_DRIVER_ACCEPTS},
                                      {"refuses", ZLAY_DRIVER_REFUSES}, {NULL, 0}};
    zlay_reason reasons[REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = REASONS_MOST};
    const zlay_target *target;
    zlay_tensormap map = {0};
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_map(call, &map);
    if (status) return status;
    status = zlay_tensormap_check(&checked.verdict, reasons, REASONS_MOST, target, &map);
    if (status) return zl_fail(call->ctx, status, "tensor maps of mode '%s' are not done",
                               zl_word_of(modes, map.mode) ? zl_word_of(modes, map.mode) : "?");
    call->value = zl_json_verdict(call, &checked);
    zl_put_value(call, call->value, "driver", word_value(drivers, checked.verdict.driver));
    if (checked.verdict.answer == ZLAY_YES) zl_put_value(call, call->value, "repaired", json_array());
    else put_repair(call, target, &map);
    return ZLAY_OK;
}

/* ---- matrix instructions -------------------------------------------------------- */

static zlay_status wgmma_only(zl_call *call)
{
    static const struct { const char *field, *allowed; } only[] = {
        {"instruction", "wgmma"}, {"kind", "bf16"}, {"a", "bf16"}, {"b", "bf16"}, {"a_source", "smem"}};
    for (size_t i = 0; i < ZL_COUNT(only); i++) {
        zl_span given = {only[i].allowed, strlen(only[i].allowed)};
        zlay_status status = zl_get_text(call, call->request, only[i].field, &given);
        if (status) return status;
        if (given.length != strlen(only[i].allowed) || memcmp(given.text, only[i].allowed, given.length))
            return zl_fail(call->ctx, ZLAY_ENOTSUP, "field '%s': only '%s' is done", only[i].field,
                           only[i].allowed);
    }
    return ZLAY_OK;
}

static zlay_status read_mma(zl_call *call, zlay_mma *out)
{
    const json_t *request = call->request;
    zlay_status status = wgmma_only(call);
    if (!status) status = zl_get_u32(call, request, "m", &out->m);
    if (!status) status = zl_get_u32(call, request, "n", &out->n);
    if (!status) status = zl_get_u32(call, request, "k", &out->k);
    if (!status) status = zl_get_word(call, request, "d", zl_types, &out->d);
    if (!status) status = zl_get_word(call, request, "a_major", zl_majors, &out->a_major);
    if (!status) status = zl_get_word(call, request, "b_major", zl_majors, &out->b_major);
    return status;
}

zlay_status zl_op_mma_check(zl_call *call)
{
    zlay_reason reasons[REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = REASONS_MOST};
    const zlay_target *target;
    zlay_mma mma = {.a = ZLAY_TMAP_BF16, .b = ZLAY_TMAP_BF16, .d = ZLAY_TMAP_F32};
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_mma(call, &mma);
    if (status) return status;
    status = zlay_mma_check(&checked.verdict, reasons, REASONS_MOST, target, &mma);
    if (status) return zl_fail(call->ctx, status, "wgmma of these fields is not done");
    call->value = zl_json_verdict(call, &checked);
    return ZLAY_OK;
}
