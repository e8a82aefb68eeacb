/* SPDX-License-Identifier: Apache-2.0 */
/* One run of a pipe: the state of threads, mbarrier slots and memory, with a vector clock for
 * each class of threads. A run executes one interleaving; the clocks say which of its events
 * happen before which in every interleaving, so a conflict that no clock orders is a fault (as
 * in a happens-before race detector such as FastTrack). docs/internals/proof.md, "Runs", has
 * the argument. */
#ifndef ZL_RUN_H
#define ZL_RUN_H

#include "pipe/language/pipe.h"

/* A value of a clock; a run ends with a limit before one is greater than ZL_TICKS. */
typedef int16_t zl_tick;
enum { ZL_TICKS = 32000, ZL_VECTOR = 8 };
enum { ZL_NEVER = INT16_MAX }; /* an epoch that no clock reaches */

/* A completion condition: something is complete for a thread whose clock has component `comp` at
 * `value` or more. */
typedef struct zl_cond {
    int32_t comp, value;
} zl_cond;

enum { ZL_CONDS = 4 };

/* The proxy of an access: which fence must stand between two accesses follows from their
 * proxies (PTX ISA, "Proxies"). */
typedef enum zl_proxy { ZL_GENERIC, ZL_ASYNC, ZL_TENSOR } zl_proxy;

/* An access of memory that later ones may conflict with. */
typedef struct zl_mem_access {
    zl_cond cond[ZL_CONDS]; /* when it is complete: all of them */
    uint32_t conds;
    int32_t instance;
    uint32_t event;
    int32_t part;
    int64_t bytes;          /* of a write */
    zl_proxy proxy;
    bool write;
    bool old; /* an access of the content before the current one */
} zl_mem_access;

/* What a product multiplied: shared memory, then tensor memory, by number, with the index; or
 * registers: -1 for none, else -2 - acc with their version. */
typedef struct zl_factors {
    int32_t by;    /* the instance that multiplied; -1: none */
    uint32_t event;
    int32_t of[2];
    int64_t tag[2];
} zl_factors;

/* The shadow state of one stage of a ring in one block, or of a global or a tensor map: its
 * content and the accesses that may still conflict. */
typedef struct zl_shadow {
    int64_t tag, size, filled; /* the index whose content it holds; bytes; bytes filled */
    bool any, unread;
    uint32_t writer;           /* event that filled it last */
    uint32_t pieces;           /* parts that the text fills it by; 0: whole each time */
    zl_factors factors;        /* of the last product summed there */
    uint32_t count;
    zl_mem_access *accesses;         /* accesses of the current content and the one before */
} zl_shadow;

/* A class: threads of one instance that act alike, so that one clock stands for each of them. */
typedef struct zl_class {
    int32_t instance;
    bool first_lane, first_warp; /* lane 0 of each warp, of the first warp alone */
    bool lone, lone_warp;        /* one thread; threads of one warp */
    int64_t threads;
    zl_tick *clock; /* what each thread knows of all others */
    zl_tick *own;   /* what each thread has done itself; the others of the class do not know it */
    zl_tick *after; /* clock at the last fence tcgen05.after */
    zl_tick *mapped; /* clock at the last fence proxy.tensormap */
} zl_class;

enum {
    ZL_OF_WGMMA, ZL_OF_BULK, ZL_OF_BULK_READ, ZL_OF_TCGEN05, ZL_OF_TLD, ZL_OF_TST, ZL_OF_CPASYNC,
    ZL_OF_MEMORY, ZL_OF_SHARED, ZL_GROUPS
};

/* One execution of a role by its warps in one block: program counter, loop counters, groups. */
typedef struct zl_instance {
    int32_t role, number, cta;
    uint32_t first, classes;  /* of zl_run.classes */
    uint32_t pc;              /* of events; role->end: it has ended */
    int32_t epoch;
    int64_t counter[ZL_PIPE_LOOPS];
    bool found[ZL_PIPE_LOOPS]; /* a repetition was seen in this loop since it began */
    uint32_t loop[ZL_PIPE_LOOPS]; /* its event */
    uint32_t depth;
    int32_t issued[ZL_GROUPS]; /* groups committed */
    int32_t done[ZL_GROUPS];   /* groups waited for */
    int32_t last[ZL_GROUPS];   /* the last group that has members */
    bool open[ZL_GROUPS];      /* work was issued since the last commit */
    uint32_t opened[ZL_GROUPS]; /* its event */
    const struct zl_mbar *stands; /* the mbarrier slot it waits at; NULL: none */
    int32_t meets;             /* generation of the thread barrier it waits at, -1 */
    int32_t joined;            /* generation of the cluster barrier it has arrived at, -1 */
    int32_t grid;              /* epoch at which it has waited for the grid before; 0: it has not */
    int32_t registers;         /* of each thread, 0: the pipe does not say */
    int32_t set;               /* epoch of its last setmaxnreg; 0: none yet */
    uint32_t set_by;           /* its event */
    int64_t laps;              /* iterations of its outermost loops that are over */
} zl_instance;

/* Accumulators, or other registers with a name, of an instance. */
typedef struct zl_acc_state {
    int state;          /* ZL_SUM_ */
    bool unread;        /* by ordinary instructions or a product since the last product */
    bool unfenced;       /* by ordinary instructions since the last fence wgmma */
    int32_t group;      /* of the last product or load; over when done[kind] reaches it */
    int32_t kind;       /* ZL_OF_WGMMA, ZL_OF_TLD or a queue */
    int32_t version;    /* epoch at which they changed last */
    int64_t bytes;      /* loaded from global memory, and still what they hold; 0: something else */
    int32_t reader;     /* group of the last product that reads it as a factor, or of tst */
    int32_t reader_kind;
    uint32_t event;
    zl_factors factors; /* of the last product */
} zl_acc_state;
enum { ZL_ACC_EMPTY, ZL_ACC_SUM, ZL_ACC_TAKEN };

enum { ZL_CAME = 3 };

/* An mbarrier slot: one stage of a `bar` in one block. */
typedef struct zl_mbar {
    int32_t comp, cta, bar;
    bool idle;          /* no event of the text reaches it */
    int64_t pending, tx;
    int32_t phase;      /* complete phases */
    zl_tick *done;      /* clock of the last complete phase */
    zl_tick *sum;       /* join of the clocks that have come to the current phase */
    zl_tick *arrived;   /* the same of arrivals alone: epochs of classes */
    zl_tick *passed;    /* per class: epoch at which it was past the last complete phase, -1 */
    zl_tick *came[ZL_CAME]; /* per class: epoch of its arrival in the current phase, the last
                             * complete one and the one before; -1: none; ZL_NEVER: no epoch tells */
    zl_tick *expected;  /* per class: epoch of its expectation in the phase at hand, -1 */
    uint32_t event;     /* the last that came */
} zl_mbar;

/* A barrier of threads: named, of the block, or of the cluster. */
typedef struct zl_meeting {
    int32_t comp;
    int64_t pending, count;
    int32_t generation; /* over */
    zl_tick *done, *sum;
    uint32_t event;
} zl_meeting;

enum { ZL_MEETINGS = 16 }; /* of a block; 0 is that of `sync cta`, too */

/* A counter in global memory that roles raise and await. */
typedef struct zl_flag {
    int64_t total;
    uint32_t count;
    int64_t *threshold; /* awaited values, ascending */
    zl_tick *at;        /* a clock for each: when it was reached */
    zl_tick *sum;
    zl_tick *raised;    /* per class: epoch of its last raise, -1 */
    int64_t *open;      /* how much that raise added, until another raise knows of it; then 0 */
    zl_tick *made;      /* for each threshold, `raised` when it was reached */
} zl_flag;

/* What a clock component counts, if it counts groups. */
typedef struct zl_counted {
    int32_t instance, group; /* group -1: it counts something else */
} zl_counted;

/* The columns of one tmem in one block. */
typedef struct zl_columns { /* tensor memory of one tmem in one block */
    bool allocated, freed;      /* freed: since it was allocated last */
    zl_cond by, freed_by;       /* how others know of the allocation and of the free; value 0: all
                                 * do */
    uint32_t event;
} zl_columns;

/* The first broken rule. */
typedef struct zl_fault {
    int32_t rule;
    uint32_t event, other; /* indices; UINT32_MAX: none */
    int64_t found, wanted;
} zl_fault;

/* Trip counts that each iteration of the loops over a param has for itself. Instances run up to a frontier: no iteration from `open`
 * on begins before its count is known. */
enum { ZL_TILES = 250 }; /* most iterations of one run */
typedef struct zl_tiles {
    int32_t over, count;     /* params: of the loops, and the count of each iteration */
    int64_t *counts, *begun; /* by iteration: its count, and the sum of those before it; ZL_TILES + 2 */
    int64_t open;
    bool last; /* no iterations follow: the loops end where the param says */
    bool shut; /* some instances stand at the frontier, and no other can move: the run stops */
} zl_tiles;

typedef struct zl_run {
    zlay_ctx *ctx;
    const zlay_pipe *pipe;
    int64_t *params;          /* trip counts */
    uint32_t comps, instances_count, classes_count, mbars_count, places_count, meetings_count;
    uint32_t flags_count;
    zl_instance *instances;
    zl_class *classes;
    zl_mbar *mbars;           /* bars, blocks, slots */
    uint32_t *mbar_at;        /* per bar: its first */
    zl_mem_access *accesses;
    zl_shadow *places;         /* smems, then tmems, maps, globals */
    uint32_t *smem_at, *tmem_at, *other_at;
    uint32_t *smem_each, *other_slots; /* instances that a smem has room for; stages of all instances of another */
    uint32_t *rooms;          /* per stage: room for accesses */
    size_t accesses_count, thresholds_count;
    int64_t *thresholds;      /* of all flags */
    uint32_t epochs;          /* the first components, of classes; whole vectors */
    uint32_t class_comps;     /* components of each class */
    uint32_t group_comps;     /* and of each instance */
    int8_t group_at[ZL_GROUPS]; /* the first of a group; -1: the text has none */
    zl_counted *counted;      /* per component */
    zl_meeting *meetings;     /* of the cluster, then per block those that the text has */
    int8_t meeting_at[ZL_MEETINGS];
    uint32_t meetings_each;
    zl_flag *flags;           /* per other and slot, maps and globals included */
    int64_t *open;            /* of all flags */
    zl_acc_state *accs;             /* instances x accs */
    zl_columns *columns;      /* tmems x blocks */
    int32_t *live_columns;    /* per block */
    bool *relinquished;       /* per block */
    zl_tick *debt;            /* blocks x comps: what the join of the block's clocks must reach
                               * before it ends */
    uint32_t *debt_event;
    char *arena, *kept;       /* all that a run changes; and a copy */
    size_t arena_size;
    zl_tick *memory;          /* of all clocks */
    size_t memory_room;
    zl_tick *scratch;         /* a clock */
    int64_t *lap; /* with `paced`: an instance with more iterations of outermost loops waits for the others */
    bool paced;               /* outermost loops run in lockstep */
    uint64_t steps, most;
    uint32_t stepping;        /* the instance whose event runs */
    bool single, alone;       /* a turn is one event; no events run but those that are told */
    const int32_t *known;     /* per instance: the last epoch that is told */
    void (*told)(struct zl_run *r, const zl_instance *i); /* hears of events as they run; NULL: none is told */
    void *teller;             /* of `told` */
    const struct zl_timed *timed; /* NULL: instances take turns */
    uint32_t grid;            /* the first `griddep wait` of the text; UINT32_MAX: none */
    int64_t reach;            /* the largest constant offset of a product's index */
    int32_t most_left[ZL_GROUPS]; /* the most groups that any wait leaves outstanding */
    struct zl_watch *watch;   /* NULL: recurrence of states is not looked for */
    int32_t endless;          /* the endless param, whose loops are ended by the search; -1: none */
    int64_t seen;             /* trip counts of it up to here have been run */
    int64_t reached;          /* the greatest that a loop may end at; above `seen`: the run stops */
    bool repeats;             /* a repetition was found in all loops of it: the run stops */
    bool stuck;               /* or in some, while others wait for ever: the run stops */
    zl_tiles *tiles;          /* NULL: every param has one value */
    zl_fault fault;           /* rule 0: none */
    zlay_status status;
    uint32_t halted;          /* where a limit ended the run, the event and why; NULL: nowhere */
    const char *because;
} zl_run;

/* Count what a pipe's text needs (clock components, accesses to remember, values of flags),
 * then lay it out. */
uint32_t zl_run_instances(const zlay_pipe *p, const zl_role *role);
void zl_run_count_accesses(zl_run *r);
void zl_run_count_components(zl_run *r);
void zl_run_make_flags(zl_run *r);
void zl_run_make_clocks(zl_run *r);

zlay_status zl_run_new(zlay_ctx *ctx, zl_run **out, const zlay_pipe *pipe); /* zl_scratch */
void zl_run_reset(zl_run *r);

/* Go on to the end, to the first fault, to a new trip count or a repetition of the endless
 * param. */
void zl_run_on(zl_run *r);
void zl_run_keep(zl_run *r);
void zl_run_restore(zl_run *r);
/* One event of an instance: false where it has to wait. */
bool zl_run_step(zl_run *r, zl_instance *i);

/* A limit is reached at an event. */
void zl_run_halt(zl_run *r, uint32_t event, const char *because);
void zl_run_fault(zl_run *r, int32_t rule, uint32_t event, uint32_t other, int64_t found,
                  int64_t wanted);
static inline uint32_t zl_event_index(const zl_run *r, const zl_event *e)
{
    return (uint32_t)(e - r->pipe->events);
}
/* The join of the clocks of a block's threads, in r->scratch. */
const zl_tick *zl_run_known_in(zl_run *r, uint32_t block);
/* A thread of the block must know of it before the block ends. */
void zl_run_owe(zl_run *r, int32_t block, zl_cond cond, uint32_t event);

/* The iteration that an instance is in, of the loop whose iterations have counts of their own; -1: it is in none. */
int64_t zl_run_iteration(const zl_run *r, const zl_instance *i);
int64_t zl_run_value(const zl_run *r, const zl_instance *i, const zl_pos *pos);
/* The stage of a position; a position below 0 is a fault. */
uint32_t zl_run_slot(zl_run *r, const zl_instance *i, const zl_pos *pos, uint32_t stages);

/* ---- barriers ---- */

/* The block that an event speaks of, and the next one of `all`, beginning behind UINT32_MAX; false
 * behind the last.  The same of a mask, where 0 is the own block. */
bool zl_run_next_block(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t *block);
bool zl_run_next_of_mask(const zl_run *r, const zl_instance *i, uint32_t mask, uint32_t *block);
zl_mbar *zl_run_mbar(zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block);
/* Whether an event of an instance speaks of its barrier in this block. */
bool zl_run_reaches(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block);
/* Whether an event fills its memory in this block. */
bool zl_run_fills(const zl_run *r, const zl_instance *i, const zl_event *e, uint32_t block);
zl_mbar *zl_mbar_of(zl_run *r, int32_t bar, uint32_t block, uint32_t slot);
void zl_mbar_arrive(zl_run *r, zl_mbar *g, const zl_class *c, int64_t count, uint32_t event);
void zl_mbar_signal(zl_run *r, zl_mbar *g, const zl_class *c, int64_t bytes, uint32_t event);
void zl_mbar_expect(zl_run *r, zl_mbar *g, const zl_class *c, int64_t bytes, uint32_t event);
bool zl_mbar_wait(zl_run *r, zl_instance *i, zl_mbar *g, int32_t parity, uint32_t event);

bool zl_run_meet(zl_run *r, zl_instance *i, const zl_event *e);
/* The meeting that a sync, join or meet is of; not of `sync role` or `sync warp`. */
zl_meeting *zl_run_meeting(const zl_run *r, const zl_instance *i, const zl_event *e);
/* Threads that have ended count as arrived at the cluster's meeting. */
void zl_run_leave(zl_run *r, const zl_instance *i);
bool zl_run_raise(zl_run *r, zl_instance *i, const zl_event *e);
bool zl_run_await(zl_run *r, zl_instance *i, const zl_event *e);

/* ---- memory ---- */

zl_shadow *zl_smem_place(zl_run *r, const zl_instance *i, uint32_t block, int32_t smem,
                       uint32_t slot);
zl_shadow *zl_tmem_place(zl_run *r, uint32_t block, int32_t tmem, uint32_t slot);
zl_shadow *zl_other_place(zl_run *r, int32_t other, uint32_t slot);
uint32_t zl_run_other_slot(zl_run *r, const zl_instance *i, const zl_event *e); /* of a global or a flag, of all */

/* A use that begins now, by one class (elect) or by all of the instance. */
void zl_shadow_read(zl_run *r, zl_shadow *p, const zl_instance *i, bool all, int64_t tag,
                  zl_mem_access *access);
void zl_shadow_write(zl_run *r, zl_shadow *p, const zl_instance *i, bool all, int64_t tag,
                   zl_mem_access *access);
/* Note a use that has been checked. */
void zl_shadow_keep(zl_shadow *p, const zl_mem_access *access);
/* The conditions under which what the classes of an instance do now is over. */
void zl_access_now(const zl_run *r, zl_mem_access *access, const zl_instance *i, bool all);
void zl_access_group(const zl_run *r, zl_mem_access *access, const zl_instance *i, int group);

/* Before `griddep wait` nothing is read from global memory, nor written there: the grid before may
 * do both. */
void zl_run_check_grid(zl_run *r, const zl_instance *i, const zl_event *e);
void zl_run_copy(zl_run *r, zl_instance *i, const zl_event *e);
void zl_run_store(zl_run *r, zl_instance *i, const zl_event *e);
void zl_run_cpasync(zl_run *r, zl_instance *i, const zl_event *e);
/* read, write, ldmatrix, stmatrix */
void zl_run_access(zl_run *r, zl_instance *i, const zl_event *e);
void zl_run_update(zl_run *r, zl_instance *i, const zl_event *e);

/* ---- queues, whose instructions are over in order ---- */

void zl_run_queue(zl_run *r, zl_instance *i, const zl_event *e); /* load, send, fetch, put */
void zl_run_waitcount(zl_run *r, zl_instance *i, const zl_event *e);
/* A product of registers with registers. */
void zl_run_multiply(zl_run *r, zl_instance *i, const zl_event *e);

/* setmaxnreg: false where it has to wait; whether one that waits would be given registers now. */
bool zl_run_registers(zl_run *r, zl_instance *i, const zl_event *e);
bool zl_run_registers_some(const zl_run *r, const zl_instance *i);

/* ---- tensor memory and sums ---- */

bool zl_run_tensor(zl_run *r, zl_instance *i, const zl_event *e);
void zl_run_products(zl_run *r, zl_instance *i, const zl_event *e);
void zl_acc_use(zl_run *r, zl_instance *i, int32_t acc, bool takes, uint32_t event);
/* The rule that is broken where registers in flight in groups of this kind are used. */
int32_t zl_acc_rule(int32_t kind);
/* Whether an outstanding group writes the registers, or reads them. */
static inline bool zl_acc_in_flight(const zl_instance *i, const zl_acc_state *s)
{
    return s->group > i->done[s->kind];
}
static inline bool zl_acc_being_read(const zl_instance *i, const zl_acc_state *s)
{
    return s->reader > i->done[s->reader_kind];
}
/* The same product is not summed twice. */
void zl_acc_factors(zl_run *r, const zl_instance *i, const zl_event *e, zl_factors *last);
/* For a factor in registers that has not changed since: 1 + its accumulator; else 0. */
int32_t zl_acc_current(zl_run *r, const zl_instance *i, const zl_factors *f, int k);
zl_acc_state *zl_run_acc(zl_run *r, const zl_instance *i, int32_t acc);

/* Check what is still outstanding when an instance ends, and when all have ended. */
void zl_run_check_exit(zl_run *r, const zl_instance *i);
void zl_run_check_end(zl_run *r);

/* Checks what the text breaks by itself, before any run. */
void zl_run_check_form(zl_run *r);
/* Checks what a role breaks in every interleaving of the others; asked only where a limit
 * ended the search. */
void zl_run_check_alone(zl_run *r);

/* Columns are allocated, freed, used: each in every order that the clocks leave open. `alloc`:
 * false where it has to wait. */
bool zl_columns_alloc(zl_run *r, const zl_instance *i, const zl_event *e);
void zl_columns_setup(zl_run *r, const zl_event *e, uint32_t block);
void zl_columns_free(zl_run *r, const zl_instance *i, const zl_event *e);
void zl_columns_relinquish(zl_run *r, const zl_instance *i, const zl_event *e);
void zl_columns_live(zl_run *r, const zl_instance *i, int32_t tmem, uint32_t block, uint32_t event);

#endif
