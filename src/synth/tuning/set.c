/* SPDX-License-Identifier: Apache-2.0 */
/* Records by key: a sorted array, in which a better record takes the place of another one of its key. */
#include "synth/tuning/tuning.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static zlay_tuning *new_set(zlay_ctx *ctx)
{
    zlay_tuning *t = zl_alloc(ctx, 1, sizeof *t);
    if (t) t->alloc = zl_allocator(ctx);
    return t;
}

void zlay_tuning_free(zlay_tuning *tuning)
{
    if (!tuning) return;
    zlay_allocator alloc = tuning->alloc;
    zl_free(&alloc, tuning->record, tuning->room * sizeof *tuning->record);
    zl_free(&alloc, tuning, sizeof *tuning);
}

/* Makes room for `count` records. */
static zlay_status reserve(zlay_ctx *ctx, zlay_tuning *t, size_t count)
{
    size_t room = 2 * t->room > count ? 2 * t->room : count;
    if (count <= t->room) return ZLAY_OK;
    zlay_tuning_record *more = zl_alloc(ctx, room, sizeof *more);
    if (!more) return ZLAY_ENOMEM;
    if (t->count) memcpy(more, t->record, t->count * sizeof *more);
    zl_free(&t->alloc, t->record, t->room * sizeof *t->record);
    t->record = more;
    t->room = room;
    return ZLAY_OK;
}

/* By keys, and of one key the better record first. */
static int compare(const void *left, const void *right)
{
    const zlay_tuning_record *a = left, *b = right;
    int order = strcmp(a->key, b->key);
    return order ? order : zl_tuning_better(a, b) ? -1 : zl_tuning_better(b, a);
}

/* Sorts records and leaves the better one of each key, in n log n steps: a cache may have many lines. */
static void settle(zlay_tuning *t)
{
    size_t kept = 0;
    if (t->count) qsort(t->record, t->count, sizeof *t->record, compare);
    for (size_t i = 0; i < t->count; i++)
        if (!kept || strcmp(t->record[kept - 1].key, t->record[i].key) != 0) {
            if (kept != i) t->record[kept] = t->record[i];
            kept++;
        }
    t->count = kept;
}

/* The place of a key: that of its record, or where it would stand. */
static size_t place_of(const zlay_tuning *t, const char *key)
{
    size_t low = 0, high = t->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(t->record[middle].key, key) < 0) low = middle + 1;
        else high = middle;
    }
    return low;
}

static zlay_status put(zlay_ctx *ctx, zlay_tuning *t, const zlay_tuning_record *r)
{
    size_t at = place_of(t, r->key);
    if (at < t->count && !strcmp(t->record[at].key, r->key)) {
        if (zl_tuning_better(r, &t->record[at])) t->record[at] = *r;
        return ZLAY_OK;
    }
    zlay_status status = reserve(ctx, t, t->count + 1);
    if (status) return status;
    memmove(&t->record[at + 1], &t->record[at], (t->count - at) * sizeof *r);
    t->record[at] = *r;
    t->count++;
    return ZLAY_OK;
}

/* Puts records behind the others; the set is to be settled. */
static zlay_status append(zlay_ctx *ctx, zlay_tuning *t, const zlay_tuning_record *r, size_t count)
{
    zlay_status status = reserve(ctx, t, t->count + count);
    if (status || !count) return status;
    memcpy(t->record + t->count, r, count * sizeof *r);
    t->count += count;
    return ZLAY_OK;
}

static zlay_status lines_read(zlay_ctx *ctx, zlay_tuning *t, zlay_tuning_bad *bad, size_t room, size_t *count, const char *text, size_t length)
{
    uint64_t number = 0;
    zlay_status status = ZLAY_OK;
    for (size_t at = 0; at < length && !status;) {
        const char *line = text + at, *end = memchr(line, '\n', length - at);
        size_t own = end ? (size_t)(end - line) : length - at;
        zlay_tuning_record r;
        at += own + 1;
        number++;
        if (own && line[own - 1] == '\r') own--; /* lines of other systems end in CR LF */
        if (!own || *line == '#') continue;
        const char *why = zl_tuning_line_read(&r, line, own);
        if (!why) status = append(ctx, t, &r, 1);
        if (why && *count < room) {
            bad[*count].line = number;
            snprintf(bad[*count].reason, sizeof bad->reason, "%s", why);
        }
        *count += why != NULL;
    }
    settle(t);
    return status;
}

zlay_status zlay_tuning_parse(zlay_ctx *ctx, zlay_tuning **out, zlay_tuning_bad *bad, size_t room, size_t *count, const char *text, size_t length)
{
    if (!out || !count || (!bad && room) || (!text && length)) return ZLAY_EINVAL;
    *out = NULL;
    *count = 0;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_tuning *t = new_set(ctx);
    status = t ? lines_read(ctx, t, bad, room, count, text, length) : ZLAY_ENOMEM;
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_tuning_free(t);
    else *out = t;
    return status;
}

zlay_status zlay_tuning_merge(zlay_ctx *ctx, zlay_tuning **out, const zlay_tuning *a, const zlay_tuning *b)
{
    if (!out) return ZLAY_EINVAL;
    *out = NULL;
    if (!a || !b) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    zlay_tuning *t = new_set(ctx);
    status = t ? reserve(ctx, t, a->count + b->count) : ZLAY_ENOMEM;
    if (!status) status = append(ctx, t, a->record, a->count);
    if (!status) status = append(ctx, t, b->record, b->count);
    if (!status) settle(t);
    status = zl_leave(ctx, zl_whole(ctx, status));
    if (status) zlay_tuning_free(t);
    else *out = t;
    return status;
}

/* Whether a record is what its line says: a key with a blank in a value would be read as another. */
static const char *record_refused(const zlay_tuning_record *r)
{
    char line[ZL_TUNING_LINE];
    zlay_tuning_record read;
    if (!memchr(r->key, 0, sizeof r->key) || !memchr(r->choice, 0, sizeof r->choice)) return "a text without an end";
    if (r->others_count > ZLAY_TUNING_OTHERS) return "more than 15 others";
    zl_tuning_line_put(line, r);
    const char *why = zl_tuning_line_read(&read, line, strlen(line));
    return why ? why : strcmp(read.key, r->key) || strcmp(read.choice, r->choice) ? "a blank in a word" : NULL;
}

zlay_status zlay_tuning_add(zlay_ctx *ctx, zlay_tuning *tuning, const zlay_tuning_record *record)
{
    if (!tuning || !record) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    const char *why = record_refused(record);
    status = why ? zl_fail(ctx, ZLAY_EINVAL, "record: %s", why) : put(ctx, tuning, record);
    return zl_leave(ctx, status);
}

zlay_status zlay_tuning_find(zlay_tuning_record *out, const zlay_tuning *tuning, const char *key)
{
    if (!out || !tuning || !key) return ZLAY_EINVAL;
    const zlay_tuning_record *best = NULL;
    for (int shape = 1; shape >= 0 && !best; shape--)
        for (size_t i = 0; i < tuning->count; i++) {
            const zlay_tuning_record *r = &tuning->record[i];
            if (zl_tuning_matches(r->key, key, shape) && (!best || zl_tuning_better(r, best))) best = r;
        }
    if (!best) return ZLAY_NONE;
    *out = *best;
    return ZLAY_OK;
}

zlay_status zlay_tuning_nth(zlay_tuning_record *out, const zlay_tuning *tuning, size_t i)
{
    if (!out || !tuning) return ZLAY_EINVAL;
    if (i >= tuning->count) return ZLAY_NONE;
    *out = tuning->record[i];
    return ZLAY_OK;
}

static void set_write(zl_text *out, const void *value)
{
    const zlay_tuning *t = value;
    char line[ZL_TUNING_LINE];
    for (size_t i = 0; i < t->count; i++) {
        zl_tuning_line_put(line, &t->record[i]);
        zl_puts(out, line);
        zl_puts(out, "\n");
    }
}

zlay_status zlay_tuning_print(zlay_buf *out, const zlay_tuning *tuning)
{
    return tuning ? zl_print(out, set_write, tuning) : ZLAY_EINVAL;
}
