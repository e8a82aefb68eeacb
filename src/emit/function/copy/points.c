/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes of vectors whose layouts have no common strides, by the number of the vector, as C. Where they
 * are an XOR of masks under the bits of the number, a function beside the copy computes them, as that
 * of a layout that is linear over F2 (bits.c); else they stand in a table. */
#include "emit/function/copy/copy.h"
#include "emit/function/layout.h"
#include "emit/function/print.h"

static const char *const side_names[] = {"source", "dest"};

/* ---- masks ----------------------------------------------------------------------------------- */

/* The byte of a vector as an expression of its number; false: it is none. */
static bool computed(zl_tile_c *t, int side, zl_vertex *root)
{
    int64_t first, mask[ZL_VECTOR_BITS];
    uint64_t basis[ZL_VECTOR_BITS] = {0}, count = zl_vectors_of(t->move, t->part);
    zl_graph *g = &t->graph;
    if (!zl_vector_masks(t->move, t->part, side, &first, mask) || first < 0) return false;
    unsigned bits = (unsigned)__builtin_ctzll(count);
    for (unsigned k = 0; k < bits; k++) {
        if (mask[k] < 0) return false;
        basis[k] = (uint64_t)mask[k];
    }
    g->count = 1; /* no node of another side */
    zl_vertex value = zl_bits_cover(g, zl_graph_argument(g, 0, count), basis, bits);
    *root = zl_graph_xor(g, value, zl_graph_number(g, first));
    return true;
}

static void function_put(zl_tile_c *t, int side, zl_vertex root)
{
    char behind[24];
    zl_text text = {behind, sizeof behind - 1, 0};
    uint64_t count = zl_vectors_of(t->move, t->part);
    zl_putf(&text, "_%s%u", side_names[side], (unsigned)t->index);
    behind[text.need] = 0;
    zl_formula f = zl_formula_of(&t->graph, root, 1, &count);
    zl_function_name name = {t->e.name, t->e.name_length, behind};
    zl_formula_print_c(t->e.out, &f, &name);
}

/* ---- tables ---------------------------------------------------------------------------------- */

static void name_put(zl_tile_c *t, int side)
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
    name_put(t, side);
    zl_putf(t->e.out, "[%llu] = {", (unsigned long long)count);
    for (uint64_t n = 0; n < count; n++)
        zl_putf(t->e.out, "%s%lld%s%s", n % A_LINE ? " " : "\n    ",
                (long long)zl_vector_byte(t->move, t->part, side, n), narrow ? "u" : "ll",
                n + 1 < count ? "," : "");
    zl_puts(t->e.out, "\n};\n");
}

static void points_put(zl_tile_c *t, int side)
{
    zl_vertex root;
    if (zl_tile_c_space(t, side) == ZLAY_MOVE_REGISTER) return;
    if (computed(t, side, &root)) function_put(t, side, root);
    else table_put(t, side);
}

void zl_tile_c_points(zl_tile_c *t)
{
    for (t->index = 0; t->index < t->move->info.parts; t->index++) {
        t->part = &t->move->parts[t->index];
        for (int side = 0; side < ZL_TILE_SIDES && zl_tile_listed(t->part); side++)
            points_put(t, side);
    }
}

/* Expressions are made once before, so that one that is too long is told. */
zlay_status zl_tile_c_points_check(zlay_ctx *ctx, zl_tile_c *t)
{
    zl_text nowhere = {NULL, 0, 0};
    bool any = false;
    for (uint32_t i = 0; i < t->move->info.parts; i++)
        any = any || zl_tile_listed(&t->move->parts[i]);
    zlay_status status = any ? zl_graph_begin(&t->graph, ctx) : ZLAY_OK;
    if (status || !any) return status;
    t->e.out = &nowhere;
    zl_tile_c_points(t);
    return t->graph.status;
}

void zl_tile_c_look_up(zl_tile_c *t, int side, const char *point, const char *byte)
{
    int down = __builtin_ctzll(zl_vector_points(t->move, t->part));
    zl_vertex root;
    bool masks = computed(t, side, &root), narrow = is_narrow(t, side);
    t->side[side].raw = true;
    zl_put_times(t->e.out, "    ", t->depth);
    zl_putf(t->e.out, "const %s %s = ", narrow ? "unsigned" : "long long", byte);
    name_put(t, side);
    zl_putf(t->e.out, masks ? "(%s" : "[%s", point);
    if (down) zl_putf(t->e.out, " >> %d", down);
    zl_puts(t->e.out, masks ? ");\n" : "];\n");
}
