/* SPDX-License-Identifier: Apache-2.0 */
#define _POSIX_C_SOURCE 200809L
/* Buffer resources and operands of s_waitcnt: bits against the tables written here, accesses against what two sources say, words
 * against those that kernels have and llvm-mc-22 writes. */
#include "legality.h"

#include <stdlib.h>
#include <unistd.h>

static const char *const targets[] = {"gfx90a", "gfx942", "gfx950", "gfx1250"};
enum { TARGETS = 4, GFX1250 = 3 };

static zlay_buffer_words pack(const char *on, const zlay_buffer *b)
{
    zlay_buffer_words w = {{0}};
    assert_int_equal(zlay_buffer_pack(&w, target_of(on), b), ZLAY_OK);
    return w;
}

static zlay_buffer_reach reach(const char *on, const zlay_buffer *b, zlay_buffer_access a)
{
    zlay_buffer_reach r;
    assert_int_equal(zlay_buffer_reaches(&r, target_of(on), b, &a), ZLAY_OK);
    assert_true((r.answer == ZLAY_UNDECIDED) == (r.source == NULL) && (r.gap != NULL) == (r.source == NULL));
    return r;
}

/* ---- the example of the header ------------------------------------------------------------- */

static void the_header_says(void **state)
{
    (void)state;
    zlay_buffer b = {.base = 0x7f0012345600, .records = 4096, .data_format = 4};
    zlay_buffer_words w = pack("gfx942", &b);
    assert_true(w.word[3] == 0x00020000 && w.word[2] == 0x1000 && w.word[1] == 0x7f00 && w.word[0] == 0x12345600);
    zlay_buffer_reach in = reach("gfx942", &b, (zlay_buffer_access){.offset = 4080, .bytes = 16});
    assert_true(in.answer == ZLAY_YES && in.address == b.base + 4080);
    assert_int_equal(reach("gfx942", &b, (zlay_buffer_access){.offset = 4096, .bytes = 16}).answer, ZLAY_NO);
    assert_int_equal(reach("gfx942", &b, (zlay_buffer_access){.offset = 4088, .bytes = 16}).answer, ZLAY_UNDECIDED);
    zlay_buffer_reach soffset = reach("gfx942", &b, (zlay_buffer_access){.offset = 4080, .soffset = 32, .bytes = 16});
    assert_true(soffset.answer == ZLAY_UNDECIDED && strstr(soffset.gap, "gem5") && strstr(soffset.gap, "LLVM"));
}

/* Word 3 is CK's and the other words are 0; of gfx1250 all are. */
static void a_raw_buffer_is_cks(void **state)
{
    (void)state;
    zlay_buffer b;
    for (int t = 0; t < TARGETS; t++) {
        assert_int_equal(zlay_buffer_raw(&b, target_of(targets[t])), ZLAY_OK);
        zlay_buffer_words w = pack(targets[t], &b);
        assert_true(!w.word[0] && !w.word[1] && !w.word[2]);
        assert_int_equal(w.word[3], t == GFX1250 ? 0 : 0x00020000);
    }
    assert_int_equal(zlay_buffer_raw(&b, target_of("sm_90a")), ZLAY_ENOTSUP);
    assert_int_equal(zlay_buffer_raw(NULL, target_of("gfx942")), ZLAY_EINVAL);
    assert_int_equal(zlay_buffer_raw(&b, NULL), ZLAY_EINVAL);
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* Bit by bit, as Triton, TensileLite and gem5 have the older form and LLVM the newer one: a letter a field, from bit 0. */
static const char *const letters[2] = {
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" "bbbbbbbbbbbbbbbbssssssssssssssCz" "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr" "ddddddddddddnnnffffuuiiaoooOootT",
    "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb" "bbbbbbbbbbbbbbbbbbbbbbbbbrrrrrrr" "rrrrrrrrrrrrrrrrrrrrrrrrrrrrrrrr" "rrrrrrooooooSSSSSSSSSSSSSSSSgggg"};

static uint64_t lettered(const zlay_buffer *b, char letter)
{
    switch (letter) {
    case 'b': return b->base;
    case 's':
    case 'S': return b->stride;
    case 'C': return b->cache_swizzle;
    case 'z': return b->swizzle;
    case 'r': return b->records;
    case 'd': return b->dst_sel;
    case 'n': return b->num_format;
    case 'f': return b->data_format;
    case 'u': return b->user_vm;
    case 'i': return b->index_stride;
    case 'a': return b->add_tid;
    case 'O': return b->nv;
    case 't':
    case 'T': return b->type;
    case 'g': return b->flags;
    default: return b->other;
    }
}

/* A bit alone goes to the field of its letter, to the place that it has among the bits of that letter, and comes back. */
static void each_bit_has_its_field(void **state)
{
    (void)state;
    for (int t = 0; t < TARGETS; t++)
        for (uint32_t bit = 0; bit < 128; bit++) {
            const char *all = letters[t == GFX1250];
            char letter = all[bit];
            zlay_buffer b;
            zlay_buffer_words w = {{0}};
            w.word[bit / 32] = 1u << bit % 32;
            assert_int_equal(zlay_buffer_unpack(&b, target_of(targets[t]), &w), ZLAY_OK);
            uint32_t place = letter == 'o' ? bit - 96 : letter == 'T' ? 1 : bit - (uint32_t)(strchr(all, letter) - all);
            if (lettered(&b, letter) != 1ull << place) fail_msg("%s: bit %u is not bit %u of %c", targets[t], bit, place, letter);
            zlay_buffer_words again = pack(targets[t], &b);
            assert_memory_equal(&again, &w, sizeof w);
        }
}

static void any_bits_come_back(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/buffer/buffer");
    for (uint64_t n = 0; n < test_iterations(20000); n++) {
        const char *on = targets[n % TARGETS];
        zlay_buffer b;
        zlay_buffer_words w;
        for (int i = 0; i < 4; i++) w.word[i] = (uint32_t)test_random(&seed);
        assert_int_equal(zlay_buffer_unpack(&b, target_of(on), &w), ZLAY_OK);
        zlay_buffer_words again = pack(on, &b);
        assert_memory_equal(&again, &w, sizeof w);
        zlay_verdict v;
        assert_int_equal(zlay_buffer_check(&v, NULL, 0, target_of(on), &b), ZLAY_OK);
        assert_int_equal(v.answer, b.type || b.other ? ZLAY_NO : ZLAY_YES);
    }
}

/* Word 3 as published kernels write it. */
static void words_of_kernels(void **state)
{
    (void)state;
    zlay_buffer ck = {.data_format = 4}, triton = {.num_format = 7, .data_format = 4}, kittens = {.data_format = 2, .user_vm = 2};
    assert_int_equal(pack("gfx950", &ck).word[3], 0x00020000);
    assert_int_equal(pack("gfx950", &triton).word[3], 0x00027000);
    assert_int_equal(pack("gfx950", &kittens).word[3], 0x00110000);
    zlay_buffer newer = {.base = 0x123456789abcde, .records = 0x100000001, .stride = 0x1234, .flags = 5};
    zlay_buffer_words w = pack("gfx1250", &newer);
    uint64_t low = newer.base | newer.records << 57, high = newer.records >> 7 | (uint64_t)newer.stride << 44 | (uint64_t)newer.flags << 60;
    assert_true(w.word[0] == (uint32_t)low && w.word[1] == low >> 32 && w.word[2] == (uint32_t)high && w.word[3] == high >> 32);
}

/* ---- rules ---------------------------------------------------------------------------------- */

typedef struct edge {
    const char *on, *rule;
    zlay_buffer holds, breaks;
    bool noted;
} edge;

static const edge edges[] = {
    {"gfx942", "BUF_BASE", {.base = (1ull << 48) - 1}, {.base = 1ull << 48}, false},
    {"gfx1250", "BUF_BASE", {.base = (1ull << 57) - 1}, {.base = 1ull << 57}, false},
    {"gfx942", "BUF_RECORDS", {.records = UINT32_MAX, .stride = 4}, {.records = 1ull << 32}, false},
    {"gfx1250", "BUF_RECORDS", {.records = (1ull << 45) - 1, .stride = 4}, {.records = 1ull << 45}, false},
    {"gfx942", "BUF_STRIDE", {.stride = 16383}, {.stride = 16384}, false},
    {"gfx1250", "BUF_STRIDE", {.stride = 65535}, {.stride = 65536}, false},
    {"gfx942", "BUF_SWIZZLE", {.swizzle = 1}, {.swizzle = 2}, false},
    {"gfx90a", "BUF_CACHE_SWIZZLE", {.cache_swizzle = 1}, {.cache_swizzle = 2}, false},
    {"gfx942", "BUF_INDEX_STRIDE", {.index_stride = 3}, {.index_stride = 4}, false},
    {"gfx942", "BUF_ADD_TID", {.add_tid = 1}, {.add_tid = 2}, false},
    {"gfx942", "BUF_DST_SEL", {.dst_sel = 4095}, {.dst_sel = 4096}, false},
    {"gfx942", "BUF_NUM_FORMAT", {.num_format = 7}, {.num_format = 8}, false},
    {"gfx942", "BUF_DATA_FORMAT", {.data_format = 15}, {.data_format = 16}, false},
    {"gfx942", "BUF_USER_VM", {.user_vm = 3}, {.user_vm = 4}, false},
    {"gfx942", "BUF_NV", {.nv = 1}, {.nv = 2}, false},
    {"gfx1250", "BUF_FLAGS", {.flags = 15}, {.flags = 16}, false},
    {"gfx942", "BUF_FLAGS", {.flags = 0}, {.flags = 1}, false},
    {"gfx1250", "BUF_SWIZZLE", {.swizzle = 0}, {.swizzle = 1}, false},
    {"gfx942", "BUF_TYPE", {.type = 0}, {.type = 1}, false},
    {"gfx942", "BUF_OTHER", {.other = 0}, {.other = 1u << 24}, false},
    {"gfx942", "BUF_STRIDE15", {.cache_swizzle = 0}, {.cache_swizzle = 1}, true},
    {"gfx90a", "BUF_WORD3", {.num_format = 1}, {.records = 64}, true},
    {"gfx950", "BUF_WORD3", {.data_format = 4}, {.base = 1 << 20, .dst_sel = 0}, true},
    {"gfx942", "BUF_SENTINEL", {.records = 0x7fffffff}, {.records = 0x80000000}, true},
};

static void rules_at_their_bounds(void **state)
{
    (void)state;
    zlay_verdict v;
    zlay_reason r[8];
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        const edge *e = &edges[i];
        int32_t number = rule_number(e->rule);
        assert_int_equal(zlay_buffer_check(&v, r, 8, target_of(e->on), &e->holds), ZLAY_OK);
        if (v.answer != ZLAY_YES || reason_of(r, &v, number, -2)) fail_msg("%s is broken", e->rule);
        assert_int_equal(zlay_buffer_check(&v, r, 8, target_of(e->on), &e->breaks), ZLAY_OK);
        if (!reason_of(r, &v, number, -2)) fail_msg("%s holds", e->rule);
        assert_int_equal(v.answer, e->noted ? ZLAY_YES : ZLAY_NO);
        zlay_buffer_words w;
        zlay_status packs = e->noted || e->breaks.type || e->breaks.other ? ZLAY_OK : ZLAY_EINVAL;
        assert_int_equal(zlay_buffer_pack(&w, target_of(e->on), &e->breaks), packs);
    }
    zlay_buffer plain = {.records = 1};
    assert_int_equal(zlay_buffer_check(&v, r, 8, target_of("sm_90a"), &plain), ZLAY_OK);
    assert_true(v.answer == ZLAY_NO && v.reasons == 1 && r[0].rule == rule_number("BUF_TARGET"));
    zlay_buffer_words w;
    assert_int_equal(zlay_buffer_pack(&w, target_of("sm_90a"), &plain), ZLAY_ENOTSUP);
    assert_int_equal(zlay_buffer_unpack(&plain, target_of("sm_90a"), &w), ZLAY_ENOTSUP);
    plain.reserved = 1;
    assert_int_equal(zlay_buffer_check(&v, r, 8, target_of("gfx942"), &plain), ZLAY_EINVAL);
    assert_int_equal(zlay_buffer_pack(&w, target_of("gfx942"), &plain), ZLAY_EINVAL);
    assert_int_equal(zlay_buffer_pack(NULL, target_of("gfx942"), &plain), ZLAY_EINVAL);
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* Whether byte k of the access is outside, by gem5 and by LLVM. */
static bool gem5_outside(const zlay_buffer *b, const zlay_buffer_access *a, uint64_t k)
{
    int64_t at = (int64_t)a->offset + a->imm + (int64_t)b->stride * a->index + (int64_t)k;
    return at >= (int64_t)b->records - a->soffset;
}

static bool llvm_outside(const zlay_buffer *b, const zlay_buffer_access *a, uint64_t k)
{
    uint64_t at = (uint64_t)a->offset + a->imm + k;
    return b->stride ? a->index >= b->records || at >= b->stride : at >= b->records;
}

/* Byte by byte: inside where both say so of all, outside where both say so of the first, else nothing is said. */
static void accesses_are_what_the_sources_share(void **state)
{
    (void)state;
    uint64_t seed = test_seed("legality/buffer/buffer"), said[3] = {0};
    for (uint64_t n = 0; n < test_iterations(100000); n++) {
        zlay_buffer b = {.base = (uint64_t)test_range(&seed, 0, 1 << 20), .records = (uint64_t)test_range(&seed, 0, 64)};
        b.stride = test_range(&seed, 0, 2) ? 0 : (uint32_t)test_range(&seed, 1, 16);
        zlay_buffer_access a = {.offset = (uint32_t)test_range(&seed, 0, 48), .imm = (uint32_t)test_range(&seed, 0, 16)};
        a.index = (uint32_t)test_range(&seed, 0, 8), a.bytes = (uint32_t)test_range(&seed, 1, 16);
        a.soffset = test_range(&seed, 0, 1) ? 0 : (uint32_t)test_range(&seed, 0, 80);
        bool in = true, out = gem5_outside(&b, &a, 0) && llvm_outside(&b, &a, 0);
        for (uint64_t k = 0; k < a.bytes; k++) in &= !gem5_outside(&b, &a, k) && !llvm_outside(&b, &a, k);
        zlay_buffer_reach r = reach("gfx90a", &b, a);
        assert_int_equal(r.answer, in ? ZLAY_YES : out ? ZLAY_NO : ZLAY_UNDECIDED);
        if (in) assert_int_equal(r.address, b.base + a.soffset + a.offset + a.imm + (uint64_t)b.stride * a.index);
        said[in ? 0 : out ? 1 : 2]++;
    }
    assert_true(said[0] > 100 && said[1] > 100 && said[2] > 100);
}

static void what_nobody_says(void **state)
{
    (void)state;
    zlay_buffer_access a = {.offset = 4, .bytes = 4}, far = {.index = 9, .bytes = 4};
    zlay_buffer plain = {.records = 64}, swizzled = {.records = 8, .stride = 16, .swizzle = 1}, lanes = {.records = 64, .add_tid = 1};
    zlay_buffer bit62 = {.records = 64, .cache_swizzle = 1};
    assert_int_equal(reach("gfx1250", &plain, a).answer, ZLAY_UNDECIDED);
    assert_int_equal(reach("gfx942", &swizzled, a).answer, ZLAY_UNDECIDED);
    assert_int_equal(reach("gfx942", &swizzled, far).answer, ZLAY_NO);
    assert_int_equal(reach("gfx942", &lanes, a).answer, ZLAY_UNDECIDED);
    assert_int_equal(reach("gfx942", &bit62, a).answer, ZLAY_UNDECIDED);
    assert_int_equal(reach("gfx90a", &bit62, a).answer, ZLAY_YES);
    zlay_buffer_reach r;
    a.bytes = 17;
    assert_int_equal(zlay_buffer_reaches(&r, target_of("gfx942"), &plain, &a), ZLAY_EINVAL);
    a.bytes = 0;
    assert_int_equal(zlay_buffer_reaches(&r, target_of("gfx942"), &plain, &a), ZLAY_EINVAL);
    a.bytes = 4, a.reserved[2] = 1;
    assert_int_equal(zlay_buffer_reaches(&r, target_of("gfx942"), &plain, &a), ZLAY_EINVAL);
    a.reserved[2] = 0, plain.type = 1;
    assert_int_equal(zlay_buffer_reaches(&r, target_of("gfx942"), &plain, &a), ZLAY_EINVAL);
    plain.type = 0;
    assert_int_equal(zlay_buffer_reaches(&r, target_of("sm_90a"), &plain, &a), ZLAY_ENOTSUP);
}

/* ---- s_waitcnt ------------------------------------------------------------------------------ */

static void waits_come_back(void **state)
{
    (void)state;
    uint32_t bits;
    zlay_waitcnt w = {63, 7, 0, 0}, again;
    assert_int_equal(zlay_waitcnt_pack(&bits, target_of("gfx942"), &w), ZLAY_OK);
    assert_int_equal(bits, 0xc07f);
    uint32_t known = 0;
    for (uint32_t operand = 0; operand < 0x20000; operand++) {
        zlay_status status = zlay_waitcnt_unpack(&again, target_of("gfx90a"), operand);
        assert_int_equal(status, operand > 0xffff || operand & 0x3080 ? ZLAY_EINVAL : ZLAY_OK);
        if (status) continue;
        assert_int_equal(zlay_waitcnt_pack(&bits, target_of("gfx950"), &again), ZLAY_OK);
        assert_int_equal(bits, operand);
        known++;
    }
    assert_int_equal(known, 64 * 8 * 16);
    assert_int_equal(zlay_waitcnt_most(&again, target_of("gfx942")), ZLAY_OK);
    assert_true(again.vmcnt == 63 && again.expcnt == 7 && again.lgkmcnt == 15 && !again.reserved);
    assert_int_equal(zlay_waitcnt_most(&again, target_of("gfx1250")), ZLAY_ENOTSUP);
    zlay_waitcnt bad[] = {{64, 0, 0, 0}, {0, 8, 0, 0}, {0, 0, 16, 0}, {0, 0, 0, 1}};
    for (size_t i = 0; i < 4; i++) assert_int_equal(zlay_waitcnt_pack(&bits, target_of("gfx942"), &bad[i]), ZLAY_EINVAL);
    assert_int_equal(zlay_waitcnt_pack(&bits, target_of("gfx1250"), &w), ZLAY_ENOTSUP);
    assert_int_equal(zlay_waitcnt_unpack(&again, target_of("sm_90a"), 0), ZLAY_ENOTSUP);
}

/* Every wait as llvm-mc-22 encodes it: the low half of the instruction's word. */
static void waits_are_the_assemblers(void **state)
{
    (void)state;
    char path[] = "/tmp/zlay-wait-XXXXXX", command[256], line[256];
    if (system("command -v llvm-mc-22 >/dev/null 2>&1")) {
        printf("SKIPPED: no llvm-mc-22 on this machine: operands of s_waitcnt were compared with nothing\n");
        skip();
    }
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    FILE *file = fdopen(fd, "w");
    for (uint32_t i = 0; i < 64 * 8 * 16; i++)
        fprintf(file, "s_waitcnt vmcnt(%u) expcnt(%u) lgkmcnt(%u)\n", (unsigned)(i % 64), (unsigned)(i / 64 % 8), (unsigned)(i / 512));
    fclose(file);
    snprintf(command, sizeof command, "llvm-mc-22 -triple=amdgcn-amd-amdhsa -mcpu=gfx90a -show-encoding %s", path);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    uint32_t i = 0;
    while (fgets(line, sizeof line, pipe)) {
        unsigned low, high;
        const char *at = strstr(line, "encoding: [");
        if (!at || sscanf(at, "encoding: [%x,%x", &low, &high) != 2) continue;
        zlay_waitcnt w = {i % 64, i / 64 % 8, i / 512, 0};
        uint32_t bits;
        assert_int_equal(zlay_waitcnt_pack(&bits, target_of("gfx90a"), &w), ZLAY_OK);
        assert_int_equal(bits, low | high << 8);
        i++;
    }
    pclose(pipe);
    remove(path);
    assert_int_equal(i, 64 * 8 * 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_header_says), cmocka_unit_test(a_raw_buffer_is_cks),
        cmocka_unit_test(each_bit_has_its_field),
        cmocka_unit_test(any_bits_come_back),
        cmocka_unit_test(words_of_kernels),
        cmocka_unit_test(rules_at_their_bounds),
        cmocka_unit_test(accesses_are_what_the_sources_share),
        cmocka_unit_test(what_nobody_says),
        cmocka_unit_test(waits_come_back),
        cmocka_unit_test(waits_are_the_assemblers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
