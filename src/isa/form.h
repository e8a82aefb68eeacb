/* SPDX-License-Identifier: Apache-2.0 */
/* Instruction forms: rows of forms/ with the choices of their axes, and a reader of their text. */
#ifndef ZL_FORM_H
#define ZL_FORM_H

#include "rules/rule.h"
#include <zlay/instruction.h>

/* Properties of architectures, one bit each. */
enum {
    BASE_80 = 1,
    BASE_90 = 2,
    BASE_100 = 4,
    ONLY_90 = 8,
    ONLY_100 = 16,
    ONLY_103 = 32,
    ONLY_110 = 64,
    ONLY_120 = 128,
    ONLY_121 = 256,
    FAMILY_100 = 512,
    FAMILY_103 = 1024,
    FAMILY_110 = 2048,
    FAMILY_120 = 4096,
    BASE_89 = 8192,
    GFX_90A = 16384,
    GFX_942 = 32768,
    GFX_950 = 65536,
    GFX_1250 = 131072
};

enum {
#define BASE(n)   BASE_##n
#define ONLY(n)   ONLY_##n
#define FAMILY(n) FAMILY_##n
#define GFX(n)    GFX_##n
#define SET(name, text, properties) name = properties,
#include "isa/forms/sets.def"
#undef SET
#undef BASE
#undef ONLY
#undef FAMILY
#undef GFX
};

/* In `ptx` and `on` of a choice: documented, and not asked by the assembler. */
#define ZL_SAYS 0x80000000u

typedef struct zl_choice {
    uint32_t axis, ptx, on; /* 0: the form itself decides */
    const char *word, *text[3];
} zl_choice;

typedef struct zl_pattern {
    const char *id, *text;
    uint32_t ptx, on;
    bool unsaid; /* the assembler takes it, and no document has it */
    bool pure;   /* reads and writes its operands and nothing else */
} zl_pattern;

enum { ZL_AXES_MOST = 8 };

/* A row and one choice of each of its axes, in the order of its id. */
typedef struct zl_isa_form {
    const zl_pattern *pattern;
    uint32_t count;
    const zl_choice *choice[ZL_AXES_MOST];
} zl_isa_form;

/* False: the number is no form's. */
bool zl_form_of(zl_isa_form *out, uint32_t number);

/* Whether a form reads and writes its operands and nothing else. */
bool zl_form_pure(uint32_t number);

/* Whether a target is of one of the sets of a union such as ON_SUFFIX. */
bool zl_target_in(const zlay_target *target, uint32_t sets);

/* What the assembler asks for; `says`: the documents. */
uint32_t zl_form_ptx(const zl_isa_form *form, bool says);
/* The same on a target, which may have got the form later than others did. */
uint32_t zl_form_ptx_on(const zl_isa_form *form, const zlay_target *target);
uint32_t zl_target_ptx(const zlay_target *target);
bool zl_form_on(const zl_isa_form *form, const zlay_target *target, bool says);

/* The version itself where it is one that the table knows, else the nearest that it knows. */
uint32_t zl_ptx_known(uint32_t version);

/* The piece of text that a reference such as <dst1> stands for in a form. */
const char *zl_form_piece(const zl_isa_form *form, const char *name, size_t length);

/* A run of text, or one operand: of PTX a register or immediate, of gfx targets so many registers
 * in a row. */
typedef struct zl_isa_token {
    const char *text; /* of a run; the operand's name */
    uint32_t length;
    char cls;       /* of an operand; 0 of a run */
    uint32_t index; /* in a vector */
    uint32_t registers; /* of gfx targets: how many in a row */
    bool vector;
    const char *kind; /* of a constant, as in quantities; NULL none */
    uint32_t kind_length;
} zl_isa_token;

typedef struct zl_form_reader {
    const zl_isa_form *form;
    const char *at, *back; /* back: where a piece was begun, NULL outside of one */
    zl_isa_token operand;  /* whose registers are being read */
    uint32_t lanes;        /* 0: none is */
    uint32_t step;         /* in a vector: brace, register, comma, register, .. brace */
} zl_form_reader;

/* The quantity of a constant operand, that of the form itself where it has no rules; and its field, else ZLAY_FIELD_NONE. */
zl_quantity zl_constant_kind(const zl_isa_token *token);
int32_t zl_constant_field(const zl_isa_token *token);

zl_form_reader zl_form_read(const zl_isa_form *form);
bool zl_token_next(zl_form_reader *reader, zl_isa_token *out);

#endif
