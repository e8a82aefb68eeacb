/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/emit.h - kernels and headers as text, printed from the verified pipe
 *  and the plan. */
#ifndef ZLAY_EMIT_H
#define ZLAY_EMIT_H

#include <zlay/cluster.h>
#include <zlay/factor.h>
#include <zlay/synth.h>
#include <zlay/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The kernel of a plan as PTX.
 *
 *  Returns: ZLAY_OK, ZLAY_EROOM (with `need`), ZLAY_EINVAL (name is no name),
 *           ZLAY_ENOTSUP.
 *  In:      name  the kernel's.  Its parameters are three CUtensorMap by value
 *                 (A, B, D) and three 64-bit global addresses (A, B, D); a path
 *                 reads those that it needs.
 */
ZLAY_API zlay_status zlay_emit_ptx(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan,
                                   const char *name, size_t length);

/** The data movement of a plan as a CUDA C header of inline-asm functions, with
 *  its constants. Returns and In as zlay_emit_ptx; functions are called
 *  zl_<name>_<what>. */
ZLAY_API zlay_status zlay_emit_header(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan,
                                      const char *name, size_t length);

/** A word as a kernel of one block: thread t takes 2^register_bits registers
 *  from from_words + 4 t 2^register_bits and leaves them, after the word, there
 *  from to_words on.
 *
 *  Returns: ZLAY_OK, ZLAY_EROOM (with `need`); ZLAY_EINVAL name is no name;
 *           ZLAY_ENOTSUP lanes that are not 32, several blocks, a word that
 *           begins in shared memory or takes more than 48 KiB of it.
 */
ZLAY_API zlay_status zlay_emit_word(zlay_ctx *ctx, zlay_buf *out, const zlay_word *word,
                                    const char *name, size_t length);

/** A multicast as a kernel of one cluster: it brings the tile, then block i
 *  writes what it has of it, `slices` times `slice_bytes`, to byte
 *  i * slices * slice_bytes of `to`; bytes that nothing reached are 0x5a.
 *
 *  Returns: as zlay_emit_ptx; ZLAY_ENOTSUP also a target without clusters.
 *  In:      name  the kernel's.  Its parameters are the CUtensorMap of the
 *                 slices by value and the 64-bit global address `to`; `cluster`
 *                 blocks of 128 threads.  The multicast's addresses count from
 *                 the start of dynamic shared memory, which is a multiple of
 *                 1024 and ends behind the greatest.
 */
ZLAY_API zlay_status zlay_emit_multicast(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                                         const zlay_multicast *multicast, const char *name,
                                         size_t length);

/** An exchange of 4-byte elements as a kernel of one cluster: slot s of `dest`
 *  at word s of `to` receives what the slot that serves it has in `from`.  What
 *  crosses is pushed, each element once to each block that wants it, by
 *  cp.async.bulk in runs of 16 bytes or more where all of them lie so on both
 *  sides, else by st.async; what stays does not leave its block.
 *
 *  Returns: as zlay_emit_ptx; ZLAY_ENOTSUP also layouts whose last input is not
 *           `block`, more shared memory than a block has, a target without
 *           clusters.
 *  In:      name  the kernel's.  Its parameters are the 64-bit global addresses
 *                 `from` and `to`; `blocks` blocks of 128 threads, with `smem`
 *                 bytes of dynamic shared memory.
 */
ZLAY_API zlay_status zlay_emit_exchange(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                                        const zlay_exchange *exchange, const char *name,
                                        size_t length);

/** The kernel of a transfer as PTX.
 *
 *  Returns: as zlay_emit_ptx.
 *  In:      name  the kernel's.  Its parameters are two 64-bit global addresses,
 *                 of offset 0 of the source and of the destination, as aligned as
 *                 the request says; the grid has `blocks` blocks of `threads`
 *                 threads, all shared memory is static.  Path REALIGN reads whole
 *                 aligned 16 bytes, so up to 15 bytes on either side of a row,
 *                 never 16 bytes that hold none of it.
 */
ZLAY_API zlay_status zlay_emit_transfer(zlay_ctx *ctx, zlay_buf *out,
                                        const zlay_transfer *transfer,
                                        const char *name, size_t length);

/** A move by threads as a PTX function: .func name(source, dest[, bar]), which
 *  the threads of a block whose %tid.x is below the move's call together.
 *
 *  Returns: ZLAY_OK, ZLAY_EROOM (with `need`); ZLAY_EINVAL name is no name;
 *           ZLAY_ENOTSUP a side that is neither global nor shared memory, a
 *           target that is not NVIDIA's, more than 512 elements or 128 registers
 *           that a thread holds at once, pieces of bytes in another order.
 *  In:      name  the function's.  A side in global memory is a .b64 address of
 *                 its window, one in shared memory a .b32 one, both of offset 0
 *                 and aligned as the request says; bar, of moves by bulk loads
 *                 alone, is the shared address of the mbarrier that counts their
 *                 bytes.  What is asynchronous is issued: the caller commits and
 *                 waits.
 */
ZLAY_API zlay_status zlay_emit_move(zlay_ctx *ctx, zlay_buf *out, const zlay_move *move,
                                    const char *name, size_t length);

#ifdef __cplusplus
}
#endif
#endif
