/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/direct.h - where loads to shared memory land.
 *
 *  A load to shared memory writes what its lanes bring one after another: lane l at
 *  the bytes that M0 says, plus the instruction's offset, plus l times the lane's
 *  bytes.  The offset moves both ends, the one that is read and the one that is
 *  written.
 *
 *  By hand, on gfx950: buffer_load_dwordx4 .. offset:32 lds with M0 1024 writes
 *  lane l's 16 bytes at 1056 + 16 l, the wave's 1024 bytes in a row.  To write
 *  the same bytes from 1024 on M0 is 992.  A load of 2 bytes writes a word of 4 a
 *  lane: 4 l.  With 12 bytes sources differ (16 l, or 12 l): UNDECIDED.
 */
#ifndef ZLAY_DIRECT_H
#define ZLAY_DIRECT_H

#include <zlay/target.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Forms of such a load. */
enum { ZLAY_DIRECT_BUFFER = 0, ZLAY_DIRECT_GLOBAL };

/** A load of one wave. */
typedef struct zlay_direct {
    int32_t form;      /* ZLAY_DIRECT_* */
    uint32_t bytes;    /* of a lane: 1, 2, 4; on gfx950 also 12, 16 */
    uint32_t m0;       /* its low 16 bits count; of global loads bits 2 to 17 */
    int32_t offset;    /* of the instruction, bytes */
    uint32_t reserved[2]; /* 0 */
} zlay_direct;

/** Where it lands, in the block's shared memory. */
typedef struct zlay_direct_place {
    int32_t answer;    /* ZLAY_YES, or ZLAY_UNDECIDED: `stride` is not known */
    uint32_t stride;   /* bytes from lane to lane */
    uint32_t width;    /* bytes that a lane writes */
    uint32_t reserved; /* 0 */
    int64_t first;     /* where lane 0 lands, bytes; below 0: in front of it all */
    const char *source; /* of stride */
    const char *gap;    /* what sources do not settle; NULL: nothing */
} zlay_direct_place;

/** Say where a load to shared memory lands.
 *
 *  Returns: ZLAY_OK       the question is answered, in *out.
 *           ZLAY_EINVAL   a NULL, an unknown form, a reserved word that is not 0,
 *                         or bytes that no such load of the target has.
 *           ZLAY_ENOTSUP  a target without such loads by M0.
 *  Pure: allocates nothing, safe from any thread.
 */
ZLAY_API zlay_status zlay_direct_lands(zlay_direct_place *out, const zlay_target *target,
                                       const zlay_direct *load);

/** M0 with which a load lands at `first`, whatever its offset: load->m0 is not
 *  read.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no M0 does: it would be negative, off 4 bytes, or
 *           past its bits; ZLAY_EINVAL, ZLAY_ENOTSUP as zlay_direct_lands.
 */
ZLAY_API zlay_status zlay_direct_m0(uint32_t *out, const zlay_target *target,
                                    const zlay_direct *load, uint32_t first);

#ifdef __cplusplus
}
#endif
#endif
