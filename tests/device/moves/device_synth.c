/* SPDX-License-Identifier: Apache-2.0 */
/* Moves that tensormap.synth finds, done by a Hopper GPU: every byte of shared memory after loads, and of the
 * tensor after stores, against the request read without the library.
 *
 *   device-synth [--moves N] [--seed N] [--dry]     --dry plans and copies nothing
 *
 * Ends with `N passed, N failed`. */
#include "device/rig/cuda_now.h"
#include "synth_kernel.h"
#include "tiles/tile_draw.h"

#include <stdlib.h>

enum { GLOBAL = DRAWN_BELOW + DRAWN_GLOBAL + 65536, SMEM = DRAWN_SMEM, TAIL = 16 };
enum { COPIES = 512, MAPS = 64, DYNAMIC_SMEM = 8, SHOWN = 10, TILES_EACH = 3 };
enum { LOAD = 0, COLUMNS = 1, STORE = 2 };

typedef struct rig {
    cuda_now cuda;
    void *kernel;
    cuda_address global, init, out, maps, copies;
    uint8_t random[GLOBAL], exact[GLOBAL], start[SMEM], was[SMEM + TAIL], now[GLOBAL];
    zlay_ctx *ctx;
    const zlay_target *target;
    uint64_t passed, failed, moves, none, loads, stores, issued;
    uint64_t ranks[6], types[13], swizzles[4], edges, several, steps, slices, columns;
    const char *why;
} rig;

/* A copy as the kernel reads it. */
typedef struct word_copy {
    uint32_t op, map, at, pad;
    int32_t coordinate[5];
    uint32_t offset[3], rest[4];
} word_copy;

/* ---- memory --------------------------------------------------------------------------------- */

static void fill(rig *r)
{
    uint64_t s = 11;
    for (size_t i = 0; i < GLOBAL; i++) r->random[i] = (uint8_t)test_random(&s);
    for (size_t i = 0; i < SMEM; i++) r->start[i] = (uint8_t)test_random(&s);
    memcpy(r->exact, r->random, GLOBAL);
    tile_exact(r->exact, GLOBAL);
}

static bool rig_open(rig *r)
{
    static char ptx[sizeof synth_ptx_begin + sizeof synth_ptx_end];
    void *module = NULL;
    cuda_now *c = &r->cuda;
    if (!cuda_open(c)) return false;
    strcpy(ptx, synth_ptx_begin);
    strcat(ptx, synth_ptx_end);
    return !c->cuModuleLoadData(&module, ptx) &&
           !c->cuModuleGetFunction(&r->kernel, module, "move") &&
           !c->cuFuncSetAttribute(r->kernel, DYNAMIC_SMEM, SMEM + 64) &&
           !c->cuMemAlloc_v2(&r->global, GLOBAL) && !c->cuMemAlloc_v2(&r->init, SMEM) &&
           !c->cuMemAlloc_v2(&r->out, SMEM + TAIL) && !c->cuMemAlloc_v2(&r->maps, MAPS * 128) &&
           !c->cuMemAlloc_v2(&r->copies, COPIES * sizeof(word_copy)) &&
           !c->cuMemcpyHtoD_v2(r->init, r->start, SMEM);
}

static bool maps_encode(rig *r, const zlay_move *move, uint32_t count)
{
    static _Alignas(128) unsigned char bits[MAPS][128];
    zlay_tensormap m;
    for (uint32_t i = 0; i < count; i++) {
        if (zlay_move_map_nth(&m, move, i)) return false;
        void *at = (void *)(uintptr_t)(r->global + DRAWN_BELOW + m.address);
        unsigned refused =
            m.mode ? r->cuda.cuTensorMapEncodeIm2col(
                         bits[i], (unsigned)m.type, m.rank, at, m.extent, m.stride, m.lower, m.upper,
                         m.channels, m.pixels, m.step, (unsigned)m.interleave, (unsigned)m.swizzle,
                         (unsigned)m.l2, (unsigned)m.oob)
                   : r->cuda.cuTensorMapEncodeTiled(bits[i], (unsigned)m.type, m.rank, at, m.extent,
                                                    m.stride, m.box, m.step, (unsigned)m.interleave,
                                                    (unsigned)m.swizzle, (unsigned)m.l2,
                                                    (unsigned)m.oob);
        if (refused) return r->why = "the driver refuses a map", false;
    }
    return !r->cuda.cuMemcpyHtoD_v2(r->maps, bits, count * 128);
}

static bool copies_write(rig *r, const zlay_move *move, uint32_t count, const int64_t *t, bool store)
{
    static word_copy words[COPIES];
    memset(words, 0, sizeof words);
    for (uint32_t i = 0; i < count; i++) {
        zlay_copy c;
        zlay_tensormap m;
        word_copy *w = &words[i];
        if (zlay_move_copy_nth(&c, move, i) || zlay_move_map_nth(&m, move, c.map)) return false;
        w->op = (uint32_t)((store ? STORE : LOAD) + (m.mode ? COLUMNS : 0)) * 10 + m.rank;
        w->map = c.map;
        w->at = c.smem;
        for (int d = 0; d < 5; d++) {
            w->coordinate[d] = c.coordinate[d];
            for (int k = 0; k < TILE_MODES; k++)
                w->coordinate[d] += (int32_t)(c.advance[d][k] * t[k]);
        }
        for (int d = 0; d < 3; d++) w->offset[d] = (uint32_t)c.offset[d];
    }
    return !r->cuda.cuMemcpyHtoD_v2(r->copies, words, count * sizeof *words);
}

/* ---- one tile -------------------------------------------------------------------------------- */

static bool launch(rig *r, const zlay_move_summary *info, bool store, const uint8_t *tensor)
{
    uint32_t count = info->copies, expect = store ? 0 : (uint32_t)info->bytes, size = SMEM, done;
    void *parameters[] = {&r->maps, &r->copies, &count, &r->out, &r->init, &expect, &size};
    r->why = "the launch fails";
    if (r->cuda.cuMemcpyHtoD_v2(r->global, tensor, GLOBAL) ||
        r->cuda.cuLaunchKernel(r->kernel, 1, 1, 1, 128, 1, 1, SMEM + 64, NULL, parameters, NULL) ||
        r->cuda.cuCtxSynchronize() || r->cuda.cuMemcpyDtoH_v2(r->was, r->out, SMEM + TAIL) ||
        r->cuda.cuMemcpyDtoH_v2(r->now, r->global, GLOBAL))
        return false;
    memcpy(&done, r->was + SMEM, sizeof done);
    r->why = "the barrier's phase does not end";
    return done == 1;
}

/* Each cell at its place; what lies past what is reserved is as it was. */
static bool load_compare(rig *r, const tile_ask *a, const zlay_move *move, const zlay_move_summary *info,
                         const int64_t *t, const uint8_t *tensor)
{
    static const uint8_t zero[8];
    static bool wanted[SMEM];
    memset(wanted, 0, sizeof wanted);
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t to, from;
        if (zlay_layout_eval(&to, 1, zlay_move_smem(move), (uint64_t)cell)) return false;
        for (int i = 0; i < a->bytes; i++) wanted[to * a->bytes + i] = true;
        bool inside = ask_global(&from, a, t, cell);
        if (!inside && info->edge == ZLAY_EDGE_WEAK) continue;
        const uint8_t *bytes = inside ? tensor + DRAWN_BELOW + from * a->bytes : zero;
        r->why = inside ? "other bytes" : "no fill";
        if (memcmp(r->was + to * a->bytes, bytes, (size_t)a->bytes)) return false;
    }
    r->why = "bytes that are not the tile's";
    for (uint64_t i = 0; i < SMEM; i++)
        if ((i >= info->reserved_bytes || (a->keep_holes && !wanted[i])) && r->was[i] != r->start[i])
            return false;
    return !memcmp(r->now, tensor, GLOBAL);
}

/* What a store leaves: cells inside the tensor from shared memory, all else as it was. */
static bool store_compare(rig *r, const tile_ask *a, const zlay_move *move, const int64_t *t,
                          const uint8_t *tensor)
{
    static uint8_t expected[GLOBAL];
    memcpy(expected, tensor, GLOBAL);
    for (int64_t cell = 0; cell < ask_cells(a); cell++) {
        int64_t to, from;
        if (zlay_layout_eval(&to, 1, zlay_move_smem(move), (uint64_t)cell)) return false;
        if (ask_global(&from, a, t, cell))
            memcpy(expected + DRAWN_BELOW + from * a->bytes, r->start + to * a->bytes,
                   (size_t)a->bytes);
    }
    r->why = "the tensor holds other bytes after the store";
    return !memcmp(r->now, expected, GLOBAL);
}

static bool tile_do(rig *r, const tile_ask *a, const zlay_move *move, const zlay_move_summary *info,
                    const int64_t *t)
{
    bool store = a->store;
    bool rounds = a->type == ZLAY_TYPE_TF32 || a->type == ZLAY_TYPE_TF32_FTZ;
    const uint8_t *tensor = rounds ? r->exact : r->random;
    r->why = "its copies cannot be read";
    if (!copies_write(r, move, info->copies, t, store) || !launch(r, info, store, tensor)) return false;
    *(store ? &r->stores : &r->loads) += 1;
    r->issued += info->copies;
    return store ? store_compare(r, a, move, t, tensor)
                 : load_compare(r, a, move, info, t, tensor);
}

/* ---- moves ------------------------------------------------------------------------------------- */

static void tally(rig *r, const tile_ask *a, const zlay_move *move, const zlay_move_summary *info)
{
    r->moves++;
    r->types[a->type]++;
    r->several += info->copies > 1;
    for (uint32_t i = 0; i < info->maps; i++) {
        zlay_tensormap m;
        zlay_move_map_nth(&m, move, i);
        r->ranks[m.rank]++;
        r->swizzles[m.swizzle]++;
        r->slices += m.interleave != 0;
        r->columns += m.mode != 0;
        for (uint32_t d = 1; d < m.rank; d++) r->steps += m.step[d] > 1;
    }
    for (int i = 0; !a->by_layout && i < a->source.modes; i++)
        if (ask_tiles(a, i) * a->shape[i] != a->source.shape[i]) {
            r->edges++;
            break;
        }
}

/* The first tile, the last, and one between. */
static bool tiles_do(rig *r, const tile_ask *a, const zlay_move *move, const zlay_move_summary *info,
                     uint64_t seed)
{
    bool good = maps_encode(r, move, info->maps);
    for (int k = 0; k < TILES_EACH && good; k++) {
        int64_t t[TILE_MODES] = {0};
        for (int i = 0; k && !a->by_layout && i < a->source.modes; i++)
            t[i] = k == 1 ? ask_tiles(a, i) - 1 : test_range(&seed, 0, ask_tiles(a, i) - 1);
        good = tile_do(r, a, move, info, t);
    }
    return good;
}

static void move_do(rig *r, uint64_t seed, uint64_t i, bool store, bool dry)
{
    tile_ask a = tile_drawn(seed, i);
    zlay_move *move = NULL;
    zlay_move_summary info;
    a.store = store;
    zlay_status status = ask_synth(r->ctx, &move, r->target, &a);
    r->none += status != ZLAY_OK;
    if (status) return;
    zlay_move_info(&info, move);
    bool small = info.copies <= COPIES && info.maps <= MAPS && info.reserved_bytes <= SMEM;
    if (small) {
        tally(r, &a, move, &info);
        bool good = dry || tiles_do(r, &a, move, &info, seed ^ i);
        *(good ? &r->passed : &r->failed) += 1;
        if (!good && r->failed <= SHOWN)
            printf("move %llu: %s: %s\n", (unsigned long long)i, r->why, ask_text(&a));
    }
    zlay_move_free(move);
}

static void show(const char *name, const uint64_t *list, int count)
{
    printf("%s:", name);
    for (int i = 0; i < count; i++) printf(" %llu", (unsigned long long)list[i]);
    printf("\n");
}

int main(int argc, char **argv)
{
    static rig r;
    uint64_t moves = 1000, seed = 1;
    bool dry = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--dry")) dry = true;
        else if (i + 1 < argc && !strcmp(argv[i], "--moves")) moves = strtoull(argv[++i], NULL, 0);
        else if (i + 1 < argc && !strcmp(argv[i], "--seed")) seed = strtoull(argv[++i], NULL, 0);
    }
    fill(&r);
    if (zlay_target_find(&r.target, "sm_90a", 6) || zlay_ctx_new(&r.ctx, NULL, NULL)) return 2;
    if (!dry && !rig_open(&r)) return 1;
    for (uint64_t i = 0; r.moves < moves && i < 4 * moves && r.failed < SHOWN; i++)
        for (int store = 0; store < 2; store++) move_do(&r, seed, i, store, dry);
    printf("%llu moves, %llu requests without one; %llu tiles loaded, %llu stored, %llu copies issued; %llu "
           "moves with edges, %llu of several copies, %llu steps, %llu interleaved maps, %llu of im2col\n",
           (unsigned long long)r.moves, (unsigned long long)r.none, (unsigned long long)r.loads,
           (unsigned long long)r.stores, (unsigned long long)r.issued, (unsigned long long)r.edges,
           (unsigned long long)r.several, (unsigned long long)r.steps, (unsigned long long)r.slices,
           (unsigned long long)r.columns);
    show("maps of rank 0, 1, ..", r.ranks, 6);
    show("moves of type 0, 1, ..", r.types, 13);
    show("maps of swizzle none, 32, 64, 128", r.swizzles, 4);
    zlay_ctx_free(r.ctx);
    printf("%llu passed, %llu failed\n", (unsigned long long)r.passed, (unsigned long long)r.failed);
    return r.failed || r.moves < moves;
}
