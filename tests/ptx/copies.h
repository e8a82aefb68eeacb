/* SPDX-License-Identifier: Apache-2.0 */
/* Loads, stores and copies. */
#ifndef TEST_PTX_COPIES_H
#define TEST_PTX_COPIES_H

#include "ptx/alu.h"

/* ---- of a thread ------------------------------------------------------------------- */

/* Of so many bytes a register, as many registers as there are operands but the address. */
static inline bool px_load(px_machine *m, int thread, const px_line *l, const uint8_t *from, uint32_t bytes)
{
    for (int i = 0; i < l->count - 1; i++) {
        uint64_t value = 0;
        memcpy(&value, from + (uint32_t)i * bytes, bytes);
        px_set(m, thread, &l->operand[i], value);
    }
    return true;
}

static inline void px_values(px_machine *m, int thread, const px_line *l, uint8_t *to, uint32_t bytes)
{
    for (int i = 1; i < l->count; i++) {
        uint64_t value = PX_IN(i);
        memcpy(to + (uint32_t)(i - 1) * bytes, &value, bytes);
    }
}

/* `.b16`, `.v4.b32`: bytes of a register. */
static inline uint32_t px_width(const px_line *l) { return (uint32_t)atoi(strrchr(l->op, '.') + 2) / 8; }

static inline bool px_ld_shared(px_machine *m, int thread, const px_line *l)
{
    px_place p;
    uint32_t width = px_width(l), bytes = width * (uint32_t)(l->count - 1);
    uint64_t at = PX_IN(l->count - 1);
    if (!px_shared(m, &p, thread, at, bytes, bytes)) return false;
    return px_load(m, thread, l, m->block[p.block].smem + (p.at - PX_ORIGIN), width);
}

static inline bool px_st_shared(px_machine *m, int thread, const px_line *l)
{
    px_place p;
    uint8_t value[16];
    uint32_t width = px_width(l), bytes = width * (uint32_t)(l->count - 1);
    if (!px_shared(m, &p, thread, PX_IN(0), bytes, bytes)) return false;
    px_values(m, thread, l, value, width);
    px_write(m, thread, p, value, bytes);
    return true;
}

static inline uint8_t *px_global_at(px_machine *m, uint64_t at, uint32_t bytes)
{
    if (at % bytes) px_fault(m, "global address off %u bytes", bytes);
    return px_global(m, at, bytes);
}

static inline bool px_ld_global(px_machine *m, int thread, const px_line *l)
{
    uint32_t width = px_width(l), bytes = width * (uint32_t)(l->count - 1);
    const uint8_t *from = px_global_at(m, PX_IN(l->count - 1), bytes);
    return from ? px_load(m, thread, l, from, width) : false;
}

/* `.s8` into a register of 16 bits. */
static inline bool px_ld_signed(px_machine *m, int thread, const px_line *l)
{
    const uint8_t *from = px_global_at(m, PX_IN(1), 1);
    if (from) PX_OUT(*from | (*from & 0x80 ? 0xff00u : 0));
    return from != NULL;
}

static inline bool px_st_global(px_machine *m, int thread, const px_line *l)
{
    uint32_t width = px_width(l), bytes = width * (uint32_t)(l->count - 1);
    uint8_t *to = px_global_at(m, PX_IN(0), bytes);
    if (to) px_values(m, thread, l, to, width);
    return true;
}

/* A thread that asks again, without having read an argument since, goes on when the word has changed. */
static inline bool px_ld_acquire(px_machine *m, int thread, const px_line *l)
{
    px_thread *t = &m->thread[thread];
    uint32_t word;
    const uint8_t *from = px_global_at(m, PX_IN(1), 4);
    if (!from) return false;
    memcpy(&word, from, 4);
    if (t->polls && t->polled == word) {
        t->waits = true;
        return false;
    }
    t->polls = true, t->polled = word;
    PX_OUT(word);
    return true;
}

static inline bool px_red(px_machine *m, int thread, const px_line *l)
{
    uint32_t word, more = PX_IN32(1);
    uint8_t *to = px_global_at(m, PX_IN(0), 4);
    if (!to) return false;
    memcpy(&word, to, 4);
    word += more;
    memcpy(to, &word, 4);
    return true;
}

/* `atom d, [a], b`: d is what stood there. */
static inline bool px_atom(px_machine *m, int thread, const px_line *l)
{
    uint32_t word, more = PX_IN32(2);
    uint8_t *to = px_global_at(m, PX_IN(1), 4);
    if (!to) return false;
    memcpy(&word, to, 4);
    px_set(m, thread, &l->operand[0], word);
    word += more;
    memcpy(to, &word, 4);
    return true;
}

/* `ld.param` of 4 or 8 bytes. */
static inline bool px_ld_param(px_machine *m, int thread, const px_line *l)
{
    uint64_t at = PX_IN(1) - PX_PARAM_AT, value = 0;
    if (at % PX_MAP_BYTES || at / PX_MAP_BYTES >= (uint64_t)m->text.params) return px_fault(m, "no argument at %llu", (unsigned long long)at);
    memcpy(&value, m->param[at / PX_MAP_BYTES], px_width(l));
    m->thread[thread].polls = false;
    PX_OUT(value);
    return true;
}

/* The same place of another block. */
static inline bool px_mapa(px_machine *m, int thread, const px_line *l)
{
    uint64_t rank = PX_IN(2), at = PX_IN(1) & ((1u << PX_WINDOW) - 1);
    if (rank >= (uint64_t)m->blocks) return px_fault(m, "no block %llu of the cluster", (unsigned long long)rank);
    PX_OUT(at | (rank + 1) << PX_WINDOW);
    return true;
}

/* ---- of a warp ---------------------------------------------------------------------- */

/* Lane 8 i + r gives the address of row r of matrix i; lane t has elements 2 (t % 4) and one on of
 * row t / 4 of each: PTX ISA 9.1, ldmatrix, stmatrix. */
/* Element e of row `row` of the matrix in register `i`: of thread 4*row + e/2, its half e%2. */
static inline uint16_t px_matrix_at(px_machine *m, int first, const px_line *l, int i, int row, int e)
{
    return (uint16_t)(px_get(m, first + 4 * row + e / 2, &l->operand[1 + i]) >> 16 * (e % 2));
}

static inline bool px_stmatrix(px_machine *m, int first, const px_line *l, int count, bool transposed)
{
    for (int i = 0; i < count; i++)
        for (int row = 0; row < 8; row++) {
            px_place p;
            uint16_t bytes[8];
            for (int e = 0; e < 8; e++)
                bytes[e] = transposed ? px_matrix_at(m, first, l, i, e, row) : px_matrix_at(m, first, l, i, row, e);
            int who = first + 8 * i + row;
            if (px_shared(m, &p, who, px_get(m, who, &l->operand[0]), 16, 16)) px_write(m, who, p, (uint8_t *)bytes, 16);
        }
    return true;
}

static inline bool px_stmatrix1(px_machine *m, int first, const px_line *l) { return px_stmatrix(m, first, l, 1, false); }
static inline bool px_stmatrix2(px_machine *m, int first, const px_line *l) { return px_stmatrix(m, first, l, 2, false); }
static inline bool px_stmatrix4(px_machine *m, int first, const px_line *l) { return px_stmatrix(m, first, l, 4, false); }
static inline bool px_stmatrix1t(px_machine *m, int first, const px_line *l) { return px_stmatrix(m, first, l, 1, true); }
static inline bool px_stmatrix2t(px_machine *m, int first, const px_line *l) { return px_stmatrix(m, first, l, 2, true); }
static inline bool px_stmatrix4t(px_machine *m, int first, const px_line *l) { return px_stmatrix(m, first, l, 4, true); }

/* Element e of row r: to thread 4 r + e / 2, its half e % 2; transposed rows and elements change places. */
static inline bool px_ldmatrix(px_machine *m, int first, const px_line *l, int count, bool transposed)
{
    for (int i = 0; i < count; i++) {
        uint16_t at[8][8];
        for (int row = 0; row < 8; row++) {
            px_place p;
            int who = first + 8 * i + row;
            if (!px_shared(m, &p, who, px_get(m, who, &l->operand[count]), 16, 16)) return true;
            memcpy(at[row], m->block[p.block].smem + (p.at - PX_ORIGIN), 16);
        }
        for (int t = 0; t < PX_WARP; t++) {
            int r = t / 4, e = t % 4 * 2;
            uint32_t low = transposed ? at[e][r] : at[r][e], high = transposed ? at[e + 1][r] : at[r][e + 1];
            px_set(m, first + t, &l->operand[i], low | high << 16);
        }
    }
    return true;
}

static inline bool px_ldmatrix1(px_machine *m, int first, const px_line *l) { return px_ldmatrix(m, first, l, 1, false); }
static inline bool px_ldmatrix2(px_machine *m, int first, const px_line *l) { return px_ldmatrix(m, first, l, 2, false); }
static inline bool px_ldmatrix4(px_machine *m, int first, const px_line *l) { return px_ldmatrix(m, first, l, 4, false); }
static inline bool px_ldmatrix1t(px_machine *m, int first, const px_line *l) { return px_ldmatrix(m, first, l, 1, true); }
static inline bool px_ldmatrix2t(px_machine *m, int first, const px_line *l) { return px_ldmatrix(m, first, l, 2, true); }
static inline bool px_ldmatrix4t(px_machine *m, int first, const px_line *l) { return px_ldmatrix(m, first, l, 4, true); }

/* ---- cp.async ------------------------------------------------------------------------ */

static inline bool px_cp_async(px_machine *m, int thread, const px_line *l)
{
    px_chunk c = {thread, -1, PX_IN(1), 0, PX_IN32(2), l->count > 3 ? PX_IN32(3) : PX_IN32(2)};
    if (c.bytes > 16 || c.take > c.bytes) return px_fault(m, "cp.async of %u of %u bytes", c.take, c.bytes);
    if (c.take && c.from % c.bytes) return px_fault(m, "cp.async: the source is off %u bytes", c.bytes);
    if (!px_own_shared(m, &c.to, thread, PX_IN(0), c.bytes, c.bytes)) return false;
    if (m->chunks == m->chunk_room) {
        m->chunk_room = m->chunk_room ? 2 * m->chunk_room : 1024;
        m->chunk = realloc(m->chunk, (size_t)m->chunk_room * sizeof *m->chunk);
        assert_non_null(m->chunk);
    }
    px_poison(m, px_own(m, thread), c.to, c.bytes);
    if (px_at_once(m)) px_chunk_end(m, &c);
    else m->chunk[m->chunks++] = c;
    return true;
}

static inline bool px_cp_commit(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    for (int i = 0; i < m->chunks; i++)
        if (m->chunk[i].thread == thread && m->chunk[i].group < 0) m->chunk[i].group = m->cp_groups[thread];
    m->cp_groups[thread]++;
    return true;
}

static inline bool px_cp_wait(px_machine *m, int thread, const px_line *l)
{
    px_chunks_wait(m, thread, (int)PX_IN(0));
    return true;
}

/* ---- copies into shared memory --------------------------------------------------------- */

/* To one block, or to the same place in each of a mask, whose barriers are told; -1: no mask. */
static inline bool px_to_blocks(px_machine *m, int thread, px_landing *n, uint64_t to, uint64_t barrier, int64_t mask, uint32_t align)
{
    px_place data, signal;
    if (!px_shared(m, &data, thread, to, n->bytes, align) || !px_shared(m, &signal, thread, barrier, 8, 8)) return false;
    if (mask > 0 && mask != 1 << px_rank(m, thread) && !m->met) return px_fault(m, "a copy to blocks that may not run yet");
    if (mask >= 1 << m->blocks) return px_fault(m, "a copy to blocks that there are not: 0x%llx", (unsigned long long)mask);
    for (int r = 0; r < m->blocks; r++) {
        if (mask < 0 ? r != data.block : !(mask >> r & 1)) continue;
        n->block = r, n->signals = mask < 0 ? signal.block : r, n->to = data.at;
        const px_barrier *b = px_barrier_in(m, n->signals, signal.at);
        if (!b) return false;
        n->barrier = (int)(b - m->block[n->signals].barrier);
        if (!px_begin(m, n)) return false;
    }
    return true;
}

static inline bool px_multicasts(const px_line *l) { return strstr(l->op, "multicast") != NULL; }

/* `[to], [map, {x0, ..}], [barrier](, mask)`. Only a product's pair may have the barrier elsewhere. */
static inline bool px_tensor_load(px_machine *m, int thread, const px_line *l)
{
    px_landing n = {.way = PX_TENSOR, .thread = thread};
    int rank = strstr(l->op, ".tensor.")[8] - '0', mask = rank + 3;
    px_place to, signal;
    if (!px_map(m, &n.map, thread, PX_IN(1))) return false;
    if ((int)n.map.rank != rank || l->count != mask + px_multicasts(l)) return px_fault(m, "tensor copy: rank %d", rank);
    for (int i = 0; i < rank; i++) n.coordinate[i] = (int32_t)PX_IN32(2 + i);
    n.bytes = px_box_bytes(&n.map);
    if (!px_shared(m, &to, thread, PX_IN(0), n.bytes, 128) || !px_shared(m, &signal, thread, PX_IN(mask - 1), 8, 8)) return false;
    if (to.block != signal.block && !strstr(l->op, ".cta_group::2")) return px_fault(m, "tensor copy: a barrier of another block");
    return px_to_blocks(m, thread, &n, PX_IN(0), PX_IN(mask - 1), px_multicasts(l) ? (int64_t)PX_IN(mask) : -1, 128);
}

/* `[to], [from], bytes, [barrier](, mask)`. */
static inline bool px_bulk_load(px_machine *m, int thread, const px_line *l)
{
    px_landing n = {.way = PX_BULK, .thread = thread, .from = PX_IN(1), .bytes = PX_IN32(2)};
    if (n.bytes % 16 || n.from % 16) return px_fault(m, "a bulk copy of %u bytes from 0x%llx", n.bytes, (unsigned long long)n.from);
    px_place to, signal;
    if (!px_global(m, n.from, n.bytes)) return false;
    if (!px_shared(m, &to, thread, PX_IN(0), n.bytes, 16) || !px_shared(m, &signal, thread, PX_IN(3), 8, 8)) return false;
    if (to.block != signal.block) return px_fault(m, "a bulk copy: a barrier of another block");
    return px_to_blocks(m, thread, &n, PX_IN(0), PX_IN(3), px_multicasts(l) ? (int64_t)PX_IN(4) : -1, 16);
}

static inline bool px_peer_copy(px_machine *m, int thread, const px_line *l)
{
    px_landing n = {.way = PX_PEER, .thread = thread, .bytes = PX_IN32(2), .source = px_rank(m, thread)};
    uint32_t from;
    px_place to, signal;
    if (!px_own_shared(m, &from, thread, PX_IN(1), n.bytes, 16) || !px_shared(m, &to, thread, PX_IN(0), n.bytes, 16) ||
        !px_shared(m, &signal, thread, PX_IN(3), 8, 8))
        return false;
    if (n.bytes % 16 || to.block != signal.block) return px_fault(m, "a copy to a block, and a barrier of another");
    n.from = from;
    return px_to_blocks(m, thread, &n, PX_IN(0), PX_IN(3), -1, 16);
}

/* ---- copies out of it -------------------------------------------------------------------- */

static inline bool px_tensor_store(px_machine *m, int thread, const px_line *l)
{
    px_store s = {.way = PX_TENSOR, .thread = thread, .group = -1};
    if (!px_map(m, &s.map, thread, PX_IN(0))) return false;
    if (l->count != (int)s.map.rank + 2) return px_fault(m, "tensor store: rank %d", (int)s.map.rank);
    for (int i = 0; i < (int)s.map.rank; i++) s.coordinate[i] = (int32_t)PX_IN32(1 + i);
    s.bytes = px_box_bytes(&s.map);
    return px_own_shared(m, &s.from, thread, PX_IN(l->count - 1), s.bytes, 128) && px_store_begin(m, s);
}

/* `[to], [from], bytes`. */
static inline bool px_bulk_store(px_machine *m, int thread, const px_line *l)
{
    px_store s = {.way = strstr(l->op, "reduce") ? PX_REDUCE : PX_BULK, .thread = thread, .group = -1, .to = PX_IN(0), .bytes = PX_IN32(2)};
    if (s.bytes % 16 || s.to % 16) return px_fault(m, "a bulk copy of %u bytes to 0x%llx", s.bytes, (unsigned long long)s.to);
    return px_own_shared(m, &s.from, thread, PX_IN(1), s.bytes, 16) && px_global(m, s.to, s.bytes) && px_store_begin(m, s);
}

static inline bool px_bulk_commit(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    for (int i = 0; i < m->stores; i++)
        if (m->store[i].thread == thread && m->store[i].group < 0) m->store[i].group = m->bulk_groups[thread];
    m->bulk_groups[thread]++;
    return true;
}

static inline bool px_bulk_read(px_machine *m, int thread, const px_line *l)
{
    px_stores_wait(m, thread, (int)PX_IN(0), false);
    return true;
}

static inline bool px_bulk_wait(px_machine *m, int thread, const px_line *l)
{
    px_stores_wait(m, thread, (int)PX_IN(0), true);
    return true;
}

/* ---- proxies ------------------------------------------------------------------------------ */

static inline bool px_fence_proxy(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    px_proxy_fence(m, thread);
    return true;
}

/* The address stands in the first eight bytes of a map. */
static inline bool px_replace(px_machine *m, int thread, const px_line *l)
{
    px_known_map *k = px_known(m, PX_IN(0));
    uint64_t address = PX_IN(1);
    uint8_t *to = px_global(m, PX_IN(0), PX_MAP_BYTES);
    if (!k || !to) return px_fault(m, "no tensor map to change");
    memcpy(to, &address, 8);
    k->writer = thread;
    return true;
}

static inline bool px_map_release(px_machine *m, int thread, const px_line *l)
{
    (void)l;
    for (int i = 0; i < m->maps; i++) {
        px_known_map *k = &m->known[i];
        if (k->writer != thread) continue;
        if (k->versions == PX_VERSIONS) return px_fault(m, "%d versions of a tensor map", PX_VERSIONS);
        memcpy(k->version[k->versions++], px_global(m, k->at, PX_MAP_BYTES), PX_MAP_BYTES);
        k->writer = -1;
    }
    return true;
}

static inline bool px_map_acquire(px_machine *m, int thread, const px_line *l)
{
    px_known_map *k = px_known(m, PX_IN(0));
    if (!k || PX_IN(1) != PX_MAP_BYTES) return px_fault(m, "fence.proxy.tensormap");
    m->thread[thread].acquired[k - m->known] = k->versions - 1;
    return true;
}

#endif
