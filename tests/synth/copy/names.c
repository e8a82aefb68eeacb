/* SPDX-License-Identifier: Apache-2.0 */
/* Copies by threads between pitches that are names: one plan, carried out at many values. */
#include "tiles/copy_carry.h"
#include "tiles/copy_draw.h"

#include <stdarg.h>

/* ---- pitches that are names --------------------------------------------------------- */

enum { FACTS = 8 };

typedef struct names {
    char text[FACTS][64];
    const char *at[FACTS];
    size_t length[FACTS], count;
} names;

static void fact_add(names *n, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(n->text[n->count], sizeof n->text[0], format, args);
    va_end(args);
    n->at[n->count] = n->text[n->count];
    n->length[n->count] = strlen(n->text[n->count]);
    n->count++;
}

static zlay_facts *facts_of(zlay_ctx *ctx, const names *n)
{
    zlay_facts *facts = NULL;
    assert_int_equal(zlay_facts_parse(ctx, &facts, n->count, n->at, n->length), ZLAY_OK);
    return facts;
}

/* The plan in names, carried out at values that the facts allow. */
static void check_values(zlay_ctx *ctx, const pitched *p, const zlay_move *move)
{
    static world w;
    char text[2][128];
    names at = {.count = 0};
    fact_add(&at, "ld = %lld", (long long)p->value[0]);
    fact_add(&at, "N = %lld", (long long)p->value[1]);
    zlay_facts *facts = facts_of(ctx, &at);
    long long columns = p->columns, rows = p->rows, pitch = p->value[1];
    sprintf(text[0], "(%lld,%lld):(1,%lld)", columns, rows, (long long)(p->times * p->value[0]));
    sprintf(text[1], "(%lld,%lld):(%lld,%lld)", columns, rows, p->turned ? pitch : 1,
            p->turned ? 1 : pitch);
    zlay_layout *from = read_layout(ctx, text[0]), *to = read_layout(ctx, text[1]);
    asked q = {target_of("sm_90a"),
               p->r.elem_bits,
               {ZLAY_MOVE_GLOBAL, ZLAY_MOVE_GLOBAL},
               {p->r.source.align * 3, p->r.dest.align * 5},
               {from, to},
               ctx,
               facts};
    memset(&w, CANARY, sizeof w);
    memset(w.writes, 0, sizeof w.writes);
    for (size_t i = 0; i < sizeof w.from; i++) w.from[i] = (uint8_t)(i * 2654435761u >> 16);
    carry_out(&q, move, &w);
    check_world(&w, from, to);
    zlay_layout_free(from);
    zlay_layout_free(to);
    zlay_facts_free(facts);
}

/* With the guard of the variant among the facts its accesses are there. */
static void check_variant(zlay_ctx *ctx, const pitched *p, const names *known, const char *guard,
                          uint32_t width)
{
    char text[512];
    names more = *known;
    zlay_copy_request r = p->r;
    zlay_move *move = NULL;
    zlay_move_widest widest;
    strcpy(text, guard);
    for (size_t i = 0; i < more.count; i++) more.at[i] = more.text[i];
    for (char *at = text; at;) {
        char *next = strstr(at, " && ");
        if (next) *next = 0;
        fact_add(&more, "%s", at);
        at = next ? next + 4 : NULL;
    }
    zlay_facts *facts = NULL;
    zlay_status status = zlay_facts_parse(ctx, &facts, more.count, more.at, more.length);
    if (status == ZLAY_EINVAL) return; /* the facts leave no such value */
    assert_int_equal(status, ZLAY_OK);
    r.facts = facts;
    assert_int_equal(zlay_copy_synth(ctx, &move, target_of("sm_90a"), &r), ZLAY_OK);
    assert_int_equal(zlay_move_widest_info(&widest, move), ZLAY_OK);
    assert_int_equal(widest.width, width);
    zlay_move_free(move);
    zlay_facts_free(facts);
}

static void test_pitches_that_are_names(void **state)
{
    uint64_t seed = test_seed("pitches that are names"), variants = 0, wide = 0;
    for (uint64_t i = 0; i < test_iterations(200); i++) {
        pitched p = draw_pitched(&seed);
        char text[2][128], guard[1024];
        names known = {.count = 0};
        zlay_move *move = NULL;
        zlay_move_summary info;
        zlay_buf buf = {guard, sizeof guard, 0};
        uint32_t width;
        sprintf(text[0], "(%lld,%lld):(1,%s)", (long long)p.columns, (long long)p.rows,
                p.times > 1 ? "2*ld" : "ld");
        sprintf(text[1], "(%lld,%lld):%s", (long long)p.columns, (long long)p.rows,
                p.turned ? "(N,1)" : "(1,N)");
        fact_add(&known, "ld = %lld mod %lld", (long long)p.rem[0], (long long)p.mod[0]);
        fact_add(&known, "N = %lld mod %lld", (long long)p.rem[1], (long long)p.mod[1]);
        fact_add(&known, "N >= 64");
        zlay_facts *facts = facts_of(*state, &known);
        zlay_layout *from = read_layout(*state, text[0]), *to = read_layout(*state, text[1]);
        p.r.source.layout = from;
        p.r.dest.layout = to;
        p.r.facts = facts;
        zlay_status status = zlay_copy_synth(*state, &move, target_of("sm_90a"), &p.r);
        if (status) fail_msg("%s -> %s: %s", text[0], text[1], zlay_ctx_message(*state));
        assert_int_equal(zlay_move_info(&info, move), ZLAY_OK);
        wide += info.width > p.r.elem_bits / 8;
        check_values(*state, &p, move);
        check_certificates(*state, move);
        if (!zlay_move_wider(&buf, &width, move)) {
            check_variant(*state, &p, &known, guard, width);
            variants++;
        }
        zlay_move_free(move);
        zlay_layout_free(from);
        zlay_layout_free(to);
        zlay_facts_free(facts);
    }
    assert_true(variants > 20 && wide > 20);
}

static void test_names_are_refused(void **state)
{
    static const struct {
        const char *from, *to, *said;
        zlay_status status;
    } rows[] = {
        {"(64,64):(1,ld)", "(64,64):(1,N)", "points share an offset unless N != 0", ZLAY_EINVAL},
        {"(64,M):(1,64)", "(64,64):(1,64)", "extents", ZLAY_ENOTSUP},
        {"[n] -> { [i] -> [i + n] : 0 <= i < 64 }", "64:1", "depends on n", ZLAY_ENOTSUP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        zlay_move *move = NULL;
        zlay_layout *from = read_layout(*state, rows[i].from),
                    *to = read_layout(*state, rows[i].to);
        zlay_copy_request r = {.size = sizeof r,
                               .elem_bits = 16,
                               .source = {from, ZLAY_MOVE_GLOBAL, 0, 16},
                               .dest = {to, ZLAY_MOVE_GLOBAL, 0, 16}};
        zlay_status status = zlay_copy_synth(*state, &move, target_of("sm_90a"), &r);
        if (status != rows[i].status || !strstr(zlay_ctx_message(*state), rows[i].said))
            fail_msg("%s -> %s: %s, %s", rows[i].from, rows[i].to, zlay_status_name(status),
                     zlay_ctx_message(*state));
        zlay_layout_free(from);
        zlay_layout_free(to);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pitches_that_are_names), cmocka_unit_test(test_names_are_refused),
    };
    return cmocka_run_group_tests_name("copy-names", tests, begin, end);
}
