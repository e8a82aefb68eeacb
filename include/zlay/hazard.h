/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/hazard.h - wait states that text owes between two instructions.
 *
 *  Some results are not interlocked: the hardware lets the next instruction read
 *  the register too early, and the writer of the text puts s_nop between.  A
 *  compiler does so for its own instructions and for none of an inline asm.
 *
 *  By hand: on gfx942 v_mfma_f32_32x32x8_f16 has 8 passes and writes v[0:15].  A
 *  global_store of v0 behind it reads them as an operand of memory: 11 wait
 *  states, s_nop 10.  The next product that adds to the same v[0:15] owes none.
 *  On gfx950 the store owes 12, on gfx90a, where the product has 16 passes, 19:
 *  s_nop 15 and s_nop 2.
 *
 *  A wait state is one instruction of the wave, or one of s_nop's: every
 *  instruction between the two counts.  What returns from memory is no hazard:
 *  counters wait for it.
 */
#ifndef ZLAY_HAZARD_H
#define ZLAY_HAZARD_H

#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What the first instruction does; a union of them. */
enum {
    ZLAY_FIRST_MATRIX = 1,        /* mfma, smfmac but for the next three */
    ZLAY_FIRST_MATRIX_F32 = 2,    /* of f32 */
    ZLAY_FIRST_MATRIX_F64_4 = 4,  /* of f64, 4x4x4 */
    ZLAY_FIRST_MATRIX_F64_16 = 8, /* of f64, 16x16x4 */
    ZLAY_FIRST_VALU = 16,         /* writes a VGPR, no matrix nor dot product */
    ZLAY_FIRST_TRANS = 32,        /* so do v_rcp, v_exp and their like */
    ZLAY_FIRST_DOT = 64,          /* v_dot* writes a VGPR; before the same
                                   * instruction it is no hazard */
    ZLAY_FIRST_PART = 128,        /* a part of a VGPR: sdwa, op_sel */
    ZLAY_FIRST_VALU_SGPR = 256,   /* a vector instruction writes an SGPR or VCC */
    ZLAY_FIRST_VALU_EXEC = 512,   /* and EXEC: v_cmpx */
    ZLAY_FIRST_SALU_M0 = 1024,    /* a scalar instruction writes M0 */
    ZLAY_FIRST_STORE_WIDE = 2048  /* a store of 12 or 16 bytes whose offset is no
                                   * SGPR reads VGPRs */
};

/** What the second does with what the first left; a union of them. */
enum {
    ZLAY_THEN_MEMORY = 1,        /* VMEM, FLAT, LDS: an address, or data to store */
    ZLAY_THEN_VALU_READS = 2,
    ZLAY_THEN_TRANS_READS = 4,   /* v_rcp, v_exp and their like */
    ZLAY_THEN_VALU_WRITES = 8,
    ZLAY_THEN_LOAD_WRITES = 16,  /* what a load returns */
    ZLAY_THEN_MATRIX_AB = 32,    /* A or B of a matrix instruction */
    ZLAY_THEN_MATRIX_SAME = 64,  /* its C: the registers of the first's D, all */
    ZLAY_THEN_MATRIX_C = 128,    /* its C: others that overlap them */
    ZLAY_THEN_MATRIX_C_F32 = 256, /* the same of one of f32 */
    ZLAY_THEN_MATRIX_C_F64 = 512, /* the same of one of f64 */
    ZLAY_THEN_MATRIX_WRITES = 1024,
    ZLAY_THEN_OVERWRITES_C = 2048, /* a vector instruction or a load writes what
                                    * the first reads as C */
    ZLAY_THEN_LANE_READS = 4096, /* v_readlane, v_readfirstlane: the VGPR */
    ZLAY_THEN_LANE_SELECT = 8192, /* v_readlane, v_writelane: the lane's SGPR */
    ZLAY_THEN_PERMLANE = 16384,  /* v_permlane*_swap */
    ZLAY_THEN_DPP = 32768,       /* an operand of DPP */
    ZLAY_THEN_MEMORY_SGPR = 65536, /* VMEM, FLAT: an SGPR */
    ZLAY_THEN_VALU_SGPR = 131072,  /* a vector instruction: an SGPR, VCC too */
    ZLAY_THEN_DIV_FMAS = 262144,   /* v_div_fmas: VCC */
    ZLAY_THEN_M0 = 524288,       /* loads to LDS (their address is VALU_READS as
                                  * well), s_sendmsg, s_movrel */
    ZLAY_THEN_VMEM = 1048576,    /* VMEM or FLAT at all: EXEC */
    ZLAY_THEN_MATRIX = 2097152,  /* a matrix instruction at all: EXEC */
    ZLAY_THEN_MEMORY_F64 = 4194304 /* as MEMORY, and a matrix instruction of f64
                                    * stands between the two */
};

/** Two instructions of a wave. */
typedef struct zlay_hazard {
    uint32_t first;  /* ZLAY_FIRST_*, joined */
    uint32_t then;   /* ZLAY_THEN_*, joined */
    uint32_t passes; /* of a first that is a matrix instruction, of 4 cycles: 2,
                      * 4, 8, 16; of one of f64 and of others 0 */
    uint32_t reserved; /* 0 */
} zlay_hazard;

/** Count the wait states between two instructions of a wave.
 *
 *  Returns: ZLAY_OK       they are in *out; 0 there is no hazard.
 *           ZLAY_EINVAL   a NULL, a bit that has no name, passes that such an
 *                         instruction of the target has not, a reserved word.
 *           ZLAY_ENOTSUP  no rows for the target.
 *  Out:     out  wait states: instructions of the wave, or s_nop's.
 *  Pure: allocates nothing, safe from any thread.
 */
ZLAY_API zlay_status zlay_hazard_states(uint32_t *out, const zlay_target *target,
                                        const zlay_hazard *hazard);

/** What an instruction form (zlay/instruction.h) does as the first of two and as
 *  the second, with all of its registers: leave out what the two do not share.
 *  Products are no such forms: their kind and passes are the caller's.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such form, or one that neither leaves nor meets a
 *           hazard that we know of; ZLAY_EINVAL a NULL.
 *  Out:     out  first, then; passes 0.
 */
ZLAY_API zlay_status zlay_hazard_form(zlay_hazard *out, uint32_t form);

/** Print so many wait states as s_nop, a line each; 0: nothing.
 *
 *  Returns: ZLAY_OK, ZLAY_EROOM; ZLAY_EINVAL a NULL, or more than 255.
 */
ZLAY_API zlay_status zlay_hazard_print(zlay_buf *out, uint32_t states);

#ifdef __cplusplus
}
#endif
#endif
