/* SPDX-License-Identifier: Apache-2.0 */
/* tuning.check, tuning.merge and tuning.find: measurements that are kept as text. */
#include "json/json.h"

#include <stdio.h>
#include <zlay/tuning.h>

enum { BAD = 32 };

typedef struct cached {
    zl_json_text text, other;
} cached;

static const zl_field check_rows[] = {{"text", ZL_NEEDS, ZL_AT(zl_as_text, cached, text)}};
const zl_fields zl_tuning_check_fields = {ZL_ROWS(check_rows, cached)};

static const zl_field merge_rows[] = {{"a", ZL_NEEDS, ZL_AT(zl_as_text, cached, text)},
                                      {"b", ZL_NEEDS, ZL_AT(zl_as_text, cached, other)}};
const zl_fields zl_tuning_merge_fields = {ZL_ROWS(merge_rows, cached)};

/* Which device the record is to be of; what is not said is any. */
typedef struct where {
    zl_json_text name;
    uint32_t processors, driver;
} where;

typedef struct find_gemm {
    zl_gemm_asked gemm;
    zl_json_text text;
    where device;
} find_gemm;

#define DEVICE_ROWS(type)                                                                          \
    {"text", ZL_NEEDS, ZL_AT(zl_as_text, type, text)},                                             \
        {"device", ZL_MAY, ZL_AT(zl_as_text, type, device.name)},                                  \
        {"processors", ZL_MAY, ZL_AT(zl_as_u32, type, device.processors)},                         \
    {                                                                                              \
        "driver", ZL_MAY, ZL_AT(zl_as_u32, type, device.driver)                                    \
    }

static const zl_field find_rows[] = {ZL_PART(zl_gemm_fields, find_gemm, gemm),
                                     DEVICE_ROWS(find_gemm)};
const zl_fields zl_tuning_find_fields = {ZL_ROWS(find_rows, find_gemm)};

typedef struct find_attention {
    zl_attention_asked attention;
    zl_json_text text;
    where device;
} find_attention;

static const zl_field attention_rows[] = {ZL_PART(zl_attention_fields, find_attention, attention),
                                          DEVICE_ROWS(find_attention)};
const zl_fields zl_tuning_find_attention_fields = {ZL_ROWS(attention_rows, find_attention)};

/* ---- answers ------------------------------------------------------------------------- */

static json_t *record_value(zl_call *call, const zlay_tuning_record *r)
{
    json_t *value = json_object();
    zl_put_value(call, value, "key", json_string(r->key));
    zl_put_value(call, value, "choice", json_string(r->choice));
    zl_put_value(call, value, "ns", json_integer((json_int_t)r->ns));
    zl_put_value(call, value, "rounds", json_integer(r->rounds));
    zl_put_value(call, value, "others", zl_json_list(call, r->others, r->others_count));
    return value;
}

static void put_bad(zl_call *call, json_t *list, const zlay_tuning_bad *bad, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_t *item = json_object();
        zl_put_value(call, item, "line", json_integer((json_int_t)bad[i].line));
        zl_put_value(call, item, "reason", json_string(bad[i].reason));
        zl_put_item(call, list, item);
    }
}

/* Reads a text once more, for more refused lines than there was room for. */
static zlay_status read_again(zl_call *call, json_t *list, const zl_json_text *text, size_t room)
{
    size_t count;
    zlay_tuning *again = NULL;
    zlay_allocator alloc = zl_allocator(call->ctx);
    zlay_tuning_bad *bad = zl_alloc(call->ctx, room, sizeof *bad);
    if (!bad) return ZLAY_ENOMEM;
    zlay_status status =
        zlay_tuning_parse(call->ctx, &again, bad, room, &count, text->text, text->length);
    if (!status) put_bad(call, list, bad, room);
    zlay_tuning_free(again);
    zl_free(&alloc, bad, room * sizeof *bad);
    return status;
}

/* Reads a text, and adds its refused lines to the list. */
static zlay_status read_text(zl_call *call, zlay_tuning **out, json_t *list,
                             const zl_json_text *text)
{
    zlay_tuning_bad bad[BAD];
    size_t count = 0;
    zlay_status status =
        zlay_tuning_parse(call->ctx, out, bad, BAD, &count, text->text, text->length);
    if (!status && count > BAD) return read_again(call, list, text, count);
    if (!status) put_bad(call, list, bad, count);
    return status;
}

zlay_status zl_op_tuning_check(zl_call *call, const void *asked)
{
    const cached *a = asked;
    zlay_tuning *tuning = NULL;
    zlay_tuning_record r;
    json_t *bad = json_array(), *records = json_array();
    zlay_status status = read_text(call, &tuning, bad, &a->text);
    for (size_t i = 0; !status && !zlay_tuning_nth(&r, tuning, i); i++)
        zl_put_item(call, records, record_value(call, &r));
    call->value = json_object();
    zl_put_value(call, call->value, "records", records);
    zl_put_value(call, call->value, "refused", bad);
    zlay_tuning_free(tuning);
    return status;
}

static zlay_status print_tuning(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_tuning_print(out, value);
}

zlay_status zl_op_tuning_merge(zl_call *call, const void *asked)
{
    const cached *a = asked;
    zlay_tuning *left = NULL, *right = NULL, *merged = NULL;
    json_t *bad_a = json_array(), *bad_b = json_array();
    zlay_status status = read_text(call, &left, bad_a, &a->text);
    if (!status) status = read_text(call, &right, bad_b, &a->other);
    if (!status) status = zlay_tuning_merge(call->ctx, &merged, left, right);
    call->value = json_object();
    zl_put_value(call, call->value, "refused_a", bad_a);
    zl_put_value(call, call->value, "refused_b", bad_b);
    if (!status) status = zl_put_printed(call, "text", print_tuning, merged);
    zlay_tuning_free(left);
    zlay_tuning_free(right);
    zlay_tuning_free(merged);
    return status;
}

/* The device that a request names; `name` has room for ZLAY_TUNING_KEY / 4 bytes. */
static zlay_tuning_device device_of(const where *w, char *name)
{
    snprintf(name, ZLAY_TUNING_KEY / 4, "%.*s", (int)w->name.length,
             w->name.text ? w->name.text : "");
    return (zlay_tuning_device){*name ? name : NULL, w->processors, (int32_t)w->driver};
}

/* The record of a key in a text; *found: there is one. */
static zlay_status record_find(zl_call *call, zlay_tuning_record *r, bool *found, const char *key,
                               const zl_json_text *text)
{
    zlay_tuning *tuning = NULL;
    json_t *bad = json_array();
    zlay_status status = read_text(call, &tuning, bad, text);
    call->value = json_object();
    zl_put_value(call, call->value, "refused", bad);
    *found = !status && !zlay_tuning_find(r, tuning, key);
    if (!status) zl_put_value(call, call->value, "key", json_string(key));
    if (!status)
        zl_put_value(call, call->value, "record", *found ? record_value(call, r) : json_null());
    zlay_tuning_free(tuning);
    return status;
}

/* Says whether a choice was taken; its status. */
static zlay_status put_taken(zl_call *call, zlay_status taken)
{
    zl_put_value(call, call->value, "is_candidate", json_boolean(taken == ZLAY_OK));
    return taken == ZLAY_NONE ? ZLAY_OK : taken;
}

zlay_status zl_op_tuning_find(zl_call *call, const void *asked)
{
    const find_gemm *a = asked;
    zlay_tuning_record r;
    zlay_gemm gemm, with;
    char key[ZLAY_TUNING_KEY], name[ZLAY_TUNING_KEY / 4];
    bool found = false;
    zlay_tuning_device device = device_of(&a->device, name);
    zlay_status status = zl_gemm_request(call, &gemm, &a->gemm);
    if (!status) status = zlay_tuning_key_gemm(call->ctx, key, a->gemm.target, &gemm, &device);
    if (!status) status = record_find(call, &r, &found, key, &a->text);
    if (!found) return status;
    return put_taken(call,
                     zlay_tuning_take_gemm(call->ctx, &with, a->gemm.target, &gemm, r.choice));
}

zlay_status zl_op_tuning_find_attention(zl_call *call, const void *asked)
{
    const find_attention *a = asked;
    zlay_tuning_record r;
    zlay_attention ask = a->attention.ask, with;
    const zlay_target *target = a->attention.target;
    char key[ZLAY_TUNING_KEY], name[ZLAY_TUNING_KEY / 4];
    bool found = false;
    zlay_tuning_device device = device_of(&a->device, name);
    ask.size = sizeof ask;
    zlay_status status = zlay_tuning_key_attention(call->ctx, key, target, &ask, &device);
    if (!status) status = record_find(call, &r, &found, key, &a->text);
    if (!found) return status;
    return put_taken(call, zlay_tuning_take_attention(call->ctx, &with, target, &ask, r.choice));
}
