/* SPDX-License-Identifier: Apache-2.0 */
/* Plans one exchange between lanes, where the map is no bijection: src holds copies or has gaps, or
 * dst has other lanes than src.  (warp.c plans bijections.)
 *
 * Slot (r, t) of dst, with register r and thread t, takes register r' of thread t'; the bits of r'
 * and t' are linear functionals of (r, t).  In a shuffle, every lane names one lane to read from
 * and sends one register.  So the plan has three steps: the sender selects the register to send in
 * shuffle m; in shuffle m, the lane to read from depends on m and t alone; the receiver selects the
 * shuffle m that brought register r.  This is a factorisation through the bits of m, which are
 * functionals of (r, t):
 *   - Let p be the rank of the register parts of t'.  Each of p independent functionals gives a bit
 *     of m, with the same register part and a thread part that may be chosen.
 *   - Functionals of r' whose register part is independent of these are bits of m unchanged; v is
 *     their number.
 *   - The other functionals of r' must depend on t' and m alone.  The thread parts above are chosen
 *     to make this so; where they do not suffice, more bits are added to m.
 * That gives 2^(p + v) shuffles.  Where t' - t on threads is in the span of t' on registers, the
 * thread parts can be such that t' = t whenever the p bits are 0.  Those shuffles move nothing, and
 * 2^(p + v) - 2^v are left.  No plan has fewer: some lane wants that many elements of other lanes,
 * and a shuffle brings it one.  Where elements are narrower than 32 bits, the 2^v elements that go
 * from one lane to one other share words; words that arrive partly filled are merged. */
#include "synth/convert/convert.h"

enum { MOST = 64 };

typedef struct row {
    uint64_t at;   /* functional of the slots of dst */
    uint64_t comb; /* bits of src whose functionals were added to get it */
} row;

typedef struct word {
    const zl_conversion *c;
    uint64_t of[64];              /* the functional of each bit of src */
    row lane[MOST], pure[MOST];   /* thread bits: independent register parts; none left */
    unsigned lanes, pures;
    uint64_t apart[MOST];         /* a basis of sums of `of` that depend on threads alone */
    unsigned aparts;
    uint64_t mid[MOST];           /* the bits of m, as functionals; those of `lane` last */
    uint64_t rest[MOST];          /* of each of `lane`: its functional minus its bit of m */
    unsigned registers, aligned;  /* bits of m from registers; all bits before those of `lane` */
    unsigned mids;                /* all bits of m */
    bool still;                   /* shuffles whose bits of `lane` are 0 move nothing */
} word;

/* Reads the holders as functionals: each bit of src as a sum of bits of dst. */
static void transpose(word *w)
{
    for (unsigned j = 0; j < 64; j++) w->of[j] = 0;
    for (uint64_t left = w->c->from.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        for (uint64_t to = w->c->from.to[k]; to; to &= to - 1)
            w->of[__builtin_ctzll(to)] |= zl_bit(k);
    }
}

/* Reduces a row's register part by those held; returns whether it is independent of them. */
static bool row_put(zl_solver *s, row *r, row *held, unsigned count)
{
    uint64_t from, rest = zl_solver_reduce(s, r->at & ZL_REGISTERS, &from);
    for (; from; from &= from - 1) {
        unsigned i = (unsigned)__builtin_ctzll(from);
        r->at ^= held[i].at;
        r->comb ^= held[i].comb;
    }
    if (rest) zl_solver_put(s, r->at & ZL_REGISTERS, zl_bit(count));
    return rest;
}

/* Splits the functionals of src's thread bits into those with independent register parts and those
 * that depend on threads alone. */
static void split_threads(word *w)
{
    zl_solver s;
    s.pivots = 0;
    w->lanes = w->pures = 0;
    for (uint64_t left = w->c->src.has & ZL_THREADS; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctzll(left);
        row r = {w->of[j], zl_bit(j)};
        if (row_put(&s, &r, w->lane, w->lanes)) w->lane[w->lanes++] = r;
        else w->pure[w->pures++] = r;
    }
}

/* Finds a basis of the sums of all functionals that depend on threads alone. */
static void find_apart(word *w)
{
    zl_solver s, pure;
    s.pivots = pure.pivots = 0;
    row held[MOST];
    unsigned count = 0;
    w->aparts = 0;
    for (uint64_t left = w->c->src.has; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctzll(left);
        row r = {w->of[j], zl_bit(j)};
        if (row_put(&s, &r, held, count)) held[count++] = r;
        else if (zl_solver_put(&pure, r.at, 0)) w->apart[w->aparts++] = r.at;
    }
}

/* Whether the functionals of threads alone let every thread read from itself.  Where dst has a
 * thread bit that src lacks, they do not: such threads hold nothing. */
static bool keeps_still(const word *w)
{
    if (w->c->dst.has & ZL_THREADS & ~w->c->src.has) return false;
    for (unsigned i = 0; i < w->pures; i++)
        if (w->pure[i].at != (w->pure[i].comb & w->c->dst.has)) return false;
    return true;
}

/* Puts the bits of m that functionals of src's registers give. */
static void put_registers(word *w)
{
    zl_solver s;
    s.pivots = 0;
    w->mids = 0;
    for (unsigned i = 0; i < w->lanes; i++) zl_solver_put(&s, w->lane[i].at & ZL_REGISTERS, 0);
    for (uint64_t left = w->c->src.has & ZL_REGISTERS; left; left &= left - 1) {
        uint64_t at = w->of[__builtin_ctzll(left)];
        if (zl_solver_put(&s, at & ZL_REGISTERS, 0)) w->mid[w->mids++] = at;
    }
    w->registers = w->mids;
}

/* A thread part that is independent of the known ones: the lane's own number where it serves, else
 * one of `apart`. */
static uint64_t next_rest(const word *w, zl_solver *known, const zl_solver *apart, uint64_t own)
{
    if (zl_solver_spans(apart, own) && zl_solver_put(known, own, 0)) return own;
    for (unsigned i = 0; i < w->aparts; i++)
        if (zl_solver_put(known, w->apart[i], 0)) return w->apart[i];
    return zl_solver_put(known, own, 0) ? own : 0;
}

/* Chooses the thread parts of the lanes' functionals, and puts their bits of m last. */
static void put_lanes(word *w)
{
    zl_solver known, apart;
    known.pivots = apart.pivots = 0;
    for (unsigned i = 0; i < w->pures; i++) zl_solver_put(&known, w->pure[i].at, 0);
    for (unsigned i = 0; i < w->aparts; i++) zl_solver_put(&apart, w->apart[i], 0);
    w->still = keeps_still(w);
    for (unsigned i = 0; i < w->lanes; i++) {
        uint64_t own = w->lane[i].comb & w->c->dst.has;
        w->rest[i] = w->still ? own : next_rest(w, &known, &apart, own);
        if (w->still) zl_solver_put(&known, own, 0);
    }
    for (unsigned i = 0; i < w->aparts; i++)
        if (zl_solver_put(&known, w->apart[i], 0)) w->mid[w->mids++] = w->apart[i];
    w->aligned = w->mids;
    for (unsigned i = 0; i < w->lanes; i++) w->mid[w->mids++] = w->lane[i].at ^ w->rest[i];
}

/* ---- the three steps --------------------------------------------------------------------- */

static uint64_t mid_bits(const word *w) { return zl_bit(w->mids) - 1; }

/* A map whose register bits are given as functionals on the bits of `has`. */
static void map_of(zl_bitmap *out, uint64_t has, const uint64_t *functional, uint64_t onto)
{
    out->has = has;
    for (uint64_t left = has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        uint64_t to = 0;
        for (uint64_t j = onto; j; j &= j - 1)
            if (functional[__builtin_ctzll(j)] >> k & 1) to |= j & -j;
        out->to[k] = to;
    }
}

static void keep(zl_bitmap *out, uint64_t bits)
{
    for (; bits; bits &= bits - 1) out->to[__builtin_ctzll(bits)] |= bits & -bits;
}

static void keep_all(zl_bitmap *out, uint64_t bits)
{
    for (; bits; bits &= bits - 1)
        zl_bitmap_put(out, (unsigned)__builtin_ctzll(bits), bits & -bits);
}

/* The receiver's step: (r, t) -> (m, t). */
static void behind(const word *w, zl_bitmap *out)
{
    map_of(out, w->c->dst.has, w->mid, mid_bits(w));
    keep(out, w->c->dst.has & ZL_THREADS);
}

/* The shuffles: (m, t) -> (m, t'), each bit of the sender t' as a functional of (m, t). */
static void between(const word *w, zl_bitmap *out)
{
    const uint64_t threads = w->c->src.has & ZL_THREADS;
    uint64_t functional[64] = {0}, has = mid_bits(w) | (w->c->dst.has & ZL_THREADS);
    zl_solver s;
    s.pivots = 0;
    for (unsigned i = 0; i < w->lanes; i++)
        zl_solver_put(&s, w->lane[i].comb, zl_bit(w->aligned + i) ^ w->rest[i]);
    for (unsigned i = 0; i < w->pures; i++) zl_solver_put(&s, w->pure[i].comb, w->pure[i].at);
    for (uint64_t left = threads; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctzll(left);
        zl_solver_reduce(&s, zl_bit(j), &functional[j]);
    }
    map_of(out, has, functional, threads);
    keep(out, mid_bits(w));
}

/* The sender's step: (m, t') -> (r', t'), each bit of r' as a functional of (m, t'); false: a bit
 * of r' is none. */
static bool ahead(const word *w, zl_bitmap *out)
{
    const uint64_t threads = w->c->src.has & ZL_THREADS, registers = w->c->src.has & ZL_REGISTERS;
    uint64_t functional[64] = {0};
    zl_solver s;
    s.pivots = 0;
    for (unsigned i = 0; i < w->mids; i++) zl_solver_put(&s, w->mid[i], zl_bit(i));
    for (uint64_t left = threads; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctzll(left);
        zl_solver_put(&s, w->of[j], zl_bit(j));
    }
    for (uint64_t left = registers; left; left &= left - 1) {
        unsigned j = (unsigned)__builtin_ctzll(left);
        if (zl_solver_reduce(&s, w->of[j], &functional[j])) return false;
    }
    map_of(out, mid_bits(w) | threads, functional, registers);
    keep(out, threads);
    return true;
}

/* ---- rounds ------------------------------------------------------------------------------ */

/* log2 of the elements that one shuffle moves together in a word. */
static unsigned packed_of(const word *w)
{
    return w->aligned < w->c->word ? w->aligned : w->c->word;
}

static uint32_t rounds_of(const word *w)
{
    const zl_conversion *c = w->c;
    unsigned all = w->mids - packed_of(w);
    if (all > 24) return UINT32_MAX;
    return ((1u << all) - (w->still ? 1u << (all - w->lanes) : 0)) * c->words;
}

/* A lower bound of the shuffles of any plan: the most elements that a lane wants from other lanes,
 * packed as closely as words allow, because another lane may gather them first. */
static uint32_t least_of(const word *w)
{
    const zl_conversion *c = w->c;
    unsigned wanted = w->registers + w->lanes;
    uint32_t senders = (1u << w->lanes) - w->still, each = 1u << w->registers;
    if (wanted > 24) return UINT32_MAX;
    return ((senders * each + (1u << c->word) - 1) >> c->word) * c->words;
}

static void shuffle_add(const word *w, zlay_convert *plan, const zl_bitmap *back)
{
    const zl_conversion *c = w->c;
    uint32_t rounds = rounds_of(w);
    if (!rounds) return;
    zl_convert_step *step = zl_step_add(plan, ZLAY_CONVERT_SHFL, back,
                                mid_bits(w) | (c->src.has & ZL_THREADS));
    step->info.width = 4;
    step->info.instructions = rounds;
    step->info.name = zl_convert_name(c, ZL_NAME_SHUFFLE);
    step->cost = rounds * ZL_COST_SHFL;
    plan->info.rounds = rounds;
}

/* Adds the permutes that merge words which arrived partly filled. */
static void merge_add(const word *w, zlay_convert *plan, uint64_t places)
{
    unsigned packed = packed_of(w), full = w->mids < w->c->word ? w->mids : w->c->word;
    uint32_t permutes = (1u << (w->mids - full)) * ((1u << (full - packed)) - 1);
    zl_bitmap same = {.has = 0};
    keep_all(&same, places);
    if (!permutes || !rounds_of(w)) return;
    zl_convert_step *step = zl_step_add(plan, ZLAY_CONVERT_PRMT, &same, places);
    step->info.width = 4;
    step->info.instructions = permutes;
    step->info.name = zl_convert_name(w->c, ZL_NAME_PERMUTE);
    step->cost = permutes * ZL_COST_PRMT;
}

/* Factors the map; false: it has no such factorisation, or m has more than 24 bits. */
static bool word_begin(word *w, const zl_conversion *c, zl_bitmap *pre)
{
    w->c = c;
    transpose(w);
    split_threads(w);
    find_apart(w);
    put_registers(w);
    put_lanes(w);
    return w->mids <= 24 && ahead(w, pre);
}

uint32_t zl_shuffle_rounds(const zl_conversion *c, uint32_t *least)
{
    word w;
    zl_bitmap pre;
    bool serves = word_begin(&w, c, &pre);
    *least = least_of(&w);
    return serves ? rounds_of(&w) : UINT32_MAX;
}

bool zl_convert_by_shuffles(const zl_conversion *c, zlay_convert *plan)
{
    word w;
    zl_bitmap pre, exchange, post;
    bool serves = word_begin(&w, c, &pre);
    plan->info.rounds_least = least_of(&w);
    if (!serves) return false;
    between(&w, &exchange);
    behind(&w, &post);
    zl_step_in_lane(c, plan, &pre, c->src.has);
    shuffle_add(&w, plan, &exchange);
    merge_add(&w, plan, exchange.has);
    zl_step_in_lane(c, plan, &post, exchange.has);
    plan->info.optimal = plan->info.rounds == plan->info.rounds_least;
    return true;
}
