/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/base.h - statuses, answers, contexts, limits and text buffers.
 *
 *  Every function of zlay says in its block what it returns, what it writes
 *  (Out) and what it reads (In).  `const T *` is borrowed for the call; what a
 *  `T **out` receives belongs to the caller until zlay_<T>_free.
 *  `*out` is set to NULL, and no other output is written, unless the status is
 *  0; so `if (status)` is always safe.
 */
#ifndef ZLAY_BASE_H
#define ZLAY_BASE_H

#include <stddef.h>
#include <stdint.h>

/* wasm32 is the build of docs/playground.md, for that page alone. */
#if !defined(__wasm32__) &&                        \
    (!defined(__linux__) || !defined(__LP64__) || \
     __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__)
#error "zlay runs on 64-bit little-endian Linux (x86-64, aarch64)"
#endif

/** What a program that links the library may call. */
#define ZLAY_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/** What became of a call: 0 done, +1 proved that there is none, negative not
 *  done.  The numbers are never reused. */
typedef int32_t zlay_status;
enum {
    ZLAY_OK = 0,
    ZLAY_NONE = 1,       /* proved: no such object exists */
    ZLAY_EINVAL = -1,    /* an argument breaks its stated domain */
    ZLAY_ENOMEM = -2,    /* the allocator answered NULL */
    ZLAY_EOVERFLOW = -3, /* a value does not fit 64 bits */
    ZLAY_ELIMIT = -4,    /* a limit of the ctx ended the work */
    ZLAY_ENOTSUP = -5,   /* asked for something that zlay does not do */
    ZLAY_EINTERNAL = -6, /* a defect of zlay; please report it */
    ZLAY_EROOM = -7,     /* the caller's buffer is too short; see `need` */
    ZLAY_EBUSY = -8,     /* the ctx is inside another call */
    ZLAY_EDRIVER = -9    /* a driver or device refused */
};

/** The answer of a decider. */
typedef int32_t zlay_answer;
enum {
    ZLAY_NO = 0,
    ZLAY_YES = 1,
    ZLAY_UNDECIDED = -1, /* a limit ended the search; the message names it */
    ZLAY_DEPENDS = -2    /* on unknowns; the guard says how */
};

/** Memory hooks.  Both functions or neither; `free` is given the size that
 *  `alloc` was asked for.  Objects keep a copy, so `user` must outlive them. */
typedef struct zlay_allocator {
    void *user;
    void *(*alloc)(void *user, size_t size);
    void (*free)(void *user, void *ptr, size_t size);
} zlay_allocator;

/** Limits: counts, never clocks, so that an input has one answer everywhere.
 *  0 means the default named beside the field; zlay_limit_nth has the most that
 *  each may be. */
typedef struct zlay_limits {
    uint32_t size;      /* sizeof(zlay_limits); a shorter one reads as zeros */
    uint32_t nesting;   /* depth of parentheses: 64 */
    uint64_t text;      /* bytes of an input text: 1 MiB */
    uint64_t dims;      /* leaves of a layout, dimensions of a map: 64 */
    uint64_t points;    /* points enumerated: 2^22 */
    uint64_t sim_bytes; /* bytes that the CPU model may hold: 2^30 */
    uint64_t pieces;    /* pieces of a piecewise layout: 4096 */
    uint64_t isl_ops;   /* operations of isl in one decision: 10^5 */
    uint64_t big_bytes; /* bytes of integers beyond 64 bits in one call: 64 MiB */
    uint64_t work;      /* steps of one call, of all its loops together: 2^28 */
    uint64_t memory;    /* bytes that one call holds at a time: 192 MiB */
    uint64_t reserved[2]; /* 0 */
} zlay_limits;

/** One limit: a member of zlay_limits. */
typedef struct zlay_limit {
    const char *name;   /* "points" */
    uint64_t usual;     /* its default */
    uint64_t most;      /* a greater one is ZLAY_ELIMIT */
    const char *unit;   /* "points" */
    const char *bounds; /* what it bounds, in a few words */
} zlay_limit;

/** A context: allocator, limits and the text of the last failure.  For one
 *  thread at a time; a second entry is ZLAY_EBUSY. */
typedef struct zlay_ctx zlay_ctx;

/** The caller's text buffer.  `need` receives the length of the whole text
 *  without its final 0; ZLAY_EROOM says that need + 1 > room, and then no byte
 *  of `text` is written.  `text` may be NULL when `room` is 0. */
typedef struct zlay_buf {
    char *text;
    size_t room, need;
} zlay_buf;

/** The version of the library that is linked, as "MAJOR.MINOR.PATCH".
 *
 *  Returns: a static string.
 */
ZLAY_API const char *zlay_version(void);

/** The name of a status, as "EINVAL"; "?" for a number that is none.
 *
 *  Returns: a static string.
 *  In:      status  any number.
 */
ZLAY_API const char *zlay_status_name(zlay_status status);

/** How many limits there are. */
ZLAY_API size_t zlay_limit_count(void);

/** The limits, one after the other.
 *
 *  Returns: a static row, or NULL past the last.
 *  In:      i  from 0.
 */
ZLAY_API const zlay_limit *zlay_limit_nth(size_t i);

/** Make a context.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL (out NULL, one hook without the other, a
 *           reserved word that is not 0, a size of 0), ZLAY_ELIMIT (a limit
 *           above the most that zlay_limit_nth says), ZLAY_ENOMEM.
 *  Out:     out     the context; free it with zlay_ctx_free.
 *  In:      alloc   memory hooks, copied, which get working memory back when each
 *                   call ends; NULL for malloc and free, of which the ctx keeps
 *                   up to 16 MiB for its next calls.
 *           limits  copied; NULL for the defaults.
 */
ZLAY_API zlay_status zlay_ctx_new(zlay_ctx **out, const zlay_allocator *alloc,
                                  const zlay_limits *limits);

/** Free a context.  Objects that it made live on.
 *
 *  In:      ctx  NULL is allowed.
 */
ZLAY_API void zlay_ctx_free(zlay_ctx *ctx);

/** The text of the last failure of a context, "" when there was none.
 *
 *  Returns: a string that lives until the next call with this ctx.
 *  In:      ctx  NULL gives "".
 */
ZLAY_API const char *zlay_ctx_message(const zlay_ctx *ctx);

/** Replace the limits of a context.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL as zlay_ctx_new, ZLAY_ELIMIT (a limit above
 *           its ceiling, which the message names), ZLAY_EBUSY.
 *  In:      limits  copied; NULL for the defaults.  A default above its
 *                   ceiling becomes the ceiling.
 */
ZLAY_API zlay_status zlay_ctx_set_limits(zlay_ctx *ctx,
                                         const zlay_limits *limits);

/** Read the limits of a context, defaults filled in.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL.
 *  Out:     out  the limits.
 */
ZLAY_API zlay_status zlay_ctx_limits(zlay_limits *out, const zlay_ctx *ctx);

/** Set ceilings: what a context's limits may be at most from now on, also those
 *  that a request of zlay_json_call asks for.  Limits above them are lowered.  A
 *  service sets them before it hands a stranger's request to the library.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL as zlay_ctx_new, ZLAY_ELIMIT (a ceiling above
 *           the most that zlay_limit_nth says), ZLAY_EBUSY.
 *  In:      ceilings  copied; 0 is the limit's default.  NULL: no ceilings but
 *                     the most that zlay_limit_nth says.
 */
ZLAY_API zlay_status zlay_ctx_set_ceilings(zlay_ctx *ctx,
                                           const zlay_limits *ceilings);

/** Read the ceilings of a context.
 *
 *  Returns: ZLAY_OK, ZLAY_EINVAL.
 *  Out:     out  the most that each limit may be.
 */
ZLAY_API zlay_status zlay_ctx_ceilings(zlay_limits *out, const zlay_ctx *ctx);

/** Free what FLINT keeps for the calling thread between calls; nothing where zlay
 *  is built without it. */
ZLAY_API void zlay_engines_release(void);

#ifdef __cplusplus
}
#endif
#endif
