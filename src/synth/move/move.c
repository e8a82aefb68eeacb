/* SPDX-License-Identifier: Apache-2.0 */
/* Allocates, frees and reads a move (maps, copies, layouts), and proves its certificate: both
 * layouts are compared by `layout.equal`, independently of the synthesiser that made them. */
#include "synth/move/move.h"
#include "algebra/decide/certificate.h"

zlay_status zl_move_new(zlay_ctx *ctx, zlay_move **out, const zlay_target *target, uint32_t maps,
                        uint32_t copies)
{
    *out = NULL;
    zlay_move *move = zl_alloc(ctx, 1, sizeof *move);
    if (!move) return ZLAY_ENOMEM;
    move->alloc = zl_allocator(ctx);
    move->info.target = target;
    if (maps) move->maps = zl_alloc(ctx, maps, sizeof *move->maps);
    if (move->maps) move->info.maps = maps;
    if (copies) move->copies = zl_alloc(ctx, copies, sizeof *move->copies);
    if (move->copies) move->info.copies = copies;
    if ((maps && !move->maps) || (copies && !move->copies)) {
        zlay_move_free(move);
        return ZLAY_ENOMEM;
    }
    *out = move;
    return ZLAY_OK;
}

zlay_status zl_move_parts(zlay_ctx *ctx, zlay_move *move, uint32_t parts)
{
    move->parts = zl_alloc(ctx, parts, sizeof *move->parts);
    if (!move->parts) return ZLAY_ENOMEM;
    move->info.parts = parts;
    return ZLAY_OK;
}

zlay_status zl_move_certify(zlay_ctx *ctx, const zlay_move *move)
{
    zlay_layout *const *pair = move->certificate, *const *source = move->source;
    zlay_status status = zl_certificate_equal(ctx, pair[0], pair[1], 0);
    if (status || !source[0]) return status;
    return zl_certificate_equal(ctx, source[0], source[1], 1);
}

void zlay_move_free(zlay_move *move)
{
    if (!move) return;
    zlay_allocator hooks = move->alloc;
    for (uint32_t i = 0; i < move->givens; i++)
        zl_free(&hooks, move->given[i].text, move->given[i].length + 1);
    zl_free(&hooks, move->given, move->given_room * sizeof *move->given);
    if (move->guard) zl_free(&hooks, move->guard, move->guard_length + 1);
    zlay_layout_free(move->smem);
    zlay_layout_free(move->residual);
    for (uint32_t i = 0; i < move->info.parts; i++) zlay_layout_free(move->parts[i].threads);
    for (int i = 0; i < 2; i++) {
        zlay_layout_free(move->certificate[i]);
        zlay_layout_free(move->source[i]);
    }
    zlay_allocator alloc = move->alloc;
    zl_free(&alloc, move->names, sizeof *move->names);
    zl_free(&alloc, move->tiles, sizeof *move->tiles);
    zl_free(&alloc, move->parts, move->info.parts * sizeof *move->parts);
    zl_free(&alloc, move->maps, move->info.maps * sizeof *move->maps);
    zl_free(&alloc, move->copies, move->info.copies * sizeof *move->copies);
    zl_free(&alloc, move, sizeof *move);
}

zlay_status zlay_move_info(zlay_move_summary *out, const zlay_move *move)
{
    if (!out || !move) return ZLAY_EINVAL;
    *out = move->info;
    return ZLAY_OK;
}

zlay_status zlay_move_given_nth(zlay_given *out, const zlay_move *move, uint32_t map, uint32_t i)
{
    if (!out || !move) return ZLAY_EINVAL;
    for (uint32_t k = 0; k < move->givens; k++) {
        const zl_move_given *g = &move->given[k];
        if (g->map != map || i--) continue;
        *out = (zlay_given){g->field, g->index, g->text, g->length};
        return ZLAY_OK;
    }
    return ZLAY_NONE;
}

static void guard_write(zl_text *out, const void *value)
{
    const zlay_move *move = value;
    if (move->guard) zl_put(out, move->guard, move->guard_length);
}

zlay_status zlay_move_guard(zlay_buf *out, const zlay_move *move)
{
    return out && move ? zl_print(out, guard_write, move) : ZLAY_EINVAL;
}

zlay_status zlay_move_map_nth(zlay_tensormap *out, const zlay_move *move, uint32_t i)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (i >= move->info.maps) return ZLAY_NONE;
    *out = move->maps[i];
    return ZLAY_OK;
}

zlay_status zlay_move_copy_nth(zlay_copy *out, const zlay_move *move, uint32_t i)
{
    if (!out || !move) return ZLAY_EINVAL;
    if (i >= move->info.copies) return ZLAY_NONE;
    *out = move->copies[i];
    return ZLAY_OK;
}

const zlay_layout *zlay_move_smem(const zlay_move *move) { return move ? move->smem : NULL; }

const zlay_layout *zlay_move_residual(const zlay_move *move)
{
    return move ? move->residual : NULL;
}


zlay_status zlay_move_certificate(const zlay_layout **a, const zlay_layout **b,
                                  const zlay_move *move)
{
    if (!a || !b || !move) return ZLAY_EINVAL;
    if (!move->certificate[0]) return ZLAY_NONE;
    *a = move->certificate[0];
    *b = move->certificate[1];
    return ZLAY_OK;
}

zlay_status zlay_move_certificate_source(const zlay_layout **a, const zlay_layout **b,
                                         const zlay_move *move)
{
    if (!a || !b || !move) return ZLAY_EINVAL;
    if (!move->source[0]) return ZLAY_NONE;
    *a = move->source[0];
    *b = move->source[1];
    return ZLAY_OK;
}
