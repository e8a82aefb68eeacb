/* SPDX-License-Identifier: Apache-2.0 */
/* Mutated input for every parser and for the batch loop, without a fuzzing engine:
 *
 *   fuzz CORPUS [ITERATIONS]
 *
 * CORPUS has a folder for each target, each file an input that is right. Every input is fed as it
 * is and then mutated: bytes flipped, cut, doubled, spliced from another input. What must hold is
 * in the targets: a known status, a message with every failure, and text that reads back as it was
 * printed. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/json.h>
#include <zlay/zlay.h>

enum { INPUTS = 256, MOST = 1 << 14, ROOM = 1 << 20 };

typedef struct input {
    char *bytes;
    size_t length;
} input;

static char text[ROOM], again[ROOM];

static void must(int holds, const char *what, const char *bytes, size_t length)
{
    if (holds) return;
    printf("fuzz: %s; the input:\n%.*s\n", what, (int)length, bytes);
    exit(1);
}

static int known(zlay_status status) { return status >= ZLAY_EDRIVER && status <= ZLAY_NONE; }

static void said(zlay_ctx *ctx, zlay_status status, const char *bytes, size_t length)
{
    must(known(status), "a status that is none", bytes, length);
    must(!status || zlay_ctx_message(ctx)[0], "a failure without a message", bytes, length);
}

static void fuzz_layout(zlay_ctx *ctx, const char *bytes, size_t length)
{
    zlay_layout *a, *b;
    zlay_buf buf = {text, ROOM, 0}, buf2 = {again, ROOM, 0};
    uint64_t index;
    int64_t value[64];
    zlay_status status = zlay_layout_parse(ctx, &a, bytes, length);
    said(ctx, status, bytes, length);
    if (status) return;
    must(zlay_layout_print(&buf, a) == ZLAY_OK, "a layout that does not print", bytes, length);
    must(zlay_layout_parse(ctx, &b, text, buf.need) == ZLAY_OK, "a print that does not parse",
         bytes, length);
    must(zlay_layout_print(&buf2, b) == ZLAY_OK && !strcmp(text, again),
         "a print that reads back as another", bytes, length);
    uint64_t last = zlay_layout_size(a) - 1;
    if (zlay_layout_outs(a) <= 64)
        must(zlay_layout_eval(value, 64, a, last) == ZLAY_OK, "no last value", bytes, length);
    said(ctx, zlay_layout_index(ctx, &index, a, bytes, length), bytes, length);
    zlay_layout_free(b);
    status = zlay_layout_coalesce(ctx, &b, a);
    said(ctx, status, bytes, length);
    zlay_layout_free(b);
    zlay_layout_free(a);
}

static void fuzz_pipe(zlay_ctx *ctx, const char *bytes, size_t length)
{
    zlay_pipe *a, *b;
    zlay_buf buf = {text, ROOM, 0}, buf2 = {again, ROOM, 0};
    zlay_answer answer;
    size_t count;
    zlay_status status = zlay_pipe_parse(ctx, &a, bytes, length);
    said(ctx, status, bytes, length);
    if (status) return;
    must(zlay_pipe_print(&buf, a) == ZLAY_OK, "a pipe that does not print", bytes, length);
    must(zlay_pipe_parse(ctx, &b, text, buf.need) == ZLAY_OK, "a print that does not parse", bytes,
         length);
    must(zlay_pipe_print(&buf2, b) == ZLAY_OK && !strcmp(text, again),
         "a print that reads back as another", bytes, length);
    status = zlay_pipe_verify(ctx, &answer, NULL, 0, &count, NULL, a);
    said(ctx, status, bytes, length);
    must(status || (answer == ZLAY_NO) == (count > 0),
         "a no without a reason, or a reason without a no", bytes, length);
    zlay_pipe_free(b);
    zlay_pipe_free(a);
}

static void fuzz_json(zlay_ctx *ctx, const char *bytes, size_t length)
{
    zlay_buf buf = {text, ROOM, 0};
    zlay_status status = zlay_json_call(ctx, &buf, bytes, length);
    must(status == ZLAY_OK || status == ZLAY_EROOM, "a line without an answer", bytes, length);
    must(status || (text[0] == '{' && !strchr(text, '\n')), "an answer that is no line", bytes,
         length);
}

static const struct {
    const char *name;
    void (*feed)(zlay_ctx *ctx, const char *bytes, size_t length);
} targets[] = {{"layout", fuzz_layout}, {"pipe", fuzz_pipe}, {"json", fuzz_json}};

static uint64_t next(uint64_t *s)
{
    *s ^= *s << 13;
    *s ^= *s >> 7;
    *s ^= *s << 17;
    return *s;
}

static size_t mutate(uint64_t *s, char *to, const input *from, const input *other)
{
    static const char bytes[] = "0123456789-:;,.()[]{}<>%/*+ \n\"_oSwf2tiNATBD\\\xff";
    size_t length = from->length;
    memcpy(to, from->bytes, length);
    for (uint64_t edits = 1 + next(s) % 4; edits--;) {
        size_t at = length ? next(s) % length : 0, span = 1 + next(s) % 16;
        switch (next(s) % 5) {
        case 0:
            if (length) to[at] = bytes[next(s) % (sizeof bytes - 1)];
            break;
        case 1:
            if (length) to[at] = (char)next(s);
            break;
        case 2: length = at; break;
        case 3:
            if (at + span < length) {
                memmove(to + at, to + at + span, length - at - span);
                length -= span;
            }
            break;
        default:
            if (span > other->length) span = other->length;
            if (length + span > MOST) break;
            memmove(to + at + span, to + at, length - at);
            memcpy(to + at, other->bytes + next(s) % (other->length - span + 1), span);
            length += span;
        }
    }
    return length;
}

static size_t load(const char *corpus, const char *name, input *inputs)
{
    char path[4096];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/%s", corpus, name);
    DIR *dir = opendir(path);
    if (!dir) return 0;
    for (struct dirent *d; count < INPUTS && (d = readdir(dir));) {
        snprintf(path, sizeof path, "%s/%s/%s", corpus, name, d->d_name);
        FILE *f = d->d_name[0] == '.' ? NULL : fopen(path, "rb");
        if (!f) continue;
        inputs[count].bytes = malloc(MOST);
        if (!inputs[count].bytes) exit(2);
        inputs[count].length = fread(inputs[count].bytes, 1, MOST / 2, f);
        fclose(f);
        count++;
    }
    closedir(dir);
    return count;
}

int main(int argc, char **argv)
{
    static input inputs[INPUTS];
    static char mutant[2 * MOST];
    uint64_t seed = 88172645463325252ull,
             iterations = argc > 2 ? strtoull(argv[2], NULL, 10) : 30000;
    zlay_ctx *ctx;
    zlay_limits limits = {.size = sizeof limits, .points = 4096};
    if (argc < 2 || zlay_ctx_new(&ctx, NULL, &limits)) return 2;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++) {
        size_t count = load(argv[1], targets[t].name, inputs);
        must(count > 0, "a target without a corpus", targets[t].name, strlen(targets[t].name));
        for (size_t i = 0; i < count; i++) targets[t].feed(ctx, inputs[i].bytes, inputs[i].length);
        for (uint64_t i = 0; i < iterations; i++) {
            size_t length =
                mutate(&seed, mutant, &inputs[next(&seed) % count], &inputs[next(&seed) % count]);
            targets[t].feed(ctx, mutant, length);
        }
        printf("fuzz: %s: %zu inputs, %llu mutants\n", targets[t].name, count,
               (unsigned long long)iterations);
        for (size_t i = 0; i < count; i++) free(inputs[i].bytes);
    }
    zlay_ctx_free(ctx);
    return 0;
}
