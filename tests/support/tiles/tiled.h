/* SPDX-License-Identifier: Apache-2.0 */
/* Requests of copy.synth whose extents and strides are names, and the texts of their plans. */
#ifndef TEST_TILED_H
#define TEST_TILED_H

#include "ctx.h"
#include "legality.h"

#include <zlay/emit.h>

enum { NAMES = 5, AXES = 3, COORDINATES = 8, WORDS = NAMES + AXES + COORDINATES, TEXT = 512, FUNCTION = 1 << 20 };
static const char *const words[WORDS] = {"M",  "K",  "B",  "ld", "lb", "t0", "t1", "t2",
                                         "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"};

/* ---- a request ------------------------------------------------------------------------------------ */

typedef struct tiled {
    const char *layout[2], *facts;
    int32_t space[2], path;
    uint32_t bits, axes;
    uint64_t tile[AXES];
} tiled;

static inline zlay_status tiled_synth(zlay_ctx *ctx, zlay_move **out, const char *on, const tiled *a)
{
    zlay_copy_request r;
    memset(&r, 0, sizeof r);
    r.size = sizeof r;
    zlay_layout *from = read_layout(ctx, a->layout[0]), *to = read_layout(ctx, a->layout[1]);
    zlay_facts *facts = read_facts(ctx, a->facts);
    r.elem_bits = a->bits;
    r.path = a->path;
    r.source = (zlay_copy_side){from, a->space[0], 0, 0};
    r.dest = (zlay_copy_side){to, a->space[1], 0, 0};
    r.facts = facts;
    r.axes = a->axes;
    memcpy(r.tile, a->tile, a->axes * sizeof *a->tile);
    zlay_status status = zlay_copy_synth(ctx, out, target_of(on), &r);
    zlay_layout_free(from);
    zlay_layout_free(to);
    zlay_facts_free(facts);
    return status;
}

typedef zlay_status text_of(zlay_buf *out, const zlay_move *move, uint32_t i, int32_t what);

static inline zlay_status edge_of(zlay_buf *out, const zlay_move *move, uint32_t i, int32_t what)
{
    (void)what;
    return zlay_move_edge_print(out, move, i);
}

static inline const char *text_read(text_of *of, const zlay_move *move, uint32_t i, int32_t what)
{
    static char text[TEXT];
    zlay_buf out = {text, sizeof text, 0};
    assert_int_equal(of(&out, move, i, what), ZLAY_OK);
    return text;
}

static inline const char *axis_text(const zlay_move *move, uint32_t i, int32_t what)
{
    return text_read(zlay_move_axis_print, move, i, what);
}

static inline char *function_of(zlay_ctx *ctx, const zlay_move *move)
{
    char *text = malloc(FUNCTION);
    zlay_buf out = {text, FUNCTION, 0};
    if (zlay_emit_move(ctx, &out, move, "moved", 5)) fail_msg("%s", zlay_ctx_message(ctx));
    return text;
}

#endif
