/* SPDX-License-Identifier: Apache-2.0 */
/* Division of a bounded operand as a product and a shift.
 *
 * Let u be in [0, N], d the divisor, 2^s scaled.
 * Round-up, m = ceil(2^s / d), e = m d - 2^s: floor(u m / 2^s) = floor(u / d) for all u exactly
 * when e c < 2^s for the greatest c <= N with c mod d = d - 1, for there the fraction has the least
 * room.  What holds at s holds at s + 1, so the least s is found downwards: m' = ceil(m / 2), and
 * e' = m' d - 2^(s-1) is e / 2 or (e + d) / 2.
 *
 * Round-down, m = floor(2^s / d), e = 2^s - m d: floor((u + 1) m / 2^s) is right exactly when
 * (c + 1) e <= 2^s for the greatest multiple c <= N of d.
 *
 * Where N has b bits and d lies in (2^(l-1), 2^l), round-up is right at s = b + l, and of the two
 * at s = b + l - 1, where m has b bits, one is. */
#include "algebra/radix/radix.h"

/* The most bits that u * m + more has. */
static int product_bits(uint64_t most, uint64_t m, uint64_t more)
{
    zl_u128 product = (zl_u128)most * m + more;
    return product >> 64 ? 128 : product >> 32 ? 64 : 32;
}

typedef struct scaled {
    uint64_t m, e;
    int s;
} scaled;

/* Right at s already; down to the least s that is. */
static void round_up(scaled *w, uint64_t d, uint64_t c)
{
    while (w->s > 0) {
        zl_u128 e = w->m & 1 ? ((zl_u128)w->e + d) / 2 : w->e / 2;
        if ((e * c) >> (w->s - 1)) return;
        *w = (scaled){w->m / 2 + (w->m & 1), (uint64_t)e, w->s - 1};
    }
}

static bool try_up(zlay_divisor *out, uint64_t most, int s)
{
    uint64_t d = out->divisor, c = most - (most - (d - 1)) % d;
    zl_u128 two = (zl_u128)1 << s, m = two / d + 1;
    scaled w = {(uint64_t)m, (uint64_t)(m * d - two), s};
    if (m >> 64 || ((zl_u128)w.e * c) >> s) return false;
    round_up(&w, d, c);
    out->way = ZLAY_DIVISOR_MULTIPLY;
    out->multiplier = w.m;
    out->shift = w.s;
    out->product = product_bits(most, w.m, 0);
    return true;
}

static bool try_down(zlay_divisor *out, uint64_t most, int s)
{
    uint64_t d = out->divisor, c = most - most % d;
    zl_u128 two = (zl_u128)1 << s, m = two / d, e = two - m * d;
    if (m >> 64 || ((zl_u128)c + 1) * e > two) return false;
    out->way = ZLAY_DIVISOR_ADD;
    out->multiplier = (uint64_t)m;
    out->shift = s;
    out->product = product_bits(most, out->multiplier, out->multiplier);
    return true;
}

/* Round-up where its product has no more bits than the other's. */
static zlay_status multiply(zlay_divisor *out, uint64_t most)
{
    int b = (int)zl_bit_length(most), l = (int)zl_bit_length(out->divisor);
    zlay_divisor down = *out;
    bool up = (b + l < 128 && try_up(out, most, b + l)) || try_up(out, most, b + l - 1);
    if (up && out->product < 128) return ZLAY_OK;
    if (try_down(&down, most, b + l - 1) && (!up || down.product < out->product)) {
        *out = down;
        return ZLAY_OK;
    }
    return up ? ZLAY_OK : ZLAY_EINTERNAL;
}

zlay_status zlay_divisor_make(zlay_divisor *out, uint64_t divisor, int64_t least,
                              uint64_t greatest)
{
    bool minus = least < 0;
    if (!out || !divisor || (minus ? greatest > INT64_MAX : greatest < (uint64_t)least))
        return ZLAY_EINVAL;
    uint64_t most = minus && (uint64_t)~least > greatest ? (uint64_t)~least : greatest;
    zlay_divisor d = {.divisor = divisor, .least = least, .greatest = greatest, .product = 32};
    d.bits = most > (minus ? (uint64_t)INT32_MAX : UINT32_MAX) ? 64 : 32;
    zlay_status status = ZLAY_OK;
    if (divisor > most) {
        d.way = ZLAY_DIVISOR_ZERO;
    } else if (zl_is_power_of_two(divisor)) {
        d.way = ZLAY_DIVISOR_SHIFT;
        d.shift = (int)zl_bit_length(divisor) - 1;
    } else {
        status = multiply(&d, most);
    }
    if (!status) *out = d;
    return status;
}

uint64_t zlay_divisor_quotient(const zlay_divisor *divisor, uint64_t operand)
{
    uint64_t sign = divisor->least < 0 ? 0 - (operand >> 63) : 0;
    return zl_quotient(divisor, operand ^ sign) ^ sign;
}
