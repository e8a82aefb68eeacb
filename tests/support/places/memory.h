/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a choice fits: registers by their peak, shared and tensor memory by every offset of every buffer. */
#ifndef TEST_PLACES_MEMORY_H
#define TEST_PLACES_MEMORY_H

#include "places/lives.h"

typedef struct buffer {
    uint64_t own, life;
    uint32_t size, at;
} buffer;

static bool lay(buffer *x, uint32_t count, uint32_t i, uint32_t capacity, uint32_t step)
{
    if (i == count) return true;
    for (x[i].at = 0; x[i].at + x[i].size <= capacity; x[i].at += step) {
        bool free = true;
        for (uint32_t j = 0; j < i; j++) free = free && (!(x[i].life & x[j].life) || x[i].at + x[i].size <= x[j].at || x[j].at + x[j].size <= x[i].at);
        if (free && lay(x, count, i + 1, capacity, step)) return true;
    }
    return false;
}

static uint64_t gcd64(uint64_t a, uint64_t b) { return b ? gcd64(b, a % b) : a; }

/* What values take of a place: registers, units of 128 bytes, columns. */
static uint32_t room_of(const brute *b, uint32_t v, int place)
{
    const zlay_places_value *x = &b->r->value[v];
    uint64_t bytes = bytes_of(x), columns = ((uint64_t)x->columns * x->bits + 31) / 32 * ((x->rows + 127) / 128);
    if (place == AT_R) return (uint32_t)((bytes + 4 * b->r->threads - 1) / (4 * b->r->threads));
    return (uint32_t)((place == AT_T ? columns : (bytes + UNIT - 1) / UNIT) * (uint64_t)1);
}

typedef struct usage {
    uint32_t registers, tmem, buffers[2];
    buffer shared[2 * ZLAY_PLACES_VALUES], tensor[ZLAY_PLACES_VALUES];
    uint32_t of[2 * ZLAY_PLACES_VALUES], place[2 * ZLAY_PLACES_VALUES]; /* of shared */
    int lies[ZLAY_PLACES_VALUES];  /* in tensor */
} usage;

/* Joins sums with results in tensor memory; false: both are alive in one step. */
static bool join_all(const brute *b, usage *u)
{
    for (uint32_t o = 0; o < b->r->operations; o++) {
        const zlay_places_operation *op = &b->r->operation[o];
        const form_row *f = &form_rows[b->form[o]];
        if (f->sum < 0 || f->sum >= (int)op->reads || f->result != T || op->read[f->sum] == op->write[0]) continue;
        int x = u->lies[op->read[f->sum]], y = u->lies[op->write[0]], made = writer_of(b, op->read[f->sum]);
        if (looped(b, (int)o) && (made < 0 || !looped(b, made)) && serves_rounds(b, op->read[f->sum])) return false; /* the first round spoils it */
        if (x == y) continue;
        if (u->tensor[x].own & u->tensor[y].own) return false;
        u->tensor[x].own |= u->tensor[y].own;
        u->tensor[x].life |= u->tensor[y].life;
        if (u->tensor[y].size > u->tensor[x].size) u->tensor[x].size = u->tensor[y].size;
        u->tensor[y] = (buffer){0};
        for (uint32_t v = 0; v < b->r->values; v++)
            if (u->lies[v] == y) u->lies[v] = x;
    }
    return true;
}

static uint32_t peak(const buffer *x, uint32_t count)
{
    uint32_t most = 0;
    for (int step = 0; step < STEPS; step++) {
        uint32_t sum = 0;
        for (uint32_t i = 0; i < count; i++) sum += x[i].life >> step & 1 ? x[i].size : 0;
        if (sum > most) most = sum;
    }
    return most;
}

static void use_memory(const brute *b, usage *u)
{
    buffer registers[ZLAY_PLACES_VALUES];
    uint32_t count = 0;
    memset(u, 0, sizeof *u);
    for (uint32_t v = 0; v < b->r->values; v++) {
        uint64_t own[PLACES], all[PLACES];
        lives_of(b, v, own, all);
        u->lies[v] = -1;
        for (int p = 0; p < AT_G; p++) {
            if (b->tree[v].source[p] < 0) continue;
            buffer x = {own[p], all[p], room_of(b, v, p) * (uint32_t)held(b, v, p), 0};
            if (p == AT_R) registers[count++] = x;
            else if (p == AT_T) {
                u->lies[v] = (int)u->buffers[1];
                u->tensor[u->buffers[1]++] = x;
            } else {
                u->of[u->buffers[0]] = v;
                u->place[u->buffers[0]] = (uint32_t)p;
                u->shared[u->buffers[0]++] = x;
            }
        }
    }
    u->registers = peak(registers, count);
}

/* Whether the choice fits; *u: what it takes. */
static bool fits(const brute *b, usage *u)
{
    for (uint32_t v = 0; v < b->r->values; v++)
        if (b->tree[v].source[AT_C] >= 0 && b->shape[0] * b->shape[1] * b->shape[2] == 1) return false;
    use_memory(b, u);
    uint32_t step = target_has(b->target, "TMA") ? 8 : 1, capacity = (uint32_t)(b->r->smem / UNIT), columns = b->r->tmem;
    uint64_t unit = columns;
    if (u->registers > b->r->registers || peak(u->shared, u->buffers[0]) > capacity) return false;
    if (u->buffers[1] && !target_has(b->target, "TCGEN05")) return false;
    if (!join_all(b, u) || peak(u->tensor, u->buffers[1]) > columns) return false;
    for (uint32_t i = 0; i < u->buffers[1]; i++) unit = gcd64(unit, u->tensor[i].size);
    if (!lay(u->shared, u->buffers[0], 0, capacity, step)) return false;
    for (u->tmem = u->buffers[1] ? 32 : 0; u->tmem < columns && u->tmem; u->tmem *= 2)
        if (lay(u->tensor, u->buffers[1], 0, u->tmem, (uint32_t)unit)) return true;
    return lay(u->tensor, u->buffers[1], 0, columns, (uint32_t)unit);
}

#endif
