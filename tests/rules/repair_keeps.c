/* SPDX-License-Identifier: Apache-2.0 */
/* What a joint repair says that it keeps is found again by placing every element. */
#include "repair.h"

#include <stdlib.h>

enum { PLACES = 1 << 14 };

typedef struct place {
    uint64_t element, address;
} place;

static uint64_t taken(const zlay_tensormap *m, uint32_t i)
{
    uint64_t step = m->step[i] ? m->step[i] : 1;
    if (i == 0 && m->interleave == 0) step = 1;
    return (m->box[i] + step - 1) / step;
}

/* Where a box at a corner puts each element from `base` on: dense rows, on the swizzle's span,
 * the XOR on the address. */
static size_t put_box(place *out, const zlay_tensormap *m, const uint64_t *corner, uint64_t base)
{
    uint64_t n[5], count = 1, bytes = bytes_of(m), pitch = taken(m, 0) * bytes;
    uint64_t span = m->interleave || !m->swizzle ? 0 : 16u << m->swizzle;
    if (pitch < span) pitch = span;
    for (uint32_t i = 0; i < 5; i++) count *= n[i] = i < m->rank ? taken(m, i) : 1;
    if (count > PLACES) return 0;
    for (uint64_t at = 0; at < count; at++) {
        uint64_t rest = at, element = 0, scale = 1;
        for (uint32_t i = 0; i < m->rank; i++) {
            uint64_t step = m->step[i] && (i || m->interleave) ? m->step[i] : 1;
            element += scale * (corner[i] + rest % n[i] * step);
            scale *= 100000;
            rest /= n[i];
        }
        uint64_t address = base + at / n[0] * pitch + at % n[0] * bytes;
        if (m->swizzle && !m->interleave) address ^= (address >> 7 & ((1u << m->swizzle) - 1)) << 4;
        out[at] = (place){element, address};
    }
    return (size_t)count;
}

static int by_element(const void *a, const void *b)
{
    uint64_t x = ((const place *)a)->element, y = ((const place *)b)->element;
    return x < y ? -1 : x > y;
}

/* Every issue of the repaired map, each behind the one before; elements along a dimension go on
 * where the last ended. */
static size_t put_issues(place *out, const zlay_tensormap *from, const zlay_tensormap *to,
                         uint64_t split)
{
    uint64_t k[5], bytes = bytes_of(to), pitch = taken(to, 0) * bytes;
    uint64_t span = to->interleave || !to->swizzle ? 0 : 16u << to->swizzle,
             issue = pitch < span ? span : pitch;
    size_t count = 0;
    for (uint32_t i = 0; i < from->rank; i++) k[i] = taken(from, i) / taken(to, i);
    for (uint32_t i = 1; i < from->rank; i++) issue *= taken(to, i);
    assert_int_equal(issue % 128 * (split > 1), 0);
    for (uint64_t at = 0; at < split; at++) {
        uint64_t corner[5] = {0}, rest = at;
        for (uint32_t i = 0; i < from->rank; i++) {
            uint64_t step = from->step[i] && (i || from->interleave) ? from->step[i] : 1;
            corner[i] = rest % k[i] * taken(to, i) * step;
            rest /= k[i];
        }
        count += put_box(out + count, to, corner, at * issue);
    }
    return count;
}

static bool wider_than_span(const zlay_tensormap *m)
{
    return !m->interleave && m->swizzle >= 1 &&
           m->box[0] * bytes_of(m) > 16u << (m->swizzle > 3 ? 3 : m->swizzle);
}

static bool keeps_places(const joint *j)
{
    static place was[PLACES], is[PLACES];
    uint64_t zero[5] = {0};
    size_t count = put_box(was, &j->from, zero, 0);
    if (!count) return false;
    if (put_issues(is, &j->from, &j->to, j->split) != count) fail_msg("another number of elements");
    qsort(was, count, sizeof *was, by_element);
    qsort(is, count, sizeof *is, by_element);
    assert_memory_equal(was, is, count * sizeof *was);
    return true;
}

/* No two elements of what is laid anew share bytes, unless some did before; what does not move
 * keeps its stride. */
static bool overlaps(const zlay_tensormap *m)
{
    uint64_t done = 0, inside = m->extent[0] * bytes_of(m);
    for (uint32_t n = 0; n + 1 < m->rank; n++) {
        uint32_t least = 4;
        for (uint32_t i = 0; i + 1 < m->rank; i++)
            if (!(done >> i & 1) && (least == 4 || m->stride[i] < m->stride[least])) least = i;
        done |= 1u << least;
        if (m->extent[least + 1] == 1) continue;
        if (m->stride[least] < inside) return true;
        inside += m->stride[least] * (m->extent[least + 1] - 1);
    }
    return false;
}

/* Of maps with one to three disturbed fields all are repaired, and say truly what they keep. */
static void disturbed_maps_are_repaired(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/tensormap/repair joint"), placed = 0, kept[5] = {0},
             count = test_iterations(20000);
    for (uint64_t i = 0; i < count; i++) {
        zlay_tensormap m = random_legal(&s);
        bool before = overlaps(&m);
        assert_false(before);
        for (int64_t k = test_range(&s, 1, 3); k > 0; k--) disturb(&s, &m);
        joint j = ask("sm_90a", m);
        kept[j.keeps]++;
        if (j.keeps == ZLAY_KEEPS_ALL && !wider_than_span(&m)) placed += keeps_places(&j);
        if (!overlaps(&m)) assert_false(overlaps(&j.to));
        if (j.keeps < ZLAY_KEEPS_VALUES) {
            assert_int_equal(j.to.address, m.address);
            assert_memory_equal(j.to.stride, m.stride, sizeof m.stride);
            assert_memory_equal(j.to.extent, m.extent, sizeof m.extent);
        }
        if (j.keeps < ZLAY_KEEPS_BYTES)
            assert_true(j.to.swizzle == m.swizzle && j.to.interleave == m.interleave);
    }
    printf("kept of %llu: all %llu, bytes %llu, values %llu; %llu placed element by element\n",
           (unsigned long long)count, (unsigned long long)kept[1], (unsigned long long)kept[2],
           (unsigned long long)kept[3], (unsigned long long)placed);
    assert_true(kept[ZLAY_KEEPS_NOTHING] == 0 && placed > count / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(disturbed_maps_are_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
