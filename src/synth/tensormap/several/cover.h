/* SPDX-License-Identifier: Apache-2.0 */
/* A tile as a sequence of chunks of 16 bytes in shared memory, and copies as intervals of it.
 *
 * A copy writes whole chunks from whole chunks, at an address that is a multiple of 128 bytes: in
 * the order of shared memory before the swizzle it is an interval that begins with a line of eight
 * chunks. Where a chunk comes from is its *key*: the chunk of global memory, and its place along
 * each axis that has edges. An interval is a box exactly where its keys are those of a nested
 * loop. Finding the copies of a tile is thus a covering problem of a sequence by such intervals.
 */
#ifndef ZL_SYNTH_TENSORMAP_COVER_H
#define ZL_SYNTH_TENSORMAP_COVER_H

#include "synth/tensormap/dims.h"

enum { ZL_LINE_CHUNKS = ZL_LINE / ZL_CHUNK, ZL_PLACES_MOST = 1024 };

enum { ZL_THERE = 1, ZL_SWAPPED = 2 };

/* Bytes of a chunk, a bit each, that some tile at the end of axes with edges has inside the tensor, and
 * outside of it, where 0 is wanted. */
typedef struct zl_ends {
    uint16_t in, out;
} zl_ends;

typedef struct zl_chunks {
    const zl_tm *t;
    const zl_ends *ends; /* of `tiles` tiles, one after the other, each of all chunks; NULL: not asked */
    uint32_t tiles;
    uint64_t cells;       /* of the tile */
    uint64_t count;       /* chunks, in whole lines */
    uint64_t wanted;      /* of them those that the tile wants */
    uint32_t width;       /* numbers of a key: the global chunk, then a place an axis of `axis` */
    uint32_t axis[ZL_TM_AXES]; /* axes with edges */
    uint64_t group[ZL_TM_AXES]; /* cells of each that are one place: whole 16 bytes, and no edge falls
                                   between them */
    int64_t *key;
    uint8_t *there;       /* ZL_THERE: the tile wants it; ZL_SWAPPED: its halves in the other order */
    bool swaps;           /* of some chunk */
    bool keep;            /* no copy may write a chunk that it does not want, or otherwise */
    bool holes;           /* between chunks that it wants are others */
    bool slices;          /* of interleaved maps are searched: nothing has edges */
    uint64_t below[ZL_TM_AXES]; /* cells of the axes before each, in the order of the index */
    int64_t weight[ZL_TM_AXES + 1];
    int64_t *plain[ZL_SWIZZLES]; /* where nothing is a hole: the weighed sum of each key, for each
                             swizzle in the order before it; else NULL */
    uint64_t run_unit[ZL_SWIZZLES]; /* of these, chunks of a row, and for each row how many */
    uint32_t *run[ZL_SWIZZLES];     /* follow one another by one way */
    struct zl_legal_memo *memo;  /* boxes of which it is known whether they are legal */
    int64_t *global, *shared; /* elements, of each cell */
} zl_chunks;

/* All chunks of a tile: ZLAY_NONE with the first byte that no copy brings; ELIMIT, ENOMEM. */
zlay_status zl_chunks_make(zl_chunks *out, const zl_tm *t);

/* ---- boxes that begin at a line ------------------------------------------------------------ */

typedef struct zl_chain {
    const zl_chunks *c;
    uint64_t start; /* chunk */
    int32_t swizzle;
    uint64_t row;    /* chunks of a span that rows of a swizzle write; else 0 */
    int32_t slice;   /* 1, 2: chunks of a slice; then `row` is the span */
    bool gaps;       /* what lies behind a narrow row need not follow, though all of it is plain */
    uint32_t levels; /* each a dimension of a map, so no more than one has are looked for */
    uint64_t unit[ZL_TM_RANK], extent[ZL_TM_RANK]; /* chunks of a block; blocks */
    int64_t way[ZL_TM_RANK][ZL_TM_AXES + 1]; /* key of the next block less this one's */
    int64_t first[ZL_TM_AXES + 1];           /* key of the first chunk, which may be a hole */
    uint64_t row_wanted; /* chunks of a row behind which all rows have holes, which are written, but not
                            read from the tensor; 0: not so */
    uint16_t shape[ZL_TM_RANK]; /* lengths of the levels of one over holes; shape[0] is 0 of others */
} zl_chain;

/* The place that a swizzle gives a chunk; the key of the chunk that is there, if it is wanted with its
 * halves as the swizzle puts them. */
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

/* From its chunks, start, swizzle and row. */
void zl_chain_make(zl_chain *h);

/* What all rows of a chain want, from its levels. */
void zl_chain_trim(zl_chain *h);

/* The same of one over holes, and its shape; false: it is none. */
bool zl_chain_shape(zl_chain *h);

/* Chunks that the first `chunks` of a chain write; those behind narrow rows are not. */
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

/* All chains that begin at a line: of each swizzle that may be used rows as wide as the first one
 * wants and as the span, and slices; and rows of at most `narrow` chunks, which leave some of a line to
 * others. */
typedef void zl_chain_visit(void *env, const zl_chain *h);
void zl_chunks_chains(const zl_chunks *c, uint64_t line, uint64_t narrow, zl_chain_visit *visit,
                      void *env);

/* Where keys are plain, those have not all boxes of narrow rows, for they compare what lies between
 * rows too. These are chains of rows of at most `narrow` chunks that compare the rows alone. */
void zl_chunks_gaps(const zl_chunks *c, uint64_t line, uint64_t narrow, zl_chain_visit *visit,
                    void *env);

/* Whether boxes over holes are searched: where the shared layout is given and holes may be written. */
bool zl_chunks_over_holes(const zl_chunks *c);

/* All chains over holes that begin at a line, whose first chunk may be one: at most `*left` steps, which
 * are taken from it; `*ended` where not all were tried (several/shapes.c). */
enum { ZL_SHAPE_STEPS = 1 << 18 };
void zl_chunks_shapes(const zl_chunks *c, uint64_t line, zl_chain_visit *visit, void *env, uint64_t *left,
                      bool *ended);

/* Whether no tiled or interleaved map brings what the tile wants up to a chunk in one box that has the
 * chunk: proved, by at most `*left` steps, which are taken from it. */
bool zl_chunks_no_shape(const zl_chunks *c, uint64_t chunk, uint64_t *left);

/* So many blocks of a level as a box; false: no map steps as they do. */
bool zl_chain_box(zl_tm_box *out, const zl_chain *h, uint32_t level, uint64_t blocks);

/* Whether a map has room for a box, and moves it as the tiles do. */
bool zl_chunks_legal(const zl_chunks *c, const zl_tm_box *box);

/* The same of so many blocks of a level, and the most blocks of it that are; 0: none.  Asked once for
 * all that walk alike. */
bool zl_chain_legal(const zl_chain *h, uint32_t level, uint64_t blocks);
uint64_t zl_chain_longest(const zl_chain *h, uint32_t level);
zlay_status zl_legal_begin(zl_chunks *c);

/* Rows of walks with a swizzle: as wide as its span; the widest that there is and one of a chunk; all
 * between too. */
typedef enum zl_widths { ZL_WIDTHS_SPAN, ZL_WIDTHS_ENDS, ZL_WIDTHS_ALL } zl_widths;

/* Whether the bound of a tile is that of boxes whose rows have no gaps (bound.c); then the chunk of a
 * line that only such boxes bring. */
bool zl_chunks_gapless(const zl_chunks *c);
static inline uint64_t zl_chunk_firm(uint64_t line)
{
    return (ZL_LINE_CHUNKS - 1) ^ line % ZL_LINE_CHUNKS;
}

/* Walks of pixels that begin at a line: of each swizzle that may be used chains whose `row` is that of a
 * pixel; without a swizzle of each width that divides the widest. */
void zl_chunks_columns(const zl_chunks *c, uint64_t line, zl_widths widths, zl_chain_visit *visit,
                       void *env);

/* The most rows of a walk; 0: it has fewer than `least`. `*ended` where not all ways to walk were tried. */
uint64_t zl_columns_rows(const zl_chain *h, uint64_t least, bool *ended);

/* Chunks from the first to the last one of so many rows; the fewest rows, at least 2, that have so
 * many chunks; the number that all rows which end with a line are multiples of; whether rows do;
 * these rows as a box. */
uint64_t zl_columns_chunks(const zl_chain *h, uint64_t rows);
uint64_t zl_columns_least(const zl_chain *h, uint64_t chunks);
uint64_t zl_columns_line(const zl_chain *h);
bool zl_columns_ends(const zl_chain *h, uint64_t rows);
bool zl_columns_box(zl_tm_box *out, const zl_chain *h, uint64_t count);

/* A box that begins at a line, by its lengths. */
typedef struct zl_length {
    uint64_t start, row, blocks;
    int32_t swizzle, slice;
    uint32_t level, pixels; /* pixels: of a walk */
    bool gaps;
    uint16_t shape[ZL_TM_RANK];
} zl_length;

bool zl_length_box(zl_tm_box *out, const zl_chunks *c, const zl_length *length);

/* A way to bring what the `of`-th box of a cover brings. */
typedef struct zl_reading {
    zl_tm_box box;
    uint32_t of;
} zl_reading;

/* Choose a reading of each box, at most 64, such that the fewest maps do; of as many those of the
 * least rank.  Each box has a reading. */
zlay_status zl_readings_share(const zl_tm *t, zl_tm_box *box, uint32_t boxes,
                              const zl_reading *reading, uint32_t count);

/* Boxes of a cover. */
typedef struct zl_cover {
    zl_tm_box *box;
    uint32_t boxes;
    uint64_t chunks; /* that they write */
    bool least;      /* proved: no fewer boxes, and of as many none that write less */
} zl_cover;

/* How far boxes reach, whatever part of a line they bring, and how many that takes (bound.c). */
typedef struct zl_bound {
    uint64_t lines;
    uint64_t *part; /* the first line of which no box brings any that begins at each line or earlier */
    uint64_t *own;  /* the same of boxes that begin at the line itself, or a greater number */
    uint64_t *need; /* boxes that the wanted lines from each on take, at least */
    uint64_t boxes; /* no cover has fewer; 0: none is known */
} zl_bound;

/* What a box that begins at a line brings, where no cover has fewer boxes than its cover. */
typedef struct zl_beginning {
    bool may;        /* such a box may begin there */
    uint64_t line;   /* it brings all of this line that is wanted, */
    uint64_t chunks; /* and ends behind so many chunks, at least */
} zl_beginning;

/* Room for all; ENOMEM. */
zlay_status zl_bound_begin(zl_bound *out, const zl_chunks *c);

/* `need` of each line by what the boxes that begin there or earlier reach. */
void zl_need_fill(uint64_t *need, const zl_chunks *c, const uint64_t *reach);

/* Of a bound that has boxes, and a cover of as many. */
void zl_bound_from(const zl_bound *b, const zl_chunks *c, uint64_t line, zl_beginning *out);

/* The least cover by boxes that each bring whole lines, and a bound of all covers, whatever part of a
 * line their boxes bring.  ZLAY_NONE there is no such cover. */
zlay_status zl_chunks_path(const zl_chunks *c, zl_cover *out, zl_bound *bound);

/* The least cover, whatever part of a line its boxes bring, where the tile is small or `than` is
 * given: ZLAY_NONE with a byte that no box brings; ELIMIT the search ended before.  Taken only where it
 * is less than `than`, or proved. */
zlay_status zl_chunks_places(const zl_chunks *c, zl_cover *out, const zl_cover *than,
                             const zl_bound *bound);

/* Whether zl_chunks_exact finds covers like one that is known; one of them, whose copies share maps,
 * where the limits of the ctx allow it: else ELIMIT. */
bool zl_chunks_are_exact(const zl_chunks *c, const zl_cover *than, const zl_bound *bound);
zlay_status zl_chunks_exact(const zl_chunks *c, zl_cover *out, const zl_cover *than,
                            const zl_bound *bound);

/* The least of all. */
zlay_status zl_chunks_cover(const zl_chunks *c, zl_cover *out);

/* The certificate of a move of several copies. */
zlay_status zl_chunks_certify(const zl_chunks *c, zlay_move *move);

#endif
