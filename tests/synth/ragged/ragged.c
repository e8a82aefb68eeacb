/* SPDX-License-Identifier: Apache-2.0 */
/* Ragged maps: the example of the header, what is refused and where, proofs of maps with one wrong number, and the printed function, compiled
 * here, against zlay_ragged_map_at. */
#define _GNU_SOURCE /* mkdtemp, dlopen */
#include "assembler.h"
#include "ctx.h"
#include "plans/ragged_world.h"

#include <dlfcn.h>

typedef zlay_ragged_map_request request;

static request example(void)
{
    return (request){.size = sizeof(request), .rank = 2, .dim = 1, .copies = 3, .type = ZLAY_TYPE_BF16, .address = 1 << 20,
                     .extent = {64, 4096}, .stride = {128}, .box = {64, 64}};
}

static zlay_ragged_map made(zlay_ctx *ctx, const request *r)
{
    zlay_ragged_map ragged;
    if (zlay_ragged_map_synth(ctx, &ragged, target_of("sm_90a"), r)) fail_msg("%s", zlay_ctx_message(ctx));
    return ragged;
}

static void test_example(void **state)
{
    const request r = example();
    zlay_ragged_map ragged = made(*state, &r);
    const zlay_tensormap *m = &ragged.map;
    static const uint64_t extent[] = {64, 1 << 26, 4097, (1 << 26) + 1}, stride[] = {128, 128, (1ull << 38) - 128};
    static const uint32_t box[] = {64, 64, 1, 1};
    int32_t at[5];
    uint32_t skip;
    assert_int_equal(m->rank, 4);
    assert_memory_equal(m->extent, extent, sizeof extent);
    assert_memory_equal(m->stride, stride, sizeof stride);
    assert_memory_equal(m->box, box, sizeof box);
    zlay_ragged_tile t = {.copy = ZLAY_RAGGED_STORE, .offset = 100, .length = 70, .at = {0, 64}};
    assert_int_equal(zlay_ragged_map_at(*state, at, &skip, &ragged, &t), ZLAY_OK);
    assert_memory_equal(at, ((int32_t[]){0, (1 << 26) - 6, 170, 1 << 26}), 16);
    t = (zlay_ragged_tile){.copy = ZLAY_RAGGED_LOAD, .offset = 100, .length = 70, .at = {0, -3}};
    assert_int_equal(zlay_ragged_map_at(*state, at, &skip, &ragged, &t), ZLAY_OK);
    assert_memory_equal(at, ((int32_t[]){0, -3, 100, 0}), 16);
    t.copy = ZLAY_RAGGED_STORE;
    assert_int_equal(zlay_ragged_map_at(*state, at, &skip, &ragged, &t), ZLAY_OK);
    assert_memory_equal(at, ((int32_t[]){0, (1 << 26) - 61, 161, 1 << 26}), 16);
    assert_int_equal(skip, 3);
}

/* The address of a shifted map, and a rank that no map of two more dimensions has. */
static void test_ranks(void **state)
{
    request r = {.size = sizeof r, .rank = 4, .dim = 1, .copies = ZLAY_RAGGED_STORE, .type = ZLAY_TYPE_F32, .address = 1 << 20,
                 .extent = {64, 100, 8, 4}, .stride = {256, 25600, 204800}, .box = {32, 16, 2, 2}};
    zlay_ragged_map ragged = made(*state, &r);
    assert_int_equal(ragged.base, ZLAY_RAGGED_SHIFT);
    assert_int_equal(ragged.map.address, (1 << 20) - 16 * 256);
    r.copies = ZLAY_RAGGED_LOAD;
    assert_int_equal(zlay_ragged_map_synth(*state, &ragged, target_of("sm_90a"), &r), ZLAY_NONE);
    r.box[3] = 1;
    ragged = made(*state, &r);
    assert_int_equal(ragged.base, ZLAY_RAGGED_WRAP);
    assert_int_equal(ragged.place[3], ragged.offset);
    assert_int_equal(ragged.scale[3], 800);
}

/* ---- what is refused ------------------------------------------------------------------------------ */

static void refused(zlay_ctx *ctx, const request *r, zlay_status status, const char *word)
{
    zlay_ragged_map ragged;
    assert_int_equal(zlay_ragged_map_synth(ctx, &ragged, target_of("sm_90a"), r), status);
    if (strncmp(zlay_ctx_message(ctx), word, strlen(word))) fail_msg("'%s', not '%s'", zlay_ctx_message(ctx), word);
}

#define REFUSED(status, word, ...)                                                                                                             \
    do {                                                                                                                                       \
        request r = example();                                                                                                                 \
        __VA_ARGS__;                                                                                                                           \
        refused(*state, &r, status, word);                                                                                                     \
    } while (0)

static void test_refusals(void **state)
{
    zlay_ragged_map ragged;
    zlay_answer answer;
    char text[8];
    zlay_buf buf = {text, sizeof text, 0};
    REFUSED(ZLAY_EINVAL, "rank", r.rank = 9);
    REFUSED(ZLAY_EINVAL, "rank", r.rank = 0);
    REFUSED(ZLAY_EINVAL, "dim", r.dim = 2);
    REFUSED(ZLAY_EINVAL, "copies", r.copies = 4);
    REFUSED(ZLAY_EINVAL, "base", r.base = 3);
    REFUSED(ZLAY_EINVAL, "type", r.type = 99);
    REFUSED(ZLAY_ENOTSUP, "type", r.type = ZLAY_TYPE_U4_ALIGN8);
    REFUSED(ZLAY_EINVAL, "extent[1]", r.extent[1] = 0);
    REFUSED(ZLAY_EINVAL, "box[0]", r.box[0] = 0);
    REFUSED(ZLAY_NONE, "stride[0]", r.stride[0] = 130);
    REFUSED(ZLAY_NONE, "stride[0]", r.stride[0] = 1ull << 40);
    REFUSED(ZLAY_EINVAL, "stride[0]", r.stride[0] = 0);
    REFUSED(ZLAY_NONE, "extent[0]", r.extent[0] = 63);
    REFUSED(ZLAY_NONE, "box[0]", (r.dim = 0, r.box[0] = 63));
    REFUSED(ZLAY_NONE, "extent[0]", (r.dim = 0, r.extent[0] = 63));
    REFUSED(ZLAY_NONE, "extent[1]", r.extent[1] = 1ull << 31);
    REFUSED(ZLAY_NONE, "address", (r.base = ZLAY_RAGGED_SHIFT, r.address = 128));
    REFUSED(ZLAY_NONE, "TMAP_ADDRESS_16", r.address = 8);
    REFUSED(ZLAY_NONE, "TMAP_BOX", r.box[1] = 257);
    assert_int_equal(zlay_ragged_map_synth(*state, &ragged, NULL, NULL), ZLAY_EINVAL);
    assert_int_equal(zlay_ragged_map_prove(*state, &answer, NULL), ZLAY_EINVAL);
    ragged = made(*state, &(request){.size = sizeof(request), .rank = 1, .copies = 1, .type = ZLAY_TYPE_U8, .address = 16, .extent = {32}, .box = {16}});
    assert_int_equal(zlay_ragged_map_print(&buf, &ragged, "f", 1), ZLAY_EROOM);
    assert_int_equal(zlay_ragged_map_print(&buf, &ragged, "1f", 2), ZLAY_EINVAL);
}

static void tile_refused(zlay_ctx *ctx, const zlay_ragged_map *r, zlay_ragged_tile t, zlay_status status, const char *word)
{
    int32_t at[5];
    uint32_t skip;
    assert_int_equal(zlay_ragged_map_at(ctx, at, &skip, r, &t), status);
    if (strncmp(zlay_ctx_message(ctx), word, strlen(word))) fail_msg("'%s', not '%s'", zlay_ctx_message(ctx), word);
}

static void test_tiles_refused(void **state)
{
    request r = example();
    zlay_ragged_map ragged = made(*state, &r);
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 3}, ZLAY_EINVAL, "copy");
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 1, .offset = 4097}, ZLAY_EINVAL, "length");
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 1, .offset = 4000, .length = UINT64_MAX}, ZLAY_EINVAL, "length");
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 1, .at = {4}}, ZLAY_EINVAL, "at[0]");
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 2, .at = {-64}}, ZLAY_EINVAL, "at[0]");
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 1, .length = 7, .at = {0, -3}}, ZLAY_NONE, "at[1]");
    r.swizzle = ZLAY_SWIZZLE_128B;
    r.copies = ZLAY_RAGGED_STORE;
    ragged = made(*state, &r);
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 1}, ZLAY_EINVAL, "copy");
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 2, .length = 7, .at = {0, -3}}, ZLAY_NONE, "at[1]");
    r.dim = 0;
    r.extent[0] = 4096;
    r.stride[0] = 8192;
    ragged = made(*state, &r);
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 2, .offset = 4}, ZLAY_EINVAL, "offset");
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 2, .length = 4}, ZLAY_EINVAL, "length");
    tile_refused(*state, &ragged, (zlay_ragged_tile){.copy = 2, .at = {4}}, ZLAY_EINVAL, "at");
}

/* ---- proofs of what is wrong ------------------------------------------------------------------------ */

static void wrong(zlay_ctx *ctx, zlay_ragged_map r, uint32_t what, uint32_t d)
{
    zlay_answer answer = ZLAY_YES;
    switch (what) {
    case 0: r.map.address += 16; break;
    case 1: r.map.extent[d]--; break;
    case 2: r.map.stride[d - 1] += 16; break;
    case 3: r.window += r.unit; break;
    case 4: r.scale[r.dim]++; break;
    case 5: r.wrap += 16; break;
    case 6: r.extent[r.dim] += r.unit; break;
    default: r.box++; break;
    }
    assert_int_equal(zlay_ragged_map_prove(ctx, &answer, &r), ZLAY_OK);
    if (answer != ZLAY_NO) fail_msg("change %u of dimension %u is proved: rank %u, dim %u, base %d", what, d, r.rank, r.dim, r.base);
}

static void test_mutants(void **state)
{
    uint64_t seed = test_seed("mutants");
    ragged_world w = {.ctx = *state};
    for (uint64_t i = 0; i < test_iterations(300); i++) {
        ragged_draw(&seed, &w);
        if (zlay_ragged_map_synth(*state, &w.ragged, target_of("sm_90a"), &w.r)) continue;
        for (uint32_t what = 0; what < 8; what++) {
            if (what == 5 && w.ragged.base != ZLAY_RAGGED_WRAP) continue;
            for (uint32_t d = what == 2; d < (what == 1 || what == 2 ? w.ragged.map.rank : what == 2 ? 2u : 1u); d++)
                wrong(*state, w.ragged, what, d);
        }
    }
}

/* ---- the printed function ----------------------------------------------------------------------------- */

enum { FUNCTIONS = 40, CALLS = 200, TEXT = 8192 };
typedef int called(int *coordinate, int *skip, int store, long long offset, long long length, const int64_t *at);

static void write_function(FILE *file, const ragged_world *w, int i)
{
    static char text[TEXT];
    char name[16];
    zlay_buf buf = {text, sizeof text, 0};
    int length = sprintf(name, "f%d", i);
    assert_int_equal(zlay_ragged_map_print(&buf, &w->ragged, name, (size_t)length), ZLAY_OK);
    fprintf(file, "%sint call%d(int *c, int *skip, int store, long long offset, long long length, const long *at)\n{ return f%d(c, skip, store, offset, length", text, i, i);
    for (uint32_t d = 0; d < w->r.rank; d++) fprintf(file, ", at[%u]", d);
    fprintf(file, "); }\n");
}

static void compare(zlay_ctx *ctx, void *library, ragged_world *w, int i, uint64_t *seed)
{
    char name[16];
    union { void *found; called *function; } call;
    sprintf(name, "call%d", i);
    call.found = dlsym(library, name);
    assert_non_null(call.found);
    for (int k = 0; k < CALLS; k++) {
        zlay_ragged_tile t;
        int32_t want[5] = {0}, got[5];
        uint32_t skip = 0;
        int later;
        ragged_tile_draw(seed, w, &t);
        zlay_status status = zlay_ragged_map_at(ctx, want, &skip, &w->ragged, &t);
        int good = call.function(got, &later, t.copy == ZLAY_RAGGED_STORE, (long long)t.offset, (long long)t.length, t.at);
        assert_int_equal(good, status == ZLAY_OK);
        if (status) continue;
        assert_memory_equal(got, want, sizeof want);
        assert_int_equal(later, skip);
    }
}

static int functions_draw(zlay_ctx *ctx, ragged_world *w, FILE *file, uint64_t *seed)
{
    int count = 0;
    while (count < FUNCTIONS) {
        w[count] = (ragged_world){.ctx = ctx};
        ragged_draw(seed, &w[count]);
        if (zlay_ragged_map_synth(ctx, &w[count].ragged, target_of("sm_90a"), &w[count].r)) continue;
        write_function(file, &w[count], count);
        count++;
    }
    return count;
}

static void test_function(void **state)
{
    static ragged_world w[FUNCTIONS];
    char folder[] = "/tmp/zlay-ragged-XXXXXX", path[64], command[400];
    uint64_t seed = test_seed("functions");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/f.c", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    int count = functions_draw(*state, w, file, &seed);
    fclose(file);
    snprintf(command, sizeof command, "${CC:-cc} -std=c11 -O1 -Wall -Wextra -Werror -Wconversion -shared -fPIC -o %s/f.so %s", folder, path);
    assert_int_equal(system(command), 0);
    snprintf(path, sizeof path, "%s/f.so", folder);
    void *library = dlopen(path, RTLD_NOW);
    assert_non_null(library);
    for (int i = 0; i < count; i++) compare(*state, library, &w[i], i, &seed);
    dlclose(library);
    snprintf(command, sizeof command, "rm -r %s", folder);
    assert_int_equal(system(command), 0);
}

static void test_compiles(void **state)
{
    static char text[TEXT];
    zlay_buf buf = {text, sizeof text, 0};
    const request r = example();
    zlay_ragged_map ragged = made(*state, &r);
    need_compiler();
    assert_int_equal(zlay_ragged_map_print(&buf, &ragged, "rows", 4), ZLAY_OK);
    strcat(text, "__global__ void k(int *out, long long offset, long long length, long long row)\n{\n    int c[5], skip;\n"
                 "    if (rows(c, &skip, 1, offset, length, 0, row)) out[0] = c[1] + c[2] + skip;\n}\n");
    assert_true(compiles_for("sm_90a sm_100a", text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example), cmocka_unit_test(test_ranks),    cmocka_unit_test(test_refusals), cmocka_unit_test(test_tiles_refused),
        cmocka_unit_test(test_mutants), cmocka_unit_test(test_function), cmocka_unit_test(test_compiles)};
    return cmocka_run_group_tests(tests, begin, end);
}
