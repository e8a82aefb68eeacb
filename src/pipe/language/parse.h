/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the parser share: declarations and roles are in parse.c, positions in
 * parse_pos.c, events in parse_event.c. */
#ifndef ZL_PARSE_H
#define ZL_PARSE_H

#include "base/scan.h"
#include "pipe/language/pipe.h"

enum { ZL_PIPE_EVENTS = 1024 }; /* most events */

/* A stage that a body loads from. */
struct zl_stage_read {
    int32_t smem;
    zl_pos at;
};

typedef struct zl_parser {
    zl_cursor at; /* in the line that is read */
    zlay_pipe *pipe;
    int32_t role;                  /* being read; -1 outside */
    uint32_t loops[ZL_PIPE_LOOPS]; /* events of the open loops */
    uint32_t depth;
    zl_event_token token; /* being read */
    zl_body_reader reading; /* its body is not NULL between `body` and `end` */
    int32_t list[ZL_BODY_OPERANDS]; /* registers of the line that is read */
    uint32_t list_count;
    struct zl_stage_read stage[ZL_PIPE_STAGES]; /* that it reads */
    zlay_status status;
} zl_parser;

/* Note the first failure, with its line; answers false. */
bool zl_parse_fail(zl_parser *p, zlay_status status, const char *what);

/* An empty pipe; the lines of a text, as many times as wanted; what every whole text has. */
zlay_status zl_parse_begin(zlay_ctx *ctx, zl_parser *p);
void zl_parse_lines(zl_parser *p, const char *text, size_t length);
void zl_parse_end(zl_parser *p);

/* Each takes what it names, or fails. */
bool zl_parse_name(zl_parser *p, char *out);
bool zl_parse_new_name(zl_parser *p, char *out); /* that nothing else has */
bool zl_parse_number(zl_parser *p, int64_t *out, int64_t least, int64_t most);
bool zl_parse_symbol(zl_parser *p, const char *text);
bool zl_parse_needs(zl_parser *p, const char *word);

/* One more entry of an array of a pipe (ZL_OF_), zeroed; NULL on failure. */
void *zl_parse_more(zl_parser *p, int of, void **array, uint32_t *count, size_t size);
#define ZL_MORE(p, of, field)                                                                      \
    zl_parse_more(p, of, (void **)&(p)->pipe->field, &(p)->pipe->field##_count,                    \
                  sizeof *(p)->pipe->field)

/* The index of a name of one sort (ZL_OF_); -1 when it is none. */
int32_t zl_find(const zlay_pipe *pipe, int of, const char *text);
int32_t zl_find_loop(const zl_parser *p, const char *text);

/* A sum of positions without parentheses; [pos % stages], or [number], which is below the stages
 * with or without its modulus; the parity of a wait; a number of bytes. */
bool zl_parse_bare(zl_parser *p, zl_pos *pos);
/* The same, or a position % a param, which is -1 where there is none. */
bool zl_parse_modulo(zl_parser *p, zl_pos *pos, int32_t *modulo);
bool zl_parse_slot(zl_parser *p, zl_pos *pos, uint32_t stages);
bool zl_parse_parity(zl_parser *p, zl_event *e);
bool zl_parse_bytes(zl_parser *p, int64_t *out, zl_moved *moved, int64_t least);

zl_event *zl_parse_new_event(zl_parser *p, zl_event_kind kind);
bool zl_parse_event(zl_parser *p);

/* An accumulator: declared by first use, private to its role. */
bool zl_parse_acc(zl_parser *p, int32_t *out);

/* A declaration `body NAME`; a line of it, the last one `end`; what stands behind the registers of
 * a use, and the events for the registers behind the first and for the stages. */
bool zl_parse_body(zl_parser *p);
bool zl_parse_body_line(zl_parser *p);
bool zl_parse_accs(zl_parser *p, zl_event *e);
bool zl_parse_use(zl_parser *p, zl_event *e);
bool zl_parse_joined(zl_parser *p, uint32_t first);

/* Whether every flag that is cleared may be: no event counts on it behind its one wait. */
bool zl_parse_flags(zl_parser *p);

/* zlay_pipe_parse as a part of a call (zl_enter_part). */
zlay_status zl_pipe_parse(zlay_ctx *ctx, zlay_pipe **out, const char *text, size_t length);

#endif
