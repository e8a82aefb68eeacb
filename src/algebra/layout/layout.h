/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts inside: one immutable block of memory a layout, and what operations pass between them.
 *
 * A profile is kept on its leaves: `open` parentheses stand before a leaf and `close` after it, so
 * (4,(2,2)) is 4 with (1,0), 2 with (1,0), 2 with (0,2).  Two profiles are congruent when these
 * counts are equal, and nothing that walks a profile needs a stack. */
#ifndef ZL_ALGEBRA_LAYOUT_H
#define ZL_ALGEBRA_LAYOUT_H

#include "base/base.h"
#include <zlay/layout.h>

/* ---- modes: a shape:stride that is being made --------------------------- */

typedef struct zl_mode {
    int64_t shape, stride;
    uint32_t open, close;
} zl_mode;

enum { ZL_MODES_OWN = 16 }; /* so that small layouts cost no allocation on the way */

typedef struct zl_modes {
    zlay_ctx *ctx;
    zl_mode *at;
    size_t count, room;
    size_t free; /* modes up to here are put without a look at room and limits.dims */
    int64_t offset;
    zl_mode own[ZL_MODES_OWN];
} zl_modes;

/* Modes that neither the room nor limits.dims refuses. */
static inline size_t zl_modes_granted(const zl_modes *m)
{
    uint64_t limit = zl_limits(m->ctx)->dims;
    return m->room < limit ? m->room : (size_t)limit;
}

static inline void zl_modes_begin(zl_modes *m, zlay_ctx *ctx)
{
    m->ctx = ctx;
    m->at = m->own;
    m->count = 0;
    m->room = ZL_MODES_OWN;
    m->free = zl_modes_granted(m);
    m->offset = 0;
}

void zl_modes_drop(zl_modes *m); /* frees modes of a block, and begins anew */

static inline void zl_modes_end(zl_modes *m)
{
    m->count = 0;
    m->offset = 0;
    if (m->at != m->own) zl_modes_drop(m);
}

zlay_status zl_modes_put(zl_modes *m, zl_mode mode); /* ELIMIT past limits.dims */

static inline zlay_status zl_modes_leaf(zl_modes *m, int64_t shape, int64_t stride)
{
    if (m->count >= m->free) return zl_modes_put(m, (zl_mode){shape, stride, 0, 0});
    m->at[m->count++] = (zl_mode){shape, stride, 0, 0};
    return ZLAY_OK;
}

zlay_status zl_modes_append(zl_modes *m, const zl_mode *modes, size_t count);

/* Take back ZLAY_ELIMIT and its message: another road is open. */
zlay_status zl_unless_limit(zlay_ctx *ctx, zlay_status status);

/* The same function in the fewest modes, without parentheses.  `unbounded` keeps the function on
 * every integer, where the last mode goes on for ever: it stays although its extent may be 1. */
zlay_status zl_coalesce_modes(zl_modes *out, const zl_mode *modes, size_t count, bool unbounded);

/* Put parentheses around the modes from `first` on. */
void zl_modes_wrap(zl_modes *m, size_t first);

/* The modes after i of the part that opens `depth` parentheses at i: one past its last. */
size_t zl_part_end(const zl_mode *modes, size_t i, uint32_t depth);

/* ---- swizzles and F2 ----------------------------------------------------- */

typedef struct zl_swizzle {
    int32_t bits, base, shift; /* bits 0: the identity */
} zl_swizzle;

zlay_status zl_swizzle_check(zlay_ctx *ctx, int32_t bits, int32_t base, int32_t shift);

static inline int64_t zl_swizzle_at(zl_swizzle s, int64_t value)
{
    uint64_t v = (uint64_t)value, mask = ((uint64_t)1 << s.bits) - 1;
    if (!s.bits) return value;
    uint64_t flip = s.shift >= 0 ? (v >> (s.base + s.shift) & mask) << s.base
                                 : (v >> s.base & mask) << (s.base - s.shift);
    return (int64_t)(v ^ flip);
}

/* The first and the last bit that the swizzle reads are in `set`, the bits that values have:
 * without one of them a swizzle of fewer bits does the same to these values. */
bool zl_swizzle_ends(zl_swizzle s, uint64_t set);

/* The bits below which the swizzle reads and writes; the identity has 0. */
static inline unsigned zl_swizzle_top(zl_swizzle s)
{
    return s.bits ? (unsigned)(s.bits + s.base + (s.shift < 0 ? -s.shift : s.shift)) : 0;
}

/* The next swizzle of bits below `top`, from the identity on; false at the end. */
bool zl_swizzle_next(zl_swizzle *s, int top);

typedef struct zl_dim {
    char name[68]; /* at most 64 and a final 0 */
    uint32_t bits;
    uint64_t size; /* of an output that is no power of two; else 0, and the size is 2^bits */
} zl_dim;

/* Named dimensions around a matrix.  A value is packed, the first output in its low bits; where
 * every output's size is a power of two it is also flat. */
typedef struct zl_f2 {
    size_t ins, outs;
    const zl_dim *in, *out;
    const uint64_t *basis; /* one a bit of the index, low first */
} zl_f2;

unsigned zl_dim_bits(const zl_dim *dim, size_t count);

/* ---- pieces --------------------------------------------------------------- */

/* Pieces: guarded quasi-affine forms over a box.
 *
 * Variables are numbered: the parameters, the coordinates of the box, then the floor divisions.  A
 * row is an affine form of them, the constant first: row[0] + sum of row[1 + v] * variable v.
 * Division q is floor(div[q] / den[q]) and its row has variables before it only.  So x mod n is
 * x - n floor(x / n), bit k of x is floor(x / 2^k) - 2 floor(x / 2^(k+1)), and a congruence is an
 * equality.  A point of the box is defined where one guard holds; no two hold anywhere.
 *
 * As text they are isl's: `{ [i0] -> [2i0] : 0 <= i0 < 3; ... }`.  Its box is the hull of its
 * domain, the least corner coordinate 0; where cells without a value lie at the border (a padded
 * layout), the text ends in `# box 10,4`, a comment to isl, and the coordinates are those of that
 * box.
 *
 * The example `{ [i] -> [2i] : i < 3; [i] -> [i mod 2] : i >= 3 }` on a box of 5:
 *   dims 1, divs 1, extent {5}, div {0, 1, 0}, den {2}, a row is {constant, i, floor(i / 2)},
 *   piece 0: guard 2 - i >= 0, value {0, 2, 0}; piece 1: guard i - 3 >= 0, value {0, 1, -2}. */
typedef struct zl_piece {
    size_t equals, leasts; /* rows of the guard: row == 0 first, then row >= 0 */
    const int64_t *guard;
    const int64_t *value;  /* a row an output */
} zl_piece;

typedef struct zl_pieces {
    size_t params, dims, divs, outs, count;
    const zl_name *param;
    const uint64_t *extent; /* of the box, a dim each, the first fastest; 0: needs the parameters */
    const uint64_t *out_size; /* an output each; 0: not known, or a value is negative */
    const int64_t *div, *den; /* den >= 2 */
    const zl_piece *piece;
} zl_pieces;

enum { ZL_PIECE_VARIABLES = 256 }; /* parameters, dims and divisions of one layout */

/* Entries of a row. */
static inline size_t zl_pieces_width(const zl_pieces *p)
{
    return 1 + p->params + p->dims + p->divs;
}

/* Every output has a size. */
static inline bool zl_pieces_sized(const zl_pieces *p)
{
    for (size_t i = 0; i < p->outs; i++)
        if (!p->out_size[i]) return false;
    return true;
}

/* An affine map over F2: constant ^ XOR of the bases of the index's bits. */
typedef struct zl_affine {
    unsigned bits;
    uint64_t constant, basis[64];
} zl_affine;

/* XOR of the bases of the index's bits. */
static inline uint64_t zl_xor_of(const uint64_t *basis, uint64_t index)
{
    uint64_t value = 0;
    for (; index; index &= index - 1) value ^= basis[__builtin_ctzll(index)];
    return value;
}

/* The bits of the index of which an output bit is the XOR. */
static inline uint64_t zl_affine_row(const zl_affine *a, unsigned bit)
{
    uint64_t row = 0;
    for (unsigned k = 0; k < a->bits; k++) row |= (a->basis[k] >> bit & 1) << k;
    return row;
}

/* The map followed by a swizzle. */
static inline void zl_affine_swizzle(zl_affine *a, zl_swizzle s)
{
    a->constant = (uint64_t)zl_swizzle_at(s, (int64_t)a->constant);
    for (unsigned k = 0; k < a->bits; k++)
        a->basis[k] = (uint64_t)zl_swizzle_at(s, (int64_t)a->basis[k]);
}

/* ---- layouts -------------------------------------------------------------- */

/* What a kind of layouts does by itself.  Each kind's file defines its table, and the maker of a
 * layout of the kind points the layout to it. */
typedef struct zl_layout_kind {
    bool (*value)(const zlay_layout *a, uint64_t index, int64_t *out); /* NULL: `at` is total */
    int64_t (*at)(const zlay_layout *a, uint64_t index);
    zlay_status (*tuple)(const zlay_layout *a, uint64_t index, int64_t *values);
    /* The values of first, first + 1, ..., one integer each; NULL, or false with nothing written:
     * this layout has no loop for them. */
    bool (*range)(int64_t *values, const zlay_layout *a, uint64_t first, size_t count);
    bool (*at_integer)(const zlay_layout *a, int64_t value, int64_t *out);
    bool (*affine)(zl_affine *out, const zlay_layout *a); /* NULL, both: it never is */
    bool (*affine_of_integers)(zl_affine *out, const zlay_layout *a, unsigned bits);
    uint64_t (*steps)(const zlay_layout *a); /* of limits.work that a value takes at most */
    zlay_status (*box)(zl_modes *box, const zlay_layout *a);
    size_t (*extents)(uint64_t *extents, size_t room, const zlay_layout *a); /* zlay_layout_box */
    zlay_status (*copy)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a);
    void (*print)(zl_text *out, const zlay_layout *a);
    /* NULL: it never has parameters. */
    const char *(*param)(const zlay_layout *a, size_t i);
    zlay_status (*bind)(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                        const char *const *name, const int64_t *value);
} zl_layout_kind;

extern const zl_layout_kind zl_strided_kind; /* strided and swizzled */

struct zlay_layout {
    zlay_allocator alloc;
    size_t bytes;
    const zl_layout_kind *table;
    int32_t kind; /* ZLAY_LAYOUT_* */
    zl_swizzle swizzle; /* of a swizzled layout; else the identity */
    uint64_t size;
    int64_t offset;
    bool partial; /* a point of the box may be undefined */
    size_t modes; /* strided, swizzled; 0: it has no strides */
    const zl_mode *mode;
    zl_f2 f2;         /* f2, modular; else no outputs */
    zl_pieces pieces; /* pieces; else no outputs */
    const struct zl_symbols *symbols; /* symbolic; else NULL */
};

/* f2 or modular. */
static inline bool zl_is_bits(const zlay_layout *a) { return a->f2.basis; }

/* The name of the first parameter; NULL: there is none. */
const char *zl_parameter(const zlay_layout *a);

/* ENOTSUP, naming it, where there is one; EINVAL for NULL. */
zlay_status zl_without_parameters(zlay_ctx *ctx, const zlay_layout *a);

static inline bool zl_is_pieces(const zlay_layout *a) { return a->pieces.outs; }

/* Strided, with neither swizzle nor offset. */
static inline bool zl_is_plain(const zlay_layout *a)
{
    return a->modes && !a->swizzle.bits && !a->offset;
}

/* Makers: check extents, size and the range of values, then copy into one block. */
zlay_status zl_layout_strided(zlay_ctx *ctx, zlay_layout **out, const zl_modes *m, zl_swizzle s);

/* The same of modes whose extents, range and size are known to be right. */
zlay_status zl_layout_proved(zlay_ctx *ctx, zlay_layout **out, const zl_modes *m, zl_swizzle s,
                             uint64_t size);

/* The same without swizzle and offset. */
zlay_status zl_layout_plain(zlay_ctx *ctx, zlay_layout **out, const zl_mode *mode, size_t modes,
                            uint64_t size);

/* 1:0, a point without a stride. */
zlay_status zl_layout_point(zlay_ctx *ctx, zlay_layout **out);

/* A strided layout over modes that stay where they are: read within the call, never freed. */
zlay_status zl_layout_over(zlay_ctx *ctx, zlay_layout *out, const zl_modes *m);

static inline zlay_status zl_layout_copy(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a)
{
    return a->table->copy(ctx, out, a);
}

/* One block of a kind with `tail` bytes behind it, zeroed. */
zlay_layout *zl_layout_block(zlay_ctx *ctx, int32_t kind, const zl_layout_kind *table, size_t tail);

/* The box as modes: the layout's own, or one a named input dimension. */
static inline zlay_status zl_layout_box(zl_modes *box, const zlay_layout *a)
{
    return a->table->box(box, a);
}

/* The value range of a strided layout before its swizzle. */
bool zl_modes_range(const zl_mode *modes, size_t count, int64_t offset, int64_t *least,
                    int64_t *greatest);

/* ---- values ---------------------------------------------------------------- */

/* The flat value at an index of the box: several outputs are one integer, colexicographic in the
 * output sizes.  False where the layout is undefined, has parameters, or has outputs without sizes.
 */
static inline bool zl_value(const zlay_layout *a, uint64_t index, int64_t *out)
{
    if (a->table->value) return a->table->value(a, index, out);
    *out = a->table->at(a, index);
    return true;
}

/* Counts `count` values of `a` in limits.work, each as many steps as zl_value takes at most. */
static inline zlay_status zl_charge_values(zlay_ctx *ctx, const zlay_layout *a, uint64_t count)
{
    return zl_charge(ctx, zl_umul_sat(count, a->table->steps(a)));
}

/* The same in a loop over indices i that may end early: counts a block of 1024 values where one
 * begins, at most to the end of a. */
static inline zlay_status zl_charge_block(zlay_ctx *ctx, const zlay_layout *a, uint64_t i)
{
    enum { BLOCK = 1024 };
    if (i % BLOCK) return ZLAY_OK;
    return zl_charge_values(ctx, a, a->size - i < BLOCK ? a->size - i : BLOCK);
}

/* The same of a layout that has a value everywhere. */
static inline int64_t zl_at(const zlay_layout *a, uint64_t index)
{
    return a->table->at(a, index);
}

/* The flat value at any integer: strided and swizzled layouts go on as CuTe's do, the last mode
 * without bound and negative integers mirrored.  False when it does not fit 64 bits, or when an
 * f2 layout is left. */
static inline bool zl_at_integer(const zlay_layout *a, int64_t value, int64_t *out)
{
    return a->table->at_integer(a, value, out);
}

/* ---- maps that are affine over F2 ------------------------------------------- */

/* True is proved; false says that there is no such map, except of pieces, where it says nothing. */
static inline bool zl_affine_of(zl_affine *out, const zlay_layout *a)
{
    return a->table->affine && a->table->affine(out, a);
}

/* b followed by `outer`, a map of enough bits; false when a value of b has more. */
bool zl_affine_compose(zl_affine *out, const zl_affine *outer, const zl_affine *b);

/* a as a map of `bits` bits where it goes on past its box. */
static inline bool zl_affine_of_integers(zl_affine *out, const zlay_layout *a, unsigned bits)
{
    return a->table->affine_of_integers && a->table->affine_of_integers(out, a, bits);
}

/* The bits that values reach, and the extreme values. */
uint64_t zl_affine_support(const zl_affine *a);
void zl_affine_range(const zl_affine *a, int64_t *least, int64_t *greatest);

/* Enters a public call that makes a layout: EINVAL where `out` is NULL; *out is NULL until it is
 * made. */
zlay_status zl_enter_layout(zlay_ctx *ctx, zlay_layout **out);

/* Public calls as parts of a call (zl_enter_part). */
zlay_status zl_layout_new_strided(zlay_ctx *ctx, zlay_layout **out, size_t rank,
                                  const int64_t *shape, const int64_t *stride, int64_t offset);
zlay_status zl_layout_new_swizzled(zlay_ctx *ctx, zlay_layout **out, zl_swizzle s,
                                   const zlay_layout *a);

/* zlay_layout_bind inside a call. */
zlay_status zl_bind(zlay_ctx *ctx, zlay_layout **out, const zlay_layout *a, size_t count,
                    const char *const *name, const int64_t *value);

#endif
