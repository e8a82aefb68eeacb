/* SPDX-License-Identifier: Apache-2.0 */
/* Times the candidates of a request on a GPU. Each first runs once, and its result is compared with
 * that of the first one. Then all are launched in every round, in an order that is drawn anew for
 * each (a shuffle of Fisher and Yates), on sets of tensors that together are larger than L2; a time
 * is the median of single launches between two events, which has a few microseconds of the launch
 * in it, as much for each. */
#include "cli/device/contest.h"
#include "cli/progress.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { L2S = 4, WARM = 2, SEED = 1 };

size_t zl_contest_wanted(const zl_contest *c)
{
    uint64_t want = c->options->candidates;
    return want < ZL_CONTESTANTS ? (size_t)want : ZL_CONTESTANTS;
}

int zl_not_run(const char *why)
{
    printf("not run: %s\n", why);
    return ZL_EXIT_UNSURE;
}

static uint64_t bytes_of(const zl_matrix *m) { return m->count * m->element; }

static zlay_status set_make(zl_contest *c, uint64_t *address)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < c->tensors && !status; i++) {
        uint64_t bytes = bytes_of(&c->tensor[i]);
        if (!bytes) continue;
        status = zlay_device_allocate(c->ctx, &address[i], c->device, bytes);
        if (!status)
            status = zlay_device_upload(c->ctx, c->device, address[i], c->tensor[i].bytes, bytes);
    }
    return status;
}

static zlay_status sets_make(zl_contest *c)
{
    uint64_t bytes = 1;
    for (uint32_t i = 0; i < c->tensors; i++) bytes += bytes_of(&c->tensor[i]);
    uint64_t want = 2 + (uint64_t)L2S * (uint64_t)c->info.l2 / bytes;
    zlay_status status = ZLAY_OK;
    c->sets = (uint32_t)(want < ZL_CONTEST_SETS ? want : ZL_CONTEST_SETS);
    for (uint32_t s = 0; s < c->sets && !status; s++) status = set_make(c, c->address[s]);
    return status;
}

/* ---- results --------------------------------------------------------------------------------- */

/* What candidate i makes of the first set. */
static zlay_status result_get(zl_contest *c, uint32_t i, zl_matrix *out)
{
    const zl_matrix *canary = &c->tensor[c->result];
    uint64_t at = c->address[0][c->result], bytes = bytes_of(canary);
    zlay_status status = zlay_device_upload(c->ctx, c->device, at, canary->bytes, bytes);
    if (!status) status = c->kind->bind(c, i, c->address[0]);
    if (!status) status = zlay_kernel_launch(c->ctx, c->of[i].kernel, NULL);
    if (!status) status = zlay_device_wait(c->ctx, c->device);
    return status ? status : zlay_device_download(c->ctx, out->bytes, c->device, at, bytes);
}

static double at(const zl_matrix *m, uint64_t outer, uint64_t inner)
{
    return m->by_rows ? zl_matrix_value(m, outer, inner) : zl_matrix_value(m, inner, outer);
}

/* How many elements are neither the same bits nor within the error; NaN is not. */
static uint64_t differing(const zl_contest *c, const zl_matrix *a, const zl_matrix *b)
{
    uint64_t count = 0;
    if (!memcmp(a->bytes, b->bytes, bytes_of(a))) return 0;
    for (uint64_t o = 0; o < a->outer; o++)
        for (uint64_t i = 0; i < a->inner; i++) {
            uint64_t from = (o * a->pitch + i) * a->element;
            bool same = !memcmp(a->bytes + from, b->bytes + from, a->element);
            count += !same && !(fabs(at(a, o, i) - at(b, o, i)) <= c->error);
        }
    return count;
}

/* Compares the result of each candidate with that of the first; *wrong: one that differs, or 0. */
static zlay_status results_compare(zl_contest *c, uint32_t *wrong)
{
    zl_matrix first = c->tensor[c->result], other = first;
    *wrong = 0;
    bool made = zl_matrix_alloc(&first);
    made = zl_matrix_alloc(&other) && made;
    zlay_status status = made ? result_get(c, 0, &first) : ZLAY_ENOMEM;
    for (uint32_t i = 1; i < c->count && !status && !*wrong; i++) {
        status = result_get(c, i, &other);
        uint64_t count = status ? 0 : differing(c, &first, &other);
        if (!count) continue;
        *wrong = i;
        zl_progress_end();
        printf("%s: %" PRIu64 " elements of its result differ from those of %s\n", c->of[i].choice,
               count, c->of[0].choice);
    }
    zl_matrix_free(&first);
    zl_matrix_free(&other);
    return status;
}

/* ---- times ----------------------------------------------------------------------------------- */

static int less(const void *a, const void *b)
{
    float x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void order_draw(uint32_t *order, uint32_t count, uint64_t *state)
{
    for (uint32_t i = 0; i < count; i++) order[i] = i;
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = (uint32_t)(zl_matrix_random(state) % i), last = order[i - 1];
        order[i - 1] = order[other];
        order[other] = last;
    }
}

static zlay_status round_run(zl_contest *c, const uint32_t *order, uint32_t round)
{
    zlay_status status = ZLAY_OK;
    for (uint32_t i = 0; i < c->count && !status; i++) {
        float ms = 0;
        uint32_t set = (round * c->count + i) % c->sets;
        status = c->kind->bind(c, order[i], c->address[set]);
        if (!status) status = zlay_kernel_measure(c->ctx, &ms, c->of[order[i]].kernel, 1);
        if (!status && round >= WARM) c->of[order[i]].times[round - WARM] = ms;
    }
    return status;
}

static zlay_status rounds_run(zl_contest *c, uint32_t rounds)
{
    uint32_t order[ZL_CONTESTANTS];
    uint64_t state = SEED;
    zlay_status status = ZLAY_OK;
    for (uint32_t round = 0; round < rounds + WARM && !status; round++) {
        order_draw(order, c->count, &state);
        status = round_run(c, order, round);
    }
    for (uint32_t i = 0; i < c->count && !status; i++)
        qsort(c->of[i].times, rounds, sizeof *c->of[i].times, less);
    return status;
}

static uint64_t median_ns(const zl_contestant *c, uint32_t rounds)
{
    uint64_t ns = (uint64_t)((double)c->times[rounds / 2] * 1e6);
    return ns ? ns : 1;
}

/* ---- the record ------------------------------------------------------------------------------ */

static int by_number(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static zlay_status record_make(zl_contest *c, zlay_tuning_record *r, uint32_t rounds)
{
    zlay_tuning_device device = {c->info.name, (uint32_t)c->info.processors, c->info.driver};
    uint32_t best = 0;
    *r = (zlay_tuning_record){.rounds = rounds};
    for (uint32_t i = 1; i < c->count; i++)
        if (median_ns(&c->of[i], rounds) < median_ns(&c->of[best], rounds)) best = i;
    r->ns = median_ns(&c->of[best], rounds);
    snprintf(r->choice, sizeof r->choice, "%s", c->of[best].choice);
    for (uint32_t i = 0; i < c->count; i++)
        if (i != best) r->others[r->others_count++] = median_ns(&c->of[i], rounds);
    qsort(r->others, r->others_count, sizeof *r->others, by_number);
    return c->kind->key(c, r->key, &device);
}

zlay_status zl_write_cache(zlay_ctx *ctx, zlay_buf *out, const void *value)
{
    (void)ctx;
    return zlay_tuning_print(out, value);
}

/* The line of a record, in memory that free() takes; NULL, and said. */
static char *line_of(zl_contest *c, const zlay_tuning_record *r, size_t *length)
{
    size_t bad;
    zlay_tuning *one = NULL;
    zlay_status status = zlay_tuning_parse(c->ctx, &one, NULL, 0, &bad, NULL, 0);
    if (!status) status = zlay_tuning_add(c->ctx, one, r);
    if (status) zl_cli_say(c->ctx, status, "cache");
    char *line = status ? NULL : zl_text_of(c->ctx, zl_write_cache, one, length);
    zlay_tuning_free(one);
    return line;
}

/* Puts a line behind what the cache has, so that lines which are no records of this version are
 * not lost; of two lines with one key a reader takes the better one. */
static int cache_add(zl_contest *c, const zlay_tuning_record *r)
{
    const char *path = c->options->cache;
    size_t length = 0, more = 0;
    if (!path) return ZL_EXIT_YES;
    char *line = line_of(c, r, &more);
    char *text = !line                 ? NULL
                 : zl_file_lacks(path) ? calloc(1, 1)
                                       : zl_file_read(path, ZL_CACHE_MOST, &length);
    char *whole = text ? malloc(length + more + 1) : NULL;
    if (whole) {
        memcpy(whole, text, length);
        if (length && whole[length - 1] != '\n') whole[length++] = '\n';
        memcpy(whole + length, line, more);
    }
    bool done = whole && zl_file_write(path, whole, length + more);
    free(line);
    free(text);
    free(whole);
    if (done) printf("added to %s\n", path);
    return done ? ZL_EXIT_YES : ZL_EXIT_ERROR;
}

/* ---- the whole ------------------------------------------------------------------------------- */

static int on_device(zl_contest *c)
{
    uint32_t wrong = 0, rounds = c->options->rounds < ZL_CONTEST_ROUNDS
                                     ? (uint32_t)c->options->rounds
                                     : ZL_CONTEST_ROUNDS;
    zlay_tuning_record r;
    zlay_status status = zlay_device_info(&c->info, c->device);
    zl_progress_begin(NULL, "timing candidates");
    if (!status) status = sets_make(c);
    for (uint32_t i = 0; i < c->count && !status; i++) status = c->kind->load(c, i);
    if (!status) status = results_compare(c, &wrong);
    if (!status && !wrong) status = rounds_run(c, rounds);
    zl_progress_end();
    if (status == ZLAY_ENOTSUP) return zl_not_run(zlay_ctx_message(c->ctx)); /* of another target */
    if (status) return zl_cli_say(c->ctx, status, "tune");
    if (wrong) return ZL_EXIT_NO;
    printf("results: those of %u candidates agree with the first one's\n", c->count);
    for (uint32_t i = 0; i < c->count; i++)
        printf("%10.2f us  %s\n", (double)median_ns(&c->of[i], rounds) / 1000, c->of[i].choice);
    status = record_make(c, &r, rounds);
    if (status) return zl_cli_say(c->ctx, status, "key");
    printf("fastest: %s\n", r.choice);
    return cache_add(c, &r);
}

int zl_contest_run(zl_contest *c)
{
    zlay_status status = zlay_device_open(c->ctx, &c->device, 0);
    if (status == ZLAY_EDRIVER) return zl_not_run(zlay_ctx_message(c->ctx));
    return status ? zl_cli_say(c->ctx, status, "device") : on_device(c);
}

void zl_contest_free(zl_contest *c)
{
    for (uint32_t i = 0; c->of && i < ZL_CONTESTANTS; i++) zlay_kernel_free(c->of[i].kernel);
    for (uint32_t s = 0; c->device && s < ZL_CONTEST_SETS; s++)
        for (uint32_t i = 0; i < ZL_CONTEST_TENSORS; i++)
            zlay_device_free(c->device, c->address[s][i]);
    zlay_device_close(c->device);
    for (uint32_t i = 0; i < ZL_CONTEST_TENSORS; i++) zl_matrix_free(&c->tensor[i]);
    free(c->of);
}
