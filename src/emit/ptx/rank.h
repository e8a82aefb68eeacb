/* SPDX-License-Identifier: Apache-2.0 */
/* Where the rank of a block stands above an address in its shared memory, while both are one number. */
#ifndef ZL_EMIT_RANK_H
#define ZL_EMIT_RANK_H

enum { ZL_RANK = 24 };

#endif
