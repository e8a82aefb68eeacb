/* SPDX-License-Identifier: Apache-2.0 */
/* Prints an expression as the body of a function, in one of the languages. */
#ifndef ZL_EMIT_FUNCTION_PRINT_H
#define ZL_EMIT_FUNCTION_PRINT_H

#include "emit/function/graph.h"

/* A function of one value. */
typedef struct zl_formula {
    const zl_graph *graph;
    zl_vertex root;
    unsigned word;          /* bits, 32 or 64; of a condition, whose value is 0 or 1, too */
    size_t arguments;       /* called i0, i1, ... */
    const uint64_t *extent; /* an argument each: above 2^32 it is a word of 64 bits */
} zl_formula;

zl_formula zl_formula_of(const zl_graph *g, zl_vertex root, size_t arguments,
                         const uint64_t *extent);

static inline bool zl_formula_is_wide(const zl_formula *f, zl_vertex t)
{
    return f->word == 64 && !zl_graph_is_narrow(&f->graph->node[t]);
}

static inline bool zl_argument_is_wide(uint64_t extent) { return extent > UINT64_C(1) << 32; }

/* The type of the value: the least of unsigned, int, unsigned long long, long long that has it. */
const char *zl_formula_type(const zl_formula *f);
bool zl_formula_is_long(const zl_formula *f); /* the value is a word of 64 bits */

/* `TYPE NAME(PARAMETERS)` with its braces; the name, then what is put behind it. */
typedef struct zl_function_name {
    const char *text;
    size_t length;
    const char *behind;
} zl_function_name;
void zl_function_name_put(zl_text *out, const zl_function_name *name);
void zl_formula_print_c(zl_text *out, const zl_formula *f, const zl_function_name *name);
void zl_formula_print_ptx(zl_text *out, const zl_formula *f, const zl_function_name *name);

#endif
