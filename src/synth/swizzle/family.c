/* SPDX-License-Identifier: Apache-2.0 */
/* Searches the families of families.def (padding, skewing and XOR swizzles of rows) member by
 * member.  It counts a member's wavefronts at the addresses of its accesses, in rounds that allow
 * more and more wavefronts above the lower bound (iterative deepening).  A member that cannot be
 * better than the best is not counted. */
#include "synth/swizzle/family.h"

#include <string.h>
#include <zlay/tensormap.h>

enum { BYTE = 8, CHUNK_BITS = 128, LINE_SHIFT = 3, CONFIRMED = 512 };
enum { POINTS_COUNTED = 8 }; /* of limits.points, for one counted access of a warp */
enum { ROUNDS_LEAST = 8, ROUNDS_FINER = 16, ROUNDS_WIDER = 4 }; /* the excess that a round allows */

/* The hardware that can use a layout: matrix instructions and tensor copies; tensor copies; threads
 * only, of separate lines (a simpler offset) or of joined ones. */
enum { REACH_MATRIX, REACH_TENSOR, REACH_LINES, REACH_JOINED };

/* Layouts are compared by these, in this order; less is better. */
typedef struct rank {
    uint64_t wavefronts, size;
    uint32_t reach, xors; /* REACH_* */
} rank;

typedef struct searching {
    zl_families f;
    zl_member best;
    rank rank; /* of the best so far */
    bool found;
    uint64_t wavefronts[ZL_ASKS_MOST];
    uint64_t most; /* the greatest sum that this round takes */
    bool more; /* a member may have a greater sum */
    zlay_status status;
} searching;

static bool less(const rank *a, const rank *b)
{
    if (a->wavefronts != b->wavefronts) return a->wavefronts < b->wavefronts;
    if (a->size != b->size) return a->size < b->size;
    return a->reach != b->reach ? a->reach < b->reach : a->xors < b->xors;
}

/* ---- the hardware that can use a member ------------------------------------------ */

/* The swizzle of the tensor copy that writes a member; -1: none. */
static int32_t tensor_swizzle(const zl_asked *a, const zl_member *m)
{
    uint64_t span = m->cut * a->elem_bits;
    int32_t swizzle = (int32_t)m->bits;
    if (m->joined) return m->cut == a->size ? ZLAY_SWIZZLE_NONE : -1;
    if (m->pitch != m->cut || a->shape[m->mode] % m->cut) return -1;
    if (m->family == ZL_FAMILY_PAD)
        return m->cut == a->shape[m->mode] ? ZLAY_SWIZZLE_NONE : -1;
    bool is = m->family == ZL_FAMILY_XOR && swizzle <= ZLAY_SWIZZLE_128B &&
              span == (uint64_t)CHUNK_BITS << swizzle && m->grain * a->elem_bits == CHUNK_BITS &&
              m->shift + m->bits == LINE_SHIFT;
    return is ? swizzle : -1;
}

/* The swizzle with which tensor copies write a member, and matrix instructions read it; -1:
 * none. */
static void reach_of(int32_t *tensor, int32_t *matrix, const zl_asked *a, const zl_member *m)
{
    *tensor = tensor_swizzle(a, m);
    if (*tensor >= 0 && !zl_tensor_writes(a, m->mode, *tensor)) *tensor = -1;
    *matrix = *tensor >= 0 && zl_matrix_reads(a, m->mode, *tensor) ? *tensor : -1;
}

static rank rank_of(const zl_asked *a, const zl_member *m)
{
    zl_rows rows = zl_rows_of(a, m);
    int32_t tensor, matrix;
    rank r = {.size = zl_member_size(m, &rows), .xors = m->bits};
    reach_of(&tensor, &matrix, a, m);
    r.reach = m->joined ? REACH_JOINED : REACH_LINES;
    if (tensor >= 0) r.reach = matrix >= 0 ? REACH_MATRIX : REACH_TENSOR;
    return r;
}

/* ---- all members ----------------------------------------------------------------- */

/* Counts a member and keeps it if it is the best.  A member that could not win even at the lower
 * bound is not counted. */
static void offer(searching *s, const zl_member *m)
{
    uint64_t wavefronts[ZL_ASKS_MOST], most = s->most, steps = s->f.steps;
    rank r = rank_of(s->f.a, m);
    r.wavefronts = s->f.bound;
    if (s->status || !less(&r, &s->rank)) return;
    if (r.size * s->f.a->elem_bits / BYTE > s->f.a->target->smem) return;
    if (s->rank.wavefronts < most) most = s->rank.wavefronts;
    s->status = zl_member_count(&s->f, m, wavefronts, &r.wavefronts, most);
    if (!s->status) s->status = zl_charge(s->f.a->ctx, (steps - s->f.steps) * ZL_STEPS_COUNTED);
    if (s->status || !s->f.steps) return;
    s->more |= r.wavefronts > s->most;
    if (r.wavefronts > most || !less(&r, &s->rank)) return;
    memcpy(s->wavefronts, wavefronts, sizeof wavefronts);
    s->rank = r;
    s->best = *m;
    s->found = true;
}

static void try_pads(searching *s, zl_member m)
{
    m.family = ZL_FAMILY_PAD;
    m.grain = 1;
    for (uint64_t end = m.pitch + s->f.period; m.pitch < end; m.pitch += s->f.align) offer(s, &m);
}

/* Offers all skews and XORs of chunks. */
static void try_grain(searching *s, zl_member m)
{
    uint64_t chunks = m.cut / m.grain;
    m.family = ZL_FAMILY_SKEW;
    for (m.step = 1; m.step < chunks && m.step <= ZL_FAMILY_STEP_MOST; m.step++) offer(s, &m);
    m.step = 0;
    m.family = ZL_FAMILY_XOR;
    for (m.bits = 1; m.bits <= ZL_FAMILY_BITS_MOST && chunks % (UINT64_C(1) << m.bits) == 0;
         m.bits++)
        for (m.shift = 0; m.shift <= ZL_FAMILY_SHIFT_MOST; m.shift++) offer(s, &m);
}

/* Offers all members with one cut of the lines that were begun. */
static void try_cut(searching *s, zl_member m, uint64_t cut)
{
    m.cut = cut;
    m.pitch = (cut + s->f.align - 1) / s->f.align * s->f.align;
    if (!zl_cut_begin(&s->f, &m)) return;
    try_pads(s, m);
    for (m.grain = s->f.grain; m.grain * s->f.a->elem_bits <= CHUNK_BITS; m.grain *= 2)
        if (cut % m.grain == 0) try_grain(s, m);
}

/* Offers members of a mode's lines, whole and cut at each power of two up to a row of all banks. */
static void try_mode(searching *s, zl_member m)
{
    uint64_t length = s->f.a->shape[m.mode];
    if (!s->status) s->status = zl_lines_begin(&s->f, &m);
    if (s->status) return;
    try_cut(s, m, length);
    for (uint64_t cut = 2; cut < length && cut <= s->f.period; cut *= 2) try_cut(s, m, cut);
}

/* Offers members of joined lines.  Uncut, they are one row.  No other member of them spans less,
 * can be used by more hardware or has fewer XORs; so where even that row cannot win, none is
 * tried. */
static void try_joined(searching *s, zl_member m)
{
    uint64_t length = s->f.a->size;
    m.grain = 1;
    m.cut = m.pitch = length;
    rank best = rank_of(s->f.a, &m);
    best.wavefronts = s->f.bound;
    if (s->status || !less(&best, &s->rank)) return;
    s->status = zl_lines_begin(&s->f, &m);
    if (s->status) return;
    if (zl_cut_begin(&s->f, &m)) offer(s, &m);
    for (uint64_t cut = 2; cut < length && cut <= s->f.period; cut *= 2) try_cut(s, m, cut);
}

/* Every mode contiguous, its lines apart and then joined. */
static void try_all(searching *s)
{
    const zl_asked *a = s->f.a;
    for (uint32_t i = 0; i < 2 * a->rank; i++) {
        zl_member m = {.mode = i % a->rank, .joined = i >= a->rank};
        if (a->shape[m.mode] == 1 && a->size > 1) continue;
        if (!m.joined) try_mode(s, m);
        else if (a->shape[m.mode] < a->size) try_joined(s, m);
    }
}

/* Tries the members that reach the bound first, then those with a little more, and so on, so that a
 * member far from the best is given up after a few counts.  A round that finds a member has counted
 * every member that takes no more. */
static void try_rounds(searching *s)
{
    uint64_t excess = 0;
    do {
        s->most = s->f.bound + excess;
        s->more = false;
        try_all(s);
        excess = excess ? ROUNDS_WIDER * excess : ROUNDS_LEAST + s->f.bound / ROUNDS_FINER;
    } while (s->more && s->most < s->rank.wavefronts && !s->status && s->f.steps);
}

/* ---- the answer ------------------------------------------------------------------ */

/* What is proved about the best layout. */
static int32_t least_of(const searching *s, const zlay_swizzle *old)
{
    if (s->rank.wavefronts == s->f.bound) return ZLAY_SWIZZLE_LEAST_ANY;
    if (!s->f.steps) return ZLAY_SWIZZLE_LEAST_UNKNOWN;
    if (!s->found) return old->info.least ? old->info.least : ZLAY_SWIZZLE_LEAST_FAMILY;
    return ZLAY_SWIZZLE_LEAST_FAMILY;
}

static zlay_status confirm_some(const searching *s, const zl_placing *p, const zlay_layout *layout,
                                uint64_t first, uint64_t count)
{
    int64_t value[CONFIRMED];
    uint8_t there[CONFIRMED];
    uint32_t offset[CONFIRMED];
    if (zlay_layout_eval_many(value, there, layout, NULL, first, count))
        return zl_fail(s->f.a->ctx, ZLAY_EINTERNAL, "the layout cannot be read; please report this request");
    for (uint64_t i = 0; i < count; i += ZL_PLACED) {
        zl_place place[ZL_PLACED] = {0};
        memcpy(place, s->f.line + first + i, (count - i < ZL_PLACED ? count - i : ZL_PLACED) * sizeof *place);
        zl_placing_offsets(offset + i, p, &s->best, place);
    }
    for (uint64_t i = 0; i < count; i++)
        if (!there[i] || value[i] != offset[i])
            return zl_fail(s->f.a->ctx, ZLAY_EINTERNAL, "element %llu lies elsewhere; please report this request",
                           (unsigned long long)(first + i));
    return ZLAY_OK;
}

/* Checks that the layout that is returned has every element where the member was counted. */
static zlay_status confirm(searching *s, const zlay_layout *layout)
{
    const uint64_t size = s->f.a->size;
    zl_placing p;
    zlay_status status = zl_lines_begin(&s->f, &s->best);
    zl_placing_begin(&p, s->f.a, &s->best);
    zl_placing_chunks(&p, &s->best);
    for (uint64_t first = 0; first < size && !status; first += CONFIRMED)
        status = confirm_some(s, &p, layout, first, size - first < CONFIRMED ? size - first : CONFIRMED);
    return status;
}

static zlay_status answer(zlay_swizzle *out, searching *s)
{
    const zl_asked *a = s->f.a;
    zlay_layout *layout;
    zlay_status status = zl_member_layout(a->ctx, &layout, a, &s->best);
    if (status) return status;
    status = confirm(s, layout);
    if (status) {
        zlay_layout_free(layout);
        return status;
    }
    zlay_layout_free(out->layout);
    out->layout = layout;
    for (uint32_t i = 0; i < a->count; i++) out->cost[i].wavefronts = s->wavefronts[i];
    out->info.size = s->rank.size;
    out->info.wavefronts = s->rank.wavefronts;
    out->info.method = ZLAY_SWIZZLE_FAMILY;
    out->info.xors = s->best.bits;
    reach_of(&out->info.tensor, &out->info.matrix, a, &s->best);
    out->info.tensor_mode = out->info.tensor >= 0 ? (int32_t)s->best.mode : -1;
    return ZLAY_OK;
}

/* Begins with the layout found over F2 as the best so far. */
static void begin(searching *s, const zlay_swizzle *old)
{
    s->rank = (rank){UINT64_MAX, UINT64_MAX, UINT32_MAX, UINT32_MAX};
    if (!old->layout) return;
    s->rank.wavefronts = old->info.wavefronts;
    s->rank.size = old->info.size;
    s->rank.reach = REACH_LINES;
    if (old->info.tensor >= 0)
        s->rank.reach = old->info.matrix >= 0 ? REACH_MATRIX : REACH_TENSOR;
    s->rank.xors = old->info.xors;
}

static void costs_fill(zlay_swizzle *out, const zl_families *f)
{
    for (uint32_t i = 0; i < f->a->count; i++) {
        out->cost[i].ideal = f->cost[i].ideal;
        out->cost[i].lower_bound = f->cost[i].lower_bound;
        out->cost[i].instances = f->a->access[i].instances;
    }
    out->info.lower_bound = f->bound;
}

static zlay_status family(zlay_swizzle *out, searching *s)
{
    zlay_status status = zl_points_read(&s->f);
    if (!status) status = zl_points_force(&s->f);
    if (!status) status = zl_bounds_read(&s->f);
    if (status) return status;
    begin(s, out);
    try_rounds(s);
    if (!s->status && s->found) s->status = answer(out, s);
    if (s->status || out->layout) return s->status;
    if (!s->f.steps)
        return zl_fail(s->f.a->ctx, ZLAY_ELIMIT, "points: %llu end the search before a layout",
                       (unsigned long long)zl_limits(s->f.a->ctx)->points);
    return zl_fail(s->f.a->ctx, ZLAY_ENOTSUP,
                   "no layout of the families has the vectors of all accesses");
}

zlay_status zl_swizzle_family(zlay_swizzle *out, const zl_asked *a)
{
    searching s = {.f = {.a = a, .steps = zl_limits(a->ctx)->points / POINTS_COUNTED}};
    zlay_status status = family(out, &s);
    if (status) return status;
    costs_fill(out, &s.f);
    out->info.least = least_of(&s, out);
    out->info.optimal = out->info.least == ZLAY_SWIZZLE_LEAST_ANY;
    return ZLAY_OK;
}
