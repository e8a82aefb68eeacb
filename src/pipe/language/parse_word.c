/* SPDX-License-Identifier: Apache-2.0 */
/* What all parsers of a pipe's text share: the first failure with its line, arrays that grow, names,
 * numbers and symbols, and names that are looked up. */
#include "pipe/language/parse.h"

#include <string.h>

/* Notes the first failure: `what` is wrong with the line, or with `name` if that is not NULL. */
static bool fail(zl_parser *p, zlay_status status, const char *name, const char *what)
{
    char shown[256];
    const char *mark = name ? "'" : "";
    if (!p->status)
        p->status =
            zl_cursor_refuse(&p->at, status, 0, "%s%s%s%s in \"%s\"", mark, name ? name : "", mark,
                             what, zl_quote(shown, p->at.text, p->at.length));
    return false;
}

bool zl_parse_fail(zl_parser *p, zlay_status status, const char *what)
{
    return fail(p, status, NULL, what);
}

static bool missing(zl_parser *p, const char *text)
{
    return fail(p, ZLAY_EINVAL, text, " is missing");
}

static bool bad(zl_parser *p, const char *what) { return zl_parse_fail(p, ZLAY_EINVAL, what); }

static bool word(zl_parser *p, const char *text) { return zl_cursor_keyword(&p->at, text); }

/* Adds an entry to an array of the pipe, whose room doubles. */
void *zl_parse_more(zl_parser *p, int of, void **array, uint32_t *count, size_t size)
{
    zlay_pipe *pipe = p->pipe;
    if (of != ZL_OF_EVENT && *count == ZL_PIPE_NAMES) {
        zl_parse_fail(p, ZLAY_ELIMIT, "more than 64 names of one sort");
        return NULL;
    }
    if (*count == pipe->room[of]) {
        size_t first = of == ZL_OF_EVENT ? 64 : 8;
        size_t room = pipe->room[of] ? 2 * pipe->room[of] : first;
        void *bigger = zl_alloc(p->at.ctx, room, size);
        if (!bigger) {
            p->status = ZLAY_ENOMEM;
            return NULL;
        }
        if (*array) memcpy(bigger, *array, *count * size);
        zl_free(&pipe->alloc, *array, pipe->room[of] * size);
        *array = bigger;
        pipe->room[of] = room;
    }
    return (char *)*array + size * (*count)++;
}

/* Refuses a word that is no name because a kernel language reserves it, or because none is
 * there. */
static bool not_a_name(zl_parser *p)
{
    char text[65];
    size_t length = zl_cursor_word(&p->at);
    if (!length) return bad(p, "a name is missing");
    if (length >= sizeof text) return bad(p, "a name has more than 64 letters");
    memcpy(text, p->at.text + p->at.at, length);
    text[length] = 0;
    return fail(p, ZLAY_EINVAL, text, " is a reserved word of C, C++ or PTX and no name");
}

bool zl_parse_name(zl_parser *p, char *out)
{
    return zl_cursor_name(&p->at, out) || not_a_name(p);
}

bool zl_parse_number(zl_parser *p, int64_t *out, int64_t least, int64_t most)
{
    if (!zl_cursor_number(&p->at, out)) return bad(p, "a number is missing");
    return (*out >= least && *out <= most) || bad(p, "a number is out of range");
}

bool zl_parse_symbol(zl_parser *p, const char *text)
{
    return zl_cursor_symbol(&p->at, text) || missing(p, text);
}

bool zl_parse_needs(zl_parser *p, const char *text)
{
    return word(p, text) || missing(p, text);
}

/* ---- names ---- */

typedef struct named {
    const char *first;
    uint32_t count;
    size_t size;
} named;

#define NAMED(field)                                                                               \
    (named) { (const char *)pipe->field, pipe->field##_count, sizeof *pipe->field }

/* The declarations of one sort; each begins with its name. */
static named names_of(const zlay_pipe *pipe, int of)
{
    switch (of) {
    case ZL_OF_PARAM: return NAMED(params);
    case ZL_OF_SMEM: return NAMED(smems);
    case ZL_OF_BAR: return NAMED(bars);
    case ZL_OF_ROLE: return NAMED(roles);
    case ZL_OF_MOVE: return NAMED(moves);
    case ZL_OF_TMEM: return NAMED(tmems);
    case ZL_OF_OTHER: return NAMED(others);
    case ZL_OF_BODY: return NAMED(bodies);
    default: return (named){NULL, 0, 0};
    }
}

int32_t zl_find(const zlay_pipe *pipe, int of, const char *text)
{
    const named sort = names_of(pipe, of);
    for (uint32_t i = 0; i < sort.count; i++)
        if (!strcmp(sort.first + i * sort.size, text)) return (int32_t)i;
    return -1;
}

int32_t zl_find_loop(const zl_parser *p, const char *text)
{
    for (uint32_t i = 0; i < p->depth; i++)
        if (!strcmp(p->pipe->events[p->loops[i]].name, text)) return (int32_t)i;
    return -1;
}

static bool is_declared(const zl_parser *p, const char *text)
{
    for (int of = 0; of < ZL_OF_COUNT; of++)
        if (zl_find(p->pipe, of, text) >= 0) return true;
    return zl_find_loop(p, text) >= 0;
}

bool zl_parse_new_name(zl_parser *p, char *out)
{
    return zl_parse_name(p, out) && (!is_declared(p, out) || bad(p, "a name is used twice"));
}

/* ---- events and registers ---- */

zl_event zl_event_of(zl_event_kind kind, uint32_t line)
{
    const zl_pos none = {-1, -1, -1, 0, 0};
    return (zl_event){.kind = kind, .line = line, .bar = -1, .smem = {-1, -1},
                    .tmem = {-1, -1}, .acc = -1, .acc_a = -1, .acc_b = -1, .map = -1, .other = -1,
                    .body = -1, .cta = ZL_CTA_OWN, .bar_cta = ZL_CTA_OWN, .times = 1, .match = -1, .at = {none, none},
                    .tmem_at = {none, none}, .map_at = none, .other_at = none, .bar_at = none,
                    .parity = none, .over = -1};
}

zl_event *zl_parse_new_event(zl_parser *p, zl_event_kind kind)
{
    if (p->pipe->events_count == ZL_PIPE_EVENTS) {
        zl_parse_fail(p, ZLAY_ELIMIT, "more than 1024 events");
        return NULL;
    }
    zl_event *e = ZL_MORE(p, ZL_OF_EVENT, events);
    if (!e) return NULL;
    *e = zl_event_of(kind, p->at.line);
    return e;
}

bool zl_parse_acc(zl_parser *p, int32_t *out)
{
    char text[65];
    const zlay_pipe *pipe = p->pipe;
    if (!zl_parse_name(p, text)) return false;
    for (uint32_t i = 0; i < pipe->accs_count; i++)
        if (!strcmp(pipe->accs[i].name, text) && pipe->accs[i].role == p->role) *out = (int32_t)i;
    if (*out >= 0) return true;
    zl_acc *acc = ZL_MORE(p, ZL_OF_ACC, accs);
    if (!acc) return false;
    memcpy(acc->name, text, sizeof text);
    acc->role = p->role;
    *out = (int32_t)pipe->accs_count - 1;
    return true;
}
