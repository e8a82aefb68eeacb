/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the layouts of a wave's operand and their certificates. What arrives in registers by the
 * loads and reads alone is compared with what the rule of the matrix instruction says that each
 * lane holds. */
#include "legality/matrix/matrix.h"
#include "algebra/layout/layout.h"
#include "algebra/ops/cute.h"
#include "algebra/decide/certificate.h"
#include "synth/wave/wave.h"
#include <zlay/cute.h>

#include <stdio.h>

enum { TEXT = 256 };

static zlay_status swizzled(zlay_ctx *ctx, zlay_layout **out, const zlay_wave_summary *i,
                            const zlay_layout *plain)
{
    const zl_swizzle s = {(int32_t)i->swizzle_bits, (int32_t)i->swizzle_base,
                          (int32_t)i->swizzle_shift};
    return zl_layout_new_swizzled(ctx, out, s, plain);
}

static zlay_status lay_write(zlay_ctx *ctx, zlay_layout **out, const zlay_wave_summary *i)
{
    return zl_layout_format(ctx, out, "(%u,%u,%u):(%u,1,%u)", i->threads, i->load_elements,
                            i->loads, i->load_elements, i->threads * i->load_elements);
}

static zlay_status lay_read(zlay_ctx *ctx, zlay_layout **out, const zlay_wave *w)
{
    const zlay_wave_summary *i = &w->info;
    const zl_wave_operand *o = &w->operand;
    uint32_t elements = i->read_bytes * 8 / i->elem_bits, merged = w->merged;
    uint32_t block = o->side * i->depth;
    return zl_layout_format(ctx, out, "((%u,%u),%u,((%u,%u,%u),%u,%u)):((%u,%u),1,((%u,%u,%u),%u,%u))",
                            o->side, o->parts, elements, o->run * merged / elements,
                            o->each / o->run, i->steps / merged, i->blocks, i->parts, i->depth,
                            o->part_k * merged, elements, o->jump_k, o->k * merged, block,
                            block * i->blocks);
}

/* Prints the order of K as modes of a layout: value, part, the instruction among those that one
 * read fills, and the other instructions. */
static void order_text(char *shape, char *stride, const zlay_wave *w)
{
    const zl_wave_operand *o = &w->operand;
    uint32_t merged = w->merged, rest = w->info.steps / merged;
    if (merged == 1) {
        snprintf(shape, TEXT, "%u", w->info.depth);
        snprintf(stride, TEXT, "1");
        return;
    }
    snprintf(shape, TEXT, "(%u,%u,%u,%u)", o->run, o->parts, merged, rest);
    snprintf(stride, TEXT, "(1,%u,%u,%u)", o->run * merged, o->run, o->k * merged);
}

static zlay_status lay_all(zlay_ctx *ctx, zlay_wave *w)
{
    const zlay_wave_summary *i = &w->info;
    char shape[TEXT], stride[TEXT];
    zlay_layout **l = w->layout, *tile = NULL;
    order_text(shape, stride, w);
    zlay_status status = zl_layout_format(ctx, &tile, "(%u,%u):(1,%u)", i->depth, i->rows, i->depth);
    if (!status) status = swizzled(ctx, &l[ZLAY_WAVE_PLACE], i, tile);
    if (!status) status = lay_write(ctx, &l[ZLAY_WAVE_WRITE], i);
    if (!status) status = swizzled(ctx, &l[ZLAY_WAVE_LOAD], i, l[ZLAY_WAVE_WRITE]);
    if (!status) status = lay_read(ctx, &l[ZLAY_WAVE_READ], w);
    if (!status) status = swizzled(ctx, &l[ZLAY_WAVE_FROM], i, l[ZLAY_WAVE_READ]);
    if (!status) status = zl_layout_format(ctx, &l[ZLAY_WAVE_ORDER], "%s:%s", shape, stride);
    zlay_layout_free(tile);
    return status;
}

/* ---- certificates ------------------------------------------------------------------------ */

/* The elements that reads find in shared memory: the loader of each place, and what it loaded. */
static zlay_status arrived(zlay_ctx *ctx, zlay_layout **out, const zlay_wave *w)
{
    zlay_layout *loader = NULL, *lies = NULL;
    zlay_status status = zl_right_inverse(ctx, &loader, w->layout[ZLAY_WAVE_WRITE]);
    if (!status) status = zl_layout_compose(ctx, &lies, w->layout[ZLAY_WAVE_LOAD], loader);
    if (!status) status = zl_layout_compose(ctx, out, lies, w->layout[ZLAY_WAVE_FROM]);
    zlay_layout_free(loader);
    zlay_layout_free(lies);
    return status;
}

/* Makes the instruction's fragment, repeated for instructions along K and for blocks of rows of all
 * parts: -> row in the block + side * k, then the block. */
static zlay_status numbered(zlay_ctx *ctx, zlay_layout **out, const zlay_wave *w)
{
    char text[TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    const zlay_wave_summary *i = &w->info;
    const zl_wave_operand *o = &w->operand;
    zlay_layout *fragment = NULL;
    zlay_status status = zl_mma_fragment(ctx, &fragment, i->target, &w->mma, w->fragment);
    if (!status) status = zlay_layout_print(&buf, fragment);
    zlay_layout_free(fragment);
    if (status) return status;
    int colon = 0;
    while (text[colon] != ':') colon++;
    return zl_layout_format(ctx, out, "(%.*s,%u,%u):(%s,%u,%u)", colon, text, i->steps,
                            i->blocks * i->parts, text + colon + 1, o->side * o->k,
                            o->side * i->depth);
}

/* Makes the elements of the tile that the instructions want in each lane and value. */
static zlay_status wanted(zlay_ctx *ctx, zlay_layout **out, const zlay_wave *w)
{
    char shape[TEXT], stride[TEXT];
    zlay_layout *number = NULL, *tile = NULL;
    uint32_t side = w->operand.side, depth = w->info.depth;
    order_text(shape, stride, w);
    zlay_status status = numbered(ctx, &number, w);
    if (!status)
        status = zl_layout_format(ctx, &tile, "(%u,%s,%u):(%u,%s,%u)", side, shape,
                                  w->info.rows / side, depth, stride, side * depth);
    if (!status) status = zl_layout_compose(ctx, out, tile, number);
    zlay_layout_free(number);
    zlay_layout_free(tile);
    return status;
}

/* Makes two pairs: the place of each loaded element, and where it is written; the elements that
 * arrive in registers, and those that the instructions want. */
static zlay_status certify(zlay_ctx *ctx, zlay_wave *w)
{
    zlay_layout *(*pair)[2] = w->certificate;
    zlay_status status = zl_layout_compose(ctx, &pair[0][0], w->layout[ZLAY_WAVE_PLACE],
                                           w->layout[ZLAY_WAVE_LOAD]);
    if (!status) status = lay_write(ctx, &pair[0][1], &w->info);
    if (!status) status = arrived(ctx, &pair[1][0], w);
    if (!status) status = wanted(ctx, &pair[1][1], w);
    for (int i = 0; !status && i < ZL_WAVE_CERTIFICATES; i++)
        status = zl_certificate_equal(ctx, pair[i][0], pair[i][1], i);
    return status;
}

zlay_status zl_wave_lay(zlay_ctx *ctx, zlay_wave *w)
{
    zlay_status status = lay_all(ctx, w);
    return status ? status : certify(ctx, w);
}
