/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a tile program line by line: its loop, values and bodies, then the operations before, in and behind the loop, which
 * operation.c reads. Bodies are kept as they are written: the pipe's parser reads them. */
#include "synth/roles/read.h"

#include <stdio.h>
#include <string.h>

/* ---- declarations ------------------------------------------------------------------------------- */

static zlay_status number(zl_tp_reader *r, int64_t least, int64_t most, int64_t *out)
{
    char text[64];
    if (zl_cursor_number(&r->at, out) && *out >= least && *out <= most) return ZLAY_OK;
    snprintf(text, sizeof text, "expected a number from %lld to %lld", (long long)least, (long long)most);
    return zl_tp_bad(r, text);
}

/* Names that the pipe gives: its counters, its roles, and the barrier behind which tensor memory is freed. */
static bool is_taken(const char *name)
{
    static const char *const names[] = {"i", "tmem_over", "loads", "products", "stores"}, computes[] = "computes";
    for (size_t i = 0; i < ZL_COUNT(names); i++)
        if (!strcmp(name, names[i])) return true;
    const size_t length = sizeof computes - 1;
    return !strncmp(name, computes, length) && strspn(name + length, "0123456789") == strlen(name + length);
}

static zlay_status taken(zl_tp_reader *r, const char *name)
{
    return zl_fail(r->p->ctx, ZLAY_EINVAL, "line %u: '%s' is a name that the pipe gives to its counters, roles or barriers", r->at.line, name);
}

static zlay_status loop_read(zl_tp_reader *r)
{
    zl_tp *p = r->p;
    if (*p->param) return zl_tp_bad(r, "a program has one loop");
    if (!zl_cursor_name(&r->at, p->param)) return zl_tp_bad(r, "expected the loop's param");
    if (is_taken(p->param) || !strcmp(p->param, "j")) return taken(r, p->param);
    p->loop_line = r->at.line;
    p->range = zl_tp_rest(&r->at);
    zl_cursor range = r->at;
    range.at = (size_t)(p->range.text - r->at.text);
    if (!zl_cursor_number(&range, &p->least) || !zl_cursor_symbol(&range, "..")) return zl_tp_bad(r, "expected LEAST.. behind the param");
    return ZLAY_OK;
}

static zlay_status move_read(zl_tp_reader *r)
{
    zl_tp *p = r->p;
    zl_tp_span size;
    uint64_t bytes;
    if (p->moves_count == ZL_TP_VALUES) return zl_fail(p->ctx, ZLAY_ELIMIT, "line %u: more than %d moves", r->at.line, ZL_TP_VALUES);
    if (!zl_cursor_name(&r->at, p->move[p->moves_count])) return zl_tp_bad(r, "expected a move's name");
    zlay_status status = zl_tp_bytes(r, &size, &bytes);
    p->move_line[p->moves_count] = r->at.line;
    if (!status) p->move_bytes[p->moves_count++] = bytes;
    return status;
}

static zlay_status value_add(zl_tp_reader *r, const zl_tp_value *v)
{
    zl_tp *p = r->p;
    for (uint32_t i = 0; i < p->values; i++)
        if (!strcmp(p->value[i].name, v->name)) return zl_tp_bad(r, "two values have one name");
    if (p->values == ZL_TP_VALUES) return zl_fail(p->ctx, ZLAY_ELIMIT, "line %u: more than %d values", r->at.line, ZL_TP_VALUES);
    p->value[p->values] = *v;
    p->value[p->values].group = (int32_t)p->values;
    p->values++;
    return ZLAY_OK;
}

/* One value, or one for each instance, NAME_0 and so on. */
static zlay_status values_add(zl_tp_reader *r, const zl_tp_value *v)
{
    bool many = v->each && zl_tp_expands(r->p);
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; !status && i < (many ? r->p->instances : 1); i++) {
        zl_tp_value one = *v;
        if (many && strlen(v->name) > ZL_TP_OWN) return zl_tp_own(r, v->name);
        if (many) snprintf(one.name, sizeof one.name, "%.60s_%u", v->name, i);
        status = value_add(r, &one);
    }
    return status;
}

static zlay_status value_read(zl_tp_reader *r, int32_t space)
{
    zl_tp_value v = {.space = space, .line = r->at.line};
    int64_t count = 0;
    zlay_status status = ZLAY_OK;
    if (!zl_cursor_name(&r->at, v.name)) return zl_tp_bad(r, "expected a value's name");
    if (is_taken(v.name)) return taken(r, v.name);
    if (space == ZL_TP_SHARED) status = zl_tp_bytes(r, &v.size, &v.bytes);
    else status = r->p->tmem ? number(r, 1, 512, &count) : zl_tp_bad(r, "the target has no tensor memory");
    if (!status && count & (count - 1)) status = zl_tp_bad(r, "columns are a power of two");
    v.columns = (uint32_t)count;
    while (!status && !zl_cursor_done(&r->at)) {
        if (zl_cursor_keyword(&r->at, "each")) v.each = true;
        else if (zl_cursor_keyword(&r->at, "stages")) {
            status = number(r, 1, 32, &count);
            v.most = (uint32_t)count;
        } else return zl_tp_bad(r, "expected each or stages");
    }
    return status ? status : values_add(r, &v);
}

static zlay_status setting_read(zl_tp_reader *r, bool *taken)
{
    zl_tp *p = r->p;
    int64_t count = 0;
    zlay_status status = ZLAY_OK;
    *taken = true;
    if (zl_cursor_keyword(&r->at, "tiles")) {
        if (!zl_cursor_name(&r->at, p->name)) status = zl_tp_bad(r, "expected the program's name");
    } else if (zl_cursor_keyword(&r->at, "instances")) {
        status = p->values ? zl_tp_bad(r, "instances stand before values") : number(r, 1, 4, &count);
        p->instances = (uint32_t)count;
    } else if (zl_cursor_keyword(&r->at, "interval")) status = number(r, 1, INT32_MAX, &p->ii);
    else if (zl_cursor_keyword(&r->at, "turns")) {
        p->no_turns = zl_cursor_keyword(&r->at, "off");
        if (!p->no_turns) status = zl_tp_bad(r, "expected off");
    } else *taken = false;
    return status;
}

static zlay_status declaration_read(zl_tp_reader *r)
{
    bool taken;
    zlay_status status = setting_read(r, &taken);
    if (status || taken) return status;
    if (zl_cursor_keyword(&r->at, "loop")) return loop_read(r);
    if (zl_cursor_keyword(&r->at, "move")) return move_read(r);
    if (zl_cursor_keyword(&r->at, "shared")) return value_read(r, ZL_TP_SHARED);
    if (zl_cursor_keyword(&r->at, "tmem")) return value_read(r, ZL_TP_TMEM);
    return zl_cursor_fail(&r->at, "tiles, loop, instances, interval, turns, move, shared, tmem, body, before or after");
}

/* ---- sections --------------------------------------------------------------------------------- */

/* Whether the line begins a section, and nothing else stands in it. */
static bool section_read(zl_tp_reader *r)
{
    static const char *const words[] = {"before", "loop", "after"};
    for (int32_t i = 0; i < ZL_TP_SECTIONS; i++) {
        size_t at = r->at.at;
        if (zl_cursor_keyword(&r->at, words[i]) && zl_cursor_done(&r->at)) return r->section = i, true;
        r->at.at = at;
    }
    return false;
}

/* Keeps the text from `body` to `end`. Returns where the next line begins; NULL: there is no `end`. */
static const char *body_read(zl_tp_reader *r, const char *line, const char *next, const char *end)
{
    zl_tp *p = r->p;
    const char *begin = line;
    p->body_line[p->bodies_count] = r->at.line;
    for (line = next; line < end; line = next) {
        next = zl_cursor_line(&r->at, line, end);
        if (zl_cursor_keyword(&r->at, "end") && zl_cursor_done(&r->at)) {
            p->bodies[p->bodies_count++] = (zl_tp_span){begin, (size_t)(next - begin)};
            return next;
        }
    }
    return NULL;
}

static zlay_status line_read(zl_tp_reader *r)
{
    zlay_status status = ZLAY_OK;
    if (zl_cursor_done(&r->at) || section_read(r)) return ZLAY_OK;
    status = r->section < 0 ? declaration_read(r) : zl_tp_operations(r);
    return status ? status : zl_cursor_end(&r->at);
}

static zlay_status lines_read(zl_tp_reader *r, const char *text, size_t length)
{
    const char *line = text, *next, *end = text + length;
    zlay_status status = ZLAY_OK;
    for (; !status && line < end; line = next) {
        next = zl_cursor_line(&r->at, line, end);
        size_t at = r->at.at;
        if (!zl_cursor_keyword(&r->at, "body")) {
            status = line_read(r);
            continue;
        }
        r->at.at = at;
        if (r->p->bodies_count == ZLAY_ROLES_BODIES)
            return zl_fail(r->p->ctx, ZLAY_ELIMIT, "line %u: more than %d bodies", r->at.line, ZLAY_ROLES_BODIES);
        next = body_read(r, line, next, end);
        if (!next) return zl_tp_bad(r, "a body has no end");
    }
    return status;
}

zlay_status zl_tp_read(zl_tp *p, const char *text, size_t length)
{
    zl_tp_reader r = {.p = p, .section = -1};
    zlay_status status = zl_cursor_begin(&r.at, p->ctx, text, length);
    p->instances = 1;
    if (!status) status = lines_read(&r, text, length);
    if (status) return status;
    if (!*p->name) return zl_fail(p->ctx, ZLAY_EINVAL, "tiles: the program has no name");
    if (!*p->param) return zl_fail(p->ctx, ZLAY_EINVAL, "loop: the program has no param");
    for (uint32_t o = 0; o < p->ops; o++)
        if (p->op[o].section == ZL_TP_LOOP) return ZLAY_OK;
    return zl_fail(p->ctx, ZLAY_EINVAL, "loop: no operation stands in it");
}
