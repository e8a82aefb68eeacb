/* SPDX-License-Identifier: Apache-2.0 */
/* What a kernel generator asks of a 128-byte swizzle, Sw<3,4,3> on 10, 13 and 16 bits: is it a bijection,
 * is it its own inverse, is it the F2 map that it should be; against isl's decision of the same.
 *
 * isl's time for the last one depends on how the F2 map is written: with the very terms of the swizzle
 * (a sum modulo 2 a bit) it takes a millisecond; as what a matrix is, a relation of bits to bits, 1.3 s on
 * 10 bits and 20 s on 13 and 16, measured once.  Both are rows, the second with isl at 10 bits always. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_ISL
#include <isl/ctx.h>
#include <isl/map.h>
#include <isl/set.h>

typedef struct state {
    zlay_ctx *ctx;
    zlay_layout *swizzle, *identity, *f2;
    isl_map *map, *same, *bits;
    isl_map *map_10, *relation_10;
    isl_map *vector, *same_vector; /* bits as coordinates: isl's best form of an F2 map */
} state;

/* ---- zlay ------------------------------------------------------------------------------ */

static bool bijective_ours(void *value)
{
    const state *s = value;
    zlay_answer answer;
    return !zlay_layout_is_bijective(s->ctx, &answer, NULL, s->swizzle) && answer == ZLAY_YES;
}

static bool inverse_ours(void *value)
{
    const state *s = value;
    zlay_answer answer = ZLAY_NO;
    zlay_layout *twice;
    if (zlay_layout_compose(s->ctx, &twice, s->swizzle, s->swizzle)) return false;
    zlay_layout_equal(s->ctx, &answer, NULL, twice, s->identity);
    zlay_layout_free(twice);
    return answer == ZLAY_YES;
}

static bool f2_ours(void *value)
{
    const state *s = value;
    zlay_answer answer;
    return !zlay_layout_equal(s->ctx, &answer, NULL, s->swizzle, s->f2) && answer == ZLAY_YES;
}

/* ---- isl --------------------------------------------------------------------------------- */

/* Injective, and its range is its domain. */
static bool bijective_theirs(void *value)
{
    const state *s = value;
    bool injective = isl_map_is_injective(s->map) == isl_bool_true;
    isl_set *to = isl_map_range(isl_map_copy(s->map)), *from = isl_map_domain(isl_map_copy(s->map));
    bool onto = isl_set_is_equal(to, from) == isl_bool_true;
    isl_set_free(to);
    isl_set_free(from);
    return injective && onto;
}

static bool inverse_theirs(void *value)
{
    const state *s = value;
    isl_map *twice = isl_map_apply_range(isl_map_copy(s->map), isl_map_copy(s->map));
    bool equal = isl_map_is_equal(twice, s->same) == isl_bool_true;
    isl_map_free(twice);
    return equal;
}

static bool f2_theirs(void *value)
{
    const state *s = value;
    return isl_map_is_equal(s->map, s->bits) == isl_bool_true;
}

static bool relation_theirs(void *value)
{
    const state *s = value;
    return isl_map_is_equal(s->map_10, s->relation_10) == isl_bool_true;
}

/* ---- the forms of one map ------------------------------------------------------------ */

/* Sw<3,4,3> as a user writes it for isl: an XOR of two bits is their sum modulo 2. */
static void swizzle_text(char *text, int bits)
{
    char *p = text + sprintf(text, "{ [i] -> [i");
    for (int k = 4; k < 7; k++)
        p += sprintf(p, " + %d*((floor(i/%d) + floor(i/%d)) mod 2) - %d*(floor(i/%d) mod 2)",
                     1 << k, 1 << k, 8 << k, 1 << k, 1 << k);
    sprintf(p, "] : 0 <= i < %d }", 1 << bits);
}

/* The same map bit by bit, as an F2 matrix is written: each bit of the value is a sum modulo 2. */
static void bits_text(char *text, int bits)
{
    char *p = text + sprintf(text, "{ [i] -> [0");
    for (int k = 0; k < bits; k++) {
        p += sprintf(p, " + %d*((floor(i/%d)", 1 << k, 1 << k);
        if (k >= 4 && k < 7 && k + 3 < bits) p += sprintf(p, " + floor(i/%d)", 8 << k);
        p += sprintf(p, ") mod 2)");
    }
    sprintf(p, "] : 0 <= i < %d }", 1 << bits);
}

/* { [i] -> [o] } where some bits x are those of i, y those of o, and y the matrix times x. */
static void relation_text(char *text, int bits)
{
    char *p = text + sprintf(text, "{ [i] -> [o] : exists x0, y0");
    for (int k = 1; k < bits; k++) p += sprintf(p, ", x%d, y%d", k, k);
    p += sprintf(p, " : i = x0");
    for (int k = 1; k < bits; k++) p += sprintf(p, " + %d x%d", 1 << k, k);
    p += sprintf(p, " and o = y0");
    for (int k = 1; k < bits; k++) p += sprintf(p, " + %d y%d", 1 << k, k);
    for (int k = 0; k < bits; k++) {
        p += sprintf(p, " and 0 <= x%d <= 1 and 0 <= y%d <= 1 and y%d = ", k, k, k);
        p += k >= 4 && k < 7 ? sprintf(p, "(x%d + x%d) mod 2", k, k + 3) : sprintf(p, "x%d", k);
    }
    sprintf(p, " }");
}

/* { [x0, ..] -> [y0, ..] } on coordinates 0 and 1; the identity where `same`. */
static void vector_text(char *text, int bits, bool same)
{
    char *p = text + sprintf(text, "{ [x0");
    for (int k = 1; k < bits; k++) p += sprintf(p, ", x%d", k);
    p += sprintf(p, "] -> [");
    for (int k = 0; k < bits; k++) {
        bool sum = !same && k >= 4 && k < 7 && k + 3 < bits;
        p += sum ? sprintf(p, "%s(x%d + x%d) mod 2", k ? ", " : "", k, k + 3) : sprintf(p, "%sx%d", k ? ", " : "", k);
    }
    p += sprintf(p, "] : 0 <= x0 <= 1");
    for (int k = 1; k < bits; k++) p += sprintf(p, " and 0 <= x%d <= 1", k);
    sprintf(p, " }");
}

static void f2_text(char *text, int bits)
{
    char *p = text + sprintf(text, "f2{i:");
    for (int k = 0; k < bits; k++)
        p += sprintf(p, " (%d)", k >= 7 && k < 10 ? 1 << k | 1 << (k - 3) : 1 << k);
    sprintf(p, " -> o: %d}", 1 << bits);
}

static zlay_layout *layout_of(const state *s, const char *text)
{
    zlay_layout *layout;
    zlay_layout_parse(s->ctx, &layout, text, strlen(text));
    return layout;
}

static state begin(zlay_ctx *ctx, isl_ctx *isl, int bits)
{
    state s = {.ctx = ctx};
    char text[4096];
    sprintf(text, "Sw<3,4,3> o 0 o %d", 1 << bits);
    s.swizzle = layout_of(&s, text);
    sprintf(text, "%d", 1 << bits);
    s.identity = layout_of(&s, text);
    f2_text(text, bits);
    s.f2 = layout_of(&s, text);
    swizzle_text(text, bits);
    s.map = isl_map_read_from_str(isl, text);
    sprintf(text, "{ [i] -> [i] : 0 <= i < %d }", 1 << bits);
    s.same = isl_map_read_from_str(isl, text);
    bits_text(text, bits);
    s.bits = isl_map_read_from_str(isl, text);
    swizzle_text(text, 10);
    s.map_10 = isl_map_read_from_str(isl, text);
    relation_text(text, 10);
    s.relation_10 = isl_map_read_from_str(isl, text);
    vector_text(text, bits, false);
    s.vector = isl_map_read_from_str(isl, text);
    vector_text(text, bits, true);
    s.same_vector = isl_map_read_from_str(isl, text);
    return s;
}

static void end(state *s)
{
    zlay_layout_free(s->swizzle);
    zlay_layout_free(s->identity);
    zlay_layout_free(s->f2);
    isl_map_free(s->map);
    isl_map_free(s->same);
    isl_map_free(s->bits);
    isl_map_free(s->map_10);
    isl_map_free(s->relation_10);
    isl_map_free(s->vector);
    isl_map_free(s->same_vector);
}

static bool at_bits(zlay_ctx *ctx, isl_ctx *isl, int bits, bool json)
{
    static const struct { const char *name, *against; bench_work *ours, *theirs; bool vector, slow; } rows[] = {
        {"is bijective", "isl, bits as coordinates", bijective_ours, bijective_theirs, true, false},
        {"is its own inverse", "isl, bits as coordinates", inverse_ours, inverse_theirs, true, false},
        {"is bijective", "isl is_injective, range = domain", bijective_ours, bijective_theirs, false, true},
        {"is its own inverse", "isl apply_range, is_equal", inverse_ours, inverse_theirs, false, true},
        {"equals its F2 form", "isl is_equal, the same terms", f2_ours, f2_theirs, false, false},
        {"equals its F2 form", "isl is_equal, bits to bits, 10 bits", f2_ours, relation_theirs, false, true},
    };
    state s = begin(ctx, isl, bits), vector = s;
    bool right = true;
    vector.map = s.vector, vector.same = s.same_vector;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char name[96];
        sprintf(name, "Sw<3,4,3> on %d bits %s", bits, rows[i].name);
        bench_row row = {name, rows[i].against, rows[i].ours, rows[i].theirs,
                         rows[i].vector ? &vector : &s};
        bool slow = bits > 10 || rows[i].slow;
        right = (slow ? bench_print_slow : bench_print)(&row, json) && right;
    }
    end(&s);
    return right;
}

/* ---- five coprime progressions, 10^15 points: injective, and no two of its steps nest -------- */

static const char coprime_zlay[] = "(1009,1013,1019,1021,1031):(1086595836797,1082305231321,"
                                   "1075932482167,1073824876913,1063409504683)";

static const char coprime_isl[] =
    "{ [a, b, c, d, e] -> [1086595836797a + 1082305231321b + 1075932482167c + 1073824876913d"
    " + 1063409504683e] : 0 <= a < 1009 and 0 <= b < 1013 and 0 <= c < 1019 and 0 <= d < 1021"
    " and 0 <= e < 1031 }";

static bool coprime_ours(void *value)
{
    const state *s = value;
    zlay_answer answer;
    return !zlay_layout_is_injective(s->ctx, &answer, NULL, s->swizzle) && answer == ZLAY_YES;
}

static bool coprime_theirs(void *value)
{
    const state *s = value;
    return isl_map_is_injective(s->map) == isl_bool_true;
}

static bool coprime(zlay_ctx *ctx, isl_ctx *isl, bool json)
{
    state s = {.ctx = ctx};
    s.swizzle = layout_of(&s, coprime_zlay);
    s.map = isl_map_read_from_str(isl, coprime_isl);
    bench_row row = {"five coprime progressions are injective", "isl is_injective", coprime_ours,
                     coprime_theirs, &s};
    bool right = bench_print(&row, json);
    zlay_layout_free(s.swizzle);
    isl_map_free(s.map);
    return right;
}

bool bench_decide(zlay_ctx *ctx, bool json)
{
    isl_ctx *isl = isl_ctx_alloc();
    bool right = coprime(ctx, isl, json);
    for (int bits = 10; bits <= 16; bits += 3) right = at_bits(ctx, isl, bits, json) && right;
    isl_ctx_free(isl);
    return right;
}

#else

bool bench_decide(zlay_ctx *ctx, bool json)
{
    (void)ctx;
    if (!json) puts("decisions against isl: left out, isl was not here at build time");
    return true;
}

#endif
