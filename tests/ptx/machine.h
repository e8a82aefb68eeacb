/* SPDX-License-Identifier: Apache-2.0 */
/* The blocks of a cluster on memory, and what goes wrong there.
 *
 * Shared memory has two views, of threads and of the asynchronous proxy: what threads write is poison
 * (bytes of all ones, a NaN) to the proxy until the writing thread fences. What is on its way is
 * poison to both. Results of asynchronous instructions come when the text allows it, by default at the
 * last moment: a copy into shared memory when nobody can go on without it; operands of products and
 * sources of stores are read when they are waited for.
 *
 * A shared address is an offset from PX_ORIGIN in the block's own window; above PX_WINDOW it names the block. */
#ifndef TEST_PTX_MACHINE_H
#define TEST_PTX_MACHINE_H

#include "ptx/text.h"
#include "random.h"

#include <stdarg.h>
#include <stdlib.h>
#include <zlay/sim.h>
#include <zlay/tensormap_bits.h>

enum { PX_WARP = 32, PX_THREADS = 640, PX_CLUSTER = 8, PX_SMEM = 232448, PX_BARRIERS = 64, PX_LANDING = 256,
       PX_PENDING = 64, PX_USES = 512 /* of tensor memory */, PX_NAMED = 16, PX_MEMORIES = 32, PX_MAPS = 4, PX_VERSIONS = 32, PX_MAP_BYTES = 128, PX_COLUMNS = 512,
       PX_LANES = 128, PX_WROTE = 64, PX_WARPS = PX_THREADS / PX_WARP * PX_CLUSTER };
enum { PX_POISON = 0xff, PX_GARBAGE = 0x7b, PX_ORIGIN = 1024, PX_ROW = 4096, PX_WINDOW = 24 /* bits below the block's number plus one */ };
#define PX_PARAM_AT 0x7f0000000000ull

/* Who has seen which uses of tensor memory by each warp, and by products of each block. */
enum { PX_SEEN = PX_WARPS + PX_CLUSTER };

typedef struct px_extent { /* of shared memory, from `from` to before `to` */
    int block;
    uint32_t from, to;
} px_extent;

typedef struct px_thread {
    uint64_t *value;
    uint8_t *state; /* of registers: PX_READY.. */
    int line;
    bool done, together; /* ended; waits for its warp at `line` */
    int meeting;         /* a named barrier that it waits at; -1 */
    int wait;            /* a mbarrier of its block that it waits for; -1 */
    bool arrived, meets; /* at the barrier of the cluster: has arrived in this phase; waits for its end */
    bool polls, waits;   /* asks for a word of global memory; until it is no longer `polled` */
    uint32_t polled;
    uint32_t fences;   /* wgmma.fence so far */
    uint32_t *touched; /* of registers of products: fences before an ordinary instruction last touched it */
    int acquired[PX_MAPS]; /* versions of maps that its copies use */
    px_extent wrote[PX_WROTE]; /* what it has written in shared memory since its last fence lies there */
    int spans;
    uint32_t saw[PX_SEEN], after[PX_SEEN]; /* by synchronisation; as of its last tcgen05.fence::after */
    uint32_t before;                       /* its own uses that its last tcgen05.fence::before covers */
} px_thread;
enum { PX_NEVER, PX_READY, PX_BUSY, PX_LENT /* read by a product */ };

typedef struct px_barrier {
    uint32_t at;
    bool published; /* fence.mbarrier_init since, by the thread that initialised it */
    int by;
    int count, pending, phase;
    int64_t tx;
    uint32_t saw[PX_SEEN], done[PX_SEEN]; /* of this phase's arrivals, and of those before */
} px_barrier;

typedef enum px_way { PX_TENSOR, PX_BULK, PX_PEER, PX_COMMIT, PX_REDUCE } px_way;

typedef struct px_landing { /* what will signal a barrier */
    px_way way;
    zlay_tensormap map;
    int32_t coordinate[5];
    uint64_t from; /* global, or an offset in the source's shared memory */
    int source, block, barrier, signals; /* blocks: whose memory is read, written, whose barrier it is */
    uint32_t to, bytes;
    int thread;       /* of a commit */
    uint32_t product; /* of a commit: the first that it does not cover */
} px_landing;

typedef struct px_product { /* of a warp: a quarter of the rows */
    int acc, registers; /* of A; -1: in shared memory */
    uint64_t a, b;
    int n, k, type, type_b; /* ZLAY_TYPE_* of A and B */
    bool a_across, b_across, adds;
    int group; /* committed as; -1: not yet */
    bool over; /* its sums stand in the registers, which nobody may look at yet */
} px_product;

typedef struct px_warp {
    px_product product[PX_PENDING];
    int products, groups;
    bool loads[PX_NAMES * 4]; /* registers that a load from tensor memory is still to bring */
} px_warp;

typedef struct px_store { /* of a thread, from shared to global memory */
    px_way way;
    int thread, group;
    zlay_tensormap map;
    int32_t coordinate[5];
    uint64_t to;
    uint32_t from, bytes;
    uint8_t *read; /* NULL: not yet read */
} px_store;

typedef struct px_chunk { /* cp.async of a thread */
    int thread, group;
    uint64_t from;
    uint32_t to, bytes, take;
} px_chunk;

typedef struct px_use { /* of tensor memory, by a warp or by products */
    int block, warp; /* warp: a component of PX_SEEN */
    uint32_t first, columns, lanes; /* lanes: bit w of those from 32 w on */
    uint32_t number, stamp;         /* of its instruction; of its end, 0: it is not over */
    bool writes;
} px_use;

typedef enum px_tensor_what { PX_MMA, PX_MMA_TENSOR /* A in tensor memory */, PX_COPY_ROWS, PX_COPY_FACTORS } px_tensor_what;

typedef enum px_tensor_kind { PX_KIND_F16, PX_KIND_TF32, PX_KIND_F8F6F4, PX_KIND_I8, PX_KIND_MXF8F6F4, PX_KIND_MXF4, PX_KIND_MXF4NVF4, PX_KINDS } px_tensor_kind;

typedef struct px_tensor_op { /* tcgen05.mma, tcgen05.cp: of a thread, in order */
    px_tensor_what what;
    int thread, block, group; /* of 1 block or 2, from `block` on */
    uint32_t number, to, index; /* to: a column; index: the instruction descriptor */
    uint64_t a, b;
    uint32_t scales[2]; /* columns of block scales */
    px_tensor_kind kind;
    bool adds;
} px_tensor_op;

typedef struct px_tensor { /* the tensor memory of a block */
    uint32_t cell[PX_LANES][PX_COLUMNS];
    uint16_t columns[PX_COLUMNS]; /* of what was allocated at a first column; 0: none */
    uint8_t taken[PX_COLUMNS];
    bool relinquished;
} px_tensor;

typedef struct px_block {
    uint8_t smem[PX_SMEM], view[PX_SMEM]; /* of threads, of the proxy */
    uint16_t writer[PX_SMEM];             /* thread + 1 that wrote a byte and has not fenced */
    px_barrier barrier[PX_BARRIERS];
    int barriers, live; /* live: threads that have not ended */
    struct { int count, arrived; uint32_t saw[PX_SEEN]; } named[PX_NAMED];
    px_tensor tensor;
} px_block;

typedef struct px_memory {
    uint64_t at, size;
    uint8_t *bytes;
} px_memory;

typedef struct px_known_map { /* a map in global memory, which threads may change */
    uint64_t at;
    uint64_t version[PX_VERSIONS][16]; /* as releases handed it over; 0: as it was */
    int versions, writer;              /* writer: thread that has changed it since; -1 */
} px_known_map;

typedef enum px_when { PX_LATE, PX_EARLY, PX_ANY_TIME } px_when;

typedef struct px_machine {
    px_text text;
    uint8_t param[PX_PARAMS][PX_MAP_BYTES];
    px_memory memory[PX_MEMORIES];
    int memories;
    px_known_map known[PX_MAPS];
    int maps;
    px_block block[PX_CLUSTER];
    px_thread thread[PX_THREADS * PX_CLUSTER];
    px_warp warp[PX_WARPS];
    px_landing landing[PX_LANDING];
    px_store store[8 * PX_PENDING * PX_CLUSTER];
    px_tensor_op tensor_op[PX_PENDING];
    px_use use[PX_USES];
    px_chunk *chunk;
    int chunks, chunk_room;
    int bulk_groups[PX_THREADS * PX_CLUSTER], cp_groups[PX_THREADS * PX_CLUSTER]; /* committed */
    int landings, stores, tensor_ops, uses;
    uint32_t number, stamp; /* of the next use of tensor memory; of the last end of one */
    int threads, blocks; /* of a block; of the cluster */
    uint8_t poison;      /* of shared memory that nobody has written: NaN, which max drops, or a number near the greatest of each type */
    uint32_t launched;   /* bytes of shared memory that a launch asks for; 0: all that there are */
    uint32_t all_blocks; /* of the grid */
    uint32_t grid[2];    /* blocks along x and y, where the grid has further dimensions; 0: it has not */
    bool met; /* the cluster has, at its barrier: all blocks run */
    int turn; /* at any time: instructions of a thread before others go on */
    int cluster_arrived, cluster_left; /* at its barrier in this phase; ended without arriving in it */
    uint32_t cluster_saw[PX_SEEN];
    int elected; /* lane that elect.sync chooses */
    uint64_t *values;
    uint32_t *touched;
    uint8_t *states;
    uint64_t random;
    px_when when;    /* copies land */
    char fault[256]; /* the first */
    long steps;
} px_machine;

static inline bool px_fault(px_machine *m, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    if (!*m->fault) vsnprintf(m->fault, sizeof m->fault, format, list);
    va_end(list);
    return false;
}

/* Whether what begins now comes at once. */
static inline bool px_at_once(px_machine *m) { return m->when == PX_EARLY || (m->when == PX_ANY_TIME && test_random(&m->random) % 2); }

static inline int px_rank(const px_machine *m, int thread) { return thread / m->threads; }

static inline px_block *px_own(px_machine *m, int thread) { return &m->block[px_rank(m, thread)]; }

/* ---- memory ---------------------------------------------------------------------- */

typedef struct px_place { /* in shared memory */
    int block;
    uint32_t at; /* an address in the block's own window */
} px_place;

/* Where a shared address lies for a thread; false: outside. */
static inline bool px_shared(px_machine *m, px_place *out, int thread, uint64_t address, uint64_t bytes, uint64_t align)
{
    *out = (px_place){0, PX_ORIGIN};
    uint64_t window = address >> PX_WINDOW, at = address & ((1u << PX_WINDOW) - 1);
    if (window > (uint64_t)m->blocks) return px_fault(m, "shared address 0x%llx of no block", (unsigned long long)address);
    if (at % align) return px_fault(m, "shared address %llu off %llu bytes", (unsigned long long)at, (unsigned long long)align);
    uint64_t all = m->launched ? m->launched : PX_SMEM;
    if (bytes > all || at < PX_ORIGIN || at - PX_ORIGIN > all - bytes)
        return px_fault(m, "shared address %llu outside", (unsigned long long)at);
    *out = (px_place){window ? (int)window - 1 : px_rank(m, thread), (uint32_t)at};
    if (out->block != px_rank(m, thread) && !m->met) return px_fault(m, "shared memory of a block that may not run yet");
    if (!m->block[out->block].live) return px_fault(m, "shared memory of a block that has ended");
    return true;
}

/* The same in the thread's own block alone. */
static inline bool px_own_shared(px_machine *m, uint32_t *at, int thread, uint64_t address, uint64_t bytes, uint64_t align)
{
    px_place p;
    if (!px_shared(m, &p, thread, address, bytes, align)) return false;
    *at = p.at;
    return p.block == px_rank(m, thread) ? true : px_fault(m, "an address of another block");
}

static inline uint8_t *px_global(px_machine *m, uint64_t at, uint64_t bytes)
{
    for (int i = 0; i < m->memories; i++) {
        px_memory *g = &m->memory[i];
        if (at >= g->at && at - g->at < g->size && bytes <= g->size - (at - g->at)) return g->bytes + (at - g->at);
    }
    px_fault(m, "global address 0x%llx outside", (unsigned long long)at);
    return NULL;
}

/* The memory that a tensor map's address lies in, from there on; behind its end it has none, as that of an empty tensor. */
static inline bool px_tensor_memory(px_machine *m, zlay_sim_global *out, const zlay_tensormap *map)
{
    for (int i = 0; i < m->memories; i++) {
        px_memory *g = &m->memory[i];
        uint64_t at = map->address - g->at;
        if (map->address < g->at || at >= g->size + PX_ROW) continue;
        if (at > g->size) at = g->size;
        *out = (zlay_sim_global){g->bytes + at, g->size - at};
        return true;
    }
    return px_fault(m, "a tensor map of no memory");
}

/* Spans that touch are one; where there are too many the last one grows. */
static inline void px_note_write(px_machine *m, px_thread *t, px_extent wrote)
{
    px_extent *last = t->spans ? &t->wrote[t->spans - 1] : NULL;
    bool touches = last && last->block == wrote.block && last->from <= wrote.to && wrote.from <= last->to;
    if (!touches && t->spans < PX_WROTE) {
        t->wrote[t->spans++] = wrote;
        return;
    }
    if (last->block != wrote.block) px_fault(m, "a thread writes to too many places");
    if (wrote.from < last->from) last->from = wrote.from;
    if (wrote.to > last->to) last->to = wrote.to;
}

/* A thread's write: the proxy does not see it before the thread's fence. */
static inline void px_write(px_machine *m, int thread, px_place p, const void *from, uint32_t bytes)
{
    px_block *b = &m->block[p.block];
    uint32_t i = p.at - PX_ORIGIN;
    memcpy(b->smem + i, from, bytes);
    memset(b->view + i, m->poison, bytes);
    for (uint32_t k = 0; k < bytes; k++) b->writer[i + k] = (uint16_t)(thread + 1);
    px_note_write(m, &m->thread[thread], (px_extent){p.block, i, i + bytes});
}

static inline void px_proxy_fence(px_machine *m, int thread)
{
    px_thread *t = &m->thread[thread];
    for (int s = 0; s < t->spans; s++) {
        px_block *b = &m->block[t->wrote[s].block];
        for (uint32_t i = t->wrote[s].from; i < t->wrote[s].to; i++)
            if (b->writer[i] == thread + 1) {
                b->view[i] = b->smem[i];
                b->writer[i] = 0;
            }
    }
    t->spans = 0;
}

static inline void px_poison(px_machine *m, px_block *b, uint32_t at, uint32_t bytes)
{
    memset(b->smem + (at - PX_ORIGIN), m->poison, bytes);
    memset(b->view + (at - PX_ORIGIN), m->poison, bytes);
    memset(b->writer + (at - PX_ORIGIN), 0, bytes * sizeof *b->writer);
}

/* ---- tensor maps ------------------------------------------------------------------- */

static inline px_known_map *px_known(px_machine *m, uint64_t at)
{
    for (int i = 0; i < m->maps; i++)
        if (m->known[i].at == at) return &m->known[i];
    const uint8_t *bytes = px_global(m, at, PX_MAP_BYTES);
    if (!bytes || m->maps == PX_MAPS) return NULL;
    px_known_map *k = &m->known[m->maps++];
    k->at = at, k->writer = -1, k->versions = 1;
    memcpy(k->version[0], bytes, PX_MAP_BYTES);
    return k;
}

/* The map at an address, of a parameter or as a thread has acquired it. */
static inline bool px_map(px_machine *m, zlay_tensormap *out, int thread, uint64_t at)
{
    uint64_t words[16], unexplained[16], param = (at - PX_PARAM_AT) / PX_MAP_BYTES;
    const zlay_target *target;
    const px_known_map *k = NULL;
    if (at % PX_MAP_BYTES >= 64) return px_fault(m, "a tensor map off 64 bytes");
    if (at >= PX_PARAM_AT && param < (uint64_t)m->text.params) memcpy(words, m->param[param], sizeof words);
    else if (!(k = px_known(m, at))) return px_fault(m, "no tensor map at 0x%llx", (unsigned long long)at);
    if (k) memcpy(words, k->version[m->thread[thread].acquired[k - m->known]], sizeof words);
    if (zlay_target_find(&target, "sm_90a", 6) || zlay_tensormap_unpack(out, unexplained, target, words))
        return px_fault(m, "a tensor map that cannot be read");
    return true;
}

static inline uint32_t px_box_bytes(const zlay_tensormap *map)
{
    uint32_t elements = 1;
    for (uint32_t i = 0; i < map->rank; i++) elements *= map->box[i];
    return elements * zlay_type_bits(map->type) / 8;
}

/* ---- who knows what ----------------------------------------------------------------- */

static inline void px_join(uint32_t *to, const uint32_t *from)
{
    for (int i = 0; i < PX_SEEN; i++)
        if (from[i] > to[i]) to[i] = from[i];
}

/* What a thread tells by an arrival: what others have told it, and its own uses before its fence. */
static inline void px_tell(px_machine *m, uint32_t *to, int thread)
{
    uint32_t tells[PX_SEEN];
    memcpy(tells, m->thread[thread].saw, sizeof tells);
    tells[thread / PX_WARP] = m->thread[thread].before;
    px_join(to, tells);
}

/* ---- barriers --------------------------------------------------------------------- */

static inline px_barrier *px_barrier_in(px_machine *m, int block, uint32_t at)
{
    px_block *b = &m->block[block];
    for (int i = 0; i < b->barriers; i++)
        if (b->barrier[i].at == at) return &b->barrier[i];
    px_fault(m, "no barrier is initialised at %u", at);
    return NULL;
}

static inline px_barrier *px_barrier_at(px_machine *m, int thread, uint64_t address)
{
    px_place p;
    return px_shared(m, &p, thread, address, 8, 8) ? px_barrier_in(m, p.block, p.at) : NULL;
}

static inline void px_barrier_turn(px_barrier *b)
{
    if (b->pending || b->tx) return;
    b->phase++;
    b->pending = b->count;
    px_join(b->done, b->saw);
}

static inline void px_expect(px_machine *m, px_barrier *b, int64_t bytes)
{
    b->tx += bytes;
    if (b->tx >= 1 << 20 || b->tx <= -(1 << 20)) px_fault(m, "barrier %u expects %lld bytes", b->at, (long long)b->tx);
}

static inline void px_arrive(px_machine *m, px_barrier *b, int64_t count)
{
    b->pending -= (int)count;
    if (b->pending < 0) px_fault(m, "more arrivals than barrier %u counts", b->at);
    px_barrier_turn(b);
}

#endif
