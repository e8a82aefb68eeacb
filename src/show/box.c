/* SPDX-License-Identifier: Apache-2.0 */
/* Shows where a tensor copy puts its box in shared memory, by the walk that the model of the copy
 * makes (sim/box.c): rows of the box, swizzled in chunks of 16 bytes, and what lies outside the
 * tensor. */
#include "base/arith.h"
#include "base/request.h"
#include "show/picture.h"
#include "sim/sim.h"

#include <zlay/show_hardware.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 128, CHUNK = 16, LABEL = 128, TIP = 256, DIMS = 5 };

typedef zlay_show_box_request request;

/* Bytes of a row that are together in shared memory, all inside the tensor or all outside. */
typedef struct piece {
    uint64_t row, at, length; /* `at`: in the row */
    uint64_t address;         /* shared */
    bool inside;
} piece;

typedef struct drawn {
    zl_sketch *sketch;
    const zl_box *box;
    uint64_t first;           /* shared address of the first line */
    uint64_t unit;            /* bytes of a column */
    uint64_t inside, outside; /* bytes */
} drawn;

typedef void see_piece(drawn *d, const piece *p);

/* ---- the walk ------------------------------------------------------------------------------ */

/* The next place behind `at` where the piece that begins there has to end. */
static uint64_t cut(const zl_sim_row *row, const zl_sim_run *run, uint64_t at)
{
    uint64_t address = run->address + (at - run->at), end = run->at + run->length,
             chunk = at + CHUNK - address % CHUNK;
    if (chunk < end) end = chunk;
    if (at < row->from && row->from < end) end = row->from;
    if (at < row->to && row->to < end) end = row->to;
    return end;
}

static void walk(drawn *d, see_piece *see)
{
    for (uint64_t i = 0; i < d->box->rows && !d->sketch->status; i++) {
        zl_sim_row row = zl_box_row(d->box, i);
        for (zl_sim_run run = {0}; zl_row_run(&run, d->box, &row);)
            for (uint64_t at = run.at, next; at < run.at + run.length; at = next) {
                next = cut(&row, &run, at);
                const piece p = {i, at, next - at, run.address + (at - run.at),
                                 at >= row.from && at < row.to};
                see(d, &p);
            }
    }
}

static void see_unit(drawn *d, const piece *p)
{
    d->unit = zl_gcd(d->unit, zl_gcd(p->address, p->length));
}

/* ---- boxes --------------------------------------------------------------------------------- */

static void coordinates(char out[LABEL], const zl_box *box, const piece *p)
{
    int64_t at[DIMS];
    zl_text text = {out, LABEL - 1, 0};
    zl_box_row_at(at, box, p->row);
    if (!box->map->interleave) at[0] = box->coordinate[0] + (int64_t)zl_row_element(box, p->at);
    for (uint32_t i = 0; i < box->map->rank; i++) zl_putf(&text, "%s%" PRId64, i ? "," : "", at[i]);
    out[text.need < LABEL ? text.need : LABEL - 1] = 0;
}

static void see_box(drawn *d, const piece *p)
{
    char label[LABEL], tip[TIP];
    const char *fill = d->box->map->oob ? "nan" : "0";
    coordinates(label, d->box, p);
    snprintf(tip, sizeof tip, "0x%" PRIx64 ", %" PRIu64 " bytes: %s%s", p->address, p->length,
             p->inside ? "from " : "outside at ", label);
    *(p->inside ? &d->inside : &d->outside) += p->length;
    const zlay_box box = {.row = (uint32_t)((p->address - d->first) / LINE_BYTES),
                          .column = (uint32_t)(p->address % LINE_BYTES / d->unit),
                          .width = (uint32_t)(p->length / d->unit),
                          .shade = zl_sketch_shade((int64_t)(p->at / CHUNK)),
                          .marked = !p->inside,
                          .key = (int64_t)p->row,
                          .step = -1,
                          .label = p->inside ? label : fill,
                          .tip = tip};
    zl_sketch_box(d->sketch, &box);
}

static void draw(drawn *d)
{
    const zl_box *box = d->box;
    uint64_t lines = zl_round_up(box->rows * box->pitch, LINE_BYTES) / LINE_BYTES;
    walk(d, see_unit);
    zl_sketch_panel(d->sketch, ZLAY_PANEL_CELLS, LINE_BYTES / d->unit, lines, "%s", "");
    for (uint64_t i = 0; i < lines && !d->sketch->status; i++)
        zl_sketch_row(d->sketch, i, "0x%" PRIx64, d->first + i * LINE_BYTES);
    for (uint64_t c = 0; c * CHUNK < LINE_BYTES && d->unit == CHUNK && !d->sketch->status; c++)
        zl_sketch_column(d->sketch, c, "%" PRIu64, c * CHUNK);
    walk(d, see_box);
    zl_sketch_note(d->sketch,
                   "%" PRIu64 " bytes have elements of the tensor, %" PRIu64
                   " are filled in; a line is %d bytes",
                   d->inside, d->outside, LINE_BYTES);
}

/* ---- the request --------------------------------------------------------------------------- */

static zlay_status fault_of(zlay_ctx *ctx, int32_t fault)
{
    const char *why = fault == ZLAY_FAULT_SMEM_ALIGN ? "smem is no multiple of 128"
                      : fault == ZLAY_FAULT_COORDINATE
                          ? "the first coordinate is no multiple of 16 bytes"
                          : "the box does not lie in memory";
    return zl_fail(ctx, ZLAY_EINVAL, "the copy faults (%d): %s", (int)fault, why);
}

/* The box, of memory that has room for any. */
static zlay_status box_of(zlay_ctx *ctx, zl_box *box, const request *r)
{
    uint8_t none[1] = {0};
    const zlay_sim_smem smem = {none, UINT32_MAX, 0};
    const zlay_sim_global global = {none, UINT64_MAX};
    const zlay_sim_copy copy = {r->map, r->coordinate, r->offset, r->smem, 0};
    if (!r->map || !r->coordinate)
        return zl_fail(ctx, ZLAY_EINVAL, "a box has a map and coordinates");
    if (zl_tensor_begin(box, &smem, &global, &copy))
        return zl_fail(ctx, ZLAY_EINVAL, "map: no copy has it; tensormap.check says why");
    box->offset = r->offset;
    zlay_status status = zl_sketch_fits(ctx, box->rows, 1);
    if (status) return status;
    int32_t fault = zl_tensor_fault(box, &smem, &global, false);
    return fault ? fault_of(ctx, fault) : ZLAY_OK;
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const request *r)
{
    zl_box box;
    zlay_status status = box_of(ctx, &box, r);
    if (status) return status;
    zl_sketch s = zl_sketch_begin(ctx, "a box of %u-dimensional %s at shared 0x%" PRIx32,
                                  (unsigned)r->map->rank, zlay_type_name(r->map->type), r->smem);
    drawn d = {&s, &box, r->smem, LINE_BYTES, 0, 0};
    draw(&d);
    return zl_sketch_end(&s, out);
}

zlay_status zlay_show_box(zlay_ctx *ctx, zlay_picture **out, const request *asked)
{
    static const zl_request_form form = {"zlay_show_box_request",
                                         sizeof(request),
                                         sizeof asked->size,
                                         {ZL_RESERVED(request, reserved)}};
    request r = {.size = sizeof r};
    if (!ctx || !out || !asked) return ZLAY_EINVAL;
    zlay_status status = zl_enter(ctx);
    if (status) return status;
    status = zl_request_read(ctx, &r, asked, &form);
    return zl_leave(ctx, status ? status : show(ctx, out, &r));
}
