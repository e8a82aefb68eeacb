/* SPDX-License-Identifier: Apache-2.0 */
/* Row numbers of tmem.def, the rules of tensor memory in pipes. */
#ifndef ZL_PIPE_TMEM_ROWS_H
#define ZL_PIPE_TMEM_ROWS_H

enum {
    ZL_TMEM_ROW_NONE,
#define TMEM_ROW(id, rule, text, source) ZL_ROW_##id,
#include "pipe/tmem/tmem.def"
};

#endif
