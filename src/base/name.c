/* SPDX-License-Identifier: Apache-2.0 */
#include "base/base.h"

#include <string.h>

/* Keywords of C11, C++17 and PTX that match the name pattern. */
static const char *const keywords[] = {
    "alignas", "alignof", "and", "and_eq", "asm", "auto", "bitand", "bitor", "bool", "break",
    "case", "catch", "char", "class", "compl", "const", "const_cast", "constexpr", "continue",
    "decltype", "default", "delete", "do", "double", "dynamic_cast", "else", "enum", "explicit",
    "export", "extern", "false", "float", "for", "friend", "goto", "if", "inline", "int", "long",
    "main", "mutable", "namespace", "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
    "private", "protected", "public", "register", "reinterpret_cast", "restrict", "return", "short",
    "signed", "sizeof", "static", "static_assert", "static_cast", "struct", "switch", "template",
    "this", "thread_local", "throw", "true", "try", "typedef", "typeid", "typename", "union",
    "unsigned", "using", "virtual", "void", "volatile", "wchar_t", "while", "xor", "xor_eq",
    "WARP_SZ", "abs", "add", "addc", "atom", "bar", "barrier", "bfe", "bfi", "bra", "brev", "brx",
    "call", "clz", "cnot", "copysign", "cos", "cp", "cvt", "cvta", "discard", "div", "elect", "ex2",
    "exit", "fence", "fma", "fns", "isspacep", "ld", "ldmatrix", "ldu", "lg2", "lop3", "mad", "mapa",
    "max", "mbarrier", "membar", "min", "mma", "mov", "movmatrix", "mul", "nanosleep", "neg",
    "pmevent", "popc", "prefetch", "prefetchu", "prmt", "rcp", "red", "redux", "rem", "ret", "rsqrt",
    "sad", "selp", "set", "setmaxnreg", "setp", "shf", "shfl", "shl", "shr", "sin", "slct", "sqrt",
    "st", "stackrestore", "stacksave", "stmatrix", "sub", "subc", "suld", "suq", "sured", "sust",
    "szext", "tanh", "tcgen05", "tensormap", "testp", "tex", "tld4", "trap", "txq", "vote", "wgmma",
    "wmma",
};

static bool is_alpha(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool zl_is_name(const char *text, size_t length)
{
    if (!text || length < 1 || length > 64 || !is_alpha(text[0])) return false;
    for (size_t i = 1; i < length; i++)
        if (!is_alpha(text[i]) && !is_digit(text[i])) return false;
    for (size_t i = 0; i < ZL_COUNT(keywords); i++)
        if (strlen(keywords[i]) == length && !memcmp(keywords[i], text, length)) return false;
    return true;
}
