/* SPDX-License-Identifier: Apache-2.0 */
/* Pipes as generated kernels on a Hopper GPU: what the rows of pipes.def leave in global memory, byte
 * by byte, against their relations; then mutants, each in a process of its own, for a wait that gives up
 * ends the context.
 *
 * With --print the kernels become files, PTX and CUDA C, for compilers where there is no device; with --cubins
 * FOLDER row I runs as FOLDER/I.cubin.
 *
 *   device-pipes [--mutant I | --print FOLDER | --cubins FOLDER]     Ends with `N passed, N failed`. */
#define _DEFAULT_SOURCE /* alarm */
#include "../random.h"
#include "cuda_now.h"
#include "pipe_rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlay/zlay.h>

enum {
    BUFFERS = 16, KERNEL = 1 << 20, SECONDS = 400, MOVES = 2, LEADING = 640, ROWS_OF_A_BLOCK = 128, MAP_WORDS = 16, PLANE = 4096, DYNAMIC_SMEM = 8, TRIES = 1 << 18, ROW = 64, ROW_BYTES = 128
};
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
    zlay_move *move[MOVES]; /* of A and B, in row-major matrices, where the row is MAPPED */
    uint64_t map[4][MAP_WORDS];
    zlay_layout *bytes; /* of INTEGERS: rows of 128 */
    int32_t language;
    const char *cubins;
} bench;

static void must(cuda_result result, const char *what)
{
    if (!result) return;
    printf("driver error %u: %s\n", result, what);
    exit(3);
}

/* ---- kernels ---------------------------------------------------------------------------- */

static void bytes_make(bench *b)
{
    static const char text[] = "(128,128):(128,1)";
    zlay_layout_parse(b->ctx, &b->bytes, text, sizeof text - 1);
}

/* Tiles of 128 x 64 bf16 of a row-major matrix, in rows of 128 swizzled bytes. */
static void moves_make(bench *b)
{
    static const char text[] = "(1024,640):(640,1)", shared[] = "Sw<3,3,3> o 0 o (128,64):(64,1)";
    zlay_layout *source = NULL, *smem = NULL;
    zlay_layout_parse(b->ctx, &source, text, sizeof text - 1);
    zlay_layout_parse(b->ctx, &smem, shared, sizeof shared - 1);
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem,
                                .shape = {ROWS_OF_A_BLOCK, ROW}, .axes = 2};
    for (unsigned i = 0; i < MOVES; i++)
        if (zlay_tensormap_synth(b->ctx, &b->move[i], b->target, &r)) printf("%s\n", zlay_ctx_message(b->ctx));
    zlay_layout_free(source);
    zlay_layout_free(smem);
}

static zlay_status kernel_make(bench *b, const struct pipe_row *row, zlay_pipe_launch *launch,
                               zlay_pipe_argument *arguments, size_t room)
{
    const zlay_pipe_operand operands[MOVES] = {{"A", ZLAY_TYPE_S8, ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 0, b->bytes},
                                               {"B", ZLAY_TYPE_S8, ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 0, b->bytes}};
    const zlay_pipe_move moves[MOVES] = {{"tA", b->move[0], {"block", "i"}}, {"tB", b->move[1], {"block", "i"}}};
    zlay_pipe *pipe = NULL;
    zlay_status status = zlay_pipe_parse(b->ctx, &pipe, b->text, strlen(b->text));
    zlay_pipe_emit ask = {.size = sizeof ask, .target = b->target, .pipe = pipe, .name = "piped", .name_length = 5,
                          .tries = TRIES, .moves = moves, .moves_count = row->relation[0].kind == MAPPED ? MOVES : 0,
                          .operands = operands, .operands_count = row->relation[0].kind == INTEGERS ? MOVES : 0,
                          .language = b->language};
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

/* A stage as a copy by the map leaves it, of every block and step. */
static void staged(uint8_t *to, const uint8_t *matrix, unsigned blocks)
{
    for (unsigned block = 0; block < blocks; block++)
        for (unsigned row = 0; row < ROWS_OF_A_BLOCK; row++)
            for (unsigned k = 0; k < LEADING; k++)
                memcpy(to + block * STEP + k / ROW * STAGE + row * ROW_BYTES + ((k % ROW * 2) ^ (row & 7) << 4),
                       matrix + ((block * ROWS_OF_A_BLOCK + row) * LEADING + k) * 2, 2);
}

static void *map_argument(bench *b, const zlay_pipe_argument *argument)
{
    bool second = argument->name[5] == 'B';
    zlay_tensormap map;
    buffer *matrix = buffer_of(b, "mat_", second ? "B" : "A"), *stages = buffer_of(b, "in_", second ? "B" : "A");
    fill(b, matrix->was, true);
    staged(stages->was, matrix->was, b->blocks);
    must(b->cuda.cuMemcpyHtoD_v2(matrix->at, matrix->was, SIZE), "to the device");
    if (zlay_move_map(&map, b->move[second], argument->map)) exit(3);
    map.address += matrix->at;
    if (zlay_tensormap_pack(b->map[second], b->target, &map)) exit(3);
    return b->map[second];
}

/* Two maps of planes of 64 x 64 bytes, and the addresses that groups put into them. */
static void maps_fill(bench *b, buffer *one)
{
    buffer *planes = buffer_of(b, "in_", "planes");
    fill(b, planes->was, false);
    must(b->cuda.cuMemcpyHtoD_v2(planes->at, planes->was, SIZE), "to the device");
    zlay_tensormap map = {.type = ZLAY_TYPE_U8, .rank = 3, .address = planes->at, .extent = {ROW, ROW, STEP / PLANE},
                          .stride = {ROW, PLANE}, .box = {ROW, ROW, 1}, .step = {1, 1, 1}};
    for (unsigned i = 0; i < 2; i++) {
        if (zlay_tensormap_pack(b->map[2 + i], b->target, &map)) exit(3);
        memcpy(one->was + i * 128, b->map[2 + i], 128);
    }
}

static void bases_fill(bench *b, buffer *one)
{
    buffer *planes = buffer_of(b, "in_", "planes");
    for (unsigned g = 0; g < 4; g++) {
        uint64_t at = planes->at + (uint64_t)g * STEP;
        memcpy(one->was + g * 8, &at, 8);
    }
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
        if (arguments[i].kind == ZLAY_ARGUMENT_MAP) parameters[i] = map_argument(b, &arguments[i]);
        if (arguments[i].kind != ZLAY_ARGUMENT_POINTER) continue;
        buffer *one = buffer_of(b, "", name);
        fill(b, one->was, numbers);
        if (!strcmp(name, "ptr_done")) memset(one->was, 0, 64);
        if (!strcmp(name, "ptr_maps")) maps_fill(b, one);
        if (!strcmp(name, "base_maps")) bases_fill(b, one);
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

/* Index e of group e / N is plane e of the group's planes. */
static void updated(bench *b, const relation *r, uint8_t *want)
{
    const buffer *planes = buffer_of(b, "in_", "planes");
    for (unsigned block = 0; block < b->blocks; block++)
        for (unsigned e = 0; e < row_count(r->count, b->n, b->t); e++)
            memcpy(want + (uint64_t)block * STEP + e * PLANE, planes->was + (uint64_t)(e / b->n) * STEP + e * PLANE, PLANE);
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

static int32_t integer(const uint8_t *stage, unsigned row, unsigned k)
{
    return (int8_t)stage[row * ROW_BYTES + (k ^ (row & 7) << 4)];
}

static float sum_of(const bench *b, const uint8_t *a, const uint8_t *w, unsigned first, unsigned row, unsigned column)
{
    float sum = 0;
    for (unsigned s = first; s < first + b->n; s++)
        for (unsigned k = 0; k < ROW; k++) sum += number(a + s * STAGE, row, k) * number(w + s * STAGE, column, k);
    return sum;
}

static int32_t integers_of(const bench *b, const uint8_t *a, const uint8_t *w, unsigned first, unsigned row, unsigned column)
{
    int32_t sum = 0;
    for (unsigned s = first; s < first + b->n; s++)
        for (unsigned k = 0; k < ROW_BYTES; k++) sum += integer(a + s * STAGE, row, k) * integer(w + s * STAGE, column, k);
    return sum;
}

/* Register v of thread t holds row 16 (t / 32) + t % 32 / 4 + 8 (v / 2 % 2), column 8 (v / 4) + 2 (t % 4) + v % 2. */
static void tile(const bench *b, uint8_t *to, const uint8_t *a, const uint8_t *w, unsigned first, unsigned rows_at,
                 bool integers)
{
    for (unsigned t = 0; t < 128; t++)
        for (unsigned v = 0; v < STAGE / 512; v++) {
            unsigned row = rows_at + 16 * (t / 32) + t % 32 / 4 + 8 * (v / 2 % 2);
            unsigned column = 8 * (v / 4) + 2 * (t % 4) + v % 2;
            float sum = integers ? 0 : sum_of(b, a, w, first, row, column);
            int32_t whole = integers ? integers_of(b, a, w, first, row, column) : 0;
            memcpy(to + (v * 128 + t) * 4, integers ? (void *)&whole : (void *)&sum, 4);
        }
}

/* Of a product `stage` is the number of instances, tiles are every `bytes`-th from `at` on. */
static void products(bench *b, const relation *r, uint8_t *want)
{
    const buffer *a = buffer_of(b, "in_", "A"), *w = buffer_of(b, "in_", "B");
    for (unsigned block = 0; block < b->blocks; block++) {
        bool helper = b->cluster == 2 && block % 2;
        for (unsigned t = r->at; t < row_count(r->count, b->n, b->t) && !helper; t += r->bytes)
            for (unsigned i = 0; i < r->stage; i++)
                tile(b, want + (uint64_t)block * STEP + (uint64_t)(t * r->stage + i) * STAGE, a->was + (uint64_t)block * STEP,
                     w->was + (uint64_t)block * STEP, t * b->n, 64 * i, r->kind == INTEGERS);
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
        bool whole = r->kind >= PRODUCT;
        const buffer *in = whole ? NULL : buffer_of(b, "in_", r->in);
        for (unsigned j = i; j < RELATIONS; j++) {
            const relation *also = &row->relation[j];
            if (also->kind == NOTHING || strcmp(also->out, r->out)) continue;
            if (also->kind == UPDATED) updated(b, also, out->was);
            else if (whole) products(b, also, out->was);
            for (unsigned block = 0; !whole && block < b->blocks; block++)
                for (unsigned e = 0; e < row_count(also->count, b->n, b->t); e++) row_moved(out->was, in->was, also, b->cluster, block, e);
        }
        good = !memcmp(out->was, out->got, SIZE);
        if (i + 1 < RELATIONS && row->relation[i + 1].kind && !strcmp(row->relation[i + 1].out, r->out)) break;
    }
    return good;
}

/* The text, or what a compiler made of the other one. */
static const void *image(bench *b, const struct pipe_row *row)
{
    static char cubin[KERNEL];
    char path[256];
    if (!b->cubins) return b->kernel;
    snprintf(path, sizeof path, "%s/%u.cubin", b->cubins, (unsigned)(row - rows));
    FILE *file = fopen(path, "rb");
    if (!file || !fread(cubin, 1, sizeof cubin, file)) {
        printf("no file %s\n", path);
        exit(3);
    }
    fclose(file);
    return cubin;
}

static int run(bench *b, const struct pipe_row *row)
{
    zlay_pipe_launch launch;
    zlay_pipe_argument arguments[64];
    void *module = NULL, *function = NULL;
    zlay_status status = kernel_make(b, row, &launch, arguments, 64);
    if (status) {
        printf("%s: %s\n", row->name, zlay_ctx_message(b->ctx));
        return WRONG;
    }
    must(b->cuda.cuModuleLoadData(&module, image(b, row)), row->name);
    must(b->cuda.cuModuleGetFunction(&function, module, "piped"), row->name);
    must(b->cuda.cuFuncSetAttribute(function, DYNAMIC_SMEM, (int)launch.smem), row->name);
    int answer = RIGHT;
    for (unsigned i = 0; answer == RIGHT && row_trips(b->text, i, &b->n, &b->t); i++) {
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
        row_text(b->text, &rows[i]);
        if (!text_edit(b->text, m->from, m->to)) break;
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

static int print_one(bench *b, const char *folder, unsigned i, const struct pipe_row *row)
{
    static const char *const names[] = {"ptx", "cu"};
    for (b->language = ZLAY_TEXT_PTX; b->language <= ZLAY_TEXT_CUDA; b->language++) {
        zlay_pipe_launch launch;
        char path[256];
        if (kernel_make(b, row, &launch, NULL, 0)) return 1;
        snprintf(path, sizeof path, "%s/%u.%s", folder, i, names[b->language]);
        FILE *file = fopen(path, "w");
        if (!file) return 1;
        fputs(b->kernel, file);
        fclose(file);
    }
    return 0;
}

static int print_all(bench *b, const char *folder)
{
    int failed = 0;
    for (unsigned i = 0; i < ROWS + MUTANTS; i++) {
        const struct mutant_row *m = i < ROWS ? NULL : &mutants[i - ROWS];
        const struct pipe_row *row = &rows[m ? 0 : i];
        while (m && strcmp(row->name, m->pipe)) row++;
        row_text(b->text, row);
        bool good = (!m || text_edit(b->text, m->from, m->to)) && !print_one(b, folder, i, row);
        printf("%u %s%s%s%s\n", i, row->name, m ? ", mutant" : "", b->proved ? ", proved" : "", good ? "" : ": BAD");
        failed += !good;
    }
    return failed;
}

int main(int argc, char **argv)
{
    static bench b = {.seed = 20240607};
    int passed = 0, failed = 0, proved = 0;
    alarm(SECONDS);
    if (zlay_ctx_new(&b.ctx, NULL, NULL) || zlay_target_find(&b.target, "sm_90a", 6)) return 3;
    moves_make(&b);
    bytes_make(&b);
    if (argc > 2 && !strcmp(argv[1], "--cubins")) b.cubins = argv[2];
    bool all = !(argc > 2 && !strcmp(argv[1], "--mutant"));
    if (argc > 2 && !strcmp(argv[1], "--print")) return print_all(&b, argv[2]);
    for (unsigned i = 0; all && !b.cubins && i < MUTANTS; i++) {
        if (mutant_process(argv[0], i)) passed++;
        else failed++;
    }
    if (!cuda_open(&b.cuda)) return 3;
    if (!all) return mutant(&b, &mutants[(unsigned)atoi(argv[2]) % MUTANTS]);
    for (unsigned i = 0; i < ROWS; i++) {
        row_text(b.text, &rows[i]);
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
