/* SPDX-License-Identifier: Apache-2.0 */
/* Every single edit of the pipes of a GEMM: an event dropped, doubled, moved to every other place
 * of its role; every parity, offset, count, scope and number of bytes changed. The verifier's
 * answer is compared with a run of the mutant in every interleaving (explore.h). What is accepted
 * must survive that, have a proof that is proved again, and fit a row of the table below, which
 * says why it is right; what is refused must be refused by its own proof too, and be seen to fail,
 * or fit a row that says why it was not. */
#include "pipes/pipes.h"

#include "pipes/explore-all.h"
#include "pipes/mutants.h"

#include <zlay/pipe.h>

enum { LINES = 128, PROOF = 1 << 14 };
typedef struct sheet {
    char text[PIPE_TEXT];
    const char *line[LINES];
    size_t length[LINES];
    int count;
} sheet;

typedef struct world {
    zlay_ctx *ctx;
    explore explorer;
    const char *name;
    bool single;
    sheet sheet;
    const zlay_pipe *original;
    char proof[PROOF];
    size_t proof_length;
    int mutants, unread, refused, seen, accepted, runs;
} world;

static void print_into(sheet *s, const zlay_pipe *pipe)
{
    zlay_buf buf = {s->text, sizeof s->text, 0};
    assert_int_equal(zlay_pipe_print(&buf, pipe), ZLAY_OK);
    s->count = 0;
    for (const char *at = s->text; *at; at += s->length[s->count++]) {
        assert_true(s->count < LINES);
        s->line[s->count] = at;
        s->length[s->count] = (size_t)(strchr(at, '\n') - at) + 1;
    }
}

static zlay_pipe *parse(world *w, const char *text, size_t length)
{
    zlay_pipe *pipe;
    return zlay_pipe_parse(w->ctx, &pipe, text, length) ? NULL : pipe;
}

/* ---- one mutant ---- */

typedef struct mutant {
    edit edit;
    const zl_event *event; /* of the original; NULL: a declaration */
    char what[160];
} mutant;

static const char *why_right(const mutant *m)
{
    for (size_t i = 0; i < sizeof rights / sizeof *rights; i++) {
        const struct right *r = &rights[i];
        bool scope =
            m->event && (r->scope == ANY || r->scope == m->event->scope || r->edit == CHANGE);
        if (m->event && r->edit == m->edit && r->event == m->event->kind && scope)
            return r->because;
    }
    return m->event ? NULL : "no event counts the bytes of memory that threads write and read";
}

static void accepted(world *w, const mutant *m, const zlay_pipe *pipe, const char *fault)
{
    static char proof[PROOF];
    zlay_buf buf = {proof, sizeof proof, 0};
    zlay_answer answer = ZLAY_NO;
    size_t count;
    const char *because = why_right(m);
    w->accepted++;
    if (fault || !because)
        fail_msg("%s: %s is accepted: %s", w->name, m->what, fault ? fault : "no row says why");
    print_message("  accepted  %s: %s\n", m->what, because);
    assert_int_equal(zlay_pipe_verify(w->ctx, &answer, NULL, 0, &count, &buf, pipe), ZLAY_OK);
    answer = ZLAY_NO;
    assert_int_equal(zlay_pipe_recheck(w->ctx, &answer, pipe, proof, buf.need), ZLAY_OK);
    bool runs = strstr(proof, " by runs\n") != NULL;
    w->runs += runs;
    if (answer != ZLAY_YES)
        fail_msg("%s: proof of %s: %s", w->name, m->what, zlay_ctx_message(w->ctx));
}

static void refused(world *w, const mutant *m, const zlay_pipe *pipe, const char *fault,
                    const zlay_pipe_reason *reason)
{
    zlay_answer answer = ZLAY_YES;
    w->refused++;
    w->seen += fault != NULL;
    assert_non_null(zlay_pipe_rule_name(reason->rule));
    assert_true(reason->line > 0 && reason->steps > 0);
    if (!(breaks[m->event ? m->event->kind : 0] >> reason->rule & 1))
        fail_msg("%s: %s cannot break %s", w->name, m->what, zlay_pipe_rule_name(reason->rule));
    assert_int_equal(zlay_pipe_recheck(w->ctx, &answer, pipe, w->proof, w->proof_length), ZLAY_OK);
    if (answer != ZLAY_NO)
        fail_msg("%s: %s is refused, but not by the proof of the original", w->name, m->what);
    if (!fault)
        fail_msg("%s: %s is refused by %s, and no run fails", w->name, m->what,
                 zlay_pipe_rule_name(reason->rule));
}

static void judge(world *w, const mutant *m, const char *text, size_t length)
{
    zlay_answer answer = ZLAY_YES;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    if (length == strlen(w->sheet.text) && !memcmp(text, w->sheet.text, length)) return;
    w->mutants++;
    zlay_pipe *pipe = parse(w, text, length);
    if (!pipe) {
        w->unread++;
        return;
    }
    assert_int_equal(zlay_pipe_verify(w->ctx, &answer, &reason, 1, &count, NULL, pipe), ZLAY_OK);
    const char *fault = explore_all(&w->explorer, pipe, w->single);
    if (answer == ZLAY_YES) accepted(w, m, pipe, fault);
    else if (answer == ZLAY_NO) refused(w, m, pipe, fault, &reason);
    else fail_msg("%s: %s is undecided: %s", w->name, m->what, zlay_ctx_message(w->ctx));
    zlay_pipe_free(pipe);
}

/* ---- lines dropped, doubled, moved ---- */

static void add_line(pipe_text *p, const sheet *s, int line)
{
    memcpy(p->text + p->length, s->line[line], s->length[line]);
    p->length += s->length[line];
}

/* The text with `line` left out, and put before line `place`, -1 nowhere. */
static void put_at(const sheet *s, int line, int place, bool keep, pipe_text *out)
{
    out->length = 0;
    for (int i = 0; i < s->count; i++) {
        if (i == place) add_line(out, s, line);
        if (i != line || keep) add_line(out, s, i);
    }
}

static void describe(mutant *m, const world *w, int line, const char *how)
{
    const char *at = w->sheet.line[line], *end = at + w->sheet.length[line] - 1;
    while (*at == ' ') at++;
    snprintf(m->what, sizeof m->what, "%s %s, line %d: %.*s", edits[m->edit], how, line + 1,
             (int)(end - at), at);
}

/* Lines [first, last) of one section, `last` being the first behind it. */
static void edit_lines(world *w, int first, int last, const zl_event *event)
{
    int line = (int)event->line - 1;
    pipe_text text;
    mutant m = {.edit = DROP, .event = event};
    char how[32];
    if (event->kind == ZL_EV_FOR || event->kind == ZL_EV_END) return;
    describe(&m, w, line, "");
    put_at(&w->sheet, line, -1, false, &text);
    judge(w, &m, text.text, text.length);
    m.edit = DOUBLE;
    describe(&m, w, line, "");
    put_at(&w->sheet, line, line, true, &text);
    judge(w, &m, text.text, text.length);
    m.edit = MOVE;
    for (int place = first; place <= last; place++) {
        if (place == line || place == line + 1) continue;
        snprintf(how, sizeof how, "before line %d", place + 1);
        describe(&m, w, line, how);
        put_at(&w->sheet, line, place, false, &text);
        judge(w, &m, text.text, text.length);
    }
}

/* ---- numbers changed ---- */

static void judge_changed(world *w, const mutant *m, const zlay_pipe *changed)
{
    static char text[PIPE_TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    assert_int_equal(zlay_pipe_print(&buf, changed), ZLAY_OK);
    judge(w, m, text, buf.need);
}

static void change_to(world *w, zlay_pipe *p, const zl_event *event, const char *what,
                      int64_t *number, int64_t to)
{
    mutant m = {.edit = CHANGE, .event = event};
    char how[64];
    int64_t was = *number;
    snprintf(how, sizeof how, "%s from %lld to %lld", what, (long long)was, (long long)to);
    if (event) describe(&m, w, (int)event->line - 1, how);
    else snprintf(m.what, sizeof m.what, "change %s", how);
    *number = to;
    judge_changed(w, &m, p);
    *number = was;
}

static void change_by_one(world *w, zlay_pipe *p, const zl_event *event, const char *what,
                          int64_t *number)
{
    change_to(w, p, event, what, number, *number - 1);
    change_to(w, p, event, what, number, *number + 1);
}

/* Small fields, through a number of 64 bits. */
static void change_field(world *w, zlay_pipe *p, const zl_event *event, const char *what,
                         int32_t *field, int32_t to)
{
    mutant m = {.edit = CHANGE, .event = event};
    char how[64];
    int32_t was = *field;
    snprintf(how, sizeof how, "%s from %d to %d", what, was, to);
    describe(&m, w, (int)event->line - 1, how);
    *field = to;
    judge_changed(w, &m, p);
    *field = was;
}

static void edit_numbers(world *w, zlay_pipe *p, zl_event *e)
{
    bool loop = e->kind == ZL_EV_FOR,
         moves = e->kind == ZL_EV_STORE || e->kind == ZL_EV_READ || e->kind == ZL_EV_WRITE;
    if (loop || e->smem[0] >= 0) change_by_one(w, p, e, "first offset", &e->at[0].add);
    if (e->smem[1] >= 0) change_by_one(w, p, e, "second offset", &e->at[1].add);
    if (loop || (e->bar >= 0 && e->kind != ZL_EV_INIT))
        change_by_one(w, p, e, "offset", &e->bar_at.add);
    if (e->kind == ZL_EV_WAIT) change_by_one(w, p, e, "offset of parity", &e->parity.add);
    if (e->count || e->kind == ZL_EV_WAITGROUP) change_by_one(w, p, e, "count", &e->count);
    if (e->count) change_to(w, p, e, "count", &e->count, 2 * e->count);
    if (e->kind == ZL_EV_WAIT) change_field(w, p, e, "flip", &e->flip, !e->flip);
    if (e->kind == ZL_EV_MMA) change_field(w, p, e, "fresh", &e->fresh, !e->fresh);
    if (moves || e->kind == ZL_EV_COPY || e->kind == ZL_EV_CPASYNC)
        change_field(w, p, e, "part", &e->part, e->part + 1);
    for (int32_t scope = ZL_BY_ONE; scope <= ZL_BY_THREADS; scope++)
        if (e->kind == ZL_EV_ARRIVE) change_field(w, p, e, "scope", &e->scope, scope);
}

static void edit_declarations(world *w, zlay_pipe *p)
{
    for (uint32_t i = 0; i < p->bars_count; i++)
        change_by_one(w, p, NULL, p->bars[i].name, &p->bars[i].count);
    for (uint32_t i = 0; i < p->smems_count; i++)
        change_by_one(w, p, NULL, p->smems[i].name, &p->smems[i].bytes);
}

/* ---- all ---- */

static void begin(world *w, size_t i, unsigned stages)
{
    pipe_text text;
    zlay_buf proof = {w->proof, PROOF, 0};
    zlay_answer answer = ZLAY_NO;
    size_t count;
    memset(w, 0, sizeof *w);
    w->name = pipes[i].name;
    w->single = !strcmp(w->name, "single");
    assert_int_equal(zlay_ctx_new(&w->ctx, NULL, NULL), ZLAY_OK);
    explore_open(&w->explorer, STATES);
    pipe_make(&text, i, stages);
    zlay_pipe *first = parse(w, text.text, text.length);
    assert_non_null(first);
    print_into(&w->sheet, first);
    zlay_pipe_free(first);
    w->original = parse(w, w->sheet.text, strlen(w->sheet.text));
    assert_int_equal(zlay_pipe_verify(w->ctx, &answer, NULL, 0, &count, &proof, w->original),
                     ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    w->proof_length = proof.need;
    assert_null(explore_all(&w->explorer, w->original, w->single));
}

static void end(world *w, zlay_pipe *changed)
{
    print_message("%s: %d mutants: %d do not parse, %d refused (%d "
                  "seen to fail), %d accepted and run, %d of them proved by runs\n",
                  w->name, w->mutants, w->unread, w->refused, w->seen, w->accepted, w->runs);
    assert_true(w->refused > 0 && w->accepted > 0 && w->seen == w->refused);
    zlay_pipe_free(changed);
    zlay_pipe_free((zlay_pipe *)w->original);
    zlay_ctx_free(w->ctx);
    explore_close(&w->explorer);
}

static void edit_all(size_t i, unsigned stages)
{
    static world w;
    begin(&w, i, stages);
    const zlay_pipe *p = w.original;
    zlay_pipe *changed = parse(&w, w.sheet.text, strlen(w.sheet.text));
    for (uint32_t k = 0; k < p->setup; k++)
        edit_lines(&w, (int)p->events[0].line - 1, (int)p->roles[0].line - 1, &p->events[k]);
    for (uint32_t r = 0; r < p->roles_count; r++)
        for (uint32_t k = p->roles[r].begin; k < p->roles[r].end; k++) {
            edit_lines(&w, (int)p->roles[r].line, (int)p->events[p->roles[r].end - 1].line,
                       &p->events[k]);
            edit_numbers(&w, changed, &changed->events[k]);
        }
    edit_declarations(&w, changed);
    end(&w, changed);
}

static size_t pipe_named(const char *name)
{
    for (size_t i = 0; i < PIPES; i++)
        if (!strcmp(pipes[i].name, name)) return i;
    fail_msg("no pipe %s", name);
    return 0;
}

/* A ring whose producer publishes a position late needs a third stage. */
static void test_tensor(void **state) { (void)state; edit_all(pipe_named("tensor"), 2); }
static void test_prompt(void **state) { (void)state; edit_all(pipe_named("prompt"), 2); }
static void test_cpasync(void **state) { (void)state; edit_all(pipe_named("cpasync"), 3); }
static void test_mixed(void **state) { (void)state; edit_all(pipe_named("mixed"), 3); }
static void test_write(void **state) { (void)state; edit_all(pipe_named("write"), 3); }
static void test_guarded(void **state) { (void)state; edit_all(pipe_named("guarded"), 2); }
static void test_single(void **state) { (void)state; edit_all(pipe_named("single"), 2); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tensor),  cmocka_unit_test(test_prompt),
        cmocka_unit_test(test_cpasync), cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_write),   cmocka_unit_test(test_guarded),
        cmocka_unit_test(test_single),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
