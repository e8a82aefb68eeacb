/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of a tile before and after a swizzle: the bank of every element, from the layout's own value. */
#include "ctx.h"
#include "heap.h"

#include <inttypes.h>
#include <stdbool.h>

typedef struct tile {
    zlay_layout *before, *after;
    zlay_show_swizzle_request r;
} tile;

static void open_tile(zlay_ctx *ctx, tile *t, const char *before, const char *after, uint32_t bits)
{
    assert_int_equal(zlay_layout_parse(ctx, &t->before, before, strlen(before)), ZLAY_OK);
    assert_int_equal(zlay_layout_parse(ctx, &t->after, after, strlen(after)), ZLAY_OK);
    t->r = (zlay_show_swizzle_request){.size = sizeof t->r, .elem_bits = bits, .before = t->before, .after = t->after};
}

static void close_tile(tile *t)
{
    zlay_layout_free(t->before);
    zlay_layout_free(t->after);
}

/* The box over an element, whose tip says the column at which its elements begin. */
static bool box_over(zlay_box *out, unsigned *begin, const zlay_picture *p, uint64_t panel, uint64_t row, uint64_t column,
                     uint32_t width)
{
    bool found = false;
    zlay_box box;
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, p, panel, i); i++) {
        unsigned r, c;
        assert_int_equal(sscanf(box.tip, "(%u,%u)", &r, &c), 2);
        if (r != row || column < c || column >= c + box.width * width) continue;
        assert_false(found);
        assert_int_equal(box.row, row);
        *out = box;
        *begin = c;
        found = true;
    }
    return found;
}

static void panel_is_right(const zlay_picture *p, uint64_t n, const zlay_layout *layout, const zlay_show_swizzle_request *r,
                           uint64_t rows)
{
    zlay_panel panel;
    uint64_t columns = zlay_layout_size(layout) / rows;
    uint32_t banks = r->banks ? r->banks : 32;
    assert_int_equal(zlay_picture_panel_nth(&panel, p, n), ZLAY_OK);
    assert_int_equal(panel.rows, rows);
    uint32_t width = (uint32_t)columns / panel.columns;
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t c = 0; c < columns; c++) {
            int64_t value = -1;
            zlay_box box;
            unsigned begin, first, last;
            bool there = !zlay_layout_eval(&value, 1, layout, row + rows * c);
            assert_int_equal(box_over(&box, &begin, p, n, row, c, width), there);
            if (!there) continue;
            if (r->values) {
                assert_int_equal(strtoll(box.label, NULL, 10) + (int64_t)(c - begin), value);
                continue;
            }
            uint64_t bits = (uint64_t)value * r->elem_bits, low = bits / 32 % banks,
                     high = (bits + r->elem_bits - 1) / 32 % banks;
            int read = sscanf(box.label, "%u-%u", &first, &last);
            if (read == 1) last = first;
            assert_true(read >= 1 && first <= low && low <= high && high <= last && last < banks);
            assert_true(last - first < 4 && box.shade == (int32_t)(first * 16 / banks));
        }
}

static const struct {
    const char *before, *after;
    uint64_t rows;
    uint32_t bits, banks, wide; /* elements of a column */
} tiles[] = {
    {"(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", 8, 16, 0, 8},
    {"(8,32):(32,1)", "(8,32):(33,1)", 8, 32, 0, 1},
    {"(8,32):(32,1)", "Sw<2,2,3> o 0 o (8,32):(32,1)", 8, 32, 64, 4},
    {"(4,32):(32,1)", "Sw<2,3,3> o 0 o (4,32):(32,1)", 4, 16, 0, 8},
    {"(4,16):(16,1)", "(4,16):(20,1)", 4, 32, 0, 4},
    {"(4,16):(16,1)", "(4,16):(18,1)", 4, 32, 0, 2},
    {"(8,8):(1,8)", "(8,8):(8,1)", 8, 16, 0, 1},
    {"(4,64):(64,1)", "Sw<2,4,2> o 0 o (4,64):(64,1)", 4, 8, 0, 16},
    {"(4,8):(8,1)", "(4,8):(9,1)", 4, 128, 0, 1},
    {"(4,8):(8,1)", "(4,8):(9,1)", 4, 16, 0, 1},
    {"64:1", "Sw<2,0,3> o 0 o 64:1", 1, 32, 0, 1},
    {"(4,(4,8)):(32,(1,4))", "(4,(4,8)):(36,(1,4))", 4, 16, 0, 4},
};

static void every_element_has_its_bank(void **state)
{
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++)
        for (uint32_t values = 0; values < 2; values++) {
            tile t;
            zlay_panel panel;
            zlay_picture *picture = NULL;
            open_tile(*state, &t, tiles[i].before, tiles[i].after, tiles[i].bits);
            t.r.banks = tiles[i].banks;
            t.r.values = values;
            assert_int_equal(zlay_show_swizzle(*state, &picture, &t.r), ZLAY_OK);
            assert_int_equal(zlay_picture_panel_nth(&panel, picture, 1), ZLAY_OK);
            assert_int_equal(panel.columns * tiles[i].wide, zlay_layout_size(t.before) / tiles[i].rows);
            panel_is_right(picture, 0, t.before, &t.r, tiles[i].rows);
            panel_is_right(picture, 1, t.after, &t.r, tiles[i].rows);
            assert_int_equal(zlay_picture_panel_nth(&panel, picture, 2), ZLAY_NONE);
            zlay_picture_free(picture);
            close_tile(&t);
        }
}

static void misuse(void **state)
{
    tile t, other;
    zlay_picture *picture = NULL;
    open_tile(*state, &t, "(8,64):(64,1)", "(8,64):(1,8)", 16);
    open_tile(*state, &other, "(4,4):(4,1)", "(4,4):(-1,4)", 16);
    const zlay_show_swizzle_request good = t.r;
#define REFUSES(status)                                                                            \
    assert_int_equal(zlay_show_swizzle(*state, &picture, &t.r), status), assert_null(picture), t.r = good
    t.r.elem_bits = 0, REFUSES(ZLAY_EINVAL);
    t.r.elem_bits = 24, REFUSES(ZLAY_EINVAL);
    t.r.elem_bits = 256, REFUSES(ZLAY_EINVAL);
    t.r.banks = 33, REFUSES(ZLAY_EINVAL);
    t.r.banks = 128, REFUSES(ZLAY_EINVAL);
    t.r.values = 2, REFUSES(ZLAY_EINVAL);
    t.r.before = NULL, REFUSES(ZLAY_EINVAL);
    t.r.after = NULL, REFUSES(ZLAY_EINVAL);
    t.r.after = other.after, REFUSES(ZLAY_EINVAL);
    t.r.before = other.before, t.r.after = other.after, REFUSES(ZLAY_EINVAL);
    t.r.reserved[1] = 1, REFUSES(ZLAY_EINVAL);
#undef REFUSES
    assert_int_equal(zlay_show_swizzle(NULL, &picture, &t.r), ZLAY_EINVAL);
    assert_int_equal(zlay_show_swizzle(*state, NULL, &t.r), ZLAY_EINVAL);
    assert_int_equal(zlay_show_swizzle(*state, &picture, NULL), ZLAY_EINVAL);
    close_tile(&t);
    close_tile(&other);
}

static zlay_status one(zlay_ctx *ctx, void *given)
{
    zlay_picture *picture = NULL;
    zlay_status status = zlay_show_swizzle(ctx, &picture, given);
    zlay_picture_free(picture);
    return status;
}

static void limits_and_memory(void **state)
{
    tile t;
    heap h;
    zlay_limits limits = {.size = sizeof limits, .points = 511};
    zlay_ctx *few = NULL, *ctx = heap_open(&h, NULL);
    open_tile(*state, &t, "(8,64):(64,1)", "Sw<3,3,3> o 0 o (8,64):(64,1)", 16);
    assert_int_equal(zlay_ctx_new(&few, NULL, &limits), ZLAY_OK);
    assert_int_equal(one(few, &t.r), ZLAY_ELIMIT);
    zlay_ctx_free(few);
    assert_int_equal(heap_fails_each(&h, ctx, one, &t.r), ZLAY_OK);
    assert_true(h.calls > 3);
    heap_close(&h, ctx);
    close_tile(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_element_has_its_bank),
        cmocka_unit_test(misuse),
        cmocka_unit_test(limits_and_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
