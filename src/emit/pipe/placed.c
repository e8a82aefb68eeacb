/* SPDX-License-Identifier: Apache-2.0 */
/* Finds where a write puts the elements of a matrix in registers, or the numbers of its rows, into a stage that has a layout, before anything is
 * printed. A place is a sum of what the thread and the value add, in bits that do not carry, and a swizzle is linear over
 * F2 in those bits; so a thread has one place of its own, and each register a number that is added to it by XOR. Elements
 * of 16 bits that lie as the matrices of stmatrix are grouped for it. Numbers of rows are a matrix of one column; the
 * first of the threads that share a row writes it. */
#include "emit/pipe/pipe.h"

#include <string.h>

enum { BYTE = 8, ROW = 128 /* bytes of swizzled rows */, WARP = 32 };

/* A write while its places are found. */
typedef struct placing {
    zl_pipe_text *k;
    zl_pt_placed *out;
    const zlay_pipe_operand *operand;
    const zl_elements *elements;
    zl_pt_table stage;
    uint32_t first;         /* column of the matrix that is column 0 of the stage */
    uint32_t bits;          /* of an element */
    bool own;               /* the stage is the instance's alone */
} placing;

/* What a value or a thread adds: rows and columns of the stage, and bytes. */
typedef struct written {
    uint32_t row, column, byte;
} written;

uint32_t zl_pt_swizzle_bits(int32_t swizzle)
{
    static const uint32_t bits[] = {[ZLAY_SWIZZLE_NONE] = 0,
                                    [ZLAY_SWIZZLE_32B] = 1,
                                    [ZLAY_SWIZZLE_64B] = 3,
                                    [ZLAY_SWIZZLE_128B] = 7};
    return bits[swizzle];
}

uint32_t zl_pt_swizzle(uint32_t bits, uint32_t at)
{
    return at ^ ((at / ROW & bits) << 4);
}

bool zl_pt_has_layout(const zl_pipe_text *k, const zl_event *event)
{
    return event->kind == ZL_EV_WRITE && event->cta == ZL_CTA_OWN && event->smem[0] >= 0 &&
           event->acc >= 0 && k->registers[event->acc].matrix >= 0 &&
           (k->registers[event->acc].sort == ZLAY_BODY_MATRIX ||
            k->registers[event->acc].sort == ZLAY_BODY_ROW) &&
           zl_pt_operand_of(k, event->smem[0]);
}

/* ---- places ------------------------------------------------------------------------------ */

/* The byte of an element in the stage before swizzling. */
static uint32_t byte_at(const placing *f, uint32_t row, uint32_t column)
{
    return (uint32_t)((uint64_t)f->stage.place[row + f->stage.rows * column] * f->bits / BYTE);
}

static bool chosen(const placing *f, uint32_t value)
{
    uint32_t column = f->elements->column.offset[f->elements->column.of[value]];
    return column >= f->first && column - f->first < f->stage.columns;
}

static uint32_t value_byte(const placing *f, uint32_t value)
{
    const zl_elements *e = f->elements;
    return byte_at(f, e->row.offset[e->row.of[value]],
                   e->column.offset[e->column.of[value]] - f->first);
}

/* The values of thread 0 that are written, with their places. */
static uint32_t list_values(const placing *f, written *out)
{
    const zl_elements *e = f->elements;
    uint32_t count = 0;
    for (uint32_t v = 0; v < e->values; v++)
        if (chosen(f, v))
            out[count++] = (written){e->row.offset[e->row.of[v]],
                                     e->column.offset[e->column.of[v]] - f->first, value_byte(f, v)};
    return count;
}

/* Whether the places of a thread, which adds a row and a column, are those of thread 0 plus `mine`. */
static bool thread_is_linear(const placing *f, const written *list, uint32_t count, written mine)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t row = mine.row + list[i].row, column = mine.column + list[i].column;
        if (row >= f->stage.rows || column >= f->stage.columns || (mine.byte & list[i].byte) ||
            byte_at(f, row, column) != (mine.byte | list[i].byte))
            return false;
    }
    return true;
}

/* Whether places are sums whose bits never meet. */
static bool is_linear(const placing *f)
{
    const zl_elements *e = f->elements;
    written list[ZL_ELEMENT_VALUES];
    uint32_t count = list_values(f, list);
    for (uint32_t t = 0; t < e->threads; t++) {
        written mine = {0, 0, 0};
        for (uint32_t b = 0; t >> b; b++) {
            if (!(t >> b & 1)) continue;
            if (mine.byte & f->out->thread[b]) return false;
            mine.row += e->row.bit[b];
            mine.column += e->column.bit[b];
            mine.byte |= f->out->thread[b];
        }
        if (!thread_is_linear(f, list, count, mine)) return false;
    }
    return true;
}

static bool reads_places(placing *f)
{
    const char *why = zl_pt_table_read(f->k, &f->stage, f->operand->layout);
    if (why) zl_pt_fail(f->k, "the layout of the stage %s", why);
    return !f->k->status;
}

static bool fits(const placing *f)
{
    const zl_elements *e = f->elements;
    uint32_t instances = zl_role_instances(f->k->role);
    int32_t part = f->out->event->part;
    if (zl_pt_width(f->k) != e->threads)
        zl_pt_fail(f->k, "a matrix in %u threads, and the role's instance has %u", e->threads,
                   zl_pt_width(f->k));
    else if (f->stage.rows != (uint64_t)e->row.extent * (f->own ? 1 : instances))
        zl_pt_fail(f->k, "a stage of %llu rows for a matrix of %u", (unsigned long long)f->stage.rows,
                   e->row.extent);
    else if (f->first + f->stage.columns > e->column.extent)
        zl_pt_fail(f->k, "part %d of %llu columns is past the matrix's %u", part,
                   (unsigned long long)f->stage.columns, e->column.extent);
    return !f->k->status;
}

static bool finds_threads(placing *f)
{
    const zl_elements *e = f->elements;
    f->own = f->k->pipe->smems[f->out->event->smem[0]].each || zl_role_instances(f->k->role) == 1;
    f->first = zl_pt_part_column(f->k, f->out->event, (uint32_t)f->stage.columns);
    if (!fits(f)) return false;
    if (!f->own) f->out->instance = byte_at(f, e->row.extent, 0);
    for (uint32_t b = 0; 1u << b < e->threads; b++)
        f->out->thread[b] = byte_at(f, e->row.bit[b], e->column.bit[b]);
    if (!is_linear(f))
        zl_pt_fail(f->k, "places in the stage are no sums of what thread and value add");
    return !f->k->status;
}

/* Values of one register lie side by side in the stage. */
static bool together(const placing *f, uint32_t value)
{
    for (uint32_t i = 1; i < f->out->pack; i++)
        if (value_byte(f, value + i) != value_byte(f, value) + i * f->bits / BYTE) return false;
    return true;
}

/* Whether of each register of four bytes two and two lie side by side, and the pairs apart. */
static bool are_halves(const placing *f)
{
    const uint32_t pack = f->out->pack;
    bool halves = f->bits == 8, whole = true;
    for (uint32_t v = 0; v + pack <= f->elements->values && halves; v += pack) {
        if (!chosen(f, v)) continue;
        for (uint32_t i = 0; i < pack; i += 2)
            halves &= value_byte(f, v + i) % 2 == 0 && value_byte(f, v + i + 1) == value_byte(f, v + i) + 1;
        whole &= value_byte(f, v + 2) == value_byte(f, v) + 2;
    }
    return halves && !whole;
}

/* The registers that are written, or halves of registers, in the order of their values. */
static bool finds_registers(placing *f)
{
    zl_pt_placed *p = f->out;
    p->halves = are_halves(f);
    if (p->halves) p->pack = 2;
    uint32_t most = f->elements->values / p->pack, count = 0;
    uint32_t *number = zl_scratch(f->k->ctx, most, sizeof *number);
    uint32_t *byte = zl_scratch(f->k->ctx, most, sizeof *byte);
    if (!number || !byte) {
        f->k->status = ZLAY_ENOMEM;
        return false;
    }
    for (uint32_t r = 0; r < most; r++) {
        if (!chosen(f, r * p->pack)) continue;
        number[count] = r;
        byte[count++] = value_byte(f, r * p->pack);
    }
    p->number = number;
    p->byte = byte;
    p->count = count;
    return true;
}

/* ---- matrices --------------------------------------------------------------------------- */

/* Whether pairs of values and the lowest threads are a row of 16 bytes, as stmatrix stores them: thread 4*r + c has elements
 * 2*c and 2*c + 1 of row r; or of column r, transposed. */
static bool are_rows(placing *f, uint32_t t[ZL_ELEMENT_BITS])
{
    zl_pt_placed *p = f->out;
    uint32_t pair = value_byte(f, p->number[0] * 2 + 1) ^ p->byte[0];
    bool straight = pair == 2 && t[0] == 4 && t[1] == 8;
    p->transposed = t[2] == 2 && t[3] == 4 && t[4] == 8;
    if (!straight && !p->transposed) return false;
    uint32_t bits[] = {straight ? t[2] : pair, straight ? t[3] : t[0], straight ? t[4] : t[1]};
    for (int i = 0; i < 3; i++)
        if (!bits[i] || bits[i] % 16) return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (p->byte[i] % 16 || (value_byte(f, p->number[i] * 2 + 1) ^ p->byte[i]) != pair)
            return false;
    memcpy(t, bits, sizeof bits);
    return true;
}

/* Whether registers lie alike in groups of 2 or 4. The bits of the thread's number then say which row of which matrix it
 * addresses. */
static void find_matrices(placing *f)
{
    zl_pt_placed *p = f->out;
    uint32_t each = p->count % 4 ? 2 : 4, by[2] = {0, 0}, t[ZL_ELEMENT_BITS];
    memcpy(t, p->thread, sizeof t);
    if (f->bits != 16 || !p->count || p->count % 2 || f->elements->threads < WARP) return;
    if (!zl_pt_exists(f->k, "stmatrix.x4")) return;
    for (uint32_t b = 0; 1u << b < each; b++) by[b] = p->byte[0] ^ p->byte[1u << b];
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t in = i % each, way = (in & 1 ? by[0] : 0) ^ (in & 2 ? by[1] : 0);
        if ((p->byte[i] ^ p->byte[i - in]) != way) return;
    }
    if (by[0] & by[1] || !are_rows(f, t)) return;
    t[3] = by[0];
    t[4] = by[1];
    if ((by[0] | by[1]) & (t[0] | t[1] | t[2])) return;
    memcpy(p->thread, t, sizeof t);
    p->matrices = each;
}

static void check_words(const placing *f)
{
    for (uint32_t i = 0; i < f->out->count; i++)
        if (!together(f, f->out->number[i] * f->out->pack))
            zl_pt_fail(f->k, "elements of a register lie apart in the stage");
}

/* Swizzles the places of registers, and finds those within a row at which accesses begin. */
static void swizzle(zl_pt_placed *p, const zlay_pipe_operand *operand)
{
    p->swizzled = zl_pt_swizzle_bits(operand->swizzle);
    for (uint32_t i = 0; i < p->count; i++) p->byte[i] = zl_pt_swizzle(p->swizzled, p->byte[i]);
    for (uint32_t i = 0; i < p->count; i += zl_pt_together(p, i)) {
        uint32_t j = 0;
        while (j < p->chunks && p->chunk[j] != p->byte[i] % ROW) j++;
        if (j == p->chunks) p->chunk[p->chunks++] = p->byte[i] % ROW;
    }
}

/* ---- all writes -------------------------------------------------------------------------- */

/* The rows of a matrix as a matrix of one column, and the bits of a thread's number that move no row. */
static const zl_elements *rows_of(zl_pipe_text *k, zl_pt_placed *p, const zl_elements *matrix)
{
    zl_elements *e = zl_scratch(k->ctx, 1, sizeof *e);
    if (!e) {
        k->status = ZLAY_ENOMEM;
        return NULL;
    }
    e->values = matrix->row.count;
    e->threads = matrix->threads;
    e->row = matrix->row;
    for (uint32_t v = 0; v < e->values; v++) e->row.of[v] = (uint16_t)v;
    e->column.extent = e->column.count = 1;
    for (uint32_t b = 0; 1u << b < e->threads; b++)
        if (!e->row.bit[b]) p->sharing |= 1u << b;
    return e;
}

static void find(zl_pipe_text *k, zl_pt_placed *p)
{
    const zl_event *event = p->event;
    const zl_pt_registers *r = &k->registers[event->acc];
    placing f = {.k = k,
                 .out = p,
                 .operand = zl_pt_operand_of(k, event->smem[0]),
                 .elements = &k->matrices[r->matrix].elements,
                 .bits = zlay_type_bits(r->type)};
    if (r->sort == ZLAY_BODY_ROW) f.elements = rows_of(k, p, f.elements);
    if (r->sort == ZLAY_BODY_ROW && f.bits != 32)
        zl_pt_fail(k, "%s has %u bits, and rows of 32 are written", k->pipe->accs[event->acc].name,
                   f.bits);
    p->pack = 32 / f.bits;
    if (f.operand->type != r->type)
        zl_pt_fail(k, "%s is of another type than the stage", k->pipe->accs[event->acc].name);
    if (k->status || !reads_places(&f) || !finds_threads(&f) || !finds_registers(&f)) return;
    find_matrices(&f);
    if (!p->matrices) check_words(&f);
    swizzle(p, f.operand);
    if (p->instance % ((p->swizzled + 1) * ROW))
        zl_pt_fail(k, "an instance's rows begin within the rows that are swizzled together");
}

static void find_fetch(zl_pipe_text *k, zl_pt_placed *p)
{
    zl_pt_fetch_place(k, p);
    if (!k->status) swizzle(p, zl_pt_operand_of(k, p->event->smem[0]));
}

static bool is_placed(const zl_pipe_text *k, const zl_event *event)
{
    return (event->kind == ZL_EV_FETCH || zl_pt_has_layout(k, event)) && !zl_pt_fragment(k, event);
}

static uint32_t count_all(const zl_pipe_text *k)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < k->pipe->events_count; i++) count += is_placed(k, &k->pipe->events[i]);
    return count;
}

zlay_status zl_pt_places(zl_pipe_text *k)
{
    uint32_t count = count_all(k);
    if (!count) return ZLAY_OK;
    k->placed = zl_scratch(k->ctx, count, sizeof *k->placed);
    if (!k->placed) return ZLAY_ENOMEM;
    for (uint32_t r = 0; r < k->pipe->roles_count; r++) {
        k->role = &k->pipe->roles[r];
        uint32_t loops = 0;
        for (uint32_t i = k->role->begin; i < k->role->end && !k->status; i++) {
            k->event = &k->pipe->events[i];
            if (k->event->kind == ZL_EV_FOR) loops++;
            if (k->event->kind == ZL_EV_END) loops--;
            if (!is_placed(k, k->event)) continue;
            zl_pt_placed *p = &k->placed[k->placed_count++];
            p->event = k->event;
            p->looped = loops > 0;
            if (k->event->kind == ZL_EV_FETCH) find_fetch(k, p);
            else find(k, p);
        }
    }
    k->role = NULL;
    return k->status;
}
