/* SPDX-License-Identifier: Apache-2.0 */
/* A tile as a sequence of chunks of 16 bytes in shared memory, and copies as
 * intervals of it.
 *
 * A copy writes whole chunks from whole chunks, at an address that is a
 * multiple of 128 bytes. So in the order of shared memory before the swizzle,
 * a copy is an interval that begins at a line of eight chunks. The *key* of a
 * chunk says where it comes from: the chunk of global memory, and its place
 * along each axis that has edges. An interval is a box exactly when its keys
 * are those of a nested loop. To find the copies of a tile is thus to cover a
 * sequence by such intervals. */
#ifndef ZL_SYNTH_TENSORMAP_COVER_H
#define ZL_SYNTH_TENSORMAP_COVER_H

#include "synth/tensormap/dims.h"

enum { ZL_LINE_CHUNKS = ZL_LINE / ZL_CHUNK, ZL_PLACES_MOST = 1024 };

enum { ZL_THERE = 1, ZL_SWAPPED = 2 };

/* The bytes of a chunk, one bit each, that a tile at the end of axes has inside
 * the tensor, and those that it has outside, where 0 is wanted. */
typedef struct zl_ends {
    uint16_t in, out;
} zl_ends;

typedef struct zl_chunks {
    const zl_tm *t;
    const zl_ends *ends; /* `tiles` arrays, each of all chunks; or NULL */
    uint32_t tiles;
    uint64_t cells;       /* of the tile */
    uint64_t count;       /* chunks, in whole lines */
    uint64_t wanted;      /* chunks that the tile wants */
    uint32_t width;       /* numbers of a key: global chunk, then places */
    uint32_t axis[ZL_TM_AXES]; /* axes with edges */
    uint64_t group[ZL_TM_AXES]; /* cells of an axis that are one place: whole 16
                                   bytes, and no edge falls between them */
    int64_t *key;
    uint8_t *there;       /* ZL_THERE: wanted; ZL_SWAPPED: halves swapped */
    bool swaps;           /* some chunk is wanted with swapped halves */
    bool keep;            /* no copy may write an unwanted chunk */
    bool holes;           /* unwanted chunks lie between wanted ones */
    bool slices;          /* interleaved maps are searched: no axis has edges */
    uint64_t below[ZL_TM_AXES]; /* cells of all axes before each */
    int64_t weight[ZL_TM_AXES + 1];
    int64_t *plain[ZL_SWIZZLES]; /* for each swizzle, the weighed sums of all
                                    keys in the order before it; NULL where
                                    there are holes */
    uint64_t run_unit[ZL_SWIZZLES]; /* with plain: chunks of a row */
    uint32_t *run[ZL_SWIZZLES];     /* with plain: for each row, how many rows
                                       from it on follow by one way */
    uint32_t *adjacent[ZL_SWIZZLES]; /* with plain, without edges: chunks from
                                        each on that are adjacent in global
                                        memory */
    struct zl_legal_memo *memo;  /* a cache: which boxes are legal */
    int64_t *global, *shared; /* elements, of each cell */
} zl_chunks;

/* Makes all chunks of a tile. ZLAY_NONE names the first byte that no copy
 * brings; ZLAY_ELIMIT, ZLAY_ENOMEM. */
zlay_status zl_chunks_make(zl_chunks *out, const zl_tm *t);

/* ---- boxes that begin at a line ------------------------------------------------------------ */

/* All boxes with one beginning, swizzle and row: nested levels of blocks. */
typedef struct zl_chain {
    const zl_chunks *c;
    uint64_t start; /* the first chunk */
    int32_t swizzle;
    uint64_t row;    /* swizzled: chunks of a span that are written */
    int32_t slice;   /* 1, 2: chunks of a slice; then `row` is the span */
    bool gaps;       /* what lies behind a narrow row need not follow, though all of it is plain */
    uint32_t levels; /* each a dimension of a map, so no more than one has are looked for */
    uint64_t unit[ZL_TM_RANK], extent[ZL_TM_RANK]; /* chunks of a block; blocks */
    int64_t way[ZL_TM_RANK][ZL_TM_AXES + 1]; /* next block's key - this */
    int64_t first[ZL_TM_AXES + 1]; /* first chunk's key; may be a hole */
    uint64_t row_wanted; /* chunks of a row behind which every row has holes
                            that are written, but not read; or 0 */
    uint16_t shape[ZL_TM_RANK]; /* over holes: lengths of the levels; else 0 */
} zl_chain;

/* The place that a swizzle gives a chunk; and the key of the chunk at that
 * place. *there: the tile wants it, with its halves as the swizzle puts
 * them. */
static inline uint64_t zl_chunk_place(uint64_t chunk, int32_t swizzle)
{
    return chunk ^ zl_tm_flip(swizzle, chunk / ZL_LINE_CHUNKS);
}

static inline const int64_t *zl_chunk_key(const zl_chunks *c, int32_t swizzle, uint64_t chunk,
                                          bool *there)
{
    uint64_t at = zl_chunk_place(chunk, swizzle);
    bool swapped = c->there[at] & ZL_SWAPPED;
    *there = c->there[at] && swapped == zl_tm_swaps(swizzle, chunk / ZL_LINE_CHUNKS);
    return c->key + at * c->width;
}

/* Makes a chain from its chunks, start, swizzle and row. */
void zl_chain_make(zl_chain *h);

/* Sets row_wanted from the levels of a chain. */
void zl_chain_trim(zl_chain *h);

/* zl_chain_make for a chain over holes with a given shape; false: there is no
 * such box. */
bool zl_chain_shape(zl_chain *h);

/* Chunks that the first `chunks` of a chain write; those behind narrow rows are
 * not written. */
uint64_t zl_chain_written(const zl_chain *h, uint64_t chunks);

/* Whether the tile wants some chunk of a line. */
bool zl_chunks_wanted(const zl_chunks *c, uint64_t line);

/* Whether copies may have a swizzle. */
static inline bool zl_chunks_use(const zl_chunks *c, int32_t swizzle)
{
    const zlay_tensormap_request *r = &c->t->request;
    if (!c->t->may[swizzle]) return false;
    if (swizzle == ZL_SWIZZLE_FLIP && !c->swaps && !r->swizzle_given) return false;
    return !r->swizzle_given || r->swizzle == swizzle;
}

/* Visits all chains that begin at a line. For each usable swizzle: rows as wide
 * as the first one wants, rows of the whole span, and slices; also rows of at
 * most `narrow` chunks, which leave parts of a line to other boxes. */
typedef void zl_chain_visit(void *env, const zl_chain *h);
void zl_chunks_chains(const zl_chunks *c, uint64_t line, uint64_t narrow, zl_chain_visit *visit,
                      void *env);

/* Visits the other chains of rows of at most `narrow` chunks, where keys are
 * plain: these compare the rows only, and those of zl_chunks_chains compare
 * also what lies between the rows. */
void zl_chunks_gaps(const zl_chunks *c, uint64_t line, uint64_t narrow, zl_chain_visit *visit,
                    void *env);

/* Whether boxes over holes are searched: the request has a shared layout, and
 * holes may be written. */
bool zl_chunks_over_holes(const zl_chunks *c);

/* Visits all chains over holes that begin at a line, also at a hole, in at most
 * *left steps, which it counts down. *ended is set where not all were tried
 * (several/shapes.c). */
enum { ZL_SHAPE_STEPS = 1 << 18 };
void zl_chunks_shapes(const zl_chunks *c, uint64_t line, zl_chain_visit *visit, void *env, uint64_t *left,
                      bool *ended);

/* Proves that no box of a tiled or interleaved map contains a chunk and brings
 * what the tile wants up to it; in at most *left steps, which it counts down.
 * False: not proved. */
bool zl_chunks_no_shape(const zl_chunks *c, uint64_t chunk, uint64_t *left);

/* Makes the box of so many blocks of a level; false: no map has such steps. */
bool zl_chain_box(zl_tm_box *out, const zl_chain *h, uint32_t level, uint64_t blocks);

/* Whether a map can have a box, and move it from tile to tile. */
bool zl_chunks_legal(const zl_chunks *c, const zl_tm_box *box);

/* The same for so many blocks of a level; and the most blocks of it that are
 * legal, 0: none. Answers are cached for boxes with equal steps. */
bool zl_chain_legal(const zl_chain *h, uint32_t level, uint64_t blocks);
uint64_t zl_chain_longest(const zl_chain *h, uint32_t level);
zlay_status zl_legal_begin(zl_chunks *c);

/* The rows of walks with a swizzle that are visited: as wide as its span; the
 * widest possible and one chunk; all between too. */
typedef enum zl_widths { ZL_WIDTHS_SPAN, ZL_WIDTHS_ENDS, ZL_WIDTHS_ALL } zl_widths;

/* Whether the bound of a tile counts only boxes whose rows have no gaps
 * (bound.c); and the chunk of a line that only such boxes bring. */
bool zl_chunks_gapless(const zl_chunks *c);
static inline uint64_t zl_chunk_firm(uint64_t line)
{
    return (ZL_LINE_CHUNKS - 1) ^ line % ZL_LINE_CHUNKS;
}

/* Visits walks of pixels that begin at a line: for each usable swizzle, chains
 * whose `row` is a pixel; without a swizzle, of each width that divides the
 * widest. */
void zl_chunks_columns(const zl_chunks *c, uint64_t line, zl_widths widths, zl_chain_visit *visit,
                       void *env);

/* The most rows of a walk; 0: it has fewer than `least`. *ended is set where
 * not all walks were tried. */
uint64_t zl_columns_rows(const zl_chain *h, uint64_t least, bool *ended);

/* For walks: the chunks from the first to the last of so many rows; the fewest
 * rows, at least 2, with so many chunks; the number of which all row counts
 * that end with a line are multiples; whether rows end with a line; the
 * box. */
uint64_t zl_columns_chunks(const zl_chain *h, uint64_t rows);
uint64_t zl_columns_least(const zl_chain *h, uint64_t chunks);
uint64_t zl_columns_line(const zl_chain *h);
bool zl_columns_ends(const zl_chain *h, uint64_t rows);
bool zl_columns_box(zl_tm_box *out, const zl_chain *h, uint64_t count);

/* Visits the boxes of a walk: of `rows` rows, of `by` more, and so on, up to the
 * first number of rows that is no walk. */
typedef void zl_walk_visit(void *env, const zl_chain *h, const zl_tm_box *box);
void zl_columns_boxes(const zl_chain *h, uint64_t rows, uint64_t by,
                      zl_walk_visit *visit, void *env);

/* A box that begins at a line, by its lengths. */
typedef struct zl_length {
    uint64_t start, row, blocks;
    int32_t swizzle, slice;
    uint32_t level, pixels; /* pixels: of a walk */
    bool gaps;
    uint16_t shape[ZL_TM_RANK];
} zl_length;

bool zl_length_box(zl_tm_box *out, const zl_chunks *c, const zl_length *length);

/* A reading: a box that brings the same as box `of` of a cover. */
typedef struct zl_reading {
    zl_tm_box box;
    uint32_t of;
} zl_reading;

/* Chooses a reading of each box, of at most 64, such that the fewest maps
 * suffice; of as many, those of the least rank. Each box has a reading. */
zlay_status zl_readings_share(const zl_tm *t, zl_tm_box *box, uint32_t boxes,
                              const zl_reading *reading, uint32_t count);

/* Boxes of a cover. */
typedef struct zl_cover {
    zl_tm_box *box;
    uint32_t boxes;
    uint64_t chunks; /* that they write */
    bool least;      /* proved: least boxes, then least chunks written */
} zl_cover;

/* How far boxes reach, also by parts of lines, and a lower bound of the boxes
 * of a cover (bound.c). */
typedef struct zl_bound {
    uint64_t lines;
    uint64_t *part; /* the first line of which no box brings any that begins at each line or earlier */
    uint64_t *own;  /* the same of boxes that begin at the line itself, or a greater number */
    uint64_t *need; /* boxes that the wanted lines from each on take, at least */
    uint64_t boxes; /* no cover has fewer; 0: none is known */
} zl_bound;

/* What a box that begins at a line must bring, if its cover has as many boxes
 * as the bound says. */
typedef struct zl_beginning {
    bool may;        /* such a box may begin there */
    uint64_t line;   /* it brings all of this line that is wanted, */
    uint64_t chunks; /* and ends behind so many chunks, at least */
} zl_beginning;

/* Makes room for a bound; ZLAY_ENOMEM. */
zlay_status zl_bound_begin(zl_bound *out, const zl_chunks *c);

/* Computes `need` of each line from the lines that boxes which begin there or
 * earlier reach. */
void zl_need_fill(uint64_t *need, const zl_chunks *c, const uint64_t *reach);

/* What a box at `line` must bring, for a cover with as many boxes as the
 * bound. */
void zl_bound_from(const zl_bound *b, const zl_chunks *c, uint64_t line, zl_beginning *out);

/* Finds the least cover by boxes that each bring whole lines, and a lower bound
 * for all covers, also by parts of lines. ZLAY_NONE: there is no cover by whole
 * lines. */
zlay_status zl_chunks_path(const zl_chunks *c, zl_cover *out, zl_bound *bound);

/* Finds the least cover by boxes that may bring parts of lines, where the tile
 * is small or `than` is given. The result is less than `than`, or it is
 * `than`. ZLAY_NONE names a byte that no box brings; ZLAY_ELIMIT: the search
 * ended first. */
zlay_status zl_chunks_places(const zl_chunks *c, zl_cover *out, const zl_cover *than,
                             const zl_bound *bound);

/* Whether zl_chunks_exact finds covers as small as a known one; and one of
 * these covers, whose copies share maps. ZLAY_ELIMIT: a limit of the ctx ended
 * it. */
bool zl_chunks_are_exact(const zl_chunks *c, const zl_cover *than, const zl_bound *bound);
zlay_status zl_chunks_exact(const zl_chunks *c, zl_cover *out, const zl_cover *than,
                            const zl_bound *bound);

/* Finds the least cover by all searches. */
zlay_status zl_chunks_cover(const zl_chunks *c, zl_cover *out);

/* Makes the certificate of a move of several copies. */
zlay_status zl_chunks_certify(const zl_chunks *c, zlay_move *move);

#endif
