// SPDX-License-Identifier: Apache-2.0
// TAP for programs in C++: a line a test, and the exit status.
#ifndef TEST_TAP_HPP
#define TEST_TAP_HPP

#include <cstdio>
#include <string>

namespace tap {

inline int number, failed;

inline bool ok(bool good, const std::string &name)
{
    std::printf("%sok %d - %s\n", good ? "" : "not ", ++number, name.c_str());
    failed += !good;
    return good;
}

inline bool same(const std::string &got, const std::string &want, const std::string &name)
{
    if (!ok(got == want, name)) std::printf("# got  %s\n# want %s\n", got.c_str(), want.c_str());
    return got == want;
}

inline int end() { return failed != 0; }

} // namespace tap
#endif
