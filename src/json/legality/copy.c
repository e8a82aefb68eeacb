/* SPDX-License-Identifier: Apache-2.0 */
/* copy.check: an issued copy by its instruction, operands and map, as numbers or as texts. */
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
static zlay_status find_shared(zlay_issue *out, const zl_json_text *id)
{
    static const char more[] = ".multicast";
    char text[ID_MOST + sizeof more];
    if (id->length > ID_MOST) return ZLAY_NONE;
    memcpy(text, id->text, id->length);
    memcpy(text + id->length, more, sizeof more);
    return zlay_issue_find(out, text, id->length + sizeof more - 1);
}

static zlay_status read_instruction(zl_call *call, const json_t *object, const zl_field *field,
                                    void *to)
{
    zlay_issue *out = to;
    zl_json_text id = {"", 0};
    char quoted[256];
    zlay_status status = zl_get_text(call, object, field->name, &id);
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

/* Lists whose lengths the instruction fixes; it is read before. */
static zlay_status read_coordinates(zl_call *call, const json_t *object, const zl_field *field,
                                    void *to)
{
    zlay_issue *out = to;
    (void)object;
    return read_numbers(call, field->name, out->coordinate, coordinates_of(out));
}

static zlay_status read_offsets(zl_call *call, const json_t *object, const zl_field *field,
                                void *to)
{
    zlay_issue *out = to;
    (void)object;
    return read_numbers(call, field->name, out->offset, offsets_of(out));
}

static const zl_field_kind as_instruction = {.read = read_instruction, .type = "text"},
                           as_coordinates = {.read = read_coordinates, .type = "integers"},
                           as_offsets = {.read = read_offsets, .type = "integers"};
typedef zlay_issue as_instruction_type, as_coordinates_type, as_offsets_type;

typedef struct asked {
    const zlay_target *target;
    zlay_issue issue;
    zlay_tensormap map;
    const zlay_facts *facts;
    zl_texts texts;
} asked;

static const zl_field copy_rows[] = {
    ZL_TARGET(asked),
    {"instruction", ZL_NEEDS, ZL_AT(as_instruction, asked, issue)},
    {"map", ZL_MAY, ZL_AT(zl_as_map, asked, map)},
    {"coordinates", ZL_MAY, ZL_AT(as_coordinates, asked, issue)},
    {"offsets", ZL_MAY, ZL_AT(as_offsets, asked, issue)},
    {"smem", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.smem)},
    {"expect", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.expect), .present = ZLAY_GIVEN_EXPECT},
    {"barrier", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.barrier), .present = ZLAY_GIVEN_BARRIER},
    {"count", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.count), .present = ZLAY_GIVEN_COUNT},
    {"cta_mask", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.cta_mask), .present = ZLAY_GIVEN_CTA_MASK},
    {"bytes", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.bytes)},
    {"source", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.source)},
    {"taken", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.taken), .present = ZLAY_GIVEN_TAKEN},
    {"byte_mask", ZL_MAY, ZL_AT(zl_as_u64, asked, issue.byte_mask),
     .present = ZLAY_GIVEN_BYTE_MASK},
    {"cluster", ZL_MAY, ZL_AT(zl_as_u32, asked, issue.cluster), .present = ZLAY_GIVEN_CLUSTER},
    {"cta", ZL_MAY, ZL_AT(zl_as_u32, asked, issue.cta), .present = ZLAY_GIVEN_CTA},
    {"peer", ZL_MAY, ZL_AT(zl_as_u32, asked, issue.peer), .present = ZLAY_GIVEN_PEER},
    {"facts", ZL_MAY, ZL_AT(zl_as_facts, asked, facts)},
};
static const zl_named fields[] = {{"coordinates", ZLAY_FIELD_COORDINATE},
                                  {"offsets", ZLAY_FIELD_OFFSET},
                                  {"smem", ZLAY_FIELD_SMEM},
                                  {"source", ZLAY_FIELD_SOURCE},
                                  {"barrier", ZLAY_FIELD_BARRIER},
                                  {"expect", ZLAY_FIELD_EXPECT},
                                  {"bytes", ZLAY_FIELD_BYTES},
                                  {"count", ZLAY_FIELD_COUNT},
                                  {NULL, 0}};

static bool take_texts(const json_t *request, json_t *copy, void *to)
{
    zl_texts *texts = &((asked *)to)->texts;
    return zl_texts_take(texts, request, copy, fields) &&
           zl_texts_take(texts, json_object_get(request, "map"), json_object_get(copy, "map"),
                         zl_map_texts);
}

const zl_fields zl_copy_fields = {ZL_ROWS(copy_rows, asked),
                                  .present = offsetof(asked, issue.given), .take = take_texts};

/* ---- the check ------------------------------------------------------------------------ */

typedef struct copy_checked {
    zl_checked *checked;
    const asked *asked;
    const zlay_tensormap *map; /* NULL: the request has none */
} copy_checked;

static zlay_status check_given(zlay_ctx *ctx, zlay_buf *guard, const void *value)
{
    const copy_checked *ask = value;
    const asked *a = ask->asked;
    const zlay_issue_question q = {sizeof q, a->texts.count, a->target, &a->issue,
                                   ask->map, a->texts.at,    a->facts};
    return zlay_issue_check_given(ctx, &ask->checked->verdict, ask->checked->reasons,
                                  ask->checked->room, guard, &q);
}

static zlay_status check_numbers(zl_checked *c, const void *value)
{
    const copy_checked *ask = value;
    return zlay_copy_check(&c->verdict, c->reasons, c->room, ask->asked->target,
                           &ask->asked->issue, ask->map);
}

zlay_status zl_op_copy_check(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    const copy_checked ask = {&checked, a, given(call, "map") ? &a->map : NULL};
    uint64_t bytes;
    if (zlay_copy_bytes(&bytes, &a->issue, ask.map) == ZLAY_EINVAL)
        return zl_fail(call->ctx, ZLAY_EINVAL, "a tensor copy needs the field 'map'");
    if (!zl_has_unknowns(call, &a->texts)) return zl_check_asked(call, &ask, check_numbers);
    return zl_texts_check(call, &checked, check_given, &ask);
}
