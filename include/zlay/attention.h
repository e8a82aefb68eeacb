/* SPDX-License-Identifier: Apache-2.0 */
/** zlay/attention.h - the plan of attention forward: a proved pipe with its
 *  bodies, and the tensor maps that feed it.
 *
 *  One plan by hand.  A head of 64 bf16 on sm_90a: a block takes 192 queries,
 *  64 to each of three warpgroups, which is one tile of Q of 192 rows of 128
 *  bytes, 24576.  Tiles of keys and values have 176 rows, in rings of two
 *  stages: 4 * 22528.  Each warpgroup stages 64 rows of the result, 8192 bytes.
 *  With 4096 queries and keys, 16 heads and a batch of 2 the grid is 22 x 16 x 2
 *  blocks of 512 threads: three warpgroups and a producer.  A block of queries
 *  192 x and on reads tiles N - 1 down to 0 of its head of the keys, N = 24;
 *  causal, it begins at the tile of its own last query, N = (192 x + 367) / 176,
 *  and the first block takes the last queries, which see the most keys.
 *
 *  On targets with tcgen05 a block takes 128 queries, one to each lane of tensor
 *  memory, and has 256 threads; tiles of keys have 128 rows, 64 with a head of 256.
 */
#ifndef ZLAY_ATTENTION_H
#define ZLAY_ATTENTION_H

#include <zlay/candidates.h>
#include <zlay/move.h>
#include <zlay/pipe.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Elements from one row, head and batch of a tensor to the next. */
typedef struct zlay_attention_strides {
    uint64_t row, head, batch; /* 0: dense, [batch][row][head][element]; packed sequences have
                                  no `batch`; of L see there. V of e4m3 lies across,
                                  [batch][head][element][key]: keys are adjacent, `row` is from
                                  one element to the next, and dense is `keys` rounded up to 16 */
} zlay_attention_strides;

/** Whether the sequences of a batch have different lengths. */
enum {
    ZLAY_LENGTHS_EQUAL = 0, /* all have as many rows as the request says */
    ZLAY_LENGTHS_PADDED,    /* an array has the rows of each; the tensor has room for the longest */
    ZLAY_LENGTHS_PACKED     /* sequences lie one behind the other; an array has where they begin */
};

/** Whether the softmax of a tile of keys runs beside the product of the tile before, in one
 *  warpgroup; without, the other warpgroups' products run beside it. */
enum { ZLAY_OVERLAP_AUTO = 0, ZLAY_OVERLAP_NEVER, ZLAY_OVERLAP_ALWAYS };

/** O = softmax(Q K^T * scale) V, for each head of each batch.  0 means the
 *  default. */
typedef struct zlay_attention {
    uint32_t size;         /* sizeof(zlay_attention); a shorter one reads as zeros */
    int32_t type;          /* of Q, K and V: ZLAY_TYPE_BF16 (0: that), _F16 or _E4M3 */
    uint64_t batch, heads; /* 1 */
    uint64_t kv_heads;     /* of K and V: a divisor of `heads`; default: as many */
    uint64_t queries, keys; /* rows of Q and O, of K and V; at least 1 */
    uint32_t head;         /* elements of a row: 64, 128 or 256 */
    uint32_t causal;       /* 1: query i sees keys 0 to i + keys - queries, of its sequence */
    uint32_t soft_cap;     /* 1: scores become cap * tanh(score / cap) */
    uint32_t sinks;        /* 1: each head has a sink, a score more in each row's sum */
    zlay_attention_strides q, k, v, o;
    zlay_attention_strides l; /* of the log-sum-exp, [batch][head][row]: rows adjacent,
                                 and so many of a head as the next multiple of 4 */
    uint32_t lse;          /* 1: the log-sum-exp of each row is stored, too: f32 */
    int32_t o_type;        /* of O: 0 that of Q, K and V; of e4m3 BF16 (0: that) or F16 */
    uint64_t window;       /* causal: of the keys that a query sees, the last so many;
                              0: all */
    int32_t q_lengths, k_lengths; /* ZLAY_LENGTHS_*: of Q and O, of K and V; `queries` and `keys`
                              are those of the longest sequence */
    uint64_t splits;       /* runs that each row's keys are cut into, of a block each, and a second
                              kernel merges their results; 1 */
    uint64_t sequences;    /* so many sequences lie one behind the other in all tensors, and
                              `queries` and `keys` are the most rows that they have together;
                              persistent blocks.  0: see `batch` */
    uint32_t tile_m, tile_n; /* queries of a block: 64, 128 or 192; keys of a stage: a multiple of
                              16 from 64 to 256, of e4m3 64 or 128; what a block's registers and
                              shared memory have room for (zlay_attention_candidates).  By
                              tcgen05 128, and 64 or 128; of MFMA 0.  0: what the plan chooses */
    uint32_t stages;       /* of the rings of keys and of values, 2 to 4 */
    int32_t overlap;       /* ZLAY_OVERLAP_*; by tcgen05 and MFMA not ALWAYS */
    uint64_t reserved[1];  /* 0 */
} zlay_attention;

/** What the modelled time of attention is made of (docs/tuning.md), in ns but for counts; all 0
 *  where this target has no model. */
typedef struct zlay_attention_terms {
    uint64_t waves;       /* of blocks */
    uint64_t at_once;     /* blocks of a wave */
    uint64_t last;        /* of the last wave */
    uint64_t tiles_milli; /* thousandths of the tiles of keys that a block reads, on the average */
    uint64_t tile_ns;     /* of one, by those that follow */
    uint64_t products_ns; /* its two products, of all warpgroups of a block */
    uint64_t softmax_ns;  /* the softmax of all warpgroups */
    uint64_t shown_ns;    /* the part of the shorter that a warpgroup does not hide */
    uint64_t block_ns;    /* of a block of so many tiles, with its beginning and its result */
    uint64_t longest_ns;  /* causal: of the block of the most tiles */
    uint64_t tail_ns;     /* causal: the part of the longest behind the even share; 0: none */
    uint64_t dram_ns;     /* each tensor once through DRAM, as the bound has it */
    uint64_t start_ns;    /* of a launch */
} zlay_attention_terms;

/** A way to plan attention. */
typedef struct zlay_attention_candidate {
    zlay_attention attention; /* the request with tile_m, tile_n, stages and overlap fixed */
    uint32_t smem;     /* of a block, bytes */
    uint32_t registers; /* of a thread of a consumer, by the planner's count; by tcgen05 0 */
    uint64_t blocks;   /* of the grid */
    uint64_t ns;       /* modelled nanoseconds; 0: this target has no model */
    zlay_attention_terms terms; /* of `ns` */
} zlay_attention_candidate;

/** List the candidates of attention: the tiles, stages and overlaps that fit the registers of
 *  a thread and the shared memory of a block, and that the request leaves open.  Candidate 0
 *  is what zlay_attention_synth plans: the tile that was measured for such requests, unless
 *  another has a modelled time that is less by more than 1 %.  The others follow by the
 *  modelled time, which was fitted on an H200 (docs/tuning.md); equal ones with the overlap
 *  and with fewer stages first.  Pipes are not made.  By MFMA there is one.
 *
 *  Returns: as zlay_attention_synth.
 *  Out:     out    the first `room` candidates; may be NULL where `room` is 0.
 *           count  how many there are.
 */
ZLAY_API zlay_status zlay_attention_candidates(zlay_ctx *ctx, zlay_attention_candidate *out,
                                               size_t room, size_t *count,
                                               const zlay_target *target,
                                               const zlay_attention *attention);

/** The bound of attention: the pairs of a query and a key that it sees count, and no others; of
 *  K and V the keys that some query sees.
 *  Returns: as zlay_attention_synth; ZLAY_NONE also a machine without these rates, and lengths
 *  that the device alone knows; ZLAY_EINVAL also as zlay_gemm_bound.  Out, In: as that. */
ZLAY_API zlay_status zlay_attention_bound(zlay_ctx *ctx, zlay_roofline *out,
                                          const zlay_machine *machine,
                                          const zlay_attention *attention);

/** An immutable plan; read by any thread. */
typedef struct zlay_attention_plan zlay_attention_plan;

/** What a plan holds. */
typedef struct zlay_attention_summary {
    uint32_t tile_m, tile_n; /* queries of a block, keys of a stage */
    uint32_t stages;         /* of the rings of keys and of values */
    uint32_t moves;          /* of the pipe, each one tensor map or more */
    uint64_t grid[3];        /* tiles of queries, heads times splits, batch; with `sequences` the
                                most tiles that there may be, 1, 1: more blocks have no work */
    uint64_t tiles;          /* of keys: the argument n_N; of a merge its splits */
    uint32_t threads;        /* of a block */
    uint32_t reserved;       /* 0 */
} zlay_attention_summary;

/** Plan attention.
 *
 *  The kernel (zlay_emit_attention) takes, beside the maps and n_N, the scalars
 *  x_scale: log2(e) times the factor of scores, or with a soft cap log2(e) *
 *  cap; x_keys: `keys`; causal x_offset: keys - queries; with a soft cap
 *  x_inner: the factor of scores / cap; of e4m3 x_v_scale: the factor of V, and
 *  the factors of Q and K are in that of scores.  With sinks it takes the address of
 *  `heads` f32, read_sinks, in the units of the scaled scores.  Lengths that
 *  differ are s32: read_q_rows and read_k_rows have the rows of each sequence of a
 *  padded batch, no more than the request says; read_q_starts and read_k_starts
 *  have where each packed sequence begins, in rows of the whole tensor, and
 *  behind them the rows of all.  A query without keys has the result 0, and
 *  the log-sum-exp -inf.  The log-sum-exp
 *  is the natural logarithm of the sum of exp(score) over the keys that a query
 *  sees, of scaled and capped scores, and of exp(sink) where there is one.
 *
 *  With `sequences` read_q_starts serves queries and keys, and `keys` is `queries`; with packed
 *  `k_lengths` keys have read_k_starts.  The kernel bounds what they say: each entry of the first
 *  is taken as at least the one before and at most `queries`; keys of their own array begin at 0
 *  or later and end at `keys` or before.  Blocks are persistent, so a grid has any number of
 *  them: they claim tiles from a u32 in global memory whose address is the argument next_tile,
 *  the longest sequences first.  It is 0 before a launch and behind it.  `batch` and `q_lengths`
 *  stay 0; padded keys, e4m3, windows, splits, the log-sum-exp and other targets than sm_90a are
 *  refused.
 *
 *  K of e4m3 comes in pairs of rows: with an odd number of keys the kernel reads one row
 *  behind the last of each head, of any contents, so K's memory has it.
 *
 *  On gfx90a, gfx942 and gfx950 a plan has no tensor maps: heads are 64 or 128, the types f16 and
 *  bf16, strides multiples of 16 bytes; splits, sequences, lengths that differ, windows, sinks
 *  and the log-sum-exp are refused.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE no tensor map brings a tensor, the message has
 *           the rule; ZLAY_EINVAL the message names the field; ZLAY_ENOTSUP a
 *           target without wgmma, tcgen05 or MFMA, a type or a head that no plan has, a tile for
 *           which a thread has too few registers or a block too little shared memory, causal with
 *           fewer keys than queries, a window that is not causal; ZLAY_EOVERFLOW; ZLAY_ENOMEM.
 *  Out:     out  free it with zlay_attention_free.
 */
ZLAY_API zlay_status zlay_attention_synth(zlay_ctx *ctx, zlay_attention_plan **out,
                                          const zlay_target *target,
                                          const zlay_attention *attention);

/** Free a plan; NULL is allowed. */
ZLAY_API void zlay_attention_free(zlay_attention_plan *plan);

/** The plan of the kernel that merges splits: its grid, pipe and moves are read, and
 *  its kernel is printed, as those of any plan.
 *
 *  Of each split the first kernel stores, in f32, the result ('p' of
 *  zlay_attention_move_nth) as [batch][panel][head][split][row][64 elements], of
 *  head / 64 panels, and the log-sum-exp ('s') as [batch][head][split][row], whose
 *  rows are a multiple of 4, without the sink.  The second one reads them as
 *  read_part_o and read_part_lse; it has the sinks, and stores O and the
 *  log-sum-exp.  Its blocks are those of queries, heads, and batch times panels.
 *  Fewer than 64 queries of G heads that share a head of keys, G = 2, 4, .. 64 and
 *  equal numbers of queries, are rows query * G + head of a tile: heads are then
 *  those of keys.
 *
 *  Returns: NULL where the plan has no splits, or is NULL.  Lives as long as the plan.
 */
ZLAY_API const zlay_attention_plan *zlay_attention_merge(const zlay_attention_plan *plan);

/** Read what a plan holds.  Returns ZLAY_OK; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_attention_info(zlay_attention_summary *out,
                                         const zlay_attention_plan *plan);

/** What a plan was made from: the target, and the request with its defaults filled in.
 *  Of few queries that share heads of keys, whose heads are rows of a tile, `queries` and
 *  `heads` are those of the tiles.  Returns ZLAY_OK; ZLAY_EINVAL a NULL.  Pure. */
ZLAY_API zlay_status zlay_attention_request(const zlay_target **target, zlay_attention *out,
                                            const zlay_attention_plan *plan);

/** The proved pipe of a plan; lives as long as the plan. */
ZLAY_API const zlay_pipe *zlay_attention_pipe(const zlay_attention_plan *plan);

/** Print a plan for people: tile, roles, rules with their values, copies, shared memory and
 *  registers, banks.
 *
 *  Returns: ZLAY_OK; ZLAY_EROOM, with `need` set; ZLAY_EINVAL a NULL.
 */
ZLAY_API zlay_status zlay_attention_print(zlay_buf *out, const zlay_attention_plan *plan);

/** The i-th move of a plan's pipe, and the tensor that it moves: its maps take
 *  the tensor's address.
 *
 *  Returns: ZLAY_OK; ZLAY_NONE past the last; ZLAY_EINVAL a NULL.
 *  Out:     move    lives as long as the plan.
 *           tensor  'q', 'k', 'v' or 'o'; 'l': the log-sum-exp; 'p', 's': both of
 *                   each split.
 *  Pure.
 */
ZLAY_API zlay_status zlay_attention_move_nth(const zlay_move **move, char *tensor,
                                             const zlay_attention_plan *plan, uint32_t i);

#ifdef __cplusplus
}
#endif
#endif
