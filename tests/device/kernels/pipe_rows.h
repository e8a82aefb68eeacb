/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of pipes.def: texts, mutants, and what a kernel leaves in global memory, whoever ran it. */
#ifndef PIPE_ROWS_H
#define PIPE_ROWS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 1 << 18, SIZE = 4 * STEP, TEXT = 1 << 14, RELATIONS = 3, STAGE = 16384 };
typedef enum kind { NOTHING, SAME, SAME_LAST, ADDED, MATRICES, SWAPPED, GIVEN, PRODUCT, INTEGERS, MAPPED, HALVED, GROUPED, ATTENDED,
                    FACTORED, UPDATED } kind;
typedef enum count_of { BY_N, BY_2N, BY_T, BY_TN, BY_2TN, BY_ONE } count_of;
enum { FAULT, MAY };
enum { RIGHT, WRONG, GAVE_UP }; /* also exit statuses of a mutant's process */

typedef struct relation {
    kind kind;
    const char *out, *in;
    count_of count;
    uint32_t stage, at, bytes;
    int block;
    unsigned registers; /* of an accumulator `in` that the pipe only uses: a fragment keeps them; 0: there is none */
} relation;

static const struct pipe_row {
    const char *name, *text;
    unsigned stages, clusters;
    bool later; /* for a target with tensor memory */
    relation relation[RELATIONS];
} rows[] = {
#define PIPE(name, text, stages, clusters, ...) {name, text, stages, clusters, false, {__VA_ARGS__}},
#define LATER(name, text, stages, clusters, ...) {name, text, stages, clusters, true, {__VA_ARGS__}},
#define MUTANT(pipe, from, to, outcome)
#include "pipes.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct mutant_row {
    const char *pipe, *from, *to;
    int outcome;
} mutants[] = {
#define PIPE(name, text, stages, clusters, ...)
#define LATER(name, text, stages, clusters, ...)
#define MUTANT(pipe, from, to, outcome) {pipe, from, to, outcome},
#include "pipes.def"
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

/* ---- texts ---------------------------------------------------------------------------- */

static inline const char *raw_text(const char *text)
{
    static char raw[TEXT];
    char path[128];
    if (*text != '@') return text;
    snprintf(path, sizeof path, "tests/pipes/%s.pipe", text + 1);
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("no file %s\n", path);
        exit(3);
    }
    raw[fread(raw, 1, sizeof raw - 1, file)] = 0;
    fclose(file);
    return raw;
}

static inline void row_text(char text[TEXT], const struct pipe_row *row)
{
    size_t n = 0;
    for (const char *c = raw_text(row->text); *c; c++) {
        bool less = *c == '$' && c[1] == '-' && c[2] >= '0' && c[2] <= '9';
        if (*c == '$') n += (size_t)sprintf(text + n, "%u", row->stages - (less ? (unsigned)(c[2] - '0') : 0));
        else text[n++] = *c == ';' && *row->text != '@' ? '\n' : *c;
        if (less) c += 2;
    }
    text[n] = 0;
}

static inline bool text_edit(char *text, const char *from, const char *to)
{
    static char rest[TEXT];
    char *found = strstr(text, from);
    if (!found) return false;
    strcpy(rest, found + strlen(from));
    strcpy(found, to);
    strcat(found, rest);
    return true;
}

/* ---- what is left ------------------------------------------------------------------------ */

/* The least value of a param, `otherwise` where there is none. */
static inline unsigned row_least(const char *text, const char *param, unsigned otherwise)
{
    const char *at = strstr(text, param);
    return at ? (unsigned)atoi(at + strlen(param)) : otherwise;
}

/* The trip counts of run i: n is of N, t of T or G; false: there is no such run. */
static inline bool row_trips(const char *text, unsigned i, unsigned *n, unsigned *t)
{
    static const unsigned trips[][2] = {{1, 2}, {2, 4}, {5, 2}, {0, 0}, {3, 3}, {10, 1}};
    const char *tiles = strstr(text, "param G ") ? "param G " : "param T ";
    if (i >= sizeof trips / sizeof *trips) return false;
    *n = trips[i][0] < row_least(text, "param N ", 0) ? row_least(text, "param N ", 0) + i % 2 : trips[i][0];
    *t = trips[i][1] < row_least(text, tiles, 0) ? row_least(text, tiles, 0) : trips[i][1];
    if (strstr(text, "param N 1..1")) *n = 1;
    return true;
}

static inline unsigned row_count(count_of by, unsigned n, unsigned t)
{
    return by == BY_N ? n : by == BY_2N ? 2 * n : by == BY_T ? t : by == BY_TN ? t * n : by == BY_2TN ? 2 * t * n : 1;
}

/* Word j of lane l of a chunk of 512 bytes is word l % 4 of row l / 4 of matrix j. */
static inline void row_matrices(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    for (unsigned chunk = 0; chunk < bytes; chunk += 512)
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned j = 0; j < 4; j++)
                memcpy(to + chunk + lane * 16 + j * 4, from + chunk + j * 128 + lane / 4 * 16 + lane % 4 * 4, 4);
}

static inline void row_added(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i += 4) {
        uint32_t x, y;
        memcpy(&x, to + i, 4);
        memcpy(&y, from + i, 4);
        x += y;
        memcpy(to + i, &x, 4);
    }
}

/* What a relation leaves of one index of a block, in the place of what was there. */
static inline void row_moved(uint8_t *want, const uint8_t *in, const relation *r, unsigned cluster, unsigned block,
                             unsigned index)
{
    unsigned first = block / cluster * cluster;
    unsigned source = r->kind == SWAPPED ? block ^ 1 : r->block < 0 ? block : first + (unsigned)r->block;
    uint64_t at = (uint64_t)index * r->stage + r->at;
    uint8_t *to = want + (uint64_t)block * STEP + at;
    const uint8_t *from = in + (uint64_t)source * STEP + at;
    if (r->kind == SAME_LAST && block % cluster == 0) return;
    if (r->kind == MATRICES) row_matrices(to, from, r->bytes);
    else if (r->kind == ADDED) row_added(to, from, r->bytes);
    else memcpy(to, from, r->bytes);
}

#endif
