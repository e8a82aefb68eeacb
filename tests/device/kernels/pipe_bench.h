/* SPDX-License-Identifier: Apache-2.0 */
/* A row of pipes.def made ready to run: its kernel, its arguments and what they point at; and, once it has
 * run, whether its relations hold. Who runs it says where memory is. */
#ifndef PIPE_BENCH_H
#define PIPE_BENCH_H

#include "pipe_rows.h"
#include "random.h"

#include <zlay/zlay.h>

enum {
    BUFFERS = 16, KERNEL = 1 << 20, MOVES = 2, LEADING = 640, ROWS_OF_A_BLOCK = 128, MAP_WORDS = 16, TRIES = 1 << 18, ROW = 64,
    ROW_BYTES = 128, ARGUMENTS = 64, FRAGMENTS = 8, FRAGMENT = 1 << 14, THREADS = 128, SUMS_STEP = 1 << 19, SUMS = 4 * SUMS_STEP,
    COLUMNS = 256
};

typedef struct buffer {
    char name[80];
    uint64_t at;
    size_t bytes;
    uint8_t *was, *got; /* what it had before; what it has after */
} buffer;

typedef struct bench bench;
/* A place of so many bytes that kernels can reach. */
typedef uint64_t bench_place(bench *b, size_t bytes);

struct bench {
    zlay_ctx *ctx;
    const zlay_target *target;
    bench_place *place;
    void *runner;
    buffer buffer[BUFFERS], sums; /* sums: accumulators that the pipe uses and stores nowhere */
    unsigned buffers, blocks, cluster, n, t;
    uint64_t seed;
    char text[TEXT], kernel[KERNEL], fragment[FRAGMENTS][FRAGMENT];
    bool proved;
    zlay_move *move[MOVES]; /* of A and B, in row-major matrices, where the row is MAPPED */
    uint64_t map[4][MAP_WORDS];
    zlay_layout *bytes; /* of INTEGERS: rows of 128 */
    int32_t language;
    zlay_pipe_launch launch;
    zlay_pipe_argument argument[ARGUMENTS];
    uint64_t value[ARGUMENTS];
    void *parameter[ARGUMENTS];
};

static inline void bench_must(bool good, const char *what)
{
    if (good) return;
    printf("%s\n", what);
    exit(3);
}

/* ---- kernels ---------------------------------------------------------------------------- */

/* Tiles of 128 x 64 bf16 of a row-major matrix, in rows of 128 swizzled bytes. */
static inline void bench_begin(bench *b)
{
    static const char text[] = "(1024,640):(640,1)", shared[] = "Sw<3,3,3> o 0 o (128,64):(64,1)", bytes[] = "(128,128):(128,1)";
    zlay_layout *source = NULL, *smem = NULL;
    zlay_layout_parse(b->ctx, &source, text, sizeof text - 1);
    zlay_layout_parse(b->ctx, &smem, shared, sizeof shared - 1);
    zlay_layout_parse(b->ctx, &b->bytes, bytes, sizeof bytes - 1);
    zlay_tensormap_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .source = source, .smem = smem,
                                .shape = {ROWS_OF_A_BLOCK, ROW}, .axes = 2};
    for (unsigned i = 0; i < MOVES; i++)
        bench_must(!zlay_tensormap_synth(b->ctx, &b->move[i], b->target, &r), "no move");
    zlay_layout_free(source);
    zlay_layout_free(smem);
}

static inline void bench_end(bench *b)
{
    for (unsigned i = 0; i < MOVES; i++) zlay_move_free(b->move[i]);
    zlay_layout_free(b->bytes);
}

static inline buffer *buffer_new(bench *b, buffer *one, size_t bytes)
{
    if (one->was) return one;
    one->at = b->place(b, bytes);
    one->bytes = bytes;
    one->was = calloc(1, bytes);
    one->got = calloc(1, bytes);
    bench_must(one->was && one->got, "no memory");
    return one;
}

static inline buffer *buffer_of(bench *b, const char *prefix, const char *name)
{
    char whole[80];
    snprintf(whole, sizeof whole, "%s%s", prefix, name);
    for (unsigned i = 0; i < b->buffers; i++)
        if (!strcmp(b->buffer[i].name, whole)) return &b->buffer[i];
    bench_must(b->buffers < BUFFERS, "too many buffers");
    buffer *one = &b->buffer[b->buffers++];
    strcpy(one->name, whole);
    return buffer_new(b, one, SIZE);
}

/* ---- fragments ---------------------------------------------------------------------------- */

/* Register v of thread t of an instance goes to word v * THREADS + t of its tile, tiles one after the other. */
static inline void store_text(const bench *b, char *text, const relation *r)
{
    unsigned tile = r->registers * THREADS * 4;
    int n = sprintf(text, "    mov.u64 gp, %llu;\n    mov.u32 index, %u;\n    mad.wide.u32 gp, ctaid, index, gp;\n    mov.u32 index, %s;\n"
                    "    mad.lo.u32 index, index, %u, instance;\n    mad.wide.u32 gp, index, %u, gp;\n    mad.wide.u32 gp, rtid, 4, gp;\n",
                    (unsigned long long)b->sums.at, SUMS_STEP, r->count == BY_T ? "count0" : "0", r->stage, tile);
    for (unsigned v = 0; v < r->registers; v++)
        n += sprintf(text + n, "    st.global.b32 [gp], acc_%s_%u;\n    add.u64 gp, gp, %u;\n", r->in, v, THREADS * 4);
}

static inline void zero_text(char *text)
{
    for (unsigned v = 0; v < 64; v++) text += sprintf(text, "    mov.b32 acc_O_%u, 0;\n", v);
}

/* Sums of a product as the factor of the next: columns 16 s + 8 h + 2 (t % 4) and one on become a register. */
static inline void pack_text(char *text)
{
    for (unsigned v = 0; v < 16; v++)
        text += sprintf(text, "    cvt.rn.bf16x2.f32 acc_S_%u, acc_S_%u, acc_S_%u;\n", v, 2 * v + 1, 2 * v);
}

/* Whether sums of an accumulator that the pipe only uses are stored by a fragment. */
static inline bool is_kept(const relation *r) { return r->registers != 0; }

/* `looped`: behind a loop's beginning in its role; before it accumulators of ATTENDED begin as 0. */
static inline bool fragment_at(const bench *b, char *text, const struct pipe_row *row, const char *line, bool looped)
{
    const relation *r = row->relation;
    size_t name = strlen(r->in ? r->in : "");
    if (strncmp(line, "use ", 4)) return false;
    if (r->kind == ATTENDED && line[4] == 'O' && !looped) zero_text(text);
    else if (r->kind == ATTENDED && line[4] == 'S') pack_text(text);
    else if (is_kept(r) && !strncmp(line + 4, r->in, name) && strchr(" \n", line[4 + name])) store_text(b, text, r);
    else return false;
    return true;
}

static inline unsigned fragments_make(bench *b, zlay_pipe_fragment *fragments, const struct pipe_row *row)
{
    unsigned count = 0, number = 1;
    bool looped = false;
    if (is_kept(row->relation)) buffer_new(b, &b->sums, SUMS);
    for (const char *at = b->text; *at; number++) {
        const char *line = at + strspn(at, " ");
        bench_must(count < FRAGMENTS, "too many fragments");
        looped = strncmp(line, "role ", 5) && (looped || !strncmp(line, "for ", 4));
        if (fragment_at(b, b->fragment[count], row, line, looped)) {
            fragments[count] = (zlay_pipe_fragment){.line = number, .text = b->fragment[count]};
            count++;
        }
        at += strcspn(at, "\n") + 1;
    }
    return count;
}

/* Printed as proved; where it is not, as asked for all the same. */
static inline zlay_status kernel_make(bench *b, const struct pipe_row *row)
{
    const zlay_pipe_operand operands[MOVES] = {{"A", ZLAY_TYPE_S8, ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 0, b->bytes},
                                               {"B", ZLAY_TYPE_S8, ZLAY_MAJOR_K, ZLAY_SWIZZLE_128B, 0, b->bytes}};
    const zlay_pipe_move moves[MOVES] = {{"tA", b->move[0], {"block", "i"}}, {"tB", b->move[1], {"block", "i"}}};
    zlay_pipe_fragment fragments[FRAGMENTS];
    kind of = row->relation[0].kind;
    zlay_pipe *pipe = NULL;
    zlay_status status = zlay_pipe_parse(b->ctx, &pipe, b->text, strlen(b->text));
    zlay_pipe_emit ask = {.size = sizeof ask, .target = b->target, .pipe = pipe, .name = "piped", .name_length = 5,
                          .tries = TRIES, .moves = moves, .moves_count = of == MAPPED ? MOVES : 0,
                          .operands = operands, .operands_count = of == INTEGERS ? MOVES : 0,
                          .fragments = fragments, .fragments_count = fragments_make(b, fragments, row), .language = b->language};
    zlay_buf out = {b->kernel, KERNEL, 0};
    if (!status) status = zlay_emit_pipe(b->ctx, &out, &b->launch, b->argument, ARGUMENTS, &ask);
    b->proved = !status;
    ask.unchecked = 1;
    out.need = 0;
    if (status && pipe) status = zlay_emit_pipe(b->ctx, &out, &b->launch, b->argument, ARGUMENTS, &ask);
    zlay_pipe_free(pipe);
    return status;
}

/* ---- arguments -------------------------------------------------------------------------- */

/* The first so many bytes. Products are exact on small whole numbers. */
static inline void fill(bench *b, buffer *one, bool numbers, size_t bytes)
{
    static const uint16_t bf16[] = {0x0000, 0x3f80, 0xbf80, 0x4000, 0xc000};
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t r = test_random(&b->seed);
        for (int k = 0; k < 4; k++) {
            uint16_t half = numbers ? bf16[(r >> 16 * k & 0xffff) % 5] : (uint16_t)(r >> 16 * k);
            memcpy(one->was + i + 2 * k, &half, 2);
        }
    }
}

/* A stage as a copy by the map leaves it, of every block and step. */
static inline void staged(uint8_t *to, const uint8_t *matrix, unsigned blocks)
{
    for (unsigned block = 0; block < blocks; block++)
        for (unsigned row = 0; row < ROWS_OF_A_BLOCK; row++)
            for (unsigned k = 0; k < LEADING; k++)
                memcpy(to + block * STEP + k / ROW * STAGE + row * ROW_BYTES + ((k % ROW * 2) ^ (row & 7) << 4),
                       matrix + ((block * ROWS_OF_A_BLOCK + row) * LEADING + k) * 2, 2);
}

static inline void map_pack(bench *b, uint64_t words[MAP_WORDS], const zlay_tensormap *map)
{
    const zlay_target *target = NULL;
    bench_must(!zlay_target_find(&target, "sm_90a", 6) && !zlay_tensormap_pack(words, target, map), "a map that cannot be packed");
    (void)b;
}

static inline void *map_argument(bench *b, const zlay_pipe_argument *argument)
{
    bool second = argument->name[5] == 'B';
    zlay_tensormap map;
    buffer *matrix = buffer_of(b, "mat_", second ? "B" : "A"), *stages = buffer_of(b, "in_", second ? "B" : "A");
    fill(b, matrix, true, SIZE);
    staged(stages->was, matrix->was, b->blocks);
    bench_must(!zlay_move_map_nth(&map, b->move[second], argument->map), "no map");
    map.address += matrix->at;
    map_pack(b, b->map[second], &map);
    return b->map[second];
}

static inline unsigned plane_of(const struct pipe_row *row) { return row->relation[0].kind == GROUPED ? STAGE : row->relation[0].stage; }

/* Two maps of planes, and the addresses that groups put into them. */
static inline void maps_fill(bench *b, buffer *one, const struct pipe_row *row)
{
    buffer *planes = buffer_of(b, "in_", "planes");
    uint32_t bytes = plane_of(row), side = bytes == STAGE ? ROW_BYTES : ROW;
    fill(b, planes, row->relation[0].kind == GROUPED, SIZE);
    zlay_tensormap map = {.type = ZLAY_TYPE_U8, .rank = 3, .address = planes->at, .extent = {side, side, STEP / bytes},
                          .stride = {side, bytes}, .box = {side, side, 1}, .step = {1, 1, 1}};
    for (unsigned i = 0; i < 2; i++) {
        map_pack(b, b->map[2 + i], &map);
        memcpy(one->was + i * 128, b->map[2 + i], 128);
    }
}

static inline void bases_fill(bench *b, buffer *one)
{
    buffer *planes = buffer_of(b, "in_", "planes");
    for (unsigned g = 0; g < 4; g++) {
        uint64_t at = planes->at + (uint64_t)g * STEP;
        memcpy(one->was + g * 8, &at, 8);
    }
}

/* Counts of each iteration, [block][iteration]: of two iterations one has the least, the other what is left of 2n; so
 * all together are n times their number, and many are 0. */
static inline void counts_fill(bench *b, buffer *one)
{
    unsigned least = row_least(b->text, "param N ", 0);
    for (unsigned i = 0; i < b->blocks * b->t; i++) {
        unsigned k = i % b->t, alone = k + 1 == b->t && b->t % 2;
        uint32_t count = alone ? b->n : (k + i / b->t) % 2 ? least : 2 * b->n - least;
        memcpy(one->was + 4 * i, &count, 4);
    }
}

static inline bool is_of_numbers(kind of) { return of == PRODUCT || of == HALVED || of == GROUPED || of == ATTENDED || of == FACTORED; }

/* Values of all arguments; what buffers have before is in `was`. */
static inline void arguments_make(bench *b, const struct pipe_row *row)
{
    b->buffers = 0;
    b->cluster = b->launch.cluster;
    b->blocks = row->clusters * b->cluster;
    if (b->sums.was) memset(b->sums.was, 0xa5, SUMS);
    for (uint32_t i = 0; i < b->launch.arguments; i++) {
        const char *name = b->argument[i].name;
        b->parameter[i] = &b->value[i];
        b->value[i] = STEP;
        if (b->argument[i].kind == ZLAY_ARGUMENT_COUNT) b->value[i] = strcmp(name, "n_N") ? b->t : b->n;
        if (b->argument[i].kind == ZLAY_ARGUMENT_MAP) b->parameter[i] = map_argument(b, &b->argument[i]);
        if (b->argument[i].kind != ZLAY_ARGUMENT_POINTER) continue;
        buffer *one = buffer_of(b, "", name);
        fill(b, one, is_of_numbers(row->relation[0].kind), (size_t)b->blocks * STEP);
        if (!strcmp(name, "ptr_done")) memset(one->was, 0, 64);
        if (!strcmp(name, "ptr_maps")) maps_fill(b, one, row);
        if (!strcmp(name, "base_maps")) bases_fill(b, one);
        if (!strcmp(name, "counts_N")) counts_fill(b, one);
        b->value[i] = one->at;
    }
}

/* ---- relations ---------------------------------------------------------------------------- */

/* Index e of group e / N is plane e of the group's planes. */
static inline const uint8_t *plane_at(bench *b, unsigned e, unsigned bytes)
{
    return buffer_of(b, "in_", "planes")->was + (uint64_t)(e / b->n) * STEP + (uint64_t)e * bytes;
}

static inline void updated(bench *b, const relation *r, uint8_t *want)
{
    for (unsigned block = 0; block < b->blocks; block++)
        for (unsigned e = 0; e < row_count(r->count, b->n, b->t); e++)
            memcpy(want + (uint64_t)block * STEP + e * r->stage, plane_at(b, e, r->stage), r->stage);
}

typedef float numbers[ROWS_OF_A_BLOCK][ROW_BYTES]; /* of a stage: 64 bf16 a row, or 128 bytes */

static inline float number(const uint8_t *stage, unsigned row, unsigned k, bool integers)
{
    uint16_t half;
    float value;
    if (integers) return (int8_t)stage[row * ROW_BYTES + (k ^ (row & 7) << 4)];
    memcpy(&half, stage + row * ROW_BYTES + ((k * 2) ^ (row & 7) << 4), 2);
    uint32_t word = (uint32_t)half << 16;
    memcpy(&value, &word, 4);
    return value;
}

/* Byte (row, at) of a stage of 128 x 128 bytes: 32 bytes of all rows are 4096, of eight rows 256, 16 of them one after the other. */
static inline unsigned core_byte(unsigned row, unsigned at) { return at / 32 * 4096 + row / 8 * 256 + at % 32 / 16 * 128 + row % 8 * 16 + at % 16; }

static inline void stage_turned(uint8_t stage[STAGE])
{
    uint8_t core[STAGE];
    memcpy(core, stage, STAGE);
    for (unsigned row = 0; row < ROWS_OF_A_BLOCK; row++)
        for (unsigned at = 0; at < ROW_BYTES; at++) stage[row * ROW_BYTES + (at ^ (row & 7) << 4)] = core[core_byte(row, at)];
}

/* What the stage of a smem has at an index, under the 128-byte swizzle. Of B halved each block of a pair brings half. */
static inline void stage_of(bench *b, numbers to, const relation *r, const char *smem, unsigned block, unsigned index)
{
    uint8_t stage[STAGE];
    unsigned first = block / b->cluster * b->cluster;
    if (r->kind == GROUPED && *smem == 'A') {
        memcpy(stage, plane_at(b, index, STAGE), STAGE);
    } else {
        const uint8_t *all = buffer_of(b, "in_", smem)->was + (uint64_t)index * STAGE;
        bool halves = r->kind == HALVED && *smem == 'B';
        memcpy(stage, all + (uint64_t)(halves ? first : block) * STEP, STAGE);
        if (halves) memcpy(stage + STAGE / 2, all + (uint64_t)(first + 1) * STEP + STAGE / 2, STAGE / 2);
    }
    if (r->kind == FACTORED && *smem == 'A') stage_turned(stage);
    for (unsigned row = 0; row < ROWS_OF_A_BLOCK; row++)
        for (unsigned k = 0; k < (r->kind == INTEGERS ? ROW_BYTES : ROW); k++) to[row][k] = number(stage, row, k, r->kind == INTEGERS);
}

static inline float dot(const float *a, const float *w, unsigned depth)
{
    float sum = 0;
    for (unsigned k = 0; k < depth; k++) sum += a[k] * w[k];
    return sum;
}

typedef double product[ROWS_OF_A_BLOCK][COLUMNS];

/* A row of A times all those of B, columns innermost: such a loop GCC vectorises. */
static inline void row_multiplied(double *restrict d, const float *restrict a, numbers w, unsigned depth)
{
    float sum[ROWS_OF_A_BLOCK] = {0};
    for (unsigned k = 0; k < depth; k++)
        for (unsigned c = 0; c < ROWS_OF_A_BLOCK; c++) sum[c] += a[k] * w[k][c];
    for (unsigned c = 0; c < ROWS_OF_A_BLOCK; c++) d[c] += (double)sum[c];
}

/* Rows of A times those of B from column `at` on, the sum of the steps of a tile. */
static inline void multiplied(bench *b, product d, const relation *r, unsigned block, unsigned of_b, unsigned at, unsigned t)
{
    unsigned each = r->kind == FACTORED ? 1 : b->n, first = t * each;
    static numbers a, w, turned;
    for (unsigned s = first; s < first + each; s++) {
        stage_of(b, a, r, "A", block, s);
        stage_of(b, w, r, "B", of_b, s);
        for (unsigned row = 0; row < ROWS_OF_A_BLOCK; row++)
            for (unsigned k = 0; k < ROW_BYTES; k++) turned[k][row] = w[row][k];
        for (unsigned row = 0; row < ROWS_OF_A_BLOCK; row++)
            row_multiplied(&d[row][at], a[row], turned, r->kind == INTEGERS ? ROW_BYTES : ROW);
    }
}

static inline float bf16(float value)
{
    uint32_t word;
    memcpy(&word, &value, 4);
    word += 0x7fff + (word >> 16 & 1);
    word &= 0xffff0000u;
    memcpy(&value, &word, 4);
    return value;
}

/* 64 rows of Q: the sum over steps of P V, where P is the first 64 columns of Q K as bf16. */
static inline void attended(bench *b, product d, const relation *r, unsigned block)
{
    static numbers q, key, v, p;
    stage_of(b, q, r, r->in, block, 0);
    for (unsigned s = 0; s < b->n; s++) {
        stage_of(b, key, r, "K", block, s);
        stage_of(b, v, r, "V", block, s);
        for (unsigned row = 0; row < 64; row++)
            for (unsigned k = 0; k < ROW; k++) p[row][k] = bf16(dot(q[row], key[k], ROW));
        for (unsigned row = 0; row < 64; row++)
            for (unsigned c = 0; c < ROWS_OF_A_BLOCK; c++) d[row][c] += (double)dot(p[row], v[c], ROW);
    }
}

/* Register v of thread t holds row 16 (t / 32) + t % 32 / 4 + 8 (v / 2 % 2) and 64 more for each 64 registers, column
 * 8 (v / 4) + 2 (t % 4) + v % 2; of tensor memory row t, column v. */
static inline void tile(uint8_t *to, product d, unsigned registers, unsigned rows_at, unsigned first, bool integers, bool later)
{
    for (unsigned t = 0; t < THREADS; t++)
        for (unsigned v = 0; v < registers; v++) {
            unsigned w = first + v, row = rows_at + w / 64 * 64 + 16 * (t / 32) + t % 32 / 4 + 8 * (w / 2 % 2);
            double sum = later ? d[t][w] : d[row][w % 64 / 4 * 8 + 2 * (t % 4) + w % 2];
            float value = (float)sum;
            int32_t whole = integers ? (int32_t)sum : 0;
            memcpy(to + (v * THREADS + t) * 4, integers ? (void *)&whole : (void *)&value, 4);
        }
}

/* Of a product `stage` is the number of instances, tiles are every `bytes`-th from `at` on, `block` the part of the registers. */
static inline void products(bench *b, const relation *r, uint8_t *want, bool later, const char *text)
{
    unsigned registers = is_kept(r) ? r->registers : STAGE / 512, step = is_kept(r) ? SUMS_STEP : STEP;
    unsigned part = r->block < 0 ? 0 : (unsigned)r->block * registers;
    bool helped = strstr(text, "role helper") != NULL;
    for (unsigned block = 0; block < b->blocks; block++)
        for (unsigned t = r->at; t < row_count(r->count, b->n, b->t) && !(helped && block % 2); t += r->bytes) {
            static product d;
            memset(d, 0, sizeof d);
            unsigned first = block / b->cluster * b->cluster;
            if (r->kind == ATTENDED) attended(b, d, r, block);
            else multiplied(b, d, r, block, registers > ROWS_OF_A_BLOCK ? first : block, 0, t);
            if (registers > ROWS_OF_A_BLOCK) multiplied(b, d, r, block, first + 1, ROWS_OF_A_BLOCK, t);
            for (unsigned i = 0; i < r->stage; i++)
                tile(want + (uint64_t)block * step + (uint64_t)(t * r->stage + i) * registers * THREADS * 4, d, registers, 64 * i, part,
                     r->kind == INTEGERS, later);
        }
}

static inline buffer *out_of(bench *b, const relation *r)
{
    return is_kept(r) ? &b->sums : buffer_of(b, r->kind == GIVEN ? "ptr_" : "out_", r->out);
}

static inline void related(bench *b, const struct pipe_row *row, const relation *r)
{
    uint8_t *want = out_of(b, r)->was;
    if (r->kind == UPDATED) updated(b, r, want);
    else if (r->kind >= PRODUCT) products(b, r, want, row->later, b->text);
    else
        for (unsigned block = 0; block < b->blocks; block++)
            for (unsigned e = 0; e < row_count(r->count, b->n, b->t); e++)
                row_moved(want, buffer_of(b, "in_", r->in)->was, r, b->cluster, block, e);
}

/* All of the output is compared: what no relation names must be as it was. */
static inline bool holds(bench *b, const struct pipe_row *row)
{
    bool good = true;
    for (unsigned i = 0; i < RELATIONS && row->relation[i].kind; i++) related(b, row, &row->relation[i]);
    for (unsigned i = 0; i < RELATIONS && row->relation[i].kind && good; i++) {
        const buffer *out = out_of(b, &row->relation[i]);
        good = !memcmp(out->was, out->got, out->bytes);
    }
    return good;
}

/* The text of a mutant, and its row; NULL: it has no place. */
static inline const struct pipe_row *mutant_text(bench *b, const struct mutant_row *m)
{
    for (unsigned i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].name, m->pipe)) continue;
        row_text(b->text, &rows[i]);
        return text_edit(b->text, m->from, m->to) ? &rows[i] : NULL;
    }
    return NULL;
}

#endif
