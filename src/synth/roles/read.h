/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of a tile program: a cursor that is held to one line after the other. */
#ifndef ZL_SYNTH_ROLES_READ_H
#define ZL_SYNTH_ROLES_READ_H

#include "base/scan.h"
#include "synth/roles/roles.h"

typedef struct zl_tp_reader {
    zl_tp *p;
    zl_cursor at;
    int32_t section;
    uint32_t instance; /* whose operation is read, where each has its own */
    bool instanced;    /* the operation accesses a value that each instance has */
} zl_tp_reader;

/* Letters of a name that each instance has: its number comes behind them. More: EINVAL. */
enum { ZL_TP_OWN = 60 };
zlay_status zl_tp_own(zl_tp_reader *r, const char *name);
/* The rest of the line, without blanks at its ends. */
zl_tp_span zl_tp_rest(zl_cursor *c);
zlay_status zl_tp_bad(zl_tp_reader *r, const char *what);
/* Bytes: a sum of numbers and moves. */
zlay_status zl_tp_bytes(zl_tp_reader *r, zl_tp_span *size, uint64_t *bytes);
/* The operation of a line; those of all instances. */
zlay_status zl_tp_operations(zl_tp_reader *r);

#endif
