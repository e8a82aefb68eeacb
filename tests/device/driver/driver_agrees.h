/* SPDX-License-Identifier: Apache-2.0 */
/* Does the driver do with random tensor maps what zlay says that it does? */
#ifndef DRIVER_AGREES_H
#define DRIVER_AGREES_H

#include "device/rig/rig.h"

typedef struct driver_count {
    unsigned accepted, refused; /* by the driver */
    unsigned disagree;          /* zlay said otherwise, or YES to a map that is refused */
    unsigned unknown;           /* zlay said nothing */
} driver_count;

/* `why` receives the first map on which they disagree. */
driver_count driver_agrees(rig *r, unsigned maps, char *why, size_t room);

#endif
