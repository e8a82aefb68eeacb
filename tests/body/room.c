/* SPDX-License-Identifier: Apache-2.0 */
/* Where values of a body have their registers (src/body/room.h), against the definition: two values that are there at once
 * have no register together. Which are, is found here by following the passes node by node, for bodies by hand and for drawn
 * ones; and which elements the sums of an MFMA are in a block of waves, element by element. */
#include "body/room.h"
#include "ctx.h"
#include "group_ctx.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 2, COLUMNS = 8, TEXT = 8192 };

static zlay_body *parsed(const char *text)
{
    zlay_body *body = NULL;
    if (zlay_body_parse(ctx, &body, text, strlen(text))) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    return body;
}

/* 16 values of a thread: 2 rows of 8 columns. */
static void elements_of(zl_elements *e)
{
    memset(e, 0, sizeof *e);
    e->values = ROWS * COLUMNS, e->threads = 64;
    e->row.extent = e->row.count = ROWS, e->column.extent = e->column.count = COLUMNS;
    for (uint32_t v = 0; v < e->values; v++) e->row.of[v] = (uint16_t)(v / COLUMNS), e->column.of[v] = (uint16_t)(v % COLUMNS);
}

static bool reduces(const zl_body_node *n) { return zl_body_forms[n->op].kind == ZL_BODY_REDUCE; }

/* Whether `reader` reads `node` in a pass that computes both. */
static bool reads(const zlay_body *body, const zl_room *room, uint32_t reader, uint32_t node)
{
    for (int a = 0; a < ZL_BODY_ARGS; a++)
        if (body->nodes[reader].arg[a] == (int32_t)node) return room->passes[reader] & room->passes[node];
    return false;
}

/* The last node in whose place `node` is still there; what columns share or is kept is always there. */
static uint32_t there_until(const zlay_body *body, const zl_room *room, uint32_t node, int32_t output)
{
    uint32_t last = node;
    if (room->kept[node] || body->nodes[node].shape != ZL_ON_BOTH || (int32_t)node == output) return body->nodes_count;
    for (uint32_t i = node + 1; i < body->nodes_count; i++)
        if (reads(body, room, i, node)) last = i;
    return last;
}

static bool is_there(const zl_room *room, uint32_t node) { return room->passes[node] || room->kept[node]; }

static void apart(const zlay_body *body, const zl_room *room, const zl_elements *e, uint32_t a, uint32_t b)
{
    uint32_t a_count = zl_room_count(&body->nodes[a], e), b_count = zl_room_count(&body->nodes[b], e);
    bool masks = body->nodes[a].type == ZL_BODY_BOOL;
    assert_true(room->first[a] + a_count <= (masks ? room->masks : room->registers));
    if (masks != (body->nodes[b].type == ZL_BODY_BOOL)) return;
    if (room->first[a] < room->first[b] + b_count && room->first[b] < room->first[a] + a_count)
        fail_msg("nodes %u and %u have register %u together", a, b, room->first[b]);
}

/* Every value that is needed has registers of its own as long as it is there; what it reads is there, too. */
static void right(const char *text, uint32_t *registers)
{
    zl_elements e;
    static zl_room room;
    zlay_body *body = parsed(text);
    int32_t output = zl_body_last(body, 0);
    elements_of(&e);
    assert_int_equal(zl_room_make(ctx, &room, body, &e, &(zl_room_outputs){1, {output}, {-1}}), ZLAY_OK);
    assert_true(is_there(&room, (uint32_t)output));
    for (uint32_t i = 0; i < body->nodes_count; i++)
        for (uint32_t j = i + 1; is_there(&room, i) && j < body->nodes_count; j++) {
            bool always = there_until(body, &room, j, output) == body->nodes_count && body->nodes[j].shape != ZL_ON_BOTH;
            if (is_there(&room, j) && (always || there_until(body, &room, i, output) >= j)) apart(body, &room, &e, i, j);
        }
    for (uint32_t i = 0; i < body->nodes_count; i++)
        for (int a = 0; is_there(&room, i) && a < ZL_BODY_ARGS && body->nodes[i].arg[a] >= 0; a++) {
            uint32_t arg = (uint32_t)body->nodes[i].arg[a];
            bool moves = zl_room_moves(&body->nodes[arg]);
            assert_true(moves ? !(room.passes[i] & ~room.passes[arg]) : room.kept[arg]);
            assert_true(room.level[arg] + reduces(&body->nodes[i]) <= room.level[i]);
        }
    *registers = room.registers;
    zlay_body_free(body);
}

static void by_hand(void **state)
{
    uint32_t registers;
    (void)state;
    /* S, 1, S + 1: four for each of S and the sum, one for the number. */
    right("body f\nmatrix S f32\nS = S + 1\nend\n", &registers);
    assert_true(registers == 9 || registers == 10); /* several begin at an even number */
    /* A chain needs two values at once, however long it is. */
    right("body f\nmatrix S f32\na = S * S\nb = a * a\nc = b * b\nd = c * c\nS = d * d\nend\n", &registers);
    assert_int_equal(registers, 8);
    right("body f\nmatrix S f32\nm = rowmax(S)\ne = exp2(S - m)\nl = rowsum(e)\nS = e * rcp(l)\nend\n", &registers);
    right("body f\nmatrix S f32\nS = select(and(S > 1, S < 4), S, 0)\nend\n", &registers);
    right("body f\nmatrix S f32\nglobal b f32\nglobal r f16\nS = S + load(b, col) * f32(load(r, row * 8 + col))\nend\n", &registers);
}

/* Lines that read earlier ones at random, with rows and columns among them. */
static void drawn(void **state)
{
    uint64_t random = test_seed("body rooms");
    (void)state;
    for (int run = 0; run < 200; run++) {
        char text[TEXT] = "body f\nmatrix S f32\nglobal b f32\nx0 = S + load(b, col)\nx1 = S * f32(row)\n";
        uint32_t lines = 2 + (uint32_t)test_range(&random, 1, 30), registers;
        for (uint32_t i = 2; i < lines; i++) {
            int a = (int)test_range(&random, 0, i - 1), b = (int)test_range(&random, 0, i - 1);
            static const char *const forms[] = {"x%u = x%d + x%d\n", "x%u = max(x%d, x%d)\n", "x%u = x%d - rowmax(x%d)\n",
                                                "x%u = x%d * rowsum(x%d)\n", "x%u = select(x%d < x%d, 1, 2) + S\n"};
            int form = (int)test_range(&random, 0, i < 12 ? 4 : 1);
            snprintf(text + strlen(text), 80, forms[form], i, a, b);
        }
        snprintf(text + strlen(text), 80, "S = S + x%u\nend\n", lines - 1);
        right(text, &registers);
    }
}

static void too_many_passes(void **state)
{
    char text[TEXT] = "body f\nmatrix S f32\nx0 = S\n";
    static zl_room room;
    zl_elements e;
    (void)state;
    for (int i = 1; i <= ZL_ROOM_PASSES; i++) snprintf(text + strlen(text), 64, "x%d = x%d - rowmax(x%d)\n", i, i - 1, i - 1);
    snprintf(text + strlen(text), 64, "S = x%d\nend\n", ZL_ROOM_PASSES);
    zlay_body *body = parsed(text);
    elements_of(&e);
    assert_int_equal(zl_room_make(ctx, &room, body, &e, &(zl_room_outputs){1, {zl_body_last(body, 0)}, {-1}}), ZLAY_ELIMIT);
    zlay_body_free(body);
}

/* 32 x 32 in 64 lanes, twice below and three times beside itself, by four waves: where the manuals draw each sum. */
static void sums_of_waves(void **state)
{
    static zl_elements e;
    zlay_layout *layout = NULL;
    const char text[] = "((32,2),(4,4)):((32,4),(1,8))"; /* lane, value -> row + 32 column */
    (void)state;
    assert_int_equal(zlay_layout_parse(ctx, &layout, text, strlen(text)), ZLAY_OK);
    assert_int_equal(zl_elements_read(ctx, &e, layout, 32, 32), ZLAY_OK);
    zlay_layout_free(layout);
    zl_elements_transpose(&e);
    assert_int_equal(zl_elements_tile(ctx, &e, 2, 3), ZLAY_OK);
    assert_int_equal(zl_elements_spread(ctx, &e, 2, 2), ZLAY_OK);
    assert_int_equal(e.values, 6 * 16);
    assert_int_equal(e.threads, 256);
    assert_int_equal(e.row.extent, 128);
    assert_int_equal(e.column.extent, 192);
    for (uint32_t thread = 0; thread < 256; thread += 7)
        for (uint32_t v = 0; v < e.values; v++) {
            uint32_t lane = thread % 64, wave = thread / 64, block = v / 16, i = v % 16, row = 0, column = 0;
            for (uint32_t b = 0; b < 8; b++)
                if (thread >> b & 1) row += e.row.bit[b], column += e.column.bit[b];
            row += e.row.offset[e.row.of[v]], column += e.column.offset[e.column.of[v]];
            assert_int_equal(row, wave / 2 * 64 + block / 3 * 32 + lane % 32);
            assert_int_equal(column, wave % 2 * 96 + block % 3 * 32 + 8 * (i / 4) + 4 * (lane / 32) + i % 4);
        }
    assert_int_equal(zl_elements_tile(ctx, &e, 8, 8), ZLAY_ENOTSUP);
    assert_int_equal(zl_elements_spread(ctx, &e, 4, 2), ZLAY_ENOTSUP);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(drawn), cmocka_unit_test(too_many_passes),
                                       cmocka_unit_test(sums_of_waves)};
    return cmocka_run_group_tests_name("body-room", tests, open_ctx, close_ctx);
}
