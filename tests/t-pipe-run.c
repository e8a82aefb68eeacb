/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of pipes, executed: the rows of device/pipes.def that move data, whole clusters in random turns, every
 * byte of global memory against their relations; every row is proved before it is printed; then their mutants, which are printed only when asked for, and
 * leave other bytes, get stuck or arrive too often. */
#include "pipe-machine.h"

#include <zlay/zlay.h>

#include "device/pipe_rows.h"

enum { KERNEL = 1 << 18, BUFFERS = 7 };
static const uint64_t base = (uint64_t)1 << 32;

typedef struct world {
    zlay_ctx *ctx;
    char text[TEXT], kernel[KERNEL];
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[32];
    uint8_t *was[BUFFERS], *got[BUFFERS];
    uint64_t seed;
    unsigned n, t;
} world;

static zlay_status printed_as(world *w, uint32_t unchecked)
{
    const zlay_target *target = NULL;
    zlay_pipe *pipe = NULL;
    zlay_target_find(&target, "sm_90a", 6);
    assert_int_equal(zlay_pipe_parse(w->ctx, &pipe, w->text, strlen(w->text)), ZLAY_OK);
    zlay_pipe_emit ask = {.size = sizeof ask, .target = target, .pipe = pipe, .name = "piped", .name_length = 5,
                          .unchecked = unchecked};
    zlay_buf buf = {w->kernel, KERNEL, 0};
    zlay_status status = zlay_emit_pipe(w->ctx, &buf, &w->launch, w->argument, 32, &ask);
    zlay_pipe_free(pipe);
    return status;
}

static bool printed(world *w) { return printed_as(w, 1) == ZLAY_OK; }

/* What the machine executes: no products, no maps, stages that its shared memory holds. */
static bool executes(const world *w)
{
    return w->launch.smem + PM_ARRAYS <= PM_SHARED && w->launch.cluster * w->launch.threads <= PM_THREADS &&
           !strstr(w->kernel, "wgmma") && !strstr(w->kernel, "tensor");
}

static int buffer_of(const world *w, const char *prefix, const char *name)
{
    char whole[80];
    int at = 0;
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    for (uint32_t i = 0; i < w->launch.arguments; i++) {
        if (w->argument[i].kind != ZLAY_ARGUMENT_POINTER) continue;
        if (!strcmp(w->argument[i].name, whole)) return at;
        at++;
    }
    fail_msg("no argument %s", whole);
    return 0;
}

static void memory_fill(world *w, pm_machine *m)
{
    m->memories = 0;
    for (uint32_t i = 0; i < w->launch.arguments; i++) {
        if (w->argument[i].kind != ZLAY_ARGUMENT_POINTER) continue;
        int at = m->memories++;
        assert_true(at < BUFFERS);
        for (size_t n = 0; n < SIZE; n += 8) {
            uint64_t value = test_random(&w->seed);
            memcpy(w->was[at] + n, &value, 8);
        }
        if (!strcmp(w->argument[i].name, "ptr_done")) memset(w->was[at], 0, 64);
        memcpy(w->got[at], w->was[at], SIZE);
        m->memory[at] = (pm_memory){base + (uint64_t)at * SIZE, SIZE, w->got[at]};
    }
}

static px_end execute(world *w, unsigned cluster, bool late)
{
    px_machine *x = calloc(1, sizeof *x);
    assert_non_null(x);
    x->m = pm_new(w->kernel);
    memory_fill(w, x->m);
    x->seed = test_random(&w->seed);
    x->late = late;
    pm_begin(x->m, cluster * w->launch.cluster, w->launch.cluster, w->launch.threads);
    for (uint32_t thread = 0; thread < x->m->threads; thread++) {
        uint64_t pointer = base;
        pm_set(x->m, thread, "$smem", PM_ARRAYS);
        for (uint32_t i = 0; i < w->launch.arguments; i++) {
            uint64_t value = STEP;
            if (w->argument[i].kind == ZLAY_ARGUMENT_COUNT) value = strcmp(w->argument[i].name, "n_T") ? w->n : w->t;
            if (w->argument[i].kind == ZLAY_ARGUMENT_POINTER) value = pointer, pointer += SIZE;
            pm_set(x->m, thread, w->argument[i].name, value);
        }
    }
    px_end end = px_run(x);
    pm_free(x->m);
    free(x);
    return end;
}

/* Outputs of one cluster, with what no relation names. */
static bool holds(world *w, const struct pipe_row *row, unsigned cluster)
{
    bool good = true;
    for (unsigned i = 0; i < RELATIONS; i++) {
        const relation *r = &row->relation[i];
        if (r->kind == NOTHING) continue;
        int out = buffer_of(w, r->kind == GIVEN ? "ptr_" : "out_", r->out), in = buffer_of(w, "in_", r->in);
        for (unsigned block = 0; block < w->launch.cluster; block++)
            for (unsigned e = 0; e < row_count(r->count, w->n, w->t); e++)
                row_moved(w->was[out], w->was[in], r, w->launch.cluster, cluster * w->launch.cluster + block, e);
    }
    for (unsigned i = 0; i < RELATIONS; i++) {
        const relation *r = &row->relation[i];
        if (r->kind == NOTHING) continue;
        int out = buffer_of(w, r->kind == GIVEN ? "ptr_" : "out_", r->out);
        good = good && !memcmp(w->was[out], w->got[out], SIZE);
    }
    return good;
}

static bool runs_right(world *w, const struct pipe_row *row, bool late)
{
    unsigned cluster = late && w->launch.cluster < 4 && row->clusters > 1;
    px_end end = execute(w, cluster, late);
    return end == PX_RAN && holds(w, row, cluster);
}

static void rows_run(void **state)
{
    world *w = *state;
    unsigned ran = 0;
    for (unsigned i = 0; i < ROWS; i++) {
        row_text(w->text, &rows[i]);
        if (printed_as(w, 0)) fail_msg("%s: %s", rows[i].name, zlay_ctx_message(w->ctx));
        if (rows[i].relation[0].kind >= PRODUCT || !printed(w) || !executes(w)) continue;
        for (unsigned trip = 0; trip < (test_exhaustive() ? 5 : 3) && row_trips(w->text, trip, &w->n, &w->t); trip++)
            if (!runs_right(w, &rows[i], trip & 1)) fail_msg("%s, N = %u", rows[i].name, w->n);
        ran++;
    }
    printf("%u of %d rows executed\n", ran, (int)ROWS);
    assert_true(ran >= 12);
}

/* A mutant shows itself in some run; one that may do right on a device may here. */
static void mutants_show(void **state)
{
    world *w = *state;
    unsigned shown = 0;
    for (unsigned i = 0; i < MUTANTS; i++) {
        const struct pipe_row *row = rows;
        bool wrong = false;
        while (strcmp(row->name, mutants[i].pipe)) row++;
        row_text(w->text, row);
        assert_true(text_edit(w->text, mutants[i].from, mutants[i].to));
        if (printed_as(w, 0) != ZLAY_NONE) fail_msg("%s: %s is not refused", mutants[i].pipe, mutants[i].to);
        if (!printed(w) || row->relation[0].kind >= PRODUCT || !executes(w)) continue;
        for (unsigned trip = 1; trip < 4 && !wrong && row_trips(w->text, trip, &w->n, &w->t); trip++)
            wrong = !runs_right(w, row, true);
        if (!wrong && mutants[i].outcome == FAULT) fail_msg("%s: %s runs right", mutants[i].pipe, mutants[i].to);
        shown += wrong;
    }
    printf("%u mutants show themselves\n", shown);
    assert_true(shown >= 9);
}

static int begin(void **state)
{
    world *w = calloc(1, sizeof *w);
    assert_non_null(w);
    w->seed = test_seed("t-pipe-run");
    for (int i = 0; i < BUFFERS; i++) {
        w->was[i] = malloc(SIZE);
        w->got[i] = malloc(SIZE);
        assert_true(w->was[i] && w->got[i]);
    }
    *state = w;
    return zlay_ctx_new(&w->ctx, NULL, NULL);
}

static int end(void **state)
{
    world *w = *state;
    for (int i = 0; i < BUFFERS; i++) {
        free(w->was[i]);
        free(w->got[i]);
    }
    zlay_ctx_free(w->ctx);
    free(w);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_run), cmocka_unit_test(mutants_show)};
    return cmocka_run_group_tests(tests, begin, end);
}
