/* SPDX-License-Identifier: Apache-2.0 */
/* Runs that end in a fault: their lines are replayed on barriers of the test's own, where every wait must pass; the
 * fault is the one that pipe.verify names, or one of the same edit. */
#include "pipes/pipe-check.h"
#include "pipe/language/pipe.h"

enum { TRACE = 1 << 16, SLOTS = 64 };

typedef struct barrier {
    int64_t pending, tx, phase;
} barrier;

typedef struct replay {
    const zlay_pipe *pipe;
    barrier bar[ZL_OF_COUNT * 8][SLOTS];
    int64_t params[8];
    int waits, steps;
} replay;

static void complete(replay *p, int32_t bar, barrier *b)
{
    if (b->pending || b->tx) return;
    b->pending = p->pipe->bars[bar].count;
    b->phase++;
}

static const zl_event *event_of(const zlay_pipe *pipe, uint32_t line)
{
    for (uint32_t i = 0; i < pipe->events_count; i++)
        if (pipe->events[i].line == line) return &pipe->events[i];
    fail_msg("no event on line %u", line);
    return NULL;
}

static const zl_role *role_of(const zlay_pipe *pipe, const char *line)
{
    for (uint32_t i = 0; i < pipe->roles_count; i++) {
        size_t length = strlen(pipe->roles[i].name);
        if (!strncmp(line, pipe->roles[i].name, length) && (line[length] == ' ' || line[length] == '['))
            return &pipe->roles[i];
    }
    fail_msg("no role in %s", line);
    return NULL;
}

static int64_t value(const replay *p, const zl_pos *pos, const int64_t *counter)
{
    int64_t sum = pos->add;
    if (pos->loop >= 0) sum += counter[pos->loop] * (pos->times >= 0 ? p->params[pos->times] : pos->scale ? pos->scale : 1);
    return pos->plus >= 0 ? sum + p->params[pos->plus] : sum;
}

static int64_t arrivals(const zl_role *role, const zl_event *e)
{
    int64_t threads = role->elect || e->scope == ZL_BY_ONE ? 1 : role->each;
    return (threads > 1 || e->scope != ZL_BY_ONE) && e->scope == ZL_BY_THREADS ? threads * 32 : threads;
}

static void step(replay *p, const zl_role *role, const zl_event *e, const int64_t *counter)
{
    p->steps++;
    if (e->bar < 0) return;
    uint32_t stages = p->pipe->bars[e->bar].stages;
    barrier *b = &p->bar[e->bar][value(p, &e->bar_at, counter) % stages];
    if (e->kind == ZL_EV_WAIT) {
        int64_t parity = (value(p, &e->parity, counter) / stages + e->flip) % 2;
        if ((b->phase + 1) % 2 != parity) fail_msg("line %u does not pass", e->line);
        p->waits++;
    }
    if (e->kind == ZL_EV_EXPECT) b->tx += e->count;
    if (e->kind == ZL_EV_COPY) b->tx -= e->count;
    if (e->kind == ZL_EV_ARRIVE) b->pending -= arrivals(role, e);
    complete(p, e->bar, b);
}

/* `ROLE[N] line L NAME VALUE ..`: values outermost first. */
static void replay_line(replay *p, const char *line)
{
    int64_t counter[ZL_PIPE_LOOPS] = {0};
    const zl_role *role = role_of(p->pipe, line);
    const char *at = strstr(line, " line ") + 6;
    const zl_event *e = event_of(p->pipe, (uint32_t)strtoul(at, (char **)&at, 10));
    for (int depth = 0; *at == ' '; depth++) {
        at = strchr(at + 1, ' ');
        counter[depth] = strtoll(at, (char **)&at, 10);
    }
    step(p, role, e, counter);
}

static void replay_all(replay *p, char *text, char **last)
{
    int32_t param;
    for (uint32_t b = 0; b < p->pipe->bars_count; b++)
        for (int s = 0; s < SLOTS; s++) p->bar[b][s] = (barrier){p->pipe->bars[b].count, 0, 0};
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        char *equal = strstr(line, " = ");
        *last = line;
        if (equal) {
            *equal = 0;
            for (param = 0; strcmp(p->pipe->params[param].name, line); param++) {}
            p->params[param] = strtoll(equal + 3, NULL, 10);
        } else if (!strstr(line, " at line ")) {
            replay_line(p, line);
        }
    }
}

static void test_bad(void **state)
{
    (void)state;
    static char text[TRACE];
    static replay p;
    zlay_ctx *ctx = new_ctx();
    int traced = 0, waits = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pipe_text sheet;
        replace(&sheet, bad[i].pipe, bad[i].stages, bad[i].what, bad[i].by);
        zlay_pipe *pipe = parse(ctx, sheet.text);
        zlay_buf buf = {text, sizeof text, 0};
        zlay_status status = zlay_pipe_trace(ctx, &buf, pipe);
        char *last = NULL;
        if (status) fail_msg("%s -> %s: %s", bad[i].what, bad[i].by, zlay_ctx_message(ctx));
        p = (replay){.pipe = pipe};
        replay_all(&p, text, &last);
        assert_non_null(strstr(last, " at line "));
        traced++;
        waits += p.waits;
        zlay_pipe_free(pipe);
    }
    print_message("%d runs, %d waits passed\n", traced, waits);
    assert_true(waits > 40);
    zlay_ctx_free(ctx);
}

/* The run of the two-stage ring without the arrival that frees a stage, whole. */
static void test_ring(void **state)
{
    (void)state;
    static const char ring[] =
        "pipe ring\nparam N 0..\nsmem A[2] 16\nbar full[2] count 1\nbar empty[2] count 32\ninit full\n"
        "init empty\nfence mbarrier_init\nsync cta\nrole p warps 0..0 elect\nfor i in 0..N\n"
        "wait empty[i % 2] parity (i / 2 + 1) % 2\nexpect full[i % 2] 16\narrive full[i % 2]\n"
        "copy tensor 16 -> A[i % 2] signal full[i % 2]\nend\nend\nrole c warps 1..1\nfor i in 0..N\n"
        "wait full[i % 2] parity i / 2 % 2\nread A[i % 2]\n%s[i % 2] threads\nend\nend\n";
    static const char run[] = "N = 3\np line 12 i 0\np line 13 i 0\np line 14 i 0\np line 15 i 0\n"
                              "c line 20 i 0\nc line 21 i 0\n";
    char text[1024], out[1024];
    zlay_ctx *ctx = new_ctx();
    zlay_buf buf = {out, sizeof out, 0}, little = {out, 3, 0};
    snprintf(text, sizeof text, "%.*s%s%s", (int)(strstr(ring, "%s") - ring), ring, "arrive empty",
             strstr(ring, "%s") + 2);
    zlay_pipe *pipe = parse(ctx, text);
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_NONE);
    zlay_pipe_free(pipe);
    char *at = strstr(text, "arrive empty[i % 2] threads\n");
    memmove(at, at + 28, strlen(at + 28) + 1);
    pipe = parse(ctx, text);
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_OK);
    assert_non_null(strstr(out, "deadlock at line 12 against line 20\n"));
    assert_int_equal(strncmp(strchr(out, '\n'), strchr(run, '\n'), strlen(strchr(run, '\n'))), 0);
    assert_int_equal(zlay_pipe_trace(ctx, &little, pipe), ZLAY_EROOM);
    assert_true(little.need == buf.need);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ring), cmocka_unit_test(test_bad)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
