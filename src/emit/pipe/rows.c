/* SPDX-License-Identifier: Apache-2.0 */
/* Prints moves whose boxes threads copy, where no tensor copy may: by cp.async with zeros past the edges, by loads and
 * stores of one element, and from shared memory by guarded stores. Thread t starts at byte t * width of the box as it lies
 * in shared memory and goes on by threads * width; a row of the box is a row of the swizzle, or one of 128 bytes has several.
 * The swizzle XORs the number of the 128-byte line onto the number of the 16-byte chunk. A step advances by whole lines, so
 * each address of a thread is its first one, one XOR and one constant. */
#include "base/arith.h"
#include "emit/pipe/pipe.h"

#include <stdio.h>
#include <string.h>
#include <zlay/copy.h>

enum { LINE = 128 /* bytes of shared memory that the swizzle takes as one */, CHUNK_BITS = 4, LINE_BITS = 7 };

/* A move by threads and one of its boxes. */
typedef struct thread_box {
    const zlay_pipe_move *move;
    uint32_t number; /* of the move: registers off<number> and so on are its */
    zlay_tensormap map;
    zlay_copy copy;
    uint32_t element, span; /* bytes of an element, of a row */
    uint32_t step, steps;   /* bytes that all threads move at once; how often */
} thread_box;

/* Reads box i of a move; false: it has none. */
static bool box_read(const zl_pipe_text *k, thread_box *b, const zlay_pipe_move *move, uint32_t i)
{
    *b = (thread_box){.move = move, .number = (uint32_t)(move - k->ask->moves)};
    if (zlay_move_copy_nth(&b->copy, move->move, i) ||
        zlay_move_map_nth(&b->map, move->move, b->copy.map))
        return false;
    b->element = zlay_type_bits(b->map.type) / 8;
    b->span = b->map.box[0] * b->element;
    b->step = zl_pt_width(k) * b->copy.width;
    b->steps = b->copy.bytes / b->step;
    return true;
}

/* The bits of a line's number that the swizzle uses. */
static uint32_t line_mask(const thread_box *b) { return (1u << b->map.swizzle) - 1; }

static uint32_t step_rows(const thread_box *b) { return b->step / b->span; }

/* A register of the move: what, and the move's number. */
static const char *own(const thread_box *b, char room[24], const char *what)
{
    snprintf(room, 24, "%s%u", what, b->number);
    return room;
}

/* ---- what a thread keeps of a move for the whole role --------------------------------------- */

void zl_pt_rows_declare(zl_pipe_text *k)
{
    for (uint32_t i = 0; i < k->ask->moves_count; i++) {
        if (!zl_pt_by_threads(&k->ask->moves[i])) continue;
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint32_t off%u, row%u, col%u;"
                           : ".reg .b32 off%u, row%u, col%u;", i, i, i);
        zl_pt_line(k, k->c ? "[[maybe_unused]] uint64_t from%u;" : ".reg .b64 from%u;", i);
    }
}

/* The thread's first byte of a box, swizzled and as row and column, and the operand's address. */
static void keep(zl_pipe_text *k, const thread_box *b)
{
    char off[24], row[24], col[24], from[24], room[24];
    own(b, off, "off");
    own(b, row, "row");
    own(b, col, "col");
    own(b, from, "from");
    zl_op(k, MUL, off, "rtid", zl_pt_number(room, b->copy.width));
    zl_op(k, DIV, row, off, zl_pt_number(room, b->span));
    zl_op(k, REM, col, off, room);
    if (b->element > 1) zl_op(k, SHR, col, col, zl_pt_number(room, zl_log2(b->element)));
    zl_op(k, SHR, "w0", off, zl_pt_number(room, LINE_BITS));
    zl_op(k, AND, "w0", "w0", zl_pt_number(room, line_mask(b)));
    zl_op(k, SHL, "w0", "w0", zl_pt_number(room, CHUNK_BITS));
    zl_op(k, XOR, off, off, "w0");
    zl_op(k, LOAD64, from, k->plan->address[b->number]);
}

/* Whether the role has an event of the move. */
static bool in_role(const zl_pipe_text *k, const zlay_pipe_move *move)
{
    for (uint32_t i = k->role->begin; i < k->role->end; i++)
        if (zl_pt_move(k, &k->pipe->events[i]) == move) return true;
    return false;
}

void zl_pt_rows_begin(zl_pipe_text *k)
{
    thread_box b;
    for (uint32_t i = 0; i < k->ask->moves_count; i++) {
        const zlay_pipe_move *move = &k->ask->moves[i];
        if (zl_pt_by_threads(move) && in_role(k, move) && box_read(k, &b, move, 0)) keep(k, &b);
    }
}

/* ---- one box --------------------------------------------------------------------------------- */

/* gp: the address of the thread's first element, whose column is x0; x1: rows from there to the end. */
static void first_element(zl_pipe_text *k, const thread_box *b)
{
    char name[24], room[24];
    for (uint32_t dim = 0; dim < 2; dim++) zl_pt_coordinate(k, b->move, &b->copy, dim);
    zl_op(k, ADD, "x0", "x0", own(b, name, "col"));
    zl_op(k, ADD, "x1", "x1", own(b, name, "row"));
    zl_op(k, WIDEN, "wide", "x1");
    zl_op(k, SCALED64, "gp", "wide", zl_pt_number(room, b->map.stride[0]), own(b, name, "from"));
    zl_op(k, FURTHER, "gp", "x0", zl_pt_number(room, b->element));
    zl_op(k, SUB, "x1", zl_pt_number(room, b->map.extent[1]), "x1");
}

/* to: where a step begins in shared memory; the box is at `at`. Its lines XOR the thread's chunk. */
static void shared_step(zl_pipe_text *k, const thread_box *b, uint32_t step)
{
    char name[24], room[24];
    uint32_t lines = step * b->step / LINE & line_mask(b);
    zl_op(k, XOR, "to", own(b, name, "off"), zl_pt_number(room, lines << CHUNK_BITS));
    zl_op(k, ADD, "to", "to", "at");
    zl_op(k, ADD, "to", "to", zl_pt_number(room, step * b->step));
}

/* gq: where a step begins in global memory; wrap: its row is inside the matrix. */
static void global_step(zl_pipe_text *k, const thread_box *b, uint32_t step)
{
    char room[24];
    zl_op(k, SUM64, "gq", "gp", zl_pt_number(room, step * step_rows(b) * b->map.stride[0]));
    zl_op(k, ABOVE, "wrap", "x1", zl_pt_number(room, step * step_rows(b)));
}

/* done: the thread's column is inside the matrix. */
static void column_inside(zl_pipe_text *k, const thread_box *b)
{
    char room[24];
    zl_op(k, UNDER, "done", "x0", zl_pt_number(room, b->map.extent[0]));
}

/* x0: bytes of the thread's access that lie in the row. Where a row's bytes pass 32 bits, its elements are bounded before
 * they are counted in bytes. */
static void bytes_inside(zl_pipe_text *k, const thread_box *b)
{
    char room[24];
    zl_op(k, SUB, "x0", zl_pt_number(room, b->map.extent[0]), "x0");
    if (b->map.extent[0] > INT32_MAX / b->element)
        zl_op(k, LOWER, "x0", "x0", zl_pt_number(room, b->copy.width / b->element));
    if (b->element > 1) zl_op(k, SHL, "x0", "x0", zl_pt_number(room, zl_log2(b->element)));
    zl_op(k, UPPER, "x0", "x0", "0");
    zl_op(k, LOWER, "x0", "x0", zl_pt_number(room, b->copy.width));
}

/* cp.async of each step; bytes past the end of a row or of the matrix become zeros. */
static void load_async(zl_pipe_text *k, const thread_box *b)
{
    const char *id = b->copy.width == 16  ? "cp_async.16.zfill"
                     : b->copy.width == 8 ? "cp_async.ca.8.zfill"
                                          : "cp_async.ca.4.zfill";
    bytes_inside(k, b);
    for (uint32_t step = 0; step < b->steps; step++) {
        shared_step(k, b, step);
        global_step(k, b, step);
        zl_op(k, PICK, "w0", "x0", "0", "wrap");
        zl_say(k, NULL, id, 0, "to", "gq", "w0");
    }
}

static const char *half(char room[16], uint32_t i)
{
    snprintf(room, 16, "v%u", i);
    return room;
}

/* Loads of one element each, a batch of them first, then its stores, so that the loads overlap. */
static void load_plain(zl_pipe_text *k, const thread_box *b)
{
    char load[24], store[24], v[16];
    snprintf(load, sizeof load, "ld.g.b%u", 8 * b->element);
    snprintf(store, sizeof store, "st.s.b%u", 8 * b->element);
    column_inside(k, b);
    for (uint32_t from = 0; from < b->steps; from += ZL_PT_HALVES) {
        uint32_t to = from + ZL_PT_HALVES < b->steps ? from + ZL_PT_HALVES : b->steps;
        for (uint32_t step = from; step < to; step++) {
            global_step(k, b, step);
            zl_op(k, BOTH, "wrap", "wrap", "done");
            zl_op(k, MASK, half(v, step - from), "0");
            zl_say(k, "wrap", load, 1, v, "gq");
        }
        for (uint32_t step = from; step < to; step++) {
            shared_step(k, b, step);
            zl_say(k, NULL, store, 0, "to", half(v, step - from));
        }
    }
}

/* Prints a load from `to`, or a store to `gq` where `wrap` holds, of so many bytes. */
static void access_row(zl_pipe_text *k, bool load, uint32_t width)
{
    static const char *const words[] = {"w0", "w1", "w2", "w3"};
    const char *operands[6] = {0};
    char id[32];
    uint32_t count = width < 4 ? 1 : width / 4, n = 0;
    const char *vector = count == 4 ? "v4." : count == 2 ? "v2." : "";
    snprintf(id, sizeof id, "%s.%sb%u", load ? "ld.s" : "st.g", vector, width < 4 ? 8 * width : 32);
    if (!load) operands[n++] = "gq";
    for (uint32_t i = 0; i < count; i++) operands[n++] = width < 4 ? "v0" : words[i];
    if (load) operands[n++] = "to";
    zl_pt_say(k, load ? NULL : "wrap", id, load ? count : 0, operands);
}

static void store(zl_pipe_text *k, const thread_box *b)
{
    column_inside(k, b);
    for (uint32_t step = 0; step < b->steps; step++) {
        shared_step(k, b, step);
        global_step(k, b, step);
        zl_op(k, BOTH, "wrap", "wrap", "done");
        access_row(k, true, b->copy.width);
        access_row(k, false, b->copy.width);
    }
}

void zl_pt_rows(zl_pipe_text *k, const zl_event *event, const zlay_pipe_move *move)
{
    char room[24];
    thread_box b;
    for (uint32_t i = 0; box_read(k, &b, move, i); i++) {
        zl_pt_stage(k, "at", event->smem[0], &event->at[0]);
        if (b.copy.smem) zl_op(k, ADD, "at", "at", zl_pt_number(room, b.copy.smem));
        first_element(k, &b);
        if (event->kind == ZL_EV_READ) store(k, &b);
        else if (event->kind == ZL_EV_CPASYNC) load_async(k, &b);
        else load_plain(k, &b);
    }
}
