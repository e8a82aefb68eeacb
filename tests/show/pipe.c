/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of pipes: the run of a right pipe is played on barriers of the test's own, step by step, where each wait
 * passes when its bar ends and not before; the run of a wrong pipe is that of zlay_pipe_trace. */
#include "heap.h"
#include "pipes/lines.h"
#include "pipes/pictures.h"

enum { TEXT = 1 << 16 };

/* ---- right pipes ---------------------------------------------------------------------------------- */

/* What an event uses of shared memory is in the row of the stage. */
static void check_stages(const sheet *s, const replay *p, const replayed *l, uint32_t column, int *seen)
{
    const zl_event *e = l->event;
    bool writes = e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC || e->kind == ZL_EV_WRITE;
    for (int k = 0; k < 2; k++) {
        char name[80];
        zlay_box box;
        if (e->smem[k] < 0 || p->pipe->smems[e->smem[k]].each) continue;
        int64_t index = value(p, &e->at[k], l->counter);
        uint32_t row = s->roles;
        snprintf(name, sizeof name, "%s[%u]", p->pipe->smems[e->smem[k]].name,
                 (unsigned)(index % p->pipe->smems[e->smem[k]].stages));
        while (row < s->panel.rows && strcmp(zlay_picture_row(s->picture, 0, row), name)) row++;
        assert_true(row < s->panel.rows);
        if (!find(s, &box, row, column)) fail_msg("%s has no box in step %u", name, column);
        assert_string_equal(box.label, writes ? "written" : "read");
        assert_int_equal(box.key, index);
        ++*seen;
    }
}

static void check_phases(const sheet *s, const replay *p, uint32_t column)
{
    for (uint32_t row = s->roles; row < s->panel.rows; row++) {
        char name[65], want[32];
        unsigned slot;
        zlay_box box;
        uint32_t b = 0;
        assert_int_equal(sscanf(zlay_picture_row(s->picture, 0, row), "%64[^[][%u]", name, &slot), 2);
        while (b < p->pipe->bars_count && strcmp(p->pipe->bars[b].name, name)) b++;
        if (b == p->pipe->bars_count) continue;
        if (!find(s, &box, row, column)) fail_msg("%s has no phase in step %u", name, column);
        snprintf(want, sizeof want, "phase %d", (int)p->bar[b][slot].phase);
        assert_string_equal(box.label, want);
    }
}

/* Plays a step: in the order of the rows, who stands at a wait may not pass, and who ends one does. */
static void play_step(const sheet *s, replay *p, uint32_t column, int *stood, int *stages)
{
    for (uint32_t row = 0; row < s->roles; row++) {
        char line[256];
        zlay_box box;
        if (!find(s, &box, row, column)) continue;
        line_of(line, sizeof line, s, &box);
        replayed l = read_line(p->pipe, line);
        if (box.column + box.width - 1 == column) {
            step(p, l.role, l.event, l.counter);
            check_stages(s, p, &l, column, stages);
            continue;
        }
        assert_int_equal(l.event->kind, ZL_EV_WAIT);
        uint32_t of = p->pipe->bars[l.event->bar].stages;
        int64_t round = value(p, &l.event->parity, l.counter) / of + l.event->flip;
        assert_false(passes(&p->bar[l.event->bar][value(p, &l.event->bar_at, l.counter) % of], round % 2));
        ++*stood;
    }
}

static void test_right(void **state)
{
    (void)state;
    static replay p;
    zlay_ctx *ctx = new_ctx();
    int stood = 0, stages = 0, steps = 0;
    for (size_t i = 0; i < PIPES; i++)
        for (unsigned n = fewest(i); n <= 4; n++) {
            pipe_text text;
            pipe_make(&text, i, n);
            sheet s = draw(ctx, parse(ctx, text.text), 3);
            assert_string_equal(zlay_picture_note_nth(s.picture, 0), "yes: correct for every trip count");
            p = (replay){.pipe = s.pipe, .params = {3, 3}};
            replay_begin(&p);
            for (uint32_t c = 0; c < s.panel.columns; c++) {
                play_step(&s, &p, c, &stood, &stages);
                check_phases(&s, &p, c);
            }
            for (uint32_t b = 0; b < p.pipe->bars_count; b++)
                for (uint32_t k = 0; k < p.pipe->bars[b].stages; k++)
                    assert_int_equal(p.bar[b][k].pending, p.pipe->bars[b].count);
            steps += p.steps;
            drop(&s);
        }
    print_message("%d events, %d steps of waits, %d uses of stages\n", steps, stood, stages);
    assert_true(steps > 1000 && stood > 300 && stages > 300);
    zlay_ctx_free(ctx);
}

/* ---- wrong pipes ---------------------------------------------------------------------------------- */

static void test_wrong(void **state)
{
    (void)state;
    static char text[TEXT];
    zlay_ctx *ctx = new_ctx();
    int ends = 0, stand = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        pipe_text sheet_text;
        int32_t standing, marked = 0;
        zlay_box box;
        replace(&sheet_text, bad[i].pipe, bad[i].stages, bad[i].what, bad[i].by);
        sheet s = draw(ctx, parse(ctx, sheet_text.text), 0);
        zlay_buf buf = {text, sizeof text, 0};
        assert_int_equal(zlay_pipe_trace(ctx, &buf, s.pipe), ZLAY_OK);
        uint32_t lines = compare_lines(&s, text, &standing);
        for (uint64_t k = 0; !zlay_picture_box_nth(&box, s.picture, 0, k); k++)
            if (box.marked) {
                marked++;
                assert_true(box.column + box.width == s.panel.columns);
            }
        bool setup = !strcmp(zlay_picture_row(s.picture, 0, s.panel.rows - 1), "setup");
        assert_int_equal(setup, bad[i].rule == ZLAY_PIPE_INIT);
        assert_int_equal(s.panel.columns, lines + (standing > 0 || setup));
        ends += marked && !standing;
        stand += standing > 0;
        if (!marked) fail_msg("%s -> %s: %s", bad[i].what, bad[i].by, zlay_picture_note_nth(s.picture, 0));
        drop(&s);
    }
    print_message("%d end in an event that is marked, %d where something stands\n", ends, stand);
    assert_true(ends > 8 && stand > 3);
    zlay_ctx_free(ctx);
}

/* Of a wrong pipe with trips the run has these, and either an event is marked or the note says that another run shows it. */
static void test_wrong_trips(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    int shown = 0, elsewhere = 0;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (uint64_t trips = 1; trips <= 9; trips += 2) {
            pipe_text text;
            char count[32];
            int marked = 0;
            zlay_box box;
            replace(&text, bad[i].pipe, bad[i].stages, bad[i].what, bad[i].by);
            sheet s = draw(ctx, parse(ctx, text.text), trips);
            const char *note = zlay_picture_note_nth(s.picture, 0), *title = zlay_picture_title(s.picture);
            snprintf(count, sizeof count, " = %d", (int)trips);
            for (uint64_t k = 0; !zlay_picture_box_nth(&box, s.picture, 0, k); k++)
                if (box.marked) marked++;
            bool other = strstr(note, ", in the run without trips") != NULL;
            assert_true(!strncmp(note, "no: ", 4) && other == !marked);
            if (!strstr(title, count)) fail_msg("%s: not %d trips", title, (int)trips);
            shown += !other;
            elsewhere += other;
            drop(&s);
        }
    print_message("%d runs with a fault, %d without\n", shown, elsewhere);
    assert_true(shown > 30 && elsewhere > 3);
    zlay_ctx_free(ctx);
}

/* ---- limits ----------------------------------------------------------------------------------------- */

static void test_bounds(void **state)
{
    (void)state;
    zlay_ctx *ctx = new_ctx();
    pipe_text text;
    zlay_picture *picture = NULL;
    zlay_panel panel;
    pipe_make(&text, 0, 4);
    zlay_pipe *pipe = parse(ctx, text.text);
    zlay_show_pipe_request r = {.size = sizeof r, .steps = 7};
    assert_int_equal(zlay_show_pipe(ctx, NULL, pipe, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_show_pipe(ctx, &picture, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_show_pipe(NULL, &picture, pipe, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_show_pipe(ctx, &picture, pipe, &r), ZLAY_OK);
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 0), ZLAY_OK);
    assert_int_equal(panel.columns, 7);
    assert_string_equal(zlay_picture_note_nth(picture, 1), "the run goes on behind step 6");
    zlay_picture_free(picture);
    picture = NULL;
    r.trips = 201;
    assert_int_equal(zlay_show_pipe(ctx, &picture, pipe, &r), ZLAY_EINVAL);
    r.trips = 0;
    r.reserved[2] = 1;
    assert_int_equal(zlay_show_pipe(ctx, &picture, pipe, &r), ZLAY_EINVAL);
    r.reserved[2] = 0;
    r.size = 3;
    assert_int_equal(zlay_show_pipe(ctx, &picture, pipe, &r), ZLAY_EINVAL);
    assert_null(picture);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

/* A picture has more cells than the limit, which the verifier takes too: both say so. */
static void test_limit(void **state)
{
    (void)state;
    zlay_limits limits = {.size = sizeof limits, .points = 200};
    zlay_ctx *ctx;
    zlay_picture *picture = NULL;
    pipe_text text;
    assert_int_equal(zlay_ctx_new(&ctx, NULL, &limits), ZLAY_OK);
    pipe_make(&text, 0, 4);
    zlay_pipe *pipe = parse(ctx, text.text);
    assert_int_equal(zlay_show_pipe(ctx, &picture, pipe, NULL), ZLAY_ELIMIT);
    assert_null(picture);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
}

static zlay_status show_once(zlay_ctx *ctx, void *given)
{
    zlay_picture *picture = NULL;
    const zlay_show_pipe_request r = {.size = sizeof r, .steps = 12};
    zlay_status status = zlay_show_pipe(ctx, &picture, given, &r);
    assert_true(!status == (picture != NULL));
    zlay_picture_free(picture);
    return status;
}

static void test_memory(void **state)
{
    (void)state;
    static const char *const by[] = {"wait full[i % 4] parity i / 4 % 2\n", ""};
    for (int k = 0; k < 2; k++) {
        heap h;
        pipe_text text;
        zlay_ctx *ctx = heap_open(&h, NULL);
        replace(&text, "single", 4, by[0], by[k]);
        zlay_pipe *pipe = parse(ctx, text.text);
        assert_int_equal(heap_fails_each(&h, ctx, show_once, pipe), ZLAY_OK);
        zlay_pipe_free(pipe);
        heap_close(&h, ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_right), cmocka_unit_test(test_wrong), cmocka_unit_test(test_wrong_trips),
                                       cmocka_unit_test(test_bounds), cmocka_unit_test(test_limit),
                                       cmocka_unit_test(test_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
