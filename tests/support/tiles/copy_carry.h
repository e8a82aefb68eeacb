/* SPDX-License-Identifier: Apache-2.0 */
/* A move by threads carried out element by element, its threads and its certificates. */
#ifndef TEST_COPY_CARRY_H
#define TEST_COPY_CARRY_H

#include "tiles/copy_synth.h"

#include <zlay/decide.h>

enum { MARGIN = 64, SPAN_MOST = 1 << 16, CANARY = 0xa5 };

/* ---- carrying out ------------------------------------------------------------------------- */

typedef struct world {
    uint8_t from[SPAN_MOST], to[SPAN_MOST], writes[SPAN_MOST]; /* a cell an element */
} world;

/* Elements of one block; false: the thread has none. */
static inline bool block_of(const zlay_move *move, const seen_part *p, const asked *q, uint64_t t,
                     uint64_t a, int64_t *from, int64_t *to)
{
    zlay_move_swizzle s[2];
    uint64_t there = 0;
    for (int i = 0; i < 2; i++) assert_int_equal(zlay_move_swizzle_info(&s[i], move, i), ZLAY_OK);
    for (uint64_t v = 0; v < p->values; v++) {
        int64_t at[2];
        bool named = p->part.combine == 2;
        if (!(named ? point_of(move, p, q->layout, v, t, a, at) : place_of(p, v, t, a, at)))
            continue;
        from[v] = swizzle_by(s[0], at[0]);
        to[v] = swizzle_by(s[1], at[1]);
        there++;
    }
    assert_true(there == 0 || there == p->values);
    return there;
}

/* A step or offset as text, at the values that the facts give its names. */
static inline int64_t at_values(zlay_ctx *ctx, const zlay_facts *facts, const zlay_move *move,
                         uint32_t part, uint32_t mode, int32_t side)
{
    char text[512];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_range r;
    assert_int_equal(zlay_move_step_print(&buf, move, part, mode, side), ZLAY_OK);
    assert_int_equal(zlay_facts_eval(ctx, &r, facts, text, buf.need), ZLAY_OK);
    assert_int_equal(r.mod, 0);
    return r.rem;
}

static inline void put_values(const asked *q, const zlay_move *move, uint32_t i, seen_part *p)
{
    if (!q->facts) return;
    p->part.source = at_values(q->ctx, q->facts, move, i, p->part.modes, 0);
    p->part.dest = at_values(q->ctx, q->facts, move, i, p->part.modes, 1);
    for (uint32_t k = 0; k < p->part.modes; k++) {
        p->mode[k].source = at_values(q->ctx, q->facts, move, i, k, 0);
        p->mode[k].dest = at_values(q->ctx, q->facts, move, i, k, 1);
    }
}

static inline void carry_out(const asked *q, const zlay_move *move, world *w)
{
    zlay_move_summary info;
    assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
    for (uint32_t i = 0; i < info.parts; i++) {
        seen_part p = part_of(move, i);
        put_values(q, move, i, &p);
        for (uint64_t a = 0; a < p.part.accesses; a++)
            for (uint32_t t = 0; t < p.part.threads; t++) {
                int64_t from[BLOCK_MOST], to[BLOCK_MOST];
                vectors loads, stores;
                if (!block_of(move, &p, q, t, a, from, to)) continue;
                vectors_of(q, &p, 0, from, &loads);
                vectors_of(q, &p, 1, to, &stores);
                for (uint64_t v = 0; v < p.values; v++) {
                    w->to[MARGIN + to[v]] = w->from[MARGIN + from[v]];
                    w->writes[MARGIN + to[v]]++;
                }
            }
    }
}

/* Every element once at its place, and nothing else touched. */
static inline void check_world(const world *w, const zlay_layout *from, const zlay_layout *to)
{
    static uint8_t expected[SPAN_MOST];
    uint64_t size = zlay_layout_size(to);
    int64_t at[2];
    memset(expected, CANARY, sizeof expected);
    for (uint64_t i = 0; i < size; i++) {
        if (zlay_layout_eval(&at[0], 1, from, i) || zlay_layout_eval(&at[1], 1, to, i)) continue;
        expected[MARGIN + at[1]] = w->from[MARGIN + at[0]];
        assert_int_equal(w->writes[MARGIN + at[1]], 1);
    }
    assert_memory_equal(w->to, expected, sizeof expected);
}

/* ---- who moves what ------------------------------------------------------------------------ */

/* The layout of who moves what has the tile's points where both sides say. */
static inline void check_threads(const zlay_move *move, uint32_t part, const zlay_layout *from,
                          const zlay_layout *to)
{
    const zlay_layout *who = zlay_move_threads(move, part);
    seen_part p = part_of(move, part);
    uint64_t at = 0, points = 0;
    assert_int_equal(zlay_layout_size(who), p.values * p.part.threads * p.part.accesses);
    for (uint64_t a = 0; a < p.part.accesses; a++)
        for (uint64_t t = 0; t < p.part.threads; t++)
            for (uint64_t v = 0; v < p.values; v++, at++) {
                int64_t place[2], index;
                zlay_move_swizzle s[2];
                zlay_status status = zlay_layout_eval(&index, 1, who, at);
                bool there = p.part.combine == 2 ? !status : place_of(&p, v, t, a, place);
                assert_int_equal(status, there ? ZLAY_OK : ZLAY_NONE);
                points += there;
                if (!there || p.part.combine == 2) continue;
                for (int i = 0; i < 2; i++) zlay_move_swizzle_info(&s[i], move, i);
                assert_int_equal(layout_at(from, (uint64_t)index), swizzle_by(s[0], place[0]));
                assert_int_equal(layout_at(to, (uint64_t)index), swizzle_by(s[1], place[1]));
            }
    assert_int_equal(points, p.part.elements);
}

/* Whether a layout's text is read as that layout, where it fits. */
static inline void check_text(zlay_ctx *ctx, const zlay_layout *layout)
{
    static char text[1 << 16];
    zlay_buf buf = {text, sizeof text, 0};
    zlay_layout *again = NULL;
    zlay_answer answer = ZLAY_NO;
    if (zlay_layout_print(&buf, layout) == ZLAY_EROOM) return;
    if (zlay_layout_parse(ctx, &again, text, buf.need)) fail_msg("%s: %s", text, zlay_ctx_message(ctx));
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, layout, again), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    zlay_layout_free(again);
}

static inline void check_certificates(zlay_ctx *ctx, const zlay_move *move)
{
    const zlay_layout *a, *b;
    zlay_answer answer = ZLAY_NO;
    assert_int_equal(zlay_move_certificate(&a, &b, move), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    check_text(ctx, a);
    check_text(ctx, b);
    assert_int_equal(zlay_move_certificate_source(&a, &b, move), ZLAY_OK);
    assert_int_equal(zlay_layout_equal(ctx, &answer, NULL, a, b), ZLAY_OK);
    assert_int_equal(answer, ZLAY_YES);
    check_text(ctx, a);
}

#endif
