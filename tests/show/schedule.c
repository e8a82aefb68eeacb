/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of schedules: on random loops the boxes in each cycle of an interval are as many as a count by the definition
 * has in flight, no two boxes share a cell, and each iteration has each operation once, at its start. */
#include "ctx.h"
#include "heap.h"
#include "random.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <zlay/show_schedule.h>

enum { OPS = 5, UNITS = 3, TRIALS = 300, CYCLES = 4096, COPIES = 2 };

static const zlay_schedule_op ops[] = {{"load", 0, 0, 4, 10}, {"multiply", 1, 0, 6, 8}, {"add", 2, 0, 3, 3}};
static const zlay_schedule_edge edges[] = {{0, 1, 0, 0, 1, 0}, {1, 2, 0, 0, 1, 0}, {2, 2, 1, 0, 1, 0}};
static const zlay_schedule_unit units[] = {{"copy", 1}, {"tensor", 1}, {"alu", 1}};
static const uint32_t product[] = {1};
static const zlay_schedule_value tile[] = {{0, 0, product, 1, 1024}};
static const zlay_schedule_space smem[] = {{"smem", 4096}};

static zlay_schedule_request example(void)
{
    return (zlay_schedule_request){.size = sizeof(zlay_schedule_request), .op = ops, .ops = 3, .edge = edges, .edges = 3, .unit = units, .units = 3,
                                   .value = tile, .values = 1, .space = smem, .spaces = 1};
}

static zlay_picture *show(zlay_ctx *ctx, const zlay_schedule_request *loop, const zlay_show_schedule_request *request)
{
    zlay_picture *picture;
    if (zlay_show_schedule(ctx, &picture, loop, request)) fail_msg("%s", zlay_ctx_message(ctx));
    return picture;
}

/* The example of the header. */
static void test_example(void **state)
{
    static const zlay_box wanted[] = {{0, 0, 4, 0, 0, 0, 0, 0, "load", "cycles 0..3, stage 0: load"},
                                      {0, 1, 4, 1, 0, 0, 1, 0, "multiply", "cycles 10..15, stage 1: multiply"},
                                      {4, 1, 2, 1, 0, 0, 1, 4, "multiply", "cycles 10..15, stage 1: multiply"},
                                      {0, 2, 3, 3, 0, 0, 2, 0, "add", "cycles 18..20, stage 3: add"}};
    zlay_schedule_request loop = example();
    zlay_picture *picture = show(*state, &loop, NULL);
    zlay_box box;
    zlay_panel panel;
    for (uint64_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        assert_int_equal(zlay_picture_box_nth(&box, picture, 0, i), ZLAY_OK);
        assert_true(box.column == wanted[i].column && box.row == wanted[i].row && box.width == wanted[i].width);
        assert_true(box.shade == wanted[i].shade && box.key == wanted[i].key && box.step == wanted[i].step);
        assert_string_equal(box.label, wanted[i].label);
        assert_string_equal(box.tip, wanted[i].tip);
    }
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 1), ZLAY_OK);
    assert_string_equal(panel.name, "the first 5 iterations");
    assert_int_equal(panel.columns, 45); /* 4 * 6 + 18 + 3 cycles */
    assert_int_equal(panel.boxes, 5 * 3 + 3);
    assert_string_equal(zlay_picture_row(picture, 1, 1), "copy");
    assert_string_equal(zlay_picture_note_nth(picture, 0), "an iteration every 6 cycles, at least 6; 4 stages, at least 4");
    assert_string_equal(zlay_picture_note_nth(picture, 1), "load: 3 x 1024 bytes of smem");
    assert_null(zlay_picture_note_nth(picture, 2));
    zlay_picture_free(picture);
}

/* ---- random loops --------------------------------------------------------------------------- */

typedef struct random_loop {
    zlay_schedule_op op[OPS];
    zlay_schedule_edge edge[OPS];
    zlay_schedule_unit unit[UNITS];
    zlay_schedule_request r;
} random_loop;

static void make(random_loop *l, uint64_t *seed)
{
    static const char *const names[] = {"a", "b", "c", "d", "e"}, *const unit[] = {"x", "y", "z"};
    *l = (random_loop){.r = example()};
    l->r.copies = 1 + (uint32_t)(test_random(seed) % COPIES);
    for (uint32_t i = 0; i < UNITS; i++) l->unit[i] = (zlay_schedule_unit){unit[i], 1 + test_random(seed) % 3};
    for (uint32_t i = 0; i < OPS; i++)
        l->op[i] = (zlay_schedule_op){names[i], (uint32_t)(test_random(seed) % UNITS), 0, test_random(seed) % 9 + !i,
                                      (int64_t)(test_random(seed) % 12)};
    for (uint32_t i = 1; i < OPS; i++)
        l->edge[i - 1] = (zlay_schedule_edge){(uint32_t)(test_random(seed) % i), i, test_random(seed) % 2, 0, 1, 0};
    l->r.op = l->op;
    l->r.ops = OPS;
    l->r.edge = l->edge;
    l->r.edges = OPS - 1;
    l->r.unit = l->unit;
    l->r.values = l->r.spaces = 0;
}

/* Which unit each row is of: a row without a name is of the one above. */
static uint32_t unit_of(const zlay_picture *p, uint64_t panel, uint32_t row)
{
    while (!*zlay_picture_row(p, panel, row)) row--;
    return (uint32_t)(*zlay_picture_row(p, panel, row) - 'x');
}

/* Marks the cells of each box; counts them by unit and column. */
static void count(uint32_t at[UNITS][CYCLES], const zlay_picture *p, uint64_t panel)
{
    static bool taken[CYCLES];
    zlay_panel info;
    zlay_box box;
    memset(at, 0, UNITS * sizeof *at);
    assert_int_equal(zlay_picture_panel_nth(&info, p, panel), ZLAY_OK);
    assert_true(info.columns * info.rows <= CYCLES);
    memset(taken, 0, sizeof taken);
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, p, panel, i); i++)
        for (uint32_t c = box.column; c < box.column + box.width; c++) {
            assert_true(c < info.columns && !taken[c + box.row * info.columns]);
            taken[c + box.row * info.columns] = true;
            if (panel == 0 || box.row) at[unit_of(p, panel, box.row)][c]++;
        }
}

/* Operations of all copies and iterations -64 .. 64 in flight at a cycle, or of iterations 0 to before `most`. */
static uint32_t in_flight(const random_loop *l, const zlay_schedule *s, int64_t ii, uint32_t unit, int64_t at, int64_t least, int64_t most)
{
    uint32_t found = 0;
    int64_t start;
    for (uint32_t copy = 0; copy < l->r.copies; copy++)
        for (uint32_t i = 0; i < OPS; i++)
            for (int64_t k = least; k < most && l->op[i].unit == unit; k++) {
                zlay_schedule_start_nth(&start, s, copy, i);
                start += k * ii;
                found += start <= at && at < start + (int64_t)l->op[i].cycles;
            }
    return found;
}

static void test_random_loops(void **state)
{
    static uint32_t at[UNITS][CYCLES];
    uint64_t seed = 21, columns = 0;
    for (int trial = 0; trial < TRIALS; trial++) {
        random_loop l;
        zlay_schedule *s;
        zlay_schedule_summary info;
        zlay_panel panel;
        make(&l, &seed);
        const zlay_show_schedule_request request = {.size = sizeof request, .columns = 200, .iterations = 3};
        assert_int_equal(zlay_schedule_synth(*state, &s, NULL, &l.r), ZLAY_OK);
        assert_int_equal(zlay_schedule_info(&info, s), ZLAY_OK);
        zlay_picture *p = show(*state, &l.r, &request);
        int64_t ii = (int64_t)info.ii;
        count(at, p, 0);
        for (uint32_t u = 0; u < UNITS; u++)
            for (int64_t c = 0; c < ii; c++) assert_int_equal(at[u][c], in_flight(&l, s, ii, u, c, -64, 64));
        count(at, p, 1);
        assert_int_equal(zlay_picture_panel_nth(&panel, p, 1), ZLAY_OK);
        assert_true(panel.columns < 200);
        for (uint32_t u = 0; u < UNITS; u++)
            for (int64_t c = 0; c < panel.columns; c++) assert_int_equal(at[u][c], in_flight(&l, s, ii, u, c, 0, 3));
        columns += panel.columns;
        zlay_picture_free(p);
        zlay_schedule_free(s);
    }
    print_message("%" PRIu64 " cycles of %d loops\n", columns, TRIALS);
}

/* Scaled to few columns no box leaves the panel or shares a cell, and tips have the exact cycles. */
static void test_scaled(void **state)
{
    static uint32_t at[UNITS][CYCLES];
    uint64_t seed = 5;
    for (int trial = 0; trial < TRIALS; trial++) {
        random_loop l;
        zlay_box box;
        make(&l, &seed);
        const zlay_show_schedule_request request = {.size = sizeof request, .columns = 1 + (uint32_t)(trial % 5), .iterations = 2};
        zlay_picture *p = show(*state, &l.r, &request);
        count(at, p, 0);
        count(at, p, 1);
        uint32_t boxes = 0, some = 0;
        for (uint64_t i = 0; !zlay_picture_box_nth(&box, p, 1, i); i++) boxes += *box.tip != 0;
        for (uint32_t i = 0; i < OPS; i++) some += l.op[i].cycles != 0;
        assert_int_equal(boxes, 2 * l.r.copies * some);
        zlay_picture_free(p);
    }
}

/* ---- what is refused -------------------------------------------------------------------------- */

static void test_refusals(void **state)
{
    zlay_ctx *ctx = *state;
    zlay_picture *p = NULL;
    zlay_schedule_request loop = example();
    zlay_show_schedule_request request = {.size = sizeof request, .columns = 4097};
    assert_int_equal(zlay_show_schedule(ctx, &p, &loop, &request), ZLAY_EINVAL);
    request = (zlay_show_schedule_request){.size = sizeof request, .iterations = 257};
    assert_int_equal(zlay_show_schedule(ctx, &p, &loop, &request), ZLAY_EINVAL);
    request = (zlay_show_schedule_request){.size = sizeof request, .reserved32 = 1};
    assert_int_equal(zlay_show_schedule(ctx, &p, &loop, &request), ZLAY_EINVAL);
    assert_int_equal(zlay_show_schedule(ctx, &p, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_show_schedule(NULL, &p, &loop, NULL), ZLAY_EINVAL);
    loop.ops = loop.edges = loop.values = 0;
    assert_int_equal(zlay_show_schedule(ctx, &p, &loop, NULL), ZLAY_EINVAL);
    assert_non_null(strstr(zlay_ctx_message(ctx), "none takes a unit"));
    const zlay_schedule_unit none[] = {{"copy", 1}, {"tensor", 0}, {"alu", 1}};
    loop = example();
    loop.unit = none;
    assert_int_equal(zlay_show_schedule(ctx, &p, &loop, NULL), ZLAY_NONE);
    const zlay_schedule_op huge[] = {{"load", 0, 0, (uint64_t)1 << 53, 1}};
    const zlay_show_schedule_request many = {.size = sizeof many, .iterations = 256};
    loop = example();
    loop.op = huge;
    loop.ops = 1;
    loop.edges = loop.values = 0;
    zlay_box box;
    zlay_picture *wide_one = show(ctx, &loop, &many);
    assert_int_equal(zlay_picture_box_nth(&box, wide_one, 1, 255), ZLAY_OK);
    assert_string_equal(box.tip, "iteration 255, cycles 2296835809958952960..2305843009213693951, stage 0: load");
    zlay_picture_free(wide_one);
    const zlay_schedule_unit wide[] = {{"copy", (uint64_t)1 << 53}};
    loop.unit = wide;
    loop.units = 1;
    assert_int_equal(zlay_show_schedule(ctx, &p, &loop, NULL), ZLAY_ELIMIT);
    assert_null(p);
}

static zlay_status draws(zlay_ctx *ctx, void *given)
{
    zlay_picture *p = NULL;
    zlay_status status = zlay_show_schedule(ctx, &p, given, NULL);
    zlay_picture_free(p);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    heap h;
    zlay_ctx *ctx = heap_open(&h, NULL);
    zlay_schedule_request loop = example();
    assert_int_equal(heap_fails_each(&h, ctx, draws, &loop), ZLAY_OK);
    heap_close(&h, ctx);
}

/* A name may hold what a terminal obeys and what XML has not. */
static void test_control_characters(void **state)
{
    static const zlay_schedule_op bell[] = {{"a\n\033[1m", 0, 0, 2, 2}};
    static const zlay_schedule_unit tab[] = {{"u\t\177", 1}};
    zlay_schedule_request loop = {.size = sizeof loop, .op = bell, .ops = 1, .unit = tab, .units = 1};
    zlay_picture *picture = show(*state, &loop, NULL);
    zlay_box box;
    assert_int_equal(zlay_picture_box_nth(&box, picture, 0, 0), ZLAY_OK);
    assert_string_equal(box.label, "a??[1m");
    assert_string_equal(zlay_picture_row(picture, 0, 0), "u??");
    zlay_picture_free(picture);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_example), cmocka_unit_test(test_random_loops), cmocka_unit_test(test_scaled),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_control_characters), cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, begin, end);
}
