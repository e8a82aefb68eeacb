/* SPDX-License-Identifier: Apache-2.0 */
/* Finds an offset in shared memory for every element, without bank conflicts, by colouring a graph.
 *
 * A unit is the set of elements that the wider access has at one address; a unit stays together.
 * The units of one phase of an access must lie in different banks.  So the vertices are the units,
 * the cliques are the phases, and the colours are the places in a row of all banks.  Where both
 * accesses have the same width and no element has copies, each unit is in one storing and in one
 * loading phase: it is an edge of a bipartite multigraph whose degree is at most the number of
 * colours.  Konig's edge colouring theorem says that a colouring exists, and exchanging two colours
 * along a chain (Kempe) finds it.  In other cases the same steps may fail.  The caller counts the
 * conflicts of the result like those of any other layout.  A unit keeps the place that it has when
 * all units stand in a row, where that is possible. */
#include "synth/convert/lay.h"

enum { ITEMS_MOST = 1 << 14, CHAINS = 1 << 12 };
#define NONE UINT32_MAX

typedef struct item {
    uint32_t clique, unit;
} item;

typedef struct colouring {
    zl_lay *l;
    int wide;                /* the side whose access is wider */
    uint32_t per, bytes;     /* elements and bytes of a unit */
    uint32_t colours, deep;  /* `deep` units narrower than a word share one place of a colour */
    uint32_t *unit;          /* the unit of each element */
    uint8_t *place;          /* the place of each element in its unit */
    uint32_t units, cliques, items, filled; /* filled: places of the last unit that are taken */
    item *item;
    uint32_t *start, *list;  /* cliques of each unit */
    uint32_t *owner;         /* of each clique and colour: the unit that has it, or NONE */
    uint32_t *colour, *chain;
    uint8_t *seen;
} colouring;

/* ---- units ------------------------------------------------------------------------------- */

/* The tensor index of a lane's element e in instance n of a side's access, or ZL_NOBODY. */
static uint64_t element_at(const colouring *c, int side, uint64_t lane, uint64_t e, uint64_t n)
{
    uint64_t slot = zl_lay_slot_at(c->l, side, lane, e, n);
    return slot == ZL_NOBODY ? ZL_NOBODY : (uint64_t)c->l->p->held[side].value[slot];
}

/* Makes a unit of the elements that the wider access has at one address.  False: some of them, but
 * not all, are in a unit already, or in another one, or only some of them exist. */
static bool unit_put(colouring *c, uint64_t lane, uint64_t n)
{
    uint64_t first = element_at(c, c->wide, lane, 0, n), x;
    bool fresh = first != ZL_NOBODY && c->unit[first] == NONE;
    for (uint32_t e = 0; e < c->per; e++) {
        x = element_at(c, c->wide, lane, e, n);
        if ((x == ZL_NOBODY) != (first == ZL_NOBODY)) return false;
        if (x == ZL_NOBODY) continue;
        if (fresh ? c->unit[x] != NONE : c->unit[x] != c->unit[first] || c->place[x] != e)
            return false;
        if (!fresh) continue;
        c->unit[x] = c->units;
        c->place[x] = (uint8_t)e;
    }
    c->units += fresh;
    return true;
}

/* Puts an element that only the narrower access has into a unit of such elements. */
static void filler_put(colouring *c, uint64_t x, uint64_t e, uint64_t each)
{
    if (!e && (c->filled == c->per || c->filled % each)) c->filled = c->per;
    if (c->filled == c->per) {
        c->filled = 0;
        c->units++;
    }
    c->unit[x] = c->units - 1;
    c->place[x] = (uint8_t)c->filled++;
}

/* Checks that the elements of the narrower access at one address are an aligned part of one unit;
 * elements that have no unit yet get one. */
static bool part_put(colouring *c, uint64_t lane, uint64_t n)
{
    int side = !c->wide;
    uint64_t each = c->l->side[side].each, first = element_at(c, side, lane, 0, n), x;
    bool fresh = first != ZL_NOBODY && c->unit[first] == NONE;
    for (uint64_t e = 0; e < each; e++) {
        x = element_at(c, side, lane, e, n);
        if ((x == ZL_NOBODY) != (first == ZL_NOBODY)) return false;
        if (x == ZL_NOBODY) continue;
        if (fresh && c->unit[x] != NONE) return false;
        if (fresh) filler_put(c, x, e, each);
        if (c->unit[x] != c->unit[first] || c->place[x] != c->place[first] + e) return false;
    }
    return first == ZL_NOBODY || c->place[first] % each == 0;
}

static bool units_put(colouring *c)
{
    uint64_t lanes = c->l->p->c->machine.lanes;
    for (uint64_t n = 0; n < zl_lay_instances(c->l, c->wide); n++)
        for (uint64_t lane = 0; lane < lanes; lane++)
            if (!unit_put(c, lane, n)) return false;
    c->filled = c->per;
    for (uint64_t n = 0; n < zl_lay_instances(c->l, !c->wide); n++)
        for (uint64_t lane = 0; lane < lanes; lane++)
            if (!part_put(c, lane, n)) return false;
    return c->units > 0;
}

/* ---- cliques ----------------------------------------------------------------------------- */

/* Adds the cliques of one phase: for each word of a unit, the units that the phase accesses at that
 * word. */
static void phase_put(colouring *c, int side, uint64_t n, uint64_t phase)
{
    uint32_t words = c->bytes < 4 ? 1 : c->bytes / 4, element = c->l->p->c->bits / 8;
    for (; phase; phase &= phase - 1) {
        uint64_t x = element_at(c, side, (uint64_t)__builtin_ctzll(phase), 0, n);
        if (x == ZL_NOBODY) continue;
        uint32_t word = c->place[x] * element / 4;
        c->item[c->items++] = (item){c->cliques + word, c->unit[x]};
    }
    c->cliques += words;
}

static bool cliques_put(colouring *c)
{
    for (int side = ZL_SRC; side <= ZL_DST; side++) {
        zl_banked banked;
        if (zl_banked_of(&banked, c->l->p->c->target, c->l->side[side].form->access)) return false;
        if (!banked.model) return false;
        for (uint64_t n = 0; n < zl_lay_instances(c->l, side); n++)
            for (uint32_t i = 0; i < banked.model->count; i++)
                phase_put(c, side, n, banked.model->phases[i]);
    }
    return true;
}

/* Sorts the items by unit: the list of cliques of each unit. */
static void lists_make(colouring *c)
{
    for (uint32_t i = 0; i < c->items; i++) c->start[c->item[i].unit + 1]++;
    for (uint32_t u = 0; u < c->units; u++) c->start[u + 1] += c->start[u];
    for (uint32_t i = c->items; i-- > 0;) {
        uint32_t u = c->item[i].unit;
        c->list[c->start[u] + c->chain[u]++] = c->item[i].clique;
    }
}

/* ---- colours ----------------------------------------------------------------------------- */

static uint32_t *owner_of(const colouring *c, uint32_t clique, uint32_t colour)
{
    return &c->owner[clique * c->colours + colour];
}

/* Whether no clique of the unit has the colour already. */
static bool may_have(const colouring *c, uint32_t u, uint32_t colour)
{
    for (uint32_t i = c->start[u]; i < c->start[u + 1]; i++)
        if (*owner_of(c, c->list[i], colour) != NONE) return false;
    return true;
}

static void paint(colouring *c, uint32_t u, uint32_t colour)
{
    for (uint32_t i = c->start[u]; i < c->start[u + 1]; i++)
        *owner_of(c, c->list[i], colour) = u;
    c->colour[u] = colour;
}

static void wipe(colouring *c, uint32_t u)
{
    for (uint32_t i = c->start[u]; i < c->start[u + 1]; i++)
        *owner_of(c, c->list[i], c->colour[u]) = NONE;
}

/* Appends to the chain the units that have this colour in a clique of unit u. */
static void reach(colouring *c, uint32_t u, uint32_t colour, uint32_t *count)
{
    for (uint32_t i = c->start[u]; i < c->start[u + 1]; i++) {
        uint32_t v = *owner_of(c, c->list[i], colour);
        if (v == NONE || c->seen[v]) continue;
        c->seen[v] = 1;
        c->chain[(*count)++] = v;
    }
}

/* Exchanges colours a and b in every unit that a chain of these two colours connects to a unit
 * which keeps colour a from unit u (a Kempe chain). */
static void exchange(colouring *c, uint32_t u, uint32_t a, uint32_t b)
{
    uint32_t count = 0;
    reach(c, u, a, &count);
    for (uint32_t i = 0; i < count; i++)
        reach(c, c->chain[i], c->colour[c->chain[i]] == a ? b : a, &count);
    for (uint32_t i = 0; i < count; i++) wipe(c, c->chain[i]);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t v = c->chain[i];
        c->seen[v] = 0;
        paint(c, v, c->colour[v] == a ? b : a);
    }
}

/* Whether no clique of the unit has both colours.  Then, in a bipartite multigraph, the exchange of
 * the two colours frees the first one for the unit. */
static bool may_change(const colouring *c, uint32_t u, uint32_t a, uint32_t b)
{
    for (uint32_t i = c->start[u]; i < c->start[u + 1]; i++)
        if (*owner_of(c, c->list[i], a) != NONE && *owner_of(c, c->list[i], b) != NONE)
            return false;
    return a != b;
}

/* Finds two colours whose exchange frees the first one for the unit, and paints it; false: no pair
 * that was tried does, and all colours are as before. */
static bool repaint(colouring *c, uint32_t u, uint32_t *tries)
{
    for (uint32_t a = 0; a < c->colours; a++)
        for (uint32_t b = 0; b < c->colours && *tries; b++) {
            if (!may_change(c, u, a, b)) continue;
            --*tries;
            exchange(c, u, a, b);
            if (may_have(c, u, a)) {
                paint(c, u, a);
                return true;
            }
            exchange(c, u, b, a);
        }
    return false;
}

/* The colour that a unit has when all units stand in a row. */
static uint32_t own_colour(const colouring *c, uint32_t u) { return u / c->deep % c->colours; }

/* Paints a unit with its own colour or the next free one; else tries exchanges. */
static bool colour_put(colouring *c, uint32_t u, uint32_t *tries)
{
    for (uint32_t i = 0; i < c->colours; i++) {
        uint32_t colour = (own_colour(c, u) + i) % c->colours;
        if (!may_have(c, u, colour)) continue;
        paint(c, u, colour);
        return true;
    }
    return repaint(c, u, tries);
}

/* ---- offsets ----------------------------------------------------------------------------- */

/* The cell of a colour at a height.  A cell is a place for one unit; the cells of one row of all
 * banks follow each other. */
static uint32_t cell_of(const colouring *c, uint32_t colour, uint32_t height)
{
    return (height / c->deep * c->colours + colour) * c->deep + height % c->deep;
}

/* The lowest free cell of a unit's colour.  A cell is not free when the unit of that number has its
 * own colour, because that unit stays there. */
static uint32_t free_cell(const colouring *c, uint32_t u, uint32_t *height)
{
    for (;; ++*height) {
        uint32_t cell = cell_of(c, c->colour[u], *height);
        bool kept = cell < c->units && c->colour[cell] == own_colour(c, cell);
        if (!kept) return cell;
    }
}

/* Sets the offset of every element; returns the elements that the layout spans.  A unit that has
 * its own colour stays where it lies in the row. */
static uint64_t offsets_set(colouring *c)
{
    uint32_t *cell = c->chain, height[ZL_COLOURS] = {0}, most = 0;
    for (uint32_t u = 0; u < c->units; u++) {
        uint32_t *free = &height[c->colour[u]];
        bool kept = c->colour[u] == own_colour(c, u);
        cell[u] = kept ? u : free_cell(c, u, free);
        if (!kept) ++*free;
        most = cell[u] >= most ? cell[u] + 1 : most;
    }
    for (uint64_t x = 0; x < c->l->size; x++) {
        uint32_t u = c->unit[x];
        zl_table_set(&c->l->offset, x, u == NONE ? 0 : (int64_t)cell[u] * c->per + c->place[x]);
    }
    return (uint64_t)most * c->per;
}

static bool colours_put(colouring *c)
{
    uint32_t tries = CHAINS;
    for (uint32_t i = 0; i < c->cliques * c->colours; i++) c->owner[i] = NONE;
    for (uint32_t u = 0; u < c->units; u++) c->chain[u] = 0;
    lists_make(c);
    for (uint32_t u = 0; u < c->units; u++)
        if (!colour_put(c, u, &tries)) return false;
    return true;
}

/* ---- memory ------------------------------------------------------------------------------ */

static uint64_t items_of(const zl_lay *l)
{
    uint64_t lanes = l->p->c->machine.lanes;
    return (zl_lay_instances(l, ZL_SRC) + zl_lay_instances(l, ZL_DST)) * lanes;
}

/* Sets the sizes; false: the problem is too large, or a row of banks is unknown. */
static bool colouring_begin(colouring *c, zl_lay *l)
{
    const zl_conversion *conversion = l->p->c;
    uint64_t pieces = zl_limits(conversion->ctx)->pieces;
    uint64_t each[2] = {l->side[ZL_SRC].each, l->side[ZL_DST].each};
    uint32_t row = conversion->machine.banks * conversion->machine.bank_bytes;
    c->l = l;
    c->wide = each[ZL_DST] > each[ZL_SRC] ? ZL_DST : ZL_SRC;
    c->per = (uint32_t)each[c->wide];
    c->bytes = c->per * (conversion->bits / 8);
    c->colours = row / (c->bytes < 4 ? 4 : c->bytes);
    c->deep = c->bytes < 4 ? 4 / c->bytes : 1;
    bool prints = l->p->slots[ZL_SRC] <= pieces && l->p->slots[ZL_DST] <= pieces;
    return prints && row && c->colours && c->colours <= ZL_COLOURS && l->size <= pieces &&
           items_of(l) <= ITEMS_MOST;
}

/* Divides one allocation among the arrays. */
static void share_out(colouring *c, uint32_t *words, uint64_t items)
{
    uint64_t size = c->l->size;
    c->unit = words;
    c->start = c->unit + size;
    c->colour = c->start + size + 1;
    c->chain = c->colour + size;
    c->list = c->chain + size;
    c->item = (item *)(void *)(c->list + items);
    c->place = (uint8_t *)(c->item + items);
    c->seen = c->place + size;
    for (uint64_t x = 0; x < size; x++) c->unit[x] = NONE;
}

zlay_status zl_lay_colour(zl_lay *l)
{
    colouring c = {0};
    zlay_ctx *ctx = l->p->c->ctx;
    zlay_allocator alloc = zl_allocator(ctx);
    if (!colouring_begin(&c, l)) return ZLAY_OK;
    uint64_t items = items_of(l), words = 4 * l->size + 1 + 3 * items + (2 * l->size + 3) / 4;
    uint32_t *room = zl_alloc(ctx, words, sizeof *room);
    if (!room) return ZLAY_ENOMEM;
    share_out(&c, room, items);
    bool served = units_put(&c) && cliques_put(&c);
    zlay_status status = ZLAY_OK;
    uint64_t owners = (uint64_t)c.cliques * c.colours;
    if (served && !(c.owner = zl_alloc(ctx, owners, sizeof *c.owner))) status = ZLAY_ENOMEM;
    if (served && !status && colours_put(&c)) zl_lay_offer(l, offsets_set(&c));
    zl_free(&alloc, c.owner, owners * sizeof *c.owner);
    zl_free(&alloc, room, words * sizeof *room);
    return status;
}
