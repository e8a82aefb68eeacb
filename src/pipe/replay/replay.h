/* SPDX-License-Identifier: Apache-2.0 */
/* The checker of proofs by runs. It shares with the verifier (src/pipe/runs) the pipe and its
 * parser, nothing else: in place of vector clocks it keeps for each thread the explicit set of
 * operations that happen before it. docs/internals/proof.md, "Proofs by runs", has the argument. */
#ifndef ZL_REPLAY_H
#define ZL_REPLAY_H

#include "pipe/language/pipe.h"

/* Three warps stand for an instance's, three lanes for a warp's: the first and two more. */
enum { ZL_RP_LANES = 3, ZL_RP_WARPS = 3, ZL_RP_THREADS = 9 };
enum { ZL_RP_ACCESSES = 64, ZL_RP_PARAMS = 4, ZL_RP_VALUES = 8, ZL_RP_NAMED = 16 };
enum { ZL_RP_WORDS = 64, ZL_RP_OPS = 64 * ZL_RP_WORDS }; /* most operations that matter at once */

/* What an operation is. The groups come first. */
typedef enum zl_rp_kind {
    ZL_RP_WGMMA, ZL_RP_BULK, ZL_RP_BULK_READ, ZL_RP_TCGEN05, ZL_RP_TLD, ZL_RP_TST, ZL_RP_CPASYNC,
    ZL_RP_MEMORY, ZL_RP_SHARED, /* queues */
    ZL_RP_GROUPS,
    ZL_RP_DID = ZL_RP_GROUPS, /* an ordinary instruction of a thread */
    ZL_RP_FENCED,             /* an ordinary write, or a cp.async, behind fence proxy.async */
    ZL_RP_ORDERED,            /* a load or store of tensor memory behind fence tcgen05.before */
    ZL_RP_PASSED,             /* a wait, by a thread */
    ZL_RP_POINT              /* a phase, a meeting, a value of a flag */
} zl_rp_kind;

/* An operation that may still matter. Its index is its name in sets; -1 names an operation
 * that all threads know. */
typedef struct zl_rp_op {
    zl_rp_kind kind;
    int32_t thread; /* that did it; for a warp its first lane; -1: no single thread */
    int32_t number; /* of its group */
    int32_t fenced; /* the same behind its fence; -1 */
    bool live, told; /* told: all lanes of its warp know of it */
} zl_rp_op;

typedef struct zl_rp_thread {
    uint32_t instance, warp; /* warp: its first lane's thread */
    bool lane0;
} zl_rp_thread;

/* Sets that a thread, a barrier, a meeting, a flag has. */
enum { ZL_RP_KNOWS, ZL_RP_AFTER, ZL_RP_MAPPED, ZL_RP_OF_THREAD };
enum { ZL_RP_DONE, ZL_RP_SUM, ZL_RP_ARRIVED, ZL_RP_OF_MBAR };
enum { ZL_RP_OF_MEETING = 2, ZL_RP_OF_FLAG = 1 + ZL_RP_VALUES };

/* One execution of a role in one block: program counter, loop counters, groups. */
typedef struct zl_rp_instance {
    const zl_role *role;
    uint32_t number, block, first, threads, pc, depth;
    uint32_t loop[ZL_PIPE_LOOPS];
    int64_t counter[ZL_PIPE_LOOPS];
    int64_t twin[ZL_RP_PARAMS]
                [ZL_PIPE_LOOPS]; /* the counters in the longer trip of each claim */
    bool found[ZL_RP_PARAMS][ZL_PIPE_LOOPS];   /* a recurrence was found in this loop */
    uint64_t headed[ZL_RP_PARAMS]; /* the step at which it last began an iteration */
    int32_t issued[ZL_RP_GROUPS], done[ZL_RP_GROUPS], last[ZL_RP_GROUPS];
    int32_t opening[ZL_RP_GROUPS][ZL_RP_THREADS]; /* operations of the open group */
    bool open[ZL_RP_GROUPS];
    uint32_t opened[ZL_RP_GROUPS];
    int64_t registers;     /* of each thread */
    int32_t set[ZL_RP_THREADS]; /* operations of its threads' last setmaxnreg; -1: none that matters */
    const struct zl_rp_mbar *stands; /* the mbarrier slot it waits at; NULL: none */
    int32_t meets, joined; /* the generation that it waits for, of the cluster has joined; -1 */
    bool grid; /* has waited for the grid before; `grids`: its threads' operations of that */
    int32_t grids[ZL_RP_THREADS];
} zl_rp_instance;

/* An mbarrier slot: one stage of a `bar` in one block. */
typedef struct zl_rp_mbar {
    uint32_t bar, block;
    bool idle;     /* no event reaches it */
    bool hidden;   /* bytes or products have come to the current phase */
    bool shown[2]; /* the two complete phases had arrivals alone, and may still matter */
    int64_t pending, tx, phase;
    int32_t last[2], next; /* operations of the last two complete phases, of the current */
    uint32_t event;
} zl_rp_mbar;

/* A barrier of threads: named, of the block, or of the cluster. */
typedef struct zl_rp_meeting {
    int64_t pending, count;
    int32_t generation, last;
    bool block; /* by `sync cta`, not by a number */
    uint32_t event;
} zl_rp_meeting;

/* A counter in global memory. */
typedef struct zl_rp_flag {
    int64_t total, value[ZL_RP_VALUES]; /* values that some event awaits */
    int32_t reached[ZL_RP_VALUES];
    uint32_t count;
} zl_rp_flag;

/* What an instance may still do at an mbarrier slot: name it, wait there, arrive there.
 * zl_replay.near holds the first two. */
enum { ZL_RP_NAMES = 1, ZL_RP_WAITS = 2, ZL_RP_COMES = 4 };

typedef enum zl_rp_proxy { ZL_RP_GENERIC, ZL_RP_ASYNC, ZL_RP_TENSOR } zl_rp_proxy;

/* An access of memory that later ones may conflict with; `over`: the operations whose
 * completion completes it. */
typedef struct zl_rp_access {
    int32_t over[ZL_RP_THREADS];
    uint32_t count, instance, event;
    int32_t part;
    int64_t bytes;
    zl_rp_proxy proxy;
    bool write, old; /* old: of the content before */
} zl_rp_access;

typedef struct zl_rp_factors {
    int64_t place[2], index[2];
} zl_rp_factors;

/* The shadow state of one stage in one block: its content and the accesses that may still
 * conflict. */
typedef struct zl_rp_shadow {
    int64_t index, size, filled;
    uint32_t pieces, writer, count;
    bool any, unread;
    zl_rp_factors factors;
    zl_rp_access *accesses;
} zl_rp_shadow;

/* Accumulators of an instance. */
typedef struct zl_rp_acc_state {
    int state;
    bool unread, unfenced;
    int32_t group, kind, reader, reader_kind;
    int64_t bytes; /* loaded, and still what they hold; 0: something else */
    uint32_t event;
    zl_rp_factors factors;
} zl_rp_acc_state;
enum { ZL_RP_EMPTY, ZL_RP_ACCUMULATED, ZL_RP_TAKEN };

typedef struct zl_rp_columns {
    bool allocated, freed;
    int32_t by, freed_by;
    uint32_t event;
} zl_rp_columns;

/* An operation that some thread of a block must know to be complete before the block ends. */
typedef struct zl_rp_debt {
    int32_t op;
    bool owed;
    uint32_t event;
} zl_rp_debt;

/* A stretch of the run, in steps, that a longer trip repeats. */
typedef struct zl_rp_repeat {
    uint32_t claim;
    uint64_t from, to; /* steps */
} zl_rp_repeat;

/* A claim of the proof: loops of `param` repeat every `period` iterations. recurs: the period
 * after which a state was seen to recur; 0: none. */
typedef struct zl_rp_claim {
    int32_t param;
    int64_t period, recurs;
} zl_rp_claim;

/* How an index grows with a loop: not at all, or by up to three params, a byte each. */
enum { ZL_RP_STILL = -1, ZL_RP_ALIKE = 0, ZL_RP_FACTORS = 1 << 24 };

typedef struct zl_replay zl_replay;

/* A ring that an event names, and where. */
typedef struct zl_rp_named {
    uint32_t ring;
    const zl_pos *at;
} zl_rp_named;
enum { ZL_RP_RINGS = 7 };
#define ZL_RP_NOBODY UINT32_MAX

/* Beside the run: nothing, or longer trips that pass a repeated part for the last or first time. */
enum { ZL_RP_ALONE, ZL_RP_LAST, ZL_RP_FIRST };

/* A state being written as integers; with `marking`, operations are only marked as still in
 * use. */
typedef struct zl_rp_encoding {
    int64_t *out;
    size_t room, need;
    bool marking;
    int32_t *names; /* per item: its number in this state, -1 */
    int32_t named;
    uint32_t claim;
} zl_rp_encoding;

typedef struct zl_rp_seen { /* a state at the beginning of an iteration */
    int64_t *numbers;       /* first per instance the counter that it is counted from */
    size_t count, room;
    uint64_t step, round;
    uint32_t by; /* the instance that looked */
} zl_rp_seen;
enum { ZL_RP_STATES = 64 };

struct zl_replay {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    int64_t *values; /* of params */

    uint32_t threads_count, instances_count, mbars_count, places_count, meetings_count, flags_count,
        rings_count, sets_count, blocks;
    zl_rp_thread *threads;
    zl_rp_instance *instances;
    zl_rp_mbar *mbars;
    int32_t *passed;   /* slots x threads: the thread's last wait since the last phase; -2 none */
    int32_t *came;     /* slots x threads: the last arrival at the phase at hand; -2 none */
    int32_t *were;     /* 2 x slots x threads: the same at the two that are complete */
    uint8_t *near;     /* slots x instances: ZL_RP_NAMES .. */
    int32_t *expected; /* slots x instances: the expectation of the phase at hand; -2 none */
    zl_rp_shadow *places;
    zl_rp_access *accesses;
    zl_rp_meeting *meetings; /* the cluster's, then of each block the numbered ones, its own the
                              * first */
    zl_rp_flag *flags;
    int32_t *raised;   /* flags x instances: the last raise; -2 none */
    int64_t *open;     /* flags x instances: how much that one adds, while no other knows of it */
    int32_t *made;     /* flags x values x instances: the last raises that made it */
    zl_rp_acc_state *accs;
    zl_rp_columns *columns; /* tmems x blocks */
    int64_t *live_columns;  /* per block */
    bool *relinquished;
    zl_rp_debt *debts;      /* blocks x (threads + slots) */
    uint32_t *mbar_at, *smem_at, *smem_each, *tmem_at, *other_at;
    int64_t most_left[ZL_RP_GROUPS]; /* groups of a kind that a wait of the text leaves open */
    bool has_grid;

    zl_rp_op *ops;
    int32_t *free_ops, *names, *met;
    uint64_t *sets, *copied; /* copied: which operations a landing copy makes known */
    uint32_t words, free_count, top; /* top: no item from there on is live */

    uint64_t step, round; /* round: of turns */
    int32_t rule; /* 0: nothing is broken */
    uint32_t event, other;
    zlay_status status;
    const char *unproved; /* NULL, or why no longer trip follows */
    uint32_t unproved_claim;

    zl_rp_claim claims[ZL_RP_PARAMS];
    uint32_t claims_count;
    int32_t *ring_growth, *loop_growth; /* claims x rings, claims x events: ZL_RP_STILL .. */
    int64_t *turned;    /* claims x rings x blocks: how far a ring is turned in the longer trip */
    int64_t *bearings;  /* claims x claims x (loops of instances, rings x blocks) */
    uint32_t *first;    /* per instance: the first of its group; ZL_RP_NOBODY: in none */
    uint32_t *ring_first; /* rings x blocks: of the group that has it */
    int turns;          /* ZL_RP_ALONE .. */
    uint64_t compared;  /* steps that have been */
    bool *moved;        /* repeats x instances: who went on in it */
    zl_rp_repeat *repeats;
    uint32_t repeats_count, repeats_room;
    zl_rp_seen seen[ZL_RP_PARAMS][ZL_RP_STATES];
    uint32_t seen_count[ZL_RP_PARAMS];
    int64_t *encoding;
    size_t encoding_room;
};

/* ---- making ---- */
zlay_status zl_rp_new(zlay_ctx *ctx, zl_replay **out, const zlay_pipe *pipe); /* zl_scratch */
void zl_rp_begin(zl_replay *c);
/* Checks what the text breaks by itself, before any run. */
void zl_rp_check_text(zl_replay *c);

/* Runs once with the param values in c->values. */
void zl_rp_run(zl_replay *c);

void zl_rp_break(zl_replay *c, int32_t rule, uint32_t event, uint32_t other);
static inline uint32_t zl_rp_line(const zl_replay *c, const zl_event *e)
{
    return (uint32_t)(e - c->pipe->events);
}

/* ---- sets of operations ---- */
static inline uint32_t zl_rp_set(uint32_t thread, uint32_t which)
{
    return ZL_RP_OF_THREAD * thread + which;
}
uint32_t zl_rp_mbar_set(const zl_replay *c, const zl_rp_mbar *g, uint32_t which);
uint32_t zl_rp_meeting_set(const zl_replay *c, const zl_rp_meeting *m, uint32_t which);
uint32_t zl_rp_flag_set(const zl_replay *c, const zl_rp_flag *f, uint32_t which);
bool zl_rp_has(const zl_replay *c, uint32_t set, int32_t op);
void zl_rp_learn(zl_replay *c, uint32_t set, int32_t op);
void zl_rp_join(zl_replay *c, uint32_t to, uint32_t from);
/* Whether a set has all of another. */
bool zl_rp_covers(const zl_replay *c, uint32_t set, uint32_t of);
/* Intersects `all` with a set; adds all of `all` to a set. */
void zl_rp_common(const zl_replay *c, uint64_t *all, uint32_t set);
void zl_rp_learn_all(zl_replay *c, uint32_t set, const uint64_t *all);
void zl_rp_join_landing(zl_replay *c, uint32_t to, uint32_t from);
void zl_rp_clear(zl_replay *c, uint32_t set);
int32_t zl_rp_op_new(zl_replay *c, zl_rp_kind kind, int32_t thread, int32_t number);
/* A new operation: an ordinary instruction of a thread, which knows it. */
int32_t zl_rp_did(zl_replay *c, uint32_t thread, bool write);
/* Before a step: makes room for the operations it may add, by forgetting those that can no
 * longer matter. */
void zl_rp_reserve(zl_replay *c);

/* ---- where ---- */
int64_t zl_rp_value(const zl_replay *c, const zl_rp_instance *i, const zl_pos *pos);
/* The index that a position names; checks that the longer trips name the same stage. */
int64_t zl_rp_index(zl_replay *c, const zl_rp_instance *i, const zl_pos *pos, uint32_t ring,
                    uint32_t block);
uint32_t zl_rp_slot(zl_replay *c, const zl_rp_instance *i, const zl_pos *pos, uint32_t ring,
                    uint32_t block, uint32_t stages);
/* Rings are numbered: bars, smems, tmems, others. */
static inline uint32_t zl_rp_ring_smem(const zl_replay *c, int32_t smem)
{
    return c->pipe->bars_count + (uint32_t)smem;
}
static inline uint32_t zl_rp_ring_tmem(const zl_replay *c, int32_t tmem)
{
    return zl_rp_ring_smem(c, (int32_t)c->pipe->smems_count) + (uint32_t)tmem;
}
static inline uint32_t zl_rp_ring_other(const zl_replay *c, int32_t other)
{
    return zl_rp_ring_tmem(c, (int32_t)c->pipe->tmems_count) + (uint32_t)other;
}
/* Blocks as a mask. */
uint32_t zl_rp_blocks(const zl_replay *c, const zl_rp_instance *i, const zl_event *e);
uint32_t zl_rp_mbar_blocks(const zl_replay *c, const zl_rp_instance *i, const zl_event *e);

/* ---- barriers, meetings, flags ---- */
void zl_rp_arrive(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_expect(zl_replay *c, zl_rp_instance *i, const zl_event *e);
bool zl_rp_wait(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_land(zl_replay *c, zl_rp_mbar *g, uint32_t thread, int64_t bytes, uint32_t event);
void zl_rp_come(zl_replay *c, zl_rp_mbar *g, uint32_t thread, uint32_t event);
void zl_rp_take(zl_replay *c, zl_rp_mbar *g, int64_t count, uint32_t event);
zl_rp_mbar *zl_rp_mbar_of(zl_replay *c, const zl_rp_instance *i, const zl_event *e, uint32_t block);
void zl_rp_owe(zl_replay *c, uint32_t block, const zl_rp_mbar *g, uint32_t thread, int32_t op,
               uint32_t event);
bool zl_rp_meet(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_leave(zl_replay *c, const zl_rp_instance *i);
/* Runs a setmaxnreg; whether one that waits could go on in another interleaving. */
bool zl_rp_registers(zl_replay *c, zl_rp_instance *i, const zl_event *e);
bool zl_rp_registers_late(const zl_replay *c, const zl_rp_instance *i);
bool zl_rp_flags(zl_replay *c, zl_rp_instance *i, const zl_event *e);

/* ---- groups ---- */
int32_t zl_rp_group(zl_replay *c, zl_rp_instance *i, int kind, uint32_t thread);
void zl_rp_commit(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_wait_group(zl_replay *c, zl_rp_instance *i, int kind, int64_t left);
void zl_rp_fence(zl_replay *c, zl_rp_instance *i, const zl_event *e);
/* How many groups were committed after one, as far as a wait can tell; 0: it is complete. */
int64_t zl_rp_behind(const zl_replay *c, const zl_rp_instance *i, int kind, int32_t number);

/* ---- memory ---- */
zl_rp_shadow *zl_rp_smem(zl_replay *c, const zl_rp_instance *i, uint32_t block, int32_t smem,
                        uint32_t slot);
zl_rp_shadow *zl_rp_tmem(zl_replay *c, uint32_t block, int32_t tmem, uint32_t slot);
/* An access by the first thread of the instance, or by `all`. */
void zl_rp_read(zl_replay *c, zl_rp_shadow *p, const zl_rp_instance *i, bool all, int64_t index,
                zl_rp_access *access);
void zl_rp_write(zl_replay *c, zl_rp_shadow *p, const zl_rp_instance *i, bool all, int64_t index,
                 zl_rp_access *access);
void zl_rp_keep(zl_replay *c, zl_rp_shadow *p, const zl_rp_access *access);
void zl_rp_copy(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_store(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_cpasync(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_load_store(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_update(zl_replay *c, zl_rp_instance *i, const zl_event *e);

/* ---- sums, tensor memory ---- */
void zl_rp_product(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_load(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_put(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_copy_in(zl_replay *c, zl_rp_instance *i, const zl_event *e);
/* A product of registers with registers, and the events of queues. */
void zl_rp_multiply(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_queue(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_waitcount(zl_replay *c, zl_rp_instance *i, const zl_event *e);
void zl_rp_forget_factors(zl_rp_factors *f, int64_t place, int64_t but);
/* Completes an access with one operation for each warp, or for the one thread; closes a group
 * of one event. */
void zl_rp_name_group(zl_replay *c, zl_rp_instance *i, int kind, zl_rp_access *access);
int32_t zl_rp_close_alone(zl_rp_instance *i, int kind);
void zl_rp_check_grid(zl_replay *c, const zl_rp_instance *i);
void zl_rp_wait_grid(zl_replay *c, zl_rp_instance *i);
bool zl_rp_alloc(zl_replay *c, const zl_rp_instance *i, const zl_event *e);
void zl_rp_dealloc(zl_replay *c, const zl_rp_instance *i, const zl_event *e);
void zl_rp_relinquish(zl_replay *c, const zl_rp_instance *i);
void zl_rp_check_live(zl_replay *c, const zl_rp_instance *i, int32_t tmem, uint32_t block,
                      uint32_t event);
void zl_rp_setup_columns(zl_replay *c);

#endif
