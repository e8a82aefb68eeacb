/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/instruction.h - instruction forms: is there one, and may its constants
 *  be these?
 *
 *  A form is an instruction with all its modifiers.  It has an id, a PTX text
 *  with named operands, the oldest PTX version and the targets that have it.
 *  Ids follow what is moved: tma.load.tile.2d, mbar.try_wait.parity,
 *  ldmatrix.x4, tcgen05.mma.cg1.f16.ss; docs/instructions.md has them all.
 *  The PTX opcode with all its modifiers names one as well.
 *
 *  One form by hand.  setmaxnreg.inc is "setmaxnreg.inc.sync.aligned.u32
 *  registers;", of PTX 8.0, on sm_90a and later targets with a suffix.  On
 *  sm_90a with 40 registers it is legal.  With 44 it is NO by INSTR_REGISTERS_8
 *  (44 mod 8 = 4), with 272 by INSTR_REGISTERS (24 to 256), on sm_90 by
 *  INSTR_TARGET; under PTX 7.8 it is NO twice: the form asks for 8.0, and so
 *  does sm_90a.
 *
 *  Forms of gfx targets have no PTX version.  ds_read_b128 is "ds_read_b128 data,
 *  address offset:offset": on gfx942 with data 4, v[4:7], it is legal, with data 5
 *  NO by GFX_DATA_EVEN, with offset 65536 NO by GFX_OFFSET_16.  Into a[4:7] it is
 *  ds_read_b128.agpr, which gfx1250 has not.
 *
 *  Who enforces a rule stands in its row: what ptxas, or LLVM's assembler of gfx
 *  targets, refuses is by the assembler; what it takes and must not be written is
 *  by the hardware or the documents.  Shapes and descriptors of matrix instructions are rules of
 *  zlay/mma.h; operands of copies are rules of zlay/copy.h.
 */
#ifndef ZLAY_INSTRUCTION_H
#define ZLAY_INSTRUCTION_H

#include <zlay/rule.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a form is, in short. */
typedef struct zlay_form {
    uint32_t ptx;        /* the oldest PTX version that has it, 86 of 8.6; 0: it
                          * is no PTX but text of gfx targets */
    uint32_t operands;   /* registers and immediates, each of a vector one */
    const char *targets; /* those that have it, as documents name them */
} zlay_form;

/** One operand of a form. */
typedef struct zlay_operand {
    char name[16];   /* as the text has it: "dst", "c0" */
    uint32_t bits;   /* of its registers; 0: an immediate and nothing else */
    int32_t cls;     /* 'r' .b32, 'd' .b64, 'h' .b16, 'q' .b128, 'f' .f32,
                      * 'g' .f64, 'p' .pred, 'i' immediate; of gfx targets 'v'
                      * VGPRs, 'a' AGPRs, 's' SGPRs, bits / 32 in a row */
    int32_t field;   /* ZLAY_FIELD_* of a constant that has rules, else 0 */
    uint32_t reserved; /* 0 */
} zlay_operand;

/** A constant in the place of an operand; of registers of gfx targets the number
 *  of the first. */
typedef struct zlay_constant {
    int32_t field;     /* as zlay_operand has it */
    uint32_t reserved; /* 0 */
    int64_t value;
} zlay_constant;

enum { ZLAY_CONSTANTS_MOST = 6 };

/** A form and what is asked about it. */
typedef struct zlay_instruction {
    uint32_t form;     /* of zlay_instruction_find or _at */
    uint32_t ptx;      /* PTX version of the text, 86 of 8.6; 0: not asked */
    uint32_t count;    /* constants given, at most ZLAY_CONSTANTS_MOST */
    uint32_t reserved; /* 0 */
    zlay_constant constant[ZLAY_CONSTANTS_MOST];
} zlay_instruction;

/** Find a form by its id, or by the PTX opcode with all its modifiers (where
 *  forms differ in operands only, the first; .tile may be left out of a tensor
 *  copy, as PTX has it).
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such form; ZLAY_EINVAL a NULL.
 *  Out:     out  the form's number, which lasts as long as zlay_rules_version
 *                is the same.
 */
ZLAY_API zlay_status zlay_instruction_find(uint32_t *out, const char *name,
                                           size_t length);

/** How many forms there are. */
ZLAY_API size_t zlay_instruction_count(void);

/** The number of the i-th form.  Returns ZLAY_OK; ZLAY_NONE past the last;
 *  ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_instruction_nth(uint32_t *out, size_t i);

/** Read a form.  Returns: ZLAY_OK; ZLAY_NONE no such form; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_instruction_info(zlay_form *out, uint32_t form);

/** Read the i-th operand of a form, in the order of its text.  Returns:
 *  ZLAY_OK; ZLAY_NONE past the last, or no such form; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_instruction_operand_nth(zlay_operand *out, uint32_t form, size_t i);

/** Print the id of a form.  Returns: ZLAY_OK, ZLAY_NONE, ZLAY_EROOM,
 *  ZLAY_EINVAL. */
ZLAY_API zlay_status zlay_instruction_id(zlay_buf *out, uint32_t form);

/** Print the text of a form.
 *
 *  Returns: ZLAY_OK, ZLAY_NONE, ZLAY_EROOM; ZLAY_EINVAL a NULL.
 *  In:      operands  texts in the order of the form's operands; those past
 *                     `count` are printed as their names.
 */
ZLAY_API zlay_status zlay_instruction_print(zlay_buf *out, uint32_t form,
                                            const char *const *operands,
                                            size_t count);

/** Check a form on a target, its PTX version and its constants.
 *
 *  Returns: ZLAY_OK      the question is answered, in *out.
 *           ZLAY_EINVAL  a NULL, no such form, a constant that the form has
 *                        not or has twice, a reserved word that is not 0.
 *  Out, In: as zlay_tensormap_check.
 *  Pure: allocates nothing, safe from any thread.
 */
ZLAY_API zlay_status
zlay_instruction_check(zlay_verdict *out, zlay_reason *reasons, size_t room,
                       const zlay_target *target,
                       const zlay_instruction *instruction);

#ifdef __cplusplus
}
#endif
#endif
