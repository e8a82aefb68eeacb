/* SPDX-License-Identifier: Apache-2.0 */
/* zlay_kernel: a loaded kernel, what its launch needs, and arguments that a caller sets by name. */
#ifndef ZL_RUNTIME_KERNEL_H
#define ZL_RUNTIME_KERNEL_H

#include "runtime/runtime.h"
#include <zlay/emit_pipe.h>

enum { ZL_MATRICES = 3, ZL_OPERAND_ARGUMENTS = 6 /* maps and addresses */ };

/* The kernel that repacks an operand. */
typedef struct zl_copy_kernel {
    zlay_module module; /* the product's, with a function of its own; no device: there is none */
    zlay_repack where;
    zlay_transfer_summary info;
    uint64_t arguments[2]; /* the addresses of source and destination */
} zl_copy_kernel;

/* An argument that is set by its name; a map by the name of its tensor. */
typedef struct zl_argument {
    zlay_pipe_argument what;
    char tensor[4];      /* of a map */
    zlay_tensormap map;  /* of the tensor at address 0 */
    uint64_t count;      /* of offsets how many there are; 0: it has none */
    uint64_t rows;       /* that bound them */
    uint64_t own;        /* address of offsets that the kernel keeps; 0: none */
    bool ready;
    unsigned char value[ZL_MAP_BYTES];
} zl_argument;

struct zlay_kernel {
    zlay_module module;
    zlay_launch launch;
    zlay_plan_summary info; /* of a product */
    zlay_tensormap map[ZL_MATRICES];
    bool by_tensor[ZL_MATRICES];
    bool by_waves; /* arguments are addresses alone, the grid has a block a tile */
    bool by_names; /* attention: every argument is set by its name */
    bool bound;
    uint64_t align[ZL_MATRICES];   /* of addresses, bytes */
    uint64_t address[ZL_MATRICES]; /* of the planned operands, after `swapped` */
    unsigned char bits[ZL_MATRICES][ZL_MAP_BYTES];
    zl_copy_kernel copy[ZL_MATRICES];
    zl_argument *more; /* the arguments behind those of the operands */
    uint32_t more_count;
    uint64_t workspace;       /* the address in use; 0: none */
    uint64_t own_workspace;   /* the address allocated; 0: none */
    uint64_t workspace_bytes; /* that the plan needs */
    const char *counter; /* the argument that is the workspace, 0 before a launch; NULL: none */
};

/* Take memory for `count` arguments that are set by name. */
zlay_status zl_arguments_make(zlay_ctx *ctx, zlay_kernel *kernel, uint32_t count);

/* The workspace that a kernel allocates at load: it is cleared where launches expect zeros. */
zlay_status zl_workspace_make(zlay_ctx *ctx, zlay_kernel *kernel);

/* Give an argument that is part of the plan; a kernel without it is left as it is. */
void zl_argument_fix(zlay_kernel *kernel, const char *name, const void *value);

/* ZLAY_EINVAL where an argument was not set, with its name. */
zlay_status zl_arguments_ready(zlay_ctx *ctx, const zlay_kernel *kernel);

/* Refuse a device of another target than the plan's. */
zlay_status zl_kernel_target_check(zlay_ctx *ctx, const zlay_device *device,
                                   const zlay_target *target);

/* A kernel of a device with nothing in it, NULL without memory; freed inside an entered call. */
zlay_kernel *zl_kernel_new(zlay_ctx *ctx, zlay_device *device);
void zl_kernel_drop(zlay_kernel *kernel);

#endif
