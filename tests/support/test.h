/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all tests: cmocka with what it needs, and random numbers whose seed is printed and can
 * be given back in ZLAY_SEED; ZLAY_SCALE multiplies the iterations of property tests (8, or 1/4
 * where a sanitizer makes them slow). ZLAY_EXHAUSTIVE=1 makes small worlds whole and gives refuters
 * three times as many cases (`make exhaustive`, minutes); ZLAY_EXHAUSTIVE=2 makes those worlds whole
 * too that take minutes each, and gives refuters a hundred times as many (hours). */
#ifndef TEST_H
#define TEST_H

#include "random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static inline uint64_t test_seed(const char *test)
{
    const char *given = getenv("ZLAY_SEED");
    uint64_t seed = given ? strtoull(given, NULL, 0) : 20240607;
    printf("%s: seed %llu\n", test, (unsigned long long)seed);
    return seed;
}

static inline uint64_t test_iterations(uint64_t count)
{
    const char *scale = getenv("ZLAY_SCALE");
    char *end;
    if (!scale) return count;
    uint64_t times = count * strtoull(scale, &end, 0);
    uint64_t share = *end == '/' ? strtoull(end + 1, NULL, 0) : 1;
    return share > 1 ? (times + share - 1) / share : times;
}

static inline int test_level(void)
{
    const char *given = getenv("ZLAY_EXHAUSTIVE");
    return given ? atoi(given) : 0;
}

static inline int test_exhaustive(void) { return test_level() > 0; }

static inline int test_hours(void) { return test_level() > 1; }

/* Cases of a refuter, of which `make test` draws `count`. */
static inline uint64_t test_cases(uint64_t count)
{
    return test_iterations(test_hours() ? 100 * count : test_exhaustive() ? 3 * count : count);
}

#endif
