/* SPDX-License-Identifier: Apache-2.0 */
/* When each value is alive in each place, and whether all fit there.  Operation t reads in step 2t
 * and writes in step 2t + 1.  A move is made when the value is first read where it goes, and its
 * source is alive until then.  Operands are alive while results are written, but for those that a
 * result takes the place of.  In a loop a value that is read before it is written is alive from its
 * writer to the loop's end and from the loop's beginning to its reader; one of which there is one
 * alone, or fewer than the loop has rounds, or that no round brings or makes anew, or of which
 * several are kept, is alive in the entire loop. */
#include "synth/places/place.h"

#include <string.h>

enum { ALIGN = 8 }; /* units: a swizzle of 128 bytes repeats after 1024 */

typedef zl_place_lives lives;

typedef struct loop {
    uint32_t first, last, length; /* steps; length 0: there is none */
} loop;

static loop loop_of(const zl_place_program *p)
{
    uint32_t first = 2 * p->r.loop_first, length = 2 * p->r.loop_count;
    return (loop){first, first + length - 1, length};
}

static bool within(const loop *l, uint32_t step)
{
    return l->length && step >= l->first && step <= l->last;
}

static uint64_t steps(uint32_t from, uint32_t to)
{
    return (to < 63 ? (1ull << (to + 1)) - 1 : ~0ull) & ~((1ull << from) - 1);
}

/* From one step to another, in a loop through its end where the other lies before. */
static uint64_t between(const loop *l, uint32_t from, uint32_t to)
{
    return from <= to ? steps(from, to) : steps(from, l->last) | steps(l->first, to);
}

static bool replaced(const zl_place_form *form, uint32_t operand)
{
    return form->in_place || form->sum == (int32_t)operand;
}

/* A value in a choice.  One that is made in the loop is followed twice: through a round that
 * another follows, and through the last, behind which lies the end. */
typedef struct followed {
    const zl_place_program *p;
    const zl_place_choice *c;
    uint32_t v, made; /* the step */
    loop loop;
    bool looped, last;
} followed;

static followed follow(const zl_place_program *p, const zl_place_choice *c, uint32_t v)
{
    uint32_t writer = p->value[v].writer;
    followed f = {.p = p, .c = c, .v = v, .loop = loop_of(p)};
    f.made = writer == UINT32_MAX ? 0 : 2 * writer + 1;
    f.looped = writer != UINT32_MAX && within(&f.loop, f.made);
    return f;
}

/* The steps in which a use begins and ends, and where; false: it is not of this round. */
static bool use_of(const followed *f, const zl_place_reader *reader, uint32_t *begin, uint32_t *end,
                   uint32_t *place)
{
    bool last = reader->op == f->p->r.operations;
    *begin = *end = 2u * reader->op;
    *place = f->c->read[reader->op][last ? f->v : reader->i];
    if (!last) *end += !replaced(zl_place_form_at(f->c->form[reader->op]), reader->i);
    if (!f->looped) return true;
    return f->last ? *begin > f->made : within(&f->loop, *begin);
}

/* The order of steps: what lies before the value is made is of the next round. */
static uint32_t rank(const followed *f, uint32_t step)
{
    return f->looped && step < f->made ? step + f->loop.length : step;
}

/* When the value gets to a place: at its first use there, or when it first goes on from there;
 * UINT32_MAX: never. */
static void arrive(const followed *f, lives *out)
{
    const zl_place_value *value = &f->p->value[f->v];
    const zl_place_tree *tree = &f->c->tree[f->v];
    for (uint32_t i = 0; i < ZL_PLACES; i++) out->from[i] = UINT32_MAX;
    for (uint32_t k = 0; k < value->readers; k++) {
        uint32_t begin, end, at;
        if (!use_of(f, &value->reader[k], &begin, &end, &at)) continue;
        for (uint32_t hops = 0; hops < ZL_PLACES && at != tree->home; hops++) {
            if (out->from[at] == UINT32_MAX || rank(f, begin) < rank(f, out->from[at]))
                out->from[at] = begin;
            at = tree->source[at];
        }
    }
    out->from[tree->home] = f->made;
}

/* Adds the steps of one round to `own`. */
static void live_round(const followed *f, lives *out)
{
    const zl_place_value *value = &f->p->value[f->v];
    const zl_place_tree *tree = &f->c->tree[f->v];
    arrive(f, out);
    for (uint32_t k = 0; k < value->readers; k++) {
        uint32_t begin, end, at;
        if (use_of(f, &value->reader[k], &begin, &end, &at))
            out->own[at] |= between(&f->loop, out->from[at], end);
    }
    for (uint32_t i = 0; i < ZL_PLACES; i++) {
        if (!(tree->has >> i & 1) || out->from[i] == UINT32_MAX) continue;
        out->own[i] |= steps(out->from[i], out->from[i]);
        if (i != tree->home)
            out->own[tree->source[i]] |=
                between(&f->loop, out->from[tree->source[i]], out->from[i]);
    }
}

/* How many tiles a place holds: `depth` where a value is made, or comes from global memory. */
static uint32_t tiles(const zl_place_program *p, const zl_place_choice *c, uint32_t v,
                      uint32_t place)
{
    const zl_place_tree *tree = &c->tree[v];
    return tree->home == place || tree->source[place] == ZL_GLOBAL ? p->value[v].depth : 1;
}

/* Rounds of the loop: as many as its operation that is done most often. */
static uint64_t rounds_of(const zl_place_program *p)
{
    uint64_t rounds = 0;
    for (uint32_t o = p->r.loop_first; o < p->r.loop_first + p->r.loop_count; o++)
        if (p->runs[o] > rounds) rounds = p->runs[o];
    return rounds;
}

/* Whether something brings or makes a value anew in each round: an operation of the loop, or moves from
 * global memory that have not been made before the loop. */
static bool is_anew(const zl_place_program *p, uint32_t v)
{
    const zl_place_value *value = &p->value[v];
    loop l = loop_of(p);
    if (value->writer != UINT32_MAX) return within(&l, 2 * value->writer);
    for (uint32_t k = 0; k < value->readers; k++)
        if (2u * value->reader[k].op < l.first) return false;
    return p->r.value[v].from == ZLAY_PLACE_GLOBAL;
}

/* Whether a round may read the tile that the round before has read. */
static bool stays(const zl_place_program *p, uint32_t v)
{
    uint64_t times = p->r.value[v].times;
    return times <= 1 || times < rounds_of(p) || !is_anew(p, v);
}

/* Whether a value is read before the loop and in it: each place that it passes is taken in all rounds, whether
 * they read one tile or another one each. */
static bool is_read_before(const zl_place_program *p, uint32_t v)
{
    loop l = loop_of(p);
    return p->value[v].writer == UINT32_MAX && !is_anew(p, v) && p->r.value[v].from == ZLAY_PLACE_GLOBAL && l.length;
}

void zl_place_live(const zl_place_program *p, const zl_place_choice *c, uint32_t v,
                   zl_place_lives *out)
{
    followed f = follow(p, c, v);
    uint64_t whole = f.loop.length ? steps(f.loop.first, f.loop.last) : 0;
    bool looped = f.looped;
    memset(out, 0, sizeof *out);
    live_round(&f, out);
    f.last = true;
    if (f.looped) live_round(&f, out);
    for (uint32_t k = 0; k < p->value[v].readers; k++)
        looped = looped || within(&f.loop, 2u * p->value[v].reader[k].op);
    for (uint32_t i = 0; i < ZL_PLACES; i++) {
        out->tiles[i] = tiles(p, c, v, i);
        bool kept = looped && (stays(p, v) || out->tiles[i] > 1);
        bool there = out->own[i] & whole || (out->own[i] && is_read_before(p, v));
        out->all[i] = out->own[i] | (kept && there ? whole : 0);
    }
}

/* ---- memory --------------------------------------------------------------------------------- */

/* What lies in one kind of memory: buffers, each of a value; several values share one where an
 * operation adds to a sum where it lies. */
typedef struct buffers {
    zl_pack *pack;
    uint64_t own[ZLAY_TMEM_BUFFERS];
    uint32_t of[ZLAY_TMEM_BUFFERS], place[ZLAY_TMEM_BUFFERS];
    uint32_t buffer[ZL_PLACES][ZLAY_PLACES_VALUES];
} buffers;

static void put(buffers *m, const zl_place_program *p, uint32_t v, uint32_t place, const lives *l)
{
    uint32_t i = m->pack->count++, units;
    bool aligned = place != ZL_TENSOR && p->target->features & ZL_HAS_TMA;
    if (__builtin_mul_overflow(p->value[v].room[place], l->tiles[place], &units))
        units = UINT32_MAX;
    m->pack->item[i] = (zl_packed){.columns = units, .align = aligned ? ALIGN : 1,
                                   .life = l->all[place]};
    m->own[i] = l->own[place];
    m->of[i] = v;
    m->place[i] = place;
    m->buffer[place][v] = i;
}

/* Joins the sum that an operation reads in tensor memory with its result, which lies there; false:
 * both are alive in one step. */
static bool join(buffers *m, uint32_t sum, uint32_t result)
{
    uint32_t a = m->buffer[ZL_TENSOR][sum], b = m->buffer[ZL_TENSOR][result];
    if (a == b) return true;
    if (m->own[a] & m->own[b]) return false;
    m->own[a] |= m->own[b];
    m->pack->item[a].life |= m->pack->item[b].life;
    if (m->pack->item[b].columns > m->pack->item[a].columns)
        m->pack->item[a].columns = m->pack->item[b].columns;
    m->pack->item[b].columns = 0;
    for (uint32_t v = 0; v < ZLAY_PLACES_VALUES; v++)
        if (m->buffer[ZL_TENSOR][v] == b) m->buffer[ZL_TENSOR][v] = a;
    return true;
}

bool zl_place_added_again(const zl_place_program *p, uint32_t sum, uint32_t o)
{
    loop l = loop_of(p);
    uint32_t writer = p->value[sum].writer;
    bool anew = writer != UINT32_MAX && within(&l, 2 * writer);
    return within(&l, 2 * o) && !anew && stays(p, sum);
}

static bool join_sums(buffers *m, const zl_place_program *p, const zl_place_choice *c,
                      uint64_t which)
{
    for (uint32_t o = 0; o < p->r.operations; o++) {
        const zlay_places_operation *op = &p->r.operation[o];
        const zl_place_form *form = zl_place_form_at(c->form[o]);
        if (form->sum < 0 || (uint32_t)form->sum >= op->reads || form->result != ZLAY_PLACE_TENSOR)
            continue;
        uint32_t sum = op->read[form->sum], result = op->write[0];
        if (!(which >> sum & which >> result & 1) || sum == result) continue;
        if (zl_place_added_again(p, sum, o) || !join(m, sum, result)) return false;
    }
    return true;
}

/* Drops buffers that were joined to others. */
static void tidy(buffers *m)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < m->pack->count; i++) {
        if (!m->pack->item[i].columns) continue;
        for (uint32_t v = 0; v < ZLAY_PLACES_VALUES; v++)
            for (uint32_t place = 0; place < ZL_PLACES; place++)
                if (m->buffer[place][v] == i) m->buffer[place][v] = kept;
        m->of[kept] = m->of[i];
        m->place[kept] = m->place[i];
        m->pack->item[kept++] = m->pack->item[i];
    }
    m->pack->count = kept;
}

static uint64_t peak_of(const zl_pack *pack)
{
    uint64_t most = 0;
    for (uint32_t t = 0; t < 64; t++) {
        uint64_t sum = 0;
        for (uint32_t i = 0; i < pack->count; i++)
            if (pack->item[i].life >> t & 1) sum += pack->item[i].columns;
        if (sum > most) most = sum;
    }
    return most;
}

/* Finds the places of the buffers in at most `capacity`; in tensor memory in the least power of two
 * of columns. */
static zlay_status pack(const zl_place_program *p, buffers *m, uint32_t kind, zl_place_room *room)
{
    enum { COLUMNS = 32 };
    uint32_t size = kind == ZL_TENSOR ? COLUMNS : p->capacity[kind], end = 0;
    zlay_status status = ZLAY_NONE;
    if (!m->pack->count) return ZLAY_OK;
    m->pack->steps = 2 * p->r.operations + 1;
    m->pack->most = zl_limits(p->ctx)->points;
    for (; status && size <= p->capacity[kind]; size *= 2) {
        m->pack->allocations = 1;
        m->pack->size[0] = m->pack->columns = size;
        status = room->peak[kind] <= size ? zl_pack_search(m->pack) : ZLAY_NONE;
        if (status == ZLAY_ELIMIT || zl_charge(p->ctx, 1 + m->pack->tried)) return ZLAY_ELIMIT;
        if (kind != ZL_TENSOR) break;
    }
    if (status) return status;
    for (uint32_t i = 0; i < m->pack->count; i++)
        if (m->pack->place[i] + m->pack->item[i].columns > end)
            end = m->pack->place[i] + m->pack->item[i].columns;
    room->used[kind] = kind == ZL_TENSOR ? m->pack->columns : end;
    for (uint32_t place = 0; place < ZL_PLACES; place++)
        for (uint32_t v = 0; v < p->r.values; v++)
            if (m->buffer[place][v] != UINT32_MAX)
                room->at[place][v] = m->pack->place[m->buffer[place][v]];
    return ZLAY_OK;
}

/* The places whose values one kind of memory holds: what other blocks send lies in shared
 * memory. */
static uint32_t places_of(uint32_t kind)
{
    return kind == ZL_SHARED ? ZLAY_PLACE_SHARED | ZLAY_PLACE_CLUSTER : 1u << kind;
}

static zlay_status fit(const zl_place_program *p, const zl_place_choice *c, uint64_t which,
                       uint32_t kind, const lives *live_of, zl_place_room *room, bool whole)
{
    zl_pack packing = {0};
    buffers m = {.pack = &packing};
    memset(m.buffer, 0xff, sizeof m.buffer);
    for (uint32_t v = 0; v < p->r.values; v++)
        for (uint32_t place = 0; which >> v & 1 && place < ZL_GLOBAL; place++)
            if (places_of(kind) >> place & 1 && c->tree[v].has >> place & 1)
                put(&m, p, v, place, &live_of[v]);
    if (kind == ZL_TENSOR && !join_sums(&m, p, c, which)) return ZLAY_NONE;
    tidy(&m);
    uint64_t most = peak_of(&packing);
    if (most > p->capacity[kind]) return ZLAY_NONE;
    room->peak[kind] = room->used[kind] = (uint32_t)most;
    return whole && kind != ZL_REGISTER ? pack(p, &m, kind, room) : ZLAY_OK;
}

zlay_status zl_place_fit(const zl_place_program *p, const zl_place_choice *choice, uint64_t which,
                         zl_place_room *room)
{
    static const uint32_t kinds[] = {ZL_REGISTER, ZL_TENSOR, ZL_SHARED};
    lives l[ZLAY_PLACES_VALUES];
    zl_place_room unpacked;
    zl_place_room *to = room ? room : &unpacked;
    zlay_status status = ZLAY_OK;
    memset(to, 0, sizeof *to);
    memset(to->at, 0xff, sizeof to->at);
    for (uint32_t v = 0; v < p->r.values; v++)
        if (which >> v & 1) zl_place_live(p, choice, v, &l[v]);
    for (size_t k = 0; !status && k < ZL_COUNT(kinds); k++)
        status = fit(p, choice, which, kinds[k], l, to, false);
    for (size_t k = 0; room && !status && k < ZL_COUNT(kinds); k++)
        status = fit(p, choice, which, kinds[k], l, to, true);
    return status;
}
