/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz ZLAY CORPUS: every target on its corpus, as it is and mutated; then the batch loop of the
 * program ZLAY on mutated lines.  FUZZ_RUNS (40000) and ZLAY_SEED choose how many and which; the
 * bytes that break something are left in fuzz-NAME.bin.  Ends with `N runs, N broken`. */
#define _POSIX_C_SOURCE 200809L /* opendir */

#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1 << 16, SEEDS = 1024, LINES = 2000 };

typedef struct seed {
    char *bytes;
    size_t size;
} seed;

typedef struct corpus {
    seed seeds[SEEDS];
    size_t count;
} corpus;

static uint64_t next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static size_t below(uint64_t *state, size_t count)
{
    return count ? (size_t)(next(state) % count) : 0;
}

/* ---- corpus -------------------------------------------------------------------------- */

static void seed_read(corpus *c, const char *path)
{
    FILE *file = fopen(path, "rb");
    char *bytes = malloc(MOST);
    if (!file || !bytes || c->count == SEEDS) exit(2);
    size_t size = fread(bytes, 1, MOST, file);
    while (size && bytes[size - 1] == '\n') size--;
    c->seeds[c->count++] = (seed){bytes, size};
    fclose(file);
}

static void corpus_read(corpus *c, const char *root, const char *name)
{
    char path[512];
    snprintf(path, sizeof path, "%s/%s", root, name);
    DIR *folder = opendir(path);
    c->count = 0;
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s/%s", root, name, entry->d_name);
        seed_read(c, path);
    }
    if (folder) closedir(folder);
    if (!c->count) c->seeds[c->count++] = (seed){calloc(1, MOST), 256};
}

static void corpus_free(corpus *c)
{
    while (c->count) free(c->seeds[--c->count].bytes);
}

/* ---- mutation ------------------------------------------------------------------------- */

/* A piece of some seed in place of a piece of this one. */
static size_t splice(uint64_t *state, const corpus *c, char *bytes, size_t size)
{
    const seed *other = &c->seeds[below(state, c->count)];
    size_t from = below(state, other->size), length = below(state, other->size - from + 1),
           at = below(state, size + 1);
    size_t cut = below(state, size - at + 1);
    if (size - cut + length > MOST) return size;
    memmove(bytes + at + length, bytes + at + cut, size - at - cut);
    memcpy(bytes + at, other->bytes + from, length);
    return size - cut + length;
}

static size_t number(uint64_t *state, char *bytes, size_t size)
{
    static const char *const numbers[] = {"0",
                                          "-1",
                                          "9223372036854775807",
                                          "-9223372036854775808",
                                          "18446744073709551616",
                                          "4294967296",
                                          "1",
                                          "64",
                                          "\xff",
                                          "((((((((",
                                          "%",
                                          "e9"};
    const char *text = numbers[below(state, sizeof numbers / sizeof numbers[0])];
    size_t length = strlen(text), at = below(state, size + 1);
    if (size + length > MOST) return size;
    memmove(bytes + at + length, bytes + at, size - at);
    memcpy(bytes + at, text, length);
    return size + length;
}

static size_t mutate(uint64_t *state, const corpus *c, char *bytes)
{
    const seed *from = &c->seeds[below(state, c->count)];
    size_t size = from->size;
    memcpy(bytes, from->bytes, size);
    for (size_t n = below(state, 6); n; n--) {
        size_t at = below(state, size);
        switch (below(state, 5)) {
        case 0:
            if (size) bytes[at] = (char)next(state);
            break;
        case 1:
            if (size) bytes[at] ^= (char)(1 << below(state, 8));
            break;
        case 2:
            if (size) memmove(bytes + at, bytes + at + 1, --size - at);
            break;
        case 3:
            size = number(state, bytes, size);
            break;
        default:
            size = splice(state, c, bytes, size);
        }
    }
    return size;
}

/* ---- targets -------------------------------------------------------------------------- */

static void keep(const char *name, const char *bytes, size_t size, int line)
{
    char path[64];
    snprintf(path, sizeof path, "fuzz-%s.bin", name);
    FILE *file = fopen(path, "wb");
    if (file) fwrite(bytes, 1, size, file);
    if (file) fclose(file);
    printf("%s: the statement of line %d is broken; the bytes are in %s\n", name, line, path);
}

/* A copy of the exact size, so that a sanitizer sees a read past its end. */
static int run_exact(const fuzz_row *row, const char *bytes, size_t size)
{
    char *copy = malloc(size ? size : 1);
    if (!copy) exit(2);
    memcpy(copy, bytes, size);
    int line = row->target(copy, size);
    if (line) keep(row->name, copy, size, line);
    free(copy);
    return line != 0;
}

static unsigned long run_row(const fuzz_row *row, const corpus *c, unsigned long runs,
                             uint64_t *state)
{
    static char bytes[MOST];
    unsigned long broken = 0;
    for (size_t i = 0; i < c->count; i++)
        broken += (unsigned long)run_exact(row, c->seeds[i].bytes, c->seeds[i].size);
    for (unsigned long n = 0; n < runs && broken < 10; n++) {
        size_t size = mutate(state, c, bytes);
        broken += (unsigned long)run_exact(row, bytes, size);
    }
    printf("%-12s %7lu runs on %zu seeds, %lu broken\n", row->name, runs, c->count, broken);
    return broken;
}

/* ---- the batch loop --------------------------------------------------------------------- */

static unsigned long lines_in(const char *path)
{
    unsigned long lines = 0;
    FILE *file = fopen(path, "rb");
    for (int c; file && (c = getc(file)) != EOF;) lines += c == '\n';
    if (file) fclose(file);
    return lines;
}

static void lines_write(const char *path, const corpus *c, uint64_t *state)
{
    static char bytes[MOST];
    FILE *file = fopen(path, "wb");
    if (!file) exit(2);
    for (int n = 0; n < LINES; n++) {
        size_t size = mutate(state, c, bytes);
        for (size_t i = 0; i < size; i++)
            if (bytes[i] != '\n') putc(bytes[i], file);
        putc('\n', file);
    }
    fclose(file);
}

/* One answer a line, and status 0. */
static unsigned long run_batch(const char *program, const corpus *c, uint64_t *state)
{
    char command[512];
    lines_write("fuzz-batch.bin", c, state);
    snprintf(command, sizeof command, "%s batch < fuzz-batch.bin > fuzz-batch.out", program);
    int status = system(command);
    unsigned long answers = lines_in("fuzz-batch.out");
    int broken = status || answers != LINES;
    printf("%-12s %7d lines, %lu answers, status %d\n", "batch", LINES, answers, status);
    remove("fuzz-batch.out");
    if (!broken) remove("fuzz-batch.bin");
    return broken ? 1 : 0;
}

int main(int argc, char **argv)
{
    const char *runs_given = getenv("FUZZ_RUNS"), *seed_given = getenv("ZLAY_SEED");
    unsigned long runs = runs_given ? strtoul(runs_given, NULL, 0) : 40000, broken = 0, all = 0;
    uint64_t state = seed_given ? strtoull(seed_given, NULL, 0) : 1;
    static corpus c;
    if (argc != 3) {
        fprintf(stderr, "usage: fuzz ZLAY CORPUS\n");
        return 2;
    }
    printf("seed %llu\n", (unsigned long long)state);
    for (const fuzz_row *row = fuzz_rows; row->name; row++) {
        corpus_read(&c, argv[2], row->name);
        broken += run_row(row, &c, runs / row->weight, &state);
        all += runs / row->weight + c.count;
        if (row[1].name) corpus_free(&c);
    }
    broken += run_batch(argv[1], &c, &state);
    corpus_free(&c);
    printf("%lu runs, %lu broken\n", all + LINES, broken);
    return broken ? 1 : 0;
}
