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

/* The seed of case n of a run by `seed`: runs whose seeds are neighbours share no cases, and each case can be drawn by itself. */
static inline uint64_t test_case(uint64_t seed, uint64_t n)
{
    uint64_t state = test_random(&seed) ^ n * 0xd1342543de82ef95u;
    return test_random(&state);
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
