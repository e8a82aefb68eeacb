/* SPDX-License-Identifier: Apache-2.0 */
/* Candidates of one request, which a GPU is asked about: kernels on the same tensors. */
#ifndef ZL_CLI_CONTEST_H
#define ZL_CLI_CONTEST_H

#include "cli/cli.h"
#include "cli/matrix.h"

#include <zlay/runtime.h>

enum {
    ZL_CONTESTANTS = ZLAY_TUNING_OTHERS + 1,
    ZL_CONTEST_ROUNDS = 1000,
    ZL_CONTEST_SETS = 10,
    ZL_CONTEST_TENSORS = 6
};

typedef struct zl_contestant {
    zlay_kernel *kernel;
    char choice[ZLAY_TUNING_CHOICE];
    float times[ZL_CONTEST_ROUNDS]; /* ms */
} zl_contestant;

typedef struct zl_contest zl_contest;

/* What differs from one kind of request to another. */
typedef struct zl_contest_kind {
    zlay_status (*load)(zl_contest *c, uint32_t i); /* the kernel of candidate i */
    zlay_status (*bind)(zl_contest *c, uint32_t i, const uint64_t *address); /* of each tensor */
    zlay_status (*key)(zl_contest *c, char *key, const zlay_tuning_device *device);
} zl_contest_kind;

struct zl_contest {
    zlay_ctx *ctx;
    const zl_options *options;
    const zlay_target *target;
    const zl_contest_kind *kind;
    void *plans; /* the kind's */
    zl_matrix tensor[ZL_CONTEST_TENSORS]; /* filled; the results hold the canary */
    uint32_t tensors, result;
    double error; /* by which elements of two results may differ; 0: the bits are compared */
    uint32_t count;
    zl_contestant *of; /* ZL_CONTESTANTS of them */
    zlay_device *device;
    zlay_device_summary info;
    uint64_t address[ZL_CONTEST_SETS][ZL_CONTEST_TENSORS];
    uint32_t sets;
};

/* How many candidates the options ask for. */
size_t zl_contest_wanted(const zl_contest *c);

/* Open the device, compare the candidates' results, time them, print the times, add the fastest to
 * the cache; the exit code. */
int zl_contest_run(zl_contest *c);

/* Free all but `plans`. */
void zl_contest_free(zl_contest *c);

/* Say why nothing ran; the exit code. */
int zl_not_run(const char *why);

/* The text of a cache's records. */
zl_text_writer zl_write_cache;

#endif
