/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of banks share: an access by its name, counted, and counted another way. */
#ifndef TEST_BANK_H
#define TEST_BANK_H

#include "legality.h"

enum { LANES_MOST = ZLAY_BANK_LANES };

static inline int32_t number_of(const char *access)
{
    int32_t number = -1;
    if (zlay_bank_find(&number, access, strlen(access)) != ZLAY_OK) fail_msg("no access %s", access);
    return number;
}

static inline zlay_bank_access explained(const char *target_name, const char *access)
{
    zlay_bank_access x;
    assert_int_equal(zlay_bank_info(&x, target_of(target_name), number_of(access)), ZLAY_OK);
    return x;
}

static inline zlay_bank count(const char *target_name, const char *access, const uint32_t *addresses)
{
    zlay_bank b;
    zlay_bank_access x = explained(target_name, access);
    assert_int_equal(zlay_bank_conflicts(&b, target_of(target_name), x.number, addresses, x.lanes * x.parts), ZLAY_OK);
    return b;
}

/* ---- counted another way ----------------------------------------------------------------- */

/* Lanes served together, as sources write them; the same again from lane 32 on where there are 64. */
typedef struct served {
    const char *target, *access, *groups;
    uint32_t bytes, banks;
    char rule; /* w: words once; p: pairs merge; l: lanes apart */
} served;

typedef struct grouping {
    uint32_t count;
    uint64_t lanes[16];
} grouping;

static inline grouping groups_of(const char *text, uint32_t lanes)
{
    grouping g = {1, {0}};
    int from, to, used;
    uint64_t all = 0;
    while (sscanf(text, "%d-%d%n", &from, &to, &used) == 2) {
        for (int l = from; l <= to; l++) g.lanes[g.count - 1] |= 1ull << l;
        text += used;
        if (*text == ',') text++;
        else if (*text) text += 3, g.count++;
    }
    for (uint32_t i = 0; i < g.count; i++) all |= g.lanes[i];
    if (lanes == 64 && all <= UINT32_MAX)
        for (uint32_t i = 0; i < g.count; i++) g.lanes[g.count + i] = g.lanes[i] << 32;
    if (lanes == 64 && all <= UINT32_MAX) g.count *= 2;
    return g;
}

/* The most words that one bank is asked for. */
static inline uint32_t most_asked(const served *s, const uint32_t *a, uint32_t lanes, uint64_t group)
{
    uint32_t words[64][64 * 4], count[64] = {0}, most = 0; /* 4 words of a lane at most */
    for (uint32_t l = 0; l < lanes; l++) {
        if (!(group >> l & 1) || a[l] == UINT32_MAX) continue;
        for (uint32_t w = a[l] / 4; w <= (a[l] + s->bytes - 1) / 4; w++) {
            uint32_t bank = w % s->banks, *mine = words[bank], *n = &count[bank];
            bool seen = false;
            for (uint32_t i = 0; i < *n; i++) seen |= mine[i] == w;
            if (!seen || s->rule == 'l') mine[(*n)++] = w;
            if (*n > most) most = *n;
        }
    }
    return most;
}

static inline bool twins(const uint32_t *a, uint32_t lanes, uint32_t step)
{
    for (uint32_t l = 0; l < lanes; l++)
        if (a[l] != UINT32_MAX && a[l ^ step] != UINT32_MAX && a[l] != a[l ^ step]) return false;
    return true;
}

static inline uint32_t counted(const served *s, const uint32_t *a, uint32_t lanes)
{
    grouping g = groups_of(s->groups, lanes);
    bool merge = s->rule == 'p' && (twins(a, lanes, 1) || twins(a, lanes, 2));
    uint32_t sum = 0;
    for (uint32_t i = 0; i < g.count; i += merge ? 2 : 1)
        sum += most_asked(s, a, lanes, merge ? g.lanes[i] | g.lanes[i + 1] : g.lanes[i]);
    return sum;
}

#endif
