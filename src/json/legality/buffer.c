/* SPDX-License-Identifier: Apache-2.0 */
/* Buffer resources and operands of waits: their fields as rows, their bits as text. */
#include "json/json.h"

#include <string.h>

/* ---- fields -------------------------------------------------------------------------- */

static const zl_field resource_rows[] = {
    {"base", ZL_NEEDS, &zl_as_u64, ZL_AT(zlay_buffer, base)},
    {"records", ZL_NEEDS, &zl_as_u64, ZL_AT(zlay_buffer, records)},
    ZL_NUMBER(zlay_buffer, stride), ZL_NUMBER(zlay_buffer, swizzle),
    ZL_NUMBER(zlay_buffer, cache_swizzle), ZL_NUMBER(zlay_buffer, index_stride),
    ZL_NUMBER(zlay_buffer, add_tid), ZL_NUMBER(zlay_buffer, dst_sel),
    ZL_NUMBER(zlay_buffer, num_format), ZL_NUMBER(zlay_buffer, data_format),
    ZL_NUMBER(zlay_buffer, user_vm), ZL_NUMBER(zlay_buffer, nv), ZL_NUMBER(zlay_buffer, flags),
    ZL_NUMBER(zlay_buffer, type), ZL_NUMBER(zlay_buffer, other),
};
static const zl_fields resource_fields = ZL_FIELDS(resource_rows);

/* A resource, and an access through it. */
typedef struct asked {
    const zlay_target *target;
    zlay_buffer buffer;
    zlay_buffer_access access;
} asked;

static const zl_field buffer_rows[] = {
    ZL_TARGET(asked),
    {"", ZL_NEEDS, &zl_as_part, ZL_AT(asked, buffer), .of = &resource_fields},
};
const zl_fields zl_buffer_fields = ZL_FIELDS(buffer_rows);

static zlay_status refuse(zl_call *call, const zlay_target *target, zlay_status status,
                          const char *what)
{
    if (status == ZLAY_ENOTSUP)
        return zl_fail(call->ctx, status, "%s has no %s", zlay_target_name(target), what);
    return zl_fail(call->ctx, status, "a field of the %s does not fit", what);
}

/* ---- bits ---------------------------------------------------------------------------- */

enum { WORDS = 4, WORD_DIGITS = 8 };

static zlay_status read_words(zl_call *call, zlay_buffer_words *out)
{
    zl_span text = {"", 0};
    zlay_status status = zl_get_text(call, call->request, "desc", &text);
    if (status) return status;
    bool hex = zl_hex_words(text.text, text.length, out->word, WORDS);
    return hex ? ZLAY_OK : zl_wrong(call, "desc", "0x and up to 32 hexadecimal digits");
}

zlay_status zl_op_buffer_pack(zl_call *call)
{
    asked a = {0};
    zlay_buffer_words words;
    char text[2 + WORDS * WORD_DIGITS + 1];
    zlay_status status = zl_read(call, &a);
    if (status) return status;
    status = zlay_buffer_pack(&words, a.target, &a.buffer);
    if (status) return refuse(call, a.target, status, "buffer resource");
    snprintf(text, sizeof text, "0x%08x%08x%08x%08x", (unsigned)words.word[3],
             (unsigned)words.word[2], (unsigned)words.word[1], (unsigned)words.word[0]);
    call->value = json_string(text);
    return ZLAY_OK;
}

zlay_status zl_op_buffer_unpack(zl_call *call)
{
    const zlay_target *target;
    zlay_buffer buffer;
    zlay_buffer_words words = {{0}};
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = read_words(call, &words);
    if (status) return status;
    status = zlay_buffer_unpack(&buffer, target, &words);
    if (status) return refuse(call, target, status, "buffer resource");
    call->value = json_object();
    zl_put_fields(call, call->value, &resource_fields, &buffer);
    return ZLAY_OK;
}

static zlay_status buffer_check(zl_checked *c, const void *value)
{
    const asked *a = value;
    return zlay_buffer_check(&c->verdict, c->reasons, c->room, a->target, &a->buffer);
}

zlay_status zl_op_buffer_check(zl_call *call)
{
    asked a = {0};
    return zl_check_asked(call, &a, buffer_check);
}

/* ---- accesses ------------------------------------------------------------------------- */

static const zl_field reach_rows[] = {
    ZL_TARGET(asked),
    {"", ZL_NEEDS, &zl_as_part, ZL_AT(asked, buffer), .of = &resource_fields},
    {"bytes", ZL_NEEDS, &zl_as_u32, ZL_AT(asked, access.bytes)},
    {"index", ZL_MAY, &zl_as_u32, ZL_AT(asked, access.index)},
    {"offset", ZL_MAY, &zl_as_u32, ZL_AT(asked, access.offset)},
    {"imm", ZL_MAY, &zl_as_u32, ZL_AT(asked, access.imm)},
    {"soffset", ZL_MAY, &zl_as_u32, ZL_AT(asked, access.soffset)},
};
const zl_fields zl_buffer_reach_fields = ZL_FIELDS(reach_rows);

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

zlay_status zl_op_buffer_reach(zl_call *call)
{
    asked a = {0};
    zlay_buffer_reach reach;
    zlay_status status = zl_read(call, &a);
    if (status) return status;
    status = zlay_buffer_reaches(&reach, a.target, &a.buffer, &a.access);
    if (status) return refuse(call, a.target, status, "buffer resource or access");
    put_reach(call, &reach);
    return ZLAY_OK;
}

/* ---- waits ---------------------------------------------------------------------------- */

static const zl_field count_rows[] = {
    ZL_NUMBER(zlay_waitcnt, vmcnt), ZL_NUMBER(zlay_waitcnt, expcnt),
    ZL_NUMBER(zlay_waitcnt, lgkmcnt),
};
static const zl_fields count_fields = ZL_FIELDS(count_rows);

typedef struct wait {
    const zlay_target *target;
    zlay_waitcnt counts;
    uint32_t operand;
} wait;

static const zl_field wait_rows[] = {
    ZL_TARGET(wait),
    {"", ZL_MAY, &zl_as_part, ZL_AT(wait, counts), .of = &count_fields},
};
const zl_fields zl_waitcnt_fields = ZL_FIELDS(wait_rows);

static const zl_field operand_rows[] = {
    ZL_TARGET(wait),
    {"operand", ZL_NEEDS, &zl_as_u32, ZL_AT(wait, operand)},
};
const zl_fields zl_waitcnt_operand_fields = ZL_FIELDS(operand_rows);

/* A counter that is not named is not waited for. */
zlay_status zl_op_waitcnt_pack(zl_call *call)
{
    wait w = {0};
    zlay_status status = zl_get_target(call, &w.target);
    if (status) return status;
    status = zlay_waitcnt_most(&w.counts, w.target);
    if (status) return refuse(call, w.target, status, "s_waitcnt");
    status = zl_read(call, &w);
    if (status) return status;
    status = zlay_waitcnt_pack(&w.operand, w.target, &w.counts);
    if (status) return refuse(call, w.target, status, "s_waitcnt");
    call->value = zl_json_bits(w.operand, 4);
    return ZLAY_OK;
}

zlay_status zl_op_waitcnt_unpack(zl_call *call)
{
    wait w = {0};
    zlay_status status = zl_read(call, &w);
    if (status) return status;
    status = zlay_waitcnt_unpack(&w.counts, w.target, w.operand);
    if (status) return refuse(call, w.target, status, "s_waitcnt");
    call->value = json_object();
    zl_put_fields(call, call->value, &count_fields, &w.counts);
    return ZLAY_OK;
}
