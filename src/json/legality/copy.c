/* SPDX-License-Identifier: Apache-2.0 */
#include "json/json.h"

#include <string.h>

enum { ID_MOST = 64 };

/* Whether a field is there: rules ask of operands that are known. */
static bool given(const zl_call *call, const char *name)
{
    return json_object_get(call->request, name) != NULL;
}

/* ---- the instruction ---------------------------------------------------------------- */

/* A mask makes a load a multicast, as the longer id says. */
static zlay_status find_shared(zlay_issue *out, const zl_span *id)
{
    static const char more[] = ".multicast";
    char text[ID_MOST + sizeof more];
    if (id->length > ID_MOST) return ZLAY_NONE;
    memcpy(text, id->text, id->length);
    memcpy(text + id->length, more, sizeof more);
    return zlay_issue_find(out, text, id->length + sizeof more - 1);
}

static zlay_status read_instruction(zl_call *call, zlay_issue *out)
{
    zl_span id = {"", 0};
    char quoted[256];
    zlay_status status = zl_get_text(call, call->request, "instruction", &id);
    if (status) return status;
    status = zlay_issue_find(out, id.text, id.length);
    if (status)
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'instruction': no copy is called '%s'",
                       zl_quote(quoted, id.text, id.length));
    if (!given(call, "cta_mask") || out->given & ZLAY_GIVEN_MULTICAST) return ZLAY_OK;
    if (find_shared(out, &id))
        return zl_fail(call->ctx, ZLAY_EINVAL, "field 'cta_mask': '%s' has no mask",
                       zl_quote(quoted, id.text, id.length));
    return ZLAY_OK;
}

/* ---- operands ------------------------------------------------------------------------- */

static zlay_status read_numbers(zl_call *call, const char *name, int32_t *out, size_t length)
{
    const json_t *list;
    if (!given(call, name)) return ZLAY_OK;
    zlay_status status = zl_get_list(call, call->request, name, &list);
    if (status) return status;
    if (json_array_size(list) != length)
        return zl_fail(call->ctx, ZLAY_EINVAL,
                       "field '%s' has %zu entries, and the instruction asks for %zu", name,
                       json_array_size(list), length);
    for (size_t i = 0; i < length; i++) {
        int64_t value;
        if (!zl_json_i64(json_array_get(list, i), &value) || value < INT32_MIN ||
            value > INT32_MAX)
            return zl_wrong(call, name, "a list of integers in [-2^31, 2^31)");
        out[i] = (int32_t)value;
    }
    return ZLAY_OK;
}

static size_t coordinates_of(const zlay_issue *issue)
{
    bool rows4 = issue->mode == ZLAY_COPY_GATHER4 || issue->mode == ZLAY_COPY_SCATTER4;
    return rows4 ? 5 : issue->rank;
}

static size_t offsets_of(const zlay_issue *issue)
{
    if (issue->mode == ZLAY_COPY_IM2COL) return issue->rank < 2 ? 0 : issue->rank - 2;
    return issue->mode == ZLAY_COPY_IM2COL_W || issue->mode == ZLAY_COPY_IM2COL_W128 ? 2 : 0;
}

static zlay_status read_operands(zl_call *call, zlay_issue *out)
{
    const struct {
        const char *name;
        uint64_t *out;
        uint32_t given;
    } rows[] = {{"smem", &out->smem, 0},
                {"bytes", &out->bytes, 0},
                {"source", &out->source, 0},
                {"barrier", &out->barrier, ZLAY_GIVEN_BARRIER},
                {"expect", &out->expect, ZLAY_GIVEN_EXPECT},
                {"count", &out->count, ZLAY_GIVEN_COUNT},
                {"cta_mask", &out->cta_mask, ZLAY_GIVEN_CTA_MASK},
                {"byte_mask", &out->byte_mask, ZLAY_GIVEN_BYTE_MASK},
                {"taken", &out->taken, ZLAY_GIVEN_TAKEN}};
    zlay_status status = ZLAY_OK;
    for (size_t i = 0; !status && i < ZL_COUNT(rows); i++) {
        status = zl_get_u64(call, call->request, rows[i].name, rows[i].out);
        if (given(call, rows[i].name)) out->given |= rows[i].given;
    }
    return status;
}

static zlay_status read_cluster(zl_call *call, zlay_issue *out)
{
    const json_t *request = call->request;
    zlay_status status = zl_get_u32(call, request, "cluster", &out->cluster);
    if (!status) status = zl_get_u32(call, request, "cta", &out->cta);
    if (!status) status = zl_get_u32(call, request, "peer", &out->peer);
    if (given(call, "cluster")) out->given |= ZLAY_GIVEN_CLUSTER;
    if (given(call, "cta")) out->given |= ZLAY_GIVEN_CTA;
    if (given(call, "peer")) out->given |= ZLAY_GIVEN_PEER;
    return status;
}

static zlay_status read_issue(zl_call *call, zlay_issue *out)
{
    zlay_status status = read_instruction(call, out);
    if (!status) status = read_operands(call, out);
    if (!status) status = read_cluster(call, out);
    if (!status) status = read_numbers(call, "coordinates", out->coordinate, coordinates_of(out));
    if (!status) status = read_numbers(call, "offsets", out->offset, offsets_of(out));
    return status;
}

/* ---- the check ------------------------------------------------------------------------ */

static const zl_word fields[] = {{"coordinates", ZLAY_FIELD_COORDINATE},
                                 {"offsets", ZLAY_FIELD_OFFSET},
                                 {"smem", ZLAY_FIELD_SMEM},
                                 {"source", ZLAY_FIELD_SOURCE},
                                 {"barrier", ZLAY_FIELD_BARRIER},
                                 {"expect", ZLAY_FIELD_EXPECT},
                                 {"bytes", ZLAY_FIELD_BYTES},
                                 {"count", ZLAY_FIELD_COUNT},
                                 {NULL, 0}};

/* The copy and its map with a number in every place: read from a copy of the request. */
static zlay_status numbers_read(zl_call *call, zlay_issue *out, zlay_tensormap *map,
                                zl_texts *texts)
{
    const json_t *request = call->request;
    json_t *copy = json_deep_copy(request);
    if (!copy) return ZLAY_ENOMEM;
    zl_texts_take(texts, request, copy, fields);
    zl_texts_take(texts, json_object_get(request, "map"), json_object_get(copy, "map"),
                  zl_map_texts);
    call->request = copy;
    zlay_status status = read_issue(call, out);
    if (!status && given(call, "map")) status = zl_get_tensormap(call, map);
    call->request = request;
    json_decref(copy);
    return status;
}

static zlay_status ask_given(zlay_ctx *ctx, zlay_buf *guard, const void *value)
{
    const zl_texts_asked *a = value;
    const zlay_issue_question q = {sizeof q, a->texts->count, a->target, a->issue,
                                   a->map,   a->texts->at,    a->facts};
    return zlay_issue_check_given(ctx, &a->checked->verdict, a->checked->reasons,
                                  a->checked->room, guard, &q);
}

static zlay_status ask_numbers(zl_call *call, const zl_texts_asked *a)
{
    zlay_status status = zlay_copy_check(&a->checked->verdict, a->checked->reasons,
                                         a->checked->room, a->target, a->issue, a->map);
    if (!status) call->value = zl_json_verdict(call, a->checked);
    return status;
}

zlay_status zl_op_copy_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    zl_texts texts = {.count = 0};
    zlay_issue issue;
    uint64_t bytes;
    zlay_tensormap map = {0};
    zl_texts_asked asked = {.checked = &checked, .texts = &texts, .issue = &issue};
    zlay_status status = zl_get_target(call, &asked.target);
    if (!status) status = numbers_read(call, &issue, &map, &texts);
    if (status) return status;
    if (given(call, "map")) asked.map = &map;
    if (zlay_copy_bytes(&bytes, &issue, asked.map) == ZLAY_EINVAL)
        return zl_fail(call->ctx, ZLAY_EINVAL, "a tensor copy needs the field 'map'");
    return given(call, "facts") || texts.count ? zl_texts_check(call, ask_given, &asked)
                                               : ask_numbers(call, &asked);
}
