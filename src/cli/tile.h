/* SPDX-License-Identifier: Apache-2.0 */
/* One tile of a plan in the CPU model: its copies, its wgmma and its epilogue. */
#ifndef ZL_CLI_TILE_H
#define ZL_CLI_TILE_H

#include "cli/matrix.h"
#include "cli/model.h"

#include <zlay/sim.h>

enum {
    ZL_MODEL_ORIGIN = 1024,
    ZL_MODEL_ROWS = 64
}; /* shared address of a block; rows of a consumer */

typedef struct zl_model {
    const zlay_plan *plan;
    zlay_plan_summary info;
    zlay_tensormap map[3];
    zl_matrix a, b, d; /* of the request */
    zlay_sim_global
        global[3]; /* of the planned product: A and B change places when it is swapped */
    zlay_sim_smem smem;
    float *acc;        /* consumers x ZL_MODEL_ROWS x tile_n; of integers their bits are s32 */
    uint32_t *staging; /* byte of (row, column) of a pass in a consumer's staging */
    double *sums;      /* of a tile, by the reference */
    uint64_t limit;    /* of the tiles that are whole, how many to run */
    zl_model_report report;
} zl_model;

typedef struct zl_tile {
    uint64_t m, n, k; /* numbers of the tile and of its K step */
} zl_tile;

/* Run a tile into D; a fault is noted in the report and ends it. */
zlay_status zl_tile_run(zl_model *m, zl_tile t);

#endif
