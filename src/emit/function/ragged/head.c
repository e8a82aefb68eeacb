/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels that move rows call: loads and stores in the words of each language, and the store of some of 16
 * bytes by the widest accesses that their place allows. */
#include "emit/function/ragged/ragged.h"

#include <string.h>

#define FUNCTION "static __device__ __forceinline__ __attribute__((unused)) "

static const char cuda[] =
    FUNCTION "void @_load(unsigned (&w)[4], unsigned long long at)\n"
    "{\n"
    "    const uint4 v = __ldg((const uint4 *)at);\n"
    "    w[0] = v.x, w[1] = v.y, w[2] = v.z, w[3] = v.w;\n"
    "}\n"
    FUNCTION "void @_store(unsigned char *to, unsigned a, unsigned b, unsigned c, unsigned d) { __stcg((uint4 *)to, make_uint4(a, b, c, d)); }\n"
    FUNCTION "void @_store_8(unsigned char *to, unsigned a, unsigned b) { __stcg((uint2 *)to, make_uint2(a, b)); }\n"
    FUNCTION "void @_store_4(unsigned char *to, unsigned a) { __stcg((unsigned *)to, a); }\n"
    FUNCTION "void @_store_2(unsigned char *to, unsigned a) { __stcg((unsigned short *)to, (unsigned short)a); }\n"
    FUNCTION "void @_store_1(unsigned char *to, unsigned a) { __stcg(to, (unsigned char)a); }\n"
    FUNCTION "unsigned @_join(unsigned low, unsigned high, unsigned shift) { return __funnelshift_r(low, high, 8u * shift); }\n"
    FUNCTION "void @_keep(unsigned char *shared, const unsigned (&w)[4]) { *(uint4 *)shared = make_uint4(w[0], w[1], w[2], w[3]); }\n"
    FUNCTION "unsigned @_read_2(const unsigned char *shared) { return *(const unsigned short *)shared; }\n"
    FUNCTION "unsigned @_read_4(const unsigned char *shared) { return *(const unsigned *)shared; }\n"
    FUNCTION "void @_read_8(unsigned &a, unsigned &b, const unsigned char *shared)\n"
    "{\n"
    "    const uint2 v = *(const uint2 *)shared;\n"
    "    a = v.x, b = v.y;\n"
    "}\n";

static const char hip[] =
    "typedef unsigned short @_half __attribute__((may_alias));\n"
    "typedef unsigned @_word __attribute__((may_alias));\n"
    "typedef unsigned @_words2 __attribute__((ext_vector_type(2), may_alias));\n"
    "typedef unsigned @_words4 __attribute__((ext_vector_type(4), may_alias));\n"
    FUNCTION "void @_load(unsigned (&w)[4], unsigned long long at)\n"
    "{\n"
    "    const @_words4 v = *(const @_words4 *)at;\n"
    "    w[0] = v[0], w[1] = v[1], w[2] = v[2], w[3] = v[3];\n"
    "}\n"
    FUNCTION "void @_store(unsigned char *to, unsigned a, unsigned b, unsigned c, unsigned d) { *(@_words4 *)to = @_words4{a, b, c, d}; }\n"
    FUNCTION "void @_store_8(unsigned char *to, unsigned a, unsigned b) { *(@_words2 *)to = @_words2{a, b}; }\n"
    FUNCTION "void @_store_4(unsigned char *to, unsigned a) { *(@_word *)to = a; }\n"
    FUNCTION "void @_store_2(unsigned char *to, unsigned a) { *(@_half *)to = (unsigned short)a; }\n"
    FUNCTION "void @_store_1(unsigned char *to, unsigned a) { *to = (unsigned char)a; }\n"
    FUNCTION "unsigned @_join(unsigned low, unsigned high, unsigned shift) { return __builtin_amdgcn_alignbyte(high, low, shift); }\n"
    FUNCTION "void @_keep(unsigned char *shared, const unsigned (&w)[4]) { *(@_words4 *)shared = @_words4{w[0], w[1], w[2], w[3]}; }\n"
    FUNCTION "unsigned @_read_2(const unsigned char *shared) { return *(const @_half *)shared; }\n"
    FUNCTION "unsigned @_read_4(const unsigned char *shared) { return *(const @_word *)shared; }\n"
    FUNCTION "void @_read_8(unsigned &a, unsigned &b, const unsigned char *shared)\n"
    "{\n"
    "    const @_words2 v = *(const @_words2 *)shared;\n"
    "    a = v[0], b = v[1];\n"
    "}\n";

static const char common[] =
    "/* Stores bytes low to below high of 16 that lie at `to`, a multiple of 16. */\n"
    FUNCTION "void @_part(unsigned char *to, unsigned a, unsigned b, unsigned c, unsigned d, unsigned low, unsigned high)\n"
    "{\n"
    "    if (low == 0u && high == 16u) {\n"
    "        @_store(to, a, b, c, d);\n"
    "        return;\n"
    "    }\n"
    "    while (low < high) {\n"
    "        const unsigned left = high - low, odd = low & 1u, odd2 = low & 2u, odd4 = low & 4u;\n"
    "        const unsigned word = low & 8u ? (odd4 ? d : c) : (odd4 ? b : a);\n"
    "        if (!(odd | odd2 | odd4) && left >= 8u) {\n"
    "            @_store_8(to + low, word, low ? d : b);\n"
    "            low += 8u;\n"
    "        } else if (!(odd | odd2) && left >= 4u) {\n"
    "            @_store_4(to + low, word);\n"
    "            low += 4u;\n"
    "        } else if (!odd && left >= 2u) {\n"
    "            @_store_2(to + low, word >> 8u * odd2);\n"
    "            low += 2u;\n"
    "        } else {\n"
    "            @_store_1(to + low, word >> 8u * (odd2 | odd));\n"
    "            low += 1u;\n"
    "        }\n"
    "    }\n"
    "}\n"
    "/* Of 16 bytes that begin `at` bytes behind the begin of a row: which are of the row. */\n"
    FUNCTION "void @_range(unsigned &low, unsigned &high, long long at, long long bytes)\n"
    "{\n"
    "    low = at >= 0ll ? 0u : at > -16ll ? (unsigned)-at : 16u;\n"
    "    high = at + 16ll <= bytes ? 16u : at < bytes ? (unsigned)(bytes - at) : 0u;\n"
    "}\n";

void zl_rows_lines(zl_text *out, const zl_rows_text *t, const char *lines, const char *list)
{
    for (size_t plain; *lines; lines += plain + (lines[plain] != 0)) {
        plain = strcspn(lines, "@$");
        zl_put(out, lines, plain);
        if (lines[plain] == '@') zl_put(out, t->asked.name, t->asked.name_length);
        if (lines[plain] == '$') zl_puts(out, list);
    }
}

const char *zl_rows_count_type(const zl_rows_text *t)
{
    enum { CHUNKS_MOST = 1 << 20 };
    return t->chunks <= CHUNKS_MOST ? "unsigned" : "unsigned long long";
}

void zl_rows_head(zl_text *out, const zl_rows_text *t)
{
    zl_rows_lines(out, t, zl_rows_is_hip(t) ? hip : cuda, "");
    zl_rows_lines(out, t, common, "");
}
