/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of groups of ragged tensors, moved by a Hopper GPU through one map for all groups: every cell of shared memory after loads, every
 * byte of memory after stores, around the tensor too. Maps are written by the driver and by zlay, in turn, and their bytes are equal. The
 * tensors begin in the middle of an allocation, so the address of a shifted map is inside it; at the end a shifted map has its address
 * below every allocation, for stores, which published code does, and for loads, which is looked at.
 *
 *   device-ragged [--maps N] [--seed N] [--dry]     --dry plans and copies nothing
 *
 * Every wait of the kernel ends, and the program ends after five minutes. Ends with `N passed, N failed`. */
#define _DEFAULT_SOURCE /* alarm */
#include "device/rig/cuda_now.h"
#include "plans/ragged_world.h"
#include "synth_kernel.h"

#include <stdlib.h>
#include <unistd.h>

enum { FRONT = 1 << 19, AROUND = 1 << 16, ARENA = 1 << 24, TAIL = 16, TILES = 12, DYNAMIC_SMEM = 8, SHOWN = 10, SECONDS = 300 };
enum { FAR_ROWS = 14, FAR_PITCH = 1 << 20, STORES = 20 };

/* A copy as the kernel reads it. */
typedef struct copy_words {
    uint32_t op, map, at, pad;
    int32_t coordinate[5];
    uint32_t offset[3], rest[4];
} copy_words;

typedef struct ragged_rig {
    cuda_now cuda;
    const zlay_target *target;
    void *kernel;
    cuda_address arena, init, out, map, copy;
    uint8_t *now;
    uint8_t was[RAGGED_SMEM + TAIL];
    unsigned maps, none, loads, stores, refused, passed, failed;
    bool dry;
    const char *why;
} ragged_rig;

static bool open_rig(ragged_rig *r)
{
    static char ptx[sizeof synth_ptx_begin + sizeof synth_ptx_end];
    void *module = NULL;
    cuda_now *c = &r->cuda;
    if (!cuda_open(c)) return false;
    strcpy(ptx, synth_ptx_begin);
    strcat(ptx, synth_ptx_end);
    return !c->cuModuleLoadData(&module, ptx) && !c->cuModuleGetFunction(&r->kernel, module, "move") &&
           !c->cuFuncSetAttribute(r->kernel, DYNAMIC_SMEM, RAGGED_SMEM + 64) && !c->cuMemAlloc_v2(&r->arena, ARENA) &&
           !c->cuMemAlloc_v2(&r->init, RAGGED_SMEM) && !c->cuMemAlloc_v2(&r->out, RAGGED_SMEM + TAIL) &&
           !c->cuMemAlloc_v2(&r->map, 128) && !c->cuMemAlloc_v2(&r->copy, sizeof(copy_words));
}

/* The driver's bytes, which are zlay's. */
static bool map_write(ragged_rig *r, const zlay_tensormap *m, bool by_driver)
{
    static _Alignas(128) unsigned char bits[128];
    uint64_t words[16];
    r->why = "the driver refuses the map";
    if (r->cuda.cuTensorMapEncodeTiled(bits, (unsigned)m->type, m->rank, (void *)(uintptr_t)m->address, m->extent, m->stride, m->box, m->step,
                                       (unsigned)m->interleave, (unsigned)m->swizzle, (unsigned)m->l2, (unsigned)m->oob))
        return false;
    r->why = "the driver writes other bytes";
    if (zlay_tensormap_pack(words, r->target, m) || memcmp(words, bits, sizeof bits)) return false;
    r->why = "the map is not copied";
    return !r->cuda.cuMemcpyHtoD_v2(r->map, by_driver ? (const void *)bits : (const void *)words, sizeof bits);
}

/* Memory as it is now lies in w->memory, and after the copy in r->now, around the tensor too. */
static bool copy_do(ragged_rig *r, ragged_world *w, uint64_t bytes, bool load, const int32_t *coordinate, uint32_t at)
{
    copy_words words = {.op = (load ? 0 : STORES) + w->ragged.map.rank, .at = at};
    uint32_t count = 1, size = RAGGED_SMEM, done, expect = load ? w->element : 0;
    void *parameters[] = {&r->map, &r->copy, &count, &r->out, &r->init, &expect, &size};
    memcpy(words.coordinate, coordinate, sizeof words.coordinate);
    for (uint32_t i = 0; i < w->r.rank; i++) expect *= w->r.box[i];
    r->why = "the launch fails";
    cuda_now *c = &r->cuda;
    if (c->cuMemcpyHtoD_v2(r->copy, &words, sizeof words) || c->cuMemcpyHtoD_v2(r->init, w->smem, RAGGED_SMEM) ||
        c->cuMemcpyHtoD_v2(r->arena, w->memory, bytes) ||
        c->cuLaunchKernel(r->kernel, 1, 1, 1, 128, 1, 1, RAGGED_SMEM + 64, NULL, parameters, NULL) || c->cuCtxSynchronize() ||
        c->cuMemcpyDtoH_v2(r->was, r->out, sizeof r->was) || c->cuMemcpyDtoH_v2(r->now, r->arena, bytes))
        return false;
    memcpy(&done, r->was + RAGGED_SMEM, sizeof done);
    r->why = "the barrier's phase does not end";
    return done == 1;
}

static bool tile_moved(ragged_rig *r, ragged_world *w, uint64_t bytes, const zlay_ragged_tile *t)
{
    int32_t coordinate[5] = {0};
    uint32_t skip;
    bool load = t->copy == ZLAY_RAGGED_LOAD;
    zlay_status status = zlay_ragged_map_at(w->ctx, coordinate, &skip, &w->ragged, t);
    r->refused += status == ZLAY_NONE;
    if (status) return status == ZLAY_NONE;
    if (r->dry) return true;
    if (!load) ragged_expect_store(w, t);
    if (!copy_do(r, w, bytes, load, coordinate, (uint32_t)(RAGGED_ROOM + skip * ragged_pitch(w)))) return false;
    *(load ? &r->loads : &r->stores) += 1;
    r->why = load ? "a load changes memory" : "a store leaves other bytes";
    if (memcmp(r->now, load ? w->memory : w->want, bytes)) return false;
    if (!load) memcpy(w->memory, r->now, bytes);
    r->why = "a load leaves other bytes";
    memcpy(w->smem, r->was, RAGGED_SMEM);
    return !load || ragged_check_load(w, t);
}

static void tell(ragged_rig *r, const ragged_world *w, bool good)
{
    *(good ? &r->passed : &r->failed) += 1;
    if (!good && r->failed <= SHOWN)
        printf("WRONG %s: %s; rank %u, dimension %u, %u bytes an element, swizzle %d\n", w->ragged.base == ZLAY_RAGGED_WRAP ? "wrap" : "shift", r->why,
               w->r.rank, w->r.dim, w->element, w->r.swizzle);
}

static void bytes_draw(ragged_world *w, uint64_t bytes, uint64_t *seed)
{
    for (uint64_t i = 0; i < bytes; i++) w->memory[i] = (uint8_t)(test_random(seed) | 1);
    for (uint32_t i = 0; i < RAGGED_SMEM; i++) w->smem[i] = (uint8_t)(test_random(seed) | 1);
}

static void map_do(ragged_rig *r, ragged_world *w, uint64_t *seed, bool by_driver)
{
    zlay_ragged_tile tile;
    ragged_draw(seed, w);
    uint64_t bytes = FRONT + w->bytes + AROUND;
    w->r.address = r->arena + FRONT;
    w->front = FRONT;
    zlay_status status = zlay_ragged_map_synth(w->ctx, &w->ragged, r->target, &w->r);
    r->none += status == ZLAY_NONE;
    if (status == ZLAY_NONE && ragged_none(w)) return;
    r->why = "no map";
    bool good = !status && (r->dry || map_write(r, &w->ragged.map, by_driver));
    r->maps++;
    bytes_draw(w, bytes, seed);
    w->bytes = bytes;
    for (int i = 0; i < TILES && good; i++) {
        ragged_tile_draw(seed, w, &tile);
        good = tile_moved(r, w, bytes, &tile);
    }
    tell(r, w, good);
}

/* Rows a megabyte apart from where the arena begins: six rows before it is no allocation of this program. */
static bool far_do(ragged_rig *r, ragged_world *w, uint64_t *seed, uint32_t copies, int32_t base)
{
    bool good = true;
    uint64_t bytes = (uint64_t)FAR_ROWS * FAR_PITCH;
    w->element = 2;
    w->front = 0;
    w->bytes = bytes;
    w->r = (zlay_ragged_map_request){.size = sizeof w->r, .rank = 2, .dim = 1, .type = ZLAY_TYPE_BF16, .copies = copies, .base = base,
                                     .address = r->arena, .extent = {64, FAR_ROWS}, .stride = {FAR_PITCH}, .box = {64, 6}};
    r->why = "no map";
    if (zlay_ragged_map_synth(w->ctx, &w->ragged, r->target, &w->r)) return false;
    if (!r->dry && !map_write(r, &w->ragged.map, false)) return false;
    bytes_draw(w, bytes, seed);
    for (int i = 0; i < TILES && good; i++) {
        zlay_ragged_tile tile;
        ragged_tile_draw(seed, w, &tile);
        good = tile_moved(r, w, bytes, &tile);
    }
    return good;
}

static void far_all(ragged_rig *r, ragged_world *w, uint64_t *seed)
{
    tell(r, w, far_do(r, w, seed, ZLAY_RAGGED_LOAD | ZLAY_RAGGED_STORE, ZLAY_RAGGED_WRAP));
    tell(r, w, far_do(r, w, seed, ZLAY_RAGGED_STORE, ZLAY_RAGGED_SHIFT));
    bool good = far_do(r, w, seed, ZLAY_RAGGED_LOAD, ZLAY_RAGGED_SHIFT);
    if (!r->dry) printf("look: loads through a map whose address is below every allocation: %s\n", good ? "right" : r->why);
}

static bool seen_all(const ragged_rig *r) { return r->dry || (r->loads && r->stores && r->refused); }

int main(int argc, char **argv)
{
    static ragged_rig r;
    static ragged_world w;
    unsigned maps = 400;
    uint64_t seed = 20240607;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--dry")) r.dry = true;
        else if (i + 1 < argc && !strcmp(argv[i], "--maps")) maps = (unsigned)atoi(argv[++i]);
        else if (i + 1 < argc && !strcmp(argv[i], "--seed")) seed = strtoull(argv[++i], NULL, 0);
    }
    alarm(SECONDS);
    w.memory = malloc(ARENA);
    w.want = malloc(ARENA);
    r.now = malloc(ARENA);
    if (!w.memory || !w.want || !r.now || zlay_ctx_new(&w.ctx, NULL, NULL) || zlay_target_find(&r.target, "sm_90a", 6)) return 2;
    r.arena = 1 << 30;
    if (!r.dry && !open_rig(&r)) return 1;
    for (unsigned i = 0; r.maps < maps && i < 8 * maps && r.failed < SHOWN; i++) map_do(&r, &w, &seed, i & 1);
    if (r.failed < SHOWN) far_all(&r, &w, &seed);
    printf("%u maps, %u requests without one; %u tiles loaded, %u stored, %u without coordinates\n", r.maps, r.none, r.loads, r.stores, r.refused);
    printf("%u passed, %u failed\n", r.passed, r.failed + !seen_all(&r));
    return r.failed || r.maps < maps || !seen_all(&r);
}
