/* SPDX-License-Identifier: Apache-2.0 */
/* The name that is spelt most like one that stands for nothing: the least count of letters that
 * are added, left out, changed, or turned with the next (Damerau, "A technique for computer
 * detection and correction of spelling errors", 1964; no letter takes part in two of them). Case
 * does not count, and `-`, `.` and `_` are equal. */
#include "base/base.h"

#include <string.h>

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static char folded(char c)
{
    if (c >= 'A' && c <= 'Z') return (char)(c - 'A' + 'a');
    return c == '-' || c == '.' ? '_' : c;
}

static uint32_t distance(const zl_like *like, const char *name)
{
    uint8_t far[ZL_LIKE_MOST + 1][ZL_LIKE_MOST + 1]; /* of so many first letters of both */
    size_t length = strlen(name);
    const char *a = like->wanted;
    for (size_t i = 0; i <= like->length; i++)
        for (size_t j = 0; j <= length; j++) {
            uint32_t d = (uint32_t)(i + j);
            if (i && j) {
                bool equal = folded(a[i - 1]) == folded(name[j - 1]);
                d = least(far[i - 1][j - 1] + !equal, 1 + least(far[i - 1][j], far[i][j - 1]));
            }
            bool turned = i > 1 && j > 1 && folded(a[i - 1]) == folded(name[j - 2]) &&
                          folded(a[i - 2]) == folded(name[j - 1]);
            if (turned) d = least(d, far[i - 2][j - 2] + 1);
            far[i][j] = (uint8_t)d;
        }
    return far[like->length][length];
}

/* Whether the name ends with a dot and the wanted word. */
static bool is_tail(const zl_like *like, const char *name)
{
    size_t length = strlen(name);
    if (!like->length || length <= like->length) return false;
    const char *tail = name + length - like->length;
    return tail[-1] == '.' && !memcmp(tail, like->wanted, like->length);
}

zl_like zl_like_begin(const char *wanted, size_t length)
{
    zl_like like = {.wanted = wanted, .length = length};
    if (wanted && length && length <= ZL_LIKE_MOST) like.far = 1 + least(3, (uint32_t)length / 2);
    return like;
}

void zl_like_offer(zl_like *like, const char *name)
{
    size_t length = strlen(name);
    if (!like->far || !length || length > ZL_LIKE_MOST) return;
    bool tail = is_tail(like, name);
    size_t longer = length > like->length ? length - like->length : like->length - length;
    if (!tail && longer >= like->far) return;
    uint32_t far = tail ? 1 : distance(like, name);
    if (far >= like->far || far >= length) return;
    like->far = far;
    like->hint[0] = 0;
    if (length == like->length && !memcmp(name, like->wanted, length)) return;
    zl_text out = {like->hint, sizeof like->hint - 1, 0};
    zl_putf(&out, "; did you mean '%s'?", name);
    like->hint[out.need] = 0;
}
