/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a body loads from a stage of shared memory: the elements of a matrix, a row or a column that the thread
 * holds, at the places that the layout bound to the stage gives them. A place is a sum, without carries, of what the
 * thread and the value add, so accesses are as wide as all that threads add is aligned, 16 bytes at most. A register is
 * what an access brings where that is the register's elements in their order; else it is put together from their bits. */
#include "emit/pipe/body/body.h"

#include <stdio.h>
#include <string.h>

enum { BYTE = 8, WORD = 32, WIDEST = 16, ROW = 128 /* bytes of swizzled rows */, NIBBLE = 4 };

/* Bytes that one access brings, into temporaries from number `temp` on. */
typedef struct access {
    uint32_t byte, bytes, temp;
} access;

typedef struct loading {
    zl_pb *t;
    const zl_body_node *node;
    const zlay_pipe_operand *operand;
    zl_pt_table stage;
    zl_pt_placed at;        /* what threads and instances add, in bytes */
    char off[16];           /* the register of that in stage 0, */
    uint32_t begin;         /* to which so many bytes are added */
    uint32_t bits, unit;    /* of an element; bytes that an access may have */
    uint32_t count;         /* values of a thread */
    uint64_t *bit;          /* where they lie, without what the thread adds */
    access *accesses;
    uint32_t accesses_count;
} loading;

static const char *name_of(const loading *f) { return f->t->body->operands[f->node->operand].name; }

static bool refuse(const loading *f, const char *what)
{
    zl_pt_fail(f->t->k, "load(%.64s, ..) %s", name_of(f), what);
    return false;
}

/* ---- places ------------------------------------------------------------------------------ */

/* Coordinates count where the load names them. */
static uint64_t bit_at(const loading *f, uint32_t row, uint32_t column)
{
    uint64_t r = f->node->shape & ZL_ON_ROW ? row : 0, c = f->node->shape & ZL_ON_COLUMN ? column : 0;
    return (uint64_t)f->stage.place[r + f->stage.rows * c] * f->bits;
}

/* How many instances divide the rows of the stage. */
static uint32_t sharers(const loading *f)
{
    const zl_pb *t = f->t;
    bool own = t->k->pipe->smems[f->at.event->smem[0]].each;
    return own || t->divided <= 0 || !(f->node->shape & ZL_ON_ROW) ? 1 : zl_role_instances(t->k->role);
}

static bool reads_layout(loading *f)
{
    const zl_elements *e = f->t->elements;
    const zl_pt_table *stage = &f->stage;
    uint32_t shape = f->node->shape;
    uint64_t columns = shape & ZL_ON_COLUMN ? e->column.extent : 1;
    const char *why = zl_pt_table_read(f->t->k, &f->stage, f->operand->layout);
    if (why) zl_pt_fail(f->t->k, "load(%.64s, ..) has a stage whose layout %s", name_of(f), why);
    if (f->t->k->status) return false;
    if (stage->rows != (shape & ZL_ON_ROW ? (uint64_t)e->row.extent * sharers(f) : 1) ||
        (!f->node->window && stage->columns != columns))
        return refuse(f, "has a stage of another number of rows or columns than the matrix");
    return stage->columns >= f->node->skip + columns ||
           refuse(f, "has a stage without all columns of the matrix");
}

/* The place of value v of thread 0: its row and column are those of the matrix, or the v-th row or column of a thread. */
static uint64_t value_bit(const loading *f, uint32_t v, uint32_t row, uint32_t column)
{
    const zl_elements *e = f->t->elements;
    bool both = f->node->shape == ZL_ON_BOTH, rows = f->node->shape & ZL_ON_ROW;
    uint32_t r = both ? e->row.of[v] : v, c = both ? e->column.of[v] : v;
    return bit_at(f, row + (rows ? e->row.offset[r] : 0),
                  column + f->node->skip + (both || !rows ? e->column.offset[c] : 0));
}

static bool thread_is_linear(const loading *f, uint32_t row, uint32_t column, uint64_t mine)
{
    for (uint32_t v = 0; v < f->count; v++)
        if ((mine & f->bit[v]) || value_bit(f, v, row, column) != (mine | f->bit[v])) return false;
    return true;
}

/* Whether places are sums whose bits never meet. */
static bool is_linear(const loading *f)
{
    const zl_elements *e = f->t->elements;
    uint32_t all = e->threads * sharers(f);
    for (uint32_t t = 0; t < all; t++) {
        uint32_t instance = t / e->threads, row = instance * e->row.extent, column = 0;
        uint64_t mine = (uint64_t)instance * f->at.instance * BYTE;
        for (uint32_t b = 0; 1u << b < e->threads; b++) {
            uint64_t adds = (uint64_t)f->at.thread[b] * BYTE;
            if (!(t >> b & 1)) continue;
            if (mine & adds) return false;
            mine |= adds;
            row += e->row.bit[b];
            column += e->column.bit[b];
        }
        if (!thread_is_linear(f, row, column, mine)) return false;
    }
    return true;
}

static bool finds_values(loading *f)
{
    f->count = f->node->shape == ZL_ON_BOTH ? f->t->elements->values : zl_pb_count(f->t, f->node);
    f->bit = zl_scratch(f->t->k->ctx, f->count, sizeof *f->bit);
    f->accesses = zl_scratch(f->t->k->ctx, f->count, sizeof *f->accesses);
    if (!f->bit || !f->accesses) f->t->k->status = ZLAY_ENOMEM;
    for (uint32_t v = 0; !f->t->k->status && v < f->count; v++) f->bit[v] = value_bit(f, v, 0, 0);
    return !f->t->k->status;
}

/* Bytes that one thread or instance adds; the width of accesses divides them. */
static bool finds_threads(loading *f)
{
    const zl_elements *e = f->t->elements;
    uint64_t all = 0, adds;
    for (uint32_t b = 0; 1u << b < e->threads; b++) {
        all |= adds = bit_at(f, e->row.bit[b], e->column.bit[b]);
        f->at.thread[b] = (uint32_t)(adds / BYTE);
    }
    if (sharers(f) > 1) {
        all |= adds = bit_at(f, e->row.extent, 0);
        f->at.instance = (uint32_t)(adds / BYTE);
    }
    if (all % BYTE) return refuse(f, "has bytes of which several threads hold a part");
    for (f->unit = WIDEST; all / BYTE % f->unit;) f->unit /= 2;
    if (f->at.instance % ((f->at.swizzled + 1) * ROW) && f->at.swizzled)
        return refuse(f, "has instances whose rows begin within the rows that are swizzled together");
    return is_linear(f) || refuse(f, "has places that are no sums of what thread and value add");
}

/* ---- accesses ----------------------------------------------------------------------------- */

/* The least aligned power of two of bytes around those from `first` to `last`. */
static access around(uint32_t first, uint32_t last)
{
    access a = {.byte = first, .bytes = 1};
    while (a.byte + a.bytes <= last) {
        a.bytes *= 2;
        a.byte = first / a.bytes * a.bytes;
    }
    return a;
}

static access *access_of(const loading *f, uint64_t bit)
{
    uint32_t unit = (uint32_t)(bit / BYTE) / f->unit, i = 0;
    while (i < f->accesses_count && f->accesses[i].byte / f->unit != unit) i++;
    return &f->accesses[i];
}

static void find_accesses(loading *f)
{
    for (uint32_t v = 0; v < f->count; v++) {
        access *a = access_of(f, f->bit[v]);
        uint32_t first = (uint32_t)(f->bit[v] / BYTE), last = (uint32_t)((f->bit[v] + f->bits - 1) / BYTE);
        if (a == &f->accesses[f->accesses_count]) {
            *a = around(first, last);
            f->accesses_count++;
        } else {
            uint32_t end = a->byte + a->bytes - 1;
            *a = around(first < a->byte ? first : a->byte, last > end ? last : end);
        }
    }
}

static const char *temp(char room[ZL_PB_NAME], uint32_t number)
{
    snprintf(room, ZL_PB_NAME, "t_%u", number);
    return room;
}

static const char *address(const loading *f, const access *a, const char *slot)
{
    char room[24];
    zl_pipe_text *k = f->t->k;
    uint32_t byte = zl_pt_swizzle(f->at.swizzled, a->byte), low = f->at.swizzled ? byte % ROW : 0;
    uint32_t more = f->begin + byte - low;
    const char *at = f->off;
    if (low) zl_op(k, XOR, "near", at, zl_pt_number(room, low)), at = "near";
    if (*slot != '0') zl_op(k, ADD, "near", at, "at"), at = "near";
    if (more) zl_op(k, ADD, "near", at, zl_pt_number(room, more)), at = "near";
    return at;
}

/* An access of less than 32 bits: a byte or a half, which then stands twice in its register. */
static void say_narrow(const loading *f, const access *a, const char *to, const char *at)
{
    const char *half = f->t->k->c ? "h[0]" : "h_0";
    zl_say(f->t->k, NULL, a->bytes == 1 ? "ld.s.b8" : "ld.s.b16", 1, half, at);
    zl_say(f->t->k, NULL, "mov.b32.pack", 1, to, half, half);
}

static void say_access(loading *f, access *a, const char *slot)
{
    char rooms[4][ZL_PB_NAME], id[32];
    const char *operands[6] = {NULL};
    uint32_t words = a->bytes <= 4 ? 1 : a->bytes / 4;
    a->temp = f->t->temps;
    for (uint32_t i = 0; i < words; i++) operands[i] = zl_pb_temp(f->t, rooms[i]);
    operands[words] = address(f, a, slot);
    if (a->bytes < 4) {
        say_narrow(f, a, rooms[0], operands[1]);
        return;
    }
    if (words > 1) snprintf(id, sizeof id, "ld.s.v%u.b32", words);
    else snprintf(id, sizeof id, "ld.s.b32");
    zl_pt_say(f->t->k, NULL, id, words, operands);
}

/* ---- registers ---------------------------------------------------------------------------- */

/* Where element j of a register stands in it: two neighbours of 4 bits are 16 apart, so that a mask makes them halves. */
static uint32_t stands_at(uint32_t j, uint32_t bits)
{
    return bits == NIBBLE ? j % 2 * 16 + j / 2 * NIBBLE : j * bits;
}

/* The register with a value, and the value's first bit in it. */
static uint32_t source_of(const loading *f, char room[ZL_PB_NAME], uint32_t value)
{
    const access *a = access_of(f, f->bit[value]);
    uint32_t bit = (uint32_t)(f->bit[value] - (uint64_t)a->byte * BYTE);
    temp(room, a->temp + bit / WORD);
    return bit % WORD;
}

/* Whether an access brings a register as it is. */
static bool is_whole(const loading *f, uint32_t first, uint32_t pack, char room[ZL_PB_NAME])
{
    char other[ZL_PB_NAME];
    const access *a = access_of(f, f->bit[first]);
    if (pack == 1) return source_of(f, room, first) == 0; /* a half stands twice where it came alone */
    for (uint32_t j = 0; j < pack; j++) {
        uint32_t at = source_of(f, j ? other : room, first + j);
        if (at != stands_at(j, f->bits) || (j && strcmp(room, other) != 0)) return false;
    }
    return a->bytes >= 4;
}

/* Two halves, each from its register; a row or column stands twice. */
static void say_halves(const loading *f, const char *to, uint32_t first, uint32_t last)
{
    char a[ZL_PB_NAME], b[ZL_PB_NAME], select[40];
    uint32_t low = source_of(f, a, first) / BYTE, high = 4 + source_of(f, b, last) / BYTE;
    snprintf(select, sizeof select, "0x%x%x%x%x", high + 1, high, low + 1, low);
    zl_say(f->t->k, NULL, "prmt", 1, to, a, b, select);
}

static void say_bits(const loading *f, const char *to, uint32_t first, uint32_t pack)
{
    char from[ZL_PB_NAME], part[ZL_PB_NAME], place[24], length[24];
    for (uint32_t j = 0; j < pack; j++) {
        const char *into = j ? zl_pb_temp(f->t, part) : to;
        uint32_t at = source_of(f, from, first + j);
        zl_say(f->t->k, NULL, "bfe.u32", 1, into, from, zl_pt_number(place, at),
               zl_pt_number(length, f->bits));
        if (!j) continue;
        zl_say(f->t->k, NULL, "shl.b32", 1, into, into, zl_pt_number(place, stands_at(j, f->bits)));
        zl_say(f->t->k, NULL, "or.b32", 1, to, to, into);
    }
}

/* Four bytes of the registers of the first and the last; false: one is in another. */
static bool say_bytes(const loading *f, const char *to, uint32_t first)
{
    char low[ZL_PB_NAME], high[ZL_PB_NAME], from[ZL_PB_NAME], select[24];
    uint32_t bytes = source_of(f, low, first) / BYTE;
    source_of(f, high, first + 3);
    for (uint32_t j = 1; j < WORD / BYTE; j++) {
        uint32_t at = source_of(f, from, first + j) / BYTE, second = strcmp(from, low) != 0;
        if (second && strcmp(from, high) != 0) return false;
        bytes |= (at + 4 * second) << 4 * j;
    }
    zl_say(f->t->k, NULL, "prmt", 1, to, low, high, zl_pt_number(select, bytes));
    return true;
}

static void say_register(loading *f, int32_t node, uint32_t i)
{
    char to[ZL_PB_NAME], from[ZL_PB_NAME];
    uint32_t pack = zl_pb_pack(f->node), first = i * pack;
    zl_pb_register(f->t, to, node, i);
    if (f->bits == 16 && pack == 1 && access_of(f, f->bit[first])->bytes >= 4) say_halves(f, to, first, first);
    else if (is_whole(f, first, pack, from)) zl_op(f->t->k, MOV, to, from);
    else if (f->bits == 16) say_halves(f, to, first, first + pack - 1);
    else if (f->bits != BYTE || !say_bytes(f, to, first)) say_bits(f, to, first, pack);
}

/* ---- a load --------------------------------------------------------------------------------- */

/* The event that names the stage of an operand: those of the registers stand before it. */
static const zl_event *event_of(const zl_pb *t, int32_t operand)
{
    const zl_event *e = t->event + t->event->uses;
    for (int32_t i = 0; i < operand; i++) e += t->body->operands[i].sort == ZLAY_BODY_SHARED;
    return e;
}

static bool finds(loading *f)
{
    const zl_pb *t = f->t;
    const zlay_body_operand *o = &t->body->operands[f->node->operand];
    if (!f->operand) return refuse(f, "has a stage of which no operand of the request gives the layout");
    if (f->operand->type != o->type) return refuse(f, "is of another type than its stage");
    f->bits = zlay_type_bits(o->type);
    f->at.swizzled = zl_pt_swizzle_bits(f->operand->swizzle);
    if (f->node->shape == ZL_ON_BOTH && t->elements->values % zl_pb_pack(f->node))
        return refuse(f, "does not fill the registers of a thread");
    return reads_layout(f) && finds_values(f) && finds_threads(f);
}

static loading loading_of(zl_pb *t, int32_t node)
{
    const zl_body_node *n = &t->body->nodes[node];
    loading f = {.t = t, .node = n, .at = {.event = event_of(t, n->operand)}};
    f.operand = zl_pt_operand_of(t->k, f.at.event->smem[0]);
    return f;
}

/* The place of the role whose register has what threads and instances add; NULL: none. */
static const zl_pt_placed *kept(const zl_pipe_text *k, const zl_pt_placed *at)
{
    int32_t smem = at->event->smem[0];
    bool own = zl_pt_instances(k, smem) > 1;
    for (uint32_t i = 0; i < k->loads; i++) {
        const zl_pt_placed *p = &k->load[i];
        int32_t other = p->event->smem[0];
        if (p->instance == at->instance && p->swizzled == at->swizzled && !memcmp(p->thread, at->thread, sizeof p->thread) &&
            (other == smem || (!own && zl_pt_instances(k, other) == 1)))
            return p;
    }
    return NULL;
}

void zl_pb_shared_keep(zl_pb *t, int32_t node)
{
    char name[24];
    zl_pipe_text *k = t->k;
    loading f = loading_of(t, node);
    zl_mark mark = zl_scratch_mark(k->ctx);
    if (finds(&f) && !kept(k, &f.at) && k->loads < ZL_PT_LOADS) {
        f.at.kept = k->puts++;
        k->load[k->loads++] = f.at;
        snprintf(name, sizeof name, "put%u", f.at.kept);
        zl_pt_thread_place(k, name, &f.at, 0);
        zl_pt_keep(k, name);
    }
    zl_scratch_release(k->ctx, mark);
}

/* The register to which a load adds its stage and its bytes. */
static void place_threads(loading *f)
{
    zl_pipe_text *k = f->t->k;
    uint32_t begin = k->smem_at[f->at.event->smem[0]];
    const zl_pt_placed *p = kept(k, &f->at);
    if (p) {
        snprintf(f->off, sizeof f->off, "put%u", p->kept);
        f->begin = begin;
        return;
    }
    snprintf(f->off, sizeof f->off, "off");
    zl_pt_thread_place(k, f->off, &f->at, begin);
}

void zl_pb_shared(zl_pb *t, int32_t node)
{
    char name[24], room[24];
    zl_pipe_text *k = t->k;
    const zl_body_node *n = &t->body->nodes[node];
    loading f = loading_of(t, node);
    int32_t smem = f.at.event->smem[0];
    zl_mark mark = zl_scratch_mark(k->ctx);
    if (finds(&f)) {
        find_accesses(&f);
        place_threads(&f);
        const char *slot = zl_pt_slot(k, name, &f.at.event->at[0], k->pipe->smems[smem].stages);
        if (*slot != '0') zl_op(k, MUL, "at", slot, zl_pt_number(room, k->smem_pitch[smem]));
        for (uint32_t i = 0; i < f.accesses_count; i++) say_access(&f, &f.accesses[i], slot);
        for (uint32_t i = 0; i < zl_pb_count(t, n); i++) say_register(&f, node, i);
    }
    zl_scratch_release(k->ctx, mark);
}
