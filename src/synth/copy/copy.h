/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by threads, from the request to the parts of the move: join the two
 * layouts to modes along which both step evenly (join.c), list the ways an
 * element may go (ways.c), cut the tile where a way's accesses are aligned
 * (cut.c), give the lanes of a warp their coordinates (lanes.c), count what
 * that costs (count.c), and keep the least. */
#ifndef ZL_COPY_SYNTH_H
#define ZL_COPY_SYNTH_H

#include "algebra/layout/layout.h"
#include "algebra/find/table.h"
#include "synth/move/move.h"
#include <zlay/bank.h>
#include <zlay/copy_synth.h>

enum {
    ZL_SOURCE = ZLAY_SIDE_SOURCE,
    ZL_DEST = ZLAY_SIDE_DEST,
    ZL_SIDES,
    ZL_COPY_LEAVES = 64,
    ZL_COPY_PARTS = 16, /* most parts of one move */
    ZL_COPY_CUTS = 16,  /* most pieces into which one run is cut */
    ZL_WIDTH_MOST = 5   /* log2 of the widest access */
};

/* A box of the tile on which each of the two layouts is one stride. */
typedef struct zl_copy_leaf {
    uint64_t extent;
    int64_t step[ZL_SIDES]; /* elements */
    int64_t tile;           /* what the next coordinate adds to the index into the tile */
    size_t from[ZL_SIDES];  /* the mode of each layout to which the leaf belongs */
} zl_copy_leaf;

/* A mode: leaves that continue each other on both sides. */
typedef struct zl_copy_mode {
    uint64_t extent;
    int64_t step[ZL_SIDES];
    uint32_t leaf, leaves; /* the first, and how many */
} zl_copy_mode;

/* The joined tile; its modes are sorted by ascending steps of the destination.
 * Steps are positive, except that of a run of the source with falling
 * addresses, which is reversed. */
typedef struct zl_copy_tile {
    uint32_t leaves, modes;
    zl_copy_leaf leaf[ZL_COPY_LEAVES];
    zl_copy_mode mode[ZL_PART_MODES];
    int64_t offset[ZL_SIDES];
    int64_t index; /* the index into the tile of coordinate 0 */
    zl_swizzle swizzle[ZL_SIDES];
    uint64_t points, sources; /* elements; a lower bound of the distinct source elements */
    bool bits;                /* modes are bits, whose steps are XORed */
} zl_copy_tile;

/* How the elements of a part are moved. */
typedef struct zl_copy_way {
    int32_t path, kind;
    uint32_t vector[ZL_SIDES];     /* elements of one access */
    uint32_t run[ZL_SIDES];        /* the mode along which it lies */
    uint64_t block[ZL_PART_MODES]; /* elements of each mode that a thread holds at once */
    int32_t bank[ZL_SIDES];        /* the access to shared memory; -1: none */
    uint32_t direct; /* realign: elements of an access where no realigning is needed */
} zl_copy_way;

typedef struct zl_copy {
    zlay_ctx *ctx;
    const zlay_target *target, *ranked; /* `ranked`: its wavefronts rank candidates where the
                                           target's are unknown */
    zlay_copy_request request;
    zlay_layout *made[ZL_SIDES]; /* strided layouts that replace the request's */
    zlay_copy_side side[ZL_SIDES];
    uint32_t bits, least;          /* of an element; elements of the narrowest access */
    int key;                       /* the side by whose steps the modes rise: fragments, or DEST */
    bool ptx; /* the target has PTX */
    bool signal; /* bytes are counted by the peer's barrier */
    uint32_t warp, lanes, threads; /* lanes of a warp, those used, threads used */
    uint32_t limit;                /* threads that there may be */
    uint32_t lanes_most;           /* lanes that any plan can use; `lanes` is a power of two */
    uint32_t bank_bytes;           /* bytes of shared memory that a wavefront moves */
    uint32_t row_bytes;            /* bank_bytes, or those of `ranked` where they are unknown */
    uint64_t bulk_copies;          /* of points: bulk copies in the current order; else 0 */
    zl_copy_tile tile;
    zlay_layout *assumed[ZL_SIDES]; /* a symbolic layout under the facts; NULL: numbers */
    uint64_t known[ZL_SIDES];       /* the offset is known modulo this; 0: it is a number */
    zl_move_tiles tiles;            /* the tiles of sides that are tensors */
    uint32_t tensors;
    zlay_layout *tensor[ZL_SIDES], *window[ZL_SIDES]; /* a tensor under the facts; its first tile */
    bool many[ZLAY_TILE_AXES];      /* there may be a second tile along the axis */
    uint64_t apart[ZL_SIDES][ZLAY_TILE_AXES]; /* divides the distance to the next tile; 0: none,
                                                 or no distance */
    uint64_t stepped[ZL_SIDES];     /* divides the distance to every other tile; 0: no other tile */
    uint64_t sectors[ZL_SIDES];     /* sectors that the tile occupies, each once */
    uint64_t *residues;             /* room for two histograms of the greater period */
} zl_copy;

enum { ZL_RESIDUES = 1 << 16 }; /* the longest period */

/* The mode of each bit of a lane. */
typedef struct zl_copy_lane_bits {
    uint32_t count;
    uint8_t mode[6]; /* low first */
    uint8_t bits[ZL_PART_MODES];
} zl_copy_lane_bits;

/* A candidate for the whole tile. */
typedef struct zl_copy_plan {
    zl_copy_way way;
    uint32_t count;
    uint64_t cost, bound;
    zl_copy_lane_bits lanes[ZL_COPY_PARTS];
    zl_move_part part[ZL_COPY_PARTS];
} zl_copy_plan;

/* Plans a side in fragments, whose layout says which thread holds which
 * element: ENOTSUP where they are not dense. */
zlay_status zl_copy_fragments(const zl_copy *c, zl_copy_plan *best, zl_copy_plan *next);

/* Points of a tile without common strides, in the order in which threads take
 * them. */
typedef struct zl_copy_point {
    int64_t offset[ZL_SIDES];
    uint64_t index; /* into the tile */
} zl_copy_point;

typedef struct zl_copy_points {
    uint64_t count;
    zl_copy_point *at;
} zl_copy_points;

/* Plans a tile without common strides, of at most limits.points points. */
zlay_status zl_copy_by_points(zl_copy *c, zlay_move **out);

/* Makes the layouts of a move by points, from all values of both sides and the
 * points that its parts take, and proves them. */
zlay_status zl_copy_points_prove(zl_copy *c, const zl_table value[ZL_SIDES],
                                 const zl_copy_points *taken, zlay_move *move);
void zl_copy_count_points(const zl_copy *c, const zl_copy_way *way, zl_move_part *part,
                          const zl_copy_points *points);

/* EINVAL where two points of the destination share an offset. */
zlay_status zl_copy_overlap_check(zl_copy *c);

/* Checks the offsets of a joined side: EOVERFLOW, or the status of
 * zl_copy_fits. */
zlay_status zl_copy_side_check(zl_copy *c, int side);

/* Checks the shared memory that a side needs: ZLAY_NONE with the rule. */
zlay_status zl_copy_fits(zl_copy *c, int side, int64_t least, uint64_t bytes);
bool zl_copy_table_allows(const zl_copy *c, int32_t kind, uint64_t bytes);
int32_t zl_copy_bulk_kind(const zl_copy *c);
void zl_copy_info(const zl_copy *c, zlay_move_summary *info, const zl_copy_plan *plan,
                  uint64_t bound);

/* Replaces names by numbers; then writes what the move says of names. */
zlay_status zl_copy_sample(zl_copy *c);
zlay_status zl_copy_names(zl_copy *c, zlay_move *move);
static inline bool zl_copy_has_names(const zl_copy *c) { return c->assumed[0] || c->assumed[1]; }

/* Replaces each tensor by its first tile. */
zlay_status zl_copy_tiles(zl_copy *c);

/* Whether some tile may end outside its tensor. */
bool zl_copy_has_edges(const zl_copy *c);

/* Whether a leaf may continue a mode: the edge of an axis must stay in one
 * mode. */
bool zl_copy_goes_on(const zl_copy *c, const zl_copy_mode *m, const zl_copy_leaf *leaf);

/* The granule of a mode: no edge falls inside so many coordinates; UINT64_MAX:
 * there are no edges. */
uint64_t zl_copy_granule(const zl_copy *c, uint32_t mode);

/* Whether accesses of v elements along a mode are aligned in every tile and
 * cross no edge. */
bool zl_copy_whole_access(const zl_copy *c, int side, uint32_t run, uint64_t v);

/* The conditions on names, as divisibility, under which such accesses exist;
 * false: no conditions are enough. */
bool zl_copy_tiles_need(const zl_copy *c, int side, uint32_t run, uint64_t v, char *out);

/* Adds "subject % v == 0" unless it is there; false: the text is too long. */
bool zl_copy_condition(char *out, const char *subject, uint64_t v);

/* Puts the axes of the move; writes a side's tiles into the text of a layout,
 * after its cells; and makes the first two tiles along each axis as the
 * request defines them. */
zlay_status zl_copy_put_tiles(zl_copy *c, zlay_move *move);
void zl_copy_tiles_write(const zl_copy *c, int side, bool steps, zl_text *out);
zlay_status zl_copy_asked(zl_copy *c, zlay_layout **out, int side);

/* Joins the two layouts; ZLAY_NONE: they have no strides on common boxes. */
zlay_status zl_copy_join(zl_copy *c);

/* Whether the request allows a path: where bytes signal, only one that
 * signals. */
static inline bool zl_copy_path_asked(const zl_copy *c, int32_t path)
{
    bool signals = path == ZLAY_PATH_BULK || path == ZLAY_PATH_STORE_ASYNC;
    if (c->signal ? !signals : path == ZLAY_PATH_STORE_ASYNC) return false;
    return !c->request.path || c->request.path == path;
}

/* The i-th way of a path; false past the last. */
bool zl_copy_way_at(const zl_copy *c, zl_copy_way *out, int32_t path, uint32_t i);

/* How threads move elements that no other path moves: ZLAY_COPY_THREAD_LOAD,
 * ZLAY_COPY_THREAD_STORE. */
int32_t zl_copy_thread_kind(const zl_copy *c);

/* Whether st.async has this number of bytes. */
static inline bool zl_copy_sends(uint64_t bytes)
{
    return bytes == 4 || bytes == 8 || bytes == 16;
}

/* Whether accesses of v elements along a mode (tile.modes: none) are aligned
 * on a side wherever one begins a whole number of them after an aligned
 * one. */
bool zl_copy_aligned(const zl_copy *c, int side, uint32_t run, uint64_t v);

/* Elements of 2^log bytes that a thread may load or store along a mode; 0:
 * none. */
uint32_t zl_copy_vector(const zl_copy *c, int side, uint32_t run, uint32_t log);
uint32_t zl_copy_run(const zl_copy *c, int side);
bool zl_copy_in_phase(const zl_copy_tile *t, uint64_t v);

/* The widest access that both sides have, and why they do not have the next
 * wider one. */
void zl_copy_widest(const zl_copy *c, zlay_move_widest *out);

/* The whole tile as one part. */
void zl_copy_whole(const zl_copy *c, zl_move_part *out);

/* The parts of a way, without digits: ZLAY_NONE where it leaves elements that
 * nothing can move. */
zlay_status zl_copy_cut(const zl_copy *c, zl_copy_plan *plan);

/* Whether no access of a way along one run is whole and aligned, so that the
 * whole run is moved as ends are: `ends` is the widest way for them. */
bool zl_copy_ends_alone(const zl_copy *c, const zl_copy_way *way, zl_copy_way *ends);

/* Chooses the lanes of a part with the least cost and returns it; UINT64_MAX:
 * more than `most`. */
uint64_t zl_copy_lanes(const zl_copy *c, const zl_copy_way *way, zl_move_part *part,
                       zl_copy_lane_bits *best, uint64_t most);

/* The size 2^k of the groups of lanes that a target serves together in any
 * order: returns k for the way's access to a side, whose addresses differ
 * unless they are `shared`; 0: the order of lanes matters. */
uint32_t zl_copy_phase_bits(const zl_copy *c, const zl_copy_way *way, int side, bool shared);

/* Sets the block of a way whose accesses lie along its runs. */
void zl_copy_block(zl_copy_way *way);

/* Selects counts; the others are 0. */
enum {
    ZL_COUNT_SOURCE = 1 << ZL_SOURCE,
    ZL_COUNT_DEST = 1 << ZL_DEST,
    ZL_COUNT_PERMUTES = 4,
    ZL_COUNT_COST = 7,
    ZL_COUNT_LINES = 8, /* of the selected sides; they cost nothing */
    ZL_COUNT_ALL = 15
};

/* Counts sectors, wavefronts and instructions of a part whose lanes are set. */
void zl_copy_count(const zl_copy *c, const zl_copy_way *way, zl_move_part *part,
                   const zl_copy_lane_bits *lanes, uint32_t what);

/* Makes the digits of a part: values, lanes, warps and accesses, for given
 * lanes. */
void zl_copy_digits(const zl_copy *c, zl_move_part *part, const zl_copy_way *way,
                    const zl_copy_lane_bits *lanes);

uint64_t zl_copy_cost(const zl_copy_way *way, const zl_move_part *part);

/* Instructions of a thread that put the bytes of so many elements into
 * order. */
uint64_t zl_copy_permutes(const zl_copy *c, const zl_copy_way *way, uint64_t elements);

/* Whether one instruction both reads and writes. */
bool zl_copy_is_one(const zl_copy_way *way);

/* The name of an access to shared memory for zlay_bank_find; `one` instruction
 * reads and writes. */
void zl_copy_bank_name(char name[32], bool ptx, bool store, bool one, uint32_t bytes);

/* Finds the accesses to shared memory of a way, before it is counted. */
void zl_copy_bank(const zl_copy *c, zl_copy_way *way);

/* A lower bound for parts of so many elements by this way that access at least
 * so many sectors of each side. */
uint64_t zl_copy_bound(const zl_copy *c, const zl_copy_way *way, uint64_t points,
                       const uint64_t sectors[ZL_SIDES]);

/* A lower bound for plans of the tile whose widest accesses are those of a
 * way; its ends may be narrower, and need not order bytes. */
uint64_t zl_copy_way_bound(const zl_copy *c, const zl_copy_way *way);

/* Elements of the widest access of a side that the target and its base
 * allow. */
uint64_t zl_copy_widest_vector(const zl_copy *c, int side);

/* The same, of those that the tile's elements there fill, whatever the other
 * side does. */
uint64_t zl_copy_side_vector(const zl_copy *c, int side);

/* A lower bound for plans by loads and stores or by cp.async, whose accesses
 * have at most so many elements on each side. UINT64_MAX: none of these paths
 * may be used. */
uint64_t zl_copy_any_bound(const zl_copy *c, const uint64_t vector[ZL_SIDES]);

/* Bytes of shared memory that one wavefront moves at most. */
uint32_t zl_copy_row_bytes(const zl_copy *c);

/* A lower bound for the counts that ZL_COUNT_* name, of shared memory alone. */
uint64_t zl_copy_least(const zl_copy *c, const zl_copy_way *way, uint64_t points, uint32_t what);

/* The number of sectors of a side that a part accesses, each counted once; 0:
 * not known. */
uint64_t zl_copy_sectors(const zl_copy *c, const zl_move_part *part, int side);

/* Replaces a histogram of offsets modulo m, a power of two, by the sum of its
 * shifts by 0, 1, .., extent - 1 steps; m more numbers behind it are scratch
 * room. */
void zl_copy_spread(uint64_t *histogram, uint64_t m, uint64_t extent, int64_t step);

/* The period, in elements, after which the counts of an access repeat. */
uint64_t zl_copy_period(const zl_copy *c, int side);

/* Makes the layouts of the move: which thread moves which element, and the
 * certificates. */
zlay_status zl_copy_threads(zl_copy *c, const zl_move_part *part, zlay_layout **out);
zlay_status zl_copy_prove(zl_copy *c, const zl_copy_plan *plan, zlay_move *move);

/* zlay_copy_synth as a part of a call (zl_enter_part). */
zlay_status zl_copy_synth(zlay_ctx *ctx, zlay_move **out, const zlay_target *target,
                          const zlay_copy_request *request);

static inline uint32_t zl_copy_bytes(const zl_copy *c, uint64_t elements)
{
    return (uint32_t)(elements * c->bits / 8);
}

static inline bool zl_is_shared(int32_t space)
{
    return space == ZLAY_MOVE_SHARED || space == ZLAY_MOVE_PEER;
}

#endif
