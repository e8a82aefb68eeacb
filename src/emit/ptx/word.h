/* SPDX-License-Identifier: Apache-2.0 */
/* A word while it is printed, in PTX, CUDA C or HIP (ZLAY_TEXT_*): the registers that hold its slots,
 * before and after the step at hand. A slot is one byte group of one register of one thread; its number has the bits of byte,
 * register, lane, warp and block, in this order. */
#ifndef ZL_EMIT_WORD_H
#define ZL_EMIT_WORD_H

#include "base/base.h"
#include "synth/word/word.h"

#include <zlay/emit.h>

enum { ZL_REGISTERS = 256, ZL_WORD_BYTES = 4 };

typedef enum zl_word_line {
#define SAY(id, ptx, cuda, hip) ZL_SAY_##id,
#include "emit/ptx/word_says.def"
} zl_word_line;

/* A line of a text: the register that it makes, the first of those that it reads. Predicates are odd
 * numbers here, other registers even ones. */
#define ZL_NO_REGISTER UINT32_MAX
typedef struct zl_word_made {
    uint32_t made, first;
    bool pure, live; /* pure: it makes a value and does nothing else */
} zl_word_made;

/* A line that makes a value of registers and numbers alone: what it is and reads. */
enum { ZL_LINE_KEY = 48 };
typedef struct zl_word_key {
    uint32_t made;
    char text[ZL_LINE_KEY]; /* "": an empty place of the table */
} zl_word_key;

/* The lines of a text, recorded while it is said to nowhere: counted, then kept, then known to live.
 * A register that an equal line has made before stands for the later one. */
typedef struct zl_word_lines {
    uint32_t count, room, reads, read_room, registers;
    zl_word_made *at;
    uint32_t *read, *same; /* same: a register -> the first one of an equal line */
    zl_word_key *key;      /* a table with open addressing, a power of two of places */
    uint32_t keys;
    bool known, inner; /* inner: in a block of C, whose constants end with it */
} zl_word_lines;

/* `key` NULL: the line makes another value each time. */
void zl_word_record(zl_word_lines *lines, uint32_t made, bool pure, const char *key);
void zl_word_record_read(zl_word_lines *lines, uint32_t reg);
static inline uint32_t zl_word_same(const zl_word_lines *lines, uint32_t reg)
{
    return lines && lines->same && reg < lines->registers ? lines->same[reg] : reg;
}
/* Has a text said to nowhere, which records its lines, and finds which of them live. */
zlay_status zl_word_lines_find(zlay_ctx *ctx, zl_word_lines *lines, zl_writer *write,
                               const void *value);

typedef struct zl_speaker {
    zl_text *out;
    zl_word_lines *lines; /* NULL: every line is printed */
    uint32_t line;        /* the number of the next one */
    int32_t language; /* ZLAY_TEXT_* */
    const zl_word *word;
    const zl_word_step *step;
    zl_affine back;              /* of the step: slot -> where its value was */
    uint32_t bytes, regs, inner; /* bits */
    uint32_t values, predicates, labels; /* PTX registers and labels in use */
    uint32_t held[ZL_REGISTERS], next[ZL_REGISTERS];
    char seed[16]; /* what the step has computed from %lin; "" nothing */
    uint32_t flips, flipped_by; /* bits of the seed that a bit of %lin flips, not said yet */
    uint32_t held_constant;     /* by XOR in the seed */
} zl_speaker;

/* Prints a line of the kernel, which is PTX. */
void zl_say_line(zl_speaker *s, const char *format, ...) ZL_PRINTF(2, 3);

/* Prints a row of word_says.def. Each letter of `operands` is an argument: z and q the number of a
 * register and of a predicate, u and x one in decimal and hexadecimal digits, s a text. */
void zl_word_say(zl_speaker *s, zl_word_line line, const char *operands, ...);

/* A register, a predicate, and a number in hexadecimal digits, as operands. */
void zl_say_register(const zl_speaker *s, zl_text *out, uint32_t number);
void zl_say_predicate(const zl_speaker *s, zl_text *out, uint32_t number);
void zl_say_hex(const zl_speaker *s, zl_text *out, uint32_t number);

/* Whether the language has every line of the word's steps. */
bool zl_word_has_text(const zl_word *word, int32_t language);

/* The number of the thread, as an operand. */
static inline const char *zl_say_thread(const zl_speaker *s)
{
    return s->language == ZLAY_TEXT_PTX ? "%lin" : "thread";
}

/* A PTX register not used yet. */
static inline uint32_t zl_say_value(zl_speaker *s) { return s->values++; }

/* The seed: an XOR of masks under the bits of %lin. */
void zl_say_mix(zl_speaker *s, const uint32_t *mask, unsigned count);

/* The seed with a constant, as an operand. */
void zl_say_seeded(zl_speaker *s, char out[16], uint32_t constant);

bool zl_say_is_seeded(const zl_speaker *s); /* it depends on the thread */

/* The register that a shuffle by index brings from a lane. Lanes are counted within groups of 2^bits
 * neighbours, which zl_say_group finds, and takes the bits above out of the map of the lanes; 2^most is
 * 1 + the greatest constant beside the map. */
uint32_t zl_say_index(zl_speaker *s, uint32_t from, const char *lane, unsigned bits);
unsigned zl_say_group(const zl_speaker *s, uint32_t *mask, unsigned count, unsigned most);

/* The predicate that an odd number of these bits of %lin are set; the seed is lost. */
uint32_t zl_say_odd(zl_speaker *s, uint32_t bits);

static inline uint64_t zl_slot_of(const zl_speaker *s, uint32_t byte, uint32_t reg)
{
    return byte | (uint64_t)reg << s->bytes;
}

/* `held` becomes what is held behind the step. */
void zl_say_step(zl_speaker *s, const zl_word_step *step);

/* The same of moves within a warp whose map back is known, and need be no bijection. */
void zl_say_back(zl_speaker *s, zl_step_id id, const zl_affine *back);

/* Through the shared memory of other blocks; all threads of the cluster wait for each other. */
bool zl_leaves_block(const zl_word *word);
void zl_say_meeting(zl_speaker *s);

/* The register of an address in the shared memory of the block whose rank stands above ZL_RANK. */
uint32_t zl_say_peer(zl_speaker *s, const char *packed);

/* Registers that leave their place, into shared memory and back. */
void zl_say_store(zl_speaker *s);
void zl_say_load(zl_speaker *s);

#endif
