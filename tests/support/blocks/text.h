/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine of blocks.h is made of, and how it reads PTX: names, lines with their operands, tables. */
#ifndef TEST_BLOCKS_TEXT_H
#define TEST_BLOCKS_TEXT_H

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

#endif
