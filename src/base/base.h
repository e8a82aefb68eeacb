/* SPDX-License-Identifier: Apache-2.0 */
/* What every layer uses inside: failures with a text, memory through the
 * hooks of a ctx, text that is counted before it is written, checked integers. */
#ifndef ZL_BASE_H
#define ZL_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <zlay/base.h>

#define ZL_COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ZL_PRINTF(f, a) __attribute__((format(printf, f, a)))

/* ---- contexts ---------------------------------------------------------- */

/* Enter a public call: clears the message, ZLAY_EBUSY when already inside.
 * Every successful enter is matched by one leave, which passes `status` on. */
zlay_status zl_enter(zlay_ctx *ctx);
zlay_status zl_leave(zlay_ctx *ctx, zlay_status status);

/* Record why a call fails and answer `status`; ctx may be NULL. */
zlay_status zl_fail(zlay_ctx *ctx, zlay_status status, const char *format, ...) ZL_PRINTF(3, 4);

const zlay_limits *zl_limits(const zlay_ctx *ctx);

/* ---- memory ------------------------------------------------------------ */

/* Zeroed memory from the hooks of ctx; on failure NULL and a message. */
void *zl_alloc(zlay_ctx *ctx, size_t count, size_t size);

/* Objects outlive their ctx, so they are freed through a copied allocator. */
zlay_allocator zl_allocator(const zlay_ctx *ctx);
void zl_free(const zlay_allocator *alloc, void *ptr, size_t size);

/* ---- text -------------------------------------------------------------- */

/* A sink counts every byte and writes those that fit. */
typedef struct zl_text {
    char *text;
    size_t room, need;
} zl_text;

void zl_put(zl_text *out, const char *text, size_t length);
void zl_puts(zl_text *out, const char *text);
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

/* `text` as it may stand in a message: at most 60 bytes, the rest as "...",
 * anything but printable ASCII escaped.  `out` has room for 256 bytes. */
const char *zl_quote(char *out, const char *text, size_t length);

/* ---- names -------------------------------------------------------------- */

/* [A-Za-z_][A-Za-z0-9_]{0,63} and no keyword of C, C++ or PTX. */
bool zl_is_name(const char *text, size_t length);

/* ---- checked 64-bit integers: true when the result fits ----------------- */

static inline bool zl_add(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_add_overflow(a, b, r);
}
static inline bool zl_sub(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_sub_overflow(a, b, r);
}
static inline bool zl_mul(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_mul_overflow(a, b, r);
}
static inline bool zl_uadd(uint64_t a, uint64_t b, uint64_t *r)
{
    return !__builtin_add_overflow(a, b, r);
}
static inline bool zl_umul(uint64_t a, uint64_t b, uint64_t *r)
{
    return !__builtin_mul_overflow(a, b, r);
}

/* Saturating product: what a hostile size is compared with. */
static inline uint64_t zl_umul_sat(uint64_t a, uint64_t b)
{
    uint64_t r;
    return zl_umul(a, b, &r) ? r : UINT64_MAX;
}

/* gcd(a, 0) is a. */
static inline uint64_t zl_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

#endif
