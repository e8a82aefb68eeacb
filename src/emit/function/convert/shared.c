/* SPDX-License-Identifier: Apache-2.0 */
/* Accesses of a conversion to shared memory. The byte of a slot is the XOR of what the thread's number
 * gives and of a constant. Where the constant has bits that the thread's part never has, these are
 * an offset in the instruction; one address serves all accesses that differ in them alone. An address
 * in the memory of another block has that block's rank above it, until mapa has made it one of the
 * cluster. */
#include "emit/function/convert/say.h"

#include <string.h>

typedef struct shared_access {
    zl_speaker *s;
    const zl_trip_text *t;
    const zl_trip_step *step;
    uint64_t from, size;  /* bytes of the piece */
    uint64_t thread_bits; /* of addresses, that depend on the thread */
    uint32_t count;
    uint32_t known[ZL_REGISTERS], place[ZL_REGISTERS]; /* addresses by the constant of the XOR */
} shared_access;

static unsigned inner_of(const zl_trip_text *t) { return t->parts + t->words; }

static uint64_t byte_of(const shared_access *a, uint32_t word, uint32_t part)
{
    return zl_xor_of(a->step->map.basis, (uint64_t)word << a->t->parts | part) - a->from;
}

/* Whether a word goes in the piece; one of another piece has a byte behind it, or before, as a number
 * without a sign. */
static bool is_here(const shared_access *a, uint32_t word)
{
    return a->t->pieces == 1 || byte_of(a, word, 0) < a->size;
}

static bool is_remote(const zl_trip_step *step) { return step->op == ZLAY_CONVERT_DSMEM; }

static bool is_matrix(const zl_trip_step *step)
{
    return step->op == ZLAY_CONVERT_LDMATRIX || step->op == ZLAY_CONVERT_STMATRIX;
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* Lane i of ldmatrix and stmatrix has the address of row i mod 8 of matrix i / 8: the byte of the
 * element that is first in that row, which lane 4 (i mod 8) holds, or, transposed, lane i / 2 mod 4 in
 * part i mod 2. */
static uint64_t row_basis(const shared_access *a, unsigned bit)
{
    enum { ROW = 3 };
    const uint64_t *basis = a->step->map.basis, *lane = basis + inner_of(a->t);
    if (bit >= ROW) {
        bool there = 1u << (bit - ROW) < a->step->width / ZL_WORD_BYTES;
        return there ? basis[a->t->parts + bit - ROW] : 0;
    }
    if (!a->step->transposed) return lane[bit + 2];
    return bit ? lane[bit - 1] : basis[0];
}

static void begin(shared_access *a, zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step,
                  uint32_t piece)
{
    uint32_t mask[ZL_SLOT_BITS] = {0}, inner = inner_of(t);
    *a = (shared_access){.s = s, .t = t, .step = step, .from = t->smem * piece, .size = t->smem};
    if (is_remote(step)) a->thread_bits = ~(((uint64_t)1 << ZL_RANK) - 1);
    for (unsigned k = inner; k < step->map.bits; k++) {
        unsigned bit = k - inner;
        bool row = is_matrix(step) && bit < t->lanes;
        mask[bit] = (uint32_t)(row ? row_basis(a, bit) : step->map.basis[k]);
        a->thread_bits |= mask[bit];
    }
    zl_say_mix(s, mask, ZL_SLOT_BITS);
}

/* The register of an address, and the offset behind it. */
static uint32_t place_of(shared_access *a, uint64_t byte, uint32_t *offset)
{
    uint32_t fixed = (uint32_t)(byte & a->thread_bits);
    char text[16];
    *offset = (uint32_t)(byte & ~a->thread_bits);
    for (uint32_t i = 0; i < a->count; i++)
        if (a->known[i] == fixed) return a->place[i];
    zl_say_seeded(a->s, text, fixed);
    uint32_t place = zl_say_value(a->s);
    if (is_remote(a->step)) place = zl_say_peer(a->s, text);
    else zl_word_say(a->s, ZL_SAY_PLACE, "zs", place, text);
    a->known[a->count] = fixed;
    a->place[a->count++] = place;
    return place;
}

/* ---- accesses ------------------------------------------------------------------------------- */

static zl_word_line line_of(const zl_trip_step *step)
{
    bool load = step->op == ZLAY_CONVERT_LOAD || step->op == ZLAY_CONVERT_LDMATRIX;
    if (is_remote(step)) return (zl_word_line)(ZL_SAY_FAR1 + zl_log2(step->width));
    switch (step->width) {
    case 1: return load ? ZL_SAY_GET1 : ZL_SAY_PUT1;
    case 2: return load ? ZL_SAY_GET2 : ZL_SAY_PUT2;
    case 4: return is_matrix(step) ? (load ? ZL_SAY_LDMATRIX1 : ZL_SAY_STMATRIX1) :
                                     (load ? ZL_SAY_GET4 : ZL_SAY_PUT4);
    case 8: return is_matrix(step) ? (load ? ZL_SAY_LDMATRIX2 : ZL_SAY_STMATRIX2) :
                                     (load ? ZL_SAY_GET8 : ZL_SAY_PUT8);
    default: return is_matrix(step) ? (load ? ZL_SAY_LDMATRIX4 : ZL_SAY_STMATRIX4) :
                                      (load ? ZL_SAY_GET16 : ZL_SAY_PUT16);
    }
}

void zl_trip_say_access(zl_speaker *s, const zl_trip_step *step, uint32_t place, uint32_t offset,
                        const uint32_t z[4])
{
    const char *trans = step->transposed ? ".trans" : "";
    if (step->width <= ZL_WORD_BYTES)
        zl_word_say(s, line_of(step), "zuzssss", place, offset, z[0], "", "", "", trans);
    else if (step->width == 2 * ZL_WORD_BYTES)
        zl_word_say(s, line_of(step), "zuzzsss", place, offset, z[0], z[1], "", "", trans);
    else
        zl_word_say(s, line_of(step), "zuzzzzs", place, offset, z[0], z[1], z[2], z[3], trans);
}

static void access_put(shared_access *a, uint64_t byte, const uint32_t z[4])
{
    uint32_t offset, place = place_of(a, byte, &offset);
    zl_trip_say_access(a->s, a->step, place, offset, z);
}

uint32_t zl_trip_say_part(zl_speaker *s, uint32_t word, uint32_t byte)
{
    uint32_t out = word;
    if (byte) zl_word_say(s, ZL_SAY_PART, "zzu", out = zl_say_value(s), word, 8 * byte);
    return out;
}

uint32_t zl_trip_say_join(zl_speaker *s, uint32_t below, uint32_t part, uint32_t byte)
{
    uint32_t moved = zl_say_value(s), both = zl_say_value(s);
    zl_word_say(s, ZL_SAY_LEFT, "zzu", moved, part, 8 * byte);
    zl_word_say(s, ZL_SAY_JOIN, "zzz", both, below, moved);
    return both;
}

static void store_word(shared_access *a, uint32_t word)
{
    uint32_t parts = 1u << a->t->parts, each = ZL_WORD_BYTES >> a->t->parts;
    for (uint32_t p = 0; p < parts; p += a->step->width / each) {
        if (p & a->step->idle) continue;
        const uint32_t z[4] = {zl_trip_say_part(a->s, a->s->held[word], p * each)};
        access_put(a, byte_of(a, word, p), z);
    }
}

/* Threads that hold what others hold too, or nothing, store nothing; the lanes of a warp store matrices
 * together. */
static bool guard_begin(shared_access *a, uint32_t *label)
{
    uint64_t idle = a->step->idle >> inner_of(a->t);
    if (is_matrix(a->step)) idle &= ~(((uint64_t)1 << a->t->lanes) - 1);
    if (!idle) return false;
    uint32_t bits = zl_say_value(a->s), q = a->s->predicates++;
    char text[16];
    zl_text out = {text, sizeof text - 1, 0};
    zl_word_say(a->s, ZL_SAY_BITS, "zx", bits, (uint32_t)idle);
    zl_say_register(a->s, &out, bits);
    text[out.need] = 0;
    zl_word_say(a->s, ZL_SAY_TEST, "qs", q, text);
    zl_word_say(a->s, ZL_SAY_UNLESS, "qu", q, *label = a->s->labels++);
    return true;
}

void zl_trip_say_store(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step, uint32_t piece)
{
    uint32_t together = step->width > ZL_WORD_BYTES ? step->width / ZL_WORD_BYTES : 1, label;
    shared_access a;
    begin(&a, s, t, step, piece);
    bool guarded = guard_begin(&a, &label);
    for (uint32_t r = 0; r < 1u << step->words; r += together) {
        if ((uint64_t)r << t->parts & step->idle || !is_here(&a, r)) continue;
        if (step->width < ZL_WORD_BYTES) store_word(&a, r);
        else access_put(&a, byte_of(&a, r, 0), &s->held[r]);
    }
    if (guarded) zl_word_say(s, ZL_SAY_END, "u", label);
}

/* A word of parts that are loaded one by one. */
static uint32_t load_word(shared_access *a, uint32_t word)
{
    zl_speaker *s = a->s;
    uint32_t parts = 1u << a->t->parts, each = ZL_WORD_BYTES >> a->t->parts, sum = 0;
    for (uint32_t p = 0; p < parts; p += a->step->width / each) {
        const uint32_t z[4] = {zl_say_value(s)};
        if (p & a->step->idle) continue;
        access_put(a, byte_of(a, word, p), z);
        sum = p ? zl_trip_say_join(s, sum, z[0], p * each) : z[0];
    }
    return sum;
}

void zl_trip_say_load(zl_speaker *s, const zl_trip_text *t, const zl_trip_step *step, uint32_t piece)
{
    uint32_t together = step->width > ZL_WORD_BYTES ? step->width / ZL_WORD_BYTES : 1;
    shared_access a;
    begin(&a, s, t, step, piece);
    for (uint32_t r = 0; r < 1u << step->words; r += together) {
        if (!is_here(&a, r)) continue;
        if (step->width < ZL_WORD_BYTES) {
            s->next[r] = load_word(&a, r);
            continue;
        }
        for (uint32_t i = 0; i < together; i++) s->next[r + i] = zl_say_value(s);
        access_put(&a, byte_of(&a, r, 0), &s->next[r]);
    }
}

void zl_trip_say_sync(zl_speaker *s, const zl_trip_step *step)
{
    if (step->meeting == ZL_MEETS_CLUSTER) zl_say_meeting(s);
    else zl_word_say(s, step->meeting == ZL_MEETS_BLOCK ? ZL_SAY_SYNC : ZL_SAY_SYNC_WARP, "");
}
