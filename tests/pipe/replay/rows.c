/* SPDX-License-Identifier: Apache-2.0 */
/* Rules of what a block has once: its registers, its barriers by number, the grid before it, the last phase
 * of its barriers.  Each row is a pipe and its answer; a proof is checked again, and of a refused pipe the
 * values that the trace names lie in their ranges and their run has a fault by the checker, too. */

#include <stdlib.h>
#include <string.h>
#include <zlay/pipe.h>

#include "pipe/language/pipe.h"
#include "pipe/replay/recheck/runs.h"
#include "group_ctx.h"

#define TAKE(r, roles) "pipe p\nregisters " r "\n" roles
#define ALONE(r, text) TAKE(r, "role a warps 0..3\n" text "end\n")
#define THREE(r, dec, inc)                                                                                  \
    TAKE(r, "role p warps 0..3\nsetmaxnreg dec " dec "\nend\nrole c warps 4..11 each 4\nsetmaxnreg inc " inc "\nend\n")
#define TWICE(between) ALONE("128", "setmaxnreg dec 64\n" between "setmaxnreg dec 40\n")
#define BAR(count) "pipe p\nbar x[1] count " count "\ninit x\nfence mbarrier_init\nsync cta\n"
#define TWO(first, second) "role a warps 0..3\n" first "end\nrole b warps 4..7\n" second "end\n"
#define GRID(event) "pipe p\nsmem A[1] 64\nflag f[1]\nglobal W[1]\nmap m[1]\nrole a warps 0..3\n" event "griddep wait\nend\n"
#define SHORT(copies)                                                                                       \
    "pipe p\nparam N 0..\nsmem A[2] 64\nbar full[2] count 1\nbar empty[2] count 128\ninit full\ninit empty\n"  \
    "fence mbarrier_init\nsync cta\nrole p warps 0..0 elect\nfor i in 0..N\n"                                \
    "wait empty[i % 2] parity (i / 2 + 1) % 2\n" copies                                                     \
    "end\nend\nrole c warps 4..7\nfor i in 0..N\nwait full[i % 2] parity i / 2 % 2\nread A[i % 2]\n"           \
    "arrive empty[i % 2] threads\nend\nend\n"
#define HALF(part) "copy bulk 32 -> A[i % 2] part " part " signal full[i % 2]\n"

static const struct row {
    const char *name, *text, *rule; /* "": accepted; EINVAL: no pipe */
} rows[] = {
    {"a meeting of one warp by number, beside threads that wait in the block's next",
     "pipe p\nparam N 1..3\nsmem D[2] 16\nrole a warps 0..0\nfor i in 0..N\nsync cta\nwrite D[i % 2]\nsync cta\n"
     "sync named 0 32\nend\nend\nrole b warps 4..7\nfor i in 0..N\nsync cta\nsync cta\nread D[i % 2]\nend\nend\n",
     "overrun"},
    {"one warpgroup asks for more than its launch", ALONE("96", "setmaxnreg inc 240\n"), "registers"},
    {"152 of 384 threads are too few for 40 and 232", THREE("152", "40", "232"), "registers"},
    {"168 are just enough", THREE("168", "40", "232"), ""},
    {"160 and 224 of 160", THREE("160", "32", "224"), ""},
    {"224 of 152", THREE("152", "40", "224"), "registers"},
    {"a launch of 256 for 384 threads", THREE("256", "40", "256"), "registers"},
    {"warps without a role keep theirs", TAKE("96", "role a warps 0..3\nsetmaxnreg inc 160\nend\nrole b warps 12..12\nend\n"), "registers"},
    {"and give none", TAKE("96", "role a warps 0..3\nsetmaxnreg dec 40\nend\nrole b warps 8..11\nsetmaxnreg inc 152\nend\n"), ""},
    {"what a launch gives comes by eights", ALONE("100", "setmaxnreg dec 40\n"), "registers"},
    {"two without a meeting", TWICE(""), "registers"},
    {"a meeting of each warp", TWICE("sync warp\n"), "registers"},
    {"two, and the role meets", TWICE("sync role\n"), ""},
    {"two, and the block meets", TWICE("sync cta\n"), ""},
    {"two, and the warpgroup meets by number", TWICE("sync named 3 128\n"), ""},
    {"a number that others come to, too", TWICE("join named 3 128\n"), "registers"},
    {"they meet at an mbarrier", BAR("128") "role a warps 0..3\narrive x[0] threads\nwait x[0] parity 0 / 1 % 2\nend\n", ""},
    {"two, and all threads arrive at an mbarrier and wait",
     "pipe p\nregisters 128\nbar x[1] count 128\ninit x\nfence mbarrier_init\nsync cta\nrole a warps 0..3\nsetmaxnreg dec 64\n"
     "arrive x[0] threads\nwait x[0] parity 0 / 1 % 2\nsetmaxnreg dec 40\nend\n", ""},
    {"two, and one thread alone arrives",
     "pipe p\nregisters 128\nbar x[1] count 1\ninit x\nfence mbarrier_init\nsync cta\nrole a warps 0..3\nsetmaxnreg dec 64\n"
     "arrive x[0]\nwait x[0] parity 0 / 1 % 2\nsetmaxnreg dec 40\nend\n", "registers"},
    {"an elected thread meets nobody",
     TAKE("128", "role a warps 0..3 elect\nsetmaxnreg dec 64\nsetmaxnreg dec 40\nend\n"), "registers"},
    {"in a loop", "pipe p\nregisters 128\nparam N 0..\nrole a warps 0..3\nfor i in 0..N\nsetmaxnreg dec 128\nend\nend\n", "registers"},
    {"in a loop with a meeting",
     "pipe p\nregisters 128\nparam N 0..\nrole a warps 0..3\nfor i in 0..N\nsetmaxnreg dec 128\nsync role\nend\nend\n", ""},

    {"number 0 beside `sync cta`", "pipe p\n" TWO("sync named 0 128\nsync cta\n", "sync cta\n"), "overrun"},
    {"two who come to it in two ways", "pipe p\n" TWO("sync named 0 128\n", "sync cta\n"), "overrun"},
    {"number 0 of the whole block is no `sync cta`", "pipe p\n" TWO("sync named 0 256\n", "sync cta\n"), "count"},
    {"number 0 behind a meeting of the block", "pipe p\n" TWO("sync cta\nsync named 0 128\n", "sync cta\n"), ""},
    {"and before one that all know of",
     "pipe p\n" TWO("sync named 0 256\nsync cta\n", "sync named 0 256\nsync cta\n"), ""},
    {"number 0 alone", "pipe p\n" TWO("sync named 0 128\n", ""), ""},
    {"number 1 beside `sync cta`", "pipe p\n" TWO("sync named 1 128\nsync cta\n", "sync cta\n"), ""},

    {"stores before the wait for the grid", GRID("write W[0]\n"), "grid"},
    {"loads before it", GRID("read W[0]\n"), "grid"},
    {"raises before it", GRID("raise f[0]\n"), "grid"},
    {"changes a map before it", GRID("update m[0]\n"), "grid"},
    {"writes shared memory before it", GRID("write A[0]\nsync role\nread A[0]\n"), ""},
    {"stores a stage before it", GRID("write A[0]\nfence proxy.async\nsync role\nstore A[0] 64\ncommit bulk\nwaitgroup bulk 0\n"), "grid"},
    {"another has waited and tells",
     "pipe p\nglobal W[1]\nbar x[1] count 128\ninit x\nfence mbarrier_init\nsync cta\n"
     TWO("griddep wait\narrive x[0] threads\n", "wait x[0] parity 0 / 1 % 2\nwrite W[0]\n"), ""},
    {"another waits, and tells before",
     "pipe p\nglobal W[1]\nbar x[1] count 128\ninit x\nfence mbarrier_init\nsync cta\n"
     TWO("arrive x[0] threads\ngriddep wait\n", "wait x[0] parity 0 / 1 % 2\nwrite W[0]\n"), "grid"},
    {"another waits, and tells nobody", "pipe p\nglobal W[1]\n" TWO("griddep wait\n", "write W[0]\n"), "grid"},

    {"arrivals left over", BAR("8") "role a warps 0..3\narrive x[0] warps\nend\n", "count"},
    {"none left over", BAR("4") "role a warps 0..3\narrive x[0] warps\nend\n", ""},
    {"one of two consumers loops to K - 1",
     "pipe p\nparam K 1..\nsmem A[2] 16\nbar full[2] count 1\nbar empty[2] count 8\ninit full\ninit empty\nfence mbarrier_init\n"
     "sync cta\nrole p warps 0..0 elect\nfor i in 0..K\nwait empty[i % 2] parity (i / 2 + 1) % 2\nexpect full[i % 2] 16\n"
     "arrive full[i % 2]\ncopy tensor 16 -> A[i % 2] signal full[i % 2]\nend\nend\n"
     "role c warps 4..7\nfor i in 0..K\nwait full[i % 2] parity i / 2 % 2\nread A[i % 2]\nsync role\narrive empty[i % 2] warps\n"
     "end\nend\nrole d warps 8..11\nfor i in 0..K-1\nwait full[i % 2] parity i / 2 % 2\nread A[i % 2]\nsync role\n"
     "arrive empty[i % 2] warps\nend\nend\n", "count"},

    {"fewer bytes than one copy", SHORT("expect full[i % 2] 32\narrive full[i % 2]\ncopy bulk 64 -> A[i % 2] signal full[i % 2]\n"), "bytes"},
    {"bytes of the first of two copies", SHORT("expect full[i % 2] 32\narrive full[i % 2]\n" HALF("0") HALF("1")), "bytes"},
    {"bytes of both copies", SHORT("expect full[i % 2] 64\narrive full[i % 2]\n" HALF("0") HALF("1")), ""},
    {"more bytes than copies", SHORT("expect full[i % 2] 96\narrive full[i % 2]\n" HALF("0") HALF("1")), "bytes"},
};
#define RING(params, slot, loops, ends)                                                                       \
    "pipe p\n" params "smem A[2] 64\nbar full[2] count 1\nbar empty[2] count 128\ninit full\ninit empty\n"      \
    "fence mbarrier_init\nsync cta\nrole p warps 0..0 elect\n" loops                                          \
    "wait empty[" slot " % 2] parity (" slot " / 2 + 1) % 2\nexpect full[" slot " % 2] 64\narrive full[" slot " % 2]\n" \
    "copy bulk 64 -> A[" slot " % 2] signal full[" slot " % 2]\n" ends "end\nrole c warps 4..7\n" loops           \
    "wait full[" slot " % 2] parity " slot " / 2 % 2\nread A[" slot " % 2]\narrive empty[" slot " % 2] threads\n" ends "end\n"
#define OWN(params, loop, at)                                                                                \
    "pipe p\n" params "smem D[2] 64\nrole a warps 0..3\n" loop "write D[" at " % 2]\nsync role\nread D[" at " % 2]\nsync role\nend\nend\n"

/* What was undecided: numbers and params of one value, loops three deep, loops of a million turns; and what
 * is wrong in them. */
static const struct row decided[] = {
    {"a counter times a param of one value", OWN("param T 0..\nparam E 2..2\n", "for t in 0..T\n", "(t*E)"), ""},
    {"of three", OWN("param T 0..\nparam E 3..3\n", "for t in 0..T\n", "(t*E)"), ""},
    {"of some values", OWN("param T 0..\nparam E 1..4\n", "for t in 0..T\n", "(t*E)"), ""},
    {"a number times a counter", OWN("param T 0..\n", "for t in 0..T\n", "(2*t)"), ""},
    {"a counter times a number", OWN("param T 0..\n", "for t in 0..T\n", "(t*3 + 1)"), ""},
    {"the same position twice", OWN("param T 2..\n", "for t in 0..T\n", "(t*0 + 1)"), "EINVAL"},
    {"a ring of every other stage", RING("param T 0..\n", "(2*i)", "for i in 0..T\n", "end\n"), ""},
    {"and of every third of two", RING("param T 0..\n", "(3*i)", "for i in 0..T\n", "end\n"), "read-before-full"},
    {"a param of one value ends a loop", RING("param N 3..3\n", "i", "for i in 0..N\n", "end\n"), ""},
    {"three deep",
     RING("param G 0..\nparam T 1..\nparam N 1..\n", "i", "for g in 0..G\nfor t in g*T..g*T+T\nfor i in t*N..t*N+N\n",
          "end\nend\nend\n"), ""},
    {"three deep, two tiles of a group",
     RING("param G 0..\nparam T 2..2\nparam N 1..\n", "i", "for g in 0..G\nfor t in g*T..g*T+T\nfor i in t*N..t*N+N\n",
          "end\nend\nend\n"), ""},
    {"a million turns", RING("", "i", "for i in 0..1000000\n", "end\n"), ""},
    {"a million and one, named", RING("param N 1000001..1000001\n", "i", "for i in 0..N\n", "end\n"), ""},
    {"from a million on", RING("param N 1000000..\n", "i", "for i in 0..N\n", "end\n"), ""},
    {"a thousand times a thousand",
     "pipe p\nsmem D[2] 64\nrole a warps 0..3\nfor t in 0..1000\nfor i in 0..1000\nwrite D[0]\nsync role\nread D[0]\nsync role\n"
     "end\nend\nend\n", ""},
    {"tiles of a thousand", RING("param T 0..\n", "i", "for t in 0..T\nfor i in t*1000..t*1000+1000\n", "end\nend\n"), ""},
    {"a million turns, and nobody waits for free stages",
     "pipe p\nsmem A[2] 64\nbar full[2] count 1\ninit full\nfence mbarrier_init\nsync cta\nrole p warps 0..0 elect\n"
     "for i in 0..1000000\nexpect full[i % 2] 64\narrive full[i % 2]\ncopy bulk 64 -> A[i % 2] signal full[i % 2]\nend\nend\n"
     "role c warps 4..7\nfor i in 0..1000000\nwait full[i % 2] parity i / 2 % 2\nread A[i % 2]\nend\nend\n", "overrun"},
    {"a deadlock within the range of its param",
     "pipe p\nparam N 3..3\nbar x[1] count 1\nbar y[1] count 1\ninit x\ninit y\nfence mbarrier_init\nsync cta\n"
     "role a warps 0..0 elect\nfor i in 0..N\nwait x[i % 1] parity i / 1 % 2\narrive y[i % 1]\nend\nend\n"
     "role b warps 1..1 elect\nfor i in 0..N\nwait y[i % 1] parity i / 1 % 2\narrive x[i % 1]\nend\nend\n", "deadlock"},
};

/* Messages: what is refused or not decided says what, and on which line. */
static const struct message { const char *text, *message; bool parses; } messages[] = {
    {"pipe p\nsmem int[2] 16\nrole a warps 0..3\nend\n", "line 2: 'int' is a reserved word", false},
    {"pipe p\nrole mma warps 0..3\nend\n", "line 2: 'mma' is a reserved word", false},
    {"pipe p\nsmem 3A[2] 16\nrole a warps 0..3\nend\n", "line 2: a name is missing", false},
    {"pipe p\nsmem D[2] 64\nparam T 0..\nrole a warps 0..3\nfor t in 0..T\nread D[(2*T) % 2]\nend\nend\n",
     "line 6: a number multiplies what is no counter", false},
    {"pipe p\nparam N 0..\nsmem D[2] 64\nrole a warps 0..3\nfor t in 0..N\nfor i in 0..N\nwrite D[i % 2]\nsync role\n"
     "read D[i % 2]\nsync role\nend\nend\nend\n", "line 10 comes behind more than 32000 events", true},
    {"pipe p\nparam N 0..\nregisters 128\nrole a warps 0..3\nsetmaxnreg dec 64\nend\nrole b warps 4..7\nsetmaxnreg inc 160\nsync role\nsetmaxnreg inc 192\nend\n"
     "role c warps 8..11\nsetmaxnreg inc 144\nsync role\nsetmaxnreg dec 128\nend\n", "line 8 waits for registers", true},
};

enum { ROWS = sizeof rows / sizeof *rows };

/* The values that a trace begins with, in the ranges of their params. */
static void trace_values(const zlay_pipe *pipe, int64_t *values)
{
    static char trace[1 << 18];
    zlay_buf buf = {trace, sizeof trace - 1, 0};
    assert_int_equal(zlay_pipe_trace(ctx, &buf, pipe), ZLAY_OK);
    const char *at = trace;
    for (uint32_t k = 0; k < pipe->params_count; k++) {
        const zl_param *p = &pipe->params[k];
        size_t length = strlen(p->name);
        assert_true(!strncmp(at, p->name, length) && !strncmp(at + length, " = ", 3));
        values[k] = strtoll(at + length + 3, NULL, 10);
        if (values[k] < p->least || values[k] > p->most) fail_msg("%s = %lld", p->name, (long long)values[k]);
        at = strchr(at, '\n') + 1;
    }
}

static void check_refused(const zlay_pipe *pipe, const struct row *row, const zlay_pipe_reason *reason)
{
    int64_t values[ZL_PIPE_NAMES];
    int32_t rule = 0;
    if (strcmp(zlay_pipe_rule_name(reason->rule), row->rule))
        fail_msg("%s: %s at line %u", row->name, zlay_pipe_rule_name(reason->rule), reason->line);
    trace_values(pipe, values);
    assert_int_equal(zl_rc_try(ctx, &rule, pipe, values), ZLAY_OK);
    if (rule != reason->rule) fail_msg("%s: the checker says %s", row->name, rule ? zlay_pipe_rule_name(rule) : "yes");
}

static void check_row(const struct row *row)
{
    static char proof[1 << 14];
    zlay_pipe *pipe;
    zlay_buf buf = {proof, sizeof proof, 0};
    zlay_answer answer = ZLAY_DEPENDS, again = ZLAY_DEPENDS;
    zlay_pipe_reason reason = {0};
    size_t count = 0;
    zlay_status status = zlay_pipe_parse(ctx, &pipe, row->text, strlen(row->text));
    if (!strcmp(row->rule, "EINVAL")) {
        assert_int_equal(status, ZLAY_EINVAL);
        return;
    }
    if (status) fail_msg("%s: %s", row->name, zlay_ctx_message(ctx));
    assert_int_equal(zlay_pipe_verify(ctx, &answer, &reason, 1, &count, &buf, pipe), ZLAY_OK);
    if (answer == ZLAY_UNDECIDED) fail_msg("%s: %s", row->name, zlay_ctx_message(ctx));
    if (answer != (*row->rule ? ZLAY_NO : ZLAY_YES))
        fail_msg("%s: %d %s at line %u", row->name, (int)answer, count ? zlay_pipe_rule_name(reason.rule) : "", reason.line);
    if (answer == ZLAY_NO) check_refused(pipe, row, &reason);
    else {
        assert_int_equal(zlay_pipe_recheck(ctx, &again, pipe, proof, buf.need), ZLAY_OK);
        if (again != ZLAY_YES) fail_msg("%s: %s\n%s", row->name, zlay_ctx_message(ctx), proof);
    }
    zlay_pipe_free(pipe);
}

static void test_rows(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++) check_row(&rows[i]);
    for (size_t i = 0; i < sizeof decided / sizeof *decided; i++) check_row(&decided[i]);
}

static void test_messages(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof messages / sizeof *messages; i++) {
        const struct message *m = &messages[i];
        zlay_pipe *pipe;
        zlay_answer answer = ZLAY_DEPENDS;
        size_t count = 0;
        zlay_status status = zlay_pipe_parse(ctx, &pipe, m->text, strlen(m->text));
        assert_int_equal(status, m->parses ? ZLAY_OK : ZLAY_EINVAL);
        if (m->parses) {
            assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
            if (answer != ZLAY_UNDECIDED) fail_msg("%d: %s", (int)answer, m->text);
        }
        if (!strstr(zlay_ctx_message(ctx), m->message)) fail_msg("%s\n%s", m->message, zlay_ctx_message(ctx));
        zlay_pipe_free(pipe);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows), cmocka_unit_test(test_messages)};
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
