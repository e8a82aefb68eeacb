/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the selector as a function of C: the request's facts, then one line a variant. Conditions with
 * one unknown are comparisons without a sum, the others are sums that fit 64 bits (guard.c). */
#include "synth/variants/variants.h"

#include <string.h>

typedef struct printed {
    const zlay_variants *v;
    const char *name;
    int length;
    const zl_relation_fact *fact; /* what is printed as a fact; NULL: C is */
} printed;

/* A literal that no compiler warns of; no number is -2^63 (guard.c). */
static void put_number(zl_text *out, const printed *p, int64_t value)
{
    if (p->fact) zl_putf(out, "%lld", (long long)value);
    else zl_putf(out, "%lld%s", (long long)value, value > INT32_MAX || value < INT32_MIN ? "LL" : "");
}

/* x % mod of C has the sign of x. */
static void put_residue(zl_text *out, const printed *p, const zl_relation_fact *test)
{
    const char *name = p->v->name[test->place[0]].text;
    int64_t rem = -test->rest;
    bool two = rem && !p->fact && p->v->least[test->place[0]] < 0;
    zl_putf(out, "%s%s %% ", two ? "(" : "", name);
    put_number(out, p, test->mod);
    zl_puts(out, " == ");
    put_number(out, p, rem);
    if (!two) return;
    zl_putf(out, " || %s %% ", name);
    put_number(out, p, test->mod);
    zl_puts(out, " == ");
    put_number(out, p, rem - test->mod);
    zl_puts(out, ")");
}

static void put_single(zl_text *out, const printed *p, const zl_relation_fact *test)
{
    bool from = test->coefficient[0] < 0; /* -x + rest <= 0 */
    zl_putf(out, "%s %s ", p->v->name[test->place[0]].text, test->how == ZL_FACT_ZERO ? "==" : from ? ">=" : "<=");
    put_number(out, p, from ? test->rest : -test->rest);
}

static void put_sum(zl_text *out, const printed *p, const zl_relation_fact *test)
{
    if (test->how == ZL_FACT_MOD) zl_puts(out, "(");
    for (size_t i = 0; i < test->count; i++) {
        int64_t factor = test->coefficient[i];
        zl_puts(out, i ? factor < 0 ? " - " : " + " : factor < 0 ? "-" : "");
        int64_t by = factor < 0 ? -factor : factor;
        if (by != 1) put_number(out, p, by), zl_puts(out, " * ");
        zl_puts(out, p->v->name[test->place[i]].text);
    }
    if (test->rest) zl_puts(out, test->rest < 0 ? " - " : " + "), put_number(out, p, test->rest < 0 ? -test->rest : test->rest);
    if (test->how == ZL_FACT_MOD) zl_puts(out, ") % "), put_number(out, p, test->mod);
    zl_puts(out, test->how == ZL_FACT_AT_MOST ? " <= 0" : " == 0");
}

static void put_test(zl_text *out, const printed *p, const zl_relation_fact *test)
{
    if (test->count > 1) put_sum(out, p, test);
    else if (test->how == ZL_FACT_MOD) put_residue(out, p, test);
    else put_single(out, p, test);
}

static void put_condition(zl_text *out, const printed *p, const zl_variant_guard *c)
{
    for (size_t i = 0; i < c->count; i++) {
        if (i) zl_puts(out, " && ");
        put_test(out, p, &c->test[i]);
    }
}

/* Unknowns that no condition reads would be parameters that compilers warn of. */
static void put_unused(zl_text *out, const zlay_variants *v)
{
    bool used[ZLAY_VARIANTS_UNKNOWNS] = {false};
    size_t count = v->domain.count;
    for (uint32_t i = 0; i + 1 < v->summary.count; i++) count += v->guard[i].count;
    for (size_t t = 0; t < count; t++)
        for (size_t i = 0; i < v->test[t].count; i++) used[v->test[t].place[i]] = true;
    for (uint32_t i = 0; i < v->unknowns; i++)
        if (!used[i]) zl_putf(out, "    (void)%s;\n", v->name[i].text);
}

static void put_head(zl_text *out, const printed *p)
{
    zl_puts(out, "#if defined __CUDACC__ || defined __HIPCC__\n__host__ __device__\n#endif\n");
    zl_putf(out, "static inline int %.*s(", p->length, p->name);
    for (uint32_t i = 0; i < p->v->unknowns; i++) zl_putf(out, "%slong long %s", i ? ", " : "", p->v->name[i].text);
    zl_puts(out, ")\n{\n");
}

static void write(zl_text *out, const void *value)
{
    const printed *p = value;
    const zlay_variants *v = p->v;
    put_head(out, p);
    put_unused(out, v);
    if (v->domain.count) {
        zl_puts(out, "    if (!(");
        put_condition(out, p, &v->domain);
        zl_puts(out, ")) return -1;\n");
    }
    for (uint32_t i = 0; i + 1 < v->summary.count; i++) {
        zl_puts(out, "    if (");
        put_condition(out, p, &v->guard[i]);
        zl_putf(out, ") return %u;\n", i);
    }
    zl_putf(out, "    return %u;\n}\n", v->summary.count - 1);
}

zlay_status zlay_variants_print(zlay_buf *out, const zlay_variants *variants, const char *name, size_t length)
{
    printed p = {variants, name, (int)length, NULL};
    if (!out || !variants || !name || length > 64 || !zl_is_name(name, length)) return ZLAY_EINVAL;
    for (uint32_t i = 0; i < variants->unknowns; i++)
        if (strlen(variants->name[i].text) == length && !memcmp(variants->name[i].text, name, length)) return ZLAY_EINVAL;
    return zl_print(out, write, &p);
}

static void write_fact(zl_text *out, const void *value)
{
    const printed *p = value;
    put_test(out, p, p->fact);
}

zlay_status zlay_variants_fact(zlay_buf *out, const zlay_variants *variants, uint32_t i, uint32_t test)
{
    if (!out || !variants || i > variants->summary.count) return ZLAY_EINVAL;
    const zl_variant_guard *c = i < variants->summary.count ? &variants->guard[i] : &variants->domain;
    if (test >= c->count) return ZLAY_NONE;
    printed p = {.v = variants, .fact = &c->test[test]};
    return zl_print(out, write_fact, &p);
}
