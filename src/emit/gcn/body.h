/* SPDX-License-Identifier: Apache-2.0 */
/* A use of a body while its AMDGCN is printed. Values of nodes have the registers that zl_room gives
 * them, from `base` on; before these stand scratch registers, constants and addresses of D. */
#ifndef ZL_EMIT_GCN_BODY_H
#define ZL_EMIT_GCN_BODY_H

#include "body/room.h"
#include "emit/gcn/wave.h"

/* Registers of a lane, by number. Those from ROWS on are followed by the body's values. */
enum {
    ZL_GB_THREAD = 0, /* the thread's number in the block */
    ZL_GB_NOWHERE,    /* an offset outside of D; scratch before */
    ZL_GB_ADDRESS,    /* two, of 64 bits */
    ZL_GB_TEMP = 4,   /* four */
    ZL_GB_NAN = 8,    /* a NaN of bf16 in the upper half */
    ZL_GB_MASKED,     /* the offset of a store that may lie outside */
    ZL_GB_COLUMN,     /* the lane's first column of the tile, then its first row */
    ZL_GB_ROW,
    ZL_GB_ROWS        /* the address of each of its rows in D */
};

enum { ZL_GB_TEMPS = 4, ZL_GB_TEXT = 32 };
#define ZL_GB_OWN UINT32_MAX

typedef struct zl_gb {
    zl_wave_text *t;
    const zlay_body *body;
    const zl_event *event;
    const zl_elements *elements;
    zl_room *room;
    zl_room_outputs outputs;
    const uint32_t *bound; /* by operand: its first register, of scalars and indices a scalar one, ZL_GB_OWN: a GEMM's; NULL: all are a GEMM's */
    uint32_t arrays; /* of the kernel before those of the body */
    uint32_t base;  /* register of the body's values */
    uint32_t masks; /* scalar register of the first mask */
    uint32_t run;   /* the first of the elements that are computed */
    uint32_t pass;
    uint32_t mask_at, trans_at, wide_at; /* when a mask, a transcendental, a wide store was printed */
} zl_gb;

/* Register i of a node's values, of conditions the mask. */
uint32_t zl_gb_register(const zl_gb *g, int32_t node, uint32_t i);
/* The text of a register or a mask. */
const char *zl_gb_name(const zl_gb *g, char room[ZL_GB_TEXT], int32_t node, uint32_t i);
/* What register i of a value like `n` reads of an operand; a pair that lies in no register is put together
 * in scratch register `temp` first. */
const char *zl_gb_operand(zl_gb *g, char room[ZL_GB_TEXT], int32_t arg, const zl_body_node *n, uint32_t i,
                          uint32_t temp);

/* Instructions divided by `; `: operands %0 and on, scratch registers %t to %w, wait states between them
 * where they owe some. */
void zl_gb_say(zl_gb *g, const char *text, const char *const *operands);
#define zl_gb_says(g, text, ...) zl_gb_say((g), (text), (const char *const[]){__VA_ARGS__})
/* v<number>, s[<number>:<number> + 1], a number. */
const char *zl_gb_vector(char room[ZL_GB_TEXT], uint32_t number);
const char *zl_gb_pair(char room[ZL_GB_TEXT], uint32_t number);
const char *zl_gb_number(char room[ZL_GB_TEXT], uint32_t number);
const char *zl_gb_decimal(char room[ZL_GB_TEXT], uint32_t number);

/* The address of an element of an array, in ZL_GB_ADDRESS. */
void zl_gb_address(zl_gb *g, const zl_body_node *n, const char *index);

/* The thread's own row or column, as the elements say it, in a register. */
void zl_gb_coordinate(zl_gb *g, uint32_t to, const zl_element_axis *axis);

/* All values of a node at once: of its rows, of the run's columns or elements. */
void zl_gb_node(zl_gb *g, int32_t node);
void zl_gb_load(zl_gb *g, int32_t node);
void zl_gb_row_store(zl_gb *g, int32_t node);
void zl_gb_convert(zl_gb *g, int32_t node);
/* What rounds two f32, %1 and %2, to two bf16 in %0. */
const char *zl_gb_narrow(const zlay_target *target);
/* A reduction: before its pass, of the run's elements, and across lanes behind the pass. */
void zl_gb_reduce_begin(zl_gb *g, int32_t node);
void zl_gb_reduce(zl_gb *g, int32_t node);
void zl_gb_lanes(zl_gb *g, int32_t node);

/* Notes that the target has no instruction for something. */
void zl_gb_refuse(zl_gb *g, const char *what, int32_t type);

/* Where an element, or a pair of them, of an operand that is bound lies: of the run's register i. */
uint32_t zl_gb_bound(const zl_gb *g, int32_t operand, const zl_body_node *n, uint32_t i);

/* The constants that bodies use; the addresses of a GEMM's arrays. */
void zl_gb_constants(zl_wave_text *t);
void zl_gb_arrays(zl_gb *g);
/* All of a body, with `store` called for each run of a pass behind which an output is complete. */
typedef void zl_gb_store(zl_gb *g);
void zl_gb_body(zl_gb *g, zl_gb_store *store);
/* Where results are registers that are bound: what matrices become, a `store` of zl_gb_body; and what rows become, behind it. */
void zl_gb_move(zl_gb *g);
void zl_gb_move_rows(zl_gb *g);

#endif
