/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ZLAY_VERSION_H
#define ZLAY_VERSION_H
/* The Makefile and zlay.pc read these three lines. */
#define ZLAY_VERSION_MAJOR 0
#define ZLAY_VERSION_MINOR 3
#define ZLAY_VERSION_PATCH 0
#endif
