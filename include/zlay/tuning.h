/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/tuning.h - what was measured, kept as text: which candidate of a request was the
 *  fastest on a device.
 *
 *  A record is a line (docs/tuning.md): its key, what was chosen, what was measured, a
 *  checksum.  By hand, one GEMM on an H200, here in five lines:
 *      gemm device=NVIDIA_H200 arch=sm_90a processors=132 driver=13000 rules=79
 *       types=bf16,bf16,bf16 orders=row,col,row options=- asks=auto,auto,auto,1,never,-,-
 *       legal=128,128,128 class=4096x4096x4096 shape=4096x4096x4096 : tile=128x256x64
 *       multicast=b swap=never stream_k=never split_k=1 : ns=201300 rounds=25
 *       others=203900 ~1f2e3d4c
 *  A class has each extent rounded up to 2^e or 3 * 2^e; a request finds the record of its
 *  own shape, else the best one of its class.
 *
 *  Nothing here is trusted: a choice that is read is one of the request's candidates today, or
 *  it is not taken, and it is planned and proved as any request.  No function reads or writes
 *  a file.
 */
#ifndef ZLAY_TUNING_H
#define ZLAY_TUNING_H

#include <zlay/attention.h>
#include <zlay/candidates.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ZLAY_TUNING_KEY = 512, ZLAY_TUNING_CHOICE = 128, ZLAY_TUNING_REASON = 96,
       ZLAY_TUNING_OTHERS = 15 };

/** Records, one for a key, in the order of their keys.  For one thread at a time. */
typedef struct zlay_tuning zlay_tuning;

/** One record.  Texts are 0-terminated. */
typedef struct zlay_tuning_record {
    char key[ZLAY_TUNING_KEY];
    char choice[ZLAY_TUNING_CHOICE];
    uint64_t ns;           /* median of the choice, at least 1 */
    uint32_t rounds;       /* of which it is the median, at least 1 */
    uint32_t others_count; /* candidates that were timed beside it */
    uint64_t others[ZLAY_TUNING_OTHERS]; /* their medians, ns, ascending, none below `ns` */
} zlay_tuning_record;

/** A line that was refused. */
typedef struct zlay_tuning_bad {
    uint64_t line; /* from 1 */
    char reason[ZLAY_TUNING_REASON];
} zlay_tuning_bad;

/** Where a record was, or is to be, measured. */
typedef struct zlay_tuning_device {
    const char *name;     /* the driver's, 0-terminated; of a key its first 64 bytes; NULL: any */
    uint32_t processors;  /* 0: any number */
    int32_t driver;       /* 0: any version */
} zlay_tuning_device;

/** Read records.  A line that is cut short, changed or not understood is refused; the others
 *  are kept, because a cache that lost one line is still worth its other measurements.  Lines
 *  end in LF or CR LF.  Empty ones and those that begin with # are passed over; of two lines
 *  with one key the better one stays, as zlay_tuning_merge has it.
 *
 *  Returns: ZLAY_OK, also with lines refused; ZLAY_EINVAL a NULL; ZLAY_ENOMEM.
 *  Out:     out    free it with zlay_tuning_free.
 *           bad    the first `room` lines that were refused; may be NULL where `room` is 0.
 *           count  how many were.
 */
ZLAY_API zlay_status zlay_tuning_parse(zlay_ctx *ctx, zlay_tuning **out, zlay_tuning_bad *bad,
                                       size_t room, size_t *count, const char *text,
                                       size_t length);

/** All records of both.  Of two with one key the better one: of more rounds; of as many, of
 *  less time; of as much, whose line is less by its bytes.  So the order in which files are
 *  merged, and how often, makes no difference.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL; ZLAY_ENOMEM.
 */
ZLAY_API zlay_status zlay_tuning_merge(zlay_ctx *ctx, zlay_tuning **out, const zlay_tuning *a,
                                       const zlay_tuning *b);

/** Add a record, or leave the better one of its key.  Returns: ZLAY_OK; ZLAY_EINVAL a NULL, or
 *  a record whose line would be refused: the message has the reason; ZLAY_ENOMEM. */
ZLAY_API zlay_status zlay_tuning_add(zlay_ctx *ctx, zlay_tuning *tuning,
                                     const zlay_tuning_record *record);

/** The record of a key: the one of its shape; else the best one of its class, whose shape is
 *  another.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE there is none; ZLAY_EINVAL a NULL.
 *  In:      key  of zlay_tuning_key_gemm or _attention; a word whose value is * is any.
 */
ZLAY_API zlay_status zlay_tuning_find(zlay_tuning_record *out, const zlay_tuning *tuning,
                                      const char *key);

/** The i-th record.  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_tuning_nth(zlay_tuning_record *out, const zlay_tuning *tuning, size_t i);

/** Print all records, a line each: what zlay_tuning_parse reads.  Returns: ZLAY_OK; ZLAY_EROOM,
 *  with `need` set; ZLAY_EINVAL a NULL. */
ZLAY_API zlay_status zlay_tuning_print(zlay_buf *out, const zlay_tuning *tuning);

/** Free records; NULL is allowed. */
ZLAY_API void zlay_tuning_free(zlay_tuning *tuning);

/** The key of a request on a device.
 *
 *  Returns: as zlay_gemm_synth, zlay_attention_synth: a request that is refused has no key.
 *  Out:     key  ZLAY_TUNING_KEY bytes, 0-terminated.
 *  In:      device  NULL: any of the target.
 */
ZLAY_API zlay_status zlay_tuning_key_gemm(zlay_ctx *ctx, char *key, const zlay_target *target,
                                          const zlay_gemm *gemm, const zlay_tuning_device *device);
ZLAY_API zlay_status zlay_tuning_key_attention(zlay_ctx *ctx, char *key, const zlay_target *target,
                                               const zlay_attention *attention,
                                               const zlay_tuning_device *device);

/** The choice that a candidate is, ZLAY_TUNING_CHOICE bytes, 0-terminated.  Returns: ZLAY_OK;
 *  ZLAY_EINVAL a NULL, or an enumerator that is none. */
ZLAY_API zlay_status zlay_tuning_choice_gemm(char *choice, const zlay_gemm_candidate *candidate);
ZLAY_API zlay_status zlay_tuning_choice_attention(char *choice,
                                                  const zlay_attention_candidate *candidate);

/** The request with a choice that was read, where it is one of its candidates.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE it is none of them: the choice is to be ignored; as
 *           zlay_gemm_candidates, zlay_attention_candidates.
 */
ZLAY_API zlay_status zlay_tuning_take_gemm(zlay_ctx *ctx, zlay_gemm *out, const zlay_target *target,
                                           const zlay_gemm *gemm, const char *choice);
ZLAY_API zlay_status zlay_tuning_take_attention(zlay_ctx *ctx, zlay_attention *out,
                                                const zlay_target *target,
                                                const zlay_attention *attention,
                                                const char *choice);

#ifdef __cplusplus
}
#endif
#endif
