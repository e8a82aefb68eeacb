/* SPDX-License-Identifier: Apache-2.0 */
/* Exchange between lanes by one round of shuffles of what is no bijection: copies, gaps, other
 * lanes behind than before.  (Bijections are words: warp.c.)
 *
 * Slot (r, t) of the destination, r its register and t its thread, takes register r' of lane l';
 * both are functionals of (r, t).  In a shuffle every lane names one lane to read from, and sends
 * one register.  So the plan is: in each lane, a choice of which register m of the round's the
 * value belongs to; rounds, one for each m, in which the lane read from depends on m and t alone;
 * and in each lane a choice of what is sent.  That is a factorisation through functionals m:
 *   - the register parts of l' have a rank p; each independent one is an m, with a thread part that
 *     is ours to choose;
 *   - r' adds those whose register part is independent of them, as they are: v in number;
 *   - what r' needs beyond that of t alone has to be had from l' and m: the thread parts above are
 *     chosen so; should they be too few, further m's are added.
 * 2^(p + v) rounds, but where the thread parts can be such that l' = t whenever the p are 0, which
 * is so when l' - t on threads is in the span of l' on registers, the rounds of these move nothing,
 * and 2^(p + v) - 2^v are left.  No plan has fewer: a lane of that many wanted elements has them
 * elsewhere, and receives one a round.  Elements of less than 32 bits that go from one lane to one
 * other, 2^v of them, share words; words that come with fewer are merged. */
#include "synth/convert/convert.h"

enum { MOST = 64 };

typedef struct row {
    uint64_t at;   /* functional of the slots of dst */
    uint64_t comb; /* bits of src whose functionals were added to get it */
} row;

typedef struct word {
    const zl_conversion *c;
    uint64_t of[64];              /* the functional of each bit of src */
    row lane[MOST], pure[MOST];   /* of threads: with independent register parts; without any */
    unsigned lanes, pures;
    uint64_t apart[MOST];         /* pure functionals of all bits of src, a basis of them */
    unsigned aparts;
    uint64_t mid[MOST];           /* the functionals m, those of `lane` last */
    uint64_t rest[MOST];          /* of each of `lane`: its functional less that of its m */
    unsigned registers, aligned;  /* those of registers; all that lanes do not depend on */
    unsigned mids;                /* in all */
    bool still;                   /* rounds with these 0 move nothing */
} word;

static void transpose(word *w)
{
    for (unsigned j = 0; j < 64; j++) w->of[j] = 0;
    for (uint64_t left = w->c->from.has; left; left &= left - 1) {
        unsigned k = (unsigned)__builtin_ctzll(left);
        for (uint64_t to = w->c->from.to[k]; to; to &= to - 1)
            w->of[__builtin_ctzll(to)] |= zl_bit(k);
    }
}

/* Reduce register parts: what is left of a row, and whether it is independent. */
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

/* Functionals of threads alone that somebody among lanes and registers of src is. */
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

/* A thread that src has not never keeps what it wants: it holds nothing. */
static bool keeps_still(const word *w)
{
    if (w->c->dst.has & ZL_THREADS & ~w->c->src.has) return false;
    for (unsigned i = 0; i < w->pures; i++)
        if (w->pure[i].at != (w->pure[i].comb & w->c->dst.has)) return false;
    return true;
}

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

/* A functional that the lanes do not know yet, the lane's own number where it serves. */
static uint64_t next_rest(const word *w, zl_solver *known, const zl_solver *apart, uint64_t own)
{
    if (zl_solver_spans(apart, own) && zl_solver_put(known, own, 0)) return own;
    for (unsigned i = 0; i < w->aparts; i++)
        if (zl_solver_put(known, w->apart[i], 0)) return w->apart[i];
    return zl_solver_put(known, own, 0) ? own : 0;
}

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

static void behind(const word *w, zl_bitmap *out)
{
    map_of(out, w->c->dst.has, w->mid, mid_bits(w));
    keep(out, w->c->dst.has & ZL_THREADS);
}

/* Each bit of the lane that is read from, as a functional of (m, t). */
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

/* Each bit of the register that is sent, as a functional of (m, the sender); false where it is
 * none. */
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

/* The wanted elements that the neediest lane has not, packed as closely as can be: others may have
 * gathered them before. */
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

/* Words that came with fewer elements than they hold. */
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

/* False: this way serves not. */
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
