/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/emit_function.h - functions for another author's kernel, as text.
 *
 *  A worked example.  Sw<3,3,3> o 0 o (64,64):(64,1) as CUDA C, called `at`:
 *
 *      static __device__ __forceinline__ __attribute__((unused)) unsigned
 *      at(unsigned i0, unsigned i1)
 *      {
 *          const unsigned t0 = (i0 << 6) + i1;
 *          return t0 ^ ((t0 >> 3) & 0x38u);
 *      }
 *
 *  Three instructions: a sum with a shifted operand, a shift, and a logic operation
 *  of three operands.
 *  docs/functions.md has more.
 */
#ifndef ZLAY_EMIT_FUNCTION_H
#define ZLAY_EMIT_FUNCTION_H

#include <zlay/convert.h>
#include <zlay/emit.h>
#include <zlay/fill.h>
#include <zlay/idesc.h>
#include <zlay/layout.h>
#include <zlay/move.h>
#include <zlay/pipe.h>
#include <zlay/smemdesc.h>
#include <zlay/tensormap.h>
#include <zlay/wave.h>
#include <zlay/word.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The value of a layout as a function of its coordinates: `TYPE NAME(i0, i1, ..)`,
 *  one parameter a top-level mode or input dimension; a nested mode is taken as its
 *  index.  Of the forms that equal the layout the one with the fewest instructions
 *  is printed.
 *
 *  A parameter is `unsigned`, one whose extent is above 2^32 `unsigned long long`.
 *  TYPE is the first of unsigned, int, unsigned long long and long long that has
 *  every value; several outputs are one integer, the first minor.  Coordinates
 *  outside the box have no meaning.  Of a layout that is undefined at points of
 *  its box the value there has no meaning, and `bool NAME_there(..)` of the same
 *  parameters says where it has one.  In PTX words are .b32 and .b64, an answer
 *  is 0 or 1, and the text is .func alone, to stand in a module that has its own
 *  .version.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM, with `need` set; ZLAY_EINVAL a NULL, a language
 *           that is none, a name that is none, a keyword of C, C++ or PTX, or kept
 *           by the compilers; ZLAY_ENOTSUP a layout with parameters, of more than
 *           64 dimensions or 2048 operations, or whose quotients leave 64 bits;
 *           ZLAY_ENOMEM.
 *  Out:     out       the text.
 *  In:      language  ZLAY_TEXT_CUDA, ZLAY_TEXT_HIP or ZLAY_TEXT_PTX.
 *           name      `length` bytes, the function's.
 */
ZLAY_API zlay_status zlay_emit_layout(zlay_ctx *ctx, zlay_buf *out, const zlay_layout *layout,
                                      int32_t language, const char *name, size_t length);

/** A word (zlay/word.h) on the caller's registers.  In CUDA C and HIP it is
 *  `void NAME(unsigned (&r)[N], unsigned thread, void *shared)`, N = 2^register_bits:
 *  r is what the thread holds, before and after; `thread` is its number among the
 *  2^(lane_bits + warp_bits) threads of the slots, whose low bits are its lane.
 *  `shared` is there where the word goes through shared memory, of which the
 *  comment says how much: a multiple of 4, used by nothing else; all threads
 *  of the block call the function, which waits for them once between its stores
 *  and its loads and not behind these.  In PTX it is
 *  `.func (result) NAME(source, thread, shared)`: the registers are arrays of
 *  4 N bytes, `thread` and the shared address words of 32 bits.  Else all lanes of
 *  a warp call it.
 *
 *  Beside a function with `shared` stands `bool NAME_aligned(const void *shared)`: whether
 *  that is aligned as its accesses need, and nothing is done but that.
 *
 *  Returns: as zlay_emit_layout; ZLAY_ENOTSUP: lanes that are not 32, of HIP 64; more
 *           than one block, 1024 threads, 64 registers or 32 KiB of shared memory; a
 *           word that begins in shared memory; of HIP one with movmatrix.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_word_function(zlay_ctx *ctx, zlay_buf *out, const zlay_word *word,
                                             int32_t language, const char *name, size_t length);

/** The plan of a conversion (zlay/convert.h) on the caller's registers.  In CUDA C and
 *  HIP it is `void NAME(unsigned (&to)[M], const unsigned (&from)[N], unsigned thread,
 *  void *shared)`: `from` has the elements of a thread as src numbers them, the first
 *  in the lowest bits of the first register, an element of 64 bits in two of them;
 *  `to` gets those of dst.  Bits of the last register that no element fills are not
 *  read in `from` and 0 in `to`; a slot of dst without an element gets what has no
 *  meaning.
 *
 *  thread, shared and PTX are as in zlay_emit_word_function; the shared memory is at a
 *  multiple of 16, which NAME_aligned says, and as many bytes as the plan says.  A warp has its
 *  lanes also where a layout has fewer: thread is its lane, plus lanes times its warp,
 *  plus the threads of a block times its block.  Where a value comes from another block
 *  all threads of the cluster call the function, and the block is its rank in the
 *  cluster; a block may end, or use these bytes again, when all have returned.
 *
 *  Returns: as zlay_emit_layout; ZLAY_ENOTSUP: a plan of a target that has not this
 *           language; more than 255 registers of `from` or `to`, 1024 threads of a
 *           block, or 2048 operations for addresses; an address that needs 64 bits.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_convert(zlay_ctx *ctx, zlay_buf *out, const zlay_convert *plan,
                                       int32_t language, const char *name, size_t length);

/** The plan of an operand of register matrix instructions (zlay/wave.h) as functions of HIP,
 *  with `unsigned NAME_smem`, the bytes of the tile in shared memory:
 *
 *      void NAME_load(unsigned (&r)[N], const void *tile, unsigned row_bytes, unsigned rows,
 *                     unsigned thread)
 *      void NAME_store(void *shared, const unsigned (&r)[N], unsigned thread)
 *      void NAME_read(unsigned (&r)[G][W], const void *shared, unsigned lane, unsigned part,
 *                     unsigned block, unsigned step)
 *
 *  The first brings what a thread loads of the tile, whose rows are row_bytes apart, to
 *  registers; the matrix has `rows` rows from the tile's first on, and the last one is
 *  loaded in the place of those behind it.  The second puts it into shared memory; behind a
 *  barrier the third brings the operands of G instructions along K, W registers each, to a
 *  lane: r[i] is that of step G step + i.  G is 1 but where one read fills several
 *  (any_order).  Of a plan that loads straight to shared memory NAME_load(shared, tile,
 *  row_bytes, rows, thread) does both, and `void NAME_wait()` waits for its loads.
 *  NAME_column(thread) and NAME_first(lane) are the parts of the addresses that depend on
 *  the thread and on the lane.
 *
 *  Returns: as zlay_emit_layout; ZLAY_ENOTSUP another language; more than 256 loads or
 *           registers of a thread; ZLAY_ELIMIT more threads than limits.points.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_wave(zlay_ctx *ctx, zlay_buf *out, const zlay_wave *wave,
                                    int32_t language, const char *name, size_t length);

/** A copy by threads, the plan of zlay_copy_synth, on the caller's pointers and registers.
 *  In CUDA C and HIP it is `void NAME(const void *source, void *dest, unsigned thread, ..)`.
 *  All threads below zlay_move_summary.threads call it, `thread` being their number;
 *  others may, and copy nothing.
 *  - source, dest: offset 0 of both sides, aligned as the request says; of a peer's
 *    shared memory the address that the calling block has it at.  A side of fragments
 *    is `const unsigned (&held_source)[N]` or `unsigned (&held_dest)[N]` in its place:
 *    elements densely, the first in the lowest bits;
 *  - unsigned rank_source, rank_dest and bar, and long long name_<n> and left_<i>, follow
 *    as far as they are there; zlay_emit_move says what each is.
 *  What is asynchronous is issued: the caller commits and waits.  In PTX it is the text of
 *  zlay_emit_move.
 *
 *  Beside it stands `bool NAME_aligned(const void *source, const void *dest)`, of those of
 *  the two that are pointers: whether every access of NAME is aligned.
 *
 *  Returns: as zlay_emit_layout; ZLAY_ENOTSUP: a move without threads; a plan of a target that
 *           has not this language; 2^32 accesses of a thread; more than 256 registers;
 *           ZLAY_ELIMIT an offset of more than 2048 operations.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_copy(zlay_ctx *ctx, zlay_buf *out, const zlay_move *move,
                                    int32_t language, const char *name, size_t length);

/* ---- constants ------------------------------------------------------------ */

/** A tensor map.  In CUDA C: the 128 bytes that the driver writes, as a device array
 *  NAME of 16 words, where they are known (zlay/tensormap_bits.h), with the map's
 *  address in them; and a host function `CUresult NAME_encode(CUtensorMap *map, void
 *  *address)`, one call of cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col or
 *  cuTensorMapEncodeIm2colWide, as the map's mode is; the text includes cuda.h for
 *  it.  In PTX the bytes alone, `.global NAME`.
 *
 *  Returns: as zlay_emit_layout; ZLAY_EINVAL also a map to which a rule of the
 *           target says NO, with its name; ZLAY_ENOTSUP HIP, in PTX a target whose
 *           bytes are not known.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_tensormap(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                                         const zlay_tensormap *map, int32_t language,
                                         const char *name, size_t length);

/** A tensor map with unknowns (zlay/fill.h), as a function of C, C++ and CUDA C, for
 *  host and device: `int NAME(unsigned long long *map, long long in_M, ..)`, in_ and
 *  the name for each name, in order.  It checks every rule that the values may break
 *  and writes the 128 bytes: 0, and nothing written, where one is broken; else 1.
 *
 *  Of a tiled map CUDA C has two more, for sm_90a: `int NAME_edit(void *to, void *shared,
 *  const void *from, long long in_M, ..)`, by all threads of a warp, copies the map at
 *  `from` to `shared`, 128 bytes at a multiple of 128, replaces there what the names
 *  say, and writes it to `to` in global memory, released to the device; and `void
 *  NAME_acquire(const void *map)` is what each thread calls before it copies by it.
 *
 *  Returns: as zlay_emit_layout; ZLAY_ENOTSUP a language other than CUDA C.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_fill(zlay_ctx *ctx, zlay_buf *out, const zlay_fill *fill,
                                    int32_t language, const char *name, size_t length);

/** What zlay_emit_smemdesc reads: what zlay_smemdesc_synth answers. */
typedef struct zlay_smemdesc_function {
    uint32_t size;              /* sizeof(zlay_smemdesc_function) */
    int32_t language;           /* ZLAY_TEXT_CUDA, ZLAY_TEXT_PTX */
    const zlay_target *target;
    const zlay_smemdesc *fields; /* `start` is not read */
    const uint32_t *start;      /* shared address of each step */
    size_t count;               /* steps, 1 to 4096 */
    const char *name;
    size_t name_length;
    uint64_t reserved[4];       /* 0 */
} zlay_smemdesc_function;

/** Matrix descriptors: `unsigned long long NAME(unsigned shared)` is the one of step 0
 *  where that reads from the shared address on, and, of several steps,
 *  `TYPE NAME_step(unsigned i0)` what the one of step i0 has more: their sum is its
 *  descriptor.  TYPE is unsigned, or int where a step lies before step 0; in PTX
 *  .b64 and .b32.
 *
 *  Returns: as zlay_emit_layout; ZLAY_EINVAL also fields to which a rule says NO, a
 *           start that is no multiple of 16 below 2^18, a count out of its range;
 *           ZLAY_ENOTSUP HIP, a target without descriptors.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_smemdesc(zlay_ctx *ctx, zlay_buf *out,
                                        const zlay_smemdesc_function *request);

/** An instruction descriptor of tcgen05.mma: in CUDA C the constant `unsigned NAME`, in
 *  PTX a function of no parameter, whose value it is.
 *
 *  Returns: as zlay_emit_layout; ZLAY_EINVAL also fields that do not fit or to which a
 *           rule says NO; ZLAY_ENOTSUP HIP.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_idesc(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                                     const zlay_idesc *fields, int32_t language,
                                     const char *name, size_t length);

/* ---- barriers -------------------------------------------------------------- */

/** The mbarriers of a pipe as functions, of which `bars` is the shared address of the first
 *  and e an index into a ring, as in the pipe: `void NAME_init(unsigned bars)`; for every BAR
 *  `unsigned NAME_BAR(unsigned bars, unsigned e)`, the address of its slot, which copies
 *  signal; and of these what the pipe has: `NAME_BAR_wait(bars, e)`,
 *  `NAME_BAR_wait_before(bars, e)` for the phase before that of e, `NAME_BAR_arrive(bars, e)`,
 *  `NAME_BAR_expect(bars, e, bytes)`, and `NAME_BAR_arrive_expect(bars, e, bytes)` of an
 *  expectation that its arrival follows.  Where another block of the cluster signals
 *  the barrier, `NAME_BAR_at(bars, e, block)` is the address in that block, and
 *  `NAME_BAR_arrive_at(bars, e, block)` arrives there.  In PTX all words are .b32.  A kernel
 *  that calls them where the pipe has these events does what was proved; the functions do
 *  not check that.
 *
 *  Returns: as zlay_emit_layout; ZLAY_NONE the pipe is not correct, the message has the
 *           rule and the line; ZLAY_ELIMIT that is not decided; ZLAY_ENOTSUP HIP, a
 *           target before sm_90, no barrier, barriers whose functions would have
 *           one name.
 *  Out:     out  the text.
 */
ZLAY_API zlay_status zlay_emit_ring(zlay_ctx *ctx, zlay_buf *out, const zlay_target *target,
                                    const zlay_pipe *pipe, int32_t language, const char *name,
                                    size_t length);

#ifdef __cplusplus
}
#endif
#endif
