/* SPDX-License-Identifier: Apache-2.0 */
/* Several random edits of a pipe at once: what is accepted survives every interleaving and has a
 * proof that is proved again; pipe/runs/mutants has every single edit. */
#include "pipes/pipe-check.h"

#include "pipes/explore-all.h"

#include <ctype.h>

enum { LINES = 128, NEAR = 12, HEAD = 5 };

typedef struct lines {
    char text[LINES][160];
    int count;
} lines;

static void split(lines *l, const char *text)
{
    l->count = 0;
    for (const char *next; *text; text = next + 1) {
        next = strchr(text, '\n');
        snprintf(l->text[l->count++], sizeof l->text[0], "%.*s", (int)(next - text), text);
    }
}

static void drop_line(lines *l, int at)
{
    l->count--;
    memmove(l->text[at], l->text[at + 1], (size_t)(l->count - at) * sizeof l->text[0]);
}

static void put_line(lines *l, int at, const char *line)
{
    char copy[160];
    snprintf(copy, sizeof copy, "%s", line);
    memmove(l->text[at + 1], l->text[at], (size_t)(l->count - at) * sizeof l->text[0]);
    memcpy(l->text[at], copy, sizeof copy);
    l->count++;
}

static void change_digit(uint64_t *seed, char *line)
{
    size_t digits[160], count = 0;
    for (size_t i = 0; line[i]; i++)
        if (isdigit((unsigned char)line[i])) digits[count++] = i;
    if (!count) return;
    char *digit = &line[digits[test_range(seed, 0, (int64_t)count - 1)]];
    *digit = (char)('0' + (*digit - '0' + (test_range(seed, 0, 1) ? 1 : 9)) % 10);
}

static void edit(uint64_t *seed, lines *l)
{
    int at = (int)test_range(seed, HEAD, l->count - 1), kind = (int)test_range(seed, 0, 4);
    int low = at - NEAR < HEAD ? HEAD : at - NEAR,
        high = at + NEAR < l->count ? at + NEAR : l->count - 1;
    bool frame = !strncmp(l->text[at], "for", 3) || !strncmp(l->text[at], "end", 3) ||
                 !strncmp(l->text[at], "role", 4);
    char line[160];
    memcpy(line, l->text[at], sizeof line);
    if (kind > 2 || frame) {
        change_digit(seed, l->text[at]);
        return;
    }
    if (kind != 2) drop_line(l, at);
    if (kind != 0) put_line(l, (int)test_range(seed, low, high), line);
}

static void join(const lines *l, pipe_text *out)
{
    out->length = 0;
    for (int i = 0; i < l->count; i++)
        out->length +=
            (size_t)snprintf(out->text + out->length, PIPE_TEXT - out->length, "%s\n", l->text[i]);
}

static void must_survive(zlay_ctx *ctx, const zlay_pipe *pipe, const char *fault, const char *text)
{
    static char proof[PROOF];
    if (fault) fail_msg("accepted, but %s:\n%s", fault, text);
    size_t length = prove(ctx, pipe, proof);
    if (recheck(ctx, pipe, proof, length) != ZLAY_YES)
        fail_msg("%s:\n%s", zlay_ctx_message(ctx), text);
}

static void test_edits(void **state)
{
    (void)state;
    static explore explorer;
    static lines l;
    uint64_t seed = test_seed("edits");
    int accepted = 0, refused = 0, unseen = 0;
    zlay_ctx *ctx = new_ctx();
    explore_open(&explorer, STATES);
    for (uint64_t n = test_iterations(700); n > 0; n--) {
        pipe_text text;
        size_t which = (size_t)test_range(&seed, 0, PIPES - 1);
        zlay_pipe *pipe;
        zlay_pipe_reason reason;
        pipe_make(&text, which, fewest(which) + (unsigned)test_range(&seed, 0, 1));
        split(&l, text.text);
        for (int64_t k = test_range(&seed, 1, 4); k > 0; k--) edit(&seed, &l);
        join(&l, &text);
        if (zlay_pipe_parse(ctx, &pipe, text.text, text.length)) continue;
        zlay_answer answer = verify(ctx, pipe, &reason);
        const char *fault = explore_all(&explorer, pipe, !strcmp(pipes[which].name, "single"));
        if (answer == ZLAY_YES) must_survive(ctx, pipe, fault, text.text);
        accepted += answer == ZLAY_YES;
        refused += answer == ZLAY_NO;
        unseen += answer == ZLAY_NO && !fault;
        zlay_pipe_free(pipe);
    }
    print_message("%d accepted and run, %d refused, of which %d were not seen to fail\n", accepted,
                  refused, unseen);
    assert_true(accepted > 20 && refused > 100 && unseen * 20 < refused);
    explore_close(&explorer);
    zlay_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_edits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
