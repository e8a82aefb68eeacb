/* SPDX-License-Identifier: Apache-2.0 */
/* What HTML shares with SVG, which stands in it. */
#ifndef ZL_SHOW_SVG_H
#define ZL_SHOW_SVG_H

#include "show/picture.h"

/* <, >, & and " as XML writes them. */
void zl_put_escaped(zl_text *out, const char *text);

#endif
