/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts against isl, the general library for such functions. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

#ifdef HAVE_ISL
#include <isl/ctx.h>
#include <isl/map.h>

/* Sw<3,4,3> on 1024 bytes: 8 rows of 128 bytes, 16-byte chunks. */
static const char sw_zlay[] = "Sw<3,4,3> o 0 o 1024:1";
static const char sw_isl[] =
    "{ [i] -> [i + 16*((floor(i/16) + floor(i/128)) mod 2) - 16*(floor(i/16) mod 2)"
    " + 32*((floor(i/32) + floor(i/256)) mod 2) - 32*(floor(i/32) mod 2)"
    " + 64*((floor(i/64) + floor(i/512)) mod 2) - 64*(floor(i/64) mod 2)] : 0 <= i < 1024 }";
static const char tile_zlay[] = "(64,(8,8)):(8,(1,512))";
static const char tile_isl[] =
    "{ [i] -> [8*(i mod 64) + (floor(i/64) mod 8) + 512*floor(i/512)] : 0 <= i < 4096 }";
static const char rest_zlay[] = "(16,32):(4,64)";
static const char rest_isl[] = "{ [i] -> [4*(i mod 16) + 64*floor(i/16)] : 0 <= i < 512 }";

typedef struct state {
    zlay_ctx *ctx;
    isl_ctx *isl;
} state;

static zlay_layout *read_zlay(const state *s, const char *text)
{
    zlay_layout *layout;
    zlay_layout_parse(s->ctx, &layout, text, strlen(text));
    return layout;
}

static bool parse_ours(void *value)
{
    zlay_layout *layout = read_zlay(value, tile_zlay);
    bool right = zlay_layout_size(layout) == 4096;
    zlay_layout_free(layout);
    return right;
}

/* The same isl text for both. */
static bool text_ours(void *value)
{
    zlay_layout *layout = read_zlay(value, tile_isl);
    bool right = zlay_layout_size(layout) == 4096;
    zlay_layout_free(layout);
    return right;
}

static bool swizzle_ours(void *value)
{
    zlay_layout *layout = read_zlay(value, sw_isl);
    bool right = zlay_layout_size(layout) == 1024;
    zlay_layout_free(layout);
    return right;
}

static bool swizzle_theirs(void *value)
{
    const state *s = value;
    isl_map *map = isl_map_read_from_str(s->isl, sw_isl);
    bool right = map;
    isl_map_free(map);
    return right;
}

static bool parse_theirs(void *value)
{
    const state *s = value;
    isl_map *map = isl_map_read_from_str(s->isl, tile_isl);
    bool right = map;
    isl_map_free(map);
    return right;
}

/* A composition, and whether it equals what it should. */
static bool compose_equal_ours(const state *s, const char *a, const char *b, const char *c)
{
    zlay_layout *x = read_zlay(s, a), *y = read_zlay(s, b), *want = read_zlay(s, c), *made = NULL;
    zlay_answer answer = ZLAY_NO;
    if (x && y && want && zlay_layout_compose(s->ctx, &made, x, y) == ZLAY_OK)
        zlay_layout_equal(s->ctx, &answer, NULL, made, want);
    zlay_layout_free(x);
    zlay_layout_free(y);
    zlay_layout_free(want);
    zlay_layout_free(made);
    return answer == ZLAY_YES;
}

static bool compose_equal_theirs(const state *s, const char *a, const char *b, const char *c)
{
    isl_map *x = isl_map_read_from_str(s->isl, a), *y = isl_map_read_from_str(s->isl, b);
    isl_map *made = isl_map_apply_range(y, x), *want = isl_map_read_from_str(s->isl, c);
    bool equal = isl_map_is_equal(made, want) == isl_bool_true;
    isl_map_free(made);
    isl_map_free(want);
    return equal;
}

static bool compose_ours(void *s)
{
    return compose_equal_ours(s, tile_zlay, rest_zlay, "((16,8),(4)):((32,1),(512))");
}

static bool compose_theirs(void *s)
{
    return compose_equal_theirs(s, tile_isl, rest_isl,
                                "{ [i] -> [32*(i mod 16) + (floor(i/16) mod 8) + 512*floor(i/128)]"
                                " : 0 <= i < 512 }");
}

static bool undo_ours(void *s) { return compose_equal_ours(s, sw_zlay, sw_zlay, "1024:1"); }

static bool undo_theirs(void *s)
{
    return compose_equal_theirs(s, sw_isl, sw_isl, "{ [i] -> [i] : 0 <= i < 1024 }");
}

bool bench_isl(zlay_ctx *ctx, bool json)
{
    state s = {ctx, isl_ctx_alloc()};
    const bench_row rows[] = {
        {"read a layout of 4096 elements", "isl_map_read_from_str", parse_ours, parse_theirs, &s},
        {"read the isl text of that layout", "isl_map_read_from_str", text_ours, parse_theirs, &s},
        {"read the isl text of a 128-byte swizzle", "isl_map_read_from_str", swizzle_ours,
         swizzle_theirs, &s},
        {"compose two tiles, decide the result", "isl apply_range, is_equal", compose_ours,
         compose_theirs, &s},
        {"decide that a 128-byte swizzle undoes itself", "isl apply_range, is_equal", undo_ours,
         undo_theirs, &s},
    };
    bool right = true;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        right = bench_print(&rows[i], json) && right;
    isl_ctx_free(s.isl);
    return right;
}

#else

bool bench_isl(zlay_ctx *ctx, bool json)
{
    (void)ctx;
    if (!json) puts("layouts against isl: left out, isl was not here at build time");
    return true;
}

#endif
