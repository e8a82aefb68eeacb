/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlay/json.h>
#include <zlay/zlay.h>

#define STATE(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && !broken) broken = __LINE__;                                            \
    } while (0)

static zlay_ctx *ctx_new(void)
{
    zlay_ctx *ctx = NULL;
    zlay_limits limits = {.size = sizeof limits, .points = 4096, .isl_ops = 5000, .work = 1 << 25};
    return zlay_ctx_new(&ctx, NULL, &limits) ? NULL : ctx;
}

/* A value at an index of the box, or none where the layout is undefined. */
static int values_hold(const zlay_layout *layout)
{
    int64_t values[64];
    int broken = 0;
    uint64_t size = zlay_layout_size(layout);
    STATE(zlay_layout_out_count(layout) <= 64);
    if (zlay_layout_param_nth(layout, 0)) return broken;
    STATE(zlay_layout_eval(values, 64, layout, 0) >= ZLAY_OK &&
          zlay_layout_eval(values, 64, layout, size - 1) >= ZLAY_OK);
    STATE(zlay_layout_eval(values, 64, layout, size) == ZLAY_EINVAL || zlay_f2_bits(layout) == 64);
    return broken;
}

/* parse(print(x)) is x, and indices below the size have values or none; the text of pieces that an
 * operation made may have fewer rows the second time. */
static int layout_holds(zlay_ctx *ctx, const zlay_layout *layout)
{
    static char text[1 << 16], twice[1 << 16];
    zlay_buf buf = {text, sizeof text, 0}, buf2 = {twice, sizeof twice, 0};
    zlay_layout *again = NULL;
    zlay_answer answer = ZLAY_YES;
    int broken = values_hold(layout);
    if (zlay_layout_print(&buf, layout)) return broken;
    STATE(zlay_layout_parse(ctx, &again, text, buf.need) == ZLAY_OK);
    STATE(!again || zlay_layout_equal(ctx, &answer, NULL, layout, again) == ZLAY_OK);
    STATE(!again || zlay_layout_print(&buf2, again) == ZLAY_OK);
    STATE(!again || zlay_layout_kind(layout) == ZLAY_LAYOUT_PIECES || !strcmp(text, twice));
    STATE(answer != ZLAY_NO && zlay_layout_kind(again) == zlay_layout_kind(layout));
    zlay_layout_free(again);
    return broken;
}

/* What is made from a layout is a layout, or says why not. */
static int makers_hold(zlay_ctx *ctx, const zlay_layout *layout)
{
    zlay_layout *made[4] = {NULL, NULL, NULL, NULL};
    zlay_answer answer = ZLAY_YES;
    int broken = 0;
    zlay_status status[4] = {zlay_layout_coalesce(ctx, &made[0], layout),
                             zlay_layout_lower(ctx, &made[1], layout),
                             zlay_layout_compose(ctx, &made[2], layout, layout),
                             zlay_layout_complement(ctx, &made[3], layout, 1000)};
    for (int i = 0; i < 4; i++) STATE((made[i] != NULL) == (status[i] == ZLAY_OK));
    if (made[0])
        STATE(zlay_layout_equal(ctx, &answer, NULL, layout, made[0]) == ZLAY_OK &&
              answer != ZLAY_NO);
    if (made[1])
        STATE(zlay_layout_equal(ctx, &answer, NULL, layout, made[1]) == ZLAY_OK &&
              answer != ZLAY_NO);
    for (int i = 0; i < 4; i++) zlay_layout_free(made[i]);
    return broken;
}

/* F2 operations of a layout with itself: inverses undo it, a product divides again. */
static int f2_holds(zlay_ctx *ctx, const zlay_layout *layout)
{
    zlay_layout *made[6] = {NULL, NULL, NULL, NULL, NULL, NULL};
    zlay_answer answer = ZLAY_YES;
    int broken = 0;
    zlay_f2_pseudoinvert(ctx, &made[0], layout);
    zlay_f2_lstsq(ctx, &made[1], layout, layout);
    zlay_f2_product(ctx, &made[2], layout, layout);
    if (made[0] && zlay_f2_composition(ctx, &made[3], layout, made[0]))
        STATE(strstr(zlay_ctx_message(ctx), "limits.dims"));
    if (made[1]) STATE(zlay_f2_composition(ctx, &made[4], layout, made[1]) == ZLAY_OK);
    if (made[4])
        STATE(zlay_layout_equal(ctx, &answer, NULL, layout, made[4]) == ZLAY_OK &&
              answer == ZLAY_YES);
    if (made[1] && made[2]) STATE(zlay_f2_divide_left(ctx, &made[5], made[2], layout) == ZLAY_OK);
    if (made[5])
        STATE(zlay_layout_equal(ctx, &answer, NULL, layout, made[5]) == ZLAY_OK &&
              answer == ZLAY_YES);
    for (int i = 0; i < 6; i++) zlay_layout_free(made[i]);
    return broken;
}

typedef zlay_status layout_reader(zlay_ctx *ctx, zlay_layout **out, const char *text,
                                  size_t length);

static int reader_holds(layout_reader *reader, const char *bytes, size_t size)
{
    zlay_ctx *ctx = ctx_new();
    zlay_layout *layout = NULL;
    int broken = 0;
    zlay_status status = reader(ctx, &layout, bytes, size);
    STATE((layout != NULL) == (status == ZLAY_OK));
    STATE(status == ZLAY_OK || *zlay_ctx_message(ctx));
    if (layout) broken = layout_holds(ctx, layout);
    if (layout && !broken) broken = makers_hold(ctx, layout);
    if (layout && !broken) broken = f2_holds(ctx, layout);
    zlay_layout_free(layout);
    zlay_ctx_free(ctx);
    return broken;
}

static int layout_target(const char *bytes, size_t size)
{
    return reader_holds(zlay_layout_parse, bytes, size);
}

static int import_target(const char *bytes, size_t size)
{
    return reader_holds(zlay_layout_import, bytes, size);
}

/* A divided layout has the points of the undivided one, and the same values. */
static int tiler_target(const char *bytes, size_t size)
{
    static const char whole[] = "(16,(4,8)):(59,(13,1))";
    zlay_ctx *ctx = ctx_new();
    zlay_layout *layout = NULL, *made = NULL;
    int broken = 0;
    zlay_layout_parse(ctx, &layout, whole, sizeof whole - 1);
    zlay_status status = zlay_layout_divide_tiler(ctx, &made, layout, bytes, size, ZLAY_LOGICAL);
    STATE((made != NULL) == (status == ZLAY_OK));
    if (made) broken = layout_holds(ctx, made);
    zlay_layout_free(layout);
    zlay_layout_free(made);
    zlay_ctx_free(ctx);
    return broken;
}

static int coordinate_target(const char *bytes, size_t size)
{
    static const char whole[] = "(3,(4,(5,2))):(1,(8,(64,7)))";
    zlay_ctx *ctx = ctx_new();
    zlay_layout *layout = NULL;
    uint64_t index = UINT64_MAX;
    int broken = 0;
    zlay_layout_parse(ctx, &layout, whole, sizeof whole - 1);
    zlay_status status = zlay_layout_index(ctx, &index, layout, bytes, size);
    STATE(status ? index == UINT64_MAX : index < 120);
    zlay_layout_free(layout);
    zlay_ctx_free(ctx);
    return broken;
}

/* ---- facts ----------------------------------------------------------------------- */

static int range_holds(zlay_range r)
{
    int broken = 0;
    STATE(r.lo <= r.hi && r.mod >= 0);
    STATE(r.mod ? r.rem >= 0 && r.rem < r.mod : r.lo == r.rem && r.hi == r.rem);
    if (!r.mod) return broken;
    STATE(r.lo == INT64_MIN || ((r.lo % r.mod + r.mod) % r.mod) == r.rem || r.lo == INT64_MAX);
    STATE(r.hi == INT64_MAX || ((r.hi % r.mod + r.mod) % r.mod) == r.rem || r.hi == INT64_MIN);
    return broken;
}

/* Near the ends of 64 bits a bound that is one more than what fits is none. */
static int is_edge(zlay_range r)
{
    int low = r.lo != INT64_MIN && (r.lo < INT64_MIN / 2 || r.lo > INT64_MAX / 2);
    int high = r.hi != INT64_MAX && (r.hi < INT64_MIN / 2 || r.hi > INT64_MAX / 2);
    return low || high;
}

/* What is known of a name, told again, is the same. */
static int told_again(zlay_ctx *ctx, const char *name, zlay_range r)
{
    char low[64] = "", high[64] = "", text[512];
    const char *facts[] = {text};
    zlay_facts *again = NULL;
    zlay_range got = {0};
    int broken = 0;
    if (r.mod && r.lo != INT64_MIN) snprintf(low, sizeof low, "%lld <= ", (long long)r.lo);
    if (r.mod && r.hi != INT64_MAX) snprintf(high, sizeof high, " <= %lld", (long long)r.hi);
    size_t size = (size_t)snprintf(text, sizeof text, "%s%s%s%s%s = %lld", low,
                                   *low || *high ? name : "", high, *low || *high ? " and " : "",
                                   name, (long long)r.rem);
    if (r.mod)
        size += (size_t)snprintf(text + size, sizeof text - size, " mod %lld", (long long)r.mod);
    STATE(zlay_facts_parse(ctx, &again, 1, facts, &size) == ZLAY_OK);
    zlay_facts_nth(&got, again, 0);
    STATE(got.lo == r.lo && got.hi == r.hi && got.mod == r.mod && got.rem == r.rem);
    zlay_facts_free(again);
    return broken;
}

/* The bytes as a fact, and as an expression under it. */
static int facts_target(const char *bytes, size_t size)
{
    zlay_ctx *ctx = ctx_new();
    zlay_facts *facts = NULL;
    zlay_range range;
    const char *name;
    int broken = 0;
    zlay_status status = zlay_facts_parse(ctx, &facts, 1, &bytes, &size);
    STATE((facts != NULL) == (status == ZLAY_OK));
    STATE(status == ZLAY_OK || *zlay_ctx_message(ctx));
    for (size_t i = 0; !broken && (name = zlay_facts_nth(&range, facts, i)); i++) {
        broken = range_holds(range);
        if (!broken && !is_edge(range)) broken = told_again(ctx, name, range);
    }
    if (!broken && !zlay_facts_eval(ctx, &range, facts, bytes, size)) broken = range_holds(range);
    zlay_facts_free(facts);
    zlay_ctx_free(ctx);
    return broken;
}

/* ---- bodies ----------------------------------------------------------------------- */

static int body_target(const char *bytes, size_t size)
{
    static char text[1 << 16], twice[1 << 16];
    zlay_buf buf = {text, sizeof text, 0}, buf2 = {twice, sizeof twice, 0};
    zlay_ctx *ctx = ctx_new();
    zlay_body *body = NULL, *again = NULL;
    int broken = 0;
    zlay_status status = zlay_body_parse(ctx, &body, bytes, size);
    STATE((body != NULL) == (status == ZLAY_OK));
    STATE(status == ZLAY_OK || *zlay_ctx_message(ctx));
    if (body && !zlay_body_print(&buf, body)) {
        STATE(zlay_body_parse(ctx, &again, text, buf.need) == ZLAY_OK);
        STATE(!again || (zlay_body_print(&buf2, again) == ZLAY_OK && !strcmp(text, twice)));
    }
    zlay_body_free(body);
    zlay_body_free(again);
    zlay_ctx_free(ctx);
    return broken;
}

/* ---- pipes ------------------------------------------------------------------------ */

/* The checker takes more steps than the verifier: it has the usual limits. */
static int is_proved_again(const zlay_pipe *pipe, const char *proof, size_t length)
{
    zlay_ctx *ctx = NULL;
    zlay_answer answer = ZLAY_NO;
    int proved = zlay_ctx_new(&ctx, NULL, NULL) == ZLAY_OK &&
                 zlay_pipe_recheck(ctx, &answer, pipe, proof, length) == ZLAY_OK &&
                 answer == ZLAY_YES;
    zlay_ctx_free(ctx);
    return proved;
}

static int pipe_holds(zlay_ctx *ctx, const zlay_pipe *pipe)
{
    static char text[1 << 18], twice[1 << 18], proof[1 << 18];
    zlay_buf buf = {text, sizeof text, 0}, buf2 = {twice, sizeof twice, 0},
             proved = {proof, sizeof proof, 0};
    zlay_pipe_reason reasons[4];
    zlay_pipe *again = NULL;
    zlay_answer answer = ZLAY_UNDECIDED;
    size_t count = 0;
    int broken = 0;
    STATE(zlay_pipe_print(&buf, pipe) == ZLAY_OK);
    STATE(zlay_pipe_parse(ctx, &again, text, buf.need) == ZLAY_OK);
    STATE(!again || (zlay_pipe_print(&buf2, again) == ZLAY_OK && !strcmp(text, twice)));
    zlay_pipe_free(again);
    zlay_status status = zlay_pipe_verify(ctx, &answer, reasons, 4, &count, &proved, pipe);
    if (status) return broken;
    STATE((answer == ZLAY_NO) == (count > 0));
    if (answer == ZLAY_YES) STATE(is_proved_again(pipe, proof, proved.need));
    return broken;
}

static int pipe_target(const char *bytes, size_t size)
{
    zlay_ctx *ctx = ctx_new();
    zlay_pipe *pipe = NULL;
    int broken = 0;
    zlay_status status = zlay_pipe_parse(ctx, &pipe, bytes, size);
    STATE((pipe != NULL) == (status == ZLAY_OK));
    if (pipe) broken = pipe_holds(ctx, pipe);
    zlay_pipe_free(pipe);
    zlay_ctx_free(ctx);
    return broken;
}

/* A program of tiles has a pipe that is proved, or says why not. */
static int tiles_target(const char *bytes, size_t size)
{
    static const char *const names[] = {"sm_90a", "sm_100a"};
    zlay_ctx *ctx = ctx_new();
    int broken = 0;
    for (int i = 0; i < 2; i++) {
        const zlay_target *target = NULL;
        zlay_roles *roles = NULL;
        STATE(zlay_target_find(&target, names[i], strlen(names[i])) == ZLAY_OK);
        zlay_status status = zlay_roles_synth(ctx, &roles, target, bytes, size);
        STATE((roles != NULL) == (status == ZLAY_OK) && status != ZLAY_EINTERNAL);
        if (roles && !broken) broken = pipe_holds(ctx, zlay_roles_pipe(roles));
        zlay_roles_free(roles);
    }
    zlay_ctx_free(ctx);
    return broken;
}

/* ---- structs from bytes ------------------------------------------------------------- */

static int tensormap_target(const char *bytes, size_t size)
{
    zlay_tensormap map = {0}, repaired;
    const zlay_target *target;
    zlay_verdict verdict;
    zlay_reason reasons[8];
    int32_t keeps;
    uint64_t split;
    int broken = 0;
    memcpy(&map, bytes, size < sizeof map ? size : sizeof map);
    zlay_target_find(&target, "sm_90a", 6);
    zlay_status status = zlay_tensormap_check(&verdict, reasons, 8, target, &map);
    if (status) return 0;
    STATE((verdict.answer == ZLAY_NO) == (verdict.broken > 0));
    STATE(verdict.reasons == verdict.broken + verdict.noted + verdict.conflicts);
    if (zlay_tensormap_repair(&repaired, &keeps, &split, target, &map)) return broken;
    STATE(zlay_tensormap_check(&verdict, NULL, 0, target, &repaired) == ZLAY_OK &&
          verdict.answer == ZLAY_YES);
    return broken;
}

/* Any words are an instruction with a verdict, and its reasons are as many as its head says. */
static int mma_target(const char *bytes, size_t size)
{
    zlay_mma mma = {.m = 64, .n = 64, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16};
    zlay_reason reasons[128];
    zlay_verdict alone, verdict;
    const zlay_target *target;
    size_t most = offsetof(zlay_mma, reserved);
    int broken = 0;
    memcpy(&mma, bytes, size < most ? size : most);
    for (size_t i = 0; (target = zlay_target_nth(i)); i++) {
        zlay_status status = zlay_mma_check(&alone, NULL, 0, target, &mma);
        STATE(status == ZLAY_OK || status == ZLAY_ENOTSUP);
        if (status) continue;
        STATE(zlay_mma_check(&verdict, reasons, 128, target, &mma) == ZLAY_OK);
        STATE(!memcmp(&alone, &verdict, sizeof verdict));
        STATE((verdict.answer == ZLAY_YES) == (verdict.broken == 0));
    }
    return broken;
}

/* Any bits unpack, and pack to the same bits. */
static int smemdesc_target(const char *bytes, size_t size)
{
    uint64_t bits = 0, again;
    const zlay_target *target;
    zlay_smemdesc fields;
    int broken = 0;
    memcpy(&bits, bytes, size < sizeof bits ? size : sizeof bits);
    zlay_target_find(&target, "sm_90a", 6);
    STATE(zlay_smemdesc_unpack(&fields, target, bits) == ZLAY_OK);
    STATE(zlay_smemdesc_pack(&again, target, &fields) == ZLAY_OK && again == bits);
    return broken;
}

/* ---- requests ------------------------------------------------------------------------ */

static int json_target(const char *bytes, size_t size)
{
    static char text[1 << 19];
    zlay_buf out = {text, sizeof text, 0};
    zlay_ctx *ctx = ctx_new();
    int broken = 0;
    STATE(zlay_json_call(ctx, &out, bytes, size) == ZLAY_OK);
    STATE(text[0] == '{' && text[out.need - 1] == '}' && !strchr(text, '\n'));
    zlay_ctx_free(ctx);
    return broken;
}

const fuzz_row fuzz_rows[] = {
    {"layout", layout_target, 1},
    {"import", import_target, 1},
    {"tiler", tiler_target, 1},
    {"coordinate", coordinate_target, 1},
    {"facts", facts_target, 2},
    {"body", body_target, 1},
    {"pipe", pipe_target, 20},
    {"tiles", tiles_target, 20},
    {"tensormap", tensormap_target, 2},
    {"smemdesc", smemdesc_target, 1},
    {"mma", mma_target, 1},
    {"unpack", fuzz_unpack, 4},
    {"guard", fuzz_guard, 2},
    {"proof", fuzz_proof, 2},
    {"tuning", fuzz_tuning, 1},
    {"json", json_target, 4},
    {NULL, NULL, 0},
};
