/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/json.h - libzlay-json: every answer of the library as one JSON object a
 *  line.
 *
 *  By hand: {"op": "layout.eval", "layout": "4:3", "at": [3]} asks for the value
 *  of four points 3 apart at index 3, and is answered {"ok":[9]}.
 */
#ifndef ZLAY_JSON_H
#define ZLAY_JSON_H

#include <zlay/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Answer one request of docs/batch.md.
 *
 *  Returns: ZLAY_OK, also for a request that is answered by an error object;
 *           ZLAY_EROOM with `need`: call again with a larger buffer;
 *           ZLAY_EINVAL a NULL; ZLAY_ENOMEM; ZLAY_EBUSY.
 *  Out:     out   one JSON object, no newline.
 *  In:      line  `size` bytes, one JSON object.
 */
ZLAY_API zlay_status zlay_json_call(zlay_ctx *ctx, zlay_buf *out, const char *line, size_t size);

#ifdef __cplusplus
}
#endif
#endif
