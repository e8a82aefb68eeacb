/* SPDX-License-Identifier: Apache-2.0 */
/* The value behind zlay_body: operands, then nodes in the order in which they are computed, each
 * with its type and shape, then lines, which give nodes to names. */
#ifndef ZL_BODY_H
#define ZL_BODY_H

#include "base/base.h"
#include "base/scan.h"
#include <zlay/body.h>

enum { ZL_BODY_OPERANDS = 32, ZL_BODY_NODES = 1024, ZL_BODY_LINES = 512, ZL_BODY_ARGS = 3 };

/* Classes of types, as operations take them. */
enum {
    ZL_BODY_NONE = 0,
    ZL_BODY_FLOAT = 1,
    ZL_BODY_HALF = 2,
    ZL_BODY_SMALL = 4,
    ZL_BODY_INT = 8,
    ZL_BODY_BYTE = 16,
    ZL_BODY_CONDITION = 32,
    ZL_BODY_NIBBLE = 64,
    ZL_BODY_TINY = 128
};

/* Types of nodes: ZLAY_TYPE_*, and two of their own. */
enum { ZL_BODY_ANY = -1 /* a number whose type nothing says yet */, ZL_BODY_BOOL = -2 };

/* What a value depends on: a matrix on both.  PART: each lane of the row has its own. */
enum { ZL_ON_ROW = 1, ZL_ON_COLUMN = 2, ZL_ON_BOTH = 3, ZL_ON_LANE = 4 };

typedef enum zl_body_kind {
    ZL_BODY_OTHER,
    ZL_BODY_BETWEEN,
    ZL_BODY_BEFORE,
    ZL_BODY_COMPARE,
    ZL_BODY_CALL,
    ZL_BODY_REDUCE,
    ZL_BODY_LANES
} zl_body_kind;

/* Whether an operand is an array in global memory. */
static inline bool zl_body_array(const zlay_body_operand *o) { return o->sort == ZLAY_BODY_GLOBAL || o->sort == ZLAY_BODY_OUTPUT; }

typedef enum zl_body_op {
#define BODY_OP(id, word, kind, args, takes, does) ZL_BO_##id,
#include "body/ops.def"
#undef BODY_OP
    ZL_BODY_OPS
} zl_body_op;

typedef struct zl_body_form {
    const char *word;
    zl_body_kind kind;
    uint32_t args;
    uint32_t takes;
} zl_body_form;
extern const zl_body_form zl_body_forms[ZL_BODY_OPS];

/* How a conversion rounds; NEAREST is not written.  BIASED: exact, of the value plus zl_biased.  SCALED: exact, of the
 * value times 2^zl_scaled, but for what conversions.def says. */
enum {
    ZL_ROUND_NEAREST = 0,
    ZL_ROUND_ZERO,
    ZL_ROUND_DOWN,
    ZL_ROUND_UP,
    ZL_ROUND_BIASED,
    ZL_ROUND_SCALED,
    ZL_ROUNDS
};
extern const char *const zl_round_words[ZL_ROUNDS];

/* A decimal number: mantissa * 10^exponent, or infinity with the mantissa's sign. */
typedef struct zl_decimal {
    int64_t mantissa;
    int32_t exponent;
    bool infinite;
} zl_decimal;

typedef struct zl_body_node {
    zl_body_op op;
    int32_t type;
    uint32_t shape;
    int32_t round;             /* of CONVERT */
    int32_t arg[ZL_BODY_ARGS]; /* nodes; -1 */
    int32_t operand;           /* of OPERAND, LOAD, SHARED and STORE; -1 */
    bool window;               /* of SHARED: the matrix is columns of a wider stage, */
    uint32_t skip;             /* the first of which is this one */
    zl_decimal number;         /* of NUMBER */
} zl_body_node;

typedef struct zl_body_line {
    char name[65];   /* empty: the node is a STORE */
    int32_t operand; /* that the line assigns; -1: the name is the body's own */
    int32_t node;
} zl_body_line;

struct zlay_body {
    zlay_allocator alloc;
    char name[65];
    zlay_body_operand *operands;
    zl_body_node *nodes;
    zl_body_line *lines;
    uint32_t operands_count, nodes_count, lines_count;
};

/* ---- types --------------------------------------------------------------- */

/* ZL_BODY_FLOAT and the like; 0: no type that a body has. */
uint32_t zl_body_class(int32_t type);
/* The word of a type, of ZL_BODY_BOOL `condition`. */
const char *zl_body_type_name(int32_t type);
bool zl_body_type_find(int32_t *out, const char *word, size_t length);

/* What a biased conversion adds: the least power of two whose type has all whole numbers above it
 * that are added, and of s4 8 more, so that the bits of both are those of u4. */
uint32_t zl_biased(int32_t from, int32_t to);

/* By how many binary places a scaled conversion makes a value greater: of e2m1, where a half's exponents begin, and of ue8m0
 * about half as many as bf16 has, so that a product of both has its exponent in the middle. */
int32_t zl_scaled(int32_t from, int32_t to);

/* `matrix`, `row` ..; what a value of this sort depends on. */
const char *zl_body_sort_word(int32_t sort);
uint32_t zl_body_sort_shape(int32_t sort);
/* Takes the word that begins an operand's line; 0: the line is no operand's. */
int32_t zl_body_sort_take(zl_cursor *at);

/* The value of a number as f64, rounded to nearest. */
double zl_decimal_value(const zl_decimal *d);

/* ---- reading, line by line ------------------------------------------------ */

typedef struct zl_body_reader {
    zl_cursor *at;
    zlay_body *body;
    uint32_t depth; /* of open parentheses */
    zlay_status status;
} zl_body_reader;

/* An empty body; `at` is held to its lines. */
zlay_status zl_body_begin(zlay_ctx *ctx, zl_body_reader *r, zl_cursor *at, const char *name);
/* The line that the cursor is held to. */
void zl_body_line_read(zl_body_reader *r);
/* What every whole body has. */
void zl_body_end(zl_body_reader *r);

/* Notes the first failure; answers false. */
bool zl_body_refuse(zl_body_reader *r, zlay_status status, const char *format, ...) ZL_PRINTF(3, 4);

/* The value of an expression, a node; -1 where it failed. */
int32_t zl_body_expression(zl_body_reader *r);

/* A node of an operation on others, with its type and shape; -1 and a message where it takes no
 * such operands. */
int32_t zl_body_apply(zl_body_reader *r, zl_body_op op, const int32_t *args, uint32_t count);
int32_t zl_body_convert(zl_body_reader *r, int32_t type, int32_t round, int32_t arg);
int32_t zl_body_load(zl_body_reader *r, int32_t operand, const int32_t *args, uint32_t count);
/* Of args the index, its limit and the value. */
int32_t zl_body_store(zl_body_reader *r, int32_t operand, const int32_t *args);
/* An element of a stage of shared memory; `at` says the coordinates that stand there: shape, window and skip. */
int32_t zl_body_shared(zl_body_reader *r, int32_t operand, const zl_body_node *at);
int32_t zl_body_new_node(zl_body_reader *r, const zl_body_node *node);
/* Gives a number that has no type yet this one; answers whether `node` has the type then. */
bool zl_body_settle(zl_body_reader *r, int32_t node, int32_t type);

/* The first load of a shared operand; NULL: there is none. What it depends on; 0: there is none. */
const zl_body_node *zl_body_shared_load(const zlay_body *body, int32_t operand);
uint32_t zl_body_shared_shape(const zlay_body *body, int32_t operand);

/* Whether a body knows rows from columns: it adds, compares or stores values of a row, or has rows, columns or stages as operands. */
bool zl_body_is_sided(const zlay_body *body);
/* Lets rows and columns of a body change places, so that it computes on transposes; false, and the body is as it was: it is sided. */
bool zl_body_transpose(zlay_body *body);

/* The operand of a name; -1.  The node that a name stands for now; -1. */
int32_t zl_body_operand_find(const zlay_body *body, const char *name);
int32_t zl_body_name_find(const zlay_body *body, const char *name, uint32_t lines);

/* The text of a body without indentation, its first line `body NAME`, its last `end`. */
void zl_body_put(zl_text *out, const zlay_body *body);
/* Its parts: name and operands; lines without `end`. */
void zl_body_put_head(zl_text *out, const zlay_body *body);
void zl_body_put_lines(zl_text *out, const zlay_body *body);

/* zlay_body_parse as a part of a call (zl_enter_part). */
zlay_status zl_body_parse(zlay_ctx *ctx, zlay_body **out, const char *text, size_t length);

#endif
