/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor memory that a pipe owns: the bugs that others published, by name, and correct pipes. */
#include "pipes/named.h"
#include "pipes/pipe-edits.h"
#include "pipes/tmem.h"

/* ---- correct pipes ---------------------------------------------------------------------------- */

#define HEAD(allocs)                                                                                 \
    "pipe g;param N 1..;smem A[2] 64;smem B[2] 64;tmem C[2] 128;bar full[2] count 1;"                  \
    "bar empty[2] count 1;bar done[2] count 1;bar taken[2] count 4;"                                   \
    "init full;init empty;init done;init taken;" allocs "fence mbarrier_init;sync cta;"
#define PRODUCT                                                                                      \
    "role issue warps 1..1 elect;for i in 0..N;wait full[i % 2] parity i / 2 % 2;"                     \
    "wait taken[i % 2] parity (i / 2 + 1) % 2;fence tcgen05.after;"                                    \
    "mma A[i % 2], B[i % 2] -> C[i % 2] fresh;commit tcgen05 signal empty[i % 2];"                     \
    "commit tcgen05 signal done[i % 2];end;end;"
#define EPILOGUE(lanes, wait)                                                                        \
    "role epilogue warps 4..7;for i in 0..N;wait done[i % 2] parity i / 2 % 2;fence tcgen05.after;"    \
    "tld C[i % 2] " lanes "-> R;" wait "use R;fence tcgen05.before;arrive taken[i % 2] warps;end;end;"
#define OWNER(lines) "role owner warps 0..0;" lines "end;"
#define LOADER                                                                                       \
    "role load warps 2..2 elect;for i in 0..N;wait empty[i % 2] parity (i / 2 + 1) % 2;"               \
    "expect full[i % 2] 128;arrive full[i % 2];copy tensor 64 -> A[i % 2] signal full[i % 2];"         \
    "copy tensor 64 -> B[i % 2] signal full[i % 2];end;end;"

static const char *const correct[] = {
    HEAD("alloc C;relinquish;") PRODUCT EPILOGUE("", "twait ld;") LOADER OWNER("dealloc C;"),
    "pipe a;tmem C[1] 64;alloc C;sync cta;role r warps 0..3;tst R -> C[0];twait st;tld C[0] -> S;"
    "twait ld;use S;end;role o warps 4..4;dealloc C;end;",
    "pipe b;tmem C[1] 256;tmem D[1] 256;role r warps 0..0;alloc C;alloc D;dealloc C;dealloc D;alloc C;"
    "dealloc C;relinquish;end;",
    "pipe c;param N 0..;tmem C[1] 32;role r warps 0..0;for i in 0..N;alloc C;dealloc C;end;relinquish;"
    "end;",
    "pipe d;cluster 2;tmem C[1] 512 pair;sync cluster;alloc C;sync cluster;role r warps 0..0;dealloc C;"
    "end;",
    "pipe e;tmem C[1] 32;role a warps 2..2;tld C[0] lanes 64..95 columns 8..31 -> R;twait ld;end;"
    "role b warps 0..0;alloc C;dealloc C;end;",
    "pipe f;tmem C[1] 32;tmem D[1] 32;alloc C;role a warps 0..0;dealloc C;alloc D;dealloc D;end;",
};

static void test_correct(void **state)
{
    found f;
    zlay_tmem_row row = {0};
    for (size_t i = 0; i < sizeof correct / sizeof *correct; i++) {
        check(*state, &f, correct[i]);
        if (f.count && !zlay_tmem_row_info(&row, f.fault[0].row))
            fail_msg("%zu: %s at line %u", i, row.id, f.fault[0].reason.line);
    }
}

/* ---- the named set ------------------------------------------------------------------------------ */

/* A named pipe with the first `what` replaced; `what` "": as it is. */
static void check_named(zlay_ctx *ctx, found *out, const char *name, unsigned stages,
                        const char *what, const char *by)
{
    static char text[NAMED_TEXT], edited[NAMED_TEXT];
    zlay_pipe *pipe;
    named_read(text, name, stages);
    const char *at = strstr(text, what);
    if (!at) fail_msg("%s has no %s", name, what);
    snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - text), text, by, at + strlen(what));
    if (zlay_pipe_parse(ctx, &pipe, edited, strlen(edited)))
        fail_msg("%s", zlay_ctx_message(ctx));
    check_pipe(ctx, out, pipe);
}

static void test_named(void **state)
{
    found f;
    zlay_tmem_row row = {0};
    for (size_t i = 0; i < NAMED; i++)
        for (unsigned stages = named[i].fewest; stages < named[i].fewest + 3; stages++) {
            check_named(*state, &f, named[i].name, stages, "", "");
            if (f.count && !zlay_tmem_row_info(&row, f.fault[0].row))
                fail_msg("%s: %s at line %u", named[i].name, row.id, f.fault[0].reason.line);
            bool tensor = !strcmp(named[i].name, "blackwell") || !strcmp(named[i].name, "pair");
            if (tensor && f.answer != ZLAY_YES) fail_msg("%s: %d", named[i].name, f.answer);
        }
}

static void test_named_edits(void **state)
{
    static const struct {
        const char *what, *by, *id;
    } edits[] = {
        {"  dealloc C\n", "", "TMEM_LEAK"},
        {"  dealloc C\n", "  dealloc C\n  dealloc C\n", "TMEM_FREE_ONCE"},
        {"\nalloc C\n", "\n", "TMEM_USE_UNALLOCATED"},
        {"\nalloc C\n", "\nrelinquish\nalloc C\n", "TMEM_ALLOC_AFTER"},
        {"\nalloc C\n", "\nalloc C\nalloc C\n", "TMEM_ALLOC_TWICE"},
        {"tmem C[2] ", "tmem C[2] 3", "TMEM_ALLOC_RANGE"},
        {"twait ld\n", "", "TMEM_USE_UNWAITED"},
        {"twait ld\n", "twait st\n", "TMEM_NEVER_WAITED"},
        {"-> R\n", "lanes 96..128 -> R\n", "TMEM_LANE_END"},
        {"-> R\n", "columns 0..256 -> R\n", "TMEM_OWNED_LAST"},
    };
    static const char *const names[] = {"blackwell", "pair"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++)
        for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
            found f;
            const char *what = edits[i].what;
            if (!strcmp(what, "-> R\n")) what = "tld C[t % 2] -> R\n";
            char by[128];
            snprintf(by, sizeof by, "%s%s", what == edits[i].what ? "" : "tld C[t % 2] ", edits[i].by);
            check_named(*state, &f, names[n], 4, what, by);
            if (!fault_of(&f, edits[i].id)) fail_msg("%s: no %s", names[n], edits[i].id);
        }
}

/* Every single edit of three pipes; unless ZLAY_EXHAUSTIVE=1, one in five. */
typedef struct all_edits {
    zlay_ctx *ctx;
    uint64_t next, every;
    uint32_t rows;
} all_edits;

static void check_edit(void *user, const pipe_edit *edit, const char *text, size_t length)
{
    all_edits *e = user;
    zlay_pipe *pipe;
    found f;
    (void)edit;
    if (e->next--) return;
    e->next = e->every - 1;
    if (zlay_pipe_parse(e->ctx, &pipe, text, length)) return;
    check_pipe(e->ctx, &f, pipe);
    e->rows += f.count && f.fault[0].row;
}

static void test_all_edits(void **state)
{
    static const char *const names[] = {"blackwell", "pair", "epilogue"};
    static char text[NAMED_TEXT];
    all_edits e = {.ctx = *state, .every = test_exhaustive() ? 1 : 5};
    e.next = test_seed("edits") % e.every;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = named_read(text, names[i], 1);
        pipe_edits_all(*state, text, length, check_edit, &e);
    }
    printf("%u edits break a row\n", e.rows);
    assert_true(e.rows > 10);
}

/* ---- the example of zlay/pipe_tmem.h ------------------------------------------------------------ */

static void test_example(void **state)
{
    static const struct {
        const char *id;
        uint32_t line;
        int32_t rule;
    } rows[] = {{"TMEM_ALLOC_POWER", 3, ZLAY_PIPE_TMEM_COLUMNS},
                {"TMEM_WARP_LANES", 6, ZLAY_PIPE_TMEM_LANES},
                {"TMEM_USE_UNWAITED", 7, ZLAY_PIPE_TMEM_USE},
                {"TMEM_NEVER_WAITED", 6, ZLAY_PIPE_TMEM_USE},
                {"TMEM_LEAK", 3, ZLAY_PIPE_TMEM_LEAK}};
    found f;
    check(*state, &f,
          "pipe leak;tmem C[3] 128;alloc C;sync cta;role r warps 2..2;tld C[0] lanes 0..31 -> R;"
          "use R;end;");
    assert_int_equal(f.count, sizeof rows / sizeof *rows);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const zlay_tmem_fault *fault = fault_of(&f, rows[i].id);
        if (!fault) fail_msg("no %s", rows[i].id);
        assert_int_equal(fault->reason.line, rows[i].line);
        assert_int_equal(fault->reason.rule, rows[i].rule);
    }
}

/* ---- what was published ------------------------------------------------------------------------- */

static const struct {
    const char *name, *lines, *id;
    uint32_t line;
} published[] = {
    {"CUTLASS pull request 3316: a pair allocates before its peer is launched",
     "pipe p;cluster 2;tmem C[1] 512 pair;alloc C;sync cluster;role r warps 0..0;dealloc C;end;",
     "TMEM_PAIR_LAUNCHED", 4},
    {"a persistent loop allocates after relinquish",
     "pipe p;param N 0..;tmem C[1] 128;role r warps 0..0;for i in 0..N;alloc C;relinquish;dealloc C;end;"
     "end;",
     "TMEM_ALLOC_AFTER", 6},
    {"CUTLASS issue 2230: a tutorial that never allocates",
     "pipe p;smem A[1] 64;smem B[1] 64;bar d[1] count 1;tmem C[1] 128;role r warps 0..0 elect;"
     "mma A[0], B[0] -> C[0] fresh;commit tcgen05 signal d[0];end;",
     "TMEM_USE_UNALLOCATED", 7},
    {"tilelang pull request 2831: 384 + 4 + 4 + 4 columns are 608",
     "pipe p;tmem C[1] 512;tmem S[1] 32;alloc C;alloc S;role r warps 0..0;dealloc C;dealloc S;end;",
     "TMEM_ALLOC_SUM", 5},
    {"tilelang pull request 2831: 384 columns are no allocation",
     "pipe p;tmem C[3] 128;alloc C;role r warps 0..0;dealloc C;end;", "TMEM_ALLOC_POWER", 3},
    {"XLA pull request 40118: more than 512 columns",
     "pipe p;tmem C[5] 128;alloc C;role r warps 0..0;dealloc C;end;", "TMEM_ALLOC_RANGE", 3},
    {"Fuser pull request 4014: epilogue warps 2 to 5 load from the lanes of their place in the role",
     "pipe p;tmem C[1] 32;alloc C;sync cta;role e warps 2..2;tld C[0] lanes 0..31 -> R;twait ld;"
     "dealloc C;end;",
     "TMEM_WARP_LANES", 6},
    {"a warp reads beyond the columns of its stage",
     "pipe p;tmem C[1] 32;alloc C;sync cta;role e warps 0..3;tld C[0] columns 16..32 -> R;twait ld;"
     "dealloc C;end;",
     "TMEM_OWNED_LAST", 6},
    {"lanes beyond 127",
     "pipe p;tmem C[1] 32;alloc C;sync cta;role e warps 0..3;tld C[0] lanes 96..159 -> R;twait ld;"
     "dealloc C;end;",
     "TMEM_LANE_END", 6},
    {"a leak: nobody frees", "pipe p;tmem C[1] 32;alloc C;role r warps 0..0;sync role;end;", "TMEM_LEAK",
     3},
    {"a leak where the loop is not entered",
     "pipe p;param N 0..;tmem C[1] 32;alloc C;role r warps 0..0;for i in 0..N;dealloc C;end;end;",
     "TMEM_LEAK", 4},
    {"a double free", "pipe p;tmem C[1] 32;alloc C;role r warps 0..0;dealloc C;dealloc C;end;",
     "TMEM_FREE_ONCE", 6},
    {"a double free by two roles",
     "pipe p;tmem C[1] 32;alloc C;role r warps 0..0;dealloc C;end;role s warps 1..1;dealloc C;end;",
     "TMEM_FREE_ONCE", 8},
    {"freed in every trip of a loop",
     "pipe p;param N 1..;tmem C[1] 32;alloc C;role r warps 0..0;for i in 0..N;dealloc C;end;end;",
     "TMEM_FREE_ONCE", 7},
    {"used after it is freed",
     "pipe p;tmem C[1] 32;alloc C;role r warps 0..3;dealloc C;tld C[0] -> R;twait ld;end;",
     "TMEM_USE_FREED", 6},
    {"registers read before the load is over",
     "pipe p;tmem C[1] 32;smem S[1] 64;alloc C;role r warps 0..3;tld C[0] -> R;write S[0] from R;"
     "twait ld;dealloc C;end;",
     "TMEM_USE_UNWAITED", 7},
    {"stored from registers that are still loaded",
     "pipe p;tmem C[1] 32;alloc C;role r warps 0..3;tld C[0] -> R;tst R -> C[0];twait ld;twait st;"
     "dealloc C;end;",
     "TMEM_USE_UNWAITED", 6},
    {"freed while a store is in flight",
     "pipe p;tmem C[1] 32;alloc C;role r warps 0..3;tst R -> C[0];twait ld;dealloc C;end;",
     "TMEM_NEVER_WAITED", 5},
    {"a product that is never committed",
     "pipe p;smem A[1] 64;smem B[1] 64;tmem C[1] 32;alloc C;role r warps 0..0;dealloc C;end;"
     "role i warps 1..1 elect;mma A[0], B[0] -> C[0] fresh;end;",
     "TMEM_NEVER_COMMITTED", 10},
    {"alloc inside elect.sync", "pipe p;tmem C[1] 32;role r warps 0..0 elect;alloc C;dealloc C;end;",
     "TMEM_ALLOC_WARP", 4},
    {"relinquish inside elect.sync",
     "pipe p;tmem C[1] 32;alloc C;role r warps 0..0;dealloc C;end;role e warps 1..1 elect;relinquish;end;",
     "TMEM_ALLOC_WARP", 8},
    {"800 threads enter the allocation of 128", "pipe p;tmem C[1] 32;role r warps 0..24;alloc C;dealloc C;end;",
     "TMEM_ALLOC_WARP", 4},
    {"tcgen05.ld by one thread",
     "pipe p;tmem C[1] 32;alloc C;role r warps 0..0;dealloc C;end;role e warps 1..1 elect;"
     "tld C[0] -> R;twait ld;end;",
     "TMEM_WHOLE_WARPS", 8},
    {"a later allocation is larger",
     "pipe p;tmem C[1] 32;tmem D[1] 64;alloc C;alloc D;role r warps 0..0;dealloc C;dealloc D;end;",
     "TMEM_ALLOC_LARGER", 5},
    {"allocated twice", "pipe p;tmem C[1] 32;alloc C;alloc C;role r warps 0..0;dealloc C;end;",
     "TMEM_ALLOC_TWICE", 4},
    {"both cta_groups in one kernel",
     "pipe p;cluster 2;tmem C[1] 32;tmem D[1] 32 pair;sync cluster;alloc C;alloc D;role r warps 0..0;"
     "dealloc C;dealloc D;end;",
     "TMEM_GROUP_ALIKE", 7},
    {"a pair of one block",
     "pipe p;cluster 3;tmem C[1] 32 pair;sync cluster;alloc C;role r warps 0..0;dealloc C;end;",
     "TMEM_PAIR_BLOCKS", 5},
    {"one block of a pair frees",
     "pipe p;cluster 2;tmem C[1] 32 pair;sync cluster;alloc C;role r warps 0..0 cta 0;dealloc C;end;",
     "TMEM_PAIR_ALIKE", 5},
};

static void test_published(void **state)
{
    bool seen[64] = {false};
    zlay_tmem_row row;
    for (size_t i = 0; i < sizeof published / sizeof *published; i++) {
        found f;
        check(*state, &f, published[i].lines);
        const zlay_tmem_fault *fault = fault_of(&f, published[i].id);
        if (!fault) fail_msg("%s: no %s among %zu", published[i].name, published[i].id, f.count);
        if (fault->reason.line != published[i].line)
            fail_msg("%s: line %u", published[i].name, fault->reason.line);
        seen[fault->row] = true;
    }
    for (uint32_t i = 1; !zlay_tmem_row_info(&row, i); i++) {
        if (!seen[i]) fail_msg("nothing here breaks %s", row.id);
        assert_non_null(row.text);
        assert_non_null(row.source);
        assert_non_null(zlay_pipe_rule_name(row.rule));
    }
}

/* What was published of order between roles and blocks, as edits of named pipes. */
static const struct {
    const char *name, *pipe, *what, *by;
    int32_t rule;
} ordered[] = {
    {"CUTLASS issue 3435: a block goes on before its peer has allocated", "pair",
     "fence mbarrier_init\nsync cluster\n", "fence mbarrier_init\nsync cta\n", ZLAY_PIPE_PEER},
    {"sglang pull request 34549: a block exits while work for its peer is in flight", "pair",
     "      wait empty[j % 4] parity (j / 4 + 1) % 2  # no arrival may come when the block has gone\n",
     "", ZLAY_PIPE_PEER},
    {"FlashAttention pull request 2312: freed while other warps still read", "blackwell",
     "  wait over[0] parity 0 / 1 % 2\n", "", ZLAY_PIPE_TMEM_USE},
    {"flashinfer issue 5334: a stage is released while its load is in flight", "blackwell",
     "    twait ld\n    fence tcgen05.before\n    arrive taken[t % 2] warps\n",
     "    fence tcgen05.before\n    arrive taken[t % 2] warps\n    twait ld\n", ZLAY_PIPE_TMEM_USE},
    {"CUTLASS issue 2974: is fence::before needed after wait::ld", "pair", "    fence tcgen05.before\n",
     "", ZLAY_PIPE_TCGEN05},
    {"no fence::after before tcgen05.ld", "pair", "    fence tcgen05.after\n    tld", "    tld",
     ZLAY_PIPE_TCGEN05},
    {"CuTeDSL tcgen05_commit: the mask leaves the peer out", "pair",
     "commit tcgen05 signal summed[t % 2] multicast 3", "commit tcgen05 signal summed[t % 2]",
     ZLAY_PIPE_DEADLOCK},
    {"tilelang issue 2644: bytes times the blocks of the cluster", "pair",
     "expect full[i % 4] 2*tA + 2*tB", "expect full[i % 4] 4*tA + 4*tB", ZLAY_PIPE_BYTES},
    {"CUTLASS issue 3643: the peer's load is awaited by nobody", "pair",
     "copy tensor tB -> B[i % 4] part 1 signal full[i % 4] cta 0",
     "copy tensor tB -> B[i % 4] part 1 signal full[i % 4]", ZLAY_PIPE_BYTES},
    {"CUTLASS issue 3643: an arrival stays in its block", "pair", "arrive taken[t % 2] warps cta 0",
     "arrive taken[t % 2] warps", ZLAY_PIPE_DEADLOCK},
    {"columns used before their address is known", "blackwell", "alloc C\nrelinquish\n", "",
     ZLAY_PIPE_TMEM_USE},
};

static void test_ordered(void **state)
{
    for (size_t i = 0; i < sizeof ordered / sizeof *ordered; i++) {
        found f;
        bool told = false;
        check_named(*state, &f, ordered[i].pipe, 4, ordered[i].what, ordered[i].by);
        if (f.answer != ZLAY_NO) fail_msg("%s: answer %d", ordered[i].name, f.answer);
        for (size_t k = 0; k < f.count; k++) told = told || f.fault[k].reason.rule == ordered[i].rule;
        if (!told)
            fail_msg("%s: %s at line %u", ordered[i].name,
                     zlay_pipe_rule_name(f.fault[0].reason.rule), f.fault[0].reason.line);
    }
}

static void test_misuse(void **state)
{
    zlay_pipe *pipe = parse(*state, correct[1]);
    zlay_answer answer;
    zlay_tmem_row row;
    size_t count;
    assert_int_equal(zlay_pipe_tmem_check(*state, NULL, NULL, 0, &count, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_tmem_check(*state, &answer, NULL, 1, &count, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_tmem_check(*state, &answer, NULL, 0, NULL, pipe), ZLAY_EINVAL);
    assert_int_equal(zlay_pipe_tmem_check(*state, &answer, NULL, 0, &count, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_tmem_row_info(&row, 0), ZLAY_NONE);
    assert_int_equal(zlay_tmem_row_info(NULL, 1), ZLAY_EINVAL);
    zlay_pipe_free(pipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_correct),   cmocka_unit_test(test_example),
        cmocka_unit_test(test_named),     cmocka_unit_test(test_named_edits), cmocka_unit_test(test_all_edits),
        cmocka_unit_test(test_published), cmocka_unit_test(test_ordered),
        cmocka_unit_test(test_misuse),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
