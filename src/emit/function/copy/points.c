/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of vectors whose layouts have no common strides, by the number n of the vector, as C: where
 * they are an XOR of masks under the bits of n, bits that move by one distance move together; else a
 * table stands before the function. */
#include "emit/function/copy/copy.h"

static const char *const side_names[] = {"source", "dest"};

static uint64_t all_masks(const zl_tile_c *t, const int64_t mask[ZL_VECTOR_BITS])
{
    uint64_t all = 0;
    for (uint32_t i = 0; (uint64_t)1 << i < zl_vectors_of(t->move, t->part); i++)
        all |= (uint64_t)mask[i];
    return all;
}

/* Whether the bytes of a side are computed; masks of no more than 32 bits. */
static bool computed(const zl_tile_c *t, int side, int64_t *first, int64_t mask[ZL_VECTOR_BITS])
{
    if (!zl_vector_masks(t->move, t->part, side, first, mask)) return false;
    return *first >= 0 && ((uint64_t)*first | all_masks(t, mask)) <= UINT32_MAX;
}

/* NAME_source0: the type of its entries. */
static void table_name(zl_tile_c *t, int side)
{
    zl_put(t->e.out, t->e.name, t->e.name_length);
    zl_putf(t->e.out, "_%s%u", side_names[side], (unsigned)t->index);
}

static bool is_narrow(const zl_tile_c *t, int side)
{
    for (uint64_t n = 0; n < zl_vectors_of(t->move, t->part); n++) {
        int64_t byte = zl_vector_byte(t->move, t->part, side, n);
        if (byte < 0 || byte > UINT32_MAX) return false;
    }
    return true;
}

static void table_put(zl_tile_c *t, int side)
{
    enum { A_LINE = 12 };
    bool narrow = is_narrow(t, side);
    uint64_t count = zl_vectors_of(t->move, t->part);
    zl_putf(t->e.out, "static __device__ __attribute__((unused)) const %s ",
            narrow ? "unsigned" : "long long");
    table_name(t, side);
    zl_putf(t->e.out, "[%llu] = {", (unsigned long long)count);
    for (uint64_t n = 0; n < count; n++)
        zl_putf(t->e.out, "%s%lld%s%s", n % A_LINE ? " " : "\n    ",
                (long long)zl_vector_byte(t->move, t->part, side, n), narrow ? "u" : "ll",
                n + 1 < count ? "," : "");
    zl_puts(t->e.out, "\n};\n");
}

void zl_tile_c_tables(zl_tile_c *t)
{
    int64_t first, mask[ZL_VECTOR_BITS];
    for (t->index = 0; t->index < t->move->info.parts; t->index++) {
        t->part = &t->move->parts[t->index];
        for (int side = 0; side < ZL_TILE_SIDES && zl_tile_listed(t->part); side++)
            if (zl_tile_c_space(t, side) != ZLAY_MOVE_REGISTER && !computed(t, side, &first, mask))
                table_put(t, side);
    }
}

/* The bits of n that move by `distance`. */
static uint64_t moved(const int64_t mask[ZL_VECTOR_BITS], uint32_t bits, int distance)
{
    uint64_t out = 0;
    for (uint32_t i = 0; i < bits; i++) {
        int to = (int)i + distance;
        if (to >= 0 && to < ZL_VECTOR_BITS) out |= ((uint64_t)mask[i] >> to & 1) << i;
    }
    return out;
}

static void masks_put(zl_tile_c *t, const char *number, int64_t first,
                      const int64_t mask[ZL_VECTOR_BITS])
{
    uint32_t bits = (uint32_t)__builtin_ctzll(zl_vectors_of(t->move, t->part));
    zl_putf(t->e.out, "%lluu", (unsigned long long)first);
    for (int d = -ZL_VECTOR_BITS; d < ZL_VECTOR_BITS; d++) {
        uint64_t those = moved(mask, bits, d);
        if (!those) continue;
        zl_putf(t->e.out, " ^ (%s & %lluu)", number, (unsigned long long)those);
        if (d) zl_putf(t->e.out, " %s %d", d < 0 ? ">>" : "<<", d < 0 ? -d : d);
    }
}

void zl_tile_c_look_up(zl_tile_c *t, int side, const char *point, const char *byte)
{
    int64_t first, mask[ZL_VECTOR_BITS];
    int down = __builtin_ctzll(zl_vector_points(t->move, t->part));
    char number[24];
    zl_text text = {number, sizeof number - 1, 0};
    bool masks = computed(t, side, &first, mask), narrow = masks || is_narrow(t, side);
    zl_putf(&text, "i%s", byte);
    number[text.need] = 0;
    if (!masks || all_masks(t, mask)) {
        t->side[side].raw = true;
        zl_tile_c_line(t, down ? "const unsigned %s = %s >> %d;" : "const unsigned %s = %s;", number,
                       point, down);
    }
    zl_put_times(t->e.out, "    ", t->depth);
    zl_putf(t->e.out, "const %s %s = ", narrow ? "unsigned" : "long long", byte);
    if (masks) {
        masks_put(t, number, first, mask);
    } else {
        table_name(t, side);
        zl_putf(t->e.out, "[%s]", number);
    }
    zl_puts(t->e.out, ";\n");
}
