/* SPDX-License-Identifier: Apache-2.0 */
/* Buffer resources and operands of waits. */
#include "json/json.h"

#include <stddef.h>
#include <string.h>

/* ---- fields -------------------------------------------------------------------------- */

static const struct {
    const char *name;
    size_t at;
} fields[] = {
    {"stride", offsetof(zlay_buffer, stride)},
    {"swizzle", offsetof(zlay_buffer, swizzle)},
    {"cache_swizzle", offsetof(zlay_buffer, cache_swizzle)},
    {"index_stride", offsetof(zlay_buffer, index_stride)},
    {"add_tid", offsetof(zlay_buffer, add_tid)},
    {"dst_sel", offsetof(zlay_buffer, dst_sel)},
    {"num_format", offsetof(zlay_buffer, num_format)},
    {"data_format", offsetof(zlay_buffer, data_format)},
    {"user_vm", offsetof(zlay_buffer, user_vm)},
    {"nv", offsetof(zlay_buffer, nv)},
    {"flags", offsetof(zlay_buffer, flags)},
    {"type", offsetof(zlay_buffer, type)},
    {"other", offsetof(zlay_buffer, other)},
};

static zlay_status read_buffer(zl_call *call, const zlay_target **target, zlay_buffer *out)
{
    zlay_status status = zl_get_target(call, target);
    if (!status) status = zl_get_u64(call, call->request, "base", &out->base);
    if (!status) status = zl_get_u64(call, call->request, "records", &out->records);
    for (size_t i = 0; !status && i < ZL_COUNT(fields); i++) {
        uint32_t value = 0;
        status = zl_get_u32(call, call->request, fields[i].name, &value);
        memcpy((char *)out + fields[i].at, &value, sizeof value);
    }
    return status;
}

static zlay_status refuse(zl_call *call, const zlay_target *target, zlay_status status,
                          const char *what)
{
    if (status == ZLAY_ENOTSUP)
        return zl_fail(call->ctx, status, "%s has no %s", zlay_target_name(target), what);
    return zl_fail(call->ctx, status, "a field of the %s does not fit", what);
}

/* ---- bits ---------------------------------------------------------------------------- */

enum { WORDS = 4, WORD_DIGITS = 8 };

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

static zlay_status read_words(zl_call *call, zlay_buffer_words *out)
{
    zl_span text = {"", 0};
    zlay_status status = zl_get_text(call, call->request, "desc", &text);
    if (status) return status;
    bool hex = text.length > 2 && text.length <= 2 + WORDS * WORD_DIGITS &&
               !memcmp(text.text, "0x", 2);
    for (size_t i = 0; hex && i + 2 < text.length; i++) {
        int digit = digit_of(text.text[text.length - 1 - i]);
        hex = digit >= 0;
        if (hex) out->word[i / WORD_DIGITS] |= (uint32_t)digit << 4 * (i % WORD_DIGITS);
    }
    return hex ? ZLAY_OK : zl_wrong(call, "desc", "0x and up to 32 hexadecimal digits");
}

zlay_status zl_op_buffer_pack(zl_call *call)
{
    const zlay_target *target;
    zlay_buffer buffer = {0};
    zlay_buffer_words words;
    char text[2 + WORDS * WORD_DIGITS + 1];
    zlay_status status = read_buffer(call, &target, &buffer);
    if (status) return status;
    status = zlay_buffer_pack(&words, target, &buffer);
    if (status) return refuse(call, target, status, "buffer resource");
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
    zl_put_value(call, call->value, "base", zl_json_int((int64_t)buffer.base));
    zl_put_value(call, call->value, "records", zl_json_int((int64_t)buffer.records));
    for (size_t i = 0; i < ZL_COUNT(fields); i++) {
        uint32_t value;
        memcpy(&value, (const char *)&buffer + fields[i].at, sizeof value);
        zl_put_value(call, call->value, fields[i].name, json_integer(value));
    }
    return ZLAY_OK;
}

zlay_status zl_op_buffer_check(zl_call *call)
{
    zlay_reason reasons[ZL_REASONS_MOST];
    zl_checked checked = {.reasons = reasons, .room = ZL_REASONS_MOST};
    const zlay_target *target;
    zlay_buffer buffer = {0};
    zlay_status status = read_buffer(call, &target, &buffer);
    if (!status)
        status = zlay_buffer_check(&checked.verdict, reasons, ZL_REASONS_MOST, target, &buffer);
    if (!status) call->value = zl_json_verdict(call, &checked);
    return status;
}

/* ---- accesses ------------------------------------------------------------------------- */

static zlay_status read_access(zl_call *call, zlay_buffer_access *out)
{
    zlay_status status = zl_get_u32(call, call->request, "bytes", &out->bytes);
    if (!status) status = zl_get_u32(call, call->request, "index", &out->index);
    if (!status) status = zl_get_u32(call, call->request, "offset", &out->offset);
    if (!status) status = zl_get_u32(call, call->request, "imm", &out->imm);
    if (!status) status = zl_get_u32(call, call->request, "soffset", &out->soffset);
    return status;
}

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
    const zlay_target *target;
    zlay_buffer buffer = {0};
    zlay_buffer_access access = {0};
    zlay_buffer_reach reach;
    zlay_status status = read_buffer(call, &target, &buffer);
    if (!status) status = read_access(call, &access);
    if (status) return status;
    status = zlay_buffer_reaches(&reach, target, &buffer, &access);
    if (status) return refuse(call, target, status, "buffer resource or access");
    put_reach(call, &reach);
    return ZLAY_OK;
}

/* ---- waits ---------------------------------------------------------------------------- */

/* A counter that is not named is not waited for. */
zlay_status zl_op_waitcnt_pack(zl_call *call)
{
    const zlay_target *target;
    zlay_waitcnt counts;
    uint32_t operand;
    zlay_status status = zl_get_target(call, &target);
    if (status) return status;
    status = zlay_waitcnt_most(&counts, target);
    if (status) return refuse(call, target, status, "s_waitcnt");
    status = zl_get_u32(call, call->request, "vmcnt", &counts.vmcnt);
    if (!status) status = zl_get_u32(call, call->request, "expcnt", &counts.expcnt);
    if (!status) status = zl_get_u32(call, call->request, "lgkmcnt", &counts.lgkmcnt);
    if (status) return status;
    status = zlay_waitcnt_pack(&operand, target, &counts);
    if (status) return refuse(call, target, status, "s_waitcnt");
    call->value = zl_json_bits(operand, 4);
    return ZLAY_OK;
}

zlay_status zl_op_waitcnt_unpack(zl_call *call)
{
    const zlay_target *target;
    zlay_waitcnt counts;
    uint32_t operand = 0;
    zlay_status status = zl_get_target(call, &target);
    if (!status) status = zl_get_u32(call, call->request, "operand", &operand);
    if (status) return status;
    status = zlay_waitcnt_unpack(&counts, target, operand);
    if (status) return refuse(call, target, status, "s_waitcnt");
    call->value = json_object();
    zl_put_value(call, call->value, "vmcnt", json_integer(counts.vmcnt));
    zl_put_value(call, call->value, "expcnt", json_integer(counts.expcnt));
    zl_put_value(call, call->value, "lgkmcnt", json_integer(counts.lgkmcnt));
    return ZLAY_OK;
}
