/* SPDX-License-Identifier: Apache-2.0 */
/* Whole blocks and clusters of a kernel's PTX, executed on memory: registers, predicates, barriers,
 * what warps do together, and asynchronous copies, which land as late as the text allows. An access
 * off its width or outside memory, a barrier told other bytes than land, and an instruction that it
 * does not know fail the test. Written from PTX ISA 9.1. */
#ifndef TEST_PTX_MACHINE_H
#define TEST_PTX_MACHINE_H

#include "test.h"

#include <stdbool.h>
#include <string.h>

enum {
    PM_NAMES = 2048, PM_LINES = 8192, PM_OPERANDS = 10, PM_THREADS = 1024, PM_WARP = 32,
    PM_STEPS = 1 << 24, PM_SHARED = 1 << 16, PM_QUEUE = 64, PM_BARRIERS = 0x100, PM_ARRAYS = 0x400,
    PM_BLOCKS = 8, PM_RANK = 24, PM_TRIES = 9, PM_TABLES = 40
};

typedef struct pm_operand {
    int name;     /* of a register; -1: the number alone */
    int64_t more; /* added */
} pm_operand;

typedef struct pm_line pm_line;
struct pm_line {
    char op[160];
    int guard, negated, count, label, target;
    pm_operand operand[PM_OPERANDS];
};

typedef struct pm_memory { /* global memory at an address */
    uint64_t at, size;
    uint8_t *bytes;
} pm_memory;

typedef struct pm_table { /* a global array that the text declares */
    int name;
    pm_memory memory;
} pm_table;

typedef struct pm_copy { /* on its way */
    uint64_t to, from, bytes, zeros;
    bool to_shared;
} pm_copy;

typedef struct pm_thread {
    uint64_t value[PM_NAMES];
    int line, tries;
    uint32_t rank; /* of its block in the cluster */
    bool done, waits;
    pm_copy queue[PM_QUEUE];
    int queued;
} pm_thread;

typedef struct pm_machine pm_machine;
/* A multicast tensor copy is the test's: operands are the map's name, coordinates and a mask. */
typedef void pm_tensor(pm_machine *m, pm_thread *t, const pm_line *line);

struct pm_machine {
    char names[PM_NAMES][24];
    int names_count, lines_count, memories;
    pm_memory memory[8];
    pm_table table[PM_TABLES];
    int tables;
    uint8_t *held[PM_BLOCKS]; /* of a function: registers that each thread gives, or gets */
    uint32_t held_bytes;
    uint64_t expect[PM_BLOCKS], landed[PM_BLOCKS]; /* of the one barrier of each block */
    uint32_t threads, blocks; /* of all blocks together; of the cluster */
    bool returns; /* a function: who calls it waits for its copies */
    pm_thread *thread;
    long steps;
    pm_tensor *tensor;
    void *test;
    /* Written before it is read: a new machine does not clear it, nor what it allocates for its threads. */
    pm_line line[PM_LINES];
    uint8_t shared[PM_BLOCKS][PM_SHARED];
};

/* ---- text -------------------------------------------------------------------- */

static inline int pm_name(pm_machine *m, const char *text, size_t length)
{
    for (int i = 0; i < m->names_count; i++)
        if (strlen(m->names[i]) == length && !memcmp(m->names[i], text, length)) return i;
    assert_true(m->names_count < PM_NAMES && length < sizeof m->names[0]);
    memcpy(m->names[m->names_count], text, length);
    m->names[m->names_count][length] = 0;
    return m->names_count++;
}

static inline pm_operand pm_operand_of(pm_machine *m, const char *text, size_t length)
{
    pm_operand o = {-1, 0};
    size_t name = strcspn(text, "+ ,;]}");
    if (strchr("-0123456789", *text)) {
        o.more = *text == '-' ? (int64_t)strtoll(text, NULL, 0)
                              : (int64_t)strtoull(text, NULL, 0);
        return o;
    }
    o.name = pm_name(m, text, name < length ? name : length);
    if (name < length && text[name] == '+') o.more = strtoll(text + name + 1, NULL, 0);
    return o;
}

static inline void pm_operands(pm_machine *m, pm_line *line, const char *at)
{
    static const char between[] = " ,;[]{}|";
    while (*(at += strspn(at, between)) && *at != '\n') {
        size_t length = strcspn(at, " ,;[]{}|\n");
        assert_true(line->count < PM_OPERANDS);
        line->operand[line->count++] = pm_operand_of(m, at, length);
        at += length;
    }
}

static inline void pm_read_line(pm_machine *m, const char *text)
{
    text += strspn(text, " ");
    size_t length = strcspn(text, "\n");
    if (!length || *text == '.' || *text == '/' || !strncmp(text, "{ .reg", 6)) return;
    assert_true(m->lines_count < PM_LINES);
    pm_line *line = &m->line[m->lines_count++];
    *line = (pm_line){.guard = -1, .label = -1, .target = -1};
    if (text[length - 1] == ':') {
        line->label = pm_name(m, text, length - 1);
        return;
    }
    if (*text == '@') {
        line->negated = text[1] == '!';
        text += 1 + line->negated;
        line->guard = pm_name(m, text, strcspn(text, " "));
        text += strcspn(text, " ") + 1;
    }
    size_t op = strcspn(text, " ;");
    assert_true(op < sizeof line->op);
    memcpy(line->op, text, op);
    pm_operands(m, line, text + op);
}

/* .global .align 8 .s64 NAME[COUNT] = {..}; */
static inline void pm_read_table(pm_machine *m, const char *at)
{
    assert_true(m->tables < PM_TABLES);
    pm_table *t = &m->table[m->tables];
    size_t length = strcspn(at, "[");
    uint64_t count = strtoull(at + length + 1, NULL, 10);
    t->name = pm_name(m, at, length);
    t->memory = (pm_memory){(uint64_t)(PM_TABLES + m->tables++) << 32, 8 * count, calloc(count, 8)};
    assert_non_null(t->memory.bytes);
    at = strchr(at, '{');
    for (uint64_t i = 0; i < count; i++) {
        char *end;
        int64_t value = strtoll(at + 1, &end, 10);
        assert_true(*end == (i + 1 < count ? ',' : '}'));
        memcpy(t->memory.bytes + 8 * i, &value, 8);
        at = end;
    }
}

static inline pm_machine *pm_new(const char *ptx)
{
    static const char array[] = "\n.global .align 8 .s64 ";
    pm_machine *m = malloc(sizeof *m);
    const char *at = strstr(ptx, "\n{\n");
    assert_non_null(m);
    memset(m, 0, offsetof(pm_machine, line));
    assert_non_null(at);
    for (const char *t = ptx; (t = strstr(t, array)) && t < at; t++)
        pm_read_table(m, t + strlen(array));
    for (at += 3; *at && strncmp(at, "}\n", 2); at = strchr(at, '\n') + 1) pm_read_line(m, at);
    for (int i = 0; i < m->lines_count; i++) {
        if (strcmp(m->line[i].op, "bra")) continue;
        for (int j = 0; j < m->lines_count; j++)
            if (m->line[j].label == m->line[i].operand[0].name) m->line[i].target = j;
        assert_true(m->line[i].target >= 0);
    }
    return m;
}

static inline void pm_free(pm_machine *m)
{
    for (int i = 0; i < m->tables; i++) free(m->table[i].memory.bytes);
    free(m->thread);
    free(m);
}

/* ---- memory ------------------------------------------------------------------ */

static inline uint8_t *pm_global(pm_machine *m, uint64_t at, uint64_t size, uint64_t align)
{
    if (at % align) fail_msg("address %llx is off %llu bytes", (unsigned long long)at,
                             (unsigned long long)align);
    for (int i = 0; i < m->memories; i++) {
        const pm_memory *g = &m->memory[i];
        if (at >= g->at && at + size <= g->at + g->size) return g->bytes + (at - g->at);
    }
    for (int i = 0; i < m->tables; i++) {
        const pm_memory *g = &m->table[i].memory;
        if (at >= g->at && at + size <= g->at + g->size) return g->bytes + (at - g->at);
    }
    fail_msg("%llu bytes at %llx are no memory", (unsigned long long)size, (unsigned long long)at);
    return NULL;
}

/* An address of another block has its rank, and one more, above the address there. */
static inline uint8_t *pm_shared(pm_machine *m, const pm_thread *t, uint64_t at, uint64_t size,
                                 uint64_t align)
{
    uint32_t rank = at >> PM_RANK ? (uint32_t)(at >> PM_RANK) - 1 : t->rank;
    at &= (1u << PM_RANK) - 1;
    assert_true(rank < m->blocks);
    if (at % align || at + size > PM_SHARED)
        fail_msg("shared address %llx, %llu bytes", (unsigned long long)at,
                 (unsigned long long)size);
    return m->shared[rank] + at;
}

static inline void pm_land(pm_machine *m, const pm_thread *t, const pm_copy *c)
{
    uint64_t size = c->bytes + c->zeros, align = size < 16 ? size : 16;
    uint8_t *to = c->to_shared ? pm_shared(m, t, c->to, size, align)
                               : pm_global(m, c->to, size, align);
    if (c->bytes)
        memcpy(to, c->to_shared ? pm_global(m, c->from, c->bytes, align)
                                : pm_shared(m, t, c->from, c->bytes, align), c->bytes);
    memset(to + c->bytes, 0, c->zeros);
}

static inline void pm_land_all(pm_machine *m, pm_thread *t)
{
    for (int i = 0; i < t->queued; i++) {
        if (t->queue[i].to_shared) m->landed[t->rank] += t->queue[i].bytes;
        pm_land(m, t, &t->queue[i]);
    }
    t->queued = 0;
}

/* Copies land at any time until they are waited for: here late, or when no more can be kept. */
static inline void pm_send(pm_machine *m, pm_thread *t, pm_copy c)
{
    if (t->queued == PM_QUEUE) pm_land_all(m, t);
    t->queue[t->queued++] = c;
}

/* ---- instructions ------------------------------------------------------------- */

static inline uint64_t pm_get(const pm_thread *t, const pm_operand *o)
{
    return (o->name < 0 ? 0 : t->value[o->name]) + (uint64_t)o->more;
}

static inline bool pm_is(const pm_line *l, const char *op)
{
    return !strncmp(l->op, op, strlen(op));
}

static inline bool pm_has(const pm_line *l, const char *part)
{
    return strstr(l->op, part) != NULL;
}

static inline const char *pm_type(const pm_line *l)
{
    const char *dot = strrchr(l->op, '.');
    return dot ? dot + 1 : "";
}

static inline uint64_t pm_cut(uint64_t value, const char *type)
{
    int bits = atoi(type + 1);
    return bits >= 64 ? value : value & (((uint64_t)1 << bits) - 1);
}

static inline int pm_compare(uint64_t a, uint64_t b, const char *type)
{
    if (*type == 's') {
        int64_t x = (int64_t)a, y = (int64_t)b;
        if (!strcmp(type, "s32")) x = (int32_t)x, y = (int32_t)y;
        return x < y ? -1 : x > y;
    }
    a = pm_cut(a, type);
    b = pm_cut(b, type);
    return a < b ? -1 : a > b;
}

static inline void pm_setp(pm_thread *t, const pm_line *l)
{
    static const char *const names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    int c = pm_compare(pm_get(t, &l->operand[1]), pm_get(t, &l->operand[2]), pm_type(l)), which = 0;
    while (strncmp(l->op + 5, names[which], 2)) assert_true(++which < 6);
    const bool holds[] = {c == 0, c != 0, c < 0, c <= 0, c > 0, c >= 0};
    bool value = holds[which];
    if (pm_has(l, ".and.")) value = value && pm_get(t, &l->operand[3]);
    t->value[l->operand[0].name] = value;
}

static inline uint32_t pm_prmt(uint32_t a, uint32_t b, uint64_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) {
        uint64_t from = selector >> 4 * i & 15;
        assert_true(from < 8);
        r |= (uint32_t)(bytes >> 8 * from & 255) << 8 * i;
    }
    return r;
}

/* cvt.TO.FROM: integers, extended by the sign that FROM has. */
static inline uint64_t pm_convert(const pm_line *l, uint64_t a, const char **type)
{
    int bits = atoi(pm_type(l) + 1), unused = 64 - bits;
    uint64_t value = *pm_type(l) == 's' ? (uint64_t)((int64_t)(a << unused) >> unused) : pm_cut(a, pm_type(l));
    *type = l->op + 4;
    return value;
}

/* bfi.b32: the low bits of a in c bits of b from bit `at` on. */
static inline uint32_t pm_insert(uint32_t a, uint32_t b, uint64_t at, uint64_t length)
{
    uint32_t mask = length < 32 ? (1u << length) - 1 : UINT32_MAX;
    assert_true(at < 32);
    return (b & ~(mask << at)) | (a & mask) << at;
}

static inline bool pm_compute(pm_thread *t, const pm_line *l)
{
    uint64_t a = pm_get(t, &l->operand[1]), b = pm_get(t, &l->operand[2]);
    uint64_t c = pm_get(t, &l->operand[3]), r;
    const char *type = pm_type(l);
    if (pm_is(l, "mov.b32") && l->count == 3) r = (a & 0xffff) | b << 16; /* from a pair */
    else if (pm_is(l, "mov.pred")) r = a != 0, type = "b1";
    else if (pm_is(l, "mov.") || pm_is(l, "cvta.") || pm_is(l, "ld.param")) r = a;
    else if (pm_is(l, "cvt.")) r = pm_convert(l, a, &type);
    else if (pm_is(l, "mad.lo.")) r = a * b + c;
    else if (pm_is(l, "mad.wide.u32")) r = (uint64_t)(uint32_t)a * (uint32_t)b + c, type = "u64";
    else if (pm_is(l, "mul.wide.s32")) r = (uint64_t)((int64_t)(int32_t)a * (int32_t)b), type = "u64";
    else if (pm_is(l, "mad.wide.s32")) r = (uint64_t)((int64_t)(int32_t)a * (int32_t)b) + c, type = "u64";
    else if (pm_is(l, "mul.hi.u32")) r = (uint64_t)(uint32_t)a * (uint32_t)b >> 32;
    else if (pm_is(l, "dp2a.lo.u32.u32")) r = (a & 0xffff) * (b & 0xff) + (pm_cut(a, "b32") >> 16) * (b >> 8 & 0xff) + c;
    else if (pm_is(l, "mul.hi.u16")) r = (uint64_t)(uint16_t)a * (uint16_t)b >> 16;
    else if (pm_is(l, "mul.wide.u16")) r = (uint64_t)(uint16_t)a * (uint16_t)b, type = "u32";
    else if (pm_is(l, "mul.wide.u32")) r = (uint64_t)(uint32_t)a * (uint32_t)b, type = "u64";
    else if (pm_is(l, "mul.lo.")) r = a * b;
    else if (pm_is(l, "add.")) r = a + b;
    else if (pm_is(l, "sub.")) r = a - b;
    else if (pm_is(l, "div.u")) r = pm_cut(a, type) / pm_cut(b, type);
    else if (pm_is(l, "rem.u")) r = pm_cut(a, type) % pm_cut(b, type);
    else if (pm_is(l, "and.b")) r = a & b;
    else if (pm_is(l, "xor.b")) r = a ^ b;
    else if (pm_is(l, "or.b")) r = a | b;
    else if (pm_is(l, "not.b")) r = ~a;
    else if (pm_is(l, "and.pred")) r = a && b, type = "b1";
    else if (pm_is(l, "or.pred")) r = a || b, type = "b1";
    else if (pm_is(l, "not.pred")) r = !a, type = "b1";
    else if (pm_is(l, "neg.s")) r = -a;
    else if (pm_is(l, "bfi.b32")) r = pm_insert((uint32_t)a, (uint32_t)b, c, pm_get(t, &l->operand[4]));
    else if (pm_is(l, "bfe.u32")) r = pm_cut(a, "b32") >> b & ((1ull << c) - 1);
    else if (pm_is(l, "shl.b")) r = b < 64 ? a << b : 0;
    else if (pm_is(l, "shr.u")) r = b < 64 ? pm_cut(a, type) >> b : 0;
    else if (pm_is(l, "shr.s64")) r = (uint64_t)((int64_t)a >> b);
    else if (pm_is(l, "shr.s32")) r = (uint64_t)((int32_t)a >> b);
    else if (pm_is(l, "prmt.b32")) r = pm_prmt((uint32_t)a, (uint32_t)b, c);
    else if (pm_is(l, "min.u") || pm_is(l, "max.u")) r = (pm_cut(a, type) < pm_cut(b, type)) == pm_is(l, "min") ? a : b;
    else if (pm_is(l, "min.s64")) r = (int64_t)a < (int64_t)b ? a : b;
    else if (pm_is(l, "selp.")) r = c ? a : b;
    else if (pm_is(l, "shf.r.wrap.b32")) r = ((b << 32 | (uint32_t)a) >> (c & 31));
    else return false;
    t->value[l->operand[0].name] = pm_cut(r, type);
    return true;
}

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

/* ---- blocks -------------------------------------------------------------------- */

static inline bool pm_meets(const pm_line *l)
{
    return pm_is(l, "bar.sync") || pm_is(l, "barrier.cluster.wait") || pm_is(l, "ldmatrix") ||
           pm_is(l, "stmatrix");
}

/* Run a thread until it ends or stands where others are waited for. */
static inline void pm_run(pm_machine *m, pm_thread *t)
{
    for (t->waits = false; !t->waits; t->line++) {
        const pm_line *l = &m->line[t->line];
        assert_true(t->line < m->lines_count && ++m->steps < PM_STEPS);
        if (l->label >= 0) continue;
        if (l->guard >= 0 && !t->value[l->guard] != !!l->negated) continue;
        if (pm_is(l, "ret")) {
            if (t->queued && !m->returns)
                fail_msg("a thread leaves while its copies are on their way");
            t->done = true;
            return;
        }
        if (pm_meets(l)) return;
        if (pm_is(l, "barrier.cluster.arrive")) continue;
        if (pm_is(l, "cp.async.bulk.tensor")) m->tensor(m, t, l);
        else if (pm_is(l, "bra")) t->line = l->target;
        else if (pm_is(l, "setp.")) pm_setp(t, l);
        else if (!pm_held(m, t, l) && !pm_compute(t, l) && !pm_access(m, t, l) && !pm_async(m, t, l))
            fail_msg("the machine knows no \"%s\"", l->op);
    }
}

/* Threads [first, end) stand at one line: all of a block at a barrier or at what its warps do
 * together, all of the cluster at a barrier of that. */
static inline void pm_meet(pm_machine *m, uint32_t first, uint32_t end)
{
    int line = m->thread[first].line;
    for (uint32_t i = first; i < end; i++)
        if (m->thread[i].done || m->thread[i].line != line) fail_msg("threads stand apart");
    bool together = pm_is(&m->line[line], "ldmatrix") || pm_is(&m->line[line], "stmatrix");
    for (uint32_t i = first; together && i < end; i += PM_WARP)
        pm_matrix(m, &m->thread[i], &m->line[line]);
    for (uint32_t i = first; i < end; i++) m->thread[i].line++;
}

static inline void pm_meet_all(pm_machine *m)
{
    uint32_t each = m->threads / m->blocks;
    const pm_line *l = &m->line[m->thread[0].line];
    if (!m->thread[0].done && pm_is(l, "barrier.cluster.wait")) {
        pm_meet(m, 0, m->threads);
        return;
    }
    for (uint32_t i = 0; i < m->threads; i += each)
        if (!m->thread[i].done) pm_meet(m, i, i + each);
}

/* A value that every thread begins with. */
static inline void pm_set(pm_machine *m, uint32_t thread, const char *name, uint64_t value)
{
    m->thread[thread].value[pm_name(m, name, strlen(name))] = value;
}

static inline void pm_begin(pm_machine *m, uint32_t first, uint32_t blocks, uint32_t threads)
{
    if (!m->thread) m->thread = malloc(PM_THREADS * sizeof *m->thread);
    assert_non_null(m->thread);
    assert_true(blocks <= PM_BLOCKS && blocks * threads <= PM_THREADS);
    m->threads = blocks * threads;
    m->blocks = blocks;
    m->steps = 0;
    memset(m->landed, 0, sizeof m->landed);
    memset(m->shared, 0xee, blocks * sizeof m->shared[0]);
    memset(m->thread, 0, m->threads * sizeof *m->thread);
    for (uint32_t i = 0; i < m->threads; i++) {
        m->thread[i].rank = i / threads;
        pm_set(m, i, "%tid.x", i % threads);
        pm_set(m, i, "%ctaid.x", first + i / threads);
        pm_set(m, i, "%cluster_ctarank", i / threads);
        pm_set(m, i, "$smem", PM_ARRAYS);
        pm_set(m, i, "$bar", PM_BARRIERS);
        pm_set(m, i, "ptr_bar", PM_BARRIERS);
        for (int k = 0; k < m->tables; k++)
            m->thread[i].value[m->table[k].name] = m->table[k].memory.at;
    }
}

static inline void pm_go(pm_machine *m)
{
    for (uint32_t left = m->threads, waits; left;) {
        left = waits = 0;
        for (uint32_t i = 0; i < m->threads; i++)
            if (!m->thread[i].done) pm_run(m, &m->thread[i]);
        for (uint32_t i = 0; i < m->threads; i++) {
            left += !m->thread[i].done;
            waits += m->thread[i].waits && !m->thread[i].done;
        }
        if (left && !waits) pm_meet_all(m);
    }
}

static inline void pm_parameters(pm_machine *m, const char *const names[2],
                                 const uint64_t values[2])
{
    for (uint32_t i = 0; i < m->threads; i++)
        for (int n = 0; n < 2; n++) pm_set(m, i, names[n], values[n]);
}

/* Blocks [first, first + blocks) of a grid, which are a cluster; two parameters. */
static inline void pm_cluster(pm_machine *m, uint32_t first, uint32_t blocks, uint32_t threads,
                              const char *const names[2], const uint64_t values[2])
{
    pm_begin(m, first, blocks, threads);
    pm_parameters(m, names, values);
    pm_go(m);
}

/* Threads of one block at the first line, shared memory with nothing in it. */
static inline void pm_ready(pm_machine *m, uint32_t block, uint32_t threads, uint64_t source,
                            uint64_t dest)
{
    static const char *const names[] = {"ptr_source", "ptr_dest"};
    const uint64_t values[] = {source, dest};
    pm_begin(m, block, 1, threads);
    pm_parameters(m, names, values);
}

static inline void pm_block(pm_machine *m, uint32_t block, uint32_t threads, uint64_t source,
                            uint64_t dest)
{
    pm_ready(m, block, threads, source, dest);
    pm_go(m);
}

#endif
