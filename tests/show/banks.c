/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of accesses to shared memory, against a count of the words that lanes ask of each bank. */
#include "ctx.h"
#include "heap.h"

#include <stdbool.h>

enum { LANES = ZLAY_BANK_LANES, WORD = 4, COLUMNS = 64, ROWS = 64, ADDRESSES = 2 * LANES };

typedef struct access {
    const zlay_target *target;
    zlay_bank_access info;
    uint32_t address[ADDRESSES];
} access;

static void open_access(access *a, const char *target, const char *name)
{
    int32_t number;
    assert_int_equal(zlay_target_find(&a->target, target, strlen(target)), ZLAY_OK);
    assert_int_equal(zlay_bank_find(&number, name, strlen(name)), ZLAY_OK);
    assert_int_equal(zlay_bank_info(&a->info, a->target, number), ZLAY_OK);
}

static zlay_status show(zlay_ctx *ctx, zlay_picture **out, const access *a)
{
    return zlay_show_banks(ctx, out, a->target, a->info.number, a->address,
                           (size_t)a->info.lanes * a->info.parts);
}

/* ---- by hand ----------------------------------------------------------------------------------- */

/* Lane l at 8 l: lanes l and l + 16 ask for two words of bank 2 l. */
static void the_example_of_the_header(void **state)
{
    access a;
    zlay_picture *picture = NULL;
    zlay_panel panel;
    zlay_box box;
    open_access(&a, "sm_90a", "ld.shared.b32");
    for (uint32_t l = 0; l < 32; l++) a.address[l] = 8 * l;
    assert_int_equal(show(*state, &picture, &a), ZLAY_OK);
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 0), ZLAY_OK);
    assert_int_equal(panel.columns, 32);
    assert_int_equal(panel.rows, 2);
    assert_int_equal(panel.boxes, 32);
    for (uint32_t l = 0; l < 32; l++) {
        char label[8];
        assert_int_equal(zlay_picture_box_nth(&box, picture, 0, l), ZLAY_OK);
        snprintf(label, sizeof label, "%u", (unsigned)l);
        assert_string_equal(box.label, label);
        assert_int_equal(box.column, 2 * (l % 16));
        assert_int_equal(box.row, l / 16);
        assert_int_equal(box.step, l / 16);
        assert_int_equal(box.marked, 1);
    }
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, 1), ZLAY_NONE);
    zlay_picture_free(picture);
}

static void lanes_of_one_word(void **state)
{
    access a;
    zlay_picture *picture = NULL;
    zlay_box box;
    open_access(&a, "sm_90a", "ld.shared.b32");
    for (uint32_t l = 0; l < 32; l++) a.address[l] = l < 8 ? 0 : l % 2 ? 4 : 8;
    assert_int_equal(show(*state, &picture, &a), ZLAY_OK);
    assert_int_equal(zlay_picture_box_nth(&box, picture, 0, 0), ZLAY_OK);
    assert_string_equal(box.label, "0-7");
    assert_int_equal(box.marked, 0);
    assert_int_equal(zlay_picture_box_nth(&box, picture, 0, 1), ZLAY_OK);
    assert_string_equal(box.label, "8+11");
    assert_string_equal(box.tip, "4 bytes at 0x8: lanes 8,10,12,14,16,18,20,22,24,26,28,30");
    zlay_picture_free(picture);
}

/* ---- by count ------------------------------------------------------------------------------------ */

/* Lanes of a tip, "16 bytes at 0x40: lanes 0-3,8". */
static uint64_t lanes_of(const char *tip, unsigned *bytes, unsigned *address)
{
    uint64_t lanes = 0;
    const char *at = strstr(tip, "lanes ");
    assert_int_equal(sscanf(tip, "%u bytes at 0x%x", bytes, address), 2);
    assert_non_null(at);
    for (at += strlen("lanes "); *at; at += *at == ',') {
        char *end;
        unsigned long first = strtoul(at, &end, 10), last = first;
        if (*end == '-') last = strtoul(end + 1, &end, 10);
        for (unsigned long l = first; l <= last; l++) lanes |= (uint64_t)1 << l;
        at = end;
    }
    return lanes;
}

/* Whether lanes of one word are served one by one, as copies and atomics are. */
static bool alone(const access *a)
{
    return strstr(a->info.name, "cp.async") || strstr(a->info.name, "atom.") || !strncmp(a->info.name, "red.", 4);
}

/* Of a panel: no bank serves two words at once; a box is marked where its banks serve others too; each lane has each of
 * its words once, and lanes of one word are together. Returns the rows. */
static uint32_t panel_is_right(const access *a, const zlay_picture *picture, uint64_t n, uint64_t lanes,
                               const uint32_t *address, uint32_t before)
{
    static uint8_t taken[ROWS][COLUMNS], words[LANES][LANES];
    uint32_t asked[COLUMNS] = {0};
    zlay_panel panel;
    zlay_box box;
    memset(taken, 0, sizeof taken);
    memset(words, 0, sizeof words);
    assert_int_equal(zlay_picture_panel_nth(&panel, picture, n), ZLAY_OK);
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, picture, n, i); i++) asked[box.column]++;
    for (uint64_t i = 0; !zlay_picture_box_nth(&box, picture, n, i); i++) {
        unsigned bytes, first;
        uint64_t own = lanes_of(box.tip, &bytes, &first), want = 0;
        uint32_t banks = panel.columns * bytes / WORD;
        assert_int_equal(taken[box.row][box.column]++, 0);
        assert_int_equal(box.marked, asked[box.column] > 1);
        assert_int_equal(box.step, before + box.row);
        assert_int_equal(first / WORD % banks, box.column * bytes / WORD);
        for (uint32_t l = 0; l < a->info.lanes; l++) {
            bool in = lanes >> l & 1 && address[l] / WORD * WORD < first + bytes && address[l] + a->info.bytes > first;
            want |= (uint64_t)in << l;
            for (uint32_t b = first; own >> l & 1 && b < first + bytes; b += WORD)
                if (b + WORD > address[l] && b < address[l] + a->info.bytes) words[l][(b - address[l] / WORD * WORD) / WORD]++;
        }
        if (alone(a)) assert_true((own & want) == own && !(own & (own - 1)));
        else if (own != want) fail_msg("%s on %s: %s", a->info.name, zlay_target_name(a->target), box.tip);
    }
    for (uint32_t l = 0; l < a->info.lanes; l++)
        for (uint32_t w = 0; lanes >> l & 1 && w < (a->info.bytes + WORD - 1) / WORD; w++)
            assert_int_equal(words[l][w], 1);
    return panel.rows;
}

static void picture_is_right(zlay_ctx *ctx, const access *a)
{
    zlay_bank bank;
    zlay_picture *picture = NULL;
    zlay_panel panel;
    uint32_t rows = 0, half;
    uint64_t panels = 0, active = 0;
    size_t count = (size_t)a->info.lanes * a->info.parts;
    assert_int_equal(zlay_bank_conflicts(&bank, a->target, a->info.number, a->address, count), ZLAY_OK);
    for (uint32_t p = 0; p < bank.phases; p++) active |= bank.phase[p];
    zlay_status status = show(ctx, &picture, a);
    if (!active) {
        assert_int_equal(status, ZLAY_EINVAL);
        return;
    }
    assert_int_equal(status, ZLAY_OK);
    half = bank.phases / a->info.parts;
    for (; !zlay_picture_panel_nth(&panel, picture, panels); panels++) {
        assert_true(panels < bank.phases);
        rows += panel_is_right(a, picture, panels, bank.phase[panels],
                               a->address + (panels < half ? 0 : (a->info.parts - 1) * a->info.lanes), rows);
    }
    assert_int_equal(panels, bank.phases);
    assert_int_equal(rows, bank.wavefronts);
    zlay_picture_free(picture);
}

static void draw(access *a, uint64_t *seed)
{
    uint32_t span = 1u << test_range(seed, 3, 12), off = (uint32_t)test_range(seed, 0, 3);
    for (uint32_t p = 0; p < a->info.parts; p++)
        for (uint32_t l = 0; l < a->info.lanes; l++) {
            uint32_t *to = &a->address[p * a->info.lanes + l];
            *to = (uint32_t)(test_random(seed) % span) * a->info.align;
            if (off == 3 && l % 3 == 1 && !strstr(a->info.name, "matrix")) *to = ZLAY_BANK_INACTIVE;
            if (a->info.rows < a->info.lanes && l >= a->info.rows) *to = ZLAY_BANK_INACTIVE;
            if (a->info.rows < a->info.lanes && l < a->info.rows && *to == ZLAY_BANK_INACTIVE) *to = 0;
        }
}

static void every_access_of_every_target(void **state)
{
    static const char *const targets[] = {"sm_80", "sm_90a", "sm_100a", "gfx942", "gfx950"};
    uint64_t seed = test_seed("show.banks"), shown = 0;
    for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
        for (size_t i = 0; i < zlay_bank_count(); i++) {
            access a;
            int32_t number;
            assert_int_equal(zlay_target_find(&a.target, targets[t], strlen(targets[t])), ZLAY_OK);
            assert_int_equal(zlay_bank_nth(&number, i), ZLAY_OK);
            if (zlay_bank_info(&a.info, a.target, number) || !a.info.source) continue;
            for (uint64_t n = 0; n < test_cases(12); n++, shown++) {
                draw(&a, &seed);
                picture_is_right(*state, &a);
            }
        }
    assert_true(shown > 200);
}

/* ---- misuse -------------------------------------------------------------------------------------- */

static void misuse(void **state)
{
    access a;
    zlay_picture *picture = NULL;
    open_access(&a, "sm_90a", "ld.shared.b32");
    for (uint32_t l = 0; l < 32; l++) a.address[l] = 4 * l;
    assert_int_equal(zlay_show_banks(NULL, &picture, a.target, a.info.number, a.address, 32), ZLAY_EINVAL);
    assert_int_equal(zlay_show_banks(*state, NULL, a.target, a.info.number, a.address, 32), ZLAY_EINVAL);
    assert_int_equal(zlay_show_banks(*state, &picture, NULL, a.info.number, a.address, 32), ZLAY_EINVAL);
    assert_int_equal(zlay_show_banks(*state, &picture, a.target, a.info.number, NULL, 32), ZLAY_EINVAL);
    assert_int_equal(zlay_show_banks(*state, &picture, a.target, -1, a.address, 32), ZLAY_EINVAL);
    assert_int_equal(zlay_show_banks(*state, &picture, a.target, a.info.number, a.address, 31), ZLAY_EINVAL);
    a.address[7] = 2;
    assert_int_equal(show(*state, &picture, &a), ZLAY_EINVAL);
    assert_null(picture);
}

/* An access of the target whose phases nobody has measured. */
static void an_access_that_is_not_known(void **state)
{
    access a;
    zlay_picture *picture = NULL;
    open_access(&a, "sm_100a", "ld.shared.v4.b32");
    for (uint32_t l = 0; l < 32; l++) a.address[l] = 16 * l;
    assert_int_equal(show(*state, &picture, &a), ZLAY_ENOTSUP);
    assert_non_null(strstr(zlay_ctx_message(*state), "not known"));
    assert_null(picture);
}

static zlay_status one(zlay_ctx *ctx, void *given)
{
    zlay_picture *picture = NULL;
    zlay_status status = show(ctx, &picture, given);
    zlay_picture_free(picture);
    return status;
}

static void limits_and_memory(void **state)
{
    access a;
    heap h;
    zlay_limits limits = {.size = sizeof limits, .points = 31};
    zlay_ctx *few = NULL, *ctx = heap_open(&h, NULL);
    (void)state;
    open_access(&a, "sm_90a", "ld.shared.b32");
    for (uint32_t l = 0; l < 32; l++) a.address[l] = 4 * l;
    assert_int_equal(zlay_ctx_new(&few, NULL, &limits), ZLAY_OK);
    assert_int_equal(one(few, &a), ZLAY_ELIMIT);
    zlay_ctx_free(few);
    assert_int_equal(heap_fails_each(&h, ctx, one, &a), ZLAY_OK);
    assert_true(h.calls > 3);
    heap_close(&h, ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_header),    cmocka_unit_test(lanes_of_one_word),
        cmocka_unit_test(every_access_of_every_target), cmocka_unit_test(misuse),
        cmocka_unit_test(an_access_that_is_not_known),  cmocka_unit_test(limits_and_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
