/* SPDX-License-Identifier: Apache-2.0 */
/* Prints the steps of a word (a factorised register exchange) as PTX: shuffles, selects and
 * byte permutes. The source of each destination register is affine over F2 in the thread's
 * bits, so a lane index, a predicate and a byte selector are each an XOR of constants selected
 * by those bits and one constant a register. */
#include "emit/emit.h"
#include "emit/ptx/word.h"

#include <string.h>

/* Bits of a selector for one byte: prmt takes nibbles, v_perm_b32 bytes. */
static unsigned selector_bits(const zl_speaker *s)
{
    return s->language == ZLAY_TEXT_HIP ? 8 : 4;
}

/* ---- what a slot is ------------------------------------------------------------------------ */

static uint32_t byte_of(const zl_speaker *s, uint64_t slot)
{
    return (uint32_t)(slot & ((1u << s->bytes) - 1));
}

static uint32_t reg_of(const zl_speaker *s, uint64_t slot)
{
    return (uint32_t)(slot >> s->bytes & ((1u << s->regs) - 1));
}

static uint64_t thread_of(const zl_speaker *s, uint64_t slot) { return slot >> s->inner; }

static unsigned thread_bits(const zl_speaker *s) { return s->back.bits - s->inner; }

static uint64_t thread_basis(const zl_speaker *s, unsigned k)
{
    return s->back.basis[s->inner + k];
}

/* ---- a choice of two registers
 * ------------------------------------------------------------------ */

/* Says which of two registers a slot comes from: an affine function over F2 of the slot and its
 * source. Inside a lane it is a bit of the source's register number, in an exchange one of its lane
 * number. */
typedef struct choice {
    uint64_t mask;    /* of the source; odd: the second, up to `flip` */
    uint64_t beside;  /* of the slot itself; likewise */
    uint32_t apart;   /* the second register's number by XOR */
    uint32_t odd;     /* the predicate of the thread's part */
    bool bytes_move;
} choice;

/* Whether a number has an odd number of ones. */
static bool odd(uint64_t v) { return __builtin_parityll(v); }

/* Whether a slot comes from the second register. */
static bool second(const choice *c, uint64_t slot, uint64_t source)
{
    return odd(source & c->mask) != odd(slot & c->beside);
}

/* The selector of a byte: which of eight bytes it takes. */
static uint32_t nibble(const zl_speaker *s, const choice *c, uint64_t slot, uint64_t source,
                       uint32_t q)
{
    uint32_t each = ZL_WORD_BYTES >> s->bytes;
    return byte_of(s, source) * each + q % each + (second(c, slot, source) ? ZL_WORD_BYTES : 0);
}

/* The selector of prmt for one destination register in one thread. */
static uint32_t selector(const zl_speaker *s, const choice *c, uint32_t reg, uint64_t thread)
{
    uint32_t word = 0, each = ZL_WORD_BYTES >> s->bytes;
    for (uint32_t q = 0; q < ZL_WORD_BYTES; q++) {
        uint64_t slot = zl_slot_of(s, q / each, reg) | thread << s->inner;
        word |= nibble(s, c, slot, zl_map_at(&s->back, slot), q) << (selector_bits(s) * q);
    }
    return word;
}

/* The selector that takes the bytes of the first register as they are. */
static uint32_t in_order(const zl_speaker *s)
{
    uint32_t word = 0;
    for (uint32_t q = 0; q < ZL_WORD_BYTES; q++) word |= q << (selector_bits(s) * q);
    return word;
}

/* Prints the part of the choice that depends on the thread: a selector, or a predicate. */
static void choice_setup(zl_speaker *s, choice *c)
{
    uint32_t mask[ZL_SLOT_BITS] = {0}, none = selector(s, c, 0, 0), any = 0;
    for (unsigned k = 0; k < thread_bits(s); k++) {
        mask[k] = selector(s, c, 0, (uint64_t)1 << k) ^ none;
        any |= (uint32_t)(mask[k] != 0) << k;
    }
    if (!c->bytes_move && any) c->odd = zl_say_odd(s, any);
    else zl_say_mix(s, mask, thread_bits(s));
}

/* Selects between two registers by a predicate; `second` of byte 0 and thread 0 tells which
 * register the predicate's 0 takes. */
static uint32_t choose(zl_speaker *s, const choice *c, uint32_t reg, uint32_t a, uint32_t b)
{
    uint32_t to = zl_say_value(s);
    char select[16];
    uint64_t slot = zl_slot_of(s, 0, reg);
    bool swap = second(c, slot, zl_map_at(&s->back, slot));
    if (c->bytes_move) {
        zl_say_seeded(s, select, selector(s, c, reg, 0));
        zl_word_say(s, ZL_SAY_PERMUTE, "zzzs", to, a, b, select);
    } else {
        zl_word_say(s, ZL_SAY_SELECT, "zzzq", to, swap ? a : b, swap ? b : a, c->odd);
    }
    return to;
}

/* ---- steps -------------------------------------------------------------------------------------
 */

/* Finds the choice of a step: by how much the source's register differs where only the thread or
 * the byte of a slot differs, and whether bytes move inside registers or decide the choice. */
static choice choice_of(const zl_speaker *s, bool exchange)
{
    choice c = {0};
    uint64_t bytes = (1u << s->bytes) - 1, whole = (1u << s->inner) - 1;
    uint64_t moved = s->back.constant & bytes;
    for (unsigned k = 0; k < s->back.bits; k++) {
        uint64_t basis = s->back.basis[k], unit = (uint64_t)1 << k;
        bool is_reg = k >= s->bytes && k < s->inner;
        moved |= (basis ^ (unit & bytes)) & bytes;
        uint64_t crossed = (basis ^ (unit & ~whole)) & ~whole;
        if (exchange && crossed) {
            c.mask = c.beside = crossed & (0 - crossed);
            if (k < s->bytes) moved |= 1;
            if (!is_reg) c.apart |= reg_of(s, basis);
        }
        if (exchange || is_reg || !reg_of(s, basis)) continue;
        c.apart = reg_of(s, basis);
        c.mask = (uint64_t)(c.apart & (0 - c.apart)) << s->bytes;
        if (k < s->bytes) moved |= 1;
    }
    c.bytes_move = moved;
    return c;
}

/* Inside lanes the choice is by a bit of the source register that differs from the first one's. */
static void say_inner(zl_speaker *s)
{
    choice c = choice_of(s, false);
    uint32_t regs = 1u << s->regs;
    choice_setup(s, &c);
    for (uint32_t r = 0; r < regs; r++) {
        uint64_t slot = zl_slot_of(s, 0, r), source = zl_map_at(&s->back, slot);
        uint32_t first = reg_of(s, source);
        if (second(&c, slot, source)) first ^= c.apart;
        bool whole = !c.apart && selector(s, &c, r, 0) == in_order(s) && !zl_say_is_seeded(s);
        s->next[r] = whole ? s->held[first]
                           : choose(s, &c, r, s->held[first], s->held[first ^ c.apart]);
    }
}

/* Prints a shuffle that fetches a register of the lane whose number differs by `mask`. */
static uint32_t bring(zl_speaker *s, uint32_t from, uint64_t mask)
{
    uint32_t to = zl_say_value(s);
    zl_word_say(s, ZL_SAY_BUTTERFLY, "zzu", to, from, (unsigned)mask);
    return to;
}

/* The lane of a slot in its warp. */
static uint32_t lane_of(const zl_speaker *s, uint64_t slot)
{
    return (uint32_t)thread_of(s, slot) & ((1u << s->word->slots.lane) - 1);
}

static void say_fixed_shuffle(zl_speaker *s)
{
    for (uint32_t r = 0; r < 1u << s->regs; r++) {
        uint64_t source = zl_map_at(&s->back, zl_slot_of(s, 0, r));
        uint32_t from = s->held[reg_of(s, source)], by = lane_of(s, source);
        s->next[r] = by ? bring(s, from, by) : from;
    }
}

/* Prints one shuffle a register, by a computed lane. */
static void say_shuffle(zl_speaker *s)
{
    uint32_t mask[ZL_SLOT_BITS] = {0}, regs = 1u << s->regs, most = 0;
    for (unsigned k = 0; k < thread_bits(s); k++) mask[k] = lane_of(s, thread_basis(s, k));
    for (uint32_t r = 0; r < regs; r++) most |= lane_of(s, zl_map_at(&s->back, zl_slot_of(s, 0, r)));
    unsigned bits = zl_say_group(s, mask, thread_bits(s), zl_bit_length(most));
    zl_say_mix(s, mask, thread_bits(s));
    for (uint32_t r = 0; r < regs; r++) {
        char lane[16];
        uint64_t source = zl_map_at(&s->back, zl_slot_of(s, 0, r));
        zl_say_seeded(s, lane, lane_of(s, source));
        s->next[r] = zl_say_index(s, s->held[reg_of(s, source)], lane, bits);
    }
}

/* The XOR of lanes between which an exchange moves registers. */
static uint64_t crossing(const zl_speaker *s)
{
    uint64_t by = thread_of(s, s->back.constant);
    for (unsigned k = 0; k < s->back.bits; k++) {
        uint64_t own = k < s->inner ? 0 : (uint64_t)1 << (k - s->inner);
        by |= thread_of(s, s->back.basis[k]) ^ own;
    }
    return by;
}

/* Prints an exchange: one shuffle a register, then a choice between the own register and the one
 * that came. */
static void say_exchange(zl_speaker *s)
{
    choice c = choice_of(s, true);
    uint32_t regs = 1u << s->regs;
    uint64_t by = crossing(s);
    choice_setup(s, &c);
    for (uint32_t r = 0; r < regs; r++) {
        uint64_t slot = zl_slot_of(s, 0, r), source = zl_map_at(&s->back, slot);
        uint32_t own = reg_of(s, source);
        if (second(&c, slot, source)) own ^= c.apart;
        uint32_t other = bring(s, s->held[own ^ c.apart], by);
        s->next[r] = choose(s, &c, r, s->held[own], other);
    }
}

/* Prints movmatrix, which transposes the 8x8 matrix that a register of the warp holds. */
static void say_matrix(zl_speaker *s)
{
    for (uint32_t r = 0; r < 1u << s->regs; r++) {
        uint32_t from = s->held[reg_of(s, zl_map_at(&s->back, zl_slot_of(s, 0, r)))];
        s->next[r] = zl_say_value(s);
        zl_word_say(s, ZL_SAY_MATRIX, "zz", s->next[r], from);
    }
}

static void say_sync(zl_speaker *s)
{
    if (zl_leaves_block(s->word)) zl_say_meeting(s);
    else zl_word_say(s, ZL_SAY_SYNC, "");
}

/* What a step does, of which `back` is known. */
static void say_known(zl_speaker *s)
{
    switch (s->step->id) {
    case ZL_STEP_BFLY: say_fixed_shuffle(s); break;
    case ZL_STEP_IDX: say_shuffle(s); break;
    case ZL_STEP_EXCHANGE: say_exchange(s); break;
    case ZL_STEP_MATRIX: say_matrix(s); break;
    case ZL_STEP_DSMEM:
    case ZL_STEP_STORE: zl_say_store(s); break;
    case ZL_STEP_SYNC: say_sync(s); break;
    case ZL_STEP_LOAD: zl_say_load(s); break;
    default: say_inner(s);
    }
    memcpy(s->held, s->next, sizeof s->held);
}

void zl_say_step(zl_speaker *s, const zl_word_step *step)
{
    s->step = step;
    zl_map_invert(&s->back, &step->map);
    say_known(s);
}

void zl_say_back(zl_speaker *s, zl_step_id id, const zl_affine *back)
{
    const zl_word_step step = {.id = id};
    s->step = &step;
    s->back = *back;
    say_known(s);
    s->step = NULL;
}
