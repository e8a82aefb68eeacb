/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a pipe with counts of each iteration (`param N 0.. of T`) as one without, for given counts: a loop over T, or over a part of
 * its iterations, is written out, iteration t as two loops of one turn whose counters have the values t and t*N. The verifier decides such a text without
 * knowing of counts of each iteration. */
#ifndef TEST_UNROLL_H
#define TEST_UNROLL_H

#include "pipes/pipes.h"

#include <ctype.h>

typedef struct unroll {
    const char *over, *count; /* names: T, N */
    const int *counts;
    int iterations;
    char *out;
    size_t length, room;
} unroll;

static inline void unroll_put(unroll *u, const char *text, size_t length)
{
    assert_true(u->length + length < u->room);
    memcpy(u->out + u->length, text, length);
    u->out[u->length += length] = 0;
}

static inline void unroll_putf(unroll *u, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void unroll_putf(unroll *u, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    unroll_put(u, text, (size_t)n);
}

static inline size_t unroll_word(const char *text)
{
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') n++;
    return n;
}

static inline bool unroll_is(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && !memcmp(text, word, length);
}

/* A line inside of iteration t: its counter and t*N become the counters of the two loops, N its count. */
static inline void unroll_line(unroll *u, const char *line, size_t length, const char *counter, int t)
{
    for (size_t i = 0; i < length;) {
        size_t n = unroll_word(line + i);
        if (n > length - i) n = length - i;
        if (unroll_is(line + i, n, counter)) {
            bool times = line[i + n] == '*' && unroll_is(line + i + n + 1, unroll_word(line + i + n + 1), u->count);
            unroll_putf(u, times ? "b%d" : "a%d", t);
            i += n + (times ? 1 + strlen(u->count) : 0);
        } else if (unroll_is(line + i, n, u->count)) {
            unroll_putf(u, "%d", u->counts[t]);
            i += n;
        } else {
            n += !n;
            unroll_put(u, line + i, n);
            i += n;
        }
    }
}

static inline const char *unroll_first(const char *line)
{
    while (*line == ' ') line++;
    return line;
}

/* The line behind the `end` of the loop whose body begins here. */
static inline const char *unroll_behind(const char *body)
{
    int depth = 1;
    while (depth && *body) {
        const char *first = unroll_first(body);
        depth += !strncmp(first, "for ", 4);
        depth -= !strncmp(first, "end", 3);
        body = strchr(body, '\n') + 1;
    }
    return body;
}

static inline void unroll_iteration(unroll *u, const char *body, const char *behind, const char *counter, int t)
{
    int begun = 0;
    for (int k = 0; k < t; k++) begun += u->counts[k];
    unroll_putf(u, "for a%d in %d..%d\nfor b%d in %d..%d\n", t, t, t + 1, t, begun, begun + 1);
    for (const char *line = body; line < behind; line = strchr(line, '\n') + 1)
        unroll_line(u, line, (size_t)(strchr(line, '\n') - line) + 1, counter, t);
    unroll_putf(u, "end\n");
}

/* The iteration that `T` or `T-2` names, and where the text goes on; -1: it is another place. */
static inline int unroll_place(const unroll *u, const char **text)
{
    size_t n = unroll_word(*text);
    int back = 0, length = 0;
    if (!unroll_is(*text, n, u->over)) return -1;
    *text += n;
    if (sscanf(*text, "-%d%n", &back, &length) == 1) *text += length;
    return u->iterations - back;
}

/* Whether a line is `for X in 0..T`, or has a part of these iterations: X, the first, and the one behind the last. */
static inline bool unroll_opens(const unroll *u, const char *line, char counter[65], int range[2])
{
    int length = 0;
    const char *at = unroll_first(line);
    if (sscanf(at, "for %64s in %n", counter, &length) != 1 || !length) return false;
    at += length;
    range[0] = strncmp(at, "0..", 3) ? unroll_place(u, &at) : 0;
    if (!strncmp(at, "0..", 3)) at++;
    if (range[0] < 0 || strncmp(at, "..", 2)) return false;
    at += 2;
    range[1] = unroll_place(u, &at);
    return range[1] >= 0 && strchr(" \n", *at);
}

static inline bool unroll_declares(const unroll *u, const char *line)
{
    char name[65];
    return sscanf(unroll_first(line), "param %64s", name) == 1 && (!strcmp(name, u->count) || !strcmp(name, u->over));
}

/* The text for these counts, in u->out. */
static inline void unroll_text(unroll *u, const char *text)
{
    char counter[65];
    int range[2];
    u->length = 0;
    for (const char *line = text; *line;) {
        const char *next = strchr(line, '\n') + 1;
        if (unroll_opens(u, line, counter, range)) {
            const char *behind = unroll_behind(next);
            for (int t = range[0]; t < range[1]; t++) unroll_iteration(u, next, behind, counter, t);
            next = behind;
        } else if (!unroll_declares(u, line)) {
            unroll_put(u, line, (size_t)(next - line));
        }
        line = next;
    }
}

#endif
