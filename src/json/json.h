/* SPDX-License-Identifier: Apache-2.0 */
/* One request of docs/batch.md while it is being answered.  Fields are read by zl_get_*, which
 * leave the output alone where an optional field is absent; values are built by zl_json_* and
 * zl_put_*, which remember in `no_memory` what jansson answers with NULL. */
#ifndef ZL_JSON_H
#define ZL_JSON_H

#include "json/fields.h"
#include "base/words.h"

#include <jansson.h>
#include <zlay/zlay.h>

struct zl_call {
    zlay_ctx *ctx;
    const json_t *request;
    const zl_op *op; /* the row of the operation */
    json_t *value;  /* the answer of an op that ends with ZLAY_OK */
    json_t *witness; /* what shows a ZLAY_NONE, or NULL */
    int32_t rule;    /* the rule that a ZLAY_NONE rests on, or 0 */
    bool undecided; /* the op found no answer; the ctx's message says which limit or fact lacks */
    bool in_input;  /* a limit that is met now ended the reading of an input, not a search */
    bool no_memory;
};

/* ---- the line ------------------------------------------------------------ */

enum { ZL_LINE_MOST = 16 << 20, ZL_DEPTH_MOST = 64 };

/* The object that a line is: EINVAL with the byte where it is none; ELIMIT where its values take
 * more than limits.memory; ENOMEM. */
zlay_status zl_line_read(zlay_ctx *ctx, json_t **out, const char *line, size_t size);

/* ---- fields -------------------------------------------------------------- */

zlay_status zl_get_text(zl_call *call, const json_t *object, const char *name, zl_json_text *out);
zlay_status zl_get_object(zl_call *call, const json_t *object, const char *name,
                          const json_t **out);
zlay_status zl_get_list(zl_call *call, const json_t *object, const char *name, const json_t **out);
zlay_status zl_get_u64(zl_call *call, const json_t *object, const char *name, uint64_t *out);
zlay_status zl_get_i64(zl_call *call, const json_t *object, const char *name, int64_t *out);
zlay_status zl_get_u32(zl_call *call, const json_t *object, const char *name, uint32_t *out);
zlay_status zl_get_flag(zl_call *call, const json_t *object, const char *name, bool *out);

int32_t zl_saturated(int64_t value); /* to 32 bits */

/* A name of the table, or an integer, which is saturated to 32 bits. */
zlay_status zl_get_word(zl_call *call, const json_t *object, const char *name,
                        const zl_named *words, int32_t *out);

/* The optional field `ptx`: 10 * major + minor. */
extern const zl_field_kind zl_as_ptx;
typedef uint32_t zl_as_ptx_type;
zlay_status zl_get_ptx(zl_call *call, uint32_t *out);
zlay_status zl_get_target(zl_call *call, const zlay_target **out);

/* Refuses the name of an access to shared memory, with the one of the target most like it. */
zlay_status zl_no_access(zl_call *call, const char *field, const zl_json_text *name);

/* The fields of a matrix descriptor. */
extern const zl_fields zl_desc_fields;
typedef zlay_smemdesc zl_desc_fields_type;

/* The words of a tensor map, 16 or 256 hex digits as they lie in memory; those of a buffer. */
extern const zl_field_kind zl_as_map_words, zl_as_buffer_words;
typedef uint64_t *zl_as_map_words_type;
typedef zlay_buffer_words zl_as_buffer_words_type;

/* The fields of an access to shared memory; and its addresses with the offsets added, the first of
 * each lane, then the second. */
enum { ZL_ADDRESSES_MOST = 2 * ZLAY_BANK_LANES };
typedef struct zl_bank_asked {
    const zlay_target *target;
    zlay_bank_access access;
    uint32_t addresses[ZL_ADDRESSES_MOST];
    uint32_t offset0, offset1;
} zl_bank_asked;
typedef zl_bank_asked zl_bank_fields_type;
zlay_status zl_bank_addresses(zl_call *call, uint32_t *out, const zl_bank_asked *asked);

/* A matrix instruction of the request's target: the rows of a table below it, in the same object;
 * those of an instruction that reads registers, and those of them that a plan has. */
extern const zl_field_kind zl_as_mma;
typedef zlay_mma zl_as_mma_type;
extern const zl_fields zl_mma_register_fields, zl_mma_unsigned_fields;

/* The fields of mma.fragment, of warp.fragment and of tmem.layout. */
typedef struct zl_mma_asked {
    const zlay_target *target;
    zlay_mma mma;
    int32_t fragment;
} zl_mma_asked;
typedef struct zl_warp_asked {
    int32_t fragment;
    uint32_t bits, registers;
} zl_warp_asked;
extern const zl_fields zl_mma_fragment_fields, zl_warp_fields, zl_tmem_layout_fields;
typedef zl_mma_asked zl_mma_fragment_fields_type;
typedef zl_warp_asked zl_warp_fields_type;
typedef zlay_tmem_map zl_tmem_layout_fields_type;

zlay_status zl_get_layout(zl_call *call, const char *name, zlay_layout **out);
zlay_status zl_layout_of(zl_call *call, const char *name, const json_t *value, zlay_layout **out);

/* An integer, or a text of decimal digits or of 0x and hexadecimal ones; false for anything else.
 */
bool zl_json_u64(const json_t *value, uint64_t *out);

/* Words of 32 bits, all 0 before, from 0x and their hexadecimal digits, the first word's last;
 * false for anything else. */
bool zl_hex_words(const char *text, size_t length, uint32_t *word, size_t words);

/* The same as zl_json_u64 for 64-bit integers with a sign. */
bool zl_json_i64(const json_t *value, int64_t *out);

/* Put the numbers of the optional object `params` in the place of the layout's parameters; EINVAL
 * names one that has no value. */
zlay_status zl_bind_params(zl_call *call, zlay_layout **layout);

/* Put the layout under the optional list `facts`, which every layout operation takes. */
zlay_status zl_assume_facts(zl_call *call, zlay_layout **layout);

/* The layout of an object with the key A. */
zlay_status zl_affine_layout(zl_call *call, const char *name, const json_t *object,
                             zlay_layout **out);

/* The optional list `facts`; NULL where it is absent. */
zlay_status zl_get_facts(zl_call *call, zlay_facts **out);

zlay_status zl_wrong(zl_call *call, const char *name, const char *wanted);

/* Why a struct of fields was not packed: the target has none (ENOTSUP), or a field does not fit. */
zlay_status zl_unfit(zl_call *call, const zlay_target *target, zlay_status status,
                     const char *what);

/* Puts the numbers of an object, by the names of facts, in the place of a machine's; NULL: none. */
zlay_status zl_machine_change(zl_call *call, zlay_machine *machine, const json_t *facts);

/* The names of the facts, and of the ops, whose bits are set. */
json_t *zl_json_facts_used(zl_call *call, uint64_t bits);
json_t *zl_json_ops_used(zl_call *call, uint64_t bits);

/* A pipe as text. */
extern const zl_field_kind zl_as_pipe;
typedef const zlay_pipe *zl_as_pipe_type;

/* ---- plans ---------------------------------------------------------------- */

/* The fields of copy.synth, and the move that they ask for. */
typedef struct zl_copy_asked {
    const zlay_target *target;
    zlay_copy_request request;
    uint32_t present; /* which of type and elem_bits are there */
} zl_copy_asked;
typedef zl_copy_asked zl_copy_synth_fields_type;
zlay_status zl_copy_made(zl_call *call, zlay_move **out, const zl_copy_asked *asked);
json_t *zl_json_threads(zl_call *call, const zlay_move *move); /* the answer of copy.synth */

/* The same of tensormap.synth. */
typedef struct zl_maps_asked {
    const zlay_target *target;
    zlay_tensormap_request request;
} zl_maps_asked;
zlay_status zl_maps_made(zl_call *call, zlay_move **out, const zl_maps_asked *asked);

/* The fields of plan.gemm, the request, and the plan. */
enum { ZL_OF_A, ZL_OF_B, ZL_ORDERED };
typedef struct zl_gemm_asked {
    const zlay_target *target;
    zlay_gemm gemm;
    int32_t major[ZL_ORDERED]; /* the order that the field a_major or b_major says; 0: none */
    zl_json_text epilogue;
} zl_gemm_asked;
typedef zl_gemm_asked zl_gemm_fields_type;
zlay_status zl_gemm_request(zl_call *call, zlay_gemm *out, const zl_gemm_asked *asked);
zlay_status zl_gemm_made(zl_call *call, zlay_plan **out, const zl_gemm_asked *asked);

/* The same of plan.attention. */
typedef struct zl_attention_asked {
    const zlay_target *target;
    zlay_attention ask;
    uint32_t merge; /* 1: the second kernel of a plan with splits */
} zl_attention_asked;
typedef zl_attention_asked zl_attention_fields_type;
zlay_status zl_attention_made(zl_call *call, zlay_attention_plan **out,
                              const zl_attention_asked *asked);

/* An object, or NULL. */
extern const zl_field_kind zl_as_object;
typedef const json_t *zl_as_object_type;

/* Put how operands are repacked, where some are; with the names of the kernels where the product's
 * is given. */
void zl_put_repack(zl_call *call, json_t *value, const zlay_plan *plan, const zl_json_text *name);

/* ---- f2 ------------------------------------------------------------------ */

/* The layout of an F2 object that the field `name` has, and back. */
zlay_status zl_f2_layout(zl_call *call, const char *name, const json_t *object, zlay_layout **out);
json_t *zl_json_f2(zl_call *call, const zlay_layout *layout);

/* [name, size] or longer. */
zlay_status zl_get_dim(zl_call *call, const char *name, const json_t *list, zlay_dim *out);

/* ---- values -------------------------------------------------------------- */

/* Integers beyond 2^53 are texts; bits are 0x and `digits` lower-case digits. */
json_t *zl_json_int(int64_t value);
json_t *zl_json_uint(uint64_t value);
json_t *zl_json_bits(uint64_t value, int digits);

/* The name of a number, null where it has none. */
json_t *zl_json_word(const zl_named *words, int32_t number);

void zl_put_value(zl_call *call, json_t *object, const char *key, json_t *value);
void zl_put_item(zl_call *call, json_t *array, json_t *value);
/* null for NULL. */
json_t *zl_json_layout(zl_call *call, const zlay_layout *layout);

/* Lists of integers; [i, j]; [i, j, k]. */
json_t *zl_json_list(zl_call *call, const uint64_t *number, size_t count);
json_t *zl_json_list32(zl_call *call, const uint32_t *number, size_t count);
json_t *zl_json_uints(zl_call *call, uint64_t i, uint64_t j);
json_t *zl_json_three(zl_call *call, int64_t i, int64_t j, int64_t k);

/* {"a", "b"}: a certificate; and that of the answer, unless it has a status, of layouts that are
 * freed. */
json_t *zl_json_pair(zl_call *call, const zlay_layout *a, const zlay_layout *b);
zlay_status zl_put_certificate(zl_call *call, zlay_status status, zlay_layout *a, zlay_layout *b);

/* The value at an index: an integer, a list of several outputs, null where it is undefined. */
zlay_status zl_json_value(zl_call *call, const zlay_layout *layout, uint64_t index, json_t **out);

/* A JSON value as text: a zl_writer. */
void zl_json_write(zl_text *out, const void *value);

/* What a printer of the library writes into a zlay_buf; and that as a field of the answer. */
typedef zlay_status zl_printer(zlay_ctx *ctx, zlay_buf *out, const void *value);
json_t *zl_json_printed(zl_call *call, zl_printer *print, const void *value, zlay_status *status);
zlay_status zl_put_printed(zl_call *call, const char *key, zl_printer *print, const void *value);
zl_printer zl_print_pipe;

/* A verdict with its first reasons. */
enum { ZL_REASONS_MOST = 128 };

struct zl_checked {
    zlay_verdict verdict;
    zlay_reason *reasons;
    size_t room;
    const zl_named *(*names)(int32_t field); /* of a field's numbers; NULL: they are numbers */
    const char *issues;                     /* what a split repair issues; NULL: copies */
};

json_t *zl_json_verdict(zl_call *call, const zl_checked *checked);

/* Reads the request by a table and runs it. */
zlay_status zl_run_fields(zl_call *call, const zl_fields *fields, zl_op_run *run);

/* Runners of rows: a verdict; a layout, made as the row's shape says. */
zl_op_run zl_run_check, zl_run_layout;
zl_maker zl_by_made, zl_by_one, zl_by_two, zl_by_number, zl_by_text, zl_by_names, zl_by_dims,
    zl_by_divide, zl_by_product;

/* What rows of the shape `made` name. */
zl_maker zl_make_import, zl_make_composed, zl_make_coalesced, zl_make_grouped, zl_make_flipped,
    zl_make_sliced, zl_make_padded, zl_make_concat, zl_make_lowered, zl_make_f2_product,
    zl_make_sublayout, zl_make_mma_lanes, zl_make_mma_fragment, zl_make_warp_fragment,
    zl_make_smemdesc, zl_make_tmem;

/* The layout of a request that is one layout, the table zl_layout_fields. */
const zlay_layout *zl_asked_layout(const void *asked);

/* Answers with what `check` says of *asked. */
zlay_status zl_check_asked(zl_call *call, const void *asked, zl_checker *check);

/* The rule and the witness of a ZLAY_NONE, from its message: the rule's name, then `shows` and a
 * number. */
void zl_none_explain(zl_call *call, const char *shows);

/* Texts of one request, and the fields that take them, by name; their places in `to`, a copy of
 * `from`, become 1. */
enum { ZL_TEXTS_MOST = 15 };

typedef struct zl_texts {
    zlay_given at[ZL_TEXTS_MOST];
    uint32_t count;
} zl_texts;

/* False: no memory. */
bool zl_texts_take(zl_texts *texts, const json_t *from, json_t *to, const zl_named *fields);

/* Whether the request is checked under facts: it has some, or texts in the place of numbers. */
bool zl_has_unknowns(const zl_call *call, const zl_texts *texts);

/* A check under the request's facts, which prints its guard; the answer is the call's value. */
zlay_status zl_texts_check(zl_call *call, zl_checked *checked, zl_printer *check,
                           const void *asked);

/* A request of a target and a map, with facts or without, and the kind of the object `map`. */
typedef struct zl_map_asked {
    const zlay_target *target;
    zlay_tensormap map;
    const zlay_facts *facts;
    zl_texts texts;
} zl_map_asked;

extern const zl_field_kind zl_as_map;
typedef zlay_tensormap zl_as_map_type;

typedef zl_map_asked zl_map_symbolic_fields_type;

/* The fields of a map that may be texts, and what takes them of a request whose struct begins with
 * a zl_map_asked. */
extern const zl_named zl_map_texts[];
bool zl_map_texts_take(const json_t *request, json_t *copy, void *asked);
void zl_put_driver(zl_call *call, const zlay_target *target, int32_t driver);
json_t *zl_json_tensormap(zl_call *call, const zlay_tensormap *map);
json_t *zl_json_copy(zl_call *call, const zlay_copy *copy, uint32_t rank, uint32_t axes);

/* A move whose tile has so many axes. */
json_t *zl_json_move(zl_call *call, const zlay_move *move, uint32_t axes);

/* Tiles of tensors: of a move its axes, and when the accesses of a part are made; null where there
 * are none. */
json_t *zl_json_tiles(zl_call *call, const zlay_move *move);
json_t *zl_json_edge(zl_call *call, const zlay_move *move, uint32_t part);

extern const zl_named zl_types[], zl_kinds[];
extern const zl_named zl_keeps[], zl_edges[];
extern const zl_named zl_fragments[], zl_warp_fragments[];

/* ---- ops ----------------------------------------------------------------- */

#define OP(name, fields, function, ok, text)                                                      \
    extern const zl_fields fields;                                                                 \
    zl_op_run function;
#define CHECK(name, fields, function, text) extern const zl_fields fields; zl_checker function;
#define LAYOUT(name, fields, shape, function, ok, text) extern const zl_fields fields;
#define F2(name, fields, shape, function, text) extern const zl_fields fields;
#include "json/rows/ops.def"

#endif
