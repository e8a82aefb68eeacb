/* SPDX-License-Identifier: Apache-2.0 */
/* Tries to refute hier.keeps, normal, solve, level, compose, inverse and equal: bijections of 1 to 1000 slots under up to
 * five levels of any sizes, drawn as numbers - strides of any order and sign, bits over F2, swizzles, exchanged intervals,
 * affine maps modulo the size - and layouts of every kind that are mostly none.  Each answer is decided here slot by
 * slot, and each form is read node by node.  What is shared is the parser.  A third of the cases each runs under
 * limits.points of 2^22, 64 and 8.  10^4 cases, 10^6 with ZLAY_EXHAUSTIVE=1. */
#include "layouts/known.h"

#include <zlay/hier.h>

enum { CASES = 10000, CTXS = 3, LEVELS = 5, SLOTS = KNOWN_MOST, LEAVES = 2 * LEVELS };

typedef struct map {
    bool is;
    int to[SLOTS];
    char text[4096];
} map;

static const char *const level_names[] = {"register", "lane", "warp", "cta", "cluster"};
static const uint64_t points_of[CTXS] = {1 << 22, 64, 8};
static zlay_ctx *ctx[CTXS];
static zlay_level level[LEVELS];
static int count, slots, block[LEVELS]; /* block[k]: slots of a block of level k */
static uint64_t number, seen[5][3];
static map a, b;
static const char *const asked[] = {"keeps", "normal", "solve", "level", "compose"};
enum { KEEPS, NORMAL, SOLVE, LEVEL, COMPOSE };

static _Noreturn void refuted(const char *what, const char *why)
{
    fprintf(stderr, "levels:");
    for (int k = 0; k < count; k++) fprintf(stderr, " %d", (int)level[k].size);
    fail_msg(" case %llu: %s: %s: %s and %s", (unsigned long long)number, what, why, a.text, b.text);
    abort();
}

/* ---- the tree -------------------------------------------------------------------------------------------------------- */

static void set_blocks(void)
{
    slots = 1;
    for (int k = 0; k < count; k++) {
        slots *= (int)level[k].size;
        block[k] = slots;
        level[k].name = level_names[k];
    }
}

static void draw_tree(uint64_t *seed, bool powers, int most)
{
    count = (int)test_range(seed, 1, LEVELS);
    for (int k = 0; k < count; k++) {
        int64_t size = powers ? (int64_t)1 << test_range(seed, 0, 4) : known_extent(seed, most);
        if (size > most) size = 1;
        most /= (int)size;
        level[k].size = (uint64_t)size;
    }
    set_blocks();
}

/* Levels whose sizes multiply to n. */
static void split_tree(uint64_t *seed, int n)
{
    for (count = 0; count < LEVELS - 1 && n > 1 && test_range(seed, 0, 3); count++) {
        int size = (int)test_range(seed, 1, n);
        while (n % size) size--;
        level[count].size = (uint64_t)size;
        n /= size;
    }
    level[count++].size = (uint64_t)n;
    set_blocks();
}

/* ---- bijections ------------------------------------------------------------------------------------------------------ */

static void finish(map *m)
{
    static bool there[SLOTS];
    memset(there, 0, sizeof there);
    m->is = true;
    for (int i = 0; i < slots; i++) {
        m->is = m->is && m->to[i] >= 0 && m->to[i] < slots && !there[m->to[i]];
        if (m->is) there[m->to[i]] = true;
    }
}

/* The leaves of a level, two at most, change places among themselves, or leaves change places with any. */
static void draw_strided(uint64_t *seed, map *m, bool kept)
{
    int size[LEAVES], order[LEAVES], stride[LEAVES], leaves = 0, offset = 0, s[3] = {0, 0, 1};
    for (int k = 0; k < count; k++) {
        int n = (int)level[k].size, part = (int)test_range(seed, 1, n);
        while (n % part) part--;
        bool swap = test_range(seed, 0, 1);
        order[leaves] = leaves + swap, order[leaves + 1] = leaves + !swap;
        size[leaves++] = part, size[leaves++] = n / part;
    }
    if (!kept) test_shuffle(seed, order, leaves);
    for (int i = 0, step = 1; i < leaves; step *= size[order[i++]]) {
        bool down = !test_range(seed, 0, 2);
        stride[order[i]] = down ? -step : step;
        offset += down ? (size[order[i]] - 1) * step : 0;
    }
    char *p = m->text;
    if (!(slots & (slots - 1)) && slots > 2 && test_range(seed, 0, 1)) {
        int top = __builtin_ctz((unsigned)slots);
        s[2] = (int)test_range(seed, 1, top - 1), s[0] = 1, s[1] = (int)test_range(seed, 0, top - 1 - s[2]);
        if (test_range(seed, 0, 3) == 0) s[2] = -s[2];
        p += sprintf(p, "Sw<%d,%d,%d> o ", s[0], s[1], s[2]);
    }
    p += sprintf(p, "%d o (", offset);
    for (int i = 0; i < leaves; i++) p += sprintf(p, "%s%d", i ? "," : "", size[i]);
    p += sprintf(p, "):(");
    for (int i = 0; i < leaves; i++) p += sprintf(p, "%s%d", i ? "," : "", stride[i]);
    sprintf(p, ")");
    for (int i = 0; i < slots; i++) {
        int rest = i, value = offset;
        for (int j = 0; j < leaves; rest /= size[j++]) value += rest % size[j] * stride[j];
        m->to[i] = s[0] ? (int)known_swizzle(s, value) : value;
    }
}

static int level_of_bit(int bit)
{
    int k = 0;
    while (1 << bit >= block[k]) k++;
    return k;
}

/* Bit s is added to bit r; a level stays whole where r's level is not above that of s. */
static void draw_bits(uint64_t *seed, map *m, bool kept)
{
    int bits = __builtin_ctz((unsigned)slots), basis[12];
    for (int k = 0; k < bits; k++) basis[k] = 1 << k;
    for (int64_t n = bits > 1 ? test_range(seed, 0, 3 * bits) : 0; n-- > 0;) {
        int r = (int)test_range(seed, 0, bits - 1), s = (int)test_range(seed, 0, bits - 1);
        if (r == s || (kept && level_of_bit(r) > level_of_bit(s))) continue;
        for (int k = 0; k < bits; k++) basis[k] ^= (basis[k] >> s & 1) << r;
    }
    if (bits && !test_range(seed, 0, 15)) basis[test_range(seed, 0, bits - 1)] = (int)test_range(seed, 0, slots - 1);
    char *p = m->text + sprintf(m->text, "f2{x:");
    for (int k = 0; k < bits; k++) p += sprintf(p, " (%d)", basis[k]);
    sprintf(p, " -> y: %d}", slots);
    for (int i = 0; i < slots; i++) {
        m->to[i] = 0;
        for (int k = 0; k < bits; k++) m->to[i] ^= i >> k & 1 ? basis[k] : 0;
    }
}

/* Up to three intervals in another order, each forward or backward; kept: they are blocks. */
static void draw_intervals(uint64_t *seed, map *m, bool kept)
{
    int unit = kept ? block[test_range(seed, 0, count - 1)] : 1, units, cut[4] = {0}, order[3] = {0, 1, 2}, parts, low = 0;
    if (unit == slots) unit = count > 1 ? block[count - 2] : 1;
    units = slots / unit;
    parts = units < 3 ? units : 3;
    for (int i = 1; i <= parts; i++)
        cut[i] = i == parts ? slots : unit * (int)test_range(seed, cut[i - 1] / unit + 1, units - parts + i);
    test_shuffle(seed, order, parts);
    char *p = m->text + sprintf(m->text, "{ ");
    for (int n = 0; n < parts; n++) {
        int from = cut[order[n]], end = cut[order[n] + 1], sign = test_range(seed, 0, 2) ? 1 : -1;
        int at = sign > 0 ? low - from : low + end - 1;
        p += sprintf(p, "%s[i] -> [%d %c i] : %d <= i < %d", n ? "; " : "", at, sign > 0 ? '+' : '-', from, end);
        for (int i = from; i < end; i++) m->to[i] = at + sign * i;
        low += end - from;
    }
    sprintf(p, " }");
}

static void draw_modulo(uint64_t *seed, map *m)
{
    int by = (int)test_range(seed, 1, slots), more = (int)test_range(seed, 0, slots - 1);
    sprintf(m->text, "{ [i] -> [(%d*i + %d) mod %d] : 0 <= i < %d }", by, more, slots, slots);
    for (int i = 0; i < slots; i++) m->to[i] = (int)(((int64_t)by * i + more) % slots);
}

static void draw_map(uint64_t *seed, map *m)
{
    bool kept = test_range(seed, 0, 3), powers = !(slots & (slots - 1));
    switch (test_range(seed, 0, 7)) {
    case 0: case 1: draw_intervals(seed, m, kept); break;
    case 2: draw_modulo(seed, m); break;
    case 3: case 4: if (powers) { draw_bits(seed, m, kept); break; } /* fall through */
    default: draw_strided(seed, m, kept);
    }
    finish(m);
}

static void draw_any(uint64_t *seed, map *m)
{
    static known k;
    known_draw(seed, &k, 64);
    split_tree(seed, k.size);
    for (int i = 0; i < slots; i++) m->to[i] = k.there[i] && k.at[i] >= 0 && k.at[i] < slots ? (int)k.at[i] : -1;
    strcpy(m->text, k.text);
    finish(m);
}

/* ---- by brute force -------------------------------------------------------------------------------------------------- */

/* The lowest level that is crossed, and its witness; -1: none is. */
static int crosses(const int *to, int *i, int *j)
{
    for (int k = 0; k < count; k++)
        for (*j = 0; *j < slots; ++*j) {
            *i = *j / block[k] * block[k];
            if (to[*i] / block[k] != to[*j] / block[k]) return k;
        }
    return -1;
}

/* The least level in whose blocks every slot stays; -1: none moves. */
static int stays(const int *to)
{
    int least = -1;
    for (int k = -1; k < count - 1; k++)
        for (int i = 0; i < slots; i++) {
            int size = k < 0 ? 1 : block[k];
            if (to[i] / size != i / size) least = k + 1;
        }
    return least;
}

/* Nodes are all different, and numbered as the blocks of their level first need them. */
static void check_level_nodes(const zlay_hier *h, int k, uint64_t nodes)
{
    static uint64_t to[SLOTS], below[SLOTS], more[SLOTS], under[SLOTS];
    size_t bytes = level[k].size * sizeof *to;
    for (uint64_t x = 0; x < nodes; x++) {
        assert_int_equal(zlay_hier_node(to, below, SLOTS, h, (size_t)k, x), ZLAY_OK);
        for (uint64_t y = 0; y < x && x < 12; y++) {
            assert_int_equal(zlay_hier_node(more, under, SLOTS, h, (size_t)k, y), ZLAY_OK);
            if (!memcmp(to, more, bytes) && !memcmp(below, under, bytes)) refuted("normal", "two equal nodes");
        }
    }
    if (zlay_hier_node(to, below, SLOTS, h, (size_t)k, nodes) != ZLAY_EINVAL) refuted("normal", "a node too many");
}

/* The form, walked from the top for each block. */
static void check_nodes(const zlay_hier *h, const int *to)
{
    static uint64_t part[SLOTS], below[SLOTS], node[2][SLOTS];
    static int image[2][SLOTS];
    zlay_tier tier[LEVELS];
    if (zlay_hier_levels(tier, LEVELS, h) != (size_t)count) refuted("normal", "levels");
    node[1][0] = 0, image[1][0] = 0;
    for (int k = count - 1, now = 1, blocks = 1; k >= 0; k--, now = !now) {
        int size = (int)level[k].size;
        uint64_t next = 0;
        for (int i = 0; i < blocks; i++) {
            if (node[now][i] > next || node[now][i] >= tier[k].nodes) refuted("normal", "the order of nodes");
            next += node[now][i] == next;
            assert_int_equal(zlay_hier_node(part, below, SLOTS, h, (size_t)k, node[now][i]), ZLAY_OK);
            for (int c = 0; c < size; c++) {
                node[!now][i * size + c] = below[c];
                image[!now][i * size + c] = image[now][i] * size + (int)part[c];
            }
        }
        if (next != tier[k].nodes || tier[k].size != (uint64_t)size) refuted("normal", "a tier");
        check_level_nodes(h, k, next);
        blocks *= size;
        for (int i = 0; !k && i < slots; i++)
            if (image[!now][i] != to[i] || below[i % size]) refuted("normal", "a node");
    }
}

static void check_form(const char *what, const zlay_hier *h, const int *to)
{
    for (int i = 0; i < slots; i++) {
        uint64_t at = UINT64_MAX;
        if (zlay_hier_eval(&at, h, (uint64_t)i) || at != (uint64_t)to[i]) refuted(what, "a slot");
    }
    if (number % 4 == 0) check_nodes(h, to);
}

/* ---- each question --------------------------------------------------------------------------------------------------- */

/* Whether there is an answer to look at. */
static bool judge(int what, zlay_status status, zlay_status right)
{
    if (status == ZLAY_ELIMIT && (uint64_t)slots > points_of[number % CTXS]) {
        seen[what][2]++;
        return false;
    }
    if (status != right) refuted(asked[what], zlay_ctx_message(ctx[number % CTXS]));
    seen[what][status == ZLAY_OK]++;
    return status == ZLAY_OK;
}

static void check_keeps(const map *m, const zlay_layout *layout)
{
    zlay_answer answer = 9;
    zlay_crossing w = {0};
    int i = 0, j = 0, lowest = m->is ? crosses(m->to, &i, &j) : -1;
    zlay_status status = zlay_hier_keeps(ctx[number % CTXS], &answer, &w, layout, level, (size_t)count);
    if (!judge(KEEPS, status, m->is ? ZLAY_OK : ZLAY_NONE)) return;
    if (answer != (lowest < 0 ? ZLAY_YES : ZLAY_NO)) refuted("keeps", lowest < 0 ? "not YES" : "not NO");
    if (lowest < 0) return;
    if (w.level != (uint32_t)lowest) refuted("keeps", "not the lowest level");
    if (w.i != (uint64_t)i || w.j != (uint64_t)j) refuted("keeps", "not the first slots");
}

static zlay_hier *check_normal(const map *m, const zlay_layout *layout)
{
    zlay_hier *h = NULL;
    int i, j;
    zlay_status right = m->is && crosses(m->to, &i, &j) < 0 ? ZLAY_OK : ZLAY_NONE;
    zlay_status status = zlay_hier_normal(ctx[number % CTXS], &h, layout, level, (size_t)count);
    if (judge(NORMAL, status, right)) check_form("normal", h, m->to);
    else if (h) refuted("normal", "a form without ZLAY_OK");
    return h;
}

/* x -> the slot of a that has what slot x of b is to have. */
static void check_pair(const zlay_layout *A, const zlay_layout *B)
{
    static int at[SLOTS], x[SLOTS];
    zlay_ctx *use = ctx[number % CTXS];
    zlay_reach reach = {9, 9, 9, 9};
    zlay_hier *h = NULL;
    int i, j, least = -1;
    bool both = a.is && b.is;
    for (i = 0; i < slots && both; i++) at[a.to[i]] = i;
    for (i = 0; i < slots && both; i++) x[i] = at[b.to[i]];
    if (both) least = stays(x);
    if (judge(LEVEL, zlay_hier_level(use, &reach, A, B, level, (size_t)count), both ? ZLAY_OK : ZLAY_NONE)) {
        int size = least > 0 ? block[least - 1] : 1, first = 0;
        while (least >= 0 && x[first] / size == first / size) first++;
        if (reach.level != least) refuted("level", "not the least");
        if (reach.to != (uint64_t)first || reach.from != (least < 0 ? 0 : (uint64_t)x[first])) refuted("level", "the slots");
    }
    zlay_status right = both && crosses(x, &i, &j) < 0 ? ZLAY_OK : ZLAY_NONE;
    if (judge(SOLVE, zlay_hier_solve(use, &h, A, B, level, (size_t)count), right)) check_form("solve", h, x);
    zlay_hier_free(h);
}

static void check_group(const zlay_hier *p, const zlay_hier *q)
{
    static int made[SLOTS], inverse[SLOTS];
    zlay_ctx *use = ctx[number % CTXS];
    zlay_hier *pq = NULL, *back = NULL;
    zlay_answer answer = 9;
    for (int i = 0; i < slots; i++) made[i] = a.to[b.to[i]], inverse[a.to[i]] = i;
    if (!judge(COMPOSE, zlay_hier_compose(use, &pq, p, q), ZLAY_OK)) return;
    check_form("compose", pq, made);
    assert_int_equal(zlay_hier_inverse(use, &back, p), ZLAY_OK);
    check_form("inverse", back, inverse);
    assert_int_equal(zlay_hier_equal(&answer, p, q), ZLAY_OK);
    if (answer != (memcmp(a.to, b.to, (size_t)slots * sizeof *a.to) ? ZLAY_NO : ZLAY_YES)) refuted("equal", "another");
    assert_int_equal(zlay_hier_equal(&answer, pq, p), ZLAY_OK);
    if (answer != (memcmp(made, a.to, (size_t)slots * sizeof *a.to) ? ZLAY_NO : ZLAY_YES)) refuted("equal", "a product");
    zlay_hier_free(back);
    zlay_hier_free(pq);
}

static void check_case(uint64_t *seed)
{
    draw_tree(seed, test_range(seed, 0, 1), number % 8 ? 64 : 1000);
    if (number % 5) draw_map(seed, &a);
    else draw_any(seed, &a);
    if (test_range(seed, 0, 7)) draw_map(seed, &b);
    else b = a;
    zlay_layout *A = read_layout(ctx[number % CTXS], a.text), *B = read_layout(ctx[number % CTXS], b.text);
    check_keeps(&a, A);
    zlay_hier *p = check_normal(&a, A), *q = check_normal(&b, B);
    check_pair(A, B);
    if (p && q) check_group(p, q);
    zlay_hier_free(p);
    zlay_hier_free(q);
    zlay_layout_free(A);
    zlay_layout_free(B);
}

static void hierarchies(void **state)
{
    uint64_t seed = test_seed("refute/hier"), cases = test_cases(CASES);
    (void)state;
    for (int c = 0; c < CTXS; c++) {
        zlay_limits limits = {.size = sizeof limits, .points = points_of[c]};
        assert_int_equal(zlay_ctx_new(&ctx[c], NULL, &limits), ZLAY_OK);
    }
    for (number = 0; number < cases; number++) check_case(&seed);
    for (int c = 0; c < CTXS; c++) zlay_ctx_free(ctx[c]);
    for (int what = 0; what <= COMPOSE; what++) {
        print_message("%s: %llu answered, %llu none, %llu limits\n", asked[what], (unsigned long long)seen[what][1],
                      (unsigned long long)seen[what][0], (unsigned long long)seen[what][2]);
        assert_true(seen[what][1] > cases / 5 && (what == COMPOSE || seen[what][0] > cases / 50) && seen[what][2] < cases / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hierarchies)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
