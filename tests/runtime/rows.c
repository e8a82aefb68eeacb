/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that move rows: each parameter of each kind by its name, the grid, offsets that are asked against the rows of their tensor, and
 * requests that are refused. */
#define _POSIX_C_SOURCE 200809L /* mkdtemp */

#include "runtime.h"

enum { GROUPS = 3, ADDRESS = 1 << 20 };

static const zlay_rows_kernel kinds[] = {
    [ZLAY_ROWS_COPY] = {.size = sizeof(zlay_rows_kernel), .kind = ZLAY_ROWS_COPY, .language = ZLAY_TEXT_CUDA, .groups = GROUPS, .source_rows = 20,
                        .target_rows = 30, .row_bytes = 64, .name = "packed", .name_length = 4},
    [ZLAY_ROWS_CONCATENATE] = {.size = sizeof(zlay_rows_kernel), .kind = ZLAY_ROWS_CONCATENATE, .language = ZLAY_TEXT_CUDA, .groups = GROUPS,
                               .target_rows = 30, .row_bytes = 64, .name = "packed", .name_length = 4},
    [ZLAY_ROWS_SPLIT] = {.size = sizeof(zlay_rows_kernel), .kind = ZLAY_ROWS_SPLIT, .language = ZLAY_TEXT_CUDA, .groups = GROUPS, .source_rows = 20,
                         .row_bytes = 64, .name = "packed", .name_length = 4},
    [ZLAY_ROWS_TRANSPOSE] = {.size = sizeof(zlay_rows_kernel), .kind = ZLAY_ROWS_TRANSPOSE, .language = ZLAY_TEXT_CUDA, .source_rows = 2000,
                             .target_rows = 3000, .element_bytes = 2, .name = "packed", .name_length = 4},
    [ZLAY_ROWS_CONCATENATE_COLUMNS] = {.size = sizeof(zlay_rows_kernel), .kind = ZLAY_ROWS_CONCATENATE_COLUMNS, .language = ZLAY_TEXT_CUDA, .groups = GROUPS,
                                       .target_rows = 30, .row_bytes = 64, .element_bytes = 2, .name = "packed", .name_length = 4},
    [ZLAY_ROWS_SPLIT_COLUMNS] = {.size = sizeof(zlay_rows_kernel), .kind = ZLAY_ROWS_SPLIT_COLUMNS, .language = ZLAY_TEXT_CUDA, .groups = GROUPS,
                                 .source_rows = 20, .row_bytes = 64, .element_bytes = 8, .name = "packed", .name_length = 4},
};

/* Names of the parameters as the header has them, and the rows that bound those that are offsets. */
static const struct {
    const char *name;
    uint64_t rows;
} parameters[][5] = {
    [ZLAY_ROWS_COPY] = {{"target", 0}, {"source", 0}, {"target_offsets", 30}, {"source_offsets", 20}},
    [ZLAY_ROWS_CONCATENATE] = {{"target", 0}, {"sources", 0}, {"offsets", 30}},
    [ZLAY_ROWS_SPLIT] = {{"targets", 0}, {"source", 0}, {"offsets", 20}},
    [ZLAY_ROWS_TRANSPOSE] = {{"target", 0}, {"source", 0}},
    [ZLAY_ROWS_CONCATENATE_COLUMNS] = {{"target", 0}, {"sources", 0}, {"offsets", 32}, {"pitches", 0}},
    [ZLAY_ROWS_SPLIT_COLUMNS] = {{"targets", 0}, {"source", 0}, {"offsets", 8}, {"pitches", 0}},
};

static zlay_rows_image asked(world *w, zlay_rows_launch *launch, int32_t kind)
{
    zlay_buf nothing = {NULL, 0, 0};
    assert_int_equal(zlay_emit_rows(w->ctx, &nothing, launch, &kinds[kind]), ZLAY_EROOM);
    return (zlay_rows_image){.size = sizeof(zlay_rows_image), .rows = &kinds[kind], .launch = launch, .image = ptx, .length = sizeof ptx - 1};
}

/* One row too many is refused, as many as there are is not. */
static void offsets_tried(world *w, zlay_kernel *kernel, const char *name, uint64_t rows)
{
    uint64_t offsets[GROUPS + 1] = {0, 1, 1, rows + 1};
    char says[80];
    snprintf(says, sizeof says, "%s[3]: %llu is more than the rows", name, (unsigned long long)rows + 1);
    assert_int_equal(zlay_kernel_set_offsets(w->ctx, kernel, name, offsets, GROUPS + 1), ZLAY_EINVAL);
    message_has(w, says);
    offsets[GROUPS] = rows;
    assert_int_equal(zlay_kernel_set_offsets(w->ctx, kernel, name, offsets, GROUPS + 1), ZLAY_OK);
}

static void kind_launched(world *w, int32_t kind)
{
    zlay_rows_launch launch;
    zlay_rows_image request = asked(w, &launch, kind);
    zlay_kernel *kernel;
    uint32_t count = 0;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &request), ZLAY_OK);
    assert_string_equal(w->fake->kernel, "pack");
    memset(w->fake->bytes, 0, sizeof w->fake->bytes);
    for (; parameters[kind][count].name; count++) {
        const char *name = parameters[kind][count].name;
        assert_string_equal(zlay_rows_argument_nth(kind, count), name);
        assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_EINVAL);
        message_has(w, name);
        w->fake->bytes[count] = 8;
        if (parameters[kind][count].rows) offsets_tried(w, kernel, name, parameters[kind][count].rows);
        else assert_int_equal(set(w, kernel, name, (uint64_t)ADDRESS + count), ZLAY_OK);
    }
    assert_null(zlay_rows_argument_nth(kind, count));
    assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t rows = parameters[kind][i].rows, at = address_at(w, i);
        if (rows) assert_int_equal(((const int32_t *)(uintptr_t)at)[GROUPS], rows);
        else assert_int_equal(at, ADDRESS + i);
    }
    assert_int_equal(w->fake->launch.block, launch.threads);
    assert_int_equal(w->fake->launch.shared_bytes, 0);
    assert_int_equal(w->fake->launch.grid, launch.blocks < 160 ? launch.blocks : 160); /* 4 * 5 processors of 8 blocks */
    zlay_kernel_free(kernel);
    assert_int_equal(w->fake->memory, 0);
}

static void every_kind_is_launched(void **state)
{
    for (int32_t kind = ZLAY_ROWS_COPY; kind <= ZLAY_ROWS_SPLIT_COLUMNS; kind++) kind_launched(*state, kind);
}

/* Four times as many blocks as run at once, of which there are 5 processors of 8; of many groups as many; never more than have work. */
static void blocks_follow_the_groups(void **state)
{
    static const struct { uint64_t groups, blocks; uint32_t grid; } cases[] = {
        {1, 159, 159}, {1, 161, 160}, {512, 5000, 160}, {513, 5000, 40}, {513, 39, 39}, {2000, 5000, 40}};
    world *w = *state;
    zlay_rows_launch launch;
    zlay_rows_image request = asked(w, &launch, ZLAY_ROWS_COPY);
    zlay_rows_kernel rows = kinds[ZLAY_ROWS_COPY];
    request.rows = &rows;
    for (size_t i = 0; i < ZL_COUNT(cases); i++) {
        zlay_kernel *kernel;
        memset(w->fake->bytes, 0, sizeof w->fake->bytes);
        rows.groups = cases[i].groups;
        launch.blocks = cases[i].blocks;
        assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &request), ZLAY_OK);
        for (uint32_t k = 0; k < 4; k++) {
            w->fake->bytes[k] = 8;
            assert_int_equal(set(w, kernel, parameters[ZLAY_ROWS_COPY][k].name, (uint64_t)ADDRESS), ZLAY_OK);
        }
        assert_int_equal(zlay_kernel_launch(w->ctx, kernel, NULL), ZLAY_OK);
        assert_int_equal(w->fake->launch.grid, cases[i].grid);
        zlay_kernel_free(kernel);
    }
}

static void bad_requests_are_refused(void **state)
{
    world *w = *state;
    zlay_rows_launch launch;
    zlay_rows_image right = asked(w, &launch, ZLAY_ROWS_COPY), bad = right;
    zlay_rows_kernel rows = kinds[ZLAY_ROWS_COPY];
    zlay_kernel *kernel;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_kernel_load_rows(w->ctx, NULL, w->device, &right), ZLAY_EINVAL);
    bad.rows = NULL;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    bad = right;
    bad.launch = NULL;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    bad = right;
    bad.length = 0;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    message_has(w, "image");
    bad = right;
    bad.rows = &rows;
    rows.kind = ZLAY_ROWS_SPLIT_COLUMNS + 1;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    message_has(w, "rows: there is no kind 6");
    rows.kind = -1;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    rows.kind = ZLAY_ROWS_COPY;
    rows.groups = UINT64_MAX;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &bad), ZLAY_EINVAL);
    assert_null(kernel);
    launch.threads = 0;
    assert_int_equal(zlay_kernel_load_rows(w->ctx, &kernel, w->device, &right), ZLAY_EINVAL);
    assert_null(zlay_rows_argument_nth(6, 0));
    assert_null(zlay_rows_argument_nth(0, SIZE_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {TEST(every_kind_is_launched), TEST(blocks_follow_the_groups), TEST(bad_requests_are_refused)};
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
