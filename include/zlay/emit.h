/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/emit.h - kernels and headers as text, printed from the verified pipe
 *  and the plan. */
#ifndef ZLAY_EMIT_H
#define ZLAY_EMIT_H

#include <zlay/cluster.h>
#include <zlay/word.h>
#include <zlay/plan.h>
#include <zlay/transfer.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Languages of a text; HIP is that of functions alone (zlay/emit_function.h). */
enum { ZLAY_TEXT_PTX = 0, ZLAY_TEXT_CUDA, ZLAY_TEXT_HIP };

/** The kernel of a plan as PTX.
 *
 *  Returns: ZLAY_OK, ZLAY_EROOM (with `need`), ZLAY_EINVAL (name is no name),
 *           ZLAY_ENOTSUP.
 *  In:      name  the kernel's.  Its parameters are three CUtensorMap by value
 *                 (A, B, D) and three 64-bit global addresses (A, B, D), of which a path
 *                 reads those that it needs, then what zlay_plan_argument_nth says.
 */
ZLAY_API zlay_status zlay_emit_ptx(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan,
                                   const char *name, size_t length);

/** The kernel of a plan whose matrix instructions read registers, as assembly with
 *  its kernel descriptor and metadata.
 *
 *  Returns: as zlay_emit_ptx; ZLAY_ENOTSUP a plan that is printed as PTX.
 *  In:      name  the kernel's.  Its arguments are the 64-bit global addresses
 *                 of A, B and D, 24 bytes, then those of its epilogue; its grid has
 *                 tiles_n x tiles_m blocks of `threads` threads, all shared memory is
 *                 static.
 */
ZLAY_API zlay_status zlay_emit_assembly(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan,
                                        const char *name, size_t length);

/** The data movement of a plan as a CUDA C header of inline-asm functions, with
 *  its constants.  Of a plan with groups it is how the kernel is called, a header of
 *  C and C++ for the host that needs cuda.h: what each argument is, a struct of them,
 *  functions that encode its maps, prepare shared memory and workspace, and launch.
 *  Returns and In as zlay_emit_ptx; functions are called zl_<name>_<what>. */
ZLAY_API zlay_status zlay_emit_header(zlay_ctx *ctx, zlay_buf *out, const zlay_plan *plan,
                                      const char *name, size_t length);

/** The data movement of a target whose compiler takes inline asm in C, as a
 *  header: a macro for every load, store, load to shared memory, wait and barrier
 *  that it has, each with the waits and wait states (zlay/hazard.h) that a compiler
 *  leaves to inline asm.  It needs no plan.
 *
 *  By hand, of gfx942: zl_NAME_ds_read_b128(data, address, offset) waits 5 states
 *  for what a vector instruction may have written, and those of zl_NAME_before
 *  for a matrix instruction, reads, and waits until data is there; with
 *  zl_NAME_buffer_load_lds_dword_offen(m0, address, resource, soffset, offset) M0 is
 *  set, one state passes, and M0 is set back behind the load.
 *
 *  Returns: ZLAY_OK, ZLAY_EROOM (with `need`), ZLAY_EINVAL (name is no name),
 *           ZLAY_ENOTSUP a target without such instructions.
 */
ZLAY_API zlay_status zlay_emit_snippets(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                                        const char *name, size_t length);

/** A word as a kernel of one block, or of one cluster where slots have blocks:
 *  thread t, of the cluster's block after block, takes 2^register_bits registers
 *  from from_words + 4 t 2^register_bits and leaves them, after the word, there
 *  from to_words on.
 *
 *  Returns: ZLAY_OK, ZLAY_EROOM (with `need`); ZLAY_EINVAL name is no name;
 *           ZLAY_ENOTSUP lanes that are not 32, more than 8 blocks, a word that
 *           begins in shared memory or takes more than 48 KiB of a block's.
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

/** A move by threads as a PTX function, which the threads of a block whose %tid.x
 *  is below the move's call together: .func name(source, dest, ..).
 *
 *  Returns: ZLAY_OK, ZLAY_EROOM (with `need`); ZLAY_EINVAL name is no name;
 *           ZLAY_ENOTSUP a target that has no PTX, 2^32 accesses of a thread.
 *  In:      name  the function's.  Its parameters are, as far as they are there:
 *                 - source, dest: a .b64 address of the global window, a .b32 one
 *                   of shared memory, both of offset 0 and aligned as the request
 *                   says; of a peer's shared memory the address that the calling
 *                   block has it at.  Fragments are held_source, by value, or the
 *                   result held_dest: an array of bytes with the thread's elements
 *                   densely, as 32-bit words of which the last may be part full;
 *                 - .b32 rank_source, rank_dest: of a peer in the cluster;
 *                 - .b32 bar: of bulk loads and of what is sent to a peer the
 *                   shared address of the mbarrier that counts their bytes, a
 *                   peer's at the address that the calling block has it at;
 *                 - .b64 name_<n>: the names of the source's layout as
 *                   zlay_layout_param_nth has them, then those of the destination's
 *                   that the source's has not; of tiles those alone that strides
 *                   and offsets have;
 *                 - .b64 left_<i>: of tiles, for each axis i that is clipped, cells
 *                   from the tile's first to the end of the tensor.  Addresses are
 *                   then further by what zlay_move_axis_print says of the tiles
 *                   before.
 *                 What is asynchronous is issued: the caller commits and waits.
 *                 A function with fragments and `matrices` is for whole warps.
 *                 Where the layouts have no common strides, offsets that are no
 *                 XOR of masks stand in tables of the module.
 */
ZLAY_API zlay_status zlay_emit_move(zlay_ctx *ctx, zlay_buf *out, const zlay_move *move,
                                    const char *name, size_t length);

#ifdef __cplusplus
}
#endif
#endif
