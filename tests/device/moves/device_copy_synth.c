/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of every path by the kernels that zlay prints, 300 at random each, and what blocks of a
 * cluster do for each other, 50 tiles and 50 exchanges: every byte, margins included, against the
 * two layouts or the CPU model. Then how fast large copies are. */
#define _DEFAULT_SOURCE /* alarm */
#include "copy_kernel.h"
#include "plans/clusters.h"
#include "tiles/transfers.h"

#include <stdbool.h>
#include <unistd.h>

enum { COPIES = 300, CLUSTERS = 50, SECONDS = 280, GLOBAL = 1 << 26, SMEM = 1 << 17, PAD = 4096 };

static const struct {
    int32_t path;
    const char *name;
} paths[] = {{ZLAY_PATH_THREADS, "ld/st"},         {ZLAY_PATH_REALIGN, "realign"},
             {ZLAY_PATH_CP_ASYNC, "cp.async"},     {ZLAY_PATH_BULK, "cp.async.bulk"},
             {ZLAY_PATH_TRANSPOSE, "transpose"},   {ZLAY_PATH_MATRIX, "ldmatrix/stmatrix"}};

typedef struct bench {
    cuda_now cuda;
    zlay_ctx *ctx;
    const zlay_target *target;
    cuda_address from, to;
} bench;

static void run_once(const bench *b, const char *what, copy_kernel *k, void **parameters)
{
    copy_launch(&b->cuda, k, parameters);
    copy_must(b->cuda.cuCtxSynchronize(), what);
    copy_must(b->cuda.cuModuleUnload(k->module), "unload");
}

/* ---- copies ------------------------------------------------------------------------ */

static int transfer_right(bench *b, const drawn *d, uint64_t *seed)
{
    zlay_layout *source = drawn_layout(b->ctx, d, 0), *dest = drawn_layout(b->ctx, d, 1);
    zlay_transfer_request r = drawn_request(d, source, dest);
    zlay_transfer *t = NULL;
    if (zlay_transfer_synth(b->ctx, &t, b->target, &r)) {
        printf("%s: %s\n", drawn_text(d), zlay_ctx_message(b->ctx));
        return 0;
    }
    drawn_memory from = drawn_bytes(seed, source, d->elem), to = drawn_bytes(seed, dest, d->elem);
    uint8_t *want = drawn_expected(&from, &to, source, dest, d->elem), *got = malloc(to.size);
    cuda_address at_from = b->from + d->from_align, at_to = b->to + d->to_align;
    cuda_address first_from = at_from + from.first, first_to = at_to + to.first;
    void *parameters[] = {&first_from, &first_to};
    copy_kernel k;
    if (from.size + PAD > GLOBAL || to.size + PAD > GLOBAL || !got) exit(2);
    copy_must(b->cuda.cuMemcpyHtoD_v2(at_from, from.bytes, from.size), "source");
    copy_must(b->cuda.cuMemcpyHtoD_v2(at_to, to.bytes, to.size), "dest");
    copy_of_transfer(&b->cuda, &k, b->ctx, t);
    run_once(b, drawn_text(d), &k, parameters);
    copy_must(b->cuda.cuMemcpyDtoH_v2(got, at_to, to.size), "result");
    int right = !memcmp(got, want, to.size);
    if (!right) printf("WRONG %s\n", drawn_text(d));
    free(got);
    free(want);
    free(from.bytes);
    free(to.bytes);
    zlay_layout_free(source);
    zlay_layout_free(dest);
    zlay_transfer_free(t);
    return right;
}

static int transfers(bench *b, uint64_t seed)
{
    int bad = 0;
    for (size_t p = 0; p < sizeof paths / sizeof paths[0]; p++) {
        int right = 0;
        for (int i = 0; i < COPIES; i++) {
            drawn d = drawn_make(&seed, paths[p].path);
            right += transfer_right(b, &d, &seed);
        }
        printf("%-20s %d of %d right\n", paths[p].name, right, COPIES);
        bad += COPIES - right;
    }
    return bad;
}

/* ---- tiles that blocks share --------------------------------------------------------- */

static uint64_t tensor_bytes(const zlay_tensormap *map)
{
    uint64_t bytes = map->extent[0] * 8;
    for (uint32_t d = 1; d < map->rank; d++)
        if (map->stride[d - 1] * map->extent[d] > bytes)
            bytes = map->stride[d - 1] * map->extent[d];
    return bytes;
}

static int multicast_right(bench *b, uint64_t *seed, uint32_t cluster, bool some)
{
    static char text[COPY_ROOM];
    static uint8_t global[1 << 20], got[8 * SMEM], want[SMEM];
    _Alignas(64) unsigned char bits[128];
    zlay_tensormap map, placed;
    zlay_multicast_request r;
    zlay_multicast m;
    do {
        r = cluster_tile(seed, &map);
    } while (r.cluster != cluster || tensor_bytes(&map) > sizeof global);
    if (some) r.cta_mask = (uint32_t)test_range(seed, 1, (1 << cluster) - 1);
    if (zlay_multicast_synth(b->ctx, &m, b->target, &r)) {
        printf("%s\n", zlay_ctx_message(b->ctx));
        return 0;
    }
    for (size_t i = 0; i < tensor_bytes(&map); i++) global[i] = (uint8_t)test_random(seed);
    zlay_sim_global model = {global, sizeof global};
    zlay_sim_smem smem = {want, SMEM, 0};
    int32_t fault;
    uint32_t bytes, size = m.slices * m.slice_bytes;
    memset(want, 0x5a, sizeof want);
    if (zlay_sim_tensor_load(&fault, &bytes, &smem, &model, &(zlay_sim_copy){.map = &map, .coordinate = r.coordinate, .address = r.smem}) || fault ||
        bytes != m.expect)
        return 0;
    placed = m.map;
    void *address = (void *)(uintptr_t)b->from;
    copy_must(b->cuda.cuMemcpyHtoD_v2(b->from, global, sizeof global), "tensor");
    copy_must(b->cuda.cuTensorMapEncodeTiled(bits, (unsigned)placed.type, placed.rank, address,
                                             placed.extent, placed.stride, placed.box, placed.step,
                                             0, (unsigned)placed.swizzle, 0, 0), "encode");
    zlay_buf buf = {text, sizeof text, 0};
    if (zlay_emit_multicast(b->ctx, &buf, b->target, &m, "moved", 5)) return 0;
    copy_kernel k = {.blocks = cluster, .threads = 128, .smem = r.smem + size};
    void *parameters[] = {bits, &b->to};
    copy_load(&b->cuda, &k, text);
    run_once(b, "multicast", &k, parameters);
    copy_must(b->cuda.cuMemcpyDtoH_v2(got, b->to, (size_t)cluster * size), "result");
    for (uint32_t rank = 0; rank < cluster; rank++) {
        const uint8_t *mine = got + (size_t)rank * size;
        bool receives = r.cta_mask >> rank & 1;
        for (uint32_t at = 0; at < size; at++)
            if (mine[at] != (receives ? want[r.smem + at] : 0x5a)) return 0;
    }
    return 1;
}

/* ---- registers that change blocks ------------------------------------------------------ */

static uint32_t word_of(uint64_t element)
{
    return (uint32_t)(element * 2654435761u) ^ 0x9e3779b9u;
}

static uint32_t *words_of(const zlay_layout *a, size_t more)
{
    uint64_t size = zlay_layout_size(a);
    uint32_t *words = malloc((size + more) * sizeof *words);
    int64_t value;
    if (!words) exit(2);
    for (uint64_t i = 0; i < size; i++) {
        if (zlay_layout_eval(&value, 1, a, i)) exit(2);
        words[i] = word_of((uint64_t)value);
    }
    for (size_t i = 0; i < more; i++) words[size + i] = 0xabadcafe;
    return words;
}

static int exchange_right(bench *b, uint64_t *seed, uint32_t ranks, uint64_t *crossing,
                          int *bulk)
{
    static char text[COPY_ROOM];
    uint32_t bits[2][4], outs = (uint32_t)test_range(seed, 6, 11), margin = 64;
    uint32_t run = test_range(seed, 0, 1) ? (uint32_t)test_range(seed, 2, 4) : 0;
    for (int s = 0; s < 2; s++) {
        bits[s][0] = (uint32_t)test_range(seed, run, 4);
        bits[s][1] = 5;
        bits[s][2] = (uint32_t)test_range(seed, 0, 2);
        bits[s][3] = ranks;
        while (bits[s][0] + bits[s][1] + bits[s][2] + ranks < outs) bits[s][0]++;
    }
    zlay_layout *source = cluster_layout(seed, b->ctx, bits[0], outs, run);
    zlay_layout *dest = cluster_layout(seed, b->ctx, bits[1], outs, run);
    zlay_exchange *x = NULL;
    zlay_exchange_summary info;
    zlay_buf buf = {text, sizeof text, 0};
    if (zlay_exchange_synth(b->ctx, &x, source, dest) || zlay_exchange_info(&info, x) ||
        zlay_emit_exchange(b->ctx, &buf, b->target, x, "moved", 5)) {
        printf("%s\n", zlay_ctx_message(b->ctx));
        return 0;
    }
    size_t size = (zlay_layout_size(dest) + margin) * 4;
    uint32_t *from = words_of(source, 0), *want = words_of(dest, margin), *got = malloc(size);
    if (!got) exit(2);
    memset(got, 0x77, size);
    memcpy(got + zlay_layout_size(dest), want + zlay_layout_size(dest), margin * 4);
    copy_must(b->cuda.cuMemcpyHtoD_v2(b->from, from, zlay_layout_size(source) * 4), "source");
    copy_must(b->cuda.cuMemcpyHtoD_v2(b->to, got, size), "dest");
    copy_kernel k = {.blocks = info.blocks, .threads = 128, .smem = (unsigned)info.smem};
    void *parameters[] = {&b->from, &b->to};
    copy_load(&b->cuda, &k, text);
    run_once(b, "exchange", &k, parameters);
    copy_must(b->cuda.cuMemcpyDtoH_v2(got, b->to, size), "result");
    int right = !memcmp(got, want, size);
    *crossing += info.crossing;
    *bulk += strstr(text, "cp.async.bulk") != NULL;
    free(from);
    free(want);
    free(got);
    zlay_exchange_free(x);
    zlay_layout_free(source);
    zlay_layout_free(dest);
    return right;
}

static int clusters(bench *b, uint64_t seed)
{
    int bad = 0;
    for (uint32_t ranks = 1; ranks <= 3; ranks++) {
        int tiles = 0, exchanges = 0, bulk = 0;
        uint64_t crossing = 0;
        for (int i = 0; i < CLUSTERS; i++)
            tiles += multicast_right(b, &seed, 1u << ranks, i % 3 == 0);
        for (int i = 0; i < CLUSTERS; i++)
            exchanges += exchange_right(b, &seed, ranks, &crossing, &bulk);
        printf("%u blocks: %d of %d tiles, %d of %d exchanges right (%d of them by bulk copies), "
               "%llu elements crossed\n",
               1u << ranks, tiles, CLUSTERS, exchanges, CLUSTERS, bulk,
               (unsigned long long)crossing);
        bad += 2 * CLUSTERS - tiles - exchanges;
    }
    return bad;
}

int main(int argc, char **argv)
{
    static bench b;
    const char *given = getenv("ZLAY_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20240607;
    int bad = 0, only_rates = argc > 1 && !strcmp(argv[1], "rates");
    alarm(SECONDS);
    if (zlay_ctx_new(&b.ctx, NULL, NULL) || zlay_target_find(&b.target, "sm_90a", 6)) return 2;
    if (!cuda_open(&b.cuda)) return 0;
    copy_must(b.cuda.cuMemAlloc_v2(&b.from, GLOBAL), "memory");
    copy_must(b.cuda.cuMemAlloc_v2(&b.to, GLOBAL), "memory");
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    if (!only_rates) bad += transfers(&b, seed);
    fflush(stdout);
    if (!only_rates) bad += clusters(&b, seed);
    fflush(stdout);
    bad += copy_rates(&b.cuda, b.ctx, b.target);
    printf("%d wrong\n", bad);
    zlay_ctx_free(b.ctx);
    return bad != 0;
}
