/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers that a seed repeats: splitmix64. */
#ifndef TEST_RANDOM_H
#define TEST_RANDOM_H

#include <stdint.h>

static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

/* In [low, high]. */
static inline int64_t test_range(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(test_random(state) % (uint64_t)(high - low + 1));
}

/* Every order is as likely. */
static inline void test_shuffle(uint64_t *state, int *list, int count)
{
    for (int i = count - 1; i > 0; i--) {
        int j = (int)test_range(state, 0, i), swap = list[i];
        list[i] = list[j];
        list[j] = swap;
    }
}

#endif
