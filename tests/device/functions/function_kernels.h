/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels around the functions that zlay prints for other authors, as text of CUDA C and of PTX. Each is
 * `k_NAME(in, out, n)`: two addresses and a number. */
#ifndef FUNCTION_KERNELS_H
#define FUNCTION_KERNELS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum {
    LOAD_ROOM = 32768, /* bytes of the largest box */
    RING_WATCHED = 288, /* threads of a ring's kernel: those of the pipe, and a warp that watches them */
    RING_SPARE = 256, /* bytes behind the stages, for barriers */
    PRODUCT_ROWS = 64, /* of A, of B and of D */
    PRODUCT_DEPTH = 128
};

/* What stands before all functions. */
void function_head_put(FILE *file, int32_t language);

/* A layout's function: thread i < n takes its coordinates at in[dims i], 64 bits each, and writes the value at
 * out[2 i] and whether it is there at out[2 i + 1]. `wide`: bit d says that coordinate d has 64 bits. */
typedef struct value_function {
    const char *name;
    uint32_t dims;
    uint64_t wide;
    bool long_value, there; /* long_value: of PTX, the result has 64 bits; there: NAME_there exists */
} value_function;
void value_kernel_put(FILE *file, int32_t language, const value_function *f);

/* A function of registers: each thread has `in` words at the one address and gets `out` words at the other. */
typedef struct register_function {
    const char *name;
    uint32_t in, out, blocks; /* blocks: of a cluster */
    bool shared;              /* it gets the block's dynamic shared memory */
    bool in_place;            /* of CUDA C: one array is read and written */
} register_function;
void register_kernel_put(FILE *file, int32_t language, const register_function *f);

/* A tensor map's 16 words, and the address of the array behind them. */
void map_kernel_put(FILE *file, int32_t language, const char *name);

/* A matrix descriptor: thread i < n takes a shared address and a step, 64 bits each, and writes their descriptor. */
void desc_kernel_put(FILE *file, int32_t language, const char *name, bool steps);

/* A ring's kernel: each block, or each cluster of `blocks` for all of them, brings n stages. Of CUDA C around NAME_run, with a warp that ends
 * the program where the others have not ended after seconds. */
void ring_kernel_put(FILE *file, int32_t language, const char *name, int stages, int blocks);

/* Of CUDA C: D = A B^T of 64 x 64 x 128 by one wgmma a step, whose descriptors are NAME(address) + NAME_step(step).
 * `in` has A and B as they lie in shared memory, `out` gets 32 words a thread. */
void product_kernel_put(FILE *file, const char *name);

/* A module of PTX with `load1`, `load2` and `load5`: one box of a tensor, by the tensor map at an address, to `out`
 * by way of shared memory that was full of 0x5a: (map, coordinates, out, bytes). Its wait is bounded. */
void load_module_put(FILE *file);

#endif
