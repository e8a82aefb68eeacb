/* SPDX-License-Identifier: Apache-2.0 */
/* Buffer resources and operands of waits: their fields as rows, their bits as text. */
#include "json/json.h"

#include <string.h>

/* ---- fields -------------------------------------------------------------------------- */

static const zl_field resource_rows[] = {
    {"base", ZL_NEEDS, ZL_AT(zl_as_u64, zlay_buffer, base)},
    {"records", ZL_NEEDS, ZL_AT(zl_as_u64, zlay_buffer, records)},
    ZL_NUMBER(zlay_buffer, stride), ZL_NUMBER(zlay_buffer, swizzle),
    ZL_NUMBER(zlay_buffer, cache_swizzle), ZL_NUMBER(zlay_buffer, index_stride),
    ZL_NUMBER(zlay_buffer, add_tid), ZL_NUMBER(zlay_buffer, dst_sel),
    ZL_NUMBER(zlay_buffer, num_format), ZL_NUMBER(zlay_buffer, data_format),
    ZL_NUMBER(zlay_buffer, user_vm), ZL_NUMBER(zlay_buffer, nv), ZL_NUMBER(zlay_buffer, flags),
    ZL_NUMBER(zlay_buffer, type), ZL_NUMBER(zlay_buffer, other),
};
static const zl_fields resource_fields = {ZL_ROWS(resource_rows, zlay_buffer)};
typedef zlay_buffer resource_fields_type;

/* A resource, and an access through it. */
typedef struct asked {
    const zlay_target *target;
    zlay_buffer buffer;
    zlay_buffer_access access;
} asked;

/* The target, of whose raw buffer fields are that are absent. */
static zlay_status read_raw(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    asked *a = to;
    (void)object, (void)field;
    zlay_status status = zl_get_target(call, &a->target);
    if (!status) zlay_buffer_raw(&a->buffer, a->target);
    return status;
}

static const zl_field_kind as_raw = {.read = read_raw, .type = "text"};
typedef asked as_raw_type;
#define RAW_TARGET {"target", ZL_NEEDS, ZL_WHOLE(as_raw, asked)}

static const zl_field buffer_rows[] = {
    RAW_TARGET,
    ZL_PART(resource_fields, asked, buffer),
};
const zl_fields zl_buffer_fields = {ZL_ROWS(buffer_rows, asked)};

/* ---- bits ---------------------------------------------------------------------------- */

enum { WORDS = 4, WORD_DIGITS = 8 };

static zlay_status read_words(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    zl_json_text text = {"", 0};
    zlay_buffer_words *out = to;
    zlay_status status = zl_get_text(call, object, field->name, &text);
    if (status) return status;
    bool hex = zl_hex_words(text.text, text.length, out->word, WORDS);
    return hex ? ZLAY_OK : zl_wrong(call, field->name, "0x and up to 32 hexadecimal digits");
}

const zl_field_kind zl_as_buffer_words = {.read = read_words, .type = "text"};

typedef struct packed {
    const zlay_target *target;
    zlay_buffer_words words;
} packed;

static const zl_field packed_rows[] = {
    ZL_TARGET(packed),
    {"desc", ZL_NEEDS, ZL_AT(zl_as_buffer_words, packed, words)},
};
const zl_fields zl_buffer_words_fields = {ZL_ROWS(packed_rows, packed)};

zlay_status zl_op_buffer_pack(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_buffer_words words;
    char text[2 + WORDS * WORD_DIGITS + 1];
    zlay_status status = zlay_buffer_pack(&words, a->target, &a->buffer);
    if (status) return zl_unfit(call, a->target, status, "buffer resource");
    snprintf(text, sizeof text, "0x%08x%08x%08x%08x", (unsigned)words.word[3],
             (unsigned)words.word[2], (unsigned)words.word[1], (unsigned)words.word[0]);
    call->value = json_string(text);
    return ZLAY_OK;
}

zlay_status zl_op_buffer_unpack(zl_call *call, const void *value)
{
    const packed *p = value;
    zlay_buffer buffer;
    zlay_status status = zlay_buffer_unpack(&buffer, p->target, &p->words);
    if (status) return zl_unfit(call, p->target, status, "buffer resource");
    call->value = json_object();
    zl_put_fields(call, call->value, &resource_fields, &buffer);
    return ZLAY_OK;
}

zlay_status zl_buffer_verdict(zl_checked *c, const void *value)
{
    const asked *a = value;
    return zlay_buffer_check(&c->verdict, c->reasons, c->room, a->target, &a->buffer);
}

/* ---- accesses ------------------------------------------------------------------------- */

static const zl_field reach_rows[] = {
    RAW_TARGET,
    ZL_PART(resource_fields, asked, buffer),
    {"bytes", ZL_NEEDS, ZL_AT(zl_as_u32, asked, access.bytes)},
    {"index", ZL_MAY, ZL_AT(zl_as_u32, asked, access.index)},
    {"offset", ZL_MAY, ZL_AT(zl_as_u32, asked, access.offset)},
    {"imm", ZL_MAY, ZL_AT(zl_as_u32, asked, access.imm)},
    {"soffset", ZL_MAY, ZL_AT(zl_as_u32, asked, access.soffset)},
};
const zl_fields zl_buffer_reach_fields = {ZL_ROWS(reach_rows, asked)};

static json_t *text_or_null(const char *text) { return text ? json_string(text) : json_null(); }

static void put_reach(zl_call *call, const zlay_buffer_reach *reach)
{
    static const char *const answers[] = {"no", "yes"};
    bool decided = reach->answer >= 0, inside = reach->answer == ZLAY_YES;
    call->value = json_object();
    zl_put_value(call, call->value, "answer",
                 json_string(decided ? answers[inside] : "undecided"));
    zl_put_value(call, call->value, "address",
                 inside ? zl_json_int((int64_t)reach->address) : json_null());
    zl_put_value(call, call->value, "source", text_or_null(reach->source));
    zl_put_value(call, call->value, "gap", text_or_null(reach->gap));
}

zlay_status zl_op_buffer_reach(zl_call *call, const void *value)
{
    const asked *a = value;
    zlay_buffer_reach reach;
    zlay_status status = zlay_buffer_reaches(&reach, a->target, &a->buffer, &a->access);
    if (status) return zl_unfit(call, a->target, status, "buffer resource or access");
    put_reach(call, &reach);
    return ZLAY_OK;
}

/* ---- waits ---------------------------------------------------------------------------- */

static const zl_field count_rows[] = {
    ZL_NUMBER(zlay_waitcnt, vmcnt), ZL_NUMBER(zlay_waitcnt, expcnt),
    ZL_NUMBER(zlay_waitcnt, lgkmcnt),
};
static const zl_fields count_fields = {ZL_ROWS(count_rows, zlay_waitcnt)};
typedef zlay_waitcnt count_fields_type;

typedef struct wait {
    const zlay_target *target;
    zlay_waitcnt counts;
    uint32_t operand;
} wait;

/* The target, on which a counter that is not named is not waited for. */
static zlay_status read_waits(zl_call *call, const json_t *object, const zl_field *field, void *to)
{
    wait *w = to;
    (void)object, (void)field;
    zlay_status status = zl_get_target(call, &w->target);
    if (status) return status;
    status = zlay_waitcnt_most(&w->counts, w->target);
    return status ? zl_unfit(call, w->target, status, "s_waitcnt") : ZLAY_OK;
}

static const zl_field_kind as_waits = {.read = read_waits, .type = "text"};
typedef wait as_waits_type;

static const zl_field wait_rows[] = {
    {"target", ZL_NEEDS, ZL_WHOLE(as_waits, wait)},
    ZL_PART(count_fields, wait, counts),
};
const zl_fields zl_waitcnt_fields = {ZL_ROWS(wait_rows, wait)};

static const zl_field operand_rows[] = {
    ZL_TARGET(wait),
    {"operand", ZL_NEEDS, ZL_AT(zl_as_u32, wait, operand)},
};
const zl_fields zl_waitcnt_operand_fields = {ZL_ROWS(operand_rows, wait)};

zlay_status zl_op_waitcnt_pack(zl_call *call, const void *value)
{
    const wait *w = value;
    uint32_t operand;
    zlay_status status = zlay_waitcnt_pack(&operand, w->target, &w->counts);
    if (status) return zl_unfit(call, w->target, status, "s_waitcnt");
    call->value = zl_json_bits(operand, 4);
    return ZLAY_OK;
}

zlay_status zl_op_waitcnt_unpack(zl_call *call, const void *value)
{
    const wait *w = value;
    zlay_waitcnt counts;
    zlay_status status = zlay_waitcnt_unpack(&counts, w->target, w->operand);
    if (status) return zl_unfit(call, w->target, status, "s_waitcnt");
    call->value = json_object();
    zl_put_fields(call, call->value, &count_fields, &counts);
    return ZLAY_OK;
}
