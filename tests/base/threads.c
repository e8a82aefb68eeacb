/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts, plans and pipes are read by many threads at once, and freed after their ctx in another;
 * a ctx that two threads enter refuses one of them.  Run under ThreadSanitizer by `make tsan`. */
#include "ctx.h"

#include <pthread.h>
#include <string.h>
#include <zlay/zlay.h>

enum { THREADS = 4, ROUNDS = 30, TEXT = 1 << 17 };

typedef struct shared {
    const zlay_layout *layout, *other;
    const zlay_plan *plan;
    char *ptx; /* what one thread alone printed */
    size_t length;
    int wrong[THREADS];
} shared;

typedef struct worker {
    shared *s;
    int number;
} worker;

static zlay_layout *layout_new(zlay_ctx *ctx, const char *text)
{
    zlay_layout *layout = NULL;
    assert_int_equal(zlay_layout_parse(ctx, &layout, text, strlen(text)), ZLAY_OK);
    return layout;
}

static zlay_plan *plan_new(zlay_ctx *ctx)
{
    const zlay_target *target;
    zlay_plan *plan = NULL;
    zlay_gemm gemm = {.size = sizeof gemm, .m = 512, .n = 512, .k = 256};
    assert_int_equal(zlay_target_find(&target, "sm_90a", 6), ZLAY_OK);
    assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &gemm), ZLAY_OK);
    return plan;
}

/* ---- shared values --------------------------------------------------------- */

static int reads_layouts(zlay_ctx *ctx, const shared *s)
{
    char text[200];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_layout *made = NULL;
    zlay_answer answer = ZLAY_NO;
    int64_t value;
    int wrong = zlay_layout_eval(&value, 1, s->layout, 1023) != ZLAY_OK;
    wrong += zlay_layout_print(&buf, s->layout) != ZLAY_OK;
    wrong += zlay_layout_compose(ctx, &made, s->layout, s->other) != ZLAY_OK;
    wrong +=
        zlay_layout_equal(ctx, &answer, NULL, made, s->layout) != ZLAY_OK || answer != ZLAY_YES;
    zlay_layout_free(made);
    return wrong;
}

static int reads_plan(zlay_ctx *ctx, const shared *s, char *text)
{
    zlay_buf buf = {text, TEXT, 0};
    zlay_answer answer = ZLAY_NO;
    size_t count;
    int wrong = zlay_emit_ptx(ctx, &buf, s->plan, "gemm", 4) != ZLAY_OK || buf.need != s->length;
    wrong += !wrong && memcmp(text, s->ptx, s->length) != 0;
    wrong +=
        zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, zlay_plan_pipe(s->plan)) != ZLAY_OK;
    return wrong + (answer != ZLAY_YES);
}

static void *work(void *value)
{
    worker *w = value;
    zlay_ctx *ctx = NULL;
    char *text = malloc(TEXT);
    int wrong = !text || zlay_ctx_new(&ctx, NULL, NULL) != ZLAY_OK;
    for (int i = 0; !wrong && i < ROUNDS; i++)
        wrong = reads_layouts(ctx, w->s) + reads_plan(ctx, w->s, text);
    w->s->wrong[w->number] = wrong;
    zlay_ctx_free(ctx);
    free(text);
    return NULL;
}

static void values_are_shared(void **state)
{
    zlay_ctx *ctx = ctx_new();
    zlay_layout *a = layout_new(ctx, "Sw<3,4,3> o 0 o (32,32):(32,1)"),
                *b = layout_new(ctx, "1024:1");
    zlay_plan *plan = plan_new(ctx);
    char *ptx = malloc(TEXT);
    zlay_buf buf = {ptx, TEXT, 0};
    pthread_t threads[THREADS];
    worker workers[THREADS];
    (void)state;
    assert_int_equal(zlay_emit_ptx(ctx, &buf, plan, "gemm", 4), ZLAY_OK);
    shared s = {a, b, plan, ptx, buf.need, {0}};
    zlay_ctx_free(ctx);
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (worker){&s, i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) assert_int_equal(s.wrong[i], 0);
    zlay_layout_free(a);
    zlay_layout_free(b);
    zlay_plan_free(plan);
    free(ptx);
}

/* ---- freed elsewhere ---------------------------------------------------------- */

static void *free_layout(void *layout)
{
    zlay_layout_free(layout);
    return NULL;
}

static void a_value_outlives_ctx_and_thread(void **state)
{
    zlay_ctx *ctx = ctx_new();
    zlay_layout *layout = layout_new(ctx, "(4,8):(8,1)");
    pthread_t thread;
    int64_t value;
    (void)state;
    zlay_ctx_free(ctx);
    assert_int_equal(zlay_layout_eval(&value, 1, layout, 5), ZLAY_OK);
    assert_int_equal(value, 9);
    assert_int_equal(pthread_create(&thread, NULL, free_layout, layout), 0);
    pthread_join(thread, NULL);
}

/* ---- one ctx, two threads ------------------------------------------------------- */

/* An allocation hook that waits until the other thread has had its answer. */
typedef struct gate {
    pthread_mutex_t mutex;
    pthread_cond_t moved;
    int inside, answered;
    zlay_ctx *ctx;
    zlay_status second;
} gate;

static void *gate_alloc(void *user, size_t size)
{
    gate *g = user;
    pthread_mutex_lock(&g->mutex);
    if (g->ctx && !g->inside) {
        g->inside = 1;
        pthread_cond_broadcast(&g->moved);
        while (!g->answered) pthread_cond_wait(&g->moved, &g->mutex);
    }
    pthread_mutex_unlock(&g->mutex);
    return malloc(size);
}

static void gate_free(void *user, void *ptr, size_t size)
{
    (void)user;
    (void)size;
    free(ptr);
}

static void *enter_second(void *value)
{
    gate *g = value;
    zlay_layout *layout = NULL;
    pthread_mutex_lock(&g->mutex);
    while (!g->inside) pthread_cond_wait(&g->moved, &g->mutex);
    pthread_mutex_unlock(&g->mutex);
    g->second = zlay_layout_parse(g->ctx, &layout, "8", 1);
    pthread_mutex_lock(&g->mutex);
    g->answered = 1;
    pthread_cond_broadcast(&g->moved);
    pthread_mutex_unlock(&g->mutex);
    return layout;
}

static void a_second_thread_is_refused(void **state)
{
    gate g = {.mutex = PTHREAD_MUTEX_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER};
    zlay_allocator hooks = {&g, gate_alloc, gate_free};
    zlay_ctx *ctx = NULL;
    zlay_layout *layout = NULL;
    pthread_t thread;
    void *made;
    (void)state;
    assert_int_equal(zlay_ctx_new(&ctx, &hooks, NULL), ZLAY_OK);
    g.ctx = ctx;
    assert_int_equal(pthread_create(&thread, NULL, enter_second, &g), 0);
    assert_int_equal(zlay_layout_parse(ctx, &layout, "(4,8)", 5), ZLAY_OK);
    pthread_join(thread, &made);
    assert_int_equal(g.second, ZLAY_EBUSY);
    assert_null(made);
    assert_int_equal(zlay_layout_size(layout), 32);
    zlay_layout_free(layout);
    zlay_ctx_free(ctx);
}

/* An allocation hook that lets another thread try to enter the ctx at each allocation. */
typedef struct knock {
    zlay_ctx *ctx; /* NULL: no thread tries */
    int tried, entered;
} knock;

static void *knock_once(void *value)
{
    knock *k = value;
    zlay_layout *layout = NULL;
    zlay_ctx *ctx = k->ctx;
    k->ctx = NULL;
    k->tried++;
    k->entered += zlay_layout_parse(ctx, &layout, "8", 1) != ZLAY_EBUSY;
    k->ctx = ctx;
    zlay_layout_free(layout);
    return NULL;
}

static void *knock_alloc(void *user, size_t size)
{
    enum { TRIES = 200 };
    knock *k = user;
    pthread_t thread;
    if (k->ctx && k->tried < TRIES) {
        assert_int_equal(pthread_create(&thread, NULL, knock_once, k), 0);
        pthread_join(thread, NULL);
    }
    return malloc(size);
}

/* A planner has many steps, each of which a caller can also ask for alone: the ctx is never free
 * between two of them. */
static void a_plan_is_one_call(void **state)
{
    static const char *const targets[] = {"sm_90a", "gfx942"};
    (void)state;
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        knock k = {0};
        zlay_allocator hooks = {&k, knock_alloc, gate_free};
        const zlay_target *target;
        zlay_ctx *ctx = NULL;
        zlay_plan *plan = NULL;
        zlay_gemm gemm = {.size = sizeof gemm, .m = 512, .n = 512, .k = 256};
        assert_int_equal(zlay_ctx_new(&ctx, &hooks, NULL), ZLAY_OK);
        assert_int_equal(zlay_target_find(&target, targets[i], 6), ZLAY_OK);
        k.ctx = ctx;
        assert_int_equal(zlay_gemm_synth(ctx, &plan, target, &gemm), ZLAY_OK);
        k.ctx = NULL;
        assert_true(k.tried > 10);
        assert_int_equal(k.entered, 0);
        zlay_plan_free(plan);
        zlay_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_shared),
        cmocka_unit_test(a_value_outlives_ctx_and_thread),
        cmocka_unit_test(a_second_thread_is_refused),
        cmocka_unit_test(a_plan_is_one_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
