/* SPDX-License-Identifier: Apache-2.0 */
/* Uses of maps run by the device. */
#ifndef USE_RUN_H
#define USE_RUN_H

#include "use_draw.h"

typedef struct use_result {
    uint32_t fault;  /* CUresult of the launch; 0: it ended */
    uint32_t refused; /* CUresult of the encode */
    uint32_t landed; /* 1 the barrier's phase ended, 0 it did not, 2 nothing was issued */
    uint32_t base;   /* shared address of bytes[0] */
    uint32_t late;   /* as landed, where 16 bytes more were expected */
    uint32_t pad[3];
    uint8_t bytes[USE_SMEM]; /* shared memory after a load, the array after a store */
} use_result;

/* Run uses [0, count) of a source; each fault costs a process. 0: there is no device. */
typedef use_case use_source(uint64_t seed, uint64_t i);
int use_run(use_result *results, use_source *source, uint64_t seed, uint64_t count);

#endif
