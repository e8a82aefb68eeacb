/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/fill.h - tensor maps with unknowns: prepared once, filled in at run time.
 *
 *  By hand.  A matrix of bf16 has M rows of 4096 elements, ld elements apart, at
 *  `at`; its tiles are 64 x 64.  The address is the text "at", extent 1 "M",
 *  stride 0 "2*ld"; all else is a number.  What those three may break is
 *      at % 16 == 0, 0 <= at < 2^57      1 <= M <= 2^31
 *      2*ld % 16 == 0, 0 <= 2*ld < 2^40
 *  and every other rule is decided when the map is prepared.  A host that has the
 *  numbers asks for the 128 bytes, without a driver and without memory:
 *
 *      const int64_t value[] = {(int64_t)(uintptr_t)matrix, M, ld};
 *      status = zlay_fill_write(words, NULL, NULL, 0, fill, value);
 *
 *  A value counts as the integer that it is: with ld = 2^60 + 8 the stride is
 *  2^61 + 16 bytes and refused, however the product would wrap.
 */
#ifndef ZLAY_FILL_H
#define ZLAY_FILL_H

#include <zlay/tensormap.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A map that is prepared.  Immutable; read by any thread. */
typedef struct zlay_fill zlay_fill;

/** Names that the texts of one map may have. */
enum { ZLAY_FILL_NAMES = 16 };

/** Prepare a map whose address, extents and strides are numbers or linear texts
 *  over names.
 *
 *  Returns: ZLAY_OK      some values may pass.
 *           ZLAY_NONE    none does: the verdict is NO, and the reasons say why.
 *           ZLAY_ENOTSUP a target that is not sm_90: its bytes are not known.
 *           ZLAY_ELIMIT  more than 16 names.
 *           ZLAY_EOVERFLOW a number of a text is not below 2^58; the others as
 *           zlay_tensormap_check_given; ZLAY_EINVAL also a box that is a text.
 *  Out:     out      free it with zlay_fill_free; NULL unless ZLAY_OK.
 *           verdict, reasons, guard  as zlay_tensormap_check_given.
 *  In:      question its facts count here alone: values that they exclude are
 *                    judged like any others later.
 */
ZLAY_API zlay_status zlay_fill_prepare(zlay_ctx *ctx, zlay_fill **out, zlay_verdict *verdict,
                                       zlay_reason *reasons, size_t room, zlay_buf *guard,
                                       const zlay_tensormap_question *question);

/** Free a prepared map; NULL is allowed. */
ZLAY_API void zlay_fill_free(zlay_fill *fill);

/** How many names the texts have; 0 for NULL. */
ZLAY_API size_t zlay_fill_name_count(const zlay_fill *fill);

/** The i-th name, in the order in which the texts first have it.
 *
 *  Returns: the name, which lives as long as `fill`; NULL past the last.
 */
ZLAY_API const char *zlay_fill_name_nth(const zlay_fill *fill, size_t i);

/** Write the 128 bytes of a prepared map at values of its names, if every rule
 *  holds there: the same that zlay_tensormap_check and zlay_tensormap_pack say of
 *  the map that zlay_fill_map makes.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE a rule refuses; ZLAY_EOVERFLOW an entry is outside
 *           [-2^63, 2^64); ZLAY_EINVAL a NULL.
 *  Out:     words    16, little-endian as they stand in memory; as they were
 *                    unless ZLAY_OK.
 *           verdict  zlay_tensormap_check's own, with notes.  NULL: not asked,
 *                    which is several times faster.
 *           reasons  the first `room` of them.
 *  In:      value    of each name; NULL where there is none.
 *  Pure.
 */
ZLAY_API zlay_status zlay_fill_write(uint64_t *words, zlay_verdict *verdict, zlay_reason *reasons,
                                     size_t room, const zlay_fill *fill, const int64_t *value);

/** The map itself at values of its names.
 *
 *  Returns: ZLAY_OK; ZLAY_EOVERFLOW an entry is outside [-2^63, 2^64);
 *           ZLAY_EINVAL a NULL.
 *  Out:     out  one below 0 is the entry's number modulo 2^64, which a rule
 *                refuses.
 *  In:      value  as zlay_fill_write.
 *  Pure.
 */
ZLAY_API zlay_status zlay_fill_map(zlay_tensormap *out, const zlay_fill *fill,
                                   const int64_t *value);

/** Bytes of the key of a tensor map. */
enum { ZLAY_FILL_KEY = 132 };

/** The key under which a cache keeps what was made for a tensor map: its 128
 *  bytes as they stand in memory, then zlay_rules_version as 4 bytes, the least
 *  first.  Two maps of one key are one map, judged by the same rules.
 *
 *  Returns: ZLAY_OK; ZLAY_EINVAL a NULL.
 *  Out:     key    ZLAY_FILL_KEY bytes.
 *  In:      words  16, as zlay_fill_write and zlay_tensormap_pack give them.
 *  Pure.
 */
ZLAY_API zlay_status zlay_fill_key(uint8_t *key, const uint64_t *words);

#ifdef __cplusplus
}
#endif
#endif
