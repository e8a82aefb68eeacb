/* SPDX-License-Identifier: Apache-2.0 */
/* Refuter of pipe.fences: small random pipes (threads that write for the async proxy, wgmma, tcgen05, tensor maps that change, barriers
 * in one or two stages, loops or none, with lines dropped, doubled and exchanged) are given back their fences.  What is given is accepted by
 * pipe.verify, which has a refuter of its own; no smaller set of fences of any ways at any lines is: all of them are tried where up to two
 * are missing, random ones of more.  Where the answer is none, fences of every way at every line at once are refused, too.  That no fence
 * more makes a pipe wrong, which least rests on, is tried with random ones. */
#include "ctx.h"

#include <stdbool.h>

enum { TEXT = 1 << 14, LINES = 512, WAYS = 6, FENCES = 32, SHAPES = 6, TENSOR = 3, ALL_OF_TWO = 24, NONE_OF_ALL = 8 };

static const char *const ways[WAYS] = {"fence wgmma\n", "fence proxy.async\n", "fence mbarrier_init\n", "fence proxy.tensormap\n",
                                       "fence tcgen05.before\n", "fence tcgen05.after\n"};

/* Lines of a text, each with its end. */
typedef struct lines {
    const char *line[LINES];
    int count, first; /* first: where setup or roles begin */
} lines;

static int below(uint64_t *seed, int count) { return (int)test_range(seed, 0, count - 1); }

/* ---- pipes ----------------------------------------------------------------------------------------------------------------------- */

/* `;` ends a line, `@` is an index of a ring of `$` stages, `#` its counter, `&` the phase of its end, `{` and `}` a loop around them, where there is one. */
static const char *const shapes[SHAPES] = {
    /* threads write, a bulk store reads */
    "pipe a;param N 0..;smem D[1] 64;role r warps 0..3;{waitgroup bulk.read 0;sync role;write D[0];sync role;store D[0] 64;commit bulk;}waitgroup bulk 0;end;",
    /* threads write, products of another role read */
    "pipe b;param N 1..;smem A[$] 16;smem B[$] 32;bar full[$] count 128;bar empty[$] count 4;init full;init empty;sync cta;"
    "role p warps 0..3;{wait empty[@] parity (# / $ + 1) % 2;write A[@] 16;write B[@] 32;arrive full[@] threads;}end;"
    "role c warps 4..7;{wait full[@] parity # / $ % 2;mma A[@], B[@] -> C fresh;commit wgmma;waitgroup wgmma 0;use C;arrive empty[@] warps;}end;",
    /* copies land, products read them; then threads store what came */
    "pipe c;param N 1..;smem A[$] 16;smem B[$] 32;smem D[1] 8 each;bar full[$] count 1;bar empty[$] count 4;init full;init empty;sync cta;"
    "role p warps 0..3 elect;{wait empty[@] parity (# / $ + 1) % 2;expect full[@] 48;arrive full[@];copy tensor 16 -> A[@] signal full[@];copy tensor 32 -> B[@] signal full[@];}end;"
    "role c warps 4..7;{wait full[@] parity # / $ % 2;mma A[@], B[@] -> C fresh;commit wgmma;waitgroup wgmma 0;arrive empty[@] warps;waitgroup bulk.read 0;sync role;write D[0] from C;"
    "sync role;store D[0] 8;commit bulk;}waitgroup bulk 0;end;",
    /* tensor memory: products of one role, loads of another */
    "pipe d;param N 1..;smem A[1] 64;tmem C[1] 128;bar done[1] count 1;bar taken[1] count 4;bar over[1] count 1;bar full[1] count 1;init done;init taken;init over;init full;alloc C;sync cta;"
    "role load warps 1..1 elect;expect full[0] 64;arrive full[0];copy tensor 64 -> A[0] signal full[0];wait full[0] parity 0 / 1 % 2;"
    "{wait taken[@] parity (# / 1 + 1) % 2;mma A[0], A[0] -> C[@] fresh;commit tcgen05 signal done[@];}wait taken&;arrive over[0];end;"
    "role take warps 4..7;{wait done[@] parity # / 1 % 2;tld C[@] -> R;twait ld;arrive taken[@] warps;use R;}end;role own warps 2..2;wait over[0] parity 0 / 1 % 2;dealloc C;end;",
    /* a tensor map that changes */
    "pipe e;param N 0..;smem A[$] 16;map maps[$];bar full[$] count 1;bar empty[$] count 128;init full;init empty;sync cta;"
    "role p warps 0..0;{wait empty[@] parity (# / $ + 1) % 2;update maps[@];sync role;expect full[@] 16;arrive full[@];copy tensor 16 by maps[@] -> A[@] signal full[@];}end;"
    "role c warps 4..7;{wait full[@] parity # / $ % 2;read A[@];arrive empty[@] threads;}end;",
    /* a write of one role that a meeting gives to a store of another */
    "pipe f;param N 0..;smem D[1] 64;role w warps 0..3;{write D[0];sync cta;sync cta;}end;role s warps 4..4 elect;{sync cta;store D[0] 64;commit bulk;waitgroup bulk.read 0;sync cta;}waitgroup bulk 0;end;",
};

static char *put_index(char *to, const char *at, bool loop, int stages)
{
    if (*at == '$') return to + sprintf(to, "%d", stages);
    if (*at == '&') return to + sprintf(to, "%s", loop ? "[N % 1] parity (N / 1 + 1) % 2" : "[0] parity 0 / 1 % 2");
    if (*at == '#') return to + sprintf(to, "%s", loop ? "i" : "0");
    return loop ? to + sprintf(to, "i %% %d", stages) : to + sprintf(to, "0");
}

static void make(char *to, const char *shape, bool loop, int stages)
{
    for (const char *at = shape; *at; at++) {
        if (strchr("@#$&", *at)) to = put_index(to, at, loop, stages);
        else if (*at == '{') to += sprintf(to, "%s", loop ? "for i in 0..N\n" : "");
        else if (*at == '}') to += sprintf(to, "%s", loop ? "end\n" : "");
        else *to++ = *at == ';' ? '\n' : *at;
    }
    *to = 0;
}

/* ---- lines ----------------------------------------------------------------------------------------------------------------------- */

static void split(lines *l, const char *text)
{
    *l = (lines){.first = -1};
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        bool event = !strncmp(at, "init", 4) || !strncmp(at, "role", 4) || !strncmp(at, "alloc", 5);
        assert_true(l->count < LINES);
        if (l->first < 0 && event) l->first = l->count;
        l->line[l->count++] = at;
    }
}

static int length_of(const char *line) { return (int)(strchr(line, '\n') - line) + 1; }

/* The text with `what` before a line. */
static void insert(char *to, const char *text, int line, const char *what)
{
    lines l;
    split(&l, text);
    const char *at = line < l.count ? l.line[line] : text + strlen(text);
    sprintf(to, "%.*s%s%s", (int)(at - text), text, what, at);
}

static bool is_event(const char *line) { return strncmp(line, "role", 4) && strncmp(line, "end", 3) && strncmp(line, "for", 3); }

/* A line is dropped, doubled, or changes places with the next; those of loops and roles stay. */
static void edit(char *text, uint64_t *seed)
{
    static char was[TEXT];
    lines l;
    strcpy(was, text);
    split(&l, was);
    int k = l.first + below(seed, l.count - l.first), how = below(seed, 3);
    bool swaps = how == 2 && k + 1 < l.count && is_event(l.line[k + 1]);
    if (!is_event(l.line[k])) return;
    *text = 0;
    for (int i = 0; i < l.count; i++) {
        int from = swaps && i == k ? k + 1 : swaps && i == k + 1 ? k : i;
        for (int copies = i == k && how == 0 ? 0 : i == k && how == 1 ? 2 : 1; copies > 0; copies--)
            sprintf(text + strlen(text), "%.*s", length_of(l.line[from]), l.line[from]);
    }
}

/* ---- questions ------------------------------------------------------------------------------------------------------------------- */

static zlay_ctx *ctx;

/* ZLAY_DEPENDS: it is no pipe. */
static zlay_answer answer_of(const char *text)
{
    zlay_answer answer = ZLAY_DEPENDS;
    zlay_pipe *pipe = NULL;
    size_t count = 0;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) return ZLAY_DEPENDS;
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
    return answer;
}

static int lines_of(const char *text)
{
    lines l;
    split(&l, text);
    return l.count;
}

static int first_of(const char *text)
{
    lines l;
    split(&l, text);
    return l.first;
}

/* mbarrier_init stands in the setup, the others in roles, wgmma's in those of whole warpgroups. */
static bool fits(const char *text, int line, int way)
{
    lines l;
    split(&l, text);
    const char *role = NULL;
    for (int i = 0; i < line; i++) role = strncmp(l.line[i], "role", 4) ? role : l.line[i];
    if (!role || way == 2) return !role == (way == 2);
    const char *warps = strstr(role, "warps ");
    return way || !strncmp(warps, "warps 0..3\n", 11) || !strncmp(warps, "warps 4..7\n", 11);
}

/* All sets of `count` fences from a line on; what is accepted stays in `more`. */
static bool some_do(char *more, const char *text, int count, int from)
{
    static char levels[3][TEXT];
    if (!count) {
        strcpy(more, text);
        return answer_of(text) == ZLAY_YES;
    }
    for (int line = from; line < lines_of(text); line++)
        for (int w = 0; w < WAYS; w++) {
            if (!fits(text, line, w)) continue;
            insert(levels[count], text, line, ways[w]);
            if (some_do(more, levels[count], count - 1, line + 1)) return true;
        }
    return false;
}

static bool random_do(char *more, const char *text, size_t count, uint64_t *seed)
{
    static char one[TEXT];
    strcpy(more, text);
    for (size_t i = 0; i < count; i++) {
        int line, way;
        strcpy(one, more);
        do line = first_of(one) + below(seed, lines_of(one) - first_of(one)), way = below(seed, WAYS);
        while (!fits(one, line, way));
        insert(more, one, line, ways[way]);
    }
    return answer_of(more) == ZLAY_YES;
}

/* Every way at every line where the text stays a pipe. */
static void all_fences(char *more, const char *text)
{
    static char one[TEXT];
    strcpy(more, text);
    for (int line = lines_of(text) - 1; line >= first_of(text); line--)
        for (int w = 0; w < WAYS; w++) {
            zlay_pipe *pipe = NULL;
            if (!fits(text, line, w)) continue;
            insert(one, more, line, ways[w]);
            if (!zlay_pipe_parse(ctx, &pipe, one, strlen(one))) strcpy(more, one);
            zlay_pipe_free(pipe);
        }
}

/* ---- what is claimed --------------------------------------------------------------------------------------------------------------- */

typedef struct tally { uint64_t found[4], none, limit, tried; } tally;

static void check_given(const char *text, const zlay_pipe *fenced, size_t count, uint64_t *seed, tally *t)
{
    static char given[TEXT], more[TEXT];
    zlay_buf buf = {given, sizeof given, 0};
    assert_int_equal(zlay_pipe_print(&buf, fenced), ZLAY_OK);
    if (answer_of(given) != ZLAY_YES) fail_msg("it is given fences, and not accepted:\n%s", given);
    if ((size_t)(lines_of(given) - lines_of(text)) != count) fail_msg("%zu fences are said to be inserted into\n%s\n%s", count, text, given);
    if (random_do(more, given, 1, seed) || answer_of(more) == ZLAY_DEPENDS) t->tried++;
    else fail_msg("accepted, and with a fence more it is not:\n%s", more);
    bool all = count == 1 || (count == 2 && !below(seed, ALL_OF_TWO));
    bool fewer = all && some_do(more, text, (int)count - 1, first_of(text));
    for (int i = 0; i < 2 && count > 1 && !fewer; i++) fewer = random_do(more, text, count - 1, seed);
    if (fewer) fail_msg("%zu fences are said to be needed, and fewer do:\n%s", count, more);
    t->found[count < 3 ? count : 3]++;
}

static void check(const char *text, uint64_t *seed, tally *t)
{
    static char more[TEXT];
    zlay_pipe *pipe = NULL, *fenced = NULL;
    zlay_pipe_fence fences[FENCES];
    size_t count = 0;
    if (zlay_pipe_parse(ctx, &pipe, text, strlen(text))) return;
    zlay_status status = zlay_pipe_fences(ctx, &fenced, fences, FENCES, &count, pipe);
    if (status == ZLAY_NONE) {
        if (!below(seed, NONE_OF_ALL)) all_fences(more, text);
        else strcpy(more, text);
        if (answer_of(more) == ZLAY_YES) fail_msg("none, and with all fences it is accepted:\n%s", more);
        if (random_do(more, text, (size_t)below(seed, 4), seed)) fail_msg("none, and with some fences it is accepted:\n%s", more);
        t->none++;
    } else if (status == ZLAY_OK) check_given(text, fenced, count, seed, t);
    else if (status == ZLAY_ELIMIT) t->limit++;
    else fail_msg("%d %s\n%s", status, zlay_ctx_message(ctx), text);
    zlay_pipe_free(pipe);
    zlay_pipe_free(fenced);
}

static void pipes(void **state)
{
    static char text[TEXT];
    uint64_t seed = test_seed("refute-fences"), count = test_cases(10000);
    tally t = {{0}, 0, 0, 0};
    ctx = *state;
    for (uint64_t n = 0; n < count; n++) {
        uint64_t own = test_case(seed, n);
        static const int often[] = {0, 0, 0, 1, 2, 3, 3, 4, 4, 4, 5, 5}; /* small ones more */
        int shape = often[below(&own, 12)];
        make(text, shapes[shape], below(&own, 2), shape == TENSOR ? 1 : 1 + below(&own, 2));
        for (int edits = below(&own, 4); edits > 0; edits--) edit(text, &own);
        check(text, &own, &t);
    }
    printf("%llu pipes: %llu need no fence, %llu one, %llu two, %llu more; %llu none, %llu limits; none refuted\n", (unsigned long long)count,
           (unsigned long long)t.found[0], (unsigned long long)t.found[1], (unsigned long long)t.found[2], (unsigned long long)t.found[3],
           (unsigned long long)t.none, (unsigned long long)t.limit);
    assert_true(t.found[1] > count / 20 && t.found[2] > count / 20 && t.none > count / 10 && t.limit < count / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pipes)};
    return cmocka_run_group_tests(tests, begin, end);
}
