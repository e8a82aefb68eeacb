/* SPDX-License-Identifier: Apache-2.0 */
/* What every layer uses inside: failures with a text, memory through the
 * hooks of a ctx, text that is counted before it is written. */
#ifndef ZL_BASE_H
#define ZL_BASE_H

#include "base/arith.h"
#include <stdarg.h>
#include <stdbool.h>
#include <zlay/base.h>

#define ZL_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ZL_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* ---- contexts ---------------------------------------------------------- */

/* Enter a public call: clears the message, ZLAY_EBUSY when already inside.
 * Every successful enter is matched by one leave, which passes `status` on.
 * The library takes memory and counts steps inside a call only. */
zlay_status zl_enter(zlay_ctx *ctx);
zlay_status zl_leave(zlay_ctx *ctx, zlay_status status);

/* The same for a decider: where limits.work or limits.memory ended the call, *answer becomes
 * ZLAY_UNDECIDED and the status ZLAY_OK. */
zlay_status zl_leave_answer(zlay_ctx *ctx, zlay_status status, zlay_answer *answer);

/* Record why a call fails and answer `status`; ctx may be NULL. */
zlay_status zl_fail(zlay_ctx *ctx, zlay_status status, const char *format, ...) ZL_PRINTF(3, 4);

/* ---- limits -------------------------------------------------------------- */

const zlay_limits *zl_limits(const zlay_ctx *ctx);
const zlay_limits *zl_ceilings(const zlay_ctx *ctx);

/* Limits by their row of limits.def; ZL_LIMITS: there is none. */
enum {
#define LIMIT(name, usual, most, unit, bounds) ZL_LIMIT_##name,
#include "base/limits.def"
    ZL_LIMITS
};
size_t zl_limit_find(const char *name, size_t length);
uint64_t zl_limit_get(const zlay_limits *limits, size_t i);
void zl_limit_set(zlay_limits *limits, size_t i, uint64_t count);

/* Limits as a caller gives them, NULL or shorter ones filled up with zeros; EINVAL. */
zlay_status zl_limits_read(zlay_limits *out, const zlay_limits *given);

/* Zeros become the defaults, or the ceilings where those are lower. */
void zl_limits_complete(zlay_limits *limits, const zlay_limits *ceilings);

/* The first limit above its ceiling. */
size_t zl_limits_above(const zlay_limits *limits, const zlay_limits *ceilings);
zlay_limits zl_limits_most(void);

/* ELIMIT, with the ceiling that is asked to be passed. */
zlay_status zl_above(zlay_ctx *ctx, size_t limit, uint64_t asked);

/* Count `steps` of limits.work, which every loop counts whose length depends on the values of an
 * input and not on its text alone.  ZLAY_ENOMEM when there are no more: inside the library this is
 * the status that ends everything and is never an answer.  From then on every zl_alloc and
 * zl_charge of the call fails, and zl_leave answers ZLAY_ELIMIT with the limit's name. */
zlay_status zl_charge(zlay_ctx *ctx, uint64_t steps);

/* Steps of limits.work that the call has left. */
uint64_t zl_work_left(const zlay_ctx *ctx);

/* What zl_leave makes of a status: ELIMIT where the call was ended by limits.work or
 * limits.memory. */
zlay_status zl_ended(zlay_ctx *ctx, zlay_status status);

/* Passes on what the reading of a text of the call came to.  Where a limit refused the text, the
 * answer to the call is an error of its input, and not that a search was ended. */
zlay_status zl_of_input(zlay_ctx *ctx, zlay_status status);
bool zl_refused_input(const zlay_ctx *ctx); /* in the last call */

/* All calls with this ctx count as one from now on: a request of zlay_json_call. */
void zl_count_as_one(zlay_ctx *ctx);

/* Passes on the status of a search that tried several ways.  It is ENOMEM, whatever the status was,
 * where a limit or failing memory ended one of them: the way that ended may have been the best. */
zlay_status zl_whole(const zlay_ctx *ctx, zlay_status status);

/* What one public call does may be a part of another.  The internal form of such a call begins a
 * part and ends it as the call is entered and left: the message and what is taken of zl_scratch
 * are the part's own; steps, and what ended them, are the call's. */
typedef struct zl_mark {
    struct zl_scratch_block *block;
    size_t used;
} zl_mark;
zl_mark zl_enter_part(zlay_ctx *ctx);
zlay_status zl_leave_part(zlay_ctx *ctx, zl_mark mark, zlay_status status);
zlay_status zl_leave_part_answer(zlay_ctx *ctx, zl_mark mark, zlay_status status,
                                 zlay_answer *answer);

/* ---- memory ------------------------------------------------------------ */

/* Zeroed memory from the hooks of ctx, counted in limits.memory and limits.work; on failure NULL
 * and a message.  From the first failure on every zl_alloc and zl_charge of the call fails, and
 * zl_leave answers ENOMEM where the call would else answer NONE: a search that lacked memory has
 * proved nothing. */
void *zl_alloc(zlay_ctx *ctx, uint64_t count, size_t size);

/* The same, not zeroed: for tables of which a call uses the beginning. */
void *zl_alloc_plain(zlay_ctx *ctx, uint64_t count, size_t size);

/* Objects outlive their ctx, so they are freed through a copied allocator. */
zlay_allocator zl_allocator(const zlay_ctx *ctx);
void zl_free(const zlay_allocator *alloc, void *ptr, size_t size);

/* Working memory of a call, zeroed and counted like memory of zl_alloc.  All of it is given back
 * when the call ends, so no function frees it.  A loop gives back what it takes in each turn, to a
 * mark that it took before.  An object that is returned to the caller comes from zl_alloc. */
void *zl_scratch(zlay_ctx *ctx, uint64_t count, size_t size);

/* The same, not zeroed. */
void *zl_scratch_plain(zlay_ctx *ctx, uint64_t count, size_t size);

zl_mark zl_scratch_mark(const zlay_ctx *ctx);
void zl_scratch_release(zlay_ctx *ctx, zl_mark mark);

/* ---- text -------------------------------------------------------------- */

/* A sink counts every byte and writes those that fit. */
typedef struct zl_text {
    char *text;
    size_t room, need;
} zl_text;

void zl_put(zl_text *out, const char *text, size_t length);
void zl_puts(zl_text *out, const char *text);
void zl_put_times(zl_text *out, const char *text, uint32_t count);
void zl_putf(zl_text *out, const char *format, ...) ZL_PRINTF(2, 3);
void zl_vputf(zl_text *out, const char *format, va_list args) ZL_PRINTF(2, 0);

/* Run `write` once to count and, where the text fits, once to write it:
 * a buffer too short is never written in part. */
typedef void zl_writer(zl_text *out, const void *value);
zlay_status zl_print(zlay_buf *buf, zl_writer *write, const void *value);

/* The same into memory of the ctx: *text is 0-terminated, `*length` bytes long, and
 * freed with zl_free(alloc, text, length + 1). */
zlay_status zl_print_alloc(zlay_ctx *ctx, char **text, size_t *length, zl_writer *write,
                           const void *value);

/* The same into zl_scratch, for a text of which no caller hears; NULL: no memory. */
char *zl_print_scratch(zlay_ctx *ctx, size_t *length, zl_writer *write, const void *value);

/* `text` as it may stand in a message: at most 60 bytes, the rest as "...",
 * anything but printable ASCII escaped.  `out` has room for 256 bytes. */
const char *zl_quote(char *out, const char *text, size_t length);

/* Names that are offered in the place of one that stands for nothing: at most 3 edits away, and no
 * more than half of its letters; or names with dots whose last word it is. `hint` is "" or, of the
 * closest, the first of them, "; did you mean 'NAME'?"; of the name itself "". */
enum { ZL_LIKE_MOST = 127 }; /* letters; a distance has 8 bits */
typedef struct zl_like {
    const char *wanted;
    size_t length;
    uint32_t far; /* a name that is closer is taken */
    char hint[ZL_LIKE_MOST + 24];
} zl_like;
zl_like zl_like_begin(const char *wanted, size_t length);
void zl_like_offer(zl_like *like, const char *name);

/* ---- names -------------------------------------------------------------- */

typedef struct zl_name {
    char text[68]; /* at most 64 and a final 0 */
} zl_name;

/* [A-Za-z_][A-Za-z0-9_]{0,63} and no keyword of C, C++ or PTX. */
bool zl_is_name(const char *text, size_t length);

/* The same of C and C++ alone. */
bool zl_is_c_name(const char *text, size_t length);

#endif
