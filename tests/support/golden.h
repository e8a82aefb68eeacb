/* SPDX-License-Identifier: Apache-2.0 */
/* Golden texts are compared without the version that printed them. */
#ifndef TEST_GOLDEN_H
#define TEST_GOLDEN_H

#include <ctype.h>
#include <string.h>

/* Puts 0 in the place of each digit of the first "zlay 1.2.3". */
static inline void without_version(char *text)
{
    char *at = strstr(text, "zlay ");
    for (at = at ? at + strlen("zlay ") : text + strlen(text); isdigit((unsigned char)*at) || *at == '.'; at++)
        if (*at != '.') *at = '0';
}

#endif
