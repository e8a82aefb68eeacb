/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix descriptors and instructions: packed and unpacked against the shifts that a kernel
 * generator writes by hand and that check nothing, decided against a hand-written predicate. */
#include "bench.h"

#include <string.h>

enum { COUNT = 4096 };

typedef struct state {
    const zlay_target *target;
    zlay_smemdesc fields[COUNT];
    uint64_t desc[COUNT];
    zlay_mma mma[COUNT];
    bool legal[COUNT];
} state;

/* Layout codes 0 none, 1 128B, 2 64B, 3 32B (PTX ISA 9.1, Matrix Descriptor Format). */
static uint64_t by_hand(const zlay_smemdesc *f)
{
    static const uint64_t code[] = {0, 3, 2, 1};
    return (uint64_t)(f->start >> 4 & 0x3fff) | (uint64_t)(f->lbo >> 4 & 0x3fff) << 16 |
           (uint64_t)(f->sbo >> 4 & 0x3fff) << 32 | (uint64_t)(f->base_offset & 7) << 49 |
           code[f->swizzle & 3] << 62;
}

static bool pack_work(void *value)
{
    state *s = value;
    uint64_t wrong = 0;
    for (int i = 0; i < COUNT; i++) {
        uint64_t desc = 0;
        wrong |=
            (uint64_t)zlay_smemdesc_pack(&desc, s->target, &s->fields[i]) | (desc ^ s->desc[i]);
    }
    return !wrong;
}

static bool pack_by_hand(void *value)
{
    state *s = value;
    uint64_t wrong = 0;
    for (int i = 0; i < COUNT; i++) wrong |= by_hand(&s->fields[i]) ^ s->desc[i];
    return !wrong;
}

static bool unpack_work(void *value)
{
    state *s = value;
    bool right = true;
    for (int i = 0; i < COUNT; i++) {
        zlay_smemdesc f;
        right &= zlay_smemdesc_unpack(&f, s->target, s->desc[i]) == ZLAY_OK &&
                 f.start == s->fields[i].start && f.sbo == s->fields[i].sbo &&
                 f.swizzle == s->fields[i].swizzle;
    }
    return right;
}

static bool unpack_by_hand(void *value)
{
    static const int32_t swizzle[] = {0, 3, 2, 1};
    state *s = value;
    bool right = true;
    for (int i = 0; i < COUNT; i++) {
        uint64_t d = s->desc[i];
        zlay_smemdesc f = {.start = (uint32_t)(d & 0x3fff) << 4,
                           .lbo = (uint32_t)(d >> 16 & 0x3fff) << 4,
                           .sbo = (uint32_t)(d >> 32 & 0x3fff) << 4,
                           .base_offset = d >> 49 & 7,
                           .swizzle = swizzle[d >> 62]};
        right &= f.start == s->fields[i].start && f.sbo == s->fields[i].sbo &&
                 f.swizzle == s->fields[i].swizzle;
    }
    return right;
}

static bool check_work(void *value)
{
    state *s = value;
    bool right = true;
    for (int i = 0; i < COUNT; i++) {
        zlay_verdict v;
        right &= zlay_mma_check(&v, NULL, 0, s->target, &s->mma[i]) == ZLAY_OK &&
                 (v.answer == ZLAY_YES) == s->legal[i];
    }
    return right;
}

static void draw(state *s)
{
    uint64_t seed = 77;
    memset(s, 0, sizeof *s);
    zlay_target_find(&s->target, "sm_90a", 6);
    for (int i = 0; i < COUNT; i++) {
        s->fields[i] = (zlay_smemdesc){.start = (uint32_t)(bench_drawn(&seed) & 0x3fff) << 4,
                                       .lbo = (uint32_t)(bench_drawn(&seed) & 0x3fff) << 4,
                                       .sbo = (uint32_t)(bench_drawn(&seed) & 0x3fff) << 4,
                                       .base_offset = bench_drawn(&seed) & 7,
                                       .swizzle = (int32_t)(bench_drawn(&seed) & 3)};
        s->desc[i] = by_hand(&s->fields[i]);
        uint32_t n = 4 * (uint32_t)(bench_drawn(&seed) % 68);
        s->mma[i] = (zlay_mma){
            .m = 64, .n = n, .k = 16, .a = ZLAY_TYPE_BF16, .b = ZLAY_TYPE_BF16, .d = ZLAY_TYPE_F32};
        s->legal[i] = n % 8 == 0 && n >= 8 && n <= 256;
    }
}

/* ---- what a layout is ------------------------------------------------------------------- */

typedef struct tile {
    zlay_ctx *ctx;
    const zlay_target *target;
    zlay_layout *layout;
    int32_t swizzle;
} tile;

static bool synth_work(void *value)
{
    tile *t = value;
    zlay_smemdesc fields;
    uint32_t start[64];
    size_t count;
    zlay_smemdesc_request r = {.size = sizeof r, .type = ZLAY_TYPE_BF16, .swizzle = t->swizzle,
                               .mma_mn = 64, .mma_k = 16, .address = 1024, .layout = t->layout};
    return !zlay_smemdesc_synth(t->ctx, &fields, start, 64, &count, t->target, &r) &&
           fields.swizzle == ZLAY_SWIZZLE_128B && fields.sbo == 1024;
}

static bool fragment_work(void *value)
{
    tile *t = value;
    zlay_fragment found[4];
    size_t count;
    zlay_fragment_request r = {.size = sizeof r, .layout = t->layout};
    return !zlay_fragment_synth(t->ctx, found, 4, &count, &r) && count == 1;
}

/* Every point of the layout, which whoever compares it has to read. */
static bool points_by_hand(void *value)
{
    tile *t = value;
    int64_t offset, sum = 0;
    uint64_t size = zlay_layout_size(t->layout);
    for (uint64_t i = 0; i < size; i++) {
        if (zlay_layout_eval(&offset, 1, t->layout, i)) return false;
        sum |= offset;
    }
    return sum > 0;
}

static bool tiles(zlay_ctx *ctx, const zlay_target *target, bool json)
{
    static const struct {
        const char *name, *text;
        int32_t swizzle;
        bench_work *work;
    } rows[] = {
        {"descriptors of a 64 x 64 tile", "(64,64):(64,1)", ZLAY_SWIZZLE_128B, synth_work},
        {"the same, its swizzle found", "Sw<3,3,3> o 0 o (64,64):(64,1)", ZLAY_SWIZZLE_FIND,
         synth_work},
        {"256 x 64, its swizzle found", "Sw<3,3,3> o 0 o (256,64):(64,1)", ZLAY_SWIZZLE_FIND,
         synth_work},
        {"D of wgmma, 64 x 64, found", "((4,8,4),(2,2,8)):((128,1,16),(64,8,512))", 0,
         fragment_work},
        {"D of wgmma, 64 x 256, found", "((4,8,4),(2,2,32)):((128,1,16),(64,8,512))", 0,
         fragment_work},
    };
    bool right = true;
    for (size_t i = 0; right && i < sizeof rows / sizeof *rows; i++) {
        tile t = {.ctx = ctx, .target = target, .swizzle = rows[i].swizzle};
        right = !zlay_layout_parse(ctx, &t.layout, rows[i].text, strlen(rows[i].text));
        bench_row row = {rows[i].name, "its points read once", rows[i].work, points_by_hand, &t};
        right = right && bench_print(&row, json);
        zlay_layout_free(t.layout);
    }
    return right;
}

bool bench_matrix(zlay_ctx *ctx, bool json)
{
    static state s;
    draw(&s);
    return tiles(ctx, s.target, json) && bench_each("pack a matrix descriptor", "a budget of 10 ns", pack_work, NULL, 10, COUNT, &s,
                      json) &&
           bench_each("pack a matrix descriptor", "shifts, unchecked", pack_work, pack_by_hand, 0,
                       COUNT, &s, json) &&
           bench_each("unpack a matrix descriptor", "a budget of 10 ns", unpack_work, NULL, 10, COUNT, &s,
                      json) &&
           bench_each("unpack a matrix descriptor", "shifts", unpack_work, unpack_by_hand, 0, COUNT, &s,
                      json) &&
           bench_each("mma.check of a wgmma, verdict alone", "a budget of 100 ns", check_work,
                       NULL, 100, COUNT, &s, json);
}
