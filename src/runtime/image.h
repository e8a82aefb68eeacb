/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a kernel's image before the driver takes it. */
#ifndef ZL_IMAGE_H
#define ZL_IMAGE_H

#include "base/base.h"

/* Check an image before the driver reads it, for it is given no length: text, where it is taken,
 * must have no 0 inside, an ELF file of this machine must hold every section that its header
 * names. */
zlay_status zl_image_check(zlay_ctx *ctx, const void *image, size_t length, uint16_t machine,
                           bool takes_text);

#endif
