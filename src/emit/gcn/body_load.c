/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a body does to arrays in global memory. Loads: all of a node's values are issued, and then waited for together; from the
 * limit on, lanes take no part and have the 0 that was written before. Stores of rows: of the lanes that share a row one takes part,
 * where its index is below the limit. Addresses have 64 bits. */
#include "emit/gcn/body.h"

enum { ELEMENTS = 4, WORD_BITS = 32, BYTE_BITS = 8 };

/* The scalar registers with the address of an array. */
static uint32_t array_at(const zl_gb *g, int32_t operand)
{
    uint32_t at = ZL_S_ARRAYS + 2 * g->arrays;
    for (int32_t i = 0; i < operand; i++)
        if (zl_body_array(&g->body->operands[i])) at += 2;
    return at;
}

void zl_gb_address(zl_gb *g, const zl_body_node *n, const char *index)
{
    char bytes[ZL_GB_TEXT], array[ZL_GB_TEXT];
    zl_gb_says(g, "v_mad_u64_u32 v[2:3], vcc, %0, %1, %2", index,
               zl_gb_number(bytes, zlay_type_bits(n->type) / BYTE_BITS),
               zl_gb_pair(array, array_at(g, n->operand)));
}

/* Element e of an operand of the load; of no matrix value e of it. */
static const char *element(zl_gb *g, char room[ZL_GB_TEXT], int32_t arg, const zl_body_node *n,
                           uint32_t e)
{
    zl_body_node one = {.type = ZLAY_TYPE_S32, .shape = n->shape};
    return zl_gb_operand(g, room, arg, &one, e, 0);
}

static void masked_begin(zl_gb *g, const zl_body_node *n, const char *to, const char *index,
                         uint32_t e)
{
    char limit[ZL_GB_TEXT], exec[ZL_GB_TEXT];
    zl_gb_says(g, "v_mov_b32 %0, 0; v_cmp_lt_i32 vcc, %1, %2; s_and_saveexec_b64 %3, vcc", to, index,
               element(g, limit, n->arg[1], n, e), zl_gb_pair(exec, ZL_S_EXEC));
}

static void masked_end(zl_gb *g)
{
    char exec[ZL_GB_TEXT];
    zl_gb_says(g, "s_mov_b64 exec, %0", zl_gb_pair(exec, ZL_S_EXEC));
}

static void load_element(zl_gb *g, const zl_body_node *n, uint32_t to, uint32_t e)
{
    char index[ZL_GB_TEXT], name[ZL_GB_TEXT];
    uint32_t bits = zlay_type_bits(n->type);
    element(g, index, n->arg[0], n, e);
    zl_gb_vector(name, to);
    if (n->arg[1] >= 0) masked_begin(g, n, name, index, e);
    zl_gb_address(g, n, index);
    zl_wave_form(g->t, bits == WORD_BITS ? ZL_WAVE_GLOBAL_4 : ZL_WAVE_GLOBAL_2,
                 (const uint32_t[]){to, ZL_GB_ADDRESS, 0});
    if (n->arg[1] >= 0) masked_end(g);
}

/* Joins halves that were loaded into scratch registers: two elements, or one twice. */
static void join(zl_gb *g, int32_t node, uint32_t count)
{
    char to[ZL_GB_TEXT], low[ZL_GB_TEXT], high[ZL_GB_TEXT];
    uint32_t pack = zl_room_pack(&g->body->nodes[node]);
    for (uint32_t i = 0; i < count; i++) {
        zl_gb_vector(low, ZL_GB_TEMP + i * pack);
        zl_gb_vector(high, ZL_GB_TEMP + i * pack + pack - 1);
        zl_gb_says(g, "v_lshl_or_b32 %0, %1, 16, %2", zl_gb_name(g, to, node, i), high, low);
    }
}

static void wait(zl_gb *g)
{
    zl_wave_form(g->t, ZL_WAVE_WAIT_GLOBAL, (const uint32_t[]){0});
}

static void load_halves(zl_gb *g, int32_t node, const zl_body_node *n)
{
    uint32_t count = zl_room_count(n, g->elements), pack = zl_room_pack(n);
    for (uint32_t from = 0; from < count; from += ELEMENTS / pack) {
        uint32_t some = count - from < ELEMENTS / pack ? count - from : ELEMENTS / pack;
        for (uint32_t e = 0; e < some * pack; e++)
            load_element(g, n, ZL_GB_TEMP + e, from * pack + e);
        wait(g);
        g->room->first[node] += from;
        join(g, node, some);
        g->room->first[node] -= from;
    }
}

void zl_gb_load(zl_gb *g, int32_t node)
{
    const zl_body_node *n = &g->body->nodes[node];
    if (zlay_type_bits(n->type) != WORD_BITS) {
        load_halves(g, node, n);
        return;
    }
    for (uint32_t i = 0; i < zl_room_count(n, g->elements); i++)
        load_element(g, n, zl_gb_register(g, node, i), i);
    wait(g);
}

/* ---- stores of rows -------------------------------------------------------------------------------- */

/* The bits of the thread's number that move no row. */
static uint32_t bits_beside(const zl_gb *g)
{
    uint32_t bits = 0;
    for (uint32_t b = 0; 1u << b < g->elements->threads; b++)
        if (!g->elements->row.bit[b]) bits |= 1u << b;
    return bits;
}

/* Threads of which all these bits are 0, and whose index is below the limit. */
static void stores_begin(zl_gb *g, const char *index, const char *limit)
{
    char bits[ZL_GB_TEXT], exec[ZL_GB_TEXT];
    zl_gb_says(g, "v_and_b32 %t, %0, v0; v_cmp_eq_u32 vcc, 0, %t; s_and_saveexec_b64 %1, vcc; v_cmp_lt_i32 vcc, %2, %3; s_and_b64 exec, exec, vcc",
               zl_gb_number(bits, bits_beside(g)), zl_gb_pair(exec, ZL_S_EXEC), index, limit);
}

void zl_gb_row_store(zl_gb *g, int32_t node)
{
    char index[ZL_GB_TEXT], limit[ZL_GB_TEXT];
    const zl_body_node *n = &g->body->nodes[node];
    if (g->bound) {
        zl_gb_refuse(g, "a store", n->type);
        return;
    }
    for (uint32_t i = 0; i < g->elements->row.count; i++) {
        uint32_t value = zl_gb_register(g, n->arg[2], g->body->nodes[n->arg[2]].shape ? i : 0);
        element(g, index, n->arg[0], n, i);
        stores_begin(g, index, element(g, limit, n->arg[1], n, i));
        zl_gb_address(g, n, index);
        zl_wave_form(g->t, ZL_WAVE_GLOBAL_STORE, (const uint32_t[]){ZL_GB_ADDRESS, value, 0});
        masked_end(g);
    }
}
