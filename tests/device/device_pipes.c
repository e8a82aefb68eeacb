/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes as generated kernels on a Hopper GPU: what the rows of pipes.def leave in global memory, byte
 * by byte, against their relations; then mutants, each in a process of its own, for a wait that gives up
 * ends the context.
 *
 *   device-pipes [--mutant I | --print FOLDER]     Ends with `N passed, N failed`. */
#define _DEFAULT_SOURCE /* alarm */
#include "../random.h"
#include "cuda_now.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlay/zlay.h>

enum {
    STEP = 1 << 18, SIZE = 4 * STEP, BUFFERS = 16, TEXT = 1 << 14, KERNEL = 1 << 20, SECONDS = 400,
    RELATIONS = 3, DYNAMIC_SMEM = 8, TRIES = 1 << 18, ROW = 64, ROW_BYTES = 128, STAGE = 16384
};
typedef enum kind { NOTHING, SAME, SAME_LAST, ADDED, MATRICES, SWAPPED, GIVEN, PRODUCT } kind;
typedef enum count_of { BY_N, BY_2N, BY_T, BY_TN, BY_ONE } count_of;
enum { FAULT, MAY };
enum { RIGHT, WRONG, GAVE_UP }; /* also exit statuses of a mutant's process */

typedef struct relation {
    kind kind;
    const char *out, *in;
    count_of count;
    uint32_t stage, at, bytes;
    int block;
} relation;

static const struct pipe_row {
    const char *name, *text;
    unsigned stages, clusters;
    relation relation[RELATIONS];
} rows[] = {
#define PIPE(name, text, stages, clusters, ...) {name, text, stages, clusters, {__VA_ARGS__}},
#define MUTANT(pipe, from, to, outcome)
#include "pipes.def"
};
enum { ROWS = sizeof rows / sizeof *rows };

static const struct mutant_row {
    const char *pipe, *from, *to;
    int outcome;
} mutants[] = {
#define PIPE(name, text, stages, clusters, ...)
#define MUTANT(pipe, from, to, outcome) {pipe, from, to, outcome},
#include "pipes.def"
};
enum { MUTANTS = sizeof mutants / sizeof *mutants };

typedef struct buffer {
    char name[80];
    cuda_address at;
    uint8_t *was, *got;
} buffer;

typedef struct bench {
    cuda_now cuda;
    zlay_ctx *ctx;
    const zlay_target *target;
    buffer buffer[BUFFERS];
    unsigned buffers, blocks, cluster, n, t;
    uint64_t seed;
    char text[TEXT], kernel[KERNEL];
    bool proved;
} bench;

static void must(cuda_result result, const char *what)
{
    if (!result) return;
    printf("driver error %u: %s\n", result, what);
    exit(3);
}

/* ---- texts ---------------------------------------------------------------------------- */

static const char *raw_text(const char *text)
{
    static char raw[TEXT];
    char path[128];
    if (*text != '@') return text;
    snprintf(path, sizeof path, "tests/pipes/%s.pipe", text + 1);
    FILE *file = fopen(path, "r");
    if (!file) {
        printf("no file %s\n", path);
        exit(3);
    }
    raw[fread(raw, 1, sizeof raw - 1, file)] = 0;
    fclose(file);
    return raw;
}

static void text_make(bench *b, const struct pipe_row *row)
{
    size_t n = 0;
    for (const char *c = raw_text(row->text); *c; c++) {
        bool less = *c == '$' && c[1] == '-' && c[2] >= '0' && c[2] <= '9';
        if (*c == '$') n += (size_t)sprintf(b->text + n, "%u", row->stages - (less ? (unsigned)(c[2] - '0') : 0));
        else b->text[n++] = *c == ';' && *row->text != '@' ? '\n' : *c;
        if (less) c += 2;
    }
    b->text[n] = 0;
}

static bool text_edit(bench *b, const char *from, const char *to)
{
    static char rest[TEXT];
    char *found = strstr(b->text, from);
    if (!found) return false;
    strcpy(rest, found + strlen(from));
    strcpy(found, to);
    strcat(found, rest);
    return true;
}

/* ---- kernels ---------------------------------------------------------------------------- */

static zlay_status kernel_make(bench *b, zlay_pipe_launch *launch, zlay_pipe_argument *arguments, size_t room)
{
    zlay_pipe *pipe = NULL;
    zlay_status status = zlay_pipe_parse(b->ctx, &pipe, b->text, strlen(b->text));
    zlay_pipe_emit ask = {.size = sizeof ask, .target = b->target, .pipe = pipe, .name = "piped", .name_length = 5,
                          .tries = TRIES};
    zlay_buf out = {b->kernel, KERNEL, 0};
    if (!status) status = zlay_emit_pipe(b->ctx, &out, launch, arguments, room, &ask);
    b->proved = !status;
    ask.unchecked = 1;
    out.need = 0;
    if (status && pipe) status = zlay_emit_pipe(b->ctx, &out, launch, arguments, room, &ask);
    zlay_pipe_free(pipe);
    return status;
}

/* Products are exact on small whole numbers. */
static void fill(bench *b, uint8_t *bytes, bool numbers)
{
    static const uint16_t bf16[] = {0x0000, 0x3f80, 0xbf80, 0x4000, 0xc000};
    for (size_t i = 0; i < SIZE; i += 2) {
        uint64_t r = test_random(&b->seed);
        uint16_t half = numbers ? bf16[r % 5] : (uint16_t)r;
        memcpy(bytes + i, &half, 2);
    }
}

static buffer *buffer_of(bench *b, const char *prefix, const char *name)
{
    char whole[80];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    for (unsigned i = 0; i < b->buffers; i++)
        if (!strcmp(b->buffer[i].name, whole)) return &b->buffer[i];
    if (b->buffers == BUFFERS) return NULL;
    buffer *one = &b->buffer[b->buffers++];
    strcpy(one->name, whole);
    if (one->at) return one;
    must(b->cuda.cuMemAlloc_v2(&one->at, SIZE), "memory");
    one->was = malloc(SIZE);
    one->got = malloc(SIZE);
    return one;
}

static unsigned counted(const bench *b, count_of by)
{
    static const unsigned one = 1;
    return by == BY_N ? b->n : by == BY_2N ? 2 * b->n : by == BY_T ? b->t : by == BY_TN ? b->t * b->n : one;
}

/* Launch once; GAVE_UP where the driver reports a fault. */
static int launch_once(bench *b, const struct pipe_row *row, void *function, const zlay_pipe_launch *launch,
                       const zlay_pipe_argument *arguments)
{
    uint64_t values[64];
    void *parameters[64];
    bool numbers = row->relation[0].kind == PRODUCT;
    b->buffers = 0;
    b->cluster = launch->cluster;
    b->blocks = row->clusters * launch->cluster;
    for (uint32_t i = 0; i < launch->arguments; i++) {
        const char *name = arguments[i].name;
        parameters[i] = &values[i];
        values[i] = STEP;
        if (arguments[i].kind == ZLAY_ARGUMENT_COUNT) values[i] = strcmp(name, "n_T") ? b->n : b->t;
        if (arguments[i].kind != ZLAY_ARGUMENT_POINTER) continue;
        buffer *one = buffer_of(b, "", name);
        fill(b, one->was, numbers);
        if (!strcmp(name, "ptr_done")) memset(one->was, 0, 64);
        must(b->cuda.cuMemcpyHtoD_v2(one->at, one->was, SIZE), "to the device");
        values[i] = one->at;
    }
    must(b->cuda.cuLaunchKernel(function, b->blocks, 1, 1, launch->threads, 1, 1, launch->smem, NULL, parameters, NULL),
         "launch");
    if (b->cuda.cuCtxSynchronize()) return GAVE_UP;
    for (unsigned i = 0; i < b->buffers; i++)
        must(b->cuda.cuMemcpyDtoH_v2(b->buffer[i].got, b->buffer[i].at, SIZE), "from the device");
    return RIGHT;
}

/* ---- relations ---------------------------------------------------------------------------- */

static unsigned source_block(const bench *b, const relation *r, unsigned block)
{
    unsigned first = block / b->cluster * b->cluster;
    if (r->kind == SWAPPED) return block ^ 1;
    return r->block < 0 ? block : first + (unsigned)r->block;
}

/* Word j of lane l of a chunk of 512 bytes is word l % 4 of row l / 4 of matrix j. */
static void matrices(uint8_t *to, const uint8_t *from)
{
    for (unsigned chunk = 0; chunk < STAGE; chunk += 512)
        for (unsigned lane = 0; lane < 32; lane++)
            for (unsigned j = 0; j < 4; j++)
                memcpy(to + chunk + lane * 16 + j * 4, from + chunk + j * 128 + lane / 4 * 16 + lane % 4 * 4, 4);
}

static void moved(bench *b, const relation *r, uint8_t *want, const buffer *in, unsigned block, unsigned index)
{
    uint64_t at = (uint64_t)index * r->stage + r->at;
    uint8_t *to = want + (uint64_t)block * STEP + at;
    const uint8_t *from = in->was + (uint64_t)source_block(b, r, block) * STEP + at;
    if (r->kind == SAME_LAST && block % b->cluster == 0) return;
    if (r->kind == MATRICES) matrices(to, from);
    else if (r->kind != ADDED) memcpy(to, from, r->bytes);
    for (uint32_t i = 0; r->kind == ADDED && i < r->bytes; i += 4) {
        uint32_t x, y;
        memcpy(&x, to + i, 4);
        memcpy(&y, from + i, 4);
        x += y;
        memcpy(to + i, &x, 4);
    }
}

/* bf16 number (row, k) of a stage of rows of 128 bytes under the 128-byte swizzle. */
static float number(const uint8_t *stage, unsigned row, unsigned k)
{
    uint16_t half;
    memcpy(&half, stage + row * ROW_BYTES + ((k * 2) ^ (row & 7) << 4), 2);
    uint32_t word = (uint32_t)half << 16;
    float value;
    memcpy(&value, &word, 4);
    return value;
}

/* Register v of thread t holds row 16 (t / 32) + t % 32 / 4 + 8 (v / 2 % 2), column 8 (v / 4) + 2 (t % 4) + v % 2. */
static void tile(const bench *b, uint8_t *to, const uint8_t *a, const uint8_t *w, unsigned first, unsigned rows_at)
{
    for (unsigned t = 0; t < 128; t++)
        for (unsigned v = 0; v < STAGE / 512; v++) {
            unsigned row = rows_at + 16 * (t / 32) + t % 32 / 4 + 8 * (v / 2 % 2);
            unsigned column = 8 * (v / 4) + 2 * (t % 4) + v % 2;
            float sum = 0;
            for (unsigned s = first; s < first + b->n; s++)
                for (unsigned k = 0; k < ROW; k++) sum += number(a + s * STAGE, row, k) * number(w + s * STAGE, column, k);
            memcpy(to + (v * 128 + t) * 4, &sum, 4);
        }
}

/* Of a product `stage` is the number of instances, tiles are every `bytes`-th from `at` on. */
static void products(bench *b, const relation *r, uint8_t *want)
{
    const buffer *a = buffer_of(b, "in_", "A"), *w = buffer_of(b, "in_", "B");
    for (unsigned block = 0; block < b->blocks; block++) {
        bool helper = b->cluster == 2 && block % 2;
        for (unsigned t = r->at; t < counted(b, r->count) && !helper; t += r->bytes)
            for (unsigned i = 0; i < r->stage; i++)
                tile(b, want + (uint64_t)block * STEP + (uint64_t)(t * r->stage + i) * STAGE, a->was + (uint64_t)block * STEP,
                     w->was + (uint64_t)block * STEP, t * b->n, 64 * i);
    }
}

/* All of the output is compared: what no relation names must be as it was. */
static bool holds(bench *b, const struct pipe_row *row)
{
    bool good = true;
    for (unsigned i = 0; i < RELATIONS && good; i++) {
        const relation *r = &row->relation[i];
        if (r->kind == NOTHING) continue;
        buffer *out = buffer_of(b, r->kind == GIVEN ? "ptr_" : "out_", r->out);
        const buffer *in = r->kind == PRODUCT ? NULL : buffer_of(b, "in_", r->in);
        for (unsigned j = i; j < RELATIONS; j++) {
            const relation *also = &row->relation[j];
            if (also->kind == NOTHING || strcmp(also->out, r->out)) continue;
            if (also->kind == PRODUCT) products(b, also, out->was);
            for (unsigned block = 0; also->kind != PRODUCT && block < b->blocks; block++)
                for (unsigned e = 0; e < counted(b, also->count); e++) moved(b, also, out->was, in, block, e);
        }
        good = !memcmp(out->was, out->got, SIZE);
        if (i + 1 < RELATIONS && row->relation[i + 1].kind && !strcmp(row->relation[i + 1].out, r->out)) break;
    }
    return good;
}

static int run(bench *b, const struct pipe_row *row)
{
    static const unsigned trips[] = {1, 2, 3, 5, 10};
    zlay_pipe_launch launch;
    zlay_pipe_argument arguments[64];
    void *module = NULL, *function = NULL;
    zlay_status status = kernel_make(b, &launch, arguments, 64);
    if (status) {
        printf("%s: %s\n", row->name, zlay_ctx_message(b->ctx));
        return WRONG;
    }
    must(b->cuda.cuModuleLoadData(&module, b->kernel), row->name);
    must(b->cuda.cuModuleGetFunction(&function, module, "piped"), row->name);
    must(b->cuda.cuFuncSetAttribute(function, DYNAMIC_SMEM, (int)launch.smem), row->name);
    int answer = RIGHT;
    for (unsigned i = 0; i < 5 && answer == RIGHT; i++) {
        b->n = trips[i];
        b->t = 2;
        if (strstr(b->text, "param N 4") && b->n < 4) b->n += 3;
        if (strstr(b->text, "param N 2") && b->n < 2) b->n += 1;
        if (strstr(b->text, "param T") && b->n > 5) b->n = 4, b->t = 3;
        answer = launch_once(b, row, function, &launch, arguments);
        if (!answer && !holds(b, row)) answer = WRONG;
        if (answer) printf("%s: N = %u, T = %u: %s\n", row->name, b->n, b->t, answer == WRONG ? "wrong" : "fault");
    }
    if (answer != GAVE_UP) must(b->cuda.cuModuleUnload(module), "unload");
    return answer;
}

/* ---- mutants -------------------------------------------------------------------------------- */

static int mutant(bench *b, const struct mutant_row *m)
{
    for (unsigned i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, m->pipe)) continue;
        text_make(b, &rows[i]);
        if (!text_edit(b, m->from, m->to)) break;
        return run(b, &rows[i]);
    }
    printf("no place for the mutant\n");
    return 3;
}

static bool mutant_process(const char *self, unsigned i)
{
    static const char *const says[] = {"right", "wrong data", "a wait gave up", "did not run"};
    char number_text[12];
    snprintf(number_text, sizeof number_text, "%u", i);
    fflush(stdout);
    pid_t child = fork();
    if (!child) {
        execl(self, self, "--mutant", number_text, (char *)NULL);
        _exit(3);
    }
    int status = 0;
    waitpid(child, &status, 0);
    int got = WIFEXITED(status) ? WEXITSTATUS(status) & 3 : 3;
    bool good = got == WRONG || got == GAVE_UP || (mutants[i].outcome == MAY && got == RIGHT);
    printf("%s mutant of %s: %s -> %s: %s\n", good ? "ok" : "BAD", mutants[i].pipe, mutants[i].from, mutants[i].to, says[got]);
    return good;
}

/* The kernels of all rows as files, for an assembler where there is no device. */
static int print_all(bench *b, const char *folder)
{
    int failed = 0;
    for (unsigned i = 0; i < ROWS + MUTANTS; i++) {
        zlay_pipe_launch launch;
        char path[256];
        const struct mutant_row *m = i < ROWS ? NULL : &mutants[i - ROWS];
        const struct pipe_row *row = &rows[m ? 0 : i];
        while (m && strcmp(row->name, m->pipe)) row++;
        text_make(b, row);
        bool edited = !m || text_edit(b, m->from, m->to);
        if (!edited || kernel_make(b, &launch, NULL, 0)) {
            printf("%u %s: %s\n", i, row->name, edited ? zlay_ctx_message(b->ctx) : "no place for the mutant");
            failed++;
            continue;
        }
        snprintf(path, sizeof path, "%s/%u.ptx", folder, i);
        FILE *file = fopen(path, "w");
        if (!file) return 3;
        fputs(b->kernel, file);
        fclose(file);
        printf("%u %s%s%s\n", i, row->name, m ? ", mutant" : "", b->proved ? ", proved" : "");
    }
    return failed;
}

int main(int argc, char **argv)
{
    static bench b = {.seed = 20240607};
    int passed = 0, failed = 0, proved = 0;
    alarm(SECONDS);
    if (zlay_ctx_new(&b.ctx, NULL, NULL) || zlay_target_find(&b.target, "sm_90a", 6)) return 3;
    bool all = !(argc > 2 && !strcmp(argv[1], "--mutant"));
    if (argc > 2 && !strcmp(argv[1], "--print")) return print_all(&b, argv[2]);
    for (unsigned i = 0; all && i < MUTANTS; i++) {
        if (mutant_process(argv[0], i)) passed++;
        else failed++;
    }
    if (!cuda_open(&b.cuda)) return 3;
    if (!all) return mutant(&b, &mutants[(unsigned)atoi(argv[2]) % MUTANTS]);
    for (unsigned i = 0; i < ROWS; i++) {
        text_make(&b, &rows[i]);
        int answer = run(&b, &rows[i]);
        printf("%s %s%s\n", answer ? "BAD" : "ok", rows[i].name, b.proved ? ", proved" : "");
        fflush(stdout);
        passed += !answer;
        failed += answer != RIGHT;
        proved += b.proved;
        if (answer == GAVE_UP) break;
    }
    printf("%d of %d pipes proved before they ran\n%d passed, %d failed\n", proved, (int)ROWS, passed, failed);
    return failed != 0;
}
