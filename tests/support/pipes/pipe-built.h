/* SPDX-License-Identifier: Apache-2.0 */
/* A printed pipe, line by line, through the builder: the test's own reader of the canonical text. */
#ifndef TEST_PIPE_BUILT_H
#define TEST_PIPE_BUILT_H

#include "test.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>
#include <zlay/zlay.h>

enum { POOL = 1 << 16, DECLARED = 64 };

typedef struct reader {
    const char *at;
    char pool[POOL];
    size_t used;
    struct { const char *name, *word; } declared[DECLARED];
    size_t count;
    zlay_ctx *ctx;
    zlay_pipe_builder *builder;
} reader;

static inline void blanks(reader *r)
{
    while (*r->at == ' ' || *r->at == ',') r->at++;
}

/* Take a text if it is next, as a whole word where it ends in a letter. */
static inline bool eat(reader *r, const char *text)
{
    size_t length = strlen(text);
    blanks(r);
    if (strncmp(r->at, text, length)) return false;
    if (isalnum((unsigned char)text[length - 1]) &&
        (isalnum((unsigned char)r->at[length]) || r->at[length] == '_' || r->at[length] == '.'))
        return false;
    r->at += length;
    return true;
}

/* The next word, dots and underscores in it. */
static inline const char *take(reader *r, bool dots)
{
    char *word = r->pool + r->used;
    size_t length = 0;
    blanks(r);
    while (isalnum((unsigned char)r->at[length]) || r->at[length] == '_' ||
           (dots && r->at[length] == '.'))
        length++;
    assert_true(length && r->used + length + 1 < POOL);
    memcpy(word, r->at, length);
    word[length] = 0;
    r->used += length + 1;
    r->at += length;
    return word;
}

static inline int64_t number(reader *r)
{
    blanks(r);
    return strtoll(r->at, (char **)(uintptr_t)&r->at, 10);
}

static inline bool digit(reader *r)
{
    blanks(r);
    return isdigit((unsigned char)*r->at) != 0;
}

/* Whether a name was declared by this word. */
static inline bool is_of(const reader *r, const char *name, const char *word)
{
    for (size_t i = 0; i < r->count; i++)
        if (!strcmp(r->declared[i].name, name)) return !strcmp(r->declared[i].word, word);
    return false;
}

/* t*N+N-1, (i-1), 0-1 */
static inline void position(reader *r, zlay_pipe_at *at)
{
    int sign = 1;
    bool open = eat(r, "(");
    do {
        if (digit(r)) {
            at->add += sign * number(r);
        } else {
            const char *name = take(r, false);
            if (is_of(r, name, "param")) at->plus = name;
            else at->counter = name;
            if (*r->at == '*') {
                r->at++;
                at->times = take(r, false);
            }
        }
        sign = *r->at == '-' ? -1 : 1;
    } while (*r->at == '+' || *r->at == '-' ? r->at++ : NULL);
    if (open) assert_true(eat(r, ")"));
}

static inline void slot(reader *r, const char **name, zlay_pipe_at *at)
{
    *name = take(r, false);
    assert_true(eat(r, "["));
    position(r, at);
    if (eat(r, "%")) number(r);
    assert_true(eat(r, "]"));
}

static inline void bytes(reader *r, zlay_pipe_bytes *out)
{
    size_t i = 0;
    do {
        uint32_t times = 0;
        if (digit(r)) {
            int64_t value = number(r);
            if (*r->at != '*') {
                out->add = value;
                continue;
            }
            times = (uint32_t)value;
            r->at++;
        }
        assert_true(i < 4);
        out->times[i] = times;
        out->move[i++] = take(r, false);
    } while (eat(r, "+"));
}

/* ---- declarations and roles ---- */

static inline void said(reader *r, zlay_status status)
{
    if (status) fail_msg("%s before \"%.40s\"", zlay_ctx_message(r->ctx), r->at);
}

static inline bool declaration(reader *r)
{
    static const char *const words[] = {"param", "move", "smem", "tmem", "map", "global", "flag", "bar"};
    zlay_pipe_declaration d = {.size = sizeof d};
    for (size_t i = 0; i < sizeof words / sizeof *words && !d.word; i++)
        if (eat(r, words[i])) d.word = words[i];
    if (!d.word) return false;
    d.name = take(r, false);
    if (eat(r, "[")) {
        d.stages = (uint32_t)number(r);
        assert_true(eat(r, "]"));
    }
    assert_true(r->count < DECLARED);
    r->declared[r->count].name = d.name;
    r->declared[r->count++].word = d.word;
    if (!strcmp(d.word, "param")) {
        d.least = number(r);
        assert_true(eat(r, ".."));
        if (digit(r)) d.most = number(r);
        if (eat(r, "of ")) d.of = take(r, false);
    } else if (!strcmp(d.word, "move") || !strcmp(d.word, "smem")) {
        bytes(r, &d.bytes);
    } else if (eat(r, "count") || digit(r)) {
        d.count = number(r);
    }
    d.each = eat(r, "each");
    d.pair = eat(r, "pair");
    said(r, zlay_pipe_builder_declare(r->ctx, r->builder, &d));
    return true;
}

static inline void role(reader *r)
{
    zlay_pipe_role role = {.size = sizeof role, .name = take(r, false)};
    assert_true(eat(r, "warps"));
    role.first_warp = (uint32_t)number(r);
    assert_true(eat(r, ".."));
    role.last_warp = (uint32_t)number(r);
    if (eat(r, "each")) role.each = (uint32_t)number(r);
    role.elect = eat(r, "elect");
    role.pinned = eat(r, "cta");
    if (role.pinned) role.cta = (uint32_t)number(r);
    said(r, zlay_pipe_builder_role(r->ctx, r->builder, &role));
}

/* ---- events ---- */

static inline void loop(reader *r, zlay_pipe_event *e)
{
    e->name = take(r, false);
    assert_true(eat(r, "in"));
    position(r, &e->first);
    assert_true(eat(r, ".."));
    position(r, &e->last);
    if (eat(r, "step")) e->step = number(r);
}

static inline bool is(const zlay_pipe_event *e, const char *word) { return !strcmp(e->word, word); }

/* A slot of whatever its name was declared as, or registers; `k`: 1 for B of mma and for what a copy
 * comes from. */
static inline void memory(reader *r, zlay_pipe_event *e, int k, bool sum)
{
    const char *before = r->at, *name = take(r, false);
    bool ring = *r->at == '[';
    r->at = before;
    const char **registers = !is(e, "mma") || sum ? &e->acc : k ? &e->acc_b : &e->acc_a;
    if (!ring) *registers = take(r, false);
    else if (is_of(r, name, "bar")) slot(r, &e->bar, &e->bar_at);
    else if (is_of(r, name, "map")) slot(r, &e->map, &e->map_at);
    else if (is_of(r, name, "smem")) slot(r, &e->smem[k], &e->at[k]);
    else if (is_of(r, name, "tmem")) {
        k = is(e, "mma") && !sum;
        slot(r, &e->tmem[k], &e->tmem_at[k]);
    } else slot(r, &e->other, &e->other_at);
}

/* Whether the parenthesis that opens here holds a division. */
static inline bool divides(const char *at)
{
    int depth = 0;
    do depth += (*at == '(') - (*at == ')');
    while (depth && *at++ != '/');
    return depth > 0;
}

static inline void parity(reader *r, zlay_pipe_event *e)
{
    blanks(r);
    e->before = *r->at == '(' && divides(r->at);
    r->at += e->before;
    position(r, &e->phase);
    assert_true(eat(r, "/"));
    number(r);
    if (e->before) assert_true(eat(r, "+ 1)"));
    assert_true(eat(r, "% 2"));
}

static inline bool operand(reader *r, zlay_pipe_event *e)
{
    if (eat(r, "parity")) parity(r, e);
    else if (eat(r, "->")) memory(r, e, 0, true);
    else if (eat(r, "from")) memory(r, e, 1, true);
    else if (eat(r, "signal") || eat(r, "by")) memory(r, e, 0, false);
    else if (eat(r, "scales")) memory(r, e, 1, false);
    else if (eat(r, "add")) e->acc = take(r, false);
    else if (eat(r, "clear")) e->clear = 1;
    else if (eat(r, "fresh")) e->fresh = 1;
    else if (eat(r, "part")) e->part = (uint32_t)number(r);
    else if (eat(r, "times")) e->times = (uint32_t)number(r);
    else if (eat(r, "multicast")) e->multicast = (uint32_t)number(r);
    else if (eat(r, "warps")) e->scope = "warps";
    else if (eat(r, "threads")) e->scope = "threads";
    else return false;
    return true;
}

static inline bool where(reader *r, zlay_pipe_event *e)
{
    if (!eat(r, "cta")) return false;
    if (is(e, "copy") && e->bar) {
        e->signalled = (uint32_t)number(r) + 1;
        return true;
    }
    e->where = eat(r, "all") ? ZLAY_PIPE_CTA_EVERY : eat(r, "+") ? ZLAY_PIPE_CTA_NEXT
                                                                  : ZLAY_PIPE_CTA_RANK;
    if (e->where != ZLAY_PIPE_CTA_EVERY) e->cta = (uint32_t)number(r);
    return true;
}

static inline bool range(reader *r, const char *word, uint32_t *first, uint32_t *count)
{
    if (!eat(r, word)) return false;
    *first = (uint32_t)number(r);
    assert_true(eat(r, ".."));
    *count = (uint32_t)number(r) - *first + 1;
    return true;
}

static inline bool has_way(const char *word)
{
    static const char *const words[] = {"copy", "commit", "waitgroup", "fence", "twait", "sync", "join",
                                        "meet", "setmaxnreg", "griddep", "waitcount"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (!strcmp(words[i], word)) return true;
    return false;
}

/* What stands right behind the word. */
static inline void first_operand(reader *r, zlay_pipe_event *e)
{
    if (has_way(e->word)) e->way = take(r, true);
    if (is(e, "for")) loop(r, e);
    else if (is(e, "init")) e->bar = take(r, false);
    else if (is(e, "alloc") || is(e, "dealloc")) e->tmem[0] = take(r, false);
    else if (e->way && !strcmp(e->way, "named")) {
        e->named = (uint32_t)number(r);
        e->named_step = eat(r, "+") ? 1 : eat(r, "-") ? -1 : 0;
        if (e->named_step) assert_true(eat(r, "instance"));
        e->number = number(r);
    } else if (!e->way && !is(e, "relinquish") && !is(e, "cpasync") && !is(e, "load"))
        memory(r, e, 0, false);
    if (is(e, "mma")) memory(r, e, 1, false);
}

static inline void event(reader *r)
{
    zlay_pipe_event e = {.size = sizeof e, .word = take(r, false)};
    first_operand(r, &e);
    for (;;) {
        blanks(r);
        if (*r->at == '\n' || !*r->at) break;
        if (operand(r, &e) || where(r, &e) || range(r, "lanes", &e.first_lane, &e.lanes) ||
            range(r, "columns", &e.first_column, &e.columns))
            continue;
        if (is(&e, "waitgroup") || is(&e, "setmaxnreg") || is(&e, "await") || is(&e, "waitcount"))
            e.number = number(r);
        else bytes(r, &e.bytes);
    }
    said(r, zlay_pipe_builder_event(r->ctx, r->builder, &e));
}

/* The pipe of a printed text. */
static inline zlay_pipe *built(zlay_ctx *ctx, const char *text)
{
    static reader r;
    zlay_pipe *pipe;
    uint32_t blocks = 0, registers = 0;
    r = (reader){.at = text, .ctx = ctx};
    assert_true(eat(&r, "pipe"));
    const char *name = take(&r, false);
    if (eat(&r, "\ncluster")) blocks = (uint32_t)number(&r);
    if (eat(&r, "\nregisters")) registers = (uint32_t)number(&r);
    assert_int_equal(zlay_pipe_builder_new(ctx, &r.builder, name, blocks, registers), ZLAY_OK);
    while (*r.at) {
        if (eat(&r, "\n")) continue;
        if (eat(&r, "end")) said(&r, zlay_pipe_builder_end(ctx, r.builder));
        else if (eat(&r, "role")) role(&r);
        else if (!declaration(&r)) event(&r);
    }
    said(&r, zlay_pipe_builder_finish(ctx, &pipe, r.builder));
    zlay_pipe_builder_free(r.builder);
    return pipe;
}

#endif
