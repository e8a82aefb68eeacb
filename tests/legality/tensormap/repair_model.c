/* SPDX-License-Identifier: Apache-2.0 */
/* Joint repairs that keep all, replayed: every issue of the repaired map goes through the CPU model, and
 * shared memory holds, byte by byte, what the map that was asked for would have put there. The asked
 * map is placed by formulas of this file: dense rows, rows of a swizzle on its span and wider ones as
 * panels of it, pixels one after another. */
#include "repair.h"

enum { GLOBAL = 1 << 18, SMEM = 1 << 16, ORIGIN = 1024 };

static uint8_t global[GLOBAL], is[SMEM], was[SMEM];

typedef struct copy {
    zlay_tensormap map;
    int32_t at[5];
} copy;

static bool columns(const zlay_tensormap *m) { return m->mode == 1; }

static uint64_t step_of(const zlay_tensormap *m, uint32_t i)
{
    return m->step[i] && (i || m->interleave) ? m->step[i] : 1;
}

static uint64_t asked(const zlay_tensormap *m, uint32_t i)
{
    return (m->box[i] + step_of(m, i) - 1) / step_of(m, i);
}

static uint64_t span_of(const zlay_tensormap *m)
{
    return m->interleave || !m->swizzle ? 0 : 16u << m->swizzle;
}

/* ---- what is asked for -------------------------------------------------------------------- */

static void put(const zlay_tensormap *m, uint64_t at, const int64_t *x, uint64_t first)
{
    uint64_t bytes = bytes_of(m), from = first;
    bool inside = true;
    for (uint32_t i = 0; i < m->rank; i++) {
        inside &= x[i] >= 0 && (uint64_t)x[i] < m->extent[i];
        from += (uint64_t)x[i] * (i ? m->stride[i - 1] : bytes);
    }
    at += ORIGIN;
    for (uint64_t b = 0; b < bytes; b++) {
        uint64_t to = at + b, lines = (1u << m->swizzle) - 1;
        to ^= (to >> 7 & lines) << 4;
        was[to - ORIGIN] = inside ? global[from + b] : 0;
    }
}

/* The place of byte `b` of a row among `rows`. */
static uint64_t place(const zlay_tensormap *m, uint64_t b, uint64_t row, uint64_t rows, uint64_t width)
{
    uint64_t span = span_of(m);
    if (!span) return row * width + b;
    return b / span * rows * span + row * span + b % span;
}

static void expect_box(const copy *c)
{
    const zlay_tensormap *m = &c->map;
    uint64_t n[5], rows = 1, bytes = bytes_of(m);
    for (uint32_t i = 0; i < m->rank; i++) n[i] = asked(m, i), rows *= i ? n[i] : 1;
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t e = 0; e < n[0]; e++) {
            uint64_t rest = row;
            int64_t x[5] = {c->at[0] + (int64_t)(e * step_of(m, 0))};
            for (uint32_t i = 1; i < m->rank; i++, rest /= n[i - 1])
                x[i] = c->at[i] + (int64_t)(rest % n[i] * step_of(m, i));
            put(m, place(m, e * bytes, row, rows, n[0] * bytes), x, 0);
        }
}

/* The next pixel of a column: W, H, D within the bounding box, then the next image. */
static void pixel_next(const zlay_tensormap *m, int32_t *at)
{
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        int64_t last = (int64_t)m->extent[i + 1] + m->upper[i] - 1;
        at[i + 1] += (int32_t)m->step[i + 1];
        if (at[i + 1] <= last) return;
        at[i + 1] = m->lower[i];
    }
    at[m->rank - 1] += (int32_t)m->step[m->rank - 1];
}

static void expect_column(const copy *c)
{
    const zlay_tensormap *m = &c->map;
    uint64_t bytes = bytes_of(m);
    int32_t at[5];
    memcpy(at, c->at, sizeof at);
    for (uint64_t p = 0; p < m->pixels; p++, pixel_next(m, at))
        for (uint64_t e = 0; e < m->channels; e++) {
            int64_t x[5];
            for (uint32_t i = 0; i < m->rank; i++) x[i] = at[i] + (i ? 0 : (int64_t)e);
            put(m, place(m, e * bytes, p, m->pixels, m->channels * bytes), x, 0);
        }
}

/* ---- what the issues bring ------------------------------------------------------------------- */

static void issue(const zlay_tensormap *m, uint64_t at, const int32_t *coordinate)
{
    int32_t fault;
    uint32_t bytes;
    zlay_sim_smem smem = {is, SMEM, ORIGIN};
    zlay_sim_global tensor = {global, GLOBAL};
    assert_int_equal(zlay_sim_tensor_load(&fault, &bytes, &smem, &tensor, &(zlay_sim_copy){.map = m, .coordinate = coordinate, .address = (uint32_t)(ORIGIN + at)}),
                     ZLAY_OK);
    assert_int_equal(fault, 0);
}

static uint64_t smem_of(const zlay_tensormap *m)
{
    uint64_t rows = columns(m) ? m->pixels : 1, inner = (columns(m) ? m->channels : asked(m, 0)) * bytes_of(m);
    for (uint32_t i = 1; i < m->rank && !columns(m); i++) rows *= asked(m, i);
    return rows * (inner > span_of(m) ? inner : span_of(m));
}

static uint64_t bring_boxes(const copy *c, const zlay_tensormap *to)
{
    uint64_t k[5], count = 1;
    for (uint32_t i = 0; i < to->rank; i++) count *= k[i] = asked(&c->map, i) / asked(to, i);
    for (uint64_t n = 0; n < count; n++) {
        uint64_t rest = n;
        int32_t at[5] = {0};
        for (uint32_t i = 0; i < to->rank; rest /= k[i++])
            at[i] = c->at[i] + (int32_t)(rest % k[i] * asked(to, i) * step_of(&c->map, i));
        issue(to, n * smem_of(to), at);
    }
    return count;
}

/* Pixels first, then the next panel of channels. */
static uint64_t bring_columns(const copy *c, const zlay_tensormap *to)
{
    uint64_t panels = c->map.channels / to->channels, groups = c->map.pixels / to->pixels;
    for (uint64_t panel = 0; panel < panels; panel++) {
        int32_t at[5];
        memcpy(at, c->at, sizeof at);
        at[0] += (int32_t)(panel * to->channels);
        for (uint64_t g = 0; g < groups; g++) {
            issue(to, (panel * groups + g) * smem_of(to), at);
            for (uint32_t p = 0; p < to->pixels; p++) pixel_next(&c->map, at);
        }
    }
    return panels * groups;
}

/* ---- random maps ------------------------------------------------------------------------------ */

static copy random_small(uint64_t *s, bool is_columns)
{
    copy c;
    memset(&c, 0, sizeof c);
    zlay_tensormap *m = &c.map;
    m->mode = is_columns;
    m->rank = (uint32_t)test_range(s, is_columns ? 3 : 1, 4);
    m->type = (int32_t)test_range(s, 0, 10);
    m->swizzle = (int32_t)test_range(s, 0, 3);
    uint64_t bytes = bytes_of(m), unit = 16 / bytes, span = m->swizzle ? 1u << m->swizzle : 4;
    uint32_t inner = (uint32_t)(unit * (uint64_t)test_range(s, 1, (int64_t)span));
    uint64_t row = 0;
    for (uint32_t i = 0; i < m->rank; i++) {
        m->extent[i] = (uint64_t)test_range(s, 1, i ? 5 : 100);
        m->step[i] = test_range(s, 0, 2) ? 1 : (uint32_t)test_range(s, 1, 3);
        if (!is_columns) m->box[i] = i ? (uint32_t)PICK(s, 1, 1, 2, 3, 4, 8) : inner;
        if (i) m->stride[i - 1] = row;
        row = ((i ? row * m->extent[i] : m->extent[0] * bytes) + 15) / 16 * 16;
        c.at[i] = (int32_t)(i ? test_range(s, -2, 5) : (int64_t)unit * test_range(s, -2, 5));
    }
    if (!is_columns) return c;
    m->channels = inner;
    m->pixels = (uint32_t)PICK(s, 8, 16, 32, 40, 64);
    for (uint32_t i = 0; i + 2 < m->rank; i++) {
        m->lower[i] = (int32_t)test_range(s, -2, 1);
        m->upper[i] = m->lower[i] - (int32_t)m->extent[i + 1] + (int32_t)test_range(s, 1, 8);
        c.at[i + 1] = m->lower[i];
    }
    return c;
}

static void disturb_small(uint64_t *s, zlay_tensormap *m)
{
    uint32_t i = (uint32_t)test_range(s, 0, m->rank - 1);
    switch (test_range(s, 0, 6)) {
    case 0: m->l2 = (int32_t)test_range(s, 4, 9); return;
    case 1: m->oob = 2; return;
    case 2: m->step[0] = (uint32_t)PICK(s, 0, 9, 100); return;
    case 3:
        if (!m->mode && i) m->step[i] = (uint32_t)PICK(s, 9, 16, 0);
        if (m->mode) m->pixels = (uint32_t)PICK(s, 1040, 1152, 2048, 1200);
        return;
    case 4:
        if (!m->mode) m->box[i] *= (uint32_t)PICK(s, 2, 4, 16, 32);
        else m->channels *= (uint32_t)PICK(s, 2, 4, 8);
        return;
    default:
        if (!m->mode) m->box[0] *= (uint32_t)PICK(s, 2, 3, 4);
        else m->channels *= (uint32_t)PICK(s, 2, 4);
    }
}

static void replay(bool is_columns, uint64_t wanted)
{
    uint64_t s = test_seed("legality/tensormap/repair_model"), kept[5] = {0}, replayed = 0, split = 0;
    for (uint32_t i = 0; i < GLOBAL; i++) global[i] = (uint8_t)test_random(&s);
    for (uint64_t i = 0; i < test_iterations(3000); i++) {
        copy c = random_small(&s, is_columns);
        for (int64_t k = test_range(&s, 1, 3); k > 0; k--) disturb_small(&s, &c.map);
        zlay_tensormap to;
        int32_t keeps;
        uint64_t issues;
        if (zlay_tensormap_repair(&to, &keeps, &issues, target_of("sm_90a"), &c.map)) continue;
        kept[keeps]++;
        if (keeps != ZLAY_KEEPS_ALL || smem_of(&c.map) > SMEM) continue;
        memset(is, 0x5a, SMEM);
        memset(was, 0x5a, SMEM);
        if (is_columns) expect_column(&c);
        else expect_box(&c);
        uint64_t brought = is_columns ? bring_columns(&c, &to) : bring_boxes(&c, &to);
        assert_int_equal(brought, issues);
        assert_memory_equal(is, was, SMEM);
        replayed++;
        split += issues > 1;
    }
    printf("all %llu, bytes %llu, values %llu; %llu replayed, %llu of them split\n",
           (unsigned long long)kept[1], (unsigned long long)kept[2], (unsigned long long)kept[3],
           (unsigned long long)replayed, (unsigned long long)split);
    assert_true(replayed > wanted && split > wanted / 4);
}

static void boxes(void **state)
{
    (void)state;
    replay(false, 400);
}

static void images(void **state)
{
    (void)state;
    replay(true, 400);
}

/* ---- how many im2col maps are repaired, and how ------------------------------------------------ */

static void disturb_image(uint64_t *s, zlay_tensormap *m)
{
    uint32_t i = (uint32_t)test_range(s, 0, m->rank - 1);
    switch (test_range(s, 0, 7)) {
    case 0: m->address += (uint64_t)test_range(s, 1, 15); return;
    case 1:
    case 2: m->stride[i ? i - 1 : 0] = PICK(s, m->stride[0] + 8, 1ull << 40, 24, m->stride[0] + 2); return;
    case 3: m->swizzle = (int32_t)test_range(s, 4, 7); return;
    case 4: m->channels = (uint32_t)PICK(s, 257, 300, m->channels * 2, m->channels + 1, 1024); return;
    case 5: m->pixels = (uint32_t)PICK(s, 1025, 2048, 3000, 1 << 20); return;
    case 6: m->l2 = (int32_t)test_range(s, 4, 9); return;
    default: m->step[i] = i ? 1 : 9;
    }
}

static void most_images_are_repaired(void **state)
{
    (void)state;
    uint64_t s = test_seed("legality/tensormap/repair_model images"), kept[5] = {0}, none = 0, illegal = 0;
    while (illegal < test_iterations(3000)) {
        zlay_tensormap m = random_small(&s, true).map, to;
        int32_t keeps;
        uint64_t issues;
        for (int64_t k = test_range(&s, 1, 3); k > 0; k--) disturb_image(&s, &m);
        if (answer_of(target_of("sm_90a"), &m) == ZLAY_YES) continue;
        illegal++;
        if (zlay_tensormap_repair(&to, &keeps, &issues, target_of("sm_90a"), &m)) {
            none++;
            continue;
        }
        assert_int_equal(answer_of(target_of("sm_90a"), &to), ZLAY_YES);
        assert_memory_equal(to.lower, m.lower, sizeof m.lower);
        assert_memory_equal(to.upper, m.upper, sizeof m.upper);
        if (keeps < ZLAY_KEEPS_VALUES) assert_memory_equal(to.stride, m.stride, sizeof m.stride);
        kept[keeps]++;
    }
    printf("of %llu: all %llu, bytes %llu, values %llu, none %llu\n", (unsigned long long)illegal,
           (unsigned long long)kept[1], (unsigned long long)kept[2], (unsigned long long)kept[3],
           (unsigned long long)none);
    assert_true(none * 20 < illegal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes),
        cmocka_unit_test(images),
        cmocka_unit_test(most_images_are_repaired),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
