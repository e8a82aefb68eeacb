/* SPDX-License-Identifier: Apache-2.0 */
/* Words in tests: maps of slots as tables, and the emitted PTX run lane by lane as the PTX ISA says
 * what its instructions do. */
#ifndef TEST_WORD_H
#define TEST_WORD_H

#include "ctx.h"

#include <stdbool.h>
#include <string.h>
#include <zlay/zlay.h>

enum { WORD_ROOM = 1 << 20, WORD_LANES = 32, WORD_SHARED = 48 << 10 };

typedef struct map_table {
    unsigned bits;
    uint64_t constant, basis[32];
} map_table;

static inline uint64_t map_at(const map_table *m, uint64_t x)
{
    uint64_t value = m->constant;
    for (unsigned k = 0; k < m->bits; k++)
        if (x >> k & 1) value ^= m->basis[k];
    return value;
}

static inline unsigned slot_bits(const zlay_slots *s)
{
    return s->byte_bits + s->register_bits + s->lane_bits + s->warp_bits + s->block_bits;
}

/* Row operations on the bits [low, high), so a bijection. */
static inline void map_stir(map_table *m, uint64_t *seed, unsigned low, unsigned high, int times)
{
    for (; high - low > 1 && times > 0; times--) {
        uint64_t i = low + test_random(seed) % (high - low), j = low + test_random(seed) % (high - low);
        if (i != j) m->basis[i] ^= m->basis[j];
    }
}

static inline void map_shuffle(map_table *m, uint64_t *seed, unsigned low, unsigned high)
{
    for (unsigned i = high; i-- > low + 1;) {
        uint64_t j = low + test_random(seed) % (i - low + 1), held = m->basis[i];
        m->basis[i] = m->basis[j];
        m->basis[j] = held;
    }
}

/* Kinds of random bijections: general, permutations of bits, permutations with a few XORs. */
static inline void map_draw(map_table *m, uint64_t *seed, unsigned bits, unsigned moved, int kind)
{
    memset(m, 0, sizeof *m);
    m->bits = bits;
    for (unsigned k = 0; k < bits; k++) m->basis[k] = (uint64_t)1 << k;
    map_shuffle(m, seed, 0, moved);
    if (kind != 1) map_stir(m, seed, 0, moved, kind ? 3 : 80);
    if (test_range(seed, 0, 2) == 0) m->constant = test_random(seed) & (((uint64_t)1 << moved) - 1);
}

/* The map as a layout: an XOR with a constant has none of its own, so it is a table of pieces where
 * the constant is not 0. */
static inline zlay_layout *map_layout(zlay_ctx *ctx, const map_table *m)
{
    zlay_dim in = {"slot", (uint64_t)1 << m->bits}, out = {"slot", (uint64_t)1 << m->bits};
    zlay_f2_bases bases = {sizeof bases, 0, 1, 1, &in, &out, m->basis};
    zlay_layout *made = NULL;
    assert_int_equal(zlay_f2_new(ctx, &made, &bases), ZLAY_OK);
    return made;
}

/* ---- steps by their tables --------------------------------------------------------------- */

enum { WORD_REGISTERS = 256, INSIDE = 0, SHUFFLE, EXCHANGE };

/* Where the words of one register come from, in all lanes. */
typedef struct word_made {
    bool own[WORD_REGISTERS], other[WORD_REGISTERS]; /* registers of the own lane, of others */
    int owns, others, all;
    bool keeps_bytes, one_lane;
    uint64_t mask; /* lanes apart; UINT64_MAX: several */
} word_made;

static inline void word_source(word_made *m, const zlay_slots *s, uint64_t slot, uint64_t from)
{
    unsigned low = s->byte_bits, high = low + s->register_bits;
    uint64_t bytes = (1u << low) - 1, reg = from >> low & ((1u << s->register_bits) - 1);
    uint64_t apart = slot >> high ^ from >> high;
    if (!m->own[reg] && !m->other[reg]) m->all++;
    if (!apart) m->owns += !m->own[reg], m->own[reg] = true;
    else m->others += !m->other[reg], m->other[reg] = true;
    if (apart && m->mask && m->mask != apart) m->mask = UINT64_MAX;
    else if (apart && !m->mask) m->mask = apart;
    if ((slot ^ from) & bytes) m->keeps_bytes = false;
}

/* Instructions of a map as one generator, by what every register's words are made of; -1: it is none
 * of that kind. `back` goes from a slot to where its value was. */
static inline int word_cost(int kind, const zlay_slots *s, const uint64_t *back)
{
    unsigned low = s->byte_bits, high = low + s->register_bits;
    int touched = 0;
    uint64_t size = (uint64_t)1 << slot_bits(s), mask = 0;
    for (uint64_t reg = 0; reg < 1u << s->register_bits; reg++) {
        word_made m = {.keeps_bytes = true, .one_lane = true, .mask = mask};
        for (uint64_t slot = reg << low; slot < size; slot += (uint64_t)1 << high)
            for (uint64_t b = 0; b < 1u << low; b++) {
                word_source(&m, s, slot | b, back[slot | b]);
                if (back[slot | b] >> high != back[slot] >> high) m.one_lane = false;
            }
        if (kind == INSIDE && (m.others || m.owns > 2)) return -1;
        if (kind == SHUFFLE && (!m.keeps_bytes || !m.one_lane || m.all != 1)) return -1;
        if (kind == EXCHANGE && (m.owns > 1 || m.others > 1 || m.mask == UINT64_MAX)) return -1;
        if (kind == EXCHANGE) mask = m.mask;
        touched += !(m.keeps_bytes && !m.others && m.owns == 1);
    }
    return kind == EXCHANGE ? 2 * touched : touched;
}

/* Every step is a generator of the kind that it says, at that cost. */
static inline void word_assert_steps(const zlay_word *word)
{
    zlay_word_step step;
    zlay_slots s;
    assert_int_equal(zlay_word_slots(&s, word), ZLAY_OK);
    uint64_t size = (uint64_t)1 << slot_bits(&s), *back = calloc(size, sizeof *back);
    assert_non_null(back);
    for (uint32_t i = 0; zlay_word_step_nth(&step, word, i) == ZLAY_OK; i++) {
        map_table m = {step.bits, step.constant, {0}};
        memcpy(m.basis, step.basis, sizeof m.basis);
        for (uint64_t slot = 0; slot < size; slot++) back[map_at(&m, slot)] = slot;
        int kind = step.generator == ZLAY_STEP_EXCHANGE            ? EXCHANGE
                   : !strcmp(zlay_word_op(step.generator), "shfl") ? SHUFFLE
                                                                   : INSIDE;
        if (step.generator < ZLAY_STEP_MATRIX) {
            assert_int_equal(word_cost(kind, &s, back), step.instructions);
            assert_int_equal(step.rounds, kind != INSIDE);
        }
    }
    free(back);
}

enum { PTX_ENDS, PTX_BLOCK_WAITS, PTX_CLUSTER_WAITS };
#define PTX_PEER UINT32_C(0x80000000)

/* ---- PTX ------------------------------------------------------------------------------- */

typedef struct ptx_machine {
    const char *at; /* the next line */
    unsigned char *shared; /* of block 0, then of the others of the cluster */
    uint32_t block, meetings;
    uint32_t (*z)[WORD_LANES];
    bool (*q)[WORD_LANES];
    const uint32_t *from;
    uint32_t *to;
    uint32_t regs, warp, moves; /* of the cluster; moves: instructions that carried a value */
} ptx_machine;

/* prmt without a mode: nibble i names byte i of {b, a}, its bit 3 the replicated sign. */
static inline uint32_t ptx_prmt(uint32_t a, uint32_t b, uint32_t select)
{
    uint64_t both = (uint64_t)b << 32 | a;
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t nibble = select >> (4 * i) & 15, byte = (uint32_t)(both >> (8 * (nibble & 7))) & 255;
        if (nibble & 8) byte = byte & 128 ? 255 : 0;
        value |= byte << (8 * i);
    }
    return value;
}

/* shfl.sync: the segment mask and the clamp are in c. */
static inline int ptx_source(bool bfly, int lane, uint32_t b, uint32_t c)
{
    int clamp = (int)(c & 31), segment = (int)(c >> 8 & 31);
    int most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int j = bfly ? lane ^ (int)(b & 31) : least | ((int)(b & 31) & ~segment);
    return j <= most ? j : lane;
}

/* An operand: %zN, or a number. */
static inline uint32_t ptx_read(const ptx_machine *m, const char *text, int lane)
{
    while (*text == ' ') text++;
    if (text[0] == '%') {
        if (!strncmp(text, "%shared", 7)) return 0;
        if (!strncmp(text, "%lin", 4)) return m->warp * WORD_LANES + (uint32_t)lane;
        assert_true(text[1] == 'z');
        return m->z[strtoul(text + 2, NULL, 10)][lane];
    }
    return (uint32_t)strtoul(text, NULL, 0);
}

static inline void ptx_matrix(ptx_machine *m, uint32_t *to, const char *source)
{
    for (int row = 0; row < 8; row++)
        for (int column = 0; column < 8; column++) {
            uint32_t word = ptx_read(m, source, column * 4 + row / 2);
            uint32_t half = word >> (16 * (row % 2)) & 0xffff;
            uint32_t *out = &to[row * 4 + column / 2];
            if (column % 2) *out = (*out & 0xffff) | half << 16;
            else *out = (*out & 0xffff0000u) | half;
        }
}

static inline bool ptx_lane(ptx_machine *m, const char *op, char a[5][48], int lane, uint32_t *out)
{
    uint32_t x = ptx_read(m, a[1], lane), y = a[2][0] ? ptx_read(m, a[2], lane) : 0;
    if (!strcmp(op, "bfe.u32"))
        *out = x >> y & (uint32_t)(((uint64_t)1 << ptx_read(m, a[3], lane)) - 1);
    else if (!strcmp(op, "mapa.shared::cluster.u32")) *out = PTX_PEER | y << 24 | x;
    else if (!strcmp(op, "mul.lo.u32")) *out = x * y;
    else if (!strcmp(op, "xor.b32")) *out = x ^ y;
    else if (!strcmp(op, "add.u32")) *out = x + y;
    else if (!strcmp(op, "and.b32")) *out = x & y;
    else if (!strcmp(op, "shl.b32")) *out = x << y;
    else if (!strcmp(op, "shr.u32")) *out = x >> y;
    else if (!strcmp(op, "selp.b32"))
        *out = m->q[strtoul(a[3] + 2, NULL, 10)][lane] ? x : y;
    else if (!strcmp(op, "prmt.b32")) *out = ptx_prmt(x, y, ptx_read(m, a[3], lane));
    else if (!strcmp(op, "shfl.sync.bfly.b32") || !strcmp(op, "shfl.sync.idx.b32"))
        *out = ptx_read(m, a[1], ptx_source(op[10] == 'b', lane, y, ptx_read(m, a[3], lane)));
    else return false;
    return true;
}

static inline void ptx_memory(ptx_machine *m, const char *text, bool load)
{
    unsigned reg, at;
    if (load) assert_int_equal(sscanf(text, "ld.global.b32 %%z%u, [%%from + %u];", &reg, &at), 2);
    else assert_int_equal(sscanf(text, "st.global.b32 [%%to + %u], %%z%u;", &at, &reg), 2);
    for (uint32_t lane = 0; lane < WORD_LANES; lane++) {
        uint32_t word = (m->warp * WORD_LANES + lane) * m->regs + at / 4;
        if (load) m->z[reg][lane] = m->from[word];
        else m->to[word] = m->z[reg][lane];
    }
}

/* An address of the own block, or what mapa made of one: of a block that is known to run. */
static inline unsigned char *ptx_place(const ptx_machine *m, uint32_t address, bool peer,
                                       unsigned bytes)
{
    uint32_t at = address & ~(PTX_PEER | UINT32_C(7) << 24);
    assert_int_equal(peer, address / PTX_PEER);
    assert_true(at % bytes == 0 && at + bytes <= WORD_SHARED && (!peer || m->meetings));
    return m->shared + (size_t)(peer ? address >> 24 & 7 : m->block) * WORD_SHARED + at;
}

/* st.shared of the low bits of a register, ld.shared of all of it. */
static inline void ptx_shared(ptx_machine *m, const char *text, bool load)
{
    unsigned reg, at, bits = 32, more = 0;
    bool peer = !strncmp(text, "st.shared::cluster", 18);
    if (peer)
        assert_int_equal(
            sscanf(text, "st.shared::cluster.b%u [%%z%u], %%z%u;", &bits, &at, &reg), 3);
    else if (load) assert_int_equal(sscanf(text, "ld.shared.b32 %%z%u, [%%z%u + %u];", &reg, &at, &more), 3);
    else assert_int_equal(sscanf(text, "st.shared.b%u [%%z%u], %%z%u;", &bits, &at, &reg), 3);
    for (int lane = 0; lane < WORD_LANES; lane++) {
        unsigned char *place = ptx_place(m, m->z[at][lane] + more, peer, bits / 8);
        if (load) memcpy(&m->z[reg][lane], place, 4);
        else memcpy(place, &m->z[reg][lane], bits / 8);
    }
}

/* Instructions that carry values; the others make addresses, selectors and predicates. */
static inline bool ptx_carries(const char *text)
{
    static const char *const carry[] = {"selp", "prmt", "shfl", "movmatrix", "st.shared",
                                        "ld.shared", "shr", "bar"};
    const char *first = strchr(text, ',');
    if (strstr(text, "%lin") || (!strncmp(text, "selp", 4) && first && first[2] != '%')) return false;
    for (size_t i = 0; i < sizeof carry / sizeof *carry; i++)
        if (!strncmp(text, carry[i], strlen(carry[i]))) return true;
    return false;
}

static inline void ptx_instruction(ptx_machine *m, const char *text)
{
    char op[48], a[5][48] = {{0}}, rest[256];
    uint32_t made[WORD_LANES] = {0};
    bool load = text[0] == 'l';
    m->moves += ptx_carries(text);
    if (!strncmp(text + 2, ".global", 7)) ptx_memory(m, text, load);
    if (!strncmp(text + 2, ".shared", 7)) ptx_shared(m, text, load);
    if (text[2] == '.' && (text[3] == 'g' || text[3] == 's')) return;
    assert_int_equal(sscanf(text, "%47s %255[^;]", op, rest), 2);
    int count = 0;
    for (char *part = strtok(rest, ","); part && count < 5; part = strtok(NULL, ","), count++)
        strcpy(a[count], part + strspn(part, " "));
    if (!strcmp(op, "setp.ne.u32")) {
        for (int lane = 0; lane < WORD_LANES; lane++)
            m->q[strtoul(a[0] + 2, NULL, 10)][lane] = ptx_read(m, a[1], lane) != 0;
        return;
    }
    if (!strncmp(op, "movmatrix", 9)) ptx_matrix(m, made, a[1]);
    else for (int lane = 0; lane < WORD_LANES; lane++)
        if (!ptx_lane(m, op, a, lane, &made[lane])) fail_msg("the test reads no '%s'", text);
    memcpy(m->z[strtoul(a[0] + 2, NULL, 10)], made, sizeof made);
}

static inline bool ptx_frame(const char *text)
{
    static const char *const frame[] = {".", "mov.u32 %", "mad.lo.u32 %lin", "mul.wide", "ld.param", "cvta",
                                        "add.u64", "ret", "{", "}"};
    for (size_t i = 0; i < sizeof frame / sizeof *frame; i++)
        if (!strncmp(text, frame[i], strlen(frame[i]))) return true;
    return !*text;
}

/* One warp up to the next barrier or the end. */
static inline int ptx_go_on(ptx_machine *m)
{
    char line[512];
    while (*m->at) {
        size_t length = strcspn(m->at, "\n"), blank = strspn(m->at, " ");
        assert_true(length < sizeof line && blank <= length);
        memcpy(line, m->at + blank, length - blank);
        line[length - blank] = 0;
        m->at += length + (m->at[length] != 0);
        if (!strncmp(line, "bar.sync 0;", 11)) {
            m->moves++;
            return PTX_BLOCK_WAITS;
        }
        if (!strncmp(line, "barrier.cluster.arrive", 22)) continue;
        if (!strncmp(line, "barrier.cluster.wait", 20)) {
            m->moves += m->meetings++ > 0;
            return PTX_CLUSTER_WAITS;
        }
        if (!ptx_frame(line)) ptx_instruction(m, line);
    }
    return PTX_ENDS;
}

/* Warps of a block until all wait for the cluster or have ended; true: they wait. */
static inline bool ptx_block_goes_on(ptx_machine *m, uint32_t warps)
{
    int state = PTX_BLOCK_WAITS;
    while (state == PTX_BLOCK_WAITS)
        for (uint32_t i = warps; i-- > 0;) state = ptx_go_on(&m[i]);
    return state == PTX_CLUSTER_WAITS;
}

/* Run a block of a kernel's text, or the blocks of a cluster, the last block and warp first; answers
 * how many instructions of a thread carried values. */
static inline uint32_t ptx_run(const char *text, const uint32_t *from, uint32_t *to, uint32_t regs,
                               uint32_t warps, uint32_t blocks)
{
    enum { VALUES = 1 << 15, PREDICATES = 256, WARPS = 32 };
    ptx_machine m[WARPS];
    unsigned char *shared = malloc((size_t)blocks * WORD_SHARED);
    uint32_t all = warps * blocks;
    assert_true(all <= WARPS && shared);
    memset(shared, 0xa5, (size_t)blocks * WORD_SHARED);
    for (uint32_t i = 0; i < all; i++) {
        m[i] = (ptx_machine){text, shared, i / warps, 0, calloc(VALUES, sizeof *m->z),
                             calloc(PREDICATES, sizeof *m->q), from, to, regs, i, 0};
        assert_true(m[i].z && m[i].q);
    }
    for (bool waits = true; waits;)
        for (uint32_t i = blocks; i-- > 0;) waits = ptx_block_goes_on(&m[i * warps], warps);
    uint32_t moves = m[0].moves;
    for (uint32_t i = 0; i < all; i++) {
        assert_int_equal(m[i].moves, moves);
        free(m[i].z);
        free(m[i].q);
    }
    free(shared);
    return moves;
}

#endif
