/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores, registers of functions, asynchronous copies with their barrier, and matrices that a warp reads and writes. */
#ifndef TEST_BLOCKS_ACCESS_H
#define TEST_BLOCKS_ACCESS_H

#include "blocks/compute.h"
#include "blocks/memory.h"

static inline bool pm_access(pm_machine *m, pm_thread *t, const pm_line *l)
{
    bool load = pm_is(l, "ld."), global = pm_has(l, ".global");
    if (pm_is(l, "st.async") || (!load && !pm_is(l, "st."))) return false;
    int parts = l->count - 1, each = atoi(pm_type(l) + 1) / 8;
    uint64_t size = (uint64_t)(parts * each), at = pm_get(t, &l->operand[load ? parts : 0]);
    if (!global && at >> PM_RANK && !pm_has(l, "::cluster")) fail_msg("%s of a peer", l->op);
    uint8_t *bytes = global ? pm_global(m, at, size, size) : pm_shared(m, t, at, size, size);
    for (int i = 0; i < parts; i++) {
        uint64_t *value = &t->value[l->operand[i + !load].name];
        if (load) *value = 0;
        memcpy(load ? (void *)value : bytes + i * each, load ? bytes + i * each : (void *)value,
               (size_t)each);
    }
    return true;
}

/* Registers of fragments, from the caller and to it. */
static inline bool pm_held(pm_machine *m, pm_thread *t, const pm_line *l)
{
    bool load = pm_is(l, "ld.param.b32");
    if (!m->held_bytes || (!load && !pm_is(l, "st.param.b32"))) return false;
    const pm_operand *held = &l->operand[load];
    if (strncmp(m->names[held->name], "held_", 5)) return false;
    uint64_t *value = &t->value[l->operand[!load].name];
    uint64_t thread = (uint64_t)(t - m->thread) % (m->threads / m->blocks);
    uint8_t *at = m->held[t->rank] + thread * m->held_bytes + held->more;
    assert_true(held->more >= 0 && held->more + 4 <= (int64_t)m->held_bytes && held->more % 4 == 0);
    if (load) *value = 0;
    memcpy(load ? (void *)value : at, load ? at : (void *)value, 4);
    return true;
}

/* The first try finds nothing yet; a thread that tries in vain lets the others go on. */
static inline void pm_try(pm_machine *m, pm_thread *t, const pm_line *l)
{
    if (t->tries++) pm_land_all(m, t);
    if (m->landed[t->rank] > m->expect[t->rank]) fail_msg("more bytes land than are expected");
    bool open = t->tries > 1 && m->landed[t->rank] == m->expect[t->rank];
    if (t->tries > PM_TRIES) fail_msg("fewer bytes land than are expected");
    t->value[l->operand[0].name] = open;
    t->waits = !open;
}

/* Copies that the thread issued land when something waits for them. */
static inline bool pm_async(pm_machine *m, pm_thread *t, const pm_line *l)
{
    uint64_t a = pm_get(t, &l->operand[0]), b = pm_get(t, &l->operand[1]);
    uint64_t c = pm_get(t, &l->operand[2]), d = pm_get(t, &l->operand[3]);
    if (pm_is(l, "cp.async.ca.") || pm_is(l, "cp.async.cg.")) {
        assert_true(d <= c && a % c == 0 && b % c == 0);
        pm_send(m, t, (pm_copy){a, b, d, c - d, true});
    } else if (pm_is(l, "cp.async.bulk.shared::cluster.shared::cta")) {
        assert_true(c % 16 == 0 && a % 16 == 0 && b % 16 == 0);
        memcpy(pm_shared(m, t, a, c, 16), pm_shared(m, t, b, c, 16), c);
        m->landed[(d >> PM_RANK) - 1] += c;
    } else if (pm_is(l, "cp.async.bulk.shared")) {
        assert_true(c % 16 == 0 && a % 16 == 0 && b % 16 == 0);
        pm_send(m, t, (pm_copy){a, b, c, 0, true});
    } else if (pm_is(l, "cp.async.bulk.global")) {
        assert_true(c % 16 == 0 && a % 16 == 0 && b % 16 == 0);
        pm_send(m, t, (pm_copy){a, b, c, 0, false});
    } else if (pm_has(l, "commit_group") || pm_is(l, "fence.")) {
        return true;
    } else if (pm_has(l, "wait_group")) {
        assert_int_equal(a, 0);
        pm_land_all(m, t);
    } else if (pm_is(l, "mbarrier.init")) {
        m->expect[t->rank] = 0;
    } else if (pm_is(l, "mbarrier.arrive.expect_tx")) {
        m->expect[t->rank] += c;
    } else if (pm_is(l, "mbarrier.try_wait")) {
        pm_try(m, t, l);
    } else if (pm_is(l, "st.async.")) {
        int words = l->count - 2;
        uint64_t bar = pm_get(t, &l->operand[l->count - 1]), size = 4 * (uint64_t)words;
        uint8_t *to = pm_shared(m, t, a, size, size);
        assert_true(bar >> PM_RANK == a >> PM_RANK);
        for (int i = 0; i < words; i++) memcpy(to + 4 * i, &t->value[l->operand[1 + i].name], 4);
        m->landed[(bar >> PM_RANK) - 1] += size;
    } else if (pm_is(l, "mapa.")) {
        assert_true(c < m->blocks);
        t->value[l->operand[0].name] = b | (c + 1) << PM_RANK;
    } else {
        return false;
    }
    return true;
}

/* Register i of thread t of ldmatrix or stmatrix holds the two elements of matrix
 * i at row t / 4, columns 2 (t mod 4) and the next; transposed, row and column change places. */
static inline uint8_t *pm_matrix_at(pm_machine *m, const pm_thread *warp, const pm_line *l, int i,
                                    int row, int column)
{
    int address = pm_is(l, "ldmatrix") ? l->count - 1 : 0;
    return pm_shared(m, warp, pm_get(&warp[8 * i + row], &l->operand[address]), 16, 16) +
           2 * column;
}

static inline void pm_matrix(pm_machine *m, pm_thread *warp, const pm_line *l)
{
    bool load = pm_is(l, "ldmatrix"), turned = pm_has(l, ".trans");
    int matrices = l->count - 1;
    assert_true(matrices == atoi(strstr(l->op, ".x") + 2));
    for (int t = 0; t < PM_WARP; t++)
        for (int i = 0; i < matrices; i++)
            for (int half = 0; half < 2; half++) {
                int row = t / 4, column = 2 * (t % 4) + half;
                uint8_t *at = pm_matrix_at(m, warp, l, i, turned ? column : row,
                                           turned ? row : column);
                uint8_t *value = (uint8_t *)&warp[t].value[l->operand[i + !load].name] + 2 * half;
                memcpy(load ? value : at, load ? at : value, 2);
            }
}

#endif
