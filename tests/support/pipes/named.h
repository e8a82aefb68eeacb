/* SPDX-License-Identifier: Apache-2.0 */
/* The named set: correct pipes as texts in tests/pipes, with any number of stages.  In a text `$`
 * stands for that number, and `$-1` for a number less by 1. */
#ifndef TEST_NAMED_H
#define TEST_NAMED_H

#include "test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { NAMED_TEXT = 1 << 14 };

/* `fewest` stages with which the text runs. */
static const struct {
    const char *name;
    unsigned fewest;
} named[] = {
    {"ring", 1},      {"cooperative", 2}, {"cooperative_multicast", 2}, {"pingpong", 2},
    {"pingpong_multicast", 2}, {"persistent", 2}, {"attention", 1},     {"grouped", 2},
    {"split", 1},     {"multistage", 2},  {"streamk", 2},               {"blackwell", 1},
    {"pair", 1},      {"epilogue", 1},    {"lds_double", 2},            {"lds_direct", 2},
    {"lds_pipelined", 2}, {"turns", 2},
};
enum { NAMED = sizeof named / sizeof *named };

/* The pipes of plans of GEMMs for sm_90a, which say the registers of their roles and what bodies do:
 * of two consumers with bf16 results; of one, whose f32 results leave as they are; with operands that
 * threads load, by themselves and by cp.async. */
static const struct {
    const char *name;
    unsigned fewest;
} planned[] = {{"gemm", 2}, {"gemm_narrow", 2}, {"gemm_loads", 3}, {"gemm_cpasync", 3}};
enum { PLANNED = sizeof planned / sizeof *planned };

/* Puts the number that `$` or `$-1` at `at` stands for behind `text`; how much of `at` it took. */
static inline size_t named_number(char *text, size_t *length, const char *at, unsigned stages)
{
    bool less = at[1] == '-' && at[2] >= '0' && at[2] <= '9';
    unsigned number = less ? stages - (unsigned)(at[2] - '0') : stages;
    *length += (size_t)snprintf(text + *length, 12, "%u", number);
    return less ? 3 : 1;
}

/* The text of a named pipe with so many stages, NUL behind it; its length. */
static inline size_t named_read(char text[NAMED_TEXT], const char *name, unsigned stages)
{
    static char raw[NAMED_TEXT];
    char path[128];
    size_t length = 0;
    snprintf(path, sizeof path, "tests/pipes/%s.pipe", name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("no file %s", path);
    raw[fread(raw, 1, sizeof raw - 1, file)] = 0;
    fclose(file);
    for (const char *at = raw; *at;) {
        assert_true(length + 16 < NAMED_TEXT);
        if (*at == '$') at += named_number(text, &length, at, stages);
        else text[length++] = *at++;
    }
    text[length] = 0;
    return length;
}

#endif
