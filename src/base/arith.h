/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic on machine integers: sums and products that are checked, saturated or taken in 128
 * bits, quotients that round, powers of two, divisors.  Everything is inline, for loops ask it. */
#ifndef ZL_BASE_ARITH_H
#define ZL_BASE_ARITH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 zl_i128;
__extension__ typedef unsigned __int128 zl_u128;

/* ---- checked: true when the result fits ---------------------------------- */

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

/* ---- saturated: what a hostile size is compared with --------------------- */

static inline uint64_t zl_uadd_sat(uint64_t a, uint64_t b)
{
    uint64_t r;
    return zl_uadd(a, b, &r) ? r : UINT64_MAX;
}
static inline uint64_t zl_umul_sat(uint64_t a, uint64_t b)
{
    uint64_t r;
    return zl_umul(a, b, &r) ? r : UINT64_MAX;
}

/* A count as one of objects in memory; SIZE_MAX where there cannot be as many. */
static inline size_t zl_size_sat(uint64_t count)
{
    return (size_t)count == count ? (size_t)count : SIZE_MAX;
}

/* ---- order --------------------------------------------------------------- */

static inline int64_t zl_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t zl_max(int64_t a, int64_t b) { return a > b ? a : b; }
static inline uint64_t zl_umin(uint64_t a, uint64_t b) { return a < b ? a : b; }
static inline uint64_t zl_umax(uint64_t a, uint64_t b) { return a > b ? a : b; }

/* The fourth root of the sum of fourth powers, within 0.4 %: how long two things take that run
 * beside each other and now and then wait. The greater, and what the ratio x of both adds,
 * x^4 / 4 - 0.06 x^8, in fractions of 1024. */
static inline uint64_t zl_norm4(uint64_t a, uint64_t b)
{
    uint64_t most = zl_umax(a, b), least = zl_umin(a, b);
    uint64_t x = most >> 40 ? least / (most / 1024) : most ? least * 1024 / most : 0;
    uint64_t x4 = x * x / 1024 * (x * x / 1024) / 1024;
    uint64_t more = x4 / 4 - x4 * x4 / 1024 * 62 / 1024;
    uint64_t sum = most + (most >> 40 ? most / 1024 * more : most * more / 1024);
    return sum < most ? UINT64_MAX : sum;
}
static inline uint32_t zl_min32(uint32_t a, uint32_t b) { return a < b ? a : b; }
static inline uint32_t zl_max32(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* The distance of two numbers. */
static inline uint64_t zl_distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

/* |a|, of INT64_MIN too. */
static inline uint64_t zl_magnitude(int64_t a) { return a < 0 ? 0 - (uint64_t)a : (uint64_t)a; }

/* ---- quotients that round; n > 0 ------------------------------------------ */

static inline int64_t zl_floor_div(int64_t a, int64_t n) { return a / n - (a % n < 0); }
static inline int64_t zl_floor_mod(int64_t a, int64_t n) { return a % n + (a % n < 0 ? n : 0); }
static inline uint64_t zl_ceil_div(uint64_t a, uint64_t n) { return a / n + (a % n != 0); }

/* The least multiple of `unit` that is not below a; it fits. */
static inline uint64_t zl_round_up(uint64_t a, uint64_t unit)
{
    return zl_ceil_div(a, unit) * unit;
}

/* The same in 128 bits, where n may be below 0 too; the remainder has n's sign. */
static inline zl_i128 zl_floor_div_128(zl_i128 a, zl_i128 n)
{
    return a / n - (a % n != 0 && (a < 0) != (n < 0));
}
static inline zl_i128 zl_floor_mod_128(zl_i128 a, zl_i128 n)
{
    return a - n * zl_floor_div_128(a, n);
}

/* ---- powers of two --------------------------------------------------------- */

static inline bool zl_is_power_of_two(uint64_t n) { return n && !(n & (n - 1)); }

/* The exponent of the greatest power of two that is not above n; n > 0. */
static inline unsigned zl_log2(uint64_t n) { return 63 - (unsigned)__builtin_clzll(n); }

/* How many binary digits n has, of 0 none. */
static inline unsigned zl_bit_length(uint64_t n) { return n ? zl_log2(n) + 1 : 0; }

/* The exponent of the least power of two that is not below n; of 0 it is 0. */
static inline unsigned zl_log2_up(uint64_t n) { return n ? zl_bit_length(n - 1) : 0; }

/* A power of two itself; else the first of least, 2 least, ... that is not below n, or not below
 * `most` where that comes first. */
static inline uint64_t zl_next_power(uint64_t n, uint64_t least, uint64_t most)
{
    uint64_t next = least;
    while (next < n && next < most) next *= 2;
    return zl_is_power_of_two(n) ? n : next;
}

/* A set of numbers below 32 has a bit for each; no other number is in it. */
static inline bool zl_is_in(int32_t number, uint32_t set)
{
    return number >= 0 && number < 32 && set >> number & 1;
}

/* ---- divisors ---------------------------------------------------------------- */

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

/* Of numbers of any sign but INT64_MIN. */
static inline int64_t zl_gcd_int(int64_t a, int64_t b)
{
    return (int64_t)zl_gcd(zl_magnitude(a), zl_magnitude(b));
}

/* Of numbers of any sign. */
static inline zl_i128 zl_gcd_128(zl_i128 a, zl_i128 b)
{
    while (b) {
        zl_i128 r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* The inverse of a modulo n, which are coprime, by Euclid's algorithm; n >= 1. */
static inline zl_i128 zl_inverse_modulo(zl_i128 a, zl_i128 n)
{
    zl_i128 r0 = n, r1 = zl_floor_mod_128(a, n), x0 = 0, x1 = 1;
    while (r1) {
        zl_i128 q = r0 / r1, r = r0 - q * r1, x = x0 - q * x1;
        r0 = r1, r1 = r;
        x0 = x1, x1 = x;
    }
    return zl_floor_mod_128(x0, n);
}

#endif
