/* SPDX-License-Identifier: Apache-2.0 */
/* With one synchronisation less, or one number changed, the PTX of a GEMM kernel fails in some run:
 * but for those of a table, each with its reason. */
#define _GNU_SOURCE /* memmem */
#include "ptx/gemm.h"

enum { RUNS = 8 };

/* Whether it fails in one of a few runs: copies late, once early, and other orders of the warps. */
static bool fails(const px_gemm *g, const char *text, uint64_t *random)
{
    for (int run = 0; run < RUNS; run++) {
        machine.when = run == 1 ? PX_EARLY : PX_LATE;
        machine.random = test_random(random);
        if (px_gemm_fails(&machine, g, text)) return true;
    }
    return false;
}

/* What may change without a fault, by a part of its line, how often at most, and why. */
static const struct harmless {
    const char *part;
    int most;
    const char *because;
} harmless[] = {
    {"wgmma.fence", 1, "products of one shape into the same sums need none between them"},
    {"shfl.sync.idx.b32 warp, warp, ", 2, "all lanes of a warp have its number"},
    {"setp.lt.u32 done, warp, 2", 1, "no barrier stands behind the last ones"},
    {"mad.lo.u32 x0, 0, 1, x0", 1, "what 0 is multiplied by"},
    {"setp.eq.u32 leader, lane, 0", 1, "any lane may speak for its warp"},
    {"setp.eq.u32 one, tid, 0", 1, "any thread may initialise"},
    {"setp.eq.u32 one, rtid, 0", 2, "any thread may issue"},
    {"mad.lo.u32 rtid, rwarp, 32, lane", 2, "any thread may issue"},
    {"sub.u32 rwarp, warp, 0", 1, "warps of a role of one thread"},
    {"div.u32 instance, rwarp, 4", 1, "the same"},
    {"rem.u32 rwarp, rwarp, 4", 1, "the same"},
    {"setp.lt.u32 more, warp, 12", 1, "there is no warp behind the last role"},
    {"add.u32 near, instance, ", 2, "a free named barrier is as good as another"},
    {"mov.u32 trips_N, ", 1, "steps past K add zeros"},
    {"count0, 0", 2, "nothing asks how many tiles the block has had"},
    {"count0, count0, 1", 2, "the same"},
    {"setp.ge.u32 more, tile, ", 2, "no block is without a tile"},
    {"div.u32 row, tile, ", 2, "an order of tiles"},
    {"mul.lo.u32 rest, row, ", 2, "an order of tiles"},
    {"mul.lo.u32 row, row, ", 2, "an order of tiles"},
    {"sub.u32 left, ", 2, "an order of tiles"},
    {"min.u32 left, left, ", 2, "an order of tiles"},
    {"tries, 0", 3, "how long a wait lasts"},
    {"tries, tries, 1", 3, "how long a wait lasts"},
    {"done, tries, ", 3, "how long a wait lasts"},
};
enum { HARMLESS = sizeof harmless / sizeof *harmless };

typedef struct tally {
    int edits, failed, kept;
    int used[HARMLESS];
} tally;

static bool is_harmless(tally *t, const char *line, size_t length)
{
    for (size_t i = 0; i < HARMLESS; i++) {
        const char *at = strstr(line, harmless[i].part);
        if (at && at < line + length && t->used[i] < harmless[i].most) return ++t->used[i];
    }
    return false;
}

static void judge(tally *t, const px_gemm *g, const char *text, const char *line, size_t length, uint64_t *random)
{
    t->edits++;
    if (fails(g, text, random)) {
        t->failed++;
        return;
    }
    t->kept++;
    if (!is_harmless(t, line, length)) fail_msg("no run shows it: %.*s", (int)length, line);
}

/* One edit in so many. */
static bool is_chosen(uint64_t *random) { return test_exhaustive() || test_random(random) % 12 == 0; }

/* ---- a line left out --------------------------------------------------------------------- */

static bool synchronises(const char *line, size_t length)
{
    static const char *const words[] = {"mbarrier.", "bar.sync", "fence", "commit_group", "wait_group",
                                        "cp.async.bulk.tensor", "stmatrix", "wgmma.mma", "xor.b32 phase"};
    char copy[2048];
    snprintf(copy, sizeof copy, "%.*s", (int)length, line);
    if (copy[0] == '.' || strstr(copy, ".reg") || strstr(copy, ".param") || strchr(copy, ':') == copy + strlen(copy) - 1) return false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(copy, words[i])) return true;
    return false;
}

/* A wait is left out by what it waits for being there. */
static char *without(const char *text, const char *line, size_t length)
{
    static const char passed[] = "setp.eq.u32 done, 0, 0;";
    bool waits = memmem(line, length, "try_wait", 8) != NULL;
    size_t before = (size_t)(line - text), all = strlen(text);
    char *edited = malloc(all + sizeof passed);
    assert_non_null(edited);
    memcpy(edited, text, before);
    memcpy(edited + before, passed, waits ? sizeof passed - 1 : 0);
    before += waits ? sizeof passed - 1 : 0;
    strcpy(edited + before, line + length);
    return edited;
}

static void each_line(tally *t, const px_gemm *g, uint64_t *random)
{
    for (const char *line = g->text; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n");
        if (!synchronises(line, length) || !(test_exhaustive() || test_random(random) % 4 == 0)) continue;
        char *text = without(g->text, line, length);
        judge(t, g, text, line, length, random);
        free(text);
        if (!line[length]) break;
    }
}

/* ---- a number changed ---------------------------------------------------------------------- */

/* The next number of an instruction, not of a name, a label or an opcode; NULL: none before `end`. */
static const char *number_in(const char *at, const char *end)
{
    for (; at < end; at++) {
        bool begins = at[-1] == ' ' || at[-1] == '[';
        if (begins && (isdigit((unsigned char)*at) || (*at == '-' && isdigit((unsigned char)at[1])))) return at;
    }
    return NULL;
}

static char *changed(const char *text, const char *number, int64_t by)
{
    char *end, *edited = malloc(strlen(text) + 32);
    int64_t value = (int64_t)strtoull(number, &end, 0);
    assert_non_null(edited);
    size_t before = (size_t)(number - text);
    memcpy(edited, text, before);
    sprintf(edited + before, "%lld%s", (long long)(value + by), end);
    return edited;
}

/* By one, and where that shows nothing, as with addresses of rows of 16 bytes, by 16. */
static void change(tally *t, const px_gemm *g, const char *line, size_t length, const char *number, uint64_t *random)
{
    char *text = changed(g->text, number, 1);
    bool shown = fails(g, text, random);
    free(text);
    if (shown) {
        t->edits++, t->failed++;
        return;
    }
    text = changed(g->text, number, 16);
    judge(t, g, text, line, length, random);
    free(text);
}

static void each_number(tally *t, const px_gemm *g, uint64_t *random)
{
    for (const char *line = g->text; *line; line += strcspn(line, "\n") + 1) {
        size_t length = strcspn(line, "\n"), blank = strspn(line, " ");
        if (blank == 4 && line[4] != '.' && line[4] != '{' && line[length - 1] == ';')
            for (const char *at = line + 4; (at = number_in(at, line + length)); at += strcspn(at, " ,;]}"))
                if (is_chosen(random)) change(t, g, line, length, at, random);
        if (!line[length]) break;
    }
}

static const zlay_gemm small = {.m = 256, .n = 128, .k = 192, .tile_m = 128, .tile_n = 64, .tile_k = 64, .stages = 2};

static void test_lines(void **state)
{
    uint64_t random = test_seed("edits");
    px_gemm g;
    tally t = {0};
    (void)state;
    px_gemm_make(&g, &small, 2, &random);
    assert_false(fails(&g, g.text, &random));
    each_line(&t, &g, &random);
    printf("%d lines left out: %d fail, %d may be\n", t.edits, t.failed, t.kept);
    px_gemm_free(&g);
}

static void test_numbers(void **state)
{
    uint64_t random = test_seed("numbers");
    px_gemm g;
    tally t = {0};
    (void)state;
    px_gemm_make(&g, &small, 2, &random);
    each_number(&t, &g, &random);
    printf("%d numbers changed: %d fail, %d may be\n", t.edits, t.failed, t.kept);
    px_gemm_free(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_lines),
    };
    return cmocka_run_group_tests(tests, open_ctx, close_ctx);
}
