/* SPDX-License-Identifier: Apache-2.0 */
/* A use of a body while its code is printed: nodes have registers of their own, v<node>, in a
 * scope of the use; operands have those of the pipe. */
#ifndef ZL_EMIT_PIPE_BODY_H
#define ZL_EMIT_PIPE_BODY_H

#include "emit/pipe/pipe.h"

enum { ZL_PB_NAME = 96, ZL_PB_CHUNK = 4 /* elements: a register of the smallest type */ };

typedef struct zl_pb {
    zl_pipe_text *k;
    const zlay_body *body;
    const zl_event *event;
    const zl_elements *elements;
    bool folded; /* the matrices of bytes that the body makes are factors, see zl_pb_at */
    int divided; /* rows of the role's instances are different; -1: nothing says it */
    int32_t acc[ZL_BODY_OPERANDS];
    uint32_t temps; /* used in this use */
} zl_pb;

/* The element at a place of the matrix, in the order in which registers of bytes take them. A factor of a product has four
 * elements of one row in a register and sums have two side by side, so the other two are those half the columns further: of
 * the columns 8 j + c of n, bytes 0 and 1 are of block j, bytes 2 and 3 of block j + n / 16. */
uint32_t zl_pb_at(const zl_pb *t, uint32_t place);
/* Elements in a register of a node: 1, 2 or 4. */
uint32_t zl_pb_pack(const zl_body_node *n);
/* Registers of a node. */
uint32_t zl_pb_count(const zl_pb *t, const zl_body_node *n);
/* The i-th of them. */
const char *zl_pb_register(const zl_pb *t, char room[ZL_PB_NAME], int32_t node, uint32_t i);
/* What register i of a node of `shape` and `pack` elements reads of an operand; a pair that lies
 * in no register is put into a temporary first. */
const char *zl_pb_operand(zl_pb *t, char room[ZL_PB_NAME], int32_t arg, const zl_body_node *n,
                          uint32_t i);
/* The same text where no f32 is read: a number as its bits, which both languages move. */
const char *zl_pb_plain(char room[ZL_PB_NAME]);
/* A fresh 32-bit register of the use. */
const char *zl_pb_temp(zl_pb *t, char room[ZL_PB_NAME]);

/* The body of a use; NULL: the event has none. The matrix of an instruction's fragment. The line and the registers that are refused. */
const zlay_body *zl_pt_body_of(const zl_pipe_text *k, const zl_event *e);
zlay_status zl_pt_fragment_read(const zl_pipe_text *k, zl_elements *out, const zlay_mma *mma, int32_t fragment);
zlay_status zl_pt_refuse(const zl_pipe_text *k, const zl_event *e, const char *name, const char *what);

/* All registers of what a node loads from a stage of shared memory; and what its thread adds to the places of stage 0, in a
 * register of the role. */
void zl_pb_shared(zl_pb *t, int32_t node);
void zl_pb_shared_keep(zl_pb *t, int32_t node);
/* Where the body loads by rows from global memory: the thread's first row, in a register of the role. */
void zl_pb_row_keep(zl_pb *t);
/* The i-th of four registers of 16 bits; element v of a value, as an operand of 32 bits. */
const char *zl_pb_half(const zl_pb *t, int i);
const char *zl_pb_element(zl_pb *t, char room[ZL_PB_NAME], int32_t arg, const zl_body_node *n,
                          uint32_t i, uint32_t v);
/* Prints register i of a conversion. */
void zl_pb_convert(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i);
/* Of e2m1 and of ue8m0, and f16 as bf16 where its values are those of 8 bits. */
void zl_pb_e2m1(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i);
void zl_pb_ue8m0(zl_pb *t, const zl_body_node *n, const char *to, uint32_t i);
void zl_pb_f16_to_bf16(zl_pb *t, const char *to, const char *from);
/* Prints register i of a node. */
void zl_pb_node(zl_pb *t, int32_t node, uint32_t i);
/* All of a node whose registers are not computed one by one. */
void zl_pb_reduce(zl_pb *t, int32_t node);

#endif
