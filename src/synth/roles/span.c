/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers of a tile program have in common: failures that name the line, the rest of a line, and sums of bytes, whose terms
 * are numbers and moves. */
#include "synth/roles/read.h"

#include <string.h>

zlay_status zl_tp_bad(zl_tp_reader *r, const char *what)
{
    return zl_fail(r->p->ctx, ZLAY_EINVAL, "line %u: %s", r->at.line, what);
}

zlay_status zl_tp_own(zl_tp_reader *r, const char *name)
{
    return zl_fail(r->p->ctx, ZLAY_EINVAL, "line %u: each instance has its own '%s', whose name has at most %d letters", r->at.line, name, ZL_TP_OWN);
}

zl_tp_span zl_tp_rest(zl_cursor *c)
{
    (void)zl_cursor_peek(c);
    zl_tp_span span = {c->text + c->at, c->length - c->at};
    while (span.length && zl_is_blank(span.text[span.length - 1])) span.length--;
    c->at = c->length;
    return span;
}

size_t zl_tp_iteration(zl_tp_span tail, size_t from)
{
    for (size_t i = from; i < tail.length; i++)
        if (tail.text[i] == 'i' && (!i || !zl_is_name_part(tail.text[i - 1])) && (i + 1 == tail.length || !zl_is_name_part(tail.text[i + 1]))) return i;
    return tail.length;
}

/* ---- bytes ------------------------------------------------------------------------------------ */

static bool move_bytes(const zl_tp *p, const char *name, uint64_t *bytes)
{
    for (uint32_t i = 0; i < p->moves_count; i++)
        if (!strcmp(p->move[i], name)) return *bytes = p->move_bytes[i], true;
    return false;
}

static bool bytes_term(zl_tp_reader *r, uint64_t *bytes)
{
    char name[ZL_TP_NAME];
    int64_t number;
    uint64_t one;
    if (zl_cursor_number(&r->at, &number)) {
        if (number > INT32_MAX) return false;
        *bytes += (uint64_t)number;
        return true;
    }
    if (!zl_cursor_name(&r->at, name) || !move_bytes(r->p, name, &one)) return false;
    *bytes += one;
    return true;
}

zlay_status zl_tp_bytes(zl_tp_reader *r, zl_tp_span *size, uint64_t *bytes)
{
    (void)zl_cursor_peek(&r->at);
    size->text = r->at.text + r->at.at;
    *bytes = 0;
    do {
        if (!bytes_term(r, bytes)) return zl_tp_bad(r, "bytes are a sum of numbers and moves");
        size->length = (size_t)(r->at.text + r->at.at - size->text);
    } while (zl_cursor_take(&r->at, '+'));
    return *bytes && *bytes <= INT32_MAX ? ZLAY_OK : zl_tp_bad(r, "bytes are from 1 to 2^31 - 1");
}
