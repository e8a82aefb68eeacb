/* SPDX-License-Identifier: Apache-2.0 */
/* Large copies against a device copy of the same bytes: launched in turn, over buffers larger than
 * the L2 that rotate, timed by events, medians; random data, every byte of one result compared. */
#include "copy_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 3, ROUNDS = 21, WARM = 2 };

typedef struct rate {
    const char *name, *source, *dest;
    uint32_t elem, align, path;
    uint32_t tile; /* elements along each mode of a tile that copy.synth plans; 0: a transfer */
} rate;

/* 16383 x 16381 bf16, each row shifted against 16 bytes; then rows that are aligned on both sides,
 * by every path; then matrices that are turned; rows of wider elements, where single ones are the
 * cheaper plan by the costs of copies by threads, or nearly; and tiles of copy.synth, a block each. */
#define ALIGNED "(16384,16384):(1,16384)", "(16384,16384):(1,16400)", 2, 16
#define TURNED "(16384,16384):(1,16384)", "(16384,16384):(16384,1)"
#define SHIFTED_4 "(8191,16383):(1,8191)", "(8191,16383):(1,8192)"
#define SHIFTED_8 "(8191,8191):(1,8191)", "(8191,8191):(1,8192)"
static const rate rates[] = {
    {"rows from a pitch of 16381 to 16384", "(16381,16383):(1,16381)", "(16381,16383):(1,16384)", 2,
     16, 0, 0},
    {"rows from a pitch of 16384 to 16381", "(16381,16383):(1,16384)", "(16381,16383):(1,16381)", 2,
     16, 0, 0},
    {"the same rows by single elements", "(16381,16383):(1,16381)", "(16381,16383):(1,16384)", 2,
     16, ZLAY_PATH_THREADS, 0},
    {"aligned rows, ld/st", ALIGNED, ZLAY_PATH_THREADS, 0},
    {"aligned rows, cp.async", ALIGNED, ZLAY_PATH_CP_ASYNC, 0},
    {"aligned rows, cp.async.bulk", ALIGNED, ZLAY_PATH_BULK, 0},
    {"16384 x 16384 bf16 turned", TURNED, 2, 16, 0, 0},
    {"the same by single elements", TURNED, 2, 16, ZLAY_PATH_TRANSPOSE, 0},
    {"8192 x 16384 fp32 turned", "(8192,16384):(1,8192)", "(8192,16384):(16384,1)", 4, 16, 0, 0},
    {"fp32 rows from a pitch of 8191 to 8192", SHIFTED_4, 4, 16, 0, 0},
    {"the same rows by single elements", SHIFTED_4, 4, 16, ZLAY_PATH_THREADS, 0},
    {"fp64 rows from a pitch of 8191 to 8192", SHIFTED_8, 8, 16, 0, 0},
    {"the same rows by single elements", SHIFTED_8, 8, 16, ZLAY_PATH_THREADS, 0},
    {"bf16 turned, blocks of registers", TURNED, 2, 16, 0, 64},
    {"fp32 turned, blocks of registers", "(8192,16384):(1,8192)", "(8192,16384):(16384,1)", 4, 16, 0,
     64},
};

typedef struct memory {
    const cuda_now *cuda;
    uint64_t size; /* of each buffer, bytes */
    cuda_address from[SETS], to[SETS];
    uint16_t *source, *result; /* of set 0 */
    void *begin, *end;
} memory;

static void fill(uint16_t *words, uint64_t count, uint64_t seed)
{
    for (uint64_t i = 0; i < count; i++) {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        words[i] = (uint16_t)(seed >> 24);
    }
}

static void memory_begin(memory *m, const cuda_now *cuda)
{
    *m = (memory){.cuda = cuda, .size = (uint64_t)16400 * 16384 * 2 + 256};
    m->source = malloc(m->size);
    m->result = malloc(m->size);
    if (!m->source || !m->result) exit(2);
    for (int i = SETS - 1; i >= 0; i--) {
        copy_must(cuda->cuMemAlloc_v2(&m->from[i], m->size), "memory");
        copy_must(cuda->cuMemAlloc_v2(&m->to[i], m->size), "memory");
        fill(m->source, m->size / 2, 88172645463325252u + (uint64_t)i);
        copy_must(cuda->cuMemcpyHtoD_v2(m->from[i], m->source, m->size), "source");
    }
    copy_must(cuda->cuEventCreate(&m->begin, 0), "event");
    copy_must(cuda->cuEventCreate(&m->end, 0), "event");
}

static void memory_end(memory *m)
{
    for (int i = 0; i < SETS; i++) {
        m->cuda->cuMemFree_v2(m->from[i]);
        m->cuda->cuMemFree_v2(m->to[i]);
    }
    free(m->source);
    free(m->result);
}

/* Modes of a row of the table, read without zlay: "(a,b):(c,d)". */
typedef struct modes {
    long extent[2], stride[2];
} modes;

static modes modes_of(const char *text)
{
    modes m;
    if (sscanf(text, "(%ld,%ld):(%ld,%ld)", &m.extent[0], &m.extent[1], &m.stride[0],
               &m.stride[1]) != 4)
        exit(2);
    return m;
}

/* Set 0 once onto bytes of 0xa5; every element where it belongs and 0xa5 everywhere else. */
static int right(memory *m, const rate *r, const copy_kernel *k)
{
    modes s = modes_of(r->source), d = modes_of(r->dest);
    uint64_t step = r->elem, wrong = 0;
    uint8_t *seen = (uint8_t *)m->result, *source = (uint8_t *)m->source;
    void *parameters[] = {&m->from[0], &m->to[0]};
    memset(seen, 0xa5, m->size);
    copy_must(m->cuda->cuMemcpyHtoD_v2(m->to[0], seen, m->size), "dest");
    copy_launch(m->cuda, k, parameters);
    copy_must(m->cuda->cuCtxSynchronize(), r->name);
    copy_must(m->cuda->cuMemcpyDtoH_v2(seen, m->to[0], m->size), "result");
    for (long j = 0; j < s.extent[1]; j++)
        for (long i = 0; i < s.extent[0]; i++) {
            uint8_t *at = seen + (uint64_t)(i * d.stride[0] + j * d.stride[1]) * step;
            wrong += memcmp(at, source + (uint64_t)(i * s.stride[0] + j * s.stride[1]) * step,
                            step) != 0;
            memset(at, 0xa5, step);
        }
    for (uint64_t i = 0; i < m->size; i++) wrong += seen[i] != 0xa5;
    return wrong == 0;
}

static float timed(memory *m, int set, const copy_kernel *k, uint64_t bytes)
{
    float ms = 0;
    void *parameters[] = {&m->from[set], &m->to[set]};
    copy_must(m->cuda->cuEventRecord(m->begin, NULL), "event");
    if (k) copy_launch(m->cuda, k, parameters);
    else
        copy_must(m->cuda->cuMemcpyDtoDAsync_v2(m->to[set], m->from[set], bytes, NULL), "copy");
    copy_must(m->cuda->cuEventRecord(m->end, NULL), "event");
    copy_must(m->cuda->cuEventSynchronize(m->end), "event");
    copy_must(m->cuda->cuEventElapsedTime(&ms, m->begin, m->end), "event");
    return ms;
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

static float median(float *list)
{
    qsort(list, ROUNDS, sizeof *list, ascending);
    return list[ROUNDS / 2];
}

/* A block a tile: the function of copy.synth's plan, at the tile's corner. */
static void copy_of_tiles(const memory *m, copy_kernel *k, zlay_ctx *ctx,
                          const zlay_target *target, const rate *r)
{
    static char text[COPY_ROOM];
    char layout[2][128];
    modes side[] = {modes_of(r->source), modes_of(r->dest)};
    zlay_copy_request request = {.size = sizeof request, .elem_bits = r->elem * 8, .threads = 128};
    zlay_layout *made[2];
    zlay_move *move = NULL;
    zlay_move_summary info;
    zlay_buf buf = {text, sizeof text, 0};
    long tiles = side[0].extent[0] / r->tile;
    for (int s = 0; s < 2; s++) {
        sprintf(layout[s], "(%u,%u):(%ld,%ld)", r->tile, r->tile, side[s].stride[0], side[s].stride[1]);
        if (zlay_layout_parse(ctx, &made[s], layout[s], strlen(layout[s]))) exit(2);
        *(s ? &request.dest : &request.source) =
            (zlay_copy_side){made[s], ZLAY_MOVE_GLOBAL, 0, r->align};
    }
    if (zlay_copy_synth(ctx, &move, target, &request) || zlay_move_info(&info, move) ||
        zlay_emit_move(ctx, &buf, move, "tile", 4)) {
        printf("%s: %s\n", r->name, zlay_ctx_message(ctx));
        exit(2);
    }
    char *at = text + buf.need;
    at += sprintf(at, ".visible .entry moved(.param .u64 p_from, .param .u64 p_to) {\n"
                      ".reg .b32 n, x, y; .reg .b64 from, to;\n"
                      "ld.param.u64 from, [p_from]; ld.param.u64 to, [p_to]; mov.u32 n, %%ctaid.x;\n"
                      "cvta.to.global.u64 from, from; cvta.to.global.u64 to, to;\n"
                      "rem.u32 x, n, %ld; div.u32 y, n, %ld;\n", tiles, tiles);
    for (int s = 0; s < 2; s++)
        at += sprintf(at, "mad.wide.u32 %s, x, %ld, %s; mad.wide.u32 %s, y, %ld, %s;\n",
                      s ? "to" : "from", side[s].stride[0] * r->tile * r->elem, s ? "to" : "from",
                      s ? "to" : "from", side[s].stride[1] * r->tile * r->elem, s ? "to" : "from");
    sprintf(at, "{ .param .b64 a; .param .b64 b; st.param.b64 [a], from; st.param.b64 [b], to;\n"
                "call tile, (a, b); } ret;\n}\n");
    k->blocks = (unsigned)(tiles * (side[0].extent[1] / r->tile));
    k->threads = info.threads;
    k->smem = 0;
    copy_load(m->cuda, k, text);
    printf("%s: %u and %u bytes, cost %llu, bound %llu\n", r->name, info.source_width, info.width,
           (unsigned long long)info.cost, (unsigned long long)info.bound);
    zlay_move_free(move);
    for (int s = 0; s < 2; s++) zlay_layout_free(made[s]);
}

static void copy_of_rate(const memory *m, copy_kernel *k, zlay_ctx *ctx, const zlay_target *target,
                         const rate *r)
{
    zlay_layout *source = NULL, *dest = NULL;
    zlay_transfer *t = NULL;
    if (r->tile) {
        copy_of_tiles(m, k, ctx, target, r);
        return;
    }
    if (zlay_layout_parse(ctx, &source, r->source, strlen(r->source)) ||
        zlay_layout_parse(ctx, &dest, r->dest, strlen(r->dest)))
        exit(2);
    zlay_transfer_request request = {.size = sizeof request, .elem_bits = r->elem * 8,
                                     .source = source, .dest = dest, .source_align = r->align,
                                     .dest_align = r->align, .path = (int32_t)r->path};
    if (zlay_transfer_synth(ctx, &t, target, &request)) {
        printf("%s: %s\n", r->name, zlay_ctx_message(ctx));
        exit(2);
    }
    copy_of_transfer(m->cuda, k, ctx, t);
    zlay_transfer_free(t);
    zlay_layout_free(source);
    zlay_layout_free(dest);
}

int copy_rates(const cuda_now *cuda, zlay_ctx *ctx, const zlay_target *target)
{
    enum { COUNT = sizeof rates / sizeof rates[0] };
    static float times[COUNT][2][ROUNDS];
    copy_kernel k[COUNT];
    memory m;
    int bad = 0;
    memory_begin(&m, cuda);
    for (int i = 0; i < COUNT; i++) {
        copy_of_rate(&m, &k[i], ctx, target, &rates[i]);
        if (right(&m, &rates[i], &k[i])) continue;
        printf("WRONG %s\n", rates[i].name);
        bad++;
    }
    for (int round = -WARM, set = 0; round < ROUNDS; round++)
        for (int i = 0; i < COUNT; i++) {
            modes s = modes_of(rates[i].source);
            uint64_t bytes = (uint64_t)(s.extent[0] * s.extent[1]) * rates[i].elem;
            for (int plain = 0; plain < 2; plain++, set = (set + 1) % SETS) {
                float ms = timed(&m, set, plain ? NULL : &k[i], bytes);
                if (round >= 0) times[i][plain][round] = ms;
            }
        }
    for (int i = 0; i < COUNT; i++) {
        double mine = median(times[i][0]), device = median(times[i][1]);
        printf("%-40s %6.3f of a device copy (%.3f ms against %.3f)\n", rates[i].name,
               device / mine, mine, device);
    }
    memory_end(&m);
    return bad;
}
