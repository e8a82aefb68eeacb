/* SPDX-License-Identifier: Apache-2.0 */
/* Random tile programs, and those of the examples: each pipe that is answered is proved, its proof is accepted, and its roles, run in
 * random orders with copies, products and stores that end late, store what the program stores when it is run line by line. A pipe
 * without one of its waits is refused, or stores the same. */
#include "ctx.h"
#include "tiles/pipe_values.h"

enum { TEXT = 1 << 17, PROGRAMS = 300, RUNS = 3 };

static char program[TEXT], text[TEXT], cut[TEXT], shorter[TEXT], proof[TEXT * 8];
static world pipe_world, program_world;

typedef struct draft {
    const char *target;
    uint64_t *seed;
    size_t length;
    int least, instances;
} draft;

static int below(draft *d, int most) { return (int)(test_random(d->seed) % (unsigned)most); }

static void put(draft *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(draft *d, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    d->length += (size_t)vsnprintf(program + d->length, sizeof program - d->length, format, args);
    va_end(args);
}

static void times(draft *d, int most, int from)
{
    int cycles = 1 + below(d, most);
    put(d, " : cycles %d latency %d", cycles, cycles + below(d, 2 * most));
    if (from) put(d, " from %d", from);
    put(d, "\n");
}

/* ---- programs ---------------------------------------------------------------------------------------------- */

static void head(draft *d, int inputs)
{
    put(d, "tiles x\nloop N %d..\ninstances %d\n", d->least, d->instances);
    if (below(d, 3) == 0) put(d, "interval %d\n", 400 + below(d, 2000));
    if (below(d, 3) == 0) put(d, "turns off\n");
    put(d, "shared Q 8192\n");
    for (int i = 0; i < inputs; i++) {
        put(d, "shared K%d 8192", i);
        if (below(d, 3) == 0) put(d, " stages %d", 1 + below(d, 3));
        put(d, "\n");
    }
    put(d, "shared D 8192 each\n");
    put(d, "body g\n  matrix S f32\n  row m f32\n  index i\n  index n\n  S = select(col + i < n, S, 0)\n  m = max(m, rowmax(S))\nend\n");
}

static void copies(draft *d, int inputs)
{
    for (int i = 0; i < inputs; i++) {
        put(d, "copy tensor 8192 -> K%d", i);
        times(d, 100, 0);
    }
}

/* What an iteration stores of its own. */
static void streams(draft *d, bool stores, const char *from)
{
    if (!stores) return;
    put(d, "write E from %s", from), times(d, 40, 0);
    put(d, "store E 8192"), times(d, 60, 0);
}

/* Products whose sums stand in registers: scores of some inputs, uses, and a second product of what they made. */
static void registers_program(draft *d)
{
    int inputs = 1 + below(d, 3), second = below(d, 3), uses = below(d, 3), next = 0;
    bool hands = d->instances == 1 && below(d, 2), back = below(d, 2), stores = below(d, 3) == 0;
    head(d, inputs);
    if (stores) put(d, "shared E 8192 each%s\n", below(d, 3) ? "" : " stages 1");
    if (hands) put(d, "shared A 512%s\nbody f\n  matrix U f32\n  shared A f32\n  U = U * load(A, row)\nend\n", below(d, 2) ? " stages 1" : "");
    if (hands && back) put(d, "shared B 512\n");
    put(d, "before\ncopy tensor 8192 -> Q\nuse O, m\n%sloop\n", hands ? "use Y\n" : "");
    copies(d, inputs);
    if (hands && back) put(d, "write B from Y"), times(d, 30, 0), put(d, "use m body f reads B"), times(d, 30, 0);
    put(d, "mma Q, K%d", next);
    if (inputs > 2 && below(d, 2)) put(d, " + Q, K%d", ++next);
    put(d, " -> S fresh");
    times(d, 100, 0);
    put(d, "use S, m body g at i, N when i < 1");
    times(d, 200, 0);
    if (hands) put(d, "write A from m"), times(d, 30, 0), put(d, "use Y body f reads A"), times(d, 90, 0);
    for (int u = 0; u < uses; u++) {
        put(d, u ? "use m, a" : "use O, m");
        times(d, 60, 0);
    }
    put(d, "use S, P");
    times(d, 60, 0);
    for (next++; next < inputs; next++) {
        put(d, second == 1 ? "mma P, K%d -> O" : "mma Q, K%d -> O", next);
        times(d, 100, 0);
    }
    if (second == 2) put(d, "use O, P"), times(d, 30, 0);
    streams(d, stores, "S");
    put(d, "after\nuse O, m, R, S, P\nwrite D from R\nstore D 8192\n");
    if (below(d, 2)) put(d, "write D from O part 1\nstore D 8192 part 1\n");
}

/* Products into tensor memory: what reads the scores hands a row to what corrects the sums of the second product. */
static void tmem_program(draft *d)
{
    bool corrects = below(d, 3) > 0, hands = below(d, 2), third = below(d, 2), stores = below(d, 3) == 0;
    head(d, 2);
    if (stores) put(d, "shared E 8192 each%s\n", below(d, 3) ? "" : " stages 1");
    put(d, "shared A 512 each\nshared L 512 each\ntmem TS 64 each%s\n", below(d, 2) ? " stages 2" : "");
    const char *stages = below(d, 2) ? " stages 1" : "";
    if (third) put(d, "tmem TV 32 each%s\n", stages);
    put(d, "tmem TP 32 each\ntmem TO 64 each\nbody f\n  matrix U f32\n  shared A f32\n  U = U * load(A, row)\nend\n");
    put(d, "before\ncopy tensor 8192 -> Q\nuse S, m\nloop\n");
    copies(d, 2);
    put(d, "mma Q, K0 -> TS fresh"), times(d, 100, 0);
    if (third) put(d, "mma Q, K1 -> TV fresh"), times(d, 60, 0);
    put(d, "tld TS -> S"), times(d, 30, 0);
    if (third) put(d, "tld TV -> V"), times(d, 30, 0), put(d, "use V, W"), times(d, 200, 0);
    put(d, "use S, m body g at i, N when i < 1"), times(d, 200, 0);
    if (corrects && hands) put(d, "use m, a"), times(d, 30, 0), put(d, "write A from a"), times(d, 20, 1);
    put(d, "use S, P"), times(d, 30, 0);
    put(d, "tst P -> TP"), times(d, 30, 0);
    streams(d, stores, "P");
    for (int half = 0; corrects && half < 2; half++) {
        int first = half * 32;
        put(d, "tld TO columns %d..%d -> U%d", first, first + 31, half), times(d, 40, 1);
        put(d, hands ? "use U%d body f reads A" : "use U%d", half), times(d, 40, 1);
        put(d, "tst U%d -> TO columns %d..%d", half, first, first + 31), times(d, 40, 1);
    }
    put(d, "mma TP, K1 -> TO fresh first"), times(d, 100, 0);
    put(d, "after\nuse S, m, l\nwrite L from l\ntld TO -> O\nuse O body f reads L\nwrite D from O\nstore D 8192\n");
    if (!(corrects && hands)) { /* nothing else writes it */
        char *line = strstr(program, "shared A 512 each\n");
        size_t length = strlen("shared A 512 each\n");
        memmove(line, line + length, strlen(line + length) + 1);
    }
}

static void draw_program(draft *d)
{
    d->length = 0;
    d->target = below(d, 2) ? "sm_90a" : "sm_100a";
    d->instances = 1 + below(d, 2);
    d->least = 4;
    if (d->target[3] == '9') registers_program(d);
    else tmem_program(d);
}

/* ---- a program's values ------------------------------------------------------------------------------------- */

/* Runs the lines of a section for an instance; lines of what instances share run once. */
static void section_run(world *w, const char *lines[], int count, thread *t, const char *suffix, bool again)
{
    for (int i = 0; i < count; i++) {
        const char *from = strstr(lines[i], " from ") ? strrchr(lines[i], ':') : NULL;
        char line[256];
        size_t length = strcspn(lines[i], ":");
        from = from ? strstr(from, " from ") : NULL;
        if (from && t->counter[0] < atoi(from + 6)) continue;
        snprintf(line, sizeof line, "%.*s", (int)length, lines[i]);
        while (length && line[length - 1] == ' ') line[--length] = 0;
        const char *arrow = strstr(line, "-> ");
        if (again && !strncmp(line, "copy", 4) && is_each(w, arrow + 3)) continue;
        w->suffix = suffix;
        operate(w, t, line);
    }
}

static void program_run(world *w, char *copy, int instances, bool expands)
{
    static const char *const suffixes[] = {"_0", "_1"};
    const char *lines[3][128];
    int count[3] = {0}, section = -1;
    thread t = {.depth = 1, .name = {"i"}};
    for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n")) {
        while (*line == ' ') line++;
        if (!strncmp(line, "shared ", 7) && !strstr(line, " each")) snprintf(w->each[w->each_count++], 64, "%.*s", (int)strcspn(line + 7, " "), line + 7);
        if (!strcmp(line, "before") || !strcmp(line, "loop") || !strcmp(line, "after")) section = *line == 'b' ? 0 : *line == 'l' ? 1 : 2;
        else if (section >= 0) lines[section][count[section]++] = line;
    }
    for (int s = 0; s < 3; s++)
        for (int64_t i = 0; i < (s == 1 ? w->trips : 1); i++)
            for (int x = 0; x < (expands ? instances : 1); x++) {
                t.counter[0] = i;
                section_run(w, lines[s], count[s], &t, expands ? suffixes[x] : "", x > 0);
            }
}

/* ---- both ----------------------------------------------------------------------------------------------------- */

/* Answers NULL where both store the same. */
static const char *compared(const char *pipe, int64_t trips, uint64_t *seed, int instances, bool tmem)
{
    world *p = &pipe_world, *q = &program_world;
    memset(p, 0, sizeof *p);
    memset(q, 0, sizeof *q);
    p->trips = q->trips = trips;
    p->seed = q->seed = seed;
    strcpy(cut, pipe);
    pipe_read(p, cut);
    const char *wrong = pipe_run(p);
    if (wrong) return wrong;
    static char copy[TEXT];
    strcpy(copy, program);
    program_run(q, copy, instances, tmem && instances > 1);
    if (p->logs != q->logs * (tmem ? 1 : instances)) return "other stores";
    for (int i = 0; i < p->logs; i++) {
        int j = 0;
        while (j < q->logs && strncmp(q->log_name[j], p->log_name[i], strcspn(p->log_name[i], " ") + 1)) j++;
        if (j == q->logs || q->log[j] != p->log[i]) return "another value is stored";
    }
    return NULL;
}

static void proved(zlay_ctx *ctx, const zlay_pipe *pipe)
{
    zlay_answer answer;
    size_t count;
    zlay_buf out = {proof, sizeof proof, 0};
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, &out, pipe), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    assert_int_equal(zlay_pipe_recheck(ctx, &answer, pipe, proof, out.need), ZLAY_OK);
    if (answer != ZLAY_YES) fail_msg("%s\n%s", zlay_ctx_message(ctx), program);
}

static zlay_status pipe_make(zlay_ctx *ctx, const char *target)
{
    zlay_roles *roles;
    zlay_buf out = {text, sizeof text, 0};
    zlay_status status = zlay_roles_synth(ctx, &roles, target_of(target), program, strlen(program));
    if (status) return status;
    assert_int_equal(zlay_pipe_print(&out, zlay_roles_pipe(roles)), ZLAY_OK);
    proved(ctx, zlay_roles_pipe(roles));
    zlay_roles_free(roles);
    return ZLAY_OK;
}

/* Of all programs nine in ten have a pipe; others have no starts in the interval, no room, or too many iterations under way. */
static void stores_the_same(void **state)
{
    uint64_t seed = test_seed("roles");
    draft d = {.seed = &seed};
    int made = 0;
    for (int i = 0; i < PROGRAMS; i++) {
        draw_program(&d);
        zlay_status status = pipe_make(*state, d.target);
        if (status && status != ZLAY_NONE) fail_msg("%s: %s\n%s", zlay_status_name(status), zlay_ctx_message(*state), program);
        made += !status;
        for (int run = 0; !status && run < RUNS; run++) {
            const char *wrong = compared(text, d.least + below(&d, 6), &seed, d.instances, d.target[3] == '1');
            if (wrong) fail_msg("%s: %s\n%s\n%s", d.target, wrong, program, text);
        }
    }
    if (made < PROGRAMS * 3 / 4) fail_msg("%d of %d have a pipe", made, PROGRAMS);
}

static void read_file(const char *name)
{
    FILE *file = fopen(name, "r");
    assert_non_null(file);
    size_t length = fread(program, 1, sizeof program - 1, file);
    fclose(file);
    program[length] = 0;
}

static void examples_store_the_same(void **state)
{
    static const struct example {
        const char *file, *target;
        int instances;
    } list[] = {{"examples/gemm.tiles", "sm_90a", 1}, {"examples/blackwell_gemm.tiles", "sm_100a", 1}, {"examples/attention.tiles", "sm_90a", 2}, {"examples/blackwell_attention.tiles", "sm_100a", 2}};
    uint64_t seed = test_seed("examples");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        read_file(list[i].file);
        assert_int_equal(pipe_make(*state, list[i].target), ZLAY_OK);
        for (int64_t trips = 3; trips < 20; trips++) {
            const char *wrong = compared(text, trips, &seed, list[i].instances, list[i].target[3] == '1');
            if (wrong) fail_msg("%s: %s", list[i].file, wrong);
        }
    }
}

/* Whether the pipe in `text` without the line at `at` is right; `shorter` receives it. */
static bool is_right_without(zlay_ctx *ctx, const char *at)
{
    zlay_pipe *pipe;
    zlay_answer answer;
    size_t count, before = (size_t)(at - text);
    memcpy(shorter, text, before);
    strcpy(shorter + before, at + strcspn(at, "\n") + 1);
    assert_int_equal(zlay_pipe_parse(ctx, &pipe, shorter, strlen(shorter)), ZLAY_OK);
    assert_int_equal(zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, pipe), ZLAY_OK);
    zlay_pipe_free(pipe);
    return answer == ZLAY_YES;
}

/* Without a wait, an arrival or a turn: what is still proved stores the same, and most of what is refused is seen to go wrong. */
static void waits_are_needed(void **state)
{
    static const char *const words[] = {" wait ", " arrive ", " commit tcgen05", " waitgroup wgmma"};
    uint64_t seed = test_seed("waits");
    int refused = 0, shown = 0;
    for (size_t x = 0; x < 2; x++) {
        read_file(x ? "examples/blackwell_attention.tiles" : "examples/attention.tiles");
        assert_int_equal(pipe_make(*state, x ? "sm_100a" : "sm_90a"), ZLAY_OK);
        for (size_t w = 0; w < sizeof words / sizeof *words; w++)
            for (const char *at = text; (at = strstr(at, words[w])); at++) {
                bool right = is_right_without(*state, at), same = true;
                for (int run = 0; run < 4 && same; run++) same = !compared(shorter, 9, &seed, 2, x);
                if (right && !same) fail_msg("proved, and stores other values without:%.60s", at);
                refused += !right, shown += !same;
            }
    }
    if (shown * 2 < refused) fail_msg("%d refused, %d seen", refused, shown);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stores_the_same), cmocka_unit_test(examples_store_the_same), cmocka_unit_test(waits_are_needed)};
    return cmocka_run_group_tests_name("synth/roles/values", tests, begin, end);
}
