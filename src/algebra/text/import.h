/* SPDX-License-Identifier: Apache-2.0 */
/* Other systems' texts as texts of zlay: each reader checks every token and writes what zl_parse
 * reads.  A reader runs twice, to count and to write. */
#ifndef ZL_ALGEBRA_IMPORT_H
#define ZL_ALGEBRA_IMPORT_H

#include "base/scan.h"

typedef zlay_status zl_import_reader(zl_cursor *c, zl_text *out);

/* What Triton's LinearLayout::toString prints, and its attribute #ttg.linear<{...}>. */
zl_import_reader zl_import_triton_list, zl_import_triton_empty, zl_import_triton_attribute;

/* MLIR's memref<8x64xf32, strided<[64, 1], offset: 7>> and memref<8x64xf32, affine_map<...>>. */
zl_import_reader zl_import_memref;

/* affine_map<(d0, d1) -> (expressions)> on `rank` extents, as isl's text. */
zlay_status zl_import_affine_map(zl_cursor *c, zl_text *out, const uint64_t *extent, size_t rank);

#endif
