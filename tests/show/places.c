/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of places: cells say what zlay_places_find answers, and what lies in one memory at one time has bytes and
 * columns of its own, but for sums that are added to where they lie. */
#include "ctx.h"
#include "heap.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlay/show_places.h>

enum { VALUES = 9, OPERATIONS = 5 };

/* Attention, as examples/attention.places.json has it. */
static const zlay_places_value value[VALUES] = {
    {.name = "Q", .rows = 128, .columns = 128, .bits = 16, .from = ZLAY_PLACE_GLOBAL},
    {.name = "K", .rows = 128, .columns = 128, .bits = 16, .depth = 2, .times = 32, .from = ZLAY_PLACE_GLOBAL},
    {.name = "V", .rows = 128, .columns = 128, .bits = 16, .depth = 2, .times = 32, .from = ZLAY_PLACE_GLOBAL},
    {.name = "S", .rows = 128, .columns = 128, .bits = 32, .times = 32},
    {.name = "P", .rows = 128, .columns = 128, .bits = 16, .times = 32},
    {.name = "scale", .rows = 128, .columns = 1, .bits = 32, .times = 32},
    {.name = "O_scaled", .rows = 128, .columns = 128, .bits = 32, .times = 32},
    {.name = "O", .rows = 128, .columns = 128, .bits = 32, .times = 32},
    {.name = "D", .rows = 128, .columns = 128, .bits = 16, .to = ZLAY_PLACE_GLOBAL}};
static const zlay_places_operation operation[OPERATIONS] = {
    {"product", 2, 1, {0, 1}, {3}, 0}, {"map", 1, 2, {3}, {4, 5}, 0}, {"map", 2, 1, {7, 5}, {6}, 0},
    {"product", 3, 1, {4, 2, 6}, {7}, 0}, {"map", 1, 1, {7}, {8}, 0}};

static zlay_places_request program(void)
{
    return (zlay_places_request){.size = sizeof(zlay_places_request), .values = VALUES, .operations = OPERATIONS, .loop_count = 4,
                                 .threads = 256, .value = value, .operation = operation};
}

static void check_cells(const zlay_picture *p, const zlay_places *found)
{
    bool seen[VALUES][ZLAY_PLACE_KINDS] = {{false}};
    zlay_box box;
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, p, 0, i); i++) {
        const zlay_places_home *home = &found->value[box.row];
        uint32_t place = 1u << box.column;
        const char *label = home->home == place ? value[box.row].from ? "begins" : "made" : home->has & place ? "moved" : "may";
        assert_string_equal(box.label, label);
        assert_string_equal(zlay_picture_row(p, 0, box.row), value[box.row].name);
        assert_string_equal(zlay_picture_column(p, 0, box.column), zlay_place_name(place));
        assert_int_equal(box.shade >= 0, (home->has & place) != 0);
        seen[box.row][box.column] = true;
    }
    for (uint32_t v = 0; v < VALUES; v++)
        for (uint32_t i = 0; i < ZLAY_PLACE_KINDS; i++)
            assert_int_equal(seen[v][i], ((found->value[v].may | found->value[v].has) >> i & 1) != 0);
}

/* `A 0..65535`: the range; false: registers. */
static bool range_of(const char *text, int64_t range[2])
{
    return sscanf(strchr(text, ' '), " %" SCNd64 "..%" SCNd64, &range[0], &range[1]) == 2;
}

/* Whether two boxes share a step and a byte or column; O_scaled and O are one buffer. */
static bool collide(const zlay_box *a, const zlay_box *b)
{
    int64_t x[2], y[2];
    bool sums = !strncmp(a->label, "O", 1) && !strncmp(b->label, "O", 1);
    if (sums || a->key == b->key || !range_of(a->tip, x) || !range_of(b->tip, y)) return false;
    return a->column < b->column + b->width && b->column < a->column + a->width && x[0] <= y[1] && y[0] <= x[1];
}

static void check_memory(const zlay_picture *p, uint64_t panel, const zlay_places *found)
{
    zlay_box a, b;
    zlay_panel info;
    int64_t range[2], most = 0;
    assert_int_equal(zlay_picture_panel_nth(&info, p, panel), ZLAY_OK);
    assert_int_equal(info.columns, 2 * OPERATIONS + 1);
    for (uint64_t i = 0; !zlay_picture_box_nth(&a, p, panel, i); i++) {
        assert_string_equal(a.label, value[a.key].name);
        assert_string_equal(a.tip, zlay_picture_row(p, panel, a.row));
        for (uint64_t j = 0; j < i && !zlay_picture_box_nth(&b, p, panel, j); j++) assert_false(collide(&a, &b));
        if (range_of(a.tip, range) && range[1] >= most) most = range[1] + 1;
    }
    if (!strcmp(info.name, "bytes of shared memory")) assert_int_equal(most, found->smem);
    if (!strcmp(info.name, "columns of tensor memory")) assert_true(most <= found->tmem);
}

static void attention_on(zlay_ctx *ctx, const char *name, uint64_t panels)
{
    zlay_places_request r = program();
    zlay_places found;
    zlay_picture *p;
    zlay_panel panel;
    const zlay_target *target = target_of(name);
    assert_int_equal(zlay_places_find(ctx, &found, target, &r), ZLAY_OK);
    assert_int_equal(zlay_show_places(ctx, &p, target, &r), ZLAY_OK);
    check_cells(p, &found);
    uint64_t count = 1;
    for (; !zlay_picture_panel_nth(&panel, p, count); count++) check_memory(p, count, &found);
    assert_int_equal(count, panels);
    zlay_picture_free(p);
}

static void test_attention(void **state)
{
    attention_on(*state, "sm_90a", 3);
    attention_on(*state, "sm_100a", 4);
}

/* On Blackwell S is in tensor memory from where the product writes it (step 1) to where the map reads it (2 and 3). */
static void test_by_hand(void **state)
{
    zlay_places_request r = program();
    zlay_picture *p;
    zlay_box box;
    assert_int_equal(zlay_show_places(*state, &p, target_of("sm_100a"), &r), ZLAY_OK);
    uint32_t boxes = 0;
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, p, 3, i); i++) {
        if (strcmp(box.label, "S")) continue;
        assert_true(box.column == 1 && box.width == 2 && box.step == 1);
        boxes++;
    }
    assert_int_equal(boxes, 1);
    zlay_picture_free(p);
}

static void test_refusals(void **state)
{
    zlay_picture *p = NULL;
    zlay_places_request r = program();
    assert_int_equal(zlay_show_places(*state, &p, NULL, &r), ZLAY_EINVAL);
    assert_int_equal(zlay_show_places(*state, &p, target_of("sm_90a"), NULL), ZLAY_EINVAL);
    r.smem = 1024;
    assert_int_equal(zlay_show_places(*state, &p, target_of("sm_90a"), &r), ZLAY_NONE);
    r.size = 1;
    assert_int_equal(zlay_show_places(*state, &p, target_of("sm_90a"), &r), ZLAY_EINVAL);
    assert_null(p);
}

static zlay_status draws(zlay_ctx *ctx, void *given)
{
    zlay_picture *p = NULL;
    zlay_status status = zlay_show_places(ctx, &p, target_of("sm_90a"), given);
    zlay_picture_free(p);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_places_request r = program();
    assert_int_equal(heap_fails_each(&h, ctx, draws, &r), ZLAY_OK);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_attention), cmocka_unit_test(test_by_hand), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
