/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the write of a matrix in registers into a stage that has a layout: each element goes to
 * its place, swizzled as the stage's operand says. A place is a sum of what the thread and the
 * value add, in bits that do not carry, and a swizzle is linear over F2 in those bits; so a thread
 * computes its own part once, and every store adds a constant by XOR. Elements of 16 bits that lie as
 * the matrices of stmatrix are stored by it, others a register at a time. */
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <string.h>

enum { WORD = 4, WORD_BITS = 32, BYTE = 8, ROW = 128 /* bytes of swizzled rows */ };

typedef struct put {
    zl_pipe_text *k;
    const zl_event *event;
    const zlay_pipe_operand *operand;
    const zl_elements *elements;
    const int64_t *place;             /* (row, column) -> element of the stage */
    uint64_t rows, columns;           /* of the stage */
    uint32_t first;                   /* column of the matrix that is column 0 of the stage */
    uint32_t bits;                    /* of an element */
    uint32_t thread[ZL_ELEMENT_BITS]; /* bytes that each bit of the thread's number adds */
    uint32_t instance;                /* bytes that an instance adds */
    uint32_t value[ZL_ELEMENT_VALUES]; /* the first of each register that is written */
    uint32_t count;
    uint32_t matrices; /* of an stmatrix, 2 or 4; 0: registers are stored one by one */
    bool transposed;
} put;

static const zlay_pipe_operand *operand_of(const zl_pipe_text *k, int32_t smem)
{
    for (uint32_t i = 0; i < k->ask->operands_count; i++)
        if (!strcmp(k->ask->operands[i].smem, k->pipe->smems[smem].name))
            return &k->ask->operands[i];
    return NULL;
}

bool zl_pt_has_layout(const zl_pipe_text *k, const zl_event *event)
{
    return event->smem[0] >= 0 && event->acc >= 0 && k->registers[event->acc].matrix >= 0 &&
           k->registers[event->acc].sort == ZLAY_BODY_MATRIX && operand_of(k, event->smem[0]);
}

/* The byte of an element in the stage before swizzling. */
static uint32_t byte_at(const put *p, uint32_t row, uint32_t column)
{
    return (uint32_t)((uint64_t)p->place[row + p->rows * column] * p->bits / BYTE);
}

/* What the swizzle of the operand makes of a byte's offset: within rows of 128 bytes, chunks of 16
 * are exchanged by the number of the row. */
static uint32_t swizzled(const put *p, uint32_t at)
{
    static const uint32_t chunks[] = {[ZLAY_SWIZZLE_NONE] = 0,
                                      [ZLAY_SWIZZLE_32B] = 1,
                                      [ZLAY_SWIZZLE_64B] = 3,
                                      [ZLAY_SWIZZLE_128B] = 7};
    return at ^ ((at / ROW & chunks[p->operand->swizzle]) << 4);
}

static bool chosen(const put *p, uint32_t value)
{
    uint32_t column = p->elements->column.offset[p->elements->column.of[value]];
    return column >= p->first && column - p->first < p->columns;
}

static uint32_t value_byte(const put *p, uint32_t value)
{
    const zl_elements *e = p->elements;
    return byte_at(p, e->row.offset[e->row.of[value]],
                   e->column.offset[e->column.of[value]] - p->first);
}

/* Whether places are sums whose bits never meet. */
static bool is_linear(const put *p)
{
    const zl_elements *e = p->elements;
    for (uint32_t v = 0; v < e->values; v++)
        for (uint32_t t = 0; chosen(p, v) && t < e->threads; t++) {
            uint32_t row = e->row.offset[e->row.of[v]];
            uint32_t column = e->column.offset[e->column.of[v]] - p->first, mine = 0;
            for (uint32_t b = 0; t >> b; b++) {
                if (!(t >> b & 1)) continue;
                row += e->row.bit[b];
                column += e->column.bit[b];
                if (mine & p->thread[b]) return false;
                mine |= p->thread[b];
            }
            if (row >= p->rows || column >= p->columns || (mine & value_byte(p, v)) ||
                byte_at(p, row, column) != (mine | value_byte(p, v)))
                return false;
        }
    return true;
}

/* ---- the request -------------------------------------------------------------------- */

static bool reads_places(put *p)
{
    uint64_t box[2];
    const zlay_layout *layout = p->operand->layout;
    if (zlay_layout_box(box, 2, layout) != 2 || box[0] * box[1] != zlay_layout_size(layout) ||
        zlay_layout_size(layout) > UINT16_MAX + 1u)
        return !zl_pt_fail(p->k, "the layout of the stage is not (row, column) -> element");
    int64_t *place = zl_scratch(p->k->ctx, box[0] * box[1], sizeof *place);
    p->rows = box[0];
    p->columns = box[1];
    p->place = place;
    if (!place) p->k->status = ZLAY_ENOMEM;
    if (place && zlay_layout_eval_many(place, NULL, layout, NULL, 0, box[0] * box[1]))
        zl_pt_fail(p->k, "the layout of the stage has no value somewhere");
    return !p->k->status;
}

static bool fits(put *p)
{
    const zl_elements *e = p->elements;
    uint32_t instances = zl_role_instances(p->k->role);
    bool own = p->k->pipe->smems[p->event->smem[0]].each || instances == 1;
    p->first = zl_pt_part_column(p->k, (uint32_t)p->columns);
    if (zl_pt_width(p->k) != e->threads)
        zl_pt_fail(p->k, "a matrix in %u threads, and the role's instance has %u", e->threads,
                   zl_pt_width(p->k));
    else if (p->rows != (uint64_t)e->row.extent * (own ? 1 : instances))
        zl_pt_fail(p->k, "a stage of %llu rows for a matrix of %u", (unsigned long long)p->rows,
                   e->row.extent);
    else if (p->first + p->columns > e->column.extent)
        zl_pt_fail(p->k, "part %d of %llu columns is past the matrix's %u", p->event->part,
                   (unsigned long long)p->columns, e->column.extent);
    if (p->k->status) return false;
    if (!own) p->instance = byte_at(p, e->row.extent, 0);
    for (uint32_t b = 0; 1u << b < e->threads; b++)
        p->thread[b] = byte_at(p, e->row.bit[b], e->column.bit[b]);
    if (!is_linear(p))
        zl_pt_fail(p->k, "places in the stage are no sums of what thread and value add");
    return !p->k->status;
}

/* Values of one register lie side by side in the stage. */
static bool together(const put *p, uint32_t value, uint32_t pack)
{
    for (uint32_t i = 1; i < pack; i++)
        if (value_byte(p, value + i) != value_byte(p, value) + i * p->bits / BYTE) return false;
    return true;
}

/* ---- matrices --------------------------------------------------------------------------- */

/* What two values lie apart, in bits. */
static uint32_t apart(const put *p, uint32_t a, uint32_t b)
{
    return value_byte(p, a) ^ value_byte(p, b);
}

/* Whether pairs of values and the lowest threads are a row of 16 bytes, as stmatrix stores them:
 * thread 4*r + c has elements 2*c and 2*c + 1 of row r; or of column r, transposed. */
static bool are_rows(put *p)
{
    uint32_t pair = apart(p, p->value[0], p->value[0] + 1), *t = p->thread;
    bool straight = pair == 2 && t[0] == 4 && t[1] == 8;
    p->transposed = t[2] == 2 && t[3] == 4 && t[4] == 8;
    if (!straight && !p->transposed) return false;
    uint32_t bits[] = {straight ? t[2] : pair, straight ? t[3] : t[0], straight ? t[4] : t[1]};
    for (int i = 0; i < 3; i++)
        if (!bits[i] || bits[i] % 16) return false;
    for (uint32_t i = 0; i < p->count; i++)
        if (value_byte(p, p->value[i]) % 16 || apart(p, p->value[i], p->value[i] + 1) != pair)
            return false;
    memcpy(t, bits, sizeof bits);
    return true;
}

/* Whether registers lie alike in groups of 2 or 4. The bits of the thread's number then say which
 * row of which matrix it addresses. */
static void find_matrices(put *p)
{
    uint32_t each = p->count % 4 ? 2 : 4, *t = p->thread;
    uint32_t by[2] = {0, 0}, old[ZL_ELEMENT_BITS];
    memcpy(old, t, sizeof old);
    if (p->bits != 16 || p->count % 2 || p->elements->threads < 32) return;
    for (uint32_t b = 0; 1u << b < each; b++) by[b] = apart(p, p->value[0], p->value[1u << b]);
    for (uint32_t i = 0; i < p->count; i++) {
        uint32_t in = i % each, way = (in & 1 ? by[0] : 0) ^ (in & 2 ? by[1] : 0);
        if (apart(p, p->value[i], p->value[i - in]) != way) return;
    }
    if (by[0] & by[1] || !are_rows(p)) return;
    t[3] = by[0];
    t[4] = by[1];
    if ((by[0] | by[1]) & (t[0] | t[1] | t[2])) memcpy(t, old, sizeof old);
    else p->matrices = each;
}

/* ---- text ------------------------------------------------------------------------------ */

/* off: the thread's part, swizzled; at: where the instance's part of the stage begins. */
static void thread_place(put *p)
{
    char room[24];
    zl_pt_stage(p->k, "at", p->event->smem[0], &p->event->at[0]);
    if (p->instance) zl_op(p->k, MAD, "at", "instance", zl_pt_number(room, p->instance), "at");
    zl_pt_thread_sum(p->k, "off", "near", p->thread);
    if (p->operand->swizzle == ZLAY_SWIZZLE_NONE) return;
    zl_op(p->k, SHR, "near", "off", "7");
    zl_op(p->k, AND, "near", "near", zl_pt_number(room, swizzled(p, 7 * ROW) / 16 & 7));
    zl_op(p->k, SHL, "near", "near", "4");
    zl_op(p->k, XOR, "off", "off", "near");
}

/* near: where value number `value` of the thread lies. */
static void value_place(put *p, uint32_t value)
{
    char room[24];
    zl_op(p->k, XOR, "near", "off", zl_pt_number(room, swizzled(p, value_byte(p, value))));
    zl_op(p->k, ADD, "near", "near", "at");
}

/* Stores a register at a time. */
static void store_words(put *p, uint32_t pack)
{
    char name[96];
    for (uint32_t i = 0; i < p->count; i++) {
        if (!together(p, p->value[i], pack))
            zl_pt_fail(p->k, "elements of a register lie apart in the stage");
        value_place(p, p->value[i]);
        zl_say(p->k, NULL, "st.s.b32", 0, "near",
               zl_pt_acc(p->k, name, p->event->acc, p->value[i] / pack));
    }
}

/* Stores 2 or 4 registers at a time as matrices of 8 rows. */
static void store_matrices(put *p, uint32_t pack)
{
    char id[32], names[4][96];
    const char *operands[6] = {"near"};
    snprintf(id, sizeof id, "stmatrix.x%u%s", p->matrices, p->transposed ? ".trans" : "");
    for (uint32_t i = 0; i < p->count; i += p->matrices) {
        for (uint32_t m = 0; m < p->matrices; m++)
            operands[1 + m] =
                zl_pt_acc(p->k, names[m], p->event->acc, p->value[i + m] / pack);
        value_place(p, p->value[i]);
        zl_pt_say(p->k, NULL, id, 0, operands);
    }
}

void zl_pt_put(zl_pipe_text *k, const zl_event *event)
{
    const zl_pt_registers *r = &k->registers[event->acc];
    put p = {.k = k,
             .event = event,
             .operand = operand_of(k, event->smem[0]),
             .elements = &k->matrices[r->matrix].elements,
             .bits = zlay_type_bits(r->type)};
    uint32_t pack = WORD_BITS / p.bits;
    zl_mark mark = zl_scratch_mark(k->ctx);
    if (p.operand->type != r->type)
        zl_pt_fail(k, "%s is of another type than the stage", k->pipe->accs[event->acc].name);
    if (!k->status && reads_places(&p) && fits(&p)) {
        for (uint32_t v = 0; v < p.elements->values; v += pack)
            if (chosen(&p, v)) p.value[p.count++] = v;
        if (p.count) find_matrices(&p);
        thread_place(&p);
        if (p.matrices) store_matrices(&p, pack);
        else store_words(&p, pack);
    }
    zl_scratch_release(k->ctx, mark);
}
