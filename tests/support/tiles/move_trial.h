/* SPDX-License-Identifier: Apache-2.0 */
/* A request of a copy by threads, the function that is printed of its plan, and that function executed
 * on memory, by one block or by two that read or write each other's: every byte of the destination
 * and around it is compared with what the two layouts say. */
#ifndef TEST_MOVE_TRIAL_H
#define TEST_MOVE_TRIAL_H

#include "blocks/blocks.h"
#include "ctx.h"
#include "layouts/layout.h"
#include "tiles/move_draw.h"

#include <zlay/emit.h>

enum {
    TEXT_ROOM = 1 << 20,
    SPAN = 1 << 15, /* of a side, bytes */
    SHARED_FROM = 0x1000, SHARED_TO = 0x1000 + SPAN / 2,
    GLOBAL_FROM = 1 << 24, GLOBAL_TO = 1 << 28,
    BLOCKS = 2
};

/* A side: its bytes in each block from offset 0 on, random, a margin behind the last; of fragments
 * the registers of each thread. */
typedef struct side {
    uint8_t bytes[BLOCKS][SPAN];
    uint64_t at, size;
    int32_t space;
    uint32_t held, held_bits; /* bytes, and bits in use, of a thread's registers */
} side;

static inline bool side_is_shared(const side *s)
{
    return s->space == ZLAY_MOVE_SHARED || s->space == ZLAY_MOVE_PEER;
}

/* A drawn request with its move, its text, and memory before the move. */
typedef struct trial {
    zlay_layout *source, *dest;   /* that are asked for */
    const zlay_layout *real[2];   /* at the values of their names */
    int64_t value[VALUES];        /* of the names ld and N */
    zlay_move *move;
    char *text;
    uint32_t bits, threads, blocks;
    uint64_t landing; /* bytes that a barrier must see; 0: there is none */
    side from, to;
} trial;

static inline void side_draw(trial *t, uint64_t *seed, const zlay_copy_request *r, int which)
{
    side *s = which ? &t->to : &t->from;
    s->space = which ? r->dest.space : r->source.space;
    s->size = side_is_shared(s) ? SPAN / 2 : SPAN;
    s->at = side_is_shared(s) ? (which ? SHARED_TO : SHARED_FROM)
                              : (uint64_t)(which ? GLOBAL_TO : GLOBAL_FROM);
    s->held_bits = r->registers * r->elem_bits;
    s->held = held_bytes(s->held_bits);
    if (s->space == ZLAY_MOVE_PEER) t->blocks = BLOCKS;
    for (int b = 0; b < BLOCKS; b++)
        for (uint64_t i = 0; i < SPAN; i++) s->bytes[b][i] = (uint8_t)test_random(seed);
}

static inline bool side_fits(const zlay_layout *a, uint32_t bits, const side *s)
{
    int64_t v;
    for (uint64_t i = 0; i < zlay_layout_size(a); i++)
        if (!zlay_layout_eval(&v, 1, a, i) &&
            (v < 0 || bit_of(s->space, s->held_bits, v + 1, bits) / 8 + 64 > s->size))
            return false;
    return true;
}

/* NULL: it is not printed. */
static inline char *text_of(zlay_ctx *ctx, const zlay_move *move)
{
    char *text = malloc(TEXT_ROOM);
    zlay_buf buf = {text, TEXT_ROOM, 0};
    assert_non_null(text);
    zlay_status status = zlay_emit_move(ctx, &buf, move, "moved", 5);
    if (status == ZLAY_OK) return text;
    if (status != ZLAY_ENOTSUP) fail_msg("%s", zlay_ctx_message(ctx));
    free(text);
    return NULL;
}

/* false: nothing to check, as it is too large, or no plan is there. `real`: layouts at values; NULL:
 * those asked for. */
static inline bool trial_plan(zlay_ctx *ctx, trial *t, wanted *w, uint64_t *seed,
                               const char *const real[2])
{
    zlay_move_summary info = {0};
    t->source = read_layout(ctx, w->text[0]);
    t->dest = read_layout(ctx, w->text[1]);
    t->real[0] = real ? read_layout(ctx, real[0]) : t->source;
    t->real[1] = real ? read_layout(ctx, real[1]) : t->dest;
    t->move = NULL;
    t->text = NULL;
    t->bits = w->r.elem_bits;
    t->blocks = 1;
    w->r.source.layout = t->source;
    w->r.dest.layout = t->dest;
    for (int s = 0; s < 2; s++) side_draw(t, seed, &w->r, s);
    bool small = side_fits(t->real[0], t->bits, &t->from) && side_fits(t->real[1], t->bits, &t->to);
    if (!small || zlay_copy_synth(ctx, &t->move, target_of(w->target), &w->r)) return false;
    zlay_move_info(&info, t->move);
    t->threads = (info.threads + 31) / 32 * 32;
    t->landing = info.bytes;
    return true;
}

/* The same with its text as PTX. */
static inline bool trial_begin(zlay_ctx *ctx, trial *t, wanted *w, uint64_t *seed,
                               const char *const real[2])
{
    if (!trial_plan(ctx, t, w, seed, real)) return false;
    t->text = text_of(ctx, t->move);
    if (!t->text) fail_msg("%s -> %s: %s", w->text[0], w->text[1], zlay_ctx_message(ctx));
    return true;
}

static inline void trial_end(trial *t)
{
    free(t->text);
    zlay_move_free(t->move);
    for (int s = 0; s < 2; s++)
        if (t->real[s] != (s ? t->dest : t->source)) zlay_layout_free((zlay_layout *)t->real[s]);
    zlay_layout_free(t->source);
    zlay_layout_free(t->dest);
}

/* ---- execution ---------------------------------------------------------------------- */

static inline void side_place(pm_machine *m, side *s, uint32_t blocks, int which)
{
    for (uint32_t b = 0; b < blocks; b++) {
        uint64_t at = s->at + (side_is_shared(s) ? 0 : b * (uint64_t)(2 * SPAN));
        for (uint32_t i = b * (m->threads / blocks); i < (b + 1) * (m->threads / blocks); i++) {
            pm_set(m, i, which ? "ptr_dest" : "ptr_source", at);
            pm_set(m, i, which ? "rank_dest" : "rank_source", 1 - b);
        }
        if (side_is_shared(s)) memcpy(m->shared[b] + s->at, s->bytes[b], s->size);
        else if (s->space == ZLAY_MOVE_GLOBAL)
            m->memory[m->memories++] = (pm_memory){at, s->size, s->bytes[b]};
        m->held[b] = s->space == ZLAY_MOVE_REGISTER ? s->bytes[b] : m->held[b];
    }
    if (s->space == ZLAY_MOVE_REGISTER) m->held_bytes = s->held;
}

static inline void execute(const trial *t, const char *text, side *from, side *to)
{
    static const char *const names[VALUES] = {"name_ld", "name_N"};
    pm_machine *m = pm_new(text);
    m->returns = true;
    pm_begin(m, 0, t->blocks, t->threads);
    side_place(m, from, t->blocks, 0);
    side_place(m, to, t->blocks, 1);
    for (uint32_t i = 0; i < m->threads; i++)
        for (int n = 0; n < VALUES; n++) pm_set(m, i, names[n], (uint64_t)t->value[n]);
    pm_go(m);
    for (uint32_t i = 0; i < m->threads; i++) pm_land_all(m, &m->thread[i]);
    for (uint32_t b = 0; b < t->blocks; b++) {
        if (side_is_shared(to)) memcpy(to->bytes[b], m->shared[b] + to->at, to->size);
        if (t->landing && m->landed[b] != t->landing) memset(to->bytes[b], 0, SPAN);
    }
    pm_free(m);
}

/* Bits of a thread's registers beyond its elements hold anything. */
static inline bool is_padding(const side *s, uint64_t byte)
{
    return s->space == ZLAY_MOVE_REGISTER && byte % s->held * 8 >= s->held_bits;
}

/* Makes the move: `text` is PTX, or NULL where it has another one. */
typedef void executor(const trial *t, const char *text, side *from, side *to);

/* Bytes of the destination, and around it, that a text leaves wrong. */
static inline uint64_t wrong_bytes_by(executor *run, const trial *t, const char *text)
{
    static side from, to, want;
    uint64_t bad = 0;
    int64_t of, at;
    from = t->from;
    to = want = t->to;
    for (uint32_t b = 0; b < t->blocks; b++)
        for (uint64_t i = 0; i < zlay_layout_size(t->real[1]); i++)
            if (!zlay_layout_eval(&of, 1, t->real[0], i) &&
                !zlay_layout_eval(&at, 1, t->real[1], i))
                move_bits(want.bytes[whose(to.space, b)], bit_of(to.space, to.held_bits, at, t->bits),
                          from.bytes[whose(from.space, b)], bit_of(from.space, from.held_bits, of, t->bits), t->bits);
    run(t, text, &from, &to);
    for (uint32_t b = 0; b < t->blocks; b++)
        for (uint64_t i = 0; i < to.size; i++)
            bad += to.bytes[b][i] != want.bytes[b][i] && !is_padding(&to, i);
    return bad;
}

static inline uint64_t wrong_bytes(const trial *t, const char *text) { return wrong_bytes_by(execute, t, text); }

#endif
