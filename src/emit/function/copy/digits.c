/* SPDX-License-Identifier: Apache-2.0 */
/* Digits d0, d1, .. of the number of a thread, of an access or of a value, as C: shifts and masks
 * where extents are powers of two, and no remainder where the number is known to be below it. */
#include "emit/function/copy/copy.h"

static bool is_power(uint64_t n) { return (n & (n - 1)) == 0; }

/* A digit is there where an offset or a coordinate that is compared has it. */
static bool digit_is_used(const zl_tile_c *t, const zlay_move_digit *d)
{
    if (d->extent < 2) return false;
    if (t->coordinates >> d->mode & 1) return true;
    return zl_tile_c_steps(t, 0, d) || zl_tile_c_steps(t, 1, d);
}

/* of / below % extent; the remainder where the number may be greater. */
static void digit_put(zl_tile_c *t, uint32_t i, const char *of, uint64_t below, bool open)
{
    zl_text *out = t->e.out;
    uint64_t extent = t->part->digit[i].extent;
    zl_put_times(out, "    ", t->depth);
    zl_putf(out, "const unsigned d%u = ", (unsigned)i);
    bool both = open && below > 1 && is_power(below);
    zl_putf(out, "%s%s", both ? "(" : "", of);
    if (below > 1 && is_power(below)) zl_putf(out, " >> %d", __builtin_ctzll(below));
    else if (below > 1) zl_putf(out, " / %lluu", (unsigned long long)below);
    zl_puts(out, both ? ")" : "");
    if (open && is_power(extent)) zl_putf(out, " & %lluu", (unsigned long long)extent - 1);
    else if (open) zl_putf(out, " %% %lluu", (unsigned long long)extent);
    zl_puts(out, ";\n");
}

void zl_tile_c_digits(zl_tile_c *t, int32_t level, const char *of, uint64_t limit)
{
    uint64_t below = 1;
    for (uint32_t i = 0; i < t->part->part.digits; i++) {
        const zlay_move_digit *d = &t->part->digit[i];
        if (d->level != level) continue;
        bool open = !limit || (limit + below - 1) / below > d->extent;
        if (digit_is_used(t, d)) digit_put(t, i, of, below, open);
        below *= d->extent;
    }
}
