/* SPDX-License-Identifier: Apache-2.0 */
/* Tensor descriptors of CK-Tile as layouts: 1,000 of 7 kinds, whose offsets CK's own headers computed (tests/data/ck_offsets.txt).
 * CK's merge has its last index fastest, a mode here its first; an embed is a sum of strides, an XOR a swizzle. */
#include "layouts/layout.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 10, DESCRIPTORS = 1000 };

typedef struct descriptor {
    char kind[16];
    int count; /* of parameters */
    int p[MOST];
    long points;
    uint64_t hash;
} descriptor;

static int log2_of(int n)
{
    int bits = 0;
    while (n >> bits > 1) bits++;
    return bits;
}

static void convolution(char text[256], const int *p)
{
    int n = p[0], ho = p[1], wo = p[2], y = p[3], x = p[4], c = p[5], sy = p[6], sx = p[7], dy = p[8], dx = p[9];
    int hi = (ho - 1) * sy + (y - 1) * dy + 1, wi = (wo - 1) * sx + (x - 1) * dx + 1;
    snprintf(text, 256, "((%d,%d,%d),(%d,%d,%d)):((%d,%d,%d),(1,%d,%d))", wo, ho, n, c, x, y, sx * c, sy * wi * c, hi * wi * c, dx * c,
             dy * wi * c);
}

/* The layout of a descriptor as text; false: no such kind, or other parameters. */
static bool text_of(char text[256], const descriptor *d)
{
    const int *p = d->p;
    if (!strcmp(d->kind, "strided") && d->count == 4) snprintf(text, 256, "(%d,%d):(%d,%d)", p[0], p[1], p[2], p[3]);
    else if (!strcmp(d->kind, "packed") && d->count == 4)
        snprintf(text, 256, "(%d,%d,%d,%d):(%d,%d,%d,1)", p[0], p[1], p[2], p[3], p[1] * p[2] * p[3], p[2] * p[3], p[3]);
    else if (!strcmp(d->kind, "right_pad") && d->count == 5) snprintf(text, 256, "(%d,%d):(%d,1)", p[0] + p[3], p[1] + p[4], p[2]);
    else if (!strcmp(d->kind, "lds") && d->count == 3)
        snprintf(text, 256, "(%d,(%d,%d)):(%d,(1,%d))", p[1], p[2], p[0], p[2], (p[1] + 1) * p[2]);
    else if (!strcmp(d->kind, "lds_xor") && d->count == 3)
        snprintf(text, 256, "Sw<%d,%d,%d> o 0 o (%d,(%d,%d)):(%d,(1,%d))", log2_of(p[1]), log2_of(p[2]), log2_of(p[1]), p[0], p[2], p[1],
                 p[1] * p[2], p[2]);
    else if (!strcmp(d->kind, "unmerge") && d->count == 5)
        snprintf(text, 256, "(%d,%d,%d,%d):(%d,%d,%d,1)", p[0], p[1], p[2], p[3], p[1] * p[4], p[4], p[3]);
    else if (!strcmp(d->kind, "convolution") && d->count == 10) convolution(text, p);
    else return false;
    return true;
}

/* A line: kind, parameters, points, hash. */
static descriptor read_line(char *line)
{
    char *word[MOST + 3] = {""};
    int words = 0;
    descriptor d = {.count = 0};
    for (char *at = strtok(line, " \n"); at; at = strtok(NULL, " \n")) {
        assert_true(words < MOST + 3);
        word[words++] = at;
    }
    assert_true(words > 3 && strlen(word[0]) < sizeof d.kind);
    memcpy(d.kind, word[0], strlen(word[0]) + 1);
    while (d.count < words - 3) {
        d.p[d.count] = atoi(word[d.count + 1]);
        d.count++;
    }
    d.points = strtol(word[words - 2], NULL, 10);
    d.hash = strtoull(word[words - 1], NULL, 16);
    return d;
}

static uint64_t hash_of(const zlay_layout *layout)
{
    uint64_t hash = 14695981039346656037u;
    for (uint64_t i = 0; i < zlay_layout_size(layout); i++) {
        int64_t offset;
        assert_int_equal(zlay_layout_eval(&offset, 1, layout, i), ZLAY_OK);
        for (int k = 0; k < 8; k++) hash = (hash ^ ((uint64_t)offset >> 8 * k & 255)) * 1099511628211u;
    }
    return hash;
}

static void descriptors_are_layouts(void **state)
{
    char line[256], text[256];
    int seen = 0;
    FILE *file = fopen("tests/data/ck_offsets.txt", "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        if (*line == '#') continue;
        const descriptor d = read_line(line);
        if (!text_of(text, &d)) fail_msg("%s with %d parameters", d.kind, d.count);
        zlay_layout *layout = read_layout(*state, text);
        assert_int_equal(zlay_layout_size(layout), d.points);
        if (hash_of(layout) != d.hash) fail_msg("%s has other offsets than the descriptor %s", text, d.kind);
        zlay_layout_free(layout);
        seen++;
    }
    fclose(file);
    assert_int_equal(seen, DESCRIPTORS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(descriptors_are_layouts)};
    return cmocka_run_group_tests(tests, begin, end);
}
