/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/target.h - the GPU targets: a table, and what each row has.
 *
 *  By hand: sm_90a is row "sm_90a" of the table, of class "sm_90": 32 lanes a
 *  warp, 1024 threads and 65536 registers of 32 bits a block, 232448 bytes of
 *  dynamic shared memory, the features "tma" and "wgmma" among others.
 */
#ifndef ZLAY_TARGET_H
#define ZLAY_TARGET_H

#include <zlay/base.h>
#include <zlay/type.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What a verdict or a number rests on: a document, a measurement, or arithmetic
 *  on documented or measured numbers. */
enum { ZLAY_BASIS_DOCUMENTED = 1, ZLAY_BASIS_MEASURED, ZLAY_BASIS_RECKONED };

/** "documented", "measured", "reckoned"; NULL for no basis. */
ZLAY_API const char *zlay_basis_name(int32_t basis);

/** A GPU target, as "sm_90a": a row of a table, never freed. */
typedef struct zlay_target zlay_target;

/** Find a target by its name.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no such target; ZLAY_EINVAL a NULL.
 *  Out:     out  a static row.
 *  In:      name, length  as "sm_90a", 6.
 */
ZLAY_API zlay_status zlay_target_find(const zlay_target **out, const char *name, size_t length);

/** The name of a target; NULL for NULL. */
ZLAY_API const char *zlay_target_name(const zlay_target *target);

/** The version of the driver whose verdicts a target's rows repeat; NULL where
 *  none was asked, and for NULL. */
ZLAY_API const char *zlay_target_driver(const zlay_target *target);

/** How many targets the table has. */
ZLAY_API size_t zlay_target_count(void);

/** The i-th target of the table, NULL past its end. */
ZLAY_API const zlay_target *zlay_target_nth(size_t i);

/** The bytes that one thread loads or stores at once, n bytes as bit n; NULL:
 *  what every target has.
 *
 *  In:      shared  0 global memory, else shared memory.
 */
ZLAY_API uint64_t zlay_target_widths(const zlay_target *target, int32_t shared);

/** The bytes that one lane's load writes straight to shared memory, each lane's
 *  beside the one before, n bytes as bit n; 0: it has no such loads. */
ZLAY_API uint64_t zlay_target_direct(const zlay_target *target);

/** What a target is and gives; 0 where it has none, or no document says. */
typedef struct zlay_target_summary {
    uint32_t architecture;        /* 90 of sm_90a; 0x942 of gfx942 */
    int32_t suffix;               /* 'a', 'f' or 0 */
    uint32_t ptx;                 /* the oldest PTX version that knows it, 80 of 8.0 */
    uint32_t lanes;               /* threads of a warp or wave */
    uint32_t threads;             /* of a block, at most */
    uint32_t registers;           /* of 32 bits, of a thread */
    uint32_t register_file;       /* of 32 bits, of a block */
    uint32_t banks;               /* of shared memory */
    uint32_t bank_bytes;          /* that a bank is wide */
    uint32_t cluster;             /* blocks of a cluster that every such device runs */
    uint32_t cluster_most;        /* blocks that a launch may ask for */
    uint32_t smem_granule;        /* bytes in which shared memory is allocated */
    uint64_t smem;                /* bytes of dynamic shared memory of a block */
    uint64_t smem_multiprocessor; /* bytes of shared memory of a multiprocessor */
    const char *cls;              /* as rules speak of it: "sm_90" */
} zlay_target_summary;

/** Read what a target is.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_target_info(zlay_target_summary *out, const zlay_target *target);

/** The i-th feature of a target, as "tma"; NULL past the last. */
ZLAY_API const char *zlay_target_feature_nth(const zlay_target *target, size_t i);

/** The type that a target's own matrix instructions mean by a type's name: on
 *  gfx942 e4m3 and e5m2 are e4m3fnuz and e5m2fnuz.  Any other is itself. */
ZLAY_API int32_t zlay_target_type(const zlay_target *target, int32_t type);

#ifdef __cplusplus
}
#endif
#endif
