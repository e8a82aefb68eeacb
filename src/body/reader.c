/* SPDX-License-Identifier: Apache-2.0 */
/* A body while it is read: begun empty, its first failure noted with the line, names looked up.
 * What all files that read bodies share. */
#include "body/body.h"

#include <stdio.h>
#include <string.h>

void zlay_body_free(zlay_body *body)
{
    if (!body) return;
    zlay_allocator alloc = body->alloc;
    zl_free(&alloc, body->operands, ZL_BODY_OPERANDS * sizeof *body->operands);
    zl_free(&alloc, body->nodes, ZL_BODY_NODES * sizeof *body->nodes);
    zl_free(&alloc, body->lines, ZL_BODY_LINES * sizeof *body->lines);
    zl_free(&alloc, body, sizeof *body);
}

bool zl_body_refuse(zl_body_reader *r, zlay_status status, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    if (!r->status) r->status = zl_cursor_refuse(r->at, status, r->at->at, "%s", text);
    return false;
}

zlay_status zl_body_begin(zlay_ctx *ctx, zl_body_reader *r, zl_cursor *at, const char *name)
{
    zlay_body *body = zl_alloc(ctx, 1, sizeof *body);
    if (!body) return ZLAY_ENOMEM;
    body->alloc = zl_allocator(ctx);
    body->operands = zl_alloc(ctx, ZL_BODY_OPERANDS, sizeof *body->operands);
    body->nodes = zl_alloc(ctx, ZL_BODY_NODES, sizeof *body->nodes);
    body->lines = zl_alloc(ctx, ZL_BODY_LINES, sizeof *body->lines);
    snprintf(body->name, sizeof body->name, "%s", name);
    if (!body->operands || !body->nodes || !body->lines) {
        zlay_body_free(body);
        return ZLAY_ENOMEM;
    }
    *r = (zl_body_reader){.at = at, .body = body};
    return ZLAY_OK;
}

int32_t zl_body_operand_find(const zlay_body *body, const char *name)
{
    for (uint32_t i = 0; i < body->operands_count; i++)
        if (!strcmp(body->operands[i].name, name)) return (int32_t)i;
    return -1;
}

int32_t zl_body_name_find(const zlay_body *body, const char *name, uint32_t lines)
{
    for (uint32_t i = lines; i-- > 0;)
        if (!strcmp(body->lines[i].name, name)) return body->lines[i].node;
    return -1;
}
